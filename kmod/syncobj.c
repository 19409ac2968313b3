// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Syncs, see sync.h. Everything that can fail is done before the work is: fences to wait for are
 * looked up, syncobjs to signal are found, and a point on a timeline has its link of the chain.
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
	struct drm_syncobj *object;
	struct dma_fence_chain *chain; /* NULL: a binary one */
	u64 point;
};

static int add_wait(struct sov_syncs *s, const struct drm_sovgpu_sync *sync, struct drm_file *file)
{
	int ret = drm_syncobj_find_fence(file, sync->handle, sync->point, 0,
					 &s->waits[s->wait_count]);

	if (!ret)
		s->wait_count++;
	return ret;
}

static int add_signal(struct sov_syncs *s, const struct drm_sovgpu_sync *sync,
		      struct drm_file *file)
{
	struct sov_signal *signal = &s->signals[s->signal_count];

	signal->object = drm_syncobj_find(file, sync->handle);
	if (!signal->object)
		return -ENOENT;
	s->signal_count++;
	if (!(sync->flags & DRM_SOVGPU_SYNC_TIMELINE))
		return 0;
	signal->point = sync->point;
	signal->chain = dma_fence_chain_alloc();
	return signal->chain ? 0 : -ENOMEM;
}

static int add(struct sov_syncs *s, const struct drm_sovgpu_sync *sync, struct drm_file *file)
{
	const u32 flags = DRM_SOVGPU_SYNC_TIMELINE | DRM_SOVGPU_SYNC_SIGNAL;
	bool timeline = sync->flags & DRM_SOVGPU_SYNC_TIMELINE;

	if (sync->flags & ~flags || timeline != !!sync->point)
		return -EINVAL;
	if (sync->flags & DRM_SOVGPU_SYNC_SIGNAL)
		return add_signal(s, sync, file);
	return add_wait(s, sync, file);
}

/**
 * sov_syncs_get() - look syncs up and make them ready
 * @s: to be filled
 * @a: of &struct drm_sovgpu_sync; may be empty
 * @file: whose syncobjs they are
 *
 * Return: 0; EINVAL, also for one to be waited for that has no fence yet; ENOENT; E2BIG; EFAULT;
 * ENOMEM.
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
		ret = add(s, &syncs[i], file);
	kvfree(syncs);
	if (ret)
		sov_syncs_put(s);
	return ret;
}

/**
 * sov_syncs_put() - let go what is left of them
 * @s: syncs, signalled or not
 */
void sov_syncs_put(struct sov_syncs *s)
{
	u32 i;

	for (i = 0; i < s->wait_count; i++)
		dma_fence_put(s->waits[i]);
	for (i = 0; i < s->signal_count; i++) {
		dma_fence_chain_free(s->signals[i].chain);
		drm_syncobj_put(s->signals[i].object);
	}
	kfree(s->waits);
	kfree(s->signals);
	*s = (struct sov_syncs){};
}

/**
 * sov_syncs_wait() - sleep until all that is to be waited for is signalled
 * @s: syncs
 *
 * Return: 0, or ERESTARTSYS.
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
 * sov_syncs_signal() - publish a fence; cannot fail
 * @s: syncs
 * @fence: what those to be signalled become
 */
void sov_syncs_signal(struct sov_syncs *s, struct dma_fence *fence)
{
	struct sov_signal *signal;

	for (signal = s->signals; signal < s->signals + s->signal_count; signal++) {
		if (signal->chain)
			drm_syncobj_add_point(signal->object, signal->chain, fence, signal->point);
		else
			drm_syncobj_replace_fence(signal->object, fence);
		signal->chain = NULL; /* the timeline has it */
	}
}
