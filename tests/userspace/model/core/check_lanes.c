// SPDX-License-Identifier: MIT
/* The checker's maps of local memory have room for whole warps: code for AMD's GPUs activates the
 * lanes behind the last thread of a block when it saves registers. */
#include "model/core/check.h"
#include "tests/tap.h"

#define THREADS 33
#define LOCAL   (64u << 10)

int main(void)
{
	const struct check_grid grid = {
		.size = {1, 1, 1}, .block = {THREADS, 1, 1}, .local_bytes = LOCAL};
	struct check_access a = {.memory = CHECK_LOCAL,
				 .kind = CHECK_WRITE,
				 .bytes = 4,
				 .warp = THREADS / CHECK_LANES};
	struct check_space *s = check_space_create(MODEL_CHECK_INIT);
	struct check_launch *l = check_launch_create(s, &grid);
	struct check_block *b = check_block_create(l);
	uint64_t address[CHECK_LANES];
	uint32_t good = UINT32_MAX;

	check_block_start(b, (const uint32_t[3]){0});
	for (uint32_t at = 0; at < LOCAL; at += a.bytes) {
		for (uint32_t i = 0; i < CHECK_LANES; i++)
			address[i] = at;
		good &= check_lanes(b, &a, address, UINT32_MAX);
	}
	check_block_destroy(b);
	check_launch_destroy(l);
	check_space_destroy(s);
	ok(good == UINT32_MAX, "lanes behind the last thread of a block have local memory");
	return tap_done();
}
