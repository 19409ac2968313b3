// SPDX-License-Identifier: MIT
/*
 * Replaces texture and surface operations by calls of the functions in texture_functions.cu, which
 * are added to modules that need them: all operations where a handle is the address of a struct
 * texture, and elsewhere reads with derivatives that texture instructions do not take. There the
 * handles of a texture and of another's sampler become one.
 */
#include <string.h>
#include "libsov/compiler/library/textures.h"
#include "libsov/compiler/ptx/ptx.h"
#include "libsov/isa/texture.h"

#define MAX_ARGUMENTS   15
#define STORE_ARGUMENTS 9

/* Choices of texture_functions.cu. */
enum { CHOICE_GATHER = 2, CHOICE_LEVEL = 6, CHOICE_TEXEL_LEVEL = 7, CHOICE_GRADIENT = 8 };

struct lowering {
	struct ir_func *f;
	ir_id at; /* the operation; new instructions precede it */
};

/* Derivatives that NVIDIA's TXD does not take. */
static bool is_odd_gradient(const struct ir_inst *in)
{
	bool taken = in->geometry == TEXTURE_1D || in->geometry == TEXTURE_2D ||
		     in->geometry == TEXTURE_1D_LAYERS || in->geometry == TEXTURE_2D_LAYERS;

	return in->op == IR_SAMPLE && in->sub == IR_SAMPLE_GRADIENT &&
	       (!taken || in->flags & IR_COMPARE);
}

static bool needs_function(const struct ir_inst *in, bool all)
{
	return ir_ops[in->op].rule == R_TEXTURE && (all || is_odd_gradient(in));
}

static bool needs_functions(const struct ir_module *m, bool all)
{
	for (const struct ir_func *f = m->funcs; f; f = f->next)
		ir_for_each_block(f, b)
			ir_for_each_inst(f, b, i)
				if (needs_function(ir_at(f, i), all))
					return true;
	return false;
}

static struct ir_func *find_function(const struct ir_module *m, const char *name)
{
	struct ir_func *f = m->funcs;

	while (f && strcmp(f->name, name))
		f = f->next;
	return f;
}

static ir_val emit(struct lowering *l, enum ir_op op, enum ir_type type, uint8_t from, ir_val a,
		   ir_val b)
{
	ir_id i = ir_inst_new(l->f, op, type, (ir_val[]){a, b}, b ? 2 : 1, op == IR_UNPACK ? 2 : 1);

	ir_at(l->f, i)->from = from;
	ir_at(l->f, i)->line = ir_at(l->f, l->at)->line;
	ir_insert_before(l->f, l->at, i);
	return ir_at(l->f, i)->res;
}

static ir_val constant_of(struct lowering *l, enum ir_type type, uint64_t value)
{
	ir_id i = ir_inst_new(l->f, IR_CONST, type, NULL, 0, 1);

	ir_at(l->f, i)->imm = value;
	ir_insert_before(l->f, l->at, i);
	return ir_at(l->f, i)->res;
}

static ir_val constant(struct lowering *l, uint32_t value)
{
	return constant_of(l, IR_B32, value);
}

/* The handle, what, and this many words of coordinates. */
static uint32_t common_arguments(struct lowering *l, uint32_t choice, uint32_t amount,
				 uint32_t words, ir_val *args)
{
	const struct ir_inst in = *ir_at(l->f, l->at);
	uint32_t have = ir_texture_coordinates(&in);

	args[0] = in.args[0];
	args[1] = constant(l, in.geometry | choice << 8 | amount << 16);
	for (uint32_t k = 0; k < words; k++)
		args[2 + k] = k < have ? in.args[1 + k] : constant(l, 0);
	return 2 + words;
}

/* A handle, whose low word names the texture and the sampler, with another sampler. */
static void combine_sampler(struct lowering *l, uint32_t shift)
{
	struct ir_inst *in = ir_at(l->f, l->at);
	ir_val texture = in->args[0], sampler = in->args[in->nargs - 1], handle;
	uint64_t low = (UINT64_C(1) << shift) - 1;

	handle = emit(l, IR_AND, IR_B64, 0, texture, constant_of(l, IR_B64, low));
	sampler = emit(l, IR_AND, IR_B64, 0, sampler, constant_of(l, IR_B64, UINT32_MAX & ~low));
	handle = emit(l, IR_OR, IR_B64, 0, handle, sampler);
	in = ir_at(l->f, l->at);
	in->args[0] = handle;
	in->nargs--;
	in->flags &= (uint16_t)~IR_SAMPLER;
	l->f->independent_samplers = true;
}

/* Returns the first result. */
static ir_val call(struct lowering *l, const char *name, const ir_val *args, uint32_t n)
{
	ir_id i = ir_call_new(l->f, IR_CALL, find_function(l->f->module, name), args, n);

	ir_at(l->f, i)->line = ir_at(l->f, l->at)->line;
	ir_insert_before(l->f, l->at, i);
	return ir_at(l->f, i)->res;
}

/* The level or derivatives, each direction's three, padded with zeros. */
static uint32_t detail_arguments(struct lowering *l, const struct ir_inst *in, ir_val *args)
{
	uint32_t axes = ir_texture_axes(in), at = 1 + ir_texture_coordinates(in), words = 0;
	bool gradient = in->op == IR_SAMPLE && in->sub == IR_SAMPLE_GRADIENT;

	if (in->op == IR_SAMPLE && (in->sub == IR_SAMPLE_LEVEL || in->sub == IR_SAMPLE_TEXEL_LEVEL))
		words = 1;
	for (uint32_t k = 0; k < 6; k++)
		args[k] = gradient && k % 3 < axes ? in->args[at + k / 3 * axes + k % 3]
			  : k < words              ? in->args[at]
						   : constant(l, 0);
	return gradient ? 2 * axes : words;
}

static void lower_sample(struct lowering *l)
{
	static const uint8_t choices[IR_SAMPLE_COUNT] = {[IR_SAMPLE_TEXEL] = 1,
							 [IR_SAMPLE_LEVEL] = CHOICE_LEVEL,
							 [IR_SAMPLE_TEXEL_LEVEL] =
								 CHOICE_TEXEL_LEVEL,
							 [IR_SAMPLE_GRADIENT] = CHOICE_GRADIENT};
	const struct ir_inst in = *ir_at(l->f, l->at);
	uint32_t choice = in.op == IR_GATHER4 ? CHOICE_GATHER + in.sub : choices[in.sub], n, used;
	bool compares = in.flags & IR_COMPARE, plain = choice < CHOICE_LEVEL;
	ir_val args[MAX_ARGUMENTS], words;

	plain &= !(in.flags & (IR_OFFSET | IR_COMPARE | IR_SAMPLER));
	n = common_arguments(l, choice, compares, 4, args);
	if (!plain) {
		used = 1 + ir_texture_coordinates(&in) + detail_arguments(l, &in, &args[n]);
		args[n + 6] = in.flags & IR_OFFSET ? in.args[used++] : constant(l, 0);
		args[n + 7] = compares ? in.args[used++] : constant(l, 0);
		args[n + 8] = in.flags & IR_SAMPLER ? in.args[used] : in.args[0];
		n += 9;
	}
	words = call(l, plain ? "__sov_texture_sample" : "__sov_texture_read", args, n);
	for (uint32_t k = 0; k < TEXTURE_CHANNELS; k++)
		ir_replace_uses(l->f, in.res + k, words + k);
}

static void lower_query(struct lowering *l)
{
	const struct ir_inst in = *ir_at(l->f, l->at);
	ir_val args[3] = {in.args[0], constant(l, in.sub), in.args[1]};

	ir_replace_uses(l->f, in.res, call(l, "__sov_texture_query", args, 3));
}

static ir_val query(struct lowering *l, ir_val handle, enum texture_query q)
{
	ir_val args[2] = {handle, constant(l, 0)};
	ir_id i = ir_inst_new(l->f, IR_TEXQUERY, IR_B32, args, 2, 1);

	ir_at(l->f, i)->sub = q;
	ir_at(l->f, i)->line = ir_at(l->f, l->at)->line;
	ir_insert_before(l->f, l->at, i);
	return ir_at(l->f, i)->res;
}

/* Reads the level that the derivatives give. */
static void lower_gradient(struct lowering *l)
{
	const struct ir_inst in = *ir_at(l->f, l->at);
	uint32_t n = 1 + ir_texture_coordinates(&in), more;
	ir_val args[MAX_ARGUMENTS], read[MAX_ARGUMENTS], level;
	ir_id i;

	args[0] = query(l, in.args[0], TEXTURE_WIDTH);
	args[1] = query(l, in.args[0], TEXTURE_HEIGHT);
	args[2] = query(l, in.args[0], TEXTURE_DEPTH);
	args[3] = constant(l, in.geometry);
	for (uint32_t k = 0; k < 4; k++)
		args[4 + k] = k + 1 < n ? in.args[1 + k] : constant(l, 0);
	more = n + detail_arguments(l, &in, &args[8]);
	level = call(l, "__sov_texture_level", args, 14);
	memcpy(read, in.args, n * sizeof(*read));
	read[n++] = level;
	while (more < in.nargs)
		read[n++] = in.args[more++];
	i = ir_inst_new(l->f, IR_SAMPLE, IR_B32, read, n, TEXTURE_CHANNELS);
	ir_at(l->f, i)->sub = IR_SAMPLE_LEVEL;
	ir_at(l->f, i)->geometry = in.geometry;
	ir_at(l->f, i)->flags = in.flags;
	ir_at(l->f, i)->line = in.line;
	ir_insert_before(l->f, l->at, i);
	for (uint32_t k = 0; k < TEXTURE_CHANNELS; k++)
		ir_replace_uses(l->f, in.res + k, ir_at(l->f, i)->res + k);
}

static void lower_surface_load(struct lowering *l)
{
	const struct ir_inst in = *ir_at(l->f, l->at);
	uint32_t bytes = ir_type_bits(in.type) / 8 * in.nres;
	ir_val args[MAX_ARGUMENTS], words, v;
	uint32_t n = common_arguments(l, in.range, bytes, 3, args);

	words = call(l, "__sov_surface_load", args, n);
	for (uint32_t k = 0; k < in.nres; k++) {
		if (in.type == IR_B64)
			v = emit(l, IR_PACK, IR_B64, 0, words + 2 * k, words + 2 * k + 1);
		else
			v = in.type == IR_B32 ? words + k
					      : emit(l, IR_TRUNC, in.type, IR_B32, words, 0);
		ir_replace_uses(l->f, in.res + k, v);
	}
}

static void lower_surface_store(struct lowering *l)
{
	const struct ir_inst in = *ir_at(l->f, l->at);
	uint32_t first = 1 + ir_texture_coordinates(&in);
	uint32_t bytes = ir_type_bits(in.type) / 8 * (in.nargs - first);
	ir_val args[MAX_ARGUMENTS];
	bool formatted = in.flags & IR_FORMATTED;
	uint32_t n = common_arguments(l, in.range, formatted ? bytes / 4 : bytes, 3, args);

	for (uint32_t k = first; k < in.nargs; k++) {
		if (in.type == IR_B64) {
			ir_val halves = emit(l, IR_UNPACK, IR_B64, 0, in.args[k], 0);

			args[n++] = halves;
			args[n++] = halves + 1;
		} else {
			args[n++] = in.type == IR_B32
					    ? in.args[k]
					    : emit(l, IR_ZEXT, IR_B32, in.type, in.args[k], 0);
		}
	}
	while (n < STORE_ARGUMENTS)
		args[n++] = constant(l, 0);
	call(l, formatted ? "__sov_surface_put" : "__sov_surface_store", args, n);
}

static void lower_surface_reduce(struct lowering *l)
{
	static const uint8_t numbers[IR_ATOM_COUNT] = {
		[IR_ATOM_ADD] = 0,   [IR_ATOM_MIN_U] = 2, [IR_ATOM_MIN_S] = 3, [IR_ATOM_MAX_U] = 4,
		[IR_ATOM_MAX_S] = 5, [IR_ATOM_AND] = 6,   [IR_ATOM_OR] = 7};
	static const uint8_t wide_numbers[IR_ATOM_COUNT] = {[IR_ATOM_ADD] = 1,
							    [IR_ATOM_MIN_U] = 8,
							    [IR_ATOM_MIN_S] = 9,
							    [IR_ATOM_MAX_U] = 10,
							    [IR_ATOM_MAX_S] = 11};
	const struct ir_inst in = *ir_at(l->f, l->at);
	ir_val args[MAX_ARGUMENTS], x = in.args[in.nargs - 1];
	bool wide = in.type == IR_B64;
	uint32_t n = common_arguments(l, in.range,
				      (wide ? wide_numbers[in.sub] : numbers[in.sub]) |
					      (in.flags & IR_FORMATTED ? 256u : 0),
				      3, args);

	args[n++] = wide ? x : emit(l, IR_ZEXT, IR_B64, IR_B32, x, 0);
	call(l, "__sov_surface_reduce", args, n);
}

static void lower_inst(struct lowering *l, bool all)
{
	switch (ir_at(l->f, l->at)->op) {
	case IR_TEXQUERY:
		lower_query(l);
		break;
	case IR_SURFLOAD:
		lower_surface_load(l);
		break;
	case IR_SURFSTORE:
		lower_surface_store(l);
		break;
	case IR_SURFREDUCE:
		lower_surface_reduce(l);
		break;
	default:
		if (all)
			lower_sample(l);
		else
			lower_gradient(l);
	}
	ir_remove(l->f, l->at);
}

static void combine_samplers(struct ir_module *m, uint32_t shift)
{
	for (struct ir_func *f = m->funcs; f; f = f->next)
		ir_for_each_block(f, b)
			ir_for_each_inst(f, b, i)
				if (ir_ops[ir_at(f, i)->op].rule == R_TEXTURE &&
				    ir_at(f, i)->flags & IR_SAMPLER)
					combine_sampler(&(struct lowering){f, i}, shift);
}

bool textures_lower(struct compile_job *job, struct ir_module *m)
{
	bool all = job->target->calls_for_textures;

	if (!all)
		combine_samplers(m, job->target->sampler_shift);
	if (!needs_functions(m, all))
		return true;
	if (!ptx_parse_into(job, texture_functions, strlen(texture_functions), m))
		return false;
	for (struct ir_func *f = m->funcs; f; f = f->next)
		ir_for_each_block(f, b)
			ir_for_each_inst_safe(f, b, i)
				if (needs_function(ir_at(f, i), all))
					lower_inst(&(struct lowering){f, i}, all);
	return true;
}
