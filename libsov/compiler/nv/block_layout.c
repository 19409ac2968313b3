// SPDX-License-Identifier: MIT
/*
 * Block layout: terminators become instructions. A jump to the next block is omitted; a branch
 * tests the condition whose other side falls through. If neither side does, the second jump gets
 * its own block, so that no instruction of a block follows a branch.
 */
#include "libsov/compiler/nv/mir.h"

static struct mir_inst *append_terminator(struct mir_func *f, uint32_t b, enum sass_op op)
{
	struct mir_inst *i = mir_inst_new(f, op);

	i->terminator = true;
	i->line = f->blocks[b].line;
	mir_insert(f, b, NULL, i);
	return i;
}

static struct mir_inst *append_jump(struct mir_func *f, uint32_t b, uint32_t to)
{
	struct mir_inst *i = append_terminator(f, b, SASS_BRA);

	mir_set_operand(i, 1, (struct mir_source){.op = {.kind = SASS_TARGET}});
	i->target = to;
	return i;
}

/* Inserts a block after b that jumps to one of b's successors. */
static void insert_jump_block(struct mir_func *f, uint32_t b, uint32_t to)
{
	uint32_t n = mir_block_new(f, b);

	f->blocks[n].end = MIR_END_JUMP;
	f->blocks[n].line = f->blocks[b].line;
	mir_redirect_edge(f, b, to, n);
	mir_add_edge(f, n, to);
}

static void emit_terminator(struct mir_func *f, uint32_t b)
{
	const struct mir_block block = f->blocks[b];
	struct mir_source cond = block.cond;
	uint32_t taken = block.nsucc ? block.succ[0] : 0, other;

	switch (block.end) {
	case MIR_END_TRAP:
		mir_set_operand(append_terminator(f, b, SASS_BPT), 0, mir_imm(1));
		append_terminator(f, b, SASS_EXIT);
		break;
	case MIR_END_EXIT:
		append_terminator(f, b, SASS_EXIT);
		break;
	case MIR_END_RETURN:     /* emitted by frame.c */
	case MIR_END_JUMP_TABLE: /* emitted by jump_table.c */
		break;
	case MIR_END_JUMP:
		if (taken != block.next || block.table_slot)
			append_jump(f, b, taken);
		break;
	case MIR_END_BRANCH:
		other = block.succ[1];
		if (taken == block.next) {
			taken = block.succ[1];
			other = block.succ[0];
			cond.op.flags ^= SASS_NEG;
		}
		mir_set_guard(append_jump(f, b, taken), cond);
		if (other != block.next)
			insert_jump_block(f, b, other);
		break;
	}
}

void nv_layout_blocks(struct mir_func *f)
{
	mir_for_each_block(f, b)
		emit_terminator(f, b);
}
