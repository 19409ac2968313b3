// SPDX-License-Identifier: MIT
/* OpenCL.std: component-wise functions of integers of 8 to 64 bits. */
#include "libsov/compiler/spirv/front_end.h"
#include "libsov/compiler/spirv/opencl.h"

static ir_val bits_const(struct spirv *s, ir_val like, uint64_t bits)
{
	return spirv_const(s, spirv_type_of_val(s, like), bits);
}

static ir_val integer_less(struct spirv *s, enum ir_cond cond, ir_val a, ir_val b)
{
	return spirv_compare(s, IR_ICMP, spirv_type_of_val(s, a), cond, a, b);
}

static uint64_t sign_bit(struct spirv *s, ir_val v)
{
	return UINT64_C(1) << (ir_type_bits(spirv_type_of_val(s, v)) - 1);
}

static ir_val op(struct spirv *s, enum ir_op o, ir_val a, ir_val b)
{
	return spirv_op(s, o, spirv_type_of_val(s, a), a, b, 0);
}

static ir_val shift(struct spirv *s, enum ir_op o, ir_val a, uint32_t by)
{
	return op(s, o, a, spirv_const(s, IR_B32, by));
}

/* Of 32 or 64 bits: the sum or difference, clamped if the sign says that it overflowed. */
static ir_val saturate_signed(struct spirv *s, ir_val a, ir_val b, bool subtract)
{
	ir_val r = op(s, subtract ? IR_SUB : IR_ADD, a, b), differ, changed, limit;
	uint64_t top = sign_bit(s, a);

	differ = op(s, IR_XOR, a, b);
	changed = op(s, IR_XOR, a, r);
	if (!subtract)
		differ = op(s, IR_NOT, differ, 0);
	differ = op(s, IR_AND, differ, changed);
	limit = op(s, IR_XOR, shift(s, IR_SHR_S, a, ir_type_bits(spirv_type_of_val(s, a)) - 1),
		   bits_const(s, a, top - 1));
	return spirv_select(s, integer_less(s, IR_LT_S, differ, bits_const(s, a, 0)), limit, r);
}

static ir_val saturate_unsigned(struct spirv *s, ir_val a, ir_val b, bool subtract)
{
	ir_val r = op(s, subtract ? IR_SUB : IR_ADD, a, b);

	if (subtract)
		return spirv_select(s, integer_less(s, IR_LT_U, a, b), bits_const(s, a, 0), r);
	return spirv_select(s, integer_less(s, IR_LT_U, r, a), bits_const(s, a, UINT64_MAX), r);
}

/* a b + c, clamped, of 32 bits or more: by the high and the low word of the product. */
static ir_val multiply_add_saturated(struct spirv *s, ir_val a, ir_val b, ir_val c, bool is_signed)
{
	uint32_t bits = ir_type_bits(spirv_type_of_val(s, a));
	ir_val low = op(s, IR_MUL, a, b), high, sum, carry, limit, fits;

	if (!is_signed) {
		high = op(s, IR_MULHI_U, a, b);
		sum = saturate_unsigned(s, low, c, false);
		return spirv_select(s, integer_less(s, IR_NE, high, bits_const(s, a, 0)),
				    bits_const(s, a, UINT64_MAX), sum);
	}
	high = op(s, IR_MULHI_S, a, b);
	sum = op(s, IR_ADD, low, c);
	carry = spirv_resize(s, integer_less(s, IR_LT_U, sum, low), spirv_type_of_val(s, a), false);
	high = op(s, IR_ADD, op(s, IR_ADD, high, shift(s, IR_SHR_S, c, bits - 1)), carry);
	limit = op(s, IR_XOR, shift(s, IR_SHR_S, high, bits - 1),
		   bits_const(s, a, sign_bit(s, a) - 1));
	fits = integer_less(s, IR_EQ, high, shift(s, IR_SHR_S, sum, bits - 1));
	return spirv_select(s, fits, sum, limit);
}

/* The mean, rounded down, or up if the detail is 1. */
static ir_val mean(struct spirv *s, ir_val a, ir_val b, bool is_signed, bool up)
{
	ir_val half = shift(s, is_signed ? IR_SHR_S : IR_SHR_U, op(s, IR_XOR, a, b), 1);

	return up ? op(s, IR_SUB, op(s, IR_OR, a, b), half)
		  : op(s, IR_ADD, op(s, IR_AND, a, b), half);
}

static ir_val low_24(struct spirv *s, ir_val a, bool is_signed)
{
	return shift(s, is_signed ? IR_SHR_S : IR_SHR_U, shift(s, IR_SHL, a, 8), 8);
}

static ir_val rotate(struct spirv *s, ir_val a, ir_val by, uint32_t bits)
{
	ir_val mask = bits_const(s, a, bits - 1), left = op(s, IR_AND, by, mask), right;

	right = op(s, IR_AND, op(s, IR_SUB, bits_const(s, a, bits), left), mask);
	left = spirv_resize(s, left, IR_B32, false);
	right = spirv_resize(s, right, IR_B32, false);
	return op(s, IR_OR, op(s, IR_SHL, a, left), op(s, IR_SHR_U, a, right));
}

/* Functions that mean the same in a wider type; a, b, c have 32 or 64 bits. */
static ir_val wide_integer(struct spirv *s, uint32_t n, ir_val a, ir_val b, ir_val c)
{
	switch (n) {
	case OPENCL_S_ABS:
		return op(s, IR_MAX_S, a, op(s, IR_SUB, bits_const(s, a, 0), a));
	case OPENCL_U_ABS:
		return a;
	case OPENCL_S_ABS_DIFF:
		return op(s, IR_SUB, op(s, IR_MAX_S, a, b), op(s, IR_MIN_S, a, b));
	case OPENCL_U_ABS_DIFF:
		return op(s, IR_SUB, op(s, IR_MAX_U, a, b), op(s, IR_MIN_U, a, b));
	case OPENCL_S_ADD_SAT:
	case OPENCL_S_SUB_SAT:
		return saturate_signed(s, a, b, n == OPENCL_S_SUB_SAT);
	case OPENCL_U_ADD_SAT:
	case OPENCL_U_SUB_SAT:
		return saturate_unsigned(s, a, b, n == OPENCL_U_SUB_SAT);
	case OPENCL_S_HADD:
	case OPENCL_S_RHADD:
		return mean(s, a, b, true, n == OPENCL_S_RHADD);
	case OPENCL_U_HADD:
	case OPENCL_U_RHADD:
		return mean(s, a, b, false, n == OPENCL_U_RHADD);
	case OPENCL_S_CLAMP:
		return op(s, IR_MIN_S, op(s, IR_MAX_S, a, b), c);
	case OPENCL_U_CLAMP:
		return op(s, IR_MIN_U, op(s, IR_MAX_U, a, b), c);
	case OPENCL_S_MAX:
		return op(s, IR_MAX_S, a, b);
	case OPENCL_U_MAX:
		return op(s, IR_MAX_U, a, b);
	case OPENCL_S_MIN:
		return op(s, IR_MIN_S, a, b);
	case OPENCL_U_MIN:
		return op(s, IR_MIN_U, a, b);
	case OPENCL_S_MUL_HI:
		return op(s, IR_MULHI_S, a, b);
	case OPENCL_U_MUL_HI:
		return op(s, IR_MULHI_U, a, b);
	case OPENCL_S_MAD_HI:
		return op(s, IR_ADD, op(s, IR_MULHI_S, a, b), c);
	case OPENCL_U_MAD_HI:
		return op(s, IR_ADD, op(s, IR_MULHI_U, a, b), c);
	case OPENCL_S_MAD_SAT:
	case OPENCL_U_MAD_SAT:
		return multiply_add_saturated(s, a, b, c, n == OPENCL_S_MAD_SAT);
	case OPENCL_S_MUL24:
	case OPENCL_U_MUL24:
		return op(s, IR_MUL, low_24(s, a, n == OPENCL_S_MUL24),
			  low_24(s, b, n == OPENCL_S_MUL24));
	case OPENCL_S_MAD24:
	case OPENCL_U_MAD24:
		a = op(s, IR_MUL, low_24(s, a, n == OPENCL_S_MAD24),
		       low_24(s, b, n == OPENCL_S_MAD24));
		return op(s, IR_ADD, a, c);
	case OPENCL_ROTATE:
		return rotate(s, a, b, ir_type_bits(spirv_type_of_val(s, a)));
	case OPENCL_CTZ:
		return op(s, IR_CLZ, op(s, IR_BREV, a, 0), 0);
	case OPENCL_CLZ:
		return op(s, IR_CLZ, a, 0);
	default:
		return op(s, IR_POPC, a, 0);
	}
}

/* What bits 8 or 16 change: the limits of saturation, the high half, and positions of bits. */
static ir_val narrow_integer(struct spirv *s, uint32_t n, enum ir_type t, ir_val a, ir_val b,
			     ir_val c, bool is_signed)
{
	uint32_t bits = ir_type_bits(t);
	ir_val low, high, r;

	switch (n) {
	case OPENCL_S_ADD_SAT:
	case OPENCL_U_ADD_SAT:
		r = op(s, IR_ADD, a, b);
		break;
	case OPENCL_S_SUB_SAT:
		r = op(s, IR_SUB, a, b);
		break;
	case OPENCL_S_MAD_SAT:
	case OPENCL_U_MAD_SAT:
		r = op(s, IR_ADD, op(s, IR_MUL, a, b), c);
		break;
	case OPENCL_S_MUL_HI:
	case OPENCL_U_MUL_HI:
		return shift(s, IR_SHR_U, op(s, IR_MUL, a, b), bits);
	case OPENCL_S_MAD_HI:
	case OPENCL_U_MAD_HI:
		return op(s, IR_ADD, shift(s, IR_SHR_U, op(s, IR_MUL, a, b), bits), c);
	case OPENCL_CLZ:
		return op(s, IR_SUB, op(s, IR_CLZ, a, 0), spirv_const(s, IR_B32, 32 - bits));
	case OPENCL_CTZ: /* of 0, the number of bits */
		return op(s, IR_CLZ,
			  op(s, IR_BREV,
			     op(s, IR_OR, a, spirv_const(s, IR_B32, UINT64_C(1) << bits)), 0),
			  0);
	case OPENCL_ROTATE:
		low = op(s, IR_AND, b, spirv_const(s, IR_B32, bits - 1));
		high = op(s, IR_SUB, spirv_const(s, IR_B32, bits), low);
		return op(s, IR_OR, op(s, IR_SHL, a, low), op(s, IR_SHR_U, a, high));
	default:
		return wide_integer(s, n, a, b, c);
	}
	low = spirv_const(s, IR_B32, is_signed ? -(UINT64_C(1) << (bits - 1)) & 0xffffffff : 0);
	high = spirv_const(s, IR_B32, (UINT64_C(1) << (bits - is_signed)) - 1);
	if (!is_signed)
		return op(s, IR_MIN_U, r, high);
	return op(s, IR_MIN_S, op(s, IR_MAX_S, r, low), high);
}

ir_val spirv_opencl_integer(struct spirv *s, uint32_t n, ir_val a, ir_val b, ir_val c)
{
	enum ir_type t = spirv_type_of_val(s, a);
	bool is_signed = spirv_opencl_name(n)[0] == 's' && spirv_opencl_name(n)[1] == '_';

	if (t >= IR_B32)
		return wide_integer(s, n, a, b, c);
	a = spirv_resize(s, a, IR_B32, is_signed);
	b = b ? spirv_resize(s, b, IR_B32, is_signed) : 0;
	c = c ? spirv_resize(s, c, IR_B32, is_signed) : 0;
	return spirv_resize(s, narrow_integer(s, n, t, a, b, c, is_signed), t, false);
}
