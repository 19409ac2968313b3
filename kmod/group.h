/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Groups of queues: what shares an address space, takes turns with others, and dies together. */
#ifndef SOV_GROUP_H
#define SOV_GROUP_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>

struct drm_device;
struct drm_file;
struct sov_device;
struct sov_file;
struct sov_vm;

/**
 * struct sov_group - a group of queues; the vendor's own structure begins with it
 */
struct sov_group {
	/** @ref: the file, every queue, and a kill that is under way */
	struct kref ref;

	/** @sov: the device */
	struct sov_device *sov;

	/** @vm: the address space of all its queues */
	struct sov_vm *vm;

	/** @priority: as GROUP_CREATE has it */
	u32 priority;

	/** @time_slice_us: likewise */
	u32 time_slice_us;

	/** @link: in the device's list of groups */
	struct list_head link;

	/** @lock: queues come, go and are stopped one at a time; protects @queues and @dead */
	struct mutex lock;

	/** @queues: those that the hardware has */
	struct list_head queues;

	/** @dead: nothing of it is on the hardware any more */
	bool dead;

	/** @kill: stops it, for those who cannot wait */
	struct work_struct kill;
};

struct sov_group *sov_group_find(struct sov_file *file, u32 id);
void sov_group_put(struct sov_group *group);
void sov_group_stop(struct sov_group *group);
void sov_group_stop_later(struct sov_group *group);
void sov_groups_stop(struct sov_device *sov);
void sov_groups_fini(struct sov_file *file);

int sov_group_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int sov_group_destroy_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

#endif
