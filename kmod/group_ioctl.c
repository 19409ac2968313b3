// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Ioctls that create and destroy queue groups. */
#include <drm/drm_drv.h>
#include <linux/slab.h>

#include "kmod/device.h"
#include "kmod/group.h"
#include "kmod/group_ioctl.h"
#include "kmod/limits.h"
#include "kmod/teardown.h"
#include "kmod/vm.h"

#define SOV_PRIORITIES 2

/**
 * sov_groups_fini() - destroy all groups of a file that is closed
 * @file: The file. Its queues are destroyed already.
 */
void sov_groups_fini(struct sov_file *file)
{
	struct sov_group *group;
	unsigned long id;

	xa_for_each(&file->groups, id, group) {
		sov_group_destroy(group);
		sov_group_put(group);
	}
	xa_destroy(&file->groups);
}

/* Takes over the caller's reference to the VM, also on failure. */
static struct sov_group *sov_group_create(struct sov_device *sov, struct sov_vm *vm,
					  struct sov_account *account,
					  const struct drm_sovgpu_group_create *c)
{
	struct sov_group *group;
	int ret;

	ret = sov_account_charge(account, SOV_LIMIT_GROUPS, 1);
	if (ret)
		goto err_put_vm;
	group = kzalloc(sov->vendor->group_bytes, GFP_KERNEL_ACCOUNT);
	if (!group) {
		ret = -ENOMEM;
		goto err_uncharge;
	}
	group->account = sov_account_get(account);
	kref_init(&group->ref);
	mutex_init(&group->setup_lock);
	mutex_init(&group->lock);
	INIT_LIST_HEAD(&group->live_queues);
	INIT_LIST_HEAD(&group->stopped_queues);
	sov_group_init_teardown(group);
	group->sov = sov;
	group->vm = vm;
	group->priority = c->priority;
	group->time_slice_us = c->time_slice_us;
	if (!group->time_slice_us)
		group->time_slice_us = sov->queue_info.time_slice_us_max;
	mutex_lock(&sov->groups_lock);
	list_add(&group->link, &sov->groups);
	mutex_unlock(&sov->groups_lock);
	return group;

err_uncharge:
	sov_account_uncharge(account, SOV_LIMIT_GROUPS, 1);
err_put_vm:
	sov_vm_put(vm);
	return ERR_PTR(ret);
}

/**
 * sov_group_create_ioctl() - create a queue group
 * @drm: The device.
 * @data: &struct drm_sovgpu_group_create.
 * @file: The calling file.
 *
 * Return: 0, -EINVAL, -ENOENT, -ENOMEM, -ENOSPC at a group limit, -ENODEV, -EIO.
 */
int sov_group_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct sov_file *sfile = to_sov_file(file);
	struct drm_sovgpu_group_create *c = data;
	struct sov_group *group;
	struct sov_vm *vm;
	int ret, idx;
	u32 id;

	if (c->flags || c->id || c->pad || c->priority >= SOV_PRIORITIES ||
	    c->time_slice_us > to_sov_device(drm)->queue_info.time_slice_us_max)
		return -EINVAL;
	vm = sov_vm_find(sfile, c->vm_id);
	if (!vm)
		return -ENOENT;
	ret = sov_dev_enter(to_sov_device(drm), &idx);
	if (ret) {
		sov_vm_put(vm);
		return ret;
	}
	group = sov_group_create(to_sov_device(drm), vm, sfile->account, c);
	drm_dev_exit(idx);
	if (IS_ERR(group))
		return PTR_ERR(group);
	/* Another thread may guess the ID and destroy the group from here on. */
	ret = xa_alloc(&sfile->groups, &id, group, xa_limit_31b, GFP_KERNEL_ACCOUNT);
	if (ret) {
		sov_group_destroy(group);
		sov_group_put(group);
		return ret;
	}
	c->id = id;
	return 0;
}

/**
 * sov_group_destroy_ioctl() - stop and destroy a group with its queues
 * @drm: The device.
 * @data: &struct drm_sovgpu_group_destroy.
 * @file: The calling file.
 *
 * Return: 0, -EINVAL, -ENOENT.
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
	sov_group_destroy(group);
	sov_group_put(group);
	return 0;
}
