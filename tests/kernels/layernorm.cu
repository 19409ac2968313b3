// SPDX-License-Identifier: MIT
// Normalises rows to mean 0 and deviation 1, then scales and shifts by column: one block of 256
// threads per row.
#include "device.h"

static __device__ inline float sum_of_block(float v, float *warps)
{
	for (int d = 16; d > 0; d /= 2)
		v += lane_xor(v, d);
	__syncthreads();
	if (thread_x() % 32 == 0)
		warps[thread_x() / 32] = v;
	__syncthreads();
	v = 0;
	for (int k = 0; k < 8; k++)
		v += warps[k];
	return v;
}

extern "C" __global__ void layernorm(unsigned columns, float small, const float *x, const float *scale,
				     const float *shift, float *y)
{
	__shared__ float warps[8];
	float sum = 0, square = 0, count = columns;

	x += (unsigned long)block_x() * columns;
	y += (unsigned long)block_x() * columns;
	for (unsigned i = thread_x(); i < columns; i += 256)
		sum += x[i];
	float mean = sum_of_block(sum, warps) / count;
	for (unsigned i = thread_x(); i < columns; i += 256) {
		float d = x[i] - mean;
		square += d * d;
	}
	float over = 1 / sqrt_exact(sum_of_block(square, warps) / count + small);
	for (unsigned i = thread_x(); i < columns; i += 256)
		y[i] = (x[i] - mean) * over * scale[i] + shift[i];
}
