/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The chips that the driver knows: each has a row with its facts from hw/chips.h and its HAL, the
 * functions and offsets that differ between generations.
 */
#ifndef SOV_NV_CHIP_H
#define SOV_NV_CHIP_H

#include <linux/types.h>

struct nv_device;
struct nv_mmu_format;

/**
 * struct nv_chip - one chip
 */
struct nv_chip {
	/** @number: Architecture and implementation in PMC_BOOT_42. */
	u32 number;

	/** @name: In lower case, as in the paths of firmware files. */
	const char *name;

	/** @isa: SM version, ten times the compute capability. */
	u32 isa;

	/** @sms_per_tpc: SMs of each TPC. */
	u32 sms_per_tpc;

	/** @interrupt_leaves: Number of interrupt leaf registers, at most NV_MAX_LEAVES. */
	u32 interrupt_leaves;

	/** @config_mirror: Offset in BAR 0 of the mirror of the PCI configuration space. */
	u32 config_mirror;

	/** @channel: Class of channels. */
	u32 channel;

	/** @compute: Class of the compute engine. */
	u32 compute;

	/** @copy: Class of copy engines. */
	u32 copy;

	/** @graphics: Class whose first object makes the GSP build the golden context. */
	u32 graphics;

	/** @mmu: Format of page tables. */
	const struct nv_mmu_format *mmu;

	/** @wait_boot: Wait until the chip's boot firmware has finished. */
	int (*wait_boot)(struct nv_device *nv);

	/** @boot: Boot the GSP; see nv_gsp_boot(). */
	int (*boot)(struct nv_device *nv);
};

#define NV_MAX_LEAVES 16

const struct nv_chip *nv_chip_find(u32 number);

#endif
