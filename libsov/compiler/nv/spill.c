// SPDX-License-Identifier: MIT
/*
 * Who is spilled, and the rewriting of instructions.
 *
 * The choice: each block is walked backwards once with what is live and not spilled yet. Where that
 * is too much, the register goes whose uses cost least for the time until the next of them; uses in
 * loops cost more. A spilled register still needs a place of its own for a moment at each of its
 * mentions, and that is counted there, so that what is left always fits.
 *
 * The rewriting: what was fetched or made lately is kept at hand for further uses in the block as
 * long as there is room, and given up in the order of its last use.
 */
#include <string.h>
#include "libsov/compiler/nv/spill.h"

#define FAR 1000 /* instructions to the next use, if that is not in this block */

/* How many units are needed before and after an instruction. */
#define FULL(before, after) ((before) | (after) << 16)
#define FULL_BEFORE(full)   ((full)&0xffff)
#define FULL_AFTER(full)    ((full) >> 16)
#define NOTHING_KEPT        0xf000

struct choice {
	struct spiller *s;
	uint64_t *cost;     /* by vreg: its mentions, by loop depth */
	uint32_t *mentions; /* by vreg: their number */
	uint32_t *next;     /* by vreg: place of its next mention, … */
	uint32_t *stamp;    /* … if that was noted in this block */
	uint32_t block, place;
	uint64_t *live;
	uint32_t count; /* units in live */
	bool choosing, failed;
};

static bool of_kind(const struct spiller *s, uint32_t vreg)
{
	return vreg && s->f->vregs[vreg].kind == s->kind;
}

static bool is_spilled(const struct spiller *s, uint32_t vreg)
{
	return vreg < s->nvregs && s->spilled[vreg];
}

static uint64_t weight(uint32_t depth)
{
	return UINT64_C(1) << 3 * (depth < 8 ? depth : 8);
}

static void add_costs(struct choice *c)
{
	const struct mir_func *f = c->s->f;

	mir_for_each_block(f, b) {
		uint64_t w = weight(f->blocks[b].depth);

		mir_for_each(f, b, i) {
			uint32_t n;
			const struct mir_use *uses = mir_uses(f, i, &n);

			for (uint32_t u = 0; u < n; u++) {
				c->cost[uses[u].ref.vreg] += w;
				c->mentions[uses[u].ref.vreg]++;
			}
		}
		for (uint32_t p = 0; p < f->blocks[b].nphis; p++) {
			const struct mir_phi *phi = &f->blocks[b].phis[p];
			uint32_t units = f->vregs[phi->vreg].units;

			c->cost[phi->vreg] += 2 * w;
			for (uint32_t k = 0; k < f->blocks[b].npreds * units; k++)
				c->cost[phi->args[k].ref.vreg] += w;
		}
		c->cost[f->blocks[b].cond.ref.vreg] += w;
	}
	/* Making something anew costs less than going to memory. */
	for (uint32_t v = 1; v < c->s->nvregs; v++) {
		if (!c->s->cheap || !c->s->cheap[v])
			c->cost[v] *= 4;
	}
}

static void enliven(struct choice *c, uint32_t unit)
{
	c->count += !mir_has(c->live, unit);
	mir_add(c->live, unit);
}

static void kill(struct choice *c, uint32_t vreg)
{
	const struct mir_vreg *v = &c->s->f->vregs[vreg];

	for (uint32_t k = 0; k < v->units; k++) {
		c->count -= mir_has(c->live, v->first_unit + k);
		mir_drop(c->live, v->first_unit + k);
	}
}

static void mention(struct choice *c, struct mir_ref r, uint32_t count)
{
	if (!of_kind(c->s, r.vreg))
		return;
	c->next[r.vreg] = c->place;
	c->stamp[r.vreg] = c->block;
	for (uint32_t k = 0; !is_spilled(c->s, r.vreg) && k < count; k++)
		enliven(c, mir_unit(c->s->f, r) + k);
}

static uint32_t distance(const struct choice *c, uint32_t vreg)
{
	return (c->stamp[vreg] == c->block ? c->next[vreg] : c->place + FAR) - c->place + 1;
}

/* The one to go, of all that are live but those that the instruction itself mentions; 0: none. */
static uint32_t find_victim(const struct choice *c, const struct mir_use *uses, uint32_t n)
{
	const struct spiller *s = c->s;
	const struct mir_func *f = s->f;
	uint32_t best = 0;

	for (uint32_t w = 0; w < mir_set_words(f); w++) {
		for (uint64_t bits = c->live[w]; bits; bits &= bits - 1) {
			uint32_t v = f->unit_vreg[64 * w + (uint32_t)__builtin_ctzll(bits)], u = 0;

			while (u < n && uses[u].ref.vreg != v)
				u++;
			/* Fetched for one use, it is there as shortly as can be. */
			if (u < n || v == best || (f->vregs[v].fetched && c->mentions[v] <= 2))
				continue;
			if (!best ||
			    c->cost[v] * distance(c, best) < c->cost[best] * distance(c, v))
				best = v;
		}
	}
	return best;
}

/* Makes room: beside what is live, extra units are needed here. */
static void make_room(struct choice *c, uint32_t extra, const struct mir_use *uses, uint32_t n)
{
	while (c->choosing && c->count + extra > c->s->limit) {
		uint32_t victim = find_victim(c, uses, n);

		if (!victim) {
			c->failed = true;
			return;
		}
		kill(c, victim);
		c->s->spilled[victim] = true;
	}
}

/* Units that spilled registers need for an instruction: to be written, or to be read. */
static uint32_t extra_units(const struct choice *c, const struct mir_inst *i,
			    const struct mir_use *uses, uint32_t n, bool write)
{
	const struct mir_func *f = c->s->f;
	uint32_t extra = 0;

	for (uint32_t u = 0; u < n; u++) {
		uint32_t v = uses[u].ref.vreg;
		bool again = false;

		if (!of_kind(c->s, v) || uses[u].write != write)
			continue;
		for (uint32_t k = 0; k < u; k++)
			again |= uses[k].write == write && uses[k].ref.vreg == v &&
				 uses[k].ref.part == uses[u].ref.part;
		if (is_spilled(c->s, v))
			extra += again ? 0 : uses[u].count;
		else if (write && f->vregs[v].leader == i) /* a result that nobody wants */
			for (uint32_t k = 0; k < f->vregs[v].units; k++)
				extra += !mir_has(c->live, f->vregs[v].first_unit + k);
	}
	return extra;
}

static void walk_inst(struct choice *c, struct mir_inst *i)
{
	const struct mir_func *f = c->s->f;
	uint32_t n, extra, after;
	const struct mir_use *uses = mir_uses(f, i, &n);

	extra = extra_units(c, i, uses, n, true);
	if (mir_is_open_call(i)) { /* nobody else's registers survive it */
		make_room(c, c->s->limit, NULL, 0);
		extra = NOTHING_KEPT;
	} else {
		make_room(c, extra, uses, n);
	}
	after = c->count + extra;
	for (uint32_t u = 0; u < n; u++) {
		if (uses[u].write && of_kind(c->s, uses[u].ref.vreg) &&
		    f->vregs[uses[u].ref.vreg].leader == i)
			kill(c, uses[u].ref.vreg);
	}
	for (uint32_t u = 0; u < n; u++) {
		if (!uses[u].write || f->vregs[uses[u].ref.vreg].leader != i)
			mention(c, uses[u].ref, uses[u].count);
	}
	extra = extra_units(c, i, uses, n, false);
	make_room(c, extra, uses, n);
	i->number = FULL(c->count + extra, after);
}

/* What the moves of spilled phis may need beside all that is live. */
static uint32_t phi_units(const struct spiller *s, const struct mir_block *block)
{
	return s->kind == SASS_GPR && block->nphis ? MIR_MAX_UNITS : 0;
}

static void walk_block(struct choice *c, uint32_t b)
{
	const struct spiller *s = c->s;
	const struct mir_func *f = s->f;
	const struct mir_block *block = &f->blocks[b];

	memset(c->live, 0, mir_set_words(f) * sizeof(*c->live));
	c->count = 0;
	c->block = b;
	c->place = UINT32_MAX - FAR - 1;
	for (uint32_t w = 0; w < mir_set_words(f); w++) {
		for (uint64_t bits = block->live_out[w]; bits; bits &= bits - 1) {
			uint32_t unit = 64 * w + (uint32_t)__builtin_ctzll(bits);
			uint32_t v = f->unit_vreg[unit];

			if (of_kind(s, v) && !is_spilled(s, v))
				enliven(c, unit);
		}
	}
	make_room(c, block->nsucc == 1 ? phi_units(s, &f->blocks[block->succ[0]]) : 0, NULL, 0);
	mention(c, block->cond.ref, 1);
	make_room(c, is_spilled(s, block->cond.ref.vreg) && of_kind(s, block->cond.ref.vreg), NULL,
		  0);
	for (struct mir_inst *i = block->last; i; i = i->prev) {
		c->place--;
		walk_inst(c, i);
	}
	c->place--;
	for (uint32_t p = 0; p < block->nphis; p++)
		mention(c, (struct mir_ref){block->phis[p].vreg, 0},
			f->vregs[block->phis[p].vreg].units);
	make_room(c, phi_units(s, block), NULL, 0);
}

bool nv_spill_choose(struct spiller *s, bool *any)
{
	struct mir_func *f = s->f;
	struct choice c = {.s = s, .choosing = true};

	s->nvregs = f->nvregs;
	s->spilled = arena_array(f->arena, f->nvregs, sizeof(*s->spilled));
	c.cost = arena_array(f->arena, f->nvregs, sizeof(*c.cost));
	c.mentions = arena_array(f->arena, f->nvregs, sizeof(*c.mentions));
	c.next = arena_array(f->arena, f->nvregs, sizeof(*c.next));
	c.stamp = arena_array(f->arena, f->nvregs, sizeof(*c.stamp));
	c.live = arena_array(f->arena, mir_set_words(f) + 1, sizeof(*c.live));
	add_costs(&c);
	mir_for_each_block(f, b)
		walk_block(&c, b);
	*any = false;
	for (uint32_t v = 1; v < s->nvregs; v++)
		*any |= s->spilled[v];
	/* Once more, for how full it is at each instruction in the end. */
	c.choosing = false;
	if (*any)
		mir_for_each_block(f, b)
			walk_block(&c, b);
	return !c.failed;
}

/*
 * Rewriting.
 */

struct held { /* a register that holds units of a spilled one */
	struct mir_ref of, in;
	uint32_t count, last_use;
};

struct hand {
	struct spiller *s;
	struct held *list;
	uint32_t n, capacity, units, place;
};

static const struct held *find_held(struct hand *h, struct mir_ref of, uint32_t count)
{
	for (uint32_t k = 0; k < h->n; k++) {
		struct held *e = &h->list[k];

		if (e->of.vreg == of.vreg && e->of.part <= of.part &&
		    of.part + count <= e->of.part + e->count) {
			e->last_use = h->place;
			return e;
		}
	}
	return NULL;
}

static void hold(struct hand *h, struct mir_ref of, uint32_t count, struct mir_ref in)
{
	h->list = arena_grow(h->s->f->arena, h->list, &h->capacity, h->n + 1, sizeof(*h->list));
	h->list[h->n++] = (struct held){of, in, count, h->place};
	h->units += count;
}

/* Keeps no more than there is room for. What the instruction itself reads is counted before it, not
 * after. */
static void let_go(struct hand *h, uint32_t full)
{
	for (;;) {
		uint32_t oldest = 0, others = 0, all = 0;

		for (uint32_t k = 0; k < h->n; k++) {
			all += h->list[k].count;
			others += h->list[k].last_use == h->place ? 0 : h->list[k].count;
			if (h->list[k].last_use < h->list[oldest].last_use)
				oldest = k;
		}
		if (!h->n || (FULL_BEFORE(full) + others <= h->s->limit &&
			      FULL_AFTER(full) + all <= h->s->limit))
			return;
		h->list[oldest] = h->list[--h->n];
	}
}

static struct mir_ref new_register(struct spiller *s, uint32_t units)
{
	uint32_t v = mir_vreg_new(s->f, s->kind, units);

	s->f->vregs[v].fetched = true;
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

static void read_use(struct hand *h, uint32_t b, struct mir_inst *i, const struct mir_use *u)
{
	const struct held *e = find_held(h, u->ref, u->count);
	struct mir_ref r;

	if (e) {
		r = (struct mir_ref){e->in.vreg, (uint8_t)(e->in.part + u->ref.part - e->of.part)};
	} else {
		r = new_register(h->s, u->count);
		h->s->fetch(h->s, u->ref, u->count, r, b, i);
		hold(h, u->ref, u->count, r);
	}
	set_ref(i, u->operand, r);
}

static void rewrite_block(struct hand *h, uint32_t b)
{
	struct spiller *s = h->s;
	struct mir_func *f = s->f;

	h->n = 0;
	mir_for_each_safe(f, b, i) {
		uint32_t n, full = i->number;
		const struct mir_use *uses = mir_uses(f, i, &n);

		h->place++;
		for (uint32_t u = 0; u < n; u++) {
			if (!uses[u].write && of_kind(s, uses[u].ref.vreg) &&
			    is_spilled(s, uses[u].ref.vreg))
				read_use(h, b, i, &uses[u]);
		}
		let_go(h, full);
		for (uint32_t u = 0; u < n; u++) {
			struct mir_ref r;

			if (!uses[u].write || !of_kind(s, uses[u].ref.vreg) ||
			    !is_spilled(s, uses[u].ref.vreg))
				continue;
			if (s->cheap && s->cheap[uses[u].ref.vreg]) {
				mir_remove(f, b, i);
				break;
			}
			r = new_register(s, uses[u].count);
			s->put(s, uses[u].ref, uses[u].count, r, b, i->next);
			set_ref(i, uses[u].operand, r);
			hold(h, uses[u].ref, uses[u].count, r);
		}
	}
	h->place++;
	if (of_kind(s, f->blocks[b].cond.ref.vreg) && is_spilled(s, f->blocks[b].cond.ref.vreg)) {
		const struct held *e = find_held(h, f->blocks[b].cond.ref, 1);
		struct mir_ref r = e ? e->in : new_register(s, 1);

		if (!e)
			s->fetch(s, f->blocks[b].cond.ref, 1, r, b, NULL);
		f->blocks[b].cond.ref = r;
	}
}

void nv_spill_rewrite(struct spiller *s)
{
	struct hand h = {.s = s};

	mir_for_each_block(s->f, b)
		rewrite_block(&h, b);
	s->f->live = false;
}
