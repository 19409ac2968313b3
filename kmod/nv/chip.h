/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Chips that are known: a row for each, with its numbers and what it does in its own way. */
#ifndef SOV_NV_CHIP_H
#define SOV_NV_CHIP_H

#include <linux/types.h>

struct nv_device;

/**
 * struct nv_chip - one chip
 */
struct nv_chip {
	/** @number: in BOOT_42 */
	u32 number;

	/** @name: in lower case, as firmware files have it */
	const char *name;

	/** @isa: instruction set, SM version times ten */
	u32 isa;

	/** @sms_per_tpc: processors of each TPC */
	u32 sms_per_tpc;

	/** @interrupt_leaves: words of interrupts, at most NV_MAX_LEAVES */
	u32 interrupt_leaves;

	/** @config_mirror: where BAR 0 shows the configuration space */
	u32 config_mirror;

	/** @channel: class of channels */
	u32 channel;

	/** @compute: class of the compute engine */
	u32 compute;

	/** @copy: class of copy engines */
	u32 copy;

	/** @graphics: class whose first object makes the GSP build the golden context */
	u32 graphics;

	/** @awake: wait until the chip's own firmware has run */
	int (*awake)(struct nv_device *nv);

	/** @boot: boot the GSP; see nv_gsp_boot() */
	int (*boot)(struct nv_device *nv);
};

#define NV_MAX_LEAVES 16

const struct nv_chip *nv_chip_find(u32 number);

#endif
