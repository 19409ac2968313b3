// SPDX-License-Identifier: MIT
/*
 * Scalar replacement of aggregates (SROA): moves local variables to registers where every access is
 * at a constant offset. The pass divides a variable's bytes into cells, each read and written only
 * as a whole. A cell becomes a mutable register, loads become reads and stores become writes; SSA
 * construction replaces these by values. Before the first write a cell is undefined, as the memory
 * was.
 *
 * A load at a variable index of a small array becomes a tree of selects between its cells, by the
 * bits of the index. A variable whose address escapes otherwise (a store at a variable index, a
 * call, a comparison) stays in memory. So do bytes that are accessed with different widths, next to
 * cells of the same variable that do not overlap them.
 */
#include <stdlib.h>
#include "libsov/compiler/analysis/cfg_walk.h"
#include "libsov/compiler/passes/pass.h"
#include "libsov/compiler/analysis/uses.h"

#define MAX_WORDS   160 /* limit of cells in 32-bit words; more would only be spilled again */
#define MAX_INDEXED 8   /* cells of an array with loads at variable indices: selects, less one */
#define MAX_LOADS   4   /* at variable indices, of one array */

struct access { /* one element of a load or store */
	ir_id inst;
	uint32_t element, symbol;
	uint64_t offset;
	uint32_t bytes;
	uint32_t reg; /* mutable register of its cell; 0: stays in memory */
};

struct indexed_load { /* at a variable index */
	ir_id inst;
	ir_val address;
};

struct sroa {
	struct ir_func *f;
	struct arena *arena;
	bool *escapes; /* by variable: its address escapes */
	bool *known;   /* by value: an address with known variable and offset */
	ir_val *index; /* by value: what an address adds to known variable and offset; 0: no such */
	uint32_t *symbol; /* by value with known variable: the variable */
	uint64_t *offset; /* by such a value: the offset in bytes */
	struct access *accesses;
	uint32_t naccesses, capacity;
	struct indexed_load *loads;
	uint32_t nloads, loads_capacity;
	uint32_t *nindexed; /* by variable: number of its loads at variable indices */
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

/* The same with a variable index. */
static bool track_index(const struct sroa *sroa, const struct ir_inst *in)
{
	uint64_t c = 0;

	if ((in->op == IR_GENERIC || in->op == IR_TOSPACE) && in->space == IR_LOCAL &&
	    sroa->index[in->args[0]]) {
		sroa->symbol[in->res] = sroa->symbol[in->args[0]];
		sroa->offset[in->res] = sroa->offset[in->args[0]];
		sroa->index[in->res] = sroa->index[in->args[0]];
		return true;
	}
	for (uint32_t k = 0; in->op == IR_ADD && k < 2; k++) {
		ir_val address = in->args[k], other = in->args[!k];

		if (sroa->known[other] || sroa->index[other] ||
		    (!sroa->known[address] &&
		     !(sroa->index[address] && ir_is_const(sroa->f, other, &c))))
			continue;
		sroa->symbol[in->res] = sroa->symbol[address];
		sroa->offset[in->res] = sroa->offset[address] + c;
		sroa->index[in->res] = sroa->index[address] ? sroa->index[address] : other;
		return true;
	}
	return false;
}

static bool note_indexed_load(struct sroa *sroa, ir_id i)
{
	const struct ir_inst *in = ir_at(sroa->f, i);
	uint32_t symbol = sroa->symbol[in->args[0]], bytes = ir_type_bits(in->type) / 8;
	uint64_t size = sroa->f->module->symbols[symbol].size;

	if (in->op != IR_LOAD || !is_plain(in) || in->nres != 1 || in->from != in->type ||
	    (in->space != IR_LOCAL && in->space != IR_GENERIC_SPACE) || size % bytes ||
	    size / bytes > MAX_INDEXED || ++sroa->nindexed[symbol] > MAX_LOADS)
		return false;
	sroa->loads = arena_grow(sroa->arena, sroa->loads, &sroa->loads_capacity, sroa->nloads + 1,
				 sizeof(*sroa->loads));
	sroa->loads[sroa->nloads++] = (struct indexed_load){i, in->args[0]};
	return true;
}

/* Records one access per element of a load or store at a known address. */
static bool note_access(struct sroa *sroa, ir_id i)
{
	const struct ir_inst *in = ir_at(sroa->f, i);
	ir_val address = in->args[0];
	uint32_t symbol = sroa->symbol[address], bytes = ir_type_bits(in->from) / 8;
	uint32_t n = in->op == IR_LOAD ? in->nres : ir_data_args(in) - 1;
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
			else
				tracked = track_index(sroa, in);
			for (uint32_t k = 0; k < in->nargs && in->op != IR_PHI && !tracked; k++) {
				ir_val v = in->args[k];

				if (sroa->known[v] &&
				    !(is_access && k == 0 && note_access(sroa, i)))
					sroa->escapes[sroa->symbol[v]] = true;
				if (sroa->index[v] &&
				    !(is_access && k == 0 && note_indexed_load(sroa, i)))
					sroa->escapes[sroa->symbol[v]] = true;
			}
		}
	}
	ir_for_each_block(sroa->f, b)
		for (ir_id i = sroa->f->blocks[b].first; ir_at(sroa->f, i)->op == IR_PHI;
		     i = ir_at(sroa->f, i)->next)
			for (uint32_t k = 0; k < ir_at(sroa->f, i)->nargs; k++) {
				ir_val v = ir_at(sroa->f, i)->args[k];

				if (sroa->known[v] || sroa->index[v])
					sroa->escapes[sroa->symbol[v]] = true;
			}
	return sroa->naccesses > 0;
}

/* Arrays with loads at variable indices need cells of the size of these loads, all of them in
 * registers. */
static void check_indexed(struct sroa *sroa)
{
	uint32_t words = 0;

	for (uint32_t k = 0; k < sroa->nloads; k++) {
		const struct indexed_load *load = &sroa->loads[k];
		uint32_t bytes = ir_type_bits(ir_at(sroa->f, load->inst)->type) / 8;
		uint32_t symbol = sroa->symbol[load->address];

		for (uint32_t j = 0; j < sroa->naccesses; j++) {
			const struct access *a = &sroa->accesses[j];

			if (a->symbol == symbol && (a->bytes != bytes || a->offset % bytes))
				sroa->escapes[symbol] = true;
		}
		for (uint32_t j = 0; j < k; j++) {
			if (sroa->symbol[sroa->loads[j].address] == symbol &&
			    ir_at(sroa->f, sroa->loads[j].inst)->type !=
				    ir_at(sroa->f, load->inst)->type)
				sroa->escapes[symbol] = true;
		}
		words += MAX_INDEXED * ((bytes + 3) / 4);
		if (words > MAX_WORDS / 2)
			sroa->escapes[symbol] = true;
	}
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
		if (whole && (words + room <= MAX_WORDS || sroa->nindexed[first->symbol])) {
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

/* The value of the cell at an offset of a variable; undefined if no access has one. */
static ir_val read_cell(struct sroa *sroa, ir_id where, enum ir_type type, uint32_t symbol,
			uint64_t offset)
{
	uint32_t reg = 0;

	for (uint32_t k = 0; k < sroa->naccesses && !reg; k++)
		if (sroa->accesses[k].symbol == symbol && sroa->accesses[k].offset == offset)
			reg = sroa->accesses[k].reg;
	return insert_op(sroa, where, IR_READ, type, reg ? reg : ir_reg_new(sroa->f, type), 0);
}

static ir_val insert_args(struct sroa *sroa, ir_id where, enum ir_op op, enum ir_type type,
			  const ir_val *args, uint32_t nargs)
{
	ir_id i = ir_inst_new(sroa->f, op, type, args, nargs, 1);

	ir_at(sroa->f, i)->line = ir_at(sroa->f, where)->line;
	ir_insert_before(sroa->f, where, i);
	return ir_at(sroa->f, i)->res;
}

static ir_val insert_const(struct sroa *sroa, ir_id where, uint64_t value)
{
	ir_val v = insert_args(sroa, where, IR_CONST, IR_B32, NULL, 0);

	ir_def(sroa->f, v)->imm = (uint32_t)value;
	return v;
}

/* Whether the bits of a mask are set in the offset. */
static ir_val insert_test(struct sroa *sroa, ir_id where, ir_val offset, uint32_t mask)
{
	ir_val args[2] = {offset, insert_const(sroa, where, mask)};

	args[0] = insert_args(sroa, where, IR_AND, IR_B32, args, 2);
	args[1] = insert_const(sroa, where, 0);
	args[0] = insert_args(sroa, where, IR_ICMP, IR_B32, args, 2);
	ir_def(sroa->f, args[0])->cond = IR_NE;
	return args[0];
}

/* Selects between the cells of an array by the bits of the offset, from the lowest bit up. An
 * offset outside of the array or inside of a cell is undefined behaviour. */
static void rewrite_indexed(struct sroa *sroa, const struct indexed_load *load, ir_val *forward)
{
	const struct ir_inst in = *ir_at(sroa->f, load->inst);
	uint32_t symbol = sroa->symbol[load->address], bytes = ir_type_bits(in.type) / 8;
	uint32_t count = (uint32_t)(sroa->f->module->symbols[symbol].size / bytes);
	ir_val cells[MAX_INDEXED], sum[2] = {sroa->index[load->address]}, offset;

	if (sroa->f->values[sum[0]].type == IR_B64)
		sum[0] = insert_convert(sroa, load->inst, IR_TRUNC, IR_B32, sum[0]);
	sum[1] = insert_const(sroa, load->inst, sroa->offset[load->address] + in.imm);
	offset = insert_args(sroa, load->inst, IR_ADD, IR_B32, sum, 2);
	for (uint32_t k = 0; k < count; k++)
		cells[k] = read_cell(sroa, load->inst, in.type, symbol, k * bytes);
	for (uint32_t bit = bytes; count > 1; bit *= 2) {
		ir_val set = insert_test(sroa, load->inst, offset, bit);

		for (uint32_t k = 0; k < count / 2; k++) {
			const ir_val args[3] = {set, cells[2 * k + 1], cells[2 * k]};

			cells[k] = insert_args(sroa, load->inst, IR_SELECT, in.type, args, 3);
		}
		if (count % 2)
			cells[count / 2] = cells[count - 1];
		count = (count + 1) / 2;
	}
	forward[in.res] = cells[0];
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
	for (uint32_t k = 0; k < sroa->nloads; k++) {
		if (!sroa->escapes[sroa->symbol[sroa->loads[k].address]])
			rewrite_indexed(sroa, &sroa->loads[k], forward);
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
	sroa.index = arena_array(sroa.arena, f->nvalues, sizeof(*sroa.index));
	sroa.nindexed = arena_array(sroa.arena, f->module->nsymbols, sizeof(*sroa.nindexed));
	sroa.symbol = arena_array(sroa.arena, f->nvalues, sizeof(*sroa.symbol));
	sroa.offset = arena_array(sroa.arena, f->nvalues, sizeof(*sroa.offset));
	if (!find_accesses(&sroa))
		return false;
	check_indexed(&sroa);
	qsort(sroa.accesses, sroa.naccesses, sizeof(*sroa.accesses), compare_accesses);
	if (!make_cells(&sroa))
		return false;
	rewrite_accesses(&sroa);
	f->ssa = false;
	pass_ssa_construction(f, t);
	return true;
}
