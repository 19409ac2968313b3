// SPDX-License-Identifier: MIT
// arithmetic, shifts and comparisons of 16-bit integers
// in s16: 7 -7 100 -32768 32767 -1
// in s16: 3 3 -20 7 -16 9
// out s16: 10 4 21 2 1 2 1 56 1 1 7 3 0 0 -8 -7 -4 -10 -21 -2 -1 21843 0 -56 -2 16382 3 3 1 0 6 7 80 120 -2000 -5 0 0 100 800 25 25 100 100 0 1 -101 -100 -32761 32761 -32768 -4681 -1 4681 1 0 -8192 8192 7 7 1 0 32767 -32768 32751 -32753 16 -2047 15 0 32767 -8 8191 8191 32767 32767 0 1 -32768 -32767 8 -10 -9 0 -1 7281 6 -8 -1 16383 9 9 1 0 0 1
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 6) in;
layout(std430, binding = 0) readonly buffer B0 { int16_t a[]; };
layout(std430, binding = 1) readonly buffer B1 { int16_t b[]; };
layout(std430, binding = 2) buffer B2 { int16_t r[]; };

void main()
{
	uint i = gl_GlobalInvocationID.x;

	int16_t x = a[i], y = b[i];
	uint16_t ux = uint16_t(x), uy = uint16_t(y);
	uint o = i * 16;

	r[o] = x + y;
	r[o + 1] = x - y;
	r[o + 2] = x * y;
	r[o + 3] = x / y;
	r[o + 4] = int16_t(x - y * (x / y));
	r[o + 5] = int16_t(ux / uy);
	r[o + 6] = int16_t(ux % uy);
	r[o + 7] = x << int16_t(3);
	r[o + 8] = x >> int16_t(2);
	r[o + 9] = int16_t(ux >> uint16_t(2));
	r[o + 10] = max(x, y);
	r[o + 11] = int16_t(min(ux, uy));
	r[o + 12] = int16_t(x < y ? 1 : 0);
	r[o + 13] = int16_t(ux < uy ? 1 : 0);
	r[o + 14] = ~x;
	r[o + 15] = -x;
}
