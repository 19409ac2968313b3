// SPDX-License-Identifier: MIT
/*
 * Splits virtual registers of several units that no instruction accesses as a group into registers
 * of one unit. A 64-bit value that is only added, compared or shifted is accessed word by word; as
 * two registers it needs no aligned pair, and a word that is never computed occupies none. A phi of
 * such a register becomes one per word, unless a group is among its arguments: with the registers
 * of that group, the edge needs no copies.
 */
#include "libsov/compiler/nv/mir.h"

struct splitter {
	struct mir_func *f;
	uint32_t *first; /* by vreg: the first of its registers; 0: it stays */
};

static void find_groups(const struct mir_func *f, bool *grouped)
{
	mir_for_each_block(f, b)
		mir_for_each(f, b, i) {
			uint32_t n;
			const struct mir_use *uses = mir_uses(f, i, &n);

			for (uint32_t u = 0; u < n; u++)
				grouped[uses[u].ref.vreg] |= uses[u].count > 1;
		}
}

/* Whether an argument of the phi is a whole group of its size. */
static bool has_group(const struct mir_func *f, const struct mir_block *block,
		      const struct mir_phi *phi, const bool *grouped)
{
	uint32_t units = f->vregs[phi->vreg].units;

	for (uint32_t k = 0; k < block->npreds; k++) {
		struct mir_ref arg = phi->args[k * units].ref;

		if (grouped[arg.vreg] && !arg.part && f->vregs[arg.vreg].units == units)
			return true;
	}
	return false;
}

/* Phis are groups because of their arguments, and may be arguments themselves. */
static void find_group_phis(const struct mir_func *f, bool *grouped)
{
	bool found = true;

	while (found) {
		found = false;
		mir_for_each_block(f, b) {
			const struct mir_block *block = &f->blocks[b];

			for (uint32_t p = 0; p < block->nphis; p++) {
				const struct mir_phi *phi = &block->phis[p];

				if (grouped[phi->vreg] || f->vregs[phi->vreg].units == 1 ||
				    !has_group(f, block, phi, grouped))
					continue;
				grouped[phi->vreg] = found = true;
			}
		}
	}
}

static bool split_ref(const struct splitter *s, struct mir_ref *r)
{
	if (!s->first[r->vreg])
		return false;
	*r = (struct mir_ref){s->first[r->vreg] + r->part, 0};
	return true;
}

static void split_phis(const struct splitter *s, struct mir_block *block)
{
	struct mir_func *f = s->f;
	struct mir_phi *phis, *out;
	uint32_t count = 0;

	for (uint32_t p = 0; p < block->nphis; p++)
		count += s->first[block->phis[p].vreg] ? f->vregs[block->phis[p].vreg].units : 1;
	out = phis = arena_array(f->arena, count + 1, sizeof(*phis));
	for (uint32_t p = 0; p < block->nphis; p++) {
		const struct mir_phi *phi = &block->phis[p];
		uint32_t units = f->vregs[phi->vreg].units, first = s->first[phi->vreg];

		for (uint32_t k = 0; k < block->npreds * units; k++)
			split_ref(s, &phi->args[k].ref);
		if (!first) {
			*out++ = *phi;
			continue;
		}
		for (uint32_t u = 0; u < units; u++, out++) {
			out->vreg = first + u;
			out->args = arena_array(f->arena, block->npreds + 1, sizeof(*out->args));
			for (uint32_t k = 0; k < block->npreds; k++)
				out->args[k] = phi->args[k * units + u];
		}
	}
	block->phis = phis;
	block->nphis = count;
}

void nv_split_registers(struct mir_func *f)
{
	struct splitter s = {.f = f};
	uint32_t nvregs = f->nvregs;
	bool *grouped = arena_array(f->arena, nvregs, sizeof(*grouped));

	s.first = arena_array(f->arena, nvregs, sizeof(*s.first));
	find_groups(f, grouped);
	find_group_phis(f, grouped);
	for (uint32_t v = 1; v < nvregs; v++) {
		if (f->vregs[v].kind != SASS_GPR || f->vregs[v].units == 1 || grouped[v])
			continue;
		s.first[v] = f->nvregs;
		for (uint32_t k = 0; k < f->vregs[v].units; k++) {
			uint32_t word = mir_vreg_new(f, SASS_GPR, 1);

			f->vregs[word].phi = f->vregs[v].phi;
		}
	}
	mir_for_each_block(f, b) {
		split_phis(&s, &f->blocks[b]);
		mir_for_each(f, b, i)
			for (uint32_t k = 0; k < i->sass.nops; k++)
				if (split_ref(&s, &i->ref[k]))
					i->uses = NULL;
	}
	f->live = false;
}
