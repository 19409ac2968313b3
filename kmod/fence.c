// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Fences. A job's fence has a lock of its own, so that it can outlive queue and device. The module
 * it must not outlive: kernels either take their hands off one that is signalled, or it keeps us. A
 * fence in memory is a value that somebody, usually the device, will write; nobody says when. Who
 * waits for it looks when the device's interrupt comes, and now and then without one.
 */
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <linux/hrtimer.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "kmod/bo.h"
#include "kmod/compat.h"
#include "kmod/device.h"
#include "kmod/fence.h"

struct sov_fence {
	struct dma_fence base;
	spinlock_t lock; /* of base */
};

static const char *fence_driver(struct dma_fence *fence)
{
	return "sovgpu";
}

static const char *fence_timeline(struct dma_fence *fence)
{
	return "queue";
}

#ifdef HAVE_DMA_FENCE_DETACHED
static void keep_module(void)
{
}
#else
static void keep_module(void)
{
	__module_get(THIS_MODULE);
}

static void fence_release(struct dma_fence *fence)
{
	dma_fence_free(fence);
	module_put(THIS_MODULE);
}
#endif

static const struct dma_fence_ops fence_ops = {
	.get_driver_name = fence_driver,
	.get_timeline_name = fence_timeline,
#ifndef HAVE_DMA_FENCE_DETACHED
	.release = fence_release,
#endif
};

/**
 * sov_fence_alloc() - memory for a fence
 *
 * Return: a fence that has not begun, or NULL.
 */
struct dma_fence *sov_fence_alloc(void)
{
	struct sov_fence *fence = kzalloc(sizeof(*fence), GFP_KERNEL_ACCOUNT);

	if (!fence)
		return NULL;
	spin_lock_init(&fence->lock);
	return &fence->base;
}

/**
 * sov_fence_free() - give up a fence that has not begun
 * @fence: the fence
 */
void sov_fence_free(struct dma_fence *fence)
{
	kfree(container_of(fence, struct sov_fence, base));
}

/**
 * sov_fence_begin() - from here on it must be signalled
 * @fence: the fence; the caller has the only reference
 * @context: of its queue
 * @number: in it
 */
void sov_fence_begin(struct dma_fence *fence, u64 context, u64 number)
{
	struct sov_fence *f = container_of(fence, struct sov_fence, base);

	keep_module();
	dma_fence_init(fence, &fence_ops, &f->lock, context, number);
}

/* How long to sleep without an interrupt: as long as was slept already, within these. */
#define NAP_MIN_NS (50 * NSEC_PER_USEC)
#define NAP_MAX_NS (2 * NSEC_PER_MSEC)

static bool reached(const struct drm_sovgpu_fence_wait *w, u64 value)
{
	value &= w->mask;
	return w->op == DRM_SOVGPU_FENCE_EQUAL ? value == w->value : value >= w->value;
}

/* 1: the value is there; 0: it is not; or ENODEV. */
static int look(struct drm_device *drm, const struct sov_word *word,
		const struct drm_sovgpu_fence_wait *w)
{
	int ret, idx;

	if (!drm_dev_enter(drm, &idx))
		return -ENODEV;
	ret = reached(w, sov_word_read(word));
	drm_dev_exit(idx);
	return ret;
}

static int wait(struct drm_device *drm, const struct sov_word *word,
		const struct drm_sovgpu_fence_wait *w)
{
	wait_queue_head_t *wake = &to_sov_device(drm)->wake;
	u64 nap = NAP_MIN_NS;
	DEFINE_WAIT(self);
	int ret;

	for (;;) {
		s64 now = ktime_get_ns();
		ktime_t time;

		/* An interrupt between looking and sleeping ends the sleep at once. */
		prepare_to_wait(wake, &self, TASK_INTERRUPTIBLE);
		ret = look(drm, word, w);
		if (ret)
			break;
		if (w->deadline_ns <= now)
			ret = -ETIME;
		else if (signal_pending(current))
			ret = -ERESTARTSYS;
		if (ret)
			break;
		time = ns_to_ktime(min_t(u64, nap, w->deadline_ns - now));
		schedule_hrtimeout_range(&time, NAP_MIN_NS, HRTIMER_MODE_REL);
		nap = min_t(u64, 2 * nap, NAP_MAX_NS);
	}
	finish_wait(wake, &self);
	return ret < 0 ? ret : 0;
}

/**
 * sov_fence_wait_ioctl() - sleep until memory has a value
 * @drm: the device
 * @data: &struct drm_sovgpu_fence_wait
 * @file: who asks
 *
 * Return: 0; EINVAL; ENOENT; ETIME at the deadline; EINTR; ENOMEM; ENODEV.
 */
int sov_fence_wait_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_sovgpu_fence_wait *w = data;
	struct drm_gem_object *obj;
	struct sov_word word;
	int ret;

	if (w->op > DRM_SOVGPU_FENCE_AT_LEAST || w->offset % sizeof(u64) || w->value & ~w->mask)
		return -EINVAL;
	obj = drm_gem_object_lookup(file, w->handle);
	if (!obj)
		return -ENOENT;
	ret = sov_bo_word(to_sov_bo(obj), w->offset, &word);
	if (!ret) {
		ret = wait(drm, &word, w);
		sov_word_put(&word);
	}
	drm_gem_object_put(obj);
	return ret;
}

/**
 * sov_interrupt_wait_ioctl() - sleep until the device interrupts
 * @drm: the device
 * @data: &struct drm_sovgpu_interrupt_wait
 * @file: who asks
 *
 * Return: 0; EINVAL; ETIME at the deadline; EINTR; ENODEV.
 */
int sov_interrupt_wait_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_sovgpu_interrupt_wait *w = data;
	struct sov_device *sov = to_sov_device(drm);
	s64 begin = ktime_get_ns();
	s64 left = w->deadline_ns > begin ? w->deadline_ns - begin : 0;
	u32 now;
	int ret;

	if (w->pad)
		return -EINVAL;
	ret = wait_event_interruptible_hrtimeout(
		sov->wake,
		(now = atomic_read(&sov->interrupts)) != w->count || drm_dev_is_unplugged(drm),
		ns_to_ktime(left));
	if (drm_dev_is_unplugged(drm))
		return -ENODEV;
	if (!ret)
		w->count = now;
	return ret;
}
