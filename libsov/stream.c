/* SPDX-License-Identifier: MIT */
/*
 * Streams: work in order. A stream is a queue of the context's group with memory for STREAM_SLOTS
 * pieces of work. Piece n is written into slot n % STREAM_SLOTS (launch descriptor, constant bank,
 * methods), announced by one ring entry, and ends by releasing n to the stream's semaphore. So one
 * number says it all: a piece is done when the semaphore has reached it, and a slot and its ring
 * entry are free again when the piece that used them is done.
 *
 * Order: work other than a copy ends with a release that waits for idle; a copy releases by itself,
 * and the piece behind it begins by waiting for that.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libsov/runtime.h"

#define RING_BYTES (STREAM_SLOTS * NV_GP_ENTRY_BYTES)
#define RING_SPACE 4096u
/* Work that is no kernel should not take long, but may stand behind another context's work. */
#define OTHER_TIME_LIMIT UINT64_C(60000000000)

static_assert(RING_BYTES <= RING_SPACE, "the ring lies before the slots");

static const char *const work_names[] = {
	[WORK_SETUP] = "setting up a stream", [WORK_KERNEL] = "a kernel",
	[WORK_COPY] = "a copy or fill",	      [WORK_RECORD] = "recording an event",
	[WORK_WAIT] = "waiting for an event",
};

static uint32_t slot_of(uint64_t number)
{
	return (uint32_t)(number % STREAM_SLOTS);
}

void stream_poll(struct stream *s)
{
	/* The semaphore holds the low half of the number. */
	uint32_t ahead = semaphore_read(s->done) - (uint32_t)s->completed;

	if (ahead && ahead <= s->submitted - s->completed) {
		s->completed += ahead;
		s->head_since = now_ns();
	}
}

bool stream_overdue(const struct stream *s, sov_fault *f)
{
	uint64_t limit = s->member.context->kernel_time_limit, ran;
	const struct function *function;
	uint32_t head = slot_of(s->completed + 1);
	enum work kind = s->work[head].kind;

	/* What a wait for an event waits for is work with a limit of its own. */
	if (s->completed == s->submitted || kind == WORK_WAIT)
		return false;
	ran = now_ns() - s->head_since;
	if (kind != WORK_KERNEL && limit < OTHER_TIME_LIMIT)
		limit = OTHER_TIME_LIMIT;
	if (ran <= limit)
		return false;
	function = s->work[head].function;
	fault_init(f, kind == WORK_KERNEL ? SOV_ERROR_HANG : SOV_ERROR_DEVICE_LOST, function);
	snprintf(f->cause, sizeof(f->cause), "%s did not end within its limit of %llu.%03llu s",
		 kind == WORK_KERNEL ? "it" : work_names[kind],
		 (unsigned long long)(limit / 1000000000),
		 (unsigned long long)(limit / 1000000 % 1000));
	return true;
}

static bool slot_free(const void *arg)
{
	const struct stream *s = arg;

	/* One entry of a ring stays empty: put equal to get means that there is nothing. */
	return s->submitted - s->completed < STREAM_SLOTS - 1;
}

sov_result stream_begin(struct stream *s, struct slot *slot)
{
	sov_result r = context_block(s->member.context, slot_free, s, SOV_MAX_WAIT);
	uint64_t offset;

	if (r)
		return r;
	if (s->closed)
		return refuse(SOV_ERROR_INVALID_HANDLE,
			      "another thread destroyed the stream meanwhile");
	offset = RING_SPACE + (uint64_t)slot_of(s->submitted + 1) * STREAM_SLOT_BYTES;
	slot->cpu = (uint8_t *)s->commands->cpu + offset;
	slot->va = s->commands->va + offset;
	slot->push = (struct nv_push){
		.words = (uint32_t *)(slot->cpu + STREAM_SLOT_PUSH),
		.capacity = (STREAM_SLOT_BYTES - STREAM_SLOT_PUSH) / sizeof(uint32_t),
	};
	if (s->last == WORK_COPY)
		nv_push_acquire(&slot->push, s->done->va, (uint32_t)s->submitted);
	return SOV_OK;
}

sov_result stream_submit(struct stream *s, struct slot *slot, enum work kind,
			 const struct function *f)
{
	struct context *c = s->member.context;
	uint64_t number = s->submitted + 1;
	uint32_t put = __atomic_load_n(s->memory.put, __ATOMIC_RELAXED);

	if (kind != WORK_COPY)
		nv_push_release(&slot->push, s->done->va, (uint32_t)number, false);
	if (slot->push.overflow)
		return refuse(SOV_ERROR_INTERNAL, "%s needs more methods than a slot holds",
			      work_names[kind]);
	s->work[slot_of(number)].kind = kind;
	s->work[slot_of(number)].function = f;
	s->work[slot_of(number)].ticket = ++c->ticket;
	if (s->completed == s->submitted)
		s->head_since = now_ns();
	s->submitted = number;
	s->done->value = (uint32_t)number;
	s->last = kind;
	s->memory.ring[put] = nv_gp_entry_pack(slot->va + STREAM_SLOT_PUSH, slot->push.count);
	winsys_write_barrier();
	__atomic_store_n(s->memory.put, (put + 1) % STREAM_SLOTS, __ATOMIC_RELEASE);
	winsys_write_barrier();
	c->winsys->doorbell(s->queue);
	return SOV_OK;
}

struct target {
	const struct stream *stream;
	uint64_t number;
};

static bool target_reached(const void *arg)
{
	const struct target *t = arg;

	return t->stream->completed >= t->number;
}

sov_result stream_wait_for(struct stream *s, uint64_t number, uint64_t limit)
{
	struct target t = {s, number};

	return context_block(s->member.context, target_reached, &t, limit);
}

void stream_stop(struct stream *s)
{
	if (s->queue)
		s->member.context->winsys->queue_destroy(s->queue);
	s->queue = NULL;
}

sov_result stream_restart(struct stream *s)
{
	struct context *c = s->member.context;
	struct winsys_queue_options options = {
		.engine = WINSYS_COMPUTE,
		.ring = s->commands->backing,
		.ring_va = s->commands->va,
		.ring_entries = STREAM_SLOTS,
	};
	struct slot slot;
	sov_result r;

	if (c->winsys->queue_create(c->group, &options, &s->queue))
		return refuse(SOV_ERROR_DEVICE_LOST, "%s gave no queue for a stream",
			      c->device->properties.name);
	c->winsys->queue_memory(s->queue, &s->memory);
	s->half_busy[0] = s->half_busy[1] = 0;
	s->code_writes = 0;
	s->last = WORK_SETUP;
	r = stream_begin(s, &slot);
	if (r)
		return r;
	nv_push_setup(&slot.push, &c->chip);
	return stream_submit(s, &slot, WORK_SETUP, NULL);
}

static void stream_free(struct object *o)
{
	struct stream *s = (struct stream *)o;
	struct context *c = s->member.context;

	pthread_mutex_lock(&c->lock);
	list_remove(&s->member.link);
	stream_stop(s);
	if (s->staging)
		buffer_destroy(c, s->staging);
	buffer_destroy(c, s->commands);
	semaphore_destroy(c, s->done);
	pthread_mutex_unlock(&c->lock);
	pthread_mutex_destroy(&s->host_copies);
	free(s);
	object_put(&c->object);
}

sov_result stream_create(struct context *c, struct stream **out)
{
	struct stream *s = calloc(1, sizeof(*s));
	sov_result r;

	if (!s)
		return refuse(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a stream");
	r = semaphore_create(c, &s->done);
	if (r)
		goto no_semaphore;
	/* A semaphore's new owner goes on counting where the old one stopped. */
	s->submitted = s->completed = s->done->value;
	r = buffer_create_mapped(c, WINSYS_VRAM, true,
				 RING_SPACE + STREAM_SLOTS * STREAM_SLOT_BYTES, &s->commands);
	if (r)
		goto no_commands;
	r = member_publish(&s->member, c, &c->streams, OBJECT_STREAM, stream_free);
	if (r)
		goto no_handle;
	pthread_mutex_init(&s->host_copies, NULL);
	r = stream_restart(s);
	if (r)
		goto no_queue;
	*out = s;
	return SOV_OK;

no_queue:
	if (object_retire(&s->member.object)) {
		pthread_mutex_unlock(&c->lock);
		object_put(&s->member.object);
		pthread_mutex_lock(&c->lock);
	}
	return r;
no_handle:
	buffer_destroy(c, s->commands);
no_commands:
	semaphore_destroy(c, s->done);
no_semaphore:
	free(s);
	return r;
}

struct stream *stream_find(struct context *c, sov_stream handle)
{
	struct stream *s = c->first;

	if (!handle) {
		object_reference(&s->member.object);
		return s;
	}
	s = object_get(handle, OBJECT_STREAM);
	if (s && s->member.context != c) {
		/* The other context's lock is not held, and none of its objects is freed under
		 * ours. */
		pthread_mutex_unlock(&c->lock);
		object_put(&s->member.object);
		pthread_mutex_lock(&c->lock);
		refuse(SOV_ERROR_INVALID_HANDLE, "the stream belongs to another context");
		return NULL;
	}
	return s;
}

sov_result sov_stream_create(sov_context context, uint32_t flags, sov_stream *stream)
{
	struct context *c;
	struct stream *s;
	sov_result r;

	if (!stream || flags)
		return stream ? refuse(SOV_ERROR_INVALID_ARGUMENT, "flags is 0x%x; none is known",
				       flags)
			      : refuse(SOV_ERROR_INVALID_ARGUMENT, "stream is NULL");
	c = context_enter(context, &r);
	if (!c)
		return r;
	r = stream_create(c, &s);
	if (!r)
		*stream = object_handle(&s->member.object);
	return context_leave(c, r);
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
	if (s == c->first)
		return member_leave(
			s, refuse(SOV_ERROR_INVALID_ARGUMENT,
				  "the context's first stream is destroyed with its context"));
	if (s->closed)
		return member_leave(
			s, refuse(SOV_ERROR_BUSY, "another thread is destroying the stream"));
	s->closed = true;
	if (!r) {
		r = stream_wait_for(s, s->submitted, SOV_MAX_WAIT);
		keep = r == SOV_ERROR_TIMEOUT;
	}
	s->closed = !keep;
	pthread_mutex_unlock(&c->lock);
	if (!keep && object_retire(&s->member.object))
		object_put(&s->member.object);
	object_put(&s->member.object);
	return r;
}

sov_result sov_stream_wait(sov_stream stream, uint64_t limit)
{
	sov_result r = check_limit(limit);
	struct stream *s = r ? NULL : member_enter(stream, OBJECT_STREAM, &r);

	return s ? member_leave(s, stream_wait_for(s, s->submitted, limit)) : r;
}
