/* SPDX-License-Identifier: MIT */
#ifndef SOV_EVENT_H
#define SOV_EVENT_H

#include "libsov/runtime/stream/semaphore.h"

struct event {
	struct member member;
	/* The event's own; of an event without timing, that of the stream it was recorded in
	 * last. */
	struct semaphore *semaphore;
	bool no_timing; /* a record is the stream's seqno; semaphore is guarded by recording */
	pthread_mutex_t recording; /* keeps values and submissions in the same order */
	_Atomic uint64_t mark; /* EVENT_RECORDED | value of the last record; 0: never recorded */
	/* The capture that it was recorded in last; 0: the stream was not captured. The context's
	 * lock guards the nodes that the record stands for. */
	_Atomic uint64_t captured_in;
	uint32_t *captured, captured_count;
};
#define EVENT_RECORDED (UINT64_C(1) << 32)

extern const struct context_part event_part;

#endif
