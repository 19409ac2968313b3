/* SPDX-License-Identifier: MIT */
/*
 * Tests of instructions, one row per instruction and type: the instruction as PTX text, the types
 * of its operands, and a C reference that shares no code with the compiler: host integers, and
 * doubles rounded by scaling. Each row becomes a kernel with one thread per input element, corner
 * cases first, then random values.
 *
 * In the text %d is written and %a %b %c are read; %p is a predicate result, stored as 0 or 1. A
 * type is that of a register, but u8, s8 and similar types are loaded into and stored from 32-bit
 * registers.
 */
#ifndef TESTS_PTX_FAMILIES_H
#define TESTS_PTX_FAMILIES_H

#include <stdbool.h>
#include <stdint.h>

#define FAMILY_ELEMENTS 128
#define FAMILY_OPERANDS 4 /* d, a, b, c */

enum family_inputs {
	ANY,      /* all values of the type */
	MODERATE, /* floats from 2^-6 to 2^6, both signs: exact sums and products fit a double */
	POSITIVE, /* the same without the sign */
	HALFWAY,  /* floats halfway between two that have fewer bits, and their neighbours */
	BYTES,    /* 16 bits; the 128 elements together contain every byte value */
	SMALL,    /* integers from 0 to 40 in the last operand: positions, lengths */
};

/* Where the back ends support it: CODE everywhere, HOPPER from Hopper on (as PTX requires), IR
 * nowhere. Otherwise they must reject it as not supported. */
enum family_level { CODE, HOPPER, IR };

struct family {
	const char *text;  /* "add.rn.f16 %d, %a, %b;" */
	const char *types; /* of d, a, b, c: "f16 f16 f16" */
	uint64_t (*want)(const uint64_t *args);
	uint8_t inputs, level;
	uint8_t bits; /* approximations: accurate bits of the fraction; 0: exact */
};

extern const struct family families[];
extern const uint32_t family_count;

struct family_type {
	char letter; /* u, s, b, f, h (bf16), p */
	uint32_t bits;
	bool pair; /* packed: f16x2, bf16x2 */
};

struct family_case {
	const struct family *family;
	struct family_type types[FAMILY_OPERANDS];
	uint32_t operands;                                 /* including d */
	uint64_t values[FAMILY_OPERANDS][FAMILY_ELEMENTS]; /* of d: the expected results */
	uint8_t memory[FAMILY_OPERANDS][FAMILY_ELEMENTS * 8];
	char text[4000]; /* PTX; the kernel is "k" with parameters d, a, b, c */
};

/* Initialises the case; memory holds the inputs, and garbage for d. */
void family_make(const struct family *f, struct family_case *c);
/* Compares the memory of d with the expected results and prints differences. */
bool family_check(const struct family_case *c);

#endif
