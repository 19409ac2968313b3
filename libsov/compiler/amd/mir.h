/* SPDX-License-Identifier: MIT */
/*
 * Machine IR for AMD GPUs: instructions of libsov/isa/amd over virtual registers, in basic blocks.
 *
 * A virtual register is scalar (SGPR) or vector (VGPR) and has 1 to 16 words, which are allocated
 * to consecutive registers. An operand names a register and its first word, so the halves of a
 * 64-bit value are accessed without moves. amd_uses(), from the ISA table, lists an instruction's
 * reads and writes.
 *
 * There are two CFGs, named as in ACO. Lanes follow the logical CFG, the program's edges; the wave
 * follows the linear CFG, the machine's jumps (exec_masks.c). A VGPR holds one value per lane and
 * is live along the logical CFG; an SGPR holds one value per wave and is live along the linear CFG.
 */
#ifndef SOV_COMPILER_AMD_MIR_H
#define SOV_COMPILER_AMD_MIR_H

#include "libsov/compiler/amd/module.h"
#include "libsov/compiler/base/compile_job.h"
#include "libsov/compiler/ir/ir.h"
#include "libsov/compiler/mir/bitset.h"
#include "libsov/isa/amd/amd_row.h"

/* GCN_LANE: spilled SGPR words in lanes of a VGPR, 32 to a VGPR, which is called a bank. */
enum gcn_class { GCN_SCALAR, GCN_VECTOR, GCN_LANE, GCN_CLASSES };
#define GCN_BANK_LANES         32
#define GCN_MAX_BANKS          128
#define GCN_MAX_WORDS          16 /* of a vreg */
#define GCN_LANES              (GCN_BANK_LANES * GCN_MAX_BANKS)
#define GCN_SGPRS              104 /* s0–s103 */
#define GCN_FAR_JUMP           104 /* s[104:105]: target of a jump beyond the branch range */
#define GCN_VGPRS              256
#define GCN_STRESS_SGPRS       40 /* limits of the "spill" stress option */
#define GCN_STRESS_VGPRS       40
#define GCN_STRESS_VGPRS_CALLS 48 /* eight of them are callee-saved */
#define GCN_MAX_IMPLICIT       8  /* implicit operands of a call or return */
#define GCN_MAX_USES           (AMD_MAX_USES + GCN_MAX_IMPLICIT)

/* The calling convention (call_graph.c). */
#define GCN_STACK_POINTER      32 /* s32: first free byte of scratch */
#define GCN_FRAME_POINTER      33 /* s33: start of the frame in functions that make calls */
#define GCN_ABI_HIDDEN_ARGS    8  /* s[8:9] */
#define GCN_ABI_GROUP_IDS      12 /* s12 to s14 */
#define GCN_ABI_THREAD_IDS     31 /* v31 */
#define GCN_ABI_RETURN_ADDRESS 30 /* s[30:31] */
#define GCN_ABI_ARG_VGPRS      31 /* v0 to v30; further words are on the stack */

struct gcn_ref {
	uint32_t vreg; /* 0: none */
	uint8_t part;  /* first word */
};

/* An operand: a word of a virtual register, or an ISA operand number. */
struct gcn_src {
	struct gcn_ref ref; /* vreg 0: reg is the operand */
	uint16_t reg;
	uint32_t literal;
};

struct gcn_vreg {
	uint8_t class, words;
	/* temporary around one instruction, or part of the calling convention */
	bool unspillable;
	bool whole_function; /* live from the first to the last instruction */
	bool assigned;
	bool live_at_entry; /* defined when the function starts */
	bool phi;           /* written on some incoming paths only; keeps its value on others */
	int16_t fixed;      /* physical register that the ABI requires; -1: any */
	uint16_t reg;       /* once allocated: register of its first word, from 0 in its class */
	uint32_t hint;      /* a vreg that it is copied from or to */
	uint32_t first_unit;
};

/*
 * MODE bits that arithmetic depends on: rounding as in MODE, and flushing of denormals for f32, and
 * for f16 with f64.
 */
enum { GCN_ROUND_MASK = 3, GCN_FLUSH_F32 = 4, GCN_FLUSH_F16_F64 = 8, GCN_MODE_ANY = 16 };

/* Consecutive words of one register that an instruction reads or writes. */
struct gcn_use {
	struct gcn_ref ref;
	uint8_t count;
	bool write;
};

struct gcn_inst {
	struct gcn_inst *prev, *next;
	struct amd_inst in;
	struct gcn_ref ref[AMD_SLOTS];
	uint32_t target; /* block that it may jump to */
	uint32_t far;    /* block: adds half of the distance to it (encode.c) */
	uint8_t mode;    /* GCN_MODE_ANY: independent of MODE */
	bool copy;
	bool call; /* clobbers all registers that are not callee-saved */
	uint8_t nimplicit;
	struct gcn_use *implicit; /* implicit operands of a call or return */
	struct {
		bool present, high;
		uint8_t target; /* enum amd_reference_target */
		uint32_t index;
		int64_t addend;
	} address; /* the literal is half of the PC-relative distance to this */
	uint32_t line, point, offset;
};

/* Units in ascending order. */
struct gcn_unit_list {
	uint32_t *units, count;
};

struct gcn_block {
	struct gcn_inst *first, *last;
	uint32_t succ[2], nsucc; /* logical CFG; none in blocks that only the wave enters */
	uint32_t linear_succ[4], nlinear_succ; /* linear CFG */
	uint32_t next;                         /* in the layout, 0: last */
	uint32_t depth;                        /* loop depth */
	uint32_t begin, end; /* program points of its first instruction and after its last */
	struct gcn_unit_list live_in, live_out; /* once gcn_liveness() has run */
};

/*
 * Values in registers at function entry: in kernels as HSA defines them (image/amd_abi.h), in other
 * functions by the calling convention (call_graph.c).
 */
enum gcn_input {
	GCN_KERNARG,
	GCN_GROUP_X,
	GCN_GROUP_Y,
	GCN_GROUP_Z,
	GCN_THREAD_X,
	GCN_THREAD_Y,
	GCN_THREAD_Z,
	GCN_HIDDEN_ARGS, /* address of the hidden arguments */
	GCN_THREAD_IDS,  /* thread indices, ten bits each */
	GCN_RETURN_ADDRESS,
	GCN_ARGS, /* argument words */
	GCN_INPUTS,
};

/*
 * Inputs of device services, which are compiled without their callers: thread and workgroup
 * indices.
 */
#define GCN_SERVICE_INPUTS \
	(1 << GCN_GROUP_X | 1 << GCN_GROUP_Y | 1 << GCN_GROUP_Z | 1 << GCN_THREAD_IDS)

/* What the functions of one compilation unit, an ir_module, need to know about each other. */
struct gcn_module_info {
	struct ir_module *m;
	bool indirect_calls;
	bool may_exit;     /* a function, or one that it calls, may end lanes */
	uint16_t inputs;   /* mask by enum gcn_input: inputs that functions read */
	uint32_t hidden;   /* mask by enum amd_hidden: those that functions read */
	uint32_t services; /* mask of device services that functions call */
	bool *lds_symbols; /* by symbol: LDS variables of functions and of kernels with calls */
	uint32_t barrier_symbol; /* 1 + symbol of the software barriers, 0: none */
	bool reduction_counter;  /* reductions at barriers need a counter in LDS */
	uint32_t stack_align;
	struct gcn_func **funcs; /* by function index, once compiled */
};

struct gcn_func {
	struct compile_job *job;
	struct arena *arena;
	const struct amd_plan *plan;
	struct ir_func *ir;
	struct gcn_module_info *module;
	bool has_calls; /* makes calls, or moves the stack pointer */
	struct gcn_vreg *vregs;
	uint32_t nvregs, vregs_capacity;
	struct gcn_block *blocks; /* numbered as in the IR, then new ones */
	uint32_t nblocks, blocks_capacity;
	uint32_t first, last; /* in the layout */
	uint32_t nunits;
	uint32_t *unit_vreg;
	struct amd_initial_state start;
	uint32_t hidden;
	uint32_t input[GCN_INPUTS];           /* vregs at entry, 0: not read */
	uint32_t arg_copy[GCN_ABI_ARG_VGPRS]; /* copies of argument words, one vreg each */
	/* vregs that later code reads: copies if there are calls */
	uint32_t input_copy[GCN_INPUTS];
	uint32_t alive_mask;    /* SGPR: lanes that have not ended, 0: not needed */
	uint32_t entry_exec;    /* SGPR: EXEC at entry, 0: not needed */
	uint32_t lane_target;   /* VGPR: what each lane waits for (lower_branches.c), 0: none */
	uint32_t returned_mask; /* SGPR: lanes that have returned, 0: those in EXEC */
	uint32_t nsaved_sgprs;  /* the first lanes of the banks hold the caller's SGPRs */
	uint64_t written_regs[GCN_CLASSES][BITSET_WORDS(GCN_VGPRS)]; /* once allocated */
	uint32_t services; /* mask of those that it calls */
	uint32_t frame_bytes, lds_bytes, lds_align;
	uint32_t counter_offset;                         /* in LDS: counter of barrier reductions */
	uint32_t *symbol_offset;                         /* of shared and local variables */
	uint32_t banks[GCN_MAX_BANKS], nbanks;           /* VGPRs whose lanes hold SGPRs */
	uint32_t vgprs, sgprs, vgpr_spills, sgpr_spills; /* used, once allocated */
};

#define gcn_for_each_block(f, b) for (uint32_t b = (f)->first; b; b = (f)->blocks[b].next)
#define gcn_for_each(f, b, i)    for (struct gcn_inst *i = (f)->blocks[b].first; i; i = i->next)
#define gcn_for_each_safe(f, b, i) \
	for (struct gcn_inst *i = (f)->blocks[b].first, *i##_next = i ? i->next : NULL; i; \
	     i = i##_next, i##_next = i ? i->next : NULL)

/* Building (mir.c). */
uint32_t gcn_vreg_new(struct gcn_func *f, enum gcn_class class, uint32_t words);
uint32_t gcn_block_new(struct gcn_func *f);
void gcn_layout_append(struct gcn_func *f, uint32_t b); /* becomes the last block */
/* before NULL: at the end. */
void gcn_insert(struct gcn_func *f, uint32_t b, struct gcn_inst *before, struct gcn_inst *i);
void gcn_remove(struct gcn_func *f, uint32_t b, struct gcn_inst *i);
struct gcn_inst *gcn_inst_new(struct gcn_func *f, enum amd_op op, enum amd_form form);
void gcn_set_operand(struct gcn_func *f, struct gcn_inst *i, enum amd_slot slot, struct gcn_src s);
/* Appends a scalar instruction to a block. */
struct gcn_inst *gcn_append_scalar(struct gcn_func *f, uint32_t b, enum amd_op op, struct gcn_src d,
				   struct gcn_src x, struct gcn_src y);
/* Copies one word between registers of any class, before an instruction. */
struct gcn_inst *gcn_move(struct gcn_func *f, uint32_t b, struct gcn_inst *before, struct gcn_src d,
			  struct gcn_src s);
void gcn_jump(struct gcn_func *f, uint32_t b, enum amd_op op, uint32_t target);
struct gcn_src gcn_imm(uint32_t value);
static inline struct gcn_src gcn_reg(uint16_t reg)
{
	return (struct gcn_src){.reg = reg};
}
struct gcn_src gcn_word(const struct gcn_func *f, uint32_t vreg, uint32_t part);
static inline struct gcn_src gcn_none(void)
{
	return gcn_reg(AMD_NONE);
}
static inline bool gcn_same_operand(struct gcn_src a, struct gcn_src b)
{
	return a.ref.vreg == b.ref.vreg && a.ref.part == b.ref.part &&
	       (a.ref.vreg || (a.reg == b.reg && (a.reg != AMD_LITERAL || a.literal == b.literal)));
}
static inline bool gcn_is_vector(const struct gcn_func *f, struct gcn_src s)
{
	return s.ref.vreg ? f->vregs[s.ref.vreg].class == GCN_VECTOR
			  : s.reg >= AMD_VGPR && s.reg != AMD_NONE;
}

uint32_t gcn_uses(const struct gcn_inst *i, struct gcn_use uses[GCN_MAX_USES]);
/* Creates a vreg that must be allocated to a given register. */
uint32_t gcn_vreg_fixed(struct gcn_func *f, enum gcn_class class, uint32_t words, uint32_t reg);
/* Adds an implicit operand to a call or return. */
void gcn_add_implicit(struct gcn_func *f, struct gcn_inst *i, uint32_t vreg, uint32_t words,
		      bool write);
/* The vreg of an input; with calls, of its copy. */
struct gcn_src gcn_input(struct gcn_func *f, enum gcn_input what, enum gcn_class class,
			 uint32_t words);
/* Callee-saved registers. The lanes of a bank are: banks are callee-saved VGPRs. */
static inline bool gcn_is_callee_saved(enum gcn_class class, uint32_t reg)
{
	return class == GCN_SCALAR ? reg > GCN_STACK_POINTER
				   : class == GCN_LANE || (reg >= 40 && reg % 16 >= 8);
}
/* A copy whose source and destination got the same register. */
static inline bool gcn_is_identity_copy(const struct gcn_inst *i)
{
	return i->copy && i->in.reg[AMD_D] == i->in.reg[AMD_S0];
}
/* The number of the unit, a word of a vreg, that an operand starts at. */
static inline uint32_t gcn_unit(const struct gcn_func *f, struct gcn_ref r)
{
	return f->vregs[r.vreg].first_unit + r.part;
}

/* Texts in the arena (mir_print.c). */
char *gcn_print(const struct gcn_func *f);
char *gcn_print_inst(const struct gcn_func *f, const struct gcn_inst *i);

/* The exec-mask plan, made on the IR (exec_masks.c). */
struct gcn_loop {
	ir_block header;
	uint32_t begin, end; /* positions in block order */
	uint32_t parent;     /* 1 + number of the enclosing loop, 0: none */
};
/*
 * An if, or the exits of a loop, that narrow EXEC and restore it at the join
 * (structured_branches.c).
 */
struct gcn_structured_branch {
	ir_block branch, join;
	ir_block loop;       /* loop header; 0: an if */
	ir_block second;     /* of an if: start of the else part, 0: none */
	uint32_t begin, end; /* positions of its blocks */
	uint32_t parent;     /* 1 + number of the enclosing one, 0: none */
	bool restores_exec;  /* restores EXEC at the join; otherwise the enclosing one does */
};
struct gcn_control {
	const struct ir_func *f;
	bool calls_may_exit; /* callees may end lanes */
	struct ir_divergence *divergence;
	ir_block *order; /* topological but for back edges, loops contiguous */
	uint32_t count;
	uint32_t *position; /* by block: in order */
	struct gcn_loop *loops;
	uint32_t nloops, loops_capacity;
	uint32_t *loop_of;       /* by block: 1 + number of the innermost loop, 0: none */
	bool *masked;            /* by block: has a mask of waiting lanes */
	uint32_t *component;     /* by masked block: masks that may be non-empty together */
	ir_block *reconvergence; /* by block with a divergent branch: reconvergence point */
	struct gcn_structured_branch *structures;
	uint32_t nstructures, structures_capacity;
	uint32_t *structure_of;   /* by block: 1 + number of the innermost, 0: none */
	uint32_t *loop_structure; /* by loop: 1 + number of its structure, 0: none */
	/* by block with a divergent branch: 1 + number of its structure, 0: none */
	uint32_t *branch_structure;
	/* by block: 1 + component whose lanes wait while it runs, 0: none */
	uint32_t *waiting_component;
};
/* calls_may_exit: callees may end lanes */
struct gcn_control *gcn_control_build(struct ir_func *f, bool calls_may_exit);
/* Whether b is the header that merged warp syncs loop through (merge_divergent_syncs.c). */
bool gcn_is_sync_header(const struct ir_func *f, ir_block b);
/* Whether b, in a kernel, does nothing but end lanes. */
bool gcn_is_exit_block(const struct ir_func *f, ir_block b);
bool gcn_in_loop(const struct gcn_control *c, ir_block b, uint32_t loop);
/* The block's branch is divergent. */
bool gcn_branch_diverges(const struct gcn_control *c, ir_block b);
/* Whether lanes that take the edge b -> s wait in the mask of s. */
bool gcn_edge_is_masked(const struct gcn_control *c, ir_block b, ir_block s);
/* Whether all lanes at the end of b take the same edge, by a plain jump. */
bool gcn_branch_is_uniform(const struct gcn_control *c, ir_block b);
/* structured_branches.c */
void gcn_find_structured_branches(struct gcn_control *c, struct arena *a);

/* The register with the start of the frame. */
static inline uint16_t gcn_frame_register(const struct gcn_func *f)
{
	return f->has_calls ? GCN_FRAME_POINTER : GCN_STACK_POINTER;
}

/* The call graph (call_graph.c). */
struct gcn_module_info *gcn_module_analyse(struct ir_module *m, struct arena *a);
bool gcn_has_calls(const struct ir_func *f);           /* or moves its stack pointer */
uint32_t gcn_stack_arg_bytes(const struct ir_func *f); /* of arguments and results on the stack */
/* Whether an instruction is a call that may end lanes. */
bool gcn_may_exit(const struct gcn_module_info *module, const struct ir_inst *in);
/* Emits the function table for indirect calls (module.h). */
void gcn_function_table(const struct gcn_module_info *module, struct amd_code *out,
			struct arena *keep);
/* Fills in registers and stack of a kernel including its callees. */
void gcn_kernel_resources(const struct gcn_module_info *module, const struct gcn_func *kernel,
			  struct amd_fragment *fragment);

/* The passes, in the order of amd.c. Those that can fail report to job->diag and return false. */
void gcn_merge_divergent_syncs(struct ir_func *f); /* merge_divergent_syncs.c */
/* Whether divergent lanes may execute a warp sync inside a function; *line: where. */
bool gcn_syncs_across_calls(const struct ir_func *f, const struct gcn_control *c, uint32_t *line);
/* legalise.c */
bool gcn_legalise(struct ir_func *f, const struct gcn_module_info *module, struct compile_job *job);
/* Software barriers (legalise_barriers.c). */
void gcn_legalise_barriers(struct ir_func *f, const struct gcn_module_info *module);
bool gcn_is_workgroup_barrier(const struct ir_func *f, const struct ir_inst *in);
uint32_t gcn_barrier_symbol_new(struct ir_module *m); /* 1 + the symbol */
void gcn_legalise_formats(struct ir_func *f);         /* legalise_formats.c */
void gcn_legalise_spaces(struct ir_func *f);          /* legalise_spaces.c */
void gcn_legalise_calls(struct ir_func *f,
			const struct gcn_module_info *module);    /* legalise_calls.c */
void gcn_lower_lane_masks(struct ir_func *f);                     /* legalise.c */
bool gcn_select(struct gcn_func *f, const struct gcn_control *c); /* select.c */
/* results: the vreg that carries a function's results (lower_branches.c). */
void gcn_lower_branches(struct gcn_func *f, const struct gcn_control *c, struct gcn_src *cond,
			uint32_t results);
void gcn_remove_dead_code(struct gcn_func *f); /* liveness.c */
void gcn_combine(struct gcn_func *f);          /* combine.c */
void gcn_schedule(struct gcn_func *f);         /* schedule.c */
void gcn_number_units(struct gcn_func *f);     /* liveness.c */
void gcn_liveness(struct gcn_func *f);         /* liveness.c */
bool gcn_regalloc(struct gcn_func *f);         /* regalloc.c */
/* Run after gcn_check_registers(), which needs the copies, and before waits are inserted. */
void gcn_remove_identity_copies(struct gcn_func *f);                       /* regalloc.c */
void gcn_spill(struct gcn_func *f, const uint32_t *vregs, uint32_t count); /* spill.c */
/*
 * Adds banks for count lanes. Returns true if it added any: registers must be allocated again
 * (spill.c).
 */
bool gcn_reserve_banks(struct gcn_func *f, uint32_t count);
void gcn_enable_scratch(struct gcn_func *f);              /* frame.c */
uint32_t gcn_count_saved_sgprs(const struct gcn_func *f); /* frame.c */
bool gcn_layout_variables(struct gcn_func *f);            /* frame.c */
void gcn_insert_prologue(struct gcn_func *f);             /* frame.c */
void gcn_insert_float_modes(struct gcn_func *f);          /* float_modes.c */
void gcn_insert_waits(struct gcn_func *f);                /* wait_counters.c */
/* Verifiers of the passes' results: true, or false with the first fault in why. */
bool gcn_check_registers(const struct gcn_func *f, struct text *why);
bool gcn_check_hazards(const struct gcn_func *f, struct text *why);
bool gcn_encode(struct gcn_func *f, struct amd_fragment *out, struct arena *keep); /* encode.c */

#endif
