// SPDX-License-Identifier: MIT
/*
 * Parser for kernel arguments on the command line: "u32:5", "buf:f32:1024:iota:print=4". It splits
 * a word at its colons and looks types and items up in tables; error messages name the argument by
 * number and text.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "tools/tool.h"

static const struct element elements[] = {
	{"u8", 1, ELEMENT_UNSIGNED},  {"s8", 1, ELEMENT_SIGNED},    {"u16", 2, ELEMENT_UNSIGNED},
	{"s16", 2, ELEMENT_SIGNED},   {"u32", 4, ELEMENT_UNSIGNED}, {"s32", 4, ELEMENT_SIGNED},
	{"u64", 8, ELEMENT_UNSIGNED}, {"s64", 8, ELEMENT_SIGNED},   {"f32", 4, ELEMENT_FLOAT},
	{"f64", 8, ELEMENT_FLOAT},
};

struct argument_parser { /* the verb and the number are for error messages */
	const struct verb *verb;
	unsigned number;
	struct argument *a;
};

__attribute__((format(printf, 2, 3))) static bool argument_error(const struct argument_parser *p,
								 const char *fmt, ...)
{
	char message[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	usage_error(p->verb, "argument %u '%s': %s", p->number, p->a->text, message);
	return false;
}

static const struct element *find_element(const char *name)
{
	for (size_t i = 0; i < sizeof(elements) / sizeof(*elements); i++)
		if (!strcmp(elements[i].name, name))
			return &elements[i];
	return NULL;
}

static bool parse_float(const struct element *e, const char *text, uint64_t *bits)
{
	char *end;

	if (e->bytes == 4) {
		float f = strtof(text, &end);
		uint32_t word;

		memcpy(&word, &f, sizeof(word));
		*bits = word;
	} else {
		double d = strtod(text, &end);

		memcpy(bits, &d, sizeof(d));
	}
	return end != text && !*end;
}

/* Decimal, hexadecimal (0x) or octal (0); the value must fit its type. */
static bool parse_integer(const struct element *e, const char *text, uint64_t *bits)
{
	unsigned width = 8 * e->bytes;
	char *end;

	errno = 0;
	if (e->kind == ELEMENT_SIGNED) {
		long long n = strtoll(text, &end, 0);

		*bits = n;
		if (n != (long long)((uint64_t)n << (64 - width)) >> (64 - width))
			return false;
	} else {
		*bits = strtoull(text, &end, 0);
		if (strchr(text, '-') || (width < 64 && *bits >> width))
			return false;
	}
	return end != text && !*end && !errno;
}

static bool parse_scalar(const struct argument_parser *p, const char *text, uint64_t *bits)
{
	const struct element *e = p->a->type;

	if (!isspace((unsigned char)*text) &&
	    (e->kind == ELEMENT_FLOAT ? parse_float(e, text, bits) : parse_integer(e, text, bits)))
		return true;
	return argument_error(p, "'%s' is not a value of type %s", text, e->name);
}

static bool parse_count(const struct argument_parser *p, const char *text, uint64_t low,
			uint64_t *out)
{
	static const char suffixes[] = "KMG";
	char *end;

	errno = 0;
	uint64_t n = strtoull(text, &end, 0);
	const char *suffix = *end ? strchr(suffixes, *end) : NULL;
	unsigned shift = suffix ? 10 * (suffix - suffixes + 1) : 0;
	const uint64_t max_count = UINT64_C(1) << 40;

	if (!isdigit((unsigned char)*text) || end[suffix ? 1 : 0] || errno ||
	    n > max_count >> shift || n << shift < low)
		return argument_error(p, "'%s' is not a valid number of elements", text);
	*out = n << shift;
	return true;
}

/* ---- items of a buffer ---- */

static bool set_pattern(const struct argument_parser *p, enum pattern pattern)
{
	if (p->a->pattern != PATTERN_ZERO)
		return argument_error(p, "a buffer takes only one of iota, random, fill and file");
	p->a->pattern = pattern;
	return true;
}
static bool item_zero(const struct argument_parser *p, const char *value)
{
	(void)value;
	return set_pattern(p, PATTERN_ZERO);
}
static bool item_iota(const struct argument_parser *p, const char *value)
{
	(void)value;
	return set_pattern(p, PATTERN_IOTA);
}
static bool item_random(const struct argument_parser *p, const char *value)
{
	char *end = NULL;

	errno = 0;
	p->a->scalar = value ? strtoull(value, &end, 0) : 1;
	if (value && (!isdigit((unsigned char)*value) || *end || errno))
		return argument_error(p, "seed '%s' is not an unsigned integer", value);
	return set_pattern(p, PATTERN_RANDOM);
}
static bool item_fill(const struct argument_parser *p, const char *value)
{
	return set_pattern(p, PATTERN_FILL) && parse_scalar(p, value, &p->a->scalar);
}
static bool item_file(const struct argument_parser *p, const char *value)
{
	p->a->file = value;
	return set_pattern(p, PATTERN_FILE);
}
static bool item_print(const struct argument_parser *p, const char *value)
{
	p->a->print = 16;
	return !value || parse_count(p, value, 1, &p->a->print);
}
static bool item_out(const struct argument_parser *p, const char *value)
{
	p->a->out = value;
	return true;
}

enum { VALUE_NONE, VALUE_OPTIONAL, VALUE_REQUIRED };
static const struct {
	const char *name;
	int value;
	bool (*set)(const struct argument_parser *p, const char *value);
} items[] = {
	{"zero", VALUE_NONE, item_zero},         {"iota", VALUE_NONE, item_iota},
	{"random", VALUE_OPTIONAL, item_random}, {"fill", VALUE_REQUIRED, item_fill},
	{"file", VALUE_REQUIRED, item_file},     {"print", VALUE_OPTIONAL, item_print},
	{"out", VALUE_REQUIRED, item_out},
};

static bool parse_item(const struct argument_parser *p, char *text)
{
	char *value = strchr(text, '=');

	if (value)
		*value++ = 0;
	for (size_t i = 0; i < sizeof(items) / sizeof(*items); i++) {
		if (strcmp(items[i].name, text))
			continue;
		if (value ? items[i].value == VALUE_NONE || !*value
			  : items[i].value == VALUE_REQUIRED)
			return argument_error(p, "'%s' %s", text,
					      items[i].value == VALUE_NONE
						      ? "takes no value"
						      : "needs a value after '='");
		return items[i].set(p, value);
	}
	return argument_error(p, "unknown item '%s'; known: zero iota random fill file print out",
			      text);
}

bool parse_argument(const struct verb *v, unsigned number, const char *text, struct argument *out)
{
	struct argument_parser p = {v, number, out};
	bool good = false;

	*out = (struct argument){.text = text};
	/* The copy lives as long as the argument, because file names point into it. */
	char *words = out->words = strdup(text), *word = words ? strsep(&words, ":") : NULL;

	if (!word) {
		report_error(v, "out of memory");
		return false;
	}
	out->buffer = !strcmp(word, "buf");
	if (out->buffer)
		word = words ? strsep(&words, ":") : NULL;
	out->type = word ? find_element(word) : NULL;
	if (!word || !words)
		argument_error(&p, "not TYPE:VALUE or buf:TYPE:COUNT[:ITEM]...");
	else if (!out->type)
		argument_error(&p,
			       "unknown type '%s'; known: u8 s8 u16 s16 u32 s32 u64 s64 f32 f64",
			       word);
	else if (!out->buffer)
		good = parse_scalar(&p, words, &out->scalar);
	else
		good = parse_count(&p, strsep(&words, ":"), 1, &out->count);
	while (good && out->buffer && words)
		good = parse_item(&p, strsep(&words, ":"));
	if (!good)
		free_argument(out);
	return good;
}

/* ---- contents ---- */

/* splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014. */
static uint64_t random_bits(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static uint64_t float_bits(const struct element *e, double d)
{
	uint64_t bits = 0;
	float f = (float)d;

	if (e->bytes == 4)
		memcpy(&bits, &f, sizeof(f));
	else
		memcpy(&bits, &d, sizeof(d));
	return bits;
}

static uint64_t element_at(const struct argument *a, uint64_t i, uint64_t *state)
{
	bool is_float = a->type->kind == ELEMENT_FLOAT;
	uint64_t r;

	switch (a->pattern) {
	case PATTERN_IOTA:
		return is_float ? float_bits(a->type, (double)i) : i;
	case PATTERN_RANDOM: /* 24 fraction bits are exact in f32 and f64 */
		r = random_bits(state);
		return is_float ? float_bits(a->type, (double)(r >> 40) / 0x1p23 - 1) : r;
	default:
		return a->scalar;
	}
}

static bool fill_from_file(const struct verb *v, unsigned number, struct argument *a)
{
	uint64_t bytes = a->count * a->type->bytes;
	size_t size;

	if (!read_file(v, a->file, &a->data, &size))
		return false;
	if (size == bytes)
		return true;
	report_error(v, "argument %u: '%s' has %zu bytes, %llu elements of type %s need %llu",
		     number, a->file, size, (unsigned long long)a->count, a->type->name,
		     (unsigned long long)bytes);
	return false;
}

bool fill_argument(const struct verb *v, unsigned number, struct argument *a)
{
	uint64_t state = a->scalar;

	if (!a->buffer)
		return true;
	if (a->pattern == PATTERN_FILE)
		return fill_from_file(v, number, a);
	a->data = calloc(a->count, a->type->bytes);
	if (!a->data) {
		report_error(v, "argument %u: out of memory for %llu elements of type %s", number,
			     (unsigned long long)a->count, a->type->name);
		return false;
	}
	if (a->pattern == PATTERN_ZERO)
		return true;
	for (uint64_t i = 0; i < a->count; i++) {
		uint64_t bits = element_at(a, i, &state);

		memcpy((char *)a->data + i * a->type->bytes, &bits,
		       a->type->bytes); /* little-endian host */
	}
	return true;
}

void free_argument(struct argument *a)
{
	free(a->words);
	free(a->data);
	a->words = NULL;
	a->data = NULL;
}

void print_element(const struct element *e, const void *at, char text[ELEMENT_TEXT])
{
	uint64_t bits = 0;
	float f;
	double d;

	memcpy(&bits, at, e->bytes);
	if (e->kind == ELEMENT_UNSIGNED) {
		snprintf(text, ELEMENT_TEXT, "%llu", (unsigned long long)bits);
		return;
	}
	if (e->kind == ELEMENT_SIGNED) {
		unsigned unused = 64 - 8 * e->bytes;

		snprintf(text, ELEMENT_TEXT, "%lld", (long long)(bits << unused) >> unused);
		return;
	}
	memcpy(&f, at, sizeof(f));
	if (e->bytes == 8)
		memcpy(&d, at, sizeof(d));
	else
		d = f;
	if (d != d) { /* one spelling for every sign and payload */
		strcpy(text, "nan");
		return;
	}
	if (fabs(d) < 1e15 && d == trunc(d) && d != 0) { /* integers without an exponent */
		snprintf(text, ELEMENT_TEXT, "%.0f", d);
		return;
	}
	for (int digits = 1; digits <= 17; digits++) {
		snprintf(text, ELEMENT_TEXT, "%.*g", digits, d);
		if (e->bytes == 4 ? strtof(text, NULL) == f : strtod(text, NULL) == d)
			return;
	}
}
