// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The driver's chips: facts from hw/chips.h and a HAL for each; see chip.h. */
#include <linux/array_size.h>

#include "hw/nv/compute.h"
#include "hw/nv/copy.h"
#include "hw/nv/host.h"
#include "hw/nv/registers.h"
#include "kmod/nv/boot.h"
#include "kmod/nv/chip.h"
#include "kmod/nv/chip_list.h"
#include "kmod/nv/fsp.h"
#include "kmod/nv/mmu.h"
#include "kmod/nv/rm.h"

#define NV_HAL_GH100 \
	.interrupt_leaves = NV_VF_INTR_LEAVES_GH100, .config_mirror = NV_GSP_CONFIG_MIRROR_GH100, \
	.graphics = RM_CLASS_HOPPER_3D, .mmu = &nv_mmu_ver3, .wait_boot = nv_fsp_wait_boot, \
	.boot = nv_gsp_boot

#define NV_CHIP_ROW(chip_, CHIP_, number_, sm_, ...) \
	{ \
		.number = number_, \
		.name = #chip_, \
		.isa = sm_, \
		.sms_per_tpc = NV_SM##sm_##_SMS_PER_TPC, \
		.channel = NV_SM##sm_##_CHANNEL_CLASS, \
		.compute = NV_SM##sm_##_COMPUTE_CLASS, \
		.copy = NV_SM##sm_##_COPY_CLASS, \
		NV_HAL_##CHIP_, \
	},

static const struct nv_chip chips[] = { NV_DRIVER_CHIPS(NV_CHIP_ROW) };

/**
 * nv_chip_find() - find a chip by its number
 * @number: NV_PMC_BOOT_42_CHIP() of the register.
 *
 * Return: The chip's row, or NULL.
 */
const struct nv_chip *nv_chip_find(u32 number)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(chips); i++)
		if (chips[i].number == number)
			return &chips[i];
	return NULL;
}
