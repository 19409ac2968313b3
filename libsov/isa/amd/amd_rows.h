/* SPDX-License-Identifier: MIT */
/*
 * The instruction table of AMD GPUs. Each row:
 *   ROW(format, name, opcode on gfx1030, destination, source 0, source 1, source 2, flags)
 * with the types and flags of amd_row.h. An includer defines ROW to expand the columns that it
 * needs.
 */
#define LOAD(name, op, D, flags) \
	ROW(FLAT, flat_##name, op, D, ADDR, NO, NO, flags) \
	ROW(GLOBAL, global_##name, op, D, ADDR, NO, SADDR, flags) \
	ROW(SCRATCH, scratch_##name, op, D, ADDR, NO, SADDR, flags)
#define STORE(name, op, V) \
	ROW(FLAT, flat_##name, op, NO, ADDR, V, NO, 0) \
	ROW(GLOBAL, global_##name, op, NO, ADDR, V, SADDR, 0) \
	ROW(SCRATCH, scratch_##name, op, NO, ADDR, V, SADDR, 0)
#define ATOMIC_ROW(name, op, D, V) \
	ROW(FLAT, flat_##name, op, D, ADDR, V, NO, ATOMIC) \
	ROW(GLOBAL, global_##name, op, D, ADDR, V, SADDR, ATOMIC)

#include "libsov/isa/amd/amd_rows_scalar.h"
#include "libsov/isa/amd/amd_rows_vector.h"
#include "libsov/isa/amd/amd_rows_vector3.h"
#include "libsov/isa/amd/amd_rows_compare.h"
#include "libsov/isa/amd/amd_rows_memory.h"

#undef LOAD
#undef STORE
#undef ATOMIC_ROW
#undef ROW
