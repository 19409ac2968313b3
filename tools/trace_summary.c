// SPDX-License-Identifier: MIT
/*
 * Summarises a trace (docs/observability.md): count, duration and bytes per kernel, copy direction,
 * call and so on. It accepts traces of any program in Chrome's JSON format and names the byte of a
 * syntax error. A pull parser: it processes values as it reads them and builds no tree.
 */
#include <stdlib.h>
#include <string.h>
#include "tools/trace_summary.h"

#define MAX_DEPTH 32u /* of nested values */

struct reader {
	const char *start, *at, *end;
	const char *why; /* error message; NULL: no error */
};

static bool reader_fail(struct reader *r, const char *why)
{
	if (!r->why)
		r->why = why;
	return false;
}

static void skip_blanks(struct reader *r)
{
	while (r->at < r->end && strchr(" \t\r\n", *r->at) && *r->at)
		r->at++;
}

/* The next character that is not blank; 0: end of the text. */
static char reader_peek(struct reader *r)
{
	skip_blanks(r);
	return r->at < r->end ? *r->at : 0;
}

static bool reader_accept(struct reader *r, char c)
{
	if (reader_peek(r) != c)
		return false;
	r->at++;
	return true;
}

/* ---- values ---- */

/* Escapes after the backslash. A \u code point above 0xff becomes a question mark: names are
 * bytes. */
static bool read_escape(struct reader *r, char *out)
{
	static const char plain[] = "\"\\/bfnrt", means[] = "\"\\/\b\f\n\r\t";
	const char *known;
	uint32_t n = 0, i;

	if (r->at == r->end)
		return false;
	known = strchr(plain, *r->at);
	if (*r->at && known) {
		*out = means[known - plain];
		r->at++;
		return true;
	}
	if (*r->at++ != 'u' || r->end - r->at < 4)
		return false;
	for (i = 0; i < 4; i++, r->at++) {
		const char *digit = strchr("0123456789abcdef", *r->at | 0x20);

		if (!*r->at || !digit)
			return false;
		n = n << 4 | (uint32_t)(digit - "0123456789abcdef");
	}
	*out = n && n < 0x100 ? (char)n : '?';
	return true;
}

/* Truncates the string to bytes - 1. */
static bool read_string(struct reader *r, char *text, size_t bytes)
{
	size_t n = 0;

	if (!reader_accept(r, '"'))
		return reader_fail(r, "expected a string");
	while (r->at < r->end && *r->at != '"') {
		char c = *r->at++;

		if ((unsigned char)c < 0x20 || (c == '\\' && !read_escape(r, &c)))
			return reader_fail(r, "invalid character in a string");
		if (n + 1 < bytes)
			text[n++] = c;
	}
	if (bytes)
		text[n] = 0;
	return reader_accept(r, '"') || reader_fail(r, "unterminated string");
}

static bool read_number(struct reader *r, double *out)
{
	char text[64];
	size_t n = 0;
	char *end;

	skip_blanks(r);
	while (r->at < r->end && *r->at && strchr("+-.0123456789eE", *r->at) &&
	       n < sizeof(text) - 1)
		text[n++] = *r->at++;
	text[n] = 0;
	*out = strtod(text, &end);
	return (n && !*end && *out >= -1e30 && *out <= 1e30) || reader_fail(r, "expected a value");
}

static bool skip_value(struct reader *r, uint32_t depth);

/* Skips an object (keys) or an array. */
static bool skip_container(struct reader *r, bool keys, uint32_t depth)
{
	char end = keys ? '}' : ']';

	r->at++;
	if (reader_accept(r, end))
		return true;
	do {
		if (keys && (!read_string(r, NULL, 0) || !reader_accept(r, ':')))
			return reader_fail(r, "expected a member");
		if (!skip_value(r, depth + 1))
			return false;
	} while (reader_accept(r, ','));
	return reader_accept(r, end) || reader_fail(r, "unclosed bracket");
}

static bool skip_value(struct reader *r, uint32_t depth)
{
	static const char *const words[] = {"true", "false", "null"};
	char c = reader_peek(r);
	double number;

	if (depth > MAX_DEPTH)
		return reader_fail(r, "values are nested too deeply");
	if (c == '{' || c == '[')
		return skip_container(r, c == '{', depth);
	if (c == '"')
		return read_string(r, NULL, 0);
	for (size_t i = 0; i < 3; i++)
		if ((size_t)(r->end - r->at) >= strlen(words[i]) &&
		    !memcmp(r->at, words[i], strlen(words[i]))) {
			r->at += strlen(words[i]);
			return true;
		}
	return read_number(r, &number);
}

/* ---- events ---- */

struct event {
	char phase[4], category[16], name[TRACE_NAME_BYTES];
	double duration_us, bytes, lost;
	bool unfinished;
};

static bool read_event(struct reader *r, struct event *e);

static bool read_arguments(struct reader *r, struct event *e)
{
	char key[16];

	if (reader_peek(r) != '{')
		return skip_value(r, 2);
	r->at++;
	if (reader_accept(r, '}'))
		return true;
	do {
		if (!read_string(r, key, sizeof(key)) || !reader_accept(r, ':'))
			return reader_fail(r, "expected an argument");
		if (!strcmp(key, "bytes") || !strcmp(key, "events")) {
			if (!read_number(r, *key == 'b' ? &e->bytes : &e->lost))
				return false;
			continue;
		}
		e->unfinished |= !strcmp(key, "cut");
		if (!skip_value(r, 3))
			return false;
	} while (reader_accept(r, ','));
	return reader_accept(r, '}') || reader_fail(r, "unclosed bracket");
}

static bool read_event(struct reader *r, struct event *e)
{
	char key[16];
	bool good;

	memset(e, 0, sizeof(*e));
	if (!reader_accept(r, '{'))
		return reader_fail(r, "expected an event");
	if (reader_accept(r, '}'))
		return true;
	do {
		if (!read_string(r, key, sizeof(key)) || !reader_accept(r, ':'))
			return reader_fail(r, "expected a member");
		if (!strcmp(key, "ph"))
			good = read_string(r, e->phase, sizeof(e->phase));
		else if (!strcmp(key, "cat"))
			good = read_string(r, e->category, sizeof(e->category));
		else if (!strcmp(key, "name"))
			good = read_string(r, e->name, sizeof(e->name));
		else if (!strcmp(key, "dur"))
			good = read_number(r, &e->duration_us);
		else if (!strcmp(key, "args"))
			good = read_arguments(r, e);
		else
			good = skip_value(r, 2);
		if (!good)
			return false;
	} while (reader_accept(r, ','));
	return reader_accept(r, '}') || reader_fail(r, "unclosed bracket");
}

/* ---- summary ---- */

static const char *const category_names[TRACE_CATEGORIES] = {
	[TRACE_KERNELS] = "kernel",     [TRACE_COPIES] = "copy", [TRACE_FILLS] = "fill",
	[TRACE_FUNCTIONS] = "function", [TRACE_CALLS] = "call",
};

/* Finds or adds a row. Names repeat, so the search starts at the last row found with this hash. */
static struct trace_row *find_row(struct trace_summary *s, enum trace_category category,
				  const char *name)
{
	uint32_t hash = category, i;
	struct trace_row *r;

	for (const char *p = name; *p; p++)
		hash = hash * 31 + (uint8_t)*p;
	for (i = 0; i < s->count; i++) {
		r = &s->rows[(s->last_row[hash % TRACE_HASH_SIZE] + i) % s->count];
		if (r->category == category && !strcmp(r->name, name))
			return s->last_row[hash % TRACE_HASH_SIZE] = (uint32_t)(r - s->rows), r;
	}
	if (s->count == s->capacity) {
		uint32_t capacity = s->capacity ? 2 * s->capacity : 64;
		struct trace_row *more = realloc(s->rows, capacity * sizeof(*more));

		if (!more)
			return NULL;
		s->rows = more;
		s->capacity = capacity;
	}
	r = &s->rows[s->count++];
	memset(r, 0, sizeof(*r));
	r->category = category;
	snprintf(r->name, sizeof(r->name), "%s", name);
	s->last_row[hash % TRACE_HASH_SIZE] = s->count - 1;
	return r;
}

static bool add_event(struct trace_summary *s, const struct event *e)
{
	uint64_t ns = e->duration_us > 0 && e->duration_us < 1e15
			      ? (uint64_t)(e->duration_us * 1000 + 0.5)
			      : 0;
	struct trace_row *r;
	uint32_t category;

	if (!strcmp(e->category, "lost") && e->lost > 0 && e->lost < 1e18)
		s->lost += (uint64_t)e->lost;
	if (strcmp(e->phase, "X"))
		return true;
	for (category = 0;
	     category < TRACE_CATEGORIES && strcmp(e->category, category_names[category]);
	     category++)
		;
	if (category == TRACE_CATEGORIES)
		return true;
	r = find_row(s, category, e->name);
	if (!r)
		return false;
	r->min_ns = !r->count || ns < r->min_ns ? ns : r->min_ns;
	r->max_ns = ns > r->max_ns ? ns : r->max_ns;
	r->count++;
	r->total_ns += ns;
	r->bytes += e->bytes > 0 && e->bytes < 1e18 ? (uint64_t)e->bytes : 0;
	r->unfinished += e->unfinished;
	return true;
}

static bool read_events(struct reader *r, struct trace_summary *s)
{
	struct event e;

	if (!reader_accept(r, '['))
		return reader_fail(r, "traceEvents is not an array");
	if (reader_accept(r, ']'))
		return true;
	do {
		if (!read_event(r, &e))
			return false;
		if (!add_event(s, &e))
			return reader_fail(r, "out of memory");
	} while (reader_accept(r, ','));
	return reader_accept(r, ']') || reader_fail(r, "unclosed array of events");
}

/* The document is an array of events or an object with the member traceEvents. */
static bool read_document(struct reader *r, struct trace_summary *s)
{
	char key[32];
	bool events = false;

	if (reader_peek(r) == '[')
		return read_events(r, s);
	if (!reader_accept(r, '{'))
		return reader_fail(r, "expected an object or an array");
	do {
		if (!read_string(r, key, sizeof(key)) || !reader_accept(r, ':'))
			return reader_fail(r, "expected a member");
		events |= !strcmp(key, "traceEvents");
		if (!strcmp(key, "traceEvents") ? !read_events(r, s) : !skip_value(r, 1))
			return false;
	} while (reader_accept(r, ','));
	if (!reader_accept(r, '}'))
		return reader_fail(r, "unclosed bracket");
	return events || reader_fail(r, "traceEvents is missing");
}

static int compare_rows(const void *a, const void *b)
{
	const struct trace_row *x = a, *y = b;

	if (x->category != y->category)
		return x->category < y->category ? -1 : 1;
	if (x->total_ns != y->total_ns)
		return x->total_ns > y->total_ns ? -1 : 1;
	return strcmp(x->name, y->name);
}

bool trace_summarise(const char *text, size_t bytes, struct trace_summary *summary, char *why,
		     size_t why_bytes)
{
	struct reader r = {.start = text, .at = text, .end = text + bytes};

	memset(summary, 0, sizeof(*summary));
	if (read_document(&r, summary) && reader_peek(&r))
		reader_fail(&r, "unexpected text after the trace");
	if (r.why) {
		snprintf(why, why_bytes, "byte %zu: %s", (size_t)(r.at - r.start), r.why);
		trace_summary_free(summary);
		return false;
	}
	if (summary->count)
		qsort(summary->rows, summary->count, sizeof(*summary->rows), compare_rows);
	return true;
}

void trace_summary_free(struct trace_summary *summary)
{
	free(summary->rows);
	memset(summary, 0, sizeof(*summary));
}

size_t trace_intact_bytes(const char *text, size_t bytes)
{
	static const char event_start[] = ",\n{";
	size_t at = bytes;

	if (bytes >= 4 && !memcmp(text + bytes - 4, "\n]}\n", 4))
		return bytes;
	while (at && (bytes - at < 3 || memcmp(text + at, event_start, 3)))
		at--;
	return at;
}
