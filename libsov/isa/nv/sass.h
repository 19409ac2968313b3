/* SPDX-License-Identifier: MIT */
/*
 * SASS, the machine code of NVIDIA GPUs from Volta to Hopper: 16 bytes per instruction. One table
 * with a row per instruction form (sass_table.c) drives the encoder, the disassembler and the
 * software GPU's decoder. struct sass_inst is the decoded instruction that all of them share.
 */
#ifndef SOV_ISA_SASS_H
#define SOV_ISA_SASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* SM versions that the table describes, newest first; the compiler has a target for each. */
#define SASS_SM_VERSIONS(X) X(90) X(89) X(86) X(80) X(75) X(70)

enum sass_op {
#define SASS_OP(name) SASS_##name,
#include "libsov/isa/nv/sass_ops.h"
	SASS_OP_COUNT
};

/* Modifiers. A row lists its modifiers with their bits and their text. A modifier that a row does
 * not have is 0. */
enum sass_mod {
#define SASS_MOD(name) SASS_M_##name,
#include "libsov/isa/nv/sass_mods.h"
	SASS_MOD_COUNT
};

/* Values of the modifiers. They are the same for every op and SM; the rows map them to bits. */
/* RND: nearest even, down, up, toward zero */
enum { SASS_RN, SASS_RM, SASS_RP, SASS_RZ_MODE };
/* CMP: bits less, equal, greater, unordered; integers have F, LT … GE and T */
enum {
	SASS_CMP_F,
	SASS_CMP_LT,
	SASS_CMP_EQ,
	SASS_CMP_LE,
	SASS_CMP_GT,
	SASS_CMP_NE,
	SASS_CMP_GE,
	SASS_CMP_NUM,
	SASS_CMP_NAN,
	SASS_CMP_LTU,
	SASS_CMP_EQU,
	SASS_CMP_LEU,
	SASS_CMP_GTU,
	SASS_CMP_NEU,
	SASS_CMP_GEU,
	SASS_CMP_T,
};
/* BOOL */
enum { SASS_AND, SASS_OR, SASS_XOR };
/* FUNC */
enum {
	SASS_MUFU_COS,
	SASS_MUFU_SIN,
	SASS_MUFU_EX2,
	SASS_MUFU_LG2,
	SASS_MUFU_RCP,
	SASS_MUFU_RSQ,
	SASS_MUFU_RCP64H,
	SASS_MUFU_RSQ64H,
	SASS_MUFU_SQRT,
	SASS_MUFU_TANH,
};
/* SCALE: FMUL's product times 1, 1/2, 1/4, 1/8, 8, 4, 2 */
enum {
	SASS_SCALE_1,
	SASS_SCALE_D2,
	SASS_SCALE_D4,
	SASS_SCALE_D8,
	SASS_SCALE_M8,
	SASS_SCALE_M4,
	SASS_SCALE_M2,
};
/* SHTYPE */
enum { SASS_SH_U32, SASS_SH_S32, SASS_SH_U64, SASS_SH_S64 };
/* PRMT */
enum {
	SASS_PRMT_IDX,
	SASS_PRMT_F4E,
	SASS_PRMT_B4E,
	SASS_PRMT_RC8,
	SASS_PRMT_ECL,
	SASS_PRMT_ECR,
	SASS_PRMT_RC16,
};
/* DOT: formats of a and b */
enum {
	SASS_DOT_U8_U8,
	SASS_DOT_S8_U8,
	SASS_DOT_U8_S8,
	SASS_DOT_S8_S8,
	SASS_DOT_U4_U4,
	SASS_DOT_S4_U4,
	SASS_DOT_U4_S4,
	SASS_DOT_S4_S4,
	SASS_DOT_E4M3_E4M3,
	SASS_DOT_E5M2_E4M3,
	SASS_DOT_E4M3_E5M2,
	SASS_DOT_E5M2_E5M2,
};
/* DTYPE, STYPE */
enum {
	SASS_TYPE_NONE,
	SASS_TYPE_U8,
	SASS_TYPE_S8,
	SASS_TYPE_U16,
	SASS_TYPE_S16,
	SASS_TYPE_U32,
	SASS_TYPE_S32,
	SASS_TYPE_U64,
	SASS_TYPE_S64,
	SASS_TYPE_F16,
	SASS_TYPE_BF16,
	SASS_TYPE_F32,
	SASS_TYPE_F64,
	SASS_TYPE_TF32,
};
/* HFORMAT; and an operand's aux: both halves, the low one or the high one twice */
enum { SASS_HALF_F16, SASS_HALF_BF16, SASS_HALF_E5M2, SASS_HALF_E4M3, SASS_HALF_TF32 };
enum { SASS_HALF_BOTH = 0, SASS_HALF_LOW = 2, SASS_HALF_HIGH = 3 };
/* SUMS */
enum { SASS_SUMS_F16, SASS_SUMS_F32 };
/* WIDTH */
enum {
	SASS_WIDTH_U8,
	SASS_WIDTH_S8,
	SASS_WIDTH_U16,
	SASS_WIDTH_S16,
	SASS_WIDTH_32,
	SASS_WIDTH_64,
	SASS_WIDTH_128,
};
/* ORDER, with the scope in the name; a weak access has none */
enum {
	SASS_ORDER_WEAK,
	SASS_ORDER_CONSTANT,
	SASS_ORDER_STRONG_SM,
	SASS_ORDER_STRONG_GPU,
	SASS_ORDER_STRONG_SYS,
	SASS_ORDER_MMIO_GPU,
	SASS_ORDER_MMIO_SYS,
	SASS_ORDER_STRONG_GPU_PRIVATE,
	SASS_ORDER_CONSTANT_PRIVATE,
	SASS_ORDER_CONSTANT_CTA,
	SASS_ORDER_CONSTANT_CTA_PRIVATE,
	SASS_ORDER_CONSTANT_SM,
	SASS_ORDER_CONSTANT_SM_PRIVATE,
	SASS_ORDER_CONSTANT_VC,
	SASS_ORDER_CONSTANT_VC_PRIVATE,
	SASS_ORDER_CONSTANT_GPU,
	SASS_ORDER_STRONG_SM_PRIVATE,
	/* before SM80 */
	SASS_ORDER_WEAK_CTA,
	SASS_ORDER_WEAK_SM,
	SASS_ORDER_WEAK_GPU,
	SASS_ORDER_STRONG_CTA,
	SASS_ORDER_MMIO_CTA,
	SASS_ORDER_MMIO_SM,
};
/* EVICT: normal, first, last, last use, unchanged, no allocation */
enum {
	SASS_EVICT_NORMAL,
	SASS_EVICT_EF,
	SASS_EVICT_EL,
	SASS_EVICT_LU,
	SASS_EVICT_EU,
	SASS_EVICT_NA,
};
/* ATOM */
enum {
	SASS_ATOM_ADD,
	SASS_ATOM_MIN,
	SASS_ATOM_MAX,
	SASS_ATOM_INC,
	SASS_ATOM_DEC,
	SASS_ATOM_AND,
	SASS_ATOM_OR,
	SASS_ATOM_XOR,
	SASS_ATOM_EXCH,
	SASS_ATOM_SAFEADD,
};
/* ATYPE */
enum {
	SASS_ATYPE_U32,
	SASS_ATYPE_S32,
	SASS_ATYPE_U64,
	SASS_ATYPE_S64,
	SASS_ATYPE_F32_FTZ,
	SASS_ATYPE_F32,
	SASS_ATYPE_F64,
	SASS_ATYPE_F16X2,
	SASS_ATYPE_BF16X2,
	SASS_ATYPE_B128,
	SASS_ATYPE_SD32, /* SURED: signed or not, as the surface's format */
};
/* CAS: the result of CAST is 1 for a swap, otherwise 0 */
enum { SASS_CAS, SASS_CAST, SASS_CAST_SPIN };
/* INDEX, FENCE, SCOPE, CCTL, QSPC */
enum { SASS_INDEX_PLAIN, SASS_INDEX_IL, SASS_INDEX_IS, SASS_INDEX_ISL };
enum { SASS_FENCE_SC, SASS_FENCE_ALL, SASS_FENCE_PLAIN, SASS_FENCE_MMIO };
enum { SASS_SCOPE_CTA, SASS_SCOPE_SM, SASS_SCOPE_GPU, SASS_SCOPE_SYS, SASS_SCOPE_VC };
enum {
	SASS_CCTL_PF1,
	SASS_CCTL_PF2,
	SASS_CCTL_WB,
	SASS_CCTL_IV,
	SASS_CCTL_RS,
	SASS_CCTL_PML2,
	SASS_CCTL_RML2,
};
enum { SASS_QSPC_GLOBAL, SASS_QSPC_LOCAL, SASS_QSPC_SHARED, SASS_QSPC_CLUSTER };
/* ARRIVE: the arrivals, and after T the bytes that become outstanding: 0, 1, or R, the operand; X:
 * the operand's number of bytes is no longer outstanding. */
enum {
	SASS_ARRIVE_1TR,
	SASS_ARRIVE_1T0,
	SASS_ARRIVE_0T1,
	SASS_ARRIVE_0TR,
	SASS_ARRIVE_0TX,
	SASS_ARRIVE_RT0,
};
/* OLD: the object before; the mask of the lanes with this address and the high word; nothing */
enum { SASS_VIEW_SHARED, SASS_VIEW_GLOBAL };
enum { SASS_OLD_OBJECT, SASS_OLD_TMASK, SASS_OLD_RED };
/* COPIES: what ARRIVES changes: arrivals, or outstanding bytes */
enum { SASS_MAPCTL_IV, SASS_MAPCTL_PF };
enum { SASS_COPIES_PLAIN, SASS_COPIES_ARVCNT, SASS_COPIES_TRANSCNT };
/* SHFL, VOTE, REDUX */
enum { SASS_SHFL_IDX, SASS_SHFL_UP, SASS_SHFL_DOWN, SASS_SHFL_BFLY };
enum { SASS_VOTE_ALL, SASS_VOTE_ANY, SASS_VOTE_EQ };
enum {
	SASS_REDUX_AND,
	SASS_REDUX_OR,
	SASS_REDUX_XOR,
	SASS_REDUX_SUM,
	SASS_REDUX_MIN,
	SASS_REDUX_MAX,
};
/* UNIFORM, BAR, EXIT, SLEEP */
enum { SASS_BRA_PLAIN, SASS_BRA_U, SASS_BRA_DIV, SASS_BRA_CONV, SASS_BRA_U_ANY };
enum { SASS_BAR_SYNC, SASS_BAR_ARV, SASS_BAR_RED_POPC, SASS_BAR_RED_AND, SASS_BAR_RED_OR };
enum { SASS_EXIT_PLAIN, SASS_EXIT_KEEPREFCOUNT, SASS_EXIT_PREEMPTED };
enum { SASS_SLEEP_PLAIN, SASS_SLEEP_WARP, SASS_SLEEP_SYNCS, SASS_SLEEP_WARP_SYNCS };

/* Special registers (S2R, S2UR, CS2R) that compute code reads. */
enum {
	SASS_SR_LANEID = 0x00,
	SASS_SR_VIRTCFG = 0x02,
	SASS_SR_VIRTID = 0x03,
	SASS_SR_TID = 0x20,
	SASS_SR_TID_X = 0x21,
	SASS_SR_TID_Y = 0x22,
	SASS_SR_TID_Z = 0x23,
	SASS_SR_CTAID_X = 0x25,
	SASS_SR_CTAID_Y = 0x26,
	SASS_SR_CTAID_Z = 0x27,
	SASS_SR_NTID = 0x28,
	SASS_SR_LWINHI = 0x2e,
	SASS_SR_SWINHI = 0x2f,
	SASS_SR_SWINLO = 0x30,
	SASS_SR_SWINSZ = 0x31,
	SASS_SR_SMEMSZ = 0x32,
	SASS_SR_LWINLO = 0x34,
	SASS_SR_LMEMLOSZ = 0x36,
	SASS_SR_LMEMHIOFF = 0x37,
	SASS_SR_EQMASK = 0x38,
	SASS_SR_LTMASK = 0x39,
	SASS_SR_LEMASK = 0x3a,
	SASS_SR_GTMASK = 0x3b,
	SASS_SR_GEMASK = 0x3c,
	SASS_SR_VIRTUALSMID = 0x43,
	SASS_SR_CLOCKLO = 0x50,
	SASS_SR_CLOCKHI = 0x51,
	SASS_SR_GLOBALTIMERLO = 0x52,
	SASS_SR_GLOBALTIMERHI = 0x53,
	SASS_SR_CGACTAID = 0x88,
	SASS_SR_ZERO = 0xff,
};

enum sass_kind {
	SASS_NONE,
	SASS_GPR,  /* reg 0–254, SASS_RZ */
	SASS_UGPR, /* reg 0–62, SASS_URZ */
	SASS_PRED, /* reg 0–6, SASS_PT */
	SASS_UPRED,
	SASS_BREG,   /* convergence barrier B0–B15 */
	SASS_IMM,    /* value: the bits as encoded (floats too) */
	SASS_CONST,  /* c[bank][reg + value]: bank in aux, reg SASS_RZ unless indexed, value = byte
		      * offset, modulo 64 KiB (nvdisasm prints 0x8000 and more as negative) */
	SASS_SREG,   /* special register number in value */
	SASS_ADDR,   /* [reg + ureg + value]: reg may be SASS_RZ; uniform register in aux, or
		      * SASS_NO_UREG */
	SASS_TARGET, /* value: byte offset from the end of this instruction */
};
#define SASS_RZ      255
#define SASS_URZ     63
#define SASS_PT      7
#define SASS_NO_UREG 255

enum {
	SASS_NEG = 1, /* -x, for predicates !p */
	SASS_ABS = 2,
	SASS_NOT = 4,   /* ~x */
	SASS_A64 = 8,   /* address: the register is a pair, [R2.64] */
	SASS_DESC = 16, /* address: the uniform register is a descriptor, desc[UR4][R2.64] */
};

struct sass_operand {
	uint8_t kind; /* enum sass_kind */
	uint8_t reg;
	uint8_t aux; /* bank | SASS_HALF_* << 5, uniform register, or SASS_HALF_* of a register */
	uint8_t flags;
	int64_t value;
};

#define SASS_MAX_OPERANDS 8

struct sass_inst {
	const struct sass_form *form; /* sass_init: any row of op; sass_decode: the exact one */
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

/* A register that an instruction reads or writes, for dependence analysis and hazard mode. */
struct sass_reg_use {
	uint8_t kind;    /* SASS_GPR, SASS_UGPR, SASS_PRED, SASS_UPRED, SASS_BREG */
	uint8_t reg;     /* first register */
	uint8_t count;   /* consecutive registers, by the instruction's width */
	uint8_t operand; /* index into ops; SASS_USE_GUARD for the guard */
	bool write;
};
#define SASS_USE_GUARD 255
#define SASS_MAX_USES  16

struct sass_word { /* little-endian in memory: low word first */
	uint64_t lo, hi;
};

/* Encodes. Returns false if no row or field fits; *why (if not NULL) names the misfit. */
bool sass_encode(uint32_t sm, const struct sass_inst *in, struct sass_word *out, const char **why);
/* Whether a form takes sources of these kinds; modifiers and values are not checked. */
bool sass_has_form(uint32_t sm, const struct sass_inst *in);
/* Decodes. Returns false if no row matches, or if bits are set that its row does not define. */
bool sass_decode(uint32_t sm, struct sass_word w, struct sass_inst *out);
/* Whether the word is an instruction of textures or surfaces, also in a form that has no row. */
bool sass_accesses_texture(struct sass_word w);
/* Prints nvdisasm's syntax, without the closing " ;". address is the instruction's address, for
 * branch targets. Returns the length, as snprintf does; -1 if sass_encode would fail. */
int sass_print(uint32_t sm, const struct sass_inst *in, uint64_t address, char *buffer,
	       size_t size);
/* Lists registers read and written, without RZ, PT and URZ. Returns the number of entries. */
uint32_t sass_uses(const struct sass_inst *in, struct sass_reg_use uses[SASS_MAX_USES]);

/* What the compiler makes the first of that many registers a multiple of. Coordinates of textures
 * and tensors are 3 registers, copies of tensors have up to 7, which ptxas aligns to 4 and 8. */
static inline uint32_t sass_register_alignment(uint32_t count)
{
	if (count < 3)
		return count;
	if (count <= 4)
		return 4;
	return count == 16 ? 16 : 8;
}
/* Whether an operand's first register is no such multiple: the hardware ends the kernel. */
bool sass_is_misaligned(const struct sass_inst *in);
/* The operand's bit in sass_inst.reuse: it keeps the register's value in the reuse cache for the
 * operand of the next instruction that has the same bit. 0: the operand has none. */
uint8_t sass_reuse(const struct sass_inst *in, uint32_t operand);
/* Registers that the reuse cache could keep, one slot per reuse bit; reg SASS_RZ: none. */
#define SASS_REUSE_SLOTS 3
struct sass_reuse_slot {
	uint8_t reg, count;
};
void sass_reuse_slots(const struct sass_inst *in, struct sass_reuse_slot slots[SASS_REUSE_SLOTS]);
/* Whether the guard is a uniform predicate (UP0 to UP6). */
bool sass_uniform_guard(const struct sass_inst *in);
/* "FADD" */
const char *sass_op_name(uint16_t op);
/* Initialises: guard PT, no scoreboards, stall 0, no operands. */
void sass_init(struct sass_inst *in, enum sass_op op);

/* Enumerates the rows, for tests. */
uint32_t sass_form_count(void);
const struct sass_form *sass_form_at(uint32_t index);
bool sass_form_in(const struct sass_form *f, uint32_t sm);
uint16_t sass_form_op(const struct sass_form *f);
/* Draws a random legal instruction of the row from next(state), for tests. */
void sass_random(const struct sass_form *f, uint32_t sm, uint64_t (*next)(void *), void *state,
		 struct sass_inst *out);

/*
 * Timing (sass_latency.c): one matrix of cycles per SM version over pipes. sass_latency.c names the
 * source of each figure.
 */
enum sass_pipe {
	SASS_PIPE_ALU,
	SASS_PIPE_FMA,
	SASS_PIPE_FP16,
	SASS_PIPE_TENSOR, /* products of matrices */
	SASS_PIPE_FP64,
	SASS_PIPE_UNIFORM,
	SASS_PIPE_MUFU,     /* transcendental functions, conversions, POPC, FLO, BREV */
	SASS_PIPE_LANE,     /* MATCH, REDUX */
	SASS_PIPE_MEMORY,   /* global, local, generic */
	SASS_PIPE_SHARED,   /* shared memory and SHFL */
	SASS_PIPE_CONSTANT, /* LDC */
	SASS_PIPE_SPECIAL,  /* S2R, S2UR */
	SASS_PIPE_BRANCH,
	SASS_PIPE_BARRIER,
	SASS_PIPE_COUNT
};
enum sass_pipe sass_pipe(uint32_t sm, const struct sass_inst *in);
/* An asynchronous product of a warp group: a WARPGROUP.DEPBAR waits for its result. */
bool sass_is_group_product(const struct sass_inst *in);
bool sass_is_matrix_product(const struct sass_inst *in); /* on every SM version */
/* Whether the result has no fixed latency, so that readers need a scoreboard. */
bool sass_has_variable_latency(uint32_t sm, const struct sass_inst *in);
/* The same for one reader, or for overwriting the result if next is NULL: some results are on time
 * for instructions of their own kind. */
bool sass_needs_scoreboard(uint32_t sm, const struct sass_inst *in, const struct sass_inst *next);
/* Whether the pipe completes in issue order: waiting for a later result covers this one. */
bool sass_completes_in_order(uint32_t sm, const struct sass_inst *in);
/* Whether the instruction reads general registers after its issue: overwriting one needs the read
 * or write scoreboard of this instruction or of a later one in the same queue. */
bool sass_reads_late(uint32_t sm, const struct sass_inst *in);
/* The queue in which an instruction waits until it reads its general registers, in issue order;
 * SASS_QUEUE_NONE: it reads them at issue. All kinds of memory and lane operations share one. */
enum sass_queue {
	SASS_QUEUE_NONE,
	SASS_QUEUE_MEMORY,
	SASS_QUEUE_MUFU,
	SASS_QUEUE_FP64,
	SASS_QUEUE_TENSOR, /* before SM80 */
	SASS_QUEUE_BARRIER,
	SASS_QUEUE_COUNT
};
enum sass_queue sass_queue(uint32_t sm, const struct sass_inst *in);
/* Whether both wait in one queue. */
bool sass_same_queue(uint32_t sm, const struct sass_inst *a, const struct sass_inst *b);
/* Whether all queued instructions have read their registers after this one (a block barrier). */
bool sass_drains_queues(uint32_t sm, const struct sass_inst *in);
/* Read after write: cycles from issue of the writer to issue of the reader, the maximum over the
 * registers that both uses have. For a producer of variable latency: the minimum distance between
 * setting a scoreboard and waiting for it, except SM80's FP64, which needs both. */
uint32_t sass_raw_latency(uint32_t sm, const struct sass_inst *writer,
			  const struct sass_reg_use *written, const struct sass_inst *reader,
			  const struct sass_reg_use *read);
/* Cycles from issue until any instruction may read the GPRs or overwrite the uniform registers that
 * an instruction of fixed latency has written. */
uint32_t sass_max_latency(uint32_t sm, const struct sass_inst *in);
/* No instruction of any chip has a longer one. */
#define SASS_MAX_LATENCY 33
/* Write after write: cycles from issue to issue, so that the second result remains. */
uint32_t sass_waw_latency(uint32_t sm, const struct sass_inst *first,
			  const struct sass_inst *second);
/* Write after read: cycles from issue of an unqueued reader to issue of the writer. kind: the
 * register's. */
uint32_t sass_war_latency(const struct sass_inst *reader, const struct sass_inst *writer,
			  enum sass_kind kind);
/* Minimum stall of the instruction (branches, barriers …), whatever follows. */
uint32_t sass_min_stall(uint32_t sm, const struct sass_inst *in);
/* Cycles for which the instruction occupies its pipe. One that needs the pipe earlier waits,
 * without a stall count. */
uint32_t sass_issue_cycles(uint32_t sm, const struct sass_inst *in);
/* Whether the next function is about all later instructions, not only about the next one. */
bool sass_keeps_distance(const struct sass_inst *in);
/* Minimum distance of two instructions without a common register: sass_min_stall, and more where
 * ptxas leaves more: a block barrier before memory, control flow and another barrier, even with
 * instructions between the two. */
uint32_t sass_min_distance(uint32_t sm, const struct sass_inst *first,
			   const struct sass_inst *second);
/* Cycles that the stall count means. 0 counts as 16: ptxas encodes it only in ERRBAR and after the
 * end, and right after an ERRBAR uses results that take 13 cycles. */
uint32_t sass_stall_cycles(const struct sass_inst *in);
/* Whether the second instruction can read the first one's registers from the reuse cache. */
bool sass_reuse_hits(uint32_t sm, const struct sass_inst *first, const struct sass_inst *second);
/* Cycles until the result, typically: for the scheduler's priorities. */
uint32_t sass_typical_latency(uint32_t sm, const struct sass_inst *in);

#endif
