/* SPDX-License-Identifier: MIT */
/*
 * Each file in malformed/ says in its first lines which messages it gets ("// expect: ..."), and it
 * must get exactly those, in that order. Positions were written by hand.
 */
#include "tests/tap.h"
#include "tests/userspace/compiler/ptx/_files.h"
#include "libsov/compiler/ptx/ptx.h"

static void check(const char *name, const char *text, size_t length)
{
	struct compile_job job = {.target = target_find("sm_90")};
	struct text want = {.arena = &job.arena};
	struct ir_module *m;
	const char *line = text;
	bool accepted;

	arena_init(&job.arena, 0, NULL);
	diag_init(&job.diag, &job.arena, "test");
	text_printf(&want, "%s", "");
	for (const char *end; !strncmp(line, "// ", 3); line = end + 1) {
		end = strchr(line, '\n');
		if (!strncmp(line, "// expect: ", 11))
			text_printf(&want, "%.*s\n", (int)(end - line - 11), line + 11);
	}
	accepted = ptx_parse(&job, text, length, &m);
	ok(!accepted && want.length && !strcmp(job.diag.text, want.s),
	   "%s is refused with exactly its messages", name);
	if (accepted || strcmp(job.diag.text, want.s)) {
		diag("got:\n%s", job.diag.text);
		diag("want:\n%s", want.s);
	}
	arena_free(&job.arena);
}

int main(void)
{
	int n = files_each("tests/userspace/compiler/ptx/malformed", ".ptx", check);

	ok(n >= 40, "there are at least 40 malformed files");
	return tap_done();
}
