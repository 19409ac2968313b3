// SPDX-License-Identifier: MIT
/*
 * Pinned host memory: kernels access it at its host address, copies are asynchronous, and invalid
 * ranges are rejected with their address. Kernels that wait for a gate in such memory make "not
 * complete yet" deterministic.
 */
#include <sys/mman.h>
#include "tests/userspace/runtime/_api.h"
#include "tests/userspace/runtime/_ptx.h"

#define PAGE 4096u

static sov_context c;
static sov_stream s;
static sov_function add, gate;
static sov_ptr device; /* 64 KiB */

static uint32_t device_word(uint32_t i)
{
	uint32_t value = 0;

	MUST(sov_memory_copy(c, SOV_HOST(&value), device + 4 * i, 4));
	return value;
}

static void reached_by_kernels(void)
{
	uint32_t *p, zeros = 0, i, five = 5;
	sov_ptr address, start;
	uint64_t bytes;

	MUST(sov_host_alloc(c, 10000, (void **)&p));
	for (i = 0; i < 2500; i++)
		zeros += !p[i];
	ok(zeros == 2500 && SOV_HOST(p) % PAGE == 0, "pinned memory is zeroed and begins a page");
	p[7] = 37;
	address = SOV_HOST(p + 7);
	MUST(launch(add, s, 1, 1, "84", ARGUMENTS(&address, &five)));
	MUST(sov_stream_wait(s, 10 * SECOND));
	ok(p[7] == 42, "a kernel accesses pinned memory at its host address");
	MUST(sov_memory_range(c, SOV_HOST(p) + 9999, &start, &bytes));
	ok(start == SOV_HOST(p) && bytes == 10000,
	   "sov_memory_range returns the range of pinned memory");
	MUST(sov_memory_fill(c, SOV_HOST(p) + 4, 0x01020304, 4, 3));
	ok(!p[0] && p[1] == 0x01020304 && p[3] == 0x01020304 && !p[4],
	   "pinned memory can be filled");
	refused(sov_memory_free(c, SOV_HOST(p)), SOV_ERROR_INVALID_ADDRESS, "use sov_host_free",
		"sov_memory_free rejects pinned memory");
	refused(sov_host_unregister(c, p), SOV_ERROR_INVALID_ARGUMENT, "use sov_host_free",
		"sov_host_unregister rejects memory from sov_host_alloc");
	refused(sov_host_free(c, p + 1), SOV_ERROR_INVALID_ADDRESS, "lies 4 bytes inside",
		"sov_host_free rejects an address inside the allocation");
	good(sov_host_free(c, p), "pinned memory can be freed");
	refused(sov_host_free(c, p), SOV_ERROR_INVALID_ADDRESS, "is not pinned host memory",
		"freeing pinned memory twice is rejected");
	refused(sov_host_alloc(c, 0, (void **)&p), SOV_ERROR_INVALID_ARGUMENT, "bytes is 0",
		"sov_host_alloc rejects 0 bytes");
	refused(sov_host_alloc(c, UINT64_MAX, (void **)&p), SOV_ERROR_OUT_OF_HOST_MEMORY,
		"the host has no", "sov_host_alloc rejects a size that overflows");
	refused(sov_host_alloc(c, 1, NULL), SOV_ERROR_INVALID_ARGUMENT, "pointer is NULL",
		"sov_host_alloc rejects a NULL result pointer");
}

/* Results must be visible as soon as a wait returns, again and again. */
static void seen_at_once(void)
{
	uint32_t *p, i, one = 1, n = 2000 / TAP_SLOWNESS, late = 0;
	sov_ptr first, last;

	MUST(sov_host_alloc(c, PAGE, (void **)&p));
	first = SOV_HOST(p);
	last = SOV_HOST(p + 1023);
	for (i = 1; i <= n; i++) {
		MUST(launch(add, s, 1, 1, "84", ARGUMENTS(&first, &one)));
		MUST(sov_memory_copy_async(s, device, SOV_HOST(p), 4));
		MUST(sov_memory_copy_async(s, last, device, 4));
		MUST(sov_stream_wait(s, 10 * SECOND));
		late += p[0] != i || p[1023] != i;
	}
	ok(!late, "results in pinned memory are visible when a wait returns (%u of %u times not)",
	   late, n);
	MUST(sov_host_free(c, p));
}

/* Copies with any offset and length move exactly those bytes. */
static void odd_copies(void)
{
	uint8_t *p, want[20000];
	uint32_t i, k, right = 0, n = 60;

	MUST(sov_host_alloc(c, sizeof(want), (void **)&p));
	for (i = 0; i < n; i++) {
		uint32_t bytes = 1 + (uint32_t)(random_u64() % (i % 3 ? 9000 : 40));
		uint32_t from = (uint32_t)(random_u64() % 1000),
			 to = (uint32_t)(random_u64() % 1000);

		for (k = 0; k < sizeof(want); k++)
			p[k] = (uint8_t)random_u64();
		memcpy(want, p, sizeof(want));
		MUST(sov_memory_fill(c, device, 0xee, 1, 20000));
		MUST(sov_memory_copy_async(s, device + to, SOV_HOST(p + from), bytes));
		MUST(sov_memory_copy_async(s, SOV_HOST(p + 10000), device + to, bytes));
		memcpy(want + 10000, want + from, bytes);
		MUST(sov_memory_copy_async(s, SOV_HOST(p + 9999), device + to + bytes, 1));
		want[9999] = 0xee; /* nothing after the range was written */
		MUST(sov_stream_wait(s, 10 * SECOND));
		right += !memcmp(p, want, sizeof(want));
	}
	ok(right == n, "copies of pinned memory with any length and offset are right (%u of %u)",
	   right, n);
	MUST(sov_host_free(c, p));
}

/* While a kernel waits for the gate to open, calls return immediately, and copies see what earlier
 * kernels wrote. */
static void really_asynchronous(void)
{
	uint32_t *p, i, right = 0, thousand = 1000;
	sov_ptr closed, out = device + 4, word;

	MUST(sov_host_alloc(c, 16 * PAGE, (void **)&p));
	closed = SOV_HOST(p);
	MUST(launch(gate, s, 1, 1, "88", ARGUMENTS(&closed, &out)));
	for (i = 0; i < 50; i++) {
		p[100 + i] = i;
		word = SOV_HOST(p + 100 + i);
		MUST(launch(add, s, 1, 1, "84", ARGUMENTS(&word, &thousand)));
		MUST(sov_memory_copy_async(s, device + 400 + 4 * i, SOV_HOST(p + 100 + i), 4));
	}
	MUST(sov_memory_copy_async(s, SOV_HOST(p + 2), device + 400, 4 * 50));
	MUST(sov_memory_copy_async(s, device + 8192, SOV_HOST(p + PAGE), 8 * PAGE));
	ok(sov_stream_wait(s, SOV_NO_WAIT) == SOV_NOT_READY,
	   "copies of pinned memory are queued while the stream is blocked");
	__atomic_store_n(p, 9, __ATOMIC_RELEASE);
	MUST(sov_stream_wait(s, 10 * SECOND));
	for (i = 0; i < 50; i++)
		right += p[2 + i] == 1000 + i;
	ok(right == 50, "queued copies copy what earlier kernels wrote to pinned memory");
	ok(device_word(1) == 9, "the blocking kernel sees the host write to pinned memory");
	MUST(sov_host_free(c, p));
}

/* Copy in on one stream, kernel on another after an event, copy out on the first after that. */
static void order_across_streams(void)
{
	uint32_t *p, i, n = 40, one = 1, right = 0;
	sov_event here, there;
	sov_stream other;

	MUST(sov_host_alloc(c, PAGE, (void **)&p));
	MUST(sov_stream_create(c, 0, &other));
	MUST(sov_event_create(c, 0, &here));
	MUST(sov_event_create(c, 0, &there));
	for (i = 0; i < n; i++) {
		p[0] = i * 77;
		MUST(sov_memory_copy_async(s, device, SOV_HOST(p), 4));
		MUST(sov_event_record(here, s));
		MUST(sov_stream_wait_event(other, here));
		MUST(launch(add, other, 1, 1, "84", ARGUMENTS(&device, &one)));
		MUST(sov_event_record(there, other));
		MUST(sov_stream_wait_event(s, there));
		MUST(sov_memory_copy_async(s, SOV_HOST(p + 1), device, 4));
		MUST(sov_stream_wait(s, 10 * SECOND));
		right += p[1] == i * 77 + 1;
	}
	ok(right == n, "copies and kernels of two streams keep the order of their events");
	MUST(sov_event_destroy(here));
	MUST(sov_event_destroy(there));
	MUST(sov_stream_destroy(other));
	MUST(sov_host_free(c, p));
}

static void registered(void)
{
	uint8_t *pages = soft_mmap(16 * PAGE);
	uint8_t *p = pages + 2 * PAGE + 100;
	uint32_t five = 5, value;
	sov_ptr word = SOV_HOST(pages + 3 * PAGE + 8);

	good(sov_host_register(c, p, 5000), "unaligned memory can be registered");
	memcpy(pages + 3 * PAGE + 8, &(uint32_t){37}, 4);
	MUST(launch(add, s, 1, 1, "84", ARGUMENTS(&word, &five)));
	MUST(sov_memory_copy_async(s, device, word, 4));
	MUST(sov_stream_wait(s, 10 * SECOND));
	memcpy(&value, pages + 3 * PAGE + 8, 4);
	ok(value == 42 && device_word(0) == 42, "kernels and copies access registered memory");
	refused(sov_host_register(c, p, 5000), SOV_ERROR_INVALID_ARGUMENT, "pinned already",
		"registering memory twice is rejected");
	refused(sov_host_register(c, p + 100, 10), SOV_ERROR_INVALID_ARGUMENT, "share a page",
		"registering a part of registered memory is rejected");
	refused(sov_host_register(c, pages + 2 * PAGE, 8), SOV_ERROR_INVALID_ARGUMENT,
		"share a page", "registering another part of a registered first page is rejected");
	refused(sov_host_register(c, pages + 3 * PAGE + 4000, 2 * PAGE), SOV_ERROR_INVALID_ARGUMENT,
		"share a page", "registering another part of a registered last page is rejected");
	refused(sov_host_register(c, pages, 16 * PAGE), SOV_ERROR_INVALID_ARGUMENT, "share a page",
		"registering a range around registered memory is rejected");
	good(sov_host_register(c, pages + 4 * PAGE, 100),
	     "the page after registered memory can be registered");
	good(sov_host_register(c, pages, 2 * PAGE),
	     "the pages before registered memory can be registered");
	refused(sov_host_free(c, p), SOV_ERROR_INVALID_ARGUMENT, "use sov_host_unregister",
		"sov_host_free rejects registered memory");
	refused(sov_host_unregister(c, p - 1), SOV_ERROR_INVALID_ADDRESS,
		"is not pinned host memory",
		"unregistering by an address before the range is rejected");
	memset(pages + 4 * PAGE - 50, 0x77, 100);
	good(sov_memory_copy(c, device, SOV_HOST(pages + 4 * PAGE - 50), 100),
	     "a copy across the end of pinned memory is treated as pageable");
	ok(device_word(0) == 0x77777777 && device_word(24) == 0x77777777,
	   "a copy across the end of pinned memory is complete");
	good(sov_host_unregister(c, p), "registered memory can be unregistered");
	good(sov_host_unregister(c, pages + 4 * PAGE), "each");
	good(sov_host_unregister(c, pages),
	     "other registrations are unregistered by their own addresses");
	refused(sov_host_unregister(c, p), SOV_ERROR_INVALID_ADDRESS, "is not pinned host memory",
		"unregistering twice is rejected");
	memset(p, 0x11, 4);
	good(sov_memory_copy(c, device, SOV_HOST(p), 4), "unregistered memory can be copied from");
	ok(device_word(0) == 0x11111111, "a copy from unregistered memory is right");
	munmap(pages, 16 * PAGE);
}

/* AddressSanitizer reserves 4 TiB at one of these addresses. */
static void host_memory_beside_reservations(void)
{
	static const size_t at[] = {0x500000000000, 0x600000000000};
	const size_t bytes = (size_t)4 << 40;
	void *reserved[2], *p;
	uint32_t i;

	for (i = 0; i < 2; i++)
		reserved[i] = mmap((void *)at[i], bytes, PROT_NONE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	good(sov_host_alloc(c, PAGE, &p),
	     "host memory is found beside large reservations of the process");
	good(sov_host_free(c, p), "host memory beside large reservations can be freed");
	for (i = 0; i < 2; i++)
		if (reserved[i] != MAP_FAILED)
			munmap(reserved[i], bytes);
}

static void what_cannot_be_registered(void)
{
	uint8_t *pages = soft_mmap(4 * PAGE);

	munmap(pages + 2 * PAGE, PAGE);
	mprotect(pages + 3 * PAGE, PAGE, PROT_READ);
	refused(sov_host_register(c, NULL, 4), SOV_ERROR_INVALID_ARGUMENT, "pointer is NULL",
		"registering NULL is rejected");
	refused(sov_host_register(c, pages, 0), SOV_ERROR_INVALID_ARGUMENT, "bytes is 0",
		"registering 0 bytes is rejected");
	refused(sov_host_register(c, pages + PAGE, PAGE + 1), SOV_ERROR_INVALID_ADDRESS,
		"not all writable memory", "registering memory with an unmapped page is rejected");
	refused(sov_host_register(c, pages + 3 * PAGE, 8), SOV_ERROR_INVALID_ADDRESS,
		"not all writable memory", "registering read-only memory is rejected");
	refused(sov_host_register(c, pages, UINT64_MAX), SOV_ERROR_INVALID_ADDRESS,
		"are not host memory", "registering a range that overflows is rejected");
	refused(sov_host_register(c, (void *)(uintptr_t)device, 8), SOV_ERROR_INVALID_ADDRESS,
		"are not host memory", "registering a GPU address is rejected");
	good(sov_host_register(c, pages, 2 * PAGE),
	     "memory next to an unmapped page can be registered");
	good(sov_host_unregister(c, pages), "memory next to an unmapped page can be unregistered");
	munmap(pages, 4 * PAGE);
}

static void contexts(void)
{
	sov_context other = context_on("ga100.0", 0);
	uint8_t *pages = soft_mmap(PAGE);
	uint32_t *p, value = 0;
	sov_ptr far;

	good(sov_host_register(c, pages, PAGE), "one context pins memory");
	good(sov_host_register(other, pages, PAGE), "two contexts can pin the same memory");
	MUST(sov_host_alloc(other, PAGE, (void **)&p));
	p[0] = 1234;
	good(sov_memory_copy(c, device, SOV_HOST(p), 4),
	     "a context copies another context's pinned memory as pageable");
	ok(device_word(0) == 1234, "a copy of another context's pinned memory is right");
	refused(sov_host_free(c, p), SOV_ERROR_INVALID_ADDRESS, "of this context",
		"a context cannot free another context's pinned memory");
	MUST(sov_memory_alloc(other, 64, &far));
	refused(sov_memory_copy(other, device, SOV_HOST(p), 4), SOV_ERROR_INVALID_ADDRESS,
		"in no live allocation of this context",
		"a copy between two contexts' addresses is rejected");
	MUST(sov_context_reset(other));
	p[1] = 99;
	MUST(sov_memory_copy(other, far, SOV_HOST(p + 1), 4));
	MUST(sov_memory_copy(other, SOV_HOST(&value), far, 4));
	ok(value == 99 && p[0] == 1234, "pinned memory keeps its content across a reset");
	good(sov_context_destroy(other), "a context with pinned memory can be destroyed");
	pages[0] = 1;
	ok(pages[0] == 1, "registered memory stays mapped after its context is destroyed");
	good(sov_host_unregister(c, pages),
	     "destroying a context keeps another context's registration");
	munmap(pages, PAGE);
}

int main(void)
{
	soft_gpus("gh100:vram=64M,ga100:vram=64M");
	random_seed();
	c = context_on("gh100.0", 0);
	add = function_of(c, PTX_ADD, "add");
	gate = function_of(c, PTX_GATE, "gate");
	MUST(sov_stream_create(c, 0, &s));
	MUST(sov_memory_alloc(c, 65536, &device));
	reached_by_kernels();
	seen_at_once();
	odd_copies();
	really_asynchronous();
	order_across_streams();
	registered();
	if (getenv("TEST_CHIP")) /* ThreadSanitizer has no shadow for these reservations */
		host_memory_beside_reservations();
	what_cannot_be_registered();
	contexts();
	good(sov_context_destroy(c), "a context can be destroyed after all host memory tests");
	return tap_done();
}
