// SPDX-License-Identifier: MIT
/*
 * Quotients, reciprocals and roots of gfx1030, rounded to nearest, are what the host's are, which IEEE 754 says:
 * random bits, neighbouring exponents, numbers around the ends of the range, and zeros, infinities and NaNs with
 * everything. On the software GPU, whose approximations are the nearest numbers: what a card's would change is
 * not seen here.
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
	"ret; }\n";

static uint64_t state = 88172645463325252;

static uint64_t next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

/* Bits of a number with so many of fraction and exponent, of one kind or another. */
static uint64_t bits_of(uint32_t fraction, uint32_t exponent)
{
	uint64_t ones = (UINT64_C(1) << exponent) - 1, f = next() & ((UINT64_C(1) << fraction) - 1),
		 e;

	switch (next() % 8) {
	case 0: /* special */
		e = next() % 2 ? ones : 0;
		f = next() % 3 ? 0 : f;
		break;
	case 1: /* around the ends of the range */
		e = next() % 2 ? next() % 30 : ones - 1 - next() % 30;
		break;
	case 2: /* fractions of nearly all ones or zeros: next to the middle between two numbers */
		e = ones / 2 + next() % 4;
		f = (next() % 2 ? 0 - next() % 8 : next() % 8) & ((UINT64_C(1) << fraction) - 1);
		break;
	case 3:
		e = ones / 2 + next() % 4;
		break;
	default:
		e = next() & ones;
		break;
	}
	return next() % 2 << (fraction + exponent) | e << fraction | f;
}

static union {
	double d[5][COUNT];
	float f[5][COUNT];
	uint64_t w[5][COUNT];
	uint32_t n[5][COUNT];
} data;

static bool same(double x, double y)
{
	return isnan(x) ? isnan(y) : x == y && signbit(x) == signbit(y);
}

static void run(const char *kernel, bool wide, const struct compile_options *o, const char *mode)
{
	static const char *const what[] = {"quotients", "reciprocals", "roots"};
	uint32_t wrong[3] = {0};
	uint64_t arguments[5];
	struct amd_test t;
	bool good = amd_test_load(&t, text, sizeof(text) - 1, o);

	for (uint32_t i = 0; i < COUNT; i++)
		for (uint32_t k = 0; k < 2; k++)
			if (wide)
				data.w[k][i] = bits_of(52, 11);
			else
				data.n[k][i] = (uint32_t)bits_of(23, 8);
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
			wrong[0] += !same(data.d[2][i], data.d[0][i] / data.d[1][i]);
			wrong[1] += !same(data.d[3][i], 1 / data.d[1][i]);
			wrong[2] += !same(data.d[4][i], sqrt(data.d[0][i]));
		} else {
			wrong[0] += !same(data.f[2][i], data.f[0][i] / data.f[1][i]);
			wrong[1] += !same(data.f[3][i], 1 / data.f[1][i]);
			wrong[2] += !same(data.f[4][i], sqrtf(data.f[0][i]));
		}
	}
	for (uint32_t k = 0; k < 3; k++) {
		ok(good && !wrong[k], "%s of %s are IEEE's, %s", what[k],
		   wide ? "doubles" : "singles", mode);
		if (wrong[k])
			diag("%u of %u are not", wrong[k], COUNT);
	}
	amd_test_free(&t);
}

int main(void)
{
	static const struct {
		const char *name;
		struct compile_options options;
	} modes[] = {{"optimised", {.verify = true}}, {"unoptimised", {.unoptimised = true}}};

	for (uint32_t m = 0; m < 2; m++) {
		run("narrow", false, &modes[m].options, modes[m].name);
		run("wide", true, &modes[m].options, modes[m].name);
	}
	return tap_done();
}
