/* SPDX-License-Identifier: MIT */
/*
 * Local memory: each thread's own, for its stack and what does not fit its registers. The hardware
 * gives every thread that can be resident its part of one area, so the area has to be there before
 * the first launch that needs one, and is as large as the hungriest kernel so far asks for times
 * the threads of the whole GPU. A context has one area, of which each stream has a part
 * where queues give it out without a look at each other (local_in_launch). To replace it by a larger one, all its
 * streams are emptied first, because what runs uses the old one; CUDA does the same.
 */
#include "libsov/runtime/runtime.h"

struct want {
	const struct function *function;
	struct gpu_local need; /* of a queue */
	uint32_t queues;
};

static sov_result refuse_too_much(const struct context *c, const struct function *f, uint64_t bytes)
{
	return refuse(SOV_ERROR_OUT_OF_MEMORY,
		      "kernel '%s' needs %u bytes of local memory a thread: %llu bytes for all "
		      "threads that %s can hold, and it has %llu in all",
		      f->kernel->name, f->plan.local_bytes, (unsigned long long)bytes,
		      c->device->properties.name, (unsigned long long)c->device->info.memory_bytes);
}

/* With the lock held, all gates closed and all streams empty. The old area goes first: two at a
 * time may be too much. */
static sov_result replace(struct context *c, void *arg)
{
	const struct gpu_local *need = &((const struct want *)arg)->need;
	uint32_t queues = ((const struct want *)arg)->queues;
	struct local_memory *l = &c->local;
	sov_result r;

	if (need->bytes > c->device->info.memory_bytes / queues)
		return refuse_too_much(c, ((const struct want *)arg)->function,
				       need->bytes * queues);
	if (l->area)
		buffer_destroy(c, l->area);
	l->area = NULL;
	l->has.thread_bytes = 0;
	r = buffer_create(c, WINSYS_VRAM, false, need->bytes * queues, &l->area);
	if (r)
		return r;
	l->has = *need;
	l->has.address = l->area->va;
	l->queues = queues;
	l->serial++;
	return SOV_OK;
}

static bool wanted(struct context *c, void *arg)
{
	const struct want *w = arg;

	return w->need.thread_bytes > c->local.has.thread_bytes || w->queues > c->local.queues;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

bool local_suffices(const struct stream *s, const struct function *f)
{
	const struct context *c = s->member.context;

	return f->plan.local_bytes <= c->local.has.thread_bytes &&
	       (!c->gpu->local_in_launch || s->index < c->local.queues);
}

struct gpu_local local_of(const struct stream *s)
{
	const struct context *c = s->member.context;
	struct gpu_local l = c->local.has;

	if (c->gpu->local_in_launch)
		l.address += s->index * l.bytes;
	return l;
}

/* As much a thread as there was, for as many queues. */
sov_result local_reserve(struct stream *s, const struct function *f)
{
	struct context *c = s->member.context;
	struct want want = {.function = f, .queues = 1};
	uint32_t had, queues;

	pthread_mutex_lock(&c->lock);
	had = c->local.has.thread_bytes;
	queues = c->local.queues;
	pthread_mutex_unlock(&c->lock);
	want.need = c->gpu->local_layout(c->chip, larger(f->plan.local_bytes, had));
	if (c->gpu->local_in_launch)
		want.queues = larger(larger(s->index + 1, queues), atomic_load(&c->stream_count));
	return context_settle(c, wanted, replace, &want);
}
