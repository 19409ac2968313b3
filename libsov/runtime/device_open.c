// SPDX-License-Identifier: MIT
/*
 * The API calls that open devices. The first of them initialises the library: it reads the
 * environment variables of the log, the dumps, the trace and the profile, and enumerates the
 * devices. In a child of fork() they do so again: it cannot use the parent's objects, whose threads
 * it lacks and whose queues it would share with the parent, but it can make its own.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include "libsov/runtime/base/api_calls.h"
#include "libsov/runtime/base/call_observers.h"
#include "libsov/runtime/base/error.h"
#include "libsov/runtime/base/log.h"
#include "libsov/runtime/context/device.h"
#include "libsov/runtime/memory/address_space.h"
#include "libsov/runtime/memory/buffer_cache.h"
#include "libsov/runtime/module/dump.h"
#include "libsov/runtime/profile/profile.h"
#include "libsov/runtime/trace/trace.h"

static pthread_mutex_t init_lock = PTHREAD_MUTEX_INITIALIZER;
static bool initialised, watches_fork;

static sov_result environment_read(void)
{
	char message[1024];
	sov_result r;

	if (!log_init(message, sizeof(message)))
		return set_error(SOV_ERROR_INVALID_ARGUMENT, "%s", message);
	r = dump_init();
	if (!r)
		r = trace_init();
	if (!r)
		r = profile_init();
	if (!r)
		call_observer_remove(CALL_OBSERVER_UNKNOWN);
	return r;
}

/* The locks of what all contexts share: no other thread of the parent holds them in the child. */
static void before_fork(void)
{
	pthread_mutex_lock(&init_lock);
	objects_before_fork();
	buffer_caches_before_fork();
	va_before_fork();
}

static void after_fork(bool is_child)
{
	if (is_child) {
		devices_forget();
		initialised = false;
	}
	va_after_fork();
	buffer_caches_after_fork(is_child);
	objects_after_fork(is_child);
	pthread_mutex_unlock(&init_lock);
}

static void after_fork_in_parent(void)
{
	after_fork(false);
}

static void after_fork_in_child(void)
{
	after_fork(true);
}

static sov_result fork_watch(void)
{
	if (!watches_fork && pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child))
		return set_error(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for fork handlers");
	watches_fork = true;
	return SOV_OK;
}

/* A failed initialisation is repeated by the next call. */
static sov_result runtime_init(void)
{
	sov_result r = SOV_OK;

	pthread_mutex_lock(&init_lock);
	if (!initialised) {
		r = environment_read();
		if (!r)
			r = fork_watch();
		if (!r)
			r = device_enumerate();
		initialised = !r;
	}
	pthread_mutex_unlock(&init_lock);
	return r;
}

static sov_result device_not_found(const char *what)
{
	char known[512];

	device_list_format(known, sizeof(known));
	return set_error(SOV_ERROR_NO_DEVICE, "there is no device %s; there are: %s", what, known);
}

sov_result api_device_count(uint32_t *count)
{
	sov_result r;

	if (!count)
		return set_error(SOV_ERROR_INVALID_ARGUMENT, "count is NULL");
	r = runtime_init();
	*count = device_list().count;
	return r;
}

static sov_result device_return_handle(struct device *d, sov_device *device)
{
	*device = object_handle(&d->object);
	return SOV_OK;
}

sov_result api_device_open(uint32_t ordinal, sov_device *device)
{
	char what[32];
	sov_result r;

	if (!device)
		return set_error(SOV_ERROR_INVALID_ARGUMENT, "device is NULL");
	r = runtime_init();
	if (r)
		return r;
	if (ordinal < device_list().count)
		return device_return_handle(device_list().devices[ordinal], device);
	snprintf(what, sizeof(what), "%u", ordinal);
	return device_not_found(what);
}

sov_result api_device_open_name(const char *name, sov_device *device)
{
	char what[128];
	sov_result r;
	uint32_t i;

	if (!device || !name)
		return set_error(SOV_ERROR_INVALID_ARGUMENT, "%s is NULL",
				 name ? "device" : "name");
	r = runtime_init();
	if (r)
		return r;
	for (i = 0; i < device_list().count; i++)
		if (!strcmp(device_list().devices[i]->properties.name, name))
			return device_return_handle(device_list().devices[i], device);
	snprintf(what, sizeof(what), "'%.100s'", name);
	return device_not_found(what);
}

static bool device_matches(const sov_device_properties *p, const sov_device_requirements *w)
{
	return (p->features & w->features) == w->features &&
	       !(p->features & w->features_excluded) && p->multiprocessors >= w->multiprocessors &&
	       p->memory_bytes >= w->memory_bytes && (!w->target || !strcmp(p->target, w->target));
}

sov_result api_device_open_matching(const sov_device_requirements *requirements, sov_device *device)
{
	sov_device_requirements w;
	sov_result r;
	char what[256];
	uint32_t i;

	if (!device)
		return set_error(SOV_ERROR_INVALID_ARGUMENT, "device is NULL");
	r = struct_in("sov_device_requirements", &w, sizeof(w), requirements);
	if (!r)
		r = runtime_init();
	if (r)
		return r;
	for (i = 0; i < device_list().count; i++)
		if (device_matches(&device_list().devices[i]->properties, &w))
			return device_return_handle(device_list().devices[i], device);
	snprintf(what, sizeof(what),
		 "with features 0x%x, without features 0x%x, with %u multiprocessors, %llu bytes "
		 "of memory and target %s",
		 w.features, w.features_excluded, w.multiprocessors,
		 (unsigned long long)w.memory_bytes, w.target ? w.target : "any");
	return device_not_found(what);
}

sov_result api_device_get_properties(sov_device device, sov_device_properties *properties)
{
	struct device *d = object_get(device, OBJECT_DEVICE);

	if (!d)
		return SOV_ERROR_INVALID_HANDLE;
	object_put(&d->object);
	return struct_out("sov_device_properties", properties, &d->properties,
			  sizeof(d->properties));
}

sov_result api_device_get_time(sov_device device, uint64_t *nanoseconds)
{
	struct device *d;

	if (!nanoseconds)
		return set_error(SOV_ERROR_INVALID_ARGUMENT, "nanoseconds is NULL");
	d = object_get(device, OBJECT_DEVICE);
	if (!d)
		return SOV_ERROR_INVALID_HANDLE;
	*nanoseconds = d->winsys->gpu_time(d->winsys_device);
	object_put(&d->object);
	return SOV_OK;
}
