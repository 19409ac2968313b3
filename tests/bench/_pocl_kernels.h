/* SPDX-License-Identifier: MIT */
/* Kernels of the comparison with pocl: OpenCL C, and by clang CUDA C for PTX. All have the same
 * arguments; n is a multiple of 16. */
#ifdef __OPENCL_VERSION__
#define KERNEL   __kernel void
#define GLOBAL   __global
#define SHARED   __local
#define BARRIER  barrier(CLK_LOCAL_MEM_FENCE)
#define TX       ((int)get_local_id(0))
#define TY       ((int)get_local_id(1))
#define GX       ((int)get_global_id(0))
#define GY       ((int)get_global_id(1))
#define BX       ((int)get_group_id(0))
#define RSQRT(x) native_rsqrt(x)
#else
#include "tests/kernels/device.h"
#define KERNEL extern "C" __global__ void
#define GLOBAL
#define SHARED   __shared__
#define BARRIER  __syncthreads()
#define TX       ((int)thread_x())
#define TY       ((int)thread_y())
#define GX       ((int)(block_x() * __nvvm_read_ptx_sreg_ntid_x() + thread_x()))
#define GY       ((int)(block_y() * __nvvm_read_ptx_sreg_ntid_y() + thread_y()))
#define BX       ((int)block_x())
#define RSQRT(x) rsqrt_approx(x)
#endif
#define ARGUMENTS GLOBAL const float *a, GLOBAL const float *b, GLOBAL float *c, int n

KERNEL saxpy(ARGUMENTS)
{
	int i = GX;

	c[i] = 2.5f * a[i] + b[i];
}

KERNEL horner(ARGUMENTS)
{
	float x = a[GX], y = b[GX];

	for (int k = 0; k < n; k++)
		y = y * x + 0.5f;
	c[GX] = y;
}

KERNEL matmul(ARGUMENTS)
{
	float sum = 0;

	for (int k = 0; k < n; k++)
		sum += a[GY * n + k] * b[k * n + GX];
	c[GY * n + GX] = sum;
}

KERNEL matmul_tiled(ARGUMENTS)
{
	SHARED float x[16][16], y[16][16];
	float sum = 0;

	for (int k = 0; k < n; k += 16) {
		x[TY][TX] = a[GY * n + k + TX];
		y[TY][TX] = b[(k + TY) * n + GX];
		BARRIER;
		for (int i = 0; i < 16; i++)
			sum += x[TY][i] * y[i][TX];
		BARRIER;
	}
	c[GY * n + GX] = sum;
}

KERNEL nbody(ARGUMENTS)
{
	float x = a[3 * GX], y = a[3 * GX + 1], z = a[3 * GX + 2], fx = 0, fy = 0, fz = 0;

	for (int k = 0; k < n; k++) {
		float dx = a[3 * k] - x, dy = a[3 * k + 1] - y, dz = a[3 * k + 2] - z;
		float r = RSQRT(dx * dx + dy * dy + dz * dz + 0.01f), f = r * r * r;

		fx += f * dx;
		fy += f * dy;
		fz += f * dz;
	}
	c[3 * GX] = fx;
	c[3 * GX + 1] = fy;
	c[3 * GX + 2] = fz;
}

KERNEL stencil(ARGUMENTS)
{
	int x = GX, y = GY, l = x ? x - 1 : x, r = x < n - 1 ? x + 1 : x, u = y ? y - 1 : y,
	    d = y < n - 1 ? y + 1 : y;

	c[y * n + x] =
		0.2f * (a[y * n + x] + a[y * n + l] + a[y * n + r] + a[u * n + x] + a[d * n + x]);
}

KERNEL transpose(ARGUMENTS)
{
	SHARED float t[16][17];

	t[TY][TX] = a[GY * n + GX];
	BARRIER;
	c[(GX - TX + TY) * n + GY - TY + TX] = t[TX][TY];
}

KERNEL mandelbrot(ARGUMENTS)
{
	float cx = GX * 3.0f / n - 2, cy = GY * 2.0f / n - 1, x = 0, y = 0;
	int k = 0;

	for (; k < 64 && x * x + y * y < 4; k++) {
		float t = x * x - y * y + cx;

		y = 2 * x * y + cy;
		x = t;
	}
	c[GY * n + GX] = (float)k;
}

KERNEL block_sum(ARGUMENTS)
{
	SHARED float s[256];

	s[TX] = a[GX] + b[GX];
	BARRIER;
	for (int k = 128; k; k /= 2) {
		if (TX < k)
			s[TX] += s[TX + k];
		BARRIER;
	}
	if (!TX)
		c[BX] = s[0];
}

KERNEL hash(ARGUMENTS)
{
	unsigned h = (unsigned)GX;

	for (int k = 0; k < n; k++) {
		h ^= h << 13;
		h ^= h >> 17;
		h ^= h << 5;
		h = h * 1664525u + 1013904223u;
	}
	c[GX] = (float)(h >> 16);
}

KERNEL row_sum(ARGUMENTS)
{
	float sum = 0;

	for (int k = 0; k < n; k++)
		sum += a[GX * n + k];
	c[GX] = sum;
}
