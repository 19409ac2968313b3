// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Groups of queues. A group is stopped once, whoever wants it first: its file, the time limit of a
 * job, a fault, or the device that goes. After that nothing of it is on the hardware; queues and
 * group stay as numbers that say what happened until the file lets them go.
 *
 * It dies in two steps. First all its queues are taken off the hardware and their fences are
 * signalled; who reclaims memory may wait for that, so it takes no lock under which memory is
 * allocated, and lockdep is told (dma_fence_begin_signalling). Then it is buried: what queues and
 * group had is given back.
 */
#include <drm/drm_drv.h>
#include <linux/dma-fence.h>
#include <linux/slab.h>

#include "kmod/device.h"
#include "kmod/file.h"
#include "kmod/group.h"
#include "kmod/limits.h"
#include "kmod/queue.h"

#define SOV_PRIORITIES 2

static void release(struct kref *ref)
{
	struct sov_group *group = container_of(ref, struct sov_group, ref);
	struct sov_device *sov = group->sov;

	mutex_lock(&sov->groups_lock);
	list_del(&group->link);
	mutex_unlock(&sov->groups_lock);
	sov_vm_put(group->vm);
	mutex_destroy(&group->lock);
	mutex_destroy(&group->building);
	sov_account_uncharge(group->account, SOV_LIMIT_GROUPS, 1);
	sov_account_put(group->account);
	kfree(group);
}

/**
 * sov_group_put() - let a group go
 * @group: the group, which was stopped if this is its last user
 */
void sov_group_put(struct sov_group *group)
{
	kref_put(&group->ref, release);
}

/**
 * sov_group_find() - look a group up
 * @file: whose it is
 * @id: its number
 *
 * Return: the group with a reference, or NULL.
 */
struct sov_group *sov_group_find(struct sov_file *file, u32 id)
{
	struct sov_group *group;

	xa_lock(&file->groups);
	group = xa_load(&file->groups, id);
	if (group)
		kref_get(&group->ref);
	xa_unlock(&file->groups);
	return group;
}

/* The first step: queues that say nothing else yet are innocent. Doing it twice does nothing. */
static void stop(struct sov_group *group)
{
	struct sov_queue *queue, *next;
	bool cookie = dma_fence_begin_signalling();

	WRITE_ONCE(group->stop_pending, true);
	mutex_lock(&group->lock);
	WRITE_ONCE(group->dead, true);
	list_for_each_entry_safe(queue, next, &group->queues, link)
		sov_queue_stop(queue);
	mutex_unlock(&group->lock);
	dma_fence_end_signalling(cookie);
}

/* NULL: there is none now; @dead: and none will come. */
static struct sov_queue *next_stopped(struct sov_group *group, bool *dead)
{
	struct sov_queue *queue;

	mutex_lock(&group->lock);
	queue = list_first_entry_or_null(&group->stopped, struct sov_queue, link);
	if (queue)
		list_del(&queue->link);
	*dead = group->dead;
	mutex_unlock(&group->lock);
	return queue;
}

/**
 * sov_group_bury() - give back what stopped queues had, and what the group had if it is dead
 * @group: the group, which the caller holds; doing it twice does nothing
 */
void sov_group_bury(struct sov_group *group)
{
	struct sov_queue *queue;
	bool dead;

	mutex_lock(&group->building);
	while ((queue = next_stopped(group, &dead))) {
		group->sov->vendor->queue_fini(queue);
		sov_queue_put(queue);
	}
	if (dead && !group->emptied) {
		group->sov->vendor->group_fini(group);
		WRITE_ONCE(group->emptied, true);
	}
	mutex_unlock(&group->building);
}

/*
 * Both steps: when this returns, fences of all jobs are signalled, nothing is kept, and nobody
 * comes to stop it any more.
 */
static void end(struct sov_group *group)
{
	stop(group);
	flush_work(&group->kill);
	sov_group_bury(group);
	flush_work(&group->bury);
}

static void bury(struct work_struct *work)
{
	struct sov_group *group = container_of(work, struct sov_group, bury);

	sov_group_bury(group);
	sov_group_put(group);
}

static void kill(struct work_struct *work)
{
	struct sov_group *group = container_of(work, struct sov_group, kill);

	stop(group);
	/* With our reference, unless another burial is on its way and has one. */
	if (!queue_work(group->sov->late_work, &group->bury))
		sov_group_put(group);
}

/**
 * sov_group_stop_later() - stop a group from where one cannot sleep
 * @group: the group
 */
void sov_group_stop_later(struct sov_group *group)
{
	WRITE_ONCE(group->stop_pending, true);
	kref_get(&group->ref);
	if (!queue_work(group->sov->work, &group->kill))
		kref_put(&group->ref, release); /* not the last: the work has one */
}

/**
 * sov_groups_stop() - take all groups of a device off the hardware
 * @sov: the device, which goes or was given up
 */
void sov_groups_stop(struct sov_device *sov)
{
	struct sov_group *group;

	mutex_lock(&sov->groups_lock);
	list_for_each_entry(group, &sov->groups, link)
		WRITE_ONCE(group->stop_pending, true); /* those that hang are stopped together */
	list_for_each_entry(group, &sov->groups, link)
		stop(group);
	mutex_unlock(&sov->groups_lock);
}

static struct sov_group *next_unburied(struct sov_device *sov)
{
	struct sov_group *group, *found = NULL;

	mutex_lock(&sov->groups_lock);
	list_for_each_entry(group, &sov->groups, link) {
		if (!READ_ONCE(group->emptied) && kref_get_unless_zero(&group->ref)) {
			found = group;
			break;
		}
	}
	mutex_unlock(&sov->groups_lock);
	return found;
}

/**
 * sov_groups_bury() - let all groups give back what they had
 * @sov: the device, unplugged: no new groups come; all are stopped
 */
void sov_groups_bury(struct sov_device *sov)
{
	struct sov_group *group;

	while ((group = next_unburied(sov))) {
		sov_group_bury(group);
		sov_group_put(group);
	}
}

/**
 * sov_groups_condemn() - for a file that is closed, before it loses its queues one by one
 * @file: the file
 */
void sov_groups_condemn(struct sov_file *file)
{
	struct sov_group *group;
	unsigned long id;

	xa_for_each(&file->groups, id, group)
		WRITE_ONCE(group->stop_pending, true);
}

/**
 * sov_groups_fini() - for a file that is closed
 * @file: the file; its queues are gone already
 */
void sov_groups_fini(struct sov_file *file)
{
	struct sov_group *group;
	unsigned long id;

	xa_for_each(&file->groups, id, group) {
		end(group);
		sov_group_put(group);
	}
	xa_destroy(&file->groups);
}

/* Takes over the caller's reference to the address space, also when it fails. */
static struct sov_group *make(struct sov_device *sov, struct sov_vm *vm,
			      struct sov_account *account, const struct drm_sovgpu_group_create *c)
{
	struct sov_group *group = NULL;
	int ret;

	ret = sov_account_charge(account, SOV_LIMIT_GROUPS, 1);
	if (!ret) {
		group = kzalloc(sov->vendor->group_bytes, GFP_KERNEL_ACCOUNT);
		if (!group) {
			sov_account_uncharge(account, SOV_LIMIT_GROUPS, 1);
			ret = -ENOMEM;
		}
	}
	if (ret) {
		sov_vm_put(vm);
		return ERR_PTR(ret);
	}
	group->account = sov_account_get(account);
	kref_init(&group->ref);
	mutex_init(&group->building);
	mutex_init(&group->lock);
	INIT_LIST_HEAD(&group->queues);
	INIT_LIST_HEAD(&group->stopped);
	INIT_WORK(&group->kill, kill);
	INIT_WORK(&group->bury, bury);
	group->sov = sov;
	group->vm = vm;
	group->priority = c->priority;
	group->time_slice_us = c->time_slice_us;
	if (!group->time_slice_us)
		group->time_slice_us = sov->queue_info.time_slice_us_max;
	mutex_lock(&sov->groups_lock);
	list_add(&group->link, &sov->groups);
	mutex_unlock(&sov->groups_lock);
	ret = sov->vendor->group_init(group);
	if (ret) {
		group->dead = true;
		sov_group_put(group);
		return ERR_PTR(ret);
	}
	return group;
}

/**
 * sov_group_create_ioctl() - make a group of queues
 * @drm: the device
 * @data: &struct drm_sovgpu_group_create
 * @file: who asks
 *
 * Return: 0; EINVAL; ENOENT; ENOMEM; ENOSPC when the file has too many; ENODEV; EIO.
 */
int sov_group_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_sovgpu_group_create *c = data;
	struct sov_file *own = to_sov_file(file);
	struct sov_group *group;
	struct sov_vm *vm;
	int ret, idx;
	u32 id;

	if (c->flags || c->id || c->pad || c->priority >= SOV_PRIORITIES ||
	    c->time_slice_us > to_sov_device(drm)->queue_info.time_slice_us_max)
		return -EINVAL;
	vm = sov_vm_find(own, c->vm_id);
	if (!vm)
		return -ENOENT;
	ret = sov_enter(to_sov_device(drm), &idx);
	if (ret) {
		sov_vm_put(vm);
		return ret;
	}
	group = make(to_sov_device(drm), vm, own->account, c);
	drm_dev_exit(idx);
	if (IS_ERR(group))
		return PTR_ERR(group);
	/* From here on another thread may guess the number and destroy it. */
	ret = xa_alloc(&own->groups, &id, group, xa_limit_31b, GFP_KERNEL_ACCOUNT);
	if (ret) {
		end(group);
		sov_group_put(group);
		return ret;
	}
	c->id = id;
	return 0;
}

/**
 * sov_group_destroy_ioctl() - stop a group and its queues
 * @drm: the device
 * @data: &struct drm_sovgpu_group_destroy
 * @file: who asks
 *
 * Return: 0; EINVAL; ENOENT.
 */
int sov_group_destroy_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_sovgpu_group_destroy *d = data;
	struct sov_group *group;

	if (d->pad)
		return -EINVAL;
	group = xa_erase(&to_sov_file(file)->groups, d->id);
	if (!group)
		return -ENOENT;
	end(group);
	sov_group_put(group);
	return 0;
}
