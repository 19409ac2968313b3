// SPDX-License-Identifier: MIT
/*
 * Forwarding through memory: within a block, a load from where a store or another load has just
 * been is the value that was stored or loaded there, and a store that is overwritten before anybody
 * can have looked at it is none.
 *
 * What is known of memory is a short list of places, each a root, an offset and a size: the root is
 * what is left of an address without the constants that are added to it. Two places with one root
 * overlap when their bytes do. Places with different roots may overlap if their spaces may, unless
 * both are inside of different variables. A store takes away what it may overlap with; barriers,
 * fences, atomics, calls and ordered or volatile accesses take everything, because afterwards other
 * threads may have written and may look.
 */
#include "libsov/compiler/passes/pass.h"
#include "libsov/compiler/analysis/uses.h"

#define MOST_PLACES 32
#define MOST_STEPS  16 /* down a chain of sums; in code that is never reached it may have no end */

struct place {
	ir_val root; /* 0: the variable instead */
	uint32_t variable;
	uint8_t space, type;
	uint64_t offset;
	uint32_t bytes;
	ir_val value;
	ir_id store; /* that nobody has looked at yet; 0: none */
};

struct forward {
	struct ir_func *f;
	struct place places[MOST_PLACES];
	uint32_t n, next; /* next: whose turn it is to be forgotten */
	ir_val *value;    /* by value: what stands for it, 0 = itself */
	bool changed;
};

static ir_val resolve(const struct forward *s, ir_val v)
{
	while (s->value[v])
		v = s->value[v];
	return v;
}

/* Where an access is. 64-bit sums add modulo 2^64 like their offsets; others are roots as they are.
 */
static struct place place_of(const struct forward *s, const struct ir_inst *in)
{
	const struct ir_func *f = s->f;
	struct place p = {.space = in->space,
			  .type = in->from,
			  .offset = in->imm,
			  .bytes = ir_type_bits(in->from) / 8};
	const struct ir_inst *d;
	uint64_t c;

	p.root = resolve(s, in->args[0]);
	for (uint32_t step = 0; step < MOST_STEPS && f->values[p.root].type == IR_B64; step++) {
		uint32_t k = 0;

		d = ir_def(f, p.root);
		while (d->op == IR_ADD && k < 2 && !ir_is_const(f, d->args[k], &c))
			k++;
		if (d->op != IR_ADD || k == 2)
			break;
		p.offset += c;
		p.root = resolve(s, d->args[!k]);
	}
	d = ir_def(f, p.root);
	if (d->op == IR_ADDR && d->type == IR_B64) {
		p.root = 0;
		p.variable = d->symbol;
		p.offset += d->imm;
	}
	return p;
}

static bool is_within(const struct forward *s, const struct place *p)
{
	uint64_t size = p->root ? 0 : s->f->module->symbols[p->variable].size;

	return p->offset < size && p->bytes <= size - p->offset;
}

static bool may_overlap(const struct forward *s, const struct place *a, const struct place *b)
{
	if (a->space != b->space && a->space != IR_GENERIC_SPACE && b->space != IR_GENERIC_SPACE)
		return false;
	if (a->space == b->space && a->root == b->root && (a->root || a->variable == b->variable))
		return a->offset - b->offset < b->bytes || b->offset - a->offset < a->bytes;
	return !(is_within(s, a) && is_within(s, b) && a->variable != b->variable);
}

static bool is_same(const struct place *a, const struct place *b)
{
	return a->space == b->space && a->root == b->root && a->variable == b->variable &&
	       a->offset == b->offset && a->type == b->type;
}

static void remember(struct forward *s, const struct place *p)
{
	if (s->n < MOST_PLACES) {
		s->places[s->n++] = *p;
		return;
	}
	s->places[s->next] = *p;
	s->next = (s->next + 1) % MOST_PLACES;
}

static void forget_all(struct forward *s)
{
	s->n = s->next = 0;
}

/* A store of an element; whole: its instruction has no other. */
static void store_element(struct forward *s, ir_id i, struct place p, bool whole)
{
	uint32_t kept = 0;

	for (uint32_t k = 0; k < s->n; k++) {
		const struct place *old = &s->places[k];

		if (whole && old->store && is_same(old, &p)) {
			ir_remove(s->f, old->store);
			s->changed = true;
		}
		if (!may_overlap(s, old, &p))
			s->places[kept++] = *old;
	}
	s->n = kept;
	s->next = 0;
	p.store = whole ? i : 0;
	remember(s, &p);
}

static void do_store(struct forward *s, ir_id i)
{
	const struct ir_inst in = *ir_at(s->f, i);
	struct place p = place_of(s, &in);

	for (uint32_t k = 1; k < in.nargs; k++, p.offset += p.bytes) {
		p.value = in.from == in.type ? resolve(s, in.args[k]) : 0;
		store_element(s, i, p, in.nargs == 2);
	}
}

static void do_load(struct forward *s, ir_id i)
{
	const struct ir_inst in = *ir_at(s->f, i);
	struct place p = place_of(s, &in);
	ir_val found[IR_MAX_ELEMENTS] = {0};
	bool all = in.from == in.type && in.nres <= IR_MAX_ELEMENTS;

	for (uint32_t r = 0; r < in.nres; r++) {
		struct place e = p;

		e.offset += (uint64_t)r * p.bytes;
		e.value = in.from == in.type ? in.res + r : 0;
		for (uint32_t k = 0; k < s->n; k++) {
			if (is_same(&s->places[k], &e) && all)
				found[r] = s->places[k].value;
			else if (may_overlap(s, &s->places[k], &e))
				s->places[k].store = 0;
		}
		all = all && found[r];
	}
	for (uint32_t r = 0; r < in.nres && all; r++)
		s->value[in.res + r] = found[r];
	if (all) {
		ir_remove(s->f, i);
		s->changed = true;
		return;
	}
	for (uint32_t r = 0; r < in.nres; r++, p.offset += p.bytes) {
		for (uint32_t k = 0; k < s->n; k++)
			if (may_overlap(s, &s->places[k], &p))
				s->places[k].store = 0;
		p.value = in.res + r;
		if (in.from == in.type)
			remember(s, &p);
	}
}

static void do_block(struct forward *s, ir_block b)
{
	forget_all(s);
	ir_for_each_inst_safe(s->f, b, i) {
		const struct ir_inst *in = ir_at(s->f, i);
		bool moves = in->op == IR_LOAD || in->op == IR_STORE;

		if (!(ir_ops[in->op].properties & (P_READ | P_WRITE)) || in->space == IR_PARAM ||
		    in->space == IR_CONSTANT)
			continue;
		if (!moves || in->order != IR_WEAK || in->flags & IR_VOLATILE || !in->nargs)
			forget_all(s);
		else if (in->op == IR_STORE)
			do_store(s, i);
		else
			do_load(s, i);
	}
}

bool pass_store_forwarding(struct ir_func *f, const struct target *t)
{
	struct forward s = {.f = f,
			    .value = arena_array(f->module->arena, f->nvalues, sizeof(*s.value))};

	(void)t;
	ir_for_each_block(f, b)
		do_block(&s, b);
	if (!s.changed)
		return false;
	uses_forward(f, s.value, f->nvalues);
	return true;
}
