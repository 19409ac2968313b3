/* SPDX-License-Identifier: MIT */
/* Handles of images, as arguments of kernels from SPIR-V. */
#ifndef SOV_COMPILER_BASE_IMAGE_HANDLE_H
#define SOV_COMPILER_BASE_IMAGE_HANDLE_H

/* The handle of an image with several samples has the logarithm of their number from this bit on.
 * sov.h says the same to callers; spirv_options.c of the runtime compares both. */
#define SPIRV_SAMPLES_SHIFT 61

#endif
