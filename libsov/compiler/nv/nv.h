/* SPDX-License-Identifier: MIT */
/*
 * The back end for NVIDIA GPUs, sm_80 to sm_90: finished IR in, a cubin out. Its stages, in order,
 * stand in nv.c.
 */
#ifndef SOV_COMPILER_NV_NV_H
#define SOV_COMPILER_NV_NV_H

#include "libsov/compiler/base/target.h"

extern const struct backend nv_backend;

#endif
