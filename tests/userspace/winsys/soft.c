// SPDX-License-Identifier: MIT
/*
 * The software GPU's back end keeps the promises of winsys.h: it uses imported memory in place,
 * interrupts and errors end waits, and no interrupt is missed.
 */
#include <pthread.h>
#include <string.h>
#include <time.h>
#include "hw/nv/host.h"
#include "libsov/winsys/winsys.h"
#include "tests/tap.h"

#define VA    0x100000000
#define BYTES 0x10000

static const struct winsys *const w = &winsys_soft;
static struct winsys_device *device;
static struct winsys_group *group;
static struct winsys_queue *queue;
static struct winsys_queue_memory memory;
static struct winsys_buffer *imported;
static uint32_t *words; /* the imported memory: the ring, methods from word 1024 on */

static void submit(const uint32_t *methods, uint32_t count)
{
	uint32_t put = __atomic_load_n(memory.put, __ATOMIC_RELAXED);

	memcpy(words + 1024 + 16 * put, methods, 4 * count);
	memory.ring[put] = nv_gp_entry_pack(VA + 4 * (1024 + 16 * put), count);
	winsys_write_barrier();
	__atomic_store_n(memory.put, (put + 1) % memory.ring_entries, __ATOMIC_RELEASE);
	winsys_write_barrier();
	w->ring_doorbell(queue);
}

static void *interrupt_soon(void *arg)
{
	static const uint32_t methods[] = {1u << 29 | 1 << 16 | NV_HOST_NON_STALL_INTERRUPT >> 2,
					   0};
	struct timespec t = {.tv_nsec = 5000000};

	nanosleep(&t, NULL);
	submit(methods, 2);
	return arg;
}

static bool create_queue(void)
{
	struct winsys_queue_options o = {.ring_va = VA, .ring_entries = 16, .ring_entry_bytes = 8};
	struct winsys_device **devices;
	char message[256];
	uint32_t count;

	setenv("SOV_SOFT", "gh100:vram=64M", 1);
	words = aligned_alloc(4096, BYTES);
	if (w->enumerate(0, &devices, &count, message, sizeof(message)) || count != 1)
		return false;
	device = devices[0];
	if (w->buffer_import(device, words, BYTES, &imported) || w->group_create(device, &group) ||
	    w->bind(group, imported, VA) || !(o.ring = imported) ||
	    w->queue_create(group, &o, &queue))
		return false;
	w->queue_memory(queue, &memory);
	return w->buffer_map(imported) == words && (uint32_t *)memory.ring == words;
}

int main(void)
{
	static const uint32_t invalid_method[] = {1u << 29 | 1 << 16 | 0xfc >> 2, 0};
	struct winsys_buffer *b;
	struct winsys_error e = {0};
	uint32_t seen = 0, late = 0, tries;
	uint64_t before;
	pthread_t thread;

	if (!ok(create_queue(), "soft: a queue can use imported memory for its ring"))
		return tap_done();
	ok(w->buffer_import(device, (char *)words + 4, 4096, &b) < 0 &&
		   w->buffer_import(device, words, 100, &b) < 0,
	   "soft: importing partial pages is rejected");
	before = w->gpu_time(device);
	w->wait(group, &seen, 1000000);
	ok(!seen && w->gpu_time(device) - before >= 1000000, "soft: a wait ends at its timeout");

	pthread_create(&thread, NULL, interrupt_soon, NULL);
	for (tries = 0; !seen && tries < 100; tries++)
		w->wait(group, &seen, 100000000);
	pthread_join(thread, NULL);
	ok(seen == 1 && !w->group_error(group, &e),
	   "soft: an interrupt ends a wait before its timeout");
	w->wait(group, &late, UINT64_C(10000000000));
	ok(late == 1, "soft: a later wait does not miss an earlier interrupt");

	submit(invalid_method, 2);
	for (tries = 0; seen == 1 && tries < 100; tries++)
		w->wait(group, &seen, 100000000);
	ok(seen == 2 && w->group_error(group, &e) && e.queue == queue && !e.has_thread,
	   "soft: a channel error ends a wait and is reported: %s", e.text);
	w->group_stop(group);
	w->queue_destroy(queue);
	w->group_destroy(group);
	w->buffer_destroy(imported);
	free(words);
	return tap_done();
}
