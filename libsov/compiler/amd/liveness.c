// SPDX-License-Identifier: MIT
/*
 * What lives where: words of vector registers along the program's edges, words of scalar ones along the
 * machine's jumps, as lanes do that hold some. A wave may jump over a block that writes a scalar register; then nobody reads it
 * either: such a word lives only where some way leads from a write of it.
 */
#include <string.h>
#include "libsov/compiler/amd/mir.h"

void gcn_number_units(struct gcn_func *f)
{
	f->nunits = 0;
	for (uint32_t v = 1; v < f->nvregs; v++) {
		f->vregs[v].first_unit = f->nunits;
		f->nunits += f->vregs[v].words;
	}
	f->unit_vreg = arena_array(f->arena, f->nunits + 1, sizeof(*f->unit_vreg));
	for (uint32_t v = 1; v < f->nvregs; v++)
		for (uint32_t k = 0; k < f->vregs[v].words; k++)
			f->unit_vreg[f->vregs[v].first_unit + k] = v;
}

struct sets {
	uint64_t *read, *written;
};

static void collect(struct gcn_func *f, uint32_t b, struct sets *s)
{
	gcn_for_each(f, b, i) {
		struct gcn_use uses[GCN_MAX_USES];
		uint32_t n = gcn_uses(i, uses);

		for (uint32_t write = 0; write < 2; write++)
			for (uint32_t u = 0; u < n; u++)
				for (uint32_t k = 0; uses[u].write == write && k < uses[u].count;
				     k++) {
					uint32_t unit = gcn_unit(f, uses[u].ref) + k;

					if (write)
						s->written[unit / 64] |= UINT64_C(1) << unit % 64;
					else if (!gcn_has(s->written, unit))
						s->read[unit / 64] |= UINT64_C(1) << unit % 64;
				}
	}
}

static bool flow_back(struct gcn_func *f, uint32_t b, const struct sets *s, const uint64_t *scalar,
		      uint32_t words)
{
	struct gcn_block *block = &f->blocks[b];
	bool changed = false;

	for (uint32_t w = 0; w < words; w++) {
		uint64_t out = 0, in;

		for (uint32_t k = 0; k < block->njumps; k++)
			out |= f->blocks[block->jumps[k]].live_in[w] & scalar[w];
		for (uint32_t k = 0; k < block->nsucc; k++)
			out |= f->blocks[block->succ[k]].live_in[w] & ~scalar[w];
		in = s->read[w] | (out & ~s->written[w]);
		changed |= in != block->live_in[w] || out != block->live_out[w];
		block->live_in[w] = in;
		block->live_out[w] = out;
	}
	return changed;
}

/* A loop may be entered at another block than the first in the layout, so the order of blocks says nothing here. */
static void keep_written(struct gcn_func *f, const struct sets *sets, const uint64_t *scalar,
			 uint32_t words)
{
	uint64_t **before = arena_array(f->arena, f->nblocks,
					sizeof(*before)); /* by block: who may be written */
	bool changed = true;

	gcn_for_each_block(f, b)
		before[b] = arena_array(f->arena, words + 1, sizeof(uint64_t));
	while (changed) {
		changed = false;
		gcn_for_each_block(f, b)
			for (uint32_t k = 0; k < f->blocks[b].njumps; k++)
				for (uint32_t w = 0; w < words; w++) {
					uint64_t *to = &before[f->blocks[b].jumps[k]][w];
					uint64_t more = (before[b][w] | sets[b].written[w]) & ~*to;

					*to |= more;
					changed |= more != 0;
				}
	}
	gcn_for_each_block(f, b)
		for (uint32_t w = 0; w < words; w++) {
			f->blocks[b].live_in[w] &= ~scalar[w] | before[b][w];
			f->blocks[b].live_out[w] &= ~scalar[w] | before[b][w] | sets[b].written[w];
		}
}

void gcn_liveness(struct gcn_func *f)
{
	uint32_t words, count = 0, *order = arena_array(f->arena, f->nblocks, sizeof(*order));
	struct sets *sets = arena_array(f->arena, f->nblocks, sizeof(*sets));
	uint64_t *scalar;
	bool changed = true;

	gcn_number_units(f);
	words = (f->nunits + 63) / 64;
	scalar = arena_array(f->arena, words + 1, sizeof(*scalar));
	for (uint32_t u = 0; u < f->nunits; u++)
		if (f->vregs[f->unit_vreg[u]].class != GCN_VECTOR)
			scalar[u / 64] |= UINT64_C(1) << u % 64;
	gcn_for_each_block(f, b) {
		struct gcn_block *block = &f->blocks[b];

		order[count++] = b;
		sets[b].read = arena_array(f->arena, words + 1, sizeof(uint64_t));
		sets[b].written = arena_array(f->arena, words + 1, sizeof(uint64_t));
		block->live_in = arena_array(f->arena, words + 1, sizeof(uint64_t));
		block->live_out = arena_array(f->arena, words + 1, sizeof(uint64_t));
		collect(f, b, &sets[b]);
	}
	while (changed) {
		changed = false;
		for (uint32_t k = count; k--;)
			changed |= flow_back(f, order[k], &sets[order[k]], scalar, words);
	}
	for (uint32_t u = 0; u < f->nunits;
	     u++) /* what comes in registers is there from the start */
		if (f->vregs[f->unit_vreg[u]].fixed >= 0 || f->vregs[f->unit_vreg[u]].everywhere)
			scalar[u / 64] &= ~(UINT64_C(1) << u % 64);
	keep_written(f, sets, scalar, words);
}

/* The condition bit that it leaves is read by one behind it. It lives within a block only. */
static bool leaves_condition(const struct gcn_inst *i)
{
	if (!(i->in.row->flags & SCC_OUT))
		return false;
	while ((i = i->next)) {
		struct amd_use uses[AMD_MAX_USES];
		uint32_t n = amd_uses(&i->in, uses);
		bool written = false;

		if (i->target && i->in.row->op != AMD_s_branch)
			return true;
		for (uint32_t u = 0; u < n; u++) {
			if (uses[u].reg == AMD_SCC && !uses[u].write)
				return true;
			written |= uses[u].reg == AMD_SCC && uses[u].write;
		}
		if (written)
			return false;
	}
	return false;
}

/* Nobody misses it when what it writes is not wanted. */
static bool is_idle(const struct gcn_inst *i)
{
	const struct amd_row *r = i->in.row;

	if (i->target || i->call || i->address.there || r->flags & (EXEC_OUT | WAIT | MESSAGE) ||
	    leaves_condition(i))
		return false;
	if (r->format == AMD_SMEM)
		return !(r->flags & BARE);
	return r->format == AMD_SOP1 || r->format == AMD_SOP2 ||
	       (r->format >= AMD_VOP1 && r->format <= AMD_VOP3P);
}

/* Takes out what writes words that nobody reads. */
void gcn_sweep(struct gcn_func *f)
{
	struct arena_mark mark;
	bool changed = true;
	uint32_t *reads;

	gcn_number_units(f);
	mark = arena_mark(f->arena);
	reads = arena_array(f->arena, f->nunits + 1, sizeof(*reads));
	gcn_for_each_block(f, b)
		gcn_for_each(f, b, i) {
			struct gcn_use uses[GCN_MAX_USES];
			uint32_t n = gcn_uses(i, uses);

			for (uint32_t u = 0; u < n; u++)
				for (uint32_t k = 0; k < uses[u].count; k++)
					reads[gcn_unit(f, uses[u].ref) + k] += !uses[u].write;
		}
	while (changed) {
		changed = false;
		gcn_for_each_block(f, b)
			for (struct gcn_inst *i = f->blocks[b].last, *before; i; i = before) {
				struct gcn_use uses[GCN_MAX_USES];
				uint32_t n = gcn_uses(i, uses), writes = 0, wanted = 0;

				before = i->prev;
				for (uint32_t u = 0; u < n; u++)
					for (uint32_t k = 0; uses[u].write && k < uses[u].count;
					     k++) {
						writes++;
						wanted += reads[gcn_unit(f, uses[u].ref) + k];
					}
				if (!writes || wanted || !is_idle(i))
					continue;
				for (uint32_t u = 0; u < n; u++)
					for (uint32_t k = 0; k < uses[u].count; k++)
						reads[gcn_unit(f, uses[u].ref) + k] -=
							!uses[u].write;
				gcn_remove(f, b, i);
				changed = true;
			}
	}
	arena_rewind(f->arena, mark);
}
