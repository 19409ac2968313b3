// SPDX-License-Identifier: MIT
/*
 * Checks on a GPU that one correction gives the correctly rounded f32 quotient of all 2^46 pairs of
 * significands: with r the number nearest to 1 / b and q = a r, q + r (a - b q) is the number nearest
 * to a / b (libsov/compiler/passes/expand_float.c). Exponents and signs do not matter while nothing
 * overflows or loses bits. The remainder a - b q is exact; the result is the nearest number if its
 * remainder is at most half a unit in the last place times b, and ties do not occur. To see the
 * check fail, replace r by its neighbour.
 *
 *	nvcc -O3 -arch=sm_90 -o quotients tests/silicon/quotients.cu && ./quotients
 *
 * takes 45 s on an H200.
 */
#include <cstdint>
#include <cstdio>

#define FRACTIONS (1u << 23)
#define DIVISORS  (1u << 17) /* per launch */

__global__ void check_divisor(uint32_t first, unsigned long long *wrong)
{
	float b = __uint_as_float(0x3f800000u + first + blockIdx.x), r = __frcp_rn(b);
	float half_below_one = b * 0x1p-25f, half_above = b * 0x1p-24f;
	uint32_t count = 0;

	for (uint32_t k = threadIdx.x; k < FRACTIONS; k += blockDim.x) {
		float a = __uint_as_float(0x3f800000u + k), q = __fmul_rn(a, r);
		float nearest = __fmaf_rn(__fmaf_rn(-b, q, a), r, q);
		float rest = __fmaf_rn(-b, nearest, a);
		bool below_one = nearest < 1.0f || (nearest == 1.0f && rest < 0);

		count += fabsf(rest) > (below_one ? half_below_one : half_above);
	}
	if (count)
		atomicAdd(wrong, (unsigned long long)count);
}

int main()
{
	unsigned long long *wrong, result = 1;
	cudaError_t error;

	cudaMalloc(&wrong, sizeof(*wrong));
	cudaMemset(wrong, 0, sizeof(*wrong));
	for (uint32_t first = 0; first < FRACTIONS; first += DIVISORS)
		check_divisor<<<DIVISORS, 256>>>(first, wrong);
	error = cudaMemcpy(&result, wrong, sizeof(result), cudaMemcpyDeviceToHost);
	if (error != cudaSuccess) {
		printf("the GPU reports: %s\n", cudaGetErrorString(error));
		return 1;
	}
	printf("%llu of 2^46 quotients are wrong\n", result);
	return result != 0;
}
