// SPDX-License-Identifier: MIT
/*
 * Compiles the kernels of tests/kernels for gfx1030 and runs them on the software GPU in hazard
 * mode: default code, serial code, and code with few registers.
 *
 * usage: kernels [KERNEL]
 */
#include "tests/userspace/compiler/amd/_subjects.h"

static void test_kernel(const struct work_kind *kind, const char *mode,
			const struct compile_options *o)
{
	char path[256], *text;
	struct amd_test t;
	struct work w;
	size_t length;
	bool good;

	snprintf(path, sizeof(path), "tests/kernels/%s.ptx", kind->file);
	text = file_read(path, &length);
	work_make(&w, kind, kind->small, 20260115);
	good = amd_test_load(&t, text, length, o);
	if (!good)
		snprintf(w.why, sizeof(w.why), "%.250s", t.message);
	good = good && amd_test_work(&t, &w) && kind->right(&w);
	ok(good, "kernel %s on gfx1030 in hazard mode, %s, computes the expected results",
	   kind->function, mode);
	if (!good)
		diag("%s", w.why);
	amd_test_free(&t);
	work_free(&w);
	free(text);
}

int main(int argc, char **argv)
{
	for (int k = 0; k < WORK_KINDS; k++) {
		if (argc > 1 && strcmp(argv[1], work_kinds[k].file))
			continue;
		test_kernel(&work_kinds[k], "default code", &(struct compile_options){0});
		test_kernel(&work_kinds[k], "serial code",
			    &(struct compile_options){.serial = true});
		test_kernel(&work_kinds[k], "few registers",
			    &(struct compile_options){.spill = true});
	}
	return tap_done();
}
