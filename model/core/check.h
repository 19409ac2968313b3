/* SPDX-License-Identifier: MIT */
/* The checker (SOV_CHECK): what the executors tell it. Each access to memory and each
 * synchronisation is one call; a pointer that is NULL when nothing is checked guards them.
 * check_memory.c knows which bytes are allocated, check_shadow.c which were written,
 * check_order.c which accesses are ordered, check_race.c finds those that are not, check_report.c
 * collects what is wrong. */
#ifndef MODEL_CHECK_H
#define MODEL_CHECK_H

#include "model/core/model.h"

struct check_space;  /* the allocations of an address space, and its reports */
struct check_launch; /* a grid that runs */
struct mmu_reader;
struct check_block; /* a block: its shared and local memory, the clocks of its warps */

#define CHECK_LANES     32u
#define CHECK_MAX_WARPS 32u

enum check_memory { CHECK_GLOBAL, CHECK_SHARED, CHECK_LOCAL };
/* An asynchronous access is by no thread: it is never part of a race. */
enum check_access_kind {
	CHECK_READ,
	CHECK_WRITE,
	CHECK_ATOMIC,
	CHECK_ASYNC_READ,
	CHECK_ASYNC_WRITE
};
/* How wide an access is strong (PTX, memory consistency model), or a fence. */
enum check_scope { CHECK_WEAK, CHECK_CTA, CHECK_GPU };

/* One instruction's accesses. A lane's address is that of a byte of the memory: its offset in
 * shared memory, or in the thread's local memory. */
struct check_access {
	enum check_memory memory;
	enum check_access_kind kind;
	enum check_scope scope;
	uint32_t bytes, warp;
	uint64_t pc;
	/* Registers of the values to store, one row of lanes for each word; NULL: unknown. */
	const uint32_t (*values)[CHECK_LANES];
	/* The memory itself: shared, or by translation. */
	const uint8_t *shared;
	struct mmu_reader *reader;
};

/* checks: MODEL_CHECK_*. NULL: out of host memory. */
struct check_space *check_space_create(uint32_t checks);
void check_space_destroy(struct check_space *s); /* NULL is allowed */

struct check_grid {
	uint64_t program;
	uint32_t size[3], block[3]; /* blocks of the grid, threads of a block */
	uint32_t shared_bytes;
	uint64_t local_bytes; /* of a thread */
};
/* NULL: out of host memory. */
struct check_launch *check_launch_create(struct check_space *s, const struct check_grid *grid);
void check_launch_destroy(struct check_launch *l); /* NULL is allowed */

struct check_block *check_block_create(struct check_launch *l); /* NULL: out of host memory */
void check_block_destroy(struct check_block *b);                /* NULL is allowed */
void check_block_start(struct check_block *b, const uint32_t id[3]);

/* Before the access: reports what is wrong with it. Returns the lanes that may proceed; the others'
 * loads read 0, and their stores are dropped. */
uint32_t check_lanes(struct check_block *b, const struct check_access *a,
		     const uint64_t address[CHECK_LANES], uint32_t mask);
/* The same for weak accesses of a whole warp, to global memory or shared memory, of which each half
 * has adjacent lanes from an address on, or reads one address. False: check_lanes() must check
 * them. */
#define CHECK_HALVES 2u
bool check_halves(struct check_block *b, const struct check_access *a,
		  const uint64_t address[CHECK_HALVES], const bool same[CHECK_HALVES]);
/* A lane's global address that no page backs. Returns true after a report: drop the access. */
bool check_unmapped(struct check_block *b, const struct check_access *a, uint32_t lane,
		    uint64_t address);

/* A warp arrives at the block's barrier; it leaves it when the barrier is complete. */
void check_barrier_arrive(struct check_block *b, uint32_t warp, uint32_t barrier);
void check_barrier_leave(struct check_block *b, uint32_t warp, uint32_t barrier);
void check_barrier_complete(struct check_block *b, uint32_t barrier);
/* Lanes of a warp arrive, but not all live ones. */
void check_barrier_divergent(struct check_block *b, uint32_t warp, uint64_t pc, uint32_t barrier,
			     uint32_t arrived, uint32_t missing);
/* A fence: what the warp did before it is released, and what it has seen by strong reads acquired.
 * acquires: also what others have released so far. */
void check_fence(struct check_block *b, uint32_t warp, enum check_scope scope, bool acquires);
/* The warp's caches are invalidated. */
void check_acquire(struct check_block *b, uint32_t warp);

/* Copies and fills outside of kernels, after they are translated. Both sides are GPU addresses. */
void check_copied(struct check_space *s, uint64_t to, uint64_t from, uint64_t bytes);
void check_written(struct check_space *s, uint64_t to, uint64_t bytes);
/* The channel has failed: the error is a report, too. */
void check_failed(struct check_space *s, const struct model_error *e);

#endif
