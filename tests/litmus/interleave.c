// SPDX-License-Identifier: MIT
/*
 * Sequential consistency: executes every interleaving of a program's operations on one memory. An
 * observed outcome outside this set is a witness of weak memory.
 */
#include <string.h>
#include "tests/litmus/litmus.h"

struct machine {
	uint32_t next[LITMUS_THREADS];
	int memory[LITMUS_VARS], reg[LITMUS_OBSERVABLES];
};

static int clamp(int value)
{
	return value >= LITMUS_VALUES ? LITMUS_VALUES - 1 : value;
}

/* Fences have no effect here; passing them at once keeps the number of interleavings small. */
static void skip_fences(const struct litmus_program *p, struct machine *m, uint32_t t)
{
	while (m->next[t] < p->op_count[t] && p->ops[t][m->next[t]].kind == LITMUS_FENCE)
		m->next[t]++;
}

static void execute(const struct litmus_program *p, struct machine *m, uint32_t t)
{
	const struct litmus_op *o = &p->ops[t][m->next[t]++];
	uint32_t to = p->first_register[t] + o->reg;

	for (uint32_t k = 0; k < o->width; k++) {
		int *at = &m->memory[o->var[k] & (LITMUS_VARS - 1)], old = *at, value = o->value;

		if (o->var[k] == LITMUS_PADDING || o->kind >= LITMUS_FENCE)
			continue;
		if (o->value_is_register)
			value = m->reg[p->first_register[t] + (uint32_t)o->value];
		if (o->kind == LITMUS_LOAD || o->kind == LITMUS_ATOM)
			m->reg[to++] = old;
		if (o->kind == LITMUS_STORE || o->rmw == LITMUS_EXCH)
			*at = o->kind == LITMUS_LOAD ? old : value;
		else if (o->rmw == LITMUS_ADD)
			*at = old + value;
		else
			*at = old == o->compare ? value : old;
	}
}

/* A thread passes a barrier when every thread that has one has arrived; they are in one block. */
static bool is_blocked(const struct litmus_program *p, const struct machine *m, uint32_t t)
{
	uint32_t mine = 0;

	if (p->ops[t][m->next[t]].kind != LITMUS_BARRIER)
		return false;
	for (uint32_t k = 0; k < m->next[t]; k++)
		mine += p->ops[t][k].kind == LITMUS_BARRIER;
	for (uint32_t u = 0; u < p->threads; u++) {
		uint32_t passed = 0, all = 0;

		for (uint32_t k = 0; k < p->op_count[u]; k++) {
			all += p->ops[u][k].kind == LITMUS_BARRIER;
			passed += p->ops[u][k].kind == LITMUS_BARRIER && k < m->next[u];
		}
		if (all && passed <= mine &&
		    (m->next[u] == p->op_count[u] || p->ops[u][m->next[u]].kind != LITMUS_BARRIER))
			return true;
	}
	return false;
}

static void interleave(const struct litmus_program *p, const struct machine *m, uint8_t *consistent)
{
	bool done = true;

	for (uint32_t t = 0; t < p->threads; t++) {
		struct machine next = *m;

		if (m->next[t] == p->op_count[t])
			continue;
		done = false;
		if (is_blocked(p, m, t))
			continue;
		execute(p, &next, t);
		skip_fences(p, &next, t);
		interleave(p, &next, consistent);
	}
	if (done) {
		uint32_t outcome = 0;

		for (uint32_t k = 0; k < p->registers; k++)
			outcome |= (uint32_t)clamp(m->reg[k]) << LITMUS_BITS * k;
		for (uint32_t k = 0; k < p->finals; k++)
			outcome |= (uint32_t)clamp(m->memory[p->final_var[k]])
				   << LITMUS_BITS * (p->registers + k);
		consistent[outcome] = 1;
	}
}

void litmus_interleavings(const struct litmus_program *p, uint8_t *consistent)
{
	struct machine m = {0};

	memset(consistent, 0, LITMUS_OUTCOMES(p));
	for (uint32_t t = 0; t < p->threads; t++)
		skip_fences(p, &m, t);
	interleave(p, &m, consistent);
}
