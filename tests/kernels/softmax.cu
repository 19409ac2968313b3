// SPDX-License-Identifier: MIT
// Softmax of rows, one warp a row: the greatest first, so that no power overflows.
#include "device.h"

extern "C" __global__ void softmax(unsigned rows, unsigned columns, const float *x, float *y)
{
	unsigned row = (block_x() * block_size() + thread_x()) / 32, lane = thread_x() % 32;
	float most = -__builtin_inff(), sum = 0;

	if (row >= rows)
		return;
	x += (unsigned long)row * columns;
	y += (unsigned long)row * columns;
	for (unsigned i = lane; i < columns; i += 32)
		most = __builtin_fmaxf(most, x[i]);
	for (int d = 16; d > 0; d /= 2)
		most = __builtin_fmaxf(most, lane_xor(most, d));
	for (unsigned i = lane; i < columns; i += 32)
		sum += exp2_approx((x[i] - most) * 1.44269504f);
	for (int d = 16; d > 0; d /= 2)
		sum += lane_xor(sum, d);
	for (unsigned i = lane; i < columns; i += 32)
		y[i] = exp2_approx((x[i] - most) * 1.44269504f) / sum;
}
