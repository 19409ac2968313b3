/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Resource limits per open file. An object is charged to the account of the file that created it
 * until the object is freed, even if the file is closed earlier or another file holds the object.
 */
#ifndef SOV_LIMITS_H
#define SOV_LIMITS_H

#include <linux/atomic.h>
#include <linux/kref.h>

struct drm_printer;
struct seq_file;

/**
 * enum sov_limit - resources that are accounted
 */
enum sov_limit {
	/** @SOV_LIMIT_VRAM: Bytes of VRAM in BOs, page tables, contexts and rings. */
	SOV_LIMIT_VRAM,

	/**
	 * @SOV_LIMIT_SYSTEM: Bytes of system memory that the driver allocated for BOs and queues.
	 */
	SOV_LIMIT_SYSTEM,

	/** @SOV_LIMIT_BUFFERS: GEM handles, including handles to BOs of other files. */
	SOV_LIMIT_BUFFERS,

	/** @SOV_LIMIT_VMS: GPU address spaces. */
	SOV_LIMIT_VMS,

	/** @SOV_LIMIT_MAPPINGS: Mapped VA ranges in these address spaces. */
	SOV_LIMIT_MAPPINGS,

	/** @SOV_LIMIT_GROUPS: Queue groups. */
	SOV_LIMIT_GROUPS,

	/** @SOV_LIMIT_QUEUES: Queues. */
	SOV_LIMIT_QUEUES,

	/** @SOV_LIMIT_COUNT: Number of limits. */
	SOV_LIMIT_COUNT,

	/** @SOV_LIMIT_NONE: Marks memory that no account is charged for. */
	SOV_LIMIT_NONE = SOV_LIMIT_COUNT,
};

/**
 * struct sov_account - resource usage of one file
 *
 * The account outlives its file as long as a charged object exists.
 */
struct sov_account {
	/** @ref: Held by the file and by every charged object. */
	struct kref ref;

	/** @used: Current usage, indexed by &enum sov_limit. */
	atomic64_t used[SOV_LIMIT_COUNT];
};

struct sov_account *sov_account_create(void);
struct sov_account *sov_account_get(struct sov_account *account);
void sov_account_put(struct sov_account *account);
int sov_account_charge(struct sov_account *account, enum sov_limit limit, u64 amount);
void sov_account_charge_forced(struct sov_account *account, enum sov_limit limit, u64 amount);
void sov_account_uncharge(struct sov_account *account, enum sov_limit limit, u64 amount);
void sov_account_show_fdinfo(struct drm_printer *p, struct sov_account *account);
void sov_account_show_row(struct seq_file *m, struct sov_account *account);
void sov_limits_show_header(struct seq_file *m);

#endif
