/* SPDX-License-Identifier: MIT */
/* The runtime's copy and fill kernels. */
#ifndef SOV_KERNELS_MEMORY_H
#define SOV_KERNELS_MEMORY_H

/* Each thread moves one unit: 16 bytes if both sides have the same alignment, else 4. */
#define MEMORY_UNIT    16u
#define MEMORY_WORD    4u
#define MEMORY_THREADS 512u
#define MEMORY_BLOCK   (MEMORY_UNIT * MEMORY_THREADS)

/*
 * PTX of sov_copy(to, from, head, units, tail), sov_copy_words with the same parameters, and
 * sov_fill(to, head, units, tail, word). Each moves `head` bytes, then `units` aligned units, then
 * `tail` bytes; head and tail are smaller than a unit. The grid has one thread per unit in blocks
 * of MEMORY_THREADS, and at least one block. sov_fill stores `word` at multiples of 4.
 */
extern const char memory_kernels[];

#endif
