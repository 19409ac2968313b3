// SPDX-License-Identifier: MIT
/*
 * Operands: from IR values to operands of machine instructions. Many IR operations need no
 * instruction: constants and parameters are operands, halves of a pair are registers, a 64-bit
 * value packed from halves need not exist. find_origin() looks through all of these, one 32-bit
 * half at a time.
 */
#include "hw/nv/bank0.h"
#include "libsov/compiler/nv/select.h"

struct origin {
	ir_val v; /* the half of a value that must be computed … */
	uint8_t half;
	bool leaf; /* … or op, if leaf */
	struct sass_operand op;
};

static struct origin leaf_origin(ir_val v, uint32_t half, uint8_t kind, int64_t value)
{
	struct origin o = {.v = v, .half = (uint8_t)half, .leaf = true};

	o.op = (struct sass_operand){.kind = kind, .reg = SASS_RZ, .value = value};
	if (kind == SASS_IMM && !value)
		o.op.kind = SASS_GPR;
	return o;
}

static bool is_zero_origin(const struct origin *o)
{
	return o->leaf && o->op.kind == SASS_GPR;
}

static uint32_t param_base(const struct select *s)
{
	return NV_BANK0_PARAMS(s->f->sm, s->ir->param_bytes);
}

/* Offset of a special register in constant bank 0; -1: not there. */
static int bank0_offset(const struct select *s, uint8_t sreg)
{
	if (sreg >= IR_NTID_X && sreg <= IR_NTID_Z)
		return NV_BANK0_NTID + 4 * (sreg - IR_NTID_X);
	if (sreg >= IR_NCTAID_X && sreg <= IR_NCTAID_Z)
		return NV_BANK0_NCTAID + 4 * (sreg - IR_NCTAID_X);
	if (sreg == IR_DYNAMIC_SMEM)
		return NV_BANK0_DYNAMIC_SHARED;
	if (sreg == IR_GRIDID)
		return NV_BANK0_GRID_ID;
	if (sreg == IR_NSMID)
		return NV_BANK0_SM_COUNT;
	if (sreg == IR_RESERVED_SMEM_1 && s->f->sm >= 90)
		return NV_BANK0_SM90_RESERVED_1;
	if (sreg == IR_RESERVED_SMEM_END && s->f->sm >= 90)
		return NV_BANK0_SM90_RESERVED_END;
	if (sreg == IR_CLUSTER_LAUNCH)
		return NV_BANK0_SM90_CLUSTER_LAUNCH;
	if (sreg == IR_CLUSTER_NCTARANK)
		return NV_BANK0_SM90_CLUSTER_NCTARANK;
	if (sreg >= IR_CLUSTER_NCTAID_X && sreg <= IR_CLUSTER_NCTAID_Z)
		return NV_BANK0_SM90_CLUSTER_NCTAID + 4 * (sreg - IR_CLUSTER_NCTAID_X);
	if (sreg >= IR_NCLUSTERID_X && sreg <= IR_NCLUSTERID_Z)
		return NV_BANK0_SM90_NCLUSTERID + 4 * (sreg - IR_NCLUSTERID_X);
	if (sreg >= IR_ENVREG0 && sreg <= IR_ENVREG31)
		return (s->f->sm >= 90 ? NV_BANK0_SM90_ENVREGS : NV_BANK0_SM80_ENVREGS) +
		       4 * (sreg - IR_ENVREG0);
	return -1;
}

static bool is_const_amount(const struct select *s, const struct ir_inst *in, uint64_t *amount)
{
	return ir_is_const(s->ir, in->args[1], amount);
}

static struct origin find_origin(const struct select *s, ir_val v, uint32_t half);

bool constant_address(const struct select *s, ir_val v, int64_t *value)
{
	const struct ir_inst *in = ir_def(s->ir, v);
	uint8_t space;

	if (in->op == IR_CONST) {
		*value = (int32_t)in->imm;
		return true;
	}
	if (in->op != IR_ADDR)
		return false;
	space = s->ir->module->symbols[in->symbol].space;
	*value = (int32_t)(s->f->symbol_offset[in->symbol] + in->imm);
	return (space == IR_SHARED || space == IR_CONSTANT) && !s->job->options.relocatable;
}

/* Halves of 64-bit operations that need no instruction: 0 or a half of an argument. */
static bool wide_origin(const struct select *s, const struct ir_inst *in, uint32_t half,
			struct origin *o)
{
	uint64_t amount;
	struct origin a, b;

	switch (in->op) {
	case IR_SHL:
	case IR_SHR_U: {
		uint32_t vacated = in->op == IR_SHL ? 0 : 1;

		if (!is_const_amount(s, in, &amount) || amount < 32)
			return false;
		if (half == vacated || amount >= 64)
			*o = leaf_origin(in->res, half, SASS_IMM, 0);
		else if (amount == 32)
			*o = find_origin(s, in->args[0], vacated);
		else
			return false;
		return true;
	}
	case IR_AND:
	case IR_OR:
	case IR_XOR:
		a = find_origin(s, in->args[0], half);
		b = find_origin(s, in->args[1], half);
		if (!is_zero_origin(&a) && !is_zero_origin(&b))
			return false;
		*o = is_zero_origin(&a) == (in->op == IR_AND) ? a : b;
		return true;
	default:
		return false;
	}
}

/* Parameter loads: whole words are constant bank operands. */
static bool param_origin(const struct select *s, const struct ir_inst *in, ir_val v, uint32_t half,
			 struct origin *o)
{
	uint32_t bytes = ir_type_bits(in->type) / 8;

	if (in->space != IR_PARAM || in->from != in->type || bytes < 4 || in->nargs ||
	    in->imm % 4 || in->imm > s->ir->param_bytes ||
	    s->ir->param_bytes - in->imm < in->nres * bytes)
		return false;
	*o = leaf_origin(v, half, SASS_CONST,
			 (int64_t)(param_base(s) + in->imm + (v - in->res) * bytes + 4 * half));
	return true;
}

/* Loads of constants at known addresses. */
static void constant_origin(const struct select *s, const struct ir_inst *in, ir_val v,
			    uint32_t half, struct origin *o)
{
	uint32_t bytes = ir_type_bits(in->type) / 8;
	int64_t at;

	if (in->space != IR_CONSTANT || in->from != in->type || bytes < 4 || !in->nargs ||
	    !constant_address(s, in->args[0], &at))
		return;
	at += (int64_t)in->imm + (v - in->res) * bytes + 4 * half;
	if (at < 0 || at > 0xfffc || at % 4)
		return;
	*o = leaf_origin(v, half, SASS_CONST, at);
	o->op.aux = NV_CONSTANTS_BANK;
}

/* Addresses of variables. Those of global variables are read from a table at run time. */
static void address_origin(const struct select *s, const struct ir_inst *in, uint32_t half,
			   struct origin *o)
{
	uint8_t space = s->ir->module->symbols[in->symbol].space;
	uint32_t at = s->f->symbol_offset[in->symbol];

	if ((space == IR_SHARED || space == IR_CONSTANT) &&
	    (half || !s->job->options.relocatable)) {
		*o = leaf_origin(in->res, half, SASS_IMM, half ? 0 : (uint32_t)(at + in->imm));
	} else if (space == IR_LOCAL && half) {
		*o = leaf_origin(in->res, half, SASS_IMM, 0);
	} else if (space == IR_GLOBAL && !in->imm && !s->job->options.library &&
		   !s->job->options.relocatable) {
		*o = leaf_origin(in->res, half, SASS_CONST, at + 4 * half);
		o->op.aux = NV_ADDRESS_BANK;
	}
}

static struct origin find_origin(const struct select *s, ir_val v, uint32_t half)
{
	const struct ir_inst *in = ir_def(s->ir, v);
	bool wide = in->type == IR_B64;
	struct origin o = {.v = v, .half = (uint8_t)half};

	switch (in->op) {
	case IR_CONST:
		return leaf_origin(v, half, SASS_IMM, (uint32_t)(in->imm >> 32 * half));
	case IR_UNDEF:
		return leaf_origin(v, half, SASS_IMM, 0);
	case IR_COPY:
		return find_origin(s, in->args[0], half);
	case IR_TOSPACE:
	case IR_GENERIC:
		return in->space == IR_GLOBAL ? find_origin(s, in->args[0], half) : o;
	case IR_SREG:
		if (in->sub == IR_RESERVED_SMEM && s->f->sm >= 90)
			return leaf_origin(v, 0, SASS_IMM, 0);
		if (in->sub == IR_RESERVED_SMEM_CAP && s->f->sm >= 90)
			return leaf_origin(v, 0, SASS_IMM, NV_SM90_RESERVED_SHARED);
		return bank0_offset(s, in->sub) >= 0
			       ? leaf_origin(v, 0, SASS_CONST, bank0_offset(s, in->sub))
			       : o;
	case IR_ADDR:
		address_origin(s, in, half, &o);
		return o;
	case IR_LOAD:
		if (!param_origin(s, in, v, half, &o))
			constant_origin(s, in, v, half, &o);
		return o;
	case IR_UNPACK:
		if (wide)
			return find_origin(s, in->args[0], v - in->res);
		return v == in->res ? find_origin(s, in->args[0], 0) : o;
	case IR_PACK:
		return wide ? find_origin(s, in->args[half], 0) : o;
	case IR_TRUNC:
		return in->type == IR_B1 ? o : find_origin(s, in->args[0], 0);
	case IR_ZEXT:
		if (half)
			return leaf_origin(v, half, SASS_IMM, 0);
		return wide && in->from == IR_B32 ? find_origin(s, in->args[0], 0) : o;
	case IR_SEXT:
		return wide && in->from == IR_B32 && !half ? find_origin(s, in->args[0], 0) : o;
	default:
		if (wide)
			wide_origin(s, in, half, &o);
		return o;
	}
}

struct mir_ref value_ref(struct select *s, ir_val v, uint8_t need)
{
	struct value *value = &s->values[v];

	if (!value->ref.vreg) {
		value->ref.vreg = mir_vreg_new(s->f, type_of(s, v) == IR_B1 ? SASS_PRED : SASS_GPR,
					       type_of(s, v) == IR_B64 ? 2 : 1);
		s->f->vregs[value->ref.vreg].phi = ir_def(s->ir, v)->op == IR_PHI;
	}
	value->need |= need;
	return value->ref;
}

static struct arg arg_from_origin(struct select *s, struct origin o)
{
	struct arg a = {.half = o.half};

	if (o.leaf) {
		a.src.op = o.op;
		a.value = is_zero_origin(&o) ? 0 : o.v;
		return a;
	}
	a.src = subreg(mir_reg(SASS_GPR, value_ref(s, o.v, (uint8_t)(1 << o.half))), o.half);
	return a;
}

struct arg arg_half(struct select *s, ir_val v, uint32_t half)
{
	return arg_from_origin(s, find_origin(s, v, half));
}

bool is_free_half(const struct select *s, ir_val v, uint32_t half)
{
	struct origin o = find_origin(s, v, half);

	return o.leaf || o.v != v;
}

bool is_constant_half(const struct select *s, ir_val v, uint32_t half)
{
	return find_origin(s, v, half).leaf;
}

struct arg arg_word(struct select *s, ir_val v)
{
	return arg_half(s, v, 0);
}

/* Of 16-bit values Hopper computes minima and maxima in halves of a register, unless both are
 * extended. */
static bool is_extended_minmax(const struct select *s, const struct ir_inst *in, bool is_signed)
{
	for (uint32_t k = 0; k < 2 && s->f->sm >= 90 && in->type == IR_B16; k++) {
		enum ir_op op = ir_def(s->ir, in->args[k])->op;

		if (op == IR_MIN_U || op == IR_MAX_U || op == IR_MIN_S || op == IR_MAX_S ||
		    (op != IR_CONST && !is_extended(s, in->args[k], is_signed)))
			return false;
	}
	return in->type != IR_B32;
}

/* A zero-extended value with a clear sign bit is sign-extended, too. */
bool is_extended(const struct select *s, ir_val v, bool is_signed)
{
	const struct ir_inst *in = ir_def(s->ir, v);
	uint64_t k = 0;

	switch (in->op) {
	case IR_LOAD:
		if (in->from < in->type && (in->space == IR_PARAM || in->space == IR_CONSTANT))
			return false;
		return !!(in->flags & IR_SEXT_MEM) == is_signed ||
		       (is_signed && in->from < in->type);
	case IR_ZEXT:
		return true;
	case IR_UNPACK: /* the upper part, see select_unpack() */
		return !is_signed && v != in->res;
	case IR_SEXT:
		return is_signed && in->from != IR_B1;
	case IR_MIN_U:
	case IR_MAX_U:
		return !is_signed && is_extended_minmax(s, in, false);
	case IR_MIN_S:
	case IR_MAX_S:
		return is_signed && is_extended_minmax(s, in, true);
	case IR_SHR_S:
		return is_signed;
	case IR_SHR_U:
		return !is_signed || (is_const_amount(s, in, &k) && k);
	case IR_AND:
		return ir_is_const(s->ir, in->args[1], &k) &&
		       !(is_signed && k >> (ir_type_bits(in->type) - 1));
	default:
		return false;
	}
}

/* The upper part of an unpacked value, sign-extended from its position. */
static struct arg extend_upper_part(struct select *s, const struct ir_inst *unpack)
{
	struct arg out = {.src = new_temp(s, SASS_GPR, 1)};

	EMIT(s, PRMT, out.src, in_reg(s, arg_word(s, unpack->args[0])),
	     mir_imm(unpack->type == IR_B16 ? 0x9991 : 0xbb32), rz());
	return out;
}

struct arg arg_extended(struct select *s, ir_val v, bool is_signed)
{
	const struct ir_inst *in = ir_def(s->ir, v);
	uint32_t bits = ir_type_bits(type_of(s, v));
	struct arg a, out = {0};

	if (in->op == IR_UNPACK && in->type != IR_B64 && v != in->res && is_signed)
		return extend_upper_part(s, in);
	a = arg_word(s, v);
	if (bits >= 32 || is_extended(s, v, is_signed))
		return a;
	if (a.src.op.kind == SASS_IMM || is_zero(&a)) {
		uint32_t shift = 32 - bits, value = (uint32_t)a.src.op.value << shift;

		out.src = mir_imm(is_signed ? (uint32_t)((int32_t)value >> shift) : value >> shift);
		if (!out.src.op.value)
			out.src = rz();
		return out;
	}
	out.src = new_temp(s, SASS_GPR, 1);
	/* Selector: nibbles 0–3 are the bytes of the first source, 8 more replicates the sign, 4
	 * is byte 0 of the second source, here 0. */
	EMIT(s, PRMT, out.src, in_reg(s, a),
	     mir_imm(bits == 8 ? (is_signed ? 0x8880 : 0x4440) : (is_signed ? 0x9910 : 0x4410)),
	     rz());
	return out;
}

struct arg arg_pair(struct select *s, ir_val v)
{
	struct origin low = find_origin(s, v, 0), high = find_origin(s, v, 1);
	struct arg a = {.value = v};

	if (is_zero_origin(&low) && is_zero_origin(&high)) {
		a.src = rz();
		a.value = 0;
	} else if (low.leaf && low.op.kind == SASS_CONST && high.op.kind == SASS_CONST &&
		   low.op.aux == high.op.aux && !(low.op.value & 7) &&
		   high.op.value == low.op.value + 4) {
		a.src.op = low.op;
	} else if (!low.leaf && !high.leaf && low.v == high.v && !low.half && high.half) {
		/* Both halves of one pair. */
		a.src = mir_reg(SASS_GPR, value_ref(s, low.v, NEED_PAIR));
		a.value = 0;
	} else {
		a.src = mir_reg(SASS_GPR, value_ref(s, v, NEED_PAIR));
		a.value = 0;
	}
	return a;
}

struct arg arg_f64(struct select *s, ir_val v)
{
	const struct ir_inst *in = ir_def(s->ir, v);
	struct arg a;

	if (in->op != IR_CONST || (uint32_t)in->imm || !in->imm)
		return arg_pair(s, v);
	a = (struct arg){.value = v};
	a.src = mir_imm((uint32_t)(in->imm >> 32));
	return a;
}

struct mir_source arg_pred(struct select *s, ir_val v)
{
	const struct ir_inst *def;
	uint8_t flip = 0;

	for (;;) {
		const struct ir_inst *in = ir_def(s->ir, v);

		if (in->op == IR_CONST || in->op == IR_UNDEF)
			return with_flags(mir_pred_const(in->op == IR_CONST && in->imm), flip);
		if (in->op != IR_NOT && in->op != IR_COPY)
			break;
		if (in->op == IR_NOT)
			flip ^= SASS_NEG;
		v = in->args[0];
	}
	def = ir_def(s->ir, v);
	/* IADD3 produces a carry, the inverse of the borrow; LOP3 tests for other than zero. */
	if (def->op == IR_SUBC || (is_bit_test(s, def) && def->cond == IR_EQ))
		flip ^= SASS_NEG;
	return with_flags(mir_reg(SASS_PRED, value_ref(s, v, NEED_LOW)), flip);
}

bool is_reg(const struct arg *a)
{
	return a->src.op.kind == SASS_GPR;
}

bool is_zero(const struct arg *a)
{
	return is_reg(a) && !a->src.ref.vreg;
}

struct mir_source in_reg(struct select *s, struct arg a)
{
	struct mir_source r;

	if (is_reg(&a))
		return a.src;
	if (a.value) {
		r = subreg(mir_reg(SASS_GPR, value_ref(s, a.value, (uint8_t)(1 << a.half))),
			   a.half);
		return with_flags(r, a.src.op.flags);
	}
	r = new_temp(s, SASS_GPR, 1);
	EMIT(s, MOV, r, a.src);
	return r;
}

struct mir_source in_pair(struct select *s, struct arg a)
{
	return is_reg(&a) ? a.src : mir_reg(SASS_GPR, value_ref(s, a.value, NEED_PAIR));
}

struct arg negated(struct arg a)
{
	if (a.src.op.kind == SASS_IMM) {
		a.src = mir_imm(0u - (uint32_t)a.src.op.value);
		a.value = 0;
	} else if (!is_zero(&a)) {
		a.src.op.flags ^= SASS_NEG;
	}
	return a;
}

const struct ir_inst *fold_def(struct select *s, ir_val v, enum ir_op op, enum ir_type type)
{
	const struct ir_inst *in = ir_def(s->ir, v);

	if (in->op != op || in->type != type)
		return NULL;
	/* Do not move a computation into a loop. */
	return s->cfg->loop_depth[in->block] == s->cfg->loop_depth[s->block] ? in : NULL;
}

const struct ir_inst *fold_single_use(struct select *s, ir_val v, enum ir_op op, enum ir_type type)
{
	return s->values[v].uses == 1 ? fold_def(s, v, op, type) : NULL;
}

static void swap_args(struct arg *a, struct arg *b)
{
	struct arg t = *a;

	*a = *b;
	*b = t;
}

void legalise_args(struct select *s, struct arg *args, uint32_t count, bool commutes)
{
	if (commutes && !is_reg(&args[0]))
		swap_args(&args[0], &args[1]);
	/* The zero register goes second: the first operand must be a register anyway. */
	if (commutes && is_reg(&args[1]) && is_zero(&args[0]) && !is_zero(&args[1]))
		swap_args(&args[0], &args[1]);
	args[0].src = in_reg(s, args[0]);
	if (count == 3 && !is_reg(&args[1]) && !is_reg(&args[2]))
		args[1].src = in_reg(s, args[1]);
}
