// SPDX-License-Identifier: MIT
// Kernels for tests/oracles/amd_runtime.sh. Sizes of groups come as the hidden arguments that a runtime gives.

uint global_id(void)
{
	__constant ushort *hidden = (__constant ushort *)__builtin_amdgcn_implicitarg_ptr();

	return __builtin_amdgcn_workgroup_id_x() * hidden[6] + __builtin_amdgcn_workitem_id_x();
}

__kernel void saxpy(uint n, float a, __global const float *x, __global float *y)
{
	uint i = global_id();

	if (i < n)
		y[i] = a * x[i] + y[i];
}

// Reversed inside of each workgroup, by LDS.
__kernel void reverse(__global uint *p)
{
	__local uint room[256];
	uint t = __builtin_amdgcn_workitem_id_x();

	room[t] = p[global_id()];
	__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
	__builtin_amdgcn_s_barrier();
	__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
	p[global_id()] = room[255 - t];
}

// Private memory with an index that nobody knows: sum of the last eight of i * i.
__kernel void squares(__global uint *p, uint modulus)
{
	uint own[8], sum = 0, i = global_id();

	for (uint k = 0; k < 8; k++)
		own[k] = k * i;
	for (uint k = 0; k < 100; k++)
		own[(k * i + k) % modulus] += k;
	for (uint k = 0; k < 8; k++)
		sum += own[k];
	p[i] = sum;
}

// How many workgroups there are, and atomics.
__kernel void count(__global uint *p)
{
	__constant uint *hidden = (__constant uint *)__builtin_amdgcn_implicitarg_ptr();

	__atomic_fetch_add(p, hidden[0], __ATOMIC_RELAXED);
}
