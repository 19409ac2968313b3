// SPDX-License-Identifier: MIT
// Eigenvalues of many small symmetric matrices, one matrix per thread, by cyclic Jacobi rotations
// until the off-diagonal part is negligible against the norm. Element (i, j) of matrix m is
// a[(i * N + j) * count + m]. The eigenvalues are not sorted; rounds[m] is the number of sweeps.
#include "device.h"

enum { N = 6, MAX_SWEEPS = 20 };

static __device__ inline double magnitude(double x) { return __builtin_fabs(x); }

extern "C" __global__ void jacobi(unsigned count, const double *a, double *values, unsigned *rounds)
{
	unsigned m = block_x() * block_size() + thread_x(), sweep;
	double s[N][N];

	if (m >= count)
		return;
	for (unsigned i = 0; i < N; i++)
		for (unsigned j = 0; j < N; j++)
			s[i][j] = a[(i * N + j) * count + m];
	for (sweep = 0; sweep < MAX_SWEEPS; sweep++) {
		double off = 0, all = 0;
		for (unsigned i = 0; i < N; i++) {
			all += s[i][i] * s[i][i];
			for (unsigned j = 0; j < i; j++)
				off += s[i][j] * s[i][j];
		}
		if (off <= 1e-30 * all)
			break;
		for (unsigned p = 0; p < N - 1; p++) {
			for (unsigned q = p + 1; q < N; q++) {
				double apq = s[p][q];
				if (apq == 0)
					continue;
				double theta = (s[q][q] - s[p][p]) / (2 * apq);
				double t = 1 / (magnitude(theta) + sqrt_exact(theta * theta + 1));
				t = theta < 0 ? -t : t;
				double c = 1 / sqrt_exact(t * t + 1), sine = t * c;
				for (unsigned k = 0; k < N; k++) {
					double x = s[k][p], y = s[k][q];
					s[k][p] = c * x - sine * y;
					s[k][q] = sine * x + c * y;
				}
				for (unsigned k = 0; k < N; k++) {
					double x = s[p][k], y = s[q][k];
					s[p][k] = c * x - sine * y;
					s[q][k] = sine * x + c * y;
				}
			}
		}
	}
	for (unsigned i = 0; i < N; i++)
		values[i * count + m] = s[i][i];
	rounds[m] = sweep;
}
