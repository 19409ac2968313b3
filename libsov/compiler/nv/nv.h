/* SPDX-License-Identifier: MIT */
/*
 * Back end for NVIDIA GPUs, sm_80 to sm_90: lowered IR in, cubin out. nv.c lists the stages.
 */
#ifndef SOV_COMPILER_NV_NV_H
#define SOV_COMPILER_NV_NV_H

#include "hw/nv/bank0.h"
#include "hw/nv/texture.h"
#include "libsov/compiler/base/target.h"

extern const struct backend nv_backend;

#endif
