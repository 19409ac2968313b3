/* SPDX-License-Identifier: MIT */
/*
 * The built-ins of OpenCL C that tests/oracles/amd_public.py gives public kernels instead of a
 * library, for clang's AMD and NVIDIA targets, so that two compilers get the same work.
 * Transcendental functions are the GPUs' approximations. A file that needs more is left out.
 */
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
#define VECTOR(t) \
	typedef t t##2 __attribute__((ext_vector_type(2))); \
	typedef t t##3 __attribute__((ext_vector_type(3))); \
	typedef t t##4 __attribute__((ext_vector_type(4))); \
	typedef t t##8 __attribute__((ext_vector_type(8))); \
	typedef t t##16 __attribute__((ext_vector_type(16)));
VECTOR(char)
VECTOR(uchar)
VECTOR(short)
VECTOR(ushort)
VECTOR(int)
VECTOR(uint)
VECTOR(long)
VECTOR(ulong)
VECTOR(float)
VECTOR(double)

#define CLK_LOCAL_MEM_FENCE  1
#define CLK_GLOBAL_MEM_FENCE 2
#define M_PI_F               3.14159265f
#define M_PI                 3.14159265358979
#define FLT_MAX              3.402823466e+38f
#define INT_MAX              0x7fffffff
#define MAXFLOAT             FLT_MAX
#define INFINITY             __builtin_inff()
#define FN                   static inline __attribute__((always_inline))
#define OV                   FN __attribute__((overloadable))

#ifdef __AMDGCN__
FN uint id(uint k)
{
	return k == 0   ? __builtin_amdgcn_workitem_id_x()
	       : k == 1 ? __builtin_amdgcn_workitem_id_y()
			: __builtin_amdgcn_workitem_id_z();
}
FN uint group(uint k)
{
	return k == 0   ? __builtin_amdgcn_workgroup_id_x()
	       : k == 1 ? __builtin_amdgcn_workgroup_id_y()
			: __builtin_amdgcn_workgroup_id_z();
}
FN uint size(uint k)
{
	return k == 0   ? __builtin_amdgcn_workgroup_size_x()
	       : k == 1 ? __builtin_amdgcn_workgroup_size_y()
			: __builtin_amdgcn_workgroup_size_z();
}
FN uint groups(uint k)
{
	return ((__constant uint *)__builtin_amdgcn_implicitarg_ptr())[k];
}
FN void mem_fence(uint f)
{
	__builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "workgroup");
}
FN void barrier(uint f)
{
	__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
	__builtin_amdgcn_s_barrier();
	__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
#define native_exp2(x)  __builtin_amdgcn_exp2f(x)
#define native_log2(x)  __builtin_amdgcn_logf(x)
#define native_sin(x)   __builtin_amdgcn_sinf((x) * 0.15915494f)
#define native_cos(x)   __builtin_amdgcn_cosf((x) * 0.15915494f)
#define native_rsqrt(x) __builtin_amdgcn_rsqf(x)
#define native_recip(x) __builtin_amdgcn_rcpf(x)
#else
FN uint id(uint k)
{
	return k == 0   ? __nvvm_read_ptx_sreg_tid_x()
	       : k == 1 ? __nvvm_read_ptx_sreg_tid_y()
			: __nvvm_read_ptx_sreg_tid_z();
}
FN uint group(uint k)
{
	return k == 0   ? __nvvm_read_ptx_sreg_ctaid_x()
	       : k == 1 ? __nvvm_read_ptx_sreg_ctaid_y()
			: __nvvm_read_ptx_sreg_ctaid_z();
}
FN uint size(uint k)
{
	return k == 0   ? __nvvm_read_ptx_sreg_ntid_x()
	       : k == 1 ? __nvvm_read_ptx_sreg_ntid_y()
			: __nvvm_read_ptx_sreg_ntid_z();
}
FN uint groups(uint k)
{
	return k == 0   ? __nvvm_read_ptx_sreg_nctaid_x()
	       : k == 1 ? __nvvm_read_ptx_sreg_nctaid_y()
			: __nvvm_read_ptx_sreg_nctaid_z();
}
FN void mem_fence(uint f)
{
	__nvvm_membar_cta();
}
FN void barrier(uint f)
{
	__nvvm_bar_sync(0);
}
#define native_exp2(x)  __nvvm_ex2_approx_ftz_f(x)
#define native_log2(x)  __nvvm_lg2_approx_ftz_f(x)
#define native_sin(x)   __nvvm_sin_approx_ftz_f(x)
#define native_cos(x)   __nvvm_cos_approx_ftz_f(x)
#define native_rsqrt(x) __nvvm_rsqrt_approx_ftz_f(x)
#define native_recip(x) __nvvm_rcp_approx_ftz_f(x)
#endif
FN size_t get_local_id(uint k)
{
	return id(k);
}
FN size_t get_group_id(uint k)
{
	return group(k);
}
FN size_t get_local_size(uint k)
{
	return size(k);
}
FN size_t get_num_groups(uint k)
{
	return groups(k);
}
FN size_t get_global_id(uint k)
{
	return group(k) * size(k) + id(k);
}
FN size_t get_global_size(uint k)
{
	return groups(k) * size(k);
}

OV float exp(float x)
{
	return native_exp2(x * 1.44269504f);
}
OV float exp2(float x)
{
	return native_exp2(x);
}
OV float log(float x)
{
	return native_log2(x) * 0.693147181f;
}
OV float log2(float x)
{
	return native_log2(x);
}
OV float log10(float x)
{
	return native_log2(x) * 0.301029996f;
}
OV float sin(float x)
{
	return native_sin(x);
}
OV float cos(float x)
{
	return native_cos(x);
}
OV float rsqrt(float x)
{
	return native_rsqrt(x);
}
OV float pow(float x, float y)
{
	return native_exp2(native_log2(x) * y);
}
OV float sqrt(float x)
{
	return __builtin_sqrtf(x);
}
OV double sqrt(double x)
{
	return __builtin_sqrt(x);
}
OV float fabs(float x)
{
	return __builtin_fabsf(x);
}
OV double fabs(double x)
{
	return __builtin_fabs(x);
}
OV float floor(float x)
{
	return __builtin_floorf(x);
}
OV double floor(double x)
{
	return __builtin_floor(x);
}
OV float ceil(float x)
{
	return __builtin_ceilf(x);
}
OV double ceil(double x)
{
	return __builtin_ceil(x);
}
OV float fma(float x, float y, float z)
{
	return __builtin_fmaf(x, y, z);
}
OV double fma(double x, double y, double z)
{
	return __builtin_fma(x, y, z);
}
#define mad(x, y, z)   ((x) * (y) + (z))
#define mad24(x, y, z) ((x) * (y) + (z))
#define mul24(x, y)    ((x) * (y))
OV float fmin(float x, float y)
{
	return __builtin_fminf(x, y);
}
OV float fmax(float x, float y)
{
	return __builtin_fmaxf(x, y);
}
OV double fmin(double x, double y)
{
	return __builtin_fmin(x, y);
}
OV double fmax(double x, double y)
{
	return __builtin_fmax(x, y);
}
#define MINMAX(t) \
	OV t min(t x, t y) \
	{ \
		return x < y ? x : y; \
	} \
	OV t max(t x, t y) \
	{ \
		return x > y ? x : y; \
	} \
	OV t clamp(t x, t lo, t hi) \
	{ \
		return min(max(x, lo), hi); \
	}
MINMAX(int)
MINMAX(uint)
MINMAX(long)
MINMAX(ulong)
MINMAX(float)
MINMAX(double)
OV float dot(float4 a, float4 b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
#define native_divide(x, y) ((x) * native_recip(y))
#define native_sqrt         sqrt
#define native_exp          exp
#define native_log          log
#define as_uint(x)          __builtin_astype(x, uint)
#define as_int(x)           __builtin_astype(x, int)
#define as_float(x)         __builtin_astype(x, float)
#define convert_int(x)      ((int)(x))
#define convert_float(x)    ((float)(x))
#define ATOMIC(name, t) \
	OV t atomic_##name(volatile __global t *p, t v) \
	{ \
		return __scoped_atomic_fetch_##name((volatile __global t *)p, v, __ATOMIC_RELAXED, \
						    __MEMORY_SCOPE_DEVICE); \
	} \
	OV t atomic_##name(volatile __local t *p, t v) \
	{ \
		return __scoped_atomic_fetch_##name((volatile __local t *)p, v, __ATOMIC_RELAXED, \
						    __MEMORY_SCOPE_WRKGRP); \
	}
#define ATOMICS(name) ATOMIC(name, int) ATOMIC(name, uint)
ATOMICS(add)
ATOMICS(sub)
ATOMICS(min)
ATOMICS(max)
ATOMICS(and)
ATOMICS(or)
#define atomic_inc(p) atomic_add(p, 1)
#define atom_add      atomic_add
#define atom_inc      atomic_inc
#define FLT_MIN       1.17549435e-38f
#define UINT_MAX      0xffffffffu
#define INT_MIN       (-INT_MAX - 1)
OV int abs(int x)
{
	return x < 0 ? -x : x;
}
#define atomic_xchg(p, v) __scoped_atomic_exchange_n(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE)
