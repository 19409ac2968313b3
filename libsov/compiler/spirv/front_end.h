/* SPDX-License-Identifier: MIT */
/*
 * The SPIR-V front end, inside. module.c reads everything before the functions into a table by id:
 * types, constants, variables, decorations, entry points. entry_point.c makes a kernel of each
 * entry point; function.c lowers its blocks and those of the functions that it calls, which are
 * inlined: SPIR-V has no recursion, and its pointers to resources name variables.
 *
 * A value is an array of scalars, its leaves: vectors, matrices, arrays and structures are
 * flattened, in order. A pointer to memory of a known variable stays symbolic (struct
 * spirv_pointer) until it is passed through a phi, a select or memory; then it has leaves, too.
 *
 * The first error ends the translation: spirv_fail does not return. All memory is in the arena.
 */
#ifndef SOV_COMPILER_SPIRV_FRONT_END_H
#define SOV_COMPILER_SPIRV_FRONT_END_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include "libsov/compiler/base/compile_job.h"
#include "libsov/compiler/base/spirv_options.h"
#include "libsov/compiler/ir/ir.h"
#include "libsov/compiler/spirv/grammar.h"

#define SPIRV_MAX_LEAVES   65536   /* scalars of one value */
#define SPIRV_MAX_INSTS    4000000 /* IR instructions of a kernel, with inlined functions */
#define SPIRV_MAX_ID       (1u << 22)
#define SPIRV_MAX_DEPTH    64 /* of nested types, and of calls */
#define SPIRV_SUBGROUP     32
#define SPIRV_BUFFER_ALIGN 16 /* of the address of a buffer */
#define SPIRV_NO_MEMBER    UINT32_MAX

struct spirv;

/* An instruction; word 0 is the opcode with the number of words. */
struct spirv_inst {
	const struct spirv_grammar *grammar;
	const uint32_t *words;
	uint32_t opcode, count, at; /* at: word offset in the module */
};

/* ---- types (type.c) ---- */

enum spirv_kind {
	SPIRV_VOID,
	SPIRV_BOOL,
	SPIRV_INT,
	SPIRV_FLOAT,
	SPIRV_VECTOR,
	SPIRV_MATRIX,
	SPIRV_ARRAY,
	SPIRV_RUNTIME_ARRAY,
	SPIRV_STRUCT,
	SPIRV_POINTER,
	SPIRV_FUNCTION,
	SPIRV_IMAGE,
	SPIRV_SAMPLER,
	SPIRV_SAMPLED_IMAGE,
	SPIRV_EVENT,
};

struct spirv_member {
	const struct spirv_type *type;
	uint64_t offset;
	uint32_t matrix_stride;
	uint32_t leaf; /* index of the first leaf in the structure's value */
	bool row_major, coherent, is_volatile, non_writable;
	int32_t builtin; /* -1: none */
};

struct spirv_type {
	uint8_t kind; /* enum spirv_kind */
	uint8_t ir;   /* enum ir_type of a scalar */
	uint8_t bits; /* of a scalar */
	bool is_signed;
	bool block, buffer_block;
	uint32_t id;
	uint32_t count;                   /* components, columns, elements, members, parameters */
	const struct spirv_type *element; /* also what a pointer points to; result of a function */
	struct spirv_member *members;
	const struct spirv_type **parameters;
	uint32_t leaves;  /* scalars of a value */
	uint64_t stride;  /* of an array in memory */
	uint64_t bytes;   /* in memory; of a runtime array 0 */
	uint32_t align;   /* of a variable without decorations */
	uint32_t storage; /* of a pointer */
	uint32_t depth;
	/* of a cooperative matrix, an array of a lane's elements; use: + 1, 0: it is none */
	uint8_t use, rows, columns;
	bool decorated; /* the size may come from decorations */
	/* images */
	uint8_t dim, arrayed, multisampled, sampled, depth_image;
	uint32_t format;
};

/* ---- ids (module.c) ---- */

struct spirv_decoration {
	uint32_t kind, member; /* SPIRV_NO_MEMBER: of the id itself */
	const uint32_t *operands;
	uint32_t count;
	struct spirv_decoration *next;
};

/* A constant: the bits of its leaves. */
struct spirv_constant {
	const struct spirv_type *type;
	const uint64_t *bits; /* NULL: all zero */
	bool undef;
};

/* Where a pointer without leaves points to. */
enum spirv_target { SPIRV_MEMORY, SPIRV_DESCRIPTORS, SPIRV_BUILTIN_VALUE };

struct spirv_variable {
	uint32_t id, storage;
	const struct spirv_type *type; /* what it holds */
	const struct spirv_constant *initializer;
	uint32_t set, binding, symbol; /* symbol: of the IR, + 1 */
	bool has_set, has_binding;
	int32_t builtin;
	bool coherent, is_volatile, non_writable, restricted;
	uint32_t param;  /* offset of the kernel argument */
	bool by_address; /* the argument is the address of the descriptors */
	const struct spirv_binding *row;
	bool used; /* by the entry point that is being lowered */
};

struct spirv_pointer {
	const struct spirv_type *pointee;
	uint32_t storage;
	uint8_t target; /* enum spirv_target */
	uint8_t space;  /* enum ir_space */
	/* address = base + offset + imm. base 0: the address is imm alone. */
	ir_val base, bytes, offset; /* of SPIRV_DESCRIPTORS: the first one's address or 0, stride */
	int64_t imm;
	uint32_t align; /* known of the address */
	uint32_t matrix_stride;
	bool row_major, coherent, is_volatile, invariant, column;
	const struct spirv_variable *variable; /* descriptors, built-ins */
	ir_val index;                          /* of the descriptor; 0: 0 */
	const ir_val *values;                  /* of a built-in variable */
};

struct spirv_value {
	const struct spirv_type *type;
	ir_val *leaves;
	const struct spirv_pointer *pointer; /* NULL: leaves */
	bool coherent;                       /* an image whose variable is coherent or volatile */
};

struct spirv_phi {
	uint32_t at; /* word offset of the instruction */
	uint32_t *registers;
	const struct spirv_type *type;
	struct spirv_phi *next;
};

struct spirv_function {
	uint32_t id, at, end; /* word offsets of OpFunction and after OpFunctionEnd */
	const struct spirv_type *type, *result;
	bool active, visited;
};

enum spirv_id_kind {
	SPIRV_ID_NONE,
	SPIRV_ID_TYPE,
	SPIRV_ID_CONSTANT,
	SPIRV_ID_VARIABLE,
	SPIRV_ID_FUNCTION,
	SPIRV_ID_SET,
	SPIRV_ID_STRING,
	SPIRV_ID_VALUE, /* result of an instruction in a function */
	SPIRV_ID_LABEL,
	SPIRV_ID_OTHER,
};

struct spirv_id {
	uint8_t kind;
	uint32_t at;
	struct spirv_decoration *decorations;
	const char *name;
	union {
		struct spirv_type *type;
		struct spirv_constant *constant;
		struct spirv_variable *variable;
		struct spirv_function *function;
		const char *text;
		uint32_t set; /* enum spirv_set */
	};
	/* in the function that is being lowered */
	struct spirv_value value;
	ir_block block;
	struct spirv_phi *phis;
	/* Lanes of a subgroup, if all invocations execute the block once, together; 0: another. */
	uint32_t whole_lanes;
};

enum spirv_set {
	SPIRV_SET_GLSL = 1,
	SPIRV_SET_OPENCL,
	SPIRV_SET_TRINARY,
	SPIRV_SET_LANES,
	SPIRV_SET_CUBE,
	SPIRV_SET_IGNORED
};

struct spirv_entry {
	uint32_t id, model, at;
	const char *name;
	struct spirv_entry *next;
};

/* What a function that is being inlined returns to. */
struct spirv_frame {
	struct spirv_function *function;
	ir_block continuation; /* 0: the kernel itself */
	uint32_t *registers;   /* of the result */
	struct spirv_frame *caller;
	uint32_t depth;
};

struct spirv {
	struct compile_job *job;
	struct arena *arena;
	struct ir_module *module;
	const struct spirv_options *options;
	jmp_buf failure;

	uint32_t *words;
	uint32_t nwords, bound, version;
	struct spirv_id *ids;
	struct spirv_entry *entries;
	struct spirv_variable **variables;
	uint32_t nvariables, variables_capacity;
	struct spirv_function **functions;
	uint32_t nfunctions, functions_capacity;
	uint32_t addressing, memory_model;
	uint32_t *set_params; /* by set: the offset of its argument */
	bool kernel_environment, vulkan_memory_model;
	bool workgroup_layout; /* blocks in workgroup memory have explicit layouts */

	/* the instruction being read or lowered */
	struct spirv_inst in;
	uint32_t line_file, line, column; /* of the last OpLine; file 0: none */

	/* the entry point being lowered */
	struct spirv_entry *entry;
	struct ir_func *f;
	ir_block block; /* 0: the block has its terminator */
	struct spirv_frame *frame;
	uint32_t whole_lanes; /* that execute this block together: the subgroup's; 0: unknown */
	uint32_t local_size[3];
	bool flush_denormals[3], preserve_denormals[3], round_to_zero[3]; /* of 16, 32, 64 bits */
	bool no_contraction;
	uint32_t push_constants, base_workgroup; /* offsets of arguments + 1 */
	uint32_t nlocals;
	uint32_t group_scratch, dynamic_shared; /* symbols + 1 */
	bool has_wide_functions; /* the module has the functions of wide_functions.c */
};

/* ---- reading (reader.c) ---- */

_Noreturn void spirv_fail(struct spirv *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void spirv_read_words(struct spirv *s, const char *data, size_t bytes);
/* Reads the instruction at a word offset into s->in; false: the end. */
bool spirv_fetch(struct spirv *s, uint32_t at);
/* Operand word k, from 1; an error if there is none. */
uint32_t spirv_word(struct spirv *s, uint32_t k);
/* The operand, or otherwise where the instruction has fewer. */
uint32_t spirv_optional(const struct spirv *s, uint32_t k, uint32_t otherwise);
/* A string from operand word k on; next: the word after it, may be NULL. */
const char *spirv_string(struct spirv *s, uint32_t k, uint32_t *next);
/* The entry of an id that is within the bound. */
struct spirv_id *spirv_id_of(struct spirv *s, uint32_t id);
/* "%12 (name)" */
const char *spirv_id_name(struct spirv *s, uint32_t id);

/* ---- modules ---- */

void spirv_read_module(struct spirv *s);
const struct spirv_decoration *spirv_decoration_of(const struct spirv *s, uint32_t id,
						   uint32_t member, uint32_t kind);
bool spirv_is_decorated(const struct spirv *s, uint32_t id, uint32_t kind);

void spirv_read_type(struct spirv *s);
const struct spirv_type *spirv_type_of(struct spirv *s, uint32_t id);
/* Of a value that must not be void. */
const struct spirv_type *spirv_result_type(struct spirv *s);
/* The scalar that a vector or matrix, also a cooperative one, has components of. */
const struct spirv_type *spirv_scalar(const struct spirv_type *t);
/* Type of leaf k of a value. */
enum ir_type spirv_leaf_type(const struct spirv_type *t, uint32_t k);
bool spirv_is_float(const struct spirv_type *t);
bool spirv_is_int(const struct spirv_type *t);
bool spirv_is_bool(const struct spirv_type *t);
/* A type like t with another element type: for intermediate values. */
const struct spirv_type *spirv_pointer_type(struct spirv *s, uint32_t storage,
					    const struct spirv_type *pointee);
/* The type of component, element or member k, with its first leaf; an error if there is none. */
const struct spirv_type *spirv_part(struct spirv *s, const struct spirv_type *t, uint32_t k,
				    uint32_t *leaf);

/* Fills in the type of a cooperative matrix (cooperative_matrix.c). */
void spirv_read_cooperative_matrix(struct spirv *s, struct spirv_type *t);
/* Whether the same element of two types of cooperative matrices is at the same place. */
bool spirv_matrices_correspond(const struct spirv_type *a, const struct spirv_type *b);

void spirv_read_constant(struct spirv *s);
/* The value of an integer constant. */
uint64_t spirv_constant_integer(struct spirv *s, uint32_t id, const char *what);

/* ---- entry points ---- */

void spirv_lower_entry(struct spirv *s, struct spirv_entry *e);
void spirv_lower_function(struct spirv *s, struct spirv_function *fn, struct spirv_value *arguments,
			  struct spirv_frame *frame);
void spirv_lower_call(struct spirv *s);
void spirv_lower_phi(struct spirv *s);
void spirv_lower_terminator(struct spirv *s);

/* ---- emitting (emit.c) ---- */

ir_id spirv_emit(struct spirv *s, enum ir_op op, enum ir_type type, uint32_t nres, uint32_t nargs,
		 const ir_val *args);
/* Emits an operation with one result, or its value if the arguments are constants. */
ir_val spirv_op(struct spirv *s, enum ir_op op, enum ir_type type, ir_val a, ir_val b, ir_val c);
ir_val spirv_float_op(struct spirv *s, enum ir_op op, enum ir_type type, ir_val a, ir_val b,
		      ir_val c);
ir_val spirv_const(struct spirv *s, enum ir_type type, uint64_t bits);
ir_val spirv_float_const(struct spirv *s, enum ir_type type, double value);
ir_val spirv_undef(struct spirv *s, enum ir_type type);
ir_val spirv_convert(struct spirv *s, enum ir_op op, enum ir_type from, enum ir_type to, ir_val v);
/* Widens or narrows an integer. */
ir_val spirv_resize(struct spirv *s, ir_val v, enum ir_type to, bool is_signed);
ir_val spirv_compare(struct spirv *s, enum ir_op op, enum ir_type type, enum ir_cond cond, ir_val a,
		     ir_val b);
ir_val spirv_select(struct spirv *s, ir_val condition, ir_val yes, ir_val no);
ir_val spirv_sreg(struct spirv *s, enum ir_sreg reg);
ir_val spirv_approx(struct spirv *s, enum ir_approx which, enum ir_type type, ir_val v);
ir_val spirv_param(struct spirv *s, enum ir_type type, uint32_t offset);
enum ir_type spirv_type_of_val(const struct spirv *s, ir_val v);
bool spirv_is_constant(const struct spirv *s, ir_val v, uint64_t *bits);
ir_block spirv_block_new(struct spirv *s);
void spirv_jump(struct spirv *s, ir_block to);
void spirv_branch(struct spirv *s, ir_val condition, ir_block yes, ir_block no);
uint32_t spirv_reg_new(struct spirv *s, enum ir_type type);
ir_val spirv_read_reg(struct spirv *s, uint32_t reg, enum ir_type type);
void spirv_write_reg(struct spirv *s, uint32_t reg, ir_val v);

/* ---- values (value.c) ---- */

const struct spirv_value *spirv_value_of(struct spirv *s, uint32_t id);
/* The leaves; a symbolic pointer gets them. */
const ir_val *spirv_leaves(struct spirv *s, uint32_t id);
const struct spirv_type *spirv_value_type(struct spirv *s, uint32_t id);
/* The leaves of a value that must have this many scalars. */
const ir_val *spirv_operand(struct spirv *s, uint32_t k, uint32_t leaves);
/* A scalar of the operand in word k as integer of this type. */
ir_val spirv_integer_operand(struct spirv *s, uint32_t k, enum ir_type type);
ir_val *spirv_result(struct spirv *s, const struct spirv_type *t); /* leaves to fill in */
void spirv_set_scalar(struct spirv *s, ir_val v);
void spirv_set_pointer(struct spirv *s, uint32_t id, const struct spirv_type *type,
		       const struct spirv_pointer *p);
ir_val *spirv_constant_leaves(struct spirv *s, const struct spirv_constant *c);

/* ---- pointers and memory ---- */

const struct spirv_pointer *spirv_pointer_of(struct spirv *s, uint32_t id);
/* Bytes of the descriptor of a resource: sov_buffer, sov_image, sov_sampled_texture or a handle. */
uint32_t spirv_descriptor_bytes(const struct spirv_type *t);
/* The pointer to memory behind a pointer to a descriptor's block. */
struct spirv_pointer spirv_resolve(struct spirv *s, const struct spirv_pointer *p);
ir_val *spirv_pointer_leaves(struct spirv *s, const struct spirv_pointer *p);
struct spirv_pointer spirv_pointer_from_leaves(struct spirv *s, const struct spirv_type *type,
					       const ir_val *leaves);
uint32_t spirv_pointer_leaf_count(uint32_t storage);
enum ir_type spirv_pointer_leaf_type(uint32_t storage, uint32_t k);
/* 64 bits of a descriptor. */
ir_val spirv_descriptor_word(struct spirv *s, const struct spirv_pointer *p, uint32_t word);
ir_val spirv_address(struct spirv *s, const struct spirv_pointer *p, int64_t *imm);
void spirv_load(struct spirv *s, const struct spirv_pointer *p, const struct spirv_type *t,
		ir_val *leaves);
void spirv_store(struct spirv *s, const struct spirv_pointer *p, const struct spirv_type *t,
		 const ir_val *leaves);
/* Opens a block that runs only if the access is in bounds; returns the block after it, 0: the
 * access need not be checked. */
ir_block spirv_begin_access(struct spirv *s, const struct spirv_pointer *p, uint64_t bytes);
/* Applies the memory operands of the instruction from word k on. */
void spirv_memory_operands(struct spirv *s, struct spirv_pointer *p, uint32_t k);
void spirv_set_builtin(struct spirv *s, const struct spirv_variable *v, struct spirv_pointer *p);
struct spirv_pointer spirv_argument_copy(struct spirv *s, const struct spirv_type *t, uint32_t id,
					 uint32_t param);
/* The initial value of a variable of program scope; NULL: zeros (program_variable.c). */
const uint8_t *spirv_initial_bytes(struct spirv *s, const struct spirv_variable *v);
/* A built-in that is one word, and the invocations of a workgroup. */
ir_val spirv_builtin_word(struct spirv *s, int32_t builtin);
ir_val spirv_workgroup_threads(struct spirv *s);
/* Adds index * stride to the address. The index counts from the pointer or, within, from the first
 * element of an array that holds it, where it may not be negative. */
void spirv_add_index(struct spirv *s, struct spirv_pointer *p, ir_val index, bool is_signed,
		     uint64_t stride, bool within);
void spirv_local_variable(struct spirv *s, struct spirv_variable *v);
enum ir_scope spirv_scope(struct spirv *s, uint32_t id);
void spirv_fence(struct spirv *s, enum ir_scope scope, uint32_t semantics);

/* ---- instructions (instruction_table.c) ---- */

struct spirv_lowering {
	uint16_t opcode;
	uint16_t detail; /* an IR operation, condition or number, by lowering function */
	void (*lower)(struct spirv *s, uint32_t detail);
	uint16_t more;
};
const struct spirv_lowering *spirv_lowering_find(uint32_t opcode);
/* Lowers s->in. */
void spirv_lower(struct spirv *s);

void spirv_lower_nothing(struct spirv *s, uint32_t detail);
void spirv_lower_undef(struct spirv *s, uint32_t detail);
void spirv_lower_unary(struct spirv *s, uint32_t detail);
void spirv_lower_binary(struct spirv *s, uint32_t detail);
void spirv_lower_shift(struct spirv *s, uint32_t detail);
void spirv_lower_compare(struct spirv *s, uint32_t detail);
void spirv_lower_float_unary(struct spirv *s, uint32_t detail);
void spirv_lower_float_binary(struct spirv *s, uint32_t detail);
void spirv_lower_float_compare(struct spirv *s, uint32_t detail);
void spirv_lower_select(struct spirv *s, uint32_t detail);
void spirv_lower_not_equal_bool(struct spirv *s, uint32_t detail);
void spirv_lower_any_all(struct spirv *s, uint32_t detail);
void spirv_lower_classify(struct spirv *s, uint32_t detail);
void spirv_lower_extended(struct spirv *s, uint32_t detail);
void spirv_lower_carry(struct spirv *s, uint32_t detail);
void spirv_lower_modulo(struct spirv *s, uint32_t detail);
void spirv_lower_float_modulo(struct spirv *s, uint32_t detail);
void spirv_lower_times(struct spirv *s, uint32_t detail);
void spirv_lower_dot(struct spirv *s, uint32_t detail);
void spirv_lower_outer(struct spirv *s, uint32_t detail);
void spirv_lower_transpose(struct spirv *s, uint32_t detail);
void spirv_lower_divide(struct spirv *s, uint32_t detail);
void spirv_lower_integer_dot(struct spirv *s, uint32_t detail);
void spirv_lower_bit_insert(struct spirv *s, uint32_t detail);
void spirv_lower_bit_extract(struct spirv *s, uint32_t detail);
void spirv_lower_bit_unary(struct spirv *s, uint32_t detail);
void spirv_lower_convert(struct spirv *s, uint32_t detail);
void spirv_lower_bitcast(struct spirv *s, uint32_t detail);
void spirv_lower_quantize(struct spirv *s, uint32_t detail);
void spirv_lower_pointer_convert(struct spirv *s, uint32_t detail);
void spirv_lower_extract(struct spirv *s, uint32_t detail);
void spirv_lower_insert(struct spirv *s, uint32_t detail);
void spirv_lower_construct(struct spirv *s, uint32_t detail);
void spirv_lower_shuffle(struct spirv *s, uint32_t detail);
void spirv_lower_extract_dynamic(struct spirv *s, uint32_t detail);
void spirv_lower_insert_dynamic(struct spirv *s, uint32_t detail);
void spirv_lower_copy_object(struct spirv *s, uint32_t detail);
void spirv_lower_variable(struct spirv *s, uint32_t detail);
void spirv_lower_access_chain(struct spirv *s, uint32_t detail);
void spirv_lower_load(struct spirv *s, uint32_t detail);
void spirv_lower_store(struct spirv *s, uint32_t detail);
void spirv_lower_copy_memory(struct spirv *s, uint32_t detail);
void spirv_lower_array_length(struct spirv *s, uint32_t detail);
void spirv_lower_pointer_compare(struct spirv *s, uint32_t detail);
void spirv_lower_atomic(struct spirv *s, uint32_t detail);
void spirv_lower_control_barrier(struct spirv *s, uint32_t detail);
void spirv_lower_memory_barrier(struct spirv *s, uint32_t detail);
void spirv_lower_elect(struct spirv *s, uint32_t detail);
void spirv_lower_vote(struct spirv *s, uint32_t detail);
void spirv_lower_broadcast(struct spirv *s, uint32_t detail);
void spirv_lower_ballot(struct spirv *s, uint32_t detail);
void spirv_lower_ballot_query(struct spirv *s, uint32_t detail);
void spirv_lower_subgroup_shuffle(struct spirv *s, uint32_t detail);
void spirv_lower_group_reduce(struct spirv *s, uint32_t detail);
void spirv_lower_quad(struct spirv *s, uint32_t detail);
void spirv_lower_rotate(struct spirv *s, uint32_t detail);
/* Number of the invocation in its workgroup. */
ir_val spirv_local_index(struct spirv *s);
struct spirv_pointer spirv_variable_pointer(struct spirv *s, struct spirv_variable *v);
/* Zeros in the variables of workgroup memory that have initial values, which are null. */
void spirv_zero_workgroup_memory(struct spirv *s);
/* Of the sets of AMD's extensions (trinary_and_lanes.c). */
void spirv_lower_trinary(struct spirv *s, uint32_t number);
void spirv_lower_lanes(struct spirv *s, uint32_t number);
void spirv_lower_cube(struct spirv *s, uint32_t number);
void spirv_lower_ext_inst(struct spirv *s, uint32_t detail);
void spirv_lower_mixed_dot(struct spirv *s, uint32_t detail);
ir_val spirv_cycles(struct spirv *s);
void spirv_lower_clock(struct spirv *s, uint32_t detail);
void spirv_lower_expect(struct spirv *s, uint32_t detail);
void spirv_lower_image_read(struct spirv *s, uint32_t detail);
void spirv_lower_image_write(struct spirv *s, uint32_t detail);
void spirv_lower_texel_pointer(struct spirv *s, uint32_t detail);
void spirv_lower_sampled_image(struct spirv *s, uint32_t detail);
void spirv_lower_image(struct spirv *s, uint32_t detail);
void spirv_lower_image_sample(struct spirv *s, uint32_t detail);
void spirv_lower_image_fetch(struct spirv *s, uint32_t detail);
void spirv_lower_image_gather(struct spirv *s, uint32_t detail);
void spirv_lower_image_size(struct spirv *s, uint32_t detail);
void spirv_lower_image_count(struct spirv *s, uint32_t detail);
void spirv_lower_image_lod(struct spirv *s, uint32_t detail);

void spirv_lower_matrix_load(struct spirv *s, uint32_t detail);
void spirv_lower_matrix_store(struct spirv *s, uint32_t detail);
void spirv_lower_matrix_multiply(struct spirv *s, uint32_t detail);
void spirv_lower_matrix_length(struct spirv *s, uint32_t detail);
void spirv_lower_async_copy(struct spirv *s, uint32_t detail);
void spirv_lower_wait_events(struct spirv *s, uint32_t detail);

void spirv_lower_glsl(struct spirv *s, uint32_t number);
void spirv_lower_opencl(struct spirv *s, uint32_t number);

#endif
