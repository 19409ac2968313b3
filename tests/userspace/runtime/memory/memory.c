// SPDX-License-Identifier: MIT
/* Memory: allocating, copying, filling and freeing, and every kind of invalid address. */
#include <sys/mman.h>
#include "tests/userspace/runtime/_api.h"

#define MIB (UINT64_C(1) << 20)

static sov_context c;

static void copies(void)
{
	static const uint64_t sizes[] = {1,      3,      4096,        4097,       524287,
					 524288, 524289, 3 * MIB + 5, 9 * MIB + 7};
	uint32_t i;
	uint64_t k;

	for (i = 0; i < COUNT(sizes); i++) {
		uint64_t n = sizes[i];
		uint8_t *out = malloc(n), *back = malloc(n + 1);
		sov_ptr a, b;

		for (k = 0; k < n; k++)
			out[k] = (uint8_t)random_u64();
		memset(back, 0xa5, n + 1);
		MUST(sov_memory_alloc(c, n, &a));
		MUST(sov_memory_alloc(c, n, &b));
		MUST(sov_memory_fill(c, b, 0x5a, 1, n));
		MUST(sov_memory_copy(c, a, SOV_HOST(out), n));
		MUST(sov_memory_copy(c, b, a, n));
		MUST(sov_memory_copy(c, SOV_HOST(back), b, n));
		ok(!memcmp(out, back, n) && back[n] == 0xa5,
		   "%llu bytes are copied to the GPU, inside it and back", (unsigned long long)n);
		MUST(sov_memory_free(c, a));
		MUST(sov_memory_free(c, b));
		free(out);
		free(back);
	}
}

static void parts(void)
{
	uint8_t host[64], want[64];
	sov_ptr a;
	uint32_t i;

	for (i = 0; i < sizeof(host); i++)
		host[i] = (uint8_t)(i + 1);
	MUST(sov_memory_alloc(c, 64, &a));
	MUST(sov_memory_copy(c, a, SOV_HOST(host), 64));
	MUST(sov_memory_copy(c, a + 7, SOV_HOST(host), 5));
	MUST(sov_memory_copy(c, a + 40, a + 1, 9));
	memcpy(want, host, 64);
	memcpy(want + 7, host, 5);
	memcpy(want + 40, want + 1, 9);
	memset(host, 0, sizeof(host));
	MUST(sov_memory_copy(c, SOV_HOST(host), a, 64));
	ok(!memcmp(host, want, 64), "partial copies change only their range");
	MUST(sov_memory_free(c, a));
}

static void fills(void)
{
	uint8_t host[24];
	uint32_t i, good_bytes = 0;
	sov_ptr a;

	MUST(sov_memory_alloc(c, 24, &a));
	MUST(sov_memory_fill(c, a, 0x11223344, 4, 6));
	MUST(sov_memory_fill(c, a + 4, 0x99aabbcc, 2, 3));
	MUST(sov_memory_fill(c, a + 12, 0xffffff77, 1, 5));
	MUST(sov_memory_copy(c, SOV_HOST(host), a, 24));
	for (i = 0; i < 24; i++) {
		static const uint8_t word[4] = {0x44, 0x33, 0x22, 0x11}, half[2] = {0xcc, 0xbb};
		uint8_t want = i >= 12 && i < 17  ? 0x77
			       : i >= 4 && i < 10 ? half[i % 2]
						  : word[i % 4];

		good_bytes += host[i] == want;
	}
	ok(good_bytes == 24, "fills of 4, 2 and 1 bytes repeat the low bytes of the value");
	good(sov_memory_fill(c, a, 0, 4, 0), "a fill of 0 elements succeeds");
	refused(sov_memory_fill(c, a, 0, 3, 1), SOV_ERROR_INVALID_ARGUMENT, "element_bytes is 3",
		"a fill with 3-byte elements is rejected");
	refused(sov_memory_fill(c, a + 2, 0, 4, 1), SOV_ERROR_INVALID_ARGUMENT,
		"is not a multiple of 4", "a misaligned fill is rejected");
	refused(sov_memory_fill(c, a, 0, 4, 7), SOV_ERROR_INVALID_ADDRESS,
		"run 4 bytes past the end", "a fill past the end of an allocation is rejected");
	refused(sov_memory_fill(c, a, 0, 4, UINT64_MAX / 4 + 1), SOV_ERROR_INVALID_ADDRESS,
		"more than 2^64 bytes", "a fill whose size overflows is rejected");
	MUST(sov_memory_free(c, a));
}

static void wrong_ranges(void)
{
	static uint8_t host[8192];
	char sentence[256];
	uint8_t *pages =
		mmap(NULL, 3 * 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sov_ptr a, b, start;
	uint64_t bytes;

	MUST(sov_memory_alloc(c, 4096, &a));
	MUST(sov_memory_alloc(c, 100, &b));
	snprintf(sentence, sizeof(sentence),
		 "destination 0x%llx and 4097 bytes run 1 bytes past the end of their allocation "
		 "of 4096 bytes at 0x%llx",
		 (unsigned long long)a, (unsigned long long)a);
	refused(sov_memory_copy(c, a, SOV_HOST(host), 4097), SOV_ERROR_INVALID_ADDRESS, sentence,
		"a copy one byte past the end is rejected with all figures");
	refused(sov_memory_copy(c, SOV_HOST(host), a + 1, 4096), SOV_ERROR_INVALID_ADDRESS,
		"source 0x", "a copy from one byte past the end is rejected");
	refused(sov_memory_copy(c, SOV_HOST(host), b, 101), SOV_ERROR_INVALID_ADDRESS,
		"run 1 bytes past", "copies are checked against the requested size, not the page");
	refused(sov_memory_copy(c, b, a + 16, UINT64_MAX), SOV_ERROR_INVALID_ADDRESS,
		"past the end", "a copy whose size overflows the address is rejected");
	refused(sov_memory_copy(c, SOV_HOST(host), a + 4096, 1), SOV_ERROR_INVALID_ADDRESS,
		"in no live allocation", "a copy to the byte after an allocation is rejected");
	refused(sov_memory_copy(c, SOV_HOST(host), a - 1, 1), SOV_ERROR_INVALID_ADDRESS, "source",
		"a copy to the byte before an allocation is rejected");
	refused(sov_memory_copy(c, SOV_HOST(host), SOV_HOST(host + 4096), 16),
		SOV_ERROR_INVALID_ARGUMENT, "use memcpy",
		"a copy between host addresses is rejected");
	refused(sov_memory_copy(c, a, 0, 16), SOV_ERROR_INVALID_ADDRESS, "source 0x0",
		"a copy from NULL is rejected");
	refused(sov_memory_copy(c, 0, a, 16), SOV_ERROR_INVALID_ADDRESS, "destination 0x0",
		"a copy to NULL is rejected");
	refused(sov_memory_copy(c, a, UINT64_MAX - 3, 16), SOV_ERROR_INVALID_ADDRESS,
		"are not mapped", "a copy with a host range that overflows is rejected");
	munmap(pages + 65536, 65536);
	refused(sov_memory_copy(c, a, 0x18, 16), SOV_ERROR_INVALID_ADDRESS, "are not mapped",
		"a copy from an address that is not mapped is rejected");
	refused(sov_memory_copy(c, SOV_HOST(pages + 65530), a, 16), SOV_ERROR_INVALID_ADDRESS,
		"are not mapped", "a copy past the end of mapped host memory is rejected");
	refused(sov_memory_copy(c, SOV_HOST(pages + 2 * 65536 - 1), a, 16),
		SOV_ERROR_INVALID_ADDRESS, "are not mapped",
		"a copy to before the start of mapped host memory is rejected");
	good(sov_memory_copy(c, SOV_HOST(pages + 65520), a, 16),
	     "a copy to the last bytes of mapped host memory succeeds");
	munmap(pages, 65536);
	munmap(pages + 2 * 65536, 65536);
	refused(sov_memory_copy(c, a, a + 8, 16), SOV_ERROR_INVALID_ARGUMENT, "overlap",
		"an overlapping copy is rejected");
	refused(sov_memory_copy(c, a + 15, a, 16), SOV_ERROR_INVALID_ARGUMENT, "overlap",
		"a copy that overlaps its source's last byte is rejected");
	good(sov_memory_copy(c, a + 16, a, 16), "a copy to the bytes after its source is accepted");
	good(sov_memory_copy(c, a, a + 16, 16), "a copy between adjacent ranges succeeds");
	good(sov_memory_copy(c, a, SOV_HOST(host), 0), "a copy of 0 bytes succeeds");
	good(sov_memory_range(c, a + 4095, &start, &bytes),
	     "sov_memory_range finds an allocation by an inner address");
	ok(start == a && bytes == 4096, "sov_memory_range returns the allocation's start and size");
	refused(sov_memory_range(c, SOV_HOST(host), &start, &bytes), SOV_ERROR_INVALID_ADDRESS,
		"is not a GPU address", "sov_memory_range rejects a host address");
	MUST(sov_memory_free(c, a));
	MUST(sov_memory_free(c, b));
}

static void wrong_frees(void)
{
	uint8_t host[16];
	sov_ptr a, again;

	MUST(sov_memory_alloc(c, 256, &a));
	refused(sov_memory_free(c, a + 16), SOV_ERROR_INVALID_ADDRESS,
		"lies 16 bytes inside its allocation",
		"freeing an address inside an allocation is rejected");
	good(sov_memory_free(c, a), "freeing the start of an allocation succeeds");
	refused(sov_memory_free(c, a), SOV_ERROR_INVALID_ADDRESS,
		"lies in an allocation of 256 bytes at 0x",
		"freeing an allocation twice is rejected");
	ok(strstr(sov_last_error(), "that was freed"),
	   "the error of a double free says that the memory was freed");
	refused(sov_memory_copy(c, SOV_HOST(host), a + 8, 8), SOV_ERROR_INVALID_ADDRESS,
		"that was freed", "a copy from freed memory is rejected");
	refused(sov_memory_copy(c, a, SOV_HOST(host), 8), SOV_ERROR_INVALID_ADDRESS,
		"that was freed", "a copy to freed memory is rejected");
	refused(sov_memory_free(c, 0), SOV_ERROR_INVALID_ADDRESS, "is 0",
		"freeing address 0 is rejected");
	refused(sov_memory_free(c, SOV_HOST(host)), SOV_ERROR_INVALID_ADDRESS,
		"is not a GPU address", "sov_memory_free rejects host memory");
	MUST(sov_memory_alloc(c, 256, &again));
	ok(again != a, "a freed address is not reused immediately");
	MUST(sov_memory_free(c, again));
}

static void amounts(void)
{
	uint64_t before, free_bytes, total, after;
	sov_ptr a, many[64];
	uint32_t i, distinct = 0;

	MUST(sov_memory_info(c, &before, &total));
	if (total > 256 * MIB) {
		diag("this is a card, whose memory is others' too and cannot be counted");
		return;
	}
	ok(total == 256 * MIB && before < total,
	   "sov_memory_info reports 256 MiB in total, some in use");
	MUST(sov_memory_alloc(c, 16 * MIB, &a));
	MUST(sov_memory_info(c, &free_bytes, NULL));
	ok(free_bytes == before - 16 * MIB, "an allocation reduces free memory by its size");
	MUST(sov_memory_free(c, a));
	refused(sov_memory_alloc(c, 257 * MIB, &a), SOV_ERROR_OUT_OF_MEMORY,
		"has no 269484032 contiguous bytes",
		"an allocation larger than the device is rejected");
	refused(sov_memory_alloc(c, UINT64_MAX, &a), SOV_ERROR_OUT_OF_MEMORY, "contiguous",
		"an allocation whose size overflows is rejected");
	refused(sov_memory_alloc(c, 0, &a), SOV_ERROR_INVALID_ARGUMENT, "bytes is 0",
		"an allocation of 0 bytes is rejected");
	for (i = 0; i < COUNT(many); i++) {
		MUST(sov_memory_alloc(c, 1 + random_u64() % 100000, &many[i]));
		distinct += !i || many[i] != many[i - 1];
	}
	ok(distinct == COUNT(many), "many allocations have distinct addresses");
	for (i = COUNT(many); i-- > 0;)
		MUST(sov_memory_free(c, many[(i * 37) % COUNT(many)]));
	MUST(sov_memory_info(c, &after, NULL));
	ok(after == before, "memory freed in any order is free again");
	for (i = 0; !sov_memory_alloc(c, 8 * MIB, &many[i]); i++)
		;
	ok(i >= 30 && i < 32, "nearly all memory can be allocated (%u blocks of 8 MiB)", i);
	while (i)
		MUST(sov_memory_free(c, many[--i]));
}

static void two_contexts(void)
{
	sov_context other = context_on("ga100.0", 0);
	uint8_t host[16];
	sov_ptr a, b;

	MUST(sov_memory_alloc(c, 64, &a));
	MUST(sov_memory_alloc(other, 64, &b));
	ok(a != b, "addresses are unique across devices");
	refused(sov_memory_copy(c, SOV_HOST(host), b, 16), SOV_ERROR_INVALID_ADDRESS,
		"in no live allocation of this context",
		"a copy to another context's memory is rejected");
	refused(sov_memory_free(c, b), SOV_ERROR_INVALID_ADDRESS,
		"in no live allocation of this context",
		"freeing another context's memory is rejected");
	good(sov_context_destroy(other), "a context with memory can be destroyed");
	refused(sov_memory_copy(c, SOV_HOST(host), b, 16), SOV_ERROR_INVALID_ADDRESS,
		"in no live allocation", "addresses of a destroyed context are rejected");
	MUST(sov_memory_free(c, a));
}

static void all_given_back(void)
{
	uint64_t before, after;
	sov_context other;
	sov_event e;
	sov_stream s;
	sov_ptr a;

	MUST(sov_memory_info(c, &before, NULL));
	other = context_on("gh100.0", 0);
	MUST(sov_memory_alloc(other, 5 * MIB, &a));
	MUST(sov_memory_fill(other, a, 1, 4, 1000));
	MUST(sov_stream_create(other, 0, &s));
	MUST(sov_event_create(other, 0, &e));
	MUST(sov_event_record(e, s));
	MUST(sov_context_destroy(other));
	MUST(sov_memory_info(c, &after, NULL));
	ok(before == after, "destroying a context frees all of its device memory");
}

/* The host's own memory, in stream order. */
static void pinned_to_pinned(void)
{
	uint32_t plain[2] = {7, 0}, *pinned;
	void *p;

	MUST(sov_host_alloc(c, 8192, &p));
	pinned = p;
	pinned[0] = 42;
	good(sov_memory_copy(c, SOV_HOST(pinned + 1024), SOV_HOST(pinned), 4),
	     "pinned memory can be copied to pinned memory");
	good(sov_memory_copy(c, SOV_HOST(pinned + 1025), SOV_HOST(plain), 4),
	     "pageable memory can be copied to pinned memory");
	good(sov_memory_copy(c, SOV_HOST(plain + 1), SOV_HOST(pinned + 1024), 4),
	     "pinned memory can be copied to pageable memory");
	ok(pinned[1024] == 42 && pinned[1025] == 7 && plain[1] == 42,
	   "copies within host memory copy");
	refused(sov_memory_copy(c, SOV_HOST(pinned), SOV_HOST(pinned + 1), 8),
		SOV_ERROR_INVALID_ARGUMENT, "overlap", "pinned ranges must not overlap");
	MUST(sov_host_free(c, p));
}

static void mapped(void)
{
	uint32_t word = 0, *cpu = NULL, *again = NULL;
	void *pinned, *none;
	sov_ptr p, pooled;
	sov_stream s;

	MUST(sov_memory_alloc(c, 1 << 20, &p));
	good(sov_memory_map(c, p, (void **)&cpu), "device memory can be mapped");
	MUST(sov_memory_map(c, p, (void **)&again));
	ok(cpu && cpu == again, "mapping memory again returns the same pointer");
	cpu[100] = 4711;
	MUST(sov_memory_copy(c, SOV_HOST(&word), p + 400, 4));
	ok(word == 4711, "the GPU reads what was written through the mapping");
	MUST(sov_memory_fill(c, p, 42, 4, 8));
	ok(cpu[7] == 42 && cpu[100] == 4711, "the mapping shows what the GPU wrote");
	refused(sov_memory_map(c, p + 4, &none), SOV_ERROR_INVALID_ADDRESS, "4 bytes inside",
		"the inside of an allocation cannot be mapped");
	MUST(sov_memory_free(c, p));
	refused(sov_memory_map(c, p, &none), SOV_ERROR_INVALID_ADDRESS, "was freed",
		"freed memory cannot be mapped");
	MUST(sov_host_alloc(c, 4096, &pinned));
	refused(sov_memory_map(c, SOV_HOST(pinned), &none), SOV_ERROR_UNSUPPORTED,
		"sov_memory_alloc", "host memory cannot be mapped");
	MUST(sov_host_free(c, pinned));
	MUST(sov_context_get_stream(c, &s));
	MUST(sov_memory_alloc_async(s, 4096, &pooled));
	refused(sov_memory_map(c, pooled, &none), SOV_ERROR_UNSUPPORTED, "sov_memory_alloc",
		"pool memory cannot be mapped");
	MUST(sov_memory_free(c, pooled));
	refused(sov_memory_map(c, pooled, NULL), SOV_ERROR_INVALID_ARGUMENT, "pointer is NULL",
		"a mapping needs a place for its pointer");
}

int main(void)
{
	soft_gpus("gh100:vram=256M,ga100:vram=256M");
	random_seed();
	c = context_on("gh100.0", 0);
	copies();
	parts();
	fills();
	wrong_ranges();
	wrong_frees();
	amounts();
	mapped();
	pinned_to_pinned();
	two_contexts();
	all_given_back();
	good(sov_context_destroy(c), "a context can be destroyed after all memory tests");
	return tap_done();
}
