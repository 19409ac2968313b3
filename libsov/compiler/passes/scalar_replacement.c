// SPDX-License-Identifier: MIT
/*
 * Scalar replacement of aggregates (SROA): moves local variables to registers where every access is
 * at a constant offset. The pass divides a variable's bytes into cells, each read and written only
 * as a whole. A cell becomes a mutable register, loads become reads and stores become writes; SSA
 * construction replaces these by values. Before the first write a cell is undefined, as the memory
 * was.
 *
 * A variable whose address escapes (a variable index, a call, a comparison) stays in memory. So do
 * bytes that are accessed with different widths, next to cells of the same variable that do not
 * overlap them.
 */
#include <stdlib.h>
#include "libsov/compiler/analysis/cfg_walk.h"
#include "libsov/compiler/passes/pass.h"
#include "libsov/compiler/analysis/uses.h"

#define MAX_WORDS 160 /* limit of cells in 32-bit words; more would only be spilled again */

struct access { /* one element of a load or store */
	ir_id inst;
	uint32_t element, symbol;
	uint64_t offset;
	uint32_t bytes;
	uint32_t reg; /* mutable register of its cell; 0: stays in memory */
};

struct sroa {
	struct ir_func *f;
	struct arena *arena;
	bool *escapes;    /* by variable: its address escapes */
	bool *known;      /* by value: an address with known variable and offset */
	uint32_t *symbol; /* by known value: the variable */
	uint64_t *offset; /* by known value: the offset in bytes */
	struct access *accesses;
	uint32_t naccesses, capacity;
};

static bool is_plain(const struct ir_inst *in)
{
	return in->order == IR_WEAK && !(in->flags & IR_VOLATILE);
}

/* Whether an instruction computes an address at a constant offset in a variable; records it. */
static bool track_address(const struct sroa *sroa, const struct ir_inst *in)
{
	uint64_t c;

	if (in->op == IR_ADDR) {
		sroa->symbol[in->res] = in->symbol;
		sroa->offset[in->res] = in->imm;
		return sroa->f->module->symbols[in->symbol].owner == sroa->f;
	}
	if ((in->op == IR_GENERIC || in->op == IR_TOSPACE) && in->space == IR_LOCAL &&
	    sroa->known[in->args[0]]) {
		sroa->symbol[in->res] = sroa->symbol[in->args[0]];
		sroa->offset[in->res] = sroa->offset[in->args[0]];
		return true;
	}
	for (uint32_t k = 0; in->op == IR_ADD && k < 2; k++) {
		if (sroa->known[in->args[k]] && ir_is_const(sroa->f, in->args[!k], &c)) {
			sroa->symbol[in->res] = sroa->symbol[in->args[k]];
			sroa->offset[in->res] = sroa->offset[in->args[k]] + c;
			return true;
		}
	}
	return false;
}

/* Records one access per element of a load or store at a known address. */
static bool note_access(struct sroa *sroa, ir_id i)
{
	const struct ir_inst *in = ir_at(sroa->f, i);
	ir_val address = in->args[0];
	uint32_t symbol = sroa->symbol[address], bytes = ir_type_bits(in->from) / 8;
	uint32_t n = in->op == IR_LOAD ? in->nres : in->nargs - 1;
	uint64_t at = sroa->offset[address] + in->imm, size = sroa->f->module->symbols[symbol].size;

	if (!is_plain(in) || (in->space != IR_LOCAL && in->space != IR_GENERIC_SPACE) || !bytes ||
	    at > size || size - at < (uint64_t)n * bytes)
		return false;
	for (uint32_t k = 0; k < n; k++) {
		sroa->accesses = arena_grow(sroa->arena, sroa->accesses, &sroa->capacity,
					    sroa->naccesses + 1, sizeof(*sroa->accesses));
		sroa->accesses[sroa->naccesses++] =
			(struct access){.inst = i,
					.element = k,
					.symbol = symbol,
					.offset = at + (uint64_t)k * bytes,
					.bytes = bytes};
	}
	return true;
}

/* Visits definitions before uses by reverse postorder. A phi of addresses makes them escape. */
static bool find_accesses(struct sroa *sroa)
{
	const struct ir_cfg *cfg = ir_cfg_build(sroa->f);

	for (uint32_t b = 0; b < cfg->nrpo; b++) {
		ir_for_each_inst(sroa->f, cfg->rpo[b], i) {
			const struct ir_inst *in = ir_at(sroa->f, i);
			bool tracked = track_address(sroa, in),
			     is_access = in->op == IR_LOAD || in->op == IR_STORE;

			if (tracked)
				sroa->known[in->res] = true;
			for (uint32_t k = 0; k < in->nargs && in->op != IR_PHI && !tracked; k++)
				if (sroa->known[in->args[k]] &&
				    !(is_access && k == 0 && note_access(sroa, i)))
					sroa->escapes[sroa->symbol[in->args[k]]] = true;
		}
	}
	ir_for_each_block(sroa->f, b)
		for (ir_id i = sroa->f->blocks[b].first; ir_at(sroa->f, i)->op == IR_PHI;
		     i = ir_at(sroa->f, i)->next)
			for (uint32_t k = 0; k < ir_at(sroa->f, i)->nargs; k++)
				if (sroa->known[ir_at(sroa->f, i)->args[k]])
					sroa->escapes[sroa->symbol[ir_at(sroa->f, i)->args[k]]] =
						true;
	return sroa->naccesses > 0;
}

static int compare_accesses(const void *a, const void *b)
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

/* Overlapping accesses form a cell if all of them cover the same bytes. */
static bool make_cells(struct sroa *sroa)
{
	uint32_t words = 0;
	bool any = false;

	for (uint32_t k = 0, next; k < sroa->naccesses; k = next) {
		const struct access *first = &sroa->accesses[k];
		uint64_t end = first->offset + first->bytes;
		uint32_t room = (first->bytes + 3) / 4, reg = 0;
		bool whole = !sroa->escapes[first->symbol];

		for (next = k + 1; next < sroa->naccesses; next++) {
			const struct access *a = &sroa->accesses[next];

			if (a->symbol != first->symbol || a->offset >= end)
				break;
			whole &= a->offset == first->offset && a->bytes == first->bytes;
			if (a->offset + a->bytes > end)
				end = a->offset + a->bytes;
		}
		if (whole && words + room <= MAX_WORDS) {
			words += room;
			reg = ir_reg_new(sroa->f, type_of_bytes(first->bytes));
			any = true;
		}
		for (uint32_t j = k; j < next; j++)
			sroa->accesses[j].reg = reg;
	}
	return any;
}

/* ---- rewriting ---- */

static ir_val insert_op(struct sroa *sroa, ir_id where, enum ir_op op, enum ir_type type,
			uint32_t symbol, ir_val v)
{
	ir_id i = ir_inst_new(sroa->f, op, type, &v, v ? 1 : 0, 1);

	ir_at(sroa->f, i)->line = ir_at(sroa->f, where)->line;
	ir_at(sroa->f, i)->symbol = symbol;
	ir_insert_before(sroa->f, where, i);
	return ir_at(sroa->f, i)->res;
}

static ir_val insert_convert(struct sroa *sroa, ir_id where, enum ir_op op, enum ir_type to,
			     ir_val v)
{
	ir_val result = insert_op(sroa, where, op, to, 0, v);

	ir_def(sroa->f, result)->from = sroa->f->values[v].type;
	return result;
}

/* Replaces a stored element by a write, or a loaded one by a read that forward[] substitutes for
 * the result. */
static void rewrite_access(struct sroa *sroa, const struct access *a, ir_val *forward)
{
	const struct ir_inst in = *ir_at(sroa->f, a->inst);
	enum ir_type cell = sroa->f->reg_types[a->reg];
	ir_val v;

	if (in.op == IR_STORE) {
		v = in.args[1 + a->element];
		if (ir_type_bits(in.type) > ir_type_bits(cell))
			v = insert_convert(sroa, a->inst, IR_TRUNC, cell, v);
		insert_op(sroa, a->inst, IR_WRITE, cell, a->reg, v);
		return;
	}
	v = insert_op(sroa, a->inst, IR_READ, cell, a->reg, 0);
	if (ir_type_bits(in.type) > ir_type_bits(cell))
		v = insert_convert(sroa, a->inst, in.flags & IR_SEXT_MEM ? IR_SEXT : IR_ZEXT,
				   in.type, v);
	forward[in.res + a->element] = v;
}

static void rewrite_accesses(struct sroa *sroa)
{
	struct ir_func *f = sroa->f;
	uint32_t nvalues = f->nvalues,
		 *remaining = arena_array(sroa->arena, f->ninsts, sizeof(*remaining));
	ir_val *forward = arena_array(sroa->arena, nvalues, sizeof(*forward));

	for (uint32_t k = 0; k < sroa->naccesses; k++) {
		remaining[sroa->accesses[k].inst] += !sroa->accesses[k].reg;
		if (sroa->accesses[k].reg)
			rewrite_access(sroa, &sroa->accesses[k], forward);
	}
	for (uint32_t k = 0; k < sroa->naccesses; k++) {
		ir_id i = sroa->accesses[k].inst;

		/* DCE removes the loads, which have no uses left. */
		if (ir_at(f, i)->op == IR_STORE && ir_at(f, i)->block && !remaining[i])
			ir_remove(f, i);
	}
	uses_forward(f, forward, nvalues);
}

bool pass_scalar_replacement(struct ir_func *f, const struct target *t)
{
	struct sroa sroa = {.f = f, .arena = f->module->arena};
	bool any = false;

	for (uint32_t k = 0; k < f->module->nsymbols; k++)
		any |= f->module->symbols[k].owner == f;
	if (!any)
		return false;
	sroa.escapes = arena_array(sroa.arena, f->module->nsymbols, sizeof(*sroa.escapes));
	sroa.known = arena_array(sroa.arena, f->nvalues, sizeof(*sroa.known));
	sroa.symbol = arena_array(sroa.arena, f->nvalues, sizeof(*sroa.symbol));
	sroa.offset = arena_array(sroa.arena, f->nvalues, sizeof(*sroa.offset));
	if (!find_accesses(&sroa))
		return false;
	qsort(sroa.accesses, sroa.naccesses, sizeof(*sroa.accesses), compare_accesses);
	if (!make_cells(&sroa))
		return false;
	rewrite_accesses(&sroa);
	f->ssa = false;
	pass_ssa_construction(f, t);
	return true;
}
