// SPDX-License-Identifier: MIT
/*
 * Waves count as warps, LDS as shared memory, private memory as local memory. Branches do not
 * diverge: what diverges is an instruction that takes some, but not all, active lanes out of EXEC.
 */
#include "model/amd/check.h"
#include "model/amd/lane_address.h"
#include "model/amd/profile.h"

#define GRANULE 4u /* bytes at which instructions begin */

/* Private memory that is addressed by an interleaved buffer. */
static bool is_private_buffer(const struct wave *w, const struct op *op)
{
	return op->in.row->format == AMD_MUBUF && w->s[op->in.reg[AMD_S2] + 1] >> 31;
}

static void count_lanes(const struct wave *w, const struct op *op, uint32_t bytes, struct counts *n)
{
	uint32_t global = 0, shared = 0, local = 0;
	uint64_t address[LANES];

	EACH_ACTIVE(i, w->s[AMD_EXEC]) {
		struct lane_address a = amd_lane_address(w, op, i, bytes);

		address[i] = a.at;
		if (a.space == SPACE_PRIVATE || is_private_buffer(w, op))
			local |= 1u << i;
		else if (a.space == SPACE_LDS)
			shared |= 1u << i;
		else if (a.space == SPACE_GLOBAL)
			global |= 1u << i;
	}
	profile_global(w->group->profile, n, address, global, bytes);
	profile_shared(n, address, shared, bytes);
	n->local_requests += local != 0;
	n->local_bytes += (uint64_t)(uint32_t)__builtin_popcount(local) * bytes;
}

/* Two addresses of a lane are two accesses of one request. */
static void count_lds(const struct wave *w, const struct op *op, uint32_t addresses, uint32_t bytes,
		      struct counts *n)
{
	uint64_t requests = n->shared_requests + (w->s[AMD_EXEC] != 0);

	for (uint32_t which = 0; which < addresses; which++) {
		uint64_t address[LANES];

		EACH_ACTIVE(i, w->s[AMD_EXEC])
			address[i] = amd_lds_address(w, op, i, which);
		profile_shared(n, address, w->s[AMD_EXEC], bytes);
	}
	n->shared_requests = requests;
}

static void count_access(const struct wave *w, const struct op *op, struct counts *n)
{
	uint32_t bytes, count;
	uint64_t address;

	if (amd_lane_access(op, &bytes)) {
		count_lanes(w, op, bytes, n);
	} else if (amd_lds_access(op, &count, &bytes)) {
		count_lds(w, op, count, bytes, n);
	} else {
		count = amd_scalar_load(w, op, &address);
		profile_global_bulk(w->group->profile, n, address, (uint64_t)count * 4);
	}
}

void amd_run_counted(struct wave *w, const struct op *op)
{
	struct counts *n = profile_at(w->group->profile, w->pc);
	uint32_t before = w->s[AMD_EXEC], after;

	n->executed++;
	n->lanes += (uint32_t)__builtin_popcount(before);
	n->threads += (uint32_t)__builtin_popcount(before);
	count_access(w, op, n);
	amd_execute(w, op);
	after = w->s[AMD_EXEC];
	n->divergent += after && after != before && !(after & ~before);
}

bool amd_profile_begin(struct amd_grid *g)
{
	if (g->work.channel->model->profiled)
		g->profile = profile_create(GRANULE);
	return g->profile || !g->work.channel->model->profiled;
}

void amd_profile_end(struct amd_grid *g)
{
	struct model_channel *c = g->work.channel;
	struct launch_counts l = {
		.program = g->work.program,
		.cluster_blocks = 1,
		.registers = g->vgprs,
		.shared_bytes = g->lds_bytes,
		.local_bytes = g->private_bytes,
	};

	if (!g->profile)
		return;
	for (uint32_t i = 0; i < 3; i++) {
		l.grid[i] = g->groups[i];
		l.block[i] = g->threads[i];
	}
	profile_end(g->profile, &l, c->model->profiled, c->config.argument);
}
