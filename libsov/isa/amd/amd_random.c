// SPDX-License-Identifier: MIT
/*
 * A random legal instruction of a row: operands of every kind that their types allow, fields over
 * their whole range, drawn again until amd_check agrees. Literals are such that no shorter encoding
 * says the same, because that is what another assembler would choose.
 */
#include "libsov/isa/amd/amd_row.h"

struct dice {
	uint64_t (*next)(void *);
	void *state;
};

static uint32_t below(struct dice *d, uint32_t n)
{
	return (uint32_t)(d->next(d->state) >> 17) % n;
}

static uint32_t scalar(struct dice *d, uint32_t words)
{
	static const uint8_t special[] = {AMD_VCC,  AMD_VCC_HI,  AMD_M0,   AMD_NULL,
					  AMD_EXEC, AMD_EXEC_HI, AMD_TTMP, AMD_TTMP + 4};
	uint32_t align = words > 2 ? 4 : words ? words : 1;

	if (!below(d, 6))
		return special[below(d, sizeof(special))];
	return below(d, AMD_SGPRS / align) * align;
}

static uint32_t constant(struct dice *d)
{
	static const uint8_t special[] = {AMD_SHARED_BASE,   AMD_SHARED_LIMIT, AMD_PRIVATE_BASE,
					  AMD_PRIVATE_LIMIT, AMD_POPS_ID,      AMD_VCCZ,
					  AMD_EXECZ,         AMD_SCC};

	switch (below(d, 4)) {
	case 0:
		return AMD_HALF + below(d, 9);
	case 1:
		return special[below(d, sizeof(special))];
	default:
		return AMD_INT_0 + below(d, 81);
	}
}

static uint32_t literal(struct dice *d, uint8_t type)
{
	uint32_t v;

	do {
		v = (uint32_t)(d->next(d->state) >> 13);
		if (amd_types[type].is_half)
			v &= 0xffff;
	} while (amd_inline_constant(type, v));
	return v;
}

static uint16_t operand(struct dice *d, struct amd_inst *in, const struct amd_layout *l,
			enum amd_slot slot)
{
	const struct amd_row *row = in->row;
	uint8_t type = row->type[slot];
	const struct amd_type_info *info = &amd_types[type];
	const struct amd_bitfield *p = amd_operand_field(l, row, slot);
	uint32_t words = amd_words(in, slot);

	if (type == TYPE_NO || !p || type == TYPE_X) {
		in->literal = type == TYPE_K16 || type == TYPE_K32 ? literal(d, type) : in->literal;
		return type ? amd_implied(row, slot) : AMD_NONE;
	}
	if (type == TYPE_SADDR)
		return (uint16_t)(below(d, 2) ? AMD_NULL
					      : scalar(d, row->format == AMD_SCRATCH ? 1 : 2));
	if (!words)
		return AMD_VGPR;
	switch (below(d, 4)) {
	case 0:
		if (info->scalar)
			return (uint16_t)scalar(d, words);
		break;
	case 1:
		if (info->constant && p->width >= 8)
			return (uint16_t)constant(d);
		break;
	case 2:
		if (info->literal && p->kind == P_SRC && p->width >= 8) {
			in->literal = literal(d, type);
			return AMD_LITERAL;
		}
		break;
	default:
		break;
	}
	if (info->vector && row->format > AMD_SMEM)
		return (uint16_t)(AMD_VGPR + below(d, 257 - words));
	return (uint16_t)scalar(d, words);
}

static int32_t field(struct dice *d, const struct amd_row *row, enum amd_form form,
		     enum amd_field f)
{
	uint32_t mask = amd_field_mask(row, form, f);
	uint32_t v = (uint32_t)(d->next(d->state) >> 19) & mask;

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

/* What LLVM's assembler does not read or writes in another way: signs on the upper half of a 64-bit
 * literal, and lane patterns that can be said with fewer bits. */
static bool awkward(const struct amd_inst *in)
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
	struct dice d = {next, state};

	(void)chip;
	do {
		amd_init(out, row->op, form);
		for (uint32_t f = 0; f < AMD_FIELDS; f++)
			if (below(&d, 2) && amd_field_mask(row, form, f))
				out->field[f] = field(&d, row, form, f);
		for (uint32_t s = 0; s < AMD_SLOTS; s++)
			out->reg[order[s]] = operand(&d, out, l, order[s]);
	} while (amd_check(out) || awkward(out));
}
