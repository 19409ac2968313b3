// SPDX-License-Identifier: MIT
/*
 * Gates: closing waits for threads inside, and entering a closed gate fails. Every call that frees
 * something waits for threads that are submitting and may be using it.
 */
#include <pthread.h>
#include <time.h>
#include "libsov/runtime/stream/submit.h"
#include "tests/soft.h"
#include "tests/tap.h"
#include "tests/userspace/runtime/_ptx.h"

static void must(sov_result r, const char *call)
{
	if (!r)
		return;
	ok(false, "%s: %s: %s", call, sov_result_name(r), sov_last_error());
	exit(tap_done());
}
#define MUST(call) must(call, #call)

/* ---- the gate ---- */

#define THREADS 4
#define ROUNDS  20000

static struct gate gate;
static uint64_t
	guarded; /* guarded by the gate: read inside, written by the thread that closed it */
static _Atomic uint64_t inside, rejected;

static void *passes(void *arg)
{
	uint64_t *sum = arg;
	uint32_t i;

	for (i = 0; i < ROUNDS / TAP_SLOWNESS; i++) {
		if (gate_enter(&gate)) {
			inside++;
			*sum += guarded;
			inside--;
			gate_leave(&gate);
		} else {
			rejected++;
		}
	}
	return NULL;
}

static void the_gate(void)
{
	pthread_t threads[THREADS];
	uint64_t sums[THREADS] = {0};
	uint32_t i, alone = 0;

	gate_init(&gate);
	ok(!gate_enter(&gate) && gate_closed(&gate), "a new gate is closed");
	gate_open(&gate);
	ok(gate_enter(&gate), "a thread can enter an open gate");
	gate_leave(&gate);
	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, passes, &sums[i]);
	for (i = 0; i < 1000 / TAP_SLOWNESS; i++) {
		gate_close(&gate);
		guarded++;
		alone += !inside;
		gate_open(&gate);
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	ok(alone == 1000 / TAP_SLOWNESS, "no thread is inside a closed gate");
	ok(gate.state == 0, "an open gate without threads has state 0");
}

/* ---- calls that wait for threads inside ---- */

struct taker {
	const char *what;
	sov_result (*take)(struct taker *t);
	sov_context context;
	sov_module module;
	sov_stream stream;
	sov_ptr memory;
	sov_result result;
	_Atomic bool done;
};

static sov_result unload(struct taker *t)
{
	return sov_module_unload(t->module);
}

static sov_result destroy_stream(struct taker *t)
{
	return sov_stream_destroy(t->stream);
}

static sov_result free_memory(struct taker *t)
{
	return sov_memory_free(t->context, t->memory);
}

static sov_result reset(struct taker *t)
{
	return sov_context_reset(t->context);
}

static sov_result destroy(struct taker *t)
{
	return sov_context_destroy(t->context);
}

static void *takes(void *arg)
{
	struct taker *t = arg;

	t->result = t->take(t);
	t->done = true;
	return NULL;
}

static void waits_for(struct taker *t)
{
	struct timespec a_while = {.tv_nsec = 30000000};
	pthread_t thread;
	struct stream *s;
	sov_device d;
	bool early;

	MUST(sov_device_open(0, &d));
	MUST(sov_context_create(d, NULL, &t->context));
	MUST(sov_module_load(t->context, PTX_ADD, strlen(PTX_ADD), NULL, &t->module));
	MUST(sov_stream_create(t->context, 0, &t->stream));
	MUST(sov_memory_alloc(t->context, 4, &t->memory));
	s = object_get(t->stream, OBJECT_STREAM);
	/* Like a thread that has checked that its kernel is not being unloaded and has no seqno
	 * yet. */
	ok(gate_enter(&s->gate), "%s: a thread enters the stream's gate first", t->what);
	pthread_create(&thread, NULL, takes, t);
	nanosleep(&a_while, NULL);
	early = t->done;
	gate_leave(&s->gate);
	pthread_join(thread, NULL);
	ok(!early, "%s waits for the thread inside the gate", t->what);
	ok(!t->result, "%s succeeds when the thread has left the gate", t->what);
	object_put(&s->member.object);
	if (t->take != destroy)
		MUST(sov_context_destroy(t->context));
}

int main(void)
{
	struct taker takers[] = {
		{.what = "unloading a module", .take = unload},
		{.what = "destroying a stream", .take = destroy_stream},
		{.what = "freeing memory", .take = free_memory},
		{.what = "resetting a context", .take = reset},
		{.what = "destroying a context", .take = destroy},
	};
	uint32_t i;

	soft_gpus("gh100:vram=64M");
	the_gate();
	for (i = 0; i < sizeof(takers) / sizeof(*takers); i++)
		waits_for(&takers[i]);
	return tap_done();
}
