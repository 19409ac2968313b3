// SPDX-License-Identifier: MIT
/*
 * The compute class. Methods store words in struct compute until one of them launches a
 * descriptor (QMD). The launch checks the descriptor by the conditions of the hardware's
 * scheduler (the SKEDCHECK numbers of its errors) and reports an error where hardware silently
 * runs nothing. It then copies the constant banks, runs the grid to its end and releases the
 * descriptor's semaphores.
 */
#include <stdlib.h>
#include <string.h>

#include "hw/nv/compute.h"
#include "model/nv/profile.h"

#define QMD_READ_BYTES 256u /* the bytes after these describe clusters */
#define MAX_CLUSTER    16   /* blocks: an H200 ran clusters of 16 */

static uint64_t join_words(const uint32_t high_low[2])
{
	return (uint64_t)high_low[0] << 32 | high_low[1];
}

static uint64_t round_up(uint64_t value, uint64_t to)
{
	return (value + to - 1) / to * to;
}

/* ---- the descriptor ---- */

/* The latch settings of the previous descriptor in a chain. */
struct predecessor {
	bool early;   /* starts its dependent before it has ended */
	bool arrives; /* at latch */
	unsigned latch;
};

struct launch {
	struct model_channel *c;
	uint64_t address;
	struct predecessor *previous;
	uint32_t words[NV_QMD_MAX_WORDS];
	struct grid grid;
};

static uint64_t launch_get(const struct launch *l, enum nv_qmd_field field)
{
	return nv_qmd_get(l->c->model->qmd, l->words, field);
}

static bool launch_is_cluster(const struct launch *l)
{
	return nv_qmd_has(l->c->model->qmd, NV_QMD_TYPE) &&
	       launch_get(l, NV_QMD_TYPE) == NV_QMD_TYPE_GRID_CLUSTER;
}

#define LAUNCH_FAIL(l, ...) \
	channel_fail((l)->c, \
		     &(struct model_error){.fault = MODEL_FAULT_QMD, \
					   .address = (l)->address, \
					   .program = launch_get(l, NV_QMD_PROGRAM)}, \
		     "QMD: " __VA_ARGS__)

/*
 * A dependent grid that starts early must wait for its predecessor's latch in its first
 * instruction. The model always runs it after the predecessor has ended, which hides a missing
 * wait; so the model rejects descriptors that would race on hardware.
 */
static bool check_latches(struct launch *l)
{
	bool waits = launch_get(l, NV_QMD_LATCH_WAIT), arrives = launch_get(l, NV_QMD_LATCH_ARRIVE);
	unsigned wait = (unsigned)launch_get(l, NV_QMD_LATCH_WAIT_ID);
	struct sass_inst in;
	struct sass_word word;
	uint64_t fault;

	if (launch_get(l, NV_QMD_DEPENDENT_EARLY) &&
	    !(arrives && launch_get(l, NV_QMD_DEPENDENT_ENABLE)))
		return LAUNCH_FAIL(l, "its dependent starts early, but it has no dependent or "
				      "arrives at no latch");
	if (l->previous->early && (!waits || wait != l->previous->latch))
		return LAUNCH_FAIL(
			l,
			"it starts before its predecessor has ended, and does not wait for "
			"its latch 0x%x",
			l->previous->latch);
	if (waits && (!l->previous->arrives || wait != l->previous->latch))
		return LAUNCH_FAIL(
			l, "it waits for latch 0x%x, at which its predecessor does not arrive",
			wait);
	if (waits && (mmu_read(&l->c->reader, launch_get(l, NV_QMD_PROGRAM), &word, sizeof(word),
			       &fault) != MMU_OK ||
		      !sass_decode(l->c->model->chip->sm, word, &in) || in.op != SASS_ACQBULK))
		return LAUNCH_FAIL(
			l, "it waits for a latch, and its first instruction is not ACQBULK");
	l->previous->early = launch_get(l, NV_QMD_DEPENDENT_EARLY);
	l->previous->arrives = arrives;
	l->previous->latch = (unsigned)launch_get(l, NV_QMD_LATCH_ARRIVE_ID);
	return true;
}

static bool check_kind(struct launch *l)
{
	const struct nv_qmd_layout *q = l->c->model->qmd;
	unsigned type = (unsigned)launch_get(l, NV_QMD_TYPE);

	if (!nv_qmd_has(q, NV_QMD_TYPE)) {
		unsigned version = (unsigned)(launch_get(l, NV_QMD_MAJOR_VERSION) << 4 |
					      launch_get(l, NV_QMD_MINOR_VERSION));

		if (version != q->version)
			return LAUNCH_FAIL(l, "version %u.%u; %s has %u.%u", version >> 4,
					   version & 15, l->c->model->chip->name, q->version >> 4,
					   q->version & 15);
		if (launch_get(l, NV_QMD_IS_QUEUE))
			return LAUNCH_FAIL(l, "it describes a queue; queues are not modelled");
	} else if (type != NV_QMD_TYPE_GRID && type != NV_QMD_TYPE_GRID_CLUSTER) {
		return LAUNCH_FAIL(
			l,
			"type %u runs nothing (hardware says nothing either); a grid is 2, one of "
			"clusters 3",
			type);
	}
	if (nv_qmd_get_at(q, l->words, NV_QMD_DEPENDENT_ENABLE, 1))
		return LAUNCH_FAIL(l, "a second dependent descriptor is not modelled");
	if (launch_get(l, NV_QMD_DEPENDENT_ENABLE) &&
	    launch_get(l, NV_QMD_DEPENDENT_ACTION) != NV_QMD_DEPENDENT_SCHEDULE)
		return LAUNCH_FAIL(l, "action %u on a dependent descriptor is not modelled",
				   (unsigned)launch_get(l, NV_QMD_DEPENDENT_ACTION));
	return check_latches(l);
}

/* The descriptor of a grid with clusters counts clusters, as on an H200; g->size has blocks. What
 * a card does with the clusters that are refused here is not known. */
static bool check_cluster(struct launch *l)
{
	static const enum nv_qmd_field fields[3] = {NV_QMD_CLUSTER_X, NV_QMD_CLUSTER_Y,
						    NV_QMD_CLUSTER_Z};
	struct grid *g = &l->grid;
	uint64_t blocks = 1;
	bool fits = true;

	g->has_clusters = launch_is_cluster(l);
	for (uint32_t i = 0; i < 3; i++) {
		g->cluster[i] = g->has_clusters ? (uint32_t)launch_get(l, fields[i]) : 1;
		blocks *= g->cluster[i];
		fits &= (uint64_t)g->size[i] * g->cluster[i] <= UINT32_MAX;
	}
	if (!blocks || blocks > MAX_CLUSTER)
		return LAUNCH_FAIL(l, "cluster %ux%ux%u; a cluster has 1 to %d blocks",
				   g->cluster[0], g->cluster[1], g->cluster[2], MAX_CLUSTER);
	if (!fits)
		return LAUNCH_FAIL(l,
				   "a grid of %ux%ux%u clusters of %ux%ux%u blocks has more than "
				   "4294967295 blocks on an axis",
				   g->size[0], g->size[1], g->size[2], g->cluster[0], g->cluster[1],
				   g->cluster[2]);
	for (uint32_t i = 0; i < 3; i++)
		g->size[i] *= g->cluster[i];
	g->cluster_blocks = (uint32_t)blocks;
	return true;
}

static bool check_size(struct launch *l)
{
	struct grid *g = &l->grid;
	static const enum nv_qmd_field grid[3] = {NV_QMD_GRID_X, NV_QMD_GRID_Y, NV_QMD_GRID_Z};
	static const enum nv_qmd_field block[3] = {NV_QMD_BLOCK_X, NV_QMD_BLOCK_Y, NV_QMD_BLOCK_Z};
	uint64_t threads = 1;

	g->work.blocks = 1;
	for (uint32_t i = 0; i < 3; i++) {
		g->size[i] = (uint32_t)launch_get(l, grid[i]);
		g->block[i] = (uint32_t)launch_get(l, block[i]);
		g->work.blocks *= g->size[i];
		threads *= g->block[i];
	}
	if (!g->work.blocks)
		return LAUNCH_FAIL(l, "grid %ux%ux%u runs nothing (hardware says nothing either)",
				   g->size[0], g->size[1], g->size[2]);
	if (!threads)
		return LAUNCH_FAIL(l, "block %ux%ux%u has no threads (SKEDCHECK16)", g->block[0],
				   g->block[1], g->block[2]);
	if (threads > NV_QMD_MAX_THREADS)
		return LAUNCH_FAIL(
			l, "block %ux%ux%u has %llu threads of 1024 (SKEDCHECK11_TOTAL_THREADS)",
			g->block[0], g->block[1], g->block[2], (unsigned long long)threads);
	g->threads = (uint32_t)threads;
	g->warps = (g->threads + LANES - 1) / LANES;
	return check_cluster(l);
}

/* The SM allocates registers to a warp in units of 256 (CUDA occupancy calculator). */
static uint32_t warp_registers(const struct grid *g)
{
	return (uint32_t)round_up(g->registers, 8) * LANES;
}

static bool check_program(struct launch *l)
{
	struct grid *g = &l->grid;
	const struct model_chip *chip = l->c->model->chip;

	g->work.program = launch_get(l, NV_QMD_PROGRAM);
	g->registers = (uint32_t)launch_get(l, NV_QMD_REGISTERS);
	g->barriers = (uint32_t)launch_get(l, NV_QMD_BARRIERS);
	if (g->work.program % NV_QMD_PROGRAM_ALIGN)
		return LAUNCH_FAIL(l, "program 0x%llx is not 128-byte aligned",
				   (unsigned long long)g->work.program);
	if (!g->registers)
		return LAUNCH_FAIL(l, "no registers (SKEDCHECK06)");
	if (g->registers > SASS_RZ)
		return LAUNCH_FAIL(l, "%u registers; a thread has 255 at most", g->registers);
	if (warp_registers(g) * g->warps > chip->registers_per_sm)
		return LAUNCH_FAIL(
			l, "%u threads with %u registers each need more than the %u of an SM",
			g->threads, g->registers, chip->registers_per_sm);
	if (g->barriers > BARRIERS)
		return LAUNCH_FAIL(l, "%u barriers; a block has 16", g->barriers);
	return true;
}

static bool check_shared(struct launch *l)
{
	struct grid *g = &l->grid;
	uint32_t max_kib = l->c->model->chip->shared_per_sm >> 10;
	static const struct {
		enum nv_qmd_field field;
		const char *name;
	} configs[] = {
		{NV_QMD_SHARED_CONFIG_MIN, "MIN"},
		{NV_QMD_SHARED_CONFIG_MAX, "MAX"},
		{NV_QMD_SHARED_CONFIG_TARGET, "TARGET"},
	};

	g->shared_bytes = (uint32_t)launch_get(l, NV_QMD_SHARED_BYTES);
	if (g->shared_bytes % NV_QMD_SHARED_ALIGN)
		return LAUNCH_FAIL(
			l, "0x%x bytes of shared memory are no multiple of 128 (SKEDCHECK14)",
			g->shared_bytes);
	if (g->shared_bytes > max_kib << 10)
		return LAUNCH_FAIL(l, "%u bytes of shared memory; an SM has %u KiB",
				   g->shared_bytes, max_kib);
	for (uint32_t i = 0; i < 3; i++) {
		uint32_t config = (uint32_t)launch_get(l, configs[i].field);

		if (!nv_qmd_shared_config_exists(config, max_kib))
			return LAUNCH_FAIL(
				l, "%s_SM_CONFIG_SHARED_MEM_SIZE is %u, which does not exist",
				configs[i].name, config);
		if ((config - 1) * 4096 < g->shared_bytes)
			return LAUNCH_FAIL(
				l, "%s_SM_CONFIG_SHARED_MEM_SIZE is %u KiB, a block needs %u",
				configs[i].name, (config - 1) * 4, g->shared_bytes);
	}
	return true;
}

/*
 * The model keeps local memory in host memory, but the channel must still have write access to
 * the area it has set. Hardware faults at the first access; the model checks both ends of one
 * TPC's part at the launch.
 */
static bool check_local_area(struct launch *l, uint64_t area, uint64_t bytes)
{
	uint64_t ends[] = {area, area + bytes - 1};
	enum mmu_result why;

	for (uint32_t i = 0; i < 2; i++)
		if (!mmu_translate(&l->c->reader, ends[i], MODEL_READ | MODEL_WRITE, &why))
			return channel_fault(l->c, why, ends[i], "local memory");
	return true;
}

static bool check_local(struct launch *l)
{
	const struct compute *s = &l->c->compute;
	const struct model_chip *chip = l->c->model->chip;
	struct grid *g = &l->grid;
	uint64_t need, have = (uint64_t)s->local_tpc[0] << 32 | s->local_tpc[1];

	g->local_low = (uint32_t)launch_get(l, NV_QMD_LOCAL_LOW_BYTES);
	g->local_high = (uint32_t)launch_get(l, NV_QMD_LOCAL_HIGH_BYTES);
	if (g->local_low % NV_QMD_LOCAL_ALIGN || g->local_high % NV_QMD_LOCAL_ALIGN)
		return LAUNCH_FAIL(l, "local memory of %u + %u bytes is no multiple of 16",
				   g->local_low, g->local_high);
	need = round_up((uint64_t)LANES * (g->local_low + (uint64_t)g->local_high),
			NV_LOCAL_MEMORY_WARP_ALIGN);
	need = round_up(need * chip->warps_per_sm * chip->sms_per_tpc, NV_LOCAL_MEMORY_TPC_ALIGN);
	if (!(g->local_low + g->local_high))
		return true;
	if (need > have || !join_words(s->local_memory))
		return LAUNCH_FAIL(
			l, "a TPC needs 0x%llx bytes of local memory and has 0x%llx (SKEDCHECK05)",
			(unsigned long long)need, (unsigned long long)have);
	return check_local_area(l, join_words(s->local_memory), need);
}

static bool check_windows(struct launch *l)
{
	const struct compute *s = &l->c->compute;
	struct grid *g = &l->grid;

	g->shared_window = join_words(s->shared_window);
	g->local_window = join_words(s->local_window);
	if (!s->shared_window_set || !s->local_window_set || g->shared_window == g->local_window)
		return LAUNCH_FAIL(
			l, "set the shared and the local memory window to different addresses "
			   "first (SKEDCHECK17_MEMORY_WINDOW_OVERLAP)");
	if (g->shared_window % NV_WINDOW_BYTES || g->local_window % NV_WINDOW_BYTES)
		return LAUNCH_FAIL(l, "memory windows at 0x%llx and 0x%llx must be 4 GiB aligned",
				   (unsigned long long)g->shared_window,
				   (unsigned long long)g->local_window);
	return true;
}

static bool check_releases(struct launch *l)
{
	const struct nv_qmd_layout *q = l->c->model->qmd;

	for (uint32_t i = 0; i < q->releases; i++)
		if (nv_qmd_get_at(q, l->words, NV_QMD_RELEASE_ENABLE, i) &&
		    nv_qmd_get_at(q, l->words, NV_QMD_RELEASE_REDUCTION, i))
			return LAUNCH_FAIL(l, "release %u is a reduction, which is not modelled",
					   i);
	return true;
}

/* Copies the constant banks: the grid reads their contents as of its start. */
static bool load_banks(struct launch *l)
{
	const struct nv_qmd_layout *q = l->c->model->qmd;

	for (uint32_t i = 0; i < NV_QMD_BANKS; i++) {
		uint64_t address = nv_qmd_get_at(q, l->words, NV_QMD_BANK_ADDRESS, i);
		uint64_t fault = address;
		struct bank *b = &l->grid.banks[i];
		enum mmu_result why;

		if (!nv_qmd_get_at(q, l->words, NV_QMD_BANK_VALID, i))
			continue;
		b->bytes = (uint32_t)nv_qmd_get_at(q, l->words, NV_QMD_BANK_BYTES, i);
		b->data = malloc(b->bytes ? b->bytes : 1);
		if (!b->data)
			return LAUNCH_FAIL(l, "no host memory for constant bank %u", i);
		why = mmu_read(&l->c->reader, address, b->data, b->bytes, &fault);
		if (why != MMU_OK)
			return channel_fault(l->c, why, fault, "a constant bank");
	}
	return true;
}

static uint32_t min_u32(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* Clusters that the chip holds at a time: an SM's blocks, warps, registers and shared memory limit
 * them. */
static uint32_t resident_blocks(const struct grid *g, const struct model_chip *chip)
{
	uint32_t n = min_u32(chip->blocks_per_sm, chip->warps_per_sm / g->warps);

	n = min_u32(n, chip->registers_per_sm / (warp_registers(g) * g->warps));
	if (g->shared_bytes)
		n = min_u32(n, chip->shared_per_sm / g->shared_bytes);
	n = (n ? n : 1) * chip->sm_count / g->cluster_blocks;
	return n ? n : 1;
}

static bool launch_release(struct launch *l)
{
	const struct nv_qmd_layout *q = l->c->model->qmd;

	for (uint32_t i = 0; i < q->releases; i++) {
		uint64_t address = nv_qmd_get_at(q, l->words, NV_QMD_RELEASE_ADDRESS, i);
		uint64_t payload = nv_qmd_get_at(q, l->words, NV_QMD_RELEASE_PAYLOAD, i);
		uint32_t size = nv_qmd_get_at(q, l->words, NV_QMD_RELEASE_PAYLOAD_64, i) ? 8 : 4;
		bool time = nv_qmd_get_at(q, l->words, NV_QMD_RELEASE_SIZE, i) ==
			    NV_QMD_RELEASE_16_BYTES;

		if (nv_qmd_get_at(q, l->words, NV_QMD_RELEASE_ENABLE, i) &&
		    !channel_release(l->c, address, payload, size, time))
			return false;
	}
	return true;
}

static bool launch_check(struct launch *l)
{
	struct grid *g = &l->grid;
	struct check_grid grid = {
		.program = g->work.program,
		.shared_bytes = g->shared_bytes,
		.local_bytes = g->local_low + (uint64_t)g->local_high,
	};

	if (!l->c->space->check)
		return true;
	memcpy(grid.size, g->size, sizeof(grid.size));
	memcpy(grid.block, g->block, sizeof(grid.block));
	g->check = check_launch_create(l->c->space->check, &grid);
	return g->check || LAUNCH_FAIL(l, "no host memory to check the launch");
}

static bool launch_run(struct launch *l)
{
	struct model_channel *c = l->c;
	struct grid *g = &l->grid;

	g->work.kind = &grid_kind;
	g->work.channel = c;
	g->work.priority = c->config.priority;
	g->chip = c->model->chip;
	g->hazard = c->model->hazard;
	g->id = ++c->compute.launches;
	g->sampler_by_header = launch_get(l, NV_QMD_SAMPLER_BY_HEADER);
	g->texture_headers = join_words(c->compute.texture_headers);
	g->texture_samplers = join_words(c->compute.texture_samplers);
	g->max_header = c->compute.texture_headers[2];
	g->max_sampler = c->compute.texture_samplers[2];
	g->work.resident = resident_blocks(g, g->chip);
	if (!profile_grid_begin(g))
		return LAUNCH_FAIL(l, "no host memory to count its instructions");
	pthread_mutex_lock(&c->space->code_lock);
	g->code = code_get(c->space->code);
	pthread_mutex_unlock(&c->space->code_lock);
	/* This thread does not poll its MMU reader while blocks run, so an unmap must not wait
	 * for it. */
	mmu_leave(&c->reader);
	workers_run(c->model->workers, &g->work);
	mmu_enter(&c->reader, c->space);
	code_put(g->code);
	profile_grid_end(g);
	return !atomic_load(&c->stop);
}

/* Sets *next to the dependent descriptor, 0 without one. */
static bool launch_one(struct model_channel *c, uint64_t address, struct predecessor *previous,
		       uint64_t *next)
{
	struct launch l = {.c = c, .address = address, .previous = previous};
	uint64_t fault = l.address;
	enum mmu_result why = mmu_read(&c->reader, l.address, l.words, QMD_READ_BYTES, &fault);
	bool good;

	if (why == MMU_OK && launch_is_cluster(&l))
		why = mmu_read(&c->reader, l.address + QMD_READ_BYTES,
			       (uint8_t *)l.words + QMD_READ_BYTES,
			       NV_QMD_MAX_BYTES - QMD_READ_BYTES, &fault);
	if (why != MMU_OK)
		return channel_fault(c, why, fault, "the launch descriptor");
	good = check_kind(&l) && check_size(&l) && check_windows(&l) && check_program(&l) &&
	       check_shared(&l) && check_local(&l) && check_releases(&l) && load_banks(&l) &&
	       (!launch_get(&l, NV_QMD_INVALIDATE_INSTRUCTIONS) || channel_invalidate_code(c)) &&
	       launch_check(&l) && launch_run(&l) && launch_release(&l);
	check_launch_destroy(l.grid.check);
	for (uint32_t i = 0; i < NV_QMD_BANKS; i++)
		free(l.grid.banks[i].data);
	*next = launch_get(&l, NV_QMD_DEPENDENT_ENABLE) ? launch_get(&l, NV_QMD_DEPENDENT_POINTER)
							: 0;
	return good;
}

/* A descriptor may depend on itself; the chain then runs until the channel stops, as on silicon. */
static bool launch_chain(struct model_channel *c)
{
	uint64_t next = (uint64_t)c->compute.pcas << 8;
	struct predecessor previous = {0};
	bool good;

	do
		good = launch_one(c, next, &previous, &next);
	while (good && next);
	return good;
}

/* ---- methods ---- */

static bool method_ignore(struct model_channel *c, uint32_t data)
{
	(void)c;
	(void)data;
	return true;
}

static bool method_shared_window(struct model_channel *c, uint32_t data)
{
	(void)data;
	return c->compute.shared_window_set = true;
}

static bool method_local_window(struct model_channel *c, uint32_t data)
{
	(void)data;
	return c->compute.local_window_set = true;
}

static bool method_invalidate(struct model_channel *c, uint32_t data)
{
	return !(data & NV_INVALIDATE_INSTRUCTION) || channel_invalidate_code(c);
}

static bool method_qmd_version(struct model_channel *c, uint32_t data)
{
	struct model_error e = {.fault = MODEL_FAULT_METHOD, .address = NV_COMPUTE_SET_QMD_VERSION};
	uint32_t major = c->model->qmd->version >> 4;

	return (data >> 8 & 0xff) == major ||
	       channel_fail(c, &e, "SET_QMD_VERSION 0x%x: %s has version %u", data,
			    c->model->chip->name, major);
}

static bool method_pcas(struct model_channel *c, uint32_t data)
{
	return data & NV_PCAS_SCHEDULE ? launch_chain(c) : true;
}

static bool method_pcas2(struct model_channel *c, uint32_t data)
{
	struct model_error e = {.fault = MODEL_FAULT_METHOD,
				.address = NV_COMPUTE_SEND_SIGNALING_PCAS2_B};

	if (c->model->chip->sm < 80)
		return channel_fail(c, &e, "SEND_SIGNALING_PCAS2_B exists from Ampere on");
	switch (data & 15) {
	case NV_PCAS2_NOP:
	case NV_PCAS2_INVALIDATE:
	case NV_PCAS2_PREFETCH:
		return true;
	case NV_PCAS2_SCHEDULE:
	case NV_PCAS2_INVALIDATE_COPY_SCHEDULE:
	case NV_PCAS2_PREFETCH_SCHEDULE:
	case NV_PCAS2_INVALIDATE_PREFETCH_COPY_SCHEDULE:
		return launch_chain(c);
	default:
		return channel_fail(c, &e, "SEND_SIGNALING_PCAS2_B action %u is not modelled",
				    data & 15);
	}
}

#define WORD(field) offsetof(struct compute, field)
#define NOT_STORED  UINT16_MAX

static const struct {
	uint16_t method, offset; /* of the word in struct compute */
	bool (*act)(struct model_channel *c, uint32_t data);
} methods[] = {
	{NV_COMPUTE_NO_OPERATION, NOT_STORED, method_ignore},
	{NV_COMPUTE_WAIT_FOR_IDLE, NOT_STORED, method_ignore},
	{NV_COMPUTE_INVALIDATE_SKED_CACHES, NOT_STORED, method_ignore},
	{NV_COMPUTE_INVALIDATE_SHADER_CACHES, NOT_STORED, method_invalidate},
	{NV_COMPUTE_INVALIDATE_SHADER_CACHES_NO_WFI, NOT_STORED, method_invalidate},
	{NV_COMPUTE_SET_QMD_VERSION, NOT_STORED, method_qmd_version},
	{NV_COMPUTE_SHARED_WINDOW_A, WORD(shared_window[0]), method_ignore},
	{NV_COMPUTE_SHARED_WINDOW_B, WORD(shared_window[1]), method_shared_window},
	{NV_COMPUTE_LOCAL_WINDOW_A, WORD(local_window[0]), method_ignore},
	{NV_COMPUTE_LOCAL_WINDOW_B, WORD(local_window[1]), method_local_window},
	{NV_COMPUTE_LOCAL_MEMORY_A, WORD(local_memory[0]), method_ignore},
	{NV_COMPUTE_LOCAL_MEMORY_B, WORD(local_memory[1]), method_ignore},
	{NV_COMPUTE_LOCAL_MEMORY_TPC_A, WORD(local_tpc[0]), method_ignore},
	{NV_COMPUTE_LOCAL_MEMORY_TPC_B, WORD(local_tpc[1]), method_ignore},
	{NV_COMPUTE_LOCAL_MEMORY_TPC_C, WORD(local_tpc[2]), method_ignore},
	{NV_COMPUTE_TEXTURE_SAMPLERS_A, WORD(texture_samplers[0]), method_ignore},
	{NV_COMPUTE_TEXTURE_SAMPLERS_B, WORD(texture_samplers[1]), method_ignore},
	{NV_COMPUTE_TEXTURE_SAMPLERS_C, WORD(texture_samplers[2]), method_ignore},
	{NV_COMPUTE_TEXTURE_HEADERS_A, WORD(texture_headers[0]), method_ignore},
	{NV_COMPUTE_TEXTURE_HEADERS_B, WORD(texture_headers[1]), method_ignore},
	{NV_COMPUTE_TEXTURE_HEADERS_C, WORD(texture_headers[2]), method_ignore},
	{NV_COMPUTE_INLINE_BYTES, WORD(inline_bytes), method_ignore},
	{NV_COMPUTE_INLINE_LINES, WORD(inline_lines), method_ignore},
	{NV_COMPUTE_INLINE_TO_HIGH, WORD(inline_to[0]), method_ignore},
	{NV_COMPUTE_INLINE_TO_LOW, WORD(inline_to[1]), method_ignore},
	{NV_COMPUTE_INLINE_LAUNCH, NOT_STORED, inline_launch},
	{NV_COMPUTE_INLINE_DATA, NOT_STORED, inline_word},
	{NV_COMPUTE_SEND_PCAS_A, WORD(pcas), method_ignore},
	{NV_COMPUTE_SEND_SIGNALING_PCAS_B, NOT_STORED, method_pcas},
	{NV_COMPUTE_SEND_SIGNALING_PCAS2_B, NOT_STORED, method_pcas2},
};

bool compute_method(struct model_channel *c, uint32_t method, uint32_t data)
{
	struct model_error e = {.fault = MODEL_FAULT_METHOD, .address = method};

	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
		if (methods[i].method != method)
			continue;
		if (methods[i].offset != NOT_STORED)
			memcpy((uint8_t *)&c->compute + methods[i].offset, &data, 4);
		return methods[i].act(c, data);
	}
	return channel_fail(c, &e, "compute method 0x%04x (data 0x%08x) is not modelled", method,
			    data);
}
