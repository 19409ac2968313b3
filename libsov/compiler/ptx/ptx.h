/* SPDX-License-Identifier: MIT */
/*
 * Interface of the PTX front end: parses PTX text into an IR module. PTX registers become mutable
 * registers of the IR, which pass_ssa_construction converts to SSA values.
 */
#ifndef SOV_COMPILER_PTX_PTX_H
#define SOV_COMPILER_PTX_PTX_H

#include <stdbool.h>
#include <stddef.h>
#include "libsov/compiler/base/compile_job.h"
#include "libsov/compiler/ir/ir.h"

/* The newest supported PTX version. */
#define PTX_VERSION_MAJOR 9
#define PTX_VERSION_MINOR 0

/* false: job->diag has every error, in the order of the text. The module is allocated in job->arena
 * and does not refer to the text. */
bool ptx_parse(struct compile_job *job, const char *text, size_t length, struct ir_module **out);
/* The same, into a module that has functions already; none of their names may occur. */
bool ptx_parse_into(struct compile_job *job, const char *text, size_t length, struct ir_module *m);

#endif
