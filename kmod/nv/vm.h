/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Address spaces of NVIDIA GPUs. */
#ifndef SOV_NV_VM_H
#define SOV_NV_VM_H

#include <drm/drm_mm.h>
#include <linux/sizes.h>

#include "kmod/nv/device_types.h"
#include "kmod/nv/mmu.h"
#include "kmod/nv/rm.h"
#include "kmod/vm.h"

/* VA range that the driver reserves in every address space; nothing is mapped below it. */
#define NV_VM_KERNEL_START SZ_2M
#define NV_VM_KERNEL_END   SZ_1G

/**
 * struct nv_vm - an address space
 */
struct nv_vm {
	/** @base: The core's address space; must be first, because the core allocates it. */
	struct sov_vm base;

	/** @nv: The device; valid from nv_vm_init() on, before the DRM object knows the device. */
	struct nv_device *nv;

	/** @managed: RM manages a part of the directories; that of the golden context. */
	bool managed;

	/** @mmu: Page tables. */
	struct nv_mmu mmu;

	/** @client: RM client of the address space. */
	struct nv_rm_client client;

	/** @kernel_va: Allocator of the VA range that the driver reserves. */
	struct drm_mm kernel_va;
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
int nv_vm_map_kernel(struct nv_vm *vm, struct drm_mm_node *node, u64 address, u64 bytes, u64 align,
		     u64 bits);
void nv_vm_unmap_kernel(struct nv_vm *vm, struct drm_mm_node *node);

#endif
