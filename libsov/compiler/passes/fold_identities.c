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
static bool fuse_mul(struct fold *fold, const struct fold_site *site)
{
	for (uint32_t k = 0; k < 2; k++) {
		const struct ir_inst *m = fold_def(fold, site->p.args[k]);

		if (m->op == IR_MUL && m->block == site->p.block && fold_used_once(fold, m->res) &&
		    !site->is_const)
			return fold_to_op(fold, site, IR_MAD, m->args[0], m->args[1],
					  site->p.args[!k]);
	}
	return false;
}

static bool identity_add(struct fold *fold, const struct fold_site *site)
{
	const struct ir_inst *a = fold_def(fold, site->a), *b = fold_def(fold, site->b);
	uint64_t k;

	if (site->is_const && !site->k)
		return fold_to_value(fold, site, site->a);
	if (site->is_const && a->op == IR_ADD && ir_is_const(fold->f, a->args[1], &k)) {
		ir_val x = a->args[0];

		return fold_to_op(fold, site, IR_ADD, x,
				  fold_const(fold, site, site->p.type, k + site->k), 0);
	}
	if (b->op == IR_NEG)
		return fold_to_op(fold, site, IR_SUB, site->a, b->args[0], 0);
	if (a->op == IR_NEG)
		return fold_to_op(fold, site, IR_SUB, site->b, a->args[0], 0);
	return fuse_mul(fold, site);
}

/* x - x / y * y, as compilers of shading languages write the remainder. */
static bool sub_to_remainder(struct fold *fold, const struct fold_site *site)
{
	const struct ir_inst *product = fold_def(fold, site->b), *quotient;

	if (product->op != IR_MUL || !fold_used_once(fold, site->b))
		return false;
	for (uint32_t k = 0; k < 2; k++) {
		ir_val y = product->args[!k];

		quotient = fold_def(fold, product->args[k]);
		if ((quotient->op == IR_DIV_U || quotient->op == IR_DIV_S) &&
		    quotient->args[0] == site->a && quotient->args[1] == y &&
		    fold_used_once(fold, product->args[k]))
			return fold_to_op(fold, site,
					  quotient->op == IR_DIV_U ? IR_REM_U : IR_REM_S, site->a,
					  y, 0);
	}
	return false;
}

static bool identity_sub(struct fold *fold, const struct fold_site *site)
{
	const struct ir_inst *b = fold_def(fold, site->b);
	uint64_t k;

	if (site->a == site->b)
		return fold_to_const(fold, site, 0);
	if (site->is_const)
		return fold_to_op(fold, site, IR_ADD, site->a,
				  fold_const(fold, site, site->p.type, -site->k), 0);
	if (ir_is_const(fold->f, site->a, &k) && !k)
		return fold_to_op(fold, site, IR_NEG, site->b, 0, 0);
	if (b->op == IR_NEG)
		return fold_to_op(fold, site, IR_ADD, site->a, b->args[0], 0);
	return sub_to_remainder(fold, site);
}

static bool identity_neg(struct fold *fold, const struct fold_site *site)
{
	const struct ir_inst *a = fold_def(fold, site->a);

	if (a->op == IR_NEG)
		return fold_to_value(fold, site, a->args[0]);
	if (a->op == IR_SUB && fold_used_once(fold, site->a))
		return fold_to_op(fold, site, IR_SUB, a->args[1], a->args[0], 0);
	return false;
}

/* ---- products; multiplication by a power of two stays, because the back end decides whether to
 * shift ---- */

static bool identity_mul(struct fold *fold, const struct fold_site *site)
{
	const struct ir_inst *a = fold_def(fold, site->a);
	uint64_t k;

	if (!site->is_const)
		return false;
	if (site->k == 0)
		return fold_to_const(fold, site, 0);
	if (site->k == 1)
		return fold_to_value(fold, site, site->a);
	if (site->k == site->ones)
		return fold_to_op(fold, site, IR_NEG, site->a, 0, 0);
	if (a->op == IR_MUL && ir_is_const(fold->f, a->args[1], &k)) {
		ir_val x = a->args[0];

		return fold_to_op(fold, site, IR_MUL, x,
				  fold_const(fold, site, site->p.type, k * site->k), 0);
	}
	return false;
}

static bool identity_mad(struct fold *fold, const struct fold_site *site)
{
	uint64_t k;

	if (ir_is_const(fold->f, site->c, &k) && !k)
		return fold_to_op(fold, site, IR_MUL, site->a, site->b, 0);
	if (!site->is_const) {
		if (ir_is_const(fold->f, site->a, &k))
			return fold_to_op(fold, site, IR_MAD, site->b, site->a, site->c);
		return false;
	}
	if (site->k == 0)
		return fold_to_value(fold, site, site->c);
	if (site->k == 1)
		return fold_to_op(fold, site, IR_ADD, site->a, site->c, 0);
	if (ir_is_const(fold->f, site->a, &k))
		return fold_to_op(fold, site, IR_ADD, site->c,
				  fold_const(fold, site, site->p.type, k * site->k), 0);
	return false;
}

static bool identity_mulhi(struct fold *fold, const struct fold_site *site)
{
	if (site->is_const && (site->k == 0 || (site->k == 1 && site->p.op == IR_MULHI_U)))
		return fold_to_const(fold, site, 0);
	return false;
}

static bool identity_mulwide(struct fold *fold, const struct fold_site *site)
{
	if (site->is_const && site->k == 0)
		return fold_to_const(fold, site, 0);
	if (site->is_const && site->k == 1)
		return fold_to_convert(fold, site, site->p.op == IR_MULWIDE_U ? IR_ZEXT : IR_SEXT,
				       site->a);
	return false;
}

/* Division is slow on every target: powers of two become shifts and masks. */
static bool identity_div(struct fold *fold, const struct fold_site *site)
{
	bool power = site->k && !(site->k & (site->k - 1));

	if (!site->is_const)
		return false;
	if (site->k == 1)
		return fold_to_value(fold, site, site->a);
	if (power && site->p.op == IR_DIV_U) {
		uint32_t shift = __builtin_ctzll(site->k);

		return fold_to_op(fold, site, IR_SHR_U, site->a,
				  fold_const(fold, site, IR_B32, shift), 0);
	}
	return false;
}

static bool identity_rem(struct fold *fold, const struct fold_site *site)
{
	bool power = site->k && !(site->k & (site->k - 1));

	if (!site->is_const)
		return false;
	if (site->k == 1)
		return fold_to_const(fold, site, 0);
	if (power && site->p.op == IR_REM_U)
		return fold_to_op(fold, site, IR_AND, site->a,
				  fold_const(fold, site, site->p.type, site->k - 1), 0);
	return false;
}

static bool identity_min_max(struct fold *fold, const struct fold_site *site)
{
	uint64_t min_value = 0, max_value = site->ones;
	bool max = site->p.op == IR_MAX_U || site->p.op == IR_MAX_S;

	if (site->a == site->b)
		return fold_to_value(fold, site, site->a);
	if (site->p.op == IR_MIN_S || site->p.op == IR_MAX_S) {
		min_value = site->sign;
		max_value = site->sign - 1;
	}
	if (site->is_const && site->k == (max ? min_value : max_value))
		return fold_to_value(fold, site, site->a);
	if (site->is_const && site->k == (max ? max_value : min_value))
		return fold_to_const(fold, site, site->k);
	return false;
}

/* ---- bits ---- */

/* Finds the halves of a wide value if they are known without new instructions; 0 stands for a zero
 * half. */
static bool find_halves(const struct fold *fold, ir_val v, ir_val *low, ir_val *high)
{
	const struct ir_inst *d = fold_def(fold, v);
	uint64_t k;

	if (d->op == IR_PACK) {
		*low = ir_is_const(fold->f, d->args[0], &k) && !k ? 0 : d->args[0];
		*high = ir_is_const(fold->f, d->args[1], &k) && !k ? 0 : d->args[1];
		return true;
	}
	if (d->op == IR_ZEXT && d->from == ir_type_half(d->type)) {
		*low = d->args[0];
		*high = 0;
		return true;
	}
	return false;
}

static ir_val fold_low_half(struct fold *fold, const struct fold_site *site, ir_val v)
{
	ir_id i = fold_new(fold, site, IR_TRUNC, IR_B32, v, 0);

	ir_at(fold->f, i)->from = IR_B64;
	return ir_at(fold->f, i)->res;
}

static bool identity_and(struct fold *fold, const struct fold_site *site)
{
	const struct ir_inst *a = fold_def(fold, site->a);
	uint64_t k;

	if (site->a == site->b)
		return fold_to_value(fold, site, site->a);
	if (!site->is_const)
		return false;
	if (site->k == 0)
		return fold_to_const(fold, site, 0);
	if (site->k == site->ones)
		return fold_to_value(fold, site, site->a);
	if ((a->op == IR_ZEXT || (a->op == IR_LOAD && !(a->flags & IR_SEXT_MEM))) &&
	    (fold_ones(a->from) & ~site->k) == 0)
		return fold_to_value(fold, site, site->a);
	if (a->op == IR_SHR_U && ir_is_const(fold->f, a->args[1], &k) && k < site->bits &&
	    (site->ones >> k & ~site->k) == 0)
		return fold_to_value(fold, site, site->a);
	if (a->op == IR_PACK && site->k == fold_ones(ir_type_half(site->p.type)))
		return fold_to_convert(fold, site, IR_ZEXT, a->args[0]);
	if (site->p.type == IR_B64 && site->k == UINT32_MAX) /* halves cost nothing */
		return fold_to_convert(fold, site, IR_ZEXT, fold_low_half(fold, site, site->a));
	if (a->op == IR_AND && ir_is_const(fold->f, a->args[1], &k)) {
		ir_val x = a->args[0];

		return fold_to_op(fold, site, IR_AND, x,
				  fold_const(fold, site, site->p.type, k & site->k), 0);
	}
	return false;
}

static bool identity_or(struct fold *fold, const struct fold_site *site)
{
	const struct ir_inst *a = fold_def(fold, site->a);
	ir_val low[2], high[2];
	uint64_t k;

	if (site->a == site->b)
		return fold_to_value(fold, site, site->a);
	if (site->is_const && site->k == 0)
		return fold_to_value(fold, site, site->a);
	if (site->is_const && site->k == site->ones)
		return fold_to_const(fold, site, site->ones);
	if (site->is_const && a->op == IR_OR && ir_is_const(fold->f, a->args[1], &k)) {
		ir_val x = a->args[0];

		return fold_to_op(fold, site, IR_OR, x,
				  fold_const(fold, site, site->p.type, k | site->k), 0);
	}
	if (find_halves(fold, site->a, &low[0], &high[0]) &&
	    find_halves(fold, site->b, &low[1], &high[1]) && !(low[0] && low[1]) &&
	    !(high[0] && high[1])) {
		enum ir_type half = ir_type_half(site->p.type);
		/* at most one of each pair is set */
		ir_val lo = low[0] | low[1], hi = high[0] | high[1];

		if (!lo)
			lo = fold_const(fold, site, half, 0);
		if (!hi)
			hi = fold_const(fold, site, half, 0);
		return fold_to_op(fold, site, IR_PACK, lo, hi, 0);
	}
	return false;
}

static bool identity_xor(struct fold *fold, const struct fold_site *site)
{
	if (site->a == site->b)
		return fold_to_const(fold, site, 0);
	if (site->is_const && site->k == 0)
		return fold_to_value(fold, site, site->a);
	if (site->is_const && site->k == site->ones)
		return fold_to_op(fold, site, IR_NOT, site->a, 0, 0);
	return false;
}

static bool identity_not(struct fold *fold, const struct fold_site *site)
{
	const struct ir_inst *a = fold_def(fold, site->a);

	if (a->op == IR_NOT)
		return fold_to_value(fold, site, a->args[0]);
	if ((a->op == IR_ICMP || a->op == IR_FCMP) && fold_used_once(fold, site->a)) {
		uint8_t flags = a->flags, format = a->format;

		fold_to_compare(fold, site, cond_inverse[a->cond], a->args[0], a->args[1]);
		ir_at(fold->f, site->i)->flags = flags;
		ir_at(fold->f, site->i)->format = format;
		return true;
	}
	return false;
}

static bool identity_shift(struct fold *fold, const struct fold_site *site)
{
	const struct ir_inst *a = fold_def(fold, site->a);
	enum ir_type half = ir_type_half(site->p.type);
	uint64_t k;

	if (ir_is_const(fold->f, site->a, &k) && k == 0)
		return fold_to_const(fold, site, 0);
	if (!site->is_const)
		return false;
	if (site->k == 0)
		return fold_to_value(fold, site, site->a);
	if (site->k >= site->bits && site->p.op != IR_SHR_S)
		return fold_to_const(fold, site, 0);
	if (site->k >= site->bits)
		return fold_to_op(fold, site, IR_SHR_S, site->a,
				  fold_const(fold, site, IR_B32, site->bits - 1), 0);
	if (a->op == site->p.op && ir_is_const(fold->f, a->args[1], &k)) {
		uint64_t sum = k + site->k; /* both are 32 bits wide */
		ir_val x = a->args[0];

		sum = sum < UINT32_MAX ? sum : UINT32_MAX;
		return fold_to_op(fold, site, site->p.op, x, fold_const(fold, site, IR_B32, sum),
				  0);
	}
	if (half == IR_VOID || site->k != site->bits / 2)
		return false;
	if (site->p.op == IR_SHL && a->op == IR_ZEXT && a->from == half) {
		ir_val x = a->args[0];

		return fold_to_op(fold, site, IR_PACK, fold_const(fold, site, half, 0), x, 0);
	}
	if (site->p.op != IR_SHL && a->op == IR_PACK)
		return fold_to_convert(fold, site, site->p.op == IR_SHR_U ? IR_ZEXT : IR_SEXT,
				       a->args[1]);
	return false;
}

/* ---- comparisons and selects ---- */

/* A comparison with the smallest or largest value is constant, or an equality. */
static bool compare_with_bound(struct fold *fold, const struct fold_site *site)
{
	bool is_signed = site->p.cond >= IR_LT_S && site->p.cond <= IR_GE_S;
	uint64_t min_value = is_signed ? site->sign : 0,
		 max_value = is_signed ? site->sign - 1 : site->ones;

	switch (site->p.cond) {
	case IR_LT_S:
	case IR_LT_U:
		return site->k == min_value && fold_to_const(fold, site, 0);
	case IR_GE_S:
	case IR_GE_U:
		return site->k == min_value && fold_to_const(fold, site, 1);
	case IR_GT_S:
	case IR_GT_U:
		if (site->k == min_value)
			return fold_to_compare(fold, site, IR_NE, site->a, site->b);
		return site->k == max_value && fold_to_const(fold, site, 0);
	case IR_LE_S:
	case IR_LE_U:
		if (site->k == min_value)
			return fold_to_compare(fold, site, IR_EQ, site->a, site->b);
		return site->k == max_value && fold_to_const(fold, site, 1);
	default:
		return false;
	}
}

/* (p ? k1 : k2) compared with a constant is p, its inverse, or constant. */
static bool compare_select(struct fold *fold, const struct fold_site *site, const struct ir_inst *s)
{
	uint64_t args[2] = {0, site->k}, answer[2];

	for (uint32_t k = 0; k < 2; k++) {
		if (!ir_is_const(fold->f, s->args[1 + k], &args[0]))
			return false;
		ir_eval(&site->p, args, &answer[k]);
	}
	if (answer[0] == answer[1])
		return fold_to_const(fold, site, answer[0]);
	if (answer[0])
		return fold_to_value(fold, site, s->args[0]);
	return fold_to_op(fold, site, IR_NOT, s->args[0], 0, 0);
}

static bool identity_icmp(struct fold *fold, const struct fold_site *site)
{
	const struct ir_inst *a = fold_def(fold, site->a);
	bool equality = site->p.cond == IR_EQ || site->p.cond == IR_NE;
	uint64_t k;

	if (site->a == site->b) {
		static const uint16_t reflexive =
			1 << IR_EQ | 1 << IR_LE_S | 1 << IR_GE_S | 1 << IR_LE_U | 1 << IR_GE_U;

		return fold_to_const(fold, site, reflexive >> site->p.cond & 1);
	}
	if (!site->is_const) {
		if (ir_is_const(fold->f, site->a, &k))
			return fold_to_compare(fold, site, cond_mirrored[site->p.cond], site->b,
					       site->a);
		return false;
	}
	if (equality && site->p.type == IR_B1) {
		if (site->k == (site->p.cond == IR_EQ))
			return fold_to_value(fold, site, site->a);
		return fold_to_op(fold, site, IR_NOT, site->a, 0, 0);
	}
	if (a->op == IR_SELECT && compare_select(fold, site, a))
		return true;
	/* One bit is its value exactly if it is not 0. */
	if (equality && a->op == IR_AND && site->k && !(site->k & (site->k - 1)) &&
	    ir_is_const(fold->f, a->args[1], &k) && k == site->k)
		return fold_to_compare(fold, site, site->p.cond == IR_EQ ? IR_NE : IR_EQ, site->a,
				       fold_const(fold, site, site->p.type, 0));
	if (equality && a->op == IR_ZEXT) {
		enum ir_type from = a->from;
		ir_val x = a->args[0];

		if (site->k > fold_ones(from))
			return fold_to_const(fold, site, site->p.cond == IR_NE);
		return fold_to_compare(fold, site, site->p.cond, x,
				       fold_const(fold, site, from, site->k));
	}
	return compare_with_bound(fold, site);
}

static bool identity_fcmp(struct fold *fold, const struct fold_site *site)
{
	uint64_t k;

	if (site->is_const || !ir_is_const(fold->f, site->a, &k))
		return false;
	fold_to_compare(fold, site, cond_mirrored[site->p.cond], site->b, site->a);
	ir_at(fold->f, site->i)->flags = site->p.flags;
	ir_at(fold->f, site->i)->format = site->p.format;
	return true;
}

/* ---- widths ---- */

/* Whether v is extended from this many bits or fewer, by a load or a conversion. */
static bool is_extended_from(const struct fold *fold, ir_val v, bool is_signed, uint32_t bits)
{
	const struct ir_inst *d = fold_def(fold, v);

	if (d->op == IR_LOAD)
		return ir_type_bits(d->from) <= bits && !(d->flags & IR_SEXT_MEM) == !is_signed;
	return d->op == (is_signed ? IR_SEXT : IR_ZEXT) && ir_type_bits(d->from) <= bits;
}

/* An extended value that is truncated and extended again in the same way is the first one in
 * another width. */
static bool extend_again(struct fold *fold, const struct fold_site *site, const struct ir_inst *a)
{
	enum ir_type from = a->from;
	ir_val x;

	if (a->op != IR_TRUNC)
		return false;
	x = a->args[0];
	if (!is_extended_from(fold, x, site->p.op == IR_SEXT, ir_type_bits(a->type)))
		return false;
	if (from == site->p.type)
		return fold_to_value(fold, site, x);
	return fold_to_convert(fold, site, from > site->p.type ? IR_TRUNC : site->p.op, x);
}

static bool identity_extend(struct fold *fold, const struct fold_site *site)
{
	const struct ir_inst *a = fold_def(fold, site->a);

	if (extend_again(fold, site, a))
		return true;
	if (a->op == site->p.op || a->op == IR_ZEXT)
		return fold_to_convert(fold, site, a->op, a->args[0]);
	return false;
}

static bool identity_trunc(struct fold *fold, const struct fold_site *site)
{
	const struct ir_inst *a = fold_def(fold, site->a);
	ir_val x = a->nargs ? a->args[0] : 0;
	uint64_t k;

	if (a->op == IR_TRUNC)
		return fold_to_convert(fold, site, IR_TRUNC, x);
	if (a->op == IR_PACK && site->bits == ir_type_bits(a->type) / 2)
		return fold_to_value(fold, site, x);
	if (a->op == IR_PACK)
		return fold_to_convert(fold, site, IR_TRUNC, x);
	if (a->op == IR_ZEXT || a->op == IR_SEXT) {
		if (a->from == site->p.type)
			return fold_to_value(fold, site, x);
		return fold_to_convert(fold, site, a->from > site->p.type ? IR_TRUNC : a->op, x);
	}
	if (a->op == IR_AND && ir_is_const(fold->f, a->args[1], &k) && (site->ones & ~k) == 0)
		return fold_to_convert(fold, site, IR_TRUNC, x);
	if ((a->op == IR_SHR_U || a->op == IR_SHR_S) && ir_is_const(fold->f, a->args[1], &k) &&
	    k == site->bits && 2 * site->bits == ir_type_bits(a->type)) {
		ir_id halves = fold_new(fold, site, IR_UNPACK, a->type, x, 0);

		return fold_to_value(fold, site, ir_at(fold->f, halves)->res + 1);
	}
	return false;
}

ir_val fold_half_of(const struct fold *fold, ir_val v, bool upper)
{
	const struct ir_inst *d = fold_def(fold, v);

	if (d->op == IR_UNPACK && v == d->res + upper)
		return d->args[0];
	if (d->op == IR_TRUNC && !upper && d->type == ir_type_half(d->from))
		return d->args[0];
	return 0;
}

static bool identity_pack(struct fold *fold, const struct fold_site *site)
{
	ir_val low = fold_half_of(fold, site->a, false), high = fold_half_of(fold, site->b, true);

	if (low && low == high)
		return fold_to_value(fold, site, low);
	if (site->is_const && site->k == 0)
		return fold_to_convert(fold, site, IR_ZEXT, site->a);
	return fold_packed_floats(fold, site);
}

static bool identity_unpack(struct fold *fold, const struct fold_site *site)
{
	const struct ir_inst *a = fold_def(fold, site->a);
	enum ir_type half = ir_type_half(site->p.type);
	struct fold_site upper = *site;
	ir_val low, high;

	if (a->op == IR_PACK) {
		low = a->args[0];
		high = a->args[1];
	} else if (a->op == IR_ZEXT && a->from == half) {
		low = a->args[0];
		high = fold_const(fold, site, half, 0);
	} else {
		return false;
	}
	upper.p.res++;
	fold_to_value(fold, site, low);
	return fold_to_value(fold, &upper, high);
}

static bool identity_copy(struct fold *fold, const struct fold_site *site)
{
	return fold_to_value(fold, site, site->a);
}

/* Conversion to a generic address and back. */
static bool identity_tospace(struct fold *fold, const struct fold_site *site)
{
	const struct ir_inst *a = fold_def(fold, site->a);

	if (a->op == IR_GENERIC && a->space == site->p.space)
		return fold_to_value(fold, site, a->args[0]);
	return false;
}

/* ---- floats ---- */

static bool fold_to_float(struct fold *fold, const struct fold_site *site, enum ir_op op, ir_val x,
			  ir_val y, ir_val z)
{
	fold_to_op(fold, site, op, x, y, z);
	ir_at(fold->f, site->i)->round = site->p.round;
	ir_at(fold->f, site->i)->format = site->p.format;
	ir_at(fold->f, site->i)->flags = site->p.flags & ~IR_CONTRACT;
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

/* Whether an addition may absorb the product m: both allow contraction, and nothing happens to the
 * product in between. */
static bool may_contract(const struct ir_inst *sum, const struct ir_inst *m)
{
	return sum->op == IR_FADD && sum->flags & m->flags & IR_CONTRACT && !(m->flags & IR_SAT) &&
	       !((sum->flags ^ m->flags) & IR_FTZ) && m->round == sum->round &&
	       m->format == sum->format && sum->args[0] != sum->args[1];
}

/* A flushed product is not flushed again. */
static bool is_plain_negation(const struct ir_inst *p, const struct ir_inst *m)
{
	return p->op == IR_FNEG && !(p->flags & ~m->flags & IR_FTZ) && p->format == m->format;
}

/* Maximum number of users of a product that are examined. */
#define MAX_PRODUCT_USERS 16

/* Whether every use of the product m, or of its negation v, is an addition that may absorb it. Then
 * the product disappears; otherwise it would be computed twice. */
static bool all_uses_contract(const struct fold *fold, ir_val v, const struct ir_inst *m)
{
	uint32_t visited = 0;

	uses_for_each(&fold->uses, v, it) {
		const struct ir_inst *p = ir_at(fold->f, fold->uses.list[it].user);
		bool uses = false;

		if (++visited > MAX_PRODUCT_USERS)
			return false;
		for (uint32_t k = 0; p->block && k < p->nargs; k++)
			uses |= p->args[k] == v;
		if (!uses || may_contract(p, m))
			continue;
		if (v != m->res || !is_plain_negation(p, m) || !all_uses_contract(fold, p->res, m))
			return false;
	}
	return true;
}

/* Fuses a product, negated or not, into the addition if all of its uses are additions that can do
 * the same. */
static bool identity_fadd(struct fold *fold, const struct fold_site *site)
{
	for (uint32_t k = 0; k < 2 && site->p.flags & IR_CONTRACT; k++) {
		const struct ir_inst *m = fold_def(fold, site->p.args[k]);
		bool negated = m->op == IR_FNEG;
		ir_val x, y;
		uint64_t c;

		if (negated) {
			const struct ir_inst *negation = m;

			m = fold_def(fold, m->args[0]);
			if (!is_plain_negation(negation, m))
				continue;
		}
		if (m->op != IR_FMUL || !may_contract(&site->p, m) ||
		    !all_uses_contract(fold, m->res, m))
			continue;
		x = m->args[0];
		y = m->args[1];
		if (negated) {
			ir_val *factor = ir_is_const(fold->f, y, &c) ? &y : &x;
			ir_id i = fold_new(fold, site, IR_FNEG, site->p.type, *factor, 0);

			ir_at(fold->f, i)->format = site->p.format;
			*factor = ir_at(fold->f, i)->res;
		}
		return fold_to_float(fold, site, IR_FMA, x, y, site->p.args[!k]);
	}
	return false;
}

/* a * 1 is exact, so the sum is rounded once in both forms. */
static bool identity_fma(struct fold *fold, const struct fold_site *site)
{
	uint64_t k;

	if (site->is_const && site->k == float_one(&site->p))
		return fold_to_float(fold, site, IR_FADD, site->a, site->c, 0);
	if (!site->is_const && ir_is_const(fold->f, site->a, &k))
		return fold_to_float(fold, site, IR_FMA, site->b, site->a, site->c);
	return false;
}

/* Sign operations only change bits, also of a NaN, unless they flush subnormals. */
static bool identity_fsign(struct fold *fold, const struct fold_site *site)
{
	const struct ir_inst *a = fold_def(fold, site->a);
	const uint8_t not_bits = IR_FTZ | IR_SAT;

	if ((a->op != IR_FNEG && a->op != IR_FABS) || (a->flags | site->p.flags) & not_bits ||
	    (a->format == IR_F16X2 || a->format == IR_BF16X2) !=
		    (site->p.format == IR_F16X2 || site->p.format == IR_BF16X2))
		return false;
	if (site->p.op == IR_FABS)
		return fold_to_float(fold, site, IR_FABS, a->args[0], 0, 0);
	if (a->op == IR_FNEG)
		return fold_to_value(fold, site, a->args[0]);
	return false;
}

/*
 * 1 / 2^a is 2^-a. Both operations are approximate by definition, and the new form is closer to the
 * exact value; ptxas makes it, too. The power must have no other use: the expansion of an exact
 * division has, and corrects the reciprocal of just this power.
 */
static bool identity_approx(struct fold *fold, const struct fold_site *site)
{
	const struct ir_inst *a = fold_def(fold, site->a);
	ir_id negation;
	ir_val x;

	if (site->p.sub != IR_APPROX_RCP || a->op != IR_APPROX || a->sub != IR_APPROX_EX2 ||
	    !(site->p.flags & a->flags & IR_FTZ) || site->p.format || a->format ||
	    !fold_used_once(fold, site->a))
		return false;
	x = a->args[0];
	negation = fold_new(fold, site, IR_FNEG, site->p.type, x, 0);
	fold_to_float(fold, site, IR_APPROX, ir_at(fold->f, negation)->res, 0, 0);
	ir_at(fold->f, site->i)->sub = IR_APPROX_EX2;
	return true;
}

static bool (*const identities[IR_OP_COUNT])(struct fold *fold, const struct fold_site *site) = {
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
	[IR_SELECT] = fold_select,         [IR_ZEXT] = identity_extend,
	[IR_SEXT] = identity_extend,       [IR_TRUNC] = identity_trunc,
	[IR_PACK] = identity_pack,         [IR_UNPACK] = identity_unpack,
	[IR_FADD] = identity_fadd,         [IR_FMA] = identity_fma,
	[IR_FNEG] = identity_fsign,        [IR_FABS] = identity_fsign,
	[IR_FCMP] = identity_fcmp,         [IR_TOSPACE] = identity_tospace,
	[IR_APPROX] = identity_approx,
};

/* An absolute value among logic operations is one of them, so that a sign and a magnitude are put
 * together in one operation of three inputs. */
static bool magnitude_to_logic(struct fold *fold, const struct fold_site *site)
{
	for (uint32_t k = 0; k < 2; k++) {
		ir_val v = k ? site->b : site->a, x;
		const struct ir_inst *d = fold_def(fold, v);

		if (d->op != IR_FABS || d->type != IR_B32 || d->format || d->flags & IR_FTZ ||
		    !fold_used_once(fold, v))
			continue;
		x = d->args[0];
		x = ir_at(fold->f, fold_new(fold, site, IR_AND, IR_B32, x,
					    fold_const(fold, site, IR_B32, INT32_MAX)))
			    ->res;
		return fold_to_op(fold, site, site->p.op, k ? site->a : x, k ? x : site->b, 0);
	}
	return false;
}

bool fold_identity(struct fold *fold, const struct fold_site *site)
{
	uint64_t k;

	if (ir_ops[site->p.op].properties & P_COMM && !site->is_const &&
	    ir_is_const(fold->f, site->a, &k))
		return fold_swap(fold, site);
	if (identities[site->p.op] && identities[site->p.op](fold, site))
		return true;
	if ((site->p.op == IR_OR || site->p.op == IR_TRUNC || site->p.op == IR_PACK ||
	     site->p.op == IR_PERMUTE) &&
	    fold_bytes(fold, site))
		return true;
	return (site->p.op == IR_AND || site->p.op == IR_OR || site->p.op == IR_XOR) &&
	       magnitude_to_logic(fold, site);
}
