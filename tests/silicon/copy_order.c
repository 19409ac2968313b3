// SPDX-License-Identifier: MIT
/*
 * Does an asynchronous copy overtake the accesses to shared memory before it? Each warp stores to
 * shared memory, loads what it stored with bank conflicts, and copies over it at once. The loads
 * must return what was stored, and after the wait memory must hold what was copied. Runs our code
 * as it is, and without the loads that separate_copies.c inserts, and prints how often either went
 * wrong.
 *   usage: copy_order             needs a Hopper GPU with NVIDIA's driver
 */
#include <string.h>

#include "libsov/compiler/driver/compiler.h"
#include "libsov/compiler/image/image.h"
#include "libsov/isa/nv/sass.h"
#include "tests/silicon/driver.h"

#define SM         90
#define THREADS    512
#define BLOCKS     264
#define ITERATIONS 2000
#define COPIED     0xc0c0c0c0u
#define LOADS      8 /* per thread and iteration */

static char text[8192];

/* A thread owns LOADS words that follow each other, so that lanes of a warp conflict in banks. */
static void write_kernel(void)
{
	size_t n = 0;

#define LINE(...) n += (size_t)snprintf(text + n, sizeof(text) - n, __VA_ARGS__)
	LINE(".version 8.0\n.target sm_90\n.address_size 64\n"
	     ".visible .entry k(.param .u64 from, .param .u64 wrong, .param .u32 n)\n{\n"
	     ".reg .b64 %%f, %%w; .reg .b32 %%i, %%n, %%t, %%s, %%v, %%x, %%e, %%l<%d>;\n"
	     ".reg .pred %%p; .shared .align 16 .b32 tile[%d];\n"
	     "ld.param.u64 %%f, [from]; ld.param.u64 %%w, [wrong]; ld.param.u32 %%n, [n];\n"
	     "mov.u32 %%t, %%tid.x; mov.u32 %%s, tile; mad.lo.u32 %%s, %%t, %d, %%s;\n"
	     "mov.u32 %%i, 0; mov.u32 %%e, 0;\nagain:\n"
	     "mad.lo.u32 %%v, %%i, 7919, %%t;\n",
	     LOADS, THREADS * LOADS, 4 * LOADS);
	for (int k = 0; k < LOADS; k++)
		LINE("add.u32 %%x, %%v, %d; st.volatile.shared.u32 [%%s+%d], %%x;\n", k, 4 * k);
	for (int k = 0; k < LOADS; k++)
		LINE("ld.volatile.shared.u32 %%l%d, [%%s+%d];\n", k, 4 * k);
	for (int k = 0; k < LOADS; k++)
		LINE("cp.async.ca.shared.global [%%s+%d], [%%f+%d], 4;\n", 4 * k, 4 * k);
	LINE("cp.async.wait_all;\n");
	for (int k = 0; k < LOADS; k++)
		LINE("add.u32 %%x, %%v, %d; setp.ne.u32 %%p, %%l%d, %%x;\n"
		     "@%%p add.u32 %%e, %%e, 1;\n"
		     "ld.volatile.shared.u32 %%x, [%%s+%d]; setp.ne.u32 %%p, %%x, 0x%x;\n"
		     "@%%p add.u32 %%e, %%e, 0x10000;\n",
		     k, k, 4 * k, COPIED);
	LINE("add.u32 %%i, %%i, 1; setp.lt.u32 %%p, %%i, %%n; @%%p bra again;\n"
	     "and.b32 %%x, %%e, 0xffff; red.global.add.u32 [%%w], %%x;\n"
	     "shr.u32 %%x, %%e, 16; red.global.add.u32 [%%w+4], %%x;\nret;\n}\n");
#undef LINE
}

/* Replaces the loads that no lane executes by NOPs; returns their number. */
static uint32_t remove_dead_loads(uint8_t *code, uint32_t bytes)
{
	uint32_t removed = 0;

	for (uint32_t at = 0; at < bytes; at += 16) {
		struct sass_inst in, nop;
		struct sass_word w;

		memcpy(&w, code + at, sizeof(w));
		if (!sass_decode(SM, w, &in) || in.op != SASS_LDS || in.guard != SASS_PT ||
		    !in.guard_not)
			continue;
		sass_init(&nop, SASS_NOP);
		nop.stall = in.stall;
		nop.yield = in.yield;
		nop.wait = in.wait;
		if (!sass_encode(SM, &nop, &w, NULL))
			exit(EXIT_BROKEN);
		memcpy(code + at, &w, sizeof(w));
		removed++;
	}
	return removed;
}

static void run(const uint8_t *image, cuda_ptr from, cuda_ptr wrong, uint32_t counts[2])
{
	uint32_t n = ITERATIONS;
	void *arguments[] = {&from, &wrong, &n};
	cuda_handle module, f;

	counts[0] = counts[1] = 0;
	must(cuMemcpyHtoD_v2(wrong, counts, 8), "copying in");
	must(cuModuleLoadData(&module, image), "loading");
	must(cuModuleGetFunction(&f, module, "k"), "finding the kernel");
	must(cuLaunchKernel(f, BLOCKS, 1, 1, THREADS, 1, 1, 0, NULL, arguments, NULL), "launching");
	must(cuCtxSynchronize(), "running");
	must(cuMemcpyDtoH_v2(counts, wrong, 8), "copying out");
	must(cuModuleUnload(module), "unloading");
}

int main(void)
{
	struct compile_options o = {.source = COMPILE_PTX, .target = "sm_90"};
	uint32_t words[LOADS], counts[2][2], removed;
	struct compile_result result;
	struct cuda_device device;
	cuda_ptr from, wrong;
	struct image read;
	char message[256];
	uint8_t *image;

	write_kernel();
	if (!compile(text, strlen(text), &o, &result)) {
		fprintf(stderr, "copy_order: %s\n", result.messages);
		return EXIT_BROKEN;
	}
	image = result.image;
	if (!image_read(&read, image, result.image_size, message, sizeof(message)))
		return EXIT_BROKEN;
	device = cuda_open();
	must(cuMemAlloc_v2(&from, sizeof(words)), "allocating");
	must(cuMemAlloc_v2(&wrong, 8), "allocating");
	for (uint32_t k = 0; k < LOADS; k++)
		words[k] = COPIED;
	must(cuMemcpyHtoD_v2(from, words, sizeof(words)), "copying in");
	run(image, from, wrong, counts[0]);
	removed = remove_dead_loads(image + (read.kernels[0].code - image),
				    read.kernels[0].code_bytes);
	run(image, from, wrong, counts[1]);
	image_free(&read);
	printf("copy_order: %s: with %u dead loads %u early loads and %u lost copies; without %u "
	       "and %u\n",
	       device.name, removed, counts[0][0], counts[0][1], counts[1][0], counts[1][1]);
	return counts[0][0] || counts[0][1] ? EXIT_WRONG : 0;
}
