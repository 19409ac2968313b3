/* SPDX-License-Identifier: MIT */
/*
 * The back end for AMD GPUs, gfx1030: finished IR in, a code object out. Its stages, in order, stand in
 * amd.c.
 */
#ifndef SOV_COMPILER_AMD_AMD_H
#define SOV_COMPILER_AMD_AMD_H

#include "libsov/compiler/base/target.h"

extern const struct backend amd_backend;

#endif
