// SPDX-License-Identifier: MIT
/*
 * Lowering of barriers in shared memory. The IR's arrivals release and its tests acquire at the
 * scope of the block, which includes .relaxed; a wider scope adds a fence. A state of 64 bits holds
 * the IR's token in its upper half. An arrival without a state at a .shared::cluster or generic
 * address may be one at a barrier of another block of the cluster.
 */
#include "libsov/compiler/ptx/front_end.h"

#define OBJECT_BYTES 8

bool ptx_read_shared(struct ptx *x, const struct ptx_inst *in, const struct ptx_operand *o,
		     bool generic, uint32_t bytes, ir_val *at)
{
	enum ir_space space = generic ? IR_GENERIC_SPACE : IR_SHARED;
	uint64_t offset;
	enum ir_type t;

	if (!ptx_read_address(x, in, o, space, bytes, at, &offset))
		return false;
	if (!*at) { /* a number alone */
		*at = ptx_emit_constant(x, IR_B32, (uint32_t)offset);
		return true;
	}
	t = x->func->values[*at].type;
	if (generic) {
		*at = ptx_op(x, IR_TOSPACE, t, *at, 0, 0);
		ir_def(x->func, *at)->space = IR_SHARED;
	}
	if (t == IR_B64)
		*at = ptx_convert(x, IR_TRUNC, IR_B64, IR_B32, *at);
	if (offset)
		*at = ptx_op(x, IR_ADD, IR_B32, *at, ptx_emit_constant(x, IR_B32, (uint32_t)offset),
			     0);
	return true;
}

/* Reads the barrier's address; false: an error, reported. */
static bool read_barrier(struct ptx *x, const struct ptx_inst *in, ir_val *at)
{
	const struct ptx_operand *o = in->role[ROLE_A];
	bool generic = !ptx_has_modifier(in, SLOT_SPACE) && o->kind == OPERAND_REGISTER,
	     ordered = ptx_has_modifier(in, SLOT_ORDER);

	if (ordered != ptx_has_modifier(in, SLOT_SCOPE)) {
		ptx_error(x, &in->name, "'%s' has %s; it has both or neither", ptx_spelling(x, in),
			  ordered ? "a memory order without a scope"
				  : "a scope without a memory order");
		return false;
	}
	return ptx_read_shared(x, in, o, generic, OBJECT_BYTES, at);
}

/* Whether the instruction may name a barrier of another block: .shared::cluster, or a generic
 * address where no state is returned, as ptxas has it. */
static bool is_remote(struct ptx *x, const struct ptx_inst *in)
{
	const struct ptx_operand *d = in->role[ROLE_D];
	bool named = ptx_has_modifier(in, SLOT_SPACE);

	if (!ptx_has_clusters(x) || (named && in->value[SLOT_SPACE] != IR_SHARED_CLUSTER))
		return false;
	x->module->clusters |= named;
	return (named || in->role[ROLE_A]->kind == OPERAND_REGISTER) &&
	       (!d || d->kind == OPERAND_BIT_BUCKET);
}

static ir_id emit_arrival(struct ptx *x, const struct ptx_inst *in, enum ir_arrive kind,
			  const ir_val args[3])
{
	ir_id i = is_remote(x, in) ? ptx_emit(x, IR_MBARRIER_REMOTE, IR_VOID, 0, 3, args)
				   : ptx_emit(x, IR_MBARRIER_ARRIVE, IR_B32, 1, 3, args);

	ir_at(x->func, i)->sub = kind;
	return i;
}

static ir_val high_word(struct ptx *x, ir_val state)
{
	state = ptx_op(x, IR_SHR_U, IR_B64, state, ptx_emit_constant(x, IR_B32, 32), 0);
	return ptx_convert(x, IR_TRUNC, IR_B64, IR_B32, state);
}

static void fence_wide_scope(struct ptx *x, const struct ptx_inst *in, enum ir_order order)
{
	ir_id i;

	if (!ptx_has_modifier(in, SLOT_SCOPE) || in->value[SLOT_SCOPE] == IR_SCOPE_CTA ||
	    (ptx_has_modifier(in, SLOT_ORDER) && in->value[SLOT_ORDER] == IR_RELAXED))
		return;
	i = ptx_emit(x, IR_FENCE, IR_VOID, 0, 0, NULL);
	ir_at(x->func, i)->scope = in->value[SLOT_SCOPE];
	ir_at(x->func, i)->order = (uint8_t)order;
}

/* init and inval. */
void ptx_lower_mbarrier(struct ptx *x, const struct ptx_inst *in)
{
	bool init = in->role[ROLE_B];
	ir_val args[2];

	if (!read_barrier(x, in, &args[0]))
		return;
	if (init)
		args[1] = ptx_read_role(x, in, ROLE_B);
	ptx_emit(x, in->row->op, IR_VOID, 0, init ? 2 : 1, args);
}

/* expect_tx and complete_tx, which make no arrivals. */
void ptx_lower_mbarrier_bytes(struct ptx *x, const struct ptx_inst *in)
{
	bool complete = ptx_is_spelled(in, ".complete_tx");
	ir_val args[3];

	if (!read_barrier(x, in, &args[0]))
		return;
	args[1] = ptx_emit_constant(x, IR_B32, 0);
	args[2] = ptx_read_role(x, in, ROLE_B);
	emit_arrival(x, in, complete ? IR_ARRIVE_COMPLETE : IR_ARRIVE_EXPECT, args);
}

void ptx_lower_mbarrier_arrive(struct ptx *x, const struct ptx_inst *in)
{
	bool bytes = ptx_is_spelled(in, ".expect_tx"), drop = ptx_is_spelled(in, ".arrive_drop"),
	     incomplete = ptx_is_spelled(in, ".noComplete");
	const struct ptx_operand *d = in->role[ROLE_D];
	ir_val args[3], count, one, zero, state;
	ir_id i;

	if (ptx_has_modifier(in, SLOT_SPACE) && in->value[SLOT_SPACE] == IR_SHARED_CLUSTER &&
	    d->kind != OPERAND_BIT_BUCKET) {
		ptx_error(x, &d->at,
			  "'%s' at a barrier of the cluster returns no state: write '_', found "
			  "'%.*s'",
			  ptx_spelling(x, in), TEXT(&d->at));
		return;
	}
	if (!read_barrier(x, in, &args[0]))
		return;
	count = ptx_read_role(x, in, ROLE_B);
	one = ptx_emit_constant(x, IR_B32, 1);
	zero = ptx_emit_constant(x, IR_B32, 0);
	args[1] = bytes || !count ? one : count;
	args[2] = bytes ? count : zero;
	fence_wide_scope(x, in, IR_RELEASE);
	if (incomplete) {
		i = ptx_emit(x, IR_MBARRIER_ARRIVE, IR_B32, 1, 3, args);
		ir_at(x->func, i)->sub = drop ? IR_ARRIVE_DROP_NOCOMPLETE : IR_ARRIVE_NOCOMPLETE;
	} else {
		i = emit_arrival(x, in, drop ? IR_ARRIVE_DROP : IR_ARRIVE, args);
	}
	if (!d || d->kind == OPERAND_BIT_BUCKET)
		return;
	state = ptx_op(x, IR_PACK, IR_B64, zero, ir_at(x->func, i)->res, 0);
	ptx_write_operand(x, d, state);
}

/* test_wait and try_wait. */
void ptx_lower_mbarrier_wait(struct ptx *x, const struct ptx_inst *in)
{
	bool parity = ptx_is_spelled(in, ".parity");
	ir_val args[3], done;
	ir_id i;

	if (!read_barrier(x, in, &args[0]))
		return;
	args[1] = ptx_read_role(x, in, ROLE_B);
	if (parity)
		args[1] = ptx_op(x, IR_SHL, IR_B32, args[1], ptx_emit_constant(x, IR_B32, 31), 0);
	else
		args[1] = high_word(x, args[1]);
	args[2] = ptx_read_role(x, in, ROLE_C);
	i = ptx_emit(x, IR_MBARRIER_TEST, IR_B1, 1, args[2] ? 3 : 2, args);
	ir_at(x->func, i)->sub = ptx_is_spelled(in, ".try_wait") ? IR_TEST_TRY : IR_TEST_NOW;
	done = ir_at(x->func, i)->res;
	fence_wide_scope(x, in, IR_ACQUIRE);
	ptx_write_operand(x, in->role[ROLE_P], done);
}

void ptx_lower_mbarrier_pending(struct ptx *x, const struct ptx_inst *in)
{
	ir_val token = high_word(x, ptx_read_role(x, in, ROLE_A));

	ptx_write_operand(x, in->role[ROLE_D], ptx_op(x, IR_MBARRIER_PENDING, IR_B32, token, 0, 0));
}

void ptx_lower_copy_arrive(struct ptx *x, const struct ptx_inst *in)
{
	ir_val at;
	ir_id i;

	if (!read_barrier(x, in, &at))
		return;
	i = ptx_emit(x, IR_COPYARRIVE, IR_VOID, 0, 1, &at);
	ir_at(x->func, i)->sub =
		ptx_is_spelled(in, ".noinc") ? IR_COPYARRIVE_NOINC : IR_COPYARRIVE_COUNTED;
}
