// SPDX-License-Identifier: MIT
// arithmetic, shifts and comparisons of 8-bit integers
// in s8: 7 -7 100 -128 127 -1
// in s8: 3 3 -20 7 -16 9
// out s8: 10 4 21 2 1 2 1 56 1 1 7 3 0 0 -8 -7 -4 -10 -21 -2 -1 83 0 -56 -2 62 3 3 1 0 6 7 80 120 48 -5 0 0 100 32 25 25 100 100 0 1 -101 -100 -121 121 -128 -18 -2 18 2 0 -32 32 7 7 1 0 127 -128 111 -113 16 -7 15 0 127 -8 31 31 127 127 0 1 -128 -127 8 -10 -9 0 -1 28 3 -8 -1 63 9 9 1 0 0 1
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 6) in;
layout(std430, binding = 0) readonly buffer B0 { int8_t a[]; };
layout(std430, binding = 1) readonly buffer B1 { int8_t b[]; };
layout(std430, binding = 2) buffer B2 { int8_t r[]; };

void main()
{
	uint i = gl_GlobalInvocationID.x;

	int8_t x = a[i], y = b[i];
	uint8_t ux = uint8_t(x), uy = uint8_t(y);
	uint o = i * 16;

	r[o] = x + y;
	r[o + 1] = x - y;
	r[o + 2] = x * y;
	r[o + 3] = x / y;
	r[o + 4] = int8_t(x - y * (x / y));
	r[o + 5] = int8_t(ux / uy);
	r[o + 6] = int8_t(ux % uy);
	r[o + 7] = x << int8_t(3);
	r[o + 8] = x >> int8_t(2);
	r[o + 9] = int8_t(ux >> uint8_t(2));
	r[o + 10] = max(x, y);
	r[o + 11] = int8_t(min(ux, uy));
	r[o + 12] = int8_t(x < y ? 1 : 0);
	r[o + 13] = int8_t(ux < uy ? 1 : 0);
	r[o + 14] = ~x;
	r[o + 15] = -x;
}
