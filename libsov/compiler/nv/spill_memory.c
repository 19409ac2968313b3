// SPDX-License-Identifier: MIT
/*
 * Spilling of GPRs to local memory, in slots of the function's frame. Values that can be
 * rematerialised without registers (rematerialise.c) are, and need no slot. Spilled registers
 * with disjoint live intervals share slots.
 *
 * A spilled phi is stored to its slot on every incoming edge. That overwrites no live value, since
 * the slot is exclusive over the phi's live interval, except where phis of one block read each
 * other's values: these are stored to a second slot on the edge and moved at the start of the
 * block.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/compiler/nv/spill.h"

struct live_interval {
	uint32_t vreg, first, last; /* program points of its live interval */
};

struct spill_frame {
	struct remat remat;
	uint32_t *slot; /* by vreg: slot, in words from the frame's bottom */
	uint32_t words;
};

static struct spill_frame *frame_of(const struct spiller *s)
{
	return s->client;
}

/*
 * Memory.
 */

static struct mir_inst *new_access(struct spiller *s, enum sass_op op, uint32_t word,
				   uint32_t count)
{
	static const uint8_t widths[] = {
		[1] = SASS_WIDTH_32, [2] = SASS_WIDTH_64, [4] = SASS_WIDTH_128};
	struct mir_inst *i = mir_inst_new(s->f, op);
	struct mir_source at = {.op = {.kind = SASS_ADDR,
				       .reg = MIR_STACK,
				       .aux = SASS_NO_UREG,
				       .value = 4 * (int64_t)word}};

	mir_set_operand(i, op == SASS_LDL ? 1 : 0, at);
	i->sass.mod[SASS_M_WIDTH] = widths[count];
	i->memory = (struct mir_memory){op == SASS_LDL ? MIR_READS : MIR_WRITES, MIR_SPILL_SPACE,
					(uint8_t)(4 * count)};
	return i;
}

static void insert_load(struct spiller *s, uint32_t word, uint32_t count, struct mir_ref to,
			uint32_t b, struct mir_inst *before)
{
	struct mir_inst *i = new_access(s, SASS_LDL, word, count);

	mir_set_operand(i, 0, mir_reg(SASS_GPR, to));
	mir_insert(s->f, b, before, i);
}

static void insert_store(struct spiller *s, uint32_t word, uint32_t count, struct mir_source from,
			 uint32_t b, struct mir_inst *before)
{
	struct mir_inst *i = new_access(s, SASS_STL, word, count);

	mir_set_operand(i, 1, from);
	mir_insert(s->f, b, before, i);
}

static void reload_spilled(struct spiller *s, struct mir_ref of, uint32_t count, struct mir_ref to,
			   uint32_t b, struct mir_inst *before)
{
	if (s->remat[of.vreg])
		nv_insert_remat(s, &frame_of(s)->remat, of, count, to, b, before);
	else
		insert_load(s, frame_of(s)->slot[of.vreg] + of.part, count, to, b, before);
}

static void store_spilled(struct spiller *s, struct mir_ref of, uint32_t count, struct mir_ref from,
			  uint32_t b, struct mir_inst *before)
{
	insert_store(s, frame_of(s)->slot[of.vreg] + of.part, count, mir_reg(SASS_GPR, from), b,
		     before);
}

/*
 * Slots.
 */

static void extend_interval(struct live_interval *v, uint32_t point)
{
	if (point < v->first)
		v->first = point;
	if (point > v->last)
		v->last = point;
}

static int compare_start(const void *a, const void *b)
{
	const struct live_interval *x = a, *y = b;

	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return x->vreg < y->vreg ? -1 : x->vreg > y->vreg;
}

/* Live intervals in layout order, extended over all loops around them by live-in and live-out. */
static void find_intervals(const struct spiller *s, struct live_interval *all)
{
	const struct mir_func *f = s->f;
	uint32_t point = 0;

	mir_for_each_block(f, b) {
		const struct mir_block *block = &f->blocks[b];
		uint32_t start = point++;

		for (uint32_t p = 0; p < block->nphis; p++)
			extend_interval(&all[block->phis[p].vreg], start);
		mir_for_each(f, b, i) {
			uint32_t n;
			const struct mir_use *uses = mir_uses(f, i, &n);

			point++;
			for (uint32_t u = 0; u < n; u++)
				extend_interval(&all[uses[u].ref.vreg], point);
		}
		point++;
		for (uint32_t k = 0; k < block->nsucc; k++) { /* phi stores on this edge */
			const struct mir_block *to = &f->blocks[block->succ[k]];

			for (uint32_t p = 0; p < to->nphis; p++)
				extend_interval(&all[to->phis[p].vreg], point);
		}
		live_set_for_each(&block->live_in, unit)
			extend_interval(&all[f->unit_vreg[unit]], start);
		live_set_for_each(&block->live_out, unit)
			extend_interval(&all[f->unit_vreg[unit]], point);
	}
}

/* The lowest aligned words that are free at the interval's start. */
static uint32_t allocate_words(struct spill_frame *frame, uint32_t *busy,
			       const struct live_interval *v, uint32_t units)
{
	for (uint32_t at = 0;; at += units) {
		uint32_t k = 0;

		while (k < units && (at + k >= frame->words || busy[at + k] < v->first))
			k++;
		if (k < units)
			continue;
		for (k = 0; k < units; k++)
			busy[at + k] = v->last;
		if (at + units > frame->words)
			frame->words = at + units;
		return at;
	}
}

static void allocate_slots(struct spiller *s)
{
	struct mir_func *f = s->f;
	struct spill_frame *frame = frame_of(s);
	struct live_interval *all = arena_array(f->arena, s->nvregs, sizeof(*all));
	uint32_t count = 0, units = 0, base = (f->frame_bytes + 15) / 16 * 4;
	uint32_t *busy;

	for (uint32_t v = 0; v < s->nvregs; v++)
		all[v] = (struct live_interval){.vreg = v, .first = UINT32_MAX};
	find_intervals(s, all);
	for (uint32_t v = 1; v < s->nvregs; v++) {
		if (s->spilled[v] && !s->remat[v]) {
			all[count++] = all[v];
			units += 2 * f->vregs[v].units;
		}
	}
	if (!count)
		return;
	qsort(all, count, sizeof(*all), compare_start);
	frame->slot = arena_array(f->arena, s->nvregs, sizeof(*frame->slot));
	busy = arena_array(f->arena, units + 4, sizeof(*busy));
	for (uint32_t k = 0; k < count; k++)
		frame->slot[all[k].vreg] =
			base + allocate_words(frame, busy, &all[k], f->vregs[all[k].vreg].units);
	f->stack = true;
	f->frame_bytes = 4 * (base + frame->words);
}

/*
 * Phis.
 */

struct edge {
	struct spiller *s;
	uint32_t from; /* block at whose end the stores happen */
	struct {       /* reloads for this edge */
		uint32_t vreg;
		struct mir_ref in;
	} reloaded[8];
	uint32_t nreloaded;
};

static bool is_spilled(const struct spiller *s, uint32_t vreg)
{
	return vreg && vreg < s->nvregs && s->spilled[vreg];
}

/* One unit of a phi argument after spilling. */
static struct mir_source reload_argument(struct edge *e, struct mir_source arg)
{
	struct spiller *s = e->s;
	uint32_t k = 0, units;

	if (!is_spilled(s, arg.ref.vreg))
		return arg;
	while (k < e->nreloaded && e->reloaded[k].vreg != arg.ref.vreg)
		k++;
	if (k == e->nreloaded) {
		units = s->f->vregs[arg.ref.vreg].units;
		k = k < 8 ? k : 7;
		e->reloaded[k].vreg = arg.ref.vreg;
		e->reloaded[k].in = (struct mir_ref){mir_vreg_new(s->f, SASS_GPR, units), 0};
		e->nreloaded = k + 1;
		reload_spilled(s, (struct mir_ref){arg.ref.vreg, 0}, units, e->reloaded[k].in,
			       e->from, NULL);
	}
	arg.ref = (struct mir_ref){e->reloaded[k].in.vreg, arg.ref.part};
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
		insert_store(s, slot, 2, reload_argument(e, args[0]), e->from, NULL);
		return;
	}
	for (uint32_t u = 0; u < units; u++)
		insert_store(s, slot + u, 1, in_register(s, reload_argument(e, args[u]), e->from),
			     e->from, NULL);
}

/* Whether a phi of the block reads the value of another, spilled phi of it. */
static bool phis_interfere(const struct spiller *s, const struct mir_block *block)
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
	bool interfere = phis_interfere(s, block);
	uint32_t *slots = arena_array(f->arena, block->nphis + 1, sizeof(*slots)), kept = 0;

	for (uint32_t k = 0; k < block->nphis; k++) {
		uint32_t v = block->phis[k].vreg, units = f->vregs[v].units;
		struct mir_ref moved;

		if (!is_spilled(s, v))
			continue;
		slots[k] = frame_of(s)->slot[v];
		if (!interfere)
			continue;
		slots[k] = (f->frame_bytes / 4 + units - 1) / units * units;
		f->frame_bytes = 4 * (slots[k] + units);
		moved = (struct mir_ref){mir_vreg_new(f, SASS_GPR, units), 0};
		insert_load(s, slots[k], units, moved, b, first);
		insert_store(s, frame_of(s)->slot[v], units, mir_reg(SASS_GPR, moved), b, first);
	}
	for (uint32_t p = 0; p < block->npreds; p++) {
		struct edge e = {.s = s, .from = block->preds[p]};

		/* Arguments of unspilled phis are reloaded last: they are live from then on. */
		for (uint32_t k = 0; k < block->nphis; k++) {
			if (is_spilled(s, block->phis[k].vreg)) {
				e.nreloaded = 0;
				store_argument(&e, &block->phis[k], p, slots[k]);
			}
		}
		e.nreloaded = 0;
		for (uint32_t k = 0; k < block->nphis; k++) {
			uint32_t units = f->vregs[block->phis[k].vreg].units;
			struct mir_source *args = &block->phis[k].args[p * units];

			for (uint32_t u = 0; !is_spilled(s, block->phis[k].vreg) && u < units; u++)
				args[u] = reload_argument(&e, args[u]);
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
	struct spiller s = {.f = f,
			    .kind = SASS_GPR,
			    .limit = limit,
			    .reload = reload_spilled,
			    .store = store_spilled};
	struct spill_frame frame = {0};
	bool any;

	s.client = &frame;
	nv_liveness(f);
	nv_find_remat(&s, &frame.remat);
	if (!nv_spill_choose(&s, &any))
		return false;
	if (!any)
		return true;
	allocate_slots(&s);
	nv_spill_rewrite(&s);
	mir_for_each_block(f, b)
		if (f->blocks[b].nphis)
			spill_phis(&s, b);
	f->live = false;
	return true;
}
