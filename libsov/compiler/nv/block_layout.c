// SPDX-License-Identifier: MIT
/*
 * Layout: how blocks end becomes instructions. A jump to the block that follows is none; a branch
 * jumps on the condition for which the other side follows. Where neither does, the second jump is a
 * block of its own, so that nothing in a block comes after a way out of it.
 */
#include "libsov/compiler/nv/mir.h"

static struct mir_inst *append(struct mir_func *f, uint32_t b, enum sass_op op)
{
	struct mir_inst *i = mir_inst_new(f, op);

	i->terminator = true;
	i->line = f->blocks[b].line;
	mir_insert(f, b, NULL, i);
	return i;
}

static struct mir_inst *append_jump(struct mir_func *f, uint32_t b, uint32_t to)
{
	struct mir_inst *i = append(f, b, SASS_BRA);

	mir_set_operand(i, 1, (struct mir_source){.op = {.kind = SASS_TARGET}});
	i->target = to;
	return i;
}

/* A block behind b that jumps on to one of b's successors. */
static void jump_behind(struct mir_func *f, uint32_t b, uint32_t to)
{
	uint32_t n = mir_block_new(f, b);

	f->blocks[n].end = MIR_END_JUMP;
	f->blocks[n].line = f->blocks[b].line;
	mir_redirect_edge(f, b, to, n);
	mir_add_edge(f, n, to);
}

static void end_block(struct mir_func *f, uint32_t b)
{
	const struct mir_block block = f->blocks[b];
	struct mir_source cond = block.cond;
	uint32_t taken = block.nsucc ? block.succ[0] : 0, other;

	switch (block.end) {
	case MIR_END_TRAP:
		mir_set_operand(append(f, b, SASS_BPT), 0, mir_imm(1));
		append(f, b, SASS_EXIT);
		break;
	case MIR_END_EXIT:
		append(f, b, SASS_EXIT);
		break;
	case MIR_END_RETURN: /* has its instruction already: frame.c */
	case MIR_END_JUMP_TABLE:  /* … table.c */
		break;
	case MIR_END_JUMP:
		if (taken != block.next || block.slot)
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
			jump_behind(f, b, other);
		break;
	}
}

void nv_layout_blocks(struct mir_func *f)
{
	mir_for_each_block(f, b)
		end_block(f, b);
}
