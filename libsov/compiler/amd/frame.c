// SPDX-License-Identifier: MIT
/*
 * Where a function's own variables lie: those in shared memory one after the other in LDS, that of dynamic
 * size behind them, and local ones in scratch. A kernel with scratch tells the wave at its start where that
 * is: the launch's base plus the wave's offset go to FLAT_SCRATCH.
 */
#include "libsov/compiler/amd/mir.h"

#define HWREG_FLAT_SCRATCH 20 /* and 21; RDNA2 ISA manual, hardware registers */
#define WHOLE              (31 << 11)
#define DYNAMIC_ALIGN      16

static uint32_t align_up(uint32_t at, uint32_t align)
{
	return align > 1 ? (at + align - 1) / align * align : at;
}

static bool place(struct gcn_func *f, uint32_t symbol)
{
	const struct ir_symbol *v = &f->ir->module->symbols[symbol];
	uint32_t *bytes = v->space == IR_SHARED ? &f->lds_bytes : &f->frame_bytes;
	uint32_t most = v->space == IR_SHARED ? f->job->target->max_shared_bytes : 1u << 20;
	uint32_t at = align_up(*bytes, v->align);

	if (v->size > most || at + v->size > most) {
		diag_error(&f->job->diag, 0, 0, "variable '%s' of %llu bytes does not fit: there are %u bytes of %s",
			   v->name, (unsigned long long)v->size, most, ir_space_names[v->space]);
		return false;
	}
	f->symbol_offset[symbol] = at;
	*bytes = at + (uint32_t)v->size;
	return true;
}

bool gcn_place_variables(struct gcn_func *f)
{
	const struct ir_module *m = f->ir->module;
	bool *used = arena_array(f->arena, m->nsymbols + 1, sizeof(*used)), dynamic = false;

	f->symbol_offset = arena_array(f->arena, m->nsymbols + 1, sizeof(*f->symbol_offset));
	f->counter_at = f->lds_bytes = f->barrier_bytes;
	ir_for_each_block(f->ir, b)
		ir_for_each_inst(f->ir, b, i) {
			if (ir_at(f->ir, i)->op == IR_ADDR)
				used[ir_at(f->ir, i)->symbol] = true;
			if (ir_at(f->ir, i)->op == IR_BARRIER_RED)
				f->lds_bytes = f->counter_at + (uint32_t)sizeof(uint32_t);
		}
	for (uint32_t k = 0; k < m->nsymbols; k++) {
		const struct ir_symbol *v = &m->symbols[k];

		dynamic |= used[k] && v->space == IR_SHARED && v->external;
		if (used[k] && !v->external && (v->space == IR_SHARED || v->space == IR_LOCAL) &&
		    !place(f, k))
			return false;
	}
	if (dynamic)
		f->lds_bytes = align_up(f->lds_bytes, DYNAMIC_ALIGN);
	for (uint32_t k = 0; k < m->nsymbols; k++)
		if (m->symbols[k].space == IR_SHARED && m->symbols[k].external)
			f->symbol_offset[k] = f->lds_bytes;
	if (f->frame_bytes) {
		f->start.user |= AMD_FLAT_SCRATCH_INIT;
		f->start.scratch = true;
	}
	return true;
}

/* After registers are assigned, before all else: these still hold what they came with. */
void gcn_prologue(struct gcn_func *f)
{
	struct gcn_inst *first = f->blocks[f->first].first;
	uint16_t base, offset;

	if (!f->start.scratch)
		return;
	base = (uint16_t)amd_user_sgpr(&f->start, AMD_FLAT_SCRATCH_INIT);
	offset = (uint16_t)amd_scratch_sgpr(&f->start);
	for (uint32_t k = 0; k < 2; k++) {
		struct gcn_inst *i = gcn_inst_new(f, k ? AMD_s_addc_u32 : AMD_s_add_u32, AMD_PLAIN);

		gcn_set(f, i, AMD_D, gcn_reg((uint16_t)(base + k)));
		gcn_set(f, i, AMD_S0, gcn_reg((uint16_t)(base + k)));
		gcn_set(f, i, AMD_S1, k ? gcn_imm(0) : gcn_reg(offset));
		gcn_insert(f, f->first, first, i);
	}
	for (uint32_t k = 0; k < 2; k++) {
		struct gcn_inst *i = gcn_inst_new(f, AMD_s_setreg_b32, AMD_PLAIN);

		gcn_set(f, i, AMD_D, gcn_reg((uint16_t)(base + k)));
		i->in.field[AMD_F_IMM] = (int32_t)(HWREG_FLAT_SCRATCH + k) | WHOLE;
		gcn_insert(f, f->first, first, i);
	}
	if (f->sgprs < offset + 1u)
		f->sgprs = offset + 1;
}
