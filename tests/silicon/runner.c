// SPDX-License-Identifier: MIT
/*
 * Checks cubins of saxpy and reduce on a real GPU. They run on random inputs in buffers with
 * poisoned guards, and every element is compared with a CPU reference (reference.h). Then all
 * variants are timed in one run.
 *
 *   runner [--seed N] [--small] [--no-timing] VARIANT...
 *
 * A variant names a compilation mode: files saxpy.VARIANT.cubin and reduce.VARIANT.cubin in the
 * current folder. The first is compared with the others. --small limits sizes for a software GPU.
 * Ends with a line "kernels: N right, N wrong" and the table of times. Exit status 0: every value
 * is right; 1: some are wrong; 2: the test could not run.
 */
#define _GNU_SOURCE
#include <time.h>
#include <unistd.h>
#include "driver.h"
#include "reference.h"

#define TIME_LIMIT 480 /* seconds for the whole run, should the GPU hang */

/* ---- kernels and variants ---- */

enum { VARIANTS = 8 };
static const char *variants[VARIANTS];
static unsigned nvariants;
static cuda_handle functions[VARIANTS][KERNELS];
static unsigned sm_count;
static uint64_t checks, wrong;

static void *read_file(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	void *data = NULL;

	*size = 0;
	if (f && !fseek(f, 0, SEEK_END) && (*size = ftell(f)) && !fseek(f, 0, SEEK_SET) &&
	    (data = malloc(*size)) && fread(data, 1, *size, f) == *size) {
		fclose(f);
		return data;
	}
	printf("BROKEN cannot read %s\n", path);
	exit(EXIT_BROKEN);
}

static void load_variant(unsigned v)
{
	for (unsigned k = 0; k < KERNELS; k++) {
		char path[256];
		cuda_handle module;
		size_t size;

		snprintf(path, sizeof(path), "%s.%s.cubin", kernels[k].file, variants[v]);
		void *image = read_file(path, &size);

		must(cuModuleLoadData(&module, image), path);
		must(cuModuleGetFunction(&functions[v][k], module, kernels[k].name),
		     kernels[k].name);
		free(image);
	}
}

/* ---- buffers ---- */

static uint64_t rng;

static struct guarded buffer_new(unsigned bytes, uint64_t n, enum inputs kind)
{
	struct guarded g = guarded_new(&rng, bytes, n, kind);

	must(cuMemAlloc_v2(&g.base, guarded_bytes(&g)), "allocating");
	must(cuMemcpyHtoD_v2(g.base, g.words, guarded_bytes(&g)), "copying to the GPU");
	return g;
}
static void buffer_fetch(struct guarded *g)
{
	must(cuMemcpyDtoH_v2(g->words, g->base, guarded_bytes(g)), "copying from the GPU");
}
static void buffer_free(struct guarded *g)
{
	must(cuMemFree_v2(g->base), "freeing");
	free(g->words);
}

/* ---- launches ---- */

static void launch(unsigned v, unsigned k, struct shape s, uint32_t n, double a, cuda_ptr x,
		   cuda_ptr y)
{
	float narrow = (float)a;
	void *scale = kernels[k].bytes == 4 ? (void *)&narrow : (void *)&a;
	void *saxpy[] = {&n, scale, &x, &y}, *reduce[] = {&n, &x, &y};

	must(cuLaunchKernel(functions[v][k], s.grid, 1, 1, s.block, 1, 1, 0, NULL,
			    kernels[k].algorithm == SAXPY ? saxpy : reduce, NULL),
	     "launching");
}

static void report(unsigned v, unsigned k, struct shape s, uint64_t n, bool good, const char *why)
{
	checks++;
	wrong += !good;
	if (!good)
		printf("WRONG %s %s n=%" PRIu64 " grid=%u block=%u: %s\n", kernels[k].name,
		       variants[v], n, s.grid, s.block, why);
}

static void check_saxpy(unsigned v, unsigned k, uint64_t n, unsigned block)
{
	unsigned bytes = kernels[k].bytes;
	struct shape s = {(unsigned)((n + block - 1) / block), block};
	struct guarded x = buffer_new(bytes, n, ROUGH), y = buffer_new(bytes, n, ROUGH);
	double a = draw(&rng, ROUGH);
	void *before = malloc(n * bytes);
	char why[WHY];

	if (!before)
		exit(EXIT_BROKEN);
	memcpy(before, guarded_elements(&y), n * bytes);
	launch(v, k, s, (uint32_t)n, a, guarded_address(&x), guarded_address(&y));
	must(cuCtxSynchronize(), kernels[k].name);
	buffer_fetch(&y);
	report(v, k, s, n, saxpy_right(&x, before, &y, a, why), why);
	free(before);
	buffer_free(&x);
	buffer_free(&y);
}

static void check_reduce(unsigned v, unsigned k, uint64_t n, struct shape s, enum inputs kind)
{
	unsigned bytes = kernels[k].bytes;
	struct guarded x = buffer_new(bytes, n, kind), out = buffer_new(bytes, 1, kind);
	double start = get(guarded_elements(&out), bytes, 0);
	char why[WHY];

	launch(v, k, s, (uint32_t)n, 0, guarded_address(&x), guarded_address(&out));
	must(cuCtxSynchronize(), kernels[k].name);
	buffer_fetch(&out);
	report(v, k, s, n, reduce_right(&x, start, &out, s, kind, why), why);
	buffer_free(&x);
	buffer_free(&out);
}

/* ---- checks, then times ---- */

static void check_all(bool small)
{
	static const unsigned saxpy_blocks[] = {256, 1024, 1, 7, 33, 100, 1023};
	static const struct shape reduce_shapes[] = {
		{1, 32}, {1, 1024}, {7, 96}, {132, 256}, {61, 480}, {1000, 64},
	};
	static const uint64_t sizes[] = {1,    2,    31,    32,      33,      255,
					 1000, 4097, 65536, 1000003, 16 << 20};
	unsigned nsizes = small ? 8 : sizeof(sizes) / sizeof(*sizes);
	unsigned nshapes = small ? 3 : sizeof(reduce_shapes) / sizeof(*reduce_shapes);

	for (unsigned v = 0; v < nvariants; v++)
		for (unsigned k = 0; k < KERNELS; k++) {
			uint64_t before = checks, bad = wrong;

			for (unsigned i = 0; i < nsizes && kernels[k].algorithm == SAXPY; i++)
				for (unsigned b = 0; b < sizeof(saxpy_blocks) / sizeof(unsigned);
				     b++)
					check_saxpy(v, k, sizes[i], saxpy_blocks[b]);
			for (unsigned i = 0; i < nsizes && kernels[k].algorithm == REDUCE; i++)
				for (unsigned b = 0; b < nshapes; b++) {
					check_reduce(v, k, sizes[i], reduce_shapes[b], ROUGH);
					if (sizes[i] <= 1000003)
						check_reduce(v, k, sizes[i], reduce_shapes[b],
							     EXACT);
				}
			printf("%-10s %-8s %4" PRIu64 " runs, %" PRIu64 " wrong\n", kernels[k].name,
			       variants[v], checks - before, wrong - bad);
		}
}

static struct shape timing_shape(unsigned k, uint64_t n)
{
	return kernels[k].algorithm == SAXPY ? (struct shape){(unsigned)((n + 255) / 256), 256}
					     : (struct shape){sm_count * 8, 256};
}

static int by_value(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return (x > y) - (x < y);
}

enum { REPEATS = 61, WARM_UP = 5 };
/* Medians in microseconds; alternates between the variants, so that clocks and heat affect all. */
static void time_kernel(unsigned k, uint64_t n, unsigned repeats, float median[VARIANTS])
{
	unsigned bytes = kernels[k].bytes;
	struct guarded x = buffer_new(bytes, n, ROUGH);
	struct guarded y = buffer_new(bytes, kernels[k].algorithm == SAXPY ? n : 1, ROUGH);
	static float times[VARIANTS][REPEATS];
	cuda_handle from, to;

	must(cuEventCreate(&from, 0), "creating an event");
	must(cuEventCreate(&to, 0), "creating an event");
	for (unsigned r = 0; r < repeats + WARM_UP; r++)
		for (unsigned position = 0; position < nvariants; position++) {
			unsigned v = (position + r) % nvariants;
			float milliseconds;

			must(cuEventRecord(from, NULL), "recording");
			launch(v, k, timing_shape(k, n), (uint32_t)n, 1e-3, guarded_address(&x),
			       guarded_address(&y));
			must(cuEventRecord(to, NULL), "recording");
			must(cuEventSynchronize(to), kernels[k].name);
			must(cuEventElapsedTime(&milliseconds, from, to), "timing");
			if (r >= WARM_UP)
				times[v][r - WARM_UP] = milliseconds * 1000;
		}
	for (unsigned v = 0; v < nvariants; v++) {
		qsort(times[v], repeats, sizeof(float), by_value);
		median[v] = times[v][repeats / 2];
	}
	buffer_free(&x);
	buffer_free(&y);
}

static void time_all(bool small)
{
	float median[KERNELS][VARIANTS];
	uint64_t elements_of[KERNELS];

	for (unsigned k = 0; k < KERNELS; k++) {
		elements_of[k] = small                           ? 4096
				 : kernels[k].algorithm == SAXPY ? 64 << 20
								 : 256 << 20;
		time_kernel(k, elements_of[k], small ? 3 : REPEATS, median[k]);
	}
	printf("\n| %-10s | %9s |", "kernel", "elements");
	for (unsigned v = 0; v < nvariants; v++)
		printf(" %8s us | GB/s |", variants[v]);
	for (unsigned v = 1; v < nvariants; v++)
		printf(" %s/%s |", variants[v], variants[0]);
	printf("\n|---|---|");
	for (unsigned v = 0; v < 3 * nvariants - 1; v++)
		printf("---|");
	printf("\n");
	for (unsigned k = 0; k < KERNELS; k++) {
		double traffic = (double)elements_of[k] * kernels[k].bytes *
				 (kernels[k].algorithm == SAXPY ? 3 : 1);

		printf("| %-10s | %9" PRIu64 " |", kernels[k].name, elements_of[k]);
		for (unsigned v = 0; v < nvariants; v++)
			printf(" %11.1f | %4.0f |", median[k][v], traffic / median[k][v] / 1e3);
		for (unsigned v = 1; v < nvariants; v++)
			printf(" %*.3f |", (int)(strlen(variants[v]) + strlen(variants[0]) + 1),
			       median[k][v] / median[k][0]);
		printf("\n");
	}
	printf("\nMedians of %d after %d warm-up runs, by CUDA events; ratio above 1: %s is "
	       "faster.\n",
	       small ? 3 : REPEATS, WARM_UP, variants[0]);
}

int main(int argc, char **argv)
{
	struct cuda_device d;
	struct timespec t;
	bool small = false, timing = true;

	clock_gettime(CLOCK_REALTIME, &t);
	rng = (uint64_t)t.tv_sec * 1000000007 ^ (uint64_t)t.tv_nsec;
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--small"))
			small = true;
		else if (!strcmp(argv[i], "--no-timing"))
			timing = false;
		else if (!strcmp(argv[i], "--seed") && i + 1 < argc)
			rng = strtoull(argv[++i], NULL, 0);
		else if (nvariants < VARIANTS && argv[i][0] != '-')
			variants[nvariants++] = argv[i];
		else
			nvariants = 0, i = argc;
	}
	if (!nvariants) {
		fprintf(stderr, "usage: runner [--seed N] [--small] [--no-timing] VARIANT...\n");
		return EXIT_BROKEN;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	limit_time(TIME_LIMIT);
	d = cuda_open();
	sm_count = d.sm_count;
	printf("%s, sm_%d%d, %d SMs, CUDA driver API %d.%d, seed %" PRIu64 "\n", d.name, d.major,
	       d.minor, d.sm_count, d.version / 1000, d.version % 1000 / 10, rng);
	for (unsigned v = 0; v < nvariants; v++)
		load_variant(v);
	check_all(small);
	printf("kernels: %" PRIu64 " right, %" PRIu64 " wrong\n", checks - wrong, wrong);
	if (timing && !wrong)
		time_all(small);
	return wrong ? EXIT_WRONG : 0;
}
