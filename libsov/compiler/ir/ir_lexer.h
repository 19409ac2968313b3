/* SPDX-License-Identifier: MIT */
/*
 * Tokens of IR text. Lines matter (an instruction is one line), spaces do not, and ; starts a
 * comment. A token points into the text; only names in quotes are copied.
 */
#ifndef SOV_COMPILER_LEX_H
#define SOV_COMPILER_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libsov/compiler/base/diag.h"

enum lex_kind {
	LEX_END,    /* of the text */
	LEX_LINE,   /* end of a line */
	LEX_WORD,   /* add.b32 */
	LEX_STRING, /* "a name that is no word"; s and length are what the quotes hold */
	LEX_VALUE,  /* %12; s and length without the % */
	LEX_NUMBER, /* 12 0x0c */
	LEX_SIGN,   /* any other character, in number */
};

struct ir_token {
	enum lex_kind kind;
	const char *s;
	uint32_t length;
	uint64_t number;
	uint32_t line, column;
};

struct ir_lexer {
	struct diag *diag;
	const char *at; /* after the current token */
	const char *end, *line_start;
	uint32_t line;
	struct ir_token token; /* the current one */
};

void ir_lex_init(struct ir_lexer *l, const char *text, size_t length, struct diag *d);
void ir_lex_next(struct ir_lexer *l);
char ir_lex_peek(const struct ir_lexer *l); /* the first character of the next token */
/* After the current token comes a list of bytes (00 ff a0) to the line's end. false: an error. */
bool ir_lex_bytes(struct ir_lexer *l, uint8_t **bytes, uint32_t *count);
/* What the token is, for "… expected, not X". Lives until the next call with the same buffer. */
const char *ir_lex_describe(const struct ir_token *t, char buffer[static 40]);

#endif
