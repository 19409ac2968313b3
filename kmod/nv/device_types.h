/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* State of an NVIDIA GPU. Each unit's functions are declared in the unit's own header. */
#ifndef SOV_NV_DEVICE_TYPES_H
#define SOV_NV_DEVICE_TYPES_H

#include <linux/idr.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include "kmod/vendor.h"
#include "kmod/nv/gsp_types.h"
#include "kmod/nv/memory_types.h"

struct nv_chip;
struct nv_clear;

#define NV_MAX_COPY_ENGINES    20
#define NV_CONTEXT_BUFFERS     9
#define NV_INTR_MAX_LEAF_WORDS 16

/**
 * struct nv_intr - interrupt state
 */
struct nv_intr {
	/** @requested: The interrupt handler is installed. */
	bool requested;

	/** @leaves: Number of leaf registers, each with 32 vectors. */
	u32 leaves;

	/** @enabled: Vectors that the driver handles, by leaf. */
	u32 enabled[NV_INTR_MAX_LEAF_WORDS];

	/** @subtrees: Top-level bits of these vectors, one for each pair of leaves. */
	u32 subtrees;

	/** @gsp: Vector by which the GSP signals a message in its status queue. */
	u32 gsp;

	/** @engines: Non-stall vectors of engines, which command streams raise. */
	u32 engines[NV_MAX_COPY_ENGINES + 1];

	/** @engine_count: Number of entries in @engines. */
	u32 engine_count;

	/** @spurious: Number of spurious interrupts since @spurious_since. */
	u32 spurious;

	/** @spurious_since: Start of the counting window, in jiffies. */
	unsigned long spurious_since;

	/** @unmask_work: Unmasks the interrupt after an interrupt storm. */
	struct delayed_work unmask_work;
};

/**
 * struct nv_engine - an engine
 */
struct nv_engine {
	/** @type: RM's number of the engine (RM_ENGINE); 0 if there is no such engine. */
	u32 type;

	/** @runlist: Runlist that feeds the engine. */
	u32 runlist;
};

/**
 * struct nv_device - an NVIDIA GPU
 */
struct nv_device {
	/** @base: The core's device; must be first, because the core allocates the structure. */
	struct sov_device base;

	/** @chip: Description of the chip. */
	const struct nv_chip *chip;

	/** @regs: BAR 0. */
	void __iomem *regs;

	/** @lost: The device has fallen off the bus, and the log says so. */
	bool lost;

	/** @vram_bytes: Size of video memory, including the part that the GSP reserves. */
	u64 vram_bytes;

	/** @flush_lock: Serialises TLB invalidates. */
	struct mutex flush_lock;

	/** @gsp: The GSP. */
	struct nv_gsp gsp;

	/** @intr: Interrupts. */
	struct nv_intr intr;

	/** @clients: Allocator of RM client ids. */
	struct ida clients;

	/** @tsgs: Allocator of channel group (TSG) ids. */
	struct ida tsgs;

	/** @channel_ids: Allocator of channel ids. */
	struct ida channel_ids;

	/** @channels: &struct nv_queue by channel id, while events may concern the queue. */
	struct xarray channels;

	/**
	 * @halt_lock: Serialises the removal of queues from @channels, so that queues stay
	 * allocated while one RPC halts several of them.
	 */
	struct mutex halt_lock;

	/** @engines: Engine of each queue class. */
	struct nv_engine engines[SOV_QUEUE_CLASSES];

	/** @clear_engine: Copy engine that only @clear uses; its type is 0 if there is none. */
	struct nv_engine clear_engine;

	/** @clear: Channel that clears memory, or NULL if the CPU does. */
	struct nv_clear *clear;

	/** @method_bytes: Size of a channel's method buffer. */
	u32 method_bytes;

	/** @context_bytes: Sizes of the buffers of a graphics context; 0 if not needed. */
	u64 context_bytes[NV_CONTEXT_BUFFERS];

	/** @context_shared: Context buffers that all contexts share. */
	struct nv_vram context_shared[NV_CONTEXT_BUFFERS];
};

static inline struct nv_device *to_nv(struct sov_device *sov)
{
	return container_of(sov, struct nv_device, base);
}

#endif
