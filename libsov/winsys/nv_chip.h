/* SPDX-License-Identifier: MIT */
/* NVIDIA GPUs by the number in PMC_BOOT_42: the facts of a chip that no driver reports. */
#ifndef SOV_WINSYS_CHIP_H
#define SOV_WINSYS_CHIP_H

#include "libsov/winsys/winsys.h"

/* The columns of hw/chips.h that a winsys needs. */
struct winsys_nv_chip {
	uint16_t number; /* architecture and implementation; RM reports them separately */
	const char *name;
	uint16_t sm;
	uint16_t user_class, channel_class, compute_class, copy_class;
	uint32_t shared_per_sm, shared_per_block; /* bytes */
	uint32_t registers_per_sm;
	uint16_t warps_per_sm, sms_per_tpc;
	uint16_t multiprocessors; /* of the full chip; products have fewer */
};

/* Returns NULL for an unknown number. */
const struct winsys_nv_chip *winsys_nv_chip_find(uint32_t number);
/* Fills in the members that follow from the chip and zeroes the others. */
void winsys_nv_chip_describe(const struct winsys_nv_chip *c, struct winsys_info *out);

#endif
