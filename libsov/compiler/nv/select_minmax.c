// SPDX-License-Identifier: MIT
/*
 * Selection of minima and maxima, and of arithmetic on two 16-bit integers in a register. From
 * Hopper on, one instruction computes the minimum or maximum of a sum and a third value, or of
 * three values, and clamps the result to zero (.RELU), of 32 bits or of two halves of 16 bits.
 *
 * The IR has no operations on pairs of integers: it unpacks the halves, computes both and packs
 * them. Here a term is one value, or two 16-bit values that are the halves of a register. The tree
 * of a pack is computed on pairs if both of its halves have the same shape and all leaves are
 * halves of the same registers. A single 16-bit value is the low half of a pair whose high half is
 * undefined, so that its bits above need no extension.
 *
 * Adding a term costs nothing, so a sum is folded into each of its uses, unless one of those
 * already selected needs its value.
 */
#include "libsov/compiler/nv/select.h"

#define MAX_DEPTH 4 /* of the tree of a pack */

struct term {
	ir_val low, high; /* high is 0 for one value */
};

static bool is_pair(struct term t)
{
	return t.high;
}

static bool is_minmax(enum ir_op op)
{
	return op == IR_MIN_U || op == IR_MIN_S || op == IR_MAX_U || op == IR_MAX_S;
}

static bool is_min(enum ir_op op)
{
	return op == IR_MIN_U || op == IR_MIN_S;
}

static bool is_signed_minmax(enum ir_op op)
{
	return op == IR_MIN_S || op == IR_MAX_S;
}

/* The register whose halves the values of a pair are; 0: there is none. Of values that are also
 * packed, it is the result of an earlier pack of the block. */
static ir_val whole_of(const struct select *s, struct term t)
{
	const struct ir_inst *in = ir_def(s->ir, t.low), *pack;
	ir_val packed = s->values[t.low].packed;

	if (in->op == IR_UNPACK && in->type == IR_B32 && t.low == in->res && t.high == in->res + 1)
		return in->args[0];
	pack = ir_def(s->ir, packed);
	return packed && !s->values[packed].selected && pack->block == s->block &&
			       pack->args[0] == t.low && pack->args[1] == t.high
		       ? packed
		       : 0;
}

static bool constant_term(const struct select *s, struct term t, uint32_t *value)
{
	uint64_t low, high = 0;

	if (!ir_is_const(s->ir, t.low, &low) || (is_pair(t) && !ir_is_const(s->ir, t.high, &high)))
		return false;
	*value = is_pair(t) ? ((uint32_t)low & 0xffff) | (uint32_t)high << 16 : (uint32_t)low;
	return true;
}

/* Zero is a register. */
static bool is_constant_term(const struct select *s, struct term t)
{
	ir_val whole = is_pair(t) ? whole_of(s, t) : t.low;
	uint32_t value;

	if (constant_term(s, t, &value))
		return value;
	return whole && is_constant_half(s, whole, 0);
}

static bool is_packable(struct select *s, struct term t, uint32_t depth, bool again);

/* The instruction that defines v, if it may be folded: this is its only use, or with again the
 * instruction is in the same block and no use so far needs its result. */
static const struct ir_inst *fold_unneeded(struct select *s, ir_val v, enum ir_op op, bool again)
{
	const struct ir_inst *in = fold_def(s, v, op, type_of(s, v));

	if (!in || s->values[v].uses == 1)
		return in;
	return again && in->block == s->block && !s->values[v].need ? in : NULL;
}

/* The arguments of a node of op, each a term. */
static bool node_args(struct select *s, struct term t, enum ir_op op, struct term args[2],
		      uint32_t depth, bool again)
{
	const struct ir_inst *low = fold_unneeded(s, t.low, op, again), *high;

	if (!low)
		return false;
	for (uint32_t k = 0; k < low->nargs; k++)
		args[k] = (struct term){low->args[k], 0};
	if (!is_pair(t))
		return true;
	high = fold_unneeded(s, t.high, op, again);
	if (!high || !depth)
		return false;
	for (uint32_t k = 0; k < low->nargs; k++) {
		args[k].high = high->args[k];
		if (!is_packable(s, args[k], depth - 1, false))
			return false;
	}
	return true;
}

static bool is_packable(struct select *s, struct term t, uint32_t depth, bool again)
{
	enum ir_op op = ir_def(s->ir, t.low)->op;
	struct term args[2];
	uint32_t value;

	if (whole_of(s, t) || constant_term(s, t, &value))
		return true;
	return (op == IR_ADD || op == IR_SUB || op == IR_NEG || is_minmax(op)) &&
	       node_args(s, t, op, args, depth, again);
}

static void emit_pair(struct select *s, struct mir_source d, struct term t);

static struct arg arg_term(struct select *s, struct term t)
{
	struct arg a = {0};
	uint32_t value;

	if (!is_pair(t))
		return arg_word(s, t.low);
	if (whole_of(s, t))
		return arg_word(s, whole_of(s, t));
	if (constant_term(s, t, &value)) {
		a.src = value ? mir_imm(value) : rz();
		return a;
	}
	a.src = new_temp(s, SASS_GPR, 1);
	emit_pair(s, a.src, t);
	return a;
}

/* Both halves of an immediate negated, or a negated register. */
static struct arg negated_term(struct select *s, struct term t, bool halves)
{
	struct arg a = arg_term(s, t);
	uint32_t value = (uint32_t)a.src.op.value;

	if (!halves || a.src.op.kind != SASS_IMM)
		return negated(a);
	a.value = 0;
	a.src = mir_imm(((0u - value) & 0xffff) | ((0u - (value >> 16)) << 16));
	return a;
}

/* What a minimum or maximum is computed of. */
struct choice {
	enum ir_op op;
	bool halves, relu, subtracts;
	uint32_t count;       /* of terms */
	bool sum;             /* of the first two terms */
	struct term terms[3]; /* those after the sum's in any order */
};

/* min or max(sum, x). A sum of a constant and a minimum with another would need a copy. */
static bool fold_sum(struct select *s, struct choice *c, struct term sum, struct term x)
{
	struct term args[2];
	bool add = node_args(s, sum, IR_ADD, args, MAX_DEPTH, true);

	if (!add &&
	    (!node_args(s, sum, IR_SUB, args, MAX_DEPTH, true) || is_constant_term(s, args[0])))
		return false;
	if (is_constant_term(s, args[0]) + is_constant_term(s, args[1]) + is_constant_term(s, x) >
	    1)
		return false;
	c->sum = true;
	c->subtracts = !add;
	c->count = 3;
	c->terms[0] = args[0];
	c->terms[1] = args[1];
	c->terms[2] = x;
	return true;
}

/* min or max(min or max(a, b), x). */
static bool fold_third(struct select *s, struct choice *c, struct term inner, struct term x)
{
	struct term args[2];

	if (!node_args(s, inner, c->op, args, MAX_DEPTH, true) ||
	    is_constant_term(s, args[0]) + is_constant_term(s, args[1]) + is_constant_term(s, x) >
		    1)
		return false;
	c->count = 3;
	c->terms[0] = args[0];
	c->terms[1] = args[1];
	c->terms[2] = x;
	return true;
}

/* max(t, 0) of a signed minimum or maximum t. */
static bool fold_relu(struct select *s, struct choice *c)
{
	for (uint32_t k = 0; k < 2 && c->op == IR_MAX_S; k++) {
		struct term args[2], x = c->terms[1 - k];
		enum ir_op op = ir_def(s->ir, x.low)->op;
		uint32_t zero;

		if (!constant_term(s, c->terms[k], &zero) || zero ||
		    (op != IR_MIN_S && op != IR_MAX_S) ||
		    !node_args(s, x, op, args, MAX_DEPTH, true))
			continue;
		c->op = op;
		c->relu = true;
		c->terms[0] = args[0];
		c->terms[1] = args[1];
		return true;
	}
	return false;
}

static void emit_choice(struct select *s, struct mir_source d, const struct choice *c)
{
	static const uint16_t ops[3][2] = {{SASS_VIMNMX, SASS_VIMNMX_16X2},
					   {SASS_VIMNMX3, SASS_VIMNMX3_16X2},
					   {SASS_VIADDMNMX, SASS_VIADDMNMX_16X2}};
	struct mir_source operands[5] = {d};
	struct arg args[3];
	struct mir_inst *i;

	for (uint32_t k = 0; k < c->count; k++)
		args[k] = k == 1 && c->subtracts ? negated_term(s, c->terms[k], c->halves)
						 : arg_term(s, c->terms[k]);
	/* Only the second of three values may be other than a register. */
	if (c->count == 3 && !c->sum && !is_reg(&args[2])) {
		struct arg t = args[1];

		args[1] = args[2];
		args[2] = t;
	}
	legalise_args(s, args, c->count, !c->subtracts);
	for (uint32_t k = 0; k < c->count; k++)
		operands[1 + k] = args[k].src;
	operands[1 + c->count] = mir_pred_const(is_min(c->op));
	i = emit(s, ops[c->sum ? 2 : c->count - 2][c->halves], operands, c->count + 2);
	set_mod(i, SASS_M_SIGNED, is_signed_minmax(c->op));
	set_mod(i, SASS_M_RELU, c->relu);
}

/* A sum is folded first: a minimum of minima of sums then needs no addition but one. */
static void emit_minmax(struct select *s, struct mir_source d, struct choice c)
{
	fold_relu(s, &c);
	if (!fold_sum(s, &c, c.terms[0], c.terms[1]) && !fold_sum(s, &c, c.terms[1], c.terms[0]) &&
	    !fold_third(s, &c, c.terms[0], c.terms[1]))
		fold_third(s, &c, c.terms[1], c.terms[0]);
	emit_choice(s, d, &c);
}

static void emit_pair(struct select *s, struct mir_source d, struct term t)
{
	struct choice c = {.op = ir_def(s->ir, t.low)->op, .halves = true, .count = 2};
	struct arg args[2];

	node_args(s, t, c.op, c.terms, MAX_DEPTH, true);
	if (is_minmax(c.op)) {
		emit_minmax(s, d, c);
		return;
	}
	if (c.op == IR_NEG) {
		c.terms[1] = c.terms[0];
		args[0] = (struct arg){.src = rz()};
	} else {
		args[0] = arg_term(s, c.terms[0]);
	}
	args[1] = c.op == IR_ADD ? arg_term(s, c.terms[1]) : negated_term(s, c.terms[1], true);
	legalise_args(s, args, 2, c.op == IR_ADD);
	EMIT(s, VIADD_16X2, d, args[0].src, args[1].src);
}

bool select_pair(struct select *s, const struct ir_inst *in)
{
	struct term t = {in->args[0], in->args[1]};
	uint32_t value;

	if (s->f->sm < 90 || in->type != IR_B32 || whole_of(s, t) || constant_term(s, t, &value) ||
	    !is_packable(s, t, MAX_DEPTH, true))
		return false;
	emit_pair(s, result(s, in->res), t);
	return true;
}

/* The maximum of a value and its negation is its absolute value. */
static bool select_abs(struct select *s, const struct ir_inst *in)
{
	for (uint32_t k = 0; k < 2 && in->op == IR_MAX_S && in->type == IR_B32; k++) {
		const struct ir_inst *neg = fold_def(s, in->args[k], IR_NEG, in->type);

		if (!neg || neg->args[0] != in->args[1 - k])
			continue;
		EMIT(s, IABS, result(s, in->res), arg_word(s, neg->args[0]).src);
		return true;
	}
	return false;
}

/* In 32 bits, by a comparison and selections or by one instruction. */
static void emit_minmax_word(struct select *s, const struct ir_inst *in)
{
	bool is_signed = is_signed_minmax(in->op);
	struct arg args[2];
	struct mir_inst *i;

	args[0] = arg_extended(s, in->args[0], is_signed);
	args[1] = arg_extended(s, in->args[1], is_signed);
	legalise_args(s, args, 2, true);
	if (s->f->sm < 75) { /* no IMNMX */
		struct mir_source first = new_temp(s, SASS_PRED, 1);

		i = EMIT(s, ISETP, first, NONE, args[0].src, args[1].src, mir_pred_const(true));
		set_mod(i, SASS_M_CMP, is_min(in->op) ? SASS_CMP_LT : SASS_CMP_GT);
		set_mod(i, SASS_M_SIGNED, is_signed);
		EMIT(s, SEL, result(s, in->res), args[0].src, args[1].src, first);
		return;
	}
	/* Hopper has a second unit for it. */
	i = s->f->sm >= 90 ? EMIT(s, VIMNMX, result(s, in->res), args[0].src, args[1].src,
				  mir_pred_const(is_min(in->op)))
			   : EMIT(s, IMNMX, result(s, in->res), args[0].src, args[1].src,
				  mir_pred_const(is_min(in->op)));
	set_mod(i, SASS_M_SIGNED, is_signed);
}

bool select_minmax(struct select *s, const struct ir_inst *in)
{
	struct choice c = {.op = in->op, .halves = in->type == IR_B16, .count = 2};

	if (in->type == IR_B64)
		return select_minmax_wide(s, in);
	if (select_abs(s, in))
		return true;
	c.terms[0] = (struct term){in->args[0], 0};
	c.terms[1] = (struct term){in->args[1], 0};
	if (s->f->sm < 90 || in->type == IR_B8 || is_extended(s, in->res, is_signed_minmax(in->op)))
		emit_minmax_word(s, in);
	else
		emit_minmax(s, result(s, in->res), c);
	return true;
}
