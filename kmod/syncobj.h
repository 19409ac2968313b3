/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The syncobjs of an ioctl: fences to wait for and syncobjs to signal. */
#ifndef SOV_SYNCOBJ_H
#define SOV_SYNCOBJ_H

#include <linux/dma-fence.h>

struct drm_file;
struct drm_sovgpu_array;
struct sov_signal;

/**
 * struct sov_syncs - the resolved sync array of an ioctl
 */
struct sov_syncs {
	/** @waits: Fences to wait for, with references. */
	struct dma_fence **waits;

	/** @wait_count: Number of elements of @waits. */
	u32 wait_count;

	/** @signals: Syncobjs to signal, with all memory that signalling them needs. */
	struct sov_signal *signals;

	/** @signal_count: Number of elements of @signals. */
	u32 signal_count;
};

int sov_syncs_get(struct sov_syncs *s, const struct drm_sovgpu_array *a, struct drm_file *file);
void sov_syncs_put(struct sov_syncs *s);
int sov_syncs_wait(struct sov_syncs *s);
void sov_syncs_signal(struct sov_syncs *s, struct dma_fence *fence);

#endif
