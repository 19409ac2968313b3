// SPDX-License-Identifier: MIT
/*
 * Golden tests of the PTX front end: golden/NAME.ptx must lower to exactly the text of
 * golden/NAME.ir, which must parse back to the same text.
 */
#include "tests/tap.h"
#include "tests/userspace/compiler/ptx/_files.h"
#include "libsov/compiler/ptx/ptx.h"

/* The text after its leading comments. */
static const char *skip_comments(const char *text)
{
	while (*text == ';')
		text = strchr(text, '\n') + 1;
	return text;
}

static void check_golden(const char *name, const char *text, size_t length)
{
	struct compile_job job = {.target = target_find("sm_90")};
	struct ir_module *m, *again;
	const char *got, *want;
	char path[256], *golden;
	size_t size;

	arena_init(&job.arena, 0, NULL);
	diag_init(&job.diag, &job.arena, "test");
	snprintf(path, sizeof(path), "tests/userspace/compiler/ptx/golden/%.*s.ir",
		 (int)strlen(name) - 4, name);
	golden = file_read(path, &size);
	want = skip_comments(golden);
	if (!ok(ptx_parse(&job, text, length, &m) && ir_verify(m, &job.diag),
		"%s parses and verifies", name)) {
		diag("%s", job.diag.text);
	} else {
		got = ir_text(m);
		if (!ok(!strcmp(got, want), "%s lowers to exactly %s", name, path))
			diag("got:\n%s", got);
		again = ir_parse(&job.arena, got, strlen(got), &job.diag);
		ok(again && !strcmp(ir_text(again), got), "%s parses back to the same text", path);
	}
	free(golden);
	arena_free(&job.arena);
}

int main(void)
{
	ok(files_each("tests/userspace/compiler/ptx/golden", ".ptx", check_golden) >= 5,
	   "the golden folder has at least 5 PTX files");
	return tap_done();
}
