// SPDX-License-Identifier: MIT
/*
 * Streaming JSON writer that adds commas and escapes. Names come from files and may contain any
 * byte: a byte outside ASCII is written as the code point of that number (Latin-1), so that the
 * output is always valid JSON.
 */
#include <assert.h>
#include "tools/tool.h"

static void write_quoted(FILE *out, const char *s)
{
	fputc('"', out);
	for (; *s; s++) {
		unsigned char c = *s;

		if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else if (c < 0x20 || c >= 0x7f)
			fprintf(out, "\\u%04x", c);
		else
			fputc(c, out);
	}
	fputc('"', out);
}

static void begin_value(struct json *j, const char *key)
{
	if (j->filled[j->depth])
		fputs(", ", j->out);
	j->filled[j->depth] = true;
	if (key) {
		write_quoted(j->out, key);
		fputs(": ", j->out);
	}
}

static void open_bracket(struct json *j, const char *key, char bracket)
{
	begin_value(j, key);
	fputc(bracket, j->out);
	j->depth++;
	assert(j->depth < sizeof(j->filled));
	j->filled[j->depth] = false;
}

static void close_bracket(struct json *j, char bracket)
{
	fputc(bracket, j->out);
	if (!--j->depth)
		fputc('\n', j->out);
}

void json_object(struct json *j, const char *key)
{
	open_bracket(j, key, '{');
}

void json_array(struct json *j, const char *key)
{
	open_bracket(j, key, '[');
}

void json_end_object(struct json *j)
{
	close_bracket(j, '}');
}

void json_end_array(struct json *j)
{
	close_bracket(j, ']');
}

void json_string(struct json *j, const char *key, const char *value)
{
	begin_value(j, key);
	write_quoted(j->out, value);
}

void json_u64(struct json *j, const char *key, uint64_t value)
{
	begin_value(j, key);
	fprintf(j->out, "%llu", (unsigned long long)value);
}

void json_bool(struct json *j, const char *key, bool value)
{
	begin_value(j, key);
	fputs(value ? "true" : "false", j->out);
}

void json_raw(struct json *j, const char *key, const char *number)
{
	begin_value(j, key);
	fputs(number, j->out);
}

void json_triple(struct json *j, const char *key, const uint32_t value[3])
{
	json_array(j, key);
	for (int i = 0; i < 3; i++)
		json_u64(j, NULL, value[i]);
	json_end_array(j);
}
