// SPDX-License-Identifier: MIT
// Products of pairs of complex 3 by 3 matrices (links of a lattice gauge theory), one pair per
// thread; element (i, j) of matrix m is at (3 i + j) * count + m.
#include "device.h"

struct complex {
	double re, im;
};

extern "C" __global__ void su3(unsigned count, const complex *a, const complex *b, complex *c)
{
	unsigned m = block_x() * block_size() + thread_x();
	complex u[9], v[9];

	if (m >= count)
		return;
	for (unsigned i = 0; i < 9; i++) {
		u[i] = a[i * count + m];
		v[i] = b[i * count + m];
	}
	for (unsigned i = 0; i < 3; i++) {
		for (unsigned j = 0; j < 3; j++) {
			complex s = {0, 0};
			for (unsigned k = 0; k < 3; k++) {
				complex x = u[3 * i + k], y = v[3 * k + j];
				s.re += x.re * y.re - x.im * y.im;
				s.im += x.re * y.im + x.im * y.re;
			}
			c[(3 * i + j) * count + m] = s;
		}
	}
}
