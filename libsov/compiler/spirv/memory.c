// SPDX-License-Identifier: MIT
/*
 * Loads and stores, piece by piece: a vector whose elements are adjacent and aligned is one access
 * of two or four, everything else scalars, which later passes merge. With robust access, each piece
 * of a buffer is checked: beyond the end a load gives zeros and a store does nothing.
 */
#include "libsov/compiler/spirv/front_end.h"

#define MEMORY_VOLATILE    1u
#define MEMORY_ALIGNED     2u
#define MEMORY_AVAILABLE   8u
#define MEMORY_VISIBLE     16u
#define MEMORY_NON_PRIVATE 32u

static uint32_t known_align(const struct spirv_pointer *p, int64_t at)
{
	uint64_t low = (uint64_t)at & -(uint64_t)at;
	uint32_t align = p->align ? p->align : 1;

	return low && low < align ? (uint32_t)low : align;
}

static bool is_checked(const struct spirv *s, const struct spirv_pointer *p)
{
	return s->options->robust && p->bytes && p->space == IR_GLOBAL;
}

/* Whether bytes from the pointer's place + at on are in the buffer. */
static ir_val in_bounds(struct spirv *s, const struct spirv_pointer *p, int64_t at, uint64_t bytes)
{
	ir_val from = spirv_const(s, IR_B64, (uint64_t)(p->imm + at)), room, first, second;

	if (p->offset)
		from = spirv_op(s, IR_ADD, IR_B64, p->offset, from, 0);
	room = spirv_op(s, IR_SUB, IR_B64, p->bytes, from, 0);
	first = spirv_compare(s, IR_ICMP, IR_B64, IR_LE_U, from, p->bytes);
	second = spirv_compare(s, IR_ICMP, IR_B64, IR_GE_U, room, spirv_const(s, IR_B64, bytes));
	return spirv_op(s, IR_AND, IR_B1, first, second, 0);
}

static ir_block begin_check(struct spirv *s, const struct spirv_pointer *p, int64_t at,
			    uint64_t bytes)
{
	ir_val good;
	ir_block inside, after;

	if (!is_checked(s, p))
		return 0;
	good = in_bounds(s, p, at, bytes);
	inside = spirv_block_new(s);
	after = spirv_block_new(s);
	spirv_branch(s, good, inside, after);
	s->block = inside;
	return after;
}

ir_block spirv_begin_access(struct spirv *s, const struct spirv_pointer *p, uint64_t bytes)
{
	return begin_check(s, p, 0, bytes);
}

static void set_access(struct spirv *s, const struct spirv_pointer *p, ir_id i, int64_t imm,
		       uint32_t align)
{
	struct ir_inst *in = ir_at(s->f, i);
	bool shared =
		p->space == IR_GLOBAL || p->space == IR_GENERIC_SPACE || p->space == IR_SHARED;

	in->imm = (uint64_t)imm;
	in->space = p->space;
	in->align = align > 16 ? 16 : align;
	if (p->invariant && in->op == IR_LOAD)
		in->flags |= IR_INVARIANT;
	if (!shared)
		return;
	if (p->is_volatile) {
		in->order = IR_RELAXED;
		in->scope = IR_SCOPE_SYS;
		in->flags = (in->flags & ~IR_INVARIANT) | IR_VOLATILE;
	} else if (p->coherent) {
		in->order = IR_RELAXED;
		in->scope = IR_SCOPE_GPU;
		in->flags &= ~IR_INVARIANT;
	}
}

/* Loads or stores n adjacent scalars (1, 2 or 4) of a type in memory. */
static void access_piece(struct spirv *s, const struct spirv_pointer *p, enum ir_type t, int64_t at,
			 uint32_t n, ir_val *leaves, bool store)
{
	uint32_t bytes = ir_type_bits(t) / 8, align = known_align(p, p->imm + at);
	uint32_t registers[4];
	ir_val args[5];
	ir_block after;
	int64_t imm;
	ir_id i;

	if (!store && is_checked(s, p))
		for (uint32_t k = 0; k < n; k++) {
			registers[k] = spirv_reg_new(s, t);
			spirv_write_reg(s, registers[k], spirv_const(s, t, 0));
		}
	after = begin_check(s, p, at, (uint64_t)n * bytes);
	args[0] = spirv_address(s, p, &imm);
	for (uint32_t k = 0; store && k < n; k++)
		args[!!args[0] + k] = leaves[k];
	i = spirv_emit(s, store ? IR_STORE : IR_LOAD, t, store ? 0 : n,
		       (args[0] ? 1 : 0) + (store ? n : 0), args);
	set_access(s, p, i, imm + at, align);
	for (uint32_t k = 0; !store && k < n; k++)
		leaves[k] = ir_at(s->f, i)->res + k;
	if (!after)
		return;
	for (uint32_t k = 0; !store && k < n; k++)
		spirv_write_reg(s, registers[k], leaves[k]);
	spirv_jump(s, after);
	s->block = after;
	for (uint32_t k = 0; !store && k < n; k++)
		leaves[k] = spirv_read_reg(s, registers[k], t);
}

/* A scalar in memory; booleans have four bytes there. */
static void access_scalar(struct spirv *s, const struct spirv_pointer *p, enum ir_type t,
			  int64_t at, ir_val *leaf, bool store)
{
	ir_val word;

	if (t != IR_B1) {
		access_piece(s, p, t, at, 1, leaf, store);
		return;
	}
	word = store ? spirv_resize(s, *leaf, IR_B32, false) : 0;
	access_piece(s, p, IR_B32, at, 1, &word, store);
	if (!store)
		*leaf = spirv_compare(s, IR_ICMP, IR_B32, IR_NE, word, spirv_const(s, IR_B32, 0));
}

static void access_vector(struct spirv *s, const struct spirv_pointer *p,
			  const struct spirv_type *t, int64_t at, uint64_t stride, ir_val *leaves,
			  bool store)
{
	const struct spirv_type *e = t->element;

	for (uint32_t k = 0; k < t->count;) {
		uint32_t n = 4, align = known_align(p, p->imm + at + (int64_t)(k * stride));

		while (n > 1 && (n > t->count - k || n * e->bytes > 16 || align < n * e->bytes))
			n /= 2;
		if (stride != e->bytes || e->kind == SPIRV_BOOL)
			n = 1;
		if (n == 1)
			access_scalar(s, p, e->ir, at + (int64_t)(k * stride), leaves + k, store);
		else
			access_piece(s, p, e->ir, at + (int64_t)(k * stride), n, leaves + k, store);
		k += n;
	}
}

static void access_value(struct spirv *s, const struct spirv_pointer *p, const struct spirv_type *t,
			 int64_t at, uint32_t matrix_stride, bool row_major, ir_val *leaves,
			 bool store)
{
	bool by_rows = row_major && matrix_stride;

	switch (t->kind) {
	case SPIRV_STRUCT:
		for (uint32_t k = 0; k < t->count; k++) {
			const struct spirv_member *m = &t->members[k];

			access_value(s, p, m->type, at + (int64_t)m->offset, m->matrix_stride,
				     m->row_major, leaves + m->leaf, store);
		}
		break;
	case SPIRV_ARRAY:
		for (uint32_t k = 0; k < t->count; k++)
			access_value(s, p, t->element, at + (int64_t)(k * t->stride), matrix_stride,
				     row_major, leaves + (size_t)k * t->element->leaves, store);
		break;
	case SPIRV_MATRIX:
		for (uint32_t k = 0; k < t->count; k++) {
			uint64_t column = by_rows         ? t->element->element->bytes
					  : matrix_stride ? matrix_stride
							  : t->stride;

			access_vector(s, p, t->element, at + (int64_t)(k * column),
				      by_rows ? matrix_stride : t->element->stride,
				      leaves + (size_t)k * t->element->leaves, store);
		}
		break;
	case SPIRV_VECTOR:
		access_vector(s, p, t, at, p->column ? p->matrix_stride : t->stride, leaves, store);
		break;
	case SPIRV_POINTER:
		for (uint32_t k = 0; k < t->leaves; k++)
			access_piece(s, p, spirv_pointer_leaf_type(t->storage, k), at + 8 * k, 1,
				     leaves + k, store);
		break;
	case SPIRV_BOOL:
	case SPIRV_INT:
	case SPIRV_FLOAT:
	case SPIRV_EVENT:
		access_scalar(s, p, t->ir, at, leaves, store);
		break;
	default:
		spirv_fail(s, "values of the type %s are not in memory", spirv_id_name(s, t->id));
	}
}

void spirv_load(struct spirv *s, const struct spirv_pointer *p, const struct spirv_type *t,
		ir_val *leaves)
{
	if (t->leaves > SPIRV_MAX_LEAVES)
		spirv_fail(s, "a value of %u scalars; the maximum is %d", t->leaves,
			   SPIRV_MAX_LEAVES);
	access_value(s, p, t, 0, p->matrix_stride, p->row_major, leaves, false);
}

void spirv_store(struct spirv *s, const struct spirv_pointer *p, const struct spirv_type *t,
		 const ir_val *leaves)
{
	access_value(s, p, t, 0, p->matrix_stride, p->row_major, (ir_val *)leaves, true);
}

void spirv_memory_operands(struct spirv *s, struct spirv_pointer *p, uint32_t k)
{
	uint32_t mask = spirv_optional(s, k, 0), align;

	p->is_volatile |= mask & MEMORY_VOLATILE;
	if (mask & MEMORY_ALIGNED) {
		align = spirv_word(s, k + 1);
		if (!align || align & (align - 1))
			spirv_fail(s, "alignment %u is not a power of two", align);
		/* promised of the address itself */
		if (p->storage == SPIRV_CLASS_PHYSICAL_STORAGE_BUFFER || s->kernel_environment) {
			if (p->offset || p->imm || align < p->align) {
				int64_t imm;

				p->base = spirv_address(s, p, &imm);
				p->imm = imm;
				p->offset = 0;
			}
			p->align = known_align(p, p->imm) < align && !p->imm ? align : p->align;
		}
	}
	if (mask & (MEMORY_AVAILABLE | MEMORY_VISIBLE))
		p->coherent = true;
}

/* Handles of images and samplers are values. */
static bool load_handle(struct spirv *s, const struct spirv_pointer *p, const struct spirv_type *t)
{
	ir_val *out;

	if (p->target != SPIRV_DESCRIPTORS || t->kind < SPIRV_IMAGE)
		return false;
	out = spirv_result(s, t);
	for (uint32_t k = 0; k < t->leaves; k++)
		out[k] = spirv_descriptor_word(s, p, k);
	spirv_id_of(s, spirv_word(s, 2))->value.coherent =
		p->variable->coherent || p->variable->is_volatile;
	return true;
}

void spirv_lower_load(struct spirv *s, uint32_t detail)
{
	const struct spirv_type *t = spirv_result_type(s);
	struct spirv_pointer p = *spirv_pointer_of(s, spirv_word(s, 3));
	ir_val *out;

	(void)detail;
	if (!p.pointee || p.pointee->leaves != t->leaves || p.pointee->kind != t->kind)
		spirv_fail(s, "%s does not point to the type of the result",
			   spirv_id_name(s, spirv_word(s, 3)));
	if (load_handle(s, &p, t))
		return;
	out = spirv_result(s, t);
	if (p.target == SPIRV_BUILTIN_VALUE) {
		for (uint32_t k = 0; k < t->leaves; k++)
			out[k] = p.values[k];
		return;
	}
	p = spirv_resolve(s, &p);
	spirv_memory_operands(s, &p, 4);
	spirv_load(s, &p, t, out);
}

static void check_writable(struct spirv *s, const struct spirv_pointer *p)
{
	if (p->target == SPIRV_BUILTIN_VALUE || p->space == IR_PARAM || p->space == IR_CONSTANT)
		spirv_fail(s, "the memory cannot be written");
}

void spirv_lower_store(struct spirv *s, uint32_t detail)
{
	struct spirv_pointer p = *spirv_pointer_of(s, spirv_word(s, 1));
	uint32_t id = spirv_word(s, 2);
	const struct spirv_type *t = spirv_value_type(s, id);
	const ir_val *leaves;

	(void)detail;
	if (!p.pointee || p.pointee->leaves != t->leaves || p.pointee->kind != t->kind)
		spirv_fail(s, "%s does not point to the type of %s",
			   spirv_id_name(s, spirv_word(s, 1)), spirv_id_name(s, id));
	check_writable(s, &p);
	p = spirv_resolve(s, &p);
	spirv_memory_operands(s, &p, 3);
	leaves = spirv_leaves(s, id);
	for (uint32_t k = 0; k < t->leaves; k++)
		if (spirv_type_of_val(s, leaves[k]) != spirv_leaf_type(p.pointee, k))
			spirv_fail(s, "%s has another type than the memory", spirv_id_name(s, id));
	spirv_store(s, &p, p.pointee, leaves);
}

/* detail 1: of a number of bytes */
void spirv_lower_copy_memory(struct spirv *s, uint32_t detail)
{
	struct spirv_pointer to = *spirv_pointer_of(s, spirv_word(s, 1)),
			     from = *spirv_pointer_of(s, spirv_word(s, 2));
	const struct spirv_type *t = from.pointee;
	ir_val *leaves;
	uint64_t bytes;

	check_writable(s, &to);
	to = spirv_resolve(s, &to);
	from = spirv_resolve(s, &from);
	if (detail) {
		bytes = spirv_constant_integer(s, spirv_word(s, 3), "the size");
		if (bytes > SPIRV_MAX_LEAVES)
			spirv_fail(s, "a copy of %llu bytes; the maximum is %d",
				   (unsigned long long)bytes, SPIRV_MAX_LEAVES);
		for (uint64_t at = 0; at < bytes;) {
			uint32_t width = 8;
			ir_val v;
			enum ir_type wide = IR_B64;

			while (width > 1 && (width > bytes - at ||
					     known_align(&to, to.imm + (int64_t)at) < width ||
					     known_align(&from, from.imm + (int64_t)at) < width))
				width /= 2, wide--;
			access_piece(s, &from, wide, (int64_t)at, 1, &v, false);
			access_piece(s, &to, wide, (int64_t)at, 1, &v, true);
			at += width;
		}
		return;
	}
	if (!t || !to.pointee || to.pointee->leaves != t->leaves)
		spirv_fail(s, "the pointers point to different types");
	spirv_memory_operands(s, &to, 3);
	leaves = arena_array(s->arena, t->leaves + 1, sizeof(*leaves));
	spirv_load(s, &from, t, leaves);
	for (uint32_t k = 0; k < t->leaves; k++)
		if (spirv_leaf_type(t, k) != spirv_leaf_type(to.pointee, k))
			spirv_fail(s, "the pointers point to different types");
	spirv_store(s, &to, to.pointee, leaves);
}
