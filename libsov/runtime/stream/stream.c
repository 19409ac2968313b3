/* SPDX-License-Identifier: MIT */
/*
 * Streams: work in order. How a piece of work gets to the GPU is submit.c's; this is how streams
 * come and go, how long a piece may take, and who waits for what.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libsov/runtime/base/log.h"
#include "libsov/runtime/runtime.h"
#include "libsov/runtime/trace/trace.h"

#define COMMAND_BYTES  (STREAM_SLOTS_AT + STREAM_SLOTS * STREAM_SLOT_BYTES)
/* Half of what the kernel module behind nvrm waits before it gives up, and the context with it. */
#define QUEUE_PATIENCE UINT64_C(2000000000)

static const char *const work_names[] = {
	[WORK_SETUP] = "setting up a stream",
	[WORK_KERNEL] = "a kernel",
	[WORK_COPY] = "a copy or fill",
	[WORK_RECORD] = "recording an event",
	[WORK_WAIT] = "waiting for an event",
	[WORK_ALARM] = "waking a thread",
	[WORK_GRAPH] = "a graph",
};

/* 0: none. What a wait for an event waits for is work with a limit of its own. */
static uint64_t limit_of(const struct context *c, const struct request *q)
{
	if (q->kind == WORK_WAIT)
		return 0;
	if (q->limit)
		return q->limit;
	if (q->kind == WORK_KERNEL || c->kernel_time_limit > c->other_time_limit)
		return c->kernel_time_limit;
	return c->other_time_limit;
}

/* No launch looks at a clock: time begins when a call first sees the piece at the stream's head. */
bool stream_overdue(struct stream *s, sov_fault *f)
{
	uint64_t head = stream_poll(s) + 1, limit;
	struct request q;
	bool kernel;

	if (!stream_head(s, &q))
		return false;
	limit = limit_of(s->member.context, &q);
	if (s->head != head) {
		s->head = head;
		s->head_since = now_ns();
		return false;
	}
	if (!limit || now_ns() - s->head_since <= limit)
		return false;
	kernel = q.kind == WORK_KERNEL;
	fault_init(f, kernel || q.kind == WORK_GRAPH ? SOV_ERROR_HANG : SOV_ERROR_DEVICE_LOST,
		   kernel ? q.function : NULL);
	snprintf(f->cause, sizeof(f->cause), "%s did not end within its limit of %llu.%03llu s",
		 kernel ? "it" : work_names[q.kind], (unsigned long long)(limit / 1000000000),
		 (unsigned long long)(limit / 1000000 % 1000));
	return true;
}

sov_result stream_wait_for(struct stream *s, uint64_t number, uint64_t limit)
{
	sov_result r = semaphore_wait(s->member.context, s->done, (uint32_t)number, limit, s);

	if (!r)
		stream_poll(s);
	return r;
}

/* ---- coming and going ---- */

/* All that a stream needs but a name. With the context's lock held. */
static sov_result stream_make(struct context *c, int32_t priority, struct stream **out)
{
	struct stream *s = aligned_alloc(_Alignof(struct stream), sizeof(*s));
	sov_result r;

	if (!s)
		return refuse(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a stream");
	memset(s, 0, sizeof(*s));
	s->member.context = c;
	s->priority = priority;
	gate_init(&s->gate);
	r = semaphore_create(c, &s->done);
	if (r)
		goto no_semaphore;
	/* A semaphore's new owner goes on counting where the old one stopped. */
	atomic_init(&s->tail, (uint64_t)s->done->value << STREAM_ENDS_BITS);
	r = buffer_create_mapped(c, WINSYS_VRAM, true, COMMAND_BYTES, &s->commands);
	if (r)
		goto no_commands;
	if (tracing())
		trace_stream_create(s);
	r = stream_start(s);
	if (r)
		goto no_queue;
	*out = s;
	return SOV_OK;

no_queue:
	trace_stream_destroy(s);
	buffer_destroy(c, s->commands);
no_commands:
	semaphore_destroy(c, s->done);
no_semaphore:
	free(s);
	return r;
}

static void stream_unmake(struct stream *s)
{
	struct context *c = s->member.context;

	stream_stop(s);
	trace_stream_destroy(s);
	buffer_destroy(c, s->commands);
	semaphore_destroy(c, s->done);
	free(s);
}

static struct stream *stream_of(struct link *l)
{
	return (struct stream *)((char *)l - offsetof(struct stream, member.link));
}

static void spare_add(struct context *c, struct stream *s)
{
	list_add(&c->spares, &s->member.link);
	c->spare_count++;
}

static struct stream *spare_take(struct context *c)
{
	struct link *l = c->spares.next;

	if (l == &c->spares)
		return NULL;
	list_remove(l);
	c->spare_count--;
	return stream_of(l);
}

void stream_spares_free(struct context *c)
{
	struct stream *s;

	while ((s = spare_take(c)))
		stream_unmake(s);
}

static bool stream_idle(void *arg)
{
	struct stream *s = arg;

	return stream_poll(s) == stream_last(s);
}

static bool context_idle(const struct context *c)
{
	struct link *l;

	for (l = c->streams.next; l != &c->streams; l = l->next)
		if (!stream_idle(stream_of(l)))
			return false;
	return true;
}

static void stream_free(struct object *o)
{
	struct stream *s = (struct stream *)o;
	struct context *c = s->member.context;

	LOG(STREAM, INFO, "%llu destroyed", (unsigned long long)s->serial);
	capture_drop(s);
	pthread_mutex_lock(&c->lock);
	list_remove(&s->member.link);
	atomic_fetch_sub_explicit(&c->stream_count, 1, memory_order_relaxed);
	staging_fini(c, &s->staging);
	if (c->group && s->queue_of[ENGINE_COMPUTE] && stream_idle(s) && !s->priority &&
	    c->spare_count < c->device->info.spare_queues)
		spare_add(c, s);
	else
		stream_unmake(s);
	pthread_mutex_unlock(&c->lock);
	object_put(&c->object);
}

/*
 * A spare one, or a new one. Where queues cannot be made while a block of threads runs on and on,
 * trying costs the context: so what is running has to end first, or the call is refused.
 */
static sov_result stream_get(struct context *c, int32_t priority, struct stream **out)
{
	*out = priority ? NULL : spare_take(c);
	if (*out)
		return SOV_OK;
	if (c->device->info.spare_queues && !context_idle(c)) {
		sov_result r = context_drain(c, QUEUE_PATIENCE);

		if (r == SOV_ERROR_TIMEOUT)
			return refuse(r,
				      "%s makes no queue for a stream while a kernel runs: it has "
				      "not ended within %llu s, and those kept for such a moment "
				      "(%u) are in use; create streams before it",
				      c->device->properties.name,
				      (unsigned long long)(QUEUE_PATIENCE / 1000000000),
				      c->device->info.spare_queues);
		if (r)
			return r;
	}
	return stream_make(c, priority, out);
}

/* The smallest that no stream has. */
static uint32_t free_index(const struct context *c)
{
	const struct link *l = c->streams.next;
	uint32_t index = 0;

	while (l != &c->streams) {
		const struct stream *s =
			(const struct stream *)((const char *)l -
						offsetof(struct stream, member.link));

		if (s->index == index) {
			index++;
			l = c->streams.next;
		} else {
			l = l->next;
		}
	}
	return index;
}

sov_result stream_create(struct context *c, int32_t priority, struct stream **out)
{
	struct stream *s;
	sov_result r = stream_get(c, priority, &s);

	if (r)
		return r;
	s->index = free_index(c);
	r = member_publish(&s->member, c, &c->streams, OBJECT_STREAM, stream_free);
	if (r) {
		stream_unmake(s);
		return r;
	}
	s->serial = ++c->stream_serial;
	s->closed = false;
	staging_init(&s->staging);
	if (gate_closed(&s->gate)) /* it had another name before */
		gate_open(&s->gate);
	atomic_fetch_add_explicit(&c->stream_count, 1, memory_order_relaxed);
	LOG(STREAM, INFO, "%llu created", (unsigned long long)s->serial);
	*out = s;
	return SOV_OK;
}

/* Only one each time: to make it takes as long as the stream that was asked for. */
static void spare_make(struct context *c)
{
	struct stream *s;

	if (c->spare_count < c->device->info.spare_queues && !stream_make(c, 0, &s))
		spare_add(c, s);
}

struct stream *stream_find(struct context *c, sov_stream handle)
{
	struct stream *s = object_get(handle ? handle : c->first_handle, OBJECT_STREAM);

	if (s && s->member.context != c) {
		object_put(&s->member.object);
		refuse(SOV_ERROR_INVALID_HANDLE, "the stream belongs to another context");
		return NULL;
	}
	return s;
}

static sov_result check_priority(const struct context *c, int32_t priority)
{
	const sov_device_properties *p = &c->device->properties;

	if (priority >= p->min_priority && priority <= p->max_priority)
		return SOV_OK;
	return refuse(SOV_ERROR_INVALID_ARGUMENT, "priority is %d; %s has %d to %d", priority,
		      p->name, p->min_priority, p->max_priority);
}

sov_result sov_stream_create_with_priority(sov_context context, uint32_t flags, int32_t priority,
					   sov_stream *stream)
{
	struct context *c;
	struct stream *s;
	sov_result r;
	bool idle;

	if (!stream || flags)
		return stream ? refuse(SOV_ERROR_INVALID_ARGUMENT, "flags is 0x%x; none is known",
				       flags)
			      : refuse(SOV_ERROR_INVALID_ARGUMENT, "stream is NULL");
	c = context_enter(context, &r);
	if (!c)
		return r;
	idle = context_idle(c);
	r = check_priority(c, priority);
	if (!r)
		r = stream_create(c, priority, &s);
	if (!r) {
		*stream = object_handle(&s->member.object);
		if (idle)
			spare_make(c);
	}
	return context_leave(c, r);
}

sov_result sov_stream_create(sov_context context, uint32_t flags, sov_stream *stream)
{
	return sov_stream_create_with_priority(context, flags, 0, stream);
}

sov_result sov_stream_get_priority(sov_stream stream, int32_t *priority)
{
	struct stream *s;

	if (!priority)
		return refuse(SOV_ERROR_INVALID_ARGUMENT, "priority is NULL");
	s = object_get(stream, OBJECT_STREAM);
	if (!s)
		return SOV_ERROR_INVALID_HANDLE;
	*priority = s->priority;
	object_put(&s->member.object);
	return SOV_OK;
}

/* With the lock held. *keep: it was not emptied. */
static sov_result stream_empty(struct stream *s, bool *keep)
{
	sov_result r;

	s->closed = true;
	gate_close(&s->gate);
	r = context_block(s->member.context, stream_idle, s, SOV_MAX_WAIT);
	*keep = r == SOV_ERROR_TIMEOUT;
	if (*keep) {
		s->closed = false;
		gate_open(&s->gate);
	}
	return r;
}

sov_result sov_stream_destroy(sov_stream stream)
{
	sov_result r;
	struct stream *s = member_enter_failed(stream, OBJECT_STREAM, &r);
	struct context *c;
	bool keep = false;

	if (!s)
		return r;
	c = s->member.context;
	if (stream == c->first_handle)
		return member_leave(s, refuse(SOV_ERROR_INVALID_ARGUMENT,
					      "the context's first stream is destroyed with its "
					      "context; leave it alone"));
	if (s->closed)
		return member_leave(
			s, refuse(SOV_ERROR_BUSY, "another thread is destroying the stream"));
	if (r)
		s->closed = true;
	else
		r = stream_empty(s, &keep);
	pthread_mutex_unlock(&c->lock);
	if (!keep && object_retire(&s->member.object))
		object_put(&s->member.object);
	object_put(&s->member.object);
	return r;
}

sov_result sov_stream_wait(sov_stream stream, uint64_t limit)
{
	sov_result r = check_limit(limit);
	struct stream *s = r ? NULL : object_get(stream, OBJECT_STREAM);

	if (!s)
		return r ? r : SOV_ERROR_INVALID_HANDLE;
	r = stream_wait_for(s, stream_last(s), limit);
	object_put(&s->member.object);
	return r;
}
