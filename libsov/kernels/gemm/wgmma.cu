// SPDX-License-Identifier: MIT
/*
 * c = a transpose(b) by wgmma, for sm_90a: a has m rows of k elements, b has n rows of k elements, c has m
 * rows of n. gemm_f16 has f16 elements and f32 sums, which are rounded once; gemm_tf32 has f32
 * elements, of which the tensor cores use the upper 19 bits, and f32 sums. The distance of rows is a multiple of 16
 * bytes; the tensor maps (gemm.c) describe a and b and supply zeros outside of them.
 *
 * A block computes tiles of 128 by 256 of c, a cluster of two blocks 256 by 256. One thread of the
 * first warp group fills a ring of stages by tensor copies: the block's rows of a, and half of the rows of
 * b, which both blocks need, so that each loads one half for both (multicast). The other two warp
 * groups each multiply 64 rows. `full` barriers count bytes that have arrived, `empty` barriers
 * count warps of both blocks that have read a stage. The grid is persistent: copies for the next
 * tile are under way while a tile is stored.
 */
#include "wgmma.h"

enum {
	STAGES = 4,
	ROWS = 128, COLUMNS = 256, /* of a tile */
	CLUSTER = 2,
	BAND = 8,                  /* clusters of rows, see tile_position */
	ROW_BYTES = 128,           /* of a stage */
	STAGE_A = ROWS * ROW_BYTES, STAGE_B = COLUMNS * ROW_BYTES,
	STAGE_BYTES = STAGE_A + STAGE_B,
	PRODUCERS = 128, CONSUMERS = 256, THREADS = PRODUCERS + CONSUMERS,
	READERS = CLUSTER * CONSUMERS / 32, /* warps that read a stage */
	ALIGNMENT = 1024,                   /* of swizzled boxes */
};

struct problem {
	unsigned m, n, steps; /* steps: stages that a tile needs */
	unsigned rows, columns, tiles;
};

static __device__ inline problem problem_of(unsigned m, unsigned n, unsigned row_bytes)
{
	problem p = {m, n, (row_bytes + ROW_BYTES - 1) / ROW_BYTES};

	p.rows = (m + CLUSTER * ROWS - 1) / (CLUSTER * ROWS);
	p.columns = (n + COLUMNS - 1) / COLUMNS;
	p.tiles = p.rows * p.columns;
	return p;
}

struct barriers {
	unsigned full, empty; /* of stage 0; one after the other */
};

/* Executed by one thread: loads all stages of the block's tiles. */
INLINE void produce(const problem &p, const tensor_map *a, const tensor_map *b, unsigned ring, barriers bar,
		    unsigned rank, unsigned row_elements)
{
	ring_position<STAGES> at = {0, 0};

	prefetch_map(a);
	prefetch_map(b);
	for (unsigned i = block_x() / CLUSTER; i < p.tiles; i += grid_size() / CLUSTER) {
		unsigned row, column;

		tile_position(i, p.rows, p.columns, BAND, row, column);
		row = (row * CLUSTER + rank) * ROWS;
		column = column * COLUMNS + rank * (COLUMNS / CLUSTER);
		for (unsigned step = 0; step < p.steps; step++) {
			unsigned full = bar.full + 8 * at.stage, stage = ring + at.stage * STAGE_BYTES;
			unsigned x = step * row_elements;

			barrier_wait(bar.empty + 8 * at.stage, at.parity ^ 1);
			barrier_expect(full, STAGE_BYTES);
			load_box(stage, a, x, row, full);
			load_box_multicast(stage + STAGE_A + rank * (STAGE_B / CLUSTER), b, x, column, full,
					   (1 << CLUSTER) - 1);
			at.advance();
		}
	}
}

/* ---- f16 results ---- */

INLINE unsigned halves(float low, float high)
{
	unsigned r;

	asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(high), "f"(low));
	return r;
}
INLINE unsigned lane_xor(unsigned v, int d) { return (unsigned)__nvvm_shfl_sync_bfly_i32(0xffffffff, (int)v, d, 31); }

/* Transposes words of the four lanes of a quad: lane i gets word i of each lane. */
INLINE void transpose_quad(unsigned (&w)[4], unsigned lane)
{
#pragma unroll
	for (int d = 1; d < 4; d <<= 1) {
#pragma unroll
		for (int i = 0; i < 4; i++) {
			if (i & d)
				continue;
			unsigned mine = lane & d ? w[i] : w[i | d];
			unsigned theirs = lane_xor(mine, d);

			w[i] = lane & d ? theirs : w[i];
			w[i | d] = lane & d ? w[i | d] : theirs;
		}
	}
}

struct result_f16 {
	typedef unsigned short element;

	/* A warp has 16 rows of 256: a lane two neighbours of every eight columns, of two rows. Lanes
	 * exchange them so that each stores 16 bytes. */
	static __device__ __attribute__((always_inline)) void store(const float (&sums)[SUMS], element *c, u64 pitch,
								    unsigned m, unsigned n, unsigned row,
								    unsigned column, unsigned lane)
	{
#pragma unroll
		for (int half = 0; half < 2; half++) {
			unsigned y = row + lane / 4 + 8 * half;
			unsigned x = column + lane % 4 * 8;
			element *at = c + y * pitch + x;

#pragma unroll
			for (int j = 0; j < COLUMNS / 32; j++) {
				unsigned w[4];

#pragma unroll
				for (int i = 0; i < 4; i++)
					w[i] = halves(sums[16 * j + 4 * i + 2 * half], sums[16 * j + 4 * i + 2 * half + 1]);
				transpose_quad(w, lane);
				if (y < m && x + 32 * j < n)
					asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(at + 32 * j),
						     "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3])
						     : "memory");
			}
		}
	}
};

/* ---- f32 results ---- */

struct result_f32 {
	typedef float element;

	/* The four lanes of a quad store 32 bytes together. */
	static __device__ __attribute__((always_inline)) void store(const float (&sums)[SUMS], element *c, u64 pitch,
								    unsigned m, unsigned n, unsigned row,
								    unsigned column, unsigned lane)
	{
#pragma unroll
		for (int half = 0; half < 2; half++) {
			unsigned y = row + lane / 4 + 8 * half;
			unsigned x = column + lane % 4 * 2;
			element *at = c + y * pitch + x;

#pragma unroll
			for (int j = 0; j < COLUMNS / 8; j++)
				if (y < m && x + 8 * j < n)
					asm volatile("st.global.v2.f32 [%0], {%1, %2};" ::"l"(at + 8 * j),
						     "f"(sums[4 * j + 2 * half]), "f"(sums[4 * j + 2 * half + 1])
						     : "memory");
		}
	}
};

/* ---- products ---- */

struct factors_f16 {
	template <int Add> static __device__ __attribute__((always_inline)) void product(float (&d)[SUMS], u64 a, u64 b)
	{
		product_f16<Add>(d, a, b);
	}
};
struct factors_tf32 {
	template <int Add> static __device__ __attribute__((always_inline)) void product(float (&d)[SUMS], u64 a, u64 b)
	{
		product_tf32<Add>(d, a, b);
	}
};

/* One stage: four products of 32 bytes of each row. */
template <class Factors, int Add> INLINE void stage_products(float (&sums)[SUMS], u64 a, u64 b)
{
	products_begin();
	Factors::template product<Add>(sums, a, b);
	Factors::template product<1>(sums, a + 2, b + 2);
	Factors::template product<1>(sums, a + 4, b + 4);
	Factors::template product<1>(sums, a + 6, b + 6);
	products_commit();
}

template <class Factors, class Result>
INLINE void consume(const problem &p, typename Result::element *c, u64 pitch, unsigned ring, barriers bar,
		    unsigned rank, unsigned warp)
{
	ring_position<STAGES> at = {0, 0};
	unsigned lane = thread_x() % 32, group = warp / 4;
	/* Lane i of each warp tells block i of the cluster. */
	unsigned empty = remote_address(bar.empty, lane % CLUSTER);
	bool tells = lane < CLUSTER;
	u64 first_a = matrix_descriptor(ring + group * (STAGE_A / 2));
	u64 first_b = matrix_descriptor(ring + STAGE_A);

	for (unsigned i = block_x() / CLUSTER; i < p.tiles; i += grid_size() / CLUSTER) {
		float sums[SUMS];
		unsigned row, column, before = at.stage;

		barrier_wait(bar.full + 8 * at.stage, at.parity);
		stage_products<Factors, 0>(sums, first_a + at.stage * (STAGE_BYTES / 16),
					   first_b + at.stage * (STAGE_BYTES / 16));
		at.advance();
		for (unsigned step = 1; step < p.steps; step++) {
			barrier_wait(bar.full + 8 * at.stage, at.parity);
			stage_products<Factors, 1>(sums, first_a + at.stage * (STAGE_BYTES / 16),
						   first_b + at.stage * (STAGE_BYTES / 16));
			products_wait<1>(sums);
			barrier_arrive_cluster(empty + 8 * before, tells);
			before = at.stage;
			at.advance();
		}
		products_wait<0>(sums);
		barrier_arrive_cluster(empty + 8 * before, tells);
		tile_position(i, p.rows, p.columns, BAND, row, column);
		row = (row * CLUSTER + rank) * ROWS + warp * 16;
		Result::store(sums, c, pitch, p.m, p.n, row, column * COLUMNS, lane);
	}
}

template <class Factors, class Result>
INLINE void gemm(const tensor_map *a, const tensor_map *b, unsigned m, unsigned n, unsigned k, unsigned element_bytes,
		 typename Result::element *c, u64 pitch)
{
	extern __shared__ unsigned char memory[];
	unsigned ring = (shared_address(memory) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	barriers bar = {ring + STAGES * STAGE_BYTES, ring + STAGES * STAGE_BYTES + 8 * STAGES};
	unsigned warp = warp_number(), rank = cluster_rank();
	problem p = problem_of(m, n, k * element_bytes);

	if (thread_x() == 0) {
		for (unsigned i = 0; i < STAGES; i++) {
			barrier_init(bar.full + 8 * i, 1);
			barrier_init(bar.empty + 8 * i, READERS);
		}
		barriers_publish();
	}
	cluster_sync();
	if (warp >= PRODUCERS / 32) {
		asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
		consume<Factors, Result>(p, c, pitch, ring, bar, rank, warp - PRODUCERS / 32);
	} else {
		asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
		if (thread_x() == 0)
			produce(p, a, b, ring, bar, rank, ROW_BYTES / element_bytes);
	}
	cluster_sync(); /* no block exits while the other may still arrive at its barriers */
}

extern "C" __global__ BOUNDS(THREADS) void gemm_f16(tensor_map a, tensor_map b, unsigned m, unsigned n, unsigned k,
						    unsigned short *c, u64 pitch)
{
	gemm<factors_f16, result_f16>(PARAMETER(gemm_f16, 0), PARAMETER(gemm_f16, 1), m, n, k, 2, c, pitch);
}

extern "C" __global__ BOUNDS(THREADS) void gemm_tf32(tensor_map a, tensor_map b, unsigned m, unsigned n, unsigned k,
						     float *c, u64 pitch)
{
	gemm<factors_tf32, result_f32>(PARAMETER(gemm_tf32, 0), PARAMETER(gemm_tf32, 1), m, n, k, 4, c, pitch);
}
