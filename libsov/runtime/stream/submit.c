/* SPDX-License-Identifier: MIT */
/*
 * How a piece of work gets to the GPU, from any number of threads, with no lock and no system call.
 *
 * A stream is one sequence of numbers. Piece n is written into slot n % STREAM_SLOTS, announced by
 * one ring entry, and ends by releasing n to the stream's semaphore. A thread that submits
 *
 *   1. enters the stream's gate, which is closed while queues are made, taken away or drained;
 *   2. takes the next number by compare-and-swap, provided that its slot is free;
 *   3. writes the slot, which is its own now, and marks the slot ready;
 *   4. publishes: whoever gets hold of the publisher's role, now or when it took its number, moves
 *      the rings over all slots that are ready, in order, and rings the doorbell. Who does not get
 *      it goes on: the one who has it looks again after giving it back, so nothing stays behind;
 *   5. leaves the gate.
 *
 * Nothing between 2 and 4 can fail or wait. See docs/runtime.md for why nothing is lost.
 *
 * Two queues do the work of a stream, one for compute and one for copies. A piece on one of them
 * begins by waiting for the piece before it if that went to the other.
 *
 * A compute piece ends with a release that waits until the engine is idle. That is the fastest way
 * to order what follows, but until it is idle the engine takes no work from any channel of the
 * group (H200), so one stream's long kernel would hold up all others. Beside other streams a kernel
 * therefore releases by itself, the piece behind it waits for that, and pieces that are no kernels
 * have nothing to wait for.
 */
#include <assert.h>
#include <string.h>
#include "libsov/runtime/runtime.h"
#include "libsov/runtime/trace/trace.h"

#define ENDS_MASK ((1u << STREAM_ENDS_BITS) - 1)

static_assert(!(STREAM_SLOTS & (STREAM_SLOTS - 1)), "numbers may wrap");

uint64_t stream_last(const struct stream *s)
{
	return atomic_load_explicit(&s->tail, memory_order_acquire) >> STREAM_ENDS_BITS;
}

bool stream_busy(struct stream *s, enum engine engine)
{
	uint64_t tail = atomic_load_explicit(&s->tail, memory_order_acquire);

	return ((tail & ENDS_MASK) == ENDS_COPY) == (engine == ENGINE_COPY) &&
	       stream_poll(s) < tail >> STREAM_ENDS_BITS;
}

static struct piece *piece_of(struct stream *s, uint64_t number)
{
	return &s->pieces[number % STREAM_SLOTS];
}

static bool ready(struct stream *s, uint64_t number)
{
	return atomic_load_explicit(&piece_of(s, number)->ready, memory_order_acquire) == number;
}

/* The semaphore holds the low half of the number. Several threads may look at the same time. */
uint64_t stream_poll(struct stream *s)
{
	uint64_t completed = atomic_load_explicit(&s->completed, memory_order_acquire);
	uint32_t ahead = semaphore_read(s->done) - (uint32_t)completed;

	/* More than was ever taken is not the GPU's word, or an old look at completed. */
	if (!ahead || ahead > stream_last(s) - completed)
		return completed;
	if (atomic_compare_exchange_strong_explicit(&s->completed, &completed, completed + ahead,
						    memory_order_acq_rel, memory_order_acquire))
		return completed + ahead;
	return completed;
}

/* Of a piece that may be overwritten while we look; false: it was. */
static bool look_at(struct stream *s, uint64_t number, struct request *out)
{
	struct piece *p = piece_of(s, number);
	bool before = ready(s, number);

	out->kind = atomic_load_explicit(&p->kind, memory_order_acquire);
	out->function = atomic_load_explicit(&p->function, memory_order_acquire);
	out->limit = atomic_load_explicit(&p->limit, memory_order_acquire);
	return before && ready(s, number);
}

bool stream_head(struct stream *s, struct request *out)
{
	uint64_t head = stream_poll(s) + 1;

	if (head > stream_last(s) || !look_at(s, head, out))
		*out = (struct request){.kind = WORK_SETUP};
	return head <= stream_last(s);
}

const struct function *stream_kernel(struct stream *s, uint64_t number)
{
	struct request q;

	return look_at(s, number, &q) && q.kind == WORK_KERNEL ? q.function : NULL;
}

/* ---- taking a number ---- */

/* The next number's low half is 0, and the GPU would take it for less than those before: see wrap. */
static bool must_wrap(const struct stream *s, uint64_t last)
{
	return !(uint32_t)(last + 1) && s->member.context->gpu->acquire_compares_unsigned;
}

/* One entry of a ring stays empty: put equal to get means that there is nothing. */
static bool room(struct stream *s, uint64_t last)
{
	uint64_t completed = atomic_load_explicit(&s->completed, memory_order_acquire);

	return (int64_t)(last - completed) < STREAM_SLOTS - 1 ||
	       (int64_t)(last - stream_poll(s)) < STREAM_SLOTS - 1;
}

/* The publisher's, to be given back by publish. */
static bool take_role(struct stream *s)
{
	return !atomic_exchange_explicit(&s->publishing, true, memory_order_acq_rel);
}

static void slot_open(struct stream *s, uint64_t number, struct slot *slot)
{
	uint64_t offset = STREAM_SLOTS_AT + number % STREAM_SLOTS * STREAM_SLOT_BYTES;

	slot->number = number;
	slot->piece = piece_of(s, number);
	slot->cpu = (uint8_t *)s->commands->cpu + offset;
	slot->va = s->commands->va + offset;
	slot->push.words = slot->methods;
	slot->push.count = 0;
	slot->push.capacity = STREAM_PUSH_WORDS;
	slot->push.overflow = false;
	slot->inserted = 0;
	slot->traced = NULL;
	/* Before anything is written: on x86 an atomic operation waits for write-combined lines. */
	slot->publisher = take_role(s);
}

bool stream_beside(const struct stream *s)
{
	const struct context *c = s->member.context;

	return atomic_load_explicit(&c->stream_count, memory_order_relaxed) > c->alone;
}

/* Inside the gate. false: no slot is free. */
static bool take(struct stream *s, const struct request *q, struct slot *slot)
{
	uint64_t tail = atomic_load_explicit(&s->tail, memory_order_relaxed), number;
	const struct context *c = s->member.context;
	bool beside = stream_beside(s);
	enum ends queue = q->engine == ENGINE_COPY ? ENDS_COPY : ENDS_COMPUTE;
	enum ends ends = q->kind == WORK_KERNEL && beside ? ENDS_KERNEL : queue;
	struct piece *p;

	do {
		if (!room(s, tail >> STREAM_ENDS_BITS) || must_wrap(s, tail >> STREAM_ENDS_BITS))
			return false;
		number = (tail >> STREAM_ENDS_BITS) + 1;
	} while (!atomic_compare_exchange_weak_explicit(
		&s->tail, &tail, number << STREAM_ENDS_BITS | ends, memory_order_acq_rel,
		memory_order_relaxed));
	slot_open(s, number, slot);
	p = slot->piece;
	/* Who sees one of the three below sees that they are not those of the piece before. */
	atomic_store_explicit(&p->ready, 0, memory_order_relaxed);
	atomic_store_explicit(&p->kind, q->kind, memory_order_release);
	atomic_store_explicit(&p->function, q->function, memory_order_release);
	atomic_store_explicit(&p->limit, q->limit, memory_order_release);
	p->engine = q->engine;
	p->code = p->local = 0;
	slot->beside = beside;
	slot->push.copy_queue = q->engine == ENGINE_COPY;
	/* What is known to be done needs no waiting for. */
	if ((tail & ENDS_MASK) != queue &&
	    (int64_t)((tail >> STREAM_ENDS_BITS) -
		      atomic_load_explicit(&s->completed, memory_order_acquire)) > 0)
		c->gpu->acquire(&slot->push, s->done->va, (uint32_t)(tail >> STREAM_ENDS_BITS));
	if ((tail & ENDS_MASK) != queue && q->engine == ENGINE_COPY)
		c->gpu->setup_copy(c->chip, &slot->push);
	if (tracing())
		trace_piece_begin(s, slot, q->kind, q->function);
	return true;
}

/* ---- publishing ---- */

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void enter(struct stream *s, struct queue *q, const struct piece *p, uint64_t span,
		  const struct gpu_completion *end)
{
	q->put = s->member.context->gpu->write_ring_entry(&q->memory, q->put, STREAM_RING_ENTRIES, span,
					       p->engine == ENGINE_COPY, end);
}

/* By a ring that releases numbers. */
static void put_piece(struct stream *s, struct queue *q, const struct piece *p, uint64_t number)
{
	const struct gpu_completion end = {
		.semaphore = s->done->va,
		.payload = (uint32_t)number,
		.interrupt = atomic_load_explicit(&p->kind, memory_order_relaxed) == WORK_ALARM,
	};
	uint32_t i;

	for (i = 0; i < 2; i++)
		if (p->before[i])
			enter(s, q, p, p->before[i], NULL);
	enter(s, q, p, p->span, &end);
}

static inline void put_span(struct queue *q, uint64_t span)
{
	q->memory.ring[q->put] = span;
	q->put = (q->put + 1) % STREAM_RING_ENTRIES;
}

/* Moves the rings over what is ready, and returns how far. Only for the publisher. moved: which
 * doorbells are to be rung. */
static uint64_t advance(struct stream *s, bool moved[ENGINES])
{
	const bool apart = s->member.context->gpu->write_ring_entry;
	uint64_t n = s->published, code = 0, local = 0;
	struct queue *q;
	uint32_t i;

	for (; ready(s, n + 1); n++) {
		const struct piece *p = piece_of(s, n + 1);

		q = s->queue_of[p->engine];
		if (apart) {
			put_piece(s, q, p, n + 1);
		} else {
			if (p->before[0])
				put_span(q, p->before[0]);
			if (p->before[1])
				put_span(q, p->before[1]);
			put_span(q, p->span);
		}
		moved[q - s->queues] = true;
		code = later(code, p->code);
		local = later(local, p->local);
	}
	if (n == s->published)
		return n;
	s->published = n;
	if (code > atomic_load_explicit(&s->code, memory_order_relaxed))
		atomic_store_explicit(&s->code, code, memory_order_relaxed);
	if (local > atomic_load_explicit(&s->local, memory_order_relaxed))
		atomic_store_explicit(&s->local, local, memory_order_relaxed);
	winsys_write_barrier();
	for (i = 0; i < ENGINES; i++)
		if (moved[i])
			__atomic_store_n(s->queues[i].memory.put, s->queues[i].put,
					 __ATOMIC_RELEASE);
	return n;
}

/* Doorbells only say that there is something to be seen: anyone's, in any order, but one behind
 * each move of put. Rings what is not to be rung later. */
static struct bell ring(struct stream *s, const struct queue *q, struct bell later)
{
	struct bell b = {q->memory.doorbell, q->memory.doorbell_value};

	if (q->memory.doorbell_passes_writes)
		winsys_read_back(q->memory.put);
	if (!b.word)
		s->member.context->winsys->ring_doorbell(q->way);
	else if (later.word && later.token != b.token)
		bell_ring(later);
	return b.word ? b : later;
}

/* mine: the role is the caller's already. Returns the bell that is left to ring. */
static struct bell publish(struct stream *s, bool mine)
{
	struct bell bell = {0};
	uint64_t n;
	uint32_t i;

	do {
		bool moved[ENGINES] = {false};

		/* Whoever has the role now gives it back with an exchange of its own, which reads
		 * ours, and so sees the slot that we marked. */
		if (!mine && !take_role(s))
			break;
		mine = false;
		n = advance(s, moved);
		atomic_exchange_explicit(&s->publishing, false, memory_order_acq_rel);
		winsys_write_barrier_after_exchange();
		for (i = 0; i < ENGINES; i++)
			if (moved[i])
				bell = ring(s, &s->queues[i], bell);
	} while (ready(s, n + 1));
	return bell;
}

/* Somebody else's words between the slot's own. */
static void insert(const struct slot *slot, struct piece *p)
{
	uint64_t at = slot->va + STREAM_SLOT_PUSH;

	p->before[0] = slot->before ? gpu_span(at, slot->before) : 0;
	p->before[1] = slot->inserted;
	p->span = gpu_span(at + 4 * slot->before, slot->push.count - slot->before);
}

static struct bell finish(struct stream *s, struct slot *slot)
{
	const struct gpu *gpu = s->member.context->gpu;
	struct piece *p = slot->piece;
	enum work kind = atomic_load_explicit(&p->kind, memory_order_relaxed);
	bool release = !gpu->write_ring_entry && p->engine == ENGINE_COMPUTE &&
		       !(kind == WORK_KERNEL && slot->beside);

	/* Data inside the method stream is the engine's work, unlike marks and waits. */
	if (release)
		gpu->release(&slot->push, s->done->va, (uint32_t)slot->number,
			     slot->beside && kind != WORK_COPY && kind != WORK_GRAPH
				     ? GPU_RELEASE_NO_WAIT
				     : 0);
	if (slot->traced)
		trace_piece_end(s, slot, release);
	if (kind == WORK_ALARM && !gpu->write_ring_entry)
		gpu->interrupt(&slot->push);
	if (gpu->pad)
		gpu->pad(&slot->push);
	assert(!slot->push.overflow);
	memset(slot->methods + slot->push.count, 0, -slot->push.count % (GPU_LINE / 4) * 4);
	gpu_write_lines(slot->cpu + STREAM_SLOT_PUSH, slot->methods, slot->push.count * 4);
	p->before[0] = p->before[1] = 0;
	p->span = gpu_span(slot->va + STREAM_SLOT_PUSH, slot->push.count);
	if (slot->inserted)
		insert(slot, p);
	/* What another thread may publish must have reached memory; who publishes its own piece has
	 * a barrier still to come. */
	if (!slot->publisher || s->published + 1 != slot->number)
		winsys_write_barrier();
	atomic_store_explicit(&p->ready, slot->number, memory_order_release);
	return publish(s, slot->publisher);
}

struct bell stream_submit_silent(struct stream *s, struct slot *slot)
{
	struct bell bell = finish(s, slot);

	gate_leave(&s->gate);
	return bell;
}

void stream_submit(struct stream *s, struct slot *slot)
{
	bell_ring(stream_submit_silent(s, slot));
}

/* ---- beginning ---- */

static bool gate_passable(void *arg)
{
	struct stream *s = arg;

	return s->closed || !gate_closed(&s->gate);
}

/* The gate was closed, or something needs the lock: the context failed, is being reset or
 * destroyed, the stream is being destroyed; or it is open again. */
static sov_result look(struct stream *s)
{
	struct context *c = s->member.context;
	sov_result r;

	pthread_mutex_lock(&c->lock);
	r = context_block(c, gate_passable, s, SOV_MAX_WAIT);
	if (!r && s->closed)
		r = refuse(SOV_ERROR_INVALID_HANDLE,
			   "another thread destroyed the stream meanwhile");
	pthread_mutex_unlock(&c->lock);
	return r;
}

static sov_result queue_start(struct stream *s, enum engine engine)
{
	static const enum winsys_engine engines[ENGINES] = {WINSYS_COMPUTE, WINSYS_COPY};
	struct context *c = s->member.context;
	struct queue *q = &s->queues[engine];
	struct winsys_queue_options options = {
		.engine = engines[engine],
		.ring = s->commands->backing,
		.ring_offset = engine * STREAM_RING_BYTES,
		.ring_va = s->commands->va + engine * STREAM_RING_BYTES,
		.ring_entries = STREAM_RING_ENTRIES,
		.ring_entry_bytes = c->gpu->ring_entry_bytes,
		.priority = s->priority,
	};
	const char *said;
	int error;

	error = c->winsys->queue_create(c->group, &options, &q->way);
	if (error) {
		said = winsys_take_error();
		return refuse(SOV_ERROR_DEVICE_LOST, "%s gave no %s queue for a stream: %s",
			      c->device->properties.name,
			      engine == ENGINE_COPY ? "copy" : "compute",
			      *said ? said : strerror(-error));
	}
	c->winsys->queue_memory(q->way, &q->memory);
	q->put = 0;
	s->queue_of[engine] = q;
	return SOV_OK;
}

/* The stream's first copy. */
static sov_result need_copy_queue(struct stream *s)
{
	struct context *c = s->member.context;
	sov_result r;

	pthread_mutex_lock(&c->lock);
	r = context_check(c);
	if (!r && !s->closed && !gate_closed(&s->gate) && !s->queue_of[ENGINE_COPY]) {
		gate_close(&s->gate);
		r = queue_start(s, ENGINE_COPY);
		gate_open(&s->gate);
	}
	pthread_mutex_unlock(&c->lock);
	return r;
}

static bool wrap_needed(struct context *c, void *arg)
{
	(void)c;
	return must_wrap(arg, stream_last(arg));
}

/* Nothing runs: the number counts as done, and the semaphore begins anew below all that are to come. */
static sov_result wrap(struct context *c, void *arg)
{
	struct stream *s = arg;
	uint64_t number = stream_last(s) + 1;

	(void)c;
	__atomic_store_n(s->done->payload, (uint32_t)number, __ATOMIC_RELEASE);
	s->published = number;
	atomic_store(&s->completed, number);
	atomic_store(&s->tail, number << STREAM_ENDS_BITS | ENDS_COMPUTE);
	return SOV_OK;
}

enum step { STEP_GO, STEP_LOOK, STEP_QUEUE, STEP_LOCAL, STEP_ROOM, STEP_UNLOADED };

/* Inside the gate: whether the piece can be begun, and if so, begins it. */
static enum step try_begin(struct stream *s, const struct request *q, struct slot *slot)
{
	struct context *c = s->member.context;
	const struct function *f = q->function;
	struct winsys_error e;

	if (c->winsys->group_error(c->group, &e))
		return STEP_LOOK;
	if (!s->queue_of[q->engine])
		return STEP_QUEUE;
	if (f && atomic_load_explicit(&f->module->unloading, memory_order_relaxed))
		return STEP_UNLOADED;
	if (f && f->plan.local_bytes && !local_suffices(s, f))
		return STEP_LOCAL;
	return take(s, q, slot) ? STEP_GO : STEP_ROOM;
}

/* Outside of the gate: what has to happen before trying again. */
static sov_result make_way(struct stream *s, enum step step, const struct function *f)
{
	switch (step) {
	case STEP_QUEUE:
		return need_copy_queue(s);
	case STEP_LOCAL:
		return local_reserve(s, f);
	case STEP_ROOM:
		if (must_wrap(s, stream_last(s)))
			return context_settle(s->member.context, wrap_needed, wrap, s);
		return stream_wait_for(s, stream_last(s) + 2 - STREAM_SLOTS, SOV_MAX_WAIT);
	case STEP_UNLOADED:
		return refuse(SOV_ERROR_INVALID_HANDLE, "another thread is unloading kernel '%s'",
			      f->kernel->name);
	default:
		return look(s);
	}
}

sov_result stream_begin_request(struct stream *s, const struct request *q, struct slot *slot)
{
	enum step step;
	sov_result r;

	for (;;) {
		step = STEP_LOOK;
		if (gate_enter(&s->gate)) {
			step = try_begin(s, q, slot);
			if (step == STEP_GO)
				return SOV_OK;
			gate_leave(&s->gate);
		}
		r = make_way(s, step, q->function);
		if (r)
			return r;
	}
}

sov_result stream_begin(struct stream *s, enum engine engine, enum work kind, struct slot *slot)
{
	struct request q = {.engine = engine, .kind = kind};

	return stream_begin_request(s, &q, slot);
}

sov_result stream_acquire(struct stream *s, const struct semaphore *semaphore, uint32_t value)
{
	const struct gpu *gpu = s->member.context->gpu;
	struct slot slot;
	sov_result r;

	/* It may be older than the last time that numbers wrapped. */
	if (gpu->acquire_compares_unsigned && semaphore_reached(semaphore, value))
		return SOV_OK;
	r = stream_begin(s, ENGINE_COMPUTE, WORK_WAIT, &slot);
	if (r)
		return r;
	/* Before this number was taken others may have wrapped, with all work done; from then on they cannot. */
	if (!gpu->acquire_compares_unsigned || !semaphore_reached(semaphore, value))
		gpu->acquire(&slot.push, semaphore->va, value);
	stream_submit(s, &slot);
	return SOV_OK;
}

uint64_t stream_alarm(struct stream *s)
{
	const struct request alarm = {.engine = ENGINE_COMPUTE, .kind = WORK_ALARM};
	struct slot slot;
	bool taken;

	if (!gate_enter(&s->gate))
		return 0;
	taken = take(s, &alarm, &slot);
	if (taken)
		bell_ring(finish(s, &slot));
	gate_leave(&s->gate);
	return taken ? slot.number : 0;
}

/* ---- starting and stopping ---- */

sov_result stream_start(struct stream *s)
{
	struct context *c = s->member.context;
	const struct request setup = {.engine = ENGINE_COMPUTE, .kind = WORK_SETUP};
	sov_result r = queue_start(s, ENGINE_COMPUTE);
	struct slot slot;
	uint32_t i;

	if (r)
		return r;
	if (!c->device->info.copy_queues)
		s->queue_of[ENGINE_COPY] = &s->queues[ENGINE_COMPUTE];
	s->published = stream_last(s);
	atomic_store(&s->tail, s->published << STREAM_ENDS_BITS | ENDS_COMPUTE);
	atomic_store(&s->completed, s->published);
	atomic_store(&s->code, 0);
	atomic_store(&s->local, 0);
	for (i = 0; i < STREAM_SLOTS; i++) {
		atomic_store(&s->pieces[i].ready, 0);
		memset(&s->pieces[i].written, 0, sizeof(s->pieces[i].written));
	}
	if (must_wrap(s, s->published))
		wrap(c, s);
	take(s, &setup, &slot);
	slot.beside = true; /* the stream may not be counted yet */
	c->gpu->setup_compute(c->chip, &slot.push);
	bell_ring(finish(s, &slot));
	gate_open(&s->gate);
	return SOV_OK;
}

void stream_stop(struct stream *s)
{
	struct context *c = s->member.context;
	uint32_t i;

	gate_close(&s->gate);
	s->done->value = (uint32_t)stream_last(s);
	for (i = 0; i < ENGINES; i++) {
		if (s->queues[i].way)
			c->winsys->queue_destroy(s->queues[i].way);
		s->queues[i].way = NULL;
		s->queue_of[i] = NULL;
	}
	trace_stream_stop(s);
}
