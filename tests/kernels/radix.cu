// SPDX-License-Identifier: MIT
// Sorts tiles of 256 keys, one per block: 32 stable splits by one bit, ranks counted by ballots.
#include "device.h"

extern "C" __global__ void radix(unsigned *keys)
{
	__shared__ unsigned tile[256], zeros[8];
	unsigned t = thread_x(), w = t / 32, key;

	keys += block_x() * 256;
	key = keys[t];
#pragma nounroll
	for (unsigned bit = 0; bit < 32; bit++) {
		bool one = key >> bit & 1;
		unsigned mask = lanes_where(!one), before = 0, all = 0;

		if (t % 32 == 0)
			zeros[w] = count_ones(mask);
		__syncthreads();
#pragma unroll
		for (unsigned k = 0; k < 8; k++) {
			before += k < w ? zeros[k] : 0;
			all += zeros[k];
		}
		before += count_ones(mask & lanes_below());
		tile[one ? all + t - before : before] = key;
		__syncthreads();
		key = tile[t];
	}
	keys[t] = key;
}
