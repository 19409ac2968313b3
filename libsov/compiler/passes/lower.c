// SPDX-License-Identifier: MIT
/*
 * Lowering on the IR that back ends request. lower_returns merges a function's returns, so that
 * divergent lanes reconverge there. lower_atomic replaces atomics that the target lacks by
 * compare-and-swap loops:
 *
 *	        first = load [a]                  rest of the block:
 *	loop:   old = phi first, seen             result = seen
 *	        seen = cas [a], old, f(old, x)
 *	        cbr seen = old, rest, loop
 *
 * A 16-bit atomic works on the 32-bit word around it, and f changes its half only. At a generic
 * address hardware supports the atomics of shared memory; for others the code branches between a
 * loop for shared memory and the native operation for global memory.
 */
#include "libsov/compiler/passes/lower.h"

/* Of a generic address in the shared window: the offset in the block's shared memory, as ptxas
 * computes it for sm_80 to sm_90. */
#define SHARED_OFFSET_MASK UINT64_C(0xffffff)

struct builder {
	struct ir_func *f;
	ir_block block;
	enum ir_type type;
	uint8_t format, flags;
	uint32_t line;
};

static ir_id append_op(struct builder *b, enum ir_op op, enum ir_type type, ir_val x, ir_val y,
		       uint32_t nargs)
{
	ir_id i = ir_inst_new(b->f, op, type, (ir_val[]){x, y}, nargs, 1);

	ir_at(b->f, i)->line = b->line;
	ir_append(b->f, b->block, i);
	return i;
}

static ir_val append_binary(struct builder *b, enum ir_op op, ir_val x, ir_val y)
{
	return ir_at(b->f, append_op(b, op, b->type, x, y, 2))->res;
}

static ir_val append_compare(struct builder *b, enum ir_cond cond, ir_val x, ir_val y)
{
	ir_id i = append_op(b, IR_ICMP, b->type, x, y, 2);

	ir_at(b->f, i)->cond = (uint8_t)cond;
	return ir_at(b->f, i)->res;
}

static ir_val append_select(struct builder *b, ir_val p, ir_val x, ir_val y)
{
	ir_id i = ir_inst_new(b->f, IR_SELECT, b->type, (ir_val[]){p, x, y}, 3, 1);

	ir_append(b->f, b->block, i);
	return ir_at(b->f, i)->res;
}

/* The new value in memory after an atomic found old there. */
static ir_val append_update(struct builder *b, enum ir_atom what, ir_val old, ir_val x)
{
	static const uint8_t ops[IR_ATOM_COUNT] = {
		[IR_ATOM_ADD] = IR_ADD,     [IR_ATOM_MIN_U] = IR_MIN_U, [IR_ATOM_MIN_S] = IR_MIN_S,
		[IR_ATOM_MAX_U] = IR_MAX_U, [IR_ATOM_MAX_S] = IR_MAX_S, [IR_ATOM_AND] = IR_AND,
		[IR_ATOM_OR] = IR_OR,       [IR_ATOM_XOR] = IR_XOR,     [IR_ATOM_FADD] = IR_FADD,
		[IR_ATOM_FMIN] = IR_FMIN,   [IR_ATOM_FMAX] = IR_FMAX,
	};
	ir_val zero, one, next;

	if (ops[what]) {
		next = append_binary(b, ops[what], old, x);
		if (what >= IR_ATOM_FADD)
			ir_def(b->f, next)->format = b->format;
		if (what >= IR_ATOM_FADD)
			ir_def(b->f, next)->flags = b->flags;
		return next;
	}
	if (what == IR_ATOM_EXCH)
		return x;
	zero = ir_const(b->f, b->block, b->type, 0);
	one = ir_const(b->f, b->block, b->type, 1);
	if (what == IR_ATOM_INC) {
		next = append_binary(b, IR_ADD, old, one);
		return append_select(b, append_compare(b, IR_GE_U, old, x), zero, next);
	}
	next = append_binary(b, IR_SUB, old, one);
	next = append_select(b, append_compare(b, IR_GT_U, old, x), x, next);
	return append_select(b, append_compare(b, IR_EQ, old, zero), x, next);
}

/* Moves an instruction and everything after it to a new block, with the outgoing edges. */
static ir_block split_block(struct ir_func *f, ir_id at)
{
	ir_block from = ir_at(f, at)->block, to = ir_block_new(f, NULL);

	for (ir_id i = at; i;) {
		ir_id next = ir_at(f, i)->next;

		ir_remove(f, i);
		ir_append(f, to, i);
		i = next;
	}
	for (uint32_t s = 0; s < f->blocks[from].nsucc; s++) {
		struct ir_bb *succ = &f->blocks[f->blocks[from].succ[s]];

		f->blocks[to].succ[s] = f->blocks[from].succ[s];
		for (uint32_t p = 0; p < succ->npreds; p++) {
			if (succ->preds[p] == from)
				succ->preds[p] = to;
		}
	}
	f->blocks[to].nsucc = f->blocks[from].nsucc;
	f->blocks[from].nsucc = 0;
	return to;
}

/* A memory operation at the address and with the attributes of another. */
static ir_id append_access(struct builder *b, ir_id like, enum ir_op op, const ir_val *args,
			   uint32_t nargs)
{
	ir_id i = ir_inst_new(b->f, op, b->type, args, nargs, 1);
	const struct ir_inst *from = ir_at(b->f, like);
	struct ir_inst *to = ir_at(b->f, i);

	to->imm = from->imm;
	to->space = from->space;
	to->scope = from->scope;
	to->order = op == IR_LOAD ? IR_RELAXED : from->order;
	to->align = from->align;
	to->from = from->from;
	to->line = from->line;
	ir_append(b->f, b->block, i);
	return i;
}

static struct builder atomic_builder(struct ir_func *f, const struct ir_inst *in)
{
	return (struct builder){.f = f,
				.block = in->block,
				.type = in->type,
				.format = in->format,
				.flags = in->flags & IR_FTZ,
				.line = in->line};
}

static ir_val append_load(struct builder *b, ir_id atom, ir_val address)
{
	return ir_at(b->f, append_access(b, atom, IR_LOAD, &address, 1))->res;
}

/* One attempt, and the branch to rest or retry. Returns the value that was seen. */
static ir_val append_attempt(struct builder *b, ir_id atom, ir_val old, ir_block rest,
			     ir_block retry)
{
	const struct ir_inst in = *ir_at(b->f, atom);
	ir_val next = append_update(b, in.sub, old, in.args[1]);
	ir_id cas = append_access(b, atom, IR_CAS, (ir_val[]){in.args[0], old, next}, 3);
	ir_val seen = ir_at(b->f, cas)->res;

	ir_append(b->f, b->block,
		  ir_inst_new(b->f, IR_CBR, IR_VOID,
			      (ir_val[]){append_compare(b, IR_EQ, seen, old)}, 1, 0));
	ir_edge(b->f, b->block, rest);
	ir_edge(b->f, b->block, retry);
	return seen;
}

static void lower_to_cas_loop(struct ir_func *f, ir_id atom)
{
	const struct ir_inst in = *ir_at(f, atom);
	struct builder b = atomic_builder(f, &in);
	ir_block rest = split_block(f, atom), loop = ir_block_new_before(f, rest, NULL);
	ir_val first = append_load(&b, atom, in.args[0]), seen;
	ir_id phi;

	ir_append(f, b.block, ir_inst_new(f, IR_BR, IR_VOID, NULL, 0, 0));
	ir_edge(f, b.block, loop);
	b.block = loop;
	phi = ir_inst_new(f, IR_PHI, in.type, (ir_val[]){first}, 1, 1);
	ir_append(f, loop, phi);
	seen = append_attempt(&b, atom, ir_at(f, phi)->res, rest, loop);
	ir_arg_append(f, phi, seen);
	ir_replace_uses(f, in.res, seen);
	ir_remove(f, atom);
}

/*
 * For shared memory with a second compare-and-swap, which the back end selects in the loop (see
 * lower_atomic):
 *
 *	        first = load [a]
 *	        seen = cas [a], first, f(first, x)
 *	        cbr seen = first, rest, loop
 *	loop:   old = phi seen, again
 *	        cbr (cas [a], old, f(old, x)) = old, rest, latch
 *	latch:  again = load [a]
 *	        br loop
 *	rest:   result = phi first, old
 */
static void lower_to_contended_loop(struct ir_func *f, ir_id atom)
{
	const struct ir_inst in = *ir_at(f, atom);
	struct builder b = atomic_builder(f, &in);
	ir_block rest = split_block(f, atom), loop = ir_block_new_before(f, rest, NULL);
	ir_block latch = ir_block_new_before(f, rest, NULL);
	ir_val first = append_load(&b, atom, in.args[0]), seen, old;
	ir_id phi, result;

	seen = append_attempt(&b, atom, first, rest, loop);
	b.block = loop;
	phi = ir_inst_new(f, IR_PHI, in.type, (ir_val[]){seen}, 1, 1);
	ir_append(f, loop, phi);
	old = ir_at(f, phi)->res;
	append_attempt(&b, atom, old, rest, latch);
	b.block = latch;
	ir_arg_append(f, phi, append_load(&b, atom, in.args[0]));
	ir_append(f, latch, ir_inst_new(f, IR_BR, IR_VOID, NULL, 0, 0));
	ir_edge(f, latch, loop);

	result = ir_inst_new(f, IR_PHI, in.type, (ir_val[]){first, old}, 2, 1);
	ir_insert_before(f, f->blocks[rest].first, result);
	ir_replace_uses(f, in.res, ir_at(f, result)->res);
	ir_remove(f, atom);
}

/* The target has the operation for global memory, so only shared memory, of the block or of the
 * cluster, needs a loop. Local memory
 * has no atomics (PTX ISA, atom). */
static void branch_on_space(struct ir_func *f, ir_id atom, enum ir_space space, bool shared_cast)
{
	const struct ir_inst in = *ir_at(f, atom);
	ir_block before = in.block, rest = split_block(f, atom);
	ir_block shared = ir_block_new_before(f, rest, NULL),
		 global = ir_block_new_before(f, rest, NULL);
	struct builder b = {
		.f = f, .block = before, .type = f->values[in.args[0]].type, .line = in.line};
	ir_val at = in.args[0];
	ir_id test, twin, phi;

	if (in.imm)
		at = append_binary(&b, IR_ADD, at, ir_const(f, before, b.type, in.imm));
	test = append_op(&b, IR_INSPACE, b.type, at, 0, 1);
	ir_at(f, test)->space = (uint8_t)space;
	ir_append(f, before,
		  ir_inst_new(f, IR_CBR, IR_VOID, (ir_val[]){ir_at(f, test)->res}, 1, 0));
	ir_edge(f, before, shared);
	ir_edge(f, before, global);

	b.block = shared;
	if (shared_cast)
		at = append_binary(&b, IR_AND, at, ir_const(f, shared, b.type, SHARED_OFFSET_MASK));
	b.type = in.type;
	twin = append_access(&b, atom, in.op, in.args, in.nargs);
	if (shared_cast) {
		ir_at(f, twin)->args[0] = at;
		ir_at(f, twin)->imm = 0;
		ir_at(f, twin)->space = IR_SHARED;
	}
	ir_at(f, twin)->sub = in.sub;
	ir_at(f, twin)->format = in.format;
	ir_at(f, twin)->flags = in.flags & ~IR_FTZ; /* ftz applies to global memory only */
	ir_remove(f, atom);
	ir_append(f, global, atom);
	ir_at(f, atom)->space = IR_GLOBAL;
	for (uint32_t k = 0; k < 2; k++) {
		ir_append(f, k ? global : shared, ir_inst_new(f, IR_BR, IR_VOID, NULL, 0, 0));
		ir_edge(f, k ? global : shared, rest);
	}
	phi = ir_inst_new(f, IR_PHI, in.type, NULL, 0, 1);
	ir_insert_before(f, f->blocks[rest].first, phi);
	ir_replace_uses(f, in.res, ir_at(f, phi)->res);
	ir_arg_append(f, phi, ir_at(f, twin)->res);
	ir_arg_append(f, phi, in.res);
	if (shared_cast)
		lower_to_contended_loop(f, twin);
	else
		lower_to_cas_loop(f, twin);
}

/* The 32-bit word that contains a 16-bit location. */
struct half {
	ir_val word, shift, others; /* address; shift of the half in bits; mask of the other half */
};

static struct half find_half(struct builder *b, const struct ir_inst *in)
{
	enum ir_type type = b->f->values[in->args[0]].type;
	struct builder wide = *b;
	ir_val at = in->args[0], low, one;
	struct half h;
	ir_id i;

	wide.type = type;
	if (in->imm)
		at = append_binary(&wide, IR_ADD, at, ir_const(b->f, b->block, type, in->imm));
	h.word = append_binary(&wide, IR_AND, at, ir_const(b->f, b->block, type, ~UINT64_C(3)));
	low = at;
	if (type == IR_B64) {
		i = append_op(b, IR_TRUNC, IR_B32, at, 0, 1);
		ir_at(b->f, i)->from = IR_B64;
		low = ir_at(b->f, i)->res;
	}
	low = append_binary(b, IR_AND, low, ir_const(b->f, b->block, IR_B32, 2));
	h.shift = append_binary(b, IR_SHL, low, ir_const(b->f, b->block, IR_B32, 3));
	one = append_binary(b, IR_SHL, ir_const(b->f, b->block, IR_B32, 0xffff), h.shift);
	h.others = append_binary(b, IR_XOR, one, ir_const(b->f, b->block, IR_B32, UINT32_MAX));
	return h;
}

static ir_val append_convert(struct builder *b, enum ir_op op, enum ir_type type, enum ir_type from,
			     ir_val x)
{
	ir_id i = append_op(b, op, type, x, 0, 1);

	ir_at(b->f, i)->from = (uint8_t)from;
	return ir_at(b->f, i)->res;
}

/* The new word after an atomic found old there, and the previous half. */
static ir_val append_half_update(struct builder *b, const struct ir_inst *in, const struct half *h,
				 ir_val old, ir_val *was)
{
	struct builder narrow = *b;
	ir_val next, kept, same;

	narrow.type = IR_B16;
	*was = append_convert(b, IR_TRUNC, IR_B16, IR_B32,
			      append_binary(b, IR_SHR_U, old, h->shift));
	next = in->op == IR_CAS ? in->args[2] : append_update(&narrow, in->sub, *was, in->args[1]);
	next = append_binary(b, IR_SHL, append_convert(b, IR_ZEXT, IR_B32, IR_B16, next), h->shift);
	kept = append_binary(b, IR_AND, old, h->others);
	next = append_binary(b, IR_OR, next, kept);
	if (in->op != IR_CAS)
		return next;
	same = append_compare(&narrow, IR_EQ, *was, in->args[1]);
	return append_select(b, same, next, old);
}

static void lower_half_to_cas_loop(struct ir_func *f, ir_id atom)
{
	const struct ir_inst in = *ir_at(f, atom);
	ir_block before = in.block, rest = split_block(f, atom);
	ir_block loop = ir_block_new_before(f, rest, NULL);
	struct builder b = {.f = f,
			    .block = before,
			    .type = IR_B32,
			    .format = in.format,
			    .flags = in.flags & IR_FTZ,
			    .line = in.line};
	struct half h = find_half(&b, &in);
	ir_val first, old, next, seen, was;
	ir_id phi, branch, access;

	access = append_access(&b, atom, IR_LOAD, &h.word, 1);
	ir_at(f, access)->imm = 0;
	ir_at(f, access)->from = IR_B32;
	ir_at(f, access)->align = 4;
	first = ir_at(f, access)->res;
	ir_append(f, before, ir_inst_new(f, IR_BR, IR_VOID, NULL, 0, 0));
	ir_edge(f, before, loop);

	b.block = loop;
	phi = ir_inst_new(f, IR_PHI, IR_B32, (ir_val[]){first}, 1, 1);
	ir_append(f, loop, phi);
	old = ir_at(f, phi)->res;
	next = append_half_update(&b, &in, &h, old, &was);
	access = append_access(&b, atom, IR_CAS, (ir_val[]){h.word, old, next}, 3);
	ir_at(f, access)->imm = 0;
	ir_at(f, access)->from = IR_B32;
	ir_at(f, access)->align = 4;
	seen = ir_at(f, access)->res;
	branch = ir_inst_new(f, IR_CBR, IR_VOID, (ir_val[]){append_compare(&b, IR_EQ, seen, old)},
			     1, 0);
	ir_append(f, loop, branch);
	ir_edge(f, loop, rest);
	ir_edge(f, loop, loop);
	ir_arg_append(f, phi, seen);

	ir_replace_uses(f, in.res, was);
	ir_remove(f, atom);
}

static bool ends_in_ret(const struct ir_func *f, ir_block b)
{
	return f->blocks[b].last && ir_at(f, f->blocks[b].last)->op == IR_RET;
}

void lower_returns(struct ir_func *f)
{
	ir_val *results = arena_array(f->module->arena, f->nresults + 1, sizeof(*results));
	uint32_t count = 0;
	ir_block end;
	ir_id *phis;

	ir_for_each_block(f, b)
		count += ends_in_ret(f, b);
	if (count < 2)
		return;
	end = ir_block_new(f, NULL);
	phis = arena_array(f->module->arena, f->nresults + 1, sizeof(*phis));
	for (uint32_t k = 0; k < f->nresults; k++) {
		phis[k] = ir_inst_new(f, IR_PHI, f->result_types[k], NULL, 0, 1);
		ir_append(f, end, phis[k]);
		results[k] = ir_at(f, phis[k])->res;
	}
	for (ir_block b = f->entry; b != end; b = f->blocks[b].next) {
		ir_id last = f->blocks[b].last;

		if (!ends_in_ret(f, b))
			continue;
		for (uint32_t k = 0; k < f->nresults; k++)
			ir_arg_append(f, phis[k], ir_at(f, last)->args[k]);
		ir_remove(f, last);
		ir_append(f, b, ir_inst_new(f, IR_BR, IR_VOID, NULL, 0, 0));
		ir_edge(f, b, end);
	}
	ir_append(f, end, ir_inst_new(f, IR_RET, IR_VOID, results, f->nresults, 0));
}

void lower_atomic(struct ir_func *f, ir_id i, bool (*is_native)(const struct ir_inst *in),
		  bool shared_cast)
{
	const struct ir_inst *in = ir_at(f, i), *address = ir_def(f, in->args[0]);
	bool clusters = f->module->clusters;
	struct ir_inst global = *in;

	global.space = IR_GLOBAL;
	if (in->type == IR_B16)
		lower_half_to_cas_loop(f, i);
	else if (address->op == IR_GENERIC && address->space == IR_SHARED_CLUSTER)
		lower_to_cas_loop(f, i);
	else if (in->space == IR_GENERIC_SPACE && is_native(&global))
		branch_on_space(f, i, clusters ? IR_SHARED_CLUSTER : IR_SHARED,
				shared_cast && !clusters);
	else if (shared_cast && in->space == IR_SHARED)
		lower_to_contended_loop(f, i);
	else
		lower_to_cas_loop(f, i);
}
