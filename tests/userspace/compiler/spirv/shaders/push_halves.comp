// SPDX-License-Identifier: MIT
// 16-bit vectors in push constants, and one with a variable index
// out f32: 1 2 3 4 5 6 7 8
// value u16: 0x3c00 0x4000 0x4200 0x4400 0x4500 0x4600 0x4700 0x4800
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
layout(local_size_x = 8) in;
layout(push_constant) uniform Push { f16vec2 a; f16vec2 b; float16_t c[4]; };
layout(std430, binding = 0) buffer Out { float o[8]; };

void main()
{
	uint i = gl_LocalInvocationIndex;

	if (i < 4)
		o[i] = i < 2 ? i == 0 ? a.x : a.y : i == 2 ? b.x : b.y;
	else
		o[i] = c[i - 4];
}
