/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Address spaces: which part of which buffer a device sees at which address. */
#ifndef SOV_VM_H
#define SOV_VM_H

#include <drm/drm_gpuvm.h>
#include <linux/mutex.h>
#include <linux/xarray.h>

struct sov_device;

/**
 * struct sov_vm - an address space; the vendor's own structure begins with it
 */
struct sov_vm {
	/** @base: the ranges, as DRM keeps them; also counts references */
	struct drm_gpuvm base;

	/**
	 * @lock: one step at a time; protects the ranges, @mapped, @dead and the vendor's tables
	 */
	struct mutex lock;

	/** @link: in the device's list of address spaces */
	struct list_head link;

	/** @mapped: bytes */
	u64 mapped;

	/** @dead: the device is gone, nothing is mapped any more */
	bool dead;
};

static inline struct sov_vm *to_vm(struct drm_gpuvm *gpuvm)
{
	return container_of(gpuvm, struct sov_vm, base);
}

/**
 * struct sov_vms - the address spaces of an open file
 */
struct sov_vms {
	/** @by_id: numbers from 1 */
	struct xarray by_id;
};

void sov_vms_init(struct sov_vms *vms);
void sov_vms_fini(struct sov_vms *vms);
void sov_vms_kill(struct sov_device *sov);

int sov_vm_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int sov_vm_destroy_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int sov_vm_bind_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int sov_vm_state_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

#endif
