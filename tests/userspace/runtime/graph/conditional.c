// SPDX-License-Identifier: MIT
/*
 * Conditional nodes of graphs: branches, loops and choices that kernels decide, in each other, with
 * host functions, on one vendor's software GPU and the other's; and what is rejected.
 */
#include "tests/userspace/runtime/_api.h"
#include "tests/userspace/runtime/_ptx.h"

/* add: *p += n. count_down: sets the condition to --*p. copy: sets it to *p. */
static const char ptx[] =
	".version 8.0\n.target sm_80\n.address_size 64\n"
	".extern .func cudaGraphSetConditional(.param .b64 a, .param .b32 b);\n"
	".visible .entry add(.param .u64 p, .param .u32 n) {\n"
	"	.reg .b64 %p;\n	.reg .b32 %n, %x;\n"
	"	ld.param.u64 %p, [p];\n	ld.param.u32 %n, [n];\n"
	"	ld.global.u32 %x, [%p];\n	add.u32 %x, %x, %n;\n	st.global.u32 [%p], %x;\n"
	"	ret;\n}\n"
	".visible .entry count_down(.param .u64 condition, .param .u64 p, .param .u32 step) {\n"
	"	.reg .b64 %c, %p;\n	.reg .b32 %s, %x;\n"
	"	ld.param.u64 %c, [condition];\n	ld.param.u64 %p, [p];\n"
	"	ld.param.u32 %s, [step];\n	ld.global.u32 %x, [%p];\n"
	"	sub.u32 %x, %x, %s;\n	st.global.u32 [%p], %x;\n"
	"	{\n	.param .b64 a;\n	.param .b32 b;\n"
	"	st.param.b64 [a], %c;\n	st.param.b32 [b], %x;\n"
	"	call.uni cudaGraphSetConditional, (a, b);\n	}\n"
	"	ret;\n}\n";

static sov_context c;
static sov_stream stream;
static sov_function add, count_down;
static sov_ptr memory; /* word 0: the sum; words 1 and 2: counters */
static uint32_t *conditions;

static sov_launch one_thread(const void *const *arguments, uint32_t count)
{
	sov_launch l = SOV_INIT(sov_launch);

	for (int i = 0; i < 3; i++)
		l.grid[i] = l.block[i] = 1;
	l.arguments = arguments;
	l.argument_count = count;
	return l;
}

static sov_node add_add(sov_graph g, sov_node after, uint32_t value)
{
	sov_launch l = one_thread(ARGUMENTS(&memory, &value), 2);
	sov_node n;

	MUST(sov_graph_add_kernel(g, &after, after != 0, add, &l, &n));
	return n;
}

/* Counter k loses step; the result is condition k. */
static sov_node add_count(sov_graph g, sov_node after, uint32_t k, uint32_t step)
{
	sov_ptr condition = SOV_HOST(&conditions[k]), counter = memory + 4 * k;
	sov_launch l = one_thread(ARGUMENTS(&condition, &counter, &step), 3);
	sov_node n;

	MUST(sov_graph_add_kernel(g, &after, after != 0, count_down, &l, &n));
	return n;
}

static sov_graph new_graph(void)
{
	sov_graph g;

	MUST(sov_graph_create(c, 0, &g));
	return g;
}

static sov_graph adding(uint32_t value)
{
	sov_graph g = new_graph();

	add_add(g, 0, value);
	return g;
}

static void set_words(uint32_t sum, uint32_t first, uint32_t second)
{
	uint32_t words[3] = {sum, first, second};

	MUST(sov_memory_copy(c, memory, SOV_HOST(words), sizeof(words)));
}

static uint32_t sum(void)
{
	uint32_t word;

	MUST(sov_stream_wait(stream, 60 * SECOND));
	MUST(sov_memory_copy(c, SOV_HOST(&word), memory, 4));
	return word;
}

static sov_graph_exec exec_of(sov_graph g)
{
	sov_graph_exec exec;

	MUST(sov_graph_instantiate(g, &exec));
	MUST(sov_graph_destroy(g));
	return exec;
}

static uint32_t result(sov_graph_exec exec, uint32_t first)
{
	set_words(0, first, 0);
	MUST(sov_graph_launch(exec, stream));
	return sum();
}

/* A graph: condition 1 becomes the counter, a conditional node, then 1000 is added. */
static sov_graph_exec deciding(uint32_t kind, sov_graph *bodies, uint32_t count)
{
	sov_graph g = new_graph();
	sov_node n = add_count(g, 0, 1, 0);

	MUST(sov_graph_add_conditional(g, &n, 1, kind, SOV_HOST(&conditions[1]), bodies, count,
				       &n));
	add_add(g, n, 1000);
	while (count)
		MUST(sov_graph_destroy(bodies[--count]));
	return exec_of(g);
}

static void branches(void)
{
	sov_graph_exec exec = deciding(SOV_CONDITIONAL_IF, (sov_graph[]){adding(1)}, 1);

	ok(result(exec, 1) == 1001 && result(exec, 0) == 1000 && result(exec, 7) == 1001,
	   "a branch executes its body when the condition is not 0, and later nodes follow it");
	MUST(sov_graph_exec_destroy(exec));
	exec = deciding(SOV_CONDITIONAL_IF, (sov_graph[]){adding(1), adding(20)}, 2);
	ok(result(exec, 1) == 1001 && result(exec, 0) == 1020,
	   "a branch with two bodies executes the second when the condition is 0");
	MUST(sov_graph_exec_destroy(exec));
	exec = deciding(SOV_CONDITIONAL_SWITCH, (sov_graph[]){adding(1), adding(20), adding(300)},
			3);
	ok(result(exec, 0) == 1001 && result(exec, 1) == 1020 && result(exec, 2) == 1300 &&
		   result(exec, 3) == 1000 && result(exec, UINT32_MAX) == 1000,
	   "a choice executes the body that the condition names, or none");
	MUST(sov_graph_exec_destroy(exec));
	exec = deciding(SOV_CONDITIONAL_IF, (sov_graph[]){new_graph()}, 1);
	ok(result(exec, 1) == 1000, "a body may be without nodes");
	MUST(sov_graph_exec_destroy(exec));
}

static sov_graph counting(uint32_t k, uint32_t value)
{
	sov_graph g = new_graph();

	add_count(g, add_add(g, 0, value), k, 1);
	return g;
}

static void loops(void)
{
	sov_graph_exec exec = deciding(SOV_CONDITIONAL_WHILE, (sov_graph[]){counting(1, 3)}, 1);

	ok(result(exec, 5) == 1015 && result(exec, 0) == 1000 && result(exec, 1) == 1003,
	   "a loop executes its body until the condition is 0");
	set_words(0, 6, 0);
	MUST(sov_graph_launch(exec, stream));
	MUST(sov_graph_launch(exec, stream));
	ok(sum() == 2018, "launches of a graph with a loop follow each other");
	MUST(sov_graph_exec_destroy(exec));
}

/* The body of a loop sets counter 2 to 4 and counts it down in a loop of its own. */
static sov_graph nested(void)
{
	sov_graph inner = counting(2, 1), g = new_graph();
	sov_node n;

	MUST(sov_graph_add_fill(g, NULL, 0, memory + 8, 4, 4, 1, &n));
	n = add_count(g, n, 2, 0);
	MUST(sov_graph_add_conditional(g, &n, 1, SOV_CONDITIONAL_WHILE, SOV_HOST(&conditions[2]),
				       &inner, 1, &n));
	MUST(sov_graph_destroy(inner));
	add_count(g, n, 1, 1);
	return g;
}

static uint32_t calls;

static void note_call(void *user)
{
	calls += *(const uint32_t *)user;
}

static void inside_of_bodies(void)
{
	static const uint32_t two = 2;
	sov_graph_exec exec = deciding(SOV_CONDITIONAL_WHILE, (sov_graph[]){nested()}, 1);
	sov_graph body;
	sov_node n;

	ok(result(exec, 3) == 1012, "a loop in a loop executes as often as both say");
	MUST(sov_graph_exec_destroy(exec));
	body = new_graph();
	n = add_add(body, 0, 1);
	MUST(sov_graph_add_host_function(body, &n, 1, note_call, (void *)(uintptr_t)&two, &n));
	add_count(body, n, 1, 1);
	exec = deciding(SOV_CONDITIONAL_WHILE, &body, 1);
	ok(result(exec, 4) == 1004 && calls == 8, "host functions in a body are called in order");
	MUST(sov_graph_exec_destroy(exec));
}

static void rejections(void)
{
	sov_graph g = new_graph(), body = adding(1), deep = adding(1), empty = new_graph();
	sov_graph two[2] = {body, body};
	sov_ptr at = SOV_HOST(&conditions[1]);
	sov_result r = SOV_OK;

	refused(sov_graph_add_conditional(g, NULL, 0, 4, at, two, 1, NULL),
		SOV_ERROR_INVALID_ARGUMENT, "kind is 4", "an unknown kind is rejected");
	refused(sov_graph_add_conditional(g, NULL, 0, SOV_CONDITIONAL_WHILE, at, two, 2, NULL),
		SOV_ERROR_INVALID_ARGUMENT, "has 2 bodies; its kind takes 1 to 1",
		"a loop with two bodies is rejected");
	refused(sov_graph_add_conditional(g, NULL, 0, SOV_CONDITIONAL_IF, at, NULL, 1, NULL),
		SOV_ERROR_INVALID_ARGUMENT, "bodies is NULL", "bodies NULL are rejected");
	refused(sov_graph_add_conditional(g, NULL, 0, SOV_CONDITIONAL_IF, at + 2, two, 1, NULL),
		SOV_ERROR_INVALID_ADDRESS, "is not a multiple of 4",
		"a condition that is not aligned is rejected");
	refused(sov_graph_add_conditional(g, NULL, 0, SOV_CONDITIONAL_IF, memory, two, 1, NULL),
		SOV_ERROR_INVALID_ADDRESS, "is not in pinned host memory",
		"a condition in device memory is rejected");
	refused(sov_graph_add_conditional(g, NULL, 0, SOV_CONDITIONAL_WHILE, at, &empty, 1, NULL),
		SOV_ERROR_INVALID_ARGUMENT, "would not end",
		"a loop whose body has no nodes is rejected");
	refused(sov_graph_add_conditional(g, (sov_node[]){9}, 1, SOV_CONDITIONAL_IF, at, two, 1,
					  NULL),
		SOV_ERROR_INVALID_ARGUMENT, "there is no node 9", "an unknown node is rejected");
	for (uint32_t i = 0; !r && i <= SOV_MAX_CONDITIONAL_DEPTH; i++) {
		sov_graph around = new_graph();

		r = sov_graph_add_conditional(around, NULL, 0, SOV_CONDITIONAL_IF, at, &deep, 1,
					      NULL);
		MUST(sov_graph_destroy(deep));
		deep = around;
	}
	refused(r, SOV_ERROR_UNSUPPORTED, "more than 8 conditional nodes",
		"too many nodes in each other are rejected");
	MUST(sov_graph_destroy(deep));
	MUST(sov_graph_destroy(empty));
	MUST(sov_graph_destroy(body));
	refused(sov_graph_add_conditional(g, NULL, 0, SOV_CONDITIONAL_IF, at, two, 1, NULL),
		SOV_ERROR_INVALID_HANDLE, "", "a destroyed body is rejected");
	MUST(sov_graph_destroy(g));
}

/* The condition is freed after the launch was prepared: the context fails and says why. */
static void lost_condition(void)
{
	uint32_t *other;
	sov_graph g = new_graph(), body = adding(1);
	sov_graph_exec exec;

	MUST(sov_host_alloc(c, 4, (void **)&other));
	*other = 1;
	MUST(sov_graph_add_conditional(g, NULL, 0, SOV_CONDITIONAL_IF, SOV_HOST(other), &body, 1,
				       NULL));
	MUST(sov_graph_destroy(body));
	exec = exec_of(g);
	MUST(sov_host_free(c, other));
	MUST(sov_graph_launch(exec, stream));
	refused(sov_stream_wait(stream, 60 * SECOND), SOV_ERROR_INVALID_ADDRESS,
		"a conditional node of a graph: condition 0x",
		"a condition that was freed is an error of the context");
	sov_graph_exec_destroy(exec);
}

static void on(const char *device)
{
	sov_module m;

	diag("%s", device);
	c = context_on(device, 20 * SECOND);
	calls = 0;
	MUST(sov_context_get_stream(c, &stream));
	MUST(sov_module_load(c, ptx, sizeof(ptx) - 1, NULL, &m));
	MUST(sov_module_get_function(m, "add", &add));
	MUST(sov_module_get_function(m, "count_down", &count_down));
	MUST(sov_memory_alloc(c, 64, &memory));
	MUST(sov_host_alloc(c, 16, (void **)&conditions));
	branches();
	loops();
	inside_of_bodies();
	rejections();
	lost_condition();
	MUST(sov_context_destroy(c));
}

int main(void)
{
	static const char *const devices[] = {"gh100.0", "navi21.0"};

	soft_gpus("gh100:vram=256M,navi21:vram=256M");
	for (uint32_t i = 0; i < DEVICES(devices); i++)
		on(devices[i]);
	return tap_done();
}
