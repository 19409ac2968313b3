// SPDX-License-Identifier: MIT
/* Kernels with up to 32,764 bytes of parameters: more than a stream's slot holds. */
#include "tests/userspace/runtime/_api.h"
#include "tests/userspace/runtime/_ptx.h"

#define WORDS    8188u /* 32,752 bytes, after the pointer and before the index: 32,764 in all */
#define LAUNCHES 200u  /* more than the staging ring holds at a time */

/* d[0] = w[0] + w[last] + 2 * w[index], read at known addresses, at a computed one, and through a
 * generic one; after a loop, so that many launches are pending. */
static const char large_ptx[] = PTX_HEADER
	".visible .entry large(.param .u64 d, .param .align 4 .b8 w[32752], .param .u32 i) "
	"{\n"
	"	.reg .b32 %r<6>;\n"
	"	.reg .b64 %a<6>;\n"
	"	ld.param.u64 %a1, [d];\n"
	"	.reg .pred %p;\n"
	"	mov.u32 %r1, 3000;\n"
	"spin:\n"
	"	st.volatile.global.u32 [%a1], %r1;\n"
	"	sub.u32 %r1, %r1, 1;\n"
	"	setp.ne.u32 %p, %r1, 0;\n"
	"	@%p bra spin;\n"
	"	ld.param.u32 %r1, [w];\n"
	"	ld.param.u32 %r2, [w+32748];\n"
	"	add.u32 %r1, %r1, %r2;\n"
	"	ld.param.u32 %r3, [i];\n"
	"	mul.wide.u32 %a2, %r3, 4;\n"
	"	mov.u64 %a3, w;\n"
	"	add.u64 %a3, %a3, %a2;\n"
	"	ld.param.u32 %r4, [%a3];\n"
	"	add.u32 %r1, %r1, %r4;\n"
	"	cvta.param.u64 %a4, %a3;\n"
	"	ld.u32 %r5, [%a4];\n"
	"	add.u32 %r1, %r1, %r5;\n"
	"	st.global.u32 [%a1], %r1;\n"
	"	ret;\n"
	"}\n";

static uint32_t words[WORDS];

static void set_words(uint32_t n)
{
	for (uint32_t i = 0; i < WORDS; i++)
		words[i] = n * 1000003u + i * 7919u;
}

static uint32_t expected(uint32_t index)
{
	return words[0] + words[WORDS - 1] + 2 * words[index];
}

static void run_on(const char *name)
{
	sov_context c = context_on(name, 0);
	sov_module m = module_from(c, large_ptx, strlen(large_ptx), 0);
	sov_function_attributes a = SOV_INIT(sov_function_attributes);
	uint32_t got[LAUNCHES + 1], want[LAUNCHES + 1], index;
	sov_launch l = SOV_INIT(sov_launch);
	sov_function f;
	sov_graph_exec exec;
	sov_graph g;
	sov_ptr p, at;

	MUST(sov_module_get_function(m, "large", &f));
	MUST(sov_function_get_attributes(f, &a));
	ok(a.parameter_bytes == 32764, "%s: the kernel has 32,764 bytes of parameters", name);
	MUST(sov_memory_alloc(c, sizeof(got), &p));
	l.grid[0] = l.grid[1] = l.grid[2] = l.block[0] = l.block[1] = l.block[2] = 1;
	l.arguments = ARGUMENTS(&at, words, &index);
	l.argument_count = 3;
	for (uint32_t n = 0; n < LAUNCHES; n++) {
		at = p + 4 * n;
		index = n * 41 % WORDS;
		set_words(n);
		want[n] = expected(index);
		MUST(sov_function_launch(f, &l));
	}
	set_words(LAUNCHES);
	index = 5;
	at = p + 4 * LAUNCHES;
	want[LAUNCHES] = expected(index);
	MUST(sov_graph_create(c, 0, &g));
	MUST(sov_graph_add_kernel(g, NULL, 0, f, &l, NULL));
	MUST(sov_graph_instantiate(g, &exec));
	MUST(sov_graph_launch(exec, NULL));
	MUST(sov_memory_copy(c, SOV_HOST(got), p, sizeof(got)));
	ok(!memcmp(got, want, 4 * LAUNCHES), "%s: each of %u launches has its own arguments", name,
	   LAUNCHES);
	ok(got[LAUNCHES] == want[LAUNCHES], "%s: a graph's kernel has its arguments", name);
	MUST(sov_graph_exec_destroy(exec));
	MUST(sov_graph_destroy(g));
	MUST(sov_context_destroy(c));
}

int main(void)
{
	static const char *const devices[] = {"gh100.0", "ga100.0", "navi21.0"};

	soft_gpus("gh100:vram=256M,ga100:vram=256M,navi21:vram=256M");
	for (uint32_t i = 0; i < DEVICES(devices); i++)
		run_on(devices[i]);
	return tap_done();
}
