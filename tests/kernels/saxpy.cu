// SPDX-License-Identifier: MIT
// y = a x + y, one element per thread.
#include "device.h"

template <class T> static __device__ inline void saxpy(unsigned n, T a, const T *x, T *y)
{
	unsigned i = block_x() * block_size() + thread_x();

	if (i < n)
		y[i] = a * x[i] + y[i];
}
extern "C" __global__ void saxpy_f32(unsigned n, float a, const float *x, float *y) { saxpy(n, a, x, y); }
extern "C" __global__ void saxpy_f64(unsigned n, double a, const double *x, double *y) { saxpy(n, a, x, y); }
