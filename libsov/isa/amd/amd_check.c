// SPDX-License-Identifier: MIT
/*
 * Validity of instructions: which registers, constants and modifiers a row accepts in a form, and
 * how many scalar values a vector instruction can read. Encoder and decoder use the same checks,
 * which return the name of the misfit.
 */
#include "libsov/isa/amd/amd_row.h"

static const char *const slot_wrong[AMD_SLOTS] = {
	[AMD_D] = "destination: no register that this instruction can write",
	[AMD_SX] = "scalar operand: no register that fits",
	[AMD_S0] = "source 0: no register or constant that fits",
	[AMD_S1] = "source 1: no register or constant that fits",
	[AMD_S2] = "source 2: no register or constant that fits",
};

static const char *const field_wrong[AMD_FIELDS] = {
#define AMD_FIELD(name) #name ": the value does not fit, or the instruction has no such field",
#include "libsov/isa/amd/amd_fields.h"
};

static bool is_vector_alu(const struct amd_row *row)
{
	return row->format >= AMD_VOP1 && row->format <= AMD_VOP3P;
}

uint32_t amd_words(const struct amd_inst *in, enum amd_slot slot)
{
	const struct amd_row *row = in->row;
	uint8_t type = row->type[slot];

	switch (type) {
	case TYPE_ADDR:
		if (row->format == AMD_SCRATCH)
			return in->reg[AMD_S2] == AMD_NULL;
		return row->type[AMD_S2] && in->reg[AMD_S2] != AMD_NULL ? 1 : 2;
	case TYPE_SADDR:
		return in->reg[slot] == AMD_NULL ||
				       (row->format == AMD_SCRATCH && in->reg[slot] == AMD_EXEC_HI)
			       ? 0
		       : row->format == AMD_SCRATCH ? 1
						    : 2;
	case TYPE_VBUF:
		return (uint32_t)(in->field[AMD_F_OFFEN] + in->field[AMD_F_IDXEN]);
	default:
		break;
	}
	if (slot == AMD_D && row->flags & ATOMIC && !in->field[AMD_F_GLC] &&
	    row->format != AMD_MUBUF)
		return 0;
	return amd_types[type].words;
}

/* Pairs start at even scalar registers, longer ranges at multiples of four; no range crosses the
 * end of its kind. */
static bool is_legal_scalar(uint32_t reg, uint32_t words)
{
	uint32_t align = words > 2 ? 4 : words;

	if (reg < AMD_SGPRS)
		return reg % align == 0 && reg + words <= AMD_SGPRS;
	if (reg >= AMD_TTMP && reg < AMD_M0)
		return (reg - AMD_TTMP) % align == 0 && reg + words <= AMD_M0;
	if (reg == AMD_VCC || reg == AMD_EXEC)
		return words <= 2;
	if (reg == AMD_NULL)
		return words <= 2;
	return words == 1 && (reg == AMD_VCC_HI || reg == AMD_EXEC_HI || reg == AMD_M0);
}

static bool is_legal_constant(uint32_t reg, uint8_t type)
{
	if (reg >= AMD_HALF && reg <= AMD_INV_2PI)
		return !amd_types[type].no_float;
	return (reg >= AMD_INT_0 && reg <= AMD_INT_M1 + 15) ||
	       (reg >= AMD_SHARED_BASE && reg <= AMD_POPS_ID) ||
	       (reg >= AMD_VCCZ && reg <= AMD_SCC);
}

static bool is_destination(const struct amd_row *row, enum amd_slot slot)
{
	return (slot == AMD_D && !(row->flags & D_SOURCE)) ||
	       (slot == AMD_SX && row->flags & CARRY);
}

static bool is_legal_address(const struct amd_inst *in, enum amd_slot slot)
{
	uint32_t words = amd_words(in, slot), reg = in->reg[slot];

	if (in->row->type[slot] == TYPE_SADDR)
		return !words || (reg != AMD_NULL && is_legal_scalar(reg, words) && reg < AMD_M0);
	/* An absent address is encoded as v0. */
	return words ? reg >= AMD_VGPR && reg + words <= AMD_VGPR + 256 : reg == AMD_VGPR;
}

static bool is_legal_operand(const struct amd_inst *in, const struct amd_layout *l,
			     enum amd_slot slot)
{
	const struct amd_row *row = in->row;
	uint8_t type = row->type[slot];
	const struct amd_type_info *info = &amd_types[type];
	const struct amd_bitfield *bits = amd_operand_field(l, row, slot);
	uint32_t reg = in->reg[slot], words = info->words;
	bool vector = is_vector_alu(row) || row->format >= AMD_DS;

	if (type == TYPE_NO)
		return reg == AMD_NONE;
	if (!bits || type == TYPE_X)
		return reg == amd_implied(row, slot) && (type != TYPE_K16 || in->literal <= 0xffff);
	/* Scalar loads cannot write M0 or EXEC, and EXEC cannot be a mask source. */
	if ((row->format == AMD_SMEM && slot == AMD_D) || (type == TYPE_M && slot == AMD_S2))
		if (reg == AMD_EXEC || reg == AMD_EXEC_HI ||
		    (reg == AMD_M0 && row->format == AMD_SMEM))
			return false;
	if (type == TYPE_ADDR || type == TYPE_SADDR || type == TYPE_VBUF)
		return is_legal_address(in, slot);
	if (reg >= AMD_VGPR) {
		if (slot == AMD_D && !amd_words(in, slot))
			return reg == AMD_VGPR;
		return vector && info->vector && bits->kind != P_PAIR && bits->kind != P_QUAD &&
		       reg + words <= AMD_VGPR + 256;
	}
	if (bits->kind == P_VGPR || bits->kind == P_DATA || (bits->kind == P_DST && info->vector))
		return false;
	if (reg < AMD_INT_0)
		return info->scalar && is_legal_scalar(reg, words) &&
		       reg % (bits->kind == P_PAIR   ? 2
			      : bits->kind == P_QUAD ? 4
						     : 1) ==
			       0;
	if (is_destination(row, slot) || bits->width < 8)
		return false;
	if (reg == AMD_LITERAL)
		return info->literal && in->form <= AMD_E64 && row->format < AMD_DS;
	return info->constant && is_legal_constant(reg, type);
}

/* Mask of the sources whose type is a float, or is not. */
static uint32_t float_sources(const struct amd_row *row, bool is_float)
{
	uint32_t mask = 0;

	for (uint32_t s = 0; s < 3; s++)
		if (row->type[AMD_S0 + s] && row->type[AMD_S0 + s] != TYPE_M &&
		    amd_types[row->type[AMD_S0 + s]].is_float == is_float)
			mask |= 1u << s;
	return mask;
}

static uint32_t all_sources(const struct amd_row *row)
{
	return row->type[AMD_S2] ? 7 : row->type[AMD_S1] ? 3 : 1;
}

static uint32_t memory_mask(const struct amd_row *row, enum amd_field field)
{
	static const struct {
		uint32_t formats; /* bit per format */
		uint32_t mask;
	} fields[AMD_FIELDS] = {
		[AMD_F_GLC] = {1u << AMD_SMEM | 1u << AMD_FLAT | 1u << AMD_GLOBAL |
				       1u << AMD_SCRATCH | 1u << AMD_MUBUF,
			       1},
		[AMD_F_DLC] = {1u << AMD_SMEM | 1u << AMD_FLAT | 1u << AMD_GLOBAL |
				       1u << AMD_SCRATCH | 1u << AMD_MUBUF,
			       1},
		[AMD_F_SLC] = {1u << AMD_FLAT | 1u << AMD_GLOBAL | 1u << AMD_SCRATCH |
				       1u << AMD_MUBUF,
			       1},
		[AMD_F_OFFEN] = {1u << AMD_MUBUF, 1},
		[AMD_F_IDXEN] = {1u << AMD_MUBUF, 1},
		[AMD_F_OFFSET] = {1u << AMD_SMEM | 1u << AMD_DS | 1u << AMD_FLAT |
					  1u << AMD_GLOBAL | 1u << AMD_SCRATCH | 1u << AMD_MUBUF,
				  0xffffffff},
	};

	if (row->flags & BARE || !(fields[field].formats >> row->format & 1))
		return 0;
	if (field == AMD_F_DLC && row->format == AMD_MUBUF && row->flags & ATOMIC)
		return 0;
	return fields[field].mask;
}

/* Field masks of VOP3 and VOP3P. */
static uint32_t vop3_mask(const struct amd_row *row, enum amd_field field)
{
	bool packed = row->format == AMD_VOP3P;

	switch (field) {
	case AMD_F_CLAMP:
		return !!(row->flags & CLAMP);
	case AMD_F_OMOD:
		return row->flags & OMOD ? 3 : 0;
	case AMD_F_NEG:
		return packed ? all_sources(row) : float_sources(row, true);
	case AMD_F_ABS:
		return packed               ? all_sources(row)
		       : row->flags & CARRY ? 0
					    : float_sources(row, true);
	case AMD_F_OP_SEL:
		return packed                          ? all_sources(row)
		       : !(row->flags & OP_SEL)        ? 0
		       : row->type[AMD_S0] == TYPE_V32 ? 3
						       : all_sources(row) | 8;
	case AMD_F_OP_SEL_HI:
		return packed ? 7 : 0;
	default:
		return 0;
	}
}

static uint32_t sdwa_mask(const struct amd_row *row, enum amd_field field)
{
	bool compares = row->format == AMD_VOPC;

	switch (field) {
	case AMD_F_SRC0_SEL:
		return 7;
	case AMD_F_SRC1_SEL:
		return row->type[AMD_S1] ? 7 : 0;
	case AMD_F_SEXT:
		return float_sources(row, false);
	case AMD_F_NEG:
	case AMD_F_ABS:
		return float_sources(row, true);
	case AMD_F_DST_SEL:
		return compares ? 0 : 7;
	case AMD_F_DST_UNUSED:
		return compares ? 0 : 3;
	case AMD_F_CLAMP:
		return !compares;
	case AMD_F_OMOD:
		return row->type[AMD_D] == TYPE_F16 || row->type[AMD_D] == TYPE_F32 ||
				       row->type[AMD_D] == TYPE_PF16
			       ? 3
			       : 0;
	default:
		return 0;
	}
}

uint32_t amd_field_mask(const struct amd_row *row, enum amd_form form, enum amd_field field)
{
	if (field == AMD_F_IMM)
		return row->format == AMD_SOPK ||
				       (row->format == AMD_SOPP && !(row->flags & NO_IMM))
			       ? 0xffff
			       : 0;
	if (!is_vector_alu(row))
		return memory_mask(row, field);
	switch (form) {
	case AMD_SDWA:
		return sdwa_mask(row, field);
	case AMD_DPP:
		switch (field) {
		case AMD_F_DPP_CTRL:
			return 0x1ff;
		case AMD_F_ROW_MASK:
		case AMD_F_BANK_MASK:
			return 15;
		case AMD_F_BOUND_CTRL:
		case AMD_F_FI:
			return 1;
		case AMD_F_NEG:
		case AMD_F_ABS:
			return float_sources(row, true);
		default:
			return 0;
		}
	case AMD_DPP8:
		return field == AMD_F_DPP8 ? 0xffffff : field == AMD_F_FI;
	case AMD_E64:
		return vop3_mask(row, field);
	default:
		return row->format >= AMD_VOP3 ? vop3_mask(row, field) : 0;
	}
}

static bool is_legal_dpp(int32_t c)
{
	return c <= 0xff || (c > AMD_DPP_ROW_SHL && c < AMD_DPP_ROW_SHR) ||
	       (c > AMD_DPP_ROW_SHR && c < AMD_DPP_ROW_ROR) ||
	       (c > AMD_DPP_ROW_ROR && c <= AMD_DPP_ROW_ROR + 15) || c == AMD_DPP_ROW_MIRROR ||
	       c == AMD_DPP_ROW_HALF_MIRROR ||
	       (c >= AMD_DPP_ROW_SHARE && c <= AMD_DPP_ROW_XMASK + 15);
}

/* Bit 7 of s_waitcnt and bits 5 and 6 of s_waitcnt_depctr are undefined; messages are those for
 * compute. */
static bool is_legal_immediate(const struct amd_row *row, int32_t imm)
{
	if (row->op == AMD_s_waitcnt)
		return !(imm & 0x80);
	if (row->op == AMD_s_waitcnt_depctr)
		return !(imm & 0x60);
	if (row->flags & MESSAGE)
		return imm == 1 || (imm >= 4 && imm <= 11);
	return true;
}

static bool is_legal_field(const struct amd_inst *in, const struct amd_layout *l,
			   enum amd_field field)
{
	uint32_t mask = amd_field_mask(in->row, in->form, field);
	int32_t v = in->field[field];

	if (field == AMD_F_IMM && !is_legal_immediate(in->row, v))
		return false;
	/* The third source's bit is set even if there is no third source. */
	if (field == AMD_F_OP_SEL_HI && mask && !in->row->type[AMD_S2] && !(v & 4))
		return false;
	if (!mask || !v)
		return !v;
	for (const struct amd_bitfield *bits = l->bitfields; bits->kind != P_END; bits++)
		if (bits->kind == P_SIGNED && bits->index == field)
			return v >= (in->row->type[AMD_S0] == TYPE_B128
					     ? 0
					     : -(1 << (bits->width - 1))) &&
			       v < 1 << (bits->width - 1);
		else if (field == AMD_F_OFFSET && bits->kind == P_FIELD && bits->index == field)
			mask &= (uint32_t)((1ull << bits->width) - 1);
	if ((uint32_t)v & ~mask)
		return false;
	switch (field) {
	case AMD_F_DPP_CTRL:
		return is_legal_dpp(v);
	case AMD_F_DST_SEL:
	case AMD_F_SRC0_SEL:
	case AMD_F_SRC1_SEL:
		return v <= AMD_DWORD;
	case AMD_F_DST_UNUSED:
		return v <= AMD_UNUSED_PRESERVE;
	default:
		return true;
	}
}

/* Vector instructions read scalar registers and the literal over a constant bus of two values. LLVM
 * counts an implicit VCC separately from an explicit one. */
static bool too_many_scalars(const struct amd_inst *in, const struct amd_layout *l)
{
	uint32_t seen[4], n = 0, i, limit = in->row->flags & ONE_SCALAR ? 1 : 2;

	if (in->row->flags & VCC_IN)
		seen[n++] = 1 << 15;
	for (uint32_t s = AMD_S0; s <= AMD_S2; s++) {
		uint32_t reg = in->reg[s];

		if (!in->row->type[s] || reg >= AMD_VGPR || reg == AMD_NULL ||
		    (reg >= AMD_INT_0 && reg < AMD_SHARED_BASE) ||
		    (reg >= AMD_HALF && reg <= AMD_INV_2PI))
			continue;
		/* A register and a pair that starts with it count as two. */
		reg |= (uint32_t)amd_types[in->row->type[s]].words << 9;
		if (!amd_operand_field(l, in->row, s) && in->row->type[s] == TYPE_M)
			reg = 1 << 15;
		for (i = 0; i < n && seen[i] != reg; i++)
			;
		if (i == n)
			seen[n++] = reg;
	}
	return n > limit;
}

const char *amd_check(const struct amd_inst *in)
{
	const struct amd_row *row = in->row;
	const struct amd_layout *l;

	if (!row || !amd_row_has(row, in->form))
		return "form: the instruction has no such form";
	l = amd_layout(row, in->form);
	for (uint32_t f = 0; f < AMD_FIELDS; f++)
		if (!is_legal_field(in, l, f))
			return field_wrong[f];
	for (uint32_t s = 0; s < AMD_SLOTS; s++)
		if (!is_legal_operand(in, l, s))
			return slot_wrong[s];
	if (is_vector_alu(row) && too_many_scalars(in, l))
		return "sources: more scalar registers and literals than one instruction can read";
	return NULL;
}

const uint32_t amd_constant_single[9] = {
	0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000,
	0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983,
};

bool amd_inline_constant(enum amd_type type, uint32_t value)
{
	static const uint16_t half[] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000,
					0xc000, 0x4400, 0xc400, 0x3118};
	int32_t v = amd_types[type].is_half ? (int16_t)value : (int32_t)value;

	if (v >= -16 && v <= 64)
		return true;
	for (uint32_t i = 0; i < sizeof(half) / sizeof(half[0]); i++)
		if (value == amd_constant_single[i] || (value & 0xffff) == half[i])
			return true;
	return false;
}
