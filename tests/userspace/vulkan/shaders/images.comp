// SPDX-License-Identifier: MIT
#version 460
#extension GL_EXT_samplerless_texture_functions : require
#extension GL_EXT_texture_buffer : require
layout(local_size_x = 8) in;
layout(binding = 0, r32f) uniform image2D stored;
layout(binding = 1) uniform sampler2D levels;
layout(binding = 2) uniform texture2DArray layers[2];
layout(binding = 3) uniform sampler immutable;
layout(binding = 4) uniform textureBuffer texels;
layout(binding = 5, r32ui) uniform uimageBuffer counters;
layout(binding = 6) uniform sampler2DShadow depths;
layout(binding = 7) uniform writeonly image3D volume;
layout(binding = 8) uniform samplerCube cube;
layout(binding = 9, rgba8) uniform imageCube faces;
layout(std430, binding = 10) buffer Out { vec4 o[8]; };

void main()
{
	uint i = gl_GlobalInvocationID.x;

	imageStore(stored, ivec2(i, 1), imageLoad(stored, ivec2(i, 0)) * 2);
	imageStore(volume, ivec3(i, 0, 1), vec4(0.5, 1, 0, 0.25));
	imageAtomicAdd(counters, int(i & 3), i);
	imageStore(faces, ivec3(0, i & 1, 5), vec4(i & 1));
	if (i == 0)
		o[0] = textureLod(levels, vec2(0.5), 1);
	else if (i == 1)
		o[1] = texture(sampler2DArray(layers[i], immutable), vec3(0.25, 0.25, 1));
	else if (i == 2)
		o[2] = vec4(texelFetch(texels, 3).xy, textureSize(texels), imageSize(counters));
	else if (i == 3)
		o[3] = vec4(texture(depths, vec3(0.25, 0.5, 0.5)), texture(depths, vec3(0.75, 0.5, 0.5)),
			    imageSize(stored));
	else if (i == 4)
		o[4] = texture(cube, vec3(0, 0, -1));
	else if (i == 5)
		o[5] = vec4(textureSize(layers[0], 0), textureQueryLevels(levels));
	else if (i == 6)
		o[6] = texelFetch(layers[1], ivec3(0, 0, 0), 0);
	else
		o[7] = vec4(imageSize(volume), imageLoad(stored, ivec2(-1, 0)).x);
}
