// SPDX-License-Identifier: MIT
/*
 * NVIDIA's command builders. A launch consists of a launch descriptor (QMD), constant bank 0 with
 * the arguments, and the methods that send the descriptor to the compute engine.
 *
 * A slot lies in video memory and is write-combined: each line of 64 bytes is composed in cached
 * memory and written once, in order. gpu_slot_contents records what a slot still holds from its
 * last launch, so repeating a launch with the same shape writes only the first line of bank 0, the
 * arguments and the methods.
 */
#include <assert.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "hw/chips.h"
#include "hw/nv/bank0.h"
#include "libsov/compiler/image/image_nv.h"
#include "libsov/isa/nv/sass.h"
#include "libsov/gpu/nv/nv_gpu.h"

#define LINE              GPU_LINE
#define INSTRUCTION_BYTES 16
#define MAX_LINES         0x40000000u /* of one copy command */

static_assert(NV_GRID_BANK0_LAUNCH_BYTES == LINE, "the launch-dependent constants fill one line");
static_assert(!(GPU_SLOT_CONSTANTS % LINE) && !(GPU_SLOT_BYTES % LINE),
	      "the parts of a slot are line-aligned");
/* A cooperative grid's workspace lies in its slot, between descriptor and constants. */
#define WORKSPACE (GPU_SLOT_CONSTANTS - LINE)
static_assert(NV_QMD_MAX_BYTES <= WORKSPACE, "a workspace fits after the descriptor");
static_assert(NV_QMD_MAX_BYTES <= GPU_SLOT_CONSTANTS, "a descriptor fits before its constants");
static_assert(GPU_TIMESTAMP_OFFSET == NV_SEM_TIMESTAMP_OFFSET,
	      "the hardware writes the time stamp there");
/* A span has the layout of a GPFIFO entry: nv_gp_entry_pack. */
static_assert(NV_GP_MAX_WORDS == GPU_MAX_SPAN_WORDS && NV_GP_ENTRY_BYTES == 8,
	      "a span is a GPFIFO entry");
static_assert(GPU_MAX_CONSTANTS >= NV_GRID_BANK0_LAUNCH_BYTES,
	      "bank 0 holds the launch-dependent constants");

struct plan {
	struct nv_plan nv;
	const struct image_kernel *kernel;
	uint64_t id;
	_Atomic uint64_t carveout; /* see set_carveout() */
};

/* ---- chips ---- */

static void *nv_chip_create(const struct winsys_info *i, uint64_t shared_window,
			    uint64_t local_window)
{
	struct nv_chip *chip = malloc(sizeof(*chip));

	if (chip)
		*chip = (struct nv_chip){
			.sm = i->nv.sm,
			.multiprocessors = i->multiprocessors,
			.warps_per_sm = i->warps_per_multiprocessor,
			.registers_per_sm = i->registers_per_multiprocessor,
			.shared_per_sm = i->shared_per_multiprocessor,
			.sms_per_tpc = i->nv.sms_per_tpc,
			.tpcs = i->nv.tpcs,
			.compute_class = i->nv.compute_class,
			.copy_class = i->nv.copy_class,
			.shared_window = shared_window,
			.local_window = local_window,
		};
	return chip;
}

/* SASS is compatible with later chips of the same major compute capability. */
static bool nv_supports(const void *chip, const struct image *im, char *reason, size_t bytes)
{
	uint32_t sm = ((const struct nv_chip *)chip)->sm;

	snprintf(reason, bytes, "%s", im->target);
	return image_nv_sm(im) / 10 == sm / 10 && image_nv_sm(im) <= sm;
}

static uint32_t nv_constant_bytes(const struct image_kernel *k)
{
	return image_nv_kernel(k)->bank0_bytes;
}

static uint32_t nv_reserved_shared(const struct image *im)
{
	return image_nv_sm(im) >= 90 ? NV_SM90_RESERVED_SHARED : 0;
}

static uint32_t nv_occupancy(const void *chip, const struct image_kernel *k, uint32_t threads,
			     uint64_t shared)
{
	const struct nv_chip *c = chip;
	uint32_t count = nv_grid_blocks_per_sm(c, threads, k->registers);

	shared = (shared + NV_QMD_SHARED_ALIGN - 1) / NV_QMD_SHARED_ALIGN * NV_QMD_SHARED_ALIGN;
	if (shared && c->shared_per_sm / shared < count)
		count = (uint32_t)(c->shared_per_sm / shared);
	return count;
}

static uint64_t nv_max_resident_blocks(const void *chip, const struct image_kernel *k,
				       uint32_t threads, uint64_t shared)
{
	return (uint64_t)nv_occupancy(chip, k, threads, shared) *
	       ((const struct nv_chip *)chip)->multiprocessors;
}

/* The blocks of a cluster are on one GPC. Which TPCs a chip lacks is not known: they are spread
 * evenly over its GPCs here. */
static uint64_t nv_max_resident_clusters(const void *chip, const struct image_kernel *k,
					 uint32_t threads, uint64_t shared, uint32_t blocks)
{
	const struct nv_chip *c = chip;
	uint32_t each = nv_occupancy(chip, k, threads, shared) * c->sms_per_tpc;
	uint32_t gpcs = (c->tpcs + NV_SM90_TPCS_PER_GPC - 1) / NV_SM90_TPCS_PER_GPC;
	uint32_t tpcs, larger;

	if (blocks == 1)
		return nv_max_resident_blocks(chip, k, threads, shared);
	if (!gpcs)
		return 0;
	tpcs = c->tpcs / gpcs;
	larger = c->tpcs % gpcs;
	return (uint64_t)(gpcs - larger) * (tpcs * each / blocks) +
	       (uint64_t)larger * ((tpcs + 1) * each / blocks);
}

static struct gpu_local nv_local_layout(const void *chip, uint32_t thread_bytes, uint64_t blocks,
					uint32_t block_threads)
{
	(void)blocks;
	(void)block_threads;
	return nv_grid_local_layout(chip, thread_bytes);
}

/* Time stamps are in nanoseconds. */
static uint64_t nv_ticks_to_ns(const void *chip, uint64_t ticks)
{
	(void)chip;
	return ticks;
}

/* The bits of SEM_ADDR_HI: 7:0 up to class C56F, 24:0 from C86F on. */
static uint64_t nv_value_address_end(const struct winsys_info *i)
{
	return UINT64_C(1) << (i->nv.host_class >= NV_CLASS_HOPPER_CHANNEL ? 57 : 40);
}

static uint32_t nv_max_cluster_blocks(const struct winsys_info *i)
{
	return i->nv.sm >= 90 ? GPU_MAX_CLUSTER : 1;
}

/* How descriptors of older chips name a dependent is not known. */
static bool nv_supports_chains(const void *chip)
{
	return ((const struct nv_chip *)chip)->sm >= 80;
}

/* The kind of access that can cause an MMU fault. */
static enum winsys_access nv_access_of(const struct sass_inst *in)
{
	switch (in->op) {
	case SASS_LDG:
	case SASS_LD:
		return WINSYS_READ;
	case SASS_STG:
	case SASS_ST:
		return WINSYS_WRITE;
	case SASS_ATOMG:
	case SASS_ATOMG_CAS:
	case SASS_ATOM:
	case SASS_ATOM_CAS:
	case SASS_RED:
		return WINSYS_ATOMIC;
	}
	return WINSYS_UNKNOWN_ACCESS;
}

static uint32_t nv_disassemble(const void *chip, const struct image_kernel *k, uint64_t pc,
			       char *text, size_t text_bytes, enum winsys_access *access)
{
	uint32_t sm = ((const struct nv_chip *)chip)->sm;
	struct sass_word word;
	struct sass_inst in;

	if (pc % INSTRUCTION_BYTES || pc >= k->code_bytes || k->code_bytes - pc < INSTRUCTION_BYTES)
		return 0;
	memcpy(&word, k->code + pc, sizeof(word));
	if (!sass_decode(sm, word, &in))
		return 0;
	if (text)
		sass_print(sm, &in, pc, text, text_bytes);
	if (access)
		*access = nv_access_of(&in);
	return INSTRUCTION_BYTES;
}

static bool nv_write_chain_code(const void *chip, const struct image *im,
				const struct image_kernel *k, uint8_t *to)
{
	return nv_chain_code(((const struct nv_chip *)chip)->sm, im, k, to);
}

static uint32_t nv_gpu_chain_wait_bytes(const void *chip)
{
	return nv_chain_wait_bytes(((const struct nv_chip *)chip)->sm);
}

/* ---- launches ---- */

/* A cubin's functions are part of its kernels. */
static bool accesses_textures(const struct image_kernel *k)
{
	struct sass_word word;

	for (uint32_t at = 0; at + sizeof(word) <= k->code_bytes; at += sizeof(word)) {
		memcpy(&word, k->code + at, sizeof(word));
		if (sass_accesses_texture(word))
			return true;
	}
	return false;
}

static bool nv_plan_kernel(const void *chip, const struct image_kernel *k,
			   const uint64_t base[IMAGE_PARTS], uint32_t local_bytes, uint64_t id,
			   void *plan)
{
	struct plan *p = plan;
	struct nv_kernel kernel = {
		.program = base[IMAGE_CODE] + k->code_offset,
		.program_bytes = k->code_bytes,
		.registers = k->registers,
		.barriers = image_nv_kernel(k)->barriers,
		.shared_bytes = k->shared_bytes,
		.local_bytes = local_bytes,
		.bank0_bytes = image_nv_kernel(k)->bank0_bytes,
		.textures = accesses_textures(k),
		.independent_samplers = image_nv_kernel(k)->independent_samplers,
	};
	uint32_t i;

	for (i = 1; i < IMAGE_NV_BANKS; i++) {
		if (!image_nv_kernel(k)->banks[i].bytes)
			continue;
		kernel.banks[i].address = base[image_nv_kernel(k)->banks[i].part] +
					  image_nv_kernel(k)->banks[i].offset;
		kernel.banks[i].bytes = image_nv_kernel(k)->banks[i].bytes;
	}
	p->kernel = k;
	p->id = id;
	return nv_grid_plan(chip, &kernel, &p->nv);
}

/*
 * Computing the carveout takes divisions and depends only on the block's size and shared memory.
 * The plan caches the last result in one word: threads in 63:44, dynamic shared memory in 43:12,
 * the minimum in 11:6, the target in 5:0.
 */
static void set_carveout(const struct nv_chip *chip, struct plan *p, struct gpu_launch *g)
{
	uint32_t threads = g->block[0] * g->block[1] * g->block[2];
	uint64_t key = (uint64_t)threads << 44 | (uint64_t)g->dynamic_shared << 12;
	uint64_t cached = atomic_load_explicit(&p->carveout, memory_order_relaxed);

	if (cached >> 12 != key >> 12) {
		nv_grid_carveout(chip, &p->nv.kernel, threads, g->dynamic_shared, &g->carveout_min,
				 &g->carveout_target);
		cached = key | g->carveout_min << 6 | g->carveout_target;
		atomic_store_explicit(&p->carveout, cached, memory_order_relaxed);
	}
	g->carveout_min = cached >> 6 & 63;
	g->carveout_target = cached & 63;
}

static bool same_shape(const struct gpu_slot_contents *w, const struct plan *p,
		       const struct gpu_launch *g)
{
	return w->id == p->id && !memcmp(w->grid, g->grid, sizeof(g->grid)) &&
	       !memcmp(w->block, g->block, sizeof(g->block)) &&
	       w->dynamic_shared == g->dynamic_shared && w->new_code == g->new_code;
}

static void write_descriptor(const struct nv_chip *chip, struct plan *p, struct gpu_launch *g,
			     const struct gpu_slot *slot)
{
	_Alignas(LINE) uint32_t qmd[NV_GRID_QMD_WORDS];
	struct gpu_slot_contents *w = slot->contents;

	if (!g->release && !g->cluster[0] && same_shape(w, p, g))
		return;
	set_carveout(chip, p, g);
	/* Cannot fail: the launch's checks cover the shape, the plan all other values. */
	nv_grid_qmd(chip, &p->nv, g, qmd);
	gpu_write_lines(slot->cpu, qmd, sizeof(qmd));
	w->id = g->release ? 0 : p->id; /* the payload differs each time */
	memcpy(w->grid, g->grid, sizeof(g->grid));
	memcpy(w->block, g->block, sizeof(g->block));
	w->dynamic_shared = g->dynamic_shared;
	w->new_code = g->new_code;
}

/* Where the parameters begin; without any, where the bank ends. */
static uint32_t constants_end(const struct image_kernel *k)
{
	return k->param_bytes ? image_nv_kernel(k)->param_base : image_nv_kernel(k)->bank0_bytes;
}

/* Writes the launch-independent part of bank 0 and zeroes the unused part of the descriptor. */
static void write_common(const struct nv_chip *chip, const struct nv_kernel *k,
			 const struct gpu_slot *slot, uint32_t base)
{
	_Alignas(LINE) uint8_t body[GPU_MAX_LARGE_CONSTANTS];

	memset(body, 0, NV_QMD_MAX_BYTES - NV_GRID_QMD_BYTES);
	gpu_write_lines(slot->cpu + NV_GRID_QMD_BYTES, body, NV_QMD_MAX_BYTES - NV_GRID_QMD_BYTES);
	nv_grid_bank0_common(chip, k, slot->constants_va, base, body);
	gpu_write_lines(slot->constants, body, base);
	memset(slot->contents->clusters, 0, sizeof(slot->contents->clusters));
	slot->contents->base = base;
	slot->contents->constants = k->banks[NV_CONSTANT_VARIABLES].address;
}

/* A launch without clusters says how many blocks the grid has in clusters of one: one line, and
 * only if the slot's last launch had another grid. */
static void write_single_block_clusters(const struct gpu_launch *g, const struct gpu_slot *slot)
{
	_Alignas(LINE) uint8_t bank[NV_GRID_BANK0_CLUSTER_START + LINE] = {0};
	uint32_t start = NV_GRID_BANK0_CLUSTER_START;

	if (!memcmp(slot->contents->clusters, g->grid, sizeof(g->grid)))
		return;
	nv_grid_bank0_clusters(g, bank);
	gpu_write_lines(slot->constants + start, bank + start, LINE);
	memcpy(slot->contents->clusters, g->grid, sizeof(g->grid));
}

static void write_bank0(const struct nv_chip *chip, const struct plan *p,
			const struct gpu_launch *g, const struct gpu_slot *slot)
{
	const struct nv_kernel *nv = &p->nv.kernel;
	const struct image_kernel *k = p->kernel;
	uint32_t base = constants_end(k) / LINE * LINE, end = constants_end(k) + k->param_bytes;
	_Alignas(LINE) uint8_t lines[GPU_MAX_LARGE_CONSTANTS];

	if (slot->contents->base != base ||
	    slot->contents->constants != nv->banks[NV_CONSTANT_VARIABLES].address)
		write_common(chip, nv, slot, base);
	if (chip->sm >= 90 && !g->cluster[0] && base >= NV_GRID_BANK0_CLUSTER_START + LINE)
		write_single_block_clusters(g, slot);
	nv_grid_bank0_launch(chip, g, lines);
	gpu_write_lines(slot->constants, lines, LINE);
	memset(lines, 0, (end - base + LINE - 1) / LINE * LINE);
	gpu_write_arguments(k, g->arguments, lines + (constants_end(k) - base));
	gpu_write_lines(slot->constants + base, lines, end - base);
}

/* The fields that only clusters need lie beyond those that other launches write. The next launch
 * writes the whole slot again. */
static void write_cluster(const struct nv_chip *chip, const struct plan *p, struct gpu_launch *g,
			  const struct gpu_slot *slot)
{
	_Alignas(LINE) uint32_t qmd[NV_QMD_MAX_WORDS] = {0};
	_Alignas(LINE) uint8_t bank[NV_GRID_BANK0_CLUSTER_END] = {0};
	uint32_t start = NV_GRID_BANK0_CLUSTER_START;

	nv_grid_qmd(chip, &p->nv, g, qmd);
	nv_grid_cluster(chip, g, qmd);
	gpu_write_lines(slot->cpu, qmd, sizeof(qmd));
	nv_grid_bank0_common(chip, &p->nv.kernel, slot->constants_va, sizeof(bank), bank);
	nv_grid_bank0_clusters(g, bank);
	nv_grid_bank0_cluster_rank(g, bank);
	gpu_write_lines(slot->constants + start, bank + start, sizeof(bank) - start);
	memset(slot->contents, 0, sizeof(*slot->contents));
}

/* The next launch writes the whole slot again. */
static void write_workspace(const struct nv_chip *chip, const struct plan *p,
			    const struct gpu_slot *slot)
{
	uint32_t start = NV_GRID_BANK0_WORKSPACE_START, base = constants_end(p->kernel);
	_Alignas(LINE) uint8_t bank[GPU_MAX_LARGE_CONSTANTS], zeros[LINE] = {0};

	gpu_write_lines(slot->cpu + WORKSPACE, zeros, sizeof(zeros));
	nv_grid_bank0_common(chip, &p->nv.kernel, slot->constants_va, base, bank);
	nv_grid_bank0_workspace(chip, slot->va + WORKSPACE, bank);
	gpu_write_lines(slot->constants + start, bank + start, NV_GRID_BANK0_WORKSPACE_END - start);
	memset(slot->contents, 0, sizeof(*slot->contents));
}

static void nv_launch(const void *chip, void *plan, struct gpu_launch *l,
		      const struct gpu_slot *slot, struct gpu_push *p)
{
	l->bank0 = slot->constants_va;
	write_descriptor(chip, plan, l, slot);
	write_bank0(chip, plan, l, slot);
	if (l->cluster[0])
		write_cluster(chip, plan, l, slot);
	if (l->cooperative)
		write_workspace(chip, plan, slot);
	if (l->new_local)
		nv_push_set_local(p, l->local->address, l->local->unit_bytes);
	nv_push_launch(p, chip, slot->va);
}

static uint32_t nv_slot_bytes(const void *plan, uint32_t *arguments)
{
	const struct image_kernel *k = ((const struct plan *)plan)->kernel;

	*arguments = GPU_SLOT_CONSTANTS + image_nv_kernel(k)->param_base;
	return GPU_SLOT_CONSTANTS + image_nv_kernel(k)->bank0_bytes;
}

static bool nv_write_grid(const void *chip, const void *plan, struct gpu_launch *g, uint8_t *cpu,
			  uint64_t va)
{
	const struct plan *p = plan;
	uint32_t qmd[NV_QMD_MAX_BYTES / 4] = {0};
	uint8_t bank[GPU_MAX_LARGE_CONSTANTS];

	memset(bank, 0, image_nv_kernel(p->kernel)->bank0_bytes);
	g->bank0 = va + GPU_SLOT_CONSTANTS;
	nv_grid_carveout(chip, &p->nv.kernel, g->block[0] * g->block[1] * g->block[2],
			 g->dynamic_shared, &g->carveout_min, &g->carveout_target);
	if (!nv_grid_qmd(chip, &p->nv, g, qmd))
		return false;
	nv_grid_bank0_common(chip, &p->nv.kernel, g->bank0, constants_end(p->kernel), bank);
	nv_grid_bank0_launch(chip, g, bank);
	if (g->cluster[0] && !nv_grid_cluster(chip, g, qmd))
		return false;
	if (((const struct nv_chip *)chip)->sm >= 90) {
		nv_grid_bank0_clusters(g, bank);
		nv_grid_bank0_cluster_rank(g, bank);
	}
	if (g->cooperative)
		nv_grid_bank0_workspace(chip, va + WORKSPACE, bank);
	memcpy(cpu, qmd, sizeof(qmd));
	memset(cpu + WORKSPACE, 0, LINE);
	memcpy(cpu + GPU_SLOT_CONSTANTS, bank, image_nv_kernel(p->kernel)->bank0_bytes);
	return true;
}

static void nv_launch_grid(const void *chip, const void *plan, const struct gpu_launch *l,
			   uint64_t va, struct gpu_push *p)
{
	(void)plan;
	(void)l;
	nv_push_launch(p, chip, va);
}

/* ---- methods ---- */

static void nv_setup_compute(const void *chip, struct gpu_push *p)
{
	nv_push_setup(p, chip);
}

static void nv_set_texture_pool(void *chip, uint64_t va)
{
	((struct nv_chip *)chip)->textures = va;
}

static void nv_setup_copy(const void *chip, struct gpu_push *p)
{
	nv_push_bind_copy(p, chip);
}

static void nv_set_local(struct gpu_push *p, const struct gpu_local *l)
{
	nv_push_set_local(p, l->address, l->unit_bytes);
}

static void nv_copy(struct gpu_push *p, uint64_t destination, uint64_t source, uint64_t bytes,
		    uint64_t semaphore, uint32_t payload)
{
	nv_push_copy(p, destination, source, (uint32_t)bytes, semaphore, payload);
}

static void nv_fill(struct gpu_push *p, uint64_t destination, uint32_t value,
		    uint32_t element_bytes, uint64_t bytes, uint64_t semaphore, uint32_t payload)
{
	nv_push_fill(p, destination, value, element_bytes, (uint32_t)(bytes / element_bytes),
		     semaphore, payload);
}

static uint32_t nv_max_lines(const struct gpu_lines *l, bool copy_queue)
{
	(void)l;
	(void)copy_queue;
	return MAX_LINES;
}

const struct gpu nv_gpu = {
	.family = "nv",
	.image_extension = "cubin",
	.code_extension = "sass",
	.warp_size = 32,
	.address_bits = 49,
	.max_copy_bytes = NV_PUSH_COPY_MAX,
	.max_fill_bytes = NV_PUSH_COPY_MAX,
	.max_inline_bytes = NV_PUSH_INLINE_MAX,
	.inline_align = 1,
	.max_local_bytes = NV_LOCAL_MAX_BYTES,
	.plan_bytes = sizeof(struct plan),
	.ring_entry_bytes = NV_GP_ENTRY_BYTES,
	.ring_entries = 1024,
	.copy_ring_entries = 1024,
	.max_span_words = NV_GP_MAX_WORDS,
	.max_copy_span_words = NV_GP_MAX_WORDS,
	.max_node_words = 32,
	.max_level_words = 24,
	.kernels_release = true,
	.chip_create = nv_chip_create,
	.supports = nv_supports,
	.constant_bytes = nv_constant_bytes,
	.reserved_shared = nv_reserved_shared,
	.occupancy = nv_occupancy,
	.max_resident_blocks = nv_max_resident_blocks,
	.max_resident_clusters = nv_max_resident_clusters,
	.local_layout = nv_local_layout,
	.ticks_to_ns = nv_ticks_to_ns,
	.max_cluster_blocks = nv_max_cluster_blocks,
	.supports_chains = nv_supports_chains,
	.chain_code = nv_write_chain_code,
	.chain_wait_bytes = nv_gpu_chain_wait_bytes,
	.disassemble = nv_disassemble,
	.plan = nv_plan_kernel,
	.launch = nv_launch,
	.slot_bytes = nv_slot_bytes,
	.write_grid = nv_write_grid,
	.launch_grid = nv_launch_grid,
	.texture_layout = TEXTURE_GOBS,
	.texture_fault = nv_texture_fault,
	.write_texture = nv_texture_write,
	.set_texture_pool = nv_set_texture_pool,
	.setup_compute = nv_setup_compute,
	.setup_copy = nv_setup_copy,
	.wait_for_idle = nv_push_wfi,
	.invalidate_constants = nv_push_invalidate_constants,
	.interrupt = nv_push_interrupt,
	.set_local = nv_set_local,
	.acquire = nv_push_acquire,
	.wait_value = nv_push_wait_value,
	.write_value = nv_push_write_value,
	.value_address_end = nv_value_address_end,
	.release = nv_push_release,
	.copy = nv_copy,
	.max_lines = nv_max_lines,
	.copy_lines = nv_push_copy_lines,
	.fill = nv_fill,
	.write_inline = nv_push_inline,
};
