/* SPDX-License-Identifier: MIT */
/* Counting of executed instructions, for SOV_PROFILE. */
#ifndef MODEL_AMD_PROFILE_H
#define MODEL_AMD_PROFILE_H

#include "model/amd/wave.h"
#include "model/core/profile.h"

/* Executes the instruction and counts it. */
void amd_run_counted(struct wave *w, const struct op *op);

/* Begins to count a grid; false: out of host memory. */
bool amd_profile_begin(struct amd_grid *g);
/* Reports the counters of a grid that has ended. */
void amd_profile_end(struct amd_grid *g);

#endif
