// SPDX-License-Identifier: MIT
/*
 * Constants and specialisation constants. The latter have their final values here: those of the
 * options, or their defaults. OpSpecConstantOp is lowered like an instruction of a function, into a
 * scratch function, where emit.c computes operations on constants.
 */
#include <string.h>
#include "libsov/compiler/spirv/front_end.h"

static struct spirv_constant *constant_new(struct spirv *s, const struct spirv_type *t)
{
	struct spirv_id *x = spirv_id_of(s, spirv_word(s, 2));
	struct spirv_constant *c = arena_alloc(s->arena, sizeof(*c));

	if (x->kind != SPIRV_ID_NONE)
		spirv_fail(s, "%s is defined twice", spirv_id_name(s, spirv_word(s, 2)));
	if (t->leaves > SPIRV_MAX_LEAVES)
		spirv_fail(s, "a constant of %u scalars; the maximum is %d", t->leaves,
			   SPIRV_MAX_LEAVES);
	c->type = t;
	x->kind = SPIRV_ID_CONSTANT;
	x->at = s->in.at;
	x->constant = c;
	return c;
}

static uint64_t *bits_new(struct spirv *s, struct spirv_constant *c)
{
	uint64_t *bits = arena_array(s->arena, c->type->leaves + 1, sizeof(*bits));

	c->bits = bits;
	return bits;
}

static uint64_t low_bits(uint64_t v, uint32_t bits)
{
	return bits < 64 ? v & ((UINT64_C(1) << bits) - 1) : v;
}

/* The value that the options give the constant; false: none. */
static bool specialise(struct spirv *s, uint32_t id, uint32_t bytes, uint64_t *value)
{
	const struct spirv_decoration *d =
		spirv_decoration_of(s, id, SPIRV_NO_MEMBER, SPIRV_DECORATION_SPEC_ID);

	if (!d || !d->count)
		return false;
	for (uint32_t k = 0; k < s->options->nconstants; k++) {
		const struct spirv_specialisation *c = &s->options->constants[k];

		if (c->id != d->operands[0])
			continue;
		if (c->bytes != bytes)
			spirv_fail(s, "specialisation constant %u has %u bytes; %u given", c->id,
				   bytes, c->bytes);
		*value = 0;
		memcpy(value, c->data, bytes);
		return true;
	}
	return false;
}

static void read_number(struct spirv *s, const struct spirv_type *t)
{
	uint32_t words = t->bits > 32 ? 2 : 1;
	uint64_t value = 0;

	if (t->kind != SPIRV_INT && t->kind != SPIRV_FLOAT)
		spirv_fail(s, "%s is no type of numbers", spirv_id_name(s, t->id));
	if (s->in.count != 3 + words)
		spirv_fail(s, "a constant of %u bits has %u words of value, not %u", t->bits, words,
			   s->in.count - 3);
	for (uint32_t k = 0; k < words; k++)
		value |= (uint64_t)spirv_word(s, 3 + k) << 32 * k;
	if (s->in.opcode == SPIRV_OP_SPEC_CONSTANT)
		specialise(s, spirv_word(s, 2), t->bits / 8, &value);
	bits_new(s, constant_new(s, t))[0] = low_bits(value, t->bits);
}

static void read_bool(struct spirv *s, const struct spirv_type *t)
{
	uint64_t value = s->in.opcode == SPIRV_OP_CONSTANT_TRUE ||
			 s->in.opcode == SPIRV_OP_SPEC_CONSTANT_TRUE;

	if (t->kind != SPIRV_BOOL)
		spirv_fail(s, "%s is not the type bool", spirv_id_name(s, t->id));
	if (s->in.opcode == SPIRV_OP_SPEC_CONSTANT_TRUE ||
	    s->in.opcode == SPIRV_OP_SPEC_CONSTANT_FALSE)
		specialise(s, spirv_word(s, 2), 4, &value);
	bits_new(s, constant_new(s, t))[0] = value != 0;
}

static const struct spirv_constant *constant_of(struct spirv *s, uint32_t id)
{
	const struct spirv_id *x = spirv_id_of(s, id);

	if (x->kind != SPIRV_ID_CONSTANT)
		spirv_fail(s, "%s is no constant", spirv_id_name(s, id));
	return x->constant;
}

static void read_composite(struct spirv *s, const struct spirv_type *t)
{
	struct spirv_constant *c;
	uint64_t *bits;

	if (s->in.count - 3 != (t->use ? 1 : t->count) || t->kind < SPIRV_VECTOR ||
	    t->kind > SPIRV_STRUCT)
		spirv_fail(s, "%u constituents for %s, which has %u parts", s->in.count - 3,
			   spirv_id_name(s, t->id), t->count);
	c = constant_new(s, t);
	bits = bits_new(s, c);
	for (uint32_t k = 0; k < t->count; k++) {
		const struct spirv_constant *part =
			constant_of(s, spirv_word(s, t->use ? 3 : 3 + k));
		uint32_t leaf;
		const struct spirv_type *want = spirv_part(s, t, k, &leaf);

		if (part->type->leaves != want->leaves || part == c)
			spirv_fail(s, "constituent %u has another type than the part", k);
		if (part->bits)
			memcpy(bits + leaf, part->bits, want->leaves * sizeof(*bits));
	}
}

/* Lowers the instruction behind OpSpecConstantOp in a scratch function. */
static void read_operation(struct spirv *s, const struct spirv_type *t)
{
	struct spirv_inst outer = s->in;
	uint32_t id = spirv_word(s, 2), *words = arena_array(s->arena, outer.count, 4);
	struct spirv_constant *c;
	uint64_t *bits;
	const ir_val *leaves;

	if (outer.count < 4)
		spirv_fail(s, "the instruction has no operation");
	words[0] = (outer.count - 1) << 16 | (outer.words[3] & 0xffff);
	words[1] = outer.words[1];
	words[2] = id;
	memcpy(words + 3, outer.words + 4, (outer.count - 4) * sizeof(*words));
	s->f = ir_func_new(ir_module_new(s->arena), "constants");
	s->block = ir_block_new(s->f, NULL);
	s->in.words = words;
	s->in.opcode = words[0] & 0xffff;
	s->in.count = outer.count - 1;
	s->in.grammar = spirv_grammar_find(s->in.opcode);
	if (!s->in.grammar || s->in.grammar->shape[0] != 't')
		spirv_fail(s, "unknown operation %u", s->in.opcode);
	spirv_lower(s);
	leaves = spirv_leaves(s, id);
	bits = arena_array(s->arena, t->leaves + 1, sizeof(*bits));
	for (uint32_t k = 0; k < t->leaves; k++)
		if (!spirv_is_constant(s, leaves[k], &bits[k]))
			spirv_fail(s, "the operation is not constant");
	spirv_id_of(s, id)->kind = SPIRV_ID_NONE;
	s->in = outer;
	c = constant_new(s, t);
	c->bits = bits;
	s->f = NULL;
	s->block = 0;
}

static bool is_workgroup_pointer(const struct spirv_type *t)
{
	return t->kind == SPIRV_POINTER && t->storage == SPIRV_CLASS_WORKGROUP;
}

/* A null is zero, but for pointers to workgroup memory: a variable may lie at its offset 0. Returns
 * whether the type has some. */
static bool fill_null(struct spirv *s, const struct spirv_type *t, uint64_t *bits)
{
	bool any = false;
	uint32_t leaf;

	if (is_workgroup_pointer(t)) {
		*bits = UINT32_MAX;
		return true;
	}
	if (t->leaves && (t->kind == SPIRV_ARRAY || t->kind == SPIRV_STRUCT))
		for (uint32_t k = 0; k < t->count; k++) {
			const struct spirv_type *part = spirv_part(s, t, k, &leaf);

			any |= fill_null(s, part, bits + leaf);
		}
	return any;
}

static void read_null(struct spirv *s, const struct spirv_type *t)
{
	struct spirv_constant *c = constant_new(s, t);

	if (!s->kernel_environment && !fill_null(s, t, bits_new(s, c)))
		c->bits = NULL;
}

void spirv_read_constant(struct spirv *s)
{
	const struct spirv_type *t = spirv_result_type(s);

	switch (s->in.opcode) {
	case SPIRV_OP_CONSTANT_TRUE:
	case SPIRV_OP_CONSTANT_FALSE:
	case SPIRV_OP_SPEC_CONSTANT_TRUE:
	case SPIRV_OP_SPEC_CONSTANT_FALSE:
		read_bool(s, t);
		break;
	case SPIRV_OP_CONSTANT:
	case SPIRV_OP_SPEC_CONSTANT:
		read_number(s, t);
		break;
	case SPIRV_OP_CONSTANT_COMPOSITE:
	case SPIRV_OP_SPEC_CONSTANT_COMPOSITE:
		read_composite(s, t);
		break;
	case SPIRV_OP_CONSTANT_NULL:
		read_null(s, t);
		break;
	case SPIRV_OP_UNDEF:
		constant_new(s, t)->undef = true;
		break;
	case SPIRV_OP_SPEC_CONSTANT_OP:
		read_operation(s, t);
		break;
	default:
		spirv_fail(s, "this constant is not supported");
	}
}

uint64_t spirv_constant_integer(struct spirv *s, uint32_t id, const char *what)
{
	const struct spirv_constant *c = constant_of(s, id);

	if (c->type->kind != SPIRV_INT)
		spirv_fail(s, "%s, %s, is no integer", what, spirv_id_name(s, id));
	return c->bits ? c->bits[0] : 0;
}

ir_val *spirv_constant_leaves(struct spirv *s, const struct spirv_constant *c)
{
	ir_val *leaves = arena_array(s->arena, c->type->leaves + 1, sizeof(*leaves));

	for (uint32_t k = 0; k < c->type->leaves; k++) {
		enum ir_type t = spirv_leaf_type(c->type, k);

		leaves[k] =
			c->undef ? spirv_undef(s, t) : spirv_const(s, t, c->bits ? c->bits[k] : 0);
	}
	return leaves;
}
