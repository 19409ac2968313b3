// SPDX-License-Identifier: MIT
/*
 * The lexer. Its state is a few pointers, so a copy can look ahead without reporting errors, which
 * finds the labels of a block before the block is parsed.
 */
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include "libsov/compiler/ptx/front_end.h"

#define MAX_DECIMAL 64 /* characters of a decimal float */

/* Character classes. */
enum {
	LETTER = 1,
	DIGIT = 2,
	BLANK = 4,
	PUNCTUATION = 8,
	PAIR_START = 16, /* may start a two-character operator */
	SKIP_STOP = 32,  /* ptx_lex_skip stops at it */
};

#define LETTERS(c) \
	[c] = LETTER, [c + 1] = LETTER, [c + 2] = LETTER, [c + 3] = LETTER, [c + 4] = LETTER, \
	[c + 5] = LETTER, [c + 6] = LETTER, [c + 7] = LETTER, [c + 8] = LETTER, [c + 9] = LETTER, \
	[c + 10] = LETTER, [c + 11] = LETTER, [c + 12] = LETTER

static const uint8_t classes[256] = {
	LETTERS('a'),
	LETTERS('n'),
	LETTERS('A'),
	LETTERS('N'),
	['_'] = LETTER,
	['$'] = LETTER,
	['0'] = DIGIT,
	['1'] = DIGIT,
	['2'] = DIGIT,
	['3'] = DIGIT,
	['4'] = DIGIT,
	['5'] = DIGIT,
	['6'] = DIGIT,
	['7'] = DIGIT,
	['8'] = DIGIT,
	['9'] = DIGIT,
	[' '] = BLANK,
	['\t'] = BLANK,
	['\r'] = BLANK,
	['\v'] = BLANK,
	['\f'] = BLANK,
	['('] = PUNCTUATION,
	[')'] = PUNCTUATION,
	['['] = PUNCTUATION,
	[']'] = PUNCTUATION,
	['{'] = PUNCTUATION | SKIP_STOP,
	['}'] = PUNCTUATION | SKIP_STOP,
	[';'] = PUNCTUATION | SKIP_STOP,
	['"'] = SKIP_STOP,
	['\n'] = SKIP_STOP,
	[','] = PUNCTUATION,
	[':'] = PUNCTUATION,
	['+'] = PUNCTUATION,
	['-'] = PUNCTUATION,
	['*'] = PUNCTUATION,
	['/'] = PUNCTUATION | SKIP_STOP,
	['%'] = PUNCTUATION,
	['^'] = PUNCTUATION,
	['~'] = PUNCTUATION,
	['?'] = PUNCTUATION,
	['@'] = PUNCTUATION,
	['<'] = PUNCTUATION | PAIR_START,
	['>'] = PUNCTUATION | PAIR_START,
	['='] = PUNCTUATION | PAIR_START,
	['!'] = PUNCTUATION | PAIR_START,
	['&'] = PUNCTUATION | PAIR_START,
	['|'] = PUNCTUATION | PAIR_START,
};

static bool has_class(char c, uint8_t class)
{
	return classes[(unsigned char)c] & class;
}

static bool is_digit(char c)
{
	return has_class(c, DIGIT);
}

static bool starts_name(char c)
{
	return has_class(c, LETTER);
}

static bool in_name(char c)
{
	return has_class(c, LETTER | DIGIT);
}

static char peek(const struct ptx_lexer *l, size_t ahead)
{
	return ahead < (size_t)(l->end - l->at) ? l->at[ahead] : '\0';
}

static void skip_newline(struct ptx_lexer *l)
{
	l->at++;
	l->line++;
	l->line_start = l->at;
}

#define lex_error(l, t, ...) \
	((l)->diag ? diag_error((l)->diag, (t)->line, (t)->column, __VA_ARGS__) : (void)0)

static void start_token(const struct ptx_lexer *l, struct ptx_token *t)
{
	t->line = l->line;
	t->column = (uint32_t)(l->at - l->line_start) + 1;
	t->text = l->at;
	t->length = 0;
}

static void skip_block_comment(struct ptx_lexer *l)
{
	struct ptx_token start;

	start_token(l, &start);
	for (l->at += 2; l->at < l->end;) {
		if (l->at[0] == '*' && peek(l, 1) == '/') {
			l->at += 2;
			return;
		}
		if (*l->at == '\n')
			skip_newline(l);
		else
			l->at++;
	}
	l->truncated = true;
	lex_error(l, &start, "comment is not closed; '*/' is missing");
}

static void skip_blanks(struct ptx_lexer *l)
{
	while (l->at < l->end) {
		char c = *l->at;

		if (c == '\n')
			skip_newline(l);
		else if (has_class(c, BLANK))
			l->at++;
		else if (c == '/' && peek(l, 1) == '/')
			while (l->at < l->end && *l->at != '\n')
				l->at++;
		else if (c == '/' && peek(l, 1) == '*')
			skip_block_comment(l);
		else
			return;
	}
}

static int digit_value(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 99;
}

/* false: there is no digit, one is not of the base, or the value exceeds 64 bits. */
static bool read_digits(const char *s, size_t n, unsigned base, uint64_t *value)
{
	uint64_t v = 0;

	for (size_t i = 0; i < n; i++) {
		unsigned d = (unsigned)digit_value(s[i]);

		if (d >= base || __builtin_mul_overflow(v, (uint64_t)base, &v) ||
		    __builtin_add_overflow(v, (uint64_t)d, &v))
			return false;
	}
	*value = v;
	return n > 0;
}

/* PTX always uses a decimal point, so parse in the C locale, not in the user's. */
static bool read_decimal(const char *s, size_t n, uint64_t *bits)
{
	char text[MAX_DECIMAL + 1], *end;
	locale_t c_locale;
	double value;

	if (n > MAX_DECIMAL)
		return false;
	c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	if (!c_locale)
		return false;
	memcpy(text, s, n);
	text[n] = '\0';
	value = strtod_l(text, &end, c_locale);
	freelocale(c_locale);
	memcpy(bits, &value, sizeof(value));
	return end == text + n;
}

static bool read_integer(struct ptx_token *t)
{
	const char *s = t->text;
	size_t n = t->length;

	t->kind = TOKEN_INTEGER;
	if (s[n - 1] == 'U') {
		t->is_unsigned = true;
		n--;
	}
	if (n > 1 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X'))
		return read_digits(s + 2, n - 2, 16, &t->integer);
	if (n > 1 && s[0] == '0' && (s[1] == 'b' || s[1] == 'B'))
		return read_digits(s + 2, n - 2, 2, &t->integer);
	if (n > 1 && s[0] == '0')
		return read_digits(s + 1, n - 1, 8, &t->integer);
	return read_digits(s, n, 10, &t->integer);
}

static void lex_number(struct ptx_lexer *l, struct ptx_token *t)
{
	char second = peek(l, 1);
	bool prefixed = *l->at == '0' && starts_name(second) && second != 'e' && second != 'E';
	bool decimal = false, good;

	for (;; l->at++) {
		char c = peek(l, 0);

		if (!prefixed && (c == '.' || c == 'e' || c == 'E'))
			decimal = true;
		else if (decimal && (c == '+' || c == '-') &&
			 (l->at[-1] == 'e' || l->at[-1] == 'E'))
			continue;
		else if (!in_name(c))
			break;
	}
	t->length = (uint32_t)(l->at - t->text);
	if (prefixed && (second == 'f' || second == 'F' || second == 'd' || second == 'D')) {
		t->kind = TOKEN_FLOAT;
		t->bits = second == 'f' || second == 'F' ? 32 : 64;
		good = t->length == 2u + t->bits / 4 &&
		       read_digits(t->text + 2, t->length - 2, 16, &t->integer);
	} else if (decimal) {
		t->kind = TOKEN_FLOAT;
		good = read_decimal(t->text, t->length, &t->integer);
	} else {
		good = read_integer(t);
		t->is_unsigned |= t->integer > INT64_MAX;
	}
	if (good)
		return;
	t->kind = TOKEN_BAD;
	lex_error(l, t, "malformed number '%.*s'", TEXT(t));
}

static void lex_string(struct ptx_lexer *l, struct ptx_token *t)
{
	t->kind = TOKEN_STRING;
	t->text = ++l->at;
	while (l->at < l->end && *l->at != '"' && *l->at != '\n')
		l->at += *l->at == '\\' && l->end - l->at > 1 && l->at[1] != '\n' ? 2 : 1;
	t->length = (uint32_t)(l->at - t->text);
	if (peek(l, 0) == '"') {
		l->at++;
		return;
	}
	t->kind = TOKEN_BAD;
	lex_error(l, t, "string is not closed before the end of its line");
}

static void lex_keyword(struct ptx_lexer *l, struct ptx_token *t)
{
	t->kind = TOKEN_KEYWORD;
	l->at++;
	while (in_name(peek(l, 0)) ||
	       (peek(l, 0) == ':' && peek(l, 1) == ':' && in_name(peek(l, 2))))
		l->at += *l->at == ':' ? 2 : 1;
	t->length = (uint32_t)(l->at - t->text);
}

static void lex_punctuation(struct ptx_lexer *l, struct ptx_token *t)
{
	static const char pairs[][3] = {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
	unsigned char c = (unsigned char)*l->at;

	for (size_t i = 0; has_class(*l->at, PAIR_START) && i < sizeof(pairs) / sizeof(pairs[0]);
	     i++) {
		if (c == pairs[i][0] && peek(l, 1) == pairs[i][1]) {
			t->kind = PAIR(pairs[i][0], pairs[i][1]);
			t->length = 2;
			l->at += 2;
			return;
		}
	}
	t->length = 1;
	t->kind = c;
	if (has_class(*l->at++, PUNCTUATION))
		return;
	t->kind = TOKEN_BAD;
	if (c >= ' ' && c < 0x7f)
		lex_error(l, t, "unexpected character '%c'", c);
	else
		lex_error(l, t, "unexpected byte 0x%02x", c);
}

void ptx_lex(struct ptx_lexer *l, struct ptx_token *t)
{
	char c, second;

	memset(t, 0, sizeof(*t));
	skip_blanks(l);
	start_token(l, t);
	if (l->at == l->end) {
		t->kind = TOKEN_END;
		return;
	}
	c = *l->at;
	second = peek(l, 1);
	if (is_digit(c)) {
		lex_number(l, t);
	} else if (starts_name(c) || (c == '%' && starts_name(second))) {
		t->kind = TOKEN_NAME;
		for (l->at++; l->at < l->end && in_name(*l->at); l->at++)
			;
		t->length = (uint32_t)(l->at - t->text);
	} else if (c == '.' && in_name(second)) {
		lex_keyword(l, t);
	} else if (c == '"') {
		lex_string(l, t);
	} else {
		lex_punctuation(l, t);
	}
}

void ptx_lex_skip(struct ptx_lexer *l)
{
	struct ptx_token t;

	for (;;) {
		while (l->at < l->end && !has_class(*l->at, SKIP_STOP))
			l->at++;
		switch (peek(l, 0)) {
		case '\n':
			skip_newline(l);
			break;
		case '"':
			lex_string(l, &t);
			break;
		case '/':
			skip_blanks(l);
			l->at += peek(l, 0) == '/';
			break;
		default:
			return;
		}
	}
}
