// SPDX-License-Identifier: MIT
/*
 * The workspace by which the blocks of a cooperative grid synchronise: CUDA's cooperative groups
 * take its address from %envreg1 (high word) and %envreg2, and use the word at offset 4.
 */
#include "tests/userspace/runtime/_api.h"

#define BLOCKS 5u

/* Each block adds 1 to the word, waits until all have, and stores what it sees; a launch without a
 * workspace stores 77. */
static const char ptx[] =
	".version 8.0\n.target sm_75\n.address_size 64\n"
	".visible .entry synchronise(.param .u64 o) {\n"
	"	.reg .b64 %w, %o;\n	.reg .b32 %lo, %hi, %n, %all, %b;\n	.reg .pred %p;\n"
	"	ld.param.u64 %o, [o];\n	mov.u32 %hi, %envreg1;\n	mov.u32 %lo, %envreg2;\n"
	"	mov.b64 %w, {%lo, %hi};\n	mov.u32 %b, %ctaid.x;\n	mov.u32 %all, %nctaid.x;\n"
	"	mad.wide.u32 %o, %b, 4, %o;\n	mov.u32 %n, 77;\n"
	"	setp.eq.u64 %p, %w, 0;\n	@%p bra done;\n"
	"	atom.global.add.u32 %n, [%w+4], 1;\n"
	"again:\n	ld.relaxed.gpu.global.u32 %n, [%w+4];\n"
	"	setp.lt.u32 %p, %n, %all;\n	@%p bra again;\n"
	"done:\n	st.global.u32 [%o], %n;\n	ret;\n}\n";

static sov_context c;
static sov_function synchronise;
static sov_ptr out;

static sov_launch shape(uint32_t flags, const void *const *arguments)
{
	sov_launch l = SOV_INIT(sov_launch);

	l.grid[0] = BLOCKS;
	l.grid[1] = l.grid[2] = l.block[0] = l.block[1] = l.block[2] = 1;
	l.flags = flags;
	l.arguments = arguments;
	l.argument_count = 1;
	return l;
}

/* How many blocks stored this number. */
static uint32_t count(uint32_t number)
{
	uint32_t seen[BLOCKS], n = 0;

	MUST(sov_context_wait(c, 60 * SECOND));
	MUST(sov_memory_copy(c, SOV_HOST(seen), out, sizeof(seen)));
	MUST(sov_memory_fill(c, out, 0, 4, BLOCKS));
	for (uint32_t k = 0; k < BLOCKS; k++)
		n += seen[k] == number;
	return n;
}

static void run_on(const char *device)
{
	sov_graph_exec run;
	uint32_t right = 0, checks = 0;
	sov_module m;
	sov_launch l;
	sov_graph g;

	c = context_on(device, 0);
	MUST(sov_module_load(c, ptx, strlen(ptx), NULL, &m));
	MUST(sov_module_get_function(m, "synchronise", &synchronise));
	MUST(sov_memory_alloc(c, 4 * BLOCKS, &out));
	MUST(sov_memory_fill(c, out, 0, 4, BLOCKS));
	for (uint32_t k = 0; k < 300; k++) { /* slots are used again */
		bool together = k % 50 == 1;

		l = shape(together ? SOV_LAUNCH_COOPERATIVE : 0, ARGUMENTS(&out));
		MUST(sov_function_launch(synchronise, &l));
		if (k % 50 < 2 || k > 200) {
			checks++;
			right += count(together ? BLOCKS : 77) == BLOCKS;
		}
	}
	ok(right == checks,
	   "%s: a cooperative grid has a workspace of zeros, other grids have none", device);
	l = shape(SOV_LAUNCH_COOPERATIVE, ARGUMENTS(&out));
	MUST(sov_graph_create(c, 0, &g));
	MUST(sov_graph_add_kernel(g, NULL, 0, synchronise, &l, NULL));
	MUST(sov_graph_instantiate(g, &run));
	MUST(sov_graph_launch(run, NULL));
	ok(count(BLOCKS) == BLOCKS, "%s: a cooperative grid of a graph has a workspace", device);
	MUST(sov_context_destroy(c));
}

int main(void)
{
	soft_gpus("gh100:vram=256M,ga100:vram=256M:hazard");
	unsetenv("SOV_VISIBLE_DEVICES");
	run_on("gh100.0");
	run_on("ga100.0");
	return tap_done();
}
