/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Limits: how much a file may have of each thing, and how much it has. What is counted is counted
 * until it is gone, also when its file is gone before, or when somebody else has it by then.
 */
#ifndef SOV_LIMIT_H
#define SOV_LIMIT_H

#include <linux/atomic.h>
#include <linux/kref.h>

struct drm_device;
struct drm_printer;

/**
 * enum sov_limit - what is counted
 */
enum sov_limit {
	/** @SOV_LIMIT_VRAM: bytes of video memory: buffers, page tables, what queues need */
	SOV_LIMIT_VRAM,

	/** @SOV_LIMIT_SYSTEM: bytes of memory that the kernel allocated for buffers and queues */
	SOV_LIMIT_SYSTEM,

	/** @SOV_LIMIT_BUFFERS: handles, also to buffers of others */
	SOV_LIMIT_BUFFERS,

	/** @SOV_LIMIT_VMS: address spaces */
	SOV_LIMIT_VMS,

	/** @SOV_LIMIT_MAPPINGS: ranges that are mapped in them */
	SOV_LIMIT_MAPPINGS,

	/** @SOV_LIMIT_GROUPS: groups of queues */
	SOV_LIMIT_GROUPS,

	/** @SOV_LIMIT_QUEUES: queues */
	SOV_LIMIT_QUEUES,

	/** @SOV_LIMITS: of these; as a limit: what is not counted here */
	SOV_LIMITS,
};

/**
 * struct sov_account - what a file has; outlives it as long as any of that is there
 */
struct sov_account {
	/** @ref: the file, and all that is counted */
	struct kref ref;

	/** @used: by limit */
	atomic64_t used[SOV_LIMITS];
};

struct sov_account *sov_account_make(void);
struct sov_account *sov_account_get(struct sov_account *account);
void sov_account_put(struct sov_account *account);
void sov_account_show(struct drm_printer *p, struct sov_account *account);
int sov_account_charge(struct sov_account *account, enum sov_limit limit, u64 amount);
void sov_account_charge_forced(struct sov_account *account, enum sov_limit limit, u64 amount);
void sov_account_uncharge(struct sov_account *account, enum sov_limit limit, u64 amount);
void sov_limits_init(struct drm_device *drm);

#endif
