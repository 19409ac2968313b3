/* SPDX-License-Identifier: MIT */
/*
 * Events: marks in streams. Recording puts a timed release of the event's semaphore into the
 * stream; other streams wait for its value on the GPU, threads wait for it on the CPU. A
 * semaphore's values must come in order, so a record that overtakes an older, pending one of the
 * same event on another stream waits for that first.
 */
#include <stdlib.h>
#include "libsov/runtime.h"

static void event_free(struct object *o)
{
	struct event *e = (struct event *)o;
	struct context *c = e->member.context;

	pthread_mutex_lock(&c->lock);
	list_remove(&e->member.link);
	semaphore_destroy(c, e->semaphore);
	pthread_mutex_unlock(&c->lock);
	free(e);
	object_put(&c->object);
}

void event_restart(struct event *e)
{
	if (e->recorded && !semaphore_reached(e->semaphore, e->value))
		e->recorded = false;
}

static sov_result event_create(struct context *c, struct event **out)
{
	struct event *e = calloc(1, sizeof(*e));
	sov_result r;

	if (!e)
		return refuse(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for an event");
	r = semaphore_create(c, &e->semaphore);
	if (!r) {
		r = member_publish(&e->member, c, &c->events, OBJECT_EVENT, event_free);
		if (r)
			semaphore_destroy(c, e->semaphore);
	}
	if (r)
		free(e);
	else
		*out = e;
	return r;
}

sov_result sov_event_create(sov_context context, uint32_t flags, sov_event *event)
{
	struct context *c;
	struct event *e = NULL;
	sov_result r;

	if (!event || flags)
		return event ? refuse(SOV_ERROR_INVALID_ARGUMENT, "flags is 0x%x; none is known",
				      flags)
			     : refuse(SOV_ERROR_INVALID_ARGUMENT, "event is NULL");
	c = context_enter(context, &r);
	if (!c)
		return r;
	r = event_create(c, &e);
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

static sov_result check_recorded(const struct event *e, const char *what)
{
	return e->recorded ? SOV_OK
			   : refuse(SOV_ERROR_INVALID_ARGUMENT, "%s was never recorded", what);
}

/* Later work on the stream waits for the value. */
static sov_result wait_for(struct stream *s, const struct semaphore *semaphore, uint32_t value)
{
	struct slot slot;
	sov_result r = stream_begin(s, &slot);

	if (r)
		return r;
	nv_push_acquire(&slot.push, semaphore->va, value);
	return stream_submit(s, &slot, WORK_WAIT, NULL);
}

static sov_result record(struct event *e, struct stream *s)
{
	struct semaphore *semaphore = e->semaphore;
	sov_result r = SOV_OK;
	struct slot slot;
	uint32_t before;

	/* Again, if another thread has recorded the event while this one waited for a slot. */
	do {
		before = semaphore->value;
		if (!semaphore_reached(semaphore, before))
			r = wait_for(s, semaphore, before);
		if (!r)
			r = stream_begin(s, &slot);
	} while (!r && semaphore->value != before);
	if (r)
		return r;
	e->value = ++semaphore->value;
	e->recorded = true;
	nv_push_release(&slot.push, semaphore->va, e->value, true);
	return stream_submit(s, &slot, WORK_RECORD, NULL);
}

sov_result sov_event_record(sov_event event, sov_stream stream)
{
	sov_result r;
	struct event *e = member_enter(event, OBJECT_EVENT, &r);
	struct stream *s;

	if (!e)
		return r;
	s = stream_find(e->member.context, stream);
	if (!s)
		return member_leave(e, SOV_ERROR_INVALID_HANDLE);
	r = record(e, s);
	r = member_leave(e, r);
	object_put(&s->member.object);
	return r;
}

sov_result sov_stream_wait_event(sov_stream stream, sov_event event)
{
	sov_result r;
	struct stream *s = member_enter(stream, OBJECT_STREAM, &r);
	struct event *e;

	if (!s)
		return r;
	e = object_get(event, OBJECT_EVENT);
	if (!e)
		return member_leave(s, SOV_ERROR_INVALID_HANDLE);
	if (e->member.context != s->member.context)
		r = refuse(SOV_ERROR_INVALID_HANDLE, "the event belongs to another context");
	else
		r = check_recorded(e, "the event");
	if (!r)
		r = wait_for(s, e->semaphore, e->value);
	r = member_leave(s, r);
	object_put(&e->member.object);
	return r;
}

struct mark {
	const struct event *event;
	uint32_t value;
};

static bool mark_reached(const void *arg)
{
	const struct mark *m = arg;

	return semaphore_reached(m->event->semaphore, m->value);
}

sov_result sov_event_wait(sov_event event, uint64_t limit)
{
	sov_result r = check_limit(limit);
	struct event *e = r ? NULL : member_enter(event, OBJECT_EVENT, &r);
	struct mark m;

	if (!e)
		return r;
	r = check_recorded(e, "the event");
	if (!r) {
		m = (struct mark){e, e->value};
		r = context_block(e->member.context, mark_reached, &m, limit);
	}
	return member_leave(e, r);
}

static sov_result elapsed(const struct event *from, const struct event *to, uint64_t *nanoseconds)
{
	sov_result r = check_recorded(from, "event from");
	uint64_t start, end;

	if (!r)
		r = check_recorded(to, "event to");
	if (r)
		return r;
	if (!semaphore_reached(from->semaphore, from->value) ||
	    !semaphore_reached(to->semaphore, to->value))
		return SOV_NOT_READY;
	start = __atomic_load_n(from->semaphore->time, __ATOMIC_RELAXED);
	end = __atomic_load_n(to->semaphore->time, __ATOMIC_RELAXED);
	if (end < start)
		return refuse(SOV_ERROR_INVALID_ARGUMENT,
			      "event to was reached %llu ns before event from",
			      (unsigned long long)(start - end));
	*nanoseconds = end - start;
	return SOV_OK;
}

sov_result sov_event_elapsed(sov_event from, sov_event to, uint64_t *nanoseconds)
{
	sov_result r;
	struct event *a, *b;

	if (!nanoseconds)
		return refuse(SOV_ERROR_INVALID_ARGUMENT, "nanoseconds is NULL");
	a = member_enter(from, OBJECT_EVENT, &r);
	if (!a)
		return r;
	b = object_get(to, OBJECT_EVENT);
	if (!b)
		return member_leave(a, SOV_ERROR_INVALID_HANDLE);
	if (b->member.context != a->member.context)
		r = refuse(SOV_ERROR_INVALID_HANDLE, "the events belong to different contexts");
	else
		r = elapsed(a, b, nanoseconds);
	r = member_leave(a, r);
	object_put(&b->member.object);
	return r;
}
