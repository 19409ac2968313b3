/* SPDX-License-Identifier: MIT */
/*
 * How a texture is read, in the common subset of C and CUDA C++: texture.c includes this file for
 * the interpreter and the software GPU, and libsov/kernels/texture_functions.cu for chips whose
 * compiler calls functions instead of texture instructions. The including file defines
 * TEXTURE_FUNCTION and TEXTURE_CALLED, the storage class of functions and of those that are not
 * worth inlining, TEXTURE_LOOP, which precedes loops that are not worth unrolling, and
 * texture_read(), which returns up to 4 bytes of memory.
 *
 * Decided here, where NVIDIA's documents leave it open, and not compared with a chip:
 * - A linear filter's weights are rounded to the nearest of 256 steps, and products are added in
 *   f32, x first.
 * - Missing channels are 0, the fourth is 1.
 * - Texels outside of the texture (tex with s32 coordinates) are 0.
 * - NaN as a coordinate is 0.
 * - A cube's coordinates of equal magnitude choose x before y before z; filters stay in the face.
 * - Wrapping and mirroring without normalized coordinates is clamping.
 */
#ifndef SOV_ISA_TEXTURE_EVAL_H
#define SOV_ISA_TEXTURE_EVAL_H

#include "libsov/isa/texture.h"

#define TEXTURE_FAR   1.0e9f /* beyond every texture, and exact as an integer */
#define TEXTURE_STEPS 256    /* of a linear filter's weights */
#define TEXTURE_FACES 6

#define TEXTURE_GOB_WIDTH 64 /* bytes */
#define TEXTURE_GOB_ROWS  8
#define TEXTURE_GOB_BYTES (TEXTURE_GOB_WIDTH * TEXTURE_GOB_ROWS)

union texture_word {
	float f;
	uint32_t u;
};

TEXTURE_FUNCTION float texture_float(uint32_t bits)
{
	union texture_word w;

	w.u = bits;
	return w.f;
}

TEXTURE_FUNCTION uint32_t texture_bits(float value)
{
	union texture_word w;

	w.f = value;
	return w.u;
}

/*
 * Within a block, as an H200 reads it in memory that is mapped with the kind "pitch": the lowest bits
 * of a byte's place are 4 of x, 2 of y, then one of x, y and x. (In pages of the generic kind, which
 * are not used here, the second of y and the first of x after it are exchanged.)
 */
TEXTURE_FUNCTION uint64_t texture_where(const struct texture *t, uint32_t x, uint32_t y, uint32_t z)
{
	uint64_t at = z * t->slice_bytes;

	if (t->layout == TEXTURE_LINEAR)
		return at + (uint64_t)y * t->row_bytes + x;
	at += (uint64_t)(y / TEXTURE_GOB_ROWS) * TEXTURE_GOB_ROWS * t->row_bytes;
	at += (uint64_t)(x / TEXTURE_GOB_WIDTH) * TEXTURE_GOB_BYTES;
	return at + (x % 64 / 32 * 256 + y % 8 / 4 * 128 + x % 32 / 16 * 64 + y % 4 * 16 + x % 16);
}

TEXTURE_FUNCTION float texture_from_half(uint32_t h)
{
	uint32_t sign = (h & 0x8000) << 16, exponent = h >> 10 & 31, fraction = h & 1023;

	if (exponent == 31)
		return texture_float(sign | 0x7f800000 | fraction << 13);
	if (exponent)
		return texture_float(sign | (exponent + 112) << 23 | fraction << 13);
	return texture_float(sign | texture_bits((float)fraction * 0x1p-24f));
}

/* A channel as tex returns it: 32 bits of an integer or an f32. */
TEXTURE_FUNCTION uint32_t texture_channel(const struct texture *t, uint32_t raw)
{
	uint32_t shift = 32 - t->channel_bits;
	int32_t value = (int32_t)(raw << shift) >> shift;
	float max = (float)(0xffffffffu >> (shift + (t->type == TEXTURE_SNORM))), part;

	switch (t->type) {
	case TEXTURE_SINT:
		return (uint32_t)value;
	case TEXTURE_FLOAT:
		return t->channel_bits == 16 ? texture_bits(texture_from_half(raw)) : raw;
	case TEXTURE_UNORM:
		return texture_bits((float)raw / max);
	case TEXTURE_SNORM:
		part = (float)value / max;
		return texture_bits(part < -1.0f ? -1.0f : part);
	default:
		return raw;
	}
}

TEXTURE_FUNCTION uint32_t texture_one(const struct texture *t)
{
	return t->type == TEXTURE_UINT || t->type == TEXTURE_SINT ? 1 : 0x3f800000;
}

/* The texel at coordinates inside of the texture. */
TEXTURE_CALLED void texture_texel(const struct texture *t, void *memory, int32_t x, int32_t y,
				  int32_t z, uint32_t *out)
{
	uint32_t bytes = t->channel_bits / 8u, at = (uint32_t)x * t->channels * bytes;

	TEXTURE_LOOP for (uint32_t c = 0; c < TEXTURE_CHANNELS; c++)
	{
		if (c < t->channels)
			out[c] = texture_channel(
				t,
				texture_read(memory,
					     t->address + texture_where(t, at + c * bytes,
									(uint32_t)y, (uint32_t)z),
					     bytes));
		else
			out[c] = c == 3 ? texture_one(t) : 0;
	}
}

/* The number of a texel in its row, column or stack; -1: the border's colour. */
TEXTURE_FUNCTION int32_t texture_index(const struct texture *t, uint32_t axis, int32_t i,
				       int32_t size)
{
	uint32_t mode = t->address_mode[axis];

	if (i >= 0 && i < size)
		return i;
	if (mode == TEXTURE_BORDER)
		return -1;
	if (t->normalized && mode == TEXTURE_WRAP) {
		i %= size;
		return i < 0 ? i + size : i;
	}
	if (t->normalized && mode == TEXTURE_MIRROR) {
		i %= 2 * size;
		i = i < 0 ? i + 2 * size : i;
		return i < size ? i : 2 * size - 1 - i;
	}
	return i < 0 ? 0 : size - 1;
}

TEXTURE_FUNCTION float texture_floor(float v)
{
	float whole;

	if (!(v < TEXTURE_FAR))
		return v >= TEXTURE_FAR ? TEXTURE_FAR : 0.0f; /* or NaN */
	if (v < -TEXTURE_FAR)
		return -TEXTURE_FAR;
	whole = (float)(int32_t)v;
	return whole > v ? whole - 1.0f : whole;
}

/* A coordinate in texels. */
TEXTURE_FUNCTION float texture_scaled(const struct texture *t, uint32_t axis, float v, int32_t size)
{
	float period = t->address_mode[axis] == TEXTURE_MIRROR ? 2.0f : 1.0f;

	if (!(v >= -TEXTURE_FAR && v <= TEXTURE_FAR))
		v = v > 0 ? TEXTURE_FAR : v < 0 ? -TEXTURE_FAR : 0.0f;
	if (!t->normalized)
		return v;
	if (t->address_mode[axis] == TEXTURE_WRAP || t->address_mode[axis] == TEXTURE_MIRROR)
		v -= period * texture_floor(v / period);
	return v * (float)size;
}

/* The two texels along an axis, and the second one's weight of TEXTURE_STEPS. */
struct texture_tap {
	int32_t first, second, weight;
};

TEXTURE_CALLED struct texture_tap texture_tap(const struct texture *t, uint32_t axis, float v,
					      int32_t size, bool linear)
{
	float at = texture_scaled(t, axis, v, size), whole;
	struct texture_tap tap;

	if (linear)
		at -= 0.5f;
	whole = texture_floor(at);
	tap.weight = linear ? (int32_t)((at - whole) * TEXTURE_STEPS + 0.5f) : 0;
	if (tap.weight < 0 || tap.weight > TEXTURE_STEPS)
		tap.weight = 0; /* beyond TEXTURE_FAR */
	tap.first = texture_index(t, axis, (int32_t)whole, size);
	tap.second = texture_index(t, axis, (int32_t)whole + 1, size);
	return tap;
}

/* Coordinates without the layer; that is in z, unless the texture has three dimensions. */
struct texture_point {
	float at[3];
	int32_t layer;
	uint32_t dimensions;
};

TEXTURE_FUNCTION int32_t texture_layer(const struct texture *t, uint32_t layer, uint32_t faces)
{
	uint32_t count = t->depth / faces;

	return (int32_t)((layer < count ? layer : count - 1) * faces);
}

/* CUDA C++ Programming Guide, "Cubemap Fetch". */
TEXTURE_FUNCTION void texture_face(struct texture_point *p)
{
	float x = p->at[0], y = p->at[1], z = p->at[2], s, v, m;
	float ax = x < 0 ? -x : x, ay = y < 0 ? -y : y, az = z < 0 ? -z : z;

	if (ax >= ay && ax >= az) {
		m = ax, s = x < 0 ? z : -z, v = -y;
		p->layer += x < 0;
	} else if (ay >= az) {
		m = ay, s = x, v = y < 0 ? -z : z;
		p->layer += 2 + (y < 0);
	} else {
		m = az, s = z < 0 ? -x : x, v = -y;
		p->layer += 4 + (z < 0);
	}
	p->at[0] = (s / m + 1.0f) / 2.0f;
	p->at[1] = (v / m + 1.0f) / 2.0f;
}

TEXTURE_FUNCTION struct texture_point texture_point(const struct texture *t, uint32_t geometry,
						    const uint32_t *c)
{
	struct texture_point p = {{0.0f, 0.0f, 0.0f}, 0, 1};
	bool cube = geometry == TEXTURE_CUBE || geometry == TEXTURE_CUBE_LAYERS;
	bool layers = geometry == TEXTURE_1D_LAYERS || geometry == TEXTURE_2D_LAYERS ||
		      geometry == TEXTURE_CUBE_LAYERS;
	uint32_t given;

	if (geometry == TEXTURE_2D || geometry == TEXTURE_2D_LAYERS || cube)
		p.dimensions = 2;
	else if (geometry == TEXTURE_3D)
		p.dimensions = 3;
	if (layers)
		p.layer = texture_layer(t, *c++, cube ? TEXTURE_FACES : 1);
	given = cube ? 3 : p.dimensions;
	TEXTURE_LOOP for (uint32_t k = 0; k < 3; k++) if (k < given) p.at[k] = texture_float(c[k]);
	if (cube)
		texture_face(&p);
	return p;
}

TEXTURE_CALLED void texture_or_border(const struct texture *t, void *memory, int32_t x, int32_t y,
				      int32_t z, uint32_t *out)
{
	if (x >= 0 && y >= 0 && z >= 0) {
		texture_texel(t, memory, x, y, z, out);
		return;
	}
	TEXTURE_LOOP for (uint32_t c = 0; c < TEXTURE_CHANNELS; c++) out[c] = t->border[c];
}

TEXTURE_FUNCTION void texture_filter(const struct texture *t, void *memory, uint32_t geometry,
				     const uint32_t *coordinates, uint32_t *out)
{
	bool linear = t->linear && t->type != TEXTURE_UINT && t->type != TEXTURE_SINT;
	struct texture_point p = texture_point(t, geometry, coordinates);
	float sum[TEXTURE_CHANNELS] = {0.0f, 0.0f, 0.0f, 0.0f};
	struct texture_tap x, y = {0, 0, 0}, z;
	uint32_t texel[TEXTURE_CHANNELS];

	x = texture_tap(t, 0, p.at[0], (int32_t)t->width, linear);
	if (p.dimensions > 1)
		y = texture_tap(t, 1, p.at[1], (int32_t)t->height, linear);
	z.first = z.second = p.layer, z.weight = 0;
	if (p.dimensions > 2)
		z = texture_tap(t, 2, p.at[2], (int32_t)t->depth, linear);
	if (!linear) {
		texture_or_border(t, memory, x.first, y.first, z.first, out);
		return;
	}
	TEXTURE_LOOP for (uint32_t k = 0; k < 8; k++)
	{
		int32_t wx = k & 1 ? x.weight : TEXTURE_STEPS - x.weight;
		int32_t wy = k & 2 ? y.weight : TEXTURE_STEPS - y.weight;
		int32_t wz = k & 4 ? z.weight : TEXTURE_STEPS - z.weight;
		float weight = (float)(wx * wy * wz) * 0x1p-24f;

		if (!wx || !wy || !wz)
			continue;
		texture_or_border(t, memory, k & 1 ? x.second : x.first, k & 2 ? y.second : y.first,
				  k & 4 ? z.second : z.first, texel);
		TEXTURE_LOOP for (uint32_t c = 0; c < TEXTURE_CHANNELS; c++) sum[c] +=
			weight * texture_float(texel[c]);
	}
	TEXTURE_LOOP for (uint32_t c = 0; c < TEXTURE_CHANNELS; c++) out[c] = texture_bits(sum[c]);
}

/* Integer coordinates: no filter, no address modes. */
TEXTURE_FUNCTION void texture_fetch(const struct texture *t, void *memory, uint32_t geometry,
				    const uint32_t *c, uint32_t *out)
{
	bool layers = geometry == TEXTURE_1D_LAYERS || geometry == TEXTURE_2D_LAYERS;
	bool flat = geometry == TEXTURE_1D || geometry == TEXTURE_1D_LAYERS;
	uint32_t z = layers ? (uint32_t)texture_layer(t, *c++, 1) : 0;
	uint32_t x = c[0], y = flat ? 0 : c[1];

	if (geometry == TEXTURE_3D)
		z = c[2];
	if (x < t->width && y < t->height && z < t->depth) {
		texture_texel(t, memory, (int32_t)x, (int32_t)y, (int32_t)z, out);
		return;
	}
	TEXTURE_LOOP for (uint32_t k = 0; k < TEXTURE_CHANNELS; k++) out[k] = 0;
}

/* Counter-clockwise from the lower left: PTX ISA, tld4. */
TEXTURE_FUNCTION void texture_four(const struct texture *t, void *memory, uint32_t geometry,
				   uint32_t channel, const uint32_t *coordinates, uint32_t *out)
{
	struct texture_point p = texture_point(t, geometry, coordinates);
	struct texture_tap x = texture_tap(t, 0, p.at[0], (int32_t)t->width, true);
	struct texture_tap y = texture_tap(t, 1, p.at[1], (int32_t)t->height, true);
	uint32_t texel[TEXTURE_CHANNELS];

	TEXTURE_LOOP for (uint32_t k = 0; k < 4; k++)
	{
		texture_or_border(t, memory, k == 1 || k == 2 ? x.second : x.first,
				  k < 2 ? y.second : y.first, p.layer, texel);
		out[k] = texel[channel];
	}
}

/* Where a surface is accessed. x counts bytes, and accesses are aligned to their size. */
TEXTURE_FUNCTION uint32_t texture_find(const struct texture *t, uint32_t geometry, uint32_t range,
				       const uint32_t *c, uint32_t count, uint64_t *address)
{
	uint32_t row = t->width * t->channels * (t->channel_bits / 8u);
	bool layers = geometry == TEXTURE_1D_LAYERS || geometry == TEXTURE_2D_LAYERS;
	bool flat = geometry == TEXTURE_1D || geometry == TEXTURE_1D_LAYERS;
	uint32_t limit[3] = {row - count + 1, t->height, t->depth}, at[3] = {0, 0, 0};

	if (row < count)
		return TEXTURE_TRAPS;
	at[2] = layers ? *c++ : 0;
	at[0] = c[0];
	at[1] = flat ? 0 : c[1];
	if (geometry == TEXTURE_3D)
		at[2] = c[2];
	if (at[0] % count)
		return TEXTURE_TRAPS;
	TEXTURE_LOOP for (uint32_t k = 0; k < 3; k++)
	{
		if (at[k] < limit[k])
			continue;
		if (range != TEXTURE_TO_EDGE)
			return range == TEXTURE_ZERO ? TEXTURE_OUTSIDE : TEXTURE_TRAPS;
		at[k] = (int32_t)at[k] < 0 ? 0 : limit[k] - 1;
	}
	*address = t->address + texture_where(t, at[0] - at[0] % count, at[1], at[2]);
	return TEXTURE_INSIDE;
}

#endif
