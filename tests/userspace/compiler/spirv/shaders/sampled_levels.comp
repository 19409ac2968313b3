// SPDX-License-Identifier: MIT
// levels, gradients, bias, offsets of gathers, and arrays of images with dynamic indices
// texture tex2d f32x1 4x4 normalized levels=3 level_linear: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 100 101 102 103 200
// texture tex2d f32x1 4x4 normalized clamp: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
// in u32: 1 0
// out f32: 100 150 200 103 1 4 200 3 9 6 12 0 100 2
#version 460
layout(local_size_x = 1) in;
layout(binding = 0) uniform sampler2D a;
layout(binding = 1) uniform sampler2D b;
layout(binding = 2) buffer In { uint n[2]; };
layout(std430, binding = 3) buffer Out { float o[14]; };

void main()
{
	const ivec2 offsets[4] = {ivec2(0, 0), ivec2(1, 0), ivec2(0, 1), ivec2(-1, -1)};
	vec4 g = textureGatherOffsets(b, vec2(0.5), offsets);
	vec2 p = vec2(0.125);

	o[0] = textureLod(a, p, 1).x;
	o[1] = textureLod(a, p, 1.5).x;
	o[2] = textureLod(a, p, 7).x;
	o[3] = texelFetch(a, ivec2(1, 1), 1).x;
	o[4] = textureSize(a, 2).x;
	o[5] = textureSize(a, 0).x;
	o[6] = textureGrad(a, p, vec2(1, 0), vec2(0)).x;
	o[7] = textureQueryLevels(a);
	// texels (1, 2), (2, 2), (2, 1), (1, 1) without an offset; w of each, which is (1, 1)
	o[8] = g.z; // + (0, 1)
	o[9] = g.y; // + (1, 0)
	o[10] = textureLodOffset(b, p, 0, ivec2(0, 3)).x;
	o[11] = g.w; // - (1, 1)
	o[12] = texture(a, p, float(n[0])).x; // bias: glslang adds it to a level of 0
	o[13] = textureProjLod(b, vec3(0.625, 0.125, 1), float(n[1])).x;
}
