/* SPDX-License-Identifier: MIT */
/*
 * Semaphores: how the CPU learns what the GPU has done. Each lies in system memory, which the CPU
 * polls cheaply, on a cache line of its own. Values only grow (and wrap), also when a semaphore
 * goes to a new owner.
 */
#include <stdlib.h>
#include "libsov/runtime/runtime.h"

#define STRIDE 64

struct semaphore_page {
	struct semaphore_page *next;
	struct buffer *buffer;
	uint32_t count;
	struct semaphore semaphores[];
};

static sov_result page_create(struct context *c)
{
	uint32_t count = c->device->info.page_bytes / STRIDE, i;
	struct semaphore_page *page;
	struct buffer *buffer;
	/* Some hosts have 40 bits for a semaphore's address. */
	sov_result r =
		buffer_create_mapped(c, WINSYS_SYSTEM, true, c->device->info.page_bytes, &buffer);

	if (r)
		return r;
	page = calloc(1, sizeof(*page) + count * sizeof(*page->semaphores));
	if (!page) {
		buffer_destroy(c, buffer);
		return refuse(SOV_ERROR_OUT_OF_HOST_MEMORY, "no memory for semaphores");
	}
	page->buffer = buffer;
	page->count = count;
	page->next = c->semaphore_pages;
	c->semaphore_pages = page;
	for (i = 0; i < count; i++) {
		struct semaphore *s = &page->semaphores[i];
		uint8_t *cpu = (uint8_t *)buffer->cpu + i * STRIDE;

		s->va = buffer->va + i * STRIDE;
		s->payload = (uint32_t *)cpu;
		s->time = (uint64_t *)(cpu + GPU_TIMESTAMP_OFFSET);
		__atomic_store_n(s->payload, 0, __ATOMIC_RELEASE);
		s->next_free = c->free_semaphores;
		c->free_semaphores = s;
	}
	return SOV_OK;
}

/* One that nobody will release any more: its former owner may have been destroyed before. */
static struct semaphore *take_quiet(struct context *c)
{
	struct semaphore **p, *s;

	for (p = &c->free_semaphores; (s = *p); p = &s->next_free)
		if (semaphore_reached(s, s->value)) {
			*p = s->next_free;
			break;
		}
	return s;
}

sov_result semaphore_create(struct context *c, struct semaphore **out)
{
	sov_result r = SOV_OK;

	*out = take_quiet(c);
	if (!*out) {
		r = page_create(c);
		if (!r)
			*out = take_quiet(c);
	}
	return r;
}

void semaphore_destroy(struct context *c, struct semaphore *s)
{
	s->next_free = c->free_semaphores;
	c->free_semaphores = s;
}

uint32_t semaphore_read(const struct semaphore *s)
{
	return __atomic_load_n(s->payload, __ATOMIC_ACQUIRE);
}

bool semaphore_reached(const struct semaphore *s, uint32_t value)
{
	return (int32_t)(semaphore_read(s) - value) >= 0;
}

/* Nothing runs, so nobody waits for it any more, and it may begin anew. */
static sov_result begin_anew(struct context *c, void *arg)
{
	struct semaphore *s = arg;

	(void)c;
	__atomic_store_n(s->payload, 0, __ATOMIC_RELEASE);
	s->value = 0;
	return SOV_OK;
}

static bool at_its_end(struct context *c, void *arg)
{
	(void)c;
	return ((const struct semaphore *)arg)->value == UINT32_MAX;
}

sov_result semaphore_renew(struct context *c, struct semaphore *s)
{
	if (!c->gpu->acquire_compares_unsigned || s->value != UINT32_MAX)
		return SOV_OK;
	return context_settle(c, at_its_end, begin_anew, s);
}

uint64_t semaphore_time(const struct context *c, const struct semaphore *s)
{
	return c->gpu->ticks_to_ns(c->chip, __atomic_load_n(s->time, __ATOMIC_RELAXED));
}

void semaphores_release(struct context *c)
{
	struct semaphore_page *page;
	uint32_t i;

	for (page = c->semaphore_pages; page; page = page->next)
		for (i = 0; i < page->count; i++)
			__atomic_store_n(page->semaphores[i].payload, page->semaphores[i].value,
					 __ATOMIC_RELEASE);
}

void semaphores_free(struct context *c)
{
	struct semaphore_page *page;

	while ((page = c->semaphore_pages)) {
		c->semaphore_pages = page->next;
		buffer_destroy(c, page->buffer);
		free(page);
	}
}
