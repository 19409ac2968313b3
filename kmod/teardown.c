// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Teardown of queues and groups. A group is stopped once, by the first of its file, the time limit
 * of a job, a fault, or the removal of the device. Afterwards nothing of the group is on the
 * hardware; the IDs of group and queues report the reason until the file destroys them.
 *
 * Teardown has two phases. The first takes all queues off the hardware and signals their fences.
 * Memory reclaim may wait for these fences, so this phase takes no lock under which memory is
 * allocated, and lockdep verifies that (dma_fence_begin_signalling()). The second phase, reaping,
 * frees the resources of the queues and of the group.
 */
#include <linux/dma-fence.h>
#include <linux/slab.h>

#include "kmod/device.h"
#include "kmod/group.h"
#include "kmod/job.h"
#include "kmod/queue.h"
#include "kmod/teardown.h"

/* Takes a queue off the hardware and signals its fences. Returns false if that was done before. */
static bool sov_queue_take_down(struct sov_queue *queue)
{
	struct sov_device *sov = queue->group->sov;

	lockdep_assert_held(&queue->group->lock);
	if (!queue->live)
		return false;
	sov_queues_retire(sov); /* do not cancel finished jobs */
	spin_lock_irq(&queue->lock);
	queue->live = false;
	sov_queue_set_active(queue, false);
	if (queue->state == DRM_SOVGPU_QUEUE_STATE_USABLE)
		queue->state = DRM_SOVGPU_QUEUE_STATE_INNOCENT;
	spin_unlock_irq(&queue->lock);
	spin_lock_irq(&sov->queues_lock);
	list_del_init(&queue->device_link);
	spin_unlock_irq(&sov->queues_lock);
	list_move_tail(&queue->link, &queue->group->stopped_queues);
	sov->vendor->queue_stop(queue);
	sov_queue_cancel(queue);
	return true;
}

/**
 * sov_queue_stop() - take a queue off the hardware
 * @queue: The queue. The caller holds the lock of its group. Idempotent.
 *
 * A queue without an error gets the state DRM_SOVGPU_QUEUE_STATE_INNOCENT. The fences of all jobs
 * are signalled when this returns; sov_group_reap() frees the resources of the queue.
 */
void sov_queue_stop(struct sov_queue *queue)
{
	if (!sov_queue_take_down(queue))
		return;
	synchronize_rcu();
	sov_queue_settle(queue);
}

/* The first phase; idempotent. One RCU grace period is enough for all queues. */
static void sov_group_stop(struct sov_group *group)
{
	bool any = false, cookie = dma_fence_begin_signalling();
	struct sov_queue *queue, *next;

	WRITE_ONCE(group->stop_pending, true);
	mutex_lock(&group->lock);
	WRITE_ONCE(group->dead, true);
	list_for_each_entry_safe(queue, next, &group->live_queues, link)
		any |= sov_queue_take_down(queue);
	if (any)
		synchronize_rcu();
	list_for_each_entry(queue, &group->stopped_queues, link)
		sov_queue_settle(queue);
	mutex_unlock(&group->lock);
	dma_fence_end_signalling(cookie);
}

/* Returns NULL if there is no stopped queue. If @dead is true, there will be none later, either. */
static struct sov_queue *sov_group_next_stopped(struct sov_group *group, bool *dead)
{
	struct sov_queue *queue;

	mutex_lock(&group->lock);
	queue = list_first_entry_or_null(&group->stopped_queues, struct sov_queue, link);
	if (queue)
		list_del(&queue->link);
	*dead = group->dead;
	mutex_unlock(&group->lock);
	return queue;
}

/**
 * sov_group_reap() - free the resources of stopped queues
 * @group: The group; the caller holds a reference. Idempotent.
 */
void sov_group_reap(struct sov_group *group)
{
	struct sov_queue *queue;
	bool dead;

	mutex_lock(&group->setup_lock);
	while ((queue = sov_group_next_stopped(group, &dead))) {
		group->sov->vendor->queue_fini(queue);
		sov_queue_put(queue);
	}
	if (dead)
		WRITE_ONCE(group->reaped, true);
	mutex_unlock(&group->setup_lock);
}

/**
 * sov_group_destroy() - stop and reap a group synchronously
 * @group: The group; the caller holds a reference.
 *
 * When this returns, the fences of all jobs are signalled, all resources are freed, and no work
 * item of the group is pending.
 */
void sov_group_destroy(struct sov_group *group)
{
	sov_group_stop(group);
	flush_work(&group->stop_work);
	sov_group_reap(group);
	flush_work(&group->reap_work);
}

static void sov_group_reap_work(struct work_struct *work)
{
	struct sov_group *group = container_of(work, struct sov_group, reap_work);

	sov_group_reap(group);
	sov_group_put(group);
}

static void sov_group_stop_work(struct work_struct *work)
{
	struct sov_group *group = container_of(work, struct sov_group, stop_work);

	sov_group_stop(group);
	/* Pass the reference on, unless the reap work is pending already and has its own. */
	if (!queue_work(group->sov->reap_wq, &group->reap_work))
		sov_group_put(group);
}

/**
 * sov_group_init_teardown() - initialise the work items of a group
 * @group: The new group.
 */
void sov_group_init_teardown(struct sov_group *group)
{
	INIT_WORK(&group->stop_work, sov_group_stop_work);
	INIT_WORK(&group->reap_work, sov_group_reap_work);
}

/**
 * sov_groups_stop() - take all groups of a device off the hardware
 * @sov: The device, which is being removed or is wedged.
 */
void sov_groups_stop(struct sov_device *sov)
{
	struct sov_group *group;

	mutex_lock(&sov->groups_lock);
	/* Lets the vendor stop unresponsive channels together. */
	list_for_each_entry(group, &sov->groups, link)
		WRITE_ONCE(group->stop_pending, true);
	list_for_each_entry(group, &sov->groups, link)
		sov_group_stop(group);
	mutex_unlock(&sov->groups_lock);
}

static struct sov_group *sov_groups_next_unreaped(struct sov_device *sov)
{
	struct sov_group *group, *found = NULL;

	mutex_lock(&sov->groups_lock);
	list_for_each_entry(group, &sov->groups, link) {
		if (!READ_ONCE(group->reaped) && kref_get_unless_zero(&group->ref)) {
			found = group;
			break;
		}
	}
	mutex_unlock(&sov->groups_lock);
	return found;
}

/**
 * sov_groups_reap() - reap all groups of a device
 * @sov: The device, unplugged, so that no new groups are created. All groups are stopped.
 */
void sov_groups_reap(struct sov_device *sov)
{
	struct sov_group *group;

	while ((group = sov_groups_next_unreaped(sov))) {
		sov_group_reap(group);
		sov_group_put(group);
	}
}
