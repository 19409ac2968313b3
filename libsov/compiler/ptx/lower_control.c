// SPDX-License-Identifier: MIT
/* Lowering of control flow: branches, ret, exit, trap. IR blocks keep the order of the text. */
#include "libsov/compiler/ptx/front_end.h"

void ptx_set_block(struct ptx *x, ir_block b)
{
	x->block = x->last_block = b;
}

ir_block ptx_block_new(struct ptx *x)
{
	return ir_block_new_before(x->func, x->func->blocks[x->last_block].next, NULL);
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

/* The block of the label that the next token declares; 0: the next token is not a label. */
static ir_block next_label(struct ptx *x)
{
	const struct ptx_name *n =
		x->token.kind == TOKEN_NAME ? ptx_lookup_innermost(x, &x->token) : NULL;
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
	next = label && label != to ? label : ptx_block_new(x);
	if (x->guard_negated)
		ptx_branch(x, x->guard, next, to);
	else
		ptx_branch(x, x->guard, to, next);
	if (next != label)
		ptx_set_block(x, next);
}

/* Emits a binary decision tree that jumps to to[index], for index in [first, first + count). */
static void emit_branch_tree(struct ptx *x, ir_val index, const ir_block *to, uint32_t first,
			     uint32_t count)
{
	uint32_t half = count / 2;
	ir_block low, high;
	ir_val below;

	if (count == 1) {
		ptx_jump(x, to[first]);
		return;
	}
	below = ptx_compare(x, IR_ICMP, IR_B32, IR_LT_U, index,
			    ptx_emit_constant(x, IR_B32, first + half));
	high = ptx_block_new(x);
	low = ptx_block_new(x);
	ptx_branch(x, below, low, high);
	ptx_set_block(x, low);
	emit_branch_tree(x, index, to, first, half);
	ptx_set_block(x, high);
	emit_branch_tree(x, index, to, first + half, count - half);
}

void ptx_lower_brx(struct ptx *x, const struct ptx_inst *in)
{
	const struct ptx_name *list = in->role[ROLE_TARGETS]->name;
	ir_block *to = arena_array(x->arena, list->count, sizeof(*to));
	ir_val index;

	for (uint32_t k = 0; k < list->count; k++) {
		const struct ptx_name *n = ptx_lookup(x, &list->targets[k]);

		if (!n || n->kind != NAME_LABEL) {
			ptx_error(x, &list->targets[k], "'%.*s' is no label",
				  TEXT(&list->targets[k]));
			return;
		}
		to[k] = n->block;
	}
	index = ptx_read_role(x, in, ROLE_A);
	emit_branch_tree(x, index, to, 0, list->count);
}

/* Returns the current values of the function's results. */
void ptx_lower_ret(struct ptx *x, const struct ptx_inst *in)
{
	ir_val values[IR_MAX_RESULTS];
	uint32_t n = 0;

	(void)in;
	for (uint32_t k = 0; k < x->nresults; k++) {
		const struct ptx_name *r = x->results[k];

		if (r->kind == NAME_REGISTER) {
			bool predicate = r->type->class == CLASS_PREDICATE;
			ir_val v = ptx_read_register(x, x->results[k]);

			values[n++] = predicate ? ptx_convert(x, IR_ZEXT, IR_B1, IR_B32, v) : v;
		}
		for (uint32_t c = 0; r->kind == NAME_OBJECT && c < r->object->ncells; c++)
			values[n++] = ptx_cell_read(x, r->object, c);
	}
	ptx_emit(x, IR_RET, IR_VOID, 0, n, values);
	x->block = 0;
}

/* In a kernel, exit is ret. */
void ptx_lower_exit(struct ptx *x, const struct ptx_inst *in)
{
	(void)in;
	ptx_emit(x, x->func->kind == IR_KERNEL ? IR_RET : IR_EXIT, IR_VOID, 0, 0, NULL);
	x->block = 0;
}

void ptx_lower_trap(struct ptx *x, const struct ptx_inst *in)
{
	(void)in;
	ptx_emit(x, IR_TRAP, IR_VOID, 0, 0, NULL);
	x->block = 0;
}
