/* SPDX-License-Identifier: MIT */
/*
 * What a launch costs the CPU: nanoseconds of sov_function_launch, through the public API, with a
 * software GPU whose doorbell is taken away. Nothing runs, so nothing else is measured; between two
 * rounds the bench itself says that the work is done. Written lines lie in ordinary memory here,
 * not behind a bus, so a real GPU adds what its write-combined memory costs.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include "tests/bench/_bench.h" /* first, for the public names: what is measured has api.c in it */
#include "libsov/runtime/stream/submit.h"

#define ROUNDS 2000
#define BURST  200 /* fits a stream's slots */

static const char saxpy[] = ".version 7.8\n.target sm_80\n.address_size 64\n"
			    ".visible .entry saxpy(.param .u32 n, .param .f32 a, .param .u64 x, "
			    ".param .u64 y)\n{\n\tret;\n}\n"
			    ".visible .entry other(.param .u64 x)\n{\n\tret;\n}\n";

static void swallow(struct winsys_queue *q)
{
	(void)q;
}

/* Everything that was submitted is done. */
static void finish(sov_stream handle)
{
	struct stream *s = object_get(handle, OBJECT_STREAM);

	__atomic_store_n(s->done->payload, (uint32_t)stream_last(s), __ATOMIC_RELEASE);
	object_put(&s->member.object);
}

struct bench {
	const char *name;
	sov_function f[3];
	uint32_t functions;
	bool shapes; /* every launch has another one */
	uint32_t threads;
};

static void burst(const struct bench *b, sov_stream stream, uint64_t *last)
{
	uint32_t n = 1000, i;
	float a = 2;
	uint64_t x = 0x1000, y = 0x2000;
	const void *four[] = {&n, &a, &x, &y}, *one[] = {&x};
	sov_launch l = SOV_INIT(sov_launch);

	l.grid[0] = l.grid[1] = l.grid[2] = l.block[1] = l.block[2] = 1;
	l.block[0] = 256;
	l.stream = stream;
	for (i = 0; i < BURST / b->threads; i++) {
		uint32_t k = (uint32_t)((*last)++ % b->functions);

		l.arguments = k ? one : four;
		l.argument_count = k ? 1 : 4;
		l.grid[0] = b->shapes ? 1 + (uint32_t)*last : 7;
		x++;
		must(sov_function_launch(b->f[k], &l), "sov_function_launch");
	}
}

struct thread {
	pthread_t thread;
	pthread_barrier_t *barrier;
	const struct bench *bench;
	sov_stream stream;
	uint64_t start, end;
};

static void *body(void *arg)
{
	struct thread *t = arg;
	uint64_t last = 0;
	uint32_t i;

	for (i = 0; i < ROUNDS; i++) {
		pthread_barrier_wait(t->barrier);
		t->start = now();
		burst(t->bench, t->stream, &last);
		t->end = now();
		pthread_barrier_wait(t->barrier);
	}
	return NULL;
}

/* From the first thread's start to the last one's end. */
static uint64_t round_time(const struct thread *threads, uint32_t count)
{
	uint64_t start = threads[0].start, end = threads[0].end;
	uint32_t i;

	for (i = 1; i < count; i++) {
		start = threads[i].start < start ? threads[i].start : start;
		end = threads[i].end > end ? threads[i].end : end;
	}
	return end - start;
}

static void run(const struct bench *b, sov_stream stream)
{
	static uint64_t times[ROUNDS];
	struct thread threads[8];
	pthread_barrier_t barrier;
	uint32_t i;

	pthread_barrier_init(&barrier, NULL, b->threads + 1);
	for (i = 0; i < b->threads; i++) {
		threads[i] = (struct thread){.barrier = &barrier, .bench = b, .stream = stream};
		pthread_create(&threads[i].thread, NULL, body, &threads[i]);
	}
	for (i = 0; i < ROUNDS; i++) {
		pthread_barrier_wait(&barrier);
		pthread_barrier_wait(&barrier);
		times[i] = round_time(threads, b->threads);
		finish(stream);
		MUST(sov_stream_wait(stream, 1000000000));
	}
	for (i = 0; i < b->threads; i++)
		pthread_join(threads[i].thread, NULL);
	pthread_barrier_destroy(&barrier);
	qsort(times, ROUNDS, sizeof(*times), compare);
	printf("launch: %-46s %6.1f ns, at best %6.1f\n", b->name,
	       (double)times[ROUNDS / 2] / BURST, (double)times[0] / BURST);
}

int main(void)
{
	struct winsys silent = winsys_soft;
	sov_device device;
	sov_context context;
	sov_stream stream;
	sov_module module[3];
	struct bench b = {.threads = 1};
	struct device *d;
	uint32_t i;

	setenv("SOV_SOFT", "gh100:vram=512M", 1);
	MUST(sov_device_open(0, &device));
	d = object_get(device, OBJECT_DEVICE);
	silent.doorbell = swallow;
	d->winsys = &silent;
	MUST(sov_context_create(device, NULL, &context));
	MUST(sov_context_get_stream(context, &stream));
	finish(stream);
	for (i = 0; i < 3; i++) {
		MUST(sov_module_load(context, saxpy, sizeof(saxpy) - 1, NULL, &module[i]));
		MUST(sov_module_get_function(module[i], i ? "other" : "saxpy", &b.f[i]));
	}
	b.functions = 1;
	b.name = "one kernel of four arguments, again and again";
	run(&b, stream);
	b.shapes = true;
	b.name = "each time another grid";
	run(&b, stream);
	b.shapes = false;
	b.functions = 3;
	b.name = "three kernels in turn";
	run(&b, stream);
	b.functions = 1;
	b.threads = 2;
	b.name = "two threads on one stream";
	run(&b, stream);
	MUST(sov_context_destroy(context));
	return 0;
}
