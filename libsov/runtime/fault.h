/* SPDX-License-Identifier: MIT */
#ifndef SOV_FAULT_H
#define SOV_FAULT_H

#include "libsov/runtime/context/context.h"

/* Attributes winsys errors to kernels. */
extern const struct context_part fault_part;

/* Names the instruction at a GPU address: kernel, offset, disassembly and source line. program: the
 * entry point of the kernel that runs. */
void fault_locate(const struct context *c, uint64_t pc, uint64_t program, sov_fault *f);

#endif
