/* SPDX-License-Identifier: MIT */
/* Interface of the SPIR-V front end: translates a SPIR-V module to an IR module. */
#ifndef SOV_COMPILER_SPIRV_SPIRV_H
#define SOV_COMPILER_SPIRV_SPIRV_H

#include <stdbool.h>
#include <stddef.h>
#include "libsov/compiler/base/compile_job.h"
#include "libsov/compiler/ir/ir.h"

/* Whether the data begins with SPIR-V's magic number, in either byte order. */
bool spirv_is(const void *data, size_t bytes);
/* false: job->diag has the first error. The module is allocated in job->arena and does not refer to
 * the data. */
bool spirv_parse(struct compile_job *job, const char *data, size_t bytes, struct ir_module **out);

#endif
