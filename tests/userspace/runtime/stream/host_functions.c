// SPDX-License-Identifier: MIT
/* Host functions run in stream order, and destroying their context concurrently is safe. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include "tests/userspace/runtime/_api.h"

enum { ROUNDS = 100 / TAP_SLOWNESS + 4, CALLERS = 6 };

static _Atomic uint32_t called;

static void nothing(void *user)
{
	(void)user;
	called++;
}

static sov_context context;
static sov_result inside;
static char said[256];

static void destroy_mine(void *user)
{
	inside = sov_context_destroy(*(sov_context *)user);
	snprintf(said, sizeof(said), "%s", sov_last_error());
}

/* The thread of host functions would wait for itself. */
static void from_inside(void)
{
	sov_stream s;

	MUST(sov_context_get_stream(context, &s));
	MUST(sov_stream_host_function(s, destroy_mine, &context));
	MUST(sov_stream_wait(s, 60 * SECOND));
	ok(inside == SOV_ERROR_BUSY && strstr(said, "another thread"),
	   "a host function that destroys its own context gets SOV_ERROR_BUSY");
	good(sov_context_status(context),
	     "a context survives its host function's attempt to destroy it");
}

static sov_context other;

/* A host function may destroy another context. */
static void another(void)
{
	sov_device d;
	sov_stream s;

	MUST(sov_context_get_device(context, &d));
	MUST(sov_context_create(d, NULL, &other));
	MUST(sov_context_get_stream(other, &s));
	MUST(sov_stream_host_function(s, nothing, NULL));
	MUST(sov_context_get_stream(context, &s));
	MUST(sov_stream_host_function(s, destroy_mine, &other));
	MUST(sov_stream_wait(s, 60 * SECOND));
	ok(!inside, "a host function may destroy another context");
}

static void *call_and_call(void *arg)
{
	sov_stream s = arg;
	sov_result r;

	/* Few enough that no call waits for a slot. */
	do {
		r = sov_stream_host_function(s, nothing, NULL);
		if (!r)
			r = sov_stream_wait(s, 60 * SECOND);
	} while (!r);
	return (void *)(uintptr_t)r;
}

/* Other threads are inside sov_stream_host_function. */
static void while_calling(void)
{
	uint32_t i, k, strange = 0;
	sov_device d;

	MUST(sov_context_get_device(context, &d));
	for (i = 0; i < ROUNDS; i++) {
		pthread_t threads[CALLERS];
		sov_context c;
		sov_stream s;
		void *r;

		MUST(sov_context_create(d, NULL, &c));
		for (k = 0; k < CALLERS; k++) {
			MUST(sov_stream_create(c, 0, &s));
			pthread_create(&threads[k], NULL, call_and_call, s);
		}
		for (called = 0; called < 10 + i;)
			sched_yield();
		MUST(sov_context_destroy(c));
		for (k = 0; k < CALLERS; k++) {
			pthread_join(threads[k], &r);
			strange += (uintptr_t)r != SOV_ERROR_CANCELLED &&
				   (uintptr_t)r != SOV_ERROR_INVALID_HANDLE;
		}
	}
	ok(!strange, "a context is destroyed %u times while %u threads call host functions", ROUNDS,
	   CALLERS);
}

static uint32_t counted, next_number, early;

static void count(void *user)
{
	early += *(uint32_t *)user != counted++;
}

/* More host functions than a stream has slots, in order. */
static void many(void)
{
	static uint32_t numbers[2000];
	sov_stream s;

	MUST(sov_stream_create(context, 0, &s));
	for (next_number = 0; next_number < COUNT(numbers); next_number++) {
		numbers[next_number] = next_number;
		MUST(sov_stream_host_function(s, count, &numbers[next_number]));
	}
	MUST(sov_stream_wait(s, 60 * SECOND));
	ok(counted == COUNT(numbers) && !early, "%u host functions of a stream run in order",
	   COUNT(numbers));
	MUST(sov_stream_destroy(s));
}

static void block(void *user)
{
	while (!__atomic_load_n((uint32_t *)user, __ATOMIC_ACQUIRE))
		sched_yield();
}

/* A pending host function is not called after a reset. */
static void reset(void)
{
	uint32_t gate = 0, before = counted;
	sov_stream s;

	MUST(sov_context_get_stream(context, &s));
	MUST(sov_stream_host_function(s, block, &gate));
	MUST(sov_stream_host_function(s, count, &before));
	MUST(sov_context_reset(context));
	__atomic_store_n(&gate, 1, __ATOMIC_RELEASE);
	MUST(sov_stream_host_function(s, nothing, NULL));
	MUST(sov_stream_wait(s, 60 * SECOND));
	ok(counted == before, "a host function is not called after a reset dropped it");
}

int main(void)
{
	soft_gpus("gh100:vram=256M");
	setenv("SOV_VISIBLE_DEVICES", soft_name("gh100.0"), 1);
	context = context_on("gh100.0", 0);
	from_inside();
	another();
	many();
	reset();
	while_calling();
	MUST(sov_context_destroy(context));
	return tap_done();
}
