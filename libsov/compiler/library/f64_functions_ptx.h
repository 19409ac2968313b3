/* SPDX-License-Identifier: MIT */
/* Elementary functions of f64, which front ends add to modules that call them. */
#ifndef SOV_COMPILER_F64_FUNCTIONS_PTX_H
#define SOV_COMPILER_F64_FUNCTIONS_PTX_H

extern const char f64_functions[]; /* PTX */

#endif
