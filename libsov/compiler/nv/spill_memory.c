// SPDX-License-Identifier: MIT
/*
 * Registers beyond those that there are live in local memory, in slots of the function's frame.
 * What can be made anew without any register (constants, parameters, special registers) is, and
 * needs no slot. Slots are shared by registers that are never alive at the same time.
 *
 * A phi that goes is stored to its slot on every edge. Its slot is its own until it dies, so nothing
 * is lost, but for phis that take each other's values: these are stored to a second slot on the edge
 * and moved from there when all edges' stores are done.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/compiler/nv/spill.h"

struct interval {
	uint32_t vreg, first, last; /* places in the code where it may be alive */
};

struct home {
	struct mir_inst **unit_def; /* by unit: what makes it */
	uint32_t *slot;             /* by vreg: offset in the frame, in words, from base */
	uint32_t words;
};

static struct home *home_of(const struct spiller *s)
{
	return s->home;
}

/*
 * Making anew.
 */

/* An instruction that computes the same wherever it stands. What a call gave back does not stay where
 * it is: the next call's arguments and results go there. */
static bool is_repeatable(const struct mir_func *f, struct mir_inst *i)
{
	uint32_t n;
	const struct mir_use *uses = mir_uses(f, i, &n);

	if (i->members || (i->memory.effect && !i->incoming) || i->memory.effect & MIR_WRITES)
		return false;
	if (i->sass.op != SASS_MOV && i->sass.op != SASS_S2R && i->sass.op != SASS_LDC &&
	    i->sass.op != SASS_LDL)
		return false;
	for (uint32_t u = 0; u < n; u++) {
		if (!uses[u].write && uses[u].ref.vreg)
			return false;
	}
	return true;
}

/* Registers all of whose units come from such instructions, each from one of its own. */
static void find_cheap(struct spiller *s, const uint32_t *order, uint32_t count)
{
	struct mir_func *f = s->f;
	struct home *h = home_of(s);

	s->cheap = arena_array(f->arena, f->nvregs, sizeof(*s->cheap));
	h->unit_def = arena_array(f->arena, f->nunits + 1, sizeof(*h->unit_def));
	for (uint32_t k = 0; k < count; k++)
		mir_for_each(f, order[k], i) {
			uint32_t n;
			const struct mir_use *uses = mir_uses(f, i, &n);

			for (uint32_t u = 0; u < n; u++) {
				if (uses[u].write && uses[u].ref.vreg && uses[u].count == 1)
					h->unit_def[mir_unit(f, uses[u].ref)] = i;
			}
		}
	for (uint32_t v = 1; v < f->nvregs; v++) {
		bool cheap = f->vregs[v].kind == SASS_GPR && !f->vregs[v].phi;

		for (uint32_t k = 0; cheap && k < f->vregs[v].units; k++) {
			struct mir_inst *def = h->unit_def[f->vregs[v].first_unit + k];

			cheap = def && is_repeatable(f, def);
		}
		s->cheap[v] = cheap;
	}
}

static void repeat(struct spiller *s, struct mir_ref of, uint32_t count, struct mir_ref to,
		   uint32_t b, struct mir_inst *before)
{
	for (uint32_t k = 0; k < count; k++) {
		struct mir_inst *def = home_of(s)->unit_def[mir_unit(s->f, of) + k];
		struct mir_inst *i = arena_alloc(s->f->arena, sizeof(*i));
		uint32_t n;
		const struct mir_use *uses = mir_uses(s->f, def, &n);

		*i = *def;
		i->uses = NULL;
		for (uint32_t u = 0; u < n; u++) {
			if (uses[u].write)
				i->ref[uses[u].operand] =
					(struct mir_ref){to.vreg, (uint8_t)(to.part + k)};
		}
		mir_insert(s->f, b, before, i);
	}
}

/*
 * Memory.
 */

static struct mir_inst *access(struct spiller *s, enum sass_op op, uint32_t word, uint32_t count)
{
	static const uint8_t widths[] = {
		[1] = SASS_WIDTH_32, [2] = SASS_WIDTH_64, [4] = SASS_WIDTH_128};
	struct mir_inst *i = mir_inst_new(s->f, op);
	struct mir_source at = {.op = {.kind = SASS_ADDR,
				       .reg = MIR_STACK,
				       .aux = SASS_NO_UREG,
				       .value = 4 * (int64_t)word}};

	mir_set(i, op == SASS_LDL ? 1 : 0, at);
	i->sass.mod[SASS_M_WIDTH] = widths[count];
	i->memory = (struct mir_memory){op == SASS_LDL ? MIR_READS : MIR_WRITES, MIR_SPILLED,
					(uint8_t)(4 * count)};
	return i;
}

static void load(struct spiller *s, uint32_t word, uint32_t count, struct mir_ref to, uint32_t b,
		 struct mir_inst *before)
{
	struct mir_inst *i = access(s, SASS_LDL, word, count);

	mir_set(i, 0, mir_reg(SASS_GPR, to));
	mir_insert(s->f, b, before, i);
}

static void store(struct spiller *s, uint32_t word, uint32_t count, struct mir_source from,
		  uint32_t b, struct mir_inst *before)
{
	struct mir_inst *i = access(s, SASS_STL, word, count);

	mir_set(i, 1, from);
	mir_insert(s->f, b, before, i);
}

static void fetch(struct spiller *s, struct mir_ref of, uint32_t count, struct mir_ref to,
		  uint32_t b, struct mir_inst *before)
{
	if (s->cheap[of.vreg])
		repeat(s, of, count, to, b, before);
	else
		load(s, home_of(s)->slot[of.vreg] + of.part, count, to, b, before);
}

static void put(struct spiller *s, struct mir_ref of, uint32_t count, struct mir_ref from,
		uint32_t b, struct mir_inst *before)
{
	store(s, home_of(s)->slot[of.vreg] + of.part, count, mir_reg(SASS_GPR, from), b, before);
}

/*
 * Slots.
 */

static void reach(struct interval *v, uint32_t place)
{
	if (place < v->first)
		v->first = place;
	if (place > v->last)
		v->last = place;
}

static int by_start(const void *a, const void *b)
{
	const struct interval *x = a, *y = b;

	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return x->vreg < y->vreg ? -1 : x->vreg > y->vreg;
}

/* From where to where a spilled register may be alive, with all loops around it, in the order of the
 * layout. */
static void find_intervals(const struct spiller *s, struct interval *all)
{
	const struct mir_func *f = s->f;
	uint32_t place = 0;

	mir_for_each_block(f, b) {
		const struct mir_block *block = &f->blocks[b];
		uint32_t start = place++;

		for (uint32_t p = 0; p < block->nphis; p++)
			reach(&all[block->phis[p].vreg], start);
		mir_for_each(f, b, i) {
			uint32_t n;
			const struct mir_use *uses = mir_uses(f, i, &n);

			place++;
			for (uint32_t u = 0; u < n; u++)
				reach(&all[uses[u].ref.vreg], place);
		}
		place++;
		for (uint32_t k = 0; k < block->nsucc; k++) { /* phis are written here */
			const struct mir_block *to = &f->blocks[block->succ[k]];

			for (uint32_t p = 0; p < to->nphis; p++)
				reach(&all[to->phis[p].vreg], place);
		}
		for (uint32_t w = 0; w < mir_set_words(f); w++) {
			uint64_t in = block->live_in[w], out = block->live_out[w];

			for (uint64_t bits = in | out; bits; bits &= bits - 1) {
				uint32_t v = f->unit_vreg[64 * w + (uint32_t)__builtin_ctzll(bits)];

				if (in & bits & -bits)
					reach(&all[v], start);
				if (out & bits & -bits)
					reach(&all[v], place);
			}
		}
	}
}

/* The lowest aligned words that are free by then. */
static uint32_t take_words(struct home *h, uint32_t *busy, const struct interval *v, uint32_t units)
{
	for (uint32_t at = 0;; at += units) {
		uint32_t k = 0;

		while (k < units && (at + k >= h->words || busy[at + k] < v->first))
			k++;
		if (k < units)
			continue;
		for (k = 0; k < units; k++)
			busy[at + k] = v->last;
		if (at + units > h->words)
			h->words = at + units;
		return at;
	}
}

static void give_slots(struct spiller *s)
{
	struct mir_func *f = s->f;
	struct home *h = home_of(s);
	struct interval *all = arena_array(f->arena, s->nvregs, sizeof(*all));
	uint32_t count = 0, units = 0, base = (f->frame_bytes + 15) / 16 * 4;
	uint32_t *busy;

	for (uint32_t v = 0; v < s->nvregs; v++)
		all[v] = (struct interval){.vreg = v, .first = UINT32_MAX};
	find_intervals(s, all);
	for (uint32_t v = 1; v < s->nvregs; v++) {
		if (s->spilled[v] && !s->cheap[v]) {
			all[count++] = all[v];
			units += 2 * f->vregs[v].units;
		}
	}
	if (!count)
		return;
	qsort(all, count, sizeof(*all), by_start);
	h->slot = arena_array(f->arena, s->nvregs, sizeof(*h->slot));
	busy = arena_array(f->arena, units + 4, sizeof(*busy));
	for (uint32_t k = 0; k < count; k++)
		h->slot[all[k].vreg] =
			base + take_words(h, busy, &all[k], f->vregs[all[k].vreg].units);
	f->stack = true;
	f->frame_bytes = 4 * (base + h->words);
}

/*
 * Phis.
 */

struct edge {
	struct spiller *s;
	uint32_t from; /* block at whose end it happens */
	struct {       /* what was fetched for this edge */
		uint32_t vreg;
		struct mir_ref in;
	} fetched[8];
	uint32_t nfetched;
};

static bool is_spilled(const struct spiller *s, uint32_t vreg)
{
	return vreg && vreg < s->nvregs && s->spilled[vreg];
}

/* A phi's argument as it is after spilling: one unit. */
static struct mir_source argument(struct edge *e, struct mir_source arg)
{
	struct spiller *s = e->s;
	uint32_t k = 0, units;

	if (!is_spilled(s, arg.ref.vreg))
		return arg;
	while (k < e->nfetched && e->fetched[k].vreg != arg.ref.vreg)
		k++;
	if (k == e->nfetched) {
		units = s->f->vregs[arg.ref.vreg].units;
		k = k < 8 ? k : 7;
		e->fetched[k].vreg = arg.ref.vreg;
		e->fetched[k].in = (struct mir_ref){mir_vreg_new(s->f, SASS_GPR, units), 0};
		e->nfetched = k + 1;
		fetch(s, (struct mir_ref){arg.ref.vreg, 0}, units, e->fetched[k].in, e->from, NULL);
	}
	arg.ref = (struct mir_ref){e->fetched[k].in.vreg, arg.ref.part};
	return arg;
}

static struct mir_source in_register(struct spiller *s, struct mir_source src, uint32_t b)
{
	struct mir_source r;

	if (src.op.kind == SASS_GPR)
		return src;
	r = mir_reg(SASS_GPR, (struct mir_ref){mir_vreg_new(s->f, SASS_GPR, 1), 0});
	mir_insert(s->f, b, NULL, mir_move(s->f, r, src));
	return r;
}

static void store_argument(struct edge *e, const struct mir_phi *phi, uint32_t p, uint32_t slot)
{
	struct spiller *s = e->s;
	uint32_t units = s->f->vregs[phi->vreg].units;
	const struct mir_source *args = &phi->args[p * units];
	bool pair = units == 2 && args[0].ref.vreg && args[0].ref.vreg == args[1].ref.vreg &&
		    args[0].ref.part % 2 == 0 && args[1].ref.part == args[0].ref.part + 1;

	if (pair) {
		store(s, slot, 2, argument(e, args[0]), e->from, NULL);
		return;
	}
	for (uint32_t u = 0; u < units; u++)
		store(s, slot + u, 1, in_register(s, argument(e, args[u]), e->from), e->from, NULL);
}

/* Whether phis of a block take values of spilled ones. */
static bool are_entangled(const struct spiller *s, const struct mir_block *block)
{
	bool found = false;

	for (uint32_t p = 0; p < block->nphis; p++) {
		uint32_t v = block->phis[p].vreg, n = block->npreds * s->f->vregs[v].units;

		for (uint32_t k = 0; k < n; k++) {
			uint32_t arg = block->phis[p].args[k].ref.vreg;

			for (uint32_t q = 0; arg != v && is_spilled(s, arg) && q < block->nphis;
			     q++)
				found |= block->phis[q].vreg == arg;
		}
	}
	return found;
}

static void spill_phis(struct spiller *s, uint32_t b)
{
	struct mir_func *f = s->f;
	struct mir_block *block = &f->blocks[b];
	struct mir_inst *first = block->first;
	bool entangled = are_entangled(s, block);
	uint32_t *slots = arena_array(f->arena, block->nphis + 1, sizeof(*slots)), kept = 0;

	for (uint32_t k = 0; k < block->nphis; k++) {
		uint32_t v = block->phis[k].vreg, units = f->vregs[v].units;
		struct mir_ref moved;

		if (!is_spilled(s, v))
			continue;
		slots[k] = home_of(s)->slot[v];
		if (!entangled)
			continue;
		slots[k] = (f->frame_bytes / 4 + units - 1) / units * units;
		f->frame_bytes = 4 * (slots[k] + units);
		moved = (struct mir_ref){mir_vreg_new(f, SASS_GPR, units), 0};
		load(s, slots[k], units, moved, b, first);
		store(s, home_of(s)->slot[v], units, mir_reg(SASS_GPR, moved), b, first);
	}
	for (uint32_t p = 0; p < block->npreds; p++) {
		struct edge e = {.s = s, .from = block->preds[p]};

		/* What stays is fetched last: it is alive from then on. */
		for (uint32_t k = 0; k < block->nphis; k++) {
			if (is_spilled(s, block->phis[k].vreg)) {
				e.nfetched = 0;
				store_argument(&e, &block->phis[k], p, slots[k]);
			}
		}
		e.nfetched = 0;
		for (uint32_t k = 0; k < block->nphis; k++) {
			uint32_t units = f->vregs[block->phis[k].vreg].units;
			struct mir_source *args = &block->phis[k].args[p * units];

			for (uint32_t u = 0; !is_spilled(s, block->phis[k].vreg) && u < units; u++)
				args[u] = argument(&e, args[u]);
		}
	}
	for (uint32_t k = 0; k < block->nphis; k++) {
		if (!is_spilled(s, block->phis[k].vreg))
			block->phis[kept++] = block->phis[k];
	}
	block->nphis = kept;
}

bool nv_spill_memory(struct mir_func *f, uint32_t limit)
{
	struct spiller s = {.f = f, .kind = SASS_GPR, .limit = limit, .fetch = fetch, .put = put};
	struct home h = {0};
	uint32_t count;
	uint32_t *order = mir_order(f, &count);
	bool any;

	s.home = &h;
	nv_liveness(f);
	find_cheap(&s, order, count);
	if (!nv_spill_choose(&s, &any))
		return false;
	if (!any)
		return true;
	give_slots(&s);
	nv_spill_rewrite(&s);
	mir_for_each_block(f, b)
		if (f->blocks[b].nphis)
			spill_phis(&s, b);
	f->live = false;
	return true;
}
