/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The core's queue groups and queues, implemented by channel groups and channels. */
#ifndef SOV_NV_QUEUE_H
#define SOV_NV_QUEUE_H

#include <drm/drm_mm.h>

#include "kmod/vendor.h"
#include "kmod/group.h"
#include "kmod/nv/channel.h"
#include "kmod/nv/context.h"
#include "kmod/nv/ring.h"
#include "kmod/queue.h"

/**
 * struct nv_tsg - a channel group (time slice group)
 */
struct nv_tsg {
	/** @id: Id on the device. */
	u32 id;

	/** @queues: Number of its queues; the last one frees it. Protected by the setup_lock. */
	u32 queues;

	/** @lock: Orders the creation and removal of channels. No memory is allocated under it. */
	struct mutex lock;

	/** @channels: Number of channels that RM has in it. */
	u32 channels;

	/** @spent: Its last channel was removed; RM accepts no other one. */
	bool spent;

	/** @method_buffer: Method buffer of all its channels. */
	struct nv_buffer method_buffer;

	/** @context: Graphics context that the group's compute channels share. */
	struct nv_context context;
};

/**
 * struct nv_group - a queue group
 */
struct nv_group {
	/** @base: The core's group; must be first, because the core allocates the structure. */
	struct sov_group base;

	/** @tsgs: Channel group that a new queue of each class joins, or NULL. */
	struct nv_tsg *tsgs[SOV_QUEUE_CLASSES];
};

/**
 * struct nv_queue - a queue
 */
struct nv_queue {
	/** @base: The core's queue; must be first, because the core allocates the structure. */
	struct sov_queue base;

	/** @tsg: Channel group of @channel. */
	struct nv_tsg *tsg;

	/** @channel: Channel that executes the queue. */
	struct nv_channel channel;

	/** @ring_memory: Memory of @ring, which programs can read but not write. */
	struct nv_buffer ring_memory;

	/** @ring_node: VA range of @ring_memory. */
	struct drm_mm_node ring_node;

	/** @seqno: Page whose first word holds the sequence number of the last completed job. */
	struct nv_buffer seqno;

	/** @seqno_node: VA range of @seqno. */
	struct drm_mm_node seqno_node;

	/** @ring: Ring of a queue that the kernel fills. */
	struct nv_ring ring;

	/** @halted: The channel was disabled together with others; protected by halt_lock. */
	bool halted;
};

int nv_queue_init(struct sov_queue *queue);
void nv_queue_stop(struct sov_queue *queue);
void nv_queue_fini(struct sov_queue *queue);
void nv_queue_push(struct sov_queue *queue, u64 seqno, u64 va, u32 size);
u64 nv_queue_completed_seqno(struct sov_queue *queue);
u64 nv_queue_started_seqno(struct sov_queue *queue);
u64 nv_queue_consumed_seqno(struct sov_queue *queue);

#endif
