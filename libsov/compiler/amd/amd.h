/* SPDX-License-Identifier: MIT */
/*
 * The back end for AMD RDNA2 (gfx1030), wave32: IR in, code object out. amd.c lists its passes.
 */
#ifndef SOV_COMPILER_AMD_AMD_H
#define SOV_COMPILER_AMD_AMD_H

#include "libsov/compiler/base/target.h"

extern const struct backend amd_backend;

#endif
