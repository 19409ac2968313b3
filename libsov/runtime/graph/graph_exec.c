/* SPDX-License-Identifier: MIT */
/*
 * Graphs that run. What there is to do is written down once (graph_write.c); to run it is one piece
 * of work on a stream, whose ring entries point there, and one doorbell. Only host functions cut a
 * graph into several pieces.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/runtime/graph/graph.h"
#include "libsov/runtime/base/log.h"
#include "libsov/runtime/trace/trace.h"

static void run_free(struct object *o)
{
	struct graph_run *g = (struct graph_run *)o;
	struct context *c = g->member.context;
	uint32_t i;

	pthread_mutex_lock(&c->lock);
	list_remove(&g->member.link);
	if (g->memory)
		buffer_destroy(c, g->memory);
	pthread_mutex_unlock(&c->lock);
	for (i = 0; i < g->count; i++)
		node_free(&g->nodes[i]);
	if (g->last)
		object_put(&g->last->member.object);
	pthread_mutex_destroy(&g->running);
	free(g->nodes);
	free(g->level);
	free(g->order);
	free(g->kernels);
	free(g->next);
	free(g->before);
	free(g->parts);
	for (i = 0; i < g->ncodes; i++)
		free(g->codes[i].code);
	free(g->codes);
	free(g->words);
	free(g);
	object_put(&c->object);
}

const struct function *graph_function_at(const struct context *c, uint64_t va, uint64_t *base)
{
	const struct link *l;
	uint32_t i;

	for (l = c->graphs.next; l != &c->graphs; l = l->next) {
		const struct member *m =
			(const struct member *)((const char *)l - offsetof(struct member, link));
		const struct graph_run *g = (const struct graph_run *)m;

		for (i = 0; m->object.kind == OBJECT_GRAPH_EXEC && i < g->ncodes; i++) {
			*base = g->codes[i].va + c->gpu->chain_wait_bytes(c->chip);
			if (va - *base < g->codes[i].function->kernel->code_bytes)
				return g->codes[i].function;
		}
	}
	return NULL;
}

/* ---- instantiating ---- */

static sov_result copy_nodes(struct graph_run *g, const struct graph *from)
{
	uint32_t i;

	g->nodes = calloc(from->count + 1, sizeof(*g->nodes));
	g->level = calloc(from->count + 1, sizeof(*g->level));
	g->order = calloc(from->count + 1, sizeof(*g->order));
	g->kernels = calloc(from->count + 1, sizeof(*g->kernels));
	g->next = calloc(from->count + 1, sizeof(*g->next));
	if (!g->nodes || !g->level || !g->order || !g->kernels || !g->next)
		return refuse(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a graph");
	for (i = 0; i < from->count; i++) {
		const struct node *n = &from->nodes[i];
		struct node *copy = &g->nodes[g->count++];

		*copy = *n;
		copy->after = malloc((n->nafter + 1) * sizeof(*copy->after));
		if (n->kind == NODE_KERNEL) {
			uint32_t bytes = n->kernel.function->kernel->param_bytes;

			object_reference(&n->kernel.function->member.object);
			copy->kernel.parameters = malloc(bytes + 1);
			if (copy->kernel.parameters)
				memcpy(copy->kernel.parameters, n->kernel.parameters, bytes);
		}
		if (!copy->after || (n->kind == NODE_KERNEL && !copy->kernel.parameters))
			return refuse(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a graph");
		memcpy(copy->after, n->after, n->nafter * sizeof(*n->after));
	}
	return SOV_OK;
}

static sov_result build(struct graph_run *g, const struct graph *from)
{
	struct context *c = g->member.context;
	sov_result r = copy_nodes(g, from);

	g->way = c->graph_way;
	if (!r)
		r = graph_order(g, g->way->follow == GRAPH_CHAIN && c->gpu->supports_chains(c->chip));
	return r ? r : graph_write(g);
}

sov_result sov_graph_instantiate(sov_graph graph, sov_graph_exec *run)
{
	struct graph_run *made;
	struct graph *g;
	sov_result r;

	if (!run)
		return refuse(SOV_ERROR_INVALID_ARGUMENT, "run is NULL");
	g = member_enter(graph, OBJECT_GRAPH, &r);
	if (!g)
		return r;
	if (!g->count)
		return member_leave(
			g, refuse(SOV_ERROR_INVALID_ARGUMENT,
				  "the graph has no nodes; add some, or capture a stream"));
	made = calloc(1, sizeof(*made));
	if (!made)
		return member_leave(
			g, refuse(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a graph"));
	pthread_mutex_init(&made->running, NULL);
	r = member_publish(&made->member, g->member.context, &g->member.context->graphs,
			   OBJECT_GRAPH_EXEC, run_free);
	if (r) {
		pthread_mutex_destroy(&made->running);
		free(made);
		return member_leave(g, r);
	}
	r = build(made, g);
	if (!r)
		*run = object_handle(&made->member.object);
	else
		object_retire(&made->member.object);
	member_leave(g, r);
	if (r)
		object_put(&made->member.object);
	else
		LOG(LAUNCH, INFO, "a graph of %u nodes in %u levels and %u pieces", made->count,
		    made->levels, made->nparts);
	return r;
}

sov_result sov_graph_exec_destroy(sov_graph_exec run)
{
	struct graph_run *g = object_get(run, OBJECT_GRAPH_EXEC);
	sov_result r;
	bool keep;

	/* From here on it is not run again; running takes the context's lock inside of its own. */
	if (g) {
		pthread_mutex_lock(&g->running);
		g->closing = true;
		pthread_mutex_unlock(&g->running);
		object_put(&g->member.object);
	}
	g = member_enter_failed(run, OBJECT_GRAPH_EXEC, &r);
	if (!g)
		return r;
	r = context_drain_to_free(g->member.context, &keep);
	pthread_mutex_unlock(&g->member.context->lock);
	if (!keep && object_retire(&g->member.object))
		object_put(&g->member.object);
	object_put(&g->member.object);
	return r;
}

/* ---- running ---- */

sov_result sov_graph_exec_set_arguments(sov_graph_exec run, sov_node node,
				       const void *const *arguments, uint32_t count)
{
	struct graph_run *g = object_get(run, OBJECT_GRAPH_EXEC);
	sov_result r = SOV_OK;
	struct node *n;

	if (!g)
		return SOV_ERROR_INVALID_HANDLE;
	n = node && node <= g->count ? &g->nodes[node - 1] : NULL;
	if (!n || n->kind != NODE_KERNEL)
		r = refuse(SOV_ERROR_INVALID_ARGUMENT,
			   "node %u is no kernel of the graph; sov_graph_add_kernel tells their "
			   "numbers",
			   node);
	else if (count != n->kernel.function->kernel->nparams || (count && !arguments))
		r = refuse(SOV_ERROR_INVALID_LAUNCH, "kernel '%s' takes %u arguments; %u given",
			   n->kernel.function->kernel->name, n->kernel.function->kernel->nparams,
			   arguments ? count : 0);
	for (uint32_t i = 0; !r && i < count; i++)
		if (!arguments[i])
			r = refuse(SOV_ERROR_INVALID_LAUNCH, "argument %u of kernel '%s' is NULL",
				   i, n->kernel.function->kernel->name);
	if (!r) {
		pthread_mutex_lock(&g->running);
		/* What runs reads them. */
		if (g->last)
			r = stream_wait_for(g->last, g->last_number, SOV_MAX_WAIT);
		if (!r) {
			node_set_parameters(n, arguments);
			graph_write_parameters(g, node - 1);
			winsys_write_barrier();
		}
		pthread_mutex_unlock(&g->running);
	}
	object_put(&g->member.object);
	return r;
}

static bool needs_local(const struct graph_run *g)
{
	return g->most_local && g->most_local->plan.local_bytes;
}

static sov_result submit_part(struct graph_run *g, struct stream *s, const struct graph_part *part)
{
	struct context *c = g->member.context;
	const struct local_memory *local = &c->local;
	const struct request q = {.engine = part->engine,
				  .kind = WORK_GRAPH,
				  .function = g->most_local,
				  .limit = part->time_limit};
	struct gpu_local mine;
	struct slot slot;
	sov_result r;

	trace_bytes(g->count);
	r = stream_begin_request(s, &q, &slot);
	if (r)
		return r;
	if (needs_local(g) && part->engine == ENGINE_COMPUTE &&
	    atomic_load_explicit(&s->local, memory_order_relaxed) != local->serial) {
		mine = local_of(s);
		c->gpu->set_local(&slot.push, &mine);
		slot.piece->local = local->serial;
	}
	/* Whoever replaced it has waited for all work, and follow_last for this graph's: nothing of it runs. */
	mine = local_of(s);
	if (c->gpu->local_in_launch && needs_local(g) &&
	    (g->local_serial != local->serial || g->local.address != mine.address)) {
		g->local = mine;
		g->local_serial = local->serial;
		graph_write_methods(g);
	}
	slot.inserted = part->words ? gpu_span(part->methods, part->words) : 0;
	if (c->gpu->pad)
		c->gpu->pad(&slot.push);
	slot.before = slot.push.count;
	g->last_number = slot.number;
	stream_submit(s, &slot);
	return SOV_OK;
}

/* The run before may have been on another stream: then this one waits for it, whose limits those
 * of the other's work are. */
static sov_result follow_last(struct graph_run *g, struct stream *s)
{
	sov_result r = SOV_OK;

	if (g->last == s)
		return r;
	/* What it has of local memory may be written in it. */
	if (g->last && needs_local(g) && g->member.context->gpu->local_in_launch)
		r = stream_wait_for(g->last, g->last_number, SOV_MAX_WAIT);
	else if (g->last)
		r = stream_acquire(s, g->last->done, (uint32_t)g->last_number);
	if (r)
		return r;
	if (g->last)
		object_put(&g->last->member.object);
	object_reference(&s->member.object);
	g->last = s;
	g->last_number = stream_last(s);
	return r;
}

static sov_result run_parts(struct graph_run *g, struct stream *s)
{
	sov_result r = follow_last(g, s);
	uint32_t i, k;

	for (i = 0; !r && i < g->nparts; i++) {
		const struct graph_part *part = &g->parts[i];
		uint32_t left = part->calls;

		if (part->words)
			r = submit_part(g, s, part);
		for (k = part->first_call; !r && left; k++) {
			const struct node *n = &g->nodes[g->order[k]];

			if (n->kind != NODE_CALL)
				continue;
			left--;
			r = stream_call(s, n->call.function, n->call.user);
		}
	}
	if (!r)
		g->last_number = stream_last(s);
	return r;
}

sov_result sov_graph_launch(sov_graph_exec run, sov_stream stream)
{
	struct graph_run *g = object_get(run, OBJECT_GRAPH_EXEC);
	sov_result r = SOV_ERROR_INVALID_HANDLE;
	struct stream *s;

	if (!g)
		return r;
	s = stream_find(g->member.context, stream);
	if (s && graph_capturing(s)) {
		r = refuse(SOV_ERROR_UNSUPPORTED,
			   "a graph inside a graph; add its nodes to the one that is captured");
		object_put(&s->member.object);
	} else if (s) {
		pthread_mutex_lock(&g->running);
		r = g->closing ? refuse(SOV_ERROR_INVALID_HANDLE, "the graph is being destroyed")
			       : run_parts(g, s);
		pthread_mutex_unlock(&g->running);
		if (!r && g->member.context->sync)
			r = stream_wait_for(s, stream_last(s), SOV_MAX_WAIT);
		object_put(&s->member.object);
	}
	object_put(&g->member.object);
	return r;
}
