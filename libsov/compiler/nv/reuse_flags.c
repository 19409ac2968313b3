// SPDX-License-Identifier: MIT
/*
 * Reuse flags: an operand register that two consecutive instructions read in the same operand slot
 * is read from the register file once. That saves a cycle where three operands share a register
 * bank. Only within a block, from one instruction to the next: a jump target starts with an empty
 * reuse cache. A cached operand that the next instruction does not consume would stay and be used
 * later by mistake.
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

void nv_set_reuse_flags(struct mir_func *f)
{
	struct sass_reuse_slot now[SASS_REUSE_SLOTS], next[SASS_REUSE_SLOTS];

	mir_for_each_block(f, b)
		mir_for_each(f, b, i) {
			/* The reuse cache does not survive a switch to another warp. */
			if (!i->next || i->sass.yield || i->sass.guard != SASS_PT ||
			    i->next->sass.guard != SASS_PT ||
			    !sass_reuse_hits(f->sm, &i->sass, &i->next->sass))
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
