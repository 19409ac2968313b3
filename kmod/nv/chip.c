// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The table of chips, see chip.h. */
#include <linux/array_size.h>

#include "hw/nv/compute.h"
#include "hw/nv/copy.h"
#include "hw/nv/host.h"
#include "hw/nv/registers.h"
#include "kmod/nv/chip.h"
#include "kmod/nv/boot.h"
#include "kmod/nv/fsp.h"
#include "kmod/nv/rm.h"

static const struct nv_chip chips[] = {
	{
		.number = NV_CHIP_GH100,
		.name = "gh100",
		.isa = 90,
		.sms_per_tpc = 2,
		.interrupt_leaves = NV_VF_INTR_LEAVES_GH100,
		.config_mirror = NV_GSP_CONFIG_MIRROR_GH100,
		.channel = NV_CLASS_HOPPER_CHANNEL,
		.compute = NV_CLASS_HOPPER_COMPUTE,
		.copy = NV_CLASS_HOPPER_COPY,
		.graphics = RM_CLASS_HOPPER_3D,
		.awake = nv_fsp_wait_boot,
		.boot = nv_gsp_boot,
	},
};

/**
 * nv_chip_find() - look a chip up
 * @number: of BOOT_42
 *
 * Return: its row, or NULL.
 */
const struct nv_chip *nv_chip_find(u32 number)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(chips); i++)
		if (chips[i].number == number)
			return &chips[i];
	return NULL;
}
