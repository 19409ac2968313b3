/* SPDX-License-Identifier: MIT */
#ifndef SOV_RUNTIME_SPIRV_OPTIONS_H
#define SOV_RUNTIME_SPIRV_OPTIONS_H

#include "libsov/compiler/base/spirv_options.h"
#include "libsov/sov.h"

/* Checks what a program states about a SPIR-V module and translates it for the compiler. The result
 * refers to the program's data; spirv_options_free frees its tables. */
sov_result spirv_options_read(const sov_spirv_options *given, struct spirv_options *out);
void spirv_options_free(struct spirv_options *o);

#endif
