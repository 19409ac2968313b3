// SPDX-License-Identifier: MIT
/*
 * Reuse flags: an operand register that two consecutive instructions read in the same operand slot
 * is read from the register file once. That saves a cycle where three operands share a register
 * bank. The factors of a product change places for it. Only within a block, from one instruction to
 * the next: a jump target starts with an empty reuse cache. A cached operand that the next
 * instruction does not consume would stay and be used later by mistake.
 *
 * Products of matrices have a cache of their own: what one keeps the next one takes, whatever
 * instructions of other pipes stand between, as long as none of them writes the register or yields.
 * ptxas sets the flag in all of these cases (8,953 of 8,964 pairs in its code of six programs with
 * mma.sync), with up to a barrier of the block in between.
 */
#include "libsov/compiler/nv/mir.h"

enum {
	/* Instructions between two products for whose common factor the warp does not yield. */
	MAX_DISTANCE = 16,
	/* Longer stalls need the yield bit. */
	MAX_STALL_WITHOUT_YIELD = 11,
};

static bool overwrites_reg(const struct mir_func *f, struct mir_inst *i,
			   struct sass_reuse_slot slot)
{
	uint32_t n;
	const struct mir_use *uses = mir_uses(f, i, &n);

	for (uint32_t u = 0; u < n; u++) {
		if (uses[u].write && uses[u].kind == SASS_GPR &&
		    slot.reg + slot.count > uses[u].reg && slot.reg < uses[u].reg + uses[u].count)
			return true;
	}
	return false;
}

/* A single register together with the other half of the pair that a wide product may read. */
static struct sass_reuse_slot with_neighbour(struct sass_reuse_slot slot)
{
	slot.count = slot.count < 2 ? 2 : slot.count;
	return slot;
}

/* The reuse cache does not survive a switch to another warp. */
static bool may_reuse(const struct mir_func *f, const struct mir_inst *i)
{
	return i->next && !i->sass.yield && i->sass.guard == SASS_PT &&
	       i->next->sass.guard == SASS_PT && sass_reuse_hits(f->sm, &i->sass, &i->next->sass);
}

/* A product of two plain registers. */
static bool is_product(const struct mir_inst *i)
{
	const struct sass_operand *a = &i->sass.ops[1], *b = &i->sass.ops[2];

	return (i->sass.op == SASS_FFMA || i->sass.op == SASS_FMUL) && a->kind == SASS_GPR &&
	       b->kind == SASS_GPR && !a->flags && !b->flags && !a->aux && !b->aux;
}

static void swap_factors(struct mir_inst *i)
{
	struct sass_operand op = i->sass.ops[1];
	struct mir_ref ref = i->ref[1];

	i->sass.ops[1] = i->sass.ops[2];
	i->sass.ops[2] = op;
	i->ref[1] = i->ref[2];
	i->ref[2] = ref;
	if (i->uses)
		mir_collect_uses(i, i->uses);
}

/* Puts a factor that the next product reads, too, into the same slot there. */
static void align_factors(const struct mir_func *f, struct mir_inst *i)
{
	const struct sass_operand *now = i->sass.ops, *next = i->next ? i->next->sass.ops : NULL;

	if (may_reuse(f, i) && is_product(i) && is_product(i->next) && now[1].reg != next[1].reg &&
	    now[2].reg != next[2].reg && (now[1].reg == next[2].reg || now[2].reg == next[1].reg))
		swap_factors(i->next);
}

static bool is_matrix_product(const struct mir_func *f, const struct mir_inst *i)
{
	return sass_pipe(f->sm, &i->sass) == SASS_PIPE_TENSOR && i->sass.guard == SASS_PT;
}

/* The next product of matrices that can take operands which product i keeps. */
static struct mir_inst *next_matrix_product(const struct mir_func *f, struct mir_inst *i)
{
	struct mir_inst *next = i;

	for (uint32_t distance = 0; distance <= MAX_DISTANCE; distance++) {
		if (next->sass.stall > MAX_STALL_WITHOUT_YIELD)
			return NULL;
		next = next->next;
		/* A callee may have products of its own. */
		if (!next || mir_is_call(next))
			return NULL;
		if (is_matrix_product(f, next))
			return sass_reuse_hits(f->sm, &i->sass, &next->sass) ? next : NULL;
	}
	return NULL;
}

static void share_factors(const struct mir_func *f, struct mir_inst *i)
{
	struct sass_reuse_slot now[SASS_REUSE_SLOTS], then[SASS_REUSE_SLOTS];
	struct mir_inst *next = is_matrix_product(f, i) ? next_matrix_product(f, i) : NULL;

	if (!next)
		return;
	sass_reuse_slots(&i->sass, now);
	sass_reuse_slots(&next->sass, then);
	for (uint32_t k = 0; k < SASS_REUSE_SLOTS; k++) {
		bool shared = now[k].reg != SASS_RZ && now[k].reg == then[k].reg &&
			      now[k].count == then[k].count;

		for (struct mir_inst *x = i; x != next && shared; x = x->next)
			shared = !overwrites_reg(f, x, now[k]);
		if (!shared)
			continue;
		i->sass.reuse |= (uint8_t)(1 << k);
		for (struct mir_inst *x = i; x != next; x = x->next)
			x->sass.yield = false;
	}
}

void nv_set_reuse_flags(struct mir_func *f)
{
	struct sass_reuse_slot now[SASS_REUSE_SLOTS], next[SASS_REUSE_SLOTS];

	mir_for_each_block(f, b)
		mir_for_each(f, b, i) {
			share_factors(f, i);
			align_factors(f, i);
			if (!may_reuse(f, i))
				continue;
			sass_reuse_slots(&i->sass, now);
			sass_reuse_slots(&i->next->sass, next);
			for (uint32_t k = 0; k < SASS_REUSE_SLOTS; k++) {
				if (now[k].reg != SASS_RZ && now[k].reg == next[k].reg &&
				    now[k].count == next[k].count &&
				    !overwrites_reg(f, i, with_neighbour(now[k])))
					i->sass.reuse |= (uint8_t)(1 << k);
			}
		}
}
