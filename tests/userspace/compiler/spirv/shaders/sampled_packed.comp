// SPDX-License-Identifier: MIT
// packed texels are fetched and filtered
// texture tex2d unorm10x4 2x1 normalized linear clamp: 0x3ff 0xc0000000
// texture tex2d u10x4 2x1 normalized: 0x4030c805 7
// texture tex2d f11x3 2x1 normalized linear clamp: 0x702003c0 0
// out f32: 0.5 0.5 5 50 3 1 0.5 1 0.25 1
#version 460
layout(local_size_x = 1) in;
layout(binding = 0) uniform sampler2D a;
layout(binding = 1) uniform usampler2D b;
layout(binding = 2) uniform sampler2D c;
layout(std430, binding = 3) buffer Out { float o[10]; };

void main()
{
	uvec4 v = texelFetch(b, ivec2(0), 0);
	vec4 f = texture(c, vec2(0.5));

	o[0] = texture(a, vec2(0.5)).x;
	o[1] = texture(a, vec2(0.5)).w;
	o[2] = v.x;
	o[3] = v.y;
	o[4] = v.z;
	o[5] = v.w;
	o[6] = f.x;
	o[7] = f.y;
	o[8] = f.z;
	o[9] = f.w;
}
