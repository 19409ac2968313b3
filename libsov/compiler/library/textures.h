/* SPDX-License-Identifier: MIT */
/* Textures and surfaces on targets without instructions for them: calls of functions that the
 * compiler adds to the module. */
#ifndef SOV_COMPILER_TEXTURES_H
#define SOV_COMPILER_TEXTURES_H

#include "libsov/compiler/base/compile_job.h"
#include "libsov/compiler/ir/ir.h"

extern const char texture_functions[]; /* PTX */

/* Before SSA construction. false: an error, reported. */
bool textures_lower(struct compile_job *job, struct ir_module *m);

#endif
