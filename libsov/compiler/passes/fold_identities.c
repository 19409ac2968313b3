// SPDX-License-Identifier: MIT
/*
 * Algebraic identities: one function per operation, and a table of them. Constants are canonically
 * the right operand of commutative operations and comparisons; subtraction of a constant becomes
 * addition. A rule never creates more instructions than it removes, unless back ends match the new
 * form (halves of a wide value).
 *
 * A float identity must hold for every input. Arithmetic canonicalises NaNs and may flush
 * subnormals, so x * 1 is not x and x + -0 is not x. Contraction into fma changes results with the
 * source's permission; both operations must allow it.
 */
#include "libsov/compiler/ir/cond.h"
#include "libsov/compiler/ir/eval.h"
#include "libsov/compiler/passes/fold.h"

/* ---- sums ---- */

/* Fuses a product whose only use is an addition to mad. A constant addend stays separate, for
 * address folding; a product of another block stays there, which may be outside of this block's
 * loop. */
static bool fuse_mul(struct fold *c, const struct fold_site *l)
{
	for (uint32_t k = 0; k < 2; k++) {
		const struct ir_inst *m = fold_def(c, l->p.args[k]);

		if (m->op == IR_MUL && m->block == l->p.block && fold_used_once(c, m->res) &&
		    !l->is_const)
			return fold_to_op(c, l, IR_MAD, m->args[0], m->args[1], l->p.args[!k]);
	}
	return false;
}

static bool identity_add(struct fold *c, const struct fold_site *l)
{
	const struct ir_inst *a = fold_def(c, l->a), *b = fold_def(c, l->b);
	uint64_t k;

	if (l->is_const && !l->k)
		return fold_to_value(c, l, l->a);
	if (l->is_const && a->op == IR_ADD && ir_is_const(c->f, a->args[1], &k)) {
		ir_val x = a->args[0];

		return fold_to_op(c, l, IR_ADD, x, fold_const(c, l, l->p.type, k + l->k), 0);
	}
	if (b->op == IR_NEG)
		return fold_to_op(c, l, IR_SUB, l->a, b->args[0], 0);
	if (a->op == IR_NEG)
		return fold_to_op(c, l, IR_SUB, l->b, a->args[0], 0);
	return fuse_mul(c, l);
}

static bool identity_sub(struct fold *c, const struct fold_site *l)
{
	const struct ir_inst *b = fold_def(c, l->b);
	uint64_t k;

	if (l->a == l->b)
		return fold_to_const(c, l, 0);
	if (l->is_const)
		return fold_to_op(c, l, IR_ADD, l->a, fold_const(c, l, l->p.type, -l->k), 0);
	if (ir_is_const(c->f, l->a, &k) && !k)
		return fold_to_op(c, l, IR_NEG, l->b, 0, 0);
	if (b->op == IR_NEG)
		return fold_to_op(c, l, IR_ADD, l->a, b->args[0], 0);
	return false;
}

static bool identity_neg(struct fold *c, const struct fold_site *l)
{
	const struct ir_inst *a = fold_def(c, l->a);

	if (a->op == IR_NEG)
		return fold_to_value(c, l, a->args[0]);
	if (a->op == IR_SUB && fold_used_once(c, l->a))
		return fold_to_op(c, l, IR_SUB, a->args[1], a->args[0], 0);
	return false;
}

/* ---- products; multiplication by a power of two stays, because the back end decides whether to
 * shift ---- */

static bool identity_mul(struct fold *c, const struct fold_site *l)
{
	const struct ir_inst *a = fold_def(c, l->a);
	uint64_t k;

	if (!l->is_const)
		return false;
	if (l->k == 0)
		return fold_to_const(c, l, 0);
	if (l->k == 1)
		return fold_to_value(c, l, l->a);
	if (l->k == l->ones)
		return fold_to_op(c, l, IR_NEG, l->a, 0, 0);
	if (a->op == IR_MUL && ir_is_const(c->f, a->args[1], &k)) {
		ir_val x = a->args[0];

		return fold_to_op(c, l, IR_MUL, x, fold_const(c, l, l->p.type, k * l->k), 0);
	}
	return false;
}

static bool identity_mad(struct fold *c, const struct fold_site *l)
{
	uint64_t k;

	if (ir_is_const(c->f, l->c, &k) && !k)
		return fold_to_op(c, l, IR_MUL, l->a, l->b, 0);
	if (!l->is_const) {
		if (ir_is_const(c->f, l->a, &k))
			return fold_to_op(c, l, IR_MAD, l->b, l->a, l->c);
		return false;
	}
	if (l->k == 0)
		return fold_to_value(c, l, l->c);
	if (l->k == 1)
		return fold_to_op(c, l, IR_ADD, l->a, l->c, 0);
	if (ir_is_const(c->f, l->a, &k))
		return fold_to_op(c, l, IR_ADD, l->c, fold_const(c, l, l->p.type, k * l->k), 0);
	return false;
}

static bool identity_mulhi(struct fold *c, const struct fold_site *l)
{
	if (l->is_const && (l->k == 0 || (l->k == 1 && l->p.op == IR_MULHI_U)))
		return fold_to_const(c, l, 0);
	return false;
}

static bool identity_mulwide(struct fold *c, const struct fold_site *l)
{
	if (l->is_const && l->k == 0)
		return fold_to_const(c, l, 0);
	if (l->is_const && l->k == 1)
		return fold_to_convert(c, l, l->p.op == IR_MULWIDE_U ? IR_ZEXT : IR_SEXT, l->a);
	return false;
}

/* Division is slow on every target: powers of two become shifts and masks. */
static bool identity_div(struct fold *c, const struct fold_site *l)
{
	bool power = l->k && !(l->k & (l->k - 1));

	if (!l->is_const)
		return false;
	if (l->k == 1)
		return fold_to_value(c, l, l->a);
	if (power && l->p.op == IR_DIV_U) {
		uint32_t shift = __builtin_ctzll(l->k);

		return fold_to_op(c, l, IR_SHR_U, l->a, fold_const(c, l, IR_B32, shift), 0);
	}
	return false;
}

static bool identity_rem(struct fold *c, const struct fold_site *l)
{
	bool power = l->k && !(l->k & (l->k - 1));

	if (!l->is_const)
		return false;
	if (l->k == 1)
		return fold_to_const(c, l, 0);
	if (power && l->p.op == IR_REM_U)
		return fold_to_op(c, l, IR_AND, l->a, fold_const(c, l, l->p.type, l->k - 1), 0);
	return false;
}

static bool identity_min_max(struct fold *c, const struct fold_site *l)
{
	uint64_t min_value = 0, max_value = l->ones;
	bool max = l->p.op == IR_MAX_U || l->p.op == IR_MAX_S;

	if (l->a == l->b)
		return fold_to_value(c, l, l->a);
	if (l->p.op == IR_MIN_S || l->p.op == IR_MAX_S) {
		min_value = l->sign;
		max_value = l->sign - 1;
	}
	if (l->is_const && l->k == (max ? min_value : max_value))
		return fold_to_value(c, l, l->a);
	if (l->is_const && l->k == (max ? max_value : min_value))
		return fold_to_const(c, l, l->k);
	return false;
}

/* ---- bits ---- */

/* Finds the halves of a wide value if they are known without new instructions; 0 stands for a zero
 * half. */
static bool find_halves(const struct fold *c, ir_val v, ir_val *low, ir_val *high)
{
	const struct ir_inst *d = fold_def(c, v);
	uint64_t k;

	if (d->op == IR_PACK) {
		*low = ir_is_const(c->f, d->args[0], &k) && !k ? 0 : d->args[0];
		*high = ir_is_const(c->f, d->args[1], &k) && !k ? 0 : d->args[1];
		return true;
	}
	if (d->op == IR_ZEXT && d->from == ir_type_half(d->type)) {
		*low = d->args[0];
		*high = 0;
		return true;
	}
	return false;
}

static bool identity_and(struct fold *c, const struct fold_site *l)
{
	const struct ir_inst *a = fold_def(c, l->a);
	uint64_t k;

	if (l->a == l->b)
		return fold_to_value(c, l, l->a);
	if (!l->is_const)
		return false;
	if (l->k == 0)
		return fold_to_const(c, l, 0);
	if (l->k == l->ones)
		return fold_to_value(c, l, l->a);
	if (a->op == IR_ZEXT && (fold_ones(a->from) & ~l->k) == 0)
		return fold_to_value(c, l, l->a);
	if (a->op == IR_PACK && l->k == fold_ones(ir_type_half(l->p.type)))
		return fold_to_convert(c, l, IR_ZEXT, a->args[0]);
	if (a->op == IR_AND && ir_is_const(c->f, a->args[1], &k)) {
		ir_val x = a->args[0];

		return fold_to_op(c, l, IR_AND, x, fold_const(c, l, l->p.type, k & l->k), 0);
	}
	return false;
}

static bool identity_or(struct fold *c, const struct fold_site *l)
{
	const struct ir_inst *a = fold_def(c, l->a);
	ir_val low[2], high[2];
	uint64_t k;

	if (l->a == l->b)
		return fold_to_value(c, l, l->a);
	if (l->is_const && l->k == 0)
		return fold_to_value(c, l, l->a);
	if (l->is_const && l->k == l->ones)
		return fold_to_const(c, l, l->ones);
	if (l->is_const && a->op == IR_OR && ir_is_const(c->f, a->args[1], &k)) {
		ir_val x = a->args[0];

		return fold_to_op(c, l, IR_OR, x, fold_const(c, l, l->p.type, k | l->k), 0);
	}
	if (find_halves(c, l->a, &low[0], &high[0]) && find_halves(c, l->b, &low[1], &high[1]) &&
	    !(low[0] && low[1]) && !(high[0] && high[1])) {
		enum ir_type half = ir_type_half(l->p.type);
		/* at most one of each pair is set */
		ir_val lo = low[0] | low[1], hi = high[0] | high[1];

		if (!lo)
			lo = fold_const(c, l, half, 0);
		if (!hi)
			hi = fold_const(c, l, half, 0);
		return fold_to_op(c, l, IR_PACK, lo, hi, 0);
	}
	return false;
}

static bool identity_xor(struct fold *c, const struct fold_site *l)
{
	if (l->a == l->b)
		return fold_to_const(c, l, 0);
	if (l->is_const && l->k == 0)
		return fold_to_value(c, l, l->a);
	if (l->is_const && l->k == l->ones)
		return fold_to_op(c, l, IR_NOT, l->a, 0, 0);
	return false;
}

static bool identity_not(struct fold *c, const struct fold_site *l)
{
	const struct ir_inst *a = fold_def(c, l->a);

	if (a->op == IR_NOT)
		return fold_to_value(c, l, a->args[0]);
	if ((a->op == IR_ICMP || a->op == IR_FCMP) && fold_used_once(c, l->a)) {
		uint8_t flags = a->flags, format = a->format;

		fold_to_compare(c, l, cond_inverse[a->cond], a->args[0], a->args[1]);
		ir_at(c->f, l->i)->flags = flags;
		ir_at(c->f, l->i)->format = format;
		return true;
	}
	return false;
}

static bool identity_shift(struct fold *c, const struct fold_site *l)
{
	const struct ir_inst *a = fold_def(c, l->a);
	enum ir_type half = ir_type_half(l->p.type);
	uint64_t k;

	if (ir_is_const(c->f, l->a, &k) && k == 0)
		return fold_to_const(c, l, 0);
	if (!l->is_const)
		return false;
	if (l->k == 0)
		return fold_to_value(c, l, l->a);
	if (l->k >= l->bits && l->p.op != IR_SHR_S)
		return fold_to_const(c, l, 0);
	if (l->k >= l->bits)
		return fold_to_op(c, l, IR_SHR_S, l->a, fold_const(c, l, IR_B32, l->bits - 1), 0);
	if (a->op == l->p.op && ir_is_const(c->f, a->args[1], &k)) {
		uint64_t sum = k + l->k; /* both are 32 bits wide */
		ir_val x = a->args[0];

		sum = sum < UINT32_MAX ? sum : UINT32_MAX;
		return fold_to_op(c, l, l->p.op, x, fold_const(c, l, IR_B32, sum), 0);
	}
	if (half == IR_VOID || l->k != l->bits / 2)
		return false;
	if (l->p.op == IR_SHL && a->op == IR_ZEXT && a->from == half) {
		ir_val x = a->args[0];

		return fold_to_op(c, l, IR_PACK, fold_const(c, l, half, 0), x, 0);
	}
	if (l->p.op != IR_SHL && a->op == IR_PACK)
		return fold_to_convert(c, l, l->p.op == IR_SHR_U ? IR_ZEXT : IR_SEXT, a->args[1]);
	return false;
}

/* ---- comparisons and selects ---- */

/* A comparison with the smallest or largest value is constant, or an equality. */
static bool compare_with_bound(struct fold *c, const struct fold_site *l)
{
	bool is_signed = l->p.cond >= IR_LT_S && l->p.cond <= IR_GE_S;
	uint64_t min_value = is_signed ? l->sign : 0, max_value = is_signed ? l->sign - 1 : l->ones;

	switch (l->p.cond) {
	case IR_LT_S:
	case IR_LT_U:
		return l->k == min_value && fold_to_const(c, l, 0);
	case IR_GE_S:
	case IR_GE_U:
		return l->k == min_value && fold_to_const(c, l, 1);
	case IR_GT_S:
	case IR_GT_U:
		if (l->k == min_value)
			return fold_to_compare(c, l, IR_NE, l->a, l->b);
		return l->k == max_value && fold_to_const(c, l, 0);
	case IR_LE_S:
	case IR_LE_U:
		if (l->k == min_value)
			return fold_to_compare(c, l, IR_EQ, l->a, l->b);
		return l->k == max_value && fold_to_const(c, l, 1);
	default:
		return false;
	}
}

/* (p ? k1 : k2) compared with a constant is p, its inverse, or constant. */
static bool compare_select(struct fold *c, const struct fold_site *l, const struct ir_inst *s)
{
	uint64_t args[2] = {0, l->k}, answer[2];

	for (uint32_t k = 0; k < 2; k++) {
		if (!ir_is_const(c->f, s->args[1 + k], &args[0]))
			return false;
		ir_eval(&l->p, args, &answer[k]);
	}
	if (answer[0] == answer[1])
		return fold_to_const(c, l, answer[0]);
	if (answer[0])
		return fold_to_value(c, l, s->args[0]);
	return fold_to_op(c, l, IR_NOT, s->args[0], 0, 0);
}

static bool identity_icmp(struct fold *c, const struct fold_site *l)
{
	const struct ir_inst *a = fold_def(c, l->a);
	bool equality = l->p.cond == IR_EQ || l->p.cond == IR_NE;
	uint64_t k;

	if (l->a == l->b) {
		static const uint16_t reflexive =
			1 << IR_EQ | 1 << IR_LE_S | 1 << IR_GE_S | 1 << IR_LE_U | 1 << IR_GE_U;

		return fold_to_const(c, l, reflexive >> l->p.cond & 1);
	}
	if (!l->is_const) {
		if (ir_is_const(c->f, l->a, &k))
			return fold_to_compare(c, l, cond_mirrored[l->p.cond], l->b, l->a);
		return false;
	}
	if (equality && l->p.type == IR_B1) {
		if (l->k == (l->p.cond == IR_EQ))
			return fold_to_value(c, l, l->a);
		return fold_to_op(c, l, IR_NOT, l->a, 0, 0);
	}
	if (a->op == IR_SELECT && compare_select(c, l, a))
		return true;
	if (equality && a->op == IR_ZEXT) {
		enum ir_type from = a->from;
		ir_val x = a->args[0];

		if (l->k > fold_ones(from))
			return fold_to_const(c, l, l->p.cond == IR_NE);
		return fold_to_compare(c, l, l->p.cond, x, fold_const(c, l, from, l->k));
	}
	return compare_with_bound(c, l);
}

static bool identity_fcmp(struct fold *c, const struct fold_site *l)
{
	uint64_t k;

	if (l->is_const || !ir_is_const(c->f, l->a, &k))
		return false;
	fold_to_compare(c, l, cond_mirrored[l->p.cond], l->b, l->a);
	ir_at(c->f, l->i)->flags = l->p.flags;
	ir_at(c->f, l->i)->format = l->p.format;
	return true;
}

static bool identity_select(struct fold *c, const struct fold_site *l)
{
	const struct ir_inst *a = fold_def(c, l->a);
	uint64_t k, other;

	if (a->op == IR_CONST)
		return fold_to_value(c, l, a->imm ? l->b : l->c);
	if (l->b == l->c)
		return fold_to_value(c, l, l->b);
	if (a->op == IR_NOT)
		return fold_to_op(c, l, IR_SELECT, a->args[0], l->c, l->b);
	if (l->is_const && ir_is_const(c->f, l->c, &other) && l->k == other)
		return fold_to_value(c, l, l->b);
	if (l->p.type != IR_B1)
		return false;
	if (ir_is_const(c->f, l->c, &k)) {
		if (l->is_const) /* and they differ */
			return l->k ? fold_to_value(c, l, l->a)
				    : fold_to_op(c, l, IR_NOT, l->a, 0, 0);
		return !k && fold_to_op(c, l, IR_AND, l->a, l->b, 0);
	}
	return l->is_const && l->k && fold_to_op(c, l, IR_OR, l->a, l->c, 0);
}

/* ---- widths ---- */

static bool identity_extend(struct fold *c, const struct fold_site *l)
{
	const struct ir_inst *a = fold_def(c, l->a);

	if (a->op == l->p.op || a->op == IR_ZEXT)
		return fold_to_convert(c, l, a->op, a->args[0]);
	return false;
}

static bool identity_trunc(struct fold *c, const struct fold_site *l)
{
	const struct ir_inst *a = fold_def(c, l->a);
	ir_val x = a->nargs ? a->args[0] : 0;
	uint64_t k;

	if (a->op == IR_TRUNC)
		return fold_to_convert(c, l, IR_TRUNC, x);
	if (a->op == IR_PACK && l->bits == ir_type_bits(a->type) / 2)
		return fold_to_value(c, l, x);
	if (a->op == IR_PACK)
		return fold_to_convert(c, l, IR_TRUNC, x);
	if (a->op == IR_ZEXT || a->op == IR_SEXT) {
		if (a->from == l->p.type)
			return fold_to_value(c, l, x);
		return fold_to_convert(c, l, a->from > l->p.type ? IR_TRUNC : a->op, x);
	}
	if (a->op == IR_AND && ir_is_const(c->f, a->args[1], &k) && (l->ones & ~k) == 0)
		return fold_to_convert(c, l, IR_TRUNC, x);
	if ((a->op == IR_SHR_U || a->op == IR_SHR_S) && ir_is_const(c->f, a->args[1], &k) &&
	    k == l->bits && 2 * l->bits == ir_type_bits(a->type)) {
		ir_id halves = fold_new(c, l, IR_UNPACK, a->type, x, 0);

		return fold_to_value(c, l, ir_at(c->f, halves)->res + 1);
	}
	return false;
}

/* The value whose lower (upper) half this is; 0: unknown. */
static ir_val half_of(const struct fold *c, ir_val v, bool upper)
{
	const struct ir_inst *d = fold_def(c, v);

	if (d->op == IR_UNPACK && v == d->res + upper)
		return d->args[0];
	if (d->op == IR_TRUNC && !upper && d->type == ir_type_half(d->from))
		return d->args[0];
	return 0;
}

static bool identity_pack(struct fold *c, const struct fold_site *l)
{
	ir_val low = half_of(c, l->a, false), high = half_of(c, l->b, true);

	if (low && low == high)
		return fold_to_value(c, l, low);
	if (l->is_const && l->k == 0)
		return fold_to_convert(c, l, IR_ZEXT, l->a);
	return false;
}

static bool identity_unpack(struct fold *c, const struct fold_site *l)
{
	const struct ir_inst *a = fold_def(c, l->a);
	enum ir_type half = ir_type_half(l->p.type);
	struct fold_site upper = *l;
	ir_val low, high;

	if (a->op == IR_PACK) {
		low = a->args[0];
		high = a->args[1];
	} else if (a->op == IR_ZEXT && a->from == half) {
		low = a->args[0];
		high = fold_const(c, l, half, 0);
	} else {
		return false;
	}
	upper.p.res++;
	fold_to_value(c, l, low);
	return fold_to_value(c, &upper, high);
}

static bool identity_copy(struct fold *c, const struct fold_site *l)
{
	return fold_to_value(c, l, l->a);
}

/* Conversion to a generic address and back. */
static bool identity_tospace(struct fold *c, const struct fold_site *l)
{
	const struct ir_inst *a = fold_def(c, l->a);

	if (a->op == IR_GENERIC && a->space == l->p.space)
		return fold_to_value(c, l, a->args[0]);
	return false;
}

/* ---- floats ---- */

static bool fold_to_float(struct fold *c, const struct fold_site *l, enum ir_op op, ir_val x,
			  ir_val y, ir_val z)
{
	fold_to_op(c, l, op, x, y, z);
	ir_at(c->f, l->i)->round = l->p.round;
	ir_at(c->f, l->i)->format = l->p.format;
	ir_at(c->f, l->i)->flags = l->p.flags & ~IR_CONTRACT;
	return true;
}

static uint64_t float_one(const struct ir_inst *p)
{
	static const uint64_t of_format[] = {
		[IR_BF16] = 0x3f80, [IR_F16X2] = 0x3c003c00, [IR_BF16X2] = 0x3f803f80};
	static const uint64_t of_width[IR_TYPE_COUNT] = {
		[IR_B16] = 0x3c00, [IR_B32] = 0x3f800000, [IR_B64] = UINT64_C(0x3ff0000000000000)};

	return p->format ? of_format[p->format] : of_width[p->type];
}

/* Fuses a product whose only use is an addition to fma if both may contract. */
static bool identity_fadd(struct fold *c, const struct fold_site *l)
{
	for (uint32_t k = 0; k < 2 && l->p.flags & IR_CONTRACT; k++) {
		const struct ir_inst *m = fold_def(c, l->p.args[k]);

		if (m->op == IR_FMUL && m->flags & IR_CONTRACT && !(m->flags & IR_SAT) &&
		    (m->flags & IR_FTZ) == (l->p.flags & IR_FTZ) && m->round == l->p.round &&
		    m->format == l->p.format && fold_used_once(c, m->res))
			return fold_to_float(c, l, IR_FMA, m->args[0], m->args[1], l->p.args[!k]);
	}
	return false;
}

/* a * 1 is exact, so the sum is rounded once in both forms. */
static bool identity_fma(struct fold *c, const struct fold_site *l)
{
	uint64_t k;

	if (l->is_const && l->k == float_one(&l->p))
		return fold_to_float(c, l, IR_FADD, l->a, l->c, 0);
	if (!l->is_const && ir_is_const(c->f, l->a, &k))
		return fold_to_float(c, l, IR_FMA, l->b, l->a, l->c);
	return false;
}

/* Sign operations only change bits, also of a NaN, unless they flush subnormals. */
static bool identity_fsign(struct fold *c, const struct fold_site *l)
{
	const struct ir_inst *a = fold_def(c, l->a);
	const uint8_t not_bits = IR_FTZ | IR_SAT;

	if ((a->op != IR_FNEG && a->op != IR_FABS) || (a->flags | l->p.flags) & not_bits ||
	    (a->format == IR_F16X2 || a->format == IR_BF16X2) !=
		    (l->p.format == IR_F16X2 || l->p.format == IR_BF16X2))
		return false;
	if (l->p.op == IR_FABS)
		return fold_to_float(c, l, IR_FABS, a->args[0], 0, 0);
	if (a->op == IR_FNEG)
		return fold_to_value(c, l, a->args[0]);
	return false;
}

static bool (*const identities[IR_OP_COUNT])(struct fold *c, const struct fold_site *l) = {
	[IR_COPY] = identity_copy,         [IR_ADD] = identity_add,
	[IR_SUB] = identity_sub,           [IR_MUL] = identity_mul,
	[IR_MAD] = identity_mad,           [IR_MULHI_U] = identity_mulhi,
	[IR_MULHI_S] = identity_mulhi,     [IR_MULWIDE_U] = identity_mulwide,
	[IR_MULWIDE_S] = identity_mulwide, [IR_DIV_U] = identity_div,
	[IR_DIV_S] = identity_div,         [IR_REM_U] = identity_rem,
	[IR_REM_S] = identity_rem,         [IR_MIN_U] = identity_min_max,
	[IR_MIN_S] = identity_min_max,     [IR_MAX_U] = identity_min_max,
	[IR_MAX_S] = identity_min_max,     [IR_NEG] = identity_neg,
	[IR_AND] = identity_and,           [IR_OR] = identity_or,
	[IR_XOR] = identity_xor,           [IR_NOT] = identity_not,
	[IR_SHL] = identity_shift,         [IR_SHR_U] = identity_shift,
	[IR_SHR_S] = identity_shift,       [IR_ICMP] = identity_icmp,
	[IR_SELECT] = identity_select,     [IR_ZEXT] = identity_extend,
	[IR_SEXT] = identity_extend,       [IR_TRUNC] = identity_trunc,
	[IR_PACK] = identity_pack,         [IR_UNPACK] = identity_unpack,
	[IR_FADD] = identity_fadd,         [IR_FMA] = identity_fma,
	[IR_FNEG] = identity_fsign,        [IR_FABS] = identity_fsign,
	[IR_FCMP] = identity_fcmp,         [IR_TOSPACE] = identity_tospace,
};

bool fold_identity(struct fold *c, const struct fold_site *l)
{
	uint64_t k;

	if (ir_ops[l->p.op].properties & P_COMM && !l->is_const && ir_is_const(c->f, l->a, &k))
		return fold_swap(c, l);
	return identities[l->p.op] && identities[l->p.op](c, l);
}
