// SPDX-License-Identifier: MIT
// refused: images with several samples are not supported
#version 460
#extension GL_EXT_samplerless_texture_functions : require
layout(local_size_x = 1) in;
layout(binding = 0) uniform texture2DMS a;
layout(std430, binding = 1) buffer Out { float o; };

void main()
{
	o = texelFetch(a, ivec2(0), 1).x;
}
