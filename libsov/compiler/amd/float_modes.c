// SPDX-License-Identifier: MIT
/*
 * Modes of arithmetic: how results are rounded and whether subnormal singles are flushed is the wave's
 * state. Every block begins and ends with round to nearest and nothing flushed; in between the mode changes
 * where the next instruction that cares wants another.
 */
#include "libsov/compiler/amd/mir.h"

static void set_mode(struct gcn_func *f, uint32_t b, struct gcn_inst *before, uint8_t from,
		     uint8_t to)
{
	struct gcn_inst *i;

	if ((from ^ to) & GCN_ROUND) { /* singles, and halves with doubles */
		i = gcn_inst_new(f, AMD_s_round_mode, AMD_PLAIN);
		i->in.field[AMD_F_IMM] = (to & GCN_ROUND) | (to & GCN_ROUND) << 2;
		gcn_insert(f, b, before, i);
	}
	if ((from ^ to) & (GCN_FLUSH | GCN_FLUSH_HALVES)) { /* sources and results */
		i = gcn_inst_new(f, AMD_s_denorm_mode, AMD_PLAIN);
		i->in.field[AMD_F_IMM] =
			(to & GCN_FLUSH ? 0 : 3) | (to & GCN_FLUSH_HALVES ? 0 : 0xc);
		gcn_insert(f, b, before, i);
	}
}

void gcn_modes(struct gcn_func *f)
{
	gcn_for_each_block(f, b) {
		struct gcn_inst *end = f->blocks[b].last;
		uint8_t now = 0;

		while (end && end->prev && end->prev->target)
			end = end->prev;
		gcn_for_each(f, b, i) {
			if (i->mode == GCN_MODE_ANY || i->mode == now)
				continue;
			set_mode(f, b, i, now, i->mode);
			now = i->mode;
		}
		if (now)
			set_mode(f, b, end && end->target ? end : NULL, now, 0);
	}
}
