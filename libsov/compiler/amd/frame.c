// SPDX-License-Identifier: MIT
/*
 * Where a function's own variables lie: those in shared memory one after the other in LDS, that of dynamic
 * size behind them, and local ones in scratch. A kernel with scratch tells the wave at its start where that
 * is: the launch's base plus the wave's offset go to FLAT_SCRATCH.
 *
 * A function's frame begins where its caller's ends. At its start a function puts away registers that are its
 * caller's, and at its end it brings them back: vector registers to the frame, scalar ones to lanes of a vector
 * register. Lanes are written whether they are on or not, so such a register goes to the frame with all lanes, and
 * all do where lanes may end in functions.
 */
#include "libsov/compiler/amd/mir.h"

#define HWREG_FLAT_SCRATCH 20 /* and 21; RDNA2 ISA manual, hardware registers */
#define WHOLE              (31 << 11)
#define DYNAMIC_ALIGN      16
#define MOST_OFFSET        2047 /* that a scratch instruction can say */

static uint32_t align_up(uint32_t at, uint32_t align)
{
	return align > 1 ? (at + align - 1) / align * align : at;
}

void gcn_need_scratch(struct gcn_func *f)
{
	f->start.user |= AMD_FLAT_SCRATCH_INIT;
	f->start.scratch = true;
}

static bool place(struct gcn_func *f, uint32_t symbol)
{
	const struct ir_symbol *v = &f->ir->module->symbols[symbol];
	uint32_t *bytes = v->space == IR_SHARED ? &f->lds_bytes : &f->frame_bytes;
	uint32_t most = v->space == IR_SHARED ? f->job->target->max_shared_bytes : 1u << 20;
	uint32_t at = align_up(*bytes, v->align);

	if (v->size > most || at + v->size > most) {
		diag_error(&f->job->diag, 0, 0,
			   "%s '%s' needs %llu bytes of %s memory up to variable '%s'; there are "
			   "%u on %s",
			   f->ir->kind == IR_KERNEL ? "kernel" : "function", f->ir->name,
			   (unsigned long long)at + v->size, ir_space_names[v->space], v->name,
			   most, f->job->target->name);
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
	bool common = f->calls || f->ir->kind == IR_FUNCTION; /* in LDS, with others of the unit */

	if (f->ir->kind == IR_FUNCTION)
		f->frame_bytes = gcn_passing_bytes(f->ir);
	f->symbol_offset = arena_array(f->arena, m->nsymbols + 1, sizeof(*f->symbol_offset));
	ir_for_each_block(f->ir, b)
		ir_for_each_inst(f->ir, b, i) {
			if (ir_at(f->ir, i)->op == IR_ADDR)
				used[ir_at(f->ir, i)->symbol] = true;
			if (ir_at(f->ir, i)->op == IR_BARRIER_RED)
				f->lds_bytes = sizeof(uint32_t); /* counter_at is 0 */
		}
	if (common && f->unit->counter)
		f->lds_bytes = sizeof(uint32_t);
	for (uint32_t k = 0; k < m->nsymbols; k++) {
		const struct ir_symbol *v = &m->symbols[k];

		used[k] |= common && f->unit->shared[k];
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
	if (f->frame_bytes || f->calls)
		gcn_need_scratch(f);
	return true;
}

/* ---- after registers are assigned ---- */

struct edge {
	struct gcn_func *f;
	uint32_t b;
	struct gcn_inst *before;
	uint32_t at;   /* in the frame: of the next register */
	uint32_t base; /* … what the register for addresses says */
	bool store;
};

static struct gcn_inst *scalar(struct edge *e, enum amd_op op, struct gcn_src d, struct gcn_src x,
			       struct gcn_src y)
{
	struct gcn_inst *i = gcn_inst_new(e->f, op, AMD_PLAIN);

	gcn_set(e->f, i, AMD_D, d);
	gcn_set(e->f, i, AMD_S0, x);
	gcn_set(e->f, i, AMD_S1, y);
	gcn_insert(e->f, e->b, e->before, i);
	return i;
}

static bool is_used(const struct gcn_func *f, enum gcn_class class, uint32_t reg)
{
	return gcn_has(f->used[class], reg);
}

static bool is_bank(const struct gcn_func *f, uint32_t reg)
{
	for (uint32_t v = 1; v < f->nvregs; v++)
		if (f->vregs[v].everywhere && f->vregs[v].assigned && f->vregs[v].reg == reg)
			return true;
	return false;
}

static bool is_saved(const struct gcn_func *f, uint32_t sgpr)
{
	return sgpr == GCN_FRAME
		       ? f->calls
		       : gcn_outlives_calls(GCN_SCALAR, sgpr) && is_used(f, GCN_SCALAR, sgpr);
}

uint32_t gcn_scalars_to_save(const struct gcn_func *f)
{
	uint32_t n = 0;

	for (uint32_t r = 0; r < GCN_SGPRS; r++)
		n += is_saved(f, r);
	return n;
}

/* To or from the frame; the stack's register still, or again, says where it begins. */
static void move_vector(struct edge *e, uint32_t reg)
{
	struct gcn_func *f = e->f;
	struct gcn_inst *i = gcn_inst_new(
		f, e->store ? AMD_scratch_store_dword : AMD_scratch_load_dword, AMD_PLAIN);

	gcn_set(f, i, AMD_S0, gcn_reg(AMD_VGPR));
	gcn_set(f, i, AMD_S2, gcn_reg(e->base ? AMD_VCC + 1 : GCN_STACK));
	gcn_set(f, i, e->store ? AMD_S1 : AMD_D, gcn_reg((uint16_t)(AMD_VGPR + reg)));
	i->in.field[AMD_F_OFFSET] = (int32_t)(e->at - e->base);
	gcn_insert(f, e->b, e->before, i);
	e->at += 4;
}

/* Those that hold lanes, or all others of the caller's. */
static void move_vectors(struct edge *e, bool banks)
{
	for (uint32_t r = 0; r < GCN_VGPRS; r++)
		if (is_used(e->f, GCN_VECTOR, r) && is_bank(e->f, r) == banks &&
		    (banks || gcn_outlives_calls(GCN_VECTOR, r)))
			move_vector(e, r);
}

/* Lanes that have ended bring nothing back, and the caller's register may be a bank. */
static void move_all(struct edge *e)
{
	struct gcn_src on = gcn_reg(AMD_VCC), exec = gcn_reg(AMD_EXEC);
	bool end = e->f->unit->exits;

	if (e->f->nbanks || end) {
		scalar(e, AMD_s_or_saveexec_b32, on, gcn_imm(UINT32_MAX), gcn_none());
		move_vectors(e, true);
		if (end)
			move_vectors(e, false);
		scalar(e, AMD_s_mov_b32, exec, on, gcn_none());
	}
	if (!end)
		move_vectors(e, false);
}

static void move_scalars(struct edge *e)
{
	struct gcn_func *f = e->f;
	uint32_t n = 0;

	for (uint32_t r = 0; r < GCN_SGPRS; r++) {
		struct gcn_src x = gcn_reg((uint16_t)r), bank;

		if (!is_saved(f, r))
			continue;
		bank = gcn_reg((uint16_t)(AMD_VGPR + f->vregs[f->banks[n / GCN_BANK_LANES]].reg));
		scalar(e, e->store ? AMD_v_writelane_b32 : AMD_v_readlane_b32, e->store ? bank : x,
		       e->store ? x : bank, gcn_imm(n % GCN_BANK_LANES));
		n++;
	}
}

/* Where registers lie in the frame; far away, another register says it. */
static struct edge begin_edge(struct gcn_func *f, uint32_t b, struct gcn_inst *before, uint32_t at,
			      bool store)
{
	struct edge e = {.f = f, .b = b, .before = before, .at = at, .store = store};

	if (at + 4 * GCN_VGPRS > MOST_OFFSET) {
		e.base = at;
		scalar(&e, AMD_s_add_u32, gcn_reg(AMD_VCC + 1), gcn_reg(GCN_STACK), gcn_imm(at));
	}
	return e;
}

static uint32_t frame_end(const struct gcn_func *f)
{
	return align_up(f->frame_bytes, f->unit->stack_align);
}

static void enter_function(struct gcn_func *f)
{
	uint32_t at = align_up(f->frame_bytes, 4);
	struct edge e = begin_edge(f, f->first, f->blocks[f->first].first, at, true);

	move_all(&e);
	move_scalars(&e);
	f->frame_bytes = e.at;
	if (!f->calls)
		return;
	scalar(&e, AMD_s_mov_b32, gcn_reg(GCN_FRAME), gcn_reg(GCN_STACK), gcn_none());
	scalar(&e, AMD_s_add_u32, gcn_reg(GCN_STACK), gcn_reg(GCN_STACK), gcn_imm(frame_end(f)));
}

static void leave_function(struct gcn_func *f, uint32_t at)
{
	struct edge e = {.f = f, .b = f->last, .before = f->blocks[f->last].last};

	if (f->calls)
		scalar(&e, AMD_s_mov_b32, gcn_reg(GCN_STACK), gcn_reg(GCN_FRAME), gcn_none());
	e = begin_edge(f, e.b, e.before, at, false);
	/* Lanes are read before the register that has them is another again. */
	move_scalars(&e);
	move_all(&e);
}

/* Before all else: these still hold what they came with. */
static void enter_kernel(struct gcn_func *f)
{
	struct gcn_inst *first = f->blocks[f->first].first;
	struct edge e = {.f = f, .b = f->first, .before = first};
	uint16_t base, offset;

	if (!f->start.scratch)
		return;
	base = (uint16_t)amd_user_sgpr(&f->start, AMD_FLAT_SCRATCH_INIT);
	offset = (uint16_t)amd_scratch_sgpr(&f->start);
	for (uint16_t k = 0; k < 2; k++)
		scalar(&e, k ? AMD_s_addc_u32 : AMD_s_add_u32, gcn_reg(base + k), gcn_reg(base + k),
		       k ? gcn_imm(0) : gcn_reg(offset));
	for (uint16_t k = 0; k < 2; k++)
		scalar(&e, AMD_s_setreg_b32, gcn_reg(base + k), gcn_none(), gcn_none())
			->in.field[AMD_F_IMM] = (int32_t)(HWREG_FLAT_SCRATCH + k) | WHOLE;
	if (f->sgprs < offset + 1u)
		f->sgprs = offset + 1;
	if (f->calls)
		scalar(&e, AMD_s_mov_b32, gcn_reg(GCN_STACK), gcn_imm(frame_end(f)), gcn_none());
}

void gcn_prologue(struct gcn_func *f)
{
	uint32_t at = align_up(f->frame_bytes, 4);

	if (f->ir->kind == IR_KERNEL) {
		enter_kernel(f);
	} else {
		enter_function(f);
		leave_function(f, at);
	}
	f->frame_bytes = f->calls ? frame_end(f) : f->frame_bytes;
}
