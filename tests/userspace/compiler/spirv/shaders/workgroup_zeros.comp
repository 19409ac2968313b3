// SPDX-License-Identifier: MIT
// workgroup memory with null initialisers, more and less than an element per invocation
// out u32: 0 200 0 12 7
#version 460
#extension GL_EXT_null_initializer : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer R { uint r[]; };
struct pair {
	uint a;
	vec3 b;
};
shared uint many[200] = {};
shared pair few[3] = {};

void main()
{
	uint k = gl_LocalInvocationIndex, other = 0, zeros = 0;

	if (k == 0) {
		for (uint n = 0; n < 200; n++) {
			other |= many[n];
			zeros += many[n] == 0 ? 1 : 0;
		}
		r[0] = other;
		r[1] = zeros;
		other = 0;
		zeros = 0;
		for (uint n = 0; n < 3; n++) {
			other |= few[n].a | floatBitsToUint(few[n].b.x + few[n].b.y + few[n].b.z);
			zeros += few[n].a == 0 && few[n].b == vec3(0) ? 4 : 0;
		}
		r[2] = other;
		r[3] = zeros;
	}
	barrier();
	if (k == 63)
		few[2].a = 7;
	barrier();
	if (k == 5)
		r[4] = few[2].a;
}
