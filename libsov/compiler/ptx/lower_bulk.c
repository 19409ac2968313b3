// SPDX-License-Identifier: MIT
/*
 * Lowering of bulk copies. A copy to .shared::cluster may go to another block of the cluster. On
 * targets without clusters a multicast is a copy to the block itself, if its set contains rank 0.
 */
#include "libsov/compiler/ptx/front_end.h"

#define MAX_BYTES 1048560u /* as by ptxas 12.4 */

static bool read_global(struct ptx *x, const struct ptx_inst *in, const struct ptx_operand *o,
			ir_val *at)
{
	uint64_t offset;

	if (!ptx_read_address(x, in, o, IR_GLOBAL, IR_BULK_BYTES, at, &offset))
		return false;
	if (!*at)
		*at = ptx_emit_constant(x, IR_B64, offset);
	else if (offset)
		*at = ptx_op(x, IR_ADD, IR_B64, *at, ptx_emit_constant(x, IR_B64, offset), 0);
	return true;
}

static bool read_end(struct ptx *x, const struct ptx_inst *in, const struct ptx_operand *o,
		     bool global, ir_val *at)
{
	return global ? read_global(x, in, o, at)
		      : ptx_read_shared(x, in, o, false, IR_BULK_BYTES, at);
}

static bool check_size(struct ptx *x, const struct ptx_inst *in, const struct ptx_operand *o)
{
	if (o->kind != OPERAND_INTEGER || (o->value % IR_BULK_BYTES == 0 && o->value <= MAX_BYTES))
		return true;
	ptx_error(x, &o->at, "'%s' copies a multiple of %u bytes up to %u, found '%.*s'",
		  ptx_spelling(x, in), IR_BULK_BYTES, MAX_BYTES, TEXT(&o->at));
	return false;
}

/* Reads addresses, size and barrier; returns their number, 0: an error, reported. */
static uint32_t read_operands(struct ptx *x, const struct ptx_inst *in, bool to_global,
			      bool from_global, ir_val args[4])
{
	bool barrier = in->role[ROLE_E];

	if (!check_size(x, in, in->role[ROLE_C]) ||
	    !read_end(x, in, in->role[ROLE_A], to_global, &args[0]) ||
	    !read_end(x, in, in->role[ROLE_B], from_global, &args[1]) ||
	    (barrier && !ptx_read_shared(x, in, in->role[ROLE_E], false, 8, &args[3])))
		return 0;
	args[2] = ptx_read_role(x, in, ROLE_C);
	return barrier ? 4 : 3;
}

void ptx_lower_bulk_copy(struct ptx *x, const struct ptx_inst *in)
{
	bool to_global = ptx_is_spelled(in, ".bulk_group"),
	     from_global = !to_global && ptx_is_spelled(in, ".global");
	ir_val args[5];
	uint32_t n = read_operands(x, in, to_global, from_global, args);
	ir_id i;

	if (!n)
		return;
	n += ptx_read_policy(x, in, &args[n]);
	i = ptx_emit(x, IR_BULKCOPY, IR_VOID, 0, n, args);
	ptx_set_policy(x, in, i);
	ir_at(x->func, i)->sub = to_global     ? IR_BULK_TO_GLOBAL
				 : from_global ? IR_BULK_TO_SHARED
					       : IR_BULK_IN_SHARED;
}

void ptx_lower_bulk_multicast(struct ptx *x, const struct ptx_inst *in)
{
	ir_val args[6], first;
	uint32_t n;
	ir_id i;

	if (!read_operands(x, in, false, true, args))
		return;
	args[4] = ptx_convert(x, IR_ZEXT, IR_B16, IR_B32, ptx_read_role(x, in, ROLE_F));
	if (ptx_has_clusters(x)) {
		x->module->clusters = true;
		n = 5 + ptx_read_policy(x, in, &args[5]);
		i = ptx_emit(x, IR_BULKCOPY, IR_VOID, 0, n, args);
		ptx_set_policy(x, in, i);
		ir_at(x->func, i)->sub = IR_BULK_MULTICAST;
		return;
	}
	first = ptx_convert(x, IR_TRUNC, IR_B32, IR_B1, args[4]);
	args[2] = ptx_op(x, IR_SELECT, IR_B32, first, args[2], ptx_emit_constant(x, IR_B32, 0));
	ir_at(x->func, ptx_emit(x, IR_BULKCOPY, IR_VOID, 0, 4, args))->sub = IR_BULK_TO_SHARED;
}

/* Adding f32 flushes denormals, as red.global.add.f32 does. */
void ptx_lower_bulk_reduce(struct ptx *x, const struct ptx_inst *in)
{
	const struct ptx_type *type = ptx_inst_type(in, SLOT_TYPE);
	ir_val args[5];
	uint32_t n = read_operands(x, in, ptx_is_spelled(in, ".bulk_group"), false, args);
	struct ir_inst *r;
	ir_id i;

	if (!n)
		return;
	n += ptx_read_policy(x, in, &args[n]);
	i = ptx_emit(x, IR_BULKREDUCE, type->ir, 0, n, args);
	ptx_set_policy(x, in, i);
	r = ir_at(x->func, i);
	r->sub = ptx_atom_of(in);
	r->format = type->format;
	if (r->sub == IR_ATOM_FADD && type->bits == 32)
		r->flags |= IR_FTZ;
}

void ptx_lower_bulk_prefetch(struct ptx *x, const struct ptx_inst *in)
{
	ir_val at;

	if (check_size(x, in, in->role[ROLE_B]))
		read_global(x, in, in->role[ROLE_A], &at);
}
