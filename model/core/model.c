// SPDX-License-Identifier: MIT
/*
 * The modelled chips, and the model itself: video memory and the worker threads that run blocks.
 * All other state belongs to address spaces and channels.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "hw/chips.h"
#include "hw/nv/compute.h"
#include "hw/nv/copy.h"
#include "hw/nv/host.h"
#include "model/core/model_internal.h"
#include "model/core/names.h"
#include "model/translate/emit.h"

/*
 * Facts of the chips are those of hw/chips.h; the number of SMs is that of a product: H100 and
 * H200 SXM (132, measured on an H200), A100, GeForce RTX 3090, 4090 and 2080 Ti, V100, Radeon RX
 * 6900 XT
 * (NVIDIA's and AMD's product pages).
 */
#define NV_FACTS(chip_, CHIP_, number_, sm_, sms_, generation_, ...) \
	.name = #chip_, .product = "software GPU, " generation_ " " #CHIP_, .target = "sm_" #sm_, \
	.vendor = &vendor_nv, .sm = sm_, .sms_per_tpc = NV_SM##sm_##_SMS_PER_TPC, \
	.warps_per_sm = NV_SM##sm_##_WARPS_PER_SM, .blocks_per_sm = NV_SM##sm_##_BLOCKS_PER_SM, \
	.max_threads_per_block = NV_MAX_THREADS_PER_BLOCK, \
	.shared_per_block = NV_SM##sm_##_SHARED_PER_BLOCK, \
	.shared_per_sm = NV_SM##sm_##_SHARED_PER_SM, \
	.registers_per_sm = NV_SM##sm_##_REGISTERS_PER_SM, \
	.host_class = NV_SM##sm_##_CHANNEL_CLASS, .compute_class = NV_SM##sm_##_COMPUTE_CLASS, \
	.copy_class = NV_SM##sm_##_COPY_CLASS

/* An SM corresponds to a compute unit, a TPC to a WGP. A unit limits waves, not workgroups. */
#define AMD_FACTS(chip_, title_, gfx_, cus_, generation_, ...) \
	.name = #chip_, .product = "software GPU, " generation_ " " title_, .target = "gfx" #gfx_, \
	.vendor = &vendor_amd, .sms_per_tpc = AMD_GFX##gfx_##_CUS_PER_WGP, \
	.warps_per_sm = AMD_GFX##gfx_##_SIMDS_PER_CU * AMD_GFX##gfx_##_WAVES_PER_SIMD, \
	.max_threads_per_block = AMD_GFX##gfx_##_MAX_THREADS, \
	.shared_per_block = AMD_GFX##gfx_##_LDS_PER_WORKGROUP, \
	.shared_per_sm = AMD_GFX##gfx_##_LDS_PER_CU, \
	.registers_per_sm = \
		AMD_GFX##gfx_##_SIMDS_PER_CU * AMD_GFX##gfx_##_VGPRS_PER_SIMD * AMD_WAVE_LANES

static const struct model_chip chips[] = {
	{SOV_NV_GH100(NV_FACTS), .sm_count = 132},   {SOV_NV_GA100(NV_FACTS), .sm_count = 108},
	{SOV_NV_GA102(NV_FACTS), .sm_count = 82},    {SOV_NV_AD102(NV_FACTS), .sm_count = 128},
	{SOV_NV_TU102(NV_FACTS), .sm_count = 68},    {SOV_NV_GV100(NV_FACTS), .sm_count = 80},
	{SOV_AMD_NAVI21(AMD_FACTS), .sm_count = 80},
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

uint32_t model_translates(const struct model_config *c)
{
	enum emit_isa isa = emit_isa_of_host((enum emit_isa)c->translate);
	struct code_buffer *b;

	if (isa == EMIT_NONE || !c->chip->sm || c->hazard || c->profiled || c->weak_seed ||
	    c->order_seed)
		return EMIT_NONE;
	b = code_buffer_create(MMU_PAGE_BYTES);
	if (!b)
		return EMIT_NONE;
	code_buffer_destroy(b);
	return isa;
}

int model_create(const struct model_config *config, struct model **out)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	char caller[16];
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
	m->qmd = nv_qmd_layout_of(m->chip->sm);
	m->hazard = config->hazard;
	m->inexact = config->inexact;
	m->weak_seed = config->weak_seed;
	m->order_seed = config->order_seed;
	m->translate = model_translates(config);
	m->profiled = config->profiled;
	m->translate_visits = config->translate_visits;
	m->checks = config->checks;
	m->vram_bytes = config->vram_bytes;
	if (m->vram_bytes)
		m->vram = mmap(NULL, m->vram_bytes, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (m->vram == MAP_FAILED) {
		free(m);
		return -ENOMEM;
	}
	if (m->vram)
		model_name_memory(m->chip, m->vram, m->vram_bytes);
	prctl(PR_GET_NAME, caller, 0, 0, 0);
	model_name_thread(m->chip); /* the workers inherit the name */
	status = workers_create(config->threads ? config->threads
				: cores > 0     ? (uint32_t)cores
						: 1,
				&m->workers);
	prctl(PR_SET_NAME, caller, 0, 0, 0);
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

	clock_gettime(CLOCK_MONOTONIC, &t); /* timestamps never step back */
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
