/* SPDX-License-Identifier: MIT */
/*
 * Machine IR for AMD GPUs: instructions of libsov/isa/amd over virtual registers, in blocks.
 *
 * A virtual register is scalar or vector and has 1 to 16 words, which become consecutive registers.
 * An operand names a register and its first word, so the halves of a 64-bit value are read and
 * written without moves. What an instruction reads and writes comes from amd_uses, the ISA's table.
 *
 * There are two graphs. Lanes follow the program's edges; the wave follows the machine's jumps, one
 * block after the other with the lanes that want it (control.c). A vector register is each lane's
 * own, so it lives along the program's edges; a scalar one is the wave's, so it lives along the
 * machine's.
 */
#ifndef SOV_COMPILER_AMD_MIR_H
#define SOV_COMPILER_AMD_MIR_H

#include "libsov/compiler/amd/module.h"
#include "libsov/compiler/driver/compiler.h"
#include "libsov/compiler/ir/ir.h"
#include "libsov/isa/amd/amd_row.h"

/* Lanes hold words of scalar registers that were spilled, 32 in a vector register that is their bank. */
enum gcn_class { GCN_SCALAR, GCN_VECTOR, GCN_LANE, GCN_CLASSES };
#define GCN_BANK_LANES        32
#define GCN_MOST_BANKS        32
#define GCN_LANES             (GCN_BANK_LANES * GCN_MOST_BANKS)
#define GCN_SGPRS             104 /* s0–s103 */
#define GCN_FAR               104 /* s[104:105]: where a jump goes that is farther than an instruction can say */
#define GCN_VGPRS             256
#define GCN_FEW_SGPRS         40 /* what the switch "spill" leaves */
#define GCN_FEW_VGPRS         40
#define GCN_FEW_VGPRS_CALLING 48 /* eight of them outlive calls */
#define GCN_MAX_PASSED        8  /* registers that a call reads or writes beside its operands */
#define GCN_MAX_USES          (AMD_MAX_USES + GCN_MAX_PASSED)

/* Where calls have what (calls.c). */
#define GCN_STACK          32 /* s32: the first byte of scratch that is free */
#define GCN_FRAME          33 /* s33: where the function's frame begins, if it calls others */
#define GCN_PASSED_HIDDEN  8  /* s[8:9] */
#define GCN_PASSED_GROUP   12 /* s12 to s14 */
#define GCN_PASSED_THREADS 31 /* v31 */
#define GCN_RETURN_TO      30 /* s[30:31] */
#define GCN_PASSED_WORDS   31 /* v0 to v30; others are in memory, from the stack's end on */

struct gcn_ref {
	uint32_t vreg; /* 0: none */
	uint8_t part;  /* first word */
};

/* What an operand may be: a word of a virtual register, or a number as the ISA has it. */
struct gcn_src {
	struct gcn_ref ref; /* vreg 0: reg stands for itself */
	uint16_t reg;
	uint32_t literal;
};

struct gcn_vreg {
	uint8_t class, words;
	bool fetched;    /* holds what was spilled for one instruction: cannot be spilled again */
	bool everywhere; /* lives from the first to the last instruction */
	bool assigned;
	bool comes; /* holds something when the function starts */
	bool phi; /* keeps what the way that lanes came by gave it, which may have been long ago */
	int16_t fixed; /* the register that it comes in, or is passed in; -1: any */
	uint16_t reg;  /* once assigned: of its first word, from 0 in its class */
	uint32_t hint; /* a register that it is copied from or to */
	uint32_t first_unit;
};

/* Bits of the mode register that arithmetic depends on: rounding as in MODE, and whether singles, or
 * halves with doubles, are flushed when they are subnormal. */
enum { GCN_ROUND = 3, GCN_FLUSH = 4, GCN_FLUSH_HALVES = 8, GCN_MODE_ANY = 16 };

/* A run of words of one register that an instruction reads or writes. */
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
	uint32_t far;    /* block: it adds half of the distance to it (encode.c) */
	uint8_t mode;    /* GCN_MODE_ANY: does not care */
	bool copy;
	bool call; /* to a function, which changes all registers that are not kept for its caller */
	uint8_t npassed;
	struct gcn_use
		*passed; /* with a call, or a return: registers that carry something across */
	struct {
		bool there, high;
		uint8_t target; /* enum amd_target */
		uint32_t index;
		int64_t addend;
	} address; /* its literal is half of a distance to this */
	uint32_t line, number, offset;
};

struct gcn_block {
	struct gcn_inst *first, *last;
	uint32_t succ[2], nsucc;   /* of the program; none where lanes do not come */
	uint32_t jumps[4], njumps; /* of the machine */
	uint32_t next;             /* in the layout, 0: last */
	uint32_t depth;            /* loops around it */
	uint32_t begin, end;       /* places of its first instruction and behind its last */
	uint64_t *live_in, *live_out;
};

/* What a function finds in registers when it starts: kernels as HSA has it (abi.h), others as calls.c has it. */
enum gcn_come {
	GCN_KERNARG,
	GCN_GROUP_X,
	GCN_GROUP_Y,
	GCN_GROUP_Z,
	GCN_THREAD_X,
	GCN_THREAD_Y,
	GCN_THREAD_Z,
	GCN_HIDDEN,  /* address of the hidden arguments */
	GCN_THREADS, /* numbers of the thread, ten bits each */
	GCN_RETURN,  /* address to return to */
	GCN_ARGS,    /* words of arguments */
	GCN_COMES,
};

/* Services are told which thread it is, and nothing more: they are compiled without their callers. */
#define GCN_SERVICES_WANT \
	(1 << GCN_GROUP_X | 1 << GCN_GROUP_Y | 1 << GCN_GROUP_Z | 1 << GCN_THREADS)

/* What the functions of a unit have in common. */
struct gcn_unit {
	struct ir_module *m;
	bool by_address;   /* functions are called by addresses */
	bool exits;        /* a function, or what it calls, may end lanes */
	uint16_t wants;    /* mask by enum gcn_come: what functions want to know from the kernel */
	uint32_t hidden;   /* mask by enum amd_hidden: those that functions read */
	uint32_t services; /* mask: those that functions call */
	bool *shared; /* by symbol: variables that functions, or kernels that call, have in LDS */
	uint32_t
		barriers; /* 1 + symbol of words for barriers that the machine lacks, 0: there are none */
	bool counter; /* … and a counter for reductions at barriers */
	uint32_t stack_align;
	struct gcn_func **funcs; /* by index: compiled */
};

struct gcn_func {
	struct compile_job *job;
	struct arena *arena;
	const struct amd_plan *plan;
	struct ir_func *ir;
	struct gcn_unit *unit;
	bool calls; /* others, or moves its stack */
	struct gcn_vreg *vregs;
	uint32_t nvregs, vregs_capacity;
	struct gcn_block *blocks; /* numbered as in the IR, then new ones */
	uint32_t nblocks, blocks_capacity;
	uint32_t first, last; /* in the layout */
	uint32_t nunits;
	uint32_t *unit_vreg;
	struct amd_initial_state start;
	uint32_t hidden;
	uint32_t come[GCN_COMES]; /* registers that hold these at the start, 0: not wanted */
	uint32_t arg_kept[GCN_PASSED_WORDS]; /* … words of arguments, each for itself */
	uint32_t kept[GCN_COMES]; /* … and later: not the same where calls come between */
	uint32_t alive;           /* register with the lanes that have not ended, 0: nobody asks */
	uint32_t entered;  /* register with the lanes that were on at the start, 0: nobody asks */
	uint32_t returned; /* register with the lanes that have returned, 0: those that are on */
	uint32_t nsaves;   /* the first lanes hold so many scalar registers of the caller */
	uint64_t used[GCN_CLASSES][GCN_VGPRS / 64]; /* once assigned: which registers are written */
	uint32_t services;                          /* that it calls: a mask */
	uint32_t frame_bytes, lds_bytes, lds_align;
	uint32_t counter_at;                    /* in LDS: what reductions at barriers count with */
	uint32_t *symbol_offset;                /* of shared and local variables */
	uint32_t banks[GCN_MOST_BANKS], nbanks; /* registers whose lanes hold scalar ones */
	uint32_t vgprs, sgprs, vgpr_spills, sgpr_spills; /* used, once assigned */
};

#define gcn_for_each_block(f, b) for (uint32_t b = (f)->first; b; b = (f)->blocks[b].next)
#define gcn_for_each(f, b, i)    for (struct gcn_inst *i = (f)->blocks[b].first; i; i = i->next)
#define gcn_for_each_safe(f, b, i) \
	for (struct gcn_inst *i = (f)->blocks[b].first, *i##_next = i ? i->next : NULL; i; \
	     i = i##_next, i##_next = i ? i->next : NULL)

/* Building (mir.c). */
uint32_t gcn_vreg_new(struct gcn_func *f, enum gcn_class class, uint32_t words);
uint32_t gcn_block_new(struct gcn_func *f);
void gcn_place_block(struct gcn_func *f, uint32_t b); /* last in the layout */
/* before NULL: at the end. */
void gcn_insert(struct gcn_func *f, uint32_t b, struct gcn_inst *before, struct gcn_inst *i);
void gcn_remove(struct gcn_func *f, uint32_t b, struct gcn_inst *i);
struct gcn_inst *gcn_inst_new(struct gcn_func *f, enum amd_op op, enum amd_form form);
void gcn_set(struct gcn_func *f, struct gcn_inst *i, enum amd_slot slot, struct gcn_src s);
/* A scalar instruction at the end of a block. */
struct gcn_inst *gcn_scalar(struct gcn_func *f, uint32_t b, enum amd_op op, struct gcn_src d,
			    struct gcn_src x, struct gcn_src y);
/* One word from one place to another, whatever kinds they are, before an instruction. */
struct gcn_inst *gcn_move(struct gcn_func *f, uint32_t b, struct gcn_inst *before, struct gcn_src d,
			  struct gcn_src s);
void gcn_jump(struct gcn_func *f, uint32_t b, enum amd_op op, uint32_t target);
struct gcn_src gcn_imm(uint32_t value);
static inline struct gcn_src gcn_reg(uint16_t reg)
{
	return (struct gcn_src){.reg = reg};
}
struct gcn_src gcn_at(const struct gcn_func *f, uint32_t vreg, uint32_t part);
static inline struct gcn_src gcn_none(void)
{
	return gcn_reg(AMD_NONE);
}
static inline bool gcn_same(struct gcn_src a, struct gcn_src b)
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
/* A register of so many words that has to be that one, for what is passed. */
uint32_t gcn_passed(struct gcn_func *f, enum gcn_class class, uint32_t words, uint32_t reg);
/* With a call or a return: so many words of this register are carried in or out. */
void gcn_carry(struct gcn_func *f, struct gcn_inst *i, uint32_t vreg, uint32_t words, bool write);
/* What came in a register; calls may come between. */
struct gcn_src gcn_come(struct gcn_func *f, enum gcn_come what, enum gcn_class class,
			uint32_t words);
/* Whether callees leave a register as it is. Lanes are in banks, which are such registers. */
static inline bool gcn_outlives_calls(enum gcn_class class, uint32_t reg)
{
	return class == GCN_SCALAR ? reg > GCN_STACK
				   : class == GCN_LANE || (reg >= 40 && reg % 16 >= 8);
}
static inline uint32_t gcn_unit(const struct gcn_func *f, struct gcn_ref r)
{
	return f->vregs[r.vreg].first_unit + r.part;
}
static inline bool gcn_has(const uint64_t *set, uint32_t unit)
{
	return set[unit / 64] >> unit % 64 & 1;
}

char *gcn_text(const struct gcn_func *f); /* in the arena (print.c) */

/* Control flow, decided on the IR (control.c). */
struct gcn_loop {
	ir_block header;
	uint32_t begin, end; /* places in the order */
	uint32_t parent;     /* 1 + number of the loop around it, 0: none */
};
/* A branch, or several of a loop, that narrow EXEC and take it back (structure.c). */
struct gcn_structure {
	ir_block branch, meet;
	ir_block loop;       /* its header; 0: it is an if */
	ir_block second;     /* of an if: where the second part begins, 0: there is one part */
	uint32_t begin, end; /* places in the order of the blocks inside */
	uint32_t parent;     /* 1 + number of the one around it, 0: none */
	bool restores;       /* takes EXEC back; otherwise the one around it does */
	bool broken;
};
struct gcn_control {
	const struct ir_func *f;
	bool calls_end; /* functions that it calls may end lanes */
	struct ir_divergence *divergence;
	ir_block *order; /* blocks one after the other, loops without gaps */
	uint32_t count;
	uint32_t *place; /* by block: in the order */
	struct gcn_loop *loops;
	uint32_t nloops, loops_capacity;
	uint32_t *loop_of;   /* by block: 1 + number of the innermost, 0: none */
	bool *masked;        /* by block: lanes may wait for it */
	uint32_t *component; /* by masked block: those that lanes may wait for at once */
	ir_block *meet;      /* by block with a divergent end: where its lanes are together again */
	struct gcn_structure *structures;
	uint32_t nstructures, structures_capacity;
	uint32_t *structure_of; /* by block: 1 + number of the innermost around it, 0: none */
	uint32_t *
		parts_as; /* by block whose end parts lanes: 1 + number of its structure, 0: none */
	uint32_t
		*waiters; /* by block: 1 + component of lanes that wait while it runs, 0: none do */
};
struct gcn_control *gcn_control_find(struct ir_func *f, bool calls_end); /* calls may end lanes */
/* Where lanes that are apart meet (meet.c). */
bool gcn_is_meeting(const struct ir_func *f, ir_block b);
/* Of a kernel: a branch there does nothing but end lanes. */
bool gcn_is_end(const struct ir_func *f, ir_block b);
bool gcn_in_loop(const struct gcn_control *c, ir_block b, uint32_t loop);
bool gcn_parts(const struct gcn_control *c, ir_block b); /* its end may part lanes */
/* Lanes that go from a block to another wait for it: no structure brings them there. */
bool gcn_waits(const struct gcn_control *c, ir_block b, ir_block s);
/* All lanes at the end of the block take the same way, and by plain jumps. */
bool gcn_together(const struct gcn_control *c, ir_block b);
void gcn_structures_find(struct gcn_control *c, struct arena *a); /* structure.c */
bool gcn_is_owned(const struct gcn_control *c, ir_block b);
ir_block gcn_owner(const struct gcn_control *c, ir_block b); /* 0: none */

/* Where a function's frame begins: the register that says it. */
static inline uint16_t gcn_frame(const struct gcn_func *f)
{
	return f->calls ? GCN_FRAME : GCN_STACK;
}

/* Functions and calls (calls.c). */
struct gcn_unit *gcn_survey(struct ir_module *m, struct arena *a);
bool gcn_calls(const struct ir_func *f);             /* others, or moves its stack */
uint32_t gcn_passing_bytes(const struct ir_func *f); /* of arguments and results in memory */
bool gcn_may_exit(const struct gcn_unit *u,
		  const struct ir_inst *in); /* a call that may end lanes */
/* Distances to functions, for calls by address (module.h). */
void gcn_function_table(const struct gcn_unit *u, struct amd_code *out, struct arena *keep);
/* A kernel's registers and stack, with those of all that it calls. */
void gcn_collect(const struct gcn_unit *u, const struct gcn_func *kernel, struct amd_piece *p);

/*
 * The stages (amd.c has their order). Those that can fail say so in job->diag and return false.
 */
void gcn_meet(struct ir_func *f); /* meet.c */
/* Whether lanes that are apart may want to meet in a function; *line: where. */
bool gcn_meets_in_calls(const struct ir_func *f, const struct gcn_control *c, uint32_t *line);
bool gcn_legalise(struct ir_func *f, const struct gcn_unit *u,
		  struct compile_job *job); /* legalise.c */
/* Barriers of some threads (legalise_barriers.c). */
void gcn_legalise_barriers(struct ir_func *f, const struct gcn_unit *u);
bool gcn_is_whole_barrier(const struct ir_func *f, const struct ir_inst *in);
uint32_t gcn_barrier_words(struct ir_module *m); /* 1 + the symbol */
void gcn_legalise_formats(struct ir_func *f);    /* conversions: legalise_formats.c */
void gcn_legalise_calls(struct ir_func *f, const struct gcn_unit *u); /* legalise_calls.c */
void gcn_masks_to_vectors(struct ir_func *f);                         /* legalise.c */
bool gcn_select(struct gcn_func *f, const struct gcn_control *c);     /* select.c */
/* results: the register that carries them out of a function (flow.c). */
void gcn_flow(struct gcn_func *f, const struct gcn_control *c, struct gcn_src *cond,
	      uint32_t results);
void gcn_sweep(struct gcn_func *f);                /* live.c: dead code */
void gcn_combine(struct gcn_func *f);              /* combine.c */
void gcn_schedule(struct gcn_func *f);             /* schedule.c */
void gcn_number_units(struct gcn_func *f);         /* live.c */
void gcn_liveness(struct gcn_func *f);             /* live.c */
bool gcn_registers(struct gcn_func *f);            /* registers.c */
void gcn_spill(struct gcn_func *f, uint32_t vreg); /* spill.c */
/* Banks for so many lanes; true: there are more now, and registers have to be assigned anew (spill.c). */
bool gcn_need_lanes(struct gcn_func *f, uint32_t count);
void gcn_need_scratch(struct gcn_func *f);                                      /* frame.c */
uint32_t gcn_scalars_to_save(const struct gcn_func *f);                         /* frame.c */
bool gcn_place_variables(struct gcn_func *f);                                   /* frame.c */
void gcn_prologue(struct gcn_func *f);                                          /* frame.c */
void gcn_modes(struct gcn_func *f);                                             /* modes.c */
void gcn_wait(struct gcn_func *f);                                              /* wait.c */
bool gcn_encode(struct gcn_func *f, struct amd_piece *out, struct arena *keep); /* encode.c */

#endif
