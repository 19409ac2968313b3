// SPDX-License-Identifier: MIT
/*
 * Store-to-load forwarding and dead store elimination within a block: a load takes the value of an
 * earlier store to or load from the same location, and a store that is overwritten before any load
 * can observe it is removed.
 *
 * The pass keeps a short table of available locations, each a root, an offset and a size; the root
 * is the address without its constant addends. Locations with the same root alias when their bytes
 * overlap. Locations with different roots may alias if their spaces may, unless they are inside of
 * different variables. A store invalidates entries that it may alias. Barriers, fences, atomics,
 * calls and ordered or volatile accesses invalidate all of them, because other threads may write or
 * read there.
 */
#include "libsov/compiler/passes/pass.h"
#include "libsov/compiler/analysis/uses.h"

#define MAX_LOCATIONS 32
#define MAX_CHAIN     16 /* additions followed; unreachable code may have cycles of them */

struct location {
	ir_val root; /* 0: variable instead */
	uint32_t variable;
	uint8_t space, type;
	uint64_t offset;
	uint32_t bytes;
	ir_val value;
	ir_id store; /* store that no load may have observed yet; 0: none */
};

struct forwarding {
	struct ir_func *f;
	struct location available[MAX_LOCATIONS];
	uint32_t n, next; /* next: entry to evict */
	ir_val *value;    /* by value: its replacement; 0: none */
	bool changed;
};

static ir_val resolve_value(const struct forwarding *s, ir_val v)
{
	while (s->value[v])
		v = s->value[v];
	return v;
}

/* The location of an access. Chains of 64-bit additions are followed, since they wrap like offsets;
 * others are opaque roots. */
static struct location location_of(const struct forwarding *s, const struct ir_inst *in)
{
	const struct ir_func *f = s->f;
	struct location loc = {.space = in->space,
			       .type = in->from,
			       .offset = in->imm,
			       .bytes = ir_type_bits(in->from) / 8};
	const struct ir_inst *d;
	uint64_t c;

	loc.root = resolve_value(s, in->args[0]);
	for (uint32_t step = 0; step < MAX_CHAIN && f->values[loc.root].type == IR_B64; step++) {
		uint32_t k = 0;

		d = ir_def(f, loc.root);
		while (d->op == IR_ADD && k < 2 && !ir_is_const(f, d->args[k], &c))
			k++;
		if (d->op != IR_ADD || k == 2)
			break;
		loc.offset += c;
		loc.root = resolve_value(s, d->args[!k]);
	}
	d = ir_def(f, loc.root);
	if (d->op == IR_ADDR && d->type == IR_B64) {
		loc.root = 0;
		loc.variable = d->symbol;
		loc.offset += d->imm;
	}
	return loc;
}

static bool is_in_variable(const struct forwarding *s, const struct location *loc)
{
	uint64_t size = loc->root ? 0 : s->f->module->symbols[loc->variable].size;

	return loc->offset < size && loc->bytes <= size - loc->offset;
}

static bool may_alias(const struct forwarding *s, const struct location *a,
		      const struct location *b)
{
	if (a->space != b->space && a->space != IR_GENERIC_SPACE && b->space != IR_GENERIC_SPACE)
		return false;
	if (a->space == b->space && a->root == b->root && (a->root || a->variable == b->variable))
		return a->offset - b->offset < b->bytes || b->offset - a->offset < a->bytes;
	return !(is_in_variable(s, a) && is_in_variable(s, b) && a->variable != b->variable);
}

static bool is_same_location(const struct location *a, const struct location *b)
{
	return a->space == b->space && a->root == b->root && a->variable == b->variable &&
	       a->offset == b->offset && a->type == b->type;
}

static void add_available(struct forwarding *s, const struct location *loc)
{
	if (s->n < MAX_LOCATIONS) {
		s->available[s->n++] = *loc;
		return;
	}
	s->available[s->next] = *loc;
	s->next = (s->next + 1) % MAX_LOCATIONS;
}

static void invalidate_all(struct forwarding *s)
{
	s->n = s->next = 0;
}

/* Records a stored element; whole: it is the only element of its instruction. */
static void store_element(struct forwarding *s, ir_id i, struct location loc, bool whole)
{
	uint32_t kept = 0;

	for (uint32_t k = 0; k < s->n; k++) {
		const struct location *old = &s->available[k];

		if (whole && old->store && is_same_location(old, &loc)) {
			ir_remove(s->f, old->store);
			s->changed = true;
		}
		if (!may_alias(s, old, &loc))
			s->available[kept++] = *old;
	}
	s->n = kept;
	s->next = 0;
	loc.store = whole ? i : 0;
	add_available(s, &loc);
}

static void forward_store(struct forwarding *s, ir_id i)
{
	const struct ir_inst in = *ir_at(s->f, i);
	struct location loc = location_of(s, &in);

	for (uint32_t k = 1; k < ir_data_args(&in); k++, loc.offset += loc.bytes) {
		loc.value = in.from == in.type ? resolve_value(s, in.args[k]) : 0;
		store_element(s, i, loc, ir_data_args(&in) == 2);
	}
}

static void forward_load(struct forwarding *s, ir_id i)
{
	const struct ir_inst in = *ir_at(s->f, i);
	struct location loc = location_of(s, &in);
	ir_val found[IR_MAX_ELEMENTS] = {0};
	bool all = in.from == in.type && in.nres <= IR_MAX_ELEMENTS;

	for (uint32_t r = 0; r < in.nres; r++) {
		struct location e = loc;

		e.offset += (uint64_t)r * loc.bytes;
		e.value = in.from == in.type ? in.res + r : 0;
		for (uint32_t k = 0; k < s->n; k++) {
			if (is_same_location(&s->available[k], &e) && all)
				found[r] = s->available[k].value;
			else if (may_alias(s, &s->available[k], &e))
				s->available[k].store = 0;
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
	for (uint32_t r = 0; r < in.nres; r++, loc.offset += loc.bytes) {
		for (uint32_t k = 0; k < s->n; k++)
			if (may_alias(s, &s->available[k], &loc))
				s->available[k].store = 0;
		loc.value = in.res + r;
		if (in.from == in.type)
			add_available(s, &loc);
	}
}

static void forward_block(struct forwarding *s, ir_block b)
{
	invalidate_all(s);
	ir_for_each_inst_safe(s->f, b, i) {
		const struct ir_inst *in = ir_at(s->f, i);
		bool is_access = in->op == IR_LOAD || in->op == IR_STORE;

		if (!(ir_ops[in->op].properties & (P_READ | P_WRITE)) || in->space == IR_PARAM ||
		    in->space == IR_CONSTANT)
			continue;
		if (!is_access || in->order != IR_WEAK || in->flags & IR_VOLATILE ||
		    ir_address_arg(in))
			invalidate_all(s);
		else if (in->op == IR_STORE)
			forward_store(s, i);
		else
			forward_load(s, i);
	}
}

bool pass_store_forwarding(struct ir_func *f, const struct target *t)
{
	struct forwarding s = {
		.f = f, .value = arena_array(f->module->arena, f->nvalues, sizeof(*s.value))};

	(void)t;
	ir_for_each_block(f, b)
		forward_block(&s, b);
	if (!s.changed)
		return false;
	uses_forward(f, s.value, f->nvalues);
	return true;
}
