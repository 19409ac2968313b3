/* SPDX-License-Identifier: MIT */
/* The trace's hooks around GPU work. */
#ifndef SOV_TRACE_GPU_H
#define SOV_TRACE_GPU_H

#include "libsov/runtime/context/context.h"
#include "libsov/runtime/trace/trace_ring.h"

struct trace_stream;
struct trace_work;

/* Trace state of a stream with this many slots; NULL: out of memory, the stream is not traced. With
 * the context's lock held. */
struct trace_stream *trace_stream_create(struct context *c, uint32_t slots);
/* The stream's queues are gone: incomplete work is written as cut. */
void trace_stream_stop(struct trace_stream *t);
void trace_stream_destroy(struct context *c, struct trace_stream *t); /* NULL: nothing */

struct trace_submission {
	const char *kernel; /* NULL: not a kernel */
	bool copy_engine;
};

/* Called after a slot was reserved, and before it is published: they add releases with time stamps
 * before and after the submission's commands. */
struct trace_work *trace_work_begin(struct trace_stream *t, uint64_t seqno, uint64_t stream_serial,
				    struct gpu_push *push, const struct trace_submission *what);
void trace_work_set_shape(struct trace_work *w, const sov_launch *l);
/* done_va: the semaphore that the work itself releases; 0: the commands so far wait for it. */
void trace_work_end(struct trace_stream *t, struct trace_work *w, struct gpu_push *push,
		    uint64_t done_va);

/* For the writer thread. Passes completed work to put, with times on the host's clock where they
 * are known; finish: also incomplete work, as cut. */
void trace_gpu_collect(void (*put)(const struct trace_event *e), bool finish);
/* Reads the clocks of all devices once a second. */
void trace_gpu_read_clocks(void);
/* Converts the GPU's time to the host's; false: that clock has not been read. */
bool trace_gpu_time(uint32_t device, uint64_t gpu, uint64_t *host);

#endif
