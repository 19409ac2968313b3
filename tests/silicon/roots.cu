// SPDX-License-Identifier: MIT
/*
 * Checks on a GPU that one step corrects its approximations of f32 reciprocals and square roots to
 * the nearest number, for all significands (libsov/compiler/passes/expand_float.c). Exponents do not
 * matter while nothing overflows or loses bits. Quotients with such a reciprocal are checked by
 * quotients.cu. To see the check fail, count the approximations themselves: a seventh of the
 * reciprocals is wrong.
 *
 *	nvcc -O3 -arch=sm_90 -o roots tests/silicon/roots.cu && ./roots
 */
#include <cstdio>

#define BLOCK 256

__device__ unsigned long long wrong[2];

__device__ void count(int which, bool is_wrong)
{
	if (is_wrong)
		atomicAdd(&wrong[which], 1);
}

__device__ float number(unsigned int k) /* from 1 on */
{
	return __uint_as_float(0x3f800000u + k);
}

__global__ void check_reciprocals(void)
{
	float b = number(blockIdx.x * BLOCK + threadIdx.x), r, error;

	asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(b));
	error = __fmaf_rn(-b, r, 1.0f);
	count(0, __fmaf_rn(r, error, r) != __frcp_rn(b));
}

__global__ void check_roots(void)
{
	float x = number(blockIdx.x * BLOCK + threadIdx.x), y, g, h;

	asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
	g = __fmul_rn(x, y);
	h = __fmul_rn(y, 0.5f);
	count(1, __fmaf_rn(__fmaf_rn(-g, g, x), h, g) != __fsqrt_rn(x));
}

int main(void)
{
	unsigned long long host[2];
	cudaError_t error;

	check_reciprocals<<<(1 << 23) / BLOCK, BLOCK>>>();
	check_roots<<<(1 << 24) / BLOCK, BLOCK>>>(); /* of numbers in [1, 4) */
	error = cudaMemcpyFromSymbol(host, wrong, sizeof(host));
	if (error) {
		printf("roots: %s\n", cudaGetErrorString(error));
		return 2;
	}
	printf("roots: %llu of 2^23 reciprocals and %llu of 2^24 roots are wrong\n", host[0], host[1]);
	return host[0] || host[1];
}
