// SPDX-License-Identifier: MIT
/*
 * Random PTX kernels (_random.h) do the same as machine code, on every software GPU and in every
 * mode, as on the IR interpreter.
 *
 *	random_kernels [FIRST [COUNT]]     the numbers of the kernels; one alone is printed
 *
 * SOV_TEST_KERNELS in the environment says how many to try instead of the usual number.
 */
#include "tests/userspace/compiler/_random.h"

#define USUAL_COUNT (60 / TAP_SLOWNESS)

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
	for (uint64_t n = first; n < first + count; n++)
		try_kernel(n, argc == 2);
	for (uint32_t n = 0; n < AGREE_DEVICES; n++)
		sov_context_destroy(agree.contexts[n]);
	return tap_done();
}
