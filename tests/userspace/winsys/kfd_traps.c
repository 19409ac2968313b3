// SPDX-License-Identifier: MIT
/*
 * The trap handler of the kfd winsys: what it consists of, and what traps, failed assertions,
 * invalid instructions and invalid accesses become behind a fake of amdgpu's interface. Without the
 * handler a wave passes over s_trap. amdgpu does not run a process after an exception, so each case
 * has a process of its own.
 */
#include <sys/wait.h>
#include <unistd.h>
#include "libsov/compiler/driver/compiler.h"
#include "libsov/isa/amd/amd_isa.h"
#include "libsov/winsys/kfd/kfd.h"
#include "tests/userspace/runtime/_api.h"
#include "tests/userspace/runtime/_ptx.h"
#include "tests/userspace/runtime/module/device_services/_services.h"

/* ---- the handler's code ---- */

static const char *const listing[] = {
	"s_getreg_b32 ttmp2, hwreg(HW_REG_TRAPSTS)",
	"s_and_b32 ttmp2, ttmp2, 0x900",
	"s_cbranch_scc1 14",
	"s_bfe_u32 ttmp3, ttmp1, 0x80010",
	"s_cmp_eq_u32 ttmp3, 2",
	"s_cbranch_scc1 14",
	"s_cmp_eq_u32 ttmp3, 0",
	"s_cbranch_scc1 2",
	"s_add_u32 ttmp0, ttmp0, 4",
	"s_addc_u32 ttmp1, ttmp1, 0",
	"s_and_b32 ttmp1, ttmp1, 0xffff",
	"s_and_b64 exec, exec, exec",
	"s_and_b64 vcc, vcc, vcc",
	"s_setreg_b32 hwreg(HW_REG_STATUS), ttmp12",
	"s_rfe_b64 ttmp[0:1]",
	"s_add_u32 ttmp14, ttmp14, 16",
	"s_bitcmp1_b32 ttmp2, 8",
	"s_cbranch_scc0 1",
	"s_add_u32 ttmp14, ttmp14, 16",
	"s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)",
	"s_waitcnt_vscnt null, 0x0",
	"s_mov_b32 exec_lo, 1",
	"v_mov_b32_e32 v0, ttmp0",
	"v_mov_b32_e32 v1, ttmp1",
	"v_mov_b32_e32 v2, ttmp2",
	"v_mov_b32_e32 v3, 1",
	"v_mov_b32_e32 v4, ttmp14",
	"v_mov_b32_e32 v5, ttmp15",
	"global_store_dwordx4 v[4:5], v[0:3], off glc slc",
	"s_waitcnt_vscnt null, 0x0",
	"s_bitcmp1_b32 ttmp2, 8",
	"s_cbranch_scc1 7",
	"v_mov_b32_e32 v4, 0xfffff000",
	"v_mov_b32_e32 v5, 0x7fff",
	"global_store_dword v[4:5], v0, off",
	"s_waitcnt_vscnt null, 0x0",
	"s_endpgm ",
};

/* Whether the words are the listing, in both directions. */
static bool is_listing(void)
{
	uint32_t at = 0, line, words[AMD_MAX_WORDS], bytes;
	struct amd_inst in;
	char text[128];

	for (line = 0; at < kfd_trap_code_words && line < COUNT(listing); line++) {
		bytes = amd_decode(AMD_GFX1030, kfd_trap_code + at, kfd_trap_code_words - at, &in);
		if (!bytes || amd_encode(AMD_GFX1030, &in, words, NULL) != bytes ||
		    memcmp(words, kfd_trap_code + at, bytes))
			return diag("word %u", at), false;
		amd_print(&in, text, sizeof(text));
		if (strncmp(text, listing[line], strlen(text)))
			return diag("'%s' instead of '%s'", text, listing[line]), false;
		at += bytes / 4;
	}
	return at == kfd_trap_code_words && line == COUNT(listing);
}

/* ---- kernels ---- */

#define STORE_AND(rest) \
	".version 8.0\n.target sm_80\n.address_size 64\n" \
	".visible .entry k(.param .u64 p) {\n" \
	"	.reg .b64 %a<3>;\n" \
	"	ld.param.u64 %a1, [p];\n" \
	"	cvta.to.global.u64 %a2, %a1;\n" \
	"	st.global.u32 [%a2], 5;\n" rest "	ret;\n}\n"

#define S_TRAP(id)   (0xbf920000u | (id))
#define S_NOP        0xbf800000u
#define NOT_AN_INST  0xbfff0000u /* SOPP has no such operation */
#define GLOBAL_STORE 0xdc708000u
#define AFTER_TRAP   12 /* words within which the compiler's own store follows */

/* Compiles the kernel, puts another word in the place of its s_trap, and removes the store behind,
 * as in clang's code. */
static sov_module patched(sov_context c, uint32_t word)
{
	static const char ptx[] = STORE_AND("	trap;\n");
	struct compile_options o = {.target = "gfx1030"};
	struct compile_result r;
	uint32_t *words, i, k;
	sov_module m;

	if (!compile(ptx, strlen(ptx), &o, &r)) {
		diag("%s", r.messages);
		exit(1);
	}
	words = (uint32_t *)(void *)r.image;
	for (i = 0; i < r.image_size / 4 && words[i] != S_TRAP(2); i++)
		;
	for (k = i; k < i + AFTER_TRAP && k + 1 < r.image_size / 4; k++)
		if (words[k] == GLOBAL_STORE)
			words[k] = words[k + 1] = S_NOP;
	if (i < r.image_size / 4)
		words[i] = word;
	m = module_from(c, (const char *)r.image, r.image_size, 0);
	compile_result_free(&r);
	return m;
}

static sov_context start_gpu(void)
{
	setenv("TEST_WINSYS", "kfd", 1);
	setenv("TEST_CHIP", "navi21", 1);
	setenv("SOV_KFD", "1", 1);
	soft_gpus("gh100:vram=64M");
	return context_on("gh100.0", 0);
}

/* Launches k and waits; the result is the wait's. *word is what k has stored. */
static sov_result run(sov_context c, sov_module m, sov_ptr p, uint32_t *word)
{
	sov_function f;
	sov_result r;

	MUST(sov_module_get_function(m, "k", &f));
	MUST(launch(f, NULL, 4, 64, "8", (const void *[]){&p}));
	r = sov_context_wait(c, 60 * SECOND);
	if (r == SOV_OK)
		MUST(sov_memory_copy(c, SOV_HOST(word), p, 4));
	else
		diag("%s", sov_last_error());
	return r;
}

static bool ends_as(uint32_t word, sov_result want, const char *cause, const char *instruction,
		    uint32_t kind)
{
	sov_fault f = SOV_INIT(sov_fault);
	sov_context c = start_gpu();
	uint32_t stored = 0;
	sov_ptr p;

	MUST(sov_memory_alloc(c, 4096, &p));
	if (run(c, patched(c, word), p, &stored) != want)
		return false;
	if (want == SOV_OK)
		return stored == 5;
	MUST(sov_context_get_fault(c, &f));
	diag("kernel '%s', cause '%s', instruction '%s'", f.kernel, f.cause, f.instruction);
	return !strcmp(f.kernel, "k") && strstr(f.cause, cause) &&
	       strstr(f.instruction, instruction) && f.kind == kind && f.pc != UINT64_MAX;
}

static bool trap_of_clang(void)
{
	return ends_as(S_TRAP(2), SOV_ERROR_FAULT, "it executed a trap", "s_trap 2", 0);
}

static bool trap_for_debuggers(void)
{
	return ends_as(S_TRAP(3), SOV_OK, "", "", 0);
}

static bool illegal(void)
{
	return ends_as(NOT_AN_INST, SOV_ERROR_FAULT, "illegal instruction", "",
		       SOV_FAULT_INSTRUCTION);
}

static bool own_trap(void)
{
	static const char ptx[] = STORE_AND("	trap;\n");
	sov_fault f = SOV_INIT(sov_fault);
	sov_context c = start_gpu();
	uint32_t stored;
	sov_ptr p;

	MUST(sov_memory_alloc(c, 4096, &p));
	if (run(c, module_from(c, ptx, strlen(ptx), 0), p, &stored) != SOV_ERROR_FAULT)
		return false;
	MUST(sov_context_get_fault(c, &f));
	return strstr(f.cause, "it executed a trap") && strstr(f.instruction, "s_trap 2");
}

/* Two streams run, so the kernel is not the only candidate: the handler has reported it. */
static bool invalid_access(void)
{
	static const char faulty[] = STORE_AND(""), waits[] = PTX_GATE;
	sov_fault f = SOV_INIT(sov_fault);
	sov_context c = start_gpu();
	sov_ptr hole = UINT64_C(0x700000000000), gate;
	sov_stream s;
	sov_function g;
	uint32_t stored;

	MUST(sov_memory_alloc(c, 4096, &gate));
	MUST(sov_memory_fill(c, gate, 0, 4, 1));
	MUST(sov_stream_create(c, 0, &s));
	g = function_of(c, waits, "gate");
	MUST(launch(g, s, 1, 32, "88", (const void *[]){&gate, &gate}));
	if (run(c, module_from(c, faulty, strlen(faulty), 0), hole, &stored) != SOV_ERROR_FAULT)
		return false;
	MUST(sov_context_get_fault(c, &f));
	diag("kernel '%s', cause '%s'", f.kernel, f.cause);
	return !strcmp(f.kernel, "k") && f.kind == SOV_FAULT_ADDRESS && f.address == hole;
}

static bool assertion(void)
{
	static struct printed printed;
	uint32_t bad = 13;
	sov_context c;
	sov_module m;
	sov_ptr p;

	sov_context_destroy(start_gpu());
	c = services_context(0, &printed, 0, 0);
	m = services_module(c);
	MUST(sov_memory_alloc(c, 4096, &p));
	MUST(start(m, "asserts", 2, 32, (const void *[]){&bad, &p}, 2));
	return sov_context_wait(c, 60 * SECOND) == SOV_ERROR_ASSERT &&
	       strstr(sov_last_error(), "kernel 'asserts'");
}

static bool in_process(bool (*test)(void))
{
	pid_t child;
	int status = 1;

	fflush(stdout);
	child = fork();
	if (!child) {
		bool good = test();

		good &= !model_kfd.wrong;
		fflush(stdout);
		_exit(!good);
	}
	return child > 0 && waitpid(child, &status, 0) == child && !status;
}

int main(void)
{
	ok(is_listing(), "kfd: the trap handler's code is what its listing says");
	ok(in_process(trap_of_clang), "kfd: s_trap 2 alone, as clang emits it, is an error of its "
				      "kernel and instruction");
	ok(in_process(own_trap), "kfd: a trap of this compiler is an error of its instruction");
	ok(in_process(trap_for_debuggers), "kfd: s_trap 3 is passed over");
	ok(in_process(illegal), "kfd: an invalid instruction is an error of its kernel");
	ok(in_process(invalid_access),
	   "kfd: an invalid access names its kernel beside another one");
	ok(in_process(assertion), "kfd: a failed assertion is an error");
	return tap_done();
}
