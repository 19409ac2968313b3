/* SPDX-License-Identifier: MIT */
/*
 * Text of random kernels (_random.h) under construction, and code of single threads.
 */
#ifndef TESTS_COMPILER_RANDOM_TEXT_H
#define TESTS_COMPILER_RANDOM_TEXT_H

#include <inttypes.h>
#include <stdarg.h>
#include "tests/userspace/compiler/driver/_agree.h"
#include "tests/userspace/compiler/driver/_random_operations.h"

#define RANDOM_WORDS      12 /* 32-bit registers */
#define RANDOM_LONGS      6
#define RANDOM_HALVES     4
#define RANDOM_PREDICATES 10
#define RANDOM_UNIFORM    4
#define RANDOM_MAX_DEPTH  4
/* Delimit the random part. Code outside of it keeps threads from racing: without it a kernel proves
 * nothing. */
#define RANDOM_BEGIN      "\t// begin\n"
#define RANDOM_END        "\t// end\n"

/* By bit of the lane number: lanes in which it is set. */
static const uint32_t random_masks[] = {0xaaaaaaaa, 0xcccccccc, 0xf0f0f0f0, 0xff00ff00, 0xffff0000};

enum random_level { LEVEL_THREAD, LEVEL_WARP, LEVEL_BLOCK };

struct random_ptx {
	uint64_t seed, number;
	char *text;
	size_t size, capacity;
	uint32_t labels, fuels, budget;
	uint32_t functions; /* of the kernel */
	bool function;      /* this is a function */
	bool ends;          /* threads may exit early; then no lane reads from others */
};

struct random_context {
	enum random_level level;
	uint32_t members,
		/* lanes that are here together; lane bits that distinguish them from others */
		split;
	uint32_t depth;
};

static inline uint32_t pick(struct random_ptx *k, uint32_t n)
{
	return (uint32_t)(agree_random(&k->seed) >> 33) % n;
}

__attribute__((format(printf, 2, 3))) static inline void put(struct random_ptx *k, const char *fmt,
							     ...)
{
	va_list ap;
	int n;

	if (k->capacity - k->size < 1024) {
		k->capacity *= 2;
		k->text = realloc(k->text, k->capacity);
		if (!k->text)
			abort();
	}
	va_start(ap, fmt);
	n = vsnprintf(k->text + k->size, k->capacity - k->size, fmt, ap);
	va_end(ap);
	k->size += (size_t)n;
}

static inline void put_text(struct random_ptx *k, const char *text, size_t size)
{
	if (k->capacity - k->size < size + 1024) {
		k->capacity += 2 * size + 1024;
		k->text = realloc(k->text, k->capacity);
		if (!k->text)
			abort();
	}
	memcpy(k->text + k->size, text, size);
	k->size += size;
	k->text[k->size] = 0;
}

static inline void put_number(struct random_ptx *k, uint32_t bits)
{
	static const char *const numbers[] = {
		"0",  "1",          "-1",         "2",   "31",   "32",         "33",
		"64", "0x7fffffff", "0x80000000", "255", "-128", "0xffff0000", "12345678"};

	if (bits == 16)
		put(k, "%d", (int)pick(k, 65536) - 32768);
	else if (bits == 64 && !pick(k, 3))
		put(k, "0x%llx", (unsigned long long)agree_random(&k->seed));
	else if (pick(k, 3))
		put(k, "%s", numbers[pick(k, sizeof(numbers) / sizeof(numbers[0]))]);
	else
		put(k, "%u", pick(k, 0x7fffffff));
}

/* A row while it is filled in. */
struct random_filling {
	char type[8];
	uint32_t bits;
	const char *space, *base; /* NULL: not chosen yet */
	uint32_t single;          /* 1 + the register that $f stands for; 0: none */
};

static inline uint32_t put_register(struct random_ptx *k, uint32_t bits)
{
	uint32_t n = pick(k, bits == 64 ? RANDOM_LONGS : bits == 32 ? RANDOM_WORDS : RANDOM_HALVES);

	put(k, "%%%c%u", bits == 64 ? 'l' : bits == 32 ? 'r' : 'h', n);
	return n;
}

static inline void put_register_or_number(struct random_ptx *k, uint32_t bits)
{
	if (pick(k, 2))
		put_number(k, bits);
	else
		put_register(k, bits);
}

/* Distinct registers, in braces. */
static inline void put_registers(struct random_ptx *k, uint32_t count, uint32_t bits)
{
	uint32_t all = bits == 64 ? RANDOM_LONGS : RANDOM_WORDS, n = pick(k, all),
		 step = pick(k, 2) ? 1 : all - 1;

	for (uint32_t i = 0; i < count; i++, n = (n + step) % all)
		put(k, "%s%%%c%u", i ? ", " : "{", bits == 64 ? 'l' : 'r', n);
	put(k, "}");
}

/* Private memory of the thread. */
static inline void choose_memory(struct random_ptx *k, struct random_filling *f, bool local)
{
	static const char *const memories[][2] = {{".global", "%own"},  {".shared", "%mine"},
						  {".global", "%heap"}, {"", "%far"},
						  {".local", "%stack"}, {"", "%any"}};
	uint32_t n = pick(k, local ? 6 : 4);

	if (f->space)
		return;
	f->space = memories[n][0];
	f->base = memories[n][1];
}

static inline void choose_type(struct random_ptx *k, struct random_filling *f, const char *types)
{
	uint32_t count = 1, n, size;
	const char *digits;

	for (const char *c = types; *c; c++)
		count += *c == ' ';
	for (n = pick(k, count); n; n--)
		types = strchr(types, ' ') + 1;
	size = (uint32_t)strcspn(types, " ");
	snprintf(f->type, sizeof(f->type), "%.*s", (int)size, types);
	digits = strpbrk(f->type, "0123456789");
	f->bits = (uint32_t)strtoul(digits, NULL, 10) * (strstr(f->type, "x2") ? 2 : 1);
}

static inline void fill_slot(struct random_ptx *k, struct random_filling *f, char what)
{
	switch (what) {
	case 'r':
		put_register(k, 32);
		break;
	case 'f':
		f->single = 1 + put_register(k, 32);
		break;
	case 'l':
		put_register(k, 64);
		break;
	case 'h':
		put_register(k, 16);
		break;
	case 'R':
		put_register_or_number(k, 32);
		break;
	case 'L':
		put_register_or_number(k, 64);
		break;
	case 'p':
		put(k, "%%p%u", pick(k, RANDOM_PREDICATES));
		break;
	case 'T':
		put(k, "%s", f->type);
		break;
	case 'b':
		put(k, "%u", f->bits);
		break;
	case 'd':
	case 'a':
		put_register(k, f->bits);
		break;
	case 'A':
		put_register_or_number(k, f->bits);
		break;
	case 'w':
		put_register(k, 2 * f->bits);
		break;
	case '2':
		put_registers(k, 2, 32);
		break;
	case '4':
		put_registers(k, 4, 32);
		break;
	case 'D':
		put_registers(k, 2, 64);
		break;
	case '5':
		put(k, "%u", pick(k, 32));
		break;
	case '8':
		put(k, "%u", pick(k, 256));
		break;
	case 'S':
	case 'G':
		choose_memory(k, f, what == 'S');
		put(k, "%s", f->space);
		break;
	case 'M':
		choose_memory(k, f, true);
		put(k, "%s", f->base);
		break;
	}
}

static inline void fill(struct random_ptx *k, struct random_filling *f, const char *t,
			const char *end)
{
	for (; t < end; t++) {
		if (*t == '<') {
			const char *close = strchr(t, '>');
			uint32_t n = 1;

			for (const char *c = t; c < close; c++)
				n += *c == '|';
			for (n = pick(k, n), t++; n; n--)
				t = strchr(t, '|') + 1;
			fill(k, f, t, t + strcspn(t, "|>"));
			t = close;
		} else if (*t == '$' && t[1] == 'o') {
			char *after;
			uint32_t size = (uint32_t)strtoul(t + 2, &after, 10);

			put(k, "%u", size * pick(k, AGREE_SLOTS * 8 / size));
			t = after - 1;
		} else if (*t == '$') {
			fill_slot(k, f, *++t);
		} else {
			put(k, "%c", *t);
		}
	}
}

/* Returns the register of $f. */
static inline uint32_t put_row(struct random_ptx *k, const char *types, const char *text)
{
	struct random_filling f = {.bits = 0};

	choose_type(k, &f, types);
	fill(k, &f, text, text + strlen(text));
	return f.single;
}

/* A single instruction may have a guard, except set and testp: under a false guard, ptxas 13.0
 * changes the previous value (seen on an H200). */
static inline void add_operation(struct random_ptx *k)
{
	const struct random_row *row = RANDOM_WIDE(k->number) && !pick(k, 8)
					       ? &random_wide_row
					       : &random_rows[pick(k, RANDOM_ROWS)];
	char guard[8] = "";
	uint32_t single;

	put(k, "\t");
	if (row->text[strcspn(row->text, ";{") + 1] == 0 && strncmp(row->text, "set.", 4) &&
	    strncmp(row->text, "testp.", 6) && !pick(k, 4)) {
		const char *not = pick(k, 2) ? "!" : "";

		snprintf(guard, sizeof(guard), "%s%%p%u", not, pick(k, RANDOM_PREDICATES) % 10);
		put(k, "@%s ", guard);
	}
	single = put_row(k, row->types, row->text);
	if (single--)
		put(k,
		    AGREE_ONE_NAN "{.reg .pred n; setp.nan%s.f32 n, %%r%u, %%r%u%s%s; @n mov.b32 "
				  "%%r%u, 0x7fffffff;}",
		    guard[0] ? ".and" : "", single, single, guard[0] ? ", " : "", guard, single);
	put(k, "\n");
}

#endif
