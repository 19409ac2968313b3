// SPDX-License-Identifier: MIT
/*
 * The pipeline. Calls of small functions go first. After SSA construction, folding and value
 * numbering feed each other, so they run twice. Then loops of few turns are written out, which
 * makes indices constants and lets local arrays become values; loop-invariant motion comes when
 * loops hold no more than they must. Then what the machine lacks is written out: before, a
 * division is one instruction that can be shared and moved; after, it is dozens that are folded
 * and shared among themselves. Address folding comes last, because it trades clear sums for
 * machine offsets, and what it regroups is numbered and swept once more.
 *
 * Without optimisation only those run that a back end cannot do without.
 */
#include <string.h>
#include "libsov/compiler/driver/compiler.h"
#include "libsov/compiler/passes/pass.h"

const struct pass passes[] = {
	{"inline-places", pass_inline_sync_callees, true, true},
	{"inline", pass_inline, false, true},
	{"ssa", pass_ssa_construction, true, false},
	{"fold", pass_fold, false, false},
	{"dce", pass_dce, false, false},
	{"gvn", pass_gvn, false, false},
	{"fold", pass_fold, false, false},
	{"flatten", pass_full_unroll, false, false},
	{"promote", pass_scalar_replacement, false, false},
	{"fold", pass_fold, false, false},
	{"dce", pass_dce, false, false},
	{"gvn", pass_gvn, false, false},
	{"forward", pass_store_forwarding, false, false},
	{"licm", pass_licm, false, false},
	{"unroll", pass_unroll, false, false},
	{"legalise", pass_legalise, true, false},
	{"fold", pass_fold, false, false},
	{"gvn", pass_gvn, false, false},
	{"address", pass_address_folding, true, false},
	{"gvn", pass_gvn, false, false},
	{"vectorise", pass_vectorise, false, false},
	{"constants", pass_loop_constants, false, false},
	{"dce", pass_dce, false, false},
	{NULL, NULL, false, false},
};

const struct pass *pass_find(const char *name)
{
	for (const struct pass *p = passes; p->name; p++)
		if (!strcmp(p->name, name))
			return p;
	return NULL;
}

static void print_after(const struct compile_job *job, const struct ir_func *f, const char *name)
{
	const char *wanted = job->options.print_pass;

	if (!wanted || (strcmp(wanted, "all") && strcmp(wanted, name)))
		return;
	fprintf(job->options.print_to, "; %s after %s\n", f->name, name);
	ir_print_func(f, job->options.print_to);
	fputc('\n', job->options.print_to);
}

/* Where the same pass ran before this place in the list, from 1; 0: it did not. */
static uint32_t ran_before(const struct pass *p)
{
	const struct pass *q = p;

	while (q-- > passes)
		if (q->run == p->run)
			return (uint32_t)(q - passes) + 1;
	return 0;
}

static bool verify_after(struct compile_job *job, const struct ir_module *m, const struct pass *p)
{
	if (!compile_verifies(job) || ir_verify(m, &job->diag))
		return true;
	diag_error(
		&job->diag, 0, 0,
		"the pass '%s' left broken code for %s: a fault of the compiler; print the passes "
		"before it to see where it begins",
		p->name, job->target->name);
	return false;
}

/* A pass that runs again where nothing has changed since would find nothing. */
static bool run(struct compile_job *job, struct ir_module *m, bool whole)
{
	/* By function: which pass of the list changed it last. */
	uint32_t capacity = m->nfuncs, *changed = arena_array(m->arena, capacity, sizeof(*changed));

	for (const struct pass *p = passes; p->name; p++) {
		if (p->whole != whole || (job->options.unoptimised && !p->needed))
			continue;
		if (p->run == pass_inline && job->options.keep_calls)
			continue;
		if (p->run == pass_legalise) {
			uint32_t old = m->nfuncs;

			outline_slow_paths(m, job->target);
			changed = arena_grow(m->arena, changed, &capacity, m->nfuncs,
					     sizeof(*changed));
			while (old < m->nfuncs)
				changed[old++] = (uint32_t)(p - passes) + 1;
		}
		for (struct ir_func *f = m->funcs; f; f = f->next) {
			uint32_t before = ran_before(p);

			if ((!before || changed[f->index] > before) && p->run(f, job->target))
				changed[f->index] = (uint32_t)(p - passes) + 1;
			print_after(job, f, p->name);
		}
		if (p->run == pass_inline || p->run == pass_inline_sync_callees)
			drop_unreachable_functions(m);
		if (!verify_after(job, m, p))
			return false;
	}
	return true;
}

bool passes_run_module(struct compile_job *job, struct ir_module *m)
{
	for (struct ir_func *f = m->funcs; f; f = f->next)
		print_after(job, f, "front");
	return run(job, m, true);
}

bool passes_run_unit(struct compile_job *job, struct ir_module *m)
{
	return run(job, m, false);
}

bool passes_run(struct compile_job *job, struct ir_module *m)
{
	return passes_run_module(job, m) && passes_run_unit(job, m);
}
