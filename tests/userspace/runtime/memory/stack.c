// SPDX-License-Identifier: MIT
/*
 * Kernels with recursive calls: the image says that the stack size is unknown. The kernel gets the
 * context's stack_bytes, by default CUDA's, in addition to the known size. The first image here is
 * patched to say so; the others recurse.
 */
#include "hw/nv/cubin.h"
#include "libsov/compiler/driver/compiler.h"
#include "libsov/runtime/context/context.h"
#include "tests/soft.h"
#include "tests/tap.h"
#include "tests/userspace/runtime/_ptx.h"

static void must(sov_result r, const char *call)
{
	if (!r)
		return;
	ok(false, "%s: %s: %s", call, sov_result_name(r), sov_last_error());
	exit(tap_done());
}
#define MUST(call) must(call, #call)

/* The attribute's four header bytes, the symbol, then the size. */
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

static uint32_t gpu; /* device ordinal */

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
	MUST(sov_device_open(gpu, &d));
	MUST(sov_context_create(d, &o, &c));
	MUST(sov_module_load(c, image, bytes, NULL, &m));
	MUST(sov_module_get_function_at(m, 0, &f));
	MUST(sov_function_get_attributes(f, &a));
	if (stack > 1 << 16) { /* no GPU has this much for all its threads */
		MUST(sov_context_destroy(c));
		return a.local_bytes;
	}
	MUST(sov_memory_alloc(c, 4, &p));
	MUST(sov_memory_fill(c, p, 1, 4, 1));
	l.grid[0] = l.grid[1] = l.grid[2] = l.block[0] = l.block[1] = l.block[2] = 1;
	l.arguments = arguments;
	l.argument_count = 2;
	MUST(sov_function_launch(f, &l));
	MUST(sov_memory_copy(c, SOV_HOST(&value), p, 4));
	ok(value == 8, "a kernel with unknown stack size runs");
	MUST(sov_context_destroy(c));
	return a.local_bytes;
}

/* A frame of at least 3,000 bytes, one word of which the second argument selects, and a function
 * that recurses to the given depth. */
static const char deep_ptx[] =
	".version 8.0\n.target sm_80\n.address_size 64\n"
	".func (.param .b32 r) count(.param .b32 n)\n{\n"
	".local .align 4 .b8 own[16];\n.reg .b32 %r<6>;\n.reg .b64 %d<2>;\n.reg .pred %p;\n"
	".param .b32 a;\n.param .b32 s;\n"
	"ld.param.b32 %r0, [n];\nsetp.eq.u32 %p, %r0, 0;\nmov.b32 %r3, 0;\n@%p bra none;\n"
	"mov.b64 %d0, own;\nand.b32 %r4, %r0, 12;\ncvt.u64.u32 %d1, %r4;\nadd.s64 %d0, %d0, %d1;\n"
	"st.local.u32 [%d0], %r0;\nsub.s32 %r1, %r0, 1;\nst.param.b32 [a], %r1;\n"
	"call (s), count, (a);\nld.param.b32 %r2, [s];\nld.local.u32 %r5, [%d0];\n"
	"setp.eq.u32 %p, %r5, %r0;\nselp.u32 %r5, 1, 0, %p;\nadd.s32 %r3, %r2, %r5;\n"
	"none:\nst.param.b32 [r], %r3;\nret;\n}\n"
	".visible .entry deep(.param .u64 out, .param .u32 n)\n{\n"
	".local .align 4 .b8 frame[3000];\n.reg .b32 %r<6>;\n.reg .b64 %d<4>;\n.param .b32 "
	"a;\n.param .b32 s;\n"
	"ld.param.u64 %d0, [out];\nld.param.u32 %r0, [n];\nmul.wide.u32 %d2, %r0, 4;\n"
	"mov.b64 %d1, frame;\nadd.s64 %d1, %d1, %d2;\nst.local.u32 [%d1], 1;\n"
	"st.param.b32 [a], %r0;\ncall (s), count, (a);\nld.param.b32 %r1, [s];\n"
	"ld.local.u32 %r2, [%d1];\nadd.s32 %r1, %r1, %r2;\nst.global.u32 [%d0], %r1;\nret;\n}\n";

static void on_top(const char *target, uint32_t most)
{
	struct compile_options o = {.source = COMPILE_PTX, .target = target};
	struct compile_result r;
	uint32_t known, more;

	if (!ok(compile(deep_ptx, strlen(deep_ptx), &o, &r), "%s: a recursive function compiles",
		target))
		return;
	known = local_bytes(r.image, r.image_size, 0) - 1024;
	ok(known >= 3000 && known < 3200,
	   "a recursive kernel gets its known stack (%u bytes) and 1 KiB", known);
	more = local_bytes(r.image, r.image_size, 2048) - 2048;
	ok(more == known, "a recursive kernel gets its known stack and stack_bytes (%u)", more);
	ok(local_bytes(r.image, r.image_size, most) == most,
	   "a recursive kernel's stack is capped at the maximum (%u)", most);
	compile_result_free(&r);
}

int main(void)
{
	struct compile_options o = {.source = COMPILE_PTX, .target = "sm_90"};
	struct compile_result r;

	soft_gpus("gh100:vram=8G,navi21:vram=8G");
	if (!ok(compile(PTX_ADD, strlen(PTX_ADD), &o, &r), "a kernel without a stack compiles"))
		return tap_done();
	ok(local_bytes(r.image, r.image_size, 0) == 0,
	   "a kernel without a stack has no local memory");
	ok(set_stack(r.image, r.image_size, NV_STACK_UNKNOWN), "an image records the stack size");
	ok(local_bytes(r.image, r.image_size, 0) == 1024,
	   "an unknown stack size defaults to 1 KiB");
	ok(local_bytes(r.image, r.image_size, 4000) == 4000,
	   "an unknown stack size is stack_bytes");
	ok(local_bytes(r.image, r.image_size, 4001) == 4016,
	   "stack_bytes is rounded up to 16 bytes");
	set_stack(r.image, r.image_size, 100);
	ok(local_bytes(r.image, r.image_size, 4000) == 112,
	   "a known stack size ignores stack_bytes");
	compile_result_free(&r);
	on_top("sm_90", 512 << 10);
	gpu = 1;
	on_top("gfx1030", 262112);
	return tap_done();
}
