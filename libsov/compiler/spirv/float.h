/* SPDX-License-Identifier: MIT */
/* Pieces of floating-point arithmetic that several instructions are made of. */
#ifndef SOV_COMPILER_SPIRV_FLOAT_H
#define SOV_COMPILER_SPIRV_FLOAT_H

#include "libsov/compiler/spirv/front_end.h"

ir_val spirv_to_single(struct spirv *s, ir_val v);
ir_val spirv_quotient(struct spirv *s, ir_val a, ir_val b);
/* To an integral float. */
ir_val spirv_round(struct spirv *s, enum ir_type type, ir_val v, enum ir_round mode);
ir_val spirv_dot(struct spirv *s, uint32_t n, const ir_val *a, const ir_val *b);

#endif
