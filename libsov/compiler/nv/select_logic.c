// SPDX-License-Identifier: MIT
/*
 * Selection of logic, comparisons and select. LOP3 (words) and PLOP3 (predicates) compute any
 * function of three inputs from a truth table, so a tree of operations with up to three leaves is
 * one instruction: the leaves are collected first, then the tree is evaluated on the columns of the
 * truth table.
 */
#include "libsov/compiler/nv/select.h"

#define LEAVES 3
static const uint8_t column[LEAVES] = {0xf0, 0xcc, 0xaa};

struct tree {
	enum ir_type type;
	ir_val leaves[LEAVES];
	uint32_t count;
};

/* Returns the node if it is a logic operation that can be folded into the tree. */
static const struct ir_inst *inner_node(struct select *s, ir_val v, enum ir_type type)
{
	const struct ir_inst *in = ir_def(s->ir, v);

	if (in->op != IR_AND && in->op != IR_OR && in->op != IR_XOR && in->op != IR_NOT)
		return NULL;
	return is_funnel(s, in) ? NULL : fold_single_use(s, v, in->op, type);
}

/* The column of a leaf of this value, or of a constant that is its inverse; 0: there is none. */
static uint8_t leaf_column(const struct select *s, const struct tree *t, ir_val v)
{
	uint64_t a, b, ones = t->type == IR_B64 ? UINT64_MAX : UINT32_MAX;

	for (uint32_t k = 0; k < t->count; k++) {
		if (t->leaves[k] == v)
			return column[k];
		if (t->type >= IR_B32 && t->leaves[k] && ir_is_const(s->ir, v, &a) &&
		    ir_is_const(s->ir, t->leaves[k], &b) && (a ^ b) == ones)
			return (uint8_t)~column[k];
	}
	return 0;
}

static bool collect_args(struct select *s, struct tree *t, const struct ir_inst *node,
			 uint32_t limit);

/* Adds v to a tree of at most limit leaves: expanded if it fits, else as a leaf. */
static bool collect_value(struct select *s, struct tree *t, ir_val v, uint32_t limit)
{
	const struct ir_inst *node = inner_node(s, v, t->type);
	struct tree saved = *t;

	if (leaf_column(s, t, v))
		return true;
	if (node && collect_args(s, t, node, limit))
		return true;
	*t = saved;
	if (t->count >= limit)
		return false;
	t->leaves[t->count++] = v;
	return true;
}

/* Adds the arguments of a node, the first leaving room for a second that is no leaf yet. */
static bool collect_args(struct select *s, struct tree *t, const struct ir_inst *node,
			 uint32_t limit)
{
	if (limit < node->nargs)
		return false;
	for (uint32_t k = 0; k < node->nargs; k++) {
		bool more = k + 1 < node->nargs && !leaf_column(s, t, node->args[k + 1]);

		if (!collect_value(s, t, node->args[k], limit - more))
			return false;
	}
	return true;
}

static uint8_t evaluate_tree(const struct select *s, const struct tree *t, ir_val v)
{
	const struct ir_inst *in = ir_def(s->ir, v);
	uint8_t a = leaf_column(s, t, v), b;

	if (a)
		return a;
	a = evaluate_tree(s, t, in->args[0]);
	if (in->op == IR_NOT)
		return (uint8_t)~a;
	b = evaluate_tree(s, t, in->args[1]);
	return in->op == IR_AND ? a & b : in->op == IR_OR ? a | b : a ^ b;
}

static void swap_leaves(struct tree *t, struct arg *args, uint32_t i, uint32_t j)
{
	ir_val v = t->leaves[i];
	struct arg a = args[i];

	t->leaves[i] = t->leaves[j];
	t->leaves[j] = v;
	args[i] = args[j];
	args[j] = a;
}

/* One word of the tree of v, and whether it is nonzero. Only the second input may be other than a
 * register. */
static void emit_logic_word(struct select *s, ir_val v, struct tree t, uint32_t half,
			    struct mir_source nonzero, struct mir_source d)
{
	struct arg args[LEAVES] = {{.src = rz()}, {.src = rz()}, {.src = rz()}};

	for (uint32_t k = 0; k < t.count; k++)
		args[k] = arg_half(s, t.leaves[k], half);
	for (uint32_t k = 0; k < LEAVES; k += 2) {
		if (is_reg(&args[k]))
			continue;
		if (is_reg(&args[1])) {
			if (t.count < 2)
				t.count = 2;
			swap_leaves(&t, args, k, 1);
		} else {
			args[k].src = in_reg(s, args[k]);
		}
	}
	EMIT(s, LOP3, nonzero, d, args[0].src, args[1].src, args[2].src,
	     mir_imm(evaluate_tree(s, &t, v)), mir_pred_const(false));
}

static void emit_logic_pred(struct select *s, const struct ir_inst *in, const struct tree *t)
{
	struct mir_source x[LEAVES] = {mir_pred_const(true), mir_pred_const(true),
				       mir_pred_const(true)};

	for (uint32_t k = 0; k < t->count; k++)
		x[k] = arg_pred(s, t->leaves[k]);
	EMIT(s, PLOP3, result(s, in->res), NONE, x[0], x[1], x[2],
	     mir_imm(evaluate_tree(s, t, in->res)), mir_imm(0));
}

/* Folds a comparison: ISETP, FSETP and DSETP combine their result with another predicate. */
static bool fold_compare(struct select *s, const struct ir_inst *in);

/* A byte of a word: (x >> 8 k) & 0xff. */
static bool select_byte(struct select *s, const struct ir_inst *in)
{
	const struct ir_inst *shift;
	uint64_t mask, amount;

	if (in->op != IR_AND || in->type != IR_B32 || !ir_is_const(s->ir, in->args[1], &mask) ||
	    mask != 0xff)
		return false;
	shift = fold_single_use(s, in->args[0], IR_SHR_U, IR_B32);
	if (!shift || !ir_is_const(s->ir, shift->args[1], &amount) || amount % 8 || amount >= 32)
		return false;
	EMIT(s, PRMT, result(s, in->res), in_reg(s, arg_word(s, shift->args[0])),
	     mir_imm(0x4440 + (uint32_t)amount / 8), rz());
	return true;
}

bool select_logic(struct select *s, const struct ir_inst *in)
{
	struct tree t = {.type = in->type};

	if (select_byte(s, in) || select_funnel(s, in))
		return true;
	if (in->type == IR_B1 && fold_compare(s, in))
		return true;
	collect_args(s, &t, in, LEAVES);
	if (in->type == IR_B1) {
		emit_logic_pred(s, in, &t);
		return true;
	}
	for (uint32_t half = 0; half < 2; half++) {
		if (is_needed(s, in->res, (uint8_t)(1 << half)))
			emit_logic_word(s, in->res, t, half, NONE, result_half(s, in->res, half));
	}
	return true;
}

bool select_logic3(struct select *s, const struct ir_inst *in)
{
	for (uint32_t half = 0; half < 2; half++) {
		struct mir_source x[LEAVES];

		if (!is_needed(s, in->res, (uint8_t)(1 << half)))
			continue;
		for (uint32_t k = 0; k < LEAVES; k++) {
			struct arg a = arg_half(s, in->args[k], half);

			x[k] = k == 1 ? a.src : in_reg(s, a);
		}
		EMIT(s, LOP3, NONE, result_half(s, in->res, half), x[0], x[1], x[2],
		     mir_imm((uint32_t)in->imm & 0xff), mir_pred_const(false));
	}
	return true;
}

/* Comparisons. */

static const struct {
	uint8_t cmp, swapped;
	bool is_signed;
} conditions[] = {
	[IR_EQ] = {SASS_CMP_EQ, SASS_CMP_EQ, true},
	[IR_NE] = {SASS_CMP_NE, SASS_CMP_NE, true},
	[IR_LT_S] = {SASS_CMP_LT, SASS_CMP_GT, true},
	[IR_LE_S] = {SASS_CMP_LE, SASS_CMP_GE, true},
	[IR_GT_S] = {SASS_CMP_GT, SASS_CMP_LT, true},
	[IR_GE_S] = {SASS_CMP_GE, SASS_CMP_LE, true},
	[IR_LT_U] = {SASS_CMP_LT, SASS_CMP_GT, false},
	[IR_LE_U] = {SASS_CMP_LE, SASS_CMP_GE, false},
	[IR_GT_U] = {SASS_CMP_GT, SASS_CMP_LT, false},
	[IR_GE_U] = {SASS_CMP_GE, SASS_CMP_LE, false},
};

static struct mir_inst *emit_compare(struct select *s, struct mir_source p, struct arg a,
				     struct arg b, uint8_t cond, bool is_signed,
				     struct mir_source x)
{
	uint8_t cmp = conditions[cond].cmp;
	struct mir_inst *i;

	if (!is_reg(&a) && is_reg(&b)) {
		struct arg t = a;

		a = b;
		b = t;
		cmp = conditions[cond].swapped;
	}
	i = EMIT(s, ISETP, p, NONE, in_reg(s, a), b.src, x);
	set_mod(i, SASS_M_CMP, cmp);
	set_mod(i, SASS_M_SIGNED, is_signed);
	return i;
}

/* Whether argument k is the old value of a compare-and-swap in shared memory, and its comparison
 * with the expected value is its only use. */
static bool is_swap_test(const struct select *s, const struct ir_inst *in, uint32_t k)
{
	const struct ir_inst *cas = ir_def(s->ir, in->args[k]);

	return (in->cond == IR_EQ || in->cond == IR_NE) && cas->op == IR_CAS &&
	       cas->space == IR_SHARED && cas->nres == 1 && cas->block == s->block &&
	       cas->args[1] == in->args[1 - k] && s->values[in->args[k]].uses == 1;
}

/* p = (a cond b) BOOL x. */
static void emit_icmp(struct select *s, const struct ir_inst *in, struct mir_source p,
		      struct mir_source x, uint8_t boolean)
{
	bool is_signed = conditions[in->cond].is_signed;
	struct mir_source low;
	struct mir_inst *i;
	struct arg a, b;

	for (uint32_t k = 0; k < 2; k++) {
		ir_val v = in->args[k];

		if (!is_swap_test(s, in, k))
			continue;
		s->values[v].swap_tested = true; /* then the result is 1 or 0: see select_cas */
		a = in->type == IR_B64 ? arg_half(s, v, 0) : arg_word(s, v);
		b = (struct arg){.src = mir_imm(1)};
		i = emit_compare(s, p, a, b, in->cond, false, x);
		set_mod(i, SASS_M_BOOL, boolean);
		return;
	}
	if (in->type != IR_B64) {
		/* Equality holds under either extension, if both operands have the same. */
		bool extend = is_signed && in->cond != IR_EQ && in->cond != IR_NE;

		a = arg_extended(s, in->args[0], extend);
		b = arg_extended(s, in->args[1], extend);
		i = emit_compare(s, p, a, b, in->cond, is_signed, x);
	} else {
		/* The high words decide unless they are equal; then the result of the low words
		 * does. */
		a = arg_half(s, in->args[0], 1);
		b = arg_half(s, in->args[1], 1);
		low = new_temp(s, SASS_PRED, 1);
		emit_compare(s, low, arg_half(s, in->args[0], 0), arg_half(s, in->args[1], 0),
			     in->cond, false, mir_pred_const(true));
		i = emit_compare(s, p, a, b, in->cond, is_signed, x);
		mir_set_operand(i, 5, low);
		set_mod(i, SASS_M_EX, 1);
	}
	set_mod(i, SASS_M_BOOL, boolean);
}

/* A comparison of two bytes at the same place of loaded words, or of one with 0: no element needs
 * to be extracted. */
static bool is_element_test(const struct select *s, const struct ir_inst *in)
{
	struct element a, b;
	uint64_t k;

	if (in->op != IR_ICMP || in->type == IR_B64 || (in->cond != IR_EQ && in->cond != IR_NE) ||
	    !is_element(s, in->args[0], &a))
		return false;
	if (ir_is_const(s->ir, in->args[1], &k))
		return !k;
	return is_element(s, in->args[1], &b) && a.size == b.size &&
	       (a.index - b.index) * a.size % 4 == 0 &&
	       !((a.load->flags ^ b.load->flags) & IR_SEXT_MEM);
}

static void emit_element_test(struct select *s, const struct ir_inst *in)
{
	struct mir_source x, y = rz();
	struct element a, b;
	uint32_t mask;

	is_element(s, in->args[0], &a);
	x = element_word(s, &a, &mask);
	if (is_element(s, in->args[1], &b))
		y = element_word(s, &b, &mask);
	EMIT(s, LOP3, result(s, in->res), rz(), x, mir_imm(mask), y, mir_imm(0x48),
	     mir_pred_const(false)); /* (x ^ y) & mask */
}

bool is_bit_test(const struct select *s, const struct ir_inst *in)
{
	const struct ir_inst *logic;
	uint64_t k;

	if (is_element_test(s, in))
		return true;
	if (in->op != IR_ICMP || in->type != IR_B32 || (in->cond != IR_EQ && in->cond != IR_NE) ||
	    !ir_is_const(s->ir, in->args[1], &k) || k || s->values[in->args[0]].uses != 1)
		return false;
	logic = ir_def(s->ir, in->args[0]);
	return (logic->op == IR_AND || logic->op == IR_OR || logic->op == IR_XOR) &&
	       logic->block == in->block;
}

/* LOP3 tells whether its result is nonzero. A test for zero is the inverse: see arg_pred(). */
static void emit_bit_test(struct select *s, const struct ir_inst *in)
{
	struct tree t = {.type = IR_B32};

	if (is_element_test(s, in)) {
		emit_element_test(s, in);
		return;
	}
	collect_args(s, &t, ir_def(s->ir, in->args[0]), LEAVES);
	emit_logic_word(s, in->args[0], t, 0, result(s, in->res), rz());
}

bool select_icmp(struct select *s, const struct ir_inst *in)
{
	if (is_bit_test(s, in)) {
		emit_bit_test(s, in);
		return true;
	}
	if (in->type == IR_B1) {
		/* Of predicates, in the order false < true: a truth table of two inputs. */
		static const uint8_t tables[] = {
			[IR_EQ] = 0xc3,   [IR_NE] = 0x3c,   [IR_LT_U] = 0x0c, [IR_LE_U] = 0xcf,
			[IR_GT_U] = 0x30, [IR_GE_U] = 0xf3, [IR_LT_S] = 0x30, [IR_LE_S] = 0xf3,
			[IR_GT_S] = 0x0c, [IR_GE_S] = 0xcf,
		};

		EMIT(s, PLOP3, result(s, in->res), NONE, arg_pred(s, in->args[0]),
		     arg_pred(s, in->args[1]), mir_pred_const(true), mir_imm(tables[in->cond]),
		     mir_imm(0));
		return true;
	}
	emit_icmp(s, in, result(s, in->res), mir_pred_const(true), SASS_AND);
	return true;
}

static bool fold_compare(struct select *s, const struct ir_inst *in)
{
	static const uint8_t booleans[] = {
		[IR_AND] = SASS_AND, [IR_OR] = SASS_OR, [IR_XOR] = SASS_XOR};

	if (in->op == IR_NOT)
		return false;
	for (uint32_t k = 0; k < 2; k++) {
		const struct ir_inst *cmp = ir_def(s->ir, in->args[k]);
		bool is_float = cmp->op == IR_FCMP && !is_half(cmp);
		struct mir_source x;

		if ((!is_float && (cmp->op != IR_ICMP || cmp->type == IR_B1)) ||
		    is_element_test(s, cmp) || !fold_single_use(s, in->args[k], cmp->op, cmp->type))
			continue;
		x = arg_pred(s, in->args[1 - k]);
		if (is_float)
			emit_fcmp(s, cmp, result(s, in->res), x, booleans[in->op]);
		else
			emit_icmp(s, cmp, result(s, in->res), x, booleans[in->op]);
		return true;
	}
	return false;
}

/* Select. */

static void emit_select_word(struct select *s, struct mir_source d, struct arg a, struct arg b,
			     struct mir_source p)
{
	if (!is_reg(&a) && is_reg(&b)) {
		struct arg t = a;

		a = b;
		b = t;
		p = with_flags(p, SASS_NEG);
	}
	EMIT(s, SEL, d, in_reg(s, a), b.src, p);
}

static bool is_sign_change(const struct select *s, ir_val v)
{
	const struct ir_inst *in = ir_def(s->ir, v);

	return (in->op == IR_FNEG || in->op == IR_FABS) && !is_half(in) && !(in->flags & IR_FTZ);
}

/* FSEL negates its operands or takes their absolute values. */
static bool select_signed(struct select *s, const struct ir_inst *in, struct mir_source p)
{
	struct arg a, b;

	if (in->type != IR_B32 ||
	    (!is_sign_change(s, in->args[1]) && !is_sign_change(s, in->args[2])))
		return false;
	a = arg_float(s, in->args[1], 0, false);
	b = arg_float(s, in->args[2], 0, false);
	if (!is_reg(&a) && is_reg(&b)) {
		struct arg t = a;

		a = b;
		b = t;
		p = with_flags(p, SASS_NEG);
	}
	EMIT(s, FSEL, result(s, in->res), float_in_reg(s, a, IR_B32), b.src, p);
	return true;
}

bool select_select(struct select *s, const struct ir_inst *in)
{
	struct mir_source p;

	if (select_half_truth(s, in) || select_shift_amount(s, in))
		return true;
	p = arg_pred(s, in->args[0]);
	if (select_signed(s, in, p))
		return true;
	if (in->type == IR_B1) {
		EMIT(s, PLOP3, result(s, in->res), NONE, p, arg_pred(s, in->args[1]),
		     arg_pred(s, in->args[2]), mir_imm(0xca), mir_imm(0));
		return true;
	}
	for (uint32_t half = 0; half < 2; half++) {
		if (is_needed(s, in->res, (uint8_t)(1 << half)))
			emit_select_word(s, result_half(s, in->res, half),
					 arg_half(s, in->args[1], half),
					 arg_half(s, in->args[2], half), p);
	}
	return true;
}

bool select_minmax_wide(struct select *s, const struct ir_inst *in)
{
	bool is_min = in->op == IR_MIN_S || in->op == IR_MIN_U;
	struct mir_source less = new_temp(s, SASS_PRED, 1);
	struct ir_inst compared = *in;

	compared.cond = in->op == IR_MIN_S || in->op == IR_MAX_S ? IR_LT_S : IR_LT_U;
	emit_icmp(s, &compared, less, mir_pred_const(true), SASS_AND);
	for (uint32_t half = 0; half < 2; half++) {
		if (is_needed(s, in->res, (uint8_t)(1 << half)))
			emit_select_word(s, result_half(s, in->res, half),
					 arg_half(s, in->args[is_min ? 0 : 1], half),
					 arg_half(s, in->args[is_min ? 1 : 0], half), less);
	}
	return true;
}
