/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Job fences, and waiting for values that the device writes to memory. */
#ifndef SOV_FENCE_H
#define SOV_FENCE_H

#include <linux/dma-fence.h>

struct drm_device;
struct drm_file;

struct dma_fence *sov_fence_alloc(void);
void sov_fence_free(struct dma_fence *fence);
void sov_fence_init(struct dma_fence *fence, u64 context, u64 seqno);

int sov_fence_wait_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int sov_interrupt_wait_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

#endif
