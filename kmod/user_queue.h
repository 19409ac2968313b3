/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Queues that a process writes itself: the ring is memory of its own, and its two ends and the
 * doorbell are mapped to it. The kernel makes such a queue, stops it, and says what went wrong with
 * it; it never sees its work, so it gives out no fences for it and sets it no time.
 */
#ifndef SOV_USER_H
#define SOV_USER_H

#include <linux/types.h>

struct drm_file;
struct drm_sovgpu_queue_create;
struct sov_bo;
struct sov_queue;

/**
 * struct sov_user_queue - what a process sees of its queue
 */
struct sov_user_queue {
	/** @file: who may map it, as long as that has a number for the queue */
	struct drm_file *file;

	/** @pointers: a page of video memory with both ends of the ring */
	struct sov_bo *pointers;

	/** @doorbell: a page of registers */
	struct sov_bo *doorbell;

	/** @ring_va: where the ring is */
	u64 ring_va;

	/** @token: what to write to the doorbell; set by the vendor's queue_init */
	u32 token;

	/** @put: byte in @pointers, likewise */
	u32 put;

	/** @get: likewise */
	u32 get;
};

int sov_user_init(struct sov_queue *queue, struct drm_file *file, u64 ring_va);
void sov_user_tell(struct sov_queue *queue, struct drm_sovgpu_queue_create *c);
void sov_user_hide(struct sov_queue *queue);
void sov_user_fini(struct sov_queue *queue);

#endif
