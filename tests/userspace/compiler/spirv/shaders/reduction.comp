// SPDX-License-Identifier: MIT
// a workgroup's sum in shared memory, a histogram by atomics, the length of a buffer
// in f32: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20
// out f32: 186 474 345
// inout u32: 0 0 0 0 0 -> 20 5 5 5 5
// value u32: 20 0x3fc00000 0 0 0 0x3f800000 0 0
// grid: 3
#version 450
layout(local_size_x = 8) in;
layout(constant_id = 1) const uint FACTOR = 3;
layout(std430, set = 0, binding = 0) readonly buffer A { float a[]; };
layout(std430, set = 0, binding = 1) buffer B { float b[]; };
layout(std430, set = 1, binding = 0) buffer C { uint count; uint histogram[4]; };
layout(push_constant) uniform P { uint n; float scale; vec4 bias; } p;
shared float tile[8];

void main()
{
	uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationID.x;

	tile[l] = i < p.n ? a[i] * p.scale + p.bias.y : 0.0;
	barrier();
	for (uint s = gl_WorkGroupSize.x / 2; s > 0; s >>= 1) {
		if (l < s)
			tile[l] += tile[l + s];
		barrier();
	}
	if (l == 0)
		b[gl_WorkGroupID.x] = tile[0] * float(FACTOR);
	if (i < p.n)
		atomicAdd(histogram[i & 3], 1);
	if (i == 0)
		count = uint(a.length());
}
