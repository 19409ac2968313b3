// SPDX-License-Identifier: MIT
/*
 * Times the kernels of contention.cu from several cubins, which alternate, and checks every result:
 * inputs are small integers, so that sums are exact in any order. Prints a line per kernel with the
 * median of each cubin and the first one's time divided by the others'.
 *   contention FIRST.cubin OTHER.cubin...
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include "driver.h"

#define MAX_CUBINS 4
#define ROUNDS     15
#define WORDS      (1u << 22)
#define OUT_BYTES  (2u << 20)

struct kernel {
	const char *name;
	unsigned grid, block;
	int n;
	unsigned bins, scale; /* 0 bins: see expected() */
	bool wide;
};

static const struct kernel kernels[] = {
	{"one_bin_f32", 132, 256, 16, 1, 7, false},
	{"bins_32_f32", 132, 256, 64, 32, 7, false},
	{"bins_1024_f32", 132, 256, 64, 1024, 2654435761u, false},
	{"one_bin_f64", 132, 256, 16, 1, 7, true},
	{"bins_1024_f64", 132, 256, 64, 1024, 2654435761u, true},
	{"last_block_sum", 1024, 256, 1 << 20, 0, 0, false},
	{"last_block_sum", 8192, 256, 1 << 22, 0, 0, false},
	{"fences_gpu", 132, 32, 1000, 0, 0, false},
	{"fences_block", 132, 1024, 1000, 0, 0, false},
};

static double *values; /* the input */

static double expected(const struct kernel *k, unsigned at)
{
	double sum = 0;

	if (!k->bins && !strcmp(k->name, "last_block_sum")) {
		for (int i = 0; i < k->n; i++)
			sum += values[i];
		return sum;
	}
	if (!k->bins)
		return values[k->n - 1];
	for (int i = 0; i < k->n; i++)
		for (unsigned t = 0; t < k->block; t++)
			if ((t * k->scale + (unsigned)i * 40503u) / 64 % k->bins == at % k->bins)
				sum += values[t + (unsigned)i * k->block];
	return sum;
}

static bool result_is_right(const struct kernel *k, cuda_ptr out)
{
	static uint8_t bytes[OUT_BYTES];
	unsigned checked = k->bins ? 2 * k->bins : 1;

	must(cuMemcpyDtoH_v2(bytes, out, sizeof(bytes)), "reading the result");
	for (unsigned i = 0; i < checked; i++) {
		double value = k->wide ? ((double *)(void *)bytes)[i]
				       : (double)((float *)(void *)bytes)[i];

		if (value != expected(k, i)) {
			printf("WRONG %s: word %u is %g, not %g\n", k->name, i, value,
			       expected(k, i));
			return false;
		}
	}
	return true;
}

static int compare_floats(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return x < y ? -1 : x > y;
}

static void *read_file(const char *name)
{
	FILE *file = fopen(name, "rb");
	char *data = calloc(1, 16u << 20);

	if (!file || !data || !fread(data, 1, 16u << 20, file)) {
		printf("BROKEN cannot read %s\n", name);
		exit(EXIT_BROKEN);
	}
	fclose(file);
	return data;
}

int main(int argc, char **argv)
{
	cuda_ptr in[2], out, count;
	cuda_handle module[MAX_CUBINS], from, to;
	unsigned cubins = argc - 1 < MAX_CUBINS ? (unsigned)(argc - 1) : MAX_CUBINS;
	float *narrow = calloc(WORDS, sizeof(*narrow)), ms[MAX_CUBINS][ROUNDS];
	bool right = true;

	values = calloc(WORDS, sizeof(*values));
	if (!cubins || !narrow || !values)
		return EXIT_BROKEN;
	for (unsigned i = 0; i < WORDS; i++) {
		values[i] = (i * 2654435761u >> 28) - 7.0;
		narrow[i] = (float)values[i];
	}
	cuda_open();
	must(cuMemAlloc_v2(&in[0], WORDS * sizeof(float)), "allocating");
	must(cuMemAlloc_v2(&in[1], WORDS * sizeof(double)), "allocating");
	must(cuMemAlloc_v2(&out, OUT_BYTES), "allocating");
	must(cuMemAlloc_v2(&count, 4), "allocating");
	must(cuMemcpyHtoD_v2(in[0], narrow, WORDS * sizeof(float)), "copying");
	must(cuMemcpyHtoD_v2(in[1], values, WORDS * sizeof(double)), "copying");
	must(cuEventCreate(&from, 0), "creating an event");
	must(cuEventCreate(&to, 0), "creating an event");
	for (unsigned c = 0; c < cubins; c++)
		must(cuModuleLoadData(&module[c], read_file(argv[1 + c])), argv[1 + c]);
	for (unsigned i = 0; i < sizeof(kernels) / sizeof(*kernels); i++) {
		const struct kernel *k = &kernels[i];
		int n = k->n;
		void *arguments[] = {&in[k->wide], &n, &out, &count};

		for (unsigned r = 0; r < ROUNDS * cubins; r++) {
			cuda_handle function;

			must(cuModuleGetFunction(&function, module[r % cubins], k->name), k->name);
			must(cuMemsetD32Async(out, 0x7fc00000, OUT_BYTES / 4, NULL), "poisoning");
			must(cuMemsetD32Async(count, 0, 1, NULL), "clearing");
			must(cuEventRecord(from, NULL), "recording");
			must(cuLaunchKernel(function, k->grid, 1, 1, k->block, 1, 1, 0, NULL,
					    arguments, NULL),
			     k->name);
			must(cuEventRecord(to, NULL), "recording");
			must(cuEventSynchronize(to), k->name);
			must(cuEventElapsedTime(&ms[r % cubins][r / cubins], from, to), "timing");
			if (r < cubins)
				right &= result_is_right(k, out);
		}
		printf("%-15s %5u x %4u", k->name, k->grid, k->block);
		for (unsigned c = 0; c < cubins; c++)
			qsort(ms[c], ROUNDS, sizeof(**ms), compare_floats);
		for (unsigned c = 0; c < cubins; c++)
			printf(" %9.2f us", 1000 * (double)ms[c][ROUNDS / 2]);
		for (unsigned c = 1; c < cubins; c++)
			printf(" %6.2f", (double)(ms[0][ROUNDS / 2] / ms[c][ROUNDS / 2]));
		printf("\n");
	}
	printf("contention: %s\n", right ? "every value is right" : "WRONG values");
	return right ? 0 : EXIT_WRONG;
}
