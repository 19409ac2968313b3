/* SPDX-License-Identifier: MIT */
/* Devices: the GPUs that the winsys back ends find. */
#ifndef SOV_DEVICE_H
#define SOV_DEVICE_H

#include "libsov/runtime/base/object.h"
#include "libsov/winsys/winsys.h"

struct device {
	struct object object;
	const struct winsys *winsys;
	struct winsys_device *winsys_device;
	struct winsys_info info;
	sov_device_properties properties;
};

struct device_list {
	uint32_t count;
	struct device *const *devices;
};

/*
 * Enumerates all devices and filters them by SOV_VISIBLE_DEVICES, once: the list never changes and
 * devices are never freed. While SOV_VISIBLE_DEVICES or a winsys variable is invalid, every call
 * fails. The caller serialises calls.
 */
sov_result device_enumerate(void);
/* In a child of fork(): the next call of device_enumerate makes a new list. */
void devices_forget(void);
/* The list; empty until device_enumerate succeeds. */
struct device_list device_list(void);
/* Tells the device from all others, in each process. */
void device_get_uuid(const struct device *d, uint8_t uuid[16]);
/* Formats "0 = gh100.0, 1 = ga100.0". */
void device_list_format(char *text, size_t bytes);

#endif
