// SPDX-License-Identifier: MIT
/*
 * Semantics of the pure integer operations, one expression each. a is the arguments, signed_(k)
 * argument k as a signed number, bits the width of the instruction's type; the result is truncated
 * to its width at the end. Division by zero returns all ones, and remainder the dividend; a
 * quotient that does not fit (-2^n / -1) wraps around.
 */
#include "libsov/compiler/ir/eval.h"

static uint64_t width_mask(uint32_t bits)
{
	return UINT64_MAX >> (64 - bits);
}

static int64_t sign_extend(uint64_t x, uint32_t bits)
{
	return (int64_t)(x << (64 - bits)) >> (64 - bits);
}

/* High half of the product, for up to 64 bits. */
static uint64_t eval_mulhi_u(uint64_t x, uint64_t y, uint32_t bits)
{
	return (uint64_t)((unsigned __int128)x * y >> bits);
}

static uint64_t eval_mulhi_s(int64_t x, int64_t y, uint32_t bits)
{
	return (uint64_t)((__int128)x * y >> bits);
}

static uint64_t eval_div_s(int64_t x, int64_t y)
{
	return !y ? UINT64_MAX : y == -1 ? 0 - (uint64_t)x : (uint64_t)(x / y);
}

static uint64_t eval_rem_s(int64_t x, int64_t y)
{
	return !y ? (uint64_t)x : y == -1 ? 0 : (uint64_t)(x % y);
}

static uint64_t leading_zeros(uint64_t x, uint32_t bits)
{
	return x ? (uint64_t)__builtin_clzll(x) - (64 - bits) : bits;
}

static uint64_t reverse_bits(uint64_t x, uint32_t bits)
{
	uint64_t r = 0;

	for (uint32_t k = 0; k < bits; k++)
		r |= (x >> k & 1) << (bits - 1 - k);
	return r;
}

/* Sum with carry, for up to 64 bits. */
static void eval_addc(uint32_t bits, uint64_t x, uint64_t y, uint64_t carry, uint64_t *r)
{
	unsigned __int128 sum = (unsigned __int128)x + y + carry;

	r[0] = (uint64_t)sum;
	r[1] = (uint64_t)(sum >> bits);
}

static void eval_subc(uint64_t x, uint64_t y, uint64_t borrow, uint64_t *r)
{
	r[0] = x - y - borrow;
	r[1] = (unsigned __int128)x < (unsigned __int128)y + borrow;
}

static uint64_t eval_permute(uint64_t low, uint64_t high, uint64_t digits)
{
	uint64_t from = low | high << 32, r = 0;

	for (uint32_t k = 0; k < 4; k++) {
		uint32_t digit = digits >> 4 * k & 15;
		uint64_t byte = from >> 8 * (digit & 7) & 0xff;

		if (digit & 8)
			byte = byte & 0x80 ? 0xff : 0;
		r |= byte << 8 * k;
	}
	return r;
}

static uint64_t eval_logic3(uint64_t table, uint64_t x, uint64_t y, uint64_t z)
{
	uint64_t r = 0;

	for (uint32_t k = 0; k < 64; k++)
		r |= (table >> ((x >> k & 1) << 2 | (y >> k & 1) << 1 | (z >> k & 1)) & 1) << k;
	return r;
}

static int64_t dot_element(uint64_t x, uint32_t k, uint32_t bits, bool is_signed)
{
	uint64_t part = x >> k * bits & width_mask(bits);

	return is_signed ? sign_extend(part, bits) : (int64_t)part;
}

static uint64_t eval_dot(enum ir_dot kind, uint64_t x, uint64_t y, uint64_t sum)
{
	bool x_signed = kind & 2, y_signed = kind & 1, bytes = kind <= IR_DOT4_SS;
	uint32_t first = kind >= IR_DOT2HI_UU ? 2 : 0;

	for (uint32_t k = 0; k < (bytes ? 4 : 2); k++)
		sum += (uint64_t)(dot_element(x, k, bytes ? 8 : 16, x_signed) *
				  dot_element(y, first + k, 8, y_signed));
	return sum;
}

static uint64_t eval_absdiff4(uint64_t x, uint64_t y)
{
	uint64_t r = 0;

	for (uint32_t k = 0; k < 32; k += 8) {
		uint64_t a = x >> k & 0xff, b = y >> k & 0xff;

		r |= (a < b ? b - a : a - b) << k;
	}
	return r;
}

static bool eval_icmp(enum ir_cond cond, uint64_t x, uint64_t y, int64_t sx, int64_t sy)
{
	switch (cond) {
	case IR_EQ:
		return x == y;
	case IR_NE:
		return x != y;
	case IR_LT_S:
		return sx < sy;
	case IR_LE_S:
		return sx <= sy;
	case IR_GT_S:
		return sx > sy;
	case IR_GE_S:
		return sx >= sy;
	case IR_LT_U:
		return x < y;
	case IR_LE_U:
		return x <= y;
	case IR_GT_U:
		return x > y;
	default:
		return x >= y;
	}
}

#define CASE(op, expression)                                                                       \
	case IR_##op:                                                                              \
		r[0] = (expression);                                                               \
		break;
#define signed_(k) sign_extend(a[k], bits)

/* As an H200 does it for all significands and signs (tests/silicon/division_check.c). */
static bool eval_fchk(uint64_t a, uint64_t b)
{
	int ea = (int)(a >> 23 & 0xff), eb = (int)(b >> 23 & 0xff);

	return ea < 25 || ea == 255 || eb < 2 || eb > 251 || ea - eb > 126 || ea - eb < -124;
}

bool ir_eval(const struct ir_inst *in, const uint64_t *a, uint64_t *r)
{
	uint32_t bits = ir_type_bits(in->type), half = bits / 2;
	uint32_t from = in->from ? ir_type_bits(in->from) : bits;

	/* clang-format off */
	switch (in->op) {
	CASE(CONST,     in->imm)
	CASE(COPY,      a[0])
	CASE(ADD,       a[0] + a[1])
	CASE(SUB,       a[0] - a[1])
	CASE(MUL,       a[0] * a[1])
	CASE(MAD,       a[0] * a[1] + a[2])
	CASE(MULHI_U,   eval_mulhi_u(a[0], a[1], bits))
	CASE(MULHI_S,   eval_mulhi_s(signed_(0), signed_(1), bits))
	CASE(MULWIDE_U, a[0] * a[1])
	CASE(MULWIDE_S, (uint64_t)sign_extend(a[0], half) * (uint64_t)sign_extend(a[1], half))
	CASE(DIV_U,     a[1] ? a[0] / a[1] : UINT64_MAX)
	CASE(DIV_S,     eval_div_s(signed_(0), signed_(1)))
	CASE(REM_U,     a[1] ? a[0] % a[1] : a[0])
	CASE(REM_S,     eval_rem_s(signed_(0), signed_(1)))
	CASE(MIN_U,     a[0] < a[1] ? a[0] : a[1])
	CASE(MIN_S,     signed_(0) < signed_(1) ? a[0] : a[1])
	CASE(MAX_U,     a[0] > a[1] ? a[0] : a[1])
	CASE(MAX_S,     signed_(0) > signed_(1) ? a[0] : a[1])
	CASE(NEG,       0 - a[0])
	CASE(AND,       a[0] & a[1])
	CASE(OR,        a[0] | a[1])
	CASE(XOR,       a[0] ^ a[1])
	CASE(NOT,       ~a[0])
	CASE(SHL,       a[1] < bits ? a[0] << a[1] : 0)
	CASE(SHR_U,     a[1] < bits ? a[0] >> a[1] : 0)
	CASE(SHR_S,     (uint64_t)(signed_(0) >> (a[1] < bits ? a[1] : bits - 1)))
	CASE(POPC,      (uint64_t)__builtin_popcountll(a[0]))
	CASE(CLZ,       leading_zeros(a[0], bits))
	CASE(BREV,      reverse_bits(a[0], bits))
	CASE(ICMP,      eval_icmp(in->cond, a[0], a[1], signed_(0), signed_(1)))
	CASE(SELECT,    a[0] ? a[1] : a[2])
	CASE(ZEXT,      a[0])
	CASE(SEXT,      (uint64_t)sign_extend(a[0], from))
	CASE(TRUNC,     a[0])
	CASE(PACK,      a[0] | a[1] << half)
	CASE(PERMUTE,   eval_permute(a[0], a[1], a[2]))
	CASE(LOGIC3,    eval_logic3(in->imm, a[0], a[1], a[2]))
	CASE(DOT,       eval_dot(in->sub, a[0], a[1], a[2]))
	CASE(ABSDIFF4,  eval_absdiff4(a[0], a[1]))
	CASE(FCMP,      ir_eval_fcmp(in, a[0], a[1]))
	CASE(FCHK,      eval_fchk(a[0], a[1]))
	/* clang-format on */
	case IR_UNPACK:
		r[0] = a[0] & width_mask(half);
		r[1] = a[0] >> half;
		break;
	case IR_ADDC:
		eval_addc(bits, a[0], a[1], a[2], r);
		break;
	case IR_SUBC:
		eval_subc(a[0], a[1], a[2], r);
		break;
	case IR_UTOF:
	case IR_STOF:
	case IR_FTOU:
	case IR_FTOS:
	case IR_FTOF:
		r[0] = ir_eval_convert(in, a[0]);
		break;
	case IR_FADD:
	case IR_FMUL:
	case IR_FMA:
	case IR_FDIV:
	case IR_FRCP:
	case IR_FSQRT:
	case IR_APPROX:
	case IR_FROUND:
	case IR_FNEG:
	case IR_FABS:
	case IR_FMIN:
	case IR_FMAX:
		r[0] = ir_eval_float(in, a);
		break;
	default:
		return false;
	}
	r[0] &= width_mask(ir_type_bits(ir_result_type(in, 0)));
	return true;
}
