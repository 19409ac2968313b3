// SPDX-License-Identifier: MIT
/*
 * Lowering of memory instructions: loads, stores, atomics, fences. Cache operators and policies are
 * hints, except .cv, which acts as .volatile.
 */
#include <string.h>
#include "libsov/compiler/ptx/front_end.h"
#include "libsov/compiler/base/target.h"

static enum ir_space space_of(const struct ptx_inst *in)
{
	return ptx_has_modifier(in, SLOT_SPACE) ? in->value[SLOT_SPACE] : IR_GENERIC_SPACE;
}

/* Memory of the cluster is accessed by generic addresses. */
static enum ir_space access_space(const struct ptx *x, const struct ptx_inst *in)
{
	if (space_of(in) != IR_SHARED_CLUSTER)
		return space_of(in);
	return ptx_has_clusters(x) ? IR_GENERIC_SPACE : IR_SHARED;
}

/* Global and generic addresses have 64 bits; other spaces also allow 32. */
static bool needs_wide_address(enum ir_space s)
{
	return s == IR_GENERIC_SPACE || s == IR_GLOBAL;
}

static bool check_base_register(struct ptx *x, const struct ptx_inst *in,
				const struct ptx_operand *o, enum ir_space space)
{
	const struct ptx_type *t = o->name->type;
	bool integer = t->class != CLASS_FLOAT && t->class != CLASS_PREDICATE;

	if (integer && (t->bits == 64 || (t->bits == 32 && !needs_wide_address(space))))
		return true;
	ptx_error(x, &o->at, "address '%.*s' of '%s' is a %s register; it must be a %s integer",
		  TEXT(o->name), ptx_spelling(x, in), t->name,
		  needs_wide_address(space) ? "64-bit" : "64-bit or 32-bit");
	return false;
}

static bool check_base_variable(struct ptx *x, const struct ptx_inst *in,
				const struct ptx_operand *o, enum ir_space want)
{
	enum ir_space shared = want == IR_SHARED_CLUSTER ? IR_SHARED : want;
	enum ir_space have =
		o->kind == OPERAND_VARIABLE ? x->module->symbols[o->name->symbol].space : IR_PARAM;

	/* A global address equals its generic address. */
	if (have == shared || (have == IR_GLOBAL && want == IR_GENERIC_SPACE))
		return true;
	ptx_error(x, &o->at, "'%.*s' is in .%s space, but '%s' accesses .%s", TEXT(o->name),
		  ir_space_names[have], ptx_spelling(x, in), ir_space_names[want]);
	return false;
}

/* Parameters are addressed by constant offsets, so bounds and alignment are checked here. */
static bool check_parameter(struct ptx *x, const struct ptx_inst *in, const struct ptx_operand *o,
			    uint32_t bytes)
{
	const struct ir_param *p = &x->func->params[o->name->symbol];
	int64_t offset = (int64_t)o->value;

	if (offset < 0 || offset + bytes > p->size) {
		ptx_error(x, &o->at,
			  "'%s' reads %u bytes at offset %lld of parameter '%s', which has %u",
			  ptx_spelling(x, in), bytes, (long long)offset, p->name, p->size);
		return false;
	}
	if ((p->offset + (uint64_t)offset) % bytes) {
		ptx_error(x, &o->at,
			  "'%s' reads parameter '%s' at offset %lld, not a multiple of %u",
			  ptx_spelling(x, in), p->name, (long long)offset, bytes);
		return false;
	}
	return true;
}

bool ptx_read_address(struct ptx *x, const struct ptx_inst *in, const struct ptx_operand *o,
		      enum ir_space space, uint32_t bytes, ir_val *arg, uint64_t *offset)
{
	struct ptx_operand variable = *o;
	bool wide = needs_wide_address(space) || space == IR_CONSTANT;

	*arg = 0;
	*offset = o->value;
	if (o->kind == OPERAND_REGISTER) {
		if (!check_base_register(x, in, o, space))
			return false;
		*arg = ptx_read_register(x, o->name);
		return true;
	}
	if (!check_base_variable(x, in, o, space))
		return false;
	if (o->kind == OPERAND_PARAMETER) {
		*offset += x->func->params[o->name->symbol].offset;
		return check_parameter(x, in, o, bytes);
	}
	variable.value = 0;
	*arg = ptx_address_of(x, &variable, wide ? IR_B64 : IR_B32);
	return true;
}

static bool read_address(struct ptx *x, const struct ptx_inst *in, uint32_t bytes, ir_val *arg,
			 uint64_t *offset)
{
	if (!ptx_read_address(x, in, in->role[ROLE_A], space_of(in), bytes, arg, offset))
		return false;
	if (access_space(x, in) != space_of(in) && ptx_has_clusters(x))
		*arg = ptx_cluster_generic(x, *arg, offset);
	return true;
}

static enum ir_order order_of(const struct ptx_inst *in, enum ir_order otherwise)
{
	if (!ptx_has_modifier(in, SLOT_ORDER))
		return otherwise;
	return in->value[SLOT_ORDER] == ORDER_VOLATILE ? IR_RELAXED : in->value[SLOT_ORDER];
}

/* The width of an element; match.c splits 128 bits into two of 64. */
static uint32_t element_bits(const struct ptx_inst *in)
{
	uint32_t bits = ptx_inst_type(in, SLOT_TYPE)->bits;

	return bits > 64 ? 64 : bits;
}

static bool is_cached_volatile(const struct ptx_inst *in)
{
	return ptx_has_modifier(in, SLOT_CACHE) && in->value[SLOT_CACHE] == CACHE_VOLATILE;
}

static void set_access(struct ptx *x, const struct ptx_inst *in, ir_id i, uint64_t offset,
		       enum ir_order otherwise)
{
	const struct ptx_type *type = ptx_inst_type(in, SLOT_TYPE);
	uint32_t count = ptx_has_modifier(in, SLOT_VECTOR) ? in->value[SLOT_VECTOR] : 1;
	struct ir_inst *m = ir_at(x->func, i);
	bool is_constant =
		space_of(in) == IR_CONSTANT || space_of(in) == IR_PARAM; /* .cv has no effect */
	bool is_volatile =
		ptx_has_modifier(in, SLOT_MMIO) ||
		(ptx_has_modifier(in, SLOT_ORDER) && in->value[SLOT_ORDER] == ORDER_VOLATILE) ||
		(is_cached_volatile(in) && !is_constant);

	m->imm = offset;
	m->space = access_space(x, in);
	m->from = type->ir;
	m->align = type->bits / 8 * count;
	m->order = is_volatile ? IR_RELAXED : order_of(in, otherwise);
	if (ir_ops[m->op].attributes & A_CACHE) {
		m->evict = ptx_eviction_of(in);
		m->fetch = ptx_fetch_of(in);
	}
	ptx_set_policy(x, in, i);
	if (is_volatile) {
		m->scope = IR_SCOPE_SYS;
		m->flags |= IR_VOLATILE;
	} else if (m->order != IR_WEAK) {
		m->scope = ptx_has_modifier(in, SLOT_SCOPE) ? in->value[SLOT_SCOPE] : IR_SCOPE_GPU;
	}
}

static uint32_t elements_of(const struct ptx_operand *o, const struct ptx_operand **first)
{
	*first = o->kind == OPERAND_VECTOR ? o->elements : o;
	return o->kind == OPERAND_VECTOR ? o->count : 1;
}

static bool check_vector_size(struct ptx *x, const struct ptx_inst *in)
{
	uint32_t bits = ptx_inst_type(in, SLOT_TYPE)->bits *
			(ptx_has_modifier(in, SLOT_VECTOR) ? in->value[SLOT_VECTOR] : 1u);

	if (bits <= 128)
		return true;
	ptx_error(x, &in->name, "'%s' moves %u bits in one access; the maximum is 128",
		  ptx_spelling(x, in), bits);
	return false;
}

/* The common type of all destinations, so that the load extends; else the type in memory. */
static enum ir_type load_type(const struct ptx_operand *e, uint32_t count, enum ir_type memory)
{
	enum ir_type t = IR_VOID;

	for (uint32_t i = 0; i < count; i++) {
		if (e[i].kind == OPERAND_BIT_BUCKET)
			continue;
		if (t && e[i].name->type->ir != t)
			return memory;
		t = e[i].name->type->ir;
	}
	return t ? t : memory;
}

/* Accesses a .param object of a function or call, which registers hold. false: not an object. */
static bool move_object(struct ptx *x, const struct ptx_inst *in, const struct ptx_operand *e,
			uint32_t count, bool store)
{
	const struct ptx_type *type = ptx_inst_type(in, SLOT_TYPE);
	const struct ptx_operand *o = in->role[ROLE_A];
	uint32_t bytes = element_bits(in) / 8;
	int64_t at = (int64_t)o->value;
	ir_val v;

	if (o->kind != OPERAND_OBJECT)
		return false;
	if (!check_base_variable(x, in, o, space_of(in)))
		return true;
	if (at < 0 || (at + bytes * count > o->name->object->size && o->name->object->size)) {
		ptx_error(x, &o->at,
			  "'%s' accesses %u bytes at offset %lld of '%.*s', which has %u",
			  ptx_spelling(x, in), bytes * count, (long long)at, TEXT(o->name),
			  o->name->object->size);
		return true;
	}
	for (uint32_t k = 0; k < count; k++, at += bytes) {
		if (store) {
			v = ptx_read_operand(x, &e[k]);
			ptx_object_write(x, o->name->object, (uint64_t)at, type->ir, v);
		} else if (e[k].kind != OPERAND_BIT_BUCKET) {
			v = ptx_object_read(x, o->name->object, (uint64_t)at, type->ir);
			ptx_write_operand(x, &e[k], v);
		}
	}
	return true;
}

static void emit_load(struct ptx *x, const struct ptx_inst *in, const struct ptx_operand *e,
		      uint32_t count, ir_val address, uint64_t offset)
{
	const struct ptx_type *type = ptx_inst_type(in, SLOT_TYPE);
	enum ir_type t = load_type(e, count, type->ir);
	ir_val args[2] = {address};
	uint32_t n = !!address + ptx_read_policy(x, in, &args[!!address]);
	ir_id i = ptx_emit(x, IR_LOAD, t, count, n, args);

	set_access(x, in, i, offset, IR_WEAK);
	if (t != type->ir && type->class == CLASS_SIGNED)
		ir_at(x->func, i)->flags |= IR_SEXT_MEM;
	if (ptx_has_modifier(in, SLOT_INVARIANT) || space_of(in) == IR_PARAM ||
	    space_of(in) == IR_CONSTANT)
		ir_at(x->func, i)->flags |= IR_INVARIANT;
	for (uint32_t k = 0; k < count; k++) {
		ir_val v = ir_at(x->func, i)->res + k;

		if (e[k].kind == OPERAND_BIT_BUCKET)
			continue;
		if (t == e[k].name->type->ir)
			ptx_write_register(x, e[k].name, v);
		else
			ptx_write_operand(x, &e[k], v);
	}
}

/* Elements of parameters that are narrower than a word are loaded one by one: they are
 * constants, so a vector load gains nothing. */
void ptx_lower_ld(struct ptx *x, const struct ptx_inst *in)
{
	const struct ptx_type *type = ptx_inst_type(in, SLOT_TYPE);
	const struct ptx_operand *e;
	uint32_t count = elements_of(in->role[ROLE_D], &e), bytes = element_bits(in) / 8;
	bool one_by_one = space_of(in) == IR_PARAM && type->bits < 32;
	uint64_t offset;
	ir_val address;

	if (!ptx_check_hints(x, in) || !check_vector_size(x, in) ||
	    move_object(x, in, e, count, false) ||
	    !read_address(x, in, bytes * count, &address, &offset))
		return;
	if (!one_by_one) {
		emit_load(x, in, e, count, address, offset);
		return;
	}
	for (uint32_t k = 0; k < count; k++)
		emit_load(x, in, &e[k], 1, address, offset + k * bytes);
}

void ptx_lower_st(struct ptx *x, const struct ptx_inst *in)
{
	const struct ptx_type *type = ptx_inst_type(in, SLOT_TYPE);
	const struct ptx_operand *e;
	uint32_t count = elements_of(in->role[ROLE_B], &e), bytes = element_bits(in) / 8 * count;
	ir_val args[2 + IR_MAX_ELEMENTS];
	uint64_t offset;
	ir_id i;

	if (!ptx_check_hints(x, in) || !check_vector_size(x, in) ||
	    move_object(x, in, e, count, true))
		return;
	if (space_of(in) == IR_PARAM) {
		ptx_error(x, &in->name, "'%s': the parameters of a kernel cannot be written",
			  ptx_spelling(x, in));
		return;
	}
	if (!read_address(x, in, bytes, &args[0], &offset))
		return;
	for (uint32_t k = 0; k < count; k++)
		args[1 + k] = ptx_read_operand(x, &e[k]);
	count += ptx_read_policy(x, in, &args[1 + count]);
	i = ptx_emit(x, IR_STORE, type->ir, 0, 1 + count, args);
	set_access(x, in, i, offset, IR_WEAK);
}

/* ---- atomics ---- */

enum ir_atom ptx_atom_of(const struct ptx_inst *in)
{
	enum ir_atom op = in->value[SLOT_ATOM];
	uint8_t class = ptx_inst_type(in, SLOT_TYPE)->class;

	if (op == IR_ATOM_ADD && class == CLASS_FLOAT)
		return IR_ATOM_FADD;
	if (op == IR_ATOM_MIN_U && class == CLASS_FLOAT)
		return IR_ATOM_FMIN;
	if (op == IR_ATOM_MAX_U && class == CLASS_FLOAT)
		return IR_ATOM_FMAX;
	if (op == IR_ATOM_MIN_U && class == CLASS_SIGNED)
		return IR_ATOM_MIN_S;
	if (op == IR_ATOM_MAX_U && class == CLASS_SIGNED)
		return IR_ATOM_MAX_S;
	return op;
}

/* PTX ISA, atom: adding f32 to global memory flushes denormals, adding to shared memory does not.
 * Generic addresses flush as global ones do, like the hardware's instruction. */
static bool flushes(const struct ptx_inst *in)
{
	const struct ptx_type *t = ptx_inst_type(in, SLOT_TYPE);

	return ptx_atom_of(in) == IR_ATOM_FADD && t->bits == 32 && !t->format &&
	       space_of(in) != IR_SHARED && space_of(in) != IR_SHARED_CLUSTER;
}

/* A vector is atomic element by element (PTX ISA, atom), so each element becomes one operation. */
void ptx_lower_atom(struct ptx *x, const struct ptx_inst *in)
{
	const struct ptx_type *type = ptx_inst_type(in, SLOT_TYPE);
	const struct ptx_operand *d = in->role[ROLE_D], *to = d, *b;
	uint32_t count = elements_of(in->role[ROLE_B], &b), bytes = type->bits / 8;
	uint64_t offset;
	ir_val args[3];

	if (d)
		elements_of(d, &to);
	if (!ptx_check_hints(x, in) || !read_address(x, in, bytes, &args[0], &offset))
		return;
	for (uint32_t k = 0; k < count; k++) {
		ir_id i;

		args[1] = ptx_read_operand(x, &b[k]);
		i = ptx_emit(x, IR_ATOM, type->ir, 1, 2 + ptx_read_policy(x, in, &args[2]), args);
		set_access(x, in, i, offset + k * bytes, IR_RELAXED);
		ir_at(x->func, i)->align = bytes;
		ir_at(x->func, i)->sub = ptx_atom_of(in);
		ir_at(x->func, i)->format = type->format;
		if (flushes(in))
			ir_at(x->func, i)->flags |= IR_FTZ;
		if (to)
			ptx_write_operand(x, &to[k], ir_at(x->func, i)->res);
	}
}

void ptx_lower_cas(struct ptx *x, const struct ptx_inst *in)
{
	const struct ptx_type *type = ptx_inst_type(in, SLOT_TYPE);
	uint64_t offset;
	ir_val args[3];
	ir_id i;

	if (!read_address(x, in, type->bits / 8, &args[0], &offset))
		return;
	args[1] = ptx_read_role(x, in, ROLE_B);
	args[2] = ptx_read_role(x, in, ROLE_C);
	i = ptx_emit(x, IR_CAS, type->ir, 1, 3, args);
	set_access(x, in, i, offset, IR_RELAXED);
	ptx_write_operand(x, in->role[ROLE_D], ir_at(x->func, i)->res);
}

/* PTX ISA, atom: NVIDIA's chips support it from sm_90 on. */
static bool check_wide_atomic(struct ptx *x, const struct ptx_inst *in)
{
	const struct target *t = x->job->target;

	if (!t || strcmp(t->family, "nv") || t->version >= 90)
		return true;
	ptx_error(x, &in->name,
		  "'%s' needs sm_90: an atomic operation on 128 bits is not supported on %s",
		  ptx_spelling(x, in), t->name);
	return false;
}

/* 128-bit atomics: the two halves of the comparand, then the two of the new value. */
void ptx_lower_atom_wide(struct ptx *x, const struct ptx_inst *in)
{
	const struct ptx_operand *d = in->role[ROLE_D];
	uint64_t offset;
	uint32_t n = 1;
	ir_val args[6];
	ir_id i;

	if (!ptx_check_hints(x, in) || !check_wide_atomic(x, in) ||
	    !read_address(x, in, 16, &args[0], &offset))
		return;
	for (enum ptx_role r = ROLE_B; r <= ROLE_C; r++)
		for (uint32_t k = 0; in->role[r] && k < 2; k++)
			args[n++] = ptx_read_operand(x, &in->role[r]->elements[k]);
	n += ptx_read_policy(x, in, &args[n]);
	i = ptx_emit(x, in->row->op, IR_B64, 2, n, args);
	set_access(x, in, i, offset, IR_RELAXED);
	if (in->row->op == IR_ATOM)
		ir_at(x->func, i)->sub = IR_ATOM_EXCH;
	for (uint32_t k = 0; d->kind == OPERAND_VECTOR && k < 2; k++)
		ptx_write_operand(x, &d->elements[k], ir_at(x->func, i)->res + k);
}

/* membar is sequentially consistent; fence is acq_rel unless stated otherwise. */
void ptx_lower_fence(struct ptx *x, const struct ptx_inst *in)
{
	bool membar = in->name.length == 6;
	ir_id i = ptx_emit(x, IR_FENCE, IR_VOID, 0, 0, NULL);
	struct ir_inst *f = ir_at(x->func, i);

	f->scope = in->value[SLOT_SCOPE];
	f->order = order_of(in, membar ? IR_SEQ_CST : IR_ACQ_REL);
}

/* Between accesses and bulk copies, which are accesses by the asynchronous proxy. */
static void fence_async(struct ptx *x, const struct ptx_inst *in, struct ir_inst *f)
{
	bool global = ptx_has_modifier(in, SLOT_SPACE) && in->value[SLOT_SPACE] == IR_GLOBAL;
	ir_id i;

	f->scope = ptx_has_modifier(in, SLOT_SPACE) && !global ? IR_SCOPE_CTA : IR_SCOPE_GPU;
	f->order = IR_ACQ_REL;
	i = ptx_emit(x, IR_FENCEASYNC, IR_VOID, 0, 0, NULL);
	ir_at(x->func, i)->space = global ? IR_GLOBAL : IR_SHARED;
}

/* Of the initialisation of barriers, which are in the block's own shared memory: what has been
 * written there is visible to other blocks, too. ptxas emits nothing for it. */
static void fence_inits(struct ir_inst *f)
{
	f->scope = IR_SCOPE_CTA;
	f->order = IR_RELEASE;
}

/*
 * Fences between proxies (PTX ISA, membar and fence). The alias proxy is other virtual addresses of
 * the same memory: such a fence is one of the generic proxy, as wide as its scope. So is that of
 * changes of tensor maps, which copies see after an acquire.
 */
void ptx_lower_fence_proxy(struct ptx *x, const struct ptx_inst *in)
{
	ir_id i = ptx_emit(x, IR_FENCE, IR_VOID, 0, 0, NULL);
	struct ir_inst *f = ir_at(x->func, i);
	bool is_scoped = ptx_has_modifier(in, SLOT_SCOPE);

	f->scope = is_scoped ? in->value[SLOT_SCOPE] : IR_SCOPE_SYS;
	f->order = is_scoped ? in->value[SLOT_ORDER] : IR_SEQ_CST;
	if (ptx_is_spelled(in, ".mbarrier_init"))
		fence_inits(f);
	if (ptx_is_spelled(in, ".async"))
		fence_async(x, in, f);
	if (in->role[ROLE_A])
		ptx_lower_map_acquire(x, in);
}

#define MIN_REGISTERS 24 /* PTX ISA, setmaxnreg */
#define MAX_REGISTERS 256

/* Asks again until the other warps of the block have given enough registers. */
static void take_registers(struct ptx *x, uint64_t count)
{
	ir_block ask = ptx_block_new(x), next;
	ir_val taken;

	ptx_jump(x, ask);
	ptx_set_block(x, ask);
	taken = ptx_op(x, IR_TAKE_REGISTERS, IR_B1, 0, 0, 0);
	ir_def(x->func, taken)->imm = count;
	next = ptx_block_new(x);
	ptx_branch(x, taken, next, ask);
	ptx_set_block(x, next);
}

/* Whether a kernel starts with a known number of registers. ptxas 13.0 ignores setmaxnreg in
 * others, in functions and in objects. */
static bool knows_registers(const struct ptx *x)
{
	const struct ir_func *f = x->func;

	return f->kind == IR_KERNEL && !x->job->options.relocatable &&
	       x->job->target->moves_registers &&
	       (f->max_registers || (f->min_ctas && (f->required_threads[0] || f->max_threads[0])));
}

void ptx_lower_setmaxnreg(struct ptx *x, const struct ptx_inst *in)
{
	const struct ptx_operand *a = in->role[ROLE_A];
	bool takes = ptx_is_spelled(in, ".inc");

	if (!x->is_specific)
		ptx_error(x, &in->name, "'%s' needs the target sm_90a", ptx_spelling(x, in));
	else if (a->kind != OPERAND_INTEGER || a->value < MIN_REGISTERS ||
		 a->value > MAX_REGISTERS || a->value % 8)
		ptx_error(x, &a->at,
			  "a number of registers is a multiple of 8 from %d to %d, found '%.*s'",
			  MIN_REGISTERS, MAX_REGISTERS, TEXT(&a->at));
	else if (knows_registers(x) && takes)
		take_registers(x, a->value);
	else if (knows_registers(x))
		ir_at(x->func, ptx_emit(x, IR_GIVE_REGISTERS, IR_VOID, 0, 0, NULL))->imm = a->value;
}

/* Cache hints, and instructions without effect under the launches of this runtime. */
void ptx_lower_nothing(struct ptx *x, const struct ptx_inst *in)
{
	(void)x;
	(void)in;
}

#define DEFAULT_STACK_ALIGN 8 /* PTX ISA, alloca */

void ptx_lower_alloca(struct ptx *x, const struct ptx_inst *in)
{
	const struct ptx_operand *align = in->role[ROLE_B];
	uint64_t n = align ? align->value : DEFAULT_STACK_ALIGN;
	ir_val v;

	if (align &&
	    (align->kind != OPERAND_INTEGER || !n || n & (n - 1) || n > IR_MAX_STACK_ALIGN)) {
		ptx_error(x, &align->at, "an alignment is a power of two up to %d, found '%.*s'",
			  IR_MAX_STACK_ALIGN, TEXT(&align->at));
		return;
	}
	v = ptx_op(x, IR_ALLOCA, ptx_inst_type(in, SLOT_TYPE)->ir, ptx_read_role(x, in, ROLE_A), 0,
		   0);
	ir_def(x->func, v)->imm = n;
	ptx_write_operand(x, in->role[ROLE_D], v);
}

void ptx_lower_stackrestore(struct ptx *x, const struct ptx_inst *in)
{
	ir_val a = ptx_read_role(x, in, ROLE_A);

	ptx_emit(x, IR_STACKRESTORE, ptx_inst_type(in, SLOT_TYPE)->ir, 0, 1, &a);
}
