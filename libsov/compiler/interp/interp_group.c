// SPDX-License-Identifier: MIT
/* Matrix products of four warps. Each warp computes its rows as soon as all of its lanes have
 * arrived: it reads shared memory and its own registers alone. */
#include <string.h>
#include "libsov/isa/mma_group.h"
#include "libsov/compiler/interp/interp_state.h"

static void read_descriptors(const struct interp_thread *t, const struct ir_inst *in,
			     const struct mma_group *g, uint64_t *descriptors)
{
	uint32_t b = g->shared_a ? MMA_GROUP_B : MMA_GROUP_A_WORDS;

	descriptors[MMA_GROUP_A] = g->shared_a ? t->values[in->args[0]].bits : 0;
	descriptors[MMA_GROUP_B] = t->values[in->args[b]].bits;
}

bool interp_check_group(struct interp *ip, struct interp_thread *t, const struct ir_inst *in)
{
	struct mma_group g = mma_group_unpack(in->sub, in->imm);
	uint64_t descriptors[MMA_GROUP_FACTORS];

	read_descriptors(t, in, &g, descriptors);
	for (uint32_t k = g.shared_a ? MMA_GROUP_A : MMA_GROUP_B; k < MMA_GROUP_FACTORS; k++)
		if (!mma_group_fits(&g, k, descriptors[k], ip->total_shared))
			return interp_fail(ip, t,
					   "the matrix of the descriptor 0x%llx is not inside of "
					   "the %llu bytes of shared memory",
					   (unsigned long long)descriptors[k],
					   (unsigned long long)ip->total_shared);
	return true;
}

struct shared_reader {
	const struct interp *ip;
	bool defined; /* all lanes have the same descriptors, and bytes so far were written */
};

static uint32_t read_shared(void *state, uint32_t address, uint32_t bytes)
{
	struct shared_reader *r = state;
	uint32_t value = 0;

	for (uint32_t k = 0; k < bytes; k++) {
		value |= (uint32_t)r->ip->block->shared[address + k] << 8 * k;
		r->defined &= r->ip->block->shared_written[address + k];
	}
	return value;
}

void interp_mma_group(struct interp *ip, struct interp_thread **all, uint32_t n)
{
	const struct ir_inst *in = ir_at(all[0]->f, all[0]->at);
	struct mma_group g = mma_group_unpack(in->sub, in->imm);
	uint32_t words = mma_group_words(&g), lanes = ip->launch->warp_lanes;
	uint32_t first = g.shared_a ? MMA_GROUP_FACTORS : MMA_GROUP_A_WORDS + 1;
	ir_val scale = in->args[in->nargs - 2];
	bool adds = all[0]->values[scale].bits & 1;
	struct shared_reader reader = {ip, true};
	struct mma_group_memory memory = {read_shared, &reader};
	uint64_t descriptors[MMA_GROUP_FACTORS], other[MMA_GROUP_FACTORS];
	uint32_t metadata[MMA_LANES] = {0};
	mma_fragment a = {{0}};
	mma_group_sums sums = {{0}};

	read_descriptors(all[0], in, &g, descriptors);
	for (uint32_t k = 0; k < n; k++) {
		const struct interp_thread *t = all[k];
		uint32_t lane = t->index % lanes;

		read_descriptors(t, in, &g, other);
		reader.defined &= !memcmp(other, descriptors, sizeof(other)) &&
				  (t->values[scale].bits & 1) == adds;
		if (g.kind->flags & MMA_SPARSE)
			metadata[lane] = (uint32_t)t->values[in->args[in->nargs - 3]].bits;
		for (uint32_t w = 0; w < MMA_GROUP_A_WORDS && !g.shared_a; w++)
			a[w][lane] = t->values[in->args[w]].bits;
		for (uint32_t w = 0; w < words; w++)
			sums[w][lane] = adds ? (uint32_t)t->values[in->args[first + w]].bits : 0;
	}
	mma_group_eval(&g, all[0]->index / lanes % MMA_GROUP_WARPS, a, descriptors, metadata,
		       &memory, sums);
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t w = 0; w < words; w++)
			all[k]->values[in->res + w] = (struct interp_value){
				.bits = sums[w][all[k]->index % lanes], .defined = reader.defined};
}
