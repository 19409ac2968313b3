// SPDX-License-Identifier: MIT
/*
 * Which latencies does the hardware need? For each pair of a producer and a consumer
 * (latency_pairs.h), the kernel runs at the distance of sass_latency.c and at shorter ones down to
 * one cycle, several times; results that differ from those at a long distance are wrong. Prints a
 * table: the distance of our table, the shortest one at which every result was right, and how many
 * of the results were wrong one cycle below our table.
 *
 * A pair that is wrong at our distance is a defect (exit status 1). A pair that is right one cycle
 * below it shows that this unit waits by itself, or that the figure could be smaller on this chip;
 * one run on one GPU does not prove the latter.
 *   usage: latency_distance        needs a Hopper GPU with NVIDIA's driver
 */
#include "tests/silicon/driver.h"
#include "tests/silicon/latency_pairs.h"

#define RUNS 20

static uint32_t input[PAIR_THREADS * PAIR_WORDS], output[PAIR_THREADS * PAIR_WORDS],
	expected[PAIR_THREADS * PAIR_WORDS];
static struct patched_image image;
static cuda_ptr buffer;
static uint32_t wrong_pairs, needed, right_below;

static void run_once(cuda_handle f, uint32_t *result)
{
	void *arguments[] = {&buffer};

	must(cuMemcpyHtoD_v2(buffer, input, sizeof(input)), "copying in");
	must(cuLaunchKernel(f, 1, 1, 1, PAIR_THREADS, 1, 1, 0, NULL, arguments, NULL), "launching");
	must(cuCtxSynchronize(), "running");
	must(cuMemcpyDtoH_v2(result, buffer, sizeof(input)), "copying out");
}

/* Returns the number of wrong results of all runs. */
static uint32_t count_wrong(const struct pair *p, uint32_t distance, bool reference)
{
	cuda_handle module, f;
	uint32_t wrong = 0;

	if (!patch_pair(&image, p, distance))
		exit(EXIT_BROKEN);
	must(cuModuleLoadData(&module, image.bytes), "loading");
	must(cuModuleGetFunction(&f, module, PATCHED_KERNEL), "finding the kernel");
	for (int run = 0; run < (reference ? 1 : RUNS); run++) {
		run_once(f, reference ? expected : output);
		for (uint32_t i = 0; !reference && i < PAIR_THREADS; i++)
			wrong += memcmp(output + i * PAIR_WORDS, expected + i * PAIR_WORDS,
					4 * PAIR_WORDS) != 0;
	}
	must(cuModuleUnload(module), "unloading");
	return wrong;
}

static void measure_pair(const struct pair *p, void *state)
{
	uint32_t below = 0, shortest = p->distance, d;

	(void)state;
	count_wrong(p, LONG_DISTANCE, true);
	if (count_wrong(p, p->distance, false)) {
		wrong_pairs++;
		shortest = p->distance + 1;
	}
	for (d = p->distance - 1; d >= 1; d--) {
		uint32_t wrong = count_wrong(p, d, false);

		below = d + 1 == p->distance ? wrong : below;
		if (wrong)
			break;
		shortest = d;
	}
	needed += below > 0;
	right_below += !below;
	printf("%-10s R%-2u %-18s ours %2u  shortest right %2u  wrong one below %4u of %u%s\n",
	       p->from->name, p->reg, p->to->name, p->distance, shortest, below,
	       RUNS * PAIR_THREADS, shortest > p->distance ? "  TOO SHORT" : "");
	fflush(stdout);
}

int main(void)
{
	struct cuda_device device = cuda_open();
	uint32_t pairs;

	if (!open_patched_image(&image))
		return EXIT_BROKEN;
	must(cuMemAlloc_v2(&buffer, sizeof(input)), "allocating");
	fill_inputs(input);
	printf("latency_distance: %s, compute capability %d.%d\n", device.name, device.major,
	       device.minor);
	pairs = for_each_pair(measure_pair, NULL);
	printf("latency_distance: %u pairs: %u are wrong at our distance; one cycle below it %u "
	       "are "
	       "wrong and %u are right\n",
	       pairs, wrong_pairs, needed, right_below);
	return wrong_pairs ? EXIT_WRONG : 0;
}
