/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Syncobjs that a call names: what to wait for before, and what to signal after. */
#ifndef SOV_SYNC_H
#define SOV_SYNC_H

#include <linux/dma-fence.h>

struct drm_file;
struct drm_sovgpu_array;
struct sov_signal;

/**
 * struct sov_syncs - what a call's array of syncs has become
 */
struct sov_syncs {
	/** @waits: fences, with references */
	struct dma_fence **waits;

	/** @wait_count: of these */
	u32 wait_count;

	/** @signals: syncobjs, with what it takes to signal them without allocating */
	struct sov_signal *signals;

	/** @signal_count: of these */
	u32 signal_count;
};

int sov_syncs_get(struct sov_syncs *s, const struct drm_sovgpu_array *a, struct drm_file *file);
void sov_syncs_put(struct sov_syncs *s);
int sov_syncs_wait(struct sov_syncs *s);
void sov_syncs_signal(struct sov_syncs *s, struct dma_fence *fence);

#endif
