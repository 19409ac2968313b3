// SPDX-License-Identifier: MIT
// Adds up an array of buffers, and stores the sum where a buffer's address points.
#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) readonly buffer X { int x[]; } list[];
layout(buffer_reference, std430) buffer Out { int words[]; };
layout(push_constant) uniform Push { Out o; int count; };
void main()
{
	int i = int(gl_LocalInvocationID.x), sum = 0;
	for (int k = 0; k < count; k++)
		sum += list[nonuniformEXT(k)].x[i];
	o.words[i] = sum;
}
