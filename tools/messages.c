// SPDX-License-Identifier: MIT
/*
 * The compiler's messages as other compilers print them: FILE:LINE:COLUMN: error: TEXT, then the
 * line of the source and a caret below the column. The compiler itself knows no file names; its
 * messages are "ptx: LINE:COLUMN: TEXT", or "ptx: TEXT" without a place.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "tools/tool.h"

#define MAX_SHOWN 160 /* bytes of a source line */

/* Whose messages are about the source file. */
static const char *const prefixes[] = {"ptx: ", "ir: ", "spirv: ", "compile: "};

/* The line with this number, from 1 on; NULL: there is none. */
static const char *find_line(const char *text, size_t bytes, uint64_t number, size_t *length)
{
	const char *end = text + bytes, *at = text, *stop;

	while (at < end && --number) {
		at = memchr(at, '\n', (size_t)(end - at));
		if (!at)
			return NULL;
		at++;
	}
	if (at >= end)
		return NULL;
	stop = memchr(at, '\n', (size_t)(end - at));
	*length = (size_t)((stop ? stop : end) - at);
	return at;
}

/* Prints the line and the caret; a column counts bytes from 1 on. */
static void print_source(const char *line, size_t length, uint64_t column)
{
	size_t shown = length < MAX_SHOWN ? length : MAX_SHOWN;

	if (!column || column > shown + 1)
		return;
	fputc(' ', stderr);
	for (size_t i = 0; i < shown; i++)
		fputc((unsigned char)line[i] < ' ' && line[i] != '\t' ? ' ' : line[i], stderr);
	fputs("\n ", stderr);
	for (size_t i = 0; i + 1 < column; i++)
		if (((unsigned char)line[i] & 0xc0) != 0x80) /* not inside a UTF-8 sequence */
			fputc(line[i] == '\t' ? '\t' : ' ', stderr);
	fputs(has_colour(stderr) ? COLOUR_CARET "^" COLOUR_OFF "\n" : "^\n", stderr);
}

/* Parses "LINE:COLUMN: " and returns what follows; NULL: no place. */
static const char *parse_place(const char *text, uint64_t *line, uint64_t *column)
{
	char *end;

	if (*text < '0' || *text > '9')
		return NULL;
	*line = strtoull(text, &end, 10);
	if (*end != ':' || end[1] < '0' || end[1] > '9')
		return NULL;
	*column = strtoull(end + 1, &end, 10);
	return end[0] == ':' && end[1] == ' ' ? end + 2 : NULL;
}

/* "PLACE: error: " */
__attribute__((format(printf, 1, 2))) static void print_place(const char *format, ...)
{
	bool colour = has_colour(stderr);
	va_list ap;

	fputs(colour ? COLOUR_PLACE : "", stderr);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputs(colour ? ": " COLOUR_ERROR "error:" COLOUR_OFF " " : ": error: ", stderr);
}

static void print_message(const char *path, const char *text, size_t bytes, const char *message,
			  size_t length)
{
	const char *rest = NULL, *source, *said;
	uint64_t line = 0, column = 0;
	size_t source_length;

	for (size_t i = 0; !rest && i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (!strncmp(message, prefixes[i], strlen(prefixes[i])))
			rest = message + strlen(prefixes[i]);
	if (!rest) {
		fprintf(stderr, "%.*s\n", (int)length, message);
		return;
	}
	said = parse_place(rest, &line, &column);
	if (said)
		print_place("%s:%llu:%llu", path, (unsigned long long)line,
			    (unsigned long long)column);
	else
		print_place("%s", path);
	said = said ? said : rest;
	fprintf(stderr, "%.*s\n", (int)(message + length - said), said);
	if (!line)
		return;
	source = find_line(text, bytes, line, &source_length);
	if (source)
		print_source(source, source_length, column);
}

void print_source_messages(const char *path, const char *text, size_t bytes, const char *messages)
{
	while (*messages) {
		size_t length = strcspn(messages, "\n");

		print_message(path, text, bytes, messages, length);
		messages += length + (messages[length] ? 1 : 0);
	}
}
