/* SPDX-License-Identifier: MIT */
/*
 * The structure of an instruction table row: the operation, its opcode, the bits of each operand
 * and modifier, and their text. Encoder, decoder, printer, register uses and random instructions
 * all walk these structures and contain no code for individual instructions.
 *
 * Most arithmetic shares one layout. The opcode has 9 bits. The 3 bits above it, the form, select
 * the kind of the source in bits 32–63 and which source it is:
 *
 *   form      1    2     3     4    5     6     7
 *   bits 32   b    imm c const c imm b const b ureg b ureg c
 *   bits 64   c    b     b     c    c     c     b
 *
 * Negation and absolute value bits belong to the source field, not to the operand: 72, 73 for the
 * register in bits 24–31, 63, 62 for bits 32–63 and 75, 74 for bits 64–71. Reuse flags (122–124)
 * belong to the operand: a, b, c.
 */
#ifndef SOV_ISA_SASS_ROW_H
#define SOV_ISA_SASS_ROW_H

#include "libsov/isa/nv/sass.h"

/* The kind of an operand, which determines its bits. */
enum sass_slot_type {
	SLOT_END,
	SLOT_GPR,  /* register at lo */
	SLOT_ODD,  /* bits 32–63, by form */
	SLOT_B,    /* bits 32–63 or, in forms 2, 3 and 7, the register in 64–71 */
	SLOT_C,    /* the register in 64–71 or, in forms 2, 3 and 7, bits 32–63 */
	SLOT_UGPR, /* uniform register at lo */
	SLOT_PRED, /* predicate at lo; neg is the bit that negates it */
	SLOT_TRUE, /* a predicate that only other SM versions encode: PT */
	SLOT_UPRED,
	SLOT_BREG,    /* convergence barrier at lo */
	SLOT_IMM,     /* unsigned, width bits at lo */
	SLOT_SPLIT,   /* 8 bits: low 3 at lo, high 5 at neg */
	SLOT_CONST,   /* constant bank, no index */
	SLOT_CONST_R, /* constant bank, indexed by the register in 24–31 */
	SLOT_CONST_U, /* … by the uniform register there */
	SLOT_SREG,    /* special register at 72 */
	SLOT_PR,     /* all predicates, or all uniform ones, as one operand: printed, not encoded */
	SLOT_ABSENT, /* an operand that other rows of the op have: SASS_NONE */
	SLOT_ADDR,   /* [register at 24 + offset at 40], see the ADDR_ flags */
	SLOT_TARGET, /* branch distance / 4 at 34, width bits */
	SLOT_TARGET8,  /* the same with the low 8 bits at 16 (SM90) */
	SLOT_TARGET24, /* the distance itself at 24, width bits */
};

enum { /* slot flags */
       SLOT_WRITE = 1 << 0,
       SLOT_NEG = 1 << 1, /* the source field's negation bit is valid here */
       SLOT_ABS = 1 << 2,
       SLOT_NOT = 1 << 3,    /* the negation bit means ~; with SLOT_NEG: when X is set */
       SLOT_HALF = 1 << 4,   /* selects halves: 74–75, 60–61, 81–82 by source field */
       SLOT_HALF1 = 1 << 5,  /* conversions: selects a half at 60, in c at 72, or at slot.width */
       SLOT_BYTE = 1 << 6,   /* … a byte at 60–61, or at slot.width */
       SLOT_INVERT = 1 << 7, /* predicate stored inverted, so that all zero is PT */
       SLOT_RED = 1 << 8,    /* present only when the modifier BAR is a reduction */
       /* printing */
       SLOT_QUIET = 1 << 9,          /* omitted when it has its default */
       SLOT_FIRST = 1 << 10,         /* before the others */
       SLOT_BLANK = 1 << 11,         /* no comma after it */
       SLOT_RAW = 1 << 12,           /* target: the distance itself */
       SLOT_SB = 1 << 13,            /* a scoreboard: SB0 */
       SLOT_SET = 1 << 14,           /* the set of its bits: {5,4} */
       SLOT_SIGN = 1 << 15,          /* only the register's sign counts: R1.SIGN */
       SLOT_ROW = 1 << 16,           /* a matrix by rows: R1.ROW */
       SLOT_COL = 1 << 17,           /* … by columns: R1.COL */
       SLOT_SIGNED = 1 << 18,        /* an offset without a register is printed as signed */
       SLOT_UNSIGNED_UREG = 1 << 19, /* … with only a uniform register as unsigned */
       SLOT_GDESC = 1 << 20,         /* descriptors of matrices: gdesc[UR8].negA */
       SLOT_GSB = 1 << 21,           /* a scoreboard of products of a warp group: gsb0 */
       SLOT_BRACKETS = 1 << 22,      /* a register that holds an address: [UR4] */
       SLOT_DIMENSION = 1 << 23,     /* the question of TXQ: TEX_HEADER_DIMENSION */
       SLOT_POLICY = 1 << 24,        /* a uniform register with a cache policy: desc[UR4] */
       SLOT_RPC = 1 << 25,           /* a half of the return address: Rpc.LO, Rpc.HI */
};

enum {                      /* address formats of memory operands; in slot.width */
       ADDR_UREG = 1,       /* has a uniform register at lo, bit 91 set */
       ADDR_MAYBE_UREG = 2, /* bit 91 is set if it has one */
       ADDR_DESC = 4,       /* bit neg: the uniform register is a descriptor */
       ADDR_WIDE = 8,       /* bit abs: the register is a pair (.64), otherwise .U32 */
       ADDR_E = 16,         /* the register is a pair when the modifier E is set */
       ADDR_OFFSET32 = 32,  /* 32 bits of offset at 32 instead of 24 at 40 */
       ADDR_TO = 64,        /* of two addresses: [register at 16 + 20 bits of offset at 44] */
       ADDR_FROM = 128,     /* … the other: 12 bits of offset at 32 */
       ADDR_NO_GPR = 256,   /* has no register but the uniform one at lo */
       ADDR_PAIR = 512,     /* the register is a pair (.64), and there is no uniform one */
};

enum { /* register counts; in slot.count */
       COUNT_1,
       COUNT_2,
       COUNT_WIDTH, /* by the modifier WIDTH */
       COUNT_ATYPE, /* by the modifier ATYPE */
       COUNT_DTYPE, /* by DTYPE, STYPE: two for 64-bit types */
       COUNT_STYPE,
       COUNT_4,
       COUNT_8,
       COUNT_16,
       COUNT_SUMS,        /* of a matrix: by the modifier SUMS */
       COUNT_TILES,       /* of a warp group's product: four for each tile */
       COUNT_TILES_SUMS,  /* … by the modifier SUMS */
       COUNT_DIMS,        /* coordinates of a tensor: by the modifier DIMS */
       COUNT_1_DIMS,      /* … after a shared address */
       COUNT_2_DIMS,      /* … after a shared address and a barrier */
       COUNT_COORDINATES, /* of a texture: by the modifier GEOMETRY */
       COUNT_EXTRAS,      /* … a level, an offset, a comparison: by LEVEL, OFFSET, COMPARE */
       COUNT_1_EXTRAS,    /* … after a handle */
       COUNT_GRADIENT,    /* … coordinates and a word with layer and offset */
       COUNT_1_GRADIENT,  /* … after a handle */
       COUNT_DERIVATIVES, /* … two for each coordinate */
};

/* Defaults of operands that the caller leaves SASS_NONE; DEFAULT_NONE: the operand is required. */
enum {
	DEFAULT_NONE,
	DEFAULT_TRUE,
	DEFAULT_FALSE,
	DEFAULT_ZERO_REG,
	DEFAULT_0,
	DEFAULT_7,
	DEFAULT_15
};

#define REUSE_NONE 255

struct sass_slot {
	uint8_t type;
	uint8_t lo;
	uint16_t width;
	uint8_t neg, abs; /* bits, 0: those of the source field */
	uint32_t flags;
	uint8_t count;
	uint8_t otherwise; /* DEFAULT_* */
	uint8_t if_mod;    /* present only when this modifier is set, + 1 */
	uint8_t reuse;     /* reuse bit, where it is not the usual one; REUSE_NONE */
};

struct sass_choice {
	/* nvdisasm's, NULL: not a legal value; with a comma: printed after the operands */
	const char *text;
	uint8_t value; /* SASS_* of sass.h */
};

struct sass_field {
	uint8_t mod; /* enum sass_mod */
	uint8_t lo, width;
	uint8_t lo2, width2;               /* further bits above the first */
	const struct sass_choice *choices; /* indexed by the bits; width 0: ends the list */
};

struct sass_fixed {
	uint8_t lo, width, value;
};

enum sass_immediate {
	IMM_HEX,
	IMM_SIGNED,
	IMM_FLOAT,
	IMM_DOUBLE,
	IMM_HALF2,
	IMM_MUFU,  /* by the modifier FUNC */
	IMM_STYPE, /* by STYPE */
};

/* Scoreboards that a row can set: without a result only the read one, control flow none. */
enum { SB_BOTH, SB_READ, SB_WRITE, SB_NONE };

#define SASS_MAX_FIELDS 10
#define SASS_MAX_FIXED  6

struct sass_form {
	const char *name; /* nvdisasm's, with the modifiers that all instructions of the row have */
	uint16_t op;
	uint16_t opcode; /* 9 bits */
	uint8_t forms;   /* bit n: form n exists */
	uint8_t sms;     /* SM_* */
	uint8_t pipe;    /* enum sass_pipe */
	uint8_t imm;     /* enum sass_immediate, of the source in bits 32–63 */
	uint8_t sb;      /* SB_* */
	bool uniform;    /* sources are uniform registers; bit 91 is set when there is one */
	struct sass_slot ops[SASS_MAX_OPERANDS];
	struct sass_field fields[SASS_MAX_FIELDS];
	struct sass_fixed fixed[SASS_MAX_FIXED];
	const char *suffix; /* printed after all modifiers; NULL: nothing */
	/* Rejects combinations of values that the hardware does not have; NULL: all are legal. */
	bool (*legal)(uint32_t sm, const struct sass_inst *in);
	/* The other name that nvdisasm prints for some operands, or NULL. */
	const char *(*alias)(const struct sass_inst *in);
};

/* Sets of SM versions: SM_90 and so on, one bit each. */
#define SM_INDEX(sm) SM_INDEX_##sm,
#define SM_BIT(sm)   SM_##sm = 1 << SM_INDEX_##sm,
enum { SASS_SM_VERSIONS(SM_INDEX) };
enum { SASS_SM_VERSIONS(SM_BIT) };
enum {
	SM_7X = SM_70 | SM_75,
	SM_8X = SM_80 | SM_86 | SM_89,
	SM_86_UP = SM_86 | SM_89 | SM_90,
	SM_80_UP = SM_80 | SM_86_UP,
	SM_75_UP = SM_75 | SM_80_UP,
	SM_ALL = SM_7X | SM_80_UP,
	SM_TO_89 = SM_7X | SM_8X,
	SM_75_TO_89 = SM_75 | SM_8X,
};
#undef SM_INDEX
#undef SM_BIT

/* The forms of a row that exist on an SM version, bit n for form n. SM70 has no uniform
 * registers. */
uint8_t sass_forms(const struct sass_form *row, uint32_t sm);
/* The bit of an SM version; 0: the tables do not describe it. */
uint8_t sass_sm_mask(uint32_t sm);
/* Enumerates the rows of an op in table order: the first after NULL, NULL after the last. */
const struct sass_form *sass_next_row(uint16_t op, const struct sass_form *row);
/* A row of the instruction's op. All rows of an op have the same pipe, written operands and operand
 * widths, so that any of them serves for register uses and timing. */
static inline const struct sass_form *sass_row(const struct sass_inst *in)
{
	return in->form && in->form->op == in->op ? in->form : sass_next_row(in->op, NULL);
}
#define SASS_MAX_FORMS 1024
/* The adjacent rows of a 9-bit opcode: returns the first, and their number in *n. */
const struct sass_form *sass_rows(uint16_t opcode, uint32_t *n);
/* Selects the row that fits an instruction, encodes it and fills in default operands. Returns
 * NULL if none fits; *why (if not NULL) names the misfit. */
const struct sass_form *sass_select(uint32_t sm, struct sass_inst *in, struct sass_word *word,
				    const char **why);
/* The operand's bit in sass_inst.reuse; 0: none. */
uint8_t sass_reuse_bit(const struct sass_form *row, const struct sass_inst *in, uint32_t operand);
/* The meaning of a source's negation bit: SASS_NEG or SASS_NOT. */
uint8_t sass_negation(const struct sass_slot *s, const struct sass_inst *in);
/* "SR_TID.X"; NULL: the number has no name on this SM version. */
const char *sass_special_name(uint32_t sm, uint8_t number);
/* The field of an address's offset. */
struct sass_bits {
	uint8_t lo, width;
};
struct sass_bits sass_address_offset(const struct sass_slot *s);
/* Whether the operand is in bits 32–63 in this form. */
bool sass_is_odd(const struct sass_slot *s, uint32_t form);

#endif
