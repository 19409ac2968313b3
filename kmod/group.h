/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Groups of queues: what shares an address space, takes turns with others, and dies together. */
#ifndef SOV_GROUP_H
#define SOV_GROUP_H

#include <linux/atomic.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>

#include "kmod/file.h"

struct drm_device;
struct drm_file;
struct sov_account;
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

	/** @account: whose it is, with a reference */
	struct sov_account *account;

	/** @vm: the address space of all its queues */
	struct sov_vm *vm;

	/** @priority: as GROUP_CREATE has it */
	u32 priority;

	/** @time_slice_us: likewise */
	u32 time_slice_us;

	/** @link: in the device's list of groups */
	struct list_head link;

	/**
	 * @building: what queues need is made and given back one at a time; memory is allocated
	 * under it, so nothing that a fence waits for may
	 */
	struct mutex building;

	/**
	 * @lock: queues are linked and stopped one at a time; protects @queues, @stopped and @dead.
	 * Fences wait for those who hold it: nothing is allocated under it. Taken after @building.
	 */
	struct mutex lock;

	/** @queues: those that the hardware has, each with a reference */
	struct list_head queues;

	/** @stopped: those that it had, until what they have is given back; likewise */
	struct list_head stopped;

	/** @busy: queues that may have their engine now, by class */
	atomic_t busy[SOV_QUEUE_CLASSES];

	/** @stop_pending: it will be stopped, by whoever comes first; set without a lock */
	bool stop_pending;

	/** @dead: nothing of it is on the hardware any more */
	bool dead;

	/** @emptied: and the vendor has given back what it had; protected by @building */
	bool emptied;

	/** @kill: stops it, for those who cannot wait */
	struct work_struct kill;

	/** @bury: gives back what it had, after @kill */
	struct work_struct bury;
};

struct sov_group *sov_group_find(struct sov_file *file, u32 id);
void sov_group_put(struct sov_group *group);
void sov_group_bury(struct sov_group *group);
void sov_group_stop_later(struct sov_group *group);
void sov_groups_stop(struct sov_device *sov);
void sov_groups_bury(struct sov_device *sov);
void sov_groups_condemn(struct sov_file *file);
void sov_groups_fini(struct sov_file *file);

int sov_group_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int sov_group_destroy_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

#endif
