// SPDX-License-Identifier: MIT
/*
 * The parser of SOV_SOFT, the list of software GPUs:
 *
 *   list   = "" | "none" | device { "," device }
 *   device = chip { ":" option }
 *   option = "vram=" number [ "K" | "M" | "G" ] | "threads=" number | "hazard" | "inexact" |
 *            "weak=" number
 *
 * Example: gh100,ga100:vram=1G:threads=2:hazard.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "libsov/winsys/soft/soft.h"
#include "model/translate/emit.h"

#define MIN_VRAM    (UINT64_C(64) << 20)
#define MAX_VRAM    (UINT64_C(1) << 40)
#define MAX_THREADS 1024

struct token {
	const char *text;
	size_t length;
};

struct parser {
	char *message;
	size_t message_bytes;
	struct model_config *device;
	bool vram, threads; /* already seen for this device */
};

__attribute__((format(printf, 2, 3))) static bool syntax_error(struct parser *p, const char *fmt,
							       ...)
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

/* Removes and returns the text up to the separator, which is removed, too. */
static struct token next_token(struct token *rest, char separator)
{
	const char *end = memchr(rest->text, separator, rest->length);
	struct token first = {rest->text, end ? (size_t)(end - rest->text) : rest->length};
	size_t consumed = first.length + (end ? 1 : 0);

	rest->text += consumed;
	rest->length -= consumed;
	return first;
}

static bool token_is(struct token a, const char *word)
{
	return a.length == strlen(word) && !memcmp(a.text, word, a.length);
}

/* Parses digits and, if units, an optional K, M or G. Rejects values from 2^63 on. */
static bool parse_number(struct token a, bool units, uint64_t *value)
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

static bool parse_vram(struct parser *p, struct token value)
{
	uint64_t bytes;

	if (p->vram)
		return syntax_error(p, "vram is given twice for %s", p->device->chip->name);
	if (!parse_number(value, true, &bytes) || bytes < MIN_VRAM || bytes > MAX_VRAM)
		return syntax_error(
			p, "vram is '%.*s'; it must be a number of bytes from 64M to 1024G",
			(int)value.length, value.text);
	p->vram = true;
	p->device->vram_bytes = bytes & ~UINT64_C(0xffff);
	return true;
}

static bool parse_threads(struct parser *p, struct token value)
{
	uint64_t n;

	if (p->threads)
		return syntax_error(p, "threads is given twice for %s", p->device->chip->name);
	if (!parse_number(value, false, &n) || !n || n > MAX_THREADS)
		return syntax_error(p, "threads is '%.*s'; it must be a number from 1 to %d",
				    (int)value.length, value.text, MAX_THREADS);
	p->threads = true;
	p->device->threads = (uint32_t)n;
	return true;
}

static bool parse_weak(struct parser *p, struct token value)
{
	if (p->device->weak_seed)
		return syntax_error(p, "weak is given twice for %s", p->device->chip->name);
	if (!parse_number(value, false, &p->device->weak_seed) || !p->device->weak_seed)
		return syntax_error(p, "weak is '%.*s'; it must be a seed, a number from 1 on",
				    (int)value.length, value.text);
	return true;
}

static bool parse_inexact(struct parser *p)
{
	if (p->device->chip->sm)
		return syntax_error(p, "inexact is for AMD's chips only, not for %s",
				    p->device->chip->name);
	if (p->device->inexact)
		return syntax_error(p, "inexact is given twice for %s", p->device->chip->name);
	p->device->inexact = true;
	return true;
}

static bool parse_option(struct parser *p, struct token whole)
{
	struct token value = whole, key = next_token(&value, '=');
	bool has_value = key.length < whole.length;

	if (has_value && token_is(key, "vram"))
		return parse_vram(p, value);
	if (has_value && token_is(key, "threads"))
		return parse_threads(p, value);
	if (has_value && token_is(key, "weak"))
		return parse_weak(p, value);
	if (token_is(whole, "inexact"))
		return parse_inexact(p);
	if (!token_is(whole, "hazard"))
		return syntax_error(
			p,
			"'%.*s' is no option; known: vram=SIZE threads=N hazard inexact weak=SEED",
			(int)whole.length, whole.text);
	if (p->device->hazard)
		return syntax_error(p, "hazard is given twice for %s", p->device->chip->name);
	p->device->hazard = true;
	return true;
}

static bool parse_chip(struct parser *p, struct token name)
{
	const struct model_chip *c;
	char known[256] = "";
	size_t n = 0;
	uint32_t i;

	for (i = 0; (c = model_chip_at(i)); i++) {
		if (token_is(name, c->name)) {
			p->device->chip = c;
			return true;
		}
		if (n < sizeof(known))
			n += (size_t)snprintf(known + n, sizeof(known) - n, " %s", c->name);
	}
	return syntax_error(p, "'%.*s' is no chip; known:%s", (int)name.length, name.text, known);
}

bool soft_list_parse(const char *text, struct model_config list[SOFT_MAX_DEVICES], uint32_t *count,
		     char *message, size_t message_bytes)
{
	struct token rest = {text, strlen(text)};
	struct parser p = {.message = message, .message_bytes = message_bytes};

	*count = 0;
	if (!*text || !strcmp(text, "none"))
		return true;
	if (text[rest.length - 1] == ',')
		return syntax_error(&p, "'%s' ends with a comma", text);
	while (rest.length) {
		struct token device = next_token(&rest, ',');
		bool good;

		if (*count == SOFT_MAX_DEVICES)
			return syntax_error(&p, "more than %d devices", SOFT_MAX_DEVICES);
		p.device = &list[(*count)++];
		p.vram = p.threads = false;
		memset(p.device, 0, sizeof(*p.device));
		for (good = parse_chip(&p, next_token(&device, ':')); good && device.length;)
			good = parse_option(&p, next_token(&device, ':'));
		if (!good)
			return false;
	}
	return true;
}

/* SOV_SOFT_TRANSLATE; eager: translate what is executed for the first time, for tests. */
bool soft_translate_parse(const char *text, struct model_config *c, char *message,
			  size_t message_bytes)
{
	static const struct {
		const char *name;
		enum emit_isa isa;
		uint32_t visits;
	} words[] = {
		{"0", EMIT_NONE, 0},
		{"1", EMIT_AVX512, TRANSLATE_VISITS},
		{"avx2", EMIT_AVX2, TRANSLATE_VISITS},
		{"eager", EMIT_AVX512, 1},
		{"eager-avx2", EMIT_AVX2, 1},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(text, words[i].name))
			continue;
		c->translate = words[i].isa;
		c->translate_visits = words[i].visits;
		return true;
	}
	snprintf(message, message_bytes,
		 "SOV_SOFT_TRANSLATE is '%s'; it must be 0, 1, avx2, eager or eager-avx2", text);
	return false;
}
