// SPDX-License-Identifier: MIT
/*
 * What an instruction does to memory is determined when it is decoded; when it is executed, the
 * lanes' addresses are computed once more, before the instruction's handler runs.
 */
#include <stdlib.h>

#include "hw/nv/compute.h"
#include "model/nv/exec_memory.h"
#include "model/nv/profile.h"
#include "model/nv/reduction.h"

enum kind {
	KIND_OTHER,
	KIND_BRANCH,
	KIND_LANES,  /* each lane accesses memory at its address */
	KIND_MATRIX, /* LDSM, STSM: eight lanes per matrix name its rows */
	KIND_COPY,   /* LDGSTS: global to shared memory, by lanes */
	KIND_BULK,   /* UBLKCP, UBLKRED: consecutive bytes, by one lane */
};

struct profile_site {
	run_fn *run; /* the instruction's own */
	uint8_t kind, bytes;
};

struct profile_sites {
	struct profile_site sites[PAGE_OPS];
};

#define MATRIX_ROWS      8u
#define MATRIX_ROW_BYTES 16u

static const struct {
	uint16_t op;
	uint8_t kind;
} kinds[] = {
	{SASS_BRA, KIND_BRANCH},      {SASS_LDG, KIND_LANES},
	{SASS_STG, KIND_LANES},       {SASS_LD, KIND_LANES},
	{SASS_ST, KIND_LANES},        {SASS_LDS, KIND_LANES},
	{SASS_STS, KIND_LANES},       {SASS_LDL, KIND_LANES},
	{SASS_STL, KIND_LANES},       {SASS_ATOMG, KIND_LANES},
	{SASS_ATOMG_CAS, KIND_LANES}, {SASS_ATOM, KIND_LANES},
	{SASS_ATOM_CAS, KIND_LANES},  {SASS_ATOMS, KIND_LANES},
	{SASS_ATOMS_CAS, KIND_LANES}, {SASS_ATOMS_POPC_INC, KIND_LANES},
	{SASS_RED, KIND_LANES},       {SASS_LDSM, KIND_MATRIX},
	{SASS_STSM, KIND_MATRIX},     {SASS_LDGSTS, KIND_COPY},
	{SASS_UBLKCP_SG, KIND_BULK},  {SASS_UBLKCP_SG_MULTICAST, KIND_BULK},
	{SASS_UBLKCP_GS, KIND_BULK},  {SASS_UBLKRED_GS, KIND_BULK},
};

static enum kind kind_of(const struct sass_inst *in)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].op == in->op)
			return kinds[i].kind;
	return KIND_OTHER;
}

static uint8_t access_bytes(const struct sass_inst *in)
{
	static const uint8_t widths[] = {
		[SASS_WIDTH_U8] = 1,   [SASS_WIDTH_S8] = 1, [SASS_WIDTH_U16] = 2,
		[SASS_WIDTH_S16] = 2,  [SASS_WIDTH_32] = 4, [SASS_WIDTH_64] = 8,
		[SASS_WIDTH_128] = 16,
	};

	switch (in->op) {
	case SASS_ATOMG:
	case SASS_ATOMG_CAS:
	case SASS_ATOM:
	case SASS_ATOM_CAS:
	case SASS_ATOMS:
	case SASS_ATOMS_CAS:
	case SASS_RED:
		return (uint8_t)atomic_element(in->mod[SASS_M_ATYPE])->bytes;
	case SASS_ATOMS_POPC_INC:
		return 4;
	case SASS_LDSM:
	case SASS_STSM:
		return MATRIX_ROW_BYTES;
	default:
		return widths[in->mod[SASS_M_WIDTH]];
	}
}

/* ---- executing ---- */

static void count_lanes(struct warp *w, const struct op *op, uint32_t mask, uint32_t bytes,
			struct counts *n)
{
	struct profile_unit *u = w->cta->profile;
	uint32_t global = 0, shared = 0, local;
	uint64_t address[LANES];

	lane_addresses(w, op, address);
	for (uint32_t left = mask; left; left &= left - 1) {
		uint32_t i = first_lane(left);
		uint64_t window = address[i] & ~(NV_WINDOW_BYTES - 1);

		if (op->data[0] == SPACE_GLOBAL)
			global |= 1u << i;
		else if (op->data[0] == SPACE_SHARED)
			shared |= 1u << i;
		else if (op->data[0] == SPACE_GENERIC && window == w->grid->shared_window)
			shared |= 1u << i;
		else if (op->data[0] == SPACE_GENERIC && window != w->grid->local_window)
			global |= 1u << i;
	}
	local = mask & ~global & ~shared;
	profile_global(u, n, address, global, bytes);
	profile_shared(n, address, shared, bytes);
	n->local_requests += local != 0;
	n->local_bytes += (uint64_t)(uint32_t)__builtin_popcount(local) * bytes;
}

static void count_matrix(struct warp *w, const struct op *op, struct counts *n)
{
	static const uint8_t matrices[] = {
		[SASS_WIDTH_32] = 1, [SASS_WIDTH_64] = 2, [SASS_WIDTH_128] = 4};
	uint32_t rows = matrices[op->inst->mod[SASS_M_WIDTH]] * MATRIX_ROWS;
	uint64_t address[LANES];

	lane_addresses(w, op, address);
	profile_shared(n, address, (uint32_t)((UINT64_C(1) << rows) - 1), MATRIX_ROW_BYTES);
}

/* Lanes whose source predicate is false store zeros and read nothing. */
static void count_copy(struct warp *w, const struct op *op, uint32_t mask, uint32_t bytes,
		       struct counts *n)
{
	const struct sass_operand *to = &op->inst->ops[0];
	const uint32_t *shared = w->r[to->reg == SASS_RZ ? ROW_ZERO : to->reg];
	uint32_t reads = mask & pred_read(w, op, 0);
	uint64_t address[LANES];

	lane_addresses(w, op, address);
	if (op->inst->mod[SASS_M_ZFILL])
		EACH_LANE(i)
			address[i] &= ~(uint64_t)(bytes - 1);
	profile_global(w->cta->profile, n, address, reads, bytes);
	EACH_LANE(i)
		address[i] = shared[i] + (uint32_t)to->value;
	profile_shared(n, address, mask, bytes);
}

static void count_bulk(struct warp *w, const struct op *op, struct counts *n)
{
	bool to_global = op->data[0] == SPACE_GLOBAL;
	uint32_t row = op->s[to_global ? 0 : 1].row;
	uint64_t address = (uint64_t)w->ur[row + 1] << 32 | w->ur[row];

	profile_global_bulk(w->cta->profile, n, address,
			    (uint64_t)(w->ur[op->s[2].row] & 0xffff) * BULK_BYTES);
}

static bool is_divergent(const struct warp *w, const struct op *op, uint32_t mask)
{
	uint32_t lanes = mask & pred_read(w, op, 0);

	return lanes && lanes != w->mask && op->inst->mod[SASS_M_UNIFORM] != SASS_BRA_U_ANY;
}

static void run_counted(struct warp *w, const struct op *op, uint32_t mask)
{
	const struct profile_site *s = op->site;
	struct counts *n = profile_at(w->cta->profile, w->pc);

	n->executed++;
	n->lanes += (uint32_t)__builtin_popcount(w->mask);
	n->threads += (uint32_t)__builtin_popcount(mask);
	if (mask && s->kind == KIND_BRANCH)
		n->divergent += is_divergent(w, op, mask);
	else if (mask && s->kind == KIND_LANES)
		count_lanes(w, op, mask, s->bytes, n);
	else if (mask && s->kind == KIND_MATRIX)
		count_matrix(w, op, n);
	else if (mask && s->kind == KIND_COPY)
		count_copy(w, op, mask, s->bytes, n);
	else if (mask && s->kind == KIND_BULK)
		count_bulk(w, op, n);
	s->run(w, op, mask);
}

/* ---- pages and grids ---- */

struct profile_sites *profile_sites_create(void)
{
	return calloc(1, sizeof(struct profile_sites));
}

void profile_sites_free(struct profile_sites *s)
{
	free(s);
}

void profile_count_op(struct profile_sites *all, uint32_t index, struct op *op)
{
	struct profile_site *s = &all->sites[index];

	s->run = op->run;
	s->kind = (uint8_t)kind_of(op->inst);
	if (s->kind != KIND_OTHER && s->kind != KIND_BRANCH && s->kind != KIND_BULK)
		s->bytes = access_bytes(op->inst);
	op->site = s;
	op->run = run_counted;
}

bool profile_grid_begin(struct grid *g)
{
	if (g->work.channel->model->profiled)
		g->profile = profile_create(WORD_BYTES);
	return g->profile || !g->work.channel->model->profiled;
}

void profile_grid_end(struct grid *g)
{
	struct model_channel *c = g->work.channel;
	struct launch_counts l = {
		.program = g->work.program,
		.cluster_blocks = g->cluster_blocks,
		.registers = g->registers,
		.shared_bytes = g->shared_bytes,
		.local_bytes = g->local_low + g->local_high,
	};

	if (!g->profile)
		return;
	for (uint32_t i = 0; i < 3; i++) {
		l.grid[i] = g->size[i];
		l.block[i] = g->block[i];
	}
	profile_end(g->profile, &l, c->model->profiled, c->config.argument);
}
