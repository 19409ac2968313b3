/* SPDX-License-Identifier: MIT */
/*
 * What threads do together. A thread that comes to a shuffle, a vote or a barrier checks its own
 * operands and waits; when all whom the operation needs are there, it is carried out for all of
 * them at once and they go on. When nobody can go on, the first who waits is named, with what it
 * waits for.
 */
#include "libsov/compiler/interp_state.h"

/* Lanes. */

/* Members of a shuffle or vote are the last argument. */
static uint32_t members(const struct interp_thread *t, const struct ir_inst *in)
{
	return (uint32_t)t->values[in->args[in->nargs - 1]].bits;
}

static bool arrive_with_lanes(struct interp *ip, struct interp_thread *t, const struct ir_inst *in)
{
	uint32_t lane = t->index % ip->launch->warp_lanes;

	/* The value that a shuffle passes on may be undefined, all else decides what happens. */
	for (uint32_t k = in->op == IR_SHUFFLE; k < in->nargs; k++)
		if (!t->values[in->args[k]].defined)
			return interp_fail(ip, t, "argument %u is undefined", k + 1);
	if (!(members(t, in) >> lane & 1))
		return interp_fail(ip, t, "lane %u is not among its members 0x%x", lane,
				   members(t, in));
	t->state = THREAD_WAITS;
	return true;
}

/* Lane of the warp that takes part in what t waits for: named, there, and not out of the kernel. */
static struct interp_thread *partner(struct interp *ip, const struct interp_thread *t,
				     uint32_t lane)
{
	uint32_t n = t->index - t->index % ip->launch->warp_lanes + lane;

	if (lane >= ip->launch->warp_lanes || n >= ip->nthreads ||
	    ip->threads[n].state == THREAD_EXITED || !(members(t, ir_at(ip->f, t->at)) >> lane & 1))
		return NULL;
	return &ip->threads[n];
}

static bool waits_with(const struct interp_thread *t, const struct interp_thread *other)
{
	return other->state == THREAD_WAITS && other->at == t->at;
}

/*
 * The lane that a shuffle reads, and whether it is in range. The clamp operand has the last lane
 * that may be read in bits 0 to 4 (the first one for up), and in bits 8 to 12 the bits of the lane
 * number that divide a warp into segments.
 */
static uint32_t source_lane(enum ir_shuffle kind, uint32_t lane, uint32_t selector, uint32_t clamp,
			    bool *in_range)
{
	uint32_t segment = clamp >> 8 & 31, by = selector & 31, source;
	uint32_t limit = (lane & segment) | (clamp & 31 & ~segment);

	switch (kind) {
	case IR_SHUFFLE_UP:
		source = lane - by;
		*in_range = (int32_t)source >= (int32_t)limit;
		break;
	case IR_SHUFFLE_DOWN:
		source = lane + by;
		*in_range = source <= limit;
		break;
	case IR_SHUFFLE_BFLY:
		source = lane ^ by;
		*in_range = source <= limit;
		break;
	default:
		source = (lane & segment) | (by & ~segment);
		*in_range = source <= limit;
		break;
	}
	return *in_range ? source : lane;
}

static void shuffle(struct interp *ip, struct interp_thread *t, const struct ir_inst *in)
{
	bool in_range;
	uint32_t source = source_lane(in->sub, t->index % ip->launch->warp_lanes,
				      (uint32_t)t->values[in->args[1]].bits,
				      (uint32_t)t->values[in->args[2]].bits, &in_range);
	const struct interp_thread *from = partner(ip, t, source);

	t->values[in->res] = from ? from->values[in->args[0]] : (struct interp_value){0};
	t->values[in->res + 1] = (struct interp_value){.bits = in_range, .defined = true};
}

static void vote(struct interp *ip, struct interp_thread *t, const struct ir_inst *in)
{
	uint32_t ballot = 0, voters = 0;
	uint64_t result;

	for (uint32_t lane = 0; lane < ip->launch->warp_lanes; lane++) {
		const struct interp_thread *p = partner(ip, t, lane);

		if (!p)
			continue;
		voters |= 1u << lane;
		ballot |= (uint32_t)p->values[in->args[0]].bits << lane;
	}
	result = in->sub == IR_VOTE_ALL   ? ballot == voters
		 : in->sub == IR_VOTE_ANY ? ballot != 0
		 : in->sub == IR_VOTE_UNI ? !ballot || ballot == voters
					  : ballot;
	t->values[in->res] = (struct interp_value){.bits = result, .defined = true};
}

/* Carries out what t waits for if all who take part are there. */
static bool release_lanes(struct interp *ip, struct interp_thread *t, bool *progress)
{
	const struct ir_inst *in = ir_at(ip->f, t->at);
	struct interp_thread *all[INTERP_MAX_LANES];
	uint32_t n = 0;

	for (uint32_t lane = 0; lane < ip->launch->warp_lanes; lane++) {
		struct interp_thread *p = partner(ip, t, lane);

		if (!p)
			continue;
		if (!waits_with(t, p))
			return true;
		if (members(p, in) != members(t, in))
			return interp_fail(ip, t, "its members are 0x%x, but lane %u has 0x%x",
					   members(t, in), lane, members(p, in));
		all[n++] = p;
	}
	for (uint32_t k = 0; k < n; k++) {
		if (in->op == IR_SHUFFLE)
			shuffle(ip, all[k], in);
		else
			vote(ip, all[k], in);
	}
	for (uint32_t k = 0; k < n; k++) {
		all[k]->at = in->next;
		all[k]->state = THREAD_READY;
	}
	*progress = true;
	return true;
}

/* Barriers. */

static uint32_t living(const struct interp *ip)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < ip->nthreads; k++)
		n += ip->threads[k].state != THREAD_EXITED;
	return n;
}

static bool at_barrier(const struct interp *ip, const struct interp_thread *t)
{
	return t->state == THREAD_WAITS && ir_at(ip->f, t->at)->op == IR_BARRIER;
}

static bool release_barrier(struct interp *ip, uint32_t number)
{
	struct interp_barrier *b = &ip->barriers[number];

	if (!b->arrived || b->arrived < (b->threads ? b->threads : living(ip)))
		return false;
	for (uint32_t n = 0; n < ip->nthreads; n++) {
		struct interp_thread *t = &ip->threads[n];

		if (!at_barrier(ip, t) || t->barrier != number)
			continue;
		t->at = ir_at(ip->f, t->at)->next;
		t->state = THREAD_READY;
	}
	*b = (struct interp_barrier){0};
	return true;
}

static bool arrive_at_barrier(struct interp *ip, struct interp_thread *t, const struct ir_inst *in)
{
	uint64_t number = t->values[in->args[0]].bits, threads = 0;
	struct interp_barrier *b;

	for (uint32_t k = 0; k < in->nargs; k++)
		if (!t->values[in->args[k]].defined)
			return interp_fail(ip, t, "argument %u is undefined", k + 1);
	if (number >= INTERP_BARRIERS)
		return interp_fail(ip, t, "barrier %llu, but there are 0 to %d",
				   (unsigned long long)number, INTERP_BARRIERS - 1);
	if (in->nargs == 2) {
		threads = t->values[in->args[1]].bits;
		if (!threads || threads % ip->launch->warp_lanes)
			return interp_fail(ip, t, "%llu threads are not a number of whole warps",
					   (unsigned long long)threads);
	}
	b = &ip->barriers[number];
	if (b->arrived && b->threads != threads)
		return interp_fail(ip, t, "threads disagree on how many meet at barrier %llu",
				   (unsigned long long)number);
	b->threads = (uint32_t)threads;
	b->arrived++;
	if (in->sub == IR_BARRIER_ARRIVE) {
		t->at = in->next;
	} else {
		t->barrier = (uint32_t)number;
		t->state = THREAD_WAITS;
	}
	release_barrier(ip, (uint32_t)number); /* before a thread of the next round comes */
	return true;
}

/* The doors. */

bool interp_arrive(struct interp *ip, struct interp_thread *t, const struct ir_inst *in)
{
	return in->op == IR_BARRIER ? arrive_at_barrier(ip, t, in) : arrive_with_lanes(ip, t, in);
}

bool interp_release(struct interp *ip, bool *progress)
{
	for (uint32_t n = 0; n < ip->nthreads; n++) {
		struct interp_thread *t = &ip->threads[n];

		if (t->state == THREAD_WAITS && !at_barrier(ip, t) &&
		    !release_lanes(ip, t, progress))
			return false;
	}
	for (uint32_t k = 0; k < INTERP_BARRIERS; k++)
		*progress |= release_barrier(ip, k);
	return true;
}

/* Nobody is ready, and somebody waits. */
bool interp_deadlock(struct interp *ip)
{
	struct interp_thread *t = ip->threads;
	const struct interp_barrier *b;

	while (t->state != THREAD_WAITS)
		t++;
	if (at_barrier(ip, t)) {
		b = &ip->barriers[t->barrier];
		return interp_fail(ip, t, "deadlock: %u of %u threads are at barrier %u",
				   b->arrived, b->threads ? b->threads : living(ip), t->barrier);
	}
	for (uint32_t lane = 0; lane < ip->launch->warp_lanes; lane++) {
		struct interp_thread *p = partner(ip, t, lane);

		if (p && !waits_with(t, p))
			return interp_fail(ip, t, "deadlock: lane %u, a member, waits at '%s'",
					   lane, ir_text_inst(ip->f, p->at));
	}
	return interp_fail(ip, t, "deadlock");
}
