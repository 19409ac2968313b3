// SPDX-License-Identifier: MIT
/* Of very many printf lines none is lost, and none is corrupt. */
#include "tests/userspace/runtime/conformance/_conformance.h"

static struct {
	uint8_t *seen;
	uint32_t n, count, twice, strange;
	char part[256]; /* of a line */
	size_t have;
} lines;

static void take_line(void)
{
	uint32_t number;
	char word[8];
	double half;

	if (sscanf(lines.part, "%u %7s %lf", &number, word, &half) != 3 || number >= lines.n ||
	    strcmp(word, number & 1 ? "odd" : "even") || half != number * 0.5) {
		lines.strange++;
		return;
	}
	lines.twice += lines.seen[number];
	lines.count += !lines.seen[number];
	lines.seen[number] = 1;
}

static void collect(void *user, const char *text, size_t bytes)
{
	(void)user;
	for (size_t i = 0; i < bytes; i++) {
		if (text[i] != '\n') {
			if (lines.have < sizeof(lines.part) - 1)
				lines.part[lines.have++] = text[i];
			continue;
		}
		lines.part[lines.have] = 0;
		lines.have = 0;
		take_line();
	}
}

int main(void)
{
	sov_context_options o = SOV_INIT(sov_context_options);
	sov_device device = conformance_device();
	sov_launch l = SOV_INIT(sov_launch);
	size_t bytes;
	char *text =
		read_file("tests/userspace/runtime/module/device_services/_kernels.ptx", &bytes);
	sov_context c;
	sov_function f;
	uint64_t from;

	lines.n = (getenv("TEST_CARD") ? 40000 : 1000000) / TAP_SLOWNESS;
	lines.seen = calloc(lines.n, 1);
	o.print = collect;
	o.print_bytes = getenv("TEST_CARD") ? 8 * MIB : 128 * MIB;
	MUST(sov_context_create(device, &o, &c));
	MUST(sov_module_get_function(module_from(c, text, bytes, 0), "lines", &f));
	l.grid[0] = (lines.n + 127) / 128;
	l.block[0] = 128;
	l.grid[1] = l.grid[2] = l.block[1] = l.block[2] = 1;
	l.arguments = ARGUMENTS(&lines.n);
	l.argument_count = 1;
	from = clock_ns();
	MUST(sov_function_launch(f, &l));
	good(sov_context_wait(c, 300 * SECOND), "a kernel that prints many lines completes");
	diag("%u lines in %.1f ms", lines.count, (double)(clock_ns() - from) * 1e-6);
	ok(lines.count == lines.n && !lines.twice && !lines.strange,
	   "%u of %u printf lines appear once, %u twice, %u are corrupt", lines.count, lines.n,
	   lines.twice, lines.strange);
	MUST(sov_context_destroy(c));
	free(lines.seen);
	free(text);
	return tap_done();
}
