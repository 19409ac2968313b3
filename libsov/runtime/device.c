/* SPDX-License-Identifier: MIT */
/*
 * Devices: everything that the ways to a GPU find, in their order, then only what
 * SOV_VISIBLE_DEVICES lets through, in its order. The list is made by the first call that needs it
 * and then stays; while the environment is wrong, each call says so.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libsov/runtime/base/log.h"
#include "libsov/runtime/runtime.h"
#include "libsov/runtime/trace/trace.h"

#define MAX_DEVICES 64

static const struct winsys *const ways[] = {&winsys_kmod, &winsys_nvrm, &winsys_soft};

static struct {
	pthread_mutex_t lock;
	bool ready;
	uint32_t count;
	struct device *devices[MAX_DEVICES];
} list = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void never(struct object *o)
{
	(void)o; /* a device's handle is never retired */
}

/* ---- making the list ---- */

static void describe(struct device *d, uint32_t instance)
{
	const struct winsys_info *i = &d->info;
	sov_device_properties *p = &d->properties;

	snprintf(p->name, sizeof(p->name), "%s.%u", i->chip, instance);
	snprintf(p->product, sizeof(p->product), "%s", i->product);
	snprintf(p->target, sizeof(p->target), "%s", i->target);
	snprintf(p->winsys, sizeof(p->winsys), "%s", d->winsys->name);
	snprintf(p->driver, sizeof(p->driver), "%s", i->driver);
	p->features = SOV_FEATURE_F64 | SOV_FEATURE_TIMESTAMPS;
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
	p->min_priority = i->min_priority;
	p->max_priority = i->max_priority;
}

static void free_found(struct device **found, uint32_t count)
{
	while (count)
		free(found[--count]);
}

/* All devices of one way, behind those found so far. Names count the devices of each chip. */
static sov_result find_way(const struct winsys *w, struct device **found, uint32_t *count)
{
	struct winsys_device **way;
	char message[512] = "";
	uint32_t n, i, k, instance;

	if (w->enumerate(*count, &way, &n, message, sizeof(message)))
		return refuse(SOV_ERROR_INVALID_ARGUMENT, "%s", message);
	for (i = 0; i < n && *count < MAX_DEVICES; i++) {
		struct device *d = calloc(1, sizeof(*d));

		if (!d)
			return refuse(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a device");
		d->winsys = w;
		d->way = way[i];
		w->info(d->way, &d->info);
		for (instance = k = 0; k < *count; k++)
			instance += !strcmp(found[k]->info.chip, d->info.chip);
		describe(d, instance);
		found[(*count)++] = d;
	}
	return SOV_OK;
}

/* "0 = gh100.0, 1 = ga100.0" */
static void name_all(struct device *const *found, uint32_t count, char *text, size_t bytes)
{
	size_t n = 0;
	uint32_t i;

	snprintf(text, bytes, "none");
	for (i = 0; i < count && n < bytes; i++)
		n += (size_t)snprintf(text + n, bytes - n, "%s%u = %s", i ? ", " : "", i,
				      found[i]->properties.name);
}

static struct device *find_entry(struct device *const *found, uint32_t count, const char *entry,
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

/* Moves what the variable names from found to the list. */
static sov_result filter(const char *variable, struct device **found, uint32_t count)
{
	char there[512];
	const char *p = variable;
	uint32_t i;

	name_all(found, count, there, sizeof(there));
	while (*p) {
		size_t blank = strspn(p, " "), length = strcspn(p + blank, ", ");
		const char *entry = p + blank, *end = entry + length + strspn(entry + length, " ");
		struct device *d = find_entry(found, count, entry, length);

		if (!d || (*end && *end != ','))
			return refuse(SOV_ERROR_INVALID_ARGUMENT,
				      "SOV_VISIBLE_DEVICES: '%.*s' is no device; there are: %s",
				      (int)strcspn(p, ","), p, there);
		for (i = 0; i < list.count; i++)
			if (list.devices[i] == d)
				return refuse(SOV_ERROR_INVALID_ARGUMENT,
					      "SOV_VISIBLE_DEVICES: '%.*s' names %s a second time; "
					      "once is enough",
					      (int)length, entry, d->properties.name);
		list.devices[list.count++] = d;
		if (*end && !end[1])
			return refuse(
				SOV_ERROR_INVALID_ARGUMENT,
				"SOV_VISIBLE_DEVICES: '%s' ends with a comma; a device must follow",
				variable);
		p = end + !!*end;
	}
	return SOV_OK;
}

static void free_hidden(struct device **found, uint32_t count)
{
	uint32_t i, k;

	for (i = 0; i < count; i++) {
		for (k = 0; k < list.count && list.devices[k] != found[i]; k++)
			;
		if (k == list.count)
			free(found[i]);
	}
}

static sov_result make_list(void)
{
	const char *visible = getenv("SOV_VISIBLE_DEVICES");
	struct device *found[MAX_DEVICES] = {NULL};
	uint32_t count = 0, i;
	sov_result r = log_init();

	if (!r)
		r = dump_init();
	if (!r)
		r = trace_init();
	if (!r)
		api_watch();
	for (i = 0; !r && i < sizeof(ways) / sizeof(*ways); i++)
		r = find_way(ways[i], found, &count);
	if (!r && visible) {
		r = filter(visible, found, count);
	} else if (!r) {
		memcpy(list.devices, found, count * sizeof(*found));
		list.count = count;
	}
	for (i = 0; !r && i < list.count; i++) {
		list.devices[i]->properties.ordinal = i;
		r = object_publish(&list.devices[i]->object, OBJECT_DEVICE, never);
		LOG(DEVICE, INFO, "%u is %s: %s, by %s", i, list.devices[i]->properties.name,
		    list.devices[i]->properties.product, list.devices[i]->properties.winsys);
	}
	if (r) {
		list.count = 0;
		free_found(found, count);
	} else {
		free_hidden(found, count);
	}
	list.ready = !r;
	return r;
}

/* Once it is there, the list does not change and may be read without the lock. */
static sov_result need_list(void)
{
	sov_result r = SOV_OK;

	pthread_mutex_lock(&list.lock);
	if (!list.ready)
		r = make_list();
	pthread_mutex_unlock(&list.lock);
	return r;
}

/* ---- asking ---- */

static sov_result refuse_none(const char *what)
{
	char there[512];

	name_all(list.devices, list.count, there, sizeof(there));
	return refuse(SOV_ERROR_NO_DEVICE, "there is no device %s; there are: %s", what, there);
}

sov_result sov_device_count(uint32_t *count)
{
	sov_result r;

	if (!count)
		return refuse(SOV_ERROR_INVALID_ARGUMENT, "count is NULL");
	r = need_list();
	*count = list.count;
	return r;
}

static sov_result hand_out(struct device *d, sov_device *device)
{
	*device = object_handle(&d->object);
	return SOV_OK;
}

sov_result sov_device_open(uint32_t ordinal, sov_device *device)
{
	char what[32];
	sov_result r;

	if (!device)
		return refuse(SOV_ERROR_INVALID_ARGUMENT, "device is NULL");
	r = need_list();
	if (r)
		return r;
	if (ordinal < list.count)
		return hand_out(list.devices[ordinal], device);
	snprintf(what, sizeof(what), "%u", ordinal);
	return refuse_none(what);
}

sov_result sov_device_open_name(const char *name, sov_device *device)
{
	char what[128];
	sov_result r;
	uint32_t i;

	if (!device || !name)
		return refuse(SOV_ERROR_INVALID_ARGUMENT, "%s is NULL", name ? "device" : "name");
	r = need_list();
	if (r)
		return r;
	for (i = 0; i < list.count; i++)
		if (!strcmp(list.devices[i]->properties.name, name))
			return hand_out(list.devices[i], device);
	snprintf(what, sizeof(what), "'%.100s'", name);
	return refuse_none(what);
}

static bool grants(const sov_device_properties *p, const sov_device_requirements *w)
{
	return (p->features & w->features) == w->features &&
	       !(p->features & w->features_excluded) && p->multiprocessors >= w->multiprocessors &&
	       p->memory_bytes >= w->memory_bytes && (!w->target || !strcmp(p->target, w->target));
}

sov_result sov_device_open_matching(const sov_device_requirements *wish, sov_device *device)
{
	sov_device_requirements w;
	sov_result r;
	char what[256];
	uint32_t i;

	if (!device)
		return refuse(SOV_ERROR_INVALID_ARGUMENT, "device is NULL");
	r = struct_in("sov_device_requirements", &w, sizeof(w), wish);
	if (!r)
		r = need_list();
	if (r)
		return r;
	for (i = 0; i < list.count; i++)
		if (grants(&list.devices[i]->properties, &w))
			return hand_out(list.devices[i], device);
	snprintf(what, sizeof(what),
		 "with features 0x%x, without features 0x%x, with %u multiprocessors, %llu bytes "
		 "of memory and target %s",
		 w.features, w.features_excluded, w.multiprocessors,
		 (unsigned long long)w.memory_bytes, w.target ? w.target : "any");
	return refuse_none(what);
}

sov_result sov_device_get_properties(sov_device device, sov_device_properties *properties)
{
	struct device *d = object_get(device, OBJECT_DEVICE);

	if (!d)
		return SOV_ERROR_INVALID_HANDLE;
	object_put(&d->object);
	return struct_out("sov_device_properties", properties, &d->properties,
			  sizeof(d->properties));
}
