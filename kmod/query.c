// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * DEV_QUERY: a row for each type, with the size of its structure and a function that fills it. The
 * caller's structure may be older or newer than ours, so sizes go both ways.
 */
#include <drm/drm_drv.h>
#include <linux/nospec.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>

#include "kmod/device.h"

/* Large enough for any of them, and aligned as they are. */
union answer {
	struct drm_sovgpu_device_info device;
	struct drm_sovgpu_memory_info memory;
	struct drm_sovgpu_vm_info vm;
	struct drm_sovgpu_queue_info queue;
	struct drm_sovgpu_time_info time;
};

static void query_device(struct sov_device *sov, union answer *a)
{
	a->device = sov->info;
}

static void query_memory(struct sov_device *sov, union answer *a)
{
	a->memory = sov->memory;
	a->memory.vram_free = sov_vram_available(sov);
}

static void query_vm(struct sov_device *sov, union answer *a)
{
	a->vm = sov->vm_info;
}

static void query_queue(struct sov_device *sov, union answer *a)
{
	a->queue = sov->queue_info;
}

static void query_time(struct sov_device *sov, union answer *a)
{
	a->time.monotonic_ns = ktime_get_ns();
	a->time.device_ns = sov->vendor->time(sov);
}

static const struct {
	u32 size;
	void (*fill)(struct sov_device *sov, union answer *a);
} queries[] = {
	[DRM_SOVGPU_DEV_QUERY_DEVICE] = { sizeof(struct drm_sovgpu_device_info), query_device },
	[DRM_SOVGPU_DEV_QUERY_MEMORY] = { sizeof(struct drm_sovgpu_memory_info), query_memory },
	[DRM_SOVGPU_DEV_QUERY_VM] = { sizeof(struct drm_sovgpu_vm_info), query_vm },
	[DRM_SOVGPU_DEV_QUERY_QUEUE] = { sizeof(struct drm_sovgpu_queue_info), query_queue },
	[DRM_SOVGPU_DEV_QUERY_TIME] = { sizeof(struct drm_sovgpu_time_info), query_time },
};

/**
 * sov_dev_query_ioctl() - facts about the device
 * @drm: the device
 * @data: &struct drm_sovgpu_dev_query
 * @file: who asks
 *
 * Return: 0; EINVAL for an unknown type; EFAULT; ENODEV when the device is gone.
 */
int sov_dev_query_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_sovgpu_dev_query *q = data;
	void __user *to = u64_to_user_ptr(q->pointer);
	union answer a = {};
	u32 type, known, copied;
	int idx;

	if (q->type >= ARRAY_SIZE(queries))
		return -EINVAL;
	type = array_index_nospec(q->type, ARRAY_SIZE(queries));
	known = queries[type].size;
	if (q->pointer) {
		if (!drm_dev_enter(drm, &idx))
			return -ENODEV;
		queries[type].fill(to_sov_device(drm), &a);
		drm_dev_exit(idx);

		copied = min(q->size, known);
		if (copy_to_user(to, &a, copied) || clear_user(to + copied, q->size - copied))
			return -EFAULT;
	}
	q->size = known;
	return 0;
}
