// SPDX-License-Identifier: MIT
/*
 * Lazy compilation: the time from a module's text to the first kernel that can be launched, and to
 * all kernels. The module has 100 kernels (renamed copies of tests/kernels), compiled on demand,
 * all at once by one thread, by two, and by one thread per processor. Without the cache; medians of
 * rounds that alternate between the methods.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "libsov/compiler/driver/compiler.h"

#define KERNELS 100
#define ROUNDS  7

static const char *const sources[] = {"attention", "fft",     "layernorm", "nbody",
				      "sgemm",     "stencil", "su3"};
enum { SOURCES = sizeof(sources) / sizeof(sources[0]) };

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}

static char *read_source(const char *name)
{
	char path[64], *text = calloc(1, 1 << 20);
	FILE *f;

	snprintf(path, sizeof(path), "tests/kernels/%s.ptx", name);
	f = fopen(path, "rb");
	if (!f || !text || !fread(text, 1, (1 << 20) - 1, f)) {
		fprintf(stderr, "lazy: '%s' cannot be read; run in the root of the sources\n",
			path);
		exit(1);
	}
	fclose(f);
	return text;
}

/* Appends a source without its header; numbers every occurrence of the kernel's name. */
static void add_copy(FILE *out, const char *text, const char *name, unsigned number)
{
	const char *at = strstr(text, ".address_size 64"), *next;

	for (at += strlen(".address_size 64"); (next = strstr(at, name)); at = next + strlen(name))
		fprintf(out, "%.*s%s%u", (int)(next - at), at, name, number);
	fputs(at, out);
}

static char *make_module(size_t *bytes)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, bytes);

	fputs(".version 8.0\n.target sm_80\n.address_size 64\n", out);
	for (unsigned k = 0; k < KERNELS; k++) {
		char *source = read_source(sources[k % SOURCES]);

		add_copy(out, source, sources[k % SOURCES], k);
		free(source);
	}
	fclose(out);
	return text;
}

static int compare_times(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *times)
{
	qsort(times, ROUNDS, sizeof(*times), compare_times);
	return times[ROUNDS / 2];
}

static void must(bool good, const struct compile_result *r)
{
	if (good)
		return;
	fprintf(stderr, "lazy: %s", r->messages);
	exit(1);
}

/* Compiles the module's head and one kernel, then the other kernels. */
static void compile_lazily(const char *text, size_t bytes, double *first, double *all)
{
	struct compile_options o = {.target = "sm_90"};
	struct compile_result r;
	double start = now_ms();
	struct compilation *c = compilation_open(text, bytes, &o, &r);

	must(c, &r);
	compile_result_free(&r);
	must(compilation_head(c, &r), &r);
	compile_result_free(&r);
	for (uint32_t k = 0; k < compilation_units(c); k++) {
		must(compilation_unit(c, k, &r), &r);
		compile_result_free(&r);
		if (!k)
			*first = now_ms() - start;
	}
	*all = now_ms() - start;
	compilation_close(c);
}

static double compile_all(const char *text, size_t bytes, uint32_t threads)
{
	struct compile_options o = {.target = "sm_90", .threads = threads};
	struct compile_result r;
	double start = now_ms();

	must(compile(text, bytes, &o, &r), &r);
	compile_result_free(&r);
	return now_ms() - start;
}

int main(void)
{
	double first[ROUNDS], lazy[ROUNDS], one[ROUNDS], two[ROUNDS], all[ROUNDS];
	size_t bytes;
	char *text = make_module(&bytes);

	for (int k = 0; k < ROUNDS; k++) {
		compile_lazily(text, bytes, &first[k], &lazy[k]);
		one[k] = compile_all(text, bytes, 1);
		two[k] = compile_all(text, bytes, 2);
		all[k] = compile_all(text, bytes, 0);
	}
	printf("a module of %d kernels, %zu bytes of PTX, milliseconds to:\n", KERNELS, bytes);
	printf("  the first kernel, compiled on demand          %8.2f\n", median(first));
	printf("  all kernels, compiled on demand               %8.2f\n", median(lazy));
	printf("  all kernels at once by one thread (-j1)       %8.2f\n", median(one));
	printf("  all kernels at once by two threads (-j2)      %8.2f\n", median(two));
	printf("  all kernels at once, one thread per processor %8.2f\n", median(all));
	free(text);
	return 0;
}
