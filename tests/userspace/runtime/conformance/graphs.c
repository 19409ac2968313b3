// SPDX-License-Identifier: MIT
/* Graphs compute what the same work on streams computes, as often as they are launched. */
#include "tests/userspace/runtime/conformance/_conformance.h"

/* x = x * 3 + value: the result depends on the order of steps. */
static const char ptx[] =
	".version 7.0\n.target sm_80\n.address_size 64\n"
	".visible .entry step(.param .u64 p, .param .u32 value) {\n"
	"	.reg .b64 %p, %i;\n	.reg .b32 %t, %b, %n, %v, %x;\n"
	"	ld.param.u64 %p, [p];\n	ld.param.u32 %v, [value];\n"
	"	mov.u32 %t, %tid.x;\n	mov.u32 %b, %ctaid.x;\n	mov.u32 %n, %ntid.x;\n"
	"	mad.lo.u32 %t, %b, %n, %t;\n	mul.wide.u32 %i, %t, 4;\n	add.u64 %p, %p, "
	"%i;\n"
	"	ld.global.u32 %x, [%p];\n	mad.lo.u32 %x, %x, 3, %v;\n	st.global.u32 "
	"[%p], %x;\n"
	"	ret;\n}\n"
	".visible .entry sum(.param .u64 to, .param .u64 a, .param .u64 b) {\n"
	"	.reg .b64 %p, %q, %r, %i;\n	.reg .b32 %t, %b, %n, %x, %y;\n"
	"	ld.param.u64 %p, [to];\n	ld.param.u64 %q, [a];\n	ld.param.u64 %r, [b];\n"
	"	mov.u32 %t, %tid.x;\n	mov.u32 %b, %ctaid.x;\n	mov.u32 %n, %ntid.x;\n"
	"	mad.lo.u32 %t, %b, %n, %t;\n	mul.wide.u32 %i, %t, 4;\n	add.u64 %p, %p, "
	"%i;\n"
	"	add.u64 %q, %q, %i;\n	add.u64 %r, %r, %i;\n	ld.global.u32 %x, [%q];\n"
	"	ld.global.u32 %y, [%r];\n	add.u32 %x, %x, %y;\n	st.global.u32 [%p], %x;\n"
	"	ret;\n}\n";

enum { N = 256 };

static sov_context c;
static sov_stream stream;
static sov_function step, sum;
static sov_ptr a, b, d;

static sov_launch shape(const void *const *arguments, uint32_t count)
{
	sov_launch l = SOV_INIT(sov_launch);

	l.grid[0] = N / 64;
	l.block[0] = 64;
	l.grid[1] = l.grid[2] = l.block[1] = l.block[2] = 1;
	l.arguments = arguments;
	l.argument_count = count;
	return l;
}

static sov_node add_step(sov_graph g, sov_node after, sov_ptr p, uint32_t value)
{
	sov_launch l = shape(ARGUMENTS(&p, &value), 2);
	sov_node n;

	MUST(sov_graph_add_kernel(g, &after, after != 0, step, &l, &n));
	return n;
}

static uint32_t all(sov_ptr p)
{
	uint32_t x[N], i;

	MUST(sov_stream_wait(stream, 60 * SECOND));
	MUST(sov_memory_copy(c, SOV_HOST(x), p, sizeof(x)));
	for (i = 1; i < N; i++)
		if (x[i] != x[0])
			return 0xdeadbeef;
	return x[0];
}

static void chain(void)
{
	uint32_t want = 1, i, k, value;
	sov_graph_exec run;
	sov_node n = 0, third = 0;
	sov_graph g;

	MUST(sov_graph_create(c, 0, &g));
	for (i = 0; i < 100; i++) {
		n = add_step(g, n, a, i);
		if (i == 2)
			third = n;
	}
	good(sov_graph_instantiate(g, &run),
	     "a graph of 100 dependent kernels can be instantiated");
	MUST(sov_memory_fill(c, a, 1, 4, N));
	for (k = 0; k < 5; k++) {
		MUST(sov_graph_launch(run, stream));
		for (i = 0; i < 100; i++)
			want = want * 3 + i;
	}
	ok(all(a) == want, "a graph of 100 dependent kernels executes in order, five times");
	value = 77777;
	good(sov_graph_exec_set_arguments(run, third, ARGUMENTS(&a, &value), 2),
	     "a kernel node can get new arguments");
	MUST(sov_graph_launch(run, stream));
	for (i = 0; i < 100; i++)
		want = want * 3 + (i == 2 ? value : i);
	ok(all(a) == want, "a graph executes with new arguments");
	refused(sov_graph_exec_set_arguments(run, 101, ARGUMENTS(&a, &value), 2),
		SOV_ERROR_INVALID_ARGUMENT, "node 101",
		"setting arguments of an unknown node is rejected");
	refused(sov_graph_exec_set_arguments(run, third, ARGUMENTS(&a, NULL), 2),
		SOV_ERROR_INVALID_LAUNCH, "argument 1", "setting a NULL argument is rejected");
	refused(sov_graph_exec_set_arguments(run, third, ARGUMENTS(&a), 1),
		SOV_ERROR_INVALID_LAUNCH, "takes 2 arguments; 1 given",
		"setting too few arguments is rejected");
	MUST(sov_graph_destroy(g));
	MUST(sov_graph_launch(run, stream));
	good(sov_graph_exec_destroy(run), "an executable graph outlives its graph");
	refused(sov_graph_launch(run, stream), SOV_ERROR_INVALID_HANDLE, "",
		"launching a destroyed executable graph is rejected");
}

static uint32_t called;
static sov_ptr seen_host;

static void note_call(void *user)
{
	called += *(uint32_t *)user;
	called += *(volatile uint32_t *)(uintptr_t)seen_host;
}

/* fill a, fill b; step a, step b; sum; copy to pinned memory; a host function checks; step. */
static void kinds(void)
{
	uint32_t ten = 10, *pinned;
	sov_node one, two, both[2], n;
	sov_graph_exec run;
	sov_graph g;
	sov_launch l;

	MUST(sov_host_alloc(c, 4 * N, (void **)&pinned));
	seen_host = SOV_HOST(pinned);
	MUST(sov_graph_create(c, 0, &g));
	MUST(sov_graph_add_fill(g, NULL, 0, a, 5, 4, N, &one));
	MUST(sov_graph_add_fill(g, NULL, 0, b, 7, 4, N, &two));
	both[0] = add_step(g, one, a, 1);
	both[1] = add_step(g, two, b, 2);
	l = shape(ARGUMENTS(&d, &a, &b), 3);
	MUST(sov_graph_add_kernel(g, both, 2, sum, &l, &n));
	MUST(sov_graph_add_copy(g, &n, 1, SOV_HOST(pinned), d, 4 * N, &n));
	MUST(sov_graph_add_host_function(g, &n, 1, note_call, &ten, &n));
	MUST(sov_graph_add_copy(g, &n, 1, a, SOV_HOST(pinned), 4 * N, &n));
	add_step(g, n, a, 0);
	good(sov_graph_instantiate(g, &run),
	     "a graph of kernels, copies, fills and host functions can be instantiated");
	for (uint32_t i = 0; i < 3; i++)
		MUST(sov_graph_launch(run, stream));
	ok(all(a) == 3 * (16 + 23), "graph nodes execute after their dependencies");
	ok(called == 3 * (10 + 39), "a host function node sees the results of its dependencies");
	MUST(sov_graph_exec_destroy(run));
	MUST(sov_graph_destroy(g));
	MUST(sov_host_free(c, pinned));
}

static void circles(void)
{
	uint32_t host = 0;
	sov_graph_exec run;
	sov_node one, two;
	sov_graph g;

	MUST(sov_graph_create(c, 0, &g));
	refused(sov_graph_instantiate(g, &run), SOV_ERROR_INVALID_ARGUMENT, "no nodes",
		"instantiating an empty graph is rejected");
	one = add_step(g, 0, a, 1);
	two = add_step(g, one, a, 2);
	MUST(sov_graph_add_dependency(g, two, one));
	refused(sov_graph_instantiate(g, &run), SOV_ERROR_INVALID_ARGUMENT, "depends on itself",
		"instantiating a graph with a cycle is rejected");
	refused(sov_graph_add_dependency(g, 3, one), SOV_ERROR_INVALID_ARGUMENT, "no node 3",
		"a dependency on an unknown node is rejected");
	two = 3;
	refused(sov_graph_add_host_function(g, &two, 1, note_call, NULL, NULL),
		SOV_ERROR_INVALID_ARGUMENT, "no node 3",
		"adding a node with an unknown dependency is rejected");
	refused(sov_graph_add_copy(g, NULL, 0, a, SOV_HOST(&host), 4, NULL),
		SOV_ERROR_INVALID_ADDRESS, "not pinned",
		"a copy node with pageable memory is rejected");
	refused(sov_graph_add_fill(g, NULL, 0, a, 0, 4, 1 << 20, NULL), SOV_ERROR_INVALID_ADDRESS,
		"past the end", "a copy node past the end of an allocation is rejected");
	refused(sov_graph_add_kernel(g, NULL, 0, step, NULL, NULL), SOV_ERROR_INVALID_ARGUMENT,
		"is NULL", "a kernel node without a launch is rejected");
	MUST(sov_graph_destroy(g));
}

/* Captures two streams ordered by events. */
static void capture(void)
{
	uint32_t one = 1, two = 2;
	sov_launch l;
	sov_event fork, join;
	sov_stream side;
	sov_graph_exec run;
	sov_ptr taken;
	sov_graph g;

	MUST(sov_stream_create(c, 0, &side));
	MUST(sov_event_create(c, 0, &fork));
	MUST(sov_event_create(c, 0, &join));
	MUST(sov_graph_create(c, 0, &g));
	MUST(sov_memory_fill(c, a, 99, 4, N));
	good(sov_stream_begin_capture(stream, g), "a stream capture can begin");
	refused(sov_stream_begin_capture(stream, g), SOV_ERROR_BUSY, "already",
		"a second capture of the same stream is rejected");
	refused(sov_memory_alloc_async(stream, 64, &taken), SOV_ERROR_UNSUPPORTED, "captured",
		"a pool allocation on a captured stream is rejected");
	refused(sov_memory_free_async(stream, a), SOV_ERROR_UNSUPPORTED, "captured",
		"a pool free on a captured stream is rejected");
	MUST(sov_memory_fill_async(stream, a, 5, 4, N));
	refused(sov_stream_wait(stream, SOV_NO_WAIT), SOV_ERROR_UNSUPPORTED, "does not execute",
		"waiting for a captured stream is rejected");
	refused(sov_context_wait(c, 60 * SECOND), SOV_ERROR_UNSUPPORTED, "does not execute",
		"waiting for a context with a captured stream is rejected");
	MUST(sov_memory_fill_async(stream, b, 7, 4, N));
	MUST(sov_event_record(fork, stream));
	refused(sov_event_wait(fork, 60 * SECOND), SOV_ERROR_INVALID_ARGUMENT,
		"recorded on a captured stream", "waiting for a captured event is rejected");
	MUST(sov_stream_wait_event(side, fork));
	l = shape(ARGUMENTS(&a, &one), 2);
	l.stream = stream;
	MUST(sov_function_launch(step, &l));
	l = shape(ARGUMENTS(&b, &two), 2);
	l.stream = side;
	MUST(sov_function_launch(step, &l));
	MUST(sov_event_record(join, side));
	MUST(sov_stream_wait_event(stream, join));
	l = shape(ARGUMENTS(&d, &a, &b), 3);
	l.stream = stream;
	MUST(sov_function_launch(sum, &l));
	good(sov_stream_end_capture(stream), "a stream capture can end");
	MUST(sov_context_wait(c, 60 * SECOND));
	ok(all(a) == 99, "captured work is not executed during the capture");
	MUST(sov_graph_instantiate(g, &run));
	MUST(sov_graph_launch(run, stream));
	MUST(sov_graph_launch(run, side));
	MUST(sov_stream_wait(side, 60 * SECOND));
	ok(all(d) == 16 + 23, "a captured graph executes on any stream");
	MUST(sov_graph_exec_destroy(run));

	MUST(sov_stream_begin_capture(stream, g));
	MUST(sov_event_record(fork, stream));
	MUST(sov_memory_fill_async(stream, a, 1, 4, N));
	MUST(sov_event_record(fork, stream));
	MUST(sov_stream_wait_event(side, fork));
	MUST(sov_memory_fill_async(side, b, 1, 4, N));
	refused(sov_stream_end_capture(stream), SOV_ERROR_INVALID_ARGUMENT, "does not wait for",
		"ending a capture with unjoined work is rejected");
	refused(sov_stream_wait_event(side, fork), SOV_ERROR_INVALID_ARGUMENT, "has ended",
		"waiting for an event of an ended capture is rejected");
	MUST(sov_event_record(fork, stream));
	good(sov_stream_wait_event(side, fork),
	     "an event of an ended capture can be recorded again");
	refused(sov_stream_end_capture(stream), SOV_ERROR_INVALID_ARGUMENT, "no capture",
		"ending a capture that was not begun is rejected");
	MUST(sov_graph_destroy(g));
	MUST(sov_event_destroy(fork));
	MUST(sov_event_destroy(join));
	MUST(sov_stream_destroy(side));
}

/* A rectangle of three slices, added and captured; bytes between its rows do not change. */
static void rects(void)
{
	enum {
		WIDTH = 5,
		HEIGHT = 4,
		DEPTH = 3,
		PITCH = 16,
		ROWS = 6,
		BYTES = PITCH * ROWS * DEPTH
	};
	uint8_t in[BYTES], out[BYTES], host[16];
	sov_copy_rect rect = SOV_INIT(sov_copy_rect);
	sov_graph_exec run;
	sov_node n;
	sov_graph g;

	for (uint32_t i = 0; i < BYTES; i++)
		in[i] = (uint8_t)(i * 7 + 1);
	MUST(sov_memory_copy(c, a, SOV_HOST(in), BYTES));
	rect.destination = b;
	rect.source = a;
	rect.source_pitch = rect.destination_pitch = PITCH;
	rect.source_rows = rect.destination_rows = ROWS;
	rect.width_bytes = WIDTH;
	rect.height = HEIGHT;
	rect.depth = DEPTH;
	for (uint32_t captured = 0; captured < 2; captured++) {
		uint32_t wrong = 0;

		MUST(sov_graph_create(c, 0, &g));
		if (captured) {
			MUST(sov_stream_begin_capture(stream, g));
			MUST(sov_memory_fill_async(stream, b, 0xee, 1, BYTES));
			MUST(sov_memory_copy_rect_async(stream, &rect));
			MUST(sov_memory_copy_async(stream, d, b, BYTES));
			MUST(sov_stream_end_capture(stream));
		} else {
			MUST(sov_graph_add_fill(g, NULL, 0, b, 0xee, 1, BYTES, &n));
			MUST(sov_graph_add_copy_rect(g, &n, 1, &rect, &n));
			ok(n == 1 + DEPTH, "each slice of a rectangle is a graph node");
			MUST(sov_graph_add_copy(g, &n, 1, d, b, BYTES, NULL));
		}
		MUST(sov_graph_instantiate(g, &run));
		MUST(sov_memory_fill(c, d, 0, 1, BYTES));
		MUST(sov_graph_launch(run, stream));
		MUST(sov_stream_wait(stream, 60 * SECOND));
		MUST(sov_memory_copy(c, SOV_HOST(out), d, BYTES));
		for (uint32_t i = 0; i < BYTES; i++)
			wrong += out[i] !=
				 (i % PITCH < WIDTH && i / PITCH % ROWS < HEIGHT ? in[i] : 0xee);
		ok(!wrong, "a graph%s copies a rectangle", captured ? " from a capture" : "");
		MUST(sov_graph_exec_destroy(run));
		MUST(sov_graph_destroy(g));
	}
	MUST(sov_graph_create(c, 0, &g));
	rect.source = SOV_HOST(host);
	refused(sov_graph_add_copy_rect(g, NULL, 0, &rect, NULL), SOV_ERROR_INVALID_ADDRESS,
		"not pinned", "a rectangle node with pageable memory is rejected");
	rect.source = a;
	rect.depth = 1000;
	refused(sov_graph_add_copy_rect(g, NULL, 0, &rect, NULL), SOV_ERROR_INVALID_ADDRESS,
		"past the end", "a rectangle node past the end of an allocation is rejected");
	rect.depth = 100000;
	refused(sov_graph_add_copy_rect(g, NULL, 0, &rect, NULL), SOV_ERROR_INVALID_ARGUMENT,
		"each slice", "a rectangle with more slices than graph nodes is rejected");
	refused(sov_graph_instantiate(g, &run), SOV_ERROR_INVALID_ARGUMENT, "no nodes",
		"rejected rectangles leave no nodes");
	MUST(sov_graph_destroy(g));
}

/* A capture ends with its first stream, and its events are invalid in the next. */
static void captures_end(void)
{
	uint32_t one = 1;
	sov_launch l = shape(ARGUMENTS(&a, &one), 2);
	sov_stream first, joined;
	sov_event e;
	sov_graph g;

	MUST(sov_stream_create(c, 0, &first));
	MUST(sov_stream_create(c, 0, &joined));
	MUST(sov_event_create(c, 0, &e));
	MUST(sov_graph_create(c, 0, &g));
	MUST(sov_stream_begin_capture(first, g));
	MUST(sov_event_record(e, first));
	MUST(sov_stream_end_capture(first));
	MUST(sov_stream_begin_capture(first, g));
	refused(sov_stream_wait_event(joined, e), SOV_ERROR_INVALID_ARGUMENT, "has ended",
		"an event of an earlier capture into the same graph is rejected");
	MUST(sov_event_record(e, first));
	MUST(sov_stream_wait_event(joined, e));
	MUST(sov_stream_destroy(first));
	MUST(sov_memory_fill(c, a, 5, 4, N));
	l.stream = joined;
	MUST(sov_function_launch(step, &l));
	MUST(sov_stream_wait(joined, 60 * SECOND));
	ok(all(a) == 16, "destroying the first stream ends the capture of joined streams");
	good(sov_stream_begin_capture(joined, g),
	     "a stream of an abandoned capture can begin another");
	MUST(sov_stream_end_capture(joined));
	MUST(sov_graph_destroy(g));
	MUST(sov_event_destroy(e));
	MUST(sov_stream_destroy(joined));
}

static void host_functions(void)
{
	uint32_t ten = 10, *pinned, before = called;
	sov_stream other;

	MUST(sov_host_alloc(c, 4 * N, (void **)&pinned));
	seen_host = SOV_HOST(pinned);
	MUST(sov_stream_create(c, 0, &other));
	MUST(sov_memory_fill(c, a, 3, 4, N));
	for (uint32_t i = 0; i < 20; i++) {
		MUST(sov_memory_copy_async(other, SOV_HOST(pinned), a, 4 * N));
		MUST(sov_stream_host_function(other, note_call, &ten));
	}
	MUST(sov_stream_wait(other, 60 * SECOND));
	ok(called == before + 20 * 13, "host functions run in stream order");
	refused(sov_stream_host_function(other, NULL, NULL), SOV_ERROR_INVALID_ARGUMENT, "is NULL",
		"a NULL host function is rejected");
	MUST(sov_stream_destroy(other));
	MUST(sov_host_free(c, pinned));
}

int main(void)
{
	sov_module m;

	c = conformance_context();
	MUST(sov_context_get_stream(c, &stream));
	MUST(sov_module_load(c, ptx, sizeof(ptx) - 1, NULL, &m));
	MUST(sov_module_get_function(m, "step", &step));
	MUST(sov_module_get_function(m, "sum", &sum));
	MUST(sov_memory_alloc(c, 4 * N, &a));
	MUST(sov_memory_alloc(c, 4 * N, &b));
	MUST(sov_memory_alloc(c, 4 * N, &d));
	chain();
	kinds();
	circles();
	capture();
	captures_end();
	rects();
	host_functions();
	MUST(sov_context_destroy(c));
	return tap_done();
}
