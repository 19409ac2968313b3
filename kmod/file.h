/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What an open file has: address spaces, groups and queues by number, how much, how long. */
#ifndef SOV_FILE_H
#define SOV_FILE_H

#include <drm/drm_file.h>
#include <linux/atomic.h>
#include <linux/xarray.h>

#define SOV_QUEUE_CLASSES 2

struct drm_printer;
struct sov_account;

/**
 * struct sov_file - an open file; numbers count from 1
 */
struct sov_file {
	/** @account: how much it has of what */
	struct sov_account *account;

	/** @vms: &struct sov_vm */
	struct xarray vms;

	/** @groups: &struct sov_group */
	struct xarray groups;

	/** @queues: &struct sov_queue */
	struct xarray queues;

	/** @busy_ns: time that jobs took, by class of queue */
	atomic64_t busy_ns[SOV_QUEUE_CLASSES];
};

static inline struct sov_file *to_sov_file(struct drm_file *file)
{
	return file->driver_priv;
}

int sov_file_open(struct drm_device *drm, struct drm_file *file);
void sov_file_close(struct drm_device *drm, struct drm_file *file);
void sov_file_show(struct drm_printer *p, struct drm_file *file);

#endif
