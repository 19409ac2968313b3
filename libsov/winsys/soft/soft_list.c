/* SPDX-License-Identifier: MIT */
/*
 * SOV_SOFT, the list of software GPUs to create:
 *
 *   list   = "" | "none" | device { "," device }
 *   device = chip { ":" option }
 *   option = "vram=" number [ "K" | "M" | "G" ] | "threads=" number | "hazard"
 *
 * for instance gh100,ga100:vram=1G:threads=2:hazard.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "libsov/winsys/soft/soft.h"

#define MIN_VRAM    (UINT64_C(64) << 20)
#define MAX_VRAM    (UINT64_C(1) << 40)
#define MAX_THREADS 1024

struct piece { /* of the text */
	const char *text;
	size_t length;
};

struct parser {
	char *message;
	size_t message_bytes;
	struct model_config *device;
	bool vram, threads; /* given already */
};

__attribute__((format(printf, 2, 3))) static bool bad(struct parser *p, const char *fmt, ...)
{
	va_list ap;
	int n = snprintf(p->message, p->message_bytes, "SOV_SOFT: ");

	if (n > 0 && (size_t)n < p->message_bytes) {
		va_start(ap, fmt);
		vsnprintf(p->message + n, p->message_bytes - (size_t)n, fmt, ap);
		va_end(ap);
	}
	return false;
}

/* Cuts the first piece off, up to the separator; the separator goes too. */
static struct piece cut(struct piece *rest, char separator)
{
	const char *end = memchr(rest->text, separator, rest->length);
	struct piece first = {rest->text, end ? (size_t)(end - rest->text) : rest->length};
	size_t gone = first.length + (end ? 1 : 0);

	rest->text += gone;
	rest->length -= gone;
	return first;
}

static bool is(struct piece a, const char *word)
{
	return a.length == strlen(word) && !memcmp(a.text, word, a.length);
}

/* Digits, then perhaps one of the units K, M, G. false: not that, or more than 2^63. */
static bool number(struct piece a, bool units, uint64_t *value)
{
	static const char letters[] = "KMG";
	const char *letter = units && a.length > 1 ? strchr(letters, a.text[a.length - 1]) : NULL;
	uint32_t shift = letter ? 10 * (uint32_t)(letter - letters + 1) : 0;
	size_t i, digits = a.length - (letter ? 1 : 0);

	*value = 0;
	for (i = 0; i < digits; i++) {
		if (a.text[i] < '0' || a.text[i] > '9' || *value > (UINT64_MAX >> 1) / 10 - 1)
			return false;
		*value = *value * 10 + (uint64_t)(a.text[i] - '0');
	}
	if (!digits || *value > UINT64_MAX >> 1 >> shift)
		return false;
	*value <<= shift;
	return true;
}

static bool vram(struct parser *p, struct piece value)
{
	uint64_t bytes;

	if (p->vram)
		return bad(p, "vram is given twice for %s", p->device->chip->name);
	if (!number(value, true, &bytes) || bytes < MIN_VRAM || bytes > MAX_VRAM)
		return bad(p, "vram is '%.*s'; it must be a number of bytes from 64M to 1024G",
			   (int)value.length, value.text);
	p->vram = true;
	p->device->vram_bytes = bytes & ~UINT64_C(0xffff);
	return true;
}

static bool threads(struct parser *p, struct piece value)
{
	uint64_t n;

	if (p->threads)
		return bad(p, "threads is given twice for %s", p->device->chip->name);
	if (!number(value, false, &n) || !n || n > MAX_THREADS)
		return bad(p, "threads is '%.*s'; it must be a number from 1 to %d",
			   (int)value.length, value.text, MAX_THREADS);
	p->threads = true;
	p->device->threads = (uint32_t)n;
	return true;
}

static bool option(struct parser *p, struct piece whole)
{
	struct piece value = whole, key = cut(&value, '=');
	bool has_value = key.length < whole.length;

	if (has_value && is(key, "vram"))
		return vram(p, value);
	if (has_value && is(key, "threads"))
		return threads(p, value);
	if (!is(whole, "hazard"))
		return bad(p, "'%.*s' is no option; known: vram=SIZE threads=N hazard",
			   (int)whole.length, whole.text);
	if (p->device->hazard)
		return bad(p, "hazard is given twice for %s", p->device->chip->name);
	p->device->hazard = true;
	return true;
}

static bool chip(struct parser *p, struct piece name)
{
	const struct model_chip *c;
	char known[256] = "";
	size_t n = 0;
	uint32_t i;

	for (i = 0; (c = model_chip_at(i)); i++) {
		if (is(name, c->name)) {
			p->device->chip = c;
			return true;
		}
		if (n < sizeof(known))
			n += (size_t)snprintf(known + n, sizeof(known) - n, " %s", c->name);
	}
	return bad(p, "'%.*s' is no chip; known:%s", (int)name.length, name.text, known);
}

bool soft_list_parse(const char *text, struct model_config list[SOFT_MAX_DEVICES], uint32_t *count,
		     char *message, size_t message_bytes)
{
	struct piece rest = {text, strlen(text)};
	struct parser p = {.message = message, .message_bytes = message_bytes};

	*count = 0;
	if (!*text || !strcmp(text, "none"))
		return true;
	if (text[rest.length - 1] == ',')
		return bad(&p, "'%s' ends with a comma", text);
	while (rest.length) {
		struct piece device = cut(&rest, ',');
		bool good;

		if (*count == SOFT_MAX_DEVICES)
			return bad(&p, "more than %d devices", SOFT_MAX_DEVICES);
		p.device = &list[(*count)++];
		p.vram = p.threads = false;
		memset(p.device, 0, sizeof(*p.device));
		for (good = chip(&p, cut(&device, ':')); good && device.length;)
			good = option(&p, cut(&device, ':'));
		if (!good)
			return false;
	}
	return true;
}
