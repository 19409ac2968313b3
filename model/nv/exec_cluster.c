// SPDX-License-Identifier: MIT
/*
 * The barrier of a cluster. A warp counts as a whole, as at a barrier of the block; a phase ends
 * when all warps of the cluster have arrived or exited. What hardware does with divergent lanes, a
 * second arrival, a wait without one, or in a launch without clusters is not known: ptxas emits no
 * such code, and each is an error here.
 */
#include "model/nv/exec.h"

static uint32_t waiting_lanes(const struct warp *w)
{
	uint32_t lanes = 0;

	for (uint32_t i = 0; i < LANES; i++)
		lanes |= (uint32_t)(w->wait[i] == WAIT_CLUSTER) << i;
	return lanes & w->live;
}

static bool all_arrived(const struct cluster *k)
{
	bool any = false;

	for (uint32_t c = 0; c < k->count; c++)
		for (uint32_t i = 0; i < k->grid->warps; i++) {
			const struct warp *w = &k->ctas[c]->warps[i];

			if (!w->live)
				continue;
			if (w->cluster_state != CLUSTER_ARRIVED)
				return false;
			any = true;
		}
	return any;
}

static void complete_warp(struct warp *w)
{
	uint32_t lanes = waiting_lanes(w);

	if (w->cta->check)
		check_fence(w->cta->check, w->index, CHECK_GPU, true);
	w->cluster_state = lanes ? CLUSTER_AWAY : CLUSTER_COMPLETE;
	if (lanes)
		release_lanes(w, lanes);
}

void cluster_complete(struct cluster *k)
{
	if (!k->grid->has_clusters || !all_arrived(k))
		return;
	for (uint32_t c = 0; c < k->count; c++)
		for (uint32_t i = 0; i < k->grid->warps; i++)
			if (k->ctas[c]->warps[i].live)
				complete_warp(&k->ctas[c]->warps[i]);
}

static bool barrier_usable(struct warp *w, uint32_t mask)
{
	uint32_t lane = first_lane(mask);

	if (!w->grid->has_clusters) {
		warp_fault(w, lane, MODEL_FAULT_BARRIER, w->pc,
			   "the cluster's barrier in a launch without clusters");
		return false;
	}
	if (w->hazard && w->live & ~mask) {
		warp_fault(w, lane, MODEL_FAULT_HAZARD, w->pc,
			   "+0x%llx: the cluster's barrier is reached by lanes 0x%x of a warp but "
			   "not by 0x%x",
			   (unsigned long long)(w->pc - w->grid->work.program), mask,
			   w->live & ~mask);
		return false;
	}
	return true;
}

static void run_arrive(struct warp *w, const struct op *op, uint32_t mask)
{
	(void)op;
	if (!mask || !barrier_usable(w, mask))
		return;
	if (w->cluster_state != CLUSTER_AWAY) {
		warp_fault(w, first_lane(mask), MODEL_FAULT_BARRIER, w->pc,
			   "the warp arrives at the cluster's barrier again before it has waited");
		return;
	}
	if (w->cta->check)
		check_fence(w->cta->check, w->index, CHECK_GPU, true);
	w->cluster_state = CLUSTER_ARRIVED;
	cluster_complete(w->cta->cluster);
}

static void run_wait(struct warp *w, const struct op *op, uint32_t mask)
{
	(void)op;
	if (!mask || !barrier_usable(w, mask))
		return;
	if (w->cluster_state == CLUSTER_AWAY)
		warp_fault(w, first_lane(mask), MODEL_FAULT_BARRIER, w->pc,
			   "the warp waits at the cluster's barrier without having arrived");
	else if (w->cluster_state == CLUSTER_COMPLETE)
		w->cluster_state = CLUSTER_AWAY;
	else
		block_lanes(w, mask, WAIT_CLUSTER, 0);
}

const struct op_row rows_cluster[] = {
	{SASS_UCGABAR_ARV, "", run_arrive, NULL, NULL},
	{SASS_UCGABAR_WAIT, "", run_wait, NULL, NULL},
	OP_ROWS_END,
};
