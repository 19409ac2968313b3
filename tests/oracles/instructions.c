// SPDX-License-Identifier: MIT
/*
 * Runs ptxas's code of the one-instruction tests on the software GPUs of Hopper and Volta, in
 * normal and in hazard mode: soft_instructions.c with a compiler that is not ours. The arguments
 * are the folder of the tests and cubins, each named after its test with the compiler's version and
 * the target before it: 12.4-sm_90-wgmma_s8.cubin.
 */
#include "tests/soft.h"
#include "tests/userspace/compiler/ptx/_launch_instruction.h"

static bool run_cubin(sov_context c, struct instruction_test *t, const char *path,
		      const char *kernel)
{
	size_t size;
	char *image = file_read(path, &size);
	sov_module m = NULL;
	sov_function f;
	bool good = must(sov_module_load(c, image, size, NULL, &m), "loading") &&
		    must(sov_module_get_function(m, kernel, &f), "looking for the kernel") &&
		    run_instruction(c, t, f);

	if (m)
		sov_module_unload(m);
	free(image);
	return good;
}

/* The name of the test from "build/12.4-sm_90-wgmma_s8.cubin". */
static void test_name(const char *path, char *name, size_t size)
{
	const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;

	for (int dashes = 0; dashes < 2 && strchr(base, '-'); dashes++)
		base = strchr(base, '-') + 1;
	snprintf(name, size, "%.*s", (int)strcspn(base, "."), base);
}

static void run_device(const char *name, const char *target, char **arguments)
{
	bool hazard = name[strlen(name) - 1] == '1';
	sov_device device;
	sov_context c;

	if (!ok(must(sov_device_open_name(name, &device), "opening") &&
			must(sov_context_create(device, NULL, &c), "creating a context"),
		"software GPU %s opens and creates a context", name))
		return;
	for (char **path = arguments + 1; *path; path++) {
		char test[128], file[1024];
		struct instruction_test *t;
		size_t size;
		char *text;

		if (!strstr(*path, target))
			continue;
		test_name(*path, test, sizeof(test));
		snprintf(file, sizeof(file), "%s/%s.ptx", arguments[0], test);
		text = file_read(file, &size);
		t = test_read(test, text);
		ok(run_cubin(c, t, *path, test), "%s%s: %s", strrchr(*path, '/') + 1,
		   hazard ? " in hazard mode" : "", t->title);
		free(t);
		free(text);
	}
	sov_context_destroy(c);
}

int main(int argc, char **argv)
{
	soft_gpus("gh100:vram=1G,gh100:vram=1G:hazard,gv100:vram=1G,gv100:vram=1G:hazard");
	unsetenv("SOV_VISIBLE_DEVICES");
	if (argc < 3)
		return fprintf(stderr, "usage: instructions FOLDER CUBIN...\n"), 2;
	run_device("gh100.0", "-sm_90-", argv + 1);
	run_device("gh100.1", "-sm_90-", argv + 1);
	run_device("gv100.0", "-sm_70-", argv + 1);
	run_device("gv100.1", "-sm_70-", argv + 1);
	return tap_done();
}
