// SPDX-License-Identifier: MIT
/*
 * Selection of warp syncs and of block barriers. Each instruction records its member lanes; where
 * these may be divergent, convergence_barriers.c inserts a WARPSYNC.
 */
#include "libsov/compiler/nv/select.h"
#include "libsov/compiler/passes/lower.h"

struct mir_source emit_ballot(struct select *s, struct mir_source d, struct mir_source x)
{
	struct mir_inst *i = EMIT(s, VOTE, d, NONE, x);

	set_mod(i, SASS_M_VOTE, SASS_VOTE_ANY);
	i->members = MIR_ACTIVE_LANES;
	return d;
}

static struct mir_source emit_and(struct select *s, struct mir_source d, struct mir_source a,
				  struct mir_source b)
{
	EMIT(s, LOP3, NONE, d, a, b, rz(), mir_imm(0xc0), mir_pred_const(false));
	return d;
}

static struct mir_inst *emit_compare(struct select *s, struct mir_source p, uint8_t cmp,
				     struct mir_source a, struct mir_source b)
{
	struct mir_inst *i = EMIT(s, ISETP, p, NONE, a, b, mir_pred_const(true));

	set_mod(i, SASS_M_CMP, cmp);
	return i;
}

/* Makes the lanes wait for members that are not active. Where all members are active, lanes outside
 * of the mask may take part as well, and programs rely on that: a whole warp executes
 * __shfl_up_sync(0xffff, v, 16). WARPSYNC in a lane outside of its mask is an illegal instruction
 * (seen on an H200), so it is guarded. ptxas branches around it in the same case (BRA.DIV). */
static void emit_wait_for_members(struct select *s, ir_val members)
{
	struct mir_source mask = in_reg(s, arg_word(s, members));
	struct mir_source here = emit_ballot(s, new_temp(s, SASS_GPR, 1), mir_pred_const(true));
	struct mir_source missing = new_temp(s, SASS_PRED, 1);
	struct mir_inst *sync;

	emit_compare(s, missing, SASS_CMP_NE, emit_and(s, new_temp(s, SASS_GPR, 1), here, mask),
		     mask);
	sync = EMIT(s, WARPSYNC, NONE, mask);
	mir_set_guard(sync, missing);
	sync->members = MIR_SOME_LANES;
}

/* A warp sync of all lanes needs a WARPSYNC only where they may have diverged, which
 * convergence_barriers.c decides. */
void set_members(struct select *s, struct mir_inst *i, ir_val members)
{
	struct mir_inst *anchor = s->anchor;
	uint64_t mask;

	if (ir_is_const(s->ir, members, &mask) && (uint32_t)mask == UINT32_MAX) {
		i->members = MIR_ALL_LANES;
		return;
	}
	if (has_active_members(s->ir, s->block, members)) {
		i->members = MIR_ACTIVE_LANES;
		return;
	}
	i->members = MIR_SOME_LANES;
	s->anchor = i;
	emit_wait_for_members(s, members);
	s->anchor = anchor;
}

/* A register, or an immediate of the field's 5 or 13 bits. */
static struct mir_source lane_operand(struct select *s, ir_val v, uint32_t limit)
{
	struct arg a = arg_word(s, v);

	if (is_zero(&a))
		return mir_imm(0);
	return a.src.op.kind == SASS_IMM && a.src.op.value < limit ? a.src : in_reg(s, a);
}

bool select_shuffle(struct select *s, const struct ir_inst *in)
{
	static const uint8_t modes[] = {[IR_SHUFFLE_UP] = SASS_SHFL_UP,
					[IR_SHUFFLE_DOWN] = SASS_SHFL_DOWN,
					[IR_SHUFFLE_BFLY] = SASS_SHFL_BFLY,
					[IR_SHUFFLE_IDX] = SASS_SHFL_IDX};
	struct mir_source value = in_reg(s, arg_word(s, in->args[0]));
	struct mir_source lane = lane_operand(s, in->args[1], 32);
	struct mir_source clamp = lane_operand(s, in->args[2], 0x2000);
	struct mir_inst *i;

	i = EMIT(s, SHFL, is_needed(s, in->res + 1, NEED_LOW) ? result(s, in->res + 1) : NONE,
		 is_needed(s, in->res, NEED_LOW) ? result(s, in->res) : rz(), value, lane, clamp);
	set_mod(i, SASS_M_SHFL, modes[in->sub]);
	set_members(s, i, in->args[3]);
	return true;
}

/* Whether lanes that execute one warp sync together may name different member masks, such as one
 * per tile. The hardware then answers for all active lanes. */
static bool has_groups(const struct select *s, ir_val members)
{
	uint64_t mask;

	return !ir_is_const(s->ir, members, &mask) && !has_active_members(s->ir, s->block, members);
}

static void select_vote_in_groups(struct select *s, const struct ir_inst *in)
{
	struct mir_source x = arg_pred(s, in->args[0]), d = result(s, in->res), empty;
	struct mir_source members = in_reg(s, arg_word(s, in->args[1])), yes = {0}, no = {0};
	struct mir_inst *i;

	emit_wait_for_members(s, in->args[1]);
	if (in->sub != IR_VOTE_ALL)
		yes = emit_ballot(s, new_temp(s, SASS_GPR, 1), x);
	if (in->sub == IR_VOTE_ALL || in->sub == IR_VOTE_UNI)
		no = emit_and(s, new_temp(s, SASS_GPR, 1),
			      emit_ballot(s, new_temp(s, SASS_GPR, 1), with_flags(x, SASS_NEG)),
			      members);
	if (in->sub != IR_VOTE_ALL)
		yes = emit_and(s, in->sub == IR_VOTE_BALLOT ? d : new_temp(s, SASS_GPR, 1), yes,
			       members);
	switch (in->sub) {
	case IR_VOTE_ANY:
		emit_compare(s, d, SASS_CMP_NE, yes, rz());
		break;
	case IR_VOTE_ALL:
		emit_compare(s, d, SASS_CMP_EQ, no, rz());
		break;
	case IR_VOTE_UNI: /* one of the two masks is empty */
		empty = new_temp(s, SASS_PRED, 1);
		emit_compare(s, empty, SASS_CMP_EQ, no, rz());
		i = emit_compare(s, d, SASS_CMP_EQ, yes, rz());
		mir_set_operand(i, 4, empty);
		set_mod(i, SASS_M_BOOL, SASS_OR);
		break;
	}
}

bool select_vote(struct select *s, const struct ir_inst *in)
{
	static const uint8_t modes[] = {[IR_VOTE_ALL] = SASS_VOTE_ALL,
					[IR_VOTE_ANY] = SASS_VOTE_ANY,
					[IR_VOTE_UNI] = SASS_VOTE_EQ,
					[IR_VOTE_BALLOT] = SASS_VOTE_ANY};
	struct mir_source x;
	struct mir_inst *i;

	if (has_groups(s, in->args[1])) {
		select_vote_in_groups(s, in);
		return true;
	}
	x = arg_pred(s, in->args[0]);
	if (in->sub == IR_VOTE_BALLOT)
		i = EMIT(s, VOTE, result(s, in->res), NONE, x);
	else
		i = EMIT(s, VOTE, NONE, result(s, in->res), x);
	set_mod(i, SASS_M_VOTE, modes[in->sub]);
	set_members(s, i, in->args[1]);
	return true;
}

/* Lanes with the same value; all match if these are all members that have not exited. */
static void select_match_in_groups(struct select *s, const struct ir_inst *in, struct mir_source x)
{
	struct mir_source members = in_reg(s, arg_word(s, in->args[1]));
	struct mir_source same = new_temp(s, SASS_GPR, 1), here = new_temp(s, SASS_GPR, 1);
	struct mir_source own =
		in->op == IR_MATCH_ANY ? result(s, in->res) : new_temp(s, SASS_GPR, 1);
	struct mir_inst *i = EMIT(s, MATCH_ANY, same, x);
	struct mir_source live_members = new_temp(s, SASS_GPR, 1), all;

	set_mod(i, SASS_M_STYPE, in->type == IR_B64 ? SASS_TYPE_U64 : SASS_TYPE_U32);
	set_members(s, i, in->args[1]);
	emit_and(s, own, same, members);
	if (in->op == IR_MATCH_ANY)
		return;
	all = is_needed(s, in->res + 1, NEED_LOW) ? result(s, in->res + 1)
						  : new_temp(s, SASS_PRED, 1);
	emit_and(s, live_members, emit_ballot(s, here, mir_pred_const(true)), members);
	emit_compare(s, all, SASS_CMP_EQ, own, live_members);
	if (is_needed(s, in->res, NEED_LOW))
		EMIT(s, SEL, result(s, in->res), own, rz(), all);
}

bool select_match(struct select *s, const struct ir_inst *in)
{
	bool wide = in->type == IR_B64, all = in->op == IR_MATCH_ALL;
	struct mir_source x =
		wide ? in_pair(s, arg_pair(s, in->args[0])) : in_reg(s, arg_word(s, in->args[0]));
	struct mir_source d;
	struct mir_inst *i;

	if (has_groups(s, in->args[1])) {
		select_match_in_groups(s, in, x);
		return true;
	}
	d = is_needed(s, in->res, NEED_LOW) ? result(s, in->res) : rz();
	if (all)
		i = EMIT(s, MATCH_ALL,
			 is_needed(s, in->res + 1, NEED_LOW) ? result(s, in->res + 1) : NONE, d, x);
	else
		i = EMIT(s, MATCH_ANY, d, x);
	set_mod(i, SASS_M_STYPE, wide ? SASS_TYPE_U64 : SASS_TYPE_U32);
	set_members(s, i, in->args[1]);
	return true;
}

void emit_reduction(struct select *s, enum ir_reduce reduction, struct mir_source d,
		    struct mir_source x, uint8_t members)
{
	static const struct {
		uint8_t op, type;
	} modes[IR_REDUCE_COUNT] = {
		[IR_REDUCE_ADD] = {SASS_REDUX_SUM, SASS_TYPE_U32},
		[IR_REDUCE_MIN_U] = {SASS_REDUX_MIN, SASS_TYPE_U32},
		[IR_REDUCE_MIN_S] = {SASS_REDUX_MIN, SASS_TYPE_S32},
		[IR_REDUCE_MAX_U] = {SASS_REDUX_MAX, SASS_TYPE_U32},
		[IR_REDUCE_MAX_S] = {SASS_REDUX_MAX, SASS_TYPE_S32},
		[IR_REDUCE_AND] = {SASS_REDUX_AND, SASS_TYPE_U32},
		[IR_REDUCE_OR] = {SASS_REDUX_OR, SASS_TYPE_U32},
		[IR_REDUCE_XOR] = {SASS_REDUX_XOR, SASS_TYPE_U32},
	};
	struct mir_source all = new_temp(s, SASS_UGPR, 1);
	struct mir_inst *i = EMIT(s, REDUX, all, x);

	set_mod(i, SASS_M_REDUX, modes[reduction].op);
	set_mod(i, SASS_M_STYPE, modes[reduction].type);
	i->members = members;
	EMIT(s, MOV, d, all)->reduced = members;
}

/* Of all lanes, or of those that are active: legalise.c lowers others. */
bool select_reduce(struct select *s, const struct ir_inst *in)
{
	struct mir_source x = in_reg(s, arg_word(s, in->args[0]));
	bool active = has_active_members(s->ir, s->block, in->args[1]);

	emit_reduction(s, in->sub, result(s, in->res), x,
		       active ? MIR_ACTIVE_LANES : MIR_ALL_LANES);
	return true;
}

/* The ballot of the active lanes. */
bool select_active(struct select *s, const struct ir_inst *in)
{
	emit_ballot(s, result(s, in->res), mir_pred_const(true));
	return true;
}

bool select_warpsync(struct select *s, const struct ir_inst *in)
{
	uint64_t mask;
	bool known = ir_is_const(s->ir, in->args[0], &mask);
	struct mir_inst *i;

	if (s->f->sm >= 90 && known && (uint32_t)mask == UINT32_MAX)
		i = emit(s, SASS_WARPSYNC_ALL, NULL, 0);
	else
		i = EMIT(s, WARPSYNC, NONE,
			 known && s->f->sm < 90 ? mir_imm((uint32_t)mask)
						: in_reg(s, arg_word(s, in->args[0])));
	i->members = MIR_SOME_LANES;
	i->memory = (struct mir_memory){MIR_READS | MIR_WRITES | MIR_ORDERED, IR_SPACE_COUNT, 0};
	return true;
}

bool select_sleep(struct select *s, const struct ir_inst *in)
{
	struct mir_inst *i = EMIT(s, NANOSLEEP, NONE, in_reg(s, arg_word(s, in->args[0])));

	i->memory = (struct mir_memory){MIR_READS | MIR_WRITES | MIR_ORDERED, IR_SPACE_COUNT, 0};
	return true;
}

#define BAR_NUMBERS 16
#define BAR_THREADS 4095 /* maximum of an immediate */

/* Number of threads that take part; NONE: all of the block. */
static struct mir_source barrier_threads(struct select *s, ir_val nthreads)
{
	struct arg a;

	if (!nthreads)
		return NONE;
	a = arg_word(s, nthreads);
	if (is_zero(&a))
		return mir_imm(0);
	return a.src.op.kind == SASS_CONST ? in_reg(s, a) : a.src;
}

static struct mir_inst *emit_barrier(struct select *s, ir_val which, ir_val nthreads,
				     struct mir_source x)
{
	struct arg number = arg_word(s, which);
	struct mir_source n = is_zero(&number) ? mir_imm(0) : number.src;
	struct mir_source threads = barrier_threads(s, nthreads);
	struct mir_inst *i;

	if (n.op.kind == SASS_CONST)
		n = in_reg(s, number);
	if ((n.op.kind == SASS_IMM && (uint64_t)n.op.value >= BAR_NUMBERS) ||
	    (threads.op.kind == SASS_IMM &&
	     (!threads.op.value || (uint64_t)threads.op.value > BAR_THREADS)))
		return NULL;
	/* A barrier number computed at run time may be any of the sixteen. */
	if (n.op.kind != SASS_IMM)
		s->f->barriers = BAR_NUMBERS;
	else if ((uint32_t)n.op.value >= s->f->barriers)
		s->f->barriers = (uint32_t)n.op.value + 1;
	if (n.op.kind == SASS_GPR && threads.op.kind == SASS_GPR) {
		/* One register holds both, the number of threads in its upper half. */
		struct mir_source emit_and = new_temp(s, SASS_GPR, 1);

		EMIT(s, PRMT, emit_and, n, mir_imm(0x5410), threads);
		n = threads = emit_and;
	}
	i = EMIT(s, BAR, n, threads, x);
	i->memory = (struct mir_memory){MIR_READS | MIR_WRITES | MIR_ORDERED, IR_SPACE_COUNT, 0};
	i->members = MIR_ALL_LANES;
	return i;
}

bool select_barrier(struct select *s, const struct ir_inst *in)
{
	struct mir_inst *i = emit_barrier(s, in->args[0], in->nargs > 1 ? in->args[1] : 0, NONE);

	if (!i)
		return false;
	set_mod(i, SASS_M_BAR, in->sub == IR_BARRIER_SYNC ? SASS_BAR_SYNC : SASS_BAR_ARV);
	set_mod(i, SASS_M_DEFER, in->sub == IR_BARRIER_SYNC);
	return true;
}

/* The warp counts as a whole, as at a barrier of the block. */
bool select_cluster_barrier(struct select *s, const struct ir_inst *in)
{
	uint16_t op = in->sub == IR_CLUSTER_ARRIVE ? SASS_UCGABAR_ARV : SASS_UCGABAR_WAIT;
	struct mir_inst *i;

	if (s->f->sm < 90)
		return false;
	i = emit(s, op, NULL, 0);
	i->memory = (struct mir_memory){MIR_READS | MIR_WRITES | MIR_ORDERED, IR_SPACE_COUNT, 0};
	i->members = MIR_ALL_LANES;
	return true;
}

/* B2R reads the reduction's result afterwards. */
bool select_barrier_red(struct select *s, const struct ir_inst *in)
{
	static const uint8_t modes[IR_BARRIER_RED_COUNT] = {[IR_BARRIER_AND] = SASS_BAR_RED_AND,
							    [IR_BARRIER_OR] = SASS_BAR_RED_OR,
							    [IR_BARRIER_POPC] = SASS_BAR_RED_POPC};
	struct mir_inst *i = emit_barrier(s, in->args[0], in->nargs > 2 ? in->args[2] : 0,
					  arg_pred(s, in->args[1]));

	if (!i)
		return false;
	set_mod(i, SASS_M_BAR, modes[in->sub]);
	set_mod(i, SASS_M_DEFER, 1);
	if (!is_needed(s, in->res, NEED_LOW))
		return true;
	i = in->type == IR_B1 ? EMIT(s, B2R, NONE, result(s, in->res))
			      : EMIT(s, B2R, result(s, in->res), NONE);
	i->memory = (struct mir_memory){MIR_READS | MIR_WRITES | MIR_ORDERED, IR_SPACE_COUNT, 0};
	i->members = MIR_SOME_LANES;
	return true;
}
