/* SPDX-License-Identifier: MIT */
/*
 * Units: the pieces of a module that are compiled each for itself, by several threads at once or when
 * somebody asks for them. A unit is a kernel with the functions that it calls; kernels that call the same
 * function are one unit, so that nothing is compiled twice. Where a function's address is taken, any
 * kernel may get to it, and the module is one unit.
 */
#ifndef SOV_COMPILER_UNIT_H
#define SOV_COMPILER_UNIT_H

#include "libsov/compiler/ir/ir.h"

/* Which unit each function is in, by its index, numbered in the order of their first functions;
 * returns how many there are. */
uint32_t units_find(const struct ir_module *m, uint32_t *unit_of);
/* Takes the module apart: its functions are those of the units now. Variables, names and places are
 * shared, and nobody changes these any more. What a unit asks for from now on comes from its arena,
 * which is set already. */
void units_split(struct ir_module *m, const uint32_t *unit_of, struct ir_module *const *units,
		uint32_t count);

#endif
