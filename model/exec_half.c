/* SPDX-License-Identifier: MIT */
/*
 * Two 16-bit floats in a register. An operand may give its low or its high half to both places, or
 * be one 32-bit float. Results are rounded once to the half format, through float.c.
 */
#include "model/exec.h"
#include "model/float.h"

static const struct float_format *format(const struct op *op)
{
	return op->inst->mod[SASS_M_HFORMAT] == SASS_HALF_BF16 ? &float_bf16 : &float_f16;
}

/* Half k of source n, which is operand n + 1 of the instruction. */
static uint32_t half(const struct op *op, const struct operands *o, uint32_t n, uint32_t i, uint32_t k)
{
	const struct sass_operand *x = &op->inst->ops[n + 1];
	uint32_t raw = o->s[n][i], value;

	if (x->kind == SASS_GPR || x->kind == SASS_UGPR || x->kind == SASS_CONST) {
		if (x->aux == SASS_HALF_LOW && x->kind != SASS_CONST)
			k = 0;
		else if (x->aux == SASS_HALF_HIGH && x->kind != SASS_CONST)
			k = 1;
	}
	value = raw >> 16 * k & 0xffff;
	if (x->flags & SASS_ABS)
		value &= 0x7fff;
	if (x->flags & SASS_NEG)
		value ^= 0x8000;
	return op->inst->mod[SASS_M_FTZ] ? (uint32_t)float_flush(format(op), value) : value;
}
