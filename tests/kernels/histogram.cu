// SPDX-License-Identifier: MIT
// bins[b] += number of bytes of n words equal to b: each block counts in shared memory, then adds.
#include "device.h"

extern "C" __global__ void histogram(unsigned n, const unsigned *words, unsigned *bins)
{
	__shared__ unsigned count[256];

	for (unsigned i = thread_x(); i < 256; i += block_size())
		count[i] = 0;
	__syncthreads();
	for (unsigned i = block_x() * block_size() + thread_x(); i < n; i += block_size() * grid_size()) {
		unsigned w = words[i];
		for (int k = 0; k < 4; k++)
			atomic_add(&count[w >> 8 * k & 255], 1u);
	}
	__syncthreads();
	for (unsigned i = thread_x(); i < 256; i += block_size())
		if (count[i])
			atomic_add(&bins[i], count[i]);
}
