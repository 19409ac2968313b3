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

#include "kmod/vram.h"
#include "uapi/sovgpu_drm.h"

struct sov_device;

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
	 * @start: find out which chip this is and bring it up, until it could take work. PCI is
	 * enabled, mastering is not. When it fails it has undone what it did.
	 */
	int (*start)(struct sov_device *sov);

	/** @stop: let nothing on the device reach memory any more */
	void (*stop)(struct sov_device *sov);

	/** @time: the device's clock in nanoseconds */
	u64 (*time)(struct sov_device *sov);
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

	/** @vram: the video memory that is ours to hand out */
	struct sov_vram vram;
};

static inline struct sov_device *to_sov(struct drm_device *drm)
{
	return container_of(drm, struct sov_device, drm);
}

static inline struct pci_dev *sov_pci(struct sov_device *sov)
{
	return to_pci_dev(sov->drm.dev);
}

extern const struct sov_vendor sov_nv;

int sov_dev_query_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

#endif
