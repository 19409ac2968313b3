/* SPDX-License-Identifier: MIT */
/*
 * Compilation units: parts of a module that are compiled independently, concurrently or on demand.
 * A unit is a kernel with the functions that it calls. Kernels that share a callee form one unit,
 * so that no function is compiled twice. If the module takes a function's address, any kernel may
 * call it, and the module is one unit.
 */
#ifndef SOV_COMPILER_UNIT_H
#define SOV_COMPILER_UNIT_H

#include "libsov/compiler/ir/ir.h"

/* Sets the unit of each function, by function index; units are numbered by their first function.
 * Returns the number of units. */
uint32_t units_find(const struct ir_module *m, uint32_t *unit_of);
/* Splits the module: moves its functions to the units. The units share variables, names and source
 * locations read-only and allocate from their own arenas, which the caller has set. */
void units_split(struct ir_module *m, const uint32_t *unit_of, struct ir_module *const *units,
		 uint32_t count);

#endif
