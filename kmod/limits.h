/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Resource limits per open file, per user and per device. An object is charged to the account of
 * the file that created it, and with it to the accounts of the user who opened the file and of the
 * device, until the object is freed, even if the file is closed earlier or another file holds the
 * object.
 */
#ifndef SOV_LIMITS_H
#define SOV_LIMITS_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/uidgid.h>

#include "kmod/usage.h"

struct drm_printer;
struct seq_file;

/**
 * struct sov_account - resource usage of a file, of a user on a device, or of a device
 *
 * The account of a file outlives its file as long as a charged object exists. Every account holds a
 * reference to its parent.
 */
struct sov_account {
	/** @ref: Held by the file, the device, child accounts and every charged object. */
	struct kref ref;

	/** @usage: The counters; its parent is that of @parent. */
	struct sov_usage usage;

	/** @parent: The account of the next larger scope, or NULL. */
	struct sov_account *parent;

	/** @user: The user, if this is the account of one. */
	kuid_t user;

	/** @link: Entry of the list of all accounts of users; empty for other accounts. */
	struct list_head link;
};

struct sov_account *sov_account_create_device(void);
struct sov_account *sov_account_create_file(struct sov_account *device);
struct sov_account *sov_account_get(struct sov_account *account);
void sov_account_put(struct sov_account *account);
int sov_account_charge(struct sov_account *account, enum sov_limit limit, u64 amount);
void sov_account_charge_forced(struct sov_account *account, enum sov_limit limit, u64 amount);
void sov_account_uncharge(struct sov_account *account, enum sov_limit limit, u64 amount);
void sov_account_show_fdinfo(struct drm_printer *p, struct sov_account *account);
void sov_account_show_row(struct seq_file *m, struct sov_account *account);
void sov_limits_show(struct seq_file *m, struct sov_account *device);

#endif
