// SPDX-License-Identifier: MIT
/*
 * Random PTX kernels (_random.h) do the same as machine code, on every software GPU and in every
 * mode, as on the IR interpreter.
 *
 *	random_kernels [FIRST [COUNT]]     the numbers of the kernels; one alone is printed
 *	random_kernels turns FIRST COUNT   each in one mode on one chip, in turns: for many kernels
 *	random_kernels shrink NUMBER       prints what is left of a kernel that fails when every line that
 *	                                   does not matter is taken away
 *
 * SOV_TEST_KERNELS in the environment says how many to try instead of the usual number.
 */
#include <time.h>
#include "tests/userspace/compiler/_random.h"

#define USUAL_COUNT (40 / TAP_SLOWNESS)

static void try_kernel(uint64_t number, bool print)
{
	uint32_t threads;
	char *ptx = random_ptx(number, &threads);

	if (print)
		printf("%s", ptx);
	agree_inputs(number, threads);
	ok(agree_interpret(ptx) && agree_everywhere(ptx), "random kernel %llu", (unsigned long long)number);
	free(ptx);
}

/* All modes on all chips take turns; at the end, how many kernels each had and how long one took. */
static int take_turns(uint64_t first, uint64_t count)
{
	uint64_t had[AGREE_DEVICES][AGREE_MODES] = {{0}}, good[AGREE_DEVICES][AGREE_MODES] = {{0}}, bad = 0;
	clock_t start = clock();

	for (uint64_t number = first; number < first + count; number++) {
		uint32_t n = number % AGREE_DEVICES, mode = number / AGREE_DEVICES % AGREE_MODES, threads;
		char *ptx = random_ptx(number, &threads);

		agree_inputs(number, threads);
		had[n][mode]++;
		if (agree_interpret(ptx) && agree_device(n, ptx, &agree_modes[mode])) {
			good[n][mode]++;
		} else {
			printf("WRONG %" PRIu64 " %s %s\n", number, agree.properties[n].name, agree_modes[mode].name);
			bad++;
		}
		free(ptx);
	}
	for (uint32_t n = 0; n < AGREE_DEVICES; n++)
		for (uint32_t mode = 0; mode < AGREE_MODES; mode++)
			printf("turns %s%s %s %" PRIu64 " of %" PRIu64 "\n", agree.properties[n].target,
			       agree.properties[n].features & SOV_FEATURE_HAZARD_CHECK ? ",hazard" : "",
			       agree_modes[mode].name, good[n][mode], had[n][mode]);
	printf("batch %" PRIu64 " programs %" PRIu64 " cpu %.1f ms each\n", first, count,
	       1e3 * (double)(clock() - start) / CLOCKS_PER_SEC / (double)count);
	return bad > 0;
}

/* Does the text still say something, and do the witnesses still disagree about it? */
static bool fails(const char *ptx)
{
	bool differ = false;

	tap_quiet = true;
	if (agree_interpret(ptx))
		for (uint32_t k = 0; k < AGREE_MODES && !differ; k++)
			differ = !agree_device(0, ptx, &agree_modes[k]) || !agree_device(1, ptx, &agree_modes[k]);
	tap_quiet = false;
	return differ;
}

/* The text without so many lines of what is random, from one on. */
static char *without(const char *text, size_t first, size_t count)
{
	const char *begin = strstr(text, RANDOM_BEGIN), *end = strstr(text, RANDOM_END);
	char *out = malloc(strlen(text) + 1), *at = out;
	size_t line = 0;

	for (; out && *text; text++) {
		bool random = text > begin && text < end && begin;

		if (!random || line <= first || line > first + count)
			*at++ = *text;
		line += text >= begin && *text == '\n';
	}
	if (out)
		*at = 0;
	return out;
}

static size_t count_lines(const char *text)
{
	const char *end = strstr(text, RANDOM_END);
	size_t n = 0;

	for (text = strstr(text, RANDOM_BEGIN); text && text < end; text++)
		n += *text == '\n';
	return n;
}

/* Larger pieces first, then smaller ones; again while something goes. */
static char *shrink(char *ptx)
{
	bool smaller = true;

	while (smaller) {
		smaller = false;
		for (size_t piece = count_lines(ptx); piece; piece /= 2) {
			for (size_t first = 0; first < count_lines(ptx);) {
				char *less = without(ptx, first, piece);

				if (less && count_lines(less) < count_lines(ptx) && fails(less)) {
					free(ptx);
					ptx = less;
					smaller = true;
				} else {
					free(less);
					first += piece;
				}
			}
		}
	}
	return ptx;
}

static int shrink_kernel(uint64_t number)
{
	uint32_t threads;
	char *ptx = random_ptx(number, &threads);

	agree_inputs(number, threads);
	if (!fails(ptx)) {
		printf("kernel %llu does not fail\n", (unsigned long long)number);
		free(ptx);
		return 0;
	}
	ptx = shrink(ptx);
	printf("%s", ptx);
	if (agree_interpret(ptx))
		agree_everywhere(ptx);
	free(ptx);
	return 1;
}

int main(int argc, char **argv)
{
	const char *wish = getenv("SOV_TEST_KERNELS");
	uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	uint64_t count = argc > 2   ? strtoull(argv[2], NULL, 0)
			 : argc > 1 ? 1
			 : wish	    ? strtoull(wish, NULL, 0)
				    : USUAL_COUNT;

	if (!agree_start()) {
		ok(false, "software GPUs start");
		return tap_done();
	}
	if (argc > 2 && !strcmp(argv[1], "shrink"))
		return shrink_kernel(strtoull(argv[2], NULL, 0));
	if (argc > 3 && !strcmp(argv[1], "turns"))
		return take_turns(strtoull(argv[2], NULL, 0), strtoull(argv[3], NULL, 0));
	for (uint64_t n = first; n < first + count; n++)
		try_kernel(n, argc == 2);
	for (uint32_t n = 0; n < AGREE_DEVICES; n++)
		sov_context_destroy(agree.contexts[n]);
	return tap_done();
}
