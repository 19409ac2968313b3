// SPDX-License-Identifier: MIT
/*
 * Pointers: variables, access chains, and how a pointer becomes values. A pointer to a resource
 * names its descriptor until an access chain enters the block behind it. A pointer to a buffer has
 * three leaves: the buffer's address and size, and an offset, from which array lengths and bounds
 * checks follow.
 */
#include <string.h>
#include "libsov/compiler/spirv/front_end.h"

static bool is_buffer(uint32_t storage)
{
	return storage == SPIRV_CLASS_UNIFORM || storage == SPIRV_CLASS_STORAGE_BUFFER;
}

uint32_t spirv_pointer_leaf_count(uint32_t storage)
{
	return is_buffer(storage) ? 3 : 1;
}

static enum ir_space space_of(struct spirv *s, uint32_t storage)
{
	switch (storage) {
	case SPIRV_CLASS_UNIFORM:
	case SPIRV_CLASS_STORAGE_BUFFER:
	case SPIRV_CLASS_PHYSICAL_STORAGE_BUFFER:
	case SPIRV_CLASS_CROSS_WORKGROUP:
		return IR_GLOBAL;
	case SPIRV_CLASS_WORKGROUP:
		return IR_SHARED;
	case SPIRV_CLASS_FUNCTION:
	case SPIRV_CLASS_PRIVATE:
		return IR_LOCAL;
	case SPIRV_CLASS_PUSH_CONSTANT:
		return IR_PARAM;
	case SPIRV_CLASS_GENERIC:
		return IR_GENERIC_SPACE;
	case SPIRV_CLASS_UNIFORM_CONSTANT: /* OpenCL's constant buffers are the host's */
		return s->kernel_environment ? IR_GLOBAL : IR_CONSTANT;
	default:
		spirv_fail(s, "pointers of storage class %u are not supported here", storage);
	}
}

enum ir_type spirv_pointer_leaf_type(uint32_t storage, uint32_t k)
{
	(void)k;
	return storage == SPIRV_CLASS_WORKGROUP || storage == SPIRV_CLASS_FUNCTION ||
			       storage == SPIRV_CLASS_PRIVATE ||
			       storage == SPIRV_CLASS_PUSH_CONSTANT
		       ? IR_B32
		       : IR_B64;
}

/* ---- variables ---- */

static uint32_t symbol_new(struct spirv *s, const struct spirv_variable *v, enum ir_space space)
{
	const char *name = s->ids[v->id].name;
	struct ir_symbol symbol = {
		.space = space,
		.align = v->type->align < 16 ? 16 : v->type->align,
		.size = v->type->bytes ? v->type->bytes : 4,
		.owner = space == IR_LOCAL ? s->f : NULL,
		.logical = !s->kernel_environment,
		.init = space == IR_GLOBAL ? spirv_initial_bytes(s, v) : NULL,
	};
	struct text clean = {.arena = s->arena};

	for (; name && *name; name++)
		text_printf(&clean, "%c",
			    strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUV"
				   "WXYZ0123456789_",
				   *name)
				    ? *name
				    : '_');
	if (space == IR_LOCAL) /* which has no more; what is known of an address follows */
		symbol.align = 16;
	if (v->type->kind == SPIRV_RUNTIME_ARRAY)
		spirv_fail(s, "the variable %s has no size", spirv_id_name(s, v->id));
	symbol.name =
		arena_printf(s->arena, "%s.%u.%u", clean.s ? clean.s : "v", v->id, s->nlocals++);
	if (symbol.size > (UINT64_C(1) << 30))
		spirv_fail(s, "the variable %s has %llu bytes", spirv_id_name(s, v->id),
			   (unsigned long long)symbol.size);
	return ir_symbol_new(s->module, &symbol);
}

static struct spirv_pointer memory_of(struct spirv *s, const struct spirv_variable *v,
				      enum ir_space space)
{
	struct spirv_pointer p = {.pointee = v->type, .storage = v->storage, .space = space};
	ir_id i = spirv_emit(s, IR_ADDR, space == IR_SHARED || space == IR_LOCAL ? IR_B32 : IR_B64,
			     1, 0, NULL);

	ir_at(s->f, i)->symbol = v->symbol - 1;
	p.base = ir_at(s->f, i)->res;
	p.align = s->module->symbols[v->symbol - 1].align;
	p.coherent = v->coherent;
	p.is_volatile = v->is_volatile;
	return p;
}

/* The memory of a kernel argument that is passed by value, as the function sees it. */
struct spirv_pointer spirv_argument_copy(struct spirv *s, const struct spirv_type *t, uint32_t id,
					 uint32_t param)
{
	struct spirv_variable v = {.id = id, .storage = SPIRV_CLASS_FUNCTION, .type = t};
	struct spirv_pointer from = {.pointee = t, .space = IR_PARAM, .align = 16}, to;
	ir_val *leaves = arena_array(s->arena, t->leaves + 1, sizeof(*leaves));

	from.imm = param;
	v.symbol = 1 + symbol_new(s, &v, IR_LOCAL);
	to = memory_of(s, &v, IR_LOCAL);
	spirv_load(s, &from, t, leaves);
	spirv_store(s, &to, t, leaves);
	return to;
}

/* Makes the memory of a Function or Private variable, with its initial value. */
void spirv_local_variable(struct spirv *s, struct spirv_variable *v)
{
	struct spirv_pointer p;

	v->symbol = 1 + symbol_new(s, v, IR_LOCAL);
	if (!v->initializer || v->initializer->undef)
		return;
	p = memory_of(s, v, IR_LOCAL);
	spirv_store(s, &p, v->type, spirv_constant_leaves(s, v->initializer));
}

void spirv_lower_variable(struct spirv *s, uint32_t detail)
{
	struct spirv_variable *v = arena_alloc(s->arena, sizeof(*v));
	const struct spirv_type *t = spirv_result_type(s);
	struct spirv_pointer p;

	(void)detail;
	if (t->kind != SPIRV_POINTER || !t->element || spirv_word(s, 3) != SPIRV_CLASS_FUNCTION ||
	    t->storage != SPIRV_CLASS_FUNCTION)
		spirv_fail(s, "a variable in a function has the storage class Function");
	v->id = spirv_word(s, 2);
	v->storage = SPIRV_CLASS_FUNCTION;
	v->type = t->element;
	v->symbol = 1 + symbol_new(s, v, IR_LOCAL);
	p = memory_of(s, v, IR_LOCAL);
	if (s->in.count > 4)
		spirv_store(s, &p, v->type, spirv_operand(s, 4, v->type->leaves));
	spirv_set_pointer(s, v->id, t, &p);
}

/* Blocks in workgroup memory share it, as unions do. */
static void share_workgroup_block(struct spirv *s, struct spirv_variable *v)
{
	for (uint32_t k = 0; k < s->nvariables; k++) {
		const struct spirv_variable *other = s->variables[k];
		struct ir_symbol *symbol;

		if (other == v || !other->symbol || other->storage != SPIRV_CLASS_WORKGROUP ||
		    !other->type->block)
			continue;
		v->symbol = other->symbol;
		symbol = &s->module->symbols[v->symbol - 1];
		if (symbol->size < v->type->bytes)
			symbol->size = v->type->bytes;
		return;
	}
}

struct spirv_pointer spirv_variable_pointer(struct spirv *s, struct spirv_variable *v)
{
	struct spirv_pointer p = {.pointee = v->type, .storage = v->storage, .variable = v};

	switch (v->storage) {
	case SPIRV_CLASS_INPUT:
		p.target = SPIRV_BUILTIN_VALUE;
		spirv_set_builtin(s, v, &p);
		return p;
	case SPIRV_CLASS_PUSH_CONSTANT:
		p.space = IR_PARAM;
		p.imm = v->param;
		p.align = 16;
		p.invariant = true;
		return p;
	case SPIRV_CLASS_WORKGROUP:
		if (!v->symbol && v->type->block)
			share_workgroup_block(s, v);
		if (!v->symbol)
			v->symbol = 1 + symbol_new(s, v, IR_SHARED);
		return memory_of(s, v, IR_SHARED);
	case SPIRV_CLASS_PRIVATE:
		if (!v->symbol)
			spirv_local_variable(s, v);
		return memory_of(s, v, IR_LOCAL);
	case SPIRV_CLASS_CROSS_WORKGROUP:
	case SPIRV_CLASS_UNIFORM_CONSTANT:
		if (s->kernel_environment && !v->has_binding) {
			if (!v->symbol)
				v->symbol = 1 + symbol_new(s, v, IR_GLOBAL);
			p = memory_of(s, v, IR_GLOBAL);
			p.invariant = v->storage == SPIRV_CLASS_UNIFORM_CONSTANT;
			return p;
		}
		/* fall through */
	case SPIRV_CLASS_UNIFORM:
	case SPIRV_CLASS_STORAGE_BUFFER:
		if (!v->used)
			spirv_fail(s, "%s is not in use", spirv_id_name(s, v->id));
		p.target = SPIRV_DESCRIPTORS;
		p.space = IR_GLOBAL;
		return p;
	default:
		spirv_fail(s, "variables of storage class %u are not supported", v->storage);
	}
}

const struct spirv_pointer *spirv_pointer_of(struct spirv *s, uint32_t id)
{
	const struct spirv_id *x = spirv_id_of(s, id);
	struct spirv_pointer *p;
	const struct spirv_value *v;

	if (x->kind == SPIRV_ID_VARIABLE) {
		p = arena_alloc(s->arena, sizeof(*p));
		*p = spirv_variable_pointer(s, x->variable);
		return p;
	}
	v = spirv_value_of(s, id);
	if (v->type->kind != SPIRV_POINTER)
		spirv_fail(s, "%s is no pointer", spirv_id_name(s, id));
	if (v->pointer)
		return v->pointer;
	p = arena_alloc(s->arena, sizeof(*p));
	*p = spirv_pointer_from_leaves(s, v->type, v->leaves);
	return p;
}

/* ---- descriptors ---- */

uint32_t spirv_descriptor_bytes(const struct spirv_type *t)
{
	switch (t->kind) {
	case SPIRV_STRUCT:
	case SPIRV_SAMPLED_IMAGE:
		return 16;
	case SPIRV_IMAGE:
		return t->sampled == 2 ? 48 : 8;
	default:
		return 8;
	}
}

static ir_val wide_index(struct spirv *s, ir_val index, ir_val stride)
{
	return spirv_op(s, IR_MUL, IR_B64, spirv_resize(s, index, IR_B64, false), stride, 0);
}

/* An array of the descriptors of blocks, to which a pointer value may point. */
static bool is_descriptor_array(uint32_t storage, const struct spirv_type *t)
{
	return is_buffer(storage) && t &&
	       (t->kind == SPIRV_ARRAY || t->kind == SPIRV_RUNTIME_ARRAY) &&
	       t->element->kind == SPIRV_STRUCT && (t->element->block || t->element->buffer_block);
}

static bool in_memory(const struct spirv *s, const struct spirv_pointer *p)
{
	return p->base ||
	       (s->options->layout ? !p->variable->row->set_bytes : p->variable->by_address);
}

static uint32_t stride_of(const struct spirv *s, const struct spirv_variable *v,
			  const struct spirv_type *t)
{
	return s->options->layout ? v->row->stride : spirv_descriptor_bytes(t);
}

ir_val spirv_descriptor_word(struct spirv *s, const struct spirv_pointer *p, uint32_t word)
{
	bool memory = in_memory(s, p);
	uint64_t constant = 0;
	uint64_t offset = s->options->layout && !p->base ? p->variable->row->offset : 0;
	uint32_t stride = p->base ? 0 : stride_of(s, p->variable, p->pointee);
	ir_val index = p->index, at = 0, by = 0;
	bool dynamic = index && !spirv_is_constant(s, index, &constant);
	ir_id i;

	if (p->base) {
		at = p->base;
		by = index ? wide_index(s, index, p->bytes) : 0;
		constant = 0;
	} else {
		if (memory)
			at = spirv_param(s, IR_B64, p->variable->param);
		else
			offset += p->variable->param;
		if (dynamic)
			by = spirv_op(s, IR_MUL, IR_B32, index, spirv_const(s, IR_B32, stride), 0);
		if (dynamic && memory)
			by = spirv_resize(s, by, IR_B64, false);
	}
	if (!memory && !by)
		return spirv_param(s, IR_B64, (uint32_t)(offset + constant * stride + 8 * word));
	if (by)
		at = at ? spirv_op(s, IR_ADD, IR_B64, at, by, 0) : by;
	i = spirv_emit(s, IR_LOAD, IR_B64, 1, 1, &at);
	ir_at(s->f, i)->space = memory ? IR_GLOBAL : IR_PARAM;
	ir_at(s->f, i)->flags = IR_INVARIANT;
	/* The descriptors of a binding exist if the shader names the binding. */
	if (!by && s->options->layout && memory)
		ir_at(s->f, i)->flags |= IR_DEREFERENCEABLE;
	ir_at(s->f, i)->imm = offset + constant * stride + 8 * word;
	return ir_at(s->f, i)->res;
}

/* The data of an inline uniform block. */
static void resolve_inline(struct spirv *s, const struct spirv_pointer *p,
			   struct spirv_pointer *out)
{
	out->base = spirv_param(s, IR_B64, p->variable->param);
	out->imm = p->variable->row->offset;
	out->bytes = spirv_const(s, IR_B64, p->variable->row->offset + p->pointee->bytes);
	out->align = 8;
}

struct spirv_pointer spirv_resolve(struct spirv *s, const struct spirv_pointer *p)
{
	const struct spirv_variable *v = p->variable;
	struct spirv_pointer out = *p;

	if (p->target == SPIRV_MEMORY)
		return out;
	if (p->target != SPIRV_DESCRIPTORS || p->pointee->kind != SPIRV_STRUCT)
		spirv_fail(s, "the pointer does not point to memory");
	out.target = SPIRV_MEMORY;
	out.space = IR_GLOBAL;
	out.index = 0;
	out.coherent = v && v->coherent;
	out.is_volatile = v && v->is_volatile;
	out.invariant = (p->storage == SPIRV_CLASS_UNIFORM && !p->pointee->buffer_block) ||
			(v && v->non_writable && v->restricted);
	if (v && v->row && s->options->layout && v->row->inline_data) {
		resolve_inline(s, p, &out);
		return out;
	}
	out.base = spirv_descriptor_word(s, p, 0);
	out.bytes = spirv_descriptor_word(s, p, 1);
	out.align = SPIRV_BUFFER_ALIGN;
	return out;
}

/* ---- leaves ---- */

/* A pointer to an array of descriptors: the address of the first one, and their stride. */
static ir_val *descriptor_array_leaves(struct spirv *s, const struct spirv_pointer *p,
				       ir_val *leaves)
{
	uint64_t offset = s->options->layout && !p->base ? p->variable->row->offset : 0;

	if (!in_memory(s, p))
		spirv_fail(s, "a pointer that selects one of several arrays of descriptors needs "
			      "descriptors in memory (sov_spirv_options)");
	leaves[0] = p->base;
	leaves[1] = p->bytes;
	leaves[2] = spirv_const(s, IR_B64, 0);
	if (p->base)
		return leaves;
	leaves[0] = spirv_param(s, IR_B64, p->variable->param);
	if (offset)
		leaves[0] =
			spirv_op(s, IR_ADD, IR_B64, leaves[0], spirv_const(s, IR_B64, offset), 0);
	leaves[1] = spirv_const(s, IR_B64, stride_of(s, p->variable, p->pointee->element));
	return leaves;
}

ir_val *spirv_pointer_leaves(struct spirv *s, const struct spirv_pointer *given)
{
	ir_val *leaves = arena_array(s->arena, 3, sizeof(*leaves));
	struct spirv_pointer p;
	int64_t imm;

	if (given->target == SPIRV_DESCRIPTORS &&
	    is_descriptor_array(given->storage, given->pointee))
		return descriptor_array_leaves(s, given, leaves);
	p = spirv_resolve(s, given);
	if (!is_buffer(p.storage)) {
		enum ir_type t = spirv_pointer_leaf_type(p.storage, 0);

		leaves[0] = spirv_address(s, &p, &imm);
		if (!leaves[0])
			leaves[0] = spirv_const(s, t, (uint64_t)imm);
		else if (imm)
			leaves[0] = spirv_op(s, IR_ADD, t, leaves[0],
					     spirv_const(s, t, (uint64_t)imm), 0);
		return leaves;
	}
	leaves[0] = p.base;
	leaves[1] = p.bytes;
	leaves[2] = p.offset ? p.offset : spirv_const(s, IR_B64, 0);
	if (p.imm)
		leaves[2] = spirv_op(s, IR_ADD, IR_B64, leaves[2],
				     spirv_const(s, IR_B64, (uint64_t)p.imm), 0);
	return leaves;
}

/* The alignment that every object of a type has. */
static uint32_t scalar_align(const struct spirv_type *t)
{
	uint32_t align = 16;

	while (t && (t->kind == SPIRV_VECTOR || t->kind == SPIRV_MATRIX || t->kind == SPIRV_ARRAY ||
		     t->kind == SPIRV_RUNTIME_ARRAY))
		t = t->element;
	if (!t)
		return 1;
	if (t->kind == SPIRV_STRUCT) {
		for (uint32_t k = 0; k < t->count; k++) {
			uint32_t a = scalar_align(t->members[k].type);

			align = a < align ? a : align;
		}
		return align;
	}
	return t->bytes && t->bytes <= 8 ? (uint32_t)t->bytes : t->align;
}

struct spirv_pointer spirv_pointer_from_leaves(struct spirv *s, const struct spirv_type *type,
					       const ir_val *leaves)
{
	struct spirv_pointer p = {.storage = type->storage,
				  .pointee = type->element,
				  .space = space_of(s, type->storage),
				  .base = leaves[0]};

	p.align = scalar_align(type->element);
	p.invariant = s->kernel_environment && p.storage == SPIRV_CLASS_UNIFORM_CONSTANT;
	if (is_descriptor_array(type->storage, type->element)) {
		p.target = SPIRV_DESCRIPTORS;
		p.bytes = leaves[1];
	} else if (is_buffer(type->storage)) {
		p.bytes = leaves[1];
		p.offset = leaves[2];
	}
	return p;
}

/* ---- access chains ---- */

static uint32_t lowest_bit(uint64_t n)
{
	return n ? (uint32_t)(n & -n & 0xfff) : 4096;
}

/* A product that is an offset in a buffer of less than 4 GiB. */
static ir_val narrow_product(struct spirv *s, ir_val index, uint64_t stride)
{
	ir_val args[2] = {index, spirv_const(s, IR_B32, stride)};
	ir_id i = spirv_emit(s, IR_MULWIDE_U, IR_B64, 1, 2, args);

	ir_at(s->f, i)->flags = IR_NARROW;
	return ir_at(s->f, i)->res;
}

void spirv_add_index(struct spirv *s, struct spirv_pointer *p, ir_val index, bool is_signed,
		     uint64_t stride, bool within)
{
	enum ir_type t =
		p->space == IR_GLOBAL || p->space == IR_GENERIC_SPACE || p->space == IR_CONSTANT
			? IR_B64
			: IR_B32;
	enum ir_type have = spirv_type_of_val(s, index);
	uint64_t constant;
	uint32_t align = lowest_bit(stride);
	ir_val by;

	if (spirv_is_constant(s, index, &constant)) {
		if (is_signed && have < IR_B64)
			constant = (uint64_t)((int64_t)(constant << (64 - ir_type_bits(have))) >>
					      (64 - ir_type_bits(have)));
		p->imm += (int64_t)(constant * stride);
		return;
	}
	if (have < IR_B32)
		index = spirv_resize(s, index, IR_B32, is_signed);
	if (t == IR_B64 && within && is_buffer(p->storage) && !s->options->robust &&
	    spirv_type_of_val(s, index) == IR_B32 && stride <= INT32_MAX) {
		by = narrow_product(s, index, stride);
	} else if (t == IR_B64 && spirv_type_of_val(s, index) == IR_B32 && stride <= INT32_MAX) {
		by = spirv_op(s, is_signed ? IR_MULWIDE_S : IR_MULWIDE_U, IR_B64, index,
			      spirv_const(s, IR_B32, stride), 0);
	} else {
		by = spirv_resize(s, index, t, is_signed);
		by = spirv_op(s, IR_MUL, t, by, spirv_const(s, t, stride), 0);
	}
	p->offset = p->offset ? spirv_op(s, IR_ADD, t, p->offset, by, 0) : by;
	if (align && align < p->align)
		p->align = align;
	else if (!align)
		p->align = p->align > 2048 ? 2048 : p->align;
}

static void enter_member(struct spirv *s, struct spirv_pointer *p, ir_val index)
{
	const struct spirv_member *m;
	uint64_t k;

	if (!spirv_is_constant(s, index, &k) || k >= p->pointee->count)
		spirv_fail(s, "the index of a member of %s is not a constant below %u",
			   spirv_id_name(s, p->pointee->id), p->pointee->count);
	m = &p->pointee->members[k];
	p->imm += (int64_t)m->offset;
	p->matrix_stride = m->matrix_stride;
	p->row_major = m->row_major;
	p->coherent |= m->coherent;
	p->is_volatile |= m->is_volatile;
	p->pointee = m->type;
}

/* Dynamic element of a built-in vector: a chain of selects. */
static void index_builtin(struct spirv *s, struct spirv_pointer *p, ir_val index)
{
	const struct spirv_type *t = p->pointee;
	ir_val *one = arena_array(s->arena, 1, sizeof(*one));
	uint64_t k;

	if (t->kind != SPIRV_VECTOR)
		spirv_fail(s, "%s has no elements", spirv_id_name(s, t->id));
	if (spirv_is_constant(s, index, &k) && k < t->count) {
		one[0] = p->values[k];
	} else {
		index = spirv_resize(s, index, IR_B32, false);
		one[0] = p->values[0];
		for (k = 1; k < t->count; k++)
			one[0] = spirv_select(s,
					      spirv_compare(s, IR_ICMP, IR_B32, IR_EQ, index,
							    spirv_const(s, IR_B32, k)),
					      p->values[k], one[0]);
	}
	p->values = one;
	p->pointee = t->element;
}

static void step(struct spirv *s, struct spirv_pointer *p, ir_val index, bool is_signed)
{
	const struct spirv_type *t = p->pointee;

	if (p->target == SPIRV_BUILTIN_VALUE) {
		index_builtin(s, p, index);
		return;
	}
	if (p->target == SPIRV_DESCRIPTORS && t->kind != SPIRV_STRUCT) {
		if (t->kind != SPIRV_ARRAY && t->kind != SPIRV_RUNTIME_ARRAY)
			spirv_fail(s, "%s has no elements", spirv_id_name(s, t->id));
		if (p->index)
			spirv_fail(s, "arrays of arrays of descriptors are not supported");
		p->index = spirv_resize(s, index, IR_B32, is_signed);
		p->pointee = t->element;
		return;
	}
	if (p->target == SPIRV_DESCRIPTORS)
		*p = spirv_resolve(s, p);
	switch (t->kind) {
	case SPIRV_STRUCT:
		enter_member(s, p, index);
		return;
	case SPIRV_ARRAY:
	case SPIRV_RUNTIME_ARRAY:
		spirv_add_index(s, p, index, is_signed, t->stride, true);
		break;
	case SPIRV_MATRIX:
		p->column = p->row_major && p->matrix_stride;
		spirv_add_index(s, p, index, is_signed,
				p->column          ? t->element->element->bytes
				: p->matrix_stride ? p->matrix_stride
						   : t->stride,
				true);
		break;
	case SPIRV_VECTOR:
		spirv_add_index(s, p, index, is_signed, p->column ? p->matrix_stride : t->stride,
				true);
		p->column = false;
		break;
	default:
		spirv_fail(s, "%s has no parts", spirv_id_name(s, t->id));
	}
	p->pointee = t->element;
}

/* Bytes from an object to the next one, for the first index of a PtrAccessChain and for a PtrDiff.
 * The pointer's type says it, but not in memory without a layout, where the decoration has no
 * meaning. */
static uint64_t object_stride(struct spirv *s, const struct spirv_pointer *p,
			      const struct spirv_type *t)
{
	const struct spirv_decoration *d =
		spirv_decoration_of(s, t->id, SPIRV_NO_MEMBER, SPIRV_DECORATION_ARRAY_STRIDE);
	bool laid_out = p->storage != SPIRV_CLASS_WORKGROUP || s->workgroup_layout;

	return laid_out && d && d->count ? d->operands[0] : p->pointee->bytes;
}

/* detail 1: the first index counts objects like the one pointed to. */
void spirv_lower_access_chain(struct spirv *s, uint32_t detail)
{
	const struct spirv_type *t = spirv_result_type(s);
	uint32_t base = spirv_word(s, 3);
	struct spirv_pointer p = *spirv_pointer_of(s, base);

	if (t->kind != SPIRV_POINTER || !t->element)
		spirv_fail(s, "%s is no pointer", spirv_id_name(s, t->id));
	for (uint32_t k = 4; k < s->in.count; k++) {
		const struct spirv_type *it = spirv_value_type(s, spirv_word(s, k));
		ir_val index;

		if (it->kind != SPIRV_INT)
			spirv_fail(s, "index %u is no integer", k - 4);
		index = spirv_leaves(s, spirv_word(s, k))[0];
		if (detail && k == 4) {
			if (p.target != SPIRV_MEMORY)
				p = spirv_resolve(s, &p);
			spirv_add_index(s, &p, index, true,
					object_stride(s, &p, spirv_value_type(s, base)), false);
			continue;
		}
		/* Indices are signed, but unsigned ones may address arrays of 2 GiB and more. */
		step(s, &p, index, it->is_signed || s->kernel_environment);
	}
	if (p.pointee != t->element && p.pointee->kind != t->element->kind)
		spirv_fail(s, "the indices lead to %s, not to %s", spirv_id_name(s, p.pointee->id),
			   spirv_id_name(s, t->element->id));
	if (p.pointee->leaves != t->element->leaves || p.storage != t->storage)
		spirv_fail(s, "the result's type does not fit the base and the indices");
	p.pointee = t->element;
	spirv_set_pointer(s, spirv_word(s, 2), t, &p);
}

void spirv_lower_array_length(struct spirv *s, uint32_t detail)
{
	struct spirv_pointer p = *spirv_pointer_of(s, spirv_word(s, 3));
	uint32_t member = spirv_word(s, 4);
	const struct spirv_type *t;
	ir_val size, at, n;

	(void)detail;
	p = spirv_resolve(s, &p);
	t = p.pointee;
	if (t->kind != SPIRV_STRUCT || member + 1 != t->count || !p.bytes ||
	    t->members[member].type->kind != SPIRV_RUNTIME_ARRAY ||
	    !t->members[member].type->stride)
		spirv_fail(s, "member %u of %s is no array of a buffer without a length", member,
			   spirv_id_name(s, t->id));
	/* Buffers have less than 4 GiB. */
	size = spirv_resize(s, p.bytes, IR_B32, false);
	at = spirv_const(s, IR_B32, (uint32_t)(t->members[member].offset + (uint64_t)p.imm));
	if (p.offset)
		at = spirv_op(s, IR_ADD, IR_B32, at, spirv_resize(s, p.offset, IR_B32, false), 0);
	n = spirv_op(s, IR_SUB, IR_B32, size, at, 0);
	n = spirv_select(s, spirv_compare(s, IR_ICMP, IR_B32, IR_LT_U, size, at),
			 spirv_const(s, IR_B32, 0), n);
	n = spirv_op(s, IR_DIV_U, IR_B32, n,
		     spirv_const(s, IR_B32, t->members[member].type->stride), 0);
	spirv_set_scalar(s, spirv_resize(s, n, spirv_leaf_type(spirv_result_type(s), 0), false));
}

ir_val spirv_address(struct spirv *s, const struct spirv_pointer *p, int64_t *imm)
{
	ir_val a = p->base;
	enum ir_type t;

	if (p->target != SPIRV_MEMORY)
		spirv_fail(s, "the pointer does not point to memory");
	*imm = p->imm;
	if (p->offset)
		a = a ? spirv_op(s, IR_ADD, spirv_type_of_val(s, a), a, p->offset, 0) : p->offset;
	if (a && (*imm < INT32_MIN / 2 || *imm > INT32_MAX / 2)) {
		t = spirv_type_of_val(s, a);
		a = spirv_op(s, IR_ADD, t, a, spirv_const(s, t, (uint64_t)*imm), 0);
		*imm = 0;
	}
	return a;
}

/* detail 0: ==, 1: !=, 2: difference in elements */
void spirv_lower_pointer_compare(struct spirv *s, uint32_t detail)
{
	const struct spirv_pointer *p = spirv_pointer_of(s, spirv_word(s, 3)),
				   *q = spirv_pointer_of(s, spirv_word(s, 4));
	uint64_t stride = object_stride(s, p, spirv_value_type(s, spirv_word(s, 3)));
	ir_val sides[2];
	enum ir_type t;

	for (int k = 0; k < 2; k++) {
		struct spirv_pointer r = spirv_resolve(s, k ? q : p);
		int64_t imm;

		sides[k] = spirv_address(s, &r, &imm);
		if (!sides[k])
			spirv_fail(s, "pointers of this storage class cannot be compared");
		t = spirv_type_of_val(s, sides[k]);
		if (imm)
			sides[k] = spirv_op(s, IR_ADD, t, sides[k],
					    spirv_const(s, t, (uint64_t)imm), 0);
	}
	t = spirv_type_of_val(s, sides[0]);
	if (t != spirv_type_of_val(s, sides[1]))
		spirv_fail(s, "the pointers have different storage classes");
	if (detail < 2) {
		spirv_set_scalar(s, spirv_compare(s, IR_ICMP, t, detail ? IR_NE : IR_EQ, sides[0],
						  sides[1]));
		return;
	}
	sides[0] = spirv_op(s, IR_SUB, t, sides[0], sides[1], 0);
	sides[0] = spirv_op(s, IR_DIV_S, t, sides[0], spirv_const(s, t, stride ? stride : 1), 0);
	spirv_set_scalar(s,
			 spirv_resize(s, sides[0], spirv_leaf_type(spirv_result_type(s), 0), true));
}
