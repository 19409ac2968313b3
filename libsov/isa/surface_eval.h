/* SPDX-License-Identifier: MIT */
/*
 * Surfaces: where they are accessed, and what their texels become, on the host and as device code
 * (texture_eval.h).
 *
 * As on an H200, channels are rounded to halves toward zero, fractions are multiplied in f32, then
 * rounded to nearest even, and channels of 8, 16 and 32 bits that a store does not give become 0.
 * Decided here, and not compared with a chip: they are limited to the format's range, and NaN is 0
 * except in floats.
 */
#ifndef SOV_ISA_SURFACE_EVAL_H
#define SOV_ISA_SURFACE_EVAL_H

#include "libsov/isa/texture_eval.h"

/* Where a surface is accessed. x counts bytes, and accesses are aligned to their size. */
TEXTURE_FUNCTION uint32_t texture_find_in(const struct texture *t, uint32_t geometry,
					  uint32_t range, const uint32_t *c, uint32_t count,
					  uint64_t *address)
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

/* Of several levels, the first that is read is the surface. */
TEXTURE_FUNCTION uint32_t texture_find(const struct texture *t, uint32_t geometry, uint32_t range,
				       const uint32_t *c, uint32_t count, uint64_t *address)
{
	struct texture level;

	if (!t->first_read)
		return texture_find_in(t, geometry, range, c, count, address);
	texture_enter_level(t, t->first_read, &level);
	return texture_find_in(&level, geometry, range, c, count, address);
}

/* Toward zero. */
TEXTURE_FUNCTION uint32_t texture_to_half(uint32_t bits)
{
	uint32_t sign = bits >> 16 & 0x8000;
	int32_t exponent = (int32_t)(bits >> 23 & 255) - 112;
	uint32_t fraction = bits & 0x7fffff;

	if (exponent == 255 - 112)
		return sign | 0x7c00 | (fraction ? 0x200 | fraction >> 13 : 0);
	if (exponent >= 31)
		return sign | 0x7bff;
	if (exponent > 0)
		return sign | (uint32_t)exponent << 10 | fraction >> 13;
	if (exponent < -10)
		return sign;
	return sign | (fraction | 0x800000) >> (14 - exponent); /* subnormal */
}

/* v / 2^bits to the nearest integer, of two the even one. */
TEXTURE_FUNCTION uint64_t texture_round(uint64_t v, uint32_t bits)
{
	uint64_t half = bits ? (uint64_t)1 << (bits - 1) : 0, rest = v & ((half << 1) - 1);
	uint64_t whole = v >> bits;

	return bits ? whole + (rest > half || (rest == half && whole & 1)) : v;
}

/* v * max, where v is not negative, in f32, as the nearest integer; NaN gives 0, and 1 is the
 * most. */
TEXTURE_FUNCTION uint32_t texture_to_norm(uint32_t v, uint32_t max)
{
	uint32_t shift = 150 - (v >> 23), extra = 0;
	uint64_t product;

	if (v > 0x7f800000 || shift > 62)
		return v < 0x3f800000 || v > 0x7f800000 ? 0 : max;
	if (v >= 0x3f800000)
		return max;
	product = (uint64_t)((v & 0x7fffff) | 0x800000) * max;
	while (product >> extra >= 1u << 24)
		extra++;
	return (uint32_t)texture_round(texture_round(product, extra) << extra, shift);
}

/* A channel, f32 or an integer as tex returns it, in the format of the texels. */
TEXTURE_FUNCTION uint32_t texture_encode(const struct texture *t, uint32_t word)
{
	uint32_t max = 0xffffffffu >> (32 - t->channel_bits);
	int32_t limit = (int32_t)(max >> 1), value = (int32_t)word;

	switch (t->type) {
	case TEXTURE_SINT:
		if (value > limit)
			value = limit;
		return (uint32_t)(value < -limit - 1 ? -limit - 1 : value) & max;
	case TEXTURE_FLOAT:
		return t->channel_bits == 16 ? texture_to_half(word) : word;
	case TEXTURE_UNORM:
		return word >> 31 ? 0 : texture_to_norm(word, max);
	case TEXTURE_SNORM:
		value = (int32_t)texture_to_norm(word & 0x7fffffff, (uint32_t)limit);
		return (uint32_t)(word >> 31 ? -value : value) & max;
	default:
		return word < max ? word : max;
	}
}

/* A float without sign, of 5 bits of exponent: to nearest even; too large ones become the largest
 * finite one, negative ones 0. */
TEXTURE_FUNCTION uint32_t texture_to_small(uint32_t bits, uint32_t mantissa)
{
	uint32_t fraction = bits & 0x7fffff, shift = 23 - mantissa, value, rest;
	int32_t exponent = (int32_t)(bits >> 23 & 255) - 112;
	uint32_t infinity = 31u << mantissa;

	if (exponent == 255 - 112 && fraction)
		return infinity | 1u << (mantissa - 1);
	if (bits >> 31 || exponent < -10)
		return 0;
	if (exponent == 255 - 112)
		return infinity;
	if (exponent >= 31)
		return infinity - 1;
	if (exponent <= 0) { /* subnormal */
		fraction |= 0x800000;
		shift += (uint32_t)(1 - exponent);
		exponent = 0;
	}
	value = ((uint32_t)exponent << mantissa) + (fraction >> shift);
	rest = fraction & ((1u << shift) - 1);
	if (rest > 1u << (shift - 1) || (rest == 1u << (shift - 1) && value & 1))
		value++;
	return value < infinity ? value : infinity - 1;
}

/* Puts a channel in its place of a word. */
TEXTURE_CALLED uint32_t texture_insert(const struct texture *t, uint32_t word, uint32_t channel,
				       uint32_t value)
{
	uint32_t at = channel * (t->packed == TEXTURE_11_11_10 ? 11 : 10), max;

	if (t->packed == TEXTURE_11_11_10) {
		if (channel == 3)
			return word;
		max = channel < 2 ? 0x7ff : 0x3ff;
		value = texture_to_small(value, channel < 2 ? 6 : 5);
	} else {
		max = channel < 3 ? 1023 : 3;
		if (t->type == TEXTURE_UNORM)
			value = value >> 31 ? 0 : texture_to_norm(value, max);
		value = value < max ? value : max;
	}
	return (word & ~(max << at)) | value << at;
}

/* Where a texel of a surface is; x counts texels. */
TEXTURE_FUNCTION uint32_t texture_find_texel(const struct texture *t, uint32_t geometry,
					     uint32_t range, const uint32_t *c, uint64_t *address)
{
	uint32_t texel = t->channel_bits / 8u * t->channels, at[3];
	uint32_t x = geometry == TEXTURE_1D_LAYERS || geometry == TEXTURE_2D_LAYERS;

	TEXTURE_LOOP for (uint32_t k = 0; k < 3; k++) at[k] = c[k];
	at[x] = (int32_t)c[x] < 0 ? 0u - texel : (c[x] < t->width ? c[x] : t->width) * texel;
	return texture_find(t, geometry, range, at, texel, address);
}

/* Stores channels of a texel. */
TEXTURE_FUNCTION uint32_t texture_put(const struct texture *t, void *memory, uint32_t geometry,
				      uint32_t range, const uint32_t *c, const uint32_t *words,
				      uint32_t count)
{
	uint32_t bytes = t->channel_bits / 8u, place;
	uint64_t address = 0;

	place = texture_find_texel(t, geometry, range, c, &address);
	if (place != TEXTURE_INSIDE)
		return place;
	if (t->packed) {
		uint32_t word = texture_read(memory, address, 4);

		TEXTURE_LOOP for (uint32_t k = 0; k < count; k++) word =
			texture_insert(t, word, k, words[k]);
		texture_write(memory, address, word, 4);
		return place;
	}
	TEXTURE_LOOP for (uint32_t k = 0; k < TEXTURE_CHANNELS; k++) if (k < t->channels)
		texture_write(memory, address + k * bytes,
			      k < count ? texture_encode(t, words[k]) : 0, bytes);
	return place;
}

/* sured.p: one channel that is an integer of 32 bits. */
TEXTURE_FUNCTION bool texture_reduces(const struct texture *t)
{
	return t->channels == 1 && t->channel_bits == 32 &&
	       (t->type == TEXTURE_UINT || t->type == TEXTURE_SINT);
}

#endif
