// SPDX-License-Identifier: MIT
/*
 * What does a barrier in shared memory hold? One thread executes operations on a barrier and reads
 * its 64 bits after each; prints them. The model's assumptions are in model/nv/exec_syncs.c.
 *   usage: mbarrier_objects       needs a Hopper GPU with NVIDIA's driver
 */
#include <string.h>

#include "libsov/compiler/driver/compiler.h"
#include "tests/silicon/driver.h"

static const char *const operations[] = {
	"mbarrier.init.shared.b64 [b], 5;",
	"mbarrier.arrive.shared.b64 %s, [b];",
	"mbarrier.arrive.noComplete.shared.b64 %s, [b], 2;",
	"mbarrier.expect_tx.relaxed.cta.shared.b64 [b], 1;",
	"mbarrier.expect_tx.relaxed.cta.shared.b64 [b], 4096;",
	"mbarrier.complete_tx.relaxed.cta.shared.b64 [b], 1;",
	"mbarrier.arrive.shared.b64 %s, [b], 2;", /* all arrivals are made, 4096 bytes are not */
	"mbarrier.complete_tx.relaxed.cta.shared.b64 [b], 4095;",
	"mbarrier.complete_tx.relaxed.cta.shared.b64 [b], 1;",  /* the phase ends */
	"mbarrier.complete_tx.relaxed.cta.shared.b64 [b], 16;", /* before they are expected */
	"mbarrier.arrive.expect_tx.shared.b64 %s, [b], 16;",
	"mbarrier.arrive_drop.shared.b64 %s, [b];",
	"mbarrier.arrive.shared.b64 %s, [b], 3;", /* the phase ends */
	"mbarrier.arrive.shared.b64 %s, [b];",
	"mbarrier.inval.shared.b64 [b];",
};
#define COUNT (sizeof(operations) / sizeof(operations[0]))

int main(void)
{
	static char text[8192];
	struct compile_options o = {.source = COMPILE_PTX, .target = "sm_90"};
	struct compile_result result;
	struct cuda_device device;
	uint64_t words[2 * COUNT];
	cuda_handle module, f;
	cuda_ptr buffer;
	void *arguments[] = {&buffer};
	size_t n = 0;

	n += (size_t)snprintf(text, sizeof(text),
			      ".version 8.0\n.target sm_90\n.address_size 64\n"
			      ".visible .entry k(.param .u64 out)\n{\n.reg .b64 %%d, %%s, %%x;\n"
			      ".shared .align 8 .b64 b;\nld.param.u64 %%d, [out];\n"
			      "mov.b64 %%s, 0;\n");
	for (size_t k = 0; k < COUNT; k++)
		n += (size_t)snprintf(
			text + n, sizeof(text) - n,
			"%s\nld.volatile.shared.b64 %%x, [b];\n"
			"st.global.b64 [%%d+%zu], %%x; st.global.b64 [%%d+%zu], %%s;\n",
			operations[k], 16 * k, 16 * k + 8);
	snprintf(text + n, sizeof(text) - n, "ret;\n}\n");
	if (!compile(text, strlen(text), &o, &result)) {
		fprintf(stderr, "mbarrier_objects: %s\n", result.messages);
		return EXIT_BROKEN;
	}
	device = cuda_open();
	must(cuMemAlloc_v2(&buffer, sizeof(words)), "allocating");
	must(cuModuleLoadData(&module, result.image), "loading");
	must(cuModuleGetFunction(&f, module, "k"), "finding the kernel");
	must(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL), "launching");
	must(cuCtxSynchronize(), "running");
	must(cuMemcpyDtoH_v2(words, buffer, sizeof(words)), "copying out");
	printf("mbarrier_objects: %s\n", device.name);
	for (size_t k = 0; k < COUNT; k++)
		printf("%016llx  token %08x  %s\n", (unsigned long long)words[2 * k],
		       (unsigned)(words[2 * k + 1] >> 32), operations[k]);
	return 0;
}
