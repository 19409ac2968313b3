/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* NVIDIA GPUs: the device, its registers, and the chips that are known. */
#ifndef SOV_NV_H
#define SOV_NV_H

#include <linux/io.h>

#include "hw/nv/pci.h"
#include "hw/nv/registers.h"
#include "kmod/device.h"
#include "kmod/nv/gsp.h"
#include "kmod/nv/mmu.h"

struct nv_device;

/**
 * struct nv_chip - one chip: its number in BOOT_42, its name, its instruction set
 */
struct nv_chip {
	u32 number;
	const char *name;
	u32 isa;
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

	/** @vram_bytes: video memory, the GSP's part included */
	u64 vram_bytes;

	/** @flush_lock: one MMU invalidation at a time */
	struct mutex flush_lock;

	/** @gsp: the processor that runs the card */
	struct nv_gsp gsp;
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

/* vm.c */

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
};

int nv_vm_init(struct sov_device *sov, struct sov_vm *base);
void nv_vm_fini(struct sov_vm *base);
int nv_vm_map(struct sov_vm *base, u64 va, u64 bytes, u64 address, bool system, u32 flags);
int nv_vm_split(struct sov_vm *base, u64 va);
void nv_vm_unmap(struct sov_vm *base, u64 va, u64 bytes);
void nv_vm_flush(struct sov_vm *base);

#endif
