// SPDX-License-Identifier: MIT
/* Launches that do not fit the kernel or the device are rejected, with the parameter's name, before
 * anything runs. */
#include "tests/userspace/runtime/_api.h"
#include "tests/userspace/runtime/_ptx.h"

static const char bounded_ptx[] =
	PTX_HEADER ".visible .entry bounded(.param .u64 p) .maxntid 64, 1, 1 {\n"
		   "	ret;\n"
		   "}\n"
		   ".visible .entry exactly(.param .u64 p) .reqntid 16, 2, 1 {\n"
		   "	ret;\n"
		   "}\n"
		   ".visible .entry shared(.param .u64 p) {\n"
		   "	.reg .b32 %r<3>;\n"
		   "	.reg .b64 %a<4>;\n"
		   "	.shared .align 4 .b8 room[1000];\n"
		   "	ld.param.u64 %a1, [p];\n"
		   "	cvta.to.global.u64 %a2, %a1;\n"
		   "	mov.u32 %r1, %tid.x;\n"
		   "	mul.wide.u32 %a3, %r1, 4;\n"
		   "	st.shared.u32 [room+996], 9;\n"
		   "	ld.shared.u32 %r2, [room+996];\n"
		   "	st.global.u32 [%a2], %r2;\n"
		   "	ret;\n"
		   "}\n";

static sov_context c;
static sov_function add, bounded, exactly, shared;
static sov_ptr p;

static sov_result shaped(sov_function f, const uint32_t grid[3], const uint32_t block[3],
			 uint32_t shared_bytes)
{
	sov_launch l = SOV_INIT(sov_launch);

	memcpy(l.grid, grid, sizeof(l.grid));
	memcpy(l.block, block, sizeof(l.block));
	l.shared_bytes = shared_bytes;
	l.arguments = ARGUMENTS(&p);
	l.argument_count = 1;
	return sov_function_launch(f, &l);
}
#define THREE(x, y, z) ((const uint32_t[3]){x, y, z})
#define WRONG(part, promise, ...) \
	refused(shaped(__VA_ARGS__), SOV_ERROR_INVALID_LAUNCH, part, promise)

static void shapes(void)
{
	WRONG("grid x is 0; it must be at least 1", "a grid of 0 in x is rejected", bounded,
	      THREE(0, 1, 1), THREE(1, 1, 1), 0);
	good(shaped(bounded, THREE(1, 0, 0), THREE(1, 1, 1), 0),
	     "0 in y and z of the grid means 1");
	good(shaped(bounded, THREE(1, 1, 1), THREE(64, 0, 0), 0),
	     "0 in y and z of the block means 1");
	WRONG("a block has 65 threads", "a block with 0 in y and z is checked as one with 1",
	      bounded, THREE(1, 0, 1), THREE(65, 0, 0), 0);
	good(shaped(exactly, THREE(1, 0, 0), THREE(0, 0, 0), 0),
	     "a block of 0 is the required one, also if the grid has 0");
	WRONG("block x is 0", "a block of 0 in x is rejected", bounded, THREE(1, 1, 1),
	      THREE(0, 1, 1), 0);
	WRONG("block x is 0", "a block of 0 that no kernel requires is rejected", bounded,
	      THREE(1, 1, 1), THREE(0, 0, 0), 0);
	WRONG("grid x is 2147483648; the device allows at most 2147483647",
	      "a grid above the maximum in x is rejected", bounded, THREE(0x80000000u, 1, 1),
	      THREE(1, 1, 1), 0);
	WRONG("grid y is 65536; the device allows at most 65535",
	      "a grid above the maximum in y is rejected", bounded, THREE(1, 65536, 1),
	      THREE(1, 1, 1), 0);
	WRONG("grid z is 65536", "a grid above the maximum in z is rejected", bounded,
	      THREE(1, 1, 65536), THREE(1, 1, 1), 0);
	WRONG("block x is 1025; the device allows at most 1024",
	      "a block above the maximum in x is rejected", bounded, THREE(1, 1, 1),
	      THREE(1025, 1, 1), 0);
	WRONG("block z is 65; the device allows at most 64",
	      "a block above the maximum in z is rejected", bounded, THREE(1, 1, 1),
	      THREE(1, 1, 65), 0);
	WRONG("a block of 32 x 33 x 1 has 1056 threads; the device allows at most 1024",
	      "a block with too many threads is rejected", bounded, THREE(1, 1, 1),
	      THREE(32, 33, 1), 0);
	WRONG("a block of 205 x 5 x 1 has 1025 threads; the device allows at most 1024",
	      "a block with one thread too many is rejected", bounded, THREE(1, 1, 1),
	      THREE(205, 5, 1), 0);
	WRONG("a block of 1024 x 1024 x 64 has 67108864 threads",
	      "a block with far too many threads is rejected", bounded, THREE(1, 1, 1),
	      THREE(1024, 1024, 64), 0);
	WRONG("a block has 65 threads; kernel 'bounded'",
	      "a block above the kernel's launch bound is rejected", bounded, THREE(1, 1, 1),
	      THREE(65, 1, 1), 0);
	good(shaped(bounded, THREE(1, 1, 1), THREE(64, 1, 1), 0),
	     "a block at the kernel's launch bound is accepted");
	WRONG("kernel 'exactly' requires blocks of 16 x 2 x 1, not 32 x 1 x 1",
	      "a block other than the required one is rejected", exactly, THREE(1, 1, 1),
	      THREE(32, 1, 1), 0);
	good(shaped(exactly, THREE(1, 1, 1), THREE(16, 2, 1), 0),
	     "a block of the required shape is accepted");
}

static void shared_memory(uint32_t most)
{
	char part[128];
	uint32_t got = 0;

	snprintf(part, sizeof(part),
		 "kernel 'shared' has 1000 bytes of shared memory and %u more are requested; a "
		 "block has at most %u",
		 most - 999, most);
	WRONG(part, "a launch with one byte too much shared memory is rejected", shared,
	      THREE(1, 1, 1), THREE(1, 1, 1), most - 999);
	WRONG("a block has at most", "a launch whose shared memory size overflows is rejected",
	      shared, THREE(1, 1, 1), THREE(1, 1, 1), UINT32_MAX);
	good(shaped(shared, THREE(1, 1, 1), THREE(32, 1, 1), most - 1000),
	     "a launch with all shared memory is accepted");
	MUST(sov_memory_copy(c, SOV_HOST(&got), p, 4));
	ok(got == 9, "a kernel with all shared memory runs");
}

static void arguments(void)
{
	uint32_t n = 1, got = 0;
	size_t wrong_bytes[2] = {8, 8};
	sov_launch l = SOV_INIT(sov_launch);

	refused(launch(add, NULL, 1, 1, "8", ARGUMENTS(&p)), SOV_ERROR_INVALID_LAUNCH,
		"kernel 'add' takes 2 arguments; 1 given",
		"a launch with too few arguments is rejected");
	refused(launch(add, NULL, 1, 1, "848", ARGUMENTS(&p, &n, &p)), SOV_ERROR_INVALID_LAUNCH,
		"kernel 'add' takes 2 arguments; 3 given",
		"a launch with too many arguments is rejected");
	refused(launch(add, NULL, 1, 1, "88", ARGUMENTS(&p, &n)), SOV_ERROR_INVALID_LAUNCH,
		"argument 1 of kernel 'add' has 4 bytes; 8 given",
		"a launch with an argument of the wrong size is rejected");
	refused(launch(add, NULL, 1, 1, "84", ARGUMENTS(&p, NULL)), SOV_ERROR_INVALID_LAUNCH,
		"argument 1 of kernel 'add' is NULL", "a launch with a NULL argument is rejected");
	l.grid[0] = l.grid[1] = l.grid[2] = l.block[0] = l.block[1] = l.block[2] = 1;
	l.argument_count = 2;
	refused(sov_function_launch(add, &l), SOV_ERROR_INVALID_LAUNCH, "arguments is NULL",
		"a launch without an argument array is rejected");
	l.arguments = ARGUMENTS(&p, &n);
	l.argument_bytes = wrong_bytes;
	refused(sov_function_launch(add, &l), SOV_ERROR_INVALID_LAUNCH, "has 4 bytes; 8 given",
		"argument sizes are checked if given");
	l.argument_bytes = NULL;
	MUST(sov_memory_fill(c, p, 1, 4, 1));
	good(sov_function_launch(add, &l), "argument sizes are optional");
	MUST(sov_memory_copy(c, SOV_HOST(&got), p, 4));
	ok(got == 2, "a launch without argument sizes runs");
	l.size = 0;
	refused(sov_function_launch(add, &l), SOV_ERROR_INVALID_ARGUMENT, "sov_launch has size 0",
		"a sov_launch with size 0 is rejected");
	refused(sov_function_launch(add, NULL), SOV_ERROR_INVALID_ARGUMENT, "sov_launch is NULL",
		"a NULL sov_launch is rejected");
	refused(sov_function_launch(NULL, &l), SOV_ERROR_INVALID_ARGUMENT, "size 0",
		"the sov_launch structure is checked before the function");
	good(sov_context_status(c), "rejected launches do not fail the context");
}

int main(void)
{
	static const struct {
		const char *name;
		uint32_t shared;
	} devices[] = {{"gh100.0", 227 << 10}, {"ga100.0", 163 << 10}};
	sov_module m;
	uint32_t d;

	soft_gpus("gh100:vram=256M,ga100:vram=256M");
	for (d = 0; d < DEVICES(devices); d++) {
		diag("%s", devices[d].name);
		c = context_on(devices[d].name, 0);
		MUST(sov_memory_alloc(c, 64, &p));
		add = function_of(c, PTX_ADD, "add");
		m = module_from(c, bounded_ptx, strlen(bounded_ptx), 0);
		MUST(sov_module_get_function(m, "bounded", &bounded));
		MUST(sov_module_get_function(m, "exactly", &exactly));
		MUST(sov_module_get_function(m, "shared", &shared));
		shapes();
		shared_memory(getenv("TEST_CHIP") ? 64 << 10 : devices[d].shared);
		arguments();
		MUST(sov_context_wait(c, 10 * SECOND));
		MUST(sov_context_destroy(c));
	}
	return tap_done();
}
