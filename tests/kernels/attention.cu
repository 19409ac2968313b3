// SPDX-License-Identifier: MIT
// Attention of n queries to n keys of 32 elements, n a multiple of 64: one query per thread, its
// result in registers, keys and values through shared memory, online softmax.
#include "device.h"

enum { WIDTH = 32, TILE = 64 };

extern "C" __global__ void attention(unsigned n, float scale, const float *q, const float *k, const float *v,
				     float *out)
{
	__shared__ float keys[TILE][WIDTH], values[TILE][WIDTH];
	unsigned t = thread_x(), me = block_x() * TILE + t;
	float mine[WIDTH], answer[WIDTH] = {}, max_score = -__builtin_inff(), sum = 0;

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
			float top = __builtin_fmaxf(max_score, dot), old = exp2_approx(max_score - top), power = exp2_approx(dot - top);
			sum = sum * old + power;
			max_score = top;
#pragma unroll
			for (unsigned i = 0; i < WIDTH; i++)
				answer[i] = answer[i] * old + power * values[j][i];
		}
	}
#pragma unroll
	for (unsigned i = 0; i < WIDTH; i++)
		out[me * WIDTH + i] = answer[i] / sum;
}
