/* SPDX-License-Identifier: MIT */
/* The block in translation: what rows of instructions use to read operands, write results and call
 * handlers. */
#ifndef MODEL_NV_TRANSLATE_BLOCK_H
#define MODEL_NV_TRANSLATE_BLOCK_H

#include <stddef.h>

#include "model/nv/translate.h"

#define ROW_BYTES  (LANES * 4u)
#define OF_WARP(m) ((uint32_t)offsetof(struct warp, m))

struct translation {
	struct translator *translator;
	/* By whether all live lanes are active. Where nothing is translated the entry leaves
	 * generated code. */
	_Atomic(const void *) entry[2][PAGE_OPS];
	_Atomic uint8_t visits[2][PAGE_OPS]; /* NEVER: not translatable, or translated */
};
#define NEVER UINT8_MAX

struct translator {
	pthread_mutex_t lock;
	struct code_buffer *buffer;
	struct emit_frame frame;
	enum emit_isa isa;
	uint32_t visits;
	bool checked;
	struct emit emit;
};

/* Rows whose last values are in vector registers, too. */
#define KEPT_ROWS 8
#define MAX_BLOCK 64 /* instructions */
struct kept_rows {
	uint16_t row[KEPT_ROWS];
	uint8_t chunks[KEPT_ROWS]; /* bits; 0: none */
	uint32_t next;             /* is replaced next */
};

/* Calls that follow the end of the block, for instructions whose own code leaves it where it does
 * not apply. The rows that are kept at the return are loaded again. */
#define MAX_LATE_CALLS MAX_BLOCK
#define MAX_LATE_JUMPS 16
struct late_call {
	run_fn *fn;
	const struct op *op;
	uint32_t index, jumps;
	enum scalar lanes;
	emit_jump_at from[MAX_LATE_JUMPS];
	const uint8_t *to;
	struct kept_rows kept;
};

/* The block in translation and its current instruction. */
struct block {
	struct emit *e;
	const struct translator *translator;
	const struct code_page *page;
	struct translation *translation;
	uint32_t first, count, index; /* index: of the current instruction in the page */
	bool whole;                   /* all live lanes are active */
	const uint8_t *entry;
	/* The current instruction: its lanes, and whether other lanes keep their values. */
	const struct op *op;
	enum scalar lanes;
	bool blend;
	struct kept_rows kept;
	struct late_call late[MAX_LATE_CALLS];
	uint32_t late_count;
};

/* Appends the code of an instruction; false: nothing was appended, and its form is executed by a
 * call of the interpreter's handler. */
typedef bool emit_fn(struct block *b, const struct op *op);
struct translate_row {
	uint16_t op;
	emit_fn *emit; /* NULL: all forms are called */
	bool valid;
};
extern const struct translate_row translate_float[], translate_integer[], translate_compare[],
	translate_uniform[], translate_call[];

/* translate_block.c: the code of a block that begins at an instruction; NULL: there is none. */
const void *block_translate(struct translator *t, const struct code_page *page, uint32_t first,
			    bool whole);

/* translate_operand.c */
uint64_t block_pc(const struct block *b, uint32_t index);
uint32_t block_bank(const struct source *s);
/* Raw word 0 or 1 of source i in the lanes of a chunk. */
void block_raw_source(struct block *b, int v, uint32_t i, uint32_t word, uint32_t chunk);
/* A chunk of a row. */
void block_row(struct block *b, int v, uint32_t row, uint32_t chunk);
/* Source i with its modifiers. */
void block_source(struct block *b, int v, uint32_t i, uint32_t chunk);
void block_destination(struct block *b, uint32_t word, int v, uint32_t chunk);
/* Vector registers have other contents now, or on one of the paths that lead here. */
void block_forget_rows(struct block *b);
void block_load_predicate(struct block *b, enum scalar d, uint32_t i);
/* Writes the bits of the instruction's lanes. Destroys bits and S_4. */
void block_store_predicate(struct block *b, uint32_t i, enum scalar bits);
/* Leaves generated code when the warp's pc is set. */
void block_leave(struct block *b, bool jumped);
void block_set_pc(struct block *b, uint64_t pc);
/* Instructions of the block from the current one on are not executed. */
void block_uncount(struct block *b, uint32_t executed);
/* Calls a handler; after a fault the warp's pc stays at this instruction. */
void block_call(struct block *b, run_fn *fn);
/* The same for a handler that is compiled for AVX. */
void block_call_vector(struct block *b, run_fn *fn);
/* A late call of the current instruction, where it returns to, and all of the block. */
struct late_call *block_late_call(struct block *b, run_fn *fn);
void block_late_return(struct block *b, struct late_call *l);
void block_late_calls(struct block *b);

/* translate_inline.c: appends a load or store whose other cases fn executes; false: nothing was
 * appended. */
bool block_inline_access(struct block *b, const struct op *op, run_fn *fn);

static inline bool is_zero(const struct source *s)
{
	return ((s->kind == SOURCE_ROW && s->row == ROW_ZERO) ||
		(s->kind == SOURCE_IMMEDIATE && !s->value)) &&
	       !s->flip && !s->plus;
}

static inline bool is_sink(uint8_t p)
{
	return p % PRED_UNIFORM == PRED_SINK;
}

/* Source predicate i is always false, or always true. */
static inline bool always_false(const struct op *op, uint32_t i)
{
	return op->px[i] % PRED_UNIFORM == SASS_PT && op->px_flip[i];
}

static inline bool always_true(const struct op *op, uint32_t i)
{
	return op->px[i] % PRED_UNIFORM == SASS_PT && !op->px_flip[i];
}

#endif
