/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Queue groups: the unit of fault containment and of time slicing. The queues of a group share one
 * address space, and an error in one of them stops all.
 */
#ifndef SOV_GROUP_H
#define SOV_GROUP_H

#include <linux/atomic.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>

#include "kmod/device.h"

struct sov_account;
struct sov_vm;

/**
 * struct sov_group - a queue group; the vendor's structure embeds it as the first member
 */
struct sov_group {
	/** @ref: Held by the file, every queue, and pending @stop_work or @reap_work. */
	struct kref ref;

	/** @sov: The device. */
	struct sov_device *sov;

	/** @account: The account that is charged, with a reference. */
	struct sov_account *account;

	/** @vm: The address space of all queues. */
	struct sov_vm *vm;

	/** @priority: Priority, see &drm_sovgpu_group_create.priority. */
	u32 priority;

	/** @time_slice_us: Time slice in microseconds. */
	u32 time_slice_us;

	/** @link: Entry in &sov_device.groups. */
	struct list_head link;

	/**
	 * @setup_lock: Serialises the creation and reaping of queues. Memory is allocated under
	 * this lock, so code that fences wait for must not take it.
	 */
	struct mutex setup_lock;

	/**
	 * @lock: Serialises linking and stopping of queues. Protects @live_queues, @stopped_queues
	 * and @dead. Fences wait for its holders, so no memory is allocated under it. Taken after
	 * @setup_lock.
	 */
	struct mutex lock;

	/** @live_queues: Queues on the hardware, each with a reference. */
	struct list_head live_queues;

	/** @stopped_queues: Stopped queues that are not reaped yet, each with a reference. */
	struct list_head stopped_queues;

	/** @active_queues: Number of queues that compete for their engine, by queue class. */
	atomic_t active_queues[SOV_QUEUE_CLASSES];

	/** @stop_pending: A stop was requested. Set without a lock. */
	bool stop_pending;

	/** @dead: The group is stopped and accepts no new queues. */
	bool dead;

	/** @reaped: The vendor's resources are freed; protected by @setup_lock. */
	bool reaped;

	/** @stop_work: Stops the group for callers that cannot sleep. */
	struct work_struct stop_work;

	/** @reap_work: Reaps the group after @stop_work. */
	struct work_struct reap_work;
};

struct sov_group *sov_group_find(struct sov_file *file, u32 id);
void sov_group_put(struct sov_group *group);
void sov_group_schedule_stop(struct sov_group *group);
void sov_groups_set_stop_pending(struct sov_file *file);

#endif
