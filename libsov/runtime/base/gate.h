/* SPDX-License-Identifier: MIT */
/*
 * A gate: many threads enter it without a lock, and one thread can close it. One word counts the
 * threads inside and has a closed bit. Entering adds one and checks the bit; closing sets the bit
 * and waits until the count is zero. Afterwards the closing thread owns what the gate guards, and
 * threads that enter later see everything that was written while it was closed.
 *
 * Only a thread that holds the context's lock closes or opens a gate, and threads inside never take
 * that lock or wait, so closing takes a few hundred instructions of other threads.
 */
#ifndef SOV_GATE_H
#define SOV_GATE_H

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define GATE_CLOSED (1u << 31)

struct gate {
	_Atomic uint32_t state;
};

static inline void gate_leave(struct gate *g)
{
	atomic_fetch_sub_explicit(&g->state, 1, memory_order_release);
}

/* false: the gate is closed. */
static inline bool gate_enter(struct gate *g)
{
	if (!(atomic_fetch_add_explicit(&g->state, 1, memory_order_acquire) & GATE_CLOSED))
		return true;
	gate_leave(g);
	return false;
}

/* A new gate is closed. */
static inline void gate_init(struct gate *g)
{
	atomic_init(&g->state, GATE_CLOSED);
}

static inline bool gate_closed(const struct gate *g)
{
	return atomic_load_explicit(&g->state, memory_order_relaxed) & GATE_CLOSED;
}

static inline void gate_close(struct gate *g)
{
	atomic_fetch_or_explicit(&g->state, GATE_CLOSED, memory_order_acq_rel);
	while (atomic_load_explicit(&g->state, memory_order_acquire) != GATE_CLOSED)
		sched_yield();
}

static inline void gate_open(struct gate *g)
{
	atomic_fetch_and_explicit(&g->state, ~GATE_CLOSED, memory_order_release);
}

#endif
