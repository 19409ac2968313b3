/* SPDX-License-Identifier: MIT */
/*
 * Waiting for the GPU. What is waited for is a number in memory that the GPU writes. Most waits are
 * short, so the number is first looked at again and again, with no lock and no clock. A longer wait
 * takes the context's lock between two rests and then also sees what went wrong: the group's
 * errors, kernels past their limit, a context that was reset or destroyed. A rest ends by an
 * interrupt, if one comes, and never lasts longer than an eighth of the wait so far.
 */
#include <errno.h>
#include <time.h>
#include "libsov/runtime/runtime.h"

/* Looks before anything else: some 50 us, at 40 ns each on x86 and 15 on Arm. A software GPU needs
 * the CPU for other things. */
#if defined(__x86_64__)
#define LOOK_NS 40
#else
#define LOOK_NS 15
#endif
#define LOOKS          (50000 / LOOK_NS)
#define SOFTWARE_LOOKS 50
#define SHORT_WAIT     UINT64_C(50000)
#define SHORTEST_REST  UINT64_C(20000)
#define LONGEST_REST   UINT64_C(1000000)

uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

sov_result check_limit(uint64_t limit)
{
	if (limit > SOV_MAX_WAIT)
		return refuse(SOV_ERROR_INVALID_ARGUMENT,
			      "a limit of %llu ns is longer than SOV_MAX_WAIT, one hour; wait "
			      "several times",
			      (unsigned long long)limit);
	return SOV_OK;
}

static void relax(void)
{
#if defined(__x86_64__)
	__asm__ volatile("pause" ::: "memory");
#elif defined(__aarch64__)
	__asm__ volatile("isb" ::: "memory"); /* yield does nothing on most */
#endif
}

/* With the lock held, which is let go meanwhile. */
static void rest(struct context *c, uint32_t *seen, uint64_t waited)
{
	uint64_t time = waited / 8;
	uint32_t i;

	if (time < SHORTEST_REST)
		time = SHORTEST_REST;
	if (time > LONGEST_REST)
		time = LONGEST_REST;
	pthread_mutex_unlock(&c->lock);
	if (!c->device->info.software && waited < SHORT_WAIT) {
		for (i = 0; i < 20; i++)
			relax();
	} else if (gate_enter(&c->resting)) {
		c->winsys->wait(c->group, seen, time);
		gate_leave(&c->resting);
	}
	pthread_mutex_lock(&c->lock);
}

/* epoch: what the context's was when the caller learned what to wait for. */
static sov_result block(struct context *c, bool (*ready)(void *arg), void *arg, uint64_t limit,
			uint64_t epoch)
{
	uint64_t start = now_ns(), waited = 0;
	uint32_t seen = 0;

	for (;; waited = now_ns() - start) {
		sov_result r = context_check(c);
		bool done;

		if (!r && c->epoch != epoch)
			return refuse(SOV_ERROR_CANCELLED,
				      "another thread reset the context meanwhile");
		done = r || ready(arg);
		services_read(c); /* when it is done, all that was printed before */
		if (done)
			return r;
		if (!limit)
			return SOV_NOT_READY;
		if (waited >= limit)
			return refuse(SOV_ERROR_TIMEOUT,
				      "not finished after %llu.%06llu ms; the work goes on",
				      (unsigned long long)(limit / 1000000),
				      (unsigned long long)(limit % 1000000));
		rest(c, &seen, waited);
	}
}

sov_result context_block(struct context *c, bool (*ready)(void *arg), void *arg, uint64_t limit)
{
	return block(c, ready, arg, limit, c->epoch);
}

/* ---- semaphores ---- */

struct target {
	const struct semaphore *semaphore;
	uint32_t value;
};

static bool target_reached(void *arg)
{
	const struct target *t = arg;

	return semaphore_reached(t->semaphore, t->value);
}

sov_result semaphore_wait(struct context *c, const struct semaphore *s, uint32_t value,
			  uint64_t limit, struct stream *waker)
{
	uint64_t looks = c->device->info.software ? SOFTWARE_LOOKS : LOOKS;
	uint64_t epoch = atomic_load_explicit(&c->epoch, memory_order_acquire);
	struct target t = {s, value};
	uint64_t alarm;
	sov_result r;

	if (looks > limit / LOOK_NS)
		looks = limit / LOOK_NS + 1;
	while (!semaphore_reached(s, value) && --looks)
		relax();
	/* After a reset, which counts epochs before it releases what will not come, the number says
	 * nothing. */
	if (looks && !atomic_load_explicit(&c->error, memory_order_relaxed) &&
	    atomic_load_explicit(&c->epoch, memory_order_relaxed) == epoch) {
		services_read(c);
		return SOV_OK;
	}
	alarm = limit && waker ? stream_alarm(waker) : 0;
	/* Nothing came between: then the wait is for both, and the stream is idle afterwards. */
	if (alarm && (uint32_t)alarm - 1 == value)
		t.value++;
	pthread_mutex_lock(&c->lock);
	r = block(c, target_reached, &t, limit, epoch);
	pthread_mutex_unlock(&c->lock);
	return r;
}

/* ---- everything ---- */

/* Streams are waited for one by one, in the order of the list, which is that of their age. */
struct drain {
	struct context *context;
	uint64_t youngest;
	uint64_t serial, number; /* the stream waited for, and how far it has to come */
};

static struct stream *stream_of(struct link *l)
{
	return (struct stream *)((char *)l - offsetof(struct stream, member.link));
}

static bool drained(void *arg)
{
	struct drain *d = arg;
	struct link *l;

	for (l = d->context->streams.next; l != &d->context->streams; l = l->next) {
		struct stream *s = stream_of(l);

		if (s->serial < d->serial)
			continue;
		if (s->serial > d->youngest)
			break;
		if (s->serial > d->serial) {
			d->serial = s->serial;
			d->number = stream_last(s);
		}
		if (stream_poll(s) < d->number)
			return false;
	}
	return true;
}

sov_result context_drain(struct context *c, uint64_t limit)
{
	struct drain d = {.context = c, .youngest = c->stream_serial};
	struct link *l;

	if (limit && !c->error && !drained(&d)) {
		for (l = c->streams.next; l != &c->streams; l = l->next)
			if (stream_poll(stream_of(l)) != stream_last(stream_of(l)))
				stream_alarm(stream_of(l));
		d.serial = 0; /* for the alarms too */
	}
	return context_block(c, drained, &d, limit);
}

/* Whoever began to submit before is done with that afterwards, and whoever begins later sees what
 * was written before. */
static void pass_gates(struct context *c)
{
	struct link *l;

	for (l = c->streams.next; l != &c->streams; l = l->next) {
		struct stream *s = stream_of(l);

		if (!gate_closed(&s->gate)) {
			gate_close(&s->gate);
			gate_open(&s->gate);
		}
	}
}

sov_result context_drain_to_free(struct context *c, bool *keep)
{
	sov_result r;

	pass_gates(c);
	r = c->error ? refuse(c->error, "%s", c->sentence) : context_drain(c, SOV_MAX_WAIT);
	*keep = r == SOV_ERROR_TIMEOUT || c->closed;
	return r;
}

/* ---- nothing runs ---- */

static void close_all(struct context *c)
{
	struct link *l;

	for (l = c->streams.next; l != &c->streams; l = l->next)
		gate_close(&stream_of(l)->gate);
}

/* On a failed context they stay closed. */
static void open_all(struct context *c)
{
	struct link *l;

	for (l = c->streams.next; c->group && l != &c->streams; l = l->next)
		if (!stream_of(l)->closed)
			gate_open(&stream_of(l)->gate);
}

static bool settled(void *arg)
{
	struct context *c = arg;
	struct link *l;

	for (l = c->streams.next; l != &c->streams; l = l->next)
		if (stream_poll(stream_of(l)) != stream_last(stream_of(l)))
			return false;
	return true;
}

sov_result context_settle(struct context *c, bool (*needed)(struct context *c, void *arg),
			  sov_result (*act)(struct context *c, void *arg), void *arg)
{
	sov_result r;

	pthread_mutex_lock(&c->lock);
	r = context_check(c);
	while (!r && needed(c, arg)) {
		/* Again after each wait, which lets go of the lock: there may be new streams. */
		close_all(c);
		if (settled(c)) {
			r = act(c, arg);
			break;
		}
		r = context_block(c, settled, c, SOV_MAX_WAIT);
	}
	open_all(c);
	pthread_mutex_unlock(&c->lock);
	return r;
}
