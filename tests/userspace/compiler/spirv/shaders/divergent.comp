// SPDX-License-Identifier: MIT
// subgroup operations in divergent code, and reconvergence after branches, continue and break
// machine code only
// out u32: 16 240 0 15 256 0 496 496 32 20 20 31
#version 460
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer R { uint r[]; };

void main()
{
	uint lane = gl_SubgroupInvocationID, sum, n = 0, left = 0;
	float scan;

	if ((lane & 1) == 0) {
		sum = subgroupAdd(1);
		scan = subgroupAdd(float(lane));
		if (lane == 2) {
			r[0] = sum;
			r[1] = uint(scan);
		}
		scan = subgroupExclusiveAdd(1.0);
		if (lane == 0)
			r[2] = uint(scan);
		if (lane == 30)
			r[3] = uint(scan);
	} else {
		sum = subgroupAdd(lane);
		if (lane == 1)
			r[4] = sum;
		if (subgroupElect())
			r[5] = lane - 1;
	}
	sum = subgroupAdd(lane);
	if (lane == 9)
		r[6] = sum;
	for (uint k = 0; k < 10; k++) {
		if (lane == k)
			continue;
		if (lane == k + 20)
			break;
		n++;
	}
	sum = uint(subgroupAdd(float(lane)));
	if (lane == 30)
		r[7] = sum;
	if (lane == 31)
		r[8] = subgroupBallotBitCount(subgroupBallot(true));
	else
		sum = 0;
	if (lane == 31)
		r[8] += 31;
	do {
		left += subgroupBallotBitCount(subgroupBallot(true));
	} while (lane == 3 && left < 50);
	if (lane < 20) {
		sum = subgroupAdd(1);
		if (lane == 3)
			r[9] = sum;
		if (lane == 4)
			return;
		if (lane == 5)
			r[10] = sum;
	}
	sum = subgroupAdd(1);
	if (lane == 6)
		r[11] = sum;
}
