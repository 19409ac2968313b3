// SPDX-License-Identifier: MIT
/*
 * Scheduling: within a block, before registers are assigned. Of all that could come next, what has the longest
 * way to the block's end goes first, so loads start early and are waited for late. Where more words of vector
 * registers live than a wave can have without others losing their place, what frees most goes first instead.
 *
 * Nothing moves over what changes EXEC, waits, synchronises, jumps, or has a mode of arithmetic of its own.
 * Loads overtake loads; what writes memory stays in order with all that may touch the same. Whoever reads or
 * writes a register without a number of its own (SCC, VCC, M0) keeps its place among those who do.
 *
 * Times are those that LLVM schedules gfx10 for (SISchedule.td, GFX10SpeedModel).
 */
#include <string.h>
#include "libsov/compiler/amd/mir.h"

#define MOST_RUN  1500 /* instructions at once: time grows with the square */
#define LIVE_MANY 40   /* words of vector registers that may live at once in any block: many waves fit */

struct edge {
	uint32_t to, time;
	struct edge *next;
};

struct node {
	struct gcn_inst *inst;
	struct edge *after; /* who has to wait for it */
	uint32_t before;    /* how many it still waits for */
	uint32_t height;    /* to the end of the block */
	uint32_t ready;     /* cycle */
	bool done;
};

struct schedule {
	struct gcn_func *f;
	uint32_t block;
	struct node *nodes;
	uint32_t n;
	/* by unit; 1 + node, 0: none in this run */
	uint32_t *writer, *reads; /* reads: that are left in the run */
	struct reader {
		uint32_t node;
		struct reader *next;
	} **readers;
	uint64_t *live;
	uint32_t live_words, most_live;
};

static bool is_boundary(const struct gcn_inst *i)
{
	const struct amd_row *r = i->in.row;

	if (i->target || i->far || i->address.there || r->op == AMD_s_getpc_b64 ||
	    r->flags & (EXEC_OUT | WAIT | MESSAGE | BARE | TARGET) || i->in.reg[AMD_D] == AMD_EXEC ||
	    (i->mode != GCN_MODE_ANY && i->mode))
		return true;
	if (r->format == AMD_SOPP || r->format == AMD_SOPK || i->in.field[AMD_F_DLC])
		return true;
	return r->flags & ATOMIC;
}

static uint32_t latency(const struct gcn_inst *i)
{
	switch (i->in.row->format) {
	case AMD_GLOBAL:
	case AMD_FLAT:
	case AMD_SCRATCH:
	case AMD_MUBUF:
		return 320;
	case AMD_DS:
	case AMD_SMEM:
		return 20;
	case AMD_SOP1:
	case AMD_SOP2:
	case AMD_SOPC:
		return 2;
	default:
		return strstr(i->in.row->name, "_f64") ? 22 : 5;
	}
}

static bool is_memory(const struct gcn_inst *i)
{
	return i->in.row->format >= AMD_DS;
}

static bool may_write(const struct gcn_inst *i)
{
	return is_memory(i) && (!i->in.row->type[AMD_D] || i->in.row->flags & ATOMIC);
}

/* LDS, private and global memory are apart; flat accesses are anywhere. */
static bool may_meet(const struct gcn_inst *x, const struct gcn_inst *y)
{
	uint32_t a = x->in.row->format, b = y->in.row->format;

	return a == b || a == AMD_FLAT || b == AMD_FLAT;
}

static void connect(struct schedule *s, uint32_t from, uint32_t to, uint32_t time)
{
	struct edge *e;

	if (from == to)
		return;
	e = arena_alloc(s->f->arena, sizeof(*e));
	*e = (struct edge){to, time, s->nodes[from].after};
	s->nodes[from].after = e;
	s->nodes[to].before++;
}

static void connect_registers(struct schedule *s, uint32_t k)
{
	struct gcn_use uses[GCN_MAX_USES];
	uint32_t n = gcn_uses(s->nodes[k].inst, uses);

	for (uint32_t write = 0; write < 2; write++)
		for (uint32_t u = 0; u < n; u++)
			for (uint32_t w = 0; uses[u].write == write && w < uses[u].count; w++) {
				uint32_t unit = gcn_unit(s->f, uses[u].ref) + w, from = s->writer[unit];

				if (from)
					connect(s, from - 1, k, latency(s->nodes[from - 1].inst));
				if (!write) {
					struct reader *r = arena_alloc(s->f->arena, sizeof(*r));

					*r = (struct reader){k, s->readers[unit]};
					s->readers[unit] = r;
					s->reads[unit]++;
					continue;
				}
				for (struct reader *r = s->readers[unit]; r; r = r->next)
					connect(s, r->node, k, 0);
				s->readers[unit] = NULL;
				s->writer[unit] = k + 1;
			}
}

static bool touches_machine(const struct gcn_inst *i)
{
	struct amd_use uses[AMD_MAX_USES];
	uint32_t n = amd_uses(&i->in, uses);

	for (uint32_t u = 0; u < n; u++)
		if ((uses[u].slot == AMD_SLOTS || !i->ref[uses[u].slot].vreg) && uses[u].reg != AMD_EXEC &&
		    uses[u].reg < AMD_VGPR)
			return true;
	return false;
}

static void build(struct schedule *s)
{
	uint32_t machine = 0;

	for (uint32_t k = 0; k < s->n; k++) {
		const struct gcn_inst *i = s->nodes[k].inst;

		connect_registers(s, k);
		if (touches_machine(i)) {
			if (machine)
				connect(s, machine - 1, k, 1);
			machine = k + 1;
		}
		for (uint32_t j = 0; is_memory(i) && j < k; j++)
			if (is_memory(s->nodes[j].inst) && may_meet(i, s->nodes[j].inst) &&
			    (may_write(i) || may_write(s->nodes[j].inst)))
				connect(s, j, k, 1);
	}
	for (uint32_t k = s->n; k--;)
		for (const struct edge *e = s->nodes[k].after; e; e = e->next)
			if (s->nodes[e->to].height + e->time + 1 > s->nodes[k].height)
				s->nodes[k].height = s->nodes[e->to].height + e->time + 1;
}

/* How many words of vector registers live more when it is done. */
static int growth(const struct schedule *s, const struct gcn_inst *i)
{
	struct gcn_use uses[GCN_MAX_USES];
	uint32_t n = gcn_uses(i, uses);
	int more = 0;

	for (uint32_t u = 0; u < n; u++)
		for (uint32_t k = 0; s->f->vregs[uses[u].ref.vreg].class == GCN_VECTOR && k < uses[u].count; k++) {
			uint32_t unit = gcn_unit(s->f, uses[u].ref) + k;
			bool out = gcn_has(s->f->blocks[s->block].live_out, unit);

			if (uses[u].write)
				more += !gcn_has(s->live, unit);
			else if (!out && s->reads[unit] == 1)
				more--;
		}
	return more;
}

static void take(struct schedule *s, uint32_t k)
{
	struct gcn_use uses[GCN_MAX_USES];
	uint32_t n = gcn_uses(s->nodes[k].inst, uses);

	for (uint32_t write = 0; write < 2; write++)
		for (uint32_t u = 0; u < n; u++)
			for (uint32_t w = 0; uses[u].write == write && w < uses[u].count; w++) {
				uint32_t unit = gcn_unit(s->f, uses[u].ref) + w;
				bool vector = s->f->vregs[uses[u].ref.vreg].class == GCN_VECTOR;
				uint64_t bit = UINT64_C(1) << unit % 64;

				if (write) {
					s->live_words += vector && !gcn_has(s->live, unit);
					s->live[unit / 64] |= bit;
				} else if (!--s->reads[unit] && gcn_has(s->live, unit) &&
					   !gcn_has(s->f->blocks[s->block].live_out, unit)) {
					s->live_words -= vector;
					s->live[unit / 64] &= ~bit;
				}
			}
}

/* The next of those that nobody is before. */
static uint32_t choose(const struct schedule *s, const uint32_t *free, uint32_t nfree, uint32_t now)
{
	bool tight = s->live_words >= s->most_live;
	uint32_t best = 0;
	int best_growth = 0;

	for (uint32_t k = 0; k < nfree; k++) {
		const struct node *x = &s->nodes[free[k]], *b = &s->nodes[free[best]];
		bool late = x->ready > now, best_late = b->ready > now;

		if (tight) {
			int more = growth(s, x->inst);

			if (!k || more < best_growth || (more == best_growth && free[k] < free[best])) {
				best = k;
				best_growth = more;
			}
			continue;
		}
		if (late != best_late ? best_late
		    : late && x->ready != b->ready ? x->ready < b->ready
		    : x->height != b->height ? x->height > b->height
					     : free[k] < free[best])
			best = k;
	}
	return best;
}

static void schedule_run(struct schedule *s, struct gcn_inst *behind)
{
	struct gcn_func *f = s->f;
	uint32_t *free = arena_array(f->arena, s->n + 1, sizeof(*free)), nfree = 0, now = 0;

	build(s);
	for (uint32_t k = 0; k < s->n; k++) {
		gcn_remove(f, s->block, s->nodes[k].inst);
		if (!s->nodes[k].before)
			free[nfree++] = k;
	}
	while (nfree) {
		uint32_t at = choose(s, free, nfree, now), k = free[at];

		free[at] = free[--nfree];
		if (s->nodes[k].ready > now)
			now = s->nodes[k].ready;
		for (const struct edge *e = s->nodes[k].after; e; e = e->next) {
			struct node *to = &s->nodes[e->to];

			if (now + e->time > to->ready)
				to->ready = now + e->time;
			if (!--to->before)
				free[nfree++] = e->to;
		}
		take(s, k);
		now++;
		gcn_insert(f, s->block, behind, s->nodes[k].inst);
	}
}

static void begin_run(struct schedule *s)
{
	memset(s->writer, 0, s->f->nunits * sizeof(*s->writer));
	memset(s->readers, 0, s->f->nunits * sizeof(*s->readers));
	memset(s->reads, 0, s->f->nunits * sizeof(*s->reads));
	s->n = 0;
}

/* Reads behind the run keep a word alive as being live at the block's end does: all of them are counted, and
 * those of the run are counted down. */
static void count_reads_behind(struct schedule *s, const struct gcn_inst *i)
{
	for (; i; i = i->next) {
		struct gcn_use uses[GCN_MAX_USES];
		uint32_t n = gcn_uses(i, uses);

		for (uint32_t u = 0; u < n; u++)
			for (uint32_t k = 0; !uses[u].write && k < uses[u].count; k++)
				s->reads[gcn_unit(s->f, uses[u].ref) + k]++;
	}
}

static void begin_block(struct schedule *s)
{
	struct gcn_func *f = s->f;

	memcpy(s->live, f->blocks[s->block].live_in, (f->nunits + 63) / 64 * sizeof(*s->live));
	s->live_words = 0;
	for (uint32_t u = 0; u < f->nunits; u++)
		s->live_words += gcn_has(s->live, u) && f->vregs[f->unit_vreg[u]].class == GCN_VECTOR;
}

static void take_alone(struct schedule *s, struct gcn_inst *i)
{
	s->nodes[0] = (struct node){.inst = i};
	take(s, 0);
}

/* What lives at once as the block stands is what may. */
static void find_limit(struct schedule *s)
{
	begin_block(s);
	begin_run(s);
	count_reads_behind(s, s->f->blocks[s->block].first);
	s->most_live = LIVE_MANY;
	gcn_for_each(s->f, s->block, i) {
		take_alone(s, i);
		if (s->live_words > s->most_live)
			s->most_live = s->live_words;
	}
}

static void schedule_block(struct schedule *s)
{
	struct gcn_func *f = s->f;
	struct gcn_block *block = &f->blocks[s->block];

	find_limit(s);
	begin_block(s);
	for (struct gcn_inst *i = block->first; i;) {
		struct arena_mark mark = arena_mark(f->arena);

		begin_run(s);
		for (; i && !is_boundary(i) && s->n < MOST_RUN; i = i->next)
			s->nodes[s->n++] = (struct node){.inst = i};
		count_reads_behind(s, i);
		if (s->n)
			schedule_run(s, i);
		arena_rewind(f->arena, mark);
		if (i && is_boundary(i)) {
			begin_run(s);
			count_reads_behind(s, i);
			take_alone(s, i);
			i = i->next;
		}
	}
}

void gcn_schedule(struct gcn_func *f)
{
	struct schedule s = {.f = f};

	gcn_liveness(f);
	s.nodes = arena_array(f->arena, MOST_RUN + 1, sizeof(*s.nodes));
	s.writer = arena_array(f->arena, f->nunits + 1, sizeof(*s.writer));
	s.reads = arena_array(f->arena, f->nunits + 1, sizeof(*s.reads));
	s.readers = arena_array(f->arena, f->nunits + 1, sizeof(*s.readers));
	s.live = arena_array(f->arena, f->nunits / 64 + 1, sizeof(*s.live));
	gcn_for_each_block(f, b) {
		s.block = b;
		schedule_block(&s);
	}
}
