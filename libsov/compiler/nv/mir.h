/* SPDX-License-Identifier: MIT */
/*
 * Machine IR: SASS instructions over virtual registers, in blocks.
 *
 * A virtual register has one, two or four units of 32 bits (a predicate has one unit of one bit)
 * and becomes that many consecutive, aligned registers. An operand names a register and its first
 * unit, so the halves of a 64-bit value are read and written without moves. Each unit is written
 * once: SSA, by unit. What an instruction reads and writes comes from sass_uses, that is from the
 * ISA's one table; nothing here knows an operation's shape.
 *
 * Until registers are assigned, an operand's ref says which unit it is and sass.ops[].reg holds a
 * placeholder; afterwards reg holds the answer and the refs stay, as a record that can be checked.
 */
#ifndef SOV_COMPILER_NV_MIR_H
#define SOV_COMPILER_NV_MIR_H

#include <stdbool.h>
#include <stdint.h>
#include "libsov/compiler/base/arena.h"
#include "libsov/compiler/driver/compiler.h"
#include "libsov/compiler/ir/ir.h"
#include "libsov/isa/nv/sass.h"

#define MIR_MAX_UNITS     4
#define MIR_GPRS          253 /* R0–R252: of 255 that can be named, two belong to the hardware */
#define MIR_STACK         1   /* R1 */
#define MIR_RETURN        20 /* R20, R21: where a call returns to, from the kernel's first byte on */
#define MIR_SERVICE       2  /* R2, R3: where a service is, when it is called */
#define NV_CONSTANTS_BANK 3  /* constant bank of the module's constants … */
#define NV_ADDRESS_BANK   4  /* … and of addresses that are known when it is loaded */
#define MIR_SPILL_GPRS    16 /* what the switch "spill" leaves */
#define MIR_PREDS         7
#define MIR_UGPRS         63
#define MIR_BARRIERS      16 /* convergence barriers B0–B15 */

struct mir_ref {
	uint32_t vreg; /* 0: none */
	uint8_t part;  /* first unit */
};

struct mir_vreg {
	uint8_t kind;  /* SASS_GPR, SASS_PRED or SASS_UGPR */
	uint8_t units; /* 1, 2, 4 */
	bool phi;      /* a phi's result: written on edges */
	bool fetched;  /* holds what was spilled for a use or two */
	bool assigned;
	uint8_t reg;             /* once assigned: register of unit 0 */
	uint32_t first_unit;     /* number of unit 0 among all units of the function (mir_number) */
	struct mir_inst *leader; /* the first of its writes; NULL: a phi (live.c) */
	struct mir_ref forward;  /* of selection only: is the same as this unit of another */
};

/* A source that need not be a register: what a phi or a copy takes. */
struct mir_source {
	struct sass_operand op;
	struct mir_ref ref; /* vreg 0: op stands for itself */
};

enum { MIR_SOME_LANES = 1, MIR_ALL_LANES };

/* Which memory an instruction touches and how, for the scheduler. */
enum { MIR_READS = 1, MIR_WRITES = 2, MIR_ORDERED = 4 }; /* volatile, atomic, fence: in order */
#define MIR_SPILLED (IR_SPACE_COUNT + 1)                 /* local memory that no program knows of */
struct mir_memory {
	uint8_t effect; /* MIR_READS … */
	uint8_t space;  /* enum ir_space; IR_SPACE_COUNT: all of them; MIR_SPILLED: none of them */
	uint8_t bytes;  /* 0: touches none itself */
};

struct mir_inst {
	struct mir_inst *prev, *next;
	struct sass_inst sass;
	struct mir_ref ref[SASS_MAX_OPERANDS], guard;
	struct mir_ref
		uniform;      /* the uniform register of its address; ref is about the other one */
	struct mir_use *uses; /* as mir_uses found them; NULL: to be found */
	uint32_t nuses;
	uint32_t target; /* block that a SASS_TARGET operand means */
	struct mir_memory memory;
	bool phi_copy;  /* a move on an edge that makes a phi's value */
	bool copy;      /* same register on both sides: only a record, goes away after the check */
	bool keep_last; /* has its place at the block's end */
	bool incoming;  /* its address is above the frame, where the caller keeps arguments */
	bool returns_here; /* its immediate is where the next call returns to */
	bool rare;         /* a call that keeps all registers and parts no lanes */
	bool meets;        /* … but in which they wait for others */
	uint32_t callee;   /* 1 + index of the function that it calls, or whose address it takes */
	uint32_t variable; /* 1 + symbol: its immediate is half of that variable's address … */
	bool high;         /* … and which, so many bytes behind its start */
	uint64_t addend;
	uint8_t service;     /* 1 + the service (services.h) that it calls … */
	uint32_t service_at; /* … and where its address stands in the bank of addresses */
	uint8_t members;     /* of a convergent operation: MIR_ALL_LANES, MIR_SOME_LANES */
	uint32_t line;       /* in the source */
	uint32_t number;     /* scratch of a pass */
	uint32_t offset;     /* in the code, once laid out */
};

struct mir_phi {
	uint32_t vreg;
	struct mir_source *args; /* unit u from predecessor p at p * units + u */
};

/* A table's block ends in a BRX; its successors are slots, which follow it in this order. */
enum mir_end {
	MIR_END_JUMP,
	MIR_END_BRANCH,
	MIR_END_TABLE,
	MIR_END_EXIT,
	MIR_END_TRAP,
	MIR_END_RETURN
};

struct mir_block {
	struct mir_inst *first, *last;
	struct mir_phi *phis;
	uint32_t nphis;
	uint32_t ncopied; /* phis that have become moves: a record for the check */
	enum mir_end end;
	uint32_t line;          /* of what ends it, in the source */
	struct mir_source cond; /* MIR_END_BRANCH: true goes to succ[0] */
	uint32_t *succ, nsucc, succ_capacity;
	uint32_t *preds, npreds, preds_capacity;
	uint32_t next;                /* in the layout; 0 = last */
	uint32_t depth;               /* loops around it */
	bool slot;                    /* of a table: one jump and nothing else, where it is */
	bool divergent;               /* MIR_END_BRANCH, MIR_END_TABLE: lanes may go several ways */
	uint64_t *live_in, *live_out; /* by unit */
};

struct mir_func {
	struct compile_job *job;
	struct arena *arena;
	const struct ir_func *ir;
	const char *name;
	uint32_t sm;
	bool allocated; /* registers are assigned */
	bool live;      /* liveness is known: nothing has changed since */
	bool timed;     /* stalls and scoreboards are set */
	bool uniform;   /* values that a warp has in common may be in uniform registers … */
	bool parted;    /* … but lanes that are apart would write one: start again without */
	struct mir_vreg *vregs;
	uint32_t nvregs, vregs_capacity; /* with slot 0 */
	struct mir_block *blocks;        /* numbered as in the IR, then new ones */
	uint32_t nblocks, blocks_capacity;
	uint32_t entry;
	uint32_t nunits;
	uint32_t *unit_vreg; /* whose unit it is */
	uint32_t gprs;       /* registers that may be used: R0 to this - 1 */
	bool stack;          /* R1 is the stack pointer */
	bool dynamic; /* the stack goes on below the frame, as far as a word of the frame says */
	uint32_t dynamic_at;  /* … which is here */
	uint32_t passing;     /* bytes at the bottom of the frame for what calls pass */
	bool calls;           /* others … */
	bool open_calls;      /* … that are not rare */
	uint32_t services;    /* those that it calls: a mask */
	bool exported;        /* a service itself: called by others' code, as services.h says */
	uint32_t frame_bytes; /* of the function's own, from R1 up: what calls pass comes first */
	uint32_t code_bytes;  /* once laid out */
	/* needs of the kernel */
	uint32_t barriers;
	bool shared;
	uint32_t shared_bytes, shared_align;
	uint32_t *
		symbol_offset; /* of variables, by symbol: in shared memory, in the frame, in the bank
				  * of constants, in the bank of addresses */
};

#define mir_for_each_block(f, b) for (uint32_t b = (f)->entry; b; b = (f)->blocks[b].next)
#define mir_for_each(f, b, i)    for (struct mir_inst *i = (f)->blocks[b].first; i; i = i->next)
#define mir_for_each_safe(f, b, i) \
	for (struct mir_inst *i = (f)->blocks[b].first, *i##_next = i ? i->next : NULL; i; \
	     i = i##_next, i##_next = i ? i->next : NULL)

/* Building (mir.c). */
uint32_t mir_vreg_new(struct mir_func *f, uint8_t kind, uint32_t units);
struct mir_inst *mir_inst_new(struct mir_func *f, enum sass_op op);
/* before NULL: at the end. */
void mir_insert(struct mir_func *f, uint32_t b, struct mir_inst *before, struct mir_inst *i);
void mir_remove(struct mir_func *f, uint32_t b, struct mir_inst *i);
uint32_t mir_block_new(struct mir_func *f, uint32_t after); /* behind it in the layout */
uint32_t mir_before(const struct mir_func *f, uint32_t b);  /* in the layout; 0 = it is the first */
void mir_block_drop(struct mir_func *f, uint32_t b); /* from the layout; has no predecessors left */
void mir_edge(struct mir_func *f, uint32_t from, uint32_t to);
/* Moves one edge of from; phi arguments of the old target must be gone or dealt with. */
void mir_redirect(struct mir_func *f, uint32_t from, uint32_t to, uint32_t new_to);
void mir_unlink(struct mir_func *f, uint32_t from, uint32_t to); /* to forgets its predecessor */
void mir_set(struct mir_inst *i, uint32_t operand, struct mir_source s);
void mir_set_guard(struct mir_inst *i, struct mir_source predicate);
struct mir_source mir_reg(uint8_t kind, struct mir_ref r);
struct mir_source mir_imm(uint32_t value);
struct mir_source mir_true(bool value); /* PT or !PT */
/* dst = src for one unit, with the instruction that the kinds ask for. */
struct mir_inst *mir_move(struct mir_func *f, struct mir_source dst, struct mir_source src);
void mir_number(struct mir_func *f);                            /* numbers all units */
uint32_t *mir_order(const struct mir_func *f, uint32_t *count); /* blocks, dominators first */
static inline uint32_t mir_unit(const struct mir_func *f, struct mir_ref r)
{
	return f->vregs[r.vreg].first_unit + r.part;
}
/* The register that copies in circles may go through: beside the stack pointer, whose pair is lost
 * anyway, or the last. */
static inline uint32_t mir_spare(const struct mir_func *f)
{
	return f->stack ? MIR_STACK ^ 1 : f->gprs - 1;
}
/* Whether lanes may part at a block's end. */
static inline bool mir_parts(const struct mir_block *b)
{
	return (b->end == MIR_END_BRANCH || b->end == MIR_END_TABLE) && b->divergent;
}
static inline bool mir_is_call(const struct mir_inst *i)
{
	return i->sass.op == SASS_CALL_REL || i->sass.op == SASS_CALL_REL_REG ||
	       i->sass.op == SASS_CALL_ABS_REG;
}
/* … after which nothing is left in registers, and lanes may come back one by one. */
static inline bool mir_is_open_call(const struct mir_inst *i)
{
	return mir_is_call(i) && !i->rare;
}
/* It leaves the function, for a while or for good: all registers are others' then. */
static inline bool mir_leaves(const struct mir_inst *i)
{
	return mir_is_call(i) || i->sass.op == SASS_RET_REL || i->sass.op == SASS_RET_ABS;
}
/* Sets of units. */
static inline uint32_t mir_set_words(const struct mir_func *f)
{
	return (f->nunits + 63) / 64;
}
static inline bool mir_has(const uint64_t *set, uint32_t unit)
{
	return set[unit / 64] >> unit % 64 & 1;
}
static inline void mir_add(uint64_t *set, uint32_t unit)
{
	set[unit / 64] |= (uint64_t)1 << unit % 64;
}
static inline void mir_drop(uint64_t *set, uint32_t unit)
{
	set[unit / 64] &= ~((uint64_t)1 << unit % 64);
}

/* A run of units of one register that an instruction reads or writes. */
struct mir_use {
	struct mir_ref ref;
	uint8_t kind, count;
	uint8_t operand; /* SASS_USE_GUARD for the guard */
	uint8_t reg;     /* of the first unit, once assigned */
	bool write;
};
/* Found anew, and as found before: who changes operands by other means than mir_set forgets them. */
uint32_t mir_find_uses(const struct mir_inst *i, struct mir_use uses[SASS_MAX_USES]);
void mir_keep_uses(const struct mir_func *f, struct mir_inst *i);
static inline const struct mir_use *mir_uses(const struct mir_func *f, struct mir_inst *i,
					     uint32_t *n)
{
	if (!i->uses)
		mir_keep_uses(f, i);
	*n = i->nuses;
	return i->uses;
}
void mir_keep_all_uses(const struct mir_func *f); /* before arena_mark: they are there to stay */
uint32_t mir_number_insts(struct mir_func *f);    /* from 1 on; how many there are */
static inline struct sass_reg_use mir_sass_use(const struct mir_use *u)
{
	return (struct sass_reg_use){u->kind, u->reg, u->count, u->operand, u->write};
}

/* Registers of all kinds in one row, for sets and tables of them. */
enum {
	MIR_FIRST_PRED = 256,
	MIR_FIRST_BREG = MIR_FIRST_PRED + 8,
	MIR_FIRST_UGPR = MIR_FIRST_BREG + MIR_BARRIERS,
	MIR_FIRST_UPRED = MIR_FIRST_UGPR + 64,
	MIR_RESOURCES = MIR_FIRST_UPRED + 8
};
static inline uint32_t mir_resource(uint8_t kind, uint32_t reg)
{
	return reg + (kind == SASS_PRED    ? MIR_FIRST_PRED
		      : kind == SASS_BREG  ? MIR_FIRST_BREG
		      : kind == SASS_UGPR  ? MIR_FIRST_UGPR
		      : kind == SASS_UPRED ? MIR_FIRST_UPRED
					   : 0);
}

/* Text: SASS with virtual registers written %r4, %r4.1 (from its second unit) and %p2 (print.c). */
char *mir_text(const struct mir_func *f); /* in the arena, as is the next */
char *mir_text_inst(const struct mir_func *f, const struct mir_inst *i);

/*
 * The stages (nv.c has their order). Those that can fail say so in job->diag and return false.
 */
void nv_legalise(struct ir_func *f, uint32_t warp_lanes); /* legalise.c: on the IR */
struct nv_module;
struct mir_func *nv_select(const struct nv_module *module, const struct ir_func *ir);
void nv_tables(struct mir_func *f);   /* table.c: of many branches one */
void nv_uniform(struct mir_func *f);  /* uniform.c */
void nv_liveness(struct mir_func *f); /* live.c */
/* From what is live after the instruction to what is live before it. */
void nv_live_before(const struct mir_func *f, uint64_t *live, struct mir_inst *i);
void nv_spill_predicates(struct mir_func *f);             /* spill_predicates.c */
bool nv_spill_memory(struct mir_func *f, uint32_t limit); /* spill_memory.c: false: cannot be */
bool nv_regalloc(struct mir_func *f, bool tight);         /* regalloc.c: false: not enough */
void nv_frame(struct mir_func *f);                        /* frame.c: entry, return, calls */
void nv_split_edges(struct mir_func *f);                  /* copies.c */
void nv_copies(struct mir_func *f);                       /* copies.c: phis become moves */
void nv_drop_copies(struct mir_func *f);                  /* copies.c: … that move nothing go */
void nv_predicate(struct mir_func *f);                    /* predicate.c: short branches go */
/* The branch will be an EXIT under its condition: none of its lanes goes another way. */
bool nv_ends_early(const struct mir_func *f, uint32_t b);
void nv_converge(struct mir_func *f); /* converge.c */
/* By block, whether lanes of a warp may execute it at different times. */
const bool *nv_apart(struct mir_func *f);
/* By block, the end that it is on the way to (0 = none) and the place where lanes that part at its
 * end meet again (0 = nowhere). */
void nv_meet(const struct mir_func *f, uint32_t **ends, uint32_t **places); /* meet.c */
void nv_layout(struct mir_func *f);                /* layout.c: branches become instructions */
void nv_schedule(struct mir_func *f);              /* schedule.c */
void nv_wait(struct mir_func *f);                  /* wait.c: scoreboards, then stalls */
void nv_stall(struct mir_func *f, uint32_t count); /* stall.c: so many instructions, numbered */
void nv_wait_serial(struct mir_func *f);
void nv_reuse(struct mir_func *f); /* reuse.c */
struct cubin_kernel;
/* A kernel and the functions that come with it. */
struct nv_text {
	struct mir_func *kernel, **funcs;
	uint32_t nfuncs;
	const uint32_t *variable_of; /* by symbol: number of the image's variable */
	bool functions_first;        /* so that they are at the same place in every kernel */
	uint32_t stack_bytes;
};
#define NV_FIRST_FUNCTION 16 /* behind a jump to the kernel */
uint32_t nv_function_bytes(const struct mir_func *f);
bool nv_encode(const struct nv_text *t, struct cubin_kernel *out, struct kernel_stats *stats);

/* Checks of the stages' results (check_*.c): true, or false and the first fault in a sentence. */
bool nv_check_registers(const struct mir_func *f, struct text *why);
bool nv_check_hazards(const struct mir_func *f, struct text *why);

#endif
