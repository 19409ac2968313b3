// SPDX-License-Identifier: MIT
/*
 * Compiles every file in ptx/instructions for gfx1030 and runs it on the software GPU in hazard
 * mode: optimised, unoptimised, serial, with few registers and without inlining. Expected results
 * are those of the interpreter's test.
 *
 * usage: instructions [NAME]
 */
#include "tests/userspace/compiler/amd/_subjects.h"

static struct {
	struct compile_options options;
	const char *mode;
	const char *only;
	uint32_t passed, refused, count;
} now;

static void test_file(const char *name, const char *text, size_t length)
{
	struct instruction_test *t;
	struct amd_test g;
	bool loaded, ran = false, good;

	if (now.only && strncmp(name, now.only, strlen(now.only)))
		return;
	t = test_read(name, text);
	now.count++;
	test_reset(t);
	loaded = amd_test_load(&g, text, length, &now.options);
	if (!loaded && (t->unsupported || t->needs_hopper)) {
		ok(strstr(g.message, "not supported on gfx1030"),
		   "gfx1030, %s, %s: refused with the name of the unsupported operation", name,
		   now.mode);
		now.refused++;
	} else {
		ran = loaded && amd_test_instruction(&g, t);
		good = t->fails ? loaded && !ran : ran && test_compare(t);
		now.passed += good;
		ok(good, "gfx1030, %s, %s: %s", name, now.mode, t->title);
		if (!good && !t->fails)
			diag("%s", g.message);
	}
	amd_test_free(&g);
	free(t);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		struct compile_options options;
	} modes[] = {
		{"optimised", {.verify = true}},
		{"unoptimised", {.unoptimised = true}},
		{"serial", {.serial = true}},
		{"few registers", {.spill = true}},
		{"no inlining", {.keep_calls = true, .verify = true}},
		{"no inlining, few registers", {.keep_calls = true, .spill = true}},
	};

	now.only = argc > 1 ? argv[1] : NULL;
	for (uint32_t k = 0; k < sizeof(modes) / sizeof(modes[0]); k++) {
		now.mode = modes[k].name;
		now.options = modes[k].options;
		now.passed = now.refused = now.count = 0;
		files_each("tests/userspace/compiler/ptx/instructions", ".ptx", test_file);
		diag("%s: %u of %u files pass, %u are refused by name", now.mode, now.passed,
		     now.count, now.refused);
	}
	return tap_done();
}
