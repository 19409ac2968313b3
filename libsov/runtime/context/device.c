// SPDX-License-Identifier: MIT
/*
 * Device enumeration. Asks every winsys back end for its GPUs, in a fixed order, and then applies
 * SOV_VISIBLE_DEVICES, which selects and reorders them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libsov/gpu/gpu.h"
#include "libsov/runtime/base/error.h"
#include "libsov/runtime/base/log.h"
#include "libsov/runtime/context/device.h"

#define MAX_DEVICES 64

static struct {
	bool ready;
	uint32_t count;
	struct device *devices[MAX_DEVICES];
} visible;

/* Device handles are never retired. */
static void device_destroy(struct object *o)
{
	(void)o;
}

static void device_fill_properties(struct device *d, uint32_t instance)
{
	const struct winsys_info *i = &d->info;
	sov_device_properties *p = &d->properties;

	snprintf(p->name, sizeof(p->name), "%s.%u", i->chip, instance);
	snprintf(p->product, sizeof(p->product), "%s", i->product);
	snprintf(p->target, sizeof(p->target), "%s", i->target);
	snprintf(p->winsys, sizeof(p->winsys), "%s", d->winsys->name);
	snprintf(p->driver, sizeof(p->driver), "%s", i->driver);
	p->features = SOV_FEATURE_F64 | SOV_FEATURE_F16 | SOV_FEATURE_TIMESTAMPS;
	p->features |= i->software ? SOV_FEATURE_SOFTWARE : 0;
	p->features |= i->hazard ? SOV_FEATURE_HAZARD_CHECK : 0;
	p->warp_size = gpu_find(i)->warp_size;
	p->multiprocessors = i->multiprocessors;
	p->max_threads_per_block = i->max_threads_per_block;
	p->max_block[0] = p->max_block[1] = i->max_threads_per_block;
	p->max_block[2] = 64;
	p->max_grid[0] = 0x7fffffff;
	p->max_grid[1] = p->max_grid[2] = 0xffff;
	p->max_shared_per_block = i->shared_per_block;
	p->shared_per_multiprocessor = i->shared_per_multiprocessor;
	p->registers_per_multiprocessor = i->registers_per_multiprocessor;
	p->max_threads_per_multiprocessor = p->warp_size * i->warps_per_multiprocessor;
	p->memory_bytes = i->memory_bytes;
	p->l2_bytes = i->l2_bytes;
	p->min_priority = i->min_priority;
	p->max_priority = i->max_priority;
	p->max_cluster_blocks = gpu_find(i)->max_cluster_blocks(i);
}

static void device_free_all(struct device **found, uint32_t count)
{
	while (count)
		free(found[--count]);
}

/* Appends the devices of one winsys. A device is named by its chip and an index among those. */
static sov_result device_enumerate_winsys(const struct winsys *w, struct device **found,
					  uint32_t *count)
{
	struct winsys_device **handles;
	char message[512] = "";
	uint32_t n, i, k, instance;

	if (w->enumerate(*count, &handles, &n, message, sizeof(message)))
		return set_error(SOV_ERROR_INVALID_ARGUMENT, "%s", message);
	for (i = 0; i < n && *count < MAX_DEVICES; i++) {
		struct device *d = calloc(1, sizeof(*d));

		if (!d)
			return set_error(SOV_ERROR_OUT_OF_HOST_MEMORY,
					 "no host memory for a device");
		d->winsys = w;
		d->winsys_device = handles[i];
		w->info(d->winsys_device, &d->info);
		for (instance = k = 0; k < *count; k++)
			instance += !strcmp(found[k]->info.chip, d->info.chip);
		device_fill_properties(d, instance);
		found[(*count)++] = d;
	}
	return SOV_OK;
}

static void device_format_names(struct device *const *found, uint32_t count, char *text,
				size_t bytes)
{
	size_t n = 0;
	uint32_t i;

	snprintf(text, bytes, "none");
	for (i = 0; i < count && n < bytes; i++)
		n += (size_t)snprintf(text + n, bytes - n, "%s%u = %s", i ? ", " : "", i,
				      found[i]->properties.name);
}

static struct device *device_find(struct device *const *found, uint32_t count, const char *entry,
				  size_t length)
{
	char number[16];
	uint32_t i;

	for (i = 0; i < count; i++) {
		const char *name = found[i]->properties.name;

		snprintf(number, sizeof(number), "%u", i);
		if ((strlen(name) == length && !memcmp(name, entry, length)) ||
		    (strlen(number) == length && !memcmp(number, entry, length)))
			return found[i];
	}
	return NULL;
}

/* Makes the devices visible that SOV_VISIBLE_DEVICES names, in its order. */
static sov_result device_filter(const char *variable, struct device **found, uint32_t count)
{
	char known[512];
	const char *p = variable;
	uint32_t i;

	device_format_names(found, count, known, sizeof(known));
	while (*p) {
		size_t blank = strspn(p, " "), length = strcspn(p + blank, ", ");
		const char *entry = p + blank, *end = entry + length + strspn(entry + length, " ");
		struct device *d = device_find(found, count, entry, length);

		if (!d || (*end && *end != ','))
			return set_error(
				SOV_ERROR_INVALID_ARGUMENT,
				"SOV_VISIBLE_DEVICES: '%.*s' is not a device; there are: %s",
				(int)strcspn(p, ","), p, known);
		for (i = 0; i < visible.count; i++)
			if (visible.devices[i] == d)
				return set_error(
					SOV_ERROR_INVALID_ARGUMENT,
					"SOV_VISIBLE_DEVICES: '%.*s' names %s a second time; "
					"once is enough",
					(int)length, entry, d->properties.name);
		visible.devices[visible.count++] = d;
		if (*end && !end[1])
			return set_error(
				SOV_ERROR_INVALID_ARGUMENT,
				"SOV_VISIBLE_DEVICES: '%s' ends with a comma; a device must follow",
				variable);
		p = end + !!*end;
	}
	return SOV_OK;
}

static void device_free_hidden(struct device **found, uint32_t count)
{
	uint32_t i, k;

	for (i = 0; i < count; i++) {
		for (k = 0; k < visible.count && visible.devices[k] != found[i]; k++)
			;
		if (k == visible.count)
			free(found[i]);
	}
}

static sov_result device_publish(uint32_t ordinal)
{
	struct device *d = visible.devices[ordinal];
	sov_result r;

	d->properties.ordinal = ordinal;
	r = object_publish(&d->object, OBJECT_DEVICE, device_destroy);
	LOG(DEVICE, INFO, "%u is %s: %s, by %s", ordinal, d->properties.name, d->properties.product,
	    d->properties.winsys);
	return r;
}

sov_result device_enumerate(void)
{
	const char *variable = secure_getenv("SOV_VISIBLE_DEVICES");
	struct device *found[MAX_DEVICES] = {NULL};
	uint32_t count = 0, i;
	sov_result r = SOV_OK;

	if (visible.ready)
		return SOV_OK;
	for (i = 0; !r && i < WINSYS_MAX_BACKENDS && winsys_backends[i]; i++)
		r = device_enumerate_winsys(winsys_backends[i], found, &count);
	if (!r && variable) {
		r = device_filter(variable, found, count);
	} else if (!r) {
		memcpy(visible.devices, found, count * sizeof(*found));
		visible.count = count;
	}
	for (i = 0; !r && i < visible.count; i++)
		r = device_publish(i);
	if (r) {
		visible.count = 0;
		device_free_all(found, count);
	} else {
		device_free_hidden(found, count);
	}
	visible.ready = !r;
	return r;
}

void devices_forget(void)
{
	memset(&visible, 0, sizeof(visible));
	for (uint32_t i = 0; i < WINSYS_MAX_BACKENDS && winsys_backends[i]; i++)
		winsys_backends[i]->forget();
}

struct device_list device_list(void)
{
	return (struct device_list){visible.count, visible.devices};
}

void device_list_format(char *text, size_t bytes)
{
	device_format_names(visible.devices, visible.count, text, bytes);
}
