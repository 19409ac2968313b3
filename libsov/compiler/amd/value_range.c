// SPDX-License-Identifier: MIT
/*
 * Value range analysis: upper bounds of unsigned values. Block sizes are limited, so thread indices
 * fit 24-bit multiplications and 32-bit address offsets, which have cheaper instructions.
 */
#include "libsov/compiler/amd/select.h"

#define MAX_DEPTH 8

static uint64_t max_of_type(enum ir_type t)
{
	uint32_t bits = ir_type_bits(t);

	return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

static uint64_t saturating_add(uint64_t x, uint64_t y, uint64_t type_max)
{
	uint64_t r;

	return __builtin_add_overflow(x, y, &r) || r > type_max ? type_max : r;
}

static uint64_t saturating_mul(uint64_t x, uint64_t y, uint64_t type_max)
{
	uint64_t r;

	return __builtin_mul_overflow(x, y, &r) || r > type_max ? type_max : r;
}

/* Sets all bits below the highest set bit. */
static uint64_t fill_below(uint64_t x)
{
	return x ? UINT64_MAX >> __builtin_clzll(x) : 0;
}

static uint64_t sreg_max(const struct select *s, uint32_t sub, uint64_t type_max)
{
	uint32_t threads = s->f->job->target->max_threads;

	if (sub <= IR_TID_Z)
		return threads - 1;
	if (sub <= IR_NTID_Z)
		return threads;
	return sub == IR_LANEID || sub == IR_WARPID ? 31 : type_max;
}

static uint64_t max_unsigned(const struct select *s, ir_val v, uint32_t depth)
{
	const struct ir_inst *d = ir_def(s->ir, v);
	uint64_t type_max = max_of_type(s->ir->values[v].type), x = type_max, y = type_max, amount;

	if (d->op == IR_CONST)
		return d->imm & type_max;
	if (d->op == IR_SREG)
		return sreg_max(s, d->sub, type_max);
	if (depth == MAX_DEPTH || !d->nargs || d->nargs > 3)
		return type_max;
	switch (d->op) {
	case IR_ADD:
	case IR_MUL:
	case IR_MAD:
	case IR_MULWIDE_U:
	case IR_AND:
	case IR_OR:
	case IR_XOR:
	case IR_MIN_U:
	case IR_MAX_U:
		y = max_unsigned(s, d->args[1], depth + 1);
		/* fall through */
	case IR_ZEXT:
	case IR_TRUNC:
	case IR_COPY:
	case IR_SHL:
	case IR_SHR_U:
		x = max_unsigned(s, d->args[0], depth + 1);
		break;
	case IR_SELECT:
		x = max_unsigned(s, d->args[1], depth + 1);
		y = max_unsigned(s, d->args[2], depth + 1);
		return x > y ? x : y;
	default:
		return type_max;
	}
	switch (d->op) {
	case IR_ADD:
		return saturating_add(x, y, type_max);
	case IR_MULWIDE_U:
		if (d->flags & IR_NARROW && type_max == UINT64_MAX)
			type_max = UINT32_MAX;
		/* fall through */
	case IR_MUL:
		return saturating_mul(x, y, type_max);
	case IR_MAD:
		x = saturating_mul(x, y, type_max);
		return x == type_max ? type_max
				     : saturating_add(x, max_unsigned(s, d->args[2], depth + 1),
						      type_max);
	case IR_AND:
	case IR_MIN_U:
		return x < y ? x : y;
	case IR_MAX_U:
		return x > y ? x : y;
	case IR_OR:
	case IR_XOR:
		return fill_below(x | y);
	case IR_SHL:
		return ir_is_const(s->ir, d->args[1], &amount) && amount < 64
			       ? saturating_mul(x, UINT64_C(1) << amount, type_max)
			       : type_max;
	case IR_SHR_U:
		return ir_is_const(s->ir, d->args[1], &amount) && amount < 64 ? x >> amount : x;
	default:
		return x < type_max ? x : type_max;
	}
}

uint64_t sel_max_unsigned(const struct select *s, ir_val v)
{
	return max_unsigned(s, v, 0);
}
