// SPDX-License-Identifier: MIT
/*
 * Asynchronous accesses to shared memory of any block of the cluster (SM90): STAS stores, REDAS
 * executes an atomic, and both complete their bytes at a barrier of that block. The register pair
 * holds the address and the barrier's address. The access is made at once; in hazard mode it is
 * made when a lane tests the barrier.
 */
#include <string.h>

#include "model/nv/exec_memory.h"

static uint32_t access_bytes(const struct sass_inst *in)
{
	if (in->op == SASS_REDAS)
		return in->mod[SASS_M_ATYPE] == SASS_ATYPE_U64 ? 8 : 4;
	return in->mod[SASS_M_WIDTH] == SASS_WIDTH_128  ? 16
	       : in->mod[SASS_M_WIDTH] == SASS_WIDTH_64 ? 8
							: 4;
}

/* Returns false after a fault. */
static bool access_lane(struct access *x, const struct op *op, uint32_t lane)
{
	struct warp *w = x->w;
	uint64_t to = w->r[op->address.row][lane], barrier = w->r[op->address.row + 1][lane];
	const struct op *reduction = op->inst->op == SASS_REDAS ? op : NULL;
	uint8_t *object = find_async_barrier(w, lane, to, barrier),
		*at = object ? lane_pointer(x, lane, to) : NULL;
	uint32_t words[4];
	struct cta *cta;

	if (!at)
		return false;
	for (uint32_t k = 0; k < x->bytes / 4; k++)
		words[k] = w->r[op->s[0].row + k][lane];
	cta = cluster_block(w, to);
	if (cta->copies) {
		if (copies_hold(w, cta, (uint32_t)(at - cta->shared), words, x->bytes,
				(uint32_t)barrier, reduction))
			return true;
		warp_fault(w, lane, MODEL_FAULT_HAZARD, w->pc, "out of memory");
		return false;
	}
	if (reduction)
		atomic_reduce(op, at, words);
	else
		memcpy(at, words, x->bytes);
	complete_bytes(w, lane, barrier, object, x->bytes);
	return true;
}

static void run_async(struct warp *w, const struct op *op, uint32_t mask)
{
	struct access x = {.w = w,
			   .space = SPACE_CLUSTER,
			   .bytes = access_bytes(op->inst),
			   .rights = MODEL_WRITE,
			   .verb = "asynchronous access",
			   .copy = true};

	for (uint32_t i = 0; i < LANES; i++)
		if (mask >> i & 1 && !access_lane(&x, op, i))
			return;
}

static const char *prepare_async(struct op *op, const struct sass_inst *in)
{
	(void)in;
	op->data[0] = SPACE_CLUSTER;
	return op->address.offset ? "an offset of STAS or REDAS is not modelled" : NULL;
}

const struct op_row rows_remote[] = {
	{SASS_STAS, "as", run_async, NULL, prepare_async},
	{SASS_REDAS, "as", run_async, NULL, prepare_async},
	OP_ROWS_END,
};
