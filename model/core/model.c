/* SPDX-License-Identifier: MIT */
/*
 * The modelled chips, and the model itself: video memory and the threads that run blocks. All other
 * state belongs to address spaces and channels.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "hw/nv/compute.h"
#include "hw/nv/copy.h"
#include "hw/nv/host.h"
#include "model/core/model_internal.h"

/* Counts of products in the field, not of the full dies: H100/H200 SXM, A100, GeForce RTX 3090 and
 * 4090. CUDA programming guide, "Technical Specifications per Compute Capability"; 132 SMs seen on
 * an H200. */
static const struct model_chip chips[] = {
	{
		.name = "gh100",
		.product = "software GPU, Hopper GH100",
		.target = "sm_90",
		.vendor = &vendor_nv,
		.sm = 90,
		.sm_count = 132,
		.warps_per_sm = 64,
		.max_threads_per_block = 1024,
		.shared_per_block = 227 << 10,
		.shared_per_sm = 228 << 10,
		.registers_per_sm = 65536,
		.host_class = NV_CLASS_HOPPER_CHANNEL,
		.compute_class = NV_CLASS_HOPPER_COMPUTE,
		.copy_class = NV_CLASS_HOPPER_COPY,
		.qmd_bytes = 384,
	},
	{
		.name = "ga100",
		.product = "software GPU, Ampere GA100",
		.target = "sm_80",
		.vendor = &vendor_nv,
		.sm = 80,
		.sm_count = 108,
		.warps_per_sm = 64,
		.max_threads_per_block = 1024,
		.shared_per_block = 163 << 10,
		.shared_per_sm = 164 << 10,
		.registers_per_sm = 65536,
		.host_class = NV_CLASS_AMPERE_CHANNEL,
		.compute_class = NV_CLASS_AMPERE_COMPUTE,
		.copy_class = NV_CLASS_AMPERE_COPY,
		.qmd_bytes = 256,
	},
	{
		.name = "ga102",
		.product = "software GPU, Ampere GA102",
		.target = "sm_86",
		.vendor = &vendor_nv,
		.sm = 86,
		.sm_count = 82,
		.warps_per_sm = 48,
		.max_threads_per_block = 1024,
		.shared_per_block = 99 << 10,
		.shared_per_sm = 100 << 10,
		.registers_per_sm = 65536,
		.host_class = NV_CLASS_AMPERE_CHANNEL,
		.compute_class = NV_CLASS_AMPERE_COMPUTE_B,
		.copy_class = NV_CLASS_AMPERE_COPY_B,
		.qmd_bytes = 256,
	},
	{
		.name = "ad102",
		.product = "software GPU, Ada AD102",
		.target = "sm_89",
		.vendor = &vendor_nv,
		.sm = 89,
		.sm_count = 128,
		.warps_per_sm = 48,
		.max_threads_per_block = 1024,
		.shared_per_block = 99 << 10,
		.shared_per_sm = 100 << 10,
		.registers_per_sm = 65536,
		.host_class = NV_CLASS_AMPERE_CHANNEL,
		.compute_class = NV_CLASS_ADA_COMPUTE,
		.copy_class = NV_CLASS_AMPERE_COPY_B,
		.qmd_bytes = 256,
	},
	/* Radeon RX 6900 XT: 80 compute units of two SIMDs; see group.c for what a unit holds. AMD's
	 * product page and RDNA2 ISA manual; 1,024 threads and 64 KiB of LDS for a workgroup. */
	{
		.name = "navi21",
		.product = "software GPU, RDNA2 Navi 21",
		.target = "gfx1030",
		.vendor = &vendor_amd,
		.sm_count = 80,
		.warps_per_sm = 32,
		.max_threads_per_block = 1024,
		.shared_per_block = 64 << 10,
		.shared_per_sm = 64 << 10,
		.registers_per_sm = 65536,
	},
};
#define CHIPS (sizeof(chips) / sizeof(chips[0]))

const struct model_chip *model_chip_at(uint32_t index)
{
	return index < CHIPS ? &chips[index] : NULL;
}

const struct model_chip *model_chip_find(const char *name)
{
	for (uint32_t i = 0; i < CHIPS; i++)
		if (!strcmp(chips[i].name, name))
			return &chips[i];
	return NULL;
}

int model_create(const struct model_config *config, struct model **out)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	struct model *m;
	int status;

	*out = NULL;
	if (!config->chip || config->vram_bytes % MMU_PAGE_BYTES)
		return -EINVAL;
	m = calloc(1, sizeof(*m));
	if (!m)
		return -ENOMEM;
	m->chip = config->chip;
	m->vendor = m->chip->vendor;
	m->qmd = m->chip->qmd_bytes == nv_qmd_hopper.bytes ? &nv_qmd_hopper : &nv_qmd_ampere;
	m->hazard = config->hazard;
	m->vram_bytes = config->vram_bytes;
	if (m->vram_bytes)
		m->vram = mmap(NULL, m->vram_bytes, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (m->vram == MAP_FAILED) {
		free(m);
		return -ENOMEM;
	}
	status = workers_create(config->threads ? config->threads
				: cores > 0     ? (uint32_t)cores
						: 1,
				&m->workers);
	if (status) {
		if (m->vram)
			munmap(m->vram, m->vram_bytes);
		free(m);
		return status;
	}
	pthread_mutex_init(&m->lock, NULL);
	*out = m;
	return 0;
}

void model_destroy(struct model *m)
{
	if (!m)
		return;
	workers_destroy(m->workers);
	if (m->vram)
		munmap(m->vram, m->vram_bytes);
	pthread_mutex_destroy(&m->lock);
	free(m);
}

const struct model_chip *model_get_chip(const struct model *m)
{
	return m->chip;
}

uint8_t *model_vram(struct model *m, uint64_t *bytes)
{
	if (bytes)
		*bytes = m->vram_bytes;
	return m->vram;
}

uint64_t model_nanoseconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t); /* no step of the host's clock shows in timestamps */
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
