/* SPDX-License-Identifier: MIT */
/* Reductions and scans of a subgroup (group.c) and of a workgroup (workgroup.c). */
#ifndef SOV_COMPILER_SPIRV_GROUP_H
#define SOV_COMPILER_SPIRV_GROUP_H

#include "libsov/compiler/spirv/front_end.h"

/* Group operations, by SPIR-V's numbers. */
enum {
	SPIRV_GROUP_REDUCE,
	SPIRV_GROUP_INCLUSIVE,
	SPIRV_GROUP_EXCLUSIVE,
	SPIRV_GROUP_CLUSTERED,
};

struct spirv_reduction {
	enum ir_op op;
	bool is_float;
	uint32_t operation, cluster;
};

ir_val spirv_reduction_identity(struct spirv *s, const struct spirv_reduction *r, enum ir_type t);
ir_val spirv_reduction_combine(struct spirv *s, const struct spirv_reduction *r, ir_val a,
			       ir_val b);
/* Of a value of 32 or 64 bits. */
ir_val spirv_subgroup_reduce(struct spirv *s, const struct spirv_reduction *r, ir_val v);
ir_val spirv_workgroup_reduce(struct spirv *s, const struct spirv_reduction *r, ir_val v);
/* A scalar of any type from another lane. */
ir_val spirv_shuffle(struct spirv *s, enum ir_shuffle how, ir_val v, ir_val selector);
/* Whether the lane is the first of those that execute this together. */
ir_val spirv_first_lane(struct spirv *s);
void spirv_lower_workgroup_broadcast(struct spirv *s);

#endif
