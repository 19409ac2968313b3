// SPDX-License-Identifier: MIT
/*
 * What do convergence barriers do? Runs the kernels of convergence_cases.h on this machine's GPU
 * and prints, for each group of lanes, the times at which it passed its steps and the lanes that
 * were active then (or what B0 held). Each case has a process of its own: one that never ends is
 * stopped by the kernel's watchdog, which makes its CUDA context unusable, or else by SIGALRM.
 *   usage: convergence             needs a Hopper GPU with NVIDIA's driver
 */
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/silicon/convergence_cases.h"
#include "tests/silicon/driver.h"

#define SECONDS 30 /* of one case, including the start of CUDA */

static const char *const loop_names[] = {"spinning", "YIELD", "NANOSLEEP"};

/* Whether two runs recorded the same words, whatever the times. */
static bool same_words(const uint32_t *a, const uint32_t *b)
{
	for (uint32_t w = 0; w < 32 * CONV_WORDS; w++)
		if (w % 2 == 0 && a[w] != b[w])
			return false;
	return true;
}

/* What a case leaves in memory that its process shares with main(). */
struct result {
	uint32_t words[CONV_LOOPS][32 * CONV_WORDS];
	char outcome[CONV_LOOPS][96];
	char device[160];
};

static int run_case(struct patched_image *image, const struct conv_case *k, enum conv_loop loop,
		    struct result *result)
{
	struct cuda_device device = cuda_open();
	const size_t bytes = sizeof(result->words[loop]);
	cuda_handle module, f;
	uint32_t *words = NULL;
	void *arguments[] = {&words};
	int error;

	snprintf(result->device, sizeof(result->device), "%s, compute capability %d.%d",
		 device.name, device.major, device.minor);
	if (!conv_patch(image, k, loop)) {
		printf("BROKEN %s: the kernel does not fit\n", k->name);
		return EXIT_BROKEN;
	}
	must(cuMemAllocHost_v2((void **)&words, bytes), "allocating");
	memset(words, 0, bytes);
	must(cuModuleLoadData(&module, image->bytes), "loading");
	must(cuModuleGetFunction(&f, module, PATCHED_KERNEL), "finding the kernel");
	must(cuLaunchKernel(f, 1, 1, 1, CONV_THREADS, 1, 1, 0, NULL, arguments, NULL), "launching");
	error = cuCtxSynchronize();
	if (error)
		snprintf(result->outcome[loop], sizeof(result->outcome[loop]), "DOES NOT END (%s)",
			 cuda_error_name(error));
	memcpy(result->words[loop], words, bytes);
	return 0;
}

/* Runs a case in a process of its own; returns whether it could be run. */
static bool run_child(struct patched_image *image, const struct conv_case *k, enum conv_loop loop,
		      struct result *result)
{
	pid_t child;
	int status;

	fflush(stdout);
	child = fork();
	if (!child) {
		limit_time(SECONDS);
		status = run_case(image, k, loop, result);
		fflush(stdout);
		_exit(status);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0)
		return false;
	if (WIFSIGNALED(status))
		snprintf(result->outcome[loop], sizeof(result->outcome[loop]),
			 "stopped by signal %d after at most %d s", WTERMSIG(status), SECONDS);
	return !status;
}

int main(void)
{
	struct result *result = mmap(NULL, sizeof(*result), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct patched_image image;
	uint32_t broken = 0;

	if (result == MAP_FAILED || !open_patched_image(&image))
		return EXIT_BROKEN;
	for (uint32_t i = 0; i < CONV_CASES; i++) {
		const struct conv_case *k = &conv_cases[i];

		memset(result, 0, sizeof(*result));
		for (uint32_t loop = 0; loop < CONV_LOOPS; loop++)
			broken += !run_child(&image, k, loop, result);
		if (!i)
			printf("convergence: %s\n", result->device);
		printf("%s: %s [%s%s%s]\n", k->name, k->question, k->before, *k->half ? " AB:" : "",
		       k->half);
		for (uint32_t loop = 0; loop < CONV_LOOPS; loop++) {
			bool same = loop && same_words(result->words[0], result->words[loop]);

			printf("  %-9s %s%s\n", loop_names[loop], result->outcome[loop],
			       !same                    ? ""
			       : *result->outcome[loop] ? ", the same"
							: "the same");
			if (!same)
				conv_print(k, result->words[loop]);
		}
	}
	printf("convergence: %zu cases, %u broken\n", CONV_CASES, broken);
	return broken ? EXIT_BROKEN : 0;
}
