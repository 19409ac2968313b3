// SPDX-License-Identifier: MIT
/*
 * USETMAXREG: a warp gives registers to its block's pool, or takes some of it. PTX ISA, setmaxnreg.
 * A launch puts nothing into the pool, and a warp that has ended returns its registers to the SM,
 * not to the pool: both are assumptions. What was in a register that the warp gives up is lost, and
 * one that it takes holds anything.
 */
#include <string.h>
#include "model/nv/exec.h"

#define POISON    0x5a
#define GRANULE   8 /* registers of a thread */
#define MAX_COUNT 256

static bool request_valid(struct warp *w, uint32_t mask, uint32_t count)
{
	unsigned long long at = w->pc - w->grid->work.program;

	if (w->live & ~mask)
		warp_fault(
			w, LANES, MODEL_FAULT_ILLEGAL_INSTRUCTION, w->pc,
			"+0x%llx: the registers of a warp are moved by lanes 0x%x, but not by 0x%x",
			at, mask, w->live & ~mask);
	else if (!count || count > MAX_COUNT || count % GRANULE)
		warp_fault(w, LANES, MODEL_FAULT_ILLEGAL_INSTRUCTION, w->pc,
			   "+0x%llx: %u registers per thread are no multiple of %d up to %d", at,
			   count, GRANULE, MAX_COUNT);
	else
		return true;
	return false;
}

/* A launch allocates whole units. */
static uint32_t allocated(const struct warp *w)
{
	return (w->registers + GRANULE - 1) / GRANULE * GRANULE;
}

static void lose_registers(struct warp *w, uint32_t from, uint32_t to)
{
	to = to < SASS_RZ ? to : SASS_RZ;
	if (from < to)
		memset(w->r[from], POISON, (size_t)(to - from) * sizeof(w->r[0]));
}

static void run_give(struct warp *w, const struct op *op, uint32_t mask)
{
	uint32_t count = (uint32_t)op->imm[0];

	if (!mask || !request_valid(w, mask, count))
		return;
	if (count > allocated(w)) {
		warp_fault(w, LANES, MODEL_FAULT_ILLEGAL_INSTRUCTION, w->pc,
			   "+0x%llx: a warp with %u registers per thread cannot keep %u",
			   (unsigned long long)(w->pc - w->grid->work.program), w->registers,
			   count);
		return;
	}
	lose_registers(w, count, w->registers);
	w->cta->free_registers += allocated(w) - count;
	w->registers = count;
}

static void run_take(struct warp *w, const struct op *op, uint32_t mask)
{
	uint32_t count = (uint32_t)op->imm[0];

	if (!mask || !request_valid(w, mask, count))
		return;
	if (count < allocated(w)) {
		warp_fault(
			w, LANES, MODEL_FAULT_ILLEGAL_INSTRUCTION, w->pc,
			"+0x%llx: a warp with %u registers per thread cannot take some to have %u",
			(unsigned long long)(w->pc - w->grid->work.program), w->registers, count);
		return;
	}
	if (count - allocated(w) > w->cta->free_registers) {
		w->p[op->p[0]] = 0;
		w->halt |= HALT_YIELD;
		return;
	}
	w->p[op->p[0]] = ALL_LANES;
	w->cta->free_registers -= count - allocated(w);
	lose_registers(w, w->registers, count);
	w->registers = count;
}

const struct op_row rows_registers[] = {
	{SASS_USETMAXREG_DEALLOC, "i", run_give, NULL, NULL},
	{SASS_USETMAXREG_TRY_ALLOC, "pi", run_take, NULL, NULL},
	OP_ROWS_END,
};
