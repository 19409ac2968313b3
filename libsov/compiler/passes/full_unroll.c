// SPDX-License-Identifier: MIT
/*
 * Full unrolling: replaces a loop of small constant trip count by its iterations.
 *
 *	    P                   P
 *	    |                   |
 *	+-> H --> break         H --> break
 *	|   |          =>       |
 *	+---L --> exit          L -> H' --> break
 *	                             |
 *	                             L' --> exit
 *
 * The pass finds the trip count by evaluating the exit condition for one iteration after another.
 * The condition must depend only on constants, header phis with constant start values, and pure
 * operations on these, so any induction variable qualifies. The counted exit must dominate the
 * latch; other exits may leave the loop earlier.
 *
 * Unrolling pays where the result is small, and above all where an array in local memory is indexed
 * by an induction variable: after unrolling, every index is constant and scalar replacement can
 * remove the array. It also pays where at least half of an iteration folds away: what depends on
 * induction variables alone becomes constant, addresses become offsets, and loads from constant
 * memory become operands. Loops marked nounroll stay. A loop with convergent operations is unrolled
 * only where it indexes a local array, such as the sums of matrix products, and if the counted exit
 * is its only one: then the lanes that execute an iteration are those that enter the loop. Inner
 * loops come first. Unrolling an outer loop may make the trip count of a remaining inner loop
 * constant, so the pass folds constants and repeats until nothing changes or its budget is spent.
 *
 * A value that an iteration defines and code after the loop uses is written to a mutable register
 * in every iteration and read after the loop; SSA construction then inserts the phis.
 */
#include "libsov/compiler/ir/eval.h"
#include "libsov/compiler/analysis/cfg_walk.h"
#include "libsov/compiler/passes/pass.h"

#define MAX_TRIP_COUNT      64
#define MAX_SLICE           16 /* instructions that an exit condition depends on */
#define MAX_ROUNDS          4
#define MAX_TOTAL_COST      192   /* instructions of all iterations together */
#define MAX_FOLDED_COST     1024  /* the same, after folding, if half of an iteration folds away */
#define MAX_ARRAY_LOOP_COST 4096  /* the same for loops that index a local array */
#define GROWTH_BUDGET       16384 /* instructions that the pass may add to a function */
#define COST_EXPANDED       16    /* of an operation that legalisation expands to dozens */
#define MAX_ARRAY           640   /* bytes of an array that scalar replacement handles well */

struct loop {
	ir_block header, preheader, latch;
	ir_block *blocks; /* in reverse postorder, the header first */
	uint32_t nblocks, cost;
	bool is_convergent;
	ir_block exit_from; /* source of the counted exit edge */
	uint32_t trip_count;
};

struct full_unroll {
	struct ir_func *f;
	const struct ir_cfg *cfg;
	struct arena *arena;
	uint32_t *inside; /* by block: number of the last loop examined that contains it */
	uint32_t loop;    /* number of the current loop */
	bool *chosen;     /* by block: in a loop that this round unrolls */
	uint32_t nblocks; /* size of the two arrays; later blocks are copies */
	ir_block *stack;  /* MAX_ARRAY_LOOP_COST entries */
	int32_t budget;
};

static bool in_loop(const struct full_unroll *s, ir_block b)
{
	return b < s->nblocks && s->inside[b] == s->loop;
}

static bool is_expanded(enum ir_op op)
{
	return op == IR_FDIV || op == IR_FRCP || op == IR_FSQRT ||
	       (op >= IR_DIV_U && op <= IR_REM_S);
}

/* ---- the blocks of a loop ---- */

/* The natural loop of the back edge: blocks that reach the latch without passing the header. */
static bool find_loop_blocks(struct full_unroll *s, struct loop *l)
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
			if (in_loop(s, bb->preds[k]))
				continue;
			if (n == MAX_ARRAY_LOOP_COST)
				return false;
			s->inside[bb->preds[k]] = s->loop;
			stack[depth++] = bb->preds[k];
			n++;
		}
	}
	l->nblocks = n;
	return true;
}

/* Checks that every instruction may be duplicated, and sums up the cost of an iteration. */
static bool compute_cost(struct full_unroll *s, struct loop *l)
{
	struct ir_func *f = s->f;
	uint32_t found = 0;

	l->blocks = arena_array(s->arena, l->nblocks, sizeof(*l->blocks));
	for (uint32_t k = s->cfg->rpo_index[l->header]; found < l->nblocks; k++) {
		ir_block b = s->cfg->rpo[k];

		if (k - s->cfg->rpo_index[l->header] > MAX_ARRAY_LOOP_COST)
			return false; /* too many blocks outside of the loop lie in between */
		if (!in_loop(s, b))
			continue;
		if (s->chosen[b])
			return false;
		l->blocks[found++] = b;
		ir_for_each_inst(f, b, i) {
			const struct ir_inst *in = ir_at(f, i);

			if (in->op == IR_CALL || in->op == IR_CALLPTR || in->op == IR_CLOCK)
				return false;
			l->is_convergent |= (ir_ops[in->op].properties & P_CONV) != 0;
			l->cost += is_expanded(in->op) ? COST_EXPANDED : 1;
			if (l->cost > MAX_ARRAY_LOOP_COST)
				return false;
		}
	}
	return true;
}

static bool find_loop(struct full_unroll *s, struct loop *l, ir_block header)
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
	l->preheader = bb->preds[!self];
	return find_loop_blocks(s, l) && compute_cost(s, l);
}

/* ---- trip count ---- */

struct slice {
	const struct full_unroll *s;
	const struct loop *l;
	/* header phis in any order, other values after their arguments */
	ir_val values[MAX_SLICE];
	uint64_t current[MAX_SLICE];
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
	if (!in_loop(c->s, d->block) || depth == MAX_SLICE)
		return false;
	if (is_header_phi(c, v)) {
		if (!ir_is_const(f, phi_arg(c, v, c->l->preheader), &start) || c->n == MAX_SLICE)
			return false;
		c->current[c->n] = start;
		c->values[c->n++] = v;
		return slice_add(c, phi_arg(c, v, c->l->latch), depth + 1);
	}
	if (!(ir_ops[d->op].properties & P_PURE) || d->nres != 1 || d->nargs > 3)
		return false;
	for (uint32_t k = 0; k < d->nargs; k++)
		if (!slice_add(c, d->args[k], depth + 1))
			return false;
	if (slice_find(c, v) < c->n) /* added while a cycle of phis was followed */
		return true;
	if (c->n == MAX_SLICE)
		return false;
	c->values[c->n++] = v;
	return true;
}

static uint64_t slice_value(const struct slice *c, ir_val v)
{
	uint64_t value;

	return ir_is_const(c->s->f, v, &value) ? value : c->current[slice_find(c, v)];
}

/* Evaluates the slice for one iteration from the values of the header phis. */
static bool slice_compute(struct slice *c)
{
	for (uint32_t k = 0; k < c->n; k++) {
		const struct ir_inst *d = ir_def(c->s->f, c->values[k]);
		uint64_t args[3];

		if (is_header_phi(c, c->values[k]))
			continue;
		for (uint32_t j = 0; j < d->nargs; j++)
			args[j] = slice_value(c, d->args[j]);
		if (!ir_eval(d, args, &c->current[k]))
			return false;
	}
	return true;
}

static void slice_step(struct slice *c)
{
	uint64_t next[MAX_SLICE];

	for (uint32_t k = 0; k < c->n; k++)
		next[k] = is_header_phi(c, c->values[k])
				  ? slice_value(c, phi_arg(c, c->values[k], c->l->latch))
				  : c->current[k];
	for (uint32_t k = 0; k < c->n; k++)
		c->current[k] = next[k];
}

/* The iteration in which this exit is taken if no other is taken earlier; 0: unknown. */
static uint32_t count_iterations(const struct full_unroll *s, const struct loop *l, ir_block from)
{
	const struct ir_bb *bb = &s->f->blocks[from];
	struct slice c = {.s = s, .l = l};
	ir_val condition = ir_at(s->f, bb->last)->args[0];
	bool leaves_when = !in_loop(s, bb->succ[0]);

	if (!slice_add(&c, condition, 0))
		return 0;
	for (uint32_t iteration = 1; iteration <= MAX_TRIP_COUNT; iteration++) {
		if (!slice_compute(&c))
			return 0;
		if (slice_value(&c, condition) == leaves_when)
			return iteration;
		slice_step(&c);
	}
	return 0;
}

/* Searches the exits that dominate the latch for one with a constant trip count. */
static bool find_trip_count(const struct full_unroll *s, struct loop *l)
{
	for (ir_block b = l->latch;; b = s->cfg->idom[b]) {
		const struct ir_bb *bb = &s->f->blocks[b];

		if (ir_at(s->f, bb->last)->op == IR_CBR &&
		    in_loop(s, bb->succ[0]) != in_loop(s, bb->succ[1]) &&
		    (b != l->latch || bb->succ[0] == l->header || bb->succ[1] == l->header)) {
			l->trip_count = count_iterations(s, l, b);
			l->exit_from = b;
			if (l->trip_count)
				return true;
		}
		if (b == l->header)
			return false;
	}
}

/* ---- profitability ---- */

/* The local array that an address points into, found through a few additions; NULL: unknown. */
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

/* Whether an address is in a small local array at an offset that is not constant. */
static bool is_indexed(const struct full_unroll *s, ir_val address)
{
	const struct ir_inst *d = ir_def(s->f, address);
	const struct ir_symbol *array = array_of(s->f, address, 4);
	uint64_t c;

	if (!array || array->size > MAX_ARRAY || d->op == IR_ADDR)
		return false;
	return d->op != IR_ADD ||
	       (!ir_is_const(s->f, d->args[0], &c) && !ir_is_const(s->f, d->args[1], &c)) ||
	       is_indexed(s, d->args[ir_is_const(s->f, d->args[0], &c)]);
}

static bool indexes_array(const struct full_unroll *s, const struct loop *l)
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

/*
 * What folding leaves of an iteration. A value of the loop is known if unrolling makes it constant,
 * and an offset if it becomes the sum of a constant and a value from before the loop. If the loop
 * has an inner one, that is to be unrolled, too.
 */
enum { VALUE_OTHER, VALUE_OFFSET, VALUE_KNOWN };
struct folding {
	const struct full_unroll *s;
	const struct loop *l, *inner; /* inner: NULL if there is none */
	uint8_t *class;               /* by value; of those defined in the loop */
};

static uint8_t class_of(const struct folding *c, ir_val v)
{
	const struct ir_inst *d = ir_def(c->s->f, v);

	if (d->op == IR_CONST || (d->op == IR_ADDR && d->type == IR_B64))
		return VALUE_KNOWN;
	return in_loop(c->s, d->block) ? c->class[v] : VALUE_OFFSET;
}

static uint8_t class_of_result(const struct folding *c, const struct ir_inst *in)
{
	uint8_t least = VALUE_KNOWN, known = 0;

	if (!(ir_ops[in->op].properties & P_PURE) || in->nres != 1)
		return VALUE_OTHER;
	for (uint32_t k = 0; k < in->nargs; k++) {
		uint8_t class = class_of(c, in->args[k]);

		least = class < least ? class : least;
		known += class == VALUE_KNOWN;
	}
	if (least == VALUE_KNOWN)
		return VALUE_KNOWN;
	return in->op == IR_ADD && in->type == IR_B64 && known && least == VALUE_OFFSET
		       ? VALUE_OFFSET
		       : VALUE_OTHER;
}

/* A header phi is what its value before the loop is, if its next value is, too. */
static bool correct_phis(const struct folding *c, const struct loop *l, bool start)
{
	const struct ir_func *f = c->s->f;
	const struct ir_bb *bb = &f->blocks[l->header];
	uint32_t latch = bb->preds[0] == l->latch ? 0 : 1;
	bool changed = false;

	for (ir_id i = bb->first; ir_at(f, i)->op == IR_PHI; i = ir_at(f, i)->next) {
		const struct ir_inst *phi = ir_at(f, i);
		uint8_t *class = &c->class[phi->res];

		if (start) {
			*class = VALUE_KNOWN;
		} else if (class_of(c, phi->args[0]) < *class ||
			   class_of(c, phi->args[1]) < *class) {
			uint8_t before = class_of(c, phi->args[!latch]);

			*class = before < *class ? before : VALUE_OTHER;
			changed = true;
		}
	}
	return changed;
}

static bool correct_all_phis(const struct folding *c, bool start)
{
	bool changed = correct_phis(c, c->l, start);

	return (c->inner && correct_phis(c, c->inner, start)) || changed;
}

/* Assumes that all header phis are known, and takes back what that does not make true. */
static void classify_values(struct folding *c)
{
	const struct ir_func *f = c->s->f;

	correct_all_phis(c, true);
	do {
		for (uint32_t k = 0; k < c->l->nblocks; k++)
			ir_for_each_inst(f, c->l->blocks[k], i) {
				const struct ir_inst *in = ir_at(f, i);

				if (in->op != IR_PHI && in->nres == 1)
					c->class[in->res] = class_of_result(c, in);
			}
	} while (correct_all_phis(c, false));
}

static bool folds_away(const struct folding *c, const struct ir_inst *in)
{
	if (in->op == IR_LOAD && in->space == IR_CONSTANT)
		return in->nargs && class_of(c, in->args[0]) == VALUE_KNOWN;
	if (in->op == IR_CBR)
		return class_of(c, in->args[0]) == VALUE_KNOWN;
	return in->nres == 1 && class_of(c, in->res) != VALUE_OTHER;
}

static bool is_inner_block(const struct loop *inner, ir_block b)
{
	uint32_t k = 0;

	while (inner && k < inner->nblocks && inner->blocks[k] != b)
		k++;
	return inner && k < inner->nblocks;
}

static uint32_t cost_of(const struct ir_inst *in)
{
	if (in->op == IR_PHI || in->op == IR_CONST || in->op == IR_BR)
		return 0;
	if (in->op == IR_LOAD && in->space == IR_CONSTANT)
		return in->nres;
	return is_expanded(in->op) ? COST_EXPANDED : 1;
}

/* Whether at least half of an iteration folds away, and the rest of all iterations is small. */
static bool folds(const struct full_unroll *s, const struct loop *l, const struct loop *inner)
{
	struct folding c = {.s = s, .l = l, .inner = inner};
	uint64_t all = 0, left = 0;

	c.class = arena_array(s->arena, s->f->nvalues, sizeof(*c.class));
	classify_values(&c);
	for (uint32_t k = 0; k < l->nblocks; k++) {
		uint32_t trips = is_inner_block(inner, l->blocks[k]) ? inner->trip_count : 1;

		ir_for_each_inst(s->f, l->blocks[k], i) {
			const struct ir_inst *in = ir_at(s->f, i);
			uint32_t cost = cost_of(in);

			all += (uint64_t)cost * trips;
			left += folds_away(&c, in) ? 0 : (uint64_t)cost * trips;
		}
	}
	return 2 * left <= all && left * l->trip_count <= MAX_FOLDED_COST;
}

/* The same for a loop together with the one around it, which a later round unrolls. */
static bool folds_with_outer(struct full_unroll *s, struct loop *l)
{
	ir_block header = s->cfg->loop_header[l->preheader];
	struct loop outer, again = *l;
	bool result;

	if (!header || header == l->header)
		return false;
	result = find_loop(s, &outer, header) && in_loop(s, l->header) &&
		 find_trip_count(s, &outer) && outer.trip_count > 1 && folds(s, &outer, l);
	return find_loop(s, &again, l->header) && result;
}

static bool has_one_exit(const struct full_unroll *s, const struct loop *l)
{
	uint32_t exits = 0;

	for (uint32_t k = 0; k < l->nblocks; k++) {
		const struct ir_bb *bb = &s->f->blocks[l->blocks[k]];

		for (uint32_t n = 0; n < bb->nsucc; n++)
			exits += !in_loop(s, bb->succ[n]);
		exits += !bb->nsucc;
	}
	return exits == 1;
}

static bool is_profitable(struct full_unroll *s, struct loop *l)
{
	uint32_t all = l->cost * l->trip_count;

	if ((int64_t)all > s->budget)
		return false;
	if (l->is_convergent)
		return all <= MAX_ARRAY_LOOP_COST && indexes_array(s, l) && has_one_exit(s, l);
	return l->trip_count == 1 || all <= MAX_TOTAL_COST ||
	       (all <= MAX_ARRAY_LOOP_COST && indexes_array(s, l)) || folds(s, l, NULL) ||
	       folds_with_outer(s, l);
}

/* ---- copying ---- */

struct copier {
	struct full_unroll *s;
	const struct loop *l;
	ir_val *map; /* by value: its copy in the current iteration */
	uint32_t nmap;
	ir_block *copy;      /* by block: its copy in the current iteration */
	ir_val *carried;     /* by header phi, in order: its value in the current iteration */
	uint32_t latch_slot; /* index of the latch among the header's predecessors */
};

static ir_val mapped_value(const struct copier *c, ir_val v)
{
	return v < c->nmap && c->map[v] ? c->map[v] : v;
}

static bool is_inner_edge(const struct copier *c, ir_block to)
{
	return in_loop(c->s, to) && to != c->l->header;
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

/* Adds the exit edge of a copy to the exit's phis, with the copy's values. */
static void copy_exit(struct copier *c, ir_block from, ir_block copy, ir_block to)
{
	struct ir_func *f = c->s->f;
	uint32_t slot = 0;

	while (f->blocks[to].preds[slot] != from)
		slot++;
	ir_for_each_inst(f, to, i) {
		if (ir_at(f, i)->op != IR_PHI)
			break;
		ir_arg_append(f, i, mapped_value(c, ir_at(f, i)->args[slot]));
	}
	ir_edge(f, copy, to);
}

/* Terminates a block's copy. The counted exit becomes an unconditional branch: into the loop in
 * every iteration but the last, out of it in the last. Code after it in the last copy is
 * unreachable, and DCE removes it. */
static void copy_terminator(struct copier *c, ir_block b, bool last)
{
	struct ir_func *f = c->s->f;
	const struct ir_bb bb = f->blocks[b];
	ir_block copy = c->copy[b];
	bool counted = b == c->l->exit_from, ends = last && b == c->l->latch && !counted;
	uint32_t wanted[2], n = 0;

	for (uint32_t k = 0; k < bb.nsucc && !ends; k++)
		if (!counted || in_loop(c->s, bb.succ[k]) != last)
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
				to; /* patched once the next copy of the header exists */
		else
			copy_exit(c, b, copy, to);
	}
}

/* Orders the predecessors of a copy like the original's, because its phi arguments are in that
 * order. */
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
		bool is_pred = p->nsucc && (p->succ[0] == c->copy[b] ||
					    (p->nsucc == 2 && p->succ[1] == c->copy[b]));

		if (!is_pred)
			continue;
		for (ir_id i = phi; ir_at(f, i)->op == IR_PHI; i = ir_at(f, i)->next)
			ir_at(f, i)->args[n] = ir_at(f, i)->args[k];
		copy->preds[n++] = from;
	}
	copy->npreds = n;
	for (ir_id i = phi; ir_at(f, i)->op == IR_PHI; i = ir_at(f, i)->next)
		ir_at(f, i)->nargs = n;
}

static void map_block_args(struct copier *c, ir_block b)
{
	struct ir_func *f = c->s->f;

	ir_for_each_inst(f, b, i)
		for (uint32_t k = 0; k < ir_at(f, i)->nargs; k++)
			ir_at(f, i)->args[k] = mapped_value(c, ir_at(f, i)->args[k]);
}

/* Computes the header phis' values for the next iteration. */
static void step_header_phis(struct copier *c)
{
	struct ir_func *f = c->s->f;
	uint32_t n = 0;

	for (ir_id i = f->blocks[c->l->header].first; ir_at(f, i)->op == IR_PHI;
	     i = ir_at(f, i)->next)
		c->carried[n++] = mapped_value(c, ir_at(f, i)->args[c->latch_slot]);
}

static void copy_iteration(struct copier *c, ir_block where, bool last)
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
		copy_terminator(c, l->blocks[k], last);
	for (uint32_t k = 0; k < l->nblocks; k++) {
		if (l->blocks[k] != l->header)
			order_preds(c, l->blocks[k]);
		map_block_args(c, c->copy[l->blocks[k]]);
	}
	step_header_phis(c);
}

/* Keeps the original loop body as the first iteration and appends copies for the others. */
static void unroll_loop(struct copier *c, const struct loop *l)
{
	struct full_unroll *s = c->s;
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
	step_header_phis(c);
	for (uint32_t iteration = 2; iteration <= l->trip_count; iteration++) {
		struct ir_bb *bb;

		copy_iteration(c, where, iteration == l->trip_count);
		if (iteration == 2) {
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
	on_true = in_loop(s, f->blocks[l->exit_from].succ[0]) == (l->trip_count > 1);
	cfg_make_unconditional(f, l->exit_from, on_true ? 0 : 1);
	if (first)
		ir_edge_redirect(f, l->latch, l->header, first);
}

/* ---- values used after the loop ---- */

/* The unrolled loops of a round are disjoint, so one scan finds all values that leave any of them.
 * Values that reach a phi of an exit block directly are no concern: the phi gets an argument for
 * every copy. */
struct live_out {
	struct full_unroll *s;
	uint32_t *loop_of; /* by block, from 1; 0: none */
	uint32_t *reg;     /* by value */
	uint32_t nvalues;  /* number of values before the scan */
};

static ir_id insert_access(struct ir_func *f, ir_id where, enum ir_op op, uint32_t reg, ir_val v)
{
	ir_id i = ir_inst_new(f, op, f->reg_types[reg], &v, op == IR_WRITE ? 1 : 0, 1);

	ir_at(f, i)->symbol = reg;
	ir_at(f, i)->line = ir_at(f, where)->line;
	ir_insert_before(f, where, i);
	return i;
}

static void carry_out(struct live_out *b, ir_id user, uint32_t k, ir_block at)
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
		insert_access(f, after, IR_WRITE, b->reg[v], v);
	}
	read = insert_access(f, ir_at(f, user)->op == IR_PHI ? f->blocks[at].last : user, IR_READ,
			     b->reg[v], 0);
	ir_at(f, user)->args[k] = ir_at(f, read)->res;
}

static void find_live_outs(struct full_unroll *s, const struct loop *loops, uint32_t n)
{
	struct ir_func *f = s->f;
	struct live_out b = {
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
				carry_out(&b, i, k,
					  ir_at(f, i)->op == IR_PHI ? f->blocks[at].preds[k] : at);
}

/* ---- rounds ---- */

static bool unroll_round(struct ir_func *f, int32_t *budget)
{
	struct arena *a = f->module->arena;
	struct full_unroll s = {.f = f,
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
			s.stack = arena_array(a, MAX_ARRAY_LOOP_COST, sizeof(*s.stack));
			s.inside = arena_array(a, f->nblocks, sizeof(*s.inside));
			s.chosen = arena_array(a, f->nblocks, sizeof(*s.chosen));
		}
		if (!find_loop(&s, &l, b) || !find_trip_count(&s, &l) || !is_profitable(&s, &l))
			continue;
		for (uint32_t j = 0; j < l.nblocks; j++)
			s.chosen[l.blocks[j]] = true;
		s.budget -= (int32_t)(l.cost * (l.trip_count - 1));
		loops = arena_grow(a, loops, &capacity, n + 1, sizeof(*loops));
		loops[n++] = l;
	}
	if (!n)
		return false;
	find_live_outs(&s, loops, n);
	c.nmap = f->nvalues;
	c.map = arena_array(a, f->nvalues, sizeof(*c.map));
	c.copy = arena_array(a, f->nblocks, sizeof(*c.copy));
	c.carried = arena_array(a, f->nvalues, sizeof(*c.carried));
	for (uint32_t k = 0; k < n; k++)
		unroll_loop(&c, &loops[k]);
	*budget = s.budget;
	f->ssa = false;
	return true;
}

bool pass_full_unroll(struct ir_func *f, const struct target *t)
{
	int32_t budget = GROWTH_BUDGET;
	uint32_t round = 0;

	while (round < MAX_ROUNDS && unroll_round(f, &budget)) {
		pass_ssa_construction(f, t);
		pass_fold(f, t);
		pass_dce(f, t);
		round++;
	}
	return round > 0;
}
