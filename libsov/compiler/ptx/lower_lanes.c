// SPDX-License-Identifier: MIT
/*
 * Lowering of warp syncs and barriers: shuffles, votes, matches, reductions. Forms without .sync
 * predate independent thread scheduling; their members are the active lanes.
 */
#include "libsov/compiler/ptx/front_end.h"

static ir_val member_mask(struct ptx *x, const struct ptx_inst *in)
{
	if (in->role[ROLE_MEMBERS])
		return ptx_read_role(x, in, ROLE_MEMBERS);
	return ptx_op(x, IR_ACTIVE, IR_B32, 0, 0, 0);
}

void ptx_lower_shfl(struct ptx *x, const struct ptx_inst *in)
{
	static const enum ptx_role roles[] = {ROLE_A, ROLE_B, ROLE_C};
	ir_val args[4], v;
	ir_id i;

	for (int k = 0; k < 3; k++)
		args[k] = ptx_read_operand(x, in->role[roles[k]]);
	args[3] = member_mask(x, in);
	i = ptx_emit(x, IR_SHUFFLE, IR_B32, 2, 4, args);
	ir_at(x->func, i)->sub = in->value[SLOT_SHUFFLE];
	v = ir_at(x->func, i)->res;
	ptx_write_operand(x, in->role[ROLE_D], v);
	ptx_write_operand(x, in->role[ROLE_P], v + 1);
}

void ptx_lower_vote(struct ptx *x, const struct ptx_inst *in)
{
	ir_val a = ptx_read_operand(x, in->role[ROLE_A]);
	ir_val v = ptx_op(x, IR_VOTE, in->role[ROLE_D]->type->ir, a, member_mask(x, in), 0);

	ir_def(x->func, v)->sub = in->value[SLOT_VOTE];
	ptx_write_operand(x, in->role[ROLE_D], v);
}

void ptx_lower_match(struct ptx *x, const struct ptx_inst *in)
{
	ir_val a = ptx_read_role(x, in, ROLE_A);
	ir_val v = ptx_op(x, in->row->op, in->role[ROLE_A]->type->ir, a, member_mask(x, in), 0);

	ptx_write_operand(x, in->role[ROLE_D], v);
	ptx_write_operand(x, in->role[ROLE_P], v + 1);
}

void ptx_lower_redux(struct ptx *x, const struct ptx_inst *in)
{
	static const uint8_t subs[IR_ATOM_COUNT] = {
		[IR_ATOM_ADD] = IR_REDUCE_ADD,     [IR_ATOM_MIN_U] = IR_REDUCE_MIN_U,
		[IR_ATOM_MAX_U] = IR_REDUCE_MAX_U, [IR_ATOM_AND] = IR_REDUCE_AND,
		[IR_ATOM_OR] = IR_REDUCE_OR,       [IR_ATOM_XOR] = IR_REDUCE_XOR};
	bool is_signed = ptx_inst_type(in, SLOT_TYPE)->class == CLASS_SIGNED;
	ir_val a = ptx_read_role(x, in, ROLE_A);
	ir_val v = ptx_op(x, IR_REDUCE, IR_B32, a, member_mask(x, in), 0);
	uint8_t sub = subs[in->value[SLOT_ATOM]];

	if (is_signed && (sub == IR_REDUCE_MIN_U || sub == IR_REDUCE_MAX_U))
		sub++; /* the signed operation follows the unsigned one */
	ir_def(x->func, v)->sub = sub;
	ptx_write_operand(x, in->role[ROLE_D], v);
}

void ptx_lower_activemask(struct ptx *x, const struct ptx_inst *in)
{
	ptx_write_operand(x, in->role[ROLE_D], ptx_op(x, IR_ACTIVE, IR_B32, 0, 0, 0));
}

static void emit_warpsync(struct ptx *x, ir_val members)
{
	ptx_emit(x, IR_WARPSYNC, IR_VOID, 0, 1, &members);
}

ir_val ptx_lane_number(struct ptx *x)
{
	ir_val lane = ptx_op(x, IR_SREG, IR_B32, 0, 0, 0);

	ir_def(x->func, lane)->sub = IR_LANEID;
	return lane;
}

/* The lowest member is the leader. */
void ptx_lower_elect(struct ptx *x, const struct ptx_inst *in)
{
	ir_val members = member_mask(x, in), leader, lane;

	emit_warpsync(x, members);
	leader = ptx_op(x, IR_CLZ, IR_B32, ptx_op(x, IR_BREV, IR_B32, members, 0, 0), 0, 0);
	lane = ptx_lane_number(x);
	ptx_write_operand(x, in->role[ROLE_D], leader);
	ptx_write_operand(x, in->role[ROLE_P],
			  ptx_compare(x, IR_ICMP, IR_B32, IR_EQ, lane, leader));
}

void ptx_lower_warpsync(struct ptx *x, const struct ptx_inst *in)
{
	emit_warpsync(x, member_mask(x, in));
}

void ptx_lower_nanosleep(struct ptx *x, const struct ptx_inst *in)
{
	ir_val a = ptx_read_role(x, in, ROLE_A);

	ptx_emit(x, IR_SLEEP, IR_VOID, 0, 1, &a);
}

#define MAX_BLOCK_THREADS 1024 /* on every target */

static bool check_barrier(struct ptx *x, const struct ptx_operand *number,
			  const struct ptx_operand *threads)
{
	if (number->kind == OPERAND_INTEGER && number->value > 15) {
		ptx_error(x, &number->at, "barrier %llu does not exist; there are 0 to 15",
			  (unsigned long long)number->value);
		return false;
	}
	if (threads && threads->kind == OPERAND_INTEGER &&
	    (!threads->value || threads->value % 32 || threads->value > MAX_BLOCK_THREADS)) {
		ptx_error(x, &threads->at,
			  "%llu threads at a barrier; it must be a multiple of 32 up to %d",
			  (unsigned long long)threads->value, MAX_BLOCK_THREADS);
		return false;
	}
	return true;
}

/* Of 0 threads a wait is one of all threads, as in ptxas's code; an arrival has no such number. */
static const struct ptx_operand *thread_count(const struct ptx_inst *in, bool waits)
{
	const struct ptx_operand *threads = in->role[ROLE_B];
	bool none = waits && threads && threads->kind == OPERAND_INTEGER && !threads->value;

	return none ? NULL : threads;
}

void ptx_lower_barrier(struct ptx *x, const struct ptx_inst *in)
{
	const struct ptx_operand *number = in->role[ROLE_A];
	const struct ptx_operand *threads =
		thread_count(in, in->value[SLOT_BARRIER] == IR_BARRIER_SYNC);
	ir_val args[2];
	ir_id i;

	if (!check_barrier(x, number, threads))
		return;
	args[0] = ptx_read_operand(x, number);
	if (threads)
		args[1] = ptx_read_operand(x, threads);
	i = ptx_emit(x, IR_BARRIER, IR_VOID, 0, threads ? 2 : 1, args);
	ir_at(x->func, i)->sub = in->value[SLOT_BARRIER];
}

/* a is the barrier, b the number of threads, c the predicate. */
void ptx_lower_barrier_red(struct ptx *x, const struct ptx_inst *in)
{
	const struct ptx_operand *number = in->role[ROLE_A], *threads = thread_count(in, true);
	const struct ptx_operand *d = in->role[ROLE_D] ? in->role[ROLE_D] : in->role[ROLE_P];
	bool popc = d == in->role[ROLE_D];
	ir_val args[3];
	ir_id i;

	if (!check_barrier(x, number, threads))
		return;
	args[0] = ptx_read_operand(x, number);
	args[1] = ptx_read_role(x, in, ROLE_C);
	if (threads)
		args[2] = ptx_read_operand(x, threads);
	i = ptx_emit(x, IR_BARRIER_RED, popc ? IR_B32 : IR_B1, 1, threads ? 3 : 2, args);
	ir_at(x->func, i)->sub = popc                             ? IR_BARRIER_POPC
				 : in->value[SLOT_BOOL] == IR_AND ? IR_BARRIER_AND
								  : IR_BARRIER_OR;
	ptx_write_operand(x, d, ir_at(x->func, i)->res);
}
