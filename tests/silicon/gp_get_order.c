/* SPDX-License-Identifier: MIT */
/*
 * How far a channel fetches, on a real GPU: for sovgpu.ko a job is done when the hardware's own
 * pointer, GP_GET, has passed an entry with SYNC_WAIT behind a release that waits for the
 * engine (kmod/nv/ring.h). That is right if GP_GET never passes that entry before the release is
 * done, and passes it soon afterwards. Here copies keep a copy engine busy, a release waits for it,
 * and both are watched. Without SYNC_WAIT GP_GET may run ahead, which is only reported.
 *
 *   usage: fetch nvrm | soft | kmod
 */
#include <time.h>
#include "hw/nv/copy.h"
#include "hw/nv/host.h"
#include "libsov/winsys/winsys.h"
#include "tests/tap.h"

enum { ENTRIES = 32, COPIES = 64, NOTES = 0x1000, STREAM = 0x2000, RELEASE = 0x8000, NOP = 0x9000 };
#define VA     UINT64_C(0x1000000000) /* NVIDIA's module keeps 512 MiB from 4 GiB on */
#define BIG_VA UINT64_C(0x2000000000)

struct bench {
	const struct winsys *w;
	struct winsys_device *d;
	struct winsys_group *g;
	struct winsys_queue *q;
	struct winsys_queue_memory m;
	uint8_t *memory; /* ring, notes, streams */
	uint64_t half;   /* of the large buffer */
};

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static bool start(struct bench *b, const char *name)
{
	static const struct winsys *const ways[] = {&winsys_nvrm, &winsys_soft};
	struct winsys_device **devices;
	struct winsys_buffer *small, *big;
	struct winsys_info info;
	uint32_t count = 0;
	char message[256] = "";

	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		if (!strcmp(ways[i]->name, name))
			b->w = ways[i];
	if (!b->w || b->w->enumerate(0, &devices, &count, message, sizeof(message)) || !count) {
		diag("%s: %s", name, b->w ? message : "no such way; known: nvrm soft kmod");
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
	b->w->queue_memory(b->q, &b->m);
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

static void push(struct bench *b, uint32_t *put, uint32_t offset, uint32_t words, uint64_t bits)
{
	b->m.ring[*put] = nv_gp_entry_pack(VA + offset, words) | bits;
	*put = (*put + 1) % ENTRIES;
}

/* One round; *early: GP_GET was at the end while the release was not done. */
static bool round_of(struct bench *b, uint64_t value, uint64_t bits, bool *early, double *lag_us)
{
	uint64_t *note = (uint64_t *)(b->memory + NOTES);
	uint32_t put = __atomic_load_n(b->m.put, __ATOMIC_RELAXED), get;
	uint32_t words = write_copies(b, (uint32_t *)(b->memory + STREAM));
	double end = now_us() + 20e6, done = 0;
	uint64_t seen;

	*early = false;
	memset(b->memory + NOP, 0, 8);
	push(b, &put, STREAM, words, 0);
	push(b, &put, RELEASE, write_release((uint32_t *)(b->memory + RELEASE), VA + NOTES, value),
	     0);
	push(b, &put, NOP, 2, bits);
	winsys_write_barrier();
	__atomic_store_n(b->m.put, put, __ATOMIC_RELEASE);
	winsys_write_barrier();
	if (b->m.doorbell)
		*(volatile uint32_t *)b->m.doorbell = b->m.doorbell_value;
	else
		b->w->ring_doorbell(b->q);
	do { /* the pointer first: what it says was true before the note was looked at */
		get = __atomic_load_n(b->m.get, __ATOMIC_ACQUIRE);
		seen = __atomic_load_n(note, __ATOMIC_ACQUIRE);
		if (get == put && seen != value)
			*early = true;
		if (seen == value && !done)
			done = now_us();
	} while ((get != put || seen != value) && now_us() < end);
	*lag_us = now_us() - done;
	return get == put && seen == value;
}

int main(int argc, char **argv)
{
	struct bench b = {0};
	uint32_t early[2] = {0}, ended = 0;
	double lag, most = 0;
	bool e;

	if (!ok(argc == 2 && start(&b, argv[1]), "there is a copy queue"))
		return tap_done();
	for (uint32_t i = 0; i < 40; i++) {
		ended += round_of(&b, i + 1, i % 2 ? NV_GP_SYNC_WAIT : 0, &e, &lag);
		early[i % 2] += e;
		if (i % 2 && lag > most)
			most = lag;
	}
	ok(ended == 40, "every round ends: %u of 40", ended);
	ok(!early[1],
	   "GP_GET never passes an entry with SYNC_WAIT before the release is done: %u of 20",
	   early[1]);
	ok(most < 1e5, "and passes it within 100 ms: %.1f us at most", most);
	diag("without SYNC_WAIT it was ahead in %u of 20 rounds", early[0]);
	return tap_done();
}
