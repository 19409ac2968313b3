// SPDX-License-Identifier: MIT
/* Kernels of one stream see what the kernels before them have written, although compute units of a
 * software Navi 21 keep lines of earlier kernels (weak memory mode). No copy is between them,
 * because copy queues invalidate caches, too. */
#include "tests/userspace/runtime/_api.h"

#define LAUNCHES 48

static const char ptx[] =
	".version 8.0\n.target sm_80\n.address_size 64\n"
	".visible .entry put(.param .u64 p, .param .u32 n) {\n"
	"	.reg .b32 %r<2>;\n	.reg .b64 %a<2>;\n"
	"	ld.param.u64 %a1, [p];\n	ld.param.u32 %r1, [n];\n"
	"	st.global.u32 [%a1], %r1;\n	ret;\n}\n"
	".visible .entry move(.param .u64 p, .param .u64 q) {\n"
	"	.reg .b32 %r<2>;\n	.reg .b64 %a<3>;\n"
	"	ld.param.u64 %a1, [p];\n	ld.param.u64 %a2, [q];\n"
	"	ld.global.u32 %r1, [%a1];\n	st.global.u32 [%a2], %r1;\n	ret;\n}\n";

int main(void)
{
	uint32_t i, wrong = 0, got[LAUNCHES];
	sov_function put, move;
	sov_context c;
	sov_module m;
	sov_ptr p, q, at;

	setenv("TEST_CHIP", "navi21", 1);
	setenv("TEST_WEAK", "1", 1);
	soft_gpus("gh100:vram=64M");
	c = context_on("gh100.0", 0);
	m = module_from(c, ptx, strlen(ptx), 0);
	MUST(sov_module_get_function(m, "put", &put));
	MUST(sov_module_get_function(m, "move", &move));
	MUST(sov_memory_alloc(c, 4096, &p));
	MUST(sov_memory_alloc(c, 4096, &q));
	for (i = 0; i < LAUNCHES; i++) {
		at = q + 4 * i;
		MUST(launch(put, NULL, 1, 1, "84", (const void *[]){&p, &i}));
		MUST(launch(move, NULL, 1, 1, "88", (const void *[]){&p, &at}));
	}
	MUST(sov_context_wait(c, 60 * SECOND));
	MUST(sov_memory_copy(c, SOV_HOST(got), q, sizeof(got)));
	for (i = 0; i < LAUNCHES; i++)
		wrong += got[i] != i;
	ok(!wrong, "a kernel reads what an earlier one of its stream has written (%u are wrong)",
	   wrong);
	MUST(sov_context_destroy(c));
	return tap_done();
}
