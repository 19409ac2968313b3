// SPDX-License-Identifier: MIT
/*
 * Memory that a context keeps after sov_memory_free for its next allocations: when it is taken
 * again, that statistics count it as free, and when it is given back to the device.
 */
#include <sys/wait.h>
#include <unistd.h>
#include "tests/userspace/runtime/_api.h"

#define MIB (UINT64_C(1) << 20)

static const char *device; /* has 64 MiB */

static sov_context context_with(const char *cache)
{
	setenv("SOV_MEMORY_CACHE", cache, 1);
	return context_on(device, 0);
}

static sov_ptr alloc(sov_context c, uint64_t bytes)
{
	sov_ptr p;

	MUST(sov_memory_alloc(c, bytes, &p));
	return p;
}

static uint64_t free_bytes(sov_context c)
{
	uint64_t n;

	MUST(sov_memory_info(c, &n, NULL));
	return n;
}

static uint64_t free_bytes_of_device(sov_context c)
{
	sov_device_state s = SOV_INIT(sov_device_state);
	sov_device d;

	MUST(sov_context_get_device(c, &d));
	MUST(sov_device_get_state(d, &s));
	return s.memory_free;
}

static void reuse(void)
{
	sov_context c = context_with("8M");
	uint64_t all = free_bytes(c), start, bytes;
	sov_ptr p = alloc(c, MIB), q;

	MUST(sov_memory_free(c, p));
	ok(free_bytes(c) == all, "memory that is kept counts as free");
	ok(free_bytes_of_device(c) + MIB <= all, "the device has not got it back");
	refused(sov_memory_fill(c, p, 1, 1, 16), SOV_ERROR_INVALID_ADDRESS, "that was freed",
		"a call with the address of memory that is kept is refused");
	q = alloc(c, MIB - 100);
	ok(q == p, "the next allocation of as many pages takes it");
	MUST(sov_memory_range(c, q, &start, &bytes));
	ok(start == q && bytes == MIB - 100, "the allocation has the size that was asked for");
	refused(sov_memory_fill(c, q, 1, 1, MIB), SOV_ERROR_INVALID_ADDRESS,
		"run 100 bytes past the end", "its end is that of the new allocation");
	good(sov_memory_fill(c, q, 1, 1, MIB - 100), "it can be filled");
	MUST(sov_memory_free(c, q));
	q = alloc(c, MIB / 2);
	ok(q != p, "an allocation of another size does not take it");
	MUST(sov_memory_free(c, q));
	MUST(sov_pool_trim(c, 0));
	ok(free_bytes_of_device(c) == all, "sov_pool_trim gives it back");
	MUST(sov_context_destroy(c));
}

static void limit(void)
{
	sov_context c = context_with("8M");
	uint64_t all = free_bytes_of_device(c);
	sov_ptr p[6];
	uint32_t i;

	for (i = 0; i < COUNT(p); i++)
		p[i] = alloc(c, 2 * MIB);
	for (i = 0; i < COUNT(p); i++)
		MUST(sov_memory_free(c, p[i]));
	ok(all - free_bytes_of_device(c) == 8 * MIB, "no more than SOV_MEMORY_CACHE is kept");
	p[0] = alloc(c, 16 * MIB);
	MUST(sov_memory_free(c, p[0]));
	ok(all - free_bytes_of_device(c) == 8 * MIB, "a larger allocation is not kept");
	MUST(sov_context_destroy(c));
	c = context_with("0");
	ok(free_bytes_of_device(c) == all, "the end of a context gives its memory back");
	p[0] = alloc(c, MIB);
	MUST(sov_memory_free(c, p[0]));
	ok(free_bytes_of_device(c) == all, "SOV_MEMORY_CACHE=0 keeps nothing");
	MUST(sov_context_destroy(c));
	unsetenv("SOV_MEMORY_CACHE");
	c = context_on(device, 0);
	p[0] = alloc(c, MIB);
	MUST(sov_memory_free(c, p[0]));
	ok(strcmp(winsys_of(c), "soft") || free_bytes_of_device(c) == all,
	   "a software GPU keeps nothing by default");
	MUST(sov_context_destroy(c));
}

/* Frees and allocates more than the device has, in several sizes and in another context. */
static void pressure(void)
{
	sov_context c = context_with("1G"), other = context_with("1G");
	uint64_t some = free_bytes(c) / 3 & ~(2 * MIB - 1);
	sov_stream stream;
	sov_ptr p, q;

	p = alloc(c, some);
	q = alloc(c, some);
	MUST(sov_memory_free(c, p));
	MUST(sov_memory_free(c, q));
	good(sov_memory_alloc(c, 2 * some - 2 * MIB, &p),
	     "an allocation that does not fit beside the memory that is kept gets it");
	MUST(sov_memory_free(c, p));
	good(sov_memory_alloc(other, 2 * some, &p), "another context gets it, too");
	MUST(sov_memory_free(other, p));
	MUST(sov_context_get_stream(c, &stream));
	good(sov_memory_alloc_async(stream, 2 * some, &p), "so does the pool");
	MUST(sov_memory_free_async(stream, p));
	MUST(sov_context_destroy(other));
	refused(sov_memory_alloc(c, UINT64_C(1) << 40, &p), SOV_ERROR_OUT_OF_MEMORY, "has no",
		"an allocation larger than the device fails");
	MUST(sov_context_destroy(c));
}

static void mapped_memory(void)
{
	sov_context c = context_with("8M");
	uint64_t all = free_bytes_of_device(c);
	sov_ptr p = alloc(c, MIB);
	void *pointer;

	MUST(sov_memory_map(c, p, &pointer));
	MUST(sov_memory_free(c, p));
	ok(free_bytes_of_device(c) == all, "memory that the process has mapped is not kept");
	p = alloc(c, MIB);
	MUST(sov_memory_free(c, p));
	MUST(sov_context_reset(c));
	p = alloc(c, MIB);
	good(sov_memory_fill(c, p, 7, 1, MIB), "memory that was kept over a reset can be used");
	MUST(sov_context_destroy(c));
}

/* The child makes a context of its own beside the parent's, whose memory it must not touch. */
static void child_of_fork(void)
{
	sov_context c = context_with("8M");
	sov_ptr p = alloc(c, MIB);
	int status = 1;
	pid_t child;

	MUST(sov_memory_free(c, p));
	child = fork();
	if (!child) {
		sov_context own = context_with("8M");

		_exit(sov_memory_alloc(own, UINT64_C(1) << 40, &p) != SOV_ERROR_OUT_OF_MEMORY ||
		      sov_memory_alloc(own, MIB, &p) || sov_memory_free(own, p) ||
		      sov_memory_alloc(own, 100 * MIB, &p) != SOV_ERROR_OUT_OF_MEMORY);
	}
	waitpid(child, &status, 0);
	ok(status == 0, "a child of fork() leaves the parent's memory alone");
	good(sov_memory_alloc(c, MIB, &p), "the parent takes it again");
	MUST(sov_context_destroy(c));
}

static void wrong_values(void)
{
	static const char *const wrong[] = {"x", "-1", "1T", "1025G", "8MB", " 8"};
	sov_device d;
	sov_context c;
	uint32_t i;

	MUST(sov_device_open_name(device, &d));
	for (i = 0; i < COUNT(wrong); i++) {
		char want[64];

		snprintf(want, sizeof(want), "SOV_MEMORY_CACHE is '%s'; it must be", wrong[i]);
		setenv("SOV_MEMORY_CACHE", wrong[i], 1);
		refused(sov_context_create(d, NULL, &c), SOV_ERROR_INVALID_ARGUMENT, want,
			"a wrong SOV_MEMORY_CACHE is refused");
	}
	setenv("SOV_MEMORY_CACHE", "", 1);
	good(sov_context_create(d, NULL, &c), "an empty SOV_MEMORY_CACHE is the default");
	MUST(sov_context_destroy(c));
}

int main(void)
{
	soft_gpus("gh100:vram=64M");
	device = software(0);
	reuse();
	limit();
	pressure();
	mapped_memory();
	if (TAP_THREADS_MAY_FORK)
		child_of_fork();
	wrong_values();
	return tap_done();
}
