/* SPDX-License-Identifier: MIT */
/*
 * Runs saxpy and reduce of tests/kernels from a loaded image, of any compiler, through the public
 * API with random inputs in guarded buffers.
 */
#ifndef TESTS_KERNELS_RUN_H
#define TESTS_KERNELS_RUN_H

#include "libsov/sov.h"
#include "tests/silicon/reference.h"

static uint64_t rng = 20260102;
static char why[WHY + 256]; /* message of the last failure */

static bool must(sov_result r, const char *doing)
{
	if (r)
		snprintf(why, sizeof(why), "%s: %s: %s", doing, sov_result_name(r), sov_last_error());
	return !r;
}

static void *read_file(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	char *data = malloc(1 << 22);

	*size = f && data ? fread(data, 1, 1 << 22, f) : 0;
	if (f)
		fclose(f);
	return data;
}

static bool buffer_new(sov_context c, struct guarded *g, unsigned bytes, uint64_t n, enum inputs kind)
{
	*g = guarded_new(&rng, bytes, n, kind);
	return must(sov_memory_alloc(c, guarded_bytes(g), &g->base), "allocating") &&
	       must(sov_memory_copy(c, g->base, SOV_HOST(g->words), guarded_bytes(g)), "copying to the device");
}

/* In a failed context the free has no effect; destroying the context frees the memory. */
static void buffer_free(sov_context c, struct guarded *g)
{
	if (g->base)
		sov_memory_free(c, g->base);
	free(g->words);
}

static bool launch(sov_context c, sov_function f, struct shape s, const void **arguments, uint32_t count,
		   struct guarded *out)
{
	sov_launch l = SOV_INIT(sov_launch);

	l.grid[0] = s.grid, l.grid[1] = l.grid[2] = 1;
	l.block[0] = s.block, l.block[1] = l.block[2] = 1;
	l.arguments = arguments;
	l.argument_count = count;
	return must(sov_function_launch(f, &l), "launching") &&
	       must(sov_context_wait(c, SOV_FOREVER), "running") &&
	       must(sov_memory_copy(c, SOV_HOST(out->words), out->base, guarded_bytes(out)), "copying to the host");
}

static bool run_saxpy(sov_context c, sov_function f, unsigned bytes, uint32_t n, unsigned block)
{
	struct shape s = {(n + block - 1) / block, block};
	struct guarded x = {0}, y = {0};
	double a = draw(&rng, ROUGH);
	float narrow = (float)a;
	void *before = malloc((size_t)n * bytes);
	bool good = buffer_new(c, &x, bytes, n, ROUGH) && buffer_new(c, &y, bytes, n, ROUGH);

	if (good) {
		uint64_t at_x = guarded_address(&x), at_y = guarded_address(&y);
		const void *arguments[] = {&n, bytes == 4 ? (void *)&narrow : (void *)&a, &at_x, &at_y};

		memcpy(before, guarded_elements(&y), (size_t)n * bytes);
		good = launch(c, f, s, arguments, 4, &y) && saxpy_right(&x, before, &y, a, why);
	}
	free(before);
	buffer_free(c, &x);
	buffer_free(c, &y);
	return good;
}

static bool run_reduce(sov_context c, sov_function f, unsigned bytes, uint32_t n, struct shape s,
		       enum inputs kind)
{
	struct guarded x = {0}, out = {0};
	bool good = buffer_new(c, &x, bytes, n, kind) && buffer_new(c, &out, bytes, 1, kind);

	if (good) {
		uint64_t at_x = guarded_address(&x), at_out = guarded_address(&out);
		const void *arguments[] = {&n, &at_x, &at_out};
		double start = get(guarded_elements(&out), bytes, 0);

		good = launch(c, f, s, arguments, 3, &out) &&
		       reduce_right(&x, start, &out, s, kind, why);
	}
	buffer_free(c, &x);
	buffer_free(c, &out);
	return good;
}

#endif
