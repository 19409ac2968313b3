// SPDX-License-Identifier: MIT
/* Memory: what is allocated, copied, filled and freed, and every way in which an address can be
 * wrong. */
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
		   "%llu bytes go to the GPU, across it and back unchanged", (unsigned long long)n);
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
	ok(!memcmp(host, want, 64), "copies of a part change that part and nothing else");
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
	ok(good_bytes == 24,
	   "fills of 4, 2 and 1 bytes repeat the low bytes of the value, where asked");
	good(sov_memory_fill(c, a, 0, 4, 0), "a fill of no elements is nothing");
	refused(sov_memory_fill(c, a, 0, 3, 1), SOV_ERROR_INVALID_ARGUMENT, "element_bytes is 3",
		"elements of 3 bytes are refused");
	refused(sov_memory_fill(c, a + 2, 0, 4, 1), SOV_ERROR_INVALID_ARGUMENT,
		"is not a multiple of 4", "a misaligned fill is refused");
	refused(sov_memory_fill(c, a, 0, 4, 7), SOV_ERROR_INVALID_ADDRESS,
		"run 4 bytes past the end", "a fill one element too long is refused");
	refused(sov_memory_fill(c, a, 0, 4, UINT64_MAX / 4 + 1), SOV_ERROR_INVALID_ADDRESS,
		"more than 2^64 bytes", "a fill whose size overflows is refused");
	MUST(sov_memory_free(c, a));
}

static void wrong_ranges(void)
{
	static uint8_t host[8192];
	char sentence[256];
	sov_ptr a, b, start;
	uint64_t bytes;

	MUST(sov_memory_alloc(c, 4096, &a));
	MUST(sov_memory_alloc(c, 100, &b));
	snprintf(sentence, sizeof(sentence),
		 "destination 0x%llx and 4097 bytes run 1 bytes past the end of their allocation "
		 "of 4096 bytes at 0x%llx",
		 (unsigned long long)a, (unsigned long long)a);
	refused(sov_memory_copy(c, a, SOV_HOST(host), 4097), SOV_ERROR_INVALID_ADDRESS, sentence,
		"one byte too many is refused, with the whole story");
	refused(sov_memory_copy(c, SOV_HOST(host), a + 1, 4096), SOV_ERROR_INVALID_ADDRESS,
		"source 0x", "reading one byte past the end is refused");
	refused(sov_memory_copy(c, SOV_HOST(host), b, 101), SOV_ERROR_INVALID_ADDRESS,
		"run 1 bytes past", "the end is the byte that was asked for, not the page's");
	refused(sov_memory_copy(c, b, a + 16, UINT64_MAX), SOV_ERROR_INVALID_ADDRESS,
		"past the end", "a size that overflows the address is refused");
	refused(sov_memory_copy(c, SOV_HOST(host), a + 4096, 1), SOV_ERROR_INVALID_ADDRESS,
		"in no live allocation", "the byte behind an allocation is nobody's");
	refused(sov_memory_copy(c, SOV_HOST(host), a - 1, 1), SOV_ERROR_INVALID_ADDRESS, "source",
		"the byte before an allocation is nobody's");
	refused(sov_memory_copy(c, SOV_HOST(host), SOV_HOST(host + 4096), 16),
		SOV_ERROR_INVALID_ARGUMENT, "use memcpy",
		"a copy without a GPU address is refused");
	refused(sov_memory_copy(c, a, 0, 16), SOV_ERROR_INVALID_ADDRESS, "source 0x0",
		"NULL is no source");
	refused(sov_memory_copy(c, 0, a, 16), SOV_ERROR_INVALID_ADDRESS, "destination 0x0",
		"NULL is no destination");
	refused(sov_memory_copy(c, a, UINT64_MAX - 3, 16), SOV_ERROR_INVALID_ADDRESS,
		"are no host memory", "a host range that wraps around is refused");
	refused(sov_memory_copy(c, a, a + 8, 16), SOV_ERROR_INVALID_ARGUMENT, "overlap",
		"a copy onto itself is refused");
	good(sov_memory_copy(c, a, a + 16, 16), "neighbours do not overlap");
	good(sov_memory_copy(c, a, SOV_HOST(host), 0), "a copy of no bytes is nothing");
	good(sov_memory_range(c, a + 4095, &start, &bytes),
	     "an address inside finds its allocation");
	ok(start == a && bytes == 4096, "and its bounds");
	refused(sov_memory_range(c, SOV_HOST(host), &start, &bytes), SOV_ERROR_INVALID_ADDRESS,
		"is no GPU address", "a host address is told apart");
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
		"the middle of an allocation cannot be freed");
	good(sov_memory_free(c, a), "its start can");
	refused(sov_memory_free(c, a), SOV_ERROR_INVALID_ADDRESS,
		"lies in an allocation of 256 bytes at 0x", "freeing twice is refused");
	ok(strstr(sov_last_error(), "that was freed"), "and the sentence says why");
	refused(sov_memory_copy(c, SOV_HOST(host), a + 8, 8), SOV_ERROR_INVALID_ADDRESS,
		"that was freed", "a freed source is refused");
	refused(sov_memory_copy(c, a, SOV_HOST(host), 8), SOV_ERROR_INVALID_ADDRESS,
		"that was freed", "a freed destination is refused");
	refused(sov_memory_free(c, 0), SOV_ERROR_INVALID_ADDRESS, "is 0", "NULL cannot be freed");
	refused(sov_memory_free(c, SOV_HOST(host)), SOV_ERROR_INVALID_ADDRESS, "is no GPU address",
		"host memory cannot be freed");
	MUST(sov_memory_alloc(c, 256, &again));
	ok(again != a, "a freed address is not handed out again at once");
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
	ok(total == 256 * MIB && before < total, "there are 256 MiB in all, some in use");
	MUST(sov_memory_alloc(c, 16 * MIB, &a));
	MUST(sov_memory_info(c, &free_bytes, NULL));
	ok(free_bytes == before - 16 * MIB, "an allocation takes what it is");
	MUST(sov_memory_free(c, a));
	refused(sov_memory_alloc(c, 257 * MIB, &a), SOV_ERROR_OUT_OF_MEMORY,
		"has no 269484032 contiguous bytes", "more than there is is refused");
	refused(sov_memory_alloc(c, UINT64_MAX, &a), SOV_ERROR_OUT_OF_MEMORY, "contiguous",
		"a size that overflows when rounded is refused");
	refused(sov_memory_alloc(c, 0, &a), SOV_ERROR_INVALID_ARGUMENT, "bytes is 0",
		"no bytes are refused");
	for (i = 0; i < COUNT(many); i++) {
		MUST(sov_memory_alloc(c, 1 + random_u64() % 100000, &many[i]));
		distinct += !i || many[i] != many[i - 1];
	}
	ok(distinct == COUNT(many), "many allocations have addresses of their own");
	for (i = COUNT(many); i-- > 0;)
		MUST(sov_memory_free(c, many[(i * 37) % COUNT(many)]));
	MUST(sov_memory_info(c, &after, NULL));
	ok(after == before, "freed in any order, all memory is there again");
	for (i = 0; !sov_memory_alloc(c, 8 * MIB, &many[i]); i++)
		;
	ok(i >= 30 && i < 32, "nearly all memory can be had in pieces (%u of 8 MiB)", i);
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
		"another context's memory is not this one's");
	refused(sov_memory_free(c, b), SOV_ERROR_INVALID_ADDRESS,
		"in no live allocation of this context", "nor to be freed here");
	good(sov_context_destroy(other), "a context with memory can be destroyed");
	refused(sov_memory_copy(c, SOV_HOST(host), b, 16), SOV_ERROR_INVALID_ADDRESS,
		"in no live allocation", "and its addresses are nobody's");
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
	ok(before == after, "destroying a context gives all of its device memory back");
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
	two_contexts();
	all_given_back();
	good(sov_context_destroy(c), "the context can be destroyed");
	return tap_done();
}
