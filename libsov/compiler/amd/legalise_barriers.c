// SPDX-License-Identifier: MIT
/*
 * Barriers of some of a block's threads, and those that threads pass without waiting. The machine has one barrier, for
 * all of a workgroup, so these are made of words in LDS: how many threads have arrived, how often the barrier has
 * opened, and two sums for reductions, of which one is in use.
 *
 *	opened = the barrier's count		(read before anything else)
 *	sum[opened & 1] += what the lanes bring
 *	arrived += lanes; who makes it full takes that many away, empties the other sum, and opens
 *	wait until it has opened
 *
 * The lowest lane does it for its wave: others add nothing. A wave whose last lanes do not exist counts as a whole one,
 * as PTX counts warps. All words are 0 from the start of a kernel on: its threads write them and meet.
 */
#include "libsov/compiler/amd/mir.h"
#include "libsov/compiler/passes/expand.h"
#include "libsov/compiler/analysis/cfg_walk.h"

#define BARRIERS 16
#define BYTES    16 /* of each */
enum { ARRIVED, OPENED = 4, SUMS = 8 };

static bool threads_of(const struct ir_inst *in, uint32_t *arg)
{
	*arg = in->op == IR_BARRIER ? 1 : 2;
	return in->nargs > *arg;
}

bool gcn_is_whole_barrier(const struct ir_func *f, const struct ir_inst *in)
{
	uint64_t count, block = 1;
	uint32_t arg;

	if (in->op == IR_BARRIER && in->sub == IR_BARRIER_ARRIVE)
		return false;
	if (!threads_of(in, &arg))
		return true;
	for (uint32_t axis = 0; axis < 3; axis++)
		block *= f->required_threads[axis];
	return block && ir_is_const(f, in->args[arg], &count) && count == block;
}

struct barrier {
	struct expand e;
	ir_val at; /* address of its words */
};

static ir_val leaf(struct expand *e, enum ir_op op, uint8_t sub)
{
	ir_id i = ir_inst_new(e->f, op, IR_B32, NULL, 0, 1);

	ir_at(e->f, i)->sub = sub;
	ir_insert_before(e->f, e->at, i);
	return ir_at(e->f, i)->res;
}

static ir_id access(struct expand *e, enum ir_op op, const ir_val *args, uint32_t n,
		    uint32_t offset)
{
	ir_id i = ir_inst_new(e->f, op, IR_B32, args, n, op != IR_STORE);

	ir_at(e->f, i)->space = IR_SHARED;
	ir_at(e->f, i)->imm = offset;
	ir_at(e->f, i)->line = e->line;
	if (op == IR_ATOM) {
		ir_at(e->f, i)->sub = IR_ATOM_ADD;
		ir_at(e->f, i)->order = IR_RELAXED;
		ir_at(e->f, i)->scope = IR_SCOPE_CTA;
	} else {
		ir_at(e->f, i)->flags = IR_VOLATILE;
	}
	ir_insert_before(e->f, e->at, i);
	return i;
}

static ir_val add_to(struct expand *e, ir_val at, uint32_t offset, ir_val x)
{
	return ir_at(e->f, access(e, IR_ATOM, (ir_val[]){at, x}, 2, offset))->res;
}

static ir_val read(struct expand *e, ir_val at, uint32_t offset)
{
	return ir_at(e->f, access(e, IR_LOAD, &at, 1, offset))->res;
}

static void fence(struct expand *e)
{
	ir_id i = ir_inst_new(e->f, IR_FENCE, IR_VOID, NULL, 0, 0);

	ir_at(e->f, i)->scope = IR_SCOPE_CTA;
	ir_at(e->f, i)->order = IR_ACQ_REL;
	ir_insert_before(e->f, e->at, i);
}

static ir_val address(struct expand *e, const struct gcn_unit *u)
{
	ir_id i = ir_inst_new(e->f, IR_ADDR, IR_B32, NULL, 0, 1);

	ir_at(e->f, i)->symbol = u->barriers - 1;
	ir_insert_before(e->f, e->at, i);
	return ir_at(e->f, i)->res;
}

static ir_val both(struct expand *e, ir_val x, ir_val y)
{
	return expand_op(e, IR_AND, IR_B1, x, y, 0);
}

/* How many threads arrive with these lanes. */
static ir_val lanes_that_count(struct expand *e, ir_val lanes)
{
	ir_val count = expand_op(e, IR_POPC, IR_B32, lanes, 0, 0),
	       all = leaf(e, IR_SREG, IR_NTID_X), last;

	all = expand_op(e, IR_MUL, IR_B32, all, leaf(e, IR_SREG, IR_NTID_Y), 0);
	all = expand_op(e, IR_MUL, IR_B32, all, leaf(e, IR_SREG, IR_NTID_Z), 0);
	all = expand_op_imm(e, IR_AND, all, 31);
	last = expand_op_imm(e, IR_ADD, leaf(e, IR_SREG, IR_WARPID), 1);
	last = expand_compare(e, IR_EQ, last, leaf(e, IR_SREG, IR_NWARPID));
	return expand_select(e, both(e, last, expand_compare(e, IR_EQ, count, all)),
			     expand_const(e, IR_B32, 32), count);
}

static ir_val only_if(struct expand *e, ir_val p, ir_val x)
{
	return expand_select(e, p, x, expand_const(e, IR_B32, 0));
}

/* Gives how often the barrier had opened before. */
static ir_val arrive(struct barrier *b, ir_val threads, ir_val brought)
{
	struct expand *e = &b->e;
	ir_val lanes = leaf(e, IR_ACTIVE, 0), lowest, leads, opened, count, old, fills, other, zero;

	lowest = expand_op(e, IR_CLZ, IR_B32, expand_op(e, IR_BREV, IR_B32, lanes, 0, 0), 0, 0);
	leads = expand_compare(e, IR_EQ, leaf(e, IR_SREG, IR_LANEID), lowest);
	count = lanes_that_count(e, lanes);
	opened = read(e, b->at, OPENED);
	other = expand_op_imm(e, IR_AND, opened, 1);
	if (brought)
		add_to(e, expand_op(e, IR_ADD, IR_B32, b->at, expand_shift(e, IR_SHL, other, 2), 0),
		       SUMS, brought);
	old = add_to(e, b->at, ARRIVED, only_if(e, leads, count));
	fills = both(e, leads, expand_compare(e, IR_LT_U, old, threads));
	fills = both(
		e, fills,
		expand_compare(e, IR_GE_U, expand_op(e, IR_ADD, IR_B32, old, count, 0), threads));
	zero = expand_const(e, IR_B32, 0);
	add_to(e, b->at, ARRIVED,
	       only_if(e, fills, expand_op(e, IR_SUB, IR_B32, zero, threads, 0)));
	/* The other sum, by as much as it is: nobody adds to it now. */
	other = expand_shift(e, IR_SHL, expand_op_imm(e, IR_XOR, other, 1), 2);
	other = expand_op(e, IR_ADD, IR_B32, b->at, other, 0);
	old = expand_op(e, IR_SUB, IR_B32, zero, read(e, other, SUMS), 0);
	add_to(e, other, SUMS, only_if(e, fills, old));
	add_to(e, b->at, OPENED, only_if(e, fills, expand_const(e, IR_B32, 1)));
	return opened;
}

/* The instruction is the first of another block afterwards. */
static void wait_for(struct barrier *b, ir_val opened)
{
	struct ir_func *f = b->e.f;
	ir_block before = ir_at(f, b->e.at)->block, rest = cfg_split_block(f, b->e.at);
	ir_block loop = ir_block_new_before(f, rest, NULL);
	struct expand in = {.f = f, .line = b->e.line};
	ir_val p = opened, naps;

	ir_append(f, before, ir_inst_new(f, IR_BR, IR_VOID, NULL, 0, 0));
	ir_edge(f, before, loop);
	in.at = ir_inst_new(f, IR_CBR, IR_VOID, &p, 1, 0);
	ir_append(f, loop, in.at);
	naps = expand_const(&in, IR_B32, 100);
	ir_insert_before(f, in.at, ir_inst_new(f, IR_SLEEP, IR_VOID, &naps, 1, 0));
	p = expand_compare(&in, IR_NE, read(&in, b->at, OPENED), opened);
	ir_at(f, in.at)->args[0] = p;
	ir_edge(f, loop, rest);
	ir_edge(f, loop, loop);
}

static ir_val reduce(struct barrier *b, const struct ir_inst *in)
{
	struct expand *e = &b->e;
	ir_val one = expand_const(e, IR_B32, 1), zero = expand_const(e, IR_B32, 0), opened, sum;

	opened = arrive(b, in->args[2],
			in->sub == IR_BARRIER_AND ? expand_select(e, in->args[1], zero, one)
						  : expand_select(e, in->args[1], one, zero));
	wait_for(b, opened);
	opened = expand_shift(e, IR_SHL, expand_op_imm(e, IR_AND, opened, 1), 2);
	sum = read(e, expand_op(e, IR_ADD, IR_B32, b->at, opened, 0), SUMS);
	if (in->sub == IR_BARRIER_POPC)
		return sum;
	return expand_compare(e, in->sub == IR_BARRIER_AND ? IR_EQ : IR_NE, sum,
			      expand_const(e, IR_B32, 0));
}

static void write_out(struct ir_func *f, const struct gcn_unit *u, ir_id i)
{
	const struct ir_inst in = *ir_at(f, i);
	struct barrier b = {.e = {.f = f, .at = i, .line = in.line}};
	ir_val number;

	fence(&b.e);
	number = expand_shift(&b.e, IR_SHL, expand_op_imm(&b.e, IR_AND, in.args[0], BARRIERS - 1), 4);
	b.at = expand_op(&b.e, IR_ADD, IR_B32, address(&b.e, u), number, 0);
	if (in.op == IR_BARRIER_RED)
		ir_replace_uses(f, in.res, reduce(&b, &in));
	else if (in.sub == IR_BARRIER_ARRIVE)
		arrive(&b, in.args[1], 0);
	else
		wait_for(&b, arrive(&b, in.args[1], 0));
	fence(&b.e);
	ir_remove(f, i);
}

/* Before anybody comes to one. */
static void clear(struct ir_func *f, const struct gcn_unit *u)
{
	struct expand e = {.f = f, .at = cfg_first_non_phi(f, f->entry)};
	ir_val at = address(&e, u), zero = expand_const(&e, IR_B32, 0), number = zero;
	ir_id i;

	for (uint32_t k = 0; k < BARRIERS * BYTES; k += 4)
		access(&e, IR_STORE, (ir_val[]){at, zero}, 2, k);
	i = ir_inst_new(f, IR_BARRIER, IR_VOID, &number, 1, 0);
	ir_insert_before(f, e.at, i);
}

void gcn_legalise_barriers(struct ir_func *f, const struct gcn_unit *u)
{
	if (!u->barriers)
		return;
	if (f->kind == IR_KERNEL)
		clear(f, u);
	for (ir_block b = f->entry; b; b = f->blocks[b].next) {
		ir_id last = f->blocks[b].last;

		ir_for_each_inst_safe(f, b, i) {
			if ((ir_at(f, i)->op != IR_BARRIER && ir_at(f, i)->op != IR_BARRIER_RED) ||
			    gcn_is_whole_barrier(f, ir_at(f, i)))
				continue;
			write_out(f, u, i);
			if (f->blocks[b].last != last)
				break; /* the rest of the block is another one, still to come */
		}
	}
}

uint32_t gcn_barrier_words(struct ir_module *m)
{
	return ir_symbol_new(m, &(struct ir_symbol){.name = ".barriers",
						    .space = IR_SHARED,
						    .align = 16,
						    .size = BARRIERS * BYTES}) +
	       1;
}
