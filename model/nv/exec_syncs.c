// SPDX-License-Identifier: MIT
/*
 * Barriers in shared memory (SM90). An object has 64 bits. Known from ptxas's code: bits 1 to 20
 * are 2^20 less the arrivals that a phase expects, bits 43 to 62 the same for those that are
 * missing, bit 63 is the phase. Bits 21 to 41 are the outstanding bytes, negated (tokens of an
 * H200, tests/silicon/mbarrier_objects.sh). Not known, and of no consequence for programs: here bit
 * 0 is set while only bytes are missing. Plain loads see the object here; on an H200 they see it
 * only after SYNCS.CCTL. Copies that arrive at a barrier have arrived when ARRIVES has executed.
 */
#include <string.h>

#include "model/nv/exec_memory.h"

#define COUNT_BITS    20
#define COUNT_MASK    0xfffffu
#define EXPECTED_BIT  1
#define BYTES_BIT     21
#define BYTES_MASK    0x1fffffu
#define MISSING_BIT   43
#define PHASE_BIT     63
#define ARRIVALS_MADE 1u

struct object {
	uint32_t expected, missing, bytes; /* bytes: modulo 2^21 */
	bool phase;
};

static struct object unpack_object(uint64_t bits)
{
	struct object o = {.phase = bits >> PHASE_BIT};

	o.expected = (1u << COUNT_BITS) - (bits >> EXPECTED_BIT & COUNT_MASK);
	o.missing =
		bits & ARRIVALS_MADE ? 0 : (1u << COUNT_BITS) - (bits >> MISSING_BIT & COUNT_MASK);
	o.bytes = -(uint32_t)(bits >> BYTES_BIT) & BYTES_MASK;
	return o;
}

static uint64_t pack_object(const struct object *o)
{
	return (uint64_t)(-o->expected & COUNT_MASK) << EXPECTED_BIT |
	       (uint64_t)(-o->bytes & BYTES_MASK) << BYTES_BIT |
	       (uint64_t)(-o->missing & COUNT_MASK) << MISSING_BIT |
	       (uint64_t)o->phase << PHASE_BIT | (o->missing ? 0 : ARRIVALS_MADE);
}

/* The host's addresses of the lanes' objects; false after a fault. */
static bool find_objects(struct warp *w, const struct op *op, uint32_t mask,
			 uint64_t address[LANES], uint8_t *at[LANES])
{
	struct access x = {.w = w, .space = op->data[0], .bytes = 8, .verb = "barrier"};

	lane_addresses(w, op, address);
	for (uint32_t i = 0; i < LANES; i++) {
		at[i] = mask >> i & 1 ? lane_pointer(&x, i, address[i]) : NULL;
		if (mask >> i & 1 && !at[i])
			return false;
	}
	return true;
}

static void end_phase(struct object *o)
{
	if (o->missing || o->bytes & BYTES_MASK)
		return;
	o->phase = !o->phase;
	o->missing = o->expected;
}

/* Arrivals of one lane. */
static void arrive(struct warp *w, uint32_t lane, uint64_t address, uint8_t *at, uint32_t arrivals,
		   uint32_t bytes, bool drops)
{
	uint64_t bits;
	struct object o;

	memcpy(&bits, at, sizeof(bits));
	o = unpack_object(bits);
	if (arrivals > o.missing) {
		warp_fault(w, lane, MODEL_FAULT_HAZARD, w->pc,
			   "%u arrivals at the barrier at 0x%llx, which lacks %u", arrivals,
			   (unsigned long long)address, o.missing);
		return;
	}
	o.missing -= arrivals;
	o.expected -= drops ? arrivals : 0;
	o.bytes += bytes;
	end_phase(&o);
	bits = pack_object(&o);
	memcpy(at, &bits, sizeof(bits));
}

void complete_bytes(struct warp *w, uint32_t lane, uint64_t address, uint8_t *barrier,
		    uint32_t bytes)
{
	arrive(w, lane, address, barrier, 0, -bytes, false);
}

uint8_t *find_async_barrier(struct warp *w, uint32_t lane, uint64_t to, uint64_t barrier)
{
	struct access object = {.w = w, .space = SPACE_CLUSTER, .bytes = 8, .verb = "barrier"};

	if (!w->grid->has_clusters || to >> RANK_SHIFT == barrier >> RANK_SHIFT)
		return lane_pointer(&object, lane, barrier);
	warp_fault(w, lane, MODEL_FAULT_SHARED_RANGE, w->pc,
		   "the address 0x%llx and the barrier at 0x%llx are in different blocks of the "
		   "cluster",
		   (unsigned long long)to, (unsigned long long)barrier);
	return NULL;
}

/* By ARRIVE: whether arrivals and bytes are 0, 1 or the operand. */
enum amount { ZERO, ONE, OPERAND, MINUS };
static const struct {
	uint8_t arrivals, bytes;
} amounts[] = {
	[SASS_ARRIVE_1TR] = {ONE, OPERAND}, [SASS_ARRIVE_1T0] = {ONE, ZERO},
	[SASS_ARRIVE_0T1] = {ZERO, ONE},    [SASS_ARRIVE_0TR] = {ZERO, OPERAND},
	[SASS_ARRIVE_0TX] = {ZERO, MINUS},  [SASS_ARRIVE_RT0] = {OPERAND, ZERO},
};

static uint32_t amount(enum amount a, uint32_t operand)
{
	return a == OPERAND ? operand : a == MINUS ? -operand : a == ONE;
}

static uint32_t lanes_at(const uint64_t address[LANES], uint32_t mask, uint32_t lane)
{
	uint32_t lanes = 0;

	EACH_LANE(i)
		lanes |= (uint32_t)(address[i] == address[lane]) << i;
	return lanes & mask;
}

/* A barrier in shared memory, which blocks of a cluster may share. */
static void check_synchronises(struct warp *w)
{
	check_fence(w->cta->check, w->index, w->grid->has_clusters ? CHECK_GPU : CHECK_CTA, true);
}

/* The lanes with one address arrive together: all see the object as it was before. */
static void run_arrive(struct warp *w, const struct op *op, uint32_t mask)
{
	const uint8_t *mod = op->inst->mod;
	const uint32_t *operand = w->r[op->s[0].row];
	uint64_t address[LANES], before[LANES];
	uint8_t *at[LANES];

	if (mask && w->weak)
		weak_publish(w->weak, w->index);
	if (mask && w->cta->check)
		check_synchronises(w);
	if (!find_objects(w, op, mask, address, at))
		return;
	for (uint32_t i = 0; i < LANES; i++)
		if (at[i])
			memcpy(&before[i], at[i], sizeof(before[i]));
	for (uint32_t i = 0; i < LANES; i++) {
		if (!at[i])
			continue;
		arrive(w, i, address[i], at[i],
		       amount(amounts[mod[SASS_M_ARRIVE]].arrivals, operand[i]),
		       amount(amounts[mod[SASS_M_ARRIVE]].bytes, operand[i]), mod[SASS_M_OPTOUT]);
		w->r[op->d][i] = mod[SASS_M_OLD] == SASS_OLD_TMASK ? lanes_at(address, mask, i)
								   : (uint32_t)before[i];
		w->r[op->d + 1][i] = (uint32_t)(before[i] >> 32);
	}
}

static void complete_bulk_copies(struct warp *w, uint32_t lane, uint64_t address, uint8_t *at)
{
	uint32_t bytes = copies_arrive_at(w->cta, (uint32_t)address);

	if (bytes)
		arrive(w, lane, address, at, 0, -bytes, false);
}

static void run_phase_check(struct warp *w, const struct op *op, uint32_t mask)
{
	const uint32_t *phase = w->r[op->s[0].row];
	uint64_t address[LANES];
	uint8_t *at[LANES];
	uint32_t ended = 0, high;

	if (!find_objects(w, op, mask, address, at))
		return;
	for (uint32_t i = 0; i < LANES; i++) {
		if (!at[i])
			continue;
		if (w->cta->copies)
			complete_bulk_copies(w, i, address[i], at[i]);
		memcpy(&high, at[i] + 4, sizeof(high));
		ended |= (high ^ phase[i]) >> 31 << i;
	}
	pred_write(w, op->p[0], ended, mask);
	if (mask && w->cta->check)
		check_synchronises(w);
	/* A lane that waits lets others run, which may be in other blocks of the cluster. */
	if (op->inst->mod[SASS_M_TRYWAIT] && mask & ~ended)
		w->halt |= HALT_YIELD;
}

/* The address and the new object are in uniform registers: one lane stands for all. */
static void run_exchange(struct warp *w, const struct op *op, uint32_t mask)
{
	uint32_t urow = op->s[0].row, one = mask & -mask;
	uint64_t address[LANES], before, after;
	uint8_t *at[LANES];

	if (!mask || !find_objects(w, op, one, address, at))
		return;
	memcpy(&before, at[first_lane(one)], sizeof(before));
	after = (uint64_t)w->ur[urow + 1] << 32 | w->ur[urow];
	memcpy(at[first_lane(one)], &after, sizeof(after));
	w->ur[op->d] = (uint32_t)before;
	w->ur[op->d + 1] = (uint32_t)(before >> 32);
}

static void run_copies_arrive(struct warp *w, const struct op *op, uint32_t mask)
{
	bool bytes = op->inst->mod[SASS_M_COPIES] == SASS_COPIES_TRANSCNT;
	uint64_t address[LANES];
	uint8_t *at[LANES];

	if (w->cta->copies && mask)
		copies_complete(w);
	if (!find_objects(w, op, mask, address, at))
		return;
	for (uint32_t i = 0; i < LANES; i++)
		if (at[i])
			arrive(w, i, address[i], at[i], !bytes, bytes ? -1u : 0, false);
}

static const char *prepare_object(struct op *op, const struct sass_inst *in)
{
	(void)in;
	op->data[0] = SPACE_SHARED;
	return NULL;
}

/* With .RED the barrier may be in another block of the cluster. */
static const char *prepare_arrive(struct op *op, const struct sass_inst *in)
{
	op->data[0] = in->mod[SASS_M_OLD] == SASS_OLD_RED ? SPACE_CLUSTER : SPACE_SHARED;
	return NULL;
}

static const char *prepare_copies(struct op *op, const struct sass_inst *in)
{
	return in->mod[SASS_M_COPIES] == SASS_COPIES_PLAIN
		       ? "ARRIVES is modelled with ARVCNT or TRANSCNT only"
		       : prepare_object(op, in);
}

const struct op_row rows_syncs[] = {
	{SASS_SYNCS_ARRIVE, "das", run_arrive, NULL, prepare_arrive},
	{SASS_SYNCS_PHASECHK, "pas", run_phase_check, NULL, prepare_object},
	{SASS_SYNCS_EXCH, "das", run_exchange, NULL, prepare_object},
	{SASS_SYNCS_CCTL, "a", run_nothing, NULL, prepare_object},
	{SASS_ARRIVES, "a", run_copies_arrive, NULL, prepare_copies},
	{SASS_FENCE_VIEW, "", run_nothing, NULL, NULL},
	OP_ROWS_END,
};
