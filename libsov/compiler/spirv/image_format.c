// SPDX-License-Identifier: MIT
/* Formats of storage images, and the channels of a texel that was read as it lies in memory. */
#include "libsov/compiler/spirv/image.h"
#include "libsov/isa/texture.h"

/* By number: "Image Format" of the SPIR-V specification. Those that no texture has are not here. */
static const struct spirv_image_format formats[] = {
	{1, 4, 32, TEXTURE_FLOAT},  {2, 4, 16, TEXTURE_FLOAT},  {3, 1, 32, TEXTURE_FLOAT},
	{4, 4, 8, TEXTURE_UNORM},   {5, 4, 8, TEXTURE_SNORM},   {6, 2, 32, TEXTURE_FLOAT},
	{7, 2, 16, TEXTURE_FLOAT},  {9, 1, 16, TEXTURE_FLOAT},  {10, 4, 16, TEXTURE_UNORM},
	{12, 2, 16, TEXTURE_UNORM}, {13, 2, 8, TEXTURE_UNORM},  {14, 1, 16, TEXTURE_UNORM},
	{15, 1, 8, TEXTURE_UNORM},  {16, 4, 16, TEXTURE_SNORM}, {17, 2, 16, TEXTURE_SNORM},
	{18, 2, 8, TEXTURE_SNORM},  {19, 1, 16, TEXTURE_SNORM}, {20, 1, 8, TEXTURE_SNORM},
	{21, 4, 32, TEXTURE_SINT},  {22, 4, 16, TEXTURE_SINT},  {23, 4, 8, TEXTURE_SINT},
	{24, 1, 32, TEXTURE_SINT},  {25, 2, 32, TEXTURE_SINT},  {26, 2, 16, TEXTURE_SINT},
	{27, 2, 8, TEXTURE_SINT},   {28, 1, 16, TEXTURE_SINT},  {29, 1, 8, TEXTURE_SINT},
	{30, 4, 32, TEXTURE_UINT},  {31, 4, 16, TEXTURE_UINT},  {32, 4, 8, TEXTURE_UINT},
	{33, 1, 32, TEXTURE_UINT},  {35, 2, 32, TEXTURE_UINT},  {36, 2, 16, TEXTURE_UINT},
	{37, 2, 8, TEXTURE_UINT},   {38, 1, 16, TEXTURE_UINT},  {39, 1, 8, TEXTURE_UINT},
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

void spirv_image_unpack(struct spirv *s, const struct spirv_image_format *f, const ir_val *words,
			ir_val *channels)
{
	bool integer = f->type == TEXTURE_UINT || f->type == TEXTURE_SINT;

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
