// SPDX-License-Identifier: MIT
/* Streams wait for numbers in memory and write them: every condition, both sizes, and errors. */
#include "tests/userspace/runtime/_api.h"

static sov_context context;
static sov_stream first, second;
static uint64_t *host; /* pinned */
static sov_ptr memory;

/* A stream waits for host[0], then writes host[1]. */
struct row {
	uint32_t bytes, condition;
	uint64_t value, not_yet, now;
	const char *promise;
};
static const struct row rows[] = {
	{4, SOV_WAIT_REACHED, 5, 4, 6, "a wait of 32 bits ends when a larger number is there"},
	{4, SOV_WAIT_REACHED, 0xfffffff0, 0xffffffef, 3, "32 bits are compared with wrapping"},
	{8, SOV_WAIT_REACHED, UINT64_C(1) << 40, 5, UINT64_C(1) << 40,
	 "a wait of 64 bits compares all of them"},
	{4, SOV_WAIT_EQUAL, 7, 8, 7, "a wait for an equal number ends with that"},
	{8, SOV_WAIT_EQUAL, UINT64_C(7) << 32, 7, UINT64_C(7) << 32,
	 "64 bits are compared for equality"},
	{4, SOV_WAIT_AND, 0x10, 0xef, 0x11, "a wait for a common bit ends with one"},
	{8, SOV_WAIT_AND, UINT64_C(1) << 63, ~(UINT64_C(1) << 63), ~UINT64_C(0),
	 "a common bit may be among the upper ones"},
	{4, SOV_WAIT_NOR, 0xfffffff0, 0xf, 0xe, "a wait for a bit that is 0 in both ends with one"},
};

static void test_row(const struct row *w)
{
	bool before;

	host[0] = w->not_yet;
	host[1] = 0;
	MUST(sov_stream_wait_value(first, SOV_HOST(host), w->value, w->bytes, w->condition));
	MUST(sov_stream_write_value(first, SOV_HOST(host + 1), 9, 8));
	before =
		sov_stream_wait(first, 1) != SOV_OK && !__atomic_load_n(host + 1, __ATOMIC_ACQUIRE);
	__atomic_store_n(host, w->now, __ATOMIC_RELEASE);
	ok(!sov_stream_wait(first, 60 * SECOND) && host[1] == 9 && before, "%s", w->promise);
}

/* Each stream waits for what the other one has written in device memory. */
static void test_two_streams(void)
{
	uint64_t got[2] = {0};

	MUST(sov_memory_fill(context, memory, 0, 4, 4));
	for (uint32_t k = 0; k < 50; k++) {
		MUST(sov_stream_wait_value(second, memory, k + 1, 4, SOV_WAIT_EQUAL));
		MUST(sov_stream_write_value(second, memory + 8, k + 1, 8));
		MUST(sov_stream_write_value(first, memory, k + 1, 4));
		MUST(sov_stream_wait_value(first, memory + 8, k + 1, 8, SOV_WAIT_REACHED));
	}
	good(sov_context_wait(context, 60 * SECOND),
	     "two streams wait for each other by numbers in memory");
	MUST(sov_memory_copy(context, SOV_HOST(got), memory, sizeof(got)));
	ok(got[0] == 50 && got[1] == 50, "the last numbers are in memory");
}

static void test_errors(void)
{
	sov_graph g;

	refused(sov_stream_wait_value(first, memory, 1, 2, 0), SOV_ERROR_INVALID_ARGUMENT,
		"bytes is 2", "a number of two bytes is rejected");
	refused(sov_stream_wait_value(first, memory + 4, 1, 8, 0), SOV_ERROR_INVALID_ARGUMENT,
		"not a multiple of 8", "a number that is not aligned is rejected");
	refused(sov_stream_write_value(first, memory, UINT64_C(1) << 32, 4),
		SOV_ERROR_INVALID_ARGUMENT, "does not fit",
		"a number that does not fit is rejected");
	refused(sov_stream_wait_value(first, memory, 1, 4, 4), SOV_ERROR_INVALID_ARGUMENT,
		"condition is 4", "an unknown condition is rejected");
	refused(sov_stream_wait_value(first, memory + (1 << 20), 1, 4, 0),
		SOV_ERROR_INVALID_ADDRESS, "in no live allocation",
		"a number beyond its allocation is rejected");
	refused(sov_stream_write_value(first, SOV_HOST(&context), 1, 4), SOV_ERROR_INVALID_ADDRESS,
		"not a GPU address", "pageable memory is rejected");
	MUST(sov_graph_create(context, 0, &g));
	MUST(sov_stream_begin_capture(first, g));
	refused(sov_stream_wait_value(first, memory, 1, 4, 0), SOV_ERROR_UNSUPPORTED, "captured",
		"a captured stream cannot wait for a number");
	MUST(sov_stream_end_capture(first));
	MUST(sov_graph_destroy(g));
}

static void test_reset(void)
{
	MUST(sov_memory_fill(context, memory, 0, 4, 1));
	MUST(sov_stream_wait_value(first, memory, 1, 4, SOV_WAIT_EQUAL));
	good(sov_context_reset(context), "a context with a wait that never ends can be reset");
	good(sov_stream_wait(first, 60 * SECOND), "its stream works again");
	MUST(sov_stream_wait_value(first, memory, 1, 4, SOV_WAIT_EQUAL));
	good(sov_context_destroy(context), "and the context can be destroyed");
}

static void test_amd(void)
{
	sov_context c = context_on("navi21.0", 0);
	sov_stream s;
	sov_ptr p;

	MUST(sov_context_get_stream(c, &s));
	MUST(sov_memory_alloc(c, 64, &p));
	refused(sov_stream_wait_value(s, p, 1, 4, 0), SOV_ERROR_UNSUPPORTED, "use events",
		"a device without such waits is named");
	MUST(sov_context_destroy(c));
}

int main(void)
{
	void *p;

	soft_gpus("gh100:vram=256M,navi21:vram=256M");
	context = context_on("gh100.0", 0);
	MUST(sov_stream_create(context, 0, &first));
	MUST(sov_stream_create(context, 0, &second));
	MUST(sov_host_alloc(context, 4096, &p));
	MUST(sov_memory_alloc(context, 1 << 20, &memory));
	host = p;
	for (uint32_t k = 0; k < COUNT(rows); k++)
		test_row(&rows[k]);
	test_two_streams();
	test_errors();
	test_reset();
	if (!getenv("TEST_CHIP") && !getenv("TEST_CARD"))
		test_amd();
	return tap_done();
}
