// SPDX-License-Identifier: MIT
// storage images of other shapes, arrays of them, stores without a format, and atomics
// texture tex1d f32x1 4 storage: 1 2 3 4 -> 1 2 3 5
// texture tex1d.layers u32x1 2x1x2 storage: 1 2 3 4 -> 1 2 3 104
// texture tex2d.layers u32x1 2x1x2 storage: 10 20 30 40 -> 10 20 31 7
// texture tex3d s32x1 2x2x2 storage: 0 1 2 3 4 5 6 7 -> 0 1 2 3 4 5 -6 9
// texture tex2d.layers f32x1 1x1x6 storage: 0 0 0 0 0 0 -> 0 0 0 0 8 0
// out s32: 4 2 2 2 1 2 2 2 2 1 1 30 40 6 7 0
#version 460
layout(local_size_x = 1) in;
layout(binding = 0) uniform writeonly image1D a;
layout(binding = 1, r32ui) uniform uimage1DArray b;
layout(binding = 2, r32ui) uniform uimage2DArray c;
layout(binding = 3, r32i) uniform iimage3D d;
layout(binding = 4, r32f) uniform imageCube e;
layout(std430, binding = 5) buffer Out { int o[16]; };

void main()
{
	ivec3 size = imageSize(c);
	ivec3 volume = imageSize(d);

	o[0] = imageSize(a);
	o[1] = imageSize(b).x;
	o[2] = imageSize(b).y;
	o[3] = size.x;
	o[4] = size.y;
	o[5] = size.z;
	o[6] = volume.x;
	o[7] = volume.y;
	o[8] = volume.z;
	o[9] = imageSize(e).x;
	o[10] = imageSize(e).y;
	imageStore(a, 3, vec4(5));
	imageStore(b, ivec2(1, 1), imageLoad(b, ivec2(1, 1)) + 100);
	o[11] = int(imageAtomicAdd(c, ivec3(0, 0, 1), 1u));
	o[12] = int(imageAtomicCompSwap(c, ivec3(1, 0, 1), 40u, 7u));
	o[13] = imageAtomicMin(d, ivec3(0, 1, 1), -6);
	o[14] = imageAtomicExchange(d, ivec3(1, 1, 1), 9);
	imageStore(e, ivec3(0, 0, 4), vec4(8));
	o[15] = int(imageLoad(e, ivec3(0, 0, 6)).x);
}
