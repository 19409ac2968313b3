// SPDX-License-Identifier: MIT
// uniform and storage texel buffers, with atomics
// texture tex1d s16x2 4: 1 -2 3 -4 5 -6 7 -8
// texture tex1d u32x1 4 storage: 5 6 7 8 -> 105 36 7 1
// out s32: -2 4 4 8
#version 460
#extension GL_EXT_samplerless_texture_functions : require
#extension GL_EXT_texture_buffer : require
layout(local_size_x = 1) in;
layout(binding = 0) uniform itextureBuffer a;
layout(binding = 1, r32ui) uniform uimageBuffer b;
layout(std430, binding = 2) buffer Out { int o[4]; };

void main()
{
	o[0] = texelFetch(a, 0).y;
	o[1] = textureSize(a);
	o[2] = imageSize(b);
	imageStore(b, 0, uvec4(100 + imageLoad(b, 0).x));
	imageAtomicAdd(b, 1, 30u);
	imageAtomicMax(b, 2, 7u);
	o[3] = int(imageAtomicExchange(b, 3, 1u));
}
