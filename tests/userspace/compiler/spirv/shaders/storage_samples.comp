// SPDX-License-Identifier: MIT
// storage images with several samples: loads, stores, atomics, sizes, numbers of samples
// texture tex2d.layers f32x1 1x2x2 storage samples=2: 1 2 3 4 -> 1 2 3 6
// texture tex2d.layers u32x1 1x1x4 storage samples=2: 10 20 30 40 -> 10 20 35 41
// out s32: 4 30 40 1 2 2 1 1 2 2
#version 460
layout(local_size_x = 1) in;
layout(binding = 0, r32f) uniform image2DMS a;
layout(binding = 1, r32ui) uniform uimage2DMSArray b;
layout(std430, binding = 2) buffer Out { int o[10]; };

void main()
{
	float v = imageLoad(a, ivec2(0, 1), 1).x;

	o[0] = int(v);
	imageStore(a, ivec2(0, 1), 1, vec4(v + 2));
	o[1] = int(imageAtomicAdd(b, ivec3(0, 0, 1), 0, 5u));
	o[2] = int(imageLoad(b, ivec3(0, 0, 1), 1).x);
	imageStore(b, ivec3(0, 0, 1), 1, uvec4(41));
	o[3] = imageSize(a).x;
	o[4] = imageSize(a).y;
	o[5] = imageSamples(a);
	o[6] = imageSize(b).x;
	o[7] = imageSize(b).y;
	o[8] = imageSize(b).z;
	o[9] = imageSamples(b);
}
