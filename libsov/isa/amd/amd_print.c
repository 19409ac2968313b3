// SPDX-License-Identifier: MIT
/*
 * The disassembler prints LLVM's syntax, so that llvm-mc assembles its output and prints the same
 * text. Operands are in the order of the slots; modifiers follow.
 */
#include <stdarg.h>
#include <stdio.h>

#include "libsov/isa/amd/amd_print.h"

__attribute__((format(printf, 2, 3))) void amd_text_printf(struct amd_text *t, const char *format,
							   ...)
{
	size_t room = t->length < t->size ? t->size - t->length : 0;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(room ? t->buffer + t->length : NULL, room, format, args);
	va_end(args);
	t->length += n > 0 ? (size_t)n : 0;
}

static void print_range(struct amd_text *t, const char *file, uint32_t first, uint32_t words)
{
	if (words > 1)
		amd_text_printf(t, "%s[%u:%u]", file, first, first + words - 1);
	else
		amd_text_printf(t, "%s%u", file, first);
}

static const char *special_name(uint32_t reg, bool wide)
{
	switch (reg) {
	case AMD_VCC:
		return wide ? "vcc" : "vcc_lo";
	case AMD_VCC_HI:
		return "vcc_hi";
	case AMD_M0:
		return "m0";
	case AMD_NULL:
		return "null";
	case AMD_EXEC:
		return wide ? "exec" : "exec_lo";
	case AMD_EXEC_HI:
		return "exec_hi";
	case AMD_SHARED_BASE:
		return "src_shared_base";
	case AMD_SHARED_LIMIT:
		return "src_shared_limit";
	case AMD_PRIVATE_BASE:
		return "src_private_base";
	case AMD_PRIVATE_LIMIT:
		return "src_private_limit";
	case AMD_POPS_ID:
		return "src_pops_exiting_wave_id";
	case AMD_VCCZ:
		return "src_vccz";
	case AMD_EXECZ:
		return "src_execz";
	case AMD_SCC:
		return "src_scc";
	default:
		return NULL;
	}
}

static void print_constant(struct amd_text *t, uint32_t reg, bool wide)
{
	static const char *const floats[] = {"0.5", "-0.5", "1.0", "-1.0",
					     "2.0", "-2.0", "4.0", "-4.0"};

	if (reg < AMD_INT_M1)
		amd_text_printf(t, "%u", reg - AMD_INT_0);
	else if (reg < AMD_HALF)
		amd_text_printf(t, "-%u", reg - AMD_INT_M1 + 1);
	else if (reg < AMD_INV_2PI)
		amd_text_printf(t, "%s", floats[reg - AMD_HALF]);
	else
		amd_text_printf(t, wide ? "0.15915494309189532" : "0.15915494");
}

/* A literal with the value of an inline constant is printed as that constant, except where the
 * format always has a literal. */
static void print_literal(struct amd_text *t, const struct amd_inst *in, uint8_t type)
{
	bool always = in->row->format == AMD_VOP2 && (type == TYPE_K16 || type == TYPE_K32);
	uint32_t value = amd_types[type].is_half ? in->literal & 0xffff : in->literal, reg;
	int32_t v = amd_types[type].is_half ? (int16_t)value : (int32_t)value;
	int32_t min = type == TYPE_B64 ? 0 : -16;

	for (reg = AMD_HALF; reg <= AMD_INV_2PI; reg++)
		if (amd_constant_single[reg - AMD_HALF] == value)
			break;
	if (!always && type != TYPE_F64 && v >= min && v <= 64)
		amd_text_printf(t, "%d", v);
	else if (!always && reg <= AMD_INV_2PI && amd_types[type].words == 1)
		print_constant(t, reg, false);
	else
		amd_text_printf(t, "0x%x", value);
}

static void print_register(struct amd_text *t, const struct amd_inst *in, enum amd_slot slot)
{
	uint32_t reg = in->reg[slot], words = amd_words(in, slot);
	uint8_t type = in->row->type[slot];
	const char *name = special_name(reg, words == 2);

	if (!words)
		amd_text_printf(t, "off");
	else if (reg >= AMD_VGPR)
		print_range(t, "v", reg - AMD_VGPR, words);
	else if (reg < AMD_SGPRS)
		print_range(t, "s", reg, words);
	else if (reg >= AMD_TTMP && reg < AMD_M0)
		print_range(t, "ttmp", reg - AMD_TTMP, words);
	else if (name)
		amd_text_printf(t, "%s", name);
	else if (reg == AMD_LITERAL)
		print_literal(t, in, type);
	else
		print_constant(t, reg, words == 2);
}

/* Packed negations are printed at the end, all others around the operand. */
static bool signs_inside(const struct amd_inst *in)
{
	return in->row->format != AMD_VOP3P || in->row->type[AMD_S0] == TYPE_MIX;
}

static void print_source(struct amd_text *t, const struct amd_inst *in, enum amd_slot slot)
{
	uint32_t bit = slot >= AMD_S0 && signs_inside(in) ? 1u << (slot - AMD_S0) : 0;
	bool neg = in->field[AMD_F_NEG] & bit, abs = in->field[AMD_F_ABS] & bit;
	bool constant = in->reg[slot] >= AMD_INT_0 && in->reg[slot] < AMD_VGPR &&
			!special_name(in->reg[slot], false);

	if (in->field[AMD_F_SEXT] & bit)
		amd_text_printf(t, "sext(");
	if (neg && constant && !abs)
		amd_text_printf(t, "neg("); /* -1 is a number, neg(1) a negated one */
	else if (neg)
		amd_text_printf(t, "-");
	if (abs)
		amd_text_printf(t, "|");
	print_register(t, in, slot);
	if (abs)
		amd_text_printf(t, "|");
	if ((neg && constant && !abs) || in->field[AMD_F_SEXT] & bit)
		amd_text_printf(t, ")");
}

/* Lists the printed operands in order. */
static uint32_t printed_operands(const struct amd_inst *in, enum amd_slot order[AMD_SLOTS])
{
	const struct amd_row *row = in->row;
	uint32_t n = 0;

	if (row->type[AMD_D] && row->type[AMD_D] != TYPE_X && amd_words(in, AMD_D))
		order[n++] = AMD_D;
	if (row->format == AMD_MUBUF) {
		if (row->type[AMD_S1])
			order[n++] = AMD_S1;
		if (row->type[AMD_S0]) {
			order[n++] = AMD_S0;
			order[n++] = AMD_S2;
			order[n++] = AMD_SX;
		}
		return n;
	}
	if (row->type[AMD_SX])
		order[n++] = AMD_SX;
	if (row->type[AMD_S0])
		order[n++] = AMD_S0;
	if (row->flags & K_SECOND)
		order[n++] = AMD_S2;
	/* Scalar memory prints NULL only without an offset; see amd_print_memory_fields. */
	if (row->type[AMD_S1] &&
	    !(row->format == AMD_SMEM && in->reg[AMD_S1] == AMD_NULL && in->field[AMD_F_OFFSET]))
		order[n++] = AMD_S1;
	if (row->type[AMD_S2] && !(row->flags & K_SECOND))
		order[n++] = AMD_S2;
	return n;
}

static const char *form_suffix(const struct amd_inst *in)
{
	static const char *const names[AMD_FORMS] = {"_e32", "_e64", "_sdwa", "_dpp", "_dpp"};

	if (in->form == AMD_PLAIN && !(in->row->flags & E64))
		return "";
	return in->row->type[AMD_D] ? names[in->form] : "";
}

int amd_print(const struct amd_inst *in, char *buffer, size_t size)
{
	struct amd_text t = {buffer, size, 0};
	enum amd_slot order[AMD_SLOTS];
	uint32_t n = printed_operands(in, order);

	if (size)
		buffer[0] = 0;
	amd_text_printf(&t, "%s%s", in->row->name, form_suffix(in));
	if (in->row->flags & HWREG) { /* their immediate may precede the operand */
		amd_print_hwreg(&t, in);
		return (int)t.length;
	}
	for (uint32_t i = 0; i < n; i++) {
		amd_text_printf(&t, i ? ", " : " ");
		print_source(&t, in, order[i]);
	}
	amd_print_immediate(&t, in, n > 0);
	amd_print_memory_fields(&t, in);
	amd_print_modifiers(&t, in);
	return (int)t.length;
}

void amd_print_operand(struct amd_text *t, const struct amd_inst *in, enum amd_slot slot)
{
	print_register(t, in, slot);
}
