// SPDX-License-Identifier: MIT
/*
 * saxpy and reduce, f32 and f64, from PTX to results through the public API: fresh inputs, poisoned
 * outputs, on Hopper and Ampere, with and without hazard checks, scheduled and serial code.
 */
#include <math.h>
#include "tests/userspace/runtime/_api.h"

#define GUARD 64 /* elements after the output that must not change */

static char *saxpy_text, *reduce_text;
static size_t saxpy_bytes, reduce_bytes;

static uint32_t blocks_for(uint32_t n, uint32_t threads)
{
	return (n + threads - 1) / threads;
}

#define DEFINE_SAXPY(T, SIZE, FMA, NAME, SIZES) \
	static void NAME(sov_context c, sov_module m, uint32_t n, uint32_t threads, \
			 const char *where) \
	{ \
		T *x = malloc(n * sizeof(T)), *y = malloc((n + GUARD) * sizeof(T)); \
		T *got = malloc((n + GUARD) * sizeof(T)), a = (T)random_real(); \
		uint32_t i, right = 0, guard = 0; \
		sov_function f; \
		sov_ptr dx, dy; \
\
		for (i = 0; i < n + GUARD; i++) { \
			if (i < n) \
				x[i] = (T)random_real(); \
			y[i] = (T)random_real(); \
		} \
		MUST(sov_memory_alloc(c, n * sizeof(T), &dx)); \
		MUST(sov_memory_alloc(c, (n + GUARD) * sizeof(T), &dy)); \
		MUST(sov_memory_copy(c, dx, SOV_HOST(x), n * sizeof(T))); \
		MUST(sov_memory_copy(c, dy, SOV_HOST(y), (n + GUARD) * sizeof(T))); \
		MUST(sov_module_get_function(m, #NAME, &f)); \
		MUST(launch(f, NULL, blocks_for(n, threads), threads, SIZES, \
			    ARGUMENTS(&n, &a, &dx, &dy))); \
		memset(got, 0xee, (n + GUARD) * sizeof(T)); \
		MUST(sov_memory_copy(c, SOV_HOST(got), dy, (n + GUARD) * sizeof(T))); \
		for (i = 0; i < n; i++) \
			right += got[i] == FMA(x[i], a, y[i]); \
		for (; i < n + GUARD; i++) \
			guard += got[i] == y[i]; \
		ok(right == n && guard == GUARD, \
		   #NAME " of %u elements in blocks of %u is exact and stays inside: %s", n, \
		   threads, where); \
		if (right != n || guard != GUARD) \
			diag("%u of %u right, %u of %u after them untouched", right, n, guard, \
			     GUARD); \
		MUST(sov_memory_free(c, dx)); \
		MUST(sov_memory_free(c, dy)); \
		free(x); \
		free(y); \
		free(got); \
	}
DEFINE_SAXPY(float, 4, fmaf, saxpy_f32, "4488")
DEFINE_SAXPY(double, 8, fma, saxpy_f64, "4888")

/*
 * Sums of small integers are exact in any order; sums of reals are within n roundings of the
 * largest partial sum.
 */
#define DEFINE_REDUCE(T, EPSILON, NAME) \
	static void NAME(sov_context c, sov_module m, uint32_t n, uint32_t blocks, \
			 uint32_t threads, bool integers, const char *where) \
	{ \
		T *x = malloc(n * sizeof(T)), out[3], start; \
		double sum, size; \
		sov_function f; \
		sov_ptr dx, dout; \
		uint32_t i; \
\
		out[0] = out[2] = (T)random_real(); \
		out[1] = start = integers ? (T)(int32_t)(random_u64() % 1000) : (T)random_real(); \
		sum = (double)start; \
		size = fabs(sum); \
		for (i = 0; i < n; i++) { \
			x[i] = integers ? (T)((int32_t)(random_u64() % 201) - 100) \
					: (T)random_real(); \
			sum += (double)x[i]; \
			size += fabs((double)x[i]); \
		} \
		MUST(sov_memory_alloc(c, n * sizeof(T), &dx)); \
		MUST(sov_memory_alloc(c, sizeof(out), &dout)); \
		MUST(sov_memory_copy(c, dx, SOV_HOST(x), n * sizeof(T))); \
		MUST(sov_memory_copy(c, dout, SOV_HOST(out), sizeof(out))); \
		dout += sizeof(T); \
		MUST(sov_module_get_function(m, #NAME, &f)); \
		MUST(launch(f, NULL, blocks, threads, "488", ARGUMENTS(&n, &dx, &dout))); \
		dout -= sizeof(T); \
		start = out[0]; \
		memset(out, 0xee, sizeof(out)); \
		MUST(sov_memory_copy(c, SOV_HOST(out), dout, sizeof(out))); \
		if (!ok(fabs((double)out[1] - sum) <= (integers ? 0 : size * n * EPSILON) && \
				out[0] == start && out[2] == start, \
			#NAME " of %u %s in %u blocks of %u: %s", n, \
			integers ? "integers" : "reals", blocks, threads, where)) \
			diag("got %.17g, want %.17g", (double)out[1], sum); \
		MUST(sov_memory_free(c, dx)); \
		MUST(sov_memory_free(c, dout)); \
		free(x); \
	}
DEFINE_REDUCE(float, 6e-8, reduce_f32)
DEFINE_REDUCE(double, 1.2e-16, reduce_f64)

static void all(const char *device, uint32_t flags, const char *where)
{
	sov_context c = context_on(device, 0);
	sov_module saxpy = module_from(c, saxpy_text, saxpy_bytes, flags);
	sov_module reduce = module_from(c, reduce_text, reduce_bytes, flags);

	saxpy_f32(c, saxpy, 1, 32, where);
	saxpy_f32(c, saxpy, 1000, 256, where); /* the last block is partial */
	saxpy_f32(c, saxpy, 4099, 96, where);
	saxpy_f64(c, saxpy, 1000, 128, where);
	saxpy_f64(c, saxpy, 37, 33, where); /* the last warp is partial */
	reduce_f32(c, reduce, 3000, 4, 256, true, where);
	reduce_f32(c, reduce, 5000, 3, 1024, false, where);
	reduce_f32(c, reduce, 7, 1, 32, true, where);
	reduce_f64(c, reduce, 3000, 4, 128, true, where);
	reduce_f64(c, reduce, 2500, 5, 64, false, where);
	good(sov_module_unload(saxpy), "a module can be unloaded after its kernels ran");
	MUST(sov_context_destroy(c)); /* while the other module is loaded */
}

int main(void)
{
	soft_gpus("gh100:vram=256M,ga100:vram=256M,gh100:vram=256M:hazard,ga100:vram=256M:hazard");
	random_seed();
	saxpy_text = read_file("tests/kernels/saxpy.ptx", &saxpy_bytes);
	reduce_text = read_file("tests/kernels/reduce.ptx", &reduce_bytes);
	all("gh100.0", 0, "Hopper");
	all("gh100.0", SOV_MODULE_SERIAL, "Hopper, serial");
	all(software(2), 0, "Hopper, hazard mode");
	all(software(2), SOV_MODULE_SERIAL, "Hopper, hazard mode, serial");
	all("ga100.0", 0, "Ampere");
	all("ga100.0", SOV_MODULE_SERIAL, "Ampere, serial");
	all(software(3), 0, "Ampere, hazard mode");
	all(software(3), SOV_MODULE_SERIAL, "Ampere, hazard mode, serial");
	free(saxpy_text);
	free(reduce_text);
	return tap_done();
}
