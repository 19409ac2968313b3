/* SPDX-License-Identifier: MIT */
/* A graph does what the same work on streams does, in its order, as often as it is run. */
#include "tests/userspace/runtime/conformance/_conformance.h"

/* x = x * 3 + value: the order of steps shows. */
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
	good(sov_graph_instantiate(g, &run), "a chain of 100 kernels is made ready");
	MUST(sov_memory_fill(c, a, 1, 4, N));
	for (k = 0; k < 5; k++) {
		MUST(sov_graph_launch(run, stream));
		for (i = 0; i < 100; i++)
			want = want * 3 + i;
	}
	ok(all(a) == want, "and runs in its order, five times");
	value = 77777;
	good(sov_graph_exec_set_arguments(run, third, ARGUMENTS(&a, &value), 2),
	     "a kernel gets other arguments");
	MUST(sov_graph_launch(run, stream));
	for (i = 0; i < 100; i++)
		want = want * 3 + (i == 2 ? value : i);
	ok(all(a) == want, "with which it runs");
	refused(sov_graph_exec_set_arguments(run, 101, ARGUMENTS(&a, &value), 2),
		SOV_ERROR_INVALID_ARGUMENT, "node 101", "of what is no kernel there are none");
	refused(sov_graph_exec_set_arguments(run, third, ARGUMENTS(&a, NULL), 2),
		SOV_ERROR_INVALID_LAUNCH, "argument 1", "nor one that is not there");
	refused(sov_graph_exec_set_arguments(run, third, ARGUMENTS(&a), 1), SOV_ERROR_INVALID_LAUNCH,
		"takes 2 arguments; 1 given", "nor too few");
	MUST(sov_graph_destroy(g));
	MUST(sov_graph_launch(run, stream));
	good(sov_graph_exec_destroy(run), "it outlives its graph");
	refused(sov_graph_launch(run, stream), SOV_ERROR_INVALID_HANDLE, "", "but not itself");
}

static uint32_t called;
static sov_ptr seen_host;

static void note_call(void *user)
{
	called += *(uint32_t *)user;
	called += *(volatile uint32_t *)(uintptr_t)seen_host;
}

/* fill a, fill b; step a, step b; sum; to pinned memory; a host function looks; step. */
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
	     "a graph has kernels, copies, fills and host functions");
	for (uint32_t i = 0; i < 3; i++)
		MUST(sov_graph_launch(run, stream));
	ok(all(a) == 3 * (16 + 23), "what comes after comes after");
	ok(called == 3 * (10 + 39), "and the host function finds what came before");
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
		"a graph without nodes is refused");
	one = add_step(g, 0, a, 1);
	two = add_step(g, one, a, 2);
	MUST(sov_graph_add_dependency(g, two, one));
	refused(sov_graph_instantiate(g, &run), SOV_ERROR_INVALID_ARGUMENT, "comes after itself",
		"so is one with a circle");
	refused(sov_graph_add_dependency(g, 5, one), SOV_ERROR_INVALID_ARGUMENT, "no node 5",
		"and a node that is not there");
	two = 9;
	refused(sov_graph_add_host_function(g, &two, 1, note_call, NULL, NULL), SOV_ERROR_INVALID_ARGUMENT,
		"no node 9", "also to come after");
	refused(sov_graph_add_copy(g, NULL, 0, a, SOV_HOST(&host), 4, NULL),
		SOV_ERROR_INVALID_ADDRESS, "not pinned", "and memory that the GPU does not reach");
	refused(sov_graph_add_fill(g, NULL, 0, a, 0, 4, 1 << 20, NULL), SOV_ERROR_INVALID_ADDRESS,
		"past the end", "or that is not there");
	refused(sov_graph_add_kernel(g, NULL, 0, step, NULL, NULL), SOV_ERROR_INVALID_ARGUMENT,
		"is NULL", "and no launch");
	MUST(sov_graph_destroy(g));
}

/* On two streams, with events. */
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
	good(sov_stream_begin_capture(stream, g), "a stream is captured");
	refused(sov_stream_begin_capture(stream, g), SOV_ERROR_BUSY, "already", "once at a time");
	refused(sov_memory_alloc_async(stream, 64, &taken), SOV_ERROR_UNSUPPORTED, "captured",
		"memory of the pool cannot come in a graph");
	refused(sov_memory_free_async(stream, a), SOV_ERROR_UNSUPPORTED, "captured", "or go");
	MUST(sov_memory_fill_async(stream, a, 5, 4, N));
	MUST(sov_memory_fill_async(stream, b, 7, 4, N));
	MUST(sov_event_record(fork, stream));
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
	good(sov_stream_end_capture(stream), "until its end");
	MUST(sov_context_wait(c, 60 * SECOND));
	ok(all(a) == 99, "nothing of it runs meanwhile");
	MUST(sov_graph_instantiate(g, &run));
	MUST(sov_graph_launch(run, stream));
	MUST(sov_graph_launch(run, side));
	MUST(sov_stream_wait(side, 60 * SECOND));
	ok(all(d) == 16 + 23, "but when it is run, on any stream");
	MUST(sov_graph_exec_destroy(run));

	MUST(sov_stream_begin_capture(stream, g));
	MUST(sov_event_record(fork, stream));
	MUST(sov_memory_fill_async(stream, a, 1, 4, N));
	MUST(sov_event_record(fork, stream));
	MUST(sov_stream_wait_event(side, fork));
	MUST(sov_memory_fill_async(side, b, 1, 4, N));
	refused(sov_stream_end_capture(stream), SOV_ERROR_INVALID_ARGUMENT, "does not wait for",
		"work that the first stream does not wait for is found");
	refused(sov_stream_wait_event(side, fork), SOV_ERROR_INVALID_ARGUMENT, "has ended",
		"an event of a capture is worth nothing after it");
	MUST(sov_event_record(fork, stream));
	good(sov_stream_wait_event(side, fork), "until it is recorded again");
	refused(sov_stream_end_capture(stream), SOV_ERROR_INVALID_ARGUMENT, "no capture",
		"what was not begun does not end");
	MUST(sov_graph_destroy(g));
	MUST(sov_event_destroy(fork));
	MUST(sov_event_destroy(join));
	MUST(sov_stream_destroy(side));
}

/* A box of three slices, by hand and captured; what lies between its rows stays. */
static void boxes(void)
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
	sov_copy_rect box = SOV_INIT(sov_copy_rect);
	sov_graph_exec run;
	sov_node n;
	sov_graph g;

	for (uint32_t i = 0; i < BYTES; i++)
		in[i] = (uint8_t)(i * 7 + 1);
	MUST(sov_memory_copy(c, a, SOV_HOST(in), BYTES));
	box.destination = b;
	box.source = a;
	box.source_pitch = box.destination_pitch = PITCH;
	box.source_rows = box.destination_rows = ROWS;
	box.width_bytes = WIDTH;
	box.height = HEIGHT;
	box.depth = DEPTH;
	for (uint32_t captured = 0; captured < 2; captured++) {
		uint32_t wrong = 0;

		MUST(sov_graph_create(c, 0, &g));
		if (captured) {
			MUST(sov_stream_begin_capture(stream, g));
			MUST(sov_memory_fill_async(stream, b, 0xee, 1, BYTES));
			MUST(sov_memory_copy_rect_async(stream, &box));
			MUST(sov_memory_copy_async(stream, d, b, BYTES));
			MUST(sov_stream_end_capture(stream));
		} else {
			MUST(sov_graph_add_fill(g, NULL, 0, b, 0xee, 1, BYTES, &n));
			MUST(sov_graph_add_copy_rect(g, &n, 1, &box, &n));
			ok(n == 1 + DEPTH, "each slice of a box is a node");
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
		ok(!wrong, "a box is copied by a graph%s", captured ? " that was captured" : "");
		MUST(sov_graph_exec_destroy(run));
		MUST(sov_graph_destroy(g));
	}
	MUST(sov_graph_create(c, 0, &g));
	box.source = SOV_HOST(host);
	refused(sov_graph_add_copy_rect(g, NULL, 0, &box, NULL), SOV_ERROR_INVALID_ADDRESS, "not pinned",
		"but not from memory that the GPU does not reach");
	box.source = a;
	box.depth = 1000;
	refused(sov_graph_add_copy_rect(g, NULL, 0, &box, NULL), SOV_ERROR_INVALID_ADDRESS,
		"past the end", "nor one that does not fit");
	box.depth = 100000;
	refused(sov_graph_add_copy_rect(g, NULL, 0, &box, NULL), SOV_ERROR_INVALID_ARGUMENT, "each slice",
		"nor one of more slices than a graph has nodes");
	refused(sov_graph_instantiate(g, &run), SOV_ERROR_INVALID_ARGUMENT, "no nodes",
		"and nothing of them stays");
	MUST(sov_graph_destroy(g));
}

/* Captures end with their first stream, and an event of one is none of the next. */
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
		"an event of a capture is none of the next, though their graph is the same");
	MUST(sov_event_record(e, first));
	MUST(sov_stream_wait_event(joined, e));
	MUST(sov_stream_destroy(first));
	MUST(sov_memory_fill(c, a, 5, 4, N));
	l.stream = joined;
	MUST(sov_function_launch(step, &l));
	MUST(sov_stream_wait(joined, 60 * SECOND));
	ok(all(a) == 16, "a capture whose first stream is destroyed has ended for the others too");
	good(sov_stream_begin_capture(joined, g), "which may begin another");
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
	ok(called == before + 20 * 13, "host functions run in their place on a stream");
	refused(sov_stream_host_function(other, NULL, NULL), SOV_ERROR_INVALID_ARGUMENT, "is NULL",
		"none is none");
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
	boxes();
	host_functions();
	MUST(sov_context_destroy(c));
	return tap_done();
}
