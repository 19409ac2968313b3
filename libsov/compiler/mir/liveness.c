// SPDX-License-Identifier: MIT
/*
 * Iterative solver for liveness. A block is visited again only after the live-in set of one of its
 * successors has changed.
 */
#include <string.h>
#include "libsov/compiler/mir/liveness.h"

/* Predecessors of block b: block[first[b]] to block[first[b + 1] - 1], of all edge sets. */
struct predecessors {
	uint32_t *first, *block;
};

static struct predecessors liveness_list_predecessors(const struct liveness *l)
{
	struct predecessors p = {arena_array(l->arena, l->nblocks + 2, sizeof(*p.first)), NULL};
	uint32_t n, edges = 0;

	for (uint32_t c = 0; c < l->ncfgs; c++)
		for (uint32_t k = 0; k < l->count; k++) {
			const uint32_t *succ = l->cfgs[c].successors(l->func, l->order[k], &n);

			for (uint32_t s = 0; s < n; s++)
				p.first[succ[s] + 2]++;
			edges += n;
		}
	for (uint32_t b = 0; b < l->nblocks; b++)
		p.first[b + 2] += p.first[b + 1];
	p.block = arena_array(l->arena, edges + 1, sizeof(*p.block));
	for (uint32_t c = 0; c < l->ncfgs; c++)
		for (uint32_t k = 0; k < l->count; k++) {
			const uint32_t *succ = l->cfgs[c].successors(l->func, l->order[k], &n);

			for (uint32_t s = 0; s < n; s++)
				p.block[p.first[succ[s] + 1]++] = l->order[k];
		}
	return p;
}

static void liveness_compute_out(const struct liveness *l, uint32_t b, uint64_t *out)
{
	uint32_t words = bitset_words(l->nunits), n;

	memset(out, 0, words * sizeof(*out));
	for (uint32_t c = 0; c < l->ncfgs; c++) {
		const uint32_t *succ = l->cfgs[c].successors(l->func, b, &n);
		const uint64_t *units = l->cfgs[c].units;

		for (uint32_t s = 0; s < n; s++) {
			const uint64_t *in = l->blocks[succ[s]].in;

			for (uint32_t w = 0; w < words; w++)
				out[w] |= units ? in[w] & units[w] : in[w];
		}
	}
	if (l->add_edge_uses)
		l->add_edge_uses(l->func, b, out);
}

/* Returns whether the live-in set changed. */
static bool liveness_update_block(const struct liveness *l, uint32_t b, uint64_t *live)
{
	const struct liveness_block *block = &l->blocks[b];
	uint32_t words = bitset_words(l->nunits);

	liveness_compute_out(l, b, block->out);
	memcpy(live, block->out, words * sizeof(*live));
	if (l->transfer)
		l->transfer(l->func, b, live);
	for (uint32_t w = 0; !l->transfer && w < words; w++)
		live[w] = block->use[w] | (live[w] & ~block->def[w]);
	if (!memcmp(live, block->in, words * sizeof(*live)))
		return false;
	memcpy(block->in, live, words * sizeof(*live));
	return true;
}

void liveness_solve(const struct liveness *l)
{
	uint64_t *live = bitset_new(l->arena, l->nunits);
	/* By block: a successor's live-in set has changed. */
	bool *stale = arena_array(l->arena, l->nblocks, sizeof(*stale)), changed = true;
	struct predecessors preds = liveness_list_predecessors(l);

	for (uint32_t k = 0; k < l->count; k++)
		stale[l->order[k]] = true;
	while (changed) {
		changed = false;
		for (uint32_t k = l->count; k--;) {
			uint32_t b = l->order[k];

			if (!stale[b])
				continue;
			stale[b] = false;
			if (!liveness_update_block(l, b, live))
				continue;
			changed = true;
			for (uint32_t p = preds.first[b]; p < preds.first[b + 1]; p++)
				stale[preds.block[p]] = true;
		}
	}
}
