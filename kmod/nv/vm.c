// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Address spaces. The page tables lie in video memory; the driver writes them through
 * the BAR1 window and invalidates the TLB by a register. The driver registers the page directory
 * with the GSP, which programs it into channels. The first GiB of every address space is reserved
 * for the driver's own mappings: rings and contexts of channels.
 */
#include <drm/drm_print.h>
#include <linux/iopoll.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "kmod/limits.h"
#include "kmod/nv/chip.h"
#include "kmod/nv/regs.h"
#include "kmod/nv/rm.h"
#include "kmod/nv/rpc.h"
#include "kmod/nv/vm.h"

#define INVALIDATE_LIMIT_US (2 * USEC_PER_SEC)

/* A page table in video memory with its CPU mapping. */
struct nv_vm_table {
	struct nv_mmu_table base;
	struct list_head blocks;
	void __iomem *cpu;
};

static struct nv_vm_table *to_nv_vm_table(struct nv_mmu_table *table)
{
	return container_of(table, struct nv_vm_table, base);
}

static void nv_vm_table_free(void *owner, struct nv_mmu_table *table)
{
	struct nv_vm *vm = owner;
	struct nv_vm_table *t;

	if (!table)
		return;
	t = to_nv_vm_table(table);
	if (t->cpu)
		iounmap(t->cpu);
	if (!list_empty(&t->blocks))
		sov_vram_free(&vm->nv->base, &t->blocks);
	sov_account_uncharge(vm->base.account, SOV_LIMIT_VRAM, NV_MMU3_TABLE_BYTES);
	kfree(t->base.children);
	kfree(t);
}

/* Allocates the memory of a table that is already charged. */
static int nv_vm_table_init(struct nv_vm_table *t, struct sov_device *sov, u32 children)
{
	int ret;

	if (children) {
		t->base.children = kcalloc(children, sizeof(*t->base.children), GFP_KERNEL_ACCOUNT);
		if (!t->base.children)
			return -ENOMEM;
	}
	ret = sov_vram_alloc(sov, NV_MMU3_TABLE_BYTES, NV_MMU3_TABLE_BYTES, true, &t->blocks);
	if (ret)
		return ret;
	t->base.address = sov_vram_address(&t->blocks, 0);
	t->cpu = ioremap_wc(sov->vram.window + t->base.address, NV_MMU3_TABLE_BYTES);
	return t->cpu ? 0 : -ENOMEM;
}

static int nv_vm_table_alloc(void *owner, u32 children, bool granted, struct nv_mmu_table **table)
{
	struct nv_vm *vm = owner;
	struct nv_vm_table *t;
	int ret = 0;

	if (granted)
		sov_account_charge_forced(vm->base.account, SOV_LIMIT_VRAM, NV_MMU3_TABLE_BYTES);
	else
		ret = sov_account_charge(vm->base.account, SOV_LIMIT_VRAM, NV_MMU3_TABLE_BYTES);
	if (ret)
		return ret;
	t = kzalloc(sizeof(*t), GFP_KERNEL_ACCOUNT);
	if (!t) {
		sov_account_uncharge(vm->base.account, SOV_LIMIT_VRAM, NV_MMU3_TABLE_BYTES);
		return -ENOMEM;
	}
	INIT_LIST_HEAD(&t->blocks);
	ret = nv_vm_table_init(t, &vm->nv->base, children);
	if (ret) {
		nv_vm_table_free(vm, &t->base);
		return ret;
	}
	*table = &t->base;
	return 0;
}

static u64 nv_vm_table_read(void *owner, struct nv_mmu_table *table, u32 index)
{
	return readq(to_nv_vm_table(table)->cpu + 8 * index);
}

static void nv_vm_table_write(void *owner, struct nv_mmu_table *table, u32 index, u64 value)
{
	writeq(value, to_nv_vm_table(table)->cpu + 8 * index);
}

static const struct nv_mmu_ops nv_vm_table_ops = {
	.alloc = nv_vm_table_alloc,
	.free = nv_vm_table_free,
	.read = nv_vm_table_read,
	.write = nv_vm_table_write,
};

static int nv_vm_set_directory(struct nv_vm *vm)
{
	struct rm_set_directory set = {
		.address = vm->mmu.root->address,
		.entries = vm->mmu.format->entries[0],
		.va_space = NV_RM_VA_SPACE,
	};

	return nv_rm_control(&vm->client, NV_RM_DEVICE, RM_CONTROL_SET_DIRECTORY, &set,
			     sizeof(set));
}

/* RM adds its own entries to the last of the directories above the range that it reserves. */
static int nv_vm_copy_directories(struct nv_vm *vm)
{
	const struct nv_mmu_format *format = vm->mmu.format;
	struct rm_copy_directories copy = {
		.page_bytes = RM_RESERVED_BYTES,
		.first = RM_RESERVED_VA,
		.last = RM_RESERVED_VA + RM_RESERVED_BYTES - 1,
		.levels = format->levels - 1,
	};
	u64 path[NV_MMU_MAX_LEVELS - 1];
	int ret;
	u32 i;

	mutex_lock(&vm->base.lock);
	ret = nv_mmu_reserve(&vm->mmu, RM_RESERVED_VA, path);
	if (!ret)
		ret = nv_vm_flush(&vm->base);
	mutex_unlock(&vm->base.lock);
	if (ret)
		return ret;
	for (i = 0; i < copy.levels; i++) {
		copy.list[i].address = path[i];
		copy.list[i].bytes = format->entries[i] * sizeof(u64);
		copy.list[i].aperture = RM_DIRECTORY_VRAM;
		copy.list[i].shift = format->shifts[i];
	}
	return nv_rm_control(&vm->client, NV_RM_VA_SPACE, RM_CONTROL_COPY_DIRECTORIES, &copy,
			     sizeof(copy));
}

static int nv_vm_register(struct nv_vm *vm)
{
	struct rm_va_space_parameters space = {
		.flags = vm->managed ? 0 : RM_VA_SPACE_EXTERNAL,
	};
	int ret;

	ret = nv_rm_client_init(&vm->client, vm->nv);
	if (ret)
		return ret;
	ret = nv_rm_alloc(&vm->client, NV_RM_DEVICE, NV_RM_VA_SPACE, RM_CLASS_VA_SPACE, &space,
			  RM_VA_SPACE_BYTES_570);
	if (ret)
		goto err_client_fini;
	ret = vm->managed ? nv_vm_copy_directories(vm) : nv_vm_set_directory(vm);
	if (ret)
		goto err_free_va_space;
	return 0;

err_free_va_space:
	nv_rm_free(&vm->client, NV_RM_VA_SPACE);
err_client_fini:
	nv_rm_client_fini(&vm->client);
	return ret;
}

/**
 * nv_vm_init() - create an empty address space and register it with the GSP
 * @sov: The device.
 * @base: The address space.
 *
 * Return: 0 or a negative errno.
 */
int nv_vm_init(struct sov_device *sov, struct sov_vm *base)
{
	struct nv_vm *vm = to_nv_vm(base);
	int ret;

	vm->nv = to_nv(sov);
	ret = nv_mmu_init(&vm->mmu, vm->nv->chip->mmu, &nv_vm_table_ops, vm);
	if (ret)
		return ret;
	drm_mm_init(&vm->kernel_va, NV_VM_KERNEL_START, NV_VM_KERNEL_END - NV_VM_KERNEL_START);
	ret = nv_vm_register(vm);
	if (ret)
		goto err_mm_takedown;
	return 0;

err_mm_takedown:
	drm_mm_takedown(&vm->kernel_va);
	nv_mmu_fini(&vm->mmu);
	return ret;
}

/**
 * nv_vm_stop() - unregister an address space from the GSP
 * @base: The address space, without channels; a second call has no effect.
 */
void nv_vm_stop(struct sov_vm *base)
{
	struct rm_unset_directory unset = { .va_space = NV_RM_VA_SPACE };
	struct nv_vm *vm = to_nv_vm(base);

	if (!vm->client.handle)
		return;
	if (!vm->managed)
		nv_rm_control(&vm->client, NV_RM_DEVICE, RM_CONTROL_UNSET_DIRECTORY, &unset,
			      sizeof(unset));
	nv_rm_free(&vm->client, NV_RM_VA_SPACE);
	nv_rm_client_fini(&vm->client);
}

/**
 * nv_vm_fini() - free the page tables of an address space
 * @base: The address space; the device may be gone.
 */
void nv_vm_fini(struct sov_vm *base)
{
	struct nv_vm *vm = to_nv_vm(base);

	nv_vm_stop(base);
	drm_mm_takedown(&vm->kernel_va);
	nv_mmu_fini(&vm->mmu);
}

/**
 * nv_vm_map_kernel() - map memory of the driver into the VA range that the driver reserves
 * @vm: The address space.
 * @node: Zero-initialised node; on success its start is the GPU address.
 * @address: Address in video memory, or DMA address.
 * @bytes: Size, a multiple of 4 KiB.
 * @align: Alignment of the GPU address.
 * @bits: Bits of &struct nv_mmu_format for the page table entries.
 *
 * Return: 0, -ENOSPC, -ENOMEM, -EINTR, -ENODEV or -EIO.
 */
int nv_vm_map_kernel(struct nv_vm *vm, struct drm_mm_node *node, u64 address, u64 bytes, u64 align,
		     u64 bits)
{
	int ret;

	mutex_lock(&vm->base.lock);
	ret = drm_mm_insert_node_generic(&vm->kernel_va, node, bytes, align, 0, DRM_MM_INSERT_BEST);
	if (ret)
		goto out_unlock;
	ret = nv_mmu_map(&vm->mmu, node->start, bytes, address, bits);
	if (ret) {
		nv_mmu_unmap(&vm->mmu, node->start, bytes);
		drm_mm_remove_node(node);
	}
	nv_vm_flush(&vm->base);
out_unlock:
	mutex_unlock(&vm->base.lock);
	return ret;
}

/**
 * nv_vm_unmap_kernel() - unmap memory of the driver
 * @vm: The address space.
 * @node: Node of nv_vm_map_kernel(), which may be unallocated.
 */
void nv_vm_unmap_kernel(struct nv_vm *vm, struct drm_mm_node *node)
{
	if (!drm_mm_node_allocated(node))
		return;
	mutex_lock(&vm->base.lock);
	nv_mmu_unmap(&vm->mmu, node->start, node->size);
	nv_vm_flush(&vm->base);
	drm_mm_remove_node(node);
	mutex_unlock(&vm->base.lock);
}

/**
 * nv_vm_map() - map contiguous memory into an unmapped range
 * @base: The address space.
 * @va: Start of the range.
 * @bytes: Size of the range.
 * @address: Address in video memory, or DMA address.
 * @system: True if @address is a DMA address.
 * @flags: Enum drm_sovgpu_vm_map_flags, of those in &drm_sovgpu_vm_info.map_flags.
 *
 * Return: 0, or the error of a table allocation: -ENOSPC, -ENOMEM, -EINTR, -ENODEV or -EIO.
 */
int nv_vm_map(struct sov_vm *base, u64 va, u64 bytes, u64 address, bool system, u32 flags)
{
	const struct nv_mmu_format *format = to_nv_vm(base)->mmu.format;
	u64 bits = format->page;

	/* No write of the CPU would reach a line of system memory that the GPU's L2 holds. */
	if (system)
		bits |= format->system | format->uncached;
	if (flags & DRM_SOVGPU_VM_MAP_READONLY)
		bits |= format->read_only;
	if (flags & DRM_SOVGPU_VM_MAP_UNCACHED)
		bits |= format->uncached;
	return nv_mmu_map(&to_nv_vm(base)->mmu, va, bytes, address, bits);
}

/**
 * nv_vm_split() - split pages so that none crosses an address
 * @base: The address space.
 * @va: The address.
 *
 * Return: As nv_vm_map(), but the file's memory limit does not apply.
 */
int nv_vm_split(struct sov_vm *base, u64 va)
{
	return nv_mmu_split(&to_nv_vm(base)->mmu, va);
}

/**
 * nv_vm_unmap() - unmap everything in a range
 * @base: The address space.
 * @va: Start of the range.
 * @bytes: Size of the range.
 */
void nv_vm_unmap(struct sov_vm *base, u64 va, u64 bytes)
{
	nv_mmu_unmap(&to_nv_vm(base)->mmu, va, bytes);
}

/**
 * nv_vm_flush() - invalidate the TLB after changes of the page tables
 * @base: The address space, with its lock held.
 *
 * Return: 0; -ETIMEDOUT if the GPU may still use stale entries, in which case the device is wedged;
 * -EIO if the device was wedged before or is lost.
 */
int nv_vm_flush(struct sov_vm *base)
{
	struct nv_vm *vm = to_nv_vm(base);
	struct nv_device *nv = vm->nv;
	u64 root = vm->mmu.root->address >> 8;
	u32 value;
	int ret;

	if (READ_ONCE(nv->base.wedged))
		return -EIO;
	mutex_lock(&nv->flush_lock);
	mb(); /* a write-combining write may otherwise still be on its way when the read returns */
	readq(to_nv_vm_table(vm->mmu.root)->cpu); /* complete the writes through BAR1 */
	nv_wr32(nv, NV_VF_MMU_INVALIDATE_PDB_LO, lower_32_bits(root));
	nv_wr32(nv, NV_VF_MMU_INVALIDATE_PDB_HI, upper_32_bits(root));
	nv_wr32(nv, NV_VF_MMU_INVALIDATE,
		NV_VF_MMU_INVALIDATE_TRIGGER | NV_VF_MMU_INVALIDATE_ALL_VA);
	ret = read_poll_timeout(nv_rd32, value,
				!(value & NV_VF_MMU_INVALIDATE_TRIGGER) || nv_regs_lost(nv), 10,
				INVALIDATE_LIMIT_US, false, nv, NV_VF_MMU_INVALIDATE);
	if (READ_ONCE(nv->lost))
		ret = -EIO;
	else if (ret)
		drm_err(&nv->base.drm, "TLB invalidate timed out, status 0x%08x\n", value);
	mutex_unlock(&nv->flush_lock);
	if (ret)
		nv_rpc_wedge(nv);
	else
		nv_mmu_reap(&vm->mmu);
	return ret;
}
