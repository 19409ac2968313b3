// SPDX-License-Identifier: MIT
// loads from storage images whose format the shader does not name
// texture tex2d unorm8x4 2x1 storage: 255 0 0 255 0 51 255 0
// texture tex2d.layers s16x2 1x1x2 storage: -1 1 5 7
// texture tex3d f16x1 1x1x2 storage: 0x3c00 0xc000
// out f32: 1 0 1 0.2 1 0 -1 1 5 7 0 1 1 -2
#version 460
#extension GL_EXT_shader_image_load_formatted : require
layout(local_size_x = 1) in;
layout(binding = 0) uniform readonly image2D a;
layout(binding = 1) uniform readonly iimage2DArray b;
layout(binding = 2) uniform readonly image3D c;
layout(std430, binding = 3) buffer Out { float o[14]; };

void main()
{
	vec4 p = imageLoad(a, ivec2(0)), q = imageLoad(a, ivec2(1, 0));
	ivec4 r = imageLoad(b, ivec3(0)), t = imageLoad(b, ivec3(0, 0, 1));

	o[0] = p.x;
	o[1] = p.y;
	o[2] = p.w;
	o[3] = q.y;
	o[4] = q.z;
	o[5] = q.w;
	o[6] = r.x;
	o[7] = r.y;
	o[8] = t.x;
	o[9] = t.y;
	o[10] = t.z;
	o[11] = t.w;
	o[12] = imageLoad(c, ivec3(0)).x;
	o[13] = imageLoad(c, ivec3(0, 0, 1)).x;
}
