/* SPDX-License-Identifier: MIT */
/*
 * A graph written down for the GPU: its grids and the words for queues, once, in memory of the
 * graph's own. Between levels the engines become idle. In a chain, where the GPU has such a thing, each grid names
 * the next, which the hardware then starts by itself, and the last releases a semaphore. How exactly a
 * kernel follows another is a row of a table; tests/silicon/graph_ways.c measures them all.
 *
 * Where compute queues take no copies, those of a level are a part of their own, for the copy queue, behind
 * the level's kernels.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/runtime/graph/graph.h"

/*
 * The first is what is used. The others are for it to choose from, and to compare it with: a chain of
 * 100 small kernels took an H200 120 us as a mere chain, by idleness between them 145. A graph's constant banks change when it is given other arguments, which is never
 * while it runs: so once in a run is enough to have them read anew.
 */
const struct graph_way graph_ways[] = {
	{"chain, all of it, past caches, early",
	 GRAPH_CHAIN,
	 {.overlap_barrier = true,
	  .keep_constants = true,
	  .prefetch_constants = GPU_PREFETCH_PRE,
	  .prefetch_program = true,
	  .chain_code = true,
	  .early_start = true}},
	{"chain, all of it, past caches",
	 GRAPH_CHAIN,
	 {.overlap_barrier = true,
	  .keep_constants = true,
	  .prefetch_constants = GPU_PREFETCH_PRE,
	  .prefetch_program = true,
	  .chain_code = true}},
	{"chain", GRAPH_CHAIN, {0}},
	{"chain, chasing barriers", GRAPH_CHAIN, {.overlap_barrier = true}},
	{"chain, constants kept", GRAPH_CHAIN, {.keep_constants = true}},
	{"chain, constants fetched before", GRAPH_CHAIN, {.prefetch_constants = GPU_PREFETCH_PRE}},
	{"chain, constants fetched behind", GRAPH_CHAIN, {.prefetch_constants = GPU_PREFETCH_POST}},
	{"chain, program fetched", GRAPH_CHAIN, {.prefetch_program = true}},
	{"chain, constants kept, program fetched",
	 GRAPH_CHAIN,
	 {.keep_constants = true, .prefetch_program = true}},
	{"chain, all of it",
	 GRAPH_CHAIN,
	 {.overlap_barrier = true,
	  .keep_constants = true,
	  .prefetch_constants = GPU_PREFETCH_PRE,
	  .prefetch_program = true}},
	{"host waits for idle", GRAPH_IDLE, {0}},
	{"class waits for idle", GRAPH_CLASS_IDLE, {0}},
	{"class waits for idle, constants kept, program fetched",
	 GRAPH_CLASS_IDLE,
	 {.keep_constants = true, .prefetch_program = true}},
};
const uint32_t graph_way_count = sizeof(graph_ways) / sizeof(*graph_ways);

/* ---- memory ---- */

static uint64_t align_up(uint64_t at, uint64_t align)
{
	return (at + align - 1) / align * align;
}

/*
 * Code for chains. Where a kernel has more blocks than the GPU has multiprocessors, its
 * blocks may have more in common in a cache than is saved.
 */
static bool wants_code(const struct graph_run *g, uint32_t i)
{
	const struct context *c = g->member.context;
	const struct node *n = &g->nodes[i];

	return g->way->link.chain_code && c->gpu->chain_code && g->next[i] &&
	       (uint64_t)n->kernel.grid[0] * n->kernel.grid[1] * n->kernel.grid[2] <=
		       c->device->properties.multiprocessors;
}

static struct graph_code *code_of(const struct graph_run *g, uint32_t i)
{
	uint32_t k;

	for (k = 0; wants_code(g, i) && k < g->ncodes; k++)
		if (g->codes[k].function == g->nodes[i].kernel.function)
			return &g->codes[k];
	return NULL;
}

/* Kernels that have such code get a place for it, from *bytes on. */
static sov_result find_codes(struct graph_run *g, uint64_t *bytes)
{
	const struct context *c = g->member.context;
	uint32_t wait = c->gpu->chain_code ? c->gpu->chain_wait_bytes(c->chip) : 0, i;

	g->codes = calloc(GRAPH_MOST_CODES, sizeof(*g->codes));
	if (!g->codes)
		return refuse(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a graph");
	for (i = 0; i < g->count && g->ncodes < GRAPH_MOST_CODES; i++) {
		const struct function *f = g->nodes[i].kernel.function;
		uint8_t *code;

		if (g->nodes[i].kind != NODE_KERNEL || !wants_code(g, i) || code_of(g, i))
			continue;
		code = malloc((size_t)wait + f->kernel->code_bytes + 1);
		if (!code || !c->gpu->chain_code(c->chip, &f->module->image, f->kernel, code)) {
			free(code);
			continue;
		}
		g->codes[g->ncodes++] = (struct graph_code){f, *bytes, code};
		*bytes = align_up(*bytes + wait + f->kernel->code_bytes, GPU_SLOT_ALIGN);
	}
	return SOV_OK;
}

/*
 * Who waits by itself: in a chain, a kernel that has code for that, behind another that has. All blocks of the one
 * before have started then, so those that wait keep nobody from ending.
 */
static void find_early(struct graph_run *g)
{
	const struct context *c = g->member.context;
	uint32_t depth = 0, at;

	if (!g->way->link.early_start || !c->gpu->chain_code || !c->gpu->chain_wait_bytes(c->chip))
		return;
	for (at = 0; at < g->count; at++) {
		uint32_t i = g->order[at], next = g->next[i] - 1;

		if (!g->next[i] || g->next[i] == GRAPH_CHAIN_END || !code_of(g, i) ||
		    !code_of(g, next) || ++depth == GRAPH_MOST_EARLY) {
			depth = 0;
			continue;
		}
		g->before[next] = 1 + i;
	}
}

static sov_result make_memory(struct graph_run *g)
{
	const struct gpu *gpu = g->member.context->gpu;
	uint64_t bytes = GPU_SLOT_ALIGN; /* the counter's */
	uint32_t i, arguments;
	sov_result r = find_codes(g, &bytes);

	if (r)
		return r;
	g->before = calloc(g->count, sizeof(*g->before));
	if (!g->before)
		return refuse(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a graph");
	find_early(g);
	for (i = 0; i < g->count; i++) {
		if (g->nodes[i].kind != NODE_KERNEL)
			continue;
		g->kernels[i] = bytes;
		bytes += gpu->slot_bytes(g->nodes[i].kernel.function->plan.gpu, &arguments);
		bytes = align_up(bytes, GPU_SLOT_ALIGN);
	}
	g->methods = bytes;
	g->methods_most = g->count * gpu->max_node_words + (g->levels + 1) * gpu->max_level_words;
	bytes += 4ull * g->methods_most;
	r = buffer_create_mapped(g->member.context, WINSYS_VRAM, true, bytes, &g->memory);
	if (r)
		return r;
	for (i = 0; i < g->count; i++)
		g->kernels[i] += g->memory->va;
	for (i = 0; i < g->ncodes; i++)
		g->codes[i].va += g->memory->va;
	g->methods += g->memory->va;
	g->counter = g->memory->va;
	return r;
}

static uint8_t *cpu_at(const struct graph_run *g, uint64_t va)
{
	return (uint8_t *)g->memory->cpu + (va - g->memory->va);
}

/* Parameters; to video memory, which is not read. */
void graph_write_parameters(struct graph_run *g, uint32_t i)
{
	const struct node *n = &g->nodes[i];
	const struct function *f = n->kernel.function;
	uint32_t at;

	g->member.context->gpu->slot_bytes(f->plan.gpu, &at);
	memcpy(cpu_at(g, g->kernels[i] + at), n->kernel.parameters, f->kernel->param_bytes);
}

static void write_codes(struct graph_run *g)
{
	uint32_t i;

	for (i = 0; i < g->ncodes; i++) {
		struct graph_code *k = &g->codes[i];

		memcpy(cpu_at(g, k->va), k->code,
		       g->member.context->gpu->chain_wait_bytes(g->member.context->chip) +
			       k->function->kernel->code_bytes);
		free(k->code);
		k->code = NULL;
	}
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

static struct gpu_launch describe(const struct graph_run *g, uint32_t i)
{
	const struct node *n = &g->nodes[i];
	const struct graph_code *code = code_of(g, i);
	bool has_next = g->next[i] && g->next[i] != GRAPH_CHAIN_END;
	struct gpu_launch l = {
		.dynamic_shared = n->kernel.shared_bytes,
		.local = &g->local,
		.id = (uint64_t)n->kernel.function->plan.id << 32 | i,
		.new_code = g->level[i] == g->first_kernels,
		.release = g->next[i] == GRAPH_CHAIN_END ? g->counter : 0,
		.payload = 1,
		.next = has_next ? g->kernels[g->next[i] - 1] : 0,
		.arrive = has_next && g->before[g->next[i] - 1] ? g->kernels[i] : 0,
		.wait = g->before[i] ? g->kernels[g->before[i] - 1] : 0,
		.chain = &g->way->link,
		.program = code ? code->va : 0,
	};

	memcpy(l.grid, n->kernel.grid, sizeof(l.grid));
	memcpy(l.block, n->kernel.block, sizeof(l.block));
	return l;
}

static sov_result write_kernel(struct graph_run *g, uint32_t i)
{
	const struct context *c = g->member.context;
	const struct function *f = g->nodes[i].kernel.function;
	struct gpu_launch l = describe(g, i);

	if (!c->gpu->write_grid(c->chip, f->plan.gpu, &l, cpu_at(g, g->kernels[i]), g->kernels[i]))
		return refuse(SOV_ERROR_INTERNAL,
			      "a value of kernel '%s' does not fit its launch descriptor",
			      f->kernel->name);
	graph_write_parameters(g, i);
	if (!g->most_local || f->plan.local_bytes > g->most_local->plan.local_bytes)
		g->most_local = f;
	return SOV_OK;
}

/* ---- methods ---- */

static void push_kernel(struct graph_run *g, struct gpu_push *p, uint32_t i)
{
	const struct context *c = g->member.context;
	struct gpu_launch l = describe(g, i);

	c->gpu->launch_grid(c->chip, g->nodes[i].kernel.function->plan.gpu, &l, g->kernels[i], p);
}

static void push_copy(struct graph_run *g, struct gpu_push *p, uint32_t i, uint32_t *copies)
{
	const struct gpu *gpu = g->member.context->gpu;
	const struct node *n = &g->nodes[i];

	switch (n->kind) {
	case NODE_COPY:
		gpu->copy(p, n->copy.destination, n->copy.source, n->copy.bytes, g->counter,
			  ++*copies);
		break;
	case NODE_LINES:
		gpu->copy_lines(p, &n->lines, g->counter, ++*copies);
		break;
	case NODE_FILL:
		gpu->fill(p, n->fill.address, n->fill.value, n->fill.element_bytes, n->fill.bytes,
			  g->counter, ++*copies);
		break;
	default:
		break;
	}
}

static bool is_copy(const struct node *n)
{
	return n->kind == NODE_COPY || n->kind == NODE_LINES || n->kind == NODE_FILL;
}

struct writer {
	struct graph_run *g;
	struct gpu_push p;
	uint32_t start; /* of the part that is being written, in words … */
	uint32_t begin; /* … and in the order */
};

static uint32_t level_end(const struct graph_run *g, uint32_t at)
{
	uint32_t level = g->level[g->order[at]];

	while (at < g->count && g->level[g->order[at]] == level)
		at++;
	return at;
}

/* A level from here to there in the order, on one queue, and what makes the next wait for it. */
static void push_level(struct writer *w, uint32_t at, uint32_t end, bool last)
{
	struct graph_run *g = w->g;
	const struct gpu *gpu = g->member.context->gpu;
	uint32_t copies = 0, i;

	for (i = at; i < end; i++)
		copies += is_copy(&g->nodes[g->order[i]]);
	if (copies) { /* the last run left its count there */
		gpu->release(&w->p, g->counter, 0, GPU_RELEASE_NO_WAIT);
		gpu->setup_copy(g->member.context->chip, &w->p);
	}
	for (i = at, copies = 0; i < end; i++) {
		if (g->nodes[g->order[i]].kind == NODE_KERNEL)
			push_kernel(g, &w->p, g->order[i]);
		else
			push_copy(g, &w->p, g->order[i], &copies);
	}
	if (copies)
		gpu->acquire(&w->p, g->counter, copies);
	if (!last) /* the piece of work behind it waits in the same way */
		gpu->wait_for_idle(&w->p, g->way->follow == GRAPH_CLASS_IDLE);
}

/* All of a chain, whose levels are passed. */
static uint32_t push_chain(struct writer *w, uint32_t at)
{
	struct graph_run *g = w->g;
	const struct gpu *gpu = g->member.context->gpu;

	gpu->release(&w->p, g->counter, 0, GPU_RELEASE_NO_WAIT);
	push_kernel(g, &w->p, g->order[at]);
	while (g->next[g->order[at]] != GRAPH_CHAIN_END)
		at++;
	gpu->acquire(&w->p, g->counter, 1);
	return at + 1;
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

/* What was written since the last cut is a part of its own, from *begin on in the order. */
static void cut(struct writer *w, enum engine engine, uint32_t at, uint32_t first, uint32_t calls)
{
	struct graph_run *g = w->g;

	if (g->member.context->gpu->pad)
		g->member.context->gpu->pad(&w->p);
	g->parts[g->nparts++] = (struct graph_part){
		.engine = engine,
		.methods = g->methods + 4ull * w->start,
		.words = w->p.count - w->start,
		.first_call = first,
		.calls = calls,
		.time_limit = time_limit(g, w->begin, at),
	};
	w->start = w->p.count;
}

/* The same level by two queues: copies behind kernels. */
static bool push_copies_apart(struct writer *w, uint32_t at, uint32_t end, uint32_t calls)
{
	struct graph_run *g = w->g;
	uint32_t copies = 0, i;

	for (i = at; i < end; i++)
		if (g->nodes[g->order[i]].kind == NODE_KERNEL)
			push_kernel(g, &w->p, g->order[i]);
	for (i = at; i < end; i++)
		copies += is_copy(&g->nodes[g->order[i]]);
	if (!copies)
		return false;
	if (w->p.count != w->start)
		cut(w, ENGINE_COMPUTE, end, at, 0);
	w->p.copy_queue = true;
	for (i = at, copies = 0; i < end; i++)
		push_copy(g, &w->p, g->order[i], &copies);
	cut(w, ENGINE_COPY, end, at, calls);
	w->p.copy_queue = false;
	w->begin = end;
	return true;
}

static void push_all(struct writer *w)
{
	struct graph_run *g = w->g;
	const struct gpu *gpu = g->member.context->gpu;
	uint32_t at = 0;

	if (g->way->link.keep_constants)
		gpu->invalidate_constants(&w->p);
	while (at < g->count) {
		uint32_t first = at, end = level_end(g, at), calls;
		bool ends = has_call(g, at, &calls);

		if (g->next[g->order[at]]) {
			end = push_chain(w, at);
		} else if (gpu->copies_on_compute) {
			push_level(w, at, end, ends);
		} else {
			if (push_copies_apart(w, at, end, calls)) {
				at = end;
				continue;
			}
			if (!ends && end < g->count)
				gpu->wait_for_idle(&w->p, false);
		}
		at = end;
		if (!ends && at < g->count)
			continue;
		cut(w, ENGINE_COMPUTE, at, first, calls);
		w->begin = at;
	}
}

sov_result graph_write_methods(struct graph_run *g)
{
	struct writer w = {.g = g};
	sov_result r = SOV_OK;
	uint32_t i;

	if (!g->parts) {
		g->parts = calloc(2 * g->levels + 1, sizeof(*g->parts));
		g->words = calloc(g->methods_most, sizeof(*g->words));
	}
	if (!g->words || !g->parts)
		return refuse(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a graph");
	w.p = (struct gpu_push){.words = g->words, .capacity = g->methods_most};
	g->nparts = 0;
	push_all(&w);
	for (i = 0; !r && i < g->nparts; i++)
		if (g->parts[i].words > g->member.context->gpu->max_span_words)
			r = refuse(SOV_ERROR_UNSUPPORTED,
				   "a graph of %u nodes has too many methods "
				   "for one piece of work; make two of it",
				   g->count);
	if (!r && w.p.overflow)
		r = refuse(SOV_ERROR_INTERNAL, "a graph's methods do not fit their place");
	if (!r) {
		memcpy(cpu_at(g, g->methods), g->words, 4ull * w.p.count);
		winsys_write_barrier();
	}
	return r;
}

sov_result graph_write(struct graph_run *g)
{
	uint32_t i;
	sov_result r = make_memory(g);

	if (!r)
		write_codes(g);
	g->first_kernels = first_kernels(g);
	for (i = 0; !r && i < g->count; i++)
		if (g->nodes[i].kind == NODE_KERNEL)
			r = write_kernel(g, i);
	return r ? r : graph_write_methods(g);
}
