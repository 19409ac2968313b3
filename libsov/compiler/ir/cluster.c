// SPDX-License-Identifier: MIT
/* Addresses of shared variables in modules with clusters: cluster.h. */
#include "libsov/compiler/ir/cluster.h"

static bool states_cluster(const struct ir_func *f)
{
	return f->explicit_cluster || f->max_cluster > 1 ||
	       (uint64_t)f->cluster[0] * f->cluster[1] * f->cluster[2] > 1;
}

static bool names_cluster(const struct ir_inst *in)
{
	return in->op == IR_CLUSTER_BARRIER || in->space == IR_SHARED_CLUSTER ||
	       (in->op == IR_SREG && in->sub >= IR_CLUSTER_CTARANK && in->sub <= IR_NCLUSTERID_Z);
}

bool ir_names_clusters(const struct ir_module *m)
{
	for (const struct ir_func *f = m->funcs; f; f = f->next) {
		if (states_cluster(f))
			return true;
		for (ir_id i = 1; i < f->ninsts; i++)
			if (names_cluster(&f->insts[i]))
				return true;
	}
	return false;
}

static ir_val insert_before(struct ir_func *f, ir_id where, enum ir_op op, enum ir_type type,
			    const ir_val *args, uint32_t nargs)
{
	ir_id i = ir_inst_new(f, op, type, args, nargs, 1);

	ir_at(f, i)->line = ir_at(f, where)->line;
	ir_insert_before(f, where, i);
	return ir_at(f, i)->res;
}

/* The address becomes the sum of a new one, which is the offset, and the rank above it. */
static void add_rank(struct ir_func *f, ir_id i)
{
	const struct ir_inst old = *ir_at(f, i);
	ir_val shift[2], sum[2];
	struct ir_inst *in;

	sum[0] = insert_before(f, i, IR_ADDR, old.type, NULL, 0);
	ir_def(f, sum[0])->symbol = old.symbol;
	ir_def(f, sum[0])->imm = old.imm;
	shift[0] = insert_before(f, i, IR_SREG, IR_B32, NULL, 0);
	ir_def(f, shift[0])->sub = IR_CLUSTER_CTARANK;
	shift[1] = insert_before(f, i, IR_CONST, IR_B32, NULL, 0);
	ir_def(f, shift[1])->imm = IR_CLUSTER_RANK_SHIFT;
	sum[1] = insert_before(f, i, IR_SHL, IR_B32, shift, 2);
	if (old.type == IR_B64) {
		sum[1] = insert_before(f, i, IR_ZEXT, IR_B64, &sum[1], 1);
		ir_def(f, sum[1])->from = IR_B32;
	}
	in = ir_at(f, i);
	in->op = IR_ADD;
	in->symbol = 0;
	in->imm = 0;
	ir_arg_append(f, i, sum[0]);
	ir_arg_append(f, i, sum[1]);
}

void ir_cluster_addresses(struct ir_module *m)
{
	for (struct ir_func *f = m->funcs; f; f = f->next)
		ir_for_each_block(f, b)
			ir_for_each_inst_safe(f, b, i)
				if (ir_at(f, i)->op == IR_ADDR &&
				    m->symbols[ir_at(f, i)->symbol].space == IR_SHARED)
					add_rank(f, i);
}
