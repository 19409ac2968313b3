/* SPDX-License-Identifier: MIT */
/*
 * Instruction selection: what its files share. Selection goes through a function backwards, so an
 * instruction is met after all its uses and knows what of it is wanted: nothing (then it vanishes,
 * because its users took it in or nobody uses it), its value, or one half of a 64-bit value.
 *
 * A rule (one per operation of the IR) asks for its arguments with arg_…(), which is what makes
 * them wanted, and emits instructions in program order. Constants, parameters and whatever else can
 * be an operand without an instruction come back as such; a rule whose instruction cannot take it
 * there asks for in_reg().
 */
#ifndef SOV_COMPILER_NV_SELECT_H
#define SOV_COMPILER_NV_SELECT_H

#include "libsov/compiler/nv/mir.h"
#include "libsov/compiler/nv/module.h"

enum { NEED_LOW = 1, NEED_HIGH = 2, NEED_PAIR = 3 };

struct value {
	struct mir_ref ref;
	uint8_t need;  /* NEED_LOW also for whatever has no halves */
	uint32_t uses; /* in the IR */
};

struct select {
	struct compile_job *job;
	const struct nv_module *module;
	const struct ir_func *ir;
	const struct ir_cfg *cfg;
	struct mir_func *f;
	struct value *values;
	ir_block block;          /* being selected … */
	struct mir_inst *anchor; /* … and what was selected last: new instructions go before it */
	uint32_t line;
};

/* An argument. Where value is set the source is no register, and the value could be in one. */
struct arg {
	struct mir_source src;
	ir_val value;
	uint8_t half;
};

/* Returns false where the machine has no such thing (yet). */
typedef bool select_rule(struct select *s, const struct ir_inst *in);

/* Arguments (select_arg.c). */
struct arg arg_word(struct select *s, ir_val v); /* 32 bits and less; what is above is anything */
/* … is a copy of the sign, or 0. */
struct arg arg_extended(struct select *s, ir_val v, bool is_signed);
struct arg arg_half(struct select *s, ir_val v, uint32_t half); /* of 64 bits */
struct arg arg_pair(struct select *s, ir_val v); /* 64 bits: register pair or constant */
struct arg arg_f64(struct select *s, ir_val v);  /* … or an immediate of the upper 32 bits */
struct mir_source arg_pred(struct select *s, ir_val v);
struct mir_source in_reg(struct select *s, struct arg a);
struct mir_source in_pair(struct select *s, struct arg a);
/* The register of a value; its first use makes it. */
struct mir_ref value_ref(struct select *s, ir_val v, uint8_t need);
/* The half needs no computing: it is a constant, or part of another value. */
bool is_known(const struct select *s, ir_val v, uint32_t half);
bool is_reg(const struct arg *a);
bool is_zero(const struct arg *a);
struct arg negated(struct arg a); /* integer */
/* The instruction that computes v, if its one user may compute it instead and op and type fit. */
const struct ir_inst *take_in(struct select *s, ir_val v, enum ir_op op, enum ir_type type);
/* The same for a value with any number of users, each of which computes it anew. */
const struct ir_inst *look_into(struct select *s, ir_val v, enum ir_op op, enum ir_type type);
/* What is known of an address when compiling: a constant, or the place of a variable that is in
 * shared memory or in a constant bank. */
bool known_address(const struct select *s, ir_val v, int64_t *value);
/* Makes two or three operands fit: the first in a register, at most one of the others not. */
void fit(struct select *s, struct arg *args, uint32_t count, bool commutes);

/* Results and instructions (select.c). */
struct mir_source result(struct select *s, ir_val v);
struct mir_source result_half(struct select *s, ir_val v, uint32_t half);
/* The half is what a says: the value moves in with the pair if it can, else it is copied. */
void result_is(struct select *s, ir_val v, uint32_t half, struct arg a);
bool wanted(const struct select *s, ir_val v, uint8_t need);
/* Consecutive registers: the data of a wide store, or of a wide load, whose results they become
 * after it. */
struct mir_source in_vector(struct select *s, const struct arg *words, uint32_t count);
void results_are(struct select *s, const struct ir_inst *in, struct mir_source vector);
struct mir_source temp(struct select *s, uint8_t kind, uint32_t units);
struct mir_source part(struct mir_source s, uint32_t part);
struct mir_inst *emit(struct select *s, enum sass_op op, const struct mir_source *ops, uint32_t n);
#define NONE none() /* an operand at its default */
#define EMIT(s, op, ...) \
	emit(s, SASS_##op, (struct mir_source[]){__VA_ARGS__}, \
	     sizeof((struct mir_source[]){__VA_ARGS__}) / sizeof(struct mir_source))

static inline struct mir_source none(void)
{
	return (struct mir_source){.op = {.kind = SASS_NONE}};
}
static inline struct mir_source rz(void)
{
	return (struct mir_source){.op = {.kind = SASS_GPR, .reg = SASS_RZ}};
}
static inline struct mir_source with(struct mir_source s, uint8_t flags)
{
	s.op.flags ^= flags;
	return s;
}
static inline void set_mod(struct mir_inst *i, enum sass_mod m, uint8_t value)
{
	i->sass.mod[m] = value;
}
static inline enum ir_type type_of(const struct select *s, ir_val v)
{
	return s->ir->values[v].type;
}

/* Floating point (select_float.c). Of 16 bits, one or two in a register. */
static inline bool is_half(const struct ir_inst *in)
{
	return in->format || in->type == IR_B16;
}
/* The value under any negations and absolute values, and those as flags. */
struct arg arg_float(struct select *s, ir_val v, uint8_t user_flags, bool halves);
struct mir_source float_in_reg(struct select *s, struct arg a, enum ir_type type);
void fit_float(struct select *s, struct arg *args, uint32_t count,
	       enum ir_type type); /* as fit() */
uint8_t rounding(const struct ir_inst *in);
struct float_condition {
	uint8_t cmp, swapped;
};
extern const struct float_condition float_conditions[];

/* Rules, by file. */
/* _int.c */
select_rule select_add, select_sub, select_mul, select_mulhi, select_mulwide, select_neg,
	select_shift, select_carry, select_permute, select_dot;
/* _sequence.c */
select_rule select_divide, select_mulhi_pair, select_popc, select_clz, select_brev;
/* _logic.c */
select_rule select_logic, select_logic3, select_icmp, select_select, select_minmax;
/* _move.c */
select_rule select_sreg, select_clock, select_zext, select_sext, select_trunc, select_pack,
	select_unpack;
/* _float.c */
select_rule select_fadd, select_fmul, select_fma, select_fsign, select_fminmax, select_fcmp;
/* _half.c */
select_rule select_half, select_half_sign, select_half_minmax, select_half_compare;
/* _convert.c */
select_rule select_itof, select_ftoi, select_ftof, select_fround, select_approx;
/* _memory.c */
select_rule select_load, select_store, select_atom, select_cas, select_fence;
/* _space.c */
select_rule select_addr, select_space, select_inspace, select_stack;
/* _call.c */
select_rule select_arg, select_call, select_funcaddr;
void select_return(struct select *s, const struct ir_inst *in);
/* _lane.c */
select_rule select_shuffle, select_vote, select_match, select_reduce, select_active,
	select_warpsync, select_barrier, select_barrier_red, select_sleep;

#endif
