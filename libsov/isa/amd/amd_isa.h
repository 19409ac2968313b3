/* SPDX-License-Identifier: MIT */
/*
 * The machine code of AMD GPUs, one table row per instruction (amd_rows.h). Encoder, decoder,
 * printer and the software GPU all work from the table. It has one opcode column per chip;
 * gfx1030 (RDNA2, Navi 21) is the first. Waves have 32 lanes, so a lane mask is one scalar
 * register.
 *
 * An operand is its number in the hardware's 9-bit source field: scalar registers from 0, special
 * ones from 106, constants from 128, a literal at 255, vector registers from 256.
 */
#ifndef SOV_ISA_AMD_H
#define SOV_ISA_AMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum amd_chip { AMD_GFX1030, AMD_CHIPS };

enum amd_op {
#define ROW(format, name, ...) AMD_##name,
#include "libsov/isa/amd/amd_rows.h"
	AMD_OP_COUNT
};

/* Encodings of one instruction. The short vector formats have longer forms with more fields. */
enum amd_form {
	AMD_PLAIN, /* the format's own; LLVM's suffix _e32 where there is a longer form */
	AMD_E64,   /* any source anywhere, sign modifiers: _e64 */
	AMD_SDWA,  /* bytes and halves of sources and destination: _sdwa */
	AMD_DPP,   /* the first source comes from another lane: _dpp */
	AMD_DPP8,  /* … by a table of eight lanes */
	AMD_FORMS
};

enum amd_slot {
	AMD_D,  /* destination; of SOPK comparisons and stores of scalar state, a source */
	AMD_SX, /* extra: carry out (a lane mask), or the scalar offset of a buffer */
	AMD_S0, /* first source; address of memory operations */
	AMD_S1, /* second source; data; scalar offset of SMEM */
	AMD_S2, /* third source; second data of DS; scalar address; buffer resource */
	AMD_SLOTS
};

/* Operand numbers. */
enum {
	AMD_SGPRS = 106, /* s0–s105 */
	AMD_VCC = 106,
	AMD_VCC_HI = 107,
	AMD_TTMP = 108, /* ttmp0–ttmp15, trap handlers only */
	AMD_M0 = 124,
	AMD_NULL = 125,
	AMD_EXEC = 126,
	AMD_EXEC_HI = 127,
	AMD_INT_0 = 128,  /* 0–64 */
	AMD_INT_M1 = 193, /* -1 … -16 */
	AMD_SHARED_BASE = 235,
	AMD_SHARED_LIMIT = 236,
	AMD_PRIVATE_BASE = 237,
	AMD_PRIVATE_LIMIT = 238,
	AMD_POPS_ID = 239,
	AMD_HALF = 240, /* 0.5 -0.5 1 -1 2 -2 4 -4 1/(2 pi) */
	AMD_INV_2PI = 248,
	AMD_VCCZ = 251,
	AMD_EXECZ = 252,
	AMD_SCC = 253,
	AMD_LITERAL = 255,
	AMD_VGPR = 256,    /* v0–v255 */
	AMD_NONE = 0xffff, /* the row has no such operand */
};

/* The other fields of an instruction. A field that a row does not have is 0. */
enum amd_field {
#define AMD_FIELD(name) AMD_F_##name,
#include "libsov/isa/amd/amd_fields.h"
	AMD_FIELDS
};

/* SRC0_SEL, SRC1_SEL, DST_SEL; DST_UNUSED */
enum { AMD_BYTE_0, AMD_BYTE_1, AMD_BYTE_2, AMD_BYTE_3, AMD_WORD_0, AMD_WORD_1, AMD_DWORD };
enum { AMD_UNUSED_PAD, AMD_UNUSED_SEXT, AMD_UNUSED_PRESERVE };
/* DPP_CTRL */
enum {
	AMD_DPP_QUAD_PERM = 0x000,
	AMD_DPP_ROW_SHL = 0x100,
	AMD_DPP_ROW_SHR = 0x110,
	AMD_DPP_ROW_ROR = 0x120,
	AMD_DPP_ROW_MIRROR = 0x140,
	AMD_DPP_ROW_HALF_MIRROR = 0x141,
	AMD_DPP_ROW_SHARE = 0x150,
	AMD_DPP_ROW_XMASK = 0x160,
};
/* OMOD: the result times 1, 2, 4, 1/2 */
enum { AMD_OMOD_NONE, AMD_OMOD_2, AMD_OMOD_4, AMD_OMOD_HALF };

struct amd_row;

struct amd_inst {
	const struct amd_row *row;
	uint8_t form;            /* enum amd_form */
	uint8_t bytes;           /* as decoded: 4, 8, 12 */
	uint16_t reg[AMD_SLOTS]; /* operand numbers, AMD_NONE */
	uint32_t literal;        /* shared by all AMD_LITERAL operands */
	int32_t field[AMD_FIELDS];
};

#define AMD_MAX_WORDS 3

/* Initialises an instruction: fields at their defaults, operands 0. */
void amd_init(struct amd_inst *in, enum amd_op op, enum amd_form form);
/* Encodes; returns the number of bytes. 0: *why (if not NULL) names the operand or field that does
 * not fit. */
uint32_t amd_encode(enum amd_chip chip, const struct amd_inst *in, uint32_t words[AMD_MAX_WORDS],
		    const char **why);
/* Decodes the first instruction of count words; returns its bytes. 0: unknown, cut off or
 * malformed. */
uint32_t amd_decode(enum amd_chip chip, const uint32_t *words, uint32_t count,
		    struct amd_inst *out);
/* Prints LLVM's syntax. Returns the length, as snprintf does. */
int amd_print(const struct amd_inst *in, char *buffer, size_t size);

const char *amd_op_name(enum amd_op op);

/* Consecutive registers of an operand; 0: this instruction does not have it. */
uint32_t amd_words(const struct amd_inst *in, enum amd_slot slot);

/* Registers that an instruction reads and writes, explicitly or implicitly. */
struct amd_use {
	uint16_t reg; /* operand number of the first; AMD_SCC for the condition bit */
	uint8_t count;
	uint8_t slot; /* enum amd_slot; AMD_SLOTS: implicit */
	bool write;
};
#define AMD_MAX_USES 12
uint32_t amd_uses(const struct amd_inst *in, struct amd_use uses[AMD_MAX_USES]);

/* Wait counters: of vector loads; of LDS, scalar and flat accesses; of stores. */
enum amd_counter { AMD_VMCNT, AMD_LGKMCNT, AMD_VSCNT, AMD_COUNTERS };
/* The wait counters that an instruction increments, one bit each (RDNA2 ISA manual, "Data
 * Dependency Resolution"). */
uint32_t amd_wait_counters(const struct amd_inst *in);

/* Enumerates the rows, for tests. */
const struct amd_row *amd_row(enum amd_op op);
/* Whether the row has the form. */
bool amd_row_has(const struct amd_row *row, enum amd_form form);
/* Draws a random legal instruction of a row and form from next(state). */
void amd_random(enum amd_chip chip, const struct amd_row *row, enum amd_form form,
		uint64_t (*next)(void *), void *state, struct amd_inst *out);

#endif
