/* SPDX-License-Identifier: MIT */
/*
 * A gate: what many threads pass without a lock and one thread can shut. Its word counts the
 * threads inside and has one bit that says "closed". Who enters adds one and looks at what was
 * there; who closes sets the bit and waits until nobody is inside. After that the closer owns what
 * the gate guards, and whoever enters later sees everything that was done while it was closed.
 *
 * Only holders of the context's lock close and open, and nobody inside takes that lock or waits for
 * anything, so closing takes as long as a few hundred instructions of others.
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

/* false: it is closed. */
static inline bool gate_enter(struct gate *g)
{
	if (!(atomic_fetch_add_explicit(&g->state, 1, memory_order_acquire) & GATE_CLOSED))
		return true;
	gate_leave(g);
	return false;
}

/* For one that was never open. */
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
