// SPDX-License-Identifier: MIT
/* Queries about an instruction that do not depend on its encoding: its name and its register
 * uses. */
#include <string.h>

#include "libsov/isa/nv/sass_row.h"
#include "libsov/isa/texture.h"

static const struct sass_form *first_row_of(uint16_t op)
{
	return sass_next_row(op, NULL);
}

void sass_init(struct sass_inst *in, enum sass_op op)
{
	memset(in, 0, sizeof(*in));
	in->op = op;
	in->form = first_row_of(op);
	in->guard = SASS_PT;
	in->write_barrier = SASS_NO_SB;
	in->read_barrier = SASS_NO_SB;
}

const char *sass_op_name(uint16_t op)
{
	const struct sass_form *row = first_row_of(op);

	return row ? row->name : "?";
}

bool sass_uniform_guard(const struct sass_inst *in)
{
	return sass_row(in)->uniform;
}

uint8_t sass_reuse(const struct sass_inst *in, uint32_t operand)
{
	return sass_reuse_bit(sass_row(in), in, operand);
}

static uint8_t type_count(uint8_t type)
{
	return type == SASS_TYPE_U64 || type == SASS_TYPE_S64 || type == SASS_TYPE_F64 ? 2 : 1;
}

/* Coordinates without the layer. */
static uint32_t texture_axes(const struct sass_inst *in)
{
	return texture_coordinates(in->mod[SASS_M_GEOMETRY]) -
	       texture_has_layers(in->mod[SASS_M_GEOMETRY]);
}

/* Consecutive registers of an operand. */
static uint8_t register_count(const struct sass_inst *in, uint8_t rule)
{
	static const uint8_t by_width[] = {
		[SASS_WIDTH_U8] = 1,  [SASS_WIDTH_S8] = 1, [SASS_WIDTH_U16] = 1,
		[SASS_WIDTH_S16] = 1, [SASS_WIDTH_32] = 1, [SASS_WIDTH_64] = 2,
		[SASS_WIDTH_128] = 4,
	};
	static const uint8_t by_atomic[] = {
		[SASS_ATYPE_U32] = 1,  [SASS_ATYPE_S32] = 1,     [SASS_ATYPE_U64] = 2,
		[SASS_ATYPE_S64] = 2,  [SASS_ATYPE_F32_FTZ] = 1, [SASS_ATYPE_F32] = 1,
		[SASS_ATYPE_F64] = 2,  [SASS_ATYPE_F16X2] = 1,   [SASS_ATYPE_BF16X2] = 1,
		[SASS_ATYPE_B128] = 4, [SASS_ATYPE_SD32] = 1,
	};

	switch (rule) {
	case COUNT_2:
		return 2;
	case COUNT_4:
		return 4;
	case COUNT_8:
		return 8;
	case COUNT_16:
		return 16;
	case COUNT_SUMS:
		return in->mod[SASS_M_SUMS] == SASS_SUMS_F32 ? 4 : 2;
	case COUNT_TILES:
		return (uint8_t)(4 * (in->mod[SASS_M_TILES] + 1));
	case COUNT_TILES_SUMS:
		return (uint8_t)((in->mod[SASS_M_SUMS] == SASS_SUMS_F32 ? 4 : 2) *
				 (in->mod[SASS_M_TILES] + 1));
	case COUNT_DIMS:
	case COUNT_1_DIMS:
	case COUNT_2_DIMS:
		return (uint8_t)(in->mod[SASS_M_DIMS] + 1 + rule - COUNT_DIMS);
	case COUNT_COORDINATES:
		return texture_coordinates(in->mod[SASS_M_GEOMETRY]);
	case COUNT_EXTRAS:
	case COUNT_1_EXTRAS:
		return (uint8_t)(in->mod[SASS_M_LEVEL] + in->mod[SASS_M_OFFSET] +
				 in->mod[SASS_M_COMPARE] + rule - COUNT_EXTRAS);
	case COUNT_GRADIENT:
	case COUNT_1_GRADIENT:
		return (uint8_t)(texture_axes(in) +
				 (in->mod[SASS_M_OFFSET] ||
				  texture_has_layers(in->mod[SASS_M_GEOMETRY])) +
				 rule - COUNT_GRADIENT);
	case COUNT_DERIVATIVES:
		return (uint8_t)(2 * texture_axes(in));
	case COUNT_WIDTH:
		return by_width[in->mod[SASS_M_WIDTH]];
	case COUNT_ATYPE:
		return by_atomic[in->mod[SASS_M_ATYPE]];
	case COUNT_DTYPE:
		return type_count(in->mod[SASS_M_DTYPE]);
	case COUNT_STYPE:
		return type_count(in->mod[SASS_M_STYPE]);
	}
	return 1;
}

static const uint8_t zero_reg[] = {
	[SASS_GPR] = SASS_RZ,   [SASS_UGPR] = SASS_URZ, [SASS_PRED] = SASS_PT,
	[SASS_UPRED] = SASS_PT, [SASS_BREG] = 255,
};

static inline struct sass_reg_use *add_use(struct sass_reg_use *u, uint8_t kind, uint8_t reg,
					   uint8_t n, uint8_t operand, bool write)
{
	*u = (struct sass_reg_use){kind, reg, n, operand, write};
	return u + (reg != zero_reg[kind]);
}

/* P2R, R2P, UP2UR and UR2UP use the predicates that their last operand selects; all if it is no
 * immediate. */
static struct sass_reg_use *add_all_predicates(struct sass_reg_use *u, const struct sass_inst *in,
					       uint8_t kind, uint8_t index, bool write)
{
	const struct sass_operand *mask = &in->ops[in->nops - 1];
	uint32_t bits = mask->kind == SASS_IMM ? (uint32_t)mask->value : 0x7f;

	for (uint8_t p = 0; p < 7; p++)
		if (bits >> p & 1)
			u = add_use(u, kind, p, 1, index, write);
	return u;
}

static struct sass_reg_use *add_address(struct sass_reg_use *u, const struct sass_inst *in,
					uint8_t index)
{
	const struct sass_operand *o = &in->ops[index];

	u = add_use(u, SASS_GPR, o->reg, o->flags & SASS_A64 ? 2 : 1, index, false);
	if (o->aux != SASS_NO_UREG)
		u = add_use(u, SASS_UGPR, o->aux,
			    in->mod[SASS_M_E] || o->flags & SASS_DESC || in->op == SASS_LDGSTS ? 2
											       : 1,
			    index, false);
	return u;
}

static bool is_present(const struct sass_inst *in, const struct sass_slot *s)
{
	return !(s->flags & SLOT_RED && in->mod[SASS_M_BAR] < SASS_BAR_RED_POPC) &&
	       !(s->if_mod && !in->mod[s->if_mod - 1]);
}

/* A row has at most two addresses and one set of predicates, so SASS_MAX_USES suffices. */
uint32_t sass_uses(const struct sass_inst *in, struct sass_reg_use uses[SASS_MAX_USES])
{
	const struct sass_form *row = sass_row(in);
	struct sass_reg_use *u = uses;

	if (!row)
		return 0;
	for (uint8_t i = 0; i < SASS_MAX_OPERANDS && row->ops[i].type; i++) {
		const struct sass_slot *s = &row->ops[i];
		const struct sass_operand *o = &in->ops[i];

		if (s->type == SLOT_PR)
			u = add_all_predicates(u, in, row->uniform ? SASS_UPRED : SASS_PRED, i,
					       s->flags & SLOT_WRITE);
		if (o->kind == SASS_NONE || o->kind == SASS_IMM || !is_present(in, s))
			continue;
		if (o->kind <= SASS_BREG)
			u = add_use(u, o->kind, o->reg,
				    s->count == COUNT_1 ? 1 : register_count(in, s->count), i,
				    s->flags & SLOT_WRITE);
		else if (o->kind == SASS_CONST)
			u = add_use(u, s->type == SLOT_CONST_U ? SASS_UGPR : SASS_GPR, o->reg, 1, i,
				    false);
		else if (o->kind == SASS_ADDR)
			u = add_address(u, in, i);
	}
	if (in->op == SASS_BMOV_READ && in->mod[SASS_M_CLEAR]) /* reads and writes its operand */
		u = add_use(u, SASS_BREG, in->ops[1].reg, 1, 1, true);
	if (in->op == SASS_R2UR && in->mod[SASS_M_BOOL] == SASS_OR)
		u = add_use(u, SASS_PRED, in->ops[0].reg, 1, 0, false);
	u = add_use(u, row->uniform ? SASS_UPRED : SASS_PRED, in->guard, 1, SASS_USE_GUARD, false);
	return (uint32_t)(u - uses);
}

void sass_reuse_slots(const struct sass_inst *in, struct sass_reuse_slot slots[SASS_REUSE_SLOTS])
{
	struct sass_reg_use uses[SASS_MAX_USES];
	uint32_t n = sass_uses(in, uses);

	for (uint32_t k = 0; k < SASS_REUSE_SLOTS; k++)
		slots[k] = (struct sass_reuse_slot){SASS_RZ, 0};
	for (uint32_t u = 0; u < n; u++) {
		uint8_t bit = uses[u].kind != SASS_GPR || uses[u].write ||
					      uses[u].operand == SASS_USE_GUARD
				      ? 0
				      : sass_reuse(in, uses[u].operand);

		if (bit && bit <= 4)
			slots[bit >> 1] = (struct sass_reuse_slot){uses[u].reg, uses[u].count};
	}
}

/*
 * An H200 ends a kernel with "misaligned register" for a DMMA.16x8x8 that reads eight registers
 * from R172 on, and for a DMMA.16x8x16 that reads sixteen from R8 on; ptxas aligns these to 8 and
 * 16. It aligns sixteen sums of a warp group's product to 8.
 */
bool sass_is_misaligned(const struct sass_inst *in)
{
	struct sass_reg_use uses[SASS_MAX_USES];
	uint32_t count = sass_uses(in, uses);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t n = sass_register_alignment(uses[i].count);

		if (uses[i].kind == SASS_GPR && uses[i].count > 1 &&
		    uses[i].reg % (in->op == SASS_DMMA_16X8X16 || n < 8 ? n : 8u))
			return true;
	}
	return false;
}
