/* SPDX-License-Identifier: MIT */
/*
 * Graphs recorded from streams. While a stream is captured, work for it becomes nodes, each after
 * the one before. An event that is recorded there stands for the nodes so far; a stream that waits
 * for it is captured too, and its work comes after them. In the end every node has to lead to the
 * stream that was captured first: what was left on another is an error, not lost.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/runtime/graph/graph.h"

struct capture {
	uint64_t id;         /* all streams of a capture have it, and no other capture */
	struct graph *graph; /* a reference */
	bool first;          /* the stream that sov_stream_begin_capture was called for */
	uint32_t *after;     /* nodes that the next one comes after */
	uint32_t count;
};

static struct stream *stream_of(struct link *l)
{
	return (struct stream *)((char *)l - offsetof(struct stream, member.link));
}

/* With the lock held, all of it. */

static sov_result follow(struct capture *k, uint32_t node, bool only)
{
	uint32_t *more;

	if (only)
		k->count = 0;
	more = realloc(k->after, (k->count + 1) * sizeof(*more));
	if (!more)
		return refuse(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a capture");
	k->after = more;
	k->after[k->count++] = node;
	return SOV_OK;
}

static sov_result start(struct stream *s, struct graph *g, uint64_t id, bool first)
{
	struct capture *k = calloc(1, sizeof(*k));

	if (!k)
		return refuse(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a capture");
	k->id = id;
	k->graph = g;
	k->first = first;
	object_reference(&g->member.object);
	s->capture = k;
	atomic_store(&s->capturing, true);
	return SOV_OK;
}

/* The graph's reference goes to the caller, who puts it without the lock. */
static struct graph *end(struct stream *s)
{
	struct capture *k = s->capture;
	struct graph *g = k->graph;

	atomic_store(&s->capturing, false);
	s->capture = NULL;
	free(k->after);
	free(k);
	return g;
}

/* With all streams that have joined it, if it is the first. How many references to the graph are
 * left to be put. */
static uint32_t end_all(struct stream *s)
{
	struct context *c = s->member.context;
	uint64_t id = s->capture->id;
	uint32_t puts = 1;
	struct link *l;

	if (s->capture->first)
		for (l = c->streams.next; l != &c->streams; l = l->next) {
			struct stream *other = stream_of(l);

			if (other != s && other->capture && other->capture->id == id) {
				end(other);
				puts++;
			}
		}
	end(s);
	return puts;
}

void capture_drop(struct stream *s)
{
	struct context *c = s->member.context;
	struct graph *g = NULL;
	uint32_t puts = 0;

	pthread_mutex_lock(&c->lock);
	if (s->capture) {
		g = s->capture->graph;
		puts = end_all(s);
	}
	pthread_mutex_unlock(&c->lock);
	while (puts--)
		object_put(&g->member.object);
}

static sov_result append(struct stream *s, struct node *n)
{
	struct capture *k = s->capture;
	uint32_t number;
	sov_result r = graph_add(k->graph, k->after, k->count, n, &number);

	return r ? r : follow(k, number, true);
}

/* The lock is taken; false: it is not, with *r set; the capture has ended meanwhile. */
static bool enter(struct stream *s, sov_result *r)
{
	pthread_mutex_lock(&s->member.context->lock);
	*r = context_check(s->member.context);
	if (!*r && !s->capture)
		*r = refuse(SOV_ERROR_BUSY, "another thread ended the capture of the stream");
	if (*r)
		pthread_mutex_unlock(&s->member.context->lock);
	return !*r;
}

static sov_result leave(struct stream *s, sov_result r)
{
	pthread_mutex_unlock(&s->member.context->lock);
	return r;
}

sov_result graph_capture_kernel(struct stream *s, struct function *f, const sov_launch *l)
{
	struct node n;
	sov_result r;

	if (!enter(s, &r))
		return r;
	r = node_kernel(s->member.context, f, l, &n);
	return leave(s, r ? r : append(s, &n));
}

sov_result graph_capture_copy(struct stream *s, uint64_t destination, uint64_t source,
			      uint64_t bytes)
{
	struct node n;
	sov_result r;

	if (!enter(s, &r))
		return r;
	r = node_copy(s->member.context, destination, source, bytes, &n);
	return leave(s, r ? r : append(s, &n));
}

sov_result graph_capture_box(struct stream *s, const struct box *b)
{
	uint32_t number;
	sov_result r;

	if (!enter(s, &r))
		return r;
	r = graph_add_box(s->capture->graph, s->capture->after, s->capture->count, b, &number);
	return leave(s, r ? r : follow(s->capture, number, true));
}

sov_result graph_capture_fill(struct stream *s, uint64_t address, uint32_t value,
			      uint32_t element_bytes, uint64_t count)
{
	struct node n;
	sov_result r;

	if (!enter(s, &r))
		return r;
	r = node_fill(s->member.context, address, value, element_bytes, count, &n);
	return leave(s, r ? r : append(s, &n));
}

sov_result graph_capture_call(struct stream *s, void (*function)(void *user), void *user)
{
	struct node n = {.kind = NODE_CALL, .call = {function, user}};
	sov_result r;

	return enter(s, &r) ? leave(s, append(s, &n)) : r;
}

sov_result graph_capture_record(struct stream *s, struct event *e)
{
	struct capture *k;
	uint32_t *after;
	sov_result r;

	if (!enter(s, &r))
		return r;
	k = s->capture;
	after = realloc(e->captured, (k->count + 1) * sizeof(*after));
	if (!after)
		return leave(s,
			     refuse(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a capture"));
	if (k->count)
		memcpy(after, k->after, k->count * sizeof(*after));
	e->captured = after;
	e->captured_count = k->count;
	atomic_store_explicit(&e->captured_in, k->id, memory_order_relaxed);
	return leave(s, SOV_OK);
}

/* A stream of this capture; NULL: it has ended. */
static struct stream *find(struct context *c, uint64_t id)
{
	struct link *l;

	for (l = c->streams.next; l != &c->streams; l = l->next)
		if (stream_of(l)->capture && stream_of(l)->capture->id == id)
			return stream_of(l);
	return NULL;
}

/* The stream waits for an event that was recorded in a capture. */
sov_result graph_capture_wait(struct stream *s, struct event *e)
{
	struct context *c = s->member.context;
	struct stream *one;
	uint64_t id;
	sov_result r;
	uint32_t i;

	pthread_mutex_lock(&c->lock);
	r = context_check(c);
	id = atomic_load_explicit(&e->captured_in, memory_order_relaxed);
	one = find(c, id);
	if (!r && !one)
		r = refuse(SOV_ERROR_INVALID_ARGUMENT,
			   "the event was recorded in a capture that has ended; record it again");
	if (!r && s->capture && s->capture->id != id)
		r = refuse(SOV_ERROR_INVALID_ARGUMENT, "the event was recorded in another capture "
						       "than the stream's; record it there");
	if (!r && !s->capture)
		r = start(s, one->capture->graph, id, false);
	for (i = 0; !r && i < e->captured_count; i++)
		r = follow(s->capture, e->captured[i], false);
	pthread_mutex_unlock(&c->lock);
	return r;
}

sov_result sov_stream_begin_capture(sov_stream stream, sov_graph graph)
{
	struct graph *g = object_get(graph, OBJECT_GRAPH);
	struct stream *s;
	sov_result r;

	if (!g)
		return SOV_ERROR_INVALID_HANDLE;
	s = member_enter(stream, OBJECT_STREAM, &r);
	if (s) {
		if (s->capture)
			r = refuse(SOV_ERROR_BUSY, "the stream is being captured already");
		else if (s->member.context != g->member.context)
			r = refuse(SOV_ERROR_INVALID_HANDLE,
				   "the graph belongs to another context");
		else
			r = start(s, g, ++s->member.context->capture_serial, true);
		member_leave(s, r);
	}
	object_put(&g->member.object);
	return r;
}

/* Nodes that lead to the stream's last ones. */
static void mark_back(const struct graph *g, bool *seen, uint32_t *stack, uint32_t n)
{
	while (n) {
		const struct node *node = &g->nodes[stack[--n] - 1];
		uint32_t i;

		for (i = 0; i < node->nafter; i++)
			if (!seen[node->after[i]]) {
				seen[node->after[i]] = true;
				stack[n++] = node->after[i];
			}
	}
}

static sov_result find_lost(const struct capture *k)
{
	const struct graph *g = k->graph;
	bool *seen = calloc(g->count + 1, sizeof(*seen));
	uint32_t *stack = calloc(g->count + 1, sizeof(*stack)), i, n = 0, lost = 0, first = 0;
	sov_result r = SOV_OK;

	if (!seen || !stack) {
		free(seen);
		free(stack);
		return refuse(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a capture");
	}
	for (i = 0; i < k->count; i++)
		if (!seen[k->after[i]]) {
			seen[k->after[i]] = true;
			stack[n++] = k->after[i];
		}
	mark_back(g, seen, stack, n);
	for (i = g->count; i; i--)
		if (!seen[i]) {
			lost++;
			first = i;
		}
	if (lost)
		r = refuse(
			SOV_ERROR_INVALID_ARGUMENT,
			"%u nodes, the first is %u, were captured on streams that the first stream "
			"does not wait for; record an event there and wait for it",
			lost, first);
	free(seen);
	free(stack);
	return r;
}

sov_result sov_stream_end_capture(sov_stream stream)
{
	sov_result r;
	struct stream *s = member_enter_failed(stream, OBJECT_STREAM, &r);
	struct graph *g;
	uint32_t puts;

	if (!s)
		return r;
	if (!s->capture || !s->capture->first)
		return member_leave(s, refuse(SOV_ERROR_INVALID_ARGUMENT,
					      "no capture was begun on the stream; "
					      "sov_stream_begin_capture does"));
	if (!r)
		r = find_lost(s->capture);
	g = s->capture->graph;
	puts = end_all(s);
	member_leave(s, r);
	while (puts--)
		object_put(&g->member.object);
	return r;
}
