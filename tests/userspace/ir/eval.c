/* SPDX-License-Identifier: MIT */
/*
 * The meaning of pure operations: corner cases by table, and for the integer operations every pair
 * of bytes against arithmetic on int that is written out here once more.
 */
#include <fenv.h>
#include "libsov/compiler/eval.h"
#include "tests/userspace/ir/ir_test.h"

struct row {
	const char *name;
	uint8_t op, type, attribute; /* cond, from or round, whichever the op has */
	uint8_t flags;
	uint64_t args[3], want, want2;
};

#define MIN64 UINT64_C(0x8000000000000000)
#define ALL64 UINT64_MAX

static const struct row integers[] = {
	{"add wraps", IR_ADD, IR_B32, 0, 0, {0xffffffff, 1}, 0, 0},
	{"sub wraps", IR_SUB, IR_B16, 0, 0, {0, 1}, 0xffff, 0},
	{"mul keeps the low half", IR_MUL, IR_B64, 0, 0, {ALL64, ALL64}, 1, 0},
	{"mad", IR_MAD, IR_B32, 0, 0, {0x10000, 0x10001, 5}, 0x10005, 0},
	{"mulhi.u of 64 bits", IR_MULHI_U, IR_B64, 0, 0, {ALL64, ALL64}, ALL64 - 1, 0},
	{"mulhi.s of 64 bits", IR_MULHI_S, IR_B64, 0, 0, {ALL64, ALL64}, 0, 0},
	{"mulhi.s of the least", IR_MULHI_S, IR_B64, 0, 0, {MIN64, MIN64}, MIN64 >> 1, 0},
	{"mulwide.u", IR_MULWIDE_U, IR_B64, 0, 0, {0xffffffff, 0xffffffff}, 0xfffffffe00000001, 0},
	{"mulwide.s", IR_MULWIDE_S, IR_B64, 0, 0, {0xffffffff, 2}, ALL64 - 1, 0},
	{"div.u by zero is all ones", IR_DIV_U, IR_B32, 0, 0, {7, 0}, 0xffffffff, 0},
	{"div.s by zero is all ones", IR_DIV_S, IR_B64, 0, 0, {7, 0}, ALL64, 0},
	{"div.s of the least by -1 wraps", IR_DIV_S, IR_B64, 0, 0, {MIN64, ALL64}, MIN64, 0},
	{"rem.u by zero is the dividend", IR_REM_U, IR_B32, 0, 0, {7, 0}, 7, 0},
	{"rem.s by zero is the dividend", IR_REM_S, IR_B8, 0, 0, {0xf9, 0}, 0xf9, 0},
	{"rem.s of the least by -1 is 0", IR_REM_S, IR_B64, 0, 0, {MIN64, ALL64}, 0, 0},
	{"min.s", IR_MIN_S, IR_B64, 0, 0, {MIN64, 1}, MIN64, 0},
	{"max.u", IR_MAX_U, IR_B64, 0, 0, {MIN64, 1}, MIN64, 0},
	{"neg of the least", IR_NEG, IR_B32, 0, 0, {0x80000000}, 0x80000000, 0},
	{"not of b1", IR_NOT, IR_B1, 0, 0, {1}, 0, 0},
	{"xor of b1", IR_XOR, IR_B1, 0, 0, {1, 1}, 0, 0},
	{"shl by the width", IR_SHL, IR_B32, 0, 0, {1, 32}, 0, 0},
	{"shl by 31", IR_SHL, IR_B32, 0, 0, {3, 31}, 0x80000000, 0},
	{"shl of b64 by 2^32 - 1", IR_SHL, IR_B64, 0, 0, {1, 0xffffffff}, 0, 0},
	{"shr.u by the width", IR_SHR_U, IR_B64, 0, 0, {ALL64, 64}, 0, 0},
	{"shr.s by the width gives the sign", IR_SHR_S, IR_B64, 0, 0, {MIN64, 64}, ALL64, 0},
	{"shr.s of a positive number", IR_SHR_S, IR_B16, 0, 0, {0x7fff, 100}, 0, 0},
	{"popc", IR_POPC, IR_B64, 0, 0, {ALL64}, 64, 0},
	{"clz of 0 is the width", IR_CLZ, IR_B16, 0, 0, {0}, 16, 0},
	{"clz", IR_CLZ, IR_B64, 0, 0, {1}, 63, 0},
	{"brev", IR_BREV, IR_B32, 0, 0, {0x00000003}, 0xc0000000, 0},
	{"icmp eq", IR_ICMP, IR_B64, IR_EQ, 0, {ALL64, ALL64}, 1, 0},
	{"icmp ne of b1", IR_ICMP, IR_B1, IR_NE, 0, {1, 0}, 1, 0},
	{"icmp lt.s", IR_ICMP, IR_B32, IR_LT_S, 0, {0xffffffff, 0}, 1, 0},
	{"icmp lt.u", IR_ICMP, IR_B32, IR_LT_U, 0, {0xffffffff, 0}, 0, 0},
	{"select true", IR_SELECT, IR_B32, 0, 0, {1, 5, 6}, 5, 0},
	{"select false", IR_SELECT, IR_B32, 0, 0, {0, 5, 6}, 6, 0},
	{"zext", IR_ZEXT, IR_B64, IR_B8, 0, {0x80}, 0x80, 0},
	{"sext", IR_SEXT, IR_B64, IR_B8, 0, {0x80}, ALL64 - 0x7f, 0},
	{"sext stops at its type", IR_SEXT, IR_B16, IR_B8, 0, {0x80}, 0xff80, 0},
	{"sext of b1", IR_SEXT, IR_B32, IR_B1, 0, {1}, 0xffffffff, 0},
	{"trunc", IR_TRUNC, IR_B8, IR_B64, 0, {0x1234567890abcdef}, 0xef, 0},
	{"trunc to b1", IR_TRUNC, IR_B1, IR_B8, 0, {2}, 0, 0},
	{"pack", IR_PACK, IR_B64, 0, 0, {1, 2}, 0x200000001, 0},
	{"unpack", IR_UNPACK, IR_B64, 0, 0, {0x1234567890abcdef}, 0x90abcdef, 0x12345678},
	{"unpack of b16", IR_UNPACK, IR_B16, 0, 0, {0x1234}, 0x34, 0x12},
	{"copy", IR_COPY, IR_B64, 0, 0, {MIN64}, MIN64, 0},
};

/* f32: 1 is 3f800000, its last bit 2^-23; the least normal number 2^-126 is 00800000. */
#define ONE 0x3f800000
#define INF 0x7f800000
#define NAN32 0x7fffffff
#define ONE64 UINT64_C(0x3ff0000000000000)
#define INF64 UINT64_C(0x7ff0000000000000)
#define NAN64 UINT64_C(0x7ff8000000000000)

static const struct row floats[] = {
	/* rounding: 1 + 2^-24 lies in the middle, 1 + 3 * 2^-25 does not */
	{"fadd rn, tie to even", IR_FADD, IR_B32, IR_RN, 0, {ONE, 0x33800000}, ONE, 0},
	{"fadd rn, tie to even, up", IR_FADD, IR_B32, IR_RN, 0, {ONE + 1, 0x33800000}, ONE + 2, 0},
	{"fadd rn, above the middle", IR_FADD, IR_B32, IR_RN, 0, {ONE, 0x33c00000}, ONE + 1, 0},
	{"fadd rz", IR_FADD, IR_B32, IR_RZ, 0, {ONE, 0x33c00000}, ONE, 0},
	{"fadd rp", IR_FADD, IR_B32, IR_RP, 0, {ONE, 1}, ONE + 1, 0},
	{"fadd rm", IR_FADD, IR_B32, IR_RM, 0, {ONE, 0x33c00000}, ONE, 0},
	{"fadd rm of negatives", IR_FADD, IR_B32, IR_RM, 0, {ONE | 1u << 31, 0x80000001},
	 (ONE + 1) | 1u << 31, 0},
	{"fadd rz of negatives", IR_FADD, IR_B32, IR_RZ, 0, {ONE | 1u << 31, 0x80000001},
	 ONE | 1u << 31, 0},
	{"fadd: x - x is +0", IR_FADD, IR_B32, IR_RN, 0, {ONE, ONE | 1u << 31}, 0, 0},
	{"fadd rm: x - x is -0", IR_FADD, IR_B32, IR_RM, 0, {ONE, ONE | 1u << 31}, 0x80000000, 0},
	{"fadd overflows", IR_FADD, IR_B32, IR_RN, 0, {0x7f7fffff, 0x7f7fffff}, INF, 0},
	{"fadd rz overflows to the largest", IR_FADD, IR_B32, IR_RZ, 0, {0x7f7fffff, 0x7f7fffff},
	 0x7f7fffff, 0},
	{"fadd of two infinities", IR_FADD, IR_B32, IR_RN, 0, {INF, INF | 1u << 31}, NAN32, 0},
	{"fadd drops a NaN's payload", IR_FADD, IR_B32, IR_RN, 0, {0xff812345, ONE}, NAN32, 0},
	{"fadd of b64 rn", IR_FADD, IR_B64, IR_RN, 0, {ONE64, UINT64_C(0x3ca0000000000000)}, ONE64, 0},
	{"fadd of b64 rp", IR_FADD, IR_B64, IR_RP, 0, {ONE64, 1}, ONE64 + 1, 0},
	{"fadd of b64, infinities", IR_FADD, IR_B64, IR_RN, 0, {INF64, INF64 | MIN64}, NAN64, 0},
	/* subnormals */
	{"fadd keeps subnormals", IR_FADD, IR_B32, IR_RN, 0, {1, 1}, 2, 0},
	{"fadd ftz takes a subnormal as 0", IR_FADD, IR_B32, IR_RN, IR_FTZ, {0x007fffff, 0x00800000},
	 0x00800000, 0},
	{"fadd ftz gives 0 for a subnormal", IR_FADD, IR_B32, IR_RN, IR_FTZ, {0x00800001, 0x80800000},
	 0, 0},
	{"fadd ftz keeps the sign", IR_FADD, IR_B32, IR_RN, IR_FTZ, {0x80800001, 0x00800000},
	 0x80000000, 0},
	{"fmul underflows gradually", IR_FMUL, IR_B32, IR_RN, 0, {0x00800000, 0x3f000000}, 0x00400000,
	 0},
	{"fmul ftz does not", IR_FMUL, IR_B32, IR_RN, IR_FTZ, {0x80800000, 0x3f000000}, 0x80000000, 0},
	{"fmul of 0 and infinity", IR_FMUL, IR_B32, IR_RN, 0, {0, INF}, NAN32, 0},
	{"fmul rp", IR_FMUL, IR_B32, IR_RP, 0, {ONE + 1, ONE + 1}, ONE + 3, 0},
	{"fmul rm", IR_FMUL, IR_B32, IR_RM, 0, {ONE + 1, ONE + 1}, ONE + 2, 0},
	/* fma rounds once: (1 + 2^-23)^2 - (1 + 2^-22) is 2^-46, which fmul and fadd lose */
	{"fma rounds once", IR_FMA, IR_B32, IR_RN, 0, {ONE + 1, ONE + 1, (ONE + 2) | 1u << 31},
	 0x28800000, 0},
	{"fma of b64 rounds once", IR_FMA, IR_B64, IR_RN, 0,
	 {ONE64 + 1, ONE64 + 1, (ONE64 + 2) | MIN64}, UINT64_C(0x3970000000000000), 0},
	{"fma rz", IR_FMA, IR_B32, IR_RZ, 0, {ONE, ONE, 0x33ffffff}, ONE, 0},
	{"fma rp", IR_FMA, IR_B32, IR_RP, 0, {ONE, ONE, 1}, ONE + 1, 0},
	{"fma of 0 and infinity", IR_FMA, IR_B64, IR_RN, 0, {0, INF64, ONE64}, NAN64, 0},
	/* sat */
	{"sat keeps what is between", IR_FADD, IR_B32, IR_RN, IR_SAT, {0x3e800000, 0x3e800000},
	 0x3f000000, 0},
	{"sat above", IR_FADD, IR_B32, IR_RN, IR_SAT, {ONE, ONE}, ONE, 0},
	{"sat below", IR_FMUL, IR_B32, IR_RN, IR_SAT, {ONE | 1u << 31, ONE}, 0, 0},
	{"sat of -0", IR_FMUL, IR_B32, IR_RN, IR_SAT, {0x80000000, ONE}, 0, 0},
	{"sat of NaN", IR_FADD, IR_B32, IR_RN, IR_SAT, {NAN32, ONE}, 0, 0},
	{"sat of infinity, b64", IR_FADD, IR_B64, IR_RN, IR_SAT, {INF64, ONE64}, ONE64, 0},
	/* signs, least and most */
	{"fneg", IR_FNEG, IR_B32, 0, 0, {0}, 0x80000000, 0},
	{"fneg of a NaN touches the sign only", IR_FNEG, IR_B32, 0, 0, {0x7f812345}, 0xff812345, 0},
	{"fneg ftz", IR_FNEG, IR_B32, 0, IR_FTZ, {1}, 0x80000000, 0},
	{"fabs", IR_FABS, IR_B64, 0, 0, {INF64 | MIN64}, INF64, 0},
	{"fmin", IR_FMIN, IR_B32, 0, 0, {ONE, ONE | 1u << 31}, ONE | 1u << 31, 0},
	{"fmin: -0 is below +0", IR_FMIN, IR_B32, 0, 0, {0, 0x80000000}, 0x80000000, 0},
	{"fmax: +0 is above -0", IR_FMAX, IR_B32, 0, 0, {0x80000000, 0}, 0, 0},
	{"fmin of a NaN and a number", IR_FMIN, IR_B32, 0, 0, {NAN32, ONE}, ONE, 0},
	{"fmax of a number and a NaN", IR_FMAX, IR_B64, 0, 0, {ONE64, NAN64}, ONE64, 0},
	{"fmax of NaNs", IR_FMAX, IR_B32, 0, 0, {0x7f812345, 0xffffffff}, NAN32, 0},
	{"fmin ftz", IR_FMIN, IR_B32, 0, IR_FTZ, {1, ONE}, 0, 0},
	{"fmax of negatives", IR_FMAX, IR_B64, 0, 0, {ONE64 | MIN64, INF64 | MIN64}, ONE64 | MIN64, 0},
	/* comparison: of two zeros, of a NaN */
	{"fcmp eq of zeros", IR_FCMP, IR_B32, IR_FEQ, 0, {0, 0x80000000}, 1, 0},
	{"fcmp lt of zeros", IR_FCMP, IR_B32, IR_FLT, 0, {0x80000000, 0}, 0, 0},
	{"fcmp lt", IR_FCMP, IR_B32, IR_FLT, 0, {0x80000001, 1}, 1, 0},
	{"fcmp lt ftz", IR_FCMP, IR_B32, IR_FLT, IR_FTZ, {0x80000001, 1}, 0, 0},
	{"fcmp le", IR_FCMP, IR_B64, IR_FLE, 0, {INF64, INF64}, 1, 0},
	{"fcmp gt of negatives", IR_FCMP, IR_B64, IR_FGT, 0, {ONE64 | MIN64, INF64 | MIN64}, 1, 0},
	{"fcmp gt of equals", IR_FCMP, IR_B32, IR_FGT, 0, {ONE, ONE}, 0, 0},
	{"fcmp ge of equals", IR_FCMP, IR_B32, IR_FGE, 0, {ONE, ONE}, 1, 0},
	{"fcmp ne", IR_FCMP, IR_B32, IR_FNE, 0, {ONE, ONE + 1}, 1, 0},
	{"fcmp ge", IR_FCMP, IR_B32, IR_FGE, 0, {ONE, ONE + 1}, 0, 0},
	{"fcmp eq with NaN", IR_FCMP, IR_B32, IR_FEQ, 0, {NAN32, NAN32}, 0, 0},
	{"fcmp ne with NaN is ordered", IR_FCMP, IR_B32, IR_FNE, 0, {NAN32, ONE}, 0, 0},
	{"fcmp equ with NaN", IR_FCMP, IR_B32, IR_FEQU, 0, {ONE, NAN32}, 1, 0},
	{"fcmp neu", IR_FCMP, IR_B32, IR_FNEU, 0, {ONE, ONE}, 0, 0},
	{"fcmp ltu", IR_FCMP, IR_B32, IR_FLTU, 0, {ONE, ONE}, 0, 0},
	{"fcmp leu", IR_FCMP, IR_B32, IR_FLEU, 0, {ONE, ONE}, 1, 0},
	{"fcmp gtu", IR_FCMP, IR_B32, IR_FGTU, 0, {ONE, 0}, 1, 0},
	{"fcmp geu with NaN", IR_FCMP, IR_B64, IR_FGEU, 0, {NAN64, 0}, 1, 0},
	{"fcmp num", IR_FCMP, IR_B32, IR_FNUM, 0, {ONE, INF}, 1, 0},
	{"fcmp num with NaN", IR_FCMP, IR_B32, IR_FNUM, 0, {ONE, NAN32}, 0, 0},
	{"fcmp nan with NaN", IR_FCMP, IR_B32, IR_FNAN, 0, {NAN32, ONE}, 1, 0},
};

static struct ir_inst make(const struct row *r)
{
	struct ir_inst in = {.op = r->op, .type = r->type, .flags = r->flags};

	in.nargs = ir_ops[r->op].args;
	in.nres = ir_ops[r->op].results;
	if (ir_ops[r->op].attributes & A_COND)
		in.cond = r->attribute;
	else if (ir_ops[r->op].attributes & A_FROM)
		in.from = r->attribute;
	else
		in.round = r->attribute;
	return in;
}

static void check_rows(const struct row *rows, size_t n)
{
	for (size_t k = 0; k < n; k++) {
		struct ir_inst in = make(&rows[k]);
		uint64_t r[2] = {0, 0};
		bool done = ir_eval(&in, rows[k].args, r);

		if (!ok(done && r[0] == rows[k].want && r[1] == rows[k].want2, "%s", rows[k].name))
			diag("got 0x%llx 0x%llx", (unsigned long long)r[0], (unsigned long long)r[1]);
	}
}

/* Every pair of bytes. x and y are the arguments, a and b the same as signed numbers. */

static int reversed(int x)
{
	int r = 0;

	for (int k = 0; k < 8; k++)
		r = r * 2 + (x >> k & 1);
	return r;
}

static int count_ones(int x)
{
	return x ? x % 2 + count_ones(x / 2) : 0;
}

static int zeros_above(int x)
{
	return x ? zeros_above(x / 2) - 1 : 8;
}

static int by_definition(enum ir_op op, int cond, int x, int y)
{
	int a = x < 128 ? x : x - 256, b = y < 128 ? y : y - 256;

	switch (op) {
	case IR_ADD: return x + y;
	case IR_SUB: return x - y + 256;
	case IR_MUL: return x * y;
	case IR_MULHI_U: return x * y / 256;
	case IR_MULHI_S: return (a * b + 65536) / 256;
	case IR_DIV_U: return y ? x / y : 255;
	case IR_DIV_S: return y ? a / b + 256 : 255;
	case IR_REM_U: return y ? x % y : x;
	case IR_REM_S: return y ? a % b + 256 : x;
	case IR_MIN_U: return x < y ? x : y;
	case IR_MIN_S: return a < b ? x : y;
	case IR_MAX_U: return x < y ? y : x;
	case IR_MAX_S: return a < b ? y : x;
	case IR_NEG: return 256 - x;
	case IR_NOT: return 255 - x;
	case IR_SHL: return y < 8 ? x << y : 0;
	case IR_SHR_U: return y < 8 ? x >> y : 0;
	case IR_SHR_S: return y < 8 ? (a + 256 * 256) >> y : a < 0 ? 255 : 0;
	case IR_POPC: return count_ones(x);
	case IR_CLZ: return zeros_above(x);
	case IR_BREV: return reversed(x);
	default: break;
	}
	switch (cond) {
	case IR_EQ: return x == y;
	case IR_NE: return x != y;
	case IR_LT_S: return a < b;
	case IR_LE_S: return a <= b;
	case IR_GT_S: return a > b;
	case IR_GE_S: return a >= b;
	case IR_LT_U: return x < y;
	case IR_LE_U: return x <= y;
	case IR_GT_U: return x > y;
	default: return x >= y;
	}
}

static void check_bytes(enum ir_op op, int cond)
{
	struct ir_inst in = {.op = (uint8_t)op, .type = IR_B8, .nargs = ir_ops[op].args,
			     .cond = (uint8_t)cond};
	int wrong = 0;

	for (int x = 0; x < 256; x++)
		for (int y = 0; y < 256; y++) {
			uint64_t args[2] = {(uint64_t)x, (uint64_t)y}, r;

			wrong += !ir_eval(&in, args, &r) ||
				 r != (uint64_t)(by_definition(op, cond, x, y) & 255);
		}
	ok(!wrong, "%s%s%d of every pair of bytes", ir_ops[op].text, op == IR_ICMP ? " cond " : " ",
	   cond);
}

/* What is not a function of the arguments is left alone. */
static void check_refused(void)
{
	static const uint8_t ops[] = {IR_UNDEF, IR_SREG, IR_ADDR, IR_READ, IR_LOAD, IR_TOSPACE,
				      IR_GENERIC, IR_SHUFFLE, IR_VOTE, IR_PHI, IR_ATOM, IR_BR};
	uint64_t args[4] = {0}, r[2];
	int evaluated = 0;

	for (size_t k = 0; k < sizeof(ops); k++) {
		struct ir_inst in = {.op = ops[k], .type = IR_B32};

		evaluated += ir_eval(&in, args, r);
	}
	ok(!evaluated, "special registers, addresses, memory and lanes are not evaluated");
}

static void check_environment(void)
{
	struct ir_inst in = {.op = IR_FADD, .type = IR_B32, .nargs = 2};
	uint64_t args[2] = {ONE, 1}, r = 0;

	fesetround(FE_UPWARD);
	ir_eval(&in, args, &r);
	ok(r == ONE, "the caller's rounding mode does not matter");
	ok(fegetround() == FE_UPWARD, "and is as it was afterwards");
	fesetround(FE_TONEAREST);
	in.round = IR_RP;
	ir_eval(&in, args, &r);
	ok(r == ONE + 1 && fegetround() == FE_TONEAREST, "an operation's own does");
}

int main(void)
{
	static const uint8_t ops[] = {
		IR_ADD,	  IR_SUB,   IR_MUL,   IR_MULHI_U, IR_MULHI_S, IR_DIV_U, IR_DIV_S,
		IR_REM_U, IR_REM_S, IR_MIN_U, IR_MIN_S,	  IR_MAX_U,   IR_MAX_S, IR_NEG,
		IR_NOT,	  IR_SHL,   IR_SHR_U, IR_SHR_S,	  IR_POPC,    IR_CLZ,	IR_BREV};

	check_rows(integers, sizeof(integers) / sizeof(integers[0]));
	check_rows(floats, sizeof(floats) / sizeof(floats[0]));
	for (size_t k = 0; k < sizeof(ops); k++)
		check_bytes(ops[k], 0);
	for (int cond = IR_EQ; cond <= IR_GE_U; cond++)
		check_bytes(IR_ICMP, cond);
	check_refused();
	check_environment();
	return tap_done();
}
