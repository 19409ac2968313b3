/* SPDX-License-Identifier: MIT */
/*
 * The intermediate representation: typed SSA over a control-flow graph, vendor-neutral, with a text
 * form that can be printed, parsed and compared. A value's type is its width alone; each operation
 * defines how it interprets the bits. Instructions, values, blocks and mutable registers are 32-bit
 * ids into tables of their function. Id 0 means "none", and a table's count includes slot 0: loops
 * over ids run from 1 to count - 1.
 */
#ifndef SOV_COMPILER_IR_H
#define SOV_COMPILER_IR_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "libsov/compiler/base/arena.h"
#include "libsov/compiler/base/diag.h"

typedef uint32_t ir_val;   /* value */
typedef uint32_t ir_id;    /* instruction */
typedef uint32_t ir_block; /* block */

enum ir_type { IR_VOID, IR_B1, IR_B8, IR_B16, IR_B32, IR_B64, IR_TYPE_COUNT };

enum ir_op {
#define OP(name, text, args, results, rule, types, attributes, properties) IR_##name,
#include "libsov/compiler/ir/ops.h"
	IR_OP_COUNT
};

/* Type rules, attributes and properties: see ops.h. */
enum ir_rule {
	R_SAME,
	R_CMP,
	R_SELECT,
	R_SHIFT,
	R_WIDE,
	R_CONVERT,
	R_PACK,
	R_UNPACK,
	R_LEAF,
	R_LOAD,
	R_STORE,
	R_ATOMIC,
	R_CARRY,
	R_LANE,
	R_VOTE,
	R_GATHER,
	R_MATCH,
	R_COPY,
	R_MMA,
	R_GROUP,
	R_TEXTURE,
	R_CALL,
	R_NONE
};
enum {
	A_IMM = 1 << 0,   /* imm: a constant, or a byte offset added to an address */
	A_COND = 1 << 1,  /* cond */
	A_FLOAT = 1 << 2, /* format, round, flags FTZ SAT CONTRACT NAN NORMAL */
	A_SPACE = 1 << 3, /* space */
	A_MEM = 1 << 4,   /* space, scope, order, align, memtype, flags SEXT VOLATILE INVARIANT … */
	A_ORDER = 1 << 5, /* scope, order */
	A_SUB = 1 << 6,   /* sub: selects one operation of a family; each op has its own enum */
	A_FROM = 1 << 7,  /* from: argument type of a conversion */
	A_SYMBOL = 1 << 8,    /* symbol: index into the module's variables */
	A_REG = 1 << 9,       /* reg: mutable register */
	A_FUNC = 1 << 10,     /* symbol: index of a function */
	A_GEOMETRY = 1 << 11, /* geometry: enum texture_geometry */
	A_RANGE = 1 << 12,    /* range: enum texture_range */
	A_NARROW = 1 << 13,   /* flag NARROW */
	A_POLICY = 1 << 14,   /* flag POLICY */
	A_CACHE = 1 << 15,    /* evict, fetch */
	/* attributes that are printed as words */
	A_WORDS = A_COND | A_FLOAT | A_SPACE | A_MEM | A_ORDER | A_SUB | A_FROM | A_GEOMETRY |
		  A_RANGE | A_NARROW | A_POLICY | A_CACHE,
};
enum {
	T_VOID = 1 << IR_VOID,
	T_B1 = 1 << IR_B1,
	T_B32 = 1 << IR_B32,
	T_B64 = 1 << IR_B64,
	T_WORD = T_B32 | T_B64,
	T_HALVES = T_WORD | 1 << IR_B16,
	T_FLOAT = T_HALVES,
	T_INT = T_HALVES | 1 << IR_B8,
	T_BITS = T_INT | T_B1,
};
enum { P_PURE = 1, P_COMM = 2, P_READ = 4, P_WRITE = 8, P_CONV = 16, P_TERM = 32 };
#define IR_VARIADIC        255
#define IR_MAX_ELEMENTS    4    /* of a vector load or store */
#define IR_MAX_RESULTS     128  /* of a call */
#define IR_MAX_STACK_ALIGN 1024 /* of an alloca */
#define IR_MAX_CLUSTER     256  /* blocks: a rank has eight bits (cluster.h) */

struct ir_op_info {
	const char *text;
	uint8_t args, results, rule, types, properties;
	uint16_t attributes;
};
extern const struct ir_op_info ir_ops[IR_OP_COUNT];

/* Integer conditions are signed or unsigned; float conditions are ordered (eq … ge), unordered
 * (…u: also true for NaN), num (neither is NaN) or nan (one is). */
enum ir_cond {
	IR_EQ,
	IR_NE,
	IR_LT_S,
	IR_LE_S,
	IR_GT_S,
	IR_GE_S,
	IR_LT_U,
	IR_LE_U,
	IR_GT_U,
	IR_GE_U,
	IR_FEQ,
	IR_FNE,
	IR_FLT,
	IR_FLE,
	IR_FGT,
	IR_FGE,
	IR_FEQU,
	IR_FNEU,
	IR_FLTU,
	IR_FLEU,
	IR_FGTU,
	IR_FGEU,
	IR_FNUM,
	IR_FNAN,
	IR_COND_COUNT
};
enum ir_round { IR_RN, IR_RZ, IR_RM, IR_RP }; /* nearest even, to zero, down, up */
enum ir_format {
	IR_BY_WIDTH,
	IR_BF16,
	IR_F16X2,
	IR_BF16X2,
	IR_TF32,
	IR_E4M3X2,
	IR_E5M2X2 /* storage-only formats: ftof alone accepts them */
};
enum ir_approx {
	IR_APPROX_RCP,
	IR_APPROX_SQRT,
	IR_APPROX_RSQRT,
	IR_APPROX_SIN,
	IR_APPROX_COS,
	IR_APPROX_EX2,
	IR_APPROX_LG2,
	IR_APPROX_TANH,
	IR_APPROX_COUNT
};
/* Dot products of four bytes by four bytes, or of two halves by two bytes. The letters give the
 * signedness of the operation's first and second argument. */
enum ir_dot {
	IR_DOT4_UU,
	IR_DOT4_US,
	IR_DOT4_SU,
	IR_DOT4_SS,
	IR_DOT2LO_UU,
	IR_DOT2LO_US,
	IR_DOT2LO_SU,
	IR_DOT2LO_SS,
	IR_DOT2HI_UU,
	IR_DOT2HI_US,
	IR_DOT2HI_SU,
	IR_DOT2HI_SS,
	IR_DOT_COUNT
};
enum ir_space {
	IR_GENERIC_SPACE,
	IR_GLOBAL,
	IR_SHARED,
	IR_LOCAL,
	IR_CONSTANT,
	IR_PARAM,
	/* Shared memory of all blocks of the cluster: a space of addresses only, whose memory is
	 * accessed by generic addresses (cluster.h). */
	IR_SHARED_CLUSTER,
	IR_SPACE_COUNT
};
enum ir_scope { IR_SCOPE_NONE, IR_SCOPE_CTA, IR_SCOPE_CLUSTER, IR_SCOPE_GPU, IR_SCOPE_SYS };
enum ir_order { IR_WEAK, IR_RELAXED, IR_ACQUIRE, IR_RELEASE, IR_ACQ_REL, IR_SEQ_CST };
enum ir_atom {
	IR_ATOM_ADD,
	IR_ATOM_MIN_U,
	IR_ATOM_MIN_S,
	IR_ATOM_MAX_U,
	IR_ATOM_MAX_S,
	IR_ATOM_INC,
	IR_ATOM_DEC,
	IR_ATOM_AND,
	IR_ATOM_OR,
	IR_ATOM_XOR,
	IR_ATOM_EXCH,
	IR_ATOM_FADD,
	IR_ATOM_FMIN,
	IR_ATOM_FMAX,
	IR_ATOM_COUNT
};
enum ir_matrix { IR_MATRIX_ROWS, IR_MATRIX_COLUMNS, IR_MATRIX_COUNT };
enum ir_arrive {
	IR_ARRIVE,
	IR_ARRIVE_DROP,
	IR_ARRIVE_NOCOMPLETE,
	IR_ARRIVE_DROP_NOCOMPLETE,
	IR_ARRIVE_EXPECT,
	IR_ARRIVE_COMPLETE,
	IR_ARRIVE_COUNT
};
enum ir_test { IR_TEST_NOW, IR_TEST_TRY, IR_TEST_COUNT };
enum ir_copyarrive { IR_COPYARRIVE_COUNTED, IR_COPYARRIVE_NOINC, IR_COPYARRIVE_COUNT };
/* Where a bulk copy goes: from global to shared memory, back, within shared memory, or from global
 * to shared memory of several blocks. */
#define IR_BULK_BYTES 16 /* which the addresses and sizes of bulk copies are multiples of */
enum ir_bulk {
	IR_BULK_TO_SHARED,
	IR_BULK_TO_GLOBAL,
	IR_BULK_IN_SHARED,
	IR_BULK_MULTICAST,
	IR_BULK_COUNT
};
/* tensorcopy: what it does, and its imm: the number of dimensions, and flags. */
enum ir_tensor {
	IR_TENSOR_LOAD,
	IR_TENSOR_STORE,
	IR_TENSOR_ADD, /* and the following: combines elements with those of the tensor */
	IR_TENSOR_MIN,
	IR_TENSOR_MAX,
	IR_TENSOR_INC,
	IR_TENSOR_DEC,
	IR_TENSOR_AND,
	IR_TENSOR_OR,
	IR_TENSOR_XOR,
	IR_TENSOR_COUNT
};
#define IR_TENSOR_RANK      7 /* mask */
#define IR_TENSOR_MAX_RANK  5
#define IR_TENSOR_IM2COL    8
#define IR_TENSOR_MULTICAST 16
enum ir_bulkwait { IR_BULKWAIT_WRITTEN, IR_BULKWAIT_READ, IR_BULKWAIT_COUNT };
/* Bytes of an asynchronous copy; _L2: L1 shall not keep them. */
enum ir_copy { IR_COPY_4, IR_COPY_8, IR_COPY_16, IR_COPY_16_L2, IR_COPY_COUNT };
enum ir_shuffle {
	IR_SHUFFLE_UP,
	IR_SHUFFLE_DOWN,
	IR_SHUFFLE_BFLY,
	IR_SHUFFLE_IDX,
	IR_SHUFFLE_COUNT
};
enum ir_vote { IR_VOTE_ALL, IR_VOTE_ANY, IR_VOTE_UNI, IR_VOTE_BALLOT, IR_VOTE_COUNT };
enum ir_reduce {
	IR_REDUCE_ADD,
	IR_REDUCE_MIN_U,
	IR_REDUCE_MIN_S,
	IR_REDUCE_MAX_U,
	IR_REDUCE_MAX_S,
	IR_REDUCE_AND,
	IR_REDUCE_OR,
	IR_REDUCE_XOR,
	IR_REDUCE_COUNT
};
enum ir_barrier { IR_BARRIER_SYNC, IR_BARRIER_ARRIVE, IR_BARRIER_COUNT };
enum ir_cluster_barrier { IR_CLUSTER_ARRIVE, IR_CLUSTER_WAIT, IR_CLUSTER_BARRIER_COUNT };
enum ir_barrier_red { IR_BARRIER_AND, IR_BARRIER_OR, IR_BARRIER_POPC, IR_BARRIER_RED_COUNT };
enum ir_clock { IR_CLOCK_CYCLES, IR_CLOCK_NANOSECONDS, IR_CLOCK_COUNT };
enum ir_sreg {
	IR_TID_X,
	IR_TID_Y,
	IR_TID_Z,
	IR_NTID_X,
	IR_NTID_Y,
	IR_NTID_Z,
	IR_CTAID_X,
	IR_CTAID_Y,
	IR_CTAID_Z,
	IR_NCTAID_X,
	IR_NCTAID_Y,
	IR_NCTAID_Z,
	IR_LANEID,
	IR_LANEMASK_EQ,
	IR_LANEMASK_LT,
	IR_LANEMASK_LE,
	IR_LANEMASK_GT,
	IR_LANEMASK_GE,
	/* Uniform in a warp from here on. TOTAL_SMEM, DYNAMIC_SMEM: bytes of the block, bytes that
	 * the launch adds. RESERVED_SMEM: addresses in the part of shared memory that the system
	 * reserves: the start, an area for libraries of device code, the end of that area, and the
	 * end of the part. ENVREG: defined by the driver. */
	IR_WARPID,
	IR_NWARPID,
	IR_SMID,
	IR_NSMID,
	IR_GRIDID,
	IR_TOTAL_SMEM,
	IR_DYNAMIC_SMEM,
	IR_RESERVED_SMEM,
	IR_RESERVED_SMEM_1,
	IR_RESERVED_SMEM_END,
	IR_RESERVED_SMEM_CAP,
	/* The block's rank in its cluster, the blocks of a cluster, whether the launch says how
	 * many these are, the shape of a cluster, and clusters of the grid by axis. A launch that
	 * does not say so has clusters of one block. */
	IR_CLUSTER_CTARANK,
	IR_CLUSTER_NCTARANK,
	IR_CLUSTER_LAUNCH,
	IR_CLUSTER_NCTAID_X,
	IR_CLUSTER_NCTAID_Y,
	IR_CLUSTER_NCTAID_Z,
	IR_NCLUSTERID_X,
	IR_NCLUSTERID_Y,
	IR_NCLUSTERID_Z,
	IR_ENVREG0,
	IR_ENVREG31 = IR_ENVREG0 + 31,
	IR_SREG_COUNT
};
/* What happens to the data that an access leaves in L1: streaming data will not be accessed again
 * soon; unallocated data is not kept. bypass: L1 has no part in the access; through: neither has
 * L2. */
enum ir_evict {
	IR_EVICT_NORMAL,
	IR_EVICT_STREAMING,
	IR_EVICT_LAST,
	IR_EVICT_LAST_USE,
	IR_EVICT_UNCHANGED,
	IR_EVICT_UNALLOCATED,
	IR_EVICT_BYPASS,
	IR_EVICT_THROUGH,
	IR_EVICT_COUNT
};
/* The bytes around an access that L2 fetches with it. */
enum ir_fetch { IR_FETCH_NONE, IR_FETCH_64, IR_FETCH_128, IR_FETCH_256, IR_FETCH_COUNT };
/* sub of sample: coordinates are f32, or the integers of a texel; of the base level, or of the
 * level that an argument is or that gradients give */
enum ir_sample {
	IR_SAMPLE_FILTERED,
	IR_SAMPLE_TEXEL,
	IR_SAMPLE_LEVEL,
	IR_SAMPLE_TEXEL_LEVEL,
	IR_SAMPLE_GRADIENT,
	IR_SAMPLE_COUNT
};
enum {
	IR_FTZ = 1 << 0,
	IR_SAT = 1 << 1,
	IR_CONTRACT = 1 << 2, /* may be fused into an fma */
	IR_SEXT_MEM = 1 << 3, /* a narrow load sign-extends */
	IR_VOLATILE = 1 << 4,
	/* no store to this address while the kernel runs: the load is pure */
	IR_INVARIANT = 1 << 5,
	IR_NAN = 1 << 6, /* fmin, fmax: a NaN argument makes the result NaN */
	/* approx: the treatment of subnormals does not matter, with or without ftz */
	IR_NORMAL = 1 << 7,
	IR_OFFSET = 1 << 9,     /* sample, gather4: an argument is added to the coordinates */
	IR_COMPARE = 1 << 10,   /* … an argument is compared with texels */
	IR_FORMATTED = 1 << 11, /* surfstore, surfreduce: of channels, x counts texels */
	IR_SAMPLER = 1 << 12,   /* sample, gather4: the last argument is the sampler's handle */
	/* an invariant load may be executed at any time, since its address is always readable */
	IR_DEREFERENCEABLE = 1 << 13,
	IR_NARROW = 1 << 14, /* the product fits the lower half; undefined if not */
	IR_POLICY = 1 << 15, /* the last argument, b64, is a cache policy */
};

struct ir_inst {
	uint8_t op;   /* enum ir_op */
	uint8_t type; /* T of the type rule */
	uint8_t nres;
	uint32_t nargs;
	ir_val res; /* first result; result k is res + k */
	ir_val *args;
	ir_block block; /* 0: not in a block */
	ir_id prev, next;
	uint64_t imm;
	uint32_t symbol; /* variable, mutable register or function */
	uint8_t sub, cond, round, format;
	uint8_t space, scope, order;
	uint8_t from;            /* argument type of a conversion; type in memory of an A_MEM op */
	uint8_t geometry, range; /* of a texture or surface */
	uint8_t evict, fetch;    /* enum ir_evict, enum ir_fetch */
	uint16_t flags;          /* IR_FTZ … */
	uint32_t align;          /* bytes, power of two */
	uint32_t line;           /* source line; 0: none */
};

struct ir_value {
	ir_id def;
	uint8_t type;
};

struct ir_bb {
	const char *name; /* label from the source; NULL: printed as bN by layout position */
	ir_id first, last;
	ir_block succ[2];
	uint8_t nsucc;
	ir_block *preds;
	uint32_t npreds, preds_capacity;
	/* loop header: the source forbids unrolling (PTX .pragma "nounroll") */
	bool rolled;
	ir_block prev, next; /* layout order; the entry block comes first and has no predecessors */
};

/* A relocation in a variable's initial bytes: some bytes of an address, from byte shift / 8 of it
 * on. */
struct ir_address {
	uint64_t offset;        /* in the variable */
	uint32_t target;        /* variable or function */
	bool function, generic; /* generic: a generic address, else one in the target's space */
	uint8_t bytes, shift;
	uint64_t addend;
};

/* Number of consecutive relocations at @a that together hold one 64-bit address, which PTX may
 * store byte by byte; 0 when they do not form one. */
uint32_t ir_address_parts(const struct ir_address *a, uint32_t left);

/* Who may refer to a function or variable by its name. */
enum ir_linkage { IR_LINK_STATIC, IR_LINK_VISIBLE, IR_LINK_WEAK };

struct ir_symbol {        /* a variable of the module */
	const char *name; /* unique in the module */
	uint8_t space;
	uint8_t linkage; /* enum ir_linkage; only relocatable objects use it */
	bool external;   /* dynamic shared memory; in relocatable objects also undefined */
	bool logical;    /* is accessed through its own address alone, as in logical addressing */
	uint32_t align;
	uint64_t size;
	const uint8_t *init;          /* size bytes that outlive the module; NULL: zero */
	struct ir_address *addresses; /* relocations; these bytes are zero in init */
	uint32_t naddresses;
	/* local variables: the function in whose frame they live; others: NULL */
	struct ir_func *owner;
};

struct ir_param {
	const char *name;
	uint32_t offset, size, align;
	bool pointer;
};

/* A kernel has parameters, which are memory; a function has arguments and results, which are
 * values. An external function has no body; the loader provides it. Relocatable objects may take
 * the addresses of kernels, also of external ones. A prototype is the signature of an indirect
 * call. */
enum ir_kind {
	IR_KERNEL,
	IR_FUNCTION,
	IR_EXTERNAL,
	IR_EXTERNAL_KERNEL,
	IR_PROTOTYPE,
	IR_KIND_COUNT
};

struct ir_func {
	struct ir_module *module;
	struct ir_func *next; /* next function with a body */
	const char *name;
	uint8_t kind;
	uint8_t linkage; /* enum ir_linkage; only relocatable objects use it */
	uint32_t index;  /* in the module's table */
	uint32_t order;  /* index in the table of the whole module */
	struct ir_param *params;
	uint32_t nparams, param_bytes;     /* param_bytes: end of the last parameter */
	uint8_t *arg_types, *result_types; /* enum ir_type */
	/* Alignment of the parameter or result of the source that begins with this value; 0: the
	 * value belongs to the preceding one. NULL: each value stands alone. */
	const uint8_t *arg_aligns, *result_aligns;
	const char *prototype; /* for NVIDIA's linker; NULL: follows from the types */
	uint32_t nargs, nresults;
	struct ir_inst *insts;
	uint32_t ninsts, insts_capacity;
	struct ir_value *values;
	uint32_t nvalues, values_capacity;
	struct ir_bb *blocks;
	uint32_t nblocks, blocks_capacity;
	ir_block entry, last_block;
	uint8_t *reg_types; /* by mutable register */
	uint32_t nregs, regs_capacity;
	uint32_t max_threads[3], required_threads[3], min_ctas, max_registers; /* 0: not stated */
	/* Blocks of a cluster by axis, x 0: not stated; their maximum, 0: not stated; whether every
	 * launch has clusters. */
	uint32_t cluster[3], max_cluster;
	bool explicit_cluster;
	bool ssa; /* no read or write of a mutable register is left */
	/* handles of textures name their samplers, which need not have the texture's number */
	bool independent_samplers;
	/* an outlined function that is hardly ever called: callers spill nothing across calls of
	 * it; it calls none, and its lanes return together */
	bool preserve_all;
	/* a preserve_all function that contains a warp sync: its lanes wait for lanes of other
	 * callers */
	bool syncs_warp;
};

/* From this line of the PTX text on, code was compiled from this source location (.loc). */
struct ir_source_loc {
	uint32_t text_line, file, line, column;
};

#define IR_SLOW_KINDS 112

struct ir_module {
	struct arena *arena;
	struct ir_func *funcs, *last_func; /* those with a body, in order */
	struct ir_func **table;            /* all of them, by index */
	uint32_t nfuncs, table_capacity;
	struct ir_symbol *symbols;
	uint32_t nsymbols, symbols_capacity;
	struct ir_source_loc *source_locs; /* sorted by text_line */
	uint32_t nsource_locs, source_locs_capacity;
	/* outlined slow paths (slow_paths.c); NULL: expanded inline */
	struct ir_func *slow[IR_SLOW_KINDS];
	const char **files; /* by number; NULL: not named */
	uint32_t nfiles, files_capacity;
	const struct ir_call_facts *call_facts; /* by function (call_graph.c); NULL: unknown */
	uint32_t ncall_facts;
	/* Blocks may be in clusters: addresses of shared variables contain the block's rank, and
	 * generic addresses may reach the shared memory of other blocks (cluster.h). */
	bool clusters;
	bool relocatable; /* other modules may call the visible functions */
	/* Instructions that inlining added to all functions, and how many it may add; limit 0: not
	 * yet determined. */
	uint64_t inlined, inline_limit;
};

/* Facts about operations, derived from the rows of ops.h (ops.c). */
uint32_t ir_type_bits(enum ir_type t);
enum ir_type ir_type_half(enum ir_type t); /* IR_VOID: none */
extern const char *const ir_type_names[IR_TYPE_COUNT];
extern const char *const ir_space_names[IR_SPACE_COUNT];
/* Type of argument or result k. IR_VOID: an address, b32 or b64. IR_TYPE_COUNT: the callee's
 * signature determines it. */
enum ir_type ir_arg_type(const struct ir_inst *in, uint32_t k);
uint32_t ir_max_results(enum ir_op op); /* of an op with a variable number of them */
enum ir_type ir_result_type(const struct ir_inst *in, uint32_t k);
/* Copies of tensors: arguments before the coordinates, and all of them by imm; 0: no such copy. */
uint32_t ir_tensor_coordinates(const struct ir_inst *in);
uint32_t ir_tensor_args(const struct ir_inst *in);
/* Arguments other than a cache policy. */
uint32_t ir_data_args(const struct ir_inst *in);
void ir_drop_policy(struct ir_inst *in);
uint32_t ir_successors(enum ir_op op); /* successors of a block that ends in op */
/* Coordinates of a texture or surface that an instruction names, with the layer. */
uint32_t ir_texture_coordinates(const struct ir_inst *in);
/* Derivatives of one direction: coordinates without the layer. */
uint32_t ir_texture_axes(const struct ir_inst *in);
/* Arguments of a texture or surface up to the elements of a store or reduction. */
uint32_t ir_texture_args(const struct ir_inst *in);
/* Index of the address among the arguments, or -1 when imm alone is the address. */
int ir_address_arg(const struct ir_inst *in);
/* Whether the function's frame has a dynamic size: alloca, stacksave, stackrestore. */
bool ir_has_dynamic_frame(const struct ir_func *f);

/* An attribute that is one word of a list: drives the printer, the parser and the verifier. */
struct ir_field {
	uint16_t attributes;      /* ops with one of these attributes have the field, */
	uint8_t op;               /* restricted to this op unless IR_OP_COUNT */
	uint8_t offset;           /* of the byte in struct ir_inst */
	uint8_t first, count;     /* range of values */
	const char *const *names; /* by value - first; "" prints no word */
};
extern const struct ir_field ir_fields[];
extern const uint32_t ir_nfields;
bool ir_has_field(const struct ir_field *f, enum ir_op op);
extern const struct ir_flag {
	const char *name;
	uint16_t attribute;
	uint16_t bit;
} ir_flags[];
extern const uint32_t ir_nflags;

/* Kind of a warp sync (shuffle.idx, vote.any, …); 0: the instruction is none. Lanes that execute
 * the same kind with the same member mask take part in one warp sync, even at different
 * instructions. */
#define IR_SYNC_KINDS 22
uint32_t ir_sync_kind(const struct ir_inst *in);

/* Building (build.c). A pointer into a table is valid until the next call that adds to the
 * table. */
struct ir_module *ir_module_new(struct arena *a);
struct ir_func *ir_func_new(struct ir_module *m, const char *name); /* a kernel */
/* Declares a function without a body; ir_func_define gives it one. */
struct ir_func *ir_function_new(struct ir_module *m, enum ir_kind kind, const char *name,
				const uint8_t *args, uint32_t nargs, const uint8_t *results,
				uint32_t nresults);
void ir_func_define(struct ir_func *f);
/* reserves table space for about count instructions */
void ir_func_reserve(struct ir_func *f, uint32_t count);
uint32_t ir_symbol_new(struct ir_module *m, const struct ir_symbol *s); /* index, from 0 */
ir_block ir_block_new(struct ir_func *f, const char *name);             /* appended to the layout */
ir_block ir_block_new_before(struct ir_func *f, ir_block where, const char *name);
/* Removes a block from the layout with its instructions and edges. */
void ir_block_remove(struct ir_func *f, ir_block b);
/* Merges block b with its only successor, which has no phis and no other predecessor. */
void ir_block_join(struct ir_func *f, ir_block b);
uint32_t ir_reg_new(struct ir_func *f, enum ir_type type);
/* Creates an instruction outside of any block. The op's row determines its results (nres for
 * variadic ops). Attributes are zero, except that a memory operation starts naturally aligned with
 * T in memory. */
ir_id ir_inst_new(struct ir_func *f, enum ir_op op, enum ir_type type, const ir_val *args,
		  uint32_t nargs, uint32_t nres);
/* The same for call and callptr: the results are the callee's. */
ir_id ir_call_new(struct ir_func *f, enum ir_op op, const struct ir_func *callee,
		  const ir_val *args, uint32_t nargs);
void ir_append(struct ir_func *f, ir_block b, ir_id i);
void ir_insert_before(struct ir_func *f, ir_id where, ir_id i);
/* takes it out of its block; its results must be unused */
void ir_remove(struct ir_func *f, ir_id i);
void ir_edge(struct ir_func *f, ir_block from, ir_block to); /* appends a successor */
/* Removes one edge, and the phi arguments in @to that belong to it. */
void ir_edge_remove(struct ir_func *f, ir_block from, ir_block to);
/* The edge keeps its index among from's successors. The phis of old_to lose an argument; the caller
 * appends one to each phi of new_to (ir_arg_append). */
void ir_edge_redirect(struct ir_func *f, ir_block from, ir_block old_to, ir_block new_to);
void ir_arg_append(struct ir_func *f, ir_id i, ir_val v);
void ir_replace_uses(struct ir_func *f, ir_val of, ir_val with);
/* appended to the block */
ir_val ir_const(struct ir_func *f, ir_block b, enum ir_type t, uint64_t value);

/* Source location of a line of the PTX text; NULL: unknown. */
const struct ir_source_loc *ir_source_loc_of(const struct ir_module *m, uint32_t text_line);

static inline bool ir_is_kernel(const struct ir_func *f)
{
	return f->kind == IR_KERNEL || f->kind == IR_EXTERNAL_KERNEL;
}
static inline struct ir_inst *ir_at(const struct ir_func *f, ir_id i)
{
	return &f->insts[i];
}
static inline struct ir_inst *ir_def(const struct ir_func *f, ir_val v)
{
	return &f->insts[f->values[v].def];
}
static inline bool ir_is_const(const struct ir_func *f, ir_val v, uint64_t *value)
{
	const struct ir_inst *d = ir_def(f, v);

	if (d->op != IR_CONST)
		return false;
	*value = d->imm;
	return true;
}

#define ir_for_each_block(f, b)   for (ir_block b = (f)->entry; b; b = (f)->blocks[b].next)
#define ir_for_each_inst(f, b, i) for (ir_id i = (f)->blocks[b].first; i; i = (f)->insts[i].next)
#define ir_for_each_inst_safe(f, b, i) \
	for (ir_id i = (f)->blocks[b].first, i##_next = i ? (f)->insts[i].next : 0; i; \
	     i = i##_next, i##_next = i ? (f)->insts[i].next : 0)

/* Text (ir_print.c, ir_parse.c): ir_parse(ir_print(m)) equals m up to numbering. The printer
 * numbers values, registers and unnamed blocks in layout order and omits source lines. The parser
 * returns NULL after errors and sets ssa on functions without read and write. */
void ir_print(const struct ir_module *m, FILE *out);
void ir_print_func(const struct ir_func *f, FILE *out);
/* allocated in the arena, as are the next two */
char *ir_text(const struct ir_module *m);
char *ir_text_inst(const struct ir_func *f, ir_id i);           /* one line, without the newline */
const char *ir_text_block(const struct ir_func *f, ir_block b); /* its label */
struct ir_module *ir_parse(struct arena *a, const char *text, size_t length, struct diag *d);

/* Verifier (ir_verify.c): returns false and reports one message per fault. */
bool ir_verify(const struct ir_module *m, struct diag *d);
bool ir_verify_func(const struct ir_func *f, struct diag *d);

/* Control-flow analysis (cfg.c). Arrays are indexed by block and allocated in the arena. */
struct ir_cfg {
	uint32_t nrpo;
	ir_block *rpo;                   /* reverse postorder of the reachable blocks */
	uint32_t *rpo_index;             /* UINT32_MAX: unreachable */
	ir_block *idom;                  /* immediate dominator; 0 for the entry */
	uint32_t *dom_enter, *dom_leave; /* preorder interval of the block's dominator subtree */
	ir_block *ipdom;                 /* immediate postdominator; 0: the end of the kernel */
	uint32_t *loop_depth;            /* number of natural loops around the block */
	ir_block *loop_header; /* header of the innermost loop; 0: none; a header maps to itself */
	ir_block *loop_parent; /* by header: header of the enclosing loop; 0: none */
};
struct ir_cfg *ir_cfg_build(const struct ir_func *f);
bool ir_dominates(const struct ir_cfg *c, ir_block a, ir_block b); /* reflexive */
bool ir_in_loop(const struct ir_cfg *c, ir_block b, ir_block header);

/* Divergence analysis (divergence.c): values that differ between the lanes of a warp, and branches
 * at which lanes diverge. */
struct ir_divergence {
	bool *value;  /* by value */
	bool *branch; /* by block: its terminator is divergent */
};
struct ir_divergence *ir_divergence_compute(const struct ir_func *f, const struct ir_cfg *c);

#endif
