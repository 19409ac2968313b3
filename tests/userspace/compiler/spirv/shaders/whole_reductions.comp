// SPDX-License-Identifier: MIT
// reductions by some lanes of a subgroup, in a branch and in a loop, and then by all of them
// machine code only
// out f32: 45 496 48 0 3 92 6 31 0 496
#version 460
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_clustered : require
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer R { float r[]; };

void main()
{
	uint lane = gl_SubgroupInvocationID;
	float some = 0, loops = 0;

	if (lane < 10)
		some = subgroupAdd(float(lane));
	float all = subgroupAdd(float(lane));
	for (uint i = 0; i < lane % 4; i++)
		loops += subgroupAdd(1.0);
	float least = subgroupMin(float(lane ^ 5)), product = subgroupMul(lane == 7 ? 3.0 : 1.0);
	float part = subgroupClusteredAdd(float(lane), 8);
	float integers = float(subgroupMul(lane == 4 ? 6u : 1u));
	float wide = float(subgroupMax(double(lane)));

	if (lane == 0) {
		r[0] = some;
		r[1] = all;
		r[3] = least;
		r[4] = product;
		r[6] = integers;
		r[7] = wide;
		r[8] = loops;
		r[9] = float(subgroupAdd(0.0)) + all;
	} else if (lane == 3) {
		r[2] = loops;
	} else if (lane == 9) {
		r[5] = part;
	}
}
