// SPDX-License-Identifier: MIT
/*
 * AMD's command builders. A launch consists of the kernarg segment in memory and PM4 packets. The
 * packets contain the address of scratch, so a graph is written again when scratch moves. Queues of
 * a process do not wait for each other, so kernels need not release semaphores themselves. Copies
 * have a copy queue (SDMA), or use the DMA engine of a compute queue's command processor.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libsov/compiler/image/image_amd.h"
#include "libsov/gpu/amd/amd_gpu.h"
#include "libsov/isa/amd/amd_isa.h"

static_assert(AMD_SLOT_HEAD_BYTES <= GPU_SLOT_CONSTANTS,
	      "the head of a slot fits before the arguments");
static_assert(AMD_PM4_IB_MAX_SIZE <= GPU_MAX_SPAN_WORDS, "a span can name every IB");
/* Besides its copy, a slot has an acquire, two time stamps and a fence. */
static_assert(256 * (AMD_COPY_SPAN_WORDS + AMD_SDMA_MAX_LINES_WORDS + 64) < AMD_COPY_RING_WORDS,
	      "the ring of a copy queue holds all slots");

struct plan {
	struct amd_kernel amd;
	const struct image_kernel *kernel;
};

/* ---- chips ---- */

static void *amd_config_create(const struct winsys_info *i, uint64_t shared_window,
			       uint64_t local_window)
{
	struct amd_gpu_config *config = malloc(sizeof(*config));

	/* The hardware's apertures are fixed: hw/amd/queue.h. */
	(void)shared_window;
	(void)local_window;
	if (config)
		*config = (struct amd_gpu_config){
			.units = i->multiprocessors,
			.waves_per_unit = i->warps_per_multiprocessor,
			.registers_per_unit = i->registers_per_multiprocessor,
			.lds_per_unit = i->shared_per_multiprocessor,
			.engines = i->amd.shader_engines,
		};
	return config;
}

static bool amd_supports(const void *chip, const struct image *im, char *reason, size_t bytes)
{
	(void)chip;
	snprintf(reason, bytes, "%s", im->target);
	return im->format == &image_code_object && !strcmp(im->target, "gfx1030");
}

static uint32_t amd_constant_bytes(const struct image_kernel *k)
{
	return image_amd_kernel(k)->kernarg_bytes;
}

static uint32_t amd_reserved_shared(const struct image *im)
{
	(void)im;
	return 0;
}

static uint32_t amd_wgp_occupancy(const void *chip, const struct image_kernel *k, uint32_t threads,
				  uint64_t shared)
{
	return amd_dispatch_occupancy(chip, k->registers,
				      image_amd_kernel(k)->descriptor.rsrc1 & AMD_RSRC1_WGP_MODE,
				      threads, shared);
}

/* Rounds up: a workgroup that occupies a whole WGP counts for each of its compute units. */
static uint32_t amd_occupancy(const void *chip, const struct image_kernel *k, uint32_t threads,
			      uint64_t shared)
{
	return (amd_wgp_occupancy(chip, k, threads, shared) + 1) / 2;
}

static uint64_t amd_max_resident_blocks(const void *chip, const struct image_kernel *k,
					uint32_t threads, uint64_t shared)
{
	const struct amd_gpu_config *config = chip;

	return (uint64_t)amd_wgp_occupancy(chip, k, threads, shared) * (config->units / 2);
}

/* A cluster has one block. */
static uint64_t amd_max_resident_clusters(const void *chip, const struct image_kernel *k,
					  uint32_t threads, uint64_t shared, uint32_t blocks)
{
	return blocks == 1 ? amd_max_resident_blocks(chip, k, threads, shared) : 0;
}

static struct gpu_local amd_local_layout(const void *chip, uint32_t thread_bytes, uint64_t blocks,
					 uint32_t block_threads)
{
	return amd_dispatch_scratch(chip, thread_bytes, blocks, block_threads);
}

static uint64_t amd_ticks_to_ns(const void *chip, uint64_t ticks)
{
	(void)chip;
	return ticks * AMD_CLOCK_NANOSECONDS;
}

static uint32_t amd_max_cluster_blocks(const struct winsys_info *i)
{
	(void)i;
	return 1;
}

static bool amd_supports_chains(const void *chip)
{
	(void)chip;
	return false;
}

static enum winsys_access amd_access_of(const char *name)
{
	static const char *const prefixes[] = {"global_", "flat_", "buffer_"};
	uint32_t i;

	for (i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		size_t n = strlen(prefixes[i]);

		if (!strncmp(name, prefixes[i], n))
			return !strncmp(name + n, "load", 4)     ? WINSYS_READ
			       : !strncmp(name + n, "store", 5)  ? WINSYS_WRITE
			       : !strncmp(name + n, "atomic", 6) ? WINSYS_ATOMIC
								 : WINSYS_UNKNOWN_ACCESS;
	}
	return !strncmp(name, "s_load", 6) || !strncmp(name, "s_buffer_load", 13)
		       ? WINSYS_READ
		       : WINSYS_UNKNOWN_ACCESS;
}

static uint32_t amd_disassemble(const void *chip, const struct image_kernel *k, uint64_t pc,
				char *text, size_t text_bytes, enum winsys_access *access)
{
	uint32_t words[AMD_MAX_WORDS], left, bytes;
	struct amd_inst in;
	char name[128];

	(void)chip;
	if (pc % 4 || pc >= k->code_bytes)
		return 0;
	left = (k->code_bytes - (uint32_t)pc) / 4;
	left = left < AMD_MAX_WORDS ? left : AMD_MAX_WORDS;
	memcpy(words, k->code + pc, 4 * left);
	bytes = amd_decode(AMD_GFX1030, words, left, &in);
	if (!bytes)
		return 0;
	amd_print(&in, name, sizeof(name));
	if (text)
		snprintf(text, text_bytes, "%s", name);
	if (access)
		*access = amd_access_of(name);
	return bytes;
}

/* ---- launches ---- */

/* Raises the VGPR count of RSRC1: functions that the kernel calls may need more. */
static uint32_t raise_vgprs(uint32_t rsrc1, uint32_t vgprs)
{
	if (vgprs <= AMD_RSRC1_VGPRS(rsrc1))
		return rsrc1;
	return (rsrc1 & ~AMD_RSRC1_SET_VGPRS(512u)) | AMD_RSRC1_SET_VGPRS(vgprs);
}

static bool amd_plan_kernel(const void *chip, const struct image_kernel *k,
			    const uint64_t base[IMAGE_PARTS], uint32_t local_bytes, uint64_t id,
			    void *plan)
{
	const struct amd_kernel_descriptor *d = &image_amd_kernel(k)->descriptor;
	struct plan *p = plan;
	uint32_t h;

	(void)chip;
	(void)id;
	p->kernel = k;
	p->amd = (struct amd_kernel){
		.entry = base[IMAGE_CODE] + image_amd_kernel(k)->descriptor_offset +
			 (uint64_t)d->entry_offset,
		.descriptor = base[IMAGE_CODE] + image_amd_kernel(k)->descriptor_offset,
		.rsrc1 = raise_vgprs(d->rsrc1, k->registers),
		.rsrc2 = d->rsrc2 | (local_bytes ? AMD_RSRC2_SET_SCRATCH : 0),
		.rsrc3 = d->rsrc3,
		.properties = d->properties,
		.lds_bytes = k->shared_bytes,
		.scratch_bytes = local_bytes,
		.kernarg_bytes = image_amd_kernel(k)->kernarg_bytes,
	};
	for (h = 0; h < AMD_HIDDEN_COUNT; h++) {
		p->amd.hidden[h].offset = image_amd_kernel(k)->hidden[h].offset;
		p->amd.hidden[h].bytes = image_amd_kernel(k)->hidden[h].bytes;
	}
	return p->amd.kernarg_bytes <= GPU_MAX_LARGE_CONSTANTS && amd_dispatch_fits(&p->amd);
}

/* Whether the kernel may read the structures in the head of the slot. */
static bool needs_slot_head(const struct amd_kernel *k)
{
	return k->properties & (AMD_DISPATCH_PTR | AMD_QUEUE_PTR);
}

static void amd_launch(const void *chip, void *plan, struct gpu_launch *l,
		       const struct gpu_slot *slot, struct gpu_push *p)
{
	const struct plan *pl = plan;
	const struct amd_kernel *k = &pl->amd;
	uint64_t kernarg = slot->constants_va;
	_Alignas(GPU_LINE) uint8_t lines[GPU_MAX_LARGE_CONSTANTS];

	if (needs_slot_head(k)) {
		amd_dispatch_slot_head(k, l, kernarg, lines);
		gpu_write_lines(slot->cpu, lines, AMD_SLOT_HEAD_BYTES);
	}
	memset(lines, 0, (k->kernarg_bytes + GPU_LINE - 1) / GPU_LINE * GPU_LINE);
	gpu_write_arguments(pl->kernel, l->arguments, lines);
	amd_dispatch_hidden_args(k, l, lines);
	gpu_write_lines(slot->constants, lines, k->kernarg_bytes);
	amd_dispatch_push(chip, k, l, slot->va, kernarg, p);
}

static uint32_t amd_slot_bytes(const void *plan, uint32_t *arguments)
{
	*arguments = GPU_SLOT_CONSTANTS;
	return GPU_SLOT_CONSTANTS + ((const struct plan *)plan)->amd.kernarg_bytes;
}

static bool amd_write_grid(const void *chip, const void *plan, struct gpu_launch *l, uint8_t *cpu,
			   uint64_t va)
{
	const struct amd_kernel *k = &((const struct plan *)plan)->amd;
	uint8_t bytes[GPU_MAX_LARGE_CONSTANTS];

	(void)chip;
	memset(bytes, 0, k->kernarg_bytes);
	amd_dispatch_hidden_args(k, l, bytes);
	memcpy(cpu + GPU_SLOT_CONSTANTS, bytes, k->kernarg_bytes);
	amd_dispatch_slot_head(k, l, va + GPU_SLOT_CONSTANTS, bytes);
	memcpy(cpu, bytes, AMD_SLOT_HEAD_BYTES);
	return true;
}

static void amd_launch_grid(const void *chip, const void *plan, const struct gpu_launch *l,
			    uint64_t va, struct gpu_push *p)
{
	amd_dispatch_push(chip, &((const struct plan *)plan)->amd, l, va, va + GPU_SLOT_CONSTANTS,
			  p);
}

/* ---- packets ---- */

static void amd_setup_compute(const void *chip, struct gpu_push *p)
{
	(void)chip;
	amd_pm4_setup(p);
}

static void amd_setup_copy(const void *chip, struct gpu_push *p)
{
	(void)chip;
	(void)p; /* a copy queue needs no setup */
}

static void amd_invalidate_constants(struct gpu_push *p)
{
	(void)p; /* every launch invalidates them */
}

static void amd_set_local(struct gpu_push *p, const struct gpu_local *l)
{
	(void)p;
	(void)l; /* every launch names it */
}

static void amd_interrupt(struct gpu_push *p)
{
	if (p->copy_queue)
		amd_sdma_trap(p);
	else
		amd_pm4_interrupt(p);
}

static void amd_acquire(struct gpu_push *p, uint64_t semaphore, uint32_t payload)
{
	if (p->copy_queue)
		amd_sdma_poll_mem(p, semaphore, payload);
	else
		amd_pm4_wait_mem(p, semaphore, payload);
}

static void amd_release(struct gpu_push *p, uint64_t semaphore, uint32_t payload, uint32_t flags)
{
	if (p->copy_queue)
		amd_sdma_fence(p, semaphore, payload, flags);
	else
		amd_pm4_release_mem(p, semaphore, payload, flags);
}

static void amd_copy(struct gpu_push *p, uint64_t destination, uint64_t source, uint64_t bytes,
		     uint64_t semaphore, uint32_t payload)
{
	(void)semaphore; /* the ring entry releases it */
	(void)payload;
	if (p->copy_queue) {
		amd_sdma_write_back(p);
		amd_sdma_copy(p, destination, source, bytes);
		amd_sdma_invalidate(p);
	} else {
		amd_pm4_copy(p, destination, source, bytes);
	}
}

/* A packet for each line on a compute queue. */
static uint32_t amd_max_lines(const struct gpu_lines *l, bool copy_queue)
{
	return copy_queue ? amd_sdma_max_lines(l)
			  : AMD_SDMA_MAX_LINES_WORDS / (AMD_PM4_DMA_WORDS + 1);
}

static void amd_copy_lines(struct gpu_push *p, const struct gpu_lines *l, uint64_t semaphore,
			   uint32_t payload)
{
	uint32_t row;

	(void)semaphore;
	(void)payload;
	if (p->copy_queue) {
		amd_sdma_write_back(p);
		amd_sdma_copy_lines(p, l);
		amd_sdma_invalidate(p);
		return;
	}
	for (row = 0; row < l->lines; row++)
		amd_pm4_copy(p, l->destination + (uint64_t)row * l->destination_pitch,
			     l->source + (uint64_t)row * l->source_pitch, l->bytes);
}

/* Accepts a value of element_bytes or one that is already repeated over the word. */
static void amd_fill(struct gpu_push *p, uint64_t destination, uint32_t value,
		     uint32_t element_bytes, uint64_t bytes, uint64_t semaphore, uint32_t payload)
{
	uint32_t word = element_bytes == 1   ? (value & 0xff) * 0x01010101u
			: element_bytes == 2 ? (value & 0xffff) * 0x00010001u
					     : value;

	(void)semaphore;
	(void)payload;
	if (p->copy_queue) {
		amd_sdma_write_back(p);
		amd_sdma_fill(p, destination, word, element_bytes, bytes);
		amd_sdma_invalidate(p);
	} else {
		amd_pm4_fill(p, destination, word, bytes);
	}
}

static void amd_pad(struct gpu_push *p)
{
	if (!p->copy_queue)
		amd_pm4_pad(p);
}

/* Writes words at a word index that never wraps; the ring has a power of two of words. */
static uint64_t ring_write(const struct winsys_queue_memory *m, uint64_t at, const uint32_t *words,
			   uint32_t count)
{
	uint32_t *ring = (uint32_t *)(void *)m->ring, start = (uint32_t)at & (m->ring_entries - 1);
	uint32_t first = m->ring_entries - start < count ? m->ring_entries - start : count;

	memcpy(ring + start, words, 4ul * first);
	memcpy(ring, words + first, 4ul * (count - first));
	return at + count;
}

/* PUT counts words on a compute queue, bytes on a copy queue. */
static uint64_t amd_write_ring_entry(const struct winsys_queue_memory *m, uint64_t put,
				     uint64_t span, const uint32_t *words, bool copy_queue,
				     const struct gpu_completion *completion)
{
	uint32_t unit = copy_queue ? 4 : 1, entry[AMD_RING_ENTRY_WORDS];
	struct gpu_push p = {.words = entry, .capacity = AMD_RING_ENTRY_WORDS};
	uint64_t at = put / unit;

	if (copy_queue) {
		assert(gpu_span_words(span) <= AMD_COPY_SPAN_WORDS);
		if (gpu_span_words(span))
			at = ring_write(m, at, words, gpu_span_words(span));
		amd_sdma_ring_entry(&p, m, completion);
	} else {
		amd_pm4_ring_entry(&p, span, m, completion);
	}
	assert(!p.overflow);
	return ring_write(m, at, entry, p.count) * unit;
}

/* ---- textures: the compiler's functions read the description itself ---- */

static const char *amd_texture_fault(const struct texture *t)
{
	(void)t;
	return NULL;
}

static uint64_t amd_write_texture(const struct texture *t, uint32_t index, uint8_t *pool,
				  uint64_t va)
{
	memcpy(pool + (size_t)index * TEXTURE_BYTES, t, sizeof(*t));
	return va + (uint64_t)index * TEXTURE_BYTES;
}

static void amd_set_texture_pool(void *chip, uint64_t va)
{
	(void)chip;
	(void)va;
}

const struct gpu amd_gpu = {
	.family = "amd",
	.image_extension = "co",
	.code_extension = "s",
	.warp_size = 32,
	.address_bits = AMD_VA_BITS,
	.trap_page = AMD_TRAP_PAGE,
	.max_copy_bytes = AMD_SDMA_MAX_BYTES,
	.max_fill_bytes = AMD_MAX_FILLS * (uint64_t)AMD_SDMA_FILL_MAX_BYTES,
	.max_inline_bytes = AMD_PM4_INLINE_MAX,
	.inline_align = 4,
	.max_local_bytes = AMD_SCRATCH_MAX,
	.plan_bytes = sizeof(struct plan),
	.ring_entry_bytes = 4,
	.ring_entries = AMD_RING_WORDS,
	.copy_ring_entries = AMD_COPY_RING_WORDS,
	.max_span_words = AMD_PM4_IB_MAX_SIZE,
	.max_copy_span_words = AMD_COPY_SPAN_WORDS,
	.max_node_words = AMD_SDMA_MAX_LINES_WORDS + 16,
	.max_level_words = 32,
	.prefers_copy_queue = true,
	.acquire_compares_unsigned = true,
	.local_in_launch = true,
	.chip_create = amd_config_create,
	.texture_layout = TEXTURE_LINEAR,
	.texture_fault = amd_texture_fault,
	.write_texture = amd_write_texture,
	.set_texture_pool = amd_set_texture_pool,
	.supports = amd_supports,
	.constant_bytes = amd_constant_bytes,
	.reserved_shared = amd_reserved_shared,
	.occupancy = amd_occupancy,
	.max_resident_blocks = amd_max_resident_blocks,
	.max_resident_clusters = amd_max_resident_clusters,
	.local_layout = amd_local_layout,
	.ticks_to_ns = amd_ticks_to_ns,
	.max_cluster_blocks = amd_max_cluster_blocks,
	.supports_chains = amd_supports_chains,
	.disassemble = amd_disassemble,
	.plan = amd_plan_kernel,
	.launch = amd_launch,
	.slot_bytes = amd_slot_bytes,
	.write_grid = amd_write_grid,
	.launch_grid = amd_launch_grid,
	.setup_compute = amd_setup_compute,
	.setup_copy = amd_setup_copy,
	.wait_for_idle = amd_pm4_cs_partial_flush,
	.invalidate_constants = amd_invalidate_constants,
	.interrupt = amd_interrupt,
	.set_local = amd_set_local,
	.acquire = amd_acquire,
	.release = amd_release,
	.copy = amd_copy,
	.max_lines = amd_max_lines,
	.copy_lines = amd_copy_lines,
	.fill = amd_fill,
	.write_inline = amd_pm4_write_data,
	.pad = amd_pad,
	.write_ring_entry = amd_write_ring_entry,
};
