// SPDX-License-Identifier: MIT
/*
 * The verifier. It checks a function in four steps, each only if the previous one found nothing:
 * links and tables, edges and terminators, instructions against their rows, and dominance of
 * definitions over uses. A message names the function, the block and the instruction.
 */
#include <stdio.h>
#include <string.h>
#include "libsov/compiler/base/name_map.h"
#include "libsov/compiler/ir/ir_verify.h"

#define PARAM_ALIGN 16 /* of the first parameter, at least */

/* ---- messages ---- */

static const char *func_kind(const struct verifier *v)
{
	return v->f->kind == IR_KERNEL ? "kernel" : "function";
}

__attribute__((format(printf, 2, 3))) static bool func_fault(struct verifier *v, const char *fmt,
							     ...)
{
	char message[300];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	diag_error(v->diag, 0, 0, "%s %s: %s", func_kind(v), v->f->name, message);
	return false;
}

__attribute__((format(printf, 3, 4))) static bool block_fault(struct verifier *v, ir_block b,
							      const char *fmt, ...)
{
	char message[300];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	diag_error(v->diag, 0, 0, "%s %s, block %s: %s", func_kind(v), v->f->name,
		   ir_text_block(v->f, b), message);
	return false;
}

bool verify_inst_fault(struct verifier *v, ir_id i, const char *fmt, ...)
{
	char message[300];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	return block_fault(v, ir_at(v->f, i)->block, "'%.200s': %.90s", ir_text_inst(v->f, i),
			   message);
}

/* ---- links and tables ---- */

static bool check_inst_links(struct verifier *v, ir_block b)
{
	const struct ir_func *f = v->f;
	ir_id prev = 0;
	uint32_t n = 0;

	for (ir_id i = f->blocks[b].first; i; prev = i, i = f->insts[i].next) {
		const struct ir_inst *in;

		if (i >= f->ninsts || ++n > f->ninsts)
			return func_fault(v, "block %u: its list of instructions is broken", b);
		in = ir_at(f, i);
		if (in->block != b || in->prev != prev || in->op >= IR_OP_COUNT ||
		    in->type >= IR_TYPE_COUNT)
			return func_fault(
				v, "block %u: instruction %u is invalid or has wrong links", b, i);
		if (in->nres && (!in->res || in->res > f->nvalues - in->nres))
			return func_fault(
				v, "instruction %u: its results are not in the value table", i);
		for (uint32_t k = 0; k < in->nres; k++)
			if (f->values[in->res + k].def != i ||
			    f->values[in->res + k].type >= IR_TYPE_COUNT)
				return func_fault(v, "value %u is not defined by instruction %u",
						  in->res + k, i);
	}
	return prev == f->blocks[b].last ||
	       func_fault(v, "block %u: its last instruction is not the list's", b);
}

static bool check_links(struct verifier *v, bool *placed)
{
	const struct ir_func *f = v->f;
	ir_block prev = 0;

	if (!f->entry)
		return func_fault(v, "no blocks");
	for (ir_block b = f->entry; b; prev = b, b = f->blocks[b].next) {
		if (b >= f->nblocks || placed[b] || f->blocks[b].prev != prev)
			return func_fault(v, "the layout of blocks is broken after block %u", prev);
		placed[b] = true;
		if (!check_inst_links(v, b))
			return false;
	}
	return prev == f->last_block || func_fault(v, "the last block is not the layout's");
}

/* ---- edges and terminators ---- */

static uint32_t count_block(const ir_block *list, uint32_t n, ir_block b)
{
	uint32_t count = 0;

	for (uint32_t k = 0; k < n; k++)
		count += list[k] == b;
	return count;
}

static bool check_edges(struct verifier *v, ir_block b, const bool *placed)
{
	const struct ir_func *f = v->f;
	const struct ir_bb *bb = &f->blocks[b];

	if (bb->nsucc > 2)
		return func_fault(v, "block %u has %u successors", b, bb->nsucc);
	for (uint32_t k = 0; k < bb->nsucc; k++) {
		ir_block s = bb->succ[k];

		if (!s || s >= f->nblocks || !placed[s])
			return func_fault(v, "a successor of block %u is not in the layout", b);
		if (count_block(f->blocks[s].preds, f->blocks[s].npreds, b) !=
		    count_block(bb->succ, bb->nsucc, s))
			return func_fault(v, "blocks %u and %u disagree on the edges between them",
					  b, s);
	}
	for (uint32_t k = 0; k < bb->npreds; k++) {
		ir_block p = bb->preds[k];

		if (!p || p >= f->nblocks || !placed[p])
			return func_fault(v, "a predecessor of block %u is not in the layout", b);
		if (!count_block(f->blocks[p].succ, f->blocks[p].nsucc, b))
			return func_fault(v, "blocks %u and %u disagree on the edges between them",
					  p, b);
	}
	return true;
}

static bool check_block(struct verifier *v, ir_block b)
{
	const struct ir_func *f = v->f;
	const struct ir_bb *bb = &f->blocks[b];
	bool good = true, phis = true;

	if (!bb->last || !(ir_ops[ir_at(f, bb->last)->op].properties & P_TERM))
		return block_fault(v, b, "does not end in br, cbr, ret, exit or trap");
	if (bb->nsucc != ir_successors(ir_at(f, bb->last)->op))
		good = verify_inst_fault(v, bb->last, "the block has %u successors, not %u",
					 bb->nsucc, ir_successors(ir_at(f, bb->last)->op));
	ir_for_each_inst(f, b, i) {
		const struct ir_inst *in = ir_at(f, i);

		if (ir_ops[in->op].properties & P_TERM && in->next)
			good = verify_inst_fault(v, i, "instructions follow the end of the block");
		if (in->op == IR_PHI && !phis)
			good = verify_inst_fault(v, i, "a phi after other instructions");
		if (in->op == IR_PHI && in->nargs != bb->npreds)
			good = verify_inst_fault(v, i, "%u arguments for %u predecessors",
						 in->nargs, bb->npreds);
		phis &= in->op == IR_PHI;
	}
	return good;
}

/* ---- dominance ---- */

struct dominance {
	const struct ir_cfg *cfg;
	uint32_t *position; /* by instruction: index in its block */
};

/* Whether the definition of a value dominates a position; unreachable blocks are exempt. */
static bool dominates_use(const struct verifier *v, const struct dominance *r, ir_val value,
			  ir_block b, uint32_t position)
{
	ir_id def = v->f->values[value].def;

	if (r->cfg->rpo_index[b] == UINT32_MAX)
		return true;
	if (ir_at(v->f, def)->block == b)
		return r->position[def] < position;
	return ir_dominates(r->cfg, ir_at(v->f, def)->block, b);
}

static bool check_dominance(struct verifier *v)
{
	const struct ir_func *f = v->f;
	struct dominance r = {.cfg = ir_cfg_build(f)};
	bool good = true;

	r.position = arena_array(f->module->arena, f->ninsts, sizeof(*r.position));
	ir_for_each_block(f, b) {
		uint32_t n = 0;

		ir_for_each_inst(f, b, i)
			r.position[i] = n++;
	}
	ir_for_each_block(f, b)
		ir_for_each_inst(f, b, i) {
			const struct ir_inst *in = ir_at(f, i);

			for (uint32_t k = 0; k < in->nargs; k++)
				if (in->op == IR_PHI
					    ? !dominates_use(v, &r, in->args[k],
							     f->blocks[b].preds[k], UINT32_MAX)
					    : !dominates_use(v, &r, in->args[k], b, r.position[i]))
					good = verify_inst_fault(
						v, i, "argument %u does not dominate this use",
						k + 1);
		}
	return good;
}

/* ---- functions ---- */

static bool check_params(struct verifier *v)
{
	const struct ir_func *f = v->f;
	uint32_t end = 0;

	for (uint32_t k = 0; k < f->nparams; k++) {
		const struct ir_param *p = &f->params[k];

		if (!p->size || p->size > UINT32_MAX - p->offset)
			return func_fault(v, "parameter %s has a size of %u bytes", p->name,
					  p->size);
		/* wider alignment counts from an address that depends on the target */
		if (!p->align || p->align & (p->align - 1) ||
		    p->offset % (p->align < PARAM_ALIGN ? p->align : PARAM_ALIGN))
			return func_fault(
				v,
				"parameter %s at %u is not aligned to %u, or that is not a "
				"power of two",
				p->name, p->offset, p->align);
		if (p->offset < end)
			return func_fault(v, "parameter %s at %u overlaps the one before it",
					  p->name, p->offset);
		end = p->offset + p->size;
	}
	return f->param_bytes == end ||
	       func_fault(v, "parameters end at %u bytes, not at %u", end, f->param_bytes);
}

/* A preserve_all function has no calls and one end: lanes that call it together return together. */
static bool check_preserve_all(struct verifier *v)
{
	const struct ir_func *f = v->f;
	uint32_t ends = 0;

	ir_for_each_block(f, b)
		ir_for_each_inst(f, b, i) {
			if (ir_at(f, i)->op == IR_CALL || ir_at(f, i)->op == IR_CALLPTR)
				return func_fault(v, "a preserve_all function calls another");
			ends += ir_at(f, i)->op == IR_RET;
		}
	return ends == 1 || func_fault(v, "a preserve_all function has %u returns, not one", ends);
}

/* No target has larger blocks. */
#define MAX_BLOCK_THREADS 1024u

/* A shape that is stated has 1 to MAX_BLOCK_THREADS threads; of a maximum, axes may be left out. */
static bool check_block_shape(struct verifier *v, const char *what, const uint32_t threads[3],
			      bool all_axes)
{
	uint64_t product = 1;
	bool stated = threads[0] || threads[1] || threads[2], good = true;

	for (int axis = 0; stated && axis < 3; axis++) {
		good &= threads[axis] <= MAX_BLOCK_THREADS && (threads[axis] || !all_axes);
		product *= threads[axis] ? threads[axis] : 1;
	}
	return (good && product <= MAX_BLOCK_THREADS) ||
	       func_fault(v, "%s %u %u %u: a block has 1 to %u threads", what, threads[0],
			  threads[1], threads[2], MAX_BLOCK_THREADS);
}

/* A cluster that is stated has at least one block on every axis. */
static bool check_cluster(struct verifier *v)
{
	const uint32_t *n = v->f->cluster;
	uint64_t blocks = 1;

	if (!n[0] && !n[1] && !n[2])
		return true;
	for (int axis = 0; axis < 3; axis++)
		blocks = blocks > IR_MAX_CLUSTER ? blocks : blocks * n[axis];
	return (blocks && blocks <= IR_MAX_CLUSTER) ||
	       func_fault(v, "cluster %u %u %u: a cluster has 1 to %u blocks", n[0], n[1], n[2],
			  IR_MAX_CLUSTER);
}

static bool check_func(struct verifier *v)
{
	const struct ir_func *f = v->f;
	bool *placed = arena_array(f->module->arena, f->nblocks, sizeof(*placed));
	bool good = check_params(v) && check_block_shape(v, "max_threads", f->max_threads, false) &&
		    check_block_shape(v, "required_threads", f->required_threads, true) &&
		    check_cluster(v);

	if (!check_links(v, placed))
		return false;
	ir_for_each_block(f, b)
		if (!check_edges(v, b, placed))
			return false;
	if (f->blocks[f->entry].npreds)
		good = block_fault(v, f->entry, "the entry has predecessors");
	ir_for_each_block(f, b)
		good &= check_block(v, b);
	if (!good)
		return false;
	ir_for_each_block(f, b)
		ir_for_each_inst(f, b, i) {
			good &= verify_inst(v, i);
			if (f->ssa && ir_ops[ir_at(f, i)->op].attributes & A_REG)
				good = verify_inst_fault(v, i,
							 "a register in a function in SSA form");
		}
	return good && (!f->preserve_all || check_preserve_all(v)) && check_dominance(v);
}

/* ---- modules ---- */

static const char *address_fault(const struct ir_module *m, const struct ir_symbol *s)
{
	for (uint32_t k = 0; k < s->naddresses; k++) {
		const struct ir_address *a = &s->addresses[k];

		if (!s->init || a->offset > s->size || a->bytes > s->size - a->offset)
			return "has a relocation beyond its initial bytes";
		if (!a->bytes || a->shift % 8 || a->shift / 8 + a->bytes > 8)
			return "has a relocation with invalid bytes or shift";
		if (a->target >= (a->function ? m->nfuncs : m->nsymbols))
			return "has a relocation to an unknown symbol";
	}
	return NULL;
}

static bool check_symbol(struct verifier *v, const struct ir_symbol *s, struct name_map *seen)
{
	const char *fault = NULL;

	if (!s->name || !*s->name) {
		diag_error(v->diag, 0, 0, "a variable has no name");
		return false;
	}
	if ((*name_map_get(seen, s->name, (uint32_t)strlen(s->name)))++)
		fault = "has the name of another variable";
	else if (s->space != IR_GLOBAL && s->space != IR_SHARED && s->space != IR_CONSTANT &&
		 s->space != IR_LOCAL)
		fault = "is in a space that has no variables";
	else if (!s->align || s->align & (s->align - 1))
		fault = "has an alignment that is not a power of two";
	else if (s->external && !v->module->relocatable && (s->space != IR_SHARED || s->size))
		fault = "is external, but only shared variables of size 0 may be";
	else if (s->init && s->space != IR_GLOBAL && s->space != IR_CONSTANT)
		fault = "has initial bytes, which only global and constant variables may have";
	else if ((s->space == IR_LOCAL) != !!s->owner)
		fault = "is local outside of a function, or inside and not local";
	else
		fault = address_fault(v->module, s);
	if (fault)
		diag_error(v->diag, 0, 0, "variable @%s %s", s->name, fault);
	return !fault;
}

/* Messages may be in the same arena; without any, the tables of the check are freed. */
bool ir_verify_func(const struct ir_func *f, struct diag *d)
{
	struct verifier v = {.module = f->module, .diag = d, .f = f};
	struct arena_mark scratch = arena_mark(f->module->arena);
	bool good = check_func(&v);

	if (good)
		arena_rewind(f->module->arena, scratch);
	return good;
}

bool ir_verify(const struct ir_module *m, struct diag *d)
{
	struct verifier v = {.module = m, .diag = d};
	struct name_map symbols = {.arena = m->arena}, kernels = {.arena = m->arena};
	struct arena_mark scratch = arena_mark(m->arena);
	bool good = true;

	for (uint32_t k = 0; k < m->nsymbols; k++)
		good &= check_symbol(&v, &m->symbols[k], &symbols);
	for (uint32_t k = 0; k < m->nfuncs; k++) {
		v.f = m->table[k];
		if (!v.f->name || !*v.f->name) {
			diag_error(d, 0, 0, "a kernel has no name");
			good = false;
			continue;
		}
		if ((*name_map_get(&kernels, v.f->name, (uint32_t)strlen(v.f->name)))++)
			good = func_fault(&v, "another kernel has this name");
		/* Functions of other units (unit.h) change concurrently. */
		if (v.f->module == m && (v.f->kind == IR_KERNEL || v.f->kind == IR_FUNCTION))
			good &= ir_verify_func(v.f, d);
	}
	if (good)
		arena_rewind(m->arena, scratch);
	return good;
}
