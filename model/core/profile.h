/* SPDX-License-Identifier: MIT */
/* Counters of a grid, for SOV_PROFILE. Each resident block counts in a unit of its own, without a
 * lock; a unit that is destroyed is added to the grid's. */
#ifndef MODEL_PROFILE_H
#define MODEL_PROFILE_H

#include "libsov/isa/counts.h"

struct profile;      /* of a grid */
struct profile_unit; /* of a block that is resident, and of those after it in its place */

/* granule: bytes at which instructions begin. NULL: out of host memory, as for units. */
struct profile *profile_create(uint32_t granule);
struct profile_unit *profile_unit_create(struct profile *p);
/* NULL is allowed. */
void profile_unit_destroy(struct profile_unit *u);
/* When all units are destroyed: adds the counters to the launch, calls report with it, frees the
 * profile. */
void profile_end(struct profile *p, struct launch_counts *l,
		 void (*report)(void *argument, const struct launch_counts *l), void *argument);

/* The counters of the instruction at pc. */
struct counts *profile_at(struct profile_unit *u, uint64_t pc);
/* Counts the access of active lanes to global memory. */
void profile_global(struct profile_unit *u, struct counts *n, const uint64_t address[32],
		    uint32_t lanes, uint32_t bytes);
/* The same for a copy of consecutive bytes by one lane. */
void profile_global_bulk(struct profile_unit *u, struct counts *n, uint64_t address,
			 uint64_t bytes);
/* Counts the access of active lanes to shared memory. */
void profile_shared(struct counts *n, const uint64_t address[32], uint32_t lanes, uint32_t bytes);

#endif
