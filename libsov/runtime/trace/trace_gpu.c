/* SPDX-License-Identifier: MIT */
/*
 * What the GPU did, and when. A traced piece of work has two more semaphore releases with time
 * stamps: one before its methods, which the queue comes to when the piece before is done, and one
 * behind, which it comes to when this one is. Both are written to a line of the stream's own in
 * system memory, one for each slot. Whoever uses a slot again, and the thread that writes the
 * trace, turn the line into an event.
 *
 * GPUs have clocks of their own. At the start and then every second both clocks are read, one
 * between two looks at the other; between two such pairs time is a straight line.
 */
#include <sched.h>
#include <stdlib.h>
#include "libsov/runtime/trace/trace.h"

#define MOST_DEVICES 64u
#define STAMP_BYTES  16u /* a release with its time */
#define LINE_BYTES   64u
#define CLOCK_TRIES  16u
#define CLOCK_EVERY  UINT64_C(1000000000)
#define LATE_NS      UINT64_C(1000000) /* how long a stamp may be behind its piece's number */

enum state { EMPTY, FILLING, WAITING, TAKEN };

struct trace_piece {
	_Atomic enum state state;
	uint32_t payload; /* the low half of its number: what both stamps become */
	struct trace_event event;
};

struct trace_stream {
	struct trace_stream *next;
	struct context *context;
	uint64_t context_number;
	uint32_t device, track;
	bool named;
	struct buffer *stamps;
	struct trace_piece pieces[STREAM_SLOTS];
};

struct moment {
	uint64_t host, gpu, window; /* the host's clock is off by half of the window at most */
};

static struct {
	pthread_mutex_t lock; /* innermost of all, but for those inside the way to the GPU */
	struct trace_stream *streams;
	uint64_t contexts;
	uint32_t tracks, device_count;
	struct {
		struct device *device;
		struct moment from, to; /* the straight line; from.gpu 0: not known */
	} devices[MOST_DEVICES];
} gpu = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Atomic uint64_t numbers;

/* ---- clocks ---- */

static bool read_clocks(const struct device *d, struct moment *out)
{
	uint32_t i;

	out->window = UINT64_MAX;
	for (i = 0; i < CLOCK_TRIES; i++) {
		uint64_t before = now_ns(), now = d->winsys->gpu_time(d->way), window;

		window = now_ns() - before;
		if (now && window < out->window)
			*out = (struct moment){before + window / 2, now, window};
	}
	return out->window != UINT64_MAX;
}

static void tell_clock(uint32_t device, const struct moment *m)
{
	trace_file_clock(device, m->host, m->gpu, m->window);
}

/* By the thread that writes. The lock is not held while clocks are read: devices stay. */
void trace_gpu_clocks(void)
{
	uint32_t i, count;

	pthread_mutex_lock(&gpu.lock);
	count = gpu.device_count;
	pthread_mutex_unlock(&gpu.lock);
	for (i = 0; i < count; i++) {
		struct moment now, *from = &gpu.devices[i].from, *to = &gpu.devices[i].to;

		if (from->gpu && now_ns() - to->host < CLOCK_EVERY)
			continue;
		if (!read_clocks(gpu.devices[i].device, &now))
			continue;
		if (!from->gpu)
			trace_file_device(i, gpu.devices[i].device->properties.name);
		*from = from->gpu ? *to : now;
		*to = now;
		tell_clock(i, &now);
	}
}

bool trace_gpu_time(uint32_t device, uint64_t time, uint64_t *host)
{
	const struct moment *from = &gpu.devices[device].from, *to = &gpu.devices[device].to;
	int64_t since = (int64_t)(time - from->gpu);
	double drift = 0;

	if (!from->gpu)
		return false;
	if (to->gpu > from->gpu)
		drift = ((double)(to->host - from->host) - (double)(to->gpu - from->gpu)) /
			(double)(to->gpu - from->gpu);
	*host = from->host + (uint64_t)(since + (int64_t)((double)since * drift));
	return true;
}

/* With the lock held. */
static bool device_number(struct device *d, uint32_t *number)
{
	for (*number = 0; *number < gpu.device_count; ++*number)
		if (gpu.devices[*number].device == d)
			return true;
	if (gpu.device_count == MOST_DEVICES)
		return false;
	gpu.devices[gpu.device_count++].device = d;
	return true;
}

/* ---- streams ---- */

static uint64_t context_number(const struct context *c)
{
	const struct trace_stream *t;

	for (t = gpu.streams; t; t = t->next)
		if (t->context == c)
			return t->context_number;
	return ++gpu.contexts;
}

void trace_stream_create(struct stream *s)
{
	struct context *c = s->member.context;
	struct trace_stream *t = calloc(1, sizeof(*t));

	if (!t ||
	    buffer_create_mapped(c, WINSYS_SYSTEM, true, STREAM_SLOTS * LINE_BYTES, &t->stamps)) {
		free(t);
		return;
	}
	memset(t->stamps->cpu, 0, STREAM_SLOTS * LINE_BYTES);
	t->context = c;
	pthread_mutex_lock(&gpu.lock);
	if (device_number(c->device, &t->device)) {
		t->context_number = context_number(c);
		t->track = ++gpu.tracks;
		t->next = gpu.streams;
		gpu.streams = t;
		s->trace = t;
	}
	pthread_mutex_unlock(&gpu.lock);
	if (s->trace)
		return;
	buffer_destroy(c, t->stamps);
	free(t);
}

void trace_stream_destroy(struct stream *s)
{
	struct trace_stream *t = s->trace, **p;

	if (!t)
		return;
	pthread_mutex_lock(&gpu.lock);
	for (p = &gpu.streams; *p != t; p = &(*p)->next)
		;
	*p = t->next;
	pthread_mutex_unlock(&gpu.lock);
	buffer_destroy(s->member.context, t->stamps);
	free(t);
	s->trace = NULL;
}

/* ---- pieces ---- */

static uint64_t line_offset(const struct trace_stream *t, const struct trace_piece *p)
{
	return (uint64_t)(p - t->pieces) * LINE_BYTES;
}

/* The stamp's time, if the GPU has been there. */
static bool stamped(const struct trace_stream *t, const struct trace_piece *p, uint32_t which,
		    uint64_t *time)
{
	const uint8_t *at =
		(const uint8_t *)t->stamps->cpu + line_offset(t, p) + which * STAMP_BYTES;

	if (__atomic_load_n((const uint32_t *)at, __ATOMIC_ACQUIRE) != p->payload)
		return false;
	*time = t->context->gpu->ticks_to_ns(
		t->context->chip,
		__atomic_load_n((const uint64_t *)(at + GPU_TIMESTAMP_OFFSET), __ATOMIC_RELAXED));
	return true;
}

enum taking { DONE, DONE_OR_LOST, ALL };

/*
 * Makes an event of a piece that waits, if the GPU is done with it; ALL: also if it is not, as cut.
 * Whoever finds another thread at it waits for the few instructions that this takes.
 */
static void take(struct trace_stream *t, struct trace_piece *p, enum taking what,
		 void (*put)(const struct trace_event *e))
{
	enum state state = WAITING;
	struct trace_event e;
	bool began, ended;

	if (what == DONE && !stamped(t, p, 1, &e.end))
		return;
	if (!atomic_compare_exchange_strong(&p->state, &state, TAKEN)) {
		while (atomic_load(&p->state) == TAKEN)
			sched_yield();
		return;
	}
	e = p->event;
	began = stamped(t, p, 0, &e.start);
	ended = stamped(t, p, 1, &e.end);
	if (!ended && what == ALL && began) {
		e.gpu.cut = true;
		e.end = t->context->device->winsys->gpu_time(t->context->device->way);
		ended = e.end > e.start;
	}
	atomic_store(&p->state, EMPTY);
	if (began && ended)
		put(&e);
}

/* The stamp comes right behind the number by which the slot was found to be free. */
static void make_room(struct trace_stream *t, struct trace_piece *p)
{
	uint64_t since, time;

	if (atomic_load(&p->state) == EMPTY)
		return;
	since = now_ns();
	while (!stamped(t, p, 1, &time) && now_ns() - since < LATE_NS)
		sched_yield();
	take(t, p, DONE_OR_LOST, trace_put);
}

static void name_track(struct stream *s, struct trace_stream *t)
{
	if (__atomic_exchange_n(&t->named, true, __ATOMIC_RELAXED))
		return;
	trace_file_track(t->device, t->track, t->context_number, s->serial);
}

/* ---- names ---- */

/* Kernels' names outlive their modules: each is kept once. */
struct name {
	struct name *next;
	char text[];
};
#define NAME_LISTS 64u

static struct {
	pthread_mutex_t lock;
	struct name *lists[NAME_LISTS];
} names = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const char *keep(const char *text)
{
	uint32_t hash = 0;
	struct name **list, *n;
	const char *p;

	for (p = text; *p; p++)
		hash = hash * 31 + (uint8_t)*p;
	list = &names.lists[hash % NAME_LISTS];
	pthread_mutex_lock(&names.lock);
	for (n = *list; n && strcmp(n->text, text); n = n->next)
		;
	if (!n && (n = malloc(sizeof(*n) + strlen(text) + 1))) {
		strcpy(n->text, text);
		n->next = *list;
		*list = n;
	}
	pthread_mutex_unlock(&names.lock);
	return n ? n->text : "a kernel";
}

/* ---- hooks ---- */

static const char *const copy_names[] = {
	[TRACE_COPY_IN] = "copy in",
	[TRACE_COPY_OUT] = "copy out",
	[TRACE_COPY_ACROSS] = "copy across",
	[TRACE_FILL] = "fill",
};

static void describe(struct trace_event *e, const struct slot *slot, enum work kind,
		     const struct function *f)
{
	struct trace_gpu_work *g = &e->gpu;

	if (kind == WORK_GRAPH) {
		g->work = TRACE_GRAPH;
		e->name = "graph";
	} else if (kind == WORK_COPY || trace_expected.bytes) {
		g->work = trace_expected.work;
		e->name = copy_names[g->work];
		g->by = kind == WORK_KERNEL                  ? "kernel"
			: slot->piece->engine == ENGINE_COPY ? "engine"
							     : "methods";
	} else {
		g->work = TRACE_KERNEL;
		e->name = keep(f->kernel->name);
	}
	g->bytes = trace_expected.bytes;
	trace_expected.bytes = 0;
}

void trace_piece_begin(struct stream *s, struct slot *slot, enum work kind,
		       const struct function *f)
{
	struct trace_stream *t = s->trace;
	struct trace_piece *p;

	if (!t || (kind != WORK_KERNEL && kind != WORK_COPY && kind != WORK_GRAPH))
		return;
	p = &t->pieces[slot->number % STREAM_SLOTS];
	make_room(t, p);
	atomic_store(&p->state, FILLING);
	name_track(s, t);
	p->payload = (uint32_t)slot->number;
	p->event = (struct trace_event){
		.kind = TRACE_GPU,
		.thread = trace_thread(),
		.gpu = {.device = t->device,
			.track = t->track,
			.number = atomic_fetch_add(&numbers, 1) + 1,
			.submitted = now_ns()},
	};
	describe(&p->event, slot, kind, f);
	slot->traced = p;
	s->member.context->gpu->release(&slot->push, t->stamps->va + line_offset(t, p), p->payload,
					GPU_RELEASE_TIMESTAMP | GPU_RELEASE_NO_WAIT);
}

void trace_piece_shape(struct slot *slot, const sov_launch *l)
{
	struct trace_gpu_work *g = &slot->traced->event.gpu;

	memcpy(g->grid, l->grid, sizeof(g->grid));
	memcpy(g->block, l->block, sizeof(g->block));
	g->shared = l->shared_bytes;
}

void trace_piece_end(struct stream *s, struct slot *slot, bool released)
{
	const struct context *c = s->member.context;
	struct trace_stream *t = s->trace;
	struct trace_piece *p = slot->traced;

	/* What releases its number by itself is done when it has. A ring that releases it does so behind all this. */
	if (c->gpu->write_ring_entry)
		released = true;
	if (!released)
		c->gpu->acquire(&slot->push, s->done->va, (uint32_t)slot->number);
	c->gpu->release(&slot->push, t->stamps->va + line_offset(t, p) + STAMP_BYTES, p->payload,
			GPU_RELEASE_TIMESTAMP | (c->gpu->write_ring_entry ? 0 : GPU_RELEASE_NO_WAIT));
	atomic_store(&p->state, WAITING);
}

void trace_stream_stop(struct stream *s)
{
	uint32_t i;

	for (i = 0; s->trace && i < STREAM_SLOTS; i++)
		if (atomic_load(&s->trace->pieces[i].state) == WAITING)
			take(s->trace, &s->trace->pieces[i], ALL, trace_put);
}

void trace_gpu_collect(void (*put)(const struct trace_event *e), bool finish)
{
	struct trace_stream *t;
	uint32_t i;

	pthread_mutex_lock(&gpu.lock);
	for (t = gpu.streams; t; t = t->next)
		for (i = 0; i < STREAM_SLOTS; i++)
			if (atomic_load_explicit(&t->pieces[i].state, memory_order_acquire) ==
			    WAITING)
				take(t, &t->pieces[i], finish ? ALL : DONE, put);
	pthread_mutex_unlock(&gpu.lock);
}
