/* SPDX-License-Identifier: MIT */
/*
 * A random legal instruction of a row: every form, operand and modifier that the row has, with the
 * corners (zero registers, true predicates, special floats) drawn more often than chance would.
 */
#include "libsov/isa/nv/sass_row.h"

struct dice {
	uint64_t (*next)(void *);
	void *state;
};

static uint32_t below(struct dice *d, uint32_t n)
{
	return (uint32_t)(d->next(d->state) >> 17) % n;
}

static uint32_t bits32(struct dice *d)
{
	static const uint32_t corners[] = {
		0,          1,          2,          0xffffffff, 0x80000000, 0x3f800000,
		0x7f800000, 0xff800000, 0x7fc00000, 0x3ff00000, 0x7ff00000, 0x7ff80000,
		0xfff00001, 0x3c003c00, 0x7c00fc00, 0x80000000, 0x4e6e6b28,
	};

	switch (below(d, 4)) {
	case 0:
		return corners[below(d, sizeof(corners) / sizeof(corners[0]))];
	case 1:
		return below(d, 1 << 16);
	default:
		return (uint32_t)(d->next(d->state) >> 13);
	}
}

static uint8_t reg(struct dice *d, uint32_t n)
{
	return below(d, 6) ? below(d, n) : n - 1;
}

static uint8_t flags(struct dice *d, const struct sass_slot *s, const struct sass_inst *in)
{
	uint8_t f = 0;

	if (s->flags & (SLOT_NEG | SLOT_NOT) && below(d, 2))
		f |= sass_negation(s, in);
	if (s->flags & SLOT_ABS && below(d, 2))
		f |= SASS_ABS;
	return f;
}

static void constant(struct dice *d, struct sass_operand *o)
{
	o->kind = SASS_CONST;
	o->aux = below(d, 32);
	o->reg = SASS_RZ;
	o->value = below(d, 1 << 14) * 4;
}

static void source(struct dice *d, const struct sass_form *row, uint32_t form,
		   const struct sass_slot *s, struct sass_inst *in, struct sass_operand *o)
{
	bool odd = sass_is_odd(s, form);

	o->flags = flags(d, s, in);
	o->kind = row->uniform || (odd && form >= 6) ? SASS_UGPR : SASS_GPR;
	if (odd && (form == 2 || form == 4)) {
		*o = (struct sass_operand){.kind = SASS_IMM, .value = bits32(d)};
		return;
	}
	if (odd && (form == 3 || form == 5)) {
		constant(d, o);
		if (s->flags & SLOT_HALF)
			o->aux |= below(d, 4) << 5;
		return;
	}
	o->reg = reg(d, o->kind == SASS_UGPR ? 64 : 256);
	if (s->flags & (SLOT_HALF | SLOT_BYTE | SLOT_HALF1))
		o->aux = below(d, s->flags & SLOT_HALF1 ? 2 : 4);
}

static void address(struct dice *d, const struct sass_slot *s, const struct sass_inst *in,
		    struct sass_operand *o)
{
	bool uniform = s->width & ADDR_UREG || (s->width & ADDR_MAYBE_UREG && below(d, 2));

	o->kind = SASS_ADDR;
	o->reg = reg(d, 256);
	o->aux = uniform ? reg(d, 64) : SASS_NO_UREG;
	o->value = below(d, 3) ? (int64_t)below(d, 1 << 24) - (1 << 23) : 0;
	if (uniform && s->width & ADDR_DESC && below(d, 2))
		o->flags |= SASS_DESC;
	if (uniform && s->width & ADDR_WIDE)
		o->flags |= below(d, 2) ? SASS_A64 : 0;
	else if (s->width & ADDR_E && in->mod[SASS_M_E])
		o->flags |= SASS_A64;
}

static void operand(struct dice *d, const struct sass_form *row, uint32_t form,
		    const struct sass_slot *s, struct sass_inst *in, struct sass_operand *o)
{
	uint64_t mask = s->width >= 64 ? ~0ull : (1ull << s->width) - 1;

	*o = (struct sass_operand){0};
	switch (s->type) {
	case SLOT_GPR:
		if (s->flags & SLOT_WRITE)
			*o = (struct sass_operand){.kind = SASS_GPR, .reg = reg(d, 256)};
		else
			source(d, row, form, s, in, o);
		break;
	case SLOT_ODD:
	case SLOT_B:
	case SLOT_C:
		source(d, row, form, s, in, o);
		break;
	case SLOT_UGPR:
		*o = (struct sass_operand){.kind = SASS_UGPR, .reg = reg(d, 64)};
		o->flags = s->neg && below(d, 2) ? SASS_NOT : 0;
		break;
	case SLOT_PRED:
	case SLOT_UPRED:
		o->kind = s->type == SLOT_PRED ? SASS_PRED : SASS_UPRED;
		o->reg = reg(d, 8);
		o->flags = s->neg && below(d, 2) ? SASS_NEG : 0;
		break;
	case SLOT_BREG:
		*o = (struct sass_operand){.kind = SASS_BREG, .reg = below(d, 16)};
		break;
	case SLOT_IMM:
	case SLOT_SREG:
		o->kind = s->type == SLOT_IMM ? SASS_IMM : SASS_SREG;
		o->value = (int64_t)(bits32(d) & mask);
		break;
	case SLOT_SPLIT:
		*o = (struct sass_operand){.kind = SASS_IMM, .value = below(d, 256)};
		break;
	case SLOT_CONST:
	case SLOT_CONST_R:
	case SLOT_CONST_U:
		constant(d, o);
		o->value = below(d, 1 << 16);
		o->reg = s->type == SLOT_CONST_R   ? reg(d, 256)
			 : s->type == SLOT_CONST_U ? reg(d, 64)
						   : SASS_RZ;
		break;
	case SLOT_ADDR:
		address(d, s, in, o);
		break;
	case SLOT_TARGET:
	case SLOT_TARGET8:
	case SLOT_TARGET24:
		o->kind = SASS_TARGET;
		o->value = ((int64_t)below(d, 1 << 24) - (1 << 23)) * 4;
		break;
	}
}

/* Value of a modifier that the row has, drawn among those that are legal. */
static uint8_t choice(struct dice *d, const struct sass_field *f)
{
	uint32_t i;

	do
		i = below(d, 1u << (f->width + f->width2));
	while (!f->choices[i].text);
	return f->choices[i].value;
}

static void draw(struct dice *d, const struct sass_form *row, struct sass_inst *in)
{
	uint32_t i, form;

	sass_init(in, row->op);
	do
		form = below(d, 8);
	while (!(row->forms >> form & 1));
	for (i = 0; i < SASS_MAX_FIELDS && row->fields[i].width; i++)
		in->mod[row->fields[i].mod] = choice(d, &row->fields[i]);
	for (i = 0; i < SASS_MAX_OPERANDS && row->ops[i].type; i++)
		operand(d, row, form, &row->ops[i], in, &in->ops[i]);
	in->nops = i;
	in->form = row;
	in->guard = reg(d, 8);
	in->guard_not = below(d, 2);
	in->yield = below(d, 2);
	in->stall = in->yield ? below(d, 16) : 1 + below(d, 11);
	if ((row->sb == SB_BOTH || row->sb == SB_WRITE) && below(d, 2))
		in->write_barrier = below(d, 6);
	if ((row->sb == SB_BOTH || row->sb == SB_READ) && below(d, 2))
		in->read_barrier = below(d, 6);
	in->wait = below(d, 64);
	for (i = 0; i < in->nops; i++)
		if (!in->yield && !below(d, 3))
			in->reuse |= sass_reuse_bit(row, in, i);
}

void sass_random(const struct sass_form *f, uint32_t sm, uint64_t (*next)(void *), void *state,
		 struct sass_inst *out)
{
	struct dice d = {next, state};

	do
		draw(&d, f, out);
	while (f->legal && !f->legal(sm, out));
}
