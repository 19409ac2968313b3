// SPDX-License-Identifier: MIT
/*
 * make bench: times of operations that users wait for, on this machine. Medians of BENCH_REPEATS
 * (31) runs; no figure is asserted.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "libsov/compiler/driver/compiler.h"
#include "libsov/sov.h"

enum { MAX_REPEATS = 1001 };
static unsigned repeats = 31;

static double now_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Median seconds of a call, after one warm-up call. */
static double median(void (*call)(void *data), void *data)
{
	static double times[MAX_REPEATS];

	call(data);
	for (unsigned i = 0; i < repeats; i++) {
		double start = now_seconds();

		call(data);
		times[i] = now_seconds() - start;
	}
	qsort(times, repeats, sizeof(*times), by_value);
	return times[repeats / 2];
}

static char *read_file(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	char *text = malloc(1 << 20);

	*size = f && text ? fread(text, 1, 1 << 20, f) : 0;
	if (!*size) {
		fprintf(stderr, "bench: cannot read %s; run it from the root of the sources\n",
			path);
		exit(1);
	}
	fclose(f);
	return text;
}

static void must(sov_result r, const char *doing)
{
	if (r) {
		fprintf(stderr, "bench: %s: %s: %s\n", doing, sov_result_name(r), sov_last_error());
		exit(1);
	}
}

/* ---- the compiler ---- */

struct compilation {
	const char *text;
	size_t size;
	struct compile_options options;
};

static void compile_once(void *data)
{
	struct compilation *c = data;
	struct compile_result r = {0};

	if (!compile(c->text, c->size, &c->options, &r)) {
		fprintf(stderr, "bench: %s", r.messages);
		exit(1);
	}
	compile_result_free(&r);
}

static void bench_compiler(const char *path)
{
	static const char *const targets[] = {"sm_90", "sm_80"};
	struct compilation c = {.options = {.source = COMPILE_PTX}};
	char *text = read_file(path, &c.size);

	c.text = text;
	for (unsigned i = 0; i < 2; i++) {
		c.options.target = targets[i];
		printf("compile %-26s %s %10.3f ms\n", path, targets[i],
		       median(compile_once, &c) * 1e3);
	}
	free(text);
}

/* ---- launches on device 0 ---- */

struct job {
	sov_context context;
	sov_function function;
	sov_launch launch;
};

static void launch_and_wait(void *data)
{
	struct job *j = data;

	must(sov_function_launch(j->function, &j->launch), "launching");
	must(sov_context_wait(j->context, SOV_FOREVER), "running");
}

static sov_function load_kernel(sov_context context, const char *path, const char *kernel)
{
	sov_module module;
	sov_function function;
	size_t size;
	char *text = read_file(path, &size);

	must(sov_module_load(context, text, size, NULL, &module), path);
	must(sov_module_get_function(module, kernel, &function), kernel);
	free(text);
	return function;
}

static sov_ptr alloc_zeroed(sov_context context, uint64_t bytes)
{
	sov_ptr p;

	must(sov_memory_alloc(context, bytes, &p), "allocating");
	must(sov_memory_fill(context, p, 0, 4, bytes / 4), "filling");
	return p;
}

static void bench_kernel(sov_context context, const char *path, const char *kernel, uint32_t n,
			 unsigned grid)
{
	float a = 2;
	sov_ptr x = alloc_zeroed(context, (uint64_t)n * 8),
		y = alloc_zeroed(context, (uint64_t)n * 8);
	const void *saxpy[] = {&n, &a, &x, &y}, *reduce[] = {&n, &x, &y};
	bool is_saxpy = !strncmp(kernel, "saxpy", 5);
	struct job j = {context, load_kernel(context, path, kernel), SOV_INIT(sov_launch)};

	j.launch.grid[0] = grid, j.launch.grid[1] = j.launch.grid[2] = 1;
	j.launch.block[0] = 256, j.launch.block[1] = j.launch.block[2] = 1;
	j.launch.arguments = is_saxpy ? saxpy : reduce;
	j.launch.argument_count = is_saxpy ? 4 : 3;
	double seconds = median(launch_and_wait, &j);

	printf("run     %-12s n = %-8u grid %-5u %10.3f ms %8.1f M elements/s\n", kernel, n, grid,
	       seconds * 1e3, n / seconds / 1e6);
	must(sov_memory_free(context, x), "freeing");
	must(sov_memory_free(context, y), "freeing");
}

int main(void)
{
	sov_device_properties p = SOV_INIT(sov_device_properties);
	const char *repeats_text = getenv("BENCH_REPEATS");
	sov_device device;
	sov_context context;

	if (repeats_text && atoi(repeats_text) > 0 && atoi(repeats_text) < MAX_REPEATS)
		repeats = atoi(repeats_text);
	bench_compiler("tests/kernels/saxpy.ptx");
	bench_compiler("tests/kernels/reduce.ptx");
	must(sov_device_open(0, &device), "opening device 0");
	must(sov_device_get_properties(device, &p), "getting the device's properties");
	must(sov_context_create(device, NULL, &context), "creating a context");
	printf("device  %s, %s, by %s\n", p.name, p.product, p.winsys);
	bench_kernel(context, "tests/kernels/saxpy.ptx", "saxpy_f32", 1, 1);
	bench_kernel(context, "tests/kernels/saxpy.ptx", "saxpy_f32", 1 << 20, 4096);
	bench_kernel(context, "tests/kernels/reduce.ptx", "reduce_f32", 1 << 20, 64);
	bench_kernel(context, "tests/kernels/reduce.ptx", "reduce_f64", 1 << 20, 64);
	must(sov_context_destroy(context), "destroying the context");
	printf("medians of %u\n", repeats);
	return 0;
}
