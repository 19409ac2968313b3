/* SPDX-License-Identifier: MIT */
/*
 * Internal interface of the PTX front end, a one-pass recursive-descent parser that lowers each
 * instruction as soon as it is read:
 *
 *   lexer.c                characters -> tokens
 *   constant_expression.c  constant expressions
 *   scope.c                the symbol table: names and their scopes
 *   parser.c               module structure: directives, kernels with their parameters
 *   variable.c             register and variable declarations
 *   initializer.c          initializers of variables
 *   function.c             functions, prototypes and their parameters
 *   body.c                 bodies: blocks, labels, predicate guards, instructions
 *   operand.c              operands of instructions
 *   keywords.c             types, modifiers and special registers
 *   instruction_table.c    the instructions, one row per form, in the notation of the PTX manual
 *   match.c                finds an instruction's row; checks modifiers, operands and types
 *   lower*.c               lowering of each row to the IR
 */
#ifndef SOV_COMPILER_PTX_FRONT_H
#define SOV_COMPILER_PTX_FRONT_H

#include "libsov/compiler/base/name_map.h"
#include "libsov/compiler/ptx/ptx.h"

/* ---- tokens ---- */

/* Punctuation is its own kind: '(' or, for two characters, PAIR('<', '<'). */
#define PAIR(first, second) ((first) << 8 | (second))
enum ptx_token_kind {
	TOKEN_END = 1 << 16,
	TOKEN_NAME,    /* add  %r1  $L__BB0_2  _ */
	TOKEN_KEYWORD, /* .version  .u32  .L1::evict_last: the dot is part of the text */
	TOKEN_INTEGER, /* 31  0x1f  037  0b11111  31U */
	TOKEN_FLOAT,   /* 0f3F800000  0d3FF0000000000000  1.0  1e3 */
	TOKEN_STRING,  /* "nounroll": the text is without the quotes */
	TOKEN_BAD,     /* reported by the lexer */
};

struct ptx_token {
	int kind;
	uint32_t line, column;
	const char *text;
	uint32_t length;
	bool is_unsigned; /* integer with suffix U, or too large for a signed one */
	uint8_t bits;     /* float: 32 or 64 when written as bits (0f, 0d), 0 when decimal */
	uint64_t integer; /* value of an integer, bits of a float (decimal: of a double) */
};

struct ptx_lexer {
	const char *at, *end, *line_start;
	uint32_t line;
	struct diag *diag; /* NULL: look ahead without reporting */
	bool truncated;    /* an unclosed comment or block was reported: report no missing tokens */
};

void ptx_lex(struct ptx_lexer *l, struct ptx_token *t);
void ptx_lex_skip(struct ptx_lexer *l); /* up to the next ';', '{' or '}' */

/* Arguments for "%.*s", truncated so that messages stay readable. */
#define TEXT(t) (int)((t)->length < 80 ? (t)->length : 80), (t)->text

/* ---- keywords ---- */

enum ptx_class { CLASS_PREDICATE, CLASS_BITS, CLASS_UNSIGNED, CLASS_SIGNED, CLASS_FLOAT };

struct ptx_type {
	const char *name; /* ".u32" */
	uint8_t class, bits, ir;
	uint8_t format; /* enum ir_format */
};

/* The kinds of modifiers. An instruction has at most one modifier of each. */
enum ptx_slot {
	SLOT_NONE, /* a modifier without a value: .sync, .wide */
	SLOT_TYPE,
	SLOT_SOURCE_TYPE,
	SLOT_ROUND,
	SLOT_FTZ,
	SLOT_SAT,
	SLOT_COMPARE,
	SLOT_BOOL,
	SLOT_SPACE,
	SLOT_SCOPE,
	SLOT_ORDER,
	SLOT_INVARIANT,
	SLOT_CACHE,
	SLOT_HINT,
	SLOT_VECTOR,
	SLOT_ATOM,
	SLOT_SHUFFLE,
	SLOT_VOTE,
	SLOT_BARRIER,
	SLOT_INTEGRAL,
	SLOT_NOFTZ,
	SLOT_RELU,
	SLOT_NAN,
	SLOT_XORSIGN,
	SLOT_CARRY,
	SLOT_WRAP,
	SLOT_DIRECTION,
	SLOT_PRMT,
	SLOT_TESTP,
	SLOT_THIRD_TYPE,
	SLOT_FINITE,
	SLOT_SCALE,
	SLOT_PLUS_ONE,
	SLOT_MMIO,
	SLOT_GEOMETRY,
	SLOT_RANGE,
	SLOT_CHANNEL,
	SLOT_QUERY,
	SLOT_COUNT
};

/* PTX's comparisons; the type selects signed, unsigned or float. */
enum ptx_compare {
	COMPARE_EQ,
	COMPARE_NE,
	COMPARE_LT,
	COMPARE_LE,
	COMPARE_GT,
	COMPARE_GE,
	COMPARE_EQU,
	COMPARE_NEU,
	COMPARE_LTU,
	COMPARE_LEU,
	COMPARE_GTU,
	COMPARE_GEU,
	COMPARE_NUM,
	COMPARE_NAN
};

enum ptx_testp {
	TESTP_FINITE,
	TESTP_INFINITE,
	TESTP_NUMBER,
	TESTP_NOTANUMBER,
	TESTP_NORMAL,
	TESTP_SUBNORMAL
};

/* Special registers beyond enum ir_sreg: clocks, which change between reads, and a constant
 * zero. SPECIAL_VECTOR + s is a vector of the three registers from s on, and zero as its fourth
 * element. */
enum ptx_special {
	SPECIAL_CLOCK = IR_SREG_COUNT,
	SPECIAL_CLOCK_HIGH,
	SPECIAL_TIMER,
	SPECIAL_TIMER_HIGH,
	SPECIAL_ZERO,
	SPECIAL_CLUSTERID_X, /* computed from other special registers, as are those below */
	SPECIAL_CLUSTERID_Y,
	SPECIAL_CLUSTERID_Z,
	SPECIAL_CLUSTER_CTAID_X,
	SPECIAL_CLUSTER_CTAID_Y,
	SPECIAL_CLUSTER_CTAID_Z,
	SPECIAL_VECTOR
};

/* .volatile is relaxed at system scope, and accesses may not be merged. */
enum { ORDER_VOLATILE = IR_SEQ_CST + 1 };
/* Values of SLOT_CACHE beside those of enum ir_evict. */
enum { CACHE_VOLATILE = IR_EVICT_COUNT };

struct ptx_keyword {
	const char *text; /* ".rn" */
	uint8_t slot, value;
};

extern const struct ptx_type ptx_types[];
extern const uint32_t ptx_type_count;
const struct ptx_type *ptx_type_find(const char *text, size_t length);
/* The slot of a group in the manual's notation (".rnd"); SLOT_COUNT: not a group. */
enum ptx_slot ptx_group_slot(const char *text, size_t length);
/* The keyword with this text in a slot, or in any slot for SLOT_COUNT; NULL: none. */
const struct ptx_keyword *ptx_keyword_find(enum ptx_slot slot, const char *text, size_t length);
extern const struct ptx_keyword ptx_keywords[];
extern const uint32_t ptx_keyword_count;
/* The special register "%tid.x": enum ir_sreg or enum ptx_special; -1: unknown, -2: unsupported. */
int ptx_special_find(const char *text, size_t length);
/* The widths that it may be read as: a sum of 16, 32 and 64. */
uint32_t ptx_special_widths(const char *text, size_t length);

/* ---- names ---- */

enum ptx_name_kind {
	NAME_REGISTER,
	NAME_RANGE /* %r<15> */,
	NAME_VARIABLE,
	NAME_PARAMETER,
	NAME_LABEL,
	NAME_FUNCTION,
	NAME_OBJECT,  /* .param variable of a function or a call */
	NAME_TARGETS, /* .branchtargets */
	NAME_CALLEES, /* .callprototype, .calltargets */
	NAME_BAD      /* already reported: do not report its uses */
};

struct ptx_name {
	const char *text;
	uint32_t length;
	uint8_t kind;
	uint32_t line, column;       /* of the declaration */
	const struct ptx_type *type; /* register, range */
	uint32_t count;              /* range */
	uint32_t reg;                /* register: IR register + 1; 0 until first used */
	ir_val cached;               /* register: its value in `block` */
	uint8_t vector;              /* register, range: elements of a .v2 or .v4; 0: a scalar */
	struct ptx_name *parts;      /* .b128: two 64-bit registers, low first; .v2 and .v4: their
				      * elements; NULL until used */
	uint32_t symbol;      /* variable: index in the module; parameter: index in the kernel */
	ir_block block;       /* label: its block; register: where `cached` is valid, 0: nowhere */
	bool external;        /* variable: declared .extern, and not defined so far */
	uint32_t align;       /* local variable: alignment that its address gets; 0: it has it */
	uint32_t element;     /* variable: bytes of an element */
	bool handle;          /* variable: .texref or .surfref, whose value is a handle */
	struct ir_func *func; /* function, prototype; NULL: a kernel */
	struct ir_func *kernel;
	const struct ptx_passing *passing; /* function, prototype; NULL: nothing is by reference */
	struct ptx_object *object;
	struct ptx_token *targets; /* names of labels or functions; `count` of them */
};

/*
 * A .param variable of a function or a call. IR registers, its cells, hold its bytes, one for a
 * scalar, one for each four bytes of an array. The cells are the arguments and results of IR
 * functions. Only a parameter whose address the function takes, and one that is too large, has
 * memory: a local variable, or one of the caller's.
 */
struct ptx_object {
	uint32_t size, ncells;
	enum ir_type cell;
	uint32_t *regs;
	uint32_t local;     /* index of the local variable's symbol + 1; 0: none */
	uint32_t reference; /* IR register with the address in local memory, + 1; 0: none */
};

/*
 * The parameters and results of a function that are in local memory of the caller, in the order of
 * the PTX function's. The addresses of such results are the IR function's first arguments.
 */
struct ptx_passed {
	bool by_reference;
	uint32_t bytes; /* 0: unsized */
};
struct ptx_passing {
	struct ptx_passed *args, *results;
	uint32_t nargs, nresults;
};

struct ptx_scope {
	struct ptx_scope *outer;
	struct name_map names, ranges; /* index in ptx.names + 1 */
};

/* ---- operands and instructions ---- */

enum ptx_operand_kind {
	OPERAND_BAD, /* already reported */
	OPERAND_REGISTER,
	OPERAND_INTEGER,
	OPERAND_FLOAT,
	OPERAND_SPECIAL,
	OPERAND_LABEL,
	OPERAND_VARIABLE,  /* address of a variable: name + value */
	OPERAND_PARAMETER, /* address of a kernel parameter */
	OPERAND_OBJECT,    /* address of a .param variable of a function or call */
	OPERAND_FUNCTION,
	OPERAND_TARGETS,
	OPERAND_VECTOR,     /* {a, b} */
	OPERAND_BIT_BUCKET, /* _ */
};

struct ptx_operand {
	struct ptx_token at; /* for messages */
	uint8_t kind;
	bool address;  /* in brackets: base (by kind) + value */
	bool negated;  /* !p */
	bool minus;    /* -r, of video instructions */
	bool unified;  /* [a].unified */
	bool indexed;  /* a[4], of a variable: its element, or the address of that */
	bool open;     /* [a, of a texture or tensor: coordinates are in the brackets, too */
	int separator; /* before it: 0, ',' or '|' */
	uint8_t bits;  /* float: as in its token */
	uint8_t special;
	bool is_unsigned;
	/* .b0 of r.b0, of video instructions: where in the operand's text; length 0: none */
	uint8_t selector_length;
	uint16_t selector_at;
	uint64_t value; /* integer, float's bits, offset */
	struct ptx_name *name;
	struct ptx_operand *elements;
	uint32_t count;
	const struct ptx_type *type; /* the operand type that the instruction's row requires */
};

/* Operand names of the table's notation. */
enum ptx_role {
	ROLE_D,
	ROLE_P,
	ROLE_Q,
	ROLE_A,
	ROLE_B,
	ROLE_C,
	ROLE_E,
	ROLE_F,
	ROLE_G,
	ROLE_H,
	ROLE_METADATA,
	ROLE_SELECTOR,
	ROLE_POLICY,
	ROLE_MEMBERS,
	ROLE_TARGET,
	ROLE_TARGETS,
	ROLE_COUNT
};

#define PTX_MAX_MODIFIERS 12
#define PTX_MAX_OPERANDS  10
#define PTX_MAX_VECTOR    128 /* the sums of the largest matrix product */
#define PTX_MAX_DEPTH     64  /* of blocks, and of parentheses in a constant expression */

struct ptx;
struct ptx_inst;
struct ptx_match; /* the cached match of a spelling; match.c */

struct ptx_row {
	const char *form;  /* "add{.rnd}{.ftz}{.sat}.f32 d, a, b" */
	const char *where; /* ".type = .b32 .b64; b = .u32": see instruction_table.c */
	void (*lower)(struct ptx *x, const struct ptx_inst *in);
	uint8_t op; /* enum ir_op: the main operation */
};

struct ptx_inst {
	struct ptx_token name;
	struct ptx_token modifiers[PTX_MAX_MODIFIERS];
	uint32_t nmodifiers;
	struct ptx_operand operands[PTX_MAX_OPERANDS];
	uint32_t noperands;
	struct ptx_operand sampler; /* of a texture, in brackets after it; OPERAND_BAD: none */
	struct ptx_name *guard;     /* NULL: none */
	bool guard_negated;
	/* Set by match.c. */
	const struct ptx_row *row;
	const struct ptx_match *match;
	uint64_t present; /* mask of slots */
	uint8_t value[SLOT_COUNT];
	struct ptx_operand *role[ROLE_COUNT];
};

extern const struct ptx_row ptx_rows[]; /* grouped by instruction; a NULL form ends the table */
/* Words that only newer targets know; operands: how many the form has, 0: any number. */
struct ptx_newer {
	const char *names, *words;
	uint32_t operands;
	const char *target;
};
extern const struct ptx_newer ptx_newer[];

/* Unsupported instructions of PTX and the feature they belong to; NULL ends the list. */
extern const struct ptx_unsupported {
	const char *names; /* separated by spaces */
	const char *kind;
} ptx_unsupported[];

static inline bool ptx_has_modifier(const struct ptx_inst *in, enum ptx_slot s)
{
	return in->present >> s & 1;
}
static inline const struct ptx_type *ptx_inst_type(const struct ptx_inst *in, enum ptx_slot s)
{
	return &ptx_types[in->value[s]];
}

/* ---- the front end's state ---- */

struct call;

struct ptx {
	struct compile_job *job;
	struct arena *arena;
	struct call *call; /* the current call statement (lower_call.c); NULL before the first */
	struct diag *diag;
	struct ptx_lexer lexer;
	struct ptx_token token;  /* lookahead */
	struct ptx_name **names; /* all declared names */
	uint32_t nnames, names_capacity;
	struct ptx_scope *scope;
	uint32_t blocks;      /* nesting depth of { } blocks in the body */
	uint32_t depth;       /* nesting depth of the constant expression */
	uint32_t braces;      /* open braces of vectors and initializers in this statement */
	struct name_map rows; /* instruction name -> index of its first row + 1 */
	struct ptx_row_forms **row_forms; /* by row; NULL: not parsed yet */
	struct name_map spellings;        /* "add.s32" -> index in matches + 1 */
	struct ptx_match **matches;
	uint32_t nmatches, matches_capacity;
	struct name_map symbols; /* variable name -> how many symbols of the module have it */
	struct ir_module *module;
	bool independent_samplers; /* .target says that reads of textures name them */
	bool is_specific;      /* .target names the features of one architecture, as in sm_90a */
	uint32_t architecture; /* of .target: 75 for sm_75 */
	uint8_t linkage;       /* of the declaration that is being parsed; enum ir_linkage */
	/* The function that is being parsed. */
	struct ir_func *func;
	ir_block block;      /* insertion point; 0: after a jump, unreachable */
	ir_block last_block; /* the last block started: a new one follows it in the layout */
	uint32_t line;       /* of the instruction that is being lowered */
	ir_val guard;        /* its predicate guard; 0: none */
	bool guard_negated;
	struct ptx_name *carry;    /* the carry flag */
	struct ptx_name **results; /* the function's results, which ret returns */
	uint32_t nresults;
};

#define ptx_error(x, t, ...) diag_error((x)->diag, (t)->line, (t)->column, __VA_ARGS__)

/* parser.c */
void ptx_next(struct ptx *x);
bool ptx_accept(struct ptx *x, int kind); /* consumes the next token if it is of this kind */
/* The same, or reports "expected WHAT after AFTER". */
bool ptx_expect(struct ptx *x, int kind, const char *what, const char *after);
bool ptx_is_keyword(const struct ptx_token *t, const char *word);
const char *ptx_token_name(struct ptx *x, const struct ptx_token *t); /* for "found ..." */
/* Error recovery: skip past the next ';' or up to the block's '}'; the same, or past a block. */
void ptx_skip_statement(struct ptx *x);
void ptx_skip_declaration(struct ptx *x);
void ptx_skip_line(struct ptx *x);  /* .loc and .file end with their line */
void ptx_parse_file(struct ptx *x); /* at ".file" */
void ptx_parse_loc(struct ptx *x);  /* at ".loc" */

/* constant_expression.c */
struct ptx_constant {
	bool is_float, is_unsigned;
	uint8_t bits; /* float: as in its token */
	uint64_t value;
};
bool ptx_parse_constant(struct ptx *x, struct ptx_constant *c); /* false: error, reported */
bool ptx_constant_starts(const struct ptx_token *t);
bool ptx_parse_integer(struct ptx *x, const char *what, uint64_t min, uint64_t max,
		       uint64_t *value);
/* The bits of a constant as a value of a type; false: it does not fit. */
bool ptx_constant_bits(const struct ptx_constant *c, const struct ptx_type *t, uint64_t *bits);

/* scope.c */
void ptx_scope_open(struct ptx *x);
void ptx_scope_close(struct ptx *x);
/* NULL: the name is already declared in the current scope, which is reported. */
struct ptx_name *ptx_declare(struct ptx *x, enum ptx_name_kind kind, const struct ptx_token *t);
struct ptx_name *ptx_declare_range(struct ptx *x, const struct ptx_token *t, uint32_t count,
				   const struct ptx_type *type);
struct ptx_name *ptx_lookup(struct ptx *x, const struct ptx_token *t); /* NULL: not declared */
struct ptx_name *ptx_lookup_innermost(struct ptx *x,
				      const struct ptx_token *t); /* innermost scope only */
/* Reports the name as undeclared and declares it as NAME_BAD, so that it is reported once. */
struct ptx_name *ptx_report_undeclared(struct ptx *x, const struct ptx_token *t, const char *what);

/* variable.c */
#define PTX_MAX_DIMENSIONS 8
struct ptx_shape { /* type, size and alignment of a variable or parameter */
	const struct ptx_type *type;
	uint32_t vector, align;
	uint64_t count; /* elements; 0: "[]", set by the initializer or the launch */
	uint64_t dimensions[PTX_MAX_DIMENSIONS]; /* the first may be 0 */
	uint32_t ndimensions;
	bool handle; /* .texref or .surfref: 64 bits, in global memory */
};
#define PTX_MAX_ALIGN (UINT64_C(1) << 31) /* as in ptxas */
#define PTX_MAX_BYTES (UINT64_C(1) << 32) /* of one variable */
/* ".align 16 .v4 .f32", before the name. */
bool ptx_parse_type_spec(struct ptx *x, struct ptx_shape *s);
/* Reports a handle where a parameter is declared; returns whether it is one. */
bool ptx_reject_handle(struct ptx *x, const struct ptx_shape *s);
/* "[4][8]", after the name. */
bool ptx_parse_dimensions(struct ptx *x, struct ptx_shape *s);
uint64_t ptx_shape_bytes(const struct ptx_shape *s);
bool ptx_parse_align(struct ptx *x, uint32_t *align); /* at ".align" */
void ptx_parse_registers(struct ptx *x);
void ptx_parse_variables(struct ptx *x, enum ir_space space, bool external);
void ptx_align_constants(struct ptx *x);

/* initializer.c */
bool ptx_parse_initializer(struct ptx *x, struct ptx_shape *s, struct ir_symbol *out);

/* body.c */
void ptx_parse_body(struct ptx *x);

/* function.c */
void ptx_parse_function(struct ptx *x);       /* after ".func" */
void ptx_parse_param_variable(struct ptx *x); /* after ".param" in a body */
/* Reports calls of functions that have no body here and are no device services. */
void ptx_check_externals(struct ptx *x);
void ptx_parse_prototype(struct ptx *x, struct ptx_name *n); /* after ".callprototype" */
void ptx_parse_alias(struct ptx *x);                         /* after ".alias" */

/* lower_call.c */
void ptx_call_statement(struct ptx *x, const struct ptx_inst *in); /* after "call" */
ir_val ptx_object_read(struct ptx *x, const struct ptx_object *o, uint64_t offset, enum ir_type t);
void ptx_object_write(struct ptx *x, const struct ptx_object *o, uint64_t offset, enum ir_type t,
		      ir_val v);
ir_val ptx_cell_read(struct ptx *x, const struct ptx_object *o, uint32_t k);
void ptx_cell_write(struct ptx *x, const struct ptx_object *o, uint32_t k, ir_val v);
/* The address of an object in local memory, b32. */
ir_val ptx_object_address(struct ptx *x, const struct ptx_object *o);
/* Copies whole words in local memory; from 0: zeroes them. */
void ptx_copy_local(struct ptx *x, ir_val to, ir_val from, uint32_t bytes);

/* operand.c */
bool ptx_parse_operands(struct ptx *x, struct ptx_inst *in); /* false: syntax error, reported */
bool ptx_parse_operand(struct ptx *x, struct ptx_operand *o, const char *what);
void ptx_split_register(struct ptx *x, struct ptx_operand *o, uint32_t count,
			const struct ptx_type *type);

/* match.c */
void ptx_index_build(struct ptx *x);
/* Both return false after reporting an error. */
bool ptx_match_modifiers(struct ptx *x, struct ptx_inst *in);
bool ptx_match_operands(struct ptx *x, struct ptx_inst *in);
const char *ptx_spelling(struct ptx *x, const struct ptx_inst *in); /* "add.s32" */

/* target_rules.c: false after reporting that the .target lacks the instruction. */
bool ptx_check_target(struct ptx *x, const struct ptx_inst *in);

/* lower.c */
void ptx_lower(struct ptx *x, const struct ptx_inst *in);
ir_id ptx_emit(struct ptx *x, enum ir_op op, enum ir_type t, uint32_t nres, uint32_t nargs,
	       const ir_val *args);
/* Emits an operation with up to three arguments, the rest 0, and returns its first result. The
 * array makes argument expressions that emit instructions run from left to right: C leaves the
 * order of function arguments unspecified. */
ir_val ptx_emit_op(struct ptx *x, enum ir_op op, enum ir_type t, const ir_val args[3]);
#define ptx_op(x, op, t, ...) ptx_emit_op(x, op, t, (const ir_val[3]){__VA_ARGS__})
ir_val ptx_emit_constant(struct ptx *x, enum ir_type t, uint64_t value);
ir_val ptx_convert(struct ptx *x, enum ir_op op, enum ir_type from, enum ir_type to, ir_val v);
ir_val ptx_compare(struct ptx *x, enum ir_op op, enum ir_type t, enum ir_cond c, ir_val a,
		   ir_val b);
/* lower_lanes.c */
ir_val ptx_lane_number(struct ptx *x);
/* lower_matrix.c: whether the instruction has a modifier; whether an operand, a vector or one
 * register, has this many registers; one of them. */
bool ptx_is_spelled(const struct ptx_inst *in, const char *modifier);
bool ptx_check_fragment(struct ptx *x, const struct ptx_inst *in, enum ptx_role role,
			uint32_t registers);
const struct ptx_operand *ptx_fragment_register(const struct ptx_operand *o, uint32_t k);
ir_val ptx_op_constant(struct ptx *x, enum ir_op op, ir_val v, uint32_t k); /* of b32 */
ir_val ptx_read_lane(struct ptx *x, ir_val value, ir_val lane);             /* of all lanes */
/* lower_wmma.c: half k of a register as f32; two f32 as f16 in a register. */
ir_val ptx_half_to_single(struct ptx *x, ir_val word, uint32_t k);
ir_val ptx_halves_of_singles(struct ptx *x, const ir_val *v);
/* The value of the operand in a role; 0: the instruction has none. */
ir_val ptx_read_role(struct ptx *x, const struct ptx_inst *in, enum ptx_role role);
/* Applies the instruction's rounding, .ftz, .sat and format to v, and returns v. */
ir_val ptx_float_modifiers(struct ptx *x, const struct ptx_inst *in, ir_val v);
ir_val ptx_read_operand(struct ptx *x, const struct ptx_operand *o);
ir_val ptx_read_register(struct ptx *x, struct ptx_name *n);
ir_val ptx_address_of(struct ptx *x, const struct ptx_operand *o, enum ir_type t);
ir_val ptx_read_handle(struct ptx *x, const struct ptx_operand *o); /* of a .texref */
void ptx_write_operand(struct ptx *x, const struct ptx_operand *o,
		       ir_val v);                                     /* a value of o's type */
void ptx_write_register(struct ptx *x, struct ptx_name *n, ir_val v); /* of the register's */

/* lower_memory.c */
/* Reads an address in a space. Sets *arg and *offset; *arg is 0 if the offset alone is the address.
 * false: an error, reported. */
bool ptx_read_address(struct ptx *x, const struct ptx_inst *in, const struct ptx_operand *o,
		      enum ir_space space, uint32_t bytes, ir_val *arg, uint64_t *offset);

/* lower_memory.c */
/* Cache policies, which some targets ignore. Returns the number of arguments that it has added. */
uint32_t ptx_read_policy(struct ptx *x, const struct ptx_inst *in, ir_val *policy);
void ptx_set_policy(struct ptx *x, const struct ptx_inst *in, ir_id i);
uint8_t ptx_fetch_of(const struct ptx_inst *in);    /* enum ir_fetch */
uint8_t ptx_eviction_of(const struct ptx_inst *in); /* enum ir_evict */
/* Rejects hints that exclude each other, and a policy that is not announced. */
bool ptx_check_hints(struct ptx *x, const struct ptx_inst *in);
enum ir_atom ptx_atom_of(const struct ptx_inst *in); /* by its operator and type */

/* lower_mbarrier.c */
/* Reads an address as 32 bits in shared memory; false: an error, reported. */
/* fence.proxy.tensormap::generic.acquire: copies by a changed tensor map; in lower_tensor.c */
void ptx_lower_map_acquire(struct ptx *x, const struct ptx_inst *in);
bool ptx_read_shared(struct ptx *x, const struct ptx_inst *in, const struct ptx_operand *o,
		     bool generic, uint32_t bytes, ir_val *at);

/* lower_cluster.c */
#define PTX_MAX_CLUSTER 16                  /* blocks; the largest that Hopper runs */
bool ptx_has_clusters(const struct ptx *x); /* of more than one block */
/* Shared memory of the cluster is the block's own where clusters have one block. */
uint8_t ptx_cluster_space(const struct ptx *x, uint8_t space);
bool ptx_parse_cluster_directive(struct ptx *x, const struct ptx_token *t);
void ptx_check_cluster(struct ptx *x); /* all directives of a kernel together */
bool ptx_is_cluster_special(uint32_t special);
ir_val ptx_read_cluster_special(struct ptx *x, uint32_t special); /* b32 */
ir_val ptx_cluster_generic(struct ptx *x, ir_val address, uint64_t *offset);

/* lower_control.c */
void ptx_set_block(struct ptx *x, ir_block b); /* sets the insertion point */
ir_block ptx_block_new(struct ptx *x);         /* a new block after the last one started */
void ptx_jump(struct ptx *x, ir_block to);
void ptx_branch(struct ptx *x, ir_val condition, ir_block yes, ir_block no);

/* clang-format off */
/* The lowering functions that instruction_table.c names. */
#define LOWERINGS(L) \
	/* lower.c */ \
	L(plain) L(fsub) L(iabs) L(mad) L(count) L(setp) L(set) L(selp) L(slct) L(mov) \
	L(mov_vector) L(mov_wide) L(cvta) L(isspacep) \
	/* lower_arithmetic.c */ \
	L(float) L(oob) L(minmax) L(halves) L(saturating) L(carry) L(carry_mad) L(mul24) L(sad) \
	L(approx) L(divide_approx) L(divide_full) L(copysign) L(testp) L(relu) \
	/* lower_convert.c */ \
	L(cvt) L(cvt_pair) L(cvt_pack) L(cvt_tf32) L(cvt_tf32_away) L(cvt_bytes) \
	/* lower_bits.c */ \
	L(bfe) L(bfi) L(bfind) L(bmsk) L(fns) L(szext) L(cnot) L(prmt) L(lop3) L(shf) L(dot) \
	/* lower_video.c */ \
	L(video) L(vmad) L(video_simd) \
	/* lower_memory.c */ \
	L(ld) L(st) L(atom) L(atom_wide) L(cas) L(fence) L(fence_proxy) L(nothing) \
	L(createpolicy) L(alloca) L(stackrestore) L(setmaxnreg) \
	/* lower_async.c */ \
	L(copy) L(copy_commit) L(copy_wait) \
	/* lower_bulk.c */ \
	L(bulk_copy) L(bulk_multicast) L(bulk_reduce) L(bulk_prefetch) L(st_async) L(red_async) \
	L(grid_wait) \
	/* lower_tensor.c */ \
	L(tensor_load) L(tensor_store) L(tensor_prefetch) L(tensormap_replace) L(tensormap_copy) \
	L(map_prefetch) \
	/* lower_texture.c */ \
	L(tex) L(tld4) L(txq) L(txq_one) L(suld) L(sust) L(sust_p) L(sured) \
	/* lower_mbarrier.c */ \
	L(mbarrier) L(mbarrier_bytes) L(mbarrier_arrive) L(mbarrier_wait) L(mbarrier_pending) \
	L(copy_arrive) \
	/* lower_cluster.c */ \
	L(mapa) L(getctarank) L(cluster_arrive) L(cluster_wait) \
	/* lower_matrix.c */ \
	L(mma) \
	L(mma_quads) \
	L(wgmma) \
	L(wgmma_order) \
	L(ldmatrix) \
	L(movmatrix) \
	L(stmatrix) \
	L(wmma_load) \
	L(wmma_store) \
	L(wmma_mma) \
	/* lower_lanes.c */ \
	L(shfl) L(vote) L(match) L(redux) L(activemask) L(elect) L(warpsync) L(barrier) \
	L(barrier_red) L(nanosleep) \
	/* lower_control.c */ \
	L(bra) L(brx) L(ret) L(exit) L(trap)
#define L(name) void ptx_lower_##name(struct ptx *x, const struct ptx_inst *in);
LOWERINGS(L)
#undef L
/* clang-format on */

#endif
