// SPDX-License-Identifier: MIT
/* Machine IR: construction of blocks, instructions and virtual registers, and traversals. */
#include <string.h>
#include "libsov/compiler/mir/inst_list.h"
#include "libsov/compiler/nv/mir.h"

uint32_t mir_vreg_new(struct mir_func *f, uint8_t kind, uint32_t units)
{
	f->vregs = arena_grow(f->arena, f->vregs, &f->vregs_capacity, f->nvregs + 1,
			      sizeof(*f->vregs));
	f->vregs[f->nvregs] = (struct mir_vreg){.kind = kind, .units = (uint8_t)units};
	return f->nvregs++;
}

struct mir_inst *mir_inst_new(struct mir_func *f, enum sass_op op)
{
	struct mir_inst *i = arena_alloc(f->arena, sizeof(*i));

	sass_init(&i->sass, op);
	return i;
}

void mir_insert(struct mir_func *f, uint32_t b, struct mir_inst *before, struct mir_inst *i)
{
	struct mir_block *block = &f->blocks[b];

	f->live = false;
	inst_list_insert(block, before, i);
}

void mir_remove(struct mir_func *f, uint32_t b, struct mir_inst *i)
{
	struct mir_block *block = &f->blocks[b];

	f->live = false;
	inst_list_remove(block, i);
	i->prev = i->next = NULL;
}

uint32_t mir_block_new(struct mir_func *f, uint32_t after)
{
	uint32_t b = f->nblocks++;

	f->live = false;
	f->blocks = arena_grow(f->arena, f->blocks, &f->blocks_capacity, f->nblocks,
			       sizeof(*f->blocks));
	f->blocks[b] = (struct mir_block){.next = f->blocks[after].next, .previous = after};
	f->blocks[f->blocks[b].next].previous = b; /* block 0 is the end of the list */
	f->blocks[after].next = b;
	return b;
}

void mir_block_remove(struct mir_func *f, uint32_t b)
{
	f->blocks[f->blocks[b].previous].next = f->blocks[b].next;
	f->blocks[f->blocks[b].next].previous = f->blocks[b].previous;
	for (uint32_t s = 0; s < f->blocks[b].nsucc; s++)
		mir_remove_pred(f, b, f->blocks[b].succ[s]);
	f->blocks[b].nsucc = 0;
}

static void append_pred(struct mir_func *f, uint32_t b, uint32_t pred)
{
	struct mir_block *block = &f->blocks[b];

	block->preds = arena_grow(f->arena, block->preds, &block->preds_capacity, block->npreds + 1,
				  sizeof(*block->preds));
	block->preds[block->npreds++] = pred;
}

void mir_add_edge(struct mir_func *f, uint32_t from, uint32_t to)
{
	struct mir_block *block = &f->blocks[from];

	block->succ = arena_grow(f->arena, block->succ, &block->succ_capacity, block->nsucc + 1,
				 sizeof(*block->succ));
	block->succ[block->nsucc++] = to;
	append_pred(f, to, from);
}

/* Keeps the order of predecessors: phi arguments follow it. */
void mir_remove_pred(struct mir_func *f, uint32_t from, uint32_t to)
{
	struct mir_block *block = &f->blocks[to];
	uint32_t p = 0;

	while (block->preds[p] != from)
		p++;
	memmove(block->preds + p, block->preds + p + 1,
		(--block->npreds - p) * sizeof(*block->preds));
}

void mir_redirect_edge(struct mir_func *f, uint32_t from, uint32_t to, uint32_t new_to)
{
	uint32_t s = 0;

	while (f->blocks[from].succ[s] != to)
		s++;
	f->live = false;
	f->blocks[from].succ[s] = new_to;
	mir_remove_pred(f, from, to);
	append_pred(f, new_to, from);
}

void mir_set_operand(struct mir_inst *i, uint32_t operand, struct mir_source s)
{
	i->uses = NULL;
	i->sass.ops[operand] = s.op;
	i->ref[operand] = s.ref;
	if (i->sass.nops <= operand)
		i->sass.nops = (uint8_t)(operand + 1);
}

void mir_set_guard(struct mir_inst *i, struct mir_source predicate)
{
	i->uses = NULL;
	i->sass.guard = predicate.op.reg;
	i->sass.guard_not = predicate.op.flags & SASS_NEG;
	i->guard = predicate.ref;
}

struct mir_source mir_reg(uint8_t kind, struct mir_ref r)
{
	return (struct mir_source){{.kind = kind}, r};
}

struct mir_source mir_imm(uint32_t value)
{
	return (struct mir_source){.op = {.kind = SASS_IMM, .value = value}};
}

struct mir_source mir_pred_const(bool value)
{
	return (struct mir_source){
		.op = {.kind = SASS_PRED, .reg = SASS_PT, .flags = value ? 0 : SASS_NEG}};
}

struct mir_inst *mir_move(struct mir_func *f, struct mir_source dst, struct mir_source src)
{
	struct mir_inst *i;

	if (dst.op.kind != SASS_PRED) {
		bool load = dst.op.kind == SASS_UGPR && src.op.kind == SASS_CONST;

		i = mir_inst_new(f, load                       ? SASS_ULDC
				    : dst.op.kind == SASS_UGPR ? SASS_UMOV
							       : SASS_MOV);
		i->sass.mod[SASS_M_WIDTH] = load ? SASS_WIDTH_32 : 0;
		mir_set_operand(i, 0, dst);
		mir_set_operand(i, 1, src);
		return i;
	}
	i = mir_inst_new(f, SASS_PLOP3);
	mir_set_operand(i, 0, dst);
	mir_set_operand(i, 2, src);
	mir_set_operand(i, 3, mir_pred_const(true));
	mir_set_operand(i, 4, mir_pred_const(true));
	mir_set_operand(i, 5, mir_imm(0x80)); /* a AND b AND c */
	mir_set_operand(i, 6, mir_imm(0));
	return i;
}

void mir_number_units(struct mir_func *f)
{
	f->nunits = 0;
	for (uint32_t v = 1; v < f->nvregs; v++) {
		f->vregs[v].first_unit = f->nunits;
		f->nunits += f->vregs[v].units;
	}
	f->unit_vreg = arena_array(f->arena, f->nunits + 1, sizeof(*f->unit_vreg));
	for (uint32_t v = 1; v < f->nvregs; v++) {
		for (uint32_t k = 0; k < f->vregs[v].units; k++)
			f->unit_vreg[f->vregs[v].first_unit + k] = v;
	}
}

struct visit {
	uint32_t block, next;
};

/* Reverse postorder of a depth-first search with an explicit stack. */
uint32_t *mir_reverse_postorder(const struct mir_func *f, uint32_t *count)
{
	uint32_t *order = arena_array(f->arena, f->nblocks, sizeof(*order));
	struct visit *stack = arena_array(f->arena, f->nblocks, sizeof(*stack));
	bool *seen = arena_array(f->arena, f->nblocks, sizeof(*seen));
	uint32_t depth = 0, at = f->nblocks;

	seen[f->entry] = true;
	stack[depth++] = (struct visit){f->entry, 0};
	while (depth) {
		struct visit *top = &stack[depth - 1];
		const struct mir_block *block = &f->blocks[top->block];

		if (top->next == block->nsucc) {
			order[--at] = top->block;
			depth--;
		} else {
			uint32_t to = block->succ[top->next++];

			if (!seen[to]) {
				seen[to] = true;
				stack[depth++] = (struct visit){to, 0};
			}
		}
	}
	*count = f->nblocks - at;
	return order + at;
}

uint32_t mir_collect_uses(const struct mir_inst *i, struct mir_use uses[SASS_MAX_USES])
{
	struct sass_reg_use found[SASS_MAX_USES];
	uint32_t n = sass_uses(&i->sass, found);

	for (uint32_t u = 0; u < n; u++) {
		const struct sass_reg_use *s = &found[u];
		bool guard = s->operand == SASS_USE_GUARD;
		bool address =
			!guard && s->kind == SASS_UGPR && i->sass.ops[s->operand].kind == SASS_ADDR;

		uses[u] = (struct mir_use){.ref = guard     ? i->guard
						  : address ? i->uniform
							    : i->ref[s->operand],
					   .kind = s->kind,
					   .count = s->count,
					   .operand = s->operand,
					   .reg = s->reg,
					   .write = s->write};
	}
	for (uint32_t k = i->first_passed; i->passes && k < i->sass.nops; k++) {
		const struct sass_operand *o = &i->sass.ops[k];

		if (o->kind == SASS_GPR)
			uses[n++] =
				(struct mir_use){.ref = i->ref[k],
						 .kind = SASS_GPR,
						 .count = o->aux,
						 .operand = (uint8_t)k,
						 .reg = o->reg,
						 .write = k - i->first_passed >= i->passed_reads};
	}
	return n;
}

void mir_cache_uses(const struct mir_func *f, struct mir_inst *i)
{
	struct mir_use found[SASS_MAX_USES];

	i->nuses = mir_collect_uses(i, found);
	i->uses = arena_array(f->arena, i->nuses, sizeof(*i->uses));
	memcpy(i->uses, found, i->nuses * sizeof(*i->uses));
}

void mir_cache_all_uses(const struct mir_func *f)
{
	mir_for_each_block(f, b)
		mir_for_each(f, b, i)
			if (!i->uses)
				mir_cache_uses(f, i);
}

uint32_t mir_number_insts(struct mir_func *f)
{
	uint32_t number = 0;

	mir_for_each_block(f, b)
		mir_for_each(f, b, i)
			i->number = ++number;
	return number;
}

uint32_t *mir_count_reads(const struct mir_func *f)
{
	uint32_t *counts = arena_array(f->arena, f->nvregs, sizeof(*counts));

	mir_for_each_block(f, b) {
		const struct mir_block *block = &f->blocks[b];

		for (uint32_t p = 0; p < block->nphis; p++) {
			uint32_t n = block->npreds * f->vregs[block->phis[p].vreg].units;

			for (uint32_t k = 0; k < n; k++)
				counts[block->phis[p].args[k].ref.vreg]++;
		}
		counts[block->cond.ref.vreg]++;
		mir_for_each(f, b, i) {
			uint32_t n;
			const struct mir_use *uses = mir_uses(f, i, &n);

			for (uint32_t u = 0; u < n; u++)
				counts[uses[u].ref.vreg] += !uses[u].write;
		}
	}
	return counts;
}
