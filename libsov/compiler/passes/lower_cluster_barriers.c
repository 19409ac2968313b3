// SPDX-License-Identifier: MIT
/*
 * The barrier of a cluster where the launch may have none: NVIDIA's instructions need a launch with
 * clusters, and ptxas tests for one before them, too. In a launch without clusters the wait is a
 * barrier of the block, and the arrival is nothing.
 */
#include "libsov/compiler/analysis/cfg_walk.h"
#include "libsov/compiler/passes/lower.h"

static ir_id append(struct ir_func *f, ir_block b, enum ir_op op, enum ir_type type,
		    const ir_val *args, uint32_t nargs, uint32_t nres)
{
	ir_id i = ir_inst_new(f, op, type, args, nargs, nres);

	ir_append(f, b, i);
	return i;
}

static void jump(struct ir_func *f, ir_block from, ir_block to)
{
	append(f, from, IR_BR, IR_VOID, NULL, 0, 0);
	ir_edge(f, from, to);
}

static ir_val is_cluster_launch(struct ir_func *f, ir_block b)
{
	ir_id launch = append(f, b, IR_SREG, IR_B32, NULL, 0, 1), test;
	ir_val args[2];

	ir_at(f, launch)->sub = IR_CLUSTER_LAUNCH;
	args[0] = ir_at(f, launch)->res;
	args[1] = ir_const(f, b, IR_B32, 0);
	test = append(f, b, IR_ICMP, IR_B32, args, 2, 1);
	ir_at(f, test)->cond = IR_NE;
	return ir_at(f, test)->res;
}

static void lower_barrier(struct ir_func *f, ir_id i)
{
	ir_block before = ir_at(f, i)->block, rest = cfg_split_block(f, i);
	ir_block cluster = ir_block_new_before(f, rest, NULL), block = rest;
	ir_val launched = is_cluster_launch(f, before), zero;

	if (ir_at(f, i)->sub == IR_CLUSTER_WAIT) {
		block = ir_block_new_before(f, rest, NULL);
		zero = ir_const(f, block, IR_B32, 0);
		ir_at(f, append(f, block, IR_BARRIER, IR_VOID, &zero, 1, 0))->sub = IR_BARRIER_SYNC;
		jump(f, block, rest);
	}
	append(f, before, IR_CBR, IR_VOID, &launched, 1, 0);
	ir_edge(f, before, cluster);
	ir_edge(f, before, block);
	ir_remove(f, i);
	ir_append(f, cluster, i);
	jump(f, cluster, rest);
}

void lower_cluster_barriers(struct ir_func *f)
{
	uint32_t count = f->ninsts;

	if (f->explicit_cluster)
		return;
	for (ir_id i = 1; i < count; i++)
		if (ir_at(f, i)->op == IR_CLUSTER_BARRIER && ir_at(f, i)->block)
			lower_barrier(f, i);
}
