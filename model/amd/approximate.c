// SPDX-License-Identifier: MIT
/*
 * Approximations with errors. Hardware does not round reciprocals, roots, exponentials, logarithms,
 * sines and cosines correctly; on request the model does not either. It adds an error to the exact
 * result before it rounds to nearest, chosen by a hash of operation and operand inside the
 * documented bound, so that code which relies on more is wrong in a repeatable way.
 *
 * Bounds (RDNA2 ISA manual, descriptions of V_RCP_F32 and so on): 1 ulp for singles, 0.51 ulp for
 * halves, 2^29 ulp for doubles. Functions of singles have no subnormals: LLVM scales arguments and
 * results for gfx1030 (llc 19 of fdiv and sqrt with !fpmath, exp2, log2). For sine and cosine the
 * manual states no bound; 2^-22 is assumed.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "model/amd/wave.h"

/* A number between -1 and 1. */
static double error_of(const struct op *op, uint64_t operand)
{
	uint64_t x = (operand ^ (uint64_t)op->in.row->op << 52) * 0x9e3779b97f4a7c15;

	x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9;
	return (double)(int32_t)(x >> 32) * 0x1p-31;
}

/* The distance of numbers with that many bits after the first, from a least exponent on. */
static double ulp_of(double x, int bits, int least)
{
	int e = ilogb(x);

	return ldexp(1, (e < least ? least : e) - bits);
}

float amd_flush_f32(float x)
{
	return fabsf(x) < FLT_MIN ? copysignf(0, x) : x;
}

float amd_approximate_f32(const struct op *op, float x, double exact)
{
	if (!isfinite(exact) || exact == 0)
		return (float)exact;
	exact += 0.499 * error_of(op, bits_of(x)) * ulp_of(exact, 23, -126);
	return amd_flush_f32((float)exact);
}

float amd_approximate_angle(const struct op *op, float x, double exact)
{
	if (!isfinite(exact) || exact == 0)
		return (float)exact;
	exact += error_of(op, bits_of(x)) * 0x1p-22;
	return amd_flush_f32((float)fmax(-1, fmin(1, exact)));
}

float amd_approximate_f16(const struct op *op, float x, double exact)
{
	if (!isfinite(exact) || exact == 0)
		return (float)exact;
	return (float)(exact + 0.01 * error_of(op, bits_of(x)) * ulp_of(exact, 10, -14));
}

double amd_approximate_f64(const struct op *op, double x, double exact)
{
	uint64_t bits;

	if (!isfinite(exact) || fabs(exact) < DBL_MIN || fabs(exact) > DBL_MAX / 2)
		return exact;
	memcpy(&bits, &x, sizeof(bits));
	return exact + error_of(op, bits) * 0x1p29 * ulp_of(exact, 52, -1022);
}
