// SPDX-License-Identifier: MIT
/*
 * What does a bulk store cost if all lanes of a warp execute it with the same operands? A warp in
 * each block stores BYTES of shared memory COUNT times, in all lanes or in the first, compiled by
 * this tree and by the driver. Prints the cycles until the copies are issued, and until they have
 * written. Code with a loop over lanes takes far more cycles in the rows of all lanes.
 *   usage: lane_stores       needs a Hopper GPU with NVIDIA's driver; some seconds
 */
#include <string.h>

#include "libsov/compiler/driver/compiler.h"
#include "tests/silicon/driver.h"

#define COUNT  16
#define BYTES  4096
#define BLOCKS 32
#define RUNS   5

struct cycles {
	uint64_t issued, written;
};

static void write_kernel(char *text, size_t size, bool all_lanes)
{
	size_t n = (size_t)snprintf(
		text, size,
		".version 8.0\n.target sm_90\n.address_size 64\n"
		".visible .entry k(.param .u64 out, .param .u64 cycles)\n{\n"
		".reg .b32 %%i, %%at, %%b;\n.reg .b64 %%d, %%c, %%a, %%b0, %%b1;\n"
		".reg .pred %%skip, %%more;\n.shared .align 128 .b8 words[%u];\n"
		"ld.param.u64 %%d, [out]; ld.param.u64 %%c, [cycles];\n"
		"mov.u32 %%i, %%tid.x; mov.u32 %%b, %%ctaid.x;\n"
		"mad.wide.u32 %%d, %%b, %u, %%d; mad.wide.u32 %%c, %%b, 16, %%c;\n"
		"fill: mov.u32 %%at, words; mad.lo.u32 %%at, %%i, 4, %%at; st.shared.u32 [%%at], "
		"%%i;\n"
		"add.u32 %%i, %%i, 32; setp.lt.u32 %%more, %%i, %u; @%%more bra fill;\n"
		"fence.proxy.async.shared::cta; bar.warp.sync -1;\n"
		"mov.u32 %%i, %%laneid; setp.ne.u32 %%skip, %%i, 0;\n%s"
		"mov.u64 %%a, %%clock64;\n",
		BYTES, COUNT * BYTES, BYTES / 4, all_lanes ? "" : "@%skip bra done;\n");

	for (unsigned k = 0; k < COUNT; k++)
		n += (size_t)snprintf(
			text + n, size - n,
			"cp.async.bulk.global.shared::cta.bulk_group [%%d+%u], [words], %u;\n",
			k * BYTES, BYTES);
	snprintf(text + n, size - n,
		 "cp.async.bulk.commit_group;\nmov.u64 %%b0, %%clock64;\n"
		 "cp.async.bulk.wait_group 0;\nmov.u64 %%b1, %%clock64;\n"
		 "sub.u64 %%b0, %%b0, %%a; sub.u64 %%b1, %%b1, %%a;\n@%%skip bra done;\n"
		 "st.global.u64 [%%c], %%b0; st.global.u64 [%%c+8], %%b1;\ndone: ret;\n}\n");
}

/* The least of several runs of the block that takes longest. */
static struct cycles measure(const void *image)
{
	static uint32_t words[BLOCKS * COUNT * BYTES / 4];
	struct cycles blocks[BLOCKS], best = {UINT64_MAX, UINT64_MAX};
	cuda_ptr out, cycles;
	void *arguments[] = {&out, &cycles};
	cuda_handle module, f;

	must(cuMemAlloc_v2(&out, sizeof(words)), "allocating");
	must(cuMemAlloc_v2(&cycles, sizeof(blocks)), "allocating");
	must(cuModuleLoadData(&module, image), "loading");
	must(cuModuleGetFunction(&f, module, "k"), "finding the kernel");
	for (unsigned run = 0; run < RUNS; run++) {
		struct cycles worst = {0, 0};

		must(cuLaunchKernel(f, BLOCKS, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL),
		     "launching");
		must(cuCtxSynchronize(), "running");
		must(cuMemcpyDtoH_v2(blocks, cycles, sizeof(blocks)), "copying out");
		for (unsigned b = 0; b < BLOCKS; b++)
			worst = blocks[b].written > worst.written ? blocks[b] : worst;
		best = worst.written < best.written ? worst : best;
	}
	must(cuMemcpyDtoH_v2(words, out, sizeof(words)), "copying out");
	for (unsigned i = 0; i < sizeof(words) / 4; i++)
		if (words[i] != i % (BYTES / 4)) {
			printf("WRONG word %u is %u\n", i, words[i]);
			exit(EXIT_WRONG);
		}
	must(cuModuleUnload(module), "unloading");
	must(cuMemFree_v2(cycles), "freeing");
	must(cuMemFree_v2(out), "freeing");
	return best;
}

static void print_row(const char *compiler, bool all_lanes, struct cycles c)
{
	printf("%-10s %-9s %8llu %8llu\n", compiler, all_lanes ? "all lanes" : "one lane",
	       (unsigned long long)c.issued, (unsigned long long)c.written);
}

int main(void)
{
	struct compile_options o = {.source = COMPILE_PTX, .target = "sm_90"};
	static char text[8192];

	limit_time(30);
	printf("lane_stores: %s; cycles until issued and until written\n", cuda_open().name);
	for (int all_lanes = 0; all_lanes < 2; all_lanes++) {
		struct compile_result result;

		write_kernel(text, sizeof(text), all_lanes);
		if (!compile(text, strlen(text), &o, &result)) {
			fprintf(stderr, "lane_stores: %s\n", result.messages);
			return EXIT_BROKEN;
		}
		print_row("this tree", all_lanes, measure(result.image));
		print_row("the driver", all_lanes, measure(text));
	}
	return 0;
}
