/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The core's view of a GPU. Nothing here, nor in any file beside it, knows a vendor: what must be
 * done differently on different hardware is a function of struct sov_vendor, and the vendor's own
 * device structure begins with ours.
 */
#ifndef SOV_DEVICE_H
#define SOV_DEVICE_H

#include <drm/drm_device.h>
#include <linux/pci.h>
#include <linux/spinlock.h>
#include <linux/wait.h>

#include "kmod/file.h"
#include "kmod/vm.h"
#include "kmod/vram.h"
#include "uapi/sovgpu_drm.h"

struct sov_device;
struct sov_group;
struct sov_queue;

/**
 * struct sov_vendor - what one vendor's GPUs do in their own way
 *
 * Functions that return int give 0 or a negative errno, after a message that says what is wrong.
 */
struct sov_vendor {
	/** @name: for messages */
	const char *name;

	/** @device_bytes: size of the structure that begins with a struct sov_device */
	size_t device_bytes;

	/**
	 * @start: find out which chip this is, sov_claim_aperture() it, and bring it up, until it could take
	 * work. PCI is enabled, mastering is not. When it fails it has undone what it did.
	 */
	int (*start)(struct sov_device *sov);

	/**
	 * @wake: bring a device up again that was stopped, with memory as it was. When it fails it
	 * has undone what it did.
	 */
	int (*wake)(struct sov_device *sov);

	/** @stop: let nothing on the device reach memory any more; doing it twice does nothing */
	void (*stop)(struct sov_device *sov);

	/** @time: the device's clock in nanoseconds */
	u64 (*time)(struct sov_device *sov);

	/** @vm_bytes: size of the structure that begins with a struct sov_vm */
	size_t vm_bytes;

	/** @vm_init: make an empty address space */
	int (*vm_init)(struct sov_device *sov, struct sov_vm *vm);

	/** @vm_stop: let the device forget it; it maps nothing any more, and nothing runs in it */
	void (*vm_stop)(struct sov_vm *vm);

	/** @vm_fini: give it back, stopped or not; the device may be gone */
	void (*vm_fini)(struct sov_vm *vm);

	/**
	 * @vm_map: map contiguous memory where nothing is mapped; what it maps before it fails
	 * stays
	 */
	int (*vm_map)(struct sov_vm *vm, u64 va, u64 bytes, u64 address, bool system, u32 flags);

	/** @vm_split: make an address the border of a page, with nothing else changed */
	int (*vm_split)(struct sov_vm *vm, u64 va);

	/** @vm_unmap: unmap whatever is in a range that no page crosses */
	void (*vm_unmap)(struct sov_vm *vm, u64 va, u64 bytes);

	/**
	 * @vm_flush: from now on the device sees what was done, and nothing else; when it fails,
	 * it may still see what was unmapped
	 */
	int (*vm_flush)(struct sov_vm *vm);

	/** @group_bytes: size of the structure that begins with a struct sov_group */
	size_t group_bytes;

	/** @group_init: make a group without queues */
	int (*group_init)(struct sov_group *group);

	/** @group_fini: give back what it has, after its queues */
	void (*group_fini)(struct sov_group *group);

	/** @ring_entry_bytes: of the ring of a user queue */
	u32 ring_entry_bytes;

	/** @queue_bytes: size of the structure that begins with a struct sov_queue */
	size_t queue_bytes;

	/** @queue_init: make a queue of either mode in its group, one at a time */
	int (*queue_init)(struct sov_queue *queue);

	/**
	 * @queue_stop: take it off the hardware; when this returns, nothing of it runs. Allocates
	 * nothing, because fences wait for it.
	 */
	void (*queue_stop)(struct sov_queue *queue);

	/** @queue_fini: give back what it has, after it was stopped */
	void (*queue_fini)(struct sov_queue *queue);

	/**
	 * @queue_push: give the hardware a command stream, after which it is to write @number.
	 * Under a spinlock; there is room.
	 */
	void (*queue_push)(struct sov_queue *queue, u64 number, u64 va, u32 size);

	/**
	 * @queue_done: the last number that the queue has written; under a spinlock. A program can
	 * write there, too.
	 */
	u64 (*queue_done)(struct sov_queue *queue);

	/**
	 * @queue_begun: the last job of which the hardware has fetched anything; under a spinlock.
	 */
	u64 (*queue_begun)(struct sov_queue *queue);

	/**
	 * @queue_passed: the last job that the hardware itself has left behind; under a spinlock.
	 * No program can forge that, and it may come a moment later than the number.
	 */
	u64 (*queue_passed)(struct sov_queue *queue);
};

/**
 * struct sov_device - one GPU
 */
struct sov_device {
	/** @drm: the device as DRM knows it; it lives as long as anybody has it open */
	struct drm_device drm;

	/** @vendor: how to do things */
	const struct sov_vendor *vendor;

	/** @info: what DEV_QUERY tells; filled by the vendor's start */
	struct drm_sovgpu_device_info info;

	/** @memory: likewise, without what changes */
	struct drm_sovgpu_memory_info memory;

	/** @vm_info: likewise */
	struct drm_sovgpu_vm_info vm_info;

	/** @queue_info: likewise */
	struct drm_sovgpu_queue_info queue_info;

	/** @vms_lock: protects @vms */
	struct mutex vms_lock;

	/** @vms: all address spaces */
	struct list_head vms;

	/** @imports_lock: protects @imports */
	struct mutex imports_lock;

	/** @imports: buffers of other devices' memory */
	struct list_head imports;

	/** @groups_lock: protects @groups */
	struct mutex groups_lock;

	/** @groups: all groups of queues */
	struct list_head groups;

	/** @queues_lock: protects @queues; taken with interrupts off, before a queue's own lock */
	spinlock_t queues_lock;

	/** @queues: all queues of the kernel's that the hardware has */
	struct list_head queues;

	/** @turns_us: of all groups that may have an engine now, by class of their queues */
	atomic_t turns_us[SOV_QUEUE_CLASSES];

	/** @interrupts: how often @wake was woken */
	atomic_t interrupts;

	/** @wake: woken by the device's interrupt, for those who wait on memory */
	wait_queue_head_t wake;

	/** @doorbell: bus address of what user queues ring; set by the vendor's start */
	resource_size_t doorbell;

	/** @work: for what fences wait for; nothing on it allocates */
	struct workqueue_struct *work;

	/** @late_work: for what comes after that, and takes locks under which others allocate */
	struct workqueue_struct *late_work;

	/** @vram: the video memory that is ours to hand out */
	struct sov_vram vram;

	/** @down: nobody uses it any more; protected by the lock of its struct device */
	bool down;

	/** @stopped: nor does it reach memory; likewise */
	bool stopped;

	/** @asleep: it was stopped, to be woken up again; protected by PM callbacks' own order */
	bool asleep;

	/** @vram_at_rest: bytes of video memory that are free when nobody has any */
	u64 vram_at_rest;

	/** @wedged: it was given up; see sov_wedge() */
	bool wedged;

	/** @wedge: takes all groups off the hardware then */
	struct work_struct wedge;
};

static inline struct sov_device *to_sov_device(struct drm_device *drm)
{
	return container_of(drm, struct sov_device, drm);
}

static inline struct pci_dev *sov_pci(struct sov_device *sov)
{
	return to_pci_dev(sov->drm.dev);
}

extern const struct sov_vendor sov_nv;

/* recover.c */
extern const struct pci_error_handlers sov_error_handlers;
extern const struct dev_pm_ops sov_pm;
int sov_recover_init(void);
void sov_recover_start(struct sov_device *sov);
void sov_recover_end(struct sov_device *sov);
void sov_recover_fini(void);
bool sov_machine_ends(void);

/* drv.c */
void sov_take_down(struct sov_device *sov);
int sov_enter(struct sov_device *sov, int *idx);
int sov_claim_aperture(struct sov_device *sov);
void sov_interrupt(struct sov_device *sov);
void sov_wedge(struct sov_device *sov);

/* query.c */

int sov_dev_query_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

#endif
