// SPDX-License-Identifier: MIT
// Forces between n particles (x, y, z, charge) under the screened (Yukawa) potential
// q q' exp(-r / l) / r, n a multiple of the block: positions pass through shared memory in tiles of
// a block.
#include "device.h"

struct particle {
	float x, y, z, q;
};

extern "C" __global__ void nbody(unsigned n, float over_length, float soft, const particle *p, particle *force)
{
	__shared__ particle tile[128];
	particle me = p[block_x() * 128 + thread_x()];
	float fx = 0, fy = 0, fz = 0, energy = 0;

	for (unsigned first = 0; first < n; first += 128) {
		tile[thread_x()] = p[first + thread_x()];
		__syncthreads();
#pragma unroll 8
		for (unsigned k = 0; k < 128; k++) {
			particle it = tile[k];
			float dx = me.x - it.x, dy = me.y - it.y, dz = me.z - it.z;
			float r2 = dx * dx + dy * dy + dz * dz + soft, over = rsqrt_approx(r2);
			float reach = r2 * over * over_length;
			float u = it.q * over * exp2_approx(reach * -1.44269504f);
			float f = u * (1 + reach) * over * over;
			fx += f * dx;
			fy += f * dy;
			fz += f * dz;
			energy += u;
		}
		__syncthreads();
	}
	force[block_x() * 128 + thread_x()] = {me.q * fx, me.q * fy, me.q * fz, me.q * energy};
}
