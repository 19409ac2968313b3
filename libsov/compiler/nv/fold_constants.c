// SPDX-License-Identifier: MIT
/*
 * Folds words that are constant only since selection, which gives shared variables their addresses:
 * descriptors of matrices in shared memory are computed from these by shifts, masks and sums.
 */
#include "libsov/compiler/nv/mir.h"

struct constants {
	struct mir_func *f;
	struct nv_constants words;
	uint8_t *writes; /* by unit: definitions, at most 2 */
};

static bool value_of(const struct constants *c, const struct mir_inst *i, uint32_t k,
		     uint32_t *value)
{
	const struct sass_operand *o = &i->sass.ops[k];
	uint32_t unit = i->ref[k].vreg ? mir_unit(c->f, i->ref[k]) : 0;

	if (o->flags & ~SASS_NEG || (!i->ref[k].vreg && o->kind == SASS_GPR && o->reg != SASS_RZ))
		return false;
	if (o->kind == SASS_IMM)
		*value = (uint32_t)o->value;
	else if (o->kind == SASS_GPR && !i->ref[k].vreg)
		*value = 0;
	else if (o->kind == SASS_GPR && c->words.known[unit])
		*value = c->words.values[unit];
	else
		return false;
	if (o->flags & SASS_NEG)
		*value = -*value;
	return true;
}

static bool three_values(const struct constants *c, const struct mir_inst *i, uint32_t first,
			 uint32_t value[3])
{
	return value_of(c, i, first, &value[0]) && value_of(c, i, first + 1, &value[1]) &&
	       value_of(c, i, first + 2, &value[2]);
}

static uint32_t by_table(const uint32_t in[3], uint32_t table)
{
	uint32_t out = 0;

	for (uint32_t row = 0; row < 8; row++)
		if (table >> row & 1)
			out |= (row & 4 ? in[0] : ~in[0]) & (row & 2 ? in[1] : ~in[1]) &
			       (row & 1 ? in[2] : ~in[2]);
	return out;
}

/* Of shifts only those of a word by less than its width. */
static bool shift(const struct mir_inst *i, const uint32_t in[3], uint32_t *out)
{
	bool right = i->sass.mod[SASS_M_RIGHT];

	if (i->sass.mod[SASS_M_SHTYPE] != SASS_SH_U32 || in[1] > 31 ||
	    i->sass.mod[SASS_M_HI] != right || in[right ? 0 : 2])
		return false;
	*out = right ? in[2] >> in[1] : in[0] << in[1];
	return true;
}

static bool evaluate(const struct constants *c, const struct mir_inst *i, uint32_t *out)
{
	uint32_t in[3];

	if (i->sass.guard != SASS_PT || i->guard.vreg || i->callee || i->variable || i->function ||
	    i->return_address)
		return false;
	switch (i->sass.op) {
	case SASS_MOV:
		return i->sass.ops[1].kind == SASS_IMM && value_of(c, i, 1, out);
	case SASS_SHF:
		return three_values(c, i, 1, in) && shift(i, in, out);
	case SASS_LOP3:
		if (i->ref[0].vreg || i->ref[6].vreg || !three_values(c, i, 2, in))
			return false;
		*out = by_table(in, (uint32_t)i->sass.ops[5].value);
		return true;
	case SASS_IADD3:
		if (i->ref[1].vreg || i->ref[2].vreg || i->sass.mod[SASS_M_X] ||
		    !three_values(c, i, 3, in))
			return false;
		*out = in[0] + in[1] + in[2];
		return true;
	default:
		return false;
	}
}

static uint32_t result_of(const struct mir_inst *i)
{
	return i->sass.op == SASS_LOP3 ? 1 : 0;
}

static void fold(struct constants *c, struct mir_inst *i)
{
	struct mir_ref to = i->ref[result_of(i)];
	uint32_t value, unit = to.vreg ? mir_unit(c->f, to) : 0;

	if (!to.vreg || c->f->vregs[to.vreg].kind != SASS_GPR || c->writes[unit] != 1 ||
	    !evaluate(c, i, &value))
		return;
	c->words.known[unit] = true;
	c->words.values[unit] = value;
	if (i->sass.op == SASS_MOV)
		return;
	sass_init(&i->sass, SASS_MOV);
	for (uint32_t k = 0; k < SASS_MAX_OPERANDS; k++)
		i->ref[k] = (struct mir_ref){0};
	i->uses = NULL;
	mir_set_operand(i, 0, mir_reg(SASS_GPR, to));
	mir_set_operand(i, 1, mir_imm(value));
}

static void count_writes(struct constants *c)
{
	struct mir_func *f = c->f;

	mir_for_each_block(f, b) {
		for (uint32_t p = 0; p < f->blocks[b].nphis; p++)
			for (uint32_t k = 0; k < f->vregs[f->blocks[b].phis[p].vreg].units; k++)
				c->writes[f->vregs[f->blocks[b].phis[p].vreg].first_unit + k] = 2;
		mir_for_each(f, b, i) {
			uint32_t n;
			const struct mir_use *uses = mir_uses(f, i, &n);

			for (uint32_t u = 0; u < n; u++)
				for (uint32_t k = 0;
				     uses[u].write && uses[u].ref.vreg && k < uses[u].count; k++) {
					uint8_t *w = &c->writes[mir_unit(f, uses[u].ref) + k];

					*w = (uint8_t)(*w < 2 ? *w + 1 : 2);
				}
		}
	}
}

/* What dominates a block precedes it in the order. */
struct nv_constants nv_fold_constants(struct mir_func *f)
{
	struct constants c = {.f = f};
	uint32_t count, *order = mir_reverse_postorder(f, &count);

	mir_number_units(f);
	c.words.known = arena_array(f->arena, f->nunits + 1, sizeof(*c.words.known));
	c.words.values = arena_array(f->arena, f->nunits + 1, sizeof(*c.words.values));
	c.writes = arena_array(f->arena, f->nunits + 1, sizeof(*c.writes));
	count_writes(&c);
	for (uint32_t k = 0; k < count; k++)
		mir_for_each(f, order[k], i)
			fold(&c, i);
	return c.words;
}
