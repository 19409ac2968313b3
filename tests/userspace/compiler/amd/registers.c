// SPDX-License-Identifier: MIT
/*
 * VGPR counts and VGPR copies of code for gfx1030: kernels whose minimum can be counted by hand, or
 * follows from the occupancy steps. kernels.c checks their results.
 */
#include <stdarg.h>
#include "libsov/compiler/amd/mir.h"
#include "libsov/compiler/driver/compiler.h"
#include "libsov/compiler/image/image.h"
#include "libsov/isa/amd/amd_row.h"
#include "tests/tap.h"

static char text[1 << 16];
static size_t length;

static void emit(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	length += (size_t)vsnprintf(text + length, sizeof(text) - length, format, list);
	va_end(list);
}

/* Begins a kernel whose %in and %out are per-thread addresses. */
static void begin_kernel(void)
{
	length = 0;
	emit(".version 7.8\n.target sm_80\n.address_size 64\n"
	     ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
	     ".reg .b64 %%in, %%out, %%at;\n.reg .b32 %%t;\n.reg .f32 %%f<256>;\n"
	     "ld.param.u64 %%in, [in];\nld.param.u64 %%out, [out];\n"
	     "mov.u32 %%t, %%tid.x;\nmul.wide.u32 %%at, %%t, 64;\n"
	     "add.s64 %%in, %%in, %%at;\nadd.s64 %%out, %%out, %%at;\n");
}

static uint32_t copies; /* VGPR-to-VGPR moves in the last kernel */

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

static uint32_t compile_and_count(bool spill)
{
	struct compile_options o = {.source = COMPILE_PTX,
				    .target = "gfx1030",
				    .threads = 1,
				    .keep_calls = true,
				    .spill = spill};
	struct compile_result r;
	struct image im;
	char message[256];
	uint32_t n = UINT32_MAX;

	copies = UINT32_MAX;

	emit("ret;\n}\n");
	if (!compile(text, length, &o, &r))
		diag("%s", r.messages);
	else if (!image_read(&im, r.image, r.image_size, message, sizeof(message)))
		diag("%s", message);
	else
		count_copies(&im.kernels[0]), n = im.kernels[0].registers, image_free(&im);
	compile_result_free(&r);
	return n;
}

/*
 * Of each of eight four-word loads, three words die immediately and one lives to the end. Volatile
 * accesses do not move.
 */
static void test_dead_words_free_registers(void)
{
	uint32_t n;

	begin_kernel();
	for (int k = 0; k < 8; k++) {
		emit("ld.volatile.global.v4.f32 {%%f%d, %%f%d, %%f%d, %%f%d}, [%%in+%d];\n", 4 * k,
		     4 * k + 1, 4 * k + 2, 4 * k + 3, 16 * k);
		for (int j = 0; j < 3; j++)
			emit("st.volatile.global.f32 [%%out+%d], %%f%d;\n", 4 * j, 4 * k + 1 + j);
	}
	for (int k = 0; k < 8; k++)
		emit("st.volatile.global.f32 [%%out+%d], %%f%d;\n", 32 + 4 * k, 4 * k);
	n = compile_and_count(false);
	ok(n <= 4 + 8 + 4,
	   "a dead word of a vector load frees its VGPR: two addresses, eight words and a load "
	   "take %u registers",
	   n);
}

static void sum_loads(int loads, bool at_once)
{
	begin_kernel();
	for (int k = 0; at_once && k < loads; k++)
		emit("ld.global.f32 %%f%d, [%%in+%d];\n", 1 + k, 4 * k);
	emit("mov.f32 %%f0, 0f00000000;\n");
	for (int k = 0; k < loads; k++) {
		if (!at_once)
			emit("ld.global.f32 %%f%d, [%%in+%d];\n", 1 + k, 4 * k);
		emit("add.f32 %%f0, %%f0, %%f%d;\n", 1 + k);
	}
	emit("st.global.f32 [%%out], %%f0;\n");
}

/* Sixteen waves, each with up to 64 registers, fit and hide each other's loads. */
static void test_pressure_leaves_occupancy(void)
{
	uint32_t n;

	sum_loads(200, true);
	n = compile_and_count(false);
	ok(n <= 64,
	   "a sum of 200 loads keeps VGPR pressure low enough for sixteen waves: %u registers", n);
}

static void test_loads_overlap(void)
{
	uint32_t n;

	sum_loads(30, false);
	n = compile_and_count(false);
	ok(n >= 25 && n <= 40,
	   "30 loads, each added right after it in PTX, are scheduled to overlap: %u registers", n);
}

/* A kernel's register count includes its callees. */
static void test_callee_loads_overlap(void)
{
	uint32_t n;

	length = 0;
	emit(".version 7.8\n.target sm_80\n.address_size 64\n.func (.param .f32 r) f(.param .u64 "
	     "in)\n{\n"
	     ".reg .b64 %%in;\n.reg .f32 %%f<32>;\nld.param.u64 %%in, [in];\nmov.f32 %%f0, "
	     "0f00000000;\n");
	for (int k = 1; k <= 30; k++)
		emit("ld.global.f32 %%f%d, [%%in+%d];\nadd.f32 %%f0, %%f0, %%f%d;\n", k, 4 * k, k);
	emit("st.param.f32 [r], %%f0;\nret;\n}\n.visible .entry k(.param .u64 in)\n{\n"
	     ".reg .b64 %%in;\n.reg .f32 %%r;\nld.param.u64 %%in, [in];\n"
	     "{\n.param .b64 a;\n.param .f32 b;\nst.param.b64 [a], %%in;\ncall (b), f, (a);\n"
	     "ld.param.f32 %%r, [b];\n}\nst.global.f32 [%%in], %%r;\n");
	n = compile_and_count(false);
	ok(n >= 25 && n <= 40,
	   "30 loads of a called function are scheduled to overlap: %u registers", n);
}

/* Of eight loop-carried values, even iterations change one half and odd iterations the other. */
static void test_phi_copies_coalesce(void)
{
	begin_kernel();
	for (int k = 0; k < 8; k++)
		emit("ld.global.f32 %%f%d, [%%in+%d];\n", k, 4 * k);
	emit(".reg .pred %%p;\n.reg .b32 %%n, %%odd;\nmov.u32 %%n, %%t;\n$loop:\nand.b32 %%odd, "
	     "%%n, 1;\n"
	     "setp.ne.u32 %%p, %%odd, 0;\n@%%p bra $odd;\n");
	for (int k = 0; k < 4; k++)
		emit("fma.rn.f32 %%f%d, %%f%d, %%f%d, %%f%d;\n", k, k, k, 4 + k);
	emit("bra $both;\n$odd:\n");
	for (int k = 4; k < 8; k++)
		emit("fma.rn.f32 %%f%d, %%f%d, %%f%d, %%f%d;\n", k, k, k, k - 4);
	emit("$both:\nadd.u32 %%n, %%n, -1;\nsetp.gt.s32 %%p, %%n, 0;\n@%%p bra $loop;\n");
	for (int k = 0; k < 8; k++)
		emit("st.global.f32 [%%out+%d], %%f%d;\n", 4 * k, k);
	compile_and_count(false);
	ok(!copies,
	   "phis of loop-carried values that either side of a branch changes need no VGPR copies: "
	   "%u",
	   copies);
}

/*
 * Single words and pairs of words that are live together, more than fit. With an odd number of
 * words before it, a pair finds one word left at the limit.
 */
static void test_pairs_at_limit(void)
{
	uint32_t n, max = 0;

	for (int singles = 0; singles < 4; singles++) {
		begin_kernel();
		for (int k = 0; k < singles; k++)
			emit("ld.volatile.global.f32 %%f%d, [%%in+%d];\n", k, 4 * k);
		for (int k = 4; k < 64; k += 2)
			emit("ld.volatile.global.v2.f32 {%%f%d, %%f%d}, [%%in+%d];\n", k, k + 1,
			     4 * k);
		for (int k = 4; k < 64; k += 2)
			emit("st.volatile.global.v2.f32 [%%out+%d], {%%f%d, %%f%d};\n", 4 * k, k,
			     k + 1);
		for (int k = 0; k < singles; k++)
			emit("st.volatile.global.f32 [%%out+%d], %%f%d;\n", 4 * k, k);
		n = compile_and_count(true);
		max = n > max ? n : max;
	}
	ok(max == GCN_STRESS_VGPRS,
	   "pairs of VGPRs are spilled rather than exceed the limit of the option spill: %u "
	   "registers",
	   max);
}

int main(void)
{
	test_phi_copies_coalesce();
	test_dead_words_free_registers();
	test_pressure_leaves_occupancy();
	test_loads_overlap();
	test_callee_loads_overlap();
	test_pairs_at_limit();
	return tap_done();
}
