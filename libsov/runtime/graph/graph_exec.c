// SPDX-License-Identifier: MIT
/*
 * Executable graphs. graph_write.c writes their commands once; a launch is one submission, whose
 * ring entries point to them, and one doorbell. Only host functions split a graph into several
 * submissions.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/runtime/base/api_calls.h"
#include "libsov/runtime/base/demangle.h"
#include "libsov/runtime/base/error.h"
#include "libsov/runtime/base/log.h"
#include "libsov/runtime/base/minmax.h"
#include "libsov/runtime/context/context_wait.h"
#include "libsov/runtime/graph/conditional.h"
#include "libsov/runtime/graph/graph_exec.h"
#include "libsov/runtime/graph/graph_nodes.h"
#include "libsov/runtime/graph/graph_order.h"
#include "libsov/runtime/graph/graph_write.h"
#include "libsov/runtime/memory/local_memory.h"
#include "libsov/runtime/module/module.h"
#include "libsov/runtime/stream/host_function.h"
#include "libsov/runtime/stream/stream.h"
#include "libsov/runtime/trace/trace_ring.h"

static void graph_exec_free(struct object *o)
{
	struct graph_exec *g = (struct graph_exec *)o;
	struct context *c = g->member.context;
	uint32_t i;

	pthread_mutex_lock(&c->lock);
	list_del(&g->member.link);
	if (g->memory)
		buffer_destroy(c, g->memory);
	pthread_mutex_unlock(&c->lock);
	nodes_free(g->nodes, g->count);
	if (g->last)
		object_put(&g->last->member.object);
	pthread_mutex_destroy(&g->executing);
	free(g->level);
	free(g->order);
	free(g->kernels);
	free(g->next);
	free(g->before);
	free(g->segments);
	for (i = 0; i < g->ncodes; i++)
		free(g->codes[i].code);
	free(g->codes);
	free(g->words);
	free(g);
	object_put(&c->object);
}

const struct function *graph_function_at(const struct context *c, uint64_t va, uint64_t *base)
{
	const struct list_head *l;
	uint32_t i;

	for (l = c->graphs.next; l != &c->graphs; l = l->next) {
		const struct member *m = container_of(l, struct member, link);
		const struct graph_exec *g = (const struct graph_exec *)m;

		for (i = 0; m->object.kind == OBJECT_GRAPH_EXEC && i < g->ncodes; i++) {
			*base = g->codes[i].va + c->gpu->chain_wait_bytes(c->chip);
			if (va - *base < g->codes[i].function->kernel->code_bytes)
				return g->codes[i].function;
		}
	}
	return NULL;
}

/* ---- instantiating ---- */

static sov_result graph_copy_nodes(struct graph_exec *g, const struct node *nodes, uint32_t count)
{
	struct graph_body copy = {0};
	sov_result r = body_copy(nodes, count, &copy);

	g->nodes = copy.nodes;
	g->count = copy.count;
	g->level = calloc(count + 1, sizeof(*g->level));
	g->order = calloc(count + 1, sizeof(*g->order));
	g->kernels = calloc(count + 1, sizeof(*g->kernels));
	g->next = calloc(count + 1, sizeof(*g->next));
	if (!r && (!g->level || !g->order || !g->kernels || !g->next))
		r = set_error(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a graph");
	return r;
}

static const struct member_ops graph_exec_member_ops = {
	.kind = OBJECT_GRAPH_EXEC,
	.destroy = graph_exec_free,
};

static sov_result graph_exec_run(struct graph_exec *g);

static sov_result graph_exec_new(struct context *c, struct graph_exec **out)
{
	struct graph_exec *g = calloc(1, sizeof(*g));
	sov_result r;

	if (!g)
		return set_error(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a graph");
	pthread_mutex_init(&g->executing, NULL);
	g->run = graph_exec_run;
	r = member_publish(&g->member, c, &c->graphs, &graph_exec_member_ops);
	if (r) {
		pthread_mutex_destroy(&g->executing);
		free(g);
	}
	*out = g;
	return r;
}

/* All bodies of a context execute on one stream: one thread executes them. */
static sov_result bodies_need_stream(struct context *c)
{
	struct stream *s;
	sov_result r = c->bodies_stream ? SOV_OK : stream_create(c, 0, &s);

	if (!c->bodies_stream && !r)
		c->bodies_stream = object_handle(&s->member.object);
	return r;
}

static sov_result graph_exec_build(struct graph_exec *g, const struct node *nodes, uint32_t count);

/* The node holds a reference besides that of the handle, which no caller has. */
static sov_result body_instantiate(struct context *c, struct graph_body *b)
{
	sov_result r = b->count ? graph_exec_new(c, &b->exec) : SOV_OK;

	if (r) {
		b->exec = NULL;
		return r;
	}
	if (!b->exec)
		return SOV_OK;
	object_reference(&b->exec->member.object);
	return graph_exec_build(b->exec, b->nodes, b->count);
}

static void bodies_count_local(struct graph_exec *g, const struct graph_exec *body)
{
	uint32_t thread_bytes = body->max_local ? body->max_local->info.local_bytes : 0;

	if (thread_bytes > g->bodies_local.thread_bytes) {
		g->bodies_local.thread_bytes = thread_bytes;
		g->bodies_local.kernel = body->max_local->info.name;
	}
	if (body->bodies_local.thread_bytes > g->bodies_local.thread_bytes) {
		g->bodies_local.thread_bytes = body->bodies_local.thread_bytes;
		g->bodies_local.kernel = body->bodies_local.kernel;
	}
	g->bodies_local.bytes = max_u64(g->bodies_local.bytes,
					max_u64(body->local_bytes, body->bodies_local.bytes));
}

static sov_result bodies_instantiate(struct graph_exec *g)
{
	sov_result r = SOV_OK;

	for (uint32_t i = 0; !r && i < g->count; i++) {
		struct node *n = &g->nodes[i];

		if (n->kind != NODE_CONDITIONAL)
			continue;
		r = bodies_need_stream(g->member.context);
		for (uint32_t k = 0; !r && k < n->conditional.nbodies; k++) {
			struct graph_body *b = &n->conditional.bodies[k];

			r = body_instantiate(g->member.context, b);
			if (!r && b->exec)
				bodies_count_local(g, b->exec);
		}
	}
	return r;
}

static sov_result graph_exec_build(struct graph_exec *g, const struct node *nodes, uint32_t count)
{
	struct context *c = g->member.context;
	sov_result r = graph_copy_nodes(g, nodes, count);

	if (!r)
		r = graph_order(g, c->gpu->supports_chains(c->chip));
	if (!r)
		r = graph_write(g);
	return r ? r : bodies_instantiate(g);
}

sov_result api_graph_instantiate(sov_graph graph, sov_graph_exec *exec)
{
	struct graph_exec *built;
	struct graph *g;
	sov_result r;

	if (!exec)
		return set_error(SOV_ERROR_INVALID_ARGUMENT, "exec is NULL");
	g = member_enter(graph, OBJECT_GRAPH, &r);
	if (!g)
		return r;
	if (!g->count)
		return member_leave(
			g, set_error(SOV_ERROR_INVALID_ARGUMENT,
				     "the graph has no nodes; add some, or capture a stream"));
	r = graph_exec_new(g->member.context, &built);
	if (r)
		return member_leave(g, r);
	r = graph_exec_build(built, g->nodes, g->count);
	if (!r)
		*exec = object_handle(&built->member.object);
	else
		object_retire(&built->member.object);
	member_leave(g, r);
	if (r)
		object_put(&built->member.object);
	else
		LOG(LAUNCH, INFO, "a graph of %u nodes in %u levels and %u segments", built->count,
		    built->levels, built->nsegments);
	return r;
}

sov_result api_graph_exec_destroy(sov_graph_exec exec)
{
	struct graph_exec *g = object_get(exec, OBJECT_GRAPH_EXEC);
	sov_result r;
	bool keep;

	/* Prevents further launches. The context's lock nests inside the executing lock. */
	if (g) {
		pthread_mutex_lock(&g->executing);
		g->closing = true;
		pthread_mutex_unlock(&g->executing);
		object_put(&g->member.object);
	}
	g = member_enter_failed(exec, OBJECT_GRAPH_EXEC, &r);
	if (!g)
		return r;
	r = context_drain_to_free(g->member.context, &keep);
	pthread_mutex_unlock(&g->member.context->lock);
	/* After a reset or an error it may not have noticed yet. */
	host_functions_finish(g->member.context, conditional_run);
	if (!keep && object_retire(&g->member.object))
		object_put(&g->member.object);
	object_put(&g->member.object);
	return r;
}

/* ---- executing ---- */

sov_result api_graph_exec_set_arguments(sov_graph_exec exec, sov_node node,
					const void *const *arguments, uint32_t count)
{
	struct graph_exec *g = object_get(exec, OBJECT_GRAPH_EXEC);
	sov_result r = SOV_OK;
	struct node *n;

	if (!g)
		return SOV_ERROR_INVALID_HANDLE;
	n = node && node <= g->count ? &g->nodes[node - 1] : NULL;
	if (!n || n->kind != NODE_KERNEL)
		r = set_error(
			SOV_ERROR_INVALID_ARGUMENT,
			"node %u is not a kernel node; sov_graph_add_kernel returns their numbers",
			node);
	else if (count != n->kernel.function->kernel->nparams || (count && !arguments))
		r = set_error(SOV_ERROR_INVALID_LAUNCH, "kernel '%s' takes %u arguments; %u given",
			      DEMANGLED(n->kernel.function->kernel->name),
			      n->kernel.function->kernel->nparams, arguments ? count : 0);
	for (uint32_t i = 0; !r && i < count; i++)
		if (!arguments[i])
			r = set_error(SOV_ERROR_INVALID_LAUNCH,
				      "argument %u of kernel '%s' is NULL", i,
				      DEMANGLED(n->kernel.function->kernel->name));
	if (!r) {
		pthread_mutex_lock(&g->executing);
		/* An execution in progress reads the parameters. */
		if (g->last)
			r = stream_wait_for(g->last, g->last_seqno, SOV_FOREVER);
		if (!r) {
			node_set_parameters(n, arguments);
			graph_write_parameters(g, node - 1);
			winsys_write_barrier();
		}
		pthread_mutex_unlock(&g->executing);
	}
	object_put(&g->member.object);
	return r;
}

static bool graph_needs_local(const struct graph_exec *g)
{
	return g->max_local && g->max_local->info.local_bytes;
}

/* The commands contain local memory that is not the stream's; inside its gate. */
static bool graph_local_moved(const struct graph_exec *g, const struct stream *s)
{
	const struct context *c = g->member.context;

	return c->gpu->local_in_launch && graph_needs_local(g) &&
	       (g->local_serial != c->local.serial ||
		g->local.address != local_of(c, s->index).address);
}

static sov_result graph_submit_segment(struct graph_exec *g, struct stream *s,
				       const struct graph_segment *segment)
{
	struct context *c = g->member.context;
	const struct local_memory *local = &c->local;
	const struct submit_request q = {.engine = segment->engine,
					 .kind = WORK_GRAPH,
					 .kernel = g->max_local ? &g->max_local->info : NULL,
					 .local_bytes = g->local_bytes,
					 .time_limit = segment->time_limit};
	struct gpu_local stream_local;
	struct slot slot;
	sov_result r;

	r = stream_begin_request(s, &q, &slot);
	while (!r && graph_local_moved(g, s) && stream_poll(s) < g->in_use) {
		stream_submit(s, &slot);
		r = stream_wait_for(s, g->in_use, SOV_FOREVER);
		if (!r)
			r = stream_begin_request(s, &q, &slot);
	}
	if (r)
		return r;
	if (graph_needs_local(g) && segment->engine == ENGINE_COMPUTE &&
	    atomic_load_explicit(&s->local, memory_order_relaxed) != local->serial) {
		stream_local = local_of(c, s->index);
		c->gpu->set_local(&slot.push, &stream_local);
		slot.submission->local = local->serial;
	}
	if (graph_local_moved(g, s)) {
		g->local = local_of(c, s->index);
		g->local_serial = local->serial;
		graph_write_methods(g);
	}
	/* A reset in between may have taken the stream's copy queue. */
	if (segment->engine == ENGINE_COPY && !slot.push.copy_queue) {
		stream_submit(s, &slot);
		return set_error(SOV_ERROR_CANCELLED,
				 "another thread reset the context during this call");
	}
	slot.inserted = segment->words ? gpu_span(segment->methods, segment->words) : 0;
	slot.inserted_words = (const uint32_t *)(const void *)((const uint8_t *)g->memory->cpu +
							       (segment->methods - g->memory->va));
	if (c->gpu->pad)
		c->gpu->pad(&slot.push);
	slot.before = slot.push.count;
	g->last_seqno = g->in_use = slot.seqno;
	stream_submit(s, &slot);
	return SOV_OK;
}

/* Orders this launch after the previous one, which may have been on another stream. The wait has no
 * limit: the other stream's work has. */
static sov_result graph_order_after_last(struct graph_exec *g, struct stream *s)
{
	bool waits = graph_needs_local(g) && g->member.context->gpu->local_in_launch;
	sov_result r = SOV_OK;

	if (g->last == s)
		return r;
	/* The commands contain the stream's part of local memory and have to be rewritten. */
	if (g->last && waits)
		r = stream_wait_for(g->last, g->last_seqno, SOV_FOREVER);
	else if (g->last)
		r = stream_acquire(s, g->last->done, (uint32_t)g->last_seqno);
	if (r)
		return r;
	g->in_use = g->last && !waits ? stream_last(s) : 0;
	if (g->last)
		object_put(&g->last->member.object);
	object_reference(&s->member.object);
	g->last = s;
	g->last_seqno = stream_last(s);
	return r;
}

/* Writes the graph again if it has commands for a copy queue and the stream has none. */
static sov_result graph_choose_queues(struct graph_exec *g, struct stream *s)
{
	uint32_t i = 0;
	bool copy_queue;
	sov_result r;

	while (i < g->nsegments && g->segments[i].engine != ENGINE_COPY)
		i++;
	if (i == g->nsegments)
		return SOV_OK;
	r = stream_find_copy_queue(s, &copy_queue);
	if (r || copy_queue)
		return r;
	r = stream_wait_for(s, g->in_use, SOV_FOREVER);
	if (r)
		return r;
	g->one_queue = true;
	r = graph_write_methods(g);
	if (r) { /* what the copy queue does with one command may be too many for the other */
		g->one_queue = false;
		(void)graph_write_methods(g);
	}
	return r;
}

/* Local memory grows while the context is idle, which it is not where bodies are submitted. */
static sov_result bodies_reserve_local(struct graph_exec *g)
{
	struct context *c = g->member.context;
	struct stream *s;
	sov_result r;

	if (!g->bodies_local.thread_bytes)
		return SOV_OK;
	s = object_get(c->bodies_stream, OBJECT_STREAM);
	if (!s)
		return SOV_ERROR_INVALID_HANDLE;
	r = local_reserve(c, s->index, g->bodies_local.kernel, g->bodies_local.thread_bytes,
			  g->bodies_local.bytes);
	object_put(&s->member.object);
	return r;
}

/* on_host: see graph_run_on_host. */
static sov_result graph_execute(struct graph_exec *g, struct stream *s, bool on_host)
{
	sov_result r = on_host ? SOV_OK : bodies_reserve_local(g);
	bool by_nodes = tracing();
	uint32_t i, k;

	if (!r)
		r = graph_order_after_last(g, s);

	if (!r && !by_nodes && g->member.context->gpu->prefers_copy_queue)
		r = graph_choose_queues(g, s);
	if (!r && by_nodes)
		r = graph_submit_nodes(g, s, on_host);
	for (i = 0; !r && !by_nodes && i < g->nsegments; i++) {
		const struct graph_segment *segment = &g->segments[i];
		uint32_t left = segment->host_count;

		if (segment->words)
			r = graph_submit_segment(g, s, segment);
		for (k = segment->first_host; !r && left; k++) {
			struct node *n = &g->nodes[g->order[k]];

			if (!node_is_on_host(n))
				continue;
			left--;
			r = graph_run_on_host(n, s, on_host);
		}
	}
	if (!r)
		g->last_seqno = stream_last(s);
	return r;
}

static sov_result graph_exec_run(struct graph_exec *g)
{
	struct stream *s = object_get(g->member.context->bodies_stream, OBJECT_STREAM);
	sov_result r;

	if (!s)
		return SOV_ERROR_INVALID_HANDLE;
	pthread_mutex_lock(&g->executing);
	r = graph_execute(g, s, true);
	if (!r)
		r = stream_wait_for(s, stream_last(s), SOV_FOREVER);
	pthread_mutex_unlock(&g->executing);
	object_put(&s->member.object);
	return r;
}

sov_result api_graph_launch(sov_graph_exec exec, sov_stream stream)
{
	struct graph_exec *g = object_get(exec, OBJECT_GRAPH_EXEC);
	sov_result r = SOV_ERROR_INVALID_HANDLE;
	struct stream *s;

	if (!g)
		return r;
	s = stream_find(g->member.context, stream);
	if (s && stream_captured(s)) {
		r = set_error(SOV_ERROR_UNSUPPORTED, "a captured stream cannot launch a graph; add "
						     "its nodes to the captured graph");
		object_put(&s->member.object);
	} else if (s) {
		pthread_mutex_lock(&g->executing);
		r = g->closing ? set_error(SOV_ERROR_INVALID_HANDLE, "the graph is being destroyed")
			       : graph_execute(g, s, false);
		pthread_mutex_unlock(&g->executing);
		if (!r && g->member.context->sync)
			r = stream_wait_for(s, stream_last(s), SOV_FOREVER);
		object_put(&s->member.object);
	}
	object_put(&g->member.object);
	return r;
}
