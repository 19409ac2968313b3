// SPDX-License-Identifier: MIT
/*
 * Hazard mode. Memory instructions give their results later, and only a counter says when: vmcnt for
 * vector loads, lgkmcnt for LDS, scalar and flat ones, vscnt for stores. Here results are there at
 * once, but a register counts as pending until a wait covers it; using it before is an error that
 * names both instructions. Vector loads come back in order, so waiting for all but n covers the
 * older ones; LDS does too as long as no scalar or flat operation, which may come at any time, is on
 * its way. A barrier wants everything to have arrived, as LLVM has it on this chip.
 */
#include <stdio.h>
#include <stdlib.h>

#include "model/amd/wave.h"

enum { VM, LGKM, VS, COUNTERS };
static const char *const names[COUNTERS] = {"vmcnt", "lgkmcnt", "vscnt"};

struct pending {
	uint64_t number[COUNTERS]; /* the operation that writes the register, 0: none */
	uint64_t pc;
};

struct hazard {
	uint64_t issued[COUNTERS], done[COUNTERS];
	uint64_t unordered; /* last of lgkmcnt that is not in order */
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

static void wait_for(struct hazard *h, uint32_t counter, uint32_t left)
{
	uint64_t done = h->issued[counter] > left ? h->issued[counter] - left : 0;

	if (counter == LGKM && left && h->unordered > h->done[LGKM])
		return;
	if (done > h->done[counter])
		h->done[counter] = done;
}

static void waits(struct hazard *h, const struct amd_inst *in)
{
	uint32_t imm = (uint32_t)in->field[AMD_F_IMM];

	switch (in->row->op) {
	case AMD_s_waitcnt:
		wait_for(h, VM, (imm & 15) | (imm >> 14 & 3) << 4);
		wait_for(h, LGKM, imm >> 8 & 63);
		break;
	case AMD_s_waitcnt_vmcnt:
		wait_for(h, VM, imm);
		break;
	case AMD_s_waitcnt_lgkmcnt:
		wait_for(h, LGKM, imm);
		break;
	case AMD_s_waitcnt_vscnt:
		wait_for(h, VS, imm);
		break;
	case AMD_s_wait_idle:
		wait_for(h, VM, 0);
		wait_for(h, LGKM, 0);
		wait_for(h, VS, 0);
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

static bool is_ready(struct wave *w, const struct op *op, uint32_t reg)
{
	struct hazard *h = w->hazard;
	struct pending *p = register_of(h, reg);
	char text[128];

	for (uint32_t c = 0; p && c < COUNTERS; c++)
		if (p->number[c] > h->done[c]) {
			amd_print(&op->in, text, sizeof(text));
			amd_wave_fault(w, LANES, MODEL_FAULT_HAZARD, 0,
				   "%s uses %c%u, which the instruction at 0x%llx loads, before %s "
				   "was waited for", text, reg >= AMD_VGPR ? 'v' : 's',
				   reg >= AMD_VGPR ? reg - AMD_VGPR : reg,
				   (unsigned long long)p->pc, names[c]);
			return false;
		}
	return true;
}

/* Which counters an instruction raises. Stores raise vscnt, which no register needs. */
static uint32_t raises(const struct amd_inst *in, bool *unordered)
{
	const struct amd_row *r = in->row;
	bool loads = r->type[AMD_D] && (!(r->flags & ATOMIC) || in->field[AMD_F_GLC]);

	*unordered = r->format == AMD_SMEM || r->format == AMD_FLAT;
	if (r->flags & BARE && !r->type[AMD_D])
		return 0;
	switch (r->format) {
	case AMD_SMEM:
	case AMD_DS:
		return 1 << LGKM;
	case AMD_FLAT:
		return 1 << LGKM | 1 << (loads ? VM : VS);
	case AMD_GLOBAL:
	case AMD_SCRATCH:
	case AMD_MUBUF:
		return 1 << (loads ? VM : VS);
	default:
		return 0;
	}
}

/* Other waves see what was done before a barrier only if it was waited for. */
static bool at_rest(struct wave *w)
{
	struct hazard *h = w->hazard;

	for (uint32_t c = 0; c < COUNTERS; c++)
		if (h->issued[c] > h->done[c]) {
			amd_wave_fault(w, LANES, MODEL_FAULT_HAZARD, 0,
				       "s_barrier while %llu operations are on their way: %s was not "
				       "waited for",
				       (unsigned long long)(h->issued[c] - h->done[c]), names[c]);
			return false;
		}
	return true;
}

bool amd_hazard_check(struct wave *w, const struct op *op)
{
	struct hazard *h = w->hazard;
	bool unordered;
	uint32_t counters = raises(&op->in, &unordered);

	if (op->in.row->flags & WAIT || op->in.row->op == AMD_s_wait_idle)
		waits(h, &op->in);
	if (op->in.row->op == AMD_s_barrier && !at_rest(w))
		return false;
	for (uint32_t u = 0; u < op->uses_count; u++)
		for (uint32_t k = 0; k < op->uses[u].count; k++)
			if (!is_ready(w, op, op->uses[u].reg + k))
				return false;
	for (uint32_t c = 0; c < COUNTERS; c++)
		if (counters >> c & 1)
			h->issued[c]++;
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
