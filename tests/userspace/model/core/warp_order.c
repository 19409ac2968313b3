// SPDX-License-Identifier: MIT
/* SOV_SEED: the order of a block's warps is by chance, differs between seeds, and repeats. */
#include <sys/wait.h>
#include <unistd.h>
#include "model/core/warp_order.h"
#include "tests/userspace/runtime/_api.h"
#include "tests/userspace/runtime/_ptx.h"

#define WARPS  16
#define BLOCKS 3
#define SEEDS  12

/* Each warp takes a ticket of its block, waits a little, and takes another one. */
static const char tickets[] =
	PTX_HEADER ".visible .entry tickets(.param .u64 p) {\n"
		   "	.reg .b32 %r<9>;\n"
		   "	.reg .b64 %a<6>;\n"
		   "	.reg .pred %p<3>;\n"
		   "	ld.param.u64 %a1, [p];\n"
		   "	mov.u32 %r1, %tid.x;\n"
		   "	and.b32 %r2, %r1, 31;\n"
		   "	setp.ne.u32 %p1, %r2, 0;\n"
		   "	@%p1 bra done;\n"
		   "	shr.u32 %r1, %r1, 5;\n"
		   "	mov.u32 %r3, %ctaid.x;\n"
		   "	mul.wide.u32 %a2, %r3, 256;\n"
		   "	add.u64 %a2, %a1, %a2;\n" /* the block's words: ticket counter, orders */
		   "	mul.wide.u32 %a3, %r1, 8;\n"
		   "	add.u64 %a3, %a2, %a3;\n"
		   "	atom.global.add.u32 %r4, [%a2], 1;\n"
		   "	st.global.u32 [%a3+8], %r4;\n"
		   "	mov.u32 %r6, 0;\n"
		   "again:\n"
		   "	add.u32 %r6, %r6, 1;\n"
		   "	setp.lt.u32 %p2, %r6, 40;\n"
		   "	@%p2 bra again;\n"
		   "	atom.global.add.u32 %r5, [%a2], %r6;\n"
		   "	st.global.u32 [%a3+12], %r5;\n"
		   "done:\n"
		   "	ret;\n"
		   "}\n";

#define WORDS (BLOCKS * 64)

/* What the warps of two launches got, in a process of its own: it reads the variables. */
static bool order_of(const char *device, const char *seed, uint32_t got[2 * WORDS])
{
	ssize_t n = 0, bytes = 2 * WORDS * (ssize_t)sizeof(*got);
	int ends[2], status = 1;
	pid_t child;

	if (pipe(ends))
		return false;
	child = fork();
	if (!child) {
		sov_context c;
		sov_function f;
		sov_ptr p;

		setenv("SOV_SEED", seed, 1);
		c = context_on(device, 0);
		f = function_of(c, tickets, "tickets");
		MUST(sov_memory_alloc(c, WORDS * 4, &p));
		for (uint32_t i = 0; i < 2; i++) {
			MUST(sov_memory_fill(c, p, 0, 4, WORDS));
			MUST(launch(f, NULL, BLOCKS, WARPS * 32, "8", ARGUMENTS(&p)));
			MUST(sov_memory_copy(c, SOV_HOST(got + i * WORDS), p, WORDS * 4));
		}
		_exit(write(ends[1], got, (size_t)bytes) != bytes);
	}
	close(ends[1]);
	while (n < bytes) {
		ssize_t more = read(ends[0], (char *)got + n, (size_t)(bytes - n));

		if (more <= 0)
			break;
		n += more;
	}
	close(ends[0]);
	waitpid(child, &status, 0);
	return n == bytes && !status;
}

/* Whether the warps of the first block took their first tickets in the order of their numbers. */
static bool is_by_number(const uint32_t *got)
{
	for (uint32_t i = 0; i + 1 < WARPS; i++)
		if (got[2 + 2 * i] > got[4 + 2 * i])
			return false;
	return true;
}

static void on(const char *device)
{
	static uint32_t plain[2 * WORDS], got[SEEDS][2 * WORDS], again[2 * WORDS];
	uint32_t by_number = 0, differ = 0, launches_differ = 0, blocks_differ = 0;
	bool good = order_of(device, "", plain);

	ok(good && is_by_number(plain), "%s: without a seed warps begin by number", device);
	for (uint32_t i = 0; i < SEEDS; i++) {
		char seed[16];

		snprintf(seed, sizeof(seed), "%u", i + 1);
		good &= order_of(device, seed, got[i]);
		differ += memcmp(got[i], plain, sizeof(plain)) &&
			  (!i || memcmp(got[i], got[i - 1], sizeof(plain)));
		by_number += is_by_number(got[i]);
		launches_differ += memcmp(got[i], got[i] + WORDS, WORDS * 4) != 0;
		blocks_differ += memcmp(got[i], got[i] + 64, 256) != 0;
	}
	ok(good && differ == SEEDS, "%s: each seed gives another order", device);
	ok(!by_number, "%s: with a seed they begin in another order", device);
	ok(launches_differ == SEEDS && blocks_differ == SEEDS,
	   "%s: launches and blocks have orders of their own", device);
	ok(order_of(device, "7", again) && !memcmp(again, got[6], sizeof(again)),
	   "%s: a seed repeats its order", device);
}

/* A round visits each warp once, in an order that is not always the same. */
static void rounds(void)
{
	struct warp_order o = {12345};
	uint32_t complete = 0, others = 0;

	for (uint32_t n = 1; n <= 64; n++) {
		struct warp_round r = warp_order_round(&o, n);
		uint64_t visited = 0;

		for (uint32_t i = 0; i < n; i++)
			visited |= UINT64_C(1) << warp_round_at(&r, i);
		complete += visited == UINT64_MAX >> (64 - n);
		others += r.first || r.step != 1;
	}
	ok(complete == 64, "a round visits each warp");
	ok(others > 50, "rounds begin at other warps and go in other orders");
	o.state = 0;
	ok(warp_order_round(&o, 8).step == 1 && !warp_order_round(&o, 8).first &&
		   warp_order_quantum(&o, 99) == 99,
	   "without a seed they go by number");
}

static void wrong_values(void)
{
	static const char *const wrong[] = {"0", "x", "-1", "1x", "99999999999999999999"};
	sov_device d;

	for (uint32_t i = 0; i < COUNT(wrong); i++) {
		char want[64];

		snprintf(want, sizeof(want), "SOV_SEED is '%s'; it must be a number", wrong[i]);
		setenv("SOV_SEED", wrong[i], 1);
		refused(sov_device_open(0, &d), SOV_ERROR_INVALID_ARGUMENT, want,
			"a wrong SOV_SEED is refused");
	}
	unsetenv("SOV_SEED");
}

int main(void)
{
	soft_gpus("gh100:vram=64M,navi21:vram=64M");
	rounds();
	wrong_values();
	on("gh100.0");
	on("navi21.0");
	return tap_done();
}
