// SPDX-License-Identifier: MIT
/*
 * Creating, resetting and destroying contexts, and the list of their parts.
 *
 * The order of the list below is the order in which the hooks run:
 *
 *   create   allocation table, pool, capture operations, first stream, service operations
 *   stop     (context_stop) close stream gates; group_stop if work is pending; destroy queues, then
 *            spare streams; close the sleepers gate; destroy the group; increment the epoch
 *   reset    stop; collect printf output; clear the services' log; new group; open the sleepers
 *            gate; rebind buffers; forget dropped event records; release all semaphores to their
 *            last value; start the streams
 *   destroy  stop; collect printf output; retire the handles of graphs, events, streams, modules;
 *            without the lock: join the host function thread; drop the handles' references,
 *            youngest member first, of modules, streams, events, graphs, in this order. When the
 *            last reference is gone: free allocations, pool, local memory, semaphores, copy
 *            kernels, services, host functions.
 *
 * Events forget their dropped records before the semaphores are released: the semaphores' values
 * would otherwise claim that these records were reached.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libsov/runtime/base/aligned.h"
#include "libsov/runtime/base/api_calls.h"
#include "libsov/runtime/base/error.h"
#include "libsov/runtime/base/fault_record.h"
#include "libsov/runtime/base/log.h"
#include "libsov/runtime/check_reports.h"
#include "libsov/runtime/context/context.h"
#include "libsov/runtime/context/context_wait.h"
#include "libsov/runtime/copy/copy_method.h"
#include "libsov/runtime/fault.h"
#include "libsov/runtime/graph/capture.h"
#include "libsov/runtime/memory/address_space.h"
#include "libsov/runtime/memory/allocation.h"
#include "libsov/runtime/memory/buffer.h"
#include "libsov/runtime/memory/buffer_cache.h"
#include "libsov/runtime/memory/local_memory.h"
#include "libsov/runtime/module/device_services.h"
#include "libsov/runtime/module/module.h"
#include "libsov/runtime/stream/event.h"
#include "libsov/runtime/stream/host_function.h"
#include "libsov/runtime/stream/pool.h"
#include "libsov/runtime/stream/semaphore.h"
#include "libsov/runtime/stream/stream.h"
#include "libsov/runtime/texture/texture.h"

static const struct context_part *const parts[] = {
	&check_part,         /* create, print_reports, destroy */
	&buffer_part,        /* restart */
	&buffer_cache_part,  /* create, give_memory_back, destroy */
	&allocation_part,    /* create, restart, destroy */
	&pool_part,          /* create, restart, destroy */
	&local_memory_part,  /* give_memory_back, destroy */
	&texture_part,       /* destroy */
	&graph_part,         /* create, retire */
	&event_part,         /* restart, retire */
	&semaphore_part,     /* restart, destroy */
	&stream_part,        /* create, all of stop, drain and resume, restart, retire, destroy */
	&module_part,        /* restart, retire */
	&fault_part,         /* attribute_fault */
	&copy_kernels_part,  /* destroy */
	&services_part,      /* create, collect_output, check_assertion, reset, destroy */
	&host_function_part, /* close, destroy */
	NULL,
};

/* A kernel on a software GPU that takes longer is more likely to be endless than to be large. */
#define SOFTWARE_KERNEL_TIME_LIMIT UINT64_C(600000000000)
/* Other work is short, but may wait for another context's work. */
#define OTHER_TIME_LIMIT           UINT64_C(60000000000)
#define DEFAULT_STACK_BYTES        1024u /* CUDA's default */
#define DEFAULT_PRINT_BYTES        (UINT64_C(8) << 20)
#define MIN_PRINT_BYTES            (UINT64_C(4) << 10)
#define MAX_PRINT_BYTES            (UINT64_C(4) << 30)
#define DEFAULT_HEAP_BYTES         (UINT64_C(8) << 20) /* CUDA's default */
#define MAX_HEAP_BYTES             (UINT64_C(32) << 30)

/* ---- destroying ---- */

static void context_destroy(struct object *o)
{
	struct context *c = (struct context *)o;
	const struct context_part *const *p;

	for (p = c->parts; *p; p++)
		if ((*p)->destroy)
			(*p)->destroy(c);
	free(c->chip);
	pthread_mutex_destroy(&c->services_loading);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

/* Uses up the reference that the retired handle held. */
static void context_close(struct context *c)
{
	const struct context_part *const *p;
	struct member *retired = NULL, *m;

	pthread_mutex_lock(&c->lock);
	c->closed = true;
	context_stop(c);
	context_collect_output(c);
	for (p = c->parts; *p; p++)
		if ((*p)->retire)
			(*p)->retire(c, &retired);
	pthread_mutex_unlock(&c->lock);
	for (p = c->parts; *p; p++)
		if ((*p)->close)
			(*p)->close(c);
	while ((m = retired)) {
		retired = m->next_retired;
		if (m->ops->retired)
			m->ops->retired(m);
		object_put(&m->object);
	}
	object_put(&c->object);
}

sov_result api_context_destroy(sov_context context)
{
	struct context *c = object_get(context, OBJECT_CONTEXT);

	if (!c)
		return SOV_ERROR_INVALID_HANDLE;
	if (host_functions_on_this_thread(c)) {
		object_put(&c->object);
		return set_error(SOV_ERROR_BUSY, "the caller is a host function of the context; "
						 "destroy the context from another thread");
	}
	if (!object_retire(&c->object)) {
		object_put(&c->object);
		return set_error(SOV_ERROR_INVALID_HANDLE,
				 "another thread destroyed the context during this call");
	}
	LOG(CONTEXT, INFO, "destroyed on %s", c->device->properties.name);
	context_close(c);
	object_put(&c->object);
	return SOV_OK;
}

/* ---- creating ---- */

static sov_result read_sync(bool *sync)
{
	const char *text = secure_getenv("SOV_SYNC");

	*sync = text && !strcmp(text, "1");
	if (!text || *sync || !*text || !strcmp(text, "0"))
		return SOV_OK;
	return set_error(SOV_ERROR_INVALID_ARGUMENT, "SOV_SYNC is '%s'; it must be 0 or 1", text);
}

/* The default kernel_time_limit. */
static sov_result read_time_limit(bool software, uint64_t *limit)
{
	const char *text = secure_getenv("SOV_KERNEL_TIME_LIMIT");
	unsigned long long n = 0;
	char *end = NULL;

	*limit = software ? SOFTWARE_KERNEL_TIME_LIMIT : SOV_FOREVER;
	if (!text || !*text)
		return SOV_OK;
	if (*text >= '0' && *text <= '9')
		n = strtoull(text, &end, 10);
	if (!strcmp(text, "none"))
		*limit = SOV_FOREVER;
	else if (n && n <= SOV_FOREVER / 1000000 && !strcmp(end, "ms"))
		*limit = n * 1000000;
	else if (n && n <= SOV_FOREVER / 1000000000 && !strcmp(end, "s"))
		*limit = n * 1000000000;
	else
		return set_error(SOV_ERROR_INVALID_ARGUMENT,
				 "SOV_KERNEL_TIME_LIMIT is '%s'; it must be a number with s or ms, "
				 "such as 500ms, or none",
				 text);
	return SOV_OK;
}

static void context_init(struct context *c, struct device *d, const sov_context_options *o)
{
	c->device = d;
	c->winsys = d->winsys;
	c->parts = parts;
	c->stack_bytes = o->stack_bytes ? o->stack_bytes : DEFAULT_STACK_BYTES;
	c->print_bytes = o->print_bytes ? o->print_bytes : DEFAULT_PRINT_BYTES;
	c->heap_bytes = o->heap_bytes ? o->heap_bytes : DEFAULT_HEAP_BYTES;
	c->print = o->print;
	c->print_user = o->print_user;
	c->kernel_time_limit = o->kernel_time_limit;
	c->other_time_limit = OTHER_TIME_LIMIT;
	c->gpu = gpu_find(&d->info);
	c->max_streams_sharing_wfi = c->gpu->kernels_release ? 1 : UINT32_MAX;
	list_init(&c->buffers);
	list_init(&c->modules);
	list_init(&c->streams);
	list_init(&c->events);
	list_init(&c->graphs);
	gate_init(&c->sleepers);
}

static struct context *context_new(struct device *d, const sov_context_options *o, sov_result *r)
{
	struct context *c = aligned_calloc(_Alignof(struct context), 1, sizeof(*c));
	const struct winsys_info *i = &d->info;
	uint64_t limit = 0, shared, local;
	int error;

	if (!c) {
		*r = set_error(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a context");
		return NULL;
	}
	context_init(c, d, o);
	*r = read_sync(&c->sync);
	if (!*r)
		*r = read_time_limit(i->software, &limit);
	if (!c->kernel_time_limit)
		c->kernel_time_limit = limit;
	va_exclude(i->driver_va, i->driver_va_bytes);
	if (!*r && !va_windows(&shared, &local))
		*r = set_error(SOV_ERROR_OUT_OF_HOST_MEMORY,
			       "the process has no address space for 12 GiB of windows");
	if (!*r) {
		c->chip = c->gpu->chip_create(i, shared, local);
		if (!c->chip)
			*r = set_error(SOV_ERROR_OUT_OF_HOST_MEMORY,
				       "no host memory for a context");
	}
	if (!*r && (error = c->winsys->group_create(d->winsys_device, &c->group)))
		*r = set_winsys_error(error, "creating a queue group");
	if (*r) {
		free(c->chip);
		free(c);
		return NULL;
	}
	gate_open(&c->sleepers);
	pthread_mutex_init(&c->lock, NULL);
	pthread_mutex_init(&c->services_loading, NULL);
	return c;
}

static sov_result check_options(const struct device *d, const sov_context_options *o)
{
	const struct gpu *gpu = gpu_find(&d->info);

	if (o->flags)
		return set_error(SOV_ERROR_INVALID_ARGUMENT,
				 "sov_context_options.flags is 0x%x; none is known", o->flags);
	if (!gpu)
		return set_error(SOV_ERROR_UNSUPPORTED,
				 "%s runs %s, for which this version (%d.%d) has no commands; see "
				 "sov devices",
				 d->properties.name, d->properties.target, SOV_VERSION_MAJOR,
				 SOV_VERSION_MINOR);
	if (o->stack_bytes > gpu->max_local_bytes)
		return set_error(SOV_ERROR_INVALID_ARGUMENT,
				 "stack_bytes is %u; a thread has at most %u", o->stack_bytes,
				 gpu->max_local_bytes);
	if (o->print_bytes &&
	    (o->print_bytes & (o->print_bytes - 1) || o->print_bytes < MIN_PRINT_BYTES ||
	     o->print_bytes > MAX_PRINT_BYTES))
		return set_error(SOV_ERROR_INVALID_ARGUMENT,
				 "print_bytes is %llu; it must be a power of two from 4 KiB to "
				 "4 GiB",
				 (unsigned long long)o->print_bytes);
	if (o->heap_bytes > MAX_HEAP_BYTES)
		return set_error(SOV_ERROR_INVALID_ARGUMENT,
				 "heap_bytes is %llu; at most 32 GiB are possible",
				 (unsigned long long)o->heap_bytes);
	return SOV_OK;
}

static sov_result context_create_parts(struct context *c)
{
	const struct context_part *const *p;
	sov_result r = SOV_OK;

	pthread_mutex_lock(&c->lock);
	for (p = c->parts; !r && *p; p++)
		if ((*p)->create)
			r = (*p)->create(c);
	pthread_mutex_unlock(&c->lock);
	return r;
}

sov_result api_context_create(sov_device device, const sov_context_options *options,
			      sov_context *context)
{
	sov_context_options o = SOV_INIT(sov_context_options);
	struct device *d = object_get(device, OBJECT_DEVICE);
	struct context *c;
	sov_result r;

	if (!d)
		return SOV_ERROR_INVALID_HANDLE;
	object_put(&d->object); /* devices are never freed */
	if (!context)
		return set_error(SOV_ERROR_INVALID_ARGUMENT, "context is NULL");
	if (options && (r = struct_in("sov_context_options", &o, sizeof(o), options)))
		return r;
	r = check_options(d, &o);
	if (r)
		return r;
	c = context_new(d, &o, &r);
	if (!c)
		return r;
	r = object_publish(&c->object, OBJECT_CONTEXT, context_destroy);
	if (r) {
		c->winsys->group_destroy(c->group);
		c->group = NULL;
		context_destroy(&c->object);
		return r;
	}
	r = context_create_parts(c);
	if (r) {
		object_retire(&c->object);
		context_close(c);
		return r;
	}
	*context = object_handle(&c->object);
	LOG(CONTEXT, INFO, "created on %s%s", d->properties.name, c->sync ? ", synchronous" : "");
	return SOV_OK;
}

/* ---- resetting ---- */

/* Creates a new queue group around the existing memory. */
static sov_result context_restart(struct context *c)
{
	const struct context_part *const *p;
	sov_result r = SOV_OK;
	int error = c->winsys->group_create(c->device->winsys_device, &c->group);

	if (error)
		return set_winsys_error(error, "creating a queue group");
	gate_open(&c->sleepers);
	for (p = c->parts; !r && *p; p++)
		if ((*p)->restart)
			r = (*p)->restart(c);
	return r;
}

sov_result api_context_reset(sov_context context)
{
	const struct context_part *const *p;
	sov_result r;
	struct context *c = context_enter_failed(context, &r);

	if (!c)
		return r;
	LOG(CONTEXT, INFO, "reset on %s", c->device->properties.name);
	context_stop(c);
	context_collect_output(c);
	for (p = c->parts; *p; p++)
		if ((*p)->reset)
			(*p)->reset(c);
	c->error = SOV_OK;
	r = context_restart(c);
	if (r) {
		sov_fault f;

		fault_init(&f, SOV_ERROR_DEVICE_LOST, NULL);
		snprintf(f.cause, sizeof(f.cause), "the context could not be reset: %s",
			 sov_last_error());
		context_fail(c, &f);
	}
	return context_leave(c, r);
}

/* ---- queries and waits ---- */

sov_result api_context_status(sov_context context)
{
	sov_result r;
	struct context *c = context_enter(context, &r);

	return c ? context_leave(c, r) : r;
}

/* Waits with the lock, but without it for a stream that alone has work. */
static sov_result context_wait_locked(sov_context context, uint64_t timeout)
{
	sov_result r;
	struct context *c = context_enter(context, &r);
	struct list_head *l;
	struct stream *s;

	if (!c)
		return r;
	list_for_each(l, &c->streams) if (stream_captured(stream_of(l))) return context_leave(
		c, set_captured_error("a stream of the context is"));
	s = stream_only_busy(c);
	if (!s)
		return context_leave(c, context_drain(c, timeout));
	pthread_mutex_unlock(&c->lock);
	r = stream_wait_for(s, stream_last(s), timeout);
	object_put(&s->member.object);
	object_put(&c->object);
	return r;
}

sov_result api_context_wait(sov_context context, uint64_t timeout)
{
	struct context *c = object_get(context, OBJECT_CONTEXT);
	struct stream *s;
	sov_result r;

	if (!c)
		return SOV_ERROR_INVALID_HANDLE;
	s = stream_only(c);
	if (!s || stream_captured(s))
		r = context_wait_locked(context, timeout);
	else
		r = stream_wait_for(s, stream_last(s), timeout);
	if (s)
		object_put(&s->member.object);
	object_put(&c->object);
	return r;
}

sov_result api_context_get_device(sov_context context, sov_device *device)
{
	sov_result r;
	struct context *c;

	if (!device)
		return set_error(SOV_ERROR_INVALID_ARGUMENT, "device is NULL");
	c = context_enter_failed(context, &r);
	if (!c)
		return r;
	*device = object_handle(&c->device->object);
	return context_leave(c, SOV_OK);
}

sov_result api_context_get_stream(sov_context context, sov_stream *stream)
{
	sov_result r;
	struct context *c;

	if (!stream)
		return set_error(SOV_ERROR_INVALID_ARGUMENT, "stream is NULL");
	c = context_enter(context, &r);
	if (!c)
		return r;
	*stream = (sov_stream)(uintptr_t)c->first_handle;
	return context_leave(c, SOV_OK);
}

sov_result api_context_get_fault(sov_context context, sov_fault *fault)
{
	sov_result r;
	struct context *c = context_enter_failed(context, &r);

	if (!c)
		return r;
	r = c->error ? struct_out("sov_fault", fault, &c->fault, sizeof(c->fault))
		     : set_error(SOV_ERROR_NOT_FOUND,
				 "the context has no error; a fault record exists only after one");
	return context_leave(c, r);
}
