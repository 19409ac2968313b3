// SPDX-License-Identifier: MIT
/*
 * sov_context_wait takes no lock where one stream alone has work. The test holds the context's lock
 * itself while another thread waits, and counts how often the wait takes it.
 */
#include <pthread.h>
#include <time.h>
#include "libsov/runtime/stream/stream.h"
#include "tests/userspace/runtime/_api.h"
#include "tests/userspace/runtime/_ptx.h"

static const char empty[] = ".version 7.8\n.target sm_80\n.address_size 64\n"
			    ".visible .entry empty()\n{\n\tret;\n}\n";

struct waiter {
	sov_context context;
	sov_result result;
	_Atomic bool done;
};

static void *wait_for_context(void *arg)
{
	struct waiter *w = arg;

	w->result = sov_context_wait(w->context, SOV_FOREVER);
	w->done = true;
	return NULL;
}

/* Whether a wait for the context ends while this thread holds its lock. */
static bool ends_without_lock(sov_context context)
{
	struct context *c = object_get(context, OBJECT_CONTEXT);
	struct waiter w = {.context = context};
	pthread_t thread;
	bool ended;
	uint32_t i;

	pthread_mutex_lock(&c->lock);
	pthread_create(&thread, NULL, wait_for_context, &w);
	for (i = 0; i < 5000 && !w.done; i++)
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	ended = w.done;
	pthread_mutex_unlock(&c->lock);
	pthread_join(thread, NULL);
	object_put(&c->object);
	return ended && w.result == SOV_OK;
}

/* Waits until the stream is idle, without a call that waits. */
static void let_finish(sov_stream stream)
{
	while (sov_stream_wait(stream, SOV_NO_WAIT) == SOV_NOT_READY)
		nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
}

static void several_streams(sov_context c, sov_function f)
{
	sov_stream first, second;
	sov_graph graph;

	MUST(sov_context_get_stream(c, &first));
	MUST(sov_stream_create(c, 0, &second));
	MUST(launch(f, second, 1, 32, "", NULL));
	MUST(launch(f, first, 1, 32, "", NULL));
	good(sov_context_wait(c, SOV_FOREVER), "a context with two streams is waited for");
	ok(sov_stream_wait(first, SOV_NO_WAIT) == SOV_OK &&
		   sov_stream_wait(second, SOV_NO_WAIT) == SOV_OK,
	   "both streams are idle after the wait");
	MUST(launch(f, second, 1, 32, "", NULL));
	good(sov_context_wait(c, SOV_FOREVER),
	     "a context whose second stream has work is waited for");
	ok(sov_stream_wait(second, SOV_NO_WAIT) == SOV_OK, "the second stream is idle after it");
	MUST(sov_stream_destroy(second));
	MUST(sov_graph_create(c, 0, &graph));
	MUST(sov_stream_begin_capture(first, graph));
	refused(sov_context_wait(c, SOV_FOREVER), SOV_ERROR_UNSUPPORTED, "captured",
		"a wait for a context whose only stream is captured is refused");
	MUST(sov_stream_end_capture(first));
	MUST(sov_graph_destroy(graph));
}

/* NULL is the first stream in calls that know the context by another object. */
static void null_streams(sov_context c, sov_function f)
{
	const sov_launch one = {.size = sizeof(one), .grid = {1, 1, 1}, .block = {32, 1, 1}};
	sov_graph_exec exec;
	sov_stream first;
	sov_graph graph;
	sov_node node;
	sov_event e;

	MUST(sov_context_get_stream(c, &first));
	MUST(sov_event_create(c, 0, &e));
	good(sov_event_record(e, NULL), "an event is recorded on the first stream");
	good(sov_stream_wait_event(NULL, e), "the first stream waits for an event");
	MUST(sov_graph_create(c, 0, &graph));
	good(sov_stream_begin_capture(NULL, graph), "the first stream is captured");
	MUST(launch(f, NULL, 1, 32, "", NULL));
	refused(sov_stream_wait(first, SOV_FOREVER), SOV_ERROR_UNSUPPORTED, "captured",
		"it was the first stream");
	MUST(sov_stream_end_capture(first));
	MUST(sov_graph_destroy(graph));
	MUST(sov_graph_create(c, 0, &graph));
	MUST(sov_graph_add_kernel(graph, NULL, 0, f, &one, &node));
	MUST(sov_graph_instantiate(graph, &exec));
	good(sov_graph_launch(exec, NULL), "a graph is launched on the first stream");
	good(sov_stream_wait(first, SOV_FOREVER), "where it ends");
	MUST(sov_graph_exec_destroy(exec));
	MUST(sov_graph_destroy(graph));
	MUST(sov_event_destroy(e));
}

static void nothing(void *user)
{
	(void)user;
}

/* A call that takes only a stream cannot know the context. */
static void only_a_stream(sov_context c)
{
	sov_copy_rect rect = SOV_INIT(sov_copy_rect);
	sov_ptr a, b;
	int32_t priority;

	MUST(sov_memory_alloc(c, 256, &a));
	rect.destination = a;
	rect.source = a + 128;
	rect.width_bytes = 4;
	const struct {
		const char *name;
		sov_result result;
		const char *error;
	} calls[] = {
#define CALL(name, ...) {#name, sov_##name(NULL, __VA_ARGS__), strdup(sov_last_error())}
#define CALL1(name)     {#name, sov_##name(NULL), strdup(sov_last_error())}
		CALL(stream_wait, SOV_FOREVER),
		CALL(stream_get_priority, &priority),
		CALL1(stream_destroy),
		CALL1(stream_end_capture),
		CALL(stream_wait_value, a, 0, 4, SOV_WAIT_REACHED),
		CALL(stream_write_value, a, 0, 4),
		CALL(stream_host_function, nothing, NULL),
		CALL(memory_copy_async, a, a + 128, 4),
		CALL(memory_fill_async, a, 0, 4, 1),
		CALL(memory_copy_rect_async, &rect),
		CALL(memory_alloc_async, 256, &b),
		CALL(memory_free_async, a),
#undef CALL
#undef CALL1
	};

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		ok(calls[i].result == SOV_ERROR_INVALID_HANDLE &&
			   strstr(calls[i].error, "names no context whose first stream that could "
						  "be; sov_context_get_stream"),
		   "sov_%s says where to get the first stream", calls[i].name);
		free((char *)calls[i].error);
	}
	MUST(sov_memory_free(c, a));
}

int main(void)
{
	sov_function f;
	sov_context c;
	sov_stream first, second;

	setenv("SOV_SOFT", "gh100", 0);
	c = context_on(software(0), 0);
	f = function_of(c, empty, "empty");
	MUST(sov_context_get_stream(c, &first));
	MUST(launch(f, NULL, 1, 32, "", NULL));
	let_finish(first);
	ok(ends_without_lock(c), "a wait for the context's only stream takes no lock");
	several_streams(c, f);
	only_a_stream(c);
	null_streams(c, f);
	MUST(launch(f, NULL, 1, 32, "", NULL));
	let_finish(first);
	ok(ends_without_lock(c), "it takes none again when the second stream is destroyed");
	MUST(sov_stream_create(c, 0, &second));
	refused(sov_context_wait((sov_context)second, SOV_FOREVER), SOV_ERROR_INVALID_HANDLE,
		"of a stream, not of a context", "the handle of a stream is refused");
	MUST(sov_context_destroy(c));
	refused(sov_context_wait(c, SOV_FOREVER), SOV_ERROR_INVALID_HANDLE, "destroyed",
		"a destroyed context is refused");
	return tap_done();
}
