// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Ioctls that create, destroy and query queues. */
#include <drm/drm_drv.h>
#include <linux/log2.h>
#include <linux/slab.h>

#include "kmod/device.h"
#include "kmod/group.h"
#include "kmod/job.h"
#include "kmod/limits.h"
#include "kmod/queue.h"
#include "kmod/queue_ioctl.h"
#include "kmod/teardown.h"
#include "kmod/vm.h"

/* Stops and reaps a queue, and drops the caller's reference. */
static void sov_queue_destroy(struct sov_queue *queue)
{
	struct sov_group *group = queue->group;
	bool cookie = dma_fence_begin_signalling();

	mutex_lock(&group->lock);
	sov_queue_stop(queue);
	mutex_unlock(&group->lock);
	dma_fence_end_signalling(cookie);
	sov_group_reap(group);
	sov_user_queue_revoke(&queue->user);
	sov_queue_put(queue);
}

/**
 * sov_queues_fini() - destroy all queues of a file that is closed
 * @file: The file.
 */
void sov_queues_fini(struct sov_file *file)
{
	struct sov_queue *queue;
	unsigned long id;

	xa_for_each(&file->queues, id, queue)
		sov_queue_destroy(queue);
	xa_destroy(&file->queues);
}

/* Makes a queue live, unless its group was stopped since the queue was created. */
static int sov_queue_link(struct sov_queue *queue)
{
	struct sov_group *group = queue->group;
	struct sov_device *sov = group->sov;
	int ret = 0;

	mutex_lock(&group->lock);
	if (group->dead) {
		ret = -ECANCELED;
		goto out_unlock;
	}
	kref_get(&queue->ref);
	list_add(&queue->link, &group->live_queues);
	spin_lock_irq(&sov->queues_lock);
	queue->live = true;
	if (queue->mode == DRM_SOVGPU_QUEUE_KERNEL)
		list_add(&queue->device_link, &sov->queues);
	else
		sov_queue_set_active(queue, true);
	spin_unlock_irq(&sov->queues_lock);
out_unlock:
	mutex_unlock(&group->lock);
	return ret;
}

/* Creates a queue on the hardware. */
static int sov_queue_start(struct sov_queue *queue)
{
	const struct sov_vendor *vendor = queue->group->sov->vendor;
	struct sov_group *group = queue->group;
	int ret = -ECANCELED;

	mutex_lock(&group->setup_lock);
	if (READ_ONCE(group->dead))
		goto out_unlock;
	ret = vendor->queue_init(queue);
	if (ret) {
		if (READ_ONCE(group->stop_pending) && !READ_ONCE(group->sov->wedged))
			ret = -ECANCELED; /* the group faulted before the core stopped it */
		goto out_unlock;
	}
	ret = sov_queue_link(queue);
	if (ret) {
		vendor->queue_stop(queue);
		vendor->queue_fini(queue);
	}
out_unlock:
	mutex_unlock(&group->setup_lock);
	return ret;
}

/* Takes over the caller's reference to the group, also on failure. */
static struct sov_queue *sov_queue_create(struct sov_group *group, struct drm_file *file,
					  const struct drm_sovgpu_queue_create *c)
{
	struct sov_account *account = to_sov_file(file)->account;
	struct sov_queue *queue;
	int ret;

	ret = sov_account_charge(account, SOV_LIMIT_QUEUES, 1);
	if (ret)
		goto err_put_group;
	queue = kzalloc(group->sov->vendor->queue_bytes, GFP_KERNEL_ACCOUNT);
	if (!queue) {
		ret = -ENOMEM;
		goto err_uncharge;
	}
	queue->account = sov_account_get(account);
	queue->group = group;
	queue->owner = to_sov_file(file);
	queue->queue_class = c->queue_class;
	queue->mode = c->mode;
	queue->entries = c->ring_entries;
	queue->time_limit_ms = c->time_limit_ms;
	sov_queue_init(queue);
	if (c->mode == DRM_SOVGPU_QUEUE_USER) {
		ret = sov_user_queue_init(&queue->user, &group->sov->drm, account, file,
					  c->ring_va);
		if (ret)
			goto err_put_queue;
	}
	ret = sov_queue_start(queue);
	if (ret)
		goto err_put_queue;
	return queue;

err_put_queue:
	/* The queue's release drops the group and the charge. */
	sov_user_queue_revoke(&queue->user);
	sov_queue_put(queue);
	return ERR_PTR(ret);
err_uncharge:
	sov_account_uncharge(account, SOV_LIMIT_QUEUES, 1);
err_put_group:
	sov_group_put(group);
	return ERR_PTR(ret);
}

/* The hardware can read a ring only where it can read command streams. */
static int sov_queue_check_ring(struct sov_device *sov, const struct drm_sovgpu_queue_create *c)
{
	u64 bytes = (u64)c->ring_entries * sov->vendor->ring_entry_bytes;
	u64 end = sov->queue_info.job_va_end;

	if (c->time_limit_ms || c->ring_va % sov->vendor->ring_entry_bytes ||
	    c->ring_va < sov->vm_info.va_start || c->ring_va >= end || bytes > end - c->ring_va)
		return -EINVAL;
	return 0;
}

static int sov_queue_check_create(struct sov_device *sov, const struct drm_sovgpu_queue_create *c)
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
		return sov_queue_check_ring(sov, c);
	if (c->ring_va || !c->time_limit_ms || c->time_limit_ms > info->time_limit_ms_max)
		return -EINVAL;
	return 0;
}

static bool sov_queue_ring_is_mapped(struct sov_group *group,
				     const struct drm_sovgpu_queue_create *c)
{
	return sov_vm_is_mapped(group->vm, c->ring_va,
				(u64)c->ring_entries * group->sov->vendor->ring_entry_bytes);
}

/**
 * sov_queue_create_ioctl() - create a queue in a group
 * @drm: The device.
 * @data: &struct drm_sovgpu_queue_create.
 * @file: The calling file.
 *
 * Return: 0; -EINVAL; -ENOENT; -EOPNOTSUPP for a class or mode that the device does not support;
 * -EFAULT if the ring is not mapped; -ECANCELED if the group is stopped; -ENOMEM, also for a
 * system memory limit; -ENOSPC if VRAM, a VRAM limit or a queue limit is exhausted; -ENODEV; -EIO.
 */
int sov_queue_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_sovgpu_queue_create *c = data, reply = *c;
	struct sov_file *sfile = to_sov_file(file);
	struct sov_group *group;
	struct sov_queue *queue;
	int ret, idx;

	ret = sov_queue_check_create(to_sov_device(drm), c);
	if (ret)
		return ret;
	group = sov_group_find(sfile, c->group_id);
	if (!group)
		return -ENOENT;
	if (c->mode == DRM_SOVGPU_QUEUE_USER && !sov_queue_ring_is_mapped(group, c)) {
		ret = -EFAULT;
		goto err_put_group;
	}
	ret = sov_dev_enter(to_sov_device(drm), &idx);
	if (ret)
		goto err_put_group;
	queue = sov_queue_create(group, file, c);
	drm_dev_exit(idx);
	if (IS_ERR(queue))
		return PTR_ERR(queue);
	if (c->mode == DRM_SOVGPU_QUEUE_USER)
		sov_user_queue_describe(&queue->user, &reply);
	/* Another thread may guess the ID and destroy the queue from here on. */
	ret = xa_alloc(&sfile->queues, &reply.id, queue, xa_limit_31b, GFP_KERNEL_ACCOUNT);
	if (ret) {
		sov_queue_destroy(queue);
		return ret;
	}
	*c = reply;
	return 0;

err_put_group:
	sov_group_put(group);
	return ret;
}

/**
 * sov_queue_destroy_ioctl() - stop and destroy a queue
 * @drm: The device.
 * @data: &struct drm_sovgpu_queue_destroy.
 * @file: The calling file.
 *
 * Return: 0, -EINVAL, -ENOENT.
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
	sov_queue_destroy(queue);
	return 0;
}

/**
 * sov_queue_state_ioctl() - get the state and the fault of a queue
 * @drm: The device.
 * @data: &struct drm_sovgpu_queue_state.
 * @file: The calling file.
 *
 * Return: 0, -EINVAL, -ENOENT.
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
