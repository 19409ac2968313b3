// SPDX-License-Identifier: MIT
/*
 * Describes AMD's MIR to the verifier of the register assignment (mir/check_registers.h), once for
 * VGPRs along the logical CFG and once for SGPRs, with the lanes that hold spilled ones, along the
 * linear CFG. A VGPR write leaves the values of inactive lanes alone: a lane sees only the writes
 * of the blocks on its own, logical path. Lanes of banks are written regardless of EXEC. The wave
 * reads the lane targets of lanes that wait, so their VGPR is checked along the linear CFG.
 *
 * The calling convention fixes the registers of implicit operands, so they are taken from there and
 * not from the allocator.
 */
#include "libsov/compiler/amd/mir.h"
#include "libsov/compiler/mir/check_registers.h"

/* Register numbers of the scalar check; those of the vector check are VGPR numbers. */
#define FIRST_LANE  GCN_SGPRS
#define LANE_TARGET (FIRST_LANE + GCN_LANES)
#define SCALAR_REGS (LANE_TARGET + 1)

struct access_list {
	const struct gcn_func *f;
	bool vector;
	struct regcheck_access *out;
	uint32_t n;
};

static const uint32_t *linear_successors(const void *func, uint32_t b, uint32_t *count)
{
	const struct gcn_func *f = func;

	*count = f->blocks[b].nlinear_succ;
	return f->blocks[b].linear_succ;
}

static const uint32_t *logical_successors(const void *func, uint32_t b, uint32_t *count)
{
	const struct gcn_func *f = func;

	*count = f->blocks[b].nsucc;
	return f->blocks[b].succ;
}

static const void *next_inst(const void *func, uint32_t b, const void *i)
{
	const struct gcn_func *f = func;

	return i ? ((const struct gcn_inst *)i)->next : f->blocks[b].first;
}

static void add_clobber(struct access_list *l, uint32_t reg, uint32_t count)
{
	l->out[l->n++] =
		(struct regcheck_access){.kind = REGCHECK_CLOBBER, .reg = reg, .count = count};
}

/* Number of the bank that a VGPR is; GCN_MAX_BANKS: none. */
static uint32_t bank_of(const struct gcn_func *f, uint32_t vgpr)
{
	for (uint32_t k = 0; k < f->nbanks; k++)
		if (f->vregs[f->banks[k]].reg == vgpr)
			return k;
	return GCN_MAX_BANKS;
}

/* The stack and the frame pointer are reserved where there is a stack. */
static bool is_reserved(const struct gcn_func *f, uint32_t sgpr, uint32_t count)
{
	return (f->has_calls || f->ir->kind == IR_FUNCTION) && sgpr <= GCN_FRAME_POINTER &&
	       sgpr + count > GCN_STACK_POINTER;
}

static enum regcheck_fault scalar_fault(const struct gcn_func *f, uint32_t reg, uint32_t count)
{
	if (reg + count > f->sgprs || is_reserved(f, reg, count))
		return REGCHECK_NO_REGISTER;
	return reg % (count > 2 ? 4 : count) ? REGCHECK_MISALIGNED : REGCHECK_SOUND;
}

static enum regcheck_fault vector_fault(const struct gcn_func *f, uint32_t reg, uint32_t count)
{
	return reg < AMD_VGPR || reg + count > AMD_VGPR + f->vgprs ? REGCHECK_NO_REGISTER
								   : REGCHECK_SOUND;
}

static bool is_lane_target(const struct gcn_func *f, uint32_t vgpr)
{
	return f->lane_target && f->vregs[f->lane_target].reg == vgpr;
}

static void add_lane_target(struct access_list *l, const struct gcn_use *use, uint32_t reg,
			    uint32_t operand)
{
	const struct gcn_func *f = l->f;

	if (l->vector)
		return;
	l->out[l->n++] = (struct regcheck_access){
		.kind = use->write ? REGCHECK_WRITE : REGCHECK_READ,
		.fault = reg < AMD_VGPR || !is_lane_target(f, reg - AMD_VGPR) ? REGCHECK_NO_REGISTER
									      : REGCHECK_SOUND,
		.reg = LANE_TARGET,
		.unit = gcn_unit(f, use->ref),
		.count = 1,
		.operand = operand};
}

/* An access of a virtual register in the register with an operand number of the ISA. */
static void add_access(struct access_list *l, const struct gcn_use *use, uint32_t reg,
		       uint32_t operand, bool alias)
{
	const struct gcn_func *f = l->f;

	if (use->ref.vreg == f->lane_target) {
		add_lane_target(l, use, reg, operand);
		return;
	}
	if ((f->vregs[use->ref.vreg].class == GCN_VECTOR) != l->vector)
		return;
	l->out[l->n++] =
		(struct regcheck_access){.kind = !use->write ? REGCHECK_READ
						 : alias     ? REGCHECK_ALIAS
							     : REGCHECK_WRITE,
					 .fault = l->vector ? vector_fault(f, reg, use->count)
							    : scalar_fault(f, reg, use->count),
					 .reg = l->vector ? reg - AMD_VGPR : reg,
					 .unit = gcn_unit(f, use->ref),
					 .count = use->count,
					 .operand = operand};
}

/* A spilled SGPR word in the lane that v_readlane_b32 or v_writelane_b32 accesses. */
static void add_lane(struct access_list *l, const struct gcn_inst *i)
{
	const struct gcn_use *use = &i->implicit[0];
	uint32_t bank = bank_of(l->f, i->in.reg[use->write ? AMD_D : AMD_S0] - AMD_VGPR),
		 lane = bank * GCN_BANK_LANES + i->in.reg[AMD_S1] - AMD_INT_0;

	if (l->vector)
		return;
	l->out[l->n++] = (struct regcheck_access){
		.kind = use->write ? REGCHECK_WRITE : REGCHECK_READ,
		.fault = bank == GCN_MAX_BANKS || lane < l->f->nsaved_sgprs ? REGCHECK_NO_REGISTER
									    : REGCHECK_SOUND,
		.reg = FIRST_LANE + lane,
		.unit = gcn_unit(l->f, use->ref),
		.count = 1,
		.operand = AMD_SLOTS};
}

static bool accesses_lane(const struct gcn_func *f, const struct gcn_inst *i)
{
	return i->nimplicit && f->vregs[i->implicit[0].ref.vreg].class == GCN_LANE;
}

/* Registers that an instruction writes by name, and banks that it overwrites. */
static void add_clobbers(struct access_list *l, const struct gcn_inst *i, const struct amd_use *use)
{
	bool named = use->slot >= AMD_SLOTS || !i->ref[use->slot].vreg;

	if (use->reg >= AMD_VGPR && l->vector && named)
		add_clobber(l, use->reg - AMD_VGPR, use->count);
	if (use->reg < GCN_SGPRS && !l->vector && named)
		add_clobber(l, use->reg, use->count);
	for (uint32_t k = 0; use->reg >= AMD_VGPR && !l->vector && k < use->count; k++) {
		uint32_t bank = bank_of(l->f, use->reg + k - AMD_VGPR);

		if (is_lane_target(l->f, use->reg + k - AMD_VGPR))
			add_clobber(l, LANE_TARGET, 1);
		if (bank < GCN_MAX_BANKS && !accesses_lane(l->f, i))
			add_clobber(l, FIRST_LANE + bank * GCN_BANK_LANES, GCN_BANK_LANES);
	}
}

/* A call clobbers all registers that are not callee-saved. */
static void add_call_clobbers(struct access_list *l)
{
	enum gcn_class class = l->vector ? GCN_VECTOR : GCN_SCALAR;
	uint32_t limit = l->vector ? GCN_VGPRS : GCN_SGPRS;

	for (uint32_t r = 0, end; r < limit; r = end) {
		bool saved = gcn_is_callee_saved(class, r);

		for (end = r; end < limit && gcn_is_callee_saved(class, end) == saved;)
			end++;
		if (!saved)
			add_clobber(l, r, end - r);
	}
	for (uint32_t k = 0; !l->vector && k < l->f->nbanks; k++)
		if (!gcn_is_callee_saved(GCN_VECTOR, l->f->vregs[l->f->banks[k]].reg))
			add_clobber(l, FIRST_LANE + k * GCN_BANK_LANES, GCN_BANK_LANES);
	if (!l->vector && l->f->lane_target &&
	    !gcn_is_callee_saved(GCN_VECTOR, l->f->vregs[l->f->lane_target].reg))
		add_clobber(l, LANE_TARGET, 1);
}

/* The operand number of the register that the calling convention requires. */
static uint32_t abi_register(const struct gcn_func *f, struct gcn_ref ref)
{
	const struct gcn_vreg *v = &f->vregs[ref.vreg];

	return (v->class == GCN_VECTOR ? AMD_VGPR : 0) + (uint32_t)v->fixed + ref.part;
}

static uint32_t list_accesses(const struct gcn_func *f, const struct gcn_inst *i, bool vector,
			      struct regcheck_access *out)
{
	struct access_list l = {.f = f, .vector = vector, .out = out};
	struct amd_use uses[AMD_MAX_USES];
	uint32_t n;

	if (!i)
		return 0;
	n = amd_uses(&i->in, uses);
	for (uint32_t u = 0; u < n; u++) {
		const struct amd_use *use = &uses[u];

		if (use->write)
			add_clobbers(&l, i, use);
		if (use->slot < AMD_SLOTS && i->ref[use->slot].vreg)
			add_access(&l, &(struct gcn_use){i->ref[use->slot], use->count, use->write},
				   use->reg, use->slot, gcn_is_identity_copy(i));
	}
	if (accesses_lane(f, i)) {
		add_lane(&l, i);
		return l.n;
	}
	for (uint32_t k = 0; k < i->nimplicit; k++) {
		const struct gcn_use *use = &i->implicit[k];

		add_access(&l, use, abi_register(f, use->ref), AMD_SLOTS + k, false);
	}
	if (i->call)
		add_call_clobbers(&l);
	return l.n;
}

static uint32_t list_vector_accesses(const void *func, uint32_t b, const void *i,
				     struct regcheck_access *out)
{
	(void)b;
	return list_accesses(func, i, true, out);
}

static uint32_t list_scalar_accesses(const void *func, uint32_t b, const void *i,
				     struct regcheck_access *out)
{
	(void)b;
	return list_accesses(func, i, false, out);
}

/* Inputs are in the registers that the ABI says; banks belong to the function from its start. */
static uint32_t list_inputs(const struct gcn_func *f, bool vector, struct regcheck_access *out)
{
	struct access_list l = {.f = f, .vector = vector, .out = out};

	for (uint32_t k = 0; k < GCN_INPUTS; k++) {
		const struct gcn_vreg *v = &f->vregs[f->input[k]];

		if (f->input[k] && v->live_at_entry)
			add_access(&l, &(struct gcn_use){{f->input[k], 0}, v->words, true},
				   abi_register(f, (struct gcn_ref){f->input[k], 0}), 0, false);
	}
	for (uint32_t k = 0; k < f->nbanks; k++)
		add_access(&l, &(struct gcn_use){{f->banks[k], 0}, 1, true},
			   AMD_VGPR + f->vregs[f->banks[k]].reg, 0, false);
	return l.n;
}

static uint32_t list_vector_inputs(const void *func, struct regcheck_access *out)
{
	return list_inputs(func, true, out);
}

static uint32_t list_scalar_inputs(const void *func, struct regcheck_access *out)
{
	return list_inputs(func, false, out);
}

static void report(const void *func, uint32_t b, const void *inst, const struct regcheck_access *a,
		   enum regcheck_fault fault, struct text *why)
{
	const struct gcn_func *f = func;
	uint32_t vreg = f->unit_vreg[a->unit];
	const struct gcn_vreg *v = &f->vregs[vreg];
	bool lane = v->class == GCN_LANE;

	if (!lane && fault == REGCHECK_NO_REGISTER) {
		text_printf(why, "%s %s, b%u: '%s': word %u of %%%u: %s",
			    f->ir->kind == IR_KERNEL ? "kernel" : "function", f->ir->name, b,
			    gcn_print_inst(f, inst), a->unit - v->first_unit, vreg,
			    regcheck_texts[fault]);
		return;
	}
	text_printf(why, "%s %s, b%u: '%s': %s%u should hold word %u of %%%u: %s",
		    f->ir->kind == IR_KERNEL ? "kernel" : "function", f->ir->name, b,
		    gcn_print_inst(f, inst),
		    lane                     ? "lane "
		    : v->class == GCN_VECTOR ? "v"
					     : "s",
		    lane ? a->reg - FIRST_LANE : a->reg, a->unit - v->first_unit, vreg,
		    regcheck_texts[fault]);
}

bool gcn_check_registers(const struct gcn_func *f, struct text *why)
{
	uint32_t *order = arena_array(f->arena, f->nblocks, sizeof(*order));
	struct regcheck vector = {.arena = f->arena,
				  .func = f,
				  .nblocks = f->nblocks,
				  .entry = f->ir->entry,
				  .nregs = GCN_VGPRS,
				  .nunits = f->nunits,
				  .order = order,
				  .successors = logical_successors,
				  .next_inst = next_inst,
				  .list_accesses = list_vector_accesses,
				  .list_inputs = list_vector_inputs,
				  .report = report};
	struct regcheck scalar = vector;

	gcn_for_each_block(f, b)
		order[vector.count++] = b;
	scalar.count = vector.count;
	scalar.entry = f->first;
	scalar.nregs = SCALAR_REGS;
	scalar.successors = linear_successors;
	scalar.list_accesses = list_scalar_accesses;
	scalar.list_inputs = list_scalar_inputs;
	return regcheck_run(&vector, why) && regcheck_run(&scalar, why);
}
