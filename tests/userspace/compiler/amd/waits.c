// SPDX-License-Identifier: MIT
/*
 * Every wait that the compiler inserts is needed, and hazard mode reports its absence: one counter
 * of one wait at a time is dropped, or weakened by one, in all kernels of tests/kernels and all
 * files of ptx/instructions. With few registers there are many waits, so only a sample is mutated,
 * as with sanitizers; or all with SOV_TEST_WAITS in the environment.
 *
 * usage: waits [NAME]
 */
#include "tests/userspace/compiler/amd/_subjects.h"
#include "tests/userspace/compiler/amd/_waits.h"

/* Odd, because changes alternate between dropped and weakened counters. */
#define STEP (TAP_SLOWNESS | 1)

static struct wait_subject subject;
static struct compile_options options;
static const char *only;

struct launch {
	struct amd_test gpu;
	struct instruction_test *instruction;
	struct work work;
};

static bool run_instruction(void *context, struct amd_probe *probe)
{
	struct launch *l = context;

	l->gpu.probe = probe;
	test_reset(l->instruction);
	return amd_test_instruction(&l->gpu, l->instruction);
}

static bool run_work(void *context, struct amd_probe *probe)
{
	struct launch *l = context;

	l->gpu.probe = probe;
	for (unsigned i = 0; i < l->work.nbuffers; i++)
		memcpy(l->work.buffers[i].data, l->work.buffers[i].before,
		       l->work.buffers[i].bytes);
	return amd_test_work(&l->gpu, &l->work);
}

static void mutate(struct launch *l, const struct image_kernel *k)
{
	subject.code = l->gpu.part[IMAGE_CODE] + k->code_offset;
	subject.pc = (uint64_t)(uintptr_t)subject.code;
	subject.bytes = k->code_bytes;
	subject.context = l;
	subject.message = l->gpu.message;
	waits_mutate(&subject);
}

static void mutate_instruction(const char *name, const char *text, size_t length)
{
	static struct launch l;

	if (only && strncmp(name, only, strlen(only)))
		return;
	l.instruction = test_read(name, text);
	subject.name = name;
	subject.run = run_instruction;
	/* Other tests cover files that are refused or trap on purpose. */
	if (amd_test_load(&l.gpu, text, length, &options) && !l.instruction->fails &&
	    run_instruction(&l, NULL))
		mutate(&l, amd_test_instruction_kernel(&l.gpu, l.instruction));
	amd_test_free(&l.gpu);
	free(l.instruction);
}

static void mutate_kernel(const struct work_kind *kind)
{
	static struct launch l;
	char path[256], *text;
	size_t length;
	bool good;

	if (only && strcmp(only, kind->file))
		return;
	snprintf(path, sizeof(path), "tests/kernels/%s.ptx", kind->file);
	text = file_read(path, &length);
	work_make(&l.work, kind, kind->small, 20260115);
	subject.name = kind->function;
	subject.run = run_work;
	good = amd_test_load(&l.gpu, text, length, &options) && run_work(&l, NULL);
	ok(good, "kernel %s passes in hazard mode before its waits are mutated", kind->function);
	if (good)
		mutate(&l, amd_test_kernel(&l.gpu, kind->function));
	amd_test_free(&l.gpu);
	work_free(&l.work);
	free(text);
}

/* Reports the counts since the last verdict. */
static void report_verdict(const char *whose, const char *mode)
{
	static const char *const what[] = {"with one counter dropped",
					   "with one more operation allowed outstanding"};
	char name[64];

	snprintf(name, sizeof(name), "%s, %s", whose, mode);
	for (enum wait_change k = 0; k < WAIT_CHANGES; k++)
		ok(waits_verdict(name, k, &subject.counts[k], 0.95),
		   "%s: hazard mode reports at least 95%% of the waits %s", name, what[k]);
	memset(subject.counts, 0, sizeof(subject.counts));
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		struct compile_options options;
		uint32_t kernel_step, instruction_step;
	} modes[] = {
		{"optimised", {0}, STEP, STEP},
		{"unoptimised", {.unoptimised = true}, STEP, STEP},
		{"few registers", {.spill = true}, 67, 5},
	};
	bool all = getenv("SOV_TEST_WAITS");

	only = argc > 1 ? argv[1] : NULL;
	for (uint32_t m = 0; m < sizeof(modes) / sizeof(modes[0]); m++) {
		options = modes[m].options;
		subject.step = all ? 0 : modes[m].kernel_step;
		for (int k = 0; k < WORK_KINDS; k++)
			mutate_kernel(&work_kinds[k]);
		report_verdict("kernels", modes[m].name);
		subject.step = all ? 0 : modes[m].instruction_step;
		files_each("tests/userspace/compiler/ptx/instructions", ".ptx", mutate_instruction);
		report_verdict("instructions", modes[m].name);
	}
	return tap_done();
}
