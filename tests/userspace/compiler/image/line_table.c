// SPDX-License-Identifier: MIT
/*
 * Source lines: the image maps instructions to the lines that .loc gives in the PTX text, fault
 * reports name them, and a malformed line table is harmless.
 */
#include "libsov/compiler/driver/compiler.h"
#include "libsov/compiler/image/image.h"
#include "libsov/compiler/image/line_table.h"
#include "libsov/sov.h"
#include "tests/tap.h"

static const char text[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
			   ".file 1 \"/src/first.cu\"\n"
			   ".file 3 \"third.h\"\n"
			   ".func (.reg .b32 %d) f(.reg .b32 %a)\n{\n"
			   "	.loc 3 7 1\n"
			   "	mul.lo.s32 %d, %a, %a;\n"
			   "	ret;\n}\n"
			   ".visible .entry k(.param .u64 p)\n{\n"
			   "	.reg .b32 %r<4>;\n	.reg .b64 %l;\n"
			   "	.loc 1 100 2\n"
			   "	ld.param.u64 %l, [p];\n"
			   "	ld.global.u32 %r1, [%l];\n"
			   "	.loc 3 5 9\n"
			   "	add.s32 %r2, %r1, 77;\n"
			   "	call (%r2), f, (%r2);\n"
			   "	.loc 1 2000000 1\n"
			   "	st.global.u32 [%l+4], %r2;\n"
			   "	.loc 2 9 1\n" /* a file without .file directive */
			   "	st.global.u32 [%l+8], 1;\n"
			   "	ret;\n}\n"
			   ".visible .entry other(.param .u64 p)\n{\n"
			   "	.reg .b64 %l;\n"
			   "	.loc 1 11 1\n"
			   "	ld.param.u64 %l, [p];\n"
			   "	st.global.u32 [%l], 1;\n"
			   "	ret;\n}\n";

static struct compile_result compiled;

static bool compile_module(bool keep_calls)
{
	struct compile_options o = {.target = "sm_90", .keep_calls = keep_calls};

	compile_result_free(&compiled);
	if (compile(text, strlen(text), &o, &compiled))
		return true;
	diag("%s", compiled.messages);
	return false;
}

/* Returns the lines of a kernel, separated by spaces. */
static const char *lines_of(const char *kernel)
{
	static char all[1024];
	char one[256], message[256];
	struct image im;
	size_t n = 0;

	all[0] = 0;
	if (!image_read(&im, compiled.image, compiled.image_size, message, sizeof(message)))
		return "";
	for (uint32_t k = 0; k < im.nkernels; k++) {
		struct image_line *lines;
		uint32_t count;

		if (strcmp(im.kernels[k].name, kernel))
			continue;
		lines = image_lines(&im, k, &count);
		for (uint32_t i = 0; i < count; i++) {
			image_line_print(&lines[i], one, sizeof(one));
			n += (size_t)snprintf(all + n, sizeof(all) - n, "%s%s", i ? " " : "", one);
		}
		free(lines);
	}
	image_free(&im);
	return all;
}

static void test_compiled(void)
{
	ok(compile_module(false), "module with .loc directives compiles");
	is_str(lines_of("k"), "/src/first.cu:100 third.h:5 third.h:7 /src/first.cu:2000000",
	       "line table maps each instruction to its .loc line, also in inlined calls");
	is_str(lines_of("other"), "/src/first.cu:11", "each kernel has its own line table");
	ok(compile_module(true) && strstr(lines_of("k"), "third.h:7"),
	   "line table covers called functions");
}

static bool count_row(void *user, const struct line_location *p)
{
	++*(uint32_t *)user;
	return p->line < UINT32_MAX;
}

static void test_hostile(void)
{
	static const char *const files[] = {"a", "b"};
	struct line_row rows[] = {{0, 1, 1}, {16, 2, 300}, {48, 1, 2}};
	struct line_table t = {.rows = rows, .count = 3, .end = 64};
	uint32_t size, seed = 1, count = 0, cut = 0, good = 0, changed = 20000 / TAP_SLOWNESS;
	struct arena arena;
	uint8_t *section;

	arena_init(&arena, 0, NULL);
	section = line_table_write(&arena, files, 2, &t, 1, &size);
	ok(line_table_read(section, size, t.start, count_row, &count) && count == 3,
	   "line table that was written is read back");
	for (uint32_t n = 0; n < size; n++)
		cut += !line_table_read(section, n, t.start, count_row, &count);
	ok(cut == size, "truncated line tables are rejected (%u of %u)", cut, size);
	for (uint32_t n = 0; n < changed; n++) {
		uint8_t copy[256];

		memcpy(copy, section, size);
		for (uint32_t k = 0; k < 1 + n % 4; k++) {
			seed = seed * 1664525 + 1013904223;
			copy[(seed >> 16) % size] = (uint8_t)(seed >> 8);
		}
		good += line_table_read(copy, size, t.start, count_row, &count);
	}
	ok(good && good < changed,
	   "of %u corrupted line tables %u can still be read, none crashes the reader", changed,
	   good);
	arena_free(&arena);
}

static void test_fault(void)
{
	sov_fault fault = SOV_INIT(sov_fault);
	sov_context_options o = SOV_INIT(sov_context_options);
	sov_launch l = SOV_INIT(sov_launch);
	uint64_t nowhere = 0x1234000;
	const void *arguments[] = {&nowhere};
	sov_device d;
	sov_context c;
	sov_module m;
	sov_function f;

	setenv("SOV_SOFT", "gh100:vram=64M", 1);
	l.grid[0] = l.grid[1] = l.grid[2] = l.block[0] = l.block[1] = l.block[2] = 1;
	l.arguments = arguments;
	l.argument_count = 1;
	if (sov_device_open(0, &d) || sov_context_create(d, &o, &c) ||
	    sov_module_load(c, text, strlen(text), NULL, &m) ||
	    sov_module_get_function(m, "k", &f)) {
		ok(false, "module with .loc directives is loaded: %s", sov_last_error());
		return;
	}
	sov_function_launch(f, &l);
	ok(sov_context_wait(c, SOV_FOREVER) && strstr(sov_last_error(), ", /src/first.cu:100"),
	   "error of a faulting kernel names the source line: %s", sov_last_error());
	ok(!sov_context_get_fault(c, &fault),
	   "sov_context_get_fault returns the fault of the kernel");
	is_str(fault.source, "/src/first.cu:100", "sov_fault contains the source line");
	sov_context_destroy(c);
}

int main(void)
{
	test_compiled();
	test_hostile();
	test_fault();
	compile_result_free(&compiled);
	return tap_done();
}
