// SPDX-License-Identifier: MIT
/*
 * Scheduling: within a block, before registers are assigned. Of all that could come next, what has the longest
 * way to the block's end goes first, so loads start early and are waited for late. Where more words of vector
 * registers would live than a limit allows, what saves some goes first instead.
 *
 * The limit is found by trying: all blocks are scheduled without one, then with less and less. Each outcome has a
 * time, by a model of one wave that issues in order, and a number of registers, by which so many waves fit. The best
 * is the one with the least time over waves, and among those that come near it the one with the fewest registers.
 *
 * Nothing moves over what changes EXEC, waits, synchronises, jumps, calls, or has a mode of arithmetic of its own.
 * Loads overtake loads; what writes memory stays in order with all that may touch the same. Whoever reads or
 * writes a register without a number of its own (SCC, VCC, M0), or one in which functions are passed something, keeps
 * its place among those who do.
 *
 * Times are those that LLVM schedules gfx10 for (SISchedule.td, GFX10SpeedModel), issue cycles the rates of the units.
 */
#include <string.h>
#include "hw/chips.h"
#include "libsov/compiler/amd/mir.h"

#define MOST_RUN 1500 /* instructions at once: time grows with the square */
#define TURNS    8    /* of a loop, as it is guessed */
#define GROWTH   16   /* words that one instruction writes at most */
#define NO_LIMIT UINT32_MAX

/* A unit of vectors has 1,024 registers for 16 waves of 32 lanes, and gives them out by 16 (llc-19 says so of gfx1030
 * in what it prints of occupancy). */
#define SIMD_VGPRS AMD_GFX1030_VGPRS_PER_SIMD
#define MOST_WAVES AMD_GFX1030_WAVES_PER_SIMD
#define VGPR_STEP  AMD_GFX1030_VGPR_GRANULE

#define MOST_TRIES  24
#define MOST_MISSED 2    /* limits that were not kept */
#define NEAR        1.02 /* what costs no more is as good */
#define SPILLING    100  /* times as slow */

struct edge {
	uint32_t to, time;
	struct edge *next;
};

struct node {
	struct gcn_inst *inst;
	uint32_t issue, latency; /* cycles */
	struct edge *after;      /* who has to wait for it */
	uint32_t before;         /* how many it still waits for */
	uint32_t height;         /* to the end of the block */
	uint32_t ready;          /* cycle */
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
	} * *readers;
	bool *passed; /* by vreg */
	uint64_t *live;
	uint32_t live_words, most_live;
	uint32_t *ready; /* by unit: when what was written in this block is there */
	uint32_t now, peak;
	struct plan {
		struct gcn_inst **insts; /* as they stood */
		uint32_t n;
		uint32_t limit;       /* that it is scheduled for */
		uint32_t least, peak; /* words that live at once without a limit, and as it is */
		uint64_t time;
	} * plans; /* by block */
};

static bool is_boundary(const struct gcn_inst *i)
{
	const struct amd_row *r = i->in.row;

	if (i->target || i->far || i->call || i->npassed || i->address.there ||
	    r->op == AMD_s_getpc_b64 || r->flags & (EXEC_OUT | WAIT | MESSAGE | BARE | TARGET) ||
	    i->in.reg[AMD_D] == AMD_EXEC || (i->mode != GCN_MODE_ANY && i->mode))
		return true;
	if (r->format == AMD_SOPP || r->format == AMD_SOPK || i->in.field[AMD_F_DLC])
		return true;
	return r->flags & ATOMIC;
}

static struct node make_node(struct gcn_inst *i)
{
	static const struct {
		const char *prefix; /* of the name */
		uint32_t issue, latency;
	} slow[] = {
		{"v_rcp_", 4, 10},    {"v_rsq_", 4, 10},      {"v_sqrt_", 4, 10},
		{"v_exp_", 4, 10},    {"v_log_", 4, 10},      {"v_sin_", 4, 10},
		{"v_cos_", 4, 10},    {"v_mul_lo_u32", 4, 8}, {"v_mul_hi_", 4, 8},
		{"v_mad_u64_", 4, 8}, {"v_mad_i64_", 4, 8},
	};
	const char *name = i->in.row->name;

	switch (i->in.row->format) {
	case AMD_GLOBAL:
	case AMD_FLAT:
	case AMD_SCRATCH:
	case AMD_MUBUF:
		return (struct node){.inst = i, .issue = 1, .latency = 320};
	case AMD_DS:
	case AMD_SMEM:
		return (struct node){.inst = i, .issue = 1, .latency = 20};
	case AMD_SOP1:
	case AMD_SOP2:
	case AMD_SOPC:
		return (struct node){.inst = i, .issue = 1, .latency = 2};
	}
	if (strstr(name, "_f64"))
		return (struct node){.inst = i, .issue = 16, .latency = 22};
	for (size_t k = 0; k < sizeof(slow) / sizeof(slow[0]); k++)
		if (!strncmp(name, slow[k].prefix, strlen(slow[k].prefix)))
			return (struct node){
				.inst = i, .issue = slow[k].issue, .latency = slow[k].latency};
	return (struct node){.inst = i, .issue = 1, .latency = 5};
}

static bool is_memory(const struct gcn_inst *i)
{
	return i->in.row->format >= AMD_DS;
}

/* Of those for LDS that have a result, all write but these; the last three touch no memory. */
static bool reads_lds(const struct gcn_inst *i)
{
	static const char *const names[] = {"ds_read", "ds_swizzle", "ds_bpermute", "ds_permute"};

	for (uint32_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
		if (!strncmp(i->in.row->name, names[k], strlen(names[k])))
			return true;
	return false;
}

static bool may_write(const struct gcn_inst *i)
{
	if (!is_memory(i))
		return false;
	return !i->in.row->type[AMD_D] || i->in.row->flags & ATOMIC ||
	       (i->in.row->format == AMD_DS && !reads_lds(i));
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
				uint32_t unit = gcn_unit(s->f, uses[u].ref) + w,
					 from = s->writer[unit];

				if (from)
					connect(s, from - 1, k, s->nodes[from - 1].latency);
				if (!write) {
					struct reader *r;

					/* Who is copied last can share a register with the copy. */
					for (r = s->readers[unit]; r && s->nodes[k].inst->copy;
					     r = r->next)
						connect(s, r->node, k, 0);
					r = arena_alloc(s->f->arena, sizeof(*r));
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

/* Several are the same register where calls pass things. */
static void find_passed(struct schedule *s)
{
	struct gcn_func *f = s->f;

	s->passed = arena_array(f->arena, f->nvregs, sizeof(*s->passed));
	if (f->ir->kind == IR_KERNEL && !f->calls)
		return;
	for (uint32_t v = 1; v < f->nvregs; v++)
		s->passed[v] = f->vregs[v].fixed >= 0;
	for (uint32_t k = 0; k < GCN_COMES; k++)
		s->passed[f->come[k]] = f->come[k];
}

static bool touches_machine(const struct schedule *s, const struct gcn_inst *i)
{
	struct amd_use uses[AMD_MAX_USES];
	uint32_t n = amd_uses(&i->in, uses);

	for (uint32_t u = 0; u < n; u++) {
		uint32_t vreg = uses[u].slot < AMD_SLOTS ? i->ref[uses[u].slot].vreg : 0;

		if (vreg ? s->passed[vreg] : uses[u].reg != AMD_EXEC && uses[u].reg < AMD_VGPR)
			return true;
	}
	return false;
}

static void build(struct schedule *s)
{
	uint32_t machine = 0;

	for (uint32_t k = 0; k < s->n; k++) {
		const struct gcn_inst *i = s->nodes[k].inst;

		connect_registers(s, k);
		if (touches_machine(s, i)) {
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
			if (s->nodes[e->to].height + e->time + s->nodes[k].issue >
			    s->nodes[k].height)
				s->nodes[k].height =
					s->nodes[e->to].height + e->time + s->nodes[k].issue;
}

static bool is_wanted(const struct schedule *s, uint32_t unit)
{
	return s->reads[unit] || gcn_has(s->f->blocks[s->block].live_out, unit);
}

/* How many words of vector registers live more when it is done. */
static int growth(const struct schedule *s, const struct gcn_inst *i)
{
	struct gcn_use uses[GCN_MAX_USES];
	uint32_t n = gcn_uses(i, uses);
	int more = 0;

	for (uint32_t u = 0; u < n; u++)
		for (uint32_t k = 0;
		     s->f->vregs[uses[u].ref.vreg].class == GCN_VECTOR && k < uses[u].count; k++) {
			uint32_t unit = gcn_unit(s->f, uses[u].ref) + k;

			if (uses[u].write)
				more += !gcn_has(s->live, unit);
			else if (s->reads[unit] == 1)
				more -= !gcn_has(s->f->blocks[s->block].live_out, unit);
		}
	return more;
}

/* The next instruction: what lives behind it, and when its results are there. */
static void take(struct schedule *s, const struct node *x)
{
	struct gcn_use uses[GCN_MAX_USES];
	uint32_t n = gcn_uses(x->inst, uses);

	for (uint32_t u = 0; u < n; u++)
		for (uint32_t w = 0; w < uses[u].count; w++) {
			uint32_t unit = gcn_unit(s->f, uses[u].ref) + w;

			if (s->ready[unit] > s->now)
				s->now = s->ready[unit];
		}
	for (uint32_t write = 0; write < 2; write++) {
		for (uint32_t u = 0; u < n; u++)
			for (uint32_t w = 0; uses[u].write == write && w < uses[u].count; w++) {
				uint32_t unit = gcn_unit(s->f, uses[u].ref) + w;
				bool vector = s->f->vregs[uses[u].ref.vreg].class == GCN_VECTOR;
				uint64_t bit = UINT64_C(1) << unit % 64;

				if (write) {
					s->ready[unit] = s->now + x->latency;
					s->live_words += vector && !gcn_has(s->live, unit);
					s->live[unit / 64] |= bit;
				} else {
					s->reads[unit]--;
				}
				if (!write && !is_wanted(s, unit) && gcn_has(s->live, unit)) {
					s->live_words -= vector;
					s->live[unit / 64] &= ~bit;
				}
			}
		if (s->live_words > s->peak)
			s->peak = s->live_words;
	}
	for (uint32_t u = 0; u < n; u++)
		for (uint32_t w = 0; uses[u].write && w < uses[u].count; w++) {
			uint32_t unit = gcn_unit(s->f, uses[u].ref) + w;

			if (!is_wanted(s, unit) && gcn_has(s->live, unit)) {
				s->live_words -= s->f->vregs[uses[u].ref.vreg].class == GCN_VECTOR;
				s->live[unit / 64] &= ~(UINT64_C(1) << unit % 64);
			}
		}
	s->now += x->issue;
}

/* The next of those that nobody is before. What stays below the limit, or saves something, goes before what does
 * not; of these the one that is ready, and has the longest way behind it. At the limit what saves most comes first,
 * and beyond it nothing else counts. */
static uint32_t choose(const struct schedule *s, const uint32_t *free, uint32_t nfree)
{
	bool full = s->live_words >= s->most_live, near = s->live_words + GROWTH >= s->most_live;
	uint32_t best = 0;
	int best_more = 0;

	for (uint32_t k = 0; k < nfree; k++) {
		const struct node *x = &s->nodes[free[k]], *b = &s->nodes[free[best]];
		bool late = x->ready > s->now, best_late = b->ready > s->now;
		int more = near ? growth(s, x->inst) : 0,
		    room = (int)s->most_live - (int)s->live_words;
		bool fits = more <= 0 || more <= room,
		     best_fits = best_more <= 0 || best_more <= room;

		if (!k || (fits != best_fits                      ? fits
			   : fits && late != best_late            ? best_late
			   : (full || !fits) && more != best_more ? more < best_more
			   : fits && late && x->ready != b->ready ? x->ready < b->ready
			   : fits && x->height != b->height       ? x->height > b->height
								  : free[k] < free[best])) {
			best = k;
			best_more = more;
		}
	}
	return best;
}

static void schedule_run(struct schedule *s, struct gcn_inst *behind)
{
	struct gcn_func *f = s->f;
	uint32_t *free = arena_array(f->arena, s->n + 1, sizeof(*free)), nfree = 0;

	build(s);
	for (uint32_t k = 0; k < s->n; k++) {
		gcn_remove(f, s->block, s->nodes[k].inst);
		if (!s->nodes[k].before)
			free[nfree++] = k;
	}
	while (nfree) {
		uint32_t at = choose(s, free, nfree), k = free[at], start;

		free[at] = free[--nfree];
		take(s, &s->nodes[k]);
		start = s->now - s->nodes[k].issue;
		for (const struct edge *e = s->nodes[k].after; e; e = e->next) {
			struct node *to = &s->nodes[e->to];

			if (start + e->time > to->ready)
				to->ready = start + e->time;
			if (!--to->before)
				free[nfree++] = e->to;
		}
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
	memset(s->ready, 0, f->nunits * sizeof(*s->ready));
	s->now = s->live_words = 0;
	for (uint32_t u = 0; u < f->nunits; u++)
		s->live_words +=
			gcn_has(s->live, u) && f->vregs[f->unit_vreg[u]].class == GCN_VECTOR;
	s->peak = s->live_words;
}

/* What others behind the block wait for counts as waited for. */
static uint64_t end_block(struct schedule *s)
{
	const struct gcn_block *block = &s->f->blocks[s->block];
	uint64_t turns = 1;

	for (uint32_t u = 0; u < s->f->nunits; u++)
		if (s->ready[u] > s->now && gcn_has(block->live_out, u))
			s->now = s->ready[u];
	for (uint32_t d = 0; d < block->depth && d < 4; d++)
		turns *= TURNS;
	return turns * s->now;
}

/* Cycles that it takes, in all turns. */
static uint64_t schedule_block(struct schedule *s)
{
	struct gcn_func *f = s->f;
	struct gcn_block *block = &f->blocks[s->block];

	begin_block(s);
	for (struct gcn_inst *i = block->first; i;) {
		struct arena_mark mark = arena_mark(f->arena);

		begin_run(s);
		for (; i && !is_boundary(i) && s->n < MOST_RUN; i = i->next)
			s->nodes[s->n++] = make_node(i);
		count_reads_behind(s, i);
		if (s->n)
			schedule_run(s, i);
		arena_rewind(f->arena, mark);
		if (i && is_boundary(i)) {
			struct node x = make_node(i);

			begin_run(s);
			count_reads_behind(s, i);
			take(s, &x);
			i = i->next;
		}
	}
	return end_block(s);
}

/* ---- how many registers ---- */

static void remember(struct schedule *s, uint32_t b)
{
	struct plan *p = &s->plans[b];

	gcn_for_each(s->f, b, i)
		p->n++;
	p->insts = arena_array(s->f->arena, p->n + 1, sizeof(*p->insts));
	p->n = 0;
	gcn_for_each(s->f, b, i)
		p->insts[p->n++] = i;
}

static void schedule_for(struct schedule *s, uint32_t b, uint32_t limit)
{
	struct plan *p = &s->plans[b];

	for (uint32_t k = 0; k < p->n; k++) {
		gcn_remove(s->f, b, p->insts[k]);
		gcn_insert(s->f, b, NULL, p->insts[k]);
	}
	s->block = b;
	s->most_live = p->limit = limit;
	p->time = schedule_block(s);
	p->peak = s->peak;
	if (limit == NO_LIMIT)
		p->least = s->peak;
}

struct outcome {
	uint32_t limit, peak;
	uint64_t time;
};

/* All blocks; one that has no need of a limit is what it is without. */
static struct outcome schedule_all(struct schedule *s, uint32_t limit)
{
	struct outcome o = {.limit = limit};

	gcn_for_each_block(s->f, b) {
		struct plan *p = &s->plans[b];
		uint32_t own = limit > p->least ? NO_LIMIT : limit;

		if (own != p->limit)
			schedule_for(s, b, own);
		o.time += p->time;
		if (p->peak > o.peak)
			o.peak = p->peak;
	}
	return o;
}

/* Time over waves that fit at once: a wave waits while others compute. Gaps between registers are guessed. */
static double cost(const struct outcome *o)
{
	uint32_t words = (o->peak + o->peak / 32 + VGPR_STEP - 1) / VGPR_STEP * VGPR_STEP;
	uint32_t waves = words ? SIMD_VGPRS / words : MOST_WAVES;

	if (words > GCN_VGPRS)
		return (double)o->time * SPILLING;
	return (double)o->time / (waves < MOST_WAVES ? waves : MOST_WAVES);
}

/* Fewer and fewer registers, while they are enough; then the fewest that cost next to nothing. */
static void choose_limit(struct schedule *s)
{
	struct outcome tried[MOST_TRIES];
	uint32_t n = 0, limit = NO_LIMIT, pick = 0;
	double least = 0;

	for (uint32_t missed = 0; n < MOST_TRIES && missed < MOST_MISSED && limit > 2; n++) {
		tried[n] = schedule_all(s, limit);
		if (!n || cost(&tried[n]) < least)
			least = cost(&tried[n]);
		missed += tried[n].peak > limit;
		if (tried[n].peak < limit)
			limit = tried[n].peak;
		limit -= limit / 16 + 1;
	}
	for (uint32_t k = 1; k < n; k++)
		if (cost(&tried[pick]) > least * NEAR ||
		    (cost(&tried[k]) <= least * NEAR && tried[k].peak < tried[pick].peak))
			pick = k;
	schedule_all(s, tried[pick].limit);
}

void gcn_schedule(struct gcn_func *f)
{
	struct schedule s = {.f = f};

	gcn_liveness(f);
	s.nodes = arena_array(f->arena, MOST_RUN + 1, sizeof(*s.nodes));
	s.writer = arena_array(f->arena, f->nunits + 1, sizeof(*s.writer));
	s.reads = arena_array(f->arena, f->nunits + 1, sizeof(*s.reads));
	s.ready = arena_array(f->arena, f->nunits + 1, sizeof(*s.ready));
	s.readers = arena_array(f->arena, f->nunits + 1, sizeof(*s.readers));
	s.live = arena_array(f->arena, f->nunits / 64 + 1, sizeof(*s.live));
	s.plans = arena_array(f->arena, f->nblocks, sizeof(*s.plans));
	find_passed(&s);
	gcn_for_each_block(f, b)
		remember(&s, b);
	choose_limit(&s);
}
