// SPDX-License-Identifier: MIT
/*
 * Peephole combining of MIR. Selection expands one operation at a time; this pass merges the
 * results. A word of a virtual register that is written once is an SSA value, which allows:
 *	- copy propagation and common subexpression elimination (cse.c);
 *	- coalescing: a value that is copied into a word of a wider register is computed there;
 *	- fusion of two vector instructions, the first used only by the second, into one;
 *	- merging loads of adjacent kernel arguments (kernarg_loads.c);
 *	- narrowing: a 64-bit sum or product whose upper word is unused becomes a 32-bit one.
 *
 * gcn_remove_dead_code() deletes the instructions that lose their readers.
 */
#include "libsov/compiler/amd/combine.h"

static bool is_fixed_vector(const struct gcn_func *f, uint32_t vreg)
{
	return f->vregs[vreg].class == GCN_VECTOR && f->vregs[vreg].fixed >= 0;
}

static void collect_def_uses(struct combine *c)
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
					struct combine_word *w =
						&c->words[gcn_unit(f, uses[u].ref) + k];

					w->reads += !uses[u].write;
					if (!uses[u].write)
						continue;
					w->writes += f->vregs[uses[u].ref.vreg].phi ? 2 : 1;
					c->writes_results |= is_fixed_vector(f, uses[u].ref.vreg);
					w->def = i;
					w->block = b;
				}
		}
}

bool combine_is_fixed(const struct gcn_func *f, uint32_t vreg)
{
	for (enum gcn_input k = 0; k < GCN_INPUTS; k++)
		if (vreg == f->input[k])
			return true;
	return f->vregs[vreg].fixed >= 0 || f->vregs[vreg].whole_function;
}

/* Calls clobber the registers that inputs arrive in, and so do the results of this function. */
bool combine_is_clobbered(const struct combine *c, uint32_t vreg)
{
	return combine_is_fixed(c->f, vreg) &&
	       (c->f->has_calls || (c->writes_results && c->f->vregs[vreg].class == GCN_VECTOR));
}

bool combine_is_value(const struct combine *c, struct gcn_ref r)
{
	const struct combine_word *w = &c->words[gcn_unit(c->f, r)];

	return w->writes == 1 ? !combine_is_fixed(c->f, r.vreg)
			      : !w->writes && combine_is_fixed(c->f, r.vreg) &&
					!combine_is_clobbered(c, r.vreg);
}

/* ---- copies ---- */

bool combine_is_copy(const struct combine *c, const struct gcn_inst *i)
{
	const struct gcn_func *f = c->f;
	uint32_t d = i->ref[AMD_D].vreg, s = i->ref[AMD_S0].vreg;

	return i->copy && d && s && f->vregs[d].class == f->vregs[s].class;
}

static void record_copies(struct combine *c)
{
	struct gcn_func *f = c->f;

	gcn_for_each_block(f, b)
		gcn_for_each(f, b, i)
			if (combine_is_copy(c, i) && combine_is_value(c, i->ref[AMD_D]) &&
			    combine_is_value(c, i->ref[AMD_S0]))
				combine_word_of(c, i->ref[AMD_D])->copy_of =
					1 + gcn_unit(f, i->ref[AMD_S0]);
}

uint32_t combine_copy_source(const struct combine *c, uint32_t unit)
{
	while (c->words[unit].copy_of)
		unit = c->words[unit].copy_of - 1;
	return unit;
}

/*
 * Replaces an operand whose words are copies of consecutive words of another register by that
 * register.
 */
static void propagate_copy(struct combine *c, struct gcn_inst *i, enum amd_slot slot,
			   uint32_t count)
{
	struct gcn_func *f = c->f;
	uint32_t first = gcn_unit(f, i->ref[slot]), unit = combine_copy_source(c, first),
		 vreg = f->unit_vreg[unit], part;

	if (unit == first)
		return;
	part = unit - f->vregs[vreg].first_unit;
	if (!combine_is_aligned(f, vreg, part, count))
		return;
	for (uint32_t k = 1; k < count; k++)
		if (combine_copy_source(c, first + k) != unit + k || f->unit_vreg[unit + k] != vreg)
			return;
	i->ref[slot] = (struct gcn_ref){vreg, (uint8_t)part};
}

static void propagate_copies(struct combine *c)
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
					propagate_copy(c, i, uses[u].slot, uses[u].count);
		}
}

/* ---- words of wider registers ---- */

struct coalesce_target {
	uint32_t vreg, part; /* where the register's first word goes; vreg 0: nowhere */
};

/*
 * Accepts a register whose words are all defined in block b and copied there to consecutive words
 * of one wider register.
 */
static void find_coalesce_target(struct combine *c, struct gcn_inst *copy, uint32_t b,
				 struct coalesce_target *targets)
{
	struct gcn_func *f = c->f;
	struct gcn_ref d = copy->ref[AMD_D], s = copy->ref[AMD_S0];
	const struct gcn_vreg *x = &f->vregs[s.vreg], *t = &f->vregs[d.vreg];
	uint32_t part = d.part - s.part;

	if (targets[s.vreg].vreg || targets[d.vreg].vreg || s.part || d.vreg == s.vreg ||
	    t->words <= x->words || combine_is_fixed(f, s.vreg) || combine_is_fixed(f, d.vreg) ||
	    part + x->words > t->words || !combine_is_aligned(f, d.vreg, part, x->words))
		return;
	for (uint32_t k = 0; k < x->words; k++) {
		const struct combine_word *from = &c->words[x->first_unit + k],
					  *to = &c->words[t->first_unit + part + k];

		if (from->writes != 1 || to->writes != 1 || from->block != b || to->block != b ||
		    !combine_is_copy(c, to->def) || to->def->ref[AMD_S0].vreg != s.vreg ||
		    to->def->ref[AMD_S0].part != k)
			return;
	}
	/* A definition that also reads its destination cannot be redirected. */
	for (uint32_t k = 0; k < x->words; k++)
		if (c->words[x->first_unit + k].def->in.row->flags & (READS_D | SWAPS))
			return;
	targets[s.vreg] = (struct coalesce_target){d.vreg, part};
	targets[d.vreg].vreg = UINT32_MAX; /* is a destination: must not move itself */
}

static void coalesce_into_tuples(struct combine *c)
{
	struct gcn_func *f = c->f;
	struct coalesce_target *targets = arena_array(f->arena, f->nvregs, sizeof(*targets));

	gcn_for_each_block(f, b)
		gcn_for_each(f, b, i)
			if (combine_is_copy(c, i)) {
				struct gcn_ref d = i->ref[AMD_D];
				uint32_t was = targets[d.vreg].vreg;

				if (was == UINT32_MAX)
					targets[d.vreg].vreg = 0;
				find_coalesce_target(c, i, b, targets);
				if (was == UINT32_MAX)
					targets[d.vreg].vreg = was;
			}
	gcn_for_each_block(f, b)
		gcn_for_each_safe(f, b, i) {
			for (uint32_t slot = 0; slot < AMD_SLOTS; slot++) {
				const struct coalesce_target *target = &targets[i->ref[slot].vreg];

				if (i->ref[slot].vreg && target->vreg && target->vreg != UINT32_MAX)
					i->ref[slot] = (struct gcn_ref){
						target->vreg,
						(uint8_t)(target->part + i->ref[slot].part)};
			}
			if (i->copy && i->ref[AMD_D].vreg &&
			    i->ref[AMD_D].vreg == i->ref[AMD_S0].vreg &&
			    i->ref[AMD_D].part == i->ref[AMD_S0].part)
				gcn_remove(f, b, i);
		}
}

/* ---- fusion ---- */

/*
 * first(a, b) is an operand of second; op computes both. order selects the three sources of op: 0
 * and 1 are the operands of first, 2 is the other operand of second.
 */
static const struct fusion {
	uint16_t first, second, op;
	uint8_t order[3];
} fusions[] = {
	{AMD_v_lshlrev_b32, AMD_v_add_nc_u32, AMD_v_lshl_add_u32, {1, 0, 2}},
	{AMD_v_add_nc_u32, AMD_v_add_nc_u32, AMD_v_add3_u32, {0, 1, 2}},
	{AMD_v_and_b32, AMD_v_or_b32, AMD_v_and_or_b32, {0, 1, 2}},
	{AMD_v_lshlrev_b32, AMD_v_or_b32, AMD_v_lshl_or_b32, {1, 0, 2}},
	{AMD_v_or_b32, AMD_v_or_b32, AMD_v_or3_b32, {0, 1, 2}},
	{AMD_v_xor_b32, AMD_v_add_nc_u32, AMD_v_xad_u32, {0, 1, 2}},
};

static bool is_integer_constant(struct gcn_src x, uint32_t *value)
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

/* VOP3 constant bus limit: two scalar values at most, one of which may be a literal. */
static bool fits_vop3(const struct gcn_func *f, const struct gcn_src x[3])
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
			again |= gcn_same_operand(x[j], x[k]);
		scalars += !again;
		literals += literal && !again;
	}
	return scalars <= 2 && literals <= 1;
}

bool combine_is_unchanged_between(const struct combine *c, struct gcn_inst *first,
				  struct gcn_inst *second, struct gcn_src x)
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

static bool has_no_modifiers(const struct gcn_inst *i)
{
	return i->in.form <= AMD_E64 && !i->in.field[AMD_F_CLAMP] && i->mode == GCN_MODE_ANY;
}

/* Puts i, which defines what second does, in the place of both instructions. */
static void put_in_place(struct combine *c, uint32_t b, struct gcn_inst *first,
			 struct gcn_inst *second, struct gcn_inst *i)
{
	i->line = second->line;
	gcn_insert(c->f, b, second, i);
	gcn_remove(c->f, b, second);
	gcn_remove(c->f, b, first);
	combine_word_of(c, i->ref[AMD_D])->def = i;
}

static bool replace_pair(struct combine *c, uint32_t b, struct gcn_inst *first,
			 struct gcn_inst *second, enum amd_op op, const struct gcn_src x[3])
{
	struct gcn_func *f = c->f;
	struct gcn_inst *i;

	if (!fits_vop3(f, x) || !combine_is_unchanged_between(c, first, second, x[0]) ||
	    !combine_is_unchanged_between(c, first, second, x[1]) ||
	    !combine_is_unchanged_between(c, first, second, x[2]))
		return false;
	i = gcn_inst_new(f, op, AMD_PLAIN);
	gcn_set_operand(f, i, AMD_D, combine_operand(second, AMD_D));
	for (uint32_t k = 0; k < 3; k++)
		gcn_set_operand(f, i, AMD_S0 + k, x[k]);
	put_in_place(c, b, first, second, i);
	return true;
}

/* Fuses (x >> n) & (2^m - 1) into a bitfield extract. */
static bool fuse_bitfield_extract(struct combine *c, uint32_t b, struct gcn_inst *first,
				  struct gcn_inst *second, struct gcn_src other)
{
	struct gcn_src by = combine_operand(first, AMD_S0);
	uint32_t shift, mask;

	if (first->in.row->op != AMD_v_lshrrev_b32 || second->in.row->op != AMD_v_and_b32 ||
	    !is_integer_constant(by, &shift) || !is_integer_constant(other, &mask) || !mask ||
	    mask & (mask + 1) || shift > 31)
		return false;
	return replace_pair(c, b, first, second, AMD_v_bfe_u32,
			    (struct gcn_src[]){combine_operand(first, AMD_S1), by,
					       gcn_imm((uint32_t)__builtin_popcount(mask))});
}

/* Fuses the addition of a condition, as 0 or 1, into one with carry. */
static bool fuse_carry(struct combine *c, uint32_t b, struct gcn_inst *first,
		       struct gcn_inst *second, struct gcn_src other)
{
	struct gcn_src carry = combine_operand(first, AMD_S2);
	struct gcn_func *f = c->f;
	struct gcn_inst *i;

	if (first->in.row->op != AMD_v_cndmask_b32 || second->in.row->op != AMD_v_add_nc_u32 ||
	    first->in.reg[AMD_S0] != AMD_INT_0 || first->in.reg[AMD_S1] != AMD_INT_0 + 1 ||
	    !carry.ref.vreg || other.reg == AMD_LITERAL ||
	    !combine_is_unchanged_between(c, first, second, carry))
		return false;
	i = gcn_inst_new(f, AMD_v_add_co_ci_u32, AMD_E64);
	gcn_set_operand(f, i, AMD_D, combine_operand(second, AMD_D));
	gcn_set_operand(f, i, AMD_SX, gcn_word(f, gcn_vreg_new(f, GCN_SCALAR, 1), 0));
	gcn_set_operand(f, i, AMD_S0, other);
	gcn_set_operand(f, i, AMD_S1, gcn_imm(0));
	gcn_set_operand(f, i, AMD_S2, carry);
	put_in_place(c, b, first, second, i);
	return true;
}

static bool fuse_pair(struct combine *c, uint32_t b, struct gcn_inst *second)
{
	for (uint32_t k = 0; k < 2; k++) {
		struct gcn_ref r = second->ref[AMD_S0 + k];
		struct gcn_src x[3], in_order[3];
		struct gcn_inst *first;
		const struct combine_word *w;

		if (!r.vreg || c->f->vregs[r.vreg].words != 1)
			continue;
		w = combine_word_of(c, r);
		first = w->def;
		if (w->writes != 1 || w->reads != 1 || w->block != b || !has_no_modifiers(first) ||
		    c->f->vregs[r.vreg].class != GCN_VECTOR || combine_is_fixed(c->f, r.vreg))
			continue;
		x[0] = combine_operand(first, AMD_S0);
		x[1] = combine_operand(first, AMD_S1);
		x[2] = combine_operand(second, AMD_S1 - k);
		if (fuse_bitfield_extract(c, b, first, second, x[2]) ||
		    fuse_carry(c, b, first, second, x[2]))
			return true;
		for (uint32_t p = 0; p < sizeof(fusions) / sizeof(fusions[0]); p++) {
			if (first->in.row->op != fusions[p].first ||
			    second->in.row->op != fusions[p].second)
				continue;
			for (uint32_t j = 0; j < 3; j++)
				in_order[j] = x[fusions[p].order[j]];
			if (replace_pair(c, b, first, second, fusions[p].op, in_order))
				return true;
		}
	}
	return false;
}

/* Operations whose operands may change places. */
static bool is_commutative(enum amd_op op)
{
	switch (op) {
	case AMD_v_add_f32:
	case AMD_v_mul_f32:
	case AMD_v_min_f32:
	case AMD_v_max_f32:
	case AMD_v_add_nc_u32:
	case AMD_v_min_i32:
	case AMD_v_max_i32:
	case AMD_v_min_u32:
	case AMD_v_max_u32:
	case AMD_v_and_b32:
	case AMD_v_or_b32:
	case AMD_v_xor_b32:
		return true;
	default:
		return false;
	}
}

/* An operand that a DPP move fetches from another lane, and nothing else reads, is fetched here. */
static bool fuse_dpp(struct combine *c, uint32_t b, struct gcn_inst *second)
{
	struct gcn_func *f = c->f;

	if (second->in.form != AMD_PLAIN || !is_commutative(second->in.row->op))
		return false;
	for (uint32_t k = 0; k < 2; k++) {
		struct gcn_src x = combine_operand(second, AMD_S0 + k),
			       y = combine_operand(second, AMD_S1 - k);
		const struct combine_word *w = x.ref.vreg ? combine_word_of(c, x.ref) : NULL;
		struct gcn_inst *i, *move = w ? w->def : NULL;

		if (!move || w->writes != 1 || w->reads != 1 || w->block != b || !y.ref.vreg ||
		    !gcn_is_vector(f, y) || move->in.row->op != AMD_v_mov_b32 ||
		    move->in.form != AMD_DPP || combine_is_fixed(f, x.ref.vreg) ||
		    !combine_is_unchanged_between(c, move, second, combine_operand(move, AMD_S0)))
			continue;
		i = gcn_inst_new(f, second->in.row->op, AMD_DPP);
		gcn_set_operand(f, i, AMD_D, combine_operand(second, AMD_D));
		gcn_set_operand(f, i, AMD_S0, combine_operand(move, AMD_S0));
		gcn_set_operand(f, i, AMD_S1, y);
		i->in.field[AMD_F_DPP_CTRL] = move->in.field[AMD_F_DPP_CTRL];
		i->in.field[AMD_F_BOUND_CTRL] = move->in.field[AMD_F_BOUND_CTRL];
		i->mode = second->mode;
		put_in_place(c, b, move, second, i);
		return true;
	}
	return false;
}

/* ---- narrowing ---- */

static bool is_unread(struct combine *c, struct gcn_ref r)
{
	return r.vreg && !combine_word_of(c, r)->reads;
}

/*
 * Rewrites an instruction to a two-source one in the encoding that the sources need. With swap, a
 * scalar second source becomes the first.
 */
static void rewrite_binary(struct combine *c, struct gcn_inst *i, enum amd_op op, struct gcn_src x,
			   struct gcn_src y, bool swap)
{
	struct gcn_func *f = c->f;
	struct gcn_src d = combine_operand(i, AMD_D);
	bool is_short = amd_row(op)->format <= AMD_VOPC;

	if (swap && !gcn_is_vector(f, y)) {
		struct gcn_src t = x;

		x = y;
		y = t;
	}
	for (uint32_t slot = 0; slot < AMD_SLOTS; slot++)
		i->ref[slot] = (struct gcn_ref){0};
	amd_init(&i->in, op, is_short && !gcn_is_vector(f, y) ? AMD_E64 : AMD_PLAIN);
	gcn_set_operand(f, i, AMD_D, d);
	gcn_set_operand(f, i, AMD_S0, x);
	gcn_set_operand(f, i, AMD_S1, y);
}

static void narrow_to_low_word(struct combine *c, struct gcn_inst *i)
{
	struct gcn_src x = combine_operand(i, AMD_S0), y = combine_operand(i, AMD_S1),
		       z = combine_operand(i, AMD_S2);
	uint32_t op = i->in.row->op, value;

	if ((op == AMD_v_add_co_u32 || op == AMD_v_sub_co_u32) && is_unread(c, i->ref[AMD_SX])) {
		rewrite_binary(c, i, op == AMD_v_add_co_u32 ? AMD_v_add_nc_u32 : AMD_v_sub_nc_u32,
			       x, y, op == AMD_v_add_co_u32);
		return;
	}
	if (op != AMD_v_mad_u64_u32 && op != AMD_v_mad_i64_i32)
		return;
	if (is_unread(c, i->ref[AMD_SX])) {
		i->ref[AMD_SX].vreg = 0;
		i->in.reg[AMD_SX] = AMD_NULL;
	}
	if (!i->ref[AMD_D].vreg ||
	    combine_word_of(c, (struct gcn_ref){i->ref[AMD_D].vreg, i->ref[AMD_D].part + 1})->reads)
		return;
	if (z.ref.vreg || z.reg != AMD_INT_0) {
		if (is_integer_constant(y, &value) && value && !(value & (value - 1)) &&
		    fits_vop3(c->f,
			      (struct gcn_src[]){x, gcn_imm((uint32_t)__builtin_ctz(value)), z})) {
			rewrite_binary(c, i, AMD_v_lshl_add_u32, x,
				       gcn_imm((uint32_t)__builtin_ctz(value)), false);
			gcn_set_operand(c->f, i, AMD_S2, z);
		}
		return;
	}
	if (is_integer_constant(y, &value) && value && !(value & (value - 1)))
		rewrite_binary(c, i, AMD_v_lshlrev_b32, gcn_imm((uint32_t)__builtin_ctz(value)), x,
			       false);
	else
		rewrite_binary(c, i, AMD_v_mul_lo_u32, x, y, false);
}

void gcn_combine(struct gcn_func *f)
{
	struct combine c = {.f = f};

	collect_def_uses(&c);
	record_copies(&c);
	combine_cse(&c);
	propagate_copies(&c);
	combine_forward_copies(&c);
	gcn_remove_dead_code(f);
	collect_def_uses(&c);
	coalesce_into_tuples(&c);
	collect_def_uses(&c);
	gcn_for_each_block(f, b)
		gcn_for_each(f, b, i)
			narrow_to_low_word(&c, i);
	collect_def_uses(&c);
	if (combine_kernarg_loads(&c))
		collect_def_uses(&c);
	gcn_for_each_block(f, b)
		gcn_for_each_safe(f, b, i)
			if (!fuse_dpp(&c, b, i) && i->in.form <= AMD_E64 &&
			    (i->in.row->op == AMD_v_add_nc_u32 || i->in.row->op == AMD_v_or_b32 ||
			     i->in.row->op == AMD_v_and_b32) &&
			    has_no_modifiers(i))
				fuse_pair(&c, b, i);
	collect_def_uses(&c);
	combine_exec_compares(&c);
	gcn_remove_dead_code(f);
}
