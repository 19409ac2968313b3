// SPDX-License-Identifier: MIT
// refused: capability StorageImageReadWithoutFormat is not supported
#version 460
#extension GL_EXT_shader_image_load_formatted : require
layout(local_size_x = 1) in;
layout(binding = 0) uniform image2D a;
layout(std430, binding = 1) buffer Out { float o; };

void main()
{
	o = imageLoad(a, ivec2(0)).x;
}
