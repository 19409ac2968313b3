/* SPDX-License-Identifier: MIT */
// c = a b, all n by n in row-major order, n a multiple of 64: a block of 16 by 16 threads computes
// a tile of 64 by 64 from strips of 16 in shared memory, a thread 4 by 4 elements in registers.
#ifndef TESTS_KERNELS_GEMM_H
#define TESTS_KERNELS_GEMM_H

#include "device.h"

enum { TILE = 64, STRIP = 16, EACH = 4 };

template <class T> struct strips {
	T a[STRIP][TILE + 1], b[STRIP][TILE];
};

template <class T>
static __device__ inline void gemm(unsigned n, const T *a, const T *b, T *c, strips<T> *s)
{
	unsigned x = thread_x(), y = thread_y(), t = y * 16 + x;
	unsigned row = block_y() * TILE, column = block_x() * TILE;
	T sum[EACH][EACH] = {};

	for (unsigned k = 0; k < n; k += STRIP) {
		for (unsigned i = 0; i < EACH; i++) {
			unsigned e = t + i * 256;
			s->a[e % STRIP][e / STRIP] = a[(row + e / STRIP) * n + k + e % STRIP];
			s->b[e / TILE][e % TILE] = b[(k + e / TILE) * n + column + e % TILE];
		}
		__syncthreads();
#pragma unroll
		for (unsigned j = 0; j < STRIP; j++) {
			T left[EACH], right[EACH];
			for (unsigned i = 0; i < EACH; i++) {
				left[i] = s->a[j][y + 16 * i];
				right[i] = s->b[j][x + 16 * i];
			}
			for (unsigned p = 0; p < EACH; p++)
				for (unsigned q = 0; q < EACH; q++)
					sum[p][q] += left[p] * right[q];
		}
		__syncthreads();
	}
	for (unsigned p = 0; p < EACH; p++)
		for (unsigned q = 0; q < EACH; q++)
			c[(row + y + 16 * p) * n + column + x + 16 * q] = sum[p][q];
}

#endif
