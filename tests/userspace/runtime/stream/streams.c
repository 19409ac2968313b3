// SPDX-License-Identifier: MIT
/*
 * Streams and events: order inside a stream, order between streams by events, polling, waits and
 * timeouts, and GPU time. A kernel that runs until the test opens its gate makes "not complete yet"
 * deterministic.
 */
#include <pthread.h>
#include <time.h>
#include "tests/userspace/runtime/_api.h"
#include "tests/userspace/runtime/_ptx.h"

static sov_context c;
static sov_function add, gate, opener;
static sov_ptr words; /* zeroed before each test */

static uint32_t word(uint32_t i)
{
	uint32_t value = 0;

	MUST(sov_memory_copy(c, SOV_HOST(&value), words + 4 * i, 4));
	return value;
}

/* The gate is word 0; its kernel stores the gate's value in the given word. */
static void close_gate(sov_stream s, uint32_t out)
{
	sov_ptr to = words + 4 * out;

	MUST(launch(gate, s, 1, 1, "88", ARGUMENTS(&words, &to)));
}

static void open_gate(uint32_t value)
{
	MUST(launch(opener, NULL, 1, 1, "84", ARGUMENTS(&words, &value)));
}

static void plus(sov_stream s, uint32_t i, uint32_t n)
{
	sov_ptr p = words + 4 * i;

	MUST(launch(add, s, 1, 1, "84", ARGUMENTS(&p, &n)));
}

static void wrap_around(sov_stream s)
{
	uint32_t i;

	for (i = 1; i <= 1500; i++)
		plus(s, 1, i);
	MUST(sov_stream_wait(s, 60 * SECOND));
	ok(word(1) == 1500 * 1501 / 2, "1500 launches without a wait run one after the other");
}

static void mixed_order(sov_stream s)
{
	uint32_t i, value, want = 0;

	for (i = 0; i < 200; i++) {
		value = i * 2654435761u;
		/* word 1 = value; word 1 += i; word 2 = word 1; word 2 += 7 */
		MUST(sov_memory_copy_async(s, words + 4, SOV_HOST(&value), 4));
		want = value + i + 7;
		value = 0xdeadbeef; /* the copy has read its source already */
		plus(s, 1, i);
		MUST(sov_memory_copy_async(s, words + 8, words + 4, 4));
		plus(s, 2, 7);
		if (i % 10 == 9) {
			MUST(sov_memory_copy_async(s, SOV_HOST(&value), words + 8, 4));
			if (value != want)
				break;
		}
	}
	ok(i == 200, "copies in, kernels, device copies and copies out keep stream order");
}

static _Atomic bool opened;

static void *open_soon(void *arg)
{
	struct timespec t = {.tv_nsec = 20000000};

	nanosleep(&t, NULL);
	opened = true;
	open_gate(1);
	return arg;
}

/* Copies after a kernel that waits for a gate: the host memory may be reused when a call returns.
 * Calls wait when the staging ring is full. */
static void copies_wait(sov_stream s)
{
	enum { N = 150, BYTES = 5000 };
	static uint8_t value[BYTES], back[BYTES];
	uint32_t i, k, right = 0;
	pthread_t thread;
	sov_ptr area;

	MUST(sov_memory_alloc(c, N * BYTES, &area));
	close_gate(s, 1);
	pthread_create(&thread, NULL, open_soon, NULL);
	for (i = 0; i < N; i++) {
		for (k = 0; k < BYTES; k++)
			value[k] = (uint8_t)(i * 31 + k);
		/* Every third copy is small enough to be inline. */
		MUST(sov_memory_copy_async(s, area + i * BYTES, SOV_HOST(value),
					   i % 3 ? BYTES : 100));
		memset(value, 0xee, BYTES);
	}
	pthread_join(thread, NULL);
	MUST(sov_stream_wait(s, 10 * SECOND));
	for (i = 0; i < N; i++) {
		uint32_t n = i % 3 ? BYTES : 100, good_bytes = 0;

		MUST(sov_memory_copy(c, SOV_HOST(back), area + i * BYTES, n));
		for (k = 0; k < n; k++)
			good_bytes += back[k] == (uint8_t)(i * 31 + k);
		right += good_bytes == n;
	}
	ok(right == N, "queued copies from pageable memory copy its content at the call");
	MUST(sov_memory_free(c, area));
}

static void asking(sov_stream s)
{
	sov_event e;

	MUST(sov_event_create(c, 0, &e));
	close_gate(s, 3);
	MUST(sov_event_record(e, s));
	ok(sov_stream_wait(s, SOV_NO_WAIT) == SOV_NOT_READY,
	   "polling a busy stream returns SOV_NOT_READY");
	ok(sov_event_wait(e, SOV_NO_WAIT) == SOV_NOT_READY,
	   "polling a pending event returns SOV_NOT_READY");
	ok(sov_context_wait(c, SOV_NO_WAIT) == SOV_NOT_READY,
	   "polling a busy context returns SOV_NOT_READY");
	refused(sov_stream_wait(s, 3000000), SOV_ERROR_TIMEOUT, "not finished after 3.000000 ms",
		"a stream wait times out");
	refused(sov_event_wait(e, 1000), SOV_ERROR_TIMEOUT, "the work continues",
		"an event wait times out");
	good(sov_context_status(c), "a timed-out wait does not fail the context");
	ok(word(4) == 0, "a blocked stream does not stall another");
	open_gate(77);
	good(sov_stream_wait(s, 10 * SECOND), "a wait after the gate opens succeeds");
	ok(word(3) == 77, "the blocked kernel has run");
	good(sov_stream_wait(s, SOV_NO_WAIT), "polling an idle stream succeeds");
	good(sov_event_wait(e, SOV_NO_WAIT), "polling a reached event succeeds");
	MUST(sov_event_destroy(e));
}

static void across_streams(sov_stream a, sov_stream b)
{
	sov_event e;

	MUST(sov_event_create(c, 0, &e));
	close_gate(a, 1);
	MUST(sov_event_record(e, a));
	MUST(sov_stream_wait_event(b, e));
	MUST(sov_memory_copy_async(b, words + 8, words + 4, 4));
	plus(b, 2, 1);
	ok(sov_stream_wait(b, 2000000) == SOV_ERROR_TIMEOUT,
	   "a stream waits for another stream's event");
	open_gate(41);
	MUST(sov_stream_wait(b, 10 * SECOND));
	ok(word(2) == 42, "work after an event wait sees what came before the event");
	MUST(sov_event_destroy(e));
}

/* Recorded after a kernel that waits for a gate, then on an idle stream: the second record must not
 * complete first. */
static void record_again(sov_stream a, sov_stream b)
{
	sov_event e;

	MUST(sov_event_create(c, 0, &e));
	close_gate(a, 1);
	MUST(sov_event_record(e, a));
	MUST(sov_event_record(e, b));
	ok(sov_event_wait(e, 2000000) == SOV_ERROR_TIMEOUT,
	   "records of one event on two streams complete in order");
	open_gate(1);
	good(sov_event_wait(e, 10 * SECOND), "the last of two records of an event completes");
	MUST(sov_event_destroy(e));
}

/* Two reached events that lie elapsed nanoseconds from each other. */
static void absolute_times(sov_event from, sov_event to, uint64_t elapsed)
{
	uint64_t first = 0, second = 0, now = 0;
	sov_device device;
	sov_event untimed;

	MUST(sov_context_get_device(c, &device));
	MUST(sov_event_get_time(from, &first));
	MUST(sov_event_get_time(to, &second));
	ok(second - first == elapsed, "two events' times differ by what elapsed between them");
	MUST(sov_device_get_time(device, &now));
	ok(second <= now && now - second < 600 * SECOND,
	   "the device's time follows that of a reached event on the same clock");
	refused(sov_device_get_time(device, NULL), SOV_ERROR_INVALID_ARGUMENT,
		"nanoseconds is NULL", "a device's time needs a place for it");
	MUST(sov_event_create(c, SOV_EVENT_DISABLE_TIMING, &untimed));
	refused(sov_event_get_time(untimed, &now), SOV_ERROR_INVALID_ARGUMENT,
		"SOV_EVENT_DISABLE_TIMING", "an event without timing has no time");
	MUST(sov_event_destroy(untimed));
}

static void times(sov_stream s)
{
	sov_event e[3];
	uint64_t first, second, whole;
	uint32_t i;

	for (i = 0; i < 3; i++)
		MUST(sov_event_create(c, 0, &e[i]));
	refused(sov_event_wait(e[0], SECOND), SOV_ERROR_INVALID_ARGUMENT, "never recorded",
		"waiting for an event that was never recorded is rejected");
	refused(sov_stream_wait_event(s, e[0]), SOV_ERROR_INVALID_ARGUMENT, "never recorded",
		"a stream wait for an event that was never recorded is rejected");
	MUST(sov_event_record(e[0], s));
	refused(sov_event_elapsed(e[0], e[1], &whole), SOV_ERROR_INVALID_ARGUMENT,
		"event to was never recorded",
		"elapsed time of an event that was never recorded is rejected");
	close_gate(s, 1);
	MUST(sov_event_record(e[1], s));
	ok(sov_event_elapsed(e[0], e[1], &whole) == SOV_NOT_READY,
	   "elapsed time of a pending event is SOV_NOT_READY");
	ok(sov_event_get_time(e[1], &whole) == SOV_NOT_READY,
	   "the time of a pending event is SOV_NOT_READY");
	open_gate(1);
	MUST(sov_event_record(e[2], s));
	MUST(sov_event_wait(e[2], 10 * SECOND));
	MUST(sov_event_elapsed(e[0], e[1], &first));
	MUST(sov_event_elapsed(e[1], e[2], &second));
	MUST(sov_event_elapsed(e[0], e[2], &whole));
	ok(first > 0 && whole == first + second, "elapsed times between three events add up");
	refused(sov_event_elapsed(e[1], e[0], &whole), SOV_ERROR_INVALID_ARGUMENT,
		"before event from", "elapsed time with swapped events is rejected");
	absolute_times(e[0], e[2], whole);
	for (i = 0; i < 3; i++)
		MUST(sov_event_destroy(e[i]));
}

static void destroyed_while_busy(void)
{
	sov_stream s, t;
	sov_event e;
	uint32_t i;

	MUST(sov_stream_create(c, 0, &s));
	for (i = 0; i < 100; i++)
		plus(s, 1, 1);
	good(sov_stream_destroy(s), "a busy stream can be destroyed");
	ok(word(1) == 100, "destroying a busy stream completes its work");
	/* The semaphore of a destroyed, pending event is not reused. */
	MUST(sov_stream_create(c, 0, &s));
	MUST(sov_event_create(c, 0, &e));
	close_gate(s, 2);
	MUST(sov_event_record(e, s));
	MUST(sov_event_destroy(e));
	MUST(sov_stream_create(c, 0, &t));
	plus(t, 1, 1);
	good(sov_stream_wait(t, 10 * SECOND),
	     "a new stream works while a destroyed event is pending");
	open_gate(5);
	MUST(sov_stream_destroy(s));
	plus(t, 1, 1);
	good(sov_stream_wait(t, 10 * SECOND),
	     "a new stream works after a destroyed event is reached");
	MUST(sov_stream_destroy(t));
	ok(word(1) == 102 && word(2) == 5, "all work around a destroyed event was done");
}

/* Memory and code that a kernel uses are freed when it has ended. */
static void free_while_busy(sov_stream s)
{
	sov_module m = module_from(c, PTX_GATE, strlen(PTX_GATE), 0);
	sov_function f;
	sov_ptr out;
	pthread_t thread;

	MUST(sov_memory_alloc(c, 4, &out));
	MUST(sov_module_get_function(m, "gate", &f));
	MUST(launch(f, s, 1, 1, "88", ARGUMENTS(&words, &out)));
	opened = false;
	pthread_create(&thread, NULL, open_soon, NULL);
	good(sov_module_unload(m), "a module can be unloaded while its kernel runs");
	ok(opened, "unloading a module waits for its running kernel");
	pthread_join(thread, NULL);
	good(sov_context_wait(c, 10 * SECOND), "a kernel is not harmed by unloading its module");

	MUST(sov_memory_fill(c, words, 0, 4, 1));
	MUST(launch(gate, s, 1, 1, "88", ARGUMENTS(&words, &out)));
	opened = false;
	pthread_create(&thread, NULL, open_soon, NULL);
	good(sov_memory_free(c, out), "memory can be freed while a kernel uses it");
	ok(opened, "freeing memory waits for the kernel that uses it");
	pthread_join(thread, NULL);
	good(sov_context_wait(c, 10 * SECOND), "a kernel is not harmed by freeing its memory");
}

static void *free_it(void *arg)
{
	return (void *)(uintptr_t)sov_memory_free(c, *(sov_ptr *)arg);
}

static void freed_twice_at_once(sov_stream s)
{
	sov_result r = SOV_OK;
	pthread_t thread;
	void *freed;
	sov_ptr out;
	uint32_t i;

	MUST(sov_memory_alloc(c, 4, &out));
	close_gate(s, 1);
	pthread_create(&thread, NULL, free_it, &out);
	for (i = 0; !r && i < 1000; i++) {
		r = sov_memory_range(c, out, NULL, NULL);
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	}
	refused(r, SOV_ERROR_INVALID_ADDRESS, "is being freed by another thread",
		"memory that a thread is freeing is rejected in other threads");
	open_gate(1);
	pthread_join(thread, &freed);
	ok(!freed, "memory that two threads used is freed");
}

static void many_streams(void)
{
	sov_stream s[16];
	sov_event e[16];
	uint32_t i, k, right = 0;

	for (i = 0; i < 16; i++) {
		MUST(sov_stream_create(c, 0, &s[i]));
		MUST(sov_event_create(c, 0, &e[i]));
	}
	/* A chain of events through all streams, ten times: each adds to the same word. */
	for (k = 0; k < 10; k++)
		for (i = 0; i < 16; i++) {
			if (k || i)
				MUST(sov_stream_wait_event(s[i], e[(i + 15) % 16]));
			plus(s[i], 1, 1);
			plus(s[i], 2 + i, k);
			MUST(sov_event_record(e[i], s[i]));
		}
	MUST(sov_context_wait(c, 60 * SECOND));
	ok(word(1) == 160, "a chain of events through 16 streams keeps its order");
	for (i = 0; i < 16; i++) {
		right += word(2 + i) == 45;
		MUST(sov_event_destroy(e[i]));
		MUST(sov_stream_destroy(s[i]));
	}
	ok(right == 16, "each of 16 streams in a chain of events did its work");
}

static void hundreds_of_streams(void)
{
	sov_context big = context_on(software(2), 0);
	static sov_stream s[200];
	uint32_t i, n = 0;

	for (i = 0; i < COUNT(s) && !sov_stream_create(big, 0, &s[i]); i++)
		n++;
	if (!ok(n == COUNT(s), "a context can have 200 streams"))
		diag("%u: %s", n, sov_last_error());
	good(sov_context_wait(big, 60 * SECOND), "200 streams of one context work");
	MUST(sov_context_destroy(big));
}

/* Streams of every priority work, also after a reset; other priorities are rejected. */
static void priorities(void)
{
	sov_device_properties p = SOV_INIT(sov_device_properties);
	uint32_t n = 5, got = 0, made = 0, sum = 0;
	int32_t i, reported;
	sov_stream s[8];
	sov_device d;

	MUST(sov_context_get_device(c, &d));
	MUST(sov_device_get_properties(d, &p));
	ok(p.min_priority <= 0 && p.max_priority >= 0 && p.max_priority > p.min_priority,
	   "the device has stream priorities from %d to %d", p.min_priority, p.max_priority);
	for (i = p.min_priority; i <= p.max_priority && made < COUNT(s); i++, made++) {
		MUST(sov_stream_create_with_priority(c, 0, i, &s[made]));
		MUST(sov_stream_get_priority(s[made], &reported));
		sum += reported == i;
	}
	ok(sum == made, "a stream returns its priority");
	MUST(sov_stream_create(c, 0, &s[made]));
	MUST(sov_stream_get_priority(s[made], &reported));
	ok(!reported, "a stream created without priority has priority 0");
	for (uint32_t round = 0; round < 2; round++) {
		for (uint32_t k = 0; k <= made; k++) {
			MUST(launch(add, s[k], 1, 1, "84", ARGUMENTS(&words, &n)));
			MUST(sov_stream_wait(s[k], 60 * SECOND));
		}
		if (!round)
			MUST(sov_context_reset(c));
	}
	MUST(sov_memory_copy(c, SOV_HOST(&got), words, 4));
	ok(got == 2 * 5 * (made + 1), "streams of all priorities work");
	refused(sov_stream_create_with_priority(c, 0, p.max_priority + 1, &s[0]),
		SOV_ERROR_INVALID_ARGUMENT, "priority is",
		"a priority above the maximum is rejected");
	refused(sov_stream_create_with_priority(c, 0, p.min_priority - 1, &s[0]),
		SOV_ERROR_INVALID_ARGUMENT, "priority is",
		"a priority below the minimum is rejected");
	refused(sov_stream_get_priority(s[0], NULL), SOV_ERROR_INVALID_ARGUMENT, "is NULL",
		"sov_stream_get_priority rejects NULL");
	for (uint32_t k = 0; k <= made; k++)
		MUST(sov_stream_destroy(s[k]));
}

int main(void)
{
	static const char *const devices[] = {"gh100.0", "ga100.0"};
	sov_module gates;
	sov_stream s, t;
	uint32_t d;

	soft_gpus("gh100:vram=256M,ga100:vram=256M,gh100:vram=1G");
#define FRESH(test) (MUST(sov_memory_fill(c, words, 0, 4, 64)), test)
	for (d = 0; d < DEVICES(devices); d++) {
		diag("%s", devices[d]);
		c = context_on(devices[d], 0);
		add = function_of(c, PTX_ADD, "add");
		gates = module_from(c, PTX_GATE, strlen(PTX_GATE), 0);
		MUST(sov_module_get_function(gates, "gate", &gate));
		MUST(sov_module_get_function(gates, "open", &opener));
		MUST(sov_memory_alloc(c, 256, &words));
		MUST(sov_stream_create(c, 0, &s));
		MUST(sov_stream_create(c, 0, &t));
		FRESH(wrap_around(s));
		FRESH(mixed_order(s));
		FRESH(copies_wait(s));
		FRESH(asking(s));
		FRESH(across_streams(s, t));
		FRESH(record_again(s, t));
		FRESH(times(s));
		FRESH(destroyed_while_busy());
		FRESH(free_while_busy(s));
		FRESH(freed_twice_at_once(s));
		FRESH(many_streams());
		FRESH(priorities());
		MUST(sov_context_destroy(c));
	}
	if (!getenv("TEST_CARD"))
		hundreds_of_streams();
	return tap_done();
}
