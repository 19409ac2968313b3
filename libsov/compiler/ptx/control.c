/* SPDX-License-Identifier: MIT */
/*
 * Lowering of what depends on other lanes or changes the course of control: shuffles, votes,
 * barriers, branches and ends. Blocks follow each other in the IR as they do in the text.
 */
#include "libsov/compiler/ptx/front.h"

void ptx_place(struct ptx *x, ir_block b)
{
	x->block = x->place = b;
}

ir_block ptx_block_after(struct ptx *x)
{
	return ir_block_new_before(x->func, x->func->blocks[x->place].next, NULL);
}

void ptx_jump(struct ptx *x, ir_block to)
{
	ptx_emit(x, IR_BR, IR_VOID, 0, 0, NULL);
	ir_edge(x->func, x->block, to);
	x->block = 0;
}

void ptx_branch(struct ptx *x, ir_val condition, ir_block yes, ir_block no)
{
	ptx_emit(x, IR_CBR, IR_VOID, 0, 1, &condition);
	ir_edge(x->func, x->block, yes);
	ir_edge(x->func, x->block, no);
	x->block = 0;
}

/* The block of the label that comes next in the text; 0 when something else does. */
static ir_block next_label(struct ptx *x)
{
	const struct ptx_name *n = x->token.kind == TOKEN_NAME ? ptx_find_here(x, &x->token) : NULL;
	bool here = n && n->kind == NAME_LABEL && n->line == x->token.line &&
		    n->column == x->token.column;

	return here ? n->block : 0;
}

void ptx_lower_bra(struct ptx *x, const struct ptx_inst *in)
{
	ir_block to = in->role[ROLE_TARGET]->name->block;
	ir_block label = next_label(x), next;

	if (!x->guard) {
		ptx_jump(x, to);
		return;
	}
	next = label && label != to ? label : ptx_block_after(x);
	if (x->guard_negated)
		ptx_branch(x, x->guard, next, to);
	else
		ptx_branch(x, x->guard, to, next);
	if (next != label)
		ptx_place(x, next);
}

/* A kernel's ret and exit are the same. */
void ptx_lower_ret(struct ptx *x, const struct ptx_inst *in)
{
	(void)in;
	ptx_emit(x, IR_RET, IR_VOID, 0, 0, NULL);
	x->block = 0;
}

void ptx_lower_trap(struct ptx *x, const struct ptx_inst *in)
{
	(void)in;
	ptx_emit(x, IR_TRAP, IR_VOID, 0, 0, NULL);
	x->block = 0;
}

void ptx_lower_shfl(struct ptx *x, const struct ptx_inst *in)
{
	static const enum ptx_role roles[] = {ROLE_A, ROLE_B, ROLE_C, ROLE_MEMBERS};
	ir_val args[4], v;
	ir_id i;

	for (int k = 0; k < 4; k++)
		args[k] = ptx_read(x, in->role[roles[k]]);
	i = ptx_emit(x, IR_SHUFFLE, IR_B32, 2, 4, args);
	ir_at(x->func, i)->sub = in->value[SLOT_SHUFFLE];
	v = ir_at(x->func, i)->res;
	ptx_write(x, in->role[ROLE_D], v);
	ptx_write(x, in->role[ROLE_P], v + 1);
}

void ptx_lower_vote(struct ptx *x, const struct ptx_inst *in)
{
	ir_val a = ptx_read(x, in->role[ROLE_A]);
	ir_val members = ptx_read(x, in->role[ROLE_MEMBERS]);
	ir_val v = ptx_op(x, IR_VOTE, in->role[ROLE_D]->type->ir, a, members, 0);

	ir_def(x->func, v)->sub = in->value[SLOT_VOTE];
	ptx_write(x, in->role[ROLE_D], v);
}

void ptx_lower_barrier(struct ptx *x, const struct ptx_inst *in)
{
	const struct ptx_operand *number = in->role[ROLE_A], *threads = in->role[ROLE_B];
	ir_val args[2];
	ir_id i;

	if (number->kind == OPERAND_INTEGER && number->value > 15) {
		ptx_error(x, &number->at, "barrier %llu does not exist; there are 0 to 15",
			  (unsigned long long)number->value);
		return;
	}
	if (threads && threads->kind == OPERAND_INTEGER &&
	    (!threads->value || threads->value % 32)) {
		ptx_error(x, &threads->at, "%llu threads at a barrier; it must be a multiple of 32",
			  (unsigned long long)threads->value);
		return;
	}
	args[0] = ptx_read(x, number);
	if (threads)
		args[1] = ptx_read(x, threads);
	i = ptx_emit(x, IR_BARRIER, IR_VOID, 0, threads ? 2 : 1, args);
	ir_at(x->func, i)->sub = in->value[SLOT_BARRIER];
}
