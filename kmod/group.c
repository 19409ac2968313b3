// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Groups of queues. A group is stopped once, whoever wants it first: its file, the time limit of a
 * job, a fault, or the device that goes. After that nothing of it is on the hardware; queues and
 * group stay as numbers that say what happened until the file lets them go.
 */
#include <drm/drm_drv.h>
#include <linux/slab.h>

#include "kmod/device.h"
#include "kmod/file.h"
#include "kmod/group.h"
#include "kmod/queue.h"

#define SOV_MAX_GROUPS    64
#define SOV_PRIORITIES    2
#define SOV_MAX_TIME_SLICE_US 1000000

static void release(struct kref *ref)
{
	struct sov_group *group = container_of(ref, struct sov_group, ref);
	struct sov_device *sov = group->sov;

	mutex_lock(&sov->groups_lock);
	list_del(&group->link);
	mutex_unlock(&sov->groups_lock);
	sov_vm_put(group->vm);
	mutex_destroy(&group->lock);
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

/**
 * sov_group_stop() - take a group off the hardware
 * @group: the group; stopping it twice does nothing
 *
 * Queues that say nothing else yet are innocent. When this returns, fences of all jobs are
 * signalled.
 */
void sov_group_stop(struct sov_group *group)
{
	struct sov_queue *queue, *next;

	mutex_lock(&group->lock);
	if (!group->dead) {
		group->dead = true;
		list_for_each_entry_safe(queue, next, &group->queues, link)
			sov_queue_stop(queue);
		group->sov->vendor->group_fini(group);
	}
	mutex_unlock(&group->lock);
}

static void kill(struct work_struct *work)
{
	struct sov_group *group = container_of(work, struct sov_group, kill);

	sov_group_stop(group);
	sov_group_put(group);
}

/**
 * sov_group_stop_later() - stop a group from where one cannot sleep
 * @group: the group
 */
void sov_group_stop_later(struct sov_group *group)
{
	kref_get(&group->ref);
	if (!queue_work(group->sov->work, &group->kill))
		kref_put(&group->ref, release); /* not the last: the work has one */
}

/**
 * sov_groups_stop() - stop all groups of a device, because it goes
 * @sov: the device, unplugged: no new groups come
 */
void sov_groups_stop(struct sov_device *sov)
{
	struct sov_group *group;

	mutex_lock(&sov->groups_lock);
	list_for_each_entry(group, &sov->groups, link)
		sov_group_stop(group);
	mutex_unlock(&sov->groups_lock);
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
		sov_group_stop(group);
		sov_group_put(group);
	}
	xa_destroy(&file->groups);
}

/* Takes over the caller's reference to the address space, also when it fails. */
static struct sov_group *make(struct sov_device *sov, struct sov_vm *vm,
			      const struct drm_sovgpu_group_create *c)
{
	struct sov_group *group = kzalloc(sov->vendor->group_bytes, GFP_KERNEL);
	int ret;

	if (!group) {
		sov_vm_put(vm);
		return ERR_PTR(-ENOMEM);
	}
	kref_init(&group->ref);
	mutex_init(&group->lock);
	INIT_LIST_HEAD(&group->queues);
	INIT_WORK(&group->kill, kill);
	group->sov = sov;
	group->vm = vm;
	group->priority = c->priority;
	group->time_slice_us = c->time_slice_us;
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
 * Return: 0; EINVAL; ENOENT; ENOMEM; ENOSPC when the file has too many; ENODEV.
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
	    c->time_slice_us > SOV_MAX_TIME_SLICE_US)
		return -EINVAL;
	vm = sov_vm_find(own, c->vm_id);
	if (!vm)
		return -ENOENT;
	if (!drm_dev_enter(drm, &idx)) {
		sov_vm_put(vm);
		return -ENODEV;
	}
	group = make(to_sov(drm), vm, c);
	drm_dev_exit(idx);
	if (IS_ERR(group))
		return PTR_ERR(group);
	/* From here on another thread may guess the number and destroy it. */
	ret = xa_alloc(&own->groups, &id, group, XA_LIMIT(1, SOV_MAX_GROUPS), GFP_KERNEL);
	if (ret) {
		sov_group_stop(group);
		sov_group_put(group);
		return ret == -EBUSY ? -ENOSPC : ret;
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
	sov_group_stop(group);
	sov_group_put(group);
	return 0;
}
