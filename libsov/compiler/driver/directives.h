/* SPDX-License-Identifier: MIT */
/* Options that choose kernels and their limits, applied to the parsed module. */
#ifndef SOV_COMPILER_DIRECTIVES_H
#define SOV_COMPILER_DIRECTIVES_H

#include "libsov/compiler/base/compile_job.h"
#include "libsov/compiler/ir/ir.h"

/* Removes kernels that the options do not name and sets limits that the options state. Returns
 * false, with a message, if a named kernel does not exist. */
bool directives_apply(struct compile_job *job, struct ir_module *m);

#endif
