/* SPDX-License-Identifier: MIT */
/* Semaphores: words that the GPU writes and the CPU reads. */
#ifndef SOV_SEMAPHORE_H
#define SOV_SEMAPHORE_H

#include "libsov/runtime/context/context.h"

struct semaphore {
	uint64_t va;
	uint32_t *payload; /* grows, and wraps */
	uint64_t *time;    /* of the last release, in the GPU's ticks */
	/* The last value that a submission will release. The owner writes it; for a free semaphore
	 * the context's lock guards it. */
	uint32_t value;
	struct semaphore *next_free;
};

extern const struct context_part semaphore_part;

/* With the context's lock held. */
sov_result semaphore_create(struct context *c, struct semaphore **out);
void semaphore_destroy(struct context *c, struct semaphore *s);

uint32_t semaphore_read(const struct semaphore *s);
/* Compares modulo 2^32. */
bool semaphore_reached(const struct semaphore *s, uint32_t value);
/* Time of the last release in nanoseconds. */
uint64_t semaphore_time(const struct context *c, const struct semaphore *s);

/* Without the lock. */

/* The owner calls this before it uses the next value: where GPUs compare without wrapping, it waits
 * for all work and starts again at 0 before the value would wrap. */
sov_result semaphore_prepare_next(struct context *c, struct semaphore *s);
/* Waits until the GPU has released the value. When the wait becomes long, request_interrupt(arg)
 * submits a request for an interrupt after all earlier work and returns its seqno, or 0; NULL:
 * none can be requested. */
sov_result semaphore_wait(struct context *c, const struct semaphore *s, uint32_t value,
			  uint64_t timeout, uint64_t (*request_interrupt)(void *arg), void *arg);

#endif
