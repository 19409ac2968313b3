// SPDX-License-Identifier: MIT
/*
 * Verifier of products of a warp group, independent of the pass that places waits. From each
 * product it follows all paths, counts the groups that end, and reports an instruction that uses
 * the product's registers before a wait for its group.
 */
#include <string.h>
#include "libsov/compiler/nv/mir.h"

#define MAX_AGE 8 /* groups; more than a wait leaves in flight */

struct walk {
	const struct mir_func *f;
	struct mir_inst *product;
	bool *seen; /* by block and age */
	struct text *why;
};

static bool follow(struct walk *w, struct mir_inst *i, uint32_t b, uint32_t age);

static bool enter(struct walk *w, uint32_t b, uint32_t age)
{
	bool *seen = &w->seen[b * (MAX_AGE + 1) + age];

	if (*seen)
		return true;
	*seen = true;
	return follow(w, w->f->blocks[b].first, b, age);
}

static bool follow(struct walk *w, struct mir_inst *i, uint32_t b, uint32_t age)
{
	for (; i; i = i->next) {
		const struct sass_inst *in = &i->sass;

		if (in->op == SASS_WARPGROUP_DEPBAR && age > (uint32_t)in->ops[1].value)
			return true;
		if (nv_disturbs_product(w->f, w->product, i)) {
			text_printf(w->why,
				    "kernel %s: '%s' may be in flight when '%s' is executed",
				    w->f->name, mir_text_inst(w->f, w->product),
				    mir_text_inst(w->f, i));
			return false;
		}
		if (sass_is_group_product(in) &&
		    in->ops[in->nops - 1].value != NV_NO_GROUP_SCOREBOARD)
			age += age < MAX_AGE;
	}
	for (uint32_t s = 0; s < w->f->blocks[b].nsucc; s++)
		if (!enter(w, w->f->blocks[b].succ[s], age))
			return false;
	return true;
}

bool nv_check_products(const struct mir_func *f, struct text *why)
{
	size_t states = (size_t)f->nblocks * (MAX_AGE + 1);
	struct walk w = {.f = f, .why = why};

	w.seen = arena_array(f->arena, states, sizeof(*w.seen));
	mir_for_each_block(f, b)
		mir_for_each(f, b, i) {
			const struct sass_inst *in = &i->sass;

			if (!sass_is_group_product(in))
				continue;
			w.product = i;
			memset(w.seen, 0, states * sizeof(*w.seen));
			if (!follow(&w, i->next, b,
				    in->ops[in->nops - 1].value != NV_NO_GROUP_SCOREBOARD))
				return false;
		}
	return true;
}
