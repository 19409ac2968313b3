/* SPDX-License-Identifier: MIT */
/*
 * device.h for clang's AMD target: the same functions by LLVM's built-ins, so that LLVM's code for
 * AMD GPUs can be compared with ours (tests/oracles/amd_cost.sh). A shuffle is ds_bpermute, as in
 * HIP.
 */
#ifndef TESTS_KERNELS_DEVICE_AMD_H
#define TESTS_KERNELS_DEVICE_AMD_H

static __device__ inline unsigned thread_x() { return __builtin_amdgcn_workitem_id_x(); }
static __device__ inline unsigned thread_y() { return __builtin_amdgcn_workitem_id_y(); }
static __device__ inline unsigned block_y() { return __builtin_amdgcn_workgroup_id_y(); }
static __device__ inline unsigned block_x() { return __builtin_amdgcn_workgroup_id_x(); }
static __device__ inline unsigned block_size() { return __builtin_amdgcn_workgroup_size_x(); }
static __device__ inline unsigned grid_size()
{
	return *(__attribute__((address_space(4))) const unsigned *)__builtin_amdgcn_implicitarg_ptr();
}

static __device__ inline void __syncthreads()
{
	__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
	__builtin_amdgcn_s_barrier();
	__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

static __device__ inline int lane() { return __builtin_amdgcn_mbcnt_lo(~0u, 0); }
template <class T> static __device__ inline T from_lane(T v, int at)
{
	union { T v; int word[sizeof(T) / 4]; } u = {v};

	for (int &w : u.word)
		w = __builtin_amdgcn_ds_bpermute(4 * at, w);
	return u.v;
}
/* A lane whose source is outside the wave keeps its value. */
template <class T> static __device__ inline T lane_down(T v, int d)
{
	return from_lane(v, lane() + d > 31 ? lane() : lane() + d);
}
static __device__ inline float lane_xor(float v, int d) { return from_lane(v, lane() ^ d); }
static __device__ inline unsigned lane_up(unsigned v, int d)
{
	return from_lane(v, lane() < d ? lane() : lane() - d);
}
static __device__ inline unsigned lanes_where(bool p) { return __builtin_amdgcn_ballot_w32(p); }
static __device__ inline unsigned lanes_below() { return (1u << lane()) - 1; }
static __device__ inline unsigned count_ones(unsigned v) { return __builtin_popcount(v); }

static __device__ inline float exp2_approx(float x) { return __builtin_amdgcn_exp2f(x); }
static __device__ inline float rsqrt_approx(float x) { return __builtin_amdgcn_rsqf(x); }
static __device__ inline float sqrt_exact(float x) { return __builtin_sqrtf(x); }
static __device__ inline double sqrt_exact(double x) { return __builtin_sqrt(x); }

template <class T> static __device__ inline void atomic_add(T *p, T v)
{
	__hip_atomic_fetch_add(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

#endif
