// SPDX-License-Identifier: MIT
/*
 * While a trace is written, a launch of a graph submits its nodes one by one, level by level, so
 * that the trace shows each of them. Nodes of one level do not overlap then.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/runtime/base/error.h"
#include "libsov/runtime/copy/copy_method.h"
#include "libsov/runtime/context/context_wait.h"
#include "libsov/runtime/graph/conditional.h"
#include "libsov/runtime/graph/graph_nodes.h"
#include "libsov/runtime/module/launch.h"
#include "libsov/runtime/stream/host_function.h"
#include "libsov/runtime/stream/stream.h"
#include "libsov/runtime/trace/trace_ring.h"

static sov_result submit_kernel(const struct node *n, struct stream *s)
{
	struct function *f = n->kernel.function;
	const void **arguments = calloc(f->kernel->nparams + 1, sizeof(*arguments));
	sov_launch l = SOV_INIT(sov_launch);
	struct doorbell doorbell;
	uint64_t seqno;
	sov_result r;

	if (!arguments)
		return set_error(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a node");
	for (uint32_t i = 0; i < f->kernel->nparams; i++)
		arguments[i] = n->kernel.parameters + f->kernel->params[i].offset;
	memcpy(l.grid, n->kernel.grid, sizeof(l.grid));
	memcpy(l.block, n->kernel.block, sizeof(l.block));
	memcpy(l.cluster, n->kernel.cluster, sizeof(l.cluster));
	l.shared_bytes = n->kernel.shared_bytes;
	l.time_limit = n->kernel.time_limit;
	l.flags = SOV_LAUNCH_LARGE_CLUSTER | (n->kernel.cooperative ? SOV_LAUNCH_COOPERATIVE : 0);
	l.arguments = arguments;
	l.argument_count = f->kernel->nparams;
	r = function_submit(f, &l, s, &seqno, &doorbell);
	if (!r)
		doorbell_ring(doorbell);
	free(arguments);
	return r;
}

static void trace_direction(struct context *c, uint64_t destination, uint64_t source)
{
	struct copy_range k = {.destination = destination, .source = source, .bytes = 1};

	pthread_mutex_lock(&c->lock);
	if (!copy_check(c, &k, 1, 1))
		copy_trace_direction(&k);
	pthread_mutex_unlock(&c->lock);
}

static sov_result submit_lines(const struct gpu_lines *all, struct stream *s)
{
	const struct gpu *gpu = s->member.context->gpu;
	struct slot slot;
	sov_result r;

	trace_expect_bytes((uint64_t)all->lines * all->bytes);
	r = stream_begin(s, ENGINE_COPY, WORK_COPY, &slot);
	if (r)
		return r;
	gpu->copy_lines(&slot.push, all, s->done->va, (uint32_t)slot.seqno);
	stream_submit(s, &slot);
	return SOV_OK;
}

sov_result graph_run_on_host(struct node *n, struct stream *s, bool on_host)
{
	bool decides = n->kind == NODE_CONDITIONAL;
	void (*function)(void *user) = decides ? conditional_run : n->host.function;
	void *user = decides ? n : n->host.user;
	sov_result r;

	if (!on_host)
		return stream_host_function(s, function, user);
	r = stream_wait_for(s, stream_last(s), SOV_FOREVER);
	if (!r)
		function(user);
	return r;
}

static sov_result submit_node(struct node *n, struct stream *s, bool on_host)
{
	struct context *c = s->member.context;
	uint64_t seqno;

	switch (n->kind) {
	case NODE_KERNEL:
		return submit_kernel(n, s);
	case NODE_COPY:
		trace_direction(c, n->copy.destination, n->copy.source);
		return copy_by(s, COPY_ENGINE, n->copy.destination, n->copy.source, n->copy.bytes,
			       &seqno);
	case NODE_LINES:
		trace_direction(c, n->lines.destination, n->lines.source);
		return submit_lines(&n->lines, s);
	case NODE_FILL:
		return fill_by(s, COPY_ENGINE, n->fill.address, n->fill.value,
			       n->fill.element_bytes, n->fill.bytes, &seqno);
	case NODE_HOST_FUNCTION:
	case NODE_CONDITIONAL:
		return graph_run_on_host(n, s, on_host);
	}
	return SOV_ERROR_INTERNAL;
}

sov_result graph_submit_nodes(struct graph_exec *g, struct stream *s, bool on_host)
{
	sov_result r = SOV_OK;

	for (uint32_t i = 0; !r && i < g->count; i++)
		r = submit_node(&g->nodes[g->order[i]], s, on_host);
	return r;
}
