/* SPDX-License-Identifier: MIT */
/*
 * Matrix products of a group of four warps. A has 64 rows, of which each warp computes 16: the
 * first warp of the group the first 16. The columns of B are in tiles of eight, and each tile of a
 * warp is a product of mma.h: registers of C and D are those of the tiles, one after the other. B,
 * and A if it is not in registers, are in shared memory, where a descriptor says how they are laid
 * out (PTX ISA, "Matrix Descriptor" and "Shared Memory Matrix Layout"; the strides as in the
 * comments of CUTLASS, cute/atom/mma_traits_sm90_gmma.hpp).
 */
#ifndef SOV_ISA_MMA_GROUP_H
#define SOV_ISA_MMA_GROUP_H

#include "libsov/isa/mma.h"

#define MMA_GROUP_WARPS     4
#define MMA_GROUP_MAX_TILES 32
#define MMA_GROUP_MAX_WORDS 128 /* registers of C */
#define MMA_GROUP_A_WORDS   4   /* registers of A */

enum { /* of A and of B */
       MMA_GROUP_A,
       MMA_GROUP_B,
       MMA_GROUP_FACTORS
};

struct mma_group {
	const struct mma_kind *kind; /* of a tile */
	uint32_t tiles;
	bool shared_a;                      /* a descriptor names A */
	bool negated[MMA_GROUP_FACTORS];    /* floats */
	bool transposed[MMA_GROUP_FACTORS]; /* rows are contiguous, not columns; 16-bit elements */
	uint32_t selector;                  /* of the metadata of a sparse A */
};

/* A product as one number, and back. */
uint64_t mma_group_pack(const struct mma_group *g);
struct mma_group mma_group_unpack(uint32_t kind, uint64_t number);
/* Whether there is such a product. */
bool mma_group_exists(const struct mma_group *g);
/* Registers of C. */
uint32_t mma_group_words(const struct mma_group *g);
/* Whether a factor that a descriptor names ends at this size of shared memory or before. */
bool mma_group_fits(const struct mma_group *g, uint32_t factor, uint64_t descriptor, uint64_t size);

/* Bytes of shared memory, low first; reads none outside of what mma_group_fits() checked. */
struct mma_group_memory {
	uint32_t (*read)(void *state, uint32_t address, uint32_t bytes);
	void *state;
};
typedef uint32_t mma_group_sums[MMA_GROUP_MAX_WORDS][MMA_LANES];
/* The part of one warp of the group. a: without shared_a. descriptors: by factor. metadata: of a
 * sparse A, by lane. sums: C, then D. */
void mma_group_eval(const struct mma_group *g, uint32_t warp, const mma_fragment a,
		    const uint64_t descriptors[MMA_GROUP_FACTORS],
		    const uint32_t metadata[MMA_LANES], const struct mma_group_memory *memory,
		    mma_group_sums sums);

#endif
