/* SPDX-License-Identifier: MIT */
/*
 * IEEE arithmetic on bit patterns, for every format and rounding that the hardware has and the host
 * may not: one exact fused multiply-add, one rounding, conversions. Slow and sure; the executor
 * uses host floats where they say the same.
 */
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
/* Subnormals to zero of the same sign. */
uint64_t float_flush(const struct float_format *f, uint64_t x);
/* A quiet NaN with all mantissa bits set and no sign: what the 16- and 32-bit units produce. */
uint64_t float_nan(const struct float_format *f);

/* (a * b + c) * 2^scale, rounded once. NaN if any is, or if the operation is invalid. */
uint64_t float_fma(const struct float_format *f, uint64_t a, uint64_t b, uint64_t c, int scale,
		   enum float_rounding r);
uint64_t float_add(const struct float_format *f, uint64_t a, uint64_t b, enum float_rounding r);
uint64_t float_mul(const struct float_format *f, uint64_t a, uint64_t b, int scale,
		   enum float_rounding r);

uint64_t float_convert(const struct float_format *from, const struct float_format *to, uint64_t x,
		       enum float_rounding r);
/* A NaN in another format (or the same): sign and leading bits stay, and it is quiet. */
uint64_t float_convert_nan(const struct float_format *from, const struct float_format *to,
			   uint64_t x);
uint64_t float_from_integer(const struct float_format *to, bool negative, uint64_t magnitude,
			    enum float_rounding r);
/* To an integral value of the same format. */
uint64_t float_integral(const struct float_format *f, uint64_t x, enum float_rounding r);
/* Integral magnitude of |x|, rounded; saturates at 2^64 - 1 (also for infinities). */
uint64_t float_magnitude(const struct float_format *f, uint64_t x, enum float_rounding r);

#endif
