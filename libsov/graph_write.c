/* SPDX-License-Identifier: MIT */
/*
 * A graph written down for the GPU: launch descriptors, constant banks and methods, once, in memory
 * of the graph's own. Between levels the engines become idle. In a chain each descriptor names the
 * next, which the hardware then starts by itself, and the last releases a semaphore. How exactly a
 * kernel follows another is a row of a table; tests/silicon/graph_ways.c measures them all.
 */
#include <stdlib.h>
#include <string.h>
#include "libsov/graph.h"

#define KERNEL_BANK0   512u /* from a kernel's descriptor to its constant bank */
#define KERNEL_ALIGN   256u
#define NODE_WORDS     32u /* of methods, at most */
#define LEVEL_WORDS    24u

/*
 * The first is what is used. It is the fastest of those that have been tried on a card: a chain of
 * 100 small kernels took an H200 120 us, by idleness between them 145. The others are for it to
 * choose from. A graph's constant banks change when it is given other arguments, which is never
 * while it runs: so once in a run is enough to have them read anew.
 */
const struct graph_way graph_ways[] = {
	{"chain", GRAPH_CHAIN, {0}},
	{"chain, chasing barriers", GRAPH_CHAIN, {.chase = true}},
	{"chain, constants kept", GRAPH_CHAIN, {.keep_bank0 = true}},
	{"chain, constants fetched before", GRAPH_CHAIN, {.fetch_bank0 = NV_QMD_FETCH_BEFORE}},
	{"chain, constants fetched behind", GRAPH_CHAIN, {.fetch_bank0 = NV_QMD_FETCH_BEHIND}},
	{"chain, program fetched", GRAPH_CHAIN, {.fetch_program = true}},
	{"chain, constants kept, program fetched", GRAPH_CHAIN,
	 {.keep_bank0 = true, .fetch_program = true}},
	{"chain, all of it", GRAPH_CHAIN,
	 {.chase = true,
	  .keep_bank0 = true,
	  .fetch_bank0 = NV_QMD_FETCH_BEFORE,
	  .fetch_program = true}},
	{"host waits for idle", GRAPH_IDLE, {0}},
	{"class waits for idle", GRAPH_CLASS_IDLE, {0}},
	{"class waits for idle, constants kept, program fetched", GRAPH_CLASS_IDLE,
	 {.keep_bank0 = true, .fetch_program = true}},
};
const uint32_t graph_way_count = sizeof(graph_ways) / sizeof(*graph_ways);

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
void graph_write_parameters(struct graph_run *g, uint32_t i)
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
		.release = g->next[i] == GRAPH_CHAIN_END ? g->counter : 0,
		.payload = 1,
		.next = g->next[i] && g->next[i] != GRAPH_CHAIN_END ? g->kernels[g->next[i] - 1] : 0,
		.linked = true,
		.link = g->way->link,
	};

	if (!bank)
		return refuse(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a graph");
	memcpy(grid.grid, n->kernel.grid, sizeof(grid.grid));
	memcpy(grid.block, n->kernel.block, sizeof(grid.block));
	nv_grid_split(&c->chip, &f->plan.nv.kernel, grid.block[0] * grid.block[1] * grid.block[2],
		      grid.dynamic_shared, &grid.split_min, &grid.split_target);
	if (!nv_grid_qmd(&c->chip, &f->plan.nv, &grid, qmd)) {
		free(bank);
		return refuse(SOV_ERROR_INTERNAL,
			      "a value of kernel '%s' does not fit its launch descriptor",
			      f->kernel->name);
	}
	nv_grid_body(&c->chip, &f->plan.nv.kernel, f->kernel->param_base, bank);
	nv_grid_head(&c->chip, &grid, bank);
	memcpy(cpu_at(g, g->kernels[i]), qmd, sizeof(qmd));
	memcpy(cpu_at(g, g->kernels[i] + KERNEL_BANK0), bank, bytes);
	free(bank);
	graph_write_parameters(g, i);
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
	case NODE_LINES:
		nv_push_copy_lines(p, &n->lines, g->counter, ++*copies);
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

static bool is_copy(const struct node *n)
{
	return n->kind == NODE_COPY || n->kind == NODE_LINES || n->kind == NODE_FILL;
}

/* A level, from *at in the order on, and what makes the next wait for it. */
static void push_level(struct graph_run *g, struct nv_push *p, uint32_t *at, bool last)
{
	uint32_t level = g->level[g->order[*at]], copies = 0, i;

	for (i = *at; i < g->count && g->level[g->order[i]] == level; i++)
		copies += is_copy(&g->nodes[g->order[i]]);
	if (copies) { /* the last run left its count there */
		nv_push_release(p, g->counter, 0, NV_RELEASE_NOW);
		nv_push_bind_copy(p, &g->member.context->chip);
	}
	copies = 0;
	for (; *at < i; ++*at)
		push_node(g, p, g->order[*at], &copies);
	if (copies)
		nv_push_acquire(p, g->counter, copies);
	if (last) /* the piece of work behind it waits in the same way */
		return;
	if (g->way->follow == GRAPH_CLASS_IDLE)
		nv_push_wait_class(p);
	else
		nv_push_wait(p);
}

/* All of a chain, whose levels are passed. */
static void push_chain(struct graph_run *g, struct nv_push *p, uint32_t *at)
{
	nv_push_release(p, g->counter, 0, NV_RELEASE_NOW);
	nv_push_launch(p, g->kernels[g->order[*at]]);
	while (g->next[g->order[*at]] != GRAPH_CHAIN_END)
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
	if (g->way->link.keep_bank0)
		nv_push_forget_constants(&p);
	while (at < g->count) {
		struct graph_part *part = &g->parts[g->nparts];
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
		*part = (struct graph_part){.methods = va + 4ull * start,
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

sov_result graph_write(struct graph_run *g)
{
	uint32_t first = first_kernels(g), i;
	sov_result r = make_memory(g);

	for (i = 0; !r && i < g->count; i++)
		if (g->nodes[i].kind == NODE_KERNEL)
			r = write_kernel(g, i, g->level[i] == first);
	return r ? r : write_methods(g);
}
