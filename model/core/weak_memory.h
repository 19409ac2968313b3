/* SPDX-License-Identifier: MIT */
/* Weak memory mode (SOV_SOFT=...:weak=SEED): caches that keep stale lines and stores that are
 * performed late and out of order, chosen by a seed. weak_memory.c has the machine; the executors
 * say what an instruction does to it. Host addresses lie in whole, mapped pages of 4 KiB. */
#ifndef MODEL_WEAK_MEMORY_H
#define MODEL_WEAK_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/* The machine as one host thread sees it: its units, and the caches that units share. A thread
 * executes one grid with it. */
struct weak_memory;
/* An SM or a compute unit: a cache for loads, and the stores of its agents (warps, waves) that are
 * not performed yet. */
struct weak_unit;

/* shared_caches: a cache between the units and memory, and a scalar cache (AMD). NULL: out of host
 * memory. */
struct weak_memory *weak_memory_create(uint64_t seed, bool shared_caches);
void weak_memory_destroy(struct weak_memory *m); /* its units are destroyed; NULL is allowed */
/* Performs all stores and empties all caches: afterwards m holds no host address. */
void weak_memory_flush(struct weak_memory *m);

/* Scheduling: a number from 0 to below - 1, and the instructions of a warp's quantum and a block's
 * budget. */
uint32_t weak_random(struct weak_memory *m, uint32_t below);
uint32_t weak_warp_quantum(struct weak_memory *m);
uint32_t weak_block_budget(struct weak_memory *m);
/* Few blocks are resident at a time, but as long as none ends, more become so. */
bool weak_may_start_block(struct weak_memory *m, uint32_t resident);

struct weak_unit *weak_unit_create(struct weak_memory *m); /* NULL: out of host memory */
void weak_unit_destroy(struct weak_unit *u);               /* NULL is allowed */
/* A block starts. neighbour: a unit with the same shared caches; NULL: any. */
void weak_unit_start(struct weak_unit *u, const struct weak_unit *neighbour);
/* All agents have ended: performs some stores; true: none is left, the block has ended. */
bool weak_unit_drain(struct weak_unit *u);
/* Between instructions: performs stores, makes them visible in the unit and evicts lines by
 * chance. */
void weak_unit_tick(struct weak_unit *u);

/* Which caches a load may hit. */
enum weak_path {
	WEAK_CACHED, /* all */
	WEAK_SHARED, /* not the unit's own */
	WEAK_STRONG, /* none; but the load may have been performed earlier than its predecessors */
	WEAK_MMIO,   /* none */
	WEAK_SCALAR, /* the scalar cache, and the one that units share */
};
void weak_load(struct weak_unit *u, uint32_t agent, enum weak_path path, const uint8_t *host,
	       void *out, uint32_t bytes);
#define WEAK_MAX_STORE 16 /* bytes */
/* number: of the agent's store instruction, for weak_perform_until(). */
void weak_store(struct weak_unit *u, uint32_t agent, uint64_t number, uint8_t *host,
		const void *data, uint32_t bytes);
/* Before an atomic operation on memory: performs the stores that it must follow and evicts the
 * lines that it changes. */
void weak_atomic(struct weak_unit *u, uint32_t agent, const uint8_t *host, uint32_t bytes);

/* Makes the agent's stores visible to the other agents of the unit. */
void weak_publish(struct weak_unit *u, uint32_t agent);
/* Performs the agent's stores, and those of others that it may have seen. */
void weak_fence(struct weak_unit *u, uint32_t agent);
/* Performs the agent's own stores up to a number. */
void weak_perform_until(struct weak_unit *u, uint32_t agent, uint64_t number);
/* Empties the unit's cache; the one that it shares with others; the scalar cache. */
void weak_invalidate(struct weak_unit *u);
void weak_invalidate_shared(struct weak_unit *u);
void weak_invalidate_scalar(struct weak_unit *u);

#endif
