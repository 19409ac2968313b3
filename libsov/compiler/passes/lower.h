/* SPDX-License-Identifier: MIT */
/*
 * IR lowering that back ends request for operations their target lacks (lower.c, lower_copies.c,
 * lower_cluster_barriers.c, lower_group_reductions.c, lower_matrices.c, lower_mbarriers.c,
 * waterfall.c, widen_products.c), and the warp-sync analysis that they share (divergent_syncs.c).
 */
#ifndef SOV_COMPILER_LOWER_H
#define SOV_COMPILER_LOWER_H

#include "libsov/compiler/ir/ir.h"

/* Replaces an atomic that is_native() rejects by a compare-and-swap loop. The instructions after it
 * move to a new block. shared_cast: shared memory has a second compare-and-swap, which reports only
 * success, but is fast where lanes contend for one word. */
void lower_atomic(struct ir_func *f, ir_id i, bool (*is_native)(const struct ir_inst *in),
		  bool shared_cast);
/* Outside of kernels whose launches all have clusters: makes the barrier of a cluster one of the
 * block in a launch without them (lower_cluster_barriers.c). */
void lower_cluster_barriers(struct ir_func *f);
/* Replaces a reduction over a member mask by shuffles (lower_group_reductions.c). */
void lower_reduce(struct ir_func *f, ir_id i, uint32_t warp_lanes);
/* Replaces an asynchronous copy by a load and a store; returns whether the instructions after it
 * moved to a new block (lower_copies.c). */
bool lower_copy(struct ir_func *f, ir_id i);
/* Replaces bulk copies and reductions by loops, and what waits for them by nothing
 * (lower_copies.c). */
void lower_bulk_copies(struct ir_func *f);
/* Replaces copies of tensors by loops (lower_tensor_copies.c). */
void lower_tensor_copies(struct ir_func *f);
/* Executes an instruction in a loop, once for each lane, or once for each combination of values of
 * the arguments in a mask; with WATERFALL_LOW_WORDS the lower words of 64-bit arguments decide. The
 * instructions after it move to a new block (waterfall.c). */
enum waterfall { WATERFALL_LANES, WATERFALL_VALUES, WATERFALL_LOW_WORDS };
void lower_to_waterfall(struct ir_func *f, ir_id i, enum waterfall by, uint32_t arguments,
			uint32_t warp_lanes);
/* Replaces the operations of barriers in memory by atomics and loads (lower_mbarriers.c). */
void lower_mbarriers(struct ir_func *f);
/* Replaces a matrix product by shuffles and multiply-adds (lower_matrices.c). */
void lower_mma(struct ir_func *f, ir_id i, uint32_t warp_lanes);
/* Replaces a product of 4-bit integers by products of bytes, one of 8-bit floats by products of
 * f16, and one that counts the bits that differ by two that count those that both have
 * (widen_products.c). */
void lower_narrow_mma(struct ir_func *f, ir_id i, uint32_t warp_lanes);
/* Replaces a load of matrices by shuffles of the rows' addresses and loads of elements. */
void lower_loadmatrix(struct ir_func *f, ir_id i, uint32_t warp_lanes);
/* Whether the member mask of an instruction in a block is that of the lanes that execute it
 * together: then no lane waits. */
bool has_active_members(const struct ir_func *f, ir_block block, ir_val members);
/* Whether an instruction is a sync site: lanes with the same member mask may join its warp sync
 * from other instructions. Sets *kind as ir_sync_kind does (divergent_syncs.c). */
bool is_sync_site(const struct ir_func *f, ir_id i, uint32_t *kind);
/* Whether all lanes of a warp execute an instruction together, at one site: barriers, products and
 * loads of matrices. */
bool is_aligned_sync(const struct ir_inst *in);
/* Whether a function or one of its callees contains a sync site. */
bool reaches_sync_site(const struct ir_module *module, uint32_t function);
/* Whether an instruction is a call that may reach a sync site or an aligned sync. */
bool call_may_sync(const struct ir_module *module, const struct ir_inst *in);
/* By instruction: sync sites at which lanes may wait for lanes at other sites before they
 * reconverge at cfg's postdominators. */
bool *divergent_sync_sites(const struct ir_func *f, const struct ir_cfg *cfg,
			   const struct ir_divergence *d);
/* Replaces all returns of a function by branches to a single one, with phis for the results. */
void lower_returns(struct ir_func *f);

#endif
