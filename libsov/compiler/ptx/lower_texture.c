// SPDX-License-Identifier: MIT
/*
 * Lowering of texture and surface instructions: a handle is a 64-bit register, or in a variable of
 * type .texref, .samplerref or .surfref, which the program writes. In independent mode reads name a
 * sampler, too, whose handle is that of any texture that has it.
 * Coordinates that PTX pads to four elements are not read. No texture has pages that are missing,
 * so that the predicate that tells is true.
 */
#include "libsov/compiler/ptx/front_end.h"
#include "libsov/isa/texture.h"

#define MAX_COORDINATES 4
#define MAX_LAYER       0xffff /* as ptxas has it: NVIDIA's chips read 16 bits */
/* The handle, coordinates, two vectors of derivatives, an offset, a comparison and a sampler. */
#define MAX_ARGUMENTS   (1 + MAX_COORDINATES + 2 * 3 + 3)

static bool read_handle(struct ptx *x, const struct ptx_inst *in, const struct ptx_operand *o,
			ir_val *handle)
{
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
		  "variable of type .texref, .samplerref or .surfref, found '%.*s'",
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

	if (!ptx_check_fragment(x, in, ROLE_B, padded(count)) ||
	    !read_handle(x, in, in->role[ROLE_A], &args[0]))
		return 0;
	for (uint32_t k = 0; k < count; k++) {
		const struct ptx_operand *o = ptx_fragment_register(in->role[ROLE_B], k);

		if (!check_coordinate(x, in, o, is_float && !(layers && !k)))
			return 0;
		args[1 + k] = ptx_read_operand(x, o);
		if (layers && !k && !(ir_ops[in->row->op].attributes & A_RANGE))
			args[1] = ptx_op(x, IR_MIN_U, IR_B32, args[1],
					 ptx_emit_constant(x, IR_B32, MAX_LAYER), 0);
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

/* Appends a vector without its padding. */
static bool add_fragment(struct ptx *x, const struct ptx_inst *in, enum ptx_role role,
			 uint32_t count, ir_val *args, uint32_t *n)
{
	if (!ptx_check_fragment(x, in, role, padded(count)))
		return false;
	for (uint32_t k = 0; k < count; k++)
		args[(*n)++] = ptx_read_operand(x, ptx_fragment_register(in->role[role], k));
	return true;
}

/* Appends the level, or derivatives by both directions, which have no layer. */
static bool add_detail(struct ptx *x, const struct ptx_inst *in, ir_val *args, uint32_t *n)
{
	enum texture_geometry g = in->value[SLOT_GEOMETRY];
	uint32_t axes = texture_coordinates(g) - texture_has_layers(g);

	if (in->role[ROLE_E])
		return add_fragment(x, in, ROLE_C, axes, args, n) &&
		       add_fragment(x, in, ROLE_E, axes, args, n);
	if (in->role[ROLE_C])
		args[(*n)++] = ptx_read_role(x, in, ROLE_C);
	return true;
}

/* Offsets as struct texture_request has them: fields of 4 bits, or of 6 bits in bytes. */
static ir_val pack_offset(struct ptx *x, const struct ptx_inst *in, const struct ptx_operand *o)
{
	enum texture_geometry g = in->value[SLOT_GEOMETRY];
	uint32_t axes = texture_coordinates(g) - texture_has_layers(g);
	uint32_t bits = in->row->op == IR_GATHER4 ? 6 : 4, step = bits == 6 ? 8 : 4;
	ir_val sum = 0, mask = ptx_emit_constant(x, IR_B32, (1u << bits) - 1), v;

	for (uint32_t k = 0; k < axes; k++) {
		v = ptx_read_operand(x, ptx_fragment_register(o, k));
		v = ptx_op(x, IR_AND, IR_B32, v, mask, 0);
		if (k)
			v = ptx_op(x, IR_SHL, IR_B32, v, ptx_emit_constant(x, IR_B32, k * step), 0);
		sum = k ? ptx_op(x, IR_OR, IR_B32, sum, v, 0) : v;
	}
	return sum;
}

static bool check_offset(struct ptx *x, const struct ptx_inst *in, const struct ptx_operand *o)
{
	enum texture_geometry g = in->value[SLOT_GEOMETRY];
	uint32_t axes = texture_coordinates(g) - texture_has_layers(g);

	if (g == TEXTURE_CUBE || g == TEXTURE_CUBE_LAYERS) {
		ptx_error(x, &o->at, "'%s' takes no offset", ptx_spelling(x, in));
		return false;
	}
	for (uint32_t k = 0; k < o->count; k++)
		if (!check_coordinate(x, in, &o->elements[k], false))
			return false;
	if (o->count == 3 || o->count < padded(axes == 1 ? 1 : axes)) {
		ptx_error(x, &o->at, "the offset of '%s' has %u elements, not %u",
			  ptx_spelling(x, in), o->count, padded(axes));
		return false;
	}
	return true;
}

/* Appends the offset, a vector, and what texels are compared with. Returns their IR flags. */
static bool add_extras(struct ptx *x, const struct ptx_inst *in, ir_val *args, uint32_t *n,
		       uint16_t *flags)
{
	const struct ptx_operand *offset = in->role[ROLE_F], *reference = in->role[ROLE_G];
	bool texels = ptx_has_modifier(in, SLOT_SOURCE_TYPE) &&
		      ptx_inst_type(in, SLOT_SOURCE_TYPE)->class != CLASS_FLOAT;

	if (offset && offset->kind != OPERAND_VECTOR) {
		if (reference) {
			ptx_error(x, &offset->at, "the offset of '%s' must be a vector",
				  ptx_spelling(x, in));
			return false;
		}
		reference = offset;
		offset = NULL;
	}
	*flags = 0;
	if (offset) {
		if (!check_offset(x, in, offset))
			return false;
		args[(*n)++] = pack_offset(x, in, offset);
		*flags |= IR_OFFSET;
	}
	if (!reference)
		return true;
	if (texels || in->value[SLOT_GEOMETRY] == TEXTURE_3D) {
		ptx_error(x, &reference->at, "'%s' does not compare depths", ptx_spelling(x, in));
		return false;
	}
	if (!check_coordinate(x, in, reference, true))
		return false;
	args[(*n)++] = ptx_read_operand(x, reference);
	*flags |= IR_COMPARE;
	return true;
}

/* Appends the sampler, which reads name in independent mode and no others. */
static bool add_sampler(struct ptx *x, const struct ptx_inst *in, ir_val *args, uint32_t *n,
			uint16_t *flags)
{
	bool given = in->sampler.kind != OPERAND_BAD;

	if (given != x->independent_samplers) {
		ptx_error(x, given ? &in->sampler.at : &in->name,
			  given ? "'%s' names a sampler, which needs .target texmode_independent"
				: "'%s' must name a sampler after .target texmode_independent",
			  ptx_spelling(x, in));
		return false;
	}
	if (!given)
		return true;
	*flags |= IR_SAMPLER;
	return read_handle(x, in, &in->sampler, &args[(*n)++]);
}

static void write_resident(struct ptx *x, const struct ptx_inst *in)
{
	if (in->role[ROLE_P])
		ptx_write_operand(x, in->role[ROLE_P], ptx_emit_constant(x, IR_B1, 1));
}

static ir_id emit_texture(struct ptx *x, const struct ptx_inst *in, enum ir_type type,
			  uint32_t nres, uint32_t nargs, const ir_val *args)
{
	ir_id i = ptx_emit(x, in->row->op, type, nres, nargs, args);

	if (in->sampler.kind != OPERAND_BAD && ir_ops[in->row->op].attributes & A_RANGE)
		ptx_error(x, &in->sampler.at, "'%s' takes no sampler", ptx_spelling(x, in));
	ir_at(x->func, i)->geometry = in->value[SLOT_GEOMETRY];
	if (ptx_has_modifier(in, SLOT_RANGE))
		ir_at(x->func, i)->range = in->value[SLOT_RANGE];
	return i;
}

void ptx_lower_tex(struct ptx *x, const struct ptx_inst *in)
{
	bool texels = ptx_has_modifier(in, SLOT_SOURCE_TYPE) &&
		      ptx_inst_type(in, SLOT_SOURCE_TYPE)->class != CLASS_FLOAT;
	ir_val args[MAX_ARGUMENTS];
	uint32_t n = read_coordinates(x, in, !texels, args);
	uint16_t flags;
	ir_id i;

	if (!n || !add_detail(x, in, args, &n) || !add_extras(x, in, args, &n, &flags) ||
	    !add_sampler(x, in, args, &n, &flags))
		return;
	i = emit_texture(x, in, IR_B32, TEXTURE_CHANNELS, n, args);
	ir_at(x->func, i)->flags = flags;
	ir_at(x->func, i)->sub = in->role[ROLE_E] ? IR_SAMPLE_GRADIENT
				 : in->role[ROLE_C]
					 ? (texels ? IR_SAMPLE_TEXEL_LEVEL : IR_SAMPLE_LEVEL)
				 : texels ? IR_SAMPLE_TEXEL
					  : IR_SAMPLE_FILTERED;
	write_channels(x, in, ir_at(x->func, i)->res);
	write_resident(x, in);
}

void ptx_lower_tld4(struct ptx *x, const struct ptx_inst *in)
{
	ir_val args[MAX_ARGUMENTS];
	uint32_t n = read_coordinates(x, in, true, args);
	uint16_t flags;
	ir_id i;

	if (!n || !add_extras(x, in, args, &n, &flags) || !add_sampler(x, in, args, &n, &flags))
		return;
	i = emit_texture(x, in, IR_B32, TEXTURE_CHANNELS, n, args);
	ir_at(x->func, i)->flags = flags;
	ir_at(x->func, i)->sub = in->value[SLOT_CHANNEL];
	write_channels(x, in, ir_at(x->func, i)->res);
	write_resident(x, in);
}

void ptx_lower_txq(struct ptx *x, const struct ptx_inst *in)
{
	ir_val args[2];
	ir_id i;

	if (!read_handle(x, in, in->role[ROLE_A], &args[0]))
		return;
	args[1] = in->role[ROLE_B] ? ptx_read_role(x, in, ROLE_B) : ptx_emit_constant(x, IR_B32, 0);
	i = ptx_emit(x, IR_TEXQUERY, IR_B32, 1, 2, args);
	ir_at(x->func, i)->sub = in->value[SLOT_QUERY];
	ptx_write_operand(x, in->role[ROLE_D], ir_at(x->func, i)->res);
}

/* Every texture has one sample for each texel. */
void ptx_lower_txq_one(struct ptx *x, const struct ptx_inst *in)
{
	ir_val handle;

	if (read_handle(x, in, in->role[ROLE_A], &handle))
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

/* Channels, which the access converts to the format of the texels. */
void ptx_lower_sust_p(struct ptx *x, const struct ptx_inst *in)
{
	uint32_t count = ptx_has_modifier(in, SLOT_VECTOR) ? in->value[SLOT_VECTOR] : 1, n;
	ir_val args[1 + MAX_COORDINATES + IR_MAX_ELEMENTS];
	ir_id i;

	if (!ptx_check_fragment(x, in, ROLE_C, count))
		return;
	n = read_coordinates(x, in, false, args);
	if (!n)
		return;
	for (uint32_t k = 0; k < count; k++)
		args[n++] = ptx_read_operand(x, ptx_fragment_register(in->role[ROLE_C], k));
	i = emit_texture(x, in, IR_B32, 0, n, args);
	ir_at(x->func, i)->flags = IR_FORMATTED;
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
	if (ptx_is_spelled(in, ".p"))
		ir_at(x->func, i)->flags = IR_FORMATTED;
}
