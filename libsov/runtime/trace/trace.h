/* SPDX-License-Identifier: MIT */
/*
 * SOV_TRACE: what a program called and what the GPU did for it, with times, as a file that Perfetto
 * and Chrome show. docs/observability.md tells what stands in it and what is guaranteed.
 *
 *   trace.c       events of threads: rings, and the thread that empties them
 *   trace_gpu.c   what the GPU did: time stamps around pieces of work, and its clock beside ours
 *   trace_file.c  the file, a whole JSON document at every moment
 *
 * While SOV_TRACE is unset, each hook costs the look at one byte.
 */
#ifndef SOV_TRACE_H
#define SOV_TRACE_H

#include "libsov/runtime/api.h"
#include "libsov/runtime/runtime.h"

extern uint8_t trace_on;

static inline bool tracing(void)
{
	return __builtin_expect(__atomic_load_n(&trace_on, __ATOMIC_RELAXED), 0);
}

/* What a piece of the GPU's work is to a reader. Kernels and graphs are known by themselves; of a
 * copy or fill, which may be a kernel too, its maker says so before. */
enum trace_work {
	TRACE_KERNEL,
	TRACE_COPY_IN,
	TRACE_COPY_OUT,
	TRACE_COPY_ACROSS,
	TRACE_FILL,
	TRACE_GRAPH
};

/* ---- hooks ---- */

/* Read SOV_TRACE and open the file; a sentence about what is wrong with it. */
sov_result trace_init(void);

/* Of the calling thread's copies and fills from now on, and bytes of the next piece; of a graph,
 * its nodes. */
struct trace_expected {
	enum trace_work work;
	uint64_t bytes; /* 0: the next piece is no copy and no fill */
};
extern _Thread_local struct trace_expected trace_expected;

static inline void trace_direction(enum trace_work work)
{
	if (tracing())
		trace_expected.work = work;
}

static inline void trace_bytes(uint64_t bytes)
{
	if (tracing())
		trace_expected.bytes = bytes;
}

void trace_call(const struct api_call *call, const uint64_t *values, uint64_t from, uint64_t to,
		sov_result r);
/* A host function of a stream ran in this thread. */
void trace_function(uint64_t from, uint64_t to);

/* A stream is traced from create to destroy; without the memory for that it is not. With the
 * context's lock held. Stop: its queues are gone, and what is not done stays undone. */
void trace_stream_create(struct stream *s);
void trace_stream_stop(struct stream *s);
void trace_stream_destroy(struct stream *s);
/* Around the methods of a piece, when its slot has been taken and before it is published. */
void trace_piece_begin(struct stream *s, struct slot *slot, enum work kind,
		       const struct function *f);
void trace_piece_end(struct stream *s, struct slot *slot, bool released);
void trace_piece_shape(struct slot *slot, const sov_launch *l);

/* ---- inside ---- */

enum trace_kind { TRACE_CALLED, TRACE_FUNCTION, TRACE_GPU };

struct trace_gpu_work {
	enum trace_work work;
	uint32_t device, track;
	const char *by;     /* what did a copy: "engine", "kernel" or "methods" */
	uint64_t number;    /* unique in the trace */
	uint64_t submitted; /* by the event's thread */
	uint64_t bytes;
	uint32_t grid[3], block[3], shared;
	bool cut; /* it did not end: its end is when it was stopped */
};

struct trace_event {
	enum trace_kind kind;
	uint32_t thread;
	const char *name;    /* lives as long as the process */
	uint64_t start, end; /* nanoseconds: the host's clock; of the GPU's work the GPU's */
	union {
		struct {
			const struct api_call *call;
			sov_result result;
			uint64_t values[API_MOST_ARGUMENTS];
		} called;
		struct trace_gpu_work gpu;
	};
};

/* Into the calling thread's ring; if that is full the event is counted as lost. */
void trace_put(const struct trace_event *e);
uint32_t trace_thread(void);

/* trace_gpu.c: all below by the thread that writes, or when that has ended. What is done goes to
 * put; finish: also what is not. */
void trace_gpu_collect(void (*put)(const struct trace_event *e), bool finish);
void trace_gpu_clocks(void);
/* The GPU's time as the host's; false: nothing is known of that clock. */
bool trace_gpu_time(uint32_t device, uint64_t gpu, uint64_t *host);

/* trace_file.c */
sov_result trace_file_open(const char *path);
void trace_file_event(const struct trace_event *e);
void trace_file_thread(uint32_t thread, const char *name);
void trace_file_device(uint32_t device, const char *name);
void trace_file_track(uint32_t device, uint32_t track, uint64_t context, uint64_t stream);
void trace_file_clock(uint32_t device, uint64_t host, uint64_t gpu, uint64_t window);
void trace_file_lost(uint64_t events);
/* Makes what was added part of the document. */
void trace_file_flush(void);
void trace_file_close(void);

#endif
