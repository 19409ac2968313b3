// SPDX-License-Identifier: MIT
/* Time limits: of a kernel by its launch, its context or the environment; work that waits for other
 * work has no limit of its own. */
#include "libsov/runtime/context/context.h"
#include "tests/userspace/runtime/_api.h"
#include "tests/userspace/runtime/_ptx.h"

#define MS   UINT64_C(1000000)
#define LATE SECOND /* longer than delays of a busy machine */

static sov_context c;
static sov_stream one, two;
static sov_function gate;
static uint32_t *word; /* pinned */

static void begin(uint64_t kernel, uint64_t other)
{
	struct context *k;

	c = context_on("gh100.0", kernel);
	MUST(sov_stream_create(c, 0, &one));
	MUST(sov_stream_create(c, 0, &two));
	gate = function_of(c, PTX_GATE, "gate");
	MUST(sov_host_alloc(c, 64, (void **)&word));
	MUST(sov_context_wait(c, 60 * SECOND));
	k = object_get(c, OBJECT_CONTEXT);
	k->other_time_limit = other;
	object_put(&k->object);
}

static sov_launch shape(sov_stream s, uint64_t limit, const void *const *arguments)
{
	sov_launch l = SOV_INIT(sov_launch);

	l.grid[0] = l.grid[1] = l.grid[2] = l.block[0] = l.block[1] = l.block[2] = 1;
	l.stream = s;
	l.arguments = arguments;
	l.argument_count = 2;
	l.time_limit = limit;
	return l;
}

/* Runs until the word is set. */
static sov_result run(sov_stream s, uint64_t limit)
{
	uint64_t at = SOV_HOST(word), out = SOV_HOST(word + 1);
	sov_launch l = shape(s, limit, ARGUMENTS(&at, &out));

	return sov_function_launch(gate, &l);
}

static void let_go(void)
{
	__atomic_store_n(word, 1, __ATOMIC_RELEASE);
}

static void again(void)
{
	MUST(sov_context_reset(c));
	__atomic_store_n(word, 0, __ATOMIC_RELEASE);
}

static void end(void)
{
	let_go();
	MUST(sov_context_wait(c, 60 * SECOND));
	MUST(sov_context_destroy(c));
}

static void of_launches(void)
{
	begin(60 * SECOND, 60 * SECOND);
	MUST(run(one, 40 * MS));
	refused(sov_stream_wait(one, 30 * SECOND), SOV_ERROR_HANG,
		"kernel 'gate' on gh100.0: it did not end within its limit of 0.040 s",
		"a launch's own time limit is enforced, and the error names kernel and limit");
	again();
	MUST(run(one, 20 * SECOND));
	let_go();
	good(sov_stream_wait(one, 30 * SECOND), "a kernel within its own time limit completes");
	__atomic_store_n(word, 0, __ATOMIC_RELEASE);
	MUST(run(one, 0));
	refused(sov_stream_wait(one, 100 * MS), SOV_ERROR_TIMEOUT, "the work continues",
		"a launch without a limit uses the context's limit");
	end();
	begin(40 * MS, 60 * SECOND);
	MUST(run(one, 60 * SECOND));
	refused(sov_stream_wait(one, 200 * MS), SOV_ERROR_TIMEOUT, "the work continues",
		"a launch's time limit may exceed the context's");
	end();
	begin(40 * MS, 60 * SECOND);
	MUST(run(one, SOV_FOREVER));
	refused(sov_stream_wait(one, 200 * MS), SOV_ERROR_TIMEOUT, "the work continues",
		"a launch may lift the context's time limit");
	let_go();
	good(sov_stream_wait(one, SOV_FOREVER), "a wait without a timeout ends with the work");
	end();
}

/* The sum of two limits of a graph overflows: it has none. */
static void without_limit(void)
{
	uint64_t at, out;
	sov_graph_exec run;
	sov_launch l;
	sov_graph g;

	begin(SOV_FOREVER, 40 * MS);
	at = SOV_HOST(word);
	out = SOV_HOST(word + 1);
	l = shape(NULL, 0, ARGUMENTS(&at, &out));
	MUST(sov_graph_create(c, 0, &g));
	MUST(sov_graph_add_kernel(g, NULL, 0, gate, &l, NULL));
	MUST(sov_graph_add_kernel(g, NULL, 0, gate, &l, NULL));
	MUST(sov_graph_instantiate(g, &run));
	MUST(sov_graph_launch(run, one));
	refused(sov_stream_wait(one, 200 * MS), SOV_ERROR_TIMEOUT, "the work continues",
		"a graph in a context without a time limit has none");
	end();
}

static void of_graphs(void)
{
	uint64_t at, out;
	sov_graph_exec run;
	sov_launch l;
	sov_graph g;

	begin(60 * SECOND, 60 * SECOND);
	at = SOV_HOST(word);
	out = SOV_HOST(word + 1);
	l = shape(NULL, 40 * MS, ARGUMENTS(&at, &out));
	MUST(sov_graph_create(c, 0, &g));
	MUST(sov_graph_add_kernel(g, NULL, 0, gate, &l, NULL));
	l.time_limit = 60 * MS;
	MUST(sov_graph_add_kernel(g, NULL, 0, gate, &l, NULL));
	MUST(sov_graph_instantiate(g, &run));
	MUST(sov_graph_launch(run, one));
	refused(sov_stream_wait(one, 30 * SECOND), SOV_ERROR_HANG,
		"a graph did not end within its limit of 0.100 s",
		"a graph's time limit is the sum of its nodes' limits");
	again();
	end();
}

/* One stream waits for another, whose kernel may take longer than all limits. */
static void of_waits(void)
{
	uint64_t at, out;
	sov_graph_exec again;
	sov_launch l;
	sov_event e;
	sov_graph g;

	begin(LATE, LATE);
	at = SOV_HOST(word);
	out = SOV_HOST(word + 1);
	l = shape(NULL, 0, ARGUMENTS(&at, &out));
	MUST(sov_event_create(c, 0, &e));
	MUST(sov_graph_create(c, 0, &g));
	MUST(sov_graph_add_kernel(g, NULL, 0, gate, &l, NULL));
	MUST(sov_graph_instantiate(g, &again));
	MUST(run(one, 60 * SECOND));
	MUST(sov_event_record(e, one));
	MUST(sov_event_record(e, two));
	refused(sov_stream_wait(two, 2 * LATE), SOV_ERROR_TIMEOUT, "the work continues",
		"an event record that waits for another stream is not overdue");
	let_go();
	MUST(sov_stream_wait(two, 60 * SECOND));
	__atomic_store_n(word, 0, __ATOMIC_RELEASE);
	MUST(run(one, 60 * SECOND));
	MUST(sov_graph_launch(again, one));
	MUST(sov_graph_launch(again, two));
	refused(sov_stream_wait(two, 2 * LATE), SOV_ERROR_TIMEOUT, "the work continues",
		"a graph that waits for its previous launch is not overdue");
	let_go();
	good(sov_stream_wait(two, 60 * SECOND), "streams that waited without a limit continue");
	end();
}

static void of_the_environment(void)
{
	static const char *const wrong[] = {
		"10", "0s", "-5s", "1h", "s", "none ", "18446744074s", "99999999999999999999ms"};
	sov_context other;
	sov_device d;
	uint32_t i;

	MUST(sov_device_open(0, &d));
	for (i = 0; i < COUNT(wrong); i++) {
		setenv("SOV_KERNEL_TIME_LIMIT", wrong[i], 1);
		refused(sov_context_create(d, NULL, &other), SOV_ERROR_INVALID_ARGUMENT,
			"a number with s or ms", wrong[i]);
	}
	setenv("SOV_KERNEL_TIME_LIMIT", "45ms", 1);
	begin(0, 60 * SECOND);
	MUST(run(one, 0));
	refused(sov_stream_wait(one, 30 * SECOND), SOV_ERROR_HANG, "its limit of 0.045 s",
		"a context without a time limit uses SOV_KERNEL_TIME_LIMIT");
	again();
	end();
	begin(60 * SECOND, 60 * SECOND);
	MUST(run(one, 0));
	refused(sov_stream_wait(one, 150 * MS), SOV_ERROR_TIMEOUT, "the work continues",
		"a context's own time limit overrides SOV_KERNEL_TIME_LIMIT");
	end();
	setenv("SOV_KERNEL_TIME_LIMIT", "none", 1);
	begin(0, 40 * MS);
	MUST(run(one, 0));
	refused(sov_stream_wait(one, 200 * MS), SOV_ERROR_TIMEOUT, "the work continues",
		"SOV_KERNEL_TIME_LIMIT can lift the limit");
	end();
}

int main(void)
{
	soft_gpus("gh100:vram=256M");
	setenv("SOV_VISIBLE_DEVICES", soft_name("gh100.0"), 1);
	of_launches();
	of_graphs();
	without_limit();
	of_waits();
	of_the_environment();
	return tap_done();
}
