// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Open files. Closing a file destroys its queues, then its groups, then its address spaces. The
 * fdinfo follows the kernel's Documentation/gpu/drm-usage-stats.rst.
 */
#include <drm/drm_debugfs.h>
#include <drm/drm_print.h>
#include <linux/pm_runtime.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "kmod/bo.h"
#include "kmod/device.h"
#include "kmod/file.h"
#include "kmod/group.h"
#include "kmod/group_ioctl.h"
#include "kmod/limits.h"
#include "kmod/queue_ioctl.h"
#include "kmod/vm.h"

/**
 * sov_file_open() - open the device and keep it resumed
 * @drm: The device.
 * @file: The new file.
 *
 * Return: 0, -ENOMEM, or the errno of the runtime resume.
 */
int sov_file_open(struct drm_device *drm, struct drm_file *file)
{
	struct sov_file *sfile = kzalloc(sizeof(*sfile), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!sfile)
		return -ENOMEM;
	sfile->account = sov_account_create_file(to_sov_device(drm)->account);
	if (!sfile->account) {
		ret = -ENOMEM;
		goto err_free_file;
	}
	ret = pm_runtime_resume_and_get(drm->dev);
	if (ret)
		goto err_put_account;
	xa_init_flags(&sfile->vms, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	xa_init_flags(&sfile->groups, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	xa_init_flags(&sfile->queues, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	file->driver_priv = sfile;
	return 0;

err_put_account:
	sov_account_put(sfile->account);
err_free_file:
	kfree(sfile);
	return ret;
}

/**
 * sov_file_close() - destroy all objects of a file
 * @drm: The device, which may be unplugged.
 * @file: The file.
 */
void sov_file_close(struct drm_device *drm, struct drm_file *file)
{
	struct sov_file *sfile = to_sov_file(file);

	sov_groups_set_stop_pending(sfile);
	sov_queues_fini(sfile);
	sov_groups_fini(sfile);
	sov_vms_fini(sfile);
	sov_account_put(sfile->account);
	kfree(sfile);
	pm_runtime_mark_last_busy(drm->dev);
	pm_runtime_put_autosuspend(drm->dev);
}

/* Prints the sizes of all BOs that a file has handles to, by region. */
static void sov_file_show_memory(struct drm_printer *p, struct drm_file *file)
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
 * sov_file_show_fdinfo() - print the fdinfo of a file
 * @p: The printer.
 * @file: The file.
 */
void sov_file_show_fdinfo(struct drm_printer *p, struct drm_file *file)
{
	static const char *const classes[SOV_QUEUE_CLASSES] = {
		[DRM_SOVGPU_QUEUE_COMPUTE] = "compute",
		[DRM_SOVGPU_QUEUE_COPY] = "copy",
	};
	struct sov_file *sfile = to_sov_file(file);
	int i;

	for (i = 0; i < SOV_QUEUE_CLASSES; i++)
		drm_printf(p, "drm-engine-%s:\t%llu ns\n", classes[i],
			   (u64)atomic64_read(&sfile->busy_ns[i]));
	sov_file_show_memory(p, file);
	sov_account_show_fdinfo(p, sfile->account);
}

/* Prints the limits, and rows with the usage of the device, of each user and of each open file. */
static int sov_file_show_limits(struct seq_file *m, void *data)
{
	struct drm_debugfs_entry *entry = m->private;
	struct drm_device *drm = entry->dev;
	struct drm_file *file;

	sov_limits_show(m, to_sov_device(drm)->account);
	mutex_lock(&drm->filelist_mutex);
	list_for_each_entry(file, &drm->filelist, lhead) {
		seq_printf(m, "%llu", file->client_id);
		sov_account_show_row(m, to_sov_file(file)->account);
	}
	mutex_unlock(&drm->filelist_mutex);
	return 0;
}

/**
 * sov_file_debugfs_init() - add the debugfs file "limits"
 * @drm: The device, not registered yet.
 */
void sov_file_debugfs_init(struct drm_device *drm)
{
	drm_debugfs_add_file(drm, "limits", sov_file_show_limits, NULL);
}
