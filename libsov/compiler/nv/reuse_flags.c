// SPDX-License-Identifier: MIT
/*
 * Reuse flags: an operand register that two consecutive instructions read in the same operand slot
 * is read from the register file once. That saves a cycle where three operands share a register
 * bank. The factors of a product change places for it. Only within a block, from one instruction to
 * the next: a jump target starts with an empty reuse cache. A cached operand that the next
 * instruction does not consume would stay and be used later by mistake.
 */
#include "libsov/compiler/nv/mir.h"

static bool overwrites_reg(const struct mir_func *f, struct mir_inst *i, uint8_t reg)
{
	uint32_t n;
	const struct mir_use *uses = mir_uses(f, i, &n);

	for (uint32_t u = 0; u < n; u++) {
		if (uses[u].write && uses[u].kind == SASS_GPR && reg + 1u >= uses[u].reg &&
		    reg < uses[u].reg + uses[u].count)
			return true;
	}
	return false;
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

void nv_set_reuse_flags(struct mir_func *f)
{
	struct sass_reuse_slot now[SASS_REUSE_SLOTS], next[SASS_REUSE_SLOTS];

	mir_for_each_block(f, b)
		mir_for_each(f, b, i) {
			align_factors(f, i);
			if (!may_reuse(f, i))
				continue;
			sass_reuse_slots(&i->sass, now);
			sass_reuse_slots(&i->next->sass, next);
			for (uint32_t k = 0; k < SASS_REUSE_SLOTS; k++) {
				if (now[k].reg != SASS_RZ && now[k].reg == next[k].reg &&
				    now[k].count == next[k].count &&
				    !overwrites_reg(f, i, now[k].reg))
					i->sass.reuse |= (uint8_t)(1 << k);
			}
		}
}
