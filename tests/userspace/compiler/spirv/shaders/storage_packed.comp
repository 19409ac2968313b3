// SPDX-License-Identifier: MIT
// storage images of packed formats
// texture tex2d unorm10x4 2x1 storage: 0x3ff 0xc0000000 -> 0x001ffc00 0xc0000000
// texture tex2d u10x4 2x1 storage: 0x4030c805 7 -> 0x4030c805 0xffffffff
// texture tex2d f11x3 2x1 storage: 0x702003c0 0 -> 0x702003c0 0xf7c003fe
// out f32: 1 1 5 50 3 1 1 2 0.5 1
#version 460
layout(local_size_x = 1) in;
layout(binding = 0, rgb10_a2) uniform image2D a;
layout(binding = 1, rgb10_a2ui) uniform uimage2D b;
layout(binding = 2, r11f_g11f_b10f) uniform image2D c;
layout(std430, binding = 3) buffer Out { float o[10]; };

void main()
{
	const ivec2 p = ivec2(0), q = ivec2(1, 0);
	uvec4 v = imageLoad(b, p);
	vec4 w = imageLoad(c, p);

	o[0] = imageLoad(a, p).x;
	o[1] = imageLoad(a, q).w;
	o[2] = v.x;
	o[3] = v.y;
	o[4] = v.z;
	o[5] = v.w;
	o[6] = w.x;
	o[7] = w.y;
	o[8] = w.z;
	o[9] = w.w;
	imageStore(a, p, vec4(-1, 2, 0.001, 0.1));
	imageStore(b, q, uvec4(2000));
	imageStore(c, q, vec4(1.97, -1, 1e9, 0));
}
