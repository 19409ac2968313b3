// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Open files: what they have ends with them, queues before groups before address spaces, and what
 * they use is in their fdinfo, in the words of the kernel's drm-usage-stats.
 */
#include <drm/drm_print.h>
#include <linux/pm_runtime.h>
#include <linux/slab.h>

#include "kmod/bo.h"
#include "kmod/device.h"
#include "kmod/file.h"
#include "kmod/group.h"
#include "kmod/limits.h"
#include "kmod/queue.h"

/**
 * sov_file_open() - somebody opens the device, which stays awake from here on
 * @drm: the device
 * @file: the file
 *
 * Return: 0, ENOMEM, or why the device cannot be woken up.
 */
int sov_file_open(struct drm_device *drm, struct drm_file *file)
{
	struct sov_file *own = kzalloc(sizeof(*own), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!own)
		return -ENOMEM;
	own->account = sov_account_make();
	if (!own->account) {
		kfree(own);
		return -ENOMEM;
	}
	ret = pm_runtime_resume_and_get(drm->dev);
	if (ret) {
		sov_account_put(own->account);
		kfree(own);
		return ret;
	}
	xa_init_flags(&own->vms, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	xa_init_flags(&own->groups, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	xa_init_flags(&own->queues, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	file->driver_priv = own;
	return 0;
}

/**
 * sov_file_close() - and closes it, with everything that was made through it
 * @drm: the device; the card may be gone
 * @file: the file
 */
void sov_file_close(struct drm_device *drm, struct drm_file *file)
{
	struct sov_file *own = to_sov_file(file);

	sov_groups_condemn(own);
	sov_queues_fini(own);
	sov_groups_fini(own);
	sov_vms_fini(own);
	sov_account_put(own->account);
	kfree(own);
	pm_runtime_mark_last_busy(drm->dev);
	pm_runtime_put_autosuspend(drm->dev);
}

/* Bytes of the buffers that a file has handles to, in a region and beside it. */
static void show_memory(struct drm_printer *p, struct drm_file *file)
{
	struct drm_memory_stats vram = {}, system = {};
	struct drm_gem_object *obj;
	int id;

	spin_lock(&file->table_lock);
	idr_for_each_entry(&file->object_idr, obj, id) {
		struct drm_memory_stats *s = &system;

		if (to_sov_bo(obj)->region == DRM_SOVGPU_REGION_VRAM)
			s = &vram;
		if (drm_gem_object_is_shared_for_memory_stats(obj))
			s->shared += obj->size;
		else
			s->private += obj->size;
		s->resident += obj->size;
	}
	spin_unlock(&file->table_lock);
	drm_print_memory_stats(p, &vram, DRM_GEM_OBJECT_RESIDENT, "vram0");
	drm_print_memory_stats(p, &system, DRM_GEM_OBJECT_RESIDENT, "system");
}

/**
 * sov_file_show() - a file's part of its fdinfo
 * @p: where to
 * @file: the file
 */
void sov_file_show(struct drm_printer *p, struct drm_file *file)
{
	static const char *const classes[SOV_QUEUE_CLASSES] = {
		[DRM_SOVGPU_QUEUE_COMPUTE] = "compute",
		[DRM_SOVGPU_QUEUE_COPY] = "copy",
	};
	struct sov_file *own = to_sov_file(file);
	int i;

	for (i = 0; i < SOV_QUEUE_CLASSES; i++)
		drm_printf(p, "drm-engine-%s:\t%llu ns\n", classes[i],
			   (u64)atomic64_read(&own->busy_ns[i]));
	show_memory(p, file);
	sov_account_show(p, own->account);
}
