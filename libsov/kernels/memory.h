/* SPDX-License-Identifier: MIT */
/* Kernels of the runtime's own that move memory. See memory.c. */
#ifndef SOV_KERNELS_MEMORY_H
#define SOV_KERNELS_MEMORY_H

/* Each thread moves MEMORY_UNITS units of 16 bytes. */
#define MEMORY_UNIT    16u
#define MEMORY_UNITS   4u
#define MEMORY_THREADS 256u
#define MEMORY_BLOCK   (MEMORY_UNIT * MEMORY_UNITS * MEMORY_THREADS)

/*
 * copy(to, from, head, units, tail) and fill(to, head, units, tail, word): head bytes, then units of
 * 16 bytes, of which the first is aligned on both sides, then tail bytes; head and tail are below
 * 16. Blocks of MEMORY_THREADS; as many as cover the units, and at least one. word is what stands at
 * addresses that are a multiple of 4.
 */
extern const char memory_kernels[];

#endif
