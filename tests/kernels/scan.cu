// SPDX-License-Identifier: MIT
// Inclusive prefix sums within tiles of 1024 and each tile's total: 256 threads per tile, four
// elements per thread, shuffles in the warp, shared memory between warps.
#include "device.h"

extern "C" __global__ void scan(unsigned n, const unsigned *x, unsigned *y, unsigned *totals)
{
	__shared__ unsigned warps[8];
	unsigned t = thread_x(), lane = t % 32, w = t / 32, first = block_x() * 1024 + 4 * t, v[4];

	for (unsigned k = 0; k < 4; k++)
		v[k] = first + k < n ? x[first + k] : 0;
	v[1] += v[0];
	v[2] += v[1];
	v[3] += v[2];
	unsigned sum = v[3];
	for (int d = 1; d < 32; d *= 2) {
		unsigned other = lane_up(sum, d);
		if (lane >= (unsigned)d)
			sum += other;
	}
	if (lane == 31)
		warps[w] = sum;
	__syncthreads();
	unsigned before = sum - v[3];
	for (unsigned k = 0; k < w; k++)
		before += warps[k];
	for (unsigned k = 0; k < 4; k++)
		if (first + k < n)
			y[first + k] = before + v[k];
	if (t == 255)
		totals[block_x()] = before + v[3];
}
