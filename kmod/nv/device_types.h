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

#define NV_MAX_COPY_ENGINES    20
#define NV_CONTEXT_BUFFERS     9
#define NV_INTR_MAX_LEAF_WORDS 16

/**
 * struct nv_intr - interrupt state
 */
struct nv_intr {
	/** @requested: the interrupt handler is installed */
	bool requested;

	/** @leaves: number of leaf registers, each with 32 vectors */
	u32 leaves;

	/** @enabled: vectors that the driver handles, by leaf */
	u32 enabled[NV_INTR_MAX_LEAF_WORDS];

	/** @subtrees: top-level bits of these vectors, one for each pair of leaves */
	u32 subtrees;

	/** @gsp: vector by which the GSP signals a message in its status queue */
	u32 gsp;

	/** @engines: non-stall vectors of engines, which command streams raise */
	u32 engines[NV_MAX_COPY_ENGINES + 1];

	/** @engine_count: number of entries in @engines */
	u32 engine_count;

	/** @spurious: number of spurious interrupts since @spurious_since */
	u32 spurious;

	/** @spurious_since: start of the counting window, in jiffies */
	unsigned long spurious_since;

	/** @unmask_work: unmasks the interrupt after an interrupt storm */
	struct delayed_work unmask_work;
};

/**
 * struct nv_engine - an engine
 */
struct nv_engine {
	/** @type: RM's number of the engine (RM_ENGINE); 0 if there is no such engine */
	u32 type;

	/** @runlist: runlist that feeds the engine */
	u32 runlist;
};

/**
 * struct nv_device - an NVIDIA GPU
 */
struct nv_device {
	/** @base: the core's device; must be first, because the core allocates the structure */
	struct sov_device base;

	/** @chip: description of the chip */
	const struct nv_chip *chip;

	/** @regs: BAR 0 */
	void __iomem *regs;

	/** @lost: the device has fallen off the bus, and the log says so */
	bool lost;

	/** @vram_bytes: size of video memory, including the part that the GSP reserves */
	u64 vram_bytes;

	/** @flush_lock: serialises TLB invalidates */
	struct mutex flush_lock;

	/** @gsp: the GSP */
	struct nv_gsp gsp;

	/** @intr: interrupts */
	struct nv_intr intr;

	/** @clients: allocator of RM client ids */
	struct ida clients;

	/** @tsgs: allocator of channel group (TSG) ids */
	struct ida tsgs;

	/** @channel_ids: allocator of channel ids */
	struct ida channel_ids;

	/** @channels: &struct nv_queue by channel id, while events may concern the queue */
	struct xarray channels;

	/**
	 * @halt_lock: serialises the removal of queues from @channels, so that queues which are
	 * halted together stay allocated meanwhile
	 */
	struct mutex halt_lock;

	/** @engines: engine of each queue class */
	struct nv_engine engines[SOV_QUEUE_CLASSES];

	/** @method_bytes: size of a channel's method buffer */
	u32 method_bytes;

	/** @context_bytes: sizes of the buffers of a graphics context; 0 if not needed */
	u64 context_bytes[NV_CONTEXT_BUFFERS];

	/** @context_shared: context buffers that all contexts share */
	struct nv_vram context_shared[NV_CONTEXT_BUFFERS];
};

static inline struct nv_device *to_nv(struct sov_device *sov)
{
	return container_of(sov, struct nv_device, base);
}

#endif
