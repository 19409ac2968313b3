// SPDX-License-Identifier: MIT
/*
 * Chain code (libsov/gpu/nv/chain_code.c): which kernels have it; that it begins with the wait
 * where the chip supports one; that all its loads bypass the L1 cache and no other instruction
 * changes; that a graph whose kernels run it computes the right result and reports faults.
 */
#include <string.h>
#include "libsov/compiler/driver/compiler.h"
#include "libsov/isa/nv/sass.h"
#include "libsov/gpu/nv/nv_gpu.h"
#include "libsov/sov.h"
#include "tests/tap.h"

#define HEAD ".version 7.8\n.target sm_80\n.address_size 64\n"
#define ENTRY \
	".visible .entry k(.param .u64 p) {\n.reg .b64 %p, %q;\n.reg .b32 %x, %y, %n;\n.reg " \
	".pred %c;\n" \
	"ld.param.u64 %p, [p];\n"

static const struct {
	const char *name, *ptx;
	uint32_t loads; /* loads that change; UINT32_MAX: no chain code */
} rows[] = {
	{"a load and a store",
	 HEAD ENTRY
	 "ld.global.u32 %x, [%p];\nadd.u32 %x, %x, 1;\nst.global.u32 [%p], %x;\nret;\n}\n",
	 1},
	{"vectors, read-only and generic loads",
	 HEAD ENTRY "ld.global.nc.u32 %x, [%p];\nld.u32 %y, [%p+64];\nadd.u32 %x, %x, %y;\n"
		    "ld.global.v2.u32 {%n, %y}, [%p+8];\nadd.u32 %x, %x, %n;\nadd.u32 %x, %x, %y;\n"
		    "st.global.u32 [%p], %x;\nret;\n}\n",
	 3},
	{"loads that bypass the L1 anyway",
	 HEAD ENTRY "ld.relaxed.gpu.global.u32 %x, [%p];\nld.volatile.global.u32 %y, [%p+4];\n"
		    "add.u32 %x, %x, %y;\nst.global.u32 [%p], %x;\nret;\n}\n",
	 0},
	{"a branch forward",
	 HEAD ENTRY
	 "mov.u32 %n, %tid.x;\nsetp.gt.u32 %c, %n, 3;\n@%c bra out;\nld.global.u32 %x, [%p];\n"
	 "atom.global.add.u32 %x, [%p+8], %x;\nst.global.u32 [%p+4], %x;\nout: ret;\n}\n",
	 1},
	{"a loop",
	 HEAD ENTRY
	 "ld.global.u32 %n, [%p];\nagain: ld.global.u32 %x, [%p+4];\nadd.u32 %y, %y, %x;\n"
	 "st.global.u32 [%p+8], %y;\nsub.u32 %n, %n, 1;\nsetp.ne.u32 %c, %n, 0;\n@%c bra "
	 "again;\nret;\n}\n",
	 UINT32_MAX},
	{"constants that the previous kernel might have written",
	 HEAD ".const .b32 c = 5;\n" ENTRY
	      "ld.const.u32 %y, [c];\nld.global.u32 %x, [%p];\nadd.u32 %x, %x, %y;\nst.global.u32 "
	      "[%p], %x;\nret;\n}\n",
	 UINT32_MAX},
	{"a call",
	 HEAD ".func (.reg .b32 r) f(.reg .b32 a) {\n.reg .pred %c;\nsetp.lt.u32 %c, a, "
	      "2;\nmov.u32 r, a;\n@%c ret;\n"
	      "sub.u32 a, a, 1;\ncall (r), f, (a);\nadd.u32 r, r, 1;\nret;\n}\n" ENTRY
	      "ld.global.u32 %x, [%p];\ncall (%y), f, (%x);\nst.global.u32 [%p], %y;\nret;\n}\n",
	 UINT32_MAX},
};

static bool check_chain_code(uint32_t sm, const struct image *im, uint32_t want)
{
	const struct image_kernel *k = &im->kernels[0];
	uint32_t wait = nv_chain_wait_bytes(sm), changed = 0, at;
	uint8_t *to = malloc(wait + k->code_bytes);
	bool good = to && wait == (sm >= 90 ? 16 : 0) &&
		    nv_chain_code(sm, im, k, to) == (want != UINT32_MAX);

	if (good && want != UINT32_MAX && wait) {
		struct sass_word first;
		struct sass_inst in;

		memcpy(&first, to, 16);
		good = sass_decode(sm, first, &in) && in.op == SASS_ACQBULK &&
		       in.guard == SASS_PT && in.stall;
	}

	for (at = 0; good && want != UINT32_MAX && at < k->code_bytes; at += 16) {
		struct sass_word was, is;
		struct sass_inst a, b;

		memcpy(&was, k->code + at, 16);
		memcpy(&is, to + wait + at, 16);
		good = sass_decode(sm, was, &a) && sass_decode(sm, is, &b);
		if (good && (b.op == SASS_LDG || b.op == SASS_LD) &&
		    b.mod[SASS_M_ORDER] < SASS_ORDER_STRONG_GPU)
			good = false;
		changed += memcmp(&was, &is, 16) != 0;
		a.mod[SASS_M_ORDER] = b.mod[SASS_M_ORDER];
		good = good && sass_encode(sm, &a, &was, NULL) && !memcmp(&was, &is, 16);
	}
	free(to);
	return good && (want == UINT32_MAX || changed == want);
}

static void test_row(uint32_t i, const char *target, uint32_t sm)
{
	struct compile_options o = {.source = COMPILE_PTX, .target = target, .verify = true};
	struct compile_result r;
	char message[256] = "";
	struct image im = {0};
	bool good = compile(rows[i].ptx, strlen(rows[i].ptx), &o, &r);

	if (!good)
		diag("%s", r.messages);
	good = good && image_read(&im, r.image, r.image_size, message, sizeof(message)) &&
	       check_chain_code(sm, &im, rows[i].loads);
	ok(good, "chain code of a kernel with %s is right for %s", rows[i].name, target);
	image_free(&im);
	compile_result_free(&r);
}

/* Runs a chain of two kernels; the second gets the address second. */
static sov_result run_chain(sov_context c, sov_function f, sov_ptr word, sov_ptr second)
{
	const void *arguments[] = {&word};
	sov_launch l = SOV_INIT(sov_launch);
	sov_graph_exec run;
	sov_stream s;
	sov_graph g;
	sov_node node = 0;
	sov_result r = sov_graph_create(c, 0, &g);

	l.grid[0] = l.grid[1] = l.grid[2] = l.block[0] = l.block[1] = l.block[2] = 1;
	l.arguments = arguments;
	l.argument_count = 1;
	for (int i = 0; !r && i < 2; i++) {
		r = sov_graph_add_kernel(g, &node, i, f, &l, &node);
		arguments[0] = &second;
	}
	if (!r)
		r = sov_graph_instantiate(g, &run);
	if (!r)
		r = sov_context_get_stream(c, &s);
	if (!r)
		r = sov_graph_launch(run, s);
	return r ? r : sov_stream_wait(s, UINT64_C(60000000000));
}

static void test_on_device(void)
{
	uint32_t got = 0;
	sov_context c;
	sov_function f;
	sov_device d;
	sov_module m;
	sov_ptr word;
	sov_fault fault = SOV_INIT(sov_fault);

	setenv("SOV_SOFT", "gh100:hazard", 1);
	setenv("SOV_NVRM", "0", 1); /* hardware does not report the faulting instruction */
	unsetenv("SOV_VISIBLE_DEVICES");
	if (sov_device_open(0, &d) || sov_context_create(d, NULL, &c) ||
	    sov_module_load(c, rows[0].ptx, strlen(rows[0].ptx), NULL, &m) ||
	    sov_module_get_function(m, "k", &f) || sov_memory_alloc(c, 4, &word) ||
	    sov_memory_fill(c, word, 5, 4, 1)) {
		ok(false, "chain code: a software GPU can be opened: %s", sov_last_error());
		return;
	}
	ok(!run_chain(c, f, word, word) && !sov_memory_copy(c, SOV_HOST(&got), word, 4) && got == 7,
	   "a chain of two kernels with chain code increments 5 to %u", got);
	ok(run_chain(c, f, word, 4096) == SOV_ERROR_FAULT,
	   "an invalid address in chain code is a fault");
	ok(!sov_context_get_fault(c, &fault) && !strcmp(fault.kernel, "k") &&
		   strstr(fault.instruction, "LDG"),
	   "the fault in chain code names kernel '%s' and instruction '%s'", fault.kernel,
	   fault.instruction);
	sov_context_destroy(c);
}

int main(void)
{
	for (uint32_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		test_row(i, "sm_90", 90);
		test_row(i, "sm_80", 80);
	}
	test_on_device();
	return tap_done();
}
