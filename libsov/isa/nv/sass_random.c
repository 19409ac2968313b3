// SPDX-License-Identifier: MIT
/*
 * Random legal instructions of a row, over all its forms, operands and modifiers. Corner cases
 * (zero registers, true predicates, special floats) are more frequent than in a uniform
 * distribution.
 */
#include "libsov/isa/nv/sass_row.h"

struct rng {
	uint64_t (*next)(void *);
	void *state;
};

static uint32_t random_below(struct rng *r, uint32_t n)
{
	return (uint32_t)(r->next(r->state) >> 17) % n;
}

static uint32_t random_bits32(struct rng *r)
{
	static const uint32_t corners[] = {
		0,          1,          2,          0xffffffff, 0x80000000, 0x3f800000,
		0x7f800000, 0xff800000, 0x7fc00000, 0x3ff00000, 0x7ff00000, 0x7ff80000,
		0xfff00001, 0x3c003c00, 0x7c00fc00, 0x80000000, 0x4e6e6b28,
	};

	switch (random_below(r, 4)) {
	case 0:
		return corners[random_below(r, sizeof(corners) / sizeof(corners[0]))];
	case 1:
		return random_below(r, 1 << 16);
	default:
		return (uint32_t)(r->next(r->state) >> 13);
	}
}

static uint8_t random_reg(struct rng *r, uint32_t n)
{
	return random_below(r, 6) ? random_below(r, n) : n - 1;
}

static uint8_t random_flags(struct rng *r, const struct sass_slot *s, const struct sass_inst *in)
{
	uint8_t f = 0;

	if (s->flags & (SLOT_NEG | SLOT_NOT) && random_below(r, 2))
		f |= sass_negation(s, in);
	if (s->flags & SLOT_ABS && random_below(r, 2))
		f |= SASS_ABS;
	return f;
}

static void random_constant(struct rng *r, struct sass_operand *o)
{
	o->kind = SASS_CONST;
	o->aux = random_below(r, 32);
	o->reg = SASS_RZ;
	o->value = random_below(r, 1 << 14) * 4;
}

static void random_source(struct rng *r, const struct sass_form *row, uint32_t form,
			  const struct sass_slot *s, struct sass_inst *in, struct sass_operand *o)
{
	bool odd = sass_is_odd(s, form);

	o->flags = random_flags(r, s, in);
	o->kind = row->uniform || (odd && form >= 6) ? SASS_UGPR : SASS_GPR;
	if (odd && (form == 2 || form == 4)) {
		*o = (struct sass_operand){.kind = SASS_IMM, .value = random_bits32(r)};
		return;
	}
	if (odd && (form == 3 || form == 5)) {
		random_constant(r, o);
		if (s->flags & SLOT_HALF)
			o->aux |= random_below(r, 4) << 5;
		return;
	}
	o->reg = random_reg(r, o->kind == SASS_UGPR ? 64 : 256);
	if (s->flags & (SLOT_HALF | SLOT_BYTE | SLOT_HALF1))
		o->aux = random_below(r, s->flags & SLOT_HALF1 ? 2 : 4);
}

static void random_address(struct rng *r, const struct sass_slot *s, const struct sass_inst *in,
			   struct sass_operand *o)
{
	bool uniform = s->width & ADDR_UREG || (s->width & ADDR_MAYBE_UREG && random_below(r, 2));
	uint32_t bits = sass_address_offset(s).width < 24 ? sass_address_offset(s).width : 24;

	o->kind = SASS_ADDR;
	o->reg = s->width & ADDR_NO_GPR ? SASS_RZ : random_reg(r, 256);
	o->aux = uniform ? random_reg(r, 64) : SASS_NO_UREG;
	o->value =
		random_below(r, 3) ? (int64_t)random_below(r, 1u << bits) - (1 << (bits - 1)) : 0;
	if (uniform && s->width & ADDR_DESC && random_below(r, 2))
		o->flags |= SASS_DESC;
	if (uniform && s->width & ADDR_WIDE)
		o->flags |= random_below(r, 2) ? SASS_A64 : 0;
	else if (s->width & ADDR_PAIR || (s->width & ADDR_E && in->mod[SASS_M_E]))
		o->flags |= SASS_A64;
	/* URZ without a descriptor is decoded as no uniform register. */
	if (s->width & ADDR_FROM && o->aux == SASS_URZ && !(o->flags & SASS_DESC))
		o->aux = SASS_NO_UREG;
}

static void random_operand(struct rng *r, const struct sass_form *row, uint32_t form,
			   const struct sass_slot *s, struct sass_inst *in, struct sass_operand *o)
{
	uint64_t mask = s->width >= 64 ? ~0ull : (1ull << s->width) - 1;

	*o = (struct sass_operand){0};
	switch (s->type) {
	case SLOT_GPR:
		if (s->flags & SLOT_WRITE)
			*o = (struct sass_operand){.kind = SASS_GPR, .reg = random_reg(r, 256)};
		else
			random_source(r, row, form, s, in, o);
		break;
	case SLOT_ODD:
	case SLOT_B:
	case SLOT_C:
		random_source(r, row, form, s, in, o);
		break;
	case SLOT_UGPR:
		*o = (struct sass_operand){.kind = SASS_UGPR, .reg = random_reg(r, 64)};
		o->flags = s->neg && random_below(r, 2) ? SASS_NOT : 0;
		break;
	case SLOT_PRED:
	case SLOT_UPRED:
		o->kind = s->type == SLOT_PRED ? SASS_PRED : SASS_UPRED;
		o->reg = random_reg(r, 8);
		o->flags = s->neg && random_below(r, 2) ? SASS_NEG : 0;
		break;
	case SLOT_TRUE:
		*o = (struct sass_operand){.kind = SASS_PRED, .reg = SASS_PT};
		break;
	case SLOT_BREG:
		*o = (struct sass_operand){.kind = SASS_BREG, .reg = random_below(r, 16)};
		break;
	case SLOT_IMM:
	case SLOT_SREG:
		o->kind = s->type == SLOT_IMM ? SASS_IMM : SASS_SREG;
		o->value = (int64_t)(random_bits32(r) & mask);
		break;
	case SLOT_SPLIT:
		*o = (struct sass_operand){.kind = SASS_IMM, .value = random_below(r, 256)};
		break;
	case SLOT_CONST:
	case SLOT_CONST_R:
	case SLOT_CONST_U:
		random_constant(r, o);
		o->value = random_below(r, 1 << 16);
		o->reg = s->type == SLOT_CONST_R   ? random_reg(r, 256)
			 : s->type == SLOT_CONST_U ? random_reg(r, 64)
						   : SASS_RZ;
		break;
	case SLOT_ADDR:
		random_address(r, s, in, o);
		break;
	case SLOT_TARGET:
	case SLOT_TARGET8:
	case SLOT_TARGET24:
		o->kind = SASS_TARGET;
		o->value = ((int64_t)random_below(r, 1 << 24) - (1 << 23)) * 4;
		break;
	}
}

/* A legal value of the modifier. */
static uint8_t random_modifier(struct rng *r, const struct sass_field *f)
{
	uint32_t i;

	do
		i = random_below(r, 1u << (f->width + f->width2));
	while (!f->choices[i].text);
	return f->choices[i].value;
}

static void random_inst(struct rng *r, const struct sass_form *row, uint32_t sm,
			struct sass_inst *in)
{
	uint32_t i, form;

	sass_init(in, row->op);
	do
		form = random_below(r, 8);
	while (!(sass_forms(row, sm) >> form & 1));
	for (i = 0; i < SASS_MAX_FIELDS && row->fields[i].width; i++)
		in->mod[row->fields[i].mod] = random_modifier(r, &row->fields[i]);
	for (i = 0; i < SASS_MAX_OPERANDS && row->ops[i].type; i++)
		random_operand(r, row, form, &row->ops[i], in, &in->ops[i]);
	in->nops = i;
	in->form = row;
	in->guard = random_reg(r, 8);
	in->guard_not = random_below(r, 2);
	in->yield = random_below(r, 2);
	in->stall = in->yield ? random_below(r, 16) : 1 + random_below(r, 11);
	if ((row->sb == SB_BOTH || row->sb == SB_WRITE) && random_below(r, 2))
		in->write_barrier = random_below(r, 6);
	if ((row->sb == SB_BOTH || row->sb == SB_READ) && random_below(r, 2))
		in->read_barrier = random_below(r, 6);
	in->wait = random_below(r, 64);
	for (i = 0; i < in->nops; i++)
		if (!in->yield && !random_below(r, 3))
			in->reuse |= sass_reuse_bit(row, in, i);
}

void sass_random(const struct sass_form *f, uint32_t sm, uint64_t (*next)(void *), void *state,
		 struct sass_inst *out)
{
	struct rng r = {next, state};

	do
		random_inst(&r, f, sm, out);
	while (f->legal && !f->legal(sm, out));
}
