// SPDX-License-Identifier: MIT
/*
 * The host's half of printf in kernels. The device has copied format and values, and parsed the
 * format only as far as that needs; here the C library formats each conversion separately, with the
 * length modifier of its value.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libsov/runtime/module/device_printf.h"

/* C guarantees no more for the width and precision of a conversion; larger values are mistakes. */
#define MAX_WIDTH 4095

struct record {
	const uint8_t *at, *end;
};

struct conversion {
	bool minus, plus, space, hash, zero;
	int width, precision; /* -1: none */
	unsigned h;           /* number of h modifiers */
	bool wide;
	char letter;
};

void print_add(struct print_text *out, const char *text, size_t bytes)
{
	if (!bytes)
		return;
	if (bytes > out->capacity - out->count) {
		size_t capacity = 2 * (out->count + bytes) + 256;
		char *bigger = realloc(out->bytes, capacity);

		if (!bigger)
			return;
		out->bytes = bigger;
		out->capacity = capacity;
	}
	memcpy(out->bytes + out->count, text, bytes);
	out->count += bytes;
}

static bool record_take(struct record *r, void *value, size_t bytes)
{
	if ((size_t)(r->end - r->at) < bytes)
		return false;
	memcpy(value, r->at, bytes);
	r->at += bytes;
	return true;
}

static int limited(int64_t value)
{
	return value > MAX_WIDTH ? MAX_WIDTH : value < -MAX_WIDTH ? -MAX_WIDTH : (int)value;
}

/* Parses digits, or takes a value for *. */
static bool parse_number(struct record *r, const char **p, int *out)
{
	int64_t n = 0;
	int32_t value;

	if (**p == '*') {
		(*p)++;
		if (!record_take(r, &value, 4))
			return false;
		*out = limited(value);
		return true;
	}
	for (; **p >= '0' && **p <= '9'; (*p)++)
		n = limited(10 * n + **p - '0');
	*out = (int)n;
	return true;
}

/* Parses a conversion after its per cent sign; *p ends on the letter. The device parses the same
 * characters. */
static bool parse_conversion(struct record *r, const char **p, struct conversion *c)
{
	*c = (struct conversion){.width = -1, .precision = -1};
	for (;; (*p)++) {
		bool *flag = **p == '-'   ? &c->minus
			     : **p == '+' ? &c->plus
			     : **p == ' ' ? &c->space
			     : **p == '#' ? &c->hash
			     : **p == '0' ? &c->zero
					  : NULL;

		if (!flag)
			break;
		*flag = true;
	}
	if ((**p == '*' || (**p >= '1' && **p <= '9')) && !parse_number(r, p, &c->width))
		return false;
	if (c->width < -1) {
		c->minus = true;
		c->width = -c->width;
	}
	if (**p == '.') {
		(*p)++;
		if (!parse_number(r, p, &c->precision))
			return false;
		if (c->precision < 0)
			c->precision = -1;
	}
	for (; **p && strchr("hlLjzt", **p); (*p)++) {
		c->h += **p == 'h';
		c->wide |= **p != 'h' && **p != 'L';
	}
	c->letter = **p;
	return c->letter != 0;
}

/* Formats the conversion as "%-+ #0*.*lld"; width and precision are always given. */
static void conversion_format(const struct conversion *c, const char *length, char *format)
{
	*format++ = '%';
	if (c->minus)
		*format++ = '-';
	if (c->plus)
		*format++ = '+';
	if (c->space)
		*format++ = ' ';
	if (c->hash)
		*format++ = '#';
	if (c->zero)
		*format++ = '0';
	sprintf(format, "*.*%s%c", length, c->letter);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
/* The value must have the type that length names. */
#define PUT(out, c, length, value) \
	do { \
		char format_[32], text_[MAX_WIDTH + 512]; \
		int n_; \
\
		conversion_format(c, length, format_); \
		n_ = snprintf(text_, sizeof(text_), format_, (c)->width < 0 ? 0 : (c)->width, \
			      (c)->precision, value); \
		if (n_ > 0) \
			print_add(out, text_, \
				  (size_t)n_ < sizeof(text_) ? (size_t)n_ : sizeof(text_) - 1); \
	} while (0)

static bool put_integer(struct print_text *out, struct record *r, const struct conversion *c)
{
	uint64_t wide = 0;
	uint32_t narrow = 0;

	if (c->wide ? !record_take(r, &wide, 8) : !record_take(r, &narrow, 4))
		return false;
	if (c->wide && c->letter == 'c')
		PUT(out, c, "", (int)wide);
	else if (c->wide)
		PUT(out, c, "ll", (unsigned long long)wide);
	else if (c->letter == 'c')
		PUT(out, c, "", (int)narrow);
	else
		PUT(out, c, c->h > 1 ? "hh" : c->h ? "h" : "", narrow);
	return true;
}

/* Prints a string of any length: the C library only sees what fits, and pads. */
static bool put_string(struct print_text *out, struct record *r, const struct conversion *c)
{
	const uint8_t *zero = memchr(r->at, 0, (size_t)(r->end - r->at));
	size_t length, shown, pad;

	if (!zero)
		return false;
	length = (size_t)(zero - r->at);
	shown = c->precision >= 0 && (size_t)c->precision < length ? (size_t)c->precision : length;
	pad = c->width > 0 && (size_t)c->width > shown ? (size_t)c->width - shown : 0;
	for (size_t i = 0; !c->minus && i < pad; i++)
		print_add(out, " ", 1);
	print_add(out, (const char *)r->at, shown);
	for (size_t i = 0; c->minus && i < pad; i++)
		print_add(out, " ", 1);
	r->at = zero + 1;
	return true;
}

static bool put_value(struct print_text *out, struct record *r, const struct conversion *c)
{
	double real;
	uint64_t address;

	if (strchr("diuoxXc", c->letter))
		return put_integer(out, r, c);
	if (strchr("fFeEgGaA", c->letter)) {
		if (!record_take(r, &real, 8))
			return false;
		PUT(out, c, "", real);
		return true;
	}
	if (c->letter == 'p') {
		if (!record_take(r, &address, 8))
			return false;
		PUT(out, c, "", (void *)(uintptr_t)address);
		return true;
	}
	if (c->letter == 's')
		return put_string(out, r, c);
	return true; /* the device left nothing for %n */
}
#pragma GCC diagnostic pop

void print_line(struct print_text *out, const uint8_t *record, size_t bytes)
{
	const uint8_t *zero = memchr(record, 0, bytes);
	const char *p = (const char *)record;
	struct record r = {zero ? zero + 1 : record, record + bytes};
	struct conversion c;

	if (!zero)
		return;
	while (*p) {
		size_t plain = strcspn(p, "%");
		const char *start = p + plain;

		print_add(out, p, plain);
		p = start;
		if (!*p)
			break;
		p++;
		if (!parse_conversion(&r, &p, &c))
			break;
		p++;
		if (c.letter == '%')
			print_add(out, "%", 1);
		else if (!strchr("diuoxXcfFeEgGaApsn", c.letter))
			print_add(out, start, (size_t)(p - start)); /* printed as it is */
		else if (!put_value(out, &r, &c))
			break;
	}
}
