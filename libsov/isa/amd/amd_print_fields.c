// SPDX-License-Identifier: MIT
/*
 * The second part of the disassembler: immediates, offsets and modifiers in LLVM's syntax. Names of
 * hardware registers, messages and counters are those of LLVM's AMDGPU user guide.
 */
#include "libsov/isa/amd/amd_print.h"

static const char *const hwregs[64] = {
	[1] = "HW_REG_MODE",          [2] = "HW_REG_STATUS",         [3] = "HW_REG_TRAPSTS",
	[5] = "HW_REG_GPR_ALLOC",     [6] = "HW_REG_LDS_ALLOC",      [7] = "HW_REG_IB_STS",
	[15] = "HW_REG_SH_MEM_BASES", [16] = "HW_REG_TBA_LO",        [17] = "HW_REG_TBA_HI",
	[18] = "HW_REG_TMA_LO",       [19] = "HW_REG_TMA_HI",        [20] = "HW_REG_FLAT_SCR_LO",
	[21] = "HW_REG_FLAT_SCR_HI",  [23] = "HW_REG_HW_ID1",        [24] = "HW_REG_HW_ID2",
	[25] = "HW_REG_POPS_PACKER",  [29] = "HW_REG_SHADER_CYCLES",
};
static const char *const messages[16] = {
	[1] = "MSG_INTERRUPT",    [4] = "MSG_SAVEWAVE",        [5] = "MSG_STALL_WAVE_GEN",
	[6] = "MSG_HALT_WAVES",   [7] = "MSG_ORDERED_PS_DONE", [8] = "MSG_EARLY_PRIM_DEALLOC",
	[9] = "MSG_GS_ALLOC_REQ", [10] = "MSG_GET_DOORBELL",   [11] = "MSG_GET_DDID",
};

/* Counters packed in an immediate; a counter at its maximum is not printed. */
struct counter {
	const char *name;
	uint8_t lo, width, lo2, width2;
};
static const struct counter wait_counters[] = {
	{"vmcnt", 0, 4, 14, 2},
	{"expcnt", 4, 3, 0, 0},
	{"lgkmcnt", 8, 6, 0, 0},
	{NULL, 0, 0, 0, 0},
};
static const struct counter dependence_counters[] = {
	{"depctr_hold_cnt", 7, 1, 0, 0}, {"depctr_sa_sdst", 0, 1, 0, 0},
	{"depctr_va_vdst", 12, 4, 0, 0}, {"depctr_va_sdst", 9, 3, 0, 0},
	{"depctr_va_ssrc", 8, 1, 0, 0},  {"depctr_va_vcc", 1, 1, 0, 0},
	{"depctr_vm_vsrc", 2, 3, 0, 0},  {NULL, 0, 0, 0, 0},
};

static void print_counters(struct amd_text *t, const struct counter *c, uint32_t imm)
{
	bool all = true;

	for (uint32_t pass = 0; pass < 2; pass++)
		for (const struct counter *k = c; k->name; k++) {
			uint32_t v = imm >> k->lo & ((1u << k->width) - 1);
			uint32_t limit = (1u << (k->width + k->width2)) - 1;

			v |= (imm >> k->lo2 & ((1u << k->width2) - 1)) << k->width;
			if (!pass)
				all = all && v == limit;
			else if (all || v != limit)
				amd_text_printf(t, " %s(%u)", k->name, v);
		}
}

static void print_hwreg_name(struct amd_text *t, uint32_t imm)
{
	uint32_t id = imm & 63, offset = imm >> 6 & 31, width = (imm >> 11) + 1;

	amd_text_printf(t, "hwreg(");
	if (hwregs[id])
		amd_text_printf(t, "%s", hwregs[id]);
	else
		amd_text_printf(t, "%u", id);
	if (offset || width != 32)
		amd_text_printf(t, ", %u, %u", offset, width);
	amd_text_printf(t, ")");
}

void amd_print_hwreg(struct amd_text *t, const struct amd_inst *in)
{
	uint32_t imm = (uint32_t)in->field[AMD_F_IMM];
	bool reads = in->row->type[AMD_D] && !(in->row->flags & D_SOURCE);

	amd_text_printf(t, " ");
	if (reads) {
		amd_print_operand(t, in, AMD_D);
		amd_text_printf(t, ", ");
	}
	print_hwreg_name(t, imm);
	if (reads)
		return;
	amd_text_printf(t, ", ");
	amd_print_operand(t, in, in->row->type[AMD_D] ? AMD_D : AMD_S2);
}

void amd_print_immediate(struct amd_text *t, const struct amd_inst *in, bool after)
{
	const struct amd_row *row = in->row;
	uint32_t imm = (uint32_t)in->field[AMD_F_IMM];

	if (!amd_field_mask(row, in->form, AMD_F_IMM))
		return;
	if (row->op == AMD_s_waitcnt)
		print_counters(t, wait_counters, imm);
	else if (row->op == AMD_s_waitcnt_depctr)
		print_counters(t, dependence_counters, imm);
	else if (row->flags & MESSAGE)
		amd_text_printf(t, " sendmsg(%s)", messages[imm & 15]);
	else if (row->flags & TARGET)
		amd_text_printf(t, "%s%u", after ? ", " : " ", imm);
	else if (row->format == AMD_SOPK || row->flags & HEX)
		amd_text_printf(t, "%s0x%x", after ? ", " : " ", imm);
	else if (row->op == AMD_s_endpgm && !imm)
		return;
	else if (imm <= 64 || row->op == AMD_s_endpgm)
		amd_text_printf(t, " %u", imm);
	else
		amd_text_printf(t, " 0x%x", imm);
}

static bool is_power_of_2(uint32_t x)
{
	return x && !(x & (x - 1));
}

/* The pattern of ds_swizzle: lane = ((lane & and) | or) ^ xor within 32, or a permutation of
 * quads. */
static void print_swizzle(struct amd_text *t, uint32_t pattern)
{
	uint32_t and_mask = pattern & 31, or_mask = pattern >> 5 & 31,
		 xor_mask = pattern >> 10 & 31;
	uint32_t group = 32 - and_mask;

	amd_text_printf(t, " offset:");
	if (pattern >> 8 == 0x80) {
		amd_text_printf(t, "swizzle(QUAD_PERM,%u,%u,%u,%u)", pattern & 3, pattern >> 2 & 3,
				pattern >> 4 & 3, pattern >> 6 & 3);
	} else if (pattern & 0x8000) {
		amd_text_printf(t, "%u", pattern);
	} else if (and_mask == 31 && !or_mask && is_power_of_2(xor_mask)) {
		amd_text_printf(t, "swizzle(SWAP,%u)", xor_mask);
	} else if (and_mask == 31 && !or_mask && xor_mask && is_power_of_2(xor_mask + 1)) {
		amd_text_printf(t, "swizzle(REVERSE,%u)", xor_mask + 1);
	} else if (group > 1 && is_power_of_2(group) && or_mask < group && !xor_mask) {
		amd_text_printf(t, "swizzle(BROADCAST,%u,%u)", group, or_mask);
	} else {
		amd_text_printf(t, "swizzle(BITMASK_PERM,\"");
		for (int b = 4; b >= 0; b--) {
			uint32_t zero = (or_mask ^ xor_mask) >> b & 1;
			uint32_t one = ((and_mask | or_mask) ^ xor_mask) >> b & 1;

			amd_text_printf(t, "%c",
					zero == one ? (zero ? '1' : '0')
					: zero      ? 'i'
						    : 'p');
		}
		amd_text_printf(t, "\")");
	}
}

static void print_scalar_offset(struct amd_text *t, const struct amd_inst *in)
{
	int32_t offset = in->field[AMD_F_OFFSET];
	uint32_t size = offset < 0 ? -(uint32_t)offset : (uint32_t)offset;

	if (offset)
		amd_text_printf(t, "%s%s0x%x", in->reg[AMD_S1] == AMD_NULL ? ", " : " offset:",
				offset < 0 ? "-" : "", size);
}

static void print_offset(struct amd_text *t, const struct amd_inst *in)
{
	int32_t offset = in->field[AMD_F_OFFSET];

	if (in->row->format == AMD_SMEM) {
		print_scalar_offset(t, in);
	} else if (!offset) {
		return;
	} else if (in->row->flags & OFFSETS) {
		if (offset & 0xff)
			amd_text_printf(t, " offset0:%d", offset & 0xff);
		if (offset >> 8)
			amd_text_printf(t, " offset1:%d", offset >> 8);
	} else if (in->row->flags & SWIZZLE) {
		print_swizzle(t, (uint32_t)offset);
	} else {
		amd_text_printf(t, " offset:%d", offset);
	}
}

void amd_print_memory_fields(struct amd_text *t, const struct amd_inst *in)
{
	static const struct {
		uint8_t field;
		const char *name;
	} after[] = {{AMD_F_GLC, " glc"}, {AMD_F_SLC, " slc"}, {AMD_F_DLC, " dlc"}};

	if (in->field[AMD_F_IDXEN])
		amd_text_printf(t, " idxen");
	if (in->field[AMD_F_OFFEN])
		amd_text_printf(t, " offen");
	print_offset(t, in);
	for (uint32_t i = 0; i < sizeof(after) / sizeof(after[0]); i++)
		if (in->field[after[i].field])
			amd_text_printf(t, "%s", after[i].name);
}

/* " name:[1,0,1]", one bit per source, and a last one for the destination. */
static void print_bits(struct amd_text *t, const char *name, uint32_t bits, uint32_t n)
{
	amd_text_printf(t, " %s:[", name);
	for (uint32_t i = 0; i < n; i++)
		amd_text_printf(t, "%s%u", i ? "," : "", bits >> i & 1);
	amd_text_printf(t, "]");
}

static void print_selects(struct amd_text *t, const struct amd_inst *in)
{
	const struct amd_row *row = in->row;
	uint32_t sources = row->type[AMD_S2] ? 3 : row->type[AMD_S1] ? 2 : 1;
	uint32_t sel = (uint32_t)in->field[AMD_F_OP_SEL],
		 high = (uint32_t)in->field[AMD_F_OP_SEL_HI];

	if (row->format == AMD_VOP3P) {
		bool mix = row->type[AMD_S0] == TYPE_MIX;

		if (sel)
			print_bits(t, "op_sel", sel, sources);
		if ((high & ((1u << sources) - 1)) != (mix ? 0 : (1u << sources) - 1))
			print_bits(t, "op_sel_hi", high, sources);
		if (!mix && in->field[AMD_F_NEG])
			print_bits(t, "neg_lo", (uint32_t)in->field[AMD_F_NEG], sources);
		if (!mix && in->field[AMD_F_ABS])
			print_bits(t, "neg_hi", (uint32_t)in->field[AMD_F_ABS], sources);
	} else if (sel && row->type[AMD_S0] == TYPE_V32) {
		print_bits(t, "op_sel", sel, 2);
	} else if (sel) {
		/* The destination's bit is the fourth, whatever the number of sources. */
		print_bits(t, "op_sel", (sel & ((1u << sources) - 1)) | sel >> 3 << sources,
			   sources + 1);
	}
}

static void print_sdwa(struct amd_text *t, const struct amd_inst *in)
{
	static const char *const parts[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3",
					    "WORD_0", "WORD_1", "DWORD"};
	static const char *const unused[] = {"PAD", "SEXT", "PRESERVE"};

	if (in->row->format != AMD_VOPC)
		amd_text_printf(t, " dst_sel:%s dst_unused:UNUSED_%s",
				parts[in->field[AMD_F_DST_SEL]],
				unused[in->field[AMD_F_DST_UNUSED]]);
	amd_text_printf(t, " src0_sel:%s", parts[in->field[AMD_F_SRC0_SEL]]);
	if (in->row->type[AMD_S1])
		amd_text_printf(t, " src1_sel:%s", parts[in->field[AMD_F_SRC1_SEL]]);
}

static void print_dpp(struct amd_text *t, const struct amd_inst *in)
{
	static const struct {
		uint16_t first;
		const char *name;
	} controls[] = {
		{AMD_DPP_ROW_XMASK, "row_xmask"}, {AMD_DPP_ROW_SHARE, "row_share"},
		{AMD_DPP_ROW_ROR, "row_ror"},     {AMD_DPP_ROW_SHR, "row_shr"},
		{AMD_DPP_ROW_SHL, "row_shl"},
	};
	uint32_t c = (uint32_t)in->field[AMD_F_DPP_CTRL], i;

	if (c < AMD_DPP_ROW_SHL) {
		amd_text_printf(t, " quad_perm:[%u,%u,%u,%u]", c & 3, c >> 2 & 3, c >> 4 & 3,
				c >> 6 & 3);
	} else if (c == AMD_DPP_ROW_MIRROR || c == AMD_DPP_ROW_HALF_MIRROR) {
		amd_text_printf(t, c == AMD_DPP_ROW_MIRROR ? " row_mirror" : " row_half_mirror");
	} else {
		for (i = 0; c < controls[i].first; i++)
			;
		amd_text_printf(t, " %s:%u", controls[i].name, c - controls[i].first);
	}
	amd_text_printf(t, " row_mask:0x%x bank_mask:0x%x", (unsigned)in->field[AMD_F_ROW_MASK],
			(unsigned)in->field[AMD_F_BANK_MASK]);
	if (in->field[AMD_F_BOUND_CTRL])
		amd_text_printf(t, " bound_ctrl:1");
}

void amd_print_modifiers(struct amd_text *t, const struct amd_inst *in)
{
	static const char *const omods[] = {"", " mul:2", " mul:4", " div:2"};

	print_selects(t, in);
	if (in->field[AMD_F_CLAMP])
		amd_text_printf(t, " clamp");
	amd_text_printf(t, "%s", omods[in->field[AMD_F_OMOD] & 3]);
	if (in->form == AMD_SDWA)
		print_sdwa(t, in);
	if (in->form == AMD_DPP)
		print_dpp(t, in);
	if (in->form == AMD_DPP8) {
		uint32_t lanes = (uint32_t)in->field[AMD_F_DPP8];

		amd_text_printf(t, " dpp8:[");
		for (uint32_t i = 0; i < 8; i++)
			amd_text_printf(t, "%s%u", i ? "," : "", lanes >> (3 * i) & 7);
		amd_text_printf(t, "]");
	}
	if (in->field[AMD_F_FI])
		amd_text_printf(t, " fi:1");
}
