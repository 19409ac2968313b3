// SPDX-License-Identifier: MIT
// Attention of n queries to n keys of 32 numbers each, n a multiple of 64: one query a thread, its answer in
// registers, keys and values through shared memory, the softmax computed on the way.
#include "device.h"

enum { WIDTH = 32, TILE = 64 };

extern "C" __global__ void attention(unsigned n, float scale, const float *q, const float *k, const float *v,
				     float *out)
{
	__shared__ float keys[TILE][WIDTH], values[TILE][WIDTH];
	unsigned t = thread_x(), me = block_x() * TILE + t;
	float mine[WIDTH], answer[WIDTH] = {}, most = -__builtin_inff(), sum = 0;

#pragma unroll
	for (unsigned i = 0; i < WIDTH; i++)
		mine[i] = q[me * WIDTH + i] * scale * 1.44269504f;
	for (unsigned first = 0; first < n; first += TILE) {
		__syncthreads();
		for (unsigned i = 0; i < WIDTH; i++) {
			keys[i * 2 + t / 32][t % 32] = k[first * WIDTH + i * TILE + t];
			values[i * 2 + t / 32][t % 32] = v[first * WIDTH + i * TILE + t];
		}
		__syncthreads();
#pragma nounroll
		for (unsigned j = 0; j < TILE; j++) {
			float dot = 0;
#pragma unroll
			for (unsigned i = 0; i < WIDTH; i++)
				dot += mine[i] * keys[j][i];
			float top = __builtin_fmaxf(most, dot), old = exp2_approx(most - top), power = exp2_approx(dot - top);
			sum = sum * old + power;
			most = top;
#pragma unroll
			for (unsigned i = 0; i < WIDTH; i++)
				answer[i] = answer[i] * old + power * values[j][i];
		}
	}
#pragma unroll
	for (unsigned i = 0; i < WIDTH; i++)
		out[me * WIDTH + i] = answer[i] / sum;
}
