// SPDX-License-Identifier: MIT
// sampled images of other shapes: one dimension, three, layers, cubes
// texture tex1d f32x1 4 normalized linear: 0 1 2 3
// texture tex1d.layers f32x1 2x1x2 normalized: 0 1 10 11
// texture tex2d.layers f32x1 2x1x3 normalized: 0 1 10 11 20 21
// texture tex3d f32x1 2x2x2 normalized linear clamp: 0 1 2 3 4 5 6 7
// texture cube f32x1 1x1x6 normalized: 0 1 2 3 4 5
// texture cube.layers f32x1 1x1x12 normalized: 0 1 2 3 4 5 10 11 12 13 14 15
// out f32: 0.5 11 21 20 3.5 7 1 14 4 2 2 1 3 2 2 2 1 1 1 1 2 0
#version 460
#extension GL_EXT_samplerless_texture_functions : require
layout(local_size_x = 1) in;
layout(binding = 0) uniform sampler1D a;
layout(binding = 1) uniform sampler1DArray b;
layout(binding = 2) uniform sampler2DArray c;
layout(binding = 3) uniform sampler3D d;
layout(binding = 4) uniform samplerCube e;
layout(binding = 5) uniform samplerCubeArray f;
layout(std430, binding = 6) buffer Out { float o[22]; };

void main()
{
	o[0] = texture(a, 0.25).x;
	o[1] = texture(b, vec2(0.75, 1)).x;
	o[2] = texture(c, vec3(0.75, 0.5, 2)).x;
	o[3] = texelFetch(c, ivec3(0, 0, 2), 0).x;
	o[4] = texture(d, vec3(0.5)).x;
	o[5] = texelFetch(d, ivec3(1), 0).x;
	o[6] = texture(e, vec3(-1, 0.1, 0.2)).x;
	o[7] = texture(f, vec4(0.1, 0.2, 3, 1)).x;
	o[8] = textureSize(a, 0);
	o[9] = textureSize(b, 0).x;
	o[10] = textureSize(b, 0).y;
	o[11] = textureSize(c, 0).y;
	o[12] = textureSize(c, 0).z;
	o[13] = textureSize(d, 0).x;
	o[14] = textureSize(d, 0).y;
	o[15] = textureSize(d, 0).z;
	o[16] = textureSize(e, 0).x;
	o[17] = textureSize(e, 0).y;
	o[18] = textureSize(f, 0).x;
	o[19] = textureSize(f, 0).y;
	o[20] = textureSize(f, 0).z;
	o[21] = textureQueryLevels(a) - 1;
}
