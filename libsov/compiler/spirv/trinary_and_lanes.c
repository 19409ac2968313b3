// SPDX-License-Identifier: MIT
/*
 * The sets of instructions of AMD's extensions SPV_AMD_shader_trinary_minmax, SPV_AMD_shader_ballot
 * and SPV_AMD_gcn_shader, which games' and libraries' shaders of 2016 on use.
 */
#include <string.h>
#include "libsov/compiler/spirv/float.h"
#include "libsov/compiler/spirv/front_end.h"
#include "libsov/compiler/spirv/group.h"

#define FIRST 5 /* word of the first operand */

static ir_val word(struct spirv *s, uint32_t n)
{
	return spirv_const(s, IR_B32, n);
}

static ir_val bits(struct spirv *s, enum ir_op op, ir_val a, ir_val b)
{
	return spirv_op(s, op, IR_B32, a, b, 0);
}

static void unknown(struct spirv *s, const char *set, uint32_t number)
{
	spirv_fail(s, "unknown instruction %u of %s", number, set);
}

/* ---- minima, maxima and medians of three ---- */

struct order {
	enum ir_op min, max;
	bool is_float, is_signed;
};

static ir_val of_two(struct spirv *s, const struct order *o, bool max, ir_val a, ir_val b)
{
	enum ir_op op = max ? o->max : o->min;
	enum ir_type type = spirv_type_of_val(s, a);

	return o->is_float ? spirv_float_op(s, op, type, a, b, 0) : spirv_op(s, op, type, a, b, 0);
}

static ir_val widened(struct spirv *s, const struct order *o, ir_val v)
{
	enum ir_type type = spirv_type_of_val(s, v);

	return type >= IR_B32 ? v
	       : o->is_float  ? spirv_convert(s, IR_FTOF, type, IR_B32, v)
			      : spirv_resize(s, v, IR_B32, o->is_signed);
}

void spirv_lower_trinary(struct spirv *s, uint32_t number)
{
	static const struct order orders[] = {{IR_FMIN, IR_FMAX, true, false},
					      {IR_MIN_U, IR_MAX_U, false, false},
					      {IR_MIN_S, IR_MAX_S, false, true}};
	const struct spirv_type *t = spirv_result_type(s);
	const ir_val *v[3];
	ir_val out[4];

	if (number < 1 || number > 9)
		unknown(s, "SPV_AMD_shader_trinary_minmax", number);
	for (uint32_t k = 0; k < 3; k++)
		v[k] = spirv_operand(s, FIRST + k, t->leaves);
	const struct order *o = &orders[(number - 1) % 3];

	if (t->leaves > 4 || o->is_float != spirv_is_float(t) ||
	    (!o->is_float && spirv_scalar(t)->kind != SPIRV_INT))
		spirv_fail(s, "the value has the wrong type");
	for (uint32_t k = 0; k < t->leaves; k++) {
		enum ir_type type = spirv_leaf_type(t, k);
		ir_val a = v[0][k], b = v[1][k], c = v[2][k], low;

		if (spirv_type_of_val(s, a) != type || spirv_type_of_val(s, b) != type ||
		    spirv_type_of_val(s, c) != type)
			spirv_fail(s, "an operand has another type than the result");
		a = widened(s, o, a);
		b = widened(s, o, b);
		c = widened(s, o, c);
		low = of_two(s, o, false, a, b);
		a = of_two(s, o, true, a, b);
		out[k] = number <= 3   ? of_two(s, o, false, low, c)
			 : number <= 6 ? of_two(s, o, true, a, c)
				       : of_two(s, o, true, low, of_two(s, o, false, a, c));
		if (type < IR_B32)
			out[k] = o->is_float ? spirv_convert(s, IR_FTOF, IR_B32, type, out[k])
					     : spirv_resize(s, out[k], type, false);
	}
	memcpy(spirv_result(s, t), out, t->leaves * sizeof(*out));
}

/* ---- lanes ---- */

/* The operand's values in another lane, and zero where that lane is not active. */
static void from_lane(struct spirv *s, ir_val source)
{
	const struct spirv_type *t = spirv_result_type(s);
	const ir_val *v = spirv_operand(s, FIRST, t->leaves);
	ir_val members = ir_at(s->f, spirv_emit(s, IR_ACTIVE, IR_B32, 1, 0, NULL))->res;
	ir_val bit = bits(s, IR_AND, bits(s, IR_SHR_U, members, source), word(s, 1)), out[4];
	ir_val is_active = spirv_compare(s, IR_ICMP, IR_B32, IR_NE, bit, word(s, 0));

	if (t->leaves > 4)
		spirv_fail(s, "the value has the wrong type");
	for (uint32_t k = 0; k < t->leaves; k++) {
		enum ir_type type = spirv_leaf_type(t, k);

		if (spirv_type_of_val(s, v[k]) != type)
			spirv_fail(s, "the value has another type than the result");
		out[k] = spirv_shuffle(s, IR_SHUFFLE_IDX, v[k], source);
		out[k] = spirv_select(s, is_active, out[k], spirv_const(s, type, 0));
	}
	memcpy(spirv_result(s, t), out, t->leaves * sizeof(*out));
}

/* The operand in word k, a vector of integers of 32 bits. */
static const ir_val *lane_operand(struct spirv *s, uint32_t k, uint32_t count)
{
	const struct spirv_type *t = spirv_value_type(s, spirv_word(s, k));

	if (!spirv_is_int(t) || spirv_leaf_type(t, 0) != IR_B32)
		spirv_fail(s, "operand %s is no vector of u32", spirv_id_name(s, spirv_word(s, k)));
	return spirv_operand(s, k, count);
}

/* In each quad, lane k gets the value of lane offset[k]. */
static ir_val quad_source(struct spirv *s)
{
	const ir_val *offset = lane_operand(s, FIRST + 1, 4);
	ir_val lane = spirv_sreg(s, IR_LANEID), own = bits(s, IR_AND, lane, word(s, 3));
	ir_val to = offset[0];

	for (uint32_t k = 1; k < 4; k++)
		to = spirv_select(s, spirv_compare(s, IR_ICMP, IR_B32, IR_EQ, own, word(s, k)),
				  offset[k], to);
	return bits(s, IR_OR, bits(s, IR_AND, lane, word(s, ~3u)), bits(s, IR_AND, to, word(s, 3)));
}

/* The lane's number: AND, OR and XOR with the components of the mask. */
static ir_val masked_source(struct spirv *s)
{
	const ir_val *mask = lane_operand(s, FIRST + 1, 3);
	ir_val lane = spirv_sreg(s, IR_LANEID);

	lane = bits(s, IR_OR, bits(s, IR_AND, lane, mask[0]), mask[1]);
	return bits(s, IR_AND, bits(s, IR_XOR, lane, mask[2]), word(s, 31));
}

/* The first value, in the lane of the given number the second. */
static void write_lane(struct spirv *s)
{
	const struct spirv_type *t = spirv_result_type(s);
	const ir_val *a = spirv_operand(s, FIRST, t->leaves),
		     *b = spirv_operand(s, FIRST + 1, t->leaves);
	ir_val at = spirv_integer_operand(s, FIRST + 2, IR_B32), out[4];
	ir_val own = spirv_compare(s, IR_ICMP, IR_B32, IR_EQ, spirv_sreg(s, IR_LANEID), at);

	if (t->leaves > 4)
		spirv_fail(s, "the value has the wrong type");
	for (uint32_t k = 0; k < t->leaves; k++) {
		if (spirv_type_of_val(s, a[k]) != spirv_leaf_type(t, k) ||
		    spirv_type_of_val(s, b[k]) != spirv_leaf_type(t, k))
			spirv_fail(s, "an operand has another type than the result");
		out[k] = spirv_select(s, own, b[k], a[k]);
	}
	memcpy(spirv_result(s, t), out, t->leaves * sizeof(*out));
}

void spirv_lower_lanes(struct spirv *s, uint32_t number)
{
	ir_val mask;

	switch (number) {
	case 1: /* SwizzleInvocationsAMD */
		from_lane(s, quad_source(s));
		return;
	case 2: /* SwizzleInvocationsMaskedAMD */
		from_lane(s, masked_source(s));
		return;
	case 3: /* WriteInvocationAMD */
		write_lane(s);
		return;
	case 4: /* MbcntAMD: bits of the mask below the own lane's */
		mask = spirv_resize(s, spirv_integer_operand(s, FIRST, IR_B64), IR_B32, false);
		mask = bits(s, IR_AND, mask, spirv_sreg(s, IR_LANEMASK_LT));
		spirv_set_scalar(s, spirv_op(s, IR_POPC, IR_B32, mask, 0, 0));
		return;
	default:
		unknown(s, "SPV_AMD_shader_ballot", number);
	}
}

/* ---- faces of cubes ---- */

struct cube {
	ir_val face, s, t, major; /* the face's number is a float */
};

static ir_val negated(struct spirv *s, ir_val x)
{
	return spirv_float_op(s, IR_FNEG, IR_B32, x, 0, 0);
}

static ir_val not_below(struct spirv *s, ir_val a, ir_val b)
{
	return spirv_compare(s, IR_FCMP, IR_B32, IR_FGE, a, b);
}

/* One axis: the face of positive or negative x, y or z, by the table "Selecting a Cube Map Face" of
 * the Vulkan specification. */
static struct cube cube_axis(struct spirv *s, float face, ir_val x, const ir_val positive[2],
			     const ir_val negative[2])
{
	ir_val is_positive = not_below(s, x, spirv_float_const(s, IR_B32, 0));

	return (struct cube){
		spirv_select(s, is_positive, spirv_float_const(s, IR_B32, face),
			     spirv_float_const(s, IR_B32, face + 1)),
		spirv_select(s, is_positive, positive[0], negative[0]),
		spirv_select(s, is_positive, positive[1], negative[1]),
		spirv_float_op(s, IR_FABS, IR_B32, x, 0, 0),
	};
}

static struct cube cube_select(struct spirv *s, ir_val condition, const struct cube *yes,
			       const struct cube *no)
{
	return (struct cube){spirv_select(s, condition, yes->face, no->face),
			     spirv_select(s, condition, yes->s, no->s),
			     spirv_select(s, condition, yes->t, no->t),
			     spirv_select(s, condition, yes->major, no->major)};
}

static struct cube cube_of(struct spirv *s)
{
	const struct spirv_type *t = spirv_value_type(s, spirv_word(s, FIRST));
	const ir_val *v = spirv_operand(s, FIRST, 3);
	ir_val x = v[0], y = v[1], z = v[2], nx, ny, nz;

	if (!spirv_is_float(t) || spirv_leaf_type(t, 0) != IR_B32)
		spirv_fail(s, "the direction must be a vector of f32");
	nx = negated(s, x);
	ny = negated(s, y);
	nz = negated(s, z);
	struct cube c[3] = {
		cube_axis(s, 0, x, (ir_val[]){nz, ny}, (ir_val[]){z, ny}),
		cube_axis(s, 2, y, (ir_val[]){x, z}, (ir_val[]){x, nz}),
		cube_axis(s, 4, z, (ir_val[]){x, ny}, (ir_val[]){nx, ny}),
	};
	c[0] = cube_select(s, not_below(s, c[1].major, c[0].major), &c[1], &c[0]);
	return cube_select(s, not_below(s, c[2].major, c[0].major), &c[2], &c[0]);
}

void spirv_lower_cube(struct spirv *s, uint32_t number)
{
	const struct spirv_type *t = spirv_result_type(s);
	struct cube c;
	ir_val half, out[2];

	if (number == 3) { /* TimeAMD */
		if (t->kind != SPIRV_INT || t->ir != IR_B64)
			spirv_fail(s, "a clock is a 64-bit integer");
		spirv_set_scalar(s, spirv_cycles(s));
		return;
	}
	if (number != 1 && number != 2)
		unknown(s, "SPV_AMD_gcn_shader", number);
	if (!spirv_is_float(t) || spirv_leaf_type(t, 0) != IR_B32 || t->leaves != number)
		spirv_fail(s, "the result has the wrong type");
	c = cube_of(s);
	if (number == 1) { /* CubeFaceIndexAMD */
		spirv_set_scalar(s, c.face);
		return;
	}
	/* CubeFaceCoordAMD: from 0 to 1 */
	half = spirv_float_const(s, IR_B32, 0.5);
	c.major = spirv_float_op(s, IR_FADD, IR_B32, c.major, c.major, 0);
	out[0] = spirv_float_op(s, IR_FADD, IR_B32, spirv_quotient(s, c.s, c.major), half, 0);
	out[1] = spirv_float_op(s, IR_FADD, IR_B32, spirv_quotient(s, c.t, c.major), half, 0);
	memcpy(spirv_result(s, t), out, sizeof(out));
}
