// SPDX-License-Identifier: MIT
/*
 * Barriers in memory for targets that lack them (mbarrier.h has their contents). An arrival is a
 * compare-and-swap loop:
 *
 *	        first = load [a]                  rest of the block:
 *	loop:   old = phi first, seen             token = upper half of seen
 *	        seen = cas [a], old, after an arrival at old
 *	        cbr seen = old, rest, loop
 *
 * A test loads the upper half. An arrival after asynchronous copies waits for the copies first.
 */
#include "libsov/compiler/analysis/cfg_walk.h"
#include "libsov/compiler/ir/mbarrier.h"
#include "libsov/compiler/passes/expand.h"
#include "libsov/compiler/passes/lower.h"

static ir_id insert_access(struct expand *e, enum ir_op op, enum ir_type t, const ir_val *args,
			   uint32_t nargs, uint64_t offset)
{
	ir_id i = ir_inst_new(e->f, op, t, args, nargs, op != IR_STORE);
	struct ir_inst *in = ir_at(e->f, i);

	in->imm = offset;
	in->space = IR_SHARED;
	in->from = (uint8_t)t;
	in->align = (uint16_t)(ir_type_bits(t) / 8);
	in->line = e->line;
	ir_insert_before(e->f, e->at, i);
	return i;
}

static void set_order(struct expand *e, ir_id i, enum ir_order order)
{
	ir_at(e->f, i)->order = (uint8_t)order;
	ir_at(e->f, i)->scope = IR_SCOPE_CTA;
}

/* The contents with n in the field of the missing arrivals. */
static ir_val missing_arrivals(struct expand *e, ir_val n)
{
	ir_val zero = expand_const(e, IR_B32, 0);

	n = expand_shift(e, IR_SHL, n, MBARRIER_PENDING - 32);
	return expand_op(e, IR_PACK, IR_B64, zero, n, 0);
}

static void lower_init(struct expand *e, const struct ir_inst *in)
{
	ir_val args[2] = {in->args[0], expand_convert(e, IR_ZEXT, IR_B64, in->args[1])};

	args[1] = expand_op(e, IR_OR, IR_B64, args[1], missing_arrivals(e, in->args[1]), 0);
	insert_access(e, IR_STORE, IR_B64, args, 2, 0);
}

static ir_val lower_test(struct expand *e, const struct ir_inst *in)
{
	ir_id load = insert_access(e, IR_LOAD, IR_B32, in->args, 1, 4);
	ir_val phases = ir_at(e->f, load)->res;

	set_order(e, load, IR_ACQUIRE);
	phases = expand_op(e, IR_XOR, IR_B32, phases, in->args[1], 0);
	return expand_compare_imm(e, IR_LT_S, phases, 0);
}

static ir_val lower_pending(struct expand *e, const struct ir_inst *in)
{
	ir_val n = expand_shift(e, IR_SHR_U, in->args[0], MBARRIER_PENDING - 32);

	return expand_op_imm(e, IR_AND, n, MBARRIER_FIELD);
}

/* What an arrival changes: a number to subtract, and the bytes in their field, to add. */
struct arrival {
	ir_val less, bytes;
};

static struct arrival make_arrival(struct expand *e, enum ir_arrive kind, ir_val arrivals,
				   ir_val bytes)
{
	struct arrival a = {missing_arrivals(e, arrivals),
			    expand_convert(e, IR_SEXT, IR_B64, bytes)};

	if (kind == IR_ARRIVE_DROP || kind == IR_ARRIVE_DROP_NOCOMPLETE)
		a.less = expand_op(e, IR_ADD, IR_B64, a.less,
				   expand_convert(e, IR_ZEXT, IR_B64, arrivals), 0);
	a.bytes = expand_shift(e, IR_SHL, a.bytes, MBARRIER_BYTES);
	if (kind == IR_ARRIVE_COMPLETE)
		a.bytes = expand_op(e, IR_NEG, IR_B64, a.bytes, 0, 0);
	return a;
}

static ir_val after_arrival(struct expand *e, const struct arrival *a, ir_val old)
{
	const uint64_t bytes_field = MBARRIER_FIELD << MBARRIER_BYTES,
		       missing_field = MBARRIER_FIELD << MBARRIER_PENDING;
	ir_val bytes = expand_op_imm(e, IR_AND, expand_op(e, IR_ADD, IR_B64, old, a->bytes, 0),
				     bytes_field);
	ir_val next = expand_op_imm(e, IR_AND, old, ~bytes_field), done, phase, expected;

	next = expand_op(e, IR_SUB, IR_B64, next, a->less, 0);
	next = expand_op(e, IR_OR, IR_B64, next, bytes, 0);
	done = expand_compare_imm(e, IR_EQ,
				  expand_op_imm(e, IR_AND, next, bytes_field | missing_field), 0);
	phase = expand_op_imm(e, IR_XOR, next, UINT64_C(1) << MBARRIER_PHASE);
	expected = expand_shift(e, IR_SHL, expand_op_imm(e, IR_AND, next, MBARRIER_FIELD),
				MBARRIER_PENDING);
	return expand_select(e, done, expand_op(e, IR_OR, IR_B64, phase, expected, 0), next);
}

static ir_val upper_half(struct expand *e, ir_val v)
{
	return expand_convert(e, IR_TRUNC, IR_B32, expand_shift(e, IR_SHR_U, v, 32));
}

/* Inserts an arrival before e->at, which begins a new block then; returns the token. */
static ir_val insert_arrival(struct expand *e, const struct ir_inst *in, enum ir_arrive kind,
			     ir_val arrivals, ir_val bytes)
{
	struct arrival a = make_arrival(e, kind, arrivals, bytes);
	ir_id load = insert_access(e, IR_LOAD, IR_B64, in->args, 1, 0), back = e->at;
	ir_block before = ir_at(e->f, back)->block, rest = cfg_split_block(e->f, back),
		 loop = ir_block_new_before(e->f, rest, NULL);
	ir_val first = ir_at(e->f, load)->res, old, seen;
	ir_id phi, cas;

	set_order(e, load, IR_RELAXED);
	ir_append(e->f, before, ir_inst_new(e->f, IR_BR, IR_VOID, NULL, 0, 0));
	ir_edge(e->f, before, loop);
	phi = ir_inst_new(e->f, IR_PHI, IR_B64, &first, 1, 1);
	ir_append(e->f, loop, phi);
	old = ir_at(e->f, phi)->res;
	e->at = ir_inst_new(e->f, IR_CBR, IR_VOID, &old, 1, 0);
	ir_append(e->f, loop, e->at);
	cas = insert_access(e, IR_CAS, IR_B64,
			    (ir_val[]){in->args[0], old, after_arrival(e, &a, old)}, 3, 0);
	set_order(e, cas, IR_RELEASE);
	seen = ir_at(e->f, cas)->res;
	ir_at(e->f, e->at)->args[0] = expand_compare(e, IR_EQ, seen, old);
	ir_edge(e->f, loop, rest);
	ir_edge(e->f, loop, loop);
	ir_arg_append(e->f, phi, seen);
	e->at = back;
	return upper_half(e, seen);
}

static void insert_copy_wait(struct expand *e)
{
	ir_insert_before(e->f, e->at, ir_inst_new(e->f, IR_COPYCOMMIT, IR_VOID, NULL, 0, 0));
	ir_insert_before(e->f, e->at, ir_inst_new(e->f, IR_COPYWAIT, IR_VOID, NULL, 0, 0));
}

static bool is_mbarrier(const struct ir_inst *in)
{
	return (in->op >= IR_MBARRIER_INIT && in->op <= IR_MBARRIER_PENDING) ||
	       in->op == IR_COPYARRIVE;
}

/* Returns whether the instructions after it moved to a new block. */
static bool lower_mbarrier(struct ir_func *f, ir_id at)
{
	const struct ir_inst in = *ir_at(f, at);
	struct expand e = {.f = f, .at = at, .line = in.line};
	bool splits = in.op == IR_MBARRIER_ARRIVE;
	ir_val result = 0;

	switch (in.op) {
	case IR_MBARRIER_INIT:
		lower_init(&e, &in);
		break;
	case IR_MBARRIER_ARRIVE:
		result = insert_arrival(&e, &in, in.sub, in.args[1], in.args[2]);
		break;
	case IR_MBARRIER_TEST:
		result = lower_test(&e, &in);
		break;
	case IR_MBARRIER_PENDING:
		result = lower_pending(&e, &in);
		break;
	case IR_COPYARRIVE:
		insert_copy_wait(&e);
		splits = in.sub == IR_COPYARRIVE_NOINC;
		if (splits)
			insert_arrival(&e, &in, IR_ARRIVE, expand_const(&e, IR_B32, 1),
				       expand_const(&e, IR_B32, 0));
		break;
	default: /* mbarrier.inval */
		break;
	}
	if (result)
		ir_replace_uses(f, in.res, result);
	ir_remove(f, at);
	return splits;
}

void lower_mbarriers(struct ir_func *f)
{
	ir_for_each_block(f, b)
		ir_for_each_inst_safe(f, b, i)
			if (is_mbarrier(ir_at(f, i)) && lower_mbarrier(f, i))
				break; /* the rest is visited as a later block */
}
