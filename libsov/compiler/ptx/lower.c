// SPDX-License-Identifier: MIT
/*
 * Lowering: operand access, predicate guards, and instructions that only compute a value. Each PTX
 * register is one mutable register of the IR.
 *
 * A guarded instruction without side effects is if-converted: it executes always, and a select
 * chooses between the new and the old value of its destination. Any other guarded instruction gets
 * its own block, which a branch skips.
 */
#include <string.h>
#include "libsov/compiler/base/target.h"
#include "libsov/compiler/ptx/front_end.h"

#define RESERVED_SHARED_BYTES 1024

/* ---- emitting ---- */

ir_id ptx_emit(struct ptx *x, enum ir_op op, enum ir_type t, uint32_t nres, uint32_t nargs,
	       const ir_val *args)
{
	ir_id i = ir_inst_new(x->func, op, t, args, nargs, nres);

	ir_at(x->func, i)->line = x->line;
	ir_append(x->func, x->block, i);
	return i;
}

ir_val ptx_emit_op(struct ptx *x, enum ir_op op, enum ir_type t, const ir_val args[3])
{
	ir_id i = ptx_emit(x, op, t, 1, !!args[0] + !!args[1] + !!args[2], args);

	return ir_at(x->func, i)->res;
}

ir_val ptx_emit_constant(struct ptx *x, enum ir_type t, uint64_t value)
{
	ir_val v = ir_const(x->func, x->block, t, value);

	ir_def(x->func, v)->line = x->line;
	return v;
}

ir_val ptx_convert(struct ptx *x, enum ir_op op, enum ir_type from, enum ir_type to, ir_val v)
{
	ir_val r;

	if (from == to)
		return v;
	r = ptx_op(x, op, to, v, 0, 0);
	ir_def(x->func, r)->from = from;
	return r;
}

ir_val ptx_compare(struct ptx *x, enum ir_op op, enum ir_type t, enum ir_cond c, ir_val a, ir_val b)
{
	ir_val v = ptx_op(x, op, t, a, b, 0);

	ir_def(x->func, v)->cond = c;
	return v;
}

/* ---- operands ---- */

static uint32_t register_of(struct ptx *x, struct ptx_name *n)
{
	if (!n->reg)
		n->reg = ir_reg_new(x->func, n->type->ir);
	return n->reg;
}

/* Blocks are emitted from start to end, so a value read or written earlier in this block is still
 * current. */
ir_val ptx_read_register(struct ptx *x, struct ptx_name *n)
{
	uint32_t reg = register_of(x, n);

	if (n->block == x->block)
		return n->cached;
	n->cached = ptx_op(x, IR_READ, n->type->ir, 0, 0, 0);
	n->block = x->block;
	ir_def(x->func, n->cached)->symbol = reg;
	return n->cached;
}

ir_val ptx_address_of(struct ptx *x, const struct ptx_operand *o, enum ir_type t)
{
	ir_val v;

	if (o->kind == OPERAND_PARAMETER)
		return ptx_emit_constant(x, t, x->func->params[o->name->symbol].offset + o->value);
	if (o->kind == OPERAND_FUNCTION) {
		v = ptx_op(x, IR_FUNCADDR, IR_B64, 0, 0, 0);
		ir_def(x->func, v)->symbol =
			(o->name->func ? o->name->func : o->name->kernel)->index;
		return v;
	}
	if (o->kind == OPERAND_OBJECT && o->name->object->reference) {
		v = ptx_convert(x, IR_ZEXT, IR_B32, t, ptx_object_address(x, o->name->object));
		return ptx_op(x, IR_ADD, t, v, ptx_emit_constant(x, t, o->value), 0);
	}
	v = ptx_op(x, IR_ADDR, t, 0, 0, 0);
	ir_def(x->func, v)->symbol =
		o->kind == OPERAND_OBJECT ? o->name->object->local - 1 : o->name->symbol;
	if (!o->name->align) {
		ir_def(x->func, v)->imm = o->value;
		return v;
	}
	v = ptx_op(x, IR_ADD, t, v, ptx_emit_constant(x, t, o->name->align - 1), 0);
	v = ptx_op(x, IR_AND, t, v, ptx_emit_constant(x, t, 0 - (uint64_t)o->name->align), 0);
	return o->value ? ptx_op(x, IR_ADD, t, v, ptx_emit_constant(x, t, o->value), 0) : v;
}

/* The part of shared memory that the system reserves. On targets without special registers that say
 * where it lies, a variable takes its place. */
static ir_val read_reserved_shared(struct ptx *x, uint32_t special)
{
	static const char name[] = "%reserved_smem";
	const struct target *t = x->job->target;
	struct ir_symbol symbol = {
		.name = name, .space = IR_SHARED, .size = RESERVED_SHARED_BYTES, .align = 16};
	bool end = special == IR_RESERVED_SMEM_END || special == IR_RESERVED_SMEM_CAP;
	uint32_t *number;
	ir_val v;

	if (!t || t->reserves_shared) {
		v = ptx_op(x, IR_SREG, IR_B32, 0, 0, 0);
		ir_def(x->func, v)->sub = (uint8_t)special;
		return v;
	}
	number = name_map_get(&x->symbols, name, sizeof(name) - 1);
	if (!*number)
		*number = ir_symbol_new(x->module, &symbol) + 1;
	v = ptx_op(x, IR_ADDR, IR_B32, 0, 0, 0);
	ir_def(x->func, v)->symbol = *number - 1;
	ir_def(x->func, v)->imm = end ? RESERVED_SHARED_BYTES : 0;
	return v;
}

/* Each read of a clock emits an instruction, with 64 bits if the operand or its high half needs
 * them. */
static ir_val read_special(struct ptx *x, const struct ptx_operand *o)
{
	bool high = o->special == SPECIAL_CLOCK_HIGH || o->special == SPECIAL_TIMER_HIGH;
	bool timer = o->special >= SPECIAL_TIMER, wide = high || o->type->bits == 64;
	enum ir_type t = wide ? IR_B64 : IR_B32;
	ir_val v;

	if (o->special == SPECIAL_ZERO)
		return ptx_emit_constant(x, o->type->ir, 0);
	if (ptx_is_cluster_special(o->special)) {
		v = ptx_read_cluster_special(x, o->special);
		t = IR_B32;
		if (o->type->class == CLASS_PREDICATE)
			return ptx_convert(x, IR_TRUNC, t, IR_B1, v);
	} else if (o->special >= IR_RESERVED_SMEM && o->special <= IR_RESERVED_SMEM_CAP) {
		v = read_reserved_shared(x, o->special);
		t = IR_B32;
	} else if (o->special < IR_SREG_COUNT) {
		v = ptx_op(x, IR_SREG, IR_B32, 0, 0, 0);
		ir_def(x->func, v)->sub = o->special;
		t = IR_B32;
	} else {
		v = ptx_op(x, IR_CLOCK, t, 0, 0, 0);
		ir_def(x->func, v)->sub = timer ? IR_CLOCK_NANOSECONDS : IR_CLOCK_CYCLES;
	}
	if (high) {
		v = ptx_op(x, IR_UNPACK, IR_B64, v, 0, 0) + 1;
		t = IR_B32;
	}
	return ptx_convert(x, o->type->bits < ir_type_bits(t) ? IR_TRUNC : IR_ZEXT, t, o->type->ir,
			   v);
}

/* The value of a .texref or .surfref, which PTX calls its address. */
ir_val ptx_read_handle(struct ptx *x, const struct ptx_operand *o)
{
	struct ptx_operand variable = *o;
	ir_val at, v;

	variable.value = 0;
	at = ptx_address_of(x, &variable, IR_B64);
	v = ptx_op(x, IR_LOAD, IR_B64, at, 0, 0);
	ir_def(x->func, v)->space = IR_GLOBAL;
	ir_def(x->func, v)->from = IR_B64;
	ir_def(x->func, v)->align = 8;
	return v;
}

/* Addresses of global memory and functions have 64 bits, others at least 32. */
static ir_val read_address_bits(struct ptx *x, const struct ptx_operand *o)
{
	enum ir_type t = o->type->ir;
	bool wide = o->kind == OPERAND_FUNCTION ||
		    (o->kind == OPERAND_VARIABLE &&
		     x->module->symbols[o->name->symbol].space == IR_GLOBAL);
	enum ir_type narrowest = wide ? IR_B64 : IR_B32;

	if (t >= narrowest)
		return ptx_address_of(x, o, t);
	return ptx_convert(x, IR_TRUNC, narrowest, t, ptx_address_of(x, o, narrowest));
}

ir_val ptx_read_operand(struct ptx *x, const struct ptx_operand *o)
{
	ir_val v;

	switch (o->kind) {
	case OPERAND_REGISTER:
		v = ptx_read_register(x, o->name);
		v = ptx_convert(x, IR_TRUNC, o->name->type->ir, o->type->ir, v);
		return o->negated ? ptx_op(x, IR_NOT, IR_B1, v, 0, 0) : v;
	case OPERAND_SPECIAL:
		return read_special(x, o);
	case OPERAND_VARIABLE:
		if (o->name->handle)
			return ptx_read_handle(x, o);
		return read_address_bits(x, o);
	case OPERAND_PARAMETER:
	case OPERAND_OBJECT:
	case OPERAND_FUNCTION:
		return read_address_bits(x, o);
	default:
		return ptx_emit_constant(x, o->type->ir, o->value);
	}
}

void ptx_write_register(struct ptx *x, struct ptx_name *n, ir_val v)
{
	uint32_t reg = register_of(x, n);
	ir_val old;
	ir_id i;

	if (x->guard) {
		old = ptx_read_register(x, n);
		v = x->guard_negated ? ptx_op(x, IR_SELECT, n->type->ir, x->guard, old, v)
				     : ptx_op(x, IR_SELECT, n->type->ir, x->guard, v, old);
	}
	i = ptx_emit(x, IR_WRITE, n->type->ir, 0, 1, &v);
	ir_at(x->func, i)->symbol = reg;
	n->cached = v;
	n->block = x->block;
}

void ptx_write_operand(struct ptx *x, const struct ptx_operand *o, ir_val v)
{
	bool is_signed;

	if (!o || o->kind == OPERAND_BIT_BUCKET)
		return;
	is_signed = o->type->class == CLASS_SIGNED;
	v = ptx_convert(x, is_signed ? IR_SEXT : IR_ZEXT, o->type->ir, o->name->type->ir, v);
	ptx_write_register(x, o->name, v);
}

/* ---- guards ---- */

static void lower_in_guarded_block(struct ptx *x, const struct ptx_inst *in, ir_val guard)
{
	ir_block then = ptx_block_new(x), next;
	ir_block from = x->block;

	ptx_set_block(x, then);
	next = ptx_block_new(x);
	x->block = from;
	if (in->guard_negated)
		ptx_branch(x, guard, next, then);
	else
		ptx_branch(x, guard, then, next);
	ptx_set_block(x, then);
	in->row->lower(x, in);
	if (x->block)
		ptx_jump(x, next);
	ptx_set_block(x, next);
}

void ptx_lower(struct ptx *x, const struct ptx_inst *in)
{
	bool pure = ir_ops[in->row->op].properties & P_PURE;
	ir_val guard;

	x->line = in->name.line;
	if (!ptx_check_target(x, in))
		return;
	if (!x->block)
		ptx_set_block(x, ptx_block_new(x));
	if (!in->guard) {
		in->row->lower(x, in);
		return;
	}
	guard = ptx_read_register(x, in->guard);
	if (!pure && in->row->op != IR_BR) {
		lower_in_guarded_block(x, in, guard);
		return;
	}
	x->guard = guard;
	x->guard_negated = in->guard_negated;
	in->row->lower(x, in);
	x->guard = 0;
}

/* ---- computations ---- */

/* Without a rounding modifier PTX allows contraction to fma, unless the options forbid it. */
ir_val ptx_float_modifiers(struct ptx *x, const struct ptx_inst *in, ir_val v)
{
	struct ir_inst *i = ir_def(x->func, v);

	if (!(ir_ops[i->op].attributes & A_FLOAT))
		return v;
	i->format = ptx_inst_type(in, SLOT_TYPE)->format;
	if (ptx_has_modifier(in, SLOT_ROUND))
		i->round = in->value[SLOT_ROUND];
	else if ((i->op == IR_FADD || i->op == IR_FMUL) && !x->job->options.no_contraction)
		i->flags |= IR_CONTRACT;
	if (ptx_has_modifier(in, SLOT_FTZ))
		i->flags |= IR_FTZ;
	if (ptx_has_modifier(in, SLOT_SAT))
		i->flags |= IR_SAT;
	return v;
}

ir_val ptx_read_role(struct ptx *x, const struct ptx_inst *in, enum ptx_role role)
{
	return in->role[role] ? ptx_read_operand(x, in->role[role]) : 0;
}

void ptx_lower_plain(struct ptx *x, const struct ptx_inst *in)
{
	ir_val a = ptx_read_role(x, in, ROLE_A);
	ir_val b = ptx_read_role(x, in, ROLE_B);
	ir_val c = ptx_read_role(x, in, ROLE_C);
	ir_val v = ptx_op(x, in->row->op, in->role[ROLE_D]->type->ir, a, b, c);

	ptx_write_operand(x, in->role[ROLE_D], ptx_float_modifiers(x, in, v));
}

/* a - b equals a + -b bit for bit. */
void ptx_lower_fsub(struct ptx *x, const struct ptx_inst *in)
{
	enum ir_type t = in->role[ROLE_D]->type->ir;
	ir_val a = ptx_read_role(x, in, ROLE_A);
	ir_val b = ptx_op(x, IR_FNEG, t, ptx_read_role(x, in, ROLE_B), 0, 0), v;

	ir_def(x->func, b)->format = ptx_inst_type(in, SLOT_TYPE)->format;
	v = ptx_op(x, IR_FADD, t, a, b, 0);
	ptx_write_operand(x, in->role[ROLE_D], ptx_float_modifiers(x, in, v));
}

/* abs(INT_MIN) is INT_MIN. */
void ptx_lower_iabs(struct ptx *x, const struct ptx_inst *in)
{
	enum ir_type t = in->role[ROLE_D]->type->ir;
	ir_val a = ptx_read_role(x, in, ROLE_A);
	ir_val negative = ptx_op(x, IR_NEG, t, a, 0, 0);

	ptx_write_operand(x, in->role[ROLE_D], ptx_op(x, IR_MAX_S, t, a, negative, 0));
}

/* mad.hi and mad.wide: the row's multiplication, then an addition. */
void ptx_lower_mad(struct ptx *x, const struct ptx_inst *in)
{
	enum ir_type t = in->role[ROLE_D]->type->ir;
	ir_val a = ptx_read_role(x, in, ROLE_A);
	ir_val b = ptx_read_role(x, in, ROLE_B);
	ir_val c = ptx_read_role(x, in, ROLE_C);
	ir_val product = ptx_op(x, in->row->op, t, a, b, 0);

	ptx_write_operand(x, in->role[ROLE_D], ptx_op(x, IR_ADD, t, product, c, 0));
}

/* Bit counts are 32-bit, whatever the width of the argument. */
void ptx_lower_count(struct ptx *x, const struct ptx_inst *in)
{
	enum ir_type t = in->role[ROLE_A]->type->ir;
	ir_val v = ptx_op(x, in->row->op, t, ptx_read_role(x, in, ROLE_A), 0, 0);

	ptx_write_operand(x, in->role[ROLE_D], ptx_convert(x, IR_TRUNC, t, IR_B32, v));
}

static enum ir_cond condition_code(const struct ptx_inst *in, const struct ptx_type *t)
{
	static const uint8_t of_signed[] = {IR_EQ, IR_NE, IR_LT_S, IR_LE_S, IR_GT_S, IR_GE_S};
	static const uint8_t of_unsigned[] = {IR_EQ, IR_NE, IR_LT_U, IR_LE_U, IR_GT_U, IR_GE_U};
	static const uint8_t of_float[] = {
		IR_FEQ,  IR_FNE,  IR_FLT,  IR_FLE,  IR_FGT,  IR_FGE,  IR_FEQU,
		IR_FNEU, IR_FLTU, IR_FLEU, IR_FGTU, IR_FGEU, IR_FNUM, IR_FNAN,
	};
	uint8_t compare = in->value[SLOT_COMPARE];

	if (t->class == CLASS_FLOAT)
		return of_float[compare];
	return t->class == CLASS_SIGNED ? of_signed[compare] : of_unsigned[compare];
}

static bool is_pair(const struct ptx_type *t)
{
	return t->format == IR_F16X2 || t->format == IR_BF16X2;
}

/* Compares a and b as values of t or, for a packed type, of its halves, low half first; returns the
 * number of comparisons. */
static uint32_t emit_comparisons(struct ptx *x, const struct ptx_inst *in, const struct ptx_type *t,
				 ir_val p[2])
{
	enum ir_op op = t->class == CLASS_FLOAT ? IR_FCMP : IR_ICMP;
	enum ir_type ir = is_pair(t) ? IR_B16 : t->ir;
	ir_val a[2], b[2];

	a[0] = ptx_read_role(x, in, ROLE_A);
	b[0] = ptx_read_role(x, in, ROLE_B);
	if (is_pair(t)) {
		a[0] = ptx_op(x, IR_UNPACK, IR_B32, a[0], 0, 0);
		b[0] = ptx_op(x, IR_UNPACK, IR_B32, b[0], 0, 0);
		a[1] = a[0] + 1;
		b[1] = b[0] + 1;
	}
	for (uint32_t k = 0; k < 1u + is_pair(t); k++) {
		p[k] = ptx_compare(x, op, ir, condition_code(in, t), a[k], b[k]);
		if (t->format == IR_BF16 || t->format == IR_BF16X2)
			ir_def(x->func, p[k])->format = IR_BF16;
		if (ptx_has_modifier(in, SLOT_FTZ))
			ir_def(x->func, p[k])->flags |= IR_FTZ;
	}
	return 1 + is_pair(t);
}

static bool check_operand_c(struct ptx *x, const struct ptx_inst *in)
{
	bool combined = ptx_has_modifier(in, SLOT_BOOL);

	if (combined == !!in->role[ROLE_C])
		return true;
	ptx_error(x, &in->name, combined ? "'%s' takes operand c" : "'%s' takes no operand c",
		  ptx_spelling(x, in));
	return false;
}

/* p is the comparison, q its negation, each combined with c. For a packed type p compares the low
 * halves and q the high ones. */
void ptx_lower_setp(struct ptx *x, const struct ptx_inst *in)
{
	const struct ptx_type *t = ptx_inst_type(in, SLOT_TYPE);
	ir_val c, p[2] = {0};

	if (!check_operand_c(x, in))
		return;
	if (emit_comparisons(x, in, t, p) == 1 && in->role[ROLE_Q])
		p[1] = ptx_op(x, IR_NOT, IR_B1, p[0], 0, 0);
	c = ptx_read_role(x, in, ROLE_C);
	for (int k = 0; c && k < 2; k++)
		if (p[k])
			p[k] = ptx_op(x, in->value[SLOT_BOOL], IR_B1, p[k], c, 0);
	ptx_write_operand(x, in->role[ROLE_P], p[0]);
	ptx_write_operand(x, in->role[ROLE_Q], p[1]);
}

/* True as a value of d: 1.0 for floats, all ones for integers. */
static uint64_t true_value(const struct ptx_type *d, bool half)
{
	if (d->class != CLASS_FLOAT)
		return UINT64_MAX;
	if (d->format == IR_BF16 || d->format == IR_BF16X2)
		return 0x3f80;
	return d->format == IR_F16X2 || half ? 0x3c00
	       : d->bits == 64               ? UINT64_C(0x3ff0000000000000)
					     : 0x3f800000;
}

void ptx_lower_set(struct ptx *x, const struct ptx_inst *in)
{
	const struct ptx_type *d = ptx_inst_type(in, SLOT_TYPE);
	const struct ptx_type *t = ptx_inst_type(in, SLOT_SOURCE_TYPE);
	enum ir_type part;
	ir_val c, p[2] = {0};
	uint32_t n;

	if (!check_operand_c(x, in))
		return;
	n = emit_comparisons(x, in, t, p);
	part = n == 2 ? IR_B16 : d->ir;
	c = ptx_read_role(x, in, ROLE_C);
	for (uint32_t k = 0; k < n; k++) {
		if (c)
			p[k] = ptx_op(x, in->value[SLOT_BOOL], IR_B1, p[k], c, 0);
		p[k] = ptx_op(x, IR_SELECT, part, p[k],
			      ptx_emit_constant(x, part, true_value(d, part == IR_B16)),
			      ptx_emit_constant(x, part, 0));
	}
	if (n == 2)
		p[0] = ptx_op(x, IR_PACK, IR_B32, p[0], p[1], 0);
	ptx_write_operand(x, in->role[ROLE_D], p[0]);
}

/* a if c >= 0, else b; a NaN selects b. */
void ptx_lower_slct(struct ptx *x, const struct ptx_inst *in)
{
	const struct ptx_type *t = in->role[ROLE_C]->type;
	bool is_float = t->class == CLASS_FLOAT;
	ir_val a = ptx_read_role(x, in, ROLE_A);
	ir_val b = ptx_read_role(x, in, ROLE_B);
	ir_val c = ptx_read_role(x, in, ROLE_C);
	ir_val p = ptx_compare(x, is_float ? IR_FCMP : IR_ICMP, IR_B32, is_float ? IR_FGE : IR_GE_S,
			       c, ptx_emit_constant(x, IR_B32, 0));

	if (ptx_has_modifier(in, SLOT_FTZ))
		ir_def(x->func, p)->flags |= IR_FTZ;
	ptx_write_operand(x, in->role[ROLE_D],
			  ptx_op(x, IR_SELECT, in->role[ROLE_D]->type->ir, p, a, b));
}

void ptx_lower_selp(struct ptx *x, const struct ptx_inst *in)
{
	ir_val a = ptx_read_role(x, in, ROLE_A);
	ir_val b = ptx_read_role(x, in, ROLE_B);
	ir_val c = ptx_read_role(x, in, ROLE_C);

	ptx_write_operand(x, in->role[ROLE_D],
			  ptx_op(x, IR_SELECT, in->role[ROLE_D]->type->ir, c, a, b));
}

/* ---- moves and conversions ---- */

/* The first element is the least significant. */
static ir_val pack_elements(struct ptx *x, const struct ptx_operand *e, uint32_t count,
			    enum ir_type t)
{
	enum ir_type half = ir_type_half(t);
	ir_val low, high;

	if (count == 1)
		return ptx_read_operand(x, e);
	low = pack_elements(x, e, count / 2, half);
	high = pack_elements(x, e + count / 2, count / 2, half);
	return ptx_op(x, IR_PACK, t, low, high, 0);
}

static void unpack_elements(struct ptx *x, const struct ptx_operand *e, uint32_t count,
			    enum ir_type t, ir_val v)
{
	enum ir_type half = ir_type_half(t);
	ir_val low;

	if (count == 1) {
		ptx_write_operand(x, e, v);
		return;
	}
	low = ptx_op(x, IR_UNPACK, t, v, 0, 0);
	unpack_elements(x, e, count / 2, half, low);
	unpack_elements(x, e + count / 2, count / 2, half, low + 1);
}

void ptx_lower_mov(struct ptx *x, const struct ptx_inst *in)
{
	const struct ptx_operand *d = in->role[ROLE_D], *a = in->role[ROLE_A];
	ir_val v;

	if (a->kind == OPERAND_VECTOR)
		v = pack_elements(x, a->elements, a->count, a->type->ir);
	else
		v = ptx_read_operand(x, a);
	if (d->kind == OPERAND_VECTOR)
		unpack_elements(x, d->elements, d->count, d->type->ir, v);
	else
		ptx_write_operand(x, d, v);
}

/* Reads all elements before it writes any. */
void ptx_lower_mov_vector(struct ptx *x, const struct ptx_inst *in)
{
	const struct ptx_operand *d = in->role[ROLE_D], *a = in->role[ROLE_A];
	ir_val v[4];

	for (uint32_t k = 0; k < a->count; k++)
		v[k] = ptx_read_operand(x, &a->elements[k]);
	for (uint32_t k = 0; k < d->count; k++)
		ptx_write_operand(x, &d->elements[k], v[k]);
}

/* Moves 128 bits as two elements of 64 or four of 32. */
void ptx_lower_mov_wide(struct ptx *x, const struct ptx_inst *in)
{
	const struct ptx_operand *d = in->role[ROLE_D], *a = in->role[ROLE_A];
	uint32_t from = a->count / 2, to = d->count / 2;
	ir_val v[2];

	for (uint32_t k = 0; k < 2; k++)
		v[k] = pack_elements(x, &a->elements[k * from], from, IR_B64);
	for (uint32_t k = 0; k < 2; k++)
		unpack_elements(x, &d->elements[k * to], to, IR_B64, v[k]);
}

void ptx_lower_cvta(struct ptx *x, const struct ptx_inst *in)
{
	enum ir_type t = in->role[ROLE_D]->type->ir;
	ir_val v = ptx_op(x, in->row->op, t, ptx_read_role(x, in, ROLE_A), 0, 0);

	ir_def(x->func, v)->space = ptx_cluster_space(x, in->value[SLOT_SPACE]);
	ptx_write_operand(x, in->role[ROLE_D], v);
}

void ptx_lower_isspacep(struct ptx *x, const struct ptx_inst *in)
{
	ir_val v = ptx_op(x, IR_INSPACE, IR_B64, ptx_read_role(x, in, ROLE_A), 0, 0);

	ir_def(x->func, v)->space = ptx_cluster_space(x, in->value[SLOT_SPACE]);
	ptx_write_operand(x, in->role[ROLE_P], v);
}
