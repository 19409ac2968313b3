// SPDX-License-Identifier: MIT
// arithmetic, shifts and comparisons of 64-bit integers
// in s64: 7 -7 123456789012345 -9223372036854775808 1311768467463790320 -1
// in s64: 3 3 -1000 7 -16 1000000000000
// out s64: 10 4 21 2 2 1 56 0 0 3 0 0 -4 -10 -21 -2 6148914691236517203 0 -56 -1 2305843009213693951 -7 1 0 123456789011345 123456789013345 -123456789012345000 -123456789012 0 123456789012345 5225879671068950528 7358598 7358598 -1000 0 1 -9223372036854775801 9223372036854775801 -9223372036854775808 -1317624576693539401 1317624576693539401 1 0 -72057594037927936 72057594037927936 -9223372036854775808 1 0 1311768467463790304 1311768467463790336 -2541551405711093504 -81985529216486895 0 1311768467463790320 -2382404202878992384 4660 4660 -16 0 1 999999999999 -1000000000001 -1000000000000 0 18446744 73709551615 -1 -1 -1 -1 1 0
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 6) in;
layout(std430, binding = 0) readonly buffer B0 { int64_t a[]; };
layout(std430, binding = 1) readonly buffer B1 { int64_t b[]; };
layout(std430, binding = 2) buffer B2 { int64_t r[]; };

void main()
{
	uint i = gl_GlobalInvocationID.x;

	int64_t x = a[i], y = b[i];
	uint64_t ux = uint64_t(x), uy = uint64_t(y);
	uint o = i * 12;

	r[o] = x + y;
	r[o + 1] = x - y;
	r[o + 2] = x * y;
	r[o + 3] = x / y;
	r[o + 4] = int64_t(ux / uy);
	r[o + 5] = int64_t(ux % uy);
	r[o + 6] = x << int(y & 63);
	r[o + 7] = x >> int(y & 63);
	r[o + 8] = int64_t(ux >> int(y & 63));
	r[o + 9] = min(x, y);
	r[o + 10] = x < y ? 1 : 0;
	r[o + 11] = ux < uy ? 1 : 0;
}
