// SPDX-License-Identifier: MIT
/*
 * Arbitrary PTX: the parser must reject it with a message or produce IR that the verifier accepts,
 * also after the passes.
 */
#include <stdlib.h>
#include "libsov/compiler/passes/pass.h"
#include "libsov/compiler/ptx/ptx.h"

#define MEMORY_LIMIT ((size_t)256 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool good, struct compile_job *job)
{
	if (good)
		return;
	fputs(job->diag.text, stderr);
	abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct compile_job *job = calloc(1, sizeof(*job));
	struct ir_module *m;
	jmp_buf no_memory;

	if (!job)
		abort();
	job->target = target_find("sm_90");
	job->options.verify = true;
	arena_init(&job->arena, MEMORY_LIMIT, &no_memory);
	if (!setjmp(no_memory)) {
		diag_init(&job->diag, &job->arena, "fuzz");
		if (ptx_parse(job, (const char *)data, size, &m)) {
			check(ir_verify(m, &job->diag), job);
			check(passes_run(job, m), job);
		} else {
			check(job->diag.errors > 0, job);
		}
	}
	arena_free(&job->arena);
	free(job);
	return 0;
}
