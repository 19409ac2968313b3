// SPDX-License-Identifier: MIT
/*
 * The kernels of tests/kernels compute what they should as machine code of gfx1030, on the software GPU in
 * hazard mode: default code, serial code, and code with few registers.
 *   usage: kernels [KERNEL]
 */
#include "tests/kernels/work.h"
#include "tests/tap.h"
#include "tests/userspace/amd/_launch.h"
#include "tests/userspace/ptx/_files.h"

static bool launch(struct work *w, struct amd_test *t)
{
	const struct image_kernel *k = amd_test_kernel(t, w->kind->function);
	uint8_t arguments[4096] = {0};

	if (!k || k->nparams != w->narguments) {
		snprintf(w->why, sizeof(w->why), "no kernel '%s' with %u parameters", w->kind->function,
			 w->narguments);
		return false;
	}
	for (unsigned i = 0; i < w->nbuffers; i++)
		amd_test_map(t, w->buffers[i].data, w->buffers[i].bytes);
	for (unsigned i = 0; i < w->narguments; i++) {
		uint64_t bits = w->arguments[i].bits;

		if (w->arguments[i].buffer >= 0)
			bits = (uint64_t)(uintptr_t)w->buffers[w->arguments[i].buffer].data;
		memcpy(arguments + k->params[i].offset, &bits, k->params[i].size);
	}
	if (amd_test_run(t, k, (uint32_t[]){w->grid[0], w->grid[1], 1},
			 (uint32_t[]){w->block[0], w->block[1], 1}, 0, arguments))
		return true;
	snprintf(w->why, sizeof(w->why), "%.250s", t->message);
	return false;
}

static void run(const struct work_kind *kind, const char *mode, const struct compile_options *o)
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
	good = good && launch(&w, &t) && kind->right(&w);
	ok(good, "%s on gfx1030, hazard mode, %s", kind->function, mode);
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
		run(&work_kinds[k], "default code", &(struct compile_options){0});
		run(&work_kinds[k], "serial code", &(struct compile_options){.serial = true});
		run(&work_kinds[k], "few registers", &(struct compile_options){.spill = true});
	}
	return tap_done();
}
