// SPDX-License-Identifier: MIT
/*
 * Division, reciprocals and square roots, rounded to nearest.
 *
 * v_div_scale scales the operands to avoid overflow and lost bits, v_div_fmas undoes that in the
 * last step, v_div_fixup handles zeros, infinities and NaNs (RDNA2 ISA manual). In between are
 * Newton-Raphson steps, whose errors a fused multiply-add computes exactly.
 *
 * The last step is right if the reciprocal is rounded to nearest (Markstein, "Computation of
 * elementary functions on the IBM RISC System/6000 processor", 1990). The reciprocal of a fraction
 * of all ones is just above a tie, where Newton's step from below ends at the wrong neighbour; so
 * singles start from an odd approximation, and doubles add more than the square of the error.
 *
 * Square roots scale small arguments by a power of four. The f32 approximation is off by at most
 * one ulp, and the residuals of both neighbours tell which is nearest; f64 refines the
 * approximation of 1 / sqrt(x) by two Goldschmidt steps and two exact residuals, as LLVM does.
 */
#include "libsov/compiler/amd/select.h"

#define ARG(k)               (s->in->args[k])
#define ONE32                UINT64_C(0x3f800000)
#define ONE64                UINT64_C(0x3ff0000000000000)
#define TINY64               ((uint64_t)(1023 - 90) << 52)
#define CLASS_ZEROS_INFINITY 0x260 /* -0, 0, infinity */

struct float_width {
	uint32_t words;
	uint16_t scale, fmas, fixup, rcp, fma, mul, class;
};

static const struct float_width widths[] = {
	{1, AMD_v_div_scale_f32, AMD_v_div_fmas_f32, AMD_v_div_fixup_f32, AMD_v_rcp_f32,
	 AMD_v_fma_f32, AMD_v_mul_f32, AMD_v_cmp_class_f32},
	{2, AMD_v_div_scale_f64, AMD_v_div_fmas_f64, AMD_v_div_fixup_f64, AMD_v_rcp_f64,
	 AMD_v_fma_f64, AMD_v_mul_f64, AMD_v_cmp_class_f64},
};

static struct gcn_inst *emit_nearest(struct select *s, enum amd_op op, struct gcn_src d,
				     struct gcn_src x, struct gcn_src y, struct gcn_src z)
{
	struct gcn_inst *i = sel_vop(s, op, d, x, y, z);

	i->mode = 0;
	return i;
}

static struct gcn_src emit_nearest_new(struct select *s, const struct float_width *w,
				       enum amd_op op, struct gcn_src x, struct gcn_src y,
				       struct gcn_src z)
{
	struct gcn_src d = sel_temp(s, GCN_VECTOR, w->words);

	emit_nearest(s, op, d, x, y, z);
	return d;
}

/* z - x y, or x y + z. */
static struct gcn_src emit_fma(struct select *s, const struct float_width *w, struct gcn_src x,
			       struct gcn_src y, struct gcn_src z, bool minus)
{
	struct gcn_src d = sel_temp(s, GCN_VECTOR, w->words);

	emit_nearest(s, w->fma, d, x, y, z)->in.field[AMD_F_NEG] = minus;
	return d;
}

static struct gcn_src emit_div_scale(struct select *s, const struct float_width *w,
				     struct gcn_src what, struct gcn_src b, struct gcn_src a,
				     uint16_t mask)
{
	struct gcn_src d = sel_temp(s, GCN_VECTOR, w->words);

	gcn_set_operand(s->f, emit_nearest(s, w->scale, d, what, b, a), AMD_SX, gcn_reg(mask));
	return d;
}

/* Writes the result, or PTX's canonical NaN. */
static void write_canonical(struct select *s, const struct float_width *w, struct gcn_src x)
{
	uint64_t nan = w->words == 2 ? UINT64_C(0x7ff8000000000000) : 0x7fffffff;
	struct gcn_src is = sel_temp(s, GCN_SCALAR, 1);

	emit_nearest(s, w->words == 2 ? AMD_v_cmp_u_f64 : AMD_v_cmp_u_f32, is, x, x, gcn_none());
	for (uint32_t k = 0; k < w->words; k++)
		sel_cndmask(s, sel_part(sel_result(s, 0, 0), k), is,
			    gcn_imm((uint32_t)(nan >> 32 * k)), sel_part(x, k));
}

static void select_division(struct select *s)
{
	const struct float_width *w = &widths[s->in->type == IR_B64];
	struct gcn_src one = gcn_reg(AMD_HALF + 2), b = sel_vector_value(s, ARG(s->in->nargs - 1)),
		       a, d, n, r, q;

	if (s->in->op == IR_FDIV)
		a = sel_vector_value(s, ARG(0));
	else
		a = sel_constant(s, GCN_VECTOR, w->words == 2 ? ONE64 : ONE32, w->words);
	d = emit_div_scale(s, w, b, b, a, AMD_NULL);
	r = emit_nearest_new(s, w, w->rcp, d, gcn_none(), gcn_none());
	if (w->words == 1)
		r = sel_op_new(s, GCN_VECTOR, SEL_OR, r, gcn_imm(1));
	for (uint32_t k = 0; k < w->words; k++) {
		q = emit_fma(s, w, d, r, one, true);
		if (k)
			q = emit_nearest_new(s, w, AMD_v_add_f64, q,
					     sel_constant(s, GCN_SCALAR, TINY64, 2), gcn_none());
		r = emit_fma(s, w, q, r, r, false);
	}
	n = emit_div_scale(s, w, a, b, a, AMD_VCC);
	q = emit_nearest_new(s, w, w->mul, n, r, gcn_none());
	if (w->words == 1)
		q = emit_fma(s, w, emit_fma(s, w, d, q, n, true), r, q, false);
	q = emit_nearest_new(s, w, w->fmas, emit_fma(s, w, d, q, n, true), r, q);
	write_canonical(s, w, emit_nearest_new(s, w, w->fixup, q, b, a));
}

/* The root of a zero or an infinity is the argument itself. */
static void write_root(struct select *s, const struct float_width *w, struct gcn_src x,
		       struct gcn_src root)
{
	struct gcn_src is = sel_temp(s, GCN_SCALAR, 1), d = sel_temp(s, GCN_VECTOR, w->words);

	emit_nearest(s, w->class, is, x, sel_constant(s, GCN_VECTOR, CLASS_ZEROS_INFINITY, 1),
		     gcn_none());
	for (uint32_t k = 0; k < w->words; k++)
		sel_cndmask(s, sel_part(d, k), is, sel_part(x, k), sel_part(root, k));
	write_canonical(s, w, d);
}

static void select_sqrt32(struct select *s)
{
	const struct float_width *w = &widths[0];
	struct gcn_src x = sel_vector_value(s, ARG(0)), small, t, root, neighbour[2], p, rest;

	small = sel_compare(s, AMD_v_cmp_gt_f32, gcn_imm((127u - 96) << 23), x);
	t = emit_nearest_new(s, w, w->mul, gcn_imm((127u + 32) << 23), x, gcn_none());
	p = sel_temp(s, GCN_VECTOR, 1);
	sel_cndmask(s, p, small, t, x);
	x = p;
	root = emit_nearest_new(s, w, AMD_v_sqrt_f32, x, gcn_none(), gcn_none());
	neighbour[0] = sel_op_new(s, GCN_VECTOR, SEL_ADD, gcn_imm(UINT32_MAX), root);
	neighbour[1] = sel_op_new(s, GCN_VECTOR, SEL_ADD, gcn_imm(1), root);
	t = root;
	for (uint32_t k = 0; k < 2; k++) {
		struct gcn_src d = sel_temp(s, GCN_VECTOR, 1);

		rest = emit_fma(s, w, neighbour[k], root, x, true);
		p = sel_compare(s, k ? AMD_v_cmp_lt_f32 : AMD_v_cmp_ge_f32, gcn_imm(0), rest);
		sel_cndmask(s, d, p, neighbour[k], t);
		t = d;
	}
	root = emit_nearest_new(s, w, w->mul, gcn_imm((127u - 16) << 23), t, gcn_none());
	p = sel_temp(s, GCN_VECTOR, 1);
	sel_cndmask(s, p, small, root, t);
	write_root(s, w, x, p);
}

static void select_sqrt64(struct select *s)
{
	const struct float_width *w = &widths[1];
	struct gcn_src x = sel_vector_value(s, ARG(0)), half = gcn_reg(AMD_HALF), small, e, y, g, h,
		       r;

	small = sel_temp(s, GCN_SCALAR, 1);
	emit_nearest(s, AMD_v_cmp_gt_f64, small,
		     sel_constant(s, GCN_SCALAR, (uint64_t)(1023 - 767) << 52, 2), x, gcn_none());
	e = sel_temp(s, GCN_VECTOR, 1);
	sel_cndmask(s, e, small, gcn_imm(256), gcn_imm(0));
	x = emit_nearest_new(s, w, AMD_v_ldexp_f64, x, e, gcn_none());
	y = emit_nearest_new(s, w, AMD_v_rsq_f64, x, gcn_none(), gcn_none());
	g = emit_nearest_new(s, w, w->mul, x, y, gcn_none());
	h = emit_nearest_new(s, w, w->mul, y, half, gcn_none());
	r = emit_fma(s, w, h, g, half, true);
	g = emit_fma(s, w, g, r, g, false);
	h = emit_fma(s, w, h, r, h, false);
	for (uint32_t k = 0; k < 2; k++)
		g = emit_fma(s, w, emit_fma(s, w, g, g, x, true), h, g, false);
	e = sel_temp(s, GCN_VECTOR, 1);
	sel_cndmask(s, e, small, gcn_imm((uint32_t)-128), gcn_imm(0));
	write_root(s, w, x, emit_nearest_new(s, w, AMD_v_ldexp_f64, g, e, gcn_none()));
}

bool select_quotient(struct select *s)
{
	if (s->in->op == IR_FDIV || s->in->op == IR_FRCP)
		select_division(s);
	else if (s->in->op == IR_FSQRT && s->in->type == IR_B32)
		select_sqrt32(s);
	else if (s->in->op == IR_FSQRT)
		select_sqrt64(s);
	else
		return false;
	return true;
}
