// SPDX-License-Identifier: MIT
/*
 * Encoder and decoder walk the bit fields of a layout. The decoder checks each instruction as the
 * encoder does and encodes it again, so that it never drops an unknown bit.
 */
#include <string.h>

#include "libsov/isa/amd/amd_row.h"

static uint64_t low_bits(uint32_t width)
{
	return (1ull << width) - 1;
}

/* The slot of a bit field. Buffer data is a destination or a source. */
static enum amd_slot slot_of(const struct amd_row *row, const struct amd_bitfield *bits)
{
	return bits->kind == P_DATA && !row->type[AMD_D] ? AMD_S1 : (enum amd_slot)bits->index;
}

/* The encoding of an absent operand: 0, except that FLAT expects NULL as scalar address. */
static uint64_t absent_operand(const struct amd_row *row, enum amd_slot slot)
{
	return row->format == AMD_FLAT && slot == AMD_S2 ? AMD_NULL : 0;
}

static uint64_t encode_field(const struct amd_inst *in, const struct amd_bitfield *bits)
{
	const struct amd_row *row = in->row;
	enum amd_slot slot = slot_of(row, bits);
	uint64_t v;

	switch (bits->kind) {
	case P_FIELD:
		return ((uint32_t)in->field[bits->index] >> bits->extra & low_bits(bits->width))
		       << bits->lo;
	case P_SIGNED:
		return ((uint32_t)in->field[bits->index] & low_bits(bits->width)) << bits->lo;
	case P_FI:
		return (1ull + (uint32_t)in->field[bits->index]) << bits->lo;
	default:
		break;
	}
	if (!row->type[slot])
		return absent_operand(row, slot) << bits->lo;
	v = in->reg[slot];
	switch (bits->kind) {
	case P_SDWA:
		return (v & 0xff) << bits->lo | (v < AMD_VGPR ? 1ull << bits->extra : 0);
	case P_SDWA_DST:
		return v == AMD_VCC || row->type[slot] == TYPE_X
			       ? 0
			       : v << bits->lo | 1ull << bits->extra;
	case P_PAIR:
		return v / 2 << bits->lo;
	case P_QUAD:
		return v / 4 << bits->lo;
	default: /* an 8-bit field drops the ninth bit of vector registers */
		return (v & low_bits(bits->width)) << bits->lo;
	}
}

static bool has_literal(const struct amd_inst *in)
{
	for (uint32_t s = 0; s < AMD_SLOTS; s++)
		if (in->row->type[s] && in->reg[s] == AMD_LITERAL)
			return true;
	return false;
}

uint32_t amd_encode(enum amd_chip chip, const struct amd_inst *in, uint32_t words[AMD_MAX_WORDS],
		    const char **why)
{
	const char *wrong = amd_check(in);
	const struct amd_layout *l;
	uint32_t bytes;
	uint64_t w;

	if (why)
		*why = wrong;
	if (wrong)
		return 0;
	l = amd_layout(in->row, in->form);
	w = l->match | (uint64_t)amd_layout_opcode(chip, in->row, in->form) << l->op_lo;
	for (const struct amd_bitfield *bits = l->bitfields; bits->kind != P_END; bits++)
		w |= encode_field(in, bits);
	words[0] = (uint32_t)w;
	words[1] = (uint32_t)(w >> 32);
	bytes = l->bytes;
	if (has_literal(in)) {
		words[bytes / 4] = in->literal;
		bytes += 4;
	}
	return bytes;
}

static void decode_field(struct amd_inst *in, const struct amd_bitfield *bits, uint64_t w)
{
	enum amd_slot slot = slot_of(in->row, bits);
	uint32_t v = (uint32_t)(w >> bits->lo & low_bits(bits->width));
	bool extra = bits->extra && w >> bits->extra & 1;

	switch (bits->kind) {
	case P_FIELD:
		in->field[bits->index] |= (int32_t)(v << bits->extra);
		return;
	case P_SIGNED:
		in->field[bits->index] = (int32_t)(v << (32 - bits->width)) >> (32 - bits->width);
		return;
	case P_FI:
		in->field[bits->index] = (int32_t)v - 1;
		return;
	default:
		break;
	}
	if (!in->row->type[slot])
		return;
	switch (bits->kind) {
	case P_SRC:
		break;
	case P_DST:
		if (amd_types[in->row->type[slot]].vector)
			v += AMD_VGPR;
		break;
	case P_SDWA:
		v += extra ? 0 : AMD_VGPR;
		break;
	case P_SDWA_DST:
		v = in->row->type[slot] == TYPE_X ? AMD_EXEC : extra ? v : AMD_VCC;
		break;
	case P_PAIR:
		v *= 2;
		break;
	case P_QUAD:
		v *= 4;
		break;
	default:
		v += AMD_VGPR;
		break;
	}
	in->reg[slot] = (uint16_t)v;
}

void amd_init(struct amd_inst *in, enum amd_op op, enum amd_form form)
{
	const struct amd_row *row = amd_row(op);
	const struct amd_layout *l = amd_layout(row, form);

	*in = (struct amd_inst){.row = row, .form = (uint8_t)form};
	for (uint32_t s = 0; s < AMD_SLOTS; s++)
		in->reg[s] = !row->type[s]                  ? AMD_NONE
			     : amd_operand_field(l, row, s) ? 0
							    : amd_implied(row, s);
	if (row->format == AMD_VOP3P)
		in->field[AMD_F_OP_SEL_HI] = row->type[AMD_S0] == TYPE_MIX ? 0 : 7;
	if (form == AMD_SDWA) {
		in->field[AMD_F_SRC0_SEL] = AMD_DWORD;
		in->field[AMD_F_SRC1_SEL] = row->type[AMD_S1] ? AMD_DWORD : 0;
		in->field[AMD_F_DST_SEL] = row->format == AMD_VOPC ? 0 : AMD_DWORD;
	}
	if (form == AMD_DPP)
		in->field[AMD_F_ROW_MASK] = in->field[AMD_F_BANK_MASK] = 15;
}

uint32_t amd_decode(enum amd_chip chip, const uint32_t *words, uint32_t count, struct amd_inst *out)
{
	const struct amd_row *row = NULL;
	uint32_t again[AMD_MAX_WORDS] = {0}, bytes;
	const struct amd_layout *l;
	enum amd_form form = AMD_PLAIN;
	uint64_t w;

	if (!count)
		return 0;
	w = words[0] | (count > 1 ? (uint64_t)words[1] << 32 : 0);
	l = amd_layout_find(chip, w, &row, &form);
	if (!l || count < l->bytes / 4u)
		return 0;
	amd_init(out, row->op, form);
	memset(out->field, 0, sizeof(out->field));
	for (const struct amd_bitfield *bits = l->bitfields; bits->kind != P_END; bits++)
		decode_field(out, bits, w);
	bytes = l->bytes;
	if (has_literal(out)) {
		if (count <= bytes / 4)
			return 0;
		out->literal = words[bytes / 4];
	}
	out->bytes = (uint8_t)amd_encode(chip, out, again, NULL);
	return out->bytes && !memcmp(again, words, out->bytes) ? out->bytes : 0;
}
