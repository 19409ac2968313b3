// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Limits, see limit.h. Each is a row: its parameter, what it is unless somebody says otherwise, and
 * the one error of whoever wants more. They can be changed while files are open; who has more than
 * a new limit allows keeps it, and gets no more.
 */
#include <drm/drm_debugfs.h>
#include <drm/drm_device.h>
#include <drm/drm_file.h>
#include <drm/drm_print.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "kmod/file.h"
#include "kmod/limits.h"

/* More than any machine has, small enough for sums. */
#define ALL_BYTES BIT_ULL(60)

static struct {
	const char *name;
	bool bytes; /* the parameter counts MiB, and 0 is the driver's own choice */
	int error;
	unsigned long long most;
} rows[SOV_LIMITS] = {
	[SOV_LIMIT_VRAM] = { "vram", true, -ENOSPC, 0 },
	[SOV_LIMIT_SYSTEM] = { "system", true, -ENOMEM, 0 },
	[SOV_LIMIT_BUFFERS] = { "buffers", false, -ENOSPC, 65536 },
	[SOV_LIMIT_VMS] = { "vms", false, -ENOSPC, 64 },
	[SOV_LIMIT_MAPPINGS] = { "mappings", false, -ENOSPC, 65536 },
	[SOV_LIMIT_GROUPS] = { "groups", false, -ENOSPC, 64 },
	[SOV_LIMIT_QUEUES] = { "queues", false, -ENOSPC, 256 },
};

module_param_named(max_vram_mib, rows[SOV_LIMIT_VRAM].most, ullong, 0644);
MODULE_PARM_DESC(max_vram_mib, "video memory of a file in MiB (0: all there is)");
module_param_named(max_system_mib, rows[SOV_LIMIT_SYSTEM].most, ullong, 0644);
MODULE_PARM_DESC(max_system_mib, "system memory of a file in MiB (0: half of the machine's)");
module_param_named(max_buffers, rows[SOV_LIMIT_BUFFERS].most, ullong, 0644);
MODULE_PARM_DESC(max_buffers, "handles to buffers of a file (65536)");
module_param_named(max_vms, rows[SOV_LIMIT_VMS].most, ullong, 0644);
MODULE_PARM_DESC(max_vms, "address spaces of a file (64)");
module_param_named(max_mappings, rows[SOV_LIMIT_MAPPINGS].most, ullong, 0644);
MODULE_PARM_DESC(max_mappings, "ranges that are mapped in address spaces of a file (65536)");
module_param_named(max_groups, rows[SOV_LIMIT_GROUPS].most, ullong, 0644);
MODULE_PARM_DESC(max_groups, "groups of queues of a file (64)");
module_param_named(max_queues, rows[SOV_LIMIT_QUEUES].most, ullong, 0644);
MODULE_PARM_DESC(max_queues, "queues of a file (256)");

static u64 most(enum sov_limit limit)
{
	u64 value = READ_ONCE(rows[limit].most);

	if (!rows[limit].bytes)
		return value;
	if (value)
		return min(value, ALL_BYTES >> 20) << 20;
	return limit == SOV_LIMIT_SYSTEM ? (u64)totalram_pages() << PAGE_SHIFT >> 1 : ALL_BYTES;
}

/**
 * sov_account_make() - for a new file
 *
 * Return: an account of nothing, or NULL.
 */
struct sov_account *sov_account_make(void)
{
	struct sov_account *account = kzalloc(sizeof(*account), GFP_KERNEL_ACCOUNT);

	if (account)
		kref_init(&account->ref);
	return account;
}

/**
 * sov_account_get() - keep an account
 * @account: the account
 *
 * Return: the account, to be given to sov_account_put().
 */
struct sov_account *sov_account_get(struct sov_account *account)
{
	kref_get(&account->ref);
	return account;
}

static void release(struct kref *ref)
{
	struct sov_account *account = container_of(ref, struct sov_account, ref);
	int i;

	for (i = 0; i < SOV_LIMITS; i++)
		WARN_ON_ONCE(atomic64_read(&account->used[i]));
	kfree(account);
}

/**
 * sov_account_put() - let it go
 * @account: the account
 */
void sov_account_put(struct sov_account *account)
{
	kref_put(&account->ref, release);
}

/**
 * sov_account_charge() - a file wants more of something
 * @account: of the file; NULL: the driver itself
 * @limit: of what; SOV_LIMITS: nothing that is counted
 * @amount: how much more; 0 is always granted
 *
 * Return: 0, to be undone by sov_account_uncharge(); or the limit's own errno.
 */
int sov_account_charge(struct sov_account *account, enum sov_limit limit, u64 amount)
{
	u64 all;
	s64 used;

	if (!account || limit == SOV_LIMITS || !amount) /* who has too much may go on */
		return 0;
	all = most(limit);
	used = atomic64_read(&account->used[limit]);
	do {
		/* What is refused is never counted: another thread would be refused, too. */
		if (amount > all || used > all - amount)
			return rows[limit].error;
	} while (!atomic64_try_cmpxchg(&account->used[limit], &used, used + amount));
	return 0;
}

/**
 * sov_account_charge_forced() - a file needs more of something to give other things back
 * @account: of the file; NULL: the driver itself
 * @limit: of what
 * @amount: how much more, which no limit refuses; to be undone by sov_account_uncharge()
 */
void sov_account_charge_forced(struct sov_account *account, enum sov_limit limit, u64 amount)
{
	if (account)
		atomic64_add(amount, &account->used[limit]);
}

/**
 * sov_account_uncharge() - something is gone
 * @account: of the file that had it; NULL: the driver itself
 * @limit: what
 * @amount: how much
 */
void sov_account_uncharge(struct sov_account *account, enum sov_limit limit, u64 amount)
{
	if (account && limit != SOV_LIMITS)
		atomic64_sub(amount, &account->used[limit]);
}

/**
 * sov_account_show() - the driver's own part of a file's fdinfo
 * @p: where to
 * @account: of the file
 */
void sov_account_show(struct drm_printer *p, struct sov_account *account)
{
	int i;

	for (i = 0; i < SOV_LIMITS; i++) {
		u32 shift = rows[i].bytes ? 10 : 0;
		const char *unit = rows[i].bytes ? " KiB" : "";

		drm_printf(p, "sovgpu-%s:\t%llu%s\n", rows[i].name,
			   (u64)atomic64_read(&account->used[i]) >> shift, unit);
		drm_printf(p, "sovgpu-max-%s:\t%llu%s\n", rows[i].name, most(i) >> shift, unit);
	}
}

/* A row for each open file, and one before them with what each may have. */
static int show(struct seq_file *m, void *data)
{
	struct drm_debugfs_entry *entry = m->private;
	struct drm_device *drm = entry->dev;
	struct drm_file *file;
	int i;

	seq_puts(m, "client");
	for (i = 0; i < SOV_LIMITS; i++)
		seq_printf(m, "\t%s", rows[i].name);
	seq_puts(m, "\nmost");
	for (i = 0; i < SOV_LIMITS; i++)
		seq_printf(m, "\t%llu", most(i));
	seq_puts(m, "\n");
	mutex_lock(&drm->filelist_mutex);
	list_for_each_entry(file, &drm->filelist, lhead) {
		seq_printf(m, "%llu", file->client_id);
		for (i = 0; i < SOV_LIMITS; i++)
			seq_printf(m, "\t%llu",
				   (u64)atomic64_read(&to_sov_file(file)->account->used[i]));
		seq_puts(m, "\n");
	}
	mutex_unlock(&drm->filelist_mutex);
	return 0;
}

/**
 * sov_limits_init() - show in debugfs who has what: the file "limits"
 * @drm: the device, not registered yet
 */
void sov_limits_init(struct drm_device *drm)
{
	drm_debugfs_add_file(drm, "limits", show, NULL);
}
