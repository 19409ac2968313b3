// SPDX-License-Identifier: MIT
/*
 * Barriers that some of a block's threads come to, or pass without waiting. A workgroup has one barrier, for all of its
 * waves; these count in LDS instead. A word for each of the 16 numbers has the waves that are there in its lower half and
 * how often all were there in its upper half. One lane of a wave counts it, and where it comes last begins anew:
 *
 *	old = load [word]                       all: the number of threads by 32
 *	loop: next = lower half + 1 = all ? (upper half + 1) << 16 : old + 1
 *	      seen = cas [word], old, next      again with what was seen there until that is old
 *	wait: sleep while the upper half is that of old
 *
 * One swap does both, so nobody is counted for a turn that has ended. A number that is used like that anywhere in a
 * kernel is used like that everywhere in it. The words are 0 before any wave goes on from the kernel's start.
 */
#include "libsov/compiler/amd/mir.h"
#include "libsov/compiler/expand.h"
#include "libsov/compiler/flow.h"

#define NUMBERS    16
#define WORD_BYTES 4
#define WAVE_SHIFT 5
#define TURN_SHIFT 16

struct counted {
	struct ir_func *f;
	bool number[NUMBERS]; /* counts in LDS */
	bool any;
};

/* All threads of the block, or as many as it is known to have: the machine's own barrier will do. */
bool gcn_is_barrier_of_all(const struct ir_func *f, const struct ir_inst *in)
{
	uint32_t threads_arg = in->op == IR_BARRIER ? 1 : 2;
	uint64_t count, block = 1;

	if (in->op == IR_BARRIER && in->sub == IR_BARRIER_ARRIVE)
		return false;
	if (in->nargs <= threads_arg)
		return true;
	for (uint32_t axis = 0; axis < 3; axis++)
		block *= f->required_threads[axis];
	return block && ir_is_const(f, in->args[threads_arg], &count) && count == block;
}

static void find_counted(struct counted *c)
{
	uint64_t number;

	ir_for_each_block(c->f, b)
		ir_for_each_inst(c->f, b, i) {
			const struct ir_inst *in = ir_at(c->f, i);

			if (in->op != IR_BARRIER || gcn_is_barrier_of_all(c->f, in))
				continue;
			for (uint32_t k = 0; k < NUMBERS; k++)
				c->number[k] |= !ir_is_const(c->f, in->args[0], &number) || number % NUMBERS == k;
			c->any = true;
		}
}

static bool counts(const struct counted *c, const struct ir_inst *in)
{
	uint64_t number;

	if (in->op != IR_BARRIER && in->op != IR_BARRIER_RED)
		return false;
	return c->any && (!ir_is_const(c->f, in->args[0], &number) || c->number[number % NUMBERS]);
}

static ir_val special(struct expand *e, enum ir_sreg what)
{
	ir_val v = expand_op(e, IR_SREG, IR_B32, 0, 0, 0);

	ir_def(e->f, v)->sub = what;
	return v;
}

static void fence(struct expand *e)
{
	ir_id i = ir_inst_new(e->f, IR_FENCE, IR_VOID, NULL, 0, 0);

	ir_at(e->f, i)->scope = IR_SCOPE_CTA;
	ir_at(e->f, i)->order = IR_ACQ_REL;
	ir_at(e->f, i)->line = e->line;
	ir_insert_before(e->f, e->at, i);
}

static ir_id access_word(struct expand *e, enum ir_op op, const ir_val *args, uint32_t nargs)
{
	ir_id i = ir_inst_new(e->f, op, IR_B32, args, nargs, op != IR_STORE);

	ir_at(e->f, i)->space = IR_SHARED;
	ir_at(e->f, i)->scope = op == IR_STORE ? IR_SCOPE_NONE : IR_SCOPE_CTA;
	ir_at(e->f, i)->order = op == IR_STORE ? IR_WEAK : IR_RELAXED;
	ir_at(e->f, i)->line = e->line;
	ir_insert_before(e->f, e->at, i);
	return i;
}

/* A block of its own between what stands before and what follows, which it leads to. Code goes to where e is, its end is
 * up to the caller. */
static ir_block open_loop(struct expand *e, ir_block *rest)
{
	ir_block before = ir_at(e->f, e->at)->block, loop;

	*rest = flow_split(e->f, e->at);
	loop = ir_block_new_before(e->f, *rest, NULL);
	ir_append(e->f, before, ir_inst_new(e->f, IR_BR, IR_VOID, NULL, 0, 0));
	ir_edge(e->f, before, loop);
	ir_append(e->f, loop, ir_inst_new(e->f, IR_BR, IR_VOID, NULL, 0, 0));
	e->at = e->f->blocks[loop].last;
	return loop;
}

static void close_loop(struct expand *e, ir_block loop, ir_val again, ir_block rest)
{
	ir_remove(e->f, e->at);
	ir_append(e->f, loop, ir_inst_new(e->f, IR_CBR, IR_VOID, &again, 1, 0));
	ir_edge(e->f, loop, loop);
	ir_edge(e->f, loop, rest);
	e->at = e->f->blocks[rest].first;
}

/* Returns what was there before. */
static ir_val arrive(struct expand *e, ir_val at, ir_val all)
{
	ir_val first = ir_at(e->f, access_word(e, IR_LOAD, &at, 1))->res, old, count, turn, next, seen;
	ir_block rest, loop = open_loop(e, &rest);
	ir_id phi = ir_inst_new(e->f, IR_PHI, IR_B32, &first, 1, 1);

	ir_insert_before(e->f, e->at, phi);
	old = ir_at(e->f, phi)->res;
	count = expand_with(e, IR_ADD, expand_with(e, IR_AND, old, (1 << TURN_SHIFT) - 1), 1);
	turn = expand_shift(e, IR_SHL, expand_with(e, IR_ADD, expand_shift(e, IR_SHR_U, old, TURN_SHIFT), 1), TURN_SHIFT);
	next = expand_with(e, IR_ADD, old, 1);
	next = expand_select(e, expand_compare(e, IR_EQ, count, all), turn, next);
	seen = ir_at(e->f, access_word(e, IR_CAS, (ir_val[]){at, old, next}, 3))->res;
	close_loop(e, loop, expand_compare(e, IR_NE, seen, old), rest);
	ir_arg_append(e->f, phi, seen);
	return old;
}

static void wait(struct expand *e, ir_val at, ir_val old)
{
	ir_block rest, loop = open_loop(e, &rest);
	ir_val now = ir_at(e->f, access_word(e, IR_LOAD, &at, 1))->res, time = expand_const(e, IR_B32, 64);

	ir_insert_before(e->f, e->at, ir_inst_new(e->f, IR_SLEEP, IR_VOID, &time, 1, 0));
	now = expand_shift(e, IR_SHR_U, expand_op(e, IR_XOR, IR_B32, now, old, 0), TURN_SHIFT);
	close_loop(e, loop, expand_compare_with(e, IR_EQ, now, 0), rest);
}

static void write_out(struct ir_func *f, ir_id barrier)
{
	const struct ir_inst in = *ir_at(f, barrier);
	struct expand e = {.f = f, .at = barrier, .line = in.line};
	struct expand_branch open;
	ir_val all, at, here, old;

	fence(&e);
	if (in.nargs > 1)
		all = expand_shift(&e, IR_SHR_U, expand_with(&e, IR_ADD, in.args[1], (1 << WAVE_SHIFT) - 1), WAVE_SHIFT);
	else
		all = special(&e, IR_NWARPID);
	at = expand_with(&e, IR_MUL, expand_with(&e, IR_AND, in.args[0], NUMBERS - 1), WORD_BYTES);
	here = expand_op(&e, IR_ACTIVE, IR_B32, 0, 0, 0);
	here = expand_op(&e, IR_CLZ, IR_B32, expand_op(&e, IR_BREV, IR_B32, here, 0, 0), 0, 0);
	open = expand_open(&e, expand_compare(&e, IR_EQ, special(&e, IR_LANEID), here));
	old = arrive(&e, at, all);
	if (in.sub == IR_BARRIER_SYNC)
		wait(&e, at, old);
	e.at = open.back;
	fence(&e);
	ir_remove(f, barrier);
}

/* Each wave clears all words, and goes on when all have. */
static void clear(struct ir_func *f)
{
	struct expand e = {.f = f, .at = flow_first_non_phi(f, f->entry)};
	ir_val at = expand_with(&e, IR_AND, special(&e, IR_LANEID), NUMBERS - 1), zero;

	at = expand_with(&e, IR_MUL, at, WORD_BYTES);
	zero = expand_const(&e, IR_B32, 0);
	access_word(&e, IR_STORE, (ir_val[]){at, zero}, 2);
	ir_insert_before(f, e.at, ir_inst_new(f, IR_BARRIER, IR_VOID, &zero, 1, 0));
}

bool gcn_count_barriers(struct gcn_func *f)
{
	struct counted c = {.f = f->ir};
	uint32_t ninsts = f->ir->ninsts;

	find_counted(&c);
	if (!c.any)
		return true;
	for (ir_id i = 1; i < ninsts; i++) {
		const struct ir_inst *in = ir_at(f->ir, i);

		if (!in->block || !counts(&c, in))
			continue;
		if (in->op == IR_BARRIER_RED) {
			diag_error(&f->job->diag, in->line, 0,
				   "a reduction at a barrier that some of a block's threads come to is not supported on %s yet",
				   f->job->target->name);
			return false;
		}
		write_out(f->ir, i);
	}
	clear(f->ir);
	f->barrier_bytes = NUMBERS * WORD_BYTES;
	return true;
}
