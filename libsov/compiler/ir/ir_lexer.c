/* SPDX-License-Identifier: MIT */
/* The lexer of IR text: one token at a time, errors reported where they are found. */
#include <stdio.h>
#include <string.h>
#include "libsov/compiler/ir/ir_lexer.h"
#include "libsov/compiler/base/name_map.h"

void ir_lex_init(struct ir_lexer *l, const char *text, size_t length, struct diag *d)
{
	*l = (struct ir_lexer){
		.diag = d, .at = text, .end = text + length, .line_start = text, .line = 1};
	ir_lex_next(l);
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

/* Two hexadecimal digits at p, or -1. */
static int hex_byte(const char *p, const char *end)
{
	int high, low;

	if (end - p < 2)
		return -1;
	high = hex_digit(p[0]);
	low = hex_digit(p[1]);
	return high < 0 || low < 0 ? -1 : high * 16 + low;
}

static void error_here(struct ir_lexer *l, const char *p, const char *what)
{
	diag_error(l->diag, l->line, (uint32_t)(p - l->line_start) + 1, "%s", what);
}

static void lex_number(struct ir_lexer *l)
{
	struct ir_token *t = &l->token;
	int base = 10, digit;
	bool digits = false, fits = true;

	if (l->end - l->at > 2 && l->at[0] == '0' && (l->at[1] == 'x' || l->at[1] == 'X')) {
		base = 16;
		l->at += 2;
	}
	for (; l->at < l->end && (digit = hex_digit(*l->at)) >= 0 && digit < base; l->at++) {
		fits &= t->number <= (UINT64_MAX - (uint64_t)digit) / (uint64_t)base;
		t->number = t->number * (uint64_t)base + (uint64_t)digit;
		digits = true;
	}
	t->length = (uint32_t)(l->at - t->s);
	if (!digits || (l->at < l->end && ir_word_length(l->at, 1)))
		error_here(l, t->s, "number with a digit that is none; write 12 or 0x0c");
	else if (!fits)
		error_here(l, t->s, "number above 0xffffffffffffffff");
	while (l->at < l->end && ir_word_length(l->at, 1))
		l->at++;
}

static void lex_string(struct ir_lexer *l)
{
	struct ir_token *t = &l->token;
	const char *close = ++l->at;
	char *copy;

	while (close < l->end && *close != '"' && *close != '\n')
		close++;
	copy = arena_alloc(l->diag->arena, (size_t)(close - l->at) + 1);
	while (l->at < close) {
		int byte = (uint8_t)*l->at++;

		if (byte == '\\') {
			byte = hex_byte(l->at, close);
			l->at += byte < 0 ? 0 : 2;
		}
		if (byte <= 0) {
			error_here(l, t->s,
				   "name with a bad escape; write \\xx, two hexadecimal "
				   "digits that are not 00");
			byte = '?';
		}
		copy[t->length++] = (char)byte;
	}
	if (close < l->end && *close == '"')
		l->at++;
	else
		error_here(l, t->s, "name without its closing quote");
	t->s = copy;
}

static void skip_blanks(struct ir_lexer *l)
{
	while (l->at < l->end && (*l->at == ' ' || *l->at == '\t' || *l->at == '\r'))
		l->at++;
	if (l->at < l->end && *l->at == ';')
		while (l->at < l->end && *l->at != '\n')
			l->at++;
}

void ir_lex_next(struct ir_lexer *l)
{
	struct ir_token *t = &l->token;

	skip_blanks(l);
	*t = (struct ir_token){
		.s = l->at, .line = l->line, .column = (uint32_t)(l->at - l->line_start) + 1};
	if (l->at == l->end)
		return;
	t->length = (uint32_t)ir_word_length(l->at, (size_t)(l->end - l->at));
	if (t->length) {
		t->kind = LEX_WORD;
		l->at += t->length;
	} else if (*l->at >= '0' && *l->at <= '9') {
		t->kind = LEX_NUMBER;
		lex_number(l);
	} else if (*l->at == '"') {
		t->kind = LEX_STRING;
		lex_string(l);
	} else if (*l->at == '\n') {
		t->kind = LEX_LINE;
		l->line_start = ++l->at;
		l->line++;
	} else if (*l->at == '%') {
		t->kind = LEX_VALUE;
		for (t->s = ++l->at; l->at < l->end; l->at++, t->length++)
			if (!ir_word_length(l->at, 1) && !(*l->at >= '0' && *l->at <= '9') &&
			    *l->at != '.')
				break;
	} else {
		t->kind = LEX_SIGN;
		t->number = (uint8_t)*l->at++;
		t->length = 1;
	}
}

char ir_lex_peek(const struct ir_lexer *l)
{
	struct ir_lexer ahead = *l;

	skip_blanks(&ahead);
	return ahead.at < ahead.end ? *ahead.at : '\n';
}

bool ir_lex_bytes(struct ir_lexer *l, uint8_t **bytes, uint32_t *count)
{
	uint32_t capacity = 0;

	for (;;) {
		int byte;

		skip_blanks(l);
		if (l->at == l->end || *l->at == '\n')
			break;
		byte = hex_byte(l->at, l->end);
		if (byte < 0) {
			error_here(l, l->at, "bytes of a variable are two hexadecimal digits each");
			ir_lex_next(l);
			return false;
		}
		*bytes = arena_grow(l->diag->arena, *bytes, &capacity, *count + 1, 1);
		(*bytes)[(*count)++] = (uint8_t)byte;
		l->at += 2;
	}
	ir_lex_next(l);
	return true;
}

const char *ir_lex_describe(const struct ir_token *t, char buffer[static 40])
{
	if (t->kind == LEX_END)
		snprintf(buffer, 40, "the end of the text");
	else if (t->kind == LEX_LINE)
		snprintf(buffer, 40, "the end of the line");
	else if (t->kind == LEX_SIGN && (t->number < ' ' || t->number > '~'))
		snprintf(buffer, 40, "the byte 0x%02x", (unsigned)t->number);
	else
		snprintf(buffer, 40, "'%s%.*s'", t->kind == LEX_VALUE ? "%" : "",
			 t->length < 30 ? (int)t->length : 30, t->s);
	for (char *c = buffer; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	return buffer;
}
