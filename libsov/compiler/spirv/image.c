// SPDX-License-Identifier: MIT
/*
 * Images. An image is a texture's handle, a sampled image that of a texture and that of a sampler;
 * the handle of a texture is that of a sampler, too. Storage images are surfaces: texels are
 * stored in the view's format, and loaded as they lie in memory and unpacked by the shader, which
 * knows the format. Atomics access the texel's memory, whose place is computed from the
 * descriptor. A cube as storage image is the layers of its faces. There are no derivatives, so the
 * level of an implicit one is the bias. With robust access a null handle reads 0 and stores
 * nothing. The samples of an image are layers: sample s of layer k is layer k * samples + s, and
 * the handle's upper bits say how many samples there are.
 */
#include <stddef.h>
#include "libsov/compiler/spirv/image.h"
#include "libsov/isa/texture.h"

enum { DIM_1D, DIM_2D, DIM_3D, DIM_CUBE, DIM_RECT, DIM_BUFFER };

#define MAX_ARGUMENTS (2 + 4 + 2 * 3 + 2)
#define MAX_LAYER     0xffffu     /* NVIDIA's chips read 16 bits */
#define MAX_X         0x07ffffffu /* beyond every texture; times 16 it is a word */

/* What follows an instruction's mask, by the mask's bits. */
struct operands {
	uint32_t bias, level, gradient[2], offset, offsets, sample; /* ids; 0: none */
	bool coherent; /* MakeTexelAvailable, MakeTexelVisible, VolatileTexel */
};

static const struct spirv_type *image_type(struct spirv *s, const struct spirv_type *t)
{
	if (t->kind == SPIRV_SAMPLED_IMAGE)
		t = t->element;
	if (t->kind != SPIRV_IMAGE)
		spirv_fail(s, "%s is no image", spirv_id_name(s, t->id));
	if (t->multisampled && t->dim != DIM_2D)
		spirv_fail(s, "images with several samples have Dim 2D, not %u", t->dim);
	if (t->dim != DIM_BUFFER && t->dim > DIM_CUBE)
		spirv_fail(s, "images of Dim %u are not supported; known: 1D, 2D, 3D, Cube, Buffer",
			   t->dim);
	return t;
}

static bool is_storage(const struct spirv_type *t)
{
	return t->sampled == 2;
}

static enum texture_geometry geometry_of(const struct spirv_type *t)
{
	static const uint8_t geometries[][2] = {
		[DIM_1D] = {TEXTURE_1D, TEXTURE_1D_LAYERS},
		[DIM_2D] = {TEXTURE_2D, TEXTURE_2D_LAYERS},
		[DIM_3D] = {TEXTURE_3D, TEXTURE_3D},
		[DIM_CUBE] = {TEXTURE_CUBE, TEXTURE_CUBE_LAYERS},
		[DIM_BUFFER] = {TEXTURE_1D, TEXTURE_1D},
	};

	if (t->multisampled || (t->dim == DIM_CUBE && is_storage(t)))
		return TEXTURE_2D_LAYERS;
	return geometries[t->dim][t->arrayed];
}

static void read_operands(struct spirv *s, uint32_t k, struct operands *o)
{
	static const struct {
		uint32_t bit, words;
		const char *name; /* not supported */
		size_t at;
	} rows[] = {
		{0x1, 1, NULL, offsetof(struct operands, bias)},
		{0x2, 1, NULL, offsetof(struct operands, level)},
		{0x4, 2, NULL, offsetof(struct operands, gradient)},
		{0x8, 1, NULL, offsetof(struct operands, offset)},
		{0x10, 1, NULL, offsetof(struct operands, offset)},
		{0x20, 1, NULL, offsetof(struct operands, offsets)},
		{0x40, 1, NULL, offsetof(struct operands, sample)},
		{0x80, 1, "MinLod", 0},
		{0x10000, 1, "Offsets", 0},
	};
	uint32_t mask = spirv_optional(s, k++, 0);

	*o = (struct operands){.coherent = mask & 0xb00};
	for (uint32_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		uint32_t *ids = (uint32_t *)((char *)o + rows[r].at);

		if (!(mask & rows[r].bit))
			continue;
		if (rows[r].name)
			spirv_fail(s, "the image operand %s is not supported", rows[r].name);
		for (uint32_t w = 0; w < rows[r].words; w++)
			ids[w] = spirv_word(s, k++);
	}
}

static ir_val half(struct spirv *s, ir_val pair, bool high)
{
	if (high)
		pair = spirv_op(s, IR_SHR_U, IR_B64, pair, spirv_const(s, IR_B32, 32), 0);
	return spirv_resize(s, pair, IR_B32, false);
}

static ir_val word_op(struct spirv *s, enum ir_op op, ir_val a, uint32_t b)
{
	return spirv_op(s, op, IR_B32, a, spirv_const(s, IR_B32, b), 0);
}

/* ---- null descriptors ---- */

struct guard {
	ir_block after; /* 0: none */
	uint32_t results, registers[TEXTURE_CHANNELS];
};

/* Opens a block that runs if the handle is not null; otherwise the results are 0. */
static void guard_open(struct spirv *s, struct guard *g, ir_val handle, uint32_t results)
{
	ir_block inside;
	ir_val good;

	*g = (struct guard){.results = results};
	if (!s->options->robust)
		return;
	for (uint32_t k = 0; k < results; k++) {
		g->registers[k] = spirv_reg_new(s, IR_B32);
		spirv_write_reg(s, g->registers[k], spirv_const(s, IR_B32, 0));
	}
	good = spirv_compare(s, IR_ICMP, IR_B64, IR_NE, handle, spirv_const(s, IR_B64, 0));
	inside = spirv_block_new(s);
	g->after = spirv_block_new(s);
	spirv_branch(s, good, inside, g->after);
	s->block = inside;
}

static void guard_close(struct spirv *s, const struct guard *g, ir_val *results)
{
	if (!g->after)
		return;
	for (uint32_t k = 0; k < g->results; k++)
		spirv_write_reg(s, g->registers[k], results[k]);
	spirv_jump(s, g->after);
	s->block = g->after;
	for (uint32_t k = 0; k < g->results; k++)
		results[k] = spirv_read_reg(s, g->registers[k], IR_B32);
}

/* ---- operands and results ---- */

/* A scalar as a texture instruction takes or gives it. */
static ir_val to_word(struct spirv *s, const struct spirv_type *t, ir_val v)
{
	const struct spirv_type *e = spirv_scalar(t);

	if (e->kind == SPIRV_FLOAT && e->ir <= IR_B32)
		return spirv_convert(s, IR_FTOF, e->ir, IR_B32, v);
	if (e->kind != SPIRV_INT)
		spirv_fail(s, "an operand of an image must be a number of at most 32 bits, or an "
			      "integer");
	return spirv_resize(s, v, IR_B32, e->is_signed);
}

static ir_val from_word(struct spirv *s, const struct spirv_type *t, ir_val word)
{
	const struct spirv_type *e = spirv_scalar(t);

	if (e->kind == SPIRV_FLOAT && e->ir <= IR_B32)
		return spirv_convert(s, IR_FTOF, IR_B32, e->ir, word);
	if (e->kind != SPIRV_INT || e->ir > IR_B32)
		spirv_fail(s, "texels of this type are not supported; known: numbers of at most "
			      "32 bits");
	return spirv_resize(s, word, e->ir, e->is_signed);
}

/* The components of an operand as words; at most four. */
static uint32_t read_words(struct spirv *s, uint32_t id, bool is_float, ir_val *words)
{
	const struct spirv_type *t = spirv_value_type(s, id);
	const ir_val *leaves;

	if (t->leaves > 4 || !t->leaves || (t->kind != SPIRV_VECTOR && t->leaves > 1) ||
	    (is_float ? !spirv_is_float(t) : !spirv_is_int(t)))
		spirv_fail(s, "%s must be %s or a vector of them", spirv_id_name(s, id),
			   is_float ? "a float" : "an integer");
	leaves = spirv_leaves(s, id);
	for (uint32_t k = 0; k < t->leaves; k++)
		words[k] = to_word(s, t, leaves[k]);
	return t->leaves;
}

static ir_val read_word(struct spirv *s, uint32_t id, bool is_float)
{
	ir_val words[4];

	if (read_words(s, id, is_float, words) != 1)
		spirv_fail(s, "%s must be a scalar", spirv_id_name(s, id));
	return words[0];
}

/* The layer, rounded to nearest even, as texture instructions take it. */
static ir_val layer_word(struct spirv *s, ir_val v, bool is_float, bool surface)
{
	if (is_float) {
		ir_id i = spirv_emit(s, IR_FTOU, IR_B32, 1, 1, &v);

		ir_at(s->f, i)->from = IR_B32;
		ir_at(s->f, i)->round = IR_RN;
		v = ir_at(s->f, i)->res;
	} else if (!surface) {
		v = spirv_op(s, IR_MAX_S, IR_B32, v, spirv_const(s, IR_B32, 0), 0);
	}
	if (surface)
		return v;
	return spirv_op(s, IR_MIN_U, IR_B32, v, spirv_const(s, IR_B32, MAX_LAYER), 0);
}

/* Appends coordinates, the layer first. extra: components behind them that are not used here. */
static uint32_t add_coordinates(struct spirv *s, enum texture_geometry g, const ir_val *c,
				bool is_float, bool surface, ir_val *args)
{
	uint32_t count = texture_coordinates(g), n = 0;
	bool layers = texture_has_layers(g);

	if (layers)
		args[n++] = layer_word(s, c[count - 1], is_float, surface);
	for (uint32_t k = 0; k < count - layers; k++)
		args[n++] = c[k];
	return n;
}

static void read_coordinates(struct spirv *s, uint32_t id, enum texture_geometry g, bool is_float,
			     uint32_t extra, ir_val *words)
{
	uint32_t need = texture_coordinates(g) + extra;

	if (read_words(s, id, is_float, words) < need)
		spirv_fail(s, "%s has fewer than %u components", spirv_id_name(s, id), need);
}

/* ---- samples ---- */

/* The handle of an image without the number of its samples. */
static ir_val plain_handle(struct spirv *s, const struct spirv_type *t, ir_val handle)
{
	uint64_t mask = (UINT64_C(1) << SPIRV_SAMPLES_SHIFT) - 1;

	if (!t->multisampled)
		return handle;
	return spirv_op(s, IR_AND, IR_B64, handle, spirv_const(s, IR_B64, mask), 0);
}

static ir_val log2_samples(struct spirv *s, ir_val handle)
{
	ir_val shift = spirv_const(s, IR_B32, SPIRV_SAMPLES_SHIFT);

	return spirv_resize(s, spirv_op(s, IR_SHR_U, IR_B64, handle, shift, 0), IR_B32, false);
}

static void refuse_samples(struct spirv *s, const struct spirv_type *t)
{
	if (t->multisampled)
		spirv_fail(s, "an image with several samples is read by OpImageFetch alone");
}

/* Integer coordinates of a texel; those of an image with several samples end with the layer. */
static void read_place(struct spirv *s, const struct spirv_type *t, ir_val handle, uint32_t id,
		       uint32_t sample, ir_val *words)
{
	ir_val first;

	if (!t->multisampled != !sample)
		spirv_fail(s, "%s the operand Sample",
			   sample ? "this image has not" : "an image with several samples needs");
	if (!t->multisampled) {
		read_coordinates(s, id, geometry_of(t), false, 0, words);
		return;
	}
	if (read_words(s, id, false, words) < 2u + t->arrayed)
		spirv_fail(s, "%s has fewer than %u components", spirv_id_name(s, id),
			   2u + t->arrayed);
	first = t->arrayed ? spirv_op(s, IR_SHL, IR_B32, words[2], log2_samples(s, handle), 0)
			   : spirv_const(s, IR_B32, 0);
	words[2] = spirv_op(s, IR_ADD, IR_B32, first, read_word(s, sample, false), 0);
}

/* ---- storage images ---- */

static ir_id emit_surface(struct spirv *s, enum ir_op op, enum ir_type type, uint32_t nres,
			  uint32_t nargs, const ir_val *args, enum texture_geometry g,
			  bool coherent)
{
	ir_id i = spirv_emit(s, op, type, nres, nargs, args);

	if (coherent)
		ir_at(s->f, i)->flags |= IR_VOLATILE;
	ir_at(s->f, i)->geometry = (uint8_t)g;
	ir_at(s->f, i)->range = TEXTURE_ZERO;
	return i;
}

static const struct spirv_type *storage_image(struct spirv *s, uint32_t id)
{
	const struct spirv_type *t = image_type(s, spirv_value_type(s, id));

	if (!is_storage(t))
		spirv_fail(s, "%s is no storage image", spirv_id_name(s, id));
	return t;
}

static void load_texel(struct spirv *s, const struct spirv_image_format *f, enum texture_geometry g,
		       ir_val handle, const ir_val *coordinates, bool coherent, ir_val *channels)
{
	uint32_t bytes = f->channels * f->bits / 8u, count = bytes > 4 ? bytes / 4 : 1, n;
	enum ir_type type = bytes == 1 ? IR_B8 : bytes == 2 ? IR_B16 : IR_B32;
	uint32_t x = texture_has_layers(g);
	ir_val args[MAX_ARGUMENTS] = {handle}, words[TEXTURE_CHANNELS];
	ir_id i;

	n = 1 + add_coordinates(s, g, coordinates, false, true, args + 1);
	args[1 + x] = spirv_op(s, IR_MIN_U, IR_B32, args[1 + x], spirv_const(s, IR_B32, MAX_X), 0);
	args[1 + x] = spirv_op(s, IR_MUL, IR_B32, args[1 + x], spirv_const(s, IR_B32, bytes), 0);
	i = emit_surface(s, IR_SURFLOAD, type, count, n, args, g, coherent);
	for (uint32_t k = 0; k < count; k++)
		words[k] = spirv_resize(s, ir_at(s->f, i)->res + k, IR_B32, false);
	spirv_image_unpack(s, f, words, channels);
}

/* Without a format the texture unit unpacks the texel: a storage image is a texture, too. Layers
 * beyond the last one are the last one's. */
static void fetch_texel(struct spirv *s, enum texture_geometry g, ir_val handle,
			const ir_val *coordinates, ir_val *channels)
{
	ir_val args[MAX_ARGUMENTS] = {handle};
	uint32_t n = 1 + add_coordinates(s, g, coordinates, false, false, args + 1);
	ir_id i = spirv_emit(s, IR_SAMPLE, IR_B32, TEXTURE_CHANNELS, n, args);

	ir_at(s->f, i)->sub = IR_SAMPLE_TEXEL;
	ir_at(s->f, i)->geometry = (uint8_t)g;
	for (uint32_t k = 0; k < TEXTURE_CHANNELS; k++)
		channels[k] = ir_at(s->f, i)->res + k;
}

static bool is_wide(const struct spirv_type *t)
{
	const struct spirv_type *e = spirv_scalar(t);

	return e->kind == SPIRV_INT && e->ir == IR_B64;
}

/* Channels of a texel of 64 bits, which lies in two words. */
static ir_val wide_channel(struct spirv *s, uint32_t k, const ir_val *words)
{
	if (k)
		return spirv_const(s, IR_B64, k == 3);
	return spirv_op(s, IR_PACK, IR_B64, words[0], words[1], 0);
}

static void set_texel(struct spirv *s, const struct spirv_type *t, const ir_val *channels)
{
	ir_val values[TEXTURE_CHANNELS], *out;

	if (t->leaves > TEXTURE_CHANNELS || (t->kind != SPIRV_VECTOR && t->leaves != 1))
		spirv_fail(s, "a texel has one to four components");
	for (uint32_t k = 0; k < t->leaves; k++)
		values[k] =
			is_wide(t) ? wide_channel(s, k, channels) : from_word(s, t, channels[k]);
	out = spirv_result(s, t);
	for (uint32_t k = 0; k < t->leaves; k++)
		out[k] = values[k];
}

void spirv_lower_image_read(struct spirv *s, uint32_t detail)
{
	const struct spirv_type *result = spirv_result_type(s);
	const struct spirv_type *t = storage_image(s, spirv_word(s, 3));
	const struct spirv_image_format *f = spirv_image_format_of(t->format);
	ir_val handle = spirv_leaves(s, spirv_word(s, 3))[0], c[4], channels[TEXTURE_CHANNELS];
	struct operands o;
	struct guard g;

	(void)detail;
	if (t->format && !f)
		spirv_fail(s, "loads from storage images of format %u are not supported",
			   t->format);
	read_operands(s, 5, &o);
	read_place(s, t, handle, spirv_word(s, 4), o.sample, c);
	handle = plain_handle(s, t, handle);
	o.coherent |= spirv_value_of(s, spirv_word(s, 3))->coherent;
	if (!f && o.coherent)
		spirv_fail(s, "loads from coherent storage images without a format are not "
			      "supported");
	guard_open(s, &g, handle, TEXTURE_CHANNELS);
	if (f)
		load_texel(s, f, geometry_of(t), handle, c, o.coherent, channels);
	else
		fetch_texel(s, geometry_of(t), handle, c, channels);
	guard_close(s, &g, channels);
	set_texel(s, result, channels);
}

void spirv_lower_image_write(struct spirv *s, uint32_t detail)
{
	const struct spirv_type *t = storage_image(s, spirv_word(s, 1));
	uint32_t texel = spirv_word(s, 3), n, count;
	ir_val args[MAX_ARGUMENTS], c[4], handle = spirv_leaves(s, spirv_word(s, 1))[0];
	struct operands o;
	struct guard g;
	ir_id i;

	(void)detail;
	if (t->format && !spirv_image_format_of(t->format))
		spirv_fail(s, "storage images of format %u are not supported", t->format);
	read_operands(s, 4, &o);
	read_place(s, t, handle, spirv_word(s, 2), o.sample, c);
	args[0] = plain_handle(s, t, handle);
	n = 1 + add_coordinates(s, geometry_of(t), c, false, true, args + 1);
	if (is_wide(spirv_value_type(s, texel))) {
		ir_val wide = spirv_leaves(s, texel)[0];

		args[n] = half(s, wide, false);
		args[n + 1] = half(s, wide, true);
		count = 2;
	} else {
		count = read_words(s, texel, spirv_is_float(spirv_value_type(s, texel)), args + n);
	}
	while (count < TEXTURE_CHANNELS)
		args[n + count++] = spirv_const(s, IR_B32, 0);
	guard_open(s, &g, args[0], 0);
	o.coherent |= spirv_value_of(s, spirv_word(s, 1))->coherent;
	i = emit_surface(s, IR_SURFSTORE, IR_B32, 0, n + count, args, geometry_of(t), o.coherent);
	ir_at(s->f, i)->flags |= IR_FORMATTED;
	guard_close(s, &g, NULL);
}

/* ---- pointers to texels ---- */

static ir_val wide_product(struct spirv *s, ir_val a, ir_val b)
{
	return spirv_op(s, IR_MUL, IR_B64, spirv_resize(s, a, IR_B64, false),
			spirv_resize(s, b, IR_B64, false), 0);
}

/* Within a block: texture_where(). */
static ir_val gob_offset(struct spirv *s, ir_val x, ir_val y, ir_val row)
{
	static const struct {
		bool of_y;
		uint8_t mask, from, to; /* shifts */
	} fields[] = {{false, 15, 0, 0},
		      {true, 3, 0, 4},
		      {false, 1, 4, 6},
		      {true, 1, 2, 7},
		      {false, 1, 5, 8}};
	ir_val sum = word_op(s, IR_MUL, word_op(s, IR_SHR_U, x, 6), TEXTURE_GOB_BYTES), wide;

	for (uint32_t k = 0; k < sizeof(fields) / sizeof(fields[0]); k++) {
		ir_val v = word_op(s, IR_SHR_U, fields[k].of_y ? y : x, fields[k].from);

		v = word_op(s, IR_SHL, word_op(s, IR_AND, v, fields[k].mask), fields[k].to);
		sum = spirv_op(s, IR_ADD, IR_B32, sum, v, 0);
	}
	wide = wide_product(s, word_op(s, IR_AND, y, ~(TEXTURE_GOB_ROWS - 1u)), row);
	return spirv_op(s, IR_ADD, IR_B64, wide, spirv_resize(s, sum, IR_B64, false), 0);
}

static ir_val inside(struct spirv *s, ir_val good, ir_val v, ir_val limit)
{
	ir_val one = spirv_compare(s, IR_ICMP, IR_B32, IR_LT_U, v, limit);

	return good ? spirv_op(s, IR_AND, IR_B1, good, one, 0) : one;
}

/* at: x, y and the slice. Sets base, offset and bytes of the pointer, whose alignment is a texel's
 * size. */
static void place_texel(struct spirv *s, const struct spirv_pointer *image, const ir_val *at,
			struct spirv_pointer *p)
{
	ir_val slice = spirv_descriptor_word(s, image, 2),
	       rows = spirv_descriptor_word(s, image, 3);
	ir_val size = spirv_descriptor_word(s, image, 4),
	       depth = spirv_descriptor_word(s, image, 5);
	ir_val x = word_op(s, IR_MUL, at[0], p->align), row = half(s, rows, false);
	ir_val good, linear, gobs;

	good = inside(s, 0, at[0], half(s, size, false));
	good = inside(s, good, at[1], half(s, size, true));
	good = inside(s, good, at[2], half(s, depth, false));
	p->base = spirv_descriptor_word(s, image, 1);
	p->bytes = spirv_select(s, good, spirv_const(s, IR_B64, UINT64_C(1) << 62),
				spirv_const(s, IR_B64, 0));
	linear = spirv_op(s, IR_ADD, IR_B64, wide_product(s, at[1], row),
			  spirv_resize(s, x, IR_B64, false), 0);
	gobs = gob_offset(s, x, at[1], row);
	good = spirv_compare(s, IR_ICMP, IR_B32, IR_EQ, half(s, rows, true),
			     spirv_const(s, IR_B32, TEXTURE_GOBS));
	p->offset = spirv_op(s, IR_ADD, IR_B64, spirv_select(s, good, gobs, linear),
			     wide_product(s, at[2], slice), 0);
}

void spirv_lower_texel_pointer(struct spirv *s, uint32_t detail)
{
	const struct spirv_type *t = spirv_result_type(s), *it;
	const struct spirv_pointer *image = spirv_pointer_of(s, spirv_word(s, 3));
	struct spirv_pointer p = {.space = IR_GLOBAL, .storage = SPIRV_CLASS_IMAGE};
	uint32_t sample = spirv_word(s, 5);
	const struct spirv_image_format *f;
	ir_val c[4], at[3];
	enum texture_geometry g;

	(void)detail;
	if (t->kind != SPIRV_POINTER || !t->element || image->target != SPIRV_DESCRIPTORS)
		spirv_fail(s, "a pointer to a texel needs a pointer to an image");
	it = image_type(s, image->pointee);
	if (!is_storage(it) || t->element->leaves != 1 ||
	    (t->element->ir != IR_B32 && t->element->ir != IR_B64))
		spirv_fail(s, "atomics on images are for storage images with texels of 32 or 64 "
			      "bits");
	f = spirv_image_format_of(it->format);
	if (it->format && (!f || (uint32_t)f->channels * f->bits != ir_type_bits(t->element->ir)))
		spirv_fail(s, "the format %u of the image has no texels of %u bits", it->format,
			   ir_type_bits(t->element->ir));
	g = geometry_of(it);
	p.align = ir_type_bits(t->element->ir) / 8;
	read_place(s, it, it->multisampled ? spirv_descriptor_word(s, image, 0) : 0,
		   spirv_word(s, 4), it->multisampled ? sample : 0, c);
	at[0] = c[0];
	at[1] = g == TEXTURE_1D || g == TEXTURE_1D_LAYERS ? spirv_const(s, IR_B32, 0) : c[1];
	at[2] = g == TEXTURE_3D || texture_has_layers(g) ? c[texture_coordinates(g) - 1]
							 : spirv_const(s, IR_B32, 0);
	p.pointee = t->element;
	place_texel(s, image, at, &p);
	spirv_set_pointer(s, spirv_word(s, 2), t, &p);
}

/* ---- sampled images ---- */

void spirv_lower_sampled_image(struct spirv *s, uint32_t detail)
{
	const struct spirv_type *t = spirv_result_type(s);
	ir_val image = spirv_leaves(s, spirv_word(s, 3))[0];
	ir_val sampler = spirv_leaves(s, spirv_word(s, 4))[0], *out;

	(void)detail;
	if (t->kind != SPIRV_SAMPLED_IMAGE ||
	    spirv_value_type(s, spirv_word(s, 3))->kind != SPIRV_IMAGE ||
	    spirv_value_type(s, spirv_word(s, 4))->kind != SPIRV_SAMPLER)
		spirv_fail(s, "a sampled image is made of an image and a sampler");
	out = spirv_result(s, t);
	out[0] = image;
	out[1] = sampler;
}

void spirv_lower_image(struct spirv *s, uint32_t detail)
{
	const struct spirv_type *t = spirv_result_type(s);
	ir_val image = spirv_leaves(s, spirv_word(s, 3))[0];

	(void)detail;
	if (t->kind != SPIRV_IMAGE)
		spirv_fail(s, "the result is no image");
	spirv_result(s, t)[0] = image;
}

/* Offsets as struct texture_request has them: fields of 4 bits, or of 6 bits in bytes. */
static ir_val pack_offset(struct spirv *s, const ir_val *words, uint32_t axes, bool gather)
{
	uint32_t bits = gather ? 6 : 4, step = gather ? 8 : 4;
	ir_val sum = 0;

	for (uint32_t k = 0; k < axes; k++) {
		ir_val v = word_op(s, IR_AND, words[k], (1u << bits) - 1);

		v = k ? word_op(s, IR_SHL, v, k * step) : v;
		sum = sum ? spirv_op(s, IR_OR, IR_B32, sum, v, 0) : v;
	}
	return sum;
}

struct request {
	enum ir_op op;
	uint8_t sub; /* enum ir_sample, or a channel */
	enum texture_geometry geometry;
	ir_val args[MAX_ARGUMENTS]; /* handle and coordinates first */
	uint32_t nargs;
	ir_val offset, reference, sampler; /* 0: none */
};

static void add_offset(struct spirv *s, struct request *r, uint32_t id)
{
	uint32_t axes = texture_coordinates(r->geometry) - texture_has_layers(r->geometry);
	ir_val words[4];

	if (!id)
		return;
	if (r->geometry == TEXTURE_CUBE || r->geometry == TEXTURE_CUBE_LAYERS)
		spirv_fail(s, "reads of cubes have no offset");
	if (read_words(s, id, false, words) < axes)
		spirv_fail(s, "%s has fewer than %u components", spirv_id_name(s, id), axes);
	r->offset = pack_offset(s, words, axes, r->op == IR_GATHER4);
}

/* Emits the read; channels: its four results. */
static void emit_request(struct spirv *s, const struct request *r, ir_val *channels)
{
	ir_val args[MAX_ARGUMENTS];
	uint32_t n = 0;
	uint16_t flags = 0;
	ir_id i;

	for (; n < r->nargs; n++)
		args[n] = r->args[n];
	if (r->offset) {
		args[n++] = r->offset;
		flags |= IR_OFFSET;
	}
	if (r->reference) {
		args[n++] = r->reference;
		flags |= IR_COMPARE;
	}
	if (r->sampler) {
		args[n++] = r->sampler;
		flags |= IR_SAMPLER;
	}
	i = spirv_emit(s, r->op, IR_B32, TEXTURE_CHANNELS, n, args);
	ir_at(s->f, i)->sub = r->sub;
	ir_at(s->f, i)->geometry = (uint8_t)r->geometry;
	ir_at(s->f, i)->flags = flags;
	for (uint32_t k = 0; k < TEXTURE_CHANNELS; k++)
		channels[k] = ir_at(s->f, i)->res + k;
}

static const struct spirv_type *read_sampled(struct spirv *s, uint32_t k, struct request *r)
{
	const struct spirv_type *t = spirv_value_type(s, spirv_word(s, k)), *image;
	const ir_val *leaves;

	image = image_type(s, t);
	if (is_storage(image))
		spirv_fail(s, "%s is a storage image", spirv_id_name(s, spirv_word(s, k)));
	leaves = spirv_leaves(s, spirv_word(s, k));
	r->geometry = geometry_of(image);
	r->args[0] = leaves[0];
	if (t->kind == SPIRV_SAMPLED_IMAGE)
		r->sampler = leaves[1];
	return image;
}

/* Divides coordinates, and what depths are compared with, by the last coordinate. */
static void project(struct spirv *s, ir_val *c, uint32_t count, ir_val *reference)
{
	ir_val inverse = spirv_approx(s, IR_APPROX_RCP, IR_B32, c[count]);

	for (uint32_t k = 0; k < count; k++)
		c[k] = spirv_float_op(s, IR_FMUL, IR_B32, c[k], inverse, 0);
	if (*reference)
		*reference = spirv_float_op(s, IR_FMUL, IR_B32, *reference, inverse, 0);
}

/* The level or gradients behind the coordinates. */
static void add_detail(struct spirv *s, struct request *r, const struct operands *o)
{
	uint32_t axes = texture_coordinates(r->geometry) - texture_has_layers(r->geometry);
	ir_val words[4];

	if (!o->gradient[0]) {
		ir_val level = o->level ? read_word(s, o->level, true) : 0;
		ir_val bias = o->bias ? read_word(s, o->bias, true) : 0;

		r->sub = IR_SAMPLE_LEVEL;
		if (level && bias)
			level = spirv_float_op(s, IR_FADD, IR_B32, level, bias, 0);
		r->args[r->nargs++] = level ? level : bias ? bias : spirv_float_const(s, IR_B32, 0);
		return;
	}
	r->sub = IR_SAMPLE_GRADIENT;
	for (uint32_t d = 0; d < 2; d++) {
		if (read_words(s, o->gradient[d], true, words) < axes)
			spirv_fail(s, "%s has fewer than %u components",
				   spirv_id_name(s, o->gradient[d]), axes);
		for (uint32_t k = 0; k < axes; k++)
			r->args[r->nargs++] = words[k];
	}
}

static void finish_request(struct spirv *s, const struct request *r, const struct spirv_type *t)
{
	ir_val channels[TEXTURE_CHANNELS];
	struct guard g;

	guard_open(s, &g, r->args[0], TEXTURE_CHANNELS);
	emit_request(s, r, channels);
	guard_close(s, &g, channels);
	set_texel(s, t, channels);
}

/* detail 1: compares depths, 2: divides by the last coordinate */
void spirv_lower_image_sample(struct spirv *s, uint32_t detail)
{
	const struct spirv_type *t = spirv_result_type(s), *image;
	struct request r = {.op = IR_SAMPLE};
	struct operands o;
	ir_val c[4];

	image = read_sampled(s, 3, &r);
	if (!r.sampler || image->dim == DIM_BUFFER)
		spirv_fail(s, "%s is no sampled image", spirv_id_name(s, spirv_word(s, 3)));
	refuse_samples(s, image);
	read_operands(s, detail & 1 ? 6 : 5, &o);
	read_coordinates(s, spirv_word(s, 4), r.geometry, true, detail >> 1, c);
	if (detail & 1)
		r.reference = read_word(s, spirv_word(s, 5), true);
	if (detail & 1 && r.geometry == TEXTURE_3D)
		spirv_fail(s, "three-dimensional images have no depth comparison");
	if (detail & 2)
		project(s, c, texture_coordinates(r.geometry), &r.reference);
	r.nargs = 1 + add_coordinates(s, r.geometry, c, true, false, r.args + 1);
	add_detail(s, &r, &o);
	add_offset(s, &r, o.offset);
	finish_request(s, &r, t);
}

void spirv_lower_image_fetch(struct spirv *s, uint32_t detail)
{
	const struct spirv_type *t = spirv_result_type(s);
	struct request r = {.op = IR_SAMPLE, .sub = IR_SAMPLE_TEXEL};
	const struct spirv_type *image;
	struct operands o;
	ir_val c[4];

	(void)detail;
	image = read_sampled(s, 3, &r);
	r.sampler = 0;
	if (r.geometry == TEXTURE_CUBE || r.geometry == TEXTURE_CUBE_LAYERS)
		spirv_fail(s, "cubes have no integer coordinates");
	read_operands(s, 5, &o);
	read_place(s, image, r.args[0], spirv_word(s, 4), o.sample, c);
	r.args[0] = plain_handle(s, image, r.args[0]);
	r.nargs = 1 + add_coordinates(s, r.geometry, c, false, false, r.args + 1);
	if (o.level) {
		r.sub = IR_SAMPLE_TEXEL_LEVEL;
		r.args[r.nargs++] = read_word(s, o.level, false);
	}
	add_offset(s, &r, o.offset);
	finish_request(s, &r, t);
}

/* A gather for each of four offsets, which gives the texel of its own offset. */
static void gather_offsets(struct spirv *s, struct request *r, uint32_t id,
			   const struct spirv_type *t)
{
	const struct spirv_type *array = spirv_value_type(s, id);
	ir_val one[TEXTURE_CHANNELS], channels[TEXTURE_CHANNELS], words[2];
	const ir_val *leaves = spirv_leaves(s, id);
	struct guard g;

	if (array->kind != SPIRV_ARRAY || array->leaves != 8 || !spirv_is_int(array->element))
		spirv_fail(s, "%s must be four vectors of two integers", spirv_id_name(s, id));
	guard_open(s, &g, r->args[0], TEXTURE_CHANNELS);
	for (uint32_t k = 0; k < TEXTURE_CHANNELS; k++) {
		words[0] = to_word(s, array->element, leaves[2 * k]);
		words[1] = to_word(s, array->element, leaves[2 * k + 1]);
		r->offset = pack_offset(s, words, 2, true);
		emit_request(s, r, one);
		channels[k] = one[3];
	}
	guard_close(s, &g, channels);
	set_texel(s, t, channels);
}

/* detail 1: compares depths */
void spirv_lower_image_gather(struct spirv *s, uint32_t detail)
{
	const struct spirv_type *t = spirv_result_type(s);
	struct request r = {.op = IR_GATHER4};
	uint64_t channel = 0;
	struct operands o;
	ir_val c[4];

	refuse_samples(s, read_sampled(s, 3, &r));
	if (!r.sampler || r.geometry == TEXTURE_1D || r.geometry == TEXTURE_1D_LAYERS ||
	    r.geometry == TEXTURE_3D)
		spirv_fail(s, "gathers are of sampled images of Dim 2D or Cube");
	read_operands(s, 6, &o);
	if (o.level || o.bias)
		spirv_fail(s, "gathers with a level are not supported");
	read_coordinates(s, spirv_word(s, 4), r.geometry, true, 0, c);
	if (detail)
		r.reference = read_word(s, spirv_word(s, 5), true);
	else
		channel = spirv_constant_integer(s, spirv_word(s, 5), "the component");
	if (channel >= TEXTURE_CHANNELS)
		spirv_fail(s, "component %llu", (unsigned long long)channel);
	r.sub = (uint8_t)channel;
	r.nargs = 1 + add_coordinates(s, r.geometry, c, true, false, r.args + 1);
	if (o.offsets) {
		gather_offsets(s, &r, o.offsets, t);
		return;
	}
	add_offset(s, &r, o.offset);
	finish_request(s, &r, t);
}

/* ---- queries ---- */

static ir_val query(struct spirv *s, ir_val handle, enum texture_query q, ir_val level)
{
	ir_id i = spirv_emit(s, IR_TEXQUERY, IR_B32, 1, 2, (ir_val[]){handle, level});

	ir_at(s->f, i)->sub = (uint8_t)q;
	return ir_at(s->f, i)->res;
}

/* detail 1: of a level */
void spirv_lower_image_size(struct spirv *s, uint32_t detail)
{
	const struct spirv_type *t = spirv_result_type(s);
	uint32_t id = spirv_word(s, 3), axes, n = 0;
	const struct spirv_type *image = image_type(s, spirv_value_type(s, id));
	ir_val handle = spirv_leaves(s, id)[0], level, samples, channels[TEXTURE_CHANNELS];
	struct guard g;

	axes = image->dim == DIM_3D ? 3 : image->dim == DIM_2D || image->dim == DIM_CUBE ? 2 : 1;
	if (!spirv_is_int(t) || t->leaves != axes + image->arrayed)
		spirv_fail(s, "the size of this image has %u integers", axes + image->arrayed);
	level = detail ? read_word(s, spirv_word(s, 4), false) : spirv_const(s, IR_B32, 0);
	samples = image->multisampled ? log2_samples(s, handle) : 0;
	handle = plain_handle(s, image, handle);
	guard_open(s, &g, handle, t->leaves);
	for (; n < axes; n++)
		channels[n] = query(s, handle, (enum texture_query)(TEXTURE_WIDTH + n), level);
	if (image->arrayed) {
		channels[n] = query(s, handle, TEXTURE_DEPTH, level);
		if (image->dim == DIM_CUBE)
			channels[n] = word_op(s, IR_DIV_U, channels[n], 6);
		if (samples)
			channels[n] = spirv_op(s, IR_SHR_U, IR_B32, channels[n], samples, 0);
	}
	guard_close(s, &g, channels);
	set_texel(s, t, channels);
}

/* detail: TEXTURE_LEVELS, or 0: samples */
void spirv_lower_image_count(struct spirv *s, uint32_t detail)
{
	const struct spirv_type *t = spirv_result_type(s), *image;
	uint32_t id = spirv_word(s, 3);
	ir_val handle, count;
	struct guard g;

	image = image_type(s, spirv_value_type(s, id));
	if (t->leaves != 1)
		spirv_fail(s, "the result must be a scalar");
	handle = spirv_leaves(s, id)[0];
	count = spirv_const(s, IR_B32, 1);
	if (!detail && image->multisampled) {
		count = spirv_op(s, IR_SHL, IR_B32, count, log2_samples(s, handle), 0);
	} else if (detail) {
		refuse_samples(s, image);
		guard_open(s, &g, handle, 1);
		count = query(s, handle, TEXTURE_LEVELS, spirv_const(s, IR_B32, 0));
		guard_close(s, &g, &count);
	}
	set_texel(s, t, &count);
}

void spirv_lower_image_lod(struct spirv *s, uint32_t detail)
{
	(void)detail;
	spirv_fail(s, "the level that derivatives give is not known: compute shaders have no "
		      "derivatives here");
}
