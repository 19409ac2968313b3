// SPDX-License-Identifier: MIT
// each invocation reads its own view; the set is that of images.comp
#version 460
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 8) in;
layout(binding = 2) uniform texture2DArray layers[2];
layout(binding = 3) uniform sampler immutable;
layout(std430, binding = 10) buffer Out { vec4 o[16]; };

void main()
{
	uint i = gl_GlobalInvocationID.x;

	o[8 + i] = textureLod(sampler2DArray(layers[nonuniformEXT(i & 1)], immutable), vec3(i >> 2, 0, 0), 0);
}
