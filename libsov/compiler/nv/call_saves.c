// SPDX-License-Identifier: MIT
/*
 * What a function saves around its calls of device services. Such calls print, report failed
 * assertions and allocate memory: they take thousands of cycles, and mostly lie on paths that are
 * rarely executed. So the values that are live across them keep their registers, and the code
 * around the call alone pays for it (frame.c). Spilling them would make all their uses pay.
 *
 * Registers are assigned and no instruction passes a call, so liveness of the registers themselves
 * gives what each call has to save: those live after it that NVIDIA's calling convention does not
 * preserve, and R2, which takes the address of the callee.
 */
#include <string.h>
#include "libsov/compiler/mir/liveness.h"
#include "libsov/compiler/nv/mir.h"
#include "libsov/compiler/nv/module.h"

static bool is_kept(uint32_t reg)
{
	bool taken = reg == MIR_CALLEE || reg == MIR_CALLEE + 1;
	bool reserved = reg == MIR_STACK || reg == MIR_RETURN || reg == MIR_RETURN + 1;

	return reserved || (nv_abi_preserves(reg) && !taken);
}

static uint64_t *find_saves(const struct mir_func *f, const uint64_t *live)
{
	uint64_t *saved = NULL;

	for (uint32_t r = 0; r < MIR_FIRST_PRED + MIR_PREDS; r++) {
		if (!bitset_has(live, r) || r == SASS_RZ || (r < MIR_FIRST_PRED && is_kept(r)))
			continue;
		saved = saved ? saved : bitset_new(f->arena, MIR_RESOURCES);
		bitset_add(saved, r);
	}
	return saved;
}

void nv_find_call_saves(struct mir_func *f)
{
	struct liveness_block *blocks;
	uint64_t *live;

	if (!f->services)
		return;
	blocks = nv_live_registers(f);
	live = bitset_new(f->arena, MIR_RESOURCES);
	mir_for_each_block(f, b) {
		if (!blocks[b].out)
			continue;
		memcpy(live, blocks[b].out, bitset_words(MIR_RESOURCES) * sizeof(*live));
		nv_live_registers_at_end(live, &f->blocks[b]);
		for (struct mir_inst *i = f->blocks[b].last; i; i = i->prev) {
			if (i->service)
				i->saved = find_saves(f, live);
			nv_live_registers_before(live, i);
		}
	}
}
