// SPDX-License-Identifier: MIT
/*
 * Bit sets, and the liveness solver against the definition of liveness: a unit is live at a point
 * from which a path leads to a use without passing a definition. Random graphs, searched per unit.
 */
#include "libsov/compiler/mir/liveness.h"
#include "tests/tap.h"

enum { BLOCKS = 12, UNITS = 150, CFGS = 2 };

struct graph {
	uint32_t succ[CFGS][BLOCKS][2], nsucc[CFGS][BLOCKS];
	uint64_t use[BLOCKS][BITSET_WORDS(UNITS)], def[BLOCKS][BITSET_WORDS(UNITS)];
	uint64_t edge_use[BLOCKS][BITSET_WORDS(UNITS)]; /* as phi arguments would be */
	uint64_t units[CFGS][BITSET_WORDS(UNITS)];
};

static uint32_t random_number(uint32_t below)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 32) % below;
}

static void randomise(struct graph *g, bool edge_uses)
{
	memset(g, 0, sizeof(*g));
	for (uint32_t b = 0; b < BLOCKS; b++) {
		for (uint32_t c = 0; c < CFGS; c++) {
			g->nsucc[c][b] = random_number(3);
			for (uint32_t k = 0; k < g->nsucc[c][b]; k++)
				g->succ[c][b][k] = random_number(BLOCKS);
		}
		for (uint32_t k = 0; k < UNITS; k++) {
			if (!random_number(8))
				bitset_add(g->use[b], k);
			if (!random_number(4))
				bitset_add(g->def[b], k);
			if (edge_uses && !random_number(20))
				bitset_add(g->edge_use[b], k);
		}
	}
	for (uint32_t k = 0; k < UNITS; k++)
		bitset_add(g->units[random_number(CFGS)], k);
}

static const uint32_t *successors_0(const void *func, uint32_t b, uint32_t *count)
{
	const struct graph *g = func;

	*count = g->nsucc[0][b];
	return g->succ[0][b];
}

static const uint32_t *successors_1(const void *func, uint32_t b, uint32_t *count)
{
	const struct graph *g = func;

	*count = g->nsucc[1][b];
	return g->succ[1][b];
}

static void add_edge_uses(const void *func, uint32_t b, uint64_t *live)
{
	const struct graph *g = func;

	bitset_unite(live, g->edge_use[b], BITSET_WORDS(UNITS));
}

static void transfer(const void *func, uint32_t b, uint64_t *live)
{
	const struct graph *g = func;

	for (uint32_t k = 0; k < UNITS; k++) {
		if (bitset_has(g->def[b], k))
			bitset_remove(live, k);
		if (bitset_has(g->use[b], k))
			bitset_add(live, k);
	}
}

/* Whether a unit is live at the start of b, by depth-first search. */
static bool is_live_in(const struct graph *g, uint32_t b, uint32_t unit, bool *seen)
{
	uint32_t c = bitset_has(g->units[1], unit);

	if (seen[b])
		return false;
	seen[b] = true;
	if (bitset_has(g->use[b], unit))
		return true;
	if (bitset_has(g->def[b], unit))
		return false;
	if (bitset_has(g->edge_use[b], unit))
		return true;
	for (uint32_t k = 0; k < g->nsucc[c][b]; k++)
		if (is_live_in(g, g->succ[c][b][k], unit, seen))
			return true;
	return false;
}

static bool is_live_out(const struct graph *g, uint32_t b, uint32_t unit)
{
	uint32_t c = bitset_has(g->units[1], unit);

	for (uint32_t k = 0; k < g->nsucc[c][b]; k++) {
		bool seen[BLOCKS] = {false};

		if (is_live_in(g, g->succ[c][b][k], unit, seen))
			return true;
	}
	return bitset_has(g->edge_use[b], unit);
}

/* Counts the sets in which the solver and the definition differ. */
static uint32_t count_differences(const struct graph *g, bool by_transfer, const uint32_t *order)
{
	struct liveness_block blocks[BLOCKS];
	struct arena a;
	struct liveness l = {.arena = &a,
			     .func = g,
			     .nblocks = BLOCKS,
			     .nunits = UNITS,
			     .order = order,
			     .count = BLOCKS,
			     .cfgs = {{successors_0, g->units[0]}, {successors_1, g->units[1]}},
			     .ncfgs = CFGS,
			     .blocks = blocks,
			     .add_edge_uses = add_edge_uses,
			     .transfer = by_transfer ? transfer : NULL};
	uint32_t wrong = 0;

	arena_init(&a, 0, NULL);
	for (uint32_t b = 0; b < BLOCKS; b++)
		blocks[b] = (struct liveness_block){bitset_new(&a, UNITS), bitset_new(&a, UNITS),
						    (uint64_t *)g->use[b], (uint64_t *)g->def[b]};
	liveness_solve(&l);
	for (uint32_t b = 0; b < BLOCKS; b++)
		for (uint32_t k = 0; k < UNITS; k++) {
			bool seen[BLOCKS] = {false};

			wrong += bitset_has(blocks[b].in, k) != is_live_in(g, b, k, seen);
			wrong += bitset_has(blocks[b].out, k) != is_live_out(g, b, k);
		}
	arena_free(&a);
	return wrong;
}

static void check_solver(bool by_transfer, bool edge_uses, const char *name)
{
	uint32_t forward[BLOCKS], backward[BLOCKS], wrong = 0, graphs = 400 / TAP_SLOWNESS;
	struct graph g;

	for (uint32_t b = 0; b < BLOCKS; b++) {
		forward[b] = b;
		backward[b] = BLOCKS - 1 - b;
	}
	for (uint32_t k = 0; k < graphs; k++) {
		randomise(&g, edge_uses);
		wrong += count_differences(&g, by_transfer, k % 2 ? forward : backward);
	}
	ok(!wrong, "liveness solver agrees with path search on %u random graphs (%s)", graphs,
	   name);
}

static void check_bitsets(void)
{
	uint64_t set[BITSET_WORDS(UNITS)] = {0}, other[BITSET_WORDS(UNITS)] = {0};
	static const uint32_t members[] = {0, 63, 64, 127, 149};
	uint32_t n = 0;
	bool good = true;

	for (uint32_t k = 0; k < 5; k++)
		bitset_add(set, members[k]);
	bitset_for_each(set, UNITS, k) good &= n < 5 && k == members[n++];
	ok(good && n == 5, "bitset_for_each() visits the members in ascending order");
	ok(bitset_next(other, UNITS, 0) == UNITS && bitset_next(set, UNITS, 150) == UNITS,
	   "bitset_next() of an empty set, or after the last member, is the set's size");
	ok(bitset_unite(other, set, BITSET_WORDS(UNITS)) &&
		   !bitset_unite(other, set, BITSET_WORDS(UNITS)) && bitset_has(other, 149),
	   "bitset_unite() reports a change only if it added members");
	bitset_remove(set, 64);
	ok(!bitset_has(set, 64) && bitset_has(set, 63) && bitset_next(set, UNITS, 64) == 127,
	   "bitset_remove() removes one member and no other");
}

int main(void)
{
	check_bitsets();
	check_solver(false, false, "use and definition sets");
	check_solver(true, false, "transfer function");
	check_solver(true, true, "transfer function and uses on edges");
	return tap_done();
}
