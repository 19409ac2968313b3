// SPDX-License-Identifier: MIT
// Functions of every kind of signature; objects_kernel.cu calls them.
#include "objects.h"

__device__ int counter = 7;
__device__ int table_of_squares[16] = {0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, 225};
__constant__ float factors[8] = {1, 2, 3, 4, 5, 6, 7, 8};
static __constant__ int offset[3] = {100, 200, 300};
extern __shared__ int dynamic_words[];

static __device__ __noinline__ int helper(int x)
{
	return x * 5 + offset[x & 1];
}

__device__ int add(int a, int b)
{
	return a + b + counter;
}
__device__ int multiply(int a, int b)
{
	return a * b;
}
static __device__ int subtract(int a, int b)
{
	return a - b;
}
__device__ binary operations[3] = {add, multiply, subtract};

__device__ float scale(float x, int i)
{
	return x * factors[i & 7] + helper(i);
}
__device__ double mixed(int a, double b, int c, pair p, char d)
{
	return a + 2 * b + 3 * c + 4 * p.a + 5 * p.b + 6 * d;
}
__device__ ten make_ten(int a, int b)
{
	ten t;
	for (int i = 0; i < 10; i++)
		t.x[i] = a + b * i;
	return t;
}
__device__ int sum_ten(int a, int b, int c, ten t, int d)
{
	int s = a + 2 * b + 3 * c + 4 * d;
	for (int i = 0; i < 10; i++)
		s += (i + 1) * t.x[i];
	return s;
}
__device__ twenty make_twenty(int a, int b)
{
	twenty t;
	for (int i = 0; i < 20; i++)
		t.x[i] = a * i - b;
	return t;
}
__device__ int sum_twenty(twenty t, int a)
{
	int s = a;
	for (int i = 0; i < 20; i++)
		s = s * 3 + t.x[i];
	return s;
}
__device__ vec swap(int i, vec v)
{
	vec r = {{v.x[3], v.x[2], v.x[1], v.x[0] + i}};
	return r;
}
__device__ long long many(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k, double l, int m,
			  double n)
{
	return a + 2 * b + 3 * c + 5 * d + 7 * e + 11 * f + 13 * g + 17 * h + 19 * i + 23 * j + 29 * k +
	       (long long)(31 * l) + 37 * m + (long long)(41 * n);
}
__device__ int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
/* Changes many registers. */
__device__ int pressure(const int *p, int n)
{
	int a[48], s = 0;
#pragma unroll
	for (int i = 0; i < 48; i++)
		a[i] = p[(i * n) & 15];
#pragma unroll
	for (int i = 0; i < 48; i++)
		s = s * 7 + a[(i * 5) % 48];
	if (n & 1)
		s += helper(n);
	return s;
}
__device__ int exchange(int i, int x)
{
	__shared__ int words[32];

	words[i] = x;
	dynamic_words[i] = 2 * x;
	__syncthreads();
	return words[31 - i] + dynamic_words[i ^ 1];
}
/* Needs a stack that is aligned to 16 bytes, whatever its caller has, and parameters on it. */
__device__ int stir(int n, twenty t)
{
	vec v[5];

	for (int i = 0; i < 5; i++)
		v[(i + n) % 5] = {{1.0f * i, 2.0f * t.x[3 * i], 3.0f * n, 4}};
	vec r = v[(n >> 2) % 5];
	return (int)(r.x[0] + r.x[1] + r.x[2] * r.x[3]) + t.x[19];
}
__device__ int call_back(binary f, int a, int b)
{
	return f(a, b) + triple(a);
}
