// SPDX-License-Identifier: MIT
/*
 * The GPU compares 32 bits of seqnos and event values. Streams whose values are about to wrap
 * continue correctly, whether the GPU compares modulo 2^32 or not.
 */
#include "libsov/runtime/stream/event.h"
#include "libsov/runtime/stream/submit.h"
#include "tests/userspace/runtime/_api.h"
#include "tests/userspace/runtime/_ptx.h"

#define BEFORE 20u /* seqnos before the wrap */
#define ROUNDS 60u

static sov_function add;
static sov_ptr word;

/* Sets the last seqno of an idle stream. */
static void set_seqno(sov_stream handle, uint64_t seqno)
{
	struct stream *s = object_get(handle, OBJECT_STREAM);

	MUST(sov_stream_wait(handle, 60 * SECOND));
	pthread_mutex_lock(&s->member.context->lock);
	gate_close(&s->gate);
	s->published = seqno;
	atomic_store(&s->completed, seqno);
	atomic_store(&s->tail, seqno << STREAM_COMPLETION_BITS | COMPLETED_BY_COMPUTE);
	__atomic_store_n(s->done->payload, (uint32_t)seqno, __ATOMIC_RELEASE);
	gate_open(&s->gate);
	pthread_mutex_unlock(&s->member.context->lock);
	object_put(&s->member.object);
}

static uint64_t seqno_of(sov_stream handle)
{
	struct stream *s = object_get(handle, OBJECT_STREAM);
	uint64_t n = stream_last(s);

	object_put(&s->member.object);
	return n;
}

static void set_value(sov_event handle, uint32_t value)
{
	struct event *e = object_get(handle, OBJECT_EVENT);

	__atomic_store_n(e->semaphore->payload, value, __ATOMIC_RELEASE);
	e->semaphore->value = value;
	object_put(&e->member.object);
}

/* In each round two streams add to one word alternately, ordered by events, with copies in
 * between. */
static void alternate(const char *device)
{
	sov_context c = context_on(device, 0);
	uint32_t i, n, got = 0, want = 0, one = 1, right = 0;
	sov_stream s[2];
	sov_event e[2];
	sov_ptr copy;

	add = function_of(c, PTX_ADD, "add");
	MUST(sov_memory_alloc(c, 4, &word));
	MUST(sov_memory_alloc(c, 4, &copy));
	MUST(sov_memory_fill(c, word, 0, 4, 1));
	for (i = 0; i < 2; i++) {
		MUST(sov_stream_create(c, 0, &s[i]));
		MUST(sov_event_create(c, i ? SOV_EVENT_DISABLE_TIMING : 0, &e[i]));
	}
	set_seqno(s[0], (UINT64_C(1) << 32) - BEFORE);
	set_seqno(s[1], (UINT64_C(7) << 32) - BEFORE - 11);
	set_value(e[0], UINT32_MAX - 9);
	for (i = 0; i < 2; i++)
		MUST(sov_event_record(e[i], s[i]));
	for (i = 0; i < ROUNDS; i++) {
		for (n = 0; n < 2; n++) {
			MUST(sov_stream_wait_event(s[n], e[!n]));
			MUST(launch(add, s[n], 1, 1, "84", ARGUMENTS(&word, &one)));
			MUST(sov_memory_copy_async(s[n], copy, word, 4));
			MUST(sov_event_record(e[n], s[n]));
		}
		want += 2;
		if (i % 7 == 6) {
			MUST(sov_memory_copy_async(s[1], SOV_HOST(&got), copy, 4));
			MUST(sov_stream_wait(s[1], 60 * SECOND));
			right += got == want;
		}
	}
	MUST(sov_stream_wait(s[1], 60 * SECOND));
	MUST(sov_stream_wait(s[0], 60 * SECOND));
	ok(right == ROUNDS / 7, "%s: %u of %u copies around the seqno wrap see the right value",
	   device, right, ROUNDS / 7);
	ok(seqno_of(s[0]) > UINT64_C(1) << 32 && seqno_of(s[1]) > UINT64_C(7) << 32,
	   "%s: both streams continue after the seqno wrap", device);
	MUST(sov_context_destroy(c));
}

static void nothing(void *user)
{
	++*(_Atomic uint32_t *)user;
}

static void calls(const char *device)
{
	sov_context c = context_on(device, 0);
	static _Atomic uint32_t called;
	uint32_t i;
	sov_stream s;

	called = 0;
	MUST(sov_stream_create(c, 0, &s));
	set_seqno(s, (UINT64_C(1) << 32) - 5);
	for (i = 0; i < 10; i++)
		MUST(sov_stream_host_function(s, nothing, &called));
	MUST(sov_stream_wait(s, 60 * SECOND));
	ok(called == 10, "%s: host functions are called before and after a semaphore wraps",
	   device);
	MUST(sov_context_destroy(c));
}

int main(void)
{
	static const char *const devices[] = {"gh100.0", "navi21.0"};
	uint32_t d;

	setenv("SOV_SOFT", "gh100:vram=64M,navi21:vram=64M", 1);
	unsetenv("TEST_CHIP");
	for (d = 0; d < COUNT(devices); d++) {
		alternate(devices[d]);
		calls(devices[d]);
	}
	return tap_done();
}
