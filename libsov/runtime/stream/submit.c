// SPDX-License-Identifier: MIT
/*
 * Submitting work to the GPU from any number of threads, without locks or system calls.
 *
 * A stream is a sequence of seqnos. Submission n uses slot n % STREAM_SLOTS, is announced by a ring
 * entry, and releases n to the stream's semaphore when it completes. A thread that submits
 *
 *   1. enters the stream's gate, which is closed while queues are created, destroyed or drained;
 *   2. reserves the next seqno by compare-and-swap, if its slot is free;
 *   3. writes the slot, which it owns now, and marks it ready;
 *   4. publishes: the thread that holds the publisher role adds ring entries for all ready slots,
 *      in order, and rings the doorbell. A thread that does not get the role continues: the
 *      publisher looks for ready slots again after it has released the role, so that no slot is
 *      missed;
 *   5. leaves the gate.
 *
 * Nothing between 2 and 4 may fail or wait. docs/runtime.md explains why no submission is lost.
 *
 * A stream has two queues, one for compute and one for copies. A submission to one of them begins
 * with an acquire of the previous seqno if that went to the other. Where the GPU has no copy queue
 * left, the compute queue takes both.
 *
 * A compute submission ends with a release that waits for the engine to become idle (WFI). That
 * orders later work at the lowest cost, but until the engine is idle it takes no work from any
 * channel of the group (H200), so a long kernel of one stream would stall all others. With several
 * streams, a kernel therefore releases its seqno itself, the next submission acquires it, and
 * submissions other than kernels do not wait.
 */
#include <assert.h>
#include <errno.h>
#include <string.h>
#include "libsov/runtime/base/demangle.h"
#include "libsov/runtime/base/error.h"
#include "libsov/runtime/base/log.h"
#include "libsov/runtime/base/minmax.h"
#include "libsov/runtime/context/context_wait.h"
#include "libsov/runtime/memory/local_memory.h"
#include "libsov/runtime/stream/submit.h"
#include "libsov/runtime/trace/trace_gpu.h"

#define COMPLETION_MASK ((1u << STREAM_COMPLETION_BITS) - 1)

static_assert(!(STREAM_SLOTS & (STREAM_SLOTS - 1)), "seqnos may wrap");

uint64_t stream_last(const struct stream *s)
{
	return atomic_load_explicit(&s->tail, memory_order_acquire) >> STREAM_COMPLETION_BITS;
}

bool stream_copy_queue(const struct stream *s, enum engine engine)
{
	return s->queue_of[engine] == &s->queues[ENGINE_COPY];
}

bool stream_busy(struct stream *s, enum engine engine)
{
	uint64_t tail = atomic_load_explicit(&s->tail, memory_order_acquire);

	return ((tail & COMPLETION_MASK) == COMPLETED_BY_COPY) == (engine == ENGINE_COPY) &&
	       stream_poll(s) < tail >> STREAM_COMPLETION_BITS;
}

static struct submission *submission_of(struct stream *s, uint64_t seqno)
{
	return &s->submissions[seqno % STREAM_SLOTS];
}

static bool submission_ready(struct stream *s, uint64_t seqno)
{
	return atomic_load_explicit(&submission_of(s, seqno)->ready, memory_order_acquire) == seqno;
}

/* The semaphore holds the low half of the seqno. Several threads may poll at the same time. */
uint64_t stream_poll(struct stream *s)
{
	uint64_t completed = atomic_load_explicit(&s->completed, memory_order_acquire);
	uint32_t ahead = semaphore_read(s->done) - (uint32_t)completed;

	/* A value beyond the last seqno was not written by the GPU, or completed is stale. */
	if (!ahead || ahead > stream_last(s) - completed)
		return completed;
	if (atomic_compare_exchange_strong_explicit(&s->completed, &completed, completed + ahead,
						    memory_order_acq_rel, memory_order_acquire))
		return completed + ahead;
	return completed;
}

/* Reads a submission that another thread may overwrite during the read; false: one did. */
static bool submission_snapshot(struct stream *s, uint64_t seqno, struct submit_request *out)
{
	struct submission *p = submission_of(s, seqno);
	bool before = submission_ready(s, seqno);

	out->kind = atomic_load_explicit(&p->kind, memory_order_acquire);
	out->kernel = atomic_load_explicit(&p->kernel, memory_order_acquire);
	out->time_limit = atomic_load_explicit(&p->time_limit, memory_order_acquire);
	return before && submission_ready(s, seqno);
}

bool stream_head(struct stream *s, struct submit_request *out)
{
	uint64_t head = stream_poll(s) + 1;

	if (head > stream_last(s) || !submission_snapshot(s, head, out))
		*out = (struct submit_request){.kind = WORK_SETUP};
	return head <= stream_last(s);
}

const struct kernel_info *stream_kernel_at(struct stream *s, uint64_t seqno)
{
	struct submit_request q;

	return submission_snapshot(s, seqno, &q) && q.kind == WORK_KERNEL ? q.kernel : NULL;
}

/* ---- reserving a seqno ---- */

/* The low half of the next seqno is 0, which the GPU would compare as less than the values before:
 * see stream_wrap. */
static bool stream_must_wrap(const struct stream *s, uint64_t last)
{
	return !(uint32_t)(last + 1) && s->member.context->gpu->acquire_compares_unsigned;
}

/* One entry of a ring stays empty: PUT equal to GET means an empty ring. */
static bool slot_available(struct stream *s, uint64_t last)
{
	uint64_t completed = atomic_load_explicit(&s->completed, memory_order_acquire);

	return (int64_t)(last - completed) < STREAM_SLOTS - 1 ||
	       (int64_t)(last - stream_poll(s)) < STREAM_SLOTS - 1;
}

/* Takes the publisher role, which publish releases. */
static bool publisher_acquire(struct stream *s)
{
	return !atomic_exchange_explicit(&s->publishing, true, memory_order_acq_rel);
}

static void slot_open(struct stream *s, uint64_t seqno, struct slot *slot)
{
	uint64_t offset = seqno % STREAM_SLOTS * STREAM_SLOT_BYTES;

	slot->seqno = seqno;
	slot->submission = submission_of(s, seqno);
	slot->cpu = (uint8_t *)s->commands->cpu + offset;
	slot->va = s->commands->va + offset;
	slot->push.words = slot->words;
	slot->push.va = slot->va + STREAM_SLOT_PUSH;
	slot->push.count = 0;
	slot->push.capacity = STREAM_PUSH_WORDS;
	slot->push.overflow = false;
	slot->inserted = 0;
	slot->traced = NULL;
	/* Before the slot is written: on x86 an atomic operation waits for write-combined lines. */
	slot->publisher = publisher_acquire(s);
}

bool stream_is_concurrent(const struct stream *s)
{
	const struct context *c = s->member.context;

	return atomic_load_explicit(&c->stream_count, memory_order_relaxed) >
	       c->max_streams_sharing_wfi;
}

/* Adds the time stamp in front of work that the trace shows. */
static void submission_trace(struct stream *s, const struct submit_request *q, struct slot *slot)
{
	bool kernel = q->kind == WORK_KERNEL, copy = q->kind == WORK_COPY;

	if (!s->trace || (!kernel && !copy))
		return;
	slot->traced = trace_work_begin(s->trace, slot->seqno, s->serial, &slot->push,
					&(struct trace_submission){
						.kernel = kernel ? q->kernel->name : NULL,
						.copy_engine = q->engine == ENGINE_COPY,
					});
}

/* Reserves a seqno and opens its slot. Inside the gate. false: no slot is free. */
static bool slot_take(struct stream *s, const struct submit_request *q, struct slot *slot)
{
	uint64_t tail = atomic_load_explicit(&s->tail, memory_order_relaxed), seqno;
	const struct context *c = s->member.context;
	bool concurrent = stream_is_concurrent(s);
	enum completion queue = q->engine == ENGINE_COPY ? COMPLETED_BY_COPY : COMPLETED_BY_COMPUTE;
	enum completion ends = q->kind == WORK_KERNEL && concurrent ? COMPLETED_BY_KERNEL : queue;
	struct submission *p;

	do {
		if (!slot_available(s, tail >> STREAM_COMPLETION_BITS) ||
		    stream_must_wrap(s, tail >> STREAM_COMPLETION_BITS))
			return false;
		seqno = (tail >> STREAM_COMPLETION_BITS) + 1;
	} while (!atomic_compare_exchange_weak_explicit(
		&s->tail, &tail, seqno << STREAM_COMPLETION_BITS | ends, memory_order_acq_rel,
		memory_order_relaxed));
	slot_open(s, seqno, slot);
	p = slot->submission;
	/* A reader that sees one of the three values below sees that ready has changed too. */
	atomic_store_explicit(&p->ready, 0, memory_order_relaxed);
	atomic_store_explicit(&p->kind, q->kind, memory_order_release);
	atomic_store_explicit(&p->kernel, q->kernel, memory_order_release);
	atomic_store_explicit(&p->time_limit, q->time_limit, memory_order_release);
	p->engine = q->engine;
	p->code = p->local = 0;
	slot->concurrent = concurrent;
	slot->push.copy_queue = stream_copy_queue(s, q->engine);
	/* Submissions known to be complete need no acquire. */
	if ((tail & COMPLETION_MASK) != queue &&
	    (int64_t)((tail >> STREAM_COMPLETION_BITS) -
		      atomic_load_explicit(&s->completed, memory_order_acquire)) > 0)
		c->gpu->acquire(&slot->push, s->done->va,
				(uint32_t)(tail >> STREAM_COMPLETION_BITS));
	if ((tail & COMPLETION_MASK) != queue && q->engine == ENGINE_COPY)
		c->gpu->setup_copy(c->chip, &slot->push);
	if (tracing())
		submission_trace(s, q, slot);
	return true;
}

/* ---- publishing ---- */

static void ring_add_entry(struct stream *s, struct queue *q, uint64_t span, const uint32_t *words,
			   const struct gpu_completion *end)
{
	q->put = s->member.context->gpu->write_ring_entry(&q->memory, q->put, span, words,
							  q == &s->queues[ENGINE_COPY], end);
}

static const uint32_t *slot_words(const struct stream *s, uint64_t span)
{
	return (const uint32_t *)(const void *)((const uint8_t *)s->commands->cpu +
						(gpu_span_address(span) - s->commands->va));
}

/* Where the ring entry itself releases the seqno (gpu->write_ring_entry). */
static void ring_add_submission(struct stream *s, struct queue *q, const struct submission *p,
				uint64_t seqno)
{
	const struct gpu_completion end = {
		.semaphore = s->done->va,
		.payload = (uint32_t)seqno,
		.interrupt = atomic_load_explicit(&p->kind, memory_order_relaxed) == WORK_INTERRUPT,
	};

	if (p->before[0])
		ring_add_entry(s, q, p->before[0], slot_words(s, p->before[0]), NULL);
	if (p->before[1])
		ring_add_entry(s, q, p->before[1], p->inserted, NULL);
	ring_add_entry(s, q, p->span, slot_words(s, p->span), &end);
}

static inline void ring_add_span(struct queue *q, uint64_t span)
{
	q->memory.ring[q->put] = span;
	q->put = (q->put + 1) % STREAM_RING_ENTRIES;
}

/* Tells the queue its PUT, and rings where that must happen in the order of PUTs. Returns whether
 * the doorbell remains to be rung. */
static bool queue_put(struct stream *s, struct queue *q)
{
	if (!q->memory.wide) {
		__atomic_store_n(q->memory.put, (uint32_t)q->put, __ATOMIC_RELEASE);
		return true;
	}
	__atomic_store_n((uint64_t *)(void *)q->memory.put, q->put, __ATOMIC_RELEASE);
	winsys_write_barrier();
	s->member.context->winsys->ring_doorbell(q->winsys_queue);
	return false;
}

/* Adds ring entries for all ready slots and returns the last published seqno; moved: queues whose
 * doorbell must be rung. Called by the publisher. */
static uint64_t publish_ready(struct stream *s, bool moved[ENGINES])
{
	const bool writes_ring_entry = s->member.context->gpu->write_ring_entry;
	uint64_t n = s->published, code = 0, local = 0;
	struct queue *q;
	uint32_t i;

	for (; submission_ready(s, n + 1); n++) {
		const struct submission *p = submission_of(s, n + 1);

		q = s->queue_of[p->engine];
		if (writes_ring_entry) {
			ring_add_submission(s, q, p, n + 1);
		} else {
			if (p->before[0])
				ring_add_span(q, p->before[0]);
			if (p->before[1])
				ring_add_span(q, p->before[1]);
			ring_add_span(q, p->span);
		}
		moved[q - s->queues] = true;
		code = max_u64(code, p->code);
		local = max_u64(local, p->local);
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
		moved[i] = moved[i] && queue_put(s, &s->queues[i]);
	return n;
}

/* Rings a queue, or returns its doorbell to be rung later and rings the pending one. Doorbells may
 * be rung by any thread in any order, as long as one follows each change of PUT. */
static struct doorbell queue_ring(struct stream *s, const struct queue *q, struct doorbell pending)
{
	struct doorbell b = {q->memory.doorbell, q->memory.doorbell_value};

	if (q->memory.doorbell_passes_writes)
		winsys_read_back(q->memory.put);
	if (!b.word)
		s->member.context->winsys->ring_doorbell(q->winsys_queue);
	else if (pending.word && pending.token != b.token)
		doorbell_ring(pending);
	return b.word ? b : pending;
}

/* is_publisher: the caller holds the publisher role. Returns the doorbell that remains to be
 * rung. */
static struct doorbell stream_publish(struct stream *s, bool is_publisher)
{
	struct doorbell doorbell = {0};
	uint64_t n;
	uint32_t i;

	do {
		bool moved[ENGINES] = {false};

		/* The current publisher releases the role with an exchange that reads ours, hence
		 * it sees the slot that we marked. */
		if (!is_publisher && !publisher_acquire(s))
			break;
		is_publisher = false;
		n = publish_ready(s, moved);
		atomic_exchange_explicit(&s->publishing, false, memory_order_acq_rel);
		winsys_write_barrier_after_exchange();
		for (i = 0; i < ENGINES; i++)
			if (moved[i])
				doorbell = queue_ring(s, &s->queues[i], doorbell);
	} while (submission_ready(s, n + 1));
	return doorbell;
}

/* Places the inserted commands between the slot's own. */
static void submission_insert(const struct slot *slot, struct submission *p)
{
	uint64_t at = slot->va + STREAM_SLOT_PUSH;

	p->before[0] = slot->before ? gpu_span(at, slot->before) : 0;
	p->before[1] = slot->inserted;
	p->inserted = slot->inserted_words;
	p->span = gpu_span(at + 4 * slot->before, slot->push.count - slot->before);
}

static struct doorbell slot_finish(struct stream *s, struct slot *slot)
{
	const struct gpu *gpu = s->member.context->gpu;
	struct submission *p = slot->submission;
	enum work kind = atomic_load_explicit(&p->kind, memory_order_relaxed);
	bool release = !gpu->write_ring_entry && p->engine == ENGINE_COMPUTE &&
		       !(kind == WORK_KERNEL && slot->concurrent);

	/* Inline data is work of the engine, unlike semaphore operations. */
	if (release)
		gpu->release(&slot->push, s->done->va, (uint32_t)slot->seqno,
			     slot->concurrent && kind != WORK_COPY && kind != WORK_GRAPH
				     ? GPU_RELEASE_NO_WAIT
				     : 0);
	if (slot->traced)
		trace_work_end(s->trace, slot->traced, &slot->push, release ? 0 : s->done->va);
	if (kind == WORK_INTERRUPT && !gpu->write_ring_entry)
		gpu->interrupt(&slot->push);
	if (gpu->pad)
		gpu->pad(&slot->push);
	assert(!slot->push.overflow);
	memset(slot->words + slot->push.count, 0, -slot->push.count % (GPU_LINE / 4) * 4);
	gpu_write_lines(slot->cpu + STREAM_SLOT_PUSH, slot->words, slot->push.count * 4);
	p->before[0] = p->before[1] = 0;
	p->span = gpu_span(slot->va + STREAM_SLOT_PUSH, slot->push.count);
	if (slot->inserted)
		submission_insert(slot, p);
	/* A slot that another thread may publish must have reached memory; a thread that publishes
	 * its own slot executes a barrier later. */
	if (!slot->publisher || s->published + 1 != slot->seqno)
		winsys_write_barrier();
	atomic_store_explicit(&p->ready, slot->seqno, memory_order_release);
	return stream_publish(s, slot->publisher);
}

struct doorbell stream_submit_deferred(struct stream *s, struct slot *slot)
{
	struct doorbell doorbell = slot_finish(s, slot);

	gate_leave(&s->gate);
	return doorbell;
}

void stream_submit(struct stream *s, struct slot *slot)
{
	doorbell_ring(stream_submit_deferred(s, slot));
}

/* ---- beginning submissions ---- */

static bool gate_passable(void *arg)
{
	struct stream *s = arg;

	return s->closed || !gate_closed(&s->gate);
}

/* Waits until the gate is open, or returns why it will not open: the context failed or is being
 * reset or destroyed, or the stream is being destroyed. */
static sov_result stream_wait_for_gate(struct stream *s)
{
	struct context *c = s->member.context;
	sov_result r;

	pthread_mutex_lock(&c->lock);
	r = context_block(c, gate_passable, s, SOV_FOREVER);
	if (!r && s->closed)
		r = set_error(SOV_ERROR_INVALID_HANDLE,
			      "another thread destroyed the stream during this call");
	pthread_mutex_unlock(&c->lock);
	return r;
}

/* Returns 0 or a negative errno. */
static int queue_create(struct stream *s, enum engine engine)
{
	static const enum winsys_engine engines[ENGINES] = {WINSYS_COMPUTE, WINSYS_COPY};
	struct context *c = s->member.context;
	struct queue *q = &s->queues[engine];
	struct winsys_queue_options options = {
		.engine = engines[engine],
		.ring_entries =
			engine == ENGINE_COPY ? c->gpu->copy_ring_entries : c->gpu->ring_entries,
		.ring_entry_bytes = c->gpu->ring_entry_bytes,
		.priority = s->priority,
	};
	int error;

	options.ring = q->ring->backing;
	options.ring_va = q->ring->va;
	error = c->winsys->queue_create(c->group, &options, &q->winsys_queue);
	if (error)
		return error;
	c->winsys->queue_memory(q->winsys_queue, &q->memory);
	q->put = 0;
	s->queue_of[engine] = q;
	return 0;
}

static sov_result set_queue_error(const struct stream *s, enum engine engine, int error)
{
	const char *detail = winsys_take_error();

	return set_error(SOV_ERROR_DEVICE_LOST, "%s could not create a %s queue for a stream: %s",
			 s->member.context->device->properties.name,
			 engine == ENGINE_COPY ? "copy" : "compute",
			 *detail ? detail : strerror(-error));
}

/* A GPU has a limited number of copy queues: where none is free, the compute queue copies. */
static sov_result copy_queue_start(struct stream *s)
{
	int error = queue_create(s, ENGINE_COPY);

	if (error != -ENOMEM && error != -ENOSPC)
		return error ? set_queue_error(s, ENGINE_COPY, error) : SOV_OK;
	LOG(STREAM, INFO, "%llu copies by its compute queue: %s", (unsigned long long)s->serial,
	    winsys_take_error());
	s->queue_of[ENGINE_COPY] = &s->queues[ENGINE_COMPUTE];
	return SOV_OK;
}

/* Creates the copy queue on the stream's first copy. */
static sov_result stream_need_copy_queue(struct stream *s)
{
	struct context *c = s->member.context;
	sov_result r;

	pthread_mutex_lock(&c->lock);
	r = context_check(c);
	if (!r && !s->closed && !gate_closed(&s->gate) && !s->queue_of[ENGINE_COPY]) {
		gate_close(&s->gate);
		r = copy_queue_start(s);
		gate_open(&s->gate);
	}
	pthread_mutex_unlock(&c->lock);
	return r;
}

sov_result stream_find_copy_queue(struct stream *s, bool *own)
{
	sov_result r = SOV_OK;
	bool found = false;

	while (!r && !found) {
		if (gate_enter(&s->gate)) {
			found = s->queue_of[ENGINE_COPY];
			*own = stream_copy_queue(s, ENGINE_COPY);
			gate_leave(&s->gate);
			if (!found)
				r = stream_need_copy_queue(s);
		} else {
			r = stream_wait_for_gate(s);
		}
	}
	return r;
}

static bool stream_wrap_needed(struct context *c, void *arg)
{
	(void)c;
	return stream_must_wrap(arg, stream_last(arg));
}

/* All streams are idle: skips the seqno whose low half is 0 and restarts the semaphore there. */
static sov_result stream_wrap(struct context *c, void *arg)
{
	struct stream *s = arg;
	uint64_t seqno = stream_last(s) + 1;

	(void)c;
	__atomic_store_n(s->done->payload, (uint32_t)seqno, __ATOMIC_RELEASE);
	s->published = seqno;
	atomic_store(&s->completed, seqno);
	atomic_store(&s->tail, seqno << STREAM_COMPLETION_BITS | COMPLETED_BY_COMPUTE);
	return SOV_OK;
}

enum step { STEP_GO, STEP_CHECK_CONTEXT, STEP_QUEUE, STEP_LOCAL, STEP_ROOM, STEP_UNLOADED };

/* Inside the gate: begins the submission, or returns what prevents it. */
static enum step stream_try_begin(struct stream *s, const struct submit_request *q,
				  struct slot *slot)
{
	struct context *c = s->member.context;
	const struct kernel_info *k = q->kernel;
	struct winsys_error e;

	if (c->winsys->group_error(c->group, &e))
		return STEP_CHECK_CONTEXT;
	if (!s->queue_of[q->engine])
		return STEP_QUEUE;
	if (k && atomic_load_explicit(k->unloading, memory_order_relaxed))
		return STEP_UNLOADED;
	if (k && k->local_bytes && !local_suffices(c, s->index, k->local_bytes, q->local_bytes))
		return STEP_LOCAL;
	return slot_take(s, q, slot) ? STEP_GO : STEP_ROOM;
}

/* Outside of the gate: removes what prevented the submission. */
static sov_result stream_resolve_step(struct stream *s, enum step step,
				      const struct submit_request *q)
{
	const struct kernel_info *k = q->kernel;

	switch (step) {
	case STEP_QUEUE:
		return stream_need_copy_queue(s);
	case STEP_LOCAL:
		return local_reserve(s->member.context, s->index, k->name, k->local_bytes,
				     q->local_bytes);
	case STEP_ROOM:
		if (stream_must_wrap(s, stream_last(s)))
			return context_settle(s->member.context, stream_wrap_needed, stream_wrap,
					      s);
		return stream_wait_for(s, stream_last(s) + 2 - STREAM_SLOTS, SOV_FOREVER);
	case STEP_UNLOADED:
		return set_error(SOV_ERROR_INVALID_HANDLE,
				 "another thread is unloading kernel '%s'", DEMANGLED(k->name));
	default:
		return stream_wait_for_gate(s);
	}
}

sov_result stream_begin_request(struct stream *s, const struct submit_request *q, struct slot *slot)
{
	enum step step;
	sov_result r;

	for (;;) {
		step = STEP_CHECK_CONTEXT;
		if (gate_enter(&s->gate)) {
			step = stream_try_begin(s, q, slot);
			if (step == STEP_GO)
				return SOV_OK;
			gate_leave(&s->gate);
		}
		r = stream_resolve_step(s, step, q);
		if (r)
			return r;
	}
}

sov_result stream_begin(struct stream *s, enum engine engine, enum work kind, struct slot *slot)
{
	struct submit_request q = {.engine = engine, .kind = kind};

	return stream_begin_request(s, &q, slot);
}

sov_result stream_acquire(struct stream *s, const struct semaphore *semaphore, uint32_t value)
{
	const struct gpu *gpu = s->member.context->gpu;
	struct slot slot;
	sov_result r;

	/* The value may be older than the last wrap. */
	if (gpu->acquire_compares_unsigned && semaphore_reached(semaphore, value))
		return SOV_OK;
	r = stream_begin(s, ENGINE_COMPUTE, WORK_WAIT, &slot);
	if (r)
		return r;
	/* Semaphores may have wrapped, with all work complete, before this seqno was reserved; from
	 * now on they cannot. */
	if (!gpu->acquire_compares_unsigned || !semaphore_reached(semaphore, value))
		gpu->acquire(&slot.push, semaphore->va, value);
	stream_submit(s, &slot);
	return SOV_OK;
}

uint64_t stream_interrupt(struct stream *s)
{
	const struct submit_request alarm = {.engine = ENGINE_COMPUTE, .kind = WORK_INTERRUPT};
	struct slot slot;
	bool taken;

	if (!gate_enter(&s->gate))
		return 0;
	taken = slot_take(s, &alarm, &slot);
	if (taken)
		doorbell_ring(slot_finish(s, &slot));
	gate_leave(&s->gate);
	return taken ? slot.seqno : 0;
}

/* ---- starting and stopping ---- */

void stream_set_up(struct stream *s)
{
	const struct submit_request setup = {.engine = ENGINE_COMPUTE, .kind = WORK_SETUP};
	struct context *c = s->member.context;
	struct slot slot;

	if (stream_must_wrap(s, stream_last(s)))
		stream_wrap(c, s);
	slot_take(s, &setup, &slot);
	slot.concurrent = true; /* the stream may not be in stream_count yet */
	c->gpu->setup_compute(c->chip, &slot.push);
	doorbell_ring(slot_finish(s, &slot));
}

sov_result stream_start(struct stream *s)
{
	struct context *c = s->member.context;
	int error = queue_create(s, ENGINE_COMPUTE);
	uint32_t i;

	if (error)
		return set_queue_error(s, ENGINE_COMPUTE, error);
	if (!c->device->info.copy_queues)
		s->queue_of[ENGINE_COPY] = &s->queues[ENGINE_COMPUTE];
	s->published = stream_last(s);
	atomic_store(&s->tail, s->published << STREAM_COMPLETION_BITS | COMPLETED_BY_COMPUTE);
	atomic_store(&s->completed, s->published);
	atomic_store(&s->code, 0);
	atomic_store(&s->local, 0);
	for (i = 0; i < STREAM_SLOTS; i++) {
		atomic_store(&s->submissions[i].ready, 0);
		memset(&s->submissions[i].written, 0, sizeof(s->submissions[i].written));
	}
	stream_set_up(s);
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
		if (s->queues[i].winsys_queue)
			c->winsys->queue_destroy(s->queues[i].winsys_queue);
		s->queues[i].winsys_queue = NULL;
		s->queue_of[i] = NULL;
	}
	if (s->trace)
		trace_stream_stop(s->trace);
}

/* ---- waiting ---- */

static uint64_t stream_request_interrupt(void *arg)
{
	return stream_interrupt(arg);
}

sov_result stream_wait_for(struct stream *s, uint64_t seqno, uint64_t timeout)
{
	sov_result r = semaphore_wait(s->member.context, s->done, (uint32_t)seqno, timeout,
				      stream_request_interrupt, s);

	if (!r)
		stream_poll(s);
	return r;
}
