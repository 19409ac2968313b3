// SPDX-License-Identifier: MIT
/*
 * Orders of blocks by expressions: every value is computed just before its use, deep operands
 * first, as for a machine with few registers (Sethi and Ullman, "The generation of optimal code for
 * arithmetic expressions", 1970). The scheduler returns to the order of the program where registers
 * are short. That is usually such an order, but not if the program computes many values before it
 * combines them; then this one takes its place.
 */
#include "libsov/compiler/nv/schedule.h"
#include "libsov/compiler/nv/spill.h"

/* Registers that fit into every occupancy. */
#define FEW_REGISTERS 30
/* The nodes before a call or a terminator that wait for all others keep their order. */
#define MAX_OPERANDS  32

struct operands { /* the nodes that must precede a node */
	uint32_t *nodes, count;
};

struct expression_order {
	struct scheduler *s;
	struct operands *operands;
	uint32_t *needs; /* registers to compute a node and all that it needs */
	uint32_t *stack, *next, depth;
	bool *visited;
	uint32_t *order, count;
};

static void find_operands(struct expression_order *e)
{
	struct scheduler *s = e->s;

	for (uint32_t n = 1; n <= s->count; n++)
		e->operands[n].nodes =
			arena_array(s->f->arena, s->nodes[n].npreds + 1, sizeof(uint32_t));
	for (uint32_t n = 1; n <= s->count; n++)
		for (const struct edge *g = s->nodes[n].out; g; g = g->next)
			e->operands[g->to].nodes[e->operands[g->to].count++] = n;
}

/* Sorts the operands of n by decreasing need, and computes the need of n: while the k-th operand is
 * computed, the results of k others wait. */
static void find_need(struct expression_order *e, uint32_t n)
{
	struct operands *o = &e->operands[n];
	uint32_t result = 0;

	for (uint32_t k = 1; o->count <= MAX_OPERANDS && k < o->count; k++) {
		uint32_t node = o->nodes[k], at = k;

		for (; at && e->needs[o->nodes[at - 1]] < e->needs[node]; at--)
			o->nodes[at] = o->nodes[at - 1];
		o->nodes[at] = node;
	}
	for (uint32_t u = 0; u < e->s->nodes[n].nuses; u++)
		if (e->s->nodes[n].uses[u].write && e->s->nodes[n].uses[u].kind == SASS_GPR)
			result += e->s->nodes[n].uses[u].count;
	e->needs[n] = result;
	for (uint32_t k = 0; o->count <= MAX_OPERANDS && k < o->count; k++)
		if (e->needs[o->nodes[k]] + k > e->needs[n])
			e->needs[n] = e->needs[o->nodes[k]] + k;
}

/* Adds n after everything that it needs. */
static void visit(struct expression_order *e, uint32_t n)
{
	if (e->visited[n])
		return;
	e->visited[n] = true;
	e->stack[0] = n;
	e->next[0] = 0;
	e->depth = 1;
	while (e->depth) {
		uint32_t top = e->stack[e->depth - 1], k = e->next[e->depth - 1]++;

		if (k == e->operands[top].count) {
			e->order[e->count++] = top;
			e->depth--;
		} else if (!e->visited[e->operands[top].nodes[k]]) {
			e->visited[e->operands[top].nodes[k]] = true;
			e->stack[e->depth] = e->operands[top].nodes[k];
			e->next[e->depth++] = 0;
		}
	}
}

static bool is_result(const struct scheduler *s, uint32_t n)
{
	for (const struct edge *g = s->nodes[n].out; g; g = g->next)
		if (!s->nodes[g->to].inst->terminator)
			return false;
	return true;
}

static struct expression_order order_by_expressions(struct scheduler *s)
{
	struct arena *a = s->f->arena;
	struct expression_order e = {.s = s};

	e.operands = arena_array(a, s->count + 1, sizeof(*e.operands));
	e.needs = arena_array(a, s->count + 1, sizeof(*e.needs));
	e.stack = arena_array(a, s->count + 1, sizeof(*e.stack));
	e.next = arena_array(a, s->count + 1, sizeof(*e.next));
	e.visited = arena_array(a, s->count + 1, sizeof(*e.visited));
	e.order = arena_array(a, s->count + 1, sizeof(*e.order));
	find_operands(&e);
	for (uint32_t n = 1; n <= s->count; n++)
		find_need(&e, n);
	for (uint32_t n = 1; n <= s->count; n++)
		if (is_result(s, n) && !s->nodes[n].inst->terminator)
			visit(&e, n);
	for (uint32_t n = 1; n <= s->count; n++)
		visit(&e, n);
	return e;
}

/* Registers that hold what was loaded rather than computed serve a purpose: the loads are in flight
 * together. */
static bool holds_loads(const struct scheduler *s, uint32_t pressure)
{
	uint32_t units = 0;

	for (uint32_t n = 1; n <= s->count; n++)
		units += s->nodes[n].result;
	return 4 * units > pressure;
}

static void order_block(struct scheduler *s, uint32_t pressure)
{
	struct expression_order e = order_by_expressions(s);
	struct mir_inst **order;

	if (nv_order_pressure(s, e.order) >= pressure)
		return;
	order = arena_array(s->f->arena, s->count + 1, sizeof(*order));
	for (uint32_t k = 0; k < s->count; k++)
		order[k] = s->nodes[e.order[k]].inst;
	nv_set_order(s->f, s->block, order, s->count);
}

void nv_order_for_pressure(struct scheduler *s)
{
	struct mir_func *f = s->f;

	if (nv_max_pressure(f) <= FEW_REGISTERS)
		return;
	mir_for_each_block(f, b) {
		struct arena_mark scratch = arena_mark(f->arena);
		uint32_t pressure;

		s->block = b;
		nv_build_dag(s);
		pressure = nv_order_pressure(s, NULL);
		if (pressure > FEW_REGISTERS && !holds_loads(s, pressure))
			order_block(s, pressure);
		arena_rewind(f->arena, scratch);
	}
}
