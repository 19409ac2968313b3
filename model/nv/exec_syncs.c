// SPDX-License-Identifier: MIT
/*
 * Barriers in shared memory (SM90). An object has 64 bits. Known from ptxas's code: bits 1 to 20
 * are 2^20 less the arrivals that a phase expects, bits 43 to 62 the same for those that are
 * missing, bit 63 is the phase. Not known, and of no consequence for programs: here bits 21 to 42
 * are the outstanding bytes, and bit 0 is set while only these are missing. Copies that arrive at a
 * barrier have arrived when ARRIVES has executed.
 */
#include <string.h>

#include "model/nv/exec_memory.h"

#define COUNT_BITS    20
#define COUNT_MASK    0xfffffu
#define EXPECTED_BIT  1
#define BYTES_BIT     21
#define BYTES_MASK    0x3fffffu
#define MISSING_BIT   43
#define PHASE_BIT     63
#define ARRIVALS_MADE 1u

struct object {
	uint32_t expected, missing, bytes; /* bytes: modulo 2^22 */
	bool phase;
};

static struct object unpack_object(uint64_t bits)
{
	struct object o = {.phase = bits >> PHASE_BIT};

	o.expected = (1u << COUNT_BITS) - (bits >> EXPECTED_BIT & COUNT_MASK);
	o.missing =
		bits & ARRIVALS_MADE ? 0 : (1u << COUNT_BITS) - (bits >> MISSING_BIT & COUNT_MASK);
	o.bytes = bits >> BYTES_BIT & BYTES_MASK;
	return o;
}

static uint64_t pack_object(const struct object *o)
{
	return (uint64_t)(-o->expected & COUNT_MASK) << EXPECTED_BIT |
	       (uint64_t)(o->bytes & BYTES_MASK) << BYTES_BIT |
	       (uint64_t)(-o->missing & COUNT_MASK) << MISSING_BIT |
	       (uint64_t)o->phase << PHASE_BIT | (o->missing ? 0 : ARRIVALS_MADE);
}

static uint8_t *object_pointer(struct warp *w, uint32_t lane, uint64_t address)
{
	struct access x = {.w = w, .space = SPACE_SHARED, .bytes = 8, .verb = "barrier"};

	return lane_pointer(&x, lane, address);
}

static void end_phase(struct object *o)
{
	if (o->missing || o->bytes & BYTES_MASK)
		return;
	o->phase = !o->phase;
	o->missing = o->expected;
}

/* Arrivals of one lane; returns the object before. */
static uint64_t arrive(struct warp *w, uint32_t lane, uint64_t address, uint8_t *at,
		       uint32_t arrivals, uint32_t bytes, bool drops)
{
	uint64_t before;
	struct object o;

	memcpy(&before, at, sizeof(before));
	o = unpack_object(before);
	if (arrivals > o.missing) {
		warp_fault(w, lane, MODEL_FAULT_HAZARD, w->pc,
			   "%u arrivals at the barrier at 0x%llx, which lacks %u", arrivals,
			   (unsigned long long)address, o.missing);
		return before;
	}
	o.missing -= arrivals;
	o.expected -= drops ? arrivals : 0;
	o.bytes += bytes;
	end_phase(&o);
	before = pack_object(&o);
	memcpy(at, &before, sizeof(before));
	return before;
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

/* The lanes with one address arrive together: all see the object as it was before. */
static void run_arrive(struct warp *w, const struct op *op, uint32_t mask)
{
	const uint8_t *mod = op->inst->mod;
	const uint32_t *operand = w->r[op->s[0].row];
	uint64_t address[LANES], before[LANES] = {0};

	if (mask && w->weak)
		weak_publish(w->weak, w->index);
	lane_addresses(w, op, address);
	for (uint32_t i = 0; i < LANES; i++) {
		uint8_t *at = mask >> i & 1 ? object_pointer(w, i, address[i]) : NULL;

		if (mask >> i & 1 && !at)
			return;
		if (at)
			memcpy(&before[i], at, sizeof(before[i]));
	}
	for (uint32_t i = 0; i < LANES; i++) {
		if (!(mask >> i & 1))
			continue;
		arrive(w, i, address[i], object_pointer(w, i, address[i]),
		       amount(amounts[mod[SASS_M_ARRIVE]].arrivals, operand[i]),
		       amount(amounts[mod[SASS_M_ARRIVE]].bytes, operand[i]), mod[SASS_M_OPTOUT]);
		if (mod[SASS_M_OLD] == SASS_OLD_TMASK)
			before[i] =
				(before[i] & ~(uint64_t)UINT32_MAX) | lanes_at(address, mask, i);
		w->r[op->d][i] = (uint32_t)before[i];
		w->r[op->d + 1][i] = (uint32_t)(before[i] >> 32);
	}
}

static void run_phase_check(struct warp *w, const struct op *op, uint32_t mask)
{
	const uint32_t *phase = w->r[op->s[0].row];
	uint64_t address[LANES];
	uint32_t ended = 0;

	lane_addresses(w, op, address);
	for (uint32_t i = 0; i < LANES; i++) {
		uint8_t *at = mask >> i & 1 ? object_pointer(w, i, address[i]) : NULL;
		uint32_t high;

		if (mask >> i & 1 && !at)
			return;
		if (!at)
			continue;
		memcpy(&high, at + 4, sizeof(high));
		ended |= (high ^ phase[i]) >> 31 << i;
	}
	pred_write(w, op->p[0], ended, mask);
}

static void run_exchange(struct warp *w, const struct op *op, uint32_t mask)
{
	uint32_t urow = op->s[0].row;
	uint64_t address[LANES], before, after;
	uint8_t *at;

	if (!mask)
		return;
	lane_addresses(w, op, address);
	at = object_pointer(w, first_lane(mask), address[first_lane(mask)]);
	if (!at)
		return;
	memcpy(&before, at, sizeof(before));
	after = (uint64_t)w->ur[urow + 1] << 32 | w->ur[urow];
	memcpy(at, &after, sizeof(after));
	w->ur[op->d] = (uint32_t)before;
	w->ur[op->d + 1] = (uint32_t)(before >> 32);
}

static void run_nothing(struct warp *w, const struct op *op, uint32_t mask)
{
	(void)w;
	(void)op;
	(void)mask;
}

static void run_copies_arrive(struct warp *w, const struct op *op, uint32_t mask)
{
	bool bytes = op->inst->mod[SASS_M_COPIES] == SASS_COPIES_TRANSCNT;
	uint64_t address[LANES];

	if (w->cta->copies && mask)
		copies_complete(w);
	lane_addresses(w, op, address);
	for (uint32_t i = 0; i < LANES; i++) {
		uint8_t *at = mask >> i & 1 ? object_pointer(w, i, address[i]) : NULL;

		if (mask >> i & 1 && !at)
			return;
		if (at)
			arrive(w, i, address[i], at, !bytes, bytes ? -1u : 0, false);
	}
}

static const char *prepare_object(struct op *op, const struct sass_inst *in)
{
	(void)in;
	op->data[0] = SPACE_SHARED;
	return NULL;
}

static const char *prepare_copies(struct op *op, const struct sass_inst *in)
{
	return in->mod[SASS_M_COPIES] == SASS_COPIES_PLAIN
		       ? "ARRIVES is modelled with ARVCNT or TRANSCNT only"
		       : prepare_object(op, in);
}

const struct op_row rows_syncs[] = {
	{SASS_SYNCS_ARRIVE, "das", run_arrive, NULL, prepare_object},
	{SASS_SYNCS_PHASECHK, "pas", run_phase_check, NULL, prepare_object},
	{SASS_SYNCS_EXCH, "das", run_exchange, NULL, prepare_object},
	{SASS_SYNCS_CCTL, "a", run_nothing, NULL, prepare_object},
	{SASS_ARRIVES, "a", run_copies_arrive, NULL, prepare_copies},
	{SASS_FENCE_VIEW, "", run_nothing, NULL, NULL},
	OP_ROWS_END,
};
