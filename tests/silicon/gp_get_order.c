// SPDX-License-Identifier: MIT
/*
 * Order of GP_GET and semaphore releases on a real GPU. sovgpu.ko takes a job for complete when
 * GP_GET has passed an entry with SYNC_WAIT that follows a release with wait-for-idle
 * (kmod/nv/ring.h). That is correct if GP_GET never passes the entry before the release is
 * performed, and passes it soon afterwards. This program keeps a copy engine busy, queues such a
 * release, and polls both. Without SYNC_WAIT GP_GET may run ahead; that is only reported.
 *
 *   usage: gp_get_order nvrm | soft | kmod
 */
#include <time.h>
#include "hw/nv/copy.h"
#include "hw/nv/host.h"
#include "libsov/winsys/winsys.h"
#include "tests/tap.h"

enum {
	ENTRIES = 32,
	COPIES = 64,
	SEMAPHORE = 0x1000,
	STREAM = 0x2000,
	RELEASE = 0x8000,
	NOP = 0x9000
};
#define VA     UINT64_C(0x1000000000) /* NVIDIA's module keeps 512 MiB from 4 GiB on */
#define BIG_VA UINT64_C(0x2000000000)

struct bench {
	const struct winsys *w;
	struct winsys_device *d;
	struct winsys_group *g;
	struct winsys_queue *q;
	struct winsys_queue_memory queue_memory;
	uint8_t *memory; /* ring, semaphore, command streams */
	uint64_t half;   /* bytes of one half of the large buffer */
};

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static bool open_copy_queue(struct bench *b, const char *name)
{
	struct winsys_device **devices;
	struct winsys_buffer *small, *big;
	struct winsys_info info;
	uint32_t count = 0;
	char message[256] = "";

	for (size_t i = 0; i < WINSYS_MAX_BACKENDS && winsys_backends[i]; i++)
		if (!strcmp(winsys_backends[i]->name, name))
			b->w = winsys_backends[i];
	if (!b->w || b->w->enumerate(0, &devices, &count, message, sizeof(message)) || !count) {
		diag("%s: %s", name, b->w ? message : "no such winsys; known: nvrm soft kmod");
		return false;
	}
	b->d = devices[0];
	b->w->info(b->d, &info);
	b->half = info.software ? 1 << 20 : 1 << 28;
	if (b->w->group_create(b->d, &b->g) ||
	    b->w->buffer_create(b->d, WINSYS_SYSTEM,
				info.page_bytes > 65536 ? info.page_bytes : 65536, &small) ||
	    b->w->buffer_create(b->d, WINSYS_VRAM, 2 * b->half, &big) ||
	    b->w->bind(b->g, small, VA) || b->w->bind(b->g, big, BIG_VA)) {
		diag("%s", winsys_take_error());
		return false;
	}
	b->memory = b->w->buffer_map(small);
	struct winsys_queue_options o = {.engine = WINSYS_COPY,
					 .ring = small,
					 .ring_va = VA,
					 .ring_entries = ENTRIES,
					 .ring_entry_bytes = 8};

	if (!b->memory || b->w->queue_create(b->g, &o, &b->q)) {
		diag("%s", winsys_take_error());
		return false;
	}
	b->w->queue_memory(b->q, &b->queue_memory);
	return true;
}

static uint32_t *method(uint32_t *w, uint32_t subchannel, uint32_t number, uint32_t count)
{
	*w++ = nv_method_pack(NV_METHOD_INC, subchannel, number, count);
	return w;
}

static uint32_t write_copies(struct bench *b, uint32_t *first)
{
	uint32_t *w = method(first, NV_SUBCHANNEL_COPY, NV_COPY_SET_OBJECT, 1);

	*w++ = NV_CLASS_HOPPER_COPY;
	for (int i = 0; i < COPIES; i++) {
		w = method(w, NV_SUBCHANNEL_COPY, NV_COPY_SRC_HIGH, 4);
		*w++ = (uint32_t)(BIG_VA >> 32);
		*w++ = (uint32_t)BIG_VA;
		*w++ = (uint32_t)((BIG_VA + b->half) >> 32);
		*w++ = (uint32_t)(BIG_VA + b->half);
		w = method(w, NV_SUBCHANNEL_COPY, NV_COPY_LINE_BYTES, 1);
		*w++ = (uint32_t)b->half;
		w = method(w, NV_SUBCHANNEL_COPY, NV_COPY_LAUNCH, 1);
		*w++ = NV_COPY_TRANSFER_NON_PIPELINED | NV_COPY_SRC_LINEAR | NV_COPY_DST_LINEAR;
	}
	return (uint32_t)(w - first);
}

static uint32_t write_release(uint32_t *first, uint64_t va, uint64_t value)
{
	uint32_t *w = method(first, 0, NV_HOST_SEM_ADDR_LO, 5);

	*w++ = (uint32_t)va;
	*w++ = (uint32_t)(va >> 32);
	*w++ = (uint32_t)value;
	*w++ = (uint32_t)(value >> 32);
	*w++ = NV_SEM_RELEASE | NV_SEM_RELEASE_WFI | NV_SEM_PAYLOAD_64;
	return (uint32_t)(w - first);
}

static void push_entry(struct bench *b, uint32_t *put, uint32_t offset, uint32_t words,
		       uint64_t bits)
{
	b->queue_memory.ring[*put] = nv_gp_entry_pack(VA + offset, words) | bits;
	*put = (*put + 1) % ENTRIES;
}

/* Runs one round. Sets *early if GP_GET reached PUT before the release was performed. */
static bool run_round(struct bench *b, uint64_t value, uint64_t bits, bool *early, double *lag_us)
{
	uint64_t *semaphore = (uint64_t *)(b->memory + SEMAPHORE);
	uint32_t put = __atomic_load_n(b->queue_memory.put, __ATOMIC_RELAXED), get;
	uint32_t words = write_copies(b, (uint32_t *)(b->memory + STREAM));
	double end = now_us() + 20e6, done = 0;
	uint64_t payload;

	*early = false;
	memset(b->memory + NOP, 0, 8);
	push_entry(b, &put, STREAM, words, 0);
	push_entry(b, &put, RELEASE,
		   write_release((uint32_t *)(b->memory + RELEASE), VA + SEMAPHORE, value), 0);
	push_entry(b, &put, NOP, 2, bits);
	winsys_write_barrier();
	__atomic_store_n(b->queue_memory.put, put, __ATOMIC_RELEASE);
	winsys_write_barrier();
	if (b->queue_memory.doorbell)
		*(volatile uint32_t *)b->queue_memory.doorbell = b->queue_memory.doorbell_value;
	else
		b->w->ring_doorbell(b->q);
	do { /* GP_GET first: its value was current before the semaphore was read */
		get = __atomic_load_n(b->queue_memory.get, __ATOMIC_ACQUIRE);
		payload = __atomic_load_n(semaphore, __ATOMIC_ACQUIRE);
		if (get == put && payload != value)
			*early = true;
		if (payload == value && !done)
			done = now_us();
	} while ((get != put || payload != value) && now_us() < end);
	*lag_us = now_us() - done;
	return get == put && payload == value;
}

int main(int argc, char **argv)
{
	struct bench b = {0};
	uint32_t early[2] = {0}, ended = 0;
	double lag, max_lag = 0;
	bool e;

	if (!ok(argc == 2 && open_copy_queue(&b, argv[1]), "a copy queue can be created"))
		return tap_done();
	for (uint32_t i = 0; i < 40; i++) {
		ended += run_round(&b, i + 1, i % 2 ? NV_GP_SYNC_WAIT : 0, &e, &lag);
		early[i % 2] += e;
		if (i % 2 && lag > max_lag)
			max_lag = lag;
	}
	ok(ended == 40, "every round of copies completes: %u of 40", ended);
	ok(!early[1],
	   "GP_GET never passes a SYNC_WAIT entry before the release is performed: %u of 20",
	   early[1]);
	ok(max_lag < 1e5, "GP_GET passes a SYNC_WAIT entry within 100 ms of the release: %.1f us",
	   max_lag);
	diag("without SYNC_WAIT GP_GET was ahead in %u of 20 rounds", early[0]);
	return tap_done();
}
