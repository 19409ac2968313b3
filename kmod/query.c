// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * DEV_QUERY. A table holds the size of each reply structure and the function that fills it. The
 * caller's structure may be older or newer than the kernel's: the ioctl copies the common prefix,
 * clears the rest and reports the size that the kernel knows.
 */
#include <drm/drm_drv.h>
#include <linux/nospec.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>

#include "kmod/device.h"
#include "kmod/query.h"
#include "kmod/vram.h"

/* Any reply structure. */
union sov_query_reply {
	struct drm_sovgpu_device_info device;
	struct drm_sovgpu_memory_info memory;
	struct drm_sovgpu_vm_info vm;
	struct drm_sovgpu_queue_info queue;
	struct drm_sovgpu_time_info time;
};

static void sov_query_device(struct sov_device *sov, union sov_query_reply *r)
{
	r->device = sov->info;
}

static void sov_query_memory(struct sov_device *sov, union sov_query_reply *r)
{
	r->memory = sov->memory;
	r->memory.vram_free = sov_vram_free_bytes(sov);
}

static void sov_query_vm(struct sov_device *sov, union sov_query_reply *r)
{
	r->vm = sov->vm_info;
}

static void sov_query_queue(struct sov_device *sov, union sov_query_reply *r)
{
	r->queue = sov->queue_info;
}

static void sov_query_time(struct sov_device *sov, union sov_query_reply *r)
{
	r->time.monotonic_ns = ktime_get_ns();
	r->time.device_ns = sov->vendor->time(sov);
}

static const struct {
	u32 size;
	void (*fill)(struct sov_device *sov, union sov_query_reply *r);
} sov_queries[] = {
	[DRM_SOVGPU_DEV_QUERY_DEVICE] = { sizeof(struct drm_sovgpu_device_info), sov_query_device },
	[DRM_SOVGPU_DEV_QUERY_MEMORY] = { sizeof(struct drm_sovgpu_memory_info), sov_query_memory },
	[DRM_SOVGPU_DEV_QUERY_VM] = { sizeof(struct drm_sovgpu_vm_info), sov_query_vm },
	[DRM_SOVGPU_DEV_QUERY_QUEUE] = { sizeof(struct drm_sovgpu_queue_info), sov_query_queue },
	[DRM_SOVGPU_DEV_QUERY_TIME] = { sizeof(struct drm_sovgpu_time_info), sov_query_time },
};

/**
 * sov_dev_query_ioctl() - read properties of the device
 * @drm: The device.
 * @data: &struct drm_sovgpu_dev_query.
 * @file: The calling file.
 *
 * Return: 0, -EINVAL for an unknown type, -EFAULT, -ENODEV if the device is unplugged.
 */
int sov_dev_query_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_sovgpu_dev_query *q = data;
	void __user *to = u64_to_user_ptr(q->pointer);
	union sov_query_reply r = {};
	u32 type, known, copied;
	int idx;

	if (q->type >= ARRAY_SIZE(sov_queries))
		return -EINVAL;
	type = array_index_nospec(q->type, ARRAY_SIZE(sov_queries));
	known = sov_queries[type].size;
	if (q->pointer) {
		if (!drm_dev_enter(drm, &idx))
			return -ENODEV;
		sov_queries[type].fill(to_sov_device(drm), &r);
		drm_dev_exit(idx);

		copied = min(q->size, known);
		if (copy_to_user(to, &r, copied) || clear_user(to + copied, q->size - copied))
			return -EFAULT;
	}
	q->size = known;
	return 0;
}
