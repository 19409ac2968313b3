/* SPDX-License-Identifier: MIT */
/* What a translator needs of the host: operations on 32 lanes in chunks of a vector register, a few
 * on scalars, and jumps. A host has one file that implements them; EMIT_HOST is 0 where none does,
 * and the software GPU then interprets. */
#ifndef MODEL_EMIT_H
#define MODEL_EMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/translate/code_buffer.h"

#if defined(__x86_64__)
#define EMIT_HOST 1
#else
#define EMIT_HOST 0
#endif

/* Instruction sets that generated code may use; the values are written to SOV_SOFT_TRANSLATE. */
enum emit_isa { EMIT_NONE, EMIT_AVX2, EMIT_AVX512 };
/* The best set of this host that is not above the limit. */
#if EMIT_HOST
enum emit_isa emit_isa_of_host(enum emit_isa limit);
#else
static inline enum emit_isa emit_isa_of_host(enum emit_isa limit)
{
	(void)limit;
	return EMIT_NONE;
}
#endif

/* Scalar registers: the first five have fixed contents, and keep them over calls like S_LANES. */
enum scalar { S_WARP, S_ROWS, S_MASK, S_LEFT, S_GRID, S_LANES, S_0, S_1, S_2, S_3, S_4, S_COUNT };
/* Vector registers V0 to V13; calls destroy them. */
enum { V_COUNT = 14 };

enum vector_op {
	V_ADD,
	V_SUB,
	V_MUL, /* low words of the products */
	V_AND,
	V_OR,
	V_XOR,
	V_AND_NOT, /* ~a & b */
	V_SHIFT_LEFT,
	V_SHIFT_RIGHT,
	V_SHIFT_SIGNED, /* by vectors; amounts above 31 shift everything out */
	V_MIN_SIGNED,
	V_MAX_SIGNED,
	V_MIN,
	V_MAX,
	V_FADD,
	V_FMUL,
	V_FMA, /* d = a * b + d */
	V_ADD64,
	V_MUL_EVEN, /* 64-bit products of the even words */
	V_MUL_EVEN_SIGNED,
	V_OP_COUNT
};
enum vector_shift { V_LEFT, V_RIGHT, V_RIGHT_SIGNED, V_LEFT64, V_RIGHT64, V_SHIFT_COUNT };
/* Relations of integers are sums of these; those of floats also of UNORDERED. */
enum { RELATION_LESS = 1, RELATION_EQUAL = 2, RELATION_GREATER = 4, RELATION_UNORDERED = 8 };
enum scalar_op {
	S_ADD,
	S_OR,
	S_AND,
	S_SUB,
	S_XOR,
	S_CMP,
	S_MUL,
};
enum condition {
	IF_ZERO,
	IF_NOT_ZERO,
	IF_LESS_OR_EQUAL,
	IF_GREATER,
	IF_BELOW,
	IF_NOT_BELOW,
	IF_ABOVE,
	ALWAYS
};

#define EMIT_CONSTANTS 96
#define EMIT_USES      768

struct emit {
	enum emit_isa isa;
	struct code_buffer *buffer;
	uint8_t *at, *end; /* of the writable mapping */
	bool failed;       /* the buffer is full, or too many constants */
	uint32_t chunks, lanes;
	uint32_t kept; /* vectors that emit_keep() has */
	uint32_t constants[EMIT_CONSTANTS], constant_count;
	struct {
		uint8_t *at;
		uint32_t constant;
	} uses[EMIT_USES];
	uint32_t use_count;
};

/* Writes the code at the start of a buffer by which C code enters and leaves generated code. */
typedef uint64_t enter_fn(void *warp, int32_t left, const void *code);
struct emit_frame {
	enter_fn *enter; /* returns S_LEFT, and above bit 32 S_0 at the exit */
	const uint8_t *leave;
};
struct emit_layout { /* offsets in the warp */
	size_t rows, mask, grid;
};
bool emit_frame(struct emit *e, const struct emit_layout *layout, struct emit_frame *f);

void emit_start(struct emit *e, struct code_buffer *b, enum emit_isa isa);
/* Appends the constants. Returns the code's address, or NULL; the buffer is unchanged then. */
const void *emit_finish(struct emit *e);

/* Vectors. Offsets are in bytes from a scalar register; chunk counts from 0 to e->chunks - 1, and
 * the chunk's lanes begin at bit chunk * e->lanes of a scalar mask. */
void emit_load(struct emit *e, int v, enum scalar base, uint32_t offset);
void emit_store(struct emit *e, enum scalar base, uint32_t offset, int v);
/* Stores lanes of a mask; the others keep their contents. */
void emit_store_lanes(struct emit *e, enum scalar base, uint32_t offset, int v, enum scalar mask,
		      uint32_t chunk);
/* More vector registers, for values that are also in memory: copies into one (lanes of a mask
 * only), and from one. Calls destroy them. */
void emit_keep(struct emit *e, uint32_t number, int v);
void emit_keep_lanes(struct emit *e, uint32_t number, int v, enum scalar mask, uint32_t chunk);
void emit_kept(struct emit *e, int v, uint32_t number);
void emit_load_kept(struct emit *e, uint32_t number, enum scalar base, uint32_t offset);
void emit_broadcast(struct emit *e, int v, enum scalar base, uint32_t offset);
void emit_broadcast_constant(struct emit *e, int v, uint32_t value);
void emit_vector(struct emit *e, enum vector_op op, int d, int a, int b);
void emit_vector_constant(struct emit *e, enum vector_op op, int d, int a, uint32_t value);
void emit_shift(struct emit *e, enum vector_shift op, int d, int a, uint32_t by);
/* d = even words of a, odd words of b */
void emit_interleave(struct emit *e, int d, int a, int b);
/* Byte offsets of words: lane k of the vector becomes 4 * (first + k), which is at most 60. */
void emit_word_offsets(struct emit *e, int v, uint32_t first);
/* The bits of the chunk's lanes in which the relation holds are set in out, which begins as 0. */
void emit_compare(struct emit *e, enum scalar out, uint32_t relation, bool is_signed, int a, int b,
		  uint32_t chunk);
void emit_compare_float(struct emit *e, enum scalar out, uint32_t relation, int a, int b,
			uint32_t chunk);
/* d = bit of the lane ? a : b. d is none of the sources. */
void emit_select(struct emit *e, int d, int a, int b, enum scalar mask, uint32_t chunk);
/* Truth table of three bits, as in LOP3. d is none of the sources. */
void emit_logic(struct emit *e, uint32_t table, int d, int a, int b, int c);
/* Rounds to nearest. AVX2 has it for signed integers. */
void emit_float_of_integer(struct emit *e, int d, int a, bool is_signed);
/* NaN becomes the constant. */
void emit_canonical_nan(struct emit *e, int v, uint32_t nan);
/* Subnormal floats become zeros of the same sign. */
void emit_flush(struct emit *e, int v);

/* Scalars: 32 bits unless the name says 64. */
void emit_scalar_load(struct emit *e, enum scalar d, enum scalar base, uint32_t offset);
void emit_scalar_load64(struct emit *e, enum scalar d, enum scalar base, uint32_t offset);
void emit_scalar_store(struct emit *e, enum scalar base, uint32_t offset, enum scalar s);
void emit_scalar_store64(struct emit *e, enum scalar base, uint32_t offset, enum scalar s);
void emit_scalar_move(struct emit *e, enum scalar d, enum scalar s);
void emit_scalar_constant(struct emit *e, enum scalar d, uint64_t value);
void emit_scalar(struct emit *e, enum scalar_op op, enum scalar d, enum scalar s);
void emit_scalar_op_constant(struct emit *e, enum scalar_op op, enum scalar d, uint32_t value);
void emit_scalar_not(struct emit *e, enum scalar d);
void emit_scalar_shift(struct emit *e, enum vector_shift op, enum scalar d, uint32_t by);
void emit_scalar64(struct emit *e, enum scalar_op op, enum scalar d, enum scalar s);
void emit_scalar64_memory(struct emit *e, enum scalar_op op, enum scalar d, enum scalar base,
			  uint32_t offset);
void emit_scalar64_constant(struct emit *e, enum scalar_op op, enum scalar d, int32_t value);
void emit_scalar_shift64(struct emit *e, enum vector_shift op, enum scalar d, uint32_t by);
void emit_test_constant(struct emit *e, enum scalar s, uint32_t bits);
void emit_compare_memory(struct emit *e, enum scalar base, uint32_t offset, uint32_t value);
void emit_compare_memory_byte(struct emit *e, enum scalar base, uint32_t offset, uint8_t value);

/* Jumps forward return what emit_here() needs. The conditions are of the last S_CMP, S_AND,
 * emit_test_constant() or emit_compare_memory(). */
typedef uint8_t *emit_jump_at;
emit_jump_at emit_jump(struct emit *e, enum condition c);
/* If the vector has a bit that is set. */
emit_jump_at emit_jump_any(struct emit *e, int v);
void emit_here(struct emit *e, emit_jump_at from);
void emit_jump_to(struct emit *e, enum condition c, const uint8_t *execute);
void emit_jump_register(struct emit *e, enum scalar s);
/* Calls fn(warp, pointer, lanes), which destroys S_0 to S_4 and vectors. legacy: it may be compiled
 * for SSE. */
void emit_call(struct emit *e, const void *fn, const void *pointer, enum scalar lanes, bool legacy);
const uint8_t *emit_position(const struct emit *e); /* in the executable mapping */

#endif
