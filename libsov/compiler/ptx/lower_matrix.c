// SPDX-License-Identifier: MIT
/* Lowering of matrix instructions. */
#include <stdio.h>
#include <string.h>
#include "libsov/isa/mma.h"
#include "libsov/compiler/ptx/front_end.h"

#define MAX_REGISTERS 32 /* of all operands of a product */

/* "f32.f16.m16n8k16", from the spelling's shape and types. */
static void kind_text(const struct ptx_inst *in, char *text, size_t size)
{
	const struct ptx_token *shape = NULL, *types[4] = {NULL};
	uint32_t n = 0;

	for (uint32_t k = 0; k < in->nmodifiers; k++) {
		const struct ptx_token *t = &in->modifiers[k];

		if (!memcmp(t->text, ".m", 2))
			shape = t;
		else if (ptx_type_find(t->text, t->length) && n < 4)
			types[n++] = t;
	}
	if (ptx_inst_type(in, SLOT_TYPE)->bits == 64)
		snprintf(text, size, "f64%.*s", TEXT(shape));
	else if (!memcmp(types[0]->text, ".s32", 4))
		snprintf(text, size, "%ss32%.*s%.*s%.*s",
			 ptx_has_modifier(in, SLOT_FINITE) ? "sat." : "", TEXT(types[1]),
			 TEXT(types[2]), TEXT(shape));
	else
		snprintf(text, size, "%.*s%.*s%.*s", (int)types[0]->length - 1, types[0]->text + 1,
			 TEXT(types[1]), TEXT(shape));
}

static const struct mma_kind *find_kind(const struct ptx_inst *in)
{
	char text[48];

	kind_text(in, text, sizeof(text));
	for (uint32_t k = 0; k < MMA_KINDS; k++)
		if (!strcmp(text, mma_kinds[k].text))
			return &mma_kinds[k];
	return NULL;
}

/* The registers of an operand: a vector, or one register. */
static bool check_fragment(struct ptx *x, const struct ptx_inst *in, enum ptx_role role,
			   uint32_t registers)
{
	const struct ptx_operand *o = in->role[role];
	uint32_t count = o->kind == OPERAND_VECTOR ? o->count : 1;

	if (count == registers)
		return true;
	ptx_error(x, &o->at, "'%s' takes %u registers here, found %u", ptx_spelling(x, in),
		  registers, count);
	return false;
}

static uint32_t read_fragment(struct ptx *x, const struct ptx_operand *o, ir_val *args)
{
	if (o->kind != OPERAND_VECTOR) {
		args[0] = ptx_read_operand(x, o);
		return 1;
	}
	for (uint32_t k = 0; k < o->count; k++)
		args[k] = ptx_read_operand(x, &o->elements[k]);
	return o->count;
}

void ptx_lower_mma(struct ptx *x, const struct ptx_inst *in)
{
	const struct mma_kind *kind = find_kind(in);
	const struct ptx_operand *d = in->role[ROLE_D];
	struct mma_registers r = mma_registers(kind);
	ir_val args[MAX_REGISTERS];
	uint32_t n = 0;
	ir_id i;

	if (!check_fragment(x, in, ROLE_D, r.c) || !check_fragment(x, in, ROLE_A, r.a) ||
	    !check_fragment(x, in, ROLE_B, r.b) || !check_fragment(x, in, ROLE_C, r.c))
		return;
	for (enum ptx_role role = ROLE_A; role <= ROLE_C; role++)
		n += read_fragment(x, in->role[role], &args[n]);
	args[n++] = ptx_emit_constant(x, IR_B32, UINT32_MAX);
	i = ptx_emit(x, IR_MMA, kind->factors == MMA_F64 ? IR_B64 : IR_B32, r.c, n, args);
	ir_at(x->func, i)->sub = (uint8_t)(kind - mma_kinds);
	for (uint32_t k = 0; k < r.c; k++)
		ptx_write_operand(x, d->kind == OPERAND_VECTOR ? &d->elements[k] : d,
				  ir_at(x->func, i)->res + k);
}
