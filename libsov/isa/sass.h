/* SPDX-License-Identifier: MIT */
/*
 * SASS, the machine code of NVIDIA GPUs from Volta to Hopper: 16 bytes an instruction. ONE table,
 * sass_table.c, a row per instruction form, drives the encoder, the disassembler and the software
 * GPU's decoder. struct sass_inst is the decoded form that all of them share.
 */
#ifndef SOV_ISA_SASS_H
#define SOV_ISA_SASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sass_op {
#define SASS_OP(name) SASS_##name,
#include "libsov/isa/sass_ops.h"
	SASS_OP_COUNT
};

/* Modifier fields, by what they say. A row lists those it has, where they lie and what they print.
 * A modifier that a row does not have is 0. */
enum sass_mod {
#define SASS_MOD(name) SASS_M_##name,
#include "libsov/isa/sass_mods.h"
	SASS_MOD_COUNT
};

enum sass_kind {
	SASS_NONE,
	SASS_GPR,    /* reg 0–254, SASS_RZ */
	SASS_UGPR,   /* reg 0–62, SASS_URZ */
	SASS_PRED,   /* reg 0–6, SASS_PT */
	SASS_UPRED,
	SASS_BREG,   /* convergence barrier B0–B15 */
	SASS_IMM,    /* value: the bits as encoded (floats too) */
	SASS_CONST,  /* c[bank][reg + value]: bank in aux, reg SASS_RZ unless indexed, value = byte offset */
	SASS_SREG,   /* special register number in value */
	SASS_ADDR,   /* [reg + ureg + value]: reg may be SASS_RZ; uniform register in aux, or SASS_NO_UREG */
	SASS_TARGET, /* value: byte offset from the end of this instruction */
};
#define SASS_RZ      255
#define SASS_URZ     63
#define SASS_PT      7
#define SASS_NO_UREG 255

enum {
	SASS_NEG = 1,   /* -x, for predicates !p */
	SASS_ABS = 2,
	SASS_NOT = 4,   /* ~x */
	SASS_A64 = 8,   /* address: the register is a pair, [R2.64] */
	SASS_DESC = 16, /* address: the uniform register is a descriptor, desc[UR4][R2.64] */
};

struct sass_operand {
	uint8_t kind; /* enum sass_kind */
	uint8_t reg;
	uint8_t aux;  /* bank or uniform register */
	uint8_t flags;
	int64_t value;
};

#define SASS_MAX_OPERANDS 8

struct sass_inst {
	const struct sass_form *form; /* the row; set by decode, chosen by encode */
	uint16_t op;                  /* enum sass_op */
	uint8_t guard;                /* predicate register, SASS_PT = always */
	bool guard_not;
	uint8_t nops;
	struct sass_operand ops[SASS_MAX_OPERANDS]; /* destinations first, in nvdisasm's order */
	uint8_t mod[SASS_MOD_COUNT];
	/* control */
	uint8_t stall;         /* 0–15 cycles before the next instruction of the warp */
	bool yield;            /* prefer another warp (printed Y; bit 109 clear) */
	uint8_t write_barrier; /* scoreboard released when results are written; SASS_NO_SB */
	uint8_t read_barrier;  /* scoreboard released when sources have been read; SASS_NO_SB */
	uint8_t wait;          /* mask of scoreboards 0–5 to wait for before issue */
	uint8_t reuse;         /* mask of operand slots */
};
#define SASS_NO_SB 7

/* Where an operand's register takes part: for dependence analysis, hazard mode and allocation. */
struct sass_reg_use {
	uint8_t kind;   /* SASS_GPR, SASS_UGPR, SASS_PRED, SASS_UPRED, SASS_BREG */
	uint8_t reg;    /* first register */
	uint8_t count;  /* consecutive registers, by the instruction's width */
	uint8_t operand; /* index into ops; SASS_USE_GUARD for the guard */
	bool write;
};
#define SASS_USE_GUARD 255
#define SASS_MAX_USES  16

struct sass_word { /* little-endian in memory: low word first */
	uint64_t lo, hi;
};

/* Encodes. false: no row fits or a value does not fit its field; why (if not NULL) says which. */
bool sass_encode(uint32_t sm, const struct sass_inst *in, struct sass_word *out, const char **why);
/* Decodes. false: no row matches, or bits are set that its row does not know. */
bool sass_decode(uint32_t sm, struct sass_word w, struct sass_inst *out);
/* nvdisasm's syntax, without the closing " ;". address is the instruction's own, for targets.
 * Returns the length, as snprintf does. */
int sass_print(const struct sass_inst *in, uint64_t address, char *buffer, size_t size);
/* Registers read and written, RZ/PT/URZ left out. Returns the number of entries. */
uint32_t sass_uses(const struct sass_inst *in, struct sass_reg_use uses[SASS_MAX_USES]);
/* Name of an op ("FADD"), for messages and statistics. */
const char *sass_op_name(uint16_t op);
/* Fresh instruction: guard PT, no barriers, stall 0, operands cleared. */
void sass_init(struct sass_inst *in, enum sass_op op);

/* Rows, for tests that sweep the table. */
uint32_t sass_form_count(void);
const struct sass_form *sass_form_at(uint32_t index);
bool sass_form_in(const struct sass_form *f, uint32_t sm);
uint16_t sass_form_op(const struct sass_form *f);
/* A random legal setting of every field of the row, drawn from next(state); used by round-trip tests. */
void sass_random(const struct sass_form *f, uint32_t sm, uint64_t (*next)(void *), void *state,
		 struct sass_inst *out);

/*
 * Timing (sass_latency.c): one matrix per SM over pipe classes, in cycles. Where the figures come
 * from stands beside them.
 */
enum sass_pipe {
	SASS_PIPE_ALU, SASS_PIPE_FMA, SASS_PIPE_FP16, SASS_PIPE_FP64, SASS_PIPE_UNIFORM, SASS_PIPE_MUFU,
	SASS_PIPE_LANE, SASS_PIPE_MEMORY, SASS_PIPE_SHARED, SASS_PIPE_CONSTANT, SASS_PIPE_SPECIAL,
	SASS_PIPE_BRANCH, SASS_PIPE_BARRIER, SASS_PIPE_COUNT
};
enum sass_pipe sass_pipe(uint32_t sm, const struct sass_inst *in);
/* The result needs a scoreboard: its time is not fixed. */
bool sass_variable(uint32_t sm, const struct sass_inst *in);
/* Results of one such unit arrive in the order of issue: waiting for a later one covers earlier ones. */
bool sass_in_order(uint32_t sm, const struct sass_inst *in);
/* Sources are read late: overwriting one needs the read scoreboard (or the write scoreboard). */
bool sass_reads_late(uint32_t sm, const struct sass_inst *in);
/* Cycles from issue of the writer to issue of the reader (RAW) of this register use. For variable
 * producers: the least distance between setting a scoreboard and waiting for it. */
uint32_t sass_raw(uint32_t sm, const struct sass_inst *writer, const struct sass_reg_use *written,
		  const struct sass_inst *reader, const struct sass_reg_use *read);
uint32_t sass_waw(uint32_t sm, const struct sass_inst *first, const struct sass_inst *second);
/* Least stall of the instruction itself (branches, barriers …). */
uint32_t sass_min_stall(uint32_t sm, const struct sass_inst *in);
/* Typical time to result, for the scheduler's priorities. */
uint32_t sass_estimate(uint32_t sm, const struct sass_inst *in);

#endif
