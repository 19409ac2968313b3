/* SPDX-License-Identifier: MIT */
/* The trace's hooks for host threads, and their ring buffers. While SOV_TRACE is unset a hook tests
 * one byte. */
#ifndef SOV_TRACE_RING_H
#define SOV_TRACE_RING_H

#include "libsov/runtime/trace/trace_event.h"

extern uint8_t trace_on;

static inline bool tracing(void)
{
	return __builtin_expect(__atomic_load_n(&trace_on, __ATOMIC_RELAXED), 0);
}

/* What the calling thread's next submissions are to the trace's reader: a copy or fill may be
 * executed by a kernel. */
struct trace_expected {
	enum trace_work_kind work;
	uint64_t bytes; /* of the next submission; 0: neither copy nor fill */
};
extern _Thread_local struct trace_expected trace_expected;

static inline void trace_expect_work(enum trace_work_kind work)
{
	if (tracing())
		trace_expected.work = work;
}

static inline void trace_expect_bytes(uint64_t bytes)
{
	if (tracing())
		trace_expected.bytes = bytes;
}

void trace_call(const struct call_info *info, const uint64_t *values, uint64_t from, uint64_t to,
		sov_result r);
void trace_host_function(uint64_t from, uint64_t to);

/* Appends to the calling thread's ring; a full ring counts the event as lost. */
void trace_put(const struct trace_event *e);
uint32_t trace_thread(void);

/* For the writer thread. */
bool trace_rings_init(void);
void trace_rings_wait(uint64_t ns); /* or until a ring is half full, or trace_rings_wake */
void trace_rings_wake(void);
void trace_rings_empty(void (*write)(const struct trace_event *e));

#endif
