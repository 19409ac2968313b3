// SPDX-License-Identifier: MIT
/*
 * Errors of the f64 functions in ulp: their C code, compiled for the host, against libquadmath. The
 * first points are computed by a software GPU as well, which must give the same bits: the modules
 * are FOLDER/NAME.spv. f64_errors.sh builds this and makes them.
 *	_f64_errors POINTS FOLDER [NAME...]
 * Half of the points have a uniform exponent, the others are uniform near zero and one.
 */
#include <math.h>
#include <quadmath.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libsov/sov.h"

#define FUNCTION static
#define SHARED   static
#define TABLE    static const
#include "libsov/compiler/library/f64_functions.h"
#include "libsov/compiler/library/opencl_functions.h"

#define SAMPLE 16384 /* points on the GPU */
#define BLOCK  64

static double sine(double x)
{
	return f_wave(x, 0);
}

static double cosine(double x)
{
	return f_wave(x, 1);
}

/* Arguments have a magnitude between 2^low and 2^high; of acosh they are one more. */
static const struct row {
	const char *name;
	double (*ours)(double), (*ours_two)(double, double);
	__float128 (*reference)(__float128), (*reference_two)(__float128, __float128);
	int low, high;
	bool negative, above_one;
} rows[] = {
	{"sin", sine, NULL, sinq, NULL, -1000, 1023, true, false},
	{"cos", cosine, NULL, cosq, NULL, -30, 1023, true, false},
	{"tan", f_tan, NULL, tanq, NULL, -1000, 1023, true, false},
	{"asin", f_asin, NULL, asinq, NULL, -1000, 0, true, false},
	{"acos", f_acos, NULL, acosq, NULL, -60, 0, true, false},
	{"atan", f_atan, NULL, atanq, NULL, -1000, 1023, true, false},
	{"sinh", f_sinh, NULL, sinhq, NULL, -1000, 9, true, false},
	{"cosh", f_cosh, NULL, coshq, NULL, -60, 9, true, false},
	{"tanh", f_tanh, NULL, tanhq, NULL, -1000, 6, true, false},
	{"asinh", f_asinh, NULL, asinhq, NULL, -1000, 1023, true, false},
	{"acosh", f_acosh, NULL, acoshq, NULL, -52, 1023, false, true},
	{"atanh", f_atanh, NULL, atanhq, NULL, -1000, 0, true, false},
	{"exp", f_exp, NULL, expq, NULL, -60, 9, true, false},
	{"exp2", f_exp_two, NULL, exp2q, NULL, -60, 9, true, false},
	{"log", f_log, NULL, logq, NULL, -1022, 1023, false, false},
	{"log2", f_log_two, NULL, log2q, NULL, -1022, 1023, false, false},
	{"pow", NULL, f_pow, NULL, powq, -300, 300, false, false},
	{"atan2", NULL, f_atan_two, NULL, atan2q, -500, 500, true, false},
	{"erf", f_erf, NULL, erfq, NULL, -1022, 5, true, false},
	{"erfc", f_erfc, NULL, erfcq, NULL, -60, 5, true, false},
};

static uint64_t state;

static uint64_t random_bits(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static double unit(void)
{
	return (double)(random_bits() >> 11) * 0x1p-53;
}

static double argument(const struct row *r, uint64_t n)
{
	double x;

	if (n & 1)
		x = ldexp(1 + unit(), r->low + (int)(random_bits() % (uint64_t)(r->high - r->low)));
	else
		x = r->high < 1 ? unit() : r->negative || n & 2 ? 8 * unit() : 0.5 + unit();
	if (r->negative && random_bits() & 1)
		x = -x;
	return r->above_one ? 1 + x : x;
}

/* The second argument of pow keeps most results finite. */
static double second(const struct row *r, double x, uint64_t n)
{
	return r->ours_two == f_pow ? 1000 * (2 * unit() - 1) / fmax(fabs(log2(x)), 1e-3)
				    : argument(r, n);
}

static double error_of(double ours, __float128 reference)
{
	double near = (double)reference;
	int exponent;

	if (isnan(ours) || isnan(near))
		return isnan(ours) && isnan(near) ? 0 : INFINITY;
	if (isinf(near) || isinf(ours))
		return near == ours ? 0 : fabs(near) > 0x1.fffffffffffffp1022 ? 1 : INFINITY;
	if (near == 0)
		return ours == 0 ? 0 : fabs(ours) / 0x1p-1074;
	frexp(near, &exponent);
	return (double)fabsq((ours - reference) /
			     ldexpq(1, (exponent < -1021 ? -1021 : exponent) - 53));
}

static void must(sov_result r)
{
	if (!r)
		return;
	printf("%s: %s\n", sov_result_name(r), sov_last_error());
	exit(2);
}

/* Points that a software GPU computes to other bits. */
static uint64_t compare_device(const char *chip, const char *path, const double *x, const double *y,
			       const double *expected)
{
	static double got[SAMPLE];
	static char code[1 << 20];
	sov_buffer buffers[3];
	sov_device device;
	sov_context context;
	sov_module module;
	sov_function function;
	const void *data[2] = {x, y};
	uint64_t different = 0;
	FILE *file = fopen(path, "rb");
	size_t bytes;

	if (!file) {
		perror(path);
		exit(2);
	}
	bytes = fread(code, 1, sizeof(code), file);
	fclose(file);
	must(sov_device_open_name(chip, &device));
	must(sov_context_create(device, NULL, &context));
	must(sov_module_load(context, code, bytes, NULL, &module));
	must(sov_module_get_function(module, "main", &function));
	for (uint32_t k = 0; k < 3; k++) {
		buffers[k].bytes = sizeof(got);
		must(sov_memory_alloc(context, sizeof(got), &buffers[k].address));
		if (k < 2)
			must(sov_memory_copy(context, buffers[k].address, SOV_HOST(data[k]),
					     sizeof(got)));
	}
	sov_launch launch = {.size = sizeof(launch),
			     .grid = {SAMPLE / BLOCK, 1, 1},
			     .block = {BLOCK, 1, 1},
			     .arguments = (const void *[]){&buffers[0], &buffers[1], &buffers[2]},
			     .argument_count = 3};
	must(sov_function_launch(function, &launch));
	must(sov_memory_copy(context, SOV_HOST(got), buffers[2].address, sizeof(got)));
	for (uint32_t n = 0; n < SAMPLE; n++)
		different +=
			memcmp(&got[n], &expected[n], 8) && !(isnan(got[n]) && isnan(expected[n]));
	sov_context_destroy(context);
	return different;
}

int main(int argc, char **argv)
{
	static double x[SAMPLE], y[SAMPLE], ours[SAMPLE];
	uint64_t points, different = 0;
	bool good = true;

	if (argc < 3)
		return 2;
	points = strtoull(argv[1], NULL, 0);
	printf("%-6s %10s %8s %24s %24s %10s %s\n", "name", "points", "ulp", "at", "and",
	       "> 0.5 ulp", "other bits on GPUs");
	for (uint32_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
		const struct row *r = &rows[k];
		double worst = 0, at = 0, and = 0;
		uint64_t misrounded = 0;
		bool named = argc == 3;

		for (int n = 3; n < argc; n++)
			named |= !strcmp(argv[n], r->name);
		if (!named)
			continue;
		state = 0x9e3779b97f4a7c15ull + k;
		for (uint64_t n = 0; n < points; n++) {
			double a = argument(r, n), b = r->ours_two ? second(r, a, n >> 1) : 0;
			double value = r->ours ? r->ours(a) : r->ours_two(a, b), error;

			error = error_of(value,
					 r->reference ? r->reference(a) : r->reference_two(a, b));
			misrounded += error > 0.5;
			if (error > worst) {
				worst = error;
				at = a;
				and = b;
			}
			if (n < SAMPLE) {
				x[n] = a;
				y[n] = b;
				ours[n] = value;
			}
		}
		different = 0;
		for (uint32_t chip = 0; chip < 2; chip++) {
			char path[4096];

			snprintf(path, sizeof(path), "%s/%s.spv", argv[2], r->name);
			different +=
				compare_device(chip ? "navi21.0" : "gh100.0", path, x, y, ours);
		}
		good &= worst <= 2 && !different;
		printf("%-6s %10lu %8.3f %24.17g %24.17g %10lu %lu of %d\n", r->name, points, worst,
		       at, and, misrounded, different, 2 * SAMPLE);
		fflush(stdout);
	}
	return !good;
}
