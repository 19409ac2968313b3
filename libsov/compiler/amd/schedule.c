// SPDX-License-Identifier: MIT
/*
 * List scheduling within basic blocks, before register allocation. Of the ready instructions the
 * one with the longest latency path to the end of the block issues first, so loads start early and
 * their users wait late. Above a limit on live VGPR words, instructions that reduce register
 * pressure come first. The limit is found by search: all blocks are scheduled without one, then
 * with ever smaller ones. Each outcome has a time, from a model of one wave that issues in order,
 * and a register count, which determines occupancy. The pass picks the lowest time per resident
 * wave and, among outcomes within 2% of that, the fewest registers.
 *
 * Region boundaries are instructions that change EXEC, wait, synchronise, jump, call or need a
 * non-default MODE. Loads may pass loads; stores keep their order with every access that may alias.
 * Instructions that use physical registers (SCC, VCC, M0, or registers of the calling convention)
 * keep their order among themselves.
 *
 * Latencies are those of LLVM's model for gfx10 (SISchedule.td, GFX10SpeedModel); issue cycles are
 * the units' rates. Both are in the ISA rows (amd_row.h).
 */
#include <string.h>
#include "hw/chips.h"
#include "libsov/compiler/amd/mir.h"

#define MAX_REGION      1500 /* instructions per region: time is quadratic */
#define LOOP_TRIP_GUESS 8    /* assumed iterations of a loop */
#define MAX_DEFS        16   /* words that one instruction writes at most */
#define NO_LIMIT        UINT32_MAX

/*
 * A SIMD has 1,024 VGPRs for up to 16 wave32 waves, allocated in granules of 16 (per the occupancy
 * that llc-19 prints for gfx1030).
 */
#define SIMD_VGPRS   AMD_GFX1030_VGPRS_PER_SIMD
#define MAX_WAVES    AMD_GFX1030_WAVES_PER_SIMD
#define VGPR_GRANULE AMD_GFX1030_VGPR_GRANULE

#define MAX_TRIES         24
#define MAX_MISSED_LIMITS 2    /* attempts whose limit was exceeded */
#define COST_TOLERANCE    1.02 /* outcomes this close to the best are equivalent */
#define SPILL_PENALTY     100  /* time factor of an outcome that spills */

struct dependence {
	uint32_t to, latency;
	struct dependence *next;
};

struct sched_node {
	struct gcn_inst *inst;
	struct gcn_use *uses; /* collected once: that takes longer than most of the work here */
	uint32_t nuses;
	uint32_t issue, latency;  /* cycles */
	struct dependence *succs; /* dependences on this node */
	uint32_t npreds;          /* unscheduled predecessors */
	uint32_t height;          /* latency to the end of the block */
	uint32_t ready;           /* earliest cycle */
};

struct schedule {
	struct gcn_func *f;
	uint32_t block;
	struct sched_node *nodes;
	uint32_t n;
	/* by unit; 1 + node, 0: none in this region */
	uint32_t *writer, *reads; /* reads: not yet scheduled */
	struct unit_reader {
		uint32_t node;
		struct unit_reader *next;
	} **readers;
	bool *abi_fixed;           /* by vreg */
	uint32_t *phi_of;          /* by vreg: a phi that it is copied to, 0: none */
	uint64_t *live, *live_out; /* now, and at the end of the block */
	uint32_t pressure, pressure_limit;
	uint32_t *ready; /* by unit: cycle in which its value is available */
	uint32_t cycle, peak;
	struct block_schedule {
		struct gcn_inst **insts; /* in original order */
		uint32_t n;
		uint32_t limit; /* pressure limit */
		/* peak of live VGPR words without a limit, and with this one */
		uint32_t unlimited_peak, peak;
		uint64_t time;
	} *block_schedules; /* by block */
};

static bool is_region_boundary(const struct gcn_inst *i)
{
	const struct amd_row *r = i->in.row;

	if (i->target || i->far || i->call || i->nimplicit || i->address.present ||
	    r->op == AMD_s_getpc_b64 || r->flags & (EXEC_OUT | WAIT | MESSAGE | BARE | TARGET) ||
	    i->in.reg[AMD_D] == AMD_EXEC || (i->mode != GCN_MODE_ANY && i->mode))
		return true;
	if (r->format == AMD_SOPP || r->format == AMD_SOPK || i->in.field[AMD_F_DLC])
		return true;
	return r->flags & ATOMIC;
}

static void init_node(struct schedule *s, struct sched_node *x, struct gcn_inst *i)
{
	struct gcn_use uses[GCN_MAX_USES];
	const struct amd_latency *l = &amd_latencies[i->in.row->latency];

	x->inst = i;
	x->nuses = gcn_uses(i, uses);
	x->uses = arena_array(s->f->arena, x->nuses + 1, sizeof(*x->uses));
	memcpy(x->uses, uses, x->nuses * sizeof(*uses));
	x->issue = l->issue;
	x->latency = l->result;
	x->succs = NULL;
	x->npreds = x->height = x->ready = 0;
}

static bool is_memory(const struct gcn_inst *i)
{
	return i->in.row->format >= AMD_DS;
}

/*
 * Of the LDS instructions with a result, those with a data operand write LDS, and so do append and
 * consume. The permutes move their data between lanes and access no memory.
 */
static bool writes_lds(const struct amd_row *row)
{
	switch (row->op) {
	case AMD_ds_permute_b32:
	case AMD_ds_bpermute_b32:
		return false;
	case AMD_ds_append:
	case AMD_ds_consume:
		return true;
	default:
		return row->type[AMD_S1];
	}
}

static bool may_write(const struct gcn_inst *i)
{
	if (!is_memory(i))
		return false;
	return !i->in.row->type[AMD_D] || i->in.row->flags & ATOMIC ||
	       (i->in.row->format == AMD_DS && writes_lds(i->in.row));
}

/* LDS, scratch and global memory are disjoint; flat accesses may reach all. */
static bool may_alias(uint32_t a, uint32_t b)
{
	return a == b || a == AMD_FLAT || b == AMD_FLAT;
}

static void add_dependence(struct schedule *s, uint32_t from, uint32_t to, uint32_t latency)
{
	struct dependence *e;

	if (from == to)
		return;
	e = arena_alloc(s->f->arena, sizeof(*e));
	*e = (struct dependence){to, latency, s->nodes[from].succs};
	s->nodes[from].succs = e;
	s->nodes[to].npreds++;
}

static void add_register_dependences(struct schedule *s, uint32_t k)
{
	const struct gcn_use *uses = s->nodes[k].uses;
	uint32_t n = s->nodes[k].nuses;

	for (uint32_t write = 0; write < 2; write++)
		for (uint32_t u = 0; u < n; u++)
			for (uint32_t w = 0; uses[u].write == write && w < uses[u].count; w++) {
				uint32_t unit = gcn_unit(s->f, uses[u].ref) + w,
					 from = s->writer[unit];

				if (from)
					add_dependence(s, from - 1, k, s->nodes[from - 1].latency);
				if (!write) {
					struct unit_reader *r;

					/*
					 * Schedule a copy after the other reads, so that it can be
					 * coalesced with its source.
					 */
					for (r = s->readers[unit]; r && s->nodes[k].inst->copy;
					     r = r->next)
						add_dependence(s, r->node, k, 0);
					r = arena_alloc(s->f->arena, sizeof(*r));
					*r = (struct unit_reader){k, s->readers[unit]};
					s->readers[unit] = r;
					continue;
				}
				for (struct unit_reader *r = s->readers[unit]; r; r = r->next)
					add_dependence(s, r->node, k, 0);
				s->readers[unit] = NULL;
				s->writer[unit] = k + 1;
			}
}

/* Around calls, several vregs are fixed to one register. */
static void find_abi_registers(struct schedule *s)
{
	struct gcn_func *f = s->f;

	s->abi_fixed = arena_array(f->arena, f->nvregs, sizeof(*s->abi_fixed));
	if (f->ir->kind == IR_KERNEL && !f->has_calls)
		return;
	for (uint32_t v = 1; v < f->nvregs; v++)
		s->abi_fixed[v] = f->vregs[v].fixed >= 0;
	for (uint32_t k = 0; k < GCN_INPUTS; k++)
		s->abi_fixed[f->input[k]] = f->input[k];
}

static bool uses_physical_register(const struct schedule *s, const struct gcn_inst *i)
{
	struct amd_use uses[AMD_MAX_USES];
	uint32_t n = amd_uses(&i->in, uses);

	for (uint32_t u = 0; u < n; u++) {
		uint32_t vreg = uses[u].slot < AMD_SLOTS ? i->ref[uses[u].slot].vreg : 0;

		if (vreg ? s->abi_fixed[vreg] : uses[u].reg != AMD_EXEC && uses[u].reg < AMD_VGPR)
			return true;
	}
	return false;
}

/*
 * Memory accesses of one format since its last write. Accesses of one format may alias, so the last
 * write follows all earlier accesses of its format; dependences on those would be redundant.
 */
struct memory_order {
	uint32_t write; /* 1 + node, 0: none in this region */
	struct unit_reader *reads;
};

static void add_memory_dependences(struct schedule *s, uint32_t k, struct memory_order *formats)
{
	const struct gcn_inst *i = s->nodes[k].inst;
	struct memory_order *own = &formats[i->in.row->format];
	struct unit_reader *r;

	for (uint32_t other = AMD_DS; other < AMD_FORMATS; other++) {
		const struct memory_order *o = &formats[other];

		if (!may_alias(i->in.row->format, other))
			continue;
		if (o->write)
			add_dependence(s, o->write - 1, k, 1);
		for (r = may_write(i) ? o->reads : NULL; r; r = r->next)
			add_dependence(s, r->node, k, 1);
	}
	if (may_write(i)) {
		*own = (struct memory_order){.write = k + 1};
		return;
	}
	r = arena_alloc(s->f->arena, sizeof(*r));
	*r = (struct unit_reader){k, own->reads};
	own->reads = r;
}

/* Finds the values that become a phi: on the back edge of a loop, its next values. */
static void find_next_values(struct schedule *s)
{
	struct gcn_func *f = s->f;

	s->phi_of = arena_array(f->arena, f->nvregs, sizeof(*s->phi_of));
	gcn_for_each_block(f, b)
		gcn_for_each(f, b, i)
			if (i->copy && i->ref[AMD_S0].vreg && f->vregs[i->ref[AMD_D].vreg].phi)
				s->phi_of[i->ref[AMD_S0].vreg] = i->ref[AMD_D].vreg;
}

/*
 * The next value of a phi that is computed from the current one, such as an incremented address,
 * comes after the preceding reads of the current one; otherwise the two would need different
 * registers and a move in each iteration.
 */
static void order_after_phi_reads(struct schedule *s, uint32_t k)
{
	const struct sched_node *x = &s->nodes[k];
	uint32_t phi = 0;
	bool reads = false;

	for (uint32_t u = 0; u < x->nuses; u++)
		if (x->uses[u].write && s->phi_of[x->uses[u].ref.vreg])
			phi = s->phi_of[x->uses[u].ref.vreg];
	for (uint32_t u = 0; phi && u < x->nuses; u++)
		reads |= !x->uses[u].write && x->uses[u].ref.vreg == phi;
	for (uint32_t w = 0; reads && w < s->f->vregs[phi].words; w++)
		for (struct unit_reader *r = s->readers[s->f->vregs[phi].first_unit + w]; r;
		     r = r->next)
			add_dependence(s, r->node, k, 0);
}

static void build_dag(struct schedule *s)
{
	struct memory_order formats[AMD_FORMATS] = {0};
	uint32_t physical = 0;

	for (uint32_t k = 0; k < s->n; k++) {
		const struct gcn_inst *i = s->nodes[k].inst;

		add_register_dependences(s, k);
		order_after_phi_reads(s, k);
		if (uses_physical_register(s, i)) {
			if (physical)
				add_dependence(s, physical - 1, k, 1);
			physical = k + 1;
		}
		if (is_memory(i))
			add_memory_dependences(s, k, formats);
	}
	for (uint32_t k = s->n; k--;)
		for (const struct dependence *e = s->nodes[k].succs; e; e = e->next)
			if (s->nodes[e->to].height + e->latency + s->nodes[k].issue >
			    s->nodes[k].height)
				s->nodes[k].height =
					s->nodes[e->to].height + e->latency + s->nodes[k].issue;
}

static bool is_live_after(const struct schedule *s, uint32_t unit)
{
	return s->reads[unit] || bitset_has(s->live_out, unit);
}

/* The change in live VGPR words when x issues. */
static int pressure_change(const struct schedule *s, const struct sched_node *x)
{
	const struct gcn_use *uses = x->uses;
	uint32_t n = x->nuses;
	int change = 0;

	for (uint32_t u = 0; u < n; u++)
		for (uint32_t k = 0;
		     s->f->vregs[uses[u].ref.vreg].class == GCN_VECTOR && k < uses[u].count; k++) {
			uint32_t unit = gcn_unit(s->f, uses[u].ref) + k;

			if (uses[u].write)
				change += !bitset_has(s->live, unit);
			else if (s->reads[unit] == 1)
				change -= !bitset_has(s->live_out, unit);
		}
	return change;
}

/* Issues an instruction: updates liveness, pressure and the cycle count. */
static void issue_node(struct schedule *s, const struct sched_node *x)
{
	const struct gcn_use *uses = x->uses;
	uint32_t n = x->nuses;

	for (uint32_t u = 0; u < n; u++)
		for (uint32_t w = 0; w < uses[u].count; w++) {
			uint32_t unit = gcn_unit(s->f, uses[u].ref) + w;

			if (s->ready[unit] > s->cycle)
				s->cycle = s->ready[unit];
		}
	for (uint32_t write = 0; write < 2; write++) {
		for (uint32_t u = 0; u < n; u++)
			for (uint32_t w = 0; uses[u].write == write && w < uses[u].count; w++) {
				uint32_t unit = gcn_unit(s->f, uses[u].ref) + w;
				bool vector = s->f->vregs[uses[u].ref.vreg].class == GCN_VECTOR;

				if (write) {
					s->ready[unit] = s->cycle + x->latency;
					s->pressure += vector && !bitset_has(s->live, unit);
					bitset_add(s->live, unit);
				} else {
					s->reads[unit]--;
				}
				if (!write && !is_live_after(s, unit) &&
				    bitset_has(s->live, unit)) {
					s->pressure -= vector;
					bitset_remove(s->live, unit);
				}
			}
		if (s->pressure > s->peak)
			s->peak = s->pressure;
	}
	for (uint32_t u = 0; u < n; u++)
		for (uint32_t w = 0; uses[u].write && w < uses[u].count; w++) {
			uint32_t unit = gcn_unit(s->f, uses[u].ref) + w;

			if (!is_live_after(s, unit) && bitset_has(s->live, unit)) {
				s->pressure -= s->f->vregs[uses[u].ref.vreg].class == GCN_VECTOR;
				bitset_remove(s->live, unit);
			}
		}
	s->cycle += x->issue;
}

/*
 * Picks from the ready list. Nodes that stay within the limit, or reduce pressure, precede those
 * that do not; among them, nodes whose operands are available, then the greatest height. At the
 * limit the largest pressure reduction wins; beyond it nothing else counts.
 */
static uint32_t pick_node(const struct schedule *s, const uint32_t *ready_list, uint32_t nready)
{
	bool at_limit = s->pressure >= s->pressure_limit,
	     near_limit = s->pressure + MAX_DEFS >= s->pressure_limit;
	uint32_t best = 0;
	int best_change = 0;

	for (uint32_t k = 0; k < nready; k++) {
		const struct sched_node *x = &s->nodes[ready_list[k]],
					*b = &s->nodes[ready_list[best]];
		bool late = x->ready > s->cycle, best_late = b->ready > s->cycle;
		int change = near_limit ? pressure_change(s, x) : 0,
		    room = (int)s->pressure_limit - (int)s->pressure;
		bool fits = change <= 0 || change <= room,
		     best_fits = best_change <= 0 || best_change <= room;

		if (!k || (fits != best_fits                              ? fits
			   : fits && late != best_late                    ? best_late
			   : (at_limit || !fits) && change != best_change ? change < best_change
			   : fits && late && x->ready != b->ready         ? x->ready < b->ready
			   : fits && x->height != b->height               ? x->height > b->height
							    : ready_list[k] < ready_list[best])) {
			best = k;
			best_change = change;
		}
	}
	return best;
}

static void schedule_region(struct schedule *s, struct gcn_inst *end_of_region)
{
	struct gcn_func *f = s->f;
	uint32_t *ready_list = arena_array(f->arena, s->n + 1, sizeof(*ready_list)), nready = 0;

	build_dag(s);
	for (uint32_t k = 0; k < s->n; k++) {
		gcn_remove(f, s->block, s->nodes[k].inst);
		if (!s->nodes[k].npreds)
			ready_list[nready++] = k;
	}
	while (nready) {
		uint32_t at = pick_node(s, ready_list, nready), k = ready_list[at], start;

		ready_list[at] = ready_list[--nready];
		issue_node(s, &s->nodes[k]);
		start = s->cycle - s->nodes[k].issue;
		for (const struct dependence *e = s->nodes[k].succs; e; e = e->next) {
			struct sched_node *to = &s->nodes[e->to];

			if (start + e->latency > to->ready)
				to->ready = start + e->latency;
			if (!--to->npreds)
				ready_list[nready++] = e->to;
		}
		gcn_insert(f, s->block, end_of_region, s->nodes[k].inst);
	}
}

/* Clears what the region's dependences left by unit, for the next region. */
static void end_region(struct schedule *s)
{
	for (uint32_t k = 0; k < s->n; k++)
		for (uint32_t u = 0; u < s->nodes[k].nuses; u++)
			for (uint32_t w = 0; w < s->nodes[k].uses[u].count; w++) {
				uint32_t unit = gcn_unit(s->f, s->nodes[k].uses[u].ref) + w;

				s->writer[unit] = 0;
				s->readers[unit] = NULL;
			}
}

/*
 * Counts all reads in the block, which keep a word live as live-out does; they are counted down as
 * they issue. Times of words are those of this block.
 */
static void begin_block(struct schedule *s)
{
	struct gcn_func *f = s->f;
	const struct gcn_unit_list *in = &f->blocks[s->block].live_in,
				   *out = &f->blocks[s->block].live_out;

	s->cycle = s->pressure = 0;
	for (uint32_t k = 0; k < in->count; k++) {
		bitset_add(s->live, in->units[k]);
		s->pressure += f->vregs[f->unit_vreg[in->units[k]]].class == GCN_VECTOR;
	}
	s->peak = s->pressure;
	gcn_for_each(f, s->block, i) {
		struct gcn_use uses[GCN_MAX_USES];
		uint32_t n = gcn_uses(i, uses);

		for (uint32_t u = 0; u < n; u++)
			for (uint32_t k = 0; k < uses[u].count; k++) {
				uint32_t unit = gcn_unit(f, uses[u].ref) + k;

				s->reads[unit] += !uses[u].write;
				s->ready[unit] = 0;
			}
	}
	for (uint32_t k = 0; k < out->count; k++) {
		bitset_add(s->live_out, out->units[k]);
		s->ready[out->units[k]] = 0;
	}
}

/* Returns the block's cycles over all iterations, with pending live-out results waited for. */
static uint64_t finish_block(struct schedule *s)
{
	const struct gcn_block *block = &s->f->blocks[s->block];
	uint64_t iterations = 1;

	for (uint32_t k = 0; k < block->live_in.count; k++)
		bitset_remove(s->live, block->live_in.units[k]);
	for (uint32_t k = 0; k < block->live_out.count; k++) {
		uint32_t u = block->live_out.units[k];

		bitset_remove(s->live, u); /* other words that the block writes have died */
		bitset_remove(s->live_out, u);
		if (s->ready[u] > s->cycle)
			s->cycle = s->ready[u];
	}
	for (uint32_t d = 0; d < block->depth && d < 4; d++)
		iterations *= LOOP_TRIP_GUESS;
	return iterations * s->cycle;
}

/* Returns the block's cycles over all iterations. */
static uint64_t schedule_block(struct schedule *s)
{
	struct gcn_func *f = s->f;
	struct gcn_block *block = &f->blocks[s->block];

	begin_block(s);
	for (struct gcn_inst *i = block->first; i;) {
		struct arena_mark mark = arena_mark(f->arena);

		s->n = 0;
		for (; i && !is_region_boundary(i) && s->n < MAX_REGION; i = i->next)
			init_node(s, &s->nodes[s->n++], i);
		if (s->n)
			schedule_region(s, i);
		end_region(s);
		if (i && is_region_boundary(i)) {
			struct sched_node x;

			init_node(s, &x, i);
			issue_node(s, &x);
			i = i->next;
		}
		arena_rewind(f->arena, mark);
	}
	return finish_block(s);
}

/* ---- choosing the pressure limit ---- */

static void save_block_order(struct schedule *s, uint32_t b)
{
	struct block_schedule *sched = &s->block_schedules[b];

	gcn_for_each(s->f, b, i)
		sched->n++;
	sched->insts = arena_array(s->f->arena, sched->n + 1, sizeof(*sched->insts));
	sched->n = 0;
	gcn_for_each(s->f, b, i)
		sched->insts[sched->n++] = i;
}

static void schedule_with_limit(struct schedule *s, uint32_t b, uint32_t limit)
{
	struct block_schedule *sched = &s->block_schedules[b];

	for (uint32_t k = 0; k < sched->n; k++) {
		gcn_remove(s->f, b, sched->insts[k]);
		gcn_insert(s->f, b, NULL, sched->insts[k]);
	}
	s->block = b;
	s->pressure_limit = sched->limit = limit;
	sched->time = schedule_block(s);
	sched->peak = s->peak;
	if (limit == NO_LIMIT)
		sched->unlimited_peak = s->peak;
}

struct outcome {
	uint32_t limit, peak;
	uint64_t time;
};

/*
 * Schedules all blocks. A block whose unlimited peak is below the limit keeps its unlimited
 * schedule.
 */
static struct outcome schedule_function_with_limit(struct schedule *s, uint32_t limit)
{
	struct outcome o = {.limit = limit};

	gcn_for_each_block(s->f, b) {
		struct block_schedule *sched = &s->block_schedules[b];
		uint32_t own = limit > sched->unlimited_peak ? NO_LIMIT : limit;

		if (own != sched->limit)
			schedule_with_limit(s, b, own);
		o.time += sched->time;
		if (sched->peak > o.peak)
			o.peak = sched->peak;
	}
	return o;
}

/* VGPRs that an outcome needs, with 1/32 for fragmentation. */
static uint32_t outcome_words(const struct outcome *o)
{
	return (o->peak + o->peak / 32 + VGPR_GRANULE - 1) / VGPR_GRANULE * VGPR_GRANULE;
}

/* Time divided by resident waves: a wave waits while others compute. */
static double outcome_cost(const struct outcome *o)
{
	uint32_t words = outcome_words(o), waves = words ? SIMD_VGPRS / words : MAX_WAVES;

	if (words > GCN_VGPRS)
		return (double)o->time * SPILL_PENALTY;
	return (double)o->time / (waves < MAX_WAVES ? waves : MAX_WAVES);
}

/*
 * Lowers the limit while schedules keep it and fewer registers let more waves run, then picks the
 * fewest registers within COST_TOLERANCE of the lowest cost.
 */
static void search_pressure_limit(struct schedule *s)
{
	struct outcome tried[MAX_TRIES];
	uint32_t n = 0, limit = NO_LIMIT, pick = 0;
	double min_cost = 0;

	for (uint32_t missed = 0; n < MAX_TRIES && missed < MAX_MISSED_LIMITS && limit > 2; n++) {
		tried[n] = schedule_function_with_limit(s, limit);
		if (!n || outcome_cost(&tried[n]) < min_cost)
			min_cost = outcome_cost(&tried[n]);
		missed += tried[n].peak > limit;
		if (tried[n].peak < limit)
			limit = tried[n].peak;
		if (outcome_words(&tried[n]) * MAX_WAVES <= SIMD_VGPRS) {
			n++;
			break;
		}
		limit -= limit / 16 + 1;
	}
	for (uint32_t k = 1; k < n; k++)
		if (outcome_cost(&tried[pick]) > min_cost * COST_TOLERANCE ||
		    (outcome_cost(&tried[k]) <= min_cost * COST_TOLERANCE &&
		     tried[k].peak < tried[pick].peak))
			pick = k;
	schedule_function_with_limit(s, tried[pick].limit);
}

void gcn_schedule(struct gcn_func *f)
{
	struct schedule s = {.f = f};
	struct arena_mark scratch = arena_mark(f->arena);

	gcn_liveness(f);
	s.nodes = arena_array(f->arena, MAX_REGION + 1, sizeof(*s.nodes));
	s.writer = arena_array(f->arena, f->nunits + 1, sizeof(*s.writer));
	s.reads = arena_array(f->arena, f->nunits + 1, sizeof(*s.reads));
	s.ready = arena_array(f->arena, f->nunits + 1, sizeof(*s.ready));
	s.readers = arena_array(f->arena, f->nunits + 1, sizeof(*s.readers));
	s.live = bitset_new(f->arena, f->nunits);
	s.live_out = bitset_new(f->arena, f->nunits);
	s.block_schedules = arena_array(f->arena, f->nblocks, sizeof(*s.block_schedules));
	find_abi_registers(&s);
	find_next_values(&s);
	gcn_for_each_block(f, b)
		save_block_order(&s, b);
	search_pressure_limit(&s);
	arena_rewind(f->arena, scratch);
}
