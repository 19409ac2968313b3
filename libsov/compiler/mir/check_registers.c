// SPDX-License-Identifier: MIT
/*
 * The analysis of check_registers.h. A state lists the (register, unit) pairs that are held and
 * the units that some definition reaches; all other units are undefined. The analysis reaches its
 * fixed point silently; then one pass over the blocks reports the first fault.
 */
#include <string.h>
#include "libsov/compiler/mir/check_registers.h"

const char *const regcheck_texts[] = {
	[REGCHECK_SOUND] = "correct",
	[REGCHECK_MISALIGNED] = "the register is not aligned",
	[REGCHECK_NO_REGISTER] = "there is no such register",
	[REGCHECK_NOT_HELD] = "the register holds another value",
};

struct held_unit {
	uint32_t reg, unit;
};

/* The state at a block's entry. */
struct entry_state {
	bool reached, stale;
	struct held_unit *held;
	uint32_t nheld, held_capacity;
	uint64_t *defined; /* units that a definition reaches on some path */
};

struct list_node {
	uint32_t unit, next; /* next: 1 + index of a node, 0: none */
};

/* The state inside the block that is being checked: the units of each register as a list. */
struct checker {
	const struct regcheck *c;
	struct entry_state *entries; /* by block */
	uint32_t *first;             /* by register: 1 + index of a node, 0: none */
	struct list_node *nodes;
	uint32_t nnodes, nodes_capacity;
	uint32_t *last_reg; /* by unit: register of its last definition */
	uint64_t *defined, *edge_clobbers;
	struct text *why; /* NULL: the fixed point is not reached yet */
	bool failed;
};

static bool is_held(const struct checker *s, uint32_t reg, uint32_t unit)
{
	for (uint32_t n = s->first[reg]; n; n = s->nodes[n - 1].next)
		if (s->nodes[n - 1].unit == unit)
			return true;
	return false;
}

static void hold_unit(struct checker *s, uint32_t reg, uint32_t unit)
{
	s->nodes = arena_grow(s->c->arena, s->nodes, &s->nodes_capacity, s->nnodes + 1,
			      sizeof(*s->nodes));
	s->nodes[s->nnodes] = (struct list_node){unit, s->first[reg]};
	s->first[reg] = ++s->nnodes;
	s->last_reg[unit] = reg;
}

static void lose_unit(struct checker *s, uint32_t reg, uint32_t unit)
{
	uint32_t *n = &s->first[reg];

	while (*n && s->nodes[*n - 1].unit != unit)
		n = &s->nodes[*n - 1].next;
	if (*n)
		*n = s->nodes[*n - 1].next;
}

static void define_unit(struct checker *s, uint32_t reg, uint32_t unit, bool alias)
{
	if (!s->c->ssa)
		lose_unit(s, s->last_reg[unit], unit);
	else if (alias)
		lose_unit(s, reg, unit); /* not twice in the list */
	if (!alias)
		s->first[reg] = 0;
	hold_unit(s, reg, unit);
	bitset_add(s->defined, unit);
}

static void report_fault(struct checker *s, uint32_t b, const void *i,
			 const struct regcheck_access *a, enum regcheck_fault fault)
{
	if (s->why && !s->failed)
		s->c->report(s->c->func, b, i, a, fault, s->why);
	s->failed = true;
}

static void check_access(struct checker *s, uint32_t b, const void *i,
			 const struct regcheck_access *a)
{
	if (a->fault)
		report_fault(s, b, i, a, a->fault);
	if (a->fault == REGCHECK_NO_REGISTER)
		return;
	for (uint32_t k = 0; k < a->count; k++) {
		if (a->kind == REGCHECK_CLOBBER)
			s->first[a->reg + k] = 0;
		else if (a->kind != REGCHECK_READ)
			define_unit(s, a->reg + k, a->unit + k, a->kind == REGCHECK_ALIAS);
		else if (bitset_has(s->defined, a->unit + k) &&
			 !is_held(s, a->reg + k, a->unit + k))
			report_fault(s, b, i, a, REGCHECK_NOT_HELD);
	}
}

static void check_inst(struct checker *s, uint32_t b, const void *i)
{
	struct regcheck_access accesses[REGCHECK_MAX_ACCESSES];
	uint32_t n = s->c->list_accesses(s->c->func, b, i, accesses);

	for (uint32_t k = 0; k < n; k++)
		if (accesses[k].kind == REGCHECK_READ)
			check_access(s, b, i, &accesses[k]);
	for (uint32_t k = 0; k < n; k++)
		if (accesses[k].kind == REGCHECK_CLOBBER)
			check_access(s, b, i, &accesses[k]);
	for (uint32_t k = 0; k < n; k++)
		if (accesses[k].kind == REGCHECK_WRITE || accesses[k].kind == REGCHECK_ALIAS)
			check_access(s, b, i, &accesses[k]);
}

static void check_block(struct checker *s, uint32_t b)
{
	const struct entry_state *in = &s->entries[b];
	const void *i = NULL;

	s->nnodes = 0;
	memset(s->first, 0, s->c->nregs * sizeof(*s->first));
	memcpy(s->defined, in->defined, bitset_words(s->c->nunits) * sizeof(*s->defined));
	for (uint32_t k = 0; k < in->nheld; k++)
		hold_unit(s, in->held[k].reg, in->held[k].unit);
	while ((i = s->c->next_inst(s->c->func, b, i)))
		check_inst(s, b, i);
	check_inst(s, b, NULL);
}

static void append_held(struct checker *s, struct entry_state *in, uint32_t reg, uint32_t unit)
{
	in->held = arena_grow(s->c->arena, in->held, &in->held_capacity, in->nheld + 1,
			      sizeof(*in->held));
	in->held[in->nheld++] = (struct held_unit){reg, unit};
}

/*
 * Joins the current state into a block's entry state; true if that changed. A unit that is
 * undefined on one side keeps its status of the other side.
 */
static bool join_state(struct checker *s, struct entry_state *in)
{
	uint32_t kept = 0;
	bool changed = !in->reached;

	for (uint32_t k = 0; k < in->nheld; k++) {
		struct held_unit h = in->held[k];

		if (is_held(s, h.reg, h.unit) || !bitset_has(s->defined, h.unit))
			in->held[kept++] = h;
	}
	changed |= kept != in->nheld;
	in->nheld = kept;
	for (uint32_t r = 0; r < s->c->nregs; r++)
		for (uint32_t n = s->first[r]; n; n = s->nodes[n - 1].next)
			if (!in->reached || !bitset_has(in->defined, s->nodes[n - 1].unit))
				append_held(s, in, r, s->nodes[n - 1].unit);
	changed |= bitset_unite(in->defined, s->defined, bitset_words(s->c->nunits));
	in->reached = true;
	return changed;
}

static void leave_block(struct checker *s, uint32_t b)
{
	const struct regcheck *c = s->c;
	const uint32_t *succ;
	uint32_t n;

	if (c->add_edge_clobbers) {
		memset(s->edge_clobbers, 0, bitset_words(c->nregs) * sizeof(*s->edge_clobbers));
		c->add_edge_clobbers(c->func, b, s->edge_clobbers);
		bitset_for_each(s->edge_clobbers, c->nregs, r) s->first[r] = 0;
	}
	succ = c->successors(c->func, b, &n);
	for (uint32_t k = 0; k < n; k++)
		s->entries[succ[k]].stale |= join_state(s, &s->entries[succ[k]]);
}

static void init_entry(struct checker *s)
{
	struct regcheck_access inputs[REGCHECK_MAX_ACCESSES];
	struct entry_state *in = &s->entries[s->c->entry];
	uint32_t n = s->c->list_inputs ? s->c->list_inputs(s->c->func, inputs) : 0;

	in->reached = in->stale = true;
	if (s->c->ssa) /* every unit is defined, and lost until its definition */
		memset(in->defined, 0xff, bitset_words(s->c->nunits) * sizeof(*in->defined));
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t w = 0; w < inputs[k].count; w++) {
			bitset_add(in->defined, inputs[k].unit + w);
			append_held(s, in, inputs[k].reg + w, inputs[k].unit + w);
		}
}

bool regcheck_run(const struct regcheck *c, struct text *why)
{
	struct checker s = {.c = c};
	struct arena_mark scratch = arena_mark(c->arena);
	bool changed = true;

	s.entries = arena_array(c->arena, c->nblocks, sizeof(*s.entries));
	s.first = arena_array(c->arena, c->nregs, sizeof(*s.first));
	s.last_reg = arena_array(c->arena, c->nunits + 1, sizeof(*s.last_reg));
	s.defined = bitset_new(c->arena, c->nunits);
	s.edge_clobbers = bitset_new(c->arena, c->nregs);
	for (uint32_t k = 0; k < c->count; k++)
		s.entries[c->order[k]].defined = bitset_new(c->arena, c->nunits);
	init_entry(&s);
	while (changed) {
		changed = false;
		for (uint32_t k = 0; k < c->count; k++) {
			if (!s.entries[c->order[k]].stale)
				continue;
			s.entries[c->order[k]].stale = false;
			changed = true;
			check_block(&s, c->order[k]);
			leave_block(&s, c->order[k]);
		}
	}
	s.failed = false;
	s.why = why;
	for (uint32_t k = 0; k < c->count && !s.failed; k++)
		if (s.entries[c->order[k]].reached)
			check_block(&s, c->order[k]);
	if (!s.failed) /* otherwise the message is in the arena, too */
		arena_rewind(c->arena, scratch);
	return !s.failed;
}
