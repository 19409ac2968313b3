// SPDX-License-Identifier: MIT
/*
 * Encoder and decoder are one walk over a row of the table. The same code visits every field in
 * both directions; walk.encode selects whether it writes bits from the instruction or reads them
 * into it. So every encoding decodes to the same instruction, and the bits that a walk visits are
 * exactly those that the row defines. The decoder rejects words with any other bit set.
 */
#include <string.h>

#include "libsov/isa/nv/sass_row.h"

struct walk {
	bool encode;   /* otherwise decode */
	uint32_t form; /* bits 9–11 */
	const struct sass_form *row;
	struct sass_inst *in;
	struct sass_word word, known;
	const char *why;   /* the misfit */
	uint32_t progress; /* of two failed walks the one that got further has the better reason */
};

/* A source field: its register, and the bits that negate it, take its absolute value and select its
 * half. */
struct source_field {
	uint8_t lo, neg, abs, half;
};
static const struct source_field source_24 = {24, 72, 73, 74};
static const struct source_field source_32 = {32, 63, 62, 60};
static const struct source_field source_64 = {64, 75, 74, 72};
/* With packed halves: bits 74 and 75 select the halves of a. */
static const struct source_field source_64_half = {64, 84, 83, 81};

enum misfit { FITS = -1, MISFIT_KIND, MISFIT_VALUE, MISFIT_FLAG };
#define OPERAND_REASONS(n) \
	{"operand " n " is of a kind that no form takes here", \
	 "operand " n " does not fit its field", \
	 "operand " n " has a sign, half or flag that this instruction cannot express"}
static const char *const operand_reasons[SASS_MAX_OPERANDS][3] = {
	OPERAND_REASONS("0"), OPERAND_REASONS("1"), OPERAND_REASONS("2"), OPERAND_REASONS("3"),
	OPERAND_REASONS("4"), OPERAND_REASONS("5"), OPERAND_REASONS("6"), OPERAND_REASONS("7"),
};

static uint64_t low_bits(uint32_t width)
{
	return width >= 64 ? ~0ull : (1ull << width) - 1;
}

/* Visits a field of up to 64 bits anywhere in the word. Returns false if the value does not fit. */
static bool walk_field(struct walk *w, uint32_t lo, uint32_t width, uint64_t *value)
{
	uint64_t mask = low_bits(width);
	uint64_t in_lo = lo < 64 ? mask << lo : 0;
	uint64_t in_hi = lo >= 64 ? mask << (lo - 64) : lo ? mask >> (64 - lo) : 0;

	w->known.lo |= in_lo;
	w->known.hi |= in_hi;
	if (w->encode) {
		if (*value & ~mask)
			return false;
		w->word.lo |= lo < 64 ? *value << lo : 0;
		w->word.hi |= lo >= 64 ? *value << (lo - 64) : lo ? *value >> (64 - lo) : 0;
		return true;
	}
	if (lo >= 64)
		*value = w->word.hi >> (lo - 64);
	else
		*value = w->word.lo >> lo | (lo ? w->word.hi << (64 - lo) : 0);
	*value &= mask;
	return true;
}

static bool walk_field8(struct walk *w, uint32_t lo, uint32_t width, uint8_t *value)
{
	uint64_t v = *value;
	bool fits = walk_field(w, lo, width, &v);

	*value = v;
	return fits;
}

/* Visits a bit that is a flag of an operand. */
static void walk_flag(struct walk *w, uint32_t lo, uint8_t *flags, uint8_t flag)
{
	uint8_t set = w->encode && (*flags & flag);

	walk_field8(w, lo, 1, &set);
	if (set)
		*flags |= flag;
}

/* Visits bits that must have this value. */
static bool walk_fixed(struct walk *w, uint32_t lo, uint32_t width, uint64_t want)
{
	uint64_t v = want;

	walk_field(w, lo, width, &v);
	return v == want;
}

static bool walk_signed(struct walk *w, uint32_t lo, uint32_t width, int64_t *value)
{
	uint64_t v = (uint64_t)*value & low_bits(width), sign = 1ull << (width - 1);
	int64_t min = -(int64_t)(sign), max = (int64_t)(sign - 1);

	if (w->encode && (*value < min || *value > max))
		return false;
	walk_field(w, lo, width, &v);
	*value = (int64_t)((v ^ sign) - sign);
	return true;
}

/* Forms in which b and c exchange their bits. */
static bool swaps_b_and_c(uint32_t form)
{
	return form == 2 || form == 3 || form == 7;
}

bool sass_is_odd(const struct sass_slot *s, uint32_t form)
{
	return s->type == SLOT_ODD || (s->type == SLOT_B && !swaps_b_and_c(form)) ||
	       (s->type == SLOT_C && swaps_b_and_c(form));
}

uint8_t sass_forms(const struct sass_form *row, uint32_t sm)
{
	bool by_form = false; /* the form selects the kind of a source */

	if (sm >= 75)
		return row->forms;
	for (uint32_t i = 0; i < SASS_MAX_OPERANDS && row->ops[i].type; i++)
		by_form |= row->ops[i].type == SLOT_ODD || row->ops[i].type == SLOT_B ||
			   row->ops[i].type == SLOT_C;
	return by_form ? row->forms & ~(1 << 6 | 1 << 7) : row->forms;
}

uint8_t sass_reuse_bit(const struct sass_form *row, const struct sass_inst *in, uint32_t operand)
{
	const struct sass_slot *s = &row->ops[operand];

	if (in->ops[operand].kind != SASS_GPR || s->flags & SLOT_WRITE)
		return 0;
	if (s->reuse)
		return s->reuse == REUSE_NONE ? 0 : s->reuse;
	/* Only vector arithmetic uses the reuse cache. */
	if (row->opcode >= 0x80)
		return 0;
	switch (s->type) {
	case SLOT_GPR:
		return 1;
	case SLOT_ODD: /* b, or where form 2 exists the c of two sources */
		return row->forms & 1 << 2 ? 4 : 2;
	case SLOT_B:
		return 2;
	case SLOT_C:
		return 4;
	}
	return 0;
}

/* The kind of the source in bits 32–63 in this form. */
static uint8_t odd_kind(const struct sass_form *row, uint32_t form)
{
	static const uint8_t kinds[8] = {
		SASS_NONE, SASS_GPR,   SASS_IMM,  SASS_CONST,
		SASS_IMM,  SASS_CONST, SASS_UGPR, SASS_UGPR,
	};

	return row->uniform && kinds[form] == SASS_GPR ? SASS_UGPR : kinds[form];
}

/* The kind of a source of arithmetic. */
static uint8_t source_kind(const struct sass_form *row, uint32_t form, const struct sass_slot *s)
{
	return sass_is_odd(s, form) ? odd_kind(row, form) : row->uniform ? SASS_UGPR : SASS_GPR;
}

uint8_t sass_negation(const struct sass_slot *s, const struct sass_inst *in)
{
	/* With a carry in, the hardware's -x is ~x: the carry brings the missing 1. */
	if (s->flags & SLOT_NEG && s->flags & SLOT_NOT)
		return in->mod[SASS_M_X] ? SASS_NOT : SASS_NEG;
	return s->flags & SLOT_NOT ? SASS_NOT : SASS_NEG;
}

static bool walk_source_modifiers(struct walk *w, const struct sass_slot *s,
				  const struct source_field *field, struct sass_operand *o)
{
	uint8_t allowed = 0;

	if (s->flags & (SLOT_NEG | SLOT_NOT)) {
		allowed |= sass_negation(s, w->in);
		walk_flag(w, field->neg, &o->flags, sass_negation(s, w->in));
	}
	if (s->flags & SLOT_ABS) {
		walk_flag(w, field->abs, &o->flags, SASS_ABS);
		allowed |= SASS_ABS;
	}
	if (o->kind == SASS_CONST) { /* the bank is in aux already */
		uint8_t half = o->aux >> 5;

		if (s->flags & SLOT_HALF)
			walk_field8(w, field->half, 2, &half);
		else if (half)
			return false;
		o->aux = (o->aux & 31) | half << 5;
	} else if (s->flags & (SLOT_HALF | SLOT_BYTE | SLOT_HALF1)) {
		uint32_t at = s->width ? s->width : field->half;

		if (!walk_field8(w, at, s->flags & SLOT_HALF1 ? 1 : 2, &o->aux))
			return false;
	} else if (o->aux) {
		return false;
	}
	return !(o->flags & ~allowed);
}

static bool walk_constant(struct walk *w, struct sass_operand *o)
{
	uint64_t words = (uint64_t)o->value >> 2;
	uint8_t bank = o->aux & 31;

	if (w->encode && (o->value & 3 || o->reg != SASS_RZ))
		return false;
	o->reg = SASS_RZ;
	walk_field8(w, 54, 5, &bank);
	o->aux = (o->aux & ~31) | bank;
	if (!walk_field(w, 40, 14, &words))
		return false;
	o->value = (int64_t)(words << 2);
	return walk_fixed(w, 91, 1, 0);
}

static const struct source_field *source_field_of(const struct walk *w, const struct sass_slot *s)
{
	if (s->lo == 32 || sass_is_odd(s, w->form))
		return &source_32;
	if (s->lo == 24)
		return &source_24;
	return w->row->imm == IMM_HALF2 ? &source_64_half : &source_64;
}

/* A source of arithmetic: in bits 24 and 64 a register, in bits 32–63 the kind that the form
 * selects. */
static enum misfit walk_source(struct walk *w, const struct sass_slot *s, struct sass_operand *o)
{
	const struct source_field *field = source_field_of(w, s);
	uint8_t kind = source_kind(w->row, w->form, s);

	if (w->encode && o->kind != kind)
		return MISFIT_KIND;
	o->kind = kind;
	if (kind == SASS_IMM) {
		uint64_t v = (uint64_t)o->value & 0xffffffff;

		if (w->encode && (o->value < INT32_MIN || o->value > UINT32_MAX))
			return MISFIT_VALUE;
		walk_field(w, 32, 32, &v);
		o->value = (int64_t)v;
		return o->flags || o->aux ? MISFIT_FLAG : FITS;
	}
	if (kind == SASS_CONST) {
		if (!walk_constant(w, o))
			return MISFIT_VALUE;
	} else if (!walk_field8(w, field->lo, kind == SASS_UGPR ? 6 : 8, &o->reg)) {
		return MISFIT_VALUE;
	}
	if (kind == SASS_UGPR && !w->row->uniform && !walk_fixed(w, 91, 1, 1))
		return MISFIT_KIND;
	return walk_source_modifiers(w, s, field, o) ? FITS : MISFIT_FLAG;
}

/* A register outside the source fields. */
static enum misfit walk_reg(struct walk *w, const struct sass_slot *s, struct sass_operand *o)
{
	static const uint8_t kinds[] = {
		[SLOT_GPR] = SASS_GPR,     [SLOT_UGPR] = SASS_UGPR, [SLOT_PRED] = SASS_PRED,
		[SLOT_UPRED] = SASS_UPRED, [SLOT_BREG] = SASS_BREG,
	};
	static const uint8_t widths[] = {
		[SASS_GPR] = 8, [SASS_UGPR] = 6, [SASS_PRED] = 3, [SASS_UPRED] = 3, [SASS_BREG] = 4,
	};
	uint8_t negated = s->flags & SLOT_NOT ? SASS_NOT : SASS_NEG;
	uint8_t kind = kinds[s->type], stored = s->flags & SLOT_INVERT ? o->reg ^ 7 : o->reg;

	if (w->encode && o->kind != kind)
		return MISFIT_KIND;
	o->kind = kind;
	if (!walk_field8(w, s->lo, widths[kind], &stored))
		return MISFIT_VALUE;
	o->reg = s->flags & SLOT_INVERT ? stored ^ 7 : stored;
	if (s->neg)
		walk_flag(w, s->neg, &o->flags, negated);
	return (o->flags & ~(s->neg ? negated : 0)) || o->aux ? MISFIT_FLAG : FITS;
}

static enum misfit walk_immediate(struct walk *w, const struct sass_slot *s, struct sass_operand *o)
{
	uint8_t kind = s->type == SLOT_SREG ? SASS_SREG : SASS_IMM;
	uint64_t low = (uint64_t)o->value, high;

	if (w->encode && o->kind != kind)
		return MISFIT_KIND;
	o->kind = kind;
	if (s->type != SLOT_SPLIT) {
		if (!walk_field(w, s->lo, s->width, &low))
			return MISFIT_VALUE;
		o->value = (int64_t)low;
		return o->flags ? MISFIT_FLAG : FITS;
	}
	if (w->encode && low > 255)
		return MISFIT_VALUE;
	high = low >> 3;
	low &= 7;
	walk_field(w, s->lo, 3, &low);
	walk_field(w, s->neg, 5, &high);
	o->value = (int64_t)(high << 3 | low);
	return o->flags ? MISFIT_FLAG : FITS;
}

static enum misfit walk_indexed_constant(struct walk *w, const struct sass_slot *s,
					 struct sass_operand *o)
{
	uint64_t offset = (uint64_t)o->value;

	if (w->encode && o->kind != SASS_CONST)
		return MISFIT_KIND;
	o->kind = SASS_CONST;
	if (w->encode && s->type == SLOT_CONST && o->reg != SASS_RZ)
		return MISFIT_KIND;
	o->reg = s->type == SLOT_CONST ? SASS_RZ : o->reg;
	if (s->type == SLOT_CONST_R)
		walk_field8(w, 24, 8, &o->reg);
	if (s->type == SLOT_CONST_U && !walk_field8(w, 24, 6, &o->reg))
		return MISFIT_VALUE;
	if (!walk_field8(w, 54, 5, &o->aux) || !walk_field(w, 38, 16, &offset))
		return MISFIT_VALUE;
	o->value = (int64_t)offset;
	return o->flags ? MISFIT_FLAG : FITS;
}

struct sass_bits sass_address_offset(const struct sass_slot *s)
{
	if (s->width & ADDR_OFFSET32)
		return (struct sass_bits){32, 32};
	if (s->width & ADDR_TO)
		return (struct sass_bits){44, 20};
	if (s->width & ADDR_FROM)
		return (struct sass_bits){32, 12};
	return (struct sass_bits){40, 24};
}

/* URZ without a descriptor is no uniform register. */
static enum misfit walk_copied_from(struct walk *w, const struct sass_slot *s,
				    struct sass_operand *o)
{
	if (w->encode && o->aux == SASS_NO_UREG)
		o->aux = SASS_URZ;
	if (!walk_field8(w, s->lo, 6, &o->aux))
		return MISFIT_VALUE;
	walk_flag(w, s->neg, &o->flags, SASS_DESC);
	walk_flag(w, s->abs, &o->flags, SASS_A64);
	if (o->aux == SASS_URZ && !(o->flags & SASS_DESC))
		o->aux = SASS_NO_UREG;
	return o->flags & ~(SASS_DESC | SASS_A64) ? MISFIT_FLAG : FITS;
}

static enum misfit walk_address(struct walk *w, const struct sass_slot *s, struct sass_operand *o)
{
	uint8_t allowed = 0, uniform = o->kind == SASS_ADDR && o->aux != SASS_NO_UREG;
	struct sass_bits offset;

	if (w->encode && o->kind != SASS_ADDR)
		return MISFIT_KIND;
	o->kind = SASS_ADDR;
	if (s->width & ADDR_NO_GPR && !w->encode)
		o->reg = SASS_RZ;
	if (s->width & ADDR_NO_GPR && o->reg != SASS_RZ)
		return MISFIT_KIND;
	if (!(s->width & ADDR_NO_GPR))
		walk_field8(w, s->width & ADDR_TO ? 16 : 24, 8, &o->reg);
	offset = sass_address_offset(s);
	if (!walk_signed(w, offset.lo, offset.width, &o->value))
		return MISFIT_VALUE;
	if (s->width & ADDR_TO) {
		if (w->encode && uniform)
			return MISFIT_KIND;
		o->aux = SASS_NO_UREG;
		return o->flags ? MISFIT_FLAG : FITS;
	}
	if (s->width & ADDR_FROM)
		return walk_copied_from(w, s, o);
	if (s->width & ADDR_PAIR) {
		if (w->encode && uniform)
			return MISFIT_KIND;
		o->aux = SASS_NO_UREG;
		o->flags |= w->encode ? 0 : SASS_A64;
		return o->flags == SASS_A64 ? FITS : MISFIT_FLAG;
	}
	if (s->width & ADDR_MAYBE_UREG) {
		walk_field8(w, 91, 1, &uniform);
	} else {
		if (w->encode && uniform != !!(s->width & ADDR_UREG))
			return MISFIT_KIND;
		uniform = !!(s->width & ADDR_UREG);
		if (!walk_fixed(w, 91, 1, uniform))
			return MISFIT_KIND;
	}
	if (!uniform) {
		o->aux = SASS_NO_UREG;
	} else {
		if (!walk_field8(w, s->lo, 6, &o->aux))
			return MISFIT_VALUE;
		if (s->width & ADDR_DESC) {
			walk_flag(w, s->neg, &o->flags, SASS_DESC);
			allowed |= SASS_DESC;
		}
		if (s->width & ADDR_WIDE) {
			walk_flag(w, s->abs, &o->flags, SASS_A64);
			allowed |= SASS_A64;
		}
	}
	if (s->width & ADDR_E && !(uniform && s->width & ADDR_WIDE)) {
		/* Without a uniform register .E alone makes the register a pair. */
		if (!w->encode && w->in->mod[SASS_M_E])
			o->flags |= SASS_A64;
		if (!(o->flags & SASS_A64) != !w->in->mod[SASS_M_E])
			return MISFIT_FLAG;
		allowed |= SASS_A64;
	}
	return o->flags & ~allowed ? MISFIT_FLAG : FITS;
}

static enum misfit walk_target(struct walk *w, const struct sass_slot *s, struct sass_operand *o)
{
	int64_t words = o->value / 4, high = words >> 8;
	uint64_t low = (uint64_t)words & 0xff;
	bool fits;

	if (w->encode && o->kind != SASS_TARGET)
		return MISFIT_KIND;
	o->kind = SASS_TARGET;
	if (s->type == SLOT_TARGET24)
		return !walk_signed(w, 24, s->width, &o->value) ? MISFIT_VALUE
		       : o->flags                               ? MISFIT_FLAG
								: FITS;
	if (w->encode && o->value % 4)
		return MISFIT_VALUE;
	if (s->type == SLOT_TARGET) {
		fits = walk_signed(w, 34, s->width, &words);
	} else {
		walk_field(w, 16, 8, &low);
		fits = walk_signed(w, 34, s->width, &high);
		words = high * 256 + (int64_t)low;
	}
	o->value = words * 4;
	return !fits ? MISFIT_VALUE : o->flags ? MISFIT_FLAG : FITS;
}

static enum misfit walk_operand(struct walk *w, const struct sass_slot *s, struct sass_operand *o)
{
	switch (s->type) {
	case SLOT_ODD:
	case SLOT_B:
	case SLOT_C:
		return walk_source(w, s, o);
	case SLOT_GPR:
		if (s->lo == 24 || s->lo == 32 || s->lo == 64)
			return walk_source(w, s, o);
		return walk_reg(w, s, o);
	case SLOT_UGPR:
	case SLOT_PRED:
	case SLOT_UPRED:
	case SLOT_BREG:
		return walk_reg(w, s, o);
	case SLOT_IMM:
	case SLOT_SPLIT:
	case SLOT_SREG:
		return walk_immediate(w, s, o);
	case SLOT_CONST:
	case SLOT_CONST_R:
	case SLOT_CONST_U:
		return walk_indexed_constant(w, s, o);
	case SLOT_ADDR:
		return walk_address(w, s, o);
	case SLOT_TARGET:
	case SLOT_TARGET8:
	case SLOT_TARGET24:
		return walk_target(w, s, o);
	case SLOT_TRUE:
		if (w->encode && (o->kind != SASS_PRED || o->reg != SASS_PT || o->flags))
			return MISFIT_VALUE;
		*o = (struct sass_operand){.kind = SASS_PRED, .reg = SASS_PT};
		return FITS;
	case SLOT_PR:
		o->kind = SASS_NONE;
		return FITS;
	case SLOT_ABSENT:
		return o->kind == SASS_NONE ? FITS : MISFIT_KIND;
	}
	return MISFIT_KIND;
}

static bool walk_modifier(struct walk *w, const struct sass_field *f)
{
	uint8_t *value = &w->in->mod[f->mod];
	uint64_t raw = 0, high;

	if (w->encode) {
		uint32_t n = 1u << (f->width + f->width2);

		while (raw < n && !(f->choices[raw].text && f->choices[raw].value == *value))
			raw++;
		if (raw == n)
			return false;
	}
	high = raw >> f->width;
	raw &= low_bits(f->width);
	walk_field(w, f->lo, f->width, &raw);
	if (f->width2)
		walk_field(w, f->lo2, f->width2, &high), raw |= high << f->width;
	if (!f->choices[raw].text)
		return false;
	*value = f->choices[raw].value;
	return true;
}

/* The reuse bits that the operands can have. */
static uint8_t reuse_mask(const struct sass_form *row, const struct sass_inst *in)
{
	uint8_t mask = 0;

	for (uint32_t i = 0; i < in->nops; i++)
		mask |= sass_reuse_bit(row, in, i);
	return mask;
}

/* Guard and scheduling fields; nvdisasm rejects the combinations below in every instruction. */
static bool walk_control(struct walk *w)
{
	struct sass_inst *in = w->in;
	uint8_t guard_not = in->guard_not, keep = !in->yield, sb = w->row->sb;

	w->why = "guard, stall, scoreboard, wait mask or reuse flags do not fit their fields";
	if (!walk_field8(w, 12, 3, &in->guard) || !walk_field8(w, 15, 1, &guard_not) ||
	    !walk_field8(w, 105, 4, &in->stall) || !walk_field8(w, 109, 1, &keep) ||
	    !walk_field8(w, 110, 3, &in->write_barrier) ||
	    !walk_field8(w, 113, 3, &in->read_barrier) || !walk_field8(w, 116, 6, &in->wait) ||
	    !walk_field8(w, 122, 4, &in->reuse))
		return false;
	in->guard_not = guard_not;
	in->yield = !keep;
	w->why = "a stall of 0 or above 11 needs yield";
	if (!in->yield && (in->stall < 1 || in->stall > 11))
		return false;
	w->why = "there are scoreboards 0 to 5";
	if (in->write_barrier == 6 || in->read_barrier == 6)
		return false;
	w->why = "this instruction cannot set such a scoreboard";
	if (((sb == SB_READ || sb == SB_NONE) && in->write_barrier != SASS_NO_SB) ||
	    ((sb == SB_WRITE || sb == SB_NONE) && in->read_barrier != SASS_NO_SB))
		return false;
	/* The reuse cache does not survive a yield. */
	w->why = "a reuse flag needs a register there, vector arithmetic and no yield";
	return !(in->reuse & ~(in->yield ? 0 : reuse_mask(w->row, in)));
}

/* Visits all fields of the row in the walk's form, modifiers first: operands depend on them. */
static bool walk_row(struct walk *w)
{
	const struct sass_form *form = w->row;
	struct sass_inst *in = w->in;
	static const uint8_t none[SASS_MOD_COUNT];
	uint8_t others[SASS_MOD_COUNT]; /* modifiers that the row does not have */
	uint32_t i;

	w->why = "a modifier has a value that this instruction does not have";
	if (!walk_fixed(w, 0, 9, form->opcode) || !walk_fixed(w, 9, 3, w->form))
		return false;
	for (i = 0; i < SASS_MAX_FIXED && form->fixed[i].width; i++)
		if (!walk_fixed(w, form->fixed[i].lo, form->fixed[i].width, form->fixed[i].value))
			return false;
	memcpy(others, in->mod, sizeof(others));
	for (i = 0; i < SASS_MAX_FIELDS && form->fields[i].width; i++) {
		if (!walk_modifier(w, &form->fields[i]))
			return false;
		others[form->fields[i].mod] = 0;
	}
	if (memcmp(others, none, sizeof(none)))
		return false;
	for (i = 0; i < SASS_MAX_OPERANDS && form->ops[i].type; i++) {
		enum misfit misfit = walk_operand(w, &form->ops[i], &in->ops[i]);

		if (misfit != FITS) {
			w->why = operand_reasons[i][misfit];
			w->progress = 1 + 2 * i + (misfit != MISFIT_KIND);
			return false;
		}
	}
	w->progress = 100;
	w->why = "too many operands";
	if (w->encode && in->nops > i)
		return false;
	in->nops = i;
	return walk_control(w);
}

static void fill_in_defaults(const struct sass_form *form, struct sass_inst *in)
{
	uint32_t i;

	for (i = 0; i < SASS_MAX_OPERANDS && form->ops[i].type; i++) {
		const struct sass_slot *s = &form->ops[i];
		struct sass_operand *o = &in->ops[i];
		bool uniform = s->type == SLOT_UPRED || s->type == SLOT_UGPR;

		if (o->kind != SASS_NONE || s->otherwise == DEFAULT_NONE)
			continue;
		memset(o, 0, sizeof(*o));
		switch (s->otherwise) {
		case DEFAULT_TRUE:
		case DEFAULT_FALSE:
			o->kind = uniform ? SASS_UPRED : SASS_PRED;
			o->reg = SASS_PT;
			o->flags = s->otherwise == DEFAULT_FALSE ? SASS_NEG : 0;
			break;
		case DEFAULT_ZERO_REG:
			o->kind = uniform ? SASS_UGPR : SASS_GPR;
			o->reg = uniform ? SASS_URZ : SASS_RZ;
			break;
		default:
			o->kind = SASS_IMM;
			o->value = s->otherwise == DEFAULT_15  ? 15
				   : s->otherwise == DEFAULT_7 ? 7
							       : 0;
		}
	}
}

/* Whether the sources have the kinds that the form selects; one left out has its default. */
static bool has_kinds_of(const struct sass_inst *in, const struct sass_form *row, uint32_t form)
{
	for (uint32_t i = 0; i < SASS_MAX_OPERANDS && row->ops[i].type; i++) {
		const struct sass_slot *s = &row->ops[i];
		uint8_t kind = in->ops[i].kind;

		if (kind != SASS_NONE &&
		    (s->type == SLOT_ODD || s->type == SLOT_B || s->type == SLOT_C) &&
		    kind != source_kind(row, form, s))
			return false;
	}
	return true;
}

/* The row that fits an instruction; NULL: none, and *why names the misfit. Without a why it tries
 * only what can fit. */
static const struct sass_form *select_row(uint32_t sm, struct sass_inst *in, struct sass_word *word,
					  const char **why)
{
	const struct sass_form *r = NULL;
	uint32_t form, max_progress = 0;

	while ((r = sass_next_row(in->op, r))) {
		if (!sass_form_in(r, sm))
			continue;
		for (form = 0; form < 8; form++) {
			struct sass_inst copy;
			struct walk w = {.encode = true, .form = form, .row = r, .in = &copy};

			if (!(sass_forms(r, sm) >> form & 1) ||
			    (!why && !has_kinds_of(in, r, form)))
				continue;
			copy = *in;
			copy.form = r;
			fill_in_defaults(r, &copy);
			if (walk_row(&w)) {
				w.why = "the hardware does not have this combination";
				if (!r->legal || r->legal(sm, &copy)) {
					*word = w.word;
					*in = copy;
					return r;
				}
			}
			if (why && w.progress >= max_progress) {
				max_progress = w.progress;
				*why = w.why;
			}
		}
	}
	return NULL;
}

const struct sass_form *sass_select(uint32_t sm, struct sass_inst *in, struct sass_word *word,
				    const char **why)
{
	const struct sass_form *r = select_row(sm, in, word, NULL);

	if (r || !why)
		return r;
	*why = "the table has no such instruction for this SM";
	return select_row(sm, in, word, why);
}

/* Checks the kind and flags of arithmetic sources; an operand that is left out has its default. */
static bool source_fits(const struct sass_form *row, uint32_t form, const struct sass_slot *s,
			const struct sass_inst *in, const struct sass_operand *o)
{
	bool odd = sass_is_odd(s, form);
	uint8_t kind = source_kind(row, form, s), allowed = 0;

	if ((!odd && s->type != SLOT_B && s->type != SLOT_C &&
	     (s->type != SLOT_GPR || s->flags & SLOT_WRITE)) ||
	    o->kind == SASS_NONE)
		return true;
	if (s->flags & (SLOT_NEG | SLOT_NOT))
		allowed |= sass_negation(s, in);
	if (s->flags & SLOT_ABS)
		allowed |= SASS_ABS;
	return o->kind == kind && !(o->flags & ~(kind == SASS_IMM ? 0 : allowed));
}

bool sass_has_form(uint32_t sm, const struct sass_inst *in)
{
	const struct sass_form *r = NULL;

	while ((r = sass_next_row(in->op, r))) {
		for (uint32_t form = 0; form < 8 && sass_form_in(r, sm); form++) {
			bool fits = sass_forms(r, sm) >> form & 1;

			for (uint32_t k = 0; fits && k < SASS_MAX_OPERANDS && r->ops[k].type; k++)
				fits = source_fits(r, form, &r->ops[k], in, &in->ops[k]);
			if (fits)
				return true;
		}
	}
	return false;
}

bool sass_encode(uint32_t sm, const struct sass_inst *in, struct sass_word *out, const char **why)
{
	struct sass_inst copy = *in;

	return sass_select(sm, &copy, out, why);
}

bool sass_accesses_texture(struct sass_word w)
{
	uint32_t opcode = w.lo & 0x1ff;

	return (opcode >= 0x160 && opcode <= 0x171) || (opcode >= 0x198 && opcode <= 0x1a0);
}

bool sass_decode(uint32_t sm, struct sass_word word, struct sass_inst *out)
{
	uint32_t n, form = word.lo >> 9 & 7;
	const struct sass_form *r = sass_rows(word.lo & 0x1ff, &n);

	for (; n; n--, r++) {
		struct walk w = {.form = form, .row = r, .in = out, .word = word};

		if (!(sass_forms(r, sm) >> form & 1) || !sass_form_in(r, sm))
			continue;
		memset(out, 0, sizeof(*out));
		out->op = r->op;
		out->form = r;
		if (walk_row(&w) && !(word.lo & ~w.known.lo) && !(word.hi & ~w.known.hi) &&
		    (!r->legal || r->legal(sm, out)))
			return true;
	}
	return false;
}
