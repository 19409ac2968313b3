// SPDX-License-Identifier: MIT
/*
 * Predicates beyond the seven that there are live in registers: as 1 or 0 from where they are made,
 * and as a predicate again just before each use. Where too many are live at once, the one whose
 * next use is farthest goes (after Belady), until no place has too many. A phi of predicates that
 * goes becomes a phi of registers.
 */
#include <string.h>
#include "libsov/compiler/nv/mir.h"

struct spiller {
	struct mir_func *f;
	bool *settled; /* by vreg: is itself short-lived, no use in moving it */
	uint32_t nsettled;
};

static bool is_settled(const struct spiller *s, uint32_t vreg)
{
	return vreg >= s->nsettled || s->settled[vreg];
}

/* The predicate again, from the register that keeps it. */
static struct mir_source reload(struct mir_func *f, struct mir_source kept, uint32_t b,
				struct mir_inst *before)
{
	struct mir_source p =
		mir_reg(SASS_PRED, (struct mir_ref){mir_vreg_new(f, SASS_PRED, 1), 0});
	struct mir_inst *i = mir_inst_new(f, SASS_ISETP);

	mir_set(i, 0, p);
	mir_set(i, 2, kept);
	mir_set(i, 3, (struct mir_source){.op = {.kind = SASS_GPR, .reg = SASS_RZ}});
	mir_set(i, 4, mir_true(true));
	i->sass.mod[SASS_M_CMP] = SASS_CMP_NE;
	i->sass.mod[SASS_M_SIGNED] = 1;
	mir_insert(f, b, before, i);
	return p;
}

static void keep_in(struct mir_func *f, struct mir_source kept, struct mir_source p, uint32_t b,
		    struct mir_inst *before)
{
	struct mir_inst *i = mir_inst_new(f, SASS_SEL);

	p.op.flags ^= SASS_NEG;
	mir_set(i, 0, kept);
	mir_set(i, 1, (struct mir_source){.op = {.kind = SASS_GPR, .reg = SASS_RZ}});
	mir_set(i, 2, mir_imm(1));
	mir_set(i, 3, p);
	mir_insert(f, b, before, i);
}

static struct mir_source new_gpr(struct mir_func *f)
{
	return mir_reg(SASS_GPR, (struct mir_ref){mir_vreg_new(f, SASS_GPR, 1), 0});
}

/* Uses by an instruction: all operands of it share one reload; their signs stay. */
static void replace_uses(struct mir_func *f, uint32_t b, struct mir_inst *i, uint32_t vreg,
			 struct mir_source kept)
{
	struct mir_use uses[SASS_MAX_USES];
	uint32_t n = mir_uses(i, uses);
	struct mir_source p = {.op = {.kind = SASS_NONE}};

	for (uint32_t u = 0; u < n; u++) {
		if (uses[u].write || uses[u].ref.vreg != vreg)
			continue;
		if (!p.ref.vreg)
			p = reload(f, kept, b, i);
		if (uses[u].operand == SASS_USE_GUARD)
			i->guard = p.ref;
		else
			i->ref[uses[u].operand] = p.ref;
	}
}

static bool defines(const struct mir_inst *i, uint32_t vreg)
{
	struct mir_use uses[SASS_MAX_USES];
	uint32_t n = mir_uses(i, uses);

	for (uint32_t u = 0; u < n; u++) {
		if (uses[u].write && uses[u].ref.vreg == vreg)
			return true;
	}
	return false;
}

/* Phi arguments are needed at the end of the block that they come from. */
static void replace_arg(struct mir_func *f, uint32_t from, struct mir_source *arg, uint32_t vreg,
			struct mir_source kept)
{
	if (arg->ref.vreg == vreg)
		arg->ref = reload(f, kept, from, NULL).ref;
}

/* What made a predicate in this block, if it was one of our reloads. */
static struct mir_inst *reload_of(const struct spiller *s, uint32_t b, uint32_t vreg)
{
	if (vreg < s->nsettled)
		return NULL;
	mir_for_each(s->f, b, i) {
		if (defines(i, vreg))
			return i;
	}
	return NULL;
}

static void flip(struct mir_func *f, struct mir_source word, struct mir_source kept, uint32_t b)
{
	struct mir_inst *i = mir_inst_new(f, SASS_LOP3);

	mir_set(i, 1, word);
	mir_set(i, 2, kept);
	mir_set(i, 3, mir_imm(1));
	mir_set(i, 4, (struct mir_source){.op = {.kind = SASS_GPR, .reg = SASS_RZ}});
	mir_set(i, 5, mir_imm(0x3c)); /* exclusive or */
	mir_set(i, 6, mir_true(false));
	mir_insert(f, b, NULL, i);
}

/* A predicate that is to leave a block as a word. One that was reloaded for this alone, is a word
 * already: a predicate for a moment would be one too many where all others are taken. */
static struct mir_source as_word(const struct spiller *s, struct mir_source p, uint32_t b)
{
	struct mir_inst *made = reload_of(s, b, p.ref.vreg);
	struct mir_source word, kept;

	if (!made) {
		word = new_gpr(s->f);
		keep_in(s->f, word, p, b, NULL);
		return word;
	}
	kept = mir_reg(SASS_GPR, made->ref[2]);
	mir_remove(s->f, b, made);
	if (!(p.op.flags & SASS_NEG))
		return kept;
	word = new_gpr(s->f);
	flip(s->f, word, kept, b);
	return word;
}

static void change_phi(const struct spiller *s, struct mir_block *block, struct mir_phi *phi,
		       struct mir_source kept)
{
	static const struct mir_source zero = {.op = {.kind = SASS_GPR, .reg = SASS_RZ}};
	struct mir_func *f = s->f;

	phi->vreg = kept.ref.vreg;
	f->vregs[phi->vreg].phi = true;
	for (uint32_t p = 0; p < block->npreds; p++) {
		struct mir_source *arg = &phi->args[p];
		bool value = !(arg->op.flags & SASS_NEG);

		if (arg->ref.vreg)
			*arg = as_word(s, *arg, block->preds[p]);
		else
			*arg = value ? mir_imm(1) : zero;
	}
}

static void spill(const struct spiller *s, uint32_t vreg)
{
	struct mir_func *f = s->f;
	struct mir_source kept = new_gpr(f), p = mir_reg(SASS_PRED, (struct mir_ref){vreg, 0});

	mir_for_each_block(f, b) {
		for (uint32_t k = 0; k < f->blocks[b].nphis; k++) {
			struct mir_phi *phi = &f->blocks[b].phis[k];
			uint32_t units = f->vregs[phi->vreg].units;

			/* Whatever the phi's kind, an argument that is the predicate is one. */
			for (uint32_t n = 0; n < f->blocks[b].npreds * units; n++)
				replace_arg(f, f->blocks[b].preds[n / units], &phi->args[n], vreg,
					    kept);
			if (phi->vreg == vreg)
				change_phi(s, &f->blocks[b], phi, kept);
		}
		mir_for_each(f, b, i) {
			replace_uses(f, b, i, vreg, kept);
			if (defines(i, vreg)) {
				keep_in(f, kept, p, b, i->next);
				i = i->next; /* which is not to be changed */
			}
		}
		if (f->blocks[b].cond.ref.vreg == vreg)
			f->blocks[b].cond.ref = reload(f, kept, b, NULL).ref;
	}
}

/* How far on a predicate is used next: instructions, or the number of all if not in this block. */
static uint32_t next_use(const struct mir_block *block, const struct mir_inst *from, uint32_t vreg)
{
	struct mir_use uses[SASS_MAX_USES];
	uint32_t distance = 0;

	for (const struct mir_inst *i = from; i; i = i->next, distance++) {
		uint32_t n = mir_uses(i, uses);

		for (uint32_t u = 0; u < n; u++) {
			if (uses[u].ref.vreg == vreg)
				return distance;
		}
	}
	return block->cond.ref.vreg == vreg ? distance : UINT32_MAX;
}

/* The predicate to give up at a place where these are live; 0: there are not too many. */
static uint32_t choose(const struct spiller *s, const struct mir_block *block,
		       const struct mir_inst *at, const uint64_t *live)
{
	const struct mir_func *f = s->f;
	uint32_t count = 0, best = 0, farthest = 0;

	for (uint32_t v = 1; v < f->nvregs; v++) {
		uint32_t distance;

		if (f->vregs[v].kind != SASS_PRED || !mir_has(live, f->vregs[v].first_unit))
			continue;
		count++;
		if (is_settled(s, v))
			continue;
		distance = next_use(block, at, v);
		if (!best || distance > farthest) {
			best = v;
			farthest = distance;
		}
	}
	return count > MIR_PREDS ? best : 0;
}

/* The first place with too many, from a block's end up. */
static uint32_t find_victim(const struct spiller *s)
{
	struct mir_func *f = s->f;
	uint64_t *live = arena_array(f->arena, mir_set_words(f) + 1, sizeof(*live));
	uint32_t victim;

	mir_for_each_block(f, b) {
		const struct mir_block *block = &f->blocks[b];

		memcpy(live, block->live_out, mir_set_words(f) * sizeof(*live));
		if (block->cond.ref.vreg)
			mir_add(live, mir_unit(f, block->cond.ref));
		victim = choose(s, block, NULL, live);
		for (struct mir_inst *i = block->last; i && !victim; i = i->prev) {
			nv_live_before(f, live, i);
			victim = choose(s, block, i, live);
		}
		if (victim)
			return victim;
	}
	return 0;
}

void nv_spill_predicates(struct mir_func *f)
{
	struct spiller s = {.f = f, .nsettled = f->nvregs};
	uint32_t victim;

	s.settled = arena_array(f->arena, f->nvregs, sizeof(*s.settled));
	for (;;) {
		nv_liveness(f);
		victim = find_victim(&s);
		if (!victim)
			return;
		spill(&s, victim);
		s.settled[victim] = true;
	}
}
