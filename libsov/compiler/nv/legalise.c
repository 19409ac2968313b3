// SPDX-License-Identifier: MIT
/*
 * Legalisation on the IR: operations that the target lacks are lowered to those that it has
 * (passes/lower.h).
 */
#include "libsov/compiler/passes/lower.h"
#include "libsov/compiler/nv/mir.h"

/* Atomics in shared memory have no floating-point addition and, for 64 bits, only exchange; no
 * space has floating-point minimum and maximum. */
static bool is_native_atomic(const struct ir_inst *in)
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

static bool has_all_lanes(const struct ir_func *f, const struct ir_inst *in)
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

			if (in->op == IR_REDUCE && !has_all_lanes(f, in)) {
				lower_reduce(f, i, warp_lanes);
			} else if ((in->op == IR_ATOM || in->op == IR_CAS) &&
				   !is_native_atomic(in)) {
				lower_atomic(f, i, is_native_atomic, true);
				break; /* the rest of the block is a new block, visited later */
			}
		}
}
