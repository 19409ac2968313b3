/* SPDX-License-Identifier: MIT */
/* Waiting for the GPU, for the whole context. */
#ifndef SOV_CONTEXT_WAIT_H
#define SOV_CONTEXT_WAIT_H

#include "libsov/runtime/context/context.h"

/* Delays a busy-waiting loop. */
void cpu_relax(void);
/* Iterations of such a loop before a wait of this length should sleep. */
uint64_t context_spins(const struct context *c, uint64_t timeout);

/* ---- with the lock held, which is released while the thread sleeps ---- */

/* Busy-waits for ready(arg), with the lock released between two calls; false: not ready yet. Does
 * not check the context for errors. */
bool context_spin(struct context *c, bool (*ready)(void *arg), void *arg, uint64_t timeout);
/* Waits until ready(arg). timeout 0: SOV_NOT_READY instead of waiting. */
sov_result context_block(struct context *c, bool (*ready)(void *arg), void *arg, uint64_t timeout);
/* The same, for a caller that learned what to wait for when the context's epoch was this. */
sov_result context_block_since(struct context *c, bool (*ready)(void *arg), void *arg,
			       uint64_t timeout, uint64_t epoch);
/* Waits for all work that was submitted before. */
sov_result context_drain(struct context *c, uint64_t timeout);
/* The same before memory is freed; does not wait on a failed context. *keep: the GPU may still use
 * the memory. */
sov_result context_drain_to_free(struct context *c, bool *keep);

/* All parts are idle; with all streams quiesced, they stay so. */
bool context_idle(struct context *c);

/* ---- without the lock ---- */

/* If needed(c, arg), quiesces all streams and runs act with the lock held; does not wait for work
 * that was submitted. */
sov_result context_pause(struct context *c, bool (*needed)(struct context *c, void *arg),
			 sov_result (*act)(struct context *c, void *arg), void *arg);

/* While needed(c, arg), quiesces all streams, waits until they are idle and runs act with the lock
 * held. */
sov_result context_settle(struct context *c, bool (*needed)(struct context *c, void *arg),
			  sov_result (*act)(struct context *c, void *arg), void *arg);

#endif
