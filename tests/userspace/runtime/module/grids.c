// SPDX-License-Identifier: MIT
/*
 * Grids and blocks of one, two and three dimensions: every thread stores its indices and sizes at
 * its own position, so that every wrong value shows.
 */
#include "tests/userspace/runtime/_api.h"
#include "tests/userspace/runtime/_ptx.h"

#define WORDS 12

static const char indices_ptx[] = PTX_HEADER
	".visible .entry indices(.param .u64 out) {\n"
	"	.reg .b32 %t<4>, %n<4>, %c<4>, %m<4>, %r<12>;\n"
	"	.reg .b64 %a<5>;\n"
	"	mov.u32 %t1, %tid.x;    mov.u32 %t2, %tid.y;    mov.u32 %t3, %tid.z;\n"
	"	mov.u32 %n1, %ntid.x;   mov.u32 %n2, %ntid.y;   mov.u32 %n3, %ntid.z;\n"
	"	mov.u32 %c1, %ctaid.x;  mov.u32 %c2, %ctaid.y;  mov.u32 %c3, %ctaid.z;\n"
	"	mov.u32 %m1, %nctaid.x; mov.u32 %m2, %nctaid.y; mov.u32 %m3, %nctaid.z;\n"
	"	mad.lo.u32 %r1, %c3, %m2, %c2;\n" /* block: (z * sizes y + y) * sizes x + x */
	"	mad.lo.u32 %r2, %r1, %m1, %c1;\n"
	"	mad.lo.u32 %r3, %r2, %n3, %t3;\n" /* then thread, likewise */
	"	mad.lo.u32 %r4, %r3, %n2, %t2;\n"
	"	mad.lo.u32 %r5, %r4, %n1, %t1;\n"
	"	mul.wide.u32 %a1, %r5, 48;\n"
	"	ld.param.u64 %a2, [out];\n"
	"	cvta.to.global.u64 %a3, %a2;\n"
	"	add.s64 %a4, %a3, %a1;\n"
	"	st.global.u32 [%a4], %t1;    st.global.u32 [%a4+4], %t2;  st.global.u32 [%a4+8], "
	"%t3;\n"
	"	st.global.u32 [%a4+12], %n1; st.global.u32 [%a4+16], %n2; st.global.u32 [%a4+20], "
	"%n3;\n"
	"	st.global.u32 [%a4+24], %c1; st.global.u32 [%a4+28], %c2; st.global.u32 [%a4+32], "
	"%c3;\n"
	"	st.global.u32 [%a4+36], %m1; st.global.u32 [%a4+40], %m2; st.global.u32 [%a4+44], "
	"%m3;\n"
	"	ret;\n"
	"}\n";

static void shape(sov_context c, sov_function f, const uint32_t grid[3], const uint32_t block[3])
{
	uint32_t threads = block[0] * block[1] * block[2];
	uint32_t count = grid[0] * grid[1] * grid[2] * threads, i, right = 0;
	uint32_t(*got)[WORDS] = malloc(count * sizeof(*got));
	sov_launch l = SOV_INIT(sov_launch);
	sov_ptr out;

	MUST(sov_memory_alloc(c, count * sizeof(*got), &out));
	MUST(sov_memory_fill(c, out, 0xdeadbeef, 4, (uint64_t)count * WORDS));
	memcpy(l.grid, grid, sizeof(l.grid));
	memcpy(l.block, block, sizeof(l.block));
	l.arguments = ARGUMENTS(&out);
	l.argument_count = 1;
	MUST(sov_function_launch(f, &l));
	MUST(sov_memory_copy(c, SOV_HOST(got), out, count * sizeof(*got)));
	for (i = 0; i < count; i++) {
		uint32_t t = i % threads, b = i / threads;
		const uint32_t want[WORDS] = {
			t % block[0],
			t / block[0] % block[1],
			t / block[0] / block[1],
			block[0],
			block[1],
			block[2],
			b % grid[0],
			b / grid[0] % grid[1],
			b / grid[0] / grid[1],
			grid[0],
			grid[1],
			grid[2],
		};

		right += !memcmp(got[i], want, sizeof(want));
	}
	ok(right == count, "grid %u x %u x %u of blocks %u x %u x %u: every thread has its indices",
	   grid[0], grid[1], grid[2], block[0], block[1], block[2]);
	if (right != count)
		diag("%u of %u threads are right", right, count);
	MUST(sov_memory_free(c, out));
	free(got);
}

int main(void)
{
	static const uint32_t shapes[][2][3] = {
		{{1, 1, 1}, {1, 1, 1}},   {{3, 1, 1}, {33, 1, 1}},  {{2, 3, 1}, {8, 4, 1}},
		{{2, 3, 4}, {4, 2, 3}},   {{1, 5, 2}, {1, 7, 5}},   {{1, 1, 7}, {2, 1, 64}},
		{{300, 1, 1}, {1, 1, 1}}, {{1, 300, 1}, {1, 1, 3}}, {{2, 1, 1}, {1024, 1, 1}},
		{{1, 2, 1}, {32, 32, 1}},
	};
	static const char *const devices[] = {"gh100.0", "ga100.0"};
	uint32_t d, i;

	soft_gpus("gh100:vram=256M:hazard,ga100:vram=256M:hazard");
	for (d = 0; d < DEVICES(devices); d++) {
		sov_context c = context_on(devices[d], 0);
		sov_function f = function_of(c, indices_ptx, "indices");

		for (i = 0; i < COUNT(shapes); i++)
			shape(c, f, shapes[i][0], shapes[i][1]);
		MUST(sov_context_destroy(c));
	}
	return tap_done();
}
