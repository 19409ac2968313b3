/* SPDX-License-Identifier: MIT */
/*
 * Instruction selection for AMD GPUs: what its files share. Values that are the same for all lanes and
 * made by what the scalar unit can do are in scalar registers, all others in vector registers. A b1 is a
 * mask of lanes in a scalar register; its bits are right for lanes that are on, and anything for others.
 * Values of 8 and 16 bits are in the low bits of a word, and what is above them is anything.
 */
#ifndef SOV_COMPILER_AMD_SELECT_H
#define SOV_COMPILER_AMD_SELECT_H

#include "libsov/compiler/amd/mir.h"

struct select {
	struct gcn_func *f;
	const struct ir_func *ir;
	const struct gcn_control *c;
	uint32_t *vreg;       /* by value */
	bool *scalar;         /* by value: it is in scalar registers */
	uint32_t *uses;       /* by value: how many */
	uint32_t results;     /* of a function: the register that carries them, 0: there are none */
	struct gcn_src *cond; /* by block: of the branch at its end */
	uint32_t block;
	const struct ir_inst *in; /* that is being selected */
	bool failed;
};

/* What one operation is called by either unit. */
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
void sel_give_register(struct select *s, ir_val v);
struct gcn_src sel_word(struct select *s, ir_val v, uint32_t word); /* a word of a value */
struct gcn_src sel_pair(struct select *s, ir_val v);                /* 64 bits, as one operand */
struct gcn_src sel_mask(struct select *s, ir_val v);                /* of a b1 */
struct gcn_src sel_extended(struct select *s, ir_val v, enum ir_type t, bool is_signed);
struct gcn_src sel_result(struct select *s, uint32_t k, uint32_t word); /* of the instruction */
bool sel_is_scalar(const struct select *s, ir_val v);                   /* constants too */
/* A number that is known when code is made: a constant, or where a variable lies in LDS. */
bool sel_known(const struct select *s, ir_val v, uint64_t *value);
/* The most that it can be as an unsigned number (bounds.c). */
uint64_t sel_most(const struct select *s, ir_val v);
struct gcn_src sel_temp(struct select *s, enum gcn_class class, uint32_t words);
struct gcn_src sel_part(struct gcn_src s, uint32_t word); /* words further */
/* The same in vector registers. */
struct gcn_src sel_vector(struct select *s, struct gcn_src x, uint32_t words);
struct gcn_src sel_vector_value(struct select *s, ir_val v);
/* A constant in registers. */
struct gcn_src sel_constant(struct select *s, enum gcn_class class, uint64_t value, uint32_t words);

/* Instructions. Those of the vector unit get the form that their operands need. */
struct gcn_inst *sel_emit(struct select *s, enum amd_op op, enum amd_form form);
struct gcn_inst *sel_sop(struct select *s, enum amd_op op, struct gcn_src d, struct gcn_src x,
			 struct gcn_src y);
struct gcn_inst *sel_vop(struct select *s, enum amd_op op, struct gcn_src d, struct gcn_src x,
			 struct gcn_src y, struct gcn_src z);
/* The same in its long form: modifiers may be said. */
struct gcn_inst *sel_vop_long(struct select *s, enum amd_op op, struct gcn_src d, struct gcn_src x,
			      struct gcn_src y, struct gcn_src z);
/* Of an instruction's sources: those whose sign is turned, after it was taken away where that is asked for. */
struct sel_signs {
	uint8_t neg, abs; /* a bit for each */
};
struct gcn_inst *sel_vop_signed(struct select *s, enum amd_op op, struct gcn_src d,
				const struct gcn_src x[3], struct sel_signs signs, bool long_form);
void sel_move(struct select *s, struct gcn_src d, struct gcn_src x, uint32_t words);
/* By the unit that the destination belongs to. */
void sel_op(struct select *s, enum sel_op op, struct gcn_src d, struct gcn_src x, struct gcn_src y);
/* Like sel_op, into a new register of a class. */
struct gcn_src sel_new(struct select *s, enum gcn_class class, enum sel_op op, struct gcn_src x,
		       struct gcn_src y);
void sel_add64(struct select *s, struct gcn_src d, struct gcn_src x, struct gcn_src x1,
	       struct gcn_src y, struct gcn_src y1, bool subtract);
/* d = mask ? x : y, one word. */
void sel_choose(struct select *s, struct gcn_src d, struct gcn_src mask, struct gcn_src x,
		struct gcn_src y);
struct gcn_src sel_compare(struct select *s, enum amd_op op, struct gcn_src x, struct gcn_src y);
void sel_refuse(struct select *s, const char *what);
static inline enum gcn_class sel_class(const struct select *s, struct gcn_src d)
{
	return gcn_is_vector(s->f, d) ? GCN_VECTOR : GCN_SCALAR;
}
static inline uint32_t sel_words(enum ir_type t)
{
	return t == IR_B64 ? 2 : 1;
}

/* Families; false: not of this family. */
bool select_integer(struct select *s);  /* select_integer.c */
bool select_compare(struct select *s);  /* select_compare.c */
bool select_float(struct select *s);    /* select_float.c */
bool select_quotient(struct select *s); /* select_quotient.c */
bool select_convert(struct select *s);  /* select_convert.c */
bool select_memory(struct select *s);   /* select_memory.c */
bool select_atomic(struct select *s);   /* select_atomic.c */
bool select_lanes(struct select *s);    /* select_lanes.c */
bool select_special(struct select *s);  /* select_special.c: special registers, addresses */
bool select_calls(struct select *s); /* select_call.c: calls, arguments, addresses of functions */
void select_results(struct select *s);
void select_bf16(struct select *s); /* select_bf16.c: sums, products, extremes */
/* A single as bf16. */
struct gcn_src select_to_bf16(struct select *s, struct gcn_src x, enum ir_round round);
/* A double as a single, rounded to odd. */
struct gcn_src select_odd_single(struct select *s, struct gcn_src x);
/* One half, or two in a word. */
void select_halves(struct select *s, struct gcn_src d, const struct gcn_src half[2], bool pairs);
bool select_can_be_scalar(const struct select *s, const struct ir_inst *in);
bool select_is_scalar_load(const struct select *s, const struct ir_inst *in);
/* The comparison of integers as the condition of a uniform branch: leaves it in SCC. */
bool select_branch_compare(struct select *s, ir_val cond);
struct gcn_src select_kernarg(struct select *s);
struct gcn_src select_thread_id(struct select *s, uint32_t axis);
struct gcn_src select_group_id(struct select *s, uint32_t axis);
/* Into two scalar words: where something of the image is. */
void select_distance(struct select *s, struct gcn_src t, uint8_t target, uint32_t index,
		     int64_t addend);
struct gcn_src select_hidden(struct select *s, enum amd_hidden h);
struct gcn_src select_lane_id(struct select *s);

#endif
