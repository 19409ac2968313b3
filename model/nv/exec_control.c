// SPDX-License-Identifier: MIT
/* Control flow and divergence. The active lanes of a warp are a group with one pc: a divergent
 * branch splits it. The side with fewer lanes runs first, or the next instruction if both have as
 * many, and the side that became ready last runs next: the order in which an H200 started groups
 * (tests/silicon/convergence.sh). Groups that reach the same instruction stay separate, as on
 * hardware, until their lanes reconverge at BSYNC (all lanes in the convergence barrier) or at
 * WARPSYNC (all lanes of the member mask, each with the same mask).
 *
 * A convergence barrier is a lane mask; each lane keeps the copy that it helped set. A barrier that
 * all its lanes have reached is cleared, and BSYNC does not block a lane that is not in its barrier
 * (measured on an H200 by tests/silicon/convergence.sh; NVIDIA's patent US 10,067,768 describes
 * it). On hardware a warp has one copy, to which BSSY adds lanes, and a group runs until it blocks,
 * yields or ends; here groups alternate, and copies of their own keep their barriers separate. BAR
 * synchronises the threads of the block, and a warp counts as arrived as soon as one of its groups
 * arrives.
 *
 * Lanes reconverge at WARPSYNC only at the same instruction: on an H200, lanes that wait at two
 * WARPSYNCs never continue. WARPSYNC.COLLECTIVE serves that case: the lanes continue together at
 * one of the sites up to ENDCOLLECTIVE, which returns each to its own site. Which site hardware
 * chooses is not known; in code of ptxas they are identical. */
#include <sched.h>
#include <string.h>

#include "model/nv/exec.h"

const uint32_t lane_bit[LANES] = {
#define EIGHT(n) \
	1u << (n), 2u << (n), 4u << (n), 8u << (n), 16u << (n), 32u << (n), 64u << (n), 128u << (n)
	EIGHT(0),
	EIGHT(8),
	EIGHT(16),
	EIGHT(24),
#undef EIGHT
};

static inline void set_lanes(uint32_t *d, uint32_t lanes, uint32_t value)
{
	EACH_LANE(i)
		d[i] = lanes & lane_bit[i] ? value : d[i];
}

static inline void set_lanes64(uint64_t *d, uint32_t lanes, uint64_t value)
{
	EACH_LANE(i)
		d[i] = lanes & lane_bit[i] ? value : d[i];
}

static void make_ready(struct warp *w, uint32_t lanes, uint64_t pc)
{
	set_lanes64(w->lane_pc, lanes, pc);
	set_lanes64(w->ready_since, lanes, w->readied);
	set_lanes(w->group, lanes, lanes);
	w->readied++;
	w->ready |= lanes;
	w->mask &= ~lanes;
}

bool warp_schedule(struct warp *w, bool rotate)
{
	uint32_t lane = LANES, group;

	if (w->mask)
		make_ready(w, w->mask, w->pc);
	if (!w->ready)
		return false;
	/* Mostly all ready lanes are one group. */
	if (w->ready && w->group[first_lane(w->ready)] == w->ready)
		lane = first_lane(w->ready);
	for (uint32_t i = lane == LANES ? 1 : LANES + 1; i <= LANES; i++) {
		uint32_t candidate = (w->leader + i) % LANES;

		if (!(w->ready >> candidate & 1))
			continue;
		if (lane == LANES || (!rotate && w->ready_since[candidate] > w->ready_since[lane]))
			lane = candidate;
	}
	if (lane == LANES)
		return false;
	group = w->group[lane];
	w->leader = 31u - (uint32_t)__builtin_clz(group);
	w->ready &= ~group;
	w->late &= ~group;
	w->mask = group;
	w->pc = w->lane_pc[lane];
	return true;
}

/* Moves lanes to a pc: the smaller group stays active, the other becomes ready. */
static void branch_to(struct warp *w, uint32_t lanes, uint64_t pc)
{
	uint32_t others = w->mask & ~lanes;

	if (!lanes)
		return;
	if (!others) {
		w->next = pc;
	} else if (__builtin_popcount(lanes) < __builtin_popcount(others)) {
		make_ready(w, others, w->next);
		w->next = pc;
	} else {
		make_ready(w, lanes, pc);
	}
}

/* Moves each lane to its own address. */
static void branch_each(struct warp *w, uint32_t lanes, const uint64_t *pc)
{
	uint32_t rest = w->mask & ~lanes;

	while (lanes) {
		uint64_t to = pc[first_lane(lanes)];
		uint32_t same = 0;

		for (uint32_t i = 0; i < LANES; i++)
			if (lanes >> i & 1 && pc[i] == to)
				same |= 1u << i;
		lanes &= ~same;
		if (!lanes && !rest) {
			w->next = to;
			return;
		}
		make_ready(w, same, to);
	}
}

/* Blocked lanes. */

void block_lanes(struct warp *w, uint32_t lanes, enum wait kind, uint32_t on)
{
	uint64_t pc = w->pc;

	if (lanes == ALL_LANES) {
		EACH_LANE(i)
			w->lane_pc[i] = pc;
		row_splat(w->group, lanes);
		memset(w->wait, kind, sizeof(w->wait));
		row_splat(w->wait_on, on);
		w->mask = 0;
		return;
	}
	set_lanes64(w->lane_pc, lanes, pc);
	set_lanes(w->group, lanes, lanes);
	set_lanes(w->wait_on, lanes, on);
	for (uint32_t left = lanes; left; left &= left - 1)
		w->wait[first_lane(left)] = (uint8_t)kind;
	w->mask &= ~lanes;
}

void release_lanes(struct warp *w, uint32_t lanes)
{
	uint64_t readied = w->readied;

	if (lanes == ALL_LANES) {
		EACH_LANE(i)
			w->lane_pc[i] += WORD_BYTES;
		EACH_LANE(i)
			w->ready_since[i] = readied;
		memset(w->wait, WAIT_NOTHING, sizeof(w->wait));
	}
	for (uint32_t i = 0; i < LANES && lanes != ALL_LANES; i++) {
		if (!(lanes >> i & 1))
			continue;
		w->lane_pc[i] += WORD_BYTES;
		w->wait[i] = WAIT_NOTHING;
		w->ready_since[i] = readied;
	}
	w->readied++;
	w->ready |= lanes;
}

/* Lanes that waited for each other at one instruction form one group from here on. */
static void form_group(struct warp *w, uint32_t lanes)
{
	while (lanes) {
		uint64_t pc = w->lane_pc[first_lane(lanes)];
		uint32_t same = 0;

		EACH_LANE(i)
			same |= w->lane_pc[i] == pc ? lane_bit[i] : 0;
		same &= lanes;
		set_lanes(w->group, same, same);
		lanes &= ~same;
	}
}

/* Returns the lanes that a blocked lane waits for, besides itself. */
static uint32_t lanes_waited_for(const struct warp *w, uint32_t lane)
{
	uint32_t need = w->wait[lane] == WAIT_BSYNC ? w->rare.breg[w->wait_on[lane]][lane]
						    : w->wait_on[lane];

	return (need & w->live) | 1u << lane;
}

/* True if two lanes wait at the same sync. A lane with another WARPSYNC member mask, or at another
 * WARPSYNC, has not arrived; nor has a lane whose B register a called function uses for other
 * lanes. */
static bool same_sync(const struct warp *w, uint32_t a, uint32_t b)
{
	if (w->wait[a] != w->wait[b] || w->wait_on[a] != w->wait_on[b])
		return false;
	if (w->wait[a] == WAIT_WARPSYNC)
		return w->lane_pc[a] == w->lane_pc[b];
	return w->wait[a] != WAIT_BSYNC || lanes_waited_for(w, a) == lanes_waited_for(w, b);
}

static uint32_t lanes_at_same_sync(const struct warp *w, uint32_t lane)
{
	uint32_t same = 0;

	if (w->wait[lane] == WAIT_BSYNC) { /* as below, in vectors */
		uint32_t on = w->wait_on[lane], need = lanes_waited_for(w, lane), live = w->live;
		const uint32_t *breg = w->rare.breg[on];

		EACH_LANE(i)
			same |= ((w->wait_on[i] ^ on) | (((breg[i] & live) | lane_bit[i]) ^ need))
					? 0
					: lane_bit[i];
		for (uint32_t i = 0; i < LANES; i++)
			if (w->wait[i] != WAIT_BSYNC)
				same &= ~(1u << i);
		return same & live;
	}
	for (uint32_t i = 0; i < LANES; i++)
		if (same_sync(w, i, lane))
			same |= 1u << i;
	return same & w->live;
}

/* Lanes at several WARPSYNC.COLLECTIVE sites continue at the lowest one. */
static void gather_collective(struct warp *w, uint32_t lanes)
{
	uint64_t first = UINT64_MAX;

	for (uint32_t i = 0; i < LANES; i++)
		if (lanes >> i & 1 && w->lane_pc[i] < first)
			first = w->lane_pc[i];
	for (uint32_t i = 0; i < LANES; i++)
		if (lanes >> i & 1)
			w->lane_pc[i] = first;
}

/* Lanes whose copy of the barrier is that of a lane at BSYNC and was not saved by BMOV. */
static uint32_t lanes_with_same_copy(const struct warp *w, uint32_t lane)
{
	const uint32_t *breg = w->rare.breg[w->wait_on[lane]];
	uint32_t same = 0, first = breg[lane], live = w->live;

	EACH_LANE(i)
		same |= ((breg[i] ^ first) & live) ? 0 : lane_bit[i];
	return same & ~w->moved[w->wait_on[lane]];
}

/* Returns the lanes that may continue with a blocked lane; 0: none yet. BSYNC does not wait for
 * lanes that have executed YIELD or NANOSLEEP and have not run since (measured on an H200 by
 * tests/silicon/convergence.sh), nor for lanes that WARPSYNC or, in hazard mode, BREAK has released
 * and that have not run since: lanes of another mask, or that have left the barrier, run first
 * then, and on an H200 these passed a BSYNC for all of them in two random kernels. ptxas has a
 * WARPSYNC after such a BSYNC. In the case "BREAK, then another" of convergence.sh the H200 did
 * wait for released lanes; what decides is not known, and WARPSYNC was not measured in isolation.
 * If BMOV has saved the register since BSSY, the other lanes cannot know which lanes left, so all
 * wait. */
static uint32_t releasable_lanes(const struct warp *w, uint32_t lane)
{
	uint32_t need = lanes_waited_for(w, lane), here = need & lanes_at_same_sync(w, lane),
		 missing = need & ~here;

	if (w->wait[lane] == WAIT_BSYNC && !(w->moved[w->wait_on[lane]] >> lane & 1))
		missing &= ~(w->late & lanes_with_same_copy(w, lane));
	return missing ? 0 : here;
}

/* Removes lanes from the convergence barriers that they helped set: the others no longer wait for
 * them. */
static void leave_barrier(uint32_t *breg, uint32_t lanes, uint32_t others)
{
	EACH_LANE(i)
		breg[i] &= others & lane_bit[i] ? ~lanes : ALL_LANES;
}

/* True if two lanes wait at BSYNC for the same lanes by the same copy of the barrier: then both may
 * continue, or neither. */
static bool same_bsync(const struct warp *w, uint32_t a, uint32_t b)
{
	uint32_t on = w->wait_on[a], copy = w->rare.breg[on & (BREGS - 1)][a];

	return w->wait[a] == WAIT_BSYNC && w->wait[b] == WAIT_BSYNC && w->wait_on[b] == on &&
	       w->rare.breg[on][b] == copy && copy >> a & 1 && copy >> b & 1 &&
	       !((w->moved[on] >> a ^ w->moved[on] >> b) & 1);
}

/* Releases lanes that wait with lane i and may continue. */
static void release_group(struct warp *w, uint32_t i, uint32_t go)
{
	uint32_t *breg = w->rare.breg[w->wait_on[i] & (BREGS - 1)];

	if (w->wait[i] == WAIT_BSYNC) {
		leave_barrier(breg, go, lanes_waited_for(w, i) & ~go);
		set_lanes(breg, go, 0);
	} else if (w->wait[i] == WAIT_WARPSYNC) {
		w->late |= go;
	} else {
		gather_collective(w, go);
	}
	form_group(w, go);
	release_lanes(w, go);
}

/* Releases every lane whose wait is over: after an arrival, a BREAK or an exit. */
static void release_waiters(struct warp *w)
{
	uint32_t blocked = LANES; /* a lane that must wait; LANES: not known */

	for (uint32_t i = 0; i < LANES; i++) {
		uint32_t go;

		if (!(w->live >> i & 1) || w->wait[i] == WAIT_NOTHING || w->wait[i] == WAIT_BAR ||
		    w->wait[i] == WAIT_CLUSTER)
			continue;
		if (blocked < LANES && same_bsync(w, blocked, i))
			continue;
		go = releasable_lanes(w, i);
		blocked = go ? LANES : i;
		if (go)
			release_group(w, i, go);
	}
}

/* Barriers of the block. */

/* Returns the number of arrived threads. A warp counts as a whole as soon as any of its lanes
 * arrives: an H200 lets a block continue while divergent lanes of a warp have not arrived, and
 * where PTX has a barrier for single threads (barrier.sync without .aligned) ptxas emits a WARPSYNC
 * of all lanes before it. A barrier for all threads waits for live threads; one with a thread count
 * also counts threads that arrived and exited. */
static uint32_t bar_arrived_threads(const struct cta *c, uint32_t bar, bool counted)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->grid->warps; i++) {
		const struct warp *w = &c->warps[i];
		uint32_t here = w->arrived[bar];

		if ((counted && here) || (here & w->live && w->live == ALL_LANES))
			n += LANES;
		else if (here & w->live)
			n += (uint32_t)__builtin_popcount(w->live);
	}
	return n;
}

/* All live lanes of a warp wait at a barrier as one group: only the first one's state says so. */
static void block_warp(struct warp *w, uint32_t bar)
{
	uint32_t lane = first_lane(w->live);

	w->lane_pc[lane] = w->pc;
	w->group[lane] = w->live;
	w->wait[lane] = WAIT_BAR;
	w->wait_on[lane] = bar;
	w->mask = 0;
}

/* Continues such a warp as warp_schedule() would; false: it is none. */
static bool release_warp(struct warp *w, uint32_t bar)
{
	uint32_t lane = w->live ? first_lane(w->live) : 0;

	if (!w->live || w->wait[lane] != WAIT_BAR || w->wait_on[lane] != bar ||
	    w->group[lane] != w->live)
		return false;
	memset(w->wait, WAIT_NOTHING, sizeof(w->wait));
	w->readied++;
	w->leader = 31u - (uint32_t)__builtin_clz(w->live);
	w->late &= ~w->live;
	w->mask = w->live;
	w->pc = w->lane_pc[lane] + WORD_BYTES;
	return true;
}

/* Completes a barrier and returns the result of its vote. */
static uint32_t bar_complete(struct cta *c, uint32_t bar)
{
	uint32_t votes = c->bar[bar].votes, voters = c->bar[bar].voters, result;

	result = c->bar[bar].kind == SASS_BAR_RED_POPC  ? votes
		 : c->bar[bar].kind == SASS_BAR_RED_AND ? (votes == voters ? ALL_LANES : 0)
							: (votes ? ALL_LANES : 0);
	for (uint32_t i = 0; i < c->grid->warps; i++) {
		struct warp *w = &c->warps[i];
		uint32_t lanes = 0;

		if (!w->arrived[bar])
			continue;
		w->arrived[bar] = 0;
		if (release_warp(w, bar)) {
			lanes = w->live;
		} else {
			EACH_LANE(l)
				lanes |= (uint32_t)((w->wait[l] == WAIT_BAR) &
						    (w->wait_on[l] == bar))
					 << l;
			release_lanes(w, lanes);
		}
		if (lanes)
			w->bar_result = result;
		if (lanes && c->check)
			check_barrier_leave(c->check, i, bar);
	}
	c->bar[bar].expected = c->bar[bar].votes = c->bar[bar].voters = 0;
	if (c->check)
		check_barrier_complete(c->check, bar);
	return result;
}

static bool bar_is_complete(const struct cta *c, uint32_t bar)
{
	uint32_t expected = c->bar[bar].expected;
	uint32_t here = bar_arrived_threads(c, bar, expected);

	return here && here >= (expected ? expected : c->live);
}

/* A lane's value of source i. */
static uint32_t source_of_lane(struct warp *w, const struct op *op, uint32_t i, uint32_t lane)
{
	uint32_t space[2 * LANES];

	if (op->s[i].kind == SOURCE_IMMEDIATE)
		return op->s[i].value;
	return fetch_source(w, op, i, space)[lane];
}

static void check_arrival(struct warp *w, uint32_t bar, uint32_t mask)
{
	if (w->live & ~mask)
		check_barrier_divergent(w->cta->check, w->index, w->pc, bar, mask, w->live & ~mask);
	check_barrier_arrive(w->cta->check, w->index, bar);
}

static void run_bar(struct warp *w, const struct op *op, uint32_t mask)
{
	uint32_t lane = mask ? first_lane(mask) : 0, kind = op->data[0];
	uint32_t bar = source_of_lane(w, op, 0, lane), count = source_of_lane(w, op, 1, lane);
	uint32_t votes = pred_read(w, op, 0);

	if (!mask)
		return;
	if (op->data[1]) { /* ptxas packs both into one register */
		bar &= 0xf;
		count = count >> 16 & 0xfff;
	}
	if (bar >= w->grid->barriers) {
		warp_fault(w, lane, MODEL_FAULT_BARRIER, w->pc,
			   "barrier %u, but the launch descriptor allocates %u barriers", bar,
			   w->grid->barriers);
		return;
	}
	if (count % LANES) {
		warp_fault(w, lane, MODEL_FAULT_BARRIER, w->pc,
			   "barrier %u for %u threads, which is not a multiple of 32", bar, count);
		return;
	}
	if (w->hazard && w->live & ~mask) {
		warp_fault(
			w, lane, MODEL_FAULT_HAZARD, w->pc,
			"+0x%llx: barrier %u is reached by lanes 0x%x of a warp but not by 0x%x; "
			"hardware "
			"counts the whole warp as arrived and does not wait for them",
			(unsigned long long)(w->pc - w->grid->work.program), bar, mask,
			w->live & ~mask);
		return;
	}
	if (w->weak) /* a barrier orders memory in the block */
		weak_publish(w->weak, w->index);
	if (w->cta->check)
		check_arrival(w, bar, mask);
	w->arrived[bar] |= mask;
	w->cta->bar[bar].expected = count;
	w->cta->bar[bar].kind = (uint8_t)kind;
	w->cta->bar[bar].votes += (uint32_t)__builtin_popcount(votes & mask);
	w->cta->bar[bar].voters += (uint32_t)__builtin_popcount(mask);
	/* The last group to arrive continues immediately, before divergent lanes of its warp. */
	if (bar_is_complete(w->cta, bar)) {
		if (w->cta->check && kind != SASS_BAR_ARV)
			check_barrier_leave(w->cta->check, w->index, bar);
		w->bar_result = bar_complete(w->cta, bar);
	} else if (kind != SASS_BAR_ARV && mask == w->live) {
		block_warp(w, bar);
	} else if (kind != SASS_BAR_ARV) {
		block_lanes(w, mask, WAIT_BAR, bar);
	}
}

static void run_b2r(struct warp *w, const struct op *op, uint32_t mask)
{
	uint32_t row[LANES];

	row_splat(row, w->bar_result);
	row_blend(w->r[op->d], row, mask);
	pred_write(w, op->p[0], w->bar_result ? ALL_LANES : 0, mask);
}

/* Convergence. */

static void run_bssy(struct warp *w, const struct op *op, uint32_t mask)
{
	uint32_t row[LANES];

	row_splat(row, mask & pred_read(w, op, 0));
	row_blend(w->rare.breg[op->breg], row, mask);
	w->moved[op->breg] &= ~mask;
	w->rare_written = true;
}

static void run_bsync(struct warp *w, const struct op *op, uint32_t mask)
{
	uint32_t *breg = w->rare.breg[op->breg], members = 0, different = 0, first, lane;

	mask &= pred_read(w, op, 0);
	EACH_LANE(i)
		members |= breg[i] & lane_bit[i];
	mask &= members;
	if (!mask)
		return;
	lane = first_lane(mask);
	first = breg[lane];
	EACH_LANE(i)
		different |= breg[i] != first ? lane_bit[i] : 0;
	different &= mask;
	/* All lanes have arrived. */
	if (!different && mask == w->mask && !(first & w->live & ~mask)) {
		set_lanes(breg, mask, 0);
		return;
	}
	block_lanes(w, mask, WAIT_BSYNC, op->breg);
	/* Without late lanes and saved barriers, only those that wait with these can continue. */
	if (!different && !w->late && !w->moved[op->breg]) {
		uint32_t runs = first & (w->mask | w->ready),
			 go = runs ? 0 : releasable_lanes(w, lane);

		if (go)
			release_group(w, lane, go);
		return;
	}
	release_waiters(w);
}

/* Removes a lane from the barrier that it helped set. Other lanes may by then use the register
 * for something else: ptxas reserves one (B11) for functions and saves the caller's value in
 * R registers. */
/* Lanes that BREAK has released may run before those that executed it go on: on an H200 they
 * overwrote a uniform register that these were about to read. Hazard mode tries both orders. */
static void run_released_first(struct warp *w, uint32_t released)
{
	make_ready(w, w->mask, w->next);
	EACH_LANE(i)
		if (released >> i & 1)
			w->ready_since[i] = w->readied;
	w->readied++;
}

static void run_break(struct warp *w, const struct op *op, uint32_t mask)
{
	uint32_t leaving = mask & pred_read(w, op, 0), *breg = w->rare.breg[op->breg];
	uint32_t ready = w->ready, released;

	for (uint32_t k = 0; k < LANES; k++)
		if (leaving >> k & 1)
			leave_barrier(breg, 1u << k, breg[k]);
	if (leaving)
		release_waiters(w);
	released = w->ready & ~ready;
	if (!w->hazard)
		return;
	w->late |= released;
	if (released && w->clock & 1)
		run_released_first(w, released);
}

static void run_bmov_read(struct warp *w, const struct op *op, uint32_t mask)
{
	uint32_t zero[LANES] = {0};

	row_blend(w->r[op->d], w->rare.breg[op->breg], mask);
	w->moved[op->breg] |= mask;
	if (op->data[0])
		row_blend(w->rare.breg[op->breg], zero, mask);
}

static void run_bmov_write(struct warp *w, const struct op *op, uint32_t mask)
{
	uint32_t space[2 * LANES];

	row_blend(w->rare.breg[op->breg], fetch_source(w, op, 0, space), mask);
	w->moved[op->breg] |= mask;
	w->rare_written = true;
}

/*
 * ptxas has WARPSYNC.EXCLUSIVE before votes whose members are not known to include the lane itself.
 * In HeCBench's bscan they do not, and differ between lanes; it ends on an H200, though it fails
 * its own check. What the instruction does where some members are elsewhere is not known: here the
 * lane waits for them.
 */
static void run_warpsync(struct warp *w, const struct op *op, uint32_t mask)
{
	uint32_t space[2 * LANES];
	const uint32_t *need = fetch_source(w, op, 0, space);
	bool exclusive = op->inst->mod[SASS_M_EXCLUSIVE];

	mask &= pred_read(w, op, 0);
	for (uint32_t i = 0; i < LANES; i++) {
		if (!(mask >> i & 1) || (exclusive && !(need[i] & ~mask)))
			continue;
		if (exclusive) {
			block_lanes(w, 1u << i, WAIT_WARPSYNC, need[i] | 1u << i);
			continue;
		}
		if (!(need[i] >> i & 1)) { /* seen on an H200 */
			warp_fault(w, i, MODEL_FAULT_ILLEGAL_INSTRUCTION, w->pc,
				   "illegal instruction WARPSYNC at +0x%llx: lane %u is not in its "
				   "member mask 0x%x",
				   (unsigned long long)(w->pc - w->grid->work.program), i, need[i]);
			return;
		}
		block_lanes(w, 1u << i, WAIT_WARPSYNC, need[i]);
	}
	release_waiters(w);
}

static void run_warpsync_all(struct warp *w, const struct op *op, uint32_t mask)
{
	block_lanes(w, mask & pred_read(w, op, 0), WAIT_WARPSYNC, ALL_LANES);
	release_waiters(w);
}

static void block_collective(struct warp *w, const struct op *op, uint32_t mask,
			     const uint32_t *need)
{
	mask &= pred_read(w, op, 0);
	w->rare_written = true;
	for (uint32_t i = 0; i < LANES; i++) {
		if (!(mask >> i & 1))
			continue;
		w->rare.collective[i] = w->next + (uint64_t)op->target;
		block_lanes(w, 1u << i, WAIT_COLLECTIVE, need[i]);
	}
	release_waiters(w);
}

static void run_collective(struct warp *w, const struct op *op, uint32_t mask)
{
	uint32_t space[2 * LANES];

	block_collective(w, op, mask, fetch_source(w, op, 0, space));
}

static void run_collective_all(struct warp *w, const struct op *op, uint32_t mask)
{
	uint32_t need[LANES];

	row_splat(need, ALL_LANES);
	block_collective(w, op, mask, need);
}

static void run_endcollective(struct warp *w, const struct op *op, uint32_t mask)
{
	branch_each(w, mask & pred_read(w, op, 0), w->rare.collective);
}

/* Branches. */

/* .U, .DIV and .CONV without a mask are hints. With .U.ANY all active lanes branch if one does:
 * ptxas ends loops with it that execute an instruction of the warp once for each lane, and lanes
 * that are done would diverge otherwise. */
static void run_bra(struct warp *w, const struct op *op, uint32_t mask)
{
	uint32_t lanes = mask & pred_read(w, op, 0);

	if (lanes && op->inst->mod[SASS_M_UNIFORM] == SASS_BRA_U_ANY)
		lanes = w->mask;
	branch_to(w, lanes, w->next + (uint64_t)op->target);
}

static void run_bra_uniform(struct warp *w, const struct op *op, uint32_t mask)
{
	branch_to(w, mask & pred_read(w, op, 0) & pred_read(w, op, 1),
		  w->next + (uint64_t)op->target);
}

/* BRA.DIV branches if lanes of the mask are not active, BRA.CONV if all are; all active lanes
 * branch, and lanes with a false guard count as not active. ptxas emits "R2UR P0, URZ, Ra; @!P0
 * BRA.DIV" where lanes may have different masks in Ra, and each of these lanes must reach the code
 * for that case. */
static void run_bra_mask(struct warp *w, const struct op *op, uint32_t mask)
{
	uint32_t want = w->ur[op->s[0].row] ^ op->s[0].flip;
	bool diverged = want & w->live & ~(mask & pred_read(w, op, 0));

	if (diverged == (op->inst->mod[SASS_M_UNIFORM] == SASS_BRA_DIV))
		branch_to(w, w->mask, w->next + (uint64_t)op->target);
}

/* Register pair plus target: indirect branches, calls and returns. */
static void jump_register(struct warp *w, const struct op *op, uint32_t mask, uint64_t from)
{
	uint32_t space[2 * LANES];
	const uint32_t *a = fetch_source(w, op, 0, space);
	uint64_t pc[LANES];

	for (uint32_t i = 0; i < LANES; i++)
		pc[i] = from + (uint64_t)op->target + ((uint64_t)a[LANES + i] << 32 | a[i]);
	branch_each(w, mask & pred_read(w, op, 0), pc);
}

static void run_jump_register(struct warp *w, const struct op *op, uint32_t mask)
{
	jump_register(w, op, mask, w->next);
}

static void run_jump_absolute(struct warp *w, const struct op *op, uint32_t mask)
{
	jump_register(w, op, mask, 0);
}

static void run_call(struct warp *w, const struct op *op, uint32_t mask)
{
	branch_to(w, mask & pred_read(w, op, 0), (uint64_t)op->target);
}

/* A code address: of the instruction itself, or of the target. */
static void run_lepc(struct warp *w, const struct op *op, uint32_t mask)
{
	uint64_t at = op->inst->op == SASS_LEPC ? w->pc : w->next + (uint64_t)op->target;
	uint32_t row[LANES];

	row_splat(row, (uint32_t)at);
	row_blend(w->r[op->d], row, mask);
	row_splat(row, (uint32_t)(at >> 32));
	row_blend(w->r[op->d + 1], row, mask);
}

static void run_exit(struct warp *w, const struct op *op, uint32_t mask)
{
	mask &= pred_read(w, op, 0);
	if (!mask)
		return;
	w->live &= ~mask;
	w->mask &= ~mask;
	w->cta->live -= (uint32_t)__builtin_popcount(mask);
	if (w->live)
		release_waiters(w);
	for (uint32_t bar = 0; bar < w->grid->barriers; bar++)
		if (bar_is_complete(w->cta, bar))
			bar_complete(w->cta, bar);
	cluster_complete(w->cta->cluster);
}

static void run_sleep(struct warp *w, const struct op *op, uint32_t mask)
{
	(void)op;
	if (mask) {
		w->late |= mask;
		release_waiters(w);
		w->halt |= HALT_YIELD;
		sched_yield();
	}
}

void run_nothing(struct warp *w, const struct op *op, uint32_t mask)
{
	(void)w;
	(void)op;
	(void)mask;
}

static void run_bpt(struct warp *w, const struct op *op, uint32_t mask)
{
	if (mask)
		warp_fault(w, first_lane(mask), MODEL_FAULT_TRAP, w->pc, "trap (BPT %lld)",
			   (long long)op->imm[0]);
}

static const char *prepare_bar(struct op *op, const struct sass_inst *in)
{
	op->data[0] = in->mod[SASS_M_BAR];
	op->data[1] = in->ops[1].kind == SASS_GPR && in->ops[0].kind == SASS_GPR;
	return NULL;
}

static const char *prepare_bmov(struct op *op, const struct sass_inst *in)
{
	op->data[0] = in->mod[SASS_M_CLEAR];
	return NULL;
}

static const char *prepare_call(struct op *op, const struct sass_inst *in)
{
	(void)op;
	return in->mod[SASS_M_NODEC] ? NULL : "the hardware call stack is not modelled";
}

const struct op_row rows_control[] = {
	{SASS_BRA, "xt", run_bra, NULL, NULL},
	{SASS_BRA_UREG, "xst", run_bra_mask, NULL, NULL},
	{SASS_BRA_UPRED, "xxt", run_bra_uniform, NULL, NULL},
	{SASS_BRX, "xSt", run_jump_register, NULL, NULL},
	{SASS_BRXU, "xSt", run_jump_register, NULL, NULL},
	{SASS_CALL_REL, "xt", run_bra, NULL, prepare_call},
	{SASS_CALL_REL_REG, "xSt", run_jump_register, NULL, prepare_call},
	{SASS_RET_REL, "xSt", run_jump_register, NULL, prepare_call},
	{SASS_CALL_ABS, "xt", run_call, NULL, prepare_call},
	{SASS_CALL_ABS_REG, "xSt", run_jump_absolute, NULL, prepare_call},
	{SASS_RET_ABS, "xSt", run_jump_absolute, NULL, prepare_call},
	{SASS_LEPC, "D", run_lepc, NULL, NULL},
	{SASS_LEPC_TARGET, "Dt", run_lepc, NULL, NULL},
	{SASS_BSSY, "btx", run_bssy, NULL, NULL},
	{SASS_BSYNC, "bx", run_bsync, NULL, NULL},
	{SASS_BREAK, "bx", run_break, NULL, NULL},
	{SASS_BMOV_READ, "db", run_bmov_read, NULL, prepare_bmov},
	{SASS_BMOV_WRITE, "bs", run_bmov_write, NULL, NULL},
	{SASS_WARPSYNC, "xs", run_warpsync, NULL, NULL},
	{SASS_WARPSYNC_ALL, "x", run_warpsync_all, NULL, NULL},
	{SASS_WARPSYNC_COLLECTIVE, "xst", run_collective, NULL, NULL},
	{SASS_WARPSYNC_COLLECTIVE_ALL, "xt", run_collective_all, NULL, NULL},
	{SASS_ENDCOLLECTIVE, "x", run_endcollective, NULL, NULL},
	{SASS_EXIT, "x", run_exit, NULL, NULL},
	{SASS_BAR, "ssx", run_bar, NULL, prepare_bar},
	{SASS_B2R, "dp", run_b2r, NULL, NULL},
	{SASS_YIELD, "x", run_sleep, NULL, NULL},
	{SASS_NANOSLEEP, "xs", run_sleep, NULL, NULL},
	{SASS_BPT, "i", run_bpt, NULL, NULL},
	{SASS_DEPBAR, "iii", run_nothing, NULL, NULL},
	{SASS_DEPBAR_SET, "i", run_nothing, NULL, NULL},
	{SASS_WARPGROUP_ARRIVE, "", run_nothing, NULL, NULL},
	{SASS_WARPGROUP_DEPBAR, "ii", run_nothing, NULL, NULL},
	{SASS_NOP, "", run_nothing, NULL, NULL},
	{SASS_ACQBULK, "", run_nothing, NULL, NULL}, /* grids start when they may (compute.c) */
	/* A hint: without it, dependent grids start when this one has ended. */
	{SASS_PREEXIT, "", run_nothing, NULL, NULL},
	OP_ROWS_END,
};
