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

static void texture_write(void *memory, uint64_t address, uint32_t value, uint32_t bytes)
{
	struct texture_memory *m = memory;

	if (!m->failed && !m->access(m->user, address, &value, bytes, true)) {
		m->failed = true;
		m->fault = address;
	}
}

#define TEXTURE_FUNCTION static
#define TEXTURE_CALLED   static
#define TEXTURE_LOOP
#include "libsov/isa/surface_eval.h"
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

static const char *level_fault(const struct texture *t)
{
	uint32_t longest = t->width > t->height ? t->width : t->height;

	if (t->geometry == TEXTURE_3D && t->depth > longest)
		longest = t->depth;
	if (t->last_level >= TEXTURE_MAX_LEVELS || longest >> t->last_level == 0)
		return "more levels than halvings of its size, or more than 16";
	if (t->first_read > t->last_read || t->last_read > t->last_level)
		return "levels to read that it does not have";
	if (t->last_level && !t->normalized)
		return "several levels, but coordinates that are not normalized";
	if (t->min_detail > TEXTURE_MAX_DETAIL || t->max_detail > TEXTURE_MAX_DETAIL ||
	    t->min_detail > t->max_detail || t->bias < TEXTURE_MIN_BIAS ||
	    t->bias > TEXTURE_MAX_BIAS)
		return "limits of the level that are not from 0 to 16 in order, or a bias that is "
		       "not from -16 to 16";
	if (t->compare >= TEXTURE_COMPARES)
		return "an unknown comparison";
	if ((t->compare || t->depths) &&
	    (t->channels != 1 || !((t->type == TEXTURE_FLOAT && t->channel_bits == 32) ||
				   (t->type == TEXTURE_UNORM && t->channel_bits == 16))))
		return "a depth comparison, but not one channel of f32 or of 16 bits as unorm";
	return NULL;
}

const char *texture_fault(const struct texture *t)
{
	uint32_t texel = texture_texel_bytes(t);
	struct texture packed;

	if (t->geometry >= TEXTURE_GEOMETRIES || t->layout >= TEXTURE_LAYOUTS)
		return "an unknown geometry or layout";
	if (t->channels != 1 && t->channels != 2 && t->channels != 4)
		return "a number of channels other than 1, 2 and 4";
	if (t->channel_bits != 8 && t->channel_bits != 16 && t->channel_bits != 32)
		return "channels of other widths than 8, 16 and 32 bits";
	if (t->srgb &&
	    (t->packed || t->type != TEXTURE_UNORM || t->channel_bits != 8 || t->channels != 4))
		return "sRGB, but not 4 channels of 8 bits as unorm";
	if (t->packed >= TEXTURE_PACKINGS ||
	    (t->packed && (t->channels != 4 || t->channel_bits != 8 ||
			   (t->packed == TEXTURE_11_11_10
				    ? t->type != TEXTURE_FLOAT
				    : t->type != TEXTURE_UINT && t->type != TEXTURE_UNORM))))
		return "a packed texel that does not exist";
	if (t->type >= TEXTURE_TYPES ||
	    (t->type == TEXTURE_FLOAT && t->channel_bits == 8 && !t->packed) ||
	    (t->type >= TEXTURE_UNORM && t->channel_bits == 32))
		return "a channel type that does not exist with this width";
	for (uint32_t k = 0; k < 3; k++)
		if (t->address_mode[k] >= TEXTURE_ADDRESSES)
			return "an unknown address mode";
	for (uint32_t k = 0; k < TEXTURE_CHANNELS; k++)
		if (t->swizzle[k] >= TEXTURE_SWIZZLES)
			return "an unknown swizzle";
	if (size_fault(t))
		return size_fault(t);
	if (level_fault(t))
		return level_fault(t);
	if (t->address % texel || t->row_bytes % texel || t->slice_bytes % texel)
		return "an address or stride that is not a multiple of the texel";
	if ((uint64_t)t->width * texel > t->row_bytes && (t->height > 1 || t->depth > 1))
		return "rows that overlap";
	if (t->layout == TEXTURE_GOBS && (t->row_bytes % TEXTURE_GOB_WIDTH || t->row_bytes == 0))
		return "rows that are not whole blocks";
	if (t->last_level) {
		packed = *t;
		texture_pack(&packed);
		return packed.row_bytes != t->row_bytes || packed.slice_bytes != t->slice_bytes
			       ? "levels with gaps between rows or slices"
			       : NULL;
	}
	if (t->depth > 1 && t->slice_bytes < texture_where(t, 0, t->height - 1, 0) + t->row_bytes &&
	    t->layout == TEXTURE_LINEAR)
		return "slices that overlap";
	return NULL;
}

/* From the start of a layer or face, or of three dimensions, to the end of its last level. */
static uint64_t levels_bytes(const struct texture *t)
{
	struct texture level;
	uint64_t bytes;

	texture_enter_level(t, t->last_level, &level);
	bytes = texture_plane_bytes(t, level.row_bytes, level.height);
	if (t->geometry == TEXTURE_3D)
		bytes *= level.depth;
	return level.address - t->address + bytes;
}

/* Rows may have gaps in a texture of one level only. */
uint64_t texture_bytes(const struct texture *t)
{
	uint64_t row = (uint64_t)t->width * texture_texel_bytes(t);
	bool layers = t->geometry != TEXTURE_3D;

	if (t->last_level)
		return (layers ? t->slice_bytes * (t->depth - 1) : 0) + levels_bytes(t);
	if (t->layout == TEXTURE_GOBS)
		return t->slice_bytes * (t->depth - 1) +
		       texture_plane_bytes(t, t->row_bytes, t->height);
	return t->slice_bytes * (t->depth - 1) + (uint64_t)(t->height - 1) * t->row_bytes + row;
}

void texture_pack(struct texture *t)
{
	t->row_bytes = texture_row_bytes(t, t->width);
	t->slice_bytes = texture_plane_bytes(t, t->row_bytes, t->height);
	if (t->last_level && t->geometry != TEXTURE_3D)
		t->slice_bytes = levels_bytes(t);
}

struct texture texture_of_level(const struct texture *t, uint32_t level)
{
	struct texture out;

	texture_enter_level(t, level, &out);
	return out;
}

uint64_t texture_offset(const struct texture *t, uint32_t x_bytes, uint32_t y, uint32_t z)
{
	return texture_where(t, x_bytes, y, z);
}

void texture_sample(const struct texture *t, const struct texture_request *r, bool texel,
		    struct texture_memory *m, uint32_t out[TEXTURE_CHANNELS])
{
	if (texel)
		texture_fetch(t, m, r, out);
	else
		texture_filter(t, m, r, out);
}

void texture_gather(const struct texture *t, const struct texture_request *r, uint32_t channel,
		    struct texture_memory *m, uint32_t out[TEXTURE_CHANNELS])
{
	texture_four(t, m, r, channel, out);
}

const char *texture_request_fault(const struct texture *t, const struct texture_request *r)
{
	if (r->compares && !t->compare)
		return "no depth comparison, which the instruction asks for";
	if (!r->compares && t->compare)
		return "a depth comparison, for which the instruction has no operand";
	return NULL;
}

struct texture texture_with_sampler(const struct texture *t, const struct texture *sampler)
{
	struct texture out = *t;

	texture_set_sampler(&out, sampler);
	return out;
}

uint32_t texture_answer(const struct texture *t, enum texture_query q, uint32_t level)
{
	return texture_size(t, q, level);
}

enum texture_place texture_place(const struct texture *t, enum texture_geometry g,
				 enum texture_range range, const uint32_t *coordinates,
				 uint32_t count, uint64_t *address)
{
	return (enum texture_place)texture_find(t, g, range, coordinates, count, address);
}

enum texture_place texture_store(const struct texture *t, enum texture_geometry g,
				 enum texture_range range, const uint32_t *coordinates,
				 const uint32_t *words, uint32_t count, struct texture_memory *m)
{
	return (enum texture_place)texture_put(t, m, g, range, coordinates, words, count);
}

enum texture_place texture_place_word(const struct texture *t, enum texture_geometry g,
				      enum texture_range range, const uint32_t *coordinates,
				      uint64_t *address)
{
	if (!texture_reduces(t))
		return TEXTURE_TRAPS;
	return (enum texture_place)texture_find_texel(t, g, range, coordinates, address);
}
