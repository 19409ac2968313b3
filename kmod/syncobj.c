// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Syncobjs, see syncobj.h. sov_syncs_get() performs every step that can fail: it looks up the
 * fences to wait for and the syncobjs to signal, and allocates the chain nodes of timeline points.
 * Publishing a fence afterwards cannot fail.
 */
#include <drm/drm_file.h>
#include <drm/drm_syncobj.h>
#include <linux/dma-fence-chain.h>
#include <linux/err.h>
#include <linux/slab.h>

#include "kmod/array.h"
#include "kmod/syncobj.h"
#include "uapi/sovgpu_drm.h"

#define SOV_MAX_SYNCS 64

struct sov_signal {
	struct drm_syncobj *syncobj;
	struct dma_fence_chain *chain; /* NULL for a binary syncobj */
	u64 point;
};

static int sov_syncs_add_wait(struct sov_syncs *s, const struct drm_sovgpu_sync *sync,
			      struct drm_file *file)
{
	int ret = drm_syncobj_find_fence(file, sync->handle, sync->point, 0,
					 &s->waits[s->wait_count]);

	if (!ret)
		s->wait_count++;
	return ret;
}

static int sov_syncs_add_signal(struct sov_syncs *s, const struct drm_sovgpu_sync *sync,
				struct drm_file *file)
{
	struct sov_signal *signal = &s->signals[s->signal_count];

	signal->syncobj = drm_syncobj_find(file, sync->handle);
	if (!signal->syncobj)
		return -ENOENT;
	s->signal_count++;
	if (!(sync->flags & DRM_SOVGPU_SYNC_TIMELINE))
		return 0;
	signal->point = sync->point;
	signal->chain = dma_fence_chain_alloc();
	return signal->chain ? 0 : -ENOMEM;
}

static int sov_syncs_add(struct sov_syncs *s, const struct drm_sovgpu_sync *sync,
			 struct drm_file *file)
{
	const u32 flags = DRM_SOVGPU_SYNC_TIMELINE | DRM_SOVGPU_SYNC_SIGNAL;
	bool timeline = sync->flags & DRM_SOVGPU_SYNC_TIMELINE;

	if (sync->flags & ~flags || timeline != !!sync->point)
		return -EINVAL;
	if (sync->flags & DRM_SOVGPU_SYNC_SIGNAL)
		return sov_syncs_add_signal(s, sync, file);
	return sov_syncs_add_wait(s, sync, file);
}

/**
 * sov_syncs_get() - resolve the sync array of an ioctl
 * @s: The result. Release it with sov_syncs_put().
 * @a: Array of &struct drm_sovgpu_sync; may be empty.
 * @file: The file that owns the syncobjs.
 *
 * Return: 0; -EINVAL, also for a syncobj to wait for that has no fence yet; -ENOENT; -E2BIG;
 * -EFAULT; -ENOMEM.
 */
int sov_syncs_get(struct sov_syncs *s, const struct drm_sovgpu_array *a, struct drm_file *file)
{
	struct drm_sovgpu_sync *syncs;
	int ret = 0;
	u32 i;

	*s = (struct sov_syncs){};
	if (!a->count)
		return 0;
	syncs = sov_array_get(a, SOV_MAX_SYNCS, sizeof(*syncs), sizeof(*syncs));
	if (IS_ERR(syncs))
		return PTR_ERR(syncs);
	s->waits = kcalloc(a->count, sizeof(*s->waits), GFP_KERNEL_ACCOUNT);
	s->signals = kcalloc(a->count, sizeof(*s->signals), GFP_KERNEL_ACCOUNT);
	if (!s->waits || !s->signals)
		ret = -ENOMEM;
	for (i = 0; i < a->count && !ret; i++)
		ret = sov_syncs_add(s, &syncs[i], file);
	kvfree(syncs);
	if (ret)
		sov_syncs_put(s);
	return ret;
}

/**
 * sov_syncs_put() - release resolved syncs
 * @s: The syncs, signalled or not.
 */
void sov_syncs_put(struct sov_syncs *s)
{
	u32 i;

	for (i = 0; i < s->wait_count; i++)
		dma_fence_put(s->waits[i]);
	for (i = 0; i < s->signal_count; i++) {
		dma_fence_chain_free(s->signals[i].chain);
		drm_syncobj_put(s->signals[i].syncobj);
	}
	kfree(s->waits);
	kfree(s->signals);
	*s = (struct sov_syncs){};
}

/**
 * sov_syncs_wait() - sleep until all fences to wait for are signalled
 * @s: The syncs.
 *
 * Return: 0 or -ERESTARTSYS.
 */
int sov_syncs_wait(struct sov_syncs *s)
{
	int ret = 0;
	u32 i;

	for (i = 0; i < s->wait_count && !ret; i++)
		ret = dma_fence_wait(s->waits[i], true);
	return ret;
}

/**
 * sov_syncs_signal() - publish a fence in all syncobjs to signal
 * @s: The syncs.
 * @fence: The fence that the syncobjs get.
 */
void sov_syncs_signal(struct sov_syncs *s, struct dma_fence *fence)
{
	struct sov_signal *signal;

	for (signal = s->signals; signal < s->signals + s->signal_count; signal++) {
		if (signal->chain)
			drm_syncobj_add_point(signal->syncobj, signal->chain, fence, signal->point);
		else
			drm_syncobj_replace_fence(signal->syncobj, fence);
		signal->chain = NULL; /* the timeline owns it now */
	}
}
