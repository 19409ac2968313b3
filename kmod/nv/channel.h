/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Hardware channels. */
#ifndef SOV_NV_CHANNEL_H
#define SOV_NV_CHANNEL_H

#include "kmod/nv/device_types.h"
#include "kmod/nv/memory_types.h"

struct nv_vm;

/**
 * struct nv_channel - a channel, without its ring
 */
struct nv_channel {
	/** @vm: Address space of the channel; NULL if the channel was never initialised. */
	struct nv_vm *vm;

	/** @id: Channel id on the device; 0 if none is allocated. */
	u32 id;

	/** @allocated: RM has the channel object. */
	bool allocated;

	/** @has_object: RM has the engine object below the channel. */
	bool has_object;

	/** @doorbell: Value to write to the doorbell register for this channel. */
	u32 doorbell;

	/** @instance: Instance block, which holds the channel's hardware state. */
	struct nv_vram instance;

	/** @userd: GP_GET and GP_PUT of a channel whose ring the kernel fills. */
	struct nv_vram userd;

	/** @userd_io: CPU mapping of @userd. */
	void __iomem *userd_io;
};

/**
 * struct nv_channel_params - creation parameters of a channel
 */
struct nv_channel_params {
	/** @vm: Address space of the channel. */
	struct nv_vm *vm;

	/** @parent: RM handle of the parent: a channel group, or the device. */
	u32 parent;

	/** @engine: Engine that executes the channel. */
	struct nv_engine engine;

	/** @ring_va: GPU address of the ring. */
	u64 ring_va;

	/** @entries: Number of ring entries. */
	u32 entries;

	/**
	 * @method_buffer: Memory in which a copy engine saves pending methods on a fault. RM uses
	 * that of a group's first channel for all channels of the group, until the group is freed.
	 */
	const struct nv_buffer *method_buffer;

	/** @userd: Address of USERD in video memory; 0 to allocate USERD. */
	u64 userd;

	/** @privileged: The channel may execute privileged methods. */
	bool privileged;

	/** @physical_copies: Copies may use physical addresses; the channel must be privileged. */
	bool physical_copies;
};

int nv_channel_init(struct nv_channel *c, const struct nv_channel_params *params);
int nv_channel_start(struct nv_channel *c, const struct nv_channel_params *params);
int nv_channel_alloc_object(struct nv_channel *c, u32 class, void *parameters, u32 bytes);
void nv_channel_stop(struct nv_channel *c);
void nv_channel_fini(struct nv_channel *c);
void nv_channel_kick(struct nv_channel *c, u32 put);

#endif
