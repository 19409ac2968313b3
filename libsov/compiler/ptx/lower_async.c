// SPDX-License-Identifier: MIT
/* Lowering of asynchronous copies. */
#include "libsov/compiler/ptx/front_end.h"

static bool check_size(struct ptx *x, const struct ptx_inst *in, bool l2)
{
	const struct ptx_operand *o = in->role[ROLE_C];
	uint64_t n = o->value;

	if (o->kind == OPERAND_INTEGER && (n == 16 || (!l2 && (n == 4 || n == 8))))
		return true;
	ptx_error(x, &o->at, "'%s' copies %s bytes, found '%.*s'", ptx_spelling(x, in),
		  l2 ? "16" : "4, 8 or 16", TEXT(&o->at));
	return false;
}

/* The number of bytes that are read; 0: all. */
static bool read_source_size(struct ptx *x, const struct ptx_inst *in, uint64_t bytes, ir_val *v)
{
	const struct ptx_operand *o = in->role[ROLE_E];

	*v = 0;
	if (!o)
		return true;
	if (o->kind == OPERAND_INTEGER && o->value > bytes) {
		ptx_error(x, &o->at, "'%s' reads %.*s bytes for a copy of %u", ptx_spelling(x, in),
			  TEXT(&o->at), (unsigned)bytes);
		return false;
	}
	*v = ptx_read_role(x, in, ROLE_E);
	if (o->type->class == CLASS_PREDICATE) {
		ir_val all = ptx_emit_constant(x, IR_B32, bytes);

		*v = ptx_op(x, IR_SELECT, IR_B32, *v, ptx_emit_constant(x, IR_B32, 0), all);
	}
	return true;
}

void ptx_lower_copy(struct ptx *x, const struct ptx_inst *in)
{
	bool l2 = in->value[SLOT_CACHE] == IR_EVICT_BYPASS;
	uint64_t bytes = in->role[ROLE_C]->value, offset[2];
	ir_val args[4];
	uint32_t n = 2;
	ir_id i;

	if (!check_size(x, in, l2) ||
	    !ptx_read_address(x, in, in->role[ROLE_A], IR_SHARED, (uint32_t)bytes, &args[0],
			      &offset[0]) ||
	    !ptx_read_address(x, in, in->role[ROLE_B], IR_GLOBAL, (uint32_t)bytes, &args[1],
			      &offset[1]) ||
	    !read_source_size(x, in, bytes, &args[2]))
		return;
	if (offset[0]) {
		enum ir_type t = x->func->values[args[0]].type;
		uint64_t mask = UINT64_MAX >> (64 - ir_type_bits(t));

		args[0] =
			ptx_op(x, IR_ADD, t, args[0], ptx_emit_constant(x, t, offset[0] & mask), 0);
	}
	n += !!args[2];
	n += ptx_read_policy(x, in, &args[n]);
	i = ptx_emit(x, IR_COPYASYNC, IR_VOID, 0, n, args);
	ptx_set_policy(x, in, i);
	ir_at(x->func, i)->fetch = ptx_fetch_of(in);
	ir_at(x->func, i)->sub = l2            ? IR_COPY_16_L2
				 : bytes == 16 ? IR_COPY_16
				 : bytes == 8  ? IR_COPY_8
					       : IR_COPY_4;
	ir_at(x->func, i)->imm = offset[1];
}

void ptx_lower_copy_commit(struct ptx *x, const struct ptx_inst *in)
{
	ptx_emit(x, in->row->op, IR_VOID, 0, 0, NULL);
}

/* wait_all also waits for copies that are in no group yet; wait_group.read of bulk copies only
 * until their data is read. */
void ptx_lower_copy_wait(struct ptx *x, const struct ptx_inst *in)
{
	const struct ptx_operand *o = in->role[ROLE_A];
	ir_id i;

	if (o && o->kind != OPERAND_INTEGER) {
		ptx_error(x, &o->at, "the number of groups of '%s' is a constant, found '%.*s'",
			  ptx_spelling(x, in), TEXT(&o->at));
		return;
	}
	if (!o)
		ptx_emit(x, IR_COPYCOMMIT, IR_VOID, 0, 0, NULL);
	i = ptx_emit(x, in->row->op, IR_VOID, 0, 0, NULL);
	ir_at(x->func, i)->imm = o ? o->value : 0;
	if (ptx_is_spelled(in, ".read"))
		ir_at(x->func, i)->sub = IR_BULKWAIT_READ;
}
