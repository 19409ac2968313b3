// SPDX-License-Identifier: MIT
/*
 * Stream capture. While a stream is captured, its work becomes nodes of a graph, each depending on
 * the previous one. An event recorded in the capture stands for the nodes so far; a stream that
 * waits for it joins the capture, and its work depends on these nodes. When the capture ends, the
 * first stream must depend on every node: nodes left on other streams are an error.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/runtime/base/api_calls.h"
#include "libsov/runtime/base/error.h"
#include "libsov/runtime/graph/capture.h"
#include "libsov/runtime/graph/graph.h"
#include "libsov/runtime/stream/event.h"
#include "libsov/runtime/stream/stream.h"

struct capture {
	uint64_t id;            /* shared by all streams of the capture, unique among captures */
	struct graph *graph;    /* a reference */
	bool first;             /* sov_stream_begin_capture was called for this stream */
	uint32_t *dependencies; /* of the next node */
	uint32_t count;
};

/* All with the context's lock held. */

static sov_result capture_depend_on(struct capture *k, uint32_t node, bool only)
{
	uint32_t *more;

	if (only)
		k->count = 0;
	more = realloc(k->dependencies, (k->count + 1) * sizeof(*more));
	if (!more)
		return set_error(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a capture");
	k->dependencies = more;
	k->dependencies[k->count++] = node;
	return SOV_OK;
}

static sov_result capture_start(struct stream *s, struct graph *g, uint64_t id, bool first)
{
	struct capture *k = calloc(1, sizeof(*k));

	if (!k)
		return set_error(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a capture");
	k->id = id;
	k->graph = g;
	k->first = first;
	object_reference(&g->member.object);
	s->capture = k;
	atomic_store(&s->capturing, true);
	return SOV_OK;
}

/* Transfers the reference to the graph to the caller, who drops it without the lock. */
static struct graph *capture_end(struct stream *s)
{
	struct capture *k = s->capture;
	struct graph *g = k->graph;

	atomic_store(&s->capturing, false);
	s->capture = NULL;
	free(k->dependencies);
	free(k);
	return g;
}

/* Ends the capture of the stream, and if it is the first, of all streams that joined. Returns how
 * many references to the graph the caller has to drop. */
static uint32_t capture_end_all(struct stream *s)
{
	struct context *c = s->member.context;
	uint64_t id = s->capture->id;
	uint32_t puts = 1;
	struct list_head *l;

	if (s->capture->first)
		for (l = c->streams.next; l != &c->streams; l = l->next) {
			struct stream *other = stream_of(l);

			if (other != s && other->capture && other->capture->id == id) {
				capture_end(other);
				puts++;
			}
		}
	capture_end(s);
	return puts;
}

static void capture_abandon(struct stream *s)
{
	struct context *c = s->member.context;
	struct graph *g = NULL;
	uint32_t puts = 0;

	pthread_mutex_lock(&c->lock);
	if (s->capture) {
		g = s->capture->graph;
		puts = capture_end_all(s);
	}
	pthread_mutex_unlock(&c->lock);
	while (puts--)
		object_put(&g->member.object);
}

static sov_result capture_append(struct stream *s, struct node *n)
{
	struct capture *k = s->capture;
	uint32_t number;
	sov_result r = graph_add(k->graph, k->dependencies, k->count, n, &number);

	return r ? r : capture_depend_on(k, number, true);
}

/* Takes the lock; false with *r set and without the lock if the capture has ended. */
static bool capture_enter(struct stream *s, sov_result *r)
{
	pthread_mutex_lock(&s->member.context->lock);
	*r = context_check(s->member.context);
	if (!*r && !s->capture)
		*r = set_error(SOV_ERROR_BUSY, "another thread ended the capture of the stream");
	if (*r)
		pthread_mutex_unlock(&s->member.context->lock);
	return !*r;
}

static sov_result capture_leave(struct stream *s, sov_result r)
{
	pthread_mutex_unlock(&s->member.context->lock);
	return r;
}

static sov_result capture_kernel(struct stream *s, struct function *f, const sov_launch *l)
{
	struct node n;
	sov_result r;

	if (!capture_enter(s, &r))
		return r;
	r = node_kernel(s->member.context, f, l, &n);
	return capture_leave(s, r ? r : capture_append(s, &n));
}

static sov_result capture_copy(struct stream *s, uint64_t destination, uint64_t source,
			       uint64_t bytes)
{
	struct node n;
	sov_result r;

	if (!capture_enter(s, &r))
		return r;
	r = node_copy(s->member.context, destination, source, bytes, &n);
	return capture_leave(s, r ? r : capture_append(s, &n));
}

static sov_result capture_copy_rect(struct stream *s, const struct copy_rect *b)
{
	uint32_t number;
	sov_result r;

	if (!capture_enter(s, &r))
		return r;
	r = graph_add_rect(s->capture->graph, s->capture->dependencies, s->capture->count, b,
			   &number);
	return capture_leave(s, r ? r : capture_depend_on(s->capture, number, true));
}

static sov_result capture_fill(struct stream *s, uint64_t address, uint32_t value,
			       uint32_t element_bytes, uint64_t count)
{
	struct node n;
	sov_result r;

	if (!capture_enter(s, &r))
		return r;
	r = node_fill(s->member.context, address, value, element_bytes, count, &n);
	return capture_leave(s, r ? r : capture_append(s, &n));
}

static sov_result capture_host_function(struct stream *s, void (*function)(void *user), void *user)
{
	struct node n = {.kind = NODE_HOST_FUNCTION, .host = {function, user}};
	sov_result r;

	return capture_enter(s, &r) ? capture_leave(s, capture_append(s, &n)) : r;
}

static sov_result capture_record(struct stream *s, struct event *e)
{
	struct capture *k;
	uint32_t *dependencies;
	sov_result r;

	if (!capture_enter(s, &r))
		return r;
	k = s->capture;
	dependencies = realloc(e->captured, (k->count + 1) * sizeof(*dependencies));
	if (!dependencies)
		return capture_leave(
			s, set_error(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a capture"));
	if (k->count)
		memcpy(dependencies, k->dependencies, k->count * sizeof(*dependencies));
	e->captured = dependencies;
	e->captured_count = k->count;
	atomic_store_explicit(&e->captured_in, k->id, memory_order_relaxed);
	return capture_leave(s, SOV_OK);
}

/* A stream of this capture; NULL: the capture has ended. */
static struct stream *capture_find_stream(struct context *c, uint64_t id)
{
	struct list_head *l;

	for (l = c->streams.next; l != &c->streams; l = l->next)
		if (stream_of(l)->capture && stream_of(l)->capture->id == id)
			return stream_of(l);
	return NULL;
}

/* The stream waits for an event of a capture, and joins it. */
static sov_result capture_wait(struct stream *s, struct event *e)
{
	struct context *c = s->member.context;
	struct stream *one;
	uint64_t id;
	sov_result r;
	uint32_t i;

	pthread_mutex_lock(&c->lock);
	r = context_check(c);
	id = atomic_load_explicit(&e->captured_in, memory_order_relaxed);
	one = capture_find_stream(c, id);
	if (!r && !one)
		r = set_error(
			SOV_ERROR_INVALID_ARGUMENT,
			"the event was recorded in a capture that has ended; record it again");
	if (!r && s->capture && s->capture->id != id)
		r = set_error(SOV_ERROR_INVALID_ARGUMENT,
			      "the event was recorded in another capture "
			      "than the stream's; record it there");
	if (!r && !s->capture)
		r = capture_start(s, one->capture->graph, id, false);
	for (i = 0; !r && i < e->captured_count; i++)
		r = capture_depend_on(s->capture, e->captured[i], false);
	pthread_mutex_unlock(&c->lock);
	return r;
}

sov_result api_stream_begin_capture(sov_stream stream, sov_graph graph)
{
	struct graph *g = object_get(graph, OBJECT_GRAPH);
	struct stream *s;
	sov_result r;

	if (!g)
		return SOV_ERROR_INVALID_HANDLE;
	s = member_enter(stream ? stream : g->member.context->first_handle, OBJECT_STREAM, &r);
	if (s) {
		if (s->capture)
			r = set_error(SOV_ERROR_BUSY, "the stream is being captured already");
		else if (s->member.context != g->member.context)
			r = set_error(SOV_ERROR_INVALID_HANDLE,
				      "the graph belongs to another context");
		else
			r = capture_start(s, g, ++s->member.context->capture_serial, true);
		member_leave(s, r);
	}
	object_put(&g->member.object);
	return r;
}

/* Marks all transitive dependencies of the nodes on the stack. */
static void mark_dependencies(const struct graph *g, bool *seen, uint32_t *stack, uint32_t n)
{
	while (n) {
		const struct node *node = &g->nodes[stack[--n] - 1];
		uint32_t i;

		for (i = 0; i < node->ndependencies; i++)
			if (!seen[node->dependencies[i]]) {
				seen[node->dependencies[i]] = true;
				stack[n++] = node->dependencies[i];
			}
	}
}

static sov_result capture_check_joined(const struct capture *k)
{
	const struct graph *g = k->graph;
	bool *seen = calloc(g->count + 1, sizeof(*seen));
	uint32_t *stack = calloc(g->count + 1, sizeof(*stack)), i, n = 0, lost = 0, first = 0;
	sov_result r = SOV_OK;

	if (!seen || !stack) {
		free(seen);
		free(stack);
		return set_error(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a capture");
	}
	for (i = 0; i < k->count; i++)
		if (!seen[k->dependencies[i]]) {
			seen[k->dependencies[i]] = true;
			stack[n++] = k->dependencies[i];
		}
	mark_dependencies(g, seen, stack, n);
	for (i = g->count; i; i--)
		if (!seen[i]) {
			lost++;
			first = i;
		}
	if (lost)
		r = set_error(
			SOV_ERROR_INVALID_ARGUMENT,
			"%u nodes, the first is %u, were captured on streams that the first stream "
			"does not wait for; record an event there and wait for it",
			lost, first);
	free(seen);
	free(stack);
	return r;
}

sov_result api_stream_end_capture(sov_stream stream)
{
	sov_result r;
	struct stream *s = member_enter_failed(stream, OBJECT_STREAM, &r);
	struct graph *g;
	uint32_t puts;

	if (!s)
		return r;
	if (!s->capture || !s->capture->first)
		return member_leave(s, set_error(SOV_ERROR_INVALID_ARGUMENT,
						 "no capture was begun on the stream; call "
						 "sov_stream_begin_capture first"));
	if (!r)
		r = capture_check_joined(s->capture);
	g = s->capture->graph;
	puts = capture_end_all(s);
	member_leave(s, r);
	while (puts--)
		object_put(&g->member.object);
	return r;
}

/* ---- hooks of the context ---- */

static const struct capture_ops capture_ops = {
	.kernel = capture_kernel,
	.copy = capture_copy,
	.copy_rect = capture_copy_rect,
	.fill = capture_fill,
	.host_function = capture_host_function,
	.record = capture_record,
	.wait = capture_wait,
	.abandon = capture_abandon,
};

static sov_result graphs_create(struct context *c)
{
	c->capture_ops = &capture_ops;
	return SOV_OK;
}

static void graphs_retire(struct context *c, struct member **retired)
{
	context_retire_members(&c->graphs, retired);
}

const struct context_part graph_part = {.create = graphs_create, .retire = graphs_retire};
