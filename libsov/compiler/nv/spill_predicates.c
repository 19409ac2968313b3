// SPDX-License-Identifier: MIT
/*
 * Spilling of predicates to GPRs: a spilled predicate is 0 or 1 in a register from its definition
 * on and becomes a predicate again before each use. A spilled phi of predicates becomes a phi of
 * registers. A comparison takes no longer than that, so it is done again before each use instead if
 * its operands are live there but for one register, which lives longer in the place of the GPR.
 */
#include "libsov/compiler/nv/spill.h"

struct predicate_spiller {
	uint32_t *words; /* by vreg: the GPR that holds it; 0: none yet */
	/* By vreg: the comparison to do again; NULL: none. Its operands, by number, that are not
	 * live at all mentions. */
	struct mir_inst **comparison;
	uint32_t *dying;
};

static struct mir_source new_gpr(struct mir_func *f)
{
	return mir_reg(SASS_GPR, (struct mir_ref){mir_vreg_new(f, SASS_GPR, 1), 0});
}

static struct mir_source zero_reg(void)
{
	return (struct mir_source){.op = {.kind = SASS_GPR, .reg = SASS_RZ}};
}

/* The GPR that holds a spilled predicate. */
static struct mir_source spill_gpr(const struct spiller *s, uint32_t vreg)
{
	uint32_t *words = ((struct predicate_spiller *)s->client)->words;

	if (!words[vreg])
		words[vreg] = mir_vreg_new(s->f, SASS_GPR, 1);
	return mir_reg(SASS_GPR, (struct mir_ref){words[vreg], 0});
}

static void compare_again(struct mir_func *f, struct mir_inst *comparison, struct mir_ref to,
			  uint32_t b, struct mir_inst *before)
{
	struct mir_inst *i = arena_alloc(f->arena, sizeof(*i));
	uint32_t n;
	const struct mir_use *uses = mir_uses(f, comparison, &n);

	*i = *comparison;
	i->uses = NULL;
	for (uint32_t u = 0; u < n; u++) {
		if (uses[u].write)
			i->ref[uses[u].operand] = to;
	}
	mir_insert(f, b, before, i);
}

static void reload_predicate(struct spiller *s, struct mir_ref of, uint32_t count,
			     struct mir_ref to, uint32_t b, struct mir_inst *before)
{
	const struct predicate_spiller *p = s->client;
	struct mir_inst *i;

	(void)count;
	if (s->remat[of.vreg]) {
		compare_again(s->f, p->comparison[of.vreg], to, b, before);
		return;
	}
	i = mir_inst_new(s->f, SASS_ISETP);
	mir_set_operand(i, 0, mir_reg(SASS_PRED, to));
	mir_set_operand(i, 2, spill_gpr(s, of.vreg));
	mir_set_operand(i, 3, zero_reg());
	mir_set_operand(i, 4, mir_pred_const(true));
	i->sass.mod[SASS_M_CMP] = SASS_CMP_NE;
	i->sass.mod[SASS_M_SIGNED] = 1;
	mir_insert(s->f, b, before, i);
}

static void insert_select(struct mir_func *f, struct mir_source word, struct mir_source p,
			  uint32_t b, struct mir_inst *before)
{
	struct mir_inst *i = mir_inst_new(f, SASS_SEL);

	p.op.flags ^= SASS_NEG;
	mir_set_operand(i, 0, word);
	mir_set_operand(i, 1, zero_reg());
	mir_set_operand(i, 2, mir_imm(1));
	mir_set_operand(i, 3, p);
	mir_insert(f, b, before, i);
}

static void store_predicate(struct spiller *s, struct mir_ref of, uint32_t count,
			    struct mir_ref from, uint32_t b, struct mir_inst *before)
{
	(void)count;
	insert_select(s->f, spill_gpr(s, of.vreg), mir_reg(SASS_PRED, from), b, before);
}

static struct mir_source insert_inversion(struct mir_func *f, struct mir_source word, uint32_t b)
{
	struct mir_inst *i = mir_inst_new(f, SASS_LOP3);
	struct mir_source d = new_gpr(f);

	mir_set_operand(i, 1, d);
	mir_set_operand(i, 2, word);
	mir_set_operand(i, 3, mir_imm(1));
	mir_set_operand(i, 4, zero_reg());
	mir_set_operand(i, 5, mir_imm(0x3c)); /* exclusive or */
	mir_set_operand(i, 6, mir_pred_const(false));
	mir_insert(f, b, NULL, i);
	return d;
}

static struct mir_source argument_word(struct spiller *s, struct mir_source p, uint32_t from)
{
	struct mir_source word;

	if (!p.ref.vreg)
		return p.op.flags & SASS_NEG ? zero_reg() : mir_imm(1);
	if (p.ref.vreg < s->nvregs && s->spilled[p.ref.vreg])
		return p.op.flags & SASS_NEG
			       ? insert_inversion(s->f, spill_gpr(s, p.ref.vreg), from)
			       : spill_gpr(s, p.ref.vreg);
	word = new_gpr(s->f);
	insert_select(s->f, word, p, from, NULL);
	return word;
}

static void widen_phi(struct spiller *s, struct mir_block *block, struct mir_phi *phi)
{
	struct mir_func *f = s->f;
	uint32_t word = spill_gpr(s, phi->vreg).ref.vreg;

	for (uint32_t p = 0; p < block->npreds; p++)
		phi->args[p] = argument_word(s, phi->args[p], block->preds[p]);
	f->vregs[word].phi = true;
	phi->vreg = word;
}

/* Reloads spilled arguments of an unspilled phi at the end of the predecessors. */
static void reload_arguments(struct spiller *s, const struct mir_block *block, struct mir_phi *phi)
{
	for (uint32_t p = 0; p < block->npreds; p++) {
		struct mir_ref of = phi->args[p].ref;

		if (!of.vreg || of.vreg >= s->nvregs || !s->spilled[of.vreg])
			continue;
		phi->args[p].ref = (struct mir_ref){mir_vreg_new(s->f, SASS_PRED, 1), 0};
		reload_predicate(s, of, 1, phi->args[p].ref, block->preds[p], NULL);
	}
}

/* The instruction computes a predicate, and nothing else, from general and uniform registers in a
 * short fixed time. Uniform registers that divergent code writes may not live longer: lanes that
 * are elsewhere would overwrite them. */
static bool is_comparison(const struct mir_func *f, struct mir_inst *i)
{
	uint32_t n, results = 0;
	const struct mir_use *uses = mir_uses(f, i, &n);

	if ((i->sass.op != SASS_ISETP && i->sass.op != SASS_FSETP && i->sass.op != SASS_LOP3) ||
	    i->members || i->reduced || i->guard.vreg || i->sass.guard != SASS_PT)
		return false;
	for (uint32_t u = 0; u < n; u++) {
		if (!uses[u].ref.vreg || uses[u].write != (uses[u].kind == SASS_PRED) ||
		    (uses[u].kind == SASS_UGPR && !f->uniform))
			return false;
		results += uses[u].write;
	}
	return results == 1;
}

static void find_comparisons(struct mir_func *f, struct predicate_spiller *p)
{
	mir_for_each_block(f, b)
		mir_for_each(f, b, i) {
			uint32_t n;
			const struct mir_use *uses = mir_uses(f, i, &n);

			for (uint32_t u = 0; u < n && is_comparison(f, i); u++)
				if (uses[u].write)
					p->comparison[uses[u].ref.vreg] = i;
		}
}

/* Notes the operands of the comparison that are not live at the end of a block that mentions its
 * result. */
static void note_dying(struct mir_func *f, struct predicate_spiller *p, uint32_t vreg, uint32_t b)
{
	uint32_t n = 0;
	const struct mir_use *uses = NULL;

	if (p->comparison[vreg])
		uses = mir_uses(f, p->comparison[vreg], &n);
	for (uint32_t u = 0; u < n; u++)
		for (uint32_t k = 0; !uses[u].write && k < uses[u].count; k++)
			if (!live_set_has(&f->blocks[b].live_out, mir_unit(f, uses[u].ref) + k))
				p->dying[vreg] |= 1u << (2 * u + k) % 32;
}

static void note_mentions(struct mir_func *f, struct predicate_spiller *p, uint32_t b)
{
	const struct mir_block *block = &f->blocks[b];

	mir_for_each(f, b, i) {
		uint32_t n;
		const struct mir_use *uses = mir_uses(f, i, &n);

		for (uint32_t u = 0; u < n; u++)
			if (!uses[u].write)
				note_dying(f, p, uses[u].ref.vreg, b);
	}
	note_dying(f, p, block->cond.ref.vreg, b);
	/* An argument is needed as a word as well if its phi is spilled. */
	for (uint32_t k = 0; k < block->nphis; k++)
		for (uint32_t a = 0; a < block->npreds; a++)
			p->comparison[block->phis[k].args[a].ref.vreg] = NULL;
}

/* Fills in s->remat: the predicates to be compared again. */
static void choose_comparisons(struct spiller *s, struct predicate_spiller *p)
{
	struct mir_func *f = s->f;

	s->remat = arena_array(f->arena, f->nvregs, sizeof(*s->remat));
	p->comparison = arena_array(f->arena, f->nvregs, sizeof(struct mir_inst *));
	p->dying = arena_array(f->arena, f->nvregs, sizeof(*p->dying));
	find_comparisons(f, p);
	mir_for_each_block(f, b)
		note_mentions(f, p, b);
	for (uint32_t v = 1; v < f->nvregs; v++)
		s->remat[v] = p->comparison[v] && !(p->dying[v] & (p->dying[v] - 1));
}

/* All predicates fit, even if they are live together. */
static bool fit_together(const struct mir_func *f)
{
	uint32_t count = 0;

	for (uint32_t v = 1; v < f->nvregs; v++)
		count += f->vregs[v].kind == SASS_PRED;
	return count <= MIR_PREDS;
}

void nv_spill_predicates(struct mir_func *f)
{
	struct spiller s = {.f = f,
			    .kind = SASS_PRED,
			    .limit = MIR_PREDS,
			    .reload = reload_predicate,
			    .store = store_predicate};
	struct predicate_spiller client = {0};
	bool any;

	if (fit_together(f) && !f->calls)
		return;
	nv_liveness(f);
	choose_comparisons(&s, &client);
	nv_spill_choose(&s, &any);
	if (!any)
		return;
	client.words = arena_array(f->arena, s.nvregs, sizeof(*client.words));
	s.client = &client;
	nv_spill_rewrite(&s);
	/* Unspilled phis come second: their reloads are live from there on. */
	for (int unspilled = 0; unspilled < 2; unspilled++)
		mir_for_each_block(f, b)
			for (uint32_t p = 0; p < f->blocks[b].nphis; p++) {
				struct mir_phi *phi = &f->blocks[b].phis[p];

				if (f->vregs[phi->vreg].kind != SASS_PRED)
					continue;
				if (unspilled)
					reload_arguments(&s, &f->blocks[b], phi);
				else if (phi->vreg < s.nvregs && s.spilled[phi->vreg])
					widen_phi(&s, &f->blocks[b], phi);
			}
}
