// SPDX-License-Identifier: MIT
/*
 * Golden tests of the back end's stages: each .ir file in golden/ names a stage and contains the
 * expected machine IR after it, for sm_90 (or "; target:"), with all earlier stages run.
 *
 *	; run: nv-select
 *	; target: sm_80
 *	; serial
 *	; object
 *	; promise: constants are operands
 *	kernel k(...) { ... }
 *	--- expect
 *	kernel k sm_80
 *	b1: ...
 *
 * "golden --print FILE" prints the actual machine IR of a file, for review.
 */
#include <dirent.h>
#include "libsov/compiler/driver/compiler.h"
#include "tests/tap.h"
#include "tests/userspace/compiler/ptx/_files.h"

#define MARK "\n--- expect\n"

static void find_header(const char *text, const char *key, const char *otherwise, char out[160])
{
	const char *at = strstr(text, key);

	at = at ? at + strlen(key) : otherwise;
	snprintf(out, 160, "%.*s", (int)strcspn(at, "\n"), at);
}

/* Returns the stage's output without its title line, or the error messages. Allocated by malloc. */
static char *compile_text(const char *text, size_t length)
{
	char run[160], target[160], *printed = NULL, *out;
	size_t size = 0;
	FILE *print = open_memstream(&printed, &size);
	struct compile_options o = {.source = COMPILE_IR,
				    .target = target,
				    .verify = true,
				    .print_pass = run,
				    .print_to = print,
				    .serial = strstr(text, "\n; serial\n"),
				    .relocatable = strstr(text, "\n; object\n")};
	struct compile_result r;
	bool good;

	find_header(text, "; run: ", "", run);
	find_header(text, "; target: ", "sm_90", target);
	good = compile(text, length, &o, &r);
	fclose(print);
	if (!good)
		out = strdup(r.messages);
	else if (!strchr(printed, '\n'))
		out = strdup("(nothing was printed)\n");
	else
		out = strdup(strchr(printed, '\n') + 1);
	compile_result_free(&r);
	free(printed);
	return out;
}

static void show_lines(const char *title, const char *text)
{
	diag("%s", title);
	while (*text) {
		size_t n = strcspn(text, "\n");

		printf("#     %.*s\n", (int)n, text);
		text += n + (text[n] == '\n');
	}
}

static void check_golden(const char *name, const char *text, size_t length)
{
	const char *mark = strstr(text, MARK), *expect = mark ? mark + strlen(MARK) : "";
	char promise[160], *got = compile_text(text, mark ? (size_t)(mark + 1 - text) : length);
	size_t n = strlen(got);

	while (n > 1 && got[n - 1] == '\n' &&
	       got[n - 2] == '\n') /* the empty line after a kernel */
		got[--n] = '\0';
	find_header(text, "; promise: ", "", promise);
	if (!ok(*promise && !strcmp(got, expect), "%s: %s", name, promise)) {
		show_lines("got:", got);
		show_lines("expected:", expect);
	}
	free(got);
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "--print")) {
		size_t length;
		char *text = file_read(argv[2], &length), *mark = strstr(text, MARK);
		char *got = compile_text(text, mark ? (size_t)(mark + 1 - text) : length);

		fputs(got, stdout);
		free(got);
		free(text);
		return 0;
	}
	ok(files_each("tests/userspace/compiler/nv/golden", ".ir", check_golden) > 15,
	   "golden directory of the NVIDIA back end has more than 15 cases");
	return tap_done();
}
