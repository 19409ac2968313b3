// SPDX-License-Identifier: MIT
/*
 * Graphs whose kernels form chains, in which each launch descriptor starts the next kernel: results
 * are right with new arguments, and around kernels of one level and fills.
 */
#include "tests/userspace/runtime/_api.h"
#include "tests/userspace/runtime/_ptx.h"

enum { CHAIN = 12 };

static sov_node add_node(sov_graph g, sov_function f, sov_node after, sov_ptr p, uint32_t n)
{
	sov_launch l = SOV_INIT(sov_launch);
	sov_node node;

	l.grid[0] = l.grid[1] = l.grid[2] = l.block[0] = l.block[1] = l.block[2] = 1;
	l.arguments = ARGUMENTS(&p, &n);
	l.argument_count = 2;
	MUST(sov_graph_add_kernel(g, &after, after != 0, f, &l, &node));
	return node;
}

/* A chain, then two kernels of one level, then a fill and another chain. */
static bool runs(sov_context c, sov_function add, sov_ptr p)
{
	uint32_t got[2] = {0}, hundred = 100, i;
	sov_node n = 0, third = 0, sides[2], fill;
	sov_graph_exec exec;
	sov_stream s;
	sov_graph g;

	MUST(sov_context_get_stream(c, &s));
	MUST(sov_memory_fill(c, p, 0, 4, 2));
	MUST(sov_graph_create(c, 0, &g));
	for (i = 0; i < CHAIN; i++) {
		n = add_node(g, add, n, p, 1);
		third = i == 2 ? n : third;
	}
	sides[0] = add_node(g, add, n, p, 1);
	sides[1] = add_node(g, add, n, p + 4, 5);
	MUST(sov_graph_add_fill(g, sides, 2, p + 4, 7, 4, 1, &fill));
	for (i = 0; i < CHAIN; i++)
		fill = add_node(g, add, fill, p + 4, 2);
	MUST(sov_graph_instantiate(g, &exec));
	MUST(sov_graph_launch(exec, s));
	MUST(sov_graph_exec_set_arguments(exec, third, ARGUMENTS(&p, &hundred), 2));
	MUST(sov_graph_launch(exec, s));
	MUST(sov_stream_wait(s, 60 * SECOND));
	MUST(sov_memory_copy(c, SOV_HOST(got), p, 8));
	MUST(sov_graph_exec_destroy(exec));
	MUST(sov_graph_destroy(g));
	return got[0] == 2 * (CHAIN + 1) + 99 && got[1] == 7 + 2 * CHAIN;
}

int main(void)
{
	static const char *const devices[] = {"gh100.0", "ga100.0"};
	uint32_t d;

	soft_gpus("gh100:vram=256M,ga100:vram=256M");
	for (d = 0; d < DEVICES(devices); d++) {
		sov_context c = context_on(devices[d], 0);
		sov_function add = function_of(c, PTX_ADD, "add");
		sov_ptr p;

		MUST(sov_memory_alloc(c, 8, &p));
		ok(runs(c, add, p), "a graph of two kernel chains and a fill runs twice on %s",
		   devices[d]);
		MUST(sov_context_destroy(c));
	}
	return tap_done();
}
