// SPDX-License-Identifier: MIT
/*
 * Lowering of st.async and red.async: accesses to shared memory of any block of the cluster, which
 * complete their bytes at a barrier there. On targets without clusters that is the block's own
 * shared memory, and the thread makes the access itself before it completes the bytes.
 */
#include "libsov/compiler/ptx/front_end.h"

#define MAX_WORDS 4

struct async_access {
	ir_val to, barrier;
	uint32_t bytes;
};

static bool read_addresses(struct ptx *x, const struct ptx_inst *in, uint32_t bytes,
			   struct async_access *a)
{
	bool generic = !ptx_has_modifier(in, SLOT_SPACE);

	a->bytes = bytes;
	x->module->clusters |= ptx_has_clusters(x);
	return ptx_read_shared(x, in, in->role[ROLE_A],
			       generic && in->role[ROLE_A]->kind == OPERAND_REGISTER, bytes,
			       &a->to) &&
	       ptx_read_shared(x, in, in->role[ROLE_C],
			       generic && in->role[ROLE_C]->kind == OPERAND_REGISTER, 8,
			       &a->barrier);
}

static void complete_bytes(struct ptx *x, const struct async_access *a)
{
	ir_val args[3] = {a->barrier, ptx_emit_constant(x, IR_B32, 0),
			  ptx_emit_constant(x, IR_B32, a->bytes)};

	ir_at(x->func, ptx_emit(x, IR_MBARRIER_ARRIVE, IR_B32, 1, 3, args))->sub =
		IR_ARRIVE_COMPLETE;
}

static void set_shared(struct ptx *x, ir_id i, const struct ptx_type *type, uint32_t bytes)
{
	ir_at(x->func, i)->space = IR_SHARED;
	ir_at(x->func, i)->from = type->ir;
	ir_at(x->func, i)->align = (uint16_t)bytes;
}

static void store_own(struct ptx *x, const struct ptx_type *type, const struct async_access *a,
		      const ir_val *elements, uint32_t count)
{
	ir_val args[1 + MAX_WORDS] = {a->to};

	for (uint32_t k = 0; k < count; k++)
		args[1 + k] = elements[k];
	set_shared(x, ptx_emit(x, IR_STORE, type->ir, 0, 1 + count, args), type, a->bytes);
	complete_bytes(x, a);
}

void ptx_lower_st_async(struct ptx *x, const struct ptx_inst *in)
{
	const struct ptx_type *type = ptx_inst_type(in, SLOT_TYPE);
	const struct ptx_operand *b = in->role[ROLE_B], *e = b;
	uint32_t count = 1, words = type->bits / 32, n = 0;
	ir_val elements[MAX_WORDS], args[2 + MAX_WORDS];
	struct async_access a;

	if (b->kind == OPERAND_VECTOR) {
		e = b->elements;
		count = b->count;
	}
	if (count * words > MAX_WORDS) {
		ptx_error(x, &in->name, "'%s' stores %u bits in one access; the maximum is 128",
			  ptx_spelling(x, in), count * type->bits);
		return;
	}
	if (!read_addresses(x, in, 4 * words * count, &a))
		return;
	for (uint32_t k = 0; k < count; k++)
		elements[k] = ptx_read_operand(x, &e[k]);
	if (!ptx_has_clusters(x)) {
		store_own(x, type, &a, elements, count);
		return;
	}
	args[n++] = a.to;
	args[n++] = a.barrier;
	for (uint32_t k = 0; k < count; k++) {
		ir_id halves;

		if (words == 1) {
			args[n++] = elements[k];
			continue;
		}
		halves = ptx_emit(x, IR_UNPACK, IR_B64, 2, 1, &elements[k]);
		args[n++] = ir_at(x->func, halves)->res;
		args[n++] = ir_at(x->func, halves)->res + 1;
	}
	ptx_emit(x, IR_STOREASYNC, IR_VOID, 0, n, args);
}

void ptx_lower_red_async(struct ptx *x, const struct ptx_inst *in)
{
	const struct ptx_type *type = ptx_inst_type(in, SLOT_TYPE);
	struct async_access a;
	ir_val operand;
	ir_id i;

	if (!read_addresses(x, in, type->bits / 8, &a))
		return;
	operand = ptx_read_role(x, in, ROLE_B);
	if (ptx_has_clusters(x)) {
		i = ptx_emit(x, IR_REDASYNC, type->ir, 0, 3, (ir_val[]){operand, a.to, a.barrier});
		ir_at(x->func, i)->sub = ptx_atom_of(in);
		return;
	}
	i = ptx_emit(x, IR_ATOM, type->ir, 1, 2, (ir_val[]){a.to, operand});
	set_shared(x, i, type, a.bytes);
	ir_at(x->func, i)->sub = ptx_atom_of(in);
	ir_at(x->func, i)->order = IR_RELAXED;
	ir_at(x->func, i)->scope = IR_SCOPE_CTA;
	complete_bytes(x, &a);
}
