/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Address spaces: which part of which buffer a device sees at which address. */
#ifndef SOV_VM_H
#define SOV_VM_H

#include <drm/drm_gpuvm.h>
#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>

struct sov_account;
struct sov_device;
struct sov_file;

/**
 * struct sov_vm - an address space; the vendor's own structure begins with it
 */
struct sov_vm {
	/** @base: the ranges, as DRM keeps them; each holds the structure */
	struct drm_gpuvm base;

	/** @users: the file, its groups, and calls; ranges go with the last */
	struct kref users;

	/**
	 * @lock: one step at a time; protects the ranges, @gone, @mapped, @dead and the vendor's
	 * tables
	 */
	struct mutex lock;

	/** @account: whose it is, with a reference; NULL: the driver's own. Tables count there */
	struct sov_account *account;

	/** @link: in the device's list of address spaces */
	struct list_head link;

	/** @gone: ranges that the device may still know of */
	struct list_head gone;

	/** @mapped: bytes */
	u64 mapped;

	/** @dead: the device is gone, nothing is mapped any more */
	bool dead;

	/** @fault_lock: protects what follows */
	spinlock_t fault_lock;

	/** @fault_count: faults of queues in it */
	u32 fault_count;

	/** @fault_address: of the last */
	u64 fault_address;
};

static inline struct sov_vm *to_sov_vm(struct drm_gpuvm *gpuvm)
{
	return container_of(gpuvm, struct sov_vm, base);
}

struct sov_vm *sov_vm_find(struct sov_file *file, u32 id);
void sov_vm_put(struct sov_vm *vm);
bool sov_vm_maps(struct sov_vm *vm, u64 va, u64 bytes);
void sov_vm_fault(struct sov_vm *vm, u64 address);
void sov_vms_fini(struct sov_file *file);
void sov_vms_kill(struct sov_device *sov);

int sov_vm_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int sov_vm_destroy_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int sov_vm_bind_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int sov_vm_state_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

#endif
