/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Usage counters of limited resources as a data structure: a counter of a file, whose parent is the
 * counter of its user on the device, whose parent is the counter of the device. This code takes no
 * locks and allocates no memory, so that tests can run the same file in user space.
 */
#ifndef SOV_USAGE_H
#define SOV_USAGE_H

#include <linux/types.h>

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
 * enum sov_scope - whose usage a limit bounds
 */
enum sov_scope {
	/** @SOV_SCOPE_FILE: One open file. */
	SOV_SCOPE_FILE,

	/** @SOV_SCOPE_USER: All files that one user has opened on a device. */
	SOV_SCOPE_USER,

	/** @SOV_SCOPE_DEVICE: All files of a device. */
	SOV_SCOPE_DEVICE,

	/** @SOV_SCOPE_COUNT: Number of scopes. */
	SOV_SCOPE_COUNT,
};

/**
 * struct sov_usage - usage of all resources in one scope
 */
struct sov_usage {
	/** @parent: The counter of the next larger scope, or NULL for that of a device. */
	struct sov_usage *parent;

	/** @scope: The scope that this counter belongs to. */
	enum sov_scope scope;

	/** @used: Current usage, indexed by &enum sov_limit. */
	u64 used[SOV_LIMIT_COUNT];
};

bool sov_usage_charge(struct sov_usage *usage, enum sov_limit limit, u64 amount,
		      const u64 max[SOV_SCOPE_COUNT]);
void sov_usage_charge_forced(struct sov_usage *usage, enum sov_limit limit, u64 amount);
void sov_usage_uncharge(struct sov_usage *usage, enum sov_limit limit, u64 amount);

#endif
