// SPDX-License-Identifier: MIT
// two variables of one binding, of which the second has the larger descriptor
// texture tex2d f32x1 2x1 normalized: 3 5
// out f32: 5 3
#version 460
#extension GL_EXT_samplerless_texture_functions : require
layout(local_size_x = 1) in;
layout(binding = 0) uniform texture2D a;
layout(binding = 0) uniform sampler2D b;
layout(std430, binding = 1) buffer Out { float o[2]; };

void main()
{
	o[0] = texelFetch(a, ivec2(1, 0), 0).x;
	o[1] = textureLod(b, vec2(0.25, 0.5), 0).x;
}
