// SPDX-License-Identifier: MIT
#version 460
layout(local_size_x_id = 3) in;
layout(constant_id = 0) const uint FACTOR = 2;
layout(constant_id = 1) const bool SHIFTED = false;
layout(std430, set = 0, binding = 0) readonly buffer A { uint a[]; } a[2];
layout(std430, set = 2, binding = 1) buffer R { uint r[]; };
layout(std140, set = 2, binding = 4) uniform U { uvec4 u; };
layout(push_constant) uniform P { uint which; } p;

void main()
{
	uint i = gl_GlobalInvocationID.x;

	r[i] = a[p.which].a[i] * FACTOR + (SHIFTED ? 1000 : 0) + u.y;
	if (i == 0)
		atomicAdd(r[100], 1);
}
