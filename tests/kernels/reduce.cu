// SPDX-License-Identifier: MIT
// *out += sum of x: grid-stride loop, shuffles in the warp, shared memory in the block, one atomic
// per block.
#include "device.h"

template <class T> static __device__ inline void reduce(unsigned n, const T *x, T *out, T *warp)
{
	T sum = 0;
	unsigned lane = thread_x() % 32, w = thread_x() / 32;

	for (unsigned i = block_x() * block_size() + thread_x(); i < n; i += block_size() * grid_size())
		sum += x[i];
	for (int d = 16; d > 0; d /= 2)
		sum += lane_down(sum, d);
	if (lane == 0)
		warp[w] = sum;
	__syncthreads();
	if (w == 0) {
		sum = lane < (block_size() + 31) / 32 ? warp[lane] : T(0);
		for (int d = 16; d > 0; d /= 2)
			sum += lane_down(sum, d);
		if (lane == 0)
			atomic_add(out, sum);
	}
}
extern "C" __global__ void reduce_f32(unsigned n, const float *x, float *out)
{
	__shared__ float warp[32];
	reduce(n, x, out, warp);
}
extern "C" __global__ void reduce_f64(unsigned n, const double *x, double *out)
{
	__shared__ double warp[32];
	reduce(n, x, out, warp);
}
