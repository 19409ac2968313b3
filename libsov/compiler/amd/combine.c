// SPDX-License-Identifier: MIT
/*
 * Fewer instructions for the same: what selection made for one operation at a time is put together. Words of
 * registers that are written once are values, as in SSA form, so that
 *
 *	- a copy of a value is the value, and what is computed twice is computed once (share.c);
 *	- a value that is copied to be a word of a longer register is made there at once;
 *	- two vector instructions, the first for the second alone, are one where the machine has one for both;
 *	- the low word of a sum or product of 64 bits is one of 32 where nobody wants the rest.
 *
 * What is left over without readers goes in gcn_sweep.
 */
#include "libsov/compiler/amd/combine.h"

static void look(struct combine *c)
{
	struct gcn_func *f = c->f;

	gcn_number_units(f);
	c->words = arena_array(f->arena, f->nunits + 1, sizeof(*c->words));
	gcn_for_each_block(f, b)
		gcn_for_each(f, b, i) {
			struct gcn_use uses[GCN_MAX_USES];
			uint32_t n = gcn_uses(i, uses);

			for (uint32_t u = 0; u < n; u++)
				for (uint32_t k = 0; k < uses[u].count; k++) {
					struct word *w = &c->words[gcn_unit(f, uses[u].ref) + k];

					w->reads += !uses[u].write;
					if (!uses[u].write)
						continue;
					w->writes += f->vregs[uses[u].ref.vreg].phi ? 2 : 1;
					w->def = i;
					w->block = b;
				}
		}
}

bool combine_is_fixed(const struct gcn_func *f, uint32_t vreg)
{
	for (enum gcn_come k = 0; k < GCN_COMES; k++)
		if (vreg == f->come[k])
			return true;
	return f->vregs[vreg].fixed >= 0 || f->vregs[vreg].everywhere;
}

/* Calls leave nothing in the registers that things come in. */
bool combine_is_value(const struct combine *c, struct gcn_ref r)
{
	const struct word *w = &c->words[gcn_unit(c->f, r)];

	return w->writes == 1 ? !combine_is_fixed(c->f, r.vreg)
			      : !w->writes && combine_is_fixed(c->f, r.vreg) && !c->f->calls;
}

/* ---- copies ---- */

bool combine_is_copy(const struct combine *c, const struct gcn_inst *i)
{
	const struct gcn_func *f = c->f;
	uint32_t d = i->ref[AMD_D].vreg, s = i->ref[AMD_S0].vreg;

	return i->copy && d && s && f->vregs[d].class == f->vregs[s].class;
}

static void find_copies(struct combine *c)
{
	struct gcn_func *f = c->f;

	gcn_for_each_block(f, b)
		gcn_for_each(f, b, i)
			if (combine_is_copy(c, i) && combine_is_value(c, i->ref[AMD_D]) &&
			    combine_is_value(c, i->ref[AMD_S0]))
				word_of(c, i->ref[AMD_D])->same = 1 + gcn_unit(f, i->ref[AMD_S0]);
}

uint32_t combine_original(const struct combine *c, uint32_t unit)
{
	while (c->words[unit].same)
		unit = c->words[unit].same - 1;
	return unit;
}

/* The operand's words are copies of neighbouring words of another register: reads these. */
static void read_original(struct combine *c, struct gcn_inst *i, enum amd_slot slot, uint32_t count)
{
	struct gcn_func *f = c->f;
	uint32_t first = gcn_unit(f, i->ref[slot]), unit = combine_original(c, first),
		 vreg = f->unit_vreg[unit], part;

	if (unit == first)
		return;
	part = unit - f->vregs[vreg].first_unit;
	if (!combine_may_begin(f, vreg, part, count))
		return;
	for (uint32_t k = 1; k < count; k++)
		if (combine_original(c, first + k) != unit + k || f->unit_vreg[unit + k] != vreg)
			return;
	i->ref[slot] = (struct gcn_ref){vreg, (uint8_t)part};
}

static void read_originals(struct combine *c)
{
	gcn_for_each_block(c->f, b)
		gcn_for_each(c->f, b, i) {
			struct amd_use uses[AMD_MAX_USES];
			uint32_t n = amd_uses(&i->in, uses), written = 0;

			for (uint32_t u = 0; u < n; u++)
				written |= uses[u].write ? 1u << uses[u].slot : 0;
			for (uint32_t u = 0; u < n; u++)
				if (uses[u].slot < AMD_SLOTS && !(written >> uses[u].slot & 1) &&
				    i->ref[uses[u].slot].vreg)
					read_original(c, i, uses[u].slot, uses[u].count);
		}
}

/* ---- words of longer registers ---- */

struct place {
	uint32_t vreg, part; /* where a register's first word is to be, vreg 0: nowhere */
};

/* All words of x are made in this block and copied to neighbouring words of one register there. */
static void find_place(struct combine *c, struct gcn_inst *copy, uint32_t b, struct place *places)
{
	struct gcn_func *f = c->f;
	struct gcn_ref d = copy->ref[AMD_D], s = copy->ref[AMD_S0];
	const struct gcn_vreg *x = &f->vregs[s.vreg], *t = &f->vregs[d.vreg];
	uint32_t part = d.part - s.part;

	if (places[s.vreg].vreg || places[d.vreg].vreg || s.part || d.vreg == s.vreg ||
	    t->words <= x->words || combine_is_fixed(f, s.vreg) || combine_is_fixed(f, d.vreg) ||
	    part + x->words > t->words || !combine_may_begin(f, d.vreg, part, x->words))
		return;
	for (uint32_t k = 0; k < x->words; k++) {
		const struct word *from = &c->words[x->first_unit + k],
				  *to = &c->words[t->first_unit + part + k];

		if (from->writes != 1 || to->writes != 1 || from->block != b || to->block != b ||
		    !combine_is_copy(c, to->def) || to->def->ref[AMD_S0].vreg != s.vreg ||
		    to->def->ref[AMD_S0].part != k)
			return;
	}
	for (uint32_t k = 0; k < x->words; k++) /* what writes it may read nothing of it */
		if (c->words[x->first_unit + k].def->in.row->flags & (READS_D | SWAPS))
			return;
	places[s.vreg] = (struct place){d.vreg, part};
	places[d.vreg].vreg = UINT32_MAX; /* stays */
}

static void make_in_place(struct combine *c)
{
	struct gcn_func *f = c->f;
	struct place *places = arena_array(f->arena, f->nvregs, sizeof(*places));

	gcn_for_each_block(f, b)
		gcn_for_each(f, b, i)
			if (combine_is_copy(c, i)) {
				struct gcn_ref d = i->ref[AMD_D];
				uint32_t was = places[d.vreg].vreg;

				if (was == UINT32_MAX)
					places[d.vreg].vreg = 0;
				find_place(c, i, b, places);
				if (was == UINT32_MAX)
					places[d.vreg].vreg = was;
			}
	gcn_for_each_block(f, b)
		gcn_for_each_safe(f, b, i) {
			for (uint32_t slot = 0; slot < AMD_SLOTS; slot++) {
				const struct place *p = &places[i->ref[slot].vreg];

				if (i->ref[slot].vreg && p->vreg && p->vreg != UINT32_MAX)
					i->ref[slot] = (struct gcn_ref){
						p->vreg, (uint8_t)(p->part + i->ref[slot].part)};
			}
			if (i->copy && i->ref[AMD_D].vreg &&
			    i->ref[AMD_D].vreg == i->ref[AMD_S0].vreg &&
			    i->ref[AMD_D].part == i->ref[AMD_S0].part)
				gcn_remove(f, b, i);
		}
}

/* ---- two in one ---- */

/* first(a, b) is the operand at of second: together op, with the sources in the order that order says, where
 * 0 and 1 are the first's and 2 the second's other one. */
static const struct pair {
	uint16_t first, second, op;
	uint8_t order[3];
} pairs[] = {
	{AMD_v_lshlrev_b32, AMD_v_add_nc_u32, AMD_v_lshl_add_u32, {1, 0, 2}},
	{AMD_v_add_nc_u32, AMD_v_add_nc_u32, AMD_v_add3_u32, {0, 1, 2}},
	{AMD_v_and_b32, AMD_v_or_b32, AMD_v_and_or_b32, {0, 1, 2}},
	{AMD_v_lshlrev_b32, AMD_v_or_b32, AMD_v_lshl_or_b32, {1, 0, 2}},
	{AMD_v_or_b32, AMD_v_or_b32, AMD_v_or3_b32, {0, 1, 2}},
	{AMD_v_xor_b32, AMD_v_add_nc_u32, AMD_v_xad_u32, {0, 1, 2}},
};

static struct gcn_src source(const struct gcn_inst *i, enum amd_slot slot)
{
	return (struct gcn_src){i->ref[slot], i->in.reg[slot], i->in.literal};
}

static bool is_constant(struct gcn_src x, uint32_t *value)
{
	if (x.ref.vreg)
		return false;
	if (x.reg == AMD_LITERAL)
		*value = x.literal;
	else if (x.reg >= AMD_INT_0 && x.reg <= AMD_INT_0 + 64)
		*value = x.reg - AMD_INT_0;
	else
		return false;
	return true;
}

/* Three sources of the long form: two scalar values at most, of which one may be a literal. */
static bool fits(const struct gcn_func *f, const struct gcn_src x[3])
{
	uint32_t scalars = 0, literals = 0;

	for (uint32_t k = 0; k < 3; k++) {
		bool literal = !x[k].ref.vreg && x[k].reg == AMD_LITERAL, again = false;

		if (gcn_is_vector(f, x[k]) ||
		    (!x[k].ref.vreg && x[k].reg >= AMD_INT_0 && x[k].reg < AMD_SHARED_BASE))
			continue;
		if (!x[k].ref.vreg && !literal)
			return false;
		for (uint32_t j = 0; j < k; j++)
			again |= gcn_same(x[j], x[k]);
		scalars += !again;
		literals += literal && !again;
	}
	return scalars <= 2 && literals <= 1;
}

/* Nobody writes what the first reads before the second, and no call does. */
static bool stays(const struct combine *c, struct gcn_inst *first, struct gcn_inst *second,
		  struct gcn_src x)
{
	if (!x.ref.vreg || combine_is_value(c, x.ref))
		return true;
	for (struct gcn_inst *i = first->next; i && i != second; i = i->next) {
		struct gcn_use uses[GCN_MAX_USES];
		uint32_t n = gcn_uses(i, uses);

		if (i->call)
			return false;
		for (uint32_t u = 0; u < n; u++)
			if (uses[u].write && uses[u].ref.vreg == x.ref.vreg)
				return false;
	}
	return true;
}

static bool is_plain(const struct gcn_inst *i)
{
	return i->in.form <= AMD_E64 && !i->in.field[AMD_F_CLAMP] && i->mode == GCN_MODE_ANY;
}

static bool replace(struct combine *c, uint32_t b, struct gcn_inst *first, struct gcn_inst *second,
		    enum amd_op op, const struct gcn_src x[3])
{
	struct gcn_func *f = c->f;
	struct gcn_inst *i;

	if (!fits(f, x) || !stays(c, first, second, x[0]) || !stays(c, first, second, x[1]) ||
	    !stays(c, first, second, x[2]))
		return false;
	i = gcn_inst_new(f, op, AMD_PLAIN);
	gcn_set(f, i, AMD_D, source(second, AMD_D));
	for (uint32_t k = 0; k < 3; k++)
		gcn_set(f, i, AMD_S0 + k, x[k]);
	i->line = second->line;
	gcn_insert(f, b, second, i);
	gcn_remove(f, b, second);
	gcn_remove(f, b, first);
	word_of(c, i->ref[AMD_D])->def = i;
	return true;
}

/* (x >> n) & (2^m - 1): a field of bits. */
static bool make_field(struct combine *c, uint32_t b, struct gcn_inst *first,
		       struct gcn_inst *second, struct gcn_src other)
{
	struct gcn_src by = source(first, AMD_S0);
	uint32_t shift, mask;

	if (first->in.row->op != AMD_v_lshrrev_b32 || second->in.row->op != AMD_v_and_b32 ||
	    !is_constant(by, &shift) || !is_constant(other, &mask) || !mask || mask & (mask + 1) ||
	    shift > 31)
		return false;
	return replace(c, b, first, second, AMD_v_bfe_u32,
		       (struct gcn_src[]){source(first, AMD_S1), by,
					  gcn_imm((uint32_t)__builtin_popcount(mask))});
}

static bool pair_up(struct combine *c, uint32_t b, struct gcn_inst *second)
{
	for (uint32_t k = 0; k < 2; k++) {
		struct gcn_ref r = second->ref[AMD_S0 + k];
		struct gcn_src x[3], in_order[3];
		struct gcn_inst *first;
		const struct word *w;

		if (!r.vreg || c->f->vregs[r.vreg].words != 1)
			continue;
		w = word_of(c, r);
		first = w->def;
		if (w->writes != 1 || w->reads != 1 || w->block != b || !is_plain(first) ||
		    c->f->vregs[r.vreg].class != GCN_VECTOR || combine_is_fixed(c->f, r.vreg))
			continue;
		x[0] = source(first, AMD_S0);
		x[1] = source(first, AMD_S1);
		x[2] = source(second, AMD_S1 - k);
		if (make_field(c, b, first, second, x[2]))
			return true;
		for (uint32_t p = 0; p < sizeof(pairs) / sizeof(pairs[0]); p++) {
			if (first->in.row->op != pairs[p].first ||
			    second->in.row->op != pairs[p].second)
				continue;
			for (uint32_t j = 0; j < 3; j++)
				in_order[j] = x[pairs[p].order[j]];
			if (replace(c, b, first, second, pairs[p].op, in_order))
				return true;
		}
	}
	return false;
}

/* ---- low words ---- */

static bool is_unread(struct combine *c, struct gcn_ref r)
{
	return r.vreg && !word_of(c, r)->reads;
}

/* An instruction of two sources in the form that they need; the second goes first where it is scalar. */
static void change(struct combine *c, struct gcn_inst *i, enum amd_op op, struct gcn_src x,
		   struct gcn_src y, bool swap)
{
	struct gcn_func *f = c->f;
	struct gcn_src d = source(i, AMD_D);
	bool is_short = amd_row(op)->format <= AMD_VOPC;

	if (swap && !gcn_is_vector(f, y)) {
		struct gcn_src t = x;

		x = y;
		y = t;
	}
	for (uint32_t slot = 0; slot < AMD_SLOTS; slot++)
		i->ref[slot] = (struct gcn_ref){0};
	amd_init(&i->in, op, is_short && !gcn_is_vector(f, y) ? AMD_E64 : AMD_PLAIN);
	gcn_set(f, i, AMD_D, d);
	gcn_set(f, i, AMD_S0, x);
	gcn_set(f, i, AMD_S1, y);
}

static void lower_word(struct combine *c, struct gcn_inst *i)
{
	struct gcn_src x = source(i, AMD_S0), y = source(i, AMD_S1), z = source(i, AMD_S2);
	uint32_t op = i->in.row->op, value;

	if ((op == AMD_v_add_co_u32 || op == AMD_v_sub_co_u32) && is_unread(c, i->ref[AMD_SX])) {
		change(c, i, op == AMD_v_add_co_u32 ? AMD_v_add_nc_u32 : AMD_v_sub_nc_u32, x, y,
		       op == AMD_v_add_co_u32);
		return;
	}
	if (op != AMD_v_mad_u64_u32 && op != AMD_v_mad_i64_i32)
		return;
	if (is_unread(c, i->ref[AMD_SX])) {
		i->ref[AMD_SX].vreg = 0;
		i->in.reg[AMD_SX] = AMD_NULL;
	}
	if (!i->ref[AMD_D].vreg ||
	    word_of(c, (struct gcn_ref){i->ref[AMD_D].vreg, i->ref[AMD_D].part + 1})->reads)
		return;
	if (z.ref.vreg || z.reg != AMD_INT_0) {
		if (is_constant(y, &value) && value && !(value & (value - 1)) &&
		    fits(c->f, (struct gcn_src[]){x, gcn_imm((uint32_t)__builtin_ctz(value)), z})) {
			change(c, i, AMD_v_lshl_add_u32, x, gcn_imm((uint32_t)__builtin_ctz(value)),
			       false);
			gcn_set(c->f, i, AMD_S2, z);
		}
		return;
	}
	if (is_constant(y, &value) && value && !(value & (value - 1)))
		change(c, i, AMD_v_lshlrev_b32, gcn_imm((uint32_t)__builtin_ctz(value)), x, false);
	else
		change(c, i, AMD_v_mul_lo_u32, x, y, false);
}

void gcn_combine(struct gcn_func *f)
{
	struct combine c = {.f = f};

	look(&c);
	find_copies(&c);
	combine_share(&c);
	read_originals(&c);
	combine_forward(&c);
	gcn_sweep(f);
	look(&c);
	make_in_place(&c);
	look(&c);
	gcn_for_each_block(f, b)
		gcn_for_each(f, b, i)
			lower_word(&c, i);
	look(&c);
	gcn_for_each_block(f, b)
		gcn_for_each_safe(f, b, i)
			if (i->in.form <= AMD_E64 &&
			    (i->in.row->op == AMD_v_add_nc_u32 || i->in.row->op == AMD_v_or_b32 ||
			     i->in.row->op == AMD_v_and_b32) &&
			    is_plain(i))
				pair_up(&c, b, i);
	gcn_sweep(f);
}
