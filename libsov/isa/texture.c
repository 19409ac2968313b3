// SPDX-License-Identifier: MIT
/* Textures on the host: the rules of texture_eval.h over memory that the caller maps. */
#include <stddef.h>
#include "libsov/isa/texture.h"

static uint32_t texture_read(void *memory, uint64_t address, uint32_t bytes)
{
	struct texture_memory *m = memory;
	uint32_t value = 0;

	if (!m->failed && !m->access(m->user, address, &value, bytes, false)) {
		m->failed = true;
		m->fault = address;
	}
	return value;
}

#define TEXTURE_FUNCTION static
#define TEXTURE_CALLED   static
#define TEXTURE_LOOP
#include "libsov/isa/texture_eval.h"

#define MAX_SIZE   (1u << 17) /* of an axis; one of linear memory is longer */
#define MAX_LINEAR (1u << 27)

uint32_t texture_coordinates(enum texture_geometry g)
{
	static const uint8_t counts[TEXTURE_GEOMETRIES] = {1, 2, 3, 2, 3, 3, 4};

	return counts[g];
}

bool texture_has_layers(enum texture_geometry g)
{
	return g == TEXTURE_1D_LAYERS || g == TEXTURE_2D_LAYERS || g == TEXTURE_CUBE_LAYERS;
}

uint32_t texture_texel_bytes(const struct texture *t)
{
	return t->channels * t->channel_bits / 8u;
}

static const char *size_fault(const struct texture *t)
{
	bool flat = t->geometry == TEXTURE_1D || t->geometry == TEXTURE_1D_LAYERS;
	bool cube = t->geometry == TEXTURE_CUBE || t->geometry == TEXTURE_CUBE_LAYERS;
	uint32_t longest =
		t->geometry == TEXTURE_1D && t->layout == TEXTURE_LINEAR ? MAX_LINEAR : MAX_SIZE;

	if (!t->width || !t->height || !t->depth)
		return "a width, height or depth of 0";
	if (t->width > longest || t->height > MAX_SIZE || t->depth > MAX_SIZE)
		return "more than 2^17 texels along an axis";
	if (flat && t->height != 1)
		return "one dimension, but a height other than 1";
	if ((t->geometry == TEXTURE_1D || t->geometry == TEXTURE_2D) && t->depth != 1)
		return "one or two dimensions, but a depth other than 1";
	if (cube && (t->width != t->height || t->depth % TEXTURE_FACES))
		return "faces of a cube that are not square or not a multiple of 6";
	if (t->geometry == TEXTURE_CUBE && t->depth != TEXTURE_FACES)
		return "a cube without layers that has not 6 faces";
	return NULL;
}

const char *texture_fault(const struct texture *t)
{
	uint32_t texel = texture_texel_bytes(t);

	if (t->geometry >= TEXTURE_GEOMETRIES || t->layout >= TEXTURE_LAYOUTS)
		return "an unknown geometry or layout";
	if (t->channels != 1 && t->channels != 2 && t->channels != 4)
		return "a number of channels other than 1, 2 and 4";
	if (t->channel_bits != 8 && t->channel_bits != 16 && t->channel_bits != 32)
		return "channels of other widths than 8, 16 and 32 bits";
	if (t->type >= TEXTURE_TYPES || (t->type == TEXTURE_FLOAT && t->channel_bits == 8) ||
	    (t->type >= TEXTURE_UNORM && t->channel_bits == 32))
		return "a channel type that does not exist with this width";
	for (uint32_t k = 0; k < 3; k++)
		if (t->address_mode[k] >= TEXTURE_ADDRESSES)
			return "an unknown address mode";
	if (size_fault(t))
		return size_fault(t);
	if (t->address % texel || t->row_bytes % texel || t->slice_bytes % texel)
		return "an address or stride that is not a multiple of the texel";
	if ((uint64_t)t->width * texel > t->row_bytes && (t->height > 1 || t->depth > 1))
		return "rows that overlap";
	if (t->layout == TEXTURE_GOBS && (t->row_bytes % TEXTURE_GOB_WIDTH || t->row_bytes == 0))
		return "rows that are not whole blocks";
	if (t->depth > 1 && t->slice_bytes < texture_where(t, 0, t->height - 1, 0) + t->row_bytes &&
	    t->layout == TEXTURE_LINEAR)
		return "slices that overlap";
	return NULL;
}

uint64_t texture_bytes(const struct texture *t)
{
	uint64_t rows = t->height, row = (uint64_t)t->width * texture_texel_bytes(t);

	if (t->layout == TEXTURE_GOBS)
		return t->slice_bytes * (t->depth - 1) + (rows + TEXTURE_GOB_ROWS - 1) /
								 TEXTURE_GOB_ROWS *
								 TEXTURE_GOB_ROWS * t->row_bytes;
	return t->slice_bytes * (t->depth - 1) + (rows - 1) * t->row_bytes + row;
}

uint64_t texture_offset(const struct texture *t, uint32_t x_bytes, uint32_t y, uint32_t z)
{
	return texture_where(t, x_bytes, y, z);
}

void texture_sample(const struct texture *t, enum texture_geometry g, bool texels,
		    const uint32_t *coordinates, struct texture_memory *m,
		    uint32_t out[TEXTURE_CHANNELS])
{
	if (texels)
		texture_fetch(t, m, g, coordinates, out);
	else
		texture_filter(t, m, g, coordinates, out);
}

void texture_gather(const struct texture *t, enum texture_geometry g, uint32_t channel,
		    const uint32_t *coordinates, struct texture_memory *m,
		    uint32_t out[TEXTURE_CHANNELS])
{
	texture_four(t, m, g, channel, coordinates, out);
}

uint32_t texture_answer(const struct texture *t, enum texture_query q)
{
	const uint32_t answers[TEXTURE_QUERIES] = {t->width, t->height, t->depth};

	return answers[q];
}

enum texture_place texture_place(const struct texture *t, enum texture_geometry g,
				 enum texture_range range, const uint32_t *coordinates,
				 uint32_t count, uint64_t *address)
{
	return (enum texture_place)texture_find(t, g, range, coordinates, count, address);
}
