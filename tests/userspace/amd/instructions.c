// SPDX-License-Identifier: MIT
/*
 * Every file in ptx/instructions as machine code of gfx1030 on the software GPU in hazard mode, optimised,
 * unoptimised, serial, with few registers and with no call inlined. Expected results are those of the
 * interpreter's test.
 *   usage: instructions [NAME]
 */
#include "tests/userspace/amd/_launch.h"
#include "tests/userspace/ptx/_instructions.h"

static struct {
	struct compile_options options;
	const char *mode;
	const char *only;
	uint32_t passed, refused, count;
} now;

static bool fill(struct instruction_test *t, const struct image_kernel *k, uint8_t *bytes)
{
	if (k->nparams != t->count)
		return false;
	for (uint32_t i = 0; i < t->count; i++) {
		struct test_parameter *p = &t->parameters[i];
		uint64_t address = (uint64_t)(uintptr_t)p->memory;

		memcpy(bytes + k->params[i].offset, p->buffer ? (void *)&address : p->memory,
		       p->buffer ? 8 : p->count * p->bytes);
	}
	return true;
}

static bool run(struct amd_test *g, struct instruction_test *t, const char *name)
{
	const struct image_kernel *k;
	uint8_t arguments[4096] = {0};
	char kernel[128];

	snprintf(kernel, sizeof(kernel), "%.*s", (int)strlen(name) - 4, name);
	k = amd_test_kernel(g, kernel);
	if (!k || !fill(t, k, arguments)) {
		diag("no kernel '%s' with these parameters", kernel);
		return false;
	}
	for (uint32_t i = 0; i < t->count; i++)
		amd_test_map(g, t->parameters[i].memory,
			     (uint64_t)t->parameters[i].count * t->parameters[i].bytes);
	return amd_test_run(g, k, (uint32_t[]){t->grid, 1, 1}, (uint32_t[]){t->block, 1, 1}, t->shared,
			    arguments);
}

static void check(const char *name, const char *text, size_t length)
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
	if (!loaded && t->not_yet) {
		ok(strstr(g.message, "not supported on gfx1030"), "%s, %s: is refused by name", name,
		   now.mode);
		now.refused++;
	} else {
		ran = loaded && run(&g, t, name);
		good = t->fails ? loaded && !ran : ran && test_compare(t);
		now.passed += good;
		ok(good, "%s, %s: %s", name, now.mode, t->promise);
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
		{"every call a call", {.keep_calls = true, .verify = true}},
		{"every call a call, few registers", {.keep_calls = true, .spill = true}},
	};

	now.only = argc > 1 ? argv[1] : NULL;
	for (uint32_t k = 0; k < sizeof(modes) / sizeof(modes[0]); k++) {
		now.mode = modes[k].name;
		now.options = modes[k].options;
		now.passed = now.refused = now.count = 0;
		files_each("tests/userspace/ptx/instructions", ".ptx", check);
		diag("%s: %u of %u files pass, %u are refused by name", now.mode, now.passed, now.count,
		     now.refused);
	}
	return tap_done();
}
