// SPDX-License-Identifier: MIT
/*
 * Flattening: a loop whose number of turns is known and small becomes its turns, one after the
 * other.
 *
 *	    P                   P
 *	    |                   |
 *	+-> H --> break         H --> break
 *	|   |          =>       |
 *	+---L --> exit          L -> H' --> break
 *	                             |
 *	                             L' --> exit
 *
 * How many turns there are is found by taking them: what the condition of an exit depends on must
 * be constants, phis of the header that start from constants, and pure operations on these. So any
 * kind of counting will do. The exit must be passed in every turn; other exits may end the loop
 * earlier.
 *
 * Copies cost code. They pay at once where the whole is small, and above all where an array in
 * local memory is indexed by something that changes from turn to turn: flat, every index is a
 * constant, and the array can live in registers (promote.c). A loop that its author wants rolled
 * stays so, and so does one with operations between lanes. Inner loops come first; a loop around
 * one that cannot be flattened may turn its bounds into constants, so after folding all is looked
 * at again, until nothing changes or the budget is spent.
 *
 * What a turn defines and somebody uses behind the loop is written to a mutable register in every
 * turn and read there; SSA construction then finds out who sees which.
 */
#include "libsov/compiler/ir/eval.h"
#include "libsov/compiler/analysis/cfg_walk.h"
#include "libsov/compiler/passes/pass.h"

#define MOST_TURNS  64
#define MOST_SLICE  16 /* instructions that a condition depends on */
#define MOST_ROUNDS 4
#define SMALL       192   /* instructions of all turns together */
#define LARGE       4096  /* the same where an array may become registers */
#define BUDGET      16384 /* instructions that a function may gain */
#define COST_LONG   16    /* of an operation that becomes dozens later */
#define MOST_ARRAY  640   /* bytes of an array that is worth it */

struct loop {
	ir_block header, before, latch;
	ir_block *blocks; /* in reverse postorder, the header first */
	uint32_t nblocks, cost;
	ir_block exit_from; /* the exit that is counted */
	uint32_t turns;
};

struct flatten {
	struct ir_func *f;
	const struct ir_cfg *cfg;
	struct arena *arena;
	uint32_t *inside; /* by block: number of the loop that was last looked at and has it */
	uint32_t loop;    /* that number */
	bool *chosen;     /* by block: of a loop that this round flattens */
	uint32_t nblocks; /* both arrays cover so many; newer blocks are copies */
	ir_block *stack;  /* room for LARGE */
	int32_t budget;
};

static bool is_inside(const struct flatten *s, ir_block b)
{
	return b < s->nblocks && s->inside[b] == s->loop;
}

static bool is_long(enum ir_op op)
{
	return op == IR_FDIV || op == IR_FRCP || op == IR_FSQRT ||
	       (op >= IR_DIV_U && op <= IR_REM_S);
}

/* ---- the blocks of a loop ---- */

/* All blocks from which the latch is reached without passing the header. */
static bool find_blocks(struct flatten *s, struct loop *l)
{
	struct ir_func *f = s->f;
	ir_block *stack = s->stack;
	uint32_t n = 1, depth = 0;

	s->loop++;
	s->inside[l->header] = s->loop;
	if (l->latch != l->header) {
		s->inside[l->latch] = s->loop;
		stack[depth++] = l->latch;
		n++;
	}
	while (depth) {
		const struct ir_bb *bb = &f->blocks[stack[--depth]];

		for (uint32_t k = 0; k < bb->npreds; k++) {
			if (is_inside(s, bb->preds[k]))
				continue;
			if (n == LARGE)
				return false;
			s->inside[bb->preds[k]] = s->loop;
			stack[depth++] = bb->preds[k];
			n++;
		}
	}
	l->nblocks = n;
	return true;
}

/* What may be copied, and what a turn costs. */
static bool weigh(struct flatten *s, struct loop *l)
{
	struct ir_func *f = s->f;
	uint32_t found = 0;

	l->blocks = arena_array(s->arena, l->nblocks, sizeof(*l->blocks));
	for (uint32_t k = s->cfg->rpo_index[l->header]; found < l->nblocks; k++) {
		ir_block b = s->cfg->rpo[k];

		if (k - s->cfg->rpo_index[l->header] > LARGE)
			return false; /* much that is not of the loop lies in between */
		if (!is_inside(s, b))
			continue;
		if (s->chosen[b])
			return false;
		l->blocks[found++] = b;
		ir_for_each_inst(f, b, i) {
			const struct ir_inst *in = ir_at(f, i);

			if (ir_ops[in->op].properties & P_CONV || in->op == IR_CLOCK)
				return false;
			l->cost += is_long(in->op) ? COST_LONG : 1;
			if (l->cost > LARGE)
				return false;
		}
	}
	return true;
}

static bool find_loop(struct flatten *s, struct loop *l, ir_block header)
{
	const struct ir_bb *bb = &s->f->blocks[header];
	uint32_t self;

	*l = (struct loop){.header = header};
	if (bb->rolled || bb->npreds != 2)
		return false;
	for (self = 0; self < 2; self++)
		if (ir_dominates(s->cfg, header, bb->preds[self]))
			break;
	if (self == 2 || ir_dominates(s->cfg, header, bb->preds[!self]))
		return false;
	l->latch = bb->preds[self];
	l->before = bb->preds[!self];
	return find_blocks(s, l) && weigh(s, l);
}

/* ---- counting turns ---- */

struct slice {
	const struct flatten *s;
	const struct loop *l;
	ir_val values[MOST_SLICE]; /* phis of the header anywhere, others after their arguments */
	uint64_t now[MOST_SLICE];
	uint32_t n;
};

static uint32_t slice_find(const struct slice *c, ir_val v)
{
	uint32_t k = 0;

	while (k < c->n && c->values[k] != v)
		k++;
	return k;
}

static bool is_header_phi(const struct slice *c, ir_val v)
{
	const struct ir_inst *d = ir_def(c->s->f, v);

	return d->op == IR_PHI && d->block == c->l->header;
}

static ir_val phi_arg(const struct slice *c, ir_val phi, ir_block from)
{
	const struct ir_bb *bb = &c->s->f->blocks[c->l->header];

	return ir_def(c->s->f, phi)->args[bb->preds[0] == from ? 0 : 1];
}

static bool slice_add(struct slice *c, ir_val v, uint32_t depth)
{
	const struct ir_func *f = c->s->f;
	const struct ir_inst *d = ir_def(f, v);
	uint64_t start;

	if (d->op == IR_CONST || slice_find(c, v) < c->n)
		return true;
	if (!is_inside(c->s, d->block) || depth == MOST_SLICE)
		return false;
	if (is_header_phi(c, v)) {
		if (!ir_is_const(f, phi_arg(c, v, c->l->before), &start) || c->n == MOST_SLICE)
			return false;
		c->now[c->n] = start;
		c->values[c->n++] = v;
		return slice_add(c, phi_arg(c, v, c->l->latch), depth + 1);
	}
	if (!(ir_ops[d->op].properties & P_PURE) || d->nres != 1 || d->nargs > 3)
		return false;
	for (uint32_t k = 0; k < d->nargs; k++)
		if (!slice_add(c, d->args[k], depth + 1))
			return false;
	if (slice_find(c, v) < c->n) /* around a phi */
		return true;
	if (c->n == MOST_SLICE)
		return false;
	c->values[c->n++] = v;
	return true;
}

static uint64_t slice_value(const struct slice *c, ir_val v)
{
	uint64_t value;

	return ir_is_const(c->s->f, v, &value) ? value : c->now[slice_find(c, v)];
}

/* One turn: what is computed from the phis, in order. */
static bool slice_compute(struct slice *c)
{
	for (uint32_t k = 0; k < c->n; k++) {
		const struct ir_inst *d = ir_def(c->s->f, c->values[k]);
		uint64_t args[3];

		if (is_header_phi(c, c->values[k]))
			continue;
		for (uint32_t j = 0; j < d->nargs; j++)
			args[j] = slice_value(c, d->args[j]);
		if (!ir_eval(d, args, &c->now[k]))
			return false;
	}
	return true;
}

static void slice_step(struct slice *c)
{
	uint64_t next[MOST_SLICE];

	for (uint32_t k = 0; k < c->n; k++)
		next[k] = is_header_phi(c, c->values[k])
				  ? slice_value(c, phi_arg(c, c->values[k], c->l->latch))
				  : c->now[k];
	for (uint32_t k = 0; k < c->n; k++)
		c->now[k] = next[k];
}

/* In which turn the loop is left here at the latest; 0: not known. */
static uint32_t count_turns(const struct flatten *s, const struct loop *l, ir_block from)
{
	const struct ir_bb *bb = &s->f->blocks[from];
	struct slice c = {.s = s, .l = l};
	ir_val condition = ir_at(s->f, bb->last)->args[0];
	bool leaves_when = !is_inside(s, bb->succ[0]);

	if (!slice_add(&c, condition, 0))
		return 0;
	for (uint32_t turn = 1; turn <= MOST_TURNS; turn++) {
		if (!slice_compute(&c))
			return 0;
		if (slice_value(&c, condition) == leaves_when)
			return turn;
		slice_step(&c);
	}
	return 0;
}

/* An exit that every turn passes: it dominates the latch. */
static bool find_turns(const struct flatten *s, struct loop *l)
{
	for (ir_block b = l->latch;; b = s->cfg->idom[b]) {
		const struct ir_bb *bb = &s->f->blocks[b];

		if (ir_at(s->f, bb->last)->op == IR_CBR &&
		    is_inside(s, bb->succ[0]) != is_inside(s, bb->succ[1]) &&
		    (b != l->latch || bb->succ[0] == l->header || bb->succ[1] == l->header)) {
			l->turns = count_turns(s, l, b);
			l->exit_from = b;
			if (l->turns)
				return true;
		}
		if (b == l->header)
			return false;
	}
}

/* ---- is it worth it? ---- */

/* The array of this function that an address is in, as far as a few sums show it. */
static const struct ir_symbol *array_of(const struct ir_func *f, ir_val address, uint32_t depth)
{
	const struct ir_inst *d = ir_def(f, address);
	const struct ir_symbol *found = NULL;

	if (d->op == IR_ADDR) {
		found = &f->module->symbols[d->symbol];
		return found->owner == f ? found : NULL;
	}
	if (!depth || (d->op != IR_ADD && d->op != IR_MAD && d->op != IR_GENERIC))
		return NULL;
	for (uint32_t k = d->op == IR_MAD ? 2 : 0; k < d->nargs && !found; k++)
		found = array_of(f, d->args[k], depth - 1);
	return found;
}

/* Somewhere in a small local array, where is no constant. */
static bool is_indexed(const struct flatten *s, ir_val address)
{
	const struct ir_inst *d = ir_def(s->f, address);
	const struct ir_symbol *array = array_of(s->f, address, 4);
	uint64_t c;

	if (!array || array->size > MOST_ARRAY || d->op == IR_ADDR)
		return false;
	return d->op != IR_ADD ||
	       (!ir_is_const(s->f, d->args[0], &c) && !ir_is_const(s->f, d->args[1], &c)) ||
	       is_indexed(s, d->args[ir_is_const(s->f, d->args[0], &c)]);
}

static bool indexes_array(const struct flatten *s, const struct loop *l)
{
	for (uint32_t k = 0; k < l->nblocks; k++) {
		ir_for_each_inst(s->f, l->blocks[k], i) {
			const struct ir_inst *in = ir_at(s->f, i);
			int address =
				in->op == IR_LOAD || in->op == IR_STORE ? ir_address_arg(in) : -1;

			if (address >= 0 && is_indexed(s, in->args[address]))
				return true;
		}
	}
	return false;
}

static bool is_worth_it(const struct flatten *s, const struct loop *l)
{
	uint32_t all = l->cost * l->turns;

	if ((int64_t)all > s->budget)
		return false;
	return l->turns == 1 || all <= SMALL || (all <= LARGE && indexes_array(s, l));
}

/* ---- copying ---- */

struct copier {
	struct flatten *s;
	const struct loop *l;
	ir_val *map; /* by value: in the turn at hand */
	uint32_t nmap;
	ir_block *copy;      /* by block: in the turn at hand */
	ir_val *carried;     /* by phi of the header, in order: its value in the turn at hand */
	uint32_t latch_slot; /* of the header's predecessors */
};

static ir_val mapped(const struct copier *c, ir_val v)
{
	return v < c->nmap && c->map[v] ? c->map[v] : v;
}

static bool is_inner_edge(const struct copier *c, ir_block to)
{
	return is_inside(c->s, to) && to != c->l->header;
}

static void copy_inst(struct copier *c, ir_block to, ir_id i)
{
	struct ir_func *f = c->s->f;
	struct ir_inst in = *ir_at(f, i);
	ir_id copy = ir_inst_new(f, in.op, in.type, in.args, in.nargs, in.nres);
	ir_val old = in.res;

	in.res = ir_at(f, copy)->res;
	in.args = ir_at(f, copy)->args;
	in.block = in.prev = in.next = 0;
	*ir_at(f, copy) = in;
	ir_append(f, to, copy);
	for (uint32_t k = 0; k < in.nres && old < c->nmap; k++)
		c->map[old + k] = in.res + k;
}

/* A way out of a copy arrives at the same phis as that of the original, with its own values. */
static void copy_exit(struct copier *c, ir_block from, ir_block copy, ir_block to)
{
	struct ir_func *f = c->s->f;
	uint32_t slot = 0;

	while (f->blocks[to].preds[slot] != from)
		slot++;
	ir_for_each_inst(f, to, i) {
		if (ir_at(f, i)->op != IR_PHI)
			break;
		ir_arg_append(f, i, mapped(c, ir_at(f, i)->args[slot]));
	}
	ir_edge(f, copy, to);
}

/* The end of a block's copy. The exit that is counted is taken in the last turn and in no other;
 * what would follow it in the last turn is never reached and goes with the next sweep. */
static void copy_end(struct copier *c, ir_block b, bool last)
{
	struct ir_func *f = c->s->f;
	const struct ir_bb bb = f->blocks[b];
	ir_block copy = c->copy[b];
	bool counted = b == c->l->exit_from, ends = last && b == c->l->latch && !counted;
	uint32_t wanted[2], n = 0;

	for (uint32_t k = 0; k < bb.nsucc && !ends; k++)
		if (!counted || is_inside(c->s, bb.succ[k]) != last)
			wanted[n++] = k;
	if (n == bb.nsucc && n == 2)
		copy_inst(c, copy, bb.last);
	else
		ir_append(f, copy, ir_inst_new(f, ends ? IR_TRAP : IR_BR, IR_VOID, NULL, 0, 0));
	ir_at(f, f->blocks[copy].last)->line = ir_at(f, bb.last)->line;
	for (uint32_t k = 0; k < n; k++) {
		ir_block to = bb.succ[wanted[k]];

		if (is_inner_edge(c, to))
			ir_edge(f, copy, c->copy[to]);
		else if (to == c->l->header)
			f->blocks[copy].succ[f->blocks[copy].nsucc++] =
				to; /* where the next turn begins is known then */
		else
			copy_exit(c, b, copy, to);
	}
}

/* Phis of a copied block have their arguments in the order of the original's predecessors; so must
 * the copy's be. */
static void order_preds(struct copier *c, ir_block b)
{
	struct ir_func *f = c->s->f;
	const struct ir_bb *old = &f->blocks[b];
	struct ir_bb *copy = &f->blocks[c->copy[b]];
	ir_id phi = copy->first;
	uint32_t n = 0;

	copy->preds = arena_array(c->s->arena, old->npreds + 1, sizeof(*copy->preds));
	copy->preds_capacity = old->npreds + 1;
	for (uint32_t k = 0; k < old->npreds; k++) {
		ir_block from = c->copy[old->preds[k]];
		const struct ir_bb *p = &f->blocks[from];
		bool there = p->nsucc && (p->succ[0] == c->copy[b] ||
					  (p->nsucc == 2 && p->succ[1] == c->copy[b]));

		if (!there)
			continue;
		for (ir_id i = phi; ir_at(f, i)->op == IR_PHI; i = ir_at(f, i)->next)
			ir_at(f, i)->args[n] = ir_at(f, i)->args[k];
		copy->preds[n++] = from;
	}
	copy->npreds = n;
	for (ir_id i = phi; ir_at(f, i)->op == IR_PHI; i = ir_at(f, i)->next)
		ir_at(f, i)->nargs = n;
}

static void map_args(struct copier *c, ir_block b)
{
	struct ir_func *f = c->s->f;

	ir_for_each_inst(f, b, i)
		for (uint32_t k = 0; k < ir_at(f, i)->nargs; k++)
			ir_at(f, i)->args[k] = mapped(c, ir_at(f, i)->args[k]);
}

/* What the phis of the header are in the next turn. */
static void step(struct copier *c)
{
	struct ir_func *f = c->s->f;
	uint32_t n = 0;

	for (ir_id i = f->blocks[c->l->header].first; ir_at(f, i)->op == IR_PHI;
	     i = ir_at(f, i)->next)
		c->carried[n++] = mapped(c, ir_at(f, i)->args[c->latch_slot]);
}

static void copy_turn(struct copier *c, ir_block where, bool last)
{
	struct ir_func *f = c->s->f;
	const struct loop *l = c->l;
	uint32_t n = 0;

	for (uint32_t k = 0; k < l->nblocks; k++)
		c->copy[l->blocks[k]] = ir_block_new_before(f, where, NULL);
	for (ir_id i = f->blocks[l->header].first; ir_at(f, i)->op == IR_PHI; i = ir_at(f, i)->next)
		if (ir_at(f, i)->res < c->nmap)
			c->map[ir_at(f, i)->res] = c->carried[n++];
	for (uint32_t k = 0; k < l->nblocks; k++) {
		ir_block b = l->blocks[k], copy = c->copy[b];

		f->blocks[copy].rolled = f->blocks[b].rolled && b != l->header;
		for (ir_id i = b == l->header ? cfg_first_non_phi(f, b) : f->blocks[b].first;
		     i != f->blocks[b].last; i = ir_at(f, i)->next)
			copy_inst(c, copy, i);
	}
	for (uint32_t k = 0; k < l->nblocks; k++)
		copy_end(c, l->blocks[k], last);
	for (uint32_t k = 0; k < l->nblocks; k++) {
		if (l->blocks[k] != l->header)
			order_preds(c, l->blocks[k]);
		map_args(c, c->copy[l->blocks[k]]);
	}
	step(c);
}

/* The turns after the first are copies; the first is the loop as it was. */
static void flatten_loop(struct copier *c, const struct loop *l)
{
	struct flatten *s = c->s;
	struct ir_func *f = s->f;
	ir_block where = f->blocks[l->latch].next, from = l->latch, first = 0;
	bool on_true;

	c->l = l;
	s->loop++;
	for (uint32_t k = 0; k < l->nblocks; k++)
		s->inside[l->blocks[k]] = s->loop;
	c->latch_slot = 0;
	while (f->blocks[l->header].preds[c->latch_slot] != l->latch)
		c->latch_slot++;
	step(c);
	for (uint32_t turn = 2; turn <= l->turns; turn++) {
		struct ir_bb *bb;

		copy_turn(c, where, turn == l->turns);
		if (turn == 2) {
			first = c->copy[l->header];
		} else {
			bb = &f->blocks[from];
			bb->succ[bb->succ[0] == l->header ? 0 : 1] = c->copy[l->header];
			bb = &f->blocks[c->copy[l->header]];
			bb->preds = arena_grow(s->arena, bb->preds, &bb->preds_capacity, 1,
					       sizeof(*bb->preds));
			bb->preds[bb->npreds++] = from;
		}
		from = c->copy[l->latch];
	}
	on_true = is_inside(s, f->blocks[l->exit_from].succ[0]) == (l->turns > 1);
	cfg_make_unconditional(f, l->exit_from, on_true ? 0 : 1);
	if (first)
		ir_edge_redirect(f, l->latch, l->header, first);
}

/* ---- what is used behind a loop ---- */

/* Loops that are flattened have nothing in common, so one scan finds for all of them what crosses
 * their borders. Ways out to phis are not among it: these get an argument for every copy. */
struct border {
	struct flatten *s;
	uint32_t *loop_of; /* by block, from 1; 0: none */
	uint32_t *reg;     /* by value */
	uint32_t nvalues;  /* that were there before */
};

static ir_id insert(struct ir_func *f, ir_id where, enum ir_op op, uint32_t reg, ir_val v)
{
	ir_id i = ir_inst_new(f, op, f->reg_types[reg], &v, op == IR_WRITE ? 1 : 0, 1);

	ir_at(f, i)->symbol = reg;
	ir_at(f, i)->line = ir_at(f, where)->line;
	ir_insert_before(f, where, i);
	return i;
}

static void cross(struct border *b, ir_id user, uint32_t k, ir_block at)
{
	struct ir_func *f = b->s->f;
	ir_val v = ir_at(f, user)->args[k];
	ir_id def = f->values[v].def, after, read;
	uint32_t home = v < b->nvalues ? b->loop_of[ir_at(f, def)->block] : 0;

	if (!home || b->loop_of[at] == home)
		return;
	if (!b->reg[v]) {
		b->reg[v] = ir_reg_new(f, f->values[v].type);
		after = ir_at(f, def)->op == IR_PHI ? cfg_first_non_phi(f, ir_at(f, def)->block)
						    : ir_at(f, def)->next;
		insert(f, after, IR_WRITE, b->reg[v], v);
	}
	read = insert(f, ir_at(f, user)->op == IR_PHI ? f->blocks[at].last : user, IR_READ,
		      b->reg[v], 0);
	ir_at(f, user)->args[k] = ir_at(f, read)->res;
}

static void find_borders(struct flatten *s, const struct loop *loops, uint32_t n)
{
	struct ir_func *f = s->f;
	struct border b = {
		.s = s,
		.loop_of = arena_array(s->arena, f->nblocks, sizeof(*b.loop_of)),
		.reg = arena_array(s->arena, f->nvalues, sizeof(*b.reg)),
		.nvalues = f->nvalues,
	};

	for (uint32_t k = 0; k < n; k++)
		for (uint32_t j = 0; j < loops[k].nblocks; j++)
			b.loop_of[loops[k].blocks[j]] = k + 1;
	ir_for_each_block(f, at)
		ir_for_each_inst(f, at, i)
			for (uint32_t k = 0; k < ir_at(f, i)->nargs; k++)
				cross(&b, i, k,
				      ir_at(f, i)->op == IR_PHI ? f->blocks[at].preds[k] : at);
}

/* ---- rounds ---- */

static bool flatten_round(struct ir_func *f, int32_t *budget)
{
	struct arena *a = f->module->arena;
	struct flatten s = {.f = f,
			    .cfg = ir_cfg_build(f),
			    .arena = a,
			    .nblocks = f->nblocks,
			    .budget = *budget};
	struct copier c = {.s = &s};
	struct loop *loops = NULL, l;
	uint32_t n = 0, capacity = 0;

	for (uint32_t k = s.cfg->nrpo; k-- > 0;) {
		ir_block b = s.cfg->rpo[k];

		if (s.cfg->loop_header[b] != b)
			continue;
		if (!s.stack) {
			s.stack = arena_array(a, LARGE, sizeof(*s.stack));
			s.inside = arena_array(a, f->nblocks, sizeof(*s.inside));
			s.chosen = arena_array(a, f->nblocks, sizeof(*s.chosen));
		}
		if (!find_loop(&s, &l, b) || !find_turns(&s, &l) || !is_worth_it(&s, &l))
			continue;
		for (uint32_t j = 0; j < l.nblocks; j++)
			s.chosen[l.blocks[j]] = true;
		s.budget -= (int32_t)(l.cost * (l.turns - 1));
		loops = arena_grow(a, loops, &capacity, n + 1, sizeof(*loops));
		loops[n++] = l;
	}
	if (!n)
		return false;
	find_borders(&s, loops, n);
	c.nmap = f->nvalues;
	c.map = arena_array(a, f->nvalues, sizeof(*c.map));
	c.copy = arena_array(a, f->nblocks, sizeof(*c.copy));
	c.carried = arena_array(a, f->nvalues, sizeof(*c.carried));
	for (uint32_t k = 0; k < n; k++)
		flatten_loop(&c, &loops[k]);
	*budget = s.budget;
	f->ssa = false;
	return true;
}

bool pass_full_unroll(struct ir_func *f, const struct target *t)
{
	int32_t budget = BUDGET;
	uint32_t round = 0;

	while (round < MOST_ROUNDS && flatten_round(f, &budget)) {
		pass_ssa_construction(f, t);
		pass_fold(f, t);
		pass_dce(f, t);
		round++;
	}
	return round > 0;
}
