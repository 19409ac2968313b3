// SPDX-License-Identifier: MIT
/*
 * Streams: creating and destroying them, time limits of their work, and the context's hooks that
 * quiesce, drain and restart all streams. submit.c submits work.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libsov/runtime/base/aligned.h"
#include "libsov/runtime/base/api_calls.h"
#include "libsov/runtime/base/clock.h"
#include "libsov/runtime/base/error.h"
#include "libsov/runtime/base/fault_record.h"
#include "libsov/runtime/base/log.h"
#include "libsov/runtime/context/context_wait.h"
#include "libsov/runtime/stream/stream.h"
#include "libsov/runtime/trace/trace_gpu.h"

#define COMMAND_BYTES (STREAM_SLOTS * STREAM_SLOT_BYTES)

/* Streams without a handle whose queues exist already; see winsys_info.spare_queues. */
struct stream_spares {
	struct list_head list;
	uint32_t count;
};

static const char *const work_names[] = {
	[WORK_SETUP] = "setting up a stream",
	[WORK_KERNEL] = "a kernel",
	[WORK_COPY] = "a copy or fill",
	[WORK_RECORD] = "recording an event",
	[WORK_WAIT] = "waiting for an event",
	[WORK_INTERRUPT] = "waking a thread",
	[WORK_GRAPH] = "a graph",
};

/* 0: none. The work that an event wait waits for has its own limit. */
static uint64_t time_limit_of(const struct context *c, const struct submit_request *q)
{
	if (q->kind == WORK_WAIT)
		return 0;
	if (q->time_limit)
		return q->time_limit;
	if (q->kind == WORK_KERNEL || c->kernel_time_limit > c->other_time_limit)
		return c->kernel_time_limit;
	return c->other_time_limit;
}

/* Launches do not read a clock: the time runs from the first call that sees the submission at the
 * head of the stream. */
static bool stream_overdue(struct stream *s, sov_fault *f)
{
	uint64_t head = stream_poll(s) + 1, limit;
	struct submit_request q;
	bool kernel;

	if (!stream_head(s, &q))
		return false;
	limit = time_limit_of(s->member.context, &q);
	if (s->head != head) {
		s->head = head;
		s->head_since = now_ns();
		return false;
	}
	if (!limit || now_ns() - s->head_since <= limit)
		return false;
	kernel = q.kind == WORK_KERNEL;
	fault_init(f, kernel || q.kind == WORK_GRAPH ? SOV_ERROR_HANG : SOV_ERROR_DEVICE_LOST,
		   kernel ? q.kernel->name : NULL);
	snprintf(f->cause, sizeof(f->cause), "%s did not end within its limit of %llu.%03llu s",
		 kernel ? "it" : work_names[q.kind], (unsigned long long)(limit / 1000000000),
		 (unsigned long long)(limit / 1000000 % 1000));
	return true;
}

/* ---- creating and destroying ---- */

static sov_result rings_create(struct stream *s)
{
	struct context *c = s->member.context;
	const uint32_t entries[ENGINES] = {c->gpu->ring_entries, c->gpu->copy_ring_entries};
	uint32_t i, n = c->device->info.copy_queues ? ENGINES : 1;
	sov_result r = SOV_OK;

	for (i = 0; i < n && !r; i++)
		r = buffer_create_mapped(c, WINSYS_VRAM, true,
					 (uint64_t)entries[i] * c->gpu->ring_entry_bytes,
					 &s->queues[i].ring);
	return r;
}

static void rings_destroy(struct stream *s)
{
	uint32_t i;

	for (i = 0; i < ENGINES; i++)
		if (s->queues[i].ring)
			buffer_destroy(s->member.context, s->queues[i].ring);
}

/* Creates a stream without a handle. With the context's lock held. */
static sov_result stream_new(struct context *c, int32_t priority, struct stream **out)
{
	struct stream *s = aligned_calloc(_Alignof(struct stream), 1, sizeof(*s));
	sov_result r;

	if (!s)
		return set_error(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a stream");
	s->member.context = c;
	s->priority = priority;
	gate_init(&s->gate);
	r = semaphore_create(c, &s->done);
	if (r)
		goto no_semaphore;
	/* The semaphore's values continue where its previous owner stopped. */
	atomic_init(&s->tail, (uint64_t)s->done->value << STREAM_COMPLETION_BITS);
	r = buffer_create_mapped(c, WINSYS_VRAM, true, COMMAND_BYTES, &s->commands);
	if (r)
		goto no_commands;
	if (tracing())
		s->trace = trace_stream_create(c, STREAM_SLOTS);
	r = rings_create(s);
	if (!r)
		r = stream_start(s);
	if (r)
		goto no_queue;
	*out = s;
	return SOV_OK;

no_queue:
	rings_destroy(s);
	trace_stream_destroy(c, s->trace);
	buffer_destroy(c, s->commands);
no_commands:
	semaphore_destroy(c, s->done);
no_semaphore:
	free(s);
	return r;
}

static void stream_delete(struct stream *s)
{
	struct context *c = s->member.context;

	stream_stop(s);
	rings_destroy(s);
	trace_stream_destroy(c, s->trace);
	buffer_destroy(c, s->commands);
	semaphore_destroy(c, s->done);
	free(s);
}

static void spare_add(struct context *c, struct stream *s)
{
	list_add_tail(&c->spares->list, &s->member.link);
	c->spares->count++;
}

static struct stream *spare_take(struct context *c)
{
	struct list_head *l = c->spares->list.next;

	if (l == &c->spares->list)
		return NULL;
	list_del(l);
	c->spares->count--;
	return stream_of(l);
}

static void spares_destroy(struct context *c)
{
	struct stream *s;

	while ((s = spare_take(c)))
		stream_delete(s);
}

/* stream_idle for context_block. */
static bool stream_drained(void *arg)
{
	return stream_idle(arg);
}

static bool streams_idle(struct context *c)
{
	struct list_head *l;

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
	stream_capture(s)->abandon(s);
	pthread_mutex_lock(&c->lock);
	list_del(&s->member.link);
	atomic_fetch_sub_explicit(&c->stream_count, 1, memory_order_relaxed);
	staging_fini(c, &s->staging);
	if (c->group && s->queue_of[ENGINE_COMPUTE] && stream_idle(s) && !s->priority &&
	    c->spares->count < c->device->info.spare_queues)
		spare_add(c, s);
	else
		stream_delete(s);
	pthread_mutex_unlock(&c->lock);
	object_put(&c->object);
}

/*
 * Takes a spare stream or creates one. Where a queue cannot be created while a block runs for
 * seconds (winsys_info.spare_queues), the attempt would lose the group: running work has to finish
 * first, or the call fails.
 */
static sov_result stream_take_or_new(struct context *c, int32_t priority, struct stream **out)
{
	*out = priority ? NULL : spare_take(c);
	if (*out)
		return SOV_OK;
	if (c->device->info.spare_queues && !streams_idle(c)) {
		uint64_t patience = c->device->info.queue_create_patience;
		sov_result r = context_drain(c, patience);

		if (r == SOV_ERROR_TIMEOUT)
			return set_error(r,
					 "%s cannot create a queue while a kernel runs: the kernel "
					 "did not end within %llu s, and all spare queues (%u) are "
					 "in use; create streams before the launch",
					 c->device->properties.name,
					 (unsigned long long)(patience / 1000000000),
					 c->device->info.spare_queues);
		if (r)
			return r;
	}
	return stream_new(c, priority, out);
}

/* The smallest index that no stream has. */
static uint32_t free_index(const struct context *c)
{
	const struct list_head *l = c->streams.next;
	uint32_t index = 0;

	while (l != &c->streams) {
		const struct stream *s = container_of(l, struct stream, member.link);

		if (s->index == index) {
			index++;
			l = c->streams.next;
		} else {
			l = l->next;
		}
	}
	return index;
}

static const struct member_ops stream_member_ops = {
	.kind = OBJECT_STREAM,
	.destroy = stream_free,
};

sov_result stream_create(struct context *c, int32_t priority, struct stream **out)
{
	struct stream *s;
	sov_result r = stream_take_or_new(c, priority, &s);

	if (r)
		return r;
	s->index = free_index(c);
	r = member_publish(&s->member, c, &c->streams, &stream_member_ops);
	if (r) {
		stream_delete(s);
		return r;
	}
	s->serial = ++c->stream_serial;
	s->closed = false;
	staging_init(&s->staging);
	if (gate_closed(&s->gate)) /* it was a spare stream */
		gate_open(&s->gate);
	atomic_fetch_add_explicit(&c->stream_count, 1, memory_order_relaxed);
	LOG(STREAM, INFO, "%llu created", (unsigned long long)s->serial);
	*out = s;
	return SOV_OK;
}

/* Creates one at a time: it takes as long as the stream that the caller asked for. */
static void spare_create(struct context *c)
{
	struct stream *s;

	if (c->spares->count < c->device->info.spare_queues && !stream_new(c, 0, &s))
		spare_add(c, s);
}

struct stream *stream_find(struct context *c, sov_stream handle)
{
	struct stream *s = object_get(handle ? handle : c->first_handle, OBJECT_STREAM);

	if (s && s->member.context != c) {
		object_put(&s->member.object);
		set_error(SOV_ERROR_INVALID_HANDLE, "the stream belongs to another context");
		return NULL;
	}
	return s;
}

struct stream *stream_only(struct context *c)
{
	if (atomic_load_explicit(&c->stream_count, memory_order_acquire) != 1)
		return NULL;
	return object_get(c->first_handle, OBJECT_STREAM);
}

struct stream *stream_only_busy(struct context *c)
{
	struct stream *busy = NULL;
	struct list_head *l;

	for (l = c->streams.next; l != &c->streams; l = l->next) {
		struct stream *s = stream_of(l);

		if (stream_idle(s))
			continue;
		if (busy || s->closed)
			return NULL;
		busy = s;
	}
	if (busy)
		object_reference(&busy->member.object);
	return busy;
}

static sov_result check_priority(const struct context *c, int32_t priority)
{
	const sov_device_properties *p = &c->device->properties;

	if (priority >= p->min_priority && priority <= p->max_priority)
		return SOV_OK;
	return set_error(SOV_ERROR_INVALID_ARGUMENT, "priority is %d; %s has %d to %d", priority,
			 p->name, p->min_priority, p->max_priority);
}

sov_result api_stream_create_with_priority(sov_context context, uint32_t flags, int32_t priority,
					   sov_stream *stream)
{
	struct context *c;
	struct stream *s;
	sov_result r;
	bool idle;

	if (!stream || flags)
		return stream ? set_error(SOV_ERROR_INVALID_ARGUMENT,
					  "flags is 0x%x; none is known", flags)
			      : set_error(SOV_ERROR_INVALID_ARGUMENT, "stream is NULL");
	c = context_enter(context, &r);
	if (!c)
		return r;
	idle = streams_idle(c);
	r = check_priority(c, priority);
	if (!r)
		r = stream_create(c, priority, &s);
	if (!r) {
		*stream = object_handle(&s->member.object);
		if (idle)
			spare_create(c);
	}
	return context_leave(c, r);
}

sov_result api_stream_create(sov_context context, uint32_t flags, sov_stream *stream)
{
	return api_stream_create_with_priority(context, flags, 0, stream);
}

sov_result api_stream_get_priority(sov_stream stream, int32_t *priority)
{
	struct stream *s;

	if (!priority)
		return set_error(SOV_ERROR_INVALID_ARGUMENT, "priority is NULL");
	s = object_get(stream, OBJECT_STREAM);
	if (!s)
		return SOV_ERROR_INVALID_HANDLE;
	*priority = s->priority;
	object_put(&s->member.object);
	return SOV_OK;
}

/* Closes the gate and waits until the stream is idle; *keep: it timed out. With the lock held. */
static sov_result stream_close_and_wait(struct stream *s, bool *keep)
{
	sov_result r;

	s->closed = true;
	gate_close(&s->gate);
	r = context_block(s->member.context, stream_drained, s, SOV_FOREVER);
	*keep = r == SOV_ERROR_TIMEOUT;
	if (*keep) {
		s->closed = false;
		gate_open(&s->gate);
	}
	return r;
}

sov_result api_stream_destroy(sov_stream stream)
{
	sov_result r;
	struct stream *s = member_enter_failed(stream, OBJECT_STREAM, &r);
	struct context *c;
	bool keep = false;

	if (!s)
		return r;
	c = s->member.context;
	if (stream == c->first_handle)
		return member_leave(s, set_error(SOV_ERROR_INVALID_ARGUMENT,
						 "the context's first stream is destroyed with its "
						 "context; leave it alone"));
	if (s->closed)
		return member_leave(
			s, set_error(SOV_ERROR_BUSY, "another thread is destroying the stream"));
	if (r)
		s->closed = true;
	else
		r = stream_close_and_wait(s, &keep);
	pthread_mutex_unlock(&c->lock);
	if (!keep && object_retire(&s->member.object))
		object_put(&s->member.object);
	object_put(&s->member.object);
	return r;
}

sov_result set_captured_error(const char *what)
{
	return set_error(SOV_ERROR_UNSUPPORTED,
			 "%s captured, and captured work does not execute; call "
			 "sov_stream_end_capture and launch the graph first",
			 what);
}

sov_result api_stream_wait(sov_stream stream, uint64_t timeout)
{
	struct stream *s = object_get(stream, OBJECT_STREAM);
	sov_result r;

	if (!s)
		return SOV_ERROR_INVALID_HANDLE;
	r = stream_captured(s) ? set_captured_error("the stream is")
			       : stream_wait_for(s, stream_last(s), timeout);
	object_put(&s->member.object);
	return r;
}

/* ---- hooks of the context ---- */

static bool streams_quiesce(struct context *c)
{
	struct list_head *l;
	bool busy = false;

	list_for_each(l, &c->streams)
	{
		gate_close(&stream_of(l)->gate);
		busy |= !stream_idle(stream_of(l));
	}
	return busy;
}

static void streams_resume(struct context *c)
{
	struct list_head *l;

	for (l = c->streams.next; c->group && l != &c->streams; l = l->next)
		if (!stream_of(l)->closed)
			gate_open(&stream_of(l)->gate);
}

static void streams_flush_submitters(struct context *c)
{
	struct list_head *l;

	list_for_each(l, &c->streams)
	{
		struct stream *s = stream_of(l);

		if (!gate_closed(&s->gate)) {
			gate_close(&s->gate);
			gate_open(&s->gate);
		}
	}
}

/* Waits for the streams one by one, oldest first. */
struct stream_drain {
	struct context *context;
	uint64_t youngest;
	uint64_t serial, seqno; /* the stream that is waited for, and its target */
};

static bool streams_drained(void *arg)
{
	struct stream_drain *d = arg;
	struct list_head *l;

	for (l = d->context->streams.next; l != &d->context->streams; l = l->next) {
		struct stream *s = stream_of(l);

		if (s->serial < d->serial)
			continue;
		if (s->serial > d->youngest)
			break;
		if (s->serial > d->serial) {
			d->serial = s->serial;
			d->seqno = stream_last(s);
		}
		if (stream_poll(s) < d->seqno)
			return false;
	}
	return true;
}

static sov_result streams_drain(struct context *c, uint64_t timeout)
{
	struct stream_drain d = {.context = c, .youngest = c->stream_serial};
	uint64_t epoch = c->epoch;
	struct list_head *l;

	if (timeout && !c->error && !context_spin(c, streams_drained, &d, timeout)) {
		for (l = c->streams.next; l != &c->streams; l = l->next)
			if (!stream_idle(stream_of(l)))
				stream_interrupt(stream_of(l));
		d.serial = 0; /* for the interrupts too */
	}
	return context_block_since(c, streams_drained, &d, timeout, epoch);
}

static bool streams_overdue(struct context *c, sov_fault *f)
{
	struct list_head *l;

	list_for_each(l, &c->streams) if (stream_overdue(stream_of(l), f)) return true;
	return false;
}

static void streams_stop(struct context *c)
{
	struct list_head *l;

	list_for_each(l, &c->streams) stream_stop(stream_of(l));
	if (c->spares)
		spares_destroy(c);
}

/* Streams that another thread is destroying get no queues. */
static sov_result streams_restart(struct context *c)
{
	struct list_head *l;
	sov_result r = SOV_OK;

	for (l = c->streams.next; !r && l != &c->streams; l = l->next)
		if (!stream_of(l)->closed)
			r = stream_start(stream_of(l));
	return r;
}

/* Creates the context's first stream. */
static sov_result streams_create(struct context *c)
{
	struct stream *first;
	sov_result r;

	c->spares = calloc(1, sizeof(*c->spares));
	if (!c->spares)
		return set_error(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a context");
	list_init(&c->spares->list);
	r = stream_create(c, 0, &first);
	if (!r)
		c->first_handle = object_handle(&first->member.object);
	return r;
}

sov_result stream_stage(struct stream *s, uint64_t align_as, uint64_t bytes,
			struct staging_range *out)
{
	sov_result r = staging_find(s->member.context, &s->staging, align_as, bytes, out);

	if (!r && out->free_after > stream_poll(s))
		r = stream_wait_for(s, out->free_after, SOV_FOREVER);
	if (!r)
		staging_claim(&s->staging, out);
	return r;
}

static void streams_retire(struct context *c, struct member **retired)
{
	context_retire_members(&c->streams, retired);
}

static void streams_destroy(struct context *c)
{
	free(c->spares);
}

const struct context_part stream_part = {
	.create = streams_create,
	.quiesce = streams_quiesce,
	.resume = streams_resume,
	.flush_submitters = streams_flush_submitters,
	.idle = streams_idle,
	.drain = streams_drain,
	.overdue = streams_overdue,
	.stop = streams_stop,
	.restart = streams_restart,
	.retire = streams_retire,
	.destroy = streams_destroy,
};
