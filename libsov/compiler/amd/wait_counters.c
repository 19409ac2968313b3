// SPDX-License-Identifier: MIT
/*
 * Waiting. Memory instructions give their results later, and three counters say when: vmcnt for vector
 * loads, lgkmcnt for LDS, scalar and flat accesses, vscnt for stores. Loads come back in the order in which
 * they were issued, so it is enough to wait until no more than those after the wanted one are left; scalar
 * and flat ones come in any order, and with one of them on its way only zero will do. What is on its way
 * flows along the machine's jumps, so loads stay in flight across blocks and around loops. (RDNA2 ISA manual,
 * "Manually Inserted Wait States"; LLVM's AMDGPU guide.)
 *
 * gfx1030 has none of the hazards between registers that LLVM's list of gfx10 bugs gives for gfx1010
 * (scalar writes after vector or scalar memory, LDS and branches): these end with that chip.
 */
#include <string.h>
#include "libsov/compiler/amd/mir.h"

enum { VM = AMD_VMCNT, LGKM = AMD_LGKMCNT, VS = AMD_VSCNT, COUNTERS = AMD_COUNTERS };
#define REGISTERS (128 + GCN_VGPRS)
#define MOST      63 /* that a counter can tell, and what a wait has that does not wait */

/* How many have been issued since, this one included; 0: nothing is on its way. */
struct state {
	uint8_t age[2][REGISTERS]; /* VM, LGKM */
	uint8_t outstanding[COUNTERS];
	uint8_t unordered; /* a scalar or flat access may be on its way */
	uint8_t known;     /* the block has been reached */
};

static uint32_t index_of(uint32_t reg)
{
	return reg >= AMD_VGPR ? 128 + reg - AMD_VGPR : reg < 128 ? reg : REGISTERS;
}

/* No more than so many are left. */
static void waited(struct state *s, uint32_t counter, uint32_t left)
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

static void explicit_wait(struct state *s, const struct amd_inst *in)
{
	uint32_t imm = (uint32_t)in->field[AMD_F_IMM];

	if (in->row->op == AMD_s_waitcnt) {
		waited(s, VM, (imm & 15) | (imm >> 14 & 3) << 4);
		waited(s, LGKM, imm >> 8 & 63);
	} else if (in->row->op == AMD_s_waitcnt_vscnt) {
		waited(s, VS, imm);
	}
}

/* Into another function, or back: nothing that is loaded is on its way there, stores may be. */
static bool leaves(const struct amd_inst *in)
{
	return in->row->op == AMD_s_swappc_b64 || in->row->op == AMD_s_setpc_b64;
}

/* What the instruction has to wait for; MOST + 1: nothing. */
static void needs(const struct state *s, const struct amd_inst *in, uint32_t need[COUNTERS])
{
	struct amd_use uses[AMD_MAX_USES];
	uint32_t n = amd_uses(in, uses);

	need[VM] = need[LGKM] = need[VS] = MOST + 1;
	for (uint32_t u = 0; u < n; u++)
		for (uint32_t k = 0; k < uses[u].count; k++) {
			uint32_t r = index_of(uses[u].reg + k);

			for (uint32_t c = VM; c <= LGKM && r < REGISTERS; c++)
				if (s->age[c][r] && s->age[c][r] - 1u < need[c])
					need[c] = s->age[c][r] - 1u;
		}
	/* What is older than a counter can tell is waited for by the last number that waits, as llc 19 does it. */
	for (uint32_t c = VM; c <= LGKM; c++)
		if (need[c] == MOST)
			need[c] = MOST - 1;
	if (need[LGKM] <= MOST && s->unordered)
		need[LGKM] = 0;
	/* Other waves see what was done before a barrier only if it was waited for. */
	if (in->row->op == AMD_s_barrier || leaves(in))
		for (uint32_t c = 0; c < COUNTERS; c++)
			if (s->outstanding[c] && (c != VS || !leaves(in)))
				need[c] = 0;
}

static void issue(struct state *s, const struct amd_inst *in)
{
	uint32_t counters = amd_wait_counters(in), n;
	struct amd_use uses[AMD_MAX_USES];

	if (in->row->flags & WAIT)
		explicit_wait(s, in);
	if (leaves(in))
		s->outstanding[VS] = 1;
	if (!counters)
		return;
	for (uint32_t c = 0; c < COUNTERS; c++) {
		if (!(counters >> c & 1))
			continue;
		s->outstanding[c] = 1;
		for (uint32_t r = 0; c != VS && r < REGISTERS; r++)
			if (s->age[c][r] && s->age[c][r] <= MOST)
				s->age[c][r]++;
	}
	if (in->row->format == AMD_SMEM || in->row->format == AMD_FLAT)
		s->unordered = 1;
	n = amd_uses(in, uses);
	for (uint32_t u = 0; u < n; u++)
		for (uint32_t k = 0; uses[u].write && k < uses[u].count; k++) {
			uint32_t r = index_of(uses[u].reg + k);

			for (uint32_t c = VM; c <= LGKM && r < REGISTERS; c++)
				s->age[c][r] = counters >> c & 1;
		}
}

static void insert_waits(struct gcn_func *f, uint32_t b, struct gcn_inst *before,
			 const uint32_t need[COUNTERS])
{
	struct gcn_inst *i;

	if (need[VM] <= MOST || need[LGKM] <= MOST) {
		uint32_t vm = need[VM] < MOST ? need[VM] : MOST,
			 lgkm = need[LGKM] < MOST ? need[LGKM] : MOST;

		i = gcn_inst_new(f, AMD_s_waitcnt, AMD_PLAIN);
		i->in.field[AMD_F_IMM] =
			(int32_t)((vm & 15) | 7u << 4 | lgkm << 8 | (vm >> 4) << 14);
		i->line = before->line;
		gcn_insert(f, b, before, i);
	}
	if (need[VS] <= MOST) {
		i = gcn_inst_new(f, AMD_s_waitcnt_vscnt, AMD_PLAIN);
		gcn_set(f, i, AMD_D, gcn_reg(AMD_NULL));
		i->in.field[AMD_F_IMM] = (int32_t)need[VS];
		gcn_insert(f, b, before, i);
	}
}

static void walk(struct gcn_func *f, uint32_t b, struct state *s, bool write)
{
	gcn_for_each_safe(f, b, i) {
		uint32_t need[COUNTERS];

		needs(s, &i->in, need);
		for (uint32_t c = 0; f->job->options.serial && c < COUNTERS; c++)
			if (s->outstanding[c])
				need[c] = 0;
		if (write)
			insert_waits(f, b, i, need);
		for (uint32_t c = 0; c < COUNTERS; c++)
			if (need[c] <= MOST)
				waited(s, c, need[c]);
		issue(s, &i->in);
	}
}

static bool merge(struct state *to, const struct state *from)
{
	struct state old = *to;

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

void gcn_wait(struct gcn_func *f)
{
	struct state *in = arena_array(f->arena, f->nblocks, sizeof(*in)), s;
	bool changed = true;

	in[f->first].known = 1;
	in[f->first].outstanding[VS] = f->ir->kind == IR_FUNCTION;
	while (changed) {
		changed = false;
		gcn_for_each_block(f, b) {
			if (!in[b].known)
				continue;
			s = in[b];
			walk(f, b, &s, false);
			for (uint32_t k = 0; k < f->blocks[b].njumps; k++)
				changed |= merge(&in[f->blocks[b].jumps[k]], &s);
		}
	}
	gcn_for_each_block(f, b) {
		s = in[b];
		walk(f, b, &s, true);
	}
}
