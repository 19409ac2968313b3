// SPDX-License-Identifier: MIT
/*
 * Runs the kernels of LLVM's code object of amd_kernels.cl on the software GPU and compares every
 * word of their output with a reference in C.
 *   usage: amd_kernels FILE.co [plain|hazard|mutate] [NAME]
 * mutate drops each counter of each wait, one at a time, and weakens it by one: hazard mode must
 * report it, unless nothing is ever outstanding at that wait.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libsov/compiler/image/image_amd.h"
#include "libsov/isa/amd/amd_isa.h"
#include "model/amd/amd.h"
#include "model/core/softfloat.h"
#include "tests/userspace/compiler/amd/_waits.h"

#define BLOCK   64
#define N       200
#define WORDS   (4 * N)
#define CODE_VA 0x100000

typedef void reference_fn(uint32_t *out, const uint32_t *in, uint32_t n);
#define REF(name) static void name(uint32_t *out, const uint32_t *in, uint32_t n)
#define EACH      for (uint32_t i = 0; i < n; i++)

static float f32(uint32_t x)
{
	float f;

	memcpy(&f, &x, 4);
	return f;
}

static uint32_t u32(float f)
{
	uint32_t x;

	memcpy(&x, &f, 4);
	return x;
}

static double f64(const uint32_t *p, uint32_t i)
{
	double d;

	memcpy(&d, p + 2 * i, 8);
	return d;
}

static void put64(uint32_t *p, uint32_t i, const void *x)
{
	memcpy(p + 2 * i, x, 8);
}

REF(saxpy)
{
	EACH out[i] = u32(fmaf(1.5f, f32(in[i]), f32(in[n + i])));
}

REF(bytes)
{
	const uint8_t *b = (const uint8_t *)in;
	const int8_t *c = (const int8_t *)in;
	const int16_t *s = (const int16_t *)in;

	EACH
	{
		uint16_t h = (uint16_t)(s[i] - c[2 * i]);

		((uint8_t *)out)[i] = (uint8_t)(b[n - 1 - i] + 3);
		memcpy((uint8_t *)out + 2 * (2 * n + i), &h, 2);
	}
	EACH out[2 * n + i] = (uint32_t)(c[i] * s[n + i]);
}

REF(vectors)
{
	EACH for (uint32_t k = 0; k < 4; k++)
	{
		uint32_t a = in[4 * i + k], b = in[4 * (n - 1 - i) + k];

		out[4 * i + k] = (a ^ in[4 * (n - 1 - i) + 3 - k]) + (a << (b & 31));
	}
}

REF(reduce)
{
	for (uint32_t g = 0; g * BLOCK < n; g++) {
		out[g] = 0;
		for (uint32_t i = g * BLOCK; i < n && i < (g + 1) * BLOCK; i++)
			out[g] += in[i];
	}
}

REF(scan)
{
	EACH out[i] = in[i] + (i % BLOCK ? out[i - 1] : 0);
}

static int signed_order(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	return x < y ? -1 : x > y;
}

REF(bitonic)
{
	for (uint32_t g = 0; g * BLOCK < n; g++) {
		int32_t s[BLOCK];

		for (uint32_t l = 0; l < BLOCK; l++)
			s[l] = g * BLOCK + l < n ? (int32_t)in[g * BLOCK + l] : INT32_MAX;
		qsort(s, BLOCK, 4, signed_order);
		for (uint32_t l = 0; l < BLOCK && g * BLOCK + l < n; l++)
			out[g * BLOCK + l] = (uint32_t)s[l];
	}
}

REF(tile)
{
	EACH
	{
		uint32_t l = i % BLOCK, j = i - l + l % 8 * 8 + l / 8;

		out[i] = (uint32_t)(int32_t)((double)(int32_t)in[j < n ? j : 0] * 0.5);
	}
}

REF(collatz)
{
	EACH
	{
		uint32_t x = in[i] % 1000 + 1, steps = 0;

		for (; x != 1; steps++)
			x = x & 1 ? 3 * x + 1 : x / 2;
		out[i] = steps;
	}
}

REF(mandel)
{
	EACH
	{
		uint32_t total = 0;

		for (uint32_t k = 0; k < in[i] % 5 + 1; k++) {
			float cx = (float)(in[n + i] % 400) * 0.0075f - 2.0f;
			float cy = (float)((in[2 * n + i] + k * 37) % 300) * 0.0075f - 1.0f;
			float x = 0, y = 0;
			uint32_t m = 0;

			while (m < 60 && x * x + y * y < 4.0f) {
				float t = x * x - y * y + cx;

				y = 2 * x * y + cy;
				x = t;
				m++;
			}
			total = total * 61 + m;
		}
		out[i] = total;
	}
}

REF(gcds)
{
	EACH
	{
		uint32_t sum = 0;

		for (uint32_t k = 0; k < in[i] % 7; k++) {
			uint32_t a = in[n + i] >> k, b = in[2 * n + i] % 5000 + 1;

			while (b) {
				uint32_t t = a % b;

				a = b;
				b = t;
			}
			sum += a;
		}
		out[i] = sum;
	}
}

static uint32_t primes_below(uint32_t limit, uint32_t stop)
{
	uint32_t count = 0;

	for (uint32_t p = 2; p < limit; p++) {
		bool prime = true;

		for (uint32_t d = 2; d * d <= p; d++)
			prime = prime && p % d;
		if (prime && ++count == stop)
			break;
	}
	return count;
}

REF(primes)
{
	EACH out[i] = primes_below(in[i] % 90, in[n + i] % 20);
}

static uint32_t nested(uint32_t x)
{
	uint32_t sum = 0;

	for (uint32_t a = 0; a < (x & 3) + 1; a++)
		for (uint32_t b = a; b < (x >> 2 & 3) + 2; b++) {
			if ((x >> b & 1) == (a & 1))
				continue;
			for (uint32_t c = 0; c < (x >> 4 & 7); c++) {
				sum = sum * 31 + a * 7 + b * 3 + c;
				if (sum % 11 == 5)
					return sum;
			}
		}
	return sum;
}

REF(nest)
{
	EACH out[i] = nested(in[i]);
}

static uint32_t tangled(uint32_t x)
{
	uint32_t y = 0;
	bool second = x & 1;

	for (;;) {
		if (!second) {
			y += x;
			x -= x > 3 ? 3 : x;
			if (!x)
				return y;
		}
		second = false;
		y ^= x * 5;
		x /= 2;
		if (x <= 2)
			return y;
	}
}

REF(irreducible)
{
	EACH out[i] = tangled(in[i] & 0xffff);
}

static int unsigned_order(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

REF(insertion)
{
	EACH
	{
		uint32_t a[16];

		for (uint32_t k = 0; k < 16; k++)
			a[k] = in[(i * 5 + k * 3) % (4 * n)];
		qsort(a, 16, 4, unsigned_order);
		out[i] = a[in[i] % 16];
	}
}

REF(private_histogram)
{
	EACH
	{
		uint8_t bin[64] = {0};
		uint32_t h = 0;

		for (uint32_t k = 0; k < 100; k++)
			bin[in[(i + k) % n] % 64]++;
		for (uint32_t k = 0; k < 64; k++)
			h = h * 5 + bin[k];
		out[i] = h;
	}
}

static uint32_t ackermann(uint32_t m, uint32_t x)
{
	uint32_t stack[64], top = 0, steps = 0;

	stack[top++] = m;
	while (top && steps++ < 3000) {
		m = stack[--top];
		if (!m) {
			x++;
		} else if (!x) {
			x = 1;
			stack[top++ & 63] = m - 1;
		} else {
			stack[top++ & 63] = m - 1;
			stack[top++ & 63] = m;
			x--;
		}
		top &= 63;
	}
	return x * 4096 + steps;
}

REF(calls)
{
	EACH out[i] = ackermann(in[i] % 3, in[n + i] % 5) + ackermann(1, i & 3);
}

REF(polynomial)
{
	EACH
	{
		double x = (double)(int32_t)in[i] * 0x1p-31, y = 0;

		for (uint32_t k = 0; k < in[n + i] % 12; k++)
			y = fma(y, x, (double)k);
		put64(out, i, &y);
	}
}

REF(divisions)
{
	EACH
	{
		double a = f64(in, i), b = f64(in, n + i), q = a / b, r = sqrt(a) + fabs(b);

		put64(out, i, &q);
		put64(out, n + i, &r);
	}
}

REF(rounding)
{
	EACH
	{
		double x = (double)(int32_t)in[i] * 0x1p-12;
		float f = (float)(int32_t)in[n + i] * 0x1p-14f;
		double d = floor(x) + rint(x) * 0.5 + fmin(x, 3.0) - ceil(x * 3.0) + trunc(x * 5.0);

		put64(out, i, &d);
		out[2 * n + i] =
			(uint32_t)(int32_t)(floorf(f) * 3 + rintf(f) + fmaxf(ceilf(f), 2.0f));
		out[3 * n + i] = u32(truncf(f) / (f + 0.3f));
	}
}

/* Like fminf, but -0 is less than 0: any NaN is a missing value. */
static float minimum(float a, float b)
{
	return isnan(a) ? b : isnan(b) || a < b || (a == b && signbit(a)) ? a : b;
}

REF(floats)
{
	EACH
	{
		float a = f32(in[i]), b = f32(in[n + i]);

		out[i] = u32(a / b);
		out[n + i] = u32(sqrtf(fabsf(a)));
		out[2 * n + i] = u32(fmaf(a, b, -a) > 0 ? a - b : minimum(a, b));
		out[3 * n + i] = (uint32_t)(a < b) | (uint32_t)(a != b) << 1 |
				 (uint32_t)!!isnan(a) << 2 | (uint32_t)!!isinf(b) << 3 |
				 (uint32_t)(a >= 0) << 4;
	}
}

static uint16_t half(float f)
{
	return (uint16_t)float_convert(&float_f32, &float_f16, u32(f), FLOAT_NEAREST);
}

REF(conversions)
{
	EACH
	{
		int32_t x = (int32_t)in[i];
		float f = (float)x;
		uint16_t h = half(f * 0x1p-20f), s = half((float)(int16_t)x);

		out[i] = u32(f + (float)in[n + i]);
		out[n + i] =
			(uint32_t)(int32_t)(f * 0x1p-8f) + (uint32_t)((float)(in[i] >> 1) * 0.5f);
		memcpy((uint8_t *)out + 2 * (4 * n + i), &h, 2);
		memcpy((uint8_t *)out + 2 * (5 * n + i), &s, 2);
		out[3 * n + i] = u32((float)(double)f + (float)((int64_t)x * 77777) +
				     (float)(uint8_t)(x >> 8));
	}
}

REF(histogram)
{
	EACH out[in[i] % n] += in[n + i] & 15;
}

REF(extremes)
{
	uint64_t sum;

	memcpy(&sum, out + 6, 8);
	EACH
	{
		out[0] = in[i] > out[0] ? in[i] : out[0];
		out[1] = (int32_t)in[i] < (int32_t)out[1] ? in[i] : out[1];
		out[2] ^= in[i];
		out[3] |= in[i];
		out[4] &= in[i];
		sum += (uint64_t)in[i] << 20;
	}
	memcpy(out + 6, &sum, 8);
}

REF(swaps)
{
	EACH out[in[i] % 16] += in[i] % 16 + 1;
}

static uint32_t h_fma(uint32_t a, uint32_t b, uint32_t c)
{
	return (uint32_t)float_fma(&float_f16, a, b, c, 0, FLOAT_NEAREST);
}

static uint32_t h_max(uint32_t a, uint32_t b)
{
	float x = f32((uint32_t)float_convert(&float_f16, &float_f32, a, FLOAT_NEAREST));
	float y = f32((uint32_t)float_convert(&float_f16, &float_f32, b, FLOAT_NEAREST));

	if (isnan(x) || isnan(y))
		return isnan(x) ? b : a;
	return x > y || (x == y && !signbit(x)) ? a : b;
}

REF(halves)
{
	uint16_t *h = (uint16_t *)out;

	EACH
	{
		uint32_t a[2] = {in[i] & 0xffff, in[i] >> 16};
		uint32_t b[2] = {in[n + i] & 0xffff, in[n + i] >> 16};

		for (uint32_t k = 0; k < 2; k++) {
			h[2 * i + k] = (uint16_t)h_fma(a[k], b[k], a[k]);
			h[2 * (n + i) + k] =
				(uint16_t)float_add(&float_f16, a[k], b[k] ^ 0x8000, FLOAT_NEAREST);
			h[2 * (2 * n + i) + k] = (uint16_t)h_max(a[k], b[k]);
		}
		h[6 * n + i] = (uint16_t)float_mul(&float_f16, a[0], b[1], 0, FLOAT_NEAREST);
	}
}

REF(longs)
{
	EACH
	{
		uint64_t a, b, x, y;

		memcpy(&a, in + 2 * i, 8);
		memcpy(&b, in + 2 * (n + i), 8);
		x = a * b + (a >> (b & 63)) - (b << (a & 63));
		y = (a / (b >> 32 | 1)) ^ (uint64_t)((int64_t)a >> 7) ^
		    ((int64_t)a < (int64_t)b ? 5 : 9);
		put64(out, i, &x);
		put64(out, n + i, &y);
	}
}

static uint32_t reversed(uint32_t x)
{
	uint32_t r = 0;

	for (uint32_t k = 0; k < 32; k++)
		r |= (x >> k & 1) << (31 - k);
	return r;
}

static uint32_t byte_distance(uint32_t x, uint32_t y)
{
	uint32_t d = 0;

	for (uint32_t k = 0; k < 32; k += 8)
		d += (uint32_t)abs((int)(x >> k & 255) - (int)(y >> k & 255));
	return d;
}

REF(bits)
{
	EACH
	{
		uint32_t x = in[i], y = in[n + i];

		out[i] = (uint32_t)__builtin_popcount(x) + (uint32_t)__builtin_clz(x | 1) * 64 +
			 (uint32_t)__builtin_ctz(x | 0x80000000) * 4096;
		out[n + i] = reversed(x) ^ __builtin_bswap32(y) ^ (x << 7 | x >> 25);
		out[2 * n + i] = (x >> 5 & 0x3ff) + (uint32_t)((int32_t)(y << 9) >> 20) +
				 ((x & y) | (~x & 0x5555));
		/* bytes 7, 2, 5, 0 of x:y from the top */
		out[3 * n + i] = ((x >> 24) << 24 | (y >> 16 & 255) << 16 | (x >> 8 & 255) << 8 |
				  (y & 255)) +
				 (uint32_t)(((uint64_t)x << 32 | y) >> 24) + byte_distance(x, y) +
				 100;
	}
}

REF(multiply)
{
	EACH
	{
		uint32_t x = in[i], y = in[n + i];
		uint64_t sum = (uint64_t)x + y;

		out[i] = (uint32_t)((uint64_t)x * y >> 32) +
			 (uint32_t)((int64_t)(int32_t)x * (int32_t)y >> 32);
		out[n + i] = (x & 0xffffff) * (y & 0xffffff) + x;
		out[2 * n + i] = x / (y | 1) + (uint32_t)((int32_t)x % (int32_t)(y >> 20 | 1));
		out[3 * n + i] = (sum > UINT32_MAX ? UINT32_MAX : (uint32_t)sum) + (x > y ? x : y) +
				 ((int32_t)x < (int32_t)y ? x : y);
	}
}

REF(lanes)
{
	for (uint32_t w = 0; w * 32 < n; w++) {
		uint32_t ballot = 0;
		uint32_t x[32];

		for (uint32_t l = 0; l < 32; l++) {
			x[l] = in[(w * 32 + l) % n];
			ballot |= (x[l] & 1) << l;
		}
		for (uint32_t l = 0; l < 32 && w * 32 + l < n; l++) {
			uint32_t lane = w % 2 * 32 + l, y = x[(lane * 7 + 3) % 32];

			y += l % 16 ? x[l - 1] : 0;
			y ^= x[(l & ~3u) | (3 - (l & 3))];
			y += x[l ^ 16];
			y += x[0];
			y ^= x[5];
			y += ballot + (uint32_t)__builtin_popcount(ballot & ((1u << l) - 1));
			y ^= x[l]; /* the table is the identity */
			out[w * 32 + l] = y;
		}
	}
}

REF(dots)
{
	EACH
	{
		uint32_t s = in[2 * n + i], u = 7;

		for (uint32_t k = 0; k < 32; k += 8) {
			s += (uint32_t)((int8_t)(in[i] >> k) * (int8_t)(in[n + i] >> k));
			u += (in[i] >> k & 255) * (in[n + i] >> k & 255);
		}
		out[i] = s;
		out[n + i] = u;
	}
}

REF(pointers)
{
	EACH out[i] = (in[i] & 1 ? in[i] % BLOCK * 3 : in[i]) + 1;
}

REF(switches)
{
	EACH
	{
		uint32_t x = in[i], y = 1;

		for (uint32_t k = 0; k < 8 && (x & 15) != 7; k++, x >>= 4)
			switch (x & 15) {
			case 0:
				y += 3;
				break;
			case 1:
				y *= 5;
				break;
			case 2:
				y ^= x;
				break;
			case 3:
				y = y << 3 | y >> 29;
				break;
			case 4:
				y -= x;
				y += 7;
				break;
			case 5:
				y += 7;
				break;
			case 6:
				y = y & 1 ? y + x : y ^ 9;
				break;
			default:
				y = y * 3 + (x & 15);
				break;
			}
		out[i] = y;
	}
}

/* Type of the output's words: all NaNs of a type compare equal. */
enum type { WORD, SINGLE, DOUBLE, HALF };
static const struct test {
	const char *name;
	reference_fn *reference;
	enum type type;
} tests[] = {
#define T(name, type) {#name, name, type}
	T(saxpy, SINGLE),     T(bytes, WORD),        T(vectors, WORD),
	T(reduce, WORD),      T(scan, WORD),         T(bitonic, WORD),
	T(tile, WORD),        T(collatz, WORD),      T(mandel, WORD),
	T(gcds, WORD),        T(primes, WORD),       T(nest, WORD),
	T(irreducible, WORD), T(insertion, WORD),    T(private_histogram, WORD),
	T(calls, WORD),       T(polynomial, DOUBLE), T(divisions, DOUBLE),
	T(rounding, WORD),    T(floats, SINGLE),     T(conversions, WORD),
	T(histogram, WORD),   T(extremes, WORD),     T(swaps, WORD),
	T(halves, HALF),      T(longs, WORD),        T(bits, WORD),
	T(multiply, WORD),    T(lanes, WORD),        T(dots, WORD),
	T(pointers, WORD),    T(switches, WORD),
};
#define TESTS (sizeof(tests) / sizeof(tests[0]))

static bool same_value(enum type type, const uint32_t *a, const uint32_t *b, uint32_t i)
{
	uint32_t x = a[i], y = b[i];

	if (x == y)
		return true;
	switch (type) {
	case SINGLE:
		return isnan(f32(x)) && isnan(f32(y));
	case DOUBLE:
		return isnan(f64(a, i / 2)) && isnan(f64(b, i / 2));
	case HALF:
		return ((x & 0xffff) == (y & 0xffff) ||
			((x & 0x7fff) > 0x7c00 && (y & 0x7fff) > 0x7c00)) &&
		       (x >> 16 == y >> 16 ||
			((x >> 16 & 0x7fff) > 0x7c00 && (y >> 16 & 0x7fff) > 0x7c00));
	default:
		return false;
	}
}

/* The GPU's memory: a few ranges. */
struct range {
	uint64_t va;
	uint8_t *bytes;
	uint64_t size;
	bool write;
};
enum { CODE, ARGUMENTS, PACKET, INPUT, OUTPUT, SCRATCH, RANGES };
static struct range ranges[RANGES];

static void *translate(void *context, uint64_t va, uint32_t bytes, bool write)
{
	(void)context;
	for (uint32_t i = 0; i < RANGES; i++)
		if (va >= ranges[i].va && ranges[i].size >= bytes &&
		    va - ranges[i].va <= ranges[i].size - bytes && (ranges[i].write || !write))
			return ranges[i].bytes + (va - ranges[i].va);
	return NULL;
}

static bool map_range(uint32_t i, uint64_t va, uint64_t size, bool write)
{
	free(ranges[i].bytes);
	ranges[i] = (struct range){va, calloc(1, size + 1), size, write};
	return ranges[i].bytes;
}

static uint64_t random_state;

static uint32_t random_word(void)
{
	uint64_t z = random_state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return (uint32_t)(z >> 32);
}

/* Random words, one in sixteen a special number. */
static void fill_random(uint32_t *p, uint32_t n)
{
	static const uint32_t special[] = {0,          0x80000000, 0x3f800000, 0x7f800000,
					   0xff800000, 0x7fc00000, 1,          0x3ff00000,
					   0x7ff00000, 0xffffffff};

	for (uint32_t i = 0; i < n; i++)
		p[i] = random_word() % 16 ? random_word() : special[random_word() % 10];
}

static char message[400];
static struct amd_probe probe; /* of all runs */

static bool run_kernel(const struct image_kernel *k, const struct test *t, bool hazard)
{
	static const struct amd_memory memory = {translate, NULL};
	const struct amd_kernel_descriptor *d = &image_amd_kernel(k)->descriptor;
	uint32_t expected[WORDS], n = N;
	struct amd_launch l = {
		.memory = &memory,
		.entry = CODE_VA + k->code_offset,
		.kernarg = 0x2000000,
		.dispatch = 0x2100000,
		.scratch = 0x50000000,
		.rsrc1 = d->rsrc1,
		.rsrc2 = d->rsrc2,
		.properties = d->properties,
		.lds_bytes = d->group_segment_bytes,
		.private_bytes = d->private_segment_bytes,
		.groups = {(N + BLOCK - 1) / BLOCK, 1, 1},
		.threads = {BLOCK, 1, 1},
		.hazard = hazard,
		.probe = &probe,
		.limit = 10000000,
	};
	uint64_t pointers[2] = {0x40000000, 0x30000000};

	if (image_amd_kernel(k)->kernarg_bytes < 20 ||
	    !map_range(ARGUMENTS, l.kernarg, image_amd_kernel(k)->kernarg_bytes, false) ||
	    !map_range(PACKET, l.dispatch, 64, false) ||
	    !map_range(INPUT, pointers[1], 4 * WORDS, false) ||
	    !map_range(OUTPUT, pointers[0], 4 * WORDS, true) ||
	    !map_range(SCRATCH, l.scratch, amd_scratch_bytes(&l), true))
		return false;
	memcpy(ranges[PACKET].bytes + 4, (uint16_t[]){BLOCK, 1, 1}, 6);
	memcpy(ranges[PACKET].bytes + 12, (uint32_t[]){l.groups[0] * BLOCK, 1, 1}, 12);
	memcpy(ranges[ARGUMENTS].bytes, pointers, 16);
	memcpy(ranges[ARGUMENTS].bytes + 16, &n, 4);
	fill_random((uint32_t *)ranges[INPUT].bytes, WORDS);
	fill_random((uint32_t *)ranges[OUTPUT].bytes, WORDS);
	memcpy(expected, ranges[OUTPUT].bytes, sizeof(expected));
	t->reference(expected, (uint32_t *)ranges[INPUT].bytes, N);
	if (!amd_run(&l, message, sizeof(message)))
		return false;
	for (uint32_t i = 0; i < WORDS; i++)
		if (!same_value(t->type, expected, (uint32_t *)ranges[OUTPUT].bytes, i)) {
			snprintf(message, sizeof(message), "word %u is 0x%08x, not 0x%08x", i,
				 ((uint32_t *)ranges[OUTPUT].bytes)[i], expected[i]);
			return false;
		}
	return true;
}

struct launch {
	const struct image_kernel *kernel;
	const struct test *test;
};

static bool run_launch(void *context, struct amd_probe *wanted)
{
	const struct launch *l = context;
	bool good;

	probe = *wanted;
	good = run_kernel(l->kernel, l->test, true);
	*wanted = probe;
	return good;
}

static void mutate(const struct image_kernel *k, const struct test *t, uint64_t end,
		   struct wait_counts counts[WAIT_CHANGES])
{
	struct wait_subject s = {
		.name = t->name,
		.code = ranges[CODE].bytes + k->code_offset,
		.bytes = end - k->code_offset,
		.pc = CODE_VA + k->code_offset,
		.run = run_launch,
		.context = &(struct launch){k, t},
		.message = message,
	};

	waits_mutate(&s);
	for (enum wait_change c = 0; c < WAIT_CHANGES; c++) {
		counts[c].made += s.counts[c].made;
		counts[c].named += s.counts[c].named;
		counts[c].idle += s.counts[c].idle;
	}
}

/* Offset of the next kernel. */
static uint64_t kernel_end(const struct image *o, const struct image_kernel *k)
{
	uint64_t end = o->part_bytes[IMAGE_CODE];

	for (uint32_t i = 0; i < o->nkernels; i++)
		if (o->kernels[i].code_offset > k->code_offset && o->kernels[i].code_offset < end)
			end = o->kernels[i].code_offset;
	return end;
}

static uint8_t *read_file(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = NULL;
	long n = -1;

	if (f && !fseek(f, 0, SEEK_END))
		n = ftell(f);
	if (n >= 0 && !fseek(f, 0, SEEK_SET))
		data = malloc((size_t)n + 1);
	if (data && fread(data, 1, (size_t)n, f) != (size_t)n) {
		free(data);
		data = NULL;
	}
	if (f)
		fclose(f);
	*size = (size_t)n;
	return data;
}

static const struct image_kernel *find_kernel(const struct image *o, const char *name)
{
	for (uint32_t i = 0; i < o->nkernels; i++)
		if (!strcmp(o->kernels[i].name, name))
			return &o->kernels[i];
	return NULL;
}

int main(int argc, char **argv)
{
	bool hazard = argc > 2 && !strcmp(argv[2], "hazard");
	bool mutates = argc > 2 && !strcmp(argv[2], "mutate");
	struct wait_counts counts[WAIT_CHANGES] = {0};
	bool named = true;
	uint32_t good = 0, tried = 0;
	struct image o;
	uint8_t *data;
	size_t size;

	if (argc < 2)
		return fprintf(stderr, "usage: amd_kernels FILE.co [plain|hazard|mutate] [NAME]\n"),
		       2;
	data = read_file(argv[1], &size);
	if (!data)
		return perror(argv[1]), 1;
	if (!image_read(&o, data, size, message, sizeof(message)))
		return printf("# %s: %s\n", argv[1], message), 1;
	if (!map_range(CODE, CODE_VA, o.part_bytes[IMAGE_CODE], false))
		return perror("amd_kernels"), 1;
	image_load_part(&o, IMAGE_CODE, &(struct image_addresses){.base = {CODE_VA}},
			ranges[CODE].bytes);
	for (uint32_t i = 0; i < TESTS; i++) {
		const struct image_kernel *k = find_kernel(&o, tests[i].name);

		if (argc > 3 && strcmp(argv[3], tests[i].name))
			continue;
		tried++;
		for (uint32_t round = 0; k && round < 3; round++) {
			random_state = i * 1000 + round;
			if (!run_kernel(k, &tests[i], hazard)) {
				printf("# %s: %s\n", tests[i].name, message);
				break;
			}
			good += round == 2;
		}
		if (k && mutates)
			mutate(k, &tests[i], kernel_end(&o, k), counts);
	}
	for (enum wait_change c = 0; mutates && c < WAIT_CHANGES; c++)
		named &= waits_verdict(argv[1], c, &counts[c], 0.99);
	printf("%u of %u kernels\n", good, tried);
	for (uint32_t i = 0; i < RANGES; i++)
		free(ranges[i].bytes);
	image_free(&o);
	free(data);
	return good != tried || !tried || !named;
}
