/* SPDX-License-Identifier: MIT */
/*
 * The instructions of Hopper that the matrix products of this folder use, as functions of CUDA C for
 * clang without an SDK: barriers in shared memory, tensor copies, products. The semantics are those of
 * the PTX ISA. Addresses of shared memory are 32-bit.
 */
#ifndef SOV_KERNELS_GEMM_DEVICE_H
#define SOV_KERNELS_GEMM_DEVICE_H

#define __global__        __attribute__((global))
#define __device__        __attribute__((device))
#define __shared__        __attribute__((shared))
#define BOUNDS(threads)   __attribute__((launch_bounds(threads, 1)))
#define INLINE            static __device__ inline __attribute__((always_inline))

typedef unsigned long long u64;

struct __attribute__((aligned(64))) tensor_map {
	u64 words[16];
};

static __device__ inline unsigned thread_x() { return __nvvm_read_ptx_sreg_tid_x(); }
static __device__ inline unsigned block_x() { return __nvvm_read_ptx_sreg_ctaid_x(); }
static __device__ inline unsigned grid_size() { return __nvvm_read_ptx_sreg_nctaid_x(); }

INLINE unsigned shared_address(const void *p) { return (unsigned)(u64)(__attribute__((address_space(3))) char *)p; }

/* The number of the thread's warp as a value that the compiler knows to be uniform. */
INLINE unsigned warp_number()
{
	return (unsigned)__nvvm_shfl_sync_idx_i32(0xffffffff, (int)(thread_x() / 32), 0, 31);
}

/* The generic address of a parameter of a kernel. Clang 19 has no __grid_constant__: the address of a
 * structure in C would be that of a copy in local memory, which tensor copies do not accept. */
#define PARAMETER(kernel, index) \
	({ \
		u64 address_; \
		asm("{\n\t.reg .u64 p;\n\tmov.u64 p, " #kernel "_param_" #index ";\n\t" \
		    "cvta.param.u64 %0, p;\n\t}" : "=l"(address_)); \
		(const tensor_map *)address_; \
	})

/* ---- clusters ---- */

INLINE unsigned cluster_rank()
{
	unsigned r;

	asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
	return r;
}
INLINE void cluster_sync()
{
	asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}
/* The address of `address` in the shared memory of another block of the cluster. */
INLINE unsigned remote_address(unsigned address, unsigned rank)
{
	unsigned r;

	asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(r) : "r"(address), "r"(rank));
	return r;
}

/* ---- barriers in shared memory ---- */

INLINE void barrier_init(unsigned barrier, unsigned arrivals)
{
	asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}
/* Makes initialised barriers visible to the cluster and to copies. */
INLINE void barriers_publish()
{
	asm volatile("fence.mbarrier_init.release.cluster;\n\tfence.proxy.async.shared::cta;" ::: "memory");
}
INLINE void barrier_expect(unsigned barrier, unsigned bytes)
{
	asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}
INLINE void barrier_arrive(unsigned barrier, bool really)
{
	asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.u32 p, %1, 0;\n\t"
		     "@p mbarrier.arrive.shared::cta.b64 _, [%0];\n\t}" ::"r"(barrier), "r"((unsigned)really)
		     : "memory");
}
INLINE void barrier_arrive_cluster(unsigned remote, bool really)
{
	asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.u32 p, %1, 0;\n\t"
		     "@p mbarrier.arrive.shared::cluster.b64 _, [%0];\n\t}" ::"r"(remote),
		     "r"((unsigned)really)
		     : "memory");
}
INLINE bool barrier_passed(unsigned barrier, unsigned parity)
{
	unsigned done;

	asm volatile("{\n\t.reg .pred p;\n\t"
		     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\tselp.u32 %0, 1, 0, p;\n\t}"
		     : "=r"(done)
		     : "r"(barrier), "r"(parity)
		     : "memory");
	return done;
}
INLINE void barrier_wait(unsigned barrier, unsigned parity)
{
	while (!barrier_passed(barrier, parity))
		;
}

/* ---- tensor copies: a box at column x, row y ---- */

INLINE void prefetch_map(const tensor_map *map)
{
	asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}
INLINE void load_box(unsigned to, const tensor_map *map, unsigned x, unsigned y, unsigned barrier)
{
	asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
		     " [%0], [%1, {%2, %3}], [%4];" ::"r"(to),
		     "l"(map), "r"(x), "r"(y), "r"(barrier)
		     : "memory");
}
/* To the same place in each block of the cluster whose bit is set. */
INLINE void load_box_multicast(unsigned to, const tensor_map *map, unsigned x, unsigned y, unsigned barrier,
			       unsigned short blocks)
{
	asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
		     ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to),
		     "l"(map), "r"(x), "r"(y), "r"(barrier), "h"(blocks)
		     : "memory");
}

/* ---- the order of tiles ---- */

/* Tile `i` of a grid of rows by columns: column by column within bands of at most `band` rows, so that
 * blocks that run at the same time share strips of both factors in the L2 cache. */
INLINE void tile_position(unsigned i, unsigned rows, unsigned columns, unsigned band, unsigned &row,
			  unsigned &column)
{
	unsigned first = i / (band * columns) * band;
	unsigned height = rows - first < band ? rows - first : band;
	unsigned in_band = i - first * columns;

	row = first + in_band % height;
	column = in_band / height;
}

/* A place in a ring of stages, and how often the ring has been passed, modulo 2. */
template <unsigned Stages> struct ring_position {
	unsigned stage, parity;

	__device__ __attribute__((always_inline)) void advance()
	{
		if (++stage == Stages) {
			stage = 0;
			parity ^= 1;
		}
	}
};

#endif
