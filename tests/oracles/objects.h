/* SPDX-License-Identifier: MIT */
/* Declarations that objects_functions.cu and objects_kernel.cu share; see objects.sh. */
struct pair { /* 16 bytes, aligned to 8 */
	int a;
	double b;
};
struct ten { /* fits into registers */
	int x[10];
};
struct twenty { /* does not: passed on the stack, returned in memory */
	int x[20];
};
struct alignas(16) vec {
	float x[4];
};
typedef int (*binary)(int, int);

extern __device__ int counter;
extern __device__ int table_of_squares[16];
extern __constant__ float factors[8];
extern __device__ binary operations[3];

__device__ float scale(float x, int i);
__device__ double mixed(int a, double b, int c, pair p, char d);
__device__ ten make_ten(int a, int b);
__device__ int sum_ten(int a, int b, int c, ten t, int d);
__device__ twenty make_twenty(int a, int b);
__device__ int sum_twenty(twenty t, int a);
__device__ vec swap(int i, vec v);
__device__ long long many(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j,
			  int k, double l, int m, double n);
__device__ int fib(int n);
__device__ int pressure(const int *p, int n);
__device__ int exchange(int i, int x);
__device__ int stir(int n, twenty t);
__device__ int call_back(binary f, int a, int b);
template <class T> __device__ __noinline__ T triple(T x)
{
	return x + x + x;
}
