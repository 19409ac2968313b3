// SPDX-License-Identifier: MIT
/* GLSL.std.450: packing, geometry, matrices, and functions with two results. */
#include <string.h>
#include "libsov/compiler/spirv/float.h"
#include "libsov/compiler/spirv/front_end.h"
#include "libsov/compiler/spirv/glsl.h"

static ir_val f(struct spirv *s, enum ir_op op, ir_val a, ir_val b, ir_val c)
{
	return spirv_float_op(s, op, spirv_type_of_val(s, a), a, b, c);
}

static ir_val sub(struct spirv *s, ir_val a, ir_val b)
{
	return f(s, IR_FADD, a, f(s, IR_FNEG, b, 0, 0), 0);
}

static ir_val number(struct spirv *s, ir_val like, double value)
{
	return spirv_float_const(s, spirv_type_of_val(s, like), value);
}

/* Operand k, which must have the type of floats of a width, 0: any. */
static const ir_val *floats(struct spirv *s, uint32_t k, enum ir_type width, uint32_t *count)
{
	const struct spirv_type *t = spirv_value_type(s, spirv_word(s, 5 + k));

	if (!spirv_is_float(t) || t->leaves > 16 || (width && spirv_scalar(t)->ir != width))
		spirv_fail(s, "operand %u has the wrong type", k);
	if (*count && t->leaves != *count)
		spirv_fail(s, "operand %u has %u components, not %u", k, t->leaves, *count);
	*count = t->leaves;
	return spirv_leaves(s, spirv_word(s, 5 + k));
}

static void finish(struct spirv *s, const ir_val *out, uint32_t n)
{
	const struct spirv_type *t = spirv_result_type(s);

	if (t->leaves != n)
		spirv_fail(s, "the result has %u scalars, not %u", n, t->leaves);
	for (uint32_t k = 0; k < n; k++)
		if (spirv_type_of_val(s, out[k]) != spirv_leaf_type(t, k))
			spirv_fail(s, "the result has another type");
	memcpy(spirv_result(s, t), out, n * sizeof(*out));
}

/* ---- packing ---- */

static ir_val pack_norm(struct spirv *s, uint32_t bits, bool is_signed)
{
	uint32_t count = 32 / bits;
	const ir_val *v = floats(s, 0, IR_B32, &count);
	double scale = is_signed ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
	ir_val word = 0;

	for (uint32_t k = 0; k < count; k++) {
		ir_val x = f(s, IR_FMAX, v[k], number(s, v[k], is_signed ? -1 : 0), 0), i;
		ir_id id;

		x = f(s, IR_FMIN, x, number(s, x, 1), 0);
		x = f(s, IR_FMUL, x, number(s, x, scale), 0);
		id = spirv_emit(s, IR_FTOS, IR_B32, 1, 1, &x);
		ir_at(s->f, id)->from = IR_B32;
		ir_at(s->f, id)->round = IR_RN;
		i = spirv_op(s, IR_AND, IR_B32, ir_at(s->f, id)->res,
			     spirv_const(s, IR_B32, (1u << bits) - 1), 0);
		i = spirv_op(s, IR_SHL, IR_B32, i, spirv_const(s, IR_B32, bits * k), 0);
		word = word ? spirv_op(s, IR_OR, IR_B32, word, i, 0) : i;
	}
	return word;
}

static void unpack_norm(struct spirv *s, uint32_t bits, bool is_signed)
{
	double scale = is_signed ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
	ir_val word = spirv_integer_operand(s, 5, IR_B32), out[4];

	for (uint32_t k = 0; k < 32 / bits; k++) {
		ir_val x = spirv_op(s, IR_SHL, IR_B32, word,
				    spirv_const(s, IR_B32, 32 - bits * (k + 1)), 0);
		ir_id i;

		x = spirv_op(s, is_signed ? IR_SHR_S : IR_SHR_U, IR_B32, x,
			     spirv_const(s, IR_B32, 32 - bits), 0);
		i = spirv_emit(s, is_signed ? IR_STOF : IR_UTOF, IR_B32, 1, 1, &x);
		ir_at(s->f, i)->from = IR_B32;
		x = spirv_float_op(s, IR_FDIV, IR_B32, ir_at(s->f, i)->res,
				   spirv_float_const(s, IR_B32, scale), 0);
		if (is_signed)
			x = f(s, IR_FMAX, x, number(s, x, -1), 0);
		out[k] = x;
	}
	finish(s, out, 32 / bits);
}

static void pack_halves(struct spirv *s)
{
	uint32_t two = 2;
	const ir_val *v = floats(s, 0, IR_B32, &two);
	ir_val out = spirv_op(s, IR_PACK, IR_B32, spirv_convert(s, IR_FTOF, IR_B32, IR_B16, v[0]),
			      spirv_convert(s, IR_FTOF, IR_B32, IR_B16, v[1]), 0);

	finish(s, &out, 1);
}

static void unpack_halves(struct spirv *s)
{
	ir_val word = spirv_integer_operand(s, 5, IR_B32), out[2];

	out[0] = spirv_resize(s, word, IR_B16, false);
	out[1] = spirv_resize(s, spirv_op(s, IR_SHR_U, IR_B32, word, spirv_const(s, IR_B32, 16), 0),
			      IR_B16, false);
	for (int k = 0; k < 2; k++)
		out[k] = spirv_convert(s, IR_FTOF, IR_B16, IR_B32, out[k]);
	finish(s, out, 2);
}

static void pack_double(struct spirv *s, bool unpack)
{
	const ir_val *v = spirv_operand(s, 5, unpack ? 1 : 2);
	ir_val out[2];

	if (spirv_type_of_val(s, v[0]) != (unpack ? IR_B64 : IR_B32))
		spirv_fail(s, "the operand has the wrong type");
	if (!unpack) {
		out[0] = spirv_op(s, IR_PACK, IR_B64, v[0], v[1], 0);
	} else {
		out[0] = spirv_resize(s, v[0], IR_B32, false);
		out[1] = spirv_resize(
			s, spirv_op(s, IR_SHR_U, IR_B64, v[0], spirv_const(s, IR_B32, 32), 0),
			IR_B32, false);
	}
	finish(s, out, unpack ? 2 : 1);
}

/* ---- geometry ---- */

static ir_val through_single(struct spirv *s, ir_val (*function)(struct spirv *s, ir_val x),
			     ir_val x)
{
	enum ir_type t = spirv_type_of_val(s, x);

	if (t != IR_B16)
		return function(s, x);
	return spirv_convert(s, IR_FTOF, IR_B32, t, function(s, spirv_to_single(s, x)));
}

static ir_val length_of(struct spirv *s, const ir_val *v, uint32_t n)
{
	if (n == 1)
		return f(s, IR_FABS, v[0], 0, 0);
	return through_single(s, spirv_square_root, spirv_dot(s, n, v, v));
}

static void distance(struct spirv *s)
{
	uint32_t n = 0;
	const ir_val *a = floats(s, 0, 0, &n), *b;
	ir_val d[16];

	b = floats(s, 1, spirv_type_of_val(s, a[0]), &n);
	for (uint32_t k = 0; k < n; k++)
		d[k] = sub(s, a[k], b[k]);
	d[0] = length_of(s, d, n);
	finish(s, d, 1);
}

static void cross(struct spirv *s)
{
	uint32_t n = 3;
	const ir_val *a = floats(s, 0, 0, &n), *b = floats(s, 1, spirv_type_of_val(s, a[0]), &n);
	ir_val out[3];

	for (uint32_t k = 0; k < 3; k++) {
		uint32_t i = (k + 1) % 3, j = (k + 2) % 3;

		out[k] = sub(s, f(s, IR_FMUL, a[i], b[j], 0), f(s, IR_FMUL, a[j], b[i], 0));
	}
	finish(s, out, 3);
}

static void normalize(struct spirv *s)
{
	uint32_t n = 0;
	const ir_val *a = floats(s, 0, 0, &n);
	ir_val length = length_of(s, a, n), out[16];

	for (uint32_t k = 0; k < n; k++)
		out[k] = spirv_quotient(s, a[k], length);
	finish(s, out, n);
}

static void face_forward(struct spirv *s)
{
	uint32_t n = 0;
	const ir_val *v = floats(s, 0, 0, &n), *i = floats(s, 1, spirv_type_of_val(s, v[0]), &n),
		     *r = floats(s, 2, spirv_type_of_val(s, v[0]), &n);
	ir_val d = spirv_dot(s, n, r, i), out[16];
	ir_val same =
		spirv_compare(s, IR_FCMP, spirv_type_of_val(s, d), IR_FLT, d, number(s, d, 0));

	for (uint32_t k = 0; k < n; k++)
		out[k] = spirv_select(s, same, v[k], f(s, IR_FNEG, v[k], 0, 0));
	finish(s, out, n);
}

/* I - 2 dot(N, I) N */
static void reflect(struct spirv *s)
{
	uint32_t n = 0;
	const ir_val *i = floats(s, 0, 0, &n), *v = floats(s, 1, spirv_type_of_val(s, i[0]), &n);
	ir_val d = f(s, IR_FMUL, spirv_dot(s, n, v, i), number(s, i[0], -2), 0), out[16];

	for (uint32_t k = 0; k < n; k++)
		out[k] = f(s, IR_FMA, d, v[k], i[k]);
	finish(s, out, n);
}

/* k = 1 - eta^2 (1 - dot(N, I)^2); k < 0: 0, else eta I - (eta dot(N, I) + sqrt(k)) N */
static void refract(struct spirv *s)
{
	uint32_t n = 0, one = 1;
	const ir_val *i = floats(s, 0, 0, &n), *v = floats(s, 1, spirv_type_of_val(s, i[0]), &n);
	ir_val eta = floats(s, 2, spirv_type_of_val(s, i[0]), &one)[0];
	ir_val d = spirv_dot(s, n, v, i), unit = number(s, d, 1), k, root, none, out[16];

	k = sub(s, unit, f(s, IR_FMUL, d, d, 0));
	k = sub(s, unit, f(s, IR_FMUL, f(s, IR_FMUL, eta, eta, 0), k, 0));
	none = spirv_compare(s, IR_FCMP, spirv_type_of_val(s, k), IR_FLT, k, number(s, k, 0));
	root = through_single(s, spirv_square_root, f(s, IR_FMAX, k, number(s, k, 0), 0));
	root = f(s, IR_FMA, eta, d, root);
	for (uint32_t c = 0; c < n; c++)
		out[c] = spirv_select(
			s, none, number(s, d, 0),
			sub(s, f(s, IR_FMUL, eta, i[c], 0), f(s, IR_FMUL, root, v[c], 0)));
	finish(s, out, n);
}

/* ---- matrices ---- */

/* Determinant of the n x n matrix of the rows and columns that are left, by its first column. */
static ir_val minor_of(struct spirv *s, const ir_val *m, uint32_t n, uint32_t rows,
		       uint32_t columns)
{
	uint32_t column = (uint32_t)__builtin_ctz(columns);
	ir_val sum = 0;
	int sign = 1;

	if (!(columns & (columns - 1)))
		return m[column * n + (uint32_t)__builtin_ctz(rows)];
	for (uint32_t row = 0; row < n; row++) {
		ir_val part;

		if (!(rows >> row & 1))
			continue;
		part = minor_of(s, m, n, rows & ~(1u << row), columns & ~(1u << column));
		part = f(s, IR_FMUL, m[column * n + row], part, 0);
		sum = !sum ? part : sign > 0 ? f(s, IR_FADD, sum, part, 0) : sub(s, sum, part);
		sign = -sign;
	}
	return sum;
}

static void matrix(struct spirv *s, bool inverse)
{
	const struct spirv_type *t = spirv_value_type(s, spirv_word(s, 5));
	uint32_t n = t->count, all;
	const ir_val *m;
	ir_val determinant, out[16];

	if (t->kind != SPIRV_MATRIX || t->element->count != n)
		spirv_fail(s, "the operand is no square matrix");
	m = spirv_leaves(s, spirv_word(s, 5));
	all = (1u << n) - 1;
	determinant = minor_of(s, m, n, all, all);
	if (!inverse) {
		finish(s, &determinant, 1);
		return;
	}
	for (uint32_t c = 0; c < n; c++)
		for (uint32_t r = 0; r < n; r++) {
			ir_val part =
				n == 1 ? number(s, m[0], 1)
				       : minor_of(s, m, n, all & ~(1u << c), all & ~(1u << r));

			part = (r + c) % 2 ? f(s, IR_FNEG, part, 0, 0) : part;
			out[c * n + r] = spirv_quotient(s, part, determinant);
		}
	finish(s, out, n * n);
}

/* ---- two results ---- */

/* Stores the second result where the last operand points to, or appends it to the first. */
static void finish_two(struct spirv *s, bool structure, ir_val *first, const ir_val *second,
		       uint32_t n)
{
	struct spirv_pointer p;

	if (structure) {
		memcpy(first + n, second, n * sizeof(*first));
		finish(s, first, 2 * n);
		return;
	}
	p = *spirv_pointer_of(s, spirv_word(s, 6));
	p = spirv_resolve(s, &p);
	if (!p.pointee || p.pointee->leaves != n ||
	    spirv_leaf_type(p.pointee, 0) != spirv_type_of_val(s, second[0]))
		spirv_fail(s, "the pointer points to another type");
	spirv_store(s, &p, p.pointee, second);
	finish(s, first, n);
}

static void modf_(struct spirv *s, bool structure)
{
	uint32_t n = 0;
	const ir_val *v = floats(s, 0, 0, &n);
	ir_val first[32], whole[16];

	for (uint32_t k = 0; k < n; k++) {
		enum ir_type t = spirv_type_of_val(s, v[k]);
		uint64_t sign = UINT64_C(1) << (ir_type_bits(t) - 1);
		ir_val infinite;

		whole[k] = spirv_round(s, t, v[k], IR_RZ);
		infinite = spirv_compare(s, IR_FCMP, t, IR_FEQ, f(s, IR_FABS, v[k], 0, 0),
					 number(s, v[k], __builtin_inf()));
		first[k] = spirv_select(s, infinite, number(s, v[k], 0), sub(s, v[k], whole[k]));
		first[k] = spirv_op(s, IR_OR, t,
				    spirv_op(s, IR_AND, t, first[k], spirv_const(s, t, ~sign), 0),
				    spirv_op(s, IR_AND, t, v[k], spirv_const(s, t, sign), 0), 0);
	}
	finish_two(s, structure, first, whole, n);
}

struct layout {
	uint32_t bits, fraction, bias;
};

static struct layout layout_of(enum ir_type t)
{
	return t == IR_B16   ? (struct layout){16, 10, 15}
	       : t == IR_B32 ? (struct layout){32, 23, 127}
			     : (struct layout){64, 52, 1023};
}

static ir_val exponent_field(struct spirv *s, enum ir_type t, ir_val bits)
{
	struct layout l = layout_of(t);
	ir_val e = spirv_op(s, IR_SHR_U, t, bits, spirv_const(s, IR_B32, l.fraction), 0);

	e = spirv_resize(s, e, IR_B32, false);
	return spirv_op(s, IR_AND, IR_B32, e, spirv_const(s, IR_B32, 2 * l.bias + 1), 0);
}

/* The significand in [0.5, 1) and the exponent; zeros, infinities and NaNs have the exponent 0. */
static void frexp_(struct spirv *s, bool structure)
{
	const struct spirv_type *result = spirv_result_type(s);
	uint32_t n = 0;
	const ir_val *v = floats(s, 0, 0, &n);
	ir_val first[32], exponents[16];

	if (structure && (result->kind != SPIRV_STRUCT || result->count != 2))
		spirv_fail(s, "the result is no structure of two members");
	for (uint32_t k = 0; k < n; k++) {
		enum ir_type t = spirv_type_of_val(s, v[k]);
		struct layout l = layout_of(t);
		ir_val scale = number(s, v[k], t == IR_B16 ? 0x1p12 : 0x1p64), small, x, e, special;
		int shift = t == IR_B16 ? 12 : 64;
		uint64_t field = (uint64_t)(2 * l.bias + 1) << l.fraction;

		/* subnormals are scaled to normal numbers */
		small = spirv_compare(s, IR_ICMP, IR_B32, IR_EQ, exponent_field(s, t, v[k]),
				      spirv_const(s, IR_B32, 0));
		x = spirv_select(s, small, f(s, IR_FMUL, v[k], scale, 0), v[k]);
		e = exponent_field(s, t, x);
		special = spirv_op(
			s, IR_OR, IR_B1,
			spirv_compare(s, IR_ICMP, IR_B32, IR_EQ, e, spirv_const(s, IR_B32, 0)),
			spirv_compare(s, IR_ICMP, IR_B32, IR_EQ, e,
				      spirv_const(s, IR_B32, 2 * l.bias + 1)),
			0);
		e = spirv_op(s, IR_SUB, IR_B32, e,
			     spirv_select(s, small,
					  spirv_const(s, IR_B32, l.bias - 1 + (uint32_t)shift),
					  spirv_const(s, IR_B32, l.bias - 1)),
			     0);
		exponents[k] = spirv_select(s, special, spirv_const(s, IR_B32, 0), e);
		x = spirv_op(s, IR_OR, t, spirv_op(s, IR_AND, t, x, spirv_const(s, t, ~field), 0),
			     spirv_const(s, t, (uint64_t)(l.bias - 1) << l.fraction), 0);
		first[k] = spirv_select(s, special, v[k], x);
		if (structure)
			exponents[k] =
				spirv_resize(s, exponents[k], spirv_leaf_type(result, n + k), true);
	}
	finish_two(s, structure, first, exponents, n);
}

/* 2^e of an exponent that a normal number can have. */
static ir_val power_of_two(struct spirv *s, enum ir_type t, ir_val e)
{
	struct layout l = layout_of(t);

	e = spirv_op(s, IR_ADD, IR_B32, e, spirv_const(s, IR_B32, l.bias), 0);
	return spirv_op(s, IR_SHL, t, spirv_resize(s, e, t, false),
			spirv_const(s, IR_B32, l.fraction), 0);
}

/* In three steps, of which the first two each go half of the way. */
static void ldexp_(struct spirv *s)
{
	uint32_t n = 0;
	const ir_val *v = floats(s, 0, 0, &n), *exponents = spirv_operand(s, 6, n);
	ir_val out[16];

	for (uint32_t k = 0; k < n; k++) {
		enum ir_type t = spirv_type_of_val(s, v[k]);
		int limit = (int)layout_of(t).bias * 3;
		ir_val e = spirv_resize(s, exponents[k], IR_B32, true), third, x = v[k];

		e = spirv_op(s, IR_MIN_S, IR_B32, e, spirv_const(s, IR_B32, (uint32_t)limit), 0);
		e = spirv_op(s, IR_MAX_S, IR_B32, e, spirv_const(s, IR_B32, (uint32_t)-limit), 0);
		third = spirv_op(s, IR_DIV_S, IR_B32, e, spirv_const(s, IR_B32, 3), 0);
		x = f(s, IR_FMUL, x, power_of_two(s, t, third), 0);
		x = f(s, IR_FMUL, x, power_of_two(s, t, third), 0);
		e = spirv_op(s, IR_SUB, IR_B32, e, spirv_op(s, IR_ADD, IR_B32, third, third, 0), 0);
		/* the rest, of up to two more than a third */
		third = spirv_op(s, IR_SHR_S, IR_B32, e, spirv_const(s, IR_B32, 1), 0);
		x = f(s, IR_FMUL, x, power_of_two(s, t, third), 0);
		x = f(s, IR_FMUL, x, power_of_two(s, t, spirv_op(s, IR_SUB, IR_B32, e, third, 0)),
		      0);
		out[k] = x;
	}
	finish(s, out, n);
}

void spirv_lower_glsl_special(struct spirv *s, uint32_t n)
{
	uint32_t count = 0;
	const ir_val *v;
	ir_val one;

	switch (n) {
	case GLSL_DETERMINANT:
	case GLSL_MATRIX_INVERSE:
		matrix(s, n == GLSL_MATRIX_INVERSE);
		break;
	case GLSL_MODF:
	case GLSL_MODF_STRUCT:
		modf_(s, n == GLSL_MODF_STRUCT);
		break;
	case GLSL_FREXP:
	case GLSL_FREXP_STRUCT:
		frexp_(s, n == GLSL_FREXP_STRUCT);
		break;
	case GLSL_LDEXP:
		ldexp_(s);
		break;
	case GLSL_PACK_SNORM_4X8:
	case GLSL_PACK_UNORM_4X8:
		one = pack_norm(s, 8, n == GLSL_PACK_SNORM_4X8);
		finish(s, &one, 1);
		break;
	case GLSL_PACK_SNORM_2X16:
	case GLSL_PACK_UNORM_2X16:
		one = pack_norm(s, 16, n == GLSL_PACK_SNORM_2X16);
		finish(s, &one, 1);
		break;
	case GLSL_UNPACK_SNORM_2X16:
	case GLSL_UNPACK_UNORM_2X16:
		unpack_norm(s, 16, n == GLSL_UNPACK_SNORM_2X16);
		break;
	case GLSL_UNPACK_SNORM_4X8:
	case GLSL_UNPACK_UNORM_4X8:
		unpack_norm(s, 8, n == GLSL_UNPACK_SNORM_4X8);
		break;
	case GLSL_PACK_HALF_2X16:
		pack_halves(s);
		break;
	case GLSL_UNPACK_HALF_2X16:
		unpack_halves(s);
		break;
	case GLSL_PACK_DOUBLE_2X32:
	case GLSL_UNPACK_DOUBLE_2X32:
		pack_double(s, n == GLSL_UNPACK_DOUBLE_2X32);
		break;
	case GLSL_LENGTH:
		v = floats(s, 0, 0, &count);
		one = length_of(s, v, count);
		finish(s, &one, 1);
		break;
	case GLSL_DISTANCE:
		distance(s);
		break;
	case GLSL_CROSS:
		cross(s);
		break;
	case GLSL_NORMALIZE:
		normalize(s);
		break;
	case GLSL_FACE_FORWARD:
		face_forward(s);
		break;
	case GLSL_REFLECT:
		reflect(s);
		break;
	default:
		refract(s);
	}
}
