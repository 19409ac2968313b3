/* SPDX-License-Identifier: MIT */
/*
 * Matrix products of a warp: their kinds, which register of which lane holds which element (PTX
 * ISA, "Matrix Fragments for mma"), and their values.
 */
#ifndef SOV_ISA_MMA_H
#define SOV_ISA_MMA_H

#include <stdbool.h>
#include <stdint.h>

enum mma_element {
	MMA_F16,
	MMA_BF16,
	MMA_TF32,
	MMA_F32,
	MMA_F64,
	MMA_I8,
	MMA_I4,
	MMA_B1,
	MMA_F8,
	MMA_S32
};
enum { /* flags of a kind: mma_kinds.h */
       MMA_SIGNED_A = 1 << 0,
       MMA_SIGNED_B = 1 << 1,
       MMA_SATURATE = 1 << 2,
       MMA_XOR = 1 << 3,
       MMA_E5M2_A = 1 << 4,
       MMA_E5M2_B = 1 << 5,
       MMA_SPARSE = 1 << 6,
};
#define MMA_SIGNS (MMA_SIGNED_A | MMA_SIGNED_B)

enum mma_kind_number {
#define MMA(name, text, m, k, factors, sums, flags) MMA_KIND_##name,
#include "libsov/isa/mma_kinds.h"
	MMA_KINDS
};

struct mma_kind {
	const char *text;
	uint8_t m;
	uint16_t k;
	uint8_t factors, sums; /* enum mma_element: of A and B, of C and D */
	uint8_t flags;
};
extern const struct mma_kind mma_kinds[MMA_KINDS];

/* The number of the kind with these properties, but for its text; MMA_KINDS: there is none. */
uint32_t mma_find(const struct mma_kind *like);

#define MMA_LANES     32
#define MMA_MAX_WORDS 8 /* registers of A; a register has 32 bits, or 64 for f64 */

/* Registers of A, B, and C or D. */
struct mma_registers {
	uint8_t a, b, c;
};
struct mma_registers mma_registers(const struct mma_kind *kind);
uint32_t mma_elements_per_register(uint8_t element);
/*
 * The metadata of sparse products. A row of A consists of chunks of four units, of which it holds
 * two: a unit has 16 bits, or 8 if elements have no more. Four bits for each chunk are the numbers
 * of these units. Lanes of each group of four hold them, which the product's selector chooses.
 */
struct mma_metadata {
	uint32_t words[MMA_LANES];
	uint32_t selector;
};
struct mma_metadata_place {
	uint32_t lane, bit; /* in the group; the lowest */
};
/* Of a chunk of row group + 8 half. */
struct mma_metadata_place mma_metadata_place(const struct mma_kind *kind, uint32_t half,
					     uint32_t chunk, uint32_t selector);
uint32_t mma_selectors(const struct mma_kind *kind); /* how many there are; dense products: 1 */
/* Registers by number and lane. */
typedef uint64_t mma_fragment[MMA_MAX_WORDS][MMA_LANES];
/* metadata: of sparse products. */
void mma_eval(const struct mma_kind *kind, const mma_fragment a, const mma_fragment b,
	      const mma_fragment c, const struct mma_metadata *metadata, mma_fragment d);

#endif
