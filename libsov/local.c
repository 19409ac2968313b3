/* SPDX-License-Identifier: MIT */
/*
 * Local memory: each thread's own, for its stack and what does not fit its registers. The hardware
 * gives every thread that can be resident its part of one area, so the area has to be there before
 * the first launch that needs one, and is as large as the hungriest kernel so far asks for times
 * the threads of the whole GPU. A context has one area. To replace it by a larger one, all its
 * streams are emptied first, because what runs uses the old one; CUDA does the same.
 */
#include "libsov/runtime.h"

struct want {
	const struct function *function;
	struct gpu_local need;
};

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
static sov_result replace(struct context *c, void *arg)
{
	const struct gpu_local *need = &((const struct want *)arg)->need;
	struct local_memory *l = &c->local;
	sov_result r;

	if (need->bytes > c->device->info.memory_bytes)
		return refuse_too_much(c, ((const struct want *)arg)->function, need->bytes);
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

static bool wanted(struct context *c, void *arg)
{
	return ((const struct want *)arg)->need.thread_bytes > c->local.has.thread_bytes;
}

sov_result local_reserve(struct context *c, const struct function *f)
{
	struct want want = {f, c->gpu->local(c->chip, f->plan.local_bytes)};

	return context_settle(c, wanted, replace, &want);
}
