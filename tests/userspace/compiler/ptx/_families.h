/* SPDX-License-Identifier: MIT */
/*
 * One row per instruction and family of types: the instruction as PTX text, the types of its
 * operands, and what it must give, as C that shares nothing with the compiler: integers of the
 * host, and doubles that are rounded by scaling. A kernel is made of the row, with a thread for
 * each element of the inputs, corner cases first and random ones after them.
 *
 * In the text %d is written and %a %b %c are read; %p is a predicate result, which is stored as 0
 * or 1. A type is that of a register, but u8, s8 and the like are loaded into and stored from
 * 32-bit registers.
 */
#ifndef TESTS_PTX_FAMILIES_H
#define TESTS_PTX_FAMILIES_H

#include <stdbool.h>
#include <stdint.h>

#define FAMILY_ELEMENTS 128
#define FAMILY_OPERANDS 4 /* d, a, b, c */

enum family_inputs {
	ANY,      /* all that the type has */
	MODERATE, /* floats from 2^-6 to 2^6, both signs: exact sums and products fit a double */
	POSITIVE, /* the same without the sign */
	HALFWAY,  /* floats halfway between two that have fewer bits, and their neighbours */
	BYTES,    /* 16 bits whose 128 pairs of bytes are all the bytes there are */
	SMALL,    /* integers from 0 to 40 in the last operand: positions, lengths */
};

/* How far the back ends are: CODE runs as machine code everywhere, HOPPER from there on (as PTX has
 * it for these), IR nowhere. Elsewhere it is refused by name. */
enum family_level { CODE, HOPPER, IR };

struct family {
	const char *text;  /* "add.rn.f16 %d, %a, %b;" */
	const char *types; /* of d, a, b, c: "f16 f16 f16" */
	uint64_t (*want)(const uint64_t *args);
	uint8_t inputs, level;
	uint8_t bits; /* approximations: of the fraction, that must be right; 0: all */
};

extern const struct family families[];
extern const uint32_t family_count;

struct family_type {
	char letter; /* u, s, b, f, h (bf16), p */
	uint32_t bits;
	bool pair; /* of halves: f16x2, bf16x2 */
};

struct family_case {
	const struct family *family;
	struct family_type types[FAMILY_OPERANDS];
	uint32_t operands;                                 /* with d */
	uint64_t values[FAMILY_OPERANDS][FAMILY_ELEMENTS]; /* d: what is wanted */
	uint8_t memory[FAMILY_OPERANDS][FAMILY_ELEMENTS * 8];
	char text[4000]; /* PTX; the kernel is "k" with parameters d, a, b, c */
};

/* Fills in everything; memory holds the inputs, and garbage for d. */
void family_make(const struct family *f, struct family_case *c);
/* Compares memory of d with what is wanted and says what differs. */
bool family_check(const struct family_case *c);

#endif
