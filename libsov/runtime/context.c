/* SPDX-License-Identifier: MIT */
/*
 * Contexts: the unit of fate. A context owns one queue group with its address space, and memory,
 * modules, streams and events in it. When the group dies, or a kernel runs past its limit, the
 * group is taken down at once and the error stays until a reset builds a new group around the same
 * memory.
 *
 * Nothing watches in the background: errors are noticed by context_check, which every call makes
 * when it enters and every wait makes between two looks at memory.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "libsov/runtime/graph/graph.h"
#include "libsov/runtime/base/log.h"
#include "libsov/runtime/runtime.h"

#define DEFAULT_KERNEL_TIME_LIMIT UINT64_C(10000000000)
/* Work that is no kernel should not take long, but may stand behind another context's work. */
#define OTHER_TIME_LIMIT          UINT64_C(60000000000)
/* A software GPU is some thousand times slower than a card; it needs patience, not ten seconds. */
#define SOFTWARE_PATIENCE         60
#define DEFAULT_STACK             1024u /* as CUDA has it */
#define DEFAULT_PRINT             (UINT64_C(8) << 20)
#define LEAST_PRINT               (UINT64_C(4) << 10)
#define MOST_PRINT                (UINT64_C(4) << 30)
#define DEFAULT_HEAP              (UINT64_C(8) << 20) /* the same */
#define MOST_HEAP                 (UINT64_C(32) << 30)

/* ---- failing ---- */

static struct stream *stream_of(struct link *l)
{
	return (struct stream *)((char *)l - offsetof(struct stream, member.link));
}

/* Nobody submits and nobody rests when the group goes. */
static void stop(struct context *c)
{
	bool busy = false;
	struct link *l;

	for (l = c->streams.next; l != &c->streams; l = l->next) {
		gate_close(&stream_of(l)->gate);
		busy |= stream_poll(stream_of(l)) != stream_last(stream_of(l));
	}
	if (c->group && busy)
		c->winsys->group_stop(c->group);
	for (l = c->streams.next; l != &c->streams; l = l->next)
		stream_stop(stream_of(l));
	stream_spares_free(c);
	gate_close(&c->resting);
	if (c->group)
		c->winsys->group_destroy(c->group);
	c->group = NULL;
	c->epoch++;
}

void context_fail(struct context *c, const sov_fault *f)
{
	c->fault = *f;
	fault_sentence(c, f, c->sentence, sizeof(c->sentence));
	c->error = f->result;
	LOG(CONTEXT, ERROR, "%s: %s", sov_result_name(f->result), c->sentence);
	stop(c);
	services_read(c);
}

sov_result context_check(struct context *c)
{
	struct winsys_error e = {0};
	struct link *l;
	sov_fault f;

	if (c->closed)
		return refuse(SOV_ERROR_CANCELLED,
			      "another thread destroyed the context meanwhile");
	if (c->group) {
		if (c->winsys->group_error(c->group, &e)) {
			fault_from_winsys(c, &e, &f);
			services_assertion(c, &f);
			context_fail(c, &f);
		}
	}
	for (l = c->streams.next; c->group && l != &c->streams; l = l->next)
		if (stream_overdue(stream_of(l), &f)) {
			/* It may be late because it failed, which a card needs a while to tell. */
			c->winsys->group_stop(c->group);
			if (c->winsys->group_error(c->group, &e) && !e.stopped)
				fault_from_winsys(c, &e, &f);
			context_fail(c, &f);
		}
	return c->error ? refuse(c->error, "%s", c->sentence) : SOV_OK;
}

sov_result context_status(struct context *c)
{
	sov_result r;

	pthread_mutex_lock(&c->lock);
	r = context_check(c);
	pthread_mutex_unlock(&c->lock);
	return r;
}

/* ---- entering and leaving ---- */

static struct context *lock(struct context *c, bool failed_too, sov_result *r)
{
	pthread_mutex_lock(&c->lock);
	*r = context_check(c);
	if (*r && (c->closed || !failed_too)) {
		pthread_mutex_unlock(&c->lock);
		return NULL;
	}
	return c;
}

static struct context *enter(sov_context handle, bool failed_too, sov_result *r)
{
	struct context *c = object_get(handle, OBJECT_CONTEXT);

	*r = SOV_ERROR_INVALID_HANDLE;
	if (c && !lock(c, failed_too, r)) {
		object_put(&c->object);
		return NULL;
	}
	return c;
}

struct context *context_enter(sov_context handle, sov_result *r)
{
	return enter(handle, false, r);
}

struct context *context_enter_failed(sov_context handle, sov_result *r)
{
	return enter(handle, true, r);
}

sov_result context_leave(struct context *c, sov_result r)
{
	pthread_mutex_unlock(&c->lock);
	object_put(&c->object);
	return r;
}

static void *enter_member(const void *handle, enum object_kind kind, bool failed_too, sov_result *r)
{
	struct member *m = object_get(handle, kind);

	*r = SOV_ERROR_INVALID_HANDLE;
	if (m && !lock(m->context, failed_too, r)) {
		object_put(&m->object);
		return NULL;
	}
	return m;
}

void *member_enter(const void *handle, enum object_kind kind, sov_result *r)
{
	return enter_member(handle, kind, false, r);
}

void *member_enter_failed(const void *handle, enum object_kind kind, sov_result *r)
{
	return enter_member(handle, kind, true, r);
}

sov_result member_leave(void *member, sov_result r)
{
	struct member *m = member;

	pthread_mutex_unlock(&m->context->lock);
	object_put(&m->object);
	return r;
}

sov_result member_publish(struct member *m, struct context *c, struct link *list,
			  enum object_kind kind, void (*destroy)(struct object *))
{
	sov_result r;

	m->context = c;
	r = object_publish(&m->object, kind, destroy);
	if (r)
		return r;
	object_reference(&c->object);
	list_add(list, &m->link);
	return SOV_OK;
}

/* ---- memory that is bound ---- */

static sov_result refuse_errno(int error, const char *what)
{
	const char *said = winsys_take_error();

	return refuse(error == -ENOMEM ? SOV_ERROR_OUT_OF_HOST_MEMORY : SOV_ERROR_DEVICE_LOST,
		      "%s failed: %s", what, *said ? said : strerror(-error));
}

static sov_result refuse_memory(struct context *c, enum winsys_placement where, uint64_t bytes)
{
	uint64_t free_bytes, total;

	if (where == WINSYS_SYSTEM)
		return refuse(SOV_ERROR_OUT_OF_HOST_MEMORY, "no %llu bytes of system memory for %s",
			      (unsigned long long)bytes, c->device->properties.name);
	c->winsys->memory_info(c->device->way, &free_bytes, &total);
	return refuse(SOV_ERROR_OUT_OF_MEMORY,
		      "%s has no %llu bytes in one piece; %llu of %llu are free",
		      c->device->properties.name, (unsigned long long)bytes,
		      (unsigned long long)free_bytes, (unsigned long long)total);
}

/* Memory for it, bound at its address. */
static sov_result back(struct context *c, enum winsys_placement where, struct buffer *b)
{
	int error = c->winsys->buffer_create(c->device->way, where, b->mapped, &b->backing);

	if (error)
		return error == -ENOMEM ? refuse_memory(c, where, b->bytes)
					: refuse_errno(error, "creating a buffer");
	error = c->winsys->bind(c->group, b->backing, b->va);
	if (error) {
		c->winsys->buffer_destroy(b->backing);
		return refuse_errno(error, "binding a buffer");
	}
	list_add(&c->buffers, &b->link);
	return SOV_OK;
}

static struct buffer *buffer_new(struct context *c, enum winsys_placement where, uint64_t bytes,
				 uint64_t page, sov_result *r)
{
	uint64_t mapped = (bytes + page - 1) & ~(page - 1);
	struct buffer *b = NULL;

	if (mapped < bytes || mapped > c->device->info.memory_bytes) {
		*r = refuse_memory(c, where, bytes);
	} else {
		b = calloc(1, sizeof(*b));
		*r = b ? SOV_OK
		       : refuse(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a buffer");
	}
	if (b) {
		b->bytes = bytes;
		b->mapped = mapped;
	}
	return b;
}

static sov_result create_buffer(struct context *c, enum winsys_placement where, bool low,
				uint64_t bytes, uint64_t page, struct buffer **out)
{
	sov_result r;
	struct buffer *b = buffer_new(c, where, bytes, page, &r);

	if (!b)
		return r;
	b->low = low;
	if (!va_alloc(low, b->mapped, page, &b->va)) {
		r = refuse(SOV_ERROR_OUT_OF_HOST_MEMORY,
			   "the process has no address space for %llu bytes%s",
			   (unsigned long long)b->mapped, low ? " below 2^40" : "");
		free(b);
		return r;
	}
	r = back(c, where, b);
	if (r) {
		va_free(low, b->va, b->mapped);
		free(b);
		return r;
	}
	*out = b;
	return SOV_OK;
}

sov_result buffer_create(struct context *c, enum winsys_placement where, bool low, uint64_t bytes,
			 struct buffer **out)
{
	const struct winsys_info *i = &c->device->info;
	bool large = where == WINSYS_VRAM && bytes >= i->large_page_bytes;

	return create_buffer(c, where, low, bytes, large ? i->large_page_bytes : i->page_bytes,
			     out);
}

sov_result buffer_create_pages(struct context *c, enum winsys_placement where, uint64_t bytes,
			       uint64_t page, struct buffer **out)
{
	return create_buffer(c, where, false, bytes, page, out);
}

sov_result buffer_create_at(struct context *c, uint64_t bytes, uint64_t va, struct buffer **out)
{
	sov_result r;
	struct buffer *b = buffer_new(c, WINSYS_VRAM, bytes, c->device->info.large_page_bytes, &r);

	if (!b)
		return r;
	b->va = va;
	b->placed = true;
	r = back(c, WINSYS_VRAM, b);
	if (r)
		free(b);
	else
		*out = b;
	return r;
}

void buffer_destroy(struct context *c, struct buffer *b)
{
	list_remove(&b->link);
	if (c->group)
		c->winsys->unbind(c->group, b->backing, b->va);
	c->winsys->buffer_destroy(b->backing);
	if (!b->host && !b->placed)
		va_free(b->low, b->va, b->mapped);
	else if (b->mapping)
		munmap((void *)(uintptr_t)b->va, b->mapped);
	free(b);
}

sov_result buffer_map(struct context *c, struct buffer *b)
{
	if (!b->cpu)
		b->cpu = c->winsys->buffer_map(b->backing);
	return b->cpu ? SOV_OK
		      : refuse(SOV_ERROR_OUT_OF_HOST_MEMORY,
			       "%s gave the CPU no way to %llu bytes of its memory",
			       c->device->properties.name, (unsigned long long)b->bytes);
}

sov_result buffer_create_mapped(struct context *c, enum winsys_placement where, bool low,
				uint64_t bytes, struct buffer **out)
{
	sov_result r = buffer_create(c, where, low, bytes, out);

	if (r)
		return r;
	r = buffer_map(c, *out);
	if (r) {
		buffer_destroy(c, *out);
		*out = NULL;
	}
	return r;
}

/* ---- life ---- */

static void context_free(struct object *o)
{
	struct context *c = (struct context *)o;

	while (c->allocation_count)
		memory_destroy(c, c->allocations[--c->allocation_count]);
	pool_free(c);
	if (c->local.area)
		buffer_destroy(c, c->local.area);
	semaphores_free(c);
	services_free(c);
	calls_free(c);
	free(c->allocations);
	free(c->chip);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

static void doom(struct link *list, struct member **doomed)
{
	struct link *l;

	for (l = list->next; l != list; l = l->next) {
		struct member *m = (struct member *)((char *)l - offsetof(struct member, link));

		if (object_retire(&m->object)) {
			m->doomed = *doomed;
			*doomed = m;
		}
	}
}

/* The handle's reference to the context has become ours. */
static void context_close(struct context *c)
{
	struct member *doomed = NULL, *m;

	pthread_mutex_lock(&c->lock);
	c->closed = true;
	stop(c);
	services_read(c);
	doom(&c->graphs, &doomed);
	doom(&c->events, &doomed);
	doom(&c->streams, &doomed);
	doom(&c->modules, &doomed);
	pthread_mutex_unlock(&c->lock);
	calls_close(c);
	while ((m = doomed)) {
		doomed = m->doomed;
		if (m->object.kind == OBJECT_MODULE)
			module_retire_functions((struct module *)m);
		object_put(&m->object);
	}
	object_put(&c->object);
}

static sov_result read_sync(bool *sync)
{
	const char *text = getenv("SOV_SYNC");

	*sync = text && !strcmp(text, "1");
	if (!text || *sync || !*text || !strcmp(text, "0"))
		return SOV_OK;
	return refuse(SOV_ERROR_INVALID_ARGUMENT, "SOV_SYNC is '%s'; it must be 0 or 1", text);
}

/* What a context without a limit of its own has. */
static sov_result read_time_limit(bool software, uint64_t *limit)
{
	const char *text = getenv("SOV_KERNEL_TIME_LIMIT");
	unsigned long long n = 0;
	char *end = NULL;

	*limit = DEFAULT_KERNEL_TIME_LIMIT * (software ? SOFTWARE_PATIENCE : 1);
	if (!text || !*text)
		return SOV_OK;
	if (*text >= '0' && *text <= '9')
		n = strtoull(text, &end, 10);
	if (n && n <= SOV_MAX_WAIT / 1000000 && !strcmp(end, "ms"))
		*limit = n * 1000000;
	else if (n && n <= SOV_MAX_WAIT / 1000000000 && !strcmp(end, "s"))
		*limit = n * 1000000000;
	else
		return refuse(SOV_ERROR_INVALID_ARGUMENT,
			      "SOV_KERNEL_TIME_LIMIT is '%s'; it must be a number with s or ms, "
			      "such as 500ms, of at most an hour",
			      text);
	return SOV_OK;
}

static struct context *context_new(struct device *d, const sov_context_options *o, sov_result *r)
{
	struct context *c = calloc(1, sizeof(*c));
	const struct winsys_info *i = &d->info;
	uint64_t limit = 0, shared, local;
	int error;

	if (!c) {
		*r = refuse(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a context");
		return NULL;
	}
	c->device = d;
	c->winsys = d->winsys;
	c->stack_bytes = o->stack_bytes ? o->stack_bytes : DEFAULT_STACK;
	c->print_bytes = o->print_bytes ? o->print_bytes : DEFAULT_PRINT;
	c->heap_bytes = o->heap_bytes ? o->heap_bytes : DEFAULT_HEAP;
	c->print = o->print;
	c->print_user = o->print_user;
	c->kernel_time_limit = o->kernel_time_limit;
	c->other_time_limit = OTHER_TIME_LIMIT;
	c->graph_way = &graph_ways[0];
	c->gpu = gpu_find(i);
	c->alone = c->gpu->kernels_release ? 1 : UINT32_MAX;
	list_init(&c->buffers);
	list_init(&c->modules);
	list_init(&c->streams);
	list_init(&c->spares);
	list_init(&c->events);
	list_init(&c->graphs);
	pool_init(&c->pool);
	gate_init(&c->resting);
	*r = read_sync(&c->sync);
	if (!*r)
		*r = read_time_limit(i->software, &limit);
	if (!c->kernel_time_limit)
		c->kernel_time_limit = limit;
	if (!*r && !va_windows(&shared, &local))
		*r = refuse(SOV_ERROR_OUT_OF_HOST_MEMORY,
			    "the process has no address space for 12 GiB of windows");
	if (!*r) {
		c->chip = c->gpu->chip_create(i, shared, local);
		if (!c->chip)
			*r = refuse(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a context");
	}
	if (!*r && (error = c->winsys->group_create(d->way, &c->group)))
		*r = refuse_errno(error, "creating a queue group");
	if (*r) {
		free(c->chip);
		free(c);
		return NULL;
	}
	gate_open(&c->resting);
	pthread_mutex_init(&c->lock, NULL);
	pthread_mutex_init(&c->loading_services, NULL);
	return c;
}

sov_result sov_context_create(sov_device device, const sov_context_options *options,
			      sov_context *context)
{
	sov_context_options o = SOV_INIT(sov_context_options);
	struct device *d = object_get(device, OBJECT_DEVICE);
	struct stream *first = NULL;
	const struct gpu *gpu;
	struct context *c;
	sov_result r;

	if (!d)
		return SOV_ERROR_INVALID_HANDLE;
	object_put(&d->object); /* devices live as long as the process */
	if (!context)
		return refuse(SOV_ERROR_INVALID_ARGUMENT, "context is NULL");
	if (options && (r = struct_in("sov_context_options", &o, sizeof(o), options)))
		return r;
	if (o.flags)
		return refuse(SOV_ERROR_INVALID_ARGUMENT,
			      "sov_context_options.flags is 0x%x; none is known", o.flags);
	if (o.kernel_time_limit > SOV_MAX_WAIT)
		return refuse(SOV_ERROR_INVALID_ARGUMENT,
			      "kernel_time_limit of %llu ns is longer than SOV_MAX_WAIT, one hour; "
			      "give less",
			      (unsigned long long)o.kernel_time_limit);
	gpu = gpu_find(&d->info);
	if (!gpu)
		return refuse(SOV_ERROR_UNSUPPORTED,
			      "%s runs %s, for which this version (%d.%d) has no commands; see sov "
			      "devices",
			      d->properties.name, d->properties.target, SOV_VERSION_MAJOR,
			      SOV_VERSION_MINOR);
	if (!gpu->copies_on_compute && !d->info.copy_queues)
		return refuse(SOV_ERROR_UNSUPPORTED,
			      "%s by %s has no copy queues, and its compute queues do not copy; "
			      "use another way to it",
			      d->properties.name, d->properties.winsys);
	if (o.stack_bytes > gpu->max_local_bytes)
		return refuse(SOV_ERROR_INVALID_ARGUMENT,
			      "stack_bytes is %u; a thread has at most %u", o.stack_bytes,
			      gpu->max_local_bytes);
	if (o.print_bytes && (o.print_bytes & (o.print_bytes - 1) || o.print_bytes < LEAST_PRINT ||
			      o.print_bytes > MOST_PRINT))
		return refuse(SOV_ERROR_INVALID_ARGUMENT,
			      "print_bytes is %llu; it must be a power of two from 4 KiB to 4 GiB",
			      (unsigned long long)o.print_bytes);
	if (o.heap_bytes > MOST_HEAP)
		return refuse(SOV_ERROR_INVALID_ARGUMENT,
			      "heap_bytes is %llu; at most 32 GiB are possible",
			      (unsigned long long)o.heap_bytes);
	c = context_new(d, &o, &r);
	if (!c)
		return r;
	r = object_publish(&c->object, OBJECT_CONTEXT, context_free);
	if (r) {
		c->winsys->group_destroy(c->group);
		context_free(&c->object);
		return r;
	}
	pthread_mutex_lock(&c->lock);
	r = stream_create(c, 0, &first);
	if (!r)
		c->first_handle = object_handle(&first->member.object);
	pthread_mutex_unlock(&c->lock);
	if (r) {
		object_retire(&c->object);
		context_close(c);
		return r;
	}
	*context = object_handle(&c->object);
	LOG(CONTEXT, INFO, "created on %s%s", d->properties.name, c->sync ? ", synchronous" : "");
	return SOV_OK;
}

sov_result sov_context_destroy(sov_context context)
{
	struct context *c = object_get(context, OBJECT_CONTEXT);

	if (!c)
		return SOV_ERROR_INVALID_HANDLE;
	if (calls_are_mine(c)) {
		object_put(&c->object);
		return refuse(SOV_ERROR_BUSY,
			      "a host function of the context runs, the caller: another thread "
			      "can destroy the context");
	}
	if (!object_retire(&c->object)) {
		object_put(&c->object);
		return refuse(SOV_ERROR_INVALID_HANDLE,
			      "another thread destroyed the context meanwhile");
	}
	LOG(CONTEXT, INFO, "destroyed on %s", c->device->properties.name);
	context_close(c);
	object_put(&c->object);
	return SOV_OK;
}

/* A new group around the old memory. */
static sov_result rebuild(struct context *c)
{
	struct link *l;
	sov_result r = SOV_OK;
	int error = c->winsys->group_create(c->device->way, &c->group);

	if (error)
		return refuse_errno(error, "creating a queue group");
	gate_open(&c->resting);
	for (l = c->buffers.next; l != &c->buffers; l = l->next) {
		struct buffer *b = (struct buffer *)((char *)l - offsetof(struct buffer, link));

		error = c->winsys->bind(c->group, b->backing, b->va);
		if (error)
			return refuse_errno(error, "binding a buffer");
	}
	for (l = c->events.next; l != &c->events; l = l->next)
		event_restart((struct event *)((char *)l - offsetof(struct event, member.link)));
	semaphores_release(c);
	for (l = c->streams.next; !r && l != &c->streams; l = l->next)
		if (!stream_of(l)->closed) /* what another thread is destroying needs no queue */
			r = stream_start(stream_of(l));
	return r;
}

sov_result sov_context_reset(sov_context context)
{
	sov_result r;
	struct context *c = context_enter_failed(context, &r);

	if (!c)
		return r;
	LOG(CONTEXT, INFO, "reset on %s", c->device->properties.name);
	stop(c);
	services_read(c);
	services_restart(c);
	c->error = SOV_OK;
	r = rebuild(c);
	if (r) {
		sov_fault f;

		fault_init(&f, SOV_ERROR_DEVICE_LOST, NULL);
		snprintf(f.cause, sizeof(f.cause), "the context could not be reset: %s",
			 sov_last_error());
		context_fail(c, &f);
	}
	return context_leave(c, r);
}

sov_result sov_context_status(sov_context context)
{
	sov_result r;
	struct context *c = context_enter(context, &r);

	return c ? context_leave(c, r) : r;
}

sov_result sov_context_wait(sov_context context, uint64_t limit)
{
	sov_result r = check_limit(limit);
	struct context *c = r ? NULL : context_enter(context, &r);

	return c ? context_leave(c, context_drain(c, limit)) : r;
}

sov_result sov_context_get_device(sov_context context, sov_device *device)
{
	sov_result r;
	struct context *c;

	if (!device)
		return refuse(SOV_ERROR_INVALID_ARGUMENT, "device is NULL");
	c = context_enter_failed(context, &r);
	if (!c)
		return r;
	*device = object_handle(&c->device->object);
	return context_leave(c, SOV_OK);
}

sov_result sov_context_get_stream(sov_context context, sov_stream *stream)
{
	sov_result r;
	struct context *c;

	if (!stream)
		return refuse(SOV_ERROR_INVALID_ARGUMENT, "stream is NULL");
	c = context_enter(context, &r);
	if (!c)
		return r;
	*stream = (sov_stream)(uintptr_t)c->first_handle;
	return context_leave(c, SOV_OK);
}

sov_result sov_context_get_fault(sov_context context, sov_fault *fault)
{
	sov_result r;
	struct context *c = context_enter_failed(context, &r);

	if (!c)
		return r;
	r = c->error ? struct_out("sov_fault", fault, &c->fault, sizeof(c->fault))
		     : refuse(SOV_ERROR_NOT_FOUND,
			      "the context has no error; there is a fault to read after one only");
	return context_leave(c, r);
}
