// SPDX-License-Identifier: MIT
/* Generates kernels and inputs from the rows, and compares results (_families.h). */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/tap.h"
#include "tests/userspace/compiler/ptx/_families.h"
#include "tests/userspace/compiler/ptx/_family_rows.h"

const uint32_t family_count = sizeof(families) / sizeof(families[0]);

/* ---- types ---- */

static struct family_type read_type(const char *word)
{
	struct family_type t = {.letter = word[0]};

	if (!strncmp(word, "bf16", 4)) {
		t = (struct family_type){.letter = 'h', .bits = 16};
		word++;
	} else if (t.letter == 'p') {
		t.bits = 32;
		return t;
	} else {
		t.bits = (uint32_t)atoi(word + 1);
	}
	if (strstr(word, "x2")) {
		t.pair = true;
		t.bits = 32;
	}
	return t;
}

static const char *register_type(const struct family_type *t)
{
	if (t->letter == 'f' && !t->pair && t->bits >= 32)
		return t->bits == 32 ? ".f32" : ".f64";
	return t->bits == 64 ? ".b64" : t->bits == 16 ? ".b16" : ".b32";
}

static const char *memory_type(const struct family_type *t)
{
	static const char *const unsigned_[] = {".u8", ".u16", ".u32", ".u64"};
	static const char *const signed_[] = {".s8", ".s16", ".s32", ".s64"};
	uint32_t k = t->bits == 8 ? 0 : t->bits == 16 ? 1 : t->bits == 32 ? 2 : 3;

	if (t->letter == 'f' && !t->pair && t->bits >= 32)
		return t->bits == 32 ? ".f32" : ".f64";
	return t->letter == 's' ? signed_[k] : unsigned_[k];
}

/* ---- inputs ---- */

static uint64_t random_bits(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *seed >> 33 ^ *seed << 31;
}

static uint64_t corner_value(const struct family_type *t, uint32_t k)
{
	static const uint64_t integers[] = {0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 100, 255};
	static const uint16_t f16[] = {0,      0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00,
				       0x7e00, 1,      0x03ff, 0x0400, 0x7bff, 0xfbff,
				       0x3555, 0x3800, 0x6400, 0x5801};
	static const uint16_t bf16[] = {0,      0x8000, 0x3f80, 0xbf80, 0x7f80, 0xff80,
					0x7fc0, 1,      0x007f, 0x0080, 0x7f7f, 0xff7f,
					0x3eab, 0x3f00, 0x4300, 0x4b00};
	static const float f32[] = {0,    -0.0f,  1,      -1,       INFINITY, -INFINITY,
				    NAN,  1e-45f, 1e-40f, 1.2e-38f, 3.4e38f,  0.5f,
				    2.5f, -2.5f,  1e10f,  3.14159f};
	uint32_t f, half = t->bits / 2;
	uint64_t d;
	double x;

	if (t->pair || ((t->letter == 'f' || t->letter == 'h') && t->bits == 16)) {
		const uint16_t *from = t->letter == 'h' ? bf16 : f16;

		return t->pair ? from[k % 16] | (uint64_t)from[(k + 5) % 16] << 16 : from[k % 16];
	}
	if (t->letter == 'f') {
		x = f32[k % 16];
		memcpy(&f, &f32[k % 16], 4);
		memcpy(&d, &x, 8);
		return t->bits == 32 ? f : d;
	}
	if (k % 24 < 12)
		return integers[k % 12];
	k %= 12;
	return k < 6 ? 0 - integers[k + 1] : UINT64_C(1) << ((k - 6) * half / 3 % 64);
}

static uint64_t moderate_float(const struct family_type *t, uint64_t bits, bool positive)
{
	uint64_t sign = positive ? 0 : bits >> 63, power = bits >> 56 & 0xff;
	int exponent = (int)(power % 12) - 6;

	if (t->pair) {
		struct family_type one = {.letter = t->letter, .bits = 16};

		return moderate_float(&one, bits, positive) |
		       moderate_float(&one, bits << 17, positive) << 16;
	}
	if (t->letter == 'h')
		return sign << 15 | (uint64_t)(exponent + 127) << 7 | (bits & 0x7f);
	if (t->bits == 16)
		return sign << 15 | (uint64_t)(exponent + 15) << 10 | (bits & 0x3ff);
	if (t->bits == 32)
		return sign << 31 | (uint64_t)(exponent + 127) << 23 | (bits & 0x7fffff);
	return sign << 63 | (uint64_t)(exponent + 1023) << 52 | (bits & 0xfffffffffffff);
}

/* A tie between two numbers with k fraction bits (modulo the width), or one unit below or above it.
 * Singles stay within the exponent range of smaller formats. */
static uint64_t halfway_float(const struct family_type *t, uint64_t bits, uint32_t k)
{
	uint32_t fraction = t->bits == 32      ? 23
			    : t->letter == 'h' ? 7
					       : 10,
		 below = fraction - 1 - k % fraction;
	uint64_t kept = bits & ((UINT64_C(1) << fraction) - 1), sign = bits >> 63 << (t->bits - 1);
	uint64_t exponent = t->bits == 32 ? 107 + (bits >> 40) % 40 : bits >> 40 & 0x1f;

	if (t->pair) {
		struct family_type one = {.letter = t->letter, .bits = 16};

		return halfway_float(&one, bits, k) | halfway_float(&one, bits << 17, k) << 16;
	}
	kept = (kept >> below | 1) << below;
	return (sign | exponent << fraction | kept) + k % 3 - 1;
}

static void fill_inputs(struct family_case *c)
{
	uint64_t seed = 1;

	for (uint32_t o = 1; o < c->operands; o++) {
		const struct family_type *t = &c->types[o];
		bool is_float = t->letter == 'f' || t->letter == 'h';
		uint8_t inputs = c->family->inputs;

		for (uint32_t k = 0; k < FAMILY_ELEMENTS; k++) {
			uint64_t v = random_bits(&seed);

			if (is_float && (inputs == MODERATE || inputs == POSITIVE))
				v = moderate_float(t, v, inputs == POSITIVE);
			else if (is_float && inputs == HALFWAY)
				v = halfway_float(t, v, k);
			else if (inputs == BYTES)
				v = k | (255 - k) << 8;
			else if (inputs == SMALL && o + 1 == c->operands)
				v = k % 41;
			else if (inputs == SMALL && o + 2 == c->operands && o > 1)
				v = v % 41;
			else if (k < 48)
				v = corner_value(t, o == 1 ? k : o == 2 ? k * 5 + 3 : k * 7 + 1);
			c->values[o][k] = v & UINT64_MAX >> (64 - t->bits);
		}
	}
}

/* ---- kernels ---- */

static void add_text(struct family_case *c, const char *fmt, ...)
{
	size_t n = strlen(c->text);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(c->text + n, sizeof(c->text) - n, fmt, ap);
	va_end(ap);
}

static void write_kernel(struct family_case *c)
{
	const char *name = "dabc";
	bool predicate = c->types[0].letter == 'p';

	add_text(c, ".version 8.6\n.target sm_80\n.address_size 64\n.visible .entry k(");
	for (uint32_t o = 0; o < c->operands; o++)
		add_text(c, "%s.param .u64 %c", o ? ", " : "", name[o]);
	add_text(c, ")\n{\n\t.reg .b32 %%i;\n\t.reg .pred %%p, %%q;\n\tmov.u32 %%i, %%tid.x;\n");
	for (uint32_t o = 0; o < c->operands; o++) {
		add_text(c, "\t.reg %s %%%c;\n\t.reg .b64 %%p%c;\n", register_type(&c->types[o]),
			 name[o], name[o]);
		add_text(c, "\tld.param.u64 %%p%c, [%c];\n\tmad.wide.u32 %%p%c, %%i, %u, %%p%c;\n",
			 name[o], name[o], name[o], c->types[o].bits / 8, name[o]);
		if (o)
			add_text(c, "\tld.global%s %%%c, [%%p%c];\n", memory_type(&c->types[o]),
				 name[o], name[o]);
	}
	add_text(c, "\t%s\n", c->family->text);
	if (predicate)
		add_text(c, "\tselp.b32 %%d, 1, 0, %%p;\n");
	add_text(c, "\tst.global%s [%%pd], %%d;\n\tret;\n}\n", memory_type(&c->types[0]));
}

void family_make(const struct family *f, struct family_case *c)
{
	char types[100], *word, *rest;

	memset(c, 0, sizeof(*c));
	c->family = f;
	snprintf(types, sizeof(types), "%s", f->types);
	for (word = strtok_r(types, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		c->types[c->operands++] = read_type(word);
	fill_inputs(c);
	write_kernel(c);
	memset(c->memory[0], 0xa5, sizeof(c->memory[0]));
	for (uint32_t k = 0; k < FAMILY_ELEMENTS; k++) {
		uint64_t args[FAMILY_OPERANDS] = {0};

		for (uint32_t o = 1; o < c->operands; o++) {
			uint32_t bytes = c->types[o].bits / 8;

			args[o - 1] = c->values[o][k];
			memcpy(c->memory[o] + k * bytes, &args[o - 1], bytes);
		}
		c->values[0][k] = f->want(args) & UINT64_MAX >> (64 - c->types[0].bits);
	}
}

/* ---- results ---- */

static bool floats_equal(const struct family *f, const struct family_type *t, uint64_t got,
			 uint64_t want)
{
	double x = t->letter == 'h' ? bf16_value(got)
		   : t->bits == 16  ? half_value(got)
		   : t->bits == 32  ? single_value(got)
				    : double_value(got);
	double y = t->letter == 'h' ? bf16_value(want)
		   : t->bits == 16  ? half_value(want)
		   : t->bits == 32  ? single_value(want)
				    : double_value(want);

	if (isnan(x) || isnan(y))
		return isnan(x) && isnan(y);
	if (!f->bits || isinf(x) || isinf(y))
		return got == want;
	return fabs(x - y) <= ldexp(fabs(y) > 1e-3 ? fabs(y) : 1e-3, -f->bits);
}

static bool results_equal(const struct family *f, const struct family_type *t, uint64_t got,
			  uint64_t want)
{
	struct family_type half = {.letter = t->letter, .bits = 16};

	if (t->letter != 'f' && t->letter != 'h')
		return got == want;
	if (t->pair)
		return floats_equal(f, &half, got & 0xffff, want & 0xffff) &&
		       floats_equal(f, &half, got >> 16, want >> 16);
	return floats_equal(f, t, got, want);
}

bool family_check(const struct family_case *c)
{
	uint32_t bytes = c->types[0].bits / 8, wrong = 0;

	for (uint32_t k = 0; k < FAMILY_ELEMENTS; k++) {
		uint64_t got = 0, want = c->values[0][k];

		memcpy(&got, c->memory[0] + k * bytes, bytes);
		if (results_equal(c->family, &c->types[0], got, want) || wrong++ > 3)
			continue;
		diag("a 0x%llx b 0x%llx c 0x%llx: got 0x%llx, want 0x%llx",
		     (unsigned long long)c->values[1][k], (unsigned long long)c->values[2][k],
		     (unsigned long long)c->values[3][k], (unsigned long long)got,
		     (unsigned long long)want);
	}
	return !wrong;
}
