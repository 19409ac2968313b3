/* SPDX-License-Identifier: MIT */
/*
 * Tables that map conditions to conditions. Mirrored: the same result with the arguments exchanged.
 * Inverse: the opposite result, also for NaN, so the inverse of an ordered float condition is
 * unordered.
 */
#ifndef SOV_COMPILER_COND_H
#define SOV_COMPILER_COND_H

#include "libsov/compiler/ir/ir.h"

extern const uint8_t cond_mirrored[IR_COND_COUNT];
extern const uint8_t cond_inverse[IR_COND_COUNT];

#endif
