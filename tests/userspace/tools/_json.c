// SPDX-License-Identifier: MIT
/*
 * JSON validator (RFC 8259) for tests of --json: exits with 0 if standard input is exactly one
 * value; otherwise prints the offset of the first error and exits with 1.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static char text[1 << 26];
static const char *at = text;

static bool parse_value(int depth);

static void skip_blanks(void)
{
	at += strspn(at, " \t\r\n");
}

static bool accept(const char *word)
{
	size_t n = strlen(word);

	if (strncmp(at, word, n))
		return false;
	at += n;
	return true;
}

static bool parse_string(void)
{
	if (!accept("\""))
		return false;
	while (*at && *at != '"') {
		if ((unsigned char)*at < 0x20)
			return false;
		if (*at++ != '\\')
			continue;
		if (*at == 'u') {
			if (strspn(at + 1, "0123456789abcdefABCDEF") < 4)
				return false;
			at += 5;
		} else if (!*at || !strchr("\"\\/bfnrt", *at++)) {
			return false;
		}
	}
	return accept("\"");
}

static bool parse_digits(void)
{
	size_t n = strspn(at, "0123456789");

	at += n;
	return n > 0;
}

static bool parse_number(void)
{
	accept("-");
	if (!accept("0") && !parse_digits())
		return false;
	if (accept(".") && !parse_digits())
		return false;
	if (accept("e") || accept("E")) {
		if (!accept("+"))
			accept("-");
		return parse_digits();
	}
	return true;
}

static bool parse_container(const char *end, bool keys, int depth)
{
	skip_blanks();
	if (accept(end))
		return true;
	do {
		skip_blanks();
		if (keys) {
			if (!parse_string())
				return false;
			skip_blanks();
			if (!accept(":"))
				return false;
		}
		if (!parse_value(depth + 1))
			return false;
		skip_blanks();
	} while (accept(","));
	return accept(end);
}

static bool parse_value(int depth)
{
	skip_blanks();
	if (depth > 100)
		return false;
	if (accept("{"))
		return parse_container("}", true, depth);
	if (accept("["))
		return parse_container("]", false, depth);
	if (*at == '"')
		return parse_string();
	return accept("true") || accept("false") || accept("null") || parse_number();
}

int main(void)
{
	size_t n = fread(text, 1, sizeof(text) - 1, stdin);
	bool good = feof(stdin) && strlen(text) == n && parse_value(0);

	skip_blanks();
	if (good && !*at)
		return 0;
	fprintf(stderr, "invalid JSON at byte %zu: %.40s\n", (size_t)(at - text), at);
	return 1;
}
