/* SPDX-License-Identifier: MIT */
/* Real GPUs, by the number that they have in their registers: what a driver does not tell. */
#ifndef SOV_WINSYS_CHIP_H
#define SOV_WINSYS_CHIP_H

#include "libsov/winsys/winsys.h"

struct chip {
	uint16_t number; /* architecture and implementation of BOOT_42; RM has them in two parts */
	const char *name;
	uint16_t sm;
	uint16_t user_class, channel_class, compute_class, copy_class;
	uint16_t shared_per_sm_kib, shared_per_block_kib;
	uint16_t warps_per_sm;
	uint16_t multiprocessors; /* of the whole chip; products have fewer */
};

/* NULL: not known. */
const struct winsys_nv_chip *winsys_nv_chip_find(uint32_t number);
/* What follows from the chip: the rest of the information is zero. */
void winsys_nv_chip_describe(const struct winsys_nv_chip *c, struct winsys_info *out);

#endif
