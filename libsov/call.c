/* SPDX-License-Identifier: MIT */
/*
 * Host functions in streams. One thread of the context runs them, as soon as everything before them
 * on their stream is done; the stream meanwhile waits for a semaphore that the thread then writes.
 * Any function whose turn has come may run next, so one that waits for another stream does not hold
 * that stream's up.
 */
#include <stdlib.h>
#include <time.h>
#include "libsov/runtime.h"
#include "libsov/trace.h"

#define SHORTEST_REST 20000
#define LONGEST_REST  1000000

struct call {
	struct call *next;
	struct stream *stream; /* a reference */
	uint64_t number;       /* the piece that waits for it */
	uint64_t epoch;
	void (*function)(void *user);
	void *user;
	struct semaphore *semaphore;
	uint32_t value;
};

struct calls {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t some;
	struct call *first, **last;
	bool closing;
};

static bool is_void(const struct context *c, const struct call *k)
{
	return atomic_load_explicit(&c->epoch, memory_order_acquire) != k->epoch;
}

static void finish(struct context *c, struct call *k)
{
	__atomic_store_n(k->semaphore->payload, k->value, __ATOMIC_RELEASE);
	pthread_mutex_lock(&c->lock);
	semaphore_destroy(c, k->semaphore);
	pthread_mutex_unlock(&c->lock);
	object_put(&k->stream->member.object);
	free(k);
}

/* Takes the first whose turn has come, or that nobody waits for any more; NULL: none. */
static struct call *take(struct context *c, struct calls *l)
{
	struct call **p, *k;

	for (p = &l->first; (k = *p); p = &k->next)
		if (l->closing || is_void(c, k) || stream_poll(k->stream) + 1 >= k->number) {
			*p = k->next;
			if (l->last == &k->next)
				l->last = p;
			return k;
		}
	return NULL;
}

static void run_function(const struct call *k)
{
	uint64_t from = tracing() ? now_ns() : 0;

	k->function(k->user);
	if (from)
		trace_function(from, now_ns());
}

static void *run(void *arg)
{
	struct context *c = arg;
	struct calls *l = c->calls;
	long rest = SHORTEST_REST;

	pthread_mutex_lock(&l->lock);
	while (!l->closing || l->first) {
		struct call *k = take(c, l);

		if (k) {
			bool drop = l->closing || is_void(c, k);

			pthread_mutex_unlock(&l->lock);
			if (!drop)
				run_function(k);
			finish(c, k);
			pthread_mutex_lock(&l->lock);
			rest = SHORTEST_REST;
		} else if (!l->first) {
			pthread_cond_wait(&l->some, &l->lock);
		} else {
			struct timespec t = {.tv_nsec = rest};

			pthread_mutex_unlock(&l->lock);
			nanosleep(&t, NULL);
			pthread_mutex_lock(&l->lock);
			rest = rest < LONGEST_REST / 2 ? 2 * rest : LONGEST_REST;
		}
	}
	pthread_mutex_unlock(&l->lock);
	return NULL;
}

/* With the context's lock held. */
static sov_result need_thread(struct context *c)
{
	struct calls *l;

	if (c->calls)
		return SOV_OK;
	l = calloc(1, sizeof(*l));
	if (!l)
		return refuse(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for host functions");
	l->last = &l->first;
	pthread_mutex_init(&l->lock, NULL);
	pthread_cond_init(&l->some, NULL);
	c->calls = l;
	if (pthread_create(&l->thread, NULL, run, c)) {
		c->calls = NULL;
		pthread_cond_destroy(&l->some);
		pthread_mutex_destroy(&l->lock);
		free(l);
		return refuse(SOV_ERROR_OUT_OF_HOST_MEMORY, "no thread for host functions");
	}
	return SOV_OK;
}

void calls_close(struct context *c)
{
	struct calls *l = c->calls;

	if (!l)
		return;
	pthread_mutex_lock(&l->lock);
	l->closing = true;
	pthread_cond_signal(&l->some);
	pthread_mutex_unlock(&l->lock);
	pthread_join(l->thread, NULL);
	pthread_cond_destroy(&l->some);
	pthread_mutex_destroy(&l->lock);
	free(l);
	c->calls = NULL;
}

static void put(struct calls *l, struct call *k)
{
	pthread_mutex_lock(&l->lock);
	k->next = NULL;
	*l->last = k;
	l->last = &k->next;
	pthread_cond_signal(&l->some);
	pthread_mutex_unlock(&l->lock);
}

sov_result stream_call(struct stream *s, void (*function)(void *user), void *user)
{
	struct context *c = s->member.context;
	struct call *k = calloc(1, sizeof(*k));
	struct slot slot;
	sov_result r;

	if (!k)
		return refuse(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a host function");
	pthread_mutex_lock(&c->lock);
	r = context_check(c);
	if (!r)
		r = need_thread(c);
	if (!r)
		r = semaphore_create(c, &k->semaphore);
	k->epoch = c->epoch;
	pthread_mutex_unlock(&c->lock);
	if (r) {
		free(k);
		return r;
	}
	object_reference(&s->member.object);
	k->stream = s;
	k->function = function;
	k->user = user;
	k->value = ++k->semaphore->value;
	r = stream_begin(s, ENGINE_COMPUTE, WORK_WAIT, &slot);
	if (r) {
		finish(c, k);
		return r;
	}
	k->number = slot.number;
	nv_push_acquire(&slot.push, k->semaphore->va, k->value);
	stream_submit(s, &slot);
	put(c->calls, k);
	return SOV_OK;
}

sov_result sov_stream_call(sov_stream stream, void (*function)(void *user), void *user)
{
	struct stream *s;
	sov_result r;

	if (!function)
		return refuse(SOV_ERROR_INVALID_ARGUMENT, "function is NULL");
	s = object_get(stream, OBJECT_STREAM);
	if (!s)
		return SOV_ERROR_INVALID_HANDLE;
	r = graph_capturing(s) ? graph_capture_call(s, function, user)
			       : stream_call(s, function, user);
	object_put(&s->member.object);
	return r;
}
