// SPDX-License-Identifier: MIT
// votes, ballots, shuffles, reductions, scans and clusters of a whole subgroup
// out u32: 1 0 1 0 31 5 31 496 496 31 28 21 15 2 1 30 3 29 1 5 31 0 6 5 1 0 5 6 10 3 7 496
#version 460
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_quad : require
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer R { uint r[]; };

void main()
{
	uint lane = gl_SubgroupInvocationID, o = 0, v[32];
	uvec4 odd = subgroupBallot((lane & 1) == 1);

	v[o++] = subgroupAll(lane < 32) ? 1 : 0;
	v[o++] = subgroupAll(lane < 31) ? 1 : 0;
	v[o++] = subgroupAny(lane == 7) ? 1 : 0;
	v[o++] = subgroupAllEqual(lane / 16) ? 1 : 0;
	v[o++] = subgroupMax(lane);
	v[o++] = subgroupBroadcast(lane, 5);
	v[o++] = subgroupMax(subgroupShuffleXor(lane, 3));
	v[o++] = subgroupAdd(lane);
	v[o++] = uint(subgroupAdd(float(lane)));
	v[o++] = subgroupOr(lane);
	v[o++] = subgroupBroadcast(subgroupInclusiveAdd(lane), 7);
	v[o++] = subgroupBroadcast(subgroupExclusiveAdd(lane), 7);
	v[o++] = uint(subgroupBroadcast(subgroupInclusiveAdd(float(lane)), 5));
	v[o++] = uint(subgroupBroadcast(subgroupInclusiveMul(lane < 3 ? lane + 1 : 1u), 1));
	v[o++] = odd.x == 0xaaaaaaaau ? 1 : 0;
	v[o++] = subgroupBallotBitCount(subgroupBallot(lane > 1));
	v[o++] = subgroupBroadcast(subgroupBallotExclusiveBitCount(odd), 7);
	v[o++] = subgroupBallotFindMSB(subgroupBallot(lane < 30));
	v[o++] = subgroupBallotFindLSB(odd);
	v[o++] = subgroupBroadcast(subgroupShuffleUp(lane, 2), 7);
	v[o++] = subgroupBroadcast(subgroupShuffleDown(lane, 24), 7);
	v[o++] = subgroupBroadcastFirst(lane);
	v[o++] = subgroupBroadcast(subgroupClusteredAdd(lane, 4), 1);
	v[o++] = subgroupBroadcast(subgroupClusteredMin(lane + 1, 4), 5);
	v[o++] = subgroupBroadcast(subgroupElect() ? 1u : 0u, 0);
	v[o++] = subgroupBroadcast(subgroupElect() ? 1u : 0u, 3);
	v[o++] = subgroupBroadcast(subgroupQuadBroadcast(lane, 1), 7);
	v[o++] = subgroupBroadcast(subgroupQuadSwapHorizontal(lane), 7);
	v[o++] = subgroupBroadcast(subgroupQuadSwapVertical(lane), 8);
	v[o++] = subgroupBroadcast(subgroupQuadSwapDiagonal(lane), 0);
	v[o++] = uint(subgroupBroadcast(subgroupClusteredMax(float(lane), 8), 2));
	v[o++] = uint(subgroupAdd(double(lane)));
	r[lane] = v[lane];
}
