// SPDX-License-Identifier: MIT
/*
 * Each file in malformed/ lists the expected messages in its first lines ("// expect: ..."). The
 * front end must report exactly those, in that order. Positions were written by hand.
 */
#include "tests/tap.h"
#include "tests/userspace/compiler/ptx/_files.h"
#include "libsov/compiler/ptx/ptx.h"

static void check_malformed(const char *name, const char *text, size_t length)
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
	   "malformed %s is rejected with exactly its expected messages", name);
	if (accepted || strcmp(job.diag.text, want.s)) {
		diag("got:\n%s", job.diag.text);
		diag("want:\n%s", want.s);
	}
	arena_free(&job.arena);
}

int main(void)
{
	int n = files_each("tests/userspace/compiler/ptx/malformed", ".ptx", check_malformed);

	ok(n >= 40, "the malformed folder has at least 40 PTX files");
	return tap_done();
}
