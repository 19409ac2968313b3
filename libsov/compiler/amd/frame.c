// SPDX-License-Identifier: MIT
/*
 * Stack frames and LDS layout. Shared variables are laid out consecutively in LDS, the dynamically
 * sized one last; local variables lie in scratch.
 *
 * A kernel with scratch initialises FLAT_SCRATCH from the launch's base and the wave's offset. A
 * function's frame starts at its caller's stack pointer. The prologue saves callee-saved registers
 * and the epilogue restores them: VGPRs to the frame, SGPRs to lanes of a VGPR (a "bank").
 * v_writelane_b32 ignores EXEC, so a bank is saved for all lanes; if functions may end lanes, every
 * callee-saved VGPR is.
 */
#include "libsov/compiler/amd/mir.h"

#define HWREG_FLAT_SCRATCH 20 /* and 21; RDNA2 ISA manual, hardware registers */
#define HWREG_ALL_BITS     (31 << 11)
#define DYNAMIC_ALIGN      16
#define MAX_SCRATCH_OFFSET 2047 /* of a scratch instruction */

static uint32_t align_up(uint32_t at, uint32_t align)
{
	return align > 1 ? (at + align - 1) / align * align : at;
}

void gcn_enable_scratch(struct gcn_func *f)
{
	f->start.user |= AMD_FLAT_SCRATCH_INIT;
	f->start.scratch = true;
}

static bool layout_variable(struct gcn_func *f, uint32_t symbol)
{
	const struct ir_symbol *v = &f->ir->module->symbols[symbol];
	uint32_t *bytes = v->space == IR_SHARED ? &f->lds_bytes : &f->frame_bytes;
	uint32_t max = v->space == IR_SHARED ? f->job->target->max_shared_bytes : 1u << 20;
	uint32_t at = align_up(*bytes, v->align);

	if (v->size > max || at + v->size > max) {
		diag_error(&f->job->diag, 0, 0,
			   "%s '%s' needs %llu bytes of %s memory up to variable '%s'; there are "
			   "%u on %s",
			   f->ir->kind == IR_KERNEL ? "kernel" : "function", f->ir->name,
			   (unsigned long long)at + v->size, ir_space_names[v->space], v->name, max,
			   f->job->target->name);
		return false;
	}
	f->symbol_offset[symbol] = at;
	*bytes = at + (uint32_t)v->size;
	return true;
}

bool gcn_layout_variables(struct gcn_func *f)
{
	const struct ir_module *m = f->ir->module;
	bool *used = arena_array(f->arena, m->nsymbols + 1, sizeof(*used)), dynamic = false;
	/* LDS layout shared by the unit */
	bool common = f->has_calls || f->ir->kind == IR_FUNCTION;

	if (f->ir->kind == IR_FUNCTION)
		f->frame_bytes = gcn_stack_arg_bytes(f->ir);
	f->symbol_offset = arena_array(f->arena, m->nsymbols + 1, sizeof(*f->symbol_offset));
	ir_for_each_block(f->ir, b)
		ir_for_each_inst(f->ir, b, i) {
			if (ir_at(f->ir, i)->op == IR_ADDR)
				used[ir_at(f->ir, i)->symbol] = true;
			if (ir_at(f->ir, i)->op == IR_BARRIER_RED)
				f->lds_bytes = sizeof(uint32_t); /* counter_offset is 0 */
		}
	if (common && f->module->reduction_counter)
		f->lds_bytes = sizeof(uint32_t);
	for (uint32_t k = 0; k < m->nsymbols; k++) {
		const struct ir_symbol *symbol = &m->symbols[k];

		used[k] |= common && f->module->lds_symbols[k];
		dynamic |= used[k] && symbol->space == IR_SHARED && symbol->external;
		if (used[k] && !symbol->external &&
		    (symbol->space == IR_SHARED || symbol->space == IR_LOCAL) &&
		    !layout_variable(f, k))
			return false;
	}
	if (dynamic)
		f->lds_bytes = align_up(f->lds_bytes, DYNAMIC_ALIGN);
	for (uint32_t k = 0; k < m->nsymbols; k++)
		if (m->symbols[k].space == IR_SHARED && m->symbols[k].external)
			f->symbol_offset[k] = f->lds_bytes;
	if (f->frame_bytes || f->has_calls)
		gcn_enable_scratch(f);
	return true;
}

/* ---- prologue and epilogue, after register allocation ---- */

struct save_site {
	struct gcn_func *f;
	uint32_t b;
	struct gcn_inst *before;
	uint32_t at; /* frame offset of the next register */
	/* offset that the address register includes; 0: the stack pointer is the base */
	uint32_t base;
	bool store;
};

static struct gcn_inst *emit_scalar(struct save_site *site, enum amd_op op, struct gcn_src d,
				    struct gcn_src x, struct gcn_src y)
{
	struct gcn_inst *i = gcn_inst_new(site->f, op, AMD_PLAIN);

	gcn_set_operand(site->f, i, AMD_D, d);
	gcn_set_operand(site->f, i, AMD_S0, x);
	gcn_set_operand(site->f, i, AMD_S1, y);
	gcn_insert(site->f, site->b, site->before, i);
	return i;
}

static bool is_written(const struct gcn_func *f, enum gcn_class class, uint32_t reg)
{
	return bitset_has(f->written_regs[class], reg);
}

static bool is_bank(const struct gcn_func *f, uint32_t reg)
{
	for (uint32_t k = 0; k < f->nbanks; k++)
		if (f->vregs[f->banks[k]].reg == reg)
			return true;
	return false;
}

static bool is_saved_sgpr(const struct gcn_func *f, uint32_t sgpr)
{
	return sgpr == GCN_FRAME_POINTER
		       ? f->has_calls
		       : gcn_is_callee_saved(GCN_SCALAR, sgpr) && is_written(f, GCN_SCALAR, sgpr);
}

uint32_t gcn_count_saved_sgprs(const struct gcn_func *f)
{
	uint32_t n = 0;

	for (uint32_t r = 0; r < GCN_SGPRS; r++)
		n += is_saved_sgpr(f, r);
	return n;
}

/* Saves or restores one VGPR; the stack pointer equals the frame's start here. */
static void transfer_vgpr(struct save_site *site, uint32_t reg)
{
	struct gcn_func *f = site->f;
	struct gcn_inst *i = gcn_inst_new(
		f, site->store ? AMD_scratch_store_dword : AMD_scratch_load_dword, AMD_PLAIN);

	gcn_set_operand(f, i, AMD_S0, gcn_reg(AMD_VGPR));
	gcn_set_operand(f, i, AMD_S2, gcn_reg(site->base ? AMD_VCC + 1 : GCN_STACK_POINTER));
	gcn_set_operand(f, i, site->store ? AMD_S1 : AMD_D, gcn_reg((uint16_t)(AMD_VGPR + reg)));
	i->in.field[AMD_F_OFFSET] = (int32_t)(site->at - site->base);
	gcn_insert(f, site->b, site->before, i);
	site->at += 4;
}

/* Transfers the banks, or all other callee-saved VGPRs. */
static void transfer_vgprs(struct save_site *site, bool banks)
{
	for (uint32_t r = 0; r < GCN_VGPRS; r++)
		if (is_written(site->f, GCN_VECTOR, r) && is_bank(site->f, r) == banks &&
		    (banks || gcn_is_callee_saved(GCN_VECTOR, r)))
			transfer_vgpr(site, r);
}

/*
 * A lane that ended restores nothing, and the caller's register may be a bank: then transfer with
 * all lanes active.
 */
static void transfer_all_vgprs(struct save_site *site)
{
	struct gcn_src on = gcn_reg(AMD_VCC), exec = gcn_reg(AMD_EXEC);
	bool end = site->f->module->may_exit;

	if (site->f->nbanks || end) {
		emit_scalar(site, AMD_s_or_saveexec_b32, on, gcn_imm(UINT32_MAX), gcn_none());
		transfer_vgprs(site, true);
		if (end)
			transfer_vgprs(site, false);
		emit_scalar(site, AMD_s_mov_b32, exec, on, gcn_none());
	}
	if (!end)
		transfer_vgprs(site, false);
}

static void transfer_sgprs(struct save_site *site)
{
	struct gcn_func *f = site->f;
	uint32_t n = 0;

	for (uint32_t r = 0; r < GCN_SGPRS; r++) {
		struct gcn_src x = gcn_reg((uint16_t)r), bank;

		if (!is_saved_sgpr(f, r))
			continue;
		bank = gcn_reg((uint16_t)(AMD_VGPR + f->vregs[f->banks[n / GCN_BANK_LANES]].reg));
		emit_scalar(site, site->store ? AMD_v_writelane_b32 : AMD_v_readlane_b32,
			    site->store ? bank : x, site->store ? x : bank,
			    gcn_imm(n % GCN_BANK_LANES));
		n++;
	}
}

/* Uses an address register if the save area is beyond the offset range. */
static struct save_site begin_save_site(struct gcn_func *f, uint32_t b, struct gcn_inst *before,
					uint32_t at, bool store)
{
	struct save_site site = {.f = f, .b = b, .before = before, .at = at, .store = store};

	if (at + 4 * GCN_VGPRS > MAX_SCRATCH_OFFSET) {
		site.base = at;
		emit_scalar(&site, AMD_s_add_u32, gcn_reg(AMD_VCC + 1), gcn_reg(GCN_STACK_POINTER),
			    gcn_imm(at));
	}
	return site;
}

static uint32_t frame_end(const struct gcn_func *f)
{
	return align_up(f->frame_bytes, f->module->stack_align);
}

static void insert_function_prologue(struct gcn_func *f)
{
	uint32_t at = align_up(f->frame_bytes, 4);
	struct save_site site = begin_save_site(f, f->first, f->blocks[f->first].first, at, true);

	transfer_all_vgprs(&site);
	transfer_sgprs(&site);
	f->frame_bytes = site.at;
	if (!f->has_calls)
		return;
	emit_scalar(&site, AMD_s_mov_b32, gcn_reg(GCN_FRAME_POINTER), gcn_reg(GCN_STACK_POINTER),
		    gcn_none());
	emit_scalar(&site, AMD_s_add_u32, gcn_reg(GCN_STACK_POINTER), gcn_reg(GCN_STACK_POINTER),
		    gcn_imm(frame_end(f)));
}

static void insert_function_epilogue(struct gcn_func *f, uint32_t at)
{
	struct save_site site = {.f = f, .b = f->last, .before = f->blocks[f->last].last};

	if (f->has_calls)
		emit_scalar(&site, AMD_s_mov_b32, gcn_reg(GCN_STACK_POINTER),
			    gcn_reg(GCN_FRAME_POINTER), gcn_none());
	site = begin_save_site(f, site.b, site.before, at, false);
	/* Read the lanes of a bank before the bank itself is restored. */
	transfer_sgprs(&site);
	transfer_all_vgprs(&site);
}

/* Runs first, while the input SGPRs still hold their initial values. */
static void insert_kernel_prologue(struct gcn_func *f)
{
	struct gcn_inst *first = f->blocks[f->first].first;
	struct save_site site = {.f = f, .b = f->first, .before = first};
	uint16_t base, offset;

	if (!f->start.scratch)
		return;
	base = (uint16_t)amd_user_sgpr(&f->start, AMD_FLAT_SCRATCH_INIT);
	offset = (uint16_t)amd_scratch_sgpr(&f->start);
	for (uint16_t k = 0; k < 2; k++)
		emit_scalar(&site, k ? AMD_s_addc_u32 : AMD_s_add_u32, gcn_reg(base + k),
			    gcn_reg(base + k), k ? gcn_imm(0) : gcn_reg(offset));
	for (uint16_t k = 0; k < 2; k++)
		emit_scalar(&site, AMD_s_setreg_b32, gcn_reg(base + k), gcn_none(), gcn_none())
			->in.field[AMD_F_IMM] = (int32_t)(HWREG_FLAT_SCRATCH + k) | HWREG_ALL_BITS;
	if (f->sgprs < offset + 1u)
		f->sgprs = offset + 1;
	if (f->has_calls)
		emit_scalar(&site, AMD_s_mov_b32, gcn_reg(GCN_STACK_POINTER), gcn_imm(frame_end(f)),
			    gcn_none());
}

void gcn_insert_prologue(struct gcn_func *f)
{
	uint32_t at = align_up(f->frame_bytes, 4);

	if (f->ir->kind == IR_KERNEL) {
		insert_kernel_prologue(f);
	} else {
		insert_function_prologue(f);
		insert_function_epilogue(f, at);
	}
	f->frame_bytes = f->has_calls ? frame_end(f) : f->frame_bytes;
}
