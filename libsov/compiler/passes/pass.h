/* SPDX-License-Identifier: MIT */
/*
 * Passes over the IR. Each is one file and one function that returns whether it changed anything;
 * the list of all, in order, is in pass.c. After any of them the IR can be printed, and in builds
 * with SOV_VERIFY, or where the options ask for it, it is checked.
 */
#ifndef SOV_COMPILER_PASS_H
#define SOV_COMPILER_PASS_H

#include "libsov/compiler/ir/ir.h"
#include "libsov/compiler/base/target.h"

struct pass {
	const char *name; /* for --print and golden tests */
	bool (*run)(struct ir_func *f, const struct target *t);
	bool needed; /* also when nothing is to be optimised */
	bool whole;  /* looks at other functions: comes before the module is parted into units */
};

bool pass_inline_sync_callees(struct ir_func *f,
			const struct target *t); /* calls of functions where lanes meet */
bool pass_inline(struct ir_func *f, const struct target *t); /* calls of small functions */
void drop_unreachable_functions(struct ir_module *m); /* those that no kernel reaches any more */
bool pass_ssa_construction(struct ir_func *f, const struct target *t);      /* read/write -> phi */
bool pass_fold(struct ir_func *f, const struct target *t);     /* constants, identities */
bool pass_gvn(struct ir_func *f, const struct target *t);      /* one computation per value */
bool pass_full_unroll(struct ir_func *f, const struct target *t);  /* loops of few, known turns */
bool pass_scalar_replacement(struct ir_func *f, const struct target *t);  /* local memory -> registers */
bool pass_store_forwarding(struct ir_func *f, const struct target *t);  /* stores to loads, dead stores */
bool pass_licm(struct ir_func *f, const struct target *t);     /* invariant code out of loops */
bool pass_unroll(struct ir_func *f, const struct target *t);   /* four turns of a loop at a time */
bool pass_legalise(struct ir_func *f, const struct target *t); /* what the target lacks */
void outline_slow_paths(struct ir_module *m, const struct target *t); /* functions, for legalise */
bool pass_address_folding(struct ir_func *f, const struct target *t);       /* constants into offsets */
bool pass_vectorise(struct ir_func *f,
		    const struct target *t); /* neighbours in memory: one access */
bool pass_loop_constants(struct ir_func *f, const struct target *t); /* of loops: one of each */
bool pass_dce(struct ir_func *f, const struct target *t);       /* what is not used or reached */

extern const struct pass passes[]; /* the pipeline, in order; name NULL ends it */
const struct pass *pass_find(const char *name);

/* The pipeline over a module: what needs all of it, and what does with a unit (unit.h). Before the
 * first pass the IR's name is "front". False when a pass broke the IR: job->diag says which and how. */
bool passes_run_module(struct compile_job *job, struct ir_module *m);
bool passes_run_unit(struct compile_job *job, struct ir_module *m);
bool passes_run(struct compile_job *job, struct ir_module *m); /* both */

#endif
