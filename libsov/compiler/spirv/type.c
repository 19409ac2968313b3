// SPDX-License-Identifier: MIT
/*
 * Types: how many scalars a value has, and how it lies in memory. Decorations (Offset, ArrayStride,
 * MatrixStride) determine the layout where they are, and otherwise the natural one of C, with
 * vectors of two and four elements aligned to their size. Booleans take four bytes in memory.
 */
#include <string.h>
#include "libsov/compiler/spirv/front_end.h"

#define MAX_TYPE_BYTES (UINT64_C(1) << 40)

static struct spirv_type *type_new(struct spirv *s, enum spirv_kind kind)
{
	uint32_t id = spirv_word(s, 1);
	struct spirv_id *x = spirv_id_of(s, id);
	struct spirv_type *t = arena_alloc(s->arena, sizeof(*t));

	if (x->kind != SPIRV_ID_NONE && !(x->kind == SPIRV_ID_TYPE && kind == SPIRV_POINTER))
		spirv_fail(s, "%s is defined twice", spirv_id_name(s, id));
	t->kind = kind;
	t->id = id;
	t->align = 1;
	return t;
}

static void enter(struct spirv *s, struct spirv_type *t)
{
	struct spirv_id *x = spirv_id_of(s, t->id);

	x->kind = SPIRV_ID_TYPE;
	x->at = s->in.at;
	x->type = t;
}

const struct spirv_type *spirv_type_of(struct spirv *s, uint32_t id)
{
	const struct spirv_id *x = spirv_id_of(s, id);

	if (x->kind != SPIRV_ID_TYPE)
		spirv_fail(s, "%s is no type", spirv_id_name(s, id));
	return x->type;
}

const struct spirv_type *spirv_result_type(struct spirv *s)
{
	const struct spirv_type *t = spirv_type_of(s, spirv_word(s, 1));

	if (t->kind == SPIRV_VOID || t->kind == SPIRV_FUNCTION || t->kind == SPIRV_RUNTIME_ARRAY)
		spirv_fail(s, "a value cannot have the type %s", spirv_id_name(s, t->id));
	return t;
}

const struct spirv_type *spirv_scalar(const struct spirv_type *t)
{
	while (t->kind == SPIRV_VECTOR || t->kind == SPIRV_MATRIX || t->use)
		t = t->element;
	return t;
}

bool spirv_is_float(const struct spirv_type *t)
{
	return spirv_scalar(t)->kind == SPIRV_FLOAT;
}

bool spirv_is_int(const struct spirv_type *t)
{
	return spirv_scalar(t)->kind == SPIRV_INT;
}

bool spirv_is_bool(const struct spirv_type *t)
{
	return spirv_scalar(t)->kind == SPIRV_BOOL;
}

enum ir_type spirv_leaf_type(const struct spirv_type *t, uint32_t k)
{
	for (;;) {
		switch (t->kind) {
		case SPIRV_STRUCT: {
			uint32_t m = 0;

			while (m + 1 < t->count && t->members[m + 1].leaf <= k)
				m++;
			k -= t->members[m].leaf;
			t = t->members[m].type;
			break;
		}
		case SPIRV_VECTOR:
		case SPIRV_MATRIX:
		case SPIRV_ARRAY:
			k %= t->element->leaves ? t->element->leaves : 1;
			t = t->element;
			break;
		case SPIRV_POINTER:
			return spirv_pointer_leaf_type(t->storage, k);
		default:
			return t->ir;
		}
	}
}

const struct spirv_type *spirv_part(struct spirv *s, const struct spirv_type *t, uint32_t k,
				    uint32_t *leaf)
{
	bool aggregate = t->kind == SPIRV_VECTOR || t->kind == SPIRV_MATRIX ||
			 t->kind == SPIRV_ARRAY || t->kind == SPIRV_STRUCT;

	if (!aggregate)
		spirv_fail(s, "%s has no parts", spirv_id_name(s, t->id));
	if (k >= t->count)
		spirv_fail(s, "%s has %u parts; there is no index %u", spirv_id_name(s, t->id),
			   t->count, k);
	if (t->kind == SPIRV_STRUCT) {
		*leaf = t->members[k].leaf;
		return t->members[k].type;
	}
	*leaf = k * t->element->leaves;
	return t->element;
}

static uint64_t align_up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

static void check_size(struct spirv *s, struct spirv_type *t, uint64_t leaves)
{
	if (t->bytes > MAX_TYPE_BYTES)
		spirv_fail(s, "the type has more than 2^40 bytes");
	if (t->depth > SPIRV_MAX_DEPTH)
		spirv_fail(s, "types are nested more than %d deep", SPIRV_MAX_DEPTH);
	/* A value of such a type is refused where one is made. */
	t->leaves = leaves > UINT32_MAX ? UINT32_MAX : (uint32_t)leaves;
}

static void read_scalar(struct spirv *s)
{
	static const struct {
		uint32_t bits;
		enum ir_type type;
	} widths[] = {{8, IR_B8}, {16, IR_B16}, {32, IR_B32}, {64, IR_B64}};
	bool is_float = s->in.opcode == SPIRV_OP_TYPE_FLOAT;
	struct spirv_type *t = type_new(s, is_float ? SPIRV_FLOAT : SPIRV_INT);
	uint32_t bits = spirv_word(s, 2);

	t->is_signed = !is_float && spirv_word(s, 3);
	for (uint32_t k = is_float; k < 4; k++)
		if (widths[k].bits == bits)
			t->ir = widths[k].type;
	if (!t->ir)
		spirv_fail(s, "%s of %u bits; known: %s16, 32, 64",
			   is_float ? "a float" : "an integer", bits, is_float ? "" : "8, ");
	if (is_float && s->in.count > 3)
		spirv_fail(s, "floats of encoding %u are not supported", spirv_word(s, 3));
	t->bits = (uint8_t)bits;
	t->bytes = t->align = bits / 8;
	t->leaves = 1;
	enter(s, t);
}

static void read_vector(struct spirv *s)
{
	bool matrix = s->in.opcode == SPIRV_OP_TYPE_MATRIX;
	struct spirv_type *t = type_new(s, matrix ? SPIRV_MATRIX : SPIRV_VECTOR);
	const struct spirv_type *e = spirv_type_of(s, spirv_word(s, 2));
	uint32_t count = spirv_word(s, 3);
	bool good =
		matrix ? e->kind == SPIRV_VECTOR && e->element->kind == SPIRV_FLOAT
		       : e->kind == SPIRV_BOOL || e->kind == SPIRV_INT || e->kind == SPIRV_FLOAT;

	if (!good)
		spirv_fail(s, "a %s of %s", matrix ? "matrix" : "vector", spirv_id_name(s, e->id));
	if (count < 2 || (count > 4 && count != 8 && count != 16) || (matrix && count > 4))
		spirv_fail(s, "%u %s; known: 2, 3, 4%s", count, matrix ? "columns" : "components",
			   matrix ? "" : ", 8, 16");
	t->element = e;
	t->count = count;
	t->stride = e->bytes;
	t->bytes = e->bytes * count;
	t->align = matrix || count == 3 ? e->align : (uint32_t)t->bytes;
	/* OpenCL's vectors of three elements take the space of four. */
	if (s->kernel_environment && count == 3)
		t->bytes = t->align = (uint32_t)e->bytes * 4;
	t->depth = e->depth + 1;
	check_size(s, t, (uint64_t)e->leaves * count);
	enter(s, t);
}

static void read_array(struct spirv *s)
{
	bool runtime = s->in.opcode == SPIRV_OP_TYPE_RUNTIME_ARRAY;
	struct spirv_type *t = type_new(s, runtime ? SPIRV_RUNTIME_ARRAY : SPIRV_ARRAY);
	const struct spirv_type *e = spirv_type_of(s, spirv_word(s, 2));
	const struct spirv_decoration *d =
		spirv_decoration_of(s, t->id, SPIRV_NO_MEMBER, SPIRV_DECORATION_ARRAY_STRIDE);
	uint64_t count = runtime ? 0 : spirv_constant_integer(s, spirv_word(s, 3), "the length");

	if (e->kind == SPIRV_VOID || e->kind == SPIRV_FUNCTION)
		spirv_fail(s, "an array of %s", spirv_id_name(s, e->id));
	/* A specialisation constant may leave an array without elements, which is not accessed. */
	if (!runtime && count > UINT32_MAX / 2)
		spirv_fail(s, "an array of %llu elements", (unsigned long long)count);
	t->element = e;
	t->count = (uint32_t)count;
	t->stride = d && d->count ? d->operands[0] : align_up(e->bytes, e->align);
	t->decorated = d != NULL;
	t->bytes = t->stride * count;
	if (count && t->stride && t->bytes / count != t->stride)
		t->bytes = UINT64_MAX;
	t->align = e->align;
	t->depth = e->depth + 1;
	check_size(s, t, e->leaves * count);
	enter(s, t);
}

static bool member_has(struct spirv *s, uint32_t id, uint32_t member, uint32_t kind)
{
	return spirv_decoration_of(s, id, member, kind) != NULL;
}

static uint32_t member_number(struct spirv *s, uint32_t id, uint32_t member, uint32_t kind,
			      uint32_t otherwise)
{
	const struct spirv_decoration *d = spirv_decoration_of(s, id, member, kind);

	return d && d->count ? d->operands[0] : otherwise;
}

/* The matrix that a member is or has elements of; NULL: none. */
static const struct spirv_type *matrix_in(const struct spirv_type *t)
{
	while (t->kind == SPIRV_ARRAY || t->kind == SPIRV_RUNTIME_ARRAY)
		t = t->element;
	return t->kind == SPIRV_MATRIX ? t : NULL;
}

/* Bytes of a member whose matrix has the member's stride. */
static uint64_t member_bytes(const struct spirv_member *m)
{
	const struct spirv_type *x = matrix_in(m->type);

	if (!x || !m->matrix_stride || m->type != x)
		return m->type->bytes;
	return (uint64_t)m->matrix_stride * (m->row_major ? x->element->count : x->count);
}

static void read_struct(struct spirv *s)
{
	struct spirv_type *t = type_new(s, SPIRV_STRUCT);
	uint64_t leaves = 0, end = 0;
	bool packed = spirv_is_decorated(s, t->id, SPIRV_DECORATION_C_PACKED);

	t->count = s->in.count - 2;
	t->members = arena_array(s->arena, t->count, sizeof(*t->members));
	t->block = spirv_is_decorated(s, t->id, SPIRV_DECORATION_BLOCK);
	t->buffer_block = spirv_is_decorated(s, t->id, SPIRV_DECORATION_BUFFER_BLOCK);
	for (uint32_t k = 0; k < t->count; k++) {
		struct spirv_member *m = &t->members[k];
		uint32_t natural;

		m->type = spirv_type_of(s, spirv_word(s, 2 + k));
		if (m->type->kind == SPIRV_VOID || m->type->kind == SPIRV_FUNCTION)
			spirv_fail(s, "member %u has the type %s", k,
				   spirv_id_name(s, m->type->id));
		natural = packed ? 1 : m->type->align;
		m->matrix_stride = member_number(s, t->id, k, SPIRV_DECORATION_MATRIX_STRIDE, 0);
		m->row_major = member_has(s, t->id, k, SPIRV_DECORATION_ROW_MAJOR);
		m->coherent = member_has(s, t->id, k, SPIRV_DECORATION_COHERENT);
		m->is_volatile = member_has(s, t->id, k, SPIRV_DECORATION_VOLATILE);
		m->non_writable = member_has(s, t->id, k, SPIRV_DECORATION_NON_WRITABLE);
		m->builtin =
			(int32_t)member_number(s, t->id, k, SPIRV_DECORATION_BUILT_IN, UINT32_MAX);
		t->decorated |= member_has(s, t->id, k, SPIRV_DECORATION_OFFSET);
		m->offset = member_number(s, t->id, k, SPIRV_DECORATION_OFFSET, 0);
		if (!member_has(s, t->id, k, SPIRV_DECORATION_OFFSET))
			m->offset = align_up(end, natural);
		m->leaf = leaves > UINT32_MAX ? UINT32_MAX : (uint32_t)leaves;
		leaves += m->type->leaves;
		if (m->offset + member_bytes(m) > end)
			end = m->offset + member_bytes(m);
		t->align = natural > t->align ? natural : t->align;
		t->depth = m->type->depth >= t->depth ? m->type->depth + 1 : t->depth;
	}
	t->bytes = align_up(end, t->align);
	check_size(s, t, leaves);
	enter(s, t);
}

static void set_pointer(struct spirv *s, struct spirv_type *t, uint32_t storage,
			const struct spirv_type *pointee)
{
	t->storage = storage;
	t->element = pointee;
	t->leaves = spirv_pointer_leaf_count(storage);
	t->bits = storage == SPIRV_CLASS_WORKGROUP || storage == SPIRV_CLASS_FUNCTION ||
				  storage == SPIRV_CLASS_PRIVATE
			  ? 32
			  : 64;
	t->ir = t->bits == 32 ? IR_B32 : IR_B64;
	t->bytes = t->align = t->leaves * 8u > 8 ? t->leaves * 8u : t->bits / 8u;
	/* To OpenCL C, all pointers have 64 bits. */
	if (s->kernel_environment && t->leaves == 1)
		t->bytes = 8;
	if (t->leaves == 3 || s->kernel_environment)
		t->align = 8;
}

/* A pointer may point to a structure that is declared later: its type is filled in then. */
static void read_pointer(struct spirv *s)
{
	bool forward = s->in.opcode == SPIRV_OP_TYPE_FORWARD_POINTER;
	struct spirv_id *x = spirv_id_of(s, spirv_word(s, 1));
	struct spirv_type *t;

	if (x->kind == SPIRV_ID_TYPE && (x->type->kind != SPIRV_POINTER || x->type->element))
		spirv_fail(s, "%s is defined twice", spirv_id_name(s, spirv_word(s, 1)));
	t = x->kind == SPIRV_ID_TYPE ? x->type : type_new(s, SPIRV_POINTER);
	set_pointer(s, t, spirv_word(s, 2), forward ? NULL : spirv_type_of(s, spirv_word(s, 3)));
	enter(s, t);
}

static void read_function(struct spirv *s)
{
	struct spirv_type *t = type_new(s, SPIRV_FUNCTION);

	t->element = spirv_type_of(s, spirv_word(s, 2));
	t->count = s->in.count - 3;
	t->parameters = arena_array(s->arena, t->count, sizeof(const void *));
	for (uint32_t k = 0; k < t->count; k++)
		t->parameters[k] = spirv_type_of(s, spirv_word(s, 3 + k));
	enter(s, t);
}

static void read_handle(struct spirv *s, enum spirv_kind kind)
{
	struct spirv_type *t = type_new(s, kind);

	t->ir = IR_B64;
	t->bits = 64;
	t->bytes = t->align = 8;
	t->leaves = 1;
	if (kind == SPIRV_SAMPLED_IMAGE) {
		t->element = spirv_type_of(s, spirv_word(s, 2));
		if (t->element->kind != SPIRV_IMAGE)
			spirv_fail(s, "%s is no image", spirv_id_name(s, t->element->id));
		t->leaves = 2; /* of the texture and of the sampler */
	}
	if (kind == SPIRV_IMAGE) {
		t->element = spirv_type_of(s, spirv_word(s, 2));
		t->dim = (uint8_t)spirv_word(s, 3);
		t->depth_image = spirv_word(s, 4) == 1;
		t->arrayed = spirv_word(s, 5) == 1;
		t->multisampled = spirv_word(s, 6) == 1;
		t->sampled = (uint8_t)spirv_word(s, 7);
		t->format = spirv_word(s, 8);
	}
	enter(s, t);
}

void spirv_read_type(struct spirv *s)
{
	struct spirv_type *t;

	switch (s->in.opcode) {
	case SPIRV_OP_TYPE_VOID:
	case SPIRV_OP_TYPE_BOOL:
		t = type_new(s, s->in.opcode == SPIRV_OP_TYPE_VOID ? SPIRV_VOID : SPIRV_BOOL);
		t->leaves = t->kind == SPIRV_BOOL;
		t->ir = t->leaves ? IR_B1 : IR_VOID;
		t->bits = 1;
		t->bytes = t->align = t->leaves ? 4 : 1;
		enter(s, t);
		break;
	case SPIRV_OP_TYPE_INT:
	case SPIRV_OP_TYPE_FLOAT:
		read_scalar(s);
		break;
	case SPIRV_OP_TYPE_VECTOR:
	case SPIRV_OP_TYPE_MATRIX:
		read_vector(s);
		break;
	case SPIRV_OP_TYPE_ARRAY:
	case SPIRV_OP_TYPE_RUNTIME_ARRAY:
		read_array(s);
		break;
	case SPIRV_OP_TYPE_STRUCT:
		read_struct(s);
		break;
	case SPIRV_OP_TYPE_POINTER:
	case SPIRV_OP_TYPE_FORWARD_POINTER:
		read_pointer(s);
		break;
	case SPIRV_OP_TYPE_FUNCTION:
		read_function(s);
		break;
	case SPIRV_OP_TYPE_IMAGE:
		read_handle(s, SPIRV_IMAGE);
		break;
	case SPIRV_OP_TYPE_SAMPLER:
		read_handle(s, SPIRV_SAMPLER);
		break;
	case SPIRV_OP_TYPE_SAMPLED_IMAGE:
		read_handle(s, SPIRV_SAMPLED_IMAGE);
		break;
	case SPIRV_OP_TYPE_COOPERATIVE_MATRIX_KHR:
		t = type_new(s, SPIRV_ARRAY);
		spirv_read_cooperative_matrix(s, t);
		enter(s, t);
		break;
	case SPIRV_OP_TYPE_EVENT:
		read_handle(s, SPIRV_EVENT);
		break;
	default:
		spirv_fail(s, "this type is not supported");
	}
}

const struct spirv_type *spirv_pointer_type(struct spirv *s, uint32_t storage,
					    const struct spirv_type *pointee)
{
	struct spirv_type *t = arena_alloc(s->arena, sizeof(*t));

	t->kind = SPIRV_POINTER;
	set_pointer(s, t, storage, pointee);
	return t;
}
