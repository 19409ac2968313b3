// SPDX-License-Identifier: MIT
// storage images of 64 bits: loads, stores and atomics
// texture tex2d u32x2 2x2 storage: 1 1 2 0 0xffffffff 0xffffffff 4 0 -> 0 2 2 0 0xffffffff 0xffffffff 6 5
// texture tex1d.layers s32x2 1x1x2 storage: 0 0 -16 -1 -> 0 0 -32 -1
// out s64: 0x100000001 0 1 -1 4 -16
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_image_int64 : require
layout(local_size_x = 1) in;
layout(binding = 0, r64ui) uniform u64image2D a;
layout(binding = 1, r64i) uniform i64image1DArray b;
layout(std430, binding = 2) buffer Out { int64_t o[6]; };

void main()
{
	u64vec4 v = imageLoad(a, ivec2(0));

	o[0] = int64_t(v.x);
	o[1] = int64_t(v.y);
	o[2] = int64_t(v.w);
	o[3] = int64_t(imageLoad(a, ivec2(0, 1)).x);
	imageStore(a, ivec2(0), u64vec4(v.x + 0xfffffffful));
	o[4] = int64_t(imageAtomicExchange(a, ivec2(1, 1), 0x500000006ul));
	o[5] = imageAtomicMin(b, ivec2(0, 1), -32l);
}
