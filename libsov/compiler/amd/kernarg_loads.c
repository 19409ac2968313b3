// SPDX-License-Identifier: MIT
/*
 * Merges loads of neighbouring kernel arguments: the scalar loads of a block from the kernarg
 * segment become loads of up to 16 words, which need only the alignment of a word. Arguments that
 * nothing reads may lie between them: an SGPR more costs nothing. The results become words of one
 * register. A tuple of SGPRs starts at a multiple of its size, up to 4, so a member must be as
 * aligned within the register.
 */
#include <stdlib.h>
#include "libsov/compiler/amd/combine.h"

#define MAX_LOADS 64 /* of a block */

struct kernarg_load {
	struct gcn_inst *inst;
	int32_t offset;
	uint32_t words, position;
};

struct kernarg_merge {
	struct combine *c;
	struct gcn_ref *forward; /* by vreg: the word that its first word became */
	bool changed;
};

static uint32_t words_loaded(enum amd_op op)
{
	switch (op) {
	case AMD_s_load_dword:
		return 1;
	case AMD_s_load_dwordx2:
		return 2;
	case AMD_s_load_dwordx4:
		return 4;
	default:
		return 0;
	}
}

/* A load of a whole register that is written nowhere else. */
static bool is_member(const struct combine *c, const struct gcn_inst *i)
{
	const struct gcn_func *f = c->f;
	struct gcn_ref d = i->ref[AMD_D], base = i->ref[AMD_S0];
	uint32_t words = words_loaded(i->in.row->op);

	if (!words || base.vreg != f->input[GCN_KERNARG] || base.part ||
	    i->in.reg[AMD_S1] != AMD_NULL || !d.vreg || d.part || f->vregs[d.vreg].words != words ||
	    i->in.field[AMD_F_OFFSET] % 4)
		return false;
	for (uint32_t k = 0; k < words; k++)
		if (!combine_is_value(c, (struct gcn_ref){d.vreg, (uint8_t)k}))
			return false;
	return true;
}

static int compare_loads(const void *a, const void *b)
{
	const struct kernarg_load *x = a, *y = b;

	return x->offset != y->offset ? (x->offset > y->offset) - (x->offset < y->offset)
				      : (x->position > y->position) - (x->position < y->position);
}

/* How many loads from the first one on are words of a register of that many words. */
static uint32_t count_members(const struct gcn_func *f, const struct kernarg_load *loads,
			      uint32_t n, uint32_t words)
{
	uint32_t count = 0;
	int32_t used = 0, bytes = 4 * (int32_t)words;

	for (; count < n; count++) {
		int32_t at = loads[count].offset - loads[0].offset;
		int32_t end = at + 4 * (int32_t)loads[count].words;

		if (end > bytes || (uint32_t)at / 4 % loads[count].words)
			break;
		used = end > used ? end : used;
	}
	/* The segment may end behind the arguments. */
	if (used < bytes &&
	    (f->ir->kind == IR_FUNCTION || loads[0].offset + bytes > (int32_t)f->ir->param_bytes))
		return 0;
	return count;
}

static void merge_loads(struct kernarg_merge *m, uint32_t b, const struct kernarg_load *loads,
			uint32_t n, uint32_t words, enum amd_op op)
{
	struct gcn_func *f = m->c->f;
	const struct kernarg_load *first = &loads[0];
	struct gcn_inst *i = gcn_inst_new(f, op, AMD_PLAIN);
	uint32_t v = gcn_vreg_new(f, GCN_SCALAR, words);

	for (uint32_t k = 1; k < n; k++)
		if (loads[k].position < first->position)
			first = &loads[k];
	gcn_set_operand(f, i, AMD_D, gcn_word(f, v, 0));
	gcn_set_operand(f, i, AMD_S0, gcn_word(f, f->input[GCN_KERNARG], 0));
	gcn_set_operand(f, i, AMD_S1, gcn_reg(AMD_NULL));
	i->in.field[AMD_F_OFFSET] = loads[0].offset;
	i->line = first->inst->line;
	gcn_insert(f, b, first->inst, i);
	for (uint32_t k = 0; k < n; k++) {
		m->forward[loads[k].inst->ref[AMD_D].vreg] =
			(struct gcn_ref){v, (uint8_t)((loads[k].offset - loads[0].offset) / 4)};
		gcn_remove(f, b, loads[k].inst);
	}
	m->changed = true;
}

static void merge_in_block(struct kernarg_merge *m, uint32_t b)
{
	static const struct {
		uint32_t words;
		uint16_t op;
	} sizes[] = {{2, AMD_s_load_dwordx2},
		     {4, AMD_s_load_dwordx4},
		     {8, AMD_s_load_dwordx8},
		     {16, AMD_s_load_dwordx16}};
	struct kernarg_load loads[MAX_LOADS];
	uint32_t n = 0;

	gcn_for_each(m->c->f, b, i)
		if (n < MAX_LOADS && is_member(m->c, i)) {
			loads[n] = (struct kernarg_load){i, i->in.field[AMD_F_OFFSET],
							 words_loaded(i->in.row->op), n};
			n++;
		}
	qsort(loads, n, sizeof(*loads), compare_loads);
	for (uint32_t k = 0, count; k < n; k += count) {
		uint32_t best = 0;

		count = 1;
		for (uint32_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
			uint32_t members = count_members(m->c->f, loads + k, n - k, sizes[s].words);

			if (members <= count)
				continue;
			count = members;
			best = s;
		}
		if (count > 1)
			merge_loads(m, b, loads + k, count, sizes[best].words, sizes[best].op);
	}
}

static void forward_ref(const struct kernarg_merge *m, uint32_t nvregs, struct gcn_ref *r)
{
	struct gcn_ref to = r->vreg < nvregs ? m->forward[r->vreg] : (struct gcn_ref){0};

	if (to.vreg)
		*r = (struct gcn_ref){to.vreg, (uint8_t)(to.part + r->part)};
}

/* Replaces the merged registers by words of the new ones. */
static void forward_operands(struct kernarg_merge *m, uint32_t nvregs)
{
	struct gcn_func *f = m->c->f;

	gcn_for_each_block(f, b)
		gcn_for_each(f, b, i) {
			for (uint32_t slot = 0; slot < AMD_SLOTS; slot++)
				forward_ref(m, nvregs, &i->ref[slot]);
			for (uint32_t u = 0; u < i->nimplicit; u++)
				forward_ref(m, nvregs, &i->implicit[u].ref);
		}
	for (uint32_t v = 1; v < f->nvregs; v++)
		if (f->vregs[v].hint < nvregs && m->forward[f->vregs[v].hint].vreg)
			f->vregs[v].hint = 0;
}

/* Returns whether registers were replaced. */
bool combine_kernarg_loads(struct combine *c)
{
	uint32_t nvregs = c->f->nvregs;
	struct kernarg_merge m = {.c = c,
				  .forward = arena_array(c->f->arena, nvregs, sizeof(*m.forward))};

	if (!c->f->input[GCN_KERNARG])
		return false;
	gcn_for_each_block(c->f, b)
		merge_in_block(&m, b);
	if (m.changed)
		forward_operands(&m, nvregs);
	return m.changed;
}
