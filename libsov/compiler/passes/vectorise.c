// SPDX-License-Identifier: MIT
/*
 * Vectorisation: merges loads or stores of adjacent words to one access of two or four words if the
 * first word is known to be aligned to the whole, or the target allows unaligned vectors.
 *
 * Alignment comes from a known-bits analysis of trailing zeros: a variable's address has its
 * alignment, other values follow from their operands. The analysis is optimistic: all values start
 * with the maximum, and contradictions lower them to a fixed point, so an induction variable keeps
 * the alignment that all of its steps have in common. An access that is itself a vector proves the
 * alignment of its base for the accesses that execute if it does: a structure of eight words of
 * which PTX stores the first four one by one and the others as a vector.
 *
 * Within a block, accesses with the same base form groups. A group of loads moves up to its first
 * member, so a store that may alias ends it; a group of stores moves down to its last member, so
 * any access that may alias ends it. Accesses with different bases may alias within a space; with
 * the same base, offsets decide; constants do not change. Barriers, fences, atomics, calls and
 * ordered or volatile accesses end all groups.
 */
#include <stdlib.h>
#include "libsov/compiler/passes/pass.h"
#include "libsov/compiler/analysis/uses.h"

#define MAX_BYTES          16 /* of a vector */
#define MAX_CONSTANT_BYTES 8  /* the same in constant memory */
#define MAX_MEMBERS        64 /* members of a group, and */
#define MAX_OPEN_GROUPS    16 /* open groups: bound the linear searches */
#define ALL_ZERO           64

struct member {
	ir_id inst;
	uint64_t offset;
	uint32_t position; /* position in the block */
};

struct group {
	ir_val base;
	uint8_t op, type, space;
	uint16_t flags;
	uint8_t evict, fetch;
	struct member members[MAX_MEMBERS];
	uint32_t n;
	struct group *next; /* in the list of open or of unused groups */
};

struct vectorise {
	struct ir_func *f;
	const struct target *target;
	struct arena *arena;
	uint8_t *zeros;  /* by value: known trailing zero bits */
	uint8_t *proven; /* the same by accesses of the block */
	ir_val *bases;   /* values with proven bits */
	uint32_t nbases;
	ir_val *forward;  /* by value: the vector element that replaced it */
	uint32_t nvalues; /* size of the two arrays */
	struct group *open, *unused;
	uint32_t nopen;
	bool changed;
};

/* ---- trailing zeros ---- */

static uint32_t trailing_zeros(uint64_t value)
{
	return value ? (uint32_t)__builtin_ctzll(value) : ALL_ZERO;
}

static uint32_t min_u32(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static uint32_t known_zeros(const struct vectorise *s, const struct ir_inst *in)
{
	const uint8_t *z = s->zeros;
	const struct ir_symbol *symbol;
	uint32_t n = ALL_ZERO;
	uint64_t c;

	switch (in->op) {
	case IR_CONST:
		return trailing_zeros(in->imm);
	case IR_ADDR:
		symbol = &s->f->module->symbols[in->symbol];
		return min_u32(trailing_zeros(symbol->align), trailing_zeros(in->imm));
	case IR_ADD:
	case IR_SUB:
	case IR_OR:
	case IR_XOR:
		return min_u32(z[in->args[0]], z[in->args[1]]);
	case IR_AND:
		return z[in->args[0]] > z[in->args[1]] ? z[in->args[0]] : z[in->args[1]];
	case IR_MUL:
	case IR_MULWIDE_U:
	case IR_MULWIDE_S:
		return min_u32(ALL_ZERO, z[in->args[0]] + z[in->args[1]]);
	case IR_MAD:
		return min_u32(z[in->args[2]], z[in->args[0]] + z[in->args[1]]);
	case IR_SHL:
		return ir_is_const(s->f, in->args[1], &c)
			       ? min_u32(ALL_ZERO, z[in->args[0]] + (uint32_t)(c & 63))
			       : 0;
	case IR_ZEXT:
	case IR_SEXT:
	case IR_TRUNC:
	case IR_COPY:
	case IR_GENERIC:
	case IR_TOSPACE:
	case IR_NEG:
		return z[in->args[0]];
	case IR_SELECT:
		return min_u32(z[in->args[1]], z[in->args[2]]);
	case IR_PHI:
		for (uint32_t k = 0; k < in->nargs; k++)
			n = min_u32(n, z[in->args[k]]);
		return n;
	default:
		return 0;
	}
}

static void compute_known_zeros(struct vectorise *s)
{
	const struct ir_cfg *cfg = ir_cfg_build(s->f);
	bool again = true;

	s->zeros = arena_array(s->arena, s->nvalues, sizeof(*s->zeros));
	for (uint32_t v = 0; v < s->nvalues; v++)
		s->zeros[v] = ALL_ZERO;
	while (again) {
		again = false;
		for (uint32_t k = 0; k < cfg->nrpo; k++) {
			ir_for_each_inst(s->f, cfg->rpo[k], i) {
				const struct ir_inst *in = ir_at(s->f, i);
				uint32_t n = in->nres ? known_zeros(s, in) : 0;

				for (uint32_t r = 0; r < in->nres; r++) {
					again |= n < s->zeros[in->res + r];
					s->zeros[in->res + r] = (uint8_t)n;
				}
			}
		}
	}
}

/* ---- alignment by accesses ---- */

static uint32_t zeros_of(const struct vectorise *s, ir_val base)
{
	return s->zeros[base] > s->proven[base] ? s->zeros[base] : s->proven[base];
}

/* Whether instructions after this one need not execute, or no access may move across it. */
static bool ends_segment(const struct ir_inst *in)
{
	bool is_access = in->op == IR_LOAD || in->op == IR_STORE;

	return ir_ops[in->op].properties & (P_READ | P_WRITE) &&
	       (!is_access || in->order != IR_WEAK || in->flags & IR_VOLATILE);
}

static void prove_alignment(struct vectorise *s, const struct ir_inst *in)
{
	bool is_access = in->op == IR_LOAD || in->op == IR_STORE;
	ir_val base = is_access && ir_address_arg(in) >= 0 ? in->args[ir_address_arg(in)] : 0;
	uint32_t zeros = min_u32(trailing_zeros(in->align), trailing_zeros(in->imm));

	if (!base || base >= s->nvalues || zeros <= s->proven[base])
		return;
	if (!s->proven[base])
		s->bases[s->nbases++] = base;
	s->proven[base] = (uint8_t)zeros;
}

/* The alignment that the accesses from an instruction to the end of its segment prove. */
static void prove_segment(struct vectorise *s, ir_id first)
{
	for (ir_id i = first; i && !ends_segment(ir_at(s->f, i)); i = ir_at(s->f, i)->next)
		prove_alignment(s, ir_at(s->f, i));
}

static void forget_proofs(struct vectorise *s)
{
	while (s->nbases)
		s->proven[s->bases[--s->nbases]] = 0;
}

/* ---- vectors from a group ---- */

static uint32_t member_size(const struct group *g)
{
	return ir_type_bits(g->type) / 8;
}

static int compare_offsets(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	if (x->offset != y->offset)
		return (int64_t)x->offset < (int64_t)y->offset ? -1 : 1;
	return (x->position > y->position) - (x->position < y->position);
}

/* Whether the target requires vectors to be aligned to their size. */
static bool requires_alignment(const struct vectorise *s, uint8_t space)
{
	return !s->target->element_aligned_vectors || space != IR_GLOBAL;
}

static uint32_t max_bytes(uint8_t space)
{
	return space == IR_CONSTANT ? MAX_CONSTANT_BYTES : MAX_BYTES;
}

/* How many accesses from this one on are adjacent and can be merged: 4, 2 or 1. */
static uint32_t count_adjacent(const struct vectorise *s, const struct group *g, uint32_t k)
{
	uint32_t size = member_size(g),
		 zeros = min_u32(zeros_of(s, g->base), trailing_zeros(g->members[k].offset));

	for (uint32_t n = max_bytes(g->space) / size; n > 1; n /= 2) {
		uint32_t same = 1;

		if ((requires_alignment(s, g->space) &&
		     zeros < trailing_zeros((uint64_t)n * size)) ||
		    n > g->n - k)
			continue;
		while (same < n &&
		       g->members[k + same].offset == g->members[k].offset + (uint64_t)same * size)
			same++;
		if (same == n)
			return n;
	}
	return 1;
}

static void merge_members(struct vectorise *s, const struct group *g, uint32_t first, uint32_t n)
{
	struct ir_func *f = s->f;
	ir_val args[1 + IR_MAX_ELEMENTS] = {g->base};
	const struct member *where = &g->members[first];
	bool store = g->op == IR_STORE;
	struct ir_inst *in, old;
	ir_id i;

	for (uint32_t k = 0; k < n; k++) {
		const struct member *m = &g->members[first + k];

		if (store)
			args[1 + k] = ir_at(f, m->inst)->args[1];
		if (store ? m->position > where->position : m->position < where->position)
			where = m;
	}
	i = ir_inst_new(f, g->op, g->type, args, store ? 1 + n : 1, store ? 0 : n);
	in = ir_at(f, i);
	old = *ir_at(f, where->inst);
	in->imm = g->members[first].offset;
	in->space = g->space;
	in->flags = g->flags;
	in->evict = g->evict;
	in->fetch = g->fetch;
	in->align = requires_alignment(s, g->space) ? n * member_size(g) : member_size(g);
	in->line = old.line;
	ir_insert_before(f, where->inst, i);
	for (uint32_t k = 0; k < n; k++) {
		ir_id member = g->members[first + k].inst;

		if (!store)
			s->forward[ir_at(f, member)->res] = ir_at(f, i)->res + k;
		ir_remove(f, member);
	}
	s->changed = true;
}

static void finish_group(struct vectorise *s, struct group *g)
{
	qsort(g->members, g->n, sizeof(*g->members), compare_offsets);
	for (uint32_t k = 0, n; k < g->n; k += n) {
		n = count_adjacent(s, g, k);
		if (n > 1)
			merge_members(s, g, k, n);
	}
	g->n = 0;
	g->next = s->unused;
	s->unused = g;
	s->nopen--;
}

static void finish_oldest_group(struct vectorise *s)
{
	struct group **link = &s->open, *g;

	while ((*link)->next)
		link = &(*link)->next;
	g = *link;
	*link = NULL;
	finish_group(s, g);
}

/* ---- group membership ---- */

/* Whether an access may alias the group. Loads move up to the first of their group, so a store
 * blocks future members too, wherever they are. Stores move down to the last. */
static bool may_alias(const struct group *g, const struct ir_inst *in)
{
	uint32_t bytes =
		ir_type_bits(in->from) / 8 * (in->op == IR_LOAD ? in->nres : ir_data_args(in) - 1);

	if (in->space != g->space && in->space != IR_GENERIC_SPACE && g->space != IR_GENERIC_SPACE)
		return false;
	if (in->space != g->space || ir_address_arg(in) || in->args[0] != g->base ||
	    g->op == IR_LOAD)
		return true;
	for (uint32_t k = 0; k < g->n; k++)
		if (g->members[k].offset - in->imm < bytes ||
		    in->imm - g->members[k].offset < member_size(g))
			return true;
	return false;
}

/* in NULL: no access may move across this instruction. */
static void end_groups(struct vectorise *s, const struct ir_inst *in)
{
	struct group **link = &s->open;

	while (*link) {
		struct group *g = *link;

		if (!in || ((in->op == IR_STORE || g->op == IR_STORE) && may_alias(g, in))) {
			*link = g->next;
			finish_group(s, g);
		} else {
			link = &g->next;
		}
	}
}

/* Constants at a constant address are operands, which cost no load. */
static bool is_candidate_space(const struct vectorise *s, const struct ir_inst *in)
{
	const struct ir_inst *base = ir_def(s->f, in->args[0]);

	if (in->space == IR_CONSTANT)
		return s->target->narrow_constants && in->type == IR_B32 && base->op != IR_CONST &&
		       base->op != IR_ADDR;
	return in->space == IR_GLOBAL || in->space == IR_SHARED || in->space == IR_LOCAL;
}

static bool is_candidate(const struct vectorise *s, const struct ir_inst *in)
{
	return (in->type == IR_B32 || in->type == IR_B64) && in->from == in->type && in->nargs &&
	       !(in->flags & IR_POLICY) && (in->op == IR_LOAD ? in->nres == 1 : in->nargs == 2) &&
	       in->args[0] < s->nvalues && is_candidate_space(s, in) &&
	       (!requires_alignment(s, in->space) ||
		zeros_of(s, in->args[0]) >= trailing_zeros(2 * ir_type_bits(in->type) / 8));
}

static void add_member(struct vectorise *s, ir_id i, uint32_t position)
{
	const struct ir_inst *in = ir_at(s->f, i);
	struct group *g = s->open;

	while (g && !(g->base == in->args[0] && g->op == in->op && g->type == in->type &&
		      g->space == in->space && g->flags == in->flags && g->evict == in->evict &&
		      g->fetch == in->fetch && g->n < MAX_MEMBERS))
		g = g->next;
	if (!g) {
		if (s->nopen == MAX_OPEN_GROUPS)
			finish_oldest_group(s);
		in = ir_at(s->f, i);
		s->nopen++;
		g = s->unused;
		if (g)
			s->unused = g->next;
		else
			g = arena_alloc(s->arena, sizeof(*g));
		g->base = in->args[0];
		g->op = in->op;
		g->type = in->type;
		g->space = in->space;
		g->flags = in->flags;
		g->evict = in->evict;
		g->fetch = in->fetch;
		g->next = s->open;
		s->open = g;
	}
	g->members[g->n++] = (struct member){.inst = i, .offset = in->imm, .position = position};
}

static void vectorise_block(struct vectorise *s, ir_block b)
{
	uint32_t position = 0;

	prove_segment(s, s->f->blocks[b].first);
	ir_for_each_inst_safe(s->f, b, i) {
		/* a copy: new instructions may move the table */
		const struct ir_inst in = *ir_at(s->f, i);

		position++;
		if (!(ir_ops[in.op].properties & (P_READ | P_WRITE)))
			continue;
		if (ends_segment(&in)) {
			end_groups(s, NULL);
			prove_segment(s, in.next);
			continue;
		}
		if (in.space == IR_PARAM)
			continue;
		if (in.space != IR_CONSTANT)
			end_groups(s, &in);
		if (is_candidate(s, &in))
			add_member(s, i, position);
	}
	end_groups(s, NULL);
	forget_proofs(s);
}

bool pass_vectorise(struct ir_func *f, const struct target *t)
{
	struct vectorise s = {
		.f = f, .target = t, .arena = f->module->arena, .nvalues = f->nvalues};

	compute_known_zeros(&s);
	s.forward = arena_array(s.arena, s.nvalues, sizeof(*s.forward));
	s.proven = arena_array(s.arena, s.nvalues, sizeof(*s.proven));
	s.bases = arena_array(s.arena, s.nvalues, sizeof(*s.bases));
	ir_for_each_block(f, b)
		vectorise_block(&s, b);
	if (!s.changed)
		return false;
	uses_forward(f, s.forward, s.nvalues);
	return true;
}
