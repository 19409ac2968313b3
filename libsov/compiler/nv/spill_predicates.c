// SPDX-License-Identifier: MIT
/*
 * Predicates beyond the seven that there are live in registers: as 1 or 0 from where they are made,
 * and as a predicate again just before a use. A phi of predicates that goes becomes a phi of
 * registers.
 */
#include "libsov/compiler/nv/spill.h"

static struct mir_source new_gpr(struct mir_func *f)
{
	return mir_reg(SASS_GPR, (struct mir_ref){mir_vreg_new(f, SASS_GPR, 1), 0});
}

static struct mir_source zero(void)
{
	return (struct mir_source){.op = {.kind = SASS_GPR, .reg = SASS_RZ}};
}

/* The register that keeps a predicate. */
static struct mir_source kept(const struct spiller *s, uint32_t vreg)
{
	uint32_t *words = s->home;

	if (!words[vreg])
		words[vreg] = mir_vreg_new(s->f, SASS_GPR, 1);
	return mir_reg(SASS_GPR, (struct mir_ref){words[vreg], 0});
}

static void fetch(struct spiller *s, struct mir_ref of, uint32_t count, struct mir_ref to,
		  uint32_t b, struct mir_inst *before)
{
	struct mir_inst *i = mir_inst_new(s->f, SASS_ISETP);

	(void)count;
	mir_set(i, 0, mir_reg(SASS_PRED, to));
	mir_set(i, 2, kept(s, of.vreg));
	mir_set(i, 3, zero());
	mir_set(i, 4, mir_true(true));
	i->sass.mod[SASS_M_CMP] = SASS_CMP_NE;
	i->sass.mod[SASS_M_SIGNED] = 1;
	mir_insert(s->f, b, before, i);
}

static void as_word(struct mir_func *f, struct mir_source word, struct mir_source p, uint32_t b,
		    struct mir_inst *before)
{
	struct mir_inst *i = mir_inst_new(f, SASS_SEL);

	p.op.flags ^= SASS_NEG;
	mir_set(i, 0, word);
	mir_set(i, 1, zero());
	mir_set(i, 2, mir_imm(1));
	mir_set(i, 3, p);
	mir_insert(f, b, before, i);
}

static void put(struct spiller *s, struct mir_ref of, uint32_t count, struct mir_ref from,
		uint32_t b, struct mir_inst *before)
{
	(void)count;
	as_word(s->f, kept(s, of.vreg), mir_reg(SASS_PRED, from), b, before);
}

static struct mir_source flipped(struct mir_func *f, struct mir_source word, uint32_t b)
{
	struct mir_inst *i = mir_inst_new(f, SASS_LOP3);
	struct mir_source d = new_gpr(f);

	mir_set(i, 1, d);
	mir_set(i, 2, word);
	mir_set(i, 3, mir_imm(1));
	mir_set(i, 4, zero());
	mir_set(i, 5, mir_imm(0x3c)); /* exclusive or */
	mir_set(i, 6, mir_true(false));
	mir_insert(f, b, NULL, i);
	return d;
}

static struct mir_source argument_word(struct spiller *s, struct mir_source p, uint32_t from)
{
	struct mir_source word;

	if (!p.ref.vreg)
		return p.op.flags & SASS_NEG ? zero() : mir_imm(1);
	if (p.ref.vreg < s->nvregs && s->spilled[p.ref.vreg])
		return p.op.flags & SASS_NEG ? flipped(s->f, kept(s, p.ref.vreg), from)
					     : kept(s, p.ref.vreg);
	word = new_gpr(s->f);
	as_word(s->f, word, p, from, NULL);
	return word;
}

static void change_phi(struct spiller *s, struct mir_block *block, struct mir_phi *phi)
{
	struct mir_func *f = s->f;
	uint32_t word = kept(s, phi->vreg).ref.vreg;

	for (uint32_t p = 0; p < block->npreds; p++)
		phi->args[p] = argument_word(s, phi->args[p], block->preds[p]);
	f->vregs[word].phi = true;
	phi->vreg = word;
}

/* A phi that stays: what it takes from a spilled one is fetched where it comes from. */
static void fetch_arguments(struct spiller *s, const struct mir_block *block, struct mir_phi *phi)
{
	for (uint32_t p = 0; p < block->npreds; p++) {
		struct mir_ref of = phi->args[p].ref;

		if (!of.vreg || of.vreg >= s->nvregs || !s->spilled[of.vreg])
			continue;
		phi->args[p].ref = (struct mir_ref){mir_vreg_new(s->f, SASS_PRED, 1), 0};
		fetch(s, of, 1, phi->args[p].ref, block->preds[p], NULL);
	}
}

void nv_spill_predicates(struct mir_func *f)
{
	struct spiller s = {
		.f = f, .kind = SASS_PRED, .limit = MIR_PREDS, .fetch = fetch, .put = put};
	bool any;

	nv_liveness(f);
	nv_spill_choose(&s, &any);
	if (!any)
		return;
	s.home = arena_array(f->arena, s.nvregs, sizeof(uint32_t));
	nv_spill_rewrite(&s);
	/* What stays is fetched last: it is alive from then on. */
	for (int stays = 0; stays < 2; stays++)
		mir_for_each_block(f, b)
			for (uint32_t p = 0; p < f->blocks[b].nphis; p++) {
				struct mir_phi *phi = &f->blocks[b].phis[p];

				if (f->vregs[phi->vreg].kind != SASS_PRED)
					continue;
				if (stays)
					fetch_arguments(&s, &f->blocks[b], phi);
				else if (phi->vreg < s.nvregs && s.spilled[phi->vreg])
					change_phi(&s, &f->blocks[b], phi);
			}
}
