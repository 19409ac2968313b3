// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Resource limits, see limits.h. Each limit has a row with its module parameter, its default and
 * the errno for exceeding it. Root can change the parameters while files are open: a file that is
 * above a lowered limit keeps its objects, but cannot create further ones.
 */
#include <drm/drm_print.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "kmod/limits.h"

/* Exceeds the memory of any machine, and sums of such values do not overflow. */
#define SOV_LIMIT_MAX_BYTES BIT_ULL(60)

static struct {
	const char *name;
	bool bytes; /* the parameter is in MiB, and 0 selects the driver's default */
	int error;
	unsigned long long max;
} sov_limits[SOV_LIMIT_COUNT] = {
	[SOV_LIMIT_VRAM] = { "vram", true, -ENOSPC, 0 },
	[SOV_LIMIT_SYSTEM] = { "system", true, -ENOMEM, 0 },
	[SOV_LIMIT_BUFFERS] = { "buffers", false, -ENOSPC, 65536 },
	[SOV_LIMIT_VMS] = { "vms", false, -ENOSPC, 64 },
	[SOV_LIMIT_MAPPINGS] = { "mappings", false, -ENOSPC, 65536 },
	[SOV_LIMIT_GROUPS] = { "groups", false, -ENOSPC, 64 },
	[SOV_LIMIT_QUEUES] = { "queues", false, -ENOSPC, 256 },
};

module_param_named(max_vram_mib, sov_limits[SOV_LIMIT_VRAM].max, ullong, 0644);
MODULE_PARM_DESC(max_vram_mib, "Maximum VRAM per file in MiB (default: 0, unlimited)");
module_param_named(max_system_mib, sov_limits[SOV_LIMIT_SYSTEM].max, ullong, 0644);
MODULE_PARM_DESC(max_system_mib,
		 "Maximum system memory per file in MiB (default: 0, half of the RAM)");
module_param_named(max_buffers, sov_limits[SOV_LIMIT_BUFFERS].max, ullong, 0644);
MODULE_PARM_DESC(max_buffers, "Maximum buffer handles per file (default: 65536)");
module_param_named(max_vms, sov_limits[SOV_LIMIT_VMS].max, ullong, 0644);
MODULE_PARM_DESC(max_vms, "Maximum GPU address spaces per file (default: 64)");
module_param_named(max_mappings, sov_limits[SOV_LIMIT_MAPPINGS].max, ullong, 0644);
MODULE_PARM_DESC(max_mappings, "Maximum mapped VA ranges per file (default: 65536)");
module_param_named(max_groups, sov_limits[SOV_LIMIT_GROUPS].max, ullong, 0644);
MODULE_PARM_DESC(max_groups, "Maximum queue groups per file (default: 64)");
module_param_named(max_queues, sov_limits[SOV_LIMIT_QUEUES].max, ullong, 0644);
MODULE_PARM_DESC(max_queues, "Maximum queues per file (default: 256)");

static u64 sov_limit_max(enum sov_limit limit)
{
	u64 value = READ_ONCE(sov_limits[limit].max);

	if (!sov_limits[limit].bytes)
		return value;
	if (value)
		return min(value, SOV_LIMIT_MAX_BYTES >> 20) << 20;
	return limit == SOV_LIMIT_SYSTEM ? (u64)totalram_pages() << PAGE_SHIFT >> 1
					 : SOV_LIMIT_MAX_BYTES;
}

/**
 * sov_account_create() - allocate the account of a new file
 *
 * Return: An account without charges, or NULL.
 */
struct sov_account *sov_account_create(void)
{
	struct sov_account *account = kzalloc(sizeof(*account), GFP_KERNEL_ACCOUNT);

	if (account)
		kref_init(&account->ref);
	return account;
}

/**
 * sov_account_get() - take a reference to an account
 * @account: The account.
 *
 * Return: @account. The caller releases it with sov_account_put().
 */
struct sov_account *sov_account_get(struct sov_account *account)
{
	kref_get(&account->ref);
	return account;
}

static void sov_account_release(struct kref *ref)
{
	struct sov_account *account = container_of(ref, struct sov_account, ref);
	int i;

	for (i = 0; i < SOV_LIMIT_COUNT; i++)
		WARN_ON_ONCE(atomic64_read(&account->used[i]));
	kfree(account);
}

/**
 * sov_account_put() - drop a reference to an account
 * @account: The account.
 */
void sov_account_put(struct sov_account *account)
{
	kref_put(&account->ref, sov_account_release);
}

/**
 * sov_account_charge() - charge an account unless that exceeds a limit
 * @account: The file's account, or NULL for the driver's own objects, which have no limit.
 * @limit: The resource. SOV_LIMIT_NONE is never charged.
 * @amount: Additional usage. The function always grants 0.
 *
 * Return: 0, to be undone with sov_account_uncharge(), or the errno of the limit.
 */
int sov_account_charge(struct sov_account *account, enum sov_limit limit, u64 amount)
{
	u64 max;
	s64 used;

	/* A file above a lowered limit must still be able to split a mapping at no cost. */
	if (!account || limit == SOV_LIMIT_NONE || !amount)
		return 0;
	max = sov_limit_max(limit);
	used = atomic64_read(&account->used[limit]);
	do {
		/* Never add first and subtract on failure: a concurrent charge could fail then. */
		if (amount > max || used > max - amount)
			return sov_limits[limit].error;
	} while (!atomic64_try_cmpxchg(&account->used[limit], &used, used + amount));
	return 0;
}

/**
 * sov_account_charge_forced() - charge an account regardless of the limit
 * @account: The file's account, or NULL for the driver's own objects.
 * @limit: The resource.
 * @amount: Additional usage, to be undone with sov_account_uncharge().
 *
 * Freeing part of a large page needs page tables. The limit must not refuse these.
 */
void sov_account_charge_forced(struct sov_account *account, enum sov_limit limit, u64 amount)
{
	if (account)
		atomic64_add(amount, &account->used[limit]);
}

/**
 * sov_account_uncharge() - undo a charge
 * @account: The account that was charged, or NULL for the driver's own objects.
 * @limit: The resource. SOV_LIMIT_NONE is never charged.
 * @amount: The usage that ends.
 */
void sov_account_uncharge(struct sov_account *account, enum sov_limit limit, u64 amount)
{
	if (account && limit != SOV_LIMIT_NONE)
		atomic64_sub(amount, &account->used[limit]);
}

/**
 * sov_account_show_fdinfo() - print the driver-specific keys of a file's fdinfo
 * @p: The printer.
 * @account: The file's account.
 */
void sov_account_show_fdinfo(struct drm_printer *p, struct sov_account *account)
{
	int i;

	for (i = 0; i < SOV_LIMIT_COUNT; i++) {
		u32 shift = sov_limits[i].bytes ? 10 : 0;
		const char *unit = sov_limits[i].bytes ? " KiB" : "";

		drm_printf(p, "sovgpu-%s:\t%llu%s\n", sov_limits[i].name,
			   (u64)atomic64_read(&account->used[i]) >> shift, unit);
		drm_printf(p, "sovgpu-max-%s:\t%llu%s\n", sov_limits[i].name,
			   sov_limit_max(i) >> shift, unit);
	}
}

/**
 * sov_limits_show_header() - print the column titles and the limits of the debugfs table
 * @m: The debugfs file.
 */
void sov_limits_show_header(struct seq_file *m)
{
	int i;

	seq_puts(m, "client");
	for (i = 0; i < SOV_LIMIT_COUNT; i++)
		seq_printf(m, "\t%s", sov_limits[i].name);
	seq_puts(m, "\nmax");
	for (i = 0; i < SOV_LIMIT_COUNT; i++)
		seq_printf(m, "\t%llu", sov_limit_max(i));
	seq_puts(m, "\n");
}

/**
 * sov_account_show_row() - print one file's usage as columns of the debugfs table
 * @m: The debugfs file.
 * @account: The file's account.
 */
void sov_account_show_row(struct seq_file *m, struct sov_account *account)
{
	int i;

	for (i = 0; i < SOV_LIMIT_COUNT; i++)
		seq_printf(m, "\t%llu", (u64)atomic64_read(&account->used[i]));
	seq_puts(m, "\n");
}
