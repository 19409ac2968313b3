// SPDX-License-Identifier: MIT
/*
 * Any call from any thread at any time: eight threads with a context each, eight threads in one
 * context, and threads inside a call while their context is destroyed or reset.
 */
#include <pthread.h>
#include <sched.h>
#include "tests/userspace/runtime/_api.h"
#include "tests/userspace/runtime/_ptx.h"

#define THREADS 8
#define ROUNDS  12
#define N       500

static char *saxpy_text;
static size_t saxpy_bytes;
static sov_context shared_context;
static sov_function shared_add;
static sov_ptr shared_word;

/* Threads count their results; only the main thread prints TAP. */
struct job {
	pthread_t thread;
	uint32_t seed, right, wrong, cancelled;
	sov_context context;
	sov_stream stream;
	char sentence[256];
};

#define TRY(job, call) \
	do { \
		sov_result r_ = (call); \
		if (r_) { \
			(job)->wrong++; \
			snprintf((job)->sentence, sizeof((job)->sentence), "%s: %s", \
				 sov_result_name(r_), sov_last_error()); \
			return; \
		} \
	} while (0)

static uint32_t next(struct job *j)
{
	j->seed = j->seed * 1664525 + 1013904223;
	return j->seed >> 8;
}

/* One saxpy with its own memory and module, on its own stream. */
static void round_of(struct job *j)
{
	float x[N], y[N], got[N], a = (float)(next(j) % 64);
	uint32_t n = N, i, right = 0;
	sov_module m;
	sov_function f;
	sov_ptr dx, dy;

	for (i = 0; i < N; i++) {
		x[i] = (float)(next(j) % 1000);
		y[i] = (float)(next(j) % 1000);
	}
	TRY(j, sov_memory_alloc(j->context, sizeof(x), &dx));
	TRY(j, sov_memory_alloc(j->context, sizeof(y), &dy));
	TRY(j, sov_memory_copy_async(j->stream, dx, SOV_HOST(x), sizeof(x)));
	TRY(j, sov_memory_copy_async(j->stream, dy, SOV_HOST(y), sizeof(y)));
	TRY(j, sov_module_load(j->context, saxpy_text, saxpy_bytes, NULL, &m));
	TRY(j, sov_module_get_function(m, "saxpy_f32", &f));
	TRY(j, launch(f, j->stream, (N + 63) / 64, 64, "4488", ARGUMENTS(&n, &a, &dx, &dy)));
	TRY(j, sov_memory_copy_async(j->stream, SOV_HOST(got), dy, sizeof(got)));
	for (i = 0; i < N; i++)
		right += got[i] == a * x[i] + y[i];
	j->right += right == N;
	TRY(j, sov_module_unload(m));
	TRY(j, sov_memory_free(j->context, dx));
	TRY(j, sov_memory_free(j->context, dy));
}

static void *own_context(void *arg)
{
	struct job *j = arg;
	sov_device d;
	uint32_t i;

	if (sov_device_open(next(j) % 2, &d) || sov_context_create(d, NULL, &j->context) ||
	    sov_context_get_stream(j->context, &j->stream)) {
		j->wrong++;
		return NULL;
	}
	for (i = 0; i < ROUNDS; i++)
		round_of(j);
	j->wrong += sov_context_destroy(j->context) != SOV_OK;
	return NULL;
}

static void *own_stream(void *arg)
{
	struct job *j = arg;
	uint32_t i, one = 1;

	j->context = shared_context;
	if (sov_stream_create(j->context, 0, &j->stream)) {
		j->wrong++;
		return NULL;
	}
	for (i = 0; i < ROUNDS; i++) {
		round_of(j);
		/* All threads add on the one first stream. */
		j->wrong += launch(shared_add, NULL, 1, 1, "84", ARGUMENTS(&shared_word, &one)) !=
			    SOV_OK;
	}
	j->wrong += sov_stream_destroy(j->stream) != SOV_OK;
	return NULL;
}

static void run(struct job jobs[THREADS], void *(*body)(void *))
{
	uint32_t i;

	memset(jobs, 0, THREADS * sizeof(*jobs));
	for (i = 0; i < THREADS; i++) {
		jobs[i].seed = (uint32_t)random_u64();
		pthread_create(&jobs[i].thread, NULL, body, &jobs[i]);
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(jobs[i].thread, NULL);
}

static bool all_right(const struct job jobs[THREADS])
{
	uint32_t i, right = 0, wrong = 0;

	for (i = 0; i < THREADS; i++) {
		right += jobs[i].right;
		wrong += jobs[i].wrong;
		if (*jobs[i].sentence)
			diag("thread %u: %s", i, jobs[i].sentence);
	}
	return right == THREADS * ROUNDS && !wrong;
}

static _Atomic uint32_t about_to_wait;

/* Waits for a gate that is never opened, until the context is destroyed or reset. After a reset a
 * late thread has nothing to wait for and returns immediately. */
static void *waits(void *arg)
{
	struct job *j = arg;
	sov_result r;

	about_to_wait++;
	r = sov_context_wait(shared_context, 60 * SECOND);
	j->cancelled = r == SOV_ERROR_CANCELLED;
	j->right = r == SOV_ERROR_CANCELLED || r == SOV_ERROR_INVALID_HANDLE || r == SOV_OK;
	snprintf(j->sentence, sizeof(j->sentence), "%s", sov_last_error());
	return NULL;
}

static void *works_on(void *arg)
{
	struct job *j = arg;
	sov_result r = SOV_OK;
	uint32_t i;

	for (i = 0; !r && i < 100000; i++) {
		sov_ptr p;

		r = sov_memory_alloc(shared_context, 4096, &p);
		if (!r)
			r = sov_memory_fill(shared_context, p, i, 4, 1024);
	}
	j->right = r == SOV_ERROR_CANCELLED || r == SOV_ERROR_INVALID_HANDLE ||
		   r == SOV_ERROR_OUT_OF_MEMORY;
	snprintf(j->sentence, sizeof(j->sentence), "%s", sov_last_error());
	return NULL;
}

static void while_threads_wait(sov_result (*take)(sov_context), const char *what)
{
	struct job jobs[THREADS] = {{0}};
	sov_function gate;
	bool destroy = take == sov_context_destroy;
	uint32_t i, right = 0, cancelled = 0;
	sov_stream s;
	sov_ptr p;

	about_to_wait = 0;
	shared_context = context_on("gh100.0", 0);
	gate = function_of(shared_context, PTX_GATE, "gate");
	MUST(sov_memory_alloc(shared_context, 4, &p));
	MUST(sov_memory_fill(shared_context, p, 0, 4, 1));
	MUST(sov_stream_create(shared_context, 0, &s));
	MUST(launch(gate, s, 1, 1, "88", ARGUMENTS(&p, &p)));
	for (i = 0; i < THREADS; i++)
		pthread_create(&jobs[i].thread, NULL, i % 2 && destroy ? works_on : waits,
			       &jobs[i]);
	while (about_to_wait < (destroy ? THREADS / 2 : THREADS))
		sched_yield();
	/* Lets the threads enter their calls. */
	ok(sov_stream_wait(s, SECOND / 10) == SOV_ERROR_TIMEOUT,
	   "a wait for a blocked kernel times out");
	MUST(take(shared_context));
	for (i = 0; i < THREADS; i++) {
		pthread_join(jobs[i].thread, NULL);
		right += jobs[i].right;
		cancelled += jobs[i].cancelled;
		if (!jobs[i].right)
			diag("thread %u: %s", i, jobs[i].sentence);
	}
	ok(right == THREADS && cancelled, "threads that wait in a context return when it is %s",
	   what);
}

static void *destroys(void *arg)
{
	struct job *j = arg;

	sov_result r;

	about_to_wait++;
	r = sov_stream_destroy(j->stream);
	j->right = r == SOV_ERROR_CANCELLED || r == SOV_OK; /* a late thread */
	return NULL;
}

/* The thread waits for the stream's endless kernel, which the reset stops. */
static void reset_while_destroying(void)
{
	struct job j = {0};
	sov_function gate;
	sov_stream s;
	sov_ptr p;

	shared_context = context_on("gh100.0", 0);
	gate = function_of(shared_context, PTX_GATE, "gate");
	MUST(sov_memory_alloc(shared_context, 4, &p));
	MUST(sov_memory_fill(shared_context, p, 0, 4, 1));
	MUST(sov_stream_create(shared_context, 0, &s));
	j.stream = s;
	about_to_wait = 0;
	MUST(launch(gate, s, 1, 1, "88", ARGUMENTS(&p, &p)));
	pthread_create(&j.thread, NULL, destroys, &j);
	while (!about_to_wait)
		sched_yield();
	ok(sov_stream_wait(s, SECOND / 10) == SOV_ERROR_TIMEOUT,
	   "a wait before the reset times out");
	good(sov_context_reset(shared_context), "a context is reset while a stream is destroyed");
	pthread_join(j.thread, NULL);
	ok(j.right, "a thread that destroys a stream returns when the context is reset");
	good(sov_memory_fill(shared_context, p, 1, 4, 1),
	     "a context works after a reset during sov_stream_destroy");
	MUST(sov_context_destroy(shared_context));
}

static void *own_error(void *arg)
{
	struct job *j = arg;

	sov_stream_wait(NULL, 0);
	j->right = strstr(sov_last_error(), "stream") != NULL;
	sov_module_load(shared_context, "x", 1, NULL, (sov_module *)&j->stream);
	j->right = j->right && strstr(sov_module_messages(), "ptx: 1:1");
	return NULL;
}

int main(void)
{
	struct job jobs[THREADS];
	uint32_t i, total = 0, right = 0;

	soft_gpus("gh100:vram=512M,ga100:vram=512M");
	random_seed();
	saxpy_text = read_file("tests/kernels/saxpy.ptx", &saxpy_bytes);

	run(jobs, own_context);
	ok(all_right(jobs), "%d threads with a context each, on two devices", THREADS);

	shared_context = context_on("gh100.0", 0);
	shared_add = function_of(shared_context, PTX_ADD, "add");
	MUST(sov_memory_alloc(shared_context, 4, &shared_word));
	MUST(sov_memory_fill(shared_context, shared_word, 0, 4, 1));
	run(jobs, own_stream);
	ok(all_right(jobs), "%d threads with a stream each in one context", THREADS);
	MUST(sov_memory_copy(shared_context, SOV_HOST(&total), shared_word, 4));
	ok(total == THREADS * ROUNDS, "threads of one context also share its first stream");

	is_str(sov_last_error(), "", "a thread does not see another thread's error");
	run(jobs, own_error);
	for (i = 0; i < THREADS; i++)
		right += jobs[i].right;
	ok(right == THREADS, "each thread has its own last error and messages");
	is_str(sov_last_error(), "", "the main thread has no error after others failed");
	MUST(sov_context_destroy(shared_context));

	while_threads_wait(sov_context_destroy, "destroyed");
	while_threads_wait(sov_context_reset, "reset");
	MUST(sov_context_destroy(shared_context));
	reset_while_destroying();
	free(saxpy_text);
	return tap_done();
}
