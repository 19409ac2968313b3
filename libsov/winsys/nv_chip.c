// SPDX-License-Identifier: MIT
/* The winsyses' view of the NVIDIA rows of hw/chips.h. */
#include <stdio.h>
#include "hw/chips.h"
#include "hw/nv/compute.h"
#include "hw/nv/copy.h"
#include "hw/nv/host.h"
#include "hw/nv/rm.h"
#include "libsov/winsys/nv_chip.h"

#define CHIP(chip_, CHIP_, number_, sm_, sms_, ...) \
	{ \
		.number = number_, \
		.name = #chip_, \
		.sm = sm_, \
		.user_class = NV_SM##sm_##_USER_CLASS, \
		.channel_class = NV_SM##sm_##_CHANNEL_CLASS, \
		.compute_class = NV_SM##sm_##_COMPUTE_CLASS, \
		.copy_class = NV_SM##sm_##_COPY_CLASS, \
		.shared_per_sm = NV_SM##sm_##_SHARED_PER_SM, \
		.shared_per_block = NV_SM##sm_##_SHARED_PER_BLOCK, \
		.registers_per_sm = NV_SM##sm_##_REGISTERS_PER_SM, \
		.warps_per_sm = NV_SM##sm_##_WARPS_PER_SM, \
		.sms_per_tpc = NV_SM##sm_##_SMS_PER_TPC, \
		.multiprocessors = sms_, \
	},

static const struct winsys_nv_chip chips[] = {SOV_NV_CHIPS(CHIP)};

const struct winsys_nv_chip *winsys_nv_chip_find(uint32_t number)
{
	uint32_t i;

	for (i = 0; i < sizeof(chips) / sizeof(*chips); i++)
		if (chips[i].number == number)
			return &chips[i];
	return NULL;
}

void winsys_nv_chip_describe(const struct winsys_nv_chip *c, struct winsys_info *out)
{
	*out = (struct winsys_info){
		.multiprocessors = c->multiprocessors,
		.warps_per_multiprocessor = c->warps_per_sm,
		.max_threads_per_block = NV_MAX_THREADS_PER_BLOCK,
		.shared_per_block = c->shared_per_block,
		.shared_per_multiprocessor = c->shared_per_sm,
		.registers_per_multiprocessor = c->registers_per_sm,
		.vendor = WINSYS_VENDOR_NV,
		.nv =
			{
				.sm = c->sm,
				.sms_per_tpc = c->sms_per_tpc,
				.tpcs = c->multiprocessors / c->sms_per_tpc,
				.host_class = c->channel_class,
				.compute_class = c->compute_class,
				.copy_class = c->copy_class,
			},
	};
	snprintf(out->chip, sizeof(out->chip), "%s", c->name);
	snprintf(out->target, sizeof(out->target), "sm_%u", c->sm);
}
