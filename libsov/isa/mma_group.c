// SPDX-License-Identifier: MIT
/*
 * Values of matrix products of a group of warps. That a tile has the values of the product of one
 * warp (mma.c) is an assumption: PTX leaves the accuracy of sums open, and no chip was asked.
 */
#include "libsov/isa/mma_group.h"

#define CHUNK      16 /* bytes; a row of 8 chunks is a core matrix */
#define CHUNK_ROWS 8
#define GROUP_ROWS 64
#define TILE       8 /* columns */
#define WARP_ROWS  16
#define SWIZZLE_AT 7 /* lowest of the address bits that permute the chunks */

enum { TILES_BITS = 8 };

uint64_t mma_group_pack(const struct mma_group *g)
{
	uint64_t flags = (uint64_t)g->shared_a | (uint64_t)g->negated[MMA_GROUP_A] << 1 |
			 (uint64_t)g->negated[MMA_GROUP_B] << 2 |
			 (uint64_t)g->transposed[MMA_GROUP_A] << 3 |
			 (uint64_t)g->transposed[MMA_GROUP_B] << 4 | (uint64_t)g->selector << 5;

	return g->tiles | flags << TILES_BITS;
}

struct mma_group mma_group_unpack(uint32_t kind, uint64_t number)
{
	uint64_t flags = number >> TILES_BITS;

	return (struct mma_group){.kind = &mma_kinds[kind],
				  .tiles = (uint32_t)(number & ((1u << TILES_BITS) - 1)),
				  .shared_a = flags & 1,
				  .negated = {flags >> 1 & 1, flags >> 2 & 1},
				  .transposed = {flags >> 3 & 1, flags >> 4 & 1},
				  .selector = (uint32_t)(flags >> 5 & 3)};
}

static bool is_float(uint8_t element)
{
	return element == MMA_F16 || element == MMA_BF16 || element == MMA_TF32 ||
	       element == MMA_F8;
}

static bool is_half(uint8_t element)
{
	return element == MMA_F16 || element == MMA_BF16;
}

bool mma_group_exists(const struct mma_group *g)
{
	bool negated = g->negated[MMA_GROUP_A] || g->negated[MMA_GROUP_B];
	bool transposed = g->transposed[MMA_GROUP_A] || g->transposed[MMA_GROUP_B];
	bool integers = g->kind->sums == MMA_S32;

	return g->kind->m == WARP_ROWS && mma_registers(g->kind).a == MMA_GROUP_A_WORDS &&
	       g->kind->sums != MMA_F64 && g->kind->factors != MMA_I4 && g->tiles &&
	       g->selector < mma_selectors(g->kind) && g->tiles <= MMA_GROUP_MAX_TILES &&
	       (!integers || g->tiles <= 4 || g->tiles % 2 == 0) &&
	       (!negated || is_float(g->kind->factors)) &&
	       (!transposed || is_half(g->kind->factors)) &&
	       (g->shared_a || !g->transposed[MMA_GROUP_A]);
}

uint32_t mma_group_words(const struct mma_group *g)
{
	return g->tiles * mma_registers(g->kind).c;
}

/* ---- shared memory ---- */

struct layout {
	uint32_t start, leading, stride; /* bytes */
	uint32_t width;                  /* chunks that the swizzle permutes */
	uint32_t base;                   /* 128-byte row at which the pattern starts */
	bool transposed;
};

static struct layout layout_of(uint64_t descriptor, bool transposed)
{
	static const uint8_t widths[] = {1, 8, 4, 2};

	return (struct layout){.start = (uint32_t)(descriptor & 0x3fff) << 4,
			       .leading = (uint32_t)(descriptor >> 16 & 0x3fff) << 4,
			       .stride = (uint32_t)(descriptor >> 32 & 0x3fff) << 4,
			       .width = widths[descriptor >> 62],
			       .base = (uint32_t)(descriptor >> 49 & 7),
			       .transposed = transposed};
}

/* Offset of a chunk: of a row of A or a column of B and a part of k, or if the matrix is
 * transposed, of eight rows or columns and one of k. */
static uint32_t plain_offset(const struct layout *l, uint32_t line, uint32_t chunk)
{
	uint32_t group = line / CHUNK_ROWS, row = line % CHUNK_ROWS * CHUNK * l->width;

	if (l->transposed && l->width == 1)
		return chunk * l->stride + row + group * l->leading;
	if (l->transposed)
		return chunk % l->width * CHUNK + chunk / l->width * l->leading + row +
		       group * l->stride;
	return row + group * l->stride + chunk * (l->width == 1 ? l->leading : CHUNK);
}

static uint32_t chunk_address(const struct layout *l, uint32_t line, uint32_t chunk)
{
	uint32_t at = l->start + plain_offset(l, line, chunk);

	return at ^ (((at >> SWIZZLE_AT) - l->base) & (l->width - 1)) * CHUNK;
}

/* Elements of a row of A, of which a sparse one has half, or of a column of B. */
static uint32_t depth_of(const struct mma_group *g, uint32_t factor)
{
	return g->kind->k / (factor == MMA_GROUP_A && g->kind->flags & MMA_SPARSE ? 2 : 1);
}

bool mma_group_fits(const struct mma_group *g, uint32_t factor, uint64_t descriptor, uint64_t size)
{
	struct layout l = layout_of(descriptor, g->transposed[factor]);
	uint32_t rows = factor == MMA_GROUP_A ? GROUP_ROWS : g->tiles * TILE,
		 k = depth_of(g, factor);
	uint32_t in_chunk = CHUNK / 4 * mma_elements_per_register(g->kind->factors);
	uint32_t lines = l.transposed ? k : rows,
		 chunks = l.transposed ? rows / CHUNK_ROWS : k / in_chunk;

	for (uint32_t line = 0; line < lines; line++)
		for (uint32_t chunk = 0; chunk < chunks; chunk++)
			if (chunk_address(&l, line, chunk) + CHUNK > size)
				return false;
	return true;
}

/* Elements k and following of a row of A or a column of B, as many as a register has. */
static uint32_t read_word(const struct mma_group_memory *memory, const struct layout *l,
			  uint32_t row, uint32_t k, uint32_t per_word)
{
	uint32_t byte = k / per_word * 4, word = 0;

	if (!l->transposed)
		return memory->read(memory->state,
				    chunk_address(l, row, byte / CHUNK) + byte % CHUNK, 4);
	for (uint32_t j = 0; j < 2; j++)
		word |= memory->read(
				memory->state,
				chunk_address(l, k + j, row / CHUNK_ROWS) + row % CHUNK_ROWS * 2, 2)
			<< 16 * j;
	return word;
}

/* The registers of a warp that would hold the part, by the rows of mma.c: a lane has row lane / 4
 * and that plus 8, and neighbours in k. */
static void read_fragment(const struct mma_group *g, const struct mma_group_memory *memory,
			  const struct layout *l, uint32_t first, uint32_t halves, uint32_t depth,
			  mma_fragment f)
{
	uint32_t per_word = mma_elements_per_register(g->kind->factors);
	uint32_t words = depth / (4 * per_word) * halves;

	for (uint32_t w = 0; w < words; w++)
		for (uint32_t lane = 0; lane < MMA_LANES; lane++)
			f[w][lane] = read_word(memory, l, first + lane / 4 + w % halves * TILE,
					       (w / halves * 4 + lane % 4) * per_word, per_word);
}

static void negate(uint8_t element, uint32_t words, mma_fragment f)
{
	uint32_t signs = element == MMA_F8     ? 0x80808080
			 : element == MMA_TF32 ? 0x80000000
					       : 0x80008000;

	for (uint32_t w = 0; w < words; w++)
		for (uint32_t lane = 0; lane < MMA_LANES; lane++)
			f[w][lane] ^= signs;
}

static void eval_tile(const struct mma_group *g, const mma_fragment a, const mma_fragment b,
		      const struct mma_metadata *metadata, uint32_t (*sums)[MMA_LANES])
{
	uint32_t words = mma_registers(g->kind).c;
	mma_fragment c = {{0}}, d;

	for (uint32_t w = 0; w < words; w++)
		for (uint32_t lane = 0; lane < MMA_LANES; lane++)
			c[w][lane] = sums[w][lane];
	mma_eval(g->kind, a, b, c, metadata, d);
	for (uint32_t w = 0; w < words; w++)
		for (uint32_t lane = 0; lane < MMA_LANES; lane++)
			sums[w][lane] = (uint32_t)d[w][lane];
}

void mma_group_eval(const struct mma_group *g, uint32_t warp, const mma_fragment a,
		    const uint64_t descriptors[MMA_GROUP_FACTORS],
		    const uint32_t metadata[MMA_LANES], const struct mma_group_memory *memory,
		    mma_group_sums sums)
{
	struct layout of_a = layout_of(descriptors[MMA_GROUP_A], g->transposed[MMA_GROUP_A]);
	struct layout of_b = layout_of(descriptors[MMA_GROUP_B], g->transposed[MMA_GROUP_B]);
	struct mma_registers n = mma_registers(g->kind);
	struct mma_metadata which = {.selector = g->selector};
	mma_fragment rows = {{0}}, columns = {{0}};

	for (uint32_t lane = 0; lane < MMA_LANES; lane++)
		which.words[lane] = metadata[lane];
	if (g->shared_a)
		read_fragment(g, memory, &of_a, warp * WARP_ROWS, 2, depth_of(g, MMA_GROUP_A),
			      rows);
	for (uint32_t w = 0; w < n.a && !g->shared_a; w++)
		for (uint32_t lane = 0; lane < MMA_LANES; lane++)
			rows[w][lane] = a[w][lane];
	if (g->negated[MMA_GROUP_A])
		negate(g->kind->factors, n.a, rows);
	for (uint32_t t = 0; t < g->tiles; t++) {
		read_fragment(g, memory, &of_b, t * TILE, 1, g->kind->k, columns);
		if (g->negated[MMA_GROUP_B])
			negate(g->kind->factors, n.b, columns);
		eval_tile(g, rows, columns, &which, &sums[t * n.c]);
	}
}
