/* SPDX-License-Identifier: MIT */
/*
 * Kernel arguments as words of a command line: "u32:5", "buf:f32:1024:iota:print=4". A word is split
 * at its colons; each part is checked, and a complaint names the argument by number and text. The
 * element types are rows of a table, and so are the items of a buffer.
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

struct context { /* whose argument is being read, for messages */
	const struct verb *verb;
	unsigned number;
	struct argument *a;
};

__attribute__((format(printf, 2, 3))) static bool refuse(const struct context *c, const char *fmt,
							 ...)
{
	char sentence[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(sentence, sizeof(sentence), fmt, ap);
	va_end(ap);
	usage_error(c->verb, "argument %u '%s': %s", c->number, c->a->text, sentence);
	return false;
}

static const struct element *find_element(const char *name)
{
	for (size_t i = 0; i < sizeof(elements) / sizeof(*elements); i++)
		if (!strcmp(elements[i].name, name))
			return &elements[i];
	return NULL;
}

static bool read_float(const struct element *e, const char *text, uint64_t *bits)
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

/* Integers may be decimal, 0x or 0 (octal), within their type. */
static bool read_integer(const struct element *e, const char *text, uint64_t *bits)
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

static bool read_scalar(const struct context *c, const char *text, uint64_t *bits)
{
	const struct element *e = c->a->type;

	if (!isspace((unsigned char)*text) &&
	    (e->kind == ELEMENT_FLOAT ? read_float(e, text, bits) : read_integer(e, text, bits)))
		return true;
	return refuse(c, "'%s' is not a value of type %s", text, e->name);
}

static bool read_count(const struct context *c, const char *text, uint64_t low, uint64_t *out)
{
	static const char suffixes[] = "KMG";
	char *end;

	errno = 0;
	uint64_t n = strtoull(text, &end, 0);
	const char *suffix = *end ? strchr(suffixes, *end) : NULL;
	unsigned shift = suffix ? 10 * (suffix - suffixes + 1) : 0;
	uint64_t most = UINT64_C(1) << 40;

	if (!isdigit((unsigned char)*text) || end[suffix ? 1 : 0] || errno || n > most >> shift ||
	    n << shift < low)
		return refuse(c, "'%s' is not a number of elements", text);
	*out = n << shift;
	return true;
}

/* ---- items of a buffer ---- */

static bool set_pattern(const struct context *c, enum pattern p)
{
	if (c->a->pattern != PATTERN_ZERO)
		return refuse(c, "two patterns for one buffer");
	c->a->pattern = p;
	return true;
}
static bool item_zero(const struct context *c, const char *value)
{
	(void)value;
	return set_pattern(c, PATTERN_ZERO);
}
static bool item_iota(const struct context *c, const char *value)
{
	(void)value;
	return set_pattern(c, PATTERN_IOTA);
}
static bool item_random(const struct context *c, const char *value)
{
	char *end = NULL;

	errno = 0;
	c->a->scalar = value ? strtoull(value, &end, 0) : 1;
	if (value && (!isdigit((unsigned char)*value) || *end || errno))
		return refuse(c, "seed '%s' is not a whole number", value);
	return set_pattern(c, PATTERN_RANDOM);
}
static bool item_fill(const struct context *c, const char *value)
{
	return set_pattern(c, PATTERN_FILL) && read_scalar(c, value, &c->a->scalar);
}
static bool item_file(const struct context *c, const char *value)
{
	c->a->file = value;
	return set_pattern(c, PATTERN_FILE);
}
static bool item_print(const struct context *c, const char *value)
{
	c->a->print = 16;
	return !value || read_count(c, value, 1, &c->a->print);
}
static bool item_out(const struct context *c, const char *value)
{
	c->a->out = value;
	return true;
}

enum { NEVER, MAYBE, ALWAYS }; /* has a value */
static const struct {
	const char *name;
	int value;
	bool (*set)(const struct context *c, const char *value);
} items[] = {
	{"zero", NEVER, item_zero},  {"iota", NEVER, item_iota},  {"random", MAYBE, item_random},
	{"fill", ALWAYS, item_fill}, {"file", ALWAYS, item_file}, {"print", MAYBE, item_print},
	{"out", ALWAYS, item_out},
};

static bool read_item(const struct context *c, char *text)
{
	char *value = strchr(text, '=');

	if (value)
		*value++ = 0;
	for (size_t i = 0; i < sizeof(items) / sizeof(*items); i++) {
		if (strcmp(items[i].name, text))
			continue;
		if (value ? items[i].value == NEVER || !*value : items[i].value == ALWAYS)
			return refuse(c, "'%s' %s", text,
				      items[i].value == NEVER ? "takes no value"
							      : "needs a value after '='");
		return items[i].set(c, value);
	}
	return refuse(c, "unknown item '%s'; known: zero iota random fill file print out", text);
}

bool parse_argument(const struct verb *v, unsigned number, const char *text, struct argument *out)
{
	struct context c = {v, number, out};
	bool good = false;

	*out = (struct argument){.text = text};
	/* The words stay alive as long as the argument: file names point into them. */
	char *words = out->words = strdup(text), *word = words ? strsep(&words, ":") : NULL;

	if (!word) {
		complain(v, "out of memory");
		return false;
	}
	out->buffer = !strcmp(word, "buf");
	if (out->buffer)
		word = words ? strsep(&words, ":") : NULL;
	out->type = word ? find_element(word) : NULL;
	if (!word || !words)
		refuse(&c, "not TYPE:VALUE or buf:TYPE:COUNT[:ITEM]...");
	else if (!out->type)
		refuse(&c, "unknown type '%s'; known: u8 s8 u16 s16 u32 s32 u64 s64 f32 f64", word);
	else if (!out->buffer)
		good = read_scalar(&c, words, &out->scalar);
	else
		good = read_count(&c, strsep(&words, ":"), 1, &out->count);
	while (good && out->buffer && words)
		good = read_item(&c, strsep(&words, ":"));
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
	case PATTERN_RANDOM: /* 24 bits after the point are exact in either format */
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
	complain(v, "argument %u: '%s' holds %zu bytes, %llu elements of type %s need %llu", number,
		 a->file, size, (unsigned long long)a->count, a->type->name,
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
		complain(v, "argument %u: no memory for %llu elements of type %s", number,
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
	if (d != d) { /* one spelling, whatever the sign and payload */
		strcpy(text, "nan");
		return;
	}
	if (fabs(d) < 1e15 && d == trunc(d) && d != 0) { /* whole numbers without an exponent */
		snprintf(text, ELEMENT_TEXT, "%.0f", d);
		return;
	}
	for (int digits = 1; digits <= 17; digits++) {
		snprintf(text, ELEMENT_TEXT, "%.*g", digits, d);
		if (e->bytes == 4 ? strtof(text, NULL) == f : strtod(text, NULL) == d)
			return;
	}
}
