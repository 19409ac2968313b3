// SPDX-License-Identifier: MIT
// atomics on buffers and shared memory
// inout u32: 0 100 50 0 0xff 0 0xf 7 0 -> 2016 163 0 63 0 0xff 0x30 9 64
// inout u64: 0 5 -> 2016 69
// inout f32: 0 -> 64
// out u32: 64 2016
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_atomic_int64 : require
#extension GL_EXT_shader_atomic_float : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer A { uint a[]; };
layout(std430, binding = 1) buffer B { uint64_t b[]; };
layout(std430, binding = 2) buffer C { float c[]; };
layout(std430, binding = 3) buffer D { uint d[]; };
shared uint s[2];

void main()
{
	uint i = gl_LocalInvocationIndex;

	if (i < 2)
		s[i] = 0;
	barrier();
	atomicAdd(a[0], i);
	atomicMax(a[1], 100 + i);
	atomicMin(a[2], i);
	atomicMax(a[3], i);
	atomicAnd(a[4], i == 9 ? 0xf0u : i == 8 ? 0x0fu : ~0u);
	atomicOr(a[5], i < 8 ? 1u << i : 0u);
	atomicXor(a[6], i);
	if (i == 0) {
		atomicXor(a[6], 0x3fu);
		atomicCompSwap(a[7], 7, 8);
		atomicCompSwap(a[7], 7, 5);
		if (atomicExchange(a[7], 9) != 8)
			a[7] = 1000;
	}
	atomicAdd(a[8], 1);
	atomicAdd(b[0], uint64_t(i));
	atomicMax(b[1], uint64_t(6 + i));
	atomicAdd(c[0], 1.0);
	atomicAdd(s[0], 1);
	atomicAdd(s[1], i);
	barrier();
	if (i < 2)
		d[i] = s[i];
}
