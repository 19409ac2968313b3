// SPDX-License-Identifier: MIT
/*
 * Host functions in streams. One thread per context runs them. A function's stream waits for a
 * semaphore that the thread releases from the CPU when the function has returned. The thread runs
 * any function whose earlier work is complete, so that a function which waits for another stream
 * does not block that stream's functions.
 */
#include <stdlib.h>
#include <time.h>
#include "libsov/runtime/base/api_calls.h"
#include "libsov/runtime/base/clock.h"
#include "libsov/runtime/base/error.h"
#include "libsov/runtime/stream/host_function.h"
#include "libsov/runtime/stream/stream.h"
#include "libsov/runtime/trace/trace_ring.h"

#define MIN_SLEEP_NS 20000
#define MAX_SLEEP_NS 1000000

struct host_call {
	struct host_call *next;
	struct stream *stream; /* a reference */
	uint64_t seqno;        /* the submission that waits for the function */
	uint64_t epoch;
	void (*function)(void *user);
	void *user;
	struct semaphore *semaphore; /* kept for the next use */
	uint32_t value;
};

/* Created by the first call and freed with the context, so that every holder of a context reference
 * may use it. */
struct host_functions {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t not_empty;
	pthread_cond_t finished; /* a call */
	struct host_call *first, **last, *spare;
	void (*running)(void *user); /* NULL: none */
	bool closing;
};

static bool host_call_is_void(const struct context *c, const struct host_call *k)
{
	return atomic_load_explicit(&c->epoch, memory_order_acquire) != k->epoch;
}

/* Lets the stream continue and keeps the call for reuse. */
static void host_call_finish(struct host_functions *l, struct host_call *k)
{
	struct stream *s = k->stream;

	__atomic_store_n(k->semaphore->payload, k->value, __ATOMIC_RELEASE);
	pthread_mutex_lock(&l->lock);
	k->next = l->spare;
	l->spare = k;
	pthread_mutex_unlock(&l->lock);
	object_put(&s->member.object);
}

/* Takes the first call whose earlier work is complete or whose context was reset; NULL: none. */
static struct host_call *host_call_take(struct context *c, struct host_functions *l)
{
	struct host_call **p, *k;

	for (p = &l->first; (k = *p); p = &k->next)
		if (l->closing || host_call_is_void(c, k) ||
		    stream_poll(k->stream) + 1 >= k->seqno) {
			*p = k->next;
			if (l->last == &k->next)
				l->last = p;
			return k;
		}
	return NULL;
}

static void host_call_run(const struct host_call *k)
{
	uint64_t from = tracing() ? now_ns() : 0;

	k->function(k->user);
	if (from)
		trace_host_function(from, now_ns());
}

static void *host_functions_thread(void *arg)
{
	struct context *c = arg;
	struct host_functions *l = c->host_functions;
	long sleep_ns = MIN_SLEEP_NS;

	pthread_mutex_lock(&l->lock);
	while (!l->closing || l->first) {
		struct host_call *k = host_call_take(c, l);

		if (k) {
			bool drop = l->closing || host_call_is_void(c, k);

			l->running = drop ? NULL : k->function;
			pthread_mutex_unlock(&l->lock);
			if (!drop)
				host_call_run(k);
			pthread_mutex_lock(&l->lock);
			l->running = NULL;
			pthread_cond_broadcast(&l->finished);
			pthread_mutex_unlock(&l->lock);
			host_call_finish(l, k);
			pthread_mutex_lock(&l->lock);
			sleep_ns = MIN_SLEEP_NS;
		} else if (!l->first) {
			pthread_cond_wait(&l->not_empty, &l->lock);
		} else {
			struct timespec t = {.tv_nsec = sleep_ns};

			pthread_mutex_unlock(&l->lock);
			nanosleep(&t, NULL);
			pthread_mutex_lock(&l->lock);
			sleep_ns = sleep_ns < MAX_SLEEP_NS / 2 ? 2 * sleep_ns : MAX_SLEEP_NS;
		}
	}
	pthread_mutex_unlock(&l->lock);
	return NULL;
}

/* With the context's lock held. */
static sov_result host_functions_start(struct context *c)
{
	struct host_functions *l = calloc(1, sizeof(*l));

	if (!l)
		return set_error(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for host functions");
	l->last = &l->first;
	pthread_mutex_init(&l->lock, NULL);
	pthread_cond_init(&l->not_empty, NULL);
	pthread_cond_init(&l->finished, NULL);
	c->host_functions = l;
	if (pthread_create(&l->thread, NULL, host_functions_thread, c)) {
		c->host_functions = NULL;
		pthread_cond_destroy(&l->not_empty);
		pthread_cond_destroy(&l->finished);
		pthread_mutex_destroy(&l->lock);
		free(l);
		return set_error(SOV_ERROR_OUT_OF_HOST_MEMORY, "no thread for host functions");
	}
	return SOV_OK;
}

static void host_functions_close(struct context *c)
{
	struct host_functions *l = c->host_functions;

	if (!l)
		return;
	pthread_mutex_lock(&l->lock);
	l->closing = true;
	pthread_cond_signal(&l->not_empty);
	pthread_mutex_unlock(&l->lock);
	pthread_join(l->thread, NULL);
}

static void host_functions_destroy(struct context *c)
{
	struct host_functions *l = c->host_functions;
	struct host_call *k;

	if (!l)
		return;
	while ((k = l->spare)) {
		l->spare = k->next;
		free(k);
	}
	pthread_cond_destroy(&l->not_empty);
	pthread_cond_destroy(&l->finished);
	pthread_mutex_destroy(&l->lock);
	free(l);
}

void host_functions_finish(struct context *c, void (*function)(void *user))
{
	struct host_functions *l = c->host_functions;

	if (!l || pthread_equal(l->thread, pthread_self()))
		return;
	pthread_mutex_lock(&l->lock);
	while (l->running == function)
		pthread_cond_wait(&l->finished, &l->lock);
	pthread_mutex_unlock(&l->lock);
}

bool host_functions_on_this_thread(struct context *c)
{
	struct host_functions *l;
	bool mine;

	pthread_mutex_lock(&c->lock);
	l = c->host_functions;
	mine = l && !c->closed && pthread_equal(l->thread, pthread_self());
	pthread_mutex_unlock(&c->lock);
	return mine;
}

/* ---- submitting host functions ---- */

static sov_result host_call_new(struct context *c, struct host_call **out)
{
	struct host_call *k = calloc(1, sizeof(*k));
	sov_result r;

	if (!k)
		return set_error(SOV_ERROR_OUT_OF_HOST_MEMORY,
				 "no host memory for a host function");
	pthread_mutex_lock(&c->lock);
	r = context_check(c);
	if (!r && !c->host_functions)
		r = host_functions_start(c);
	if (!r)
		r = semaphore_create(c, &k->semaphore);
	if (!r)
		k->value = k->semaphore->value;
	pthread_mutex_unlock(&c->lock);
	if (r)
		free(k);
	else
		*out = k;
	return r;
}

/* A reused call has its semaphore already and does not need the context's lock. */
static sov_result host_call_get(struct context *c, struct host_call **out)
{
	struct host_functions *l = c->host_functions;

	*out = NULL;
	if (l) {
		pthread_mutex_lock(&l->lock);
		*out = l->spare;
		if (*out)
			l->spare = (*out)->next;
		pthread_mutex_unlock(&l->lock);
	}
	return *out ? SOV_OK : host_call_new(c, out);
}

/* false: the context is being destroyed and its thread has ended. */
static bool host_call_queue(struct host_functions *l, struct host_call *k)
{
	bool open;

	pthread_mutex_lock(&l->lock);
	open = !l->closing;
	if (open) {
		k->next = NULL;
		*l->last = k;
		l->last = &k->next;
		pthread_cond_signal(&l->not_empty);
	}
	pthread_mutex_unlock(&l->lock);
	return open;
}

sov_result stream_host_function(struct stream *s, void (*function)(void *user), void *user)
{
	struct context *c = s->member.context;
	struct host_call *k;
	struct slot slot;
	sov_result r = host_call_get(c, &k);

	if (r)
		return r;
	object_reference(&s->member.object);
	k->stream = s;
	k->function = function;
	k->user = user;
	r = semaphore_prepare_next(c, k->semaphore);
	if (!r)
		r = stream_begin(s, ENGINE_COMPUTE, WORK_WAIT, &slot);
	if (r) {
		host_call_finish(c->host_functions, k);
		return r;
	}
	/* Inside the gate, hence atomic with respect to a reset, which releases all values up to
	 * semaphore->value. */
	k->value = ++k->semaphore->value;
	k->epoch = atomic_load_explicit(&c->epoch, memory_order_acquire);
	k->seqno = slot.seqno;
	c->gpu->acquire(&slot.push, k->semaphore->va, k->value);
	stream_submit(s, &slot);
	if (!host_call_queue(c->host_functions, k))
		host_call_finish(c->host_functions, k);
	return SOV_OK;
}

sov_result api_stream_host_function(sov_stream stream, void (*function)(void *user), void *user)
{
	struct stream *s;
	sov_result r;

	if (!function)
		return set_error(SOV_ERROR_INVALID_ARGUMENT, "function is NULL");
	s = object_get(stream, OBJECT_STREAM);
	if (!s)
		return SOV_ERROR_INVALID_HANDLE;
	r = stream_captured(s) ? stream_capture(s)->host_function(s, function, user)
			       : stream_host_function(s, function, user);
	object_put(&s->member.object);
	return r;
}

const struct context_part host_function_part = {
	.close = host_functions_close,
	.destroy = host_functions_destroy,
};
