// SPDX-License-Identifier: MIT
// reductions by the eight lanes of a small workgroup, by clusters of them, and a scan
// out f32: 28 7 6 28 5040 3
#version 460
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_clustered : require
layout(local_size_x = 4, local_size_y = 2) in;
layout(std430, binding = 0) buffer R { float r[]; };

void main()
{
	uint lane = gl_SubgroupInvocationID;
	float all = subgroupAdd(float(lane)), most = subgroupMax(float(lane));
	float part = subgroupClusteredAdd(float(lane), 4);
	float wider = subgroupClusteredAdd(float(lane), 16);
	float product = subgroupMul(lane < 7 ? float(lane + 1) : 1.0);
	float scan = subgroupInclusiveAdd(float(lane));

	if (lane == 2) {
		r[0] = all;
		r[1] = most;
		r[2] = part;
		r[3] = wider;
		r[4] = product;
		r[5] = scan;
	}
}
