/* SPDX-License-Identifier: MIT */
/*
 * Machine IR (MIR): SASS instructions over virtual registers, in basic blocks.
 *
 * A virtual register has one, two or four units of 32 bits (a predicate has one unit of one bit;
 * the sums of a warp group's product have more) and is allocated to that many consecutive, aligned
 * registers. An operand names a virtual register and its first unit, so the halves of a 64-bit
 * value are read and written without moves. The form is SSA by unit: each unit has one definition.
 * The reads and writes of an instruction come from sass_uses(), that is from the ISA table; no code
 * here depends on an operation's operand layout.
 *
 * Before register allocation an operand's ref names the unit and sass.ops[].reg is a placeholder.
 * After allocation reg is the physical register; the refs remain so that check_registers.c can
 * verify the assignment.
 */
#ifndef SOV_COMPILER_NV_MIR_H
#define SOV_COMPILER_NV_MIR_H

#include <stdbool.h>
#include <stdint.h>
#include "libsov/compiler/base/arena.h"
#include "libsov/compiler/base/compile_job.h"
#include "libsov/compiler/ir/ir.h"
#include "libsov/compiler/mir/bitset.h"
#include "libsov/compiler/mir/unit_set.h"
#include "libsov/isa/nv/sass.h"

#define MIR_MAX_UNITS     4   /* of a register that may be spilled */
#define MIR_GPRS          253 /* R0–R252: the hardware uses two of the 255 encodable */
#define MIR_HARDWARE_GPRS 2   /* what the hardware uses of a thread's registers */
#define MIR_STACK         1   /* R1, the stack pointer */
#define MIR_RETURN        20  /* R20, R21: return address, from the kernel's first byte */
#define MIR_CALLEE        2   /* R2, R3: address of the code that an absolute call enters */
#define NV_CONSTANTS_BANK 3   /* constant bank of the module's constants */
#define NV_ADDRESS_BANK   4   /* constant bank of addresses that the loader fills in */
#define MIR_SPILL_GPRS    16  /* registers that the option "spill" leaves */
#define MIR_PREDS         7
#define MIR_UGPRS         63
#define MIR_BARRIERS      16 /* convergence barriers B0–B15 */
#define MIR_SAVED_BARRIER 6  /* NVIDIA's calling convention preserves these from B6 on */

struct mir_ref {
	uint32_t vreg; /* 0 = none */
	uint8_t part;  /* first unit */
};

struct mir_vreg {
	uint8_t kind;  /* SASS_GPR, SASS_PRED or SASS_UGPR */
	uint8_t units; /* 1, 2, 4; sums of a warp group's product: up to 128 */
	bool phi;      /* defined by a phi: written on incoming edges */
	bool reload;   /* defined by a reload, for one or two uses */
	/* A uniform register that selection asked for, and that may be written in divergent code:
	 * it is read in the same block. */
	bool temporary;
	bool assigned;
	uint8_t reg;                /* physical register of unit 0, once assigned */
	uint32_t first_unit;        /* number of unit 0 among the function's units */
	struct mir_inst *first_def; /* first definition of any unit; NULL = a phi (liveness.c) */
	struct mir_ref alias;       /* during selection: coalesced into this unit */
};

/* An operand of a phi or of a copy: a register, an immediate or a constant. */
struct mir_source {
	struct sass_operand op;
	struct mir_ref ref; /* vreg 0: op is the operand */
};

/* Lanes that take part in a convergent operation: those that are active, which wait for none; those
 * of a member mask; all lanes of the warp. */
enum { MIR_ACTIVE_LANES = 1, MIR_SOME_LANES, MIR_ALL_LANES };

/* The scoreboards that count groups of asynchronous copies, and of bulk copies. */
#define NV_COPY_SCOREBOARD     0
#define NV_BULK_SCOREBOARD     1
/* The scoreboard operand of a warp group's product that does not end a group. */
#define NV_NO_GROUP_SCOREBOARD 7

/* Memory effects of an instruction, for the scheduler. MIR_ORDERED: volatile, atomic or fence. */
enum { MIR_READS = 1, MIR_WRITES = 2, MIR_ORDERED = 4 };
/* Space of spill slots and call slots, which no pointer of the program reaches. */
#define MIR_SPILL_SPACE (IR_SPACE_COUNT + 1)
struct mir_memory {
	uint8_t effect; /* MIR_READS … */
	uint8_t space;  /* enum ir_space; IR_SPACE_COUNT = all; MIR_SPILL_SPACE = none of them */
	uint8_t bytes;  /* 0 = accesses no memory itself */
};

struct mir_inst {
	struct mir_inst *prev, *next;
	struct sass_inst sass;
	struct mir_ref ref[SASS_MAX_OPERANDS], guard;
	/* Uniform register of the address; ref[] names the other register. */
	struct mir_ref uniform;
	struct mir_use *uses; /* cached by mir_uses(); NULL = not cached */
	uint32_t nuses;
	uint32_t target; /* block of a SASS_TARGET operand */
	struct mir_memory memory;
	bool phi_copy; /* move on an edge that defines a phi */
	/* Source and destination are one register. Kept until nv_check_registers() has run. */
	bool identity_copy;
	bool terminator; /* must stay last in the block */
	/* Its address is relative to the caller's frame, which holds the arguments. */
	bool incoming_arg;
	bool return_address; /* immediate is the return address of the next call */
	/* The callee returns all lanes together; the caller saves what it changes. */
	bool preserve_all;
	/* A call of a known function: its caller may save the registers that it changes. */
	bool saves;
	/* The callee of a preserve_all call executes a warp sync. */
	bool syncs_warp;
	/* Of a call: what is known about the callee; NULL: it uses memory (call_registers.c). */
	const struct nv_callee *known;
	/* A call, or a NOP at a function's start or end: the operands from first_passed on are
	 * arguments or results, of which the first passed_reads are read. */
	bool passes;
	uint8_t first_passed, passed_reads;
	uint32_t callee;   /* 1 + index of the function called, or whose address is taken */
	uint32_t variable; /* 1 + symbol whose address is the immediate */
	bool high;         /* high word of that address; addend is added to it */
	uint64_t addend;
	uint32_t function; /* 1 + function whose absolute address is the immediate */
	/* A call by NVIDIA's calling convention: 1 + function that has the callee's signature. */
	uint32_t abi;
	bool indirect;           /* its address is the last value that it passes */
	uint8_t service;         /* 1 + device service that is called */
	uint32_t service_offset; /* offset of its address in NV_ADDRESS_BANK */
	/* Set of the registers (mir_resource) that the frame saves around it; NULL: none. */
	uint64_t *saved;
	/* A NOP that ends a group of products of a warp group; 1 + the number of groups that a wait
	 * for them may leave (group_products.c). */
	bool ends_group;
	bool holds; /* a NOP that keeps the factors of a product until the product has ended */
	uint32_t groups;
	uint8_t members; /* convergent operation: MIR_ACTIVE_LANES, ... */
	/* Reads the uniform register of a REDUX: that one's members. */
	uint8_t reduced;
	uint32_t line;   /* of the source */
	uint32_t number; /* scratch of a pass */
	uint32_t offset; /* in the code, once laid out */
};

struct mir_phi {
	uint32_t vreg;
	struct mir_source *args; /* unit u of predecessor p is at p * units + u */
};

/* A jump table's block ends in a BRX. Its successors are the table slots, which follow it in
 * order. */
enum mir_end {
	MIR_END_JUMP,
	MIR_END_BRANCH,
	MIR_END_JUMP_TABLE,
	MIR_END_EXIT,
	MIR_END_TRAP,
	MIR_END_RETURN
};

struct mir_block {
	struct mir_inst *first, *last;
	struct mir_phi *phis;
	uint32_t nphis;
	uint32_t ncopied; /* phis already lowered to moves, for nv_check_registers() */
	enum mir_end end;
	uint32_t line;          /* source line of the terminator */
	struct mir_source cond; /* MIR_END_BRANCH: taken edge is succ[0] */
	uint32_t *succ, nsucc, succ_capacity;
	uint32_t *preds, npreds, preds_capacity;
	uint32_t next,
		previous; /* in layout order; block 0 is before the first and after the last */
	uint32_t depth;   /* loop nesting depth */
	bool table_slot;  /* jump table slot: a single BRA at a fixed position */
	bool divergent;   /* the terminator may diverge */
	struct live_set live_in, live_out;
};

/* Registers of what products of a warp group take and give. */
enum sum_registers {
	SUMS_AMPLE,    /* phis are grouped with results, and factors written before one arrival */
	SUMS_FRUGAL,   /* phis are grouped with sums that products add to */
	SUMS_IN_QUADS, /* outside of chains of products, sums may be spilled */
};

struct mir_func {
	struct compile_job *job;
	struct arena *arena;
	const struct ir_func *ir;
	const char *name;
	uint32_t sm;
	bool allocated; /* registers are assigned */
	bool live;      /* live_in and live_out are up to date */
	struct live_pool live_pool;
	struct liveness_block *live_registers; /* of if-conversion; NULL: not needed yet */
	bool timed;                            /* stall counts and scoreboards are set */
	bool uniform;                          /* uniform registers may be used */
	/* A divergent block writes a uniform register, or there are too few: compile again without
	 * them. */
	bool retry_without_uniform;
	enum sum_registers sums;
	bool retry_sums; /* that does not fit: compile again with the next */
	/* The first uniform registers are those of temporaries, which no other value has; 0: all
	 * values may have all. */
	uint32_t uniform_temporaries;
	/* Values may be computed again for an occupancy that leaves no register for alignment; the
	 * registers of that occupancy, 0: none; it was not reached, so that must not be tried. */
	bool dense;
	uint32_t hoped_registers;
	bool retry_sparse;
	/* Registers that the scheduler leaves to the allocator; whether the pressure is within the
	 * limit after it; not enough of them, so that one with more must be tried. */
	uint32_t room;
	bool fits;
	bool retry_with_room;
	struct mir_vreg *vregs;
	uint32_t nvregs, vregs_capacity; /* entry 0 is unused */
	/* By vreg, from register allocation: uses, with those of phis, whose copies may vanish. */
	uint32_t *use_counts, nuse_counts;
	struct mir_block *blocks; /* IR block numbers first, then added blocks */
	uint32_t nblocks, blocks_capacity;
	uint32_t entry;
	uint32_t nunits;
	uint32_t *unit_vreg; /* by unit: its virtual register */
	uint32_t gprs;       /* R0 to R(gprs - 1) may be used */
	/* Registers that a thread starts with, if warps move registers; 0: they do not, and all
	 * blocks have the same (register_requests.c). By block, up to limited_blocks: as gprs, and
	 * the least of them. */
	uint32_t start_registers, *block_gprs, limited_blocks, min_gprs;
	bool retry_without_requests; /* the limits of some block are too narrow */
	bool stack;                  /* R1 is the stack pointer */
	bool has_alloca;             /* the stack extends below the frame at run time (alloca) */
	uint32_t dynamic_end_at;     /* frame offset of the current end of the dynamic stack */
	uint32_t call_bytes; /* bytes of outgoing arguments and results, at the frame's bottom */
	bool calls;          /* the function calls functions */
	bool uniform_calls;  /* some of them change uniform registers */
	uint32_t callee_barriers; /* convergence barriers that calls change */
	struct nv_callee *own;    /* what its callers know about it; NULL: it uses memory */
	uint32_t services;        /* mask of device services called */
	/* Other code calls it: it uses NVIDIA's calling convention. */
	bool exported;
	bool aligned_frame;   /* it aligns R1 to 16 bytes: its caller does to 8 only */
	uint32_t frame_bytes; /* from R1 up; outgoing arguments come first */
	uint32_t local_align; /* of the local variables */
	uint32_t saved_at;    /* frame offset of registers that are saved around calls */
	uint32_t code_bytes;
	/* Resources of the kernel. */
	uint32_t barriers;
	bool shared;
	uint32_t shared_bytes, shared_align;
	/* By symbol: offset in shared memory, the frame, or constant bank 3 or 4. */
	uint32_t *symbol_offset;
};

#define mir_for_each_block(f, b) for (uint32_t b = (f)->entry; b; b = (f)->blocks[b].next)
#define mir_for_each(f, b, i)    for (struct mir_inst *i = (f)->blocks[b].first; i; i = i->next)
#define mir_for_each_safe(f, b, i) \
	for (struct mir_inst *i = (f)->blocks[b].first, *i##_next = i ? i->next : NULL; i; \
	     i = i##_next, i##_next = i ? i->next : NULL)

/* Construction (mir.c). */
uint32_t mir_vreg_new(struct mir_func *f, uint8_t kind, uint32_t units);
struct mir_inst *mir_inst_new(struct mir_func *f, enum sass_op op);
/* before == NULL appends. */
void mir_insert(struct mir_func *f, uint32_t b, struct mir_inst *before, struct mir_inst *i);
void mir_remove(struct mir_func *f, uint32_t b, struct mir_inst *i);
uint32_t *mir_count_reads(const struct mir_func *f); /* by vreg, with those of phis */
/* The new block follows block "after" in the layout. */
uint32_t mir_block_new(struct mir_func *f, uint32_t after);
/* Out of the layout; b has no predecessors left. */
void mir_block_remove(struct mir_func *f, uint32_t b);
void mir_add_edge(struct mir_func *f, uint32_t from, uint32_t to);
/* Redirects one edge of from. The caller has updated the phi arguments of the old target. */
void mir_redirect_edge(struct mir_func *f, uint32_t from, uint32_t to, uint32_t new_to);
void mir_remove_pred(struct mir_func *f, uint32_t from,
		     uint32_t to); /* removes from out of the predecessors of to */
void mir_set_operand(struct mir_inst *i, uint32_t operand, struct mir_source s);
void mir_set_guard(struct mir_inst *i, struct mir_source predicate);
struct mir_source mir_reg(uint8_t kind, struct mir_ref r);
struct mir_source mir_imm(uint32_t value);
struct mir_source mir_pred_const(bool value); /* PT or !PT */
/* Copies one unit with the instruction that the operand kinds need. */
struct mir_inst *mir_move(struct mir_func *f, struct mir_source dst, struct mir_source src);
void mir_number_units(struct mir_func *f); /* assigns first_unit */
uint32_t *mir_reverse_postorder(const struct mir_func *f, uint32_t *count);
static inline uint32_t mir_unit(const struct mir_func *f, struct mir_ref r)
{
	return f->vregs[r.vreg].first_unit + r.part;
}
/* Register requests (register_requests.c). Of a kernel: the lowest and the highest number that it
 * asks for, and the highest that it keeps when it gives some; 0: its registers do not move. */
struct nv_register_requests {
	uint32_t lowest, highest, given;
};
struct nv_register_requests nv_register_requests(const struct ir_func *f);
void nv_limit_blocks(struct mir_func *f); /* fills in block_gprs */
bool nv_check_requests(const struct mir_func *f, struct text *why);
uint32_t nv_block_gprs(const struct mir_func *f, uint32_t b);
/* Scratch register for cycles of a parallel copy: the last register, or in functions and with
 * alloca, which need it for the frame as well, R0, the other half of the stack pointer's pair. */
static inline uint32_t mir_scratch_reg(const struct mir_func *f)
{
	return f->stack && (f->has_alloca || f->ir->kind == IR_FUNCTION)
		       ? MIR_STACK ^ 1
		       : (f->min_gprs ? f->min_gprs : f->gprs) - 1;
}
static inline bool mir_may_diverge(const struct mir_block *b)
{
	return (b->end == MIR_END_BRANCH || b->end == MIR_END_JUMP_TABLE) && b->divergent;
}
static inline bool mir_is_call(const struct mir_inst *i)
{
	return i->sass.op == SASS_CALL_REL || i->sass.op == SASS_CALL_REL_REG ||
	       i->sass.op == SASS_CALL_ABS || i->sass.op == SASS_CALL_ABS_REG;
}
/* A call that may return its lanes one at a time. */
static inline bool mir_may_split_lanes(const struct mir_inst *i)
{
	return mir_is_call(i) && !i->preserve_all;
}
/* A call across which no register keeps its value. Around the call of a device service, the frame
 * saves registers (call_saves.c). */
static inline bool mir_is_clobbering_call(const struct mir_inst *i)
{
	return mir_is_call(i) && !i->preserve_all && !i->service;
}
/* Instructions that no other one may pass: calls, what stands for a function's callers, and waits
 * after which results of products may be used. */
static inline bool mir_is_boundary(const struct mir_inst *i)
{
	return mir_is_call(i) || i->passes || i->sass.op == SASS_WARPGROUP_DEPBAR;
}
/* Calls and returns: other code uses all registers afterwards. */
static inline bool mir_leaves_function(const struct mir_inst *i)
{
	return mir_is_call(i) || i->sass.op == SASS_RET_REL || i->sass.op == SASS_RET_ABS;
}

/* A run of units of one register that an instruction reads or writes. */
struct mir_use {
	struct mir_ref ref;
	uint8_t kind, count;
	uint8_t operand; /* SASS_USE_GUARD for the guard */
	uint8_t reg;     /* physical register of the first unit, once assigned */
	bool write;
};
/* mir_collect_uses() recomputes the uses, mir_uses() caches them. Code that changes operands
 * other than through mir_set_operand() sets uses to NULL. */
uint32_t mir_collect_uses(const struct mir_inst *i, struct mir_use uses[SASS_MAX_USES]);
void mir_cache_uses(const struct mir_func *f, struct mir_inst *i);
static inline const struct mir_use *mir_uses(const struct mir_func *f, struct mir_inst *i,
					     uint32_t *n)
{
	if (!i->uses)
		mir_cache_uses(f, i);
	*n = i->nuses;
	return i->uses;
}
/* Call before arena_mark(), so that the cache survives arena_rewind(). */
void mir_cache_all_uses(const struct mir_func *f);
uint32_t mir_number_insts(struct mir_func *f); /* from 1; returns the count */
static inline struct sass_reg_use mir_sass_use(const struct mir_use *u)
{
	return (struct sass_reg_use){u->kind, u->reg, u->count, u->operand, u->write};
}

/* One number space for the registers of all files, for sets and tables. */
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

/* Text: SASS with virtual registers as %r4, %r4.1 (from the second unit on) and %p2. Both
 * strings live in the arena. */
char *mir_text(const struct mir_func *f);
char *mir_text_inst(const struct mir_func *f, const struct mir_inst *i);

/*
 * The stages, in the order of nv.c. A stage that can fail reports to job->diag and returns false.
 */
/* On the IR. */
void nv_legalise(struct ir_func *f, uint32_t sm, uint32_t warp_lanes);
/* Whether an atomic adds pairs of f16 or bf16. */
bool nv_is_packed_add(const struct ir_inst *in);
struct nv_module;
struct mir_func *nv_select(const struct nv_module *module, const struct ir_func *ir, bool requests,
			   enum sum_registers sums);
void nv_jump_tables(struct mir_func *f);
/* Words whose value is known, by unit as they were numbered then (fold_constants.c). */
struct nv_constants {
	bool *known;
	uint32_t *values;
};
struct nv_constants nv_fold_constants(struct mir_func *f);
void nv_predicate_sides(struct mir_func *f);
void nv_uniform_registers(struct mir_func *f);
void nv_sink_temporaries(struct mir_func *f);
void nv_split_registers(struct mir_func *f);
void nv_liveness(struct mir_func *f);
/* Steps live from the point after an instruction to the point before it. */
void nv_live_before(const struct mir_func *f, struct unit_set *live, struct mir_inst *i);
void nv_spill_predicates(struct mir_func *f);
bool nv_spill_memory(struct mir_func *f, uint32_t limit); /* false: cannot fit */
/* The same without memory, by computing values again, for additional instructions of at most
 * max_cost, weighted by loop depth. Returns the first limit that is possible; 0: none is, and
 * nothing is changed. */
uint32_t nv_rematerialise(struct mir_func *f, const uint32_t *limits, uint32_t count,
			  uint64_t max_cost);
/* The number of instructions, weighted likewise. */
uint64_t nv_weigh_instructions(const struct mir_func *f);
/* More instructions are worth more warps if the share of instructions added, times this, is at most
 * the share of warps gained. */
#define NV_WARPS_SHARE 2
bool nv_regalloc(struct mir_func *f, bool tight); /* false: cannot fit */
/* Products of a warp group (group_products.c): the operand that is added to; copies addends that
 * are needed later; then, once stall counts are set, the waits before and after products. */
uint32_t nv_addend_operand(const struct mir_inst *product);
bool nv_has_group_products(const struct mir_func *f);
void nv_copy_live_sums(struct mir_func *f);
/* Before selection (zeroed_sums.c): sums that are zeros under a condition are not added to. */
void nv_predicate_zeroed_sums(struct ir_func *f);
/* Executes the first test of a loop that waits at a barrier in memory before the loop
 * (early_tests.c). */
void nv_test_barriers_early(struct ir_func *f);
/* Before and after register allocation: the registers of factors are live while products read
 * them. */
void nv_hold_factors(struct mir_func *f);
void nv_release_factors(struct mir_func *f);
void nv_wait_for_products(struct mir_func *f);
/* Whether an instruction may not be executed while the product is in flight. */
bool nv_disturbs_product(const struct mir_func *f, struct mir_inst *product, struct mir_inst *i);
bool nv_check_products(const struct mir_func *f, struct text *why);
/* Maximum register pressure: GPR units that are live at one point. Requires liveness. */
uint32_t nv_max_pressure(const struct mir_func *f);
/* The same if no register is saved around calls. */
uint32_t nv_max_clear_pressure(const struct mir_func *f);
/* By number of an instruction of a block: the maximum pressure from its results to the block's end.
 * live is a set of units, for scratch. */
void nv_block_peaks(const struct mir_func *f, uint32_t b, struct unit_set *live, uint32_t *peaks);
/* Registers that no value is assigned to: stack pointer with its pair, return address. */
uint32_t nv_reserved_gprs(const struct mir_func *f);
/* Adds argument or result k: its register of 1 or 2 units, or one half of a 64-bit value. */
void mir_pass(struct mir_inst *i, uint32_t k, struct mir_source value, uint32_t units,
	      uint32_t half);
/* The registers in which a callee expects or leaves operand k of those that a call passes. */
const uint8_t *nv_passed_registers(const struct mir_inst *call, uint32_t k);
/* What calls of known functions change. */
struct nv_changed {
	/* By vreg: registers that the calls change across which it is live, without those that the
	 * caller can save, and with them; NULL: none. */
	uint64_t **changed, **avoided;
	/* Registers that no call changes, and that the function must save by its calling
	 * convention: values that are live across no call are better off elsewhere. */
	uint64_t unchanged[4];
	bool calls, saving_calls; /* there are some, some around which registers may be saved */
};
void nv_find_changed(struct mir_func *f, struct nv_changed *c);
/* Decides around which calls registers may be saved: those of preserve_all functions, and all calls
 * if that raises the occupancy more than it costs. */
void nv_choose_saving_calls(struct mir_func *f);
/* Finds which registers are to be saved around these. */
void nv_find_saved(struct mir_func *f);
/* Lays out the area for what calls save, and inserts the stores before a call and the loads after
 * it (frame.c). */
void nv_layout_call_saves(struct mir_func *f);
void nv_save_across_call(struct mir_func *f, uint32_t b, struct mir_inst *call);
void nv_restore_after_call(struct mir_func *f, uint32_t b, struct mir_inst *call,
			   struct mir_inst *after);
/* Moves what calls pass in registers to where the callee expects it. */
void nv_lower_passed(struct mir_func *f);
/* Registers (mir_resource) that are live into and out of each block, once they are assigned
 * (register_liveness.c); then what is live before a block's end, and before an instruction. */
struct liveness_block *nv_live_registers(const struct mir_func *f);
void nv_live_registers_at_end(uint64_t *live, const struct mir_block *block);
void nv_live_registers_before(uint64_t *live, const struct mir_inst *i);
/* Finds what the frame saves around calls of device services. Registers are assigned. */
void nv_find_call_saves(struct mir_func *f);
void nv_lower_frame(struct mir_func *f); /* prologue, epilogue, calls */
void nv_split_critical_edges(struct mir_func *f);
void nv_lower_phis(struct mir_func *f);
void nv_remove_identity_copies(struct mir_func *f);
void nv_if_convert(struct mir_func *f);
void nv_predicate_selects(struct mir_func *f);
void nv_move_comparisons(struct mir_func *f);
void nv_balance_pipes(struct mir_func *f);
/* The operand of a SEL that is computed for it alone, so that its result should share the other
 * operand's register; 0: none. */
uint32_t nv_predicable_operand(const struct mir_func *f, const struct mir_inst *i,
			       const uint32_t *counts);
/* The branch becomes an EXIT under its condition, so none of its lanes diverges. */
bool nv_becomes_guarded_exit(const struct mir_func *f, uint32_t b);
void nv_insert_convergence_barriers(struct mir_func *f);
/* By block: whether lanes of a warp may execute it at different times. */
const bool *nv_divergent_blocks(struct mir_func *f);
struct nv_dominators {
	uint32_t *idom;          /* by block: immediate dominator; the entry's is itself */
	uint32_t *enter, *leave; /* by block: preorder interval of its subtree */
};
struct nv_dominators nv_find_dominators(const struct mir_func *f);
bool nv_dominates(const struct nv_dominators *d, uint32_t a, uint32_t b); /* reflexive */
/* Natural loops. A loop is known by its header; 0 = none. */
struct nv_loops {
	uint32_t *of;     /* by block: the innermost loop around it */
	uint32_t *parent; /* by loop: the loop around it */
	uint32_t *depth;  /* by loop: how many loops are around its blocks */
	/* By block: where the paths from its terminator that stay in the loop join in the same
	 * iteration; the header: at the end of the iteration; 0: only one path stays. */
	uint32_t *join;
	/* By loop: where the paths that leave it, but not its parent, join in the parent. */
	uint32_t *join_after;
};
struct nv_loops nv_find_loops(const struct mir_func *f, const struct nv_dominators *d);
bool nv_is_in_loop(const struct nv_loops *loops, uint32_t b, uint32_t header);
/* By block: the exit block that it leads to (0 = none), and the reconvergence point of its
 * terminator (0 = none). */
void nv_find_reconvergence(const struct mir_func *f, uint32_t **ends, uint32_t **points);
void nv_order_blocks(struct mir_func *f);
void nv_layout_blocks(struct mir_func *f); /* emits branches */
/* Whether an instruction is ordered with some others at all; whether b, which follows a, may not
 * pass it although no register requires that. */
bool nv_is_ordered(const struct mir_inst *i);
bool nv_is_exchange(const struct mir_inst *i);
bool nv_may_pass_exchanges(const struct mir_inst *i);
bool nv_must_keep_order(const struct mir_inst *a, const struct mir_inst *b);
void nv_schedule(struct mir_func *f);
/* Warps that an SM holds at most. */
uint32_t nv_warps_per_sm(uint32_t sm);
/* Occupancy (occupancy.c): warps that a partition of an SM holds with this number of registers per
 * thread, the maximum of registers per thread with which it holds this number of warps,
 * and the registers that the launch bounds of a kernel, or of the kernels that contain a function,
 * allow. All include MIR_HARDWARE_GPRS. */
uint32_t nv_partition_warps(uint32_t sm, uint32_t registers);
uint32_t nv_occupancy_registers(uint32_t warps);
/* Of a function: as many registers as leave the occupancy that this many leave. */
uint32_t nv_occupancy_window(const struct mir_func *f, uint32_t gprs);
/* The warps of a partition that whole blocks fill, of the size that the kernel states. */
uint32_t nv_resident_warps(const struct ir_func *f, uint32_t warps);
/* The warps of a partition whose frames the L1 cache holds, at least a few: more of them evict each
 * other's. */
uint32_t nv_cached_warps(uint32_t sm, uint32_t frame_bytes);
uint32_t nv_register_limit(const struct nv_module *n, const struct ir_func *f, bool requests);
/* The number that a kernel starts with, if its registers move; else 0. */
uint32_t nv_start_registers(uint32_t sm, const struct ir_func *f);
uint32_t nv_function_register_limit(uint32_t sm, const struct ir_module *m);
void nv_separate_copies(struct mir_func *f); /* from accesses to shared memory before them */
void nv_set_scoreboards(struct mir_func *f); /* scoreboards, then stall counts */
/* Count: number of numbered instructions. */
void nv_set_stall_counts(struct mir_func *f, uint32_t count);
void nv_serialise(struct mir_func *f);
void nv_set_reuse_flags(struct mir_func *f);
struct cubin_kernel;
/* A kernel with the functions that its code contains. */
struct nv_text {
	struct mir_func *kernel, **funcs;
	uint32_t nfuncs;
	const uint32_t *variable_of; /* by symbol: number of the image's variable */
	bool functions_first;        /* at equal offsets in every kernel */
	uint32_t stack_bytes;
};
#define NV_FUNCTIONS_OFFSET 16 /* functions follow a BRA to the kernel */
uint32_t nv_function_bytes(const struct mir_func *f);
bool nv_encode(const struct nv_text *t, struct cubin_kernel *out, struct kernel_stats *stats);
/* Sets the stack frame and the bytes of spill code of one function. */
void nv_count_spills(const struct mir_func *f, struct kernel_stats *stats);

/* Verifiers of the stages' results: true, or false with the first fault in why. */
bool nv_check_registers(const struct mir_func *f, struct text *why);
bool nv_check_convergence(const struct mir_func *f, struct text *why);
bool nv_check_hazards(const struct mir_func *f, struct text *why);

#endif
