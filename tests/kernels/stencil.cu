// SPDX-License-Identifier: MIT
// One step of the heat equation: y = x + k (sum of six neighbours - 6 x) inside a grid of nx by ny
// by nz points; a thread walks a column in z and keeps the values for the next step in registers.
#include "device.h"

extern "C" __global__ void stencil(unsigned nx, unsigned ny, unsigned nz, double k, const double *x, double *y)
{
	unsigned i = block_x() * 32 + thread_x(), j = block_y() * 8 + thread_y(), layer = nx * ny, at = j * nx + i;

	if (i == 0 || j == 0 || i >= nx - 1 || j >= ny - 1)
		return;
	double below = x[at], here = x[at + layer];
	for (unsigned z = 1; z < nz - 1; z++) {
		at += layer;
		double above = x[at + layer];
		double around = x[at - 1] + x[at + 1] + x[at - nx] + x[at + nx];
		y[at] = here + k * (around + below + above - 6 * here);
		below = here;
		here = above;
	}
}
