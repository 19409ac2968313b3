/* SPDX-License-Identifier: MIT */
/*
 * The back end for NVIDIA GPUs, sm_80 and sm_90: finished IR in, a cubin out. Its stages, in order,
 * stand in nv.c.
 */
#ifndef SOV_COMPILER_NV_NV_H
#define SOV_COMPILER_NV_NV_H

#include "libsov/compiler/compiler.h"
#include "libsov/compiler/ir.h"

/* Writes job->image and job->stats; false with errors in job->diag. */
bool nv_emit(struct compile_job *job, struct ir_module *m);

#endif
