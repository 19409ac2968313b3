// SPDX-License-Identifier: MIT
/* Reciprocals and square roots of generated code by AVX-512. The interpreter divides doubles and
 * rounds the quotient to a float. Here, doubles begin with 14 bits and one step of a series gives
 * all but a few units of the last place. They round to the same float unless they are near the
 * middle of two; those, and numbers without a normal result, are the interpreter's. */
#include "model/nv/translate.h"

#if EMIT_HOST && defined(__x86_64__)
#include <immintrin.h>

#define TARGET __attribute__((target("avx512f")))
#define INLINE TARGET static inline __attribute__((always_inline))

#define PART 16u /* lanes of a vector */

/* Bits of a double below a float's last one, and how near to their middle the result is open. The
 * error is below 4 units. */
#define LOW_BITS  ((1ll << 29) - 1)
#define MIDDLE    (1ll << 28)
#define TOLERANCE 64ll

/* r / (1 - e) to the third power of e; |e| < 2^-14. */
INLINE __m512d reciprocal(__m512d x)
{
	__m512d r = _mm512_rcp14_pd(x), e = _mm512_fnmadd_pd(x, r, _mm512_set1_pd(1));
	__m512d sum = _mm512_fmadd_pd(e, e, e);

	return _mm512_fmadd_pd(r, _mm512_fmadd_pd(e, sum, e), r);
}

/* r / sqrt(1 - e) to the third power of e; |e| < 2^-13. */
INLINE __m512d reciprocal_root(__m512d x)
{
	__m512d r = _mm512_rsqrt14_pd(x);
	__m512d e = _mm512_fnmadd_pd(_mm512_mul_pd(x, r), r, _mm512_set1_pd(1));
	__m512d sum = _mm512_fmadd_pd(_mm512_set1_pd(0.3125), e, _mm512_set1_pd(0.375));

	sum = _mm512_fmadd_pd(sum, e, _mm512_set1_pd(0.5));
	return _mm512_fmadd_pd(_mm512_mul_pd(r, e), sum, r);
}

/* Eight lanes; those whose float is not certain are added to open. */
INLINE __m256 eight(__m256 single, uint32_t function, __mmask8 *open)
{
	__m512d x = _mm512_cvtps_pd(single), y;
	__m512i distance;

	if (function == RECIPROCAL)
		y = reciprocal(x);
	else if (function == RECIPROCAL_ROOT)
		y = reciprocal_root(x);
	else
		y = _mm512_mul_pd(x, reciprocal_root(x));
	distance = _mm512_sub_epi64(
		_mm512_and_si512(_mm512_castpd_si512(y), _mm512_set1_epi64(LOW_BITS)),
		_mm512_set1_epi64(MIDDLE - TOLERANCE));
	*open = _mm512_cmplt_epu64_mask(distance, _mm512_set1_epi64(2 * TOLERANCE));
	return _mm512_cvtpd_ps(y);
}

INLINE __m256 half_of(__m512 v, uint32_t half)
{
	return _mm256_castpd_ps(half ? _mm512_extractf64x4_pd(_mm512_castps_pd(v), 1)
				     : _mm512_castpd512_pd256(_mm512_castps_pd(v)));
}

INLINE void run_root(struct warp *w, const struct op *op, uint32_t mask, uint32_t function)
{
	const uint32_t *s = w->r[op->s[0].row];
	uint32_t open = 0;
	__m512 results[LANES / PART];

	for (uint32_t i = 0; i < LANES / PART; i++) {
		__m512i bits = _mm512_loadu_si512(s + i * PART), range;
		__mmask8 middle[2];
		__m256 low, high;

		bits = _mm512_and_si512(bits, _mm512_set1_epi32((int)op->s[0].keep));
		bits = _mm512_xor_si512(bits, _mm512_set1_epi32((int)op->s[0].flip));
		/* Normal numbers from 2^-126, up to 2^126 or infinity; roots of positive ones. */
		range = bits;
		if (function == RECIPROCAL)
			range = _mm512_and_si512(bits, _mm512_set1_epi32(0x7fffffff));
		range = _mm512_sub_epi32(range, _mm512_set1_epi32(0x00800000));
		open |= (uint32_t)_mm512_cmpge_epu32_mask(
				range,
				_mm512_set1_epi32(function == RECIPROCAL ? 0x7e000001 : 0x7f000000))
			<< i * PART;
		low = eight(half_of(_mm512_castsi512_ps(bits), 0), function, &middle[0]);
		high = eight(half_of(_mm512_castsi512_ps(bits), 1), function, &middle[1]);
		open |= (uint32_t)(middle[0] | middle[1] << 8) << i * PART;
		results[i] = _mm512_castpd_ps(_mm512_insertf64x4(
			_mm512_castpd256_pd512(_mm256_castps_pd(low)), _mm256_castps_pd(high), 1));
	}
	if (open & mask) {
		op->run(w, op, mask);
		return;
	}
	for (uint32_t i = 0; i < LANES / PART; i++)
		_mm512_mask_storeu_ps(w->r[op->d] + i * PART, (__mmask16)(mask >> i * PART),
				      results[i]);
}

TARGET static void run_reciprocal(struct warp *w, const struct op *op, uint32_t mask)
{
	run_root(w, op, mask, RECIPROCAL);
}

TARGET static void run_reciprocal_root(struct warp *w, const struct op *op, uint32_t mask)
{
	run_root(w, op, mask, RECIPROCAL_ROOT);
}

TARGET static void run_square_root(struct warp *w, const struct op *op, uint32_t mask)
{
	run_root(w, op, mask, ROOT);
}

run_fn *const root_handlers_avx512[] = {run_reciprocal, run_reciprocal_root, run_square_root};

#endif
