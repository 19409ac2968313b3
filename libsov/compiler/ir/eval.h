/* SPDX-License-Identifier: MIT */
/*
 * The meaning of pure operations, in one place: the interpreter executes with it and constant
 * folding computes with it, so the two cannot disagree.
 */
#ifndef SOV_COMPILER_EVAL_H
#define SOV_COMPILER_EVAL_H

#include "libsov/compiler/ir/ir.h"

/* Values are in the low bits, the bits above a type's width are zero. false: what the operation
 * gives does not follow from its arguments alone (special registers, addresses, memory, lanes). */
bool ir_eval(const struct ir_inst *in, const uint64_t *args, uint64_t *results);

/*
 * Floating point (float.c): IEEE 754 binary16, binary32 and binary64, bfloat16, and pairs of the
 * formats of 16 bits, by the instruction's type, format, rounding and flags. What the standard
 * leaves open is fixed here:
 *  - a NaN that arithmetic makes is 0x7fff, 0x7fffffff or 0x7ff8000000000000; payloads are not kept;
 *  - fneg and fabs touch the sign bit only, also of a NaN;
 *  - ftz takes subnormal arguments, and results that are subnormal after rounding, as zeros of the
 *    same sign;
 *  - sat gives 0 for what is below it and for NaN, 1 for what is above;
 *  - of a number and a NaN, fmin and fmax give the number, or with nan the NaN; -0 is below +0;
 *  - as an integer a NaN is 0, but where a double or 64 bits take part the highest bit alone;
 *  - approx gives what the function is, rounded to nearest; machines may be off.
 */
uint64_t ir_eval_float(const struct ir_inst *in, const uint64_t *args); /* fadd … fmax */
uint64_t ir_eval_convert(const struct ir_inst *in, uint64_t arg);       /* utof … ftof */
bool ir_eval_fcmp(const struct ir_inst *in, uint64_t a, uint64_t b);

#endif
