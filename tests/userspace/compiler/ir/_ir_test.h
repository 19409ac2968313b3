/* SPDX-License-Identifier: MIT */
/* Shared by the IR tests: an arena with diagnostics, modules from text, files with cases. */
#ifndef TESTS_USERSPACE_IR_TEST_H
#define TESTS_USERSPACE_IR_TEST_H

#include "libsov/compiler/ir/ir.h"
#include "tests/tap.h"

struct bench {
	struct arena arena;
	struct diag diag;
};

static inline void bench_init(struct bench *b)
{
	arena_init(&b->arena, 0, NULL);
	diag_init(&b->diag, &b->arena, "ir");
}

static inline void bench_free(struct bench *b)
{
	arena_free(&b->arena);
}

/* The module, or NULL with the errors in b->diag.text. */
static inline struct ir_module *bench_parse(struct bench *b, const char *text)
{
	diag_init(&b->diag, &b->arena, "ir");
	return ir_parse(&b->arena, text, strlen(text), &b->diag);
}

/* A parsed and verified module; ends the test otherwise. */
static inline struct ir_module *bench_module(struct bench *b, const char *text)
{
	struct ir_module *m = bench_parse(b, text);

	if (!m || !ir_verify(m, &b->diag)) {
		printf("Bail out! a test's own module is wrong: %s\n", b->diag.text);
		exit(1);
	}
	return m;
}

static inline char *bench_file(struct bench *b, const char *path)
{
	struct text t = {.arena = &b->arena};
	FILE *f = fopen(path, "r");
	char line[400];

	if (!f) {
		printf("Bail out! cannot read %s\n", path);
		exit(1);
	}
	text_printf(&t, "%s", "");
	while (fgets(line, sizeof(line), f))
		text_printf(&t, "%s", line);
	fclose(f);
	return t.s;
}

/* Cases of a file: each starts with a line ";; promise" and extends to the next one. */
struct test_case {
	char *name, *text;
};

static inline struct test_case *bench_cases(struct bench *b, const char *path, uint32_t *n)
{
	struct test_case *list = NULL;
	char *at = strstr(bench_file(b, path), "\n;; ");
	uint32_t capacity = 0;

	for (*n = 0; at; (*n)++) {
		char *next = strstr(at + 1, "\n;; "), *name = at + 4;
		size_t length = next ? (size_t)(next - name) : strlen(name);

		list = arena_grow(&b->arena, list, &capacity, *n + 1, sizeof(*list));
		list[*n].name = arena_strndup(&b->arena, name, strcspn(name, "\n"));
		list[*n].text = arena_printf(&b->arena, ";; %.*s\n", (int)length, name);
		at = next;
	}
	return list;
}

/* Concatenates the rest of all comments of the case that start with the word, one per line. */
static inline char *bench_comment(struct bench *b, const struct test_case *c, const char *word)
{
	const char *mark = arena_printf(&b->arena, "\n; %s ", word);
	struct text t = {.arena = &b->arena};

	for (const char *at = c->text; (at = strstr(at, mark)); at++) {
		const char *rest = at + strlen(mark);

		text_printf(&t, "%s%.*s", t.length ? "\n" : "", (int)strcspn(rest, "\n"), rest);
	}
	return t.s;
}

static inline ir_block bench_block(const struct ir_func *f, const char *name)
{
	ir_for_each_block(f, b)
		if (!strcmp(ir_text_block(f, b), name))
			return b;
	return 0;
}

#endif
