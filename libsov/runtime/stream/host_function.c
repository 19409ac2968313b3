/* SPDX-License-Identifier: MIT */
/*
 * Host functions in streams. One thread of the context runs them, as soon as everything before them
 * on their stream is done; the stream meanwhile waits for a semaphore that the thread then writes.
 * Any function whose turn has come may run next, so one that waits for another stream does not hold
 * that stream's up.
 */
#include <stdlib.h>
#include <time.h>
#include "libsov/runtime/runtime.h"
#include "libsov/runtime/trace/trace.h"

#define SHORTEST_REST 20000
#define LONGEST_REST  1000000

struct call {
	struct call *next;
	struct stream *stream; /* a reference */
	uint64_t number;       /* the piece that waits for it */
	uint64_t epoch;
	void (*function)(void *user);
	void *user;
	struct semaphore *semaphore; /* its own, also when it is spare */
	uint32_t value;
};

/* Made by the first call and kept until the context is freed, so that whoever has a reference to
 * the context may look at it. */
struct calls {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t some;
	struct call *first, **last, *spare;
	bool closing;
};

static bool is_void(const struct context *c, const struct call *k)
{
	return atomic_load_explicit(&c->epoch, memory_order_acquire) != k->epoch;
}

/* The stream goes on, and the call waits for another to need it. */
static void finish(struct calls *l, struct call *k)
{
	struct stream *s = k->stream;

	__atomic_store_n(k->semaphore->payload, k->value, __ATOMIC_RELEASE);
	pthread_mutex_lock(&l->lock);
	k->next = l->spare;
	l->spare = k;
	pthread_mutex_unlock(&l->lock);
	object_put(&s->member.object);
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
			finish(l, k);
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
static sov_result make_thread(struct context *c)
{
	struct calls *l = calloc(1, sizeof(*l));

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
}

void calls_free(struct context *c)
{
	struct calls *l = c->calls;
	struct call *k;

	if (!l)
		return;
	while ((k = l->spare)) {
		l->spare = k->next;
		free(k);
	}
	pthread_cond_destroy(&l->some);
	pthread_mutex_destroy(&l->lock);
	free(l);
}

bool calls_are_mine(struct context *c)
{
	struct calls *l;
	bool mine;

	pthread_mutex_lock(&c->lock);
	l = c->calls;
	mine = l && !c->closed && pthread_equal(l->thread, pthread_self());
	pthread_mutex_unlock(&c->lock);
	return mine;
}

/* ---- calling ---- */

static sov_result make_call(struct context *c, struct call **out)
{
	struct call *k = calloc(1, sizeof(*k));
	sov_result r;

	if (!k)
		return refuse(SOV_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a host function");
	pthread_mutex_lock(&c->lock);
	r = context_check(c);
	if (!r && !c->calls)
		r = make_thread(c);
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

/* One that was used before needs nothing more: then nobody waits for the context's lock. */
static sov_result take_call(struct context *c, struct call **out)
{
	struct calls *l = c->calls;

	*out = NULL;
	if (l) {
		pthread_mutex_lock(&l->lock);
		*out = l->spare;
		if (*out)
			l->spare = (*out)->next;
		pthread_mutex_unlock(&l->lock);
	}
	return *out ? SOV_OK : make_call(c, out);
}

/* false: the thread has gone meanwhile, with the context. */
static bool put(struct calls *l, struct call *k)
{
	bool open;

	pthread_mutex_lock(&l->lock);
	open = !l->closing;
	if (open) {
		k->next = NULL;
		*l->last = k;
		l->last = &k->next;
		pthread_cond_signal(&l->some);
	}
	pthread_mutex_unlock(&l->lock);
	return open;
}

sov_result stream_call(struct stream *s, void (*function)(void *user), void *user)
{
	struct context *c = s->member.context;
	struct call *k;
	struct slot slot;
	sov_result r = take_call(c, &k);

	if (r)
		return r;
	object_reference(&s->member.object);
	k->stream = s;
	k->function = function;
	k->user = user;
	r = semaphore_renew(c, k->semaphore);
	if (!r)
		r = stream_begin(s, ENGINE_COMPUTE, WORK_WAIT, &slot);
	if (r) {
		finish(c->calls, k);
		return r;
	}
	/* Inside the gate: a reset, which releases what was asked for, comes before or after. */
	k->value = ++k->semaphore->value;
	k->epoch = atomic_load_explicit(&c->epoch, memory_order_acquire);
	k->number = slot.number;
	c->gpu->acquire(&slot.push, k->semaphore->va, k->value);
	stream_submit(s, &slot);
	if (!put(c->calls, k))
		finish(c->calls, k);
	return SOV_OK;
}

sov_result sov_stream_host_function(sov_stream stream, void (*function)(void *user), void *user)
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
