/* SPDX-License-Identifier: MIT */
/*
 * Judges the one-instruction tests on a real GPU: PTX files in tests/userspace/compiler/ptx/instructions, whose
 * comments say what goes in and what must come out.
 *
 *   instructions [--small] VARIANT...
 *
 * A variant is a way to have compiled: files NAME.VARIANT.cubin beside NAME.ptx; a test without one
 * counts as not compiled. Exit status 0: every value was right; 1: some were not; 2: nothing could be
 * judged.
 *
 * A fault of timing shows only sometimes. So every test runs many times, its results poisoned before each:
 * as the file says, mostly one warp alone on a processor, where instructions follow each other as closely
 * as they ever do; and, where all blocks of a grid would do the same, in a grid that fills the GPU. There one
 * block's right value can cover another's wrong one: the lone warp is the strict half. --small repeats
 * less, for a software GPU.
 *
 * A fault or a hang leaves nothing of a CUDA context, so tests run in a child. When it ends early, the
 * test that ended it is judged by that, and another child goes on with the next.
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
	GUARD = 256,     /* bytes before, between and behind buffers */
	BLOCKS = 32,     /* that fit on one processor at a time */
	TEST_DONE = 0,
	TEST_TOOK_CONTEXT = 3, /* exit statuses of a child, besides EXIT_BROKEN */
};

static struct {
	char names[MAX_TESTS][64];
	unsigned count;
	unsigned rounds, blocks; /* of a wide grid, for each processor */
} run;

/* What a child has done, in memory that outlives it. */
static struct progress {
	unsigned next, right, wrong;
	uint64_t launches;
} * progress;

/* ---- a test's memory: all buffers in one piece, guards between them ---- */

struct memory {
	cuda_ptr at;
	uint32_t bytes, offset[TEST_MAX_PARAMETERS];
	uint8_t *before, *after;
};

static uint32_t bytes_of(const struct test_parameter *p)
{
	return p->buffer ? p->count * p->bytes : 0;
}

static struct memory memory_new(struct instruction_test *t)
{
	struct memory m = {.bytes = GUARD};

	test_reset(t);
	for (uint32_t i = 0; i < t->count; i++) {
		m.offset[i] = m.bytes;
		m.bytes += (bytes_of(&t->parameters[i]) + 2 * GUARD - 1) / GUARD * GUARD;
	}
	m.before = malloc(m.bytes);
	m.after = malloc(m.bytes);
	if (!m.before || !m.after)
		exit(EXIT_BROKEN);
	memset(m.before, TEST_GARBAGE, m.bytes);
	for (uint32_t i = 0; i < t->count; i++)
		memcpy(m.before + m.offset[i], t->parameters[i].memory,
		       bytes_of(&t->parameters[i]));
	must(cuMemAlloc_v2(&m.at, m.bytes), "allocating");
	return m;
}

static void memory_free(struct memory *m)
{
	must(cuMemFree_v2(m->at), "freeing");
	free(m->before);
	free(m->after);
}

/* The number of elements that are wrong; says which is the first. */
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

/* Whether all is as it was outside of the buffers. */
static bool guards_hold(const struct instruction_test *t, const struct memory *m, char *why,
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
			from = to + bytes_of(&t->parameters[i]);
	}
	return true;
}

/* ---- one test ---- */

/* Whether every block may do the same at the same time: none counts, and none knows its place. */
static bool blocks_are_alike(const char *text)
{
	static const char *const tellers[] = {"\n// inout ", "\n// grid:", "\n// fails", "ctaid",
					      ".global ."};

	for (size_t i = 0; i < sizeof(tellers) / sizeof(tellers[0]); i++)
		if (strstr(text, tellers[i]))
			return false;
	return true;
}

/* One launch, from poisoned results to compared ones. Returns CUDA's error; why is empty if all is right. */
static int launch(struct instruction_test *t, cuda_handle function, struct memory *m, unsigned grid,
		  char *why, size_t size)
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
		snprintf(why, size, "it ran to its end");
		return 0;
	}
	must(cuMemcpyDtoH_v2(m->after, m->at, m->bytes), "copying from the GPU");
	wrong = wrong_elements(t, m, why, size);
	if (wrong > 1)
		snprintf(why + strlen(why), size - strlen(why), ", and %u more", wrong - 1);
	if (!wrong)
		guards_hold(t, m, why, size);
	return 0;
}

/* All launches of a test. Returns whether the context outlived them. */
static bool judge(struct instruction_test *t, const char *text, cuda_handle function,
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
			error = launch(t, function, &m, grid, why, sizeof(why));
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
		alive = judge(t, text, function, sm_count);
		if (alive)
			must(cuModuleUnload(module), "unloading");
	}
	free(image);
	free(text);
	free(t);
	return alive;
}

/* ---- all tests of a variant, child after child ---- */

static _Noreturn void child(const char *variant, const unsigned *tests, unsigned count)
{
	struct cuda_device d;

	alarm(TIME_LIMIT);
	d = cuda_open();
	while (progress->next < count) {
		bool alive;

		alarm(TIME_LIMIT);
		alive = run_test(run.names[tests[progress->next]], variant, d.sm_count);
		progress->next++;
		if (!alive)
			exit(TEST_TOOK_CONTEXT);
	}
	exit(TEST_DONE);
}

/* Whether a child's end is one that it has itself accounted for; if not, its test is wrong. */
static void account(int status, const char *name, const char *variant)
{
	if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_BROKEN) {
		printf("BROKEN at %s %s\n", name, variant);
		exit(EXIT_BROKEN);
	}
	if (WIFEXITED(status) &&
	    (WEXITSTATUS(status) == TEST_DONE || WEXITSTATUS(status) == TEST_TOOK_CONTEXT))
		return;
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
		printf("WRONG %s %s: not done after %d seconds\n", name, variant, TIME_LIMIT);
	else
		printf("WRONG %s %s: its process ended, status 0x%x\n", name, variant, status);
	progress->wrong++;
	progress->next++;
}

/* Returns how many tests were wrong. */
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
			child(variant, tests, count);
		if (pid < 0 || waitpid(pid, &status, 0) != pid) {
			perror("instructions: a child process");
			exit(EXIT_BROKEN);
		}
		account(status,
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
