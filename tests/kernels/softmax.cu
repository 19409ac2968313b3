// SPDX-License-Identifier: MIT
// Softmax of rows, one warp per row; subtracts the maximum, so that no power overflows.
#include "device.h"

extern "C" __global__ void softmax(unsigned rows, unsigned columns, const float *x, float *y)
{
	unsigned row = (block_x() * block_size() + thread_x()) / 32, lane = thread_x() % 32;
	float row_max = -__builtin_inff(), sum = 0;

	if (row >= rows)
		return;
	x += (unsigned long)row * columns;
	y += (unsigned long)row * columns;
	for (unsigned i = lane; i < columns; i += 32)
		row_max = __builtin_fmaxf(row_max, x[i]);
	for (int d = 16; d > 0; d /= 2)
		row_max = __builtin_fmaxf(row_max, lane_xor(row_max, d));
	for (unsigned i = lane; i < columns; i += 32)
		sum += exp2_approx((x[i] - row_max) * 1.44269504f);
	for (int d = 16; d > 0; d /= 2)
		sum += lane_xor(sum, d);
	for (unsigned i = lane; i < columns; i += 32)
		y[i] = exp2_approx((x[i] - row_max) * 1.44269504f) / sum;
}
