/* SPDX-License-Identifier: MIT */
/*
 * The table of real GPUs, with the classes they take and how large their processors are.
 *
 * Numbers: ctrl2080mc.h of NVIDIA's open kernel module; classes: src/nvidia/generated/
 * g_gpu_class_list.c there; memory and warps of an SM: CUDA C++ programming guide, "Technical
 * Specifications per Compute Capability"; SMs of a whole chip: NVIDIA's architecture white papers.
 * Of these chips only GH100 has been tried.
 */
#include <stdio.h>
#include "hw/nv/compute.h"
#include "hw/nv/copy.h"
#include "hw/nv/host.h"
#include "hw/nv/rm.h"
#include "libsov/winsys/nv_chip.h"

#define KIB 1024u

#define TURING \
	RM_CLASS_TURING_USER, RM_CLASS_TURING_CHANNEL, RM_CLASS_TURING_COMPUTE, \
		RM_CLASS_TURING_COPY, 64, 64, 32
#define GA10X \
	RM_CLASS_AMPERE_USER, NV_CLASS_AMPERE_CHANNEL, NV_CLASS_AMPERE_COMPUTE_B, \
		NV_CLASS_AMPERE_COPY_B, 100, 99, 48
#define ADA \
	RM_CLASS_AMPERE_USER, NV_CLASS_AMPERE_CHANNEL, NV_CLASS_ADA_COMPUTE, \
		NV_CLASS_AMPERE_COPY_B, 100, 99, 48

static const struct chip chips[] = {
	{0x162, "tu102", 75, TURING, 72},
	{0x164, "tu104", 75, TURING, 48},
	{0x166, "tu106", 75, TURING, 36},
	{0x167, "tu117", 75, TURING, 16},
	{0x168, "tu116", 75, TURING, 24},
	{0x170, "ga100", 80, RM_CLASS_AMPERE_USER, NV_CLASS_AMPERE_CHANNEL, NV_CLASS_AMPERE_COMPUTE,
	 NV_CLASS_AMPERE_COPY, 164, 163, 64, 128},
	{0x172, "ga102", 86, GA10X, 84},
	{0x173, "ga103", 86, GA10X, 60},
	{0x174, "ga104", 86, GA10X, 48},
	{0x176, "ga106", 86, GA10X, 30},
	{0x177, "ga107", 86, GA10X, 20},
	{0x180, "gh100", 90, RM_CLASS_HOPPER_USER, NV_CLASS_HOPPER_CHANNEL, NV_CLASS_HOPPER_COMPUTE,
	 NV_CLASS_HOPPER_COPY, 228, 227, 64, 144},
	{0x192, "ad102", 89, ADA, 144},
	{0x193, "ad103", 89, ADA, 80},
	{0x194, "ad104", 89, ADA, 60},
	{0x196, "ad106", 89, ADA, 36},
	{0x197, "ad107", 89, ADA, 24},
};

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
		.sm = c->sm,
		.multiprocessors = c->multiprocessors,
		.warps_per_multiprocessor = c->warps_per_sm,
		.sms_per_tpc = NV_SMS_PER_TPC,
		.tpcs = c->multiprocessors / NV_SMS_PER_TPC,
		.max_threads_per_block = 1024,
		.shared_per_block = c->shared_per_block_kib * KIB,
		.shared_per_multiprocessor = c->shared_per_sm_kib * KIB,
		.registers_per_multiprocessor = 65536,
		.host_class = c->channel_class,
		.compute_class = c->compute_class,
		.copy_class = c->copy_class,
	};
	snprintf(out->chip, sizeof(out->chip), "%s", c->name);
	snprintf(out->target, sizeof(out->target), "sm_%u", c->sm);
}
