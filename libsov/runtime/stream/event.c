// SPDX-License-Identifier: MIT
/*
 * Events. A record adds a release with a time stamp of the event's semaphore to the stream; other
 * streams wait for its value on the GPU, threads wait on the CPU. A semaphore's values must be
 * released in order, so a record on one stream first waits for a pending record of the same event
 * on another.
 *
 * An event without timing needs no semaphore: a record notes the stream's last seqno, and waits are
 * for the stream's own semaphore.
 *
 * Records of one event take their value and their seqno under the event's recording lock; otherwise
 * two records could wait for each other. Nothing here takes the context's lock.
 */
#include <stdlib.h>
#include "libsov/runtime/base/api_calls.h"
#include "libsov/runtime/base/error.h"
#include "libsov/runtime/context/context_wait.h"
#include "libsov/runtime/stream/event.h"
#include "libsov/runtime/stream/stream.h"

static void event_free(struct object *o)
{
	struct event *e = (struct event *)o;
	struct context *c = e->member.context;

	pthread_mutex_lock(&c->lock);
	list_del(&e->member.link);
	if (!e->no_timing)
		semaphore_destroy(c, e->semaphore);
	pthread_mutex_unlock(&c->lock);
	pthread_mutex_destroy(&e->recording);
	free(e->captured);
	free(e);
	object_put(&c->object);
}

/* Records that a reset dropped count as never made. Called with all gates closed: they keep records
 * with time stamps out, which may hold their lock while they wait for a gate. Records without
 * timing pass no gate. */
static void event_forget_dropped(struct event *e)
{
	uint64_t mark;

	if (e->no_timing)
		pthread_mutex_lock(&e->recording);
	mark = atomic_load(&e->mark);
	if (mark && !semaphore_reached(e->semaphore, (uint32_t)mark))
		atomic_store(&e->mark, 0);
	if (e->no_timing)
		pthread_mutex_unlock(&e->recording);
}

static const struct member_ops event_member_ops = {
	.kind = OBJECT_EVENT,
	.destroy = event_free,
};

static sov_result event_create(struct context *c, bool no_timing, struct event **out)
{
	struct event *e = calloc(1, sizeof(*e));
	sov_result r;

	if (!e)
		return set_error(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for an event");
	pthread_mutex_init(&e->recording, NULL);
	e->no_timing = no_timing;
	r = no_timing ? SOV_OK : semaphore_create(c, &e->semaphore);
	if (!r) {
		r = member_publish(&e->member, c, &c->events, &event_member_ops);
		if (r && !no_timing)
			semaphore_destroy(c, e->semaphore);
	}
	if (r) {
		pthread_mutex_destroy(&e->recording);
		free(e);
	} else {
		*out = e;
	}
	return r;
}

sov_result api_event_create(sov_context context, uint32_t flags, sov_event *event)
{
	struct context *c;
	struct event *e = NULL;
	sov_result r;

	if (!event || flags & ~SOV_EVENT_DISABLE_TIMING)
		return event ? set_error(SOV_ERROR_INVALID_ARGUMENT,
					 "flags is 0x%x; known: SOV_EVENT_DISABLE_TIMING", flags)
			     : set_error(SOV_ERROR_INVALID_ARGUMENT, "event is NULL");
	c = context_enter(context, &r);
	if (!c)
		return r;
	r = event_create(c, flags & SOV_EVENT_DISABLE_TIMING, &e);
	if (!r)
		*event = object_handle(&e->member.object);
	return context_leave(c, r);
}

sov_result api_event_destroy(sov_event event)
{
	sov_result r;
	struct event *e = member_enter_failed(event, OBJECT_EVENT, &r);

	if (!e)
		return r;
	pthread_mutex_unlock(&e->member.context->lock);
	if (object_retire(&e->member.object))
		object_put(&e->member.object);
	object_put(&e->member.object);
	return r;
}

/* The semaphore value that the last record releases. The context's sticky error takes precedence
 * over "never recorded". */
struct event_target {
	const struct semaphore *semaphore;
	uint32_t value;
};

static sov_result event_last_record(struct event *e, const char *what, struct event_target *out)
{
	uint64_t mark;
	sov_result r;

	if (atomic_load_explicit(&e->captured_in, memory_order_relaxed))
		return set_error(SOV_ERROR_INVALID_ARGUMENT,
				 "%s was last recorded on a captured stream, which executes "
				 "nothing; launch the graph, then record it on that stream",
				 what);
	if (e->no_timing)
		pthread_mutex_lock(&e->recording);
	mark = atomic_load_explicit(&e->mark, memory_order_acquire);
	out->semaphore = e->semaphore;
	out->value = (uint32_t)mark;
	if (e->no_timing)
		pthread_mutex_unlock(&e->recording);
	r = mark ? SOV_OK : context_status(e->member.context);
	if (r || mark)
		return r;
	return set_error(SOV_ERROR_INVALID_ARGUMENT,
			 "%s was never recorded; call sov_event_record first", what);
}

/* The stream's semaphore stays valid, and keeps counting, after the stream is destroyed. */
static sov_result event_record_seqno(struct event *e, struct stream *s)
{
	struct context *c = s->member.context;
	sov_result r =
		atomic_load_explicit(&c->error, memory_order_relaxed) ? context_status(c) : SOV_OK;

	if (r)
		return r;
	pthread_mutex_lock(&e->recording);
	e->semaphore = s->done;
	atomic_store_explicit(&e->mark, EVENT_RECORDED | (uint32_t)stream_last(s),
			      memory_order_release);
	pthread_mutex_unlock(&e->recording);
	return SOV_OK;
}

static sov_result event_record_release(struct event *e, struct stream *s)
{
	struct semaphore *semaphore = e->semaphore;
	struct slot slot;
	sov_result r = SOV_OK;

	pthread_mutex_lock(&e->recording);
	if (!semaphore_reached(semaphore, semaphore->value))
		r = stream_acquire(s, semaphore, semaphore->value);
	if (!r)
		r = semaphore_prepare_next(s->member.context, semaphore);
	if (!r)
		r = stream_begin(s, ENGINE_COMPUTE, WORK_RECORD, &slot);
	if (!r) {
		semaphore->value++;
		atomic_store_explicit(&e->mark, EVENT_RECORDED | semaphore->value,
				      memory_order_release);
		s->member.context->gpu->release(
			&slot.push, semaphore->va, semaphore->value,
			GPU_RELEASE_TIMESTAMP | (slot.concurrent ? GPU_RELEASE_NO_WAIT : 0));
		stream_submit(s, &slot);
	}
	pthread_mutex_unlock(&e->recording);
	return r;
}

sov_result api_event_record(sov_event event, sov_stream stream)
{
	struct event *e = object_get(event, OBJECT_EVENT);
	sov_result r = SOV_ERROR_INVALID_HANDLE;
	struct stream *s;

	if (!e)
		return r;
	s = stream_find(e->member.context, stream);
	if (s) {
		if (!stream_captured(s))
			atomic_store_explicit(&e->captured_in, 0, memory_order_relaxed);
		r = stream_captured(s) ? stream_capture(s)->record(s, e)
		    : e->no_timing     ? event_record_seqno(e, s)
				       : event_record_release(e, s);
		object_put(&s->member.object);
	}
	object_put(&e->member.object);
	return r;
}

static sov_result stream_acquire_event(struct stream *s, struct event *e)
{
	struct event_target at;
	sov_result r = event_last_record(e, "the event", &at);

	return r ? r : stream_acquire(s, at.semaphore, at.value);
}

static sov_result stream_wait_for_event(struct stream *s, struct event *e)
{
	if (e->member.context != s->member.context)
		return set_error(SOV_ERROR_INVALID_HANDLE, "the event belongs to another context");
	if (atomic_load_explicit(&e->captured_in, memory_order_relaxed))
		return stream_capture(s)->wait(s, e);
	if (stream_captured(s))
		return set_error(SOV_ERROR_UNSUPPORTED,
				 "a captured stream can only wait for events of its capture; "
				 "record one there");
	return stream_acquire_event(s, e);
}

sov_result api_stream_wait_event(sov_stream stream, sov_event event)
{
	struct stream *s = stream ? object_get(stream, OBJECT_STREAM) : NULL;
	struct event *e = stream && !s ? NULL : object_get(event, OBJECT_EVENT);
	sov_result r = SOV_ERROR_INVALID_HANDLE;

	if (e && !stream)
		s = stream_find(e->member.context, NULL);
	if (e && s)
		r = stream_wait_for_event(s, e);
	if (s)
		object_put(&s->member.object);
	if (e)
		object_put(&e->member.object);
	return r;
}

sov_result api_event_wait(sov_event event, uint64_t timeout)
{
	struct event *e = object_get(event, OBJECT_EVENT);
	struct event_target at;
	sov_result r;

	if (!e)
		return SOV_ERROR_INVALID_HANDLE;
	r = event_last_record(e, "the event", &at);
	if (!r)
		r = semaphore_wait(e->member.context, at.semaphore, at.value, timeout, NULL, NULL);
	object_put(&e->member.object);
	return r;
}

static sov_result event_elapsed(struct event *from, struct event *to, uint64_t *nanoseconds)
{
	struct event_target a, b;
	sov_result r = event_last_record(from, "event from", &a);
	uint64_t start, end;

	if (!r && (from->no_timing || to->no_timing))
		r = set_error(
			SOV_ERROR_INVALID_ARGUMENT,
			"event %s was created with SOV_EVENT_DISABLE_TIMING; create it without",
			from->no_timing ? "from" : "to");
	if (!r)
		r = event_last_record(to, "event to", &b);
	if (r)
		return r;
	if (!semaphore_reached(a.semaphore, a.value) || !semaphore_reached(b.semaphore, b.value))
		return SOV_NOT_READY;
	start = semaphore_time(from->member.context, from->semaphore);
	end = semaphore_time(to->member.context, to->semaphore);
	if (end < start)
		return set_error(SOV_ERROR_INVALID_ARGUMENT,
				 "event to was reached %llu ns before event from; swap them",
				 (unsigned long long)(start - end));
	*nanoseconds = end - start;
	return SOV_OK;
}

sov_result api_event_elapsed(sov_event from, sov_event to, uint64_t *nanoseconds)
{
	sov_result r = SOV_ERROR_INVALID_HANDLE;
	struct event *a, *b;

	if (!nanoseconds)
		return set_error(SOV_ERROR_INVALID_ARGUMENT, "nanoseconds is NULL");
	a = object_get(from, OBJECT_EVENT);
	if (!a)
		return r;
	b = object_get(to, OBJECT_EVENT);
	if (b) {
		if (b->member.context != a->member.context)
			set_error(r, "the events belong to different contexts");
		else
			r = context_status(a->member.context);
		if (!r)
			r = event_elapsed(a, b, nanoseconds);
		object_put(&b->member.object);
	}
	object_put(&a->member.object);
	return r;
}

sov_result api_event_get_time(sov_event event, uint64_t *nanoseconds)
{
	struct event_target at;
	struct event *e;
	sov_result r;

	if (!nanoseconds)
		return set_error(SOV_ERROR_INVALID_ARGUMENT, "nanoseconds is NULL");
	e = object_get(event, OBJECT_EVENT);
	if (!e)
		return SOV_ERROR_INVALID_HANDLE;
	r = context_status(e->member.context);
	if (!r && e->no_timing)
		r = set_error(SOV_ERROR_INVALID_ARGUMENT,
			      "the event was created with SOV_EVENT_DISABLE_TIMING; create it "
			      "without");
	if (!r)
		r = event_last_record(e, "the event", &at);
	if (!r && !semaphore_reached(at.semaphore, at.value))
		r = SOV_NOT_READY;
	if (!r)
		*nanoseconds = semaphore_time(e->member.context, at.semaphore);
	object_put(&e->member.object);
	return r;
}

/* ---- hooks of the context ---- */

static sov_result events_restart(struct context *c)
{
	struct list_head *l;

	list_for_each(l, &c->events)
		event_forget_dropped(container_of(l, struct event, member.link));
	return SOV_OK;
}

static void events_retire(struct context *c, struct member **retired)
{
	context_retire_members(&c->events, retired);
}

const struct context_part event_part = {.restart = events_restart, .retire = events_retire};
