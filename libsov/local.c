/* SPDX-License-Identifier: MIT */
/*
 * Local memory: each thread's own, for its stack and what does not fit its registers. The hardware
 * gives every thread that can be resident its part of one area, so the area has to be there before
 * the first launch that needs one, and is as large as the hungriest kernel so far asks for times
 * the threads of the whole GPU. A context has one area. To replace it by a larger one, all its
 * streams are emptied first, because what runs uses the old one; CUDA does the same.
 */
#include "libsov/runtime.h"

static sov_result refuse_too_much(const struct context *c, const struct function *f, uint64_t bytes)
{
	return refuse(SOV_ERROR_OUT_OF_MEMORY,
		      "kernel '%s' needs %u bytes of local memory a thread: %llu bytes for all "
		      "threads that %s can hold, and it has %llu in all",
		      f->kernel->name, f->plan.local_bytes, (unsigned long long)bytes,
		      c->device->properties.name,
		      (unsigned long long)c->device->info.memory_bytes);
}

/* With the lock held, all gates closed and all streams empty. The old area goes first: two at a
 * time may be too much. */
static sov_result replace(struct context *c, const struct function *f, const struct gpu_local *need)
{
	struct local_memory *l = &c->local;
	sov_result r;

	if (need->bytes > c->device->info.memory_bytes)
		return refuse_too_much(c, f, need->bytes);
	if (l->area)
		buffer_destroy(c, l->area);
	l->area = NULL;
	l->has.thread_bytes = 0;
	r = buffer_create(c, WINSYS_VRAM, false, need->bytes, &l->area);
	if (r)
		return r;
	l->has = *need;
	l->has.address = l->area->va;
	l->serial++;
	return SOV_OK;
}

static struct stream *stream_of(struct link *l)
{
	return (struct stream *)((char *)l - offsetof(struct stream, member.link));
}

static void close_all(struct context *c)
{
	struct link *l;

	for (l = c->streams.next; l != &c->streams; l = l->next)
		gate_close(&stream_of(l)->gate);
}

/* On a failed context they stay closed. */
static void open_all(struct context *c)
{
	struct link *l;

	for (l = c->streams.next; c->group && l != &c->streams; l = l->next)
		if (!stream_of(l)->closed)
			gate_open(&stream_of(l)->gate);
}

static bool settled(void *arg)
{
	struct context *c = arg;
	struct link *l;

	for (l = c->streams.next; l != &c->streams; l = l->next)
		if (stream_poll(stream_of(l)) != stream_last(stream_of(l)))
			return false;
	return true;
}

sov_result local_reserve(struct context *c, const struct function *f)
{
	struct gpu_local need = c->gpu->local(c->chip, f->plan.local_bytes);
	sov_result r;

	pthread_mutex_lock(&c->lock);
	r = context_check(c);
	while (!r && need.thread_bytes > c->local.has.thread_bytes) {
		/* Again after each wait, which lets go of the lock: there may be new streams. */
		close_all(c);
		if (settled(c)) {
			r = replace(c, f, &need);
			break;
		}
		r = context_block(c, settled, c, SOV_MAX_WAIT);
	}
	open_all(c);
	pthread_mutex_unlock(&c->lock);
	return r;
}
