// SPDX-License-Identifier: MIT
// y = W x with W in blocks of 32 four-bit weights, (nibble - 8) * scale, low nibbles before high
// ones; one warp per row, one block of weights per lane and iteration.
#include "device.h"

struct block {
	_Float16 scale;
	unsigned short quads[8];
};

extern "C" __global__ void q4gemv(unsigned rows, unsigned blocks, const block *w, const float *x, float *y)
{
	unsigned row = (block_x() * block_size() + thread_x()) / 32, lane = thread_x() % 32;
	float sum = 0;

	if (row >= rows)
		return;
	for (unsigned b = lane; b < blocks; b += 32) {
		const block *it = &w[(unsigned long)row * blocks + b];
		float part = 0;
#pragma unroll
		for (unsigned k = 0; k < 8; k++) {
			unsigned quad = it->quads[k];
			for (unsigned j = 0; j < 4; j++)
				part += ((int)(quad >> 4 * j & 15) - 8) * x[b * 32 + k * 4 + j];
		}
		sum += part * (float)it->scale;
	}
	for (int d = 16; d > 0; d /= 2)
		sum += lane_xor(sum, d);
	if (lane == 0)
		y[row] = sum;
}
