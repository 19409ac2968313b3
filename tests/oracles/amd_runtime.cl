// SPDX-License-Identifier: MIT
// Kernels for tests/oracles/amd_runtime.sh. The runtime passes workgroup sizes as hidden arguments.

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

// Reverses the elements of each workgroup through LDS.
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

// Private memory with a dynamic index: sum of the last eight of i * i.
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

// Adds the number of workgroups by atomics.
__kernel void count(__global uint *p)
{
	__constant uint *hidden = (__constant uint *)__builtin_amdgcn_implicitarg_ptr();

	__atomic_fetch_add(p, hidden[0], __ATOMIC_RELAXED);
}
