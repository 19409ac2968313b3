/* SPDX-License-Identifier: MIT */
/*
 * Says whether standard input is one JSON value (RFC 8259) and nothing else: exit status 0 and
 * silence, or 1 and the byte where it stops being one. For tests of --json.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static char text[1 << 26];
static const char *at = text;

static bool value(int depth);

static void blank(void)
{
	at += strspn(at, " \t\r\n");
}

static bool take(const char *word)
{
	size_t n = strlen(word);

	if (strncmp(at, word, n))
		return false;
	at += n;
	return true;
}

static bool string(void)
{
	if (!take("\""))
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
	return take("\"");
}

static bool digits(void)
{
	size_t n = strspn(at, "0123456789");

	at += n;
	return n > 0;
}

static bool number(void)
{
	take("-");
	if (!take("0") && !digits())
		return false;
	if (take(".") && !digits())
		return false;
	if (take("e") || take("E")) {
		if (!take("+"))
			take("-");
		return digits();
	}
	return true;
}

static bool list(const char *end, bool keys, int depth)
{
	blank();
	if (take(end))
		return true;
	do {
		blank();
		if (keys) {
			if (!string())
				return false;
			blank();
			if (!take(":"))
				return false;
		}
		if (!value(depth + 1))
			return false;
		blank();
	} while (take(","));
	return take(end);
}

static bool value(int depth)
{
	blank();
	if (depth > 100)
		return false;
	if (take("{"))
		return list("}", true, depth);
	if (take("["))
		return list("]", false, depth);
	if (*at == '"')
		return string();
	return take("true") || take("false") || take("null") || number();
}

int main(void)
{
	size_t n = fread(text, 1, sizeof(text) - 1, stdin);
	bool good = feof(stdin) && strlen(text) == n && value(0);

	blank();
	if (good && !*at)
		return 0;
	fprintf(stderr, "not JSON from byte %zu on: %.40s\n", (size_t)(at - text), at);
	return 1;
}
