// SPDX-License-Identifier: MIT
/* Programs: valid ones compute right results, invalid ones are rejected, and no wait is endless. */
#include <math.h>
#include "tests/userspace/runtime/conformance/_conformance.h"

static void sources(sov_context c)
{
	static const struct {
		const char *text, *part;
	} wrong[] = {
		{"hello", ""},
		{PTX_HEADER ".visible .entry k() { frobnicate.u32 %r1, 2; }", "frobnicate"},
		{PTX_HEADER ".visible .entry k() { .reg .b32 %r; add.u32 %r, %r, %s; ret; }", "%s"},
		{"\177ELF and nothing after it", ""},
	};
	sov_module m;

	for (uint32_t i = 0; i < COUNT(wrong); i++)
		refused(sov_module_load(c, wrong[i].text, strlen(wrong[i].text), NULL, &m),
			SOV_ERROR_INVALID_SOURCE, wrong[i].part, "an invalid program is rejected");
	good(sov_module_load(c, PTX_ADD, strlen(PTX_ADD), NULL, &m), "a valid program is loaded");
	MUST(sov_module_unload(m));
}

static void value(sov_context c)
{
	sov_function add = function_of(c, PTX_ADD, "add");
	uint32_t x = 0x12345678, n = 0x0fedcba9, out = 0;
	sov_stream s;
	sov_ptr p;

	MUST(sov_context_get_stream(c, &s));
	MUST(sov_memory_alloc(c, 4, &p));
	MUST(sov_memory_copy(c, p, SOV_HOST(&x), 4));
	MUST(launch(add, s, 1, 1, "84", ARGUMENTS(&p, &n)));
	MUST(sov_memory_copy(c, SOV_HOST(&out), p, 4));
	ok(out == x + n, "a kernel reads what was written, and its result is read back");
	MUST(sov_memory_free(c, p));
}

static void gemm(sov_context c)
{
	uint32_t n = conformance_software ? 64 : 512, i, j, k;
	size_t bytes = 4ull * n * n, length;
	char *text = read_file("tests/kernels/sgemm.ptx", &length);
	float *a = malloc(bytes), *b = malloc(bytes), *out = malloc(bytes);
	double worst = 0;
	uint64_t state = 3;
	sov_launch l = SOV_INIT(sov_launch);
	sov_function f;
	sov_ptr ga, gb, gc;

	for (i = 0; i < n * n; i++) {
		a[i] = (float)((int32_t)next_random(&state) >> 8) / 8388608.0f;
		b[i] = (float)((int32_t)next_random(&state) >> 8) / 8388608.0f;
	}
	MUST(sov_memory_alloc(c, bytes, &ga));
	MUST(sov_memory_alloc(c, bytes, &gb));
	MUST(sov_memory_alloc(c, bytes, &gc));
	MUST(sov_memory_copy(c, ga, SOV_HOST(a), bytes));
	MUST(sov_memory_copy(c, gb, SOV_HOST(b), bytes));
	MUST(sov_memory_fill(c, gc, 0, 4, n * n));
	MUST(sov_module_get_function_at(module_from(c, text, length, 0), 0, &f));
	l.grid[0] = l.grid[1] = n / 64;
	l.block[0] = l.block[1] = 16;
	l.grid[2] = l.block[2] = 1;
	l.arguments = ARGUMENTS(&n, &ga, &gb, &gc);
	l.argument_count = 4;
	MUST(sov_function_launch(f, &l));
	MUST(sov_memory_copy(c, SOV_HOST(out), gc, bytes));
	for (i = 0; i < n; i++)
		for (j = 0; j < n; j++) {
			double sum = 0;

			for (k = 0; k < n; k++)
				sum += (double)a[i * n + k] * b[k * n + j];
			worst = fmax(worst, fabs(sum - out[i * n + j]));
		}
	ok(worst < 1e-3, "a product of %u x %u matrices has an error of at most %.1e, below 1e-3",
	   n, n, worst);
	MUST(sov_memory_free(c, ga));
	MUST(sov_memory_free(c, gb));
	MUST(sov_memory_free(c, gc));
	free(a);
	free(b);
	free(out);
	free(text);
}

/* ---- streams and threads ---- */

enum { MAX_STREAMS = 16 };

static void many_streams(sov_context c)
{
	sov_function add = function_of(c, PTX_ADD, "add");
	sov_stream streams[MAX_STREAMS];
	uint32_t out[MAX_STREAMS] = {0}, i, k, wrong = 0;
	sov_ptr p;

	MUST(sov_memory_alloc(c, sizeof(out), &p));
	MUST(sov_memory_fill(c, p, 0, 4, MAX_STREAMS));
	for (i = 0; i < MAX_STREAMS; i++)
		MUST(sov_stream_create(c, 0, &streams[i]));
	for (k = 1; k <= 20; k++)
		for (i = 0; i < MAX_STREAMS; i++) {
			sov_ptr at = p + 4 * i;
			uint32_t n = k * (i + 1);

			MUST(launch(add, streams[i], 1, 1, "84", ARGUMENTS(&at, &n)));
		}
	for (i = 0; i < MAX_STREAMS; i++)
		MUST(sov_stream_wait(streams[i], 60 * SECOND));
	MUST(sov_memory_copy(c, SOV_HOST(out), p, sizeof(out)));
	for (i = 0; i < MAX_STREAMS; i++)
		wrong += out[i] != 210 * (i + 1);
	ok(!wrong, "%u streams with 20 kernels each execute in order", MAX_STREAMS);
	for (i = 0; i < MAX_STREAMS; i++)
		MUST(sov_stream_destroy(streams[i]));
	MUST(sov_memory_free(c, p));
}

/* Completes only if kernels of two streams run concurrently: one waits for the other. */
static void overlap(sov_context c)
{
	sov_function gate = function_of(c, PTX_GATE, "gate"),
		     open = function_of(c, PTX_GATE, "open");
	uint32_t one = 1, out = 0;
	sov_stream a, b;
	sov_ptr p, at;

	MUST(sov_memory_alloc(c, 8, &p));
	MUST(sov_memory_fill(c, p, 0, 4, 2));
	MUST(sov_stream_create(c, 0, &a));
	MUST(sov_stream_create(c, 0, &b));
	at = p + 4;
	MUST(launch(gate, a, 1, 1, "88", ARGUMENTS(&p, &at)));
	MUST(launch(open, b, 1, 1, "84", ARGUMENTS(&p, &one)));
	good(sov_stream_wait(a, 60 * SECOND),
	     "a kernel that waits for a kernel on another stream completes");
	MUST(sov_memory_copy(c, SOV_HOST(&out), at, 4));
	ok(out == 1, "a kernel sees the store of a concurrent kernel");
	MUST(sov_stream_destroy(a));
	MUST(sov_stream_destroy(b));
	MUST(sov_memory_free(c, p));
}

/* A grid barrier: adds 1 and waits until all blocks have, twice. */
static const char grid_barrier[] =
	PTX_HEADER ".visible .entry grid_barrier(.param .u64 p, .param .u32 n) {\n"
		   "	.reg .b64 %p;\n	.reg .b32 %n, %x, %k;\n	.reg .pred %q;\n"
		   "	ld.param.u64 %p, [p];\n	ld.param.u32 %n, [n];\n	mov.u32 %k, 2;\n"
		   "again:\n	atom.global.add.u32 %x, [%p], 1;\n"
		   "wait:\n	ld.volatile.global.u32 %x, [%p];\n	setp.lt.u32 %q, %x, %n;\n"
		   "	@%q bra wait;\n	shl.b32 %n, %n, 1;\n	sub.u32 %k, %k, 1;\n"
		   "	setp.ne.u32 %q, %k, 0;\n	@%q bra again;\n	ret;\n}\n";

static void together(sov_context c)
{
	sov_function f = function_of(c, grid_barrier, "grid_barrier");
	sov_device_properties d = SOV_INIT(sov_device_properties);
	sov_launch l = SOV_INIT(sov_launch);
	uint32_t each = 0, n, out = 0;
	sov_device device;
	sov_stream s;
	sov_ptr p;

	MUST(sov_context_get_device(c, &device));
	MUST(sov_device_get_properties(device, &d));
	MUST(sov_context_get_stream(c, &s));
	MUST(sov_memory_alloc(c, 4, &p));
	MUST(sov_memory_fill(c, p, 0, 4, 1));
	MUST(sov_function_get_occupancy(f, d.max_threads_per_block, 0, &each));
	ok(each == d.max_threads_per_multiprocessor / d.max_threads_per_block,
	   "a multiprocessor holds %u of the largest blocks", each);
	MUST(sov_function_get_occupancy(f, 32, d.max_shared_per_block, &each));
	ok(each == 1, "a multiprocessor holds one block with all shared memory");
	MUST(sov_function_get_occupancy(f, 32, d.max_shared_per_block + 1, &each));
	ok(each == 0, "a multiprocessor holds no block with more than all shared memory");
	MUST(sov_function_get_occupancy(f, 1, 0, &each));
	n = conformance_software ? 8 : each * d.multiprocessors;
	l.grid[0] = n;
	l.grid[1] = l.grid[2] = l.block[0] = l.block[1] = l.block[2] = 1;
	l.arguments = ARGUMENTS(&p, &n);
	l.argument_count = 2;
	l.flags = SOV_LAUNCH_COOPERATIVE;
	MUST(sov_function_launch(f, &l));
	good(sov_stream_wait(s, 60 * SECOND),
	     "blocks of a cooperative grid can wait for each other");
	MUST(sov_memory_copy(c, SOV_HOST(&out), p, 4));
	ok(out == 2 * n, "all %u blocks of the cooperative grid run", n);
	l.grid[0] = each * d.multiprocessors + 1;
	refused(sov_function_launch(f, &l), SOV_ERROR_INVALID_LAUNCH, "fit on the device",
		"a cooperative grid with one block too many is rejected");
	l.flags = 4;
	refused(sov_function_launch(f, &l), SOV_ERROR_INVALID_ARGUMENT, "flags is 0x4",
		"an unknown launch flag is rejected");
	MUST(sov_memory_free(c, p));
}

/* Events without timing order streams like those with timing. */
static void event_without_timing(sov_context c)
{
	sov_function gate = function_of(c, PTX_GATE, "gate"),
		     open = function_of(c, PTX_GATE, "open");
	uint32_t one = 1, two = 2, out[3] = {0};
	uint64_t ns;
	sov_stream a, b;
	sov_event e, timed;
	sov_ptr p, at;

	MUST(sov_memory_alloc(c, 12, &p));
	MUST(sov_memory_fill(c, p, 0, 4, 3));
	MUST(sov_stream_create(c, 0, &a));
	MUST(sov_stream_create(c, 0, &b));
	MUST(sov_event_create(c, SOV_EVENT_DISABLE_TIMING, &e));
	MUST(sov_event_create(c, 0, &timed));
	refused(sov_event_wait(e, 0), SOV_ERROR_INVALID_ARGUMENT, "never recorded",
		"waiting for an unrecorded event is rejected");
	at = p + 4;
	MUST(launch(gate, a, 1, 1, "88", ARGUMENTS(&p, &at)));
	MUST(sov_event_record(e, a));
	MUST(sov_stream_wait_event(b, e));
	at = p + 8;
	MUST(launch(open, b, 1, 1, "84", ARGUMENTS(&at, &two)));
	ok(sov_event_wait(e, 0) == SOV_NOT_READY &&
		   sov_stream_wait(b, SECOND / 20) == SOV_ERROR_TIMEOUT,
	   "a stream waits for an event without timing");
	MUST(sov_memory_copy(c, p, SOV_HOST(&one), 4));
	good(sov_stream_wait(b, 60 * SECOND),
	     "a stream wait for an event without timing completes");
	MUST(sov_memory_copy(c, SOV_HOST(out), p, 12));
	ok(out[1] == 1 && out[2] == 2, "work after an event without timing executes in order");
	MUST(sov_event_record(timed, a));
	MUST(sov_event_wait(timed, 60 * SECOND));
	refused(sov_event_elapsed(e, timed, &ns), SOV_ERROR_INVALID_ARGUMENT,
		"SOV_EVENT_DISABLE_TIMING", "elapsed time of an event without timing is rejected");
	MUST(sov_stream_destroy(a));
	good(sov_event_wait(e, 0), "an event without timing outlives its stream");
	MUST(sov_event_destroy(e));
	MUST(sov_event_destroy(timed));
	MUST(sov_stream_destroy(b));
	MUST(sov_memory_free(c, p));
}

struct worker {
	sov_context c;
	sov_function add;
	sov_ptr p;
	uint32_t launches, failures;
	pthread_t thread;
};

static void *work(void *arg)
{
	struct worker *w = arg;
	sov_stream s;

	w->failures += sov_stream_create(w->c, 0, &s) != SOV_OK;
	for (uint32_t i = 0; i < w->launches; i++) {
		uint32_t one = 1;

		w->failures += launch(w->add, s, 1, 1, "84", ARGUMENTS(&w->p, &one)) != SOV_OK;
	}
	w->failures += sov_stream_wait(s, 300 * SECOND) != SOV_OK;
	w->failures += sov_stream_destroy(s) != SOV_OK;
	return NULL;
}

static void threads(sov_context c)
{
	struct worker workers[4];
	uint32_t n = 1000 / TAP_SLOWNESS, out[4], wrong = 0, i;
	sov_function add = function_of(c, PTX_ADD, "add");
	sov_ptr p;

	MUST(sov_memory_alloc(c, sizeof(out), &p));
	MUST(sov_memory_fill(c, p, 0, 4, 4));
	for (i = 0; i < 4; i++) {
		workers[i] = (struct worker){c, add, p + 4 * i, n, 0, 0};
		pthread_create(&workers[i].thread, NULL, work, &workers[i]);
	}
	for (i = 0; i < 4; i++) {
		pthread_join(workers[i].thread, NULL);
		wrong += workers[i].failures;
	}
	MUST(sov_memory_copy(c, SOV_HOST(out), p, sizeof(out)));
	for (i = 0; i < 4; i++)
		wrong += out[i] != n;
	ok(!wrong, "4 threads launch %u kernels each, and every kernel runs", n);
	MUST(sov_memory_free(c, p));
}

/* ---- waits ---- */

static void limits(sov_device d)
{
	sov_context_options o = SOV_INIT(sov_context_options);
	uint64_t limit = SECOND / 4, from, took;
	sov_function gate;
	sov_context c;
	sov_stream s;
	sov_event e;
	sov_ptr p, out;

	o.kernel_time_limit = 2 * SECOND;
	MUST(sov_context_create(d, &o, &c));
	gate = function_of(c, PTX_GATE, "gate");
	MUST(sov_context_get_stream(c, &s));
	MUST(sov_event_create(c, 0, &e));
	MUST(sov_memory_alloc(c, 8, &p));
	MUST(sov_memory_fill(c, p, 0, 4, 2));
	out = p + 4;
	MUST(launch(gate, s, 1, 1, "88", ARGUMENTS(&p, &out)));
	MUST(sov_event_record(e, s));
	from = clock_ns();
	ok(sov_stream_wait(s, limit) == SOV_ERROR_TIMEOUT &&
		   sov_event_wait(e, limit) == SOV_ERROR_TIMEOUT &&
		   sov_context_wait(c, limit) == SOV_ERROR_TIMEOUT,
	   "waits for an endless kernel time out");
	took = clock_ns() - from;
	ok(sov_stream_wait(s, 0) == SOV_NOT_READY && sov_event_wait(e, 0) == SOV_NOT_READY,
	   "polling an endless kernel does not wait");
	ok(took >= 3 * limit, "waits for an endless kernel last as long as their timeouts");
	refused(sov_stream_wait(s, 60 * SECOND), SOV_ERROR_HANG, "limit of 2",
		"an endless kernel is stopped by its time limit");
	good(sov_context_reset(c), "a context with a stopped kernel can be reset");
	MUST(sov_memory_fill(c, p, 5, 4, 2));
	MUST(launch(gate, s, 1, 1, "88", ARGUMENTS(&p, &out)));
	good(sov_stream_wait(s, 60 * SECOND), "kernels run after the reset of a stopped kernel");
	MUST(sov_context_destroy(c));
}

static void leaks(sov_device d)
{
	uint64_t before, after;
	sov_context watch, c;
	sov_stream s;
	sov_ptr p;

	MUST(sov_context_create(d, NULL, &watch));
	MUST(sov_memory_info(watch, &before, NULL));
	for (uint32_t i = 0; i < 5; i++) {
		MUST(sov_context_create(d, NULL, &c));
		MUST(sov_stream_create(c, 0, &s));
		MUST(sov_memory_alloc(c, 3 * MIB, &p));
		MUST(sov_memory_alloc_async(s, 5 * MIB, &p));
		function_of(c, PTX_ADD, "add");
		MUST(sov_context_destroy(c));
	}
	MUST(sov_memory_info(watch, &after, NULL));
	ok(after == before, "destroyed contexts leak %lld bytes", (long long)(before - after));
	MUST(sov_context_destroy(watch));
}

int main(void)
{
	sov_device d = conformance_device(), none;
	sov_context c;

	MUST(sov_context_create(d, NULL, &c));
	ok(sov_device_open(999, &none) == SOV_ERROR_NO_DEVICE, "opening device 999 fails");
	sources(c);
	value(c);
	gemm(c);
	many_streams(c);
	overlap(c);
	event_without_timing(c);
	together(c);
	threads(c);
	MUST(sov_context_destroy(c));
	leaks(d);
	limits(d);
	return tap_done();
}
