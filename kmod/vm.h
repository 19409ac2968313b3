/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* GPU address spaces: the mappings from device VAs to ranges of BOs. */
#ifndef SOV_VM_H
#define SOV_VM_H

#include <drm/drm_gpuvm.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>

struct drm_device;
struct drm_file;
struct sov_account;
struct sov_device;
struct sov_file;

/**
 * struct sov_vm - a GPU address space; the vendor's structure embeds it as the first member
 */
struct sov_vm {
	/**
	 * @base: The VA ranges. Each range and each BO with this exclusive VM holds a reference.
	 */
	struct drm_gpuvm base;

	/** @users: The file, its groups, and ioctls. The last user unmaps all ranges. */
	struct kref users;

	/**
	 * @lock: Serialises bind operations. Protects the ranges, @retired, @mapped, @dead and the
	 * vendor's page tables.
	 */
	struct mutex lock;

	/**
	 * @account: The account that ranges and page tables are charged to, with a reference; NULL
	 * for the driver's own VM.
	 */
	struct sov_account *account;

	/** @link: Entry in &sov_device.vms. */
	struct list_head link;

	/** @retired: Unmapped ranges whose translations may still be in a TLB. */
	struct list_head retired;

	/** @mapped: Number of mapped bytes. */
	u64 mapped;

	/** @dead: The device is unplugged. All ranges are unmapped, and new ones are refused. */
	bool dead;

	/** @fault_lock: Protects the members below. */
	spinlock_t fault_lock;

	/** @fault_count: Number of MMU faults. */
	u32 fault_count;

	/** @fault_address: VA of the last MMU fault. */
	u64 fault_address;
};

static inline struct sov_vm *to_sov_vm(struct drm_gpuvm *gpuvm)
{
	return container_of(gpuvm, struct sov_vm, base);
}

struct sov_vm *sov_vm_find(struct sov_file *file, u32 id);
void sov_vm_put(struct sov_vm *vm);
bool sov_vm_is_mapped(struct sov_vm *vm, u64 va, u64 bytes);
void sov_vm_report_fault(struct sov_vm *vm, u64 address);
void sov_vms_fini(struct sov_file *file);
void sov_vms_unplug(struct sov_device *sov);

int sov_vm_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int sov_vm_destroy_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int sov_vm_bind_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int sov_vm_state_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

#endif
