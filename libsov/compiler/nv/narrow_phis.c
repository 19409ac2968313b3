// SPDX-License-Identifier: MIT
/*
 * Finds 64-bit phis of which only the low word is used: a loop counter that is truncated, or an
 * address in shared or local memory. The low word of a sum depends on low words alone, so a cycle
 * of phis and sums needs no high words if nothing else does. Selection, which walks backwards,
 * cannot see this by itself: it comes to a phi of a loop before the uses that the loop's end has.
 */
#include "libsov/compiler/nv/select.h"

enum use_of_high { HIGH_UNUSED, HIGH_IF_RESULT, HIGH_USED };

static enum use_of_high use_of_high(const struct ir_inst *in, uint32_t arg)
{
	switch (in->op) {
	case IR_TRUNC:
		return HIGH_UNUSED;
	case IR_ADD:
	case IR_SUB:
	case IR_PHI:
		return HIGH_IF_RESULT;
	case IR_LOAD:
	case IR_STORE:
		return !arg && (in->space == IR_SHARED || in->space == IR_LOCAL) ? HIGH_UNUSED
										 : HIGH_USED;
	default:
		return HIGH_USED;
	}
}

bool *nv_find_narrow_phis(const struct ir_func *f)
{
	struct arena *a = f->module->arena;
	bool *wide = arena_array(a, f->nvalues, sizeof(*wide));
	ir_val *work = arena_array(a, f->nvalues, sizeof(*work));
	uint32_t n = 0;

	ir_for_each_block(f, b)
		ir_for_each_inst(f, b, i) {
			const struct ir_inst *in = ir_at(f, i);

			for (uint32_t k = 0; k < in->nargs; k++) {
				if (wide[in->args[k]] || use_of_high(in, k) != HIGH_USED)
					continue;
				wide[in->args[k]] = true;
				work[n++] = in->args[k];
			}
		}
	while (n) {
		const struct ir_inst *in = ir_def(f, work[--n]);

		for (uint32_t k = 0; k < in->nargs; k++) {
			if (wide[in->args[k]] || use_of_high(in, k) != HIGH_IF_RESULT)
				continue;
			wide[in->args[k]] = true;
			work[n++] = in->args[k];
		}
	}
	for (ir_val v = 0; v < f->nvalues; v++)
		wide[v] = v && f->values[v].type == IR_B64 && !wide[v] && f->values[v].def &&
			  ir_def(f, v)->op == IR_PHI;
	return wide;
}
