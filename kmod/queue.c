// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * References to queues, and their faults. queue_ioctl.c creates queues, job.c executes jobs,
 * submit.c accepts them, and teardown.c stops queues.
 */
#include <linux/slab.h>

#include "kmod/device.h"
#include "kmod/group.h"
#include "kmod/limits.h"
#include "kmod/queue.h"
#include "kmod/trace.h"
#include "kmod/vm.h"

static void sov_queue_release(struct kref *ref)
{
	struct sov_queue *queue = container_of(ref, struct sov_queue, ref);

	sov_user_queue_fini(&queue->user);
	sov_group_put(queue->group);
	mutex_destroy(&queue->submit_lock);
	sov_account_uncharge(queue->account, SOV_LIMIT_QUEUES, 1);
	sov_account_put(queue->account);
	kfree(queue);
}

/**
 * sov_queue_put() - drop a reference to a queue
 * @queue: The queue. It is stopped before its last reference is dropped.
 */
void sov_queue_put(struct sov_queue *queue)
{
	kref_put(&queue->ref, sov_queue_release);
}

/**
 * sov_queue_find() - look up a queue
 * @file: The file that owns the queue.
 * @id: ID of the queue.
 *
 * Return: The queue with a reference, or NULL.
 */
struct sov_queue *sov_queue_find(struct sov_file *file, u32 id)
{
	struct sov_queue *queue;

	xa_lock(&file->queues);
	queue = xa_load(&file->queues, id);
	if (queue)
		kref_get(&queue->ref);
	xa_unlock(&file->queues);
	return queue;
}

/**
 * sov_queue_set_active() - record whether a queue competes for its engine
 * @queue: The queue. The caller holds its lock or has exclusive access.
 * @active: Whether the queue has work on the engine.
 */
void sov_queue_set_active(struct sov_queue *queue, bool active)
{
	struct sov_group *group = queue->group;
	atomic_t *queues = &group->active_queues[queue->queue_class];
	atomic_t *slices_us = &group->sov->active_slices_us[queue->queue_class];

	if (queue->active == active)
		return;
	queue->active = active;
	if (active && atomic_inc_return(queues) == 1)
		atomic_add(group->time_slice_us, slices_us);
	else if (!active && atomic_dec_and_test(queues))
		atomic_sub(group->time_slice_us, slices_us);
}

/**
 * sov_queue_fault() - report that the hardware stopped a queue with an error
 * @queue: The queue, which is live.
 * @code: The vendor's error number.
 * @unit: The vendor's number of the faulting unit.
 * @address: The faulting VA, or 0.
 * @kind: The vendor's number of the fault type.
 *
 * The group is stopped asynchronously.
 *
 * Context: Any.
 */
void sov_queue_fault(struct sov_queue *queue, u32 code, u32 unit, u64 address, u32 kind)
{
	unsigned long flags;

	trace_sov_queue_fault(queue->group->sov->drm.dev, queue->fence_context, code, unit, address,
			      kind);
	spin_lock_irqsave(&queue->lock, flags);
	if (queue->state == DRM_SOVGPU_QUEUE_STATE_USABLE) {
		queue->state = DRM_SOVGPU_QUEUE_STATE_FAULTED;
		queue->fault_code = code;
		queue->fault_unit = unit;
		queue->fault_address = address;
		queue->fault_kind = kind;
	}
	spin_unlock_irqrestore(&queue->lock, flags);
	if (address)
		sov_vm_report_fault(queue->group->vm, address);
	sov_group_schedule_stop(queue->group);
	sov_notify_waiters(queue->group->sov);
}
