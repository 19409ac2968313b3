/* SPDX-License-Identifier: MIT */
/*
 * Reads a trace (docs/observability.md) and adds it up: per kernel, direction of copy, call and so on, how
 * often, how long and how many bytes. It takes any JSON that is a trace, whoever wrote it, and says
 * at which byte one is not. A pull parser: values are looked at as they come, and nothing is built.
 */
#include <stdlib.h>
#include <string.h>
#include "tools/trace_summary.h"

#define DEPTH 32u /* of values inside values */

struct reader {
	const char *start, *at, *end;
	const char *why; /* what is wrong; NULL: nothing */
};

static bool wrong(struct reader *r, const char *why)
{
	if (!r->why)
		r->why = why;
	return false;
}

static void blank(struct reader *r)
{
	while (r->at < r->end && strchr(" \t\r\n", *r->at) && *r->at)
		r->at++;
}

/* The next sign, behind blanks; 0: the text is over. */
static char peek(struct reader *r)
{
	blank(r);
	return r->at < r->end ? *r->at : 0;
}

static bool take(struct reader *r, char c)
{
	if (peek(r) != c)
		return false;
	r->at++;
	return true;
}

/* ---- values ---- */

/* Four hexadecimal digits; more than a byte becomes a question mark: names of ours are bytes. */
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

/* Of a longer one the rest is left out. */
static bool read_string(struct reader *r, char *text, size_t bytes)
{
	size_t n = 0;

	if (!take(r, '"'))
		return wrong(r, "a string should be here");
	while (r->at < r->end && *r->at != '"') {
		char c = *r->at++;

		if ((unsigned char)c < 0x20 || (c == '\\' && !read_escape(r, &c)))
			return wrong(r, "a string has a sign that none may have");
		if (n + 1 < bytes)
			text[n++] = c;
	}
	if (bytes)
		text[n] = 0;
	return take(r, '"') || wrong(r, "a string does not end");
}

static bool read_number(struct reader *r, double *out)
{
	char text[64];
	size_t n = 0;
	char *end;

	blank(r);
	while (r->at < r->end && *r->at && strchr("+-.0123456789eE", *r->at) &&
	       n < sizeof(text) - 1)
		text[n++] = *r->at++;
	text[n] = 0;
	*out = strtod(text, &end);
	return (n && !*end && *out >= -1e30 && *out <= 1e30) || wrong(r, "a value should be here");
}

static bool skip(struct reader *r, uint32_t depth);

/* Members or elements; keys: which of the two. */
static bool skip_many(struct reader *r, bool keys, uint32_t depth)
{
	char end = keys ? '}' : ']';

	r->at++;
	if (take(r, end))
		return true;
	do {
		if (keys && (!read_string(r, NULL, 0) || !take(r, ':')))
			return wrong(r, "a member should be here");
		if (!skip(r, depth + 1))
			return false;
	} while (take(r, ','));
	return take(r, end) || wrong(r, "a bracket is not closed");
}

static bool skip(struct reader *r, uint32_t depth)
{
	static const char *const words[] = {"true", "false", "null"};
	char c = peek(r);
	double number;

	if (depth > DEPTH)
		return wrong(r, "values lie too deep in each other");
	if (c == '{' || c == '[')
		return skip_many(r, c == '{', depth);
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
	char phase[4], category[16], name[TRACE_NAME];
	double took, bytes, lost;
	bool cut;
};

static bool read_event(struct reader *r, struct event *e);

static bool read_arguments(struct reader *r, struct event *e)
{
	char key[16];

	if (peek(r) != '{')
		return skip(r, 2);
	r->at++;
	if (take(r, '}'))
		return true;
	do {
		if (!read_string(r, key, sizeof(key)) || !take(r, ':'))
			return wrong(r, "an argument should be here");
		if (!strcmp(key, "bytes") || !strcmp(key, "events")) {
			if (!read_number(r, *key == 'b' ? &e->bytes : &e->lost))
				return false;
			continue;
		}
		e->cut |= !strcmp(key, "cut");
		if (!skip(r, 3))
			return false;
	} while (take(r, ','));
	return take(r, '}') || wrong(r, "a bracket is not closed");
}

static bool read_event(struct reader *r, struct event *e)
{
	char key[16];
	bool good;

	memset(e, 0, sizeof(*e));
	if (!take(r, '{'))
		return wrong(r, "an event should be here");
	if (take(r, '}'))
		return true;
	do {
		if (!read_string(r, key, sizeof(key)) || !take(r, ':'))
			return wrong(r, "a member should be here");
		if (!strcmp(key, "ph"))
			good = read_string(r, e->phase, sizeof(e->phase));
		else if (!strcmp(key, "cat"))
			good = read_string(r, e->category, sizeof(e->category));
		else if (!strcmp(key, "name"))
			good = read_string(r, e->name, sizeof(e->name));
		else if (!strcmp(key, "dur"))
			good = read_number(r, &e->took);
		else if (!strcmp(key, "args"))
			good = read_arguments(r, e);
		else
			good = skip(r, 2);
		if (!good)
			return false;
	} while (take(r, ','));
	return take(r, '}') || wrong(r, "a bracket is not closed");
}

/* ---- sums ---- */

static const char *const categories[TRACE_SUMS] = {
	[TRACE_KERNELS] = "kernel", [TRACE_COPIES] = "copy",        [TRACE_FILLS] = "fill",
	[TRACE_GRAPHS] = "graph",   [TRACE_FUNCTIONS] = "function", [TRACE_CALLS] = "call",
};

/* The same names come again and again: where one of this hash was found last is looked at first. */
static struct trace_row *row_of(struct trace_summary *s, enum trace_sum kind, const char *name)
{
	uint32_t hash = kind, i;
	struct trace_row *r;

	for (const char *p = name; *p; p++)
		hash = hash * 31 + (uint8_t)*p;
	for (i = 0; i < s->count; i++) {
		r = &s->rows[(s->first[hash % TRACE_PLACES] + i) % s->count];
		if (r->kind == kind && !strcmp(r->name, name))
			return s->first[hash % TRACE_PLACES] = (uint32_t)(r - s->rows), r;
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
	r->kind = kind;
	snprintf(r->name, sizeof(r->name), "%s", name);
	s->first[hash % TRACE_PLACES] = s->count - 1;
	return r;
}

static bool add(struct trace_summary *s, const struct event *e)
{
	uint64_t ns = e->took > 0 && e->took < 1e15 ? (uint64_t)(e->took * 1000 + 0.5) : 0;
	struct trace_row *r;
	uint32_t kind;

	if (!strcmp(e->category, "lost") && e->lost > 0 && e->lost < 1e18)
		s->lost += (uint64_t)e->lost;
	if (strcmp(e->phase, "X"))
		return true;
	for (kind = 0; kind < TRACE_SUMS && strcmp(e->category, categories[kind]); kind++)
		;
	if (kind == TRACE_SUMS)
		return true;
	r = row_of(s, kind, e->name);
	if (!r)
		return false;
	r->min_ns = !r->count || ns < r->min_ns ? ns : r->min_ns;
	r->max_ns = ns > r->max_ns ? ns : r->max_ns;
	r->count++;
	r->total_ns += ns;
	r->bytes += e->bytes > 0 && e->bytes < 1e18 ? (uint64_t)e->bytes : 0;
	r->cut += e->cut;
	return true;
}

static bool read_events(struct reader *r, struct trace_summary *s)
{
	struct event e;

	if (!take(r, '['))
		return wrong(r, "traceEvents should be an array");
	if (take(r, ']'))
		return true;
	do {
		if (!read_event(r, &e))
			return false;
		if (!add(s, &e))
			return wrong(r, "there is no memory for what comes here");
	} while (take(r, ','));
	return take(r, ']') || wrong(r, "the events do not end");
}

/* An array of events, or an object that has one. */
static bool read_document(struct reader *r, struct trace_summary *s)
{
	char key[32];
	bool events = false;

	if (peek(r) == '[')
		return read_events(r, s);
	if (!take(r, '{'))
		return wrong(r, "this is no trace");
	do {
		if (!read_string(r, key, sizeof(key)) || !take(r, ':'))
			return wrong(r, "a member should be here");
		events |= !strcmp(key, "traceEvents");
		if (!strcmp(key, "traceEvents") ? !read_events(r, s) : !skip(r, 1))
			return false;
	} while (take(r, ','));
	if (!take(r, '}'))
		return wrong(r, "a bracket is not closed");
	return events || wrong(r, "it has no traceEvents");
}

static int by_time(const void *a, const void *b)
{
	const struct trace_row *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->total_ns != y->total_ns)
		return x->total_ns > y->total_ns ? -1 : 1;
	return strcmp(x->name, y->name);
}

bool trace_summarise(const char *text, size_t bytes, struct trace_summary *sums, char *why,
		size_t why_bytes)
{
	struct reader r = {.start = text, .at = text, .end = text + bytes};

	memset(sums, 0, sizeof(*sums));
	if (read_document(&r, sums) && peek(&r))
		wrong(&r, "something stands behind the trace");
	if (r.why) {
		snprintf(why, why_bytes, "byte %zu: %s", (size_t)(r.at - r.start), r.why);
		trace_summary_free(sums);
		return false;
	}
	if (sums->count)
		qsort(sums->rows, sums->count, sizeof(*sums->rows), by_time);
	return true;
}

void trace_summary_free(struct trace_summary *sums)
{
	free(sums->rows);
	memset(sums, 0, sizeof(*sums));
}

size_t trace_intact_bytes(const char *text, size_t bytes)
{
	static const char begins[] = ",\n{";
	size_t at = bytes;

	if (bytes >= 4 && !memcmp(text + bytes - 4, "\n]}\n", 4))
		return bytes;
	while (at && (bytes - at < 3 || memcmp(text + at, begins, 3)))
		at--;
	return at;
}
