// SPDX-License-Identifier: MIT
/*
 * Building graphs. A node is validated when it is added, like the corresponding asynchronous call;
 * cycles are detected when the graph is instantiated.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/runtime/base/api_calls.h"
#include "libsov/runtime/base/demangle.h"
#include "libsov/runtime/base/error.h"
#include "libsov/runtime/graph/graph.h"
#include "libsov/runtime/memory/allocation.h"
#include "libsov/runtime/module/launch.h"

typedef unsigned long long ull;

/* Of a conditional node, which holds a reference besides that of the handle. */
static void body_release(struct graph_exec *g)
{
	if (object_retire(&g->member.object))
		object_put(&g->member.object);
	object_put(&g->member.object);
}

static void bodies_free(struct graph_body *bodies, uint32_t count)
{
	for (uint32_t i = 0; bodies && i < count; i++) {
		nodes_free(bodies[i].nodes, bodies[i].count);
		if (bodies[i].exec)
			body_release(bodies[i].exec);
	}
	free(bodies);
}

void node_free(struct node *n)
{
	if (n->kind == NODE_KERNEL) {
		if (n->kernel.function)
			object_put(&n->kernel.function->member.object);
		free(n->kernel.parameters);
	} else if (n->kind == NODE_CONDITIONAL) {
		bodies_free(n->conditional.bodies, n->conditional.nbodies);
	}
	free(n->dependencies);
}

void nodes_free(struct node *nodes, uint32_t count)
{
	for (uint32_t i = 0; nodes && i < count; i++)
		node_free(&nodes[i]);
	free(nodes);
}

static sov_result set_no_memory(void)
{
	return set_error(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a graph");
}

static sov_result node_clone(const struct node *from, struct node *to);

sov_result body_copy(const struct node *nodes, uint32_t count, struct graph_body *to)
{
	sov_result r = SOV_OK;

	to->nodes = calloc(count + 1, sizeof(*to->nodes));
	if (!to->nodes)
		return set_no_memory();
	while (!r && to->count < count) {
		r = node_clone(&nodes[to->count], &to->nodes[to->count]);
		to->count++;
	}
	return r;
}

static sov_result clone_bodies(struct node *n, const struct node *from)
{
	const struct graph_body *bodies = from->conditional.bodies;
	uint32_t count = from->conditional.nbodies;
	sov_result r = SOV_OK;

	n->conditional.bodies = calloc(count, sizeof(*bodies));
	if (!n->conditional.bodies)
		return set_no_memory();
	for (uint32_t i = 0; !r && i < count; i++)
		r = body_copy(bodies[i].nodes, bodies[i].count, &n->conditional.bodies[i]);
	return r;
}

/* Copies what a node holds; *to has what was copied also after a failure. */
static sov_result node_clone(const struct node *from, struct node *to)
{
	*to = *from;
	to->dependencies = malloc((from->ndependencies + 1) * sizeof(*to->dependencies));
	if (to->dependencies && from->ndependencies)
		memcpy(to->dependencies, from->dependencies,
		       from->ndependencies * sizeof(*to->dependencies));
	if (from->kind == NODE_KERNEL) {
		uint32_t bytes = from->kernel.function->kernel->param_bytes;

		object_reference(&from->kernel.function->member.object);
		to->kernel.parameters = malloc(bytes + 1);
		if (!to->kernel.parameters)
			return set_no_memory();
		memcpy(to->kernel.parameters, from->kernel.parameters, bytes);
	} else if (from->kind == NODE_CONDITIONAL) {
		sov_result r = clone_bodies(to, from);

		if (r)
			return r;
	}
	return to->dependencies ? SOV_OK : set_no_memory();
}

static void graph_free(struct object *o)
{
	struct graph *g = (struct graph *)o;
	struct context *c = g->member.context;

	pthread_mutex_lock(&c->lock);
	list_del(&g->member.link);
	pthread_mutex_unlock(&c->lock);
	nodes_free(g->nodes, g->count);
	free(g);
	object_put(&c->object);
}

/* ---- nodes ---- */

void node_set_parameters(struct node *n, const void *const *arguments)
{
	const struct image_kernel *k = n->kernel.function->kernel;
	uint32_t i;

	for (i = 0; i < k->nparams; i++)
		memcpy(n->kernel.parameters + k->params[i].offset, arguments[i], k->params[i].size);
}

sov_result node_kernel(struct context *c, struct function *f, const sov_launch *given,
		       struct node *n)
{
	sov_launch copy;
	const sov_launch *l = launch_complete(f, given, &copy);
	sov_result r = function_check(f, l);

	if (r)
		return r;
	if (f->member.context != c)
		return set_error(SOV_ERROR_INVALID_HANDLE, "kernel '%s' belongs to another context",
				 DEMANGLED(f->kernel->name));
	*n = (struct node){.kind = NODE_KERNEL};
	n->kernel.parameters = calloc(1, f->kernel->param_bytes + 1);
	if (!n->kernel.parameters)
		return set_error(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a node");
	object_reference(&f->member.object);
	n->kernel.function = f;
	memcpy(n->kernel.grid, l->grid, sizeof(l->grid));
	memcpy(n->kernel.block, l->block, sizeof(l->block));
	function_set_cluster(f, l, n->kernel.cluster);
	n->kernel.shared_bytes = l->shared_bytes;
	n->kernel.time_limit = l->time_limit;
	n->kernel.cooperative = l->flags & SOV_LAUNCH_COOPERATIVE;
	node_set_parameters(n, l->arguments);
	return SOV_OK;
}

static sov_result set_unpinned_error(const struct copy_range *k)
{
	return set_error(SOV_ERROR_INVALID_ADDRESS,
			 "%s 0x%llx is host memory that is not pinned; a graph copies GPU or "
			 "pinned memory: see sov_host_alloc",
			 k->to ? "source" : "destination",
			 (ull)(k->to ? k->source : k->destination));
}

sov_result node_copy(struct context *c, uint64_t destination, uint64_t source, uint64_t bytes,
		     struct node *n)
{
	struct copy_range k = {.destination = destination, .source = source, .bytes = bytes};
	sov_result r = bytes && bytes <= c->gpu->max_copy_bytes
			       ? copy_check(c, &k, bytes, bytes)
			       : set_error(SOV_ERROR_INVALID_ARGUMENT,
					   "a copy of %llu bytes; a node has 1 to %llu", (ull)bytes,
					   (ull)c->gpu->max_copy_bytes);

	if (!r && (!k.to || !k.from))
		r = set_unpinned_error(&k);
	*n = (struct node){.kind = NODE_COPY, .copy = {destination, source, bytes}};
	return r;
}

sov_result node_fill(struct context *c, uint64_t address, uint32_t value, uint32_t element_bytes,
		     uint64_t count, struct node *n)
{
	sov_result r = fill_check(address, element_bytes, count);

	*n = (struct node){.kind = NODE_FILL,
			   .fill = {address, count * element_bytes, value, element_bytes}};
	if (!r && (!count || n->fill.bytes > c->gpu->max_fill_bytes))
		r = set_error(SOV_ERROR_INVALID_ARGUMENT,
			      "a fill of %llu bytes; a node has 1 to %llu", (ull)n->fill.bytes,
			      (ull)c->gpu->max_fill_bytes);
	if (!r && !allocation_find(c, "address", address, n->fill.bytes))
		r = SOV_ERROR_INVALID_ADDRESS;
	return r;
}

sov_result graph_add(struct graph *g, const uint32_t *dependencies, uint32_t ndependencies,
		     struct node *n, uint32_t *number)
{
	uint32_t i, capacity = g->capacity ? 2 * g->capacity : 16;
	struct node *bigger;
	sov_result r = SOV_OK;

	for (i = 0; !r && i < ndependencies; i++)
		if (!dependencies[i] || dependencies[i] > g->count)
			r = set_error(SOV_ERROR_INVALID_ARGUMENT,
				      "there is no node %u to depend on; the graph has %u",
				      dependencies[i], g->count);
	if (!r && g->count == MAX_NODES)
		r = set_error(SOV_ERROR_UNSUPPORTED, "a graph has at most %u nodes", MAX_NODES);
	if (!r && g->count == g->capacity) {
		bigger = realloc(g->nodes, capacity * sizeof(*bigger));
		if (bigger) {
			g->nodes = bigger;
			g->capacity = capacity;
		}
	}
	n->dependencies = r ? NULL : calloc(ndependencies + 1, sizeof(*n->dependencies));
	if (!r && (!n->dependencies || g->count == g->capacity))
		r = set_error(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a node");
	if (r) {
		node_free(n);
		return r;
	}
	n->ndependencies = ndependencies;
	if (ndependencies)
		memcpy(n->dependencies, dependencies, ndependencies * sizeof(*dependencies));
	g->nodes[g->count++] = *n;
	if (number)
		*number = g->count;
	return SOV_OK;
}

/* ---- rectangles ---- */

static struct gpu_lines rect_slice_lines(const struct copy_rect *b, uint64_t slice)
{
	return (struct gpu_lines){.destination = b->to.address + slice * b->to.slice,
				  .source = b->from.address + slice * b->from.slice,
				  .destination_pitch = (uint32_t)b->to.pitch,
				  .source_pitch = (uint32_t)b->from.pitch,
				  .bytes = (uint32_t)b->width,
				  .lines = (uint32_t)b->height};
}

static sov_result graph_check_rect(struct graph *g, const struct copy_rect *b)
{
	struct copy_range k = {.destination = b->to.address, .source = b->from.address};
	const struct gpu *gpu = g->member.context->gpu;
	struct gpu_lines lines = rect_slice_lines(b, 0);
	uint64_t max_rows = b->width <= gpu->max_copy_bytes
				    ? gpu->max_lines(&lines, gpu->prefers_copy_queue)
				    : 0;
	sov_result r;

	if (!b->width || b->width > gpu->max_copy_bytes || b->height > max_rows ||
	    b->depth > MAX_NODES - g->count)
		return set_error(
			SOV_ERROR_INVALID_ARGUMENT,
			"a rectangle of %llu x %llu x %llu; in a graph rows have 1 to %llu bytes, "
			"slices at most %llu rows of these, and each slice is a node of at most %u",
			(ull)b->width, (ull)b->height, (ull)b->depth, (ull)gpu->max_copy_bytes,
			(ull)max_rows, MAX_NODES);
	r = copy_rect_check(g->member.context, b, &k);
	return r || (k.to && k.from) ? r : set_unpinned_error(&k);
}

static sov_result graph_add_slice(struct graph *g, const uint32_t *dependencies,
				  uint32_t ndependencies, const struct copy_rect *b, uint64_t slice,
				  uint32_t *number)
{
	struct node n = {.kind = NODE_LINES, .lines = rect_slice_lines(b, slice)};

	return graph_add(g, dependencies, ndependencies, &n, number);
}

sov_result graph_add_rect(struct graph *g, const uint32_t *dependencies, uint32_t ndependencies,
			  const struct copy_rect *b, uint32_t *number)
{
	uint32_t before = g->count, others, i, *all = NULL;
	sov_result r = graph_check_rect(g, b);

	if (!r && b->depth > 1) {
		others = (uint32_t)b->depth - 1;
		all = calloc(others, sizeof(*all));
		if (!all)
			r = set_error(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a node");
		for (i = 0; !r && i < others; i++)
			r = graph_add_slice(g, dependencies, ndependencies, b, i, &all[i]);
		dependencies = all;
		ndependencies = others;
	}
	if (!r)
		r = graph_add_slice(g, dependencies, ndependencies, b, b->depth - 1, number);
	while (r && g->count > before)
		node_free(&g->nodes[--g->count]);
	free(all);
	return r;
}

/* ---- calls ---- */

static const struct member_ops graph_member_ops = {
	.kind = OBJECT_GRAPH,
	.destroy = graph_free,
};

sov_result api_graph_create(sov_context context, uint32_t flags, sov_graph *graph)
{
	struct context *c;
	struct graph *g;
	sov_result r;

	if (!graph || flags)
		return graph ? set_error(SOV_ERROR_INVALID_ARGUMENT, "flags is 0x%x; none is known",
					 flags)
			     : set_error(SOV_ERROR_INVALID_ARGUMENT, "graph is NULL");
	c = context_enter(context, &r);
	if (!c)
		return r;
	g = calloc(1, sizeof(*g));
	r = g ? member_publish(&g->member, c, &c->graphs, &graph_member_ops)
	      : set_error(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a graph");
	if (r)
		free(g);
	else
		*graph = object_handle(&g->member.object);
	return context_leave(c, r);
}

sov_result api_graph_destroy(sov_graph graph)
{
	sov_result r;
	struct graph *g = member_enter_failed(graph, OBJECT_GRAPH, &r);

	if (!g)
		return r;
	pthread_mutex_unlock(&g->member.context->lock);
	if (object_retire(&g->member.object))
		object_put(&g->member.object);
	object_put(&g->member.object);
	return r;
}

struct graph *graph_enter(sov_graph graph, const sov_node *dependencies, uint32_t count,
			  sov_result *r)
{
	if (count && !dependencies) {
		*r = set_error(SOV_ERROR_INVALID_ARGUMENT, "dependencies is NULL and has %u nodes",
			       count);
		return NULL;
	}
	return member_enter(graph, OBJECT_GRAPH, r);
}

sov_result api_graph_add_kernel(sov_graph graph, const sov_node *dependencies, uint32_t count,
				sov_function function, const sov_launch *launch, sov_node *node)
{
	sov_launch l;
	struct function *f;
	struct graph *g;
	struct node n;
	sov_result r = struct_in("sov_launch", &l, sizeof(l), launch);

	if (r)
		return r;
	f = object_get(function, OBJECT_FUNCTION);
	if (!f)
		return SOV_ERROR_INVALID_HANDLE;
	g = graph_enter(graph, dependencies, count, &r);
	if (g) {
		r = node_kernel(g->member.context, f, &l, &n);
		if (!r)
			r = graph_add(g, dependencies, count, &n, node);
		member_leave(g, r);
	}
	object_put(&f->member.object);
	return r;
}

sov_result api_graph_add_copy(sov_graph graph, const sov_node *dependencies, uint32_t count,
			      sov_ptr destination, sov_ptr source, uint64_t bytes, sov_node *node)
{
	sov_result r;
	struct graph *g = graph_enter(graph, dependencies, count, &r);
	struct node n;

	if (!g)
		return r;
	r = node_copy(g->member.context, destination, source, bytes, &n);
	if (!r)
		r = graph_add(g, dependencies, count, &n, node);
	return member_leave(g, r);
}

sov_result api_graph_add_copy_rect(sov_graph graph, const sov_node *dependencies, uint32_t count,
				   const sov_copy_rect *rect, sov_node *node)
{
	struct copy_rect b;
	struct graph *g;
	sov_result r = copy_rect_init(rect, &b);

	if (r)
		return r;
	g = graph_enter(graph, dependencies, count, &r);
	return g ? member_leave(g, graph_add_rect(g, dependencies, count, &b, node)) : r;
}

sov_result api_graph_add_fill(sov_graph graph, const sov_node *dependencies, uint32_t count,
			      sov_ptr address, uint32_t value, uint32_t element_bytes,
			      uint64_t element_count, sov_node *node)
{
	sov_result r;
	struct graph *g = graph_enter(graph, dependencies, count, &r);
	struct node n;

	if (!g)
		return r;
	r = node_fill(g->member.context, address, value, element_bytes, element_count, &n);
	if (!r)
		r = graph_add(g, dependencies, count, &n, node);
	return member_leave(g, r);
}

sov_result api_graph_add_host_function(sov_graph graph, const sov_node *dependencies,
				       uint32_t count, void (*function)(void *user), void *user,
				       sov_node *node)
{
	struct node n = {.kind = NODE_HOST_FUNCTION, .host = {function, user}};
	struct graph *g;
	sov_result r;

	if (!function)
		return set_error(SOV_ERROR_INVALID_ARGUMENT, "function is NULL");
	g = graph_enter(graph, dependencies, count, &r);
	return g ? member_leave(g, graph_add(g, dependencies, count, &n, node)) : r;
}

sov_result api_graph_add_dependency(sov_graph graph, sov_node from, sov_node to)
{
	sov_result r;
	struct graph *g = member_enter(graph, OBJECT_GRAPH, &r);
	struct node *n;
	uint32_t *more;

	if (!g)
		return r;
	if (!from || !to || from > g->count || to > g->count)
		return member_leave(g, set_error(SOV_ERROR_INVALID_ARGUMENT,
						 "there is no node %u; the graph has %u",
						 from && from <= g->count ? to : from, g->count));
	n = &g->nodes[to - 1];
	more = realloc(n->dependencies, (n->ndependencies + 1) * sizeof(*more));
	if (!more)
		return member_leave(
			g, set_error(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a graph"));
	n->dependencies = more;
	n->dependencies[n->ndependencies++] = from;
	return member_leave(g, SOV_OK);
}
