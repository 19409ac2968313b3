// SPDX-License-Identifier: MIT
/*
 * GPU work in the trace. A traced submission has two more semaphore releases with time stamps: one
 * before its commands, which the queue executes when the previous submission is complete, and one
 * after them. Both write to a line in system memory that the stream has for each slot. The thread
 * that reuses a slot, or the trace's writer thread, converts the line to a trace event.
 *
 * GPU clocks differ from the host's. At the start, and then every second, both clocks are read, the
 * GPU's between two readings of the host's; times between two such pairs are interpolated linearly.
 */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include "libsov/runtime/base/clock.h"
#include "libsov/runtime/memory/buffer.h"
#include "libsov/runtime/trace/trace_file.h"
#include "libsov/runtime/trace/trace_gpu.h"

#define MAX_DEVICES 64u
#define STAMP_BYTES 16u /* a semaphore with its time stamp */
#define LINE_BYTES  64u
#define CLOCK_TRIES 16u
#define CLOCK_EVERY UINT64_C(1000000000)
#define LATE_NS     UINT64_C(1000000) /* how long a time stamp may lag behind the seqno */

enum work_state { EMPTY, FILLING, WAITING, TAKEN };

struct trace_work {
	_Atomic enum work_state state;
	uint32_t payload; /* low half of the seqno: what both releases write */
	struct trace_event event;
};

struct trace_stream {
	struct trace_stream *next;
	struct context *context;
	uint64_t context_number;
	uint32_t device, track;
	bool named;
	struct buffer *stamps;
	uint32_t slots;
	struct trace_work work[];
};

struct clock_pair {
	uint64_t host, gpu, window; /* the host's time is off by at most half the window */
};

static struct {
	pthread_mutex_t lock; /* a leaf lock, except for those of the winsys */
	struct trace_stream *streams;
	uint64_t contexts;
	uint32_t tracks, device_count;
	struct {
		struct device *device;
		struct clock_pair from, to; /* the line of interpolation; from.gpu 0: unknown */
	} devices[MAX_DEVICES];
} gpu = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Atomic uint64_t work_ids;

/* ---- clocks ---- */

static bool read_clocks(const struct device *d, struct clock_pair *out)
{
	uint32_t i;

	out->window = UINT64_MAX;
	for (i = 0; i < CLOCK_TRIES; i++) {
		uint64_t before = now_ns(), now = d->winsys->gpu_time(d->winsys_device), window;

		window = now_ns() - before;
		if (now && window < out->window)
			*out = (struct clock_pair){before + window / 2, now, window};
	}
	return out->window != UINT64_MAX;
}

static void report_clock(uint32_t device, const struct clock_pair *m)
{
	trace_file_clock(device, m->host, m->gpu, m->window);
}

/* Does not hold the lock while it reads clocks: devices are never freed. */
void trace_gpu_read_clocks(void)
{
	uint32_t i, count;

	pthread_mutex_lock(&gpu.lock);
	count = gpu.device_count;
	pthread_mutex_unlock(&gpu.lock);
	for (i = 0; i < count; i++) {
		struct clock_pair now, *from = &gpu.devices[i].from, *to = &gpu.devices[i].to;

		if (from->gpu && now_ns() - to->host < CLOCK_EVERY)
			continue;
		if (!read_clocks(gpu.devices[i].device, &now))
			continue;
		if (!from->gpu)
			trace_file_device(i, gpu.devices[i].device->properties.name);
		*from = from->gpu ? *to : now;
		*to = now;
		report_clock(i, &now);
	}
}

bool trace_gpu_time(uint32_t device, uint64_t time, uint64_t *host)
{
	const struct clock_pair *from = &gpu.devices[device].from, *to = &gpu.devices[device].to;
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
	if (gpu.device_count == MAX_DEVICES)
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

struct trace_stream *trace_stream_create(struct context *c, uint32_t slots)
{
	struct trace_stream *t = calloc(1, sizeof(*t) + slots * sizeof(*t->work));
	bool known;

	if (!t || buffer_create_mapped(c, WINSYS_SYSTEM, true, slots * LINE_BYTES, &t->stamps)) {
		free(t);
		return NULL;
	}
	memset(t->stamps->cpu, 0, slots * LINE_BYTES);
	t->context = c;
	t->slots = slots;
	pthread_mutex_lock(&gpu.lock);
	known = device_number(c->device, &t->device);
	if (known) {
		t->context_number = context_number(c);
		t->track = ++gpu.tracks;
		t->next = gpu.streams;
		gpu.streams = t;
	}
	pthread_mutex_unlock(&gpu.lock);
	if (known)
		return t;
	buffer_destroy(c, t->stamps);
	free(t);
	return NULL;
}

void trace_stream_destroy(struct context *c, struct trace_stream *t)
{
	struct trace_stream **p;

	if (!t)
		return;
	pthread_mutex_lock(&gpu.lock);
	for (p = &gpu.streams; *p != t; p = &(*p)->next)
		;
	*p = t->next;
	pthread_mutex_unlock(&gpu.lock);
	buffer_destroy(c, t->stamps);
	free(t);
}

/* ---- traced work ---- */

static uint64_t line_offset(const struct trace_stream *t, const struct trace_work *p)
{
	return (uint64_t)(p - t->work) * LINE_BYTES;
}

/* The time stamp, if the GPU has written it. */
static bool work_stamped(const struct trace_stream *t, const struct trace_work *p, uint32_t which,
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

enum take_mode { TAKE_DONE, TAKE_DONE_OR_LOST, TAKE_ALL };

/*
 * Converts WAITING work to a trace event if the GPU has completed it; with TAKE_ALL also if it has
 * not, as cut. If another thread is doing so, waits for the few instructions that this takes.
 */
static void work_take(struct trace_stream *t, struct trace_work *p, enum take_mode what,
		      void (*put)(const struct trace_event *e))
{
	enum work_state state = WAITING;
	struct trace_event e;
	bool began, ended;

	if (what == TAKE_DONE && !work_stamped(t, p, 1, &e.end))
		return;
	if (!atomic_compare_exchange_strong(&p->state, &state, TAKEN)) {
		while (atomic_load(&p->state) == TAKEN)
			sched_yield();
		return;
	}
	e = p->event;
	began = work_stamped(t, p, 0, &e.start);
	ended = work_stamped(t, p, 1, &e.end);
	if (!ended && what == TAKE_ALL && began) {
		e.gpu.cut = true;
		e.end = t->context->device->winsys->gpu_time(t->context->device->winsys_device);
		ended = e.end > e.start;
	}
	atomic_store(&p->state, EMPTY);
	if (began && ended)
		put(&e);
}

/* The slot was found free by its seqno; the time stamp follows right after that. */
static void work_make_room(struct trace_stream *t, struct trace_work *p)
{
	uint64_t since, time;

	if (atomic_load(&p->state) == EMPTY)
		return;
	since = now_ns();
	while (!work_stamped(t, p, 1, &time) && now_ns() - since < LATE_NS)
		sched_yield();
	work_take(t, p, TAKE_DONE_OR_LOST, trace_put);
}

static void name_track(struct trace_stream *t, uint64_t stream_serial)
{
	if (__atomic_exchange_n(&t->named, true, __ATOMIC_RELAXED))
		return;
	trace_file_track(t->device, t->track, t->context_number, stream_serial);
}

/* ---- names ---- */

/* Interned kernel names: they outlive their modules. */
struct name {
	struct name *next;
	char text[];
};
#define NAME_LISTS 64u

static struct {
	pthread_mutex_t lock;
	struct name *lists[NAME_LISTS];
} names = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const char *name_intern(const char *text)
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

static void work_describe(struct trace_event *e, const struct trace_submission *what)
{
	struct trace_gpu_work *g = &e->gpu;

	if (!what->kernel || trace_expected.bytes) {
		g->work = trace_expected.work;
		e->name = copy_names[g->work];
		g->by = what->kernel ? "kernel" : what->copy_engine ? "engine" : "methods";
	} else {
		g->work = TRACE_KERNEL;
		e->name = name_intern(what->kernel);
	}
	g->bytes = trace_expected.bytes;
	trace_expected.bytes = 0;
}

struct trace_work *trace_work_begin(struct trace_stream *t, uint64_t seqno, uint64_t stream_serial,
				    struct gpu_push *push, const struct trace_submission *what)
{
	struct trace_work *w = &t->work[seqno % t->slots];

	work_make_room(t, w);
	atomic_store(&w->state, FILLING);
	name_track(t, stream_serial);
	w->payload = (uint32_t)seqno;
	w->event = (struct trace_event){
		.kind = TRACE_GPU,
		.thread = trace_thread(),
		.gpu = {.device = t->device,
			.track = t->track,
			.id = atomic_fetch_add(&work_ids, 1) + 1,
			.submitted = now_ns()},
	};
	work_describe(&w->event, what);
	t->context->gpu->release(push, t->stamps->va + line_offset(t, w), w->payload,
				 GPU_RELEASE_TIMESTAMP | GPU_RELEASE_NO_WAIT);
	return w;
}

void trace_work_set_shape(struct trace_work *w, const sov_launch *l)
{
	struct trace_gpu_work *g = &w->event.gpu;

	memcpy(g->grid, l->grid, sizeof(g->grid));
	memcpy(g->block, l->block, sizeof(g->block));
	g->shared = l->shared_bytes;
}

void trace_work_end(struct trace_stream *t, struct trace_work *w, struct gpu_push *push,
		    uint64_t done_va)
{
	const struct gpu *g = t->context->gpu;

	/* Where the ring entry releases the seqno (gpu->write_ring_entry), that comes after all of
	 * this. */
	if (done_va && !g->write_ring_entry)
		g->acquire(push, done_va, w->payload);
	g->release(push, t->stamps->va + line_offset(t, w) + STAMP_BYTES, w->payload,
		   GPU_RELEASE_TIMESTAMP | (g->write_ring_entry ? 0 : GPU_RELEASE_NO_WAIT));
	atomic_store(&w->state, WAITING);
}

void trace_stream_stop(struct trace_stream *t)
{
	uint32_t i;

	for (i = 0; i < t->slots; i++)
		if (atomic_load(&t->work[i].state) == WAITING)
			work_take(t, &t->work[i], TAKE_ALL, trace_put);
}

void trace_gpu_collect(void (*put)(const struct trace_event *e), bool finish)
{
	struct trace_stream *t;
	uint32_t i;

	pthread_mutex_lock(&gpu.lock);
	for (t = gpu.streams; t; t = t->next)
		for (i = 0; i < t->slots; i++)
			if (atomic_load_explicit(&t->work[i].state, memory_order_acquire) ==
			    WAITING)
				work_take(t, &t->work[i], finish ? TAKE_ALL : TAKE_DONE, put);
	pthread_mutex_unlock(&gpu.lock);
}
