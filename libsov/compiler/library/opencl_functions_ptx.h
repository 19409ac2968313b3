/* SPDX-License-Identifier: MIT */
/* Functions that front ends add to modules of OpenCL C; those of f64_functions are among them. */
#ifndef SOV_COMPILER_OPENCL_FUNCTIONS_PTX_H
#define SOV_COMPILER_OPENCL_FUNCTIONS_PTX_H

extern const char opencl_functions[]; /* PTX */

#endif
