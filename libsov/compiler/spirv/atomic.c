// SPDX-License-Identifier: MIT
/* Atomics, fences and barriers, with SPIR-V's scopes and memory semantics. */
#include "libsov/compiler/spirv/front_end.h"

enum {
	SCOPE_CROSS_DEVICE,
	SCOPE_DEVICE,
	SCOPE_WORKGROUP,
	SCOPE_SUBGROUP,
	SCOPE_INVOCATION,
	SCOPE_QUEUE_FAMILY
};
#define SEMANTICS_ACQUIRE 0x2u
#define SEMANTICS_RELEASE 0x4u
#define SEMANTICS_ACQ_REL 0x8u
#define SEMANTICS_SEQ_CST 0x10u

enum ir_scope spirv_scope(struct spirv *s, uint32_t id)
{
	static const uint8_t scopes[] = {IR_SCOPE_SYS, IR_SCOPE_GPU,  IR_SCOPE_CTA,
					 IR_SCOPE_CTA, IR_SCOPE_NONE, IR_SCOPE_GPU};
	uint64_t scope = spirv_constant_integer(s, id, "the scope");

	if (scope >= sizeof(scopes))
		spirv_fail(s, "scope %llu is not supported", (unsigned long long)scope);
	return scopes[scope];
}

static enum ir_order order_of(uint32_t semantics)
{
	bool acquire = semantics & (SEMANTICS_ACQUIRE | SEMANTICS_ACQ_REL | SEMANTICS_SEQ_CST),
	     release = semantics & (SEMANTICS_RELEASE | SEMANTICS_ACQ_REL | SEMANTICS_SEQ_CST);

	return acquire && release ? IR_ACQ_REL
	       : acquire          ? IR_ACQUIRE
	       : release          ? IR_RELEASE
				  : IR_RELAXED;
}

void spirv_fence(struct spirv *s, enum ir_scope scope, uint32_t semantics)
{
	enum ir_order order = order_of(semantics);
	ir_id i;

	if (order == IR_RELAXED || scope == IR_SCOPE_NONE)
		return;
	i = spirv_emit(s, IR_FENCE, IR_VOID, 0, 0, NULL);
	ir_at(s->f, i)->order = semantics & SEMANTICS_SEQ_CST ? IR_SEQ_CST : order;
	ir_at(s->f, i)->scope = scope;
}

void spirv_lower_memory_barrier(struct spirv *s, uint32_t detail)
{
	(void)detail;
	spirv_fence(s, spirv_scope(s, spirv_word(s, 1)),
		    (uint32_t)spirv_constant_integer(s, spirv_word(s, 2), "the semantics"));
}

/* The barrier of a workgroup orders its invocations' accesses; a wider scope of memory needs fences
 * on both sides. */
void spirv_lower_control_barrier(struct spirv *s, uint32_t detail)
{
	uint64_t execution = spirv_constant_integer(s, spirv_word(s, 1), "the scope");
	enum ir_scope scope = spirv_scope(s, spirv_word(s, 2));
	uint32_t semantics = (uint32_t)spirv_constant_integer(s, spirv_word(s, 3), "the semantics");
	bool wide = scope == IR_SCOPE_GPU || scope == IR_SCOPE_SYS;
	ir_val arg;
	ir_id i;

	(void)detail;
	if (execution != SCOPE_WORKGROUP && execution != SCOPE_SUBGROUP)
		spirv_fail(s, "a barrier of scope %llu; known: Workgroup, Subgroup",
			   (unsigned long long)execution);
	if (wide || execution == SCOPE_SUBGROUP)
		spirv_fence(s, scope, semantics);
	if (execution == SCOPE_SUBGROUP) {
		arg = ir_at(s->f, spirv_emit(s, IR_ACTIVE, IR_B32, 1, 0, NULL))->res;
		spirv_emit(s, IR_WARPSYNC, IR_VOID, 0, 1, &arg);
	} else {
		arg = spirv_const(s, IR_B32, 0);
		i = spirv_emit(s, IR_BARRIER, IR_VOID, 0, 1, &arg);
		ir_at(s->f, i)->sub = IR_BARRIER_SYNC;
	}
	if (wide || execution == SCOPE_SUBGROUP)
		spirv_fence(s, scope, semantics);
}

/* ---- atomics ---- */

enum { LOAD = 100, STORE, EXCHANGE_COMPARE, INCREMENT, DECREMENT, SUBTRACT, TEST_AND_SET, CLEAR };

struct atomic {
	struct spirv_pointer p;
	enum ir_type type;
	enum ir_scope scope;
	enum ir_order order;
	bool seq_cst;
};

static void set_atomic(struct spirv *s, const struct atomic *a, ir_id i, int64_t imm,
		       enum ir_order order)
{
	struct ir_inst *in = ir_at(s->f, i);

	in->imm = (uint64_t)imm;
	in->space = a->p.space;
	in->align = ir_type_bits(a->type) / 8;
	in->order = order;
	in->scope = a->scope ? a->scope : IR_SCOPE_CTA;
}

/* Emits the access; values: what it takes. Returns its result, 0: none. */
static ir_val emit_atomic(struct spirv *s, const struct atomic *a, enum ir_op op, uint32_t sub,
			  const ir_val *values, uint32_t n)
{
	enum ir_order order = a->order;
	ir_val args[3];
	int64_t imm;
	ir_id i;

	args[0] = spirv_address(s, &a->p, &imm);
	if (!args[0])
		spirv_fail(s, "atomics of this storage class");
	for (uint32_t k = 0; k < n; k++)
		args[1 + k] = values[k];
	if (op == IR_LOAD && order != IR_RELAXED)
		order = IR_ACQUIRE;
	if (op == IR_STORE && order != IR_RELAXED)
		order = IR_RELEASE;
	i = spirv_emit(s, op, a->type, op == IR_STORE ? 0 : 1, 1 + n, args);
	set_atomic(s, a, i, imm, order);
	if (op == IR_ATOM)
		ir_at(s->f, i)->sub = (uint8_t)sub;
	return op == IR_STORE ? 0 : ir_at(s->f, i)->res;
}

/* Minima and maxima of floats: exchanges until the value in memory was not changed meanwhile. */
static ir_val exchange_loop(struct spirv *s, const struct atomic *a, enum ir_op op, ir_val v)
{
	uint32_t old = spirv_reg_new(s, a->type);
	ir_block loop = spirv_block_new(s), done = spirv_block_new(s);
	ir_val have, next, seen;

	spirv_write_reg(s, old, emit_atomic(s, a, IR_LOAD, 0, NULL, 0));
	spirv_jump(s, loop);
	s->block = loop;
	have = spirv_read_reg(s, old, a->type);
	next = spirv_float_op(s, op, a->type, have, v, 0);
	seen = emit_atomic(s, a, IR_CAS, 0, (ir_val[]){have, next}, 2);
	spirv_write_reg(s, old, seen);
	spirv_branch(s, spirv_compare(s, IR_ICMP, a->type, IR_EQ, seen, have), done, loop);
	s->block = done;
	return spirv_read_reg(s, old, a->type);
}

static ir_val lower_one(struct spirv *s, struct atomic *a, uint32_t how, const ir_val *v)
{
	ir_val x;

	switch (how) {
	case LOAD:
		return emit_atomic(s, a, IR_LOAD, 0, NULL, 0);
	case STORE:
		return emit_atomic(s, a, IR_STORE, 0, v, 1);
	case EXCHANGE_COMPARE: /* value, comparator */
		return emit_atomic(s, a, IR_CAS, 0, (ir_val[]){v[1], v[0]}, 2);
	case INCREMENT:
	case DECREMENT:
		x = spirv_const(s, a->type, how == INCREMENT ? 1 : UINT64_MAX);
		return emit_atomic(s, a, IR_ATOM, IR_ATOM_ADD, &x, 1);
	case SUBTRACT:
		x = spirv_op(s, IR_NEG, a->type, v[0], 0, 0);
		return emit_atomic(s, a, IR_ATOM, IR_ATOM_ADD, &x, 1);
	case TEST_AND_SET:
		x = spirv_const(s, a->type, 1);
		x = emit_atomic(s, a, IR_ATOM, IR_ATOM_EXCH, &x, 1);
		return spirv_compare(s, IR_ICMP, a->type, IR_NE, x, spirv_const(s, a->type, 0));
	case CLEAR:
		x = spirv_const(s, a->type, 0);
		return emit_atomic(s, a, IR_STORE, 0, &x, 1);
	case IR_ATOM_FMIN:
	case IR_ATOM_FMAX:
		return exchange_loop(s, a, how == IR_ATOM_FMIN ? IR_FMIN : IR_FMAX, v[0]);
	default:
		return emit_atomic(s, a, IR_ATOM, how, v, 1);
	}
}

static bool has_result(uint32_t how)
{
	return how != STORE && how != CLEAR;
}

void spirv_lower_atomic(struct spirv *s, uint32_t how)
{
	uint32_t k = has_result(how) ? 3 : 1, semantics, reg = 0, n = 0;
	const struct spirv_type *t = has_result(how) ? spirv_result_type(s) : NULL, *pointee;
	struct spirv_pointer p = *spirv_pointer_of(s, spirv_word(s, k));
	struct atomic a = {.p = spirv_resolve(s, &p)};
	ir_val values[2], v;
	ir_block after;

	pointee = a.p.pointee;
	if (!pointee || (pointee->kind != SPIRV_INT && pointee->kind != SPIRV_FLOAT) ||
	    pointee->ir < IR_B32)
		spirv_fail(s, "an atomic needs a number of 32 or 64 bits in memory");
	if (a.p.space != IR_GLOBAL && a.p.space != IR_SHARED && a.p.space != IR_GENERIC_SPACE)
		spirv_fail(s, "atomics are for memory that invocations share");
	a.type = pointee->ir;
	a.scope = spirv_scope(s, spirv_word(s, k + 1));
	semantics = (uint32_t)spirv_constant_integer(s, spirv_word(s, k + 2), "the semantics");
	a.order = order_of(semantics);
	k += how == EXCHANGE_COMPARE ? 4 : 3;
	if (how < LOAD || how == STORE || how == EXCHANGE_COMPARE || how == SUBTRACT)
		for (; n < (how == EXCHANGE_COMPARE ? 2u : 1u); n++) {
			values[n] = spirv_operand(s, k + n, 1)[0];
			if (spirv_type_of_val(s, values[n]) != a.type)
				spirv_fail(s, "%s has another type than the memory",
					   spirv_id_name(s, spirv_word(s, k + n)));
		}
	if (s->options->robust && a.p.bytes && t) {
		reg = spirv_reg_new(s, spirv_leaf_type(t, 0));
		spirv_write_reg(s, reg, spirv_const(s, spirv_leaf_type(t, 0), 0));
	}
	after = spirv_begin_access(s, &a.p, ir_type_bits(a.type) / 8);
	if (semantics & SEMANTICS_SEQ_CST)
		spirv_fence(s, a.scope, semantics);
	v = lower_one(s, &a, how, values);
	if (after) {
		if (reg)
			spirv_write_reg(s, reg, v);
		spirv_jump(s, after);
		s->block = after;
		if (reg)
			v = spirv_read_reg(s, reg, spirv_leaf_type(t, 0));
	}
	if (t)
		spirv_set_scalar(s, v);
}

ir_val spirv_cycles(struct spirv *s)
{
	ir_id i = spirv_emit(s, IR_CLOCK, IR_B64, 1, 0, NULL);

	ir_at(s->f, i)->sub = IR_CLOCK_CYCLES;
	return ir_at(s->f, i)->res;
}

/* Clocks: of the subgroup's processor in cycles, or of the device in nanoseconds. */
void spirv_lower_clock(struct spirv *s, uint32_t detail)
{
	const struct spirv_type *t = spirv_result_type(s);
	uint64_t scope = spirv_constant_integer(s, spirv_word(s, 3), "the scope");
	ir_id i = spirv_emit(s, IR_CLOCK, IR_B64, 1, 0, NULL);
	ir_val v = ir_at(s->f, i)->res, *out;

	(void)detail;
	ir_at(s->f, i)->sub = scope == SCOPE_DEVICE ? IR_CLOCK_NANOSECONDS : IR_CLOCK_CYCLES;
	if (t->leaves == 1) {
		spirv_set_scalar(s, v);
		return;
	}
	if (t->kind != SPIRV_VECTOR || t->count != 2 || t->element->ir != IR_B32)
		spirv_fail(s, "a clock is a 64-bit integer or two words");
	out = spirv_result(s, t);
	out[0] = spirv_resize(s, v, IR_B32, false);
	out[1] = spirv_resize(s, spirv_op(s, IR_SHR_U, IR_B64, v, spirv_const(s, IR_B32, 32), 0),
			      IR_B32, false);
}
