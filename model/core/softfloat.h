/* SPDX-License-Identifier: MIT */
/* Software floating point on bit patterns, for every format and rounding mode of the GPUs: one
 * exact fused multiply-add, one rounding step, conversions. The executors use host arithmetic where
 * the results are identical. */
#ifndef MODEL_FLOAT_H
#define MODEL_FLOAT_H

#include <stdbool.h>
#include <stdint.h>

struct float_format {
	uint8_t mantissa, exponent; /* bits */
};
extern const struct float_format float_e4m3, float_e5m2, float_f16, float_bf16, float_tf32,
	float_f32, float_f64;

enum float_rounding { FLOAT_NEAREST, FLOAT_DOWN, FLOAT_UP, FLOAT_ZERO }; /* as SASS_RN … */

bool float_is_nan(const struct float_format *f, uint64_t x);
bool float_is_subnormal(const struct float_format *f, uint64_t x);
/* Flushes a subnormal to a zero of the same sign. */
uint64_t float_flush(const struct float_format *f, uint64_t x);
/* The canonical NaN of the 16- and 32-bit units: quiet, positive, all mantissa bits set. */
uint64_t float_nan(const struct float_format *f);

/* (a * b + c) * 2^scale, rounded once. NaN if an operand is NaN or the operation is invalid. */
uint64_t float_fma(const struct float_format *f, uint64_t a, uint64_t b, uint64_t c, int scale,
		   enum float_rounding r);
uint64_t float_add(const struct float_format *f, uint64_t a, uint64_t b, enum float_rounding r);
uint64_t float_mul(const struct float_format *f, uint64_t a, uint64_t b, int scale,
		   enum float_rounding r);

uint64_t float_convert(const struct float_format *from, const struct float_format *to, uint64_t x,
		       enum float_rounding r);
/* Converts a NaN between formats: keeps the sign and the leading mantissa bits, and makes it
 * quiet. */
uint64_t float_convert_nan(const struct float_format *from, const struct float_format *to,
			   uint64_t x);
uint64_t float_from_integer(const struct float_format *to, bool negative, uint64_t magnitude,
			    enum float_rounding r);
/* Rounds to an integral value of the same format. */
uint64_t float_integral(const struct float_format *f, uint64_t x, enum float_rounding r);
/* |x| rounded to an integer; saturates at 2^64 - 1 (also for infinities). */
uint64_t float_magnitude(const struct float_format *f, uint64_t x, enum float_rounding r);

#endif
