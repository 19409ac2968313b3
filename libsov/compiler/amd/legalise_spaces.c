// SPDX-License-Identifier: MIT
/*
 * Tests whether a generic address points to a constant or a parameter. On RDNA2 both lie in global
 * memory, so the address is compared with each constant of the module, or with the kernarg segment.
 */
#include "libsov/compiler/amd/mir.h"
#include "libsov/compiler/passes/expand.h"

/* Whether address is one of the bytes from start on. */
static ir_val is_within(struct expand *e, ir_val address, ir_val start, uint64_t bytes)
{
	return expand_compare_imm(e, IR_LT_U, expand_op(e, IR_SUB, IR_B64, address, start, 0),
				  bytes);
}

static ir_val is_constant(struct expand *e, ir_val address)
{
	const struct ir_module *m = e->f->module;
	ir_val found = expand_const(e, IR_B1, 0), start;

	for (uint32_t k = 0; k < m->nsymbols; k++) {
		if (m->symbols[k].space != IR_CONSTANT)
			continue;
		start = expand_op(e, IR_ADDR, IR_B64, 0, 0, 0);
		ir_def(e->f, start)->symbol = k;
		found = expand_op(e, IR_OR, IR_B1, found,
				  is_within(e, address, start, m->symbols[k].size), 0);
	}
	return found;
}

/* Functions do not receive the address of the kernarg segment, nor can they name it. */
static ir_val is_parameter(struct expand *e, ir_val address)
{
	ir_val start;

	if (e->f->kind != IR_KERNEL)
		return expand_const(e, IR_B1, 0);
	start = expand_op(e, IR_GENERIC, IR_B64, expand_const(e, IR_B64, 0), 0, 0);
	ir_def(e->f, start)->space = IR_PARAM;
	return is_within(e, address, start, e->f->param_bytes);
}

void gcn_legalise_spaces(struct ir_func *f)
{
	ir_for_each_block(f, b)
		ir_for_each_inst_safe(f, b, i) {
			struct ir_inst in = *ir_at(f, i);
			struct expand e = {.f = f, .at = i, .line = in.line};

			if (in.op != IR_INSPACE || in.type != IR_B64 ||
			    (in.space != IR_CONSTANT && in.space != IR_PARAM))
				continue;
			ir_replace_uses(f, in.res,
					in.space == IR_PARAM ? is_parameter(&e, in.args[0])
							     : is_constant(&e, in.args[0]));
			ir_remove(f, i);
		}
}
