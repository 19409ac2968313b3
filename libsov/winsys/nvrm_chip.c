/* SPDX-License-Identifier: MIT */
/*
 * Tables: releases of NVIDIA's kernel module by what differs in their interface, and chips by what
 * RM calls them, with the classes they take.
 *
 * Releases: see hw/nv/rm.h. Chips and their numbers: ctrl2080mc.h of the open kernel module; their
 * classes: src/nvidia/generated/g_gpu_class_list.c there; memory of an SM: CUDA C++ programming
 * guide, "Technical Specifications per Compute Capability". Of these chips only GH100 has been
 * tried.
 */
#include <stdlib.h>
#include "hw/nv/compute.h"
#include "hw/nv/copy.h"
#include "libsov/winsys/nvrm.h"

static const struct nvrm_release releases[] = {
	/* newest first */
	{581, sizeof(struct rm_map_gpu_580), sizeof(struct rm_va_space_parameters), false},
	{580, sizeof(struct rm_map_gpu_580), sizeof(struct rm_va_space_parameters), true},
	{571, sizeof(struct rm_map_gpu_570), RM_VA_SPACE_BYTES_570, false},
	{570, sizeof(struct rm_map_gpu_570), RM_VA_SPACE_BYTES_570, true},
	{515, sizeof(struct rm_map_gpu_570), RM_VA_SPACE_BYTES_570, false},
};

const struct nvrm_release *nvrm_release_find(const char *version, uint32_t *major)
{
	char *end;
	unsigned long number = strtoul(version, &end, 10);
	uint32_t i;

	*major = (uint32_t)number;
	if (end == version || *end != '.' || number > 9999 || *version < '0' || *version > '9')
		return NULL;
	for (i = 0; i < sizeof(releases) / sizeof(*releases); i++)
		if (number >= releases[i].major)
			return &releases[i];
	return NULL;
}

#define TURING                                                                                     \
	RM_CLASS_TURING_USER, RM_CLASS_TURING_CHANNEL, RM_CLASS_TURING_COMPUTE, RM_CLASS_TURING_COPY
#define GA10X                                                                                      \
	RM_CLASS_AMPERE_USER, NV_CLASS_AMPERE_CHANNEL, NV_CLASS_AMPERE_COMPUTE_B,                  \
		NV_CLASS_AMPERE_COPY_B
#define ADA                                                                                        \
	RM_CLASS_AMPERE_USER, NV_CLASS_AMPERE_CHANNEL, NV_CLASS_ADA_COMPUTE, NV_CLASS_AMPERE_COPY_B

static const struct nvrm_chip chips[] = {
	{0x160, 0x2, "tu102", 75, TURING, 64, 64},
	{0x160, 0x4, "tu104", 75, TURING, 64, 64},
	{0x160, 0x6, "tu106", 75, TURING, 64, 64},
	{0x160, 0x7, "tu117", 75, TURING, 64, 64},
	{0x160, 0x8, "tu116", 75, TURING, 64, 64},
	{0x170, 0x0, "ga100", 80, RM_CLASS_AMPERE_USER, NV_CLASS_AMPERE_CHANNEL,
	 NV_CLASS_AMPERE_COMPUTE, NV_CLASS_AMPERE_COPY, 164, 163},
	{0x170, 0x2, "ga102", 86, GA10X, 100, 99},
	{0x170, 0x3, "ga103", 86, GA10X, 100, 99},
	{0x170, 0x4, "ga104", 86, GA10X, 100, 99},
	{0x170, 0x6, "ga106", 86, GA10X, 100, 99},
	{0x170, 0x7, "ga107", 86, GA10X, 100, 99},
	{0x180, 0x0, "gh100", 90, RM_CLASS_HOPPER_USER, NV_CLASS_HOPPER_CHANNEL,
	 NV_CLASS_HOPPER_COMPUTE, NV_CLASS_HOPPER_COPY, 228, 227},
	{0x190, 0x2, "ad102", 89, ADA, 100, 99},
	{0x190, 0x3, "ad103", 89, ADA, 100, 99},
	{0x190, 0x4, "ad104", 89, ADA, 100, 99},
	{0x190, 0x6, "ad106", 89, ADA, 100, 99},
	{0x190, 0x7, "ad107", 89, ADA, 100, 99},
};

const struct nvrm_chip *nvrm_chip_find(uint32_t architecture, uint32_t implementation)
{
	uint32_t i;

	for (i = 0; i < sizeof(chips) / sizeof(*chips); i++)
		if (chips[i].architecture == architecture &&
		    chips[i].implementation == implementation)
			return &chips[i];
	return NULL;
}
