// SPDX-License-Identifier: MIT
/* Formats of storage images, and the channels of a texel that was read as it lies in memory. */
#include "libsov/compiler/spirv/image.h"
#include "libsov/isa/texture.h"

/* By number: "Image Format" of the SPIR-V specification. Those that no texture has are not here. */
static const struct spirv_image_format formats[] = {
	{1, 4, 32, TEXTURE_FLOAT, 0},
	{2, 4, 16, TEXTURE_FLOAT, 0},
	{3, 1, 32, TEXTURE_FLOAT, 0},
	{4, 4, 8, TEXTURE_UNORM, 0},
	{5, 4, 8, TEXTURE_SNORM, 0},
	{6, 2, 32, TEXTURE_FLOAT, 0},
	{7, 2, 16, TEXTURE_FLOAT, 0},
	{9, 1, 16, TEXTURE_FLOAT, 0},
	{10, 4, 16, TEXTURE_UNORM, 0},
	{12, 2, 16, TEXTURE_UNORM, 0},
	{13, 2, 8, TEXTURE_UNORM, 0},
	{14, 1, 16, TEXTURE_UNORM, 0},
	{15, 1, 8, TEXTURE_UNORM, 0},
	{16, 4, 16, TEXTURE_SNORM, 0},
	{17, 2, 16, TEXTURE_SNORM, 0},
	{18, 2, 8, TEXTURE_SNORM, 0},
	{19, 1, 16, TEXTURE_SNORM, 0},
	{20, 1, 8, TEXTURE_SNORM, 0},
	{21, 4, 32, TEXTURE_SINT, 0},
	{22, 4, 16, TEXTURE_SINT, 0},
	{23, 4, 8, TEXTURE_SINT, 0},
	{24, 1, 32, TEXTURE_SINT, 0},
	{25, 2, 32, TEXTURE_SINT, 0},
	{26, 2, 16, TEXTURE_SINT, 0},
	{27, 2, 8, TEXTURE_SINT, 0},
	{28, 1, 16, TEXTURE_SINT, 0},
	{29, 1, 8, TEXTURE_SINT, 0},
	{30, 4, 32, TEXTURE_UINT, 0},
	{31, 4, 16, TEXTURE_UINT, 0},
	{32, 4, 8, TEXTURE_UINT, 0},
	{33, 1, 32, TEXTURE_UINT, 0},
	{35, 2, 32, TEXTURE_UINT, 0},
	{36, 2, 16, TEXTURE_UINT, 0},
	{37, 2, 8, TEXTURE_UINT, 0},
	{38, 1, 16, TEXTURE_UINT, 0},
	{39, 1, 8, TEXTURE_UINT, 0},
	{8, 4, 8, TEXTURE_FLOAT, TEXTURE_11_11_10},
	{11, 4, 8, TEXTURE_UNORM, TEXTURE_10_10_10_2},
	{34, 4, 8, TEXTURE_UINT, TEXTURE_10_10_10_2},
	{40, 2, 32, TEXTURE_UINT, 0},
	{41, 2, 32, TEXTURE_SINT, 0},
};

const struct spirv_image_format *spirv_image_format_of(uint32_t number)
{
	for (uint32_t k = 0; k < sizeof(formats) / sizeof(formats[0]); k++)
		if (formats[k].number == number)
			return &formats[k];
	return NULL;
}

/* An integer divided by max and rounded to nearest: a product with the reciprocal, corrected by its
 * remainder. */
static ir_val divide(struct spirv *s, ir_val v, double max)
{
	ir_val inverse = spirv_float_const(s, IR_B32, 1 / max), q, rest;

	q = spirv_float_op(s, IR_FMUL, IR_B32, v, inverse, 0);
	rest = spirv_float_op(s, IR_FMA, IR_B32, q, spirv_float_const(s, IR_B32, -max), v);
	return spirv_float_op(s, IR_FMA, IR_B32, rest, inverse, q);
}

static ir_val to_float(struct spirv *s, enum ir_op op, ir_val word)
{
	ir_id i = spirv_emit(s, op, IR_B32, 1, 1, &word);

	ir_at(s->f, i)->from = IR_B32;
	return ir_at(s->f, i)->res;
}

static ir_val shifted(struct spirv *s, enum ir_op op, ir_val word, uint32_t by)
{
	return by ? spirv_op(s, op, IR_B32, word, spirv_const(s, IR_B32, by), 0) : word;
}

/* The channel in bits from at on of a word, as a word. */
static ir_val channel(struct spirv *s, const struct spirv_image_format *f, ir_val word, uint32_t at)
{
	bool is_signed = f->type == TEXTURE_SINT || f->type == TEXTURE_SNORM;
	double max = (double)(UINT32_MAX >> (32 - f->bits + is_signed));
	ir_val v = word;

	if (f->bits < 32) {
		v = shifted(s, IR_SHL, v, 32 - at - f->bits);
		v = shifted(s, is_signed ? IR_SHR_S : IR_SHR_U, v, 32 - f->bits);
	}
	switch (f->type) {
	case TEXTURE_FLOAT:
		return f->bits == 32 ? v
				     : spirv_convert(s, IR_FTOF, IR_B16, IR_B32,
						     spirv_convert(s, IR_TRUNC, IR_B32, IR_B16, v));
	case TEXTURE_UNORM:
		return divide(s, to_float(s, IR_UTOF, v), max);
	case TEXTURE_SNORM:
		return spirv_float_op(s, IR_FMAX, IR_B32, divide(s, to_float(s, IR_STOF, v), max),
				      spirv_float_const(s, IR_B32, -1), 0);
	default:
		return v;
	}
}

/* The channels of a word of 11, 11 and 10 bits: halves without sign and last bits. */
static void unpack_small_floats(struct spirv *s, ir_val word, ir_val *channels)
{
	static const struct {
		uint8_t from, bits, shift;
	} rows[] = {{0, 11, 4}, {11, 11, 4}, {22, 10, 5}};

	for (uint32_t k = 0; k < 3; k++) {
		ir_val v = shifted(s, IR_SHL, word, 32u - rows[k].from - rows[k].bits);

		v = shifted(s, IR_SHL, shifted(s, IR_SHR_U, v, 32u - rows[k].bits), rows[k].shift);
		v = spirv_convert(s, IR_TRUNC, IR_B32, IR_B16, v);
		channels[k] = spirv_convert(s, IR_FTOF, IR_B16, IR_B32, v);
	}
	channels[3] = spirv_float_const(s, IR_B32, 1);
}

void spirv_image_unpack(struct spirv *s, const struct spirv_image_format *f, const ir_val *words,
			ir_val *channels)
{
	bool integer = f->type == TEXTURE_UINT || f->type == TEXTURE_SINT;

	if (f->packed == TEXTURE_11_11_10) {
		unpack_small_floats(s, words[0], channels);
		return;
	}
	for (uint32_t k = 0; f->packed && k < TEXTURE_CHANNELS; k++) {
		struct spirv_image_format one = {.bits = k < 3 ? 10 : 2, .type = f->type};

		channels[k] = channel(s, &one, words[0], 10 * k);
	}
	if (f->packed)
		return;
	for (uint32_t k = 0; k < TEXTURE_CHANNELS; k++) {
		uint32_t at = k * f->bits;

		if (k < f->channels)
			channels[k] = channel(s, f, words[at / 32], at % 32);
		else
			channels[k] = k < 3     ? spirv_const(s, IR_B32, 0)
				      : integer ? spirv_const(s, IR_B32, 1)
						: spirv_float_const(s, IR_B32, 1);
	}
}
