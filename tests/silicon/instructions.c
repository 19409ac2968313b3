// SPDX-License-Identifier: MIT
/*
 * Runs the one-instruction tests on a real GPU: PTX files in
 * tests/userspace/compiler/ptx/instructions, whose comments give inputs and expected outputs.
 *
 *   instructions [--small] VARIANT...
 *
 * A variant names a compilation mode: files NAME.VARIANT.cubin next to NAME.ptx; a test without
 * one counts as not compiled. Exit status 0: every value is right; 1: some are wrong; 2: the tests
 * could not run.
 *
 * Hazards show only now and then, so every test runs many times, with its outputs poisoned before
 * each launch: with the grid that the file asks for, mostly one warp alone on an SM, where
 * instructions issue back to back; and, if all blocks of a grid would do the same, with a grid
 * that fills the GPU. In the large grid one block's right value can hide another's wrong one, so
 * the single warp is the stricter test. --small repeats less, for a software GPU.
 *
 * A fault or a hang destroys the CUDA context, so tests run in a child process. When the child ends
 * early, the test that it ran is judged by the exit status, and a new child continues with the
 * next.
 */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "driver.h"
#include "tests/userspace/compiler/ptx/_instructions.h"

#define FOLDER "tests/userspace/compiler/ptx/instructions"

enum {
	MAX_TESTS = 2000,
	TIME_LIMIT = 30, /* seconds for one test */
	GUARD = 256,     /* bytes before, between and after buffers */
	BLOCKS = 32,     /* resident on one SM at a time */
	TEST_DONE = 0,
	TEST_LOST_CONTEXT = 3, /* exit statuses of a child, besides EXIT_BROKEN */
};

static struct {
	char names[MAX_TESTS][64];
	unsigned count;
	unsigned rounds, blocks; /* launches of each kind; blocks per SM in the large grid */
} run;

/* Progress of the child, in shared memory that survives it. */
static struct progress {
	unsigned next, right, wrong;
	uint64_t launches;
} *progress;

/* ---- a test's memory: all buffers in one allocation, with guards between them ---- */

struct memory {
	cuda_ptr at;
	uint32_t bytes, offset[TEST_MAX_PARAMETERS];
	uint8_t *before, *after;
};

static uint32_t parameter_bytes(const struct test_parameter *p)
{
	return p->buffer ? p->count * p->bytes : 0;
}

static struct memory memory_new(struct instruction_test *t)
{
	struct memory m = {.bytes = GUARD};

	test_reset(t);
	for (uint32_t i = 0; i < t->count; i++) {
		m.offset[i] = m.bytes;
		m.bytes += (parameter_bytes(&t->parameters[i]) + 2 * GUARD - 1) / GUARD * GUARD;
	}
	m.before = malloc(m.bytes);
	m.after = malloc(m.bytes);
	if (!m.before || !m.after)
		exit(EXIT_BROKEN);
	memset(m.before, TEST_GARBAGE, m.bytes);
	for (uint32_t i = 0; i < t->count; i++)
		memcpy(m.before + m.offset[i], t->parameters[i].memory,
		       parameter_bytes(&t->parameters[i]));
	must(cuMemAlloc_v2(&m.at, m.bytes), "allocating");
	return m;
}

static void memory_free(struct memory *m)
{
	must(cuMemFree_v2(m->at), "freeing");
	free(m->before);
	free(m->after);
}

/* Returns the number of wrong elements; describes the first in why. */
static uint32_t wrong_elements(const struct instruction_test *t, const struct memory *m, char *why,
			       size_t size)
{
	uint32_t wrong = 0;

	for (uint32_t i = 0; i < t->count; i++) {
		const struct test_parameter *p = &t->parameters[i];

		for (uint32_t k = 0; p->buffer && k < p->count; k++) {
			uint64_t got = 0;

			memcpy(&got, m->after + m->offset[i] + k * p->bytes, p->bytes);
			if (!test_same(p, k, got) && !wrong++)
				snprintf(why, size,
					 "parameter %u, element %u: got 0x%llx, want %s0x%llx", i,
					 k, (unsigned long long)got,
					 p->any_nan[k] ? "a NaN such as " : "",
					 (unsigned long long)p->after[k]);
		}
	}
	return wrong;
}

/* Returns whether the guards are unchanged. */
static bool guards_intact(const struct instruction_test *t, const struct memory *m, char *why,
			  size_t size)
{
	uint32_t from = 0;

	for (uint32_t i = 0; i <= t->count; i++) {
		uint32_t to = i < t->count ? m->offset[i] : m->bytes;

		if (memcmp(m->before + from, m->after + from, to - from)) {
			snprintf(why, size, "memory before parameter %u was written", i);
			return false;
		}
		if (i < t->count)
			from = to + parameter_bytes(&t->parameters[i]);
	}
	return true;
}

/* ---- one test ---- */

/* Returns whether all blocks do the same: none accumulates, and none reads its block index. */
static bool blocks_are_alike(const char *text)
{
	static const char *const dependences[] = {"\n// inout ", "\n// grid:", "\n// fails",
						  "ctaid", ".global ."};

	for (size_t i = 0; i < sizeof(dependences) / sizeof(dependences[0]); i++)
		if (strstr(text, dependences[i]))
			return false;
	return true;
}

/* Poisons the outputs, launches, compares. Returns CUDA's error; why stays empty on success. */
static int launch_and_compare(struct instruction_test *t, cuda_handle function, struct memory *m,
			      unsigned grid, char *why, size_t size)
{
	void *arguments[TEST_MAX_PARAMETERS];
	cuda_ptr addresses[TEST_MAX_PARAMETERS];
	uint32_t wrong;
	int error;

	for (uint32_t i = 0; i < t->count; i++) {
		addresses[i] = m->at + m->offset[i];
		arguments[i] =
			t->parameters[i].buffer ? (void *)&addresses[i] : t->parameters[i].memory;
	}
	must(cuMemcpyHtoD_v2(m->at, m->before, m->bytes), "copying to the GPU");
	error = cuLaunchKernel(function, grid, 1, 1, t->block, 1, 1, t->shared, NULL, arguments,
			       NULL);
	if (!error)
		error = cuCtxSynchronize();
	progress->launches++;
	if (error) {
		if (!t->fails || error != CUDA_LAUNCH_FAILED)
			snprintf(why, size, "%s (%d)", cuda_error_name(error), error);
		return error;
	}
	if (t->fails) {
		snprintf(why, size, "the kernel completed without a fault");
		return 0;
	}
	must(cuMemcpyDtoH_v2(m->after, m->at, m->bytes), "copying from the GPU");
	wrong = wrong_elements(t, m, why, size);
	if (wrong > 1)
		snprintf(why + strlen(why), size - strlen(why), ", and %u more", wrong - 1);
	if (!wrong)
		guards_intact(t, m, why, size);
	return 0;
}

/* Launches a test in all grids. Returns whether the context survived. */
static bool launch_all(struct instruction_test *t, const char *text, cuda_handle function,
		       unsigned sm_count)
{
	struct memory m = memory_new(t);
	bool wide = blocks_are_alike(text);
	unsigned bad = 0, count = 0;
	char first[300] = "", why[300];
	int error = 0;

	for (unsigned r = 0; r < run.rounds && !error; r++)
		for (unsigned many = 0; many <= wide && !error; many++) {
			unsigned grid = many ? sm_count * run.blocks : t->grid;

			*why = '\0';
			error = launch_and_compare(t, function, &m, grid, why, sizeof(why));
			count++;
			if (*why && !bad++)
				snprintf(first, sizeof(first), "%.200s; grid %u, launch %u", why,
					 grid, count);
		}
	if (bad)
		printf("WRONG %s: %s; %u of %u launches\n", t->name, first, bad, count);
	progress->right += !bad;
	progress->wrong += !!bad;
	if (!error)
		memory_free(&m);
	return !error;
}

static bool run_test(const char *name, const char *variant, unsigned sm_count)
{
	char path[256], label[256];
	cuda_handle module, function;
	struct instruction_test *t;
	char *text, *image;
	size_t length;
	bool alive = true;
	int error;

	snprintf(path, sizeof(path), FOLDER "/%s.ptx", name);
	text = file_read(path, &length);
	snprintf(path, sizeof(path), FOLDER "/%s.%s.cubin", name, variant);
	image = file_read(path, &length);
	snprintf(label, sizeof(label), "%s %s", name, variant);
	t = test_read(label, text);
	error = cuModuleLoadData(&module, image);
	if (!error)
		error = cuModuleGetFunction(&function, module, name);
	if (error) {
		printf("WRONG %s: loading: %s (%d)\n", label, cuda_error_name(error), error);
		progress->wrong++;
	} else {
		alive = launch_all(t, text, function, sm_count);
		if (alive)
			must(cuModuleUnload(module), "unloading");
	}
	free(image);
	free(text);
	free(t);
	return alive;
}

/* ---- all tests of a variant, one child process after another ---- */

static _Noreturn void run_child(const char *variant, const unsigned *tests, unsigned count)
{
	struct cuda_device d;

	limit_time(TIME_LIMIT);
	d = cuda_open();
	while (progress->next < count) {
		bool alive;

		limit_time(TIME_LIMIT);
		alive = run_test(run.names[tests[progress->next]], variant, d.sm_count);
		progress->next++;
		if (!alive)
			exit(TEST_LOST_CONTEXT);
	}
	exit(TEST_DONE);
}

/* Counts the child's last test as wrong if the child ended without counting it. */
static void check_exit(int status, const char *name, const char *variant)
{
	if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_BROKEN) {
		printf("BROKEN at %s %s\n", name, variant);
		exit(EXIT_BROKEN);
	}
	if (WIFEXITED(status) &&
	    (WEXITSTATUS(status) == TEST_DONE || WEXITSTATUS(status) == TEST_LOST_CONTEXT))
		return;
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
		printf("WRONG %s %s: not done after %d seconds\n", name, variant, TIME_LIMIT);
	else
		printf("WRONG %s %s: its process ended, status 0x%x\n", name, variant, status);
	progress->wrong++;
	progress->next++;
}

/* Returns the number of wrong tests. */
static unsigned run_variant(const char *variant)
{
	unsigned tests[MAX_TESTS], count = 0, missing = 0;
	char path[256];

	for (unsigned i = 0; i < run.count; i++) {
		snprintf(path, sizeof(path), FOLDER "/%s.%s.cubin", run.names[i], variant);
		if (!access(path, R_OK))
			tests[count++] = i;
	}
	memset(progress, 0, sizeof(*progress));
	while (progress->next < count) {
		pid_t pid = fork();
		int status;

		if (!pid)
			run_child(variant, tests, count);
		if (pid < 0 || waitpid(pid, &status, 0) != pid) {
			perror("instructions: a child process");
			exit(EXIT_BROKEN);
		}
		check_exit(status,
			   run.names[tests[progress->next < count ? progress->next : count - 1]],
			   variant);
	}
	printf("instructions, %s: %u right, %u wrong, %u not compiled", variant, progress->right,
	       progress->wrong, run.count - count);
	for (unsigned i = 0, k = 0; i < run.count; i++) {
		if (k < count && tests[k] == i)
			k++;
		else
			printf("%s%s", missing++ ? " " : " (", run.names[i]);
	}
	printf("%s; %llu launches\n", missing ? ")" : "", (unsigned long long)progress->launches);
	return count ? progress->wrong : 1;
}

static void add_name(const char *name, const char *text, size_t length)
{
	int stem = (int)strlen(name) - 4;

	(void)text;
	(void)length;
	if (run.count == MAX_TESTS || stem >= (int)sizeof(run.names[0])) {
		printf("BROKEN %s: too many tests, or too long a name\n", name);
		exit(EXIT_BROKEN);
	}
	snprintf(run.names[run.count++], sizeof(run.names[0]), "%.*s", stem, name);
}

int main(int argc, char **argv)
{
	bool small = argc > 1 && !strcmp(argv[1], "--small");
	unsigned wrong = 0;

	if (argc < 2 + small || argv[1 + small][0] == '-') {
		fprintf(stderr, "usage: instructions [--small] VARIANT...\n");
		return EXIT_BROKEN;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	run.rounds = small ? 2 : 50;
	run.blocks = small ? 1 : BLOCKS;
	progress = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			-1, 0);
	if (progress == MAP_FAILED || !files_each(FOLDER, ".ptx", add_name)) {
		printf("BROKEN no memory, or no tests in " FOLDER "\n");
		return EXIT_BROKEN;
	}
	for (int i = 1 + small; i < argc; i++)
		wrong += run_variant(argv[i]);
	return wrong ? EXIT_WRONG : 0;
}
