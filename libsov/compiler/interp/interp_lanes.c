// SPDX-License-Identifier: MIT
/*
 * Warp syncs and barriers. A thread that arrives checks its operands and waits; once all
 * participants have arrived, the operation executes for all of them together. If no thread can run,
 * the deadlock message names the first waiting thread and what it waits for.
 */
#include "libsov/compiler/ir/eval.h"
#include "libsov/isa/mma.h"
#include "libsov/compiler/interp/interp_state.h"

/* ---- warp syncs ---- */

/* The last argument of a warp sync is its member mask. */
static uint32_t member_mask(const struct interp_thread *t, const struct ir_inst *in)
{
	return (uint32_t)t->values[in->args[in->nargs - 1]].bits;
}

static bool arrive_at_warp_sync(struct interp *ip, struct interp_thread *t,
				const struct ir_inst *in)
{
	uint32_t lane = t->index % ip->launch->warp_lanes;

	if (in->op == IR_ACTIVE || in->op == IR_ALIVE) {
		t->state = THREAD_WAITS;
		return true;
	}
	/* Only the value that a shuffle passes on may be undefined. */
	for (uint32_t k = in->op == IR_SHUFFLE; k < in->nargs; k++)
		if (!t->values[in->args[k]].defined)
			return interp_fail(ip, t, "argument %u is undefined", k + 1);
	if (!(member_mask(t, in) >> lane & 1))
		return interp_fail(ip, t, "lane %u is not among its members 0x%x", lane,
				   member_mask(t, in));
	if (in->op == IR_LOADMATRIX && !interp_check_row(ip, t, in))
		return false;
	if (in->op == IR_MMA_GROUP && !interp_check_group(ip, t, in))
		return false;
	t->state = THREAD_WAITS;
	return true;
}

/* A lane that takes part in the warp sync of t: it is a member, exists and has not exited. */
static struct interp_thread *participant(struct interp *ip, const struct interp_thread *t,
					 uint32_t lane)
{
	uint32_t n = t->index - t->index % ip->launch->warp_lanes + lane;

	if (lane >= ip->launch->warp_lanes || n >= ip->nthreads ||
	    ip->block->threads[n].state == THREAD_EXITED ||
	    !(member_mask(t, ir_at(t->f, t->at)) >> lane & 1))
		return NULL;
	return &ip->block->threads[n];
}

static bool waits_at_same_site(const struct interp_thread *t, const struct interp_thread *other)
{
	return other->state == THREAD_WAITS && other->f == t->f && other->at == t->at;
}

/* The instruction that a thread waits at. */
static const struct ir_inst *waits_at(const struct interp_thread *t)
{
	return ir_at(t->f, t->at);
}

/* Lanes may execute one warp sync at different sites, if they name the same members (PTX ISA,
 * shfl.sync: "the same qualifiers and same membermask value"). */
static bool waits_at_same_sync(const struct interp_thread *t, const struct interp_thread *other)
{
	const struct ir_inst *in = waits_at(t), *other_in = waits_at(other);

	if (in->op == IR_MMA || in->op == IR_MMA_GROUP || in->op == IR_LOADMATRIX)
		return waits_at_same_site(t, other);
	return other->state == THREAD_WAITS && ir_sync_kind(in) == ir_sync_kind(other_in) &&
	       member_mask(t, in) == member_mask(other, other_in);
}

/*
 * The lane that a shuffle reads, and whether it is in range. Bits 0 to 4 of the clamp operand are
 * the last lane that may be read (the first one for up); bits 8 to 12 mask the bits of the lane
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

static const struct interp_value *contribution(const struct interp_thread *t)
{
	return &t->values[waits_at(t)->args[0]];
}

static void execute_shuffle(struct interp *ip, struct interp_thread *t, const struct ir_inst *in)
{
	bool in_range;
	uint32_t source = source_lane(in->sub, t->index % ip->launch->warp_lanes,
				      (uint32_t)t->values[in->args[1]].bits,
				      (uint32_t)t->values[in->args[2]].bits, &in_range);
	const struct interp_thread *from = participant(ip, t, source);

	t->values[in->res] = from ? *contribution(from) : (struct interp_value){0};
	t->values[in->res + 1] = (struct interp_value){.bits = in_range, .defined = true};
}

static void execute_vote(struct interp *ip, struct interp_thread *t, const struct ir_inst *in)
{
	uint32_t ballot = 0, voters = 0;
	uint64_t result;

	for (uint32_t lane = 0; lane < ip->launch->warp_lanes; lane++) {
		const struct interp_thread *p = participant(ip, t, lane);

		if (!p)
			continue;
		voters |= 1u << lane;
		ballot |= (uint32_t)contribution(p)->bits << lane;
	}
	result = in->sub == IR_VOTE_ALL   ? ballot == voters
		 : in->sub == IR_VOTE_ANY ? ballot != 0
		 : in->sub == IR_VOTE_UNI ? !ballot || ballot == voters
					  : ballot;
	t->values[in->res] = (struct interp_value){.bits = result, .defined = true};
}

/* The mask of lanes whose value equals that of t. */
static void execute_match(struct interp *ip, struct interp_thread *t, const struct ir_inst *in,
			  struct interp_thread **all, uint32_t n)
{
	uint32_t same = 0, others = 0;
	bool all_equal;

	for (uint32_t k = 0; k < n; k++) {
		uint32_t lane = 1u << all[k]->index % ip->launch->warp_lanes;

		if (contribution(all[k])->bits == contribution(t)->bits)
			same |= lane;
		else
			others |= lane;
	}
	all_equal = !others;
	t->values[in->res] = (struct interp_value){
		.bits = in->op == IR_MATCH_ANY || all_equal ? same : 0, .defined = true};
	if (in->op == IR_MATCH_ALL)
		t->values[in->res + 1] = (struct interp_value){.bits = all_equal, .defined = true};
}

static void execute_reduce(struct interp_thread *t, const struct ir_inst *in,
			   struct interp_thread **all, uint32_t n)
{
	static const uint8_t ops[IR_REDUCE_COUNT] = {
		[IR_REDUCE_ADD] = IR_ADD,     [IR_REDUCE_MIN_U] = IR_MIN_U,
		[IR_REDUCE_MIN_S] = IR_MIN_S, [IR_REDUCE_MAX_U] = IR_MAX_U,
		[IR_REDUCE_MAX_S] = IR_MAX_S, [IR_REDUCE_AND] = IR_AND,
		[IR_REDUCE_OR] = IR_OR,       [IR_REDUCE_XOR] = IR_XOR};
	struct ir_inst op = {.op = ops[in->sub], .type = in->type, .nargs = 2};
	uint64_t sum = contribution(all[0])->bits;

	for (uint32_t k = 1; k < n; k++)
		ir_eval(&op, (uint64_t[]){sum, contribution(all[k])->bits}, &sum);
	t->values[in->res] = (struct interp_value){.bits = sum, .defined = true};
}

/* Lanes that have exited or do not exist contribute zero. */
static void execute_mma(struct interp *ip, struct interp_thread **all, uint32_t n)
{
	const struct ir_inst *in = waits_at(all[0]);
	const struct mma_kind *kind = &mma_kinds[in->sub];
	struct mma_registers r = mma_registers(kind);
	struct mma_metadata metadata = {.selector = (uint32_t)in->imm};
	mma_fragment a = {{0}}, b = {{0}}, c = {{0}}, d;

	for (uint32_t k = 0; k < n; k++) {
		uint32_t lane = all[k]->index % ip->launch->warp_lanes;
		const ir_val *arg = in->args;

		for (uint32_t w = 0; w < r.a; w++)
			a[w][lane] = all[k]->values[*arg++].bits;
		for (uint32_t w = 0; w < r.b; w++)
			b[w][lane] = all[k]->values[*arg++].bits;
		for (uint32_t w = 0; w < r.c; w++)
			c[w][lane] = all[k]->values[*arg++].bits;
		metadata.words[lane] = (uint32_t)all[k]->values[*arg].bits;
	}
	mma_eval(kind, a, b, c, &metadata, d);
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t w = 0; w < r.c; w++)
			all[k]->values[in->res + w] = (struct interp_value){
				.bits = d[w][all[k]->index % ip->launch->warp_lanes],
				.defined = true};
}

/* The lane that names a row of a matrix; NULL: it does not exist or has exited. */
static const struct interp_thread *lane_of_row(const struct interp *ip, struct interp_thread **all,
					       uint32_t n, uint32_t lane)
{
	for (uint32_t k = 0; k < n; k++)
		if (all[k]->index % ip->launch->warp_lanes == lane)
			return all[k];
	return NULL;
}

static void execute_loadmatrix(struct interp *ip, struct interp_thread **all, uint32_t n)
{
	const struct ir_inst *in = waits_at(all[0]);
	bool columns = in->sub == IR_MATRIX_COLUMNS;

	for (uint32_t k = 0; k < n; k++) {
		uint32_t lane = all[k]->index % ip->launch->warp_lanes;

		for (uint32_t m = 0; m < in->nres; m++) {
			struct interp_value *v = &all[k]->values[in->res + m];

			*v = (struct interp_value){.defined = true};
			for (uint32_t j = 0; j < 2; j++) {
				uint32_t near = lane / 4, far = lane % 4 * 2 + j;
				const struct interp_thread *from =
					lane_of_row(ip, all, n, 8 * m + (columns ? far : near));
				struct interp_value half = {0};

				if (from)
					half = interp_row_element(ip, from, in,
								  columns ? near : far);
				v->bits |= half.bits << 16 * j;
				v->defined &= half.defined;
			}
		}
	}
}

static void execute_warp_sync(struct interp *ip, struct interp_thread **all, uint32_t n)
{
	if (n && waits_at(all[0])->op == IR_LOADMATRIX) {
		execute_loadmatrix(ip, all, n);
		return;
	}
	if (n && waits_at(all[0])->op == IR_MMA_GROUP) {
		interp_mma_group(ip, all, n);
		return;
	}
	if (n && waits_at(all[0])->op == IR_MMA) {
		execute_mma(ip, all, n);
		return;
	}
	for (uint32_t k = 0; k < n; k++) {
		const struct ir_inst *in = waits_at(all[k]);

		if (in->op == IR_SHUFFLE)
			execute_shuffle(ip, all[k], in);
		else if (in->op == IR_VOTE)
			execute_vote(ip, all[k], in);
		else if (in->op == IR_MATCH_ANY || in->op == IR_MATCH_ALL)
			execute_match(ip, all[k], in, all, n);
		else if (in->op == IR_REDUCE)
			execute_reduce(all[k], in, all, n);
	}
}

/* The active lanes are known once no lane of the warp can run. */
static void release_active(struct interp *ip, struct interp_thread *t, bool *progress)
{
	uint32_t first = t->index - t->index % ip->launch->warp_lanes, active = 0, alive = 0, n = 0;
	struct interp_thread *all[INTERP_MAX_LANES];
	const struct ir_inst *in = ir_at(t->f, t->at);

	for (uint32_t lane = 0; lane < ip->launch->warp_lanes && first + lane < ip->nthreads;
	     lane++) {
		struct interp_thread *other = &ip->block->threads[first + lane];

		if (other->state == THREAD_READY)
			return;
		if (other->state != THREAD_EXITED)
			alive |= 1u << lane;
		if (!waits_at_same_site(t, other))
			continue;
		active |= 1u << lane;
		all[n++] = other;
	}
	for (uint32_t k = 0; k < n; k++) {
		all[k]->values[in->res] = (struct interp_value){
			.bits = in->op == IR_ALIVE ? alive : active, .defined = true};
		all[k]->at = in->next;
		all[k]->state = THREAD_READY;
	}
	*progress = true;
}

/* Executes the warp sync of t if all participants have arrived. */
static void release_warp_sync(struct interp *ip, struct interp_thread *t, bool *progress)
{
	struct interp_thread *all[INTERP_MAX_LANES];
	uint32_t n = 0;

	if (waits_at(t)->op == IR_ACTIVE || waits_at(t)->op == IR_ALIVE) {
		release_active(ip, t, progress);
		return;
	}
	for (uint32_t lane = 0; lane < ip->launch->warp_lanes; lane++) {
		struct interp_thread *p = participant(ip, t, lane);

		if (p && !waits_at_same_sync(t, p))
			return;
		if (p)
			all[n++] = p;
	}
	execute_warp_sync(ip, all, n);
	for (uint32_t k = 0; k < n; k++) {
		all[k]->at = waits_at(all[k])->next;
		all[k]->state = THREAD_READY;
	}
	*progress = true;
}

/* ---- barriers ---- */

static uint32_t live_threads(const struct interp *ip)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < ip->nthreads; k++)
		n += ip->block->threads[k].state != THREAD_EXITED;
	return n;
}

static bool at_barrier(const struct interp_thread *t)
{
	uint8_t op = ir_at(t->f, t->at)->op;

	return t->state == THREAD_WAITS && (op == IR_BARRIER || op == IR_BARRIER_RED);
}

static bool at_cluster_barrier(const struct interp_thread *t)
{
	return t->state == THREAD_WAITS && ir_at(t->f, t->at)->op == IR_CLUSTER_BARRIER;
}

static void write_barrier_result(struct interp_thread *t, const struct interp_barrier *b)
{
	const struct ir_inst *in = ir_at(t->f, t->at);
	uint64_t result = in->sub == IR_BARRIER_AND  ? b->votes == b->arrived
			  : in->sub == IR_BARRIER_OR ? b->votes != 0
						     : b->votes;

	if (in->op == IR_BARRIER_RED)
		t->values[in->res] = (struct interp_value){.bits = result, .defined = true};
}

/* Lanes that count as arrived because their warp did. A barrier counts whole warps: a warp has
 * arrived when those of its threads that have not exited have (PTX manual, barrier). So exited
 * lanes, and lanes beyond the end of the block, count if another lane of their warp arrived. */
static uint32_t missing_lanes(const struct interp *ip, uint32_t number)
{
	uint32_t n = 0, lanes = ip->launch->warp_lanes;

	for (uint32_t first = 0; first < ip->nthreads; first += lanes) {
		uint32_t missing = 0, arrived = 0;

		for (uint32_t k = first; k < first + lanes; k++) {
			bool here = k < ip->nthreads && ip->block->threads[k].arrived >> number & 1;

			arrived += here;
			missing += !here && (k >= ip->nthreads ||
					     ip->block->threads[k].state == THREAD_EXITED);
		}
		n += arrived ? missing : 0;
	}
	return n;
}

static bool release_barrier(struct interp *ip, uint32_t number)
{
	struct interp_barrier *b = &ip->block->barriers[number];

	if (!b->arrived || (b->threads ? b->arrived + missing_lanes(ip, number) < b->threads
				       : b->arrived < live_threads(ip)))
		return false;
	for (uint32_t n = 0; n < ip->nthreads; n++) {
		struct interp_thread *t = &ip->block->threads[n];

		t->arrived &= ~(1u << number);
		if (!at_barrier(t) || t->barrier != number)
			continue;
		write_barrier_result(t, b);
		t->at = ir_at(t->f, t->at)->next;
		t->state = THREAD_READY;
	}
	*b = (struct interp_barrier){0};
	return true;
}

static bool arrive_at_barrier(struct interp *ip, struct interp_thread *t, const struct ir_inst *in)
{
	uint64_t number = t->values[in->args[0]].bits, threads = 0;
	bool votes = in->op == IR_BARRIER_RED;
	struct interp_barrier *b;

	for (uint32_t k = 0; k < in->nargs; k++)
		if (!t->values[in->args[k]].defined)
			return interp_fail(ip, t, "argument %u is undefined", k + 1);
	if (number >= INTERP_BARRIERS)
		return interp_fail(ip, t, "barrier %llu, but there are 0 to %d",
				   (unsigned long long)number, INTERP_BARRIERS - 1);
	if (in->nargs == 2u + votes) {
		threads = t->values[in->args[1 + votes]].bits;
		if (!threads || threads % ip->launch->warp_lanes)
			return interp_fail(ip, t, "%llu threads are not a number of whole warps",
					   (unsigned long long)threads);
	}
	b = &ip->block->barriers[number];
	if (b->arrived && b->threads != threads)
		return interp_fail(ip, t, "threads disagree on the thread count of barrier %llu",
				   (unsigned long long)number);
	b->threads = (uint32_t)threads;
	b->arrived++;
	t->arrived |= 1u << number;
	b->votes += votes && t->values[in->args[1]].bits;
	if (!votes && in->sub == IR_BARRIER_ARRIVE) {
		t->at = in->next;
	} else {
		t->barrier = (uint32_t)number;
		t->state = THREAD_WAITS;
	}
	release_barrier(ip, (uint32_t)number); /* before a thread arrives for the next phase */
	return true;
}

/* ---- the cluster's barrier ---- */

static bool arrive_at_cluster(struct interp *ip, struct interp_thread *t, const struct ir_inst *in)
{
	bool waits = in->sub == IR_CLUSTER_WAIT;

	if (waits != t->at_cluster)
		return interp_fail(ip, t,
				   waits ? "waits at the cluster's barrier without arriving"
					 : "arrives twice at the cluster's barrier");
	if (waits) {
		t->state = THREAD_WAITS;
		return true;
	}
	t->at_cluster = true;
	t->cluster_phase = ip->cluster_phase;
	ip->cluster_arrived++;
	t->at = in->next;
	return true;
}

/* Threads that have exited count as arrived. */
static void end_cluster_phase(struct interp *ip)
{
	uint32_t expected = 0;

	for (uint32_t k = 0; k < ip->nblocks; k++)
		for (uint32_t n = 0; n < ip->nthreads; n++) {
			const struct interp_thread *t = &ip->blocks[k].threads[n];
			bool arrived = t->at_cluster && t->cluster_phase == ip->cluster_phase;

			expected += t->state != THREAD_EXITED || arrived;
		}
	if (!ip->cluster_arrived || ip->cluster_arrived < expected)
		return;
	ip->cluster_phase++;
	ip->cluster_arrived = 0;
}

static void release_from_cluster(struct interp *ip, struct interp_thread *t, bool *progress)
{
	if (t->cluster_phase == ip->cluster_phase)
		end_cluster_phase(ip);
	if (t->cluster_phase == ip->cluster_phase)
		return;
	t->at_cluster = false;
	t->at = ir_at(t->f, t->at)->next;
	t->state = THREAD_READY;
	*progress = true;
}

/* ---- interface ---- */

bool interp_arrive(struct interp *ip, struct interp_thread *t, const struct ir_inst *in)
{
	if (in->op == IR_CLUSTER_BARRIER)
		return arrive_at_cluster(ip, t, in);
	return in->op == IR_BARRIER || in->op == IR_BARRIER_RED ? arrive_at_barrier(ip, t, in)
								: arrive_at_warp_sync(ip, t, in);
}

void interp_release(struct interp *ip, bool *progress)
{
	for (uint32_t n = 0; n < ip->nthreads; n++) {
		struct interp_thread *t = &ip->block->threads[n];

		if (at_cluster_barrier(t))
			release_from_cluster(ip, t, progress);
		else if (t->state == THREAD_WAITS && !at_barrier(t))
			release_warp_sync(ip, t, progress);
	}
	for (uint32_t k = 0; k < INTERP_BARRIERS; k++)
		*progress |= release_barrier(ip, k);
}

/* No thread is ready, and at least one waits. */
bool interp_deadlock(struct interp *ip)
{
	struct interp_thread *t = ip->block->threads;
	const struct interp_barrier *b;

	while (t->state != THREAD_WAITS)
		t++;
	if (at_barrier(t)) {
		b = &ip->block->barriers[t->barrier];
		return interp_fail(ip, t, "deadlock: %u of %u threads are at barrier %u",
				   b->arrived, b->threads ? b->threads : live_threads(ip),
				   t->barrier);
	}
	if (at_cluster_barrier(t))
		return interp_fail(ip, t,
				   "deadlock: %u threads are at the cluster's barrier, and not all "
				   "of the others can reach it",
				   ip->cluster_arrived);
	for (uint32_t lane = 0; lane < ip->launch->warp_lanes; lane++) {
		struct interp_thread *p = participant(ip, t, lane);

		if (!p || waits_at_same_sync(t, p))
			continue;
		if (waits_at_same_site(t, p))
			return interp_fail(ip, t, "its members are 0x%x, but lane %u has 0x%x",
					   member_mask(t, waits_at(t)), lane,
					   member_mask(p, waits_at(p)));
		return interp_fail(ip, t, "deadlock: lane %u, a member, waits at '%s'", lane,
				   ir_text_inst(p->f, p->at));
	}
	return interp_fail(ip, t, "deadlock");
}
