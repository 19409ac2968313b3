// SPDX-License-Identifier: MIT
/* A kernel that exceeds its time limit: the error says where it was on a software GPU. */
#include "tests/userspace/runtime/_api.h"
#include "tests/userspace/runtime/_ptx.h"

/* Thread (3, 1, 0) of block (2, 0, 0) never ends, at line 8; all others end. */
static const char spin[] = PTX_HEADER "	.file 1 \"spin.cu\"\n"
				      ".visible .entry _Z4spinPji(.param .u64 p, .param .u32 n) {\n"
				      "	.reg .b32 %r<8>;\n"
				      "	.reg .b64 %a<3>;\n"
				      "	.reg .pred %p<5>;\n"
				      "	.loc 1 5 0\n"
				      "	ld.param.u64 %a1, [p];\n"
				      "	cvta.to.global.u64 %a2, %a1;\n"
				      "	mov.u32 %r1, %ctaid.x;\n"
				      "	mov.u32 %r2, %tid.x;\n"
				      "	mov.u32 %r3, %tid.y;\n"
				      "	setp.ne.u32 %p1, %r1, 2;\n"
				      "	setp.ne.or.u32 %p2, %r2, 3, %p1;\n"
				      "	setp.ne.or.u32 %p3, %r3, 1, %p2;\n"
				      "	@%p3 bra done;\n"
				      "	.loc 1 8 0\n"
				      "again:\n"
				      "	ld.volatile.global.u32 %r4, [%a2];\n"
				      "	setp.ne.u32 %p4, %r4, 12345;\n"
				      "	@%p4 bra again;\n"
				      "	.loc 1 9 0\n"
				      "done:\n"
				      "	ret;\n"
				      "}\n";

static void on(const char *device)
{
	sov_context c = context_on(device, SECOND / 20);
	sov_fault fault = SOV_INIT(sov_fault);
	sov_function f = function_of(c, spin, "_Z4spinPji");
	sov_launch l = SOV_INIT(sov_launch);
	uint32_t n = 1;
	sov_ptr p;

	MUST(sov_memory_alloc(c, 64, &p));
	MUST(sov_memory_fill(c, p, 0, 4, 16));
	l.grid[0] = 4;
	l.block[0] = 8;
	l.block[1] = 2;
	l.arguments = ARGUMENTS(&p, &n);
	l.argument_count = 2;
	MUST(sov_function_launch(f, &l));
	refused(sov_context_wait(c, 60 * SECOND), SOV_ERROR_HANG,
		"kernel 'spin(unsigned int*, int)'", "a hang names the kernel as C++ does");
	ok(strstr(sov_last_error(), "it did not end within its limit of 0.050 s; block (2, 0, 0), "
				    "thread (3, 1, 0), at +0x") != NULL,
	   "%s: it names block and thread", device);
	ok(strstr(sov_last_error(), ", spin.cu:8") != NULL, "%s: it names the source line", device);
	diag("%s", sov_last_error());
	MUST(sov_context_get_fault(c, &fault));
	ok(fault.result == SOV_ERROR_HANG && !strcmp(fault.kernel, "_Z4spinPji") &&
		   fault.has_thread && fault.block[0] == 2 && fault.thread[0] == 3 &&
		   fault.thread[1] == 1 && fault.pc != UINT64_MAX && *fault.instruction &&
		   !strcmp(fault.source, "spin.cu:8"),
	   "%s: the fault record has kernel, block, thread, instruction and line", device);
	good(sov_context_reset(c), "the context can be used again after a reset");
	good(sov_memory_fill(c, p, 0, 4, 16), "its memory, too");
	MUST(sov_context_destroy(c));
}

/* A context with a running kernel ends at once: nothing waits for a second. */
static void destroyed_while_running(const char *device)
{
	sov_context c = context_on(device, SOV_FOREVER);
	sov_function f = function_of(c, spin, "_Z4spinPji");
	uint32_t n = 1;
	sov_launch l = SOV_INIT(sov_launch);
	sov_ptr p;

	MUST(sov_memory_alloc(c, 64, &p));
	MUST(sov_memory_fill(c, p, 0, 4, 16));
	l.grid[0] = 4;
	l.block[0] = 8;
	l.block[1] = 2;
	l.arguments = ARGUMENTS(&p, &n);
	l.argument_count = 2;
	MUST(sov_function_launch(f, &l));
	good(sov_context_destroy(c), "a context whose kernel runs forever can be destroyed");
}

int main(void)
{
	soft_gpus("gh100:vram=64M,navi21:vram=64M");
	on(software(0));
	on(software(1));
	destroyed_while_running(software(0));
	destroyed_while_running(software(1));
	return tap_done();
}
