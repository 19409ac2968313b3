/* SPDX-License-Identifier: MIT */
/*
 * Inputs and references of the matrix products of libsov/kernels/gemm: random factors, a poisoned
 * result with padding that must stay as it is, and sums in f64 with the error bound that k rounded
 * additions have (Higham, "Accuracy and Stability of Numerical Algorithms", chapter 3). Sums of f32
 * are truncated, so that their unit roundoff is 2^-23, and terms of one product lose bits below 2^-25 of
 * the greatest (docs/results/2026-11-17-h200-matrix-products.md).
 */
#ifndef TESTS_KERNELS_MATRICES_H
#define TESTS_KERNELS_MATRICES_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libsov/kernels/gemm/gemm.h"

#define MATRIX_POISON 0xa5
#define MATRIX_WHY    256

static const uint32_t matrix_element_bytes[GEMM_TYPES] = {2, 4, 8};

struct matrix {
	enum gemm_type type;
	uint32_t rows, columns;
	uint64_t pitch; /* elements */
	size_t bytes;
	void *data; /* malloc */
};

static inline uint64_t matrix_bits(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15); /* splitmix64 (Steele, Lea, Flood) */

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static inline double half_value(uint16_t h)
{
	int exponent = h >> 10 & 31, mantissa = h & 1023;
	double v = exponent == 31 ? (mantissa ? NAN : INFINITY)
		   : exponent     ? ldexp(1024 + mantissa, exponent - 25)
				  : ldexp(mantissa, -24);

	return h & 0x8000 ? -v : v;
}

static inline size_t matrix_index(const struct matrix *x, uint32_t row, uint32_t column)
{
	return (size_t)(row * x->pitch + column);
}

static inline double matrix_get(const struct matrix *x, uint32_t row, uint32_t column)
{
	size_t i = matrix_index(x, row, column);

	if (x->type == GEMM_F16)
		return half_value(((const uint16_t *)x->data)[i]);
	return x->type == GEMM_TF32 ? ((const float *)x->data)[i] : ((const double *)x->data)[i];
}

/* As products see it. */
static inline double matrix_factor(const struct matrix *x, uint32_t row, uint32_t column)
{
	uint32_t word;
	float f;

	if (x->type != GEMM_TF32)
		return matrix_get(x, row, column);
	memcpy(&word, &((const float *)x->data)[matrix_index(x, row, column)], sizeof(word));
	word &= 0xffffe000;
	memcpy(&f, &word, sizeof(f));
	return f;
}

static inline struct matrix matrix_new(enum gemm_type type, uint32_t rows, uint32_t columns, uint64_t pitch)
{
	struct matrix x = {type, rows, columns, pitch, (size_t)(rows * pitch) * matrix_element_bytes[type], NULL};

	x.data = malloc(x.bytes);
	if (!x.data) {
		fprintf(stderr, "no host memory for %zu bytes\n", x.bytes);
		exit(2);
	}
	memset(x.data, MATRIX_POISON, x.bytes);
	return x;
}

/* Numbers of both signs between 2^-8 and 1, all bits of the mantissa random. Padding keeps its poison. */
static inline void matrix_fill(struct matrix *x, uint64_t *state)
{
	for (uint32_t row = 0; row < x->rows; row++)
		for (uint32_t column = 0; column < x->columns; column++) {
			uint64_t bits = matrix_bits(state);
			size_t i = matrix_index(x, row, column);
			uint64_t down = 1 + (bits >> 60) % 8, sign = bits >> 59 & 1;

			if (x->type == GEMM_F16) {
				((uint16_t *)x->data)[i] =
					(uint16_t)(sign << 15 | (15 - down) << 10 | (bits & 1023));
			} else if (x->type == GEMM_TF32) {
				uint32_t word = (uint32_t)(sign << 31 | (127 - down) << 23 | (bits & 0x7fffff));

				memcpy((float *)x->data + i, &word, sizeof(word));
			} else {
				uint64_t word = sign << 63 | (1023 - down) << 52 | (bits & 0xfffffffffffff);

				memcpy((double *)x->data + i, &word, sizeof(word));
			}
		}
}

/* Whether one element of c is a sum with at most the error that its additions may have. */
static inline bool matrix_element_right(const struct matrix *a, const struct matrix *b, const struct matrix *c,
					uint32_t row, uint32_t column, char *why)
{
	/* Per addition, and of the result's own rounding. */
	static const double sums[] = {0x1p-22, 0x1p-22, 0x1p-53}, results[] = {0x1p-11, 0x1p-24, 0x1p-53};
	double sum = 0, lost = 0, size = 0, got = matrix_get(c, row, column), bound;

	for (uint32_t i = 0; i < a->columns; i++) {
		double x = matrix_factor(a, row, i), y = matrix_factor(b, column, i), p = x * y;
		double next = sum + p, part = next - sum;

		/* Compensated: the reference itself has the precision of twice f64 (Knuth's two-sum). */
		lost += sum - (next - part) + (p - part) + fma(x, y, -p);
		sum = next;
		size += fabs(p);
	}
	sum += lost;
	bound = (a->columns + 1) * sums[c->type] * size + 2 * results[c->type] * fabs(sum);
	if (fabs(got - sum) <= bound)
		return true;
	snprintf(why, MATRIX_WHY, "c[%u][%u] is %.17g; it should be %.17g, at most %.3g off", row, column, got, sum,
		 bound);
	return false;
}

static inline bool matrix_padding_right(const struct matrix *c, char *why)
{
	uint32_t bytes = matrix_element_bytes[c->type];

	for (uint32_t row = 0; row < c->rows; row++)
		for (uint64_t i = c->columns * bytes; i < c->pitch * bytes; i++)
			if (((uint8_t *)c->data)[row * c->pitch * bytes + i] != MATRIX_POISON) {
				snprintf(why, MATRIX_WHY, "row %u has a byte of padding that changed", row);
				return false;
			}
	return true;
}

#endif
