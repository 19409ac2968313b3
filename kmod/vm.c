// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * GPU address spaces. drm_gpuvm tracks the VA ranges and computes how a new range splits existing
 * ones; the vendor keeps the page tables; this file keeps both consistent. A range holds a
 * reference to its BO and, for system memory, to the BO's DMA mapping. When the device is
 * unplugged, all ranges are unmapped, but the empty VM exists until its last user drops it.
 */
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "kmod/array.h"
#include "kmod/bo.h"
#include "kmod/compat.h"
#include "kmod/device.h"
#include "kmod/limits.h"
#include "kmod/syncobj.h"
#include "kmod/trace.h"
#include "kmod/vm.h"

#define SOV_MAX_BIND_OPS 1024

/* A mapped VA range. */
struct sov_vma {
	struct drm_gpuva base;
	struct list_head retired_link; /* in sov_vm.retired after the unmap */
	u32 flags;                     /* of enum drm_sovgpu_vm_map_flags */
};

static struct sov_vma *to_sov_vma(struct drm_gpuva *va)
{
	return container_of(va, struct sov_vma, base);
}

/* One operation of VM_BIND, with preallocated VMAs for its drm_gpuvm steps. */
struct sov_bind {
	struct sov_vm *vm;
	u32 flags;
	struct sov_vma *new_vma, *prev_vma, *next_vma;
};

static const struct sov_vendor *sov_vm_vendor(struct sov_vm *vm)
{
	return to_sov_device(vm->base.drm)->vendor;
}

/* Another VMA of the same BO keeps the DMA mapping, so sov_bo_dma_get() cannot fail here. */
static void sov_vma_hold_bo(struct sov_vma *vma)
{
	drm_gem_object_get(vma->base.gem.obj);
	sov_bo_dma_get(to_sov_bo(vma->base.gem.obj));
}

static void sov_vma_free(struct sov_vma *vma)
{
	struct drm_gem_object *obj = vma->base.gem.obj;

	sov_bo_dma_put(to_sov_bo(obj));
	drm_gem_object_put(obj);
	kfree(vma);
}

/* The device may access the memory of an unmapped VMA until the TLB invalidate. */
static void sov_vma_retire(struct sov_vm *vm, struct sov_vma *vma)
{
	list_add_tail(&vma->retired_link, &vm->retired);
}

static void sov_vm_free_retired(struct sov_vm *vm)
{
	struct sov_vma *vma, *next;

	list_for_each_entry_safe(vma, next, &vm->retired, retired_link) {
		list_del(&vma->retired_link);
		sov_vma_free(vma);
	}
}

/* Iterates over the segments of a BO while they are mapped. */
struct sov_map_cursor {
	struct sov_vm *vm;
	u64 va;
	u32 flags;
};

static int sov_vm_map_segment(void *data, u64 address, u64 bytes, bool system)
{
	struct sov_map_cursor *m = data;
	int ret = sov_vm_vendor(m->vm)->vm_map(m->vm, m->va, bytes, address, system, m->flags);

	m->va += bytes;
	return ret;
}

static int sov_vm_step_map(struct drm_gpuva_op *op, void *data)
{
	struct sov_bind *bind = data;
	struct sov_vm *vm = bind->vm;
	struct sov_map_cursor m = { vm, op->map.va.addr, bind->flags };
	struct sov_bo *bo = to_sov_bo(op->map.gem.obj);
	struct sov_vma *vma = bind->new_vma;
	int ret;

	ret = sov_account_charge(vm->account, SOV_LIMIT_MAPPINGS, 1);
	if (ret)
		return ret;
	ret = sov_bo_dma_get(bo);
	if (ret) {
		sov_account_uncharge(vm->account, SOV_LIMIT_MAPPINGS, 1);
		return ret;
	}
	ret = sov_bo_walk_segments(bo, op->map.gem.offset, op->map.va.range, sov_vm_map_segment,
				   &m);
	if (ret) {
		/* A TLB may hold the first segments: free their memory after the invalidate. */
		sov_account_uncharge(vm->account, SOV_LIMIT_MAPPINGS, 1);
		sov_vm_vendor(vm)->vm_unmap(vm, op->map.va.addr, op->map.va.range);
		vma->base.gem.obj = op->map.gem.obj;
		drm_gem_object_get(vma->base.gem.obj);
		sov_vma_retire(vm, vma);
		bind->new_vma = NULL;
		return ret;
	}
	vma->flags = bind->flags;
	drm_gpuva_map(&vm->base, &vma->base, &op->map);
	drm_gem_object_get(vma->base.gem.obj);
	vm->mapped += op->map.va.range;
	trace_sov_vm_map(vm->base.drm->dev, vm, op->map.va.addr, op->map.va.range, bind->flags);
	bind->new_vma = NULL;
	return 0;
}

/* A range loses its middle, its beginning or its end. */
static int sov_vm_step_remap(struct drm_gpuva_op *op, void *data)
{
	struct sov_vma *old = to_sov_vma(op->remap.unmap->va), *prev = NULL, *next = NULL;
	struct sov_bind *bind = data;
	struct sov_vm *vm = bind->vm;
	/* A range that loses its middle becomes two. */
	u64 start, range, extra = op->remap.prev && op->remap.next;
	int ret;

	ret = sov_account_charge(vm->account, SOV_LIMIT_MAPPINGS, extra);
	if (ret)
		return ret;
	drm_gpuva_op_remap_to_unmap_range(&op->remap, &start, &range);
	ret = sov_vm_vendor(vm)->vm_split(vm, start);
	if (ret)
		goto err_uncharge;
	ret = sov_vm_vendor(vm)->vm_split(vm, start + range);
	if (ret)
		goto err_uncharge;
	sov_vm_vendor(vm)->vm_unmap(vm, start, range);
	if (op->remap.prev)
		swap(prev, bind->prev_vma);
	if (op->remap.next)
		swap(next, bind->next_vma);
	drm_gpuva_remap(prev ? &prev->base : NULL, next ? &next->base : NULL, &op->remap);
	if (prev) {
		prev->flags = old->flags;
		sov_vma_hold_bo(prev);
	}
	if (next) {
		next->flags = old->flags;
		sov_vma_hold_bo(next);
	}
	vm->mapped -= range;
	trace_sov_vm_unmap(vm->base.drm->dev, vm, start, range, old->flags);
	sov_vma_retire(vm, old);
	return 0;

err_uncharge:
	sov_account_uncharge(vm->account, SOV_LIMIT_MAPPINGS, extra);
	return ret;
}

static int sov_vm_step_unmap(struct drm_gpuva_op *op, void *data)
{
	struct sov_vma *vma = to_sov_vma(op->unmap.va);
	struct sov_bind *bind = data;
	struct sov_vm *vm = bind->vm;

	sov_vm_vendor(vm)->vm_unmap(vm, vma->base.va.addr, vma->base.va.range);
	vm->mapped -= vma->base.va.range;
	trace_sov_vm_unmap(vm->base.drm->dev, vm, vma->base.va.addr, vma->base.va.range,
			   vma->flags);
	drm_gpuva_unmap(&op->unmap);
	sov_account_uncharge(vm->account, SOV_LIMIT_MAPPINGS, 1);
	sov_vma_retire(vm, vma);
	return 0;
}

static void sov_vm_free(struct drm_gpuvm *gpuvm)
{
	struct sov_vm *vm = to_sov_vm(gpuvm);

	mutex_destroy(&vm->lock);
	kfree(vm);
}

static const struct drm_gpuvm_ops sov_vm_ops = {
	.vm_free = sov_vm_free,
	.sm_step_map = sov_vm_step_map,
	.sm_step_remap = sov_vm_step_remap,
	.sm_step_unmap = sov_vm_step_unmap,
};

/* Removes all ranges. The page tables stay as they are because the device stops using them. */
static void sov_vm_remove_all(struct sov_vm *vm)
{
	struct drm_gpuva *va, *next;
	u64 count = 0;

	mutex_lock(&vm->lock);
	vm->dead = true;
	drm_gpuvm_for_each_va_safe(va, next, &vm->base) {
		drm_gpuva_remove(va);
		sov_vma_free(to_sov_vma(va));
		count++;
	}
	sov_account_uncharge(vm->account, SOV_LIMIT_MAPPINGS, count);
	sov_vm_free_retired(vm);
	vm->mapped = 0;
	mutex_unlock(&vm->lock);
}

static void sov_vm_release(struct kref *users)
{
	struct sov_vm *vm = container_of(users, struct sov_vm, users);
	struct sov_device *sov = to_sov_device(vm->base.drm);

	/* sov_vms_unplug() may run concurrently until list_del(); vm->lock serialises both. */
	sov_vm_remove_all(vm);
	mutex_lock(&sov->vms_lock);
	sov->vendor->vm_stop(vm); /* before sov_vms_unplug() returns and the firmware stops */
	list_del(&vm->link);
	mutex_unlock(&sov->vms_lock);
	sov->vendor->vm_fini(vm);
	sov_account_uncharge(vm->account, SOV_LIMIT_VMS, 1);
	sov_account_put(vm->account);
	drm_gpuvm_put(&vm->base); /* BOs with this exclusive VM may keep the structure */
}

/**
 * sov_vm_put() - drop a reference to a VM
 * @vm: The VM. The last call unmaps everything.
 */
void sov_vm_put(struct sov_vm *vm)
{
	kref_put(&vm->users, sov_vm_release);
}

/**
 * sov_vms_unplug() - unmap all ranges of all VMs because the device is removed
 * @sov: The device, unplugged: no new mappings are created.
 */
void sov_vms_unplug(struct sov_device *sov)
{
	struct sov_vm *vm;

	mutex_lock(&sov->vms_lock);
	list_for_each_entry(vm, &sov->vms, link) {
		sov_vm_remove_all(vm);
		sov->vendor->vm_stop(vm);
	}
	mutex_unlock(&sov->vms_lock);
}

/**
 * sov_vms_fini() - drop all VMs of a file that is closed
 * @file: The file. Its groups are destroyed already.
 */
void sov_vms_fini(struct sov_file *file)
{
	unsigned long id;
	struct sov_vm *vm;

	xa_for_each(&file->vms, id, vm)
		sov_vm_put(vm);
	xa_destroy(&file->vms);
}

/**
 * sov_vm_find() - look up a VM
 * @file: The file that owns the VM.
 * @id: ID of the VM.
 *
 * Return: The VM with a reference, or NULL.
 */
struct sov_vm *sov_vm_find(struct sov_file *file, u32 id)
{
	struct sov_vm *vm;

	xa_lock(&file->vms);
	vm = xa_load(&file->vms, id);
	if (vm)
		kref_get(&vm->users);
	xa_unlock(&file->vms);
	return vm;
}

/**
 * sov_vm_is_mapped() - check whether a range is mapped completely
 * @vm: The VM.
 * @va: First address.
 * @bytes: Size of the range.
 *
 * Return: True if every byte of the range is mapped.
 */
bool sov_vm_is_mapped(struct sov_vm *vm, u64 va, u64 bytes)
{
	u64 mapped_end = va, end = va + bytes;
	struct drm_gpuva *range;

	mutex_lock(&vm->lock);
	drm_gpuvm_for_each_va_range(range, &vm->base, va, end) {
		if (range->va.addr > mapped_end)
			break;
		mapped_end = range->va.addr + range->va.range;
	}
	mutex_unlock(&vm->lock);
	return mapped_end >= end;
}

/**
 * sov_vm_report_fault() - record an MMU fault
 * @vm: The VM.
 * @address: The faulting VA.
 *
 * Context: Any.
 */
void sov_vm_report_fault(struct sov_vm *vm, u64 address)
{
	unsigned long flags;

	spin_lock_irqsave(&vm->fault_lock, flags);
	vm->fault_count++;
	vm->fault_address = address;
	spin_unlock_irqrestore(&vm->fault_lock, flags);
}

/* The caller has charged SOV_LIMIT_VMS to the account. */
static struct sov_vm *sov_vm_create(struct sov_device *sov, struct sov_account *account)
{
	struct sov_vm *vm = kzalloc(sov->vendor->vm_bytes, GFP_KERNEL_ACCOUNT);
	struct drm_gem_object *root;
	int ret;

	if (!vm)
		return ERR_PTR(-ENOMEM);
	vm->account = account;
	root = drm_gpuvm_resv_object_alloc(&sov->drm);
	if (!root) {
		ret = -ENOMEM;
		goto err_free_vm;
	}
	ret = sov->vendor->vm_init(sov, vm);
	if (ret)
		goto err_put_root;
	sov_account_get(account);
	kref_init(&vm->users);
	mutex_init(&vm->lock);
	INIT_LIST_HEAD(&vm->retired);
	spin_lock_init(&vm->fault_lock);
	drm_gpuvm_init(&vm->base, "sovgpu", 0, &sov->drm, root, sov->vm_info.va_start,
		       sov->vm_info.va_end - sov->vm_info.va_start, 0, 0, &sov_vm_ops);
	drm_gem_object_put(root);
	mutex_lock(&sov->vms_lock);
	list_add(&vm->link, &sov->vms);
	mutex_unlock(&sov->vms_lock);
	return vm;

err_put_root:
	drm_gem_object_put(root);
err_free_vm:
	kfree(vm);
	return ERR_PTR(ret);
}

/**
 * sov_vm_create_ioctl() - create a VM
 * @drm: The device.
 * @data: &struct drm_sovgpu_vm_create.
 * @file: The calling file.
 *
 * Return: 0; -EINVAL; -ENOMEM; -ENOSPC if VRAM, a VRAM limit or a VM limit is exhausted;
 * -ENODEV; -EIO.
 */
int sov_vm_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct sov_file *sfile = to_sov_file(file);
	struct drm_sovgpu_vm_create *c = data;
	struct sov_vm *vm;
	int ret, idx;
	u32 id;

	if (c->flags || c->id)
		return -EINVAL;
	ret = sov_dev_enter(to_sov_device(drm), &idx);
	if (ret)
		return ret;
	ret = sov_account_charge(sfile->account, SOV_LIMIT_VMS, 1);
	if (ret)
		goto err_dev_exit;
	vm = sov_vm_create(to_sov_device(drm), sfile->account);
	if (IS_ERR(vm)) {
		ret = PTR_ERR(vm);
		goto err_uncharge;
	}
	drm_dev_exit(idx);
	/* Another thread may guess the ID and destroy the VM from here on. */
	ret = xa_alloc(&sfile->vms, &id, vm, xa_limit_31b, GFP_KERNEL_ACCOUNT);
	if (ret) {
		sov_vm_put(vm);
		return ret;
	}
	c->id = id;
	return 0;

err_uncharge:
	sov_account_uncharge(sfile->account, SOV_LIMIT_VMS, 1);
err_dev_exit:
	drm_dev_exit(idx);
	return ret;
}

/**
 * sov_vm_destroy_ioctl() - drop the file's reference to a VM
 * @drm: The device.
 * @data: &struct drm_sovgpu_vm_destroy.
 * @file: The calling file.
 *
 * Return: 0, -EINVAL, -ENOENT.
 */
int sov_vm_destroy_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_sovgpu_vm_destroy *d = data;
	struct sov_vm *vm;

	if (d->pad)
		return -EINVAL;
	vm = xa_erase(&to_sov_file(file)->vms, d->id);
	if (!vm)
		return -ENOENT;
	sov_vm_put(vm);
	return 0;
}

static bool sov_bind_op_is_valid(struct sov_device *sov, const struct drm_sovgpu_vm_bind_op *op,
				 u64 align)
{
	const struct drm_sovgpu_vm_info *info = &sov->vm_info;

	return op->size && !((op->va | op->size | op->offset) % align) &&
	       op->va >= info->va_start && op->va < info->va_end &&
	       op->size <= info->va_end - op->va;
}

static int sov_bind_map(struct sov_bind *bind, const struct drm_sovgpu_vm_bind_op *op,
			struct drm_file *file)
{
	const u32 flags =
		DRM_SOVGPU_VM_MAP_READONLY | DRM_SOVGPU_VM_MAP_NOEXEC | DRM_SOVGPU_VM_MAP_UNCACHED;
	struct sov_device *sov = to_sov_device(bind->vm->base.drm);
	struct drm_gem_object *obj;
	struct sov_bo *bo;
	int ret = -EINVAL;

	if (op->flags & ~flags)
		return -EINVAL;
	/* Without the bit in the page tables a mapping would allow what the caller forbids. */
	if (op->flags & ~sov->vm_info.map_flags)
		return -EOPNOTSUPP;
	obj = drm_gem_object_lookup(file, op->handle);
	if (!obj)
		return -ENOENT;
	bo = to_sov_bo(obj);
	if (bo->exclusive_vm && bo->exclusive_vm != &bind->vm->base) {
		ret = -EPERM;
	} else if (sov_bind_op_is_valid(sov, op, bo->type->align) && op->offset < obj->size &&
		   op->size <= obj->size - op->offset) {
		bind->flags = op->flags;
		ret = sov_gpuvm_sm_map(&bind->vm->base, bind, op->va, op->size, obj, op->offset);
	}
	drm_gem_object_put(obj);
	return ret;
}

static int sov_bind_unmap(struct sov_bind *bind, const struct drm_sovgpu_vm_bind_op *op)
{
	struct sov_device *sov = to_sov_device(bind->vm->base.drm);

	if (op->flags || op->handle || op->offset || !sov_bind_op_is_valid(sov, op, PAGE_SIZE))
		return -EINVAL;
	return drm_gpuvm_sm_unmap(&bind->vm->base, bind, op->va, op->size);
}

static int sov_vm_bind_one(struct sov_vm *vm, const struct drm_sovgpu_vm_bind_op *op,
			   struct drm_file *file)
{
	struct sov_bind bind = {
		.vm = vm,
		.new_vma = kzalloc(sizeof(*bind.new_vma), GFP_KERNEL_ACCOUNT),
		.prev_vma = kzalloc(sizeof(*bind.prev_vma), GFP_KERNEL_ACCOUNT),
		.next_vma = kzalloc(sizeof(*bind.next_vma), GFP_KERNEL_ACCOUNT),
	};
	int ret = -EINVAL;

	mutex_lock(&vm->lock);
	if (!bind.new_vma || !bind.prev_vma || !bind.next_vma)
		ret = -ENOMEM;
	else if (vm->dead)
		ret = -ENODEV;
	else if (op->pad)
		ret = -EINVAL;
	else if (op->type == DRM_SOVGPU_VM_BIND_OP_MAP)
		ret = sov_bind_map(&bind, op, file);
	else if (op->type == DRM_SOVGPU_VM_BIND_OP_UNMAP)
		ret = sov_bind_unmap(&bind, op);
	mutex_unlock(&vm->lock);
	kfree(bind.new_vma);
	kfree(bind.prev_vma);
	kfree(bind.next_vma);
	return ret;
}

/* Invalidates the TLBs, after which the memory of retired VMAs can be freed. */
static int sov_vm_flush(struct sov_vm *vm)
{
	int ret = -ENODEV;

	mutex_lock(&vm->lock);
	if (!vm->dead)
		ret = sov_vm_vendor(vm)->vm_flush(vm);
	if (!ret)
		sov_vm_free_retired(vm);
	mutex_unlock(&vm->lock);
	return ret;
}

static int sov_vm_bind_ops(struct sov_vm *vm, const struct drm_sovgpu_vm_bind_op *ops,
			   struct drm_sovgpu_vm_bind *b, struct drm_file *file)
{
	int ret = 0;
	u32 i;

	for (i = 0; i < b->ops.count && !ret; i++) {
		/* One operation can map all memory, and there can be many. */
		if (fatal_signal_pending(current))
			ret = -EINTR;
		else if (drm_dev_is_unplugged(vm->base.drm)) /* unplug waits for this call */
			ret = -ENODEV;
		else
			ret = sov_vm_bind_one(vm, &ops[i], file);
		/* Earlier operations of this call may have unmapped enough memory. */
		if (ret == -ENOSPC && i && !sov_vm_flush(vm))
			ret = sov_vm_bind_one(vm, &ops[i], file);
		if (!ret)
			b->done++;
	}
	sov_vm_flush(vm); /* operations before a failed one stay in effect */
	return ret;
}

/* Copies the user's array and waits for fences outside of the drm_dev_enter() section. */
static int sov_vm_bind(struct sov_vm *vm, struct drm_sovgpu_vm_bind *b, struct sov_syncs *syncs,
		       struct drm_file *file)
{
	struct drm_sovgpu_vm_bind_op *ops;
	struct dma_fence *signalled;
	int ret, idx;

	ops = sov_array_get(&b->ops, SOV_MAX_BIND_OPS, sizeof(*ops), sizeof(*ops));
	if (IS_ERR(ops))
		return PTR_ERR(ops);
	ret = sov_syncs_wait(syncs);
	if (ret)
		goto err_free_ops;
	ret = sov_dev_enter(to_sov_device(vm->base.drm), &idx);
	if (ret)
		goto err_free_ops;
	ret = sov_vm_bind_ops(vm, ops, b, file);
	drm_dev_exit(idx);
	if (ret)
		goto err_free_ops;
	kvfree(ops);
	signalled = dma_fence_get_stub();
	sov_syncs_signal(syncs, signalled);
	dma_fence_put(signalled);
	return 0;

err_free_ops:
	kvfree(ops);
	return ret;
}

/**
 * sov_vm_bind_ioctl() - map and unmap BOs in a VM
 * @drm: The device.
 * @data: &struct drm_sovgpu_vm_bind.
 * @file: The calling file.
 *
 * The call is synchronous: it waits for the input syncs itself, so that it never publishes a fence
 * whose signalling would depend on the allocation of page tables.
 *
 * Return: 0; -EINVAL; -EOPNOTSUPP for a flag that the device does not support; -ENOENT; -EPERM;
 * -E2BIG; -EFAULT; -ENOMEM; -ENOSPC if VRAM, a VRAM limit (for page tables) or a mapping limit is
 * exhausted; -EINTR; -ENODEV; -EIO.
 */
int sov_vm_bind_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_sovgpu_vm_bind *b = data;
	struct sov_syncs syncs;
	struct sov_vm *vm;
	int ret;

	if (b->flags || b->done || b->pad)
		return -EINVAL;
	vm = sov_vm_find(to_sov_file(file), b->vm_id);
	if (!vm)
		return -ENOENT;
	ret = sov_syncs_get(&syncs, &b->syncs, file);
	if (ret)
		goto out_put_vm;
	ret = sov_vm_bind(vm, b, &syncs, file);
	sov_syncs_put(&syncs);
out_put_vm:
	sov_vm_put(vm);
	return ret;
}

/**
 * sov_vm_state_ioctl() - get the state and the last fault of a VM
 * @drm: The device.
 * @data: &struct drm_sovgpu_vm_state.
 * @file: The calling file.
 *
 * Return: 0, -EINVAL, -ENOENT.
 */
int sov_vm_state_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_sovgpu_vm_state *s = data;
	struct sov_vm *vm;

	if (s->state || s->mapped || s->fault_address || s->fault_count || s->pad)
		return -EINVAL;
	vm = sov_vm_find(to_sov_file(file), s->vm_id);
	if (!vm)
		return -ENOENT;
	mutex_lock(&vm->lock);
	s->state = vm->dead ? DRM_SOVGPU_VM_STATE_UNUSABLE : DRM_SOVGPU_VM_STATE_USABLE;
	s->mapped = vm->mapped;
	mutex_unlock(&vm->lock);
	spin_lock_irq(&vm->fault_lock);
	s->fault_count = vm->fault_count;
	s->fault_address = vm->fault_address;
	spin_unlock_irq(&vm->fault_lock);
	sov_vm_put(vm);
	return 0;
}
