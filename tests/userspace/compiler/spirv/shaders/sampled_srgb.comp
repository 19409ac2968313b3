// SPDX-License-Identifier: MIT
// texels of sRGB are read as linear: the line, the curve, and alpha as it is
// texture tex2d unorm8x4 2x1 normalized srgb: 0 255 10 51 188 128 1 255
// out u32: 0 65535 199 13107 32957 14146 20 65535
#version 460
layout(local_size_x = 1) in;
layout(binding = 0) uniform sampler2D a;
layout(std430, binding = 1) buffer Out { uint o[8]; };

void main()
{
	vec4 p = texelFetch(a, ivec2(0), 0), q = texture(a, vec2(0.75, 0.5));

	for (int k = 0; k < 4; k++) {
		o[k] = uint(p[k] * 65535 + 0.5);
		o[4 + k] = uint(q[k] * 65535 + 0.5);
	}
}
