// SPDX-License-Identifier: MIT
/*
 * Division, reciprocals and square roots for gfx1030, rounded to nearest, equal the host's IEEE 754
 * results: random bits, neighbouring exponents, numbers near the ends of the range, and zeros,
 * infinities and NaNs with everything; with correctly rounded approximations of the software GPU,
 * and with errors up to the hardware's bounds.
 */
#include <math.h>
#include "tests/tap.h"
#include "tests/userspace/compiler/amd/_launch.h"

#define COUNT (1 << 14)
#define BLOCK 256

static const char text[] =
	".version 8.0\n.target sm_80\n.address_size 64\n"
	".visible .entry wide(.param .u64 a, .param .u64 b, .param .u64 q, .param .u64 r, .param "
	".u64 s) {\n"
	".reg .b64 %p<6>, %i; .reg .b32 %t<4>; .reg .f64 %x<6>;\n"
	"mov.u32 %t0, %ctaid.x; mov.u32 %t1, %ntid.x; mov.u32 %t2, %tid.x; mad.lo.u32 %t0, %t0, "
	"%t1, %t2;\n"
	"mul.wide.u32 %i, %t0, 8;\n"
	"ld.param.u64 %p0, [a]; add.s64 %p0, %p0, %i; ld.global.f64 %x0, [%p0];\n"
	"ld.param.u64 %p1, [b]; add.s64 %p1, %p1, %i; ld.global.f64 %x1, [%p1];\n"
	"div.rn.f64 %x2, %x0, %x1; ld.param.u64 %p2, [q]; add.s64 %p2, %p2, %i; st.global.f64 "
	"[%p2], %x2;\n"
	"rcp.rn.f64 %x3, %x1; ld.param.u64 %p3, [r]; add.s64 %p3, %p3, %i; st.global.f64 [%p3], "
	"%x3;\n"
	"sqrt.rn.f64 %x4, %x0; ld.param.u64 %p4, [s]; add.s64 %p4, %p4, %i; st.global.f64 [%p4], "
	"%x4;\n"
	"ret; }\n"
	".visible .entry narrow(.param .u64 a, .param .u64 b, .param .u64 q, .param .u64 r, .param "
	".u64 s) {\n"
	".reg .b64 %p<6>, %i; .reg .b32 %t<4>; .reg .f32 %x<6>;\n"
	"mov.u32 %t0, %ctaid.x; mov.u32 %t1, %ntid.x; mov.u32 %t2, %tid.x; mad.lo.u32 %t0, %t0, "
	"%t1, %t2;\n"
	"mul.wide.u32 %i, %t0, 4;\n"
	"ld.param.u64 %p0, [a]; add.s64 %p0, %p0, %i; ld.global.f32 %x0, [%p0];\n"
	"ld.param.u64 %p1, [b]; add.s64 %p1, %p1, %i; ld.global.f32 %x1, [%p1];\n"
	"div.rn.f32 %x2, %x0, %x1; ld.param.u64 %p2, [q]; add.s64 %p2, %p2, %i; st.global.f32 "
	"[%p2], %x2;\n"
	"rcp.rn.f32 %x3, %x1; ld.param.u64 %p3, [r]; add.s64 %p3, %p3, %i; st.global.f32 [%p3], "
	"%x3;\n"
	"sqrt.rn.f32 %x4, %x0; ld.param.u64 %p4, [s]; add.s64 %p4, %p4, %i; st.global.f32 [%p4], "
	"%x4;\n"
	"ret; }\n"
	".visible .entry integers(.param .u64 a, .param .u64 b, .param .u64 q, .param .u64 r, "
	".param .u64 s) {\n"
	".reg .b64 %p<6>, %i, %x<6>; .reg .b32 %t<8>;\n"
	"mov.u32 %t0, %ctaid.x; mov.u32 %t1, %ntid.x; mov.u32 %t2, %tid.x; mad.lo.u32 %t0, %t0, "
	"%t1, %t2;\n"
	"mul.wide.u32 %i, %t0, 8;\n"
	"ld.param.u64 %p0, [a]; add.s64 %p0, %p0, %i; ld.global.u64 %x0, [%p0];\n"
	"ld.param.u64 %p1, [b]; add.s64 %p1, %p1, %i; ld.global.u64 %x1, [%p1];\n"
	"cvt.u32.u64 %t4, %x0; cvt.u32.u64 %t5, %x1;\n"
	"div.u64 %x2, %x0, %x1; ld.param.u64 %p2, [q]; add.s64 %p2, %p2, %i; st.global.u64 "
	"[%p2], %x2;\n"
	"div.u32 %t6, %t4, %t5; rem.s32 %t7, %t4, %t5; mov.b64 %x3, {%t6, %t7};\n"
	"ld.param.u64 %p3, [r]; add.s64 %p3, %p3, %i; st.global.u64 [%p3], %x3;\n"
	"rem.s64 %x4, %x0, %x1; ld.param.u64 %p4, [s]; add.s64 %p4, %p4, %i; st.global.u64 [%p4], "
	"%x4;\n"
	"ret; }\n";

static uint64_t state = 88172645463325252;

static uint64_t random_bits(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

/* A random float of one of several kinds, with these fraction and exponent widths. */
static uint64_t random_float(uint32_t fraction, uint32_t exponent)
{
	uint64_t ones = (UINT64_C(1) << exponent) - 1,
		 f = random_bits() & ((UINT64_C(1) << fraction) - 1), e;

	switch (random_bits() % 8) {
	case 0: /* special */
		e = random_bits() % 2 ? ones : 0;
		f = random_bits() % 3 ? 0 : f;
		break;
	case 1: /* near the ends of the range */
		e = random_bits() % 2 ? random_bits() % 30 : ones - 1 - random_bits() % 30;
		break;
	case 2: /* fractions of nearly all ones or zeros: near rounding ties */
		e = ones / 2 + random_bits() % 4;
		f = (random_bits() % 2 ? 0 - random_bits() % 8 : random_bits() % 8) &
		    ((UINT64_C(1) << fraction) - 1);
		break;
	case 3:
		e = ones / 2 + random_bits() % 4;
		break;
	default:
		e = random_bits() & ones;
		break;
	}
	return random_bits() % 2 << (fraction + exponent) | e << fraction | f;
}

static union {
	double d[5][COUNT];
	float f[5][COUNT];
	uint64_t w[5][COUNT];
	uint32_t n[5][COUNT];
} data;

static bool same_float(double x, double y)
{
	return isnan(x) ? isnan(y) : x == y && signbit(x) == signbit(y);
}

static void test_kernel(const char *kernel, bool wide, const struct compile_options *o,
			const char *mode, bool inexact)
{
	static const char *const what[] = {"quotients", "reciprocals", "roots"};
	uint32_t wrong[3] = {0};
	uint64_t arguments[5];
	struct amd_test t;
	bool good = amd_test_load(&t, text, sizeof(text) - 1, o);

	t.inexact = inexact;

	for (uint32_t i = 0; i < COUNT; i++)
		for (uint32_t k = 0; k < 2; k++)
			if (wide)
				data.w[k][i] = random_float(52, 11);
			else
				data.n[k][i] = (uint32_t)random_float(23, 8);
	for (uint32_t k = 0; k < 5; k++)
		arguments[k] = (uint64_t)(uintptr_t)(wide ? (void *)data.d[k] : (void *)data.f[k]);
	if (good) {
		amd_test_map(&t, &data, sizeof(data));
		good = amd_test_run(&t, amd_test_kernel(&t, kernel),
				    (uint32_t[]){COUNT / BLOCK, 1, 1}, (uint32_t[]){BLOCK, 1, 1}, 0,
				    arguments);
	}
	if (!good)
		diag("%s", t.message);
	for (uint32_t i = 0; good && i < COUNT; i++) {
		if (wide) {
			wrong[0] += !same_float(data.d[2][i], data.d[0][i] / data.d[1][i]);
			wrong[1] += !same_float(data.d[3][i], 1 / data.d[1][i]);
			wrong[2] += !same_float(data.d[4][i], sqrt(data.d[0][i]));
		} else {
			wrong[0] += !same_float(data.f[2][i], data.f[0][i] / data.f[1][i]);
			wrong[1] += !same_float(data.f[3][i], 1 / data.f[1][i]);
			wrong[2] += !same_float(data.f[4][i], sqrtf(data.f[0][i]));
		}
	}
	for (uint32_t k = 0; k < 3; k++) {
		ok(good && !wrong[k], "gfx1030 %s of %s are correctly rounded (IEEE 754), %s%s",
		   what[k], wide ? "doubles" : "singles", mode,
		   inexact ? ", from inexact approximations" : "");
		if (wrong[k])
			diag("%u of %u are wrong", wrong[k], COUNT);
	}
	amd_test_free(&t);
}

/* Two random numbers of random sizes, whose quotients are all defined. */
static void random_integers(uint32_t i)
{
	do
		for (uint32_t k = 0; k < 2; k++)
			data.w[k][i] = random_bits() >> random_bits() % 64;
	while (!(uint32_t)data.w[1][i] || (uint32_t)data.w[1][i] == UINT32_MAX ||
	       data.w[1][i] == UINT64_MAX);
}

static void test_integers(const struct compile_options *o, const char *mode)
{
	uint32_t wrong = 0;
	uint64_t arguments[5];
	struct amd_test t;
	bool good = amd_test_load(&t, text, sizeof(text) - 1, o);

	t.inexact = true;
	for (uint32_t i = 0; i < COUNT; i++)
		random_integers(i);
	for (uint32_t k = 0; k < 5; k++)
		arguments[k] = (uint64_t)(uintptr_t)data.w[k];
	amd_test_map(&t, &data, sizeof(data));
	good = good &&
	       amd_test_run(&t, amd_test_kernel(&t, "integers"), (uint32_t[]){COUNT / BLOCK, 1, 1},
			    (uint32_t[]){BLOCK, 1, 1}, 0, arguments);
	if (!good)
		diag("%s", t.message);
	for (uint32_t i = 0; good && i < COUNT; i++) {
		uint64_t a = data.w[0][i], b = data.w[1][i];
		int32_t low = (int32_t)a % (int32_t)b;

		wrong += data.w[2][i] != a / b ||
			 data.w[3][i] !=
				 ((uint64_t)(uint32_t)low << 32 | (uint32_t)a / (uint32_t)b) ||
			 data.w[4][i] != (uint64_t)((int64_t)a % (int64_t)b);
	}
	ok(good && !wrong, "gfx1030 integer quotients are right, %s, from inexact approximations",
	   mode);
	if (wrong)
		diag("%u of %u are wrong", wrong, COUNT);
	amd_test_free(&t);
}

int main(void)
{
	static const struct {
		const char *name;
		struct compile_options options;
	} modes[] = {{"optimised", {.verify = true}}, {"unoptimised", {.unoptimised = true}}};

	for (uint32_t m = 0; m < 2; m++) {
		for (uint32_t inexact = 0; inexact < 2; inexact++) {
			test_kernel("narrow", false, &modes[m].options, modes[m].name, inexact);
			test_kernel("wide", true, &modes[m].options, modes[m].name, inexact);
		}
		test_integers(&modes[m].options, modes[m].name);
	}
	return tap_done();
}
