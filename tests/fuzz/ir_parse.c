// SPDX-License-Identifier: MIT
/*
 * Arbitrary text as IR: the parser must reject it with a message or return a module. A module that
 * the verifier accepts must survive printing and parsing, the divergence analysis, and a bounded
 * run in the interpreter, which may report errors but not crash.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/compiler/interp/interp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *message)
{
	if (holds)
		return;
	fprintf(stderr, "fuzz: %s\n", message);
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

static void check_text(struct arena *a, const char *text, size_t size)
{
	struct diag d;
	struct ir_module *m;
	char *first;

	diag_init(&d, a, "ir");
	m = ir_parse(a, text, size, &d);
	require(!m == (d.errors > 0),
		"the parser returns a module with errors, or no module without one");
	if (!m || !ir_verify(m, &d)) {
		require(d.errors && d.length, "rejected without a message");
		return;
	}
	first = ir_text(m);
	m = ir_parse(a, first, strlen(first), &d);
	require(m && ir_verify(m, &d), "the printed module does not parse");
	require(!strcmp(first, ir_text(m)), "the module prints differently after a round trip");
	run_kernels(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a;
	jmp_buf no_memory;

	arena_init(&a, (size_t)256 << 20, &no_memory);
	if (!setjmp(no_memory))
		check_text(&a, (const char *)data, size);
	arena_free(&a);
	return 0;
}
