/* SPDX-License-Identifier: MIT */
/* Streams as queues of submissions: reserving slots, writing commands and publishing them. */
#ifndef SOV_SUBMIT_H
#define SOV_SUBMIT_H

#include <assert.h>
#include "libsov/runtime/memory/staging.h"
#include "libsov/runtime/stream/semaphore.h"

#define STREAM_SLOTS        256
/* A submission has up to three ring entries: a graph's commands, and those before and after
 * them. */
#define STREAM_RING_ENTRIES (4u * STREAM_SLOTS)
/* A slot: the launch descriptor with its constants, then command words; both aligned to 64
 * bytes. */
#define STREAM_SLOT_BYTES   8192u
#define STREAM_SLOT_PUSH    GPU_SLOT_BYTES
#define STREAM_PUSH_WORDS   ((STREAM_SLOT_BYTES - STREAM_SLOT_PUSH) / 4)

enum work {
	WORK_SETUP,
	WORK_KERNEL,
	WORK_COPY,
	WORK_RECORD,
	WORK_WAIT,
	WORK_INTERRUPT,
	WORK_GRAPH
};

/* Where a device has no copy queue for a stream, the compute queue serves both. */
enum engine { ENGINE_COMPUTE, ENGINE_COPY, ENGINES };

/* The members of struct function that submission uses. */
struct kernel_info {
	const char *name;
	uint32_t local_bytes;          /* per thread */
	const _Atomic bool *unloading; /* its module is being unloaded */
};

/* A submission to be made. */
struct submit_request {
	enum engine engine;
	enum work kind;
	/* The kernel; of a graph, its kernel with the most local memory. NULL: none. */
	const struct kernel_info *kernel;
	uint64_t local_bytes; /* of all threads of the kernel, or of the graph's largest */
	uint64_t time_limit;  /* ns; 0: the context's default */
};

struct queue {
	struct winsys_queue *winsys_queue;
	struct winsys_queue_memory memory;
	struct buffer *ring;
	uint64_t put;
};

/* What releases a submission's seqno: the compute queue after a wait-for-idle, the copy engine, or
 * the kernel itself. */
enum completion { COMPLETED_BY_COMPUTE, COMPLETED_BY_COPY, COMPLETED_BY_KERNEL };
#define STREAM_COMPLETION_BITS 2
static_assert(COMPLETED_BY_KERNEL < 1 << STREAM_COMPLETION_BITS, "enum completion needs more bits");

/* Host-side state of a slot. */
struct submission {
	_Atomic uint64_t ready; /* seqno of the submission that may be published */
	/* Of that submission. A reader that is not the publisher checks ready before and after. */
	_Atomic enum work kind;
	_Atomic(const struct kernel_info *) kernel;
	_Atomic uint64_t time_limit;
	/* For the publisher. */
	enum engine engine;
	uint64_t span;            /* ring entry … */
	uint64_t before[2];       /* … and entries before it; 0: none */
	const uint32_t *inserted; /* words of before[1] for the CPU */
	uint64_t code, local; /* versions that the GPU has seen once it has begun the submission */
	/* Content of the slot's memory, from its last launch. */
	struct gpu_slot_contents written;
};

struct stream {
	struct member member;
	uint64_t serial;
	uint32_t index; /* smallest unused in the context when the stream was created */
	int32_t priority;
	bool closed;             /* a thread is destroying it */
	struct buffer *commands; /* the slots */
	struct semaphore *done;  /* payload: low 32 bits of the last completed seqno */
	uint64_t head;           /* oldest incomplete submission */
	uint64_t head_since;     /* when it was first seen as the oldest */
	struct queue queues[ENGINES];
	struct queue *queue_of[ENGINES];

	_Alignas(64) struct gate gate;
	_Alignas(64) _Atomic uint64_t tail; /* last seqno << STREAM_COMPLETION_BITS | completion */
	_Alignas(64) _Atomic uint64_t completed;
	_Alignas(64) _Atomic bool publishing;
	uint64_t published;           /* the publisher's, as are all queues */
	_Atomic uint64_t code, local; /* versions that the GPU has seen at that point */
	struct submission submissions[STREAM_SLOTS];

	struct staging staging;
	struct trace_stream *trace; /* trace/trace_gpu.c; NULL: not traced */
	struct capture *capture;    /* graph/capture.c; guarded by the context's lock */
	_Atomic bool capturing;     /* capture is not NULL */
};

/* A submission while its thread writes it. */
struct slot {
	uint64_t seqno;
	struct submission *submission;
	uint8_t *cpu;
	uint64_t va;
	bool publisher;  /* the thread holds the publisher role */
	bool concurrent; /* other streams must not be stalled: see submit.c */
	/* Commands elsewhere in memory to run, and how many of the slot's words come before
	 * them. */
	uint64_t inserted;
	const uint32_t *inserted_words; /* the same for the CPU */
	uint32_t before;
	struct trace_work *traced; /* trace/trace_gpu.c; NULL: not traced */
	struct gpu_push push;
	_Alignas(64) uint32_t words[STREAM_PUSH_WORDS]; /* push's buffer; submit copies it */
};

/* The store that rings a doorbell. */
struct doorbell {
	uint32_t *word; /* NULL: nothing to ring */
	uint32_t token;
};

static inline void doorbell_ring(struct doorbell b)
{
	if (b.word)
		__atomic_store_n(b.word, b.token, __ATOMIC_RELAXED);
}

/*
 * Submitting, from any thread, without the context's lock. stream_begin reserves the next seqno, or
 * fails and reserves none; it waits while all slots are in use. Between begin and submit nothing
 * may fail or wait, since later submissions cannot be published until then. On ENGINE_COMPUTE
 * submit adds the release of slot->seqno; on ENGINE_COPY the commands end with a release by the
 * copy engine.
 */
sov_result stream_begin(struct stream *s, enum engine engine, enum work kind, struct slot *slot);
sov_result stream_begin_request(struct stream *s, const struct submit_request *q,
				struct slot *slot);
void stream_submit(struct stream *s, struct slot *slot);
/* The same without the last doorbell, which the caller rings as the last thing it does: on x86 the
 * next atomic operation waits until the doorbell's store has left the CPU. */
struct doorbell stream_submit_deferred(struct stream *s, struct slot *slot);
/* Submits a wait for another stream's or the host's release; the submission that releases it has
 * the time limit. */
sov_result stream_acquire(struct stream *s, const struct semaphore *semaphore, uint32_t value);
/* Submits an interrupt after all earlier work. Returns its seqno, or 0 if no slot is free. */
uint64_t stream_interrupt(struct stream *s);

/* Other streams of the context may be active: a wait-for-idle of the engine would stall them. */
bool stream_is_concurrent(const struct stream *s);
/* The last seqno that was reserved. */
uint64_t stream_last(const struct stream *s);
/* Work for this engine goes to the stream's copy queue; inside the gate. */
bool stream_copy_queue(const struct stream *s, enum engine engine);
/* Whether the stream has a copy queue, which this creates as the first copy would; without the
 * lock. */
sov_result stream_find_copy_queue(struct stream *s, bool *own);
/* The last submission went to this engine and is incomplete. */
bool stream_busy(struct stream *s, enum engine engine);
/* The last completed seqno. */
uint64_t stream_poll(struct stream *s);
/* All submitted work is complete. */
static inline bool stream_idle(struct stream *s)
{
	return stream_poll(s) == stream_last(s);
}
/* Waits for a seqno; without the lock. */
sov_result stream_wait_for(struct stream *s, uint64_t seqno, uint64_t timeout);
/* The oldest incomplete submission, except its engine; false: none. */
bool stream_head(struct stream *s, struct submit_request *out);
/* The kernel of this submission; NULL: not a kernel, or its slot was reused. */
const struct kernel_info *stream_kernel_at(struct stream *s, uint64_t seqno);

/* With the context's lock held: creates the queues in the current group and opens the gate. */
sov_result stream_start(struct stream *s);
/* Writes the first commands of the compute queue, again if what they say has changed. With the
 * context's lock held, the gate closed and the stream idle. */
void stream_set_up(struct stream *s);
void stream_stop(struct stream *s);

#endif
