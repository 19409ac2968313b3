// SPDX-License-Identifier: MIT
/*
 * What the machine does not have becomes what it has while the code is still IR; how is in lower.c.
 */
#include "libsov/compiler/passes/lower.h"
#include "libsov/compiler/nv/mir.h"

/* Shared memory adds no floats and exchanges 64 bits but does nothing else with them; nobody
 * compares floats. */
static bool is_native(const struct ir_inst *in)
{
	if (in->type == IR_B16 || in->format)
		return false;
	if (in->op == IR_CAS)
		return true;
	if (in->sub == IR_ATOM_FMIN || in->sub == IR_ATOM_FMAX)
		return false;
	if (in->space == IR_GLOBAL)
		return true;
	return in->sub == IR_ATOM_EXCH || (in->type == IR_B32 && in->sub != IR_ATOM_FADD);
}

static bool is_of_all_lanes(const struct ir_func *f, const struct ir_inst *in)
{
	uint64_t members;

	return ir_is_const(f, in->args[1], &members) && (uint32_t)members == UINT32_MAX;
}

void nv_legalise(struct ir_func *f, uint32_t warp_lanes)
{
	if (f->kind == IR_FUNCTION)
		lower_returns(f);
	ir_for_each_block(f, b)
		ir_for_each_inst_safe(f, b, i) {
			const struct ir_inst *in = ir_at(f, i);

			if (in->op == IR_REDUCE && !is_of_all_lanes(f, in)) {
				lower_reduce(f, i, warp_lanes);
			} else if ((in->op == IR_ATOM || in->op == IR_CAS) && !is_native(in)) {
				lower_atomic(f, i, is_native);
				break; /* the rest of the block is another one now, still to come */
			}
		}
}
