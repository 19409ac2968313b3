// SPDX-License-Identifier: MIT
// storage images of every channel type: loads unpack, stores pack
// texture tex2d unorm8x4 2x1 storage: 0 51 255 102 1 2 3 4 -> 0 255 51 102 1 2 3 4
// texture tex2d snorm8x2 2x1 storage: 127 129 0 128 -> 129 127 0 128
// texture tex2d s8x1 2x1 storage: 200 5 -> 201 5
// texture tex2d u16x2 2x1 storage: 65535 7 1 2 -> 7 65535 1 2
// texture tex2d snorm16x1 2x1 storage: 32769 1 -> 32767 1
// texture tex2d f16x4 2x1 storage: 0x3c00 0xc000 0x3800 0 0 0 0 0x7bff -> 0xc000 0x3c00 0x3800 0 0 0 0 0x7bff
// texture tex2d f32x4 1x1 storage: 1.5 2.5 3.5 4.5 -> 4.5 3.5 2.5 1.5
// texture tex2d s32x2 1x1 storage: -1 5 -> 5 -1
// out f32: 0.2 1 -1 -56 -1 65504
#version 460
layout(local_size_x = 1) in;
layout(binding = 0, rgba8) uniform image2D a;
layout(binding = 1, rg8_snorm) uniform image2D b;
layout(binding = 2, r8i) uniform iimage2D c;
layout(binding = 3, rg16ui) uniform uimage2D d;
layout(binding = 4, r16_snorm) uniform image2D e;
layout(binding = 5, rgba16f) uniform image2D f;
layout(binding = 6, rgba32f) uniform image2D g;
layout(binding = 7, rg32i) uniform iimage2D h;
layout(std430, binding = 8) buffer Out { float o[6]; };

void main()
{
	const ivec2 p = ivec2(0);
	vec4 va = imageLoad(a, p), vb = imageLoad(b, p);

	o[0] = va.y;
	o[1] = va.z;
	o[2] = imageLoad(b, ivec2(1, 0)).y; // -128 is -1, too
	o[3] = float(imageLoad(c, p).x);
	o[4] = imageLoad(e, p).x;
	o[5] = imageLoad(f, ivec2(1, 0)).w;
	imageStore(a, p, va.xzyw);
	imageStore(b, p, vb.yxxx);
	imageStore(c, p, imageLoad(c, p) + 1);
	imageStore(d, p, imageLoad(d, p).yxxx);
	imageStore(e, p, -imageLoad(e, p));
	imageStore(f, p, imageLoad(f, p).yxzw);
	imageStore(g, p, imageLoad(g, p).wzyx);
	imageStore(h, p, imageLoad(h, p).yxxx);
}
