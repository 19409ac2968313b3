// SPDX-License-Identifier: MIT
/*
 * Golden tests of the passes. Each .ir file in this folder names the passes to run, the target, and
 * the expected text.
 *
 *	; run: gvn dce
 *	; target: dummy            (the default)
 *	; promise: the same sum in either order is computed once
 *	kernel k(...) { ... }
 *	--- expect
 *	kernel k(...) { ... }
 *
 * "golden --print FILE" prints the result of the passes, for a person to judge.
 */
#include <dirent.h>
#include "libsov/compiler/passes/pass.h"
#include "tests/tap.h"

#define FOLDER "tests/userspace/compiler/passes"
#define MARK   "\n--- expect\n"

struct golden {
	struct arena arena;
	struct diag diag;
	char *text, *expect;          /* expect: after the mark */
	char *run, *target, *promise; /* from the header */
};

static char *read_file(struct arena *a, const char *path)
{
	FILE *file = fopen(path, "rb");
	char *text;
	long size;

	if (!file || fseek(file, 0, SEEK_END) || (size = ftell(file)) < 0) {
		fprintf(stderr, "golden: cannot read %s\n", path);
		exit(1);
	}
	rewind(file);
	text = arena_alloc(a, (size_t)size + 1);
	if (fread(text, 1, (size_t)size, file) != (size_t)size)
		exit(1);
	fclose(file);
	return text;
}

static char *header_field(struct arena *a, const char *text, const char *key, const char *otherwise)
{
	const char *at = strstr(text, key);

	if (!at)
		return arena_strndup(a, otherwise, strlen(otherwise));
	at += strlen(key);
	return arena_strndup(a, at, strcspn(at, "\n"));
}

static void load_file(struct golden *g, const char *path)
{
	char *mark;

	arena_init(&g->arena, 0, NULL);
	diag_init(&g->diag, &g->arena, "golden");
	g->text = read_file(&g->arena, path);
	mark = strstr(g->text, MARK);
	g->expect = mark ? mark + strlen(MARK) : NULL;
	if (mark)
		mark[1] = '\0';
	g->run = header_field(&g->arena, g->text, "; run: ", "");
	g->target = header_field(&g->arena, g->text, "; target: ", "dummy");
	g->promise = header_field(&g->arena, g->text, "; promise: ", "");
}

/* The text after the passes, or NULL with a reason in the diagnostics. */
static char *transform(struct golden *g)
{
	struct ir_module *m = ir_parse(&g->arena, g->text, strlen(g->text), &g->diag);
	const struct target *t = target_find(g->target);
	char *rest = g->run, *name;

	if (!m || !ir_verify(m, &g->diag))
		return NULL;
	if (!t) {
		diag_error(&g->diag, 0, 0, "unknown target '%s'", g->target);
		return NULL;
	}
	while ((name = strtok_r(rest, " ", &rest))) {
		const struct pass *p = pass_find(name);

		if (!p) {
			diag_error(&g->diag, 0, 0, "unknown pass '%s'", name);
			return NULL;
		}
		for (struct ir_func *f = m->funcs; f; f = f->next)
			p->run(f, t);
		if (!ir_verify(m, &g->diag))
			return NULL;
	}
	return ir_text(m);
}

static void show_lines(const char *title, const char *text)
{
	diag("%s", title);
	while (*text) {
		size_t n = strcspn(text, "\n");

		printf("#     ");
		fwrite(text, 1, n, stdout);
		putchar('\n');
		text += n + (text[n] == '\n');
	}
}

static void check_file(const char *name)
{
	char path[512];
	struct golden g;
	char *got;
	bool good;

	snprintf(path, sizeof(path), FOLDER "/%s", name);
	load_file(&g, path);
	got = transform(&g);
	good = got && g.expect && *g.run && *g.promise && !strcmp(got, g.expect);
	ok(good, "%s: %s", name, g.promise);
	if (!good) {
		show_lines("got:", got ? got : g.diag.text);
		show_lines("expected:",
			   g.expect ? g.expect : "(the file has no line '--- expect')");
	}
	arena_free(&g.arena);
}

static int is_case(const struct dirent *e)
{
	size_t n = strlen(e->d_name);

	return n > 3 && !strcmp(e->d_name + n - 3, ".ir");
}

int main(int argc, char **argv)
{
	struct dirent **cases;
	int n;

	if (argc == 3 && !strcmp(argv[1], "--print")) {
		struct golden g;
		char *got;

		load_file(&g, argv[2]);
		got = transform(&g);
		fputs(got ? got : g.diag.text, stdout);
		arena_free(&g.arena);
		return !got;
	}
	n = scandir(FOLDER, &cases, is_case, alphasort);
	ok(n > 0, FOLDER " contains golden test cases");
	for (int k = 0; k < n; k++) {
		check_file(cases[k]->d_name);
		free(cases[k]);
	}
	if (n >= 0)
		free(cases);
	return tap_done();
}
