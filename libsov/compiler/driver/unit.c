// SPDX-License-Identifier: MIT
/*
 * Compilation units: connected components of the call graph, found with union-find; the lowest
 * function index names a set. Splitting moves the functions themselves to the units. Their tables
 * stay in the module's arena and grow into the unit's. A unit numbers its functions anew, so that
 * tables by function have the size of the unit, not of the module.
 */
#include "libsov/compiler/driver/unit.h"

static uint32_t find_root(uint32_t *parent, uint32_t k)
{
	while (parent[k] != k)
		k = parent[k] = parent[parent[k]];
	return k;
}

static void union_sets(uint32_t *parent, uint32_t a, uint32_t b)
{
	a = find_root(parent, a);
	b = find_root(parent, b);
	if (a < b)
		parent[b] = a;
	else
		parent[a] = b;
}

static bool has_body(const struct ir_func *f)
{
	return f->kind == IR_KERNEL || f->kind == IR_FUNCTION;
}

/* Unites a function with its callees. Returns false if it may call any function. */
static bool union_callees(const struct ir_module *m, const struct ir_func *f, uint32_t *parent)
{
	ir_for_each_block(f, b)
		ir_for_each_inst(f, b, i) {
			const struct ir_inst *in = ir_at(f, i);

			if (in->op == IR_CALLPTR || in->op == IR_FUNCADDR)
				return false;
			if (in->op == IR_CALL && has_body(m->table[in->symbol]))
				union_sets(parent, f->index, in->symbol);
		}
	return true;
}

static bool can_split(const struct ir_module *m, uint32_t *parent)
{
	for (uint32_t k = 0; k < m->nsymbols; k++)
		for (uint32_t j = 0; j < m->symbols[k].naddresses; j++)
			if (m->symbols[k].addresses[j].function)
				return false;
	for (const struct ir_func *f = m->funcs; f; f = f->next)
		if (!union_callees(m, f, parent))
			return false;
	return true;
}

uint32_t units_find(const struct ir_module *m, uint32_t *unit_of)
{
	uint32_t *parent = arena_array(m->arena, m->nfuncs + 1, sizeof(*parent)), count = 0;

	for (uint32_t k = 0; k < m->nfuncs; k++)
		parent[k] = k;
	if (!can_split(m, parent)) {
		for (uint32_t k = 0; k < m->nfuncs; k++)
			unit_of[k] = 0;
		return 1;
	}
	/* The lowest member of each set comes first. */
	for (uint32_t k = 0; k < m->nfuncs; k++)
		if (has_body(m->table[k]))
			unit_of[k] =
				find_root(parent, k) == k ? count++ : unit_of[find_root(parent, k)];
	return count ? count : 1;
}

/* Starts a unit without functions. Its tables are full, so that adding to one copies it to the
 * unit's arena. */
static void init_unit(struct ir_module *unit, const struct ir_module *m)
{
	struct arena *own = unit->arena;

	*unit = *m;
	unit->arena = own;
	unit->funcs = unit->last_func = NULL;
	unit->table = NULL;
	unit->nfuncs = unit->table_capacity = 0;
	unit->call_facts = NULL;
	unit->ncall_facts = 0;
	unit->symbols_capacity = m->nsymbols;
	unit->source_locs_capacity = m->nsource_locs;
	unit->files_capacity = m->nfiles;
}

static void enter_function(struct ir_module *unit, struct ir_func *f, struct arena *a)
{
	unit->table = arena_grow(a, unit->table, &unit->table_capacity, unit->nfuncs + 1,
				 sizeof(*unit->table));
	f->index = unit->nfuncs++;
	unit->table[f->index] = f;
}

/*
 * Numbers the functions of a unit and renames the callees. The unit gets copies of the declarations
 * that it calls, by module index in copies; other units have replaced theirs by then.
 */
static void renumber_functions(struct ir_module *unit, const struct ir_module *m,
			       struct ir_func **copies)
{
	for (struct ir_func *f = unit->funcs; f; f = f->next)
		enter_function(unit, f, m->arena);
	for (struct ir_func *f = unit->funcs; f; f = f->next)
		ir_for_each_block(f, b)
			ir_for_each_inst(f, b, i) {
				struct ir_inst *in = ir_at(f, i);
				struct ir_func *callee, **copy;

				if (in->op != IR_CALL)
					continue;
				callee = m->table[in->symbol];
				copy = &copies[in->symbol];
				if (!has_body(callee) && (!*copy || (*copy)->module != unit)) {
					*copy = arena_alloc(m->arena, sizeof(**copy));
					**copy = *callee;
					(*copy)->module = unit;
					enter_function(unit, *copy, m->arena);
				}
				in->symbol = has_body(callee) ? callee->index : (*copy)->index;
			}
	unit->table_capacity = unit->nfuncs; /* a new function copies it to the unit's arena */
}

/* The only unit keeps the module's numbers, which addresses of functions refer to. */
static void keep_numbers(struct ir_module *unit, const struct ir_module *m)
{
	unit->table = m->table;
	unit->nfuncs = unit->table_capacity = m->nfuncs;
	unit->call_facts = m->call_facts;
	unit->ncall_facts = m->ncall_facts;
}

void units_split(struct ir_module *m, const uint32_t *unit_of, struct ir_module *const *units,
		 uint32_t count)
{
	struct ir_func *next, **copies = arena_array(m->arena, m->nfuncs + 1, sizeof(*copies));

	for (uint32_t k = 0; k < count; k++)
		init_unit(units[k], m);
	for (struct ir_func *f = m->funcs; f; f = next) {
		struct ir_module *u = units[unit_of[f->index]];

		next = f->next;
		f->next = NULL;
		f->module = u;
		*(u->last_func ? &u->last_func->next : &u->funcs) = f;
		u->last_func = f;
	}
	m->funcs = m->last_func = NULL;
	if (count == 1)
		keep_numbers(units[0], m);
	for (uint32_t k = 0; count > 1 && k < count; k++)
		renumber_functions(units[k], m, copies);
}
