/* SPDX-License-Identifier: MIT */
/*
 * Semantics of the pure operations. The interpreter and constant folding both use this evaluator,
 * so that they cannot disagree.
 */
#ifndef SOV_COMPILER_EVAL_H
#define SOV_COMPILER_EVAL_H

#include "libsov/compiler/ir/ir.h"

/* Values are in the low bits; the bits above a type's width are zero. Returns false when the result
 * does not depend on the arguments alone (special registers, addresses, memory, other lanes). */
bool ir_eval(const struct ir_inst *in, const uint64_t *args, uint64_t *results);

/* Floating point (eval_float.c): IEEE 754 binary16, binary32 and binary64, bfloat16, and pairs of
 * the 16-bit formats, by the instruction's type, format, rounding and flags. Where the standard
 * leaves a choice: - arithmetic produces the NaN 0x7fff, 0x7fffffff or 0x7ff8000000000000 and drops
 * payloads; - fneg and fabs change the sign bit only, also of a NaN; - ftz flushes subnormal
 * arguments and subnormal results to zeros of the same sign, also products that are subnormal when
 * rounded with an unbounded exponent, even where the final rounding gives the smallest normal
 * number; - sat clamps to [0, 1] and maps NaN to 0; - fmin and fmax of a number and a NaN return
 * the number, or the NaN with the nan flag; -0 is less than +0; - a NaN converts to the integer 0,
 * but to the sign bit alone where a double or a 64-bit integer takes part; - approx returns the
 * function's value rounded to nearest; targets may deviate. */
uint64_t ir_eval_float(const struct ir_inst *in, const uint64_t *args); /* fadd … fmax */
uint64_t ir_eval_convert(const struct ir_inst *in, uint64_t arg);       /* utof … ftof */
bool ir_eval_fcmp(const struct ir_inst *in, uint64_t a, uint64_t b);

#endif
