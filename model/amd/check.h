/* SPDX-License-Identifier: MIT */
/* Checked programs (SOV_CHECK): what AMD's executor tells the checker (model/core/check.h). */
#ifndef MODEL_AMD_CHECK_H
#define MODEL_AMD_CHECK_H

#include "model/amd/wave.h"
#include "model/core/check.h"

/* Checks what the instruction accesses and executes it for the lanes that may proceed. */
void amd_run_checked(struct wave *w, const struct op *op);

/* Begins to check a grid; false: out of host memory. */
bool amd_check_begin(struct amd_grid *g);

static inline void amd_execute(struct wave *w, const struct op *op)
{
	if (w->group->check)
		amd_run_checked(w, op);
	else
		op->handler->run(w, op);
}

#endif
