// SPDX-License-Identifier: MIT
// layouts of structures in memory: std140, row-major matrices, vectors of three, arrays in arrays
// in f32: 1 0 0 0 2 0 0 0 3 4 5 6 7 8 9 0 10 11 12 0 13 14 0 0 15 16 0 0
// inout f32: 1 2 3 0 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 -> 1 2 3 0 4 5 6 7 50 9 10 11 12 13 14 15 51 53 31 28
#version 460
layout(local_size_x = 1) in;
struct S { vec3 v; float f; };
layout(std140, binding = 0) uniform A { float a[2]; S s; layout(row_major) mat2x3 m; };
layout(std430, binding = 1) buffer B { vec3 b; float arr[2][3]; layout(row_major) mat2 t; float x[6]; };

void main()
{
	uint i = uint(a[0]);
	S copy = s;

	arr[i][i + 1] = 50.0;
	x[2] = m[1][i] + 40.0;
	x[3] = copy.v.y + copy.f + 2.0 + 41.0;
	x[4] = t[1][0] + t[0][1] + 8.0;
	x[5] = m[0].y + m[1].z + b.z + 1.0;
}
