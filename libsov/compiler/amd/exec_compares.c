// SPDX-License-Identifier: MIT
/*
 * Comparisons that narrow EXEC: a lane mask whose only use is s_and_b32 or s_andn2_b32 of EXEC
 * becomes a v_cmpx at the place of that use. Since v_cmpx keeps the lanes that satisfy it, the
 * s_andn2_b32 needs the opposite comparison; for floats that is the one that NaNs satisfy.
 */
#include "libsov/compiler/amd/combine.h"

/*
 * The conditions of a type in the order of the ISA table, where each v_cmp is followed by its
 * v_cmpx. A condition and its opposite add up to the last one.
 */
static const struct {
	uint16_t first, conditions;
} families[] = {
	{AMD_v_cmp_f_f32, 16}, {AMD_v_cmp_f_f64, 16}, {AMD_v_cmp_f_f16, 16},
	{AMD_v_cmp_f_i32, 8},  {AMD_v_cmp_f_u32, 8},  {AMD_v_cmp_f_i64, 8},
	{AMD_v_cmp_f_u64, 8},  {AMD_v_cmp_lt_i16, 6}, {AMD_v_cmp_lt_u16, 6},
};

/* The v_cmpx of a v_cmp, or of its opposite; 0: there is none. */
static uint32_t exec_compare_of(uint32_t op, bool opposite)
{
	for (uint32_t k = 0; k < sizeof(families) / sizeof(families[0]); k++) {
		uint32_t condition = (op - families[k].first) / 2;

		if (op < families[k].first || condition >= families[k].conditions ||
		    (op - families[k].first) % 2)
			continue;
		if (opposite)
			condition = families[k].conditions - 1u - condition;
		return families[k].first + 2 * condition + 1;
	}
	return 0;
}

static bool writes_exec(const struct gcn_inst *i)
{
	return i->in.row->flags & EXEC_OUT || i->in.reg[AMD_D] == AMD_EXEC;
}

/* Whether EXEC is the same at both, and SCC, which v_cmpx does not write, is not read after use. */
static bool can_move(const struct gcn_inst *compare, const struct gcn_inst *use)
{
	const struct gcn_inst *i;

	for (i = compare->next; i && i != use; i = i->next)
		if (writes_exec(i) || i->call)
			return false;
	if (!i)
		return false;
	for (i = use->next; i && !(i->in.row->flags & SCC_OUT); i = i->next)
		if (i->in.row->flags & SCC_IN)
			return false;
	return true;
}

static void narrow_by_compare(struct combine *c, uint32_t b, struct gcn_inst *use)
{
	struct gcn_func *f = c->f;
	bool opposite = use->in.row->op == AMD_s_andn2_b32;
	const struct combine_word *w;
	struct gcn_inst *compare, *i;
	bool is_short;
	uint32_t op;

	if ((!opposite && use->in.row->op != AMD_s_and_b32) || use->in.reg[AMD_D] != AMD_EXEC ||
	    use->in.reg[AMD_S0] != AMD_EXEC || use->ref[AMD_D].vreg || use->ref[AMD_S0].vreg ||
	    !use->ref[AMD_S1].vreg)
		return;
	w = combine_word_of(c, use->ref[AMD_S1]);
	compare = w->def;
	if (w->writes != 1 || w->reads != 1 || w->block != b ||
	    combine_is_fixed(f, use->ref[AMD_S1].vreg))
		return;
	op = exec_compare_of(compare->in.row->op, opposite);
	if (!op || !can_move(compare, use) ||
	    !combine_is_unchanged_between(c, compare, use, combine_operand(compare, AMD_S0)) ||
	    !combine_is_unchanged_between(c, compare, use, combine_operand(compare, AMD_S1)))
		return;
	is_short = gcn_is_vector(f, combine_operand(compare, AMD_S1)) &&
		   !compare->in.field[AMD_F_NEG] && !compare->in.field[AMD_F_ABS] &&
		   !compare->in.field[AMD_F_CLAMP];
	i = gcn_inst_new(f, op, is_short ? AMD_PLAIN : AMD_E64);
	if (!is_short) {
		i->in.field[AMD_F_NEG] = compare->in.field[AMD_F_NEG];
		i->in.field[AMD_F_ABS] = compare->in.field[AMD_F_ABS];
		i->in.field[AMD_F_CLAMP] = compare->in.field[AMD_F_CLAMP];
	}
	gcn_set_operand(f, i, AMD_D, gcn_reg(AMD_EXEC));
	gcn_set_operand(f, i, AMD_S0, combine_operand(compare, AMD_S0));
	gcn_set_operand(f, i, AMD_S1, combine_operand(compare, AMD_S1));
	i->mode = compare->mode;
	i->line = compare->line;
	gcn_insert(f, b, use, i);
	gcn_remove(f, b, compare);
	gcn_remove(f, b, use);
}

void combine_exec_compares(struct combine *c)
{
	gcn_for_each_block(c->f, b)
		gcn_for_each_safe(c->f, b, i)
			narrow_by_compare(c, b, i);
}
