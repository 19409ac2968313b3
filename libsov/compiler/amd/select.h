/* SPDX-License-Identifier: MIT */
/*
 * Instruction selection for AMD GPUs: declarations that its files share.
 *
 * Uniform values that the scalar unit can compute are in SGPRs, all others in VGPRs. A b1 is a lane
 * mask in an SGPR; only the bits of active lanes are defined. 8- and 16-bit values are in the low
 * bits of a word, and the upper bits are undefined.
 */
#ifndef SOV_COMPILER_AMD_SELECT_H
#define SOV_COMPILER_AMD_SELECT_H

#include "libsov/compiler/amd/mir.h"

struct select {
	struct gcn_func *f;
	const struct ir_func *ir;
	const struct gcn_control *c;
	uint32_t *vreg;       /* by value */
	bool *scalar;         /* by value: it is in SGPRs */
	uint32_t *uses;       /* by value: number of uses */
	uint32_t results;     /* vreg of a function's results, 0: none */
	struct gcn_src *cond; /* by block: condition of its branch */
	uint32_t block;
	const struct ir_inst *in; /* being selected */
	bool failed;
};

/* Operations that both the scalar and the vector unit have. */
enum sel_op {
	SEL_ADD,
	SEL_SUB,
	SEL_MUL,
	SEL_MULHI_U,
	SEL_MULHI_S,
	SEL_AND,
	SEL_OR,
	SEL_XOR,
	SEL_SHL,
	SEL_SHR_U,
	SEL_SHR_S,
	SEL_MIN_U,
	SEL_MIN_S,
	SEL_MAX_U,
	SEL_MAX_S,
	SEL_NOT,
	SEL_BREV,
	SEL_OPS
};

/* Operands. */
void sel_assign_vreg(struct select *s, ir_val v);
struct gcn_src sel_word(struct select *s, ir_val v, uint32_t word); /* a word of a value */
struct gcn_src sel_pair(struct select *s, ir_val v);                /* 64 bits, as one operand */
struct gcn_src sel_mask(struct select *s, ir_val v);                /* of a b1 */
struct gcn_src sel_extended(struct select *s, ir_val v, enum ir_type t, bool is_signed);
struct gcn_src sel_result(struct select *s, uint32_t k, uint32_t word); /* of the instruction */
bool sel_is_scalar(const struct select *s, ir_val v);                   /* constants too */
/* A value known at compile time: a constant, or the LDS address of a variable. */
bool sel_is_known(const struct select *s, ir_val v, uint64_t *value);
/* Upper bound of a value as an unsigned number (value_range.c). */
uint64_t sel_max_unsigned(const struct select *s, ir_val v);
struct gcn_src sel_temp(struct select *s, enum gcn_class class, uint32_t words);
struct gcn_src sel_part(struct gcn_src s, uint32_t word); /* the word-th word from s */
/* The same in VGPRs. */
struct gcn_src sel_vector(struct select *s, struct gcn_src x, uint32_t words);
struct gcn_src sel_vector_value(struct select *s, ir_val v);
/* A constant in registers. */
struct gcn_src sel_constant(struct select *s, enum gcn_class class, uint64_t value, uint32_t words);

/* Instructions. Vector instructions get the encoding that their operands need. */
struct gcn_inst *sel_emit(struct select *s, enum amd_op op, enum amd_form form);
struct gcn_inst *sel_sop(struct select *s, enum amd_op op, struct gcn_src d, struct gcn_src x,
			 struct gcn_src y);
struct gcn_inst *sel_vop(struct select *s, enum amd_op op, struct gcn_src d, struct gcn_src x,
			 struct gcn_src y, struct gcn_src z);
/* The same as VOP3, which has modifiers. */
struct gcn_inst *sel_vop_long(struct select *s, enum amd_op op, struct gcn_src d, struct gcn_src x,
			      struct gcn_src y, struct gcn_src z);
/* Source modifiers: neg applies after abs. */
struct sel_modifiers {
	uint8_t neg, abs; /* a bit per source */
};
struct gcn_inst *sel_vop_signed(struct select *s, enum amd_op op, struct gcn_src d,
				const struct gcn_src x[3], struct sel_modifiers signs,
				bool long_form);
void sel_move(struct select *s, struct gcn_src d, struct gcn_src x, uint32_t words);
/* On the destination's unit. */
void sel_op(struct select *s, enum sel_op op, struct gcn_src d, struct gcn_src x, struct gcn_src y);
/* Like sel_op(), into a new register of a class. */
struct gcn_src sel_op_new(struct select *s, enum gcn_class class, enum sel_op op, struct gcn_src x,
			  struct gcn_src y);
void sel_add64(struct select *s, struct gcn_src d, struct gcn_src x, struct gcn_src x1,
	       struct gcn_src y, struct gcn_src y1, bool subtract);
/* d = mask ? x : y, one word. */
void sel_cndmask(struct select *s, struct gcn_src d, struct gcn_src mask, struct gcn_src x,
		 struct gcn_src y);
struct gcn_src sel_compare(struct select *s, enum amd_op op, struct gcn_src x, struct gcn_src y);
void sel_unsupported(struct select *s, const char *what);
static inline enum gcn_class sel_class(const struct select *s, struct gcn_src d)
{
	return gcn_is_vector(s->f, d) ? GCN_VECTOR : GCN_SCALAR;
}
static inline uint32_t sel_words(enum ir_type t)
{
	return t == IR_B64 ? 2 : 1;
}

/* Families of operations; false: not of this family. */
bool select_integer(struct select *s);  /* select_integer.c */
bool select_compare(struct select *s);  /* select_compare.c */
bool select_float(struct select *s);    /* select_float.c */
bool select_quotient(struct select *s); /* select_quotient.c */
bool select_convert(struct select *s);  /* select_convert.c */
bool select_memory(struct select *s);   /* select_memory.c */
bool select_atomic(struct select *s);   /* select_memory.c */
bool select_lanes(struct select *s);    /* select_lanes.c */
bool select_special(struct select *s);  /* select_special.c: special registers, addresses */
bool select_calls(struct select *s);    /* select_call.c: calls, arguments, function addresses */
void select_results(struct select *s);
void select_bf16(struct select *s); /* select_bf16.c: add, mul, fma, min, max */
/* Converts a single to bf16. */
struct gcn_src select_to_bf16(struct select *s, struct gcn_src x, enum ir_round round);
/* Converts a double to a single, rounding to odd. */
struct gcn_src select_round_to_odd(struct select *s, struct gcn_src x);
/* Writes one half, or packs two into a word. */
void select_halves(struct select *s, struct gcn_src d, const struct gcn_src half[2], bool pairs);
bool select_can_be_scalar(const struct select *s, const struct ir_inst *in);
bool select_is_scalar_load(const struct select *s, const struct ir_inst *in);
/* Emits an integer comparison, the condition of a uniform branch, that leaves its result in SCC. */
bool select_branch_compare(struct select *s, ir_val cond);
struct gcn_src select_kernarg(struct select *s);
struct gcn_src select_thread_id(struct select *s, uint32_t axis);
struct gcn_src select_group_id(struct select *s, uint32_t axis);
/* Computes a PC-relative address into two SGPRs. */
void select_pc_relative(struct select *s, struct gcn_src t, uint8_t target, uint32_t index,
			int64_t addend);
struct gcn_src select_hidden(struct select *s, enum amd_hidden h);
struct gcn_src select_lane_id(struct select *s);

#endif
