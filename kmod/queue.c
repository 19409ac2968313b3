// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Queues: making them, stopping them, and what they say about themselves. How jobs go through them
 * is in job.c, where they come from in submit.c.
 */
#include <drm/drm_drv.h>
#include <linux/log2.h>
#include <linux/slab.h>

#include "kmod/device.h"
#include "kmod/file.h"
#include "kmod/group.h"
#include "kmod/limits.h"
#include "kmod/queue.h"

static void release(struct kref *ref)
{
	struct sov_queue *queue = container_of(ref, struct sov_queue, ref);

	sov_user_fini(queue);
	sov_group_put(queue->group);
	mutex_destroy(&queue->submit);
	sov_account_uncharge(queue->account, SOV_LIMIT_QUEUES, 1);
	sov_account_put(queue->account);
	kfree(queue);
}

/**
 * sov_queue_put() - let a queue go
 * @queue: the queue, which was stopped if this is its last user
 */
void sov_queue_put(struct sov_queue *queue)
{
	kref_put(&queue->ref, release);
}

/**
 * sov_queue_find() - look a queue up
 * @file: whose it is
 * @id: its number
 *
 * Return: the queue with a reference, or NULL.
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
 * sov_queue_stop() - take a queue off the hardware
 * @queue: the queue, with its group's lock held; stopping it twice does nothing
 *
 * Unless it says something else already, it is innocent afterwards. When this returns, fences of
 * all its jobs are signalled; what it has is given back by sov_group_bury().
 */
void sov_queue_stop(struct sov_queue *queue)
{
	struct sov_device *sov = queue->group->sov;

	lockdep_assert_held(&queue->group->lock);
	if (!queue->live)
		return;
	sov_queues_retire(sov); /* what was done is not cancelled */
	spin_lock_irq(&queue->lock);
	queue->live = false;
	sov_queue_set_busy(queue, false);
	if (queue->state == DRM_SOVGPU_QUEUE_STATE_USABLE)
		queue->state = DRM_SOVGPU_QUEUE_STATE_INNOCENT;
	spin_unlock_irq(&queue->lock);
	spin_lock_irq(&sov->queues_lock);
	list_del_init(&queue->device_link);
	spin_unlock_irq(&sov->queues_lock);
	list_move_tail(&queue->link, &queue->group->stopped);
	sov->vendor->queue_stop(queue);
	sov_queue_cancel(queue);
}

static void end(struct sov_queue *queue)
{
	struct sov_group *group = queue->group;
	bool cookie = dma_fence_begin_signalling();

	mutex_lock(&group->lock);
	sov_queue_stop(queue);
	mutex_unlock(&group->lock);
	dma_fence_end_signalling(cookie);
	sov_group_bury(group);
	sov_user_hide(queue);
	sov_queue_put(queue);
}

/**
 * sov_queue_fault() - the hardware says that a queue's work failed
 * @queue: the queue, live
 * @code: the vendor's number for what went wrong
 * @unit: for where
 * @address: that was accessed, or 0
 * @kind: for why that was not possible
 *
 * Called from anywhere; the group is stopped later.
 */
void sov_queue_fault(struct sov_queue *queue, u32 code, u32 unit, u64 address, u32 kind)
{
	unsigned long flags;

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
		sov_vm_fault(queue->group->vm, address);
	sov_group_stop_later(queue->group);
	sov_interrupt(queue->group->sov);
}

/**
 * sov_queues_fini() - for a file that is closed
 * @file: the file
 */
void sov_queues_fini(struct sov_file *file)
{
	struct sov_queue *queue;
	unsigned long id;

	xa_for_each(&file->queues, id, queue)
		end(queue);
	xa_destroy(&file->queues);
}

/* The group may have died while it was made; then it is not shown to anybody. */
static int link(struct sov_queue *queue)
{
	struct sov_group *group = queue->group;
	struct sov_device *sov = group->sov;
	int ret = -ECANCELED;

	mutex_lock(&group->lock);
	if (!group->dead) {
		kref_get(&queue->ref);
		list_add(&queue->link, &group->queues);
		spin_lock_irq(&sov->queues_lock);
		queue->live = true;
		if (queue->mode == DRM_SOVGPU_QUEUE_KERNEL)
			list_add(&queue->device_link, &sov->queues);
		else
			sov_queue_set_busy(queue, true);
		spin_unlock_irq(&sov->queues_lock);
		ret = 0;
	}
	mutex_unlock(&group->lock);
	return ret;
}

static int start(struct sov_queue *queue)
{
	const struct sov_vendor *vendor = queue->group->sov->vendor;
	struct sov_group *group = queue->group;
	int ret = -ECANCELED;

	mutex_lock(&group->building);
	if (!READ_ONCE(group->dead))
		ret = vendor->queue_init(queue);
	if (!ret) {
		ret = link(queue);
		if (ret) {
			vendor->queue_stop(queue);
			vendor->queue_fini(queue);
		}
	} else if (READ_ONCE(group->stop_pending) && !READ_ONCE(group->sov->wedged)) {
		ret = -ECANCELED; /* the hardware knew first that it has failed */
	}
	mutex_unlock(&group->building);
	return ret;
}

/* Takes over the caller's reference to the group, also when it fails. */
static struct sov_queue *make(struct sov_group *group, struct drm_file *file,
			      const struct drm_sovgpu_queue_create *c)
{
	struct sov_account *account = to_sov_file(file)->account;
	struct sov_queue *queue = NULL;
	int ret;

	ret = sov_account_charge(account, SOV_LIMIT_QUEUES, 1);
	if (!ret) {
		queue = kzalloc(group->sov->vendor->queue_bytes, GFP_KERNEL_ACCOUNT);
		if (!queue) {
			sov_account_uncharge(account, SOV_LIMIT_QUEUES, 1);
			ret = -ENOMEM;
		}
	}
	if (ret) {
		sov_group_put(group);
		return ERR_PTR(ret);
	}
	queue->account = sov_account_get(account);
	queue->group = group;
	queue->owner = to_sov_file(file);
	queue->queue_class = c->queue_class;
	queue->mode = c->mode;
	queue->entries = c->ring_entries;
	queue->time_limit_ms = c->time_limit_ms;
	sov_queue_init(queue);
	if (c->mode == DRM_SOVGPU_QUEUE_USER)
		ret = sov_user_init(queue, file, c->ring_va);
	if (!ret)
		ret = start(queue);
	if (ret) {
		sov_user_hide(queue);
		sov_queue_put(queue);
		return ERR_PTR(ret);
	}
	return queue;
}

/* The hardware reads a ring where it reads command streams. */
static int check_ring(struct sov_device *sov, const struct drm_sovgpu_queue_create *c)
{
	u64 bytes = (u64)c->ring_entries * sov->vendor->ring_entry_bytes;
	u64 end = sov->queue_info.job_va_end;

	if (c->time_limit_ms || c->ring_va % sov->vendor->ring_entry_bytes ||
	    c->ring_va < sov->vm_info.va_start || c->ring_va >= end || bytes > end - c->ring_va)
		return -EINVAL;
	return 0;
}

static int check(struct sov_device *sov, const struct drm_sovgpu_queue_create *c)
{
	const struct drm_sovgpu_queue_info *info = &sov->queue_info;

	if (c->flags || c->id || c->doorbell_value || c->doorbell_offset || c->pointers_offset ||
	    c->put_offset || c->get_offset)
		return -EINVAL;
	if (c->queue_class >= SOV_QUEUE_CLASSES || c->mode > DRM_SOVGPU_QUEUE_USER)
		return -EINVAL;
	if (!(info->classes & BIT(c->queue_class)) || !(info->modes & BIT(c->mode)))
		return -EOPNOTSUPP;
	if (!is_power_of_2(c->ring_entries) || c->ring_entries < info->ring_entries_min ||
	    c->ring_entries > info->ring_entries_max)
		return -EINVAL;
	if (c->mode == DRM_SOVGPU_QUEUE_USER)
		return check_ring(sov, c);
	if (c->ring_va || !c->time_limit_ms || c->time_limit_ms > info->time_limit_ms_max)
		return -EINVAL;
	return 0;
}

/**
 * sov_queue_create_ioctl() - make a queue in a group
 * @drm: the device
 * @data: &struct drm_sovgpu_queue_create
 * @file: who asks
 *
 * Return: 0; EINVAL; ENOENT; EOPNOTSUPP for a class or mode that the device does not have; EFAULT
 * for a ring that is not mapped; ECANCELED in a group that was stopped; ENOMEM also when the file
 * has its part of system memory; ENOSPC when VRAM is full, or the file has its part of it, or too
 * many; ENODEV; EIO.
 */
int sov_queue_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_sovgpu_queue_create *c = data, answer = *c;
	struct sov_file *own = to_sov_file(file);
	struct sov_group *group;
	struct sov_queue *queue;
	int ret, idx;

	ret = check(to_sov_device(drm), c);
	if (ret)
		return ret;
	group = sov_group_find(own, c->group_id);
	if (!group)
		return -ENOENT;
	ret = -EFAULT;
	if (c->mode == DRM_SOVGPU_QUEUE_KERNEL ||
	    sov_vm_maps(group->vm, c->ring_va,
			(u64)c->ring_entries * to_sov_device(drm)->vendor->ring_entry_bytes))
		ret = sov_enter(to_sov_device(drm), &idx);
	if (ret) {
		sov_group_put(group);
		return ret;
	}
	queue = make(group, file, c);
	drm_dev_exit(idx);
	if (IS_ERR(queue))
		return PTR_ERR(queue);
	if (c->mode == DRM_SOVGPU_QUEUE_USER)
		sov_user_tell(queue, &answer);
	/* From here on another thread may guess the number and destroy it. */
	ret = xa_alloc(&own->queues, &answer.id, queue, xa_limit_31b, GFP_KERNEL_ACCOUNT);
	if (ret) {
		end(queue);
		return ret;
	}
	*c = answer;
	return 0;
}

/**
 * sov_queue_destroy_ioctl() - stop a queue
 * @drm: the device
 * @data: &struct drm_sovgpu_queue_destroy
 * @file: who asks
 *
 * Return: 0; EINVAL; ENOENT.
 */
int sov_queue_destroy_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_sovgpu_queue_destroy *d = data;
	struct sov_queue *queue;

	if (d->pad)
		return -EINVAL;
	queue = xa_erase(&to_sov_file(file)->queues, d->id);
	if (!queue)
		return -ENOENT;
	end(queue);
	return 0;
}

/**
 * sov_queue_state_ioctl() - does a queue run, and if not, why
 * @drm: the device
 * @data: &struct drm_sovgpu_queue_state
 * @file: who asks
 *
 * Return: 0; EINVAL; ENOENT.
 */
int sov_queue_state_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_sovgpu_queue_state *s = data;
	struct sov_queue *queue;

	if (s->state || s->fault_code || s->fault_unit || s->fault_address || s->fault_kind ||
	    s->pad)
		return -EINVAL;
	queue = sov_queue_find(to_sov_file(file), s->queue_id);
	if (!queue)
		return -ENOENT;
	spin_lock_irq(&queue->lock);
	s->state = queue->state;
	s->fault_code = queue->fault_code;
	s->fault_unit = queue->fault_unit;
	s->fault_address = queue->fault_address;
	s->fault_kind = queue->fault_kind;
	spin_unlock_irq(&queue->lock);
	sov_queue_put(queue);
	return 0;
}
