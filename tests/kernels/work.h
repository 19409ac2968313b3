/* SPDX-License-Identifier: MIT */
/*
 * Workloads for the kernels of this folder: random inputs of a given size, launch shape, arguments,
 * and a check of the outputs. Independent of the launcher: the interpreter, a software GPU, a real
 * GPU by any driver. The CPU computes references in higher precision; the error bound follows from
 * the number of rounded operations (Higham, "Accuracy and Stability of Numerical Algorithms",
 * chapter 3: k operations of unit roundoff u have an error of at most about k u times the sum of
 * magnitudes) and from the PTX manual's bounds for approximate functions. Integers must be exact.
 */
#ifndef TESTS_KERNELS_WORK_H
#define TESTS_KERNELS_WORK_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORK_BUFFERS 5
#define WORK_ARGUMENTS 6
#define WORK_WHY 256
#define U32 0x1p-24 /* unit roundoffs */
#define U64 0x1p-53
#define APPROX 0x1p-22 /* ex2.approx, rsqrt.approx: PTX ISA; includes the rounding of the result */

struct work_buffer {
	void *data, *before; /* malloc */
	size_t bytes;
};

struct work {
	const struct work_kind *kind;
	uint32_t size; /* unit depends on the kernel */
	uint32_t grid[2], block[2];
	struct work_buffer buffers[WORK_BUFFERS];
	unsigned nbuffers, narguments;
	struct {
		int buffer; /* index of a buffer, passed by address; -1: bits, passed by value */
		uint32_t bytes;
		uint64_t bits;
	} arguments[WORK_ARGUMENTS];
	uint64_t rng;
	char why[WORK_WHY]; /* description of the failure */
};

struct work_kind {
	const char *file, *function;
	void (*make)(struct work *w, uint32_t n);
	bool (*right)(struct work *w);
	uint32_t small, large; /* sizes for a test on the CPU, for a measurement on a GPU */
};

/* ---- creating workloads ---- */

static inline uint64_t work_bits(struct work *w)
{
	uint64_t z = w->rng += UINT64_C(0x9e3779b97f4a7c15); /* splitmix64 (Steele, Lea, Flood) */

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static inline double work_number(struct work *w) /* in [-1, 1) */
{
	return (double)(work_bits(w) >> 11) / 0x1p52 - 1;
}

/* Adds an argument: a zeroed buffer of this size. */
static inline void *work_buffer(struct work *w, size_t bytes)
{
	struct work_buffer *b = &w->buffers[w->nbuffers];

	b->bytes = bytes;
	b->data = calloc(1, bytes);
	if (!b->data) {
		fprintf(stderr, "no host memory for %zu bytes\n", bytes);
		exit(2);
	}
	w->arguments[w->narguments].buffer = (int)w->nbuffers++;
	w->arguments[w->narguments++].bytes = 8;
	return b->data;
}

static inline float *work_floats(struct work *w, size_t n)
{
	float *x = work_buffer(w, n * sizeof(*x));

	for (size_t i = 0; i < n; i++)
		x[i] = (float)work_number(w);
	return x;
}

static inline double *work_doubles(struct work *w, size_t n)
{
	double *x = work_buffer(w, n * sizeof(*x));

	for (size_t i = 0; i < n; i++)
		x[i] = work_number(w);
	return x;
}

static inline uint32_t *work_words(struct work *w, size_t n)
{
	uint32_t *x = work_buffer(w, n * sizeof(*x));

	for (size_t i = 0; i < n; i++)
		x[i] = (uint32_t)work_bits(w);
	return x;
}

static inline void work_value(struct work *w, const void *value, uint32_t bytes)
{
	w->arguments[w->narguments].buffer = -1;
	w->arguments[w->narguments].bytes = bytes;
	memcpy(&w->arguments[w->narguments++].bits, value, bytes);
}

static inline void work_count(struct work *w, uint32_t n)
{
	work_value(w, &n, sizeof(n));
}

static inline void work_shape(struct work *w, uint32_t gx, uint32_t gy, uint32_t bx, uint32_t by)
{
	w->grid[0] = gx, w->grid[1] = gy, w->block[0] = bx, w->block[1] = by;
}

static inline void work_make(struct work *w, const struct work_kind *k, uint32_t size, uint64_t seed)
{
	*w = (struct work){.kind = k, .size = size, .rng = seed};
	k->make(w, size);
	for (unsigned i = 0; i < w->nbuffers; i++) {
		w->buffers[i].before = malloc(w->buffers[i].bytes);
		if (!w->buffers[i].before)
			exit(2);
		memcpy(w->buffers[i].before, w->buffers[i].data, w->buffers[i].bytes);
	}
}

static inline void work_free(struct work *w)
{
	for (unsigned i = 0; i < w->nbuffers; i++) {
		free(w->buffers[i].data);
		free(w->buffers[i].before);
	}
}

/* ---- checking results ---- */

static inline bool work_near(struct work *w, const char *name, size_t i, double got, double want, double limit)
{
	if (fabs(got - want) <= limit)
		return true;
	snprintf(w->why, sizeof(w->why), "%s[%zu] is %.17g, not %.17g: off by %.3g, limit %.3g", name, i, got, want,
		 fabs(got - want), limit);
	return false;
}

static inline bool work_same(struct work *w, const char *name, size_t i, uint64_t got, uint64_t want)
{
	if (got == want)
		return true;
	snprintf(w->why, sizeof(w->why), "%s[%zu] is %llu, not %llu", name, i, (unsigned long long)got,
		 (unsigned long long)want);
	return false;
}

/* Checks that an input buffer is unchanged. */
static inline bool work_kept(struct work *w, unsigned buffer)
{
	if (!memcmp(w->buffers[buffer].data, w->buffers[buffer].before, w->buffers[buffer].bytes))
		return true;
	snprintf(w->why, sizeof(w->why), "input %u changed", buffer);
	return false;
}

/* Stride of the checked elements: 1 for small results, larger for large ones. */
static inline size_t work_step(size_t n)
{
	return n > 4096 ? n / 4096 | 1 : 1;
}

/* ---- the kernels ---- */

static inline void make_saxpy(struct work *w, uint32_t n)
{
	float a = (float)work_number(w);

	work_count(w, n);
	work_value(w, &a, sizeof(a));
	work_floats(w, n);
	work_floats(w, n);
	work_shape(w, (n + 255) / 256, 1, 256, 1);
}
static inline bool right_saxpy(struct work *w)
{
	const float *x = w->buffers[0].data, *y = w->buffers[1].data, *before = w->buffers[1].before;
	float a;

	memcpy(&a, &w->arguments[1].bits, sizeof(a));
	for (size_t i = 0; i < w->size; i++)
		if (!work_near(w, "y", i, y[i], fmaf(a, x[i], before[i]), 0))
			return false;
	return work_kept(w, 0);
}

static inline void make_reduce(struct work *w, uint32_t n)
{
	work_count(w, n);
	work_doubles(w, n);
	work_doubles(w, 1);
	work_shape(w, n > 100000 ? 528 : 3, 1, 256, 1);
}
static inline bool right_reduce(struct work *w)
{
	const double *x = w->buffers[0].data, *out = w->buffers[1].data, *before = w->buffers[1].before;
	long double sum = before[0], size = fabs(before[0]);
	double threads = 256.0 * w->grid[0];

	for (size_t i = 0; i < w->size; i++) {
		sum += x[i];
		size += fabs(x[i]);
	}
	return work_near(w, "sum", 0, out[0], (double)sum,
			 (double)size * U64 * (w->size / threads + 12 + w->grid[0]) * 1.1 +
				 (double)size * w->size * 0x1p-64);
}

static inline void make_gemm(struct work *w, uint32_t n)
{
	bool wide = w->kind->function[0] == 'd';

	work_count(w, n);
	for (int k = 0; k < 3; k++) {
		if (wide)
			work_doubles(w, (size_t)n * n);
		else
			work_floats(w, (size_t)n * n);
	}
	work_shape(w, n / 64, n / 64, 16, 16);
}
static inline double work_get(const struct work *w, unsigned buffer, bool wide, size_t i)
{
	return wide ? ((const double *)w->buffers[buffer].data)[i] : ((const float *)w->buffers[buffer].data)[i];
}
static inline bool right_gemm(struct work *w)
{
	bool wide = w->kind->function[0] == 'd';
	size_t n = w->size;

	for (size_t e = 0; e < n * n; e += work_step(n * n)) {
		long double sum = 0, size = 0;

		for (size_t k = 0; k < n; k++) {
			long double p = (long double)work_get(w, 0, wide, e / n * n + k) *
					work_get(w, 1, wide, k * n + e % n);

			sum += p;
			size += fabsl(p);
		}
		if (!work_near(w, "c", e, work_get(w, 2, wide, e), (double)sum,
			       (double)size * (double)(n + 2) * (wide ? U64 : U32)))
			return false;
	}
	return work_kept(w, 0) && work_kept(w, 1);
}

enum { JACOBI_N = 6 };
static inline void make_jacobi(struct work *w, uint32_t n)
{
	double *a;

	work_count(w, n);
	a = work_doubles(w, (size_t)n * JACOBI_N * JACOBI_N);
	for (size_t m = 0; m < n; m++) {
		for (int i = 0; i < JACOBI_N; i++)
			for (int j = 0; j < i; j++) {
				if (m % 5 == 0) /* some converge in fewer sweeps */
					a[(i * JACOBI_N + j) * n + m] *= 1e-9;
				a[(j * JACOBI_N + i) * n + m] = a[(i * JACOBI_N + j) * n + m];
			}
	}
	work_buffer(w, (size_t)n * JACOBI_N * sizeof(double));
	work_buffer(w, (size_t)n * sizeof(uint32_t));
	work_shape(w, (n + 127) / 128, 1, 128, 1);
}
static inline int work_order(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}
/* The same rotations in long double, with twice the sweeps needed. */
static inline void jacobi_reference(long double s[JACOBI_N][JACOBI_N])
{
	for (int sweep = 0; sweep < 20; sweep++)
		for (int p = 0; p < JACOBI_N - 1; p++)
			for (int q = p + 1; q < JACOBI_N; q++) {
				long double theta, t, c, sine;

				if (s[p][q] == 0)
					continue;
				theta = (s[q][q] - s[p][p]) / (2 * s[p][q]);
				t = (theta < 0 ? -1 : 1) / (fabsl(theta) + sqrtl(theta * theta + 1));
				c = 1 / sqrtl(t * t + 1);
				sine = t * c;
				for (int k = 0; k < JACOBI_N; k++) {
					long double x = s[k][p], y = s[k][q];

					s[k][p] = c * x - sine * y;
					s[k][q] = sine * x + c * y;
				}
				for (int k = 0; k < JACOBI_N; k++) {
					long double x = s[p][k], y = s[q][k];

					s[p][k] = c * x - sine * y;
					s[q][k] = sine * x + c * y;
				}
			}
}
static inline bool right_jacobi(struct work *w)
{
	const double *a = w->buffers[0].data, *values = w->buffers[1].data;
	const uint32_t *rounds = w->buffers[2].data;
	size_t n = w->size;

	for (size_t m = 0; m < n; m += work_step(n)) {
		long double s[JACOBI_N][JACOBI_N], norm = 0;
		double got[JACOBI_N], want[JACOBI_N];

		for (int e = 0; e < JACOBI_N * JACOBI_N; e++) {
			s[e / JACOBI_N][e % JACOBI_N] = a[e * n + m];
			norm += (long double)a[e * n + m] * a[e * n + m];
		}
		jacobi_reference(s);
		for (int i = 0; i < JACOBI_N; i++) {
			got[i] = values[i * n + m];
			want[i] = (double)s[i][i];
		}
		qsort(got, JACOBI_N, sizeof(*got), work_order);
		qsort(want, JACOBI_N, sizeof(*want), work_order);
		if (rounds[m] < 1 || rounds[m] > 12) { /* convergence is quadratic */
			snprintf(w->why, sizeof(w->why), "matrix %zu took %u sweeps", m, rounds[m]);
			return false;
		}
		for (int i = 0; i < JACOBI_N; i++) /* 15 rotations per sweep, a few operations each */
			if (!work_near(w, "eigenvalue", m * JACOBI_N + i, got[i], want[i],
				       (double)sqrtl(norm) * U64 * 8 * 15 * rounds[m]))
				return false;
	}
	return work_kept(w, 0);
}

static inline void make_histogram(struct work *w, uint32_t n)
{
	work_count(w, n);
	work_words(w, n);
	work_words(w, 256);
	work_shape(w, n > 100000 ? 528 : 3, 1, 256, 1);
}
static inline bool right_histogram(struct work *w)
{
	const uint8_t *bytes = w->buffers[0].data;
	const uint32_t *bins = w->buffers[1].data;
	uint32_t want[256];

	memcpy(want, w->buffers[1].before, sizeof(want));
	for (size_t i = 0; i < 4 * (size_t)w->size; i++)
		want[bytes[i]]++;
	for (size_t i = 0; i < 256; i++)
		if (!work_same(w, "bins", i, bins[i], want[i]))
			return false;
	return work_kept(w, 0);
}

static inline void make_scan(struct work *w, uint32_t n)
{
	uint32_t tiles = (n + 1023) / 1024;

	work_count(w, n);
	work_words(w, n);
	work_words(w, n);
	work_words(w, tiles);
	work_shape(w, tiles, 1, 256, 1);
}
static inline bool right_scan(struct work *w)
{
	const uint32_t *x = w->buffers[0].data, *y = w->buffers[1].data, *totals = w->buffers[2].data;
	uint32_t sum = 0;

	for (size_t i = 0; i < w->size; i++) {
		sum = i % 1024 ? sum + x[i] : x[i];
		if (!work_same(w, "y", i, y[i], sum) ||
		    ((i % 1024 == 1023 || i + 1 == w->size) && !work_same(w, "totals", i / 1024, totals[i / 1024], sum)))
			return false;
	}
	return work_kept(w, 0);
}

static inline void make_nbody(struct work *w, uint32_t n)
{
	float over = 0.75f, soft = 1e-3f;

	work_count(w, n);
	work_value(w, &over, sizeof(over));
	work_value(w, &soft, sizeof(soft));
	work_floats(w, 4 * (size_t)n);
	work_floats(w, 4 * (size_t)n);
	work_shape(w, n / 128, 1, 128, 1);
}
static inline bool right_nbody(struct work *w)
{
	const float *p = w->buffers[0].data, *force = w->buffers[1].data;
	size_t n = w->size;

	for (size_t i = 0; i < n; i += n > 512 ? n / 64 : 1) {
		double sum[4] = {0}, limit[4] = {0}, q = p[4 * i + 3];

		for (size_t j = 0; j < n; j++) {
			double d[4] = {(double)p[4 * i] - p[4 * j], (double)p[4 * i + 1] - p[4 * j + 1],
				       (double)p[4 * i + 2] - p[4 * j + 2], 1};
			double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 1e-3f, r = sqrt(r2), reach = r * 0.75f;
			double u = p[4 * j + 3] / r * exp(-reach), f = u * (1 + reach) / r2;

			for (int k = 0; k < 4; k++) {
				double term = k < 3 ? f * d[k] : u;

				sum[k] += term;
				limit[k] += fabs(term) * ((8 + 2 * reach) * APPROX + (double)n * U32);
			}
		}
		for (int k = 0; k < 4; k++)
			if (!work_near(w, "force", 4 * i + (size_t)k, force[4 * i + (size_t)k], q * sum[k],
				       fabs(q) * limit[k]))
				return false;
	}
	return work_kept(w, 0);
}

/* A grid of 64 by size by size points. */
static inline void make_stencil(struct work *w, uint32_t n)
{
	double k = 0.1;

	work_count(w, 64);
	work_count(w, n);
	work_count(w, n);
	work_value(w, &k, sizeof(k));
	work_doubles(w, (size_t)64 * n * n);
	work_doubles(w, (size_t)64 * n * n);
	work_shape(w, 2, (n + 7) / 8, 32, 8);
}
static inline bool right_stencil(struct work *w)
{
	const double *x = w->buffers[0].data, *y = w->buffers[1].data, *before = w->buffers[1].before;
	size_t nx = 64, ny = w->size, nz = w->size, layer = nx * ny;

	for (size_t at = 0; at < layer * nz; at += work_step(layer * nz)) {
		size_t i = at % nx, j = at / nx % ny, z = at / layer;
		double want = before[at], limit = 0;

		if (i && i < nx - 1 && j && j < ny - 1 && z && z < nz - 1) {
			const double *p = x + at;
			long double around = (long double)p[-1] + p[1] + p[-(long)nx] + p[nx] + p[-(long)layer] + p[layer];

			want = (double)(p[0] + 0.1 * (around - 6 * (long double)p[0]));
			limit = (fabs(p[0]) + 0.1 * (fabs(p[-1]) + fabs(p[1]) + fabs(p[-(long)nx]) + fabs(p[nx]) +
						     fabs(p[-(long)layer]) + fabs(p[layer]) + 6 * fabs(p[0]))) * 10 * U64;
		}
		if (!work_near(w, "y", at, y[at], want, limit))
			return false;
	}
	return work_kept(w, 0);
}

static inline void make_fft(struct work *w, uint32_t n)
{
	float *twiddle;

	work_floats(w, (size_t)n * 1024);
	work_floats(w, (size_t)n * 1024);
	twiddle = work_floats(w, 1024);
	for (int k = 0; k < 512; k++) {
		twiddle[2 * k] = (float)cos(2 * M_PI * k / 512);
		twiddle[2 * k + 1] = (float)-sin(2 * M_PI * k / 512);
	}
	work_shape(w, n, 1, 256, 1);
}
static inline bool right_fft(struct work *w)
{
	for (size_t b = 0; b < w->size; b += w->size > 8 ? w->size / 8 : 1) {
		const float *x = (const float *)w->buffers[0].data + b * 1024, *y = (const float *)w->buffers[1].data + b * 1024;
		double error = 0, size = 0;

		for (int k = 0; k < 512; k++) {
			double re = 0, im = 0;

			for (int i = 0; i < 512; i++) {
				double c = cos(2 * M_PI * (i * k % 512) / 512), s = -sin(2 * M_PI * (i * k % 512) / 512);

				re += x[2 * i] * c - x[2 * i + 1] * s;
				im += x[2 * i] * s + x[2 * i + 1] * c;
			}
			error += (y[2 * k] - re) * (y[2 * k] - re) + (y[2 * k + 1] - im) * (y[2 * k + 1] - im);
			size += re * re + im * im;
		}
		/* Nine stages, each a rounded product with a rounded twiddle factor and a sum. */
		if (!work_near(w, "transform", b, sqrt(error), 0, 9 * 6 * U32 * sqrt(size)))
			return false;
	}
	return work_kept(w, 0) && work_kept(w, 2);
}

static inline void make_spmv(struct work *w, uint32_t n)
{
	uint32_t *start, *column, each = 24;

	work_count(w, n);
	start = work_buffer(w, ((size_t)n + 1) * sizeof(*start));
	for (uint32_t i = 0; i < n; i++)
		start[i + 1] = start[i] + (uint32_t)(work_bits(w) % (2 * each));
	column = work_words(w, start[n] + 1);
	for (size_t k = 0; k < start[n]; k++)
		column[k] %= n;
	work_doubles(w, start[n] + 1);
	work_doubles(w, n);
	work_doubles(w, n);
	work_shape(w, (n + 3) / 4, 1, 128, 1);
}
static inline bool right_spmv(struct work *w)
{
	const uint32_t *start = w->buffers[0].data, *column = w->buffers[1].data;
	const double *value = w->buffers[2].data, *x = w->buffers[3].data, *y = w->buffers[4].data;

	for (size_t i = 0; i < w->size; i += work_step(w->size)) {
		long double sum = 0, size = 0;

		for (uint32_t k = start[i]; k < start[i + 1]; k++) {
			long double p = (long double)value[k] * x[column[k]];

			sum += p;
			size += fabsl(p);
		}
		if (!work_near(w, "y", i, y[i], (double)sum, (double)size * ((start[i + 1] - start[i]) / 32.0 + 8) * U64))
			return false;
	}
	return work_kept(w, 0) && work_kept(w, 1) && work_kept(w, 2) && work_kept(w, 3);
}

static inline void make_radix(struct work *w, uint32_t n)
{
	work_words(w, (size_t)n * 256);
	work_shape(w, n, 1, 256, 1);
}
static inline int work_order_words(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}
static inline bool right_radix(struct work *w)
{
	for (size_t t = 0; t < w->size; t++) {
		uint32_t *keys = (uint32_t *)w->buffers[0].data + 256 * t, *before = (uint32_t *)w->buffers[0].before + 256 * t;

		qsort(before, 256, sizeof(*before), work_order_words);
		for (size_t i = 0; i < 256; i++)
			if (!work_same(w, "keys", 256 * t + i, keys[i], before[i]))
				return false;
	}
	return true;
}

enum { SOFTMAX_COLUMNS = 200, NORM_COLUMNS = 1000, Q4_BLOCKS = 40, ATTENTION_WIDTH = 32 };
static inline void make_softmax(struct work *w, uint32_t n)
{
	float *x;

	work_count(w, n);
	work_count(w, SOFTMAX_COLUMNS);
	x = work_floats(w, (size_t)n * SOFTMAX_COLUMNS);
	for (size_t i = 0; i < (size_t)n * SOFTMAX_COLUMNS; i++)
		x[i] *= 20;
	work_floats(w, (size_t)n * SOFTMAX_COLUMNS);
	work_shape(w, (n + 3) / 4, 1, 128, 1);
}
static inline bool right_softmax(struct work *w)
{
	for (size_t r = 0; r < w->size; r += work_step(w->size) * 8) {
		const float *x = (const float *)w->buffers[0].data + r * SOFTMAX_COLUMNS;
		const float *y = (const float *)w->buffers[1].data + r * SOFTMAX_COLUMNS;
		double max = -INFINITY, sum = 0;

		for (int i = 0; i < SOFTMAX_COLUMNS; i++)
			max = x[i] > max ? x[i] : max;
		for (int i = 0; i < SOFTMAX_COLUMNS; i++)
			sum += exp(x[i] - max);
		for (int i = 0; i < SOFTMAX_COLUMNS; i++) {
			double want = exp(x[i] - max) / sum; /* the exponent's rounding error grows with it */

			if (!work_near(w, "y", r * SOFTMAX_COLUMNS + (size_t)i, y[i], want,
				       want * (6 + (max - x[i])) * APPROX))
				return false;
		}
	}
	return work_kept(w, 0);
}

static inline void make_layernorm(struct work *w, uint32_t n)
{
	float small = 1e-5f;

	work_count(w, NORM_COLUMNS);
	work_value(w, &small, sizeof(small));
	work_floats(w, (size_t)n * NORM_COLUMNS);
	work_floats(w, NORM_COLUMNS);
	work_floats(w, NORM_COLUMNS);
	work_floats(w, (size_t)n * NORM_COLUMNS);
	work_shape(w, n, 1, 256, 1);
}
static inline bool right_layernorm(struct work *w)
{
	const float *scale = w->buffers[1].data, *shift = w->buffers[2].data;

	for (size_t r = 0; r < w->size; r += work_step(w->size) * 8) {
		const float *x = (const float *)w->buffers[0].data + r * NORM_COLUMNS;
		const float *y = (const float *)w->buffers[3].data + r * NORM_COLUMNS;
		double mean = 0, square = 0, size = 0, over;

		for (int i = 0; i < NORM_COLUMNS; i++) {
			mean += x[i] / (double)NORM_COLUMNS;
			size += fabs(x[i]) / (double)NORM_COLUMNS;
		}
		for (int i = 0; i < NORM_COLUMNS; i++)
			square += (x[i] - mean) * (x[i] - mean) / NORM_COLUMNS;
		over = 1 / sqrt(square + 1e-5f);
		for (int i = 0; i < NORM_COLUMNS; i++) {
			double want = (x[i] - mean) * over * scale[i] + shift[i];
			/*
			 * sums of 4 + 13 terms in sequence; the root halves the square's relative
			 * error
			 */
			double limit = (20 * U32 * size + 30 * U32 * fabs(x[i] - mean)) * over * fabs(scale[i]) +
				       2 * U32 * (fabs(want) + fabs(shift[i]));

			if (!work_near(w, "y", r * NORM_COLUMNS + (size_t)i, y[i], want, limit))
				return false;
		}
	}
	return work_kept(w, 0) && work_kept(w, 1) && work_kept(w, 2);
}

static inline void make_attention(struct work *w, uint32_t n)
{
	float scale = 1.5f;

	work_count(w, n);
	work_value(w, &scale, sizeof(scale));
	for (int k = 0; k < 4; k++)
		work_floats(w, (size_t)n * ATTENTION_WIDTH);
	work_shape(w, n / 64, 1, 64, 1);
}
static inline bool right_attention(struct work *w)
{
	const float *q = w->buffers[0].data, *k = w->buffers[1].data, *v = w->buffers[2].data, *out = w->buffers[3].data;
	size_t n = w->size, width = ATTENTION_WIDTH;

	for (size_t i = 0; i < n; i += n > 256 ? n / 32 : 1) {
		double sum = 0, answer[ATTENTION_WIDTH] = {0}, size[ATTENTION_WIDTH] = {0}, worst = 0;

		for (size_t j = 0; j < n; j++) {
			double dot = 0, all = 0, power;

			for (size_t d = 0; d < width; d++) {
				dot += 1.5 * q[i * width + d] * k[j * width + d];
				all += fabs(1.5 * q[i * width + d] * k[j * width + d]);
			}
			power = exp(dot);
			worst = fmax(worst, all);
			sum += power;
			for (size_t d = 0; d < width; d++) {
				answer[d] += power * v[j * width + d];
				size[d] += power * fabs(v[j * width + d]);
			}
		}
		for (size_t d = 0; d < width; d++) { /* error of the exponent; each is rescaled n times */
			double limit = size[d] / sum * (2 * ((double)(width + 4) * U32 * worst + 4 * APPROX) + 4 * (double)n * U32);

			if (!work_near(w, "out", i * width + d, out[i * width + d], answer[d] / sum, limit))
				return false;
		}
	}
	return work_kept(w, 0) && work_kept(w, 1) && work_kept(w, 2);
}

static inline void make_su3(struct work *w, uint32_t n)
{
	work_count(w, n);
	for (int k = 0; k < 3; k++)
		work_doubles(w, (size_t)n * 18);
	work_shape(w, (n + 127) / 128, 1, 128, 1);
}
static inline bool right_su3(struct work *w)
{
	const double *a = w->buffers[0].data, *b = w->buffers[1].data, *c = w->buffers[2].data;
	size_t n = w->size;

	for (size_t e = 0; e < 9 * n; e += work_step(9 * n)) {
		size_t m = e % n, i = e / n / 3, j = e / n % 3;
		long double re = 0, im = 0, size = 0;

		for (size_t k = 0; k < 3; k++) {
			const double *x = a + 2 * ((3 * i + k) * n + m), *y = b + 2 * ((3 * k + j) * n + m);

			re += (long double)x[0] * y[0] - (long double)x[1] * y[1];
			im += (long double)x[0] * y[1] + (long double)x[1] * y[0];
			size += (fabsl(x[0]) + fabsl(x[1])) * (fabsl(y[0]) + fabsl(y[1]));
		}
		if (!work_near(w, "re", e, c[2 * e], (double)re, (double)size * 8 * U64) ||
		    !work_near(w, "im", e, c[2 * e + 1], (double)im, (double)size * 8 * U64))
			return false;
	}
	return work_kept(w, 0) && work_kept(w, 1);
}

struct q4_block {
	uint16_t scale; /* f16 */
	uint16_t quads[8];
};
static inline void make_q4gemv(struct work *w, uint32_t n)
{
	struct q4_block *blocks;

	work_count(w, n);
	work_count(w, Q4_BLOCKS);
	blocks = work_buffer(w, (size_t)n * Q4_BLOCKS * sizeof(*blocks));
	for (size_t i = 0; i < (size_t)n * Q4_BLOCKS; i++) {
		uint64_t bits[2] = {work_bits(w), work_bits(w)};

		memcpy(blocks[i].quads, bits, sizeof(bits));
		blocks[i].scale = (uint16_t)(0x2000 | (work_bits(w) & 0x9fff)); /* normal numbers, of both signs */
	}
	work_floats(w, Q4_BLOCKS * 32);
	work_floats(w, n);
	work_shape(w, (n + 3) / 4, 1, 128, 1);
}
static inline double work_half(uint16_t bits) /* a normal f16 */
{
	return (bits >> 15 ? -1 : 1) * ldexp(1024 + (bits & 0x3ff), (bits >> 10 & 0x1f) - 25);
}
static inline bool right_q4gemv(struct work *w)
{
	const struct q4_block *blocks = w->buffers[0].data;
	const float *x = w->buffers[1].data, *y = w->buffers[2].data;

	for (size_t r = 0; r < w->size; r += work_step(w->size)) {
		double sum = 0, size = 0;

		for (size_t b = 0; b < Q4_BLOCKS; b++) {
			const struct q4_block *it = &blocks[r * Q4_BLOCKS + b];

			for (size_t k = 0; k < 32; k++) {
				double weight = (double)((it->quads[k / 4] >> 4 * (k % 4) & 15) - 8) * work_half(it->scale);

				sum += weight * x[32 * b + k];
				size += fabs(weight * x[32 * b + k]);
			}
		}
		if (!work_near(w, "y", r, y[r], sum, size * (32 + Q4_BLOCKS / 32.0 + 8) * U32))
			return false;
	}
	return work_kept(w, 0) && work_kept(w, 1);
}

static const struct work_kind work_kinds[] = {
	{"saxpy", "saxpy_f32", make_saxpy, right_saxpy, 1000, 1 << 25},
	{"reduce", "reduce_f64", make_reduce, right_reduce, 3000, 1 << 25},
	{"sgemm", "sgemm", make_gemm, right_gemm, 128, 2048},
	{"dgemm", "dgemm", make_gemm, right_gemm, 128, 2048},
	{"jacobi", "jacobi", make_jacobi, right_jacobi, 150, 1 << 18},
	{"histogram", "histogram", make_histogram, right_histogram, 3000, 1 << 25},
	{"scan", "scan", make_scan, right_scan, 3000, 1 << 25},
	{"nbody", "nbody", make_nbody, right_nbody, 256, 16384},
	{"stencil", "stencil", make_stencil, right_stencil, 12, 512},
	{"fft", "fft", make_fft, right_fft, 3, 20000},
	{"spmv", "spmv", make_spmv, right_spmv, 200, 400000},
	{"radix", "radix", make_radix, right_radix, 3, 20000},
	{"softmax", "softmax", make_softmax, right_softmax, 10, 100000},
	{"layernorm", "layernorm", make_layernorm, right_layernorm, 4, 20000},
	{"attention", "attention", make_attention, right_attention, 128, 4096},
	{"su3", "su3", make_su3, right_su3, 300, 1 << 19},
	{"q4gemv", "q4gemv", make_q4gemv, right_q4gemv, 13, 65536},
};
enum { WORK_KINDS = sizeof(work_kinds) / sizeof(work_kinds[0]) };

#endif
