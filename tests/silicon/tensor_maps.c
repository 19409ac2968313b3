// SPDX-License-Identifier: MIT
/*
 * What does CUDA write into a tensor map? Encodes maps that differ from the first one in one
 * argument each, and prints the words that differ; maps in tile mode are also compared with ours.
 *   usage: tensor_maps       needs NVIDIA's driver; no kernel runs
 */
#include <stdbool.h>
#include <string.h>

#include "libsov/sov.h"
#include "tests/silicon/driver.h"

enum { WORDS = 32, RANK = 5 };

static int (*encode_tiled)(void *map, int type, uint32_t rank, uint64_t address,
			   const uint64_t *dimensions, const uint64_t *strides, const uint32_t *box,
			   const uint32_t *steps, int interleave, int swizzle, int promotion,
			   int fill);
static int (*encode_im2col)(void *map, int type, uint32_t rank, uint64_t address,
			    const uint64_t *dimensions, const uint64_t *strides, const int *lower,
			    const int *upper, uint32_t channels, uint32_t pixels,
			    const uint32_t *steps, int interleave, int swizzle, int promotion,
			    int fill);

struct map {
	const char *what;
	int type; /* CUDA's */
	uint32_t rank;
	uint64_t address, dimensions[RANK], strides[RANK - 1];
	uint32_t box[RANK], steps[RANK];
	int interleave, swizzle, promotion, fill;
	bool im2col;
	int lower[3], upper[3];
	uint32_t channels, pixels;
};

#define BASE(...) \
	{.type = 2, \
	 .rank = 3, \
	 .address = 0x7f0000000000, \
	 .dimensions = {64, 48, 40, 24, 20}, \
	 .strides = {256, 12288, 491520, 11796480}, \
	 .box = {8, 4, 2, 3, 5}, \
	 .steps = {1, 1, 1, 1, 1}, \
	 __VA_ARGS__}
#define IM2COL(...) \
	BASE(.rank = 4, .im2col = true, .lower = {-1, -2}, .upper = {-3, -4}, .channels = 8, \
	     .pixels = 16, __VA_ARGS__)

#pragma GCC diagnostic ignored "-Woverride-init"
static const struct map maps[] = {
	BASE(.what = "three dimensions of u32"),
	BASE(.what = "address", .address = 0x123456789ab0),
	BASE(.what = "rank 1", .rank = 1),
	BASE(.what = "rank 2", .rank = 2),
	BASE(.what = "rank 5", .rank = 5),
	BASE(.what = "u8", .type = 0, .box = {16, 4, 2}),
	BASE(.what = "u16", .type = 1),
	BASE(.what = "s32", .type = 3),
	BASE(.what = "u64", .type = 4),
	BASE(.what = "s64", .type = 5),
	BASE(.what = "f16", .type = 6),
	BASE(.what = "f32", .type = 7),
	BASE(.what = "f64", .type = 8),
	BASE(.what = "bf16", .type = 9),
	BASE(.what = "f32 ftz", .type = 10),
	BASE(.what = "tf32", .type = 11),
	BASE(.what = "tf32 ftz", .type = 12),
	BASE(.what = "dimensions", .dimensions = {100, 1000, 4294967295u}),
	BASE(.what = "wide strides", .strides = {0xfffffffff0, 0x123456780}),
	BASE(.what = "box", .box = {256, 256, 1}),
	BASE(.what = "steps", .steps = {1, 8, 3}),
	BASE(.what = "swizzle 32", .swizzle = 1),
	BASE(.what = "swizzle 64", .swizzle = 2),
	BASE(.what = "swizzle 128", .swizzle = 3),
	BASE(.what = "interleave 16", .interleave = 1),
	BASE(.what = "interleave 32", .interleave = 2, .swizzle = 1),
	BASE(.what = "promotion 64", .promotion = 1),
	BASE(.what = "promotion 128", .promotion = 2),
	BASE(.what = "promotion 256", .promotion = 3),
	BASE(.what = "NaN fill", .type = 7, .fill = 1),
	IM2COL(.what = "im2col, four dimensions"),
	IM2COL(.what = "im2col, three dimensions", .rank = 3),
	IM2COL(.what = "im2col, five dimensions", .rank = 5, .lower = {-1, -2, -3},
	       .upper = {-4, -5, -6}),
	IM2COL(.what = "im2col, lower corner 0", .lower = {3, -2}),
	IM2COL(.what = "im2col, lower corner 1", .lower = {-1, 5}),
	IM2COL(.what = "im2col, upper corner 0", .upper = {7, -4}),
	IM2COL(.what = "im2col, upper corner 1", .upper = {-3, 9}),
	IM2COL(.what = "im2col, channels", .channels = 64),
	IM2COL(.what = "im2col, pixels", .pixels = 1024),
};
#define COUNT (sizeof(maps) / sizeof(maps[0]))

static int encode(const struct map *m, uint32_t *words)
{
	_Alignas(64) uint32_t map[WORDS];
	int error = m->im2col ? encode_im2col(map, m->type, m->rank, m->address, m->dimensions,
					      m->strides, m->lower, m->upper, m->channels,
					      m->pixels, m->steps, m->interleave, m->swizzle,
					      m->promotion, m->fill)
			      : encode_tiled(map, m->type, m->rank, m->address, m->dimensions,
					     m->strides, m->box, m->steps, m->interleave,
					     m->swizzle, m->promotion, m->fill);

	memcpy(words, map, sizeof(map));
	return error;
}

/* Encodes it by libsov; false: such a map it does not have. */
static bool encode_ours(const struct map *m, uint32_t *words)
{
	/* by CUDA's numbers */
	static const uint8_t types[] = {SOV_TENSOR_U8,      SOV_TENSOR_U16,     SOV_TENSOR_U32,
					SOV_TENSOR_S32,     SOV_TENSOR_U64,     SOV_TENSOR_S64,
					SOV_TENSOR_F16,     SOV_TENSOR_F32,     SOV_TENSOR_F64,
					SOV_TENSOR_BF16,    SOV_TENSOR_F32_FTZ, SOV_TENSOR_TF32,
					SOV_TENSOR_TF32_FTZ};
	sov_tensor_map_options o = SOV_INIT(sov_tensor_map_options);
	sov_tensor_map map;

	if (m->im2col || m->interleave || m->promotion || m->fill)
		return false;
	o.type = (sov_tensor_type)types[m->type];
	o.address = m->address;
	o.rank = m->rank;
	o.swizzle = m->swizzle ? 16u << m->swizzle : 0;
	for (uint32_t d = 0; d < m->rank; d++) {
		o.dimensions[d] = m->dimensions[d];
		o.strides[d] = d ? m->strides[d - 1] : 0;
		o.box[d] = m->box[d];
		o.steps[d] = m->steps[d];
	}
	if (sov_tensor_map_encode(&o, &map)) {
		printf("  ours: %s\n", sov_last_error());
		return false;
	}
	memcpy(words, &map, sizeof(map));
	return true;
}

static void print_difference(const char *name, const uint32_t *from, const uint32_t *to)
{
	for (uint32_t k = 0; k < WORDS; k++)
		if (from[k] != to[k])
			printf("  %s: word %u: %08x, %08x\n", name, k, from[k], to[k]);
}

int main(void)
{
	uint32_t first[WORDS], words[WORDS], ours[WORDS];
	unsigned differ = 0;
	void *library;

	limit_time(60);
	cuda_open();
	library = dlopen("libcuda.so.1", RTLD_NOW);
	*(void **)&encode_tiled = dlsym(library, "cuTensorMapEncodeTiled");
	*(void **)&encode_im2col = dlsym(library, "cuTensorMapEncodeIm2col");
	if (!encode_tiled || !encode_im2col) {
		printf("BROKEN libcuda.so.1 does not encode tensor maps\n");
		return EXIT_BROKEN;
	}
	must(encode(&maps[0], first), "encoding the first map");
	printf("%s:", maps[0].what);
	for (uint32_t k = 0; k < WORDS; k++)
		printf(" %08x", first[k]);
	printf("\n");
	for (uint32_t i = 0; i < COUNT; i++) {
		int error = encode(&maps[i], words);

		printf("%s%s%s\n", maps[i].what, error ? ": " : "",
		       error ? cuda_error_name(error) : "");
		if (error)
			continue;
		print_difference("from the first", first, words);
		if (!encode_ours(&maps[i], ours))
			continue;
		print_difference("ours", words, ours);
		differ += memcmp(words, ours, sizeof(ours)) != 0;
	}
	printf("tensor_maps: %u maps, %u of ours differ\n", (unsigned)COUNT, differ);
	return differ ? EXIT_WRONG : 0;
}
