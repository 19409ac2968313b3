// SPDX-License-Identifier: MIT
/* Variables of program scope in OpenCL: the bytes that they have before the first kernel runs. */
#include <string.h>
#include "libsov/compiler/spirv/front_end.h"

/* Puts the leaves of a value where they are in memory. */
static void put_value(struct spirv *s, const struct spirv_type *t, const uint64_t *bits,
		      uint8_t *at)
{
	uint64_t stride = t->kind == SPIRV_MATRIX ? t->element->bytes : t->stride;

	switch (t->kind) {
	case SPIRV_STRUCT:
		for (uint32_t k = 0; k < t->count; k++)
			put_value(s, t->members[k].type, bits + t->members[k].leaf,
				  at + t->members[k].offset);
		break;
	case SPIRV_ARRAY:
	case SPIRV_MATRIX:
	case SPIRV_VECTOR:
		for (uint32_t k = 0; k < t->count; k++)
			put_value(s, t->element, bits + (size_t)k * t->element->leaves,
				  at + k * stride);
		break;
	case SPIRV_BOOL:
	case SPIRV_INT:
	case SPIRV_FLOAT:
	case SPIRV_POINTER: /* a null pointer: others are no constants */
		memcpy(at, bits, t->bytes < 8 ? t->bytes : 8); /* little-endian host */
		break;
	default:
		spirv_fail(s, "a variable of the type %s has no initial value",
			   spirv_id_name(s, t->id));
	}
}

const uint8_t *spirv_initial_bytes(struct spirv *s, const struct spirv_variable *v)
{
	const struct spirv_constant *c = v->initializer;
	uint8_t *bytes;

	if (!c || c->undef || !c->bits)
		return NULL;
	if (v->type->bytes > (UINT64_C(1) << 30))
		spirv_fail(s, "the variable %s has %llu bytes", spirv_id_name(s, v->id),
			   (unsigned long long)v->type->bytes);
	bytes = arena_array(s->arena, (uint32_t)v->type->bytes, 1);
	put_value(s, v->type, c->bits, bytes);
	return bytes;
}
