// SPDX-License-Identifier: MIT
/* The disassembler: prints exactly nvdisasm's text from the rows of the table. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "libsov/isa/nv/sass_row.h"

struct text {
	char *buffer;
	size_t size, length;
};

__attribute__((format(printf, 2, 3))) static void text_append(struct text *t, const char *fmt, ...)
{
	size_t room = t->length < t->size ? t->size - t->length : 0;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(room ? t->buffer + t->length : NULL, room, fmt, ap);
	va_end(ap);
	t->length += n > 0 ? (size_t)n : 0;
}

static void print_signed(struct text *t, int64_t v)
{
	text_append(t, "%s0x%" PRIx64, v < 0 ? "-" : "", v < 0 ? -(uint64_t)v : (uint64_t)v);
}

static void print_float(struct text *t, double v, bool signalling)
{
	/* nvdisasm prints a blank after NaN, infinity and -0. */
	if (isnan(v))
		text_append(t, "%c%cNAN ", signbit(v) ? '-' : '+', signalling ? 'S' : 'Q');
	else if (isinf(v))
		text_append(t, "%cINF ", v < 0 ? '-' : '+');
	else if (v == 0 && signbit(v))
		text_append(t, "-0.0 ");
	else
		text_append(t, fabs(v) >= 1e9 ? "%.20e" : "%.20g", v);
}

static double from_f16(uint16_t h)
{
	int exponent = h >> 10 & 31, mantissa = h & 1023;
	double v;

	if (exponent == 31)
		v = mantissa ? NAN : INFINITY;
	else
		v = exponent ? ldexp(1024 + mantissa, exponent - 25) : ldexp(mantissa, -24);
	return copysign(v, h & 0x8000 ? -1.0 : 1.0);
}

static double from_bits32(uint32_t bits)
{
	float f;

	memcpy(&f, &bits, 4);
	return f;
}

static void print_half(struct text *t, uint16_t bits, bool bf16)
{
	print_float(t, bf16 ? from_bits32((uint32_t)bits << 16) : from_f16(bits), false);
}

/* The type of the immediate, which may depend on a modifier. */
static uint8_t immediate_kind(const struct sass_inst *in)
{
	uint8_t type = in->mod[SASS_M_STYPE], function = in->mod[SASS_M_FUNC];

	switch (in->form->imm) {
	case IMM_STYPE:
		return type == SASS_TYPE_U32 || type == SASS_TYPE_U64 ? IMM_HEX : IMM_SIGNED;
	case IMM_MUFU:
		if (function == SASS_MUFU_RCP64H || function == SASS_MUFU_RSQ64H)
			return IMM_DOUBLE;
		return IMM_FLOAT;
	}
	return in->form->imm;
}

static void print_immediate(struct text *t, const struct sass_inst *in, int64_t value)
{
	uint32_t bits = (uint32_t)value;
	double d;

	switch (immediate_kind(in)) {
	case IMM_SIGNED:
		print_signed(t, (int32_t)bits);
		break;
	case IMM_FLOAT:
		print_float(t, from_bits32(bits), false);
		break;
	case IMM_DOUBLE: /* the upper half of the number */
		memcpy(&d, &(uint64_t){(uint64_t)bits << 32}, 8);
		print_float(t, d, !(bits & 0x80000));
		break;
	case IMM_HALF2:
		print_half(t, bits >> 16, in->mod[SASS_M_HFORMAT] == SASS_HALF_BF16);
		text_append(t, ", ");
		print_half(t, bits & 0xffff, in->mod[SASS_M_HFORMAT] == SASS_HALF_BF16);
		break;
	default:
		text_append(t, "0x%" PRIx32, bits);
	}
}

static void print_reg(struct text *t, const struct sass_operand *o)
{
	static const char *const prefix[] = {
		[SASS_GPR] = "R",    [SASS_UGPR] = "UR", [SASS_PRED] = "P",
		[SASS_UPRED] = "UP", [SASS_BREG] = "B",
	};
	bool predicate = o->kind == SASS_PRED || o->kind == SASS_UPRED;

	if (predicate && o->reg == SASS_PT)
		text_append(t, "%sT", prefix[o->kind]);
	else if ((o->kind == SASS_GPR && o->reg == SASS_RZ) ||
		 (o->kind == SASS_UGPR && o->reg == SASS_URZ))
		text_append(t, "%sZ", prefix[o->kind]);
	else
		text_append(t, "%s%u", prefix[o->kind], o->reg);
}

static void print_constant(struct text *t, const struct sass_slot *s, const struct sass_operand *o)
{
	int16_t offset = (int16_t)o->value;
	bool uniform = s->type == SLOT_CONST_U, indexed = uniform || s->type == SLOT_CONST_R;
	struct sass_operand index = {.kind = uniform ? SASS_UGPR : SASS_GPR, .reg = o->reg};
	bool zero = !uniform && o->reg == SASS_RZ;

	text_append(t, "c[0x%x]%s[", o->aux & 31, s->flags & (SLOT_HALF | SLOT_SIGN) ? " " : "");
	if (indexed && (!zero || !offset))
		print_reg(t, &index);
	if (indexed && !zero && offset)
		text_append(t, "+");
	if (!indexed || offset)
		print_signed(t, offset);
	text_append(t, "]");
}

static void print_ureg(struct text *t, uint8_t reg)
{
	print_reg(t, &(struct sass_operand){.kind = SASS_UGPR, .reg = reg});
}

static void print_address(struct text *t, uint32_t sm, const struct sass_inst *in,
			  const struct sass_slot *s, const struct sass_operand *o)
{
	static const char *const shifts[] = {"", ".X4", ".X8", ".X16"};
	bool uniform = o->aux != SASS_NO_UREG, descriptor = o->flags & SASS_DESC;
	const char *suffix = shifts[in->mod[SASS_M_XSHIFT]];
	bool base;

	if ((uniform && s->width & ADDR_WIDE) || s->width & ADDR_FROM)
		suffix = o->flags & SASS_A64 ? ".64" : ".U32";
	if (s->width & ADDR_PAIR)
		suffix = ".64";
	base = o->reg != SASS_RZ || descriptor || s->width & (ADDR_FROM | ADDR_PAIR);
	if (uniform)
		base |= *suffix && (sm >= 90 || !(s->width & ADDR_WIDE));
	else
		base |= o->value == 0;
	/* Before SM90 nvdisasm prints a descriptor only where it holds a cache policy. */
	if (descriptor && (sm >= 90 || in->mod[SASS_M_POLICY])) {
		text_append(t, "desc[");
		print_ureg(t, o->aux);
		text_append(t, "]");
	}
	text_append(t, "[");
	if (base) {
		print_reg(t, &(struct sass_operand){.kind = SASS_GPR, .reg = o->reg});
		if (o->reg != SASS_RZ || uniform || s->width & (ADDR_FROM | ADDR_PAIR))
			text_append(t, "%s", suffix);
	}
	if (uniform && !descriptor) {
		text_append(t, base ? "+" : "");
		print_ureg(t, o->aux);
	}
	if (!base && !uniform && (s->width & ADDR_TO || s->flags & SLOT_SIGNED)) {
		print_signed(t, o->value);
	} else if (!base && !uniform) {
		text_append(t, "0x%x",
			    (unsigned)o->value & ~0u >> (32 - sass_address_offset(s).width));
	} else if (o->value && !base && s->flags & SLOT_UNSIGNED_UREG) {
		text_append(t, "+0x%x", (unsigned)o->value & 0xffffff);
	} else if (o->value) {
		text_append(t, "+");
		print_signed(t, o->value);
	}
	text_append(t, "]");
}

/* Sources are printed with negation, absolute value, reuse flag and the selected half or byte. */
static void print_source(struct text *t, const struct sass_slot *s, const struct sass_operand *o,
			 bool reused)
{
	static const char *const halves[] = {"", "", ".H0_H0", ".H1_H1"};
	static const char *const bytes[] = {"", ".B1", ".B2", ".B3"};
	const char *part = "";

	if (s->flags & SLOT_HALF)
		part = halves[o->kind == SASS_CONST ? o->aux >> 5 : o->aux];
	else if (s->flags & SLOT_BYTE)
		part = bytes[o->aux];
	else if (s->flags & SLOT_HALF1)
		part = o->aux ? ".H1" : "";
	text_append(t, "%s%s",
		    o->flags & SASS_NEG   ? "-"
		    : o->flags & SASS_NOT ? "~"
					  : "",
		    o->flags & SASS_ABS ? "|" : "");
	if (o->kind == SASS_CONST)
		print_constant(t, s, o);
	else
		print_reg(t, o);
	/* nvdisasm prints the half or byte selector outside the bars only for packed halves in
	 * general registers, for c, and for R2P. */
	if (o->kind == SASS_GPR &&
	    (s->flags & SLOT_HALF || (s->flags & SLOT_HALF1 && s->lo == 64) || s->width))
		text_append(t, "%s%s%s", o->flags & SASS_ABS ? "|" : "", reused ? ".reuse" : "",
			    part);
	else
		text_append(t, "%s%s%s", part, o->flags & SASS_ABS ? "|" : "",
			    reused ? ".reuse" : "");
	text_append(t, s->flags & SLOT_SIGN  ? ".SIGN"
		       : s->flags & SLOT_ROW ? ".ROW"
		       : s->flags & SLOT_COL ? ".COL"
					     : "");
}

static void print_set(struct text *t, uint32_t bits)
{
	const char *separator = "{";

	for (int i = 31; i >= 0; i--) {
		if (!(bits >> i & 1))
			continue;
		text_append(t, "%s%d", separator, i);
		separator = ",";
	}
	text_append(t, "}");
}

static bool is_default(const struct sass_slot *s, const struct sass_operand *o)
{
	switch (s->otherwise) {
	case DEFAULT_TRUE:
		return o->reg == SASS_PT && !(o->flags & SASS_NEG);
	case DEFAULT_FALSE:
		return o->reg == SASS_PT && o->flags & SASS_NEG;
	case DEFAULT_ZERO_REG:
		return o->reg == (o->kind == SASS_UGPR ? SASS_URZ : SASS_RZ);
	case DEFAULT_0:
		return o->kind == SASS_IMM && o->value == 0;
	case DEFAULT_7:
		return o->value == 7;
	case DEFAULT_15:
		return o->value == 15;
	}
	return o->kind == SASS_TARGET && o->value == 0;
}

static bool is_printed(const struct sass_inst *in, const struct sass_slot *s,
		       const struct sass_operand *o)
{
	if (s->flags & SLOT_RED && in->mod[SASS_M_BAR] < SASS_BAR_RED_POPC)
		return false;
	if (s->if_mod && !in->mod[s->if_mod - 1])
		return false;
	if (s->type == SLOT_ABSENT)
		return false;
	return !(s->flags & SLOT_QUIET && is_default(s, o));
}

static void print_descriptors(struct text *t, const struct sass_inst *in,
			      const struct sass_operand *o)
{
	text_append(t, "gdesc[");
	print_reg(t, o);
	text_append(t, "]%s%s%s%s", in->mod[SASS_M_NEG_A] ? ".negA" : "",
		    in->mod[SASS_M_NEG_B] ? ".negB" : "", in->mod[SASS_M_TRANS_A] ? ".tnspA" : "",
		    in->mod[SASS_M_TRANS_B] ? ".tnspB" : "");
}

static void print_operand(struct text *t, uint32_t sm, const struct sass_inst *in, uint32_t index,
			  uint64_t address)
{
	const struct sass_slot *s = &in->form->ops[index];
	const struct sass_operand *o = &in->ops[index];

	switch (o->kind) {
	case SASS_PRED:
	case SASS_UPRED:
		text_append(t, o->flags & SASS_NEG ? "!" : "");
		print_reg(t, o);
		break;
	case SASS_GPR:
	case SASS_UGPR:
	case SASS_BREG:
	case SASS_CONST:
		text_append(t, s->flags & SLOT_POLICY     ? "desc["
			       : s->flags & SLOT_BRACKETS ? "["
							  : "");
		if (s->flags & SLOT_GDESC)
			print_descriptors(t, in, o);
		else
			print_source(t, s, o, in->reuse & sass_reuse_bit(in->form, in, index));
		text_append(t, s->flags & (SLOT_BRACKETS | SLOT_POLICY) ? "]" : "");
		break;
	case SASS_IMM:
		if (s->flags & SLOT_DIMENSION)
			text_append(t, "TEX_HEADER_DIMENSION");
		else if (s->flags & SLOT_SET)
			print_set(t, (uint32_t)o->value);
		else if (s->flags & SLOT_RPC)
			text_append(t, o->value ? "Rpc.HI" : "Rpc.LO");
		else if (s->flags & (SLOT_SB | SLOT_GSB))
			text_append(t, "%s%u", s->flags & SLOT_SB ? "SB" : "gsb",
				    (unsigned)o->value);
		else if (s->type == SLOT_IMM || s->type == SLOT_SPLIT)
			text_append(t, "0x%" PRIx64, (uint64_t)o->value);
		else
			print_immediate(t, in, o->value);
		break;
	case SASS_SREG:
		if (sass_special_name(sm, (uint8_t)o->value))
			text_append(t, "%s", sass_special_name(sm, (uint8_t)o->value));
		else
			text_append(t, "SR%u", (unsigned)o->value);
		break;
	case SASS_ADDR:
		print_address(t, sm, in, s, o);
		break;
	case SASS_TARGET:
		print_signed(t, (s->flags & SLOT_RAW ? 0 : (int64_t)address + 16) + o->value);
		break;
	case SASS_NONE:
		text_append(t, in->form->uniform ? "UPR" : "PR");
		break;
	}
}

static void print_guard(struct text *t, const struct sass_inst *in)
{
	if (in->guard == SASS_PT && !in->guard_not)
		return;
	text_append(t, "@%s", in->guard_not ? "!" : "");
	print_reg(t, &(struct sass_operand){.kind = in->form->uniform ? SASS_UPRED : SASS_PRED,
					    .reg = in->guard});
	text_append(t, " ");
}

static const char *choice_text(const struct sass_field *f, uint8_t value)
{
	uint32_t i, n = 1u << (f->width + f->width2);

	for (i = 0; i < n; i++)
		if (f->choices[i].text && f->choices[i].value == value)
			return f->choices[i].text;
	return "";
}

/* Those that follow the name, or the operands. */
static void print_fields(struct text *t, const struct sass_form *row, const struct sass_inst *in,
			 bool last)
{
	for (uint32_t i = 0; i < SASS_MAX_FIELDS && row->fields[i].width; i++) {
		const char *text = choice_text(&row->fields[i], in->mod[row->fields[i].mod]);

		if ((*text == ',') == last)
			text_append(t, "%s", text);
	}
}

int sass_print(uint32_t sm, const struct sass_inst *instruction, uint64_t address, char *buffer,
	       size_t size)
{
	struct text t = {buffer, size, 0};
	struct sass_inst in = *instruction;
	const struct sass_form *row;
	struct sass_word word;
	const char *separator = " ", *name;
	uint32_t i, pass;

	row = sass_select(sm, &in, &word, NULL);
	if (!row)
		return -1;
	print_guard(&t, &in);
	name = row->alias ? row->alias(&in) : NULL;
	text_append(&t, "%s", name ? name : row->name);
	print_fields(&t, row, &in, false);
	text_append(&t, "%s", row->suffix ? row->suffix : "");
	for (pass = 0; pass < 2; pass++) {
		for (i = 0; i < in.nops; i++) {
			bool later = !(row->ops[i].flags & SLOT_FIRST);

			if (later != pass || !is_printed(&in, &row->ops[i], &in.ops[i]))
				continue;
			text_append(&t, "%s", separator);
			print_operand(&t, sm, &in, i, address);
			separator = row->ops[i].flags & SLOT_BLANK ? " " : ", ";
		}
	}
	print_fields(&t, row, &in, true);
	if (t.length && t.length < size && buffer[t.length - 1] == ' ')
		buffer[--t.length] = 0;
	return (int)t.length;
}
