// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Address spaces. drm_gpuvm keeps the ranges and says what a new one does to those that are there;
 * the vendor keeps page tables; here the two are kept in step. A range refers to its buffer and,
 * when that is memory of the machine, keeps it mapped for DMA. When the device goes, all ranges
 * go, but the empty address space stays until its last user lets it go.
 */
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "kmod/array.h"
#include "kmod/bo.h"
#include "kmod/compat.h"
#include "kmod/device.h"
#include "kmod/file.h"
#include "kmod/limits.h"
#include "kmod/syncobj.h"

#define SOV_MAX_BIND_OPS 1024

/* A range, with the rights of its mapping. */
struct sov_range {
	struct drm_gpuva base;
	struct list_head gone; /* in the address space's list, when it is not mapped any more */
	u32 flags;
};

static struct sov_range *to_range(struct drm_gpuva *va)
{
	return container_of(va, struct sov_range, base);
}

/* One step of VM_BIND, with the ranges that it may need made before it begins. */
struct sov_step {
	struct sov_vm *vm;
	u32 flags;
	struct sov_range *fresh, *before, *after;
};

static const struct sov_vendor *vendor_of(struct sov_vm *vm)
{
	return to_sov_device(vm->base.drm)->vendor;
}

/* A range takes its buffer, which is mapped for DMA already, or lets it go. */
static void range_hold(struct sov_range *r)
{
	drm_gem_object_get(r->base.gem.obj);
	sov_bo_dma_get(to_sov_bo(r->base.gem.obj));
}

static void range_release(struct sov_range *r)
{
	struct drm_gem_object *obj = r->base.gem.obj;

	sov_bo_dma_put(to_sov_bo(obj));
	drm_gem_object_put(obj);
	kfree(r);
}

/*
 * What the device may still know of keeps its memory: it could be another's by then. Ranges go when
 * the device has forgotten them, all at once.
 */
static void range_retire(struct sov_vm *vm, struct sov_range *r)
{
	list_add_tail(&r->gone, &vm->gone);
}

static void release_gone(struct sov_vm *vm)
{
	struct sov_range *r, *next;

	list_for_each_entry_safe(r, next, &vm->gone, gone) {
		list_del(&r->gone);
		range_release(r);
	}
}

struct sov_mapping {
	struct sov_vm *vm;
	u64 va;
	u32 flags;
};

static int map_piece(void *data, u64 address, u64 bytes, bool system)
{
	struct sov_mapping *m = data;
	int ret = vendor_of(m->vm)->vm_map(m->vm, m->va, bytes, address, system, m->flags);

	m->va += bytes;
	return ret;
}

static int sov_step_map(struct drm_gpuva_op *op, void *data)
{
	struct sov_step *step = data;
	struct sov_vm *vm = step->vm;
	struct sov_mapping m = { vm, op->map.va.addr, step->flags };
	struct sov_bo *bo = to_sov_bo(op->map.gem.obj);
	struct sov_range *r = step->fresh;
	int ret;

	ret = sov_account_charge(vm->account, SOV_LIMIT_MAPPINGS, 1);
	if (ret)
		return ret;
	ret = sov_bo_dma_get(bo);
	if (ret) {
		sov_account_uncharge(vm->account, SOV_LIMIT_MAPPINGS, 1);
		return ret;
	}
	ret = sov_bo_walk(bo, op->map.gem.offset, op->map.va.range, map_piece, &m);
	if (ret) {
		sov_account_uncharge(vm->account, SOV_LIMIT_MAPPINGS, 1);
		vendor_of(vm)->vm_unmap(vm, op->map.va.addr, op->map.va.range);
		r->base.gem.obj = op->map.gem.obj;
		drm_gem_object_get(r->base.gem.obj);
		range_retire(vm, r);
		step->fresh = NULL;
		return ret;
	}
	r->flags = step->flags;
	drm_gpuva_map(&vm->base, &r->base, &op->map);
	drm_gem_object_get(r->base.gem.obj);
	vm->mapped += op->map.va.range;
	step->fresh = NULL;
	return 0;
}

/* A range loses its middle, its beginning or its end. */
static int sov_step_remap(struct drm_gpuva_op *op, void *data)
{
	struct sov_range *old = to_range(op->remap.unmap->va), *before = NULL, *after = NULL;
	struct sov_step *step = data;
	struct sov_vm *vm = step->vm;
	/* One that loses its middle becomes two. */
	u64 start, range, more = op->remap.prev && op->remap.next;
	int ret;

	ret = sov_account_charge(vm->account, SOV_LIMIT_MAPPINGS, more);
	if (ret)
		return ret;
	drm_gpuva_op_remap_to_unmap_range(&op->remap, &start, &range);
	ret = vendor_of(vm)->vm_split(vm, start);
	if (!ret)
		ret = vendor_of(vm)->vm_split(vm, start + range);
	if (ret) {
		sov_account_uncharge(vm->account, SOV_LIMIT_MAPPINGS, more);
		return ret;
	}
	vendor_of(vm)->vm_unmap(vm, start, range);
	if (op->remap.prev)
		swap(before, step->before);
	if (op->remap.next)
		swap(after, step->after);
	drm_gpuva_remap(before ? &before->base : NULL, after ? &after->base : NULL, &op->remap);
	if (before) {
		before->flags = old->flags;
		range_hold(before);
	}
	if (after) {
		after->flags = old->flags;
		range_hold(after);
	}
	vm->mapped -= range;
	range_retire(vm, old);
	return 0;
}

static int sov_step_unmap(struct drm_gpuva_op *op, void *data)
{
	struct sov_range *r = to_range(op->unmap.va);
	struct sov_step *step = data;
	struct sov_vm *vm = step->vm;

	vendor_of(vm)->vm_unmap(vm, r->base.va.addr, r->base.va.range);
	vm->mapped -= r->base.va.range;
	drm_gpuva_unmap(&op->unmap);
	sov_account_uncharge(vm->account, SOV_LIMIT_MAPPINGS, 1);
	range_retire(vm, r);
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
	.sm_step_map = sov_step_map,
	.sm_step_remap = sov_step_remap,
	.sm_step_unmap = sov_step_unmap,
};

/* No range is left; page tables are not touched, because nobody will read them again. */
static void sov_vm_empty(struct sov_vm *vm)
{
	struct drm_gpuva *va, *next;
	u64 count = 0;

	mutex_lock(&vm->lock);
	vm->dead = true;
	drm_gpuvm_for_each_va_safe(va, next, &vm->base) {
		drm_gpuva_remove(va);
		range_release(to_range(va));
		count++;
	}
	sov_account_uncharge(vm->account, SOV_LIMIT_MAPPINGS, count);
	release_gone(vm);
	vm->mapped = 0;
	mutex_unlock(&vm->lock);
}

static void release(struct kref *users)
{
	struct sov_vm *vm = container_of(users, struct sov_vm, users);
	struct sov_device *sov = to_sov_device(vm->base.drm);

	/* Removal waits for the lock that this takes as long as it finds the address space. */
	sov_vm_empty(vm);
	mutex_lock(&sov->vms_lock);
	sov->vendor->vm_stop(vm); /* while removal, which ends the firmware, still finds it */
	list_del(&vm->link);
	mutex_unlock(&sov->vms_lock);
	sov->vendor->vm_fini(vm);
	sov_account_uncharge(vm->account, SOV_LIMIT_VMS, 1);
	sov_account_put(vm->account);
	drm_gpuvm_put(&vm->base); /* buffers may keep the structure, and nothing but that */
}

/**
 * sov_vm_put() - let an address space go
 * @vm: the address space; with its last user all that it maps goes
 */
void sov_vm_put(struct sov_vm *vm)
{
	kref_put(&vm->users, release);
}

/**
 * sov_vms_kill() - unmap everything of everybody, because the device goes
 * @sov: the device, unplugged: no new mappings come
 */
void sov_vms_kill(struct sov_device *sov)
{
	struct sov_vm *vm;

	mutex_lock(&sov->vms_lock);
	list_for_each_entry(vm, &sov->vms, link) {
		sov_vm_empty(vm);
		sov->vendor->vm_stop(vm);
	}
	mutex_unlock(&sov->vms_lock);
}

/**
 * sov_vms_fini() - for a file that is closed
 * @file: the file; its groups are gone already
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
 * sov_vm_find() - look an address space up
 * @file: whose it is
 * @id: its number
 *
 * Return: the address space, to be given to sov_vm_put(), or NULL.
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
 * sov_vm_maps() - is all of a range mapped now?
 * @vm: the address space
 * @va: first address
 * @bytes: size
 *
 * Return: whether it is.
 */
bool sov_vm_maps(struct sov_vm *vm, u64 va, u64 bytes)
{
	u64 at = va, end = va + bytes;
	struct drm_gpuva *range;

	mutex_lock(&vm->lock);
	drm_gpuvm_for_each_va_range(range, &vm->base, va, end) {
		if (range->va.addr > at)
			break;
		at = range->va.addr + range->va.range;
	}
	mutex_unlock(&vm->lock);
	return at >= end;
}

/**
 * sov_vm_fault() - note that a queue could not reach an address
 * @vm: the address space
 * @address: the address
 */
void sov_vm_fault(struct sov_vm *vm, u64 address)
{
	unsigned long flags;

	spin_lock_irqsave(&vm->fault_lock, flags);
	vm->fault_count++;
	vm->fault_address = address;
	spin_unlock_irqrestore(&vm->fault_lock, flags);
}

/* One address space is charged already. */
static struct sov_vm *sov_vm_make(struct sov_device *sov, struct sov_account *account)
{
	struct sov_vm *vm = kzalloc(sov->vendor->vm_bytes, GFP_KERNEL_ACCOUNT);
	struct drm_gem_object *root;
	int ret;

	if (!vm)
		return ERR_PTR(-ENOMEM);
	vm->account = account;
	root = drm_gpuvm_resv_object_alloc(&sov->drm);
	if (!root) {
		kfree(vm);
		return ERR_PTR(-ENOMEM);
	}
	ret = sov->vendor->vm_init(sov, vm);
	if (ret) {
		drm_gem_object_put(root);
		kfree(vm);
		return ERR_PTR(ret);
	}
	sov_account_get(account);
	kref_init(&vm->users);
	mutex_init(&vm->lock);
	INIT_LIST_HEAD(&vm->gone);
	spin_lock_init(&vm->fault_lock);
	drm_gpuvm_init(&vm->base, "sovgpu", 0, &sov->drm, root, sov->vm_info.va_start,
		       sov->vm_info.va_end - sov->vm_info.va_start, 0, 0, &sov_vm_ops);
	drm_gem_object_put(root);
	mutex_lock(&sov->vms_lock);
	list_add(&vm->link, &sov->vms);
	mutex_unlock(&sov->vms_lock);
	return vm;
}

/**
 * sov_vm_create_ioctl() - make an address space
 * @drm: the device
 * @data: &struct drm_sovgpu_vm_create
 * @file: who asks
 *
 * Return: 0; EINVAL; ENOMEM; ENOSPC when VRAM is full, or the file has its part of it, or too many;
 * ENODEV; EIO.
 */
int sov_vm_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_sovgpu_vm_create *c = data;
	struct sov_file *own = to_sov_file(file);
	struct sov_vm *vm;
	int ret, idx;
	u32 id;

	if (c->flags || c->id)
		return -EINVAL;
	ret = sov_enter(to_sov_device(drm), &idx);
	if (ret)
		return ret;
	ret = sov_account_charge(own->account, SOV_LIMIT_VMS, 1);
	vm = ret ? ERR_PTR(ret) : sov_vm_make(to_sov_device(drm), own->account);
	if (!ret && IS_ERR(vm))
		sov_account_uncharge(own->account, SOV_LIMIT_VMS, 1);
	drm_dev_exit(idx);
	if (IS_ERR(vm))
		return PTR_ERR(vm);
	/* From here on another thread may guess the number and destroy it. */
	ret = xa_alloc(&own->vms, &id, vm, xa_limit_31b, GFP_KERNEL_ACCOUNT);
	if (ret) {
		sov_vm_put(vm);
		return ret;
	}
	c->id = id;
	return 0;
}

/**
 * sov_vm_destroy_ioctl() - give an address space up
 * @drm: the device
 * @data: &struct drm_sovgpu_vm_destroy
 * @file: who asks
 *
 * Return: 0; EINVAL; ENOENT.
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

static bool range_valid(struct sov_device *sov, const struct drm_sovgpu_vm_bind_op *op, u64 align)
{
	const struct drm_sovgpu_vm_info *info = &sov->vm_info;

	return op->size && !((op->va | op->size | op->offset) % align) &&
	       op->va >= info->va_start && op->va < info->va_end &&
	       op->size <= info->va_end - op->va;
}

static int bind_map(struct sov_step *step, const struct drm_sovgpu_vm_bind_op *op,
		    struct drm_file *file)
{
	const u32 flags =
		DRM_SOVGPU_VM_MAP_READONLY | DRM_SOVGPU_VM_MAP_NOEXEC | DRM_SOVGPU_VM_MAP_UNCACHED;
	struct sov_device *sov = to_sov_device(step->vm->base.drm);
	struct drm_gem_object *obj;
	struct sov_bo *bo;
	int ret = -EINVAL;

	if (op->flags & ~flags)
		return -EINVAL;
	obj = drm_gem_object_lookup(file, op->handle);
	if (!obj)
		return -ENOENT;
	bo = to_sov_bo(obj);
	if (bo->exclusive && bo->exclusive != step->vm) {
		ret = -EPERM;
	} else if (range_valid(sov, op, bo->kind->align) && op->offset < obj->size &&
		   op->size <= obj->size - op->offset) {
		step->flags = op->flags;
		ret = sov_gpuvm_map(&step->vm->base, step, op->va, op->size, obj, op->offset);
	}
	drm_gem_object_put(obj);
	return ret;
}

static int bind_unmap(struct sov_step *step, const struct drm_sovgpu_vm_bind_op *op)
{
	struct sov_device *sov = to_sov_device(step->vm->base.drm);

	if (op->flags || op->handle || op->offset || !range_valid(sov, op, PAGE_SIZE))
		return -EINVAL;
	return drm_gpuvm_sm_unmap(&step->vm->base, step, op->va, op->size);
}

static int bind_one(struct sov_vm *vm, const struct drm_sovgpu_vm_bind_op *op,
		    struct drm_file *file)
{
	struct sov_step step = {
		.vm = vm,
		.fresh = kzalloc(sizeof(*step.fresh), GFP_KERNEL_ACCOUNT),
		.before = kzalloc(sizeof(*step.before), GFP_KERNEL_ACCOUNT),
		.after = kzalloc(sizeof(*step.after), GFP_KERNEL_ACCOUNT),
	};
	int ret = -EINVAL;

	mutex_lock(&vm->lock);
	if (!step.fresh || !step.before || !step.after)
		ret = -ENOMEM;
	else if (vm->dead)
		ret = -ENODEV;
	else if (op->pad)
		ret = -EINVAL;
	else if (op->type == DRM_SOVGPU_VM_BIND_OP_MAP)
		ret = bind_map(&step, op, file);
	else if (op->type == DRM_SOVGPU_VM_BIND_OP_UNMAP)
		ret = bind_unmap(&step, op);
	mutex_unlock(&vm->lock);
	kfree(step.fresh);
	kfree(step.before);
	kfree(step.after);
	return ret;
}

/* The device forgets what earlier steps unmapped; only then their memory is free. */
static int settle(struct sov_vm *vm)
{
	int ret = -ENODEV;

	mutex_lock(&vm->lock);
	if (!vm->dead)
		ret = vendor_of(vm)->vm_flush(vm);
	if (!ret)
		release_gone(vm);
	mutex_unlock(&vm->lock);
	return ret;
}

static int bind_all(struct sov_vm *vm, const struct drm_sovgpu_vm_bind_op *ops,
		    struct drm_sovgpu_vm_bind *b, struct drm_file *file)
{
	int ret = 0;
	u32 i;

	for (i = 0; i < b->ops.count && !ret; i++) {
		/* A step can be as large as all memory, and there can be many of these. */
		if (fatal_signal_pending(current))
			ret = -EINTR;
		else if (drm_dev_is_unplugged(vm->base.drm)) /* removal waits for us */
			ret = -ENODEV;
		else
			ret = bind_one(vm, &ops[i], file);
		/* What this call has given back itself is enough for many. */
		if (ret == -ENOSPC && i && !settle(vm))
			ret = bind_one(vm, &ops[i], file);
		if (!ret)
			b->done++;
	}
	settle(vm); /* steps that were done stand, also when a later one failed */
	return ret;
}

/* Reading the caller's memory and waiting come first, because the device may go meanwhile. */
static int bind(struct sov_vm *vm, struct drm_sovgpu_vm_bind *b, struct sov_syncs *syncs,
		struct drm_file *file)
{
	struct drm_sovgpu_vm_bind_op *ops;
	struct dma_fence *done;
	int ret, idx;

	ops = sov_array_get(&b->ops, SOV_MAX_BIND_OPS, sizeof(*ops), sizeof(*ops));
	if (IS_ERR(ops))
		return PTR_ERR(ops);
	ret = sov_syncs_wait(syncs);
	if (!ret)
		ret = sov_enter(to_sov_device(vm->base.drm), &idx);
	if (!ret) {
		ret = bind_all(vm, ops, b, file);
		drm_dev_exit(idx);
	}
	kvfree(ops);
	if (!ret) {
		done = dma_fence_get_stub(); /* signalled already */
		sov_syncs_signal(syncs, done);
		dma_fence_put(done);
	}
	return ret;
}

/**
 * sov_vm_bind_ioctl() - map buffers into an address space and unmap them
 * @drm: the device
 * @data: &struct drm_sovgpu_vm_bind
 * @file: who asks
 *
 * It is done when the call returns: the call waits for syncs, so no fence is published that page
 * tables would have to be allocated for.
 *
 * Return: 0; EINVAL; ENOENT; EPERM; E2BIG; EFAULT; ENOMEM; ENOSPC when VRAM is full, or the file
 * has its part of it and page tables would need more, or too many mappings; EINTR; ENODEV; EIO.
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
	if (!ret) {
		ret = bind(vm, b, &syncs, file);
		sov_syncs_put(&syncs);
	}
	sov_vm_put(vm);
	return ret;
}

/**
 * sov_vm_state_ioctl() - is an address space usable
 * @drm: the device
 * @data: &struct drm_sovgpu_vm_state
 * @file: who asks
 *
 * Return: 0; EINVAL; ENOENT.
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
