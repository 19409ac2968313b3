// SPDX-License-Identifier: MIT
/*
 * Arbitrary SPIR-V: the front end must reject it with a message or produce IR that the passes
 * accept. IR that the verifier rejects is an error of the input, which is reported, too.
 */
#include <stdlib.h>
#include "libsov/compiler/passes/pass.h"
#include "libsov/compiler/spirv/spirv.h"

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
		if (!spirv_parse(job, (const char *)data, size, &m) || !ir_verify(m, &job->diag))
			check(job->diag.errors > 0, job);
		else
			check(passes_run(job, m), job);
	}
	arena_free(&job->arena);
	free(job);
	return 0;
}
