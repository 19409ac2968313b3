// SPDX-License-Identifier: MIT
/*
 * Wait counter insertion (s_waitcnt). Memory operations complete asynchronously and decrement a
 * counter: vmcnt for vector loads, lgkmcnt for LDS, scalar and flat accesses, vscnt for stores.
 * Loads return in order, so it suffices to wait until only later ones are outstanding, and a vector
 * load may overwrite a register that an older one still writes; scalar loads return out of order,
 * so while one is outstanding only a wait for zero is safe. Flat accesses use two counters, in
 * order on both (LLVM, GCNSubtarget.h: hasFlatLgkmVMemCountInOrder, hasVmemWriteVgprInOrder).
 * Forward dataflow along the linear CFG tracks outstanding operations, so loads stay in flight
 * across blocks and loop iterations. (RDNA2 ISA manual, "Data Dependency Resolution"; LLVM's
 * AMDGPU guide.)
 *
 * gfx1030 has none of the register hazards that LLVM's list of gfx10 bugs gives for gfx1010 (scalar
 * writes after vector or scalar memory, LDS and branches).
 */
#include <string.h>
#include "libsov/compiler/amd/mir.h"

enum { VM = AMD_VMCNT, LGKM = AMD_LGKMCNT, VS = AMD_VSCNT, COUNTERS = AMD_COUNTERS };
#define REGISTERS (128 + GCN_VGPRS)
/*
 * Largest count; in a wait it means "do not wait". On gfx10 vmcnt has four low and two high bits,
 * and lgkmcnt and vscnt have six bits (LLVM, AMDGPUBaseInfo.cpp: getVmcntBitWidthLo and -Hi,
 * getLgkmcntBitWidth, getVscntBitWidth).
 */
#define MAX_COUNT 63

/* Outstanding operations at a program point. */
struct wait_state {
	/* VM, LGKM: operations issued since, this one included; 0: none outstanding */
	uint8_t age[2][REGISTERS];
	uint8_t outstanding[COUNTERS];
	uint8_t unordered; /* a scalar load may be outstanding */
	uint8_t known;     /* the block has been reached */
};

static uint32_t register_index(uint32_t reg)
{
	return reg >= AMD_VGPR ? 128 + reg - AMD_VGPR : reg < 128 ? reg : REGISTERS;
}

/* At most `left` operations are outstanding now. */
static void apply_wait(struct wait_state *s, uint32_t counter, uint32_t left)
{
	if (counter == LGKM && left && s->unordered)
		return;
	for (uint32_t r = 0; counter != VS && r < REGISTERS; r++)
		if (s->age[counter][r] > left)
			s->age[counter][r] = 0;
	if (!left)
		s->outstanding[counter] = 0;
	if (!left && counter == LGKM)
		s->unordered = 0;
}

static void apply_waitcnt(struct wait_state *s, const struct amd_inst *in)
{
	uint32_t imm = (uint32_t)in->field[AMD_F_IMM];

	if (in->row->op == AMD_s_waitcnt) {
		apply_wait(s, VM, (imm & 15) | (imm >> 14 & 3) << 4);
		apply_wait(s, LGKM, imm >> 8 & 63);
	} else if (in->row->op == AMD_s_waitcnt_vscnt) {
		apply_wait(s, VS, imm);
	}
}

/* A call or return. No loads are outstanding across it; stores may be. */
static bool leaves_function(const struct amd_inst *in)
{
	return in->row->op == AMD_s_swappc_b64 || in->row->op == AMD_s_setpc_b64;
}

/* Whether a vector load writes a register that only older vector loads write. */
static bool overwrites_in_order(const struct wait_state *s, const struct amd_inst *in,
				const struct amd_use *use, uint32_t r)
{
	return use->write && amd_wait_counters(in) == 1 << VM && !s->age[LGKM][r];
}

/* The counts that the instruction has to wait for; MAX_COUNT + 1: none. */
static void required_waits(const struct wait_state *s, const struct amd_inst *in,
			   uint32_t need[COUNTERS])
{
	struct amd_use uses[AMD_MAX_USES];
	uint32_t n = amd_uses(in, uses);

	need[VM] = need[LGKM] = need[VS] = MAX_COUNT + 1;
	for (uint32_t u = 0; u < n; u++)
		for (uint32_t k = 0; k < uses[u].count; k++) {
			uint32_t r = register_index(uses[u].reg + k);

			if (r >= REGISTERS || overwrites_in_order(s, in, &uses[u], r))
				continue;
			for (uint32_t c = VM; c <= LGKM; c++)
				if (s->age[c][r] && s->age[c][r] - 1u < need[c])
					need[c] = s->age[c][r] - 1u;
		}
	/*
	 * An older operation than the counter can express needs the highest count that still waits
	 * (llc 19 does the same).
	 */
	for (uint32_t c = VM; c <= LGKM; c++)
		if (need[c] == MAX_COUNT)
			need[c] = MAX_COUNT - 1;
	if (need[LGKM] <= MAX_COUNT && s->unordered)
		need[LGKM] = 0;
	/* Other waves see accesses before a barrier only once they have completed. */
	if (in->row->op == AMD_s_barrier || leaves_function(in))
		for (uint32_t c = 0; c < COUNTERS; c++)
			if (s->outstanding[c] && (c != VS || !leaves_function(in)))
				need[c] = 0;
}

static void issue_instruction(struct wait_state *s, const struct amd_inst *in)
{
	uint32_t counters = amd_wait_counters(in), n;
	struct amd_use uses[AMD_MAX_USES];

	if (in->row->flags & WAIT)
		apply_waitcnt(s, in);
	if (leaves_function(in))
		s->outstanding[VS] = 1;
	if (!counters)
		return;
	for (uint32_t c = 0; c < COUNTERS; c++) {
		if (!(counters >> c & 1))
			continue;
		s->outstanding[c] = 1;
		for (uint32_t r = 0; c != VS && r < REGISTERS; r++)
			if (s->age[c][r] && s->age[c][r] <= MAX_COUNT)
				s->age[c][r]++;
	}
	if (in->row->format == AMD_SMEM)
		s->unordered = 1;
	n = amd_uses(in, uses);
	for (uint32_t u = 0; u < n; u++)
		for (uint32_t k = 0; uses[u].write && k < uses[u].count; k++) {
			uint32_t r = register_index(uses[u].reg + k);

			for (uint32_t c = VM; c <= LGKM && r < REGISTERS; c++)
				s->age[c][r] = counters >> c & 1;
		}
}

static void insert_waitcnts(struct gcn_func *f, uint32_t b, struct gcn_inst *before,
			    const uint32_t need[COUNTERS])
{
	struct gcn_inst *i;

	if (need[VM] <= MAX_COUNT || need[LGKM] <= MAX_COUNT) {
		uint32_t vm = need[VM] < MAX_COUNT ? need[VM] : MAX_COUNT,
			 lgkm = need[LGKM] < MAX_COUNT ? need[LGKM] : MAX_COUNT;

		i = gcn_inst_new(f, AMD_s_waitcnt, AMD_PLAIN);
		i->in.field[AMD_F_IMM] =
			(int32_t)((vm & 15) | 7u << 4 | lgkm << 8 | (vm >> 4) << 14);
		i->line = before->line;
		gcn_insert(f, b, before, i);
	}
	if (need[VS] <= MAX_COUNT) {
		i = gcn_inst_new(f, AMD_s_waitcnt_vscnt, AMD_PLAIN);
		gcn_set_operand(f, i, AMD_D, gcn_reg(AMD_NULL));
		i->in.field[AMD_F_IMM] = (int32_t)need[VS];
		gcn_insert(f, b, before, i);
	}
}

static void process_block(struct gcn_func *f, uint32_t b, struct wait_state *s, bool write)
{
	gcn_for_each_safe(f, b, i) {
		uint32_t need[COUNTERS];

		required_waits(s, &i->in, need);
		for (uint32_t c = 0; f->job->options.serial && c < COUNTERS; c++)
			if (s->outstanding[c])
				need[c] = 0;
		if (write)
			insert_waitcnts(f, b, i, need);
		for (uint32_t c = 0; c < COUNTERS; c++)
			if (need[c] <= MAX_COUNT)
				apply_wait(s, c, need[c]);
		issue_instruction(s, &i->in);
	}
}

static bool merge_state(struct wait_state *to, const struct wait_state *from)
{
	struct wait_state old = *to;

	for (uint32_t c = VM; c <= LGKM; c++)
		for (uint32_t r = 0; r < REGISTERS; r++)
			if (from->age[c][r] && (!to->age[c][r] || from->age[c][r] < to->age[c][r]))
				to->age[c][r] = from->age[c][r];
	for (uint32_t c = 0; c < COUNTERS; c++)
		to->outstanding[c] |= from->outstanding[c];
	to->unordered |= from->unordered;
	to->known = 1;
	return memcmp(&old, to, sizeof(old));
}

void gcn_insert_waits(struct gcn_func *f)
{
	struct wait_state *in = arena_array(f->arena, f->nblocks, sizeof(*in)), s;
	bool changed = true;

	in[f->first].known = 1;
	in[f->first].outstanding[VS] = f->ir->kind == IR_FUNCTION;
	while (changed) {
		changed = false;
		gcn_for_each_block(f, b) {
			if (!in[b].known)
				continue;
			s = in[b];
			process_block(f, b, &s, false);
			for (uint32_t k = 0; k < f->blocks[b].nlinear_succ; k++)
				changed |= merge_state(&in[f->blocks[b].linear_succ[k]], &s);
		}
	}
	gcn_for_each_block(f, b) {
		s = in[b];
		process_block(f, b, &s, true);
	}
}
