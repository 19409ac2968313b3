// SPDX-License-Identifier: MIT
/*
 * Reuse flags: a register that two instructions in a row read as the same operand is read from the
 * register file once. That saves a cycle where three operands would come from one bank of it. Only
 * within a block, from an instruction to the next: who jumps there comes with nothing kept.
 */
#include "libsov/compiler/nv/mir.h"

/* The registers by their bit in the flags; RZ: none. */
struct kept {
	uint8_t reg[3];
};

static struct kept operands(const struct sass_inst *in)
{
	struct kept k = {{SASS_RZ, SASS_RZ, SASS_RZ}};

	for (uint32_t o = 0; o < in->nops; o++) {
		uint8_t bit = sass_reuse(in, o);

		if (bit && bit <= 4)
			k.reg[bit >> 1] = in->ops[o].reg;
	}
	return k;
}

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
	mir_for_each_block(f, b)
		mir_for_each(f, b, i) {
			struct kept now, next;

			/* While another warp runs nothing is kept. */
			if (!i->next || i->sass.yield || i->sass.guard != SASS_PT ||
			    i->next->sass.guard != SASS_PT)
				continue;
			now = operands(&i->sass);
			next = operands(&i->next->sass);
			for (uint32_t k = 0; k < 3; k++) {
				if (now.reg[k] != SASS_RZ && now.reg[k] == next.reg[k] &&
				    !overwrites(f, i, now.reg[k]))
					i->sass.reuse |= (uint8_t)(1 << k);
			}
		}
}
