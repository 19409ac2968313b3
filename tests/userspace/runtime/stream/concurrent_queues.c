// SPDX-License-Identifier: MIT
/*
 * Concurrent queues of one context on the same memory: kernels wait for what copies, fills and
 * other kernels write. With a thread sanitizer this also checks that the software GPU accesses
 * words atomically.
 */
#include "tests/userspace/runtime/_api.h"
#include "tests/userspace/runtime/_ptx.h"

#define STREAMS 3u

static const char text[] = PTX_HEADER
	".visible .entry wait_for(.param .u64 flag, .param .u32 value, .param .u64 out) {\n"
	"	.reg .b64 %f, %o;\n"
	"	.reg .b32 %v, %x;\n"
	"	.reg .pred %p;\n"
	"	ld.param.u64 %f, [flag];\n"
	"	ld.param.u32 %v, [value];\n"
	"	ld.param.u64 %o, [out];\n"
	"again:\n"
	"	ld.volatile.global.u32 %x, [%f];\n"
	"	setp.ne.u32 %p, %x, %v;\n"
	"	@%p bra again;\n"
	"	st.volatile.global.u32 [%o], %v;\n"
	"	ret;\n"
	"}\n";

static sov_context c;
static sov_function wait_for;
static sov_stream streams[STREAMS];
static sov_ptr flags;

static sov_result launch_waiter(sov_stream s, uint32_t flag, uint32_t value, uint32_t out)
{
	sov_ptr from = flags + 64 * flag, to = flags + 64 * out;
	const void *arguments[] = {&from, &value, &to};
	sov_launch l = SOV_INIT(sov_launch);

	for (int i = 0; i < 3; i++)
		l.grid[i] = l.block[i] = 1;
	l.stream = s;
	l.arguments = arguments;
	l.argument_count = 3;
	return sov_function_launch(wait_for, &l);
}

static uint32_t flag(uint32_t i)
{
	uint32_t value = 0;

	MUST(sov_memory_copy(c, SOV_HOST(&value), flags + 64 * i, 4));
	return value;
}

int main(void)
{
	uint32_t values[] = {11, 22, 33};
	sov_module m;

	soft_gpus("gh100:vram=64M");
	c = context_on("gh100.0", 0);
	m = module_from(c, text, sizeof(text) - 1, 0);
	MUST(sov_module_get_function(m, "wait_for", &wait_for));
	MUST(sov_memory_alloc(c, 64 * 8, &flags));
	MUST(sov_memory_fill(c, flags, 0, 4, 16 * 8));
	for (uint32_t i = 0; i < STREAMS; i++)
		MUST(sov_stream_create(c, 0, &streams[i]));
	for (uint32_t round = 0; round < 20; round++) {
		MUST(launch_waiter(streams[0], 0, values[0], 1));
		ok(sov_stream_wait(streams[0], SECOND / 100) == SOV_ERROR_TIMEOUT,
		   "a kernel that waits for a flag keeps running");
		MUST(sov_memory_copy_async(streams[1], flags, SOV_HOST(&values[0]), 4));
		good(sov_stream_wait(streams[0], 60 * SECOND),
		     "a copy on another stream sets the flag of a running kernel");
		MUST(launch_waiter(streams[1], 3, values[1], 2));
		MUST(launch_waiter(streams[0], 2, values[1], 4));
		MUST(sov_memory_copy_async(streams[2], flags + 64 * 3, SOV_HOST(&values[1]), 4));
		good(sov_stream_wait(streams[0], 60 * SECOND),
		     "a kernel waits for a second stream's kernel, which waits for a copy");
		ok(flag(1) == values[0] && flag(4) == values[1],
		   "all concurrent kernels see the values they waited for");
		MUST(sov_memory_fill(c, flags, 0, 4, 16 * 8));
		if (round + 1 == 20 / (TAP_SLOWNESS > 4 ? 4 : 1))
			break;
	}
	good(sov_context_destroy(c), "the context can be destroyed after concurrent kernels");
	return tap_done();
}
