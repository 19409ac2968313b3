// SPDX-License-Identifier: MIT
// depth comparison: levels, gradients, projections, gathers, layers and cubes
// texture tex2d f32x1 2x2 normalized depths compare=less: 0.25 0.5 0.75 1
// texture tex2d.layers unorm16x1 1x1x2 normalized depths compare=gequal: 0 65535
// texture cube f32x1 1x1x6 normalized depths compare=greater: 0 0.2 0.4 0.6 0.8 1
// out f32: 0 1 1 0 1 0 1 1 0 1 1
#version 460
layout(local_size_x = 1) in;
layout(binding = 0) uniform sampler2DShadow a;
layout(binding = 1) uniform sampler2DArrayShadow b;
layout(binding = 2) uniform samplerCubeShadow c;
layout(std430, binding = 3) buffer Out { float o[11]; };

void main()
{
	vec4 g = textureGather(a, vec2(0.5), 0.6);

	o[0] = textureLod(a, vec3(0.25, 0.25, 0.3), 0);
	o[1] = textureOffset(a, vec3(0.25, 0.25, 0.3), ivec2(1, 0));
	o[2] = textureGrad(a, vec3(0.25, 0.75, 0.3), vec2(0), vec2(0));
	o[3] = textureProj(a, vec4(0.5, 0.5, 0.6, 2)); // (0.25, 0.25), 0.3
	o[4] = g.x;
	o[5] = g.z;
	o[6] = g.y;
	o[7] = texture(b, vec4(0.5, 0.5, 0, 0.5));
	o[8] = texture(b, vec4(0.5, 0.5, 1, 0.5));
	o[9] = texture(c, vec4(1, 0, 0, 0.1));
	o[10] = textureGatherOffset(a, vec2(0.5), 0.9, ivec2(0, 1)).z;
}
