/* SPDX-License-Identifier: MIT */
/*
 * Passes over the IR. Each pass is one file and one function pass_<file>() that returns whether it
 * changed anything; pass.c lists them in pipeline order. The IR can be printed after every pass,
 * and the verifier checks it there in builds with SOV_VERIFY or with the verify option.
 */
#ifndef SOV_COMPILER_PASS_H
#define SOV_COMPILER_PASS_H

#include "libsov/compiler/ir/ir.h"
#include "libsov/compiler/base/target.h"

struct pass {
	const char *name; /* for --print and golden tests */
	bool (*run)(struct ir_func *f, const struct target *t);
	bool mandatory; /* runs without optimisation too */
	/* inspects other functions, so it runs before the module is split into units */
	bool module_level;
};

bool pass_inline_sync_callees(struct ir_func *f,
			      const struct target *t);       /* callees that contain warp syncs */
bool pass_inline(struct ir_func *f, const struct target *t); /* small callees */
void drop_unreachable_functions(struct ir_module *m);        /* after inlining */
/* mutable registers -> values and phis */
bool pass_ssa_construction(struct ir_func *f, const struct target *t);
bool pass_fold(struct ir_func *f, const struct target *t); /* constants, algebraic identities */
bool pass_gvn(struct ir_func *f, const struct target *t);  /* global value numbering */
/* loops of a small constant trip count */
bool pass_full_unroll(struct ir_func *f, const struct target *t);
/* local arrays -> values */
bool pass_scalar_replacement(struct ir_func *f, const struct target *t);
/* store-to-load forwarding, dead stores */
bool pass_store_forwarding(struct ir_func *f, const struct target *t);
/* stores to variables that nothing reads */
bool pass_unread_stores(struct ir_func *f, const struct target *t);
bool pass_licm(struct ir_func *f, const struct target *t);      /* loop-invariant code motion */
bool pass_licm_late(struct ir_func *f, const struct target *t); /* of expansions' parts */
/* makes 32-bit phis of those whose high half is not needed */
bool pass_narrow_phis(struct ir_func *f, const struct target *t);
bool pass_unroll(struct ir_func *f, const struct target *t); /* unrolls loops by four */
/* moves comparisons of loop headers to the iteration before */
bool pass_early_conditions(struct ir_func *f, const struct target *t);
/* loads before the divisions that legalisation expands */
bool pass_early_loads(struct ir_func *f, const struct target *t);
bool pass_short_sides(struct ir_func *f, const struct target *t);
/* expands operations that the target lacks */
bool pass_legalise(struct ir_func *f, const struct target *t);
/* for legalise: makes functions of common slow paths */
void outline_slow_paths(struct ir_module *m, const struct target *t);
/* constant addends -> instruction offsets */
bool pass_address_folding(struct ir_func *f, const struct target *t);
bool pass_vectorise(struct ir_func *f,
		    const struct target *t); /* adjacent accesses -> vector accesses */
/* one copy of each constant, outside of the loop */
bool pass_loop_constants(struct ir_func *f, const struct target *t);
bool pass_dce(struct ir_func *f, const struct target *t); /* dead and unreachable code */

extern const struct pass passes[]; /* in pipeline order; ends with name NULL */
const struct pass *pass_find(const char *name);

/* Run the pipeline: the module-level passes over a module, the others over a unit (unit.h). --print
 * calls the IR before the first pass "front". Return false when a pass produced invalid IR;
 * job->diag names the pass and the fault. */
bool passes_run_module(struct compile_job *job, struct ir_module *m);
bool passes_run_unit(struct compile_job *job, struct ir_module *m);
bool passes_run(struct compile_job *job, struct ir_module *m); /* both */

#endif
