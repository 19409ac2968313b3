// SPDX-License-Identifier: MIT
/*
 * Tensor maps through the public API: what is no map, and a kernel that loads a box of a matrix by
 * a map that is its parameter, and stores it to another place of another matrix by a second one.
 */
#include "tests/userspace/runtime/_api.h"

enum { ROWS = 40, COLUMNS = 24, PITCH = 32, BOX_ROWS = 16, BOX_COLUMNS = 8 };

static const char ptx[] =
	".version 8.6\n.target sm_90\n.address_size 64\n"
	".visible .entry move(.param .align 64 .b8 from[128], .param .align 64 .b8 to[128],\n"
	"                     .param .u32 x, .param .u32 y, .param .u32 u, .param .u32 v) {\n"
	"	.reg .pred %p<3>;\n	.reg .b32 %r<8>;\n	.reg .b64 %a<8>;\n"
	"	.shared .align 8 .b64 barrier;\n	.shared .align 1024 .b8 box[512];\n"
	"	mov.b64 %a1, from;\n	cvta.param.u64 %a1, %a1;\n"
	"	mov.b64 %a2, to;\n	cvta.param.u64 %a2, %a2;\n"
	"	ld.param.u32 %r1, [x];\n	ld.param.u32 %r2, [y];\n"
	"	ld.param.u32 %r3, [u];\n	ld.param.u32 %r4, [v];\n"
	"	mbarrier.init.shared.b64 [barrier], 1;\n	fence.proxy.async.shared::cta;\n"
	"	mbarrier.arrive.expect_tx.shared.b64 %a3, [barrier], 512;\n"
	"	cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
	" [box], [%a1, {%r1, %r2}], [barrier];\n"
	"wait:\n	mbarrier.try_wait.parity.shared.b64 %p1, [barrier], 0;\n"
	"	@!%p1 bra wait;\n"
	"	fence.proxy.async.shared::cta;\n"
	"	cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%a2, {%r3, %r4}], "
	"[box];\n"
	"	cp.async.bulk.commit_group;\n	cp.async.bulk.wait_group 0;\n	ret;\n}\n";

static sov_tensor_map_options matrix(sov_ptr address, uint32_t swizzle)
{
	sov_tensor_map_options o = SOV_INIT(sov_tensor_map_options);

	o.type = SOV_TENSOR_U32;
	o.address = address;
	o.rank = 2;
	o.swizzle = swizzle;
	o.dimensions[0] = COLUMNS, o.dimensions[1] = ROWS;
	o.strides[1] = 4 * PITCH;
	o.box[0] = BOX_COLUMNS, o.box[1] = BOX_ROWS;
	return o;
}

static bool is_inside(int32_t x, int32_t y)
{
	return x >= 0 && x < COLUMNS && y >= 0 && y < ROWS;
}

/* Loads the box at (x, y) and stores it at (u, v). */
static void move_box(sov_context c, sov_function f, int32_t x, int32_t y, int32_t u, int32_t v,
		     uint32_t swizzle)
{
	static uint32_t before[ROWS * PITCH], got[ROWS * PITCH];
	uint32_t wrong = 0;
	sov_tensor_map maps[2];
	sov_ptr at[2];
	const void *arguments[] = {&maps[0], &maps[1], &x, &y, &u, &v};
	sov_launch l = SOV_INIT(sov_launch);

	for (uint32_t k = 0; k < ROWS * PITCH; k++)
		before[k] = k * 2654435761u + 1;
	for (int k = 0; k < 2; k++) {
		sov_tensor_map_options o;

		MUST(sov_memory_alloc(c, sizeof(before), &at[k]));
		MUST(sov_memory_copy(c, at[k], SOV_HOST(before), sizeof(before)));
		o = matrix(at[k], swizzle);
		MUST(sov_tensor_map_encode(&o, &maps[k]));
	}
	l.grid[0] = l.grid[1] = l.grid[2] = l.block[0] = l.block[1] = l.block[2] = 1;
	l.arguments = arguments;
	l.argument_count = 6;
	MUST(sov_function_launch(f, &l));
	MUST(sov_memory_copy(c, SOV_HOST(got), at[1], sizeof(got)));
	for (int32_t row = 0; row < ROWS; row++)
		for (int32_t column = 0; column < PITCH; column++) {
			int32_t dx = column - u, dy = row - v; /* in the box */
			uint32_t want = before[row * PITCH + column];

			if (column < COLUMNS && dx >= 0 && dx < BOX_COLUMNS && dy >= 0 &&
			    dy < BOX_ROWS)
				want = is_inside(x + dx, y + dy) ? before[(y + dy) * PITCH + x + dx]
								 : 0;
			wrong += got[row * PITCH + column] != want;
		}
	ok(!wrong, "a box at (%d, %d) with swizzle %u is moved to (%d, %d)", x, y, swizzle, u, v);
	for (int k = 0; k < 2; k++)
		MUST(sov_memory_free(c, at[k]));
}

static void refuse_box(sov_context c, sov_function f, int32_t x, int32_t y, int32_t u, int32_t v,
		       const char *message)
{
	sov_tensor_map maps[2];
	sov_tensor_map_options o;
	sov_ptr at;
	const void *arguments[] = {&maps[0], &maps[1], &x, &y, &u, &v};
	sov_launch l = SOV_INIT(sov_launch);

	MUST(sov_memory_alloc(c, 4 * ROWS * PITCH, &at));
	o = matrix(at, 0);
	MUST(sov_tensor_map_encode(&o, &maps[0]));
	maps[1] = maps[0];
	l.grid[0] = l.grid[1] = l.grid[2] = l.block[0] = l.block[1] = l.block[2] = 1;
	l.arguments = arguments;
	l.argument_count = 6;
	MUST(sov_function_launch(f, &l));
	ok(sov_context_wait(c, UINT64_C(20000000000)) == SOV_ERROR_FAULT &&
		   strstr(sov_last_error(), message),
	   "a fault: %s", message);
	MUST(sov_context_reset(c));
	MUST(sov_memory_free(c, at));
}

static void device(const char *name)
{
	sov_device d;
	sov_context c;
	sov_module m;
	sov_function f;

	MUST(sov_device_open_name(name, &d));
	MUST(sov_context_create(d, NULL, &c));
	MUST(sov_module_load(c, ptx, sizeof(ptx) - 1, NULL, &m));
	MUST(sov_module_get_function(m, "move", &f));
	move_box(c, f, 4, 5, 8, 3, 0);
	move_box(c, f, 4, 5, 8, 3, 32);
	move_box(c, f, -4, 33, 20, 0, 0);
	move_box(c, f, 20, -2, 0, 30, 32);
	if (strcmp(name, "navi21.0")) {
		refuse_box(c, f, 2, 0, 0, 0,
			   "its first coordinate is not at a multiple of 16 bytes");
		refuse_box(c, f, 0, 0, -4, 0, "a coordinate is negative, which only loads take");
	}
	MUST(sov_context_destroy(c));
}

static void refuse(sov_tensor_map_options o, const char *message)
{
	sov_tensor_map map;
	sov_result r = sov_tensor_map_encode(&o, &map);

	ok(r == SOV_ERROR_INVALID_ARGUMENT && strstr(sov_last_error(), message), "refused: %s",
	   message);
	if (!strstr(sov_last_error(), message))
		diag("%s", sov_last_error());
}

#define REFUSE(change, message) \
	do { \
		sov_tensor_map_options o = matrix(4096, 0); \
\
		change; \
		refuse(o, message); \
	} while (0)

int main(void)
{
	sov_tensor_map_options good = matrix(4096, 0);
	sov_tensor_map map;

	ok(sov_tensor_map_encode(NULL, &map) && strstr(sov_last_error(), "options is NULL"),
	   "no options");
	ok(sov_tensor_map_encode(&good, NULL) && strstr(sov_last_error(), "map is NULL"), "no map");
	REFUSE(o.type = (sov_tensor_type)13, "type is 13");
	REFUSE(o.rank = 0, "rank is 0; it must be from 1 to 5");
	REFUSE(o.rank = 6, "rank is 6; it must be from 1 to 5");
	REFUSE(o.address = 4104, "its address is not aligned to 16 bytes");
	REFUSE(o.swizzle = 96, "swizzle is 96; it must be 0, 32, 64 or 128");
	REFUSE(o.dimensions[1] = 0, "dimensions[1] is 0; it must be from 1 to 4294967296");
	REFUSE(o.strides[1] = 100, "strides[1] is 100; it must be a multiple of 16 below 2^40");
	REFUSE(o.strides[1] = UINT64_C(1) << 40, "strides[1] is 1099511627776");
	REFUSE(o.box[0] = 257, "box[0] is 257; it must be from 1 to 256");
	REFUSE(o.steps[1] = 9, "steps[1] is 9; it must be from 1 to 8");
	REFUSE(o.box[0] = 5, "a row of its box is not a multiple of 16 bytes");
	REFUSE((o.box[0] = 16, o.swizzle = 32), "a row of its box is longer than the swizzle");
	soft_gpus("gh100:vram=1G,gh100:vram=1G:hazard,navi21:vram=1G");
	device("gh100.0");
	device("gh100.1");
	device("navi21.0");
	return tap_done();
}
