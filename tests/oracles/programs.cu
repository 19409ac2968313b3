// SPDX-License-Identifier: MIT
// Small programs that exercise a loader and a GPU beyond arithmetic: parameters, shared and local
// memory, variables, constants, calls, divergence. programs.c has the expected results.
#include "../kernels/device.h"
#define __constant__ __attribute__((constant))
#define NOINLINE __attribute__((noinline))

typedef unsigned long long u64;

static __device__ inline unsigned thread_z() { return __nvvm_read_ptx_sreg_tid_z(); }
static __device__ inline unsigned block_z() { return __nvvm_read_ptx_sreg_ctaid_z(); }
static __device__ inline unsigned size_y() { return __nvvm_read_ptx_sreg_ntid_y(); }
static __device__ inline unsigned size_z() { return __nvvm_read_ptx_sreg_ntid_z(); }
static __device__ inline unsigned grid_y() { return __nvvm_read_ptx_sreg_nctaid_y(); }
static __device__ inline unsigned global_x() { return block_x() * block_size() + thread_x(); }

// Parameters of all sizes, and a structure larger than a register.
struct big {
	unsigned char bytes[37];
	double d[5];
	unsigned short s;
};
extern "C" __global__ void parameters(signed char a, short b, int c, u64 d, float e, double f, struct big g, u64 *out)
{
	u64 sum = 0;

	for (int i = 0; i < 37; i++)
		sum = sum * 3 + g.bytes[i];
	out[0] = (u64)(long long)a;
	out[1] = (u64)(long long)b;
	out[2] = (u64)(long long)c;
	out[3] = d;
	out[4] = (u64)(e * 1000);
	out[5] = (u64)(f * 1000);
	out[6] = sum;
	out[7] = (u64)(g.d[thread_x()] * 8) + g.s;
}

extern "C" __global__ void three_dimensions(u64 *out)
{
	unsigned block = (block_z() * grid_y() + block_y()) * grid_size() + block_x();
	unsigned thread = (thread_z() * size_y() + thread_y()) * block_size() + thread_x();

	out[block * (block_size() * size_y() * size_z()) + thread] =
		(u64)block_x() | (u64)block_y() << 8 | (u64)block_z() << 16 | (u64)thread_x() << 24 |
		(u64)thread_y() << 32 | (u64)thread_z() << 40;
}

// A block of the maximum size: a scan through shared memory with a barrier at each step.
extern "C" __global__ void scan_1024(const unsigned *in, unsigned *out)
{
	__shared__ unsigned a[2][1024];
	unsigned t = thread_x(), from = 0;

	a[0][t] = in[global_x()];
	__syncthreads();
	for (unsigned d = 1; d < 1024; d *= 2, from ^= 1) {
		a[from ^ 1][t] = t >= d ? a[from][t] + a[from][t - d] : a[from][t];
		__syncthreads();
	}
	out[global_x()] = a[from][t];
}

// The maximum of shared memory; uses every word.
extern __shared__ unsigned dynamic[];
extern "C" __global__ void reverse_shared(unsigned n, const unsigned *in, unsigned *out)
{
	for (unsigned i = thread_x(); i < n; i += block_size())
		dynamic[i] = in[i];
	__syncthreads();
	for (unsigned i = thread_x(); i < n; i += block_size())
		out[i] = dynamic[n - 1 - i];
}

// A local array with data-dependent indices.
extern "C" __global__ void sort_local(const unsigned *in, unsigned *out)
{
	unsigned a[32];

	for (unsigned i = 0; i < 32; i++)
		a[i] = in[global_x() * 32 + i];
#pragma clang loop unroll(disable)
	for (unsigned i = 1; i < 32; i++) {
		unsigned v = a[i], k = i;

#pragma clang loop unroll(disable)
		for (; k && a[k - 1] > v; k--)
			a[k] = a[k - 1];
		a[k] = v;
	}
	for (unsigned i = 0; i < 32; i++)
		out[global_x() * 32 + i] = a[i];
}

static __device__ NOINLINE unsigned ackermann(unsigned m, unsigned n)
{
	if (!m)
		return n + 1;
	return ackermann(m - 1, n ? ackermann(m, n - 1) : 1);
}
static __device__ NOINLINE unsigned odd(unsigned n);
static __device__ NOINLINE unsigned even(unsigned n) { return n ? odd(n - 1) * 3 + 1 : 7; }
static __device__ NOINLINE unsigned odd(unsigned n) { return n ? even(n - 1) * 5 + 2 : 11; }
extern "C" __global__ void recursion(unsigned *out)
{
	unsigned t = global_x();

	out[2 * t] = ackermann(t % 3, t / 3 % 4);
	out[2 * t + 1] = even(t % 9);
}

extern "C" __global__ void count_blocks(u64 *sum)
{
	__nvvm_atom_add_gen_ll((long long *)sum, (long long)block_x() + 1);
}

// Variables: initialised, zeroed, with pointers to each other and to functions; constants.
struct node {
	unsigned value;
	struct node *next;
};
extern "C" {
__device__ unsigned counter = 41;
__device__ unsigned char zeroed[100000];
extern __device__ struct node third;
__device__ struct node first = {100, &third}, second = {20, 0}, third = {3, &second};
__constant__ double coefficients[6] = {1, -0.5, 0.25, -0.125, 0.0625, 3};
__constant__ unsigned char letters[] = "constant memory is read by bytes too";
}
extern "C" __global__ void variables(unsigned *out)
{
	unsigned sum = 0;

	for (struct node *n = &first; n; n = n->next)
		sum += n->value;
	out[0] = sum;
	out[1] = zeroed[99999];
	zeroed[99999] = 77;
	out[2] = counter;
	atomic_add(&counter, 1);
}
extern "C" __global__ void constants(const double *x, double *out, unsigned *text)
{
	unsigned t = global_x();
	double sum = 0;

	for (int i = 5; i >= 0; i--)
		sum = __builtin_fma(sum, x[t], coefficients[i]);
	out[t] = sum / coefficients[t % 6];
	text[t] = letters[t % 36] * 256 + letters[(t * 7) % 36];
}

// Calls through pointers, a switch, pointers to every state space.
typedef unsigned (*operation)(unsigned, unsigned);
static __device__ NOINLINE unsigned add(unsigned a, unsigned b) { return a + b; }
static __device__ NOINLINE unsigned multiply(unsigned a, unsigned b) { return a * b; }
static __device__ NOINLINE unsigned mix(unsigned a, unsigned b)
{
	switch (a % 7) {
	case 0: return b + 1;
	case 1: return b * 31;
	case 2: return b ^ 0x5555;
	case 3: return b / 3;
	case 4: return b << 4;
	case 5: return ~b;
	default: return b % 1000;
	}
}
__device__ operation operations[3] = {add, multiply, mix};
extern "C" __global__ void pointers_to_functions(unsigned *out)
{
	unsigned t = global_x();

	out[t] = operations[t % 3](t, t * 17 + 5);
}
static __device__ NOINLINE unsigned sum_of(const unsigned *p, unsigned n)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum = sum * 5 + p[i];
	return sum;
}
extern "C" __global__ void pointers_to_memory(const unsigned *in, unsigned *out)
{
	__shared__ unsigned shared[64];
	unsigned local[8], t = thread_x();

	shared[t] = in[t] * 3;
	for (unsigned i = 0; i < 8; i++)
		local[(i + t) % 8] = in[t] + i;
	__syncthreads();
	out[t] = sum_of(t % 3 == 0 ? in : t % 3 == 1 ? shared : local, 8);
}

// Division and square roots, including the slow paths, for operands of every magnitude.
extern "C" __global__ void divisions(const double *x, const u64 *y, double *out, u64 *quotients)
{
	unsigned t = global_x();

	out[3 * t] = x[t] / x[t + 1];
	out[3 * t + 1] = sqrt_exact(x[t]);
	out[3 * t + 2] = (double)((float)x[t] / (float)x[t + 1]) + sqrt_exact((float)x[t]);
	quotients[2 * t] = y[t] / (y[t + 1] | 1);
	quotients[2 * t + 1] = (u64)((long long)y[t] % (long long)(y[t + 1] >> 40 | 1));
}

// Threads of a warp that diverge and reconverge, in loops, with breaks.
extern "C" __global__ void divergence(unsigned *out)
{
	unsigned t = global_x(), x = t * 2654435761u, n = 0;

	for (unsigned i = 0; i < 100; i++) {
		x = x & 1 ? 3 * x + 1 : x >> 1;
		if (x % 11 == 3)
			continue;
		for (unsigned k = 0; k < x % 5; k++) {
			n += k * i;
			if (n % 13 == 1)
				break;
		}
		if (x == 1)
			break;
	}
	out[t] = n ^ lanes_where(n & 1);
}
