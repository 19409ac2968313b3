// SPDX-License-Identifier: MIT
/*
 * The bit fields of each format (RDNA2 ISA manual, chapter 13, "Microcode Formats"). The longer
 * forms of a short vector format are separate layouts. Encoder and decoder use the same list of
 * bit fields.
 */
#include "libsov/isa/amd/amd_row.h"

#define F(name, lo, width)        {P_FIELD, AMD_F_##name, lo, width, 0}
#define FN(name, lo, width, from) {P_FIELD, AMD_F_##name, lo, width, from}
#define SIGNED(name, lo, width)   {P_SIGNED, AMD_F_##name, lo, width, 0}
#define SRC(slot, lo, width)      {P_SRC, AMD_##slot, lo, width, 0}
#define VGPR(slot, lo)            {P_VGPR, AMD_##slot, lo, 8, 0}
#define DST(lo)                   {P_DST, AMD_D, lo, 8, 0}
/* Mask and value of the highest bits of the first word. */
#define TOP_MASK(width)           (((1ull << (width)) - 1) << (32 - (width)))
#define TOP_BITS(value, width)    ((uint64_t)(value) << (32 - (width)))
#define TOP(value, width)         TOP_MASK(width), TOP_BITS(value, width)
/* A short format whose first source, 9 bits, marks a longer form: 249 SDWA, 250 DPP, 233 and 234
 * DPP8 without and with inactive lanes. */
#define MARKED(value, width, mark) TOP_MASK(width) | 0x1ff, TOP_BITS(value, width) | (mark)
#define MARKED_DPP8(value, width)  TOP_MASK(width) | 0x1fc, TOP_BITS(value, width) | 0xe8
enum { MARK_SDWA = 249, MARK_DPP = 250 };

#define VOP3_SOURCES SRC(S0, 32, 9), SRC(S1, 41, 9), SRC(S2, 50, 9), F(OMOD, 59, 2), F(NEG, 61, 3)
#define SDWA_SOURCE0 {P_SDWA, AMD_S0, 32, 8, 55}, F(SRC0_SEL, 48, 3), F(SEXT, 51, 1), \
		     F(NEG, 52, 1), F(ABS, 53, 1)
#define SDWA_SOURCE1 {P_SDWA, AMD_S1, 9, 8, 63}, F(SRC1_SEL, 56, 3), FN(SEXT, 59, 1, 1), \
		     FN(NEG, 60, 1, 1), FN(ABS, 61, 1, 1)
#define SDWA_RESULT  F(DST_SEL, 40, 3), F(DST_UNUSED, 43, 2), F(CLAMP, 45, 1), F(OMOD, 46, 2)
#define DPP_COMMON   VGPR(S0, 32), F(DPP_CTRL, 40, 9), F(FI, 50, 1), F(BOUND_CTRL, 51, 1), \
		     F(NEG, 52, 1), F(ABS, 53, 1), F(BANK_MASK, 56, 4), F(ROW_MASK, 60, 4)
#define FLAT_COMMON  VGPR(S0, 32), VGPR(S1, 40), VGPR(D, 56), F(DLC, 12, 1), F(GLC, 16, 1), \
		     F(SLC, 17, 1)

/* FLAT in bits 31–26 and the segment in 15–14; bit 13, LDS, is not used. */
#define FLAT_BITS(segment) TOP_MASK(6) | 7u << 13, TOP_BITS(0x37, 6) | (segment) << 14

enum {
	L_SOP1, L_SOP2, L_SOPK, L_SOPC, L_SOPP, L_SMEM, L_VOP1, L_VOP2, L_VOPC, L_VOP3, L_VOP3B,
	L_VOP3P, L_DS, L_FLAT, L_GLOBAL, L_SCRATCH, L_MUBUF,
	L_VOP1_SDWA, L_VOP2_SDWA, L_VOPC_SDWA, L_VOP1_DPP, L_VOP2_DPP, L_VOP1_DPP8, L_VOP2_DPP8,
	L_COUNT
};

static const struct amd_layout layouts[L_COUNT] = {
	[L_SOP1] = {"SOP1", 4, TOP(0x17d, 9), 8, 8, {SRC(D, 16, 7), SRC(S0, 0, 8)}},
	[L_SOP2] = {"SOP2", 4, TOP(0x2, 2), 23, 7,
		    {SRC(D, 16, 7), SRC(S0, 0, 8), SRC(S1, 8, 8)}},
	[L_SOPK] = {"SOPK", 4, TOP(0xb, 4), 23, 5, {SRC(D, 16, 7), F(IMM, 0, 16)}},
	[L_SOPC] = {"SOPC", 4, TOP(0x17e, 9), 16, 7, {SRC(S0, 0, 8), SRC(S1, 8, 8)}},
	[L_SOPP] = {"SOPP", 4, TOP(0x17f, 9), 16, 7, {F(IMM, 0, 16)}},
	[L_SMEM] = {"SMEM", 8, TOP(0x3d, 6), 18, 8,
		    {SRC(D, 6, 7), {P_PAIR, AMD_S0, 0, 6, 0}, SRC(S1, 57, 7),
		     SIGNED(OFFSET, 32, 21), F(GLC, 16, 1), F(DLC, 14, 1)}},
	[L_VOP1] = {"VOP1", 4, TOP(0x3f, 7), 9, 8, {DST(17), SRC(S0, 0, 9)}},
	[L_VOP2] = {"VOP2", 4, TOP(0, 1), 25, 6, {DST(17), SRC(S0, 0, 9), VGPR(S1, 9)}},
	[L_VOPC] = {"VOPC", 4, TOP(0x3e, 7), 17, 8, {SRC(S0, 0, 9), VGPR(S1, 9)}},
	[L_VOP3] = {"VOP3", 8, TOP(0x35, 6), 16, 10,
		    {DST(0), F(ABS, 8, 3), F(OP_SEL, 11, 4), F(CLAMP, 15, 1), VOP3_SOURCES}},
	[L_VOP3B] = {"VOP3B", 8, TOP(0x35, 6), 16, 10,
		     {DST(0), SRC(SX, 8, 7), F(CLAMP, 15, 1), VOP3_SOURCES}},
	[L_VOP3P] = {"VOP3P", 8, TOP(0x198, 9), 16, 7,
		     {DST(0), F(ABS, 8, 3), F(OP_SEL, 11, 3), FN(OP_SEL_HI, 14, 1, 2),
		      F(CLAMP, 15, 1), SRC(S0, 32, 9), SRC(S1, 41, 9), SRC(S2, 50, 9),
		      F(OP_SEL_HI, 59, 2), F(NEG, 61, 3)}},
	[L_DS] = {"DS", 8, TOP(0x36, 6), 18, 8,
		  {VGPR(S0, 32), VGPR(S1, 40), VGPR(S2, 48), VGPR(D, 56), F(OFFSET, 0, 16)}},
	[L_FLAT] = {"FLAT", 8, FLAT_BITS(0u), 18, 7,
		    {FLAT_COMMON, F(OFFSET, 0, 11), SRC(S2, 48, 7)}},
	[L_GLOBAL] = {"GLOBAL", 8, FLAT_BITS(2u), 18, 7,
		      {FLAT_COMMON, SIGNED(OFFSET, 0, 12), SRC(S2, 48, 7)}},
	[L_SCRATCH] = {"SCRATCH", 8, FLAT_BITS(1u), 18, 7,
		       {FLAT_COMMON, SIGNED(OFFSET, 0, 12), SRC(S2, 48, 7)}},
	[L_MUBUF] = {"MUBUF", 8, TOP(0x38, 6), 18, 8,
		     {VGPR(S0, 32), {P_DATA, AMD_D, 40, 8, 0}, {P_QUAD, AMD_S2, 48, 5, 0},
		      SRC(SX, 56, 8), F(OFFSET, 0, 12), F(OFFEN, 12, 1), F(IDXEN, 13, 1),
		      F(GLC, 14, 1), F(DLC, 15, 1), F(SLC, 54, 1)}},
	[L_VOP1_SDWA] = {"VOP1 SDWA", 8, MARKED(0x3f, 7, MARK_SDWA), 9, 8,
			 {DST(17), SDWA_SOURCE0, SDWA_RESULT}},
	[L_VOP2_SDWA] = {"VOP2 SDWA", 8, MARKED(0, 1, MARK_SDWA), 25, 6,
			 {DST(17), SDWA_SOURCE0, SDWA_SOURCE1, SDWA_RESULT}},
	[L_VOPC_SDWA] = {"VOPC SDWA", 8, MARKED(0x3e, 7, MARK_SDWA), 17, 8,
			 {{P_SDWA_DST, AMD_D, 40, 7, 47}, SDWA_SOURCE0, SDWA_SOURCE1}},
	[L_VOP1_DPP] = {"VOP1 DPP", 8, MARKED(0x3f, 7, MARK_DPP), 9, 8, {DST(17), DPP_COMMON}},
	[L_VOP2_DPP] = {"VOP2 DPP", 8, MARKED(0, 1, MARK_DPP), 25, 6,
			{DST(17), DPP_COMMON, VGPR(S1, 9), FN(NEG, 54, 1, 1), FN(ABS, 55, 1, 1)}},
	[L_VOP1_DPP8] = {"VOP1 DPP8", 8, MARKED_DPP8(0x3f, 7), 9, 8,
			 {DST(17), VGPR(S0, 32), F(DPP8, 40, 24), {P_FI, AMD_F_FI, 0, 2, 0}}},
	[L_VOP2_DPP8] = {"VOP2 DPP8", 8, MARKED_DPP8(0, 1), 25, 6,
			 {DST(17), VGPR(S0, 32), VGPR(S1, 9), F(DPP8, 40, 24),
			  {P_FI, AMD_F_FI, 0, 2, 0}}},
};

/* By format: the plain layout, and those of the longer forms. */
static const struct {
	uint8_t plain, sdwa, dpp, dpp8;
	uint16_t e64; /* offset of the opcode in VOP3 */
} formats[AMD_FORMATS] = {
	[AMD_SOP1] = {.plain = L_SOP1},   [AMD_SOP2] = {.plain = L_SOP2},
	[AMD_SOPK] = {.plain = L_SOPK},   [AMD_SOPC] = {.plain = L_SOPC},
	[AMD_SOPP] = {.plain = L_SOPP},   [AMD_SMEM] = {.plain = L_SMEM},
	[AMD_VOP1] = {L_VOP1, L_VOP1_SDWA, L_VOP1_DPP, L_VOP1_DPP8, 0x180},
	[AMD_VOP2] = {L_VOP2, L_VOP2_SDWA, L_VOP2_DPP, L_VOP2_DPP8, 0x100},
	[AMD_VOPC] = {L_VOPC, L_VOPC_SDWA, 0, 0, 0},
	[AMD_VOP3] = {.plain = L_VOP3},   [AMD_VOP3P] = {.plain = L_VOP3P},
	[AMD_DS] = {.plain = L_DS},       [AMD_FLAT] = {.plain = L_FLAT},
	[AMD_GLOBAL] = {.plain = L_GLOBAL}, [AMD_SCRATCH] = {.plain = L_SCRATCH},
	[AMD_MUBUF] = {.plain = L_MUBUF},
};

/* By layout: whose rows it holds, in which form. */
static const struct {
	uint8_t format, form;
} meaning[L_COUNT] = {
	[L_SOP1] = {AMD_SOP1, AMD_PLAIN},	  [L_SOP2] = {AMD_SOP2, AMD_PLAIN},
	[L_SOPK] = {AMD_SOPK, AMD_PLAIN},	  [L_SOPC] = {AMD_SOPC, AMD_PLAIN},
	[L_SOPP] = {AMD_SOPP, AMD_PLAIN},	  [L_SMEM] = {AMD_SMEM, AMD_PLAIN},
	[L_VOP1] = {AMD_VOP1, AMD_PLAIN},	  [L_VOP2] = {AMD_VOP2, AMD_PLAIN},
	[L_VOPC] = {AMD_VOPC, AMD_PLAIN},	  [L_VOP3] = {AMD_VOP3, AMD_E64},
	[L_VOP3B] = {AMD_VOP3, AMD_E64},	  [L_VOP3P] = {AMD_VOP3P, AMD_PLAIN},
	[L_DS] = {AMD_DS, AMD_PLAIN},		  [L_FLAT] = {AMD_FLAT, AMD_PLAIN},
	[L_GLOBAL] = {AMD_GLOBAL, AMD_PLAIN},	  [L_SCRATCH] = {AMD_SCRATCH, AMD_PLAIN},
	[L_MUBUF] = {AMD_MUBUF, AMD_PLAIN},	  [L_VOP1_SDWA] = {AMD_VOP1, AMD_SDWA},
	[L_VOP2_SDWA] = {AMD_VOP2, AMD_SDWA},	  [L_VOPC_SDWA] = {AMD_VOPC, AMD_SDWA},
	[L_VOP1_DPP] = {AMD_VOP1, AMD_DPP},	  [L_VOP2_DPP] = {AMD_VOP2, AMD_DPP},
	[L_VOP1_DPP8] = {AMD_VOP1, AMD_DPP8},	  [L_VOP2_DPP8] = {AMD_VOP2, AMD_DPP8},
};

bool amd_row_has(const struct amd_row *row, enum amd_form form)
{
	static const uint32_t flags[AMD_FORMS] = {0, E64, SDWA, DPP, DPP};

	return form < AMD_FORMS && (row->flags & flags[form]) == flags[form];
}

const struct amd_layout *amd_layout(const struct amd_row *row, enum amd_form form)
{
	uint32_t l = formats[row->format].plain;

	switch (form) {
	case AMD_E64:
		l = L_VOP3;
		break;
	case AMD_SDWA:
		l = formats[row->format].sdwa;
		break;
	case AMD_DPP:
		l = formats[row->format].dpp;
		break;
	case AMD_DPP8:
		l = formats[row->format].dpp8;
		break;
	default:
		break;
	}
	if (l == L_VOP3 && row->flags & CARRY)
		l = L_VOP3B;
	return &layouts[l];
}

uint32_t amd_layout_opcode(enum amd_chip chip, const struct amd_row *row, enum amd_form form)
{
	return row->opcode[chip] + (form == AMD_E64 ? formats[row->format].e64 : 0);
}

static bool layout_matches(const struct amd_layout *l, uint64_t word)
{
	if ((word & l->mask) != l->match)
		return false;
	for (const struct amd_bitfield *bits = l->bitfields; bits->kind != P_END; bits++)
		if (bits->kind == P_FI && (word >> bits->lo & 3) != 1 && (word >> bits->lo & 3) != 2)
			return false;
	return true;
}

/* The layout with the most fixed bits wins: it uses encodings that other layouts leave free. */
const struct amd_layout *amd_layout_find(enum amd_chip chip, uint64_t word,
					 const struct amd_row **row, enum amd_form *form)
{
	const struct amd_layout *best = NULL;
	uint32_t opcode;

	for (uint32_t l = 0; l < L_COUNT; l++)
		if (layout_matches(&layouts[l], word) &&
		    (!best || __builtin_popcountll(layouts[l].mask) >
				      __builtin_popcountll(best->mask)))
			best = &layouts[l];
	if (!best)
		return NULL;
	opcode = (uint32_t)(word >> best->op_lo) & ((1u << best->op_width) - 1);
	*row = amd_row_of(chip, meaning[best - layouts].format, opcode);
	if (!*row)
		return NULL;
	*form = meaning[best - layouts].form;
	if ((*row)->format == AMD_VOP3)
		*form = AMD_PLAIN;
	return amd_row_has(*row, *form) ? amd_layout(*row, *form) : NULL;
}

const struct amd_bitfield *amd_operand_field(const struct amd_layout *l, const struct amd_row *row,
					     enum amd_slot slot)
{
	for (const struct amd_bitfield *bits = l->bitfields; bits->kind != P_END; bits++) {
		if (bits->kind == P_FIELD || bits->kind == P_SIGNED || bits->kind == P_FI)
			continue;
		if (bits->index == slot && bits->kind != P_DATA)
			return bits;
		if (bits->kind == P_DATA && slot == (row->type[AMD_D] ? AMD_D : AMD_S1))
			return bits;
	}
	return NULL;
}

uint16_t amd_implied(const struct amd_row *row, enum amd_slot slot)
{
	switch (row->type[slot]) {
	case TYPE_M:
		return AMD_VCC;
	case TYPE_X:
		return AMD_EXEC;
	case TYPE_K16:
	case TYPE_K32:
		return AMD_LITERAL;
	default:
		return AMD_NONE;
	}
}
