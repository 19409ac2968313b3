// SPDX-License-Identifier: MIT
/*
 * bf16 arithmetic, which gfx10 lacks, in double precision. A product of two is exact in double
 * precision; a sum is rounded to odd, so that the two narrowing conversions round as if once.
 * Comparing the sums rounded down and up shows whether a sum is exact.
 */
#include "libsov/compiler/amd/select.h"

#define ARG(k) (s->in->args[k])
enum { UP = 1, DOWN = 2, TO_ZERO = 3 }; /* as in MODE */

void select_halves(struct select *s, struct gcn_src d, const struct gcn_src half[2], bool packed)
{
	struct gcn_src low, high;

	if (!packed) {
		sel_move(s, d, half[0], 1);
		return;
	}
	low = sel_op_new(s, GCN_VECTOR, SEL_AND, half[0], gcn_imm(0xffff));
	high = sel_op_new(s, GCN_VECTOR, SEL_SHL, half[1], gcn_imm(16));
	sel_op(s, SEL_OR, d, low, high);
}

/* Half k of an argument as a single. */
static struct gcn_src half_to_single(struct select *s, ir_val v, uint32_t k)
{
	struct gcn_src x = sel_vector(s, sel_word(s, v, 0), 1);

	return k ? sel_op_new(s, GCN_VECTOR, SEL_AND, x, gcn_imm(0xffff0000))
		 : sel_op_new(s, GCN_VECTOR, SEL_SHL, x, gcn_imm(16));
}

static struct gcn_src binary_in_mode(struct select *s, enum amd_op op, uint32_t words,
				     struct gcn_src x, struct gcn_src y, uint8_t mode)
{
	struct gcn_src d = sel_temp(s, GCN_VECTOR, words);

	sel_vop(s, op, d, x, y, gcn_none())->mode = mode;
	return d;
}

static struct gcn_src sum_to_odd(struct select *s, struct gcn_src x, struct gcn_src y)
{
	struct gcn_src down = binary_in_mode(s, AMD_v_add_f64, 2, x, y, DOWN);
	struct gcn_src up = binary_in_mode(s, AMD_v_add_f64, 2, x, y, UP);
	struct gcn_src zero = binary_in_mode(s, AMD_v_add_f64, 2, x, y, TO_ZERO),
		       d = sel_temp(s, GCN_VECTOR, 2);
	struct gcn_src p = sel_compare(s, AMD_v_cmp_lg_f64, down, up), nearest, is_zero;

	sel_cndmask(s, d, p, sel_op_new(s, GCN_VECTOR, SEL_OR, zero, gcn_imm(1)), zero);
	/* The sign of a zero is that of round-to-nearest. */
	nearest = binary_in_mode(s, AMD_v_add_f64, 2, x, y, 0);
	is_zero = sel_compare(s, AMD_v_cmp_eq_f64, gcn_imm(0), nearest);
	sel_cndmask(s, sel_part(d, 1), is_zero, sel_part(nearest, 1), sel_part(zero, 1));
	return d;
}

static struct gcn_src bf16_arithmetic(struct select *s, uint32_t k)
{
	struct gcn_src x[3], r;

	for (uint32_t a = 0; a < s->in->nargs; a++) {
		x[a] = sel_temp(s, GCN_VECTOR, 2);
		sel_vop(s, AMD_v_cvt_f64_f32, x[a], half_to_single(s, ARG(a), k), gcn_none(),
			gcn_none())
			->mode = 0;
	}
	r = s->in->op == IR_FADD ? x[0] : binary_in_mode(s, AMD_v_mul_f64, 2, x[0], x[1], 0);
	if (s->in->op != IR_FMUL)
		r = sum_to_odd(s, r, x[s->in->nargs - 1]);
	return select_to_bf16(s, select_round_to_odd(s, r), IR_RN);
}

static struct gcn_src bf16_min_max(struct select *s, uint32_t k)
{
	struct gcn_src x = half_to_single(s, ARG(0), k), y = half_to_single(s, ARG(1), k), r, nan,
		       d;

	r = binary_in_mode(s, s->in->op == IR_FMIN ? AMD_v_min_f32 : AMD_v_max_f32, 1, x, y, 0);
	r = select_to_bf16(s, r, IR_RZ);
	if (!(s->in->flags & IR_NAN))
		return r;
	nan = sel_compare(s, AMD_v_cmp_u_f32, x, y);
	d = sel_temp(s, GCN_VECTOR, 1);
	sel_cndmask(s, d, nan, gcn_imm(0x7fff), r);
	return d;
}

/* Clamps to [0, 1]; NaN becomes 0. */
static struct gcn_src saturate_bf16(struct select *s, struct gcn_src x)
{
	struct gcn_src d = sel_temp(s, GCN_VECTOR, 1);

	x = sel_op_new(s, GCN_VECTOR, SEL_SHL, x, gcn_imm(16));
	sel_vop_long(s, AMD_v_max_f32, d, x, x, gcn_none())->in.field[AMD_F_CLAMP] = 1;
	return sel_op_new(s, GCN_VECTOR, SEL_SHR_U, d, gcn_imm(16));
}

void select_bf16(struct select *s)
{
	bool packed = s->in->format == IR_BF16X2;
	struct gcn_src half[2];

	for (uint32_t k = 0; k < 1u + packed; k++) {
		half[k] = s->in->op == IR_FMIN || s->in->op == IR_FMAX ? bf16_min_max(s, k)
								       : bf16_arithmetic(s, k);
		if (s->in->flags & IR_SAT)
			half[k] = saturate_bf16(s, half[k]);
	}
	select_halves(s, sel_result(s, 0, 0), half, packed);
}
