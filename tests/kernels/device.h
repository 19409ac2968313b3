/* SPDX-License-Identifier: MIT */
/*
 * The parts of CUDA's headers that our CUDA C kernels need, for clang without an SDK:
 * clang-19 -x cuda --cuda-device-only -nocudainc -nocudalib -S -O3 --cuda-gpu-arch=sm_80
 */
#ifndef TESTS_KERNELS_DEVICE_H
#define TESTS_KERNELS_DEVICE_H

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))

#ifdef __AMDGCN__
#include "device_amd.h"
#else
static __device__ inline unsigned thread_x() { return __nvvm_read_ptx_sreg_tid_x(); }
static __device__ inline unsigned thread_y() { return __nvvm_read_ptx_sreg_tid_y(); }
static __device__ inline unsigned block_y() { return __nvvm_read_ptx_sreg_ctaid_y(); }
static __device__ inline unsigned block_x() { return __nvvm_read_ptx_sreg_ctaid_x(); }
static __device__ inline unsigned block_size() { return __nvvm_read_ptx_sreg_ntid_x(); }
static __device__ inline unsigned grid_size() { return __nvvm_read_ptx_sreg_nctaid_x(); }

static __device__ inline float lane_down(float v, int d)
{
	return __nvvm_shfl_sync_down_f32(0xffffffff, v, d, 31);
}
static __device__ inline double lane_down(double v, int d)
{
	union { double f; int i[2]; } u = {v};
	u.i[0] = __nvvm_shfl_sync_down_i32(0xffffffff, u.i[0], d, 31);
	u.i[1] = __nvvm_shfl_sync_down_i32(0xffffffff, u.i[1], d, 31);
	return u.f;
}
static __device__ inline float lane_xor(float v, int d)
{
	return __nvvm_shfl_sync_bfly_f32(0xffffffff, v, d, 31);
}
static __device__ inline unsigned lane_up(unsigned v, int d)
{
	return __nvvm_shfl_sync_up_i32(0xffffffff, v, d, 0);
}
static __device__ inline unsigned lanes_where(bool p) { return __nvvm_vote_ballot_sync(0xffffffff, p); }
static __device__ inline unsigned lanes_below() { return __nvvm_read_ptx_sreg_lanemask_lt(); }
static __device__ inline unsigned count_ones(unsigned v) { return __builtin_popcount(v); }

/* Approximations by the hardware; correctly rounded square roots. */
static __device__ inline float exp2_approx(float x) { return __nvvm_ex2_approx_f(x); }
static __device__ inline float rsqrt_approx(float x) { return __nvvm_rsqrt_approx_f(x); }
static __device__ inline float sqrt_exact(float x) { return __nvvm_sqrt_rn_f(x); }
static __device__ inline double sqrt_exact(double x) { return __nvvm_sqrt_rn_d(x); }

static __device__ inline void atomic_add(unsigned *p, unsigned v) { __nvvm_atom_add_gen_i((int *)p, (int)v); }
static __device__ inline void atomic_add(float *p, float v) { __nvvm_atom_add_gen_f(p, v); }
static __device__ inline void atomic_add(double *p, double v) { __nvvm_atom_add_gen_d(p, v); }

#endif
#endif
