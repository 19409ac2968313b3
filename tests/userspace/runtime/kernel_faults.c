// SPDX-License-Identifier: MIT
/*
 * Kernels that fault or hang. The next call on the context reports kernel and cause, the error is
 * sticky until a reset, other contexts are not affected, and a new context works immediately.
 */
#include "tests/userspace/runtime/_api.h"
#include "tests/userspace/runtime/_ptx.h"

#define KERNEL(name, body) \
	PTX_HEADER ".visible .entry " name "(.param .u64 p) {\n" \
		   "	.reg .pred %p<4>;\n	.reg .b32 %r<8>;\n	.reg .b64 %a<8>;\n" \
		   "	ld.param.u64 %a1, [p];\n	cvta.to.global.u64 %a2, %a1;\n" body \
		   "	ret;\n}\n"

#define FREED    1          /* the address of an allocation that was freed */
#define GOOD     (2u << 20) /* bytes of a valid allocation: whole pages of any size */
#define MMU_PAGE 4096u      /* hardware reports only the page number */

struct wrong {
	const char *name, *ptx;
	sov_result result;
	const char *cause;       /* part of the error message */
	const char *instruction; /* in the disassembly; NULL: none is known */
	bool address;            /* p + offset is the address at fault */
	uint64_t p;              /* 0: a valid allocation; FREED */
	int64_t offset;
	bool mmu;    /* the MMU rejects the access */
	bool single; /* the kernel has one such instruction */
};

static const struct wrong table[] = {
	{"store_nowhere", KERNEL("store_nowhere", "	st.global.u32 [%a2], 1;\n"),
	 SOV_ERROR_FAULT, "not mapped", "STG", true, UINT64_C(0x700000000000), 0, true, true},
	{"load_nowhere",
	 KERNEL("load_nowhere", "	ld.global.u32 %r1, [%a2+64];\n"
				"	st.global.u32 [%a2], %r1;\n"),
	 SOV_ERROR_FAULT, "not mapped", "LDG", true, UINT64_C(0x4000), 64, true, false},
	{"run_over", KERNEL("run_over", "	st.global.u32 [%a2+2097152], 1;\n"),
	 SOV_ERROR_FAULT,
	 "is not mapped; it lies 0 bytes past the end of 2097152 allocated bytes at 0x", "STG",
	 true, 0, GOOD, true, true},
	{"after_free", KERNEL("after_free", "	st.global.u32 [%a2+8], 1;\n"), SOV_ERROR_FAULT,
	 "that was freed", "STG", true, FREED, 8, true, true},
	{"misaligned", KERNEL("misaligned", "	st.global.u32 [%a2+2], 1;\n"), SOV_ERROR_FAULT,
	 "aligned", "STG", true, 0, 2, false, true},
	{"trapped", KERNEL("trapped", "	st.global.u32 [%a2], 1;\n	trap;\n"), SOV_ERROR_FAULT,
	 "trap", "BPT", false, 0, 0, false, false},
	{"forever",
	 KERNEL("forever", "again:\n	ld.volatile.global.u32 %r1, [%a2];\n"
			   "	setp.ne.u32 %p1, %r1, 12345;\n	@%p1 bra again;\n"),
	 SOV_ERROR_HANG, "did not end within its limit of 0.500 s", NULL, false, 0, 0, false,
	 false},
};

#define LIMIT (SECOND / 2) /* hardware takes up to a fifth of a second to report a fault */

static bool works(sov_context c)
{
	sov_function f = function_of(c, PTX_ADD, "add");
	uint32_t n = 5, got = 0;
	sov_ptr p;

	MUST(sov_memory_alloc(c, 4, &p));
	MUST(sov_memory_fill(c, p, 37, 4, 1));
	MUST(launch(f, NULL, 1, 1, "84", ARGUMENTS(&p, &n)));
	MUST(sov_memory_copy(c, SOV_HOST(&got), p, 4));
	MUST(sov_memory_free(c, p));
	return got == 42;
}

static void sticks(sov_context c, const struct wrong *w)
{
	sov_function f;
	sov_stream s;
	sov_event e;
	sov_ptr p;
	char first[1024];

	snprintf(first, sizeof(first), "%s", sov_last_error());
	ok(sov_context_status(c) == w->result && sov_memory_alloc(c, 16, &p) == w->result &&
		   sov_stream_create(c, 0, &s) == w->result &&
		   sov_event_create(c, 0, &e) == w->result && sov_context_wait(c, 0) == w->result &&
		   sov_module_load(c, PTX_ADD, strlen(PTX_ADD), NULL, (sov_module *)&f) ==
			   w->result,
	   "%s: every later call returns the same error", w->name);
	is_str(sov_last_error(), first, "every later call has the same error message");
}

/*
 * What each winsys reports. Only a software GPU reports block and thread. A hardware MMU reports
 * pages. Our own driver does not query the multiprocessors: of their errors it reports only that
 * one occurred, and of an access neither kind nor instruction, which is named if there is only one
 * candidate.
 */
static struct wrong expected_report(const struct wrong *w, const char *winsys)
{
	struct wrong known = *w;

	if (getenv("TEST_CHIP")) { /* the message contains the position */
		const char *after_position = strstr(w->cause, "it lies ");

		known.instruction = soft_instruction(w->instruction);
		known.cause = after_position ? after_position : w->cause;
	}
	if (w->result == SOV_ERROR_HANG && !strcmp(winsys, "soft"))
		known.instruction = ""; /* some instruction of the loop */
	if (strcmp(winsys, "kmod") || w->result != SOV_ERROR_FAULT)
		return known;
	if (!w->mmu) {
		known.cause = "the compute engine rejected the work (Xid 13)";
		known.address = false;
	}
	if (!w->mmu || !w->single)
		known.instruction = NULL;
	return known;
}

static void described(sov_context c, const struct wrong *w, uint64_t address)
{
	sov_fault fault = SOV_INIT(sov_fault);
	bool right, soft = !strcmp(winsys_of(c), "soft");

	MUST(sov_context_get_fault(c, &fault));
	if (!soft && w->mmu)
		address &= ~(uint64_t)(MMU_PAGE - 1);
	right = fault.result == w->result && !strcmp(fault.kernel, w->name) &&
		strstr(fault.cause, w->cause) && fault.address == (w->address ? address : 0);
	if (w->instruction)
		right = right && fault.pc != UINT64_MAX &&
			strstr(fault.instruction, w->instruction) && !!fault.has_thread == soft &&
			fault.block[0] == soft && fault.block[1] == 0 && fault.thread[0] == 0;
	else
		right = right && fault.pc == UINT64_MAX && !*fault.instruction;
	ok(right, "%s: the fault record has kernel, cause, address, instruction and thread",
	   w->name);
	diag("%s", sov_last_error());
	diag("kernel '%s' cause '%s' address 0x%llx pc 0x%llx block %u thread %u: %s", fault.kernel,
	     fault.cause, (unsigned long long)fault.address, (unsigned long long)fault.pc,
	     fault.block[0], fault.thread[0], fault.instruction);
}

/* Blocks 0 and 2 return immediately. */
static char *only_block_one(const char *ptx)
{
	static char text[4096];
	const char *body = strstr(ptx, "	ld.param.u64");

	snprintf(text, sizeof(text),
		 "%.*s	mov.u32 %%r7, %%ctaid.x;\n	setp.ne.u32 %%p3, %%r7, 1;\n	@%%p3 "
		 "ret;\n%s",
		 (int)(body - ptx), ptx, body);
	return text;
}

static void one(const char *device, const struct wrong *row, sov_context bystander)
{
	sov_context c = context_on(device, LIMIT), fresh;
	struct wrong known = expected_report(row, winsys_of(c)), *w = &known;
	uint32_t kept = 0xfeedf00d, got = 0;
	sov_ptr good_memory, keep, p;
	sov_function f;
	sov_result r;
	char part[128];

	MUST(sov_memory_alloc(c, GOOD, &good_memory));
	MUST(sov_memory_alloc(c, 4, &keep));
	MUST(sov_memory_fill(c, good_memory, 0, 4, 1024));
	MUST(sov_memory_copy(c, keep, SOV_HOST(&kept), 4));
	f = function_of(c, only_block_one(w->ptx), w->name);
	p = w->p ? w->p : good_memory;
	if (w->p == FREED) {
		MUST(sov_memory_alloc(c, 4096, &p));
		MUST(sov_memory_free(c, p));
	}
	good(launch(f, NULL, 3, 1, "8", ARGUMENTS(&p)),
	     "the launch of a kernel that will fault succeeds");
	snprintf(part, sizeof(part), "kernel '%s' on %s: ", w->name, soft_name(device));
	r = sov_context_wait(c, 8 * SECOND);
	refused(r, w->result, part, w->name);
	ok(strstr(sov_last_error(), w->cause), "%s: the error message names the cause", w->name);
	sticks(c, w);
	described(c, w, p + (uint64_t)w->offset);

	ok(works(bystander), "%s: another context is not affected", w->name);
	fresh = context_on(device, 0);
	ok(works(fresh), "%s: a new context on the device works", w->name);
	MUST(sov_context_destroy(fresh));

	good(sov_context_reset(c), "a faulted context can be reset");
	good(sov_context_status(c), "a reset clears the sticky error");
	ok(sov_context_get_fault(c, &(sov_fault){.size = sizeof(sov_fault)}) == SOV_ERROR_NOT_FOUND,
	   "a reset context has no fault record");
	MUST(sov_memory_copy(c, SOV_HOST(&got), keep, 4));
	ok(got == kept, "%s: memory keeps its content across a reset", w->name);
	ok(works(c), "%s: a reset context runs kernels", w->name);
	MUST(sov_memory_alloc(c, 64, &p));
	good(launch(f, NULL, 1, 1, "8", ARGUMENTS(&p)),
	     "a function loaded before the reset can be launched");
	good(sov_context_wait(c, 10 * SECOND), "a function loaded before the reset runs");
	MUST(sov_context_destroy(c));
}

/* Any call reports the error; freeing works on a failed context. */
static void free_on_failed_context(const char *device)
{
	sov_context c = context_on(device, 0);
	sov_function gate = function_of(c, PTX_GATE, "gate"), f;
	sov_module m = module_from(c, table[0].ptx, strlen(table[0].ptx), 0);
	uint64_t before, after;
	sov_stream s;
	sov_event e;
	sov_ptr p = table[0].p, memory;

	MUST(sov_memory_info(c, &before, NULL));
	MUST(sov_memory_alloc(c, 1 << 20, &memory));
	MUST(sov_memory_fill(c, memory, 0, 4, 1));
	MUST(sov_stream_create(c, 0, &s));
	MUST(sov_event_create(c, 0, &e));
	MUST(sov_module_get_function(m, table[0].name, &f));
	MUST(launch(gate, s, 1, 1, "88",
		    ARGUMENTS(&memory, &memory))); /* the gate is never opened */
	MUST(sov_event_record(e, s));
	MUST(launch(f, NULL, 1, 1, "8", ARGUMENTS(&p)));
	refused(sov_memory_free(c, memory), SOV_ERROR_FAULT, "store_nowhere",
		"sov_memory_free reports the fault of the work that it waited for");
	ok(sov_memory_free(c, memory) == SOV_ERROR_INVALID_ADDRESS,
	   "sov_memory_free frees even when it reports a fault");
	ok(sov_stream_destroy(s) == SOV_ERROR_FAULT &&
		   sov_stream_destroy(s) == SOV_ERROR_INVALID_HANDLE,
	   "sov_stream_destroy on a failed context destroys and returns the error");
	ok(sov_module_unload(m) == SOV_ERROR_FAULT &&
		   sov_module_unload(m) == SOV_ERROR_INVALID_HANDLE,
	   "sov_module_unload on a failed context unloads and returns the error");
	ok(launch(f, NULL, 1, 1, "8", ARGUMENTS(&p)) == SOV_ERROR_INVALID_HANDLE,
	   "functions of a module unloaded on a failed context are gone");
	MUST(sov_context_reset(c));
	refused(sov_event_wait(e, SECOND), SOV_ERROR_INVALID_ARGUMENT, "never recorded",
		"an event record that the fault dropped counts as never made");
	MUST(sov_event_record(e, NULL));
	good(sov_event_wait(e, 10 * SECOND), "an event can be recorded again after a reset");
	good(sov_event_destroy(e), "an event can be destroyed after a reset");
	MUST(sov_memory_info(c, &after, NULL));
	ok(after >= before, "memory freed on a failed context is free again");
	MUST(sov_context_destroy(c));
}

static void short_kernels_have_time(const char *device)
{
	sov_context c = context_on(device, LIMIT);
	sov_function f = function_of(c, PTX_ADD, "add");
	uint32_t i, n = 1;
	sov_ptr p;

	/* All kernels together take longer than the limit, which applies to each kernel. */
	MUST(sov_memory_alloc(c, 4, &p));
	for (i = 0; i < 600; i++)
		MUST(launch(f, NULL, 1, 1, "84", ARGUMENTS(&p, &n)));
	good(sov_context_wait(c, 60 * SECOND),
	     "the time limit applies to each kernel, not to the queue");
	MUST(sov_context_destroy(c));
}

/* A reset at any time discards pending work. */
static void reset_while_busy(const char *device)
{
	sov_context c = context_on(device, 0);
	sov_function gate = function_of(c, PTX_GATE, "gate");
	sov_ptr p;

	MUST(sov_memory_alloc(c, 8, &p));
	MUST(sov_memory_fill(c, p, 0, 4, 2));
	MUST(launch(gate, NULL, 1, 1, "88", ARGUMENTS(&p, &p)));
	good(sov_context_reset(c), "a context with a running kernel can be reset");
	good(sov_context_wait(c, 5 * SECOND), "a reset stops the running kernel");
	ok(works(c), "a context reset under a running kernel works");
	MUST(launch(gate, NULL, 1, 1, "88", ARGUMENTS(&p, &p)));
	good(sov_context_destroy(c), "a context with a running kernel can be destroyed");
}

int main(void)
{
	static const char *const devices[] = {"gh100.0", "ga100.0"};
	uint32_t d, i;

	setenv("SOV_MEMORY_CACHE", "0", 1); /* a kernel that uses freed memory shall fault */
	soft_gpus("gh100:vram=256M,ga100:vram=256M");
	for (d = 0; d < DEVICES(devices); d++) {
		sov_context bystander = context_on(devices[d], 0);

		for (i = 0; i < COUNT(table); i++) {
			if (getenv("TEST_CHIP") && !strcmp(table[i].name, "misaligned"))
				continue; /* not a fault on all GPUs */
			one(devices[d], &table[i], bystander);
		}
		free_on_failed_context(devices[d]);
		short_kernels_have_time(devices[d]);
		reset_while_busy(devices[d]);
		good(sov_context_status(bystander),
		     "a context that no kernel faulted in has no error");
		MUST(sov_context_destroy(bystander));
	}
	return tap_done();
}
