// SPDX-License-Identifier: MIT
/*
 * Texture headers and samplers (hw/nv/texture.h). The pool of a context has the headers first, then
 * as many samplers; a texture has the same number in both, and number 0 is never used, so that no
 * handle is 0.
 */
#include <string.h>
#include "hw/nv/texture.h"
#include "libsov/gpu/nv/nv_gpu.h"

#define PITCH_ALIGN  32
#define MAX_PITCH    (1u << 21)
#define BLOCK_ALIGN  512
#define MAX_SLICES   (1u << 14)
#define ADDRESS_BITS 49

static uint32_t component_sizes(const struct texture *t)
{
	static const struct {
		uint8_t channels, bits, sizes;
	} rows[] = {
		{1, 8, NV_TEXHEAD_SIZES_8},
		{2, 8, NV_TEXHEAD_SIZES_8_8},
		{4, 8, NV_TEXHEAD_SIZES_8_8_8_8},
		{1, 16, NV_TEXHEAD_SIZES_16},
		{2, 16, NV_TEXHEAD_SIZES_16_16},
		{4, 16, NV_TEXHEAD_SIZES_16_16_16_16},
		{1, 32, NV_TEXHEAD_SIZES_32},
		{2, 32, NV_TEXHEAD_SIZES_32_32},
		{4, 32, NV_TEXHEAD_SIZES_32_32_32_32},
	};
	uint32_t k = 0;

	if (t->packed)
		return t->packed == TEXTURE_11_11_10 ? NV_TEXHEAD_SIZES_11_11_10
						     : NV_TEXHEAD_SIZES_10_10_10_2;
	while (rows[k].channels != t->channels || rows[k].bits != t->channel_bits)
		k++;
	return rows[k].sizes;
}

const char *nv_texture_fault(const struct texture *t)
{
	bool blocks = t->layout == TEXTURE_GOBS;

	if (t->address >> ADDRESS_BITS)
		return "an address beyond 49 bits";
	if (t->depth > MAX_SLICES)
		return "more than 16,384 slices or layers";
	if (t->last_level && !blocks)
		return "levels in linear memory, which NVIDIA's chips lack";
	if (blocks)
		return t->address % BLOCK_ALIGN ? "an address that is not a multiple of 512" : NULL;
	if (t->geometry == TEXTURE_1D)
		return NULL;
	if (t->geometry != TEXTURE_2D)
		return "layers or three dimensions in linear memory, which NVIDIA's chips lack; "
		       "leave sov_texture_options.memory 0";
	if (t->address % PITCH_ALIGN || t->row_bytes % PITCH_ALIGN || t->row_bytes >= MAX_PITCH)
		return "an address or row_bytes that is not a multiple of 32, or a row of 2 MiB";
	return NULL;
}

/* What is read as a channel. */
static uint32_t source(const struct texture *t, uint32_t channel)
{
	bool integer = t->type == TEXTURE_UINT || t->type == TEXTURE_SINT;
	uint32_t one = integer ? NV_TEXHEAD_IN_ONE_INT : NV_TEXHEAD_IN_ONE_FLOAT;
	uint32_t s = t->swizzle[channel],
		 channels = t->packed == TEXTURE_11_11_10 ? 3 : t->channels;

	if (s == TEXTURE_ALL_ZERO || s == TEXTURE_ALL_ONE)
		return s == TEXTURE_ALL_ONE ? one : NV_TEXHEAD_IN_ZERO;
	if (s >= TEXTURE_FROM_R)
		channel = s - TEXTURE_FROM_R;
	return channel < channels ? NV_TEXHEAD_IN_R + channel
	       : channel == 3     ? one
				  : NV_TEXHEAD_IN_ZERO;
}

static void write_format(const struct texture *t, uint32_t *h)
{
	static const uint8_t types[TEXTURE_TYPES] = {NV_TEXHEAD_NUM_UINT, NV_TEXHEAD_NUM_SINT,
						     NV_TEXHEAD_NUM_FLOAT, NV_TEXHEAD_NUM_UNORM,
						     NV_TEXHEAD_NUM_SNORM};
	uint32_t type = types[t->type];

	nv_texture_set(h, NV_TEXHEAD_COMPONENTS,
		       !t->compare && !t->depths  ? component_sizes(t)
		       : t->type == TEXTURE_FLOAT ? NV_TEXHEAD_SIZES_ZF32
						  : NV_TEXHEAD_SIZES_Z16);
	nv_texture_set(h, NV_TEXHEAD_R_TYPE, type);
	nv_texture_set(h, NV_TEXHEAD_G_TYPE, type);
	nv_texture_set(h, NV_TEXHEAD_B_TYPE, type);
	nv_texture_set(h, NV_TEXHEAD_A_TYPE, type);
	nv_texture_set(h, NV_TEXHEAD_X_SOURCE, source(t, 0));
	nv_texture_set(h, NV_TEXHEAD_Y_SOURCE, source(t, 1));
	nv_texture_set(h, NV_TEXHEAD_Z_SOURCE, source(t, 2));
	nv_texture_set(h, NV_TEXHEAD_W_SOURCE, source(t, 3));
}

static void write_size(const struct texture *t, uint32_t *h)
{
	bool cube = t->geometry == TEXTURE_CUBE || t->geometry == TEXTURE_CUBE_LAYERS;
	uint32_t depth = (cube ? t->depth / 6 : t->depth) - 1, width = t->width - 1;

	if (t->layout == TEXTURE_LINEAR && t->geometry == TEXTURE_1D) {
		nv_texture_set(h, NV_TEXHEAD_WIDTH_LOW_1D, width & 0xffff);
		nv_texture_set(h, NV_TEXHEAD_WIDTH_HIGH_1D, width >> 16);
		return;
	}
	nv_texture_set(h, NV_TEXHEAD_WIDTH, width);
	nv_texture_set(h, NV_TEXHEAD_HEIGHT, (t->height - 1) & 0xffff);
	nv_texture_set(h, NV_TEXHEAD_HEIGHT_BIT16, (t->height - 1) >> 16);
	nv_texture_set(h, NV_TEXHEAD_DEPTH, depth);
	nv_texture_set(h, NV_TEXHEAD_NORMALIZED, t->normalized);
	nv_texture_set(h, NV_TEXHEAD_BORDER, NV_TEXHEAD_BORDER_OF_SAMPLER);
	if (t->layout == TEXTURE_LINEAR)
		nv_texture_set(h, NV_TEXHEAD_PITCH, t->row_bytes / PITCH_ALIGN);
}

static void write_header(const struct texture *t, uint32_t *h)
{
	static const uint8_t types[TEXTURE_GEOMETRIES] = {
		NV_TEXHEAD_ONE_D,       NV_TEXHEAD_TWO_D,       NV_TEXHEAD_THREE_D,
		NV_TEXHEAD_ONE_D_ARRAY, NV_TEXHEAD_TWO_D_ARRAY, NV_TEXHEAD_CUBE,
		NV_TEXHEAD_CUBE_ARRAY};
	bool flat = t->layout == TEXTURE_LINEAR && t->geometry == TEXTURE_1D;
	uint32_t version = flat                          ? NV_TEXHEAD_VERSION_1D
			   : t->layout == TEXTURE_LINEAR ? NV_TEXHEAD_VERSION_PITCH
							 : NV_TEXHEAD_VERSION_BLOCK_LINEAR;
	uint32_t type = flat                          ? NV_TEXHEAD_ONE_D_BUFFER
			: t->layout == TEXTURE_LINEAR ? NV_TEXHEAD_TWO_D_NO_MIPMAP
						      : types[t->geometry];

	memset(h, 0, NV_TEXTURE_BYTES);
	write_format(t, h);
	write_size(t, h);
	nv_texture_set(h, NV_TEXHEAD_ADDRESS_LOW, (uint32_t)t->address);
	nv_texture_set(h, NV_TEXHEAD_ADDRESS_HIGH, (uint32_t)(t->address >> 32));
	nv_texture_set(h, NV_TEXHEAD_VERSION, version);
	if (version == NV_TEXHEAD_VERSION_BLOCK_LINEAR) {
		nv_texture_set(h, NV_TEXHEAD_MAX_LEVEL, t->last_level);
		nv_texture_set(h, NV_TEXHEAD_FIRST_LEVEL, t->first_read);
		nv_texture_set(h, NV_TEXHEAD_LAST_LEVEL, t->last_read);
	}
	nv_texture_set(h, NV_TEXHEAD_SRGB, t->srgb);
	nv_texture_set(h, NV_TEXHEAD_TYPE, type);
}

static void write_sampler(const struct texture *t, uint32_t *s)
{
	static const uint8_t modes[TEXTURE_ADDRESSES] = {NV_TEXSAMP_WRAP, NV_TEXSAMP_CLAMP_TO_EDGE,
							 NV_TEXSAMP_MIRROR, NV_TEXSAMP_TO_BORDER};
	uint32_t filter = t->linear ? NV_TEXSAMP_LINEAR : NV_TEXSAMP_POINT;

	memset(s, 0, NV_TEXTURE_BYTES);
	nv_texture_set(s, NV_TEXSAMP_ADDRESS_U, modes[t->address_mode[0]]);
	nv_texture_set(s, NV_TEXSAMP_ADDRESS_V, modes[t->address_mode[1]]);
	nv_texture_set(s, NV_TEXSAMP_ADDRESS_P, modes[t->address_mode[2]]);
	nv_texture_set(s, NV_TEXSAMP_MAG_FILTER, filter);
	nv_texture_set(s, NV_TEXSAMP_MIN_FILTER, filter);
	nv_texture_set(s, NV_TEXSAMP_MIP_FILTER,
		       !t->last_level    ? NV_TEXSAMP_MIP_NONE
		       : t->level_linear ? NV_TEXSAMP_MIP_LINEAR
					 : NV_TEXSAMP_MIP_POINT);
	nv_texture_set(s, NV_TEXSAMP_BIAS, (uint32_t)(uint16_t)t->bias & 0x1fff);
	nv_texture_set(s, NV_TEXSAMP_MIN_LEVEL, t->min_detail);
	nv_texture_set(s, NV_TEXSAMP_MAX_LEVEL, t->max_detail);
	nv_texture_set(s, NV_TEXSAMP_COMPARE, !!t->compare);
	if (t->compare)
		nv_texture_set(s, NV_TEXSAMP_COMPARE_FUNC, t->compare - TEXTURE_NEVER);
	nv_texture_set(s, NV_TEXSAMP_UNNORMALIZED, !t->normalized);
	memcpy(s + NV_TEXSAMP_BORDER, t->border, sizeof(t->border));
}

uint64_t nv_texture_write(const struct texture *t, uint32_t index, uint8_t *pool, uint64_t va)
{
	uint32_t header[NV_TEXTURE_WORDS], sampler[NV_TEXTURE_WORDS];

	(void)va;
	write_header(t, header);
	write_sampler(t, sampler);
	memcpy(pool + (size_t)index * NV_TEXTURE_BYTES, header, sizeof(header));
	memcpy(pool + ((size_t)GPU_MAX_TEXTURES + index) * NV_TEXTURE_BYTES, sampler,
	       sizeof(sampler));
	return index | (uint64_t)index << NV_TEXTURE_SAMPLER_SHIFT;
}
