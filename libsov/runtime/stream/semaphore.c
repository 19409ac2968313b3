// SPDX-License-Identifier: MIT
/*
 * Semaphores: how the GPU reports progress to the CPU. They lie in system memory, which the CPU
 * polls cheaply, one per cache line. Values only grow (and wrap); a new owner continues where the
 * previous one stopped.
 */
#include <stdlib.h>
#include "libsov/runtime/base/error.h"
#include "libsov/runtime/context/context_wait.h"
#include "libsov/runtime/memory/buffer.h"
#include "libsov/runtime/stream/semaphore.h"

#define STRIDE 64 /* one per cache line */

struct semaphore_page {
	struct semaphore_page *next;
	struct buffer *buffer;
	uint32_t count;
	struct semaphore semaphores[];
};

static sov_result semaphore_page_create(struct context *c)
{
	uint32_t count = c->device->info.page_bytes / STRIDE, i;
	struct semaphore_page *page;
	struct buffer *buffer;
	/* Some channel classes have 40 bits for a semaphore's address. */
	sov_result r =
		buffer_create_mapped(c, WINSYS_SYSTEM, true, c->device->info.page_bytes, &buffer);

	if (r)
		return r;
	page = calloc(1, sizeof(*page) + count * sizeof(*page->semaphores));
	if (!page) {
		buffer_destroy(c, buffer);
		return set_error(SOV_ERROR_OUT_OF_HOST_MEMORY, "no memory for semaphores");
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

/* Takes a free semaphore with no release pending: the previous owner's work may still run. */
static struct semaphore *semaphore_take_quiet(struct context *c)
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

	*out = semaphore_take_quiet(c);
	if (!*out) {
		r = semaphore_page_create(c);
		if (!r)
			*out = semaphore_take_quiet(c);
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

/* All streams are idle: nothing waits for an old value, and values may start again at 0. */
static sov_result semaphore_restart_values(struct context *c, void *arg)
{
	struct semaphore *s = arg;

	(void)c;
	__atomic_store_n(s->payload, 0, __ATOMIC_RELEASE);
	s->value = 0;
	return SOV_OK;
}

static bool semaphore_at_maximum(struct context *c, void *arg)
{
	(void)c;
	return ((const struct semaphore *)arg)->value == UINT32_MAX;
}

sov_result semaphore_prepare_next(struct context *c, struct semaphore *s)
{
	if (!c->gpu->acquire_compares_unsigned || s->value != UINT32_MAX)
		return SOV_OK;
	return context_settle(c, semaphore_at_maximum, semaphore_restart_values, s);
}

uint64_t semaphore_time(const struct context *c, const struct semaphore *s)
{
	return c->gpu->ticks_to_ns(c->chip, __atomic_load_n(s->time, __ATOMIC_RELAXED));
}

/* Releases all semaphores from the CPU: work that would have released them was dropped. */
static sov_result semaphores_restart(struct context *c)
{
	struct semaphore_page *page;
	uint32_t i;

	for (page = c->semaphore_pages; page; page = page->next)
		for (i = 0; i < page->count; i++)
			__atomic_store_n(page->semaphores[i].payload, page->semaphores[i].value,
					 __ATOMIC_RELEASE);
	return SOV_OK;
}

static void semaphores_destroy(struct context *c)
{
	struct semaphore_page *page;

	while ((page = c->semaphore_pages)) {
		c->semaphore_pages = page->next;
		buffer_destroy(c, page->buffer);
		free(page);
	}
}

/* ---- waiting ---- */

struct semaphore_target {
	const struct semaphore *semaphore;
	uint32_t value;
};

static bool semaphore_target_reached(void *arg)
{
	const struct semaphore_target *t = arg;

	return semaphore_reached(t->semaphore, t->value);
}

sov_result semaphore_wait(struct context *c, const struct semaphore *s, uint32_t value,
			  uint64_t timeout, uint64_t (*request_interrupt)(void *arg), void *arg)
{
	uint64_t spins = context_spins(c, timeout);
	uint64_t epoch = atomic_load_explicit(&c->epoch, memory_order_acquire);
	struct semaphore_target t = {s, value};
	uint64_t interrupt;
	sov_result r;

	while (!semaphore_reached(s, value) && --spins)
		cpu_relax();
	/* A reset increments the epoch before it releases semaphores whose work was dropped: then
	 * the value proves nothing. Reports of checked programs are printed with the lock. */
	if (spins && !c->device->info.checks &&
	    !atomic_load_explicit(&c->error, memory_order_relaxed) &&
	    atomic_load_explicit(&c->epoch, memory_order_relaxed) == epoch) {
		context_collect_output(c);
		return SOV_OK;
	}
	interrupt = timeout && request_interrupt ? request_interrupt(arg) : 0;
	/* If nothing was submitted in between, wait for the request too: the stream is idle
	 * then. */
	if (interrupt && (uint32_t)interrupt - 1 == value)
		t.value++;
	pthread_mutex_lock(&c->lock);
	r = context_block_since(c, semaphore_target_reached, &t, timeout, epoch);
	pthread_mutex_unlock(&c->lock);
	return r;
}

const struct context_part semaphore_part = {
	.restart = semaphores_restart,
	.destroy = semaphores_destroy,
};
