/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * User queues: queues whose ring the process writes. The ring is in the process's memory, and the
 * kernel maps GET, PUT and the doorbell to it. The kernel creates and stops such a queue and
 * reports its faults. It does not see the submissions, so it provides neither fences nor time
 * limits.
 */
#ifndef SOV_USER_QUEUE_H
#define SOV_USER_QUEUE_H

#include <linux/types.h>

struct drm_device;
struct drm_file;
struct drm_sovgpu_queue_create;
struct sov_account;
struct sov_bo;

/**
 * struct sov_user_queue - the parts of a user queue that its process maps
 */
struct sov_user_queue {
	/** @file: The file that may mmap the pages while it has an ID for the queue, or NULL. */
	struct drm_file *file;

	/** @pointers: VRAM with the GET and PUT pointers of the ring. */
	struct sov_bo *pointers;

	/** @doorbell: The register page with the doorbell. */
	struct sov_bo *doorbell;

	/** @ring_va: GPU address of the ring. */
	u64 ring_va;

	/** @token: The value to write to the doorbell; set by &sov_vendor.queue_init. */
	u32 token;

	/** @put: Offset of PUT in @pointers; set by &sov_vendor.queue_init. */
	u32 put;

	/** @get: Offset of GET in @pointers; set by &sov_vendor.queue_init. */
	u32 get;
};

int sov_user_queue_init(struct sov_user_queue *u, struct drm_device *drm,
			struct sov_account *account, struct drm_file *file, u64 ring_va);
void sov_user_queue_describe(const struct sov_user_queue *u, struct drm_sovgpu_queue_create *c);
void sov_user_queue_revoke(struct sov_user_queue *u);
void sov_user_queue_fini(struct sov_user_queue *u);

#endif
