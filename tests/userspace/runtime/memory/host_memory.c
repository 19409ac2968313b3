/* SPDX-License-Identifier: MIT */
/*
 * Host memory that the GPU reaches: kernels see it at its own address, copies from and to it are
 * submitted and not waited for, and what is not as it should be is refused by name. Kernels that
 * wait for a gate in such memory make "not yet" certain.
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
	ok(p[7] == 42, "a kernel reaches it at its own address");
	MUST(sov_memory_range(c, SOV_HOST(p) + 9999, &start, &bytes));
	ok(start == SOV_HOST(p) && bytes == 10000, "it has a range like an allocation");
	MUST(sov_memory_fill(c, SOV_HOST(p) + 4, 0x01020304, 4, 3));
	ok(!p[0] && p[1] == 0x01020304 && p[3] == 0x01020304 && !p[4], "it can be filled");
	refused(sov_memory_free(c, SOV_HOST(p)), SOV_ERROR_INVALID_ADDRESS, "use sov_host_free",
		"it is not freed like device memory");
	refused(sov_host_unregister(c, p), SOV_ERROR_INVALID_ARGUMENT, "use sov_host_free",
		"nor unregistered");
	refused(sov_host_free(c, p + 1), SOV_ERROR_INVALID_ADDRESS, "lies 4 bytes inside",
		"nor freed in the middle");
	good(sov_host_free(c, p), "it is freed");
	refused(sov_host_free(c, p), SOV_ERROR_INVALID_ADDRESS, "is no pinned host memory",
		"and not a second time");
	refused(sov_host_alloc(c, 0, (void **)&p), SOV_ERROR_INVALID_ARGUMENT, "bytes is 0",
		"no bytes are refused");
	refused(sov_host_alloc(c, UINT64_MAX, (void **)&p), SOV_ERROR_OUT_OF_HOST_MEMORY,
		"the host has no", "all bytes too");
	refused(sov_host_alloc(c, 1, NULL), SOV_ERROR_INVALID_ARGUMENT, "pointer is NULL",
		"a result needs a place");
}

/* As soon as a wait returns, again and again: nothing may still be on its way to the host. */
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
	ok(!late, "what kernels and copies wrote is there when a wait returns (%u times of %u not)",
	   late, n);
	MUST(sov_host_free(c, p));
}

/* Whatever the offsets and the length, exactly those bytes arrive. */
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
		want[9999] = 0xee; /* nothing behind was written */
		MUST(sov_stream_wait(s, 10 * SECOND));
		right += !memcmp(p, want, sizeof(want));
	}
	ok(right == n, "copies of any length from and to any offset move those bytes (%u of %u)",
	   right, n);
	MUST(sov_host_free(c, p));
}

/* Behind a closed gate: calls return, and copies find what kernels before them have left. */
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
	   "many copies are submitted while the stream stands still");
	__atomic_store_n(p, 9, __ATOMIC_RELEASE);
	MUST(sov_stream_wait(s, 10 * SECOND));
	for (i = 0; i < 50; i++)
		right += p[2 + i] == 1000 + i;
	ok(right == 50, "what kernels before them have left in the memory is copied");
	ok(device_word(1) == 9, "the kernel before has seen the gate open");
	MUST(sov_host_free(c, p));
}

/* Copy in on one stream, kernel on another behind an event, copy out on the first behind that. */
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
	ok(right == n, "copies and kernels of two streams keep the order that events ask for");
	MUST(sov_event_destroy(here));
	MUST(sov_event_destroy(there));
	MUST(sov_stream_destroy(other));
	MUST(sov_host_free(c, p));
}

static void registered(void)
{
	uint8_t *pages = mmap(soft_mmap_hint(), 16 * PAGE, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint8_t *p = pages + 2 * PAGE + 100;
	uint32_t five = 5, value;
	sov_ptr word = SOV_HOST(pages + 3 * PAGE + 8);

	good(sov_host_register(c, p, 5000), "memory of one's own, not aligned, is registered");
	memcpy(pages + 3 * PAGE + 8, &(uint32_t){37}, 4);
	MUST(launch(add, s, 1, 1, "84", ARGUMENTS(&word, &five)));
	MUST(sov_memory_copy_async(s, device, word, 4));
	MUST(sov_stream_wait(s, 10 * SECOND));
	memcpy(&value, pages + 3 * PAGE + 8, 4);
	ok(value == 42 && device_word(0) == 42, "kernels and copies reach it");
	refused(sov_host_register(c, p, 5000), SOV_ERROR_INVALID_ARGUMENT, "pinned already",
		"it is not registered twice");
	refused(sov_host_register(c, p + 100, 10), SOV_ERROR_INVALID_ARGUMENT, "share a page",
		"nor a part of it");
	refused(sov_host_register(c, pages + 2 * PAGE, 8), SOV_ERROR_INVALID_ARGUMENT,
		"share a page", "nor another part of its first page");
	refused(sov_host_register(c, pages + 3 * PAGE + 4000, 2 * PAGE), SOV_ERROR_INVALID_ARGUMENT,
		"share a page", "nor of its last");
	refused(sov_host_register(c, pages, 16 * PAGE), SOV_ERROR_INVALID_ARGUMENT, "share a page",
		"nor everything around it");
	good(sov_host_register(c, pages + 4 * PAGE, 100), "the next page is free");
	good(sov_host_register(c, pages, 2 * PAGE), "so are those before");
	refused(sov_host_free(c, p), SOV_ERROR_INVALID_ARGUMENT, "use sov_host_unregister",
		"it is not freed");
	refused(sov_host_unregister(c, p - 1), SOV_ERROR_INVALID_ADDRESS,
		"is no pinned host memory", "the byte before is not part of it");
	memset(pages + 4 * PAGE - 50, 0x77, 100);
	good(sov_memory_copy(c, device, SOV_HOST(pages + 4 * PAGE - 50), 100),
	     "a copy across the end of pinned memory takes the way of other memory");
	ok(device_word(0) == 0x77777777 && device_word(24) == 0x77777777, "and is complete");
	good(sov_host_unregister(c, p), "it is unregistered");
	good(sov_host_unregister(c, pages + 4 * PAGE), "each");
	good(sov_host_unregister(c, pages), "by its own address");
	refused(sov_host_unregister(c, p), SOV_ERROR_INVALID_ADDRESS, "is no pinned host memory",
		"and not a second time");
	memset(p, 0x11, 4);
	good(sov_memory_copy(c, device, SOV_HOST(p), 4), "it is then memory like any other");
	ok(device_word(0) == 0x11111111, "which is copied as such");
	munmap(pages, 16 * PAGE);
}

static void what_cannot_be_registered(void)
{
	uint8_t *pages = mmap(soft_mmap_hint(), 4 * PAGE, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(pages + 2 * PAGE, PAGE);
	mprotect(pages + 3 * PAGE, PAGE, PROT_READ);
	refused(sov_host_register(c, NULL, 4), SOV_ERROR_INVALID_ARGUMENT, "pointer is NULL",
		"NULL cannot be registered");
	refused(sov_host_register(c, pages, 0), SOV_ERROR_INVALID_ARGUMENT, "bytes is 0",
		"nor no bytes");
	refused(sov_host_register(c, pages + PAGE, PAGE + 1), SOV_ERROR_INVALID_ADDRESS,
		"not all memory that the process can write to", "nor memory with a hole");
	refused(sov_host_register(c, pages + 3 * PAGE, 8), SOV_ERROR_INVALID_ADDRESS,
		"not all memory that the process can write to", "nor memory to read only");
	refused(sov_host_register(c, pages, UINT64_MAX), SOV_ERROR_INVALID_ADDRESS,
		"are no host memory", "nor a range that wraps around");
	refused(sov_host_register(c, (void *)(uintptr_t)device, 8), SOV_ERROR_INVALID_ADDRESS,
		"are no host memory", "nor a GPU's");
	good(sov_host_register(c, pages, 2 * PAGE), "what is all there can be registered");
	good(sov_host_unregister(c, pages), "and given back");
	munmap(pages, 4 * PAGE);
}

static void contexts(void)
{
	sov_context other = context_on("ga100.0", 0);
	uint8_t *pages =
		mmap(soft_mmap_hint(), PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint32_t *p, value = 0;
	sov_ptr far;

	good(sov_host_register(c, pages, PAGE), "one context pins memory");
	good(sov_host_register(other, pages, PAGE), "another pins the same");
	MUST(sov_host_alloc(other, PAGE, (void **)&p));
	p[0] = 1234;
	good(sov_memory_copy(c, device, SOV_HOST(p), 4),
	     "what another context has pinned is host memory");
	ok(device_word(0) == 1234, "and is copied as such");
	refused(sov_host_free(c, p), SOV_ERROR_INVALID_ADDRESS, "of this context",
		"but is not this one's to free");
	MUST(sov_memory_alloc(other, 64, &far));
	refused(sov_memory_copy(other, device, SOV_HOST(p), 4), SOV_ERROR_INVALID_ADDRESS,
		"in no live allocation of this context", "nor are addresses of two mixed");
	MUST(sov_context_reset(other));
	p[1] = 99;
	MUST(sov_memory_copy(other, far, SOV_HOST(p + 1), 4));
	MUST(sov_memory_copy(other, SOV_HOST(&value), far, 4));
	ok(value == 99 && p[0] == 1234, "after a reset it is still pinned and keeps its content");
	good(sov_context_destroy(other), "a context goes with what it pinned");
	pages[0] = 1;
	ok(pages[0] == 1, "and memory that was registered stays the process's");
	good(sov_host_unregister(c, pages), "the other registration is not touched by that");
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
	what_cannot_be_registered();
	contexts();
	good(sov_context_destroy(c), "the context can be destroyed");
	return tap_done();
}
