// SPDX-License-Identifier: MIT
/*
 * The pass pipeline. Inlining comes first. After SSA construction, folding and value numbering feed
 * each other, so they run several times. Full unrolling then makes array indices constant, which
 * lets scalar replacement convert local arrays to values. Loop-invariant code motion follows once
 * loop bodies are minimal. Legalisation comes after these: before it, a division is one instruction
 * that GVN and LICM can handle; after it, a division is dozens of instructions that are folded and
 * numbered among themselves, and parts of which leave loops. Address folding comes late because it
 * replaces sums with machine offsets; value numbering and DCE clean up after it.
 *
 * Without optimisation only the mandatory passes run, on which the back ends depend.
 */
#include <string.h>
#include "libsov/compiler/base/compile_job.h"
#include "libsov/compiler/passes/call_graph.h"
#include "libsov/compiler/passes/pass.h"

#define MAX_CALL_DEPTH 4096u

const struct pass passes[] = {
	{"inline-sync-callees", pass_inline_sync_callees, true, true},
	{"inline", pass_inline, false, true},
	{"ssa-construction", pass_ssa_construction, true, false},
	{"fold", pass_fold, false, false},
	{"dce", pass_dce, false, false},
	{"gvn", pass_gvn, false, false},
	{"fold", pass_fold, false, false},
	{"scalar-replacement", pass_scalar_replacement, false, false},
	{"fold", pass_fold, false, false},
	{"gvn", pass_gvn, false, false},
	{"full-unroll", pass_full_unroll, false, false},
	{"scalar-replacement", pass_scalar_replacement, false, false},
	{"fold", pass_fold, false, false},
	{"dce", pass_dce, false, false},
	{"gvn", pass_gvn, false, false},
	{"store-forwarding", pass_store_forwarding, false, false},
	{"unread-stores", pass_unread_stores, false, false},
	{"short-sides", pass_short_sides, false, false},
	{"licm", pass_licm, false, false},
	{"unroll", pass_unroll, false, false},
	{"early-loads", pass_early_loads, false, false},
	{"legalise", pass_legalise, true, false},
	{"early-conditions", pass_early_conditions, false, false},
	{"fold", pass_fold, false, false},
	{"gvn", pass_gvn, false, false},
	{"licm-late", pass_licm_late, false, false},
	{"address-folding", pass_address_folding, true, false},
	{"gvn", pass_gvn, false, false},
	{"vectorise", pass_vectorise, false, false},
	{"narrow-phis", pass_narrow_phis, false, false},
	{"loop-constants", pass_loop_constants, false, false},
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

static void print_pass(const struct compile_job *job, const struct ir_func *f, const char *name)
{
	const char *wanted = job->options.print_pass;

	if (!wanted || (strcmp(wanted, "all") && strcmp(wanted, name)))
		return;
	fprintf(job->options.print_to, "; %s after %s\n", f->name, name);
	ir_print_func(f, job->options.print_to);
	fputc('\n', job->options.print_to);
}

/* Position, from 1, of the previous run of the same pass in the pipeline; 0: there is none. */
static uint32_t previous_run(const struct pass *p)
{
	const struct pass *q = p;

	while (q-- > passes)
		if (q->run == p->run)
			return (uint32_t)(q - passes) + 1;
	return 0;
}

static bool verify_pass(struct compile_job *job, const struct ir_module *m, const struct pass *p)
{
	if (!compile_verifies(job) || ir_verify(m, &job->diag))
		return true;
	diag_fault(&job->diag, 0, 0,
		   "the pass '%s' produced invalid IR for %s: a fault of the compiler; print the "
		   "passes "
		   "before it to find the first wrong one",
		   p->name, job->target->name);
	return false;
}

/* Skips a pass that has already run if no later pass changed the function. */
static bool run_passes(struct compile_job *job, struct ir_module *m, bool module_level)
{
	/* By function: position of the last pass that changed it. */
	uint32_t capacity = m->nfuncs, *changed = arena_array(m->arena, capacity, sizeof(*changed));

	for (const struct pass *p = passes; p->name; p++) {
		if (p->module_level != module_level || (job->options.unoptimised && !p->mandatory))
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
			uint32_t before = previous_run(p);

			if ((!before || changed[f->index] > before) && p->run(f, job->target))
				changed[f->index] = (uint32_t)(p - passes) + 1;
			print_pass(job, f, p->name);
		}
		if (p->run == pass_inline || p->run == pass_inline_sync_callees)
			drop_unreachable_functions(m);
		if (!verify_pass(job, m, p))
			return false;
	}
	return true;
}

/* The back ends follow calls recursively, for the depth of the stack. */
static bool check_call_depth(struct compile_job *job, struct ir_module *m)
{
	const struct ir_call_facts *facts = call_facts(m);

	for (const struct ir_func *f = m->funcs; f; f = f->next) {
		if (facts[f->index].depth <= MAX_CALL_DEPTH)
			continue;
		diag_error(&job->diag, 0, 0,
			   "'%s': calls are nested %u deep; at most %u levels are supported",
			   f->name, facts[f->index].depth, MAX_CALL_DEPTH);
		return false;
	}
	return true;
}

bool passes_run_module(struct compile_job *job, struct ir_module *m)
{
	if (!check_call_depth(job, m))
		return false;
	for (struct ir_func *f = m->funcs; f; f = f->next)
		print_pass(job, f, "front");
	return run_passes(job, m, true);
}

bool passes_run_unit(struct compile_job *job, struct ir_module *m)
{
	return run_passes(job, m, false);
}

bool passes_run(struct compile_job *job, struct ir_module *m)
{
	return passes_run_module(job, m) && passes_run_unit(job, m);
}
