// SPDX-License-Identifier: MIT
/*
 * Reuse flags: a register that two instructions in a row read as the same operand is read from the
 * register file once. That saves a cycle where three operands would come from one bank of it. Only
 * within a block, from an instruction to the next: who jumps there comes with nothing kept. What is
 * kept and not taken stays, and is taken later by mistake.
 */
#include "libsov/compiler/nv/mir.h"

static bool overwrites(const struct mir_func *f, struct mir_inst *i, uint8_t reg)
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

void nv_reuse(struct mir_func *f)
{
	struct sass_reuse_slot now[SASS_REUSE_SLOTS], next[SASS_REUSE_SLOTS];

	mir_for_each_block(f, b)
		mir_for_each(f, b, i) {
			/* While another warp runs nothing is kept. */
			if (!i->next || i->sass.yield || i->sass.guard != SASS_PT ||
			    i->next->sass.guard != SASS_PT ||
			    !sass_reuse_hits(f->sm, &i->sass, &i->next->sass))
				continue;
			sass_reuse_slots(&i->sass, now);
			sass_reuse_slots(&i->next->sass, next);
			for (uint32_t k = 0; k < SASS_REUSE_SLOTS; k++) {
				if (now[k].reg != SASS_RZ && now[k].reg == next[k].reg &&
				    now[k].count == next[k].count && !overwrites(f, i, now[k].reg))
					i->sass.reuse |= (uint8_t)(1 << k);
			}
		}
}
