// SPDX-License-Identifier: MIT
// Complex Fourier transforms of 512 points, one per block of 256 threads: radix 2, Stockham order,
// in shared memory. twiddle[k] is exp(-2 pi i k / 512).
#include "device.h"

struct complex {
	float re, im;
};

extern "C" __global__ void fft(const complex *x, complex *y, const complex *twiddle)
{
	__shared__ complex a[2][512];
	unsigned t = thread_x(), from = 0;

	x += block_x() * 512;
	y += block_x() * 512;
	a[0][t] = x[t];
	a[0][t + 256] = x[t + 256];
	for (unsigned half = 1; half < 512; half *= 2) {
		__syncthreads();
		unsigned k = t & (half - 1), to = 2 * t - k;
		complex w = twiddle[k * (256 / half)], u = a[from][t], v = a[from][t + 256];
		complex r = {w.re * v.re - w.im * v.im, w.re * v.im + w.im * v.re};
		a[!from][to] = {u.re + r.re, u.im + r.im};
		a[!from][to + half] = {u.re - r.re, u.im - r.im};
		from = !from;
	}
	__syncthreads();
	y[t] = a[from][t];
	y[t + 256] = a[from][t + 256];
}
