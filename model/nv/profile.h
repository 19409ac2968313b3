/* SPDX-License-Identifier: MIT */
/* Counting of executed instructions. A page of decoded code that is to be counted has a site per
 * instruction, which replaces the instruction's handler: without SOV_PROFILE nothing is done. */
#ifndef MODEL_NV_PROFILE_H
#define MODEL_NV_PROFILE_H

#include "model/core/profile.h"
#include "model/nv/exec.h"

struct profile_sites; /* of a code page */

struct profile_sites *profile_sites_create(void); /* NULL: out of host memory */
void profile_sites_free(struct profile_sites *s);
/* Lets the decoded instruction be counted when it is executed. */
void profile_count_op(struct profile_sites *s, uint32_t index, struct op *op);

/* Begins to count a grid; false: out of host memory. */
bool profile_grid_begin(struct grid *g);
/* Reports the counters of a grid that has ended. */
void profile_grid_end(struct grid *g);

#endif
