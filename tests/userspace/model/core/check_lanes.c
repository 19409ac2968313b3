// SPDX-License-Identifier: MIT
/* Which lanes the checker lets proceed, and what it reports. Its maps of local memory have room for
 * whole warps: code for AMD's GPUs activates the lanes behind the last thread of a block when it
 * saves registers. Accesses may be larger than a line of marks, and addresses may wrap around. */
#include "model/core/check.h"
#include "model/core/model_internal.h"
#include "tests/tap.h"

#define THREADS 33
#define LOCAL   (64u << 10)

#define ALLOCATED 0x10000u

static const struct check_grid grid = {
	.size = {1, 1, 1}, .block = {THREADS, 1, 1}, .local_bytes = LOCAL};

static void check_local(struct check_block *b)
{
	struct check_access a = {.memory = CHECK_LOCAL,
				 .kind = CHECK_WRITE,
				 .bytes = 4,
				 .warp = THREADS / CHECK_LANES};
	uint64_t address[CHECK_LANES];
	uint32_t good = UINT32_MAX;

	for (uint32_t at = 0; at < LOCAL; at += a.bytes) {
		for (uint32_t i = 0; i < CHECK_LANES; i++)
			address[i] = at;
		good &= check_lanes(b, &a, address, UINT32_MAX);
	}
	ok(good == UINT32_MAX, "lanes behind the last thread of a block have local memory");
}

/* Of 64 bytes by one lane, as AMD's scalar loads of 16 words are. */
static uint32_t load_64(struct check_block *b, uint64_t at)
{
	const struct check_access a = {.memory = CHECK_GLOBAL, .kind = CHECK_READ, .bytes = 64};
	uint64_t address[CHECK_LANES] = {[5] = at};

	return check_lanes(b, &a, address, 1u << 5);
}

static void check_large(struct check_block *b, struct model_space *space)
{
	struct model_report r;

	ok(load_64(b, 0x400) == 1u << 5, "a load of 64 bytes outside of allocations may proceed");
	ok(!model_report_take(space, &r), "it is not reported");
	ok(load_64(b, ALLOCATED + 64) == 1u << 5, "a load of 64 unwritten bytes may proceed");
	ok(model_report_take(space, &r) && r.kind == MODEL_REPORT_UNINITIALISED, "it is reported");
}

static void check_around_zero(struct check_block *b)
{
	const struct check_access a = {.memory = CHECK_GLOBAL, .kind = CHECK_READ, .bytes = 4};
	uint64_t address[CHECK_LANES];

	for (uint32_t i = 0; i < CHECK_LANES; i++)
		address[i] = 4 * i - 16ull;
	ok(check_lanes(b, &a, address, UINT32_MAX) == UINT32_MAX,
	   "adjacent loads around address 0 may proceed to the fault of their pages");
}

int main(void)
{
	const struct model_memory memory = {.va = ALLOCATED, .bytes = 256, .mapped = 4096};
	struct check_space *s = check_space_create(MODEL_CHECK_MEMORY | MODEL_CHECK_INIT);
	struct check_launch *l = check_launch_create(s, &grid);
	struct check_block *b = check_block_create(l);
	struct model_space space = {.check = s};

	ok(!model_memory_allocated(&space, &memory), "memory is allocated");
	check_block_start(b, (const uint32_t[3]){0});
	check_local(b);
	check_large(b, &space);
	check_around_zero(b);
	check_block_destroy(b);
	check_launch_destroy(l);
	check_space_destroy(s);
	return tap_done();
}
