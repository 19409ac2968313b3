/* SPDX-License-Identifier: MIT */
/*
 * The structure of an instruction table row: format, opcode, a type per operand, and flags.
 * amd_layout.c describes the bits of each format. No code outside the table depends on individual
 * instructions.
 */
#ifndef SOV_ISA_AMD_ROW_H
#define SOV_ISA_AMD_ROW_H

#include "libsov/isa/amd/amd_isa.h"

enum amd_format {
	AMD_SOP1,
	AMD_SOP2,
	AMD_SOPK,
	AMD_SOPC,
	AMD_SOPP,
	AMD_SMEM,
	AMD_VOP1,
	AMD_VOP2,
	AMD_VOPC,
	AMD_VOP3,
	AMD_VOP3P,
	AMD_DS,
	AMD_FLAT,
	AMD_GLOBAL,
	AMD_SCRATCH,
	AMD_MUBUF,
	AMD_FORMATS
};

/* Operand types: the number and kinds of registers, and the interpretation of constants. */
enum amd_type {
	TYPE_NO,
	TYPE_B16,
	TYPE_B32,
	TYPE_B64,
	TYPE_B96,
	TYPE_B128,
	TYPE_B256,
	TYPE_B512, /* bits */
	TYPE_F16,
	TYPE_F32,
	TYPE_F64, /* floats: sources may be negated */
	TYPE_P16,
	TYPE_PF16, /* two halves in a register */
	TYPE_MIX,  /* f32, or a half of a register, by op_sel */
	TYPE_R32,
	TYPE_R64, /* scalar registers only */
	TYPE_S32, /* scalar, constant or literal, even in a vector format */
	TYPE_L32, /* the same without literals: lane numbers, offsets */
	TYPE_V32,
	TYPE_V64,
	TYPE_V96,
	TYPE_V128, /* vector registers only */
	TYPE_M,    /* lane mask: scalar register */
	TYPE_X,    /* EXEC, not printed */
	TYPE_K16,
	TYPE_K32,   /* the literal, always present */
	TYPE_ADDR,  /* vector address: 64 bits, or 32 with a scalar one */
	TYPE_SADDR, /* scalar address; none: null */
	TYPE_VBUF,  /* buffer index and offset, 0–2 vector registers */
	TYPE_RSRC,  /* buffer resource, four scalar registers */
	TYPE_COUNT
};

enum { /* flags */
       E64 = 1 << 0,
       SDWA = 1 << 1,
       DPP = 1 << 2, /* forms other than the plain one */
       CLAMP = 1 << 3,
       OMOD = 1 << 4,
       OP_SEL = 1 << 5, /* in the 64-bit form */
       CARRY = 1 << 6,  /* has a lane mask as second result */
       SCC_IN = 1 << 7,
       SCC_OUT = 1 << 8,
       EXEC_OUT = 1 << 9,
       READS_D = 1 << 10,  /* the destination is a source too */
       D_SOURCE = 1 << 11, /* the destination's field holds a source */
       SWAPS = 1 << 12,    /* the first source is written too */
       K_SECOND = 1 << 13, /* the literal is printed before the second source */
       NO_IMM = 1 << 14,
       HEX = 1 << 15,        /* the immediate is printed in hexadecimal */
       TARGET = 1 << 16,     /* the immediate is a distance in words from the next instruction */
       HWREG = 1 << 17,      /* the immediate names bits of a hardware register */
       WAIT = 1 << 18,       /* the immediate holds wait counters */
       OFFSETS = 1 << 19,    /* two offsets */
       SWIZZLE = 1 << 20,    /* the offset is a pattern of lanes */
       ATOMIC = 1 << 21,     /* the destination is present when GLC is set */
       BARE = 1 << 22,       /* no address and no fields */
       ONE_SCALAR = 1 << 23, /* at most one scalar value, not two */
       VCC_IN = 1 << 24,
       VCC_OUT = 1 << 25, /* implicit */
       EXEC_IN = 1 << 26, /* a scalar instruction that reads EXEC */
       M0_IN = 1 << 27,
       MESSAGE = 1 << 28,       /* the immediate is a message to the host or the scheduler */
       TRANS = 1 << 29,         /* transcendental unit */
       SLOW_MUL = 1 << 30,      /* multiplication of 32-bit words at a quarter of the rate */
       FULL = E64 | SDWA | DPP, /* the forms of most short instructions */
       FLOAT = FULL | CLAMP | OMOD,
       FMAC = E64 | DPP | CLAMP | OMOD | READS_D,
};

/*
 * Latency classes, as in LLVM's scheduling model for gfx10 (SISchedule.td, GFX10SpeedModel); issue
 * cycles are the units' rates.
 */
enum amd_latency_class {
	AMD_LATENCY_VALU, /* also SOPK and SOPP */
	AMD_LATENCY_SALU,
	AMD_LATENCY_TRANS,
	AMD_LATENCY_SLOW_MUL,
	AMD_LATENCY_F64,
	AMD_LATENCY_LGKM, /* LDS and scalar memory */
	AMD_LATENCY_VMEM, /* vector memory */
	AMD_LATENCY_CLASSES
};
struct amd_latency {
	uint16_t issue, result; /* cycles until the next instruction, until the result */
};
extern const struct amd_latency amd_latencies[AMD_LATENCY_CLASSES];

struct amd_row {
	const char *name; /* LLVM's, without suffix */
	uint16_t op;      /* enum amd_op */
	uint8_t format;
	uint16_t opcode[AMD_CHIPS];
	uint8_t type[AMD_SLOTS];
	uint32_t flags;
	uint8_t latency; /* enum amd_latency_class */
};

struct amd_type_info {
	uint8_t words;
	bool scalar, vector, constant, literal; /* operand kinds that the type allows */
	bool is_float;                          /* may be negated */
	bool is_half;                           /* a literal has 16 bits */
	bool no_float;                          /* has no inline float constants */
};
extern const struct amd_type_info amd_types[TYPE_COUNT];

/* Bit fields of an encoding. */
enum amd_bitfield_kind {
	P_END,
	P_SRC,      /* operand number */
	P_VGPR,     /* vector register */
	P_DST,      /* register: scalar or vector by the operand's type */
	P_SDWA,     /* 8 bits of an operand number; bit extra is set for scalar ones */
	P_SDWA_DST, /* scalar register if bit extra is set, VCC if not */
	P_PAIR,     /* scalar register / 2 */
	P_QUAD,     /* scalar register / 4 */
	P_DATA,     /* vector register of a buffer operation: read or written */
	P_FIELD,    /* bits of a field from bit extra on */
	P_SIGNED,   /* a whole field, two's complement */
	P_FI,       /* FI of DPP8: 1 or 2, see amd_layout.c */
};
struct amd_bitfield {
	uint8_t kind;
	uint8_t index; /* enum amd_slot or enum amd_field, by kind */
	uint8_t lo, width, extra;
};
#define AMD_MAX_BITFIELDS 18

struct amd_layout {
	const char *name;
	uint8_t bytes;
	uint64_t mask, match;
	uint8_t op_lo, op_width;
	struct amd_bitfield bitfields[AMD_MAX_BITFIELDS];
};

/* The layout of a row in a form, and the opcode in that layout. */
const struct amd_layout *amd_layout(const struct amd_row *row, enum amd_form form);
uint32_t amd_layout_opcode(enum amd_chip chip, const struct amd_row *row, enum amd_form form);
/* Finds the layout, row and form of an instruction's first words, or NULL. */
const struct amd_layout *amd_layout_find(enum amd_chip chip, uint64_t word,
					 const struct amd_row **row, enum amd_form *form);
/* The bit field of an operand; NULL: the operand is implicit or absent. */
const struct amd_bitfield *amd_operand_field(const struct amd_layout *l, const struct amd_row *row,
					     enum amd_slot slot);
/* The number of an implicit operand. */
uint16_t amd_implied(const struct amd_row *row, enum amd_slot slot);
/* Bits of a field that may be set in this row and form; all others are 0. */
uint32_t amd_field_mask(const struct amd_row *row, enum amd_form form, enum amd_field field);
/* Checks operands, fields and their combination. Returns NULL, or the name of the first misfit. */
const char *amd_check(const struct amd_inst *in);
/* Whether an operand of this type can encode the value without a literal. */
bool amd_inline_constant(enum amd_type type, uint32_t value);
/* Bits of the constants from AMD_HALF on, as 32-bit floats. */
extern const uint32_t amd_constant_single[9];
/* The row of an opcode in a format, or NULL. VOP3 includes the _e64 forms of the short formats. */
const struct amd_row *amd_row_of(enum amd_chip chip, enum amd_format format, uint32_t opcode);

#endif
