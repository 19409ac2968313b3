// SPDX-License-Identifier: MIT
/*
 * Units are what calls connect: sets of functions that are joined where one calls another, each named by
 * its lowest member. What moves from the module to a unit are the functions themselves. Their tables stay
 * where they are, in the module's arena, and grow into the unit's.
 */
#include "libsov/compiler/driver/unit.h"

static uint32_t find(uint32_t *parent, uint32_t k)
{
	while (parent[k] != k)
		k = parent[k] = parent[parent[k]];
	return k;
}

static void join(uint32_t *parent, uint32_t a, uint32_t b)
{
	a = find(parent, a);
	b = find(parent, b);
	if (a < b)
		parent[b] = a;
	else
		parent[a] = b;
}

static bool has_body(const struct ir_func *f)
{
	return f->kind == IR_KERNEL || f->kind == IR_FUNCTION;
}

/* Joins a function with those that it calls. False: it may get to any. */
static bool join_calls(const struct ir_module *m, const struct ir_func *f, uint32_t *parent)
{
	ir_for_each_block(f, b)
		ir_for_each_inst(f, b, i) {
			const struct ir_inst *in = ir_at(f, i);

			if (in->op == IR_CALLPTR || in->op == IR_FUNCADDR)
				return false;
			if (in->op == IR_CALL && has_body(m->table[in->symbol]))
				join(parent, f->index, in->symbol);
		}
	return true;
}

static bool may_part(const struct ir_module *m, uint32_t *parent)
{
	for (uint32_t k = 0; k < m->nsymbols; k++)
		for (uint32_t j = 0; j < m->symbols[k].naddresses; j++)
			if (m->symbols[k].addresses[j].function)
				return false;
	for (const struct ir_func *f = m->funcs; f; f = f->next)
		if (!join_calls(m, f, parent))
			return false;
	return true;
}

uint32_t units_find(const struct ir_module *m, uint32_t *unit_of)
{
	uint32_t *parent = arena_array(m->arena, m->nfuncs + 1, sizeof(*parent)), count = 0;

	for (uint32_t k = 0; k < m->nfuncs; k++)
		parent[k] = k;
	if (!may_part(m, parent)) {
		for (uint32_t k = 0; k < m->nfuncs; k++)
			unit_of[k] = 0;
		return 1;
	}
	/* The lowest of each set comes first. */
	for (uint32_t k = 0; k < m->nfuncs; k++)
		if (has_body(m->table[k]))
			unit_of[k] = find(parent, k) == k ? count++ : unit_of[find(parent, k)];
	return count ? count : 1;
}

/* No functions yet. Whoever adds to a table gets one of his own. */
static void share(struct ir_module *unit, const struct ir_module *m)
{
	struct arena *own = unit->arena;

	*unit = *m;
	unit->arena = own;
	unit->funcs = unit->last_func = NULL;
	unit->table_capacity = m->nfuncs;
	unit->symbols_capacity = m->nsymbols;
	unit->places_capacity = m->nplaces;
	unit->files_capacity = m->nfiles;
}

void units_split(struct ir_module *m, const uint32_t *unit_of, struct ir_module *const *units,
		uint32_t count)
{
	struct ir_func *next;

	for (uint32_t k = 0; k < count; k++)
		share(units[k], m);
	for (struct ir_func *f = m->funcs; f; f = next) {
		struct ir_module *u = units[unit_of[f->index]];

		next = f->next;
		f->next = NULL;
		f->module = u;
		*(u->last_func ? &u->last_func->next : &u->funcs) = f;
		u->last_func = f;
	}
	m->funcs = m->last_func = NULL;
}
