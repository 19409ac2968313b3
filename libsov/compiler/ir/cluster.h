/* SPDX-License-Identifier: MIT */
/*
 * Clusters: blocks that run at the same time and can access each other's shared memory. In a module
 * with clusters an address of shared memory is the offset in a block's shared memory and, above it,
 * the rank of that block in its cluster, as NVIDIA's chips have it. Shared memory of the thread's
 * own block is accessed by such an address, that of any block of the cluster by the generic
 * address that `generic shared.cluster` returns.
 */
#ifndef SOV_COMPILER_IR_CLUSTER_H
#define SOV_COMPILER_IR_CLUSTER_H

#include "libsov/compiler/ir/ir.h"

#define IR_CLUSTER_RANK_SHIFT  24
#define IR_CLUSTER_OFFSET_MASK ((UINT64_C(1) << IR_CLUSTER_RANK_SHIFT) - 1)
#define IR_CLUSTER_RANK_MASK   UINT64_C(0xff)

/* Whether an instruction or a kernel's attribute names clusters. */
bool ir_names_clusters(const struct ir_module *m);
/* Adds the block's rank to the addresses of shared variables. */
void ir_cluster_addresses(struct ir_module *m);

#endif
