/* SPDX-License-Identifier: MIT */
/*
 * A kernel whose functions call each other in a circle says in its image that nobody knows how much
 * stack it needs. It gets what the context was asked for, by default what CUDA gives. The image here
 * is one of our own with that word put in.
 */
#include "hw/nv/cubin.h"
#include "libsov/compiler/compiler.h"
#include "libsov/runtime.h"
#include "tests/soft.h"
#include "tests/tap.h"
#include "tests/userspace/api/_ptx.h"

static void must(sov_result r, const char *call)
{
	if (!r)
		return;
	ok(false, "%s: %s: %s", call, sov_result_name(r), sov_last_error());
	exit(tap_done());
}
#define MUST(call) must(call, #call)

/* The attribute's four bytes of head, the symbol, then the size. */
static bool set_stack(uint8_t *image, size_t bytes, uint32_t value)
{
	static const uint8_t head[] = {NV_INFO_SIZED, NV_INFO_MIN_STACK_SIZE, 8, 0};
	bool found = false;
	size_t i;

	for (i = 0; i + 12 <= bytes; i += 4)
		if (!memcmp(image + i, head, sizeof(head))) {
			memcpy(image + i + 8, &value, sizeof(value));
			found = true;
		}
	return found;
}

static uint32_t local_bytes(const void *image, size_t bytes, uint32_t stack)
{
	sov_function_attributes a = SOV_INIT(sov_function_attributes);
	sov_context_options o = SOV_INIT(sov_context_options);
	sov_launch l = SOV_INIT(sov_launch);
	uint32_t value = 0, n = 7;
	sov_function f;
	sov_context c;
	sov_device d;
	sov_module m;
	sov_ptr p;
	const void *arguments[] = {&p, &n};

	o.stack_bytes = stack;
	MUST(sov_device_open(0, &d));
	MUST(sov_context_create(d, &o, &c));
	MUST(sov_module_load(c, image, bytes, NULL, &m));
	MUST(sov_module_get_function_at(m, 0, &f));
	MUST(sov_function_get_attributes(f, &a));
	MUST(sov_memory_alloc(c, 4, &p));
	MUST(sov_memory_fill(c, p, 1, 4, 1));
	l.grid[0] = l.grid[1] = l.grid[2] = l.block[0] = l.block[1] = l.block[2] = 1;
	l.arguments = arguments;
	l.argument_count = 2;
	MUST(sov_function_launch(f, &l));
	MUST(sov_memory_copy(c, SOV_HOST(&value), p, 4));
	ok(value == 8, "it runs");
	MUST(sov_context_destroy(c));
	return a.local_bytes;
}

int main(void)
{
	struct compile_options o = {.source = COMPILE_PTX, .target = "sm_90"};
	struct compile_result r;

	soft_gpus("gh100:vram=2G");
	if (!ok(compile(PTX_ADD, strlen(PTX_ADD), &o, &r), "a kernel compiles"))
		return tap_done();
	ok(local_bytes(r.image, r.image_size, 0) == 0, "one that needs no stack has none");
	ok(set_stack(r.image, r.image_size, NV_STACK_UNKNOWN), "its image tells of its stack");
	ok(local_bytes(r.image, r.image_size, 0) == 1024, "a need that nobody knows is 1 KiB");
	ok(local_bytes(r.image, r.image_size, 4000) == 4000, "or what the context was asked for");
	ok(local_bytes(r.image, r.image_size, 4001) == 4016, "in units of 16 bytes");
	set_stack(r.image, r.image_size, 100);
	ok(local_bytes(r.image, r.image_size, 4000) == 112, "a need that is known is that");
	compile_result_free(&r);
	return tap_done();
}
