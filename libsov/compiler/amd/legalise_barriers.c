// SPDX-License-Identifier: MIT
/*
 * Named barriers for part of a block, and bar.arrive. The hardware has one barrier per workgroup,
 * so these are software barriers in LDS. Each has an arrival count, a generation number and two
 * reduction sums, used alternately:
 *	generation = load the barrier's generation (before anything else)
 *	sum[generation & 1] += the lane's contribution
 *	arrived += number of lanes; the wave that completes the barrier subtracts the
 *	           thread count, clears the other sum and increments the generation
 *	wait until the generation changes
 *
 * The lowest active lane acts for its wave; other lanes add 0. A partial last wave counts as a full
 * one, as PTX counts warps. Every kernel zeroes all barriers at entry, followed by a workgroup
 * barrier.
 */
#include "libsov/compiler/amd/mir.h"
#include "libsov/compiler/passes/expand.h"
#include "libsov/compiler/analysis/cfg_walk.h"

#define BARRIERS      16
#define BARRIER_BYTES 16 /* per barrier */
enum { ARRIVED_OFFSET, GENERATION_OFFSET = 4, SUMS_OFFSET = 8 };

static bool has_thread_count(const struct ir_inst *in, uint32_t *arg)
{
	*arg = in->op == IR_BARRIER ? 1 : 2;
	return in->nargs > *arg;
}

bool gcn_is_workgroup_barrier(const struct ir_func *f, const struct ir_inst *in)
{
	uint64_t count, block = 1;
	uint32_t arg;

	if (in->op == IR_BARRIER && in->sub == IR_BARRIER_ARRIVE)
		return false;
	if (!has_thread_count(in, &arg))
		return true;
	for (uint32_t axis = 0; axis < 3; axis++)
		block *= f->required_threads[axis];
	return block && ir_is_const(f, in->args[arg], &count) && count == block;
}

struct barrier {
	struct expand e;
	ir_val at; /* address of its words */
};

static ir_val insert_leaf(struct expand *e, enum ir_op op, uint8_t sub)
{
	ir_id i = ir_inst_new(e->f, op, IR_B32, NULL, 0, 1);

	ir_at(e->f, i)->sub = sub;
	ir_insert_before(e->f, e->at, i);
	return ir_at(e->f, i)->res;
}

static ir_id insert_access(struct expand *e, enum ir_op op, const ir_val *args, uint32_t n,
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

static ir_val insert_atomic_add(struct expand *e, ir_val at, uint32_t offset, ir_val x)
{
	return ir_at(e->f, insert_access(e, IR_ATOM, (ir_val[]){at, x}, 2, offset))->res;
}

static ir_val insert_load(struct expand *e, ir_val at, uint32_t offset)
{
	return ir_at(e->f, insert_access(e, IR_LOAD, &at, 1, offset))->res;
}

static void insert_fence(struct expand *e)
{
	ir_id i = ir_inst_new(e->f, IR_FENCE, IR_VOID, NULL, 0, 0);

	ir_at(e->f, i)->scope = IR_SCOPE_CTA;
	ir_at(e->f, i)->order = IR_ACQ_REL;
	ir_insert_before(e->f, e->at, i);
}

static ir_val barrier_base(struct expand *e, const struct gcn_module_info *module)
{
	ir_id i = ir_inst_new(e->f, IR_ADDR, IR_B32, NULL, 0, 1);

	ir_at(e->f, i)->symbol = module->barrier_symbol - 1;
	ir_insert_before(e->f, e->at, i);
	return ir_at(e->f, i)->res;
}

static ir_val insert_and(struct expand *e, ir_val x, ir_val y)
{
	return expand_op(e, IR_AND, IR_B1, x, y, 0);
}

/* The number of threads that arrive with these lanes. */
static ir_val count_arriving_threads(struct expand *e, ir_val lanes)
{
	ir_val count = expand_op(e, IR_POPC, IR_B32, lanes, 0, 0),
	       all = insert_leaf(e, IR_SREG, IR_NTID_X), last;

	all = expand_op(e, IR_MUL, IR_B32, all, insert_leaf(e, IR_SREG, IR_NTID_Y), 0);
	all = expand_op(e, IR_MUL, IR_B32, all, insert_leaf(e, IR_SREG, IR_NTID_Z), 0);
	all = expand_op_imm(e, IR_AND, all, 31);
	last = expand_op_imm(e, IR_ADD, insert_leaf(e, IR_SREG, IR_WARPID), 1);
	last = expand_compare(e, IR_EQ, last, insert_leaf(e, IR_SREG, IR_NWARPID));
	return expand_select(e, insert_and(e, last, expand_compare(e, IR_EQ, count, all)),
			     expand_const(e, IR_B32, 32), count);
}

static ir_val select_or_zero(struct expand *e, ir_val p, ir_val x)
{
	return expand_select(e, p, x, expand_const(e, IR_B32, 0));
}

/* Emits the arrival. Returns the generation before it. */
static ir_val barrier_arrive(struct barrier *b, ir_val threads, ir_val contribution)
{
	struct expand *e = &b->e;
	ir_val lanes = insert_leaf(e, IR_ACTIVE, 0), lowest, is_leader, generation, count, old,
	       completes, other, zero;

	lowest = expand_op(e, IR_CLZ, IR_B32, expand_op(e, IR_BREV, IR_B32, lanes, 0, 0), 0, 0);
	is_leader = expand_compare(e, IR_EQ, insert_leaf(e, IR_SREG, IR_LANEID), lowest);
	count = count_arriving_threads(e, lanes);
	generation = insert_load(e, b->at, GENERATION_OFFSET);
	other = expand_op_imm(e, IR_AND, generation, 1);
	if (contribution)
		insert_atomic_add(
			e,
			expand_op(e, IR_ADD, IR_B32, b->at, expand_shift(e, IR_SHL, other, 2), 0),
			SUMS_OFFSET, contribution);
	old = insert_atomic_add(e, b->at, ARRIVED_OFFSET, select_or_zero(e, is_leader, count));
	completes = insert_and(e, is_leader, expand_compare(e, IR_LT_U, old, threads));
	completes = insert_and(
		e, completes,
		expand_compare(e, IR_GE_U, expand_op(e, IR_ADD, IR_B32, old, count, 0), threads));
	zero = expand_const(e, IR_B32, 0);
	insert_atomic_add(
		e, b->at, ARRIVED_OFFSET,
		select_or_zero(e, completes, expand_op(e, IR_SUB, IR_B32, zero, threads, 0)));
	/* Clear the other sum by subtracting its value: no wave adds to it in this generation. */
	other = expand_shift(e, IR_SHL, expand_op_imm(e, IR_XOR, other, 1), 2);
	other = expand_op(e, IR_ADD, IR_B32, b->at, other, 0);
	old = expand_op(e, IR_SUB, IR_B32, zero, insert_load(e, other, SUMS_OFFSET), 0);
	insert_atomic_add(e, other, SUMS_OFFSET, select_or_zero(e, completes, old));
	insert_atomic_add(e, b->at, GENERATION_OFFSET,
			  select_or_zero(e, completes, expand_const(e, IR_B32, 1)));
	return generation;
}

/* Afterwards the instruction at b->e.at is the first of a new block. */
static void barrier_wait(struct barrier *b, ir_val generation)
{
	struct ir_func *f = b->e.f;
	ir_block before = ir_at(f, b->e.at)->block, rest = cfg_split_block(f, b->e.at);
	ir_block loop = ir_block_new_before(f, rest, NULL);
	struct expand in = {.f = f, .line = b->e.line};
	ir_val p = generation, duration;

	ir_append(f, before, ir_inst_new(f, IR_BR, IR_VOID, NULL, 0, 0));
	ir_edge(f, before, loop);
	in.at = ir_inst_new(f, IR_CBR, IR_VOID, &p, 1, 0);
	ir_append(f, loop, in.at);
	duration = expand_const(&in, IR_B32, 100);
	ir_insert_before(f, in.at, ir_inst_new(f, IR_SLEEP, IR_VOID, &duration, 1, 0));
	p = expand_compare(&in, IR_NE, insert_load(&in, b->at, GENERATION_OFFSET), generation);
	ir_at(f, in.at)->args[0] = p;
	ir_edge(f, loop, rest);
	ir_edge(f, loop, loop);
}

static ir_val barrier_reduce(struct barrier *b, const struct ir_inst *in)
{
	struct expand *e = &b->e;
	ir_val one = expand_const(e, IR_B32, 1), zero = expand_const(e, IR_B32, 0), generation, sum;

	generation = barrier_arrive(b, in->args[2],
				    in->sub == IR_BARRIER_AND
					    ? expand_select(e, in->args[1], zero, one)
					    : expand_select(e, in->args[1], one, zero));
	barrier_wait(b, generation);
	generation = expand_shift(e, IR_SHL, expand_op_imm(e, IR_AND, generation, 1), 2);
	sum = insert_load(e, expand_op(e, IR_ADD, IR_B32, b->at, generation, 0), SUMS_OFFSET);
	if (in->sub == IR_BARRIER_POPC)
		return sum;
	return expand_compare(e, in->sub == IR_BARRIER_AND ? IR_EQ : IR_NE, sum,
			      expand_const(e, IR_B32, 0));
}

static void expand_barrier(struct ir_func *f, const struct gcn_module_info *module, ir_id i)
{
	const struct ir_inst in = *ir_at(f, i);
	struct barrier b = {.e = {.f = f, .at = i, .line = in.line}};
	ir_val number;

	insert_fence(&b.e);
	number = expand_shift(&b.e, IR_SHL, expand_op_imm(&b.e, IR_AND, in.args[0], BARRIERS - 1),
			      4);
	b.at = expand_op(&b.e, IR_ADD, IR_B32, barrier_base(&b.e, module), number, 0);
	if (in.op == IR_BARRIER_RED)
		ir_replace_uses(f, in.res, barrier_reduce(&b, &in));
	else if (in.sub == IR_BARRIER_ARRIVE)
		barrier_arrive(&b, in.args[1], 0);
	else
		barrier_wait(&b, barrier_arrive(&b, in.args[1], 0));
	insert_fence(&b.e);
	ir_remove(f, i);
}

/* Zeroes all barriers at kernel entry. */
static void clear_barriers(struct ir_func *f, const struct gcn_module_info *module)
{
	struct expand e = {.f = f, .at = cfg_first_non_phi(f, f->entry)};
	ir_val at = barrier_base(&e, module), zero = expand_const(&e, IR_B32, 0), number = zero;
	ir_id i;

	for (uint32_t k = 0; k < BARRIERS * BARRIER_BYTES; k += 4)
		insert_access(&e, IR_STORE, (ir_val[]){at, zero}, 2, k);
	i = ir_inst_new(f, IR_BARRIER, IR_VOID, &number, 1, 0);
	ir_insert_before(f, e.at, i);
}

void gcn_legalise_barriers(struct ir_func *f, const struct gcn_module_info *module)
{
	if (!module->barrier_symbol)
		return;
	if (f->kind == IR_KERNEL)
		clear_barriers(f, module);
	for (ir_block b = f->entry; b; b = f->blocks[b].next) {
		ir_id last = f->blocks[b].last;

		ir_for_each_inst_safe(f, b, i) {
			if ((ir_at(f, i)->op != IR_BARRIER && ir_at(f, i)->op != IR_BARRIER_RED) ||
			    gcn_is_workgroup_barrier(f, ir_at(f, i)))
				continue;
			expand_barrier(f, module, i);
			/* The block was split: the rest is visited as a later block. */
			if (f->blocks[b].last != last)
				break;
		}
	}
}

uint32_t gcn_barrier_symbol_new(struct ir_module *m)
{
	return ir_symbol_new(m, &(struct ir_symbol){.name = ".barriers",
						    .space = IR_SHARED,
						    .align = 16,
						    .size = BARRIERS * BARRIER_BYTES}) +
	       1;
}
