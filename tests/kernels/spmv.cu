// SPDX-License-Identifier: MIT
// y = A x for a sparse matrix in CSR format, one warp per row.
#include "device.h"

extern "C" __global__ void spmv(unsigned rows, const unsigned *start, const unsigned *column, const double *value,
				const double *x, double *y)
{
	unsigned row = (block_x() * block_size() + thread_x()) / 32, lane = thread_x() % 32;
	double sum = 0;

	if (row >= rows)
		return;
	for (unsigned k = start[row] + lane; k < start[row + 1]; k += 32)
		sum += value[k] * x[column[k]];
	for (int d = 16; d > 0; d /= 2)
		sum += lane_down(sum, d);
	if (lane == 0)
		y[row] = sum;
}
