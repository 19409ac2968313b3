// SPDX-License-Identifier: MIT
// loads, stores and size of a two-dimensional storage image of floats
// texture tex2d f32x1 4x2 storage: 1.5 2.5 3.5 4.5 5.5 6.5 7.5 8.5
// texture tex2d f32x1 4x2 storage: 0 0 0 0 0 0 0 0 -> 18 17 16 15 14 13 12 11
// out s32: 4 2 0 0 0 0 0 0
#version 460
layout(local_size_x = 4, local_size_y = 2) in;
layout(binding = 0, r32f) uniform readonly image2D a;
layout(binding = 1, r32f) uniform image2D b;
layout(std430, binding = 2) buffer S { int size[8]; };

void main()
{
	ivec2 p = ivec2(gl_LocalInvocationID.xy);

	ivec2 q = ivec2(3, 1) - p;

	imageStore(b, q, vec4(2 * imageLoad(a, p).x));
	imageStore(b, q, imageLoad(b, q) + imageLoad(a, q)- 0.5);
	// beyond the image: 0, and no store
	imageStore(b, ivec2(4 + p.x, p.y), vec4(99));
	size[p.x + 4 * p.y] = p == ivec2(0) ? imageSize(a).x : p == ivec2(1, 0) ? imageSize(b).y : int(imageLoad(a, ivec2(p.x, -1 - p.y)).x);
}
