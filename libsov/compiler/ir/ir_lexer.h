/* SPDX-License-Identifier: MIT */
/*
 * Lexer of IR text. Newlines are tokens (an instruction is one line), other white space is not, and
 * ; starts a comment. Tokens point into the text; only quoted names are copied.
 */
#ifndef SOV_COMPILER_IR_LEXER_H
#define SOV_COMPILER_IR_LEXER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libsov/compiler/base/diag.h"

enum lex_kind {
	LEX_END,    /* end of the text */
	LEX_LINE,   /* end of a line */
	LEX_WORD,   /* add.b32 */
	LEX_STRING, /* "a name that is no word"; s and length exclude the quotes */
	LEX_VALUE,  /* %12; s and length exclude the % */
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
	struct ir_token token; /* the current token */
};

void ir_lex_init(struct ir_lexer *l, const char *text, size_t length, struct diag *d);
void ir_lex_next(struct ir_lexer *l);
char ir_lex_peek(const struct ir_lexer *l); /* first character of the next token */
/* Reads the bytes (00 ff a0) between the current token and the end of the line. Returns false after
 * an error. */
bool ir_lex_bytes(struct ir_lexer *l, uint8_t **bytes, uint32_t *count);
/* Describes a token for "… expected, not X". The string is valid until the next call with the same
 * buffer. */
const char *ir_lex_describe(const struct ir_token *t, char buffer[static 40]);

#endif
