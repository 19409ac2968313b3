/* SPDX-License-Identifier: MIT */
/*
 * Instruction selection, shared declarations. Selection walks a function backwards, so it reaches
 * an instruction after all of its uses and knows what they need: nothing (the instruction is dead
 * or was folded into its users), the whole value, or one half of a 64-bit value.
 *
 * A rule (one per IR operation) requests its arguments with arg_…(), which records them as needed,
 * and emits instructions in program order. Constants, parameters and other values that can be
 * operands are returned as such; a rule whose instruction cannot encode one there calls in_reg().
 */
#ifndef SOV_COMPILER_NV_SELECT_H
#define SOV_COMPILER_NV_SELECT_H

#include "libsov/compiler/nv/mir.h"
#include "libsov/compiler/nv/module.h"

enum { NEED_LOW = 1, NEED_HIGH = 2, NEED_PAIR = 3 };

struct value {
	struct mir_ref ref;
	uint8_t need;  /* NEED_LOW also for values without halves */
	uint32_t uses; /* in the IR */
	ir_val packed; /* the pack whose low half it is; 0: none */
	/* Of the first result of a load: its register, if an instruction reads elements smaller
	 * than a word where they are. */
	struct mir_ref words;
	bool selected;
	bool swap_tested; /* of a compare-and-swap: only whether it has stored is of interest */
};

struct select {
	struct compile_job *job;
	const struct nv_module *module;
	const struct ir_func *ir;
	const struct ir_cfg *cfg;
	const struct ir_divergence *divergence;
	struct mir_func *f;
	struct value *values;
	ir_block block;          /* block being selected */
	struct mir_inst *anchor; /* new instructions are inserted before this one */
	struct mir_inst *start;  /* defines the arguments in registers */
	/* Mask of the lanes above this one, which aggregated atomics read; the entry defines it. */
	struct mir_source lanes_above;
	struct revolutions *pending; /* see select_approx() */
	uint32_t line;
};

/* An operand. If value is set, src is not a register but the value can be put in one. */
struct arg {
	struct mir_source src;
	ir_val value;
	uint8_t half;
};

/* Returns false if the target cannot execute the operation. */
typedef bool select_rule(struct select *s, const struct ir_inst *in);

/* Arguments (select_arg.c). */
struct arg arg_word(struct select *s, ir_val v); /* up to 32 bits; bits above are undefined */
/* As arg_word(), with the bits above sign- or zero-extended. */
struct arg arg_extended(struct select *s, ir_val v, bool is_signed);
/* Whether the instruction that defines a value of up to 16 bits extends it to 32. */
bool is_extended(const struct select *s, ir_val v, bool is_signed);
struct arg arg_half(struct select *s, ir_val v, uint32_t half); /* of a 64-bit value */
struct arg arg_pair(struct select *s, ir_val v); /* 64 bits: register pair or constant */
struct arg arg_f64(struct select *s, ir_val v);  /* or an immediate of the upper 32 bits */
struct mir_source arg_pred(struct select *s, ir_val v);
struct mir_source in_reg(struct select *s, struct arg a);
struct mir_source in_pair(struct select *s, struct arg a);
/* Returns the virtual register of a value and creates it at the first use. */
struct mir_ref value_ref(struct select *s, ir_val v, uint8_t need);
/* The half is a constant or a part of another value: no instruction computes it. */
bool is_free_half(const struct select *s, ir_val v, uint32_t half);
bool is_constant_half(const struct select *s, ir_val v, uint32_t half);
bool is_reg(const struct arg *a);
bool is_zero(const struct arg *a);
struct arg negated(struct arg a); /* integer negation */
/* Returns the instruction that defines v if v has one use and op and type match: the caller may
 * fold it. */
const struct ir_inst *fold_single_use(struct select *s, ir_val v, enum ir_op op, enum ir_type type);
/* As fold_single_use() for any number of uses, each of which computes the value again. */
const struct ir_inst *fold_def(struct select *s, ir_val v, enum ir_op op, enum ir_type type);
/* Address known at compile time: a constant, or a variable in shared memory or a constant bank. */
bool constant_address(const struct select *s, ir_val v, int64_t *value);
/* Makes two or three operands encodable: the first in a register, at most one of the others not. */
void legalise_args(struct select *s, struct arg *args, uint32_t count, bool commutes);

/* Results and instructions (select.c). */
struct mir_source result(struct select *s, ir_val v);
/* The registers of C of a product of a warp group. */
const ir_val *nv_group_addend(const struct ir_inst *in);
struct mir_source result_half(struct select *s, ir_val v, uint32_t half);
/* Defines the half by a: coalesces a's register into the pair if possible, else copies it. */
void define_half(struct select *s, ir_val v, uint32_t half, struct arg a);
bool is_needed(const struct select *s, ir_val v, uint8_t need);
/* Consecutive registers for the data of a vector store, or of a vector load whose results they
 * become. */
struct mir_source in_vector(struct select *s, const struct arg *words, uint32_t count);
void define_results(struct select *s, const struct ir_inst *in, struct mir_source vector);
struct mir_source new_temp(struct select *s, uint8_t kind, uint32_t units);
struct mir_source subreg(struct mir_source s, uint32_t part);
struct mir_inst *emit(struct select *s, enum sass_op op, const struct mir_source *ops, uint32_t n);
#define NONE none() /* operand at its default */
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
static inline struct mir_source with_flags(struct mir_source s, uint8_t flags)
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

/* 16-bit floating point, one or two values in a register. */
static inline bool is_half(const struct ir_inst *in)
{
	return in->format || in->type == IR_B16;
}
/* Floating point (select_float.c): the value under negations and absolute values, which become
 * operand flags. */
struct arg arg_float(struct select *s, ir_val v, uint8_t user_flags, bool halves);
struct mir_source float_in_reg(struct select *s, struct arg a, enum ir_type type);
void legalise_float_args(struct select *s, struct arg *args, uint32_t count,
			 enum ir_type type); /* as legalise_args() */
uint8_t rounding(const struct ir_inst *in);
/* Whether a comparison with 0 is computed by the logic instruction that it tests
 * (select_logic.c). */
bool is_bit_test(const struct select *s, const struct ir_inst *in);
struct float_condition {
	uint8_t cmp, swapped;
};
extern const struct float_condition float_conditions[];
/* p = (comparison of 32 or 64 bits) boolean x. */
void emit_fcmp(struct select *s, const struct ir_inst *in, struct mir_source p, struct mir_source x,
	       uint8_t boolean);

/* Selection rules, by file. */
/* select_integer.c */
select_rule select_add, select_sub, select_mul, select_mulhi, select_mulwide, select_neg,
	select_carry, select_permute, select_dot, select_absdiff4;
/* select_shift.c */
select_rule select_shift;
/* Unions of opposite shifts that are one instruction; select_funnel() returns false for others. */
select_rule select_funnel;
bool is_funnel(struct select *s, const struct ir_inst *in);
/* select_sequence.c */
select_rule select_mulhi_pair, select_popc, select_clz, select_brev, select_highest_bit;
select_rule select_shift_amount;
/* select_logic.c */
select_rule select_logic, select_logic3, select_icmp, select_select, select_minmax_wide;
/* select_minmax.c; select_pair() packs two results that one instruction computes, or returns
 * false. */
select_rule select_minmax, select_pair;
/* select_move.c */
select_rule select_sreg, select_clock, select_zext, select_sext, select_trunc, select_pack,
	select_unpack;
/* select_float.c */
select_rule select_fadd, select_fmul, select_fma, select_fsign, select_fminmax, select_fcmp,
	select_fchk;
/* select_half.c */
select_rule select_half, select_half_sign, select_half_minmax, select_half_compare;
select_rule select_half_truth; /* a comparison's result as 1.0 or 0 */
/* select_convert.c */
select_rule select_itof, select_ftoi, select_ftof, select_fround, select_approx;
/* A pack of two conversions; false: it is none. */
select_rule select_float_pair;
/* select_memory.c */
select_rule select_load, select_store, select_atom, select_cas, select_fence;
/* An element smaller than a word of a load of several: its number and bytes. */
struct element {
	const struct ir_inst *load;
	uint32_t index, size;
};
bool is_element(const struct select *s, ir_val v, struct element *e);
/* The loaded word that contains the element, and the element's bits there. */
struct mir_source element_word(struct select *s, const struct element *e, uint32_t *mask);
/* Folds constants that are added to a shared address into the offset; returns the base, 0: none. */
ir_val split_shared_address(const struct select *s, ir_val v, int64_t *offset);
/* An address in shared memory, with an offset between the limits. */
struct mir_source select_shared_address(struct select *s, ir_val v, int64_t min, int64_t max);
/* select_async.c */
select_rule select_copy, select_copy_commit, select_copy_wait, select_mma, select_mma_group,
	select_group_commit, select_group_wait, select_loadmatrix;
/* select_mbarrier.c */
select_rule select_mbarrier_init, select_mbarrier_inval, select_mbarrier_arrive,
	select_mbarrier_test, select_mbarrier_pending, select_copy_arrive;
/* Gives phis that products of matrices take or give their registers. */
void nv_group_phis(struct select *s);
/* Moves a word that all active lanes have to a uniform register. */
void select_to_uniform(struct select *s, struct mir_source to, struct mir_source from);
struct mir_source select_uniform_pair(struct select *s, ir_val v); /* of 64 bits */
/* select_memory.c: the operation and the type of an atomic */
uint8_t select_atom_op(const struct ir_inst *in);
uint8_t select_atom_type(const struct ir_inst *in);

/* select_remote.c */
select_rule select_store_async, select_red_async, select_grid_wait;
/* select_group.c */
select_rule select_give_registers, select_take_registers;

/* select_bulk.c */
select_rule select_bulk_copy, select_bulk_reduce, select_tensor_copy, select_map_control,
	select_fence_async;
/* select_texture.c */
select_rule select_sample, select_texture_query, select_surface_load, select_surface_store,
	select_surface_reduce;
/* select_aggregate.c: one lane executes an atomic for all active ones. begin emits what precedes
 * the atomic; finish emits the rest. */
struct aggregate {
	struct mir_source here;         /* mask of the active lanes */
	struct mir_source others_above; /* predicate: some active lane has a higher number */
	struct mir_source x;            /* the operand for all lanes */
	struct mir_source old;          /* the old value, in the one lane */
};
bool can_aggregate(struct select *s, const struct ir_inst *in);
/* At the end of selection. */
void define_lanes_above(struct select *s);
struct aggregate begin_aggregate(struct select *s, const struct ir_inst *in);
void finish_aggregate(struct select *s, const struct ir_inst *in, const struct aggregate *a,
		      struct mir_inst *atomic);
/* select_address.c */
select_rule select_addr, select_space, select_inspace, select_stack;
/* select_call.c */
select_rule select_arg, select_call, select_funcaddr;
void select_return(struct select *s, const struct ir_inst *in);
/* select_lanes.c */
select_rule select_shuffle, select_vote, select_match, select_reduce, select_active,
	select_warpsync, select_barrier, select_cluster_barrier, select_barrier_red, select_sleep;
/* d = mask of the active lanes for which x is true; returns d. */
struct mir_source emit_ballot(struct select *s, struct mir_source d, struct mir_source x);
/* d = reduction of x over the active lanes, which are those that members says. */
/* Marks the lanes that execute an instruction together, and makes them wait for each other. */
void set_members(struct select *s, struct mir_inst *i, ir_val members);
void emit_reduction(struct select *s, enum ir_reduce reduction, struct mir_source d,
		    struct mir_source x, uint8_t members);

#endif
