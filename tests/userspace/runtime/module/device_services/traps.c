// SPDX-License-Identifier: MIT
/* A failed assertion, or an invalid free(), stops the grid and reports its location. */
#include "tests/userspace/runtime/module/device_services/_services.h"

static struct printed printed;

static void assertion(uint32_t device)
{
	sov_context c = services_context(device, &printed, 0, 0);
	sov_module m = services_module(c);
	sov_fault f = SOV_INIT(sov_fault);
	uint32_t bad = 13, none = 99, lines = 3, out[64];
	sov_ptr p;

	MUST(sov_memory_alloc(c, sizeof(out), &p));
	MUST(start(m, "asserts", 2, 32, (const void *[]){&none, &p}, 2));
	good(sov_context_wait(c, 60 * SECOND), "a true assertion has no effect");
	printed.count = 0;
	MUST(start(m, "lines", 1, 32, (const void *[]){&lines}, 1));
	MUST(start(m, "asserts", 2, 32, (const void *[]){&bad, &p}, 2));
	refused(sov_context_wait(c, 60 * SECOND), SOV_ERROR_ASSERT, "kernel 'asserts' on ",
		"a failed assertion is an error of its kernel");
	refused(sov_memory_alloc(c, 4, &p), SOV_ERROR_ASSERT,
		"some/where.cu:42: asserts: assertion 'i % 16 != bad' failed",
		"a failed assertion reports file, line, function and expression, and is sticky");
	MUST(sov_context_get_fault(c, &f));
	ok(f.result == SOV_ERROR_ASSERT && f.has_thread && f.thread[0] % 16 == bad &&
		   f.block[0] < 2,
	   "a failed assertion reports block and thread");
	ok(strstr(printed.text, "0 even 0.000000\n") && strstr(printed.text, "2 even 1.000000\n"),
	   "printf output before a failed assertion is printed");
	good(sov_context_reset(c), "a reset clears a failed assertion");
	printed.count = 0;
	MUST(start(m, "lines", 1, 32, (const void *[]){&lines}, 1));
	good(sov_context_wait(c, 60 * SECOND), "kernels run after a failed assertion is reset");
	ok(strstr(printed.text, "1 odd 0.500000\n") != NULL, "and print");
	MUST(sov_context_destroy(c));
}

static void bad_free(uint64_t offset, const char *promise)
{
	sov_context c = services_context(0, &printed, 0, 0);
	sov_module m = services_module(c);

	MUST(start(m, "twice", 1, 1, (const void *[]){&offset}, 1));
	refused(sov_context_wait(c, 60 * SECOND), SOV_ERROR_ASSERT, "it called free for 0x",
		promise);
	MUST(sov_context_destroy(c));
}

int main(void)
{
	soft_gpus("gh100:vram=256M:hazard,ga102:vram=256M:hazard");
	assertion(0);
	assertion(1);
	bad_free(0, "a double free() in a kernel is detected");
	bad_free(16, "free() of an address inside a block is detected");
	bad_free(UINT64_C(1) << 32, "free() of an address outside the heap is detected");
	return tap_done();
}
