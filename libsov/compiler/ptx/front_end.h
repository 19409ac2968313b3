/* SPDX-License-Identifier: MIT */
/*
 * What the files of the PTX front end share. The text is read once, statement by statement:
 *
 *   lexer.c     characters -> tokens
 *   constant.c  constant expressions
 *   scope.c     names and the blocks that they live in
 *   parser.c    module structure: directives, kernels with their parameters
 *   variable.c  registers and variables, with initial values
 *   body.c      what stands in a kernel: blocks, labels, guards, instructions
 *   operand.c   operands of instructions
 *   words.c     types, modifiers and special registers: what each word means
 *   table.c     the instructions, one row per form, in the notation of the PTX manual
 *   match.c     finds the row of an instruction and checks modifiers, operands and types against it
 *   function.c  functions, prototypes and their parameters
 *   initial.c   initial values of variables
 *   lower.c, arithmetic.c, convert.c, bits.c, memory.c, lanes.c, control.c, call.c
 *               what each row becomes in the IR
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
	TOKEN_WORD,    /* .version  .u32  .L1::evict_last: the dot is part of the text */
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
	bool cut;          /* the text ends inside a comment: what is missing is no second error */
};

void ptx_lex(struct ptx_lexer *l, struct ptx_token *t);
void ptx_lex_over(struct ptx_lexer *l); /* up to the next ';', '{' or '}' */

/* For "%.*s": names of any length come in, messages stay readable. */
#define TEXT(t) (int)((t)->length < 80 ? (t)->length : 80), (t)->text

/* ---- words ---- */

enum ptx_class { CLASS_PREDICATE, CLASS_BITS, CLASS_UNSIGNED, CLASS_SIGNED, CLASS_FLOAT };

struct ptx_type {
	const char *name; /* ".u32" */
	uint8_t class, bits, ir;
	uint8_t format; /* enum ir_format */
};

/* What a modifier says; a form of an instruction has each at most once. */
enum ptx_slot {
	SLOT_NONE, /* said by its presence alone: .sync, .wide */
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
	SLOT_COUNT
};

/* Comparisons as PTX names them; the type decides between signed, unsigned and float. */
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

/* Special registers that change, and so are no leaves of the IR, or are always zero; from
 * SPECIAL_VECTOR on those that have three elements, by the number of the first, and a fourth that is
 * zero. */
enum ptx_special {
	SPECIAL_CLOCK = IR_SREG_COUNT,
	SPECIAL_CLOCK_HIGH,
	SPECIAL_TIMER,
	SPECIAL_TIMER_HIGH,
	SPECIAL_ZERO,
	SPECIAL_VECTOR
};

/* .volatile is relaxed at system scope plus the promise not to merge accesses. */
enum { ORDER_VOLATILE = IR_SEQ_CST + 1 };

struct ptx_word {
	const char *text; /* ".rn" */
	uint8_t slot, value;
};

extern const struct ptx_type ptx_types[];
extern const uint32_t ptx_type_count;
const struct ptx_type *ptx_type_find(const char *text, size_t length);
/* Slot of a group in the manual's notation (".rnd"); SLOT_COUNT when it is no group. */
enum ptx_slot ptx_group_slot(const char *text, size_t length);
/* The word with this text in a slot, or in any for SLOT_COUNT; NULL when there is none. */
const struct ptx_word *ptx_word_find(enum ptx_slot slot, const char *text, size_t length);
extern const struct ptx_word ptx_words[];
extern const uint32_t ptx_word_count;
/* Special register "%tid.x": enum ir_sreg or enum ptx_special; -1 when there is no such, -2 when it
 * is not supported. */
int ptx_special_find(const char *text, size_t length);
/* How wide it is: one of several powers of two, each a bit. */
uint32_t ptx_special_widths(const char *text, size_t length);

/* ---- names ---- */

enum ptx_name_kind {
	NAME_REGISTER,
	NAME_RANGE /* %r<15> */,
	NAME_VARIABLE,
	NAME_PARAMETER,
	NAME_LABEL,
	NAME_FUNCTION,
	NAME_OBJECT,  /* .param of a function or a call */
	NAME_TARGETS, /* .branchtargets */
	NAME_CALLEES, /* .callprototype, .calltargets */
	NAME_BAD      /* was reported; its uses are not reported again */
};

struct ptx_name {
	const char *text;
	uint32_t length;
	uint8_t kind;
	uint32_t line, column;       /* of the declaration */
	const struct ptx_type *type; /* register, range */
	uint32_t count;              /* range */
	uint32_t reg;                /* register: IR register + 1, 0 until first used … */
	ir_val holds;                /* … and what it holds in the block that comes next here */
	struct ptx_name *halves;     /* of 128 bits: two registers, lowest first; NULL until used */
	uint32_t symbol;      /* variable: index in the module; parameter: index in the kernel */
	ir_block block;       /* label; register: where holds is known, 0 for nowhere */
	struct ir_func *func; /* function, prototype; NULL: a kernel */
	struct ptx_object *object;
	struct ptx_token *targets; /* names of labels; count of them */
};

/*
 * A .param of a function or a call is no memory here: its bytes are held by registers of the IR,
 * one for a scalar, one for every four bytes of an array. They are the arguments and results of
 * functions.
 */
struct ptx_object {
	uint32_t size, ncells;
	enum ir_type cell;
	uint32_t *regs;
};

struct ptx_scope {
	struct ptx_scope *outer;
	struct name_map names, ranges; /* number + 1 of the name in ptx.names */
};

/* ---- operands and instructions ---- */

enum ptx_operand_kind {
	OPERAND_BAD, /* reported */
	OPERAND_REGISTER,
	OPERAND_INTEGER,
	OPERAND_FLOAT,
	OPERAND_SPECIAL,
	OPERAND_LABEL,
	OPERAND_VARIABLE,  /* name + value: its address */
	OPERAND_PARAMETER, /* the same of a kernel parameter */
	OPERAND_OBJECT,    /* the same of a .param of a function or call */
	OPERAND_FUNCTION,
	OPERAND_TARGETS,
	OPERAND_VECTOR,  /* {a, b} */
	OPERAND_NOTHING, /* _ */
};

struct ptx_operand {
	struct ptx_token at; /* for messages */
	uint8_t kind;
	bool address;  /* in brackets: base (by kind) + value */
	bool negated;  /* !p */
	int separator; /* before it: 0, ',' or '|' */
	uint8_t bits;  /* float: as in its token */
	uint8_t special;
	bool is_unsigned;
	uint64_t value; /* integer, float's bits, offset */
	struct ptx_name *name;
	struct ptx_operand *elements;
	uint32_t count;
	const struct ptx_type *type; /* what the instruction takes it for; set by matching */
};

/* Operands by their name in the table's notation. */
enum ptx_role {
	ROLE_D,
	ROLE_P,
	ROLE_Q,
	ROLE_A,
	ROLE_B,
	ROLE_C,
	ROLE_E,
	ROLE_F,
	ROLE_POLICY,
	ROLE_MEMBERS,
	ROLE_TARGET,
	ROLE_TARGETS,
	ROLE_COUNT
};

#define PTX_MAX_WORDS    12
#define PTX_MAX_OPERANDS 8
#define PTX_MAX_DEPTH    64 /* of blocks, and of parentheses in a constant expression */

struct ptx;
struct ptx_inst;
struct ptx_spelled; /* what the table says about a spelling; match.c */

struct ptx_row {
	const char *form;  /* "add{.rnd}{.ftz}{.sat}.f32 d, a, b" */
	const char *where; /* ".type = .b32 .b64; b = .u32": see table.c */
	void (*lower)(struct ptx *x, const struct ptx_inst *in);
	uint8_t op; /* enum ir_op: its main operation */
};

struct ptx_inst {
	struct ptx_token name;
	struct ptx_token words[PTX_MAX_WORDS];
	uint32_t nwords;
	struct ptx_operand operands[PTX_MAX_OPERANDS];
	uint32_t noperands;
	struct ptx_name *guard; /* NULL: none */
	bool guard_negated;
	/* from matching */
	const struct ptx_row *row;
	const struct ptx_spelled *spelled;
	uint64_t said; /* bit per slot */
	uint8_t value[SLOT_COUNT];
	struct ptx_operand *role[ROLE_COUNT];
};

extern const struct ptx_row ptx_rows[]; /* rows of one instruction stand together; form NULL ends */
/* Instructions of PTX without rows, and what they belong to; NULL ends. */
extern const struct ptx_absent {
	const char *names; /* with a space between them */
	const char *kind;
} ptx_absent[];

static inline bool ptx_said(const struct ptx_inst *in, enum ptx_slot s)
{
	return in->said >> s & 1;
}
static inline const struct ptx_type *ptx_inst_type(const struct ptx_inst *in, enum ptx_slot s)
{
	return &ptx_types[in->value[s]];
}

/* ---- the front end's state ---- */

struct ptx {
	struct compile_job *job;
	struct arena *arena;
	struct diag *diag;
	struct ptx_lexer lexer;
	struct ptx_token token;  /* next, not yet taken */
	struct ptx_name **names; /* all that were declared */
	uint32_t nnames, names_capacity;
	struct ptx_scope *scope;
	uint32_t blocks;        /* open in the kernel */
	uint32_t depth;         /* of a constant expression */
	uint32_t braces;        /* of vectors and initial values that the statement has open */
	struct name_map rows;      /* instruction -> its first row + 1 */
	struct name_map spellings; /* "add.s32" -> number + 1 in spelled */
	struct ptx_spelled **spelled;
	uint32_t nspelled, spelled_capacity;
	struct name_map symbols; /* how often a variable's name was used in the module */
	struct ir_module *module;
	/* the kernel that is being read */
	struct ir_func *func;
	ir_block block; /* where instructions go; 0: after a jump, nothing comes here */
	ir_block place; /* the last block that was begun: the next one follows it in the layout */
	uint32_t line;  /* of the instruction that is being lowered */
	ir_val guard;   /* of it; 0: none */
	bool guard_negated;
	struct ptx_name *carry;    /* the carry flag */
	struct ptx_name **results; /* of the function: what ret returns */
	uint32_t nresults;
};

#define ptx_error(x, t, ...) diag_error((x)->diag, (t)->line, (t)->column, __VA_ARGS__)

/* parser.c */
void ptx_next(struct ptx *x);
bool ptx_take(struct ptx *x, int kind); /* takes the next token if it is of this kind */
bool ptx_expect(struct ptx *x, int kind, const char *what, const char *after); /* or reports */
bool ptx_is_word(const struct ptx_token *t, const char *word);
const char *ptx_token_name(struct ptx *x, const struct ptx_token *t); /* for "found ..." */
void ptx_skip_statement(struct ptx *x);   /* past the next ';', or up to the block's '}' */
void ptx_skip_declaration(struct ptx *x); /* also past a block that comes before it */
void ptx_skip_line(struct ptx *x);        /* .loc and .file end with their line */
void ptx_file(struct ptx *x);             /* at ".file", at ".loc" */
void ptx_place_in_source(struct ptx *x);

/* constant.c */
struct ptx_constant {
	bool is_float, is_unsigned;
	uint8_t bits; /* float: as in its token */
	uint64_t value;
};
bool ptx_constant(struct ptx *x, struct ptx_constant *c); /* false: reported */
bool ptx_constant_starts(const struct ptx_token *t);
bool ptx_integer(struct ptx *x, const char *what, uint64_t min, uint64_t max, uint64_t *value);
/* The bits of a constant as a value of a type; false when it does not fit. */
bool ptx_constant_bits(const struct ptx_constant *c, const struct ptx_type *t, uint64_t *bits);

/* scope.c */
void ptx_scope_open(struct ptx *x);
void ptx_scope_close(struct ptx *x);
/* Reports and returns NULL when the name is taken in the current scope. */
struct ptx_name *ptx_declare(struct ptx *x, enum ptx_name_kind kind, const struct ptx_token *t);
struct ptx_name *ptx_declare_range(struct ptx *x, const struct ptx_token *t, uint32_t count,
				   const struct ptx_type *type);
struct ptx_name *ptx_find(struct ptx *x, const struct ptx_token *t);      /* NULL: not declared */
struct ptx_name *ptx_find_here(struct ptx *x, const struct ptx_token *t); /* innermost scope only */
/* Reports the name as undeclared, once, and returns a NAME_BAD. */
struct ptx_name *ptx_undeclared(struct ptx *x, const struct ptx_token *t, const char *what);

/* variable.c */
#define PTX_MAX_DIMENSIONS 8
struct ptx_shape { /* type, size and alignment of a variable or parameter */
	const struct ptx_type *type;
	uint32_t vector, align;
	uint64_t count; /* elements; 0: "[]", to be told by the initial value or by the launch */
	uint64_t dimensions[PTX_MAX_DIMENSIONS]; /* the first may be 0 */
	uint32_t ndimensions;
};
#define PTX_MAX_ALIGN 1024
#define PTX_MAX_BYTES (UINT64_C(1) << 32) /* of one variable */
/* ".align 16 .v4 .f32": what comes before the name. */
bool ptx_shape_type(struct ptx *x, struct ptx_shape *s);
/* "[4][8]": what comes after it. */
bool ptx_shape_dimensions(struct ptx *x, struct ptx_shape *s);
uint64_t ptx_shape_bytes(const struct ptx_shape *s);
bool ptx_align(struct ptx *x, uint32_t *align); /* at ".align" */
void ptx_register_declaration(struct ptx *x);
void ptx_variable_declaration(struct ptx *x, enum ir_space space, bool external);

/* initial.c */
bool ptx_initial_value(struct ptx *x, struct ptx_shape *s, struct ir_symbol *out);

/* body.c */
void ptx_body(struct ptx *x);

/* function.c */
void ptx_function(struct ptx *x);                      /* after ".func" */
void ptx_argument(struct ptx *x);                      /* after ".param" in a body */
void ptx_prototype(struct ptx *x, struct ptx_name *n); /* after ".callprototype" */
void ptx_alias(struct ptx *x);                         /* after ".alias" */

/* call.c */
void ptx_call(struct ptx *x, const struct ptx_inst *in); /* after "call" */
ir_val ptx_object_read(struct ptx *x, const struct ptx_object *o, uint64_t offset, enum ir_type t);
void ptx_object_write(struct ptx *x, const struct ptx_object *o, uint64_t offset, enum ir_type t,
		      ir_val v);
ir_val ptx_cell_read(struct ptx *x, const struct ptx_object *o, uint32_t k);
void ptx_cell_write(struct ptx *x, const struct ptx_object *o, uint32_t k, ir_val v);

/* operand.c */
bool ptx_operands(struct ptx *x, struct ptx_inst *in); /* false: syntax error, reported */
bool ptx_operand(struct ptx *x, struct ptx_operand *o, const char *what);

/* match.c */
void ptx_index_build(struct ptx *x);
bool ptx_match_words(struct ptx *x, struct ptx_inst *in); /* false: reported, as is the next */
bool ptx_match_operands(struct ptx *x, struct ptx_inst *in);
const char *ptx_spelling(struct ptx *x, const struct ptx_inst *in); /* "add.s32" */

/* lower.c */
void ptx_lower(struct ptx *x, const struct ptx_inst *in);
ir_id ptx_emit(struct ptx *x, enum ir_op op, enum ir_type t, uint32_t nres, uint32_t nargs,
	       const ir_val *args);
/* The first result of a new operation with up to three arguments; 0 ends them. */
/* Of up to three values, the rest 0. Where they make instructions themselves, they do so from left to
 * right: C leaves the order of a call's arguments open, and hosts differ. */
ir_val ptx_op_of(struct ptx *x, enum ir_op op, enum ir_type t, const ir_val args[3]);
#define ptx_op(x, op, t, ...) ptx_op_of(x, op, t, (const ir_val[3]){__VA_ARGS__})
ir_val ptx_constant_value(struct ptx *x, enum ir_type t, uint64_t value);
ir_val ptx_convert(struct ptx *x, enum ir_op op, enum ir_type from, enum ir_type to, ir_val v);
ir_val ptx_compare(struct ptx *x, enum ir_op op, enum ir_type t, enum ir_cond c, ir_val a,
		   ir_val b);
/* The operand in a role, or 0 where there is none. */
ir_val ptx_role(struct ptx *x, const struct ptx_inst *in, enum ptx_role role);
/* Rounding, ftz, sat and format as the instruction says them; v. */
ir_val ptx_float_words(struct ptx *x, const struct ptx_inst *in, ir_val v);
ir_val ptx_read(struct ptx *x, const struct ptx_operand *o);
ir_val ptx_read_register(struct ptx *x, struct ptx_name *n);
ir_val ptx_address_of(struct ptx *x, const struct ptx_operand *o, enum ir_type t);
void ptx_write(struct ptx *x, const struct ptx_operand *o, ir_val v); /* a value of o's type */
void ptx_write_register(struct ptx *x, struct ptx_name *n, ir_val v); /* of the register's */

/* control.c */
void ptx_place(struct ptx *x, ir_block b); /* instructions go there from now on */
ir_block ptx_block_after(struct ptx *x);   /* a new block behind the current one */
void ptx_jump(struct ptx *x, ir_block to);
void ptx_branch(struct ptx *x, ir_val condition, ir_block yes, ir_block no);

/* Lowering functions, named in table.c. */
#define LOWERINGS(L) \
	/* lower.c */ \
	L(plain) \
	L(fsub) \
	L(iabs) \
	L(mad) \
	L(count) L(setp) L(set) L(selp) L(slct) L(mov) L(mov_vector) L(mov_wide) L(cvta) \
		L(isspacep) /* arithmetic.c */ \
		L(float) L(oob) L(minmax) L(halves) L(saturating) L(carry) L(carry_mad) L(mul24) \
			L(sad) L(approx) L(divide_approx) L(divide_full) L(copysign) L(testp) \
				L(relu) /* convert.c */ \
		L(cvt) L(cvt_pair) L(cvt_pack) L(cvt_tf32) L(cvt_tf32_away) \
			L(cvt_bytes) /* bits.c */ \
		L(bfe) L(bfi) L(bfind) L(bmsk) L(fns) L(szext) L(cnot) L(prmt) L(lop3) L(shf) \
			L(dot) /* memory.c */ \
		L(ld) L(st) L(atom) L(atom_wide) L(cas) L(fence) L(nothing) L(createpolicy) \
			L(alloca) L(stackrestore) /* lanes.c */ \
		L(shfl) L(vote) L(match) L(redux) L(activemask) L(elect) L(warpsync) L(barrier) \
			L(barrier_red) L(nanosleep) /* control.c */ \
		L(bra) L(brx) L(ret) L(exit) L(trap)
#define L(name) void ptx_lower_##name(struct ptx *x, const struct ptx_inst *in);
LOWERINGS(L)
#undef L

#endif
