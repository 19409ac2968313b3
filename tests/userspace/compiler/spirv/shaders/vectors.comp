// SPDX-License-Identifier: MIT
// vectors, matrices, swizzles, dynamic components and geometric functions
// in f32: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 17
// out f32: 30 70 110 154 1 5 9 13 -2 24 -4 8 -4 8 0 3 14 4 3 2 1 0.6 0.8 13 -1 2 9 5 28
// within: 1e-6
#version 460
layout(local_size_x = 1) in;
layout(std430, binding = 0) readonly buffer A { mat4 m; };
layout(std430, binding = 1) buffer R { float r[]; };

void main()
{
	vec4 v = vec4(1, 2, 3, 4);
	vec4 p = v * m, c = transpose(m)[0];
	mat2 q = mat2(1, 2, 3, 4);
	vec3 x = cross(vec3(1, 2, 3), vec3(3, 2, 1));
	uint o = 0;

	for (int k = 0; k < 4; k++)
		r[o++] = p[k];
	for (int k = 0; k < 4; k++)
		r[o++] = c[k];
	r[o++] = determinant(q);
	r[o++] = determinant(mat3(2, 0, 0, 0, 3, 0, 1, 1, 4));
	for (int k = 0; k < 3; k++)
		r[o++] = x[k];
	r[o++] = 8.0;
	r[o++] = inverse(mat2(4, 0, 2, 1))[0][1];
	r[o++] = length(vec2(0, 3));
	r[o++] = dot(vec3(1, 2, 3), vec3(1, 2, 3));
	v = v.wzyx;
	for (int k = 0; k < 4; k++)
		r[o++] = v[k];
	v.xy = normalize(vec2(3, 4));
	r[o++] = v.x;
	r[o++] = v.y;
	r[o++] = distance(vec2(1, 2), vec2(6, 14));
	r[o++] = reflect(vec2(1, -1), vec2(1, 0)).x;
	r[o++] = faceforward(vec2(2, 0), vec2(0, -1), vec2(0, 1)).x;
	v[int(r[o - 2]) + 2] = 9.0;
	r[o++] = v.y;
	r[o++] = (outerProduct(vec2(1, 5), vec2(1, 2)) * vec2(1, 0)).y;
	r[o++] = (matrixCompMult(q, q) * vec2(1, 1)).x + 18.0;
}
