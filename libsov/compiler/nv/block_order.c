// SPDX-License-Identifier: MIT
/*
 * Order of blocks: that of the program, except for two kinds of blocks that would make the usual
 * path jump.
 *
 * Blocks that run only if two floating-point numbers are equal, or if one is infinite or a NaN, and
 * calls of slow paths come last: the former are special cases of functions such as pow. So do loops
 * that wait at a barrier in memory after a first test (early_tests.c).
 *
 * The program may have blocks of a loop before its header, so that the last of them continues with
 * the header. Where it does not, the blocks follow the one that leads to them.
 */
#include "libsov/compiler/nv/mir.h"

#define POSITIVE_INFINITY 0x7f800000u
/* Comparisons that are combined to one condition. */
#define MAX_COMBINED      4

enum tendency { UNKNOWN, MOSTLY_TRUE, MOSTLY_FALSE };

struct order {
	struct mir_func *f;
	uint32_t *rank; /* by block, from 1: position in reverse postorder; 0 = not reachable */
	bool *rare;     /* by block */
	bool *placed;   /* by block */
	uint32_t last;  /* block that was placed last */
	uint32_t *deferred, ndeferred;
};

/* Of a comparison without the predicate that it is combined with. */
static enum tendency comparison_tendency(const struct sass_inst *in)
{
	bool infinite = in->op == SASS_FSETP && in->ops[3].kind == SASS_IMM &&
			(uint32_t)in->ops[3].value == POSITIVE_INFINITY;

	switch (in->mod[SASS_M_CMP]) {
	case SASS_CMP_EQ:
	case SASS_CMP_EQU:
	case SASS_CMP_NAN:
		return MOSTLY_FALSE;
	case SASS_CMP_NE:
	case SASS_CMP_NEU:
	case SASS_CMP_NUM:
		return MOSTLY_TRUE;
	case SASS_CMP_GTU:
	case SASS_CMP_GE:
	case SASS_CMP_GEU:
		return infinite ? MOSTLY_FALSE : UNKNOWN;
	case SASS_CMP_LE:
	case SASS_CMP_LT:
	case SASS_CMP_LTU:
		return infinite ? MOSTLY_TRUE : UNKNOWN;
	default:
		return UNKNOWN;
	}
}

static enum tendency condition_tendency(const struct mir_func *f, struct sass_operand op,
					struct mir_ref ref, uint32_t combined);

static enum tendency definition_tendency(const struct mir_func *f, const struct mir_inst *i,
					 uint32_t combined)
{
	enum tendency own = comparison_tendency(&i->sass), decisive, other;

	/* One false operand of AND decides, one true operand of OR. */
	decisive = i->sass.mod[SASS_M_BOOL] == SASS_AND ? MOSTLY_FALSE : MOSTLY_TRUE;
	if (own == decisive || i->sass.mod[SASS_M_BOOL] == SASS_XOR)
		return i->sass.mod[SASS_M_BOOL] == SASS_XOR ? UNKNOWN : own;
	other = condition_tendency(f, i->sass.ops[4], i->ref[4], combined);
	return other == decisive || other == own ? other : UNKNOWN;
}

static enum tendency condition_tendency(const struct mir_func *f, struct sass_operand op,
					struct mir_ref ref, uint32_t combined)
{
	const struct mir_inst *i = ref.vreg ? f->vregs[ref.vreg].first_def : NULL;
	enum tendency t = MOSTLY_TRUE; /* PT */

	if (ref.vreg && (!i || !combined || i->ref[0].vreg != ref.vreg))
		return UNKNOWN;
	if (i && (i->sass.op == SASS_FSETP || i->sass.op == SASS_DSETP))
		t = definition_tendency(f, i, combined - 1);
	else if (i && (i->sass.op != SASS_SYNCS_PHASECHK || !i->sass.mod[SASS_M_TRYWAIT]))
		return UNKNOWN;
	if (t == UNKNOWN || !(op.flags & SASS_NEG))
		return t;
	return t == MOSTLY_TRUE ? MOSTLY_FALSE : MOSTLY_TRUE;
}

static bool is_rare_edge(const struct order *o, uint32_t from, uint32_t to)
{
	const struct mir_block *block = &o->f->blocks[from];
	enum tendency t;

	if (block->end != MIR_END_BRANCH || block->succ[0] == block->succ[1])
		return false;
	t = condition_tendency(o->f, block->cond.op, block->cond.ref, MAX_COMBINED);
	return t == (to == block->succ[0] ? MOSTLY_FALSE : MOSTLY_TRUE);
}

/* Slow paths of arithmetic are functions that preserve all registers. */
static bool calls_slow_path(const struct mir_func *f, uint32_t b)
{
	mir_for_each(f, b, i)
		if (i->preserve_all)
			return true;
	return false;
}

/* All edges to the block are rare, except those from the loop of which it is the header. */
static bool is_rare(const struct order *o, uint32_t b)
{
	const struct mir_block *block = &o->f->blocks[b];

	if (b != o->f->entry && calls_slow_path(o->f, b))
		return true;
	for (uint32_t k = 0; k < block->npreds; k++) {
		uint32_t from = block->preds[k];

		if (o->rank[from] < o->rank[b] && !o->rare[from] && !is_rare_edge(o, from, b))
			return false;
	}
	return b != o->f->entry;
}

/* Whether a block that leads to it is placed, or will not be before it. */
static bool is_ready(const struct order *o, uint32_t b)
{
	const struct mir_block *block = &o->f->blocks[b];
	bool waits = false;

	for (uint32_t k = 0; k < block->npreds; k++) {
		uint32_t from = block->preds[k];

		if (o->placed[from])
			return true;
		waits |= o->rank[from] < o->rank[b] && o->rare[from] == o->rare[b];
	}
	return !waits;
}

static void append(struct order *o, uint32_t b)
{
	o->f->blocks[o->last].next = b;
	o->f->blocks[b].previous = o->last;
	o->placed[b] = true;
	o->last = b;
}

static void place_deferred(struct order *o)
{
	for (uint32_t k = 0; k < o->ndeferred;) {
		uint32_t b = o->deferred[k];

		if (!is_ready(o, b)) {
			k++;
			continue;
		}
		append(o, b);
		for (o->ndeferred--; k < o->ndeferred; k++)
			o->deferred[k] = o->deferred[k + 1];
		k = 0;
	}
}

static bool has_successor(const struct mir_block *block, uint32_t to)
{
	for (uint32_t k = 0; k < block->nsucc; k++)
		if (block->succ[k] == to)
			return true;
	return false;
}

/* The number of blocks from k on that wait for a later one, without the last of them leading to
 * the block that follows. */
static uint32_t count_early(const struct order *o, const uint32_t *blocks, uint32_t k,
			    uint32_t count)
{
	uint32_t end = k;

	while (end < count && !is_ready(o, blocks[end]))
		end++;
	if (end == k || end == count || has_successor(&o->f->blocks[blocks[end - 1]], blocks[end]))
		return 0;
	return end - k;
}

static void place_all(struct order *o, const uint32_t *blocks, uint32_t count)
{
	for (uint32_t k = 0; k < count;) {
		uint32_t early = count_early(o, blocks, k, count);

		for (uint32_t e = 0; e < early; e++)
			o->deferred[o->ndeferred++] = blocks[k++];
		if (early)
			continue;
		append(o, blocks[k++]);
		place_deferred(o);
	}
	for (uint32_t k = 0; k < o->ndeferred; k++)
		append(o, o->deferred[k]);
	o->ndeferred = 0;
}

/* Slots of a jump table have fixed positions. */
static bool has_jump_table(const struct mir_func *f)
{
	mir_for_each_block(f, b)
		if (f->blocks[b].table_slot || f->blocks[b].end == MIR_END_JUMP_TABLE)
			return true;
	return false;
}

void nv_order_blocks(struct mir_func *f)
{
	struct order o = {.f = f};
	uint32_t count, *postorder, n[2] = {0}, *lists[2];

	if (has_jump_table(f))
		return;
	postorder = mir_reverse_postorder(f, &count);
	o.rank = arena_array(f->arena, f->nblocks, sizeof(*o.rank));
	o.rare = arena_array(f->arena, f->nblocks, sizeof(*o.rare));
	o.placed = arena_array(f->arena, f->nblocks, sizeof(*o.placed));
	o.deferred = arena_array(f->arena, f->nblocks, sizeof(*o.deferred));
	for (uint32_t k = 0; k < 2; k++)
		lists[k] = arena_array(f->arena, f->nblocks, sizeof(**lists));
	for (uint32_t k = 0; k < count; k++)
		o.rank[postorder[k]] = k + 1;
	for (uint32_t k = 0; k < count; k++)
		o.rare[postorder[k]] = is_rare(&o, postorder[k]);
	mir_for_each_block(f, b)
		lists[o.rare[b]][n[o.rare[b]]++] = b;
	place_all(&o, lists[false], n[false]);
	place_all(&o, lists[true], n[true]);
	f->blocks[o.last].next = 0;
	f->blocks[0].previous = o.last;
}
