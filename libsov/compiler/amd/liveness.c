// SPDX-License-Identifier: MIT
/*
 * Liveness. VGPR words are live along the logical CFG (the edges lanes take);
 * SGPR words, and lanes that hold spilled SGPRs, along the linear CFG (the jumps the wave takes),
 * in ACO's terms. A wave may jump over the definition of an SGPR, and then also over its uses, so
 * an SGPR word is live only at points that one of its definitions reaches.
 */
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

/* The blocks with an entry for a unit, as a list. */
struct unit_blocks {
	uint32_t *first; /* by unit: 1 + node, 0: none */
	struct unit_node {
		uint32_t block, next;
	} *nodes;
	uint32_t count, capacity;
};

/* Blocks at whose start or end a unit is live. */
struct live_point {
	uint32_t block, unit;
};
struct live_points {
	struct live_point *points;
	uint32_t count, capacity;
};

struct predecessors {
	uint32_t *first, *blocks; /* of block b: blocks[first[b]] up to blocks[first[b + 1]] */
};

struct solver {
	struct gcn_func *f;
	struct unit_blocks uses, defs; /* blocks that read a unit first, that write it */
	struct predecessors linear, logical;
	/* by block: 1 + the last unit that is live in, live out, defined, reached by a write */
	uint32_t *in, *out, *def, *reached;
	uint32_t *ins, nins, *outs, nouts; /* blocks of the current unit */
	uint32_t *pending, npending;
	struct live_points live_in, live_out;
};

static void add_unit_block(struct gcn_func *f, struct unit_blocks *l, uint32_t unit, uint32_t b)
{
	l->nodes = arena_grow(f->arena, l->nodes, &l->capacity, l->count + 1, sizeof(*l->nodes));
	l->nodes[l->count] = (struct unit_node){b, l->first[unit]};
	l->first[unit] = ++l->count;
}

static bool is_last_block(const struct unit_blocks *l, uint32_t unit, uint32_t b)
{
	return l->first[unit] && l->nodes[l->first[unit] - 1].block == b;
}

static void collect_use_def(struct solver *s, uint32_t b)
{
	struct gcn_func *f = s->f;

	gcn_for_each(f, b, i) {
		struct gcn_use uses[GCN_MAX_USES];
		uint32_t n = gcn_uses(i, uses);

		for (uint32_t write = 0; write < 2; write++)
			for (uint32_t u = 0; u < n; u++)
				for (uint32_t k = 0; uses[u].write == write && k < uses[u].count;
				     k++) {
					uint32_t unit = gcn_unit(f, uses[u].ref) + k;

					if (is_last_block(&s->defs, unit, b) ||
					    (!write && is_last_block(&s->uses, unit, b)))
						continue;
					add_unit_block(f, write ? &s->defs : &s->uses, unit, b);
				}
	}
}

static const uint32_t *successors(const struct gcn_func *f, uint32_t b, bool linear,
				  uint32_t *count)
{
	*count = linear ? f->blocks[b].nlinear_succ : f->blocks[b].nsucc;
	return linear ? f->blocks[b].linear_succ : f->blocks[b].succ;
}

static struct predecessors list_predecessors(struct gcn_func *f, bool linear)
{
	struct predecessors p = {.first = arena_array(f->arena, f->nblocks + 2, sizeof(*p.first))};
	uint32_t n;

	gcn_for_each_block(f, b) {
		const uint32_t *succ = successors(f, b, linear, &n);

		while (n)
			p.first[succ[--n] + 2]++;
	}
	for (uint32_t b = 0; b < f->nblocks; b++)
		p.first[b + 2] += p.first[b + 1];
	p.blocks = arena_array(f->arena, p.first[f->nblocks + 1] + 1, sizeof(*p.blocks));
	gcn_for_each_block(f, b) {
		const uint32_t *succ = successors(f, b, linear, &n);

		while (n)
			p.blocks[p.first[succ[--n] + 1]++] = b;
	}
	return p;
}

static void add_live_in(struct solver *s, uint32_t b, uint32_t mark)
{
	if (s->in[b] == mark)
		return;
	s->in[b] = mark;
	s->ins[s->nins++] = s->pending[s->npending++] = b;
}

/* Walks from the blocks that read a unit back to its definitions. */
static void walk_backward(struct solver *s, uint32_t unit, const struct predecessors *preds)
{
	uint32_t mark = unit + 1;

	for (uint32_t n = s->defs.first[unit]; n; n = s->defs.nodes[n - 1].next)
		s->def[s->defs.nodes[n - 1].block] = mark;
	for (uint32_t n = s->uses.first[unit]; n; n = s->uses.nodes[n - 1].next)
		add_live_in(s, s->uses.nodes[n - 1].block, mark);
	while (s->npending) {
		uint32_t b = s->pending[--s->npending];

		for (uint32_t k = preds->first[b]; k < preds->first[b + 1]; k++) {
			uint32_t p = preds->blocks[k];

			if (s->out[p] == mark)
				continue;
			s->out[p] = mark;
			s->outs[s->nouts++] = p;
			if (s->def[p] != mark)
				add_live_in(s, p, mark);
		}
	}
}

static void reach_successors(struct solver *s, uint32_t b, uint32_t mark)
{
	const struct gcn_block *block = &s->f->blocks[b];

	for (uint32_t k = 0; s->out[b] == mark && k < block->nlinear_succ; k++) {
		uint32_t to = block->linear_succ[k];

		if (s->in[to] != mark || s->reached[to] == mark)
			continue;
		s->reached[to] = mark;
		s->pending[s->npending++] = to;
	}
}

/* Restricts the blocks of an SGPR word to those that a definition reaches. */
static void walk_forward(struct solver *s, uint32_t unit)
{
	uint32_t mark = unit + 1, nins = 0, nouts = 0;

	for (uint32_t n = s->defs.first[unit]; n; n = s->defs.nodes[n - 1].next)
		reach_successors(s, s->defs.nodes[n - 1].block, mark);
	while (s->npending)
		reach_successors(s, s->pending[--s->npending], mark);
	for (uint32_t k = 0; k < s->nins; k++)
		if (s->reached[s->ins[k]] == mark)
			s->ins[nins++] = s->ins[k];
	for (uint32_t k = 0; k < s->nouts; k++)
		if (s->reached[s->outs[k]] == mark || s->def[s->outs[k]] == mark)
			s->outs[nouts++] = s->outs[k];
	s->nins = nins;
	s->nouts = nouts;
}

static void add_points(struct gcn_func *f, struct live_points *l, const uint32_t *blocks,
		       uint32_t n, uint32_t unit)
{
	l->points = arena_grow(f->arena, l->points, &l->capacity, l->count + n, sizeof(*l->points));
	for (uint32_t k = 0; k < n; k++)
		l->points[l->count++] = (struct live_point){blocks[k], unit};
}

static void solve_unit(struct solver *s, uint32_t unit)
{
	const struct gcn_vreg *v = &s->f->vregs[s->f->unit_vreg[unit]];
	bool vector = v->class == GCN_VECTOR;

	if (!s->uses.first[unit])
		return;
	s->nins = s->nouts = 0;
	walk_backward(s, unit, vector ? &s->logical : &s->linear);
	if (!vector && v->fixed < 0 && !v->whole_function) /* inputs are defined at entry */
		walk_forward(s, unit);
	add_points(s->f, &s->live_in, s->ins, s->nins, unit);
	add_points(s->f, &s->live_out, s->outs, s->nouts, unit);
}

/* Sorts points by block; units stay in ascending order. */
static void list_units_by_block(struct gcn_func *f, const struct live_points *l, bool out)
{
	uint32_t *units = arena_array(f->arena, l->count + 1, sizeof(*units));
	uint32_t *count = arena_array(f->arena, f->nblocks, sizeof(*count));

	for (uint32_t k = 0; k < l->count; k++)
		count[l->points[k].block]++;
	for (uint32_t b = 0; b < f->nblocks; b++) {
		*(out ? &f->blocks[b].live_out : &f->blocks[b].live_in) =
			(struct gcn_unit_list){units, 0};
		units += count[b];
	}
	for (uint32_t k = 0; k < l->count; k++) {
		struct gcn_block *b = &f->blocks[l->points[k].block];
		struct gcn_unit_list *to = out ? &b->live_out : &b->live_in;

		to->units[to->count++] = l->points[k].unit;
	}
}

/*
 * One unit after the other: the work and the lists are proportional to the blocks in which units
 * are live, where sets by block would have the size of blocks times units.
 */
void gcn_liveness(struct gcn_func *f)
{
	struct solver s = {.f = f};

	gcn_number_units(f);
	s.uses.first = arena_array(f->arena, f->nunits + 1, sizeof(*s.uses.first));
	s.defs.first = arena_array(f->arena, f->nunits + 1, sizeof(*s.defs.first));
	s.in = arena_array(f->arena, f->nblocks, sizeof(*s.in));
	s.out = arena_array(f->arena, f->nblocks, sizeof(*s.out));
	s.def = arena_array(f->arena, f->nblocks, sizeof(*s.def));
	s.reached = arena_array(f->arena, f->nblocks, sizeof(*s.reached));
	s.ins = arena_array(f->arena, f->nblocks, sizeof(*s.ins));
	s.outs = arena_array(f->arena, f->nblocks, sizeof(*s.outs));
	s.pending = arena_array(f->arena, f->nblocks, sizeof(*s.pending));
	gcn_for_each_block(f, b)
		collect_use_def(&s, b);
	s.linear = list_predecessors(f, true);
	s.logical = list_predecessors(f, false);
	for (uint32_t u = 0; u < f->nunits; u++)
		solve_unit(&s, u);
	list_units_by_block(f, &s.live_in, false);
	list_units_by_block(f, &s.live_out, true);
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
