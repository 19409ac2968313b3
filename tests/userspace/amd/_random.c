// SPDX-License-Identifier: MIT
/*
 * Random PTX kernels (compiler/_random.h) do the same as machine code of gfx1030 on the software GPU in
 * hazard mode as on the IR interpreter, modes of compilation in turns. Kernels with what the back end
 * refuses by name are counted. By hand, not in make check: some disagree, and why is not known yet.
 *
 *	random [FIRST [COUNT]]       the numbers of the kernels; one alone is printed and run in all modes
 *	random shrink NUMBER MODE    what is left of one that fails when lines that do not matter are gone
 */
#include "tests/userspace/amd/_launch.h"
#include "tests/userspace/compiler/_agree.h"
#include "tests/userspace/compiler/_random.h"

#define USUAL_COUNT (90 / TAP_SLOWNESS)

static const struct {
	const char *name;
	struct compile_options options;
} modes[] = {
	{"default", {.verify = true}},
	{"unoptimised", {.unoptimised = true}},
	{"few registers", {.spill = true}},
	{"serial", {.serial = true}},
};
#define MODES (sizeof(modes) / sizeof(modes[0]))

static uint32_t refused;

static bool run(const char *ptx, uint32_t mode)
{
	struct {
		uint64_t pointers[AGREE_BUFFERS];
		uint32_t a, pad;
		uint64_t b;
	} arguments = {{0}, agree.a, 0, agree.b};
	struct amd_test t;
	bool good = amd_test_load(&t, ptx, strlen(ptx), &modes[mode].options);

	if (!good && strstr(t.message, "not supported on gfx1030")) {
		refused++;
		amd_test_free(&t);
		return true;
	}
	agree.got = agree.before;
	for (uint32_t k = 0; k < AGREE_BUFFERS; k++) {
		arguments.pointers[k] = (uint64_t)(uintptr_t)agree.got.words[k];
		amd_test_map(&t, agree.got.words[k], sizeof(agree.got.words[k]));
	}
	good = good && amd_test_run(&t, amd_test_kernel(&t, "k"), (uint32_t[]){AGREE_BLOCKS, 1, 1},
				    (uint32_t[]){agree.threads, 1, 1}, 0, &arguments);
	if (!good)
		diag("%s: %s", modes[mode].name, t.message);
	good = good && agree_same();
	amd_test_free(&t);
	return good;
}

static void try_kernel(uint64_t number, bool alone)
{
	uint32_t threads;
	char *ptx = random_ptx(number, &threads);
	bool good;

	if (alone)
		printf("%s", ptx);
	agree_inputs(number, threads);
	good = agree_interpret(ptx);
	for (uint32_t mode = 0; mode < MODES; mode++)
		if (alone || number % MODES == mode)
			good &= run(ptx, mode);
	ok(good, "random kernel %llu, %s", (unsigned long long)number,
	   alone ? "all modes" : modes[number % MODES].name);
	free(ptx);
}

/* Without barriers, or where addresses are another thread's, threads race. */
static bool matters(const char *text, size_t length)
{
	static const char *const words[] = {"add.s64 %", "bar", "%l0, %r2", "st.shared", "mul.wide",
					    "mad.lo.s32 %r2", "mad.wide", "mov", "param", "sync"};
	char *copy = strndup(text, length);
	bool found = false;

	for (size_t k = 0; k < sizeof(words) / sizeof(words[0]); k++)
		found |= strstr(copy, words[k]) != NULL;
	free(copy);
	return found;
}

/* The kernel without lines that do not matter for its failing in a mode, printed. */
static void shrink(uint64_t number, uint32_t mode)
{
	uint32_t threads;
	char *ptx = random_ptx(number, &threads), *tried = malloc(strlen(ptx) + 1);

	agree_inputs(number, threads);
	for (size_t lines = 64; lines; lines /= 2)
		for (size_t at = 0; at < strlen(ptx);) {
			size_t end = at;

			for (size_t k = 0; k < lines && ptx[end]; k++) {
				end += strcspn(ptx + end, "\n");
				end += ptx[end] == '\n';
			}
			memcpy(tried, ptx, at);
			strcpy(tried + at, ptx + end);
			if (!matters(ptx + at, end - at) && agree_interpret(tried) && !run(tried, mode))
				strcpy(ptx, tried);
			else
				at += strcspn(ptx + at, "\n") + 1;
		}
	printf("%s", ptx);
	agree_interpret(ptx);
	run(ptx, mode);
	free(tried);
	free(ptx);
}

int main(int argc, char **argv)
{
	uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 0) : argc > 1 ? 1 : USUAL_COUNT;

	if (argc > 3 && !strcmp(argv[1], "shrink")) {
		shrink(strtoull(argv[2], NULL, 0), (uint32_t)strtoul(argv[3], NULL, 0) % MODES);
		return 0;
	}
	for (uint64_t n = first; n < first + count; n++)
		try_kernel(n, argc == 2);
	diag("%u of %llu were refused by name", refused, (unsigned long long)count);
	return tap_done();
}
