// SPDX-License-Identifier: MIT
/*
 * Machine code of random PTX kernels (_random.h), on every software GPU and in every mode, computes
 * the same as the IR interpreter.
 *
 *	random_kernels [FIRST [COUNT]]      numbers of the kernels; a single one is printed
 *	random_kernels rotate FIRST COUNT   each kernel in one mode on one chip, round-robin
 *	random_kernels old FIRST COUNT      on Turing and Volta, without lines that need sm_80
 *	random_kernels CHIP FIRST COUNT     the same on this chip only, for instance navi21
 *	random_kernels shrink NUMBER        prints a failing kernel without the lines that do not
 *	                                    matter
 *	random_kernels shrink NUMBER CHIP   the same, with devices from this chip on
 *	random_kernels shrink NUMBER PTXAS  the same, for a kernel that fails as ptxas compiles it
 *	random_kernels theirs PTXAS NUMBER...
 *		results of ptxas's code on software GPUs: "AGREES" with the interpreter; "WRONG"
 *		with the hash that tests/silicon/random.c prints for the same bytes; or "REFUSED"
 *		and why; then "EXPLAINED" with a reason (_rewrite.h), "UNEXPLAINED", or "CRASH"
 *		of ptxas
 *
 * SOV_TEST_KERNELS in the environment overrides the usual number of kernels.
 */
#include <time.h>
#include "tests/userspace/compiler/driver/_rewrite.h"
#include "tests/userspace/compiler/driver/_shrink.h"

#define USUAL_COUNT     (30 / TAP_SLOWNESS) /* from 1 on, */
#define USUAL_LOOPS     (10 / TAP_SLOWNESS) /* from RANDOM_LOOPS on, */
#define USUAL_CALLS     (10 / TAP_SLOWNESS) /* from RANDOM_CALLS on, */
#define USUAL_PRODUCTS  (10 / TAP_SLOWNESS) /* and from RANDOM_PRODUCTS on */
#define USUAL_OLD       (60 / TAP_SLOWNESS) /* on Turing and Volta, from each of these on */
#define REWRITE_CHECKED 30                  /* kernels, including */
#define REWRITE_MAD     63199               /* one with a rare pattern */

/* Kernels that failed by causes that no other test has: a reload that is live across a call, in
 * spilling code; a target of a jump table that ends the kernel and at which lanes reconverge; a
 * result of the longest latency; lanes that leave a loop and those that stay, after it; a uniform
 * register that lanes overwrite which a BREAK has released; on an H200, a product of halves that
 * .ftz flushes though it rounds to the smallest normal number. */
static const uint64_t once_failing[] = {2011779, 2011868, 8000046, 8040187,
					8040803, 8045317, 8046050, 8202027};

static void try_kernel(uint64_t number, bool print)
{
	uint32_t threads;
	char *ptx = random_ptx(number, &threads);

	if (print)
		printf("%s", ptx);
	agree_inputs(number, threads);
	ok(agree_interpret(ptx) && agree_everywhere(ptx),
	   "random kernel %llu agrees with the interpreter on every device and mode",
	   (unsigned long long)number);
	free(ptx);
}

/* On Turing and Volta, in one mode each. */
static void try_old_kernel(uint64_t number)
{
	uint32_t threads, refused = agree.refused;
	char *ptx = random_ptx(RANDOM_OLD + number, &threads);
	bool good;

	agree_inputs(number, threads);
	good = agree_interpret(ptx);
	for (uint32_t n = 0; n < AGREE_DEVICES; n++)
		if (agree_is_old(n))
			good &= agree_device(n, ptx, &agree_modes[(number + n) % AGREE_MODES]);
	ok(good && agree.refused == refused,
	   "random kernel %llu without what needs sm_80 agrees with the interpreter on Turing and "
	   "Volta",
	   (unsigned long long)number);
	free(ptx);
}

/* A number denotes the same kernel on every host, so that a failure on a GPU elsewhere can be
 * examined here. The hash is that of an x86-64 machine, too. */
static void check_generator(void)
{
	static const uint64_t firsts[] = {1, RANDOM_LOOPS, RANDOM_CALLS, RANDOM_PRODUCTS};
	uint64_t hash = AGREE_FNV_START;

	for (uint32_t n = 0; n < 400; n++) {
		uint32_t threads;
		char *ptx = random_ptx(firsts[n / 100] + n % 100, &threads);

		hash = agree_fnv(hash, ptx, strlen(ptx));
		free(ptx);
	}
	ok(hash == UINT64_C(0x0b53b3c6d2ca8363),
	   "the generator produces the same kernels on every host (hash %016" PRIx64 ")", hash);
}

/* Rewriting a kernel to find a reason (_rewrite.h) preserves its semantics. */
static void check_rewriting(void)
{
	uint32_t rewritten[REWRITE_RECURSION + 1] = {0}, wrong = 0, none = 0;

	for (uint64_t n = 1; n <= REWRITE_CHECKED; n++) {
		uint64_t number = n < REWRITE_CHECKED ? n : REWRITE_MAD;
		uint32_t threads;
		char *ptx = random_ptx(number, &threads);

		agree_inputs(number, threads);
		wrong += !agree_interpret(ptx);
		for (uint32_t kind = 0; kind <= REWRITE_RECURSION; kind++) {
			char *text = rewrite(ptx, kind);

			rewritten[kind] += text != NULL;
			/* Without recursion the kernel computes something else. */
			wrong += text && kind != REWRITE_RECURSION &&
				 !rewrite_means_the_same(text, number, kind);
			wrong += text && kind == REWRITE_RECURSION && strstr(text, ", %deep)");
			free(text);
		}
		free(ptx);
	}
	for (uint32_t kind = 0; kind <= REWRITE_RECURSION; kind++) {
		none += !rewritten[kind];
		diag("rewritten at %s: %u of %d kernels", rewritings[kind].name, rewritten[kind],
		     REWRITE_CHECKED);
	}
	ok(!wrong && !none, "rewritten kernels compute the same");
}

/* The first device of a chip; AGREE_DEVICES: none. */
static uint32_t device_of(const char *chip)
{
	uint32_t n = 0;

	while (n < AGREE_DEVICES && strncmp(agree.properties[n].name, chip, strlen(chip)))
		n++;
	return n;
}

/* Runs all modes on devices from one on, round-robin; then prints per mode the number of kernels
 * and the time of one. */
static int rotate_modes(uint32_t device, uint32_t devices, uint64_t first, uint64_t count)
{
	uint64_t had[AGREE_DEVICES][AGREE_MODES] = {{0}}, good[AGREE_DEVICES][AGREE_MODES] = {{0}},
		 bad = 0;
	clock_t start = clock();

	for (uint64_t number = first; number < first + count; number++) {
		uint32_t n = device + number % devices, mode = number / devices % AGREE_MODES,
			 threads;
		char *ptx = random_ptx(number, &threads);

		agree_inputs(number, threads);
		had[n][mode]++;
		if (agree_interpret(ptx) && agree_device(n, ptx, &agree_modes[mode])) {
			good[n][mode]++;
		} else {
			printf("WRONG %" PRIu64 " %s %s\n", number, agree.properties[n].name,
			       agree_modes[mode].name);
			bad++;
		}
		free(ptx);
	}
	for (uint32_t n = device; n < device + devices; n++)
		for (uint32_t mode = 0; mode < AGREE_MODES; mode++)
			printf("rotate %s%s %s %" PRIu64 " of %" PRIu64 "\n",
			       agree.properties[n].target,
			       agree.properties[n].features & SOV_FEATURE_HAZARD_CHECK ? ",hazard"
										       : "",
			       agree_modes[mode].name, good[n][mode], had[n][mode]);
	printf("refused by name %u\n", agree.refused);
	printf("batch %" PRIu64 " programs %" PRIu64 " cpu %.1f ms each\n", first, count,
	       1e3 * (double)(clock() - start) / CLOCKS_PER_SEC / (double)count);
	return bad > 0;
}

static int shrink_kernel(uint64_t number, const char *whose)
{
	uint32_t device = whose ? device_of(whose) : 0, threads;
	const char *ptxas = device < AGREE_DEVICES ? NULL : whose;
	struct shrink_other o = {.ptxas = ptxas, .device = ptxas ? AGREE_PLAIN : device};
	char *ptx = random_ptx(number, &threads);
	bool fails;

	agree_inputs(number, threads);
	fails = shrink_find(&o, ptx);
	if (fails) {
		ptx = shrink(&o, ptx);
		printf("%s", ptx);
		agree_interpret(ptx);
		shrink_soft_agrees(&o, ptx);
		if (!ptxas)
			diag("on %s, %s code", agree.properties[o.device].name, o.mode->name);
	} else {
		printf("kernel %" PRIu64 " does not fail\n", number);
	}
	free(ptx);
	return fails;
}

/* Names the kinds of instructions without which ptxas's code is right, each alone or, failing that,
 * all. The interpreter has run the kernel before. */
static void explain_theirs(uint64_t number, const char *ptx, const char *ptxas, uint32_t n)
{
	char reasons[REWRITE_REASONS] = "";

	for (uint32_t kind = 0; kind <= REWRITE_ALL && !(*reasons && kind == REWRITE_ALL); kind++) {
		char *text = rewrite(ptx, kind);
		const void *image = NULL;
		size_t size;

		if (text && rewrite_means_the_same(text, number, kind))
			image = shrink_ptxas(ptxas, agree.properties[n].target, text, &size);
		if (image && agree_image(n, image, size))
			rewrite_add_reason(reasons, kind);
		free(text);
	}
	rewrite_print_reasons(reasons, number);
}

static void explain_crash(uint64_t number, const char *ptx, const char *ptxas, const char *target)
{
	char *text = rewrite(ptx, REWRITE_RECURSION);
	size_t size;

	if (text && shrink_ptxas(ptxas, target, text, &size))
		printf("CRASH %" PRIu64 " %s %s\n", number, rewritings[REWRITE_RECURSION].name,
		       target);
	else
		printf("REFUSED %" PRIu64 " ptxas %s: by ptxas\n", number, target);
	free(text);
}

/* Hopper first, then Ampere: ptxas generates different code for them. */
static void show_theirs(uint64_t number, const char *ptxas)
{
	uint32_t threads;
	char *ptx = random_ptx(number, &threads);

	for (uint32_t n = AGREE_PLAIN; n < AGREE_PLAIN + 2; n++) {
		const char *target = agree.properties[n].target;
		const void *image;
		size_t size;
		bool right;

		agree_inputs(number, threads);
		*agree.error = 0;
		image = shrink_ptxas(ptxas, target, ptx, &size);
		memset(&agree.got, 0, sizeof(agree.got));
		tap_quiet = true;
		right = image && agree_interpret(ptx) && agree_image(n, image, size);
		if (!image)
			explain_crash(number, ptx, ptxas, target);
		else if (right)
			printf("AGREES %" PRIu64 " ptxas %s\n", number, target);
		else if (*agree.error)
			printf("REFUSED %" PRIu64 " ptxas %s: %s\n", number, target, agree.error);
		else
			printf("WRONG %" PRIu64 " ptxas %016" PRIx64 " %s\n", number, agree_mark(),
			       target);
		if (image && !right)
			explain_theirs(number, ptx, ptxas, n);
		tap_quiet = false;
	}
	free(ptx);
}

int main(int argc, char **argv)
{
	const char *count_env = getenv("SOV_TEST_KERNELS");
	uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	uint64_t count = argc > 2    ? strtoull(argv[2], NULL, 0)
			 : argc > 1  ? 1
			 : count_env ? strtoull(count_env, NULL, 0)
				     : USUAL_COUNT;

	if (!agree_start()) {
		ok(false, "software GPUs start for random kernels");
		return tap_done();
	}
	if (argc > 2 && !strcmp(argv[1], "shrink"))
		return shrink_kernel(strtoull(argv[2], NULL, 0), argc > 3 ? argv[3] : NULL);
	for (int i = 3; i < argc && !strcmp(argv[1], "theirs"); i++)
		show_theirs(strtoull(argv[i], NULL, 0), argv[2]);
	if (argc > 3 && !strcmp(argv[1], "theirs"))
		return 0;
	if (argc > 3 && !strcmp(argv[1], "rotate"))
		return rotate_modes(0, AGREE_DEVICES, strtoull(argv[2], NULL, 0),
				    strtoull(argv[3], NULL, 0));
	if (argc > 3 && !strcmp(argv[1], "old"))
		return rotate_modes(device_of("tu102"), 2, RANDOM_OLD + strtoull(argv[2], NULL, 0),
				    strtoull(argv[3], NULL, 0));
	if (argc > 3 && device_of(argv[1]) < AGREE_DEVICES)
		return rotate_modes(device_of(argv[1]), 1, strtoull(argv[2], NULL, 0),
				    strtoull(argv[3], NULL, 0));
	if (argc < 2) {
		check_generator();
		check_rewriting();
	}
	for (uint64_t n = first; n < first + count; n++)
		try_kernel(n, argc == 2);
	for (uint64_t n = 0; argc < 2 && n < USUAL_LOOPS; n++)
		try_kernel(RANDOM_LOOPS + n, false);
	for (uint64_t n = 0; argc < 2 && n < USUAL_CALLS; n++)
		try_kernel(RANDOM_CALLS + n, false);
	for (uint64_t n = 0; argc < 2 && n < USUAL_PRODUCTS; n++)
		try_kernel(RANDOM_PRODUCTS + n, false);
	for (uint64_t n = 0; argc < 2 && n < USUAL_OLD; n++) {
		try_old_kernel(1 + n);
		try_old_kernel(RANDOM_LOOPS + n);
		try_old_kernel(RANDOM_CALLS + n);
	}
	for (uint32_t n = 0; argc < 2 && n < sizeof(once_failing) / sizeof(once_failing[0]); n++)
		try_kernel(once_failing[n], false);
	diag("refused by name: %u", agree.refused);
	for (uint32_t n = 0; n < AGREE_DEVICES; n++)
		sov_context_destroy(agree.contexts[n]);
	return tap_done();
}
