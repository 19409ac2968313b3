// SPDX-License-Identifier: MIT
/*
 * Random legal instructions of a row: operands of every kind that their types allow, and fields
 * over their whole range, drawn again until amd_check accepts them. No literal has the value of
 * an inline constant, because another assembler would choose the shorter encoding.
 */
#include "libsov/isa/amd/amd_row.h"

struct rng {
	uint64_t (*next)(void *);
	void *state;
};

static uint32_t random_below(struct rng *r, uint32_t n)
{
	return (uint32_t)(r->next(r->state) >> 17) % n;
}

static uint32_t random_scalar(struct rng *r, uint32_t words)
{
	static const uint8_t special[] = {AMD_VCC,  AMD_VCC_HI,  AMD_M0,   AMD_NULL,
					  AMD_EXEC, AMD_EXEC_HI, AMD_TTMP, AMD_TTMP + 4};
	uint32_t align = words > 2 ? 4 : words ? words : 1;

	if (!random_below(r, 6))
		return special[random_below(r, sizeof(special))];
	return random_below(r, AMD_SGPRS / align) * align;
}

static uint32_t random_constant(struct rng *r)
{
	static const uint8_t special[] = {AMD_SHARED_BASE,   AMD_SHARED_LIMIT, AMD_PRIVATE_BASE,
					  AMD_PRIVATE_LIMIT, AMD_POPS_ID,      AMD_VCCZ,
					  AMD_EXECZ,         AMD_SCC};

	switch (random_below(r, 4)) {
	case 0:
		return AMD_HALF + random_below(r, 9);
	case 1:
		return special[random_below(r, sizeof(special))];
	default:
		return AMD_INT_0 + random_below(r, 81);
	}
}

static uint32_t random_literal(struct rng *r, uint8_t type)
{
	uint32_t v;

	do {
		v = (uint32_t)(r->next(r->state) >> 13);
		if (amd_types[type].is_half)
			v &= 0xffff;
	} while (amd_inline_constant(type, v));
	return v;
}

static uint16_t random_operand(struct rng *r, struct amd_inst *in, const struct amd_layout *l,
			       enum amd_slot slot)
{
	const struct amd_row *row = in->row;
	uint8_t type = row->type[slot];
	const struct amd_type_info *info = &amd_types[type];
	const struct amd_bitfield *bits = amd_operand_field(l, row, slot);
	uint32_t words = amd_words(in, slot);

	if (type == TYPE_NO || !bits || type == TYPE_X) {
		in->literal = type == TYPE_K16 || type == TYPE_K32 ? random_literal(r, type)
								   : in->literal;
		return type ? amd_implied(row, slot) : AMD_NONE;
	}
	if (type == TYPE_SADDR)
		return (uint16_t)(random_below(r, 2)
					  ? AMD_NULL
					  : random_scalar(r, row->format == AMD_SCRATCH ? 1 : 2));
	if (!words)
		return AMD_VGPR;
	switch (random_below(r, 4)) {
	case 0:
		if (info->scalar)
			return (uint16_t)random_scalar(r, words);
		break;
	case 1:
		if (info->constant && bits->width >= 8)
			return (uint16_t)random_constant(r);
		break;
	case 2:
		if (info->literal && bits->kind == P_SRC && bits->width >= 8) {
			in->literal = random_literal(r, type);
			return AMD_LITERAL;
		}
		break;
	default:
		break;
	}
	if (info->vector && row->format > AMD_SMEM)
		return (uint16_t)(AMD_VGPR + random_below(r, 257 - words));
	return (uint16_t)random_scalar(r, words);
}

static int32_t random_field(struct rng *r, const struct amd_row *row, enum amd_form form,
			    enum amd_field f)
{
	uint32_t mask = amd_field_mask(row, form, f);
	uint32_t v = (uint32_t)(r->next(r->state) >> 19) & mask;

	if (f == AMD_F_OFFSET) {
		uint32_t bits = row->format == AMD_SMEM   ? 21
				: row->format == AMD_DS   ? 16
				: row->format == AMD_FLAT ? 11
							  : 12;
		bool is_signed = row->format == AMD_SMEM || row->format == AMD_GLOBAL ||
				 row->format == AMD_SCRATCH;

		v &= (1u << bits) - 1;
		if (is_signed)
			return (int32_t)(v << (32 - bits)) >> (32 - bits);
	}
	if (row->flags & MESSAGE)
		return (int32_t)(v % 12);
	return (int32_t)v;
}

/* LLVM's assembler rejects negated 64-bit literals, and normalises lane patterns that fewer bits
 * express. */
static bool differs_in_llvm(const struct amd_inst *in)
{
	uint32_t pattern = (uint32_t)in->field[AMD_F_OFFSET];

	if (in->row->flags & SWIZZLE && !(pattern & 0x8000) &&
	    ((pattern & pattern >> 5 & 31) || (pattern >> 10 & ~pattern & 31)))
		return true;
	for (uint32_t s = 0; s < 3; s++)
		if (in->reg[AMD_S0 + s] == AMD_LITERAL && in->row->type[AMD_S0 + s] == TYPE_F64 &&
		    (in->field[AMD_F_NEG] | in->field[AMD_F_ABS]) >> s & 1)
			return true;
	return false;
}

void amd_random(enum amd_chip chip, const struct amd_row *row, enum amd_form form,
		uint64_t (*next)(void *), void *state, struct amd_inst *out)
{
	static const uint8_t order[AMD_SLOTS] = {AMD_S2, AMD_SX, AMD_S1, AMD_S0, AMD_D};
	const struct amd_layout *l = amd_layout(row, form);
	struct rng r = {next, state};

	(void)chip;
	do {
		amd_init(out, row->op, form);
		for (uint32_t f = 0; f < AMD_FIELDS; f++)
			if (random_below(&r, 2) && amd_field_mask(row, form, f))
				out->field[f] = random_field(&r, row, form, f);
		for (uint32_t s = 0; s < AMD_SLOTS; s++)
			out->reg[order[s]] = random_operand(&r, out, l, order[s]);
	} while (amd_check(out) || differs_in_llvm(out));
}
