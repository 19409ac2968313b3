// SPDX-License-Identifier: MIT
/*
 * Floating-point modes. Rounding and denormal flushing are wave state (MODE). Every block starts
 * and ends with round-to-nearest and no flushing; within a block the mode changes before the first
 * instruction that needs another one.
 */
#include "libsov/compiler/amd/mir.h"

static void insert_mode_change(struct gcn_func *f, uint32_t b, struct gcn_inst *before,
			       uint8_t from, uint8_t to)
{
	struct gcn_inst *i;

	if ((from ^ to) & GCN_ROUND_MASK) { /* f32, and f16 with f64 */
		i = gcn_inst_new(f, AMD_s_round_mode, AMD_PLAIN);
		i->in.field[AMD_F_IMM] = (to & GCN_ROUND_MASK) | (to & GCN_ROUND_MASK) << 2;
		gcn_insert(f, b, before, i);
	}
	if ((from ^ to) & (GCN_FLUSH_F32 | GCN_FLUSH_F16_F64)) { /* sources and results */
		i = gcn_inst_new(f, AMD_s_denorm_mode, AMD_PLAIN);
		i->in.field[AMD_F_IMM] =
			(to & GCN_FLUSH_F32 ? 0 : 3) | (to & GCN_FLUSH_F16_F64 ? 0 : 0xc);
		gcn_insert(f, b, before, i);
	}
}

void gcn_insert_float_modes(struct gcn_func *f)
{
	gcn_for_each_block(f, b) {
		struct gcn_inst *end = f->blocks[b].last;
		uint8_t current = 0;

		while (end && end->prev && end->prev->target)
			end = end->prev;
		gcn_for_each(f, b, i) {
			if (i->mode == GCN_MODE_ANY || i->mode == current)
				continue;
			insert_mode_change(f, b, i, current, i->mode);
			current = i->mode;
		}
		if (current)
			insert_mode_change(f, b, end && end->target ? end : NULL, current, 0);
	}
}
