// SPDX-License-Identifier: MIT
/*
 * Kernels in OpenCL C that LLVM compiles for gfx1030; the software GPU runs them, and amd_kernels.c
 * has the reference. All have the same interface: out and in have 4 n words, in workgroups of 64
 * threads. They use no device library.
 */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

#pragma OPENCL FP_CONTRACT OFF /* the sources call fma where they fuse */

#define BLOCK 64
#define LANE() ((uint)__builtin_amdgcn_workitem_id_x())
#define ID()   ((uint)__builtin_amdgcn_workgroup_id_x() * BLOCK + LANE())
#define SYNC() __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup"); \
	       __builtin_amdgcn_s_barrier(); \
	       __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup")
#define ATOMIC(op, space, type, at, value) \
	__opencl_atomic_##op((volatile space type *)(at), value, memory_order_relaxed, \
			     memory_scope_device)
#define KERNEL(name) \
	__attribute__((reqd_work_group_size(BLOCK, 1, 1))) __kernel void name( \
		__global uint *out, __global const uint *in, uint n)

KERNEL(saxpy)
{
	uint i = ID();

	if (i < n)
		((__global float *)out)[i] = __builtin_fmaf(1.5f, ((__global const float *)in)[i],
							    ((__global const float *)in)[n + i]);
}

KERNEL(bytes)
{
	uint i = ID();
	__global const uchar *b = (__global const uchar *)in;
	__global const char *c = (__global const char *)in;
	__global const short *s = (__global const short *)in;

	if (i >= n)
		return;
	((__global uchar *)out)[i] = b[n - 1 - i] + 3;
	((__global ushort *)out)[2 * n + i] = (ushort)(s[i] - c[2 * i]);
	out[2 * n + i] = (uint)(c[i] * s[n + i]);
}

KERNEL(vectors)
{
	uint i = ID();
	uint4 a, b;

	if (i >= n)
		return;
	a = ((__global const uint4 *)in)[i];
	b = ((__global const uint4 *)in)[n - 1 - i];
	((__global uint4 *)out)[i] = (a ^ b.wzyx) + (a << (b & 31));
}

KERNEL(reduce)
{
	__local uint sum[BLOCK];
	uint i = ID(), l = LANE();

	sum[l] = i < n ? in[i] : 0;
	SYNC();
	for (uint k = BLOCK / 2; k; k /= 2) {
		if (l < k)
			sum[l] += sum[l + k];
		SYNC();
	}
	if (l == 0)
		out[i / BLOCK] = sum[0];
}

KERNEL(scan)
{
	__local uint s[2][BLOCK];
	uint i = ID(), l = LANE(), from = 0;

	s[0][l] = in[i < n ? i : 0];
	SYNC();
	for (uint k = 1; k < BLOCK; k *= 2) {
		s[!from][l] = s[from][l] + (l >= k ? s[from][l - k] : 0);
		from = !from;
		SYNC();
	}
	if (i < n)
		out[i] = s[from][l];
}

KERNEL(bitonic)
{
	__local int s[BLOCK];
	uint i = ID(), l = LANE();

	s[l] = i < n ? (int)in[i] : 0x7fffffff;
	SYNC();
	for (uint k = 2; k <= BLOCK; k *= 2)
		for (uint j = k / 2; j; j /= 2) {
			uint other = l ^ j;

			if (other > l) {
				bool up = !(l & k);
				int a = s[l], b = s[other];

				if ((a > b) == up) {
					s[l] = b;
					s[other] = a;
				}
			}
			SYNC();
		}
	if (i < n)
		out[i] = (uint)s[l];
}

KERNEL(tile)
{
	__local double t[8][9];
	uint i = ID(), l = LANE();

	t[l / 8][l % 8] = (double)(int)in[i < n ? i : 0];
	SYNC();
	if (i < n)
		out[i] = (uint)(int)(t[l % 8][l / 8] * 0.5);
}

KERNEL(collatz)
{
	uint i = ID(), x, steps = 0;

	if (i >= n)
		return;
	for (x = in[i] % 1000 + 1; x != 1; steps++)
		x = x & 1 ? 3 * x + 1 : x / 2;
	out[i] = steps;
}

KERNEL(mandel)
{
	uint i = ID(), total = 0;

	if (i >= n)
		return;
	for (uint k = 0; k < in[i] % 5 + 1; k++) {
		float cx = (float)(in[n + i] % 400) * 0.0075f - 2.0f;
		float cy = (float)((in[2 * n + i] + k * 37) % 300) * 0.0075f - 1.0f;
		float x = 0, y = 0;
		uint m = 0;

		while (m < 60 && x * x + y * y < 4.0f) {
			float t = x * x - y * y + cx;

			y = 2 * x * y + cy;
			x = t;
			m++;
		}
		total = total * 61 + m;
	}
	out[i] = total;
}

KERNEL(gcds)
{
	uint i = ID(), sum = 0;

	if (i >= n)
		return;
	for (uint k = 0; k < in[i] % 7; k++) {
		uint a = in[n + i] >> k, b = in[2 * n + i] % 5000 + 1;

		while (b) {
			uint t = a % b;

			a = b;
			b = t;
		}
		sum += a;
	}
	out[i] = sum;
}

KERNEL(primes)
{
	uint i = ID(), count = 0;

	if (i >= n)
		return;
	for (uint p = 2; p < in[i] % 90; p++) {
		bool prime = true;

		for (uint d = 2; d * d <= p; d++) {
			if (p % d)
				continue;
			prime = false;
			break;
		}
		if (!prime)
			continue;
		count++;
		if (count == in[n + i] % 20)
			break;
	}
	out[i] = count;
}

KERNEL(nest)
{
	uint i = ID(), x = i < n ? in[i] : 0, sum = 0;

	for (uint a = 0; a < (x & 3) + 1; a++)
		for (uint b = a; b < (x >> 2 & 3) + 2; b++) {
			if (((x >> b) & 1) == (a & 1))
				continue;
			for (uint c = 0; c < (x >> 4 & 7); c++) {
				sum = sum * 31 + a * 7 + b * 3 + c;
				if (sum % 11 == 5)
					goto out;
			}
		}
out:
	if (i < n)
		out[i] = sum;
}

KERNEL(irreducible)
{
	uint i = ID(), x = i < n ? in[i] & 0xffff : 0, y = 0;

	if (x & 1)
		goto second;
first:
	y += x;
	x -= x > 3 ? 3 : x;
	if (!x)
		goto done;
second:
	y ^= x * 5;
	x /= 2;
	if (x > 2)
		goto first;
done:
	if (i < n)
		out[i] = y;
}

KERNEL(insertion)
{
	uint i = ID(), a[16];

	if (i >= n)
		return;
	for (uint k = 0; k < 16; k++)
		a[k] = in[(i * 5 + k * 3) % (4 * n)];
	for (uint k = 1; k < 16; k++) {
		uint v = a[k], j = k;

		while (j > 0 && a[j - 1] > v) {
			a[j] = a[j - 1];
			j--;
		}
		a[j] = v;
	}
	out[i] = a[in[i] % 16];
}

KERNEL(private_histogram)
{
	uint i = ID(), h = 0;
	uchar bin[64];

	if (i >= n)
		return;
	for (uint k = 0; k < 64; k++)
		bin[k] = 0;
	for (uint k = 0; k < 100; k++)
		bin[in[(i + k) % n] % 64]++;
	for (uint k = 0; k < 64; k++)
		h = h * 5 + bin[k];
	out[i] = h;
}

static __attribute__((noinline)) uint ackermann(uint m, uint x)
{
	uint stack[64], top = 0, steps = 0;

	stack[top++] = m;
	while (top && steps++ < 3000) {
		m = stack[--top];
		if (!m) {
			x++;
		} else if (!x) {
			x = 1;
			stack[top++ & 63] = m - 1;
		} else {
			stack[top++ & 63] = m - 1;
			stack[top++ & 63] = m;
			x--;
		}
		top &= 63;
	}
	return x * 4096 + steps;
}

KERNEL(calls)
{
	uint i = ID();

	if (i < n)
		out[i] = ackermann(in[i] % 3, in[n + i] % 5) + ackermann(1, i & 3);
}

KERNEL(polynomial)
{
	uint i = ID();
	double x, y = 0;

	if (i >= n)
		return;
	x = (double)(int)in[i] * 0x1p-31;
	for (uint k = 0; k < in[n + i] % 12; k++)
		y = __builtin_fma(y, x, (double)k);
	((__global double *)out)[i] = y;
}

KERNEL(divisions)
{
	uint i = ID();
	double a, b;

	if (i >= n)
		return;
	a = ((__global const double *)in)[i];
	b = ((__global const double *)in)[n + i];
	((__global double *)out)[i] = a / b;
	((__global double *)out)[n + i] = __builtin_sqrt(a) + __builtin_fabs(b);
}

KERNEL(rounding)
{
	uint i = ID();
	double x;
	float f;

	if (i >= n)
		return;
	x = (double)(int)in[i] * 0x1p-12;
	f = (float)(int)in[n + i] * 0x1p-14f;
	((__global double *)out)[i] = __builtin_floor(x) + __builtin_rint(x) * 0.5 +
				      __builtin_fmin(x, 3.0) - __builtin_ceil(x * 3.0) +
				      __builtin_trunc(x * 5.0);
	out[2 * n + i] = (uint)(int)(__builtin_floorf(f) * 3 + __builtin_rintf(f) +
				     __builtin_fmaxf(__builtin_ceilf(f), 2.0f));
	((__global float *)out)[3 * n + i] = __builtin_truncf(f) / (f + 0.3f);
}

KERNEL(floats)
{
	uint i = ID();
	float a, b;

	if (i >= n)
		return;
	a = ((__global const float *)in)[i];
	b = ((__global const float *)in)[n + i];
	((__global float *)out)[i] = a / b;
	((__global float *)out)[n + i] = __builtin_sqrtf(__builtin_fabsf(a));
	((__global float *)out)[2 * n + i] = __builtin_fmaf(a, b, -a) > 0 ? a - b : __builtin_fminf(a, b);
	out[3 * n + i] = (a < b) | (a != b) << 1 | __builtin_isnan(a) << 2 |
			 __builtin_isinf(b) << 3 | (a >= 0) << 4;
}

KERNEL(conversions)
{
	uint i = ID();
	int x;
	float f;

	if (i >= n)
		return;
	x = (int)in[i];
	f = (float)x;
	((__global float *)out)[i] = f + (float)in[n + i];
	out[n + i] = (uint)(int)(f * 0x1p-8f) + (uint)((float)(in[i] >> 1) * 0.5f);
	((__global half *)out)[4 * n + i] = (half)(f * 0x1p-20f);
	((__global half *)out)[5 * n + i] = (half)(short)in[i];
	((__global float *)out)[3 * n + i] = (float)(double)f + (float)((long)x * 77777) +
					     (float)(uchar)(x >> 8);
}

KERNEL(histogram)
{
	uint i = ID();

	if (i < n)
		ATOMIC(fetch_add, __global, atomic_uint, &out[in[i] % n], in[n + i] & 15);
}

KERNEL(extremes)
{
	uint i = ID();

	if (i >= n)
		return;
	ATOMIC(fetch_max, __global, atomic_uint, &out[0], in[i]);
	ATOMIC(fetch_min, __global, atomic_int, &out[1], (int)in[i]);
	ATOMIC(fetch_xor, __global, atomic_uint, &out[2], in[i]);
	ATOMIC(fetch_or, __global, atomic_uint, &out[3], in[i]);
	ATOMIC(fetch_and, __global, atomic_uint, &out[4], in[i]);
	ATOMIC(fetch_add, __global, atomic_ulong, &out[6], (ulong)in[i] << 20);
}

KERNEL(swaps)
{
	__local uint bins[16];
	uint i = ID(), l = LANE();

	if (l < 16)
		bins[l] = 0;
	SYNC();
	if (i < n)
		ATOMIC(fetch_add, __local, atomic_uint, &bins[in[i] % 16], 1);
	SYNC();
	if (l < 16 && bins[l]) { /* atomic add by compare-and-swap */
		__global uint *at = &out[l];
		uint seen = *at, want;

		do
			want = seen + bins[l] * (l + 1);
		while (!__opencl_atomic_compare_exchange_weak(
			(volatile __global atomic_uint *)at, &seen, want, memory_order_relaxed,
			memory_order_relaxed, memory_scope_device));
	}
}

typedef half half2 __attribute__((ext_vector_type(2)));

KERNEL(halves)
{
	uint i = ID();
	half2 a, b, c;

	if (i >= n)
		return;
	a = ((__global const half2 *)in)[i];
	b = ((__global const half2 *)in)[n + i];
	c = __builtin_elementwise_fma(a, b, a);
	((__global half2 *)out)[i] = c;
	((__global half2 *)out)[n + i] = a - b;
	((__global half2 *)out)[2 * n + i] = __builtin_elementwise_max(a, b);
	((__global half *)out)[6 * n + i] = a.x * b.y;
}

KERNEL(longs)
{
	uint i = ID();
	ulong a, b;

	if (i >= n)
		return;
	a = ((__global const ulong *)in)[i];
	b = ((__global const ulong *)in)[n + i];
	((__global ulong *)out)[i] = a * b + (a >> (b & 63)) - (b << (a & 63));
	((__global ulong *)out)[n + i] = (a / (b >> 32 | 1)) ^ (ulong)((long)a >> 7) ^
					 (ulong)((long)a < (long)b ? 5 : 9);
}

KERNEL(bits)
{
	uint i = ID(), x, y;

	if (i >= n)
		return;
	x = in[i];
	y = in[n + i];
	out[i] = (uint)__builtin_popcount(x) + (uint)__builtin_clz(x | 1) * 64 +
		 (uint)__builtin_ctz(x | 0x80000000) * 4096;
	out[n + i] = __builtin_bitreverse32(x) ^ __builtin_bswap32(y) ^ (x << 7 | x >> 25);
	out[2 * n + i] = (x >> 5 & 0x3ff) + (uint)((int)(y << 9) >> 20) + (x & y | ~x & 0x5555);
	out[3 * n + i] = __builtin_amdgcn_perm(x, y, 0x07020500) + __builtin_amdgcn_alignbyte(x, y, 3) +
			 __builtin_amdgcn_sad_u8(x, y, 100);
}

KERNEL(multiply)
{
	uint i = ID(), x, y;

	if (i >= n)
		return;
	x = in[i];
	y = in[n + i];
	out[i] = (uint)((ulong)x * y >> 32) + (uint)((long)(int)x * (int)y >> 32);
	out[n + i] = (x & 0xffffff) * (y & 0xffffff) + x;
	out[2 * n + i] = x / (y | 1) + (uint)((int)x % (int)(y >> 20 | 1));
	out[3 * n + i] = __builtin_elementwise_add_sat(x, y) + __builtin_elementwise_max(x, y) +
			 (uint)__builtin_elementwise_min((int)x, (int)y);
}

KERNEL(lanes)
{
	uint i = ID(), l = LANE(), x = in[i % n], y;
	ulong ballot;

	y = (uint)__builtin_amdgcn_ds_bpermute((int)((l * 7 + 3) % 32 * 4), (int)x);
	y += (uint)__builtin_amdgcn_update_dpp(0, (int)x, 0x111, 15, 15, true); /* row_shr:1 */
	y ^= (uint)__builtin_amdgcn_mov_dpp((int)x, 0x1b, 15, 15, false); /* quad_perm */
	y += (uint)__builtin_amdgcn_ds_swizzle((int)x, 0x401f); /* swap 16 */
	y += __builtin_amdgcn_readfirstlane((int)x);
	y ^= __builtin_amdgcn_readlane((int)x, 5);
	ballot = __builtin_amdgcn_ballot_w32(x & 1);
	y += (uint)ballot + __builtin_amdgcn_mbcnt_lo((uint)ballot, 0);
	y ^= (uint)__builtin_amdgcn_permlane16((int)l, (int)x, 0x76543210, (int)0xfedcba98, false,
					       false);
	if (i < n)
		out[i] = y;
}

KERNEL(dots)
{
	uint i = ID();

	if (i >= n)
		return;
	out[i] = (uint)__builtin_amdgcn_sdot4((int)in[i], (int)in[n + i], (int)in[2 * n + i], false);
	out[n + i] = __builtin_amdgcn_udot4(in[i], in[n + i], 7, false);
}

KERNEL(pointers)
{
	__local uint table[BLOCK];
	uint i = ID(), l = LANE();
	const uint *from;

	table[l] = l * 3;
	SYNC();
	from = in[i % n] & 1 ? (const uint *)&table[in[i % n] % BLOCK] : (const uint *)&in[i % n];
	if (i < n)
		out[i] = *from + 1;
}

KERNEL(switches)
{
	uint i = ID(), x, y = 1;

	if (i >= n)
		return;
	x = in[i];
	for (uint k = 0; k < 8; k++, x >>= 4)
		switch (x & 15) {
		case 0: y += 3; break;
		case 1: y *= 5; break;
		case 2: y ^= x; break;
		case 3: y = y << 3 | y >> 29; break;
		case 4: y -= x; /* fallthrough */
		case 5: y += 7; break;
		case 6: if (y & 1) y += x; else y ^= 9; break;
		case 7: goto done;
		default: y = y * 3 + (x & 15); break;
		}
done:
	out[i] = y;
}
