// SPDX-License-Identifier: MIT
/*
 * Encoding: removes jumps to the next block, assigns offsets, relaxes jumps beyond the 128 KiB
 * range of s_branch into s_setpc_b64 sequences, and fills in branch distances and references.
 */
#include <string.h>
#include "libsov/compiler/amd/mir.h"

static uint32_t next_nonempty_block(const struct gcn_func *f, uint32_t b)
{
	do
		b = f->blocks[b].next;
	while (b && !f->blocks[b].first);
	return b;
}

static uint32_t resolve_target(const struct gcn_func *f, uint32_t b)
{
	return f->blocks[b].first ? b : next_nonempty_block(f, b);
}

static enum amd_op inverted_branch(enum amd_op op)
{
	switch (op) {
	case AMD_s_cbranch_scc1:
		return AMD_s_cbranch_scc0;
	case AMD_s_cbranch_scc0:
		return AMD_s_cbranch_scc1;
	case AMD_s_cbranch_execz:
		return AMD_s_cbranch_execnz;
	case AMD_s_cbranch_execnz:
		return AMD_s_cbranch_execz;
	default:
		return AMD_OP_COUNT;
	}
}

/* Merges a conditional jump to the block behind the next one, which is only a jump and has no other
 * entry, with that jump. */
static bool merge_jumps(struct gcn_func *f, uint32_t b, const bool *is_target)
{
	struct gcn_inst *last = f->blocks[b].last, *only;
	uint32_t next = next_nonempty_block(f, b);
	enum amd_op inverted = last ? inverted_branch(last->in.row->op) : AMD_OP_COUNT;

	if (inverted == AMD_OP_COUNT || !next || is_target[next])
		return false;
	only = f->blocks[next].first;
	if (only != f->blocks[next].last || only->in.row->op != AMD_s_branch ||
	    resolve_target(f, last->target) != next_nonempty_block(f, next))
		return false;
	amd_init(&last->in, inverted, AMD_PLAIN);
	last->target = only->target;
	gcn_remove(f, next, only);
	return true;
}

/* Leads a jump to a block that is only another jump to where that one goes. */
static bool thread_jump(struct gcn_func *f, struct gcn_inst *i)
{
	uint32_t to = resolve_target(f, i->target);
	const struct gcn_inst *only = f->blocks[to].first;

	if (!only || only->in.row->op != AMD_s_branch || resolve_target(f, only->target) == to ||
	    i->target == only->target)
		return false;
	i->target = only->target;
	return true;
}

/* Two jumps around each other would be followed forever, hence the limit. */
#define MAX_THREADED 8

static void thread_jumps(struct gcn_func *f)
{
	gcn_for_each_block(f, b)
		gcn_for_each(f, b, i)
			for (uint32_t k = 0; i->target && k < MAX_THREADED && thread_jump(f, i);
			     k++)
				;
}

static bool remove_jump(struct gcn_func *f, uint32_t b)
{
	struct gcn_inst *last = f->blocks[b].last, *before = last ? last->prev : NULL;
	uint32_t next = next_nonempty_block(f, b);

	if (!last ||
	    (last->in.row->op != AMD_s_branch && inverted_branch(last->in.row->op) == AMD_OP_COUNT))
		return false;
	if (resolve_target(f, last->target) == next) {
		gcn_remove(f, b, last);
		return true;
	}
	if (last->in.row->op != AMD_s_branch)
		return false;
	/* Merge "conditional jump to the next block; jump elsewhere" into one inverted jump. */
	if (before && before->target && resolve_target(f, before->target) == next &&
	    inverted_branch(before->in.row->op) != AMD_OP_COUNT) {
		amd_init(&before->in, inverted_branch(before->in.row->op), AMD_PLAIN);
		before->target = last->target;
		gcn_remove(f, b, last);
		return true;
	}
	return false;
}

/* Whether execution may go on behind the end of a block. */
static bool falls_through(const struct gcn_func *f, uint32_t b)
{
	const struct gcn_inst *last = f->blocks[b].last;

	return !last || (last->in.row->op != AMD_s_branch && last->in.row->op != AMD_s_endpgm &&
			 last->in.row->op != AMD_s_setpc_b64);
}

/* By block: something jumps there. */
static bool *find_targets(const struct gcn_func *f)
{
	bool *is_target = arena_array(f->arena, f->nblocks, sizeof(*is_target));

	gcn_for_each_block(f, b)
		for (const struct gcn_inst *i = f->blocks[b].first; i; i = i->next)
			if (i->target)
				is_target[resolve_target(f, i->target)] = true;
	return is_target;
}

/* Removes blocks of one jump that nothing reaches: ends of the thread after early exits. */
static void remove_unreached_jumps(struct gcn_func *f)
{
	const bool *is_target = find_targets(f);
	uint32_t before = f->first;

	gcn_for_each_block(f, b) {
		const struct gcn_inst *only = f->blocks[b].first;

		if (!only)
			continue;
		if (b != f->first && !is_target[b] && !falls_through(f, before) &&
		    only == f->blocks[b].last && only->in.row->op == AMD_s_branch)
			gcn_remove(f, b, f->blocks[b].first);
		else
			before = b;
	}
}

static bool sets_exec(const struct gcn_inst *i)
{
	return i && i->in.row->op == AMD_s_mov_b32 && i->in.reg[AMD_D] == AMD_EXEC;
}

/* Whether the next instruction in the block that has to do with SCC sets it. */
static bool is_scc_unread(const struct gcn_inst *i)
{
	for (i = i->next; i; i = i->next) {
		if (i->in.row->flags & SCC_IN)
			return false;
		if (i->in.row->flags & SCC_OUT)
			return true;
	}
	return false;
}

/* The operands that are a virtual register. */
struct mentions {
	uint32_t count;
	struct gcn_inst *def; /* the s_andn2_b32 that sets it */
	uint32_t block;       /* of def */
};

static struct mentions *count_mentions(struct gcn_func *f)
{
	struct mentions *mentions = arena_array(f->arena, f->nvregs, sizeof(*mentions));

	gcn_for_each_block(f, b)
		for (struct gcn_inst *i = f->blocks[b].first; i; i = i->next)
			for (uint32_t slot = 0; slot < AMD_SLOTS; slot++) {
				struct mentions *m = &mentions[i->ref[slot].vreg];

				m->count++;
				if (slot != AMD_D || i->in.row->op != AMD_s_andn2_b32)
					continue;
				m->def = i;
				m->block = b;
			}
	return mentions;
}

static void remove_mentioning(struct gcn_func *f, uint32_t b, struct gcn_inst *i,
			      struct mentions *mentions)
{
	for (uint32_t slot = 0; slot < AMD_SLOTS; slot++)
		mentions[i->ref[slot].vreg].count--;
	gcn_remove(f, b, i);
}

/* An else part without code sets EXEC for nothing: what follows sets it again. */
static bool remove_empty_else(struct gcn_func *f, uint32_t b, struct mentions *mentions)
{
	struct gcn_inst *only = f->blocks[b].first;
	uint32_t next = next_nonempty_block(f, b), lanes;
	const struct mentions *m;

	if (!sets_exec(only) || only != f->blocks[b].last || !next ||
	    !sets_exec(f->blocks[next].first) || f->blocks[next].first->in.reg[AMD_S0] == AMD_EXEC)
		return false;
	lanes = only->ref[AMD_S0].vreg;
	m = &mentions[lanes];
	remove_mentioning(f, b, only, mentions);
	if (lanes && m->count == 1 && m->def && is_scc_unread(m->def))
		remove_mentioning(f, m->block, m->def, mentions);
	return true;
}

static void remove_jumps(struct gcn_func *f)
{
	struct mentions *mentions = count_mentions(f);
	bool changed = true;

	thread_jumps(f);
	remove_unreached_jumps(f);
	while (changed) {
		const bool *is_target = find_targets(f);

		changed = false;
		gcn_for_each_block(f, b)
			changed |= remove_jump(f, b) || merge_jumps(f, b, is_target) ||
				   remove_empty_else(f, b, mentions);
	}
}

static bool encoding_error(struct gcn_func *f, const struct gcn_inst *i, const char *why)
{
	char text[160];

	amd_print(&i->in, text, sizeof(text));
	diag_fault(&f->job->diag, i->line, 0,
		   "'%s': selected instruction %s has no encoding: %s; this is a compiler bug",
		   f->ir->name, text, why);
	return false;
}

static bool assign_offsets(struct gcn_func *f, uint32_t *bytes)
{
	uint32_t at = 0, words[AMD_MAX_WORDS];
	const char *why;

	gcn_for_each_block(f, b)
		gcn_for_each(f, b, i) {
			uint32_t size = amd_encode(AMD_GFX1030, &i->in, words, &why);

			if (!size)
				return encoding_error(f, i, why);
			i->offset = at;
			at += size;
		}
	*bytes = at;
	return true;
}

static int32_t branch_distance(const struct gcn_func *f, const struct gcn_inst *from, uint32_t to)
{
	return (int32_t)f->blocks[resolve_target(f, to)].first->offset - (int32_t)from->offset - 4;
}

static bool is_out_of_range(const struct gcn_func *f, const struct gcn_inst *i)
{
	int32_t words = branch_distance(f, i, i->target) / 4;

	return words != (int16_t)words;
}

#define FAR_JUMP_WORDS 5 /* s_getpc_b64, s_add_u32 with a literal, s_addc_u32, s_setpc_b64 */

/*
 * Expands a jump that its 16-bit distance cannot reach; a conditional one is inverted and skips the
 * expansion.
 */
static void expand_far_jump(struct gcn_func *f, uint32_t b, struct gcn_inst *i)
{
	static const uint16_t ops[] = {AMD_s_getpc_b64, AMD_s_add_u32, AMD_s_addc_u32,
				       AMD_s_setpc_b64};
	uint32_t to = i->target;
	struct gcn_inst *next = i->next;

	for (uint32_t k = 0; k < 4; k++) {
		struct gcn_inst *n = gcn_inst_new(f, ops[k], AMD_PLAIN);
		uint16_t reg = (uint16_t)(GCN_FAR_JUMP + (k == 2));

		if (k < 3)
			gcn_set_operand(f, n, AMD_D, gcn_reg(reg));
		if (k)
			gcn_set_operand(f, n, AMD_S0, gcn_reg(reg));
		if (k == 1)
			gcn_set_operand(f, n, AMD_S1, (struct gcn_src){.reg = AMD_LITERAL});
		if (k == 2)
			gcn_set_operand(f, n, AMD_S1, gcn_imm(0));
		n->far = k == 1 || k == 2 ? to : 0;
		n->line = i->line;
		gcn_insert(f, b, next, n);
	}
	if (i->in.row->op == AMD_s_branch) {
		gcn_remove(f, b, i);
		return;
	}
	amd_init(&i->in, inverted_branch(i->in.row->op), AMD_PLAIN);
	i->in.field[AMD_F_IMM] = FAR_JUMP_WORDS;
	i->target = 0;
}

/*
 * An expansion lengthens the code and may push other jumps out of range, so this iterates to a
 * fixed point.
 */
static bool relax_jumps(struct gcn_func *f, uint32_t *bytes)
{
	bool changed = true;

	while (changed) {
		changed = false;
		if (!assign_offsets(f, bytes))
			return false;
		gcn_for_each_block(f, b)
			gcn_for_each_safe(f, b, i)
				if (i->target && is_out_of_range(f, i)) {
					expand_far_jump(f, b, i);
					changed = true;
				}
	}
	return true;
}

/* The distance counts from the end of s_getpc_b64, which directly precedes s_add_u32. */
static void patch_far_jump(const struct gcn_func *f, struct gcn_inst *i)
{
	const struct gcn_inst *pc = i->in.row->op == AMD_s_add_u32 ? i->prev : i->prev->prev;
	int32_t offset = branch_distance(f, pc, i->far);

	if (i->in.row->op == AMD_s_add_u32)
		i->in.literal = (uint32_t)offset;
	else
		i->in.reg[AMD_S1] = gcn_imm(offset < 0 ? UINT32_MAX : 0).reg;
}

struct output {
	struct amd_reference *references;
	uint32_t count, capacity;
	struct line_table lines;
};

/*
 * Records a PC-relative reference. Its distance counts from the end of the preceding s_getpc_b64.
 */
static void add_reference(struct gcn_func *f, const struct gcn_inst *i, uint32_t size,
			  struct arena *keep, struct output *out)
{
	uint32_t at = i->offset + size - 4;
	const struct gcn_inst *pc = i;

	while (pc->in.row->op != AMD_s_getpc_b64)
		pc = pc->prev;
	out->references = arena_grow(keep, out->references, &out->capacity, out->count + 1,
				     sizeof(*out->references));
	out->references[out->count++] = (struct amd_reference){
		.offset = at,
		.kind = i->address.high ? AMD_REL32_HI : AMD_REL32_LO,
		.target = i->address.target,
		.index = i->address.index,
		.addend = i->address.addend + (int64_t)at - (pc->offset + 4),
	};
	(void)f;
}

static bool write_code(struct gcn_func *f, uint8_t *code, struct arena *keep, struct output *out)
{
	uint32_t words[AMD_MAX_WORDS];
	const char *why;

	gcn_for_each_block(f, b)
		gcn_for_each(f, b, i) {
			struct line_row row = {.offset = i->offset};
			uint32_t size;

			if (i->target)
				i->in.field[AMD_F_IMM] =
					branch_distance(f, i, i->target) / 4 & 0xffff;
			if (i->far)
				patch_far_jump(f, i);
			size = amd_encode(AMD_GFX1030, &i->in, words, &why);
			if (!size)
				return encoding_error(f, i, why);
			memcpy(code + i->offset, words, size);
			if (i->address.present)
				add_reference(f, i, size, keep, out);
			if (i->line && f->plan &&
			    line_row_locate(&f->plan->files, f->ir->module, i->line, &row))
				line_table_append(keep, &out->lines, row);
		}
	return true;
}

static uint32_t count_instructions(const struct gcn_func *f)
{
	uint32_t n = 0;

	gcn_for_each_block(f, b)
		gcn_for_each(f, b, i)
			n++;
	return n;
}

bool gcn_encode(struct gcn_func *f, struct amd_fragment *fragment, struct arena *keep)
{
	struct output out = {0};
	uint8_t *code;

	remove_jumps(f);
	if (!relax_jumps(f, &fragment->code_bytes))
		return false;
	code = arena_alloc(keep, fragment->code_bytes);
	if (!write_code(f, code, keep, &out))
		return false;
	out.lines.end = fragment->code_bytes;
	fragment->code = code;
	fragment->references = out.references;
	fragment->nreferences = out.count;
	fragment->lines = out.lines;
	fragment->stats = (struct kernel_stats){
		.name = f->ir->name,
		.instructions = count_instructions(f),
		.registers = f->vgprs,
		.scalar_registers = f->sgprs,
		.shared_bytes = f->lds_bytes,
		.stack_bytes = f->frame_bytes,
		.code_bytes = fragment->code_bytes,
	};
	return true;
}
