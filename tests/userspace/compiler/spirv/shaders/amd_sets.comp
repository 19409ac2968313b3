// SPDX-License-Identifier: MIT
// minima, maxima and medians of three, swizzles, masked counts and cube faces of AMD's extensions
// machine code only
// out u32: 3 9 5 6 4 9 7 1 77 10 4 3 60 30 1 75 4 496 5 31 1 28
#version 450
#extension GL_ARB_gpu_shader_int64 : require
#extension GL_ARB_shader_ballot : require
#extension GL_AMD_shader_trinary_minmax : require
#extension GL_AMD_shader_ballot : require
#extension GL_AMD_gcn_shader : require
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer R { uint r[]; };

void main()
{
	uint lane = gl_SubGroupInvocationARB, x;
	uint64_t start = timeAMD();

	if (lane == 0) {
		r[0] = uint(min3(int(lane) + 5, 3, 9));
		r[1] = max3(lane + 5, 3u, 9u);
		r[2] = uint(mid3(float(lane) + 5, 3.0, 9.0));
		r[3] = uint(mid3(int(lane) - 4, 7, -9) + 10);
		r[11] = uint(cubeFaceIndexAMD(vec3(1, float(lane) - 5, 2)));
		vec2 at = cubeFaceCoordAMD(vec3(1, float(lane) - 5, 2));
		r[12] = uint(at.x * 100 + 0.5);
		r[13] = uint(at.y * 100 + 0.5);
		r[14] = uint(cubeFaceIndexAMD(vec3(float(lane) - 4, 1, 2)));
		r[15] = uint(cubeFaceCoordAMD(vec3(float(lane) - 4, 1, 2)).x * 100 + 0.5);
		r[16] = uint(cubeFaceIndexAMD(vec3(float(lane) + 2, 2, 2)));
	}
	x = swizzleInvocationsAMD(lane, uvec4(1, 2, 3, 0));
	if (lane == 7)
		r[4] = x;
	if (lane == 8)
		r[5] = x;
	x = swizzleInvocationsMaskedAMD(lane, uvec3(0x1f, 0, 1));
	if (lane == 6)
		r[6] = x;
	if ((lane & 1) == 0) {
		x = swizzleInvocationsMaskedAMD(lane + 100, uvec3(0x1f, 0, 1));
		if (lane == 6)
			r[7] = x + 1;
	}
	x = writeInvocationAMD(lane, 77u, 9u);
	if (lane == 9)
		r[8] = x;
	if (lane == 10) {
		r[9] = x;
		r[10] = mbcntAMD(0xf0f0ul);
	}
	x = addInvocationsNonUniformAMD(lane);
	if (lane == 3)
		r[17] = x;
	x = addInvocationsExclusiveScanNonUniformAMD(1u);
	if (lane == 5)
		r[18] = x;
	x = uint(maxInvocationsNonUniformAMD(float(lane)));
	if (lane == 2) {
		r[19] = x;
		r[20] = timeAMD() >= start ? 1 : 0;
	}
	x = swizzleInvocationsMaskedAMD(lane, uvec3(0x1c, 0, 0));
	if (lane == 30)
		r[21] = x;
}
