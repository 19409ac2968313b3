// SPDX-License-Identifier: MIT
/*
 * Dominators of blocks: Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm".
 */
#include "libsov/compiler/nv/mir.h"

static void number_dominators(const struct mir_func *f, struct nv_dominators *d,
			      const uint32_t *order, uint32_t count)
{
	uint32_t *size = arena_array(f->arena, f->nblocks, sizeof(*size));
	uint32_t *next = arena_array(f->arena, f->nblocks, sizeof(*next)); /* free number */

	d->enter = arena_array(f->arena, f->nblocks, sizeof(*d->enter));
	d->leave = arena_array(f->arena, f->nblocks, sizeof(*d->leave));
	for (uint32_t k = count; k-- > 1;) {
		size[order[k]]++;
		size[d->idom[order[k]]] += size[order[k]];
	}
	next[f->entry] = 1;
	d->leave[f->entry] = size[f->entry] + 1;
	for (uint32_t k = 1; k < count; k++) {
		uint32_t b = order[k], dom = d->idom[b];

		d->enter[b] = next[dom];
		d->leave[b] = next[dom] += size[b];
		next[b] = d->enter[b] + 1;
	}
}

struct nv_dominators nv_find_dominators(const struct mir_func *f)
{
	struct nv_dominators d;
	uint32_t count;
	uint32_t *order = mir_reverse_postorder(f, &count);
	uint32_t *index = arena_array(f->arena, f->nblocks, sizeof(*index)); /* in order */
	bool changed = true;

	d.idom = arena_array(f->arena, f->nblocks, sizeof(*d.idom));
	for (uint32_t k = 0; k < count; k++)
		index[order[k]] = k;
	d.idom[f->entry] = f->entry;
	while (changed) {
		changed = false;
		for (uint32_t k = 1; k < count; k++) {
			const struct mir_block *block = &f->blocks[order[k]];
			uint32_t dom = 0;

			/* Start with the last: of thousands of early exits in a row, neighbours
			 * have a common dominator nearby. */
			for (uint32_t p = block->npreds; p-- > 0;) {
				uint32_t a = block->preds[p], b = dom;

				if (!d.idom[a])
					continue;
				while (b && a != b) {
					if (index[a] > index[b])
						a = d.idom[a];
					else
						b = d.idom[b];
				}
				dom = a;
			}
			changed |= d.idom[order[k]] != dom;
			d.idom[order[k]] = dom;
		}
	}
	number_dominators(f, &d, order, count);
	return d;
}

bool nv_dominates(const struct nv_dominators *d, uint32_t a, uint32_t b)
{
	return d->enter[a] <= d->enter[b] && d->enter[b] < d->leave[a];
}
