// SPDX-License-Identifier: MIT
// out[i] = a * x[i] + bias + block[0] in workgroups of a specialised size.
#version 450
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const int bias = 0;
layout(set = 0, binding = 0) readonly buffer X { int x[]; };
layout(set = 0, binding = 3) buffer Y { int y[]; };
layout(set = 2, binding = 1) uniform Block { ivec4 block; };
layout(push_constant) uniform Push { int a; int n; };
void main()
{
	int i = int(gl_GlobalInvocationID.x);
	if (i < n)
		y[i] = a * x[i] + bias + block[0];
}
