/* SPDX-License-Identifier: MIT */
/*
 * The parser of IR text, as its two files share it: parse.c reads modules and kernels, parse_inst.c
 * one line of a kernel.
 *
 * Values and labels may be used before they are defined. While a function is read, arguments hold
 * the numbers of their names, and edges and phis are kept in lists; at the closing brace names
 * become ids.
 */
#ifndef SOV_COMPILER_PARSE_H
#define SOV_COMPILER_PARSE_H

#include "libsov/compiler/ir/ir.h"
#include "libsov/compiler/ir/ir_lexer.h"
#include "libsov/compiler/base/name_map.h"

/* A name of a value or label, and what it stands for once it is defined. */
struct parse_name {
	struct ir_token first; /* where it was first seen */
	uint32_t id;           /* ir_val or ir_block */
	bool defined;
};

struct parse_names {
	struct name_map index; /* name -> index into list; 0 is not used */
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

/* Calls, and addresses of functions, may come before the function; at the end of the text names
 * become indices. A call's results wait for their types until then. */
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
	struct name_map symbols;     /* variable -> index + 1 */
	struct name_map funcs;       /* kernel or function -> index + 1, of those declared so far */
	struct parse_call *calls; /* of functions that were not declared yet */
	uint32_t ncalls, calls_capacity;
	struct parse_address *addresses;
	uint32_t naddresses, addresses_capacity;
	/* of the current function */
	struct ir_func *f;
	bool external;   /* the line begins with this word */
	uint32_t errors; /* before it */
	ir_block block;  /* 0 before the first label */
	bool ended;      /* the block has its terminator */
	struct parse_names values, labels;
	struct name_map regs;
	struct parse_edge *edges;
	uint32_t nedges, edges_capacity;
	struct parse_phi *phis;
	uint32_t nphis, phis_capacity;
};

/* Each returns whether it found what it names; need and define report an error when not. */
bool parse_error(struct parser *p, const struct ir_token *where, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));           /* false */
bool parse_expected(struct parser *p, const char *what); /* false */
bool parse_at_sign(const struct parser *p, char sign);
bool parse_at_word(const struct parser *p, const char *word);
bool parse_at_line_end(const struct parser *p);
bool parse_accept_sign(struct parser *p, char sign);
bool parse_accept_word(struct parser *p, const char *word);
bool parse_need_sign(struct parser *p, char sign);
bool parse_need_number(struct parser *p, const char *what, uint64_t max, uint64_t *number);
bool parse_need_u32(struct parser *p, const char *what, uint32_t *number);
/* Number of a name in its list; a new name gets a new one. */
uint32_t parse_use(struct parser *p, struct parse_names *l, const struct ir_token *t);
bool parse_define(struct parser *p, struct parse_names *l, const struct ir_token *t);
void parse_set_id(struct parser *p, struct parse_names *l, const struct ir_token *t, uint32_t id);

bool parse_inst(struct parser *p);
bool parse_need_word(struct parser *p, const char *word);
bool parse_need_type(struct parser *p, uint8_t *type);

/* parse_func.c: heads of kernels and functions, and what the end of the text resolves */
bool parse_kernel_head(struct parser *p);
bool parse_function_head(struct parser *p, bool external, bool rare, bool *body);
bool parse_prototype(struct parser *p);
bool parse_address(struct parser *p);
void parse_resolve(struct parser *p);
bool parse_need_name(struct parser *p, const char *what, const char **name);

#endif
