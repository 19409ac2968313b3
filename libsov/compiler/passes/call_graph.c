// SPDX-License-Identifier: MIT
/*
 * Facts about functions that depend on their callees, for all functions in time linear in the
 * module: Tarjan's algorithm finds the strongly connected components of the call graph, callees
 * before callers ("Depth-first search and linear graph algorithms", 1972). It uses a list instead
 * of recursion, because a module may have any number of functions.
 */
#include "libsov/compiler/passes/call_graph.h"
#include "libsov/compiler/passes/lower.h"

struct walk {
	struct ir_module *m;
	struct ir_call_facts *facts;
	uint32_t *first, *callees;  /* callees of function k: from first[k] to first[k + 1] */
	bool *indirect;             /* reaches an indirect call */
	uint32_t *order, *low;      /* from 1; 0: not visited */
	uint32_t *next;             /* by function: its next callee to visit */
	uint32_t *path, path_count; /* functions whose callees are being visited */
	uint32_t *open, open_count; /* functions whose component is not complete */
	bool *is_open;
	uint32_t visited;
};

/* Lists the calls of all functions and notes what each contains itself. */
static void list_callees(struct walk *w)
{
	uint32_t n = w->m->nfuncs, count = 0, capacity = 0, kind;

	for (uint32_t k = 0; k < n; k++) {
		const struct ir_func *f = w->m->table[k];

		w->first[k] = count;
		w->facts[k].dynamic_frame = ir_has_dynamic_frame(f);
		ir_for_each_block(f, b) {
			ir_for_each_inst(f, b, i) {
				const struct ir_inst *in = ir_at(f, i);

				w->indirect[k] |= in->op == IR_CALLPTR;
				w->facts[k].sync |=
					f->kind == IR_FUNCTION &&
					(is_sync_site(f, i, &kind) || is_aligned_sync(in));
				if (in->op != IR_CALL)
					continue;
				w->callees = arena_grow(w->m->arena, w->callees, &capacity,
							count + 1, sizeof(*w->callees));
				w->callees[count++] = in->symbol;
			}
		}
	}
	w->first[n] = count;
}

static void visit(struct walk *w, uint32_t k)
{
	w->order[k] = w->low[k] = ++w->visited;
	w->next[k] = w->first[k];
	w->path[w->path_count++] = k;
	w->open[w->open_count++] = k;
	w->is_open[k] = true;
}

/* Combines the facts of a component's functions and of their callees, which are known. */
static void close_component(struct walk *w, uint32_t root)
{
	uint32_t begin = w->open_count, depth = 0, size;
	bool cyclic, indirect = false, sync = false;

	do
		w->is_open[w->open[--begin]] = false;
	while (w->open[begin] != root);
	size = w->open_count - begin;
	cyclic = size > 1;
	for (uint32_t k = begin; k < w->open_count; k++) {
		uint32_t f = w->open[k];

		indirect |= w->indirect[f];
		sync |= w->facts[f].sync;
		for (uint32_t e = w->first[f]; e < w->first[f + 1]; e++) {
			uint32_t callee = w->callees[e];

			cyclic |= callee == f;
			indirect |= w->indirect[callee];
			sync |= w->facts[callee].sync;
			if (w->facts[callee].depth > depth)
				depth = w->facts[callee].depth;
		}
	}
	while (w->open_count > begin) {
		uint32_t f = w->open[--w->open_count];

		w->indirect[f] = indirect;
		w->facts[f].recursive = cyclic || indirect;
		w->facts[f].sync = sync && w->m->table[f]->kind == IR_FUNCTION;
		w->facts[f].depth = depth + size;
	}
}

static void walk_from(struct walk *w, uint32_t start)
{
	visit(w, start);
	while (w->path_count) {
		uint32_t k = w->path[w->path_count - 1];

		if (w->next[k] < w->first[k + 1]) {
			uint32_t callee = w->callees[w->next[k]++];

			if (!w->order[callee])
				visit(w, callee);
			else if (w->is_open[callee] && w->order[callee] < w->low[k])
				w->low[k] = w->order[callee];
			continue;
		}
		w->path_count--;
		if (w->path_count && w->low[k] < w->low[w->path[w->path_count - 1]])
			w->low[w->path[w->path_count - 1]] = w->low[k];
		if (w->low[k] == w->order[k])
			close_component(w, k);
	}
}

const struct ir_call_facts *call_facts(struct ir_module *m)
{
	struct arena *a = m->arena;
	uint32_t n = m->nfuncs;
	struct walk w = {.m = m};

	if (m->call_facts && m->ncall_facts == n)
		return m->call_facts;
	w.facts = arena_array(a, n, sizeof(*w.facts));
	w.first = arena_array(a, n + 1, sizeof(*w.first));
	w.indirect = arena_array(a, n, sizeof(*w.indirect));
	w.order = arena_array(a, n, sizeof(*w.order));
	w.low = arena_array(a, n, sizeof(*w.low));
	w.next = arena_array(a, n, sizeof(*w.next));
	w.path = arena_array(a, n, sizeof(*w.path));
	w.open = arena_array(a, n, sizeof(*w.open));
	w.is_open = arena_array(a, n, sizeof(*w.is_open));
	list_callees(&w);
	for (uint32_t k = 0; k < n; k++)
		if (!w.order[k])
			walk_from(&w, k);
	m->call_facts = w.facts;
	m->ncall_facts = n;
	return w.facts;
}
