// SPDX-License-Identifier: MIT
/*
 * Machine code: jumps that lead to what follows anyway go, every instruction gets its place, jumps farther than
 * 128 KiB go by registers, and distances to blocks and variables are filled in.
 */
#include <string.h>
#include "libsov/compiler/amd/mir.h"

static uint32_t next_with_code(const struct gcn_func *f, uint32_t b)
{
	do
		b = f->blocks[b].next;
	while (b && !f->blocks[b].first);
	return b;
}

static uint32_t resolve(const struct gcn_func *f, uint32_t b)
{
	return f->blocks[b].first ? b : next_with_code(f, b);
}

static enum amd_op opposite(enum amd_op op)
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

static bool drop_jump(struct gcn_func *f, uint32_t b)
{
	struct gcn_inst *last = f->blocks[b].last, *before = last ? last->prev : NULL;
	uint32_t next = next_with_code(f, b);

	if (!last || last->in.row->op != AMD_s_branch)
		return false;
	if (resolve(f, last->target) == next) {
		gcn_remove(f, b, last);
		return true;
	}
	/* "if so, to what follows; otherwise there" is one jump */
	if (before && before->target && resolve(f, before->target) == next &&
	    opposite(before->in.row->op) != AMD_OP_COUNT) {
		amd_init(&before->in, opposite(before->in.row->op), AMD_PLAIN);
		before->target = last->target;
		gcn_remove(f, b, last);
		return true;
	}
	return false;
}

static void drop_jumps(struct gcn_func *f)
{
	bool changed = true;

	while (changed) {
		changed = false;
		gcn_for_each_block(f, b)
			changed |= drop_jump(f, b);
	}
}

static bool broken(struct gcn_func *f, const struct gcn_inst *i, const char *why)
{
	char text[160];

	amd_print(&i->in, text, sizeof(text));
	diag_error(&f->job->diag, i->line, 0,
		   "'%s': %s is made but cannot be encoded: %s: a fault of the compiler",
		   f->ir->name, text, why);
	return false;
}

static bool place(struct gcn_func *f, uint32_t *bytes)
{
	uint32_t at = 0, words[AMD_MAX_WORDS];
	const char *why;

	gcn_for_each_block(f, b)
		gcn_for_each(f, b, i) {
			uint32_t size = amd_encode(AMD_GFX1030, &i->in, words, &why);

			if (!size)
				return broken(f, i, why);
			i->offset = at;
			at += size;
		}
	*bytes = at;
	return true;
}

static int32_t distance(const struct gcn_func *f, const struct gcn_inst *from, uint32_t to)
{
	return (int32_t)f->blocks[resolve(f, to)].first->offset - (int32_t)from->offset - 4;
}

static bool is_far(const struct gcn_func *f, const struct gcn_inst *i)
{
	int32_t words = distance(f, i, i->target) / 4;

	return words != (int16_t)words;
}

#define FAR_WORDS 5 /* s_getpc, s_add with a literal, s_addc, s_setpc */

/* A jump that its 16 bits cannot say: over a jump by register, if it has a condition. */
static void make_far(struct gcn_func *f, uint32_t b, struct gcn_inst *i)
{
	static const uint16_t ops[] = {AMD_s_getpc_b64, AMD_s_add_u32, AMD_s_addc_u32,
				       AMD_s_setpc_b64};
	uint32_t to = i->target;
	struct gcn_inst *next = i->next;

	for (uint32_t k = 0; k < 4; k++) {
		struct gcn_inst *n = gcn_inst_new(f, ops[k], AMD_PLAIN);
		uint16_t reg = (uint16_t)(GCN_FAR + (k == 2));

		if (k < 3)
			gcn_set(f, n, AMD_D, gcn_reg(reg));
		if (k)
			gcn_set(f, n, AMD_S0, gcn_reg(reg));
		if (k == 1)
			gcn_set(f, n, AMD_S1, (struct gcn_src){.reg = AMD_LITERAL});
		if (k == 2)
			gcn_set(f, n, AMD_S1, gcn_imm(0));
		n->far = k == 1 || k == 2 ? to : 0;
		n->line = i->line;
		gcn_insert(f, b, next, n);
	}
	if (i->in.row->op == AMD_s_branch) {
		gcn_remove(f, b, i);
		return;
	}
	amd_init(&i->in, opposite(i->in.row->op), AMD_PLAIN);
	i->in.field[AMD_F_IMM] = FAR_WORDS;
	i->target = 0;
}

/* Far jumps make code longer, and so others far. */
static bool place_all(struct gcn_func *f, uint32_t *bytes)
{
	bool changed = true;

	while (changed) {
		changed = false;
		if (!place(f, bytes))
			return false;
		gcn_for_each_block(f, b)
			gcn_for_each_safe(f, b, i)
				if (i->target && is_far(f, i)) {
					make_far(f, b, i);
					changed = true;
				}
	}
	return true;
}

/* The distance is counted from behind s_getpc_b64, which stands right before the first sum. */
static void fill_far(const struct gcn_func *f, struct gcn_inst *i)
{
	const struct gcn_inst *pc = i->in.row->op == AMD_s_add_u32 ? i->prev : i->prev->prev;
	int32_t away = distance(f, pc, i->far);

	if (i->in.row->op == AMD_s_add_u32)
		i->in.literal = (uint32_t)away;
	else
		i->in.reg[AMD_S1] = gcn_imm(away < 0 ? UINT32_MAX : 0).reg;
}

struct output {
	struct amd_reference *references;
	uint32_t count, capacity;
	struct line_table lines;
};

/* A distance is counted from behind s_getpc_b64, which stands right before the sum of the low words. */
static void refer(struct gcn_func *f, const struct gcn_inst *i, uint32_t size, struct arena *keep,
		  struct output *out)
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
				i->in.field[AMD_F_IMM] = distance(f, i, i->target) / 4 & 0xffff;
			if (i->far)
				fill_far(f, i);
			size = amd_encode(AMD_GFX1030, &i->in, words, &why);
			if (!size)
				return broken(f, i, why);
			memcpy(code + i->offset, words, size);
			if (i->address.there)
				refer(f, i, size, keep, out);
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

bool gcn_encode(struct gcn_func *f, struct amd_piece *p, struct arena *keep)
{
	struct output out = {0};
	uint8_t *code;

	drop_jumps(f);
	if (!place_all(f, &p->code_bytes))
		return false;
	code = arena_alloc(keep, p->code_bytes);
	if (!write_code(f, code, keep, &out))
		return false;
	out.lines.end = p->code_bytes;
	p->code = code;
	p->references = out.references;
	p->nreferences = out.count;
	p->lines = out.lines;
	p->stats = (struct kernel_stats){
		.name = f->ir->name,
		.instructions = count_instructions(f),
		.registers = f->vgprs,
		.predicates = f->sgprs,
		.shared_bytes = f->lds_bytes,
		.stack_bytes = f->frame_bytes,
		.code_bytes = p->code_bytes,
	};
	return true;
}
