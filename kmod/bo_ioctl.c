// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Ioctls that create and describe BOs. */
#include <drm/drm_drv.h>
#include <drm/drm_vma_manager.h>

#include "kmod/bo.h"
#include "kmod/bo_ioctl.h"
#include "kmod/device.h"
#include "kmod/vm.h"

/* Exceeds the memory of any device, and sums of such sizes do not overflow. */
#define SOV_BO_MAX_SIZE BIT_ULL(46)

static bool sov_bo_create_is_valid(const struct drm_sovgpu_bo_create *c)
{
	const u32 regions =
		DRM_SOVGPU_REGION_VRAM | DRM_SOVGPU_REGION_SYSTEM | DRM_SOVGPU_REGION_USER;
	const u32 flags = DRM_SOVGPU_BO_MAPPABLE | DRM_SOVGPU_BO_UNCACHED;

	if (hweight32(c->region) != 1 || c->region & ~regions || c->flags & ~flags)
		return false;
	if (!c->size || c->size > SOV_BO_MAX_SIZE || c->size % sov_bo_region_align(c->region))
		return false;
	/* The caller of a userptr BO has a mapping already. */
	if (c->region == DRM_SOVGPU_REGION_USER)
		return !c->flags;
	return !c->user_address;
}

/**
 * sov_bo_create_ioctl() - allocate memory or pin the caller's memory
 * @drm: The device.
 * @data: &struct drm_sovgpu_bo_create.
 * @file: The calling file.
 *
 * Return: 0; -EINVAL; -ENOSPC if VRAM, a VRAM limit or a handle limit is exhausted;
 * -ENOMEM, also for a system memory limit and RLIMIT_MEMLOCK; -EFAULT if user memory is
 * not mapped; -ENOENT for an unknown VM; -EINTR; -ENODEV; -EIO.
 */
int sov_bo_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_sovgpu_bo_create *c = data;
	struct sov_vm *vm = NULL;
	struct sov_bo *bo;
	int ret, idx;

	if (!sov_bo_create_is_valid(c) || c->handle)
		return -EINVAL;
	if (c->exclusive_vm) {
		vm = sov_vm_find(to_sov_file(file), c->exclusive_vm);
		if (!vm)
			return -ENOENT;
	}
	ret = sov_dev_enter(to_sov_device(drm), &idx);
	if (ret)
		goto err_put_vm;
	/* Pinning user pages can block indefinitely, and unplug must not wait for that. */
	drm_dev_exit(idx);
	bo = sov_bo_create(drm, c, to_sov_file(file)->account);
	if (IS_ERR(bo)) {
		ret = PTR_ERR(bo);
		goto err_put_vm;
	}
	if (vm) {
		/* Keeps the structure alive, not the mappings. */
		bo->exclusive_vm = drm_gpuvm_get(&vm->base);
		sov_vm_put(vm);
	}
	/* Another thread may guess the handle and close it from here on. */
	ret = drm_gem_handle_create(file, &bo->base, &c->handle);
	drm_gem_object_put(&bo->base);
	return ret;

err_put_vm:
	if (vm)
		sov_vm_put(vm);
	return ret;
}

/**
 * sov_bo_mmap_offset_ioctl() - get the mmap offset of a BO
 * @drm: The device.
 * @data: &struct drm_sovgpu_bo_mmap_offset.
 * @file: The calling file.
 *
 * Return: 0, -EINVAL, -ENOENT, -EACCES if the BO was created without DRM_SOVGPU_BO_MAPPABLE.
 */
int sov_bo_mmap_offset_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_sovgpu_bo_mmap_offset *m = data;
	struct drm_gem_object *obj;
	int ret = 0;

	if (m->pad || m->offset)
		return -EINVAL;
	obj = drm_gem_object_lookup(file, m->handle);
	if (!obj)
		return -ENOENT;
	if (to_sov_bo(obj)->flags & DRM_SOVGPU_BO_MAPPABLE)
		m->offset = drm_vma_node_offset_addr(&obj->vma_node);
	else
		ret = -EACCES;
	drm_gem_object_put(obj);
	return ret;
}

/**
 * sov_bo_info_ioctl() - get region, size and flags of a BO
 * @drm: The device.
 * @data: &struct drm_sovgpu_bo_info.
 * @file: The calling file.
 *
 * Return: 0, -EINVAL, -ENOENT.
 */
int sov_bo_info_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_sovgpu_bo_info *i = data;
	struct drm_gem_object *obj;

	if (i->region || i->size || i->flags || i->pad)
		return -EINVAL;
	obj = drm_gem_object_lookup(file, i->handle);
	if (!obj)
		return -ENOENT;
	i->region = to_sov_bo(obj)->region;
	i->size = obj->size;
	i->flags = to_sov_bo(obj)->flags;
	drm_gem_object_put(obj);
	return 0;
}
