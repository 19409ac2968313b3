/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* NVIDIA GPUs: the device, its registers, and the chips that are known. */
#ifndef SOV_NV_H
#define SOV_NV_H

#include <linux/io.h>

#include <drm/drm_mm.h>
#include <linux/idr.h>
#include <linux/sizes.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include "hw/nv/pci.h"
#include "hw/nv/registers.h"
#include "kmod/vendor.h"
#include "kmod/nv/channel.h"
#include "kmod/nv/chip.h"
#include "kmod/nv/gsp.h"
#include "kmod/nv/mmu.h"
#include "kmod/nv/rm.h"

#define NV_MAX_ENGINES       256
#define NV_MAX_COPY_ENGINES  20
#define NV_MAX_METHOD_BUFFER SZ_1M
#define NV_MAX_TSGS          0xfff

/**
 * struct nv_intr - interrupts
 */
struct nv_intr {
	/** @on: they come */
	bool on;

	/** @leaves: words of them */
	u32 leaves;

	/** @enabled: those that we want, by leaf */
	u32 enabled[NV_MAX_LEAVES];

	/** @subtrees: those that we want, by pair of leaves */
	u32 subtrees;

	/** @gsp: vector: something is in the GSP's queue */
	u32 gsp;

	/** @engines: vectors: a command stream has come so far */
	u32 engines[NV_MAX_COPY_ENGINES + 1];

	/** @engine_count: of these */
	u32 engine_count;

	/** @vain: interrupts without a reason since @window */
	u32 vain;

	/** @window: jiffies from which on they are counted */
	unsigned long window;

	/** @resume: ends the pause after too many of them */
	struct delayed_work resume;
};

/**
 * struct nv_device - an NVIDIA GPU
 */
struct nv_device {
	/** @base: what the core knows of it; first, because the core allocates */
	struct sov_device base;

	/** @chip: row of the table of chips */
	const struct nv_chip *chip;

	/** @regs: BAR 0 */
	void __iomem *regs;

	/** @lost: its registers read all ones, and that was said */
	bool lost;

	/** @vram_bytes: video memory, the GSP's part included */
	u64 vram_bytes;

	/** @flush_lock: one MMU invalidation at a time */
	struct mutex flush_lock;

	/** @gsp: the processor that runs the card */
	struct nv_gsp gsp;

	/** @intr: interrupts */
	struct nv_intr intr;

	/** @clients: numbers of clients of the resource manager */
	struct ida clients;

	/** @tsgs: numbers of channel groups */
	struct ida tsgs;

	/** @channel_ids: numbers of channels */
	struct ida channel_ids;

	/** @channels: &struct nv_queue by number of its channel, while it can have events */
	struct xarray channels;

	/** @halt_lock: channels leave @channels one at a time, and are stopped many at a time */
	struct mutex halt_lock;

	/** @engines: by class of queue */
	struct nv_engine engines[SOV_QUEUE_CLASSES];

	/** @method_bytes: size of a channel's buffer for methods */
	u32 method_bytes;

	/** @context_bytes: sizes of a context's buffers; 0: not needed */
	u64 context_bytes[NV_CONTEXT_BUFFERS];

	/** @context_shared: those that all contexts share */
	struct nv_vram context_shared[NV_CONTEXT_BUFFERS];
};

static inline struct nv_device *to_nv(struct sov_device *sov)
{
	return container_of(sov, struct nv_device, base);
}

static inline u32 nv_rd32(struct nv_device *nv, u32 offset)
{
	return readl(nv->regs + offset);
}

static inline void nv_wr32(struct nv_device *nv, u32 offset, u32 value)
{
	writel(value, nv->regs + offset);
}

/* device.c */
bool nv_lost(struct nv_device *nv);

/* intr.c */
int nv_intr_start(struct nv_device *nv);
void nv_intr_stop(struct nv_device *nv);

/* engine.c */
int nv_engines_start(struct nv_device *nv);

/* vm.c */

/* The part of every address space that is the driver's own; below it nothing is ever mapped. */
#define NV_VM_OWN_START SZ_2M
#define NV_VM_OWN_END   SZ_1G

/**
 * struct nv_vm - an address space
 */
struct nv_vm {
	/** @base: what the core knows of it; first, because the core allocates */
	struct sov_vm base;

	/** @nv: the device, from the beginning; DRM knows it only later */
	struct nv_device *nv;

	/** @mmu: page tables */
	struct nv_mmu mmu;

	/** @client: what the GSP knows of it */
	struct nv_client client;

	/** @own: which addresses of the driver's part are taken */
	struct drm_mm own;
};

static inline struct nv_vm *to_nv_vm(struct sov_vm *vm)
{
	return container_of(vm, struct nv_vm, base);
}

int nv_vm_init(struct sov_device *sov, struct sov_vm *base);
void nv_vm_stop(struct sov_vm *base);
void nv_vm_fini(struct sov_vm *base);
int nv_vm_map(struct sov_vm *base, u64 va, u64 bytes, u64 address, bool system, u32 flags);
int nv_vm_split(struct sov_vm *base, u64 va);
void nv_vm_unmap(struct sov_vm *base, u64 va, u64 bytes);
int nv_vm_flush(struct sov_vm *base);
int nv_vm_place(struct nv_vm *vm, struct drm_mm_node *node, u64 address, u64 bytes, u64 align,
		u64 bits);
void nv_vm_remove(struct nv_vm *vm, struct drm_mm_node *node);

#endif
