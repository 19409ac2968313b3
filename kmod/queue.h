/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Queues. user_queue.h describes queues that a process writes itself. A kernel queue takes jobs: a
 * job is a command stream with a fence. Jobs wait in submission order until their dependencies are
 * signalled, and are then pushed to the hardware. A job completes when the hardware has released
 * its seqno, or when its group is stopped. All memory of a job is allocated before its fence is
 * published.
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

struct sov_account;
struct sov_file;
struct sov_group;
struct sov_queue;

/**
 * struct sov_job - a command stream of a kernel queue
 */
struct sov_job {
	/** @queue: The queue, which outlives its jobs. */
	struct sov_queue *queue;

	/** @link: Entry in &sov_queue.pending or &sov_queue.running. */
	struct list_head link;

	/** @va: GPU address of the command stream. */
	u64 va;

	/** @size: Size of the command stream in bytes. */
	u32 size;

	/** @fence: Signalled when the job completes. Its seqno is the job's. */
	struct dma_fence *fence;

	/** @deps: Fences that the job waits for, with references. */
	struct dma_fence **deps;

	/** @dep_count: Number of elements of @deps. */
	u32 dep_count;

	/** @next_dep: Number of elements of @deps that are signalled or have @dep_cb. */
	u32 next_dep;

	/** @dep_armed: @dep_cb is installed and has not run. */
	bool dep_armed;

	/** @dep_cb: Callback on the last dependency before @next_dep. */
	struct dma_fence_cb dep_cb;
};

/**
 * struct sov_queue - a queue; the vendor's structure embeds it as the first member
 */
struct sov_queue {
	/** @ref: Held by the file, ioctls, and the group until the queue is reaped. */
	struct kref ref;

	/** @group: The group, with a reference. */
	struct sov_group *group;

	/** @account: The account that is charged, with a reference. */
	struct sov_account *account;

	/** @owner: The file whose busy time the queue adds to; valid while @live. */
	struct sov_file *owner;

	/** @link: Entry in &sov_group.live_queues or &sov_group.stopped_queues. */
	struct list_head link;

	/** @device_link: Kernel queue: entry in &sov_device.queues while @live. */
	struct list_head device_link;

	/** @queue_class: One value of &enum drm_sovgpu_queue_class. */
	u32 queue_class;

	/** @mode: One value of &enum drm_sovgpu_queue_mode. */
	u32 mode;

	/** @entries: Kernel queue: maximum number of jobs; user queue: ring entries. */
	u32 entries;

	/** @user: User queue: the parts that its process maps. */
	struct sov_user_queue user;

	/** @time_limit_ms: Time limit of each job. */
	u32 time_limit_ms;

	/** @submit_lock: Serialises submissions, so that jobs get seqnos in list order. */
	struct mutex submit_lock;

	/** @lock: Protects all members below. Taken with interrupts disabled. */
	spinlock_t lock;

	/** @live: The queue is on the hardware. */
	bool live;

	/** @state: One value of &enum drm_sovgpu_queue_state_kind. */
	u32 state;

	/** @fault_code: See &drm_sovgpu_queue_state.fault_code. */
	u32 fault_code;

	/** @fault_unit: See &drm_sovgpu_queue_state.fault_unit. */
	u32 fault_unit;

	/** @fault_address: See &drm_sovgpu_queue_state.fault_address. */
	u64 fault_address;

	/** @fault_kind: See &drm_sovgpu_queue_state.fault_kind. */
	u32 fault_kind;

	/** @fence_context: Context of the job fences. */
	u64 fence_context;

	/** @last_seqno: Seqno of the last accepted job. */
	u64 last_seqno;

	/** @pushed_seqno: Seqno of the last job that was pushed to the hardware. */
	u64 pushed_seqno;

	/** @job_count: Number of jobs in @pending and @running. */
	u32 job_count;

	/** @pending: Accepted jobs that are not on the hardware. */
	struct list_head pending;

	/** @running: Jobs on the hardware. The time limit applies to the first. */
	struct list_head running;

	/** @started_ns: Time at which the first of @running became the first. */
	u64 started_ns;

	/** @sampled_ns: Time of the last update of @charged_ns. */
	u64 sampled_ns;

	/** @charged_ns: Time that counts against the limit of the first of @running. */
	u64 charged_ns;

	/** @active: The queue competes for its engine and counts in &sov_group.active_queues. */
	bool active;

	/** @space_wq: Wakes submitters when jobs complete. */
	wait_queue_head_t space_wq;

	/** @advance_work: Pushes jobs to the hardware for callers in atomic context. */
	struct work_struct advance_work;

	/** @timeout_work: Periodically checks the time limit of the first of @running. */
	struct delayed_work timeout_work;
};

struct sov_queue *sov_queue_find(struct sov_file *file, u32 id);
void sov_queue_put(struct sov_queue *queue);
void sov_queue_set_active(struct sov_queue *queue, bool active);
void sov_queue_fault(struct sov_queue *queue, u32 code, u32 unit, u64 address, u32 kind);

#endif
