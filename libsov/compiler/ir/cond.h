/* SPDX-License-Identifier: MIT */
/*
 * Conditions as they turn into each other, by enum ir_cond. Mirrored: the same answer with the
 * arguments exchanged. Inverse: the opposite answer, also for NaN, which is why the inverse of an
 * ordered float condition is an unordered one.
 */
#ifndef SOV_COMPILER_COND_H
#define SOV_COMPILER_COND_H

#include "libsov/compiler/ir/ir.h"

extern const uint8_t cond_mirrored[IR_COND_COUNT];
extern const uint8_t cond_inverse[IR_COND_COUNT];

#endif
