// SPDX-License-Identifier: MIT
/*
 * c = a transpose(b) in f64 by mma, for sm_90: a has m rows of k elements, b has n rows of k elements, c has
 * m rows of n. Rows of a and b, and n, are multiples of 16 bytes; the tensor maps (gemm.c) describe
 * a and b and supply zeros outside of them.
 *
 * A block of eight warps computes tiles of 128 by 128, a warp 64 by 32 in products of 16 by 8 by 8.
 * All registers are needed for sums and factors, so that no warp is spared for copies: one lane of
 * the first warp refills the stage that all warps read in the step before, while they read the next
 * ones. `full` barriers count bytes that have arrived, `empty` barriers warps that have read a stage. The
 * grid is persistent: copies for the next tile are under way while a tile is stored.
 *
 * The order in which the elements of k are added is free if it is the same for a and b. A row of a stage
 * is eight chunks of two elements, swizzled by its number modulo 8. Lane t of a quad has element t % 2 of
 * chunk 4 (t / 2) + s in quarter s of a stage: then the 16 lanes of four rows that shared memory serves
 * at a time read from all banks, and each element goes to its register in the product at once.
 */
#include "device.h"

enum {
	STAGES = 6,
	TILE = 128,
	BAND = 8, /* rows of tiles, see tile_position */
	ROW_BYTES = 128, DEPTH = ROW_BYTES / 8,
	STAGE_FACTOR = TILE * ROW_BYTES, /* of a, and of b */
	STAGE_BYTES = 2 * STAGE_FACTOR,
	WARPS = 8, WARP_ROWS = 64, WARP_COLUMNS = 32,
	DOWN = WARP_ROWS / 16, ACROSS = WARP_COLUMNS / 8, /* products of a warp */
	ALIGNMENT = 1024,
};

INLINE double load_double(unsigned at)
{
	double v;

	asm volatile("ld.shared.f64 %0, [%1];" : "=d"(v) : "r"(at));
	return v;
}

INLINE void product(double (&d)[4], const double (&a)[4], const double (&b)[2])
{
	asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
	    "{%0, %1, %2, %3};"
	    : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
	    : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
}

struct problem {
	unsigned rows, columns, tiles, steps;
};

/* The copies of a block, one stage after the other, tile after tile. */
struct producer {
	const tensor_map *a, *b;
	unsigned ring, full, empty;
	unsigned tile, step, row, column;
	ring_position<STAGES> at;

	__device__ __attribute__((always_inline)) void find_tile(const problem &p)
	{
		tile_position(tile, p.rows, p.columns, BAND, row, column);
	}
	__device__ __attribute__((always_inline)) void load(const problem &p)
	{
		unsigned bar = full + 8 * at.stage, stage = ring + at.stage * STAGE_BYTES;

		if (tile >= p.tiles)
			return;
		barrier_wait(empty + 8 * at.stage, at.parity ^ 1);
		barrier_expect(bar, STAGE_BYTES);
		load_box(stage, a, step * DEPTH, row * TILE, bar);
		load_box(stage + STAGE_FACTOR, b, step * DEPTH, column * TILE, bar);
		at.advance();
		if (++step == p.steps) {
			step = 0;
			tile += grid_size();
			find_tile(p);
		}
	}
};

struct factors {
	double a[DOWN][4], b[ACROSS][2];
};

/* Two quarters of a stage, a product's depth. `a` and `b` are the lane's rows, `chunk` its chunk of the
 * first quarter, swizzled; other rows of its fragments are multiples of eight away. */
INLINE void load_factors(factors &f, unsigned a, unsigned b, unsigned chunk, unsigned quarter)
{
#pragma unroll
	for (unsigned s = 0; s < 2; s++) {
		unsigned at = chunk ^ (quarter + s) * 16;

#pragma unroll
		for (int i = 0; i < DOWN; i++) {
			f.a[i][2 * s] = load_double(a + at + 16 * i * ROW_BYTES);
			f.a[i][2 * s + 1] = load_double(a + at + (16 * i + 8) * ROW_BYTES);
		}
#pragma unroll
		for (int j = 0; j < ACROSS; j++)
			f.b[j][s] = load_double(b + at + 8 * j * ROW_BYTES);
	}
}

INLINE void multiply(double (&sums)[DOWN][ACROSS][4], const factors &f)
{
#pragma unroll
	for (int j = 0; j < ACROSS; j++)
#pragma unroll
		for (int i = 0; i < DOWN; i++)
			product(sums[i][j], f.a[i], f.b[j]);
}

INLINE void store(const double (&sums)[DOWN][ACROSS][4], double *c, u64 pitch, unsigned m, unsigned n, unsigned row,
		  unsigned column)
{
#pragma unroll
	for (int i = 0; i < 2 * DOWN; i++) {
		unsigned y = row + 8 * i;
		double *at = c + y * pitch + column;

#pragma unroll
		for (int j = 0; j < ACROSS; j++)
			if (y < m && column + 8 * j < n)
				asm volatile("st.global.v2.f64 [%0], {%1, %2};" ::"l"(at + 8 * j),
					     "d"(sums[i / 2][j][2 * (i % 2)]), "d"(sums[i / 2][j][2 * (i % 2) + 1])
					     : "memory");
	}
}

extern "C" __global__ BOUNDS(32 * WARPS) void gemm_f64(tensor_map map_a, tensor_map map_b, unsigned m, unsigned n,
						       unsigned k, double *c, u64 pitch)
{
	extern __shared__ unsigned char memory[];
	unsigned ring = (shared_address(memory) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	unsigned full = ring + STAGES * STAGE_BYTES, empty = full + 8 * STAGES;
	unsigned warp = warp_number(), lane = thread_x() % 32;
	unsigned row = warp % 2 * WARP_ROWS + lane / 4, column = warp / 2 * WARP_COLUMNS + lane / 4;
	unsigned a = ring + row * ROW_BYTES, b = ring + STAGE_FACTOR + column * ROW_BYTES;
	unsigned chunk = (lane % 4 / 2 * 4 ^ lane / 4) * 16 + lane % 2 * 8;
	bool loads = thread_x() == 0;
	problem p = {(m + TILE - 1) / TILE, (n + TILE - 1) / TILE};
	producer copies = {PARAMETER(gemm_f64, 0), PARAMETER(gemm_f64, 1), ring, full, empty, block_x()};
	ring_position<STAGES> at = {0, 0};

	p.tiles = p.rows * p.columns;
	p.steps = (k + DEPTH - 1) / DEPTH;
	if (loads) {
		for (unsigned i = 0; i < STAGES; i++) {
			barrier_init(full + 8 * i, 1);
			barrier_init(empty + 8 * i, WARPS);
		}
		barriers_publish();
	}
	__syncthreads();
	copies.find_tile(p);
	if (loads)
		for (unsigned i = 0; i < STAGES - 1; i++)
			copies.load(p);

	for (unsigned i = block_x(); i < p.tiles; i += grid_size()) {
		double sums[DOWN][ACROSS][4] = {};
		unsigned tile_row, tile_column;

		for (unsigned step = 0; step < p.steps; step++) {
			unsigned offset = at.stage * STAGE_BYTES;
			factors first, second;

			barrier_wait(full + 8 * at.stage, at.parity);
			load_factors(first, a + offset, b + offset, chunk, 0);
			load_factors(second, a + offset, b + offset, chunk, 2);
			multiply(sums, first);
			if (loads)
				copies.load(p);
			multiply(sums, second);
			__nvvm_bar_warp_sync(0xffffffff); /* all lanes have read the stage */
			barrier_arrive(empty + 8 * at.stage, lane == 0);
			at.advance();
		}
		tile_position(i, p.rows, p.columns, BAND, tile_row, tile_column);
		store(sums, c, pitch, m, n, tile_row * TILE + row, tile_column * TILE + column - lane / 4 + lane % 4 * 2);
	}
}
