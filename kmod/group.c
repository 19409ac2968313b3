// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * References to queue groups, and requests to stop them. group_ioctl.c creates groups, and
 * teardown.c stops and reaps them.
 */
#include <linux/slab.h>

#include "kmod/device.h"
#include "kmod/group.h"
#include "kmod/limits.h"
#include "kmod/vm.h"

static void sov_group_release(struct kref *ref)
{
	struct sov_group *group = container_of(ref, struct sov_group, ref);
	struct sov_device *sov = group->sov;

	mutex_lock(&sov->groups_lock);
	list_del(&group->link);
	mutex_unlock(&sov->groups_lock);
	sov_vm_put(group->vm);
	mutex_destroy(&group->lock);
	mutex_destroy(&group->setup_lock);
	sov_account_uncharge(group->account, SOV_LIMIT_GROUPS, 1);
	sov_account_put(group->account);
	kfree(group);
}

/**
 * sov_group_put() - drop a reference to a group
 * @group: The group. It is dead before its last reference is dropped.
 */
void sov_group_put(struct sov_group *group)
{
	kref_put(&group->ref, sov_group_release);
}

/**
 * sov_group_find() - look up a group
 * @file: The file that owns the group.
 * @id: ID of the group.
 *
 * Return: The group with a reference, or NULL.
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
 * sov_group_schedule_stop() - stop a group asynchronously
 * @group: The group.
 *
 * Context: Any.
 */
void sov_group_schedule_stop(struct sov_group *group)
{
	WRITE_ONCE(group->stop_pending, true);
	kref_get(&group->ref);
	if (!queue_work(group->sov->wq, &group->stop_work))
		kref_put(&group->ref, sov_group_release); /* the pending work holds another one */
}

/**
 * sov_groups_set_stop_pending() - announce that all groups of a file will be stopped
 * @file: The file, which is being closed.
 *
 * The vendor stops the channels of all such groups together: a channel that does not respond costs
 * its timeout once instead of once per group.
 */
void sov_groups_set_stop_pending(struct sov_file *file)
{
	struct sov_group *group;
	unsigned long id;

	xa_for_each(&file->groups, id, group)
		WRITE_ONCE(group->stop_pending, true);
}
