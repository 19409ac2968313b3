// SPDX-License-Identifier: MIT
// sampled images with several samples: fetches, sizes, numbers of samples
// texture tex2d.layers f32x1 2x1x4 samples=4: 0 1 10 11 20 21 30 31
// texture tex2d.layers f32x1 2x1x4 samples=2: 0 1 10 11 20 21 30 31
// texture tex2d.layers u32x1 1x1x1 samples=1: 7
// out f32: 30 11 21 30 2 1 4 2 1 2 2 7 1
#version 460
#extension GL_EXT_samplerless_texture_functions : require
layout(local_size_x = 1) in;
layout(binding = 0) uniform texture2DMS a;
layout(binding = 1) uniform sampler2DMSArray b;
layout(binding = 2) uniform utexture2DMS c;
layout(std430, binding = 3) buffer Out { float o[13]; };

void main()
{
	o[0] = texelFetch(a, ivec2(0), 3).x;
	o[1] = texelFetch(b, ivec3(1, 0, 0), 1).x;
	o[2] = texelFetch(b, ivec3(1, 0, 1), 0).x;
	o[3] = texelFetch(b, ivec3(0, 0, 1), 1).x;
	o[4] = textureSize(a).x;
	o[5] = textureSize(a).y;
	o[6] = textureSamples(a);
	o[7] = textureSize(b).x;
	o[8] = textureSize(b).y;
	o[9] = textureSize(b).z;
	o[10] = textureSamples(b);
	o[11] = texelFetch(c, ivec2(0), 0).x;
	o[12] = textureSamples(c);
}
