// SPDX-License-Identifier: MIT
/*
 * What code for gfx1030 takes of vector registers, and copies between them: kernels whose least need can be counted
 * by hand, or from the steps at which fewer waves fit. That they compute the right thing is the business of kernels.c.
 */
#include <stdarg.h>
#include "libsov/compiler/driver/compiler.h"
#include "libsov/compiler/image/image.h"
#include "libsov/isa/amd/amd_row.h"
#include "tests/tap.h"

static char text[1 << 16];
static size_t length;

static void say(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	length += (size_t)vsnprintf(text + length, sizeof(text) - length, format, list);
	va_end(list);
}

/* A kernel that knows where to read and to write: %in and %out, the same for all threads. */
static void begin(void)
{
	length = 0;
	say(".version 7.8\n.target sm_80\n.address_size 64\n"
	    ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
	    ".reg .b64 %%in, %%out, %%at;\n.reg .b32 %%t;\n.reg .f32 %%f<256>;\n"
	    "ld.param.u64 %%in, [in];\nld.param.u64 %%out, [out];\n"
	    "mov.u32 %%t, %%tid.x;\nmul.wide.u32 %%at, %%t, 64;\n"
	    "add.s64 %%in, %%in, %%at;\nadd.s64 %%out, %%out, %%at;\n");
}

static uint32_t copies; /* from one vector register to another, in the last kernel */

static void count_copies(const struct image_kernel *k)
{
	uint32_t words = k->code_bytes / 4, bytes;
	struct amd_inst in;

	copies = 0;
	for (uint32_t p = 0; p < words; p += bytes / 4) {
		bytes = amd_decode(AMD_GFX1030, (const uint32_t *)(const void *)k->code + p,
				   words - p, &in);
		if (!bytes)
			return;
		copies += in.row->op == AMD_v_mov_b32 && in.reg[AMD_S0] >= AMD_VGPR;
	}
}

static uint32_t registers(void)
{
	struct compile_options o = {
		.source = COMPILE_PTX, .target = "gfx1030", .threads = 1, .keep_calls = true};
	struct compile_result r;
	struct image im;
	char message[256];
	uint32_t n = UINT32_MAX;

	copies = UINT32_MAX;

	say("ret;\n}\n");
	if (!compile(text, length, &o, &r))
		diag("%s", r.messages);
	else if (!image_read(&im, r.image, r.image_size, message, sizeof(message)))
		diag("%s", message);
	else
		count_copies(&im.kernels[0]), n = im.kernels[0].registers, image_free(&im);
	compile_result_free(&r);
	return n;
}

/* Of eight loads of four words each, three are done with at once; the others wait for the end. Nothing that is
 * volatile moves. */
static void words_die_alone(void)
{
	uint32_t n;

	begin();
	for (int k = 0; k < 8; k++) {
		say("ld.volatile.global.v4.f32 {%%f%d, %%f%d, %%f%d, %%f%d}, [%%in+%d];\n", 4 * k,
		    4 * k + 1, 4 * k + 2, 4 * k + 3, 16 * k);
		for (int j = 0; j < 3; j++)
			say("st.volatile.global.f32 [%%out+%d], %%f%d;\n", 4 * j, 4 * k + 1 + j);
	}
	for (int k = 0; k < 8; k++)
		say("st.volatile.global.f32 [%%out+%d], %%f%d;\n", 32 + 4 * k, 4 * k);
	n = registers();
	ok(n <= 4 + 8 + 4,
	   "a word that is done with gives its register back: two addresses, eight words and a "
	   "load, "
	   "%u registers",
	   n);
}

static void sum(int loads, bool at_once)
{
	begin();
	for (int k = 0; at_once && k < loads; k++)
		say("ld.global.f32 %%f%d, [%%in+%d];\n", 1 + k, 4 * k);
	say("mov.f32 %%f0, 0f00000000;\n");
	for (int k = 0; k < loads; k++) {
		if (!at_once)
			say("ld.global.f32 %%f%d, [%%in+%d];\n", 1 + k, 4 * k);
		say("add.f32 %%f0, %%f0, %%f%d;\n", 1 + k);
	}
	say("st.global.f32 [%%out], %%f0;\n");
}

/* Waves that fit at once hide each other's loads: 16 do with 64 registers. */
static void room_for_waves(void)
{
	uint32_t n;

	sum(200, true);
	n = registers();
	ok(n <= 64, "200 loads that are summed leave room for sixteen waves: %u registers", n);
}

static void loads_start_early(void)
{
	uint32_t n;

	sum(30, false);
	n = registers();
	ok(n >= 25 && n <= 40,
	   "30 loads, each summed at once in PTX, are on their way together: %u registers", n);
}

/* A kernel has the registers of what it calls. */
static void functions_too(void)
{
	uint32_t n;

	length = 0;
	say(".version 7.8\n.target sm_80\n.address_size 64\n.func (.param .f32 r) f(.param .u64 "
	    "in)\n{\n"
	    ".reg .b64 %%in;\n.reg .f32 %%f<32>;\nld.param.u64 %%in, [in];\nmov.f32 %%f0, "
	    "0f00000000;\n");
	for (int k = 1; k <= 30; k++)
		say("ld.global.f32 %%f%d, [%%in+%d];\nadd.f32 %%f0, %%f0, %%f%d;\n", k, 4 * k, k);
	say("st.param.f32 [r], %%f0;\nret;\n}\n.visible .entry k(.param .u64 in)\n{\n"
	    ".reg .b64 %%in;\n.reg .f32 %%r;\nld.param.u64 %%in, [in];\n"
	    "{\n.param .b64 a;\n.param .f32 b;\nst.param.b64 [a], %%in;\ncall (b), f, (a);\n"
	    "ld.param.f32 %%r, [b];\n}\nst.global.f32 [%%in], %%r;\n");
	n = registers();
	ok(n >= 25 && n <= 40, "30 loads of a function are on their way together: %u registers", n);
}

/* Of eight values that go round a loop some turns change half, others the other half. */
static void ways_meet_in_place(void)
{
	begin();
	for (int k = 0; k < 8; k++)
		say("ld.global.f32 %%f%d, [%%in+%d];\n", k, 4 * k);
	say(".reg .pred %%p;\n.reg .b32 %%n, %%odd;\nmov.u32 %%n, %%t;\n$turn:\nand.b32 %%odd, "
	    "%%n, 1;\n"
	    "setp.ne.u32 %%p, %%odd, 0;\n@%%p bra $odd;\n");
	for (int k = 0; k < 4; k++)
		say("fma.rn.f32 %%f%d, %%f%d, %%f%d, %%f%d;\n", k, k, k, 4 + k);
	say("bra $both;\n$odd:\n");
	for (int k = 4; k < 8; k++)
		say("fma.rn.f32 %%f%d, %%f%d, %%f%d, %%f%d;\n", k, k, k, k - 4);
	say("$both:\nadd.u32 %%n, %%n, -1;\nsetp.gt.s32 %%p, %%n, 0;\n@%%p bra $turn;\n");
	for (int k = 0; k < 8; k++)
		say("st.global.f32 [%%out+%d], %%f%d;\n", 4 * k, k);
	registers();
	ok(!copies,
	   "values that different ways change meet in the registers that they were in: %u copies",
	   copies);
}

int main(void)
{
	ways_meet_in_place();
	words_die_alone();
	room_for_waves();
	loads_start_early();
	functions_too();
	return tap_done();
}
