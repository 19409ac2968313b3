// SPDX-License-Identifier: MIT
/*
 * Hazard mode. Memory instructions return their results later, and only a wait counter tells when:
 * vmcnt for vector loads, lgkmcnt for LDS, scalar and flat accesses, vscnt for stores. The model
 * writes results immediately, but marks a register as pending until a wait covers it; an earlier
 * use is an error that names both instructions. Vector loads return in order, so waiting for all
 * but n covers the older ones, and a load may overwrite a register that an older one still fills;
 * LDS and flat accesses return in order, too, while no scalar load is in flight, which does not
 * (LLVM, GCNSubtarget.h: hasVmemWriteVgprInOrder, hasFlatLgkmVMemCountInOrder). A barrier requires
 * all counters to be zero, as LLVM does on this chip. So does a cache invalidate for loads and
 * atomics, which is how a wave acquires: a load in flight could refill the cache with stale data.
 * L1 must be invalidated before L0, which would otherwise refill from it (LLVM's AMDGPU guide,
 * "Memory Model GFX10"; llc 19).
 *
 * Of hazards without a counter, gfx1030 has one that compute code can encounter: s_denorm_mode too
 * soon after a vector memory atomic on floats (LLVM, GCNHazardRecognizer.cpp, for all of gfx10).
 * The gfx10 bugs in LLVM (AMDGPU.td: VcmpxPermlane, VMEMtoScalarWrite, SMEMtoVectorWrite,
 * InstFwdPrefetch, VcmpxExecWAR, LdsBranchVmemWAR, NSAtoVMEM, NSAClause, Offset3f,
 * FlatSegmentOffset, NegativeUnalignedScratchOffset) affect gfx101x only, data dependencies need no
 * wait states on any gfx10, and Mesa's ACO mitigates nothing on gfx10.3 (aco_insert_NOPs.cpp).
 * docs/amd.md has the table.
 */
#include <stdio.h>
#include <stdlib.h>

#include "model/amd/wave.h"

enum { VM = AMD_VMCNT, LGKM = AMD_LGKMCNT, VS = AMD_VSCNT, COUNTERS = AMD_COUNTERS };
static const char *const names[COUNTERS] = {"vmcnt", "lgkmcnt", "vscnt"};

struct pending {
	/* sequence number of the operation that writes the register, 0: none */
	uint64_t number[COUNTERS];
	uint64_t pc;
};

struct hazard {
	uint64_t issued[COUNTERS], done[COUNTERS];
	uint64_t unordered;      /* last scalar load */
	uint64_t atomic;         /* last atomic of vscnt */
	uint64_t l1_invalidated; /* pc of an L1 invalidate until L0 is invalidated; 0: none */
	uint64_t float_atomic;   /* pc of the last float atomic … */
	uint32_t states;         /* … and wait states left until the mode may change */
	struct pending scalar[128], vector[256];
};

struct hazard *amd_hazard_create(void)
{
	return calloc(1, sizeof(struct hazard));
}

void amd_hazard_reset(struct hazard *h)
{
	*h = (struct hazard){0};
}

/* A counter's maximum means that the instruction does not wait for it. */
#define NO_WAIT 63

static void wait_for(struct wave *w, uint32_t counter, uint32_t left)
{
	struct hazard *h = w->hazard;
	uint64_t done = h->issued[counter] > left ? h->issued[counter] - left : 0;
	struct amd_probe *probe = w->grid->probe;

	if (left >= NO_WAIT)
		return;
	if (probe && probe->pc == w->pc && done > h->done[counter])
		probe->waited[counter] = true;
	if (counter == LGKM && left && h->unordered > h->done[LGKM])
		return;
	if (done > h->done[counter]) {
		h->done[counter] = done;
		amd_release_waited(w, counter, done);
	}
}

uint64_t amd_hazard_issued(const struct wave *w, uint32_t counter)
{
	return w->hazard->issued[counter];
}

static void apply_waits(struct wave *w, const struct amd_inst *in)
{
	uint32_t imm = (uint32_t)in->field[AMD_F_IMM];

	switch (in->row->op) {
	case AMD_s_waitcnt:
		wait_for(w, VM, (imm & 15) | (imm >> 14 & 3) << 4);
		wait_for(w, LGKM, imm >> 8 & 63);
		break;
	case AMD_s_waitcnt_vmcnt:
		wait_for(w, VM, imm);
		break;
	case AMD_s_waitcnt_lgkmcnt:
		wait_for(w, LGKM, imm);
		break;
	case AMD_s_waitcnt_vscnt:
		wait_for(w, VS, imm);
		break;
	case AMD_s_wait_idle:
		wait_for(w, VM, 0);
		wait_for(w, LGKM, 0);
		wait_for(w, VS, 0);
		break;
	default:
		break;
	}
}

static struct pending *register_of(struct hazard *h, uint32_t reg)
{
	if (reg >= AMD_VGPR)
		return &h->vector[reg - AMD_VGPR];
	return reg < 128 ? &h->scalar[reg] : NULL;
}

/* Whether the instruction only overwrites what an older load writes, which returns before it. */
static bool overwrites_in_order(const struct hazard *h, const struct amd_inst *in, bool write,
				const struct pending *p)
{
	return write && amd_wait_counters(in) == 1 << VM && p->number[LGKM] <= h->done[LGKM];
}

static bool is_ready(struct wave *w, const struct op *op, uint32_t reg, bool write)
{
	struct hazard *h = w->hazard;
	struct pending *p = register_of(h, reg);
	char text[128];

	if (p && overwrites_in_order(h, &op->in, write, p))
		return true;
	for (uint32_t c = 0; p && c < COUNTERS; c++)
		if (p->number[c] > h->done[c]) {
			amd_print(&op->in, text, sizeof(text));
			amd_wave_fault(
				w, LANES, MODEL_FAULT_HAZARD, 0,
				"%s uses %c%u, which the instruction at 0x%llx loads, before %s "
				"was waited for",
				text, reg >= AMD_VGPR ? 'v' : 's',
				reg >= AMD_VGPR ? reg - AMD_VGPR : reg, (unsigned long long)p->pc,
				names[c]);
			return false;
		}
	return true;
}

/* Other waves see stores before a barrier only if the wave waited for them. */
static bool barrier_is_safe(struct wave *w)
{
	struct hazard *h = w->hazard;

	for (uint32_t c = 0; c < COUNTERS; c++)
		if (h->issued[c] > h->done[c]) {
			amd_wave_fault(w, LANES, MODEL_FAULT_HAZARD, 0,
				       "s_barrier while %llu operations are in flight: %s was not "
				       "waited for",
				       (unsigned long long)(h->issued[c] - h->done[c]), names[c]);
			return false;
		}
	return true;
}

static bool loads_in_flight(struct wave *w, const struct op *op, uint32_t counter, uint64_t last)
{
	char text[128];

	if (last <= w->hazard->done[counter])
		return false;
	amd_print(&op->in, text, sizeof(text));
	amd_wave_fault(w, LANES, MODEL_FAULT_HAZARD, 0,
		       "%s while loads or atomics are in flight: %s was not waited for", text,
		       names[counter]);
	return true;
}

static bool caches_in_order(struct wave *w, const struct op *op)
{
	struct hazard *h = w->hazard;
	uint16_t o = op->in.row->op;
	char text[128];

	if (o == AMD_buffer_gl0_inv || o == AMD_buffer_gl1_inv) {
		h->l1_invalidated = o == AMD_buffer_gl1_inv ? w->pc : 0;
		return !loads_in_flight(w, op, VM, h->issued[VM]) &&
		       !loads_in_flight(w, op, VS, h->atomic);
	}
	if (!h->l1_invalidated || !(amd_wait_counters(&op->in) >> VM & 1) ||
	    op->in.field[AMD_F_GLC])
		return true;
	amd_print(&op->in, text, sizeof(text));
	amd_wave_fault(w, LANES, MODEL_FAULT_HAZARD, 0,
		       "%s reads from L0, which was not invalidated after L1 was at 0x%llx", text,
		       (unsigned long long)h->l1_invalidated);
	return false;
}

static bool is_float_atomic(const struct amd_row *r)
{
	static const uint16_t ops[] = {
		AMD_flat_atomic_fcmpswap,      AMD_flat_atomic_fmin,      AMD_flat_atomic_fmax,
		AMD_flat_atomic_fcmpswap_x2,   AMD_flat_atomic_fmin_x2,   AMD_flat_atomic_fmax_x2,
		AMD_global_atomic_fcmpswap,    AMD_global_atomic_fmin,    AMD_global_atomic_fmax,
		AMD_global_atomic_fcmpswap_x2, AMD_global_atomic_fmin_x2, AMD_global_atomic_fmax_x2,
		AMD_buffer_atomic_fcmpswap,    AMD_buffer_atomic_fmin,    AMD_buffer_atomic_fmax,
		AMD_buffer_atomic_fcmpswap_x2, AMD_buffer_atomic_fmin_x2, AMD_buffer_atomic_fmax_x2,
	};

	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		if (r->op == ops[i])
			return true;
	return false;
}

/* The denormal mode may not change within three wait states after a float atomic; a vector
 * operation or any wait also suffices. s_nop n counts n + 1 states, every other instruction one. */
#define DENORM_STATES 3

static bool mode_may_change(struct wave *w, const struct op *op)
{
	const struct amd_row *r = op->in.row;
	struct hazard *h = w->hazard;
	uint32_t states = r->op == AMD_s_nop ? (uint32_t)op->in.field[AMD_F_IMM] + 1 : 1;

	if (r->op == AMD_s_denorm_mode && h->states) {
		amd_wave_fault(
			w, LANES, MODEL_FAULT_HAZARD, 0,
			"s_denorm_mode %u wait states too soon after the float atomic at 0x%llx",
			h->states, (unsigned long long)h->float_atomic);
		return false;
	}
	if (r->flags & ATOMIC && is_float_atomic(r)) {
		h->float_atomic = w->pc;
		h->states = DENORM_STATES;
	} else if ((r->format >= AMD_VOP1 && r->format <= AMD_VOP3P) || r->flags & WAIT ||
		   r->op == AMD_s_wait_idle) {
		h->states = 0;
	} else {
		h->states -= states < h->states ? states : h->states;
	}
	return true;
}

bool amd_hazard_check(struct wave *w, const struct op *op)
{
	struct hazard *h = w->hazard;
	bool unordered = op->in.row->format == AMD_SMEM;
	uint32_t counters = amd_wait_counters(&op->in);

	if (op->in.row->flags & WAIT || op->in.row->op == AMD_s_wait_idle)
		apply_waits(w, &op->in);
	if ((op->in.row->op == AMD_s_barrier && !barrier_is_safe(w)) || !mode_may_change(w, op) ||
	    !caches_in_order(w, op))
		return false;
	for (uint32_t u = 0; u < op->uses_count; u++)
		for (uint32_t k = 0; k < op->uses[u].count; k++)
			if (!is_ready(w, op, op->uses[u].reg + k, op->uses[u].write))
				return false;
	for (uint32_t c = 0; c < COUNTERS; c++)
		if (counters >> c & 1)
			h->issued[c]++;
	if (counters >> VS & 1 && op->in.row->flags & ATOMIC)
		h->atomic = h->issued[VS];
	if (counters >> LGKM & 1 && unordered)
		h->unordered = h->issued[LGKM];
	for (uint32_t u = 0; counters && u < op->uses_count; u++)
		for (uint32_t k = 0; op->uses[u].write && k < op->uses[u].count; k++) {
			struct pending *p = register_of(h, op->uses[u].reg + k);

			for (uint32_t c = 0; p && c < COUNTERS; c++)
				p->number[c] = counters >> c & 1 ? h->issued[c] : 0;
			if (p)
				p->pc = w->pc;
		}
	return true;
}
