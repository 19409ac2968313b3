// SPDX-License-Identifier: MIT
// a combined image, a separate image and sampler, texels, gathers and queries in two dimensions
// texture tex2d f32x1 4x2 linear normalized clamp: 0 1 2 3 10 11 12 13
// texture tex2d unorm8x4 2x2 normalized: 0 51 102 255 255 0 0 0 0 255 0 0 51 51 51 51
// texture tex2d f32x1 1x1 normalized border linear: 0
// out f32: 5 6.5 0.4 1 13 12 11 10 3 4 2 2
#version 460
#extension GL_EXT_samplerless_texture_functions : require
layout(local_size_x = 1) in;
layout(binding = 0) uniform sampler2D combined;
layout(binding = 1) uniform texture2D image;
layout(binding = 2) uniform sampler smp;
layout(std430, binding = 3) buffer Out { float o[12]; };

void main()
{
	// between texels 0 and 1 in x, and the rows
	o[0] = textureLod(combined, vec2(0.125, 0.5), 0).x;
	// 1.5 in x, then between the rows
	o[1] = textureOffset(combined, vec2(0.25, 0.5), ivec2(1, 0)).x;
	o[2] = texelFetch(sampler2D(image, smp), ivec2(0, 0), 0).z;
	o[3] = texelFetch(image, ivec2(1, 0), 0).x;
	vec4 g = textureGather(combined, vec2(0.75, 0.5));
	o[4] = g.y;
	o[5] = g.x;
	o[6] = textureGatherOffset(combined, vec2(0.75, 0.5), ivec2(-1, 0)).x;
	o[7] = textureProj(combined, vec3(0.25, 1.5, 2)).x;
	o[8] = textureGrad(combined, vec2(0.999, 0), vec2(0), vec2(0)).x;
	o[9] = textureSize(combined, 0).x;
	// the border is 0
	o[10] = textureSize(image, 0).y + texture(sampler2D(image, smp), vec2(-2)).x;
	o[11] = textureQueryLevels(combined) + 1;
}
