// SPDX-License-Identifier: MIT
/*
 * Selection of textures and surfaces. The low word of a handle names the header and the sampler. On
 * SM90 it is in the first of two uniform registers; it is equal for all active lanes (legalise.c).
 * The second is the number of the sampler, as ptxas has it in independent mode; where a texture and
 * its sampler have the same number, it is 0. Before SM90 the word is in a register.
 */
#include "hw/nv/texture.h"
#include "libsov/compiler/nv/select.h"
#include "libsov/isa/texture.h"

static bool is_cube(const struct ir_inst *in)
{
	return in->geometry == TEXTURE_CUBE || in->geometry == TEXTURE_CUBE_LAYERS;
}

/* A cube's coordinates divided by the largest, as ptxas does it: an H200 chose another texel of the
 * face where that was not 1. */
static void divide_by_largest(struct select *s, struct arg *words)
{
	struct mir_source x[3], larger = new_temp(s, SASS_GPR, 1),
				largest = new_temp(s, SASS_GPR, 1),
				inverse = new_temp(s, SASS_GPR, 1);

	for (uint32_t k = 0; k < 3; k++)
		x[k] = in_reg(s, words[k]);
	EMIT(s, FMNMX, larger, with_flags(x[0], SASS_ABS), with_flags(x[1], SASS_ABS),
	     mir_pred_const(false));
	EMIT(s, FMNMX, largest, larger, with_flags(x[2], SASS_ABS), mir_pred_const(false));
	set_mod(EMIT(s, MUFU, inverse, largest), SASS_M_FUNC, SASS_MUFU_RCP);
	for (uint32_t k = 0; k < 3; k++) {
		words[k] = (struct arg){.src = new_temp(s, SASS_GPR, 1)};
		EMIT(s, FMUL, words[k].src, x[k], inverse);
	}
}

/* Consecutive registers, none of them RZ. The layer comes first, but last for a surface, as in
 * ptxas's code. */
static struct mir_source coordinates(struct select *s, const struct ir_inst *in)
{
	uint32_t count = ir_texture_coordinates(in);
	uint32_t rotate = (ir_ops[in->op].attributes & A_RANGE) && texture_has_layers(in->geometry);
	struct mir_source vector = new_temp(s, SASS_GPR, count == 3 ? 4 : count);
	struct arg words[4];

	if (count == 1) {
		struct mir_source x = in_reg(s, arg_word(s, in->args[1]));

		if (x.ref.vreg)
			return x;
		EMIT(s, MOV, vector, x);
		return vector;
	}
	for (uint32_t k = 0; k < count; k++)
		words[k] = arg_word(s, in->args[1 + (k + rotate) % count]);
	if (is_cube(in))
		divide_by_largest(s, &words[count - 3]);
	return in_vector(s, words, count);
}

/* Appends the operands that name the texture. */
static uint32_t add_handle(struct select *s, const struct ir_inst *in, struct mir_source *ops)
{
	struct mir_source low = in_reg(s, arg_half(s, in->args[0], 0)), pair, word, sampler;
	struct mir_inst *i;

	if (s->f->sm >= 90) {
		sampler = rz();
		if (s->ir->independent_samplers && !(ir_ops[in->op].attributes & A_RANGE)) {
			sampler = new_temp(s, SASS_GPR, 1);
			i = EMIT(s, SHF, sampler, rz(), mir_imm(NV_TEXTURE_SAMPLER_SHIFT), low);
			set_mod(i, SASS_M_RIGHT, true);
			set_mod(i, SASS_M_HI, true);
			set_mod(i, SASS_M_SHTYPE, SASS_SH_U32);
		}
		pair = new_temp(s, SASS_UGPR, 2);
		select_to_uniform(s, subreg(pair, 0), low);
		select_to_uniform(s, subreg(pair, 1), sampler);
		ops[0] = pair;
		ops[1] = mir_imm(0);
		return 2;
	}
	if (!low.ref.vreg) {
		word = new_temp(s, SASS_GPR, 1);
		EMIT(s, MOV, word, low);
		low = word;
	}
	ops[0] = low;
	return 1;
}

static void set_texture(struct select *s, struct mir_inst *i, const struct ir_inst *in,
			uint8_t effect, uint32_t bytes)
{
	set_mod(i, SASS_M_GEOMETRY, in->geometry);
	i->memory = (struct mir_memory){effect, IR_GLOBAL, (uint8_t)bytes};
	if (s->f->sm >= 90)
		i->reduced = MIR_ACTIVE_LANES;
}

/* The level, offset and comparison of a read, and the number of the arguments before them. */
static uint32_t first_extra(const struct ir_inst *in)
{
	return 1 + ir_texture_coordinates(in) +
	       (in->op == IR_SAMPLE && in->sub == IR_SAMPLE_GRADIENT ? 2 * ir_texture_axes(in) : 0);
}

/* ptxas's level of a read that names none: below all others, whatever the sampler adds. */
#define LEVEL_OF_BASE 0xc2000000 /* -32 as f32 */

/* Sets the modifiers that tell which extra operands there are. */
static void set_extras(struct mir_inst *i, const struct ir_inst *in)
{
	bool level = in->op == IR_SAMPLE && in->sub != IR_SAMPLE_TEXEL;

	if (level && in->sub != IR_SAMPLE_GRADIENT)
		set_mod(i, SASS_M_LEVEL, 1);
	if (in->op == IR_SAMPLE && in->sub == IR_SAMPLE_TEXEL_LEVEL)
		set_mod(i, SASS_M_CLAMP, 1);
	if (in->flags & IR_OFFSET)
		set_mod(i, SASS_M_OFFSET, 1);
	if (in->flags & IR_COMPARE)
		set_mod(i, SASS_M_COMPARE, 1);
}

/* Derivatives alternate; the layer and the offset share a word. */
static bool select_gradient(struct select *s, const struct ir_inst *in)
{
	uint32_t axes = ir_texture_axes(in), layers = texture_has_layers(in->geometry), n = 0,
		 m = 4;
	bool uniform = s->f->sm >= 90;
	struct mir_source ops[6], d = new_temp(s, SASS_GPR, TEXTURE_CHANNELS), word;
	struct arg at[4], derivatives[4];
	struct mir_inst *i;

	if (!uniform)
		at[n++] = arg_half(s, in->args[0], 0);
	for (uint32_t k = 0; k < axes; k++) {
		at[n++] = arg_word(s, in->args[1 + layers + k]);
		derivatives[2 * k] = arg_word(s, in->args[1 + layers + axes + k]);
		derivatives[2 * k + 1] = arg_word(s, in->args[1 + layers + 2 * axes + k]);
	}
	if (in->flags & IR_OFFSET) {
		word = new_temp(s, SASS_GPR, 1);
		EMIT(s, PRMT, word, in_reg(s, arg_word(s, in->args[first_extra(in)])),
		     mir_imm(layers ? 0x1054 : 0x1044),
		     layers ? in_reg(s, arg_word(s, in->args[1])) : rz());
		at[n++] = (struct arg){.src = word};
	} else if (layers) {
		at[n++] = arg_word(s, in->args[1]);
	}
	ops[0] = subreg(d, 2);
	ops[1] = subreg(d, 0);
	ops[2] = in_vector(s, at, n);
	ops[3] = in_vector(s, derivatives, 2 * axes);
	if (uniform)
		m += add_handle(s, in, &ops[4]);
	i = emit(s, uniform ? SASS_TXD : SASS_TXD_B, ops, m);
	set_texture(s, i, in, MIR_READS, 16);
	set_extras(i, in);
	define_results(s, in, d);
	return true;
}

bool select_sample(struct select *s, const struct ir_inst *in)
{
	static const uint16_t names[3][3] = {{SASS_TEX_B, SASS_TEX, SASS_TEX_MORE},
					     {SASS_TLD_B, SASS_TLD, SASS_TLD_MORE},
					     {SASS_TLD4_B, SASS_TLD4, SASS_TLD4_MORE}};
	bool texel = in->sub == IR_SAMPLE_TEXEL || in->sub == IR_SAMPLE_TEXEL_LEVEL;
	uint32_t kind = in->op == IR_GATHER4 ? 2 : texel, n = 3, count = 0;
	struct mir_source ops[6], d = new_temp(s, SASS_GPR, TEXTURE_CHANNELS);
	bool uniform = s->f->sm >= 90;
	struct arg extras[4];
	struct mir_inst *i;

	if (in->op == IR_SAMPLE && in->sub == IR_SAMPLE_GRADIENT)
		return select_gradient(s, in);
	if (!uniform)
		extras[count++] = arg_half(s, in->args[0], 0);
	if (in->op == IR_SAMPLE && in->sub == IR_SAMPLE_FILTERED)
		extras[count++] = (struct arg){.src = mir_imm(LEVEL_OF_BASE)};
	for (uint32_t k = first_extra(in); k < in->nargs; k++)
		extras[count++] = arg_word(s, in->args[k]);
	ops[0] = subreg(d, 2);
	ops[1] = subreg(d, 0);
	ops[2] = coordinates(s, in);
	if (count)
		ops[n++] = in_vector(s, extras, count);
	if (uniform)
		n += add_handle(s, in, &ops[n]);
	i = emit(s, names[kind][uniform ? 1 + !!count : 0], ops, n);
	set_texture(s, i, in, MIR_READS, 16);
	set_extras(i, in);
	if (in->op == IR_GATHER4)
		set_mod(i, SASS_M_CHANNEL, in->sub);
	define_results(s, in, d);
	return true;
}

bool select_texture_query(struct select *s, const struct ir_inst *in)
{
	struct mir_source ops[6] = {rz(), result(s, in->res)};
	struct arg words[2] = {arg_half(s, in->args[0], 0), arg_word(s, in->args[1])};
	struct mir_inst *i;

	if (s->f->sm >= 90) {
		ops[2] = in_vector(s, &words[1], 1);
		ops[3] = mir_imm(0);
		add_handle(s, in, &ops[4]);
		i = emit(s, SASS_TXQ, ops, 6);
	} else {
		ops[2] = in_vector(s, words, 2);
		ops[3] = mir_imm(0);
		i = emit(s, SASS_TXQ_B, ops, 4);
	}
	set_texture(s, i, in, MIR_READS, 4);
	set_mod(i, SASS_M_QUERY, in->sub);
	return true;
}

static void set_surface(struct select *s, struct mir_inst *i, const struct ir_inst *in,
			uint8_t effect, uint32_t bytes)
{
	static const uint8_t widths[] = {[1] = SASS_WIDTH_U8,
					 [2] = SASS_WIDTH_U16,
					 [4] = SASS_WIDTH_32,
					 [8] = SASS_WIDTH_64,
					 [16] = SASS_WIDTH_128};

	set_texture(s, i, in, effect, bytes);
	set_mod(i, SASS_M_RANGE, in->range);
	if (in->op == IR_SURFREDUCE)
		return;
	set_mod(i, SASS_M_WIDTH, widths[bytes]);
	set_mod(i, SASS_M_ORDER,
		in->flags & IR_VOLATILE ? SASS_ORDER_STRONG_GPU
		: s->f->sm < 80         ? SASS_ORDER_STRONG_CTA
					: SASS_ORDER_STRONG_SM);
}

bool select_surface_load(struct select *s, const struct ir_inst *in)
{
	uint32_t bytes = ir_type_bits(in->type) / 8 * in->nres, n = 2;
	struct mir_source ops[4];

	ops[0] = in->nres > 1 ? new_temp(s, SASS_GPR, bytes / 4) : result(s, in->res);
	ops[1] = coordinates(s, in);
	n += add_handle(s, in, &ops[2]);
	set_surface(s, emit(s, s->f->sm >= 90 ? SASS_SULD : SASS_SULD_B, ops, n), in, MIR_READS,
		    bytes);
	if (in->nres > 1)
		define_results(s, in, ops[0]);
	return true;
}

bool select_surface_store(struct select *s, const struct ir_inst *in)
{
	static const uint16_t names[2][2] = {{SASS_SUST_B, SASS_SUST},
					     {SASS_SUST_P_B, SASS_SUST_P}};
	uint32_t first = 1 + ir_texture_coordinates(in), n = 2, count = 0;
	uint32_t bytes = ir_type_bits(in->type) / 8 * (in->nargs - first);
	struct mir_source ops[4];
	struct mir_inst *i;
	struct arg words[4];

	for (uint32_t k = first; k < in->nargs; k++) {
		words[count++] =
			in->type == IR_B64 ? arg_half(s, in->args[k], 0) : arg_word(s, in->args[k]);
		if (in->type == IR_B64)
			words[count++] = arg_half(s, in->args[k], 1);
	}
	ops[0] = coordinates(s, in);
	ops[1] = count > 1 ? in_vector(s, words, count) : in_reg(s, words[0]);
	n += add_handle(s, in, &ops[2]);
	i = emit(s, names[!!(in->flags & IR_FORMATTED)][s->f->sm >= 90], ops, n);
	set_surface(s, i, in, MIR_WRITES, bytes);
	return true;
}

bool select_surface_reduce(struct select *s, const struct ir_inst *in)
{
	static const uint8_t atoms[IR_ATOM_COUNT] = {
		[IR_ATOM_ADD] = SASS_ATOM_ADD,   [IR_ATOM_MIN_U] = SASS_ATOM_MIN,
		[IR_ATOM_MIN_S] = SASS_ATOM_MIN, [IR_ATOM_MAX_U] = SASS_ATOM_MAX,
		[IR_ATOM_MAX_S] = SASS_ATOM_MAX, [IR_ATOM_AND] = SASS_ATOM_AND,
		[IR_ATOM_OR] = SASS_ATOM_OR};
	static const uint8_t types[2][2] = {{SASS_ATYPE_U32, SASS_ATYPE_S32},
					    {SASS_ATYPE_U64, SASS_ATYPE_S64}};
	static const uint16_t names[2][2] = {{SASS_SURED_B, SASS_SURED},
					     {SASS_SURED_P_B, SASS_SURED_P}};
	bool formatted = in->flags & IR_FORMATTED;
	bool is_signed = in->sub == IR_ATOM_MIN_S || in->sub == IR_ATOM_MAX_S;
	ir_val operand = in->args[in->nargs - 1];
	bool wide = in->type == IR_B64;
	struct mir_source ops[4];
	struct mir_inst *i;
	uint32_t n = 2;

	if (in->sub > IR_ATOM_OR || (wide && in->sub > IR_ATOM_MAX_S) || in->sub == IR_ATOM_INC ||
	    in->sub == IR_ATOM_DEC)
		return false;
	ops[0] = coordinates(s, in);
	ops[1] = wide ? in_pair(s, arg_pair(s, operand)) : in_reg(s, arg_word(s, operand));
	n += add_handle(s, in, &ops[2]);
	i = emit(s, names[formatted][s->f->sm >= 90], ops, n);
	set_surface(s, i, in, MIR_READS | MIR_WRITES | MIR_ORDERED, wide ? 8 : 4);
	set_mod(i, SASS_M_ATOM, atoms[in->sub]);
	set_mod(i, SASS_M_ATYPE,
		formatted && in->sub >= IR_ATOM_MIN_U && in->sub <= IR_ATOM_MAX_S
			? SASS_ATYPE_SD32
			: types[wide][is_signed]);
	set_mod(i, SASS_M_ORDER, SASS_ORDER_STRONG_SYS);
	return true;
}
