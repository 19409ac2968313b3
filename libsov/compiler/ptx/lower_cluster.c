// SPDX-License-Identifier: MIT
/*
 * Lowering of clusters. An address in shared memory contains the rank of its block (ir/cluster.h);
 * PTX leaves open where. On targets without clusters every cluster has one block, whose addresses
 * contain no rank.
 */
#include "libsov/compiler/base/target.h"
#include "libsov/compiler/ir/cluster.h"
#include "libsov/compiler/ptx/front_end.h"

#define RANK_BITS (IR_CLUSTER_RANK_MASK << IR_CLUSTER_RANK_SHIFT)

bool ptx_has_clusters(const struct ptx *x)
{
	return !x->job->target || x->job->target->clusters;
}

uint8_t ptx_cluster_space(const struct ptx *x, uint8_t space)
{
	return space == IR_SHARED_CLUSTER && !ptx_has_clusters(x) ? IR_SHARED : space;
}

/* ---- kernel directives ---- */

static void parse_cluster_shape(struct ptx *x, const struct ptx_token *t)
{
	uint64_t n[3] = {1, 1, 1};
	int axis = 0;

	do {
		if (!ptx_parse_integer(x, ".reqnctapercluster", 1, INT32_MAX, &n[axis]))
			return;
	} while (++axis < 3 && ptx_accept(x, ','));
	if (n[0] > PTX_MAX_CLUSTER || n[1] > PTX_MAX_CLUSTER || n[2] > PTX_MAX_CLUSTER ||
	    n[0] * n[1] * n[2] > PTX_MAX_CLUSTER) {
		ptx_error(x, t,
			  ".reqnctapercluster of %u x %u x %u blocks; a cluster has at most %d",
			  (unsigned)n[0], (unsigned)n[1], (unsigned)n[2], PTX_MAX_CLUSTER);
		return;
	}
	if (n[0] * n[1] * n[2] > 1 && !ptx_has_clusters(x)) {
		ptx_error(x, t,
			  "a cluster of %u x %u x %u blocks needs sm_90 and is not supported on %s",
			  (unsigned)n[0], (unsigned)n[1], (unsigned)n[2], x->job->target->name);
		return;
	}
	for (axis = 0; axis < 3 && ptx_has_clusters(x); axis++)
		x->func->cluster[axis] = (uint32_t)n[axis];
}

/* After the word; false: it is another directive. */
bool ptx_parse_cluster_directive(struct ptx *x, const struct ptx_token *t)
{
	uint64_t n;

	if (ptx_is_keyword(t, ".reqnctapercluster")) {
		parse_cluster_shape(x, t);
	} else if (ptx_is_keyword(t, ".explicitcluster")) {
		x->func->explicit_cluster = ptx_has_clusters(x);
	} else if (ptx_is_keyword(t, ".maxclusterrank")) {
		if (ptx_parse_integer(x, ".maxclusterrank", 1, IR_MAX_CLUSTER, &n) &&
		    ptx_has_clusters(x))
			x->func->max_cluster = (uint32_t)n;
	} else {
		return false;
	}
	return true;
}

void ptx_check_cluster(struct ptx *x)
{
	if (x->func->cluster[0] && x->func->max_cluster)
		ptx_error(x, &x->token,
			  "a kernel has either .reqnctapercluster or .maxclusterrank, not both");
}

/* ---- special registers ---- */

bool ptx_is_cluster_special(uint32_t special)
{
	return (special >= IR_CLUSTER_CTARANK && special <= IR_NCLUSTERID_Z) ||
	       (special >= SPECIAL_CLUSTERID_X && special <= SPECIAL_CLUSTER_CTAID_Z);
}

static ir_val read_register(struct ptx *x, uint32_t sreg)
{
	ir_val v = ptx_op(x, IR_SREG, IR_B32, 0, 0, 0);

	ir_def(x->func, v)->sub = (uint8_t)sreg;
	return v;
}

/* The blocks of a cluster on an axis. */
static ir_val cluster_size(struct ptx *x, uint32_t axis)
{
	if (x->func->cluster[0])
		return ptx_emit_constant(x, IR_B32, x->func->cluster[axis]);
	return read_register(x, IR_CLUSTER_NCTAID_X + axis);
}

/* What a cluster of one block reads. */
static ir_val read_without_clusters(struct ptx *x, uint32_t special)
{
	if (special >= SPECIAL_CLUSTERID_X && special <= SPECIAL_CLUSTERID_Z)
		return read_register(x, IR_CTAID_X + (special - SPECIAL_CLUSTERID_X));
	if (special >= IR_NCLUSTERID_X && special <= IR_NCLUSTERID_Z)
		return read_register(x, IR_NCTAID_X + (special - IR_NCLUSTERID_X));
	return ptx_emit_constant(
		x, IR_B32,
		special == IR_CLUSTER_NCTARANK ||
			(special >= IR_CLUSTER_NCTAID_X && special <= IR_CLUSTER_NCTAID_Z));
}

ir_val ptx_read_cluster_special(struct ptx *x, uint32_t special)
{
	uint32_t axis;

	if (!ptx_has_clusters(x))
		return read_without_clusters(x, special);
	if (special >= IR_CLUSTER_NCTAID_X && special <= IR_CLUSTER_NCTAID_Z)
		return cluster_size(x, special - IR_CLUSTER_NCTAID_X);
	if (special < SPECIAL_CLUSTERID_X)
		return read_register(x, special);
	axis = (special - SPECIAL_CLUSTERID_X) % 3;
	x->module->clusters = true;
	return ptx_op(x, special <= SPECIAL_CLUSTERID_Z ? IR_DIV_U : IR_REM_U, IR_B32,
		      read_register(x, IR_CTAID_X + axis), cluster_size(x, axis), 0);
}

/* ---- addresses ---- */

/* The generic address for one in the cluster's shared memory, 0: a number alone, which is then in
 * offset. */
ir_val ptx_cluster_generic(struct ptx *x, ir_val address, uint64_t *offset)
{
	ir_val v = address;

	if (!v) {
		v = ptx_emit_constant(x, IR_B64, (uint32_t)*offset);
		*offset = 0;
	} else if (x->func->values[v].type == IR_B32) {
		v = ptx_convert(x, IR_ZEXT, IR_B32, IR_B64, v);
	}
	v = ptx_op(x, IR_GENERIC, IR_B64, v, 0, 0);
	ir_def(x->func, v)->space = IR_SHARED_CLUSTER;
	return v;
}

/* A variable whose address is an operand is in shared memory. */
static bool check_shared(struct ptx *x, const struct ptx_inst *in)
{
	const struct ptx_operand *o = in->role[ROLE_A];

	if (o->kind != OPERAND_VARIABLE || x->module->symbols[o->name->symbol].space == IR_SHARED)
		return true;
	ptx_error(x, &o->at, "'%.*s' is in .%s space, but '%s' needs an address of .shared",
		  TEXT(o->name), ir_space_names[x->module->symbols[o->name->symbol].space],
		  ptx_spelling(x, in));
	return false;
}

/* Replaces the rank in an address. */
void ptx_lower_mapa(struct ptx *x, const struct ptx_inst *in)
{
	enum ir_type t = ptx_inst_type(in, SLOT_TYPE)->ir;
	ir_val address, rank, mask;

	if (!check_shared(x, in))
		return;
	address = ptx_read_role(x, in, ROLE_A);
	rank = ptx_read_role(x, in, ROLE_B);
	if (!ptx_has_clusters(x)) {
		ptx_write_operand(x, in->role[ROLE_D], address);
		return;
	}
	x->module->clusters = true;
	mask = ptx_emit_constant(x, t, ~RANK_BITS & UINT64_MAX >> (64 - ir_type_bits(t)));
	address = ptx_op(x, IR_AND, t, address, mask, 0);
	rank = ptx_op(x, IR_SHL, IR_B32, rank, ptx_emit_constant(x, IR_B32, IR_CLUSTER_RANK_SHIFT),
		      0);
	rank = ptx_convert(x, IR_ZEXT, IR_B32, t, rank);
	ptx_write_operand(x, in->role[ROLE_D], ptx_op(x, IR_OR, t, address, rank, 0));
}

void ptx_lower_getctarank(struct ptx *x, const struct ptx_inst *in)
{
	enum ir_type t = ptx_inst_type(in, SLOT_TYPE)->ir;
	ir_val v = ptx_emit_constant(x, IR_B32, 0);

	if (!check_shared(x, in))
		return;
	if (ptx_has_clusters(x)) {
		x->module->clusters = true;
		v = ptx_convert(x, IR_TRUNC, t, IR_B32, ptx_read_role(x, in, ROLE_A));
		v = ptx_op(x, IR_SHR_U, IR_B32, v,
			   ptx_emit_constant(x, IR_B32, IR_CLUSTER_RANK_SHIFT), 0);
	}
	ptx_write_operand(x, in->role[ROLE_D], v);
}

/* ---- barriers ---- */

static void emit_fence(struct ptx *x, enum ir_order order)
{
	ir_id i = ptx_emit(x, IR_FENCE, IR_VOID, 0, 0, NULL);

	ir_at(x->func, i)->scope = IR_SCOPE_CLUSTER;
	ir_at(x->func, i)->order = (uint8_t)order;
}

/* The hardware's instructions count a warp, so that a warp sync joins its lanes before them
 * where PTX does not say that they execute the barrier together. */
static void join_lanes(struct ptx *x, const struct ptx_inst *in)
{
	ir_val all;

	if (ptx_is_spelled(in, ".aligned"))
		return;
	all = ptx_emit_constant(x, IR_B32, UINT32_MAX);
	ptx_emit(x, IR_WARPSYNC, IR_VOID, 0, 1, &all);
}

/* In a cluster of one block the wait is a barrier of the block, and the arrival is nothing. */
void ptx_lower_cluster_arrive(struct ptx *x, const struct ptx_inst *in)
{
	ir_id i;

	if (!ptx_has_clusters(x))
		return;
	if (!ptx_has_modifier(in, SLOT_ORDER) || in->value[SLOT_ORDER] != IR_RELAXED)
		emit_fence(x, IR_RELEASE);
	join_lanes(x, in);
	i = ptx_emit(x, IR_CLUSTER_BARRIER, IR_VOID, 0, 0, NULL);
	ir_at(x->func, i)->sub = IR_CLUSTER_ARRIVE;
}

void ptx_lower_cluster_wait(struct ptx *x, const struct ptx_inst *in)
{
	ir_val zero;
	ir_id i;

	if (!ptx_has_clusters(x)) {
		zero = ptx_emit_constant(x, IR_B32, 0);
		i = ptx_emit(x, IR_BARRIER, IR_VOID, 0, 1, &zero);
		ir_at(x->func, i)->sub = IR_BARRIER_SYNC;
		return;
	}
	join_lanes(x, in);
	i = ptx_emit(x, IR_CLUSTER_BARRIER, IR_VOID, 0, 0, NULL);
	ir_at(x->func, i)->sub = IR_CLUSTER_WAIT;
	emit_fence(x, IR_ACQUIRE);
}

/* Targets with clusters also have grids that start before the one that they depend on has ended. */
void ptx_lower_grid_wait(struct ptx *x, const struct ptx_inst *in)
{
	(void)in;
	if (ptx_has_clusters(x))
		ptx_emit(x, IR_GRIDWAIT, IR_VOID, 0, 0, NULL);
}
