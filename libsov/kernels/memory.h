/* SPDX-License-Identifier: MIT */
/* Kernels of the runtime's own that move memory. See memory.c. */
#ifndef SOV_KERNELS_MEMORY_H
#define SOV_KERNELS_MEMORY_H

/* Each thread moves one unit. */
#define MEMORY_UNIT    16u
#define MEMORY_THREADS 512u
#define MEMORY_BLOCK   (MEMORY_UNIT * MEMORY_THREADS)

/*
 * sov_copy(to, from, head, units, tail) and sov_fill(to, head, units, tail, word): head bytes, then
 * units, of which the first is aligned on both sides, then tail bytes; head and tail are below
 * MEMORY_UNIT. Blocks of MEMORY_THREADS; as many as cover the units, and at least one. word is what
 * stands at addresses that are a multiple of 4.
 */
extern const char memory_kernels[];

#endif
