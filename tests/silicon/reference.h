/* SPDX-License-Identifier: MIT */
/*
 * CPU reference, in higher precision, of the kernels saxpy and reduce of tests/kernels, with random
 * inputs and guarded buffers. Shared by the runner on real GPUs and the tests on the IR interpreter
 * and the software GPU, so that all apply the same criterion.
 *
 * saxpy is one fused multiply-add per element: the result must equal fma(), bit for bit.
 *
 * reduce adds in an order that depends on the grid. If the inputs are small multiples of 1/16,
 * every order is exact (in f32 while sums stay below 2^20), and the result must be the exact sum.
 * With inputs of full precision, the error of k rounded additions on any path is at most k u sum|x|
 * (Higham, "Accuracy and Stability of Numerical Algorithms", 4.2) plus terms of order u^2, where k
 * counts a thread's own additions, two times five shuffles, and one atomic per block; the reference
 * is a compensated sum in long double. A block must be whole warps: the kernel's shuffles have a
 * full member mask.
 */
#ifndef TESTS_SILICON_REFERENCE_H
#define TESTS_SILICON_REFERENCE_H

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAXPY, REDUCE };
struct kernel {
	const char *name, *file;
	int algorithm;
	unsigned bytes; /* of an element */
};
static const struct kernel kernels[] = {
	{"saxpy_f32", "saxpy", SAXPY, 4},
	{"saxpy_f64", "saxpy", SAXPY, 8},
	{"reduce_f32", "reduce", REDUCE, 4},
	{"reduce_f64", "reduce", REDUCE, 8},
};
enum { KERNELS = sizeof(kernels) / sizeof(*kernels) };

struct shape {
	unsigned grid, block;
};

/* splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014. */
static uint64_t draw_bits(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

enum inputs { ROUGH, EXACT }; /* full precision in [-1, 1); multiples of 1/16 in [-1, 1) */
static double draw(uint64_t *state, enum inputs kind)
{
	uint64_t bits = draw_bits(state);

	return kind == EXACT ? (double)(int)(bits % 32) / 16 - 1
			     : (double)(bits >> 11) / 0x1p52 - 1;
}

static double get(const void *data, unsigned bytes, uint64_t i)
{
	return bytes == 4 ? ((const float *)data)[i] : ((const double *)data)[i];
}
static void set(void *data, unsigned bytes, uint64_t i, double v)
{
	if (bytes == 4)
		((float *)data)[i] = (float)v;
	else
		((double *)data)[i] = v;
}

/* Host copy of a buffer: n elements between two guards of a NaN that no kernel writes. */
#define GUARD  64 /* elements */
#define POISON 0xffc0deadu
struct guarded {
	uint64_t n;
	unsigned bytes;
	uint32_t *words; /* elements and guards, by malloc */
	uint64_t base;   /* address on the GPU */
};

static uint64_t guarded_bytes(const struct guarded *g)
{
	return (g->n + 2 * GUARD) * g->bytes;
}
static void *guarded_elements(const struct guarded *g)
{
	return (char *)g->words + GUARD * g->bytes;
}
static uint64_t guarded_address(const struct guarded *g)
{
	return g->base + GUARD * g->bytes;
}

static struct guarded guarded_new(uint64_t *rng, unsigned bytes, uint64_t n, enum inputs kind)
{
	struct guarded g = {.n = n, .bytes = bytes};
	uint64_t words = guarded_bytes(&g) / 4;

	g.words = malloc(words * 4);
	if (!g.words) {
		fprintf(stderr, "no host memory for %" PRIu64 " bytes\n", words * 4);
		exit(2);
	}
	for (uint64_t i = 0; i < words; i++)
		g.words[i] = POISON;
	for (uint64_t i = 0; i < n; i++)
		set(guarded_elements(&g), bytes, i, draw(rng, kind));
	return g;
}

static uint64_t guards_changed(const struct guarded *g)
{
	uint64_t words = guarded_bytes(g) / 4, guard = GUARD * g->bytes / 4, changed = 0;

	for (uint64_t i = 0; i < guard; i++)
		changed += (g->words[i] != POISON) + (g->words[words - 1 - i] != POISON);
	return changed;
}

#define WHY 256
/* Checks y, given a, x and the earlier y (before); why gets the counts. */
static bool saxpy_right(const struct guarded *x, const void *before, const struct guarded *y,
			double a, char why[WHY])
{
	uint64_t bad = 0, first = 0, strayed = guards_changed(y);

	for (uint64_t i = y->n; i-- > 0;) {
		double xi = get(guarded_elements(x), x->bytes, i), yi = get(before, y->bytes, i);
		double want = y->bytes == 4 ? fmaf((float)a, (float)xi, (float)yi) : fma(a, xi, yi);
		double got = get(guarded_elements(y), y->bytes, i);

		if (memcmp(&want, &got, sizeof(want)))
			bad++, first = i;
	}
	snprintf(why, WHY,
		 "%" PRIu64 " elements differ, first y[%" PRIu64 "]; %" PRIu64
		 " guard words changed",
		 bad, first, strayed);
	return !bad && !strayed;
}

static bool reduce_right(const struct guarded *x, double start, const struct guarded *out,
			 struct shape s, enum inputs kind, char why[WHY])
{
	long double sum = start, lost = 0, magnitude = fabs(start);
	uint64_t threads = (uint64_t)s.grid * s.block, strayed = guards_changed(out);
	double additions = (double)((x->n + threads - 1) / threads) + 10 + s.grid;
	long double unit = x->bytes == 4 ? 0x1p-24L : 0x1p-53L;

	for (uint64_t i = 0; i < x->n; i++) { /* Neumaier's compensated sum */
		long double v = get(guarded_elements(x), x->bytes, i), next = sum + v;

		lost += fabsl(sum) >= fabsl(v) ? (sum - next) + v : (v - next) + sum;
		sum = next;
		magnitude += fabsl(v);
	}
	sum += lost;
	double got = get(guarded_elements(out), out->bytes, 0);
	long double error = fabsl(got - sum);
	long double limit = kind == EXACT ? 0 : 1.01L * additions * unit * magnitude;

	snprintf(why, WHY,
		 "got %.17g, want %.17Lg, error %.3Lg, limit %.3Lg; %" PRIu64
		 " guard words changed",
		 got, sum, error, limit, strayed);
	return error <= limit && !strayed; /* false for NaN */
}

#endif
