// SPDX-License-Identifier: MIT
/*
 * Checked programs (SOV_CHECK): a table of kernels with one bug each, and of kernels without one.
 * Each runs in a context of its own; what it must report is in the table. Words: %tid.x is in %r1,
 * %ctaid.x in %r2; %a1 is an allocation of 1,000 bytes that is written, %a2 one that is not, %a3
 * one of 1,002 bytes, %a4 a freed one, %a5 one of the pool, %a6 a freed one of the pool, %a7 host
 * memory; %a8 is 4 times %tid.x. Registers from %r4 and %a10 on are free.
 */
#include <sys/wait.h>
#include "tests/userspace/runtime/_api.h"

#define BYTES 1000u

static const char header[] =
	".version 8.0\n.target sm_80\n.address_size 64\n"
	".visible .global .align 4 .b8 variable[16];\n"
	".visible .entry k(.param .u64 p1, .param .u64 p2, .param .u64 p3, .param .u64 p4,\n"
	"	.param .u64 p5, .param .u64 p6, .param .u64 p7) {\n"
	"	.reg .pred %p<8>;\n	.reg .b16 %h<4>;\n	.reg .b32 %r<32>;\n"
	"	.reg .b64 %a<32>;\n	.shared .align 16 .b8 s[1024];\n"
	"	.local .align 16 .b8 l[64];\n"
	"	ld.param.u64 %a1, [p1];\n	ld.param.u64 %a2, [p2];\n	ld.param.u64 %a3, "
	"[p3];\n"
	"	ld.param.u64 %a4, [p4];\n	ld.param.u64 %a5, [p5];\n	ld.param.u64 %a6, "
	"[p6];\n"
	"	ld.param.u64 %a7, [p7];\n"
	"	mov.u32 %r1, %tid.x;\n	mov.u32 %r2, %ctaid.x;\n"
	"	mul.wide.u32 %a8, %r1, 4;\n	mov.u32 %r3, s;\n"
	"	cvt.u32.u64 %r30, %a8;\n	add.u32 %r3, %r3, %r30;\n"
	"	xor.b32 %r31, %r3, 128;\n" /* the word of the same lane in the other warp */;

struct planted {
	const char *name, *kind; /* kind NULL: nothing is wrong */
	const char *parts[3];    /* of the report */
	uint32_t blocks, threads;
	const char *body;
};

#define KEEP               "	st.global.u32 [%a1], %r4;\n" /* so that the load stays */
#define PAST               "0 bytes past the end of 1000 allocated bytes"
#define FIRST_BLOCK(label) "	setp.ne.u32 %p1, %r2, 0;\n	@%p1 bra " label ";\n"

static const struct planted table[] = {
	/* memory */
	{"a load one byte past the end",
	 "out-of-bounds",
	 {"load of 1 bytes", PAST},
	 1,
	 1,
	 "	ld.global.u8 %r4, [%a1+1000];\n" KEEP},
	{"a store one byte past the end",
	 "out-of-bounds",
	 {"store of 1 bytes", PAST},
	 1,
	 1,
	 "	st.global.u8 [%a1+1000], 1;\n"},
	{"a load that crosses the end",
	 "out-of-bounds",
	 {"2 of which are past the end of 1002"},
	 1,
	 1,
	 "	ld.global.u32 %r4, [%a3+1000];\n" KEEP},
	{"a vector that crosses the end",
	 "out-of-bounds",
	 {"load of 16 bytes", "8 of which are past the end"},
	 1,
	 1,
	 "	ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%a1+992];\n	add.u32 %r4, %r4, %r7;\n"
	 "	add.u32 %r4, %r4, %r5;\n	add.u32 %r4, %r4, %r6;\n" KEEP},
	{"a store in the next page",
	 "out-of-bounds",
	 {"3096 bytes past the end of 1000"},
	 1,
	 1,
	 "	st.global.u32 [%a1+4096], 1;\n"},
	{"a store before the start",
	 "out-of-bounds",
	 {"4 bytes before 1000 allocated bytes"},
	 1,
	 1,
	 "	st.global.u32 [%a1+-4], 1;\n"},
	{"a store past a block of the pool",
	 "out-of-bounds",
	 {PAST},
	 1,
	 1,
	 "	st.global.u8 [%a5+1000], 1;\n"},
	{"a load far past a block of the pool",
	 "out-of-bounds",
	 {"past the end of 1000"},
	 1,
	 1,
	 "	ld.global.u32 %r4, [%a5+1200];\n" KEEP},
	{"an atomic past the end",
	 "out-of-bounds",
	 {"atomic of 4 bytes", PAST},
	 1,
	 1,
	 "	red.global.add.u32 [%a1+1000], 1;\n"},
	{"a load from freed memory",
	 "use-after-free",
	 {"8 bytes inside 1000 freed bytes", "\"allocated\": [{", "\"freed\": [{"},
	 1,
	 1,
	 "	ld.global.u32 %r4, [%a4+8];\n" KEEP},
	{"a store to freed memory",
	 "use-after-free",
	 {"store of 4 bytes", "freed by"},
	 1,
	 1,
	 "	st.global.u32 [%a4], 1;\n"},
	{"a store to a freed block of the pool",
	 "use-after-free",
	 {"1000 freed bytes"},
	 1,
	 1,
	 "	st.global.u32 [%a6], 1;\n"},
	{"a load from address 0",
	 "invalid-address",
	 {"in no allocation"},
	 1,
	 1,
	 "	mov.u64 %a10, 0;\n	ld.global.u32 %r4, [%a10];\n" KEEP},
	{"a store to a wild address",
	 "invalid-address",
	 {"at 0x700000000000"},
	 1,
	 1,
	 "	mov.u64 %a10, 0x700000000000;\n	st.global.u32 [%a10], 1;\n"},
	{"a store past host memory",
	 "out-of-bounds",
	 {PAST},
	 1,
	 1,
	 "	st.global.u8 [%a7+1000], 1;\n"},
	{"a store past a module's variable",
	 "out-of-bounds",
	 {"past the end of"},
	 1,
	 1,
	 "	mov.u64 %a10, variable;\n	st.global.u32 [%a10+1024], 1;\n"},
	{"one thread of 251 past the end",
	 "out-of-bounds",
	 {"\"thread\": [250, 0, 0]"},
	 1,
	 251,
	 "	add.u64 %a10, %a1, %a8;\n	st.global.u32 [%a10], %r1;\n"},
	{"the second block past the end",
	 "out-of-bounds",
	 {"\"block\": [1, 0, 0]"},
	 2,
	 1,
	 "	mul.wide.u32 %a10, %r2, 1000;\n	add.u64 %a10, %a10, %a1;\n"
	 "	st.global.u8 [%a10], 1;\n"},
	{"a load past shared memory",
	 "out-of-bounds",
	 {"shared"},
	 1,
	 1,
	 "	ld.shared.u32 %r4, [%r3+1048576];\n" KEEP},
	{"a misaligned load",
	 "misaligned",
	 {"not aligned"},
	 1,
	 1,
	 "	ld.global.u32 %r4, [%a1+2];\n" KEEP},
	{"a misaligned store to shared memory",
	 "misaligned",
	 {"shared store"},
	 1,
	 1,
	 "	st.shared.u32 [%r3+2], 1;\n"},
	/* init */
	{"a load of unwritten memory",
	 "uninitialised",
	 {"load of 4 bytes", "which nothing has written"},
	 1,
	 1,
	 "	ld.global.u32 %r4, [%a2];\n" KEEP},
	{"a load of a word of which one byte is written",
	 "uninitialised",
	 {"load of 4 bytes"},
	 1,
	 1,
	 "	st.global.u8 [%a2], 1;\n	ld.volatile.global.u32 %r4, [%a2];\n" KEEP},
	{"a load of unwritten shared memory",
	 "uninitialised",
	 {"load of 4 shared bytes"},
	 1,
	 1,
	 "	ld.shared.u32 %r4, [%r3];\n" KEEP},
	{"a load of unwritten local memory",
	 "uninitialised",
	 {"load of 4 local bytes"},
	 1,
	 1,
	 "	ld.global.u32 %r5, [%a1];\n	and.b32 %r5, %r5, 15;\n	mul.wide.u32 %a10, %r5, "
	 "4;\n"
	 "	mov.u64 %a11, l;\n	add.u64 %a11, %a11, %a10;\n	st.local.u32 [%a11+32], "
	 "1;\n"
	 "	ld.local.u32 %r4, [%a11];\n" KEEP},
	{"an atomic on unwritten memory",
	 "uninitialised",
	 {"atomic of 4 bytes"},
	 1,
	 1,
	 "	red.global.add.u32 [%a2], 1;\n"},
	{"a load of an unwritten block of the pool",
	 "uninitialised",
	 {"load of 4 bytes"},
	 1,
	 1,
	 "	ld.global.u32 %r4, [%a5];\n" KEEP},
	/* race */
	{"no barrier between a store and a load of shared memory",
	 "race",
	 {"load of 4 shared bytes", "races with an earlier store"},
	 1,
	 64,
	 "	st.shared.u32 [%r3], %r1;\n	ld.shared.u32 %r4, [%r31];\n"
	 "	add.u64 %a10, %a1, %a8;\n	st.global.u32 [%a10], %r4;\n"},
	{"no barrier between a load and a store of shared memory",
	 "race",
	 {"store of 4 shared bytes", "races with an earlier load"},
	 1,
	 64,
	 "	st.shared.u32 [%r3], %r1;\n	bar.sync 0;\n	ld.shared.u32 %r4, [%r31];\n"
	 "	add.u32 %r4, %r4, 7;\n	st.shared.u32 [%r3], %r4;\n"},
	{"two warps store to one word of shared memory",
	 "race",
	 {"races with an earlier store"},
	 1,
	 64,
	 "	shr.u32 %r4, %r1, 5;\n	st.shared.u32 [s], %r4;\n"},
	{"lanes store different values to one word",
	 "race",
	 {"lanes of a warp store different"},
	 1,
	 32,
	 "	st.shared.u32 [s], %r1;\n"},
	{"halves of a warp store different values to the same words",
	 "race",
	 {"lanes of a warp store different"},
	 1,
	 32,
	 "	and.b32 %r4, %r3, 63;\n	mov.u32 %r5, s;\n	add.u32 %r5, %r5, %r4;\n"
	 "	st.shared.u32 [%r5], %r1;\n"},
	{"a warp loads one of the words that another one stores",
	 "race",
	 {"load of 4 shared bytes"},
	 1,
	 64,
	 "	setp.gt.u32 %p1, %r1, 31;\n	@%p1 bra load;\n	st.shared.u32 [%r3], %r1;\n"
	 "	bra done;\nload:\n	ld.shared.u32 %r4, [s+20];\n"
	 "	add.u64 %a10, %a1, %a8;\n	st.global.u32 [%a10], %r4;\ndone:\n"},
	{"a warp stores one of the words that another one loads",
	 "race",
	 {"no barrier or fence"},
	 1,
	 64,
	 "	st.shared.u32 [%r3], %r1;\n	bar.sync 0;\n	setp.gt.u32 %p1, %r1, 31;\n"
	 "	@%p1 bra store;\n	ld.shared.u32 %r4, [%r3];\n	add.u64 %a10, %a1, %a8;\n"
	 "	st.global.u32 [%a10], %r4;\n	bra done;\nstore:\n	st.shared.u32 [s+20], 77;\n"
	 "done:\n"},
	{"two warps store to one byte",
	 "race",
	 {"store of 1 shared bytes"},
	 1,
	 64,
	 "	shr.u32 %r4, %r1, 5;\n	st.shared.u8 [s+3], %r4;\n"},
	{"barriers of different numbers",
	 "race",
	 {"load of 4 shared bytes"},
	 1,
	 64,
	 "	st.shared.u32 [%r3], %r1;\n	shr.u32 %r5, %r1, 5;\n	add.u32 %r5, %r5, 1;\n"
	 "	bar.sync %r5, 32;\n	ld.shared.u32 %r4, [%r31];\n"
	 "	add.u64 %a10, %a1, %a8;\n	st.global.u32 [%a10], %r4;\n"},
	{"two warps store to one word of global memory",
	 "race",
	 {"no barrier or fence"},
	 1,
	 64,
	 "	shr.u32 %r4, %r1, 5;\n	st.global.u32 [%a1], %r4;\n"},
	{"two blocks store to one word",
	 "race",
	 {"they are in different blocks", "\"block\": [1, 0, 0]", "\"block\": [0, 0, 0]"},
	 2,
	 1,
	 "	add.u32 %r4, %r2, 1;\n	st.global.u32 [%a1], %r4;\n"},
	{"a block loads what another one stores",
	 "race",
	 {"load of 4 bytes"},
	 2,
	 1,
	 FIRST_BLOCK("other") "	st.global.u32 [%a1], 5;\n	ret;\nother:\n"
			      "	ld.global.u32 %r4, [%a1];\n	st.global.u32 [%a1+64], %r4;\n"},
	{"atomics whose scope is the block, in two blocks",
	 "race",
	 {"the scope of one is its own block"},
	 2,
	 1,
	 "	red.relaxed.cta.global.add.u32 [%a1], 1;\n"},
	{"a load of what another block's atomic changes",
	 "race",
	 {"races with an earlier atomic"},
	 2,
	 1,
	 FIRST_BLOCK("other") "	red.global.add.u32 [%a1], 1;\n	ret;\nother:\n"
			      "	ld.global.u32 %r4, [%a1];\n	st.global.u32 [%a1+64], %r4;\n"},
	{"a flag without a fence",
	 "race",
	 {"load of 4 bytes"},
	 2,
	 1,
	 FIRST_BLOCK("other") "	st.global.u32 [%a1], 5;\n	atom.relaxed.gpu.global.exch.b32 "
			      "%r4, [%a1+64], 1;\n"
			      "	ret;\nother:\n	ld.relaxed.gpu.global.u32 %r4, [%a1+64];\n"
			      "	setp.ne.u32 %p2, %r4, 1;\n	@%p2 bra other;\n	"
			      "ld.global.u32 %r4, [%a1];\n"
			      "	st.global.u32 [%a1+128], %r4;\n"},
	{"a fence without a barrier before it",
	 "race",
	 {"load of 4 bytes"},
	 2,
	 64,
	 FIRST_BLOCK("other") "	add.u64 %a10, %a1, %a8;\n	st.global.u32 [%a10], %r1;\n	"
			      "setp.ne.u32 %p2, %r1, 0;\n"
			      "	@%p2 bra end;\n	fence.acq_rel.gpu;\n"
			      "	st.relaxed.gpu.global.u32 [%a1+512], 1;\n	ret;\nother:\n"
			      "	ld.relaxed.gpu.global.u32 %r4, [%a1+512];\n	setp.ne.u32 %p2, "
			      "%r4, 1;\n"
			      "	@%p2 bra other;\n	fence.acq_rel.gpu;\n	ld.global.u32 %r4, "
			      "[%a1+128];\n"
			      "	st.global.u32 [%a1+600], %r4;\nend:\n"},
	/* sync */
	{"a barrier in half of a warp",
	 "barrier",
	 {"waits at WARPSYNC for lanes of its warp"},
	 1,
	 32,
	 "	setp.ge.u32 %p1, %r1, 16;\n	@%p1 bra skip;\n	st.global.u32 [%a1], 1;\n"
	 "	bar.sync 0;\n	st.global.u32 [%a1], 2;\n	bra end;\nskip:\n"
	 "	st.global.u32 [%a1+4], 1;\n	bar.sync 0;\n	st.global.u32 [%a1+4], 2;\nend:\n"},
	{"a barrier that the other warp does not reach",
	 "barrier",
	 {"deadlock in the block"},
	 1,
	 64,
	 "	setp.ge.u32 %p1, %r1, 32;\n	@%p1 bra wait;\n	bar.sync 1, 64;\n	"
	 "bra end;\n"
	 "wait:\n	bar.sync 2, 64;\nend:\n"},
	/* nothing is wrong */
	{"the last byte of an allocation",
	 NULL,
	 {NULL},
	 1,
	 1,
	 "	ld.global.u8 %r4, [%a1+999];\n	st.global.u8 [%a5+999], %r4;\n	st.global.u8 "
	 "[%a7+999], %r4;\n"},
	{"every thread stores its word",
	 NULL,
	 {NULL},
	 1,
	 250,
	 "	add.u64 %a10, %a1, %a8;\n	st.global.u32 [%a10], %r1;\n"},
	{"a load after a store",
	 NULL,
	 {NULL},
	 1,
	 1,
	 "	st.global.u32 [%a2], 1;\n	ld.volatile.global.u32 %r4, [%a2];\n" KEEP},
	{"barriers between stores and loads",
	 NULL,
	 {NULL},
	 2,
	 64,
	 "	st.shared.u32 [%r3], %r1;\n	bar.sync 0;\n	ld.shared.u32 %r4, [%r31];\n"
	 "	bar.sync 0;\n	add.u32 %r4, %r4, 7;\n	st.shared.u32 [%r3], %r4;\n"},
	{"barriers between stores of lines and loads that are not aligned to them",
	 NULL,
	 {NULL},
	 2,
	 64,
	 "	st.shared.u32 [%r3], %r1;\n	st.shared.u32 [%r3+256], %r1;\n	bar.sync 0;\n"
	 "	ld.shared.u32 %r4, [%r3+4];\n	ld.shared.u32 %r5, [%r31+12];\n	bar.sync 0;\n"
	 "	add.u32 %r4, %r4, %r5;\n	st.shared.u32 [%r31], %r4;\n	bar.sync 0;\n"
	 "	ld.shared.u32 %r4, [%r3];\n	bar.sync 0;\n	st.shared.u32 [%r3+4], %r4;\n"},
	{"one barrier with a number for both warps",
	 NULL,
	 {NULL},
	 1,
	 64,
	 "	st.shared.u32 [%r3], %r1;\n	bar.sync 3, 64;\n	ld.shared.u32 %r4, "
	 "[%r31];\n"
	 "	add.u64 %a10, %a1, %a8;\n	st.global.u32 [%a10], %r4;\n"},
	{"warps store to different bytes of a word",
	 NULL,
	 {NULL},
	 1,
	 64,
	 "	shr.u32 %r4, %r1, 5;\n	mov.u32 %r5, s;\n	add.u32 %r5, %r5, %r4;\n"
	 "	st.shared.u8 [%r5], %r4;\n"},
	{"all threads store the same value", NULL, {NULL}, 4, 64, "	st.global.u32 [%a1], 0;\n"},
	{"atomics in all blocks", NULL, {NULL}, 4, 64, "	red.global.add.u32 [%a1], 1;\n"},
	{"atomics whose scope is the block, in one block",
	 NULL,
	 {NULL},
	 1,
	 64,
	 "	red.relaxed.cta.global.add.u32 [%a1], 1;\n"},
	{"a flag with fences",
	 NULL,
	 {NULL},
	 2,
	 64,
	 FIRST_BLOCK("other") "	add.u64 %a10, %a1, %a8;\n	st.global.u32 [%a10], %r1;\n	"
			      "bar.sync 0;\n"
			      "	setp.ne.u32 %p2, %r1, 0;\n	@%p2 bra end;\n	"
			      "fence.acq_rel.gpu;\n"
			      "	st.relaxed.gpu.global.u32 [%a1+512], 1;\n	ret;\nother:\n"
			      "	ld.relaxed.gpu.global.u32 %r4, [%a1+512];\n	setp.ne.u32 %p2, "
			      "%r4, 1;\n"
			      "	@%p2 bra other;\n	fence.acq_rel.gpu;\n	ld.global.u32 %r4, "
			      "[%a1+128];\n"
			      "	mov.u32 %r5, %r4;\n	add.u64 %a10, %a1, %a8;\n	"
			      "st.global.u32 [%a10+640], %r5;\nend:\n"},
	{"release and acquire by the accesses themselves",
	 NULL,
	 {NULL},
	 2,
	 1,
	 FIRST_BLOCK("other") "	st.global.u32 [%a1], 5;\n	st.release.gpu.global.u32 "
			      "[%a1+64], 1;\n	ret;\nother:\n"
			      "	ld.acquire.gpu.global.u32 %r4, [%a1+64];\n	setp.ne.u32 %p2, "
			      "%r4, 1;\n"
			      "	@%p2 bra other;\n	ld.global.u32 %r4, [%a1];\n	"
			      "st.global.u32 [%a1+128], %r4;\n"},
};

/* ---- running ---- */

static char file[] = "/tmp/sov-check-test-XXXXXX";

/* What was reported since the last call; lines of JSON. */
static const char *reports(uint32_t *count)
{
	static char text[1 << 20];
	FILE *f = fopen(file, "r");
	size_t n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;

	text[n] = 0;
	*count = 0;
	for (const char *at = text; (at = strchr(at, '\n')); at++)
		++*count;
	if (f)
		fclose(f);
	if (truncate(file, 0))
		ok(false, "the file of the reports can be emptied");
	return text;
}

/* Returns the host memory. */
static uint32_t *start_kernel(sov_context c, const struct planted *k)
{
	char ptx[16384], zero[BYTES + 2] = {0};
	sov_ptr a[7];
	sov_function f;
	sov_stream s;
	void *host;

	snprintf(ptx, sizeof(ptx), "%s%s	ret;\n}\n", header, k->body);
	f = function_of(c, ptx, "k");
	MUST(sov_stream_create(c, 0, &s));
	for (uint32_t i = 0; i < 4; i++)
		MUST(sov_memory_alloc(c, i == 2 ? BYTES + 2 : BYTES, &a[i]));
	MUST(sov_memory_copy(c, a[0], SOV_HOST(zero), BYTES));
	MUST(sov_memory_copy(c, a[2], SOV_HOST(zero), BYTES + 2));
	MUST(sov_memory_free(c, a[3]));
	MUST(sov_memory_alloc_async(s, BYTES, &a[4]));
	MUST(sov_memory_alloc_async(s, BYTES, &a[5]));
	MUST(sov_memory_free_async(s, a[5]));
	MUST(sov_host_alloc(c, BYTES, &host));
	a[6] = SOV_HOST(host);
	MUST(launch(f, NULL, k->blocks, k->threads, "8888888",
		    ARGUMENTS(&a[0], &a[1], &a[2], &a[3], &a[4], &a[5], &a[6])));
	return host;
}

static bool is_expected(const struct planted *k, const char *text, uint32_t count)
{
	char kind[64];

	if (!k->kind)
		return !count;
	snprintf(kind, sizeof(kind), "\"kind\": \"%s\"", k->kind);
	if (!count || !strstr(text, kind))
		return false;
	for (uint32_t i = 0; i < COUNT(k->parts) && k->parts[i]; i++)
		if (!strstr(text, k->parts[i]))
			return false;
	return true;
}

/* Bugs that are not found on AMD's software GPU: docs/model.md says why. */
static const char *const nvidia_only[] = {
	"a load past shared memory",
	"a misaligned load",
	"a misaligned store to shared memory",
	"barriers of different numbers",
	"two warps store to one word of global memory",
	"two blocks store to one word",
	"atomics whose scope is the block, in two blocks",
	"a barrier in half of a warp",
	"a barrier that the other warp does not reach",
};

static bool is_nvidia_only(const struct planted *k)
{
	for (uint32_t i = 0; i < COUNT(nvidia_only); i++)
		if (!strcmp(nvidia_only[i], k->name))
			return true;
	return false;
}

static void run_planted(const char *device, const struct planted *k)
{
	sov_context c = context_on(device, 0);
	const char *text;
	uint32_t count;

	start_kernel(c, k);
	sov_context_wait(c, SOV_FOREVER); /* some kernels fault */
	MUST(sov_context_destroy(c));
	text = reports(&count);
	if (!ok(is_expected(k, text, count), "%s, %s: %s", device, k->kind ? k->kind : "no report",
		k->name))
		diag("%u reports: %s", count, text);
}

/* Each store is another instruction, so its report is another one. */
static void run_many(void)
{
	static char body[8192];
	const struct planted k = {.blocks = 1, .threads = 1, .body = body};
	sov_context c = context_on("gh100.0", 0);
	const char *text;
	uint32_t count;

	for (uint32_t i = 0; i < 220; i++)
		strcat(body, "	st.volatile.u8 [%a1+1000], 1;\n");
	start_kernel(c, &k);
	sov_context_wait(c, SOV_FOREVER);
	MUST(sov_context_destroy(c));
	text = reports(&count);
	if (!ok(count == 200 && strstr(text, "\"kind\": \"limit\"") &&
			strstr(text, "more than 199 different reports"),
		"limit: the last of 200 reports says that there are more"))
		diag("%u reports", count);
}

/* Copies: what is unwritten may be copied, but not to the host. */
static void run_copies(void)
{
	sov_context c = context_on("gh100.0", 0);
	char host[BYTES] = {0};
	sov_ptr a, b;
	const char *text;
	uint32_t count;

	MUST(sov_memory_alloc(c, BYTES, &a));
	MUST(sov_memory_alloc(c, BYTES, &b));
	MUST(sov_memory_copy(c, a, SOV_HOST(host), BYTES - 1));
	MUST(sov_memory_copy(c, b, a, BYTES));
	MUST(sov_memory_copy(c, SOV_HOST(host), b, BYTES - 1));
	MUST(sov_context_wait(c, SOV_FOREVER));
	text = reports(&count);
	if (!ok(!count,
		"copies of memory that is partly written, and of its written part to the host"))
		diag("%s", text);
	MUST(sov_memory_copy(c, SOV_HOST(host), b, BYTES));
	MUST(sov_context_wait(c, SOV_FOREVER));
	text = reports(&count);
	if (!ok(count == 1 && strstr(text, "\"kind\": \"uninitialised\"") &&
			strstr(text, "999 bytes inside 1000 allocated bytes"),
		"uninitialised: a copy to the host of the byte that is not written"))
		diag("%s", text);
	MUST(sov_context_reset(c));
	MUST(sov_memory_copy(c, SOV_HOST(host), a, BYTES - 1));
	MUST(sov_context_wait(c, SOV_FOREVER));
	text = reports(&count);
	if (!ok(!count, "what was written before a reset of the context is written"))
		diag("%s", text);
	MUST(sov_context_destroy(c));
}

/* The child ends before the parent looks for reports. */
static void run_fork(void)
{
	static const struct planted k = {
		.blocks = 1,
		.threads = 1,
		.body = "	st.global.u8 [%a1+1000], 1;\n	fence.acq_rel.sys;\n"
			"	st.relaxed.sys.global.u32 [%a7], 1;\n",
	};
	sov_context c = context_on("gh100.0", 0);
	uint32_t *host = start_kernel(c, &k), count[2];
	int status = 1;
	pid_t child;

	reports(&count[0]);
	alarm(60); /* the kernel stores to host memory */
	while (!__atomic_load_n(host, __ATOMIC_ACQUIRE))
		usleep(1000);
	alarm(0);
	fflush(stdout);
	child = fork();
	if (!child)
		exit(0);
	waitpid(child, &status, 0);
	reports(&count[0]);
	MUST(sov_context_destroy(c));
	reports(&count[1]);
	ok(!status && !count[0] && count[1] == 1,
	   "a child of fork() prints no report of its parent's (%u), which does (%u)", count[0],
	   count[1]);
}

int main(void)
{
	uint32_t planted = 0;
	int f = mkstemp(file);

	if (f < 0)
		return 1;
	close(f);
	soft_gpus("gh100:vram=64M,navi21:vram=64M");
	setenv("SOV_CHECK", "all", 1);
	setenv("SOV_CHECK_FILE", file, 1);
	for (uint32_t i = 0; i < COUNT(table); i++) {
		planted += !!table[i].kind;
		run_planted("gh100.0", &table[i]);
		if (!is_nvidia_only(&table[i]))
			run_planted("navi21.0", &table[i]);
	}
	run_copies();
	run_fork();
	run_many();
	ok(planted + 1 >= 40, "there are 40 planted bugs (%u)", planted + 1);
	unlink(file);
	return tap_done();
}
