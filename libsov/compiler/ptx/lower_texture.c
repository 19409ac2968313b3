// SPDX-License-Identifier: MIT
/*
 * Lowering of texture and surface instructions in unified mode: the handle is a 64-bit register, or
 * in a variable of type .texref or .surfref, which the program writes.
 * No texture has more than one level, so that the level of detail and gradients are checked and
 * not used. Coordinates that PTX pads to four elements are not read.
 */
#include "libsov/compiler/ptx/front_end.h"
#include "libsov/isa/texture.h"

#define MAX_COORDINATES 4

static bool read_handle(struct ptx *x, const struct ptx_inst *in, ir_val *handle)
{
	const struct ptx_operand *o = in->role[ROLE_A];

	if (o->kind == OPERAND_REGISTER && o->name->type->bits == 64 && !o->value &&
	    o->name->type->class != CLASS_FLOAT) {
		*handle = ptx_read_register(x, o->name);
		return true;
	}
	if (o->kind == OPERAND_VARIABLE && o->name->handle && !o->value) {
		*handle = ptx_read_handle(x, o);
		return true;
	}
	ptx_error(x, &o->at,
		  "'%s' takes the handle of a texture or surface in a 64-bit register or a "
		  "variable of type .texref or .surfref, found '%.*s'",
		  ptx_spelling(x, in), (int)(o->name ? o->name->length : o->at.length),
		  o->name ? o->name->text : o->at.text);
	return false;
}

/* Elements of a vector of coordinates, as PTX pads it. */
static uint32_t padded(uint32_t coordinates)
{
	return coordinates == 3 ? 4 : coordinates;
}

/* Integer registers hold layers and integer coordinates, floating-point ones the others. */
static bool check_coordinate(struct ptx *x, const struct ptx_inst *in, const struct ptx_operand *o,
			     bool is_float)
{
	const struct ptx_type *type = o->kind == OPERAND_REGISTER ? o->name->type : NULL;

	if (!type || type->class == CLASS_BITS || (type->class == CLASS_FLOAT) == is_float)
		return true;
	ptx_error(x, &o->at, "'%.*s' of '%s' must be %s register, and it is a %s", TEXT(&o->at),
		  ptx_spelling(x, in), is_float ? "an .f32" : "an integer", type->name);
	return false;
}

/* Reads handle and coordinates; returns their number, 0: an error, reported. */
static uint32_t read_coordinates(struct ptx *x, const struct ptx_inst *in, bool is_float,
				 ir_val args[1 + MAX_COORDINATES])
{
	enum texture_geometry g = in->value[SLOT_GEOMETRY];
	uint32_t count = texture_coordinates(g);
	bool layers = texture_has_layers(g);

	if (!ptx_check_fragment(x, in, ROLE_B, padded(count)) || !read_handle(x, in, &args[0]))
		return 0;
	for (uint32_t k = 0; k < count; k++) {
		const struct ptx_operand *o = ptx_fragment_register(in->role[ROLE_B], k);

		if (!check_coordinate(x, in, o, is_float && !(layers && !k)))
			return 0;
		args[1 + k] = ptx_read_operand(x, o);
	}
	return 1 + count;
}

static ir_val to_half(struct ptx *x, ir_val word)
{
	ir_val v = ptx_op(x, IR_FTOF, IR_B16, word, 0, 0);

	ir_def(x->func, v)->from = IR_B32;
	return v;
}

/* Four channels as the destination has them: words, halves, or pairs of halves. */
static void write_channels(struct ptx *x, const struct ptx_inst *in, ir_val first)
{
	const struct ptx_type *type = ptx_inst_type(in, SLOT_TYPE);
	const struct ptx_operand *d = in->role[ROLE_D];

	for (uint32_t k = 0; k < d->count; k++) {
		ir_val v = first + k;

		if (type->format == IR_F16X2)
			v = ptx_op(x, IR_PACK, IR_B32, to_half(x, first + 2 * k),
				   to_half(x, first + 2 * k + 1), 0);
		else if (type->bits == 16)
			v = to_half(x, v);
		ptx_write_operand(x, &d->elements[k], v);
	}
}

/* Vectors of derivatives have the coordinates without the layer. */
static bool check_gradients(struct ptx *x, const struct ptx_inst *in)
{
	enum texture_geometry g = in->value[SLOT_GEOMETRY];
	uint32_t count = texture_coordinates(g) - texture_has_layers(g);

	return !in->role[ROLE_E] || (ptx_check_fragment(x, in, ROLE_C, padded(count)) &&
				     ptx_check_fragment(x, in, ROLE_E, padded(count)));
}

static ir_id emit_texture(struct ptx *x, const struct ptx_inst *in, enum ir_type type,
			  uint32_t nres, uint32_t nargs, const ir_val *args)
{
	ir_id i = ptx_emit(x, in->row->op, type, nres, nargs, args);

	ir_at(x->func, i)->geometry = in->value[SLOT_GEOMETRY];
	if (ptx_has_modifier(in, SLOT_RANGE))
		ir_at(x->func, i)->range = in->value[SLOT_RANGE];
	return i;
}

void ptx_lower_tex(struct ptx *x, const struct ptx_inst *in)
{
	bool texels = ptx_has_modifier(in, SLOT_SOURCE_TYPE) &&
		      ptx_inst_type(in, SLOT_SOURCE_TYPE)->class != CLASS_FLOAT;
	ir_val args[1 + MAX_COORDINATES];
	uint32_t n = read_coordinates(x, in, !texels, args);
	ir_id i;

	if (!n || !check_gradients(x, in))
		return;
	i = emit_texture(x, in, IR_B32, TEXTURE_CHANNELS, n, args);
	ir_at(x->func, i)->sub = texels ? IR_SAMPLE_TEXEL : IR_SAMPLE_FILTERED;
	write_channels(x, in, ir_at(x->func, i)->res);
}

void ptx_lower_tld4(struct ptx *x, const struct ptx_inst *in)
{
	ir_val args[1 + MAX_COORDINATES];
	uint32_t n = read_coordinates(x, in, true, args);
	ir_id i;

	if (!n)
		return;
	i = emit_texture(x, in, IR_B32, TEXTURE_CHANNELS, n, args);
	ir_at(x->func, i)->sub = in->value[SLOT_CHANNEL];
	write_channels(x, in, ir_at(x->func, i)->res);
}

/* Each level has half the size of the one before, at least 1. */
void ptx_lower_txq(struct ptx *x, const struct ptx_inst *in)
{
	ir_val handle, size;
	ir_id i;

	if (!read_handle(x, in, &handle))
		return;
	i = ptx_emit(x, IR_TEXQUERY, IR_B32, 1, 1, &handle);
	ir_at(x->func, i)->sub = in->value[SLOT_QUERY];
	size = ir_at(x->func, i)->res;
	if (in->role[ROLE_B]) {
		size = ptx_op(x, IR_SHR_U, IR_B32, size, ptx_read_role(x, in, ROLE_B), 0);
		size = ptx_op(x, IR_MAX_U, IR_B32, size, ptx_emit_constant(x, IR_B32, 1), 0);
	}
	ptx_write_operand(x, in->role[ROLE_D], size);
}

/* Every texture has one level and one sample for each texel. */
void ptx_lower_txq_one(struct ptx *x, const struct ptx_inst *in)
{
	ir_val handle;

	if (read_handle(x, in, &handle))
		ptx_write_operand(x, in->role[ROLE_D], ptx_emit_constant(x, IR_B32, 1));
}

/* Together at most 128 bits. */
static bool check_elements(struct ptx *x, const struct ptx_inst *in, uint32_t *count)
{
	uint32_t bits = ptx_inst_type(in, SLOT_TYPE)->bits;

	*count = ptx_has_modifier(in, SLOT_VECTOR) ? in->value[SLOT_VECTOR] : 1;
	if (*count * bits <= 128)
		return true;
	ptx_error(x, &in->name, "'%s' accesses %u bits of a surface, more than 128",
		  ptx_spelling(x, in), *count * bits);
	return false;
}

/* Vectors of narrow elements are accessed as words: their number and type, by doubling widths. */
static uint32_t widen(enum ir_type *type, uint32_t count)
{
	while (count > 1 && *type < IR_B32) {
		++*type;
		count /= 2;
	}
	return count;
}

/* Splits values until there are count of them. */
static void split_values(struct ptx *x, enum ir_type type, ir_val *v, uint32_t have, uint32_t count)
{
	for (; have < count; have *= 2, type--)
		for (uint32_t k = have; k-- > 0;) {
			ir_id i = ptx_emit(x, IR_UNPACK, type, 2, 1, &v[k]);

			v[2 * k + 1] = ir_at(x->func, i)->res + 1;
			v[2 * k] = ir_at(x->func, i)->res;
		}
}

void ptx_lower_suld(struct ptx *x, const struct ptx_inst *in)
{
	enum ir_type type = ptx_inst_type(in, SLOT_TYPE)->ir, wide = type;
	ir_val args[1 + MAX_COORDINATES], v[IR_MAX_ELEMENTS];
	uint32_t n, count, words;
	ir_id i;

	if (!check_elements(x, in, &count) || !ptx_check_fragment(x, in, ROLE_D, count))
		return;
	n = read_coordinates(x, in, false, args);
	if (!n)
		return;
	words = widen(&wide, count);
	i = emit_texture(x, in, wide, words, n, args);
	for (uint32_t k = 0; k < words; k++)
		v[k] = ir_at(x->func, i)->res + k;
	split_values(x, wide, v, words, count);
	for (uint32_t k = 0; k < count; k++) {
		const struct ptx_operand *o = ptx_fragment_register(in->role[ROLE_D], k);

		if (o->kind != OPERAND_REGISTER)
			continue;
		if (o->name->type->ir > type)
			v[k] = ptx_convert(x, IR_ZEXT, type, o->name->type->ir, v[k]);
		ptx_write_register(x, o->name, v[k]);
	}
}

void ptx_lower_sust(struct ptx *x, const struct ptx_inst *in)
{
	enum ir_type type = ptx_inst_type(in, SLOT_TYPE)->ir, wide = type;
	ir_val args[1 + MAX_COORDINATES + IR_MAX_ELEMENTS], *v;
	uint32_t n, count, words;

	if (!check_elements(x, in, &count) || !ptx_check_fragment(x, in, ROLE_C, count))
		return;
	n = read_coordinates(x, in, false, args);
	if (!n)
		return;
	v = &args[n];
	for (uint32_t k = 0; k < count; k++) {
		const struct ptx_operand *o = ptx_fragment_register(in->role[ROLE_C], k);
		bool narrows = o->kind == OPERAND_REGISTER && o->name->type->ir > type;

		v[k] = narrows ? ptx_convert(x, IR_TRUNC, o->name->type->ir, type,
					     ptx_read_register(x, o->name))
			       : ptx_read_operand(x, o);
	}
	words = widen(&wide, count);
	for (; count > words; count /= 2) {
		type++;
		for (uint32_t k = 0; k < count / 2; k++)
			v[k] = ptx_op(x, IR_PACK, type, v[2 * k], v[2 * k + 1], 0);
	}
	emit_texture(x, in, wide, 0, n + words, args);
}

void ptx_lower_sured(struct ptx *x, const struct ptx_inst *in)
{
	ir_val args[1 + MAX_COORDINATES + 1];
	uint32_t n = read_coordinates(x, in, false, args);
	ir_id i;

	if (!n)
		return;
	args[n] = ptx_read_role(x, in, ROLE_C);
	i = emit_texture(x, in, ptx_inst_type(in, SLOT_TYPE)->ir, 0, n + 1, args);
	ir_at(x->func, i)->sub = ptx_atom_of(in);
}
