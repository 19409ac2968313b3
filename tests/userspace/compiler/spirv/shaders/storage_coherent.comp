// SPDX-License-Identifier: MIT
// invocations of a workgroup exchange texels of a coherent image, and count in another
// texture tex2d u32x1 8x1 storage: 0 0 0 0 0 0 0 0 -> 1 2 3 4 5 6 7 8
// texture tex2d u32x1 1x1 storage: 100 -> 128
// out u32: 8 7 6 5 4 3 2 1
#version 460
layout(local_size_x = 8) in;
layout(binding = 0, r32ui) uniform coherent uimage2D a;
layout(binding = 1, r32ui) uniform volatile uimage2D b;
layout(std430, binding = 2) buffer Out { uint o[8]; };

void main()
{
	uint i = gl_LocalInvocationIndex;

	imageStore(a, ivec2(i, 0), uvec4(i + 1));
	imageAtomicAdd(b, ivec2(0), i);
	memoryBarrierImage();
	barrier();
	o[i] = imageLoad(a, ivec2(7 - i, 0)).x;
}
