// SPDX-License-Identifier: MIT
/*
 * The way through the compiler: front end, check, passes, target. All of it happens in one arena,
 * which is freed at the end whether it went well or not; what the caller gets is copied out first.
 * Running out of memory anywhere inside, or out of the limit that keeps hostile input from eating
 * the machine, comes back here as one message.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/compiler/compiler.h"
#include "libsov/compiler/ir.h"
#include "libsov/compiler/pass.h"
#include "libsov/compiler/ptx/ptx.h"

#define DEFAULT_MEMORY_LIMIT ((size_t)1 << 30)

static bool parse_ir(struct compile_job *job, const char *text, size_t length, struct ir_module **m)
{
	*m = ir_parse(&job->arena, text, length, &job->diag);
	return *m != NULL;
}

static const struct front_end {
	const char *name; /* in messages */
	bool (*parse)(struct compile_job *job, const char *text, size_t length,
		      struct ir_module **m);
	bool verify; /* text can say what makes no sense; else only a fault of ours could */
} front_ends[] = {
	[COMPILE_PTX] = {"ptx", ptx_parse, false},
	[COMPILE_IR] = {"ir", parse_ir, true},
};

bool compile_verifies(const struct compile_job *job)
{
#ifdef SOV_VERIFY
	(void)job;
	return true;
#else
	return job->options.verify;
#endif
}

static bool choose_target(struct compile_job *job)
{
	struct text known = {.arena = &job->arena};
	const struct target *t;

	job->target = job->options.target ? target_find(job->options.target) : NULL;
	if (job->target)
		return true;
	for (uint32_t k = 0; (t = target_at(k)); k++)
		text_printf(&known, " %s", t->name);
	diag_error(&job->diag, 0, 0, "unknown target '%s'; known:%s",
		   job->options.target ? job->options.target : "", known.s);
	return false;
}

/* A target without machine code ends at the IR: its image is the text. */
static bool emit_text(struct compile_job *job, struct ir_module *m)
{
	job->image = (uint8_t *)ir_text(m);
	job->image_size = strlen((char *)job->image);
	return true;
}

static bool run(struct compile_job *job, const char *text, size_t length)
{
	const struct front_end *front = &front_ends[job->options.source];
	struct ir_module *m;

	diag_init(&job->diag, &job->arena, "compile");
	if (!choose_target(job))
		return false;
	diag_init(&job->diag, &job->arena, front->name);
	if (!front->parse(job, text, length, &m))
		return false;
	if ((front->verify || compile_verifies(job)) && !ir_verify(m, &job->diag))
		return false;
	diag_init(&job->diag, &job->arena, "compile");
	if (!passes_run(job, m))
		return false;
	return job->target->emit ? job->target->emit(job, m) : emit_text(job, m);
}

/* The statistics and their names in one block. */
static struct kernel_stats *copy_stats(const struct compile_job *job)
{
	size_t bytes = job->nstats * sizeof(*job->stats), names = 0;
	struct kernel_stats *copy;
	char *at;

	for (uint32_t k = 0; k < job->nstats; k++)
		names += strlen(job->stats[k].name) + 1;
	copy = malloc(bytes + names + 1);
	if (!copy)
		return NULL;
	at = (char *)copy + bytes;
	for (uint32_t k = 0; k < job->nstats; k++) {
		copy[k] = job->stats[k];
		copy[k].name = strcpy(at, job->stats[k].name);
		at += strlen(at) + 1;
	}
	return copy;
}

static bool copy_out(const struct compile_job *job, struct compile_result *r)
{
	uint8_t *image = malloc(job->image_size + 1);
	struct kernel_stats *stats = copy_stats(job);

	if (!image || !stats) {
		free(image);
		free(stats);
		return false;
	}
	memcpy(image, job->image, job->image_size);
	r->image = image;
	r->image_size = job->image_size;
	r->stats = stats;
	r->nstats = job->nstats;
	return true;
}

/* The whole compilation; what there is to say about it. */
static const char *run_in_arena(struct compile_job *job, const char *text, size_t length,
				struct compile_result *r)
{
	size_t limit = job->options.memory_limit;
	jmp_buf no_memory;

	arena_init(&job->arena, limit ? limit : DEFAULT_MEMORY_LIMIT, &no_memory);
	if (setjmp(no_memory))
		return "compile: out of memory: the input takes more than one compilation may; "
		       "compile its kernels one by one\n";
	if (run(job, text, length) && !copy_out(job, r))
		return "compile: out of memory for the result\n";
	return job->diag.text;
}

bool compile(const char *text, size_t length, const struct compile_options *o,
	     struct compile_result *r)
{
	/* On the heap: a longjmp may leave changed locals with any value. */
	struct compile_job *job = calloc(1, sizeof(*job));

	*r = (struct compile_result){0};
	if (!job) {
		r->messages = strdup("compile: out of memory\n");
		return false;
	}
	job->options = *o;
	if (!o->print_to)
		job->options.print_to = stderr;
	r->messages = strdup(run_in_arena(job, text, length, r));
	arena_free(&job->arena);
	free(job);
	return r->image != NULL;
}

void compile_result_free(struct compile_result *r)
{
	free(r->image);
	free(r->messages);
	free(r->stats);
	*r = (struct compile_result){0};
}
