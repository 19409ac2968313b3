// SPDX-License-Identifier: MIT
/*
 * Promotion: what is in local memory only because it was an array or had its address taken goes to
 * registers, where every access is at a constant place. The bytes of a variable fall into cells,
 * each read and written as a whole wherever it is touched; a cell becomes a mutable register, loads
 * become reads and stores writes, and SSA construction makes values of them. Before the first write
 * a cell is undefined, as memory was.
 *
 * A variable whose address goes anywhere but into loads and stores (an index that is not known, a
 * call, a comparison) stays in memory. Bytes that are accessed now as a word and now as halves of
 * it stay there too, beside cells of the same variable that do not overlap with them.
 */
#include <stdlib.h>
#include "libsov/compiler/analysis/cfg_walk.h"
#include "libsov/compiler/passes/pass.h"
#include "libsov/compiler/analysis/uses.h"

#define MOST_WORDS \
	160 /* in registers at once; beyond that they would be back in memory as spills */

struct access { /* of one element of a load or store */
	ir_id inst;
	uint32_t element, symbol;
	uint64_t offset;
	uint32_t bytes;
	uint32_t reg; /* of its cell; 0: stays in memory */
};

struct promote {
	struct ir_func *f;
	struct arena *arena;
	bool *kept;       /* by variable: its address got away */
	bool *known;      /* by value: variable + offset … */
	uint32_t *symbol; /* … this one … */
	uint64_t *offset; /* … and so many bytes */
	struct access *accesses;
	uint32_t naccesses, capacity;
};

static bool is_plain(const struct ir_inst *in)
{
	return in->order == IR_WEAK && !(in->flags & IR_VOLATILE);
}

/* Does an instruction compute a place in a variable from another? */
static bool follows(const struct promote *p, const struct ir_inst *in)
{
	uint64_t c;

	if (in->op == IR_ADDR) {
		p->symbol[in->res] = in->symbol;
		p->offset[in->res] = in->imm;
		return p->f->module->symbols[in->symbol].owner == p->f;
	}
	if ((in->op == IR_GENERIC || in->op == IR_TOSPACE) && in->space == IR_LOCAL &&
	    p->known[in->args[0]]) {
		p->symbol[in->res] = p->symbol[in->args[0]];
		p->offset[in->res] = p->offset[in->args[0]];
		return true;
	}
	for (uint32_t k = 0; in->op == IR_ADD && k < 2; k++) {
		if (p->known[in->args[k]] && ir_is_const(p->f, in->args[!k], &c)) {
			p->symbol[in->res] = p->symbol[in->args[k]];
			p->offset[in->res] = p->offset[in->args[k]] + c;
			return true;
		}
	}
	return false;
}

/* A load or store at a known place: an access for each element. */
static bool note_access(struct promote *p, ir_id i)
{
	const struct ir_inst *in = ir_at(p->f, i);
	ir_val address = in->args[0];
	uint32_t symbol = p->symbol[address], bytes = ir_type_bits(in->from) / 8;
	uint32_t n = in->op == IR_LOAD ? in->nres : in->nargs - 1;
	uint64_t at = p->offset[address] + in->imm, size = p->f->module->symbols[symbol].size;

	if (!is_plain(in) || (in->space != IR_LOCAL && in->space != IR_GENERIC_SPACE) || !bytes ||
	    at > size || size - at < (uint64_t)n * bytes)
		return false;
	for (uint32_t k = 0; k < n; k++) {
		p->accesses = arena_grow(p->arena, p->accesses, &p->capacity, p->naccesses + 1,
					 sizeof(*p->accesses));
		p->accesses[p->naccesses++] = (struct access){.inst = i,
							      .element = k,
							      .symbol = symbol,
							      .offset = at + (uint64_t)k * bytes,
							      .bytes = bytes};
	}
	return true;
}

/* In reverse postorder, so that an address is met before its users; a phi of addresses lets them
 * get away. */
static bool find_accesses(struct promote *p)
{
	const struct ir_cfg *cfg = ir_cfg_build(p->f);

	for (uint32_t b = 0; b < cfg->nrpo; b++) {
		ir_for_each_inst(p->f, cfg->rpo[b], i) {
			const struct ir_inst *in = ir_at(p->f, i);
			bool place = follows(p, in),
			     moves = in->op == IR_LOAD || in->op == IR_STORE;

			if (place)
				p->known[in->res] = true;
			for (uint32_t k = 0; k < in->nargs && in->op != IR_PHI && !place; k++)
				if (p->known[in->args[k]] &&
				    !(moves && k == 0 && note_access(p, i)))
					p->kept[p->symbol[in->args[k]]] = true;
		}
	}
	ir_for_each_block(p->f, b)
		for (ir_id i = p->f->blocks[b].first; ir_at(p->f, i)->op == IR_PHI;
		     i = ir_at(p->f, i)->next)
			for (uint32_t k = 0; k < ir_at(p->f, i)->nargs; k++)
				if (p->known[ir_at(p->f, i)->args[k]])
					p->kept[p->symbol[ir_at(p->f, i)->args[k]]] = true;
	return p->naccesses > 0;
}

static int order(const void *a, const void *b)
{
	const struct access *x = a, *y = b;

	if (x->symbol != y->symbol)
		return x->symbol < y->symbol ? -1 : 1;
	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	if (x->inst != y->inst)
		return x->inst < y->inst ? -1 : 1;
	return (x->element > y->element) - (x->element < y->element);
}

/* ---- cells ---- */

static enum ir_type type_of_bytes(uint32_t bytes)
{
	return bytes == 1 ? IR_B8 : bytes == 2 ? IR_B16 : bytes == 4 ? IR_B32 : IR_B64;
}

/* Accesses that overlap are one cell if they are all the same bytes. */
static bool make_cells(struct promote *p)
{
	uint32_t words = 0;
	bool any = false;

	for (uint32_t k = 0, next; k < p->naccesses; k = next) {
		const struct access *first = &p->accesses[k];
		uint64_t end = first->offset + first->bytes;
		uint32_t room = (first->bytes + 3) / 4, reg = 0;
		bool whole = !p->kept[first->symbol];

		for (next = k + 1; next < p->naccesses; next++) {
			const struct access *a = &p->accesses[next];

			if (a->symbol != first->symbol || a->offset >= end)
				break;
			whole &= a->offset == first->offset && a->bytes == first->bytes;
			if (a->offset + a->bytes > end)
				end = a->offset + a->bytes;
		}
		if (whole && words + room <= MOST_WORDS) {
			words += room;
			reg = ir_reg_new(p->f, type_of_bytes(first->bytes));
			any = true;
		}
		for (uint32_t j = k; j < next; j++)
			p->accesses[j].reg = reg;
	}
	return any;
}

/* ---- rewriting ---- */

static ir_val insert(struct promote *p, ir_id where, enum ir_op op, enum ir_type type,
		     uint32_t symbol, ir_val v)
{
	ir_id i = ir_inst_new(p->f, op, type, &v, v ? 1 : 0, 1);

	ir_at(p->f, i)->line = ir_at(p->f, where)->line;
	ir_at(p->f, i)->symbol = symbol;
	ir_insert_before(p->f, where, i);
	return ir_at(p->f, i)->res;
}

static ir_val convert(struct promote *p, ir_id where, enum ir_op op, enum ir_type to, ir_val v)
{
	ir_val result = insert(p, where, op, to, 0, v);

	ir_def(p->f, result)->from = p->f->values[v].type;
	return result;
}

/* The value of a load's element: it takes the place of the result in all its uses, by way of
 * forward. */
static void rewrite(struct promote *p, const struct access *a, ir_val *forward)
{
	const struct ir_inst in = *ir_at(p->f, a->inst);
	enum ir_type cell = p->f->reg_types[a->reg];
	ir_val v;

	if (in.op == IR_STORE) {
		v = in.args[1 + a->element];
		if (ir_type_bits(in.type) > ir_type_bits(cell))
			v = convert(p, a->inst, IR_TRUNC, cell, v);
		insert(p, a->inst, IR_WRITE, cell, a->reg, v);
		return;
	}
	v = insert(p, a->inst, IR_READ, cell, a->reg, 0);
	if (ir_type_bits(in.type) > ir_type_bits(cell))
		v = convert(p, a->inst, in.flags & IR_SEXT_MEM ? IR_SEXT : IR_ZEXT, in.type, v);
	forward[in.res + a->element] = v;
}

static void rewrite_all(struct promote *p)
{
	struct ir_func *f = p->f;
	uint32_t nvalues = f->nvalues, *left = arena_array(p->arena, f->ninsts, sizeof(*left));
	ir_val *forward = arena_array(p->arena, nvalues, sizeof(*forward));

	for (uint32_t k = 0; k < p->naccesses; k++) {
		left[p->accesses[k].inst] += !p->accesses[k].reg;
		if (p->accesses[k].reg)
			rewrite(p, &p->accesses[k], forward);
	}
	for (uint32_t k = 0; k < p->naccesses; k++) {
		ir_id i = p->accesses[k].inst;

		/* Loads without users go with the next sweep. */
		if (ir_at(f, i)->op == IR_STORE && ir_at(f, i)->block && !left[i])
			ir_remove(f, i);
	}
	uses_forward(f, forward, nvalues);
}

bool pass_scalar_replacement(struct ir_func *f, const struct target *t)
{
	struct promote p = {.f = f, .arena = f->module->arena};
	bool any = false;

	for (uint32_t k = 0; k < f->module->nsymbols; k++)
		any |= f->module->symbols[k].owner == f;
	if (!any)
		return false;
	p.kept = arena_array(p.arena, f->module->nsymbols, sizeof(*p.kept));
	p.known = arena_array(p.arena, f->nvalues, sizeof(*p.known));
	p.symbol = arena_array(p.arena, f->nvalues, sizeof(*p.symbol));
	p.offset = arena_array(p.arena, f->nvalues, sizeof(*p.offset));
	if (!find_accesses(&p))
		return false;
	qsort(p.accesses, p.naccesses, sizeof(*p.accesses), order);
	if (!make_cells(&p))
		return false;
	rewrite_all(&p);
	f->ssa = false;
	pass_ssa_construction(f, t);
	return true;
}
