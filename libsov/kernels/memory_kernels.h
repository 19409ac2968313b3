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
 * sov_copy(to, from, head, units, tail), sov_copy_words with the same parameters, and sov_fill(to,
 * head, units, tail, word): head bytes, then units, the first of which is aligned on both sides,
 * then tail bytes; head and tail are smaller than a unit. Launched with blocks of MEMORY_THREADS,
 * as many as cover the units and at least one. word is the value at addresses that are multiples of
 * 4.
 */
extern const char memory_kernels[];

#endif
