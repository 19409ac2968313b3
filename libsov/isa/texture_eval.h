/* SPDX-License-Identifier: MIT */
/*
 * How a texture is read, in the common subset of C and CUDA C++: texture.c includes this file for
 * the interpreter and the software GPU, and libsov/kernels/texture_functions.cu for chips whose
 * compiler calls functions instead of texture instructions. The including file defines
 * TEXTURE_FUNCTION and TEXTURE_CALLED, the storage class of functions and of those that are not
 * worth inlining, TEXTURE_LOOP, which precedes loops that are not worth unrolling, and
 * texture_read() and texture_write(), which return and store up to 4 bytes of memory.
 *
 * The level of detail. An instruction gives it, or derivatives of the coordinates, from which it is
 * log2 of the longer of the two vectors that are the derivatives times the sizes of the first
 * level; for a cube those of the coordinates in its face. An instruction without either reads the
 * most detailed level that the limits allow, as ptxas's level of -32 does. The sampler's bias is
 * added, the sum is rounded to 1/256 and limited by the sampler, then to the levels that there are.
 * The nearest level is chosen by rounding half up; a linear filter reads the level below and the
 * one above, and its weight is the fraction. A texture with one level ignores all of this.
 * The PTX ISA leaves the derivation from derivatives to the hardware. OpenGL 4.6, 8.14.1, lets a
 * chip approximate the length by anything between the largest component and their sum, so that a
 * chip's level may differ from this one by up to log2(3).
 *
 * Missing channels are 0, the fourth is 1. Texels outside of the texture (tex with s32 coordinates)
 * are 0 in the channels that there are, as on an H200.
 *
 * As an H200 does it, too: integer coordinates with a level are limited to the level, and of a
 * level that there is not the texel and the sizes are 0. The weights of the texels of all levels,
 * as sums from the first one on, are rounded to 256 steps: in the order (0, 0), (0, 1), (1, 1),
 * (1, 0) of x and y. The order of z is not known.
 *
 * Decided here, where NVIDIA's documents leave it open, and not compared with a chip:
 * - A linear filter's coordinates are rounded to the nearest of 256 steps, and products are added
 *   in f32.
 * - NaN as a coordinate is 0.
 * - A cube's coordinates of equal magnitude choose x before y before z; filters stay in the face.
 * - Wrapping and mirroring without normalized coordinates is clamping.
 * - Offsets are added to the texels of the level that is read, before the address mode.
 * - A comparison gives 0 or 1 in each texel before the filter, and replaces the first channel;
 *   the border's colour is compared, too.
 */
#ifndef SOV_ISA_TEXTURE_EVAL_H
#define SOV_ISA_TEXTURE_EVAL_H

#include "libsov/isa/texture.h"

#define TEXTURE_FAR   1.0e9f /* beyond every texture, and exact as an integer */
#define TEXTURE_STEPS 256    /* of a linear filter's weights */
#define TEXTURE_FACES 6

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
 * Within a block, as an H200 reads it in memory that is mapped with the kind "pitch": the lowest
 * bits of a byte's place are 4 of x, 2 of y, then one of x, y and x. (In pages of the generic kind,
 * which are not used here, the second of y and the first of x after it are exchanged.)
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

/* Bytes of a row, with the padding of blocks, and rows with theirs. */
TEXTURE_FUNCTION uint32_t texture_row_bytes(const struct texture *t, uint32_t width)
{
	uint32_t bytes = width * t->channels * (t->channel_bits / 8u);

	if (t->layout == TEXTURE_LINEAR)
		return bytes;
	return (bytes + TEXTURE_GOB_WIDTH - 1) / TEXTURE_GOB_WIDTH * TEXTURE_GOB_WIDTH;
}

TEXTURE_FUNCTION uint64_t texture_plane_bytes(const struct texture *t, uint32_t row,
					      uint32_t height)
{
	if (t->layout == TEXTURE_GOBS)
		height = (height + TEXTURE_GOB_ROWS - 1) / TEXTURE_GOB_ROWS * TEXTURE_GOB_ROWS;
	return (uint64_t)row * height;
}

TEXTURE_FUNCTION uint32_t texture_half(uint32_t size)
{
	return size > 1 ? size / 2 : 1;
}

/* The texture of one level. */
TEXTURE_FUNCTION void texture_enter_level(const struct texture *t, uint32_t level,
					  struct texture *out)
{
	uint64_t bytes;

	*out = *t;
	TEXTURE_LOOP for (uint32_t k = 0; k < level; k++)
	{
		bytes = texture_plane_bytes(t, out->row_bytes, out->height);
		out->address += t->geometry == TEXTURE_3D ? bytes * out->depth : bytes;
		out->width = texture_half(out->width);
		out->height = texture_half(out->height);
		out->row_bytes = texture_row_bytes(t, out->width);
		if (t->geometry != TEXTURE_3D)
			continue;
		out->depth = texture_half(out->depth);
		out->slice_bytes = texture_plane_bytes(t, out->row_bytes, out->height);
	}
	out->last_level = out->first_read = out->last_read = 0;
}

/* How the texels are filtered and addressed. */
TEXTURE_FUNCTION void texture_set_sampler(struct texture *t, const struct texture *sampler)
{
	TEXTURE_LOOP for (uint32_t k = 0; k < 3; k++) t->address_mode[k] = sampler->address_mode[k];
	TEXTURE_LOOP for (uint32_t k = 0; k < TEXTURE_CHANNELS; k++) t->border[k] =
		sampler->border[k];
	t->linear = sampler->linear;
	t->normalized = sampler->normalized;
	t->compare = sampler->compare;
	t->level_linear = sampler->level_linear;
	t->min_detail = sampler->min_detail;
	t->max_detail = sampler->max_detail;
	t->bias = sampler->bias;
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

/* IEC 61966-2-1: x to the power of 2.4 above a line. The fifth root of x^2 by Newton's method. */
TEXTURE_CALLED uint32_t texture_linear(uint32_t bits)
{
	float c = texture_float(bits), x = (c + 0.055f) / 1.055f, square = x * x, root;

	if (c <= 0.04045f)
		return texture_bits(c / 12.92f);
	root = 0.6f + 0.4f * square;
	TEXTURE_LOOP for (uint32_t k = 0; k < 6; k++)
	{
		float fourth = root * root * root * root;

		root -= (root - square / fourth) * 0.2f;
	}
	return texture_bits(square * root);
}

TEXTURE_FUNCTION uint32_t texture_one(const struct texture *t)
{
	return t->type == TEXTURE_UINT || t->type == TEXTURE_SINT ? 1 : 0x3f800000;
}

/* A channel that the format lacks. */
TEXTURE_FUNCTION uint32_t texture_missing(const struct texture *t, uint32_t channel)
{
	return channel == 3 ? texture_one(t) : 0;
}

TEXTURE_FUNCTION void texture_swizzle(const struct texture *t, uint32_t *texel)
{
	uint32_t same[TEXTURE_CHANNELS];

	if (!(t->swizzle[0] | t->swizzle[1] | t->swizzle[2] | t->swizzle[3]))
		return;
	TEXTURE_LOOP for (uint32_t c = 0; c < TEXTURE_CHANNELS; c++) same[c] = texel[c];
	TEXTURE_LOOP for (uint32_t c = 0; c < TEXTURE_CHANNELS; c++)
	{
		uint32_t s = t->swizzle[c];

		if (s >= TEXTURE_FROM_R)
			texel[c] = same[s - TEXTURE_FROM_R];
		else if (s != TEXTURE_SAME)
			texel[c] = s == TEXTURE_ALL_ONE ? texture_one(t) : 0;
	}
}

TEXTURE_CALLED void texture_unpack(const struct texture *t, uint32_t word, uint32_t *out)
{
	if (t->packed == TEXTURE_11_11_10) {
		out[0] = texture_bits(texture_from_half((word & 0x7ff) << 4));
		out[1] = texture_bits(texture_from_half((word >> 11 & 0x7ff) << 4));
		out[2] = texture_bits(texture_from_half(word >> 22 << 5));
		out[3] = 0x3f800000;
		return;
	}
	TEXTURE_LOOP for (uint32_t c = 0; c < TEXTURE_CHANNELS; c++)
	{
		uint32_t max = c < 3 ? 1023 : 3, raw = word >> c * 10 & max;

		out[c] = t->type == TEXTURE_UNORM ? texture_bits((float)raw / (float)max) : raw;
	}
}

/* The texel at coordinates inside of the texture. */
TEXTURE_CALLED void texture_texel(const struct texture *t, void *memory, int32_t x, int32_t y,
				  int32_t z, uint32_t *out)
{
	uint32_t bytes = t->channel_bits / 8u, at = (uint32_t)x * t->channels * bytes;

	if (t->packed) {
		texture_unpack(
			t,
			texture_read(memory,
				     t->address + texture_where(t, at, (uint32_t)y, (uint32_t)z),
				     4),
			out);
		texture_swizzle(t, out);
		return;
	}
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
			out[c] = texture_missing(t, c);
	}
	TEXTURE_LOOP for (uint32_t c = 0; t->srgb && c < 3; c++) out[c] = texture_linear(out[c]);
	texture_swizzle(t, out);
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
					      int32_t size, bool linear, int32_t shift)
{
	float at = texture_scaled(t, axis, v, size), whole;
	struct texture_tap tap;

	if (linear)
		at -= 0.5f;
	whole = texture_floor(at);
	tap.weight = linear ? (int32_t)((at - whole) * TEXTURE_STEPS + 0.5f) : 0;
	if (tap.weight < 0 || tap.weight > TEXTURE_STEPS)
		tap.weight = 0; /* beyond TEXTURE_FAR */
	tap.first = texture_index(t, axis, (int32_t)whole + shift, size);
	tap.second = texture_index(t, axis, (int32_t)whole + shift + 1, size);
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

TEXTURE_FUNCTION uint32_t texture_passes(const struct texture *t, float reference, float texel)
{
	bool passes = true;

	switch (t->compare) {
	case TEXTURE_NEVER:
		passes = false;
		break;
	case TEXTURE_LESS:
		passes = reference < texel;
		break;
	case TEXTURE_EQUAL:
		passes = reference == texel;
		break;
	case TEXTURE_LESS_EQUAL:
		passes = reference <= texel;
		break;
	case TEXTURE_GREATER:
		passes = reference > texel;
		break;
	case TEXTURE_NOT_EQUAL:
		passes = reference != texel;
		break;
	case TEXTURE_GREATER_EQUAL:
		passes = reference >= texel;
		break;
	}
	return passes ? 0x3f800000 : 0;
}

/* A texel as it reaches the filter. */
TEXTURE_CALLED void texture_or_border(const struct texture *t, void *memory,
				      const struct texture_request *r, int32_t x, int32_t y,
				      int32_t z, uint32_t *out)
{
	if (x >= 0 && y >= 0 && z >= 0)
		texture_texel(t, memory, x, y, z, out);
	else
		TEXTURE_LOOP for (uint32_t c = 0; c < TEXTURE_CHANNELS; c++) out[c] = t->border[c];
	if (r->compares)
		out[0] = texture_passes(t, texture_float(r->reference), texture_float(out[0]));
}

TEXTURE_FUNCTION int32_t texture_shift(const struct texture_request *r, uint32_t axis,
				       uint32_t bits, uint32_t step)
{
	return (int32_t)(r->offset << (32 - bits - axis * step)) >> (32 - bits);
}

TEXTURE_FUNCTION bool texture_is_linear(const struct texture *t)
{
	return t->linear && t->type != TEXTURE_UINT && t->type != TEXTURE_SINT;
}

/* Filters texels of one level, which has a share of TEXTURE_STEPS in the result. */
TEXTURE_CALLED void texture_filter_level(const struct texture *t, void *memory,
					 const struct texture_request *r,
					 const struct texture_point *p, int32_t share,
					 uint32_t *out)
{
	bool linear = texture_is_linear(t);
	int64_t before = 0;
	int32_t used = 0;
	float sum[TEXTURE_CHANNELS] = {0.0f, 0.0f, 0.0f, 0.0f};
	struct texture_tap x, y = {0, 0, 0}, z;
	uint32_t texel[TEXTURE_CHANNELS];

	x = texture_tap(t, 0, p->at[0], (int32_t)t->width, linear, texture_shift(r, 0, 4, 4));
	if (p->dimensions > 1)
		y = texture_tap(t, 1, p->at[1], (int32_t)t->height, linear,
				texture_shift(r, 1, 4, 4));
	z.first = z.second = p->layer, z.weight = 0;
	if (p->dimensions > 2)
		z = texture_tap(t, 2, p->at[2], (int32_t)t->depth, linear,
				texture_shift(r, 2, 4, 4));
	if (!linear) {
		texture_or_border(t, memory, r, x.first, y.first, z.first, out);
		return;
	}
	TEXTURE_LOOP for (uint32_t step = 0; step < 8; step++)
	{
		uint32_t k = step ^ (step >> 1 & 1); /* bits: x, y, z */
		int32_t wx = k & 2 ? x.weight : TEXTURE_STEPS - x.weight;
		int32_t wy = k & 1 ? y.weight : TEXTURE_STEPS - y.weight;
		int32_t wz = k & 4 ? z.weight : TEXTURE_STEPS - z.weight, last = used;
		float weight;

		before += (int64_t)(wx * wy * wz) * share;
		used = (int32_t)((before + (1 << 23)) >> 24);
		weight = (float)(used - last) * (1.0f / TEXTURE_STEPS);
		if (used == last)
			continue;
		texture_or_border(t, memory, r, k & 2 ? x.second : x.first,
				  k & 1 ? y.second : y.first, k & 4 ? z.second : z.first, texel);
		TEXTURE_LOOP for (uint32_t c = 0; c < TEXTURE_CHANNELS; c++) sum[c] +=
			weight * texture_float(texel[c]);
	}
	TEXTURE_LOOP for (uint32_t c = 0; c < TEXTURE_CHANNELS; c++) out[c] = texture_bits(sum[c]);
}

/* 512 log2(v) of a positive number, rounded down: its exponent, then a bit of the fraction for each
 * square. */
TEXTURE_FUNCTION int32_t texture_log(float v)
{
	uint32_t bits = texture_bits(v);
	int32_t log = (int32_t)(bits >> 23) - 127;
	float m = texture_float((bits & 0x7fffff) | 0x3f800000);

	TEXTURE_LOOP for (uint32_t k = 0; k < 9; k++)
	{
		m *= m;
		log *= 2;
		if (m >= 2.0f) {
			m *= 0.5f;
			log++;
		}
	}
	return log;
}

/* The derivatives in the face of a cube: of s / m, where m is the largest coordinate. */
TEXTURE_FUNCTION void texture_face_gradient(const struct texture_request *r, uint32_t first,
					    const uint32_t *gradient, float *out)
{
	uint32_t major = 0, k, n = 0;
	float at[3], m, dm;

	TEXTURE_LOOP for (k = 0; k < 3; k++)
	{
		at[k] = texture_float(r->coordinates[first + k] & 0x7fffffff);
		if (at[k] > at[major])
			major = k;
	}
	m = at[major];
	dm = texture_float(gradient[major] ^ (r->coordinates[first + major] & 0x80000000));
	TEXTURE_LOOP for (k = 0; k < 3; k++)
	{
		float s = texture_float(r->coordinates[first + k]);

		if (k != major)
			out[n++] = (texture_float(gradient[k]) * m - s * dm) / (m * m) * 0.5f;
	}
}

/* log2 of the longer gradient, in texels of the first level: in steps of 1 / 256. */
TEXTURE_FUNCTION int32_t texture_gradient_detail(const struct texture *t,
						 const struct texture_request *r)
{
	bool cube = r->geometry == TEXTURE_CUBE || r->geometry == TEXTURE_CUBE_LAYERS;
	bool flat = r->geometry == TEXTURE_1D || r->geometry == TEXTURE_1D_LAYERS;
	float scale[3] = {(float)t->width, (float)t->height, (float)t->depth}, longest = 0.0f;
	uint32_t axes = r->geometry == TEXTURE_3D ? 3 : flat ? 1 : 2;

	TEXTURE_LOOP for (uint32_t g = 0; g < 2; g++)
	{
		float d[3] = {0.0f, 0.0f, 0.0f}, sum = 0.0f;

		TEXTURE_LOOP for (uint32_t k = 0; k < axes; k++) d[k] =
			texture_float(r->gradients[g][k]);
		if (cube)
			texture_face_gradient(r, r->geometry == TEXTURE_CUBE_LAYERS,
					      r->gradients[g], d);
		TEXTURE_LOOP for (uint32_t k = 0; k < axes; k++) sum +=
			d[k] * scale[k] * d[k] * scale[k];
		if (sum > longest)
			longest = sum;
	}
	if (!(longest > 0x1p-60f))
		return -32 * TEXTURE_DETAIL_ONE;
	if (!(longest < 0x1p60f))
		return 32 * TEXTURE_DETAIL_ONE;
	return (texture_log(longest) + 2) >> 2;
}

/* The level of detail after bias and limits; level is the first that is read. */
TEXTURE_FUNCTION int32_t texture_level_of_detail(const struct texture *t,
						 const struct texture_request *r,
						 const struct texture *level)
{
	int32_t detail = -32 * TEXTURE_DETAIL_ONE, last = t->last_read - t->first_read;
	float given = texture_float(r->level);

	if (r->detail == TEXTURE_GRADIENT)
		detail = texture_gradient_detail(level, r);
	else if (r->detail == TEXTURE_LEVEL && given > -32.0f)
		detail = given < 32.0f ? (int32_t)texture_floor(given * TEXTURE_DETAIL_ONE + 0.5f)
				       : 32 * TEXTURE_DETAIL_ONE;
	detail += t->bias;
	if (detail < t->min_detail)
		detail = t->min_detail;
	if (detail > t->max_detail)
		detail = t->max_detail;
	return detail < last * TEXTURE_DETAIL_ONE ? detail : last * TEXTURE_DETAIL_ONE;
}

TEXTURE_FUNCTION void texture_filter(const struct texture *t, void *memory,
				     const struct texture_request *r, uint32_t *out)
{
	struct texture_point p = texture_point(t, r->geometry, r->coordinates);
	uint32_t second[TEXTURE_CHANNELS];
	struct texture level;
	int32_t detail, part;
	float weight;

	if (!t->last_level) {
		texture_filter_level(t, memory, r, &p, TEXTURE_STEPS, out);
		return;
	}
	texture_enter_level(t, t->first_read, &level);
	detail = texture_level_of_detail(t, r, &level);
	if (!t->level_linear)
		detail =
			(detail + TEXTURE_DETAIL_ONE / 2) / TEXTURE_DETAIL_ONE * TEXTURE_DETAIL_ONE;
	part = detail % TEXTURE_DETAIL_ONE;
	texture_enter_level(t, t->first_read + (uint32_t)detail / TEXTURE_DETAIL_ONE, &level);
	texture_filter_level(&level, memory, r, &p, TEXTURE_STEPS - part, out);
	if (!part)
		return;
	texture_enter_level(t, t->first_read + (uint32_t)detail / TEXTURE_DETAIL_ONE + 1, &level);
	texture_filter_level(&level, memory, r, &p, part, second);
	if (texture_is_linear(t)) {
		TEXTURE_LOOP for (uint32_t c = 0; c < TEXTURE_CHANNELS; c++) out[c] =
			texture_bits(texture_float(out[c]) + texture_float(second[c]));
		return;
	}
	weight = (float)part * (1.0f / TEXTURE_DETAIL_ONE);
	TEXTURE_LOOP for (uint32_t c = 0; c < TEXTURE_CHANNELS; c++) out[c] = texture_bits(
		(1.0f - weight) * texture_float(out[c]) + weight * texture_float(second[c]));
}

TEXTURE_FUNCTION uint32_t texture_limit(uint32_t c, uint32_t size)
{
	return (int32_t)c < 0 ? 0 : c < size ? c : size - 1;
}

/* Integer coordinates: no filter, no address modes. */
TEXTURE_FUNCTION void texture_fetch(const struct texture *t, void *memory,
				    const struct texture_request *r, uint32_t *out)
{
	bool layers = r->geometry == TEXTURE_1D_LAYERS || r->geometry == TEXTURE_2D_LAYERS;
	bool flat = r->geometry == TEXTURE_1D || r->geometry == TEXTURE_1D_LAYERS;
	uint32_t chosen = r->detail == TEXTURE_LEVEL ? (uint32_t)r->level : 0;
	uint32_t last = t->last_read - t->first_read;
	const uint32_t *c = r->coordinates;
	struct texture level;
	uint32_t x, y, z;

	texture_enter_level(t, t->first_read + (chosen < last ? chosen : last), &level);
	z = layers ? (uint32_t)texture_layer(t, *c++, 1) : 0;
	x = c[0] + (uint32_t)texture_shift(r, 0, 4, 4);
	y = flat ? 0 : c[1] + (uint32_t)texture_shift(r, 1, 4, 4);
	if (r->geometry == TEXTURE_3D)
		z = c[2] + (uint32_t)texture_shift(r, 2, 4, 4);
	if (r->detail == TEXTURE_LEVEL) {
		x = texture_limit(x, level.width);
		y = texture_limit(y, level.height);
		z = texture_limit(z, level.depth);
	}
	if (chosen <= last && x < level.width && y < level.height && z < level.depth) {
		texture_texel(&level, memory, (int32_t)x, (int32_t)y, (int32_t)z, out);
		return;
	}
	TEXTURE_LOOP for (uint32_t k = 0; k < TEXTURE_CHANNELS; k++) out[k] =
		k < t->channels ? 0 : texture_missing(t, k);
	texture_swizzle(t, out);
}

/* Counter-clockwise from the lower left: PTX ISA, tld4. Gathers read the level of a base read. */
TEXTURE_FUNCTION void texture_four(const struct texture *t, void *memory,
				   const struct texture_request *r, uint32_t channel, uint32_t *out)
{
	struct texture_point p = texture_point(t, r->geometry, r->coordinates);
	uint32_t texel[TEXTURE_CHANNELS];
	struct texture_tap x, y;
	struct texture level;

	texture_enter_level(t, t->first_read, &level);
	x = texture_tap(t, 0, p.at[0], (int32_t)level.width, true, texture_shift(r, 0, 6, 8));
	y = texture_tap(t, 1, p.at[1], (int32_t)level.height, true, texture_shift(r, 1, 6, 8));
	TEXTURE_LOOP for (uint32_t k = 0; k < 4; k++)
	{
		texture_or_border(&level, memory, r, k == 1 || k == 2 ? x.second : x.first,
				  k < 2 ? y.second : y.first, p.layer, texel);
		out[k] = texel[channel];
	}
}

/* What txq and suq give: of the level, from the first that is read on, also where there is none. */
TEXTURE_FUNCTION uint32_t texture_size(const struct texture *t, uint32_t query, uint32_t level)
{
	struct texture one;

	if (query == TEXTURE_LEVELS)
		return 1u + t->last_read - t->first_read;
	if (level > (uint32_t)t->last_read - t->first_read)
		return 0;
	texture_enter_level(t, t->first_read + level, &one);
	return query == TEXTURE_WIDTH    ? one.width
	       : query == TEXTURE_HEIGHT ? one.height
					 : one.depth;
}

#endif
