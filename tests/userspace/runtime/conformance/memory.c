// SPDX-License-Identifier: MIT
/* Copies: what is written to GPU memory is read back, in every direction. */
#include "tests/userspace/runtime/conformance/_conformance.h"

static void make(uint8_t *bytes, uint64_t n, uint64_t seed)
{
	for (uint64_t i = 0; i < n; i++)
		bytes[i] = (uint8_t)next_random(&seed);
}

/* Through two GPU allocations, with guards around both. */
static void round_trip(sov_context c, uint64_t bytes, uint32_t offset)
{
	uint64_t room = bytes + 64;
	uint8_t *in = malloc(room), *out = malloc(room), *guard = malloc(room);
	sov_ptr a, b;
	bool same;

	make(in, room, bytes + offset);
	memset(out, 0xee, room);
	memset(guard, 0xee, room);
	MUST(sov_memory_alloc(c, room, &a));
	MUST(sov_memory_alloc(c, room, &b));
	MUST(sov_memory_fill(c, b, 0x5a, 1, room));
	MUST(sov_memory_copy(c, a + offset, SOV_HOST(in + 3), bytes));
	MUST(sov_memory_copy(c, b + 2 * offset, a + offset, bytes));
	MUST(sov_memory_copy(c, SOV_HOST(out + 5), b + 2 * offset, bytes));
	same = !memcmp(out + 5, in + 3, bytes) && !memcmp(out, guard, 5) &&
	       !memcmp(out + 5 + bytes, guard, room - bytes - 5);
	MUST(sov_memory_copy(c, SOV_HOST(out), b, room));
	for (uint64_t i = 0; i < room; i++)
		if (i < 2 * offset || i >= 2 * offset + bytes)
			same &= out[i] == 0x5a;
	ok(same,
	   "%llu bytes at offset %u are copied and read back, and nothing around them changes",
	   (unsigned long long)bytes, offset);
	MUST(sov_memory_free(c, a));
	MUST(sov_memory_free(c, b));
	free(in);
	free(out);
	free(guard);
}

static void fills(sov_context c)
{
	static const uint32_t sizes[] = {1, 2, 4};
	uint8_t out[4096];
	sov_stream s;
	sov_ptr p;

	MUST(sov_context_get_stream(c, &s));
	MUST(sov_memory_alloc(c, sizeof(out), &p));
	for (uint32_t i = 0; i < COUNT(sizes); i++) {
		uint32_t e = sizes[i], value = 0xa1b2c3d4u, wrong = 0;

		MUST(sov_memory_fill_async(s, p, 0, 1, sizeof(out)));
		MUST(sov_memory_fill_async(s, p + 4, value, e, 1001 / e));
		MUST(sov_memory_copy(c, SOV_HOST(out), p, sizeof(out)));
		for (uint32_t k = 0; k < sizeof(out); k++)
			wrong += out[k] != (k < 4 || k >= 4 + 1001 / e * e
						    ? 0
						    : (uint8_t)(value >> 8 * (k % e)));
		ok(!wrong, "a fill repeats elements of %u byte%s", e, e == 1 ? "" : "s");
	}
	refused(sov_memory_fill_async(s, p, 0, 3, 1), SOV_ERROR_INVALID_ARGUMENT,
		"element_bytes is 3", "a fill of 3-byte elements is rejected");
	refused(sov_memory_fill_async(s, p, 0, 1, sizeof(out) + 1), SOV_ERROR_INVALID_ADDRESS,
		"past the end", "a fill past the end of an allocation is rejected");
	MUST(sov_memory_free(c, p));
}

/* ---- rectangles ---- */

enum { WIDTH = 37, HEIGHT = 11, DEPTH = 3, PITCH_A = 64, PITCH_B = 48, ROWS_A = 13, ROWS_B = 11 };

static bool rect_is_right(const uint8_t *to, const uint8_t *from)
{
	for (uint32_t z = 0; z < DEPTH; z++)
		for (uint32_t y = 0; y < ROWS_B; y++)
			for (uint32_t x = 0; x < PITCH_B; x++) {
				uint8_t want = x < WIDTH && y < HEIGHT
						       ? from[(z * ROWS_A + y) * PITCH_A + x]
						       : 0x77;

				if (to[(z * ROWS_B + y) * PITCH_B + x] != want)
					return false;
			}
	return true;
}

static void rects(sov_context c)
{
	enum { FROM = PITCH_A * ROWS_A * DEPTH, TO = PITCH_B * ROWS_B * DEPTH };
	static uint8_t in[FROM], out[TO];
	sov_copy_rect rect = SOV_INIT(sov_copy_rect);
	sov_stream s;
	sov_ptr a, b;
	uint8_t *pinned;

	MUST(sov_context_get_stream(c, &s));
	MUST(sov_memory_alloc(c, FROM, &a));
	MUST(sov_memory_alloc(c, TO, &b));
	MUST(sov_host_alloc(c, FROM, (void **)&pinned));
	make(in, FROM, 9);
	memcpy(pinned, in, FROM);
	rect.width_bytes = WIDTH;
	rect.height = HEIGHT;
	rect.depth = DEPTH;
	rect.source_pitch = PITCH_A;
	rect.source_rows = ROWS_A;
	rect.destination_pitch = PITCH_B;

	const struct {
		const char *direction;
		sov_ptr source, destination;
	} directions[] = {{"to the GPU", SOV_HOST(in), b},
			  {"from pinned memory", SOV_HOST(pinned), b},
			  {"inside the GPU", a, b},
			  {"from the GPU", a, SOV_HOST(out)}};

	MUST(sov_memory_copy(c, a, SOV_HOST(in), FROM));
	for (uint32_t i = 0; i < COUNT(directions); i++) {
		memset(out, 0x77, TO);
		MUST(sov_memory_fill(c, b, 0x77, 1, TO));
		rect.source = directions[i].source;
		rect.destination = directions[i].destination;
		MUST(sov_memory_copy_rect_async(s, &rect));
		MUST(sov_stream_wait(s, 60 * SECOND));
		if (directions[i].destination == b)
			MUST(sov_memory_copy(c, SOV_HOST(out), b, TO));
		ok(rect_is_right(out, in), "a rectangle %s is copied, and nothing between its rows",
		   directions[i].direction);
	}
	rect.source = a;
	rect.destination = b;
	rect.source_rows = ROWS_A + 20;
	refused(sov_memory_copy_rect_async(s, &rect), SOV_ERROR_INVALID_ADDRESS, "past the end",
		"a rectangle past the end of an allocation is rejected");
	rect.source_rows = HEIGHT - 1;
	refused(sov_memory_copy_rect_async(s, &rect), SOV_ERROR_INVALID_ARGUMENT,
		"source_rows is 10", "a rectangle with too few rows per slice is rejected");
	rect.source_rows = 0;
	rect.source_pitch = WIDTH - 1;
	refused(sov_memory_copy_rect_async(s, &rect), SOV_ERROR_INVALID_ARGUMENT,
		"source_pitch is 36", "a rectangle with overlapping rows is rejected");
	rect.source_pitch = PITCH_A;
	rect.depth = UINT64_MAX / 2;
	refused(sov_memory_copy_rect_async(s, &rect), SOV_ERROR_INVALID_ADDRESS, "2^64",
		"a rectangle whose size overflows is rejected");
	MUST(sov_host_free(c, pinned));
	MUST(sov_memory_free(c, a));
	MUST(sov_memory_free(c, b));
}

/* ---- reservations ---- */

static void reservations(sov_context c)
{
	uint64_t bytes = 9 * MIB, free_before, free_after;
	uint8_t *in = malloc(bytes), *out = malloc(bytes);
	sov_ptr p;

	make(in, bytes, 5);
	MUST(sov_memory_info(c, &free_before, NULL));
	MUST(sov_memory_reserve(c, UINT64_C(1) << 36, &p));
	MUST(sov_memory_info(c, &free_after, NULL));
	ok(free_before == free_after, "a reservation uses no memory");
	refused(sov_memory_copy(c, p, SOV_HOST(in), 1), SOV_ERROR_INVALID_ADDRESS, "",
		"an empty reservation cannot be written");
	good(sov_memory_resize(c, p, 3 * MIB), "a reservation can be resized");
	MUST(sov_memory_copy(c, p, SOV_HOST(in), 3 * MIB));
	good(sov_memory_resize(c, p, bytes), "a reservation can grow");
	MUST(sov_memory_copy(c, p + 3 * MIB, SOV_HOST(in + 3 * MIB), bytes - 3 * MIB));
	MUST(sov_memory_copy(c, SOV_HOST(out), p, bytes));
	ok(!memcmp(in, out, bytes), "a reservation keeps its content when it grows");
	refused(sov_memory_copy(c, p + bytes, SOV_HOST(in), 1), SOV_ERROR_INVALID_ADDRESS, "",
		"a reservation cannot be written past its size");
	good(sov_memory_resize(c, p, 100), "a reservation can shrink");
	MUST(sov_memory_copy(c, SOV_HOST(out), p, 100));
	ok(!memcmp(in, out, 100), "a reservation keeps its remaining content when it shrinks");
	refused(sov_memory_resize(c, p, UINT64_C(1) << 40), SOV_ERROR_INVALID_ADDRESS,
		"that are reserved", "growing a reservation past its maximum is rejected");
	refused(sov_memory_resize(c, p + 4096, 1), SOV_ERROR_INVALID_ADDRESS,
		"sov_memory_reserve returned",
		"resizing an address that is no reservation is rejected");
	good(sov_memory_free(c, p), "a reservation can be freed");
	MUST(sov_memory_info(c, &free_after, NULL));
	ok(conformance_given_back(free_before, free_after),
	   "freeing a reservation frees its memory");
	free(in);
	free(out);
}

static void exhaustion(sov_context c)
{
	sov_ptr p[64], one;
	uint64_t bytes = conformance_memory / 8;
	uint32_t n = 0;
	sov_result r = SOV_OK;

	while (n < COUNT(p) && !(r = sov_memory_alloc(c, bytes, &p[n])))
		n++;
	ok(r == SOV_ERROR_OUT_OF_MEMORY && n,
	   "device memory is exhausted after %u allocations of an eighth", n);
	MUST(sov_memory_free(c, p[--n]));
	good(sov_memory_alloc(c, 1000, &one),
	     "a small allocation succeeds after memory was exhausted");
	MUST(sov_memory_fill(c, one, 1, 1, 1000));
	MUST(sov_memory_free(c, one));
	while (n)
		MUST(sov_memory_free(c, p[--n]));
}

static void everything(sov_context c, bool largest)
{
	static const uint64_t sizes[] = {1, 2, 3, 255, 257, 4096, 65537, 1000003};

	fills(c);
	for (uint32_t i = 0; i < COUNT(sizes); i++)
		for (uint32_t offset = 0; offset < 16; offset += 5)
			round_trip(c, sizes[i], offset);
	if (largest)
		round_trip(c, conformance_software ? 64 * MIB / TAP_SLOWNESS : 1024 * MIB, 1);
	rects(c);
	reservations(c);
	exhaustion(c);
}

int main(void)
{
	sov_context watch = conformance_context(), c;
	uint64_t outside, before, after;
	sov_device d;

	MUST(sov_context_get_device(watch, &d));
	outside = conformance_free(watch);
	MUST(sov_context_create(d, NULL, &c));
	MUST(sov_memory_fill_async(NULL, 0, 0, 1, 0) == SOV_ERROR_INVALID_HANDLE
		     ? SOV_OK
		     : SOV_ERROR_INTERNAL);
	/* The first round also allocates what stays: staging, queues, copy kernels, page tables. */
	everything(c, true);
	MUST(sov_memory_info(c, &before, NULL));
	everything(c, false);
	MUST(sov_memory_info(c, &after, NULL));
	ok(conformance_given_back(before, after),
	   "%lld bytes of memory are leaked by repeating the tests", (long long)(before - after));
	MUST(sov_context_destroy(c));
	after = conformance_free(watch);
	ok(after == outside, "%lld bytes are leaked after the context is destroyed",
	   (long long)(outside - after));
	MUST(sov_context_destroy(watch));
	return tap_done();
}
