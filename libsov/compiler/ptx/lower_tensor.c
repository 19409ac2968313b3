// SPDX-License-Identifier: MIT
/*
 * Lowering of copies of tensors and of changes of tensor maps. On targets without clusters a
 * multicast is a copy to the block itself, the only one that its set can contain. A prefetch
 * is none.
 */
#include <string.h>
#include "libsov/isa/tensor_map_layout.h"
#include "libsov/compiler/ptx/front_end.h"

#define BOX_ALIGN 128 /* in shared memory */
#define MAX_ARGS  (4 + IR_TENSOR_MAX_RANK + IR_TENSOR_MAX_RANK)

/* From the spelling: ".2d". */
static uint32_t rank_of(const struct ptx_inst *in)
{
	for (uint32_t k = 0; k < in->nmodifiers; k++) {
		const struct ptx_token *t = &in->modifiers[k];

		if (t->length == 3 && t->text[2] == 'd' && t->text[1] >= '1' && t->text[1] <= '5')
			return (uint32_t)(t->text[1] - '0');
	}
	return 0;
}

/* The address of a tensor map, b64. */
static bool read_map(struct ptx *x, const struct ptx_inst *in, enum ptx_role role, ir_val *at)
{
	uint64_t offset;

	if (!ptx_read_address(x, in, in->role[role], IR_GENERIC_SPACE, TENSOR_MAP_ALIGN, at,
			      &offset))
		return false;
	if (!*at)
		*at = ptx_emit_constant(x, IR_B64, offset);
	else if (offset)
		*at = ptx_op(x, IR_ADD, IR_B64, *at, ptx_emit_constant(x, IR_B64, offset), 0);
	return true;
}

static void read_list(struct ptx *x, const struct ptx_operand *o, uint32_t count, ir_val *args)
{
	for (uint32_t k = 0; k < count; k++)
		args[k] = ptx_read_operand(x, ptx_fragment_register(o, k));
}

static ir_val read_half(struct ptx *x, const struct ptx_operand *o)
{
	return ptx_convert(x, IR_ZEXT, IR_B16, IR_B32, ptx_read_operand(x, o));
}

/* With the cache policy as last argument, if the instruction has one. */
static void emit_copy(struct ptx *x, const struct ptx_inst *in, enum ir_tensor kind, uint64_t imm,
		      ir_val *args, uint32_t n)
{
	ir_id i;

	n += ptx_read_policy(x, in, &args[n]);
	i = ptx_emit(x, IR_TENSORCOPY, IR_VOID, 0, n, args);
	ptx_set_policy(x, in, i);
	ir_at(x->func, i)->sub = (uint8_t)kind;
	ir_at(x->func, i)->imm = imm;
}

void ptx_lower_tensor_load(struct ptx *x, const struct ptx_inst *in)
{
	bool im2col = ptx_is_spelled(in, ".im2col"),
	     multicast = ptx_is_spelled(in, ".multicast::cluster") && ptx_has_clusters(x);
	uint32_t rank = rank_of(in), n = 3, offsets = im2col ? rank - 2 : 0;
	const struct ptx_operand *mask = in->role[im2col ? ROLE_G : ROLE_F];
	ir_val args[MAX_ARGS];

	if (!ptx_check_fragment(x, in, ROLE_C, rank) ||
	    (im2col && !ptx_check_fragment(x, in, ROLE_F, offsets)) ||
	    !read_map(x, in, ROLE_B, &args[0]) ||
	    !ptx_read_shared(x, in, in->role[ROLE_A], false, BOX_ALIGN, &args[1]) ||
	    !ptx_read_shared(x, in, in->role[ROLE_E], false, 8, &args[2]))
		return;
	read_list(x, in->role[ROLE_C], rank, &args[n]);
	n += rank;
	for (uint32_t k = 0; k < offsets; k++)
		args[n++] = read_half(x, ptx_fragment_register(in->role[ROLE_F], k));
	if (multicast) {
		x->module->clusters = true;
		args[n++] = read_half(x, mask);
	}
	emit_copy(x, in, IR_TENSOR_LOAD,
		  rank | (im2col ? IR_TENSOR_IM2COL : 0) | (multicast ? IR_TENSOR_MULTICAST : 0),
		  args, n);
}

static enum ir_tensor reduction_of(const struct ptx_inst *in)
{
	static const uint8_t reductions[IR_ATOM_COUNT] = {
		[IR_ATOM_ADD] = IR_TENSOR_ADD,   [IR_ATOM_MIN_U] = IR_TENSOR_MIN,
		[IR_ATOM_MAX_U] = IR_TENSOR_MAX, [IR_ATOM_INC] = IR_TENSOR_INC,
		[IR_ATOM_DEC] = IR_TENSOR_DEC,   [IR_ATOM_AND] = IR_TENSOR_AND,
		[IR_ATOM_OR] = IR_TENSOR_OR,     [IR_ATOM_XOR] = IR_TENSOR_XOR,
	};

	return reductions[in->value[SLOT_ATOM]];
}

/* And reductions. */
void ptx_lower_tensor_store(struct ptx *x, const struct ptx_inst *in)
{
	uint32_t rank = rank_of(in);
	ir_val args[MAX_ARGS];

	if (!ptx_check_fragment(x, in, ROLE_C, rank) || !read_map(x, in, ROLE_A, &args[0]) ||
	    !ptx_read_shared(x, in, in->role[ROLE_B], false, BOX_ALIGN, &args[1]))
		return;
	read_list(x, in->role[ROLE_C], rank, &args[2]);
	emit_copy(x, in, ptx_has_modifier(in, SLOT_ATOM) ? reduction_of(in) : IR_TENSOR_STORE,
		  rank | (ptx_is_spelled(in, ".im2col_no_offs") ? IR_TENSOR_IM2COL : 0), args,
		  2 + rank);
}

void ptx_lower_tensor_prefetch(struct ptx *x, const struct ptx_inst *in)
{
	uint32_t rank = rank_of(in);
	ir_val map;

	if (ptx_check_fragment(x, in, ROLE_C, rank) &&
	    (!ptx_is_spelled(in, ".im2col") || ptx_check_fragment(x, in, ROLE_F, rank - 2)))
		read_map(x, in, ROLE_B, &map);
}

void ptx_lower_map_prefetch(struct ptx *x, const struct ptx_inst *in)
{
	ir_val at;

	if (read_map(x, in, ROLE_A, &at))
		ptx_emit(x, in->row->op, IR_B64, 0, 1, &at);
}

void ptx_lower_map_acquire(struct ptx *x, const struct ptx_inst *in)
{
	const struct ptx_operand *size = in->role[ROLE_B];
	ir_val at;

	if (size->kind != OPERAND_INTEGER || size->value != TENSOR_MAP_BYTES)
		ptx_error(x, &size->at, "a tensor map has %u bytes, found '%.*s'", TENSOR_MAP_BYTES,
			  TEXT(&size->at));
	else if (read_map(x, in, ROLE_A, &at))
		ptx_emit(x, IR_MAPACQUIRE, IR_B64, 0, 1, &at);
}

/* A field of a tensor map, in the word of that number; for each dimension, step bits further. */
static const struct map_field {
	const char *name;
	uint8_t word, at, bits, step;
	uint8_t dimensions, less; /* 0: no ordinal; 1: stored less 1 */
} map_fields[] = {
	{".global_address", TENSOR_MAP_ADDRESS, 0, 64, 0, 0, 0},
	{".rank", TENSOR_MAP_LAYOUT, TENSOR_MAP_RANK_AT, 3, 0, 0, 0},
	{".elemtype", TENSOR_MAP_LAYOUT, TENSOR_MAP_TYPE_AT, 4, 0, 0, 0},
	{".interleave_layout", TENSOR_MAP_LAYOUT, TENSOR_MAP_INTERLEAVE_AT, 2, 0, 0, 0},
	{".swizzle_mode", TENSOR_MAP_LAYOUT, TENSOR_MAP_SWIZZLE_AT, 2, 0, 0, 0},
	{".fill_mode", TENSOR_MAP_LAYOUT, TENSOR_MAP_FILL_AT, 1, 0, 0, 0},
	{".global_dim", TENSOR_MAP_SIZE, 0, 32, 32, 5, 1},
	{".element_stride", TENSOR_MAP_STEP, 0, 3, 3, 5, 1},
	{".box_dim", TENSOR_MAP_STEP, TENSOR_MAP_BOX_0_AT, 8, 8, 5, 1},
	{".global_stride", TENSOR_MAP_STRIDE, 0, 32, 32, 4, 0},
};

static const struct map_field *find_field(const struct ptx_inst *in)
{
	for (size_t k = 0; k < sizeof(map_fields) / sizeof(map_fields[0]); k++)
		if (ptx_is_spelled(in, map_fields[k].name))
			return &map_fields[k];
	return NULL;
}

struct map_access {
	struct ptx *x;
	enum ir_space space;
	ir_val address;
	uint64_t offset;
};

static ir_id emit_access(const struct map_access *m, enum ir_op op, uint32_t word, ir_val value)
{
	ir_val args[2] = {m->address, value};
	bool load = op == IR_LOAD;
	ir_id i = ptx_emit(m->x, op, IR_B32, load, load ? 1 : 2, args);
	struct ir_inst *in = ir_at(m->x->func, i);

	in->space = (uint8_t)m->space;
	in->from = IR_B32;
	in->align = 4;
	in->imm = (int64_t)(m->offset + 4 * word);
	return i;
}

/* Writes the lower bits of a value into a word, at a bit of it. */
static void insert_bits(const struct map_access *m, uint32_t word, uint32_t at, uint32_t bits,
			ir_val value)
{
	struct ptx *x = m->x;
	uint32_t mask = bits == 32 ? UINT32_MAX : ((1u << bits) - 1) << at;
	ir_val old;

	if (bits < 32) {
		old = ir_at(x->func, emit_access(m, IR_LOAD, word, 0))->res;
		old = ptx_op(x, IR_AND, IR_B32, old, ptx_emit_constant(x, IR_B32, ~mask), 0);
		value = ptx_op(x, IR_SHL, IR_B32, value, ptx_emit_constant(x, IR_B32, at), 0);
		value = ptx_op(x, IR_AND, IR_B32, value, ptx_emit_constant(x, IR_B32, mask), 0);
		value = ptx_op(x, IR_OR, IR_B32, value, old, 0);
	}
	emit_access(m, IR_STORE, word, value);
}

static ir_val half_of(struct ptx *x, ir_val wide, uint32_t shift)
{
	wide = ptx_op(x, IR_SHR_U, IR_B64, wide, ptx_emit_constant(x, IR_B32, shift), 0);
	return ptx_convert(x, IR_TRUNC, IR_B64, IR_B32, wide);
}

static void replace_field(const struct map_access *m, const struct map_field *f, uint32_t dimension,
			  ir_val value)
{
	uint32_t at = f->at + dimension * f->step, word = f->word + at / 32;
	struct ptx *x = m->x;

	if (f->word == TENSOR_MAP_STRIDE) {
		insert_bits(m, word, 0, 32, half_of(x, value, 4));
		insert_bits(m, TENSOR_MAP_STRIDE_HIGH, 4 * dimension, 4, half_of(x, value, 36));
	} else if (f->bits == 64) {
		insert_bits(m, word, 0, 32, half_of(x, value, 0));
		insert_bits(m, word + 1, 0, 32, half_of(x, value, 32));
	} else {
		if (f->less)
			value = ptx_op(x, IR_SUB, IR_B32, value, ptx_emit_constant(x, IR_B32, 1),
				       0);
		insert_bits(m, word, at % 32, f->bits, value);
	}
	if (f->at == TENSOR_MAP_SWIZZLE_AT && f->word == TENSOR_MAP_LAYOUT)
		insert_bits(m, word, TENSOR_MAP_SWIZZLE_96, 1, ptx_emit_constant(x, IR_B32, 0));
}

/* The type of elements; two of them are others with a bit of its own. */
static void replace_type(const struct map_access *m, const struct map_field *f, uint64_t type)
{
	struct ptx *x = m->x;
	bool tf32 = type >= TENSOR_TYPE_TF32;

	if (tf32)
		type -= TENSOR_TYPE_TF32_IS;
	insert_bits(m, f->word, TENSOR_MAP_TF32_AT, 1, ptx_emit_constant(x, IR_B32, tf32));
	insert_bits(m, f->word, f->at, f->bits, ptx_emit_constant(x, IR_B32, type));
}

/* A constant less than a limit. */
static bool check_constant(struct ptx *x, const struct ptx_operand *o, const char *what,
			   uint64_t limit)
{
	if (o->kind == OPERAND_INTEGER && o->value < limit)
		return true;
	ptx_error(x, &o->at, "%s is a constant from 0 to %llu, found '%.*s'", what,
		  (unsigned long long)limit - 1, TEXT(&o->at));
	return false;
}

void ptx_lower_tensormap_replace(struct ptx *x, const struct ptx_inst *in)
{
	const struct map_field *f = find_field(in);
	const struct ptx_operand *ordinal = f->dimensions ? in->role[ROLE_B] : NULL,
				 *value = in->role[f->dimensions ? ROLE_C : ROLE_B];
	bool constant = f->word == TENSOR_MAP_LAYOUT && f->at != TENSOR_MAP_RANK_AT;
	bool type = constant && f->at == TENSOR_MAP_TYPE_AT;
	struct map_access m = {.x = x, .space = IR_GENERIC_SPACE};

	if (ptx_has_modifier(in, SLOT_SPACE))
		m.space = in->value[SLOT_SPACE];
	if (!x->is_specific) {
		ptx_error(x, &in->name, "'%s' needs the target sm_90a", ptx_spelling(x, in));
		return;
	}
	if ((ordinal && !check_constant(x, ordinal, "the number of a dimension", f->dimensions)) ||
	    (constant && !check_constant(x, value, "the value",
					 type ? (uint32_t)TENSOR_TYPE_COUNT : 1u << f->bits)) ||
	    !ptx_read_address(x, in, in->role[ROLE_A], m.space, TENSOR_MAP_ALIGN, &m.address,
			      &m.offset))
		return;
	if (!m.address)
		m.address = ptx_emit_constant(x, IR_B64, 0);
	if (type)
		replace_type(&m, f, value->value);
	else
		replace_field(&m, f, ordinal ? (uint32_t)ordinal->value : 0,
			      ptx_read_operand(x, value));
}

/* Each lane copies a word from shared to global memory; then the map is released. */
void ptx_lower_tensormap_copy(struct ptx *x, const struct ptx_inst *in)
{
	const struct ptx_operand *size = in->role[ROLE_C];
	struct map_access to = {.x = x, .space = IR_GLOBAL}, from = {.x = x, .space = IR_SHARED};
	ir_val lane, word;
	ir_id i;

	if (size->kind != OPERAND_INTEGER || size->value != TENSOR_MAP_BYTES) {
		ptx_error(x, &size->at, "a tensor map has %u bytes, found '%.*s'", TENSOR_MAP_BYTES,
			  TEXT(&size->at));
		return;
	}
	if (!read_map(x, in, ROLE_A, &to.address) ||
	    !ptx_read_shared(x, in, in->role[ROLE_B], false, TENSOR_MAP_ALIGN, &from.address))
		return;
	i = ptx_emit(x, IR_SREG, IR_B32, 1, 0, NULL);
	ir_at(x->func, i)->sub = IR_LANEID;
	lane = ptx_op(x, IR_AND, IR_B32, ir_at(x->func, i)->res,
		      ptx_emit_constant(x, IR_B32, TENSOR_MAP_WORDS - 1), 0);
	lane = ptx_op(x, IR_SHL, IR_B32, lane, ptx_emit_constant(x, IR_B32, 2), 0);
	from.address = ptx_op(x, IR_ADD, IR_B32, from.address, lane, 0);
	to.address = ptx_op(x, IR_ADD, IR_B64, to.address,
			    ptx_convert(x, IR_ZEXT, IR_B32, IR_B64, lane), 0);
	word = ir_at(x->func, emit_access(&from, IR_LOAD, 0, 0))->res;
	i = emit_access(&to, IR_STORE, 0, word);
	ir_at(x->func, i)->order = IR_RELAXED;
	ir_at(x->func, i)->scope = in->value[SLOT_SCOPE];
	i = ptx_emit(x, IR_FENCE, IR_VOID, 0, 0, NULL);
	ir_at(x->func, i)->order = IR_RELEASE;
	ir_at(x->func, i)->scope = in->value[SLOT_SCOPE];
}
