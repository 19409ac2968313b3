// SPDX-License-Identifier: MIT
/*
 * Choice of the registers to spill, and rewriting of their uses.
 *
 * The choice is a variant of Belady's MIN with next-use distances and costs (Braun and Hack): each
 * block is walked backwards once with the live, unspilled registers. Where the pressure exceeds the
 * limit, spill the value with the lowest reload cost per register and next-use distance; mentions
 * in loops cost more, and in the loop of the block the most. A spilled register still occupies a
 * register at each of its mentions, and the pressure there includes it, so the result always fits.
 *
 * The rewriting keeps recently reloaded or defined values in registers for further uses in the
 * block as long as the pressure allows, with LRU replacement.
 */
#include <string.h>
#include "libsov/compiler/nv/module.h"
#include "libsov/compiler/nv/spill.h"

#define FAR_DISTANCE 1000 /* next-use distance beyond the block */

/* Pressure before and after an instruction, in units. */
#define PRESSURE(before, after)   ((before) | (after) << 16)
#define PRESSURE_BEFORE(pressure) ((pressure) & 0xffff)
#define PRESSURE_AFTER(pressure)  ((pressure) >> 16)
#define PRESSURE_CLOBBERED        0xf000

struct spill_choice {
	struct spiller *s;
	struct spill_costs costs;
	uint64_t *inside; /* by vreg: of the cost, in the current outermost loop, if in_loop */
	bool in_loop;
	uint32_t loop;      /* first block of that loop or the last before it; 0: none */
	uint32_t *next_use; /* by vreg: position of the next mention … */
	uint32_t *noted_in; /* … if noted in this block */
	uint32_t block, position;
	uint32_t limit; /* of the block's pressure */
	struct unit_set live;
	uint32_t count;       /* units in live */
	uint64_t *candidates; /* units of registers that may be spilled; NULL: all */
	bool choosing, failed;
};

static bool is_of_kind(const struct spiller *s, uint32_t vreg)
{
	return vreg && s->f->vregs[vreg].kind == s->kind;
}

static bool is_spilled(const struct spiller *s, uint32_t vreg)
{
	return vreg < s->nvregs && s->spilled[vreg];
}

/* Adds the costs of the mentions in a block, or subtracts them (sign -1), and counts the mentions
 * if that is wanted. */
static void add_costs(const struct mir_func *f, uint32_t b, uint64_t sign, uint64_t *cost,
		      uint32_t *mentions)
{
	const struct mir_block *block = &f->blocks[b];
	uint64_t w = sign * spill_weight(block->depth);

	mir_for_each(f, b, i) {
		uint32_t n;
		const struct mir_use *uses = mir_uses(f, i, &n);

		for (uint32_t u = 0; u < n; u++) {
			cost[uses[u].ref.vreg] += w;
			if (mentions)
				mentions[uses[u].ref.vreg]++;
		}
	}
	for (uint32_t p = 0; p < block->nphis; p++) {
		const struct mir_phi *phi = &block->phis[p];
		uint32_t units = f->vregs[phi->vreg].units;

		cost[phi->vreg] += 2 * w;
		for (uint32_t k = 0; k < block->npreds * units; k++)
			cost[phi->args[k].ref.vreg] += w;
	}
	cost[block->cond.ref.vreg] += w;
}

/* If all uses compute a value again, its definition disappears: it is a gain, not a cost. */
static void subtract_definitions(const struct mir_func *f, uint64_t *cost)
{
	mir_for_each_block(f, b)
		mir_for_each(f, b, i) {
			uint64_t w = 2 * spill_weight(f->blocks[b].depth);
			uint32_t n;
			const struct mir_use *uses = mir_uses(f, i, &n);

			for (uint32_t u = 0; u < n; u++) {
				uint64_t *of = &cost[uses[u].ref.vreg];

				if (uses[u].write)
					*of = *of > w ? *of - w : 1;
			}
		}
}

struct spill_costs nv_spill_costs(const struct spiller *s)
{
	const struct mir_func *f = s->f;
	struct spill_costs c;

	c.cost = arena_array(f->arena, f->nvregs, sizeof(*c.cost));
	c.mentions = arena_array(f->arena, f->nvregs, sizeof(*c.mentions));
	mir_for_each_block(f, b)
		add_costs(f, b, 1, c.cost, c.mentions);
	if (s->remat_only)
		subtract_definitions(f, c.cost);
	return c;
}

/* Which of several loops runs most is not known. Within a loop, what its own iterations reload
 * counts more than what others do. Loops are runs of blocks in the layout. */
#define OTHER_LOOPS_SHARE 4

static void add_loop(struct spill_choice *c, uint32_t first, uint64_t sign)
{
	const struct mir_func *f = c->s->f;

	for (uint32_t b = first; b && f->blocks[b].depth; b = f->blocks[b].next)
		add_costs(f, b, sign, c->inside, NULL);
}

static void follow_loops(struct spill_choice *c, uint32_t b)
{
	bool in_loop = c->s->f->blocks[b].depth && !c->s->remat_only;

	if (in_loop && !c->in_loop) {
		add_loop(c, c->loop, UINT64_MAX);
		add_loop(c, b, 1);
		c->loop = b;
	}
	c->in_loop = in_loop;
}

/* Rematerialisation costs less than a memory access. */
static uint64_t cost_of_spill(const struct spill_choice *c, uint32_t vreg)
{
	uint64_t cost = c->costs.cost[vreg];

	if (c->in_loop)
		cost = c->inside[vreg] + (cost - c->inside[vreg]) / OTHER_LOOPS_SHARE;
	return c->s->remat && c->s->remat[vreg] ? cost : 4 * cost;
}

static void add_live_unit(struct spill_choice *c, uint32_t unit)
{
	c->count += !unit_set_has(&c->live, unit);
	unit_set_add(&c->live, unit);
}

static void kill_vreg(struct spill_choice *c, uint32_t vreg)
{
	const struct mir_vreg *v = &c->s->f->vregs[vreg];

	for (uint32_t k = 0; k < v->units; k++) {
		c->count -= unit_set_has(&c->live, v->first_unit + k);
		unit_set_remove(&c->live, v->first_unit + k);
	}
}

static void note_mention(struct spill_choice *c, struct mir_ref r, uint32_t count)
{
	if (!is_of_kind(c->s, r.vreg))
		return;
	c->next_use[r.vreg] = c->position;
	c->noted_in[r.vreg] = c->block;
	for (uint32_t k = 0; !is_spilled(c->s, r.vreg) && k < count; k++)
		add_live_unit(c, mir_unit(c->s->f, r) + k);
}

static uint32_t next_use_distance(const struct spill_choice *c, uint32_t vreg)
{
	return (c->noted_in[vreg] == c->block ? c->next_use[vreg] : c->position + FAR_DISTANCE) -
	       c->position + 1;
}

/* Registers that the spill frees, times how long they stay free. */
static uint64_t gain_of_spill(const struct spill_choice *c, uint32_t vreg)
{
	return (uint64_t)next_use_distance(c, vreg) * c->s->f->vregs[vreg].units;
}

static bool may_spill(const struct spiller *s, uint32_t vreg)
{
	uint32_t n = 0;
	const struct mir_use *uses = NULL;

	if (s->f->vregs[vreg].units > MIR_MAX_UNITS)
		return false;
	if ((s->remat_only && !s->remat[vreg]) || (s->pinned && s->pinned[vreg]))
		return false;
	if (s->recompute && s->recompute[vreg])
		uses = mir_uses(s->f, s->recompute[vreg], &n);
	for (uint32_t u = 0; u < n; u++) {
		if (!uses[u].write && s->spilled[uses[u].ref.vreg] &&
		    !nv_is_constant_operand(s, &uses[u]))
			return false;
	}
	return true;
}

static void spill_vreg(struct spiller *s, uint32_t vreg)
{
	uint32_t n = 0;
	const struct mir_use *uses = NULL;

	s->spilled[vreg] = true;
	if (s->recompute && s->recompute[vreg])
		uses = mir_uses(s->f, s->recompute[vreg], &n);
	for (uint32_t u = 0; u < n; u++)
		s->pinned[uses[u].ref.vreg] |=
			!uses[u].write && !nv_is_constant_operand(s, &uses[u]);
}

/* Where only what can be computed again may be spilled, most of what is live is no candidate. */
static uint64_t *find_candidates(const struct spiller *s)
{
	const struct mir_func *f = s->f;
	uint64_t *candidates = bitset_new(f->arena, f->nunits);

	for (uint32_t v = 1; v < f->nvregs; v++)
		for (uint32_t k = 0; s->remat[v] && k < f->vregs[v].units; k++)
			bitset_add(candidates, f->vregs[v].first_unit + k);
	return candidates;
}

/* The first live unit from unit on that may be spilled. */
static uint32_t next_candidate(const struct spill_choice *c, uint32_t unit)
{
	const struct unit_set *live = &c->live;
	uint32_t words = bitset_words(live->n), w = unit / 64;
	uint64_t bits;

	if (!c->candidates)
		return unit_set_next(live, unit);
	if (unit >= live->n)
		return live->n;
	bits = live->words[w] & c->candidates[w] & UINT64_MAX << unit % 64;
	while (!bits) {
		w = bitset_next(live->summary, words, w + 1);
		if (w >= words)
			return live->n;
		bits = live->words[w] & c->candidates[w];
	}
	return 64 * w + (uint32_t)__builtin_ctzll(bits);
}

/* The vreg to spill, among those that are live and not mentioned by the instruction itself; 0 =
 * none. */
static uint32_t find_victim(const struct spill_choice *c, const struct mir_use *uses, uint32_t n,
			    bool across_call)
{
	const struct spiller *s = c->s;
	const struct mir_func *f = s->f;
	uint32_t best = 0;

	for (uint32_t unit = next_candidate(c, 0); unit < c->live.n;
	     unit = next_candidate(c, unit + 1)) {
		uint32_t v = f->unit_vreg[unit], u = 0;

		while (u < n && uses[u].ref.vreg != v)
			u++;
		/* A reload with a single use has the shortest possible live range already, unless
		 * an earlier round with more registers left it live across a call. */
		if (u < n || v == best ||
		    (f->vregs[v].reload && c->costs.mentions[v] <= 2 && !across_call) ||
		    !may_spill(s, v))
			continue;
		if (!best || cost_of_spill(c, v) * gain_of_spill(c, best) <
				     cost_of_spill(c, best) * gain_of_spill(c, v))
			best = v;
	}
	return best;
}

/* Blocks that have fewer registers than others leave as many of them free in proportion. */
static uint32_t block_limit(const struct spiller *s, uint32_t b)
{
	uint32_t gprs = nv_block_gprs(s->f, b), taken = s->f->gprs - gprs;
	uint32_t room = s->f->gprs - s->limit;

	if (s->kind != SASS_GPR || !taken || s->limit >= s->f->gprs)
		return s->limit;
	return gprs - (room < 8 ? room : 8 + (room - 8) * gprs / s->f->gprs);
}

/* Spills until extra units, of which a call may change all, fit next to the live ones. */
static void limit_pressure_at(struct spill_choice *c, uint32_t extra, const struct mir_use *uses,
			      uint32_t n, bool across_call)
{
	while (c->choosing && c->count + extra > c->limit) {
		uint32_t victim = find_victim(c, uses, n, across_call);

		if (!victim) {
			c->s->least = c->failed ? c->s->least : c->count + extra;
			c->failed = true;
			return;
		}
		kill_vreg(c, victim);
		spill_vreg(c->s, victim);
	}
}

static void limit_pressure(struct spill_choice *c, uint32_t extra, const struct mir_use *uses,
			   uint32_t n)
{
	limit_pressure_at(c, extra, uses, n, false);
}

/* An earlier operand reads, or writes, the same register. */
static bool is_repeated(const struct mir_use *uses, uint32_t u)
{
	for (uint32_t k = 0; k < u; k++)
		if (uses[k].write == uses[u].write && uses[k].ref.vreg == uses[u].ref.vreg &&
		    uses[k].ref.part == uses[u].ref.part)
			return true;
	return false;
}

/* Units that spilled registers occupy at an instruction: those it writes, or those it reads. */
static uint32_t extra_units(const struct spill_choice *c, const struct mir_inst *i,
			    const struct mir_use *uses, uint32_t n, bool write)
{
	const struct mir_func *f = c->s->f;
	uint32_t extra = 0;

	for (uint32_t u = 0; u < n; u++) {
		uint32_t v = uses[u].ref.vreg;

		if (uses[u].write != write || !is_of_kind(c->s, v))
			continue;
		if (is_spilled(c->s, v))
			extra += is_repeated(uses, u) ? 0 : uses[u].count;
		else if (write && f->vregs[v].first_def == i) /* unused result */
			for (uint32_t k = 0; k < f->vregs[v].units; k++)
				extra += !unit_set_has(&c->live, f->vregs[v].first_unit + k);
	}
	return extra;
}

/* Units that a call changes, so that what is live across it must fit into the others. */
static uint32_t changed_units(const struct spiller *s, const struct mir_inst *call)
{
	if (!call->known || s->kind != SASS_GPR)
		return s->limit;
	return nv_changed_registers(s->f, call->known, s->limit);
}

static void walk_inst(struct spill_choice *c, struct mir_inst *i)
{
	const struct mir_func *f = c->s->f;
	bool clobbers = mir_is_clobbering_call(i);
	uint32_t n, extra, after, changes = clobbers ? changed_units(c->s, i) : 0;
	const struct mir_use *uses = mir_uses(f, i, &n);

	extra = extra_units(c, i, uses, n, true);
	limit_pressure(c, extra, uses, n);
	after = clobbers ? PRESSURE_CLOBBERED : c->count + extra;
	for (uint32_t u = 0; u < n; u++) {
		if (uses[u].write && is_of_kind(c->s, uses[u].ref.vreg) &&
		    f->vregs[uses[u].ref.vreg].first_def == i)
			kill_vreg(c, uses[u].ref.vreg);
	}
	limit_pressure_at(c, changes, NULL, 0, changes > 0);
	for (uint32_t u = 0; u < n; u++) {
		if (!uses[u].write || f->vregs[uses[u].ref.vreg].first_def != i)
			note_mention(c, uses[u].ref, uses[u].count);
	}
	extra = extra_units(c, i, uses, n, false);
	limit_pressure(c, extra, uses, n);
	i->number = PRESSURE(c->count + extra, after);
}

/* Units that the copies of spilled phis may need next to the live ones. Phis cannot be computed
 * again. */
static uint32_t phi_units(const struct spiller *s, const struct mir_block *block)
{
	return s->kind == SASS_GPR && block->nphis && !s->remat_only ? MIR_MAX_UNITS : 0;
}

static void walk_block(struct spill_choice *c, uint32_t b)
{
	const struct spiller *s = c->s;
	const struct mir_func *f = s->f;
	const struct mir_block *block = &f->blocks[b];

	unit_set_clear(&c->live);
	c->count = 0;
	c->block = b;
	c->limit = block_limit(s, b);
	c->position = UINT32_MAX - FAR_DISTANCE - 1;
	live_set_for_each(&block->live_out, unit)
	{
		uint32_t v = f->unit_vreg[unit];

		if (is_of_kind(s, v) && !is_spilled(s, v))
			add_live_unit(c, unit);
	}
	limit_pressure(c, block->nsucc == 1 ? phi_units(s, &f->blocks[block->succ[0]]) : 0, NULL,
		       0);
	note_mention(c, block->cond.ref, 1);
	limit_pressure(c,
		       is_spilled(s, block->cond.ref.vreg) && is_of_kind(s, block->cond.ref.vreg),
		       NULL, 0);
	for (struct mir_inst *i = block->last; i; i = i->prev) {
		c->position--;
		walk_inst(c, i);
	}
	c->position--;
	for (uint32_t p = 0; p < block->nphis; p++)
		note_mention(c, (struct mir_ref){block->phis[p].vreg, 0},
			     f->vregs[block->phis[p].vreg].units);
	limit_pressure(c, phi_units(s, block), NULL, 0);
}

bool nv_spill_choose(struct spiller *s, bool *any)
{
	struct mir_func *f = s->f;
	struct spill_choice c = {.s = s, .choosing = true, .costs = s->costs};

	s->nvregs = f->nvregs;
	s->spilled = arena_array(f->arena, f->nvregs, sizeof(*s->spilled));
	if (!c.costs.cost)
		c.costs = nv_spill_costs(s);
	if (s->remat_only)
		c.candidates = find_candidates(s);
	else
		c.inside = arena_array(f->arena, f->nvregs, sizeof(*c.inside));
	c.next_use = arena_array(f->arena, f->nvregs, sizeof(*c.next_use));
	c.noted_in = arena_array(f->arena, f->nvregs, sizeof(*c.noted_in));
	c.live = unit_set_new(f->arena, f->nunits);
	mir_for_each_block(f, b) {
		follow_loops(&c, b);
		walk_block(&c, b);
		if (c.failed)
			return false;
	}
	*any = c.in_loop = false;
	for (uint32_t v = 1; v < s->nvregs; v++) {
		*any |= s->spilled[v];
		s->cost += s->spilled[v] ? cost_of_spill(&c, v) : 0;
	}
	/* Walk again for the final pressure at each instruction. */
	c.choosing = false;
	if (*any)
		mir_for_each_block(f, b)
			walk_block(&c, b);
	return true;
}

/*
 * Rewriting.
 */

struct cached_value { /* a register that holds units of a spilled one */
	struct mir_ref of, in;
	uint32_t count, last_use;
};

struct reg_cache {
	struct spiller *s;
	struct cached_value *list;
	uint32_t n, capacity, units, position;
};

static const struct cached_value *find_cached(struct reg_cache *cache, struct mir_ref of,
					      uint32_t count)
{
	for (uint32_t k = 0; k < cache->n; k++) {
		struct cached_value *e = &cache->list[k];

		if (e->of.vreg == of.vreg && e->of.part <= of.part &&
		    of.part + count <= e->of.part + e->count) {
			e->last_use = cache->position;
			return e;
		}
	}
	return NULL;
}

static void add_cached(struct reg_cache *cache, struct mir_ref of, uint32_t count,
		       struct mir_ref in)
{
	cache->list = arena_grow(cache->s->f->arena, cache->list, &cache->capacity, cache->n + 1,
				 sizeof(*cache->list));
	cache->list[cache->n++] = (struct cached_value){of, in, count, cache->position};
	cache->units += count;
}

/* Evicts the least recently used values until the rest fits. Values that the instruction reads
 * count before it, not after it. */
static void evict_cached(struct reg_cache *cache, uint32_t b, uint32_t pressure)
{
	uint32_t limit = block_limit(cache->s, b);

	for (;;) {
		uint32_t oldest = 0, others = 0, all = 0;

		for (uint32_t k = 0; k < cache->n; k++) {
			all += cache->list[k].count;
			others += cache->list[k].last_use == cache->position ? 0
									     : cache->list[k].count;
			if (cache->list[k].last_use < cache->list[oldest].last_use)
				oldest = k;
		}
		if (!cache->n || (PRESSURE_BEFORE(pressure) + others <= limit &&
				  PRESSURE_AFTER(pressure) + all <= limit))
			return;
		cache->list[oldest] = cache->list[--cache->n];
	}
}

static struct mir_ref new_reload(struct spiller *s, uint32_t units)
{
	uint32_t v = mir_vreg_new(s->f, s->kind, units);

	s->f->vregs[v].reload = true;
	return (struct mir_ref){v, 0};
}

static void set_ref(struct mir_inst *i, uint32_t operand, struct mir_ref r)
{
	i->uses = NULL;
	if (operand == SASS_USE_GUARD)
		i->guard = r;
	else
		i->ref[operand] = r;
}

static void reload_use(struct reg_cache *cache, uint32_t b, struct mir_inst *i,
		       const struct mir_use *u)
{
	const struct cached_value *e = find_cached(cache, u->ref, u->count);
	struct mir_ref r;

	if (e) {
		r = (struct mir_ref){e->in.vreg, (uint8_t)(e->in.part + u->ref.part - e->of.part)};
	} else {
		r = new_reload(cache->s, u->count);
		cache->s->reload(cache->s, u->ref, u->count, r, b, i);
		add_cached(cache, u->ref, u->count, r);
	}
	set_ref(i, u->operand, r);
}

/* The instruction defines a register that is computed again at its uses. */
static bool is_moved_to_uses(const struct spiller *s, const struct mir_use *uses, uint32_t n)
{
	for (uint32_t u = 0; u < n && s->remat; u++) {
		if (uses[u].write && is_of_kind(s, uses[u].ref.vreg) &&
		    is_spilled(s, uses[u].ref.vreg) && s->remat[uses[u].ref.vreg])
			return true;
	}
	return false;
}

static void rewrite_block(struct reg_cache *cache, uint32_t b)
{
	struct spiller *s = cache->s;
	struct mir_func *f = s->f;

	cache->n = 0;
	mir_for_each_safe(f, b, i) {
		uint32_t n, pressure = i->number;
		const struct mir_use *uses = mir_uses(f, i, &n);

		cache->position++;
		/* It stays as it is: copies of it follow. */
		if (is_moved_to_uses(s, uses, n)) {
			mir_remove(f, b, i);
			continue;
		}
		for (uint32_t u = 0; u < n; u++) {
			if (!uses[u].write && is_of_kind(s, uses[u].ref.vreg) &&
			    is_spilled(s, uses[u].ref.vreg))
				reload_use(cache, b, i, &uses[u]);
		}
		evict_cached(cache, b, pressure);
		for (uint32_t u = 0; u < n; u++) {
			struct mir_ref r;

			if (!uses[u].write || !is_of_kind(s, uses[u].ref.vreg) ||
			    !is_spilled(s, uses[u].ref.vreg))
				continue;
			r = new_reload(s, uses[u].count);
			s->store(s, uses[u].ref, uses[u].count, r, b, i->next);
			set_ref(i, uses[u].operand, r);
			add_cached(cache, uses[u].ref, uses[u].count, r);
		}
	}
	cache->position++;
	if (is_of_kind(s, f->blocks[b].cond.ref.vreg) &&
	    is_spilled(s, f->blocks[b].cond.ref.vreg)) {
		const struct cached_value *e = find_cached(cache, f->blocks[b].cond.ref, 1);
		struct mir_ref r = e ? e->in : new_reload(s, 1);

		if (!e)
			s->reload(s, f->blocks[b].cond.ref, 1, r, b, NULL);
		f->blocks[b].cond.ref = r;
	}
}

void nv_spill_rewrite(struct spiller *s)
{
	struct reg_cache cache = {.s = s};

	mir_for_each_block(s->f, b)
		rewrite_block(&cache, b);
	s->f->live = false;
}
