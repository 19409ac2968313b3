// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Fences of two kinds. A job fence is a dma_fence. It has its own lock, so that it can outlive its
 * queue and device. It must not outlive the module: newer kernels detach a signalled fence from its
 * driver, and on older kernels each fence holds a module reference. A memory fence is a 64-bit
 * value that usually the device writes. No event announces the write, so FENCE_WAIT reads the value
 * after each device interrupt and also polls.
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
	spinlock_t lock; /* the lock of @base, so that the fence outlives queue and device */
};

static const char *sov_fence_driver_name(struct dma_fence *fence)
{
	return "sovgpu";
}

static const char *sov_fence_timeline_name(struct dma_fence *fence)
{
	return "queue";
}

#ifdef HAVE_DMA_FENCE_DETACHED
static void sov_fence_get_module(void)
{
}
#else
static void sov_fence_get_module(void)
{
	__module_get(THIS_MODULE);
}

static void sov_fence_release(struct dma_fence *fence)
{
	dma_fence_free(fence);
	module_put(THIS_MODULE);
}
#endif

static const struct dma_fence_ops sov_fence_ops = {
	.get_driver_name = sov_fence_driver_name,
	.get_timeline_name = sov_fence_timeline_name,
#ifndef HAVE_DMA_FENCE_DETACHED
	.release = sov_fence_release,
#endif
};

/**
 * sov_fence_alloc() - allocate a fence
 *
 * Return: A fence for sov_fence_init() or sov_fence_free(), or NULL.
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
 * sov_fence_free() - free a fence before sov_fence_init()
 * @fence: The fence.
 */
void sov_fence_free(struct dma_fence *fence)
{
	kfree(container_of(fence, struct sov_fence, base));
}

/**
 * sov_fence_init() - initialise a fence, which must be signalled from now on
 * @fence: The fence; the caller has the only reference.
 * @context: Fence context of the queue.
 * @seqno: Sequence number in the context.
 */
void sov_fence_init(struct dma_fence *fence, u64 context, u64 seqno)
{
	struct sov_fence *f = container_of(fence, struct sov_fence, base);

	sov_fence_get_module();
	dma_fence_init(fence, &sov_fence_ops, &f->lock, context, seqno);
}

/* The polling interval doubles from the first to the second. */
#define SOV_POLL_MIN_NS (50 * NSEC_PER_USEC)
#define SOV_POLL_MAX_NS (2 * NSEC_PER_MSEC)

static bool sov_fence_value_reached(const struct drm_sovgpu_fence_wait *w, u64 value)
{
	value &= w->mask;
	return w->op == DRM_SOVGPU_FENCE_EQUAL ? value == w->value : value >= w->value;
}

/* Video memory of a device that has fallen off the bus reads as all ones. */
static int sov_fence_check(struct sov_device *sov, const struct sov_bo_word *word,
			   const struct drm_sovgpu_fence_wait *w)
{
	u64 value = sov_bo_word_read(word);

	if (value == U64_MAX && word->window && sov->vendor->lost(sov))
		return -ENODEV;
	return sov_fence_value_reached(w, value);
}

/* Returns 1 if memory has the value, 0 if not, or -ENODEV. */
static int sov_fence_poll(struct drm_device *drm, const struct sov_bo_word *word,
			  const struct drm_sovgpu_fence_wait *w)
{
	int ret, idx;

	if (!drm_dev_enter(drm, &idx))
		return -ENODEV;
	ret = sov_fence_check(to_sov_device(drm), word, w);
	drm_dev_exit(idx);
	return ret;
}

static int sov_fence_wait(struct drm_device *drm, const struct sov_bo_word *word,
			  const struct drm_sovgpu_fence_wait *w)
{
	wait_queue_head_t *wq = &to_sov_device(drm)->interrupt_wq;
	u64 interval = SOV_POLL_MIN_NS;
	DEFINE_WAIT(entry);
	int ret;

	for (;;) {
		s64 now = ktime_get_ns();
		ktime_t timeout;

		/* Queue the entry before reading memory, so that no interrupt is missed. */
		prepare_to_wait(wq, &entry, TASK_INTERRUPTIBLE);
		ret = sov_fence_poll(drm, word, w);
		if (ret)
			break;
		if (w->deadline_ns <= now)
			ret = -ETIME;
		else if (signal_pending(current))
			ret = -ERESTARTSYS;
		if (ret)
			break;
		timeout = ns_to_ktime(min_t(u64, interval, w->deadline_ns - now));
		schedule_hrtimeout_range(&timeout, SOV_POLL_MIN_NS, HRTIMER_MODE_REL);
		interval = min_t(u64, 2 * interval, SOV_POLL_MAX_NS);
	}
	finish_wait(wq, &entry);
	return ret < 0 ? ret : 0;
}

/**
 * sov_fence_wait_ioctl() - sleep until memory has a value
 * @drm: The device.
 * @data: &struct drm_sovgpu_fence_wait.
 * @file: The calling file.
 *
 * Return: 0, -EINVAL, -ENOENT, -ETIME at the deadline, -ERESTARTSYS, -ENOMEM, -ENODEV.
 */
int sov_fence_wait_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_sovgpu_fence_wait *w = data;
	struct drm_gem_object *obj;
	struct sov_bo_word word;
	int ret;

	if (w->op > DRM_SOVGPU_FENCE_AT_LEAST || w->offset % sizeof(u64) || w->value & ~w->mask)
		return -EINVAL;
	obj = drm_gem_object_lookup(file, w->handle);
	if (!obj)
		return -ENOENT;
	ret = sov_bo_word_map(to_sov_bo(obj), w->offset, &word);
	if (ret)
		goto out_put_bo;
	ret = sov_fence_wait(drm, &word, w);
	sov_bo_word_unmap(&word);
out_put_bo:
	drm_gem_object_put(obj);
	return ret;
}

/**
 * sov_interrupt_wait_ioctl() - sleep until the device raises an interrupt
 * @drm: The device.
 * @data: &struct drm_sovgpu_interrupt_wait.
 * @file: The calling file.
 *
 * Return: 0, -EINVAL, -ETIME at the deadline, -ERESTARTSYS, -ENODEV.
 */
int sov_interrupt_wait_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_sovgpu_interrupt_wait *w = data;
	struct sov_device *sov = to_sov_device(drm);
	s64 now = ktime_get_ns();
	s64 timeout = w->deadline_ns > now ? w->deadline_ns - now : 0;
	u32 count;
	int ret;

	if (w->pad)
		return -EINVAL;
	ret = wait_event_interruptible_hrtimeout(sov->interrupt_wq,
						 (count = atomic_read(&sov->interrupt_count)) !=
								 w->count ||
							 drm_dev_is_unplugged(drm),
						 ns_to_ktime(timeout));
	if (drm_dev_is_unplugged(drm))
		return -ENODEV;
	if (!ret)
		w->count = count;
	return ret;
}
