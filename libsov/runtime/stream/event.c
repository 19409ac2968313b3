/* SPDX-License-Identifier: MIT */
/*
 * Events: marks in streams. Recording puts a timed release of the event's semaphore into the
 * stream; other streams wait for its value on the GPU, threads wait for it on the CPU. A
 * semaphore's values must come in order, so a record that overtakes an older, pending one of the
 * same event on another stream waits for that first.
 *
 * An event without time needs none of this: a record notes how far its stream is, and whoever waits
 * for it waits for the stream's own semaphore.
 *
 * Records of one event take value and place in the stream together, under a lock of the event's
 * own; otherwise two of them could wait for each other. Nothing here takes the context's lock.
 */
#include <stdlib.h>
#include "libsov/runtime/runtime.h"

static void event_free(struct object *o)
{
	struct event *e = (struct event *)o;
	struct context *c = e->member.context;

	pthread_mutex_lock(&c->lock);
	list_remove(&e->member.link);
	if (!e->timeless)
		semaphore_destroy(c, e->semaphore);
	pthread_mutex_unlock(&c->lock);
	pthread_mutex_destroy(&e->recording);
	free(e->captured);
	free(e);
	object_put(&c->object);
}

/* With all gates closed. */
void event_restart(struct event *e)
{
	uint64_t mark = atomic_load(&e->mark);

	if (mark && !semaphore_reached(e->semaphore, (uint32_t)mark))
		atomic_store(&e->mark, 0);
}

static sov_result event_create(struct context *c, bool timeless, struct event **out)
{
	struct event *e = calloc(1, sizeof(*e));
	sov_result r;

	if (!e)
		return refuse(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for an event");
	pthread_mutex_init(&e->recording, NULL);
	e->timeless = timeless;
	r = timeless ? SOV_OK : semaphore_create(c, &e->semaphore);
	if (!r) {
		r = member_publish(&e->member, c, &c->events, OBJECT_EVENT, event_free);
		if (r && !timeless)
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

sov_result sov_event_create(sov_context context, uint32_t flags, sov_event *event)
{
	struct context *c;
	struct event *e = NULL;
	sov_result r;

	if (!event || flags & ~SOV_EVENT_DISABLE_TIMING)
		return event ? refuse(SOV_ERROR_INVALID_ARGUMENT,
				      "flags is 0x%x; known: SOV_EVENT_DISABLE_TIMING", flags)
			     : refuse(SOV_ERROR_INVALID_ARGUMENT, "event is NULL");
	c = context_enter(context, &r);
	if (!c)
		return r;
	r = event_create(c, flags & SOV_EVENT_DISABLE_TIMING, &e);
	if (!r)
		*event = object_handle(&e->member.object);
	return context_leave(c, r);
}

sov_result sov_event_destroy(sov_event event)
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

/* What its last record is reached by. A context's own error comes before that there was none. */
struct reached {
	const struct semaphore *semaphore;
	uint32_t value;
};

static sov_result last_record(struct event *e, const char *what, struct reached *out)
{
	uint64_t mark;
	sov_result r;

	if (e->timeless)
		pthread_mutex_lock(&e->recording);
	mark = atomic_load_explicit(&e->mark, memory_order_acquire);
	out->semaphore = e->semaphore;
	out->value = (uint32_t)mark;
	if (e->timeless)
		pthread_mutex_unlock(&e->recording);
	r = mark ? SOV_OK : context_status(e->member.context);
	if (r || mark)
		return r;
	return refuse(SOV_ERROR_INVALID_ARGUMENT, "%s was never recorded; sov_event_record does",
		      what);
}

/* A stream's semaphore goes on counting when the stream is gone, so it may be looked at for ever. */
static sov_result note(struct event *e, struct stream *s)
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

static sov_result record(struct event *e, struct stream *s)
{
	struct semaphore *semaphore = e->semaphore;
	struct slot slot;
	sov_result r = SOV_OK;

	pthread_mutex_lock(&e->recording);
	if (!semaphore_reached(semaphore, semaphore->value))
		r = stream_acquire(s, semaphore, semaphore->value);
	if (!r)
		r = semaphore_renew(s->member.context, semaphore);
	if (!r)
		r = stream_begin(s, ENGINE_COMPUTE, WORK_RECORD, &slot);
	if (!r) {
		semaphore->value++;
		atomic_store_explicit(&e->mark, EVENT_RECORDED | semaphore->value,
				      memory_order_release);
		s->member.context->gpu->release(&slot.push, semaphore->va, semaphore->value,
						GPU_RELEASE_TIMESTAMP |
							(slot.beside ? GPU_RELEASE_NO_WAIT : 0));
		stream_submit(s, &slot);
	}
	pthread_mutex_unlock(&e->recording);
	return r;
}

sov_result sov_event_record(sov_event event, sov_stream stream)
{
	struct event *e = object_get(event, OBJECT_EVENT);
	sov_result r = SOV_ERROR_INVALID_HANDLE;
	struct stream *s;

	if (!e)
		return r;
	s = stream_find(e->member.context, stream);
	if (s) {
		if (!graph_capturing(s))
			atomic_store_explicit(&e->captured_in, 0, memory_order_relaxed);
		r = graph_capturing(s) ? graph_capture_record(s, e)
		    : e->timeless      ? note(e, s)
				       : record(e, s);
		object_put(&s->member.object);
	}
	object_put(&e->member.object);
	return r;
}

/* Later work on the stream waits for the event's last record. */
static sov_result wait_for(struct stream *s, struct event *e)
{
	struct reached at;
	sov_result r = last_record(e, "the event", &at);

	return r ? r : stream_acquire(s, at.semaphore, at.value);
}

sov_result sov_stream_wait_event(sov_stream stream, sov_event event)
{
	struct stream *s = object_get(stream, OBJECT_STREAM);
	sov_result r = SOV_ERROR_INVALID_HANDLE;
	struct event *e;

	if (!s)
		return r;
	e = object_get(event, OBJECT_EVENT);
	if (e) {
		if (e->member.context != s->member.context)
			refuse(r, "the event belongs to another context");
		else if (atomic_load_explicit(&e->captured_in, memory_order_relaxed))
			r = graph_capture_wait(s, e);
		else if (graph_capturing(s))
			refuse(r = SOV_ERROR_UNSUPPORTED,
			       "a stream that is captured waits for events of its capture only; "
			       "record one there");
		else
			r = wait_for(s, e);
		object_put(&e->member.object);
	}
	object_put(&s->member.object);
	return r;
}

sov_result sov_event_wait(sov_event event, uint64_t limit)
{
	sov_result r = check_limit(limit);
	struct event *e = r ? NULL : object_get(event, OBJECT_EVENT);
	struct reached at;

	if (!e)
		return r ? r : SOV_ERROR_INVALID_HANDLE;
	r = last_record(e, "the event", &at);
	if (!r)
		r = semaphore_wait(e->member.context, at.semaphore, at.value, limit, NULL);
	object_put(&e->member.object);
	return r;
}

static sov_result elapsed(struct event *from, struct event *to, uint64_t *nanoseconds)
{
	struct reached a, b;
	sov_result r = last_record(from, "event from", &a);
	uint64_t start, end;

	if (!r && (from->timeless || to->timeless))
		r = refuse(SOV_ERROR_INVALID_ARGUMENT,
			   "event %s was made with SOV_EVENT_DISABLE_TIMING; make it without",
			   from->timeless ? "from" : "to");
	if (!r)
		r = last_record(to, "event to", &b);
	if (r)
		return r;
	if (!semaphore_reached(a.semaphore, a.value) || !semaphore_reached(b.semaphore, b.value))
		return SOV_NOT_READY;
	start = semaphore_time(from->member.context, from->semaphore);
	end = semaphore_time(to->member.context, to->semaphore);
	if (end < start)
		return refuse(SOV_ERROR_INVALID_ARGUMENT,
			      "event to was reached %llu ns before event from; give them the other "
			      "way round",
			      (unsigned long long)(start - end));
	*nanoseconds = end - start;
	return SOV_OK;
}

sov_result sov_event_elapsed(sov_event from, sov_event to, uint64_t *nanoseconds)
{
	sov_result r = SOV_ERROR_INVALID_HANDLE;
	struct event *a, *b;

	if (!nanoseconds)
		return refuse(SOV_ERROR_INVALID_ARGUMENT, "nanoseconds is NULL");
	a = object_get(from, OBJECT_EVENT);
	if (!a)
		return r;
	b = object_get(to, OBJECT_EVENT);
	if (b) {
		if (b->member.context != a->member.context)
			refuse(r, "the events belong to different contexts");
		else
			r = context_status(a->member.context);
		if (!r)
			r = elapsed(a, b, nanoseconds);
		object_put(&b->member.object);
	}
	object_put(&a->member.object);
	return r;
}
