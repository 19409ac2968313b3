// SPDX-License-Identifier: MIT
/*
 * Emitting IR at the end of the current block. Operations whose arguments are constants are
 * computed at once, so that indices and specialisation constants are known while lowering.
 */
#include <string.h>
#include "libsov/compiler/ir/eval.h"
#include "libsov/compiler/spirv/front_end.h"

ir_id spirv_emit(struct spirv *s, enum ir_op op, enum ir_type type, uint32_t nres, uint32_t nargs,
		 const ir_val *args)
{
	ir_id i;

	if (s->f->ninsts > SPIRV_MAX_INSTS)
		spirv_fail(s, "the kernel has more than %d operations, with its functions inlined",
			   SPIRV_MAX_INSTS);
	i = ir_inst_new(s->f, op, type, args, nargs, nres);
	ir_at(s->f, i)->line = s->line_file ? s->in.at : 0;
	ir_append(s->f, s->block, i);
	return i;
}

enum ir_type spirv_type_of_val(const struct spirv *s, ir_val v)
{
	return s->f->values[v].type;
}

bool spirv_is_constant(const struct spirv *s, ir_val v, uint64_t *bits)
{
	return ir_is_const(s->f, v, bits);
}

ir_val spirv_const(struct spirv *s, enum ir_type type, uint64_t bits)
{
	return ir_const(s->f, s->block, type, bits);
}

ir_val spirv_float_const(struct spirv *s, enum ir_type type, double value)
{
	float single = (float)value;
	uint64_t bits = 0;

	if (type == IR_B64)
		memcpy(&bits, &value, 8);
	else
		memcpy(&bits, &single, 4);
	if (type == IR_B16)
		return spirv_convert(s, IR_FTOF, IR_B32, IR_B16, spirv_const(s, IR_B32, bits));
	return spirv_const(s, type, bits);
}

ir_val spirv_undef(struct spirv *s, enum ir_type type)
{
	return ir_at(s->f, spirv_emit(s, IR_UNDEF, type, 1, 0, NULL))->res;
}

/* Replaces an instruction that was just emitted by a constant if its arguments are constants. */
static ir_val fold(struct spirv *s, ir_id i)
{
	const struct ir_inst *in = ir_at(s->f, i);
	uint64_t args[4], results[2];
	enum ir_type type;

	if (!(ir_ops[in->op].properties & P_PURE) || in->nargs > 4 || in->nres != 1 || !in->nargs)
		return in->res;
	for (uint32_t k = 0; k < in->nargs; k++)
		if (!ir_is_const(s->f, in->args[k], &args[k]))
			return in->res;
	if (in->op == IR_APPROX || !ir_eval(in, args, results))
		return in->res;
	type = s->f->values[in->res].type;
	ir_remove(s->f, i);
	return spirv_const(s, type, results[0]);
}

static uint32_t args_of(ir_val a, ir_val b, ir_val c)
{
	return c ? 3 : b ? 2 : a ? 1 : 0;
}

ir_val spirv_op(struct spirv *s, enum ir_op op, enum ir_type type, ir_val a, ir_val b, ir_val c)
{
	return fold(s, spirv_emit(s, op, type, 1, args_of(a, b, c), (ir_val[]){a, b, c}));
}

/* Whether results and arguments of this width that are subnormal are flushed to zero. */
static bool flushes(const struct spirv *s, enum ir_type type)
{
	return type >= IR_B16 && type < IR_B64 && s->flush_denormals[type - IR_B16];
}

ir_val spirv_float_op(struct spirv *s, enum ir_op op, enum ir_type type, ir_val a, ir_val b,
		      ir_val c)
{
	bool rounds =
		op == IR_FADD || op == IR_FMUL || op == IR_FMA || op == IR_FDIV || op == IR_FSQRT;
	ir_id i = spirv_emit(s, op, type, 1, args_of(a, b, c), (ir_val[]){a, b, c});
	struct ir_inst *in = ir_at(s->f, i);

	if ((op == IR_FADD || op == IR_FMUL) && !s->no_contraction)
		in->flags |= IR_CONTRACT;
	if (flushes(s, type) && op != IR_FNEG && op != IR_FABS)
		in->flags |= IR_FTZ;
	if (rounds && type > IR_B16 && s->round_to_zero[type - IR_B16])
		in->round = IR_RZ;
	return fold(s, i);
}

ir_val spirv_convert(struct spirv *s, enum ir_op op, enum ir_type from, enum ir_type to, ir_val v)
{
	ir_id i;

	if (from == to && (op == IR_ZEXT || op == IR_SEXT || op == IR_TRUNC || op == IR_FTOF))
		return v;
	i = spirv_emit(s, op, to, 1, 1, &v);
	ir_at(s->f, i)->from = from;
	return fold(s, i);
}

ir_val spirv_resize(struct spirv *s, ir_val v, enum ir_type to, bool is_signed)
{
	enum ir_type from = spirv_type_of_val(s, v);

	if (from == to)
		return v;
	if (from == IR_B1)
		return spirv_select(s, v, spirv_const(s, to, 1), spirv_const(s, to, 0));
	return spirv_convert(s, from > to ? IR_TRUNC : is_signed ? IR_SEXT : IR_ZEXT, from, to, v);
}

ir_val spirv_compare(struct spirv *s, enum ir_op op, enum ir_type type, enum ir_cond cond, ir_val a,
		     ir_val b)
{
	ir_id i = spirv_emit(s, op, type, 1, 2, (ir_val[]){a, b});

	ir_at(s->f, i)->cond = cond;
	if (op == IR_FCMP && flushes(s, type))
		ir_at(s->f, i)->flags |= IR_FTZ;
	return fold(s, i);
}

ir_val spirv_select(struct spirv *s, ir_val condition, ir_val yes, ir_val no)
{
	uint64_t bit;

	if (spirv_is_constant(s, condition, &bit))
		return bit ? yes : no;
	return spirv_op(s, IR_SELECT, spirv_type_of_val(s, yes), condition, yes, no);
}

ir_val spirv_sreg(struct spirv *s, enum ir_sreg reg)
{
	ir_id i = spirv_emit(s, IR_SREG, IR_B32, 1, 0, NULL);

	ir_at(s->f, i)->sub = (uint8_t)reg;
	return ir_at(s->f, i)->res;
}

/* The instruction of the target. Subnormals of f32 do not matter unless the shader says so. */
ir_val spirv_approx(struct spirv *s, enum ir_approx which, enum ir_type type, ir_val v)
{
	ir_id i = spirv_emit(s, IR_APPROX, type, 1, 1, &v);

	ir_at(s->f, i)->sub = (uint8_t)which;
	if (type == IR_B32 && !s->preserve_denormals[type - IR_B16])
		ir_at(s->f, i)->flags |= IR_NORMAL;
	return ir_at(s->f, i)->res;
}

ir_val spirv_param(struct spirv *s, enum ir_type type, uint32_t offset)
{
	ir_id i = spirv_emit(s, IR_LOAD, type, 1, 0, NULL);

	ir_at(s->f, i)->space = IR_PARAM;
	ir_at(s->f, i)->imm = offset;
	ir_at(s->f, i)->flags = IR_INVARIANT;
	return ir_at(s->f, i)->res;
}

ir_block spirv_block_new(struct spirv *s)
{
	return ir_block_new(s->f, NULL);
}

void spirv_jump(struct spirv *s, ir_block to)
{
	spirv_emit(s, IR_BR, IR_VOID, 0, 0, NULL);
	ir_edge(s->f, s->block, to);
	s->block = 0;
}

void spirv_branch(struct spirv *s, ir_val condition, ir_block yes, ir_block no)
{
	if (yes == no) {
		spirv_jump(s, yes);
		return;
	}
	spirv_emit(s, IR_CBR, IR_VOID, 0, 1, &condition);
	ir_edge(s->f, s->block, yes);
	ir_edge(s->f, s->block, no);
	s->block = 0;
}

uint32_t spirv_reg_new(struct spirv *s, enum ir_type type)
{
	return ir_reg_new(s->f, type);
}

ir_val spirv_read_reg(struct spirv *s, uint32_t reg, enum ir_type type)
{
	ir_id i = spirv_emit(s, IR_READ, type, 1, 0, NULL);

	ir_at(s->f, i)->symbol = reg;
	return ir_at(s->f, i)->res;
}

void spirv_write_reg(struct spirv *s, uint32_t reg, ir_val v)
{
	ir_id i = spirv_emit(s, IR_WRITE, spirv_type_of_val(s, v), 0, 1, &v);

	ir_at(s->f, i)->symbol = reg;
}
