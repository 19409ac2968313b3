/* SPDX-License-Identifier: MIT */
/*
 * The PTX front end's door: PTX text in, a module of IR with mutable registers out (pass_ssa_construction makes
 * them values).
 */
#ifndef SOV_COMPILER_PTX_PTX_H
#define SOV_COMPILER_PTX_PTX_H

#include <stdbool.h>
#include <stddef.h>
#include "libsov/compiler/driver/compiler.h"
#include "libsov/compiler/ir/ir.h"

/* Newest PTX that is read: 9.0. */
#define PTX_VERSION_MAJOR 9
#define PTX_VERSION_MINOR 0

/* false: every error of the text is in job->diag, in the order of the text. The module lives in
 * job->arena; the text may go when this returns. */
bool ptx_parse(struct compile_job *job, const char *text, size_t length, struct ir_module **out);

#endif
