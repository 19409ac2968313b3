// SPDX-License-Identifier: MIT
/*
 * Building and changing functions: the only file that changes the links between instructions,
 * blocks and edges. Everything is an id into a table that grows; nothing is freed or renumbered, so
 * an id stays valid as long as its function, also after the item was removed from its block or the
 * layout.
 */
#include <assert.h>
#include <string.h>
#include "libsov/compiler/ir/ir.h"

/* Appends a zeroed element to a table of f and returns its index. Slot 0 of a table stays empty. */
#define TABLE_ADD(f, table, capacity, count) \
	((f)->table = arena_grow((f)->module->arena, (f)->table, &(f)->capacity, (f)->count + 1, \
				 sizeof(*(f)->table)), \
	 (f)->count++)

struct ir_module *ir_module_new(struct arena *a)
{
	struct ir_module *m = arena_alloc(a, sizeof(*m));

	m->arena = a;
	return m;
}

static const char *copy_name(struct ir_module *m, const char *name)
{
	return name ? arena_strndup(m->arena, name, strlen(name)) : NULL;
}

static struct ir_func *func_new(struct ir_module *m, enum ir_kind kind, const char *name)
{
	struct ir_func *f = arena_alloc(m->arena, sizeof(*f));

	f->module = m;
	f->kind = kind;
	f->name = copy_name(m, name);
	TABLE_ADD(f, insts, insts_capacity, ninsts);
	TABLE_ADD(f, values, values_capacity, nvalues);
	TABLE_ADD(f, blocks, blocks_capacity, nblocks);
	TABLE_ADD(f, reg_types, regs_capacity, nregs);
	m->table = arena_grow(m->arena, m->table, &m->table_capacity, m->nfuncs + 1,
			      sizeof(*m->table));
	f->index = f->order = m->nfuncs++;
	m->table[f->index] = f;
	return f;
}

static void link_func(struct ir_func *f)
{
	struct ir_module *m = f->module;

	*(m->last_func ? &m->last_func->next : &m->funcs) = f;
	m->last_func = f;
}

struct ir_func *ir_func_new(struct ir_module *m, const char *name)
{
	struct ir_func *f = func_new(m, IR_KERNEL, name);

	link_func(f);
	return f;
}

static uint8_t *copy_types(struct ir_module *m, const uint8_t *types, uint32_t n)
{
	uint8_t *own = arena_array(m->arena, n, sizeof(*own));

	if (n)
		memcpy(own, types, n);
	return own;
}

struct ir_func *ir_function_new(struct ir_module *m, enum ir_kind kind, const char *name,
				const uint8_t *args, uint32_t nargs, const uint8_t *results,
				uint32_t nresults)
{
	struct ir_func *f = func_new(m, kind, name);

	f->arg_types = copy_types(m, args, nargs);
	f->nargs = nargs;
	f->result_types = copy_types(m, results, nresults);
	f->nresults = nresults;
	if (kind == IR_FUNCTION)
		link_func(f);
	return f;
}

void ir_func_reserve(struct ir_func *f, uint32_t count)
{
	struct arena *a = f->module->arena;

	f->insts = arena_grow(a, f->insts, &f->insts_capacity, count, sizeof(*f->insts));
	f->values = arena_grow(a, f->values, &f->values_capacity, count, sizeof(*f->values));
}

void ir_func_define(struct ir_func *f)
{
	assert(f->kind == IR_EXTERNAL || f->kind == IR_EXTERNAL_KERNEL);
	f->kind = f->kind == IR_EXTERNAL ? IR_FUNCTION : IR_KERNEL;
	link_func(f);
}

uint32_t ir_address_parts(const struct ir_address *a, uint32_t left)
{
	uint32_t bytes = 0;

	for (uint32_t k = 0; k < left && bytes < 8; k++) {
		if (a[k].offset != a->offset + bytes || a[k].shift != 8 * bytes ||
		    a[k].target != a->target || a[k].addend != a->addend ||
		    a[k].function != a->function)
			return 0;
		bytes += a[k].bytes;
		if (bytes == 8)
			return k + 1;
	}
	return 0;
}

uint32_t ir_symbol_new(struct ir_module *m, const struct ir_symbol *s)
{
	m->symbols = arena_grow(m->arena, m->symbols, &m->symbols_capacity, m->nsymbols + 1,
				sizeof(*m->symbols));
	m->symbols[m->nsymbols] = *s;
	m->symbols[m->nsymbols].name = copy_name(m, s->name);
	return m->nsymbols++;
}

uint32_t ir_reg_new(struct ir_func *f, enum ir_type type)
{
	uint32_t r = TABLE_ADD(f, reg_types, regs_capacity, nregs);

	f->reg_types[r] = type;
	return r;
}

/* ---- blocks ---- */

ir_block ir_block_new(struct ir_func *f, const char *name)
{
	return ir_block_new_before(f, 0, name);
}

/* where 0: at the end. */
ir_block ir_block_new_before(struct ir_func *f, ir_block where, const char *name)
{
	ir_block b = TABLE_ADD(f, blocks, blocks_capacity, nblocks);
	ir_block prev = where ? f->blocks[where].prev : f->last_block;

	f->blocks[b].name = copy_name(f->module, name);
	f->blocks[b].prev = prev;
	f->blocks[b].next = where;
	*(prev ? &f->blocks[prev].next : &f->entry) = b;
	*(where ? &f->blocks[where].prev : &f->last_block) = b;
	return b;
}

void ir_block_remove(struct ir_func *f, ir_block b)
{
	struct ir_bb *bb = &f->blocks[b];

	while (bb->nsucc)
		ir_edge_remove(f, b, bb->succ[bb->nsucc - 1]);
	while (bb->npreds)
		ir_edge_remove(f, bb->preds[bb->npreds - 1], b);
	while (bb->first)
		ir_remove(f, bb->first);
	*(bb->prev ? &f->blocks[bb->prev].next : &f->entry) = bb->next;
	*(bb->next ? &f->blocks[bb->next].prev : &f->last_block) = bb->prev;
	bb->prev = bb->next = 0;
}

/* ---- instructions ---- */

ir_id ir_inst_new(struct ir_func *f, enum ir_op op, enum ir_type type, const ir_val *args,
		  uint32_t nargs, uint32_t nres)
{
	const struct ir_op_info *info = &ir_ops[op];
	ir_id i = TABLE_ADD(f, insts, insts_capacity, ninsts);
	struct ir_inst *in = &f->insts[i];

	in->op = op;
	in->type = type;
	in->nargs = nargs;
	in->nres = info->results == IR_VARIADIC ? nres : info->results;
	if (nargs) {
		in->args = arena_array(f->module->arena, nargs, sizeof(*in->args));
		memcpy(in->args, args, nargs * sizeof(*in->args));
	}
	if (info->attributes & A_MEM) {
		in->from = type;
		in->align = ir_type_bits(type) / 8;
	}
	for (uint32_t k = 0; k < in->nres; k++) {
		ir_val v = TABLE_ADD(f, values, values_capacity, nvalues);

		f->values[v] = (struct ir_value){.def = i, .type = ir_result_type(in, k)};
		if (!k)
			in->res = v;
	}
	return i;
}

ir_id ir_call_new(struct ir_func *f, enum ir_op op, const struct ir_func *callee,
		  const ir_val *args, uint32_t nargs)
{
	ir_id i = ir_inst_new(f, op, IR_VOID, args, nargs, callee->nresults);
	struct ir_inst *in = ir_at(f, i);

	in->symbol = callee->index;
	for (uint32_t k = 0; k < in->nres; k++)
		f->values[in->res + k].type = callee->result_types[k];
	return i;
}

static void link_inst(struct ir_func *f, ir_block b, ir_id prev, ir_id i, ir_id next)
{
	struct ir_inst *in = ir_at(f, i);

	assert(!in->block);
	in->block = b;
	in->prev = prev;
	in->next = next;
	*(prev ? &ir_at(f, prev)->next : &f->blocks[b].first) = i;
	*(next ? &ir_at(f, next)->prev : &f->blocks[b].last) = i;
}

void ir_append(struct ir_func *f, ir_block b, ir_id i)
{
	link_inst(f, b, f->blocks[b].last, i, 0);
}

void ir_insert_before(struct ir_func *f, ir_id where, ir_id i)
{
	link_inst(f, ir_at(f, where)->block, ir_at(f, where)->prev, i, where);
}

void ir_remove(struct ir_func *f, ir_id i)
{
	struct ir_inst *in = ir_at(f, i);

	*(in->prev ? &ir_at(f, in->prev)->next : &f->blocks[in->block].first) = in->next;
	*(in->next ? &ir_at(f, in->next)->prev : &f->blocks[in->block].last) = in->prev;
	in->block = in->prev = in->next = 0;
}

void ir_arg_append(struct ir_func *f, ir_id i, ir_val v)
{
	struct ir_inst *in = ir_at(f, i);
	ir_val *args = arena_array(f->module->arena, in->nargs + 1, sizeof(*args));

	if (in->nargs)
		memcpy(args, in->args, in->nargs * sizeof(*args));
	args[in->nargs++] = v;
	in->args = args;
}

void ir_replace_uses(struct ir_func *f, ir_val of, ir_val with)
{
	for (ir_id i = 1; i < f->ninsts; i++)
		for (uint32_t k = 0; k < f->insts[i].nargs; k++)
			if (f->insts[i].args[k] == of)
				f->insts[i].args[k] = with;
}

ir_val ir_const(struct ir_func *f, ir_block b, enum ir_type t, uint64_t value)
{
	ir_id i = ir_inst_new(f, IR_CONST, t, NULL, 0, 1);
	uint32_t bits = ir_type_bits(t);

	ir_at(f, i)->imm = bits < 64 ? value & ((UINT64_C(1) << bits) - 1) : value;
	ir_append(f, b, i);
	return ir_at(f, i)->res;
}

/* ---- edges ---- */

static void add_pred(struct ir_func *f, ir_block from, ir_block to)
{
	struct ir_bb *t = &f->blocks[to];

	t->preds = arena_grow(f->module->arena, t->preds, &t->preds_capacity, t->npreds + 1,
			      sizeof(*t->preds));
	t->preds[t->npreds++] = from;
}

void ir_edge(struct ir_func *f, ir_block from, ir_block to)
{
	struct ir_bb *b = &f->blocks[from];

	assert(b->nsucc < 2);
	b->succ[b->nsucc++] = to;
	add_pred(f, from, to);
}

static uint32_t block_index(const ir_block *list, uint32_t n, ir_block b)
{
	uint32_t k = 0;

	while (k < n && list[k] != b)
		k++;
	assert(k < n);
	return k;
}

static void remove_pred(struct ir_func *f, ir_block from, ir_block to)
{
	struct ir_bb *t = &f->blocks[to];
	uint32_t k = block_index(t->preds, t->npreds, from), after = t->npreds - k - 1;

	memmove(t->preds + k, t->preds + k + 1, after * sizeof(*t->preds));
	t->npreds--;
	ir_for_each_inst(f, to, i) {
		struct ir_inst *phi = ir_at(f, i);

		if (phi->op != IR_PHI)
			break;
		memmove(phi->args + k, phi->args + k + 1, after * sizeof(*phi->args));
		phi->nargs--;
	}
}

void ir_edge_remove(struct ir_func *f, ir_block from, ir_block to)
{
	struct ir_bb *b = &f->blocks[from];
	uint32_t k = block_index(b->succ, b->nsucc, to);

	if (k == 0)
		b->succ[0] = b->succ[1];
	b->succ[--b->nsucc] = 0;
	remove_pred(f, from, to);
}

void ir_edge_redirect(struct ir_func *f, ir_block from, ir_block old_to, ir_block new_to)
{
	struct ir_bb *b = &f->blocks[from];

	b->succ[block_index(b->succ, b->nsucc, old_to)] = new_to;
	remove_pred(f, from, old_to);
	add_pred(f, from, new_to);
}

void ir_block_join(struct ir_func *f, ir_block b)
{
	struct ir_bb *bb = &f->blocks[b];
	ir_block s = bb->succ[0];
	struct ir_bb *next = &f->blocks[s];

	assert(bb->nsucc == 1 && next->npreds == 1);
	ir_remove(f, bb->last);
	while (next->first) {
		ir_id i = next->first;

		ir_remove(f, i);
		ir_append(f, b, i);
	}
	ir_edge_remove(f, b, s);
	for (uint32_t k = 0; k < next->nsucc; k++) {
		struct ir_bb *to = &f->blocks[next->succ[k]];

		bb->succ[bb->nsucc++] = next->succ[k];
		to->preds[block_index(to->preds, to->npreds, s)] = b;
	}
	next->nsucc = 0;
	bb->rolled |= next->rolled;
	ir_block_remove(f, s);
}

/* ---- source locations ---- */

const struct ir_source_loc *ir_source_loc_of(const struct ir_module *m, uint32_t text_line)
{
	uint32_t low = 0, high = m->nsource_locs; /* invariant: the result is before high */

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (m->source_locs[middle].text_line <= text_line)
			low = middle + 1;
		else
			high = middle;
	}
	return low && text_line ? &m->source_locs[low - 1] : NULL;
}
