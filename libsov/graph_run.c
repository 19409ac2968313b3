/* SPDX-License-Identifier: MIT */
/*
 * Graphs made ready to run. Nodes are put into levels: a node's is one more than the highest of what
 * it comes after. Nodes of one level may run at the same time; between levels the engines become
 * idle. Kernels that are alone in their levels, one behind the other, are a chain: each descriptor
 * names the next, which the hardware then starts by itself, and the last releases a semaphore. All of it is written down once, launch descriptors, constant banks and methods, in memory of
 * the graph's own; to run it is one piece of work on a stream, whose ring entries point there, and
 * one doorbell. Only host functions cut a graph into several pieces.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/graph.h"
#include "libsov/log.h"
#include "libsov/trace.h"

#define KERNEL_BANK0   512u /* from a kernel's descriptor to its constant bank */
#define KERNEL_ALIGN   256u
#define NODE_WORDS     32u /* of methods, at most */
#define LEVEL_WORDS    24u
#define CHAIN_END      UINT32_MAX

struct part { /* between host functions */
	uint64_t methods; /* address */
	uint32_t words;
	uint32_t first_call, calls; /* of order: host functions that follow */
	uint64_t time_limit; /* of its nodes together */
};

struct graph_run {
	struct member member;
	struct node *nodes; /* copies */
	uint32_t count;
	uint32_t *level, *order; /* of a node; nodes by level */
	uint32_t levels;
	uint64_t *kernels; /* by node: where its descriptor is in memory */
	uint32_t *next;    /* by node: 1 + the next of its chain; CHAIN_END: it is the last of one */
	struct buffer *memory;
	uint64_t counter; /* in it: copies of a level count here, from 0 on in every run */
	struct part *parts;
	uint32_t nparts;
	const struct function *most_local;
	pthread_mutex_t running; /* the order of runs; protects what follows */
	bool closing; /* it is being destroyed */
	struct stream *last; /* a reference: where it ran last … */
	uint64_t last_number; /* … and up to where */
};

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
	free(g->parts);
	free(g);
	object_put(&c->object);
}

/* ---- levels ---- */

/* How many nodes each comes after, and who comes after it, in one array. */
static sov_result sort(struct graph_run *g)
{
	uint32_t *missing = calloc(g->count + 1, 4), *start = calloc(g->count + 2, 4);
	uint32_t *later, edges = 0, done = 0, i, k;
	sov_result r = SOV_OK;

	for (i = 0; i < g->count; i++)
		edges += g->nodes[i].nafter;
	later = calloc(edges + 1, 4);
	if (!missing || !start || !later) {
		r = refuse(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a graph");
		goto out;
	}
	for (i = 0; i < g->count; i++)
		for (k = 0; k < g->nodes[i].nafter; k++)
			start[g->nodes[i].after[k] + 1]++;
	for (i = 1; i <= g->count + 1; i++)
		start[i] += start[i - 1];
	for (i = 0; i < g->count; i++) {
		missing[i] = g->nodes[i].nafter;
		for (k = 0; k < g->nodes[i].nafter; k++)
			later[start[g->nodes[i].after[k]]++] = i;
	}
	/* start[n] is now the end of what comes after node n, and start[n - 1] its beginning. */
	for (i = 0; i < g->count; i++)
		if (!missing[i])
			g->order[done++] = i;
	for (i = 0; i < done; i++) {
		uint32_t node = g->order[i];

		for (k = start[node]; k < start[node + 1]; k++) {
			uint32_t next = later[k];

			if (g->level[next] <= g->level[node])
				g->level[next] = g->level[node] + 1;
			if (!--missing[next])
				g->order[done++] = next;
		}
	}
	for (i = 0; i < g->count && !missing[i]; i++)
		;
	if (i < g->count)
		r = refuse(SOV_ERROR_INVALID_ARGUMENT,
			   "node %u comes after itself by way of others; a graph has no circles",
			   i + 1);
out:
	free(missing);
	free(start);
	free(later);
	return r;
}

/* By level; inside one in the order in which they were added. */
static sov_result order_by_level(struct graph_run *g)
{
	uint32_t *start, i;

	for (i = 0; i < g->count; i++)
		if (g->level[i] + 1 > g->levels)
			g->levels = g->level[i] + 1;
	start = calloc(g->levels + 1, sizeof(*start));
	if (!start)
		return refuse(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a graph");
	for (i = 0; i < g->count; i++)
		start[g->level[i] + 1]++;
	for (i = 1; i <= g->levels; i++)
		start[i] += start[i - 1];
	for (i = 0; i < g->count; i++)
		g->order[start[g->level[i]]++] = i;
	free(start);
	return SOV_OK;
}

/* The kernel at this place of the order is alone in its level. */
static bool alone(const struct graph_run *g, uint32_t at)
{
	uint32_t level = g->level[g->order[at]];

	return g->nodes[g->order[at]].kind == NODE_KERNEL &&
	       (!at || g->level[g->order[at - 1]] != level) &&
	       (at + 1 == g->count || g->level[g->order[at + 1]] != level);
}

static void chain(struct graph_run *g)
{
	uint32_t at;

	if (g->member.context->chip.sm < 80) /* where such a field is not known */
		return;
	for (at = 1; at < g->count; at++) {
		if (!alone(g, at - 1) || !alone(g, at))
			continue;
		g->next[g->order[at - 1]] = 1 + g->order[at];
		g->next[g->order[at]] = CHAIN_END;
	}
}

/* ---- memory ---- */

static uint64_t align_up(uint64_t at, uint64_t align)
{
	return (at + align - 1) / align * align;
}

static sov_result make_memory(struct graph_run *g)
{
	uint64_t bytes = KERNEL_ALIGN; /* the counter's */
	uint32_t i;
	sov_result r;

	for (i = 0; i < g->count; i++) {
		if (g->nodes[i].kind != NODE_KERNEL)
			continue;
		g->kernels[i] = bytes;
		bytes = align_up(bytes + KERNEL_BANK0 +
					 g->nodes[i].kernel.function->kernel->bank0_bytes,
				 KERNEL_ALIGN);
	}
	bytes += 4ull * (g->count * NODE_WORDS + (g->levels + 1) * LEVEL_WORDS);
	r = buffer_create_mapped(g->member.context, WINSYS_VRAM, true, bytes, &g->memory);
	for (i = 0; !r && i < g->count; i++)
		g->kernels[i] += g->memory->va;
	if (!r)
		g->counter = g->memory->va;
	return r;
}

static uint8_t *cpu_at(const struct graph_run *g, uint64_t va)
{
	return (uint8_t *)g->memory->cpu + (va - g->memory->va);
}

/* Parameters; to video memory, which is not read. */
static void write_parameters(struct graph_run *g, uint32_t i)
{
	const struct node *n = &g->nodes[i];
	const struct image_kernel *k = n->kernel.function->kernel;

	memcpy(cpu_at(g, g->kernels[i] + KERNEL_BANK0 + k->param_base), n->kernel.parameters,
	       k->param_bytes);
}

/* The first level that has kernels: those have the instruction cache look for new code. */
static uint32_t first_kernels(const struct graph_run *g)
{
	uint32_t first = UINT32_MAX, i;

	for (i = 0; i < g->count; i++)
		if (g->nodes[i].kind == NODE_KERNEL && g->level[i] < first)
			first = g->level[i];
	return first;
}

static sov_result write_kernel(struct graph_run *g, uint32_t i, bool new_code)
{
	struct context *c = g->member.context;
	const struct node *n = &g->nodes[i];
	struct function *f = n->kernel.function;
	uint32_t qmd[NV_QMD_MAX_BYTES / 4] = {0}, bytes = f->kernel->bank0_bytes;
	uint8_t *bank = calloc(1, align_up(bytes, NV_GRID_HEAD_BYTES) + NV_GRID_HEAD_BYTES);
	struct nv_grid grid = {
		.dynamic_shared = n->kernel.shared_bytes,
		.bank0 = g->kernels[i] + KERNEL_BANK0,
		.id = (uint64_t)f->plan.id << 32 | i,
		.new_code = new_code,
		.release = g->next[i] == CHAIN_END ? g->counter : 0,
		.payload = 1,
		.next = g->next[i] && g->next[i] != CHAIN_END ? g->kernels[g->next[i] - 1] : 0,
	};

	if (!bank)
		return refuse(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a graph");
	memcpy(grid.grid, n->kernel.grid, sizeof(grid.grid));
	memcpy(grid.block, n->kernel.block, sizeof(grid.block));
	nv_grid_split(&c->chip, &f->plan.nv.kernel, grid.block[0] * grid.block[1] * grid.block[2],
		      grid.dynamic_shared, &grid.split_min, &grid.split_target);
	nv_grid_qmd(&c->chip, &f->plan.nv, &grid, qmd);
	nv_grid_body(&c->chip, &f->plan.nv.kernel, f->kernel->param_base, bank);
	nv_grid_head(&c->chip, &grid, bank);
	memcpy(cpu_at(g, g->kernels[i]), qmd, sizeof(qmd));
	memcpy(cpu_at(g, g->kernels[i] + KERNEL_BANK0), bank, bytes);
	free(bank);
	write_parameters(g, i);
	if (!g->most_local || f->plan.local_bytes > g->most_local->plan.local_bytes)
		g->most_local = f;
	return SOV_OK;
}

/* ---- methods ---- */

static void push_node(struct graph_run *g, struct nv_push *p, uint32_t i, uint32_t *copies)
{
	const struct node *n = &g->nodes[i];

	switch (n->kind) {
	case NODE_KERNEL:
		nv_push_launch(p, g->kernels[i]);
		break;
	case NODE_COPY:
		nv_push_copy(p, n->copy.destination, n->copy.source, (uint32_t)n->copy.bytes,
			     g->counter, ++*copies);
		break;
	case NODE_FILL:
		nv_push_fill(p, n->fill.address, n->fill.value, n->fill.element_bytes,
			     (uint32_t)(n->fill.bytes / n->fill.element_bytes), g->counter,
			     ++*copies);
		break;
	case NODE_CALL:
		break;
	}
}

/* A level, from *at in the order on, and what makes the next wait for it. */
static void push_level(struct graph_run *g, struct nv_push *p, uint32_t *at, bool last)
{
	uint32_t level = g->level[g->order[*at]], copies = 0, i;

	for (i = *at; i < g->count && g->level[g->order[i]] == level; i++)
		copies += g->nodes[g->order[i]].kind == NODE_COPY ||
			  g->nodes[g->order[i]].kind == NODE_FILL;
	if (copies) { /* the last run left its count there */
		nv_push_release(p, g->counter, 0, NV_RELEASE_NOW);
		nv_push_bind_copy(p, &g->member.context->chip);
	}
	copies = 0;
	for (; *at < i; ++*at)
		push_node(g, p, g->order[*at], &copies);
	if (copies)
		nv_push_acquire(p, g->counter, copies);
	if (!last) /* the piece of work behind it waits in the same way */
		nv_push_wait(p);
}

/* All of a chain, whose levels are passed. */
static void push_chain(struct graph_run *g, struct nv_push *p, uint32_t *at)
{
	nv_push_release(p, g->counter, 0, NV_RELEASE_NOW);
	nv_push_launch(p, g->kernels[g->order[*at]]);
	while (g->next[g->order[*at]] != CHAIN_END)
		++*at;
	++*at;
	nv_push_acquire(p, g->counter, 1);
}

static bool has_call(const struct graph_run *g, uint32_t at, uint32_t *calls)
{
	uint32_t level = g->level[g->order[at]];

	for (*calls = 0; at < g->count && g->level[g->order[at]] == level; at++)
		*calls += g->nodes[g->order[at]].kind == NODE_CALL;
	return *calls;
}

static uint64_t limit_of(const struct context *c, const struct node *n)
{
	if (n->kind == NODE_KERNEL)
		return n->kernel.time_limit ? n->kernel.time_limit : c->kernel_time_limit;
	return n->kind == NODE_CALL ? 0 : c->other_time_limit;
}

/* Of the nodes from one place of the order to another: they may run one after the other. */
static uint64_t time_limit(const struct graph_run *g, uint32_t from, uint32_t to)
{
	uint64_t sum = 0, limit;

	for (; from < to; from++) {
		limit = limit_of(g->member.context, &g->nodes[g->order[from]]);
		sum = sum + limit < sum ? UINT64_MAX : sum + limit;
	}
	return sum;
}

static sov_result write_methods(struct graph_run *g)
{
	uint32_t most = g->count * NODE_WORDS + (g->levels + 1) * LEVEL_WORDS, at = 0;
	uint32_t *words = calloc(most, sizeof(*words));
	uint64_t va = g->memory->va + g->memory->bytes - 4ull * most;
	struct nv_push p = {.words = words, .capacity = most};
	uint32_t start = 0, begin = 0;

	g->parts = calloc(g->levels + 1, sizeof(*g->parts));
	if (!words || !g->parts) {
		free(words);
		return refuse(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a graph");
	}
	while (at < g->count) {
		struct part *part = &g->parts[g->nparts];
		uint32_t first = at, calls;
		bool cut = has_call(g, at, &calls);

		if (g->next[g->order[at]])
			push_chain(g, &p, &at);
		else
			push_level(g, &p, &at, cut);
		if (!cut && at < g->count)
			continue;
		if (p.count - start > NV_GP_MAX_WORDS) {
			free(words);
			return refuse(SOV_ERROR_UNSUPPORTED, "a graph of %u nodes has too many methods "
							     "for one piece of work; make two of it", g->count);
		}
		*part = (struct part){.methods = va + 4ull * start,
				      .words = p.count - start,
				      .first_call = first,
				      .calls = calls,
				      .time_limit = time_limit(g, begin, at)};
		begin = at;
		start = p.count;
		g->nparts++;
	}
	if (p.overflow) {
		free(words);
		return refuse(SOV_ERROR_INTERNAL, "a graph's methods do not fit their place");
	}
	memcpy(cpu_at(g, va), words, 4ull * p.count);
	winsys_write_barrier();
	free(words);
	return SOV_OK;
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
	sov_result r = copy_nodes(g, from);
	uint32_t first, i;

	if (!r)
		r = sort(g);
	if (!r)
		r = order_by_level(g);
	if (!r) {
		chain(g);
		r = make_memory(g);
	}
	first = first_kernels(g);
	for (i = 0; !r && i < g->count; i++)
		if (g->nodes[i].kind == NODE_KERNEL)
			r = write_kernel(g, i, g->level[i] == first);
	return r ? r : write_methods(g);
}

sov_result sov_graph_instantiate(sov_graph graph, sov_graph_run *run)
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
		return member_leave(g, refuse(SOV_ERROR_INVALID_ARGUMENT, "the graph has no nodes"));
	made = calloc(1, sizeof(*made));
	if (!made)
		return member_leave(g, refuse(SOV_ERROR_OUT_OF_HOST_MEMORY,
					      "no host memory for a graph"));
	pthread_mutex_init(&made->running, NULL);
	r = member_publish(&made->member, g->member.context, &g->member.context->graphs,
			   OBJECT_GRAPH_RUN, run_free);
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

sov_result sov_graph_run_destroy(sov_graph_run run)
{
	struct graph_run *g = object_get(run, OBJECT_GRAPH_RUN);
	sov_result r;
	bool keep;

	/* From here on it is not run again; running takes the context's lock inside of its own. */
	if (g) {
		pthread_mutex_lock(&g->running);
		g->closing = true;
		pthread_mutex_unlock(&g->running);
		object_put(&g->member.object);
	}
	g = member_enter_failed(run, OBJECT_GRAPH_RUN, &r);
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

sov_result sov_graph_run_set_arguments(sov_graph_run run, sov_node node,
				       const void *const *arguments, uint32_t count)
{
	struct graph_run *g = object_get(run, OBJECT_GRAPH_RUN);
	sov_result r = SOV_OK;
	struct node *n;

	if (!g)
		return SOV_ERROR_INVALID_HANDLE;
	n = node && node <= g->count ? &g->nodes[node - 1] : NULL;
	if (!n || n->kind != NODE_KERNEL)
		r = refuse(SOV_ERROR_INVALID_ARGUMENT, "node %u is no kernel of the graph", node);
	else if (count != n->kernel.function->kernel->nparams || (count && !arguments))
		r = refuse(SOV_ERROR_INVALID_LAUNCH, "kernel '%s' takes %u arguments; %u given",
			   n->kernel.function->kernel->name, n->kernel.function->kernel->nparams,
			   arguments ? count : 0);
	for (uint32_t i = 0; !r && i < count; i++)
		if (!arguments[i])
			r = refuse(SOV_ERROR_INVALID_LAUNCH, "argument %u of kernel '%s' is NULL", i,
				   n->kernel.function->kernel->name);
	if (!r) {
		pthread_mutex_lock(&g->running);
		/* What runs reads them. */
		if (g->last)
			r = stream_wait_for(g->last, g->last_number, SOV_MAX_WAIT);
		if (!r) {
			node_set_parameters(n, arguments);
			write_parameters(g, node - 1);
			winsys_write_barrier();
		}
		pthread_mutex_unlock(&g->running);
	}
	object_put(&g->member.object);
	return r;
}

static sov_result submit_part(struct graph_run *g, struct stream *s, const struct part *part)
{
	struct context *c = g->member.context;
	const struct local_memory *local = &c->local;
	const struct request q = {.engine = ENGINE_COMPUTE,
				  .kind = WORK_GRAPH,
				  .function = g->most_local,
				  .limit = part->time_limit};
	struct slot slot;
	sov_result r;

	trace_bytes(g->count);
	r = stream_begin_request(s, &q, &slot);
	if (r)
		return r;
	if (g->most_local && g->most_local->plan.local_bytes &&
	    atomic_load_explicit(&s->local, memory_order_relaxed) != local->serial) {
		nv_push_local(&slot.push, local->area->va, local->tpc_bytes);
		slot.piece->local = local->serial;
	}
	if (part->words)
		slot.inserted = nv_gp_entry_pack(part->methods, part->words);
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
	if (g->last)
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
		const struct part *part = &g->parts[i];
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

sov_result sov_graph_launch(sov_graph_run run, sov_stream stream)
{
	struct graph_run *g = object_get(run, OBJECT_GRAPH_RUN);
	sov_result r = SOV_ERROR_INVALID_HANDLE;
	struct stream *s;

	if (!g)
		return r;
	s = stream_find(g->member.context, stream);
	if (s && graph_capturing(s)) {
		r = refuse(SOV_ERROR_UNSUPPORTED, "a graph inside a graph");
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
