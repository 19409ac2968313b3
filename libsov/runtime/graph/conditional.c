// SPDX-License-Identifier: MIT
/*
 * Conditional nodes of graphs. A conditional node divides its graph like a host function: when the
 * stream gets there, the thread of host functions reads the condition from pinned memory and
 * executes bodies, which are executable graphs of their own, on a stream of their own. It waits for
 * each of them, so conditional nodes inside of bodies are evaluated by the same thread.
 */
#include <stdio.h>
#include <stdlib.h>
#include "libsov/runtime/base/api_calls.h"
#include "libsov/runtime/base/error.h"
#include "libsov/runtime/base/fault_record.h"
#include "libsov/runtime/graph/conditional.h"
#include "libsov/runtime/memory/allocation.h"

typedef unsigned long long ull;

/* ---- building ---- */

static uint32_t nesting_depth(const struct node *nodes, uint32_t count)
{
	uint32_t depth = 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct node *n = &nodes[i];

		for (uint32_t k = 0; n->kind == NODE_CONDITIONAL && k < n->conditional.nbodies;
		     k++) {
			const struct graph_body *b = &n->conditional.bodies[k];
			uint32_t below = 1 + nesting_depth(b->nodes, b->count);

			depth = depth < below ? below : depth;
		}
	}
	return depth;
}

/* The host's pointer to a condition; NULL after set_error(). With the context's lock held. */
static const uint32_t *condition_find(struct context *c, uint64_t condition)
{
	const struct buffer *b = allocation_find(c, "condition", condition, sizeof(uint32_t));

	if (b && !b->host) {
		set_error(SOV_ERROR_INVALID_ADDRESS,
			  "condition 0x%llx is not in pinned host memory; see sov_host_alloc",
			  (ull)condition);
		return NULL;
	}
	return b ? (const uint32_t *)(uintptr_t)condition : NULL;
}

static sov_result body_check(const struct node *n, const struct graph *body)
{
	if (body->member.context != n->conditional.context)
		return set_error(SOV_ERROR_INVALID_HANDLE, "a body belongs to another context");
	if (nesting_depth(body->nodes, body->count) >= SOV_MAX_CONDITIONAL_DEPTH)
		return set_error(SOV_ERROR_UNSUPPORTED,
				 "more than %u conditional nodes are in each other; "
				 "let kernels decide the inner ones",
				 SOV_MAX_CONDITIONAL_DEPTH);
	if (n->conditional.kind == SOV_CONDITIONAL_WHILE && !body->count)
		return set_error(SOV_ERROR_INVALID_ARGUMENT,
				 "the body of a loop has no nodes, so the loop would not "
				 "end; add a kernel that sets the condition");
	return SOV_OK;
}

static sov_result conditional_init(struct node *n, struct graph *const *bodies)
{
	struct context *c = n->conditional.context;
	uint32_t count = n->conditional.nbodies;
	sov_result r = SOV_OK;

	if (n->conditional.condition % sizeof(uint32_t))
		return set_error(SOV_ERROR_INVALID_ADDRESS,
				 "condition 0x%llx is not a multiple of 4",
				 (ull)n->conditional.condition);
	if (!condition_find(c, n->conditional.condition))
		return SOV_ERROR_INVALID_ADDRESS;
	n->conditional.bodies = calloc(count, sizeof(*n->conditional.bodies));
	if (!n->conditional.bodies)
		return set_error(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a node");
	for (uint32_t i = 0; !r && i < count; i++) {
		r = body_check(n, bodies[i]);
		if (!r)
			r = body_copy(bodies[i]->nodes, bodies[i]->count,
				      &n->conditional.bodies[i]);
	}
	return r;
}

static sov_result check_bodies(uint32_t kind, const sov_graph *bodies, uint32_t count)
{
	static const uint32_t max[] = {
		[SOV_CONDITIONAL_IF] = 2,
		[SOV_CONDITIONAL_WHILE] = 1,
		[SOV_CONDITIONAL_SWITCH] = MAX_NODES,
	};

	if (!kind || kind > SOV_CONDITIONAL_SWITCH)
		return set_error(SOV_ERROR_INVALID_ARGUMENT, "kind is %u; see SOV_CONDITIONAL_IF",
				 kind);
	if (!count || count > max[kind])
		return set_error(SOV_ERROR_INVALID_ARGUMENT,
				 "the node has %u bodies; its kind takes 1 to %u", count,
				 max[kind]);
	return bodies ? SOV_OK : set_error(SOV_ERROR_INVALID_ARGUMENT, "bodies is NULL");
}

/* The references to the bodies are dropped without the context's lock. */
sov_result api_graph_add_conditional(sov_graph graph, const sov_node *dependencies, uint32_t count,
				     uint32_t kind, sov_ptr condition, const sov_graph *bodies,
				     uint32_t body_count, sov_node *node)
{
	struct node n = {
		.kind = NODE_CONDITIONAL,
		.conditional = {.condition = condition, .kind = kind, .nbodies = body_count}};
	sov_result r = check_bodies(kind, bodies, body_count);
	struct graph **found, *g = NULL;
	uint32_t got = 0;

	if (r)
		return r;
	found = calloc(body_count, sizeof(struct graph *));
	if (!found)
		return set_error(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a node");
	while (got < body_count && (found[got] = object_get(bodies[got], OBJECT_GRAPH)))
		got++;
	r = got < body_count ? SOV_ERROR_INVALID_HANDLE : SOV_OK;
	if (!r)
		g = graph_enter(graph, dependencies, count, &r);
	if (g) {
		n.conditional.context = g->member.context;
		r = conditional_init(&n, found);
		if (r)
			node_free(&n);
		else
			r = graph_add(g, dependencies, count, &n, node);
		member_leave(g, r);
	}
	while (got)
		object_put(&found[--got]->member.object);
	free(found);
	return r;
}

/* ---- executing ---- */

static sov_result condition_read(struct context *c, uint64_t condition, uint32_t *value)
{
	const uint32_t *at;
	sov_result r;

	pthread_mutex_lock(&c->lock);
	r = context_check(c);
	at = r ? NULL : condition_find(c, condition);
	if (at)
		*value = __atomic_load_n(at, __ATOMIC_ACQUIRE);
	else if (!r)
		r = SOV_ERROR_INVALID_ADDRESS;
	pthread_mutex_unlock(&c->lock);
	return r;
}

static sov_result run_body(const struct node *n, uint32_t body)
{
	struct graph_exec *g =
		body < n->conditional.nbodies ? n->conditional.bodies[body].exec : NULL;

	return g ? g->run(g) : SOV_OK;
}

static sov_result run_bodies(const struct node *n)
{
	struct context *c = n->conditional.context;
	uint64_t epoch = atomic_load_explicit(&c->epoch, memory_order_acquire);
	uint32_t value = 0;
	sov_result r;

	for (;;) {
		r = condition_read(c, n->conditional.condition, &value);
		if (r)
			return r;
		if (n->conditional.kind == SOV_CONDITIONAL_SWITCH)
			return run_body(n, value);
		if (n->conditional.kind == SOV_CONDITIONAL_IF)
			return run_body(n, value ? 0 : 1);
		if (!value)
			return SOV_OK;
		r = run_body(n, 0);
		if (r)
			return r;
		if (atomic_load_explicit(&c->epoch, memory_order_acquire) != epoch)
			return SOV_ERROR_CANCELLED; /* a reset */
	}
}

/* The graph cannot continue: what else fails here is an error of the context, like a kernel's. */
void conditional_run(void *node)
{
	const struct node *n = node;
	struct context *c = n->conditional.context;
	uint64_t epoch = atomic_load_explicit(&c->epoch, memory_order_acquire);
	sov_result r = run_bodies(n);
	sov_fault f;

	if (!r)
		return;
	fault_init(&f, r, NULL);
	snprintf(f.cause, sizeof(f.cause), "a conditional node of a graph: %s", sov_last_error());
	pthread_mutex_lock(&c->lock);
	if (!atomic_load_explicit(&c->error, memory_order_relaxed) && !c->closed &&
	    atomic_load_explicit(&c->epoch, memory_order_acquire) == epoch)
		context_fail(c, &f);
	pthread_mutex_unlock(&c->lock);
}
