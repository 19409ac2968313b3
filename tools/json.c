/* SPDX-License-Identifier: MIT */
/*
 * A JSON writer: values in the order they come, commas and escapes by itself. Names come out of
 * files and may hold any byte: one that is not ASCII is written as the character of that number, so
 * that the text is JSON whatever the file says.
 */
#include <assert.h>
#include "tools/tool.h"

static void quoted(FILE *out, const char *s)
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

static void begin(struct json *j, const char *key)
{
	if (j->filled[j->depth])
		fputs(", ", j->out);
	j->filled[j->depth] = true;
	if (key) {
		quoted(j->out, key);
		fputs(": ", j->out);
	}
}

static void open_with(struct json *j, const char *key, char bracket)
{
	begin(j, key);
	fputc(bracket, j->out);
	j->depth++;
	assert(j->depth < sizeof(j->filled));
	j->filled[j->depth] = false;
}

static void close_with(struct json *j, char bracket)
{
	fputc(bracket, j->out);
	if (!--j->depth)
		fputc('\n', j->out);
}

void json_object(struct json *j, const char *key)
{
	open_with(j, key, '{');
}

void json_array(struct json *j, const char *key)
{
	open_with(j, key, '[');
}

void json_end_object(struct json *j)
{
	close_with(j, '}');
}

void json_end_array(struct json *j)
{
	close_with(j, ']');
}

void json_string(struct json *j, const char *key, const char *value)
{
	begin(j, key);
	quoted(j->out, value);
}

void json_u64(struct json *j, const char *key, uint64_t value)
{
	begin(j, key);
	fprintf(j->out, "%llu", (unsigned long long)value);
}

void json_bool(struct json *j, const char *key, bool value)
{
	begin(j, key);
	fputs(value ? "true" : "false", j->out);
}

void json_raw(struct json *j, const char *key, const char *number)
{
	begin(j, key);
	fputs(number, j->out);
}

void json_triple(struct json *j, const char *key, const uint32_t value[3])
{
	json_array(j, key);
	for (int i = 0; i < 3; i++)
		json_u64(j, NULL, value[i]);
	json_end_array(j);
}
