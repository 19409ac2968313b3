/* SPDX-License-Identifier: MIT */
/*
 * One-instruction tests: PTX files whose comments give inputs and expected results, one line per
 * kernel parameter, in their order:
 *
 *   // in u32: 1 2 3            a buffer; the parameter is its address
 *   // out f32: 1.5 nan -0      a buffer that the kernel fills; initially garbage
 *   // inout s32: 5 7 -> 6 8    a buffer with its values before and after
 *   // value u64: 10            the parameter itself
 *   // texture tex2d u8x4 4x2 linear normalized clamp: 1 2 3 -> 4 5 6
 *                               a texture of 4 x 2 texels of four channels; the parameter is its
 *                               handle. Types: u, s, f, unorm, snorm; address modes: wrap, clamp,
 *                               mirror, border. Further words: levels=3 level_linear bias=0.5
 *                               min=1 max=2.5 (of the level) compare=lequal. Each layer has its
 *                               levels one after the other. After an arrow: the texels afterwards.
 *                               For shaders: storage (image), depths, srgb; unorm10x4, u10x4,
 *                               f11x3; samples=4 (layers are samples)
 *
 * and, unless the launch is one block with a thread per element of the first result:
 *
 *   // block: 64    // grid: 2    // shared: 256 (dynamic bytes)    // fails (by a trap)
 *
 * "// interpreter: rejects" means that PTX leaves the behaviour undefined and that only machine
 * code is tested for it, "// machine code: not yet" that all back ends reject the file as not
 * supported, "// machine code: Hopper's" that all but Hopper's do.
 *
 * "// within: 1e-6" allows floats an error, relative or for numbers below 1 absolute.
 *
 * Floats are decimal, bits (0x...), or nan for any NaN. The first comment after the licence is the
 * title of the test.
 */
#ifndef TESTS_PTX_INSTRUCTIONS_H
#define TESTS_PTX_INSTRUCTIONS_H

#include <stdarg.h>
#include <stdbool.h>
#include "libsov/isa/texture.h"
#include "tests/tap.h"
#include "tests/userspace/compiler/ptx/_files.h"

#define TEST_MAX_PARAMETERS 12
#define TEST_MAX_ELEMENTS   256
#define TEST_GARBAGE        0xa5

struct test_parameter {
	bool buffer;
	bool texture, storage;
	uint8_t samples;            /* of a texel: the logarithm */
	struct texture description; /* without addresses and strides of its memory */
	char type;                  /* u, s, b, f */
	uint32_t bytes;             /* of an element */
	uint32_t count;
	uint64_t before[TEST_MAX_ELEMENTS], after[TEST_MAX_ELEMENTS];
	bool any_nan[TEST_MAX_ELEMENTS];
	uint8_t memory[TEST_MAX_ELEMENTS * 8]; /* the buffer that the kernel accesses */
};

struct instruction_test {
	const char *name; /* of the file */
	char title[200];
	struct test_parameter parameters[TEST_MAX_PARAMETERS];
	uint32_t count, block, grid, shared;
	uint32_t needs_sm; /* where ptxas refuses older targets */
	double within;     /* allowed error of floats; 0: none */
	bool fails, unsupported, needs_ada, needs_hopper, undefined;
};

__attribute__((noreturn, format(printf, 2, 3))) static inline void
test_malformed(const struct instruction_test *t, const char *fmt, ...)
{
	va_list ap;

	printf("Bail out! %s: ", t->name);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	exit(1);
}

/* ---- parsing ---- */

static inline uint64_t test_number(const struct instruction_test *t, const struct test_parameter *p,
				   const char *word, bool *any_nan)
{
	uint64_t bits = 0;
	char *end;
	double d;
	float f;

	*any_nan = !strcmp(word, "nan");
	if (*any_nan)
		return p->bytes == 4 ? 0x7fffffff : UINT64_C(0x7fffffffffffffff);
	if (p->type != 'f' || !strncmp(word, "0x", 2)) {
		bits = *word == '-' ? (uint64_t)strtoll(word, &end, 0) : strtoull(word, &end, 0);
	} else if (p->bytes == 4) {
		f = strtof(word, &end);
		memcpy(&bits, &f, sizeof(f));
	} else {
		d = strtod(word, &end);
		memcpy(&bits, &d, sizeof(d));
	}
	if (*end)
		test_malformed(t, "'%s' is not a number", word);
	return p->bytes == 8 ? bits : bits & ((UINT64_C(1) << 8 * p->bytes) - 1);
}

static inline void test_type(const struct instruction_test *t, struct test_parameter *p,
			     const char *word)
{
	p->type = word[0];
	p->bytes = (uint32_t)atoi(word + 1) / 8;
	if (!strchr("usbf", p->type) || !p->bytes || p->bytes > 8 || word[strlen(word) - 1] != ':')
		test_malformed(t, "'%s' is not a type", word);
}

/* The next word of a line; NULL: the end. */
static inline char *test_word(char **line)
{
	return strtok_r(NULL, " \t", line);
}

/* The number of a word in a list; the list's length: none. */
static inline uint32_t test_find(const char *const *names, uint32_t count, const char *word)
{
	uint32_t k = 0;

	while (k < count && strcmp(names[k], word))
		k++;
	return k;
}

/* "levels=3"; false: it is another word. */
static inline bool test_setting(struct texture *d, const char *word)
{
	static const char *const compares[] = {"none",    "never",    "less",   "equal", "lequal",
					       "greater", "notequal", "gequal", "always"};
	const char *equals = strchr(word, '=');
	double value = equals ? atof(equals + 1) : 0;

	if (!strcmp(word, "level_linear"))
		d->level_linear = 1;
	else if (!strncmp(word, "levels=", 7))
		d->last_level = d->last_read = (uint8_t)(value - 1);
	else if (!strncmp(word, "bias=", 5))
		d->bias = (int16_t)(value * TEXTURE_DETAIL_ONE);
	else if (!strncmp(word, "min=", 4))
		d->min_detail = (uint16_t)(value * TEXTURE_DETAIL_ONE);
	else if (!strncmp(word, "max=", 4))
		d->max_detail = (uint16_t)(value * TEXTURE_DETAIL_ONE);
	else if (!strncmp(word, "compare=", 8))
		d->compare = (uint8_t)test_find(compares, TEXTURE_COMPARES, equals + 1);
	else
		return false;
	return true;
}

/* "tex2d u8x4 4x2 linear clamp:", up to the colon. */
static inline void test_texture(struct instruction_test *t, struct test_parameter *p, char **line)
{
	static const char *const geometries[] = {
		"tex1d", "tex2d", "tex3d", "tex1d.layers", "tex2d.layers", "cube", "cube.layers"};
	static const char *const types[] = {"u", "s", "f", "unorm", "snorm"};
	static const char *const modes[] = {"wrap", "clamp", "mirror", "border"};
	char *word = test_word(line), type[8] = "", *end = NULL;
	struct texture *d = &p->description;
	unsigned bits = 0, channels = 0;

	p->texture = true;
	*d = (struct texture){.height = 1, .depth = 1, .max_detail = TEXTURE_MAX_DETAIL};
	d->geometry = (uint8_t)test_find(geometries, TEXTURE_GEOMETRIES, word ? word : "");
	word = test_word(line);
	if (!word || sscanf(word, "%7[a-z]%ux%u", type, &bits, &channels) != 3)
		test_malformed(t, "a texture without a type");
	d->type = (uint8_t)test_find(types, TEXTURE_TYPES, type);
	d->channels = (uint8_t)channels;
	d->channel_bits = (uint8_t)bits;
	if (bits == 10 || bits == 11) {
		d->packed = bits == 10 ? TEXTURE_10_10_10_2 : TEXTURE_11_11_10;
		d->channels = 4;
		d->channel_bits = 8;
		bits = 32;
	}
	word = test_word(line);
	if (!word || sscanf(word, "%ux%ux%u", &d->width, &d->height, &d->depth) < 1)
		test_malformed(t, "a texture without a size");
	for (; !end && word; word = end ? word : test_word(line)) {
		end = strchr(word, ':');
		if (end)
			*end = 0;
		if (!strcmp(word, "linear"))
			d->linear = 1;
		else if (!strcmp(word, "normalized"))
			d->normalized = 1;
		else if (!strcmp(word, "depths"))
			d->depths = 1;
		else if (!strcmp(word, "srgb"))
			d->srgb = 1;
		else if (!strcmp(word, "storage"))
			p->storage = true;
		else if (test_find(modes, TEXTURE_ADDRESSES, word) < TEXTURE_ADDRESSES)
			memset(d->address_mode, (int)test_find(modes, TEXTURE_ADDRESSES, word), 3);
		else if (!strncmp(word, "samples=", 8))
			p->samples = (uint8_t)__builtin_ctz((unsigned)atoi(word + 8));
		else if (!test_setting(d, word) && *word && (*word < '0' || *word > '9'))
			test_malformed(t, "'%s' is no word of a texture", word);
	}
	p->type = d->type == TEXTURE_FLOAT && bits == 32 ? 'f'
		  : d->type == TEXTURE_SINT              ? 's'
							 : 'u';
	p->bytes = bits / 8;
	if (!end || d->geometry == TEXTURE_GEOMETRIES || d->type == TEXTURE_TYPES || !p->bytes)
		test_malformed(t, "the texture is not described");
}

static inline void test_parameter_line(struct instruction_test *t, const char *kind, char *line)
{
	struct test_parameter *p = &t->parameters[t->count];
	bool in = !strcmp(kind, "in"), both = !strcmp(kind, "inout"), second = false, unused;
	char *word = strcmp(kind, "texture") ? test_word(&line) : NULL;
	uint32_t n[2] = {0, 0};

	if (t->count++ == TEST_MAX_PARAMETERS || (!word && strcmp(kind, "texture")))
		test_malformed(t, "too many parameters, or one without a type");
	if (!strcmp(kind, "texture")) {
		test_texture(t, p, &line);
		in = true;
	} else {
		test_type(t, p, word);
	}
	p->buffer = strcmp(kind, "value");
	memset(p->before, TEST_GARBAGE, sizeof(p->before));
	while ((word = test_word(&line))) {
		if (!strcmp(word, "->")) {
			second = true;
			continue;
		}
		if (n[second] == TEST_MAX_ELEMENTS)
			test_malformed(t, "too many elements");
		if (second || !both)
			p->after[n[second]] = test_number(t, p, word, &p->any_nan[n[second]]);
		if (!second && (in || both || !p->buffer))
			p->before[n[second]] = test_number(t, p, word, &unused);
		n[second]++;
	}
	p->count = n[0];
	if (p->texture)
		texture_pack(&p->description);
	if (p->texture && n[0] * p->bytes != texture_bytes(&p->description))
		test_malformed(t, "%u values of a texture", n[0]);
	if (!n[0] || (both && n[0] != n[1]))
		test_malformed(t, "'%s' with %u and %u elements", kind, n[0], n[1]);
	if (!strcmp(kind, "out") && !t->block)
		t->block = n[0];
}

static inline void test_comment(struct instruction_test *t, char *line)
{
	char *word = test_word(&line);
	static const char *const kinds[] = {"in", "out", "inout", "value", "texture"};

	if (!word)
		return;
	for (size_t i = 0; i < 5; i++) {
		if (!strcmp(word, kinds[i])) {
			test_parameter_line(t, word, line);
			return;
		}
	}
	if (!strcmp(word, "block:"))
		t->block = (uint32_t)atoi(line);
	else if (!strcmp(word, "grid:"))
		t->grid = (uint32_t)atoi(line);
	else if (!strcmp(word, "shared:"))
		t->shared = (uint32_t)atoi(line);
	else if (!strcmp(word, "within:"))
		t->within = atof(line);
	else if (!strcmp(word, "fails"))
		t->fails = true;
	else if (!strcmp(word, "interpreter:"))
		t->undefined = !strcmp(line, "rejects");
	else if (!strcmp(word, "machine") && !strncmp(line, "code: from sm_", 14))
		t->needs_sm = (uint32_t)atoi(line + 14);
	else if (!strcmp(word, "machine"))
		t->unsupported = !strcmp(line, "code: not yet"),
		t->needs_ada = !strcmp(line, "code: Ada's or newer"),
		t->needs_hopper = !strcmp(line, "code: Hopper's");
	else if (!*t->title && strncmp(word, "SPDX", 4))
		snprintf(t->title, sizeof(t->title), "%s %s", word, line);
}

/* Parses the comments at the start of the file; the caller frees the result. */
static inline struct instruction_test *test_read(const char *name, const char *text)
{
	struct instruction_test *t = calloc(1, sizeof(*t));
	char line[4096];

	t->name = name;
	t->grid = 1;
	while (!strncmp(text, "//", 2)) {
		size_t n = strcspn(text, "\n");

		if (n >= sizeof(line))
			test_malformed(t, "a line is too long");
		memcpy(line, text + 2, n - 2);
		line[n - 2] = '\0';
		test_comment(t, line);
		text += n + (text[n] == '\n');
	}
	if (!t->block)
		t->block = 1;
	if (!*t->title)
		test_malformed(t, "it has no title");
	return t;
}

/* ---- running ---- */

static inline void test_reset(struct instruction_test *t)
{
	for (uint32_t i = 0; i < t->count; i++) {
		struct test_parameter *p = &t->parameters[i];

		for (uint32_t k = 0; k < p->count; k++)
			memcpy(p->memory + k * p->bytes, &p->before[k], p->bytes);
	}
}

/* The description of a texture whose texels lie without gaps at this address. */
static inline void test_describe(struct test_parameter *p, uint64_t address)
{
	struct texture *d = &p->description;

	d->address = address;
	texture_pack(d);
}

static inline bool test_same(const struct test_parameter *p, uint32_t k, uint64_t got)
{
	uint64_t infinity = p->bytes == 4 ? 0x7f800000 : UINT64_C(0x7ff0000000000000);
	uint64_t sign = UINT64_C(1) << (8 * p->bytes - 1);

	return p->any_nan[k] ? (got & ~sign) > infinity : got == p->after[k];
}

static inline double test_double(const struct test_parameter *p, uint64_t bits)
{
	double d;
	float f;

	memcpy(&d, &bits, sizeof(d));
	memcpy(&f, &bits, sizeof(f));
	return p->bytes == 4 ? (double)f : d;
}

/* Whether a float is near enough. */
static inline bool test_near(const struct instruction_test *t, const struct test_parameter *p,
			     uint32_t k, uint64_t got)
{
	double want = test_double(p, p->after[k]), have = test_double(p, got);
	double scale = want < -1 || want > 1 ? want : 1;

	return t->within > 0 && p->type == 'f' && p->bytes >= 4 &&
	       (have - want) / scale <= t->within && (want - have) / scale <= t->within &&
	       (have - want) / scale >= -t->within && (want - have) / scale >= -t->within;
}

/* Prints differences. */
static inline bool test_compare(const struct instruction_test *t)
{
	bool good = true;

	for (uint32_t i = 0; i < t->count; i++) {
		const struct test_parameter *p = &t->parameters[i];

		for (uint32_t k = 0; p->buffer && k < p->count; k++) {
			uint64_t got = 0;

			memcpy(&got, p->memory + k * p->bytes, p->bytes);
			if (test_same(p, k, got) || test_near(t, p, k, got))
				continue;
			good = false;
			diag("parameter %u, element %u: got 0x%llx, want %s0x%llx", i, k,
			     (unsigned long long)got, p->any_nan[k] ? "a NaN such as " : "",
			     (unsigned long long)p->after[k]);
		}
	}
	return good;
}

#endif
