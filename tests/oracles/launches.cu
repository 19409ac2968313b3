// SPDX-License-Identifier: MIT
// Launches from the device: of a kernel that follows, of the kernel itself, and from a function.
extern "C" __global__ void later(int *p, int n);

__device__ __noinline__ void launch(int *p, int n)
{
	later<<<1, n>>>(p, n);
}

extern "C" __global__ void parent(int *p, int n)
{
	launch(p, n);
	if (n > 1)
		parent<<<2, 32>>>(p, n - 1);
}

extern "C" __global__ void later(int *p, int n)
{
	atomicAdd(p, n);
}
