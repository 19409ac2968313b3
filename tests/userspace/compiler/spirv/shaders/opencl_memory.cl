// SPDX-License-Identifier: MIT
// OpenCL memory: vectors, f16 in memory, arguments by value and in workgroup memory, program scope, generic pointers
// inout f32: 1 2 3 4 5 6 7 8 -> 101 2 3 104 5 6 107 8
// in u16: 0x3c00 0x4000 0xc200 0x3800
// out u16: 0x3c00 0x4000 0xc200 0x3800 0x3c01 0x3c00 0x3c01 0x3c00
// out f32: 60 10 30 42 7 9 2.5 14 25 4
// value u32: 0
// value u32: 32
// value f32: 0.5 0.25 2 4
// value s32: 3 4
// shared: 64
// block: 8
struct pair { int a, b; };
constant float table[2][3] = {{10, 20, 30}, {40, 50, 60}};
constant struct { char c; short s[2]; long l; } mixed = {1, {2, 3}, 4};
global int counter = 5;

float sum_of(const float *p, int n) /* a generic pointer */
{
	float sum = 0;

	for (int k = 0; k < n; k++)
		sum += p[k];
	return sum;
}

kernel void test(global float *a, global const half *h, global half *hout, global float *out,
		 local float *first, local float *second, float4 v, struct pair by_value)
{
	size_t l = get_local_id(0);
	float own[2] = {(float)l, 2};
	float3 triple;
	half8 halves;

	first[l] = a[l];
	second[7 - l] = (float)l;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (l % 3 == 0)
		a[l] += 100;
	if (l)
		return;
	triple = vload3(1, first);
	out[0] = table[by_value.a - 2][by_value.b - 2];
	out[1] = table[0][0];
	out[2] = mixed.s[0] + mixed.s[1] + mixed.l + mixed.c + table[0][1];
	out[3] = v.x * v.y * v.z * v.w + sum_of(first, 8) + counter;
	out[4] = second[0];
	out[5] = sum_of(own, 2) + triple.z + second[7] + 1;
	out[6] = shuffle2(v, (float4)(triple.x, triple.y, triple.z, 1), (uint4)(2, 0, 6, 4)).s0 + v.x;
	vstore2((float2)(triple.x + 10, triple.y + 20), 0, out + 7);
	out[9] = (float)vload_half(3, h) * 8;
	vstore_half4(vload_half4(0, h), 0, hout);
	vstore_half_rte(1.00074f, 4, hout);
	vstore_half_rtz(1.00074f, 5, hout);
	vstore_half_rtp(1.00074f, 6, hout);
	vstore_half_rtn(1.00074f, 7, hout);
}
