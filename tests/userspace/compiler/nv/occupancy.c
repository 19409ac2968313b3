// SPDX-License-Identifier: MIT
/* Warps of an SM's partition, by registers and by the size of a block. */
#include "libsov/compiler/nv/mir.h"
#include "tests/tap.h"

int main(void)
{
	struct ir_func small = {.max_threads = {96, 1, 1}}, large = {.max_threads = {16, 16, 1}},
		       exact = {.max_threads = {1024, 1, 1}, .required_threads = {384, 1, 1}},
		       unknown = {0};

	ok(nv_partition_warps(90, 168) == 3 && nv_partition_warps(90, 128) == 4,
	   "168 registers leave three warps per partition, 128 leave four");
	ok(nv_resident_warps(&large, 3) == 2 && nv_resident_warps(&large, 4) == 4,
	   "blocks of eight warps fill two of three warps per partition, and all of four");
	ok(nv_resident_warps(&exact, 5) == 3 && nv_resident_warps(&exact, 2) == 2,
	   "the required size of a block counts, and a block that does not fit is not rounded");
	ok(nv_resident_warps(&small, 5) == 5 && nv_resident_warps(&unknown, 5) == 5,
	   "blocks of less than a warp per partition, or of unknown size, fill every warp");
	ok(nv_cached_warps(90, 0) == 16 && nv_cached_warps(90, 114) == 16 &&
		   nv_cached_warps(90, 228) == 8,
	   "the L1 cache holds the frames of all warps up to 114 bytes, and half of twice as many");
	ok(nv_cached_warps(90, 4000) == 4 && nv_cached_warps(90, UINT32_MAX) == 4,
	   "four warps per partition are worth having however large the frame");
	return tap_done();
}
