// SPDX-License-Identifier: MIT
// A kernel that calls the functions of objects_functions.cu; run it with 32 threads.
#include "objects.h"

static __device__ __noinline__ int helper(int x) // another function of the same name
{
	return x ^ 0x55;
}
__device__ int local_operation(int a, int b)
{
	return helper(a) - b;
}

/* Frames whose sizes differ by eight bytes, of which one is a multiple of 16. */
template <int words> static __device__ __noinline__ int on_frame(int t, const twenty &x)
{
	volatile double kept[words];

	for (int i = 0; i < words; i++)
		kept[(i + t) % words] = i + t;
	return stir(t, x) + (int)kept[(2 * t) % words];
}

extern "C" __global__ void objects(int *out)
{
	__shared__ int mine[32];
	int t = threadIdx.x, *o = out + 32 * t, keep[8];
	pair p = {t, t * 0.5};
	vec v = {{1.0f * t, 2, 3, 4}};

	for (int i = 0; i < 8; i++)
		keep[i] = (t + 1) * (i + 3);
	mine[t] = helper(t);
	o[0] = (int)(16 * scale(0.25f * t, t));
	o[1] = (int)(16 * mixed(t, 1.5, 2 * t, p, (char)(t - 5)));
	ten ten_words = make_ten(t, 3);
	o[2] = sum_ten(1, t, 3, ten_words, 4);
	twenty words = make_twenty(t, 2);
	o[3] = sum_twenty(words, t);
	v = swap(t, v);
	o[4] = (int)(v.x[0] + 10 * v.x[1] + 100 * v.x[2] + 1000 * v.x[3]);
	o[5] = (int)many(t, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 2.0 * t, 12, 0.5 * t);
	o[6] = t < 12 ? fib(t) : -1; // divergent
	if (t & 1)
		o[7] = pressure(table_of_squares, t);
	else
		o[7] = triple(t) + (int)triple(0.5 * t);
	o[8] = exchange(t, o[7]);
	o[9] = call_back(operations[t % 3], t, 3) + call_back(local_operation, t, 2);
	o[10] = counter + table_of_squares[t & 15] + (int)factors[t & 7];
	__syncthreads();
	o[11] = mine[31 - t];
	for (int i = 0; i < 8; i++)
		o[12 + i] = keep[i];
	o[20] = on_frame<3>(t, words);
	o[21] = on_frame<4>(t, words);
}
