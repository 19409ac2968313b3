/* SPDX-License-Identifier: MIT */
/*
 * Internals of the IR text parser: ir_parse.c parses modules, ir_parse_func.c function heads,
 * ir_parse_inst.c instructions.
 *
 * Text may use values and labels before their definition. While a function is parsed, arguments
 * hold indices into the name list, and edges and phis are kept in lists; the closing brace resolves
 * names to ids.
 */
#ifndef SOV_COMPILER_IR_PARSE_H
#define SOV_COMPILER_IR_PARSE_H

#include "libsov/compiler/ir/ir.h"
#include "libsov/compiler/ir/ir_lexer.h"
#include "libsov/compiler/base/name_map.h"

/* A value or label name, and its id once defined. */
struct parse_name {
	struct ir_token first; /* first occurrence */
	uint32_t id;           /* ir_val or ir_block */
	bool defined;
};

struct parse_names {
	struct name_map index; /* name -> index into list; 0 is unused */
	struct parse_name *list;
	uint32_t count, capacity;
};

struct parse_edge {
	ir_block from;
	uint32_t label;
};

struct parse_phi {
	ir_id inst;
	struct ir_token token;
	uint32_t *labels; /* one per argument */
	uint32_t nlabels, capacity;
};

/* A call or function address that precedes the function's declaration. The end of the text resolves
 * these to indices; only then the types of a call's results are known. */
struct parse_call {
	struct ir_func *f;
	ir_id inst;
	struct ir_token name;
};

struct parse_address {
	uint32_t symbol;
	struct ir_address address;
	struct ir_token target;
};

struct parser {
	struct ir_lexer lex;
	struct arena *arena;
	struct ir_module *module;
	struct name_map symbols;  /* variable -> index + 1 */
	struct name_map funcs;    /* kernel or function -> index + 1, of those declared so far */
	struct parse_call *calls; /* calls of functions that are not declared yet */
	uint32_t ncalls, calls_capacity;
	struct parse_address *addresses;
	uint32_t naddresses, addresses_capacity;
	/* State of the current function: */
	struct ir_func *f;
	bool external;   /* the line starts with "external" */
	uint32_t errors; /* error count before the function */
	ir_block block;  /* 0 before the first label */
	bool ended;      /* the block has its terminator */
	struct parse_names values, labels;
	struct name_map regs;
	struct parse_edge *edges;
	uint32_t nedges, edges_capacity;
	struct parse_phi *phis;
	uint32_t nphis, phis_capacity;
};

/* Each returns whether the parser found the item; need and define report an error otherwise. */
bool parse_error(struct parser *p, const struct ir_token *where, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));           /* returns false */
bool parse_expected(struct parser *p, const char *what); /* returns false */
bool parse_at_sign(const struct parser *p, char sign);
bool parse_at_word(const struct parser *p, const char *word);
bool parse_at_line_end(const struct parser *p);
bool parse_accept_sign(struct parser *p, char sign);
bool parse_accept_word(struct parser *p, const char *word);
bool parse_need_sign(struct parser *p, char sign);
bool parse_need_number(struct parser *p, const char *what, uint64_t max, uint64_t *number);
bool parse_need_u32(struct parser *p, const char *what, uint32_t *number);
/* Index of a name in its list; adds new names. */
uint32_t parse_use(struct parser *p, struct parse_names *names, const struct ir_token *t);
bool parse_define(struct parser *p, struct parse_names *names, const struct ir_token *t);
void parse_set_id(struct parser *p, struct parse_names *names, const struct ir_token *t,
		  uint32_t id);

bool parse_inst(struct parser *p);
bool parse_need_word(struct parser *p, const char *word);
bool parse_need_type(struct parser *p, uint8_t *type);

/* ir_parse_func.c: heads of kernels and functions, and resolution at the end of the text. */
bool parse_kernel_head(struct parser *p);
bool parse_function_head(struct parser *p, bool external, bool preserve_all, bool *body);
bool parse_prototype(struct parser *p);
bool parse_external_kernel(struct parser *p);
bool parse_address(struct parser *p);
void parse_resolve(struct parser *p);
bool parse_need_name(struct parser *p, const char *what, const char **name);

#endif
