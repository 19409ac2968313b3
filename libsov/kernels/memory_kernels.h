/* SPDX-License-Identifier: MIT */
/* Kernels of the runtime's own that move memory. See memory.c. */
#ifndef SOV_KERNELS_MEMORY_H
#define SOV_KERNELS_MEMORY_H

/* Each thread moves one unit, of 16 bytes where both sides can be aligned to that, or of 4. */
#define MEMORY_UNIT    16u
#define MEMORY_WORD    4u
#define MEMORY_THREADS 512u
#define MEMORY_BLOCK   (MEMORY_UNIT * MEMORY_THREADS)

/*
 * sov_copy(to, from, head, units, tail), the same sov_copy_words, and sov_fill(to, head, units,
 * tail, word): head bytes, then units, of which the first is aligned on both sides, then tail bytes;
 * head and tail are below a unit. Blocks of MEMORY_THREADS; as many as cover the units, and at
 * least one. word is what stands at addresses that are a multiple of 4.
 */
extern const char memory_kernels[];

#endif
