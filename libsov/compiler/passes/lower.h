/* SPDX-License-Identifier: MIT */
/* What back ends write out on the IR, each for what its machine does not have (lower.c, groups.c, places.c). */
#ifndef SOV_COMPILER_LOWER_H
#define SOV_COMPILER_LOWER_H

#include "libsov/compiler/ir/ir.h"

/* An atomic operation that is_native() refuses becomes a loop around one that it does not; what stood
 * behind it in its block stands in another one afterwards. */
void lower_atomic(struct ir_func *f, ir_id i, bool (*is_native)(const struct ir_inst *in));
/* A reduction becomes a chain of shuffles (groups.c). */
void lower_reduce(struct ir_func *f, ir_id i);
/* Whether an instruction is one at which lanes that name the same members meet, wherever they are; *kind as of
 * ir_sync_kind (places.c). */
bool is_sync_site(const struct ir_func *f, ir_id i, uint32_t *kind);
/* Whether there are such in a function, or in what it calls. seen: by function, all false. */
bool reaches_sync_site(const struct ir_module *module, uint32_t function, bool *seen);
/* By instruction: those where lanes meet others that are at another one, before cfg's postdominators bring them
 * together. */
bool *divergent_sync_sites(const struct ir_func *f, const struct ir_cfg *cfg,
		   const struct ir_divergence *d);
/* All returns of a function become jumps to one, and its results phis there. */
void lower_returns(struct ir_func *f);

#endif
