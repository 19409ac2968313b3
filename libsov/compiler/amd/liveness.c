// SPDX-License-Identifier: MIT
/*
 * Liveness (mir/liveness.h). VGPR words are live along the logical CFG (the edges lanes take);
 * SGPR words, and lanes that hold spilled SGPRs, along the linear CFG (the jumps the wave takes),
 * in ACO's terms. A wave may jump over the definition of an SGPR, and then also over its uses, so
 * an SGPR word is live only at points that one of its definitions reaches.
 */
#include "libsov/compiler/amd/mir.h"
#include "libsov/compiler/mir/liveness.h"

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

static void collect_use_def(const struct gcn_func *f, uint32_t b, struct liveness_block *s)
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
						bitset_add(s->def, unit);
					else if (!bitset_has(s->def, unit))
						bitset_add(s->use, unit);
				}
	}
}

static const uint32_t *linear_successors(const void *func, uint32_t b, uint32_t *count)
{
	const struct gcn_func *f = func;

	*count = f->blocks[b].nlinear_succ;
	return f->blocks[b].linear_succ;
}

static const uint32_t *logical_successors(const void *func, uint32_t b, uint32_t *count)
{
	const struct gcn_func *f = func;

	*count = f->blocks[b].nsucc;
	return f->blocks[b].succ;
}

/*
 * Restricts liveness of SGPRs to points reached by a definition. A loop may be entered at another
 * block than the first in the layout, so this iterates to a fixed point in any block order.
 */
static void restrict_to_reaching_defs(struct gcn_func *f, const struct liveness_block *blocks,
				      const uint64_t *scalar, uint32_t words)
{
	/* by block: units that may be defined on entry */
	uint64_t **reaching = arena_array(f->arena, f->nblocks, sizeof(*reaching));
	bool changed = true;

	gcn_for_each_block(f, b)
		reaching[b] = arena_array(f->arena, words + 1, sizeof(uint64_t));
	while (changed) {
		changed = false;
		gcn_for_each_block(f, b)
			for (uint32_t k = 0; k < f->blocks[b].nlinear_succ; k++)
				for (uint32_t w = 0; w < words; w++) {
					uint64_t *to = &reaching[f->blocks[b].linear_succ[k]][w];
					uint64_t more = (reaching[b][w] | blocks[b].def[w]) & ~*to;

					*to |= more;
					changed |= more != 0;
				}
	}
	gcn_for_each_block(f, b)
		for (uint32_t w = 0; w < words; w++) {
			f->blocks[b].live_in[w] &= ~scalar[w] | reaching[b][w];
			f->blocks[b].live_out[w] &= ~scalar[w] | reaching[b][w] | blocks[b].def[w];
		}
}

void gcn_liveness(struct gcn_func *f)
{
	uint32_t count = 0, *order;
	struct liveness l = {.arena = f->arena, .func = f, .nblocks = f->nblocks};
	uint64_t *scalar, *vector, *next;
	struct arena_mark scratch;

	gcn_number_units(f);
	next = bitset_pool_reset(&f->live_sets, f->arena, 2 * (size_t)f->nblocks, f->nunits);
	scratch = arena_mark(f->arena);
	order = arena_array(f->arena, f->nblocks, sizeof(*order));
	l.nunits = f->nunits;
	l.blocks = arena_array(f->arena, f->nblocks, sizeof(*l.blocks));
	scalar = bitset_new(f->arena, f->nunits);
	vector = bitset_new(f->arena, f->nunits);
	for (uint32_t u = 0; u < f->nunits; u++)
		bitset_add(f->vregs[f->unit_vreg[u]].class == GCN_VECTOR ? vector : scalar, u);
	gcn_for_each_block(f, b) {
		struct liveness_block *sets = &l.blocks[b];

		order[count++] = b;
		sets->use = bitset_new(f->arena, f->nunits);
		sets->def = bitset_new(f->arena, f->nunits);
		sets->in = f->blocks[b].live_in = next;
		sets->out = f->blocks[b].live_out = next + bitset_words(f->nunits);
		next += 2 * bitset_words(f->nunits);
		collect_use_def(f, b, sets);
	}
	l.order = order;
	l.count = count;
	l.cfgs[l.ncfgs++] = (struct liveness_cfg){linear_successors, scalar};
	l.cfgs[l.ncfgs++] = (struct liveness_cfg){logical_successors, vector};
	liveness_solve(&l);
	for (uint32_t u = 0; u < f->nunits; u++) /* inputs are defined at entry */
		if (f->vregs[f->unit_vreg[u]].fixed >= 0 ||
		    f->vregs[f->unit_vreg[u]].whole_function)
			bitset_remove(scalar, u);
	restrict_to_reaching_defs(f, l.blocks, scalar, bitset_words(f->nunits));
	arena_rewind(f->arena, scratch);
}

/*
 * Whether a later instruction of the block reads the SCC that i leaves; SCC is never live across
 * blocks.
 */
static bool scc_is_read(const struct gcn_inst *i)
{
	if (!(i->in.row->flags & SCC_OUT))
		return false;
	while ((i = i->next)) {
		struct amd_use uses[AMD_MAX_USES];
		uint32_t n = amd_uses(&i->in, uses);
		bool overwritten = false;

		if (i->target && i->in.row->op != AMD_s_branch)
			return true;
		for (uint32_t u = 0; u < n; u++) {
			if (uses[u].reg == AMD_SCC && !uses[u].write)
				return true;
			overwritten |= uses[u].reg == AMD_SCC && uses[u].write;
		}
		if (overwritten)
			return false;
	}
	return false;
}

/* Whether the instruction has no effect other than its results. */
static bool is_removable(const struct gcn_inst *i)
{
	const struct amd_row *r = i->in.row;

	if (i->target || i->call || i->address.present || r->flags & (EXEC_OUT | WAIT | MESSAGE) ||
	    scc_is_read(i))
		return false;
	if (r->format == AMD_SMEM)
		return !(r->flags & BARE);
	return r->format == AMD_SOP1 || r->format == AMD_SOP2 ||
	       (r->format >= AMD_VOP1 && r->format <= AMD_VOP3P);
}

/* Removes instructions none of whose results is read. */
void gcn_remove_dead_code(struct gcn_func *f)
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
				if (!writes || wanted || !is_removable(i))
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
