// SPDX-License-Identifier: MIT
/*
 * How large an unsigned number can be, from what it is computed of. A block's threads are known to be few, so
 * indices of threads fit into products of 24 bits and offsets of 32, which have cheaper instructions.
 */
#include "libsov/compiler/amd/select.h"

#define MOST_DEPTH 8

static uint64_t any_of(enum ir_type t)
{
	uint32_t bits = ir_type_bits(t);

	return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

static uint64_t sum(uint64_t x, uint64_t y, uint64_t any)
{
	uint64_t r;

	return __builtin_add_overflow(x, y, &r) || r > any ? any : r;
}

static uint64_t product(uint64_t x, uint64_t y, uint64_t any)
{
	uint64_t r;

	return __builtin_mul_overflow(x, y, &r) || r > any ? any : r;
}

/* All bits up to the highest that may be set. */
static uint64_t filled(uint64_t x)
{
	return x ? UINT64_MAX >> __builtin_clzll(x) : 0;
}

static uint64_t special(const struct select *s, uint32_t sub, uint64_t any)
{
	uint32_t threads = s->f->job->target->max_threads;

	if (sub <= IR_TID_Z)
		return threads - 1;
	if (sub <= IR_NTID_Z)
		return threads;
	return sub == IR_LANEID || sub == IR_WARPID ? 31 : any;
}

static uint64_t most(const struct select *s, ir_val v, uint32_t depth)
{
	const struct ir_inst *d = ir_def(s->ir, v);
	uint64_t any = any_of(s->ir->values[v].type), x = any, y = any, amount;

	if (d->op == IR_CONST)
		return d->imm & any;
	if (d->op == IR_SREG)
		return special(s, d->sub, any);
	if (depth == MOST_DEPTH || !d->nargs || d->nargs > 3)
		return any;
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
		y = most(s, d->args[1], depth + 1);
		/* fall through */
	case IR_ZEXT:
	case IR_TRUNC:
	case IR_COPY:
	case IR_SHL:
	case IR_SHR_U:
		x = most(s, d->args[0], depth + 1);
		break;
	case IR_SELECT:
		x = most(s, d->args[1], depth + 1);
		y = most(s, d->args[2], depth + 1);
		return x > y ? x : y;
	default:
		return any;
	}
	switch (d->op) {
	case IR_ADD:
		return sum(x, y, any);
	case IR_MUL:
	case IR_MULWIDE_U:
		return product(x, y, any);
	case IR_MAD:
		x = product(x, y, any);
		return x == any ? any : sum(x, most(s, d->args[2], depth + 1), any);
	case IR_AND:
	case IR_MIN_U:
		return x < y ? x : y;
	case IR_MAX_U:
		return x > y ? x : y;
	case IR_OR:
	case IR_XOR:
		return filled(x | y);
	case IR_SHL:
		return ir_is_const(s->ir, d->args[1], &amount) && amount < 64
			       ? product(x, UINT64_C(1) << amount, any)
			       : any;
	case IR_SHR_U:
		return ir_is_const(s->ir, d->args[1], &amount) && amount < 64 ? x >> amount : x;
	default:
		return x < any ? x : any;
	}
}

uint64_t sel_most(const struct select *s, ir_val v)
{
	return most(s, v, 0);
}
