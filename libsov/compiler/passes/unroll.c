// SPDX-License-Identifier: MIT
/*
 * Loop unrolling: a single-block loop with loads runs four iterations per trip, or two if it has
 * many loads, so that up to 32 words are in flight together; the scheduler issues as many as the
 * registers allow. The loads must not depend on stores of the previous iterations. So does a small
 * loop without loads, whose branch takes as long as its body. While at least as many iterations are
 * left, the unrolled copy runs, without exits between its iterations; the original loop runs the
 * remainder. Four stands for two as well in what follows.
 *
 *	        P                       P: are four iterations left?
 *	        |                      / \
 *	    +-> H             +----> U    |     U: four iterations; then: are four left,
 *	    +---|      =>     +--yes-|\   |        and if not: is another one left?
 *	        |                    | one|
 *	        X                    |  +-H<+   H: one iteration
 *	                             |  +-|-+
 *	                             +--> E     E: phis of the last values of both loops
 *
 * The number of iterations left follows from an induction variable i that grows by s in each
 * iteration while i < n or until i = n: in an iteration with i < n, four are left when n - i > 3 s,
 * in exact arithmetic. So s must be positive and small enough that 3 s does not overflow: a
 * constant, or a variable that is tested before the loop, such as the size of the block. While
 * i <= n, n - i >= 3 s suffices, and loops down are alike. Until i = n, n - i > 3 s modulo the word
 * size suffices: if fewer were left, n - i would be s, 2 s or 3 s.
 * Loops with barriers, shuffles or calls and loops marked nounroll stay.
 */
#include "libsov/compiler/ir/cond.h"
#include "libsov/compiler/analysis/cfg_walk.h"
#include "libsov/compiler/passes/pass.h"
#include "libsov/compiler/analysis/uses.h"

#define MAX_FACTOR    4
#define MAX_IN_FLIGHT 32                   /* loads of a word */
#define MAX_SIZE      160                  /* issue slots of the unrolled loop */
#define MAX_SMALL     16                   /* instructions of a loop unrolled without loads */
#define MAX_STEP      UINT64_C(0x0fffffff) /* bound of the step */

struct loop {
	struct ir_func *f;
	struct uses *uses;
	ir_block header, preheader, exit;
	ir_val start, limit, step; /* of the induction variable; step 0: constant instead */
	uint64_t constant;         /* magnitude of the step */
	ir_id next;                /* the addition that computes the next i */
	enum ir_cond cond;         /* the loop continues while i cond limit */
	bool down;
	enum ir_type type;
	uint32_t factor; /* iterations per trip of the unrolled loop */
};

/* ---- which loops ---- */

static bool in_loop(const struct loop *l, ir_val v)
{
	return ir_def(l->f, v)->block == l->header;
}

/* A division expands to dozens of instructions, which hide the latency of a load anyway. */
static bool is_expanded(enum ir_op op)
{
	return op == IR_FDIV || op == IR_FRCP || op == IR_FSQRT ||
	       (op >= IR_DIV_U && op <= IR_REM_S);
}

/* Phis and constants are registers and operands, signs are part of operands. */
static bool takes_issue_slot(enum ir_op op)
{
	return op != IR_PHI && op != IR_CONST && op != IR_FNEG && op != IR_FABS;
}

/* An address: a value and a constant number of bytes. */
struct place {
	ir_val base;
	uint64_t offset;
	uint64_t bytes; /* of the access */
};

static ir_val skip_constants(const struct ir_func *f, ir_val v, uint64_t *offset)
{
	uint64_t constant;

	for (;;) {
		const struct ir_inst *def = ir_def(f, v);

		if (def->op != IR_ADD || def->type != IR_B64 ||
		    !ir_is_const(f, def->args[1], &constant))
			return v;
		*offset += constant;
		v = def->args[0];
	}
}

static struct place place_of(const struct ir_func *f, const struct ir_inst *in)
{
	uint32_t values = in->op == IR_LOAD ? in->nres : ir_data_args(in) - 1;
	struct place p = {.offset = in->imm, .bytes = ir_type_bits(in->type) / 8 * values};

	p.base = skip_constants(f, in->args[0], &p.offset);
	return p;
}

/* Whether a load of any of the next iterations can precede a store: both addresses are the same
 * pointer, which grows by a constant, and constants. */
static bool are_apart(const struct loop *l, const struct ir_inst *load, const struct ir_inst *store)
{
	uint32_t self = l->f->blocks[l->header].preds[0] == l->header ? 0 : 1;
	struct place from, to;
	const struct ir_inst *phi;
	uint64_t stride = 0, distance;

	if (store->op != IR_STORE)
		return false;
	from = place_of(l->f, load);
	to = place_of(l->f, store);
	phi = ir_def(l->f, from.base);
	if (from.base != to.base || phi->op != IR_PHI || phi->block != l->header ||
	    l->f->values[from.base].type != IR_B64 ||
	    skip_constants(l->f, phi->args[self], &stride) != from.base)
		return false;
	distance = from.offset - to.offset;
	for (uint32_t k = 1; k < MAX_FACTOR; k++) {
		distance += stride;
		/* Modulo 2^64: neither starts inside of the other. */
		if (distance < to.bytes || 0 - distance < from.bytes)
			return false;
	}
	return true;
}

/* Whether a load can issue before the previous iteration has ended: no store of the loop may alias
 * it. Volatile and relaxed loads keep their order, but need not wait for each other. */
static bool may_issue_early(const struct loop *l, const struct ir_inst *in, uint32_t written)
{
	uint32_t generic = 1 << IR_GENERIC_SPACE;

	if (in->op != IR_LOAD || in->space == IR_PARAM ||
	    (in->order != IR_WEAK && in->order != IR_RELAXED))
		return false;
	if (in->flags & IR_INVARIANT || in->space == IR_CONSTANT || !written ||
	    !(written & (generic | 1u << in->space) || in->space == IR_GENERIC_SPACE))
		return true;
	ir_for_each_inst(l->f, l->header, i) {
		const struct ir_inst *other = ir_at(l->f, i);

		if (ir_ops[other->op].properties & P_WRITE && !are_apart(l, in, other))
			return false;
	}
	return true;
}

/* Fences, asynchronous copies, barriers in memory, clocks: loads do not move across them. */
static bool orders_memory(uint8_t op)
{
	return ir_ops[op].properties & (P_READ | P_WRITE) && !(ir_ops[op].attributes & A_MEM);
}

static bool is_body_unrollable(struct loop *l)
{
	uint32_t size = 0, slots = 0, loads = 0, written = 0; /* bit mask of spaces */
	bool memory = false;

	ir_for_each_inst(l->f, l->header, i) {
		const struct ir_inst *in = ir_at(l->f, i);

		size++;
		slots += takes_issue_slot(in->op);
		if (slots > MAX_SIZE / 2 || ir_ops[in->op].properties & P_CONV ||
		    orders_memory(in->op) || is_expanded(in->op))
			return false;
		if (ir_ops[in->op].properties & P_WRITE)
			written |= 1u << in->space;
		memory |= ir_ops[in->op].properties & (P_READ | P_WRITE);
	}
	ir_for_each_inst(l->f, l->header, i) {
		const struct ir_inst *in = ir_at(l->f, i);

		if (may_issue_early(l, in, written))
			loads += in->nres * (in->type == IR_B64 ? 2 : 1);
	}
	l->factor = MAX_FACTOR;
	while (l->factor > 1 && (loads * l->factor > MAX_IN_FLIGHT || slots * l->factor > MAX_SIZE))
		l->factor /= 2;
	return (loads || (!memory && size <= MAX_SMALL)) && l->factor > 1;
}

/* The largest step whose multiples of up to three iterations do not overflow. */
static uint64_t max_step(enum ir_type t)
{
	uint64_t fits = (UINT64_MAX >> (64 - ir_type_bits(t))) / (MAX_FACTOR - 1);

	return fits < MAX_STEP ? fits : MAX_STEP;
}

/* Matches i + s, or i - 1 as i + -1, where i is a header phi and the sum its next value. */
static bool find_induction_variable(struct loop *l, ir_val next)
{
	const struct ir_inst *add = ir_def(l->f, next), *phi;
	uint32_t from_loop = l->f->blocks[l->header].preds[0] == l->header ? 0 : 1;
	uint64_t ones = UINT64_MAX >> (64 - ir_type_bits(l->f->values[next].type));

	if (add->op != IR_ADD || add->block != l->header)
		return false;
	for (int k = 0; k < 2; k++) {
		phi = ir_def(l->f, add->args[k]);
		if (phi->op != IR_PHI || phi->block != l->header || phi->args[from_loop] != next)
			continue;
		l->start = phi->args[!from_loop];
		l->step = add->args[!k];
		l->type = add->type;
		l->next = l->f->values[next].def;
		if (ir_is_const(l->f, l->step, &l->constant)) {
			l->step = 0;
			l->down = l->constant > ones / 2;
			if (l->down)
				l->constant = ones + 1 - l->constant;
			return l->constant && l->constant <= max_step(l->type);
		}
		return !in_loop(l, l->step);
	}
	return false;
}

static bool is_cond_unrollable(const struct loop *l)
{
	switch (l->cond) {
	case IR_LT_U:
	case IR_LT_S:
	case IR_LE_U:
	case IR_LE_S:
		return !l->down;
	case IR_GT_U:
	case IR_GT_S:
	case IR_GE_U:
	case IR_GE_S:
		return l->down && !l->step;
	case IR_NE:
		return !l->step;
	default:
		return false;
	}
}

static bool find_limit(struct loop *l)
{
	const struct ir_bb *bb = &l->f->blocks[l->header];
	const struct ir_inst *end = ir_at(l->f, bb->last), *cmp;

	if (end->op != IR_CBR)
		return false;
	cmp = ir_def(l->f, end->args[0]);
	if (cmp->op != IR_ICMP || cmp->block != l->header)
		return false;
	for (int k = 0; k < 2; k++) {
		l->cond = bb->succ[0] == l->header ? cmp->cond : cond_inverse[cmp->cond];
		if (k)
			l->cond = cond_mirrored[l->cond];
		l->limit = cmp->args[!k];
		if (!in_loop(l, l->limit) && in_loop(l, cmp->args[k]) &&
		    find_induction_variable(l, cmp->args[k]))
			return is_cond_unrollable(l);
	}
	return false;
}

static bool find_loop(struct loop *l, ir_block b)
{
	const struct ir_bb *bb = &l->f->blocks[b];
	uint32_t self;

	if (bb->rolled || bb->nsucc != 2 || bb->npreds != 2 ||
	    (bb->preds[0] == b) == (bb->preds[1] == b) || (bb->succ[0] == b) == (bb->succ[1] == b))
		return false;
	self = bb->preds[0] == b ? 0 : 1;
	l->header = b;
	l->preheader = bb->preds[!self];
	l->exit = bb->succ[bb->succ[0] == b];
	return l->f->blocks[l->preheader].nsucc == 1 && is_body_unrollable(l) && find_limit(l);
}

/* ---- building ---- */

static ir_val append_op(struct loop *l, ir_block b, enum ir_op op, enum ir_type t, ir_val x,
			ir_val y)
{
	const ir_val args[2] = {x, y};
	ir_id i = ir_inst_new(l->f, op, t, args, y ? 2 : 1, 1);

	ir_append(l->f, b, i);
	return ir_at(l->f, i)->res;
}

static ir_val append_compare(struct loop *l, ir_block b, enum ir_cond cond, ir_val x, ir_val y)
{
	ir_val v = append_op(l, b, IR_ICMP, l->f->values[x].type, x, y);

	ir_def(l->f, v)->cond = cond;
	return v;
}

static ir_block new_branch_block(struct loop *l, ir_block where,
				 ir_block to) /* a block with only a branch */
{
	ir_block b = ir_block_new_before(l->f, where, NULL);

	ir_append(l->f, b, ir_inst_new(l->f, IR_BR, IR_VOID, NULL, 0, 0));
	ir_edge(l->f, b, to);
	return b;
}

static void append_cond_branch(struct loop *l, ir_block b, ir_val c, ir_block yes, ir_block no)
{
	ir_append(l->f, b, ir_inst_new(l->f, IR_CBR, IR_VOID, &c, 1, 0));
	ir_edge(l->f, b, yes);
	ir_edge(l->f, b, no);
}

static bool includes_limit(enum ir_cond cond)
{
	return cond == IR_LE_U || cond == IR_LE_S || cond == IR_GE_U || cond == IR_GE_S;
}

/* In an iteration with this i: are three more left? */
static ir_val factor_left(struct loop *l, ir_block b, ir_val i)
{
	ir_val left = l->down ? append_op(l, b, IR_SUB, l->type, i, l->limit)
			      : append_op(l, b, IR_SUB, l->type, l->limit, i);
	ir_val three = ir_const(l->f, b, l->type, (l->factor - 1) * (l->step ? 1 : l->constant));

	if (l->step)
		three = append_op(l, b, IR_MUL, l->type, l->step, three);
	return append_compare(l, b, includes_limit(l->cond) ? IR_GE_U : IR_GT_U, left, three);
}

/* The same for any i: is there an iteration with it, and are three more left? Until i = n, the
 * second implies the first. */
static ir_val factor_left_of(struct loop *l, ir_block b, ir_val i, ir_val more)
{
	ir_val c = factor_left(l, b, i);

	return l->cond == IR_NE ? c : append_op(l, b, IR_AND, IR_B1, c, more);
}

/* The same for the first iteration, which runs whatever i is. */
static ir_val factor_left_at_entry(struct loop *l, ir_block b)
{
	ir_val c =
		factor_left_of(l, b, l->start, append_compare(l, b, l->cond, l->start, l->limit));

	if (l->step) {
		ir_val max = ir_const(l->f, b, l->type, max_step(l->type));

		c = append_op(l, b, IR_AND, IR_B1, c, append_compare(l, b, IR_LE_U, l->step, max));
	}
	return c;
}

/* A header phi: its values before the loop, after each iteration, and in U. */
struct carried {
	ir_id phi;
	ir_val start, next; /* next: in the header */
	ir_id in_u;
	ir_val last; /* next, in the last iteration of U */
};

struct unroller {
	struct loop loop;
	/* by value of the original function: its copy in the current iteration; 0: none */
	ir_val *map;
	uint32_t nmap;
	struct carried *carried;
	uint32_t ncarried;
};

static ir_val mapped_value(const struct unroller *u, ir_val v)
{
	return v < u->nmap && u->map[v] ? u->map[v] : v;
}

static void find_carried(struct unroller *u)
{
	struct ir_func *f = u->loop.f;
	const struct ir_bb *bb = &f->blocks[u->loop.header];
	uint32_t self = bb->preds[0] == u->loop.header ? 0 : 1, n = 0;

	for (ir_id i = bb->first; ir_at(f, i)->op == IR_PHI; i = ir_at(f, i)->next)
		n++;
	u->carried = arena_array(f->module->arena, n, sizeof(*u->carried));
	u->ncarried = 0;
	for (ir_id i = bb->first; ir_at(f, i)->op == IR_PHI; i = ir_at(f, i)->next)
		u->carried[u->ncarried++] = (struct carried){.phi = i,
							     .start = ir_at(f, i)->args[!self],
							     .next = ir_at(f, i)->args[self]};
}

static void copy_iteration(struct unroller *u, ir_block to)
{
	struct ir_func *f = u->loop.f;
	ir_block header = u->loop.header;

	for (ir_id i = cfg_first_non_phi(f, header); i != f->blocks[header].last;
	     i = ir_at(f, i)->next) {
		struct ir_inst in = *ir_at(f, i);
		ir_id copy = ir_inst_new(f, in.op, in.type, in.args, in.nargs, in.nres);
		ir_val old = in.res;

		in.res = ir_at(f, copy)->res;
		in.args = ir_at(f, copy)->args;
		in.block = in.prev = in.next = 0;
		for (uint32_t k = 0; k < in.nargs; k++)
			in.args[k] = mapped_value(u, in.args[k]);
		*ir_at(f, copy) = in;
		ir_append(f, to, copy);
		for (uint32_t k = 0; k < in.nres; k++)
			u->map[old + k] = in.res + k;
	}
	for (uint32_t k = 0; k < u->ncarried; k++)
		u->carried[k].last = mapped_value(u, u->carried[k].next);
}

/* Builds U: phis for the carried values, then the iterations. */
static ir_block build_unrolled(struct unroller *u)
{
	struct ir_func *f = u->loop.f;
	ir_block b = ir_block_new_before(f, u->loop.header, NULL);

	for (uint32_t k = 0; k < u->ncarried; k++) {
		struct carried *c = &u->carried[k];
		const ir_val args[2] = {c->start,
					c->start}; /* the second is set after the iterations */

		c->in_u = ir_inst_new(f, IR_PHI, ir_at(f, c->phi)->type, args, 2, 1);
		ir_append(f, b, c->in_u);
		c->last = ir_at(f, c->in_u)->res;
	}
	for (uint32_t iteration = 0; iteration < u->loop.factor; iteration++) {
		for (uint32_t k = 0; k < u->ncarried; k++)
			u->map[ir_at(f, u->carried[k].phi)->res] = u->carried[k].last;
		copy_iteration(u, b);
	}
	for (uint32_t k = 0; k < u->ncarried; k++)
		ir_at(f, u->carried[k].in_u)->args[1] = u->carried[k].last;
	return b;
}

/* Joins both exits in a new block before the exit block. */
static ir_block build_exit(struct unroller *u)
{
	struct loop *l = &u->loop;
	struct ir_func *f = l->f;
	ir_block where = f->blocks[l->header].next, join, from_header;
	uint32_t slot = 0;

	while (f->blocks[l->exit].preds[slot] != l->header)
		slot++;
	join = new_branch_block(l, where, l->exit);
	ir_for_each_inst(f, l->exit, i) {
		if (ir_at(f, i)->op != IR_PHI)
			break;
		ir_arg_append(f, i, ir_at(f, i)->args[slot]);
	}
	from_header = new_branch_block(l, join, join);
	ir_edge_redirect(f, l->header, l->exit, from_header);
	return join;
}

/* Replaces uses of a header value after the loop by a phi of its last values in both loops. */
static void merge_live_out(struct unroller *u, ir_block join, ir_val v)
{
	struct loop *l = &u->loop;
	ir_val args[2] = {v, mapped_value(u, v)}, both = 0;

	uses_for_each(l->uses, v, it) {
		ir_id user = l->uses->list[it].user;

		if (!ir_at(l->f, user)->block || ir_at(l->f, user)->block == l->header)
			continue;
		for (uint32_t k = 0; k < ir_at(l->f, user)->nargs; k++) {
			if (ir_at(l->f, user)->args[k] != v)
				continue;
			if (!both) {
				ir_id phi =
					ir_inst_new(l->f, IR_PHI, l->f->values[v].type, args, 2, 1);

				ir_insert_before(l->f, l->f->blocks[join].first, phi);
				both = ir_at(l->f, phi)->res;
			}
			ir_at(l->f, user)->args[k] = both;
		}
	}
}

static void unroll_loop(struct unroller *u)
{
	struct loop *l = &u->loop;
	struct ir_func *f = l->f;
	ir_block unrolled, to_unrolled, to_header, check, again, rest, leave, join;
	ir_val next, more;

	find_carried(u);
	unrolled = build_unrolled(u);
	next = mapped_value(u, ir_at(f, l->next)->res);
	/* entry */
	ir_remove(f, f->blocks[l->preheader].last);
	ir_edge_remove(f, l->preheader, l->header);
	to_unrolled = new_branch_block(l, unrolled, unrolled);
	to_header = new_branch_block(l, l->header, l->header);
	append_cond_branch(l, l->preheader, factor_left_at_entry(l, l->preheader), to_unrolled,
			   to_header);
	/* after four iterations */
	join = build_exit(u);
	check = ir_block_new_before(f, to_header, NULL);
	again = new_branch_block(l, to_header, unrolled);
	rest = new_branch_block(l, to_header, l->header);
	leave = new_branch_block(l, join, join);
	more = append_compare(l, unrolled, l->cond, next, l->limit);
	append_cond_branch(l, unrolled, factor_left_of(l, unrolled, next, more), again, check);
	append_cond_branch(l, check, more, rest, leave);
	for (uint32_t k = 0; k < u->ncarried; k++) {
		ir_arg_append(f, u->carried[k].phi, u->carried[k].start);
		ir_arg_append(f, u->carried[k].phi, u->carried[k].last);
	}
	ir_for_each_inst(f, l->header, i)
		for (uint32_t k = 0; k < ir_at(f, i)->nres; k++)
			merge_live_out(u, join, ir_at(f, i)->res + k);
	ir_for_each_inst(f, l->header, i)
		for (uint32_t k = 0; k < ir_at(f, i)->nres; k++)
			u->map[ir_at(f, i)->res + k] = 0;
}

/* Visits loops in reverse postorder: code that uses a loop's values comes later and is copied with
 * its arguments already rewritten. */
bool pass_unroll(struct ir_func *f, const struct target *t)
{
	const struct ir_cfg *cfg = ir_cfg_build(f);
	struct uses uses;
	struct unroller u = {.loop = {.f = f, .uses = &uses}, .nmap = f->nvalues};
	bool changed = false;

	for (uint32_t k = 0; k < cfg->nrpo && !t->hides_load_latency; k++) {
		if (!find_loop(&u.loop, cfg->rpo[k]))
			continue;
		if (!changed) {
			uses_init(&uses, f);
			u.map = arena_array(f->module->arena, f->nvalues, sizeof(*u.map));
		}
		unroll_loop(&u);
		changed = true;
	}
	return changed;
}
