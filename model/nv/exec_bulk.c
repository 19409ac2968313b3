// SPDX-License-Identifier: MIT
/* Bulk copies, and reductions by them (SM90). An H200 stops those from shared to shared memory in
 * launches without clusters, also within a block. In hazard mode a copy to shared memory arrives
 * when its barrier is tested. */
#include <string.h>

#include "model/nv/exec_memory.h"
#include "model/nv/reduction.h"

/* Bulk copies, by the spaces to and from which they copy. */
static const struct {
	uint16_t op;
	uint8_t to, from;
} bulk_spaces[] = {{SASS_UBLKCP_SG, SPACE_CLUSTER, SPACE_GLOBAL},
		   {SASS_UBLKCP_SG_MULTICAST, SPACE_CLUSTER, SPACE_GLOBAL},
		   {SASS_UBLKCP_GS, SPACE_GLOBAL, SPACE_SHARED},
		   {SASS_UBLKCP_SS, SPACE_CLUSTER, SPACE_SHARED},
		   {SASS_UBLKRED_GS, SPACE_GLOBAL, SPACE_SHARED},
		   {SASS_UBLKRED_SS, SPACE_CLUSTER, SPACE_SHARED}};

static uint64_t bulk_address(const struct warp *w, const struct op *op, uint32_t operand,
			     uint32_t space)
{
	uint32_t row = op->s[operand].row;

	return space == SPACE_GLOBAL ? (uint64_t)w->ur[row + 1] << 32 | w->ur[row] : w->ur[row];
}

struct bulk_copy {
	struct access to, from;
	uint64_t to_at, from_at, barrier;
	uint32_t lane;
	const struct sass_inst *reduction; /* NULL: a copy */
};

/* Elements are combined one by one, each atomically; PTX says no more. It says that adding f32
 * flushes subnormal numbers, for which ptxas has .F32. */
static void reduce_part(const struct bulk_copy *c, uint8_t *target, const uint8_t *source)
{
	const uint8_t *mod = c->reduction->mod;
	bool flush = mod[SASS_M_ATYPE] == SASS_ATYPE_F32;
	const struct element *e =
		atomic_element(flush ? (uint32_t)SASS_ATYPE_F32_FTZ : mod[SASS_M_ATYPE]);

	for (uint32_t k = 0; k < BULK_BYTES; k += e->bytes) {
		uint64_t value = 0;

		memcpy(&value, source + k, e->bytes);
		element_reduce(e, target + k, mod[SASS_M_ATOM], value);
	}
}

/* Copies a part; in hazard mode, one to shared memory is only issued. */
static bool copy_part(struct bulk_copy *c, uint32_t done)
{
	struct warp *w = c->to.w;
	struct cta *cta;
	uint8_t *source = lane_pointer(&c->from, c->lane, c->from_at + done),
		*target = source ? lane_pointer(&c->to, c->lane, c->to_at + done) : NULL;

	if (!target)
		return false;
	if (c->reduction) {
		reduce_part(c, target, source);
		return true;
	}
	if (!c->to.copy) {
		memmove(target, source, BULK_BYTES);
		return true;
	}
	cta = cluster_block(w, c->to_at);
	if (copies_hold(w, cta, (uint32_t)(target - cta->shared), source, BULK_BYTES,
			(uint32_t)c->barrier, NULL))
		return true;
	warp_fault(w, c->lane, MODEL_FAULT_HAZARD, w->pc, "out of memory");
	return false;
}

/* Returns false after a fault. */
static bool copy_bulk(struct bulk_copy *c, uint32_t bytes)
{
	struct warp *w = c->to.w;
	uint8_t *at = NULL;

	if (c->to.space == SPACE_CLUSTER &&
	    !(at = find_async_barrier(w, c->lane, c->to_at, c->barrier)))
		return false;
	for (uint32_t done = 0; done < bytes; done += BULK_BYTES)
		if (!copy_part(c, done))
			return false;
	if (at && !c->to.copy)
		complete_bytes(w, c->lane, c->barrier, at, bytes);
	return true;
}

uint32_t address_in_block(uint32_t address, uint32_t rank)
{
	return (address & ((1u << RANK_SHIFT) - 1)) | rank << RANK_SHIFT;
}

/* Copies to the same offset in every block of the set. */
static void copy_multicast(const struct bulk_copy *c, uint32_t blocks, uint32_t bytes)
{
	for (uint32_t rank = 0; blocks >> rank; rank++) {
		struct bulk_copy one = *c;

		one.to_at = address_in_block((uint32_t)c->to_at, rank);
		one.barrier = address_in_block((uint32_t)c->barrier, rank);
		if (blocks >> rank & 1 && !copy_bulk(&one, bytes))
			return;
	}
}

static void run_bulk_copy(struct warp *w, const struct op *op, uint32_t mask)
{
	uint32_t size = w->ur[op->s[2].row], bytes = (size & 0xffff) * BULK_BYTES;
	struct access any = {.w = w, .bytes = BULK_BYTES, .verb = "bulk copy"};
	struct bulk_copy c = {any, any, .barrier = w->ur[op->s[0].row + 1]};
	bool reduces = op->inst->op == SASS_UBLKRED_GS || op->inst->op == SASS_UBLKRED_SS;

	if (!mask)
		return;
	if (op->data[0] == SPACE_CLUSTER && op->data[1] == SPACE_SHARED && !w->grid->has_clusters) {
		warp_fault(w, first_lane(mask), MODEL_FAULT_ILLEGAL_INSTRUCTION, w->pc,
			   "a bulk copy between blocks in a launch without clusters");
		return;
	}
	c.reduction = reduces ? op->inst : NULL;
	c.lane = first_lane(mask);
	c.to.space = op->data[0];
	c.to.rights = reduces ? MODEL_ATOMIC : MODEL_WRITE;
	c.to.copy = !reduces && w->cta->copies && c.to.space == SPACE_CLUSTER;
	c.from.space = op->data[1];
	c.from.rights = MODEL_READ;
	c.to_at = bulk_address(w, op, 0, c.to.space);
	c.from_at = bulk_address(w, op, 1, c.from.space);
	if (op->inst->op == SASS_UBLKCP_SG_MULTICAST)
		copy_multicast(&c, size >> 16, bytes);
	else
		copy_bulk(&c, bytes);
}

static const char *prepare_bulk(struct op *op, const struct sass_inst *in)
{
	uint32_t k = 0;

	if (in->mod[SASS_M_ATOM] == SASS_ATOM_SAFEADD)
		return "this atomic operation is not modelled";
	while (bulk_spaces[k].op != in->op)
		k++;
	op->data[0] = bulk_spaces[k].to;
	op->data[1] = bulk_spaces[k].from;
	return NULL;
}

const struct op_row rows_bulk[] = {
	{SASS_UBLKCP_SG, "sss", run_bulk_copy, NULL, prepare_bulk},
	{SASS_UBLKCP_SG_MULTICAST, "sss", run_bulk_copy, NULL, prepare_bulk},
	{SASS_UBLKCP_GS, "sss", run_bulk_copy, NULL, prepare_bulk},
	{SASS_UBLKCP_SS, "sss", run_bulk_copy, NULL, prepare_bulk},
	{SASS_UBLKRED_GS, "sss", run_bulk_copy, NULL, prepare_bulk},
	{SASS_UBLKRED_SS, "sss", run_bulk_copy, NULL, prepare_bulk},
	{SASS_UBLKPF, "ss", run_nothing, NULL, NULL},
	{SASS_UTMACMDFLUSH, "", run_nothing, NULL, NULL},
	OP_ROWS_END,
};
