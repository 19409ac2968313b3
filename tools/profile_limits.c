// SPDX-License-Identifier: MIT
/*
 * What the modelled chip can do, to compare a kernel with. The model does not know time: from its
 * counters follow times that no schedule can beat, by the units' throughputs alone.
 */
#include <string.h>
#include "hw/chips.h"
#include "tools/profile.h"

const char *const limit_names[LIMITS] = {
	[LIMIT_ISSUE] = "issue slots",
	[LIMIT_PIPE] = "pipe",
	[LIMIT_BANKS] = "shared memory banks",
	[LIMIT_MEMORY] = "memory bandwidth",
};

/*
 * Lanes of f32 and f64, of f16 (two halves count twice), and multiplications with addition of f16
 * and f64 elements in tensor cores, per SM and clock: NVIDIA's white papers on V100, Turing, A100,
 * GA102, Ada and H100. Tensor cores of chips with two lanes of f64 have no f64.
 */
static const struct units units[] = {
	{70, 64, 32, 128, 512, 0}, {75, 64, 2, 128, 512, 0},  {80, 64, 32, 256, 1024, 64},
	{86, 128, 2, 128, 512, 0}, {89, 128, 2, 128, 512, 0}, {90, 128, 64, 256, 2048, 128},
};

const struct units *units_of_sm(uint32_t sm)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (units[i].sm == sm)
			return &units[i];
	return NULL;
}

/* Boost clock and memory bandwidth of the product whose number of SMs the model has. */
static const struct {
	const char *chip, *product;
	double mhz, gbytes;
} products[] = {
	{"gh100", "H200 SXM", 1980, 4800},           {"ga100", "A100 SXM 80 GB", 1410, 2039},
	{"ga102", "GeForce RTX 3090", 1695, 936},    {"ad102", "GeForce RTX 4090", 2520, 1008},
	{"tu102", "GeForce RTX 2080 Ti", 1545, 616}, {"gv100", "V100 SXM2", 1530, 900},
	{"navi21", "Radeon RX 6900 XT", 2250, 512},
};

const struct model_chip *profile_chip(const struct profile_kernel *k)
{
	char name[32];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(k->device, "."), k->device);
	return model_chip_find(name);
}

/* ---- occupancy ---- */

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* A block limit of the registers: each partition (AMD: SIMD) has a share, and a warp takes whole
 * units. */
static uint32_t blocks_by_registers(const struct model_chip *c, uint32_t registers, uint32_t warps)
{
	uint32_t partitions = c->sm ? NV_SM_PARTITIONS : AMD_GFX1030_SIMDS_PER_CU;
	uint32_t unit = c->sm ? NV_REGISTER_UNIT : AMD_GFX1030_VGPR_GRANULE * AMD_WAVE_LANES;
	uint32_t each = (registers * NV_WARP_LANES + unit - 1) / unit * unit;
	uint32_t share = c->registers_per_sm / partitions;

	return each ? share / each * partitions / warps : UINT32_MAX;
}

void occupancy_of(const struct model_chip *c, const struct profile_shape *s, struct occupancy *out)
{
	uint32_t threads = s->block[0] * s->block[1] * s->block[2], warps = (threads + 31) / 32;

	memset(out, 0, sizeof(*out));
	warps = warps ? warps : 1;
	out->max_warps = c->warps_per_sm;
	out->by_warps = c->warps_per_sm / warps;
	out->by_blocks = c->blocks_per_sm ? c->blocks_per_sm : UINT32_MAX;
	out->by_registers = blocks_by_registers(c, s->registers, warps);
	out->by_shared = s->shared_bytes ? c->shared_per_sm / s->shared_bytes : UINT32_MAX;
	out->blocks = least(least(out->by_warps, out->by_blocks),
			    least(out->by_registers, out->by_shared));
	out->warps = out->blocks * warps;
	out->limit = out->warps == out->max_warps       ? "nothing: all warps fit"
		     : out->blocks == out->by_registers ? "registers"
		     : out->blocks == out->by_shared    ? "shared memory"
		     : out->blocks == out->by_blocks    ? "blocks per multiprocessor"
							: "block size";
}

/* ---- peaks ---- */

bool peaks_of(const struct model_chip *c, struct peaks *out)
{
	const struct units *u = units_of_sm(c->sm);
	double clocks;

	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < sizeof(products) / sizeof(products[0]); i++) {
		if (strcmp(products[i].chip, c->name))
			continue;
		out->product = products[i].product;
		out->mhz = products[i].mhz;
		out->gbytes = products[i].gbytes;
	}
	if (!out->product || (c->sm && !u))
		return false;
	clocks = out->mhz / 1000 * c->sm_count;
	if (c->sm) {
		out->source =
			"boost clock and bandwidth: NVIDIA's data sheet of the product; units "
			"per SM: NVIDIA's white paper on the architecture; SMs: the model";
		out->gflops[PRECISION_F64] = 2 * u->fp64 * clocks;
		out->gflops[PRECISION_F32] = 2 * u->fp32 * clocks;
		out->gflops[PRECISION_F16] = 2 * u->fp16 * clocks;
		out->gflops[PRECISION_TENSOR] = 2 * u->tensor_f16 * clocks;
	} else {
		out->source = "boost clock and bandwidth: AMD's product page; lanes: AMD's white "
			      "paper on RDNA; compute units: the model";
		out->gflops[PRECISION_F64] = 2 * 4 * clocks;
		out->gflops[PRECISION_F32] = 2 * 64 * clocks;
		out->gflops[PRECISION_F16] = 4 * 64 * clocks;
	}
	return true;
}

/* ---- the least time ---- */

/* Multiprocessors that the launches of a kernel use: by blocks, on average over launches. */
static double busy_units(const struct profile_kernel *k, const struct model_chip *c)
{
	double units_used = 0, launches = 0;

	for (uint32_t i = 0; i < k->shape_count; i++) {
		const struct profile_shape *s = &k->shapes[i];
		double blocks = (double)s->grid[0] * s->grid[1] * s->grid[2];

		units_used += (blocks < c->sm_count ? blocks : c->sm_count) * (double)s->launches;
		launches += (double)s->launches;
	}
	return launches > 0 ? units_used / launches : c->sm_count;
}

static double pipe_cycles(const struct profile_kernel *k, enum pipe *busiest)
{
	double cycles[PIPES] = {0}, most = 0;

	for (uint32_t i = 0; i < k->site_count; i++)
		cycles[k->sites[i].inst.pipe] +=
			k->sites[i].inst.cycles * (double)k->sites[i].counts.executed;
	for (uint32_t p = 0; p < PIPES; p++)
		if (cycles[p] > most) {
			most = cycles[p];
			*busiest = (enum pipe)p;
		}
	return most;
}

bool time_bound_of(const struct profile_kernel *k, struct time_bound *out)
{
	const struct model_chip *c = profile_chip(k);
	struct peaks p;
	double units_used, schedulers, most = 0;

	memset(out, 0, sizeof(*out));
	if (!c || !peaks_of(c, &p))
		return false;
	units_used = busy_units(k, c);
	schedulers = units_used * (c->sm ? NV_SM_PARTITIONS : 2) * p.mhz;
	out->us[LIMIT_ISSUE] = (double)(k->total.executed + k->called.executed) / schedulers;
	out->us[LIMIT_PIPE] = pipe_cycles(k, &out->pipe) / schedulers;
	out->us[LIMIT_BANKS] = (double)k->total.shared_wavefronts / (units_used * p.mhz);
	out->bytes = (double)k->touched_sectors * SECTOR_BYTES;
	out->us[LIMIT_MEMORY] = out->bytes / (p.gbytes * 1000);
	for (uint32_t i = 0; i < LIMITS; i++)
		if (out->us[i] > out->most) {
			out->most = out->us[i];
			out->limit = (enum limit)i;
		}
	for (uint32_t i = 0; i < PRECISIONS; i++) {
		out->flops += k->flops[i];
		if (k->flops[i] > most) {
			most = k->flops[i];
			out->precision = (enum precision)i;
		}
	}
	if (!most)
		out->precision = PRECISION_F32;
	out->intensity = out->bytes > 0 ? out->flops / out->bytes : 0;
	return true;
}
