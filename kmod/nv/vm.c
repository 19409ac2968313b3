// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Address spaces of a GH100: page tables in video memory, written through the window, the register
 * that makes the GPU forget what it has read of them, and the GSP, which is told where they are and
 * tells channels. The first GiB is the driver's own: rings and contexts of channels lie there.
 */
#include <drm/drm_print.h>
#include <linux/iopoll.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "kmod/limits.h"
#include "kmod/nv/nv.h"

#define FLUSH_LIMIT_US (2 * USEC_PER_SEC)

/* A table and its place. */
struct nv_vram_table {
	struct nv_mmu_table base;
	struct list_head blocks;
	void __iomem *cpu;
};

static struct nv_vram_table *to_vram_table(struct nv_mmu_table *table)
{
	return container_of(table, struct nv_vram_table, base);
}

static void table_free(void *owner, struct nv_mmu_table *table)
{
	struct nv_vm *vm = owner;
	struct nv_vram_table *t;

	if (!table)
		return;
	t = to_vram_table(table);
	if (t->cpu)
		iounmap(t->cpu);
	if (!list_empty(&t->blocks))
		sov_vram_free(&vm->nv->base, &t->blocks);
	sov_account_uncharge(vm->base.account, SOV_LIMIT_VRAM, NV_MMU3_TABLE_BYTES);
	kfree(t->base.children);
	kfree(t);
}

/* A table that is counted already. */
static int table_make(struct nv_vram_table *t, struct sov_device *sov, u32 children)
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

static int table_alloc(void *owner, u32 children, bool granted, struct nv_mmu_table **table)
{
	struct nv_vm *vm = owner;
	struct nv_vram_table *t;
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
	ret = table_make(t, &vm->nv->base, children);
	if (ret)
		table_free(vm, &t->base);
	else
		*table = &t->base;
	return ret;
}

static u64 table_read(void *owner, struct nv_mmu_table *table, u32 index)
{
	return readq(to_vram_table(table)->cpu + 8 * index);
}

static void table_write(void *owner, struct nv_mmu_table *table, u32 index, u64 value)
{
	writeq(value, to_vram_table(table)->cpu + 8 * index);
}

static const struct nv_mmu_ops table_memory = {
	.alloc = table_alloc,
	.free = table_free,
	.read = table_read,
	.write = table_write,
};

static int tell_gsp(struct nv_vm *vm)
{
	struct rm_va_space_parameters space = { .flags = RM_VA_SPACE_EXTERNAL };
	struct rm_set_directory set = {
		.address = vm->mmu.root->address,
		.entries = NV_MMU3_ROOT_ENTRIES,
		.va_space = NV_RM_VA_SPACE,
	};
	int ret;

	ret = nv_client_init(&vm->client, vm->nv);
	if (ret)
		return ret;
	ret = nv_rm_alloc(&vm->client, NV_RM_DEVICE, NV_RM_VA_SPACE, RM_CLASS_VA_SPACE, &space,
			  RM_VA_SPACE_BYTES_570);
	if (!ret) {
		ret = nv_rm_control(&vm->client, NV_RM_DEVICE, RM_CONTROL_SET_DIRECTORY, &set,
				    sizeof(set));
		if (ret)
			nv_rm_free(&vm->client, NV_RM_VA_SPACE);
	}
	if (ret)
		nv_client_fini(&vm->client);
	return ret;
}

/**
 * nv_vm_init() - make empty page tables and tell the GSP of them
 * @sov: the device
 * @base: the address space
 *
 * Return: 0 or a negative errno.
 */
int nv_vm_init(struct sov_device *sov, struct sov_vm *base)
{
	struct nv_vm *vm = to_nv_vm(base);
	int ret;

	vm->nv = to_nv(sov);
	ret = nv_mmu_init(&vm->mmu, &table_memory, vm);
	if (ret)
		return ret;
	drm_mm_init(&vm->own, NV_VM_OWN_START, NV_VM_OWN_END - NV_VM_OWN_START);
	ret = tell_gsp(vm);
	if (ret) {
		drm_mm_takedown(&vm->own);
		nv_mmu_fini(&vm->mmu);
	}
	return ret;
}

/**
 * nv_vm_stop() - let the GSP forget an address space
 * @base: the address space, without channels; stopping it twice does nothing
 */
void nv_vm_stop(struct sov_vm *base)
{
	struct rm_unset_directory unset = { .va_space = NV_RM_VA_SPACE };
	struct nv_vm *vm = to_nv_vm(base);

	if (!vm->client.handle)
		return;
	nv_rm_control(&vm->client, NV_RM_DEVICE, RM_CONTROL_UNSET_DIRECTORY, &unset, sizeof(unset));
	nv_rm_free(&vm->client, NV_RM_VA_SPACE);
	nv_client_fini(&vm->client);
}

/**
 * nv_vm_fini() - give page tables back
 * @base: the address space; the card may be gone
 */
void nv_vm_fini(struct sov_vm *base)
{
	struct nv_vm *vm = to_nv_vm(base);

	nv_vm_stop(base);
	drm_mm_takedown(&vm->own);
	nv_mmu_fini(&vm->mmu);
}

/**
 * nv_vm_place() - map something of the driver's own
 * @vm: the address space
 * @node: zeros; its start is the address
 * @address: in video memory, or for DMA
 * @bytes: size, a multiple of 4 KiB
 * @align: of the address in the address space
 * @bits: of the page table's entries
 *
 * Return: 0; ENOSPC; ENOMEM; EINTR; ENODEV; EIO.
 */
int nv_vm_place(struct nv_vm *vm, struct drm_mm_node *node, u64 address, u64 bytes, u64 align,
		u64 bits)
{
	int ret;

	mutex_lock(&vm->base.lock);
	ret = drm_mm_insert_node_generic(&vm->own, node, bytes, align, 0, DRM_MM_INSERT_BEST);
	if (!ret) {
		ret = nv_mmu_map(&vm->mmu, node->start, bytes, address,
				 bits | NV_MMU3_KIND_GENERIC);
		if (ret) {
			nv_mmu_unmap(&vm->mmu, node->start, bytes);
			drm_mm_remove_node(node);
		}
		nv_vm_flush(&vm->base);
	}
	mutex_unlock(&vm->base.lock);
	return ret;
}

/**
 * nv_vm_remove() - unmap it
 * @vm: the address space
 * @node: of nv_vm_place(); one that was not placed is fine
 */
void nv_vm_remove(struct nv_vm *vm, struct drm_mm_node *node)
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
 * nv_vm_map() - map a piece of memory where nothing is mapped
 * @base: the address space
 * @va: first address
 * @bytes: size
 * @address: in video memory, or for DMA
 * @system: which of these
 * @flags: of enum drm_sovgpu_vm_map_flags; there is no bit that forbids execution
 *
 * Return: 0, or why there is no memory for tables: ENOSPC; ENOMEM; EINTR; ENODEV; EIO.
 */
int nv_vm_map(struct sov_vm *base, u64 va, u64 bytes, u64 address, bool system, u32 flags)
{
	u64 bits = NV_MMU3_PCF_REGULAR | NV_MMU3_KIND_GENERIC;

	bits |= system ? NV_MMU3_PTE_COHERENT : NV_MMU3_PTE_VRAM;
	if (flags & DRM_SOVGPU_VM_MAP_READONLY)
		bits |= NV_MMU3_PCF_READ_ONLY | NV_MMU3_PCF_NO_ATOMICS;
	if (flags & DRM_SOVGPU_VM_MAP_UNCACHED)
		bits |= NV_MMU3_PCF_UNCACHED;
	return nv_mmu_map(&to_nv_vm(base)->mmu, va, bytes, address, bits);
}

/**
 * nv_vm_split() - see to it that no page crosses an address
 * @base: the address space
 * @va: the address
 *
 * Return: as nv_vm_map() has it, but the limit of the file refuses nothing here.
 */
int nv_vm_split(struct sov_vm *base, u64 va)
{
	return nv_mmu_split(&to_nv_vm(base)->mmu, va);
}

/**
 * nv_vm_unmap() - unmap what is in a range
 * @base: the address space
 * @va: first address
 * @bytes: size
 */
void nv_vm_unmap(struct sov_vm *base, u64 va, u64 bytes)
{
	nv_mmu_unmap(&to_nv_vm(base)->mmu, va, bytes);
}

/**
 * nv_vm_flush() - let the GPU see what was mapped and unmapped
 * @base: the address space, with its lock held
 *
 * Return: 0; ETIMEDOUT when the GPU may still know what was, and is given up for it; EIO when it
 * was given up before, or is lost.
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
	readq(to_vram_table(vm->mmu.root)->cpu); /* writes through the window are done */
	nv_wr32(nv, NV_VF_MMU_INVALIDATE_PDB_LO, lower_32_bits(root));
	nv_wr32(nv, NV_VF_MMU_INVALIDATE_PDB_HI, upper_32_bits(root));
	nv_wr32(nv, NV_VF_MMU_INVALIDATE,
		NV_VF_MMU_INVALIDATE_TRIGGER | NV_VF_MMU_INVALIDATE_ALL_VA);
	ret = read_poll_timeout(nv_rd32, value,
				!(value & NV_VF_MMU_INVALIDATE_TRIGGER) || nv_lost(nv), 10,
				FLUSH_LIMIT_US, false, nv, NV_VF_MMU_INVALIDATE);
	if (READ_ONCE(nv->lost))
		ret = -EIO;
	else if (ret)
		drm_err(&nv->base.drm, "MMU: it does not forget, 0x%08x\n", value);
	mutex_unlock(&nv->flush_lock);
	if (ret)
		nv_give_up(nv);
	else
		nv_mmu_reap(&vm->mmu);
	return ret;
}
