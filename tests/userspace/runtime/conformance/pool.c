// SPDX-License-Identifier: MIT
/* The pool needs few device allocations, holds little more than is used, and loses nothing. */
#include "tests/userspace/runtime/conformance/_conformance.h"

static sov_pool_statistics statistics(sov_context c)
{
	sov_pool_statistics t = SOV_INIT(sov_pool_statistics);

	MUST(sov_pool_get_statistics(c, &t));
	return t;
}

static void few_backings(sov_context c, sov_stream s)
{
	uint64_t state = 1, before = statistics(c).backing_allocations, n;
	sov_ptr live[32] = {0};
	uint32_t i, k;
	bool aligned = true;

	for (i = 0; i < 5000; i++) {
		k = next_random(&state) % COUNT(live);
		if (live[k])
			MUST(sov_memory_free_async(s, live[k]));
		MUST(sov_memory_alloc_async(s, 256 + next_random(&state) % (512 << 10), &live[k]));
		aligned &= live[k] % 256 == 0;
	}
	n = statistics(c).backing_allocations - before;
	ok(n < 10, "10000 pool operations need %llu device allocations, fewer than 10",
	   (unsigned long long)n);
	ok(aligned, "pool addresses are multiples of 256");
	for (i = 0; i < COUNT(live); i++)
		if (live[i])
			MUST(sov_memory_free_async(s, live[i]));
	MUST(sov_stream_wait(s, 60 * SECOND));
	MUST(sov_pool_trim(c, 0));
	ok(!statistics(c).held_bytes && !statistics(c).used_bytes,
	   "trimming an unused pool frees all of its memory");
}

/* Allocations have markers at both ends: if two overlap, one is overwritten. */
struct block {
	sov_ptr at;
	uint64_t bytes;
	uint32_t mark; /* 0: no markers; on a card of a virtual machine each takes milliseconds */
};

static void mark(sov_stream s, const struct block *b)
{
	MUST(sov_memory_fill_async(s, b->at, b->mark, 4, 1));
	MUST(sov_memory_fill_async(s, (b->at + b->bytes - 4) & ~UINT64_C(3), b->mark, 4, 1));
}

static bool is_marked(sov_context c, const struct block *b)
{
	uint32_t first = 0, last = 0;

	MUST(sov_memory_copy(c, SOV_HOST(&first), b->at, 4));
	MUST(sov_memory_copy(c, SOV_HOST(&last), (b->at + b->bytes - 4) & ~UINT64_C(3), 4));
	return first == b->mark && last == b->mark;
}

static void random_sizes(sov_context c, sov_stream s, uint64_t seed, uint32_t steps)
{
	static struct block blocks[100000];
	uint32_t i, k, count = 0, wrong = 0, marked = 0;
	uint64_t state = seed, used = 0, cap = conformance_memory / 2;
	sov_pool_statistics t;
	double before, after;

	if (cap > UINT64_C(16) << 30)
		cap = UINT64_C(16) << 30;
	for (i = 0; i < steps; i++) {
		uint64_t bytes = 1024 + next_random(&state) % (10 * MIB - 1024);

		if (next_random(&state) % 100 < 70 && used + bytes <= cap) {
			struct block *b = &blocks[count++];

			b->bytes = bytes;
			b->mark = conformance_card && i % 8 ? 0 : i + 1;
			MUST(sov_memory_alloc_async(s, bytes, &b->at));
			if (b->mark)
				mark(s, b);
			used += bytes;
		} else if (count) {
			k = next_random(&state) % count;
			if (blocks[k].mark && (conformance_card || k % 8 == 0)) {
				wrong += !is_marked(c, &blocks[k]);
				marked++;
			}
			MUST(sov_memory_free_async(s, blocks[k].at));
			used -= blocks[k].bytes;
			blocks[k] = blocks[--count];
		}
	}
	ok(!wrong && marked, "%u pool blocks keep their content", marked);
	t = statistics(c);
	ok(t.used_bytes == used, "pool statistics report %llu used bytes",
	   (unsigned long long)used);
	before = (double)t.held_bytes / (double)used;
	ok(before <= 1.25, "the pool holds %.3f times the used memory, at most 1.25", before);
	MUST(sov_stream_wait(s, 60 * SECOND));
	MUST(sov_pool_trim(c, 0));
	after = (double)statistics(c).held_bytes / (double)used;
	ok(after <= 1.1, "after a trim the pool holds %.3f times the used memory, at most 1.1",
	   after);
	diag("%llu allocations of the device for %llu of the pool",
	     (unsigned long long)t.backing_allocations, (unsigned long long)t.allocations);
	while (count)
		MUST(sov_memory_free_async(s, blocks[--count].at));
}

/* Another stream gets a freed block only when the work before the free is complete. */
static void order(sov_context c, sov_stream s)
{
	sov_ptr a, b, again;
	sov_stream other;
	sov_event e;

	MUST(sov_stream_create(c, 0, &other));
	MUST(sov_event_create(c, 0, &e));
	MUST(sov_memory_alloc_async(s, 3 * MIB, &a));
	MUST(sov_memory_free_async(s, a));
	MUST(sov_memory_alloc_async(s, 3 * MIB, &again));
	ok(a == again, "a stream immediately reuses a block that it freed");
	MUST(sov_memory_fill_async(s, a, 7, 4, 1000));
	MUST(sov_memory_free_async(s, a));
	MUST(sov_stream_wait(s, 60 * SECOND));
	MUST(sov_memory_alloc_async(other, 3 * MIB, &b));
	ok(b == a, "another stream reuses a freed block when the work before the free is complete");
	MUST(sov_memory_free(c, b));
	refused(sov_memory_free_async(other, b), SOV_ERROR_INVALID_ADDRESS, "was freed",
		"freeing a pool block twice is rejected");
	MUST(sov_event_destroy(e));
	MUST(sov_stream_destroy(other));
}

static void limits(sov_context c, sov_stream s)
{
	sov_ptr a = 0, b;

	MUST(sov_pool_trim(c, 0));
	MUST(sov_pool_set_limit(c, 16 * MIB));
	good(sov_memory_alloc_async(s, 10 * MIB, &a),
	     "an allocation within the pool limit succeeds");
	refused(sov_memory_alloc_async(s, 10 * MIB, &b), SOV_ERROR_OUT_OF_MEMORY,
		"over its limit of 16777216", "an allocation over the pool limit fails");
	MUST(sov_memory_free_async(s, a));
	MUST(sov_stream_wait(s, 60 * SECOND));
	good(sov_memory_alloc_async(s, 12 * MIB, &b),
	     "a freed block makes room within the pool limit");
	MUST(sov_memory_free_async(s, b));
	MUST(sov_pool_set_limit(c, 0));
	refused(sov_memory_alloc_async(s, 2 * conformance_memory, &b), SOV_ERROR_OUT_OF_MEMORY,
		"has no", "a pool allocation larger than the device fails");
	good(sov_memory_alloc_async(s, MIB, &b), "a pool allocation succeeds after one failed");
	MUST(sov_memory_free_async(s, b));
	refused(sov_memory_alloc_async(s, 0, &b), SOV_ERROR_INVALID_ARGUMENT, "bytes is 0",
		"a pool allocation of 0 bytes is rejected");
	refused(sov_memory_alloc_async(NULL, 1, &b), SOV_ERROR_INVALID_HANDLE, "",
		"a pool allocation without a stream is rejected");
	MUST(sov_memory_alloc(c, 100, &a));
	refused(sov_memory_free_async(s, a), SOV_ERROR_INVALID_ADDRESS, "use sov_memory_free",
		"sov_memory_free_async rejects memory outside the pool");
	MUST(sov_memory_free(c, a));
	refused(sov_pool_get_statistics(c, NULL), SOV_ERROR_INVALID_ARGUMENT, "is NULL",
		"sov_pool_get_statistics rejects NULL");
}

/* Runs all pool tests in a new context. */
static void use_pool(sov_device d, uint64_t seed, uint32_t times)
{
	uint64_t before = 0, after;
	sov_context c;
	sov_stream s;

	MUST(sov_context_create(d, NULL, &c));
	MUST(sov_context_get_stream(c, &s));
	/* The first round also allocates what stays: page tables, copy kernels. */
	for (uint32_t i = 0; i < times; i++) {
		few_backings(c, s);
		random_sizes(c, s, seed, times == 1 || (i && conformance_card) ? 1000 : 10000);
		order(c, s);
		limits(c, s);
		MUST(sov_stream_wait(s, 60 * SECOND));
		MUST(sov_pool_trim(c, 0));
		MUST(sov_memory_info(c, &after, NULL));
		if (!i)
			before = after;
	}
	if (times > 1)
		ok(conformance_given_back(before, after),
		   "%lld bytes are leaked by the pool after %u rounds", (long long)(before - after),
		   times);
	MUST(sov_context_destroy(c));
}

int main(void)
{
	sov_context watch = conformance_context();
	uint64_t outside, after, seed = (uint64_t)time(NULL);
	sov_device d;

	MUST(sov_context_get_device(watch, &d));
	if (getenv("API_SEED"))
		seed = strtoull(getenv("API_SEED"), NULL, 0);
	diag("API_SEED=%llu", (unsigned long long)seed);
	/* On an H200 NVIDIA's kernel module keeps 2 MiB from the first such context on, and no
	 * more. */
	use_pool(d, seed, 2);
	outside = conformance_free(watch);
	use_pool(d, seed, 1);
	after = conformance_free(watch);
	ok(after == outside, "%lld bytes are leaked after the pool's context is destroyed",
	   (long long)(outside - after));
	MUST(sov_context_destroy(watch));
	return tap_done();
}
