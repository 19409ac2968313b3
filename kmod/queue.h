/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Queues. One that a process writes itself is in user.h; one that the kernel writes takes jobs. A
 * job is a command stream and a fence. It waits in order until what it depends on is signalled, is
 * then handed to the hardware, and ends when the hardware says that it has come to the job's
 * number, or when its group is stopped. A job is made complete before its fence is seen by anybody:
 * from there to its end nothing is allocated.
 */
#ifndef SOV_QUEUE_H
#define SOV_QUEUE_H

#include <linux/dma-fence.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "kmod/user_queue.h"

struct drm_device;
struct drm_file;
struct sov_account;
struct sov_device;
struct sov_file;
struct sov_group;
struct sov_queue;

/**
 * struct sov_job - a command stream on its way
 */
struct sov_job {
	/** @queue: where it goes; it outlives its jobs */
	struct sov_queue *queue;

	/** @link: in one of the queue's lists */
	struct list_head link;

	/** @va: address of the stream */
	u64 va;

	/** @size: its bytes */
	u32 size;

	/** @fence: signalled at its end; its number is the job's */
	struct dma_fence *fence;

	/** @waits: fences that it depends on, with references */
	struct dma_fence **waits;

	/** @wait_count: of these */
	u32 wait_count;

	/** @waited: of these, those that are signalled or are being waited for */
	u32 waited;

	/** @armed: @wake will be called */
	bool armed;

	/** @wake: called when the last of @waited is signalled */
	struct dma_fence_cb wake;
};

/**
 * struct sov_queue - a queue; the vendor's own structure begins with it
 */
struct sov_queue {
	/** @ref: the file, calls that use it, and its group until it has given back what it had */
	struct kref ref;

	/** @group: its group, with a reference */
	struct sov_group *group;

	/** @account: whose it is, with a reference */
	struct sov_account *account;

	/** @owner: the file whose time it uses; only while it is @live */
	struct sov_file *owner;

	/** @link: in one of the group's lists */
	struct list_head link;

	/** @device_link: in the device's list, while it is @live and takes jobs */
	struct list_head device_link;

	/** @queue_class: one of enum drm_sovgpu_queue_class */
	u32 queue_class;

	/** @mode: one of enum drm_sovgpu_queue_mode */
	u32 mode;

	/** @entries: jobs that it holds, or entries of the process's ring */
	u32 entries;

	/** @user: what its process sees of it */
	struct sov_user_queue user;

	/** @time_limit_ms: for each job */
	u32 time_limit_ms;

	/** @submit: one submission at a time, so that numbers and places agree */
	struct mutex submit;

	/** @lock: protects all below; taken with interrupts off */
	spinlock_t lock;

	/** @live: the hardware has it */
	bool live;

	/** @state: one of enum drm_sovgpu_queue_state_kind */
	u32 state;

	/** @fault_code: as QUEUE_STATE tells */
	u32 fault_code;

	/** @fault_unit: likewise */
	u32 fault_unit;

	/** @fault_address: likewise */
	u64 fault_address;

	/** @fault_kind: likewise */
	u32 fault_kind;

	/** @context: of its fences */
	u64 context;

	/** @number: of the last job that was accepted */
	u64 number;

	/** @pushed: of the last job that the hardware was given */
	u64 pushed;

	/** @used: jobs in the two lists */
	u32 used;

	/** @waiting: jobs that the hardware has not been given */
	struct list_head waiting;

	/** @running: jobs that it has; the first is the one whose time counts */
	struct list_head running;

	/** @started_ns: when the first of @running became the first */
	u64 started_ns;

	/** @looked_ns: when its time was counted last */
	u64 looked_ns;

	/** @used_ns: of its time, what is used up */
	u64 used_ns;

	/** @busy: it may have its engine now, and counts among those that share it */
	bool busy;

	/** @space: woken when jobs end */
	wait_queue_head_t space;

	/** @advance: hands jobs to the hardware, for those who cannot */
	struct work_struct advance;

	/** @limit: looks now and then at the first of @running, and whether its time is over */
	struct delayed_work limit;
};

/* queue.c */
struct sov_queue *sov_queue_find(struct sov_file *file, u32 id);
void sov_queue_put(struct sov_queue *queue);
void sov_queue_stop(struct sov_queue *queue);
void sov_queue_fault(struct sov_queue *queue, u32 code, u32 unit, u64 address, u32 kind);
void sov_queues_fini(struct sov_file *file);

int sov_queue_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int sov_queue_destroy_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int sov_queue_state_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

/* job.c */
void sov_queue_init(struct sov_queue *queue);
void sov_queue_advance(struct sov_queue *queue);
void sov_queue_cancel(struct sov_queue *queue);
void sov_queue_set_busy(struct sov_queue *queue, bool busy);
void sov_queues_retire(struct sov_device *sov);
struct sov_job *sov_job_make(struct sov_queue *queue, u64 va, u32 size);
void sov_job_free(struct sov_job *job);

/* submit.c */
int sov_queue_submit_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

#endif
