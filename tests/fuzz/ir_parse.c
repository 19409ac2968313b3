/* SPDX-License-Identifier: MIT */
/*
 * Any text: it is refused with a sentence, or it is a module. A module that the verifier accepts
 * must survive being printed and read, be analysed, and run for a while in the interpreter, which
 * may complain but not crash.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/compiler/interp/interp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "fuzz: %s\n", what);
	abort();
}

static void run_kernels(const struct ir_module *m)
{
	static const uint8_t params[4096];
	char message[200];

	for (const struct ir_func *f = m->funcs; f; f = f->next) {
		struct interp_launch l = {.kernel = f,
					  .grid = {2, 1, 1},
					  .block = {3, 1, 1},
					  .params = params,
					  .param_bytes = f->param_bytes,
					  .warp_lanes = 2,
					  .step_limit = 500};

		ir_divergence_compute(f, ir_cfg_build(f));
		if (f->param_bytes <= sizeof(params))
			interp_run(&l, message, sizeof(message));
	}
}

static void judge(struct arena *a, const char *text, size_t size)
{
	struct diag d;
	struct ir_module *m;
	char *first;

	diag_init(&d, a, "ir");
	m = ir_parse(a, text, size, &d);
	require(!m == (d.errors > 0), "a module with errors, or none without");
	if (!m || !ir_verify(m, &d)) {
		require(d.errors && d.length, "refused without a sentence");
		return;
	}
	first = ir_text(m);
	m = ir_parse(a, first, strlen(first), &d);
	require(m && ir_verify(m, &d), "what is printed cannot be read");
	require(!strcmp(first, ir_text(m)), "printed twice, it differs");
	run_kernels(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a;
	jmp_buf no_memory;

	arena_init(&a, (size_t)256 << 20, &no_memory);
	if (!setjmp(no_memory))
		judge(&a, (const char *)data, size);
	arena_free(&a);
	return 0;
}
