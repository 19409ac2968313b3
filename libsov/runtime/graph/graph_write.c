// SPDX-License-Identifier: MIT
/*
 * Writes an executable graph for the GPU: launch descriptors and command words, once, in the
 * graph's own memory. Levels are separated by a wait-for-idle. In a chain, where the GPU supports
 * it, each launch descriptor names the next kernel, which the hardware starts, and the last one
 * releases a semaphore.
 *
 * Where compute queues cannot copy, the copies of a level are a separate segment for the copy
 * queue, after the level's kernels.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/runtime/base/demangle.h"
#include "libsov/runtime/base/error.h"
#include "libsov/runtime/base/minmax.h"
#include "libsov/runtime/graph/graph_write.h"
#include "libsov/runtime/memory/buffer.h"
#include "libsov/runtime/memory/local_memory.h"
#include "libsov/runtime/module/module.h"

/*
 * How a kernel of a chain follows another. Measured on an H200, a chain of 100 small kernels took
 * 120 us with dependent launch descriptors alone, and 145 us with a wait-for-idle between kernels;
 * every row that was tried, and the kernels that show missing barriers, are in docs/results.
 * The constant banks change only when a graph that does not execute gets other arguments, hence
 * they are invalidated once per execution.
 */
static const struct gpu_chain_options chain_link = {
	.overlap_barrier = true,
	.keep_constants = true,
	.prefetch_constants = true,
	.prefetch_program = true,
	.chain_code = true,
	.early_start = true,
};

/* ---- memory ---- */

static uint64_t align_up(uint64_t at, uint64_t align)
{
	return (at + align - 1) / align * align;
}

/*
 * Whether a kernel uses its code variant for chains. With more blocks than multiprocessors, blocks
 * may share more cache lines than the variant saves.
 */
static bool node_uses_chain_code(const struct graph_exec *g, uint32_t i)
{
	const struct context *c = g->member.context;
	const struct node *n = &g->nodes[i];

	return c->gpu->chain_code && g->next[i] &&
	       (uint64_t)n->kernel.grid[0] * n->kernel.grid[1] * n->kernel.grid[2] <=
		       c->device->properties.multiprocessors;
}

static struct graph_code *node_code(const struct graph_exec *g, uint32_t i)
{
	uint32_t k;

	for (k = 0; node_uses_chain_code(g, i) && k < g->ncodes; k++)
		if (g->codes[k].function == g->nodes[i].kernel.function)
			return &g->codes[k];
	return NULL;
}

/* Allocates space for the code variants, from *bytes on. */
static sov_result graph_place_chain_code(struct graph_exec *g, uint64_t *bytes)
{
	const struct context *c = g->member.context;
	uint32_t wait = c->gpu->chain_code ? c->gpu->chain_wait_bytes(c->chip) : 0, i;

	g->codes = calloc(GRAPH_MAX_CODES, sizeof(*g->codes));
	if (!g->codes)
		return set_error(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a graph");
	for (i = 0; i < g->count && g->ncodes < GRAPH_MAX_CODES; i++) {
		const struct function *f = g->nodes[i].kernel.function;
		uint8_t *code;

		if (g->nodes[i].kind != NODE_KERNEL || !node_uses_chain_code(g, i) ||
		    node_code(g, i))
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
 * Finds kernels that start early and wait in their own code: in a chain, a kernel with a code
 * variant after another that has one. All blocks of the previous kernel have started by then, so
 * waiting blocks cannot keep them from finishing.
 */
static void graph_find_early(struct graph_exec *g)
{
	const struct context *c = g->member.context;
	uint32_t depth = 0, at;

	if (!c->gpu->chain_code || !c->gpu->chain_wait_bytes(c->chip))
		return;
	for (at = 0; at < g->count; at++) {
		uint32_t i = g->order[at], next = g->next[i] - 1;

		if (!g->next[i] || g->next[i] == GRAPH_CHAIN_END || !node_code(g, i) ||
		    !node_code(g, next) || ++depth == GRAPH_MAX_EARLY) {
			depth = 0;
			continue;
		}
		g->before[next] = 1 + i;
	}
}

/* What lines need beyond a node's words if the compute queue has to copy them. */
static uint32_t lines_words(const struct gpu *gpu, const struct gpu_lines *l)
{
	uint32_t max = gpu->max_lines(l, false);

	return (l->lines - 1) / max * gpu->max_node_words;
}

static sov_result graph_allocate(struct graph_exec *g)
{
	const struct gpu *gpu = g->member.context->gpu;
	uint64_t bytes = GPU_SLOT_ALIGN; /* for the counter */
	uint32_t i, arguments;
	sov_result r = graph_place_chain_code(g, &bytes);

	if (r)
		return r;
	g->before = calloc(g->count, sizeof(*g->before));
	if (!g->before)
		return set_error(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a graph");
	graph_find_early(g);
	for (i = 0; i < g->count; i++) {
		if (g->nodes[i].kind != NODE_KERNEL)
			continue;
		g->kernels[i] = bytes;
		bytes += gpu->slot_bytes(g->nodes[i].kernel.function->plan.gpu, &arguments);
		bytes = align_up(bytes, GPU_SLOT_ALIGN);
	}
	g->methods = bytes;
	g->methods_max = g->count * gpu->max_node_words + (g->levels + 1) * gpu->max_level_words;
	for (i = 0; i < g->count; i++)
		if (g->nodes[i].kind == NODE_LINES)
			g->methods_max += lines_words(gpu, &g->nodes[i].lines);
	bytes += 4ull * g->methods_max;
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

static uint8_t *cpu_at(const struct graph_exec *g, uint64_t va)
{
	return (uint8_t *)g->memory->cpu + (va - g->memory->va);
}

/* Writes parameters to video memory, which is never read back. */
void graph_write_parameters(struct graph_exec *g, uint32_t i)
{
	const struct node *n = &g->nodes[i];
	const struct function *f = n->kernel.function;
	uint32_t at;

	g->member.context->gpu->slot_bytes(f->plan.gpu, &at);
	memcpy(cpu_at(g, g->kernels[i] + at), n->kernel.parameters, f->kernel->param_bytes);
}

static void write_codes(struct graph_exec *g)
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

/* Kernels of this level invalidate the instruction cache. */
static uint32_t find_first_kernels_level(const struct graph_exec *g)
{
	uint32_t first = UINT32_MAX, i;

	for (i = 0; i < g->count; i++)
		if (g->nodes[i].kind == NODE_KERNEL && g->level[i] < first)
			first = g->level[i];
	return first;
}

static struct gpu_launch launch_of(const struct graph_exec *g, uint32_t i)
{
	const struct node *n = &g->nodes[i];
	const struct graph_code *code = node_code(g, i);
	bool has_next = g->next[i] && g->next[i] != GRAPH_CHAIN_END;
	struct gpu_launch l = {
		.dynamic_shared = n->kernel.shared_bytes,
		.cooperative = n->kernel.cooperative,
		.local = &g->local,
		.id = (uint64_t)n->kernel.function->plan.id << 32 | i,
		.new_code = g->level[i] == g->first_kernels_level,
		.release = g->next[i] == GRAPH_CHAIN_END ? g->counter : 0,
		.payload = 1,
		.next = has_next ? g->kernels[g->next[i] - 1] : 0,
		.arrive = has_next && g->before[g->next[i] - 1] ? g->kernels[i] : 0,
		.wait = g->before[i] ? g->kernels[g->before[i] - 1] : 0,
		.chain = &chain_link,
		.program = code ? code->va : 0,
	};

	memcpy(l.grid, n->kernel.grid, sizeof(l.grid));
	memcpy(l.block, n->kernel.block, sizeof(l.block));
	memcpy(l.cluster, n->kernel.cluster, sizeof(l.cluster));
	return l;
}

static sov_result write_kernel(struct graph_exec *g, uint32_t i)
{
	const struct context *c = g->member.context;
	const struct function *f = g->nodes[i].kernel.function;
	struct gpu_launch l = launch_of(g, i);

	if (!c->gpu->write_grid(c->chip, f->plan.gpu, &l, cpu_at(g, g->kernels[i]), g->kernels[i]))
		return set_error(SOV_ERROR_INTERNAL,
				 "a value of kernel '%s' does not fit its launch descriptor",
				 DEMANGLED(f->kernel->name));
	graph_write_parameters(g, i);
	if (!g->max_local || f->info.local_bytes > g->max_local->info.local_bytes)
		g->max_local = f;
	if (f->info.local_bytes)
		g->local_bytes = max_u64(g->local_bytes,
					 local_grid_bytes(c, f->info.local_bytes, l.grid, l.block));
	return SOV_OK;
}

/* ---- methods ---- */

static void push_kernel(struct graph_exec *g, struct gpu_push *p, uint32_t i)
{
	const struct context *c = g->member.context;
	struct gpu_launch l = launch_of(g, i);

	c->gpu->launch_grid(c->chip, g->nodes[i].kernel.function->plan.gpu, &l, g->kernels[i], p);
}

static void push_copy(struct graph_exec *g, struct gpu_push *p, uint32_t i, uint32_t *copies)
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
	struct graph_exec *g;
	struct gpu_push p;
	uint32_t start; /* of the current segment, in words … */
	uint32_t begin; /* … and in the node order */
};

static uint32_t level_end(const struct graph_exec *g, uint32_t at)
{
	uint32_t level = g->level[g->order[at]];

	while (at < g->count && g->level[g->order[at]] == level)
		at++;
	return at;
}

/* Writes one level for one queue, and the wait of the next level for it. */
static void push_level(struct writer *w, uint32_t at, uint32_t end, bool last)
{
	struct graph_exec *g = w->g;
	const struct gpu *gpu = g->member.context->gpu;
	uint32_t copies = 0, released = 0, i;

	/* Without write_ring_entry, copies release a semaphore. */
	for (i = at; !gpu->write_ring_entry && i < end; i++)
		copies += is_copy(&g->nodes[g->order[i]]);
	if (copies) { /* the previous execution left its count there */
		gpu->release(&w->p, g->counter, 0, GPU_RELEASE_NO_WAIT);
		gpu->setup_copy(g->member.context->chip, &w->p);
	}
	for (i = at; i < end; i++) {
		if (g->nodes[g->order[i]].kind == NODE_KERNEL)
			push_kernel(g, &w->p, g->order[i]);
		else
			push_copy(g, &w->p, g->order[i], &released);
	}
	if (copies)
		gpu->acquire(&w->p, g->counter, copies);
	if (!last) /* the next submission waits for idle too */
		gpu->wait_for_idle(&w->p);
}

/* Writes a whole chain and returns the position after it. */
static uint32_t push_chain(struct writer *w, uint32_t at)
{
	struct graph_exec *g = w->g;
	const struct gpu *gpu = g->member.context->gpu;

	gpu->release(&w->p, g->counter, 0, GPU_RELEASE_NO_WAIT);
	push_kernel(g, &w->p, g->order[at]);
	while (g->next[g->order[at]] != GRAPH_CHAIN_END)
		at++;
	gpu->acquire(&w->p, g->counter, 1);
	return at + 1;
}

static bool has_host_function(const struct graph_exec *g, uint32_t at, uint32_t *host_count)
{
	uint32_t level = g->level[g->order[at]];

	for (*host_count = 0; at < g->count && g->level[g->order[at]] == level; at++)
		*host_count += node_is_on_host(&g->nodes[g->order[at]]);
	return *host_count;
}

static uint64_t node_time_limit(const struct context *c, const struct node *n)
{
	if (n->kind == NODE_KERNEL)
		return n->kernel.time_limit ? n->kernel.time_limit : c->kernel_time_limit;
	return node_is_on_host(n) ? 0 : c->other_time_limit;
}

/* Sum of the limits of nodes [from, to): they may execute one after the other. */
static uint64_t time_limit(const struct graph_exec *g, uint32_t from, uint32_t to)
{
	uint64_t sum = 0, limit;

	for (; from < to; from++) {
		limit = node_time_limit(g->member.context, &g->nodes[g->order[from]]);
		sum = sum + limit < sum ? UINT64_MAX : sum + limit;
	}
	return sum;
}

/* Ends a segment that begins at w->begin in the node order. */
static void end_segment(struct writer *w, enum engine engine, uint32_t at, uint32_t first,
			uint32_t host_count)
{
	struct graph_exec *g = w->g;

	if (g->member.context->gpu->pad)
		g->member.context->gpu->pad(&w->p);
	g->segments[g->nsegments++] = (struct graph_segment){
		.engine = engine,
		.methods = g->methods + 4ull * w->start,
		.words = w->p.count - w->start,
		.first_host = first,
		.host_count = host_count,
		.time_limit = time_limit(g, w->begin, at),
	};
	w->start = w->p.count;
}

/* Writes a level for two queues, copies after kernels; false: it has no copies. */
static bool push_copies_separately(struct writer *w, uint32_t at, uint32_t end, uint32_t host_count)
{
	struct graph_exec *g = w->g;
	const struct gpu *gpu = g->member.context->gpu;
	uint32_t copies = 0, i;

	for (i = at; i < end; i++)
		if (g->nodes[g->order[i]].kind == NODE_KERNEL)
			push_kernel(g, &w->p, g->order[i]);
	for (i = at; i < end; i++)
		copies += is_copy(&g->nodes[g->order[i]]);
	if (!copies)
		return false;
	if (w->p.count != w->start)
		end_segment(w, ENGINE_COMPUTE, end, at, 0);
	w->p.copy_queue = true;
	for (i = at, copies = 0; i < end; i++) {
		if (is_copy(&g->nodes[g->order[i]]) &&
		    w->p.count - w->start > gpu->max_copy_span_words - gpu->max_node_words)
			end_segment(w, ENGINE_COPY, end, at, 0);
		push_copy(g, &w->p, g->order[i], &copies);
	}
	end_segment(w, ENGINE_COPY, end, at, host_count);
	w->p.copy_queue = false;
	w->begin = end;
	return true;
}

static void push_all(struct writer *w)
{
	struct graph_exec *g = w->g;
	const struct gpu *gpu = g->member.context->gpu;
	uint32_t at = 0;

	gpu->invalidate_constants(&w->p);
	while (at < g->count) {
		uint32_t first = at, end = level_end(g, at), host_count;
		bool ends = has_host_function(g, at, &host_count);

		if (g->next[g->order[at]]) {
			end = push_chain(w, at);
		} else if (g->one_queue || !gpu->prefers_copy_queue) {
			push_level(w, at, end, ends);
		} else {
			if (push_copies_separately(w, at, end, host_count)) {
				at = end;
				continue;
			}
			if (!ends && end < g->count)
				gpu->wait_for_idle(&w->p);
		}
		at = end;
		if (!ends && at < g->count)
			continue;
		end_segment(w, ENGINE_COMPUTE, at, first, host_count);
		w->begin = at;
	}
}

sov_result graph_write_methods(struct graph_exec *g)
{
	struct writer w = {.g = g};
	sov_result r = SOV_OK;
	uint32_t i;

	if (!g->segments) {
		/* Two for each level, and more where copies are too many for one. */
		g->segments = calloc(2 * g->levels + 1 + g->count, sizeof(*g->segments));
		g->words = calloc(g->methods_max, sizeof(*g->words));
	}
	if (!g->words || !g->segments)
		return set_error(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a graph");
	w.p = (struct gpu_push){.words = g->words, .va = g->methods, .capacity = g->methods_max};
	g->nsegments = 0;
	push_all(&w);
	for (i = 0; !r && i < g->nsegments; i++)
		if (g->segments[i].words > g->member.context->gpu->max_span_words)
			r = set_error(SOV_ERROR_UNSUPPORTED,
				      "a graph of %u nodes has too many methods "
				      "for one submission; split it in two",
				      g->count);
	if (!r && w.p.overflow)
		r = set_error(SOV_ERROR_INTERNAL, "a graph's commands do not fit their buffer");
	if (!r) {
		memcpy(cpu_at(g, g->methods), g->words, 4ull * w.p.count);
		winsys_write_barrier();
	}
	return r;
}

sov_result graph_write(struct graph_exec *g)
{
	uint32_t i;
	sov_result r = graph_allocate(g);

	if (!r)
		write_codes(g);
	g->first_kernels_level = find_first_kernels_level(g);
	for (i = 0; !r && i < g->count; i++)
		if (g->nodes[i].kind == NODE_KERNEL)
			r = write_kernel(g, i);
	return r ? r : graph_write_methods(g);
}
