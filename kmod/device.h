/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The vendor-independent device. Only kmod/<vendor>/ depends on the hardware: it implements
 * &struct sov_vendor, and its device structure embeds &struct sov_device as the first member.
 */
#ifndef SOV_DEVICE_H
#define SOV_DEVICE_H

#include <drm/drm_device.h>
#include <drm/drm_file.h>
#include <drm/drm_mm.h>
#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include "uapi/sovgpu_drm.h"

/* Number of values of enum drm_sovgpu_queue_class. */
#define SOV_QUEUE_CLASSES 2

struct dentry;
struct sov_account;
struct sov_device;
struct sov_group;
struct sov_queue;
struct sov_vm;

/**
 * struct sov_vendor - operations that depend on the vendor of the GPU
 *
 * Functions that return int return 0 or a negative errno, and print a message before they fail.
 */
struct sov_vendor {
	/** @name: Name of the vendor for messages. */
	const char *name;

	/** @device_bytes: Size of the structure that embeds &struct sov_device. */
	size_t device_bytes;

	/**
	 * @start: Identify the chip, call sov_claim_aperture() and boot the device until it can
	 * accept work. The PCI device is enabled, bus mastering is not. On failure @start has
	 * undone its steps.
	 */
	int (*start)(struct sov_device *sov);

	/**
	 * @resume: Boot a device again after @stop. The layout of VRAM does not change. On failure
	 * @resume has undone its steps.
	 */
	int (*resume)(struct sov_device *sov);

	/** @stop: Stop all DMA and interrupts of the device. Idempotent. */
	void (*stop)(struct sov_device *sov);

	/** @time: Read the device's clock in nanoseconds. */
	u64 (*time)(struct sov_device *sov);

	/** @lost: Whether the device has fallen off the bus; reads a register. */
	bool (*lost)(struct sov_device *sov);

	/**
	 * @vram_clear: Clear at most SOV_VRAM_CLEAR_MAX bytes of VRAM by an engine of the device.
	 * -EOPNOTSUPP if the CPU must do it.
	 */
	int (*vram_clear)(struct sov_device *sov, u64 address, u64 size);

	/** @exit: Free what the vendor keeps of devices that are gone; the module is unloaded. */
	void (*exit)(void);

	/** @vm_bytes: Size of the structure that embeds &struct sov_vm. */
	size_t vm_bytes;

	/** @vm_init: Initialise an empty address space. */
	int (*vm_init)(struct sov_device *sov, struct sov_vm *vm);

	/**
	 * @vm_stop: Remove an address space from the device. It has no mappings, and no queue uses
	 * it.
	 */
	void (*vm_stop)(struct sov_vm *vm);

	/** @vm_fini: Free an address space, stopped or not. The device may be gone. */
	void (*vm_fini)(struct sov_vm *vm);

	/**
	 * @vm_map: Map contiguous memory at an unmapped VA. On failure, pages that are mapped
	 * already stay mapped.
	 */
	int (*vm_map)(struct sov_vm *vm, u64 va, u64 bytes, u64 address, bool system, u32 flags);

	/** @vm_split: Split the large page that spans @va, so that no page crosses @va. */
	int (*vm_split)(struct sov_vm *vm, u64 va);

	/** @vm_unmap: Unmap all pages of a range whose ends no page crosses. */
	void (*vm_unmap)(struct sov_vm *vm, u64 va, u64 bytes);

	/**
	 * @vm_flush: Invalidate the TLBs. After a failure the device may still use unmapped pages.
	 */
	int (*vm_flush)(struct sov_vm *vm);

	/** @group_bytes: Size of the structure that embeds &struct sov_group. */
	size_t group_bytes;

	/** @ring_entry_bytes: Size of an entry of a user queue's ring. */
	u32 ring_entry_bytes;

	/** @queue_bytes: Size of the structure that embeds &struct sov_queue. */
	size_t queue_bytes;

	/**
	 * @queue_init: Create a queue of either mode on the hardware. The core serialises calls
	 * within a group.
	 */
	int (*queue_init)(struct sov_queue *queue);

	/**
	 * @queue_stop: Take a queue off the hardware and wait until none of its work executes.
	 * Fences wait for this call, so it must not allocate memory.
	 */
	void (*queue_stop)(struct sov_queue *queue);

	/** @queue_fini: Free the resources of a queue after @queue_stop. */
	void (*queue_fini)(struct sov_queue *queue);

	/**
	 * @queue_push: Append a command stream and a semaphore release of @seqno to the ring.
	 * Called with a spinlock held; the ring has space.
	 */
	void (*queue_push)(struct sov_queue *queue, u64 seqno, u64 va, u32 size);

	/**
	 * @queue_completed_seqno: Read the queue's semaphore. Called with a spinlock held. Programs
	 * on the GPU can forge this value.
	 */
	u64 (*queue_completed_seqno)(struct sov_queue *queue);

	/**
	 * @queue_started_seqno: The last job of which the hardware has fetched any ring entry.
	 * Called with a spinlock held.
	 */
	u64 (*queue_started_seqno)(struct sov_queue *queue);

	/**
	 * @queue_consumed_seqno: The last job of which the hardware has fetched all ring entries.
	 * Programs cannot forge this value; it may lag behind the semaphore. Called with a spinlock
	 * held.
	 */
	u64 (*queue_consumed_seqno)(struct sov_queue *queue);
};

/**
 * struct sov_vram - the VRAM allocator of a device
 */
struct sov_vram {
	/** @start: First byte that the driver allocates; set by &sov_vendor.start. */
	u64 start;

	/** @end: First byte after the last that the driver allocates. */
	u64 end;

	/** @window: Bus address of VRAM address 0; set by &sov_vendor.start. */
	resource_size_t window;

	/** @lock: Protects all members below. */
	struct mutex lock;

	/** @quarantined: Blocks that were freed after the device was wedged; never reused. */
	struct list_head quarantined;

	/** @mm: The allocated blocks by address. */
	struct drm_mm mm;

	/** @free_bytes: Bytes that are not allocated. */
	u64 free_bytes;

	/** @cleared_by_engine: Bytes that an engine of the device has cleared. */
	atomic64_t cleared_by_engine;

	/** @cleared_by_cpu: Bytes that the CPU has cleared. */
	atomic64_t cleared_by_cpu;
};

/**
 * struct sov_device - one GPU
 */
struct sov_device {
	/** @drm: The DRM device, which exists as long as a file is open. */
	struct drm_device drm;

	/** @vendor: Operations of the vendor. */
	const struct sov_vendor *vendor;

	/** @info: Reply to DRM_SOVGPU_DEV_QUERY_DEVICE; filled by &sov_vendor.start. */
	struct drm_sovgpu_device_info info;

	/** @memory: Reply to DRM_SOVGPU_DEV_QUERY_MEMORY, except the number of free bytes. */
	struct drm_sovgpu_memory_info memory;

	/** @vm_info: Reply to DRM_SOVGPU_DEV_QUERY_VM; filled by &sov_vendor.start. */
	struct drm_sovgpu_vm_info vm_info;

	/** @queue_info: Reply to DRM_SOVGPU_DEV_QUERY_QUEUE; filled by &sov_vendor.start. */
	struct drm_sovgpu_queue_info queue_info;

	/** @account: Resource usage of the device. */
	struct sov_account *account;

	/** @vms_lock: Protects @vms. */
	struct mutex vms_lock;

	/** @vms: All address spaces. */
	struct list_head vms;

	/** @imports_lock: Protects @imports. */
	struct mutex imports_lock;

	/** @imports: All BOs that are imported from other devices. */
	struct list_head imports;

	/** @groups_lock: Protects @groups. */
	struct mutex groups_lock;

	/** @groups: All queue groups. */
	struct list_head groups;

	/**
	 * @queues_lock: Protects @queues. Taken with interrupts disabled, before &sov_queue.lock.
	 */
	spinlock_t queues_lock;

	/** @queues: All kernel queues that are on the hardware. */
	struct list_head queues;

	/**
	 * @active_slices_us: Sum of the time slices of all groups with an active queue, by queue
	 * class.
	 */
	atomic_t active_slices_us[SOV_QUEUE_CLASSES];

	/** @interrupt_count: Number of calls of sov_notify_waiters(). */
	atomic_t interrupt_count;

	/** @interrupt_wq: Wakes the waiters of FENCE_WAIT and INTERRUPT_WAIT. */
	wait_queue_head_t interrupt_wq;

	/** @doorbell: Bus address of the user queues' doorbell; set by &sov_vendor.start. */
	resource_size_t doorbell;

	/** @wq: Runs work that fences wait for. Its work items must not allocate memory. */
	struct workqueue_struct *wq;

	/**
	 * @reap_wq: Runs work that follows work on @wq and takes locks under which other threads
	 * allocate memory.
	 */
	struct workqueue_struct *reap_wq;

	/** @vram: The VRAM allocator. */
	struct sov_vram vram;

	/** @unplugged: sov_device_unplug() has run; protected by the device lock. */
	bool unplugged;

	/** @stopped: sov_device_stop() has run; protected by the device lock. */
	bool stopped;

	/** @suspended: The device must be resumed; the PM core serialises access. */
	bool suspended;

	/** @vram_idle_free: Free VRAM in bytes when the device has no users. */
	u64 vram_idle_free;

	/** @wedged: The device does not respond any more; see sov_wedge(). */
	bool wedged;

	/** @wedge_work: Stops all groups after sov_wedge(). */
	struct work_struct wedge_work;
};

/**
 * struct sov_file - an open file; its IDs start at 1
 */
struct sov_file {
	/** @account: Resource usage of the file. */
	struct sov_account *account;

	/** @vms: Address spaces, &struct sov_vm, by ID. */
	struct xarray vms;

	/** @groups: Queue groups, &struct sov_group, by ID. */
	struct xarray groups;

	/** @queues: Queues, &struct sov_queue, by ID. */
	struct xarray queues;

	/** @busy_ns: Execution time of the file's jobs, by queue class. */
	atomic64_t busy_ns[SOV_QUEUE_CLASSES];
};

static inline struct sov_device *to_sov_device(struct drm_device *drm)
{
	return container_of(drm, struct sov_device, drm);
}

static inline struct sov_file *to_sov_file(struct drm_file *file)
{
	return file->driver_priv;
}

static inline struct pci_dev *sov_pci(struct sov_device *sov)
{
	return to_pci_dev(sov->drm.dev);
}

/* Folder of the driver in debugfs, for files that exist without a DRM device. */
extern struct dentry *sov_debugfs_root;

int sov_dev_enter(struct sov_device *sov, int *idx);
int sov_claim_aperture(struct sov_device *sov);
void sov_notify_waiters(struct sov_device *sov);
void sov_wedge(struct sov_device *sov);
bool sov_system_going_down(void);

#endif
