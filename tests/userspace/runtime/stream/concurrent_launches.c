// SPDX-License-Identifier: MIT
/*
 * Concurrent launches from several threads: on one stream, on streams of one context, in separate
 * contexts. Every launch must run once, with its own arguments and shape, in the order of its
 * thread; also while the stream, module or context is destroyed. With a thread sanitizer this
 * checks submit.c.
 */
#include <pthread.h>
#include <sched.h>
#include "tests/userspace/runtime/_api.h"
#include "tests/userspace/runtime/_ptx.h"

#define THREADS  4
#define LAUNCHES 1000
#define RACES    12

/* One thread of the grid does *p = *p * FACTOR + n + blockDim * 65536 + gridDim, and ++sum[0]:
 * right only when launches come in order, one after the other, with the right arguments. Every
 * thread of the grid counts itself in sum[1]. Two modules that differ in the factor. */
#define CHAIN(factor) \
	PTX_HEADER \
	".visible .entry chain(.param .u64 p, .param .u32 n, .param .u64 sum) {\n" \
	"	.reg .pred %p<2>;\n" \
	"	.reg .b32 %r<16>;\n" \
	"	.reg .b64 %a<5>;\n" \
	"	ld.param.u64 %a1, [p];\n" \
	"	ld.param.u32 %r1, [n];\n" \
	"	ld.param.u64 %a2, [sum];\n" \
	"	cvta.to.global.u64 %a3, %a1;\n" \
	"	cvta.to.global.u64 %a4, %a2;\n" \
	"	mov.u32 %r2, %tid.x;\n" \
	"	mov.u32 %r3, %ctaid.x;\n" \
	"	red.global.add.u32 [%a4+4], 1;\n" \
	"	or.b32 %r4, %r2, %r3;\n" \
	"	setp.ne.u32 %p1, %r4, 0;\n" \
	"	@%p1 bra done;\n" \
	"	mov.u32 %r5, %ntid.x;\n" \
	"	mov.u32 %r6, %nctaid.x;\n" \
	"	ld.global.u32 %r7, [%a3];\n" \
	"	mad.lo.u32 %r8, %r7, " #factor ", %r1;\n" \
	"	mad.lo.u32 %r9, %r5, 65536, %r8;\n" \
	"	add.u32 %r10, %r9, %r6;\n" \
	"	st.global.u32 [%a3], %r10;\n" \
	"	ld.global.u32 %r11, [%a4];\n" \
	"	add.u32 %r12, %r11, 1;\n" \
	"	st.global.u32 [%a4], %r12;\n" \
	"done:\n" \
	"	ret;\n" \
	"}\n"

#define FACTOR_0         1664525
#define FACTOR_1         22695477
#define CHAIN_OF(factor) CHAIN(factor)
static const char *const chain_ptx[] = {CHAIN_OF(FACTOR_0), CHAIN_OF(FACTOR_1)};
static const uint32_t factors[] = {FACTOR_0, FACTOR_1};

struct job {
	pthread_t thread;
	uint32_t index;
	sov_context context;
	sov_function chain[2]; /* of two modules */
	sov_stream stream;
	sov_ptr word, sum;
	sov_event event;
	uint32_t modules; /* 2: both alternately; 1: the first */
	uint32_t want, launched, threads;
	sov_result last;
	char message[256];
};

static uint32_t blocks_of(uint32_t i)
{
	return 1 + i / 7 % 3;
}

static uint32_t threads_of(uint32_t i)
{
	return i % 5 ? 32 : 64;
}

static sov_result step(struct job *j, uint32_t i)
{
	uint32_t n = i * 16 + j->index, k = i / 3 % j->modules;
	sov_result r = launch(j->chain[k], j->stream, blocks_of(i), threads_of(i), "848",
			      ARGUMENTS(&j->word, &n, &j->sum));

	if (!r) {
		j->want = j->want * factors[k] + n + threads_of(i) * 65536 + blocks_of(i);
		j->threads += threads_of(i) * blocks_of(i);
		j->launched++;
	}
	return r;
}

static void note(struct job *j, sov_result r)
{
	j->last = r;
	snprintf(j->message, sizeof(j->message), "%s: %s", sov_result_name(r), sov_last_error());
}

static void *launches(void *arg)
{
	struct job *j = arg;
	sov_result r = SOV_OK;
	uint32_t i;

	for (i = 0; !r && i < LAUNCHES; i++)
		r = step(j, i);
	note(j, r ? r : sov_stream_wait(j->stream, 60 * SECOND));
	return NULL;
}

static void prepare(struct job *j, uint32_t index, sov_context c)
{
	uint32_t i;

	memset(j, 0, sizeof(*j));
	j->index = index;
	j->context = c;
	for (i = 0; i < 2; i++)
		j->chain[i] = function_of(c, chain_ptx[i], "chain");
	j->modules = 2;
	MUST(sov_context_get_stream(c, &j->stream));
	MUST(sov_memory_alloc(c, 4, &j->word));
	MUST(sov_memory_fill(c, j->word, 0, 4, 1));
	MUST(sov_memory_alloc(c, 8, &j->sum));
	MUST(sov_memory_fill(c, j->sum, 0, 4, 2));
}

static uint32_t word(sov_context c, sov_ptr p)
{
	uint32_t value;

	MUST(sov_memory_copy(c, SOV_HOST(&value), p, 4));
	return value;
}

static void start(struct job *jobs, void *(*body)(void *))
{
	uint32_t i;

	for (i = 0; i < THREADS; i++)
		pthread_create(&jobs[i].thread, NULL, body, &jobs[i]);
}

static void join(struct job *jobs)
{
	uint32_t i;

	for (i = 0; i < THREADS; i++)
		pthread_join(jobs[i].thread, NULL);
}

static void run(struct job *jobs, const char *where)
{
	uint32_t i, right = 0, waited = 0;

	start(jobs, launches);
	join(jobs);
	for (i = 0; i < THREADS; i++) {
		right += word(jobs[i].context, jobs[i].word) == jobs[i].want &&
			 jobs[i].launched == LAUNCHES;
		waited += !jobs[i].last;
		if (jobs[i].last)
			diag("thread %u: %s", i, jobs[i].message);
	}
	ok(right == THREADS && waited == THREADS, "%d threads, %d launches each, %s", THREADS,
	   LAUNCHES, where);
}

static void everywhere(void)
{
	struct job jobs[THREADS];
	sov_context c = context_on("gh100.0", 0);
	uint32_t i, total = 0;

	for (i = 0; i < THREADS; i++) {
		prepare(&jobs[i], i, c);
		jobs[i].sum = jobs[0].sum;
	}
	run(jobs, "on one stream");
	ok(word(c, jobs[0].sum) == THREADS * LAUNCHES, "kernels of one stream never overlap");
	for (i = 0; i < THREADS; i++)
		total += jobs[i].threads;
	ok(word(c, jobs[0].sum + 4) == total,
	   "every kernel of the threads runs all its blocks and threads");
	for (i = 0; i < THREADS; i++) {
		prepare(&jobs[i], i, c);
		MUST(sov_stream_create(c, 0, &jobs[i].stream));
	}
	run(jobs, "on streams of one context");
	MUST(sov_context_destroy(c));
	for (i = 0; i < THREADS; i++)
		prepare(&jobs[i], i, context_on(i % 2 ? "gh100.0" : "ga100.0", 0));
	run(jobs, "in a context each");
	for (i = 0; i < THREADS; i++)
		MUST(sov_context_destroy(jobs[i].context));
}

/* ---- races ---- */

static _Atomic uint32_t in_full_swing;

/* Launches until it is rejected, or up to a maximum that no race reaches. */
static void *launches_on(void *arg)
{
	struct job *j = arg;
	sov_result r = SOV_OK;
	uint32_t i;

	for (i = 0; !r && i < 200000; i++) {
		r = step(j, i);
		if (i == 20)
			in_full_swing++;
	}
	note(j, r);
	return NULL;
}

static sov_context race_begin(struct job *jobs)
{
	sov_context c = context_on("gh100.0", 0);
	uint32_t i;

	for (i = 0; i < THREADS; i++) {
		prepare(&jobs[i], i, c);
		if (i)
			memcpy(jobs[i].chain, jobs[0].chain, sizeof(jobs[i].chain));
	}
	in_full_swing = 0;
	return c;
}

static void race_go(struct job *jobs)
{
	start(jobs, launches_on);
	while (in_full_swing < THREADS)
		sched_yield();
}

/* All threads were rejected with one of two results. */
static bool all_rejected(struct job *jobs, sov_result one, sov_result other)
{
	uint32_t i, right = 0;

	join(jobs);
	for (i = 0; i < THREADS; i++) {
		right += jobs[i].last == one || jobs[i].last == other;
		if (jobs[i].last != one && jobs[i].last != other)
			diag("thread %u: %s", i, jobs[i].message);
	}
	return right == THREADS;
}

static void stream_goes(void)
{
	struct job jobs[THREADS];
	uint32_t k, i, right = 0, sums = 0;

	for (k = 0; k < RACES / TAP_SLOWNESS + 1; k++) {
		sov_context c = race_begin(jobs);
		bool all = true;

		MUST(sov_stream_create(c, 0, &jobs[0].stream));
		for (i = 1; i < THREADS; i++)
			jobs[i].stream = jobs[0].stream;
		race_go(jobs);
		MUST(sov_stream_destroy(jobs[0].stream));
		right += all_rejected(jobs, SOV_ERROR_INVALID_HANDLE, SOV_ERROR_INVALID_HANDLE) &&
			 !sov_context_status(c);
		for (i = 0; i < THREADS; i++)
			all = all && word(c, jobs[i].word) == jobs[i].want;
		sums += all;
		MUST(sov_context_destroy(c));
	}
	ok(right == k, "destroying a stream makes launches of %d threads fail cleanly", THREADS);
	ok(sums == k, "a destroyed stream has run every accepted launch");
}

static void module_goes(void)
{
	struct job jobs[THREADS];
	uint32_t k, i, right = 0;

	for (k = 0; k < RACES / TAP_SLOWNESS + 1; k++) {
		sov_context c = race_begin(jobs);
		sov_module m = module_from(c, chain_ptx[0], strlen(chain_ptx[0]), 0);
		sov_function add;
		sov_stream fresh;
		bool all;

		for (i = 0; i < THREADS; i++) {
			MUST(sov_module_get_function(m, "chain", &jobs[i].chain[0]));
			jobs[i].modules = 1;
			if (i % 2)
				MUST(sov_stream_create(c, 0, &jobs[i].stream));
		}
		MUST(sov_stream_create(c, 0, &fresh));
		race_go(jobs);
		MUST(sov_module_unload(m));
		/* New code invalidates instruction caches. */
		add = function_of(c, PTX_ADD, "add");
		MUST(launch(add, fresh, 1, 1, "84", ARGUMENTS(&jobs[0].sum, &k)));
		all = all_rejected(jobs, SOV_ERROR_INVALID_HANDLE, SOV_ERROR_INVALID_HANDLE);
		/* Code freed too early would have failed the context. */
		all = all && !sov_context_wait(c, 60 * SECOND);
		for (i = 0; all && i < THREADS; i++)
			all = word(c, jobs[i].word) == jobs[i].want;
		right += all;
		MUST(sov_context_destroy(c));
	}
	ok(right == k, "unloading a module runs every accepted launch of %d threads", THREADS);
}

static void context_goes(void)
{
	struct job jobs[THREADS];
	uint32_t k, right = 0;

	for (k = 0; k < RACES / TAP_SLOWNESS + 1; k++) {
		sov_context c = race_begin(jobs);

		race_go(jobs);
		MUST(sov_context_destroy(c));
		right += all_rejected(jobs, SOV_ERROR_INVALID_HANDLE, SOV_ERROR_CANCELLED);
	}
	ok(right == k, "destroying a context makes launches of %d threads fail cleanly", THREADS);
}

static _Atomic bool stop;

/* A reset discards work and launches continue. */
static void *launches_through(void *arg)
{
	struct job *j = arg;
	sov_result r = SOV_OK;
	uint32_t i;

	for (i = 0; !stop && (!r || r == SOV_ERROR_CANCELLED); i++) {
		r = step(j, i);
		if (i == 20)
			in_full_swing++;
	}
	note(j, r == SOV_ERROR_CANCELLED ? SOV_OK : r);
	return NULL;
}

static void context_is_reset(void)
{
	struct job jobs[THREADS];
	sov_context c = race_begin(jobs);
	uint32_t i, right = 0;

	stop = false;
	start(jobs, launches_through);
	while (in_full_swing < THREADS)
		sched_yield();
	for (i = 0; i < RACES; i++) {
		MUST(sov_context_reset(c));
		sched_yield();
	}
	stop = true;
	join(jobs);
	for (i = 0; i < THREADS; i++) {
		right += !jobs[i].last;
		if (jobs[i].last)
			diag("thread %u: %s", i, jobs[i].message);
	}
	ok(right == THREADS, "a context can be reset while %d threads launch", THREADS);
	for (i = 0; i < THREADS; i++) {
		prepare(&jobs[i], i, c);
		jobs[i].sum = jobs[0].sum;
	}
	run(jobs, "after a reset");
	MUST(sov_context_destroy(c));
}

static void context_fails(void)
{
	struct job jobs[THREADS];
	sov_context c = race_begin(jobs);
	sov_function add = function_of(c, PTX_ADD, "add");
	uint32_t one = 1;
	sov_ptr nowhere = 64;

	race_go(jobs);
	MUST(launch(add, NULL, 1, 1, "84", ARGUMENTS(&nowhere, &one)));
	ok(all_rejected(jobs, SOV_ERROR_FAULT, SOV_ERROR_FAULT),
	   "a fault is returned to all launching threads");
	ok(sov_context_status(c) == SOV_ERROR_FAULT && strstr(sov_last_error(), "'add'"),
	   "the fault that launching threads get names the kernel");
	MUST(sov_context_destroy(c));
}

/* ---- events ---- */

static void *records(void *arg)
{
	struct job *j = arg;
	sov_result r = SOV_OK;
	uint32_t i;

	for (i = 0; !r && i < LAUNCHES / TAP_SLOWNESS; i++) {
		r = step(j, i);
		if (!r)
			r = sov_event_record(j->event, j->stream);
		if (!r && i % 8 == 0)
			r = sov_stream_wait_event(j->stream, j->event);
		if (!r && i % 64 == 0)
			r = sov_event_wait(j->event, 60 * SECOND);
	}
	note(j, r ? r : sov_stream_wait(j->stream, 60 * SECOND));
	return NULL;
}

static void one_event(void)
{
	struct job jobs[THREADS];
	sov_context c = race_begin(jobs);
	sov_event e;
	uint32_t i, right = 0;

	MUST(sov_event_create(c, 0, &e));
	for (i = 0; i < THREADS; i++) {
		jobs[i].event = e;
		if (i < 2) /* two threads on one stream, two on separate streams */
			MUST(sov_stream_create(c, 0, &jobs[i].stream));
	}
	start(jobs, records);
	join(jobs);
	for (i = 0; i < THREADS; i++) {
		right += !jobs[i].last && word(c, jobs[i].word) == jobs[i].want;
		if (jobs[i].last)
			diag("thread %u: %s", i, jobs[i].message);
	}
	ok(right == THREADS, "%d threads record one event on three streams and wait for it",
	   THREADS);
	MUST(sov_context_destroy(c));
}

/*
 * An event without timing has no semaphore of its own: a record replaces a pointer and a value,
 * which its lock keeps together. Every call takes and drops a reference of the event, which orders
 * it after the calls before: a race shows only where two calls overlap, so the threads do nothing
 * but record, and a reset, which looks at all events, comes in between.
 */
static void *timeless_records(void *arg)
{
	struct job *j = arg;
	sov_result r = SOV_OK;
	uint32_t i;

	for (i = 0; !stop && !r; i++) {
		r = sov_event_record(j->event, j->stream);
		if (!r && i % 16 == 0)
			r = sov_event_wait(j->event, 60 * SECOND);
		if (r == SOV_ERROR_CANCELLED ||
		    (r == SOV_ERROR_INVALID_ARGUMENT && strstr(sov_last_error(), "never recorded")))
			r = SOV_OK; /* a reset dropped the record */
		if (i == 1000)
			in_full_swing++;
	}
	note(j, r);
	return NULL;
}

static void timeless_event(void)
{
	struct job jobs[THREADS];
	sov_context c = race_begin(jobs);
	uint32_t i, right = 0;
	sov_event e;

	stop = false;
	MUST(sov_event_create(c, SOV_EVENT_DISABLE_TIMING, &e));
	for (i = 0; i < THREADS; i++) {
		jobs[i].event = e;
		MUST(sov_stream_create(c, 0, &jobs[i].stream));
		MUST(launch(jobs[i].chain[0], jobs[i].stream, 1, 32, "848",
			    ARGUMENTS(&jobs[i].word, &i, &jobs[i].sum)));
	}
	start(jobs, timeless_records);
	while (in_full_swing < THREADS)
		sched_yield();
	for (i = 0; i < RACES; i++) {
		MUST(sov_context_reset(c));
		sched_yield();
	}
	stop = true;
	join(jobs);
	for (i = 0; i < THREADS; i++) {
		right += !jobs[i].last;
		if (jobs[i].last)
			diag("thread %u: %s", i, jobs[i].message);
	}
	ok(right == THREADS,
	   "%d threads record one event without timing on a stream each, while the context is "
	   "reset",
	   THREADS);
	good(sov_event_record(e, jobs[0].stream), "the event can be recorded after the resets");
	good(sov_event_wait(e, 60 * SECOND), "the event is reached after the resets");
	MUST(sov_context_destroy(c));
}

int main(void)
{
	soft_gpus("gh100:vram=512M,ga100:vram=512M");
	everywhere();
	stream_goes();
	module_goes();
	context_goes();
	context_is_reset();
	context_fails();
	one_event();
	timeless_event();
	return tap_done();
}
