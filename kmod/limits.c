// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Resource limits, see limits.h. Each limit has a row with its defaults and the errno for exceeding
 * it, and a module parameter for each scope. Root can change the parameters while files are open:
 * what is above a lowered limit keeps its objects, but cannot create further ones.
 */
#include <drm/drm_print.h>
#include <linux/cred.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "kmod/limits.h"

/* Exceeds the memory of any machine, and sums of such values do not overflow. */
#define SOV_LIMIT_MAX_BYTES BIT_ULL(60)

static struct {
	const char *name;
	bool bytes; /* the parameters are in MiB, and 0 selects the driver's default */
	int error;
	unsigned long long max[SOV_SCOPE_COUNT];
} sov_limits[SOV_LIMIT_COUNT] = {
	[SOV_LIMIT_VRAM] = { "vram", true, -ENOSPC, {} },
	[SOV_LIMIT_SYSTEM] = { "system", true, -ENOMEM, {} },
	[SOV_LIMIT_BUFFERS] = { "buffers", false, -ENOSPC, { 65536, 1 << 20, 1 << 22 } },
	[SOV_LIMIT_VMS] = { "vms", false, -ENOSPC, { 64, 1024, 4096 } },
	[SOV_LIMIT_MAPPINGS] = { "mappings", false, -ENOSPC, { 65536, 1 << 20, 1 << 22 } },
	[SOV_LIMIT_GROUPS] = { "groups", false, -ENOSPC, { 64, 1024, 4096 } },
	[SOV_LIMIT_QUEUES] = { "queues", false, -ENOSPC, { 256, 1024, 4096 } },
};

module_param_named(max_vram_mib, sov_limits[SOV_LIMIT_VRAM].max[SOV_SCOPE_FILE], ullong, 0644);
MODULE_PARM_DESC(max_vram_mib, "Maximum VRAM per file in MiB (default: 0, unlimited)");
module_param_named(max_user_vram_mib, sov_limits[SOV_LIMIT_VRAM].max[SOV_SCOPE_USER], ullong, 0644);
MODULE_PARM_DESC(max_user_vram_mib, "Maximum VRAM per user in MiB (default: 0, unlimited)");
module_param_named(max_device_vram_mib, sov_limits[SOV_LIMIT_VRAM].max[SOV_SCOPE_DEVICE], ullong,
		   0644);
MODULE_PARM_DESC(max_device_vram_mib, "Maximum VRAM per device in MiB (default: 0, unlimited)");
module_param_named(max_system_mib, sov_limits[SOV_LIMIT_SYSTEM].max[SOV_SCOPE_FILE], ullong, 0644);
MODULE_PARM_DESC(max_system_mib,
		 "Maximum system memory per file in MiB (default: 0, half of the RAM)");
module_param_named(max_user_system_mib, sov_limits[SOV_LIMIT_SYSTEM].max[SOV_SCOPE_USER], ullong,
		   0644);
MODULE_PARM_DESC(max_user_system_mib,
		 "Maximum system memory per user in MiB (default: 0, unlimited)");
module_param_named(max_device_system_mib, sov_limits[SOV_LIMIT_SYSTEM].max[SOV_SCOPE_DEVICE],
		   ullong, 0644);
MODULE_PARM_DESC(max_device_system_mib,
		 "Maximum system memory per device in MiB (default: 0, three quarters of the RAM)");
module_param_named(max_buffers, sov_limits[SOV_LIMIT_BUFFERS].max[SOV_SCOPE_FILE], ullong, 0644);
MODULE_PARM_DESC(max_buffers, "Maximum buffer handles per file (default: 65536)");
module_param_named(max_user_buffers, sov_limits[SOV_LIMIT_BUFFERS].max[SOV_SCOPE_USER], ullong,
		   0644);
MODULE_PARM_DESC(max_user_buffers, "Maximum buffer handles per user (default: 1048576)");
module_param_named(max_device_buffers, sov_limits[SOV_LIMIT_BUFFERS].max[SOV_SCOPE_DEVICE], ullong,
		   0644);
MODULE_PARM_DESC(max_device_buffers, "Maximum buffer handles per device (default: 4194304)");
module_param_named(max_vms, sov_limits[SOV_LIMIT_VMS].max[SOV_SCOPE_FILE], ullong, 0644);
MODULE_PARM_DESC(max_vms, "Maximum GPU address spaces per file (default: 64)");
module_param_named(max_user_vms, sov_limits[SOV_LIMIT_VMS].max[SOV_SCOPE_USER], ullong, 0644);
MODULE_PARM_DESC(max_user_vms, "Maximum GPU address spaces per user (default: 1024)");
module_param_named(max_device_vms, sov_limits[SOV_LIMIT_VMS].max[SOV_SCOPE_DEVICE], ullong, 0644);
MODULE_PARM_DESC(max_device_vms, "Maximum GPU address spaces per device (default: 4096)");
module_param_named(max_mappings, sov_limits[SOV_LIMIT_MAPPINGS].max[SOV_SCOPE_FILE], ullong, 0644);
MODULE_PARM_DESC(max_mappings, "Maximum mapped VA ranges per file (default: 65536)");
module_param_named(max_user_mappings, sov_limits[SOV_LIMIT_MAPPINGS].max[SOV_SCOPE_USER], ullong,
		   0644);
MODULE_PARM_DESC(max_user_mappings, "Maximum mapped VA ranges per user (default: 1048576)");
module_param_named(max_device_mappings, sov_limits[SOV_LIMIT_MAPPINGS].max[SOV_SCOPE_DEVICE],
		   ullong, 0644);
MODULE_PARM_DESC(max_device_mappings, "Maximum mapped VA ranges per device (default: 4194304)");
module_param_named(max_groups, sov_limits[SOV_LIMIT_GROUPS].max[SOV_SCOPE_FILE], ullong, 0644);
MODULE_PARM_DESC(max_groups, "Maximum queue groups per file (default: 64)");
module_param_named(max_user_groups, sov_limits[SOV_LIMIT_GROUPS].max[SOV_SCOPE_USER], ullong, 0644);
MODULE_PARM_DESC(max_user_groups, "Maximum queue groups per user (default: 1024)");
module_param_named(max_device_groups, sov_limits[SOV_LIMIT_GROUPS].max[SOV_SCOPE_DEVICE], ullong,
		   0644);
MODULE_PARM_DESC(max_device_groups, "Maximum queue groups per device (default: 4096)");
module_param_named(max_queues, sov_limits[SOV_LIMIT_QUEUES].max[SOV_SCOPE_FILE], ullong, 0644);
MODULE_PARM_DESC(max_queues, "Maximum queues per file (default: 256)");
module_param_named(max_user_queues, sov_limits[SOV_LIMIT_QUEUES].max[SOV_SCOPE_USER], ullong, 0644);
MODULE_PARM_DESC(max_user_queues, "Maximum queues per user (default: 1024)");
module_param_named(max_device_queues, sov_limits[SOV_LIMIT_QUEUES].max[SOV_SCOPE_DEVICE], ullong,
		   0644);
MODULE_PARM_DESC(max_device_queues, "Maximum queues per device (default: 4096)");

/*
 * Protects all usage counters. One lock for all devices, because a charge changes the counters of
 * three scopes and takes some nanoseconds.
 */
static DEFINE_SPINLOCK(sov_usage_lock);

/* Protects the list of the users' accounts, and the end of every account. */
static DEFINE_MUTEX(sov_accounts_lock);
static LIST_HEAD(sov_user_accounts);

static u64 sov_limit_max(enum sov_limit limit, enum sov_scope scope)
{
	u64 value = READ_ONCE(sov_limits[limit].max[scope]);
	u64 ram = (u64)totalram_pages() << PAGE_SHIFT;

	if (!sov_limits[limit].bytes)
		return value;
	if (value)
		return min(value, SOV_LIMIT_MAX_BYTES >> 20) << 20;
	if (limit == SOV_LIMIT_SYSTEM && scope == SOV_SCOPE_FILE)
		return ram / 2;
	if (limit == SOV_LIMIT_SYSTEM && scope == SOV_SCOPE_DEVICE)
		return ram / 4 * 3;
	return SOV_LIMIT_MAX_BYTES;
}

static struct sov_account *sov_account_create(struct sov_account *parent, enum sov_scope scope)
{
	struct sov_account *account = kzalloc(sizeof(*account), GFP_KERNEL_ACCOUNT);

	if (!account)
		return NULL;
	kref_init(&account->ref);
	INIT_LIST_HEAD(&account->link);
	account->usage.scope = scope;
	if (parent) {
		account->parent = sov_account_get(parent);
		account->usage.parent = &parent->usage;
	}
	return account;
}

/**
 * sov_account_create_device() - allocate the account of a device
 *
 * Return: An account without charges, or NULL.
 */
struct sov_account *sov_account_create_device(void)
{
	return sov_account_create(NULL, SOV_SCOPE_DEVICE);
}

/* Finds or creates the account of the calling user. Returns a reference to it, or NULL. */
static struct sov_account *sov_account_get_user(struct sov_account *device)
{
	kuid_t user = current_euid();
	struct sov_account *account;

	mutex_lock(&sov_accounts_lock);
	/* An account stays in the list until its last reference is dropped under this lock. */
	list_for_each_entry(account, &sov_user_accounts, link) {
		if (account->parent == device && uid_eq(account->user, user)) {
			sov_account_get(account);
			goto out_unlock;
		}
	}
	account = sov_account_create(device, SOV_SCOPE_USER);
	if (account) {
		account->user = user;
		list_add_tail(&account->link, &sov_user_accounts);
	}
out_unlock:
	mutex_unlock(&sov_accounts_lock);
	return account;
}

/**
 * sov_account_create_file() - allocate the account of a file that the calling user opens
 * @device: The account of the device.
 *
 * Return: An account without charges, or NULL.
 */
struct sov_account *sov_account_create_file(struct sov_account *device)
{
	struct sov_account *user = sov_account_get_user(device), *account;

	if (!user)
		return NULL;
	account = sov_account_create(user, SOV_SCOPE_FILE);
	sov_account_put(user);
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

	list_del(&account->link);
	mutex_unlock(&sov_accounts_lock);
	for (i = 0; i < SOV_LIMIT_COUNT; i++)
		WARN_ON_ONCE(account->usage.used[i]);
	kfree(account);
}

/**
 * sov_account_put() - drop a reference to an account
 * @account: The account.
 *
 * Context: Process context; may sleep.
 */
void sov_account_put(struct sov_account *account)
{
	struct sov_account *parent;

	while (account) {
		parent = account->parent;
		if (!kref_put_mutex(&account->ref, sov_account_release, &sov_accounts_lock))
			return;
		account = parent;
	}
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
	u64 max[SOV_SCOPE_COUNT];
	bool granted;
	int i;

	/* A file above a lowered limit must still be able to split a mapping at no cost. */
	if (!account || limit == SOV_LIMIT_NONE || !amount)
		return 0;
	for (i = 0; i < SOV_SCOPE_COUNT; i++)
		max[i] = sov_limit_max(limit, i);
	spin_lock(&sov_usage_lock);
	granted = sov_usage_charge(&account->usage, limit, amount, max);
	spin_unlock(&sov_usage_lock);
	return granted ? 0 : sov_limits[limit].error;
}

/**
 * sov_account_charge_forced() - charge an account regardless of the limits
 * @account: The file's account, or NULL for the driver's own objects.
 * @limit: The resource.
 * @amount: Additional usage, to be undone with sov_account_uncharge().
 *
 * Freeing part of a large page needs page tables. The limits must not refuse these.
 */
void sov_account_charge_forced(struct sov_account *account, enum sov_limit limit, u64 amount)
{
	if (!account)
		return;
	spin_lock(&sov_usage_lock);
	sov_usage_charge_forced(&account->usage, limit, amount);
	spin_unlock(&sov_usage_lock);
}

/**
 * sov_account_uncharge() - undo a charge
 * @account: The account that was charged, or NULL for the driver's own objects.
 * @limit: The resource. SOV_LIMIT_NONE is never charged.
 * @amount: The usage that ends.
 */
void sov_account_uncharge(struct sov_account *account, enum sov_limit limit, u64 amount)
{
	if (!account || limit == SOV_LIMIT_NONE)
		return;
	spin_lock(&sov_usage_lock);
	sov_usage_uncharge(&account->usage, limit, amount);
	spin_unlock(&sov_usage_lock);
}

static u64 sov_account_used(struct sov_account *account, enum sov_limit limit)
{
	u64 used;

	spin_lock(&sov_usage_lock);
	used = account->usage.used[limit];
	spin_unlock(&sov_usage_lock);
	return used;
}

/* Prints the usage and the limit of a resource; @scope is a part of the keys. */
static void sov_account_show_key(struct drm_printer *p, struct sov_account *account,
				 const char *scope, enum sov_limit limit)
{
	u32 shift = sov_limits[limit].bytes ? 10 : 0;
	const char *unit = sov_limits[limit].bytes ? " KiB" : "";

	drm_printf(p, "sovgpu-%s%s:\t%llu%s\n", scope, sov_limits[limit].name,
		   sov_account_used(account, limit) >> shift, unit);
	drm_printf(p, "sovgpu-max-%s%s:\t%llu%s\n", scope, sov_limits[limit].name,
		   sov_limit_max(limit, account->usage.scope) >> shift, unit);
}

/**
 * sov_account_show_fdinfo() - print the driver-specific keys of a file's fdinfo
 * @p: The printer.
 * @account: The file's account.
 *
 * The usage of the device is not printed, because it tells about other users.
 */
void sov_account_show_fdinfo(struct drm_printer *p, struct sov_account *account)
{
	int i;

	for (i = 0; i < SOV_LIMIT_COUNT; i++) {
		sov_account_show_key(p, account, "", i);
		sov_account_show_key(p, account->parent, "user-", i);
	}
}

static void sov_limits_show_max(struct seq_file *m, const char *title, enum sov_scope scope)
{
	int i;

	seq_puts(m, title);
	for (i = 0; i < SOV_LIMIT_COUNT; i++)
		seq_printf(m, "\t%llu", sov_limit_max(i, scope));
	seq_puts(m, "\n");
}

/**
 * sov_limits_show() - print the debugfs table up to the usage of the files
 * @m: The debugfs file.
 * @device: The account of the device.
 */
void sov_limits_show(struct seq_file *m, struct sov_account *device)
{
	struct sov_account *account;
	int i;

	seq_puts(m, "client");
	for (i = 0; i < SOV_LIMIT_COUNT; i++)
		seq_printf(m, "\t%s", sov_limits[i].name);
	seq_puts(m, "\n");
	sov_limits_show_max(m, "max", SOV_SCOPE_FILE);
	sov_limits_show_max(m, "max-user", SOV_SCOPE_USER);
	sov_limits_show_max(m, "max-device", SOV_SCOPE_DEVICE);
	seq_puts(m, "device");
	sov_account_show_row(m, device);
	mutex_lock(&sov_accounts_lock);
	list_for_each_entry(account, &sov_user_accounts, link) {
		if (account->parent != device)
			continue;
		seq_printf(m, "user-%u", from_kuid_munged(&init_user_ns, account->user));
		sov_account_show_row(m, account);
	}
	mutex_unlock(&sov_accounts_lock);
}

/**
 * sov_account_show_row() - print an account's usage as columns of the debugfs table
 * @m: The debugfs file.
 * @account: The account.
 */
void sov_account_show_row(struct seq_file *m, struct sov_account *account)
{
	int i;

	for (i = 0; i < SOV_LIMIT_COUNT; i++)
		seq_printf(m, "\t%llu", sov_account_used(account, i));
	seq_puts(m, "\n");
}
